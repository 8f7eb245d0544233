/* SPDX-License-Identifier: MIT
   host_tools/clip/pack_tile.c - codes the plan of a tile by context mixing.
   reads   a tile                          writes  the mixer's bytes; the inverse when decoding
   memory  of the caller                   cost    about 2 microseconds per value
   after   own design; contexts: residuals of the frames before, of the point's other components,
           of the point beside it, of the two nearest ones, means, and the frames since the last
           residual that is not 0 */
#include "pack.h"
#include <string.h>

enum { SET_VALUE, SET_FIRST, SET_RESIDUAL = 4, SET_LED = 8 };

static uint32_t bits_of(int32_t value)
{
    uint32_t size = value < 0 ? 0u - (uint32_t)value : (uint32_t)value, bits = 0;
    for (; size; size >>= 1) bits++;
    return bits;
}

static int32_t clipped(int32_t value, int32_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

int32_t host_pack_value(host_tile_packer *packer, uint32_t slot, int32_t value)
{
    uint32_t contexts[HOST_MIX_INPUTS];
    for (uint32_t k = 0; k < HOST_MIX_INPUTS; k++) contexts[k] = slot << 4 | 0xf0000000u;
    return host_mix_number(&packer->mix, contexts, SET_VALUE, value);
}

/* ---- taking a tile apart */

static bool take_coordinates(host_tile_packer *packer, const uint8_t *tile)
{
    tpi_tile_reader *reader = &packer->reader;
    for (uint32_t f = 0; f < packer->plan.frames; f++) {
        if (!tpi_tile_read(reader, tile)) return false;
        for (uint32_t c = 0; c < packer->plan.components; c++)
            memcpy(tpi_plan_row(&packer->plan, f, c), reader->position[c],
                   packer->plan.points * sizeof(int32_t));
    }
    return tpi_tile_is_whole(reader);
}

bool host_tile_take(host_tile_packer *packer, const uint8_t *tile, uint32_t size)
{
    const tpi_tile_header *header = &packer->reader.header;
    if (!tpi_tile_open(&packer->reader, tile, size) || header->raw_components) return false;
    packer->plan = (tpi_tile_plan){.points = header->points,
                                   .frames = header->frames,
                                   .components = header->components,
                                   .has_lives = header->has_lives,
                                   .residuals = packer->residuals};
    memcpy(packer->plan.component, header->component, sizeof header->component);
    memcpy(packer->plan.first, packer->reader.first, sizeof packer->plan.first);
    memcpy(packer->plan.end, packer->reader.end, sizeof packer->plan.end);
    memset(packer->residuals, 0,
           sizeof(int32_t) * TPI_TILE_POINTS * header->frames * header->components);
    if (!take_coordinates(packer, tile)) return false;
    for (uint32_t c = 0; c < header->components; c++) {
        (void)tpi_plan_tracks(&packer->plan, c);
        tpi_plan_follow(&packer->plan, c);
    }
    return true;
}

uint32_t host_tile_put(host_tile_packer *packer, uint8_t *bytes, uint32_t bytes_max)
{
    uint32_t words = sizeof packer->scratch / sizeof packer->scratch[0];
    for (uint32_t c = 0; c < packer->plan.components; c++) {
        tpi_tile_component kept = packer->plan.component[c];
        tpi_plan_starts(&packer->plan, c);
        packer->plan.component[c].along = kept.along; /* coded, because rows depend on it */
    }
    return tpi_tile_write(&packer->plan, packer->scratch, words, bytes, bytes_max);
}

/* ---- lifetimes and parameters */

static bool code_lives(host_tile_packer *packer)
{
    tpi_tile_plan *plan = &packer->plan;
    uint8_t(*lives)[TPI_TILE_POINTS] = packer->lives[packer->tile];
    plan->has_lives = host_pack_value(packer, 1, plan->has_lives) != 0;
    bool is_same = packer->has_lives && memcmp(lives[0], plan->first, plan->points) == 0 &&
                   memcmp(lives[1], plan->end, plan->points) == 0;
    if (plan->has_lives && packer->has_lives) is_same = host_pack_value(packer, 2, is_same) != 0;
    bool copies = plan->has_lives && packer->has_lives && is_same;
    int32_t first = 0, end = (int32_t)plan->frames;
    for (uint32_t p = 0; p < plan->points; p++) {
        if (plan->has_lives && !copies) {
            first += host_pack_value(packer, 3, plan->first[p] - first);
            end += host_pack_value(packer, 4, plan->end[p] - end);
        } else if (copies) {
            first = lives[0][p], end = lives[1][p];
        }
        if (first < 0 || first > end || end > (int32_t)plan->frames) return false;
        plan->first[p] = (uint8_t)first, plan->end[p] = (uint8_t)end;
        if (!packer->has_lives) lives[0][p] = plan->first[p], lives[1][p] = plan->end[p];
    }
    return true;
}

/* Parameters in one word. */
static uint32_t pack_component(const tpi_tile_component *component)
{
    bool is_ballistic = tpi_is_ballistic(component);
    return (is_ballistic ? TPI_TILE_BALLISTIC : component->mode) |
           (uint32_t)(component->predictor & 7u) << 2 | (uint32_t)component->fineness << 5 |
           (uint32_t)component->along << 7 | (uint32_t)component->is_exact << 9 |
           (uint32_t)component->follows << 10 | (uint32_t)component->second << 17;
}

/* What a ballistic predictor has in addition. */
static bool code_ballistic(host_tile_packer *packer, uint32_t c, uint32_t slot)
{
    tpi_tile_component *component = &packer->plan.component[c];
    if (component->mode != TPI_TILE_BALLISTIC) return component->mode < TPI_TILE_RAW;
    uint32_t *before = packer->ballistic[c];
    int32_t acceleration = (int32_t)((uint32_t)component->acceleration - before[0]),
            drag = (int32_t)(component->drag - before[1]);
    before[0] += (uint32_t)host_pack_value(packer, slot + 768u, acceleration);
    before[1] += (uint32_t)host_pack_value(packer, slot + 896u, drag);
    component->mode = TPI_TILE_CODED;
    component->predictor += TPI_BALLISTIC;
    component->acceleration = (int32_t)before[0], component->drag = (uint16_t)before[1];
    return component->predictor < TPI_PREDICTORS_ALL && !component->is_exact &&
           before[1] <= TPI_DRAG_MAX;
}

static bool code_component(host_tile_packer *packer, uint32_t c)
{
    tpi_tile_component *component = &packer->plan.component[c];
    uint32_t slot = 16u + packer->stream * TPI_TILE_COMPONENTS + c, *before = &packer->before[c];
    uint32_t word = pack_component(component);
    word = *before ^= (uint32_t)host_pack_value(packer, slot, (int32_t)(word ^ *before));
    *component = (tpi_tile_component){.mode = (uint8_t)(word & 3u),
                                      .predictor = (uint8_t)(word >> 2 & 7u),
                                      .fineness = (uint8_t)(word >> 5 & 3u),
                                      .along = (uint8_t)(word >> 7 & 3u),
                                      .is_exact = (word >> 9 & 1u) != 0,
                                      .follows = (uint8_t)(word >> 10 & 127u),
                                      .second = (uint8_t)(word >> 17 & 127u),
                                      .base = component->base,
                                      .acceleration = component->acceleration,
                                      .drag = component->drag};
    if (!(component->along & 1u))
        component->base = host_pack_value(packer, slot + 128u, component->base);
    return code_ballistic(packer, c, slot) && word < 1u << 24 &&
           (component->follows ? !packer->plan.has_lives : !component->second);
}

/* ---- values */

/* The level of a mean: twice its bit length, and the bit below the highest. */
static uint32_t level_of(uint32_t mean)
{
    uint32_t bits = 0;
    while (mean >> bits) bits++;
    return bits < 2u ? bits : 2u * bits + (mean >> (bits - 2u) & 1u);
}

static int32_t residual_at(const tpi_tile_plan *plan, uint32_t f, uint32_t c, uint32_t p,
                           uint32_t back)
{
    return f >= plan->first[p] + 2u + back ? tpi_plan_row(plan, f - back, c)[p] : 0;
}

/* Residuals of two other components: of this frame, where they are coded already. */
static void find_others(const tpi_tile_plan *plan, uint32_t f, uint32_t c, uint32_t p,
                        int32_t others[2])
{
    uint32_t other[2] = {c ? c - 1u : plan->components > 1u, c > 1u ? c - 2u : 2u};
    for (uint32_t k = 0; k < 2u; k++) {
        bool has = other[k] < plan->components && other[k] != c;
        others[k] = has ? residual_at(plan, f, other[k], p, other[k] > c) : 0;
    }
}

/* One context from parts of 6 bits. */
static uint32_t join(uint32_t input, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return input << 28 ^ a << 21 ^ b << 14 ^ c << 7 ^ d;
}

static uint32_t small_part(int32_t value, int32_t most)
{
    return (uint32_t)(clipped(value, most) + most);
}

static void residual_contexts(const host_tile_packer *packer, uint32_t f, uint32_t c, uint32_t p,
                              uint32_t row_mean, uint32_t *contexts)
{
    const tpi_tile_plan *plan = &packer->plan;
    const tpi_tile_component *component = &plan->component[c];
    int32_t one = residual_at(plan, f, c, p, 1), two = residual_at(plan, f, c, p, 2),
            three = residual_at(plan, f, c, p, 3), others[2];
    int32_t beside = p && f < plan->end[p - 1u] ? residual_at(plan, f, c, p - 1u, 0) : 0;
    uint32_t level = level_of(packer->mean[c][p]), bits = bits_of(one),
             next = p ? level_of(packer->mean[c][p - 1u]) : 0, few = tpi_min_u32(bits, 3u);
    find_others(plan, f, c, p, others);
    contexts[0] = join(0, bits, bits_of(two), bits_of(three), packer->stream);
    contexts[1] = join(1, level, bits, bits_of(two), c);
    contexts[2] = join(2, small_part(others[0], 12), small_part(others[1], 12), few, c);
    contexts[3] = join(3, small_part(beside, 12), next, few, level);
    contexts[4] = join(4, small_part(one, 15), small_part(two, 7), small_part(three, 2), 0);
    contexts[5] = join(5, level, level_of(row_mean), packer->stream, c);
    contexts[6] = join(6, p, c, few, 0);
    contexts[8] = join(8, level, next, level_of(row_mean), c);
    contexts[9] = join(9, small_part(one, 4), small_part(others[0], 4), small_part(others[1], 4),
                       small_part(beside, 4));
    const host_tile_gap *gap = &packer->gap[c][p];
    contexts[10] = join(10, gap->frames, gap->before, small_part(gap->value, 3), level);
    contexts[11] = join(11, gap->frames, small_part(gap->value, 8), gap->before, gap->before_that);
    host_near_values near = host_near_of(&packer->near, plan, f, c, p);
    contexts[12] =
        join(12, small_part(2 * near.now, 31), tpi_min_u32(level, 15u), c, packer->near.count[p]);
    contexts[13] = join(13, small_part(near.now, 31), level_of(near.size), few, c);
    contexts[14] = join(14, small_part(near.now, 15), small_part(near.before, 15), few, c);
    contexts[15] = join(15, level_of(near.size), level, bits, c);
    contexts[7] = join(7, component->predictor, component->fineness, packer->stream,
                       c << 5 | tpi_min_u32(level / 4u, 15u));
}

static int32_t code_residual(host_tile_packer *packer, uint32_t f, uint32_t c, uint32_t p,
                             uint32_t *row_mean)
{
    uint32_t contexts[HOST_MIX_INPUTS];
    int32_t *row = tpi_plan_row(&packer->plan, f, c);
    residual_contexts(packer, f, c, p, *row_mean, contexts);
    uint32_t set = packer->plan.component[c].follows ? SET_LED : SET_RESIDUAL;
    set += tpi_min_u32(packer->gap[c][p].frames, 3u);
    row[p] = host_mix_number(&packer->mix, contexts, set, row[p]);
    uint32_t size = (uint32_t)(row[p] < 0 ? -(int64_t)row[p] : row[p]), *mean = &packer->mean[c][p];
    host_tile_gap *gap = &packer->gap[c][p];
    if (row[p])
        *gap = (host_tile_gap){0, gap->frames, gap->before, clipped(row[p], 15)};
    else if (gap->frames < 31u)
        gap->frames++;
    size = tpi_min_u32(size, 1u << 20) * 64u;
    *mean = (*mean * 7u + size + 4u) / 8u;
    *row_mean = (*row_mean * 15u + size + 8u) / 16u;
    return row[p];
}

/* A first position or first velocity, relative to that of the point before. */
typedef struct first_chain {
    int32_t before, last, last_but_one;
} first_chain;

static void code_first(host_tile_packer *packer, uint32_t age, uint32_t c, int32_t *value,
                       first_chain *chain)
{
    uint32_t contexts[HOST_MIX_INPUTS], one = bits_of(chain->last),
                                        two = bits_of(chain->last_but_one);
    uint32_t kind = 8u + age + 2u * packer->stream;
    for (uint32_t k = 0; k < HOST_MIX_INPUTS; k++)
        contexts[k] = join(k, kind, k & 1u ? c : 7u, k & 2u ? one : 40u, k & 4u ? two : 40u);
    int32_t from = packer->plan.component[c].along >> age & 1u ? chain->before
                   : age                                       ? 0
                                                               : packer->plan.component[c].base;
    int32_t delta = (int32_t)((uint32_t)*value - (uint32_t)from);
    delta = host_mix_number(&packer->mix, contexts, SET_FIRST, delta);
    *value = (int32_t)((uint32_t)from + (uint32_t)delta);
    *chain = (first_chain){*value, delta, chain->last};
}

static void code_row(host_tile_packer *packer, uint32_t f, uint32_t c, first_chain *chains)
{
    const tpi_tile_plan *plan = &packer->plan;
    bool is_still = plan->component[c].mode == TPI_TILE_CONSTANT;
    uint32_t row_mean = c;
    for (uint32_t p = 0; p < plan->points; p++) {
        if (f < plan->first[p] || f >= plan->end[p]) continue;
        uint32_t age = f - plan->first[p];
        if (age && is_still)
            tpi_plan_row(plan, f, c)[p] = 0;
        else if (age < 2u)
            code_first(packer, age, c, tpi_plan_row(plan, f, c) + p, &chains[age]);
        else
            (void)code_residual(packer, f, c, p, &row_mean);
        host_near_move(&packer->near, plan, f, c, p);
    }
}

bool host_tile_code(host_tile_packer *packer)
{
    first_chain chains[TPI_TILE_COMPONENTS][2];
    memset(chains, 0, sizeof chains);
    memset(packer->mean, 0, sizeof packer->mean);
    memset(packer->gap, 0, sizeof packer->gap);
    if (!code_lives(packer)) return false;
    for (uint32_t c = 0; c < packer->plan.components; c++)
        if (!code_component(packer, c)) return false;
    memset(&packer->near, 0, sizeof packer->near);
    for (uint32_t f = 0; f < packer->plan.frames && !packer->mix.is_bad; f++) {
        host_near_find(&packer->near, &packer->plan, f);
        for (uint32_t c = 0; c < packer->plan.components; c++) code_row(packer, f, c, chains[c]);
    }
    return !packer->mix.is_bad;
}
