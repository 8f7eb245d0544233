/* SPDX-License-Identifier: MIT
   host_tools/compress/inflate.h - zlib streams, the compression of .prt files.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own but 5 KiB of stack      cost  O(bytes)
   after   RFC 1950 and 1951; without preset dictionaries */
#ifndef TIDEPOOL_INFLATE_H
#define TIDEPOOL_INFLATE_H
#include "fault.h"

/* The most bytes that a stream of `size` bytes can hold: ask before making room for a size that a file claims. O(1). */
uint64_t inflate_decoded_max(size_t size);

/* Decodes one whole stream, which must hold exactly out_size bytes; `out` must not overlap it. *used is the size of the
   stream, what follows is not looked at. On false `fault` says which byte and why, and `out` holds anything. Never
   touches a byte outside of the two ranges. O(size + out_size). */
bool inflate_zlib(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size, size_t *used,
                  compress_fault *fault);

#endif
