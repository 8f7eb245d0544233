# SPDX-License-Identifier: MIT
# tests/style/order.awk - a folder of the runtime includes only folders above it in the path of the data.
#   reads   files of runtime/, named as runtime/...
#   writes  one line per violation; exit 1 if there is one
#   memory  the list     cost  O(lines)
#   after   the list of folders in runtime/guide/architecture.md; the public header is above all of them

function folder_of(path,    parts, count)
{
    count = split(path, parts, "/")
    return parts[2]
}

# Resolves an include path: folder "runtime/solve/sph" and name "../../world/block.h" give
# runtime/world/block.h.
function joined(folder, name,    parts, count, i, result)
{
    count = split(folder "/" name, parts, "/")
    result = ""
    for (i = 1; i <= count; i++) {
        if (parts[i] == ".." && result ~ /\//) sub(/\/[^\/]*$/, "", result)
        else if (parts[i] != "." && parts[i] != "..") result = result (result == "" ? "" : "/") parts[i]
        else if (parts[i] == "..") result = ""
    }
    return result
}

BEGIN {
    count = split("base memory world emit grid field solve move light step codec cache play", list, " ")
    for (i = 1; i <= count; i++) rank[list[i]] = i
}
FILENAME == "runtime/tidepool.h" { next }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*$/, "", name)
    folder = FILENAME
    sub(/\/[^\/]*$/, "", folder)
    target = joined(folder, name)
    from = folder_of(FILENAME)
    to = folder_of(target)
    if (target == "runtime/tidepool.h") next
    if (!(from in rank) || !(to in rank) || rank[to] > rank[from]) {
        print FILENAME ":" FNR ": " from "/ may not include " to "/ (" name ")"
        faults++
    }
    next
}
# vector intrinsics of the compilers, behind a guard, in one file
FILENAME ~ /runtime\/base\/lanes\.h$/ && /<(immintrin|emmintrin|arm_neon|wasm_simd128)\.h>/ { next }
/^[ \t]*#[ \t]*include[ \t]*</ && !/<(stdbool|stddef|stdint|float|limits|stdalign|stdarg|iso646)\.h>/ {
    print FILENAME ":" FNR ": not a header of every freestanding compiler: " $0
    faults++
}
END { exit faults > 0 }
