/* SPDX-License-Identifier: MIT
   runtime/grid/patch.h - patches: the candidates of a cell in contiguous slots, and their pairs.
   reads   back positions, table, lists      writes  lists; sums through a visitor
   memory  a patch on the stack: 6 KB         cost    the same units as sweep.h
   after   own design: the particles of a cell share their candidates, which are copied to slots.
           The pairs of all of them are collected into one batch, so that a visitor's vectors are
           full, and its sums are added up in slots and settled once per batch: no vector is summed
           across lanes, and no term is scattered over the block. Only in builds with vectors */
#ifndef TPI_PATCH_H
#define TPI_PATCH_H
#include "sweep.h"
#include "../base/rows.h"
#if TPI_LANES > 1

/* Slots of a patch. A fluid's cell has 41 candidates in 2D (26 neighbours) and 97 in 3D (29). */
#ifndef TPI_PATCH_SLOTS
#define TPI_PATCH_SLOTS 256u
#endif
/* Pairs per call of a visitor. */
#ifndef TPI_PATCH_PAIRS
#define TPI_PATCH_PAIRS 256u
#endif
/* A half stencil has 14 cells; a part may split each. A particle alone comes before them. */
#define TPI_PATCH_RUNS 29u
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
    uint16_t i[TPI_PATCH_PAIRS + 2u * TPI_PATCH_STEP], j[TPI_PATCH_PAIRS + 2u * TPI_PATCH_STEP];
    /* squared distances, through the grid only; and those to all slots, see patch_test */
    _Alignas(64) float square[TPI_PATCH_PAIRS + 2u * TPI_PATCH_STEP], apart[TPI_PATCH_ROOM];
    tpi_patch_row rows[TPI_PATCH_PAIRS];
    uint32_t pair_count, row_count;
    tpi_run runs[TPI_PATCH_RUNS]; /* the particles of the slots, in order */
    uint32_t run_count, slot_count;
    /* Sums of other particles are dropped. They are added by the stretches of the other part. */
    tpi_run part;
    bool is_parted;
    bool is_backward; /* pairs that belong to the other part, which counts them */
} tpi_patch;

/* Visits the pairs of a patch: at least one. */
typedef void (*tpi_patch_visitor)(const tp_world *world, const void *context,
                                  const tpi_patch *patch, tpi_tally *tally);

/* The particle of a slot. */
TPI_FUNC uint32_t tpi_patch_particle(const tpi_patch *patch, uint32_t slot);

/* Runs one slice of a sweep over patches, through the grid or along the lists (kind.by_lists).
   With step.by_parts the back set has parts that threads may share, each with lists of its own. A
   pair of two parts is visited twice, and each time only one of its particles keeps the terms. */
TPI_FUNC uint32_t tpi_patch_slice(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                  const void *context, tpi_sweep_kind kind,
                                  tpi_patch_visitor visitor, bool *done);

/* ---- sums in slots ---- */

/* Clears the sums of TPI_LANES slots. A call of memset costs more for the few slots of a cell. */
TPI_INLINE void tpi_patch_clear(tpi_quad *sums)
{
    for (uint32_t k = 0; k < 4; k++)
        tpi_lane_ints_store(sums + k * (TPI_LANES / 4u), tpi_lane_ints_of(0));
}

/* Adds the terms of pair k: `to_j` at the second particle; `to_i` to the prefix sum, which takes
   its place. */
TPI_INLINE tpi_quad tpi_patch_add_one(const tpi_patch *patch, size_t k, const tpi_quad *to_j,
                                      tpi_quad *to_i, tpi_quad *sums, tpi_quad sum)
{
    tpi_quad *other = (tpi_quad *)(void *)((char *)sums + (size_t)patch->j[k] * 8u);
    tpi_quad term = to_i[k];
    *other += to_j[k];
    to_i[k] = sum;
    return sum + term;
}

/* Adds the terms of the pairs to the sums: to_j[k] at the second particle of pair k, to_i[k] at the
   first one, or the opposite of it. Both may be one array. Prefix sums replace to_i, with one more
   at the end; they give the sum of each row, so that no loop ends with a row. */
TPI_INLINE void tpi_patch_add(const tpi_patch *patch, const tpi_quad *to_j, tpi_quad *to_i,
                              tpi_quad *sums, bool is_opposite)
{
    tpi_quad sum = {0, 0, 0, 0};
    size_t k = 0, count = patch->pair_count;
#define PATCH_ADD(n) sum = tpi_patch_add_one(patch, k + (n), to_j, to_i, sums, sum)
    for (; k + 4u <= count; k += 4u) {
        PATCH_ADD(0);
        PATCH_ADD(1);
        PATCH_ADD(2);
        PATCH_ADD(3);
    }
    for (; k < count; k++) PATCH_ADD(0);
#undef PATCH_ADD
    to_i[count] = sum;
    for (uint32_t r = 0, begin = 0; r < patch->row_count; r++) {
        tpi_quad *own = (tpi_quad *)(void *)((char *)sums + (size_t)patch->rows[r].slot * 8u);
        uint32_t end = patch->rows[r].end;
        *own += is_opposite ? to_i[begin] - to_i[end] : to_i[end] - to_i[begin];
        begin = end;
    }
}

/* Adds the first `count` columns of the sums of `rest` slots to the sums of the particles from p
   on. Lanes after `rest` are written back as they were, or with threads not at all. */
TPI_INLINE void tpi_patch_settle_lanes(const tpi_patch *patch, const tpi_quad *sums,
                                       int32_t *const to[4], uint32_t count, uint32_t p,
                                       uint32_t rest)
{
    tpi_lanes columns[4];
    if (TPI_UNLIKELY(rest < TPI_LANES && patch->is_parted)) {
        for (uint32_t k = 0; k < rest; k++)
            for (uint32_t c = 0; c < count; c++) ((uint32_t *)to[c])[p + k] += sums[k][c];
        return;
    }
    tpi_rows_load_four(sums, columns);
    for (uint32_t c = 0; c < count; c++) {
        tpi_lane_ints sum = (tpi_lane_ints)columns[c];
        if (rest < TPI_LANES)
            sum = tpi_lane_ints_select(tpi_lanes_first(rest), sum, tpi_lane_ints_of(0));
        tpi_lane_ints_store(to[c] + p, tpi_lane_ints_add(tpi_lane_ints_load(to[c] + p), sum));
    }
}

/* Adds column c of the slots' sums to the particles' sums in to[c], for columns 0..count-1. */
TPI_INLINE void tpi_patch_settle(const tpi_patch *patch, const tpi_quad *sums, int32_t *const to[4],
                                 uint32_t count)
{
    uint32_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        uint32_t begin = tpi_max_u32(run.begin, patch->part.begin),
                 end = tpi_min_u32(run.end, patch->part.end);
        for (uint32_t p = begin; p < end; p += TPI_LANES)
            tpi_patch_settle_lanes(patch, sums + (slot + p - run.begin), to, count, p, end - p);
        slot += run.end - run.begin;
    }
}

#endif
#endif
