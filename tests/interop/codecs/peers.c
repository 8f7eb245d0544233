/* SPDX-License-Identifier: MIT
   tests/interop/codecs/peers.c - liblzo2, liblzma and libzstd at many settings.
   reads   bytes      writes  memory of the caller
   memory  what the libraries use      cost  that of the libraries
   after   own design; the manuals of the three libraries */
#include "peers.h"
#include "compress/lzma1.h"
#include <lzma.h>
#include <lzo/lzo1x.h>
#include <stdlib.h>
#include <zstd.h>

/* ---- LZO1X: five compressors, one decompressor */

static const struct {
    lzo_compress_t compress;
    size_t work;
} light_settings[] = {{lzo1x_1_compress, LZO1X_1_MEM_COMPRESS},
                      {lzo1x_1_11_compress, LZO1X_1_11_MEM_COMPRESS},
                      {lzo1x_1_12_compress, LZO1X_1_12_MEM_COMPRESS},
                      {lzo1x_1_15_compress, LZO1X_1_15_MEM_COMPRESS},
                      {lzo1x_999_compress, LZO1X_999_MEM_COMPRESS}};

static size_t light_encode(int setting, const uint8_t *bytes, size_t size, uint8_t *out,
                           size_t room)
{
    static lzo_align_t work[LZO1X_999_MEM_COMPRESS / sizeof(lzo_align_t) + 1];
    lzo_uint made = room;
    if (light_settings[setting].work > sizeof work) return 0;
    return light_settings[setting].compress(bytes, size, out, &made, work) == LZO_E_OK ? made : 0;
}

static bool light_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    lzo_uint made = out_size;
    return lzo1x_decompress_safe(bytes, size, out, &made, NULL) == LZO_E_OK && made == out_size;
}

static void no_properties(int setting, uint8_t properties[CODEC_PROPERTIES_MAX])
{
    (void)setting;
    (void)properties;
}

/* ---- LZMA: Blender uses level 5 with 32 fast bytes and no end marker */

static const struct {
    uint32_t preset, lc, lp, pb, dictionary;
    bool end_marker;
} heavy_settings[] = {
    {5, 3, 0, 2, 1u << 24, false}, {0, 3, 0, 2, 1u << 18, true},
    {1, 0, 0, 0, 4096, false},     {3, 4, 0, 4, 1u << 16, true},
    {6, 0, 4, 1, 1u << 23, false}, {9 | LZMA_PRESET_EXTREME, 2, 2, 3, 1u << 22, true},
    {9, 1, 3, 0, 1u << 20, false}};

static void set_filters(int setting, lzma_filter filters[2], lzma_options_lzma *options,
                        size_t out_size)
{
    if (lzma_lzma_preset(options, heavy_settings[setting].preset)) exit(2);
    options->dict_size = heavy_settings[setting].dictionary;
    options->lc = heavy_settings[setting].lc;
    options->lp = heavy_settings[setting].lp;
    options->pb = heavy_settings[setting].pb;
    if (setting == 0) {
        options->mode = LZMA_MODE_NORMAL;
        options->mf = LZMA_MF_BT4;
        options->nice_len = 32;
        options->depth = 0;
    }
    options->ext_flags = 0;
    options->ext_size_low = (uint32_t)out_size;
    options->ext_size_high = (uint32_t)((uint64_t)out_size >> 32);
    filters[0].id = heavy_settings[setting].end_marker ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA1EXT;
    filters[0].options = options;
    filters[1].id = LZMA_VLI_UNKNOWN;
}

static size_t heavy_encode(int setting, const uint8_t *bytes, size_t size, uint8_t *out,
                           size_t room)
{
    lzma_options_lzma options;
    lzma_filter filters[2];
    size_t made = 0;
    set_filters(setting, filters, &options, size);
    return lzma_raw_buffer_encode(filters, NULL, bytes, size, out, &made, room) == LZMA_OK ? made
                                                                                           : 0;
}

static void heavy_properties(int setting, uint8_t properties[CODEC_PROPERTIES_MAX])
{
    lzma1_settings settings = {.lc = heavy_settings[setting].lc,
                               .lp = heavy_settings[setting].lp,
                               .pb = heavy_settings[setting].pb,
                               .dictionary = heavy_settings[setting].dictionary};
    lzma1_store_settings(&settings, properties);
}

static bool heavy_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    lzma_options_lzma options;
    lzma_filter filters[2];
    size_t taken = 0, made = 0;
    set_filters(0, filters, &options, out_size);
    return lzma_raw_buffer_decode(filters, NULL, bytes, &taken, size, out, &made, out_size) ==
               LZMA_OK &&
           made == out_size && taken == size;
}

/* ---- Zstandard: Blender uses level 3 */

static const struct {
    int level, has_size, has_checksum, window_log;
} frame_settings[] = {{3, 1, 0, 0}, {-50, 1, 0, 0}, {-5, 1, 1, 0},  {1, 0, 0, 0},
                      {5, 1, 0, 0}, {9, 0, 1, 10},  {15, 1, 0, 17}, {19, 1, 0, 0}};
static ZSTD_CCtx *frame_encoder;
static ZSTD_DCtx *frame_decoder;

static size_t frame_encode(int setting, const uint8_t *bytes, size_t size, uint8_t *out,
                           size_t room)
{
    ZSTD_CCtx_reset(frame_encoder, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(frame_encoder, ZSTD_c_compressionLevel, frame_settings[setting].level);
    ZSTD_CCtx_setParameter(frame_encoder, ZSTD_c_contentSizeFlag, frame_settings[setting].has_size);
    ZSTD_CCtx_setParameter(frame_encoder, ZSTD_c_checksumFlag,
                           frame_settings[setting].has_checksum);
    ZSTD_CCtx_setParameter(frame_encoder, ZSTD_c_windowLog, frame_settings[setting].window_log);
    size_t made = ZSTD_compress2(frame_encoder, out, room, bytes, size);
    return ZSTD_isError(made) ? 0 : made;
}

static bool frame_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    return ZSTD_decompressDCtx(frame_decoder, out, out_size, bytes, size) == out_size;
}

/* ---- all */

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

const peer peers[PEERS] = {{&codec_lzo1x, "liblzo2", 1.05, false, COUNT_OF(light_settings),
                            light_encode, no_properties, light_decode},
                           {&codec_lzma1, "liblzma", 1.10, false, COUNT_OF(heavy_settings),
                            heavy_encode, heavy_properties, heavy_decode},
                           {&codec_zstd, "libzstd", 1.10, true, COUNT_OF(frame_settings),
                            frame_encode, no_properties, frame_decode}};

bool peers_start(void)
{
    frame_encoder = ZSTD_createCCtx();
    frame_decoder = ZSTD_createDCtx();
    return frame_encoder && frame_decoder && lzo_init() == LZO_E_OK;
}

size_t peers_bound(const peer *p, size_t size)
{
    return p->ours->bound(size) + size / 8 +
           1024; /* lzo1x_999 and LZMA at unusual settings expand data more than ours */
}
