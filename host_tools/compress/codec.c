/* SPDX-License-Identifier: MIT
   host_tools/compress/codec.c - table of the codecs of point caches.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  that of the codecs
   after   own design */
#include "codec.h"
#include "lzma1.h"
#include "lzo1x.h"
#include "zstd.h"

/* ---- LZO1X */

static size_t light_decoder_bytes(const uint8_t *properties)
{
    (void)properties;
    return 0;
}

static bool light_decode(const uint8_t *properties, const uint8_t *bytes, size_t size, uint8_t *out,
                         size_t out_size, void *work, compress_fault *fault)
{
    (void)properties;
    (void)work;
    return lzo1x_decode(bytes, size, out, out_size, fault);
}

static size_t light_encoder_bytes(size_t size)
{
    (void)size;
    return LZO1X_DICTIONARY * sizeof(uint16_t);
}

static size_t light_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                           void *work)
{
    return lzo1x_encode(bytes, size, out, capacity, work);
}

const codec codec_lzo1x = {"lzo1x",
                           0,
                           NULL,
                           lzo1x_decoded_max,
                           light_decoder_bytes,
                           light_decode,
                           lzo1x_bound,
                           light_encoder_bytes,
                           light_encode};

/* ---- LZMA */

/* of lzma1_blender() */
static const uint8_t heavy_properties[LZMA1_PROPERTY_BYTES] = {0x5d, 0, 0, 0, 1};

static size_t heavy_decoder_bytes(const uint8_t *properties)
{
    lzma1_settings settings;
    compress_fault fault;
    return lzma1_load_settings(properties, &settings, &fault) ? lzma1_decoder_bytes(&settings) : 0;
}

static bool heavy_decode(const uint8_t *properties, const uint8_t *bytes, size_t size, uint8_t *out,
                         size_t out_size, void *work, compress_fault *fault)
{
    lzma1_settings settings;
    if (lzma1_load_settings(properties, &settings, fault))
        return lzma1_decode(&settings, bytes, size, out, out_size, work, fault);
    fault->at = size;
    return false;
}

static size_t heavy_encoder_bytes(size_t size)
{
    lzma1_settings settings = lzma1_blender();
    return lzma1_encoder_bytes(&settings, size);
}

static size_t heavy_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                           void *work)
{
    lzma1_settings settings = lzma1_blender();
    return lzma1_encode(&settings, bytes, size, out, capacity, work);
}

const codec codec_lzma1 = {"lzma1",           LZMA1_PROPERTY_BYTES, heavy_properties,
                           lzma1_decoded_max, heavy_decoder_bytes,  heavy_decode,
                           lzma1_bound,       heavy_encoder_bytes,  heavy_encode};

/* ---- Zstandard */

static size_t frame_decoder_bytes(const uint8_t *properties)
{
    (void)properties;
    return zstd_decoder_bytes();
}

static bool frame_decode(const uint8_t *properties, const uint8_t *bytes, size_t size, uint8_t *out,
                         size_t out_size, void *work, compress_fault *fault)
{
    (void)properties;
    return zstd_decode(bytes, size, out, out_size, work, fault);
}

static size_t frame_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                           void *work)
{
    return zstd_encode(bytes, size, out, capacity, false, work);
}

const codec codec_zstd = {"zstd",
                          0,
                          NULL,
                          zstd_decoded_max,
                          frame_decoder_bytes,
                          frame_decode,
                          zstd_bound,
                          zstd_encoder_bytes,
                          frame_encode};
