/* SPDX-License-Identifier: MIT
   tests/calls/queries.c - calls of queries and rays, with cursors that go on from call to call.
   reads   the worlds of the sequence      writes  its query
   memory  none             cost    that of the calls
   after   own design; a call in slices exceeds no limit, and what it finds is in order */
#include "calls.h"

static void make(calls_sequence *s, calls_query *q, const calls_world *w)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    size_t bytes = 0, sum = 0;
    uint32_t count = 0;
    tp_query_def def = tp_query_default(w->world ? &w->def : NULL);
    def.is_double = calls_one_in(s, 2);
    if (def.particles_max > CALLS_PARTICLES) def.particles_max = CALLS_PARTICLES;
    calls_change(s, &def, sizeof def, 6);
    calls_tame(&def.is_double);
    const char *problem = tp_query_check(&def);
    tp_result result = calls_note(s, "query_memory", tp_query_memory(&def, &bytes));
    calls_promise(s, (problem == NULL) == (result == TP_OK) || def.particles_max > 1u << 20,
                  "tp_query_check and tp_query_memory agree");
    if (result != TP_OK || bytes > CALLS_BLOCK_BYTES) return;
    if (tp_query_memory_parts(&def, parts, &count) == TP_OK)
        for (uint32_t k = 0; k < count; k++) sum += parts[k].bytes;
    calls_promise(s, sum == bytes, "the parts of a query add up to its bytes");
    calls_promise(
        s, bytes <= TP_QUERY_BYTES(def.dimensions, def.particles_max) * (def.is_double ? 2u : 1u),
        "the macro bounds the bytes of a query");
    q->in_use = 0;
    unsigned char *block = calls_take(&q->room[0], bytes);
    calls_promise(s, tp_query_create(&def, block, bytes - 1u, &q->query) == TP_ERROR_MEMORY,
                  "a block that is one byte short is refused");
    result = calls_note(s, "query_create", tp_query_create(&def, block, bytes, &q->query));
    calls_promise(s, result == TP_OK && tp_query_at(block, bytes) == q->query,
                  "the bytes of the size query are enough");
}

static void state(calls_sequence *s, const calls_query *q)
{
    tp_query_report report = tp_query_state(q->query);
    const tp_query_def *def = tp_query_definition(q->query);
    calls_fold_word(s, report.particles + ((uint64_t)report.is_ready << 40));
    calls_fold_word(s, report.frame + report.build_units + report.restarts + report.tick);
    calls_promise(s, def && report.particles <= def->particles_max, "an index fits its query");
}

static void update(calls_sequence *s, calls_query *q, const calls_world *w)
{
    uint32_t units = calls_one_in(s, 3) ? 0u : 1u + calls_below(s, 400);
    tp_result result = calls_note(s, "query_update", tp_query_update(q->query, w->world, units));
    if (result >= TP_OK)
        calls_promise(s, !units || tp_query_state(q->query).units <= units,
                      "an update keeps its budget");
    state(s, q);
    if (calls_one_in(s, 30)) (void)calls_note(s, "query_clear", tp_query_clear(q->query));
}

/* A result of a call with a cursor. True: it holds an answer. */
static bool answered(calls_sequence *s, const calls_query *q, const char *name, uint32_t units,
                     tp_result result)
{
    bool is_done = calls_note(s, name, result) == TP_OK || result == TP_ERROR_FULL;
    if (result == TP_MORE || is_done)
        calls_promise(s, !units || q->cursor.units <= units + TP_QUERY_OVERRUN,
                      "a query keeps its budget");
    return is_done;
}

static void find(calls_sequence *s, calls_query *q, uint32_t units)
{
    tp_found *found = q->found;
    bool is_nearest = q->is_nearest;
    uint32_t count = 0, capacity = q->capacity;
    tp_region *region = &q->region;
    if (!calls_one_in(s, 3)) {
        capacity = q->capacity = calls_below(s, CALLS_FOUND + 1u);
        is_nearest = q->is_nearest = calls_one_in(s, 2);
        region->shape = (tp_region_shape)calls_below(s, 3);
        region->species_mask = calls_one_in(s, 4) ? 1u : ~0u;
        region->center = calls_vector(s, 1.0f, 30);
        region->half = calls_vector(s, 0.5f, 30);
        region->radius = calls_float(s, 20);
        calls_change(s, region, sizeof *region, 20);
    }
    tp_result result =
        is_nearest ? tp_query_nearest(q->query, region, units, &q->cursor, found, capacity, &count)
                   : tp_query_region(q->query, region, units, &q->cursor, found, capacity, &count);
    /* entries of an unfinished call may be in any order */
    if (!answered(s, q, is_nearest ? "query_nearest" : "query_region", units, result)) return;
    calls_fold_word(s, count);
    if (!capacity) return;
    uint32_t kept = count < capacity ? count : capacity;
    calls_promise(s, (result == TP_ERROR_FULL) == (count > capacity), "FULL says so");
    for (uint32_t k = 0; k < kept; k++) {
        calls_fold_word(s, found[k].id + ((uint64_t)found[k].meta << 32));
        calls_fold(s, &found[k].distance, sizeof found[k].distance);
        if (k > 0)
            calls_promise(s,
                          is_nearest ? found[k].distance >= found[k - 1u].distance
                                     : found[k].id > found[k - 1u].id,
                          "what a query finds is in order");
    }
}

static void sample(calls_sequence *s, calls_query *q, uint32_t units)
{
    tp_vector points[3];
    tp_sample samples[3];
    float values[60];
    memset(samples, 0, sizeof samples);
    memset(values, 0, sizeof values);
    if (calls_one_in(s, 2)) {
        tp_sample_grid grid = {(tp_grid_value)calls_below(s, 2),
                               ~0u,
                               calls_vector(s, 1.0f, 30),
                               0.1f,
                               calls_below(s, 6),
                               4,
                               calls_one_in(s, 2) ? 1u : 3u};
        calls_change(s, &grid, sizeof grid, 20);
        tp_result result = tp_query_grid(q->query, &grid, 0, NULL, values, 60);
        if (calls_note(s, "query_grid", result) == TP_OK) calls_fold(s, values, sizeof values);
        return;
    }
    for (uint32_t k = 0; k < 3; k++) points[k] = calls_vector(s, 1.0f, 30);
    tp_result result = tp_query_sample(q->query, points, 3, ~0u, 0, NULL, samples);
    if (calls_note(s, "query_sample", result) == TP_OK) calls_fold(s, samples, sizeof samples);
    if (!units) return;
    result = tp_query_sample(q->query, points, 3, ~0u, units, &q->cursor, samples);
    if (answered(s, q, "query_sample", units, result)) calls_fold(s, samples, sizeof samples);
}

static void fold_hit(calls_sequence *s, const tp_ray_hit *hit)
{
    calls_fold_word(s, hit->is_hit + 2u * hit->is_inside);
    calls_fold_word(s, hit->particle + ((uint64_t)hit->collider.id << 32));
    calls_fold(s, &hit->time, sizeof hit->time);
    calls_fold(s, &hit->point, sizeof hit->point);
    calls_fold(s, &hit->normal, sizeof hit->normal);
    calls_promise(s, hit->time >= 0.0f && hit->time <= 1.0f, "a ray hits on its way");
}

static void ray(calls_sequence *s, calls_query *q, const calls_world *w, uint32_t units)
{
    tp_ray_hit hit;
    bool is_world = calls_one_in(s, 2);
    if (!calls_one_in(s, 3)) {
        q->ray = (tp_ray){calls_vector(s, 1.5f, 30), calls_vector(s, 3.0f, 30), 0.0f, ~0u};
        if (calls_one_in(s, 2)) q->ray.radius = calls_float(s, 20) * 0.1f;
        calls_change(s, &q->ray, sizeof q->ray, 20);
    }
    tp_result result = is_world ? tp_world_ray(w->world, &q->ray, units, &q->cursor, &hit)
                                : tp_query_ray(q->query, &q->ray, units, &q->cursor, &hit);
    if (answered(s, q, is_world ? "world_ray" : "query_ray", units, result)) fold_hit(s, &hit);
}

void calls_on_query(calls_sequence *s)
{
    calls_query *q = &s->query;
    const calls_world *w = &s->worlds[calls_below(s, CALLS_WORLDS)];
    uint32_t units = calls_one_in(s, 3) ? 0u : 1u + calls_below(s, 300);
    if (!q->query || calls_one_in(s, 25)) {
        make(s, q, w);
        return;
    }
    if (calls_one_in(s, 20)) {
        calls_bad_block bad = calls_bad(s, &q->room[q->in_use]);
        calls_promise(s, !tp_query_at(bad.block, bad.bytes), "a block without a query is refused");
        q->query = (tp_query *)(void *)calls_move(q->room, &q->in_use);
    }
    switch (calls_below(s, 6)) {
    case 0:
    case 1: update(s, q, w); break;
    case 2: find(s, q, units); break;
    case 3: sample(s, q, units); break;
    default: ray(s, q, w, units);
    }
}
