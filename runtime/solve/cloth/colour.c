/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/colour.c - constraints in the order of their colours: append, sort, fold in.
   reads   constraints      writes  constraints, their begins by colour
   memory  none beyond the constraints
   cost    O(n log n) for n constraints that are not in order, O(constraints) for each colour
   after   heapsort (Williams 1964, Floyd 1964); rotation by three reversals */
#include "cloth.h"

#define CLOTH_COLOUR_SHIFT 24u /* indices of nodes are below 2^24 */
#define CLOTH_INDICES      0xffffffu

void tpi_cloth_append(const tp_world *world, uint32_t k, uint32_t colour, uint32_t a, uint32_t b,
                      float compliance)
{
    const uint32_t *own = world->arrays.own;
    tpi_words(world, own[TPI_CLOTH_FIRST])[k] = tpi_min_u32(a, b) | colour << CLOTH_COLOUR_SHIFT;
    tpi_words(world, own[TPI_CLOTH_SECOND])[k] = tpi_max_u32(a, b);
    float length = tpi_cloth_distance(world, a, b);
    tpi_cloth_lengths(world, world->front)[k] = tpi_cloth_made(world)[k] = length;
    tpi_floats(world, own[TPI_CLOTH_COMPLIANCE])[k] = compliance;
}

/* ---- heapsort ---- */

/* The words of constraints: both ends, length, compliance, and with wear the length before it. */
static uint32_t *cloth_words(const tp_world *world, uint32_t array)
{
    if (array == 2u) return (uint32_t *)(void *)tpi_cloth_lengths(world, world->front);
    if (array == 4u) return (uint32_t *)(void *)tpi_cloth_made(world);
    return tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST + array]);
}

static bool cloth_is_before(const tp_world *world, uint32_t a, uint32_t b)
{
    for (uint32_t array = 0; array < 3u; array++) {
        const uint32_t *words = cloth_words(world, array);
        if (words[a] != words[b]) return words[a] < words[b];
    }
    return false;
}

static void cloth_swap(const tp_world *world, uint32_t a, uint32_t b)
{
    const uint32_t arrays = tpi_cloth_wears(&world->def) ? 5u : 4u;
    for (uint32_t array = 0; array < arrays; array++) {
        uint32_t *words = cloth_words(world, array), word = words[a];
        words[a] = words[b];
        words[b] = word;
    }
}

/* Lets the root of a heap of `count` constraints from `begin` on sink to its place. */
static void cloth_sink(const tp_world *world, uint32_t begin, uint32_t root, uint32_t count)
{
    for (uint32_t child; (child = 2u * root + 1u) < count; root = child) {
        if (child + 1u < count && cloth_is_before(world, begin + child, begin + child + 1u))
            child++;
        if (!cloth_is_before(world, begin + root, begin + child)) return;
        cloth_swap(world, begin + root, begin + child);
    }
}

void tpi_cloth_sort(const tp_world *world, uint32_t begin, uint32_t end)
{
    uint32_t count = end - begin, ordered = 1;
    while (ordered < count && !cloth_is_before(world, begin + ordered, begin + ordered - 1u))
        ordered++;
    if (ordered >= count) return; /* grids append in order */
    for (uint32_t root = count / 2u; root-- > 0;) cloth_sink(world, begin, root, count);
    for (uint32_t last = count; last-- > 1u;) {
        cloth_swap(world, begin, begin + last);
        cloth_sink(world, begin, 0, last);
    }
}

/* ---- folding in ---- */

static void cloth_reverse(const tp_world *world, uint32_t begin, uint32_t end)
{
    for (; begin + 1u < end; begin++, end--) cloth_swap(world, begin, end - 1u);
}

/* Exchanges the constraints from `begin` to `middle` with those from `middle` to `end`. */
static void cloth_rotate(const tp_world *world, uint32_t begin, uint32_t middle, uint32_t end)
{
    if (begin == middle || middle == end) return;
    cloth_reverse(world, begin, middle);
    cloth_reverse(world, middle, end);
    cloth_reverse(world, begin, end);
}

static uint64_t cloth_hash(const tp_world *world, uint32_t k)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id), *own = world->arrays.own;
    uint64_t ends = (uint64_t)ids[tpi_words(world, own[TPI_CLOTH_FIRST])[k]] << 32 |
                    ids[tpi_words(world, own[TPI_CLOTH_SECOND])[k]];
    uint64_t hash = tpi_mix_word(ends, cloth_words(world, 2)[k]);
    return tpi_mix_word(hash, tpi_words(world, own[TPI_CLOTH_COMPLIANCE])[k]);
}

uint64_t tpi_cloth_fold(const tp_world *world, uint32_t end)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    uint32_t *firsts = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]);
    uint32_t fresh = head->begin[TPI_CLOTH_COLOURS], shift = 0, more[TPI_CLOTH_COLOURS] = {0};
    uint64_t hash = 0;
    tpi_cloth_sort(world, fresh, end);
    for (uint32_t k = fresh; k < end; k++) {
        more[firsts[k] >> CLOTH_COLOUR_SHIFT]++;
        firsts[k] &= CLOTH_INDICES;
        hash += cloth_hash(world, k);
    }
    for (uint32_t colour = 0; colour < TPI_CLOTH_COLOURS; colour++) {
        uint32_t middle = head->begin[colour + 1u] + shift;
        cloth_rotate(world, middle, fresh, fresh + more[colour]);
        fresh += more[colour];
        head->begin[colour] += shift;
        shift += more[colour];
    }
    head->begin[TPI_CLOTH_COLOURS] += shift;
    return hash;
}

#undef CLOTH_COLOUR_SHIFT
#undef CLOTH_INDICES
