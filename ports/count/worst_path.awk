# SPDX-License-Identifier: MIT
# ports/count/worst_path.awk - the deepest stack of any public call, from gcc's call graph (-fcallgraph-info=su).
#   reads   one .ci file, after it what thumb_calls.awk tells of the linked runtime, where there is that
#   writes  `BYTES  caller > ... > callee` of the worst path; exit 1 on recursion or an unknown callee
#   memory  the graph         cost    O(functions + calls)
#   after   own design; calls through pointers lead out of the runtime (the game's clock, storage, jobs) and count nothing here;
#           nor do, where nothing is known of the linked runtime, the memory functions and those of the compiler's arithmetic,
#           which call nothing of ours

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

# Outside of the runtime, and known: a call through a pointer, memory functions, a square root, arithmetic in software.
function is_outside(name)
{
    if (is_linked) return !(name in called) # what gcc's graph calls by another name is among the calls of the linked program
    return name ~ /^(__.*|memcpy|memmove|memset|sqrtf|\*?__builtin_.*)$/
}

# Bytes of the deepest path that starts in `name`; next_of[name] says where it goes on.
function depth(name,    i, below, best, count, callee)
{
    if (state[name] == 2) return deepest[name]
    if (state[name] == 1) {
        print "recursion through " plain(name)
        failed = 1
        return 0
    }
    state[name] = 1
    if (!(name in bytes) && !is_outside(name)) {
        print "unknown callee " plain(name)
        failed = 1
    }
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
    if (label ~ /dynamic/ && label !~ /\\n0 dynamic/ && label ~ /bytes \(dynamic\)/) {
        print "the stack of " plain(name) " has no bound"
        failed = 1
    }
}
/^edge:/ {
    from = quoted($0, "sourcename")
    call[from, ++calls[from]] = quoted($0, "targetname")
}
# Of functions that gcc's graph has, only what they call outside of it.
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
    } else if (!($2 in title)) {
        print $2 " of a library calls " $3
        failed = 1
    }
}
END {
    worst = ""
    for (name in bytes)
        if (plain(name) ~ /^tp_/ && (worst == "" || depth(name) > depth(worst))) worst = name
    path = plain(worst) "(" bytes[worst] + 0 ")"
    for (name = next_of[worst]; name != ""; name = next_of[name]) path = path " > " plain(name) "(" bytes[name] + 0 ")"
    print deepest[worst] + 0, path
    exit failed
}
