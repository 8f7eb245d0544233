/* SPDX-License-Identifier: MIT
   host_tools/compress/gain.h - upper bound of the decoded size of a compressed stream.
   reads   -      writes  -
   memory  none   cost    O(1)
   after   own design; each format has a largest number of decoded bytes per stream byte (gain) */
#ifndef TIDEPOOL_COMPRESS_GAIN_H
#define TIDEPOOL_COMPRESS_GAIN_H
#include <stdint.h>

/* size * gain, or UINT64_MAX if that exceeds 64 bits. `size` has 64 bits even if size_t has 32. */
static inline uint64_t compress_most(uint64_t size, uint32_t gain)
{
    return size > UINT64_MAX / gain ? UINT64_MAX : size * gain;
}

#endif
