/* SPDX-License-Identifier: MIT
   ports/worst/calls_query.h - the calls of queries and rays, for a world with full pools.
   reads   nothing      writes  calls_cache_block
   memory  some arrays of CALLS_MOST items      cost    some million instructions per room
   after   own design; part of calls.c */
#ifndef TIDEPOOL_WORST_CALLS_QUERY_H
#define TIDEPOOL_WORST_CALLS_QUERY_H

#define CALLS_QUERY_UNITS 100u /* budget of a slice */

/* Spheres that hold all particles and some, a capsule and a box. */
static void calls_query_find(calls_room *room, const tp_query *query)
{
    static tp_found found[CALLS_MOST];
    const tp_region regions[4] = {{TP_REGION_SPHERE, 1u, {0, 0, 0}, {0, 0, 0}, 2.0f},
                                  {TP_REGION_SPHERE, 1u, {0.1f, 0, 0}, {0, 0, 0}, 0.2f},
                                  {TP_REGION_CAPSULE, 1u, {0, 0, 0}, {0.4f, 0.3f, 0.1f}, 0.3f},
                                  {TP_REGION_BOX, 1u, {0, 0, 0}, {0.3f, 0.4f, 0.5f}, 0}};
    for (uint32_t k = 0; k < 4; k++) {
        tp_query_cursor cursor = {0};
        uint32_t count;
        CALLS_CONTINUE(room, tp_query_region, CALLS_QUERY_UNITS, TP_QUERY_OVERRUN, query,
                       &regions[k], CALLS_QUERY_UNITS, &cursor, found, room->n, &count);
        CALLS_CONTINUE(room, tp_query_nearest, CALLS_QUERY_UNITS, TP_QUERY_OVERRUN, query,
                       &regions[k], CALLS_QUERY_UNITS, &cursor, found,
                       k & 1u ? room->n : room->n / 2u, &count);
    }
}

static void calls_query_sample(calls_room *room, const tp_query *query)
{
    static tp_vector points[CALLS_MOST];
    static tp_sample samples[CALLS_MOST];
    static float values[CALLS_MOST];
    tp_query_cursor cursor = {0};
    const tp_sample_grid grid = {TP_GRID_DENSITY, 1u, {-0.5f, -0.5f, 0}, 0.1f, 16,
                                 room->n / 16u,   1};
    for (uint32_t i = 0; i < room->n; i++) points[i] = calls_position(room, i);
    CALLS_CONTINUE(room, tp_query_sample, CALLS_QUERY_UNITS, TP_QUERY_OVERRUN, query, points,
                   room->n, 1u, CALLS_QUERY_UNITS, &cursor, samples);
    CALLS_CONTINUE(room, tp_query_grid, CALLS_QUERY_UNITS, TP_QUERY_OVERRUN, query, &grid,
                   CALLS_QUERY_UNITS, &cursor, values, CALLS_MOST);
}

static void calls_query_rays(calls_room *room, const tp_query *query)
{
    for (uint32_t k = 0; k < 6; k++) {
        tp_query_cursor cursor = {0};
        tp_ray_hit hit;
        const tp_ray ray = {{-2.0f, calls_wave(k, 7), 0.1f},
                            {4.0f, calls_wave(k, 5), calls_wave(k, 3)},
                            k & 1u ? 0.1f : 0.0f,
                            k < 4 ? 1u : 2u};
        CALLS_CONTINUE(room, tp_query_ray, CALLS_QUERY_UNITS, TP_QUERY_OVERRUN, query, &ray,
                       CALLS_QUERY_UNITS, &cursor, &hit);
        CALLS_CONTINUE(room, tp_world_ray, CALLS_QUERY_UNITS, TP_QUERY_OVERRUN, room->world, &ray,
                       CALLS_QUERY_UNITS, &cursor, &hit);
    }
}

static void calls_of_queries(calls_room *room)
{
    tp_query *query = NULL;
    tp_query_def def;
    WORST_MEASURE(tp_query_default, WORST_SLICE_LEAST,
                  def = tp_query_default(tp_world_definition(room->world)));
    def.is_double = true;
    CALLS_CHECK(room, tp_query_check, &def);
    CALLS_CREATE(room, query, &def, calls_cache_block, query);
    if (room->line) return;
    for (uint32_t times = 0; times < 2; times++)
        CALLS_CONTINUE(room, tp_query_update, CALLS_QUERY_UNITS, 0u, query, room->world,
                       CALLS_QUERY_UNITS);
    CALLS_ASK(room, tp_query_state, tp_query_report, answer.is_ready, query);
    calls_query_find(room, query);
    calls_query_sample(room, query);
    calls_query_rays(room, query);
    CALLS_MAKE(room, tp_query_clear, query);
}

#undef CALLS_QUERY_UNITS
#endif
