/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1.h - raw LZMA streams, the "heavy" compression of point caches.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  O(bytes)
   after   Igor Pavlov's LZMA specification (2015) */
#ifndef TIDEPOOL_LZMA1_H
#define TIDEPOOL_LZMA1_H
#include "fault.h"

#define LZMA1_PROPERTY_BYTES 5u /* (pb * 5 + lp) * 9 + lc, then the size of the dictionary, little-endian */

typedef struct lzma1_settings {
    uint32_t lc;         /* bits of the byte before that choose a literal's model, 0 to 8 */
    uint32_t lp;         /* bits of the position that do, 0 to 4 */
    uint32_t pb;         /* bits of the position that choose the other models, 0 to 4 */
    uint32_t dictionary; /* bytes that a distance may span; fewer than 4096 count as 4096 */
    bool end_marker;     /* written by the encoder; the decoder takes streams with and without */
} lzma1_settings;

/* What Blender writes: lc 3, lp 0, pb 2, 16 MiB, no end marker. */
lzma1_settings lzma1_blender(void);

void lzma1_store_settings(const lzma1_settings *settings, uint8_t properties[LZMA1_PROPERTY_BYTES]);
/* False, with a fault at byte 0, when the first byte is above 224. O(1). */
bool lzma1_load_settings(const uint8_t properties[LZMA1_PROPERTY_BYTES], lzma1_settings *settings,
                         compress_fault *fault);

/* The most bytes that a stream of `size` bytes can hold: ask before making room for a size that a file claims. O(1). */
uint64_t lzma1_decoded_max(size_t size);

/* Work memory for the decoder: 5 KiB for lc + lp = 0, 16 KiB for Blender's settings, 6 MiB at most. O(1). */
size_t lzma1_decoder_bytes(const lzma1_settings *settings);

/* Decodes a whole stream, which must hold exactly out_size bytes; `out` must not overlap it, `work` is aligned as malloc
   does and has lzma1_decoder_bytes, whose content does not matter. On false `fault` says which byte was the next when
   things went wrong, and why, and `out` holds anything. Never touches a byte outside of the ranges. O(size + out_size). */
bool lzma1_decode(const lzma1_settings *settings, const uint8_t *bytes, size_t size, uint8_t *out,
                  size_t out_size, void *work, compress_fault *fault);

/* ---- encoder: as level 5 with 32 fast bytes, see lzma1_parse.c for how it chooses. Random bytes grow by 1.4 % */

/* Work memory to encode `size` bytes: 0.7 MiB, 4 MiB at most of hash heads, and 8 bytes for each byte within the
   dictionary; 0 when they are more than LZMA1_ENCODE_MAX or than the machine can address. O(1). */
#define LZMA1_ENCODE_MAX 0xf0000000u
size_t lzma1_encoder_bytes(const lzma1_settings *settings, size_t size);

/* Room that suffices to encode `size` bytes, unless they were made to cost more. O(1). */
size_t lzma1_bound(size_t size);

/* Encodes and returns the size of the stream, or 0 when it does not fit into `room` or is more than LZMA1_ENCODE_MAX.
   `work` is aligned as malloc does; its content does not matter, and the same bytes always give the same stream.
   O(size), 0.2 to 1 us a byte. */
size_t lzma1_encode(const lzma1_settings *settings, const uint8_t *bytes, size_t size, uint8_t *out,
                    size_t room, void *work);

#endif
