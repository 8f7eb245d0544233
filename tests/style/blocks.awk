# SPDX-License-Identifier: MIT
# tests/style/blocks.awk - writes each ```c block of a page to its own file.
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
