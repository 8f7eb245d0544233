/* SPDX-License-Identifier: MIT
   runtime/grid/listed.h - the loop over neighbour pairs along stored lists; included by sweep.h.
   reads   neighbour lists      writes  sums through an inlined visitor
   memory  registers            cost    one unit per particle and one per stored pair
   after   own design: see sweep.h */
#ifndef TPI_LISTED_H
#define TPI_LISTED_H
#include "sweep.h"

/* The next listed partners of particle `i`, as many as the slice pays for. One unit per particle
   and one per pair. */
typedef struct tpi_listed {
    const uint32_t *partners;
    uint32_t i, count;
} tpi_listed;

TPI_INLINE tpi_listed tpi_sweep_next_listed(tpi_sweep *sweep, const uint32_t *rows,
                                            const uint32_t *pairs)
{
    tpi_cursor *cursor = &sweep->cursor;
    tpi_listed listed = {.i = cursor->i};
    uint32_t begin = rows[listed.i], size = rows[listed.i + 1u] - begin, done = 0;
    const int32_t rest = sweep->meter.left - 2 - 2 * (int32_t)size;
    if (TPI_LIKELY(cursor->k == 0 && rest >= 0)) { /* the whole list */
        listed.partners = pairs + begin;
        listed.count = size;
        sweep->meter.left = rest;
        cursor->i++;
        return listed;
    }
    if (cursor->k)
        done = cursor->k - 1u;
    else
        sweep->meter.left -= 2;
    uint32_t affordable = sweep->meter.left > 0 ? (uint32_t)(sweep->meter.left + 1) / 2u : 0u;
    listed.partners = pairs + begin + done;
    listed.count = tpi_min_u32(size - done, affordable);
    sweep->meter.left -= 2 * (int32_t)listed.count;
    cursor->j = cursor->row = 0;
    cursor->k = done + listed.count + 1u;
    if (done + listed.count == size) {
        cursor->i++;
        cursor->k = 0;
    }
    return listed;
}

TPI_INLINE void tpi_sweep_lists(tpi_sweep *sweep, tpi_pair_visitor visitor, uint32_t end)
{
    const tp_world *world = sweep->world;
    const uint32_t *rows = tpi_words(world, world->arrays.row),
                   *pairs = tpi_words(world, world->arrays.pair);
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        tpi_listed listed = tpi_sweep_next_listed(sweep, rows, pairs);
        if (listed.count)
            visitor(world, sweep->context, listed.i, listed.partners, NULL, listed.count,
                    &sweep->tally);
    }
}

#endif
