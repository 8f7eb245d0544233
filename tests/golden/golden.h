/* SPDX-License-Identifier: MIT
   tests/golden/golden.h - the golden table: scene -> state hash, for every compiler, flag set and machine.
   reads   nothing      writes  nothing: a table, made by tests/golden/update
   memory  none         cost    none
   after   a change of a hash is its own commit, with the reason */
#define GOLDEN_TABLE(ITEM)
