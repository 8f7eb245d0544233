/* SPDX-License-Identifier: MIT
   host_tools/compress/lzo1x.h - raw LZO1X streams (LZ77 with byte-aligned codes), the "light"
           compression of point caches.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  O(bytes)
   after   the public description of the stream in the Linux kernel's documentation
           (staging/lzo.rst), version 0 */
#ifndef TIDEPOOL_LZO1X_H
#define TIDEPOOL_LZO1X_H
#include "fault.h"

#define LZO1X_DICTIONARY 16384u /* entries of the hash table, as in the variant LZO1X-1 */

/* Upper bound of the decoded size of a stream of `size` bytes: check it before allocating a size
   that a file claims. O(1). */
uint64_t lzo1x_decoded_max(size_t size);

/* Decodes a whole stream, which must decode to exactly out_size bytes; `out` must not overlap it.
   On failure returns false, `fault` has offset and reason, and the contents of `out` are undefined.
   Never accesses a byte outside of the two ranges. O(size + out_size). */
bool lzo1x_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                  compress_fault *fault);

/* Capacity that is always enough to encode `size` bytes. O(1). */
size_t lzo1x_bound(size_t size);

/* Encodes `size` bytes and returns the size of the stream, or 0 if it exceeds `capacity`.
   `dictionary` is work
   memory and need not be initialised. The same bytes always give the same stream. O(size). */
size_t lzo1x_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                    uint16_t dictionary[LZO1X_DICTIONARY]);

#endif
