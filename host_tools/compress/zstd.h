/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd.h - Zstandard frames: whole buffers in, whole buffers out.
   reads   buffers of the caller      writes  buffers of the caller, never a byte outside of them
   memory  zstd_decoder_bytes() and zstd_encoder_bytes(), given by the caller; no heap, no statics that change
   cost    O(bytes in + bytes out), see each call
   after   RFC 8878; without dictionaries */
#ifndef TIDEPOOL_ZSTD_H
#define TIDEPOOL_ZSTD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is wrong with a file, and the byte of the input at which it shows (at most the input's size). */
typedef struct zstd_fault {
    size_t offset;
    const char *text;
} zstd_fault;

/* Upper bound of the decoded bytes of all frames, from the headers of frames and blocks alone: exact where every frame
   says its size. A size that the blocks cannot reach is a fault, so memory for *content is in proportion to the input
   (at most 32768 times as much). O(blocks). RFC 8878, 3.1. */
bool zstd_measure(const uint8_t *bytes, size_t size, uint64_t *content, zstd_fault *fault);

typedef struct zstd_decoder zstd_decoder;
/* Bytes of a decoder, about 160 KiB. */
size_t zstd_decoder_bytes(void);
/* A decoder in memory of that size, aligned as malloc does; it serves any number of calls, one at a time. */
zstd_decoder *zstd_decoder_start(void *memory);
/* Decodes all frames of the input into out, which holds `room` bytes, and sets *written. False with the fault where
   the bytes are no valid frames or want more room; what stands in out is then partial. O(size + room). RFC 8878, 3-4. */
bool zstd_decode(zstd_decoder *decoder, const uint8_t *bytes, size_t size, uint8_t *out, size_t room,
                 size_t *written, zstd_fault *fault);

#define ZSTD_INPUT_MAX 0x7fffffffu /* bytes of one frame that we write: positions are 32 bits wide */

typedef struct zstd_encoder zstd_encoder;
/* Bytes of an encoder, about 1.5 MiB. */
size_t zstd_encoder_bytes(void);
/* An encoder in memory of that size, aligned as malloc does; it serves any number of calls, one at a time. */
zstd_encoder *zstd_encoder_start(void *memory);
/* Most bytes that a frame of `size` bytes can take. */
size_t zstd_bound(size_t size);
/* Writes one frame with its content size to out, which holds zstd_bound(size) bytes, and returns its bytes. The same
   input makes the same frame on every machine. size at most ZSTD_INPUT_MAX; O(size). RFC 8878, 3-4. */
size_t zstd_encode(zstd_encoder *encoder, const uint8_t *bytes, size_t size, bool has_checksum, uint8_t *out);

/* XXH64 of the bytes; a frame's checksum is its lower half with seed 0. O(size). */
uint64_t zstd_checksum(const uint8_t *bytes, size_t size, uint64_t seed);

#endif
