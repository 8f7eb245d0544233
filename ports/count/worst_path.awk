# SPDX-License-Identifier: MIT
# ports/count/worst_path.awk - the deepest stack of any public call, from gcc's call graph (-fcallgraph-info=su).
#   reads   one .ci file and the source that it names; then, optionally, the output of thumb_calls.awk for the linked runtime;
#           `pointers`: the file of that name; with `every` (for unoptimised code) each of its lines must be used
#   writes  `BYTES  caller > ... > callee` of the worst path; exit 1 on recursion, an unknown callee or an unknown pointer
#   memory  the graph and the source         cost    O(functions + calls)
#   after   own design; a call through a pointer is identified by its source position, which survives inlining. Callbacks of
#           the game (clock, storage, jobs) count 0 bytes. Without thumb_calls.awk, memory functions and software
#           arithmetic also count 0 bytes; they call no function of the runtime

function quoted(line, key,    rest)
{
    rest = substr(line, index(line, key ": \"") + length(key) + 3)
    return substr(rest, 1, index(rest, "\"") - 1)
}

function plain(name)
{
    sub(/^.*:/, "", name)
    return name
}

function fail(why)
{
    print why
    failed = 1
}

# The name of a function without suffixes of the compiler: .constprop, .isra, .part.
function stem(name)
{
    name = plain(name)
    sub(/[.].*/, "", name)
    return name
}

# The pass that a function belongs to (runtime/base/pass.h), which is in its name; and its name without that.
function pass_of(name)
{
    return match(name, /_(8|16)(_on|_visit|_meet)?$/) ? substr(name, RSTART + 1) + 0 : 0
}
function unpassed(name)
{
    if (!match(name, /_(8|16)(_on|_visit|_meet)?$/)) return name
    return substr(name, 1, RSTART - 1) substr(name, RSTART + (pass_of(name) == 8 ? 2 : 3))
}

# True if a function of one pass would call that of another. A function that is compiled once may call any.
function crosses(from, to)
{
    from = stem(from)
    to = stem(to)
    if (pass_of(from) == pass_of(to)) return 0
    if (pass_of(from) == 0 && !(from in has_passes)) return 0
    return pass_of(to) != 0 || to in has_passes
}

# The name of the function that contains this source line: the last unindented line with a parenthesis starts the function.
function holder(row,    text)
{
    while (row > 0 && (source[row] !~ /^[A-Za-z].*[(]/ || source[row] ~ /;$/)) row--
    text = source[row]
    sub(/[(].*/, "", text)
    sub(/^.*[^A-Za-z0-9_]/, "", text)
    return text
}

# The key in `pointers` of the call at `place` (PATH:LINE:COLUMN): the call expression, with its caller if such a key exists.
function key_at(place,    parts, count, text, row)
{
    split(place, parts, ":")
    if (source_path == "") {
        source_path = parts[1]
        while ((getline text <source_path) > 0) source[++source_rows] = text
    }
    row = parts[2] + 0
    text = parts[1] == source_path ? substr(source[row], parts[3]) : ""
    if (!match(text, /^[A-Za-z_][A-Za-z0-9_>.-]*[(]/)) return ""
    text = substr(text, 1, RLENGTH - 1)
    count = split(text, parts, /->|[.]/)
    if (count > 1) text = parts[count - 1] "->" parts[count]
    if ((holder(row) ":" text) in leads) return holder(row) ":" text
    return text
}

# Adds a call from `from` to every function in the line of this key.
function lead(from, key,    list, count, i, name, found)
{
    is_used[key]
    count = split(leads[key], list, " ")
    for (i = 1; i <= count; i++) {
        if (list[i] == "out") found = 1
        for (name in bytes) {
            if (list[i] == "out" || crosses(from, name)) continue
            if (!(unpassed(stem(name)) == list[i] || list[i] ~ /^[*]/ && ends_with(unpassed(stem(name)), substr(list[i], 2)))) continue
            call[from, ++calls[from]] = name
            is_called[name]
            is_reached[list[i]]
            found = 1
        }
    }
    if (!found) fail("no function that " key " leads to is there")
}

function ends_with(name, end) { return length(name) > length(end) && substr(name, length(name) - length(end) + 1) == end }

# Resolves all calls through pointers. A static function without a caller must be the target of a pointer, except tpi_ functions,
# which are for other files, and the game's.
function look_at_pointers(    i, name, key, list, count)
{
    for (name in bytes)
        if (pass_of(stem(name))) has_passes[unpassed(stem(name))]
    for (i = 1; i <= jumps; i++) {
        key = key_at(jump_place[i])
        if (key in leads) lead(jump_from[i], key)
        else fail("ports/count/pointers has no line of " (key == "" ? "the pointer" : key) ", called at " jump_place[i])
    }
    for (name in bytes)
        if (name ~ /:/ && plain(name) !~ /^tpi_/ && !(name in is_called)) fail("no pointer is said to lead to " plain(name))
    if (!every) return
    for (key in leads) {
        if (!(key in is_used)) fail("nothing is called through " key)
        count = split(leads[key], list, " ")
        for (i = 1; i <= count; i++)
            if (list[i] != "out" && !(list[i] in is_reached)) fail(key " leads to " list[i] ", which is not there")
    }
}

BEGIN {
    while ((getline <pointers) > 0) {
        if (/^#/ || NF == 0) continue
        key = $1
        $1 = ""
        leads[key] = $0
    }
}

# Known functions outside of the runtime: memory functions, square root, software arithmetic.
function is_outside(name)
{
    if (is_linked) return !(name in called) # functions with another name in gcc's graph are among the calls of the linked program
    return name ~ /^(__.*|memcpy|memmove|memset|sqrtf|\*?__builtin_.*)$/
}

# Bytes of the deepest path that starts in `name`; next_of[name] is its next function.
function depth(name,    i, below, best, count, callee)
{
    if (state[name] == 2) return deepest[name]
    if (state[name] == 1) {
        fail("recursion through " plain(name))
        return 0
    }
    state[name] = 1
    if (!(name in bytes) && !is_outside(name)) fail("unknown callee " plain(name))
    best = 0
    next_of[name] = ""
    count = calls[name]
    for (i = 1; i <= count; i++) {
        callee = call[name, i]
        below = depth(callee)
        if (below > best) {
            best = below
            next_of[name] = callee
        }
    }
    state[name] = 2
    deepest[name] = bytes[name] + best
    return deepest[name]
}

/^node:/ {
    name = quoted($0, "title")
    label = quoted($0, "label")
    if (match(label, /[0-9]+ bytes/)) {
        bytes[name] = substr(label, RSTART, RLENGTH) + 0
        title[plain(name)] = name
    }
    if (label ~ /dynamic/ && label !~ /\\n0 dynamic/ && label ~ /bytes \(dynamic\)/) fail("the stack of " plain(name) " has no bound")
}
/^edge:/ {
    from = quoted($0, "sourcename")
    to = quoted($0, "targetname")
    if (to == "__indirect_call") {
        jump_from[++jumps] = from
        jump_place[jumps] = quoted($0, "label")
    } else {
        call[from, ++calls[from]] = to
        is_called[to]
    }
}
# Functions that are in gcc's graph: take only their calls to functions outside of it.
$1 == "takes" {
    is_linked = 1
    if (!($2 in title)) bytes[$2] = $3 + 0
    next
}
$1 == "calls" {
    from = $2 in title ? title[$2] : $2
    if (!($3 in title)) {
        call[from, ++calls[from]] = $3
        called[$3]
    } else if ($2 ~ /_from_(arm|thumb)$/) { # the linker's change of state: code of both kinds calls each other
        call[from, ++calls[from]] = title[$3]
        called[title[$3]]
    } else if (!($2 in title)) {
        fail($2 " of a library calls " $3)
    }
}
END {
    look_at_pointers()
    worst = ""
    for (name in bytes)
        if (plain(name) ~ /^tp_/ && (worst == "" || depth(name) > depth(worst))) worst = name
    path = plain(worst) "(" bytes[worst] + 0 ")"
    for (name = next_of[worst]; name != ""; name = next_of[name]) path = path " > " plain(name) "(" bytes[name] + 0 ")"
    print deepest[worst] + 0, path
    exit failed
}
