/* SPDX-License-Identifier: MIT
   runtime/codec/frame.c - decoder: one frame of a tile.
   reads   a tile's bytes      writes  the reader
   memory  none                cost    see codec.h; independent coders are decoded in vectors
   after   own design; the coders are range asymmetric numeral systems (rANS; Duda, arXiv
           1311.2540), with the table look-up of F. Giesen's public description. Compiled once per
           width of vectors: see widths.h */
#include "codec.h"

/* ---- symbols ---- */

/* Vectors of at least so many lanes decode points together; with narrower ones, which gather lane
   by lane, scalar code is faster. With vectors, lists of points hold words, which vectors write. */
#define IN_LANES 8
#if TPI_LANES >= IN_LANES
typedef uint32_t tile_point, tile_coder;
#else
typedef uint8_t tile_point;
typedef uint16_t tile_coder; /* as in the reader */
#endif

/* The hot part of a reader, kept in registers by the loops below. */
typedef struct tile_flow {
    const uint8_t *stream;      /* next byte */
    const uint8_t *begin, *end; /* begin: the byte at reader->at; end: of what may be read */
    uint32_t last;              /* mask: point p uses coder p & last */
    tile_coder coder[TPI_CODERS];
    uint8_t rest[TPI_TILE_POINTS];
} tile_flow;

/* Advances the reader to the flow's next byte. */
static void flow_advance(tpi_tile_reader *reader, tile_flow *flow)
{
    reader->at += (uint32_t)(flow->stream - flow->begin);
    flow->begin = flow->stream;
}

/* Makes at least `bytes` bytes of the coders' stream readable, at most TPI_TILE_POINTS. At the end
   of the tile these are a copy, padded with zeros; an intact tile does not use the padding. */
static void flow_reserve(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                         uint32_t bytes)
{
    if (TPI_LIKELY((uint32_t)(flow->end - flow->stream) >= bytes)) return;
    flow_advance(reader, flow);
    uint32_t at = tpi_min_u32(reader->at, reader->size),
             left = tpi_min_u32(reader->size - at, bytes);
    tpi_memcpy(flow->rest, tile + at, left);
    tpi_memset(flow->rest + left, 0, bytes - left);
    flow->begin = flow->stream = flow->rest;
    flow->end = flow->rest + bytes;
}

/* rANS decoding step: the coder's next symbol in `state`, and the coder's value before
   renormalisation (*left). Returns the symbol's step. */
TPI_INLINE uint32_t coder_find(uint32_t coder, uint32_t state, uint32_t *symbol, uint32_t *left)
{
    const uint8_t *slot = tpi_codec_slots + 2u * (TPI_STATE_TABLE(state) << 8 | (coder & 255u));
    uint32_t step = tpi_codec_steps[TPI_STATE_ROW(state) + slot[1]];
    *left = TPI_STEP_SHARE(step) * (coder >> 8) + slot[0];
    *symbol = slot[1];
    return step;
}

/* rANS renormalisation: appends a byte to the coder if the mask `low` is set. */
TPI_INLINE uint32_t coder_fill(uint32_t coder, uint32_t byte, uint32_t low)
{
    return coder ^ ((coder ^ (coder << 8 | byte)) & low);
}

/* Decodes the next symbol of a coder in `state`; returns its step. Renormalises without a branch,
   which would be mispredicted too often. */
TPI_INLINE uint32_t coder_step(tile_coder *coder, const uint8_t **stream, uint32_t state,
                               uint32_t *symbol)
{
    uint32_t left, step = coder_find(*coder, state, symbol, &left);
    intptr_t low = ((intptr_t)left - (intptr_t)TPI_CODER_LOW) >> 31; /* -1 or 0 */
    *coder = (tile_coder)coder_fill(left, **stream, (uint32_t)low);
    *stream -= low;
    return step;
}

/* Decodes all symbols of a residual: its quotient by the unit. Returns the last symbol's step. */
TPI_INLINE uint32_t flow_units(tile_flow *flow, uint32_t lane, uint16_t *state, int32_t *units)
{
    uint32_t symbol, step = coder_step(&flow->coder[lane], &flow->stream, *state, &symbol);
    for (uint32_t k = 0; TPI_UNLIKELY(symbol == TPI_CODEC_ESCAPE) && k < TPI_CODEC_ESCAPES; k++)
        step = coder_step(&flow->coder[lane], &flow->stream, TPI_STEP_STATE(step), &symbol);
    *state = TPI_STEP_STATE(step);
    *units = (int32_t)(symbol - TPI_CODEC_ZERO);
    return step;
}

/* Appends the lowest `bits` bits of the word to the quotient. */
TPI_INLINE int32_t with_bits(int32_t units, uint64_t word, uint32_t bits)
{
    return (int32_t)((uint32_t)units << bits | ((uint32_t)word & ((1u << bits) - 1u)));
}

/* Appends raw bits to the quotients of the `count` points in `which`; their steps hold the numbers
   of bits. Begins at bit `bit` of `bytes`; returns the next bit. The caller guarantees 4 bytes per
   residual and 8 more: no bounds check. */
TPI_INLINE uint32_t add_bits_unchecked(const uint8_t *bytes, uint32_t bit, const uint32_t *steps,
                                       int32_t *units, const tile_point *which, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the first `count` are listed */
        uint32_t p = which[k], bits = TPI_STEP_BITS(steps[p]);
        units[p] = with_bits(units[p], tpi_load_u64(bytes + (bit >> 3)) >> (bit & 7u), bits);
        bit += bits;
    }
    return bit;
}

/* Loads raw bits at `bit`; reads no byte beyond the tile. */
static uint64_t load_bits(const tpi_tile_reader *reader, const uint8_t *tile, uint32_t bit)
{
    uint64_t word = 0;
    uint32_t at = bit >> 3;
    for (uint32_t k = 0; k < 5u && at + k < reader->size; k++)
        word |= (uint64_t)tile[at + k] << (8u * k);
    return word >> (bit & 7u);
}

/* The bits of steps with bounds checks, for the end of the tile. */
static uint32_t add_bits_checked(const tpi_tile_reader *reader, const uint8_t *tile,
                                 const uint32_t *steps, int32_t *units, const tile_point *which,
                                 uint32_t count)
{
    uint32_t bit = reader->bit;
    for (uint32_t k = 0; k < count; k++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the first `count` are listed */
        uint32_t p = which[k], bits = TPI_STEP_BITS(steps[p]);
        units[p] = with_bits(units[p], load_bits(reader, tile, bit), bits);
        bit += bits;
    }
    return bit;
}

static void add_bits(tpi_tile_reader *reader, const uint8_t *tile, const uint32_t *steps,
                     int32_t *units, const tile_point *which, uint32_t count)
{
    uint32_t at = reader->bit >> 3;
    if (at + count * 4u + 8u > reader->size)
        reader->bit = add_bits_checked(reader, tile, steps, units, which, count);
    else
        reader->bit =
            8u * at + add_bits_unchecked(tile + at, reader->bit & 7u, steps, units, which, count);
    /* the raw bits would extend into the coders' stream */
    if (reader->bit > 8u * reader->header.stream_at) reader->is_damaged = true;
}

/* Sets of 64 points, one bit each. A branch per vector would be mispredicted often: few points have
   an escape or raw bits. So vectors only mark such points, and one loop per set lists them. */
#define MARKS 64u
TPI_INLINE uint64_t mark_lanes(uint32_t p, tpi_lane_mask mask)
{
    return (uint64_t)tpi_lanes_bits(mask) << p % MARKS;
}

/* Lists the marked points of the set that begins at point p; returns their number. */
TPI_INLINE uint32_t list_marked(uint32_t p, uint64_t set, tile_point *list)
{
    uint32_t some = 0;
#if TPI_LANES >= IN_LANES
    for (; set; set &= set - 1u) list[some++] = p + (uint32_t)__builtin_ctzll(set);
#else
    (void)p, (void)set, (void)list;
#endif
    return some;
}

/* True if the set has so many of `count` points that vectors are faster than a list. */
TPI_INLINE bool marks_many(uint64_t set, uint32_t count)
{
#if TPI_LANES >= IN_LANES
    return (uint32_t)__builtin_popcountll(set) * 4u > count;
#else
    return set != 0 && count != 0;
#endif
}

/* add_bits of the TPI_LANES points from p on, if many points have raw bits. */
TPI_INLINE void add_bits_in_lanes(tpi_tile_reader *reader, const uint8_t *tile,
                                  const uint32_t *steps, int32_t *units, uint32_t p)
{
    tile_point asking[TPI_LANES];
    uint32_t some = 0;
#if defined(TPI_LANES_DEAL)
    tpi_lane_ints bits, widths = tpi_lane_ints_load(steps + p) >> 8 & tpi_lane_ints_of(31);
    if ((reader->bit >> 3) + 16u <= reader->size &&
        tpi_lanes_deal(tile, &reader->bit, widths, &bits)) {
        tpi_lane_words whole = (tpi_lane_words)tpi_lane_ints_load(units + p)
                               << (tpi_lane_words)widths;
        tpi_lane_ints_store(units + p, (tpi_lane_ints)whole | bits);
        return;
    }
#endif
    for (uint32_t k = p; k < p + TPI_LANES; k++)
        asking[some] = (tile_point)k, some += TPI_STEP_BITS(steps[k]) != 0;
    add_bits(reader, tile, steps, units, asking, some);
}

/* add_bits of the points from p on, at most MARKS, a multiple of TPI_LANES. */
TPI_INLINE void add_bits_of_lanes(tpi_tile_reader *reader, const uint8_t *tile,
                                  const uint32_t *steps, int32_t *units, uint32_t p, uint32_t count)
{
    tile_point asking[MARKS];
    uint64_t set = 0;
    for (uint32_t k = p; k < p + count; k += TPI_LANES) {
        tpi_lane_ints widths = tpi_lane_ints_load(steps + k) & tpi_lane_ints_of(31 << 8);
        set |= mark_lanes(k, tpi_lane_ints_less(tpi_lane_ints_of(0), widths));
    }
    if (!marks_many(set, count))
        add_bits(reader, tile, steps, units, asking, list_marked(p, set, asking));
    else
        for (uint32_t k = p; k < p + count; k += TPI_LANES)
            add_bits_in_lanes(reader, tile, steps, units, k);
}

/* add_bits of all points of a frame. */
static void add_bits_of_points(tpi_tile_reader *reader, const uint8_t *tile, const uint32_t *steps,
                               int32_t *units, uint32_t points)
{
    tile_point asking[TPI_TILE_POINTS];
    uint32_t some = 0, p = 0;
    for (uint32_t count; TPI_LANES >= IN_LANES && p + TPI_LANES <= points; p += count) {
        count = tpi_min_u32((points - p) & ~(TPI_LANES - 1u), MARKS);
        add_bits_of_lanes(reader, tile, steps, units, p, count);
    }
    for (; p < points; p++) asking[some] = (tile_point)p, some += TPI_STEP_BITS(steps[p]) != 0;
    add_bits(reader, tile, steps, units, asking, some); /* also checks for damage if some == 0 */
}

/* ---- a frame of one component ---- */

typedef struct tile_lane { /* one component of the reader */
    const tpi_tile_component *component;
    uint16_t *state;
    int32_t *position, *velocity, *acceleration;
    uint8_t *keys; /* null: not requested */
} tile_lane;

/* Threshold beyond which a residual is a key (see codec.h), in lattice spacings: a spacing is
   (8 - 2 * fineness) quarters of the error bound. */
TPI_INLINE int32_t key_beyond(const tpi_tile_component *component)
{
    return (component->follows ? 24 : 8) / (8 - 2 * (int32_t)component->fineness);
}
TPI_INLINE uint8_t key_of(int32_t residual, int32_t beyond)
{
    return (uint32_t)residual + (uint32_t)beyond > 2u * (uint32_t)beyond;
}

/* A loop of its own, so that compilers vectorise it. */
static void mark_keys(const tile_lane *lane, const int32_t *restrict residual, uint32_t points)
{
    uint8_t *restrict keys = lane->keys;
    int32_t beyond = key_beyond(lane->component);
    for (uint32_t p = 0; p < points; p++) keys[p] |= key_of(residual[p], beyond);
}

/* A loop of its own, so that compilers vectorise it. */
TPI_INLINE void move_tracks_by(const tile_lane *lane, tpi_predictor how,
                               const int32_t *restrict residual, uint32_t points)
{
    int32_t *restrict position = lane->position, *restrict velocity = lane->velocity,
                      *restrict acceleration = lane->acceleration;
    for (uint32_t p = 0; p < points; p++) {
        tpi_track track = {position[p], velocity[p], acceleration[p]};
        tpi_track_move(&track, &how, residual[p]);
        position[p] = track.position, velocity[p] = track.velocity,
        acceleration[p] = track.acceleration;
    }
}

/* Advances a point that has a residual, or had one in the frame before. */
static void ballistic_told(const tile_lane *lane, const tpi_ballistic *by, uint32_t p,
                           int32_t residual)
{
    tpi_track track = {lane->position[p], lane->velocity[p], lane->acceleration[p]};
    bool told = track.acceleration >= TPI_BALLISTIC_TOLD;
    if (tpi_ballistic_calms(by->teleports, told, residual))
        lane->state[p] = tpi_codec_states[lane->component->start[2]];
    tpi_ballistic_move(&track, by, residual);
    lane->position[p] = track.position, lane->velocity[p] = track.velocity,
    lane->acceleration[p] = track.acceleration;
}

/* Advances one point: tpi_ballistic_move in the order that is fast without a residual. */
TPI_INLINE void ballistic_of_one(const tile_lane *lane, const tpi_ballistic *by, uint32_t p,
                                 int32_t residual)
{
    uint32_t rest = (uint32_t)lane->acceleration[p], velocity = (uint32_t)lane->velocity[p];
    if (TPI_UNLIKELY(residual != 0 || rest >= TPI_BALLISTIC_TOLD)) {
        ballistic_told(lane, by, p, residual);
        return;
    }
    if (rest < TPI_BALLISTIC_SINCE) return; /* the point rests: its velocity is 0 */
    velocity += (uint32_t)by->gained;
    if (by->drag)
        velocity -= (uint32_t)tpi_shift_down(
            (int32_t)((uint32_t)lane->velocity[p] * (uint32_t)by->drag + 32768u), 16);
    uint32_t sum = (rest & TPI_BALLISTIC_PLACE) + velocity;
    if (rest < 15u * TPI_BALLISTIC_SINCE) rest += TPI_BALLISTIC_SINCE;
    lane->position[p] =
        (int32_t)((uint32_t)lane->position[p] + (uint32_t)tpi_shift_down((int32_t)sum, 8));
    lane->velocity[p] = (int32_t)velocity;
    lane->acceleration[p] =
        (int32_t)((rest & ~(uint32_t)TPI_BALLISTIC_PLACE) | (sum & TPI_BALLISTIC_PLACE));
}

/* Vectors of tpi_ballistic_move: what is gained by acceleration and drag. */
TPI_INLINE tpi_lane_ints ballistic_gained(const tpi_ballistic *by, tpi_lane_ints velocity)
{
    tpi_lane_words gained = (tpi_lane_words)tpi_lane_ints_of(by->gained);
    if (!by->drag) return (tpi_lane_ints)gained;
    tpi_lane_ints lost = tpi_lane_ints_add(tpi_lane_ints_times_same(velocity, (uint32_t)by->drag),
                                           tpi_lane_ints_of(32768));
    return (tpi_lane_ints)(gained - (tpi_lane_words)(lost >> 16));
}

/* TPI_LANES points before their residuals. No code below branches on residuals: of so many points
   one often has a residual, and often none has, so that branches would be mispredicted. */
typedef struct ballistic_lanes {
    tpi_lane_ints residual, rest; /* rest: the acceleration */
    tpi_lane_ints since;          /* times TPI_BALLISTIC_SINCE */
    tpi_lane_mask is_zero, is_shock, jumps, rests;
} ballistic_lanes;

TPI_INLINE ballistic_lanes ballistic_load(const tile_lane *lane, bool teleports,
                                          const int32_t *residuals, uint32_t p)
{
    const tpi_lane_ints zero = tpi_lane_ints_of(0);
    ballistic_lanes of;
    of.residual = tpi_lane_ints_load(residuals + p);
    of.rest = tpi_lane_ints_load(lane->acceleration + p);
    of.since = of.rest & tpi_lane_ints_of(15 * TPI_BALLISTIC_SINCE);
    of.is_zero = tpi_lane_ints_equal(of.residual, zero);
    of.is_shock = tpi_lanes_or(tpi_lane_ints_less(tpi_lane_ints_of(2), of.residual),
                               tpi_lane_ints_less(of.residual, tpi_lane_ints_of(-2)));
    of.jumps = of.is_shock;
    if (teleports)
        of.jumps = tpi_lanes_and(
            of.is_shock, tpi_lane_ints_less(tpi_lane_ints_of(TPI_BALLISTIC_SINCE), of.since));
    of.rests = tpi_lane_ints_equal(of.since, zero);
    return of;
}

/* Vectors of tpi_ballistic_gain. */
TPI_INLINE tpi_lane_ints ballistic_gain(const ballistic_lanes *of)
{
    tpi_lane_ints frames = of->since >> 8;
#if defined(TPI_LANES_SHUFFLE)
    return tpi_lane_ints_look_up(tpi_ballistic_gains, frames) + tpi_lane_ints_of(1);
#else
    /* exact: no quotient that is not an integer is near one */
    frames = tpi_lane_ints_count(frames, of->rests);
    return tpi_lanes_truncate(tpi_lanes_of(256.0f) / tpi_lanes_from_ints(frames));
#endif
}

/* What residuals add to the velocity. */
TPI_INLINE tpi_lane_ints ballistic_added(const ballistic_lanes *of, bool teleports)
{
    const tpi_lane_ints drift = tpi_lane_ints_times_short(ballistic_gain(of), of->residual),
                        added = tpi_lane_ints_select(of->is_shock, of->residual << 8, drift);
    return teleports ? tpi_lane_ints_unless(of->jumps, added) : added;
}

/* The acceleration after this frame, without the position's bits. */
TPI_INLINE tpi_lane_ints ballistic_later(const ballistic_lanes *of, bool teleports)
{
    const tpi_lane_ints one = tpi_lane_ints_of(TPI_BALLISTIC_SINCE),
                        most = tpi_lane_ints_of(15 * TPI_BALLISTIC_SINCE);
    tpi_lane_mask ends = tpi_lanes_or(of->rests, tpi_lane_ints_equal(of->since, most));
    tpi_lane_ints later = of->since + tpi_lane_ints_unless(ends, one), after = one;
    if (teleports) after = tpi_lane_ints_select(of->jumps, of->since >> 1 & most, one);
    after = after | tpi_lane_ints_of(TPI_BALLISTIC_TOLD);
    return tpi_lane_ints_select(of->is_zero, later, after);
}

/* Stores a number of 16 bits in the lanes of the mask. */
TPI_INLINE void put_pairs(uint16_t *to, tpi_lane_mask mask, uint16_t value)
{
#if defined(TPI_LANES_AVX512)
    const __m256i old = _mm256_loadu_si256((const __m256i *)(const void *)to);
    const __m512i lanes =
        _mm512_mask_mov_epi32(_mm512_cvtepu16_epi32(old), mask, _mm512_set1_epi32((int32_t)value));
    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16(lanes));
#elif defined(TPI_LANES_AVX2)
    const __m128i pairs = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)mask),
                                          _mm256_extracti128_si256((__m256i)mask, 1)),
                  old = _mm_loadu_si128((const __m128i *)(const void *)to);
    _mm_storeu_si128((__m128i *)(void *)to,
                     _mm_blendv_epi8(old, _mm_set1_epi16((int16_t)value), pairs));
#elif defined(TPI_LANES_SSE2)
    const __m128i pairs = _mm_packs_epi32((__m128i)mask, (__m128i)mask),
                  old = _mm_loadl_epi64((const __m128i *)(const void *)to),
                  own = _mm_and_si128(pairs, _mm_set1_epi16((int16_t)value));
    _mm_storel_epi64((__m128i *)(void *)to, _mm_or_si128(own, _mm_andnot_si128(pairs, old)));
#else
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++)
        to[k] ^= (uint16_t)((to[k] ^ value) & (uint32_t)TPI_LANE(mask, k));
#endif
}

/* Gives the coders of points whose residuals calm down the state `calm`. */
TPI_INLINE void ballistic_calm(uint16_t *states, const ballistic_lanes *of, bool teleports,
                               uint16_t calm)
{
    tpi_lane_mask told = tpi_lane_ints_less(of->rest << (32 - TPI_BALLISTIC_BITS),
                                            tpi_lane_ints_of(0)),
                  calms = tpi_lanes_and(of->is_zero, told);
    if (teleports) calms = tpi_lanes_or(calms, of->is_shock);
    put_pairs(states, calms, calm);
}

/* Advances TPI_LANES points from p on. `calm`: the state of a new point. */
TPI_INLINE void ballistic_in_lanes(const tile_lane *lane, const tpi_ballistic *by, bool teleports,
                                   uint16_t calm, const int32_t *residuals, uint32_t p)
{
    const tpi_lane_ints place = tpi_lane_ints_of(TPI_BALLISTIC_PLACE);
    const ballistic_lanes of = ballistic_load(lane, teleports, residuals, p);
    tpi_lane_ints velocity = tpi_lane_ints_load(lane->velocity + p);
    velocity =
        tpi_lane_ints_add(velocity, tpi_lane_ints_unless(of.rests, ballistic_gained(by, velocity)));
    tpi_lane_ints sum = tpi_lane_ints_add(of.rest & place, velocity),
                  moved = tpi_lane_ints_add(sum >> 8, of.residual),
                  later = ballistic_later(&of, teleports) | (sum & place),
                  position = tpi_lane_ints_load(lane->position + p);
    tpi_lane_mask stops =
        tpi_lanes_and(tpi_lanes_not(of.is_zero), tpi_lane_ints_equal(moved, tpi_lane_ints_of(0)));
    velocity = tpi_lane_ints_add(velocity, ballistic_added(&of, teleports));
    tpi_lane_ints_store(lane->position + p, tpi_lane_ints_add(position, moved));
    tpi_lane_ints_store(lane->velocity + p, tpi_lane_ints_unless(stops, velocity));
    tpi_lane_ints_store(lane->acceleration + p,
                        tpi_lane_ints_select(stops, tpi_lane_ints_of(by->stopped), later));
    ballistic_calm(lane->state + p, &of, teleports, calm);
}

/* Advances vectors of points; returns the first that is left. */
TPI_INLINE uint32_t move_ballistic_lanes(const tile_lane *lane, const tpi_ballistic *by,
                                         bool teleports, const int32_t *residual, uint32_t points)
{
    const tpi_ballistic own = *by; /* no store changes it */
    const uint16_t calm = tpi_codec_states[lane->component->start[2]];
    uint32_t p = 0;
    for (; p + TPI_LANES <= points; p += TPI_LANES)
        ballistic_in_lanes(lane, &own, teleports, calm, residual, p);
    return p;
}

static void move_ballistic(const tile_lane *lane, uint32_t frame, const int32_t *residual,
                           uint32_t points)
{
    const tpi_ballistic by = tpi_ballistic_of(lane->component, frame);
    uint32_t p = 0;
    if (TPI_LANES >= 4)
        p = by.teleports ? move_ballistic_lanes(lane, &by, true, residual, points)
                         : move_ballistic_lanes(lane, &by, false, residual, points);
    for (; p < points; p++) ballistic_of_one(lane, &by, p, residual[p]);
}

/* One loop per predictor, so that products with constant gains compile to shifts. */
static void move_tracks(const tile_lane *lane, uint32_t frame, const int32_t *residual,
                        uint32_t points)
{
    switch (lane->component->predictor) {
    case TPI_BALLISTIC:
    case TPI_TELEPORTING: move_ballistic(lane, frame, residual, points); break;
    case 0: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_0, residual, points); break;
    case 1: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_1, residual, points); break;
    case 2: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_2, residual, points); break;
    case 3: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_3, residual, points); break;
    case 4: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_4, residual, points); break;
    case 5: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_5, residual, points); break;
    case 6: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_6, residual, points); break;
    default: move_tracks_by(lane, (tpi_predictor)TPI_PREDICTOR_7, residual, points); break;
    }
}

/* Decodes one symbol of TPI_LANES points from p on with a vector of coders. Returns the marks of
   those with an escape. */
TPI_INLINE uint64_t step_vector(tile_coder *coders, const uint8_t **stream, const uint16_t *state,
                                uint32_t p, uint32_t *steps, int32_t *units)
{
    const tpi_lane_ints share = tpi_lane_ints_of(255);
    tpi_lane_ints states = tpi_lane_ints_load_pairs(state + p), coder = tpi_lane_ints_load(coders);
    tpi_lane_ints slot =
        tpi_lane_ints_gather_pairs(tpi_codec_slots, (states >> 11 << 8) | (coder & share));
    tpi_lane_ints symbol = slot >> 8;
    tpi_lane_ints step =
        tpi_lane_ints_gather(tpi_codec_steps, (states & tpi_lane_ints_of(2047)) + symbol);
    coder = tpi_lane_ints_times_short(step & share, coder >> 8) + (slot & share);
    tpi_lane_mask low = tpi_lane_ints_less(coder, tpi_lane_ints_of((int32_t)TPI_CODER_LOW));
    tpi_lane_ints fuller = coder << 8 | tpi_lanes_expand_bytes(*stream, low);
    *stream += tpi_lanes_count(low);
    tpi_lane_ints_store(coders, tpi_lane_ints_select(low, fuller, coder));
    tpi_lane_ints_store(steps + p, step);
    tpi_lane_ints_store(units + p, symbol - tpi_lane_ints_of((int32_t)TPI_CODEC_ZERO));
    return mark_lanes(p, tpi_lane_ints_equal(symbol, tpi_lane_ints_of((int32_t)TPI_CODEC_ESCAPE)));
}

/* The same of all points; `points` is a multiple of TPI_LANES. Lists the points with an escape and
   returns their number. */
TPI_INLINE uint32_t step_in_lanes(tile_flow *flow, uint32_t last, const uint16_t *state,
                                  uint32_t points, uint32_t *steps, int32_t *units,
                                  tile_point *escaped)
{
    const uint8_t *stream = flow->stream;
    uint32_t some = 0;
    for (uint32_t begin = 0; begin < points; begin += MARKS) {
        uint32_t end = tpi_min_u32(begin + MARKS, points);
        uint64_t set = 0;
        for (uint32_t p = begin; p < end; p += TPI_LANES)
            set |= step_vector(flow->coder + (p & last), &stream, state, p, steps, units);
        some += list_marked(begin, set, escaped + some);
    }
    flow->stream = stream;
    return some;
}

/* Lists the points with an escape. Tests eight symbols at once: only the escape has bits 0 and 4
   set. */
static uint32_t list_escaped(const uint8_t *symbols, uint32_t begin, uint32_t points, uint32_t some,
                             tile_point *escaped)
{
    for (uint32_t p = begin; p < points; p += 8u) {
        uint64_t eight = tpi_load_u64(symbols + p);
        if (!(eight & eight >> 4 & 0x0101010101010101u)) continue;
        for (uint32_t k = p; k < p + 8u; k++)
            escaped[some] = (tile_point)k, some += symbols[k] == TPI_CODEC_ESCAPE;
    }
    return some;
}

/* Scalar version of step_in_lanes, from point `begin` (a multiple of 8) on. `some` points are
   already listed. */
TPI_INLINE uint32_t step_of_each(tile_flow *flow, const uint16_t *restrict state, uint32_t begin,
                                 uint32_t points, uint32_t *restrict steps, int32_t *restrict units,
                                 uint32_t some, tile_point *escaped)
{
    uint8_t symbols[TPI_TILE_POINTS + 8u];
    const uint8_t *stream = flow->stream;
    for (uint32_t p = begin; p < points;) {
        tile_coder *coder = flow->coder + (p & flow->last);
        uint32_t end = tpi_min_u32((p | flow->last) + 1u, points);
        for (; p < end; p++) {
            uint32_t symbol;
            steps[p] = coder_step(coder++, &stream, state[p], &symbol);
            symbols[p] = (uint8_t)symbol;
        }
    }
    flow->stream = stream;
    tpi_memset(symbols + points, 0, 8);
    for (uint32_t p = begin; p < points; p++) units[p] = symbols[p] - (int32_t)TPI_CODEC_ZERO;
    return list_escaped(symbols, begin, points, some, escaped);
}

/* Decodes the next symbol of points with an escape; lists the points with another escape. */
static uint32_t step_of_escaped(tile_flow *flow, tile_point *escaped, uint32_t count,
                                uint32_t *steps, int32_t *units)
{
    uint32_t some = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t symbol, p = escaped[k];
        steps[p] = coder_step(&flow->coder[p & flow->last], &flow->stream, TPI_STEP_STATE(steps[p]),
                              &symbol);
        units[p] = (int32_t)(symbol - TPI_CODEC_ZERO);
        escaped[some] = (tile_point)p, some += symbol == TPI_CODEC_ESCAPE;
    }
    return some;
}

/* Decodes all symbols of a row from the third frame on. Returns the bitwise or of all steps. */
static uint32_t units_of_points(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                                uint16_t *restrict state)
{
    tile_point escaped[TPI_TILE_POINTS];
    uint32_t *restrict steps = reader->step, points = reader->header.points;
    int32_t *units = reader->residual;
    uint32_t begin = 0, some = 0, all = 0;
    flow_reserve(reader, tile, flow, points);
    if (TPI_LANES >= IN_LANES && flow->last + 1u >= TPI_LANES) {
        begin = points - points % TPI_LANES;
        some = flow->last == TPI_CODERS - 1u /* the common case, as a compile-time constant */
                   ? step_in_lanes(flow, TPI_CODERS - 1u, state, begin, steps, units, escaped)
                   : step_in_lanes(flow, flow->last, state, begin, steps, units, escaped);
    }
    if (begin < points)
        some = step_of_each(flow, state, begin, points, steps, units, some, escaped);
    for (uint32_t k = 0; some && k < TPI_CODEC_ESCAPES; k++) {
        flow_reserve(reader, tile, flow, some);
        some = step_of_escaped(flow, escaped, some, steps, units);
    }
    for (uint32_t p = 0; p < points; p++) {
        state[p] = TPI_STEP_STATE(steps[p]);
        all |= steps[p];
    }
    return all;
}

/* Adds the leaders' residuals: a prefix sum along each chain of leaders. */
static void add_leaders(int32_t *residuals, uint32_t points, uint32_t follows)
{
    for (uint32_t k = 0; k < follows; k++) {
        uint32_t sum = 0;
        for (uint32_t p = k; p < points; p += follows)
            residuals[p] = (int32_t)(sum += (uint32_t)residuals[p]);
    }
}

/* The same with two leaders: in order, because a leader may have leaders. The mean is that of
   tpi_led_residual; its terms are added so that little waits for the point before. */
static void add_mean_leaders(int32_t *residuals, uint32_t points, uint32_t follows, uint32_t second)
{
    uint32_t near = tpi_min_u32(follows, second), far = tpi_max_u32(follows, second), last = 0;
    for (uint32_t p = follows; p < tpi_min_u32(far, points); p++)
        residuals[p] = (int32_t)((uint32_t)residuals[p] + (uint32_t)residuals[p - follows]);
    if (far < points) last = (uint32_t)residuals[far - 1u];
    for (uint32_t p = far; p < points; p++) {
        uint32_t one = near == 1u ? last : (uint32_t)residuals[p - near],
                 other = (uint32_t)residuals[p - far],
                 half = (uint32_t)tpi_shift_down((int32_t)(one ^ other), 1);
        last = (uint32_t)residuals[p] + (one & other) + half;
        residuals[p] = (int32_t)last;
    }
}

/* A row from the third frame on without lifetimes: symbols, raw bits, then all predictors. */
static void frame_of_old_points(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                                const tile_lane *lane)
{
    uint32_t *steps = reader->step, points = reader->header.points;
    int32_t *residuals = reader->residual;
    uint32_t all = units_of_points(reader, tile, flow, lane->state);
    if (TPI_STEP_BITS(all)) add_bits_of_points(reader, tile, steps, residuals, points);
    if (lane->component->second)
        add_mean_leaders(residuals, points, lane->component->follows, lane->component->second);
    else if (lane->component->follows)
        add_leaders(residuals, points, lane->component->follows);
    if (lane->keys) mark_keys(lane, residuals, points);
    move_tracks(lane, reader->frame, residuals, points);
}

/* Decodes a single residual. */
TPI_INLINE int32_t one_residual(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                                uint32_t p, uint16_t *state)
{
    int32_t units;
    flow_reserve(reader, tile, flow, TPI_CODEC_ESCAPES + 1u);
    uint32_t step = flow_units(flow, p & flow->last, state, &units);
    if (TPI_STEP_BITS(step)) add_bits(reader, tile, &step, &units, (const tile_point[]){0}, 1);
    return units;
}

/* A point's first position. */
static void first_place(tpi_tile_reader *reader, const tile_lane *lane, uint32_t c, uint32_t p,
                        int32_t residual)
{
    tpi_tile_chain *chain = &reader->chain[c];
    uint32_t from =
        (uint32_t)(lane->component->along & 1u ? chain->position : lane->component->base);
    chain->position = lane->position[p] = (int32_t)(from + (uint32_t)residual);
    lane->velocity[p] = lane->acceleration[p] = 0;
    lane->state[p] = tpi_codec_states[lane->component->start[2]];
}

static void put_track(const tile_lane *lane, uint32_t p, tpi_track track)
{
    lane->position[p] = track.position, lane->velocity[p] = track.velocity,
    lane->acceleration[p] = track.acceleration;
}

static void first_velocity(tpi_tile_reader *reader, const tile_lane *lane, uint32_t c, uint32_t p,
                           int32_t residual)
{
    tpi_tile_chain *chain = &reader->chain[c];
    uint32_t velocity =
        (lane->component->along & 2u ? (uint32_t)chain->velocity : 0u) + (uint32_t)residual;
    chain->velocity = (int32_t)velocity;
    put_track(lane, p,
              tpi_predictor_begin(lane->component,
                                  (int32_t)((uint32_t)lane->position[p] + velocity),
                                  (int32_t)velocity));
}

static void old_point(const tile_lane *lane, const tpi_ballistic *by, uint32_t p, int32_t residual)
{
    if (lane->keys) lane->keys[p] |= key_of(residual, key_beyond(lane->component));
    if (tpi_is_ballistic(lane->component)) {
        ballistic_of_one(lane, by, p, residual);
        return;
    }
    tpi_track track = {lane->position[p], lane->velocity[p], lane->acceleration[p]};
    tpi_track_move(&track, &tpi_predictors[lane->component->predictor], residual);
    put_track(lane, p, track);
}

static void frame_of_any_points(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                                const tile_lane *lane, uint32_t c)
{
    const tpi_ballistic by = tpi_ballistic_of(lane->component, reader->frame);
    for (uint32_t p = 0; p < reader->header.points; p++) {
        if (reader->frame < reader->first[p] || reader->frame >= reader->end[p]) continue;
        uint32_t age = reader->frame - reader->first[p];
        if (age == 0)
            first_place(reader, lane, c, p,
                        one_residual(reader, tile, flow, p, &reader->chain[c].position_state));
        else if (lane->component->mode == TPI_TILE_CONSTANT)
            continue;
        else if (age == 1)
            first_velocity(reader, lane, c, p,
                           one_residual(reader, tile, flow, p, &reader->chain[c].velocity_state));
        else
            old_point(lane, &by, p, one_residual(reader, tile, flow, p, &lane->state[p]));
    }
}

static void frame_of_raw(tpi_tile_reader *reader, const uint8_t *tile, uint32_t c, uint32_t raw)
{
    const tpi_tile_header *header = &reader->header;
    uint32_t row = reader->frame * header->raw_components + raw;
    const uint8_t *from = tile + header->raw_at + 4u * row * header->points;
    for (uint32_t p = 0; p < header->points; p++, from += 4)
        reader->position[c][p] = (int32_t)tpi_load_u32(from);
}

/* Sets the keys of an exact or raw component: every point from its third frame on. */
static void mark_told(const tpi_tile_reader *reader, uint8_t *keys)
{
    for (uint32_t p = 0; p < reader->header.points; p++)
        keys[p] |= reader->frame < reader->end[p] && reader->frame >= reader->first[p] + 2u;
}

static void frame_of_coded(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                           uint32_t c, uint8_t *keys)
{
    tile_lane lane = {&reader->header.component[c], reader->state[c],        reader->position[c],
                      reader->velocity[c],          reader->acceleration[c], keys};
    if (keys && lane.component->is_exact) {
        if (lane.component->mode == TPI_TILE_CODED) mark_told(reader, keys);
        lane.keys = NULL;
    }
    if (reader->frame < 2u || reader->header.has_lives)
        frame_of_any_points(reader, tile, flow, &lane, c);
    else if (lane.component->mode == TPI_TILE_CODED)
        frame_of_old_points(reader, tile, flow, &lane);
}

static void frame_of_component(tpi_tile_reader *reader, const uint8_t *tile, uint32_t c,
                               uint8_t *keys)
{
    tile_flow flow;
    flow.stream = flow.begin = tile + reader->at, flow.end = tile + reader->size;
    flow.last = (TPI_CODERS >> reader->header.halvings) - 1u;
    for (uint32_t k = 0; k < TPI_CODERS; k++) flow.coder[k] = reader->coder[k];
    frame_of_coded(reader, tile, &flow, c, keys);
    for (uint32_t k = 0; k < TPI_CODERS; k++) reader->coder[k] = (uint16_t)flow.coder[k];
    flow_advance(reader, &flow);
    if (reader->at > reader->size) reader->is_damaged = true;
}

bool tpi_tile_frame(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys)
{
    const tpi_tile_header *header = &reader->header;
    if (reader->is_damaged || reader->frame >= header->frames) return false;
    if (keys) tpi_memset(keys, 0, header->points);
    for (uint32_t c = 0, raw = 0; c < header->components && !reader->is_damaged; c++) {
        if (header->component[c].mode != TPI_TILE_RAW) {
            frame_of_component(reader, tile, c, keys);
            continue;
        }
        frame_of_raw(reader, tile, c, raw++);
        if (keys) mark_told(reader, keys);
    }
    reader->frame++;
    return !reader->is_damaged;
}

#undef IN_LANES
#undef MARKS
