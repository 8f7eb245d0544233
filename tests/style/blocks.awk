# SPDX-License-Identifier: MIT
# tests/style/blocks.awk - the ```c blocks of a page, a file each.
#   reads   a page; -v folder=DIR      writes  DIR/example_N.c
#   memory  none     cost  O(lines)
#   after   own design
/^```c$/ {
    inside = 1
    file = folder "/example_" ++count ".c"
    printf "" >file
    next
}
/^```/ { inside = 0 }
inside { print >file }
