/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/wear.c - constraints that yield and break, and triangles that they tear.
   reads   front positions, rest lengths of the front set      writes  those of the back set, events
   memory  8 bytes per constraint, 12 per triangle, in worlds that wear
   cost    one visit per constraint and sub-step
   after   plastic rest lengths with a bound, and a largest strain (O'Brien, Bargteil and Hodgins
           2002 for solids); own design: rest lengths have two sets, so that a cancelled step leaves
           nothing */
#include "cloth.h"
#include "../../world/event.h"
#include "../../base/bytes.h"

/* ---- edges of triangles ---- */

/* The constraint of a colour between nodes a < b, or none. Those of a colour ascend by their first
   ends. */
static uint32_t wear_find_in(const tp_world *world, uint32_t colour, uint32_t a, uint32_t b)
{
    const uint32_t *begin = tpi_cloth_head_of(world)->begin,
                   *first = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]),
                   *second = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND]);
    uint32_t low = begin[colour], end = begin[colour + 1u];
    for (uint32_t high = end; low < high;) {
        uint32_t middle = low + (high - low) / 2u;
        if (first[middle] < a)
            low = middle + 1u;
        else
            high = middle;
    }
    for (; low < end && first[low] == a; low++)
        if (second[low] == b) return low;
    return TPI_CLOTH_NO_EDGE;
}

/* What resists stretch comes first. */
static uint32_t wear_find(const tp_world *world, uint32_t a, uint32_t b)
{
    uint32_t found = TPI_CLOTH_NO_EDGE, low = tpi_min_u32(a, b), high = tpi_max_u32(a, b);
    for (uint32_t colour = TPI_CLOTH_COLOURS; colour-- > 0 && found == TPI_CLOTH_NO_EDGE;)
        found = wear_find_in(world, colour, low, high);
    return found;
}

/* After splits, constraints of a colour do not ascend. */
void tpi_cloth_find_edges(const tp_world *world)
{
    const uint32_t *corners = tpi_words(world, world->arrays.own[TPI_CLOTH_TRIANGLE]);
    const bool has_lists = tpi_cloth_can_split(&world->def);
    uint32_t *edges = tpi_words(world, world->arrays.own[TPI_CLOTH_EDGE]);
    for (uint32_t t = 0; t < tpi_cloth_head_of(world)->triangles; t++)
        for (uint32_t side = 0; side < 3; side++) {
            const uint32_t a = corners[3u * t + side], b = corners[3u * t + (side + 1u) % 3u];
            edges[3u * t + side] =
                has_lists ? tpi_cloth_find_end(world, a, b) : wear_find(world, a, b);
        }
}

bool tpi_cloth_is_torn(const tp_world *world, const float *lengths, uint32_t triangle)
{
    if (!tpi_cloth_wears(&world->def)) return false;
    const uint32_t *edge =
        tpi_words(world, world->arrays.own[TPI_CLOTH_EDGE]) + 3u * (size_t)triangle;
    bool is_torn = false;
    for (uint32_t side = 0; side < 3; side++)
        is_torn = is_torn || (edge[side] != TPI_CLOTH_NO_EDGE && lengths[edge[side]] < 0.0f);
    return is_torn;
}

/* ---- strengths of sheets ---- */

#define WEAR_AS_WORLD (-1.0f)

static bool wear_is_own(float value, float most)
{
    return value == WEAR_AS_WORLD || tpi_is_within(value, 0.0f, most);
}

bool tpi_cloth_is_strength(const tpi_cloth_strength *strength)
{
    return wear_is_own(strength->tear, 100.0f) && wear_is_own(strength->yield, 0.9f) &&
           wear_is_own(strength->yield_max, 10.0f);
}

/* The wear of a sheet: its own, or that of the world. */
static tpi_cloth_strength wear_strength(const tp_cloth *cloth, tpi_cloth_strength own)
{
    if (own.tear < 0.0f) own.tear = cloth->tear;
    if (own.yield < 0.0f) own.yield = cloth->yield;
    if (own.yield_max < 0.0f) own.yield_max = cloth->yield_max;
    return own;
}

const char *tpi_cloth_check_wear(const tp_world_def *def, const tp_cloth_def *sheet)
{
    const tpi_cloth_strength own = {sheet->tear, sheet->yield, sheet->yield_max};
    if (!wear_is_own(own.tear, 100.0f)) return TPI_TEXT("tear must be 0 to 100, or -1");
    if (!wear_is_own(own.yield, 0.9f)) return TPI_TEXT("yield must be 0 to 0.9, or -1");
    if (!wear_is_own(own.yield_max, 10.0f)) return TPI_TEXT("yield_max must be 0 to 10, or -1");
    tpi_cloth_strength strength = wear_strength(&def->cloth, own);
    bool wears = strength.tear > 0.0f || strength.yield > 0.0f;
    if (wears && !tpi_cloth_wears(def))
        return TPI_TEXT("tear and yield of a sheet need a world with cloth.tear or cloth.yield "
                        "above 0");
    if (wears && sheet->tether != 0.0f)
        return TPI_TEXT(
            "tether must be 0 for a sheet with tear or yield, its own or those of cloth: "
            "it would hold what breaks or yields");
    return NULL;
}

uint64_t tpi_cloth_put_strength(const tp_world *world, const tp_cloth_def *sheet, uint32_t first)
{
    const tp_cloth *cloth = &world->def.cloth;
    const tpi_cloth_strength own = {sheet->tear, sheet->yield, sheet->yield_max},
                             is = wear_strength(cloth, own);
    tpi_cloth_strengths(world)[tpi_cloth_head_of(world)->sheets] = own;
    if (is.tear == cloth->tear && is.yield == cloth->yield && is.yield_max == cloth->yield_max)
        return 0;
    uint64_t hash = tpi_mix_word(tpi_words(world, world->arrays.id)[first], tpi_bits(is.tear));
    return tpi_mix_word(hash, (uint64_t)tpi_bits(is.yield) << 32 | tpi_bits(is.yield_max));
}

/* The sheet of a node, at or after sheet s if it lies there. Constraints of a colour ascend by
   their first ends, and sheets by their first nodes. */
static uint32_t wear_sheet(const tp_world *world, uint32_t s, uint32_t node)
{
    const tpi_cloth_sheet *sheets = tpi_cloth_sheets(world);
    node = tpi_cloth_root(world, node);
    if (sheets[s].first > node) s = 0;
    while (s + 1u < tpi_cloth_head_of(world)->sheets && sheets[s + 1u].first <= node) s++;
    return s;
}

/* ---- the hash ---- */

uint64_t tpi_cloth_wear_hash(const tp_world *world, const float *lengths, uint32_t k)
{
    if (lengths[k] == tpi_cloth_made(world)[k]) return 0;
    return tpi_mix_word(k, tpi_bits(lengths[k]));
}

void tpi_cloth_count_worn(tp_world *world)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    const float *lengths = tpi_cloth_lengths(world, world->front);
    world->kept_hash -= head->worn;
    head->worn = 0;
    for (uint32_t k = 0; k < head->begin[TPI_CLOTH_COLOURS]; k++)
        head->worn += tpi_cloth_wear_hash(world, lengths, k);
    world->kept_hash += head->worn;
}

/* ---- the step ---- */

/* m: the rest length of a constraint that was made with one length, rests at another, and has a
   third now. */
static float wear_yield(const tpi_cloth_strength *strength, float made, float rest, float now)
{
    if (strength->yield == 0.0f) return rest;
    float stretched = now / (1.0f + strength->yield), pressed = now / (1.0f - strength->yield),
          most = 1.0f + strength->yield_max;
    if (stretched > rest) return tpi_min(stretched, made * most);
    if (pressed < rest) return tpi_max(pressed, made / most);
    return rest;
}

/* A constraint that breaks is an event of its ends, the one with the lower id first. */
static TPI_APART uint32_t wear_note(tp_world *world, uint32_t a, uint32_t b, float length)
{
    tp_event event = tpi_event_front(world, TP_EVENT_LINK_BROKEN, a),
             other = tpi_event_front(world, TP_EVENT_LINK_BROKEN, b);
    tp_vector offset = tpi_sub(event.point, other.point);
    event.partner = other.id;
    event.normal = tpi_scale(offset, 1.0f / length);
    event.point = tpi_add_scaled(event.point, offset, -0.5f);
    event.speed = tpi_dot(tpi_sub(event.velocity, other.velocity), event.normal);
    return tpi_event_add(world, &event);
}

/* The next rest length of a constraint that holds; *used grows by the units of an event. */
static float wear_next(tp_world *world, const tpi_cloth_strength *strength, uint32_t k, float rest,
                       uint32_t *used)
{
    uint32_t a = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST])[k],
             b = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND])[k];
    float now = tpi_cloth_distance(world, a, b),
          next = wear_yield(strength, tpi_cloth_made(world)[k], rest, now);
    tpi_cloth_tear tear = TPI_CLOTH_TEAR_BREAK;
    if (strength->tear == 0.0f || !(now > next * (1.0f + strength->tear))) return next;
    if (tpi_cloth_can_split(&world->def)) tear = tpi_cloth_tear_edge(world, a, b, used);
    if (tear == TPI_CLOTH_TEAR_WAIT) return next;
    world->step.links_broken++;
    if (tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_LINK_BROKEN)))
        *used += wear_note(world, a, b, now);
    return tear == TPI_CLOTH_TEAR_SPLIT ? next : TPI_CLOTH_BROKEN;
}

/* Sheets that have ended keep their lengths. */
TPI_APART uint32_t tpi_cloth_wear(tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    const float *lengths = tpi_cloth_lengths(world, world->front);
    float *next = tpi_cloth_lengths(world, world->front ^ 1u);
    const uint32_t *first = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]);
    const bool acts = tpi_cloth_nodes(world) > 0;
    uint32_t used = 0, sheet = 0, of = TPI_CLOTH_NO_EDGE;
    tpi_cloth_strength strength = {0.0f, 0.0f, 0.0f};
    if (begin == 0) head->worn_next = 0;
    if (begin == 0 && tpi_cloth_can_split(&world->def)) tpi_cloth_begin_tears(world);
    for (uint32_t k = begin; k < end; k++) {
        sheet = wear_sheet(world, sheet, first[k]);
        if (sheet != of)
            strength = wear_strength(&world->def.cloth, tpi_cloth_strengths(world)[of = sheet]);
        next[k] = acts && lengths[k] >= 0.0f ? wear_next(world, &strength, k, lengths[k], &used)
                                             : lengths[k];
        head->worn_next += tpi_cloth_wear_hash(world, next, k);
    }
    return used;
}

void tpi_cloth_wear_exchange(tp_world *world)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    if (!tpi_cloth_wears(&world->def) || head->begin[TPI_CLOTH_COLOURS] == 0) return;
    world->kept_hash += head->worn_next - head->worn;
    head->worn = head->worn_next;
}

/* ---- caches ---- */

#define WEAR_HEAD 8u /* bytes before the rest lengths */

static uint32_t wear_words(uint32_t bits) { return (bits + 31u) / 32u; }

static uint32_t wear_bytes(const tp_world_def *def, uint32_t constraints, uint32_t triangles)
{
    uint32_t words = wear_words(def->cloth.ties_max);
    if (tpi_cloth_wears(def)) words += constraints + wear_words(triangles);
    return WEAR_HEAD + 4u * words;
}

uint32_t tpi_cloth_record_bytes(const tp_world_def *def)
{
    return wear_bytes(def, def->cloth.constraints_max, def->cloth.triangles_max);
}

/* Of the world as it is. */
static uint32_t wear_bytes_now(const tp_world *world)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    return wear_bytes(&world->def, head->begin[TPI_CLOTH_COLOURS], head->triangles);
}

/* Returns the end. */
static uint8_t *wear_record_lengths(const tp_world *world, uint8_t *to)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const bool wears = tpi_cloth_wears(&world->def);
    const float *lengths = tpi_cloth_lengths(world, world->front);
    const uint32_t count = wears ? head->begin[TPI_CLOTH_COLOURS] : 0u,
                   triangles = wears ? head->triangles : 0u;
    tpi_store_u32(to, count);
    tpi_store_u32(to + 4, triangles);
    to += WEAR_HEAD;
    for (uint32_t k = 0; k < count; k++, to += 4) tpi_store_u32(to, tpi_bits(lengths[k]));
    for (uint32_t t = 0, word = 0; t < triangles; t++) {
        word |= (tpi_cloth_is_torn(world, lengths, t) ? 1u : 0u) << t % 32u;
        if (t % 32u < 31u && t + 1u < triangles) continue;
        tpi_store_u32(to + t / 32u * 4u, word);
        word = 0;
    }
    return to + 4u * wear_words(triangles);
}

uint32_t tpi_cloth_record(const tp_world *world, uint8_t *to)
{
    if (!to) return wear_bytes_now(world);
    to = wear_record_lengths(world, to);
    for (uint32_t tie = 0, word = 0; tie < world->def.cloth.ties_max; tie++) {
        word |= (tpi_cloth_is_parted(world, tie) ? 1u : 0u) << tie % 32u;
        if (tie % 32u < 31u && tie + 1u < world->def.cloth.ties_max) continue;
        tpi_store_u32(to + tie / 32u * 4u, word);
        word = 0;
    }
    return wear_bytes_now(world);
}

void tpi_cloth_restore_begin(const tp_world *world)
{
    if (tpi_cloth_can_split(&world->def)) tpi_cloth_begin_tears(world);
    if (tpi_cloth_wears(&world->def))
        tpi_memcpy(tpi_cloth_lengths(world, world->front ^ 1u),
                   tpi_cloth_lengths(world, world->front),
                   4u * (size_t)tpi_cloth_head_of(world)->begin[TPI_CLOTH_COLOURS]);
    for (uint32_t tie = 0; tie < tpi_cloth_ties_end(world); tie++)
        tpi_cloth_part_tie(world, tie, tpi_cloth_is_parted(world, tie));
}

/* False: of other sheets, or damaged. */
static bool wear_restore_lengths(const tp_world *world, const uint8_t *from)
{
    float *lengths = tpi_cloth_lengths(world, world->front ^ 1u);
    const uint32_t count =
        tpi_cloth_wears(&world->def) ? tpi_cloth_head_of(world)->begin[TPI_CLOTH_COLOURS] : 0u;
    if (tpi_load_u32(from) != count) return false;
    from += WEAR_HEAD;
    for (uint32_t k = 0; k < count; k++, from += 4) {
        float length = tpi_from_bits(tpi_load_u32(from));
        if (length != TPI_CLOTH_BROKEN && !tpi_is_within(length, 0.0f, TPI_CLOTH_LENGTH_MAX))
            return false;
        lengths[k] = length;
    }
    return true;
}

bool tpi_cloth_restore(const tp_world *world, const uint8_t *from, uint32_t bytes)
{
    const uint32_t ties = world->def.cloth.ties_max;
    if (bytes != wear_bytes_now(world)) return false;
    if (!wear_restore_lengths(world, from)) return false;
    from += bytes - 4u * wear_words(ties);
    for (uint32_t tie = 0; tie < tpi_cloth_ties_end(world); tie++)
        tpi_cloth_part_tie(world, tie, tpi_load_u32(from + tie / 32u * 4u) >> tie % 32u & 1u);
    return true;
}

void tpi_cloth_restore_end(tp_world *world)
{
    if (tpi_cloth_can_split(&world->def)) tpi_cloth_restore_splits_end(world);
    if (tpi_cloth_wears(&world->def)) tpi_cloth_count_worn(world);
    tpi_cloth_count_broken(world);
}

/* ---- what is left of the sheets ---- */

tp_result tp_cloth_triangles(const tp_world *world, uint32_t *ids, uint32_t capacity,
                             uint32_t *count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!count || (!ids && capacity > 0)) return TP_ERROR_NULL;
    if (world->def.solver != TP_SOLVER_CLOTH) return TP_ERROR_DEFINITION;
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *corners = tpi_words(world, world->arrays.own[TPI_CLOTH_TRIANGLE]),
                   *of = tpi_words(world, world->arrays.id);
    const float *lengths = tpi_cloth_lengths(world, world->front);
    *count = 0;
    for (uint32_t t = 0; tpi_cloth_nodes(world) && t < head->triangles; t++) {
        if (tpi_cloth_is_torn(world, lengths, t)) continue;
        if (*count == capacity) return TP_ERROR_FULL;
        for (uint32_t side = 0; side < 3; side++)
            ids[3u * (size_t)*count + side] = of[corners[3u * (size_t)t + side]];
        ++*count;
    }
    return TP_OK;
}

#undef WEAR_HEAD
#undef WEAR_AS_WORLD
