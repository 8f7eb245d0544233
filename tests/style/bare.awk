# SPDX-License-Identifier: MIT
# tests/style/bare.awk - removes comments, and the contents of strings and character constants, from C files.
#   reads   C files      writes  `FILE:LINE:code`
#   memory  one line     cost    O(bytes)
#   after   own design
FNR == 1 { inside = 0 }
{
    rest = $0
    code = ""
    while (rest != "") {
        if (inside) {
            at = index(rest, "*/")
            if (!at) break
            rest = substr(rest, at + 2)
            inside = 0
            continue
        }
        if (!match(rest, /\/\*|\/\/|"|'/)) {
            code = code rest
            break
        }
        code = code substr(rest, 1, RSTART - 1)
        mark = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (mark == "//") break
        if (mark == "/*") {
            inside = 1
            continue
        }
        while (rest != "" && substr(rest, 1, 1) != mark) rest = substr(rest, substr(rest, 1, 1) == "\\" ? 3 : 2)
        rest = substr(rest, 2)
        code = code mark mark
    }
    print FILENAME ":" FNR ":" code
}
