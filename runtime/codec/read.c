/* SPDX-License-Identifier: MIT
   runtime/codec/read.c - decoder: the header of a tile, and its frames in order.
   reads   a tile's bytes      writes  the reader
   memory  none                cost    see codec.h
   after   own design; frame.c decodes a frame, in vectors whose width is chosen here */
#include "codec.h"

TPI_DATA const tpi_predictor tpi_predictors[TPI_PREDICTORS] = {
    TPI_PREDICTOR_0, TPI_PREDICTOR_1, TPI_PREDICTOR_2, TPI_PREDICTOR_3,
    TPI_PREDICTOR_4, TPI_PREDICTOR_5, TPI_PREDICTOR_6, TPI_PREDICTOR_7,
};

TPI_DATA const uint8_t tpi_ballistic_gains[16] = {
    255, 255, 127, 84, 63, 50, 41, 35, 31, 27, 24, 22, 20, 18, 17, 16,
};

/* ---- the header ---- */

/* A zig-zag LEB128 number of at most 5 bytes. */
static bool read_base(const uint8_t *tile, uint32_t size, uint32_t *at, int32_t *base)
{
    uint32_t value = 0;
    for (uint32_t shift = 0; shift < 35u; shift += 7u) {
        if (*at >= size) return false;
        uint32_t byte = tile[(*at)++];
        value |= (byte & 127u) << shift;
        if (byte < 128u) {
            *base = (int32_t)((value >> 1) ^ (0u - (value & 1u)));
            return true;
        }
    }
    return false;
}

/* What a ballistic predictor has in addition. */
static bool read_ballistic(const uint8_t *tile, uint32_t size, uint32_t *at,
                           tpi_tile_component *component)
{
    int32_t drag;
    if (component->mode != TPI_TILE_BALLISTIC) return component->mode <= TPI_TILE_RAW;
    component->mode = TPI_TILE_CODED;
    component->predictor += TPI_BALLISTIC;
    if (component->predictor >= TPI_PREDICTORS_ALL || component->is_exact) return false;
    if (!read_base(tile, size, at, &component->acceleration) || !read_base(tile, size, at, &drag))
        return false;
    component->drag = (uint16_t)drag;
    return drag >= 0 && drag <= (int32_t)TPI_DRAG_MAX;
}

static bool read_component(const uint8_t *tile, uint32_t size, uint32_t *at,
                           tpi_tile_component *component)
{
    if (size - *at < 4u) return false;
    uint32_t word = tpi_load_u32(tile + *at);
    *at += 4u;
    component->mode = word & 3u;
    component->predictor = word >> 2 & 7u;
    component->fineness = word >> 5 & 3u;
    component->along = word >> 7 & 3u;
    for (uint32_t k = 0; k < 3; k++) component->start[k] = (uint8_t)(word >> (9u + 7u * k) & 127u);
    for (uint32_t k = 0; k < 3; k++)
        if (component->start[k] >= TPI_CODEC_STATES) return false;
    component->is_exact = word >> 30 & 1u;
    component->acceleration = 0, component->drag = 0;
    if (!read_base(tile, size, at, &component->base) || !read_ballistic(tile, size, at, component))
        return false;
    component->follows = component->second = 0;
    if (word >> 31 == 0) return true;
    if (*at >= size || tpi_is_ballistic(component)) return false;
    uint32_t leader = tile[(*at)++];
    component->follows = leader & 127u;
    if (leader < 128u) return leader > 0;
    if (*at >= size) return false;
    component->second = tile[(*at)++];
    return component->follows > 0 && component->second > 0 && component->second < TPI_TILE_POINTS;
}

static bool read_header(tpi_tile_header *header, const uint8_t *tile, uint32_t size)
{
    if (size < TPI_TILE_HEADER_BYTES) return false;
    header->points = tile[0] + 1u;
    header->frames = tile[1] + 1u;
    header->components = tile[2] & 15u;
    header->has_lives = tile[2] >> 4 & 1u;
    header->halvings = tile[2] >> 5;
    uint32_t bits = tile[3] | (uint32_t)tile[4] << 8 | (uint32_t)tile[5] << 16;
    header->raw_components = 0;
    if (header->points > TPI_TILE_POINTS || header->frames > TPI_TILE_FRAMES_MAX) return false;
    if (header->components < 1u || header->components > TPI_TILE_COMPONENTS) return false;
    if (header->halvings > TPI_CODERS_HALVED) return false;
    uint32_t at = TPI_TILE_HEADER_BYTES;
    for (uint32_t c = 0; c < header->components; c++) {
        if (!read_component(tile, size, &at, &header->component[c])) return false;
        if (header->has_lives && header->component[c].follows) return false;
        header->raw_components += header->component[c].mode == TPI_TILE_RAW;
    }
    header->lives_at = at;
    header->raw_at = at + (header->has_lives ? 2u * header->points : 0u);
    uint32_t raw = 4u * header->raw_components * header->points * header->frames;
    header->coders = tpi_tile_coders(header->points, header->halvings,
                                     header->raw_components == header->components);
    header->bits_at = header->raw_at + raw + 2u * header->coders;
    header->stream_at = header->bits_at + bits;
    return header->stream_at <= size;
}

static bool read_lives(tpi_tile_reader *reader, const uint8_t *tile)
{
    const tpi_tile_header *header = &reader->header;
    for (uint32_t p = 0; p < header->points; p++) {
        reader->first[p] = header->has_lives ? tile[header->lives_at + p] : 0;
        reader->end[p] = header->has_lives ? tile[header->lives_at + header->points + p]
                                           : (uint8_t)header->frames;
        if (reader->first[p] > reader->end[p] || reader->end[p] > header->frames) return false;
    }
    return true;
}

static bool read_coders(tpi_tile_reader *reader, const uint8_t *bytes)
{
    for (uint32_t k = 0; k < TPI_CODERS; k++) {
        bool has_points = k < reader->header.coders;
        uint32_t word =
            has_points ? bytes[2u * k] | (uint32_t)bytes[2u * k + 1u] << 8 : TPI_CODER_LOW;
        reader->coder[k] = (uint16_t)word;
        if (reader->coder[k] < TPI_CODER_LOW) return false;
    }
    return true;
}

bool tpi_tile_open(tpi_tile_reader *reader, const uint8_t *tile, uint32_t size)
{
    tpi_memset(reader, 0, sizeof *reader);
    reader->is_damaged = true;
    reader->size = size;
    if (size > 0x1fffffffu || !read_header(&reader->header, tile, size) ||
        !read_lives(reader, tile))
        return false;
    if (!read_coders(reader, tile + reader->header.bits_at - 2u * reader->header.coders))
        return false;
    reader->at = reader->header.stream_at;
    reader->bit = 8u * reader->header.bits_at;
    for (uint32_t c = 0; c < reader->header.components; c++) {
        const tpi_tile_component *component = &reader->header.component[c];
        reader->chain[c] =
            (tpi_tile_chain){component->base, 0, tpi_codec_states[component->start[0]],
                             tpi_codec_states[component->start[1]]};
    }
    reader->is_damaged = false;
    return true;
}

/* ---- the frames ---- */

/* Asks for the width at each frame: a reader in a block may have moved to another machine. */
bool tpi_tile_read_keys(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys)
{
#if TIDEPOOL_DISPATCH
    uint32_t lanes = tp_lanes();
#if TP_LANES_MAX >= 16
    if (TPI_LANES < 16 && lanes == 16) return tpi_tile_frame_16(reader, tile, keys);
#endif
#if TPI_LANES < 8
    if (lanes == 8) return tpi_tile_frame_8(reader, tile, keys);
#endif
#endif
    return tpi_tile_frame(reader, tile, keys);
}

bool tpi_tile_is_whole(const tpi_tile_reader *reader)
{
    if (reader->is_damaged || reader->frame != reader->header.frames) return false;
    for (uint32_t k = 0; k < TPI_CODERS; k++)
        if (reader->coder[k] != TPI_CODER_LOW) return false;
    return reader->at == reader->size && (reader->bit + 7u) >> 3 == reader->header.stream_at;
}

void tpi_tile_words(const tpi_tile_reader *reader, uint32_t c, const tpi_lattice *lattice,
                    bool is_float, uint32_t *words)
{
    const tpi_tile_component *component = &reader->header.component[c];
    const int32_t *position = reader->position[c];
    uint32_t points = reader->header.points;
    if (component->mode == TPI_TILE_RAW || (component->is_exact && !is_float)) {
        for (uint32_t p = 0; p < points; p++) words[p] = (uint32_t)position[p];
    } else if (component->is_exact) {
        for (uint32_t p = 0; p < points; p++) words[p] = (uint32_t)tpi_ordered_bits(position[p]);
    } else {
        float step = tpi_lattice_step(lattice, component->fineness);
        for (uint32_t p = 0; p < points; p++) {
            float value = lattice->origin + step * (float)position[p];
            tpi_memcpy(&words[p], &value, sizeof value);
        }
    }
}
