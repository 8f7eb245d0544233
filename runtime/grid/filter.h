/* SPDX-License-Identifier: MIT
   runtime/grid/filter.h - the filter of patches: which slots are near a particle.
   reads   positions in slots      writes  pairs and their squared distances
   memory  none of its own         cost    about 28 instructions per vector of slots
   after   own design: vectors of slots are tested, and a table orders the numbers of those that
           are near, so that no branch depends on the data */
#ifndef TPI_FILTER_H
#define TPI_FILTER_H
#include "patch.h"
#if TPI_LANES > 1

typedef uint16_t patch_eight __attribute__((vector_size(16)));

/* Copies the positions. Slots behind the last particle are far from all particles, so that the
   filter tests whole vectors. */
#define PATCH_FAR 1e18f
TPI_INLINE void patch_load(const tp_world *world, tpi_patch *patch, uint32_t dimensions)
{
    tpi_points points = tpi_points_of(world);
    size_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (size_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES) {
            tpi_lanes_store(patch->x[0] + to, tpi_lanes_load(points.x + p));
            tpi_lanes_store(patch->x[1] + to, tpi_lanes_load(points.y + p));
            if (dimensions == 3) tpi_lanes_store(patch->x[2] + to, tpi_lanes_load(points.z + p));
        }
        slot += run.end - run.begin;
    }
    if (TPI_UNLIKELY(points.box)) tpi_patch_wrap(world, patch, patch->x[0], 1, TPI_PATCH_ROOM);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        for (uint32_t k = 0; k < TPI_PATCH_STEP; k += TPI_LANES)
            tpi_lanes_store(patch->x[axis] + slot + k, tpi_lanes_of(PATCH_FAR));
}

/* For eight bits: the numbers of the bits that are set, in order. The order of the lower four bits
   is given for each order of the upper four. */
#if defined(TPI_LANES_AVX2) || defined(TPI_LANES_AVX512)
/* a byte each */
#define PATCH_ORDERS(high)                                                                       \
    (high), (high) << 8, 1u | (high) << 8, 0x100u | (high) << 16, 2u | (high) << 8,              \
        0x200u | (high) << 16, 0x201u | (high) << 16, 0x20100u | (high) << 24, 3u | (high) << 8, \
        0x300u | (high) << 16, 0x301u | (high) << 16, 0x30100u | (high) << 24,                   \
        0x302u | (high) << 16, 0x30200u | (high) << 24, 0x30201u | (high) << 24,                 \
        0x3020100u | (high) << 32
static const uint64_t patch_orders[256] = {
    PATCH_ORDERS(UINT64_C(0)),       PATCH_ORDERS(UINT64_C(4)),
    PATCH_ORDERS(UINT64_C(5)),       PATCH_ORDERS(UINT64_C(0x504)),
    PATCH_ORDERS(UINT64_C(6)),       PATCH_ORDERS(UINT64_C(0x604)),
    PATCH_ORDERS(UINT64_C(0x605)),   PATCH_ORDERS(UINT64_C(0x60504)),
    PATCH_ORDERS(UINT64_C(7)),       PATCH_ORDERS(UINT64_C(0x704)),
    PATCH_ORDERS(UINT64_C(0x705)),   PATCH_ORDERS(UINT64_C(0x70504)),
    PATCH_ORDERS(UINT64_C(0x706)),   PATCH_ORDERS(UINT64_C(0x70604)),
    PATCH_ORDERS(UINT64_C(0x70605)), PATCH_ORDERS(UINT64_C(0x7060504)),
};
#undef PATCH_ORDERS

/* Twice the numbers. */
TPI_INLINE patch_eight patch_order(uint32_t bits)
{
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&patch_orders[bits]);
    patch_eight order = (patch_eight)_mm_cvtepu8_epi16(bytes);
    return order + order;
}
#else
/* twice the number, 16 bits each */
#define PATCH_NONE(high) \
    {                    \
        (high), 0        \
    }
#define PATCH_ONE(low, high)               \
    {                                      \
        (low) | (high) << 16, (high) >> 48 \
    }
#define PATCH_TWO(low, high)               \
    {                                      \
        (low) | (high) << 32, (high) >> 32 \
    }
#define PATCH_THREE(low, high)             \
    {                                      \
        (low) | (high) << 48, (high) >> 16 \
    }
#define PATCH_FOUR(low, high) \
    {                         \
        (low), (high)         \
    }
#define PATCH_ORDERS(high)                                                                     \
    PATCH_NONE(high), PATCH_ONE(0u, high), PATCH_ONE(2u, high), PATCH_TWO(0x20000u, high),     \
        PATCH_ONE(4u, high), PATCH_TWO(0x40000u, high), PATCH_TWO(0x40002u, high),             \
        PATCH_THREE(0x400020000u, high), PATCH_ONE(6u, high), PATCH_TWO(0x60000u, high),       \
        PATCH_TWO(0x60002u, high), PATCH_THREE(0x600020000u, high), PATCH_TWO(0x60004u, high), \
        PATCH_THREE(0x600040000u, high), PATCH_THREE(0x600040002u, high),                      \
        PATCH_FOUR(0x6000400020000u, high)
static const uint64_t patch_orders[256][2] = {
    PATCH_ORDERS(UINT64_C(0)),           PATCH_ORDERS(UINT64_C(0x8)),
    PATCH_ORDERS(UINT64_C(0xa)),         PATCH_ORDERS(UINT64_C(0xa0008)),
    PATCH_ORDERS(UINT64_C(0xc)),         PATCH_ORDERS(UINT64_C(0xc0008)),
    PATCH_ORDERS(UINT64_C(0xc000a)),     PATCH_ORDERS(UINT64_C(0xc000a0008)),
    PATCH_ORDERS(UINT64_C(0xe)),         PATCH_ORDERS(UINT64_C(0xe0008)),
    PATCH_ORDERS(UINT64_C(0xe000a)),     PATCH_ORDERS(UINT64_C(0xe000a0008)),
    PATCH_ORDERS(UINT64_C(0xe000c)),     PATCH_ORDERS(UINT64_C(0xe000c0008)),
    PATCH_ORDERS(UINT64_C(0xe000c000a)), PATCH_ORDERS(UINT64_C(0xe000c000a0008)),
};
#undef PATCH_NONE
#undef PATCH_ONE
#undef PATCH_TWO
#undef PATCH_THREE
#undef PATCH_FOUR
#undef PATCH_ORDERS

TPI_INLINE patch_eight patch_order(uint32_t bits)
{
    patch_eight order;
#if defined(TPI_ROWS)
    tpi_memcpy(&order, patch_orders[bits], sizeof order);
#else /* in any byte order */
    for (uint32_t k = 0; k < 8; k++)
        order[k] = (uint16_t)(patch_orders[bits][k / 4u] >> 16u * (k & 3u));
#endif
    return order;
}
#endif

/* How many of eight bits are set. */
#if !defined(TPI_LANES_AVX2) && !defined(TPI_LANES_AVX512)
#define PATCH_COUNTS(n)                                                                            \
    (n), (n) + 1, (n) + 1, (n) + 2, (n) + 1, (n) + 2, (n) + 2, (n) + 3, (n) + 1, (n) + 2, (n) + 2, \
        (n) + 3, (n) + 2, (n) + 3, (n) + 3, (n) + 4
static const uint8_t patch_counts[256] = {
    PATCH_COUNTS(0), PATCH_COUNTS(1), PATCH_COUNTS(1), PATCH_COUNTS(2),
    PATCH_COUNTS(1), PATCH_COUNTS(2), PATCH_COUNTS(2), PATCH_COUNTS(3),
    PATCH_COUNTS(1), PATCH_COUNTS(2), PATCH_COUNTS(2), PATCH_COUNTS(3),
    PATCH_COUNTS(2), PATCH_COUNTS(3), PATCH_COUNTS(3), PATCH_COUNTS(4),
};
#undef PATCH_COUNTS
#endif
TPI_INLINE uint32_t patch_count(uint32_t bits)
{
#if defined(TPI_LANES_AVX2) || defined(TPI_LANES_AVX512)
    return (uint32_t)__builtin_popcount(bits);
#else
    return patch_counts[bits];
#endif
}

/* The offset of the slots from k on along an axis, or its opposite, which may be cheaper. */
TPI_INLINE tpi_lanes patch_offset(const tpi_patch *patch, uint32_t axis, size_t k, tpi_lanes own)
{
#if defined(TPI_LANES_AVX2) || defined(TPI_LANES_AVX512)
    return own - tpi_lanes_load(patch->x[axis] + k);
#else
    return tpi_lanes_load(patch->x[axis] + k) - own;
#endif
}

/* Squared distances of the particle at `own` and the slots from k on. */
TPI_INLINE tpi_lanes patch_squares(const tpi_patch *patch, size_t k, const tpi_lanes own[3],
                                   uint32_t dimensions)
{
    tpi_lanes dx = patch_offset(patch, 0, k, own[0]), dy = patch_offset(patch, 1, k, own[1]);
    tpi_lanes square = dx * dx + dy * dy;
    if (dimensions == 3) {
        tpi_lanes dz = patch_offset(patch, 2, k, own[2]);
        square = square + dz * dz;
    }
    return square;
}

/* Appends the slots whose bits are set as partners: `first` is the doubled slot of bit 0, in each
   lane. Returns the new number of pairs; writes eight. */
TPI_INLINE size_t patch_append(tpi_patch *patch, size_t count, uint32_t bits, patch_eight first)
{
    patch_eight partners = patch_order(bits) + first;
    tpi_memcpy(patch->j + count, &partners, sizeof partners);
    return count + patch_count(bits);
}

/* Appends those of TPI_PATCH_STEP slots from k on that are nearer than `limit` to the particle at
   x. The squares of their distances are appended too, or left in `apart` if the machine cannot
   compress a vector: see patch_gather. */
TPI_INLINE size_t patch_test(tpi_patch *patch, size_t count, size_t k, const tpi_lanes x[3],
                             patch_eight first, tpi_lanes limit, uint32_t dimensions)
{
#if defined(TPI_LANES_AVX2)
    tpi_lanes square = patch_squares(patch, k, x, dimensions);
    uint32_t bits = tpi_lanes_bits(tpi_lanes_less(square, limit));
    __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)&patch_orders[bits]);
    square = (tpi_lanes)_mm256_permutevar8x32_ps((__m256)square, _mm256_cvtepu8_epi32(order));
    tpi_lanes_store(patch->square + count, square);
    return patch_append(patch, count, bits, first);
#else
    uint32_t bits = 0;
#if defined(TPI_LANES_SSE2)
    if (dimensions == 2) { /* masks of words, then of bytes; in 3D registers would be copied */
        __m128i masks[2];
        for (uint32_t part = 0; part < 2; part++) {
            tpi_lanes square = patch_squares(patch, k + 4u * part, x, 2);
            tpi_lanes_store(patch->apart + k + 4u * part, square);
            masks[part] = (__m128i)tpi_lanes_less(square, limit);
        }
        __m128i words = _mm_packs_epi32(masks[0], masks[1]);
        bits = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128()));
        return patch_append(patch, count, bits, first);
    }
#endif
    for (uint32_t part = 0; part < TPI_PATCH_STEP; part += TPI_LANES) {
        tpi_lanes square = patch_squares(patch, k + part, x, dimensions);
        tpi_lanes_store(patch->apart + k + part, square);
        bits |= tpi_lanes_bits(tpi_lanes_less(square, limit)) << part;
    }
    for (uint32_t part = 0; part < TPI_PATCH_STEP; part += 8u)
        count = patch_append(patch, count, bits >> part & 255u, first + (uint16_t)(2u * part));
    return count;
#endif
}

/* Appends the squared distances of the pairs begin .. end - 1 that were left apart. */
TPI_INLINE void patch_gather(tpi_patch *patch, size_t begin, size_t end)
{
#if !defined(TPI_LANES_AVX2)
#define PATCH_GATHER(n) \
    patch->square[k + (n)] = TPI_SLOT(const float, patch->apart, patch->j[k + (n)])
    const patch_eight zero = {0}; /* for up to three more than there are */
    tpi_memcpy(patch->j + end, &zero, sizeof zero);
    for (size_t k = begin; k < end; k += 4u) {
        PATCH_GATHER(0);
        PATCH_GATHER(1);
        PATCH_GATHER(2);
        PATCH_GATHER(3);
    }
#undef PATCH_GATHER
#else
    (void)patch;
    (void)begin;
    (void)end;
#endif
}

/* Appends the slots of a range that are near the particle at x, and possibly some after them that
   have slots. Returns the new number of pairs. */
TPI_INLINE size_t patch_filter_range(tpi_patch *patch, size_t count, tpi_run range,
                                     const tpi_lanes x[3], tpi_lanes limit, uint32_t dimensions)
{
    const patch_eight zero = {0};
    patch_eight first = zero + (uint16_t)(2u * range.begin);
    for (size_t k = range.begin; k < range.end; k += TPI_PATCH_STEP) {
        count = patch_test(patch, count, k, x, first, limit, dimensions);
        first += (uint16_t)(2u * TPI_PATCH_STEP);
    }
    return count;
}

/* The same for the particle in slot `own` and two ranges. The slots between are tested too if there
   are few. */
TPI_INLINE void patch_filter_two(tpi_patch *patch, uint32_t own, tpi_run near, tpi_run far,
                                 tpi_lanes limit, uint32_t dimensions)
{
    const tpi_lanes x[3] = {tpi_lanes_of(patch->x[0][own]), tpi_lanes_of(patch->x[1][own]),
                            tpi_lanes_of(patch->x[dimensions - 1u][own])};
    const patch_eight zero = {0}, own_doubled = zero + (uint16_t)(2u * own);
    const size_t begin = patch->pair_count;
    size_t count = begin;
    if (far.begin - near.end < TPI_PATCH_STEP)
        far.begin = near.begin;
    else
        count = patch_filter_range(patch, count, near, x, limit, dimensions);
    count = patch_filter_range(patch, count, far, x, limit, dimensions);
    for (size_t k = begin; k < count; k += 8u)
        tpi_memcpy(patch->i + k, &own_doubled, sizeof own_doubled);
    patch_gather(patch, begin, count);
    patch->pair_count = (uint32_t)count;
}

/* The same for one range. */
TPI_INLINE void patch_filter(tpi_patch *patch, uint32_t own, uint32_t from, uint32_t to,
                             tpi_lanes limit, uint32_t dimensions)
{
    patch_filter_two(patch, own, (tpi_run){from, from}, (tpi_run){from, to}, limit, dimensions);
}

/* Makes pairs begin .. end - 1, whose second particles are there already, a row of the slot of
   `own`, which has it doubled in each lane. Writes up to eight more. Returns the next row. */
TPI_INLINE tpi_patch_row *patch_own_row(tpi_patch *patch, tpi_patch_row *row, patch_eight own,
                                        size_t begin, size_t end)
{
    tpi_memcpy(patch->i + begin, &own, sizeof own);
    for (size_t k = begin + 8u; k < end; k += 8u) tpi_memcpy(patch->i + k, &own, sizeof own);
    *row = (tpi_patch_row){own[0], (uint16_t)end};
    return row + (end > begin);
}

/* Copies `count` numbers. Reads and writes up to seven more. */
TPI_INLINE void patch_copy(uint16_t *to, const uint16_t *from, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += 8u) {
        patch_eight eight;
        tpi_memcpy(&eight, from + k, sizeof eight);
        tpi_memcpy(to + k, &eight, sizeof eight);
    }
}

/* Copies `count` doubled slots as partners of `own`. Reads and writes up to seven more. */
TPI_INLINE void patch_copy_row(tpi_patch *patch, const uint16_t *list, uint32_t count, uint32_t own)
{
    uint16_t *i = patch->i + patch->pair_count, *j = patch->j + patch->pair_count;
    const patch_eight zero = {0}, own_doubled = zero + (uint16_t)(2u * own);
    for (uint32_t k = 0; k < count; k += 8u) {
        patch_eight eight;
        tpi_memcpy(&eight, list + k, sizeof eight);
        tpi_memcpy(j + k, &eight, sizeof eight);
        tpi_memcpy(i + k, &own_doubled, sizeof own_doubled);
    }
    patch->pair_count += count;
}

#undef PATCH_FAR
#endif
#endif
