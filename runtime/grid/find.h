/* SPDX-License-Identifier: MIT
   runtime/grid/find.h - finds the neighbours of a cell's particles: the lists of pair forces.
   reads   back positions, table      writes  neighbour lists, neighbour counts
   memory  candidates and a batch on the stack: 13 KB
   cost    the units of sweep.h; about 14 instructions per vector of candidates
   after   own design: candidates beyond the cutoff of all particles of a cell are dropped before
           they are tested one by one. A test leaves one bit per candidate, and only the bits that
           are set cost more. Only in builds with vectors */
#ifndef TPI_FIND_H
#define TPI_FIND_H
#include "filter.h"
#if TPI_LANES > 1

#define FIND_MAX  512u /* candidates; a batch holds as many */
#define FIND_STEP 16u  /* that are tested at once */
/* From so many particles on it is worth dropping candidates that are far from all of them. */
#define FIND_DROPS 10u
/* Slots behind the last candidate are far from all particles. */
#define FIND_FAR 1e18f

typedef struct tpi_finds {
    _Alignas(64) float x[3][FIND_MAX + FIND_STEP];
    uint32_t index[FIND_MAX + 64u];
    uint16_t near[FIND_MAX / FIND_STEP + 4u]; /* a bit per candidate */
    uint32_t count;
    /* of the particles whose neighbours are searched */
    float low[3], high[3];
    float size[3]; /* of the box; of an open axis more than any distance */
    tpi_batch batch;
} tpi_finds;

/* ---- candidates: the particles that are searched for come first ---- */

/* Distance along an axis from the range of the particles to candidates, 0 inside it. It is computed
   in the same way as that of two particles. Rounding is monotone, so it is never larger. */
TPI_INLINE tpi_lanes find_beyond(const tpi_finds *finds, uint32_t axis, tpi_lanes x,
                                 bool is_periodic)
{
    tpi_lanes above = x - tpi_lanes_of(finds->high[axis]),
              below = tpi_lanes_of(finds->low[axis]) - x, beyond = tpi_lanes_max(above, below);
    if (is_periodic)
        beyond =
            tpi_lanes_min(beyond, tpi_lanes_of(finds->size[axis]) + tpi_lanes_min(above, below));
    return tpi_lanes_max(beyond, tpi_lanes_of(0.0f));
}

/* Appends those of the particles from j on whose bits are set. Returns the new number. */
TPI_INLINE uint32_t find_append(tpi_finds *finds, uint32_t count, const tpi_lanes x[3], uint32_t j,
                                uint32_t bits, uint32_t dimensions)
{
#if defined(TPI_LANES_AVX512)
    for (uint32_t axis = 0; axis < dimensions; axis++)
        _mm512_storeu_ps(finds->x[axis] + count,
                         _mm512_maskz_compress_ps((__mmask16)bits, (__m512)x[axis]));
    __m512i index = (__m512i)tpi_lane_ints_counted((int32_t)j);
    _mm512_storeu_si512(finds->index + count, _mm512_maskz_compress_epi32((__mmask16)bits, index));
    return count + (uint32_t)__builtin_popcount(bits);
#elif defined(TPI_LANES_AVX2)
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&patch_orders[bits]);
    tpi_lane_ints order = (tpi_lane_ints)_mm256_cvtepu8_epi32(bytes);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        tpi_lanes_store(finds->x[axis] + count,
                        (tpi_lanes)_mm256_permutevar8x32_ps((__m256)x[axis], (__m256i)order));
    tpi_lane_ints_store(finds->index + count, order + tpi_lane_ints_of((int32_t)j));
    return count + patch_count(bits);
#else
    for (; bits; bits &= bits - 1u, count++) {
        uint32_t k = (uint32_t)__builtin_ctz(bits);
        for (uint32_t axis = 0; axis < dimensions; axis++)
            finds->x[axis][count] = TPI_LANE(x[axis], k);
        finds->index[count] = j + k;
    }
    return count;
#endif
}

/* Appends the particles of a run that are nearer than `limit` to the range of the particles. */
TPI_INLINE uint32_t find_near_run(tpi_finds *finds, uint32_t count, tpi_points points, tpi_run run,
                                  tpi_lanes limit, uint32_t dimensions, bool is_periodic)
{
    for (uint32_t j = run.begin; j < run.end; j += TPI_LANES) {
        tpi_lanes x[3] = {tpi_lanes_load(points.x + j), tpi_lanes_load(points.y + j),
                          tpi_lanes_load(points.z + j)};
        tpi_lanes square = tpi_lanes_of(0.0f);
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            tpi_lanes d = find_beyond(finds, axis, x[axis], is_periodic);
            square = axis ? square + d * d : d * d;
        }
        uint32_t bits = tpi_lanes_bits(tpi_lanes_less(square, limit));
        if (run.end - j < TPI_LANES) bits &= (1u << (run.end - j)) - 1u;
        count = find_append(finds, count, x, j, bits, dimensions);
    }
    return count;
}

/* Appends all particles of a run. */
TPI_INLINE uint32_t find_run(tpi_finds *finds, uint32_t count, tpi_points points, tpi_run run,
                             uint32_t dimensions)
{
    for (uint32_t j = run.begin, to = count; j < run.end; j += TPI_LANES, to += TPI_LANES) {
        tpi_lanes_store(finds->x[0] + to, tpi_lanes_load(points.x + j));
        tpi_lanes_store(finds->x[1] + to, tpi_lanes_load(points.y + j));
        if (dimensions == 3) tpi_lanes_store(finds->x[2] + to, tpi_lanes_load(points.z + j));
        tpi_lane_ints_store(finds->index + to, tpi_lane_ints_counted((int32_t)j));
    }
    return count + run.end - run.begin;
}

/* Computes the range of particles i .. i + count - 1. */
TPI_INLINE void find_range(tpi_finds *finds, tpi_points points, uint32_t i, uint32_t count,
                           uint32_t dimensions)
{
    const float *const x[3] = {points.x + i, points.y + i, points.z + i};
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        float low = x[axis][0], high = low;
        for (uint32_t k = 1; k < count; k++) {
            low = tpi_min(low, x[axis][k]);
            high = tpi_max(high, x[axis][k]);
        }
        finds->low[axis] = low;
        finds->high[axis] = high;
    }
}

/* Collects the candidates of particles i .. i + count - 1 of the cell. False: too many. */
TPI_INLINE bool find_candidates(const tpi_stencil *stencil, tpi_points points, uint32_t i,
                                uint32_t count, tpi_lanes limit, tpi_sweep_kind kind,
                                tpi_finds *finds)
{
    const bool drops = count >= FIND_DROPS;
    uint32_t all = 0;
    if (drops) find_range(finds, points, i, count, kind.dimensions);
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run run = {r ? stencil->runs[r].begin : i, stencil->runs[r].end};
        if (all + run.end - run.begin > FIND_MAX - TPI_LANES) return false;
        if (!drops)
            all = find_run(finds, all, points, run, kind.dimensions);
        else if (kind.is_periodic && stencil->wrapped)
            all = find_near_run(finds, all, points, run, limit, kind.dimensions, true);
        else
            all = find_near_run(finds, all, points, run, limit, kind.dimensions, false);
        /* the next cell of the row reads the particles after this run */
        TPI_PREFETCH(points.x + run.end + 16);
        TPI_PREFETCH(points.y + run.end + 16);
        TPI_PREFETCH(points.z + run.end + 16);
    }
    finds->count = all;
    for (uint32_t axis = 0; axis < kind.dimensions; axis++)
        for (uint32_t k = 0; k < FIND_STEP; k += TPI_LANES)
            tpi_lanes_store(finds->x[axis] + all + k, tpi_lanes_of(FIND_FAR));
    tpi_memset(finds->near + (all + FIND_STEP - 1u) / FIND_STEP, 0, 4u * sizeof finds->near[0]);
    return true;
}

/* ---- the test of one particle ---- */

/* Distance along an axis, or its opposite: its square has the same bits. The minimum image of a
   distance d is d, or opposite to size - |d|. The smaller one of both is the image. */
TPI_INLINE tpi_lanes find_offset(const tpi_finds *finds, uint32_t axis, size_t k, tpi_lanes own,
                                 bool is_wrapped)
{
    const tpi_lane_words sign = TPI_LANES_EACH(0x80000000u);
    tpi_lanes d = own - tpi_lanes_load(finds->x[axis] + k);
    if (!is_wrapped) return d;
    d = (tpi_lanes)((tpi_lane_words)d & ~sign);
    return tpi_lanes_min(d, tpi_lanes_of(finds->size[axis]) - d);
}

TPI_INLINE tpi_lane_mask find_mask(const tpi_finds *finds, size_t k, const tpi_lanes own[3],
                                   tpi_lanes limit, uint32_t dimensions, uint32_t wrapped)
{
    tpi_lanes dx = find_offset(finds, 0, k, own[0], wrapped & 1u),
              dy = find_offset(finds, 1, k, own[1], wrapped & 2u);
    tpi_lanes square = dx * dx + dy * dy;
    if (dimensions == 3) {
        tpi_lanes dz = find_offset(finds, 2, k, own[2], wrapped & 4u);
        square = square + dz * dz;
    }
    return tpi_lanes_less(square, limit);
}

/* The bits of FIND_STEP candidates from that in slot k on. */
TPI_INLINE uint32_t find_bits(const tpi_finds *finds, size_t k, const tpi_lanes own[3],
                              tpi_lanes limit, uint32_t dimensions, uint32_t wrapped)
{
#if defined(TPI_LANES_SSE2)
    tpi_lane_mask masks[4];
    for (uint32_t part = 0; part < 4u; part++)
        masks[part] = find_mask(finds, k + 4u * part, own, limit, dimensions, wrapped);
    __m128i low = _mm_packs_epi32((__m128i)masks[0], (__m128i)masks[1]),
            high = _mm_packs_epi32((__m128i)masks[2], (__m128i)masks[3]);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint32_t bits = 0;
    for (uint32_t part = 0; part < FIND_STEP; part += TPI_LANES)
        bits |= tpi_lanes_bits(find_mask(finds, k + part, own, limit, dimensions, wrapped)) << part;
    return bits;
#endif
}

/* Tests the candidates from that in slot `from` on; possibly some before it. */
TPI_INLINE void find_test(tpi_finds *finds, uint32_t from, const tpi_lanes own[3], tpi_lanes limit,
                          uint32_t dimensions, uint32_t wrapped)
{
    const size_t count = finds->count;
    size_t k = from / FIND_STEP * FIND_STEP;
    for (uint16_t *near = finds->near + k / FIND_STEP; k < count; k += FIND_STEP)
        *near++ = (uint16_t)find_bits(finds, k, own, limit, dimensions, wrapped);
}

/* The bits of 64 candidates. */
TPI_INLINE uint64_t find_word(const uint16_t *near)
{
    uint64_t word;
#if defined(TPI_ROWS)
    tpi_memcpy(&word, near, sizeof word);
#else /* in any byte order */
    word = near[0] | (uint64_t)near[1] << 16 | (uint64_t)near[2] << 32 | (uint64_t)near[3] << 48;
#endif
    return word;
}

/* Collects the candidates behind slot `own` whose bits are set, and counts them. */
TPI_INLINE void find_collect(tpi_finds *finds, uint32_t own, uint32_t *counts)
{
    const uint32_t first = own + 1u, begin = first / FIND_STEP,
                   end = (finds->count + FIND_STEP - 1u) / FIND_STEP;
    const uint32_t *index = finds->index + (size_t)begin * FIND_STEP;
    uint32_t *partner = finds->batch.partner;
    uint64_t mask = ~UINT64_C(0) << first % FIND_STEP;
    for (uint32_t step = begin; step < end; step += 4u, index += 4u * FIND_STEP) {
        uint64_t word = find_word(finds->near + step) & mask;
        for (; word; word &= word - 1u) {
            uint32_t j = index[(uint32_t)__builtin_ctzll(word)];
            *partner++ = j;
            counts[j]++;
        }
        mask = ~UINT64_C(0);
    }
    finds->batch.count = (uint32_t)(partner - finds->batch.partner);
}

/* Finds the neighbours of the particle in slot `own`. `wrapped`: the axes that need minimum
   images. */
TPI_INLINE void find_one(tpi_finds *finds, uint32_t own, tpi_lanes limit, uint32_t dimensions,
                         uint32_t wrapped, uint32_t *counts)
{
    const tpi_lanes at[3] = {tpi_lanes_of(finds->x[0][own]), tpi_lanes_of(finds->x[1][own]),
                             tpi_lanes_of(finds->x[dimensions - 1u][own])};
    switch (wrapped) {
    case 0: find_test(finds, own + 1u, at, limit, dimensions, 0); break;
    case 1: find_test(finds, own + 1u, at, limit, dimensions, 1); break;
    case 2: find_test(finds, own + 1u, at, limit, dimensions, 2); break;
    case 4: find_test(finds, own + 1u, at, limit, dimensions, 4); break;
    default: find_test(finds, own + 1u, at, limit, dimensions, 7); break;
    }
    find_collect(finds, own, counts);
}

/* ---- a cell ---- */

/* Half units of particle i: its own, those of the rows of the cell, and of its candidates. */
TPI_INLINE int32_t find_cost(const tpi_sweep *sweep, uint32_t i, uint32_t total)
{
    uint32_t own = i - sweep->stencil.own_begin, rows = own ? 0 : tpi_cell_units(sweep->world);
    return 2 * (int32_t)(1u + rows + total - own - 1u);
}

/* Number of particles from the cursor on that the slice pays for in any case. */
TPI_INLINE uint32_t find_affordable(const tpi_sweep *sweep, uint32_t end, uint32_t total)
{
    uint32_t count = 0;
    int32_t left = sweep->meter.left;
    for (uint32_t i = sweep->cursor.i; i < end; i++, count++) {
        left -= find_cost(sweep, i, total);
        if (left < 0) break;
    }
    return count;
}

/* Finds the neighbours of all particles that the slice pays for, from the cursor on, which is at
   the begin of one. False: of none. */
TPI_INLINE bool tpi_find_whole(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t end,
                               tpi_finds *finds)
{
    const tpi_stencil *stencil = &sweep->stencil;
    const tpi_points points = tpi_points_of(sweep->world);
    const tpi_lanes limit =
        tpi_lanes_of(sweep->world->step.radius_squared[stencil->level][stencil->level]);
    uint32_t *counts = tpi_sweep_counts(sweep), total = tpi_stencil_candidates(stencil),
             first = sweep->cursor.i, count = find_affordable(sweep, end, total);
    const tpi_box *box = &sweep->world->constants.box;
    for (uint32_t axis = 0; kind.is_periodic && axis < 3; axis++)
        finds->size[axis] = box->cells[axis] ? box->size[axis] : FLT_MAX;
    if (count == 0 || !find_candidates(stencil, points, first, count, limit, kind, finds))
        return false;
    for (uint32_t own = 0; own < count; own++) {
        tpi_sweep_enter(sweep, find_cost(sweep, first + own, total));
        find_one(finds, own, limit, kind.dimensions, kind.is_periodic ? stencil->wrapped : 0,
                 counts);
        counts[first + own] += finds->batch.count;
        if (sweep->fills_lists) tpi_sweep_keep(sweep, &finds->batch);
        tpi_sweep_next(sweep);
    }
    return true;
}

/* tpi_find_whole of a kind, compiled once. */
typedef bool (*tpi_find_work)(tpi_sweep *sweep, uint32_t end, tpi_finds *finds);

/* The same as tpi_sweep_cell for a sweep that counts, with candidates of one level. */
TPI_INLINE void find_cell(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t end, tpi_find_work whole)
{
    tpi_cursor *cursor = &sweep->cursor;
    tpi_finds finds;
    sweep->is_packed = false;
    while (cursor->i < end && sweep->meter.left > 0) {
        if (cursor->k == 0) {
            if (whole(sweep, end, &finds)) continue;
            tpi_sweep_enter(sweep, tpi_sweep_entry(sweep));
        }
        if (!tpi_sweep_unpacked(sweep, kind)) break;
        tpi_sweep_next(sweep);
    }
}

/* The cell of the particle at the cursor. */
TPI_INLINE void find_grid(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t end, tpi_find_work whole)
{
    tpi_stencil *stencil = &sweep->stencil;
    tpi_stencil_half(sweep->world, sweep->cursor.i, stencil);
    if (sweep->cursor.i >= stencil->own_end)
        tpi_sweep_skip_crowded(sweep, tpi_min_u32(stencil->cell_end, end));
    else if (stencil->levels_met > 1u || sweep->world->step.capped)
        tpi_sweep_stencil(sweep, kind, end);
    else
        find_cell(sweep, kind, tpi_min_u32(stencil->own_end, end), whole);
}

/* A sweep that counts, up to particle `end` or until the slice has no units left. */
TPI_INLINE void tpi_find_on(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t end,
                            tpi_find_work whole)
{
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        uint32_t to = tpi_sweep_enter_part(sweep, end);
        while (sweep->cursor.i < to && sweep->meter.left > 0) find_grid(sweep, kind, to, whole);
    }
}

#undef FIND_MAX
#undef FIND_STEP
#undef FIND_DROPS
#undef FIND_FAR
#endif
#endif
