/* SPDX-License-Identifier: MIT
   runtime/grid/find.h - finds the neighbours of a cell's particles: the lists of pair forces.
   reads   back positions, table      writes  neighbour lists, neighbour counts
   memory  candidates and a batch on the stack: 13 KB
   cost    the units of sweep.h; about 17 instructions per vector of candidates
   after   own design: candidates beyond the cutoff of all particles of a cell are dropped before
           they are tested one by one. Vectors of neighbours are compressed if the machine can;
           else a test leaves one bit per candidate, and only the bits that are set cost more. Only
           in builds with vectors */
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

/* True if the machine can compress a vector: else the bits of the test are stored first. */
#if defined(TPI_LANES_AVX2) || defined(TPI_LANES_AVX512)
#define FIND_COMPRESSES 1
#else
#define FIND_COMPRESSES 0
#endif
/* The count of the particle of a row. */
#define FIND_COUNT(counts, row) (*(uint32_t *)(void *)((char *)(counts) + (row)))

typedef struct tpi_finds {
    _Alignas(64) float x[3][FIND_MAX + FIND_STEP];
    uint32_t row[FIND_MAX + 64u]; /* 4 times the index: where its sums are, see list_shift */
#if !FIND_COMPRESSES
    uint16_t near[FIND_MAX / FIND_STEP + 4u]; /* a bit per candidate */
#endif
    uint32_t count;
    /* of the particles whose neighbours are searched */
    float low[3], high[3];
    float size[3]; /* of the box; of an open axis more than any distance */
    tpi_batch batch;
} tpi_finds;

TPI_INLINE uint32_t find_next_step(uint32_t slot)
{
    return (slot + FIND_STEP - 1u) & ~(FIND_STEP - 1u);
}

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
    __m512i row = (__m512i)(tpi_lane_ints_counted((int32_t)j) << 2);
    _mm512_storeu_si512(finds->row + count, _mm512_maskz_compress_epi32((__mmask16)bits, row));
    return count + (uint32_t)__builtin_popcount(bits);
#elif defined(TPI_LANES_AVX2)
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&patch_orders[bits]);
    tpi_lane_ints order = (tpi_lane_ints)_mm256_cvtepu8_epi32(bytes);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        tpi_lanes_store(finds->x[axis] + count,
                        (tpi_lanes)_mm256_permutevar8x32_ps((__m256)x[axis], (__m256i)order));
    tpi_lane_ints_store(finds->row + count, (order + tpi_lane_ints_of((int32_t)j)) << 2);
    return count + patch_count(bits);
#else
    for (; bits; bits &= bits - 1u, count++) {
        uint32_t k = (uint32_t)__builtin_ctz(bits);
        for (uint32_t axis = 0; axis < dimensions; axis++)
            finds->x[axis][count] = TPI_LANE(x[axis], k);
        finds->row[count] = 4u * (j + k);
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
        tpi_lane_ints_store(finds->row + to, tpi_lane_ints_counted((int32_t)j) << 2);
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

/* The slots behind the last candidate are far from all particles: whole steps are tested. */
TPI_INLINE void find_fill(tpi_finds *finds, uint32_t count, uint32_t dimensions)
{
    for (uint32_t axis = 0; axis < dimensions; axis++)
        for (uint32_t k = 0; k < FIND_STEP; k += TPI_LANES)
            tpi_lanes_store(finds->x[axis] + count + k, tpi_lanes_of(FIND_FAR));
}

/* Collects the candidates of particles i .. i + count - 1 of the cell. False: too many. */
TPI_INLINE bool find_candidates(const tpi_stencil *stencil, tpi_points points, uint32_t i,
                                uint32_t count, tpi_lanes limit, tpi_sweep_kind kind,
                                tpi_finds *finds)
{
    const bool drops = count >= FIND_DROPS;
    const bool is_wrapped = kind.is_periodic && stencil->wrapped;
    uint32_t all = 0;
    if (drops) find_range(finds, points, i, count, kind.dimensions);
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run run = {r ? stencil->runs[r].begin : i, stencil->runs[r].end};
        if (all + run.end - run.begin > FIND_MAX - TPI_LANES) return false;
        if (!drops)
            all = find_run(finds, all, points, run, kind.dimensions);
        else if (is_wrapped)
            all = find_near_run(finds, all, points, run, limit, kind.dimensions, true);
        else
            all = find_near_run(finds, all, points, run, limit, kind.dimensions, false);
        /* the next cell of the row reads the particles after this run */
        TPI_PREFETCH(points.x + run.end + 16);
        TPI_PREFETCH(points.y + run.end + 16);
        TPI_PREFETCH(points.z + run.end + 16);
    }
    find_fill(finds, all, kind.dimensions);
    finds->count = all;
#if !FIND_COMPRESSES
    tpi_memset(finds->near + find_next_step(all) / FIND_STEP, 0, 4u * sizeof finds->near[0]);
#endif
    return true;
}

/* ---- the test of one particle ---- */

/* The same in all lanes: its position, the sizes of the box, and the square of the radius. */
typedef struct find_lanes {
    tpi_lanes own[3], size[3], limit;
} find_lanes;

/* Distance along an axis, or its opposite: its square has the same bits. The minimum image of a
   distance d is d, or opposite to size - |d|. The smaller one of both is the image. */
TPI_INLINE tpi_lanes find_offset(const tpi_finds *finds, uint32_t axis, size_t k,
                                 const find_lanes *lanes, bool is_wrapped)
{
    const tpi_lane_words sign = TPI_LANES_EACH(0x80000000u);
    tpi_lanes d = lanes->own[axis] - tpi_lanes_load(finds->x[axis] + k);
    if (!is_wrapped) return d;
    d = (tpi_lanes)((tpi_lane_words)d & ~sign);
    return tpi_lanes_min(d, lanes->size[axis] - d);
}

TPI_INLINE tpi_lane_mask find_mask(const tpi_finds *finds, size_t k, const find_lanes *lanes,
                                   uint32_t dimensions, uint32_t wrapped)
{
    tpi_lanes dx = find_offset(finds, 0, k, lanes, wrapped & 1u),
              dy = find_offset(finds, 1, k, lanes, wrapped & 2u);
    tpi_lanes square = dx * dx + dy * dy;
    if (dimensions == 3) {
        tpi_lanes dz = find_offset(finds, 2, k, lanes, wrapped & 4u);
        square = square + dz * dz;
    }
    return tpi_lanes_less(square, lanes->limit);
}

#if !FIND_COMPRESSES
/* The bits of FIND_STEP candidates from that in slot k on. */
TPI_INLINE uint32_t find_bits(const tpi_finds *finds, size_t k, const find_lanes *lanes,
                              uint32_t dimensions, uint32_t wrapped)
{
#if defined(TPI_LANES_SSE2)
    tpi_lane_mask masks[4];
    for (uint32_t part = 0; part < 4u; part++)
        masks[part] = find_mask(finds, k + 4u * part, lanes, dimensions, wrapped);
    __m128i low = _mm_packs_epi32((__m128i)masks[0], (__m128i)masks[1]),
            high = _mm_packs_epi32((__m128i)masks[2], (__m128i)masks[3]);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint32_t bits = 0;
    for (uint32_t part = 0; part < FIND_STEP; part += TPI_LANES)
        bits |= tpi_lanes_bits(find_mask(finds, k + part, lanes, dimensions, wrapped)) << part;
    return bits;
#endif
}
#endif

#if FIND_COMPRESSES
/* Appends the rows of those of TPI_LANES candidates from slot k on whose bits are set; returns the
   end. A whole vector is written. */
TPI_INLINE uint32_t *find_take(const tpi_finds *finds, size_t k, uint32_t bits, uint32_t *to)
{
#if defined(TPI_LANES_AVX512)
    __m512i rows = (__m512i)tpi_lane_ints_load(finds->row + k);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, rows));
#else
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&patch_orders[bits]);
    __m256i rows = (__m256i)tpi_lane_ints_load(finds->row + k);
    tpi_lane_ints_store(
        to, (tpi_lane_ints)_mm256_permutevar8x32_epi32(rows, _mm256_cvtepu8_epi32(bytes)));
#endif
    return to + __builtin_popcount(bits);
}

/* Appends the rows of the candidates in slots begin .. end - 1 that are near; returns the end. No
   branch depends on the data. */
TPI_INLINE uint32_t *find_test(tpi_finds *finds, size_t begin, size_t end, const find_lanes *lanes,
                               uint32_t dimensions, uint32_t wrapped, uint32_t *to)
{
    const find_lanes l = *lanes;
    size_t k = begin / TPI_LANES * TPI_LANES;
    if (k >= end) return to;
    uint32_t bits = tpi_lanes_bits(find_mask(finds, k, &l, dimensions, wrapped));
    to = find_take(finds, k, bits & TPI_LANES_ALL << (begin - k), to);
    for (k += TPI_LANES; k < end; k += TPI_LANES) {
        bits = tpi_lanes_bits(find_mask(finds, k, &l, dimensions, wrapped));
        to = find_take(finds, k, bits, to);
    }
    return to;
}

/* Counts the neighbours of rows begin .. end - 1. */
TPI_INLINE void find_count(const uint32_t *begin, const uint32_t *end, uint32_t *counts)
{
    for (; end - begin >= 4; begin += 4) {
        FIND_COUNT(counts, begin[0])++;
        FIND_COUNT(counts, begin[1])++;
        FIND_COUNT(counts, begin[2])++;
        FIND_COUNT(counts, begin[3])++;
    }
    for (; begin < end; begin++) FIND_COUNT(counts, *begin)++;
}
#else
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

/* Appends the rows of the candidates behind slot `own` whose bits are set, and counts them; returns
   the end. */
TPI_INLINE uint32_t *find_collect(const tpi_finds *finds, uint32_t own, uint32_t *to,
                                  uint32_t *counts)
{
    const uint32_t first = own + 1u, begin = first / FIND_STEP,
                   end = find_next_step(finds->count) / FIND_STEP;
    const uint32_t *row = finds->row + (size_t)begin * FIND_STEP;
    uint64_t mask = ~UINT64_C(0) << first % FIND_STEP;
    for (uint32_t step = begin; step < end; step += 4u, row += 4u * FIND_STEP) {
        uint64_t word = find_word(finds->near + step) & mask;
        for (; word; word &= word - 1u) {
            uint32_t at = row[(uint32_t)__builtin_ctzll(word)];
            *to++ = at;
            FIND_COUNT(counts, at)++;
        }
        mask = ~UINT64_C(0);
    }
    return to;
}

/* Sets the bits of the candidates in slots begin .. end - 1, and of up to FIND_STEP before; returns
   `to`. */
TPI_INLINE uint32_t *find_test(tpi_finds *finds, size_t begin, size_t end, const find_lanes *lanes,
                               uint32_t dimensions, uint32_t wrapped, uint32_t *to)
{
    const find_lanes l = *lanes;
    size_t k = begin / FIND_STEP * FIND_STEP;
    for (uint16_t *near = finds->near + k / FIND_STEP; k < end; k += FIND_STEP)
        *near++ = (uint16_t)find_bits(finds, k, &l, dimensions, wrapped);
    return to;
}
#endif

/* Appends the rows of the neighbours of the particle in slot `own`, and counts them; returns the
   end. `wrapped`: the axes that need minimum images. */
TPI_INLINE uint32_t *find_one(tpi_finds *finds, uint32_t own, tpi_lanes limit, uint32_t dimensions,
                              uint32_t wrapped, uint32_t *to, uint32_t *counts)
{
    find_lanes lanes;
    lanes.limit = limit;
    for (uint32_t axis = 0; axis < 3; axis++) {
        lanes.own[axis] = tpi_lanes_of(finds->x[tpi_min_u32(axis, dimensions - 1u)][own]);
        lanes.size[axis] = tpi_lanes_of(finds->size[axis]);
    }
    const size_t begin = own + 1u, count = finds->count;
    uint32_t *end = to;
    switch (wrapped) {
    case 0: end = find_test(finds, begin, count, &lanes, dimensions, 0, end); break;
    case 1: end = find_test(finds, begin, count, &lanes, dimensions, 1, end); break;
    case 2: end = find_test(finds, begin, count, &lanes, dimensions, 2, end); break;
    case 4: end = find_test(finds, begin, count, &lanes, dimensions, 4, end); break;
    default: end = find_test(finds, begin, count, &lanes, dimensions, 7, end); break;
    }
#if FIND_COMPRESSES
    find_count(to, end, counts);
#else
    end = find_collect(finds, own, end, counts);
#endif
    return end;
}

/* ---- the lists */

/* Where `count` candidates behind the lists so far have room, and a vector more: else, or if the
   sweep fills none, the batch. */
TPI_INLINE uint32_t *find_room(const tpi_sweep *sweep, tpi_finds *finds)
{
    const tp_world *world = sweep->world;
    uint32_t end = *tpi_sweep_list_end(sweep), most = tpi_sweep_list_most(sweep);
    bool fits = sweep->fills_lists && end <= most && most - end >= finds->count + TPI_LANES;
    return fits ? tpi_words(world, world->arrays.pair) + end : finds->batch.partner;
}

/* Stores the rows found at `begin`, as find_room returned it. */
TPI_INLINE void find_keep(tpi_sweep *sweep, tpi_finds *finds, uint32_t *begin, uint32_t count)
{
    const uint32_t shift = 2u - sweep->world->constants.list_shift;
    bool is_batch = begin == finds->batch.partner;
    if (!sweep->fills_lists) return;
    if (is_batch || shift)
        for (uint32_t k = 0; k < count; k++) begin[k] >>= is_batch ? 2u : shift;
    finds->batch.count = count;
    if (is_batch)
        tpi_sweep_keep(sweep, &finds->batch);
    else
        *tpi_sweep_list_end(sweep) += count;
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
    if (count < end - first) (void)tpi_meter_pays(&sweep->meter, sweep->meter.left + 1);
    if (sweep->meter.left <= 0) return true; /* the next slice begins with these particles */
    for (uint32_t axis = 0; kind.is_periodic && axis < 3; axis++)
        finds->size[axis] = box->cells[axis] ? box->size[axis] : FLT_MAX;
    if (count == 0 || !find_candidates(stencil, points, first, count, limit, kind, finds))
        return false;
    for (uint32_t own = 0; own < count; own++) {
        tpi_sweep_enter(sweep, find_cost(sweep, first + own, total));
        uint32_t *to = find_room(sweep, finds);
        uint32_t *last = find_one(finds, own, limit, kind.dimensions,
                                  kind.is_periodic ? stencil->wrapped : 0, to, counts);
        counts[first + own] += (uint32_t)(last - to);
        find_keep(sweep, finds, to, (uint32_t)(last - to));
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
#undef FIND_COMPRESSES
#undef FIND_COUNT
#endif
#endif
