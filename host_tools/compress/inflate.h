/* SPDX-License-Identifier: MIT
   host_tools/compress/inflate.h - decoder of zlib streams, used by .prt files.
   reads   bytes      writes  memory that the caller gives
   memory  5 KiB of stack      cost  O(bytes)
   after   RFC 1950 and 1951; without preset dictionaries */
#ifndef TIDEPOOL_INFLATE_H
#define TIDEPOOL_INFLATE_H
#include "fault.h"

/* Upper bound of the decoded size of a stream of `size` bytes: check it before allocating a size
   that a file claims. O(1). */
uint64_t inflate_decoded_max(size_t size);

/* Decodes one whole stream, which must decode to exactly out_size bytes; `out` must not overlap it.
   *used becomes the size of the stream; bytes after it are ignored. On failure returns false,
   `fault` has offset and reason, and the contents of `out` are undefined. Never accesses a byte
   outside of the two ranges. O(size + out_size). */
bool inflate_zlib(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size, size_t *used,
                  compress_fault *fault);

#endif
