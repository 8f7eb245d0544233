/* SPDX-License-Identifier: MIT
   tests/harness/zstd_help.h - contents shared by the Zstandard tests and fixtures, equal on every
           machine.
   reads   -      writes  buffers of the caller
   memory  none   cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_ZSTD_HELP_H
#define TIDEPOOL_ZSTD_HELP_H
#include <stddef.h>
#include <stdint.h>

/* NOISE: uniform random bytes. TEXT: words of a small vocabulary. FLOATS: positions of particles on
   a rough grid. REPEATS: a page of noise, repeated with single changed bytes. FEW: seven byte
   values, some rare. RISING: the offset as four bytes. */
enum {
    CONTENT_ZEROS,
    CONTENT_NOISE,
    CONTENT_TEXT,
    CONTENT_FLOATS,
    CONTENT_REPEATS,
    CONTENT_FEW,
    CONTENT_RISING,
    CONTENT_KINDS
};

void test_content(int kind, uint8_t *bytes, size_t size);

#endif
