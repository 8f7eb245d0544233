/* SPDX-License-Identifier: MIT
   host_tools/compress/codec.h - common interface of the codecs of point caches (LZO1X, LZMA,
           Zstandard).
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  see lzo1x.h, lzma1.h, zstd.h
   after   own design: every codec has the same calls; codec-specific data are property bytes and
           work memory */
#ifndef TIDEPOOL_COMPRESS_CODEC_H
#define TIDEPOOL_COMPRESS_CODEC_H
#include "fault.h"

#define CODEC_PROPERTIES_MAX 5u

typedef struct codec {
    const char *name;
    /* size of the properties that a file stores in addition to the stream */
    uint32_t property_bytes;
    const uint8_t *properties; /* properties of streams written by `encode` */
    /* Upper bound of the decoded size of a stream of `size` bytes: check it before allocating a
       size that a file claims. O(1). */
    uint64_t (*decoded_max)(size_t size);
    /* Bytes of work memory for `decode`; 0 if it needs none or refuses these properties. O(1). */
    size_t (*decoder_bytes)(const uint8_t *properties);
    /* Decodes a whole stream, which must decode to exactly out_size bytes. `out` must not overlap
       it; `work` is aligned as by malloc and need not be initialised. On failure returns false,
       `fault` has the byte offset (`size`: the properties) and the reason, and the contents of
       `out` are undefined. Never accesses a byte outside of the ranges. O(size + out_size). */
    bool (*decode)(const uint8_t *properties, const uint8_t *bytes, size_t size, uint8_t *out,
                   size_t out_size, void *work, compress_fault *fault);
    /* Capacity that is enough to encode `size` bytes. O(1). */
    size_t (*bound)(size_t size);
    /* Bytes of work memory to encode `size` bytes; 0 if `size` is too large for the codec. O(1). */
    size_t (*encoder_bytes)(size_t size);
    /* Encodes with the settings of Blender and returns the size of the stream, 0 if it exceeds
       `capacity`. The same bytes always give the same stream. O(size). */
    size_t (*encode)(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity, void *work);
} codec;

extern const codec codec_lzo1x, codec_lzma1, codec_zstd;

#endif
