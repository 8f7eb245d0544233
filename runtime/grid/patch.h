/* SPDX-License-Identifier: MIT
   runtime/grid/patch.h - patches: the candidates of a cell in contiguous slots, and their pairs.
   reads   back positions, table, lists      writes  lists; sums through a visitor
   memory  a patch on the stack: 16 KB        cost    the same units as sweep.h
   after   own design: the particles of a cell, or of a group of cells with few particles, share
           their candidates, which are copied to slots. The pairs of all of them are collected into
           one batch, so that a visitor's vectors are full, and its sums are added up in slots and
           settled once per batch: no vector is summed across lanes, and no term is scattered over
           the block. Only in builds with vectors */
#ifndef TPI_PATCH_H
#define TPI_PATCH_H
#include "sweep.h"
#include "../base/rows.h"
#if TPI_LANES > 1

/* Slots of a patch. A fluid's cell has 41 candidates in 2D (26 neighbours) and 97 in 3D (29). */
#ifndef TPI_PATCH_SLOTS
#define TPI_PATCH_SLOTS 256u
#endif
/* Pairs per call of a visitor. A slot is in 255 of them at most: each pair is there once. One more
   particle may be filtered before their number is looked at. */
#ifndef TPI_PATCH_PAIRS
#define TPI_PATCH_PAIRS 960u
#endif
/* Of a group. A half stencil has 14 cells, and a particle alone comes before them. */
#define TPI_PATCH_RUNS TPI_GROUP_RUNS
/* Slots that the filter tests at once. */
#define TPI_PATCH_STEP (TPI_LANES > 8 ? TPI_LANES : 8u)
#define TPI_PATCH_ROOM (TPI_PATCH_SLOTS + TPI_PATCH_STEP)

/* The pairs from the previous row's end up to `end` have their first particle in one slot. */
typedef struct tpi_patch_row {
    uint16_t slot, end; /* the slot doubled */
} tpi_patch_row;

/* Numbers of slots in pairs, rows and lists are doubled: see base/rows.h. */
typedef struct tpi_patch {
    _Alignas(64) float x[3][TPI_PATCH_ROOM]; /* through the grid only */
    /* pairs: slots of the first particle and of the second, and squared distances. The last pair is
       repeated up to a full vector */
    uint16_t i[TPI_PATCH_PAIRS + TPI_PATCH_ROOM], j[TPI_PATCH_PAIRS + TPI_PATCH_ROOM];
    /* squared distances, through the grid only; and those to all slots, see patch_test */
    _Alignas(64) float square[TPI_PATCH_PAIRS + TPI_PATCH_ROOM], apart[TPI_PATCH_ROOM];
    tpi_patch_row rows[TPI_PATCH_SLOTS + 1u];
    uint32_t pair_count, row_count;
    tpi_run runs[TPI_PATCH_RUNS]; /* the particles of the slots, in order */
    uint32_t run_count, slot_count;
    /* Particles whose sums no other thread writes meanwhile: vectors of them may be written whole.
       Of others only those of the slots are written. */
    tpi_run own;
} tpi_patch;

/* Visits the pairs of a patch: at least one. */
typedef void (*tpi_patch_visitor)(const tp_world *world, const void *context,
                                  const tpi_patch *patch, tpi_tally *tally);

/* The particle of a slot. */
TPI_FUNC uint32_t tpi_patch_particle(const tpi_patch *patch, uint32_t slot);

/* In a periodic box: moves positions of slots to their images that are nearest to the cell of the
   first slot. `x`: of slot 0; `slot` and `axis`: how many numbers further those of the next slot
   are, and those along the next axis. Only positions across a side of the box change. */
TPI_FUNC void tpi_patch_wrap(const tp_world *world, const tpi_patch *patch, float *x, uint32_t slot,
                             uint32_t axis);
/* The same for rows of four numbers that begin with a position. */
TPI_INLINE void tpi_patch_wrap_rows(const tp_world *world, const tpi_patch *patch, float *rows)
{
    if (TPI_UNLIKELY(world->constants.box.is_periodic)) tpi_patch_wrap(world, patch, rows, 4, 1);
}

/* Runs one slice of a sweep over patches, through the grid or along the lists (kind.by_lists).
   With step.by_parts the back set has parts that threads may share, each with lists of its own.
   They share the blocks of one colour, then those of the next: two blocks of one colour have no
   candidate in common, so that a sum has one writer, and each pair is visited once. */
TPI_FUNC uint32_t tpi_patch_slice(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                  const void *context, tpi_sweep_kind kind,
                                  tpi_patch_visitor visitor, bool *done);

/* ---- blocks of pairs ---- */

/* Where vectors can be permuted, the first particles of a batch are taken from a vector of
   particles: a block of pairs ends where that vector does. Pairs of a last vector beyond the end of
   a block are worked on again with the next block. */
typedef struct tpi_patch_block {
    uint32_t end;      /* of its pairs */
    uint32_t row;      /* the first row after it */
    uint32_t slot;     /* the vector begins at a multiple of TPI_LANES */
    uint32_t particle; /* of that slot */
} tpi_patch_block;

TPI_INLINE void tpi_patch_next_block(const tpi_patch *patch, tpi_patch_block *block)
{
#if defined(TPI_PICKS)
    const tpi_patch_row *row = patch->rows + block->row, *end = patch->rows + patch->row_count;
    block->slot = row->slot / 2u / TPI_LANES * TPI_LANES;
    block->particle = patch->runs[0].begin + block->slot;
    while (row < end && row->slot < 2u * (block->slot + TPI_LANES)) row++;
    block->row = (uint32_t)(row - patch->rows);
    block->end = row[-1].end;
#else
    block->end = patch->pair_count;
#endif
}

/* ---- sums in slots ---- */

/* Two sums in one number, which is added at once: the first in the lower half, and the second in
   the upper one. The 255 terms of a slot are at most 2^23 each, so that their sum does not carry.
   If terms may be negative, the upper half is one too low where the lower one is negative. */
typedef uint64_t tpi_duo __attribute__((may_alias));

/* Clears the sums of `count` slots; possibly some more. A call of memset costs more for the few
   slots of a cell. */
TPI_INLINE void tpi_patch_clear(void *sums, uint32_t count, uint32_t words)
{
    uint32_t *to = (uint32_t *)sums, *end = to + (size_t)count * words;
    for (; to < end; to += (size_t)TPI_LANES * words)
        for (uint32_t n = 0; n < words; n++)
            tpi_lane_ints_store(to + (size_t)TPI_LANES * n, tpi_lane_ints_of(0));
}

/* Stores a duo per lane. `is_signed`: the lower halves may be negative. */
TPI_INLINE void tpi_duos_store(tpi_duo *to, tpi_lane_ints low, tpi_lane_ints high, bool is_signed)
{
    if (is_signed) high = tpi_lane_ints_add(high, tpi_lane_ints_signs(low));
    tpi_rows_store_two((float *)(void *)to, (tpi_lanes)low, (tpi_lanes)high);
}

/* The number of slot s / 2. */
#define TPI_SLOT(type, sums, s) \
    (*(type *)(void *)((char *)(sums) + (size_t)(s) * (sizeof(type) / 2u)))

/* PATCH_ADD for each pair, from k on; eight in a turn of the loop. */
#define PATCH_ADD_ALL(k, count)              \
    for (; (k) + 8u <= (count); (k) += 8u) { \
        PATCH_ADD(0)                         \
        PATCH_ADD(1)                         \
        PATCH_ADD(2)                         \
        PATCH_ADD(3)                         \
        PATCH_ADD(4)                         \
        PATCH_ADD(5)                         \
        PATCH_ADD(6)                         \
        PATCH_ADD(7)                         \
    }                                        \
    for (; (k) < (count); (k)++) PATCH_ADD(0)

/* Adds the terms of the pairs to the sums: to_j[k] at the second particle of pair k, to_i[k] at the
   first one, or the opposite of it. Both may be one array. Prefix sums replace to_i, with one more
   at the end; they give the sum of each row, so that no loop ends with a row. Unless `counts` is
   null, counts the pairs of each slot. */
TPI_INLINE void tpi_patch_add_duos(const tpi_patch *patch, const tpi_duo *to_j, tpi_duo *to_i,
                                   tpi_duo *sums, uint32_t *counts, bool is_opposite)
{
    const uint16_t *j = patch->j;
    const size_t count = patch->pair_count;
    tpi_duo sum = 0;
    size_t k = 0;
#define PATCH_ADD(n)                                    \
    {                                                   \
        size_t slot = j[k + (n)];                       \
        tpi_duo term = to_i[k + (n)];                   \
        TPI_SLOT(tpi_duo, sums, slot) += to_j[k + (n)]; \
        if (counts) TPI_SLOT(uint32_t, counts, slot)++; \
        to_i[k + (n)] = sum;                            \
        sum += term;                                    \
    }
    PATCH_ADD_ALL(k, count)
#undef PATCH_ADD
    to_i[count] = sum;
    for (uint32_t r = 0, begin = 0; r < patch->row_count; r++) {
        uint32_t end = patch->rows[r].end, slot = patch->rows[r].slot;
        tpi_duo own = to_i[end] - to_i[begin];
        TPI_SLOT(tpi_duo, sums, slot) += is_opposite ? 0u - own : own;
        if (counts) TPI_SLOT(uint32_t, counts, slot) += end - begin;
        begin = end;
    }
}

/* The same for rows of four sums. The terms of the first particle are opposite in the columns where
   `sign` is all ones. */
TPI_INLINE void tpi_patch_add_quads(const tpi_patch *patch, const tpi_quad *to_j, tpi_quad *to_i,
                                    tpi_quad *sums, tpi_quad sign)
{
    const uint16_t *j = patch->j;
    const size_t count = patch->pair_count;
    tpi_quad sum = {0, 0, 0, 0};
    size_t k = 0;
#define PATCH_ADD(n)                                           \
    {                                                          \
        tpi_quad term = to_i[k + (n)];                         \
        TPI_SLOT(tpi_quad, sums, j[k + (n)]) += to_j[k + (n)]; \
        to_i[k + (n)] = sum;                                   \
        sum += term;                                           \
    }
    PATCH_ADD_ALL(k, count)
#undef PATCH_ADD
    to_i[count] = sum;
    for (uint32_t r = 0, begin = 0; r < patch->row_count; r++) {
        uint32_t end = patch->rows[r].end;
        tpi_quad own = to_i[end] - to_i[begin];
        TPI_SLOT(tpi_quad, sums, patch->rows[r].slot) += (own ^ sign) - sign;
        begin = end;
    }
}

/* Rows of four sums, to which the terms of a batch are added vector by vector: at the second
   particles as they come, and at the first ones by the sums before each pair. */
typedef struct tpi_patch_lines {
    tpi_quad *sums, *before;
    tpi_quad sum; /* of the terms so far */
} tpi_patch_lines;

TPI_INLINE void tpi_patch_begin_lines(const tpi_patch *patch, tpi_quad *sums, tpi_quad *before,
                                      tpi_patch_lines *lines)
{
    const tpi_quad zero = {0, 0, 0, 0};
    tpi_patch_clear(sums, patch->slot_count, 4);
    *lines = (tpi_patch_lines){sums, before, zero};
}

/* Adds the terms of the vector of pairs from number k on, whose second particles are in slots j.
   Only the first `rest` count. */
TPI_INLINE void tpi_patch_add_lines(tpi_patch_lines *lines, size_t k, const tpi_numbers *j,
                                    uint32_t rest, const tpi_lane_ints terms[3])
{
    const tpi_lane_ints zero = tpi_lane_ints_of(0);
    tpi_lane_ints x = terms[0], y = terms[1], z = terms[2];
    tpi_quad rows[TPI_LANES], sum = lines->sum;
    if (TPI_UNLIKELY(rest < TPI_LANES)) {
        const tpi_lane_mask counts = tpi_lanes_first(rest);
        x = tpi_lane_ints_select(counts, x, zero);
        y = tpi_lane_ints_select(counts, y, zero);
        z = tpi_lane_ints_select(counts, z, zero);
    }
    tpi_rows_of((tpi_lanes)x, (tpi_lanes)y, (tpi_lanes)z, (tpi_lanes)zero, rows);
    TPI_LANE_LOOP
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) {
        size_t slot = j->of[lane];
        const tpi_quad whole = TPI_SLOT(tpi_quad, lines->sums, slot) + rows[lane];
        TPI_NUMBER_RENEW(slot);
        TPI_SLOT(tpi_quad, lines->sums, slot) = whole;
        lines->before[k + lane] = sum;
        sum += rows[lane];
    }
    lines->sum = sum;
}

/* Adds the opposite sums of the first particles. */
TPI_INLINE void tpi_patch_end_lines(const tpi_patch *patch, const tpi_patch_lines *lines)
{
    uint32_t begin = 0;
    lines->before[patch->pair_count] = lines->sum;
    for (uint32_t r = 0; r < patch->row_count; r++) {
        uint32_t end = patch->rows[r].end;
        tpi_quad own = lines->before[begin] - lines->before[end];
        TPI_SLOT(tpi_quad, lines->sums, patch->rows[r].slot) += own;
        begin = end;
    }
}

/* The same for one number, from one array of terms. */
TPI_INLINE void tpi_patch_add_words(const tpi_patch *patch, uint32_t *terms, uint32_t *sums,
                                    bool is_opposite)
{
    const uint16_t *j = patch->j;
    const size_t count = patch->pair_count;
    uint32_t sum = 0, begin = 0;
    size_t k = 0;
#define PATCH_ADD(n)                                  \
    {                                                 \
        uint32_t term = terms[k + (n)];               \
        TPI_SLOT(uint32_t, sums, j[k + (n)]) += term; \
        terms[k + (n)] = sum;                         \
        sum += term;                                  \
    }
    PATCH_ADD_ALL(k, count)
#undef PATCH_ADD
    terms[count] = sum;
    for (uint32_t r = 0; r < patch->row_count; r++) {
        uint32_t end = patch->rows[r].end, own = terms[end] - terms[begin];
        TPI_SLOT(uint32_t, sums, patch->rows[r].slot) += is_opposite ? 0u - own : own;
        begin = end;
    }
}

#undef PATCH_ADD_ALL

/* The sums of a batch, and the particles' sums that they are added to. Null: there are none. */
typedef struct tpi_patch_sums {
    const tpi_duo *duos;
    int32_t *low, *high;
    bool is_signed; /* duos whose terms may be negative */
    const uint32_t *counts;
    uint32_t *count_to;
    const tpi_quad *quads;
    int32_t *to[4]; /* by column */
    uint32_t columns;
} tpi_patch_sums;

/* Adds a vector of sums to those of the particles from `to` on. Lanes after the first `rest` are
   written back as they were, or not at all if they may have other writers. */
TPI_INLINE void tpi_patch_settle_lanes(tpi_lane_ints sums, void *to, size_t rest, bool is_own)
{
    if (TPI_UNLIKELY(rest < TPI_LANES && !is_own)) {
        for (size_t k = 0; k < rest; k++) ((uint32_t *)to)[k] += (uint32_t)TPI_LANE(sums, k);
        return;
    }
    if (rest < TPI_LANES)
        sums = tpi_lane_ints_select(tpi_lanes_first((uint32_t)rest), sums, tpi_lane_ints_of(0));
    tpi_lane_ints_store(to, tpi_lane_ints_add(tpi_lane_ints_load(to), sums));
}

/* Slots from `slot` on, and particles from p on. */
TPI_INLINE void tpi_patch_settle_some(const tpi_patch_sums *sums, size_t slot, size_t p,
                                      size_t rest, bool is_own)
{
    tpi_lanes of[4];
    if (sums->duos) {
        tpi_rows_load_two(sums->duos + slot, of);
        tpi_lane_ints low = (tpi_lane_ints)of[0], high = (tpi_lane_ints)of[1];
        if (sums->is_signed)
            high = tpi_lane_ints_count(high, tpi_lane_ints_less(low, tpi_lane_ints_of(0)));
        tpi_patch_settle_lanes(low, sums->low + p, rest, is_own);
        tpi_patch_settle_lanes(high, sums->high + p, rest, is_own);
    }
    if (sums->counts)
        tpi_patch_settle_lanes(tpi_lane_ints_load(sums->counts + slot), sums->count_to + p, rest,
                               is_own);
    if (!sums->quads) return;
    tpi_rows_load_four(sums->quads + slot, of);
    for (uint32_t c = 0; c < sums->columns; c++)
        tpi_patch_settle_lanes((tpi_lane_ints)of[c], sums->to[c] + p, rest, is_own);
}

/* Adds the sums of all slots. */
TPI_INLINE void tpi_patch_settle(const tpi_patch *patch, const tpi_patch_sums *sums)
{
    const tpi_run own = patch->own, *run = patch->runs, *last = run + patch->run_count;
    for (size_t slot = 0; run < last; run++) {
        const size_t begin = run->begin, end = run->end;
        const bool is_own = begin >= own.begin && end + TPI_LANES <= own.end;
        for (size_t p = begin; is_own && p < end; p += TPI_LANES)
            tpi_patch_settle_some(sums, slot + p - begin, p, end - p, true);
        for (size_t p = begin; TPI_UNLIKELY(!is_own) && p < end; p += TPI_LANES)
            tpi_patch_settle_some(sums, slot + p - begin, p, end - p, false);
        slot += end - begin;
    }
}

/* The terms of a batch that are vectors, opposite at both ends, and their sums: duos in 2D, quads
   in 3D. */
typedef struct tpi_patch_vectors {
    tpi_duo *duos, *duo_terms;
    tpi_quad *quads, *quad_terms;
} tpi_patch_vectors;

/* Keeps the terms of the vector of pairs at number k. */
TPI_INLINE void tpi_patch_keep_vectors(const tpi_patch_vectors *vectors, uint32_t k,
                                       uint32_t dimensions, const tpi_lane_ints terms[3])
{
    if (dimensions == 2)
        tpi_duos_store(vectors->duo_terms + k, terms[0], terms[1], true);
    else
        tpi_rows_store_four(vectors->quad_terms + k, (tpi_lanes)terms[0], (tpi_lanes)terms[1],
                            (tpi_lanes)terms[2], tpi_lanes_of(0.0f));
}

/* Adds the terms up, and to the sums of the particles, one array per axis. */
TPI_INLINE void tpi_patch_settle_vectors(const tpi_patch *patch, uint32_t dimensions,
                                         const tpi_patch_vectors *vectors, int32_t *const to[3])
{
    tpi_patch_sums all = {.low = to[0], .high = to[1], .is_signed = true};
    const tpi_quad sign = {~0u, ~0u, ~0u, 0u};
    if (dimensions == 2) {
        all.duos = vectors->duos;
        tpi_patch_clear(vectors->duos, patch->slot_count, 2);
        tpi_patch_add_duos(patch, vectors->duo_terms, vectors->duo_terms, vectors->duos, NULL,
                           true);
    } else {
        all.quads = vectors->quads;
        all.columns = 3;
        for (uint32_t axis = 0; axis < 3; axis++) all.to[axis] = to[axis];
        tpi_patch_clear(vectors->quads, patch->slot_count, 4);
        tpi_patch_add_quads(patch, vectors->quad_terms, vectors->quad_terms, vectors->quads, sign);
    }
    tpi_patch_settle(patch, &all);
}

/* Adds the sums of the first particles of lines, and all sums to those of the particles. 3D. */
TPI_INLINE void tpi_patch_settle_lines(const tpi_patch *patch, const tpi_patch_lines *lines,
                                       int32_t *const to[3])
{
    tpi_patch_sums all = {.quads = lines->sums, .to = {to[0], to[1], to[2]}, .columns = 3};
    tpi_patch_end_lines(patch, lines);
    tpi_patch_settle(patch, &all);
}

#endif
#endif
