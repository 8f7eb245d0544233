# SPDX-License-Identifier: MIT
# ports/count/worst_path.awk - the deepest stack of any public call, from gcc's call graph (-fcallgraph-info=su).
#   reads   one .ci file      writes  `BYTES  caller > ... > callee` of the worst path; exit 1 on recursion or an unknown callee
#   memory  the graph         cost    O(functions + calls)
#   after   own design; calls through pointers lead out of the runtime (the game's clock, storage, jobs) and count nothing here;
#           nor do the memory functions and those of the compiler's arithmetic, which call nothing of ours

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
    if (match(label, /[0-9]+ bytes/)) bytes[name] = substr(label, RSTART, RLENGTH) + 0
    if (label ~ /dynamic/ && label !~ /\\n0 dynamic/ && label ~ /bytes \(dynamic\)/) {
        print "the stack of " plain(name) " has no bound"
        failed = 1
    }
}
/^edge:/ {
    from = quoted($0, "sourcename")
    call[from, ++calls[from]] = quoted($0, "targetname")
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
