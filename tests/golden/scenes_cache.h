/* SPDX-License-Identifier: MIT
   tests/golden/scenes_cache.h - golden scenes whose world is recorded, restored and shown by a
           cache.
   reads   nothing      writes  a world, a cache
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_CACHE_H
#define TIDEPOOL_GOLDEN_SCENES_CACHE_H

/* ---- rewind: recorded, restored, simulated again; it must end with the hash of an undisturbed run
   ---- */

static void golden_rewind_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->particles_max = GOLDEN_SMALL;
    def->sinks_max = 1;
    def->seed = 18;
    def->sph.neighbours_max = 24;
}

static void golden_fill_rewind_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 0.7f, 0.8f, 1.0f);
    golden_add_block(stage, golden_vector(-0.3f, -0.2f, 0.0f), golden_vector(0.3f, 0.4f, 0.0f), 40,
                     0);
    tp_emitter_def rain = tp_emitter_default();
    rain.shape = TP_EMITTER_SEGMENT;
    rain.pose.position = golden_vector(0.0f, 0.7f, 0.0f);
    rain.size = golden_vector(0.5f, 0.0f, 0.0f);
    rain.species = 1;
    rain.rate_numerator = 125;
    rain.rate_denominator = 2;
    rain.velocity_jitter = 0.2f;
    golden_add_emitter(stage, &rain);
    tp_sink_def drain = tp_sink_default();
    drain.shape = TP_SINK_BOX;
    drain.center = golden_vector(0.6f, -0.75f, 0.0f);
    drain.half = golden_vector(0.1f, 0.1f, 1.0f);
    golden_add_sink(stage, &drain);
}

/* Makes the cache, which records the world as it is. */
static void golden_open_cache(golden_stage *stage, const tp_cache_def *def, const tp_source *source)
{
    tp_result result = tp_cache_create(def, stage->spare, stage->spare_bytes, &stage->cache);
    if (result == TP_OK) result = tp_cache_record(stage->cache, source, NULL);
    golden_note(stage, result);
}

/* Records each fourth frame from now on. */
static void golden_record_from(golden_stage *stage, uint32_t frames, uint32_t bytes)
{
    tp_source source = tp_world_source(stage->world);
    tp_cache_def def = tp_cache_default(&source);
    def.frames_max = frames;
    def.ring_bytes = bytes;
    def.step = 4;
    golden_open_cache(stage, &def, &source);
}

static void golden_fill_recorded_2d(golden_stage *stage)
{
    golden_fill_rewind_2d(stage);
    golden_record_from(stage, 8, 16384);
}

static void golden_fill_chain_recorded_2d(golden_stage *stage)
{
    golden_fill_chain_2d(stage);
    golden_record_from(stage, 8, 16384);
}

/* Materials of species, and links that break. */
static void golden_lumps_2d(tp_world_def *def)
{
    golden_rewind_2d(def);
    golden_materials(def);
    def->sph.viscosity = 0.02f;
    def->sph.stores_neighbours = false;
    def->links_max = 64;
}

/* The first 40 particles are born in the first frame. */
static void golden_link_lumps_2d(golden_stage *stage, uint64_t frame)
{
    tp_link_def link = tp_link_default();
    uint32_t count = 0;
    if (frame != 1) return;
    link.first = 0;
    link.second = 27;
    link.rest_length = 0.1f;
    link.stiffness = 200.0f;
    link.damping = 1.0f;
    link.break_length = 0.12f;
    golden_note(stage, tp_links_add(stage->world, &link, NULL, 0, &count));
}

static void golden_fill_lumps_recorded_2d(golden_stage *stage)
{
    golden_fill_rewind_2d(stage);
    golden_record_from(stage, 4, 16384);
}

static void golden_record(golden_stage *stage, uint64_t frame)
{
    (void)frame;
    tp_source source = tp_world_source(stage->world);
    golden_note(stage, tp_cache_record(stage->cache, &source, NULL));
}

static void golden_record_and_rewind(golden_stage *stage, uint64_t frame)
{
    golden_record(stage, frame);
    if (frame != 26 || stage->has_rewound) return;
    tp_source source = tp_world_source(stage->world);
    golden_note(stage, tp_cache_rewind(stage->cache, &source, 20, true, NULL));
    stage->has_rewound = true;
}

/* Adds the frame that a cache shows at a time to the hash; 0 if its status is not `status`. */
static uint64_t golden_look(golden_stage *stage, uint64_t time, tp_cache_status status,
                            uint64_t hash)
{
    static float positions[2 * GOLDEN_SMALL], velocities[2 * GOLDEN_SMALL];
    tp_frame_view view = {0};
    for (uint32_t i = 0; i < 2 * GOLDEN_SMALL; i++)
        velocities[i] = 0; /* if they are not recorded */
    view.capacity = GOLDEN_SMALL;
    view.values[1] = positions;
    view.values[2] = velocities;
    golden_note(stage, tp_cache_request(stage->cache, NULL, time, NULL, &view));
    if (view.status != status || view.count == 0) return 0;
    for (uint32_t i = 0; i < view.count; i++) {
        const float *values[4] = {positions + i, positions + GOLDEN_SMALL + i, velocities + i,
                                  velocities + GOLDEN_SMALL + i};
        for (uint32_t k = 0; k < 4; k++) hash = golden_fold(hash, values[k], 1);
    }
    return hash;
}

/* Adds the frame that a cache shows one third of the way between two recorded frames to the
   hash. */
static uint64_t golden_look_between(golden_stage *stage, uint64_t hash)
{
    return golden_look(stage, TP_TIME(33) + TP_TICKS_PER_FRAME / 3u, TP_CACHE_INTERPOLATED, hash);
}

/* ---- groups: lossy within a bound; as codec tiles or still staged; played backwards ---- */

static void golden_fill_grouped_2d(golden_stage *stage)
{
    golden_fill_rewind_2d(stage);
    tp_source source = tp_world_source(stage->world);
    source.schema.streams[1].error_bound = 0.001953125f;
    tp_cache_def def = tp_cache_default(&source);
    def.frames_max = 24;
    def.ring_bytes = 3072;
    def.group_frames = 4;
    def.recorded_streams = 3; /* id and position */
    tp_result result = tp_cache_create(&def, stage->spare, stage->spare_bytes, &stage->cache);
    golden_note(stage, result);
}

static void golden_record_group(golden_stage *stage, uint64_t frame)
{
    (void)frame;
    tp_source source = tp_world_source(stage->world);
    source.schema.streams[1].error_bound = 0.001953125f;
    golden_note(stage, tp_cache_record(stage->cache, &source, NULL));
}

static uint64_t golden_look_back(golden_stage *stage, uint64_t hash)
{
    tp_cache_counters report = tp_cache_report(stage->cache);
    for (uint64_t frame = report.frame_last; frame >= report.frame_first && hash; frame--)
        hash = golden_look(stage, TP_TIME(frame), TP_CACHE_EXACT, hash);
    return report.frames > 12 && report.bytes > 500 ? hash : 0;
}

/* ---- resume: inputs, and a restore between two recorded frames; the hash must not change ---- */

typedef struct golden_kick {
    uint32_t id;
    float speed; /* m/s */
} golden_kick;

/* The particle is named by id, because its index is not recorded. */
static tp_result golden_do(void *context, const void *data, uint32_t bytes)
{
    const golden_kick *kick = (const golden_kick *)data;
    tp_world *world = (tp_world *)context;
    tp_view view = tp_world_view(world);
    uint32_t index = 0;
    if (bytes != sizeof *kick) return TP_ERROR_SOURCE;
    while (index < view.count && view.id[index] != kick->id) index++;
    if (index == view.count) return TP_OK; /* the particle no longer exists */
    return tp_particle_set(world, index, golden_vector(view.x[index], view.y[index], 0.0f),
                           golden_vector(kick->speed, -kick->speed, 0.0f));
}

static tp_source golden_input_source(golden_stage *stage)
{
    tp_source source = tp_world_source(stage->world);
    source.input = golden_do;
    return source;
}

static void golden_act(golden_stage *stage, uint64_t frame)
{
    golden_kick kick = {(uint32_t)frame, 0.25f * (float)(frame % 7u)};
    if (frame % 3u != 1u) return;
    tp_source source = golden_input_source(stage);
    if (stage->cache) golden_note(stage, tp_cache_input(stage->cache, &source, &kick, sizeof kick));
    golden_note(stage, golden_do(stage->world, &kick, sizeof kick));
}

static void golden_fill_snapshots(golden_stage *stage, uint32_t step, uint32_t group_frames)
{
    golden_fill_rewind_2d(stage);
    tp_source source = golden_input_source(stage);
    tp_cache_def def = tp_cache_default(&source);
    def.frames_max = 3u * group_frames > 6u ? 3u * group_frames : 6u;
    def.ring_bytes = group_frames > 1u ? 5120u : 16384u;
    def.step = step;
    def.group_frames = group_frames;
    def.input_bytes = 512;
    golden_open_cache(stage, &def, &source);
}

static void golden_fill_resumed_2d(golden_stage *stage) { golden_fill_snapshots(stage, 8, 1); }

/* All particles fit in one tile, so that two groups are small. */
static void golden_tile_2d(tp_world_def *def)
{
    golden_rewind_2d(def);
    def->particles_max = TP_TILE;
    def->fields_max = 1; /* microcontrollers have 64 KB for world and cache */
}

/* Snapshots that are stored as differences (delta coded). */
static void golden_fill_delta_2d(golden_stage *stage) { golden_fill_snapshots(stage, 4, 2); }

static void golden_record_and_resume(golden_stage *stage, uint64_t frame)
{
    tp_source source = golden_input_source(stage);
    golden_note(stage, tp_cache_record(stage->cache, &source, NULL));
    if (frame != 30 || stage->has_rewound) return;
    golden_note(stage, tp_cache_resume(stage->cache, &source, 27, false, NULL));
    golden_note(stage, tp_cache_resume(stage->cache, &source, 13, true, NULL));
    stage->has_rewound = true;
}

/* Resumes from frame 16, which is staged, and from frame 12, which is encoded. */
static void golden_record_and_resume_delta(golden_stage *stage, uint64_t frame)
{
    tp_source source = golden_input_source(stage);
    golden_note(stage, tp_cache_record(stage->cache, &source, NULL));
    if (frame != 18 || stage->has_rewound) return;
    golden_note(stage, tp_cache_resume(stage->cache, &source, 17, false, NULL));
    golden_note(stage, tp_cache_resume(stage->cache, &source, 13, true, NULL));
    stage->has_rewound = true;
}

#endif
