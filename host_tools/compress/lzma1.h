/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1.h - raw LZMA streams (LZ77 and adaptive binary range coder), the
           "heavy" compression of point caches.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  O(bytes)
   after   Igor Pavlov's LZMA specification (2015) */
#ifndef TIDEPOOL_LZMA1_H
#define TIDEPOOL_LZMA1_H
#include "fault.h"

#define LZMA1_PROPERTY_BYTES \
    5u /* (pb * 5 + lp) * 9 + lc, then the size of the dictionary, little-endian */

typedef struct lzma1_settings {
    uint32_t lc;         /* literal context bits: from the previous byte, 0 to 8 */
    uint32_t lp;         /* literal position bits: from the position, 0 to 4 */
    uint32_t pb;         /* position bits of the other models, 0 to 4 */
    uint32_t dictionary; /* window size in bytes; less than 4096 counts as 4096 */
    bool end_marker;     /* written by the encoder; the decoder accepts streams with and without */
} lzma1_settings;

/* The settings of Blender: lc 3, lp 0, pb 2, 16 MiB, no end marker. */
lzma1_settings lzma1_blender(void);

void lzma1_store_settings(const lzma1_settings *settings, uint8_t properties[LZMA1_PROPERTY_BYTES]);
/* False, with a fault at byte 0, if the first byte is above 224. O(1). */
bool lzma1_load_settings(const uint8_t properties[LZMA1_PROPERTY_BYTES], lzma1_settings *settings,
                         compress_fault *fault);

/* Upper bound of the decoded size of a stream of `size` bytes: check it before allocating a size
   that a file claims. O(1). */
uint64_t lzma1_decoded_max(size_t size);

/* Work memory for the decoder: 5 KiB for lc + lp = 0, 16 KiB for Blender's settings, 6 MiB at most.
   O(1). */
size_t lzma1_decoder_bytes(const lzma1_settings *settings);

/* Decodes a whole stream, which must decode to exactly out_size bytes; `out` must not overlap it.
   `work` has lzma1_decoder_bytes, is aligned as by malloc and need not be initialised. On failure
   returns false, `fault` has the offset of the next byte at the error and the reason, and the
   contents of `out` are undefined. Never accesses a byte outside of the ranges. O(size +
   out_size). */
bool lzma1_decode(const lzma1_settings *settings, const uint8_t *bytes, size_t size, uint8_t *out,
                  size_t out_size, void *work, compress_fault *fault);

/* ---- encoder: like level 5 with 32 fast bytes; optimal parsing, see lzma1_parse.c. Random bytes
   grow by 1.4 % */

/* Work memory to encode `size` bytes: 0.7 MiB, at most 4 MiB of hash heads, and 8 bytes for each
   byte within the dictionary. 0 if `size` exceeds LZMA1_ENCODE_MAX or the memory exceeds the
   address space. O(1). */
#define LZMA1_ENCODE_MAX 0xf0000000u
size_t lzma1_encoder_bytes(const lzma1_settings *settings, size_t size);

/* Capacity that is enough to encode `size` bytes, except for data constructed to expand more.
   O(1). */
size_t lzma1_bound(size_t size);

/* Encodes and returns the size of the stream, or 0 if it exceeds `capacity`, or `size` exceeds
   LZMA1_ENCODE_MAX. `work` is aligned as by malloc and need not be initialised. The same bytes
   always give the same stream. O(size), 0.2 to 1 us per byte. */
size_t lzma1_encode(const lzma1_settings *settings, const uint8_t *bytes, size_t size, uint8_t *out,
                    size_t capacity, void *work);

#endif
