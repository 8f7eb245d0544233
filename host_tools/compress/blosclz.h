/* SPDX-License-Identifier: MIT
   host_tools/compress/blosclz.h - streams of BloscLZ, the compressor that Blosc takes by default.
   reads   bytes      writes  memory that the caller gives
   memory  the encoder 64 KiB      cost  O(bytes)
   after   the format of FastLZ (A. Hidayat), level 2, as Blosc 1 has it: runs of 1 to 32 literals;
           matches up to 73 726 bytes back */
#ifndef TIDEPOOL_BLOSCLZ_H
#define TIDEPOOL_BLOSCLZ_H
#include "fault.h"

#define BLOSCLZ_GAIN 255u /* decoded bytes per stream byte, at most */

/* Decodes a stream, which must decode to exactly out_size bytes; `out` must not overlap it. On
   failure returns false, and `fault` has offset and reason. Never accesses a byte outside of the
   two ranges. O(size + out_size). */
bool blosclz_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                    compress_fault *fault);

/* Work memory of the encoder, aligned as by malloc. */
size_t blosclz_encoder_bytes(void);
/* Encodes below 2^32 bytes, and returns the size of the stream; 0: it would not be below `size`. It
   needs `size` bytes of capacity. The same bytes always give the same stream. O(size). */
size_t blosclz_encode(const uint8_t *bytes, size_t size, uint8_t *out, void *work);

#endif
