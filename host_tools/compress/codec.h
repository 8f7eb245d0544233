/* SPDX-License-Identifier: MIT
   host_tools/compress/codec.h - the codecs of point caches through one table.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  see lzo1x.h, lzma1.h, zstd.h
   after   own design: every codec has the same calls, and what it needs besides is bytes of properties and of work */
#ifndef TIDEPOOL_COMPRESS_CODEC_H
#define TIDEPOOL_COMPRESS_CODEC_H
#include "fault.h"

#define CODEC_PROPERTIES_MAX 5u

typedef struct codec {
    const char *name;
    uint32_t property_bytes;   /* that a file keeps beside the stream */
    const uint8_t *properties; /* those of what `encode` writes */
    /* The most bytes that a stream of `size` bytes can hold: ask before making room for a size that a file claims. O(1). */
    uint64_t (*decoded_max)(size_t size);
    /* Bytes of work memory for `decode`; 0 where it needs none, or refuses these properties anyway. O(1). */
    size_t (*decoder_bytes)(const uint8_t *properties);
    /* Decodes a whole stream, which must hold exactly out_size bytes. `out` must not overlap it, `work` is aligned as
       malloc does and holds anything. On false `fault` says which byte and why (at `size`: the properties), and `out` holds
       anything. Never touches a byte outside of the ranges. O(size + out_size). */
    bool (*decode)(const uint8_t *properties, const uint8_t *bytes, size_t size, uint8_t *out,
                   size_t out_size, void *work, compress_fault *fault);
    /* Room that suffices to encode `size` bytes. O(1). */
    size_t (*bound)(size_t size);
    /* Bytes of work memory to encode `size` bytes; 0 when they are too many for the codec. O(1). */
    size_t (*encoder_bytes)(size_t size);
    /* Encodes at the settings of Blender and returns the size of the stream, 0 when it does not fit into `room`; the same
       bytes always give the same stream. O(size). */
    size_t (*encode)(const uint8_t *bytes, size_t size, uint8_t *out, size_t room, void *work);
} codec;

extern const codec codec_lzo1x, codec_lzma1, codec_zstd;

#endif
