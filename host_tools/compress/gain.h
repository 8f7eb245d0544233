/* SPDX-License-Identifier: MIT
   host_tools/compress/gain.h - the most bytes that a compressed stream can hold.
   reads   -      writes  -
   memory  none   cost    O(1)
   after   own design; the largest gain of a byte is a property of each format */
#ifndef TIDEPOOL_COMPRESS_GAIN_H
#define TIDEPOOL_COMPRESS_GAIN_H
#include <stdint.h>

/* size * gain, or UINT64_MAX when that exceeds 64 bits. `size` has 64 bits where size_t has 32, too. */
static inline uint64_t compress_most(uint64_t size, uint32_t gain)
{
    return size > UINT64_MAX / gain ? UINT64_MAX : size * gain;
}

#endif
