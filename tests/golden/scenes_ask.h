/* SPDX-License-Identifier: MIT
   tests/golden/scenes_ask.h - golden scenes that are asked: loads of colliders, particles in
           regions, samples, rays; part of scenes.h.
   reads   nothing      writes  a world, a query
   memory  as scenes.h  cost    as scenes.h
   after   own design */
#ifndef TIDEPOOL_GOLDEN_SCENES_ASK_H
#define TIDEPOOL_GOLDEN_SCENES_ASK_H

static void golden_asked_2d(tp_world_def *def)
{
    golden_rewind_2d(def);
    def->measures_loads = true;
    def->bodies_max = 1;
}

static void golden_asked_2d_sliced(tp_world_def *def)
{
    golden_asked_2d(def);
    golden_slice(def);
}

/* A raft falls into the pool. */
static void golden_add_raft(golden_stage *stage)
{
    tp_collider_def raft = tp_collider_default(TP_COLLIDER_BOX);
    raft.pose.position = golden_vector(0.1f, 0.5f, 0.0f);
    raft.half = golden_vector(0.2f, 0.06f, 0.1f);
    raft.friction = 0.5f;
    golden_add_body(stage, &raft, 4.0f);
}

static void golden_fill_asked_2d(golden_stage *stage)
{
    golden_fill_rewind_2d(stage);
    golden_add_raft(stage);
}

/* The raft is there from the first recorded frame on. */
static void golden_fill_asked_recorded_2d(golden_stage *stage)
{
    golden_fill_asked_2d(stage);
    golden_record_from(stage, 8, 16384);
}

static uint64_t golden_fold_found(uint64_t hash, const tp_found *found, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hash = golden_fold(hash, &found[i].id, 1);
        hash = golden_fold(hash, &found[i].position, 3);
        hash = golden_fold(hash, &found[i].velocity, 3);
        hash = golden_fold(hash, &found[i].distance, 1);
    }
    return golden_fold(hash, &count, 1);
}

/* The particles in a circle, and the nearest ones of a box. */
static uint64_t golden_ask_regions(golden_stage *stage, const tp_query *query, uint64_t hash)
{
    static tp_found found[GOLDEN_SMALL];
    tp_region region = {TP_REGION_SPHERE, 3, {0.1f, -0.5f, 0.0f}, {0.4f, 0.3f, 0.0f}, 0.3f};
    tp_query_cursor cursor = {0}, other = {0};
    uint32_t count = 0;
    golden_note(stage, tp_query_region(query, &region, 0, &cursor, found, GOLDEN_SMALL, &count));
    hash = golden_fold_found(hash, found, count);
    region.shape = TP_REGION_BOX;
    golden_note(stage, tp_query_nearest(query, &region, 0, &other, found, 7, &count));
    return golden_fold_found(hash, found, count);
}

static uint64_t golden_ask_samples(golden_stage *stage, const tp_query *query, uint64_t hash)
{
    const tp_vector points[3] = {{0.0f, -0.6f, 0.0f}, {0.3f, -0.3f, 0.0f}, {0.5f, 0.7f, 0.0f}};
    const tp_sample_grid grid = {TP_GRID_DENSITY, 3, {-0.6f, -0.8f, 0.0f}, 0.2f, 6, 5, 1};
    tp_sample samples[3];
    float values[30];
    tp_query_cursor cursor = {0}, other = {0};
    golden_note(stage, tp_query_sample(query, points, 3, 3, 0, &cursor, samples));
    for (uint32_t k = 0; k < 3; k++) {
        hash = golden_fold(hash, &samples[k].density, 1);
        hash = golden_fold(hash, &samples[k].velocity, 3);
        hash = golden_fold(hash, &samples[k].normal, 3);
        hash = golden_fold(hash, &samples[k].particles, 1);
    }
    golden_note(stage, tp_query_grid(query, &grid, 0, &other, values, 30));
    return golden_fold(hash, values, 30);
}

/* A ray down into the fluid, and a ball through it; then both against colliders. */
static uint64_t golden_ask_rays(golden_stage *stage, const tp_query *query, uint64_t hash)
{
    const tp_ray rays[2] = {{{0.1f, 0.7f, 0.0f}, {-0.2f, -1.6f, 0.0f}, 0.0f, 3},
                            {{-0.6f, 0.2f, 0.0f}, {1.1f, -0.7f, 0.0f}, 0.05f, 3}};
    for (uint32_t k = 0; k < 4; k++) {
        tp_ray_hit hit;
        tp_query_cursor cursor = {0};
        golden_note(stage, k < 2 ? tp_query_ray(query, &rays[k], 0, &cursor, &hit)
                                 : tp_world_ray(stage->world, &rays[k - 2u], 0, &cursor, &hit));
        hash = golden_fold(hash, &hit.time, 1);
        hash = golden_fold(hash, &hit.center, 3);
        hash = golden_fold(hash, &hit.point, 3);
        hash = golden_fold(hash, &hit.normal, 3);
        hash = golden_fold(hash, &hit.particle, 1);
    }
    return hash;
}

static uint64_t golden_ask_loads(golden_stage *stage, uint64_t hash)
{
    for (uint32_t k = 0; k < stage->collider_count; k++) {
        tp_load load;
        golden_note(stage, tp_collider_load(stage->world, stage->colliders[k], &load));
        hash = golden_fold(hash, &load.pressure, 3);
        hash = golden_fold(hash, &load.friction, 3);
        hash = golden_fold(hash, &load.torque, 3);
        hash = golden_fold(hash, &load.impulse, 3);
        hash = golden_fold(hash, &load.contacts, 1);
    }
    return hash;
}

/* The cache is not needed any more: its memory becomes the query's. */
static uint64_t golden_ask(golden_stage *stage, uint64_t hash)
{
    tp_query *query = NULL;
    tp_query_def def = tp_query_default(tp_world_definition(stage->world));
    golden_note(stage, tp_query_create(&def, stage->spare, stage->spare_bytes, &query));
    if (stage->result == TP_OK) golden_note(stage, tp_query_update(query, stage->world, 0));
    if (stage->result != TP_OK) return 0;
    hash = golden_ask_loads(stage, hash);
    hash = golden_ask_regions(stage, query, hash);
    hash = golden_ask_samples(stage, query, hash);
    return golden_ask_rays(stage, query, hash);
}

#endif
