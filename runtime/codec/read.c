/* SPDX-License-Identifier: MIT
   runtime/codec/read.c - a tile's frames, one after the other.
   reads   a tile's bytes      writes  the reader
   memory  none                cost    see codec.h; 4 coders are independent of each other, so that their loads overlap
   after   own design; a coder's step is that of range asymmetric numeral systems (Duda, arXiv 1311.2540), its table
           look-up that of F. Giesen's public description */
#include "codec.h"

#define TILE_FRAME_BYTES_MAX (TPI_TILE_POINTS * (TPI_CODEC_ESCAPES + 1u)) /* of the coders, a component and frame */
#define TILE_FRAME_BITS_MAX  (TPI_TILE_POINTS * 28u)

const tpi_predictor tpi_predictors[TPI_PREDICTORS] = {
    {16, 0, 0, true}, {16, 4, 2, true},  {16, 8, 2, true}, {0, 0, 0, true},
    {8, 0, 0, true},  {12, 1, 32, true}, {16, 8, 8, true}, {0, 0, 0, false},
};

/* ---- the header ---- */

/* A number of at most 5 bytes, 7 bits in each, zigzag. */
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

static bool read_component(const uint8_t *tile, uint32_t size, uint32_t *at, tpi_tile_component *component)
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
    return component->mode <= TPI_TILE_RAW && word >> 31 == 0 && read_base(tile, size, at, &component->base);
}

static bool read_header(tpi_tile_header *header, const uint8_t *tile, uint32_t size)
{
    if (size < TPI_TILE_HEADER_BYTES) return false;
    header->points = tile[0] + 1u;
    header->frames = tile[1] + 1u;
    header->components = tile[2] & 15u;
    header->has_lives = tile[2] == (header->components | 16u);
    uint32_t bits = tile[3] | (uint32_t)tile[4] << 8 | (uint32_t)tile[5] << 16;
    header->raw_components = 0;
    if (header->points > TPI_TILE_POINTS || header->frames > TPI_TILE_FRAMES_MAX) return false;
    if (header->components < 1u || header->components > TPI_TILE_COMPONENTS || tile[2] > (16u | header->components))
        return false;
    if (!header->has_lives && tile[2] != header->components) return false;
    uint32_t at = TPI_TILE_HEADER_BYTES;
    for (uint32_t c = 0; c < header->components; c++) {
        if (!read_component(tile, size, &at, &header->component[c])) return false;
        header->raw_components += header->component[c].mode == TPI_TILE_RAW;
    }
    header->lives_at = at;
    header->raw_at = at + (header->has_lives ? 2u * header->points : 0u);
    uint32_t raw = 4u * header->raw_components * header->points * header->frames;
    header->bits_at = header->raw_at + raw + TPI_CODER_BYTES;
    header->stream_at = header->bits_at + bits;
    return header->stream_at <= size;
}

static bool read_lives(tpi_tile_reader *reader, const uint8_t *tile)
{
    const tpi_tile_header *header = &reader->header;
    for (uint32_t p = 0; p < header->points; p++) {
        reader->first[p] = header->has_lives ? tile[header->lives_at + p] : 0;
        reader->end[p] = header->has_lives ? tile[header->lives_at + header->points + p] : (uint8_t)header->frames;
        if (reader->first[p] > reader->end[p] || reader->end[p] > header->frames) return false;
    }
    return true;
}

/* 4 states of 20 bits, the lowest first. */
static bool read_coders(tpi_tile_reader *reader, const uint8_t *bytes)
{
    for (uint32_t k = 0; k < TPI_CODERS; k++) {
        const uint8_t *from = bytes + k / 2u * 5u + (k & 1u) * 2u;
        uint32_t word = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16;
        reader->coder[k] = (k & 1u ? word >> 4 : word) & 0xfffffu;
        if (reader->coder[k] < TPI_CODER_LOW) return false;
    }
    return true;
}

bool tpi_tile_open(tpi_tile_reader *reader, const uint8_t *tile, uint32_t size)
{
    memset(reader, 0, sizeof *reader);
    reader->is_damaged = true;
    reader->size = size;
    if (size > 0x1fffffffu || !read_header(&reader->header, tile, size) || !read_lives(reader, tile)) return false;
    if (!read_coders(reader, tile + reader->header.bits_at - TPI_CODER_BYTES)) return false;
    reader->at = reader->header.stream_at;
    reader->bit = 8u * reader->header.bits_at;
    for (uint32_t c = 0; c < reader->header.components; c++) {
        const tpi_tile_component *component = &reader->header.component[c];
        reader->chain[c] = (tpi_tile_chain){component->base, 0, component->start[0], component->start[1]};
    }
    reader->is_damaged = false;
    return true;
}

/* ---- symbols ---- */

/* The hot part of a reader: what the loops below keep in registers. */
typedef struct tile_flow {
    const uint8_t *tile;
    uint32_t at, at_end, bit, bit_end;
    uint32_t coder[TPI_CODERS];
    bool is_damaged;
} tile_flow;

/* The next step of a coder in `state`, and its symbol. `careful`: near the end of the stream, where a damaged tile would
   read on. */
TPI_INLINE uint32_t flow_step(tile_flow *flow, uint32_t lane, uint32_t state, uint32_t *symbol, bool careful)
{
    uint32_t coder = flow->coder[lane], slot = coder & 255u;
    *symbol = tpi_codec_slots[tpi_codec_tables[state]][slot];
    uint32_t step = tpi_codec_steps[state][*symbol];
    coder = (step & 255u) * (coder >> 8) + slot - (step >> 8 & 255u);
    if (coder < TPI_CODER_LOW) {
        if (careful && flow->at >= flow->at_end) flow->is_damaged = true, flow->at = flow->at_end - 1u;
        coder = coder << 8 | flow->tile[flow->at++];
    }
    flow->coder[lane] = coder;
    return step;
}

/* The plain bits are followed by the coders' stream: more of them than there are is found after the frame. */
TPI_INLINE uint32_t flow_bits(tile_flow *flow, uint32_t count, bool careful)
{
    uint32_t at = flow->bit >> 3, shift = flow->bit & 7u;
    uint64_t word = 0;
    if (careful)
        for (uint32_t k = 0; count && k < 5 && at + k < flow->at_end; k++) word |= (uint64_t)flow->tile[at + k] << (8u * k);
    else
        word = tpi_load_u64(flow->tile + at);
    flow->bit += count;
    return (uint32_t)(word >> shift) & ((1u << count) - 1u);
}

/* Reads on after an escape; returns the step that ended it. */
TPI_INLINE uint32_t flow_escape(tile_flow *flow, uint32_t lane, uint32_t step, uint32_t *symbol, bool careful)
{
    for (uint32_t k = 0; k < TPI_CODEC_ESCAPES && step >> 24 == TPI_STEP_ESCAPE; k++)
        step = flow_step(flow, lane, step >> 16 & 255u, symbol, careful);
    if (step >> 24 != TPI_STEP_ESCAPE) return step;
    flow->is_damaged = true;
    return step & 0xffffu;
}

/* The next residual of a component in `state`. `wide`: plain bits are expected, so that asking costs more than reading. */
TPI_INLINE int32_t flow_residual(tile_flow *flow, uint32_t lane, uint8_t *state, bool wide, bool careful)
{
    uint32_t symbol, step = flow_step(flow, lane, *state, &symbol, careful);
    if (wide ? TPI_UNLIKELY(symbol == TPI_CODEC_ESCAPE) : TPI_UNLIKELY(step >> 24))
        step = flow_escape(flow, lane, step, &symbol, careful);
    *state = (uint8_t)(step >> 16);
    uint32_t units = symbol - TPI_CODEC_ZERO, bits = step >> 24;
    if (wide || TPI_UNLIKELY(bits)) units = units << bits | flow_bits(flow, bits, careful);
    return (int32_t)units;
}

/* ---- a frame of one component ---- */

typedef struct tile_lane { /* one component of the reader */
    const tpi_tile_component *component;
    uint8_t *state;
    int32_t *place, *velocity, *acceleration;
} tile_lane;

/* All points live and have told their first places and velocities: residuals first, then all tracks at once. */
TPI_INLINE void frame_of_old_points(tile_flow *outer, const tile_lane *lane, uint32_t points, bool wide, bool careful)
{
    int32_t residual[TPI_TILE_POINTS];
    tile_flow here = *outer, *flow = &here; /* in registers: nothing else knows where it is */
    uint32_t whole = points & ~3u;
    for (uint32_t p = 0; p < whole; p += TPI_CODERS) {
        residual[p] = flow_residual(flow, 0, &lane->state[p], wide, careful);
        residual[p + 1] = flow_residual(flow, 1, &lane->state[p + 1], wide, careful);
        residual[p + 2] = flow_residual(flow, 2, &lane->state[p + 2], wide, careful);
        residual[p + 3] = flow_residual(flow, 3, &lane->state[p + 3], wide, careful);
    }
    for (uint32_t p = whole; p < points; p++)
        residual[p] = flow_residual(flow, p & 3u, &lane->state[p], wide, careful);
    *outer = here;
    const tpi_predictor predictor = tpi_predictors[lane->component->predictor];
    for (uint32_t p = 0; p < points; p++) {
        tpi_track track = {lane->place[p], lane->velocity[p], lane->acceleration[p]};
        tpi_track_move(&track, &predictor, residual[p]);
        lane->place[p] = track.place, lane->velocity[p] = track.velocity, lane->acceleration[p] = track.acceleration;
    }
}

/* A point's first place, then its first velocity. */
static void first_place(tile_flow *flow, const tile_lane *lane, tpi_tile_chain *chain, uint32_t p)
{
    uint32_t from = (uint32_t)(lane->component->along & 1u ? chain->place : lane->component->base);
    uint32_t residual = (uint32_t)flow_residual(flow, p & 3u, &chain->place_state, true, true);
    chain->place = lane->place[p] = (int32_t)(from + residual);
    lane->velocity[p] = lane->acceleration[p] = 0;
    lane->state[p] = lane->component->start[2];
}

static void first_velocity(tile_flow *flow, const tile_lane *lane, tpi_tile_chain *chain, uint32_t p)
{
    uint32_t from = lane->component->along & 2u ? (uint32_t)chain->velocity : 0u;
    uint32_t velocity = from + (uint32_t)flow_residual(flow, p & 3u, &chain->velocity_state, true, true);
    chain->velocity = (int32_t)velocity;
    lane->place[p] = (int32_t)((uint32_t)lane->place[p] + velocity);
    if (tpi_predictors[lane->component->predictor].is_moving) lane->velocity[p] = (int32_t)(16u * velocity);
}

static void frame_of_any_points(tpi_tile_reader *reader, tile_flow *flow, const tile_lane *lane, uint32_t c)
{
    for (uint32_t p = 0; p < reader->header.points; p++) {
        if (reader->frame < reader->first[p] || reader->frame >= reader->end[p]) continue;
        uint32_t age = reader->frame - reader->first[p];
        if (age == 0)
            first_place(flow, lane, &reader->chain[c], p);
        else if (lane->component->mode == TPI_TILE_CONSTANT)
            continue;
        else if (age == 1)
            first_velocity(flow, lane, &reader->chain[c], p);
        else {
            tpi_track track = {lane->place[p], lane->velocity[p], lane->acceleration[p]};
            tpi_track_move(&track, &tpi_predictors[lane->component->predictor],
                           flow_residual(flow, p & 3u, &lane->state[p], true, true));
            lane->place[p] = track.place, lane->velocity[p] = track.velocity;
            lane->acceleration[p] = track.acceleration;
        }
    }
}

static void frame_of_raw(tpi_tile_reader *reader, const uint8_t *tile, uint32_t c, uint32_t raw)
{
    const tpi_tile_header *header = &reader->header;
    uint32_t row = reader->frame * header->raw_components + raw;
    const uint8_t *from = tile + header->raw_at + 4u * row * header->points;
    for (uint32_t p = 0; p < header->points; p++, from += 4)
        reader->place[c][p] = (int32_t)tpi_load_u32(from);
}

static void frame_of_component(tpi_tile_reader *reader, tile_flow *flow, uint32_t c)
{
    tile_lane lane = {&reader->header.component[c], reader->state[c], reader->place[c], reader->velocity[c],
                      reader->acceleration[c]};
    uint32_t points = reader->header.points;
    if (reader->frame < 2u || reader->header.has_lives) {
        frame_of_any_points(reader, flow, &lane, c);
    } else if (lane.component->mode == TPI_TILE_CODED) {
        uint32_t before = flow->bit;
        bool is_near = flow->at_end - flow->at < TILE_FRAME_BYTES_MAX ||
                       flow->at_end - (flow->bit >> 3) < TILE_FRAME_BITS_MAX / 8u + 8u;
        if (is_near)
            frame_of_old_points(flow, &lane, points, true, true);
        else if (reader->is_wide[c])
            frame_of_old_points(flow, &lane, points, true, false);
        else
            frame_of_old_points(flow, &lane, points, false, false);
        reader->is_wide[c] = flow->bit - before > points / 2u;
    }
}

bool tpi_tile_read(tpi_tile_reader *reader, const uint8_t *tile)
{
    const tpi_tile_header *header = &reader->header;
    if (reader->is_damaged || reader->frame >= header->frames) return false;
    tile_flow flow = {tile, reader->at, reader->size, reader->bit, 8u * header->stream_at,
                      {reader->coder[0], reader->coder[1], reader->coder[2], reader->coder[3]}, false};
    for (uint32_t c = 0, raw = 0; c < header->components; c++) {
        if (header->component[c].mode == TPI_TILE_RAW)
            frame_of_raw(reader, tile, c, raw++);
        else
            frame_of_component(reader, &flow, c);
    }
    reader->at = flow.at;
    reader->bit = flow.bit;
    for (uint32_t k = 0; k < TPI_CODERS; k++) reader->coder[k] = flow.coder[k];
    reader->is_damaged = flow.is_damaged || flow.bit > flow.bit_end;
    reader->frame++;
    return !reader->is_damaged;
}

bool tpi_tile_is_whole(const tpi_tile_reader *reader)
{
    if (reader->is_damaged || reader->frame != reader->header.frames) return false;
    for (uint32_t k = 0; k < TPI_CODERS; k++)
        if (reader->coder[k] != TPI_CODER_LOW) return false;
    return reader->at == reader->size && (reader->bit + 7u) >> 3 == reader->header.stream_at;
}

void tpi_tile_words(const tpi_tile_reader *reader, uint32_t c, const tpi_lattice *lattice, bool is_float,
                    uint32_t *words)
{
    const tpi_tile_component *component = &reader->header.component[c];
    const int32_t *place = reader->place[c];
    uint32_t points = reader->header.points;
    if (component->mode == TPI_TILE_RAW || (component->is_exact && !is_float)) {
        for (uint32_t p = 0; p < points; p++) words[p] = (uint32_t)place[p];
    } else if (component->is_exact) {
        for (uint32_t p = 0; p < points; p++) words[p] = (uint32_t)tpi_ordered_bits(place[p]);
    } else {
        float step = tpi_lattice_step(lattice, component->fineness);
        for (uint32_t p = 0; p < points; p++) {
            float value = lattice->origin + step * (float)place[p];
            memcpy(&words[p], &value, sizeof value);
        }
    }
}
