/* SPDX-License-Identifier: MIT
   runtime/codec/write.c - encoder: turns a plan into the bytes of a tile.
   reads   a plan      writes  a tile's bytes
   memory  the caller's scratch: TPI_WRITER_WORDS and 4 bytes per symbol; 800 bytes of stack
   cost    two passes: forward through the states, backward through the coders; one division per
           symbol
   after   own design; rANS decodes in the reverse order of encoding (last in, first out), so that
           the symbols of a tile are buffered and encoded backward */
#include "codec.h"

/* ---- initial states ---- */

static const uint8_t start_states[] = {16, 0,  24, 26, 28, 29, 31, 33, 35, 37, 39, 41,
                                       43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63, 65,
                                       67, 69, 71, 73, 75, 77, 79, 81, 83, 85};
#define START_COUNT (sizeof start_states / sizeof start_states[0])

/* first values, and frames of residuals, that an initial state is judged by: after so many its
   effect is gone */
#define START_NEAR   12u
#define START_FRAMES 12u
#define START_MISSES 2u /* the search in a direction ends after so many states without a gain */

/* Cost of an initial state. May stop early and return `most` or more. */
typedef uint32_t start_cost(const void *of, uint32_t start, uint32_t most);

/* Bit length of a residual's absolute value. */
static uint32_t start_bits(int32_t residual)
{
    uint32_t bits = 0, size = residual < 0 ? 0u - (uint32_t)residual : (uint32_t)residual;
    for (; size; size >>= 1) bits++;
    return bits;
}

/* Local search for the cheapest initial state: begins at the state of residuals of `bits` bits and
   goes in both directions, assuming that the cost has one minimum. */
static uint8_t start_search(start_cost *cost_of, const void *of, uint32_t bits)
{
    uint32_t from = tpi_min_u32(bits ? bits + 2u : 1u, START_COUNT - 1u), best = from;
    uint32_t least = cost_of(of, start_states[from], UINT32_MAX);
    for (uint32_t direction = 0, step = 1; direction < 2u; direction++, step = 0u - step) {
        uint32_t misses = 0;
        for (uint32_t k = from + step; k < START_COUNT && misses < START_MISSES; k += step) {
            uint32_t cost = cost_of(of, start_states[k], least);
            misses = cost < least ? 0 : misses + 1u;
            if (cost < least) least = cost, best = k;
        }
    }
    return start_states[best];
}

/* First values of a component in the order of the tile. They are coded relative to a base, or each
   relative to the one before (is_along). */
typedef struct start_row {
    int32_t values[TPI_TILE_POINTS];
    uint32_t count;
    bool is_along;
    int32_t base;
} start_row;

/* Collects first positions (age 0) or first velocities (age 1). */
static void row_take(start_row *row, const tpi_tile_plan *plan, uint32_t component, uint32_t age)
{
    row->count = 0;
    for (uint32_t f = age; f < plan->frames; f++) {
        const int32_t *values = tpi_plan_row(plan, f, component);
        for (uint32_t p = 0; p < plan->points; p++)
            if (plan->first[p] + age == f && f < plan->end[p])
                row->values[row->count++] = values[p];
        if (!plan->has_lives) break;
    }
}

static int32_t row_mean(const start_row *row)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < row->count; k++) sum += row->values[k];
    return row->count ? (int32_t)(sum / row->count) : 0;
}

static int32_t row_first(const start_row *row) { return row->count ? row->values[0] : 0; }

static uint32_t row_cost(const start_row *row, uint32_t start, uint32_t count, uint32_t most)
{
    uint16_t state = tpi_codec_states[start];
    uint32_t cost = 0, before = (uint32_t)row->base;
    for (uint32_t k = 0; k < count && cost < most; k++) {
        cost += tpi_residual_cost(&state, (int32_t)((uint32_t)row->values[k] - before));
        if (row->is_along) before = (uint32_t)row->values[k];
    }
    return cost;
}

static uint32_t row_start_cost(const void *of, uint32_t start, uint32_t most)
{
    const start_row *row = of;
    return row_cost(row, start, tpi_min_u32(row->count, START_NEAR), most);
}

/* Finds the cheapest initial state for one way of coding; returns the cost of all values. */
static uint32_t row_best(start_row *row, bool is_along, int32_t base, uint8_t *state)
{
    uint32_t bits = 0, near = tpi_min_u32(row->count, 4u);
    row->is_along = is_along;
    row->base = base;
    for (uint32_t k = 0, before = (uint32_t)base; k < near; k++) {
        bits += start_bits((int32_t)((uint32_t)row->values[k] - before));
        if (is_along) before = (uint32_t)row->values[k];
    }
    *state = start_search(row_start_cost, row, near ? bits / near : 0);
    return row_cost(row, *state, row->count, UINT32_MAX);
}

/* Sample of a component's residuals: the first frames of every `apart`th point. */
typedef struct start_residuals {
    const tpi_tile_plan *plan;
    uint32_t component, apart;
} start_residuals;

/* Cost of a residual in a plan; advances *state. `start`: initial state of residuals. */
static uint32_t plan_residual_cost(const tpi_tile_plan *plan, uint32_t f, uint32_t c, uint32_t p,
                                   uint32_t start, uint16_t *state)
{
    uint32_t cost = tpi_residual_cost(state, tpi_plan_row(plan, f, c)[p]);
    if (tpi_plan_calms(plan, f, c, p)) *state = tpi_codec_states[start];
    return cost;
}

static uint32_t residuals_end(const tpi_tile_plan *plan, uint32_t point, uint32_t frames)
{
    return tpi_min_u32(plan->end[point], plan->first[point] + 2u + frames);
}

static uint32_t residuals_start_cost(const void *of, uint32_t start, uint32_t most)
{
    const start_residuals *from = of;
    const tpi_tile_plan *plan = from->plan;
    uint32_t cost = 0;
    for (uint32_t p = 0; p < plan->points && cost < most; p += from->apart) {
        uint16_t state = tpi_codec_states[start];
        uint32_t end = residuals_end(plan, p, START_FRAMES);
        for (uint32_t f = plan->first[p] + 2u; f < end; f++)
            cost += plan_residual_cost(plan, f, from->component, p, start, &state);
    }
    return cost;
}

uint8_t tpi_plan_residual_start(const tpi_tile_plan *plan, uint32_t component, uint32_t apart)
{
    uint32_t bits = 0, count = 0;
    for (uint32_t p = 0; p < plan->points; p += apart)
        for (uint32_t f = plan->first[p] + 2u; f < residuals_end(plan, p, 2u); f++, count++)
            bits += start_bits(tpi_plan_row(plan, f, component)[p]);
    return start_search(residuals_start_cost, &(start_residuals){plan, component, apart},
                        count ? bits / count : 0);
}

uint64_t tpi_plan_cost(const tpi_tile_plan *plan, uint32_t c)
{
    const tpi_tile_component *how = &plan->component[c];
    start_row row;
    uint64_t cost = 0;
    for (uint32_t age = 0; age < 2u; age++) {
        row_take(&row, plan, c, age);
        row.is_along = how->along >> age & 1u;
        row.base = age ? 0 : how->base;
        cost += row_cost(&row, how->start[age], row.count, UINT32_MAX);
    }
    for (uint32_t p = 0; p < plan->points; p++) {
        uint16_t state = tpi_codec_states[how->start[2]];
        for (uint32_t f = plan->first[p] + 2u; f < plan->end[p]; f++)
            cost += plan_residual_cost(plan, f, c, p, how->start[2], &state);
    }
    return cost;
}

void tpi_plan_starts(tpi_tile_plan *plan, uint32_t c)
{
    tpi_tile_component *component = &plan->component[c];
    uint8_t state[2] = {0, 0};
    start_row row;
    row_take(&row, plan, c, 0);
    int32_t mean = row_mean(&row), first = row_first(&row);
    uint32_t apart = row_best(&row, false, mean, &state[0]),
             along = row_best(&row, true, first, &state[1]);
    component->along = along < apart;
    component->base = along < apart ? first : mean;
    component->start[0] = state[along < apart];
    component->start[1] = component->start[2] = start_states[0];
    if (component->mode == TPI_TILE_CONSTANT || plan->frames < 2u) return;
    row_take(&row, plan, c, 1);
    apart = row_best(&row, false, 0, &state[0]);
    along = row_best(&row, true, 0, &state[1]);
    component->along |= along < apart ? 2u : 0u;
    component->start[1] = state[along < apart];
    component->start[2] =
        tpi_plan_residual_start(plan, c, plan->points < 8u ? 1u : plan->points / 8u);
}

/* ---- forward: states, symbols, raw bits ---- */

typedef struct tile_writer {
    const tpi_tile_plan *plan;
    uint32_t last;   /* mask: point p uses coder p & last */
    uint32_t *steps; /* buffered symbols: frequency, cumulative frequency << 8, coder << 16 */
    uint32_t steps_max, count;
    uint8_t *bytes; /* of the raw bits */
    uint32_t bytes_max, at, bits, bit_count;
    bool is_full;
    tpi_tile_chain chain[TPI_TILE_COMPONENTS];
    uint16_t state[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    uint32_t width[TPI_TILE_POINTS]; /* raw bits of each residual of a row */
    bool is_open[TPI_TILE_POINTS];   /* the last symbol was an escape: another one follows */
} tile_writer;
_Static_assert(sizeof(tile_writer) <= 4u * TPI_WRITER_WORDS, "raise TPI_WRITER_WORDS");

/* Number of halvings of the coders: small tiles use fewer, because the overhead of a coder
   outweighs the decoding time that it saves. */
static uint32_t tile_halvings(const tpi_tile_plan *plan)
{
    uint32_t values = plan->points * plan->frames * plan->components, halvings = 0;
    while (halvings < TPI_CODERS_HALVED && values < (16384u >> halvings)) halvings++;
    return halvings;
}

static void put_step(tile_writer *writer, uint32_t lane, uint32_t share, uint32_t begin)
{
    if (writer->count >= writer->steps_max) {
        writer->is_full = true;
        return;
    }
    writer->steps[writer->count++] = share | begin << 8 | lane << 16;
}

static void put_bits(tile_writer *writer, uint32_t value, uint32_t count)
{
    uint64_t word = writer->bits | (uint64_t)(value & ((1u << count) - 1u)) << writer->bit_count;
    writer->bit_count += count;
    for (; writer->bit_count >= 8u; writer->bit_count -= 8u, word >>= 8) {
        if (writer->at >= writer->bytes_max)
            writer->is_full = true;
        else
            writer->bytes[writer->at++] = (uint8_t)word;
    }
    writer->bits = (uint32_t)word;
}

/* Buffers one symbol of a residual; returns its step. */
static uint32_t put_unit(tile_writer *writer, uint32_t lane, uint16_t *state, int32_t residual,
                         bool *is_escape)
{
    uint32_t symbol = tpi_residual_symbol(*state, residual),
             step = tpi_codec_steps[TPI_STATE_ROW(*state) + symbol];
    put_step(writer, lane, TPI_STEP_SHARE(step),
             tpi_codec_begins[TPI_STATE_TABLE(*state) * TPI_CODEC_ROW + symbol]);
    *state = TPI_STEP_STATE(step);
    *is_escape = symbol == TPI_CODEC_ESCAPE;
    return step;
}

static void put_residual(tile_writer *writer, uint32_t lane, uint16_t *state, int32_t residual)
{
    uint32_t step;
    bool is_escape;
    do step = put_unit(writer, lane, state, residual, &is_escape);
    while (is_escape);
    if (TPI_STEP_BITS(step)) put_bits(writer, (uint32_t)residual, TPI_STEP_BITS(step));
}

/* After a residual: see tpi_ballistic. */
static void put_calm(tile_writer *writer, uint32_t f, uint32_t c, uint32_t p)
{
    const tpi_tile_plan *plan = writer->plan;
    if (tpi_plan_calms(plan, f, c, p))
        writer->state[c][p] = tpi_codec_states[plan->component[c].start[2]];
}

/* The same of a row without lifetimes, in a loop that compilers vectorise. */
static void put_calm_row(tile_writer *writer, uint32_t f, uint32_t c)
{
    const tpi_tile_plan *plan = writer->plan;
    const tpi_tile_component *how = &plan->component[c];
    const bool teleports = how->predictor == TPI_TELEPORTING;
    const uint16_t calm = tpi_codec_states[how->start[2]];
    const int32_t *now = tpi_plan_row(plan, f, c), *before = tpi_plan_row(plan, f - 1u, c);
    uint16_t *state = writer->state[c];
    for (uint32_t p = 0; p < plan->points; p++) {
        bool told = f > 2u && before[p] != 0;
        state[p] = tpi_ballistic_calms(teleports, told, now[p]) ? calm : state[p];
    }
}

/* A row from the third frame on without lifetimes: one symbol of every point, then the next symbol
   of points with an escape, until none is left; raw bits last. */
static void put_old_row(tile_writer *writer, uint32_t f, uint32_t c)
{
    const int32_t *residuals = tpi_plan_row(writer->plan, f, c);
    uint32_t *bits = writer->width, points = writer->plan->points;
    bool *is_open = writer->is_open;
    for (uint32_t p = 0; p < points; p++) is_open[p] = true;
    for (uint32_t left = points; left;)
        for (uint32_t p = 0; p < points; p++) {
            if (!is_open[p]) continue;
            bits[p] = TPI_STEP_BITS(put_unit(writer, p & writer->last, &writer->state[c][p],
                                             residuals[p], &is_open[p]));
            left -= !is_open[p];
        }
    for (uint32_t p = 0; p < points; p++)
        if (bits[p]) put_bits(writer, (uint32_t)residuals[p], bits[p]);
    if (tpi_is_ballistic(&writer->plan->component[c])) put_calm_row(writer, f, c);
}

static void put_first(tile_writer *writer, uint32_t c, uint32_t p, int32_t position)
{
    const tpi_tile_component *component = &writer->plan->component[c];
    tpi_tile_chain *chain = &writer->chain[c];
    uint32_t from = (uint32_t)(component->along & 1u ? chain->position : component->base);
    put_residual(writer, p & writer->last, &chain->position_state,
                 (int32_t)((uint32_t)position - from));
    chain->position = position;
    writer->state[c][p] = tpi_codec_states[component->start[2]];
}

static void put_velocity(tile_writer *writer, uint32_t c, uint32_t p, int32_t velocity)
{
    tpi_tile_chain *chain = &writer->chain[c];
    uint32_t from = writer->plan->component[c].along & 2u ? (uint32_t)chain->velocity : 0u;
    put_residual(writer, p & writer->last, &chain->velocity_state,
                 (int32_t)((uint32_t)velocity - from));
    chain->velocity = velocity;
}

static void put_any_row(tile_writer *writer, uint32_t f, uint32_t c)
{
    const tpi_tile_plan *plan = writer->plan;
    const int32_t *values = tpi_plan_row(plan, f, c);
    for (uint32_t p = 0; p < plan->points; p++) {
        if (f < plan->first[p] || f >= plan->end[p]) continue;
        if (f == plan->first[p])
            put_first(writer, c, p, values[p]);
        else if (plan->component[c].mode == TPI_TILE_CONSTANT)
            continue;
        else if (f == plan->first[p] + 1u)
            put_velocity(writer, c, p, values[p]);
        else {
            put_residual(writer, p & writer->last, &writer->state[c][p], values[p]);
            put_calm(writer, f, c, p);
        }
    }
}

static void put_row(tile_writer *writer, uint32_t f, uint32_t c)
{
    uint32_t mode = writer->plan->component[c].mode;
    if (mode == TPI_TILE_RAW) return;
    if (mode == TPI_TILE_CODED && f >= 2u && !writer->plan->has_lives)
        put_old_row(writer, f, c);
    else
        put_any_row(writer, f, c);
}

/* ---- backward: the rANS coders ---- */

/* Writes the byte stream downwards from `end`; returns its first byte, or null if it does not fit
   above `begin`. */
static uint8_t *coder_bytes(const tile_writer *writer, uint8_t *begin, uint8_t *end,
                            uint32_t *coder)
{
    for (uint32_t k = 0; k < TPI_CODERS; k++) coder[k] = TPI_CODER_LOW;
    for (uint32_t i = writer->count; i-- > 0;) {
        uint32_t step = writer->steps[i], lane = step >> 16, width = step & 255u, x = coder[lane];
        if (x >= width * TPI_CODER_LOW) {
            if (end == begin) return NULL;
            *--end = (uint8_t)x;
            x >>= 8;
        }
        coder[lane] = (x / width << 8) + x % width + (step >> 8 & 255u);
    }
    return end;
}

/* ---- the tile ---- */

static uint8_t *write_base(uint8_t *to, int32_t base)
{
    uint32_t value = (uint32_t)base << 1 ^ (uint32_t)tpi_shift_down(base, 31);
    for (; value > 127u; value >>= 7) *to++ = (uint8_t)(value | 128u);
    *to++ = (uint8_t)value;
    return to;
}

static uint8_t *write_head(const tpi_tile_plan *plan, uint8_t *to)
{
    *to++ = (uint8_t)(plan->points - 1u);
    *to++ = (uint8_t)(plan->frames - 1u);
    *to++ = (uint8_t)(plan->components | (plan->has_lives ? 16u : 0u) | tile_halvings(plan) << 5);
    to += 3;
    for (uint32_t c = 0; c < plan->components; c++) {
        const tpi_tile_component *component = &plan->component[c];
        bool is_ballistic = tpi_is_ballistic(component);
        uint32_t word = (is_ballistic ? TPI_TILE_BALLISTIC : component->mode) |
                        (uint32_t)(component->predictor & 7u) << 2 |
                        (uint32_t)component->fineness << 5 | (uint32_t)component->along << 7 |
                        (component->is_exact ? 1u << 30 : 0u) |
                        (component->follows ? 1u << 31 : 0u);
        for (uint32_t k = 0; k < 3; k++) word |= (uint32_t)component->start[k] << (9u + 7u * k);
        tpi_store_u32(to, word);
        to = write_base(to + 4, component->base);
        if (is_ballistic) to = write_base(write_base(to, component->acceleration), component->drag);
        if (component->follows) *to++ = component->follows | (component->second ? 128u : 0u);
        if (component->follows && component->second) *to++ = component->second;
    }
    if (plan->has_lives) {
        for (uint32_t p = 0; p < plan->points; p++) *to++ = plan->first[p];
        for (uint32_t p = 0; p < plan->points; p++) *to++ = plan->end[p];
    }
    return to;
}

static uint8_t *write_raw(const tpi_tile_plan *plan, uint8_t *to)
{
    for (uint32_t f = 0; f < plan->frames; f++)
        for (uint32_t c = 0; c < plan->components; c++)
            for (uint32_t p = 0; plan->component[c].mode == TPI_TILE_RAW && p < plan->points;
                 p++, to += 4)
                tpi_store_u32(to, (uint32_t)tpi_plan_row(plan, f, c)[p]);
    return to;
}

static void write_symbols(tile_writer *writer)
{
    const tpi_tile_plan *plan = writer->plan;
    for (uint32_t c = 0; c < plan->components; c++)
        writer->chain[c] = (tpi_tile_chain){plan->component[c].base, 0,
                                            tpi_codec_states[plan->component[c].start[0]],
                                            tpi_codec_states[plan->component[c].start[1]]};
    for (uint32_t f = 0; f < plan->frames; f++)
        for (uint32_t c = 0; c < plan->components; c++) put_row(writer, f, c);
    if (writer->bit_count) put_bits(writer, 0, 8u - writer->bit_count);
}

/* The writer is at the start of the scratch, followed by the buffered symbols. */
static tile_writer *writer_begin(const tpi_tile_plan *plan, uint32_t *scratch, uint32_t words,
                                 uint8_t *bytes, uint32_t bytes_max)
{
    tile_writer *writer = (tile_writer *)(void *)scratch;
    tpi_memset(writer, 0, sizeof *writer);
    writer->plan = plan;
    writer->last = (TPI_CODERS >> tile_halvings(plan)) - 1u;
    writer->steps = scratch + TPI_WRITER_WORDS;
    writer->steps_max = words - TPI_WRITER_WORDS;
    writer->bytes = bytes;
    writer->bytes_max = bytes_max;
    return writer;
}

static uint32_t write_tile(const tpi_tile_plan *plan, uint32_t *scratch, uint32_t scratch_words,
                           uint8_t *bytes, uint32_t bytes_max)
{
    uint32_t raw = 0, coder[TPI_CODERS];
    for (uint32_t c = 0; c < plan->components; c++)
        if (plan->component[c].mode == TPI_TILE_RAW) raw += 4u * plan->points * plan->frames;
    uint32_t coders = tpi_tile_coders(plan->points, tile_halvings(plan),
                                      raw == 4u * plan->points * plan->frames * plan->components);
    uint32_t head_max = TPI_TILE_HEADER_BYTES + 2u * plan->points + raw + 2u * coders;
    for (uint32_t c = 0; c < plan->components; c++)
        head_max += (plan->component[c].follows ? 11u : 9u) +
                    (tpi_is_ballistic(&plan->component[c]) ? 7u : 0u);
    if (bytes_max < head_max || scratch_words < TPI_WRITER_WORDS) return 0;
    uint8_t *to = write_raw(plan, write_head(plan, bytes)), *stream = to + 2u * coders,
            *end = bytes + bytes_max;
    tile_writer *writer =
        writer_begin(plan, scratch, scratch_words, stream, (uint32_t)(end - stream));
    write_symbols(writer);
    if (writer->is_full) return 0;
    uint8_t *first = coder_bytes(writer, stream + writer->at, end, coder);
    if (!first) return 0;
    uint32_t stream_bytes = (uint32_t)(end - first);
    for (uint32_t k = 0; k < 2u * coders; k++) to[k] = (uint8_t)(coder[k / 2u] >> 8u * (k & 1u));
    for (uint32_t k = 0; k < 3; k++) bytes[3 + k] = (uint8_t)(writer->at >> (8u * k));
    tpi_memmove(stream + writer->at, first, stream_bytes);
    return (uint32_t)(stream - bytes) + writer->at + stream_bytes;
}

uint32_t tpi_tile_write(const tpi_tile_plan *plan, uint32_t *scratch, uint32_t scratch_words,
                        uint8_t *bytes, uint32_t bytes_max)
{
    uint32_t size = write_tile(plan, scratch, scratch_words, bytes, bytes_max);
    /* the scratch may be part of a block, which must hold no pointers */
    if (scratch_words >= TPI_WRITER_WORDS) tpi_memset(scratch, 0, sizeof(tile_writer));
    return size;
}
