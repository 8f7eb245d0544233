/* SPDX-License-Identifier: MIT
   host_tools/compress/lz4.h - blocks of LZ4.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  O(bytes)
   after   the public description of the block format, lz4_Block_format.md */
#ifndef TIDEPOOL_LZ4_H
#define TIDEPOOL_LZ4_H
#include "fault.h"

/* Upper bound of the decoded size of a block of `size` bytes. O(1). */
uint64_t lz4_decoded_max(size_t size);

/* Decodes a block; returns its decoded size, at most `capacity`. On failure returns SIZE_MAX, and
   `fault` has offset and reason. Never accesses a byte outside of the two ranges, which must not
   overlap. */
size_t lz4_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                  compress_fault *fault);

/* Capacity that is always enough to store `size` bytes. O(1). */
size_t lz4_bound(size_t size);

/* Stores `size` bytes as a block of literals alone, without compression; returns its size. */
size_t lz4_store(const uint8_t *bytes, size_t size, uint8_t *out);

#endif
