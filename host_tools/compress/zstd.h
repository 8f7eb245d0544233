/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd.h - Zstandard frames, the compression of point caches of Blender 5.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost    O(bytes in + bytes out), see each call
   after   RFC 8878; without dictionaries */
#ifndef TIDEPOOL_ZSTD_H
#define TIDEPOOL_ZSTD_H
#include "fault.h"

/* The most bytes that a stream of `size` bytes can hold: ask before making room for a size that a file claims. O(1). */
uint64_t zstd_decoded_max(size_t size);

/* Upper bound of the decoded bytes of all frames, from the headers of frames and blocks alone: exact where every frame
   says its size, never above zstd_decoded_max(size). A size that the blocks cannot reach is a fault. O(blocks).
   RFC 8878, 3.1. */
bool zstd_measure(const uint8_t *bytes, size_t size, uint64_t *content, compress_fault *fault);

/* Work memory for the decoder, about 170 KiB. O(1). */
size_t zstd_decoder_bytes(void);

/* Decodes all frames of the input, which must hold exactly out_size bytes; `out` must not overlap it, `work` is aligned as
   malloc does and has zstd_decoder_bytes(), whose content does not matter. On false `fault` says which byte and why, and
   `out` holds anything. Never touches a byte outside of the ranges. O(size + out_size). RFC 8878, 3-4. */
bool zstd_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size, void *work,
                 compress_fault *fault);
/* The same for frames that hold at most `room` bytes: *written says how many came, also on a fault. */
bool zstd_decode_some(const uint8_t *bytes, size_t size, uint8_t *out, size_t room, size_t *written,
                      void *work, compress_fault *fault);

#define ZSTD_ENCODE_MAX 0x7fffffffu /* bytes of one frame that we write: positions are 32 bits wide */

/* Room that always suffices to encode `size` bytes. O(1). */
size_t zstd_bound(size_t size);
/* Work memory to encode `size` bytes, about 1.5 MiB; 0 when they are more than ZSTD_ENCODE_MAX. O(1). */
size_t zstd_encoder_bytes(size_t size);

/* Encodes one frame with its content size and returns its bytes, or 0 when `room` is below zstd_bound(size). `work` is
   aligned as malloc does; its content does not matter, and the same bytes always give the same frame. O(size).
   RFC 8878, 3-4. */
size_t zstd_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t room, bool has_checksum,
                   void *work);

/* XXH64 of the bytes; a frame's checksum is its lower half with seed 0. O(size). */
uint64_t zstd_checksum(const uint8_t *bytes, size_t size, uint64_t seed);

#endif
