/* SPDX-License-Identifier: MIT
   tests/physics/test_cache_physics.c - jumps, interpolation between frames, and worlds that are
           rewound.
   reads   the swarm of tests/harness/cache_help.h, a curve of its own, worlds      writes  blocks
           of its own
   memory  malloc      cost    a few seconds
   after   runtime/guide/physics.md, interpolation of recorded frames */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include "../harness/world_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- quick caches ---- */

static void quick_open(cache_fixture *f)
{
    fixture_open(f, 20, 2);
    f->def.step = 5;
    f->def.is_quick = 1;
    f->source.jump = swarm_jump;
    fixture_create(f);
}

/* A jump over several calls gives the same bits. If the game requests a nearer frame during a jump,
   it gets that frame. If the jump is complete by then, the frame is interpolated. */
static void jumps_may_be_sliced_and_left(void)
{
    cache_fixture whole, sliced;
    quick_open(&whole), quick_open(&sliced);
    CHECK_EQ(request_all(&whole, TP_TIME(33)), TP_OK);
    tp_budget budget = {.units = 3};
    tp_result result = TP_MORE;
    for (uint32_t turn = 0; turn < 10000 && result == TP_MORE; turn++)
        result = tp_cache_request(sliced.cache, &sliced.source, TP_TIME(33), &budget, &sliced.view);
    CHECK_EQ(result, TP_OK);
    CHECK_EQ(sliced.swarm->advances, 7);
    CHECK_EQ(swarm_hash(&sliced.swarm->now), swarm_hash(&whole.swarm->now));
    fixture_close(&whole), fixture_close(&sliced);
    for (uint32_t calls = 10; calls < 60; calls++) {
        swarm_state *truth = swarm_at(20, 2, 3);
        quick_open(&sliced);
        for (uint32_t turn = 0; turn < calls; turn++)
            let(tp_cache_request(sliced.cache, &sliced.source, TP_TIME(33), &budget, &sliced.view));
        if (!CHECK(tp_cache_has(sliced.cache, 0))) return;
        CHECK_EQ(tp_cache_clear_after(sliced.cache, 0), TP_OK);
        test_note("left after %u calls, in frame %u", calls, (uint32_t)sliced.swarm->now.frame);
        if (calls % 2u) {
            CHECK_EQ(tp_cache_resume(sliced.cache, &sliced.source, 3, false, NULL), TP_OK);
            CHECK_EQ(swarm_hash(&sliced.swarm->now), swarm_hash(truth));
        } else {
            CHECK_EQ(request_all(&sliced, TP_TIME(3)), TP_OK);
            bool has_jumped = sliced.view.status == TP_CACHE_INTERPOLATED;
            CHECK(has_jumped || sliced.view.status == TP_CACHE_SIMULATED);
            CHECK_EQ(sliced.swarm->now.frame, has_jumped ? 5u : 3u);
        }
        free(truth);
        fixture_close(&sliced);
    }
}

/* ---- curves: a source defined by a formula ---- */

typedef struct curve {
    uint64_t frame;
    uint32_t frames_per_second;
    uint32_t flags;                             /* of its single particle */
    void (*at)(float time, float *x, float *v); /* writes 3 components to x and to v */
    void (*spin)(float time, float *rotation);
} curve;

enum { CURVE_POSITION, CURVE_VELOCITY, CURVE_FLAGS, CURVE_ROTATION, CURVE_COLOUR };
#define CURVE_CONTACT 8u

static bool curve_frame(void *context, uint64_t *frame)
{
    *frame = ((curve *)context)->frame;
    return true;
}
static uint32_t curve_count(void *context)
{
    (void)context;
    return 1;
}
static void curve_read(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                       void *values)
{
    const curve *source = (const curve *)context;
    float x[3] = {0}, v[3] = {0}, rotation[4] = {1, 0, 0, 0},
          time = (float)source->frame / (float)source->frames_per_second;
    CHECK(count == 1 && places[0] == 0);
    if (source->at) source->at(time, x, v);
    if (source->spin) source->spin(time, rotation);
    for (uint32_t c = 0; c < 4; c++) {
        float *to = (float *)values + c * TP_TILE;
        if (stream == CURVE_ROTATION) *to = rotation[c];
        if (stream == CURVE_COLOUR && c == 0) *to = time;
        if (stream == CURVE_FLAGS && c == 0) memcpy(to, &source->flags, 4);
        if (c < 3 && stream == CURVE_POSITION) *to = x[c];
        if (c < 3 && stream == CURVE_VELOCITY) *to = v[c];
    }
}

static tp_source curve_source(curve *context)
{
    tp_source source = {0};
    tp_schema *schema = &source.schema;
    schema->streams[CURVE_POSITION] =
        stream_of("position", TP_STREAM_F32, 3, TP_INTERPOLATE_HERMITE, CURVE_VELOCITY);
    schema->streams[CURVE_VELOCITY] =
        stream_of("velocity", TP_STREAM_F32, 3, TP_INTERPOLATE_RATE, CURVE_POSITION);
    schema->streams[CURVE_FLAGS] = stream_of("flags", TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    schema->streams[CURVE_ROTATION] =
        stream_of("rotation", TP_STREAM_F32, 4, TP_INTERPOLATE_SLERP, 0);
    schema->streams[CURVE_COLOUR] = stream_of("colour", TP_STREAM_F32, 1, TP_INTERPOLATE_LINEAR, 0);
    schema->stream_count = 5;
    schema->linear_stream = CURVE_FLAGS;
    schema->linear_mask = CURVE_CONTACT;
    schema->birth_stream = TP_STREAM_NONE;
    schema->frames_per_second_numerator = context->frames_per_second;
    schema->frames_per_second_denominator = 1;
    source.particles_max = 1;
    source.context = context;
    source.frame = curve_frame, source.count = curve_count, source.read = curve_read;
    return source;
}

/* The interpolated values of a curve. */
typedef struct curve_view {
    float x[3], v[3], rotation[4], colour[1];
    uint32_t flags[1];
    tp_frame_view view;
} curve_view;

static void curve_view_make(curve_view *shown)
{
    memset(shown, 0, sizeof *shown);
    shown->view.capacity = 1;
    shown->view.values[CURVE_POSITION] = shown->x;
    shown->view.values[CURVE_VELOCITY] = shown->v;
    shown->view.values[CURVE_FLAGS] = shown->flags;
    shown->view.values[CURVE_ROTATION] = shown->rotation;
    shown->view.values[CURVE_COLOUR] = shown->colour;
}

/* A cache with the frames 0 and `step` of a curve. */
static tp_cache *curve_cache(curve *source, uint32_t step)
{
    tp_source description = curve_source(source);
    tp_cache_def def = tp_cache_default(&description);
    size_t bytes;
    def.ring_bytes = 4096;
    def.step = step;
    tp_cache *cache = cache_make(&def, &bytes);
    for (source->frame = 0; source->frame <= step; source->frame += step)
        CHECK_EQ(tp_cache_record(cache, &description, NULL), TP_OK);
    return cache;
}

static void curve_show(tp_cache *cache, uint64_t time, curve_view *shown)
{
    curve_view_make(shown);
    CHECK_EQ(tp_cache_request(cache, NULL, time, NULL, &shown->view), TP_OK);
    CHECK_EQ(shown->view.count, 1);
}

static void curve_fall(float time, float *x, float *v)
{
    x[0] = time - 9.81f * time * time / 2.0f, v[0] = 1.0f - 9.81f * time;
    x[1] = 2.0f - time + 3.0f * time * time - 4.0f * time * time * time;
    v[1] = -1.0f + 6.0f * time - 12.0f * time * time;
}

static void cubics_are_exact(void)
{
    static const double expected[5] = {0.0, -0.0565625, -0.72625, -2.0090625, -3.905};
    curve source = {.frames_per_second = 1, .at = curve_fall};
    tp_cache *cache = curve_cache(&source, 1);
    for (uint32_t k = 0; k <= 4; k++) {
        curve_view shown;
        double t = k / 4.0;
        curve_show(cache, k * (uint64_t)TP_TICKS_PER_FRAME / 4u, &shown);
        CHECK_NEAR(shown.x[0], expected[k], 5e-7);
        CHECK_NEAR(shown.v[0], 1.0 - 9.81 * t, 2e-6);
        CHECK_NEAR(shown.x[1], 2.0 - t + 3.0 * t * t - 4.0 * t * t * t, 1e-6);
        CHECK_NEAR(shown.v[1], -1.0 + 6.0 * t - 12.0 * t * t, 5e-6);
        CHECK_NEAR(shown.colour[0], t, 1e-7);
    }
    free(cache);
}

/* Blender's cubic interpolation: x 0 -> 4, v 5 -> 15 over ten frames of 0.04 s gives 1.5 and 10 at
   half the interval. */
static void curve_blender(float time, float *x, float *v)
{
    x[0] = time > 0.2f ? 4.0f : 0.0f, v[0] = time > 0.2f ? 15.0f : 5.0f;
}

static void the_published_example_comes_out(void)
{
    curve source = {.frames_per_second = 25, .at = curve_blender};
    tp_cache *cache = curve_cache(&source, 10);
    curve_view shown;
    curve_show(cache, TP_TIME(5), &shown);
    CHECK_EQ(shown.view.status, TP_CACHE_INTERPOLATED);
    CHECK_EQ(shown.view.frame, 0);
    CHECK_EQ(shown.view.frame_next, 10);
    CHECK_NEAR(shown.x[0], 1.5, 1e-6);
    CHECK_NEAR(shown.v[0], 10.0, 1e-5);
    free(cache);
}

static void curve_rest(float time, float *x, float *v)
{
    (void)time;
    x[1] = 0.25f,
    /* the velocity that one frame of gravity gives to a particle at rest on the ground */
        v[1] = -9.81f / 25.0f;
}

/* A resting particle has a small recorded velocity v. Cubic interpolation over T seconds would show
   a dip of |v| T sqrt(3) / 18; a contact flag at either key prevents it. */
static void contacts_do_not_bounce_between_keys(void)
{
    static const uint32_t steps[3] = {2, 5, 10};
    static const double dips[3] = {3.02e-3, 7.55e-3, 15.1e-3};
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t contact = 0; contact < 2; contact++) {
            curve source = {.frames_per_second = 25,
                            .at = curve_rest,
                            .flags = contact ? CURVE_CONTACT | 1u : 1u};
            tp_cache *cache = curve_cache(&source, steps[k]);
            double largest = 0.0;
            for (uint64_t time = 0; time <= TP_TIME(steps[k]); time += 60060u) {
                curve_view shown;
                curve_show(cache, time, &shown);
                largest = fmax(largest, fabs((double)shown.x[1] - 0.25));
                CHECK_EQ(shown.flags[0], source.flags);
                bool is_between = shown.view.status == TP_CACHE_INTERPOLATED;
                if (contact && is_between) CHECK_NEAR(shown.v[1], 0.0, 0.0);
            }
            CHECK_NEAR(largest, contact ? 0.0 : dips[k], contact ? 0.0 : 0.01 * dips[k]);
            free(cache);
        }
    }
}

/* ---- rotations ---- */

static float spin_angle, spin_sign;
static void curve_spin(float time, float *rotation)
{
    rotation[0] = cosf(0.5f * spin_angle * time), rotation[3] = sinf(0.5f * spin_angle * time);
    rotation[1] = rotation[2] = 0.0f;
    if (time > 0.5f)
        for (uint32_t c = 0; c < 4; c++) rotation[c] *= spin_sign;
}

static void rotations_take_the_shorter_arc_at_constant_speed(void)
{
    static const float angles[] = {1e-6f, 5e-4f,      1.9e-3f, 2.1e-3f, 0.1f,
                                   1.0f,  1.5707964f, 2.5f,    3.1f};
    for (uint32_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
        for (spin_sign = -1.0f; spin_sign <= 1.0f; spin_sign += 2.0f) {
            spin_angle = angles[k];
            curve source = {.frames_per_second = 1, .spin = curve_spin};
            tp_cache *cache = curve_cache(&source, 1);
            for (uint32_t part = 1; part < 8; part++) {
                curve_view shown;
                curve_show(cache, part * (uint64_t)TP_TICKS_PER_FRAME / 8u, &shown);
                double half = 0.5 * (double)spin_angle * part / 8.0, sign = (double)spin_sign;
                CHECK_NEAR(shown.rotation[0] * sign, cos(half), 2e-6);
                CHECK_NEAR(shown.rotation[3] * sign, sin(half), 2e-6);
                CHECK_NEAR(shown.rotation[1], 0.0, 0.0);
            }
            free(cache);
        }
    }
}

/* ---- matching ---- */

/* The swarm in free flight with births and deaths, stored in another order in every frame. */
static void particles_are_matched_by_identity(void)
{
    cache_fixture f;
    fixture_open(&f, 150, 3);
    f.def.step = 4;
    fixture_create(&f);
    CHECK_EQ(request_all(&f, TP_TIME(8)), TP_OK);
    swarm_state *first = swarm_at(150, 3, 4), *last = swarm_at(150, 3, 8);
    uint32_t both = 0, births = 0;
    CHECK_EQ(request_all(&f, TP_TIME(5)), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_INTERPOLATED);
    const float *x = f.view.values[SWARM_POSITION], *v = f.view.values[SWARM_VELOCITY];
    const uint32_t *id = f.view.values[SWARM_ID], *birth = f.view.values[SWARM_FLAGS];
    for (uint32_t k = 0; k < f.view.count; k++) {
        uint32_t i = 0;
        uint32_t j = 0;
        while (i < first->count && first->id[i] != id[k]) i++;
        while (j < last->count && last->id[j] != id[k]) j++;
        CHECK(birth[k] <= TP_TIME(5));
        births += i == first->count ? 1u : 0u;
        if (i == first->count || j == last->count) continue;
        both++;
        for (uint32_t c = 0; c < 3; c++) {
            double t = 0.04, g = c == 1 ? 9.81 : 0.0, x0 = (double)first->x[c][i],
                   v0 = (double)first->v[c][i];
            CHECK_NEAR(x[c * SWARM_MAX + k], x0 + v0 * t - 0.5 * g * t * t, 2e-5);
            CHECK_NEAR(v[c * SWARM_MAX + k], v0 - g * t, 2e-4);
        }
    }
    /* born in frame 5; births of the frames 6 to 8 are still to come */
    CHECK_EQ(births, 3);
    /* one particle dies in frame 6 and flies straight on until then */
    CHECK_EQ(both, first->count - 1u);
    free(first);
    free(last);
    fixture_close(&f);
}

/* A particle that dies between two frames is shown in the first half of the interval. */
static void the_dead_are_shown_on_their_side(void)
{
    cache_fixture f;
    fixture_open(&f, 50, 0);
    f.swarm->count_max = 50;
    f.def.step = 3;
    fixture_create(&f);
    CHECK_EQ(request_all(&f, TP_TIME(3)), TP_OK);
    CHECK_EQ(f.swarm->now.count, 49);
    for (uint32_t part = 1; part < 6; part++) {
        CHECK_EQ(request_all(&f, TP_TIME(3) * part / 6u), TP_OK);
        CHECK_EQ(f.view.count, part < 3 ? 50 : 49);
    }
    fixture_close(&f);
}

/* ---- worlds ---- */

static tp_world_def world_fountain(uint32_t dimensions, tp_solver solver)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = solver;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 600;
    def.frames_per_second_numerator = 60;
    if (solver == TP_SOLVER_NONE) def.integrator = TP_INTEGRATOR_KDK;
    return def;
}

static test_world fountain_make(uint32_t dimensions, tp_solver solver)
{
    tp_world_def def = world_fountain(dimensions, solver);
    test_world made = test_world_make(&def);
    tp_emitter_def emitter = tp_emitter_default();
    tp_emitter handle;
    tp_sink sink;
    tp_sink_def sink_def = tp_sink_default();
    emitter.shape = TP_EMITTER_SPHERE;
    emitter.size = (tp_vector){0.5f, 0.0f, 0.0f};
    emitter.rate_numerator = 617;
    emitter.pose.position = (tp_vector){1.5f, 1.5f, 1.5f};
    emitter.velocity = (tp_vector){1.0f, 4.0f, 0.0f};
    emitter.velocity_jitter = 0.5f;
    CHECK_EQ(tp_emitter_add(made.world, &emitter, &handle), TP_OK);
    sink_def.shape = TP_SINK_AGE;
    sink_def.age_ticks = TP_TICKS_PER_FRAME * 25u;
    CHECK_EQ(tp_sink_add(made.world, &sink_def, &sink), TP_OK);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){3.0f, 3.0f, 3.0f});
    return made;
}

static tp_cache *world_cache(const tp_source *source, uint32_t ring_bytes)
{
    tp_cache_def def = tp_cache_default(source);
    size_t bytes;
    def.ring_bytes = ring_bytes;
    return cache_make(&def, &bytes);
}

/* Simulates and records frames 0 .. last, as a game does; stores the hash of each frame. */
static void world_play(test_world *made, tp_cache *cache, uint32_t last, uint64_t *hashes)
{
    tp_source source = tp_world_source(made->world);
    for (uint32_t t = 0; t <= last; t++) {
        hashes[t] = tp_world_hash(made->world);
        CHECK_EQ(tp_cache_record(cache, &source, NULL), TP_OK);
        if (t < last) CHECK_EQ(tp_frame(made->world, NULL, NULL), TP_OK);
    }
}

static void a_rewound_world_goes_on_to_the_same_hashes(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        test_world made =
            fountain_make(kind & 1u ? 3 : 2, kind & 2u ? TP_SOLVER_SPH : TP_SOLVER_NONE);
        tp_source source = tp_world_source(made.world);
        tp_cache *cache = world_cache(&source, 1u << 21);
        uint64_t hashes[61];
        world_play(&made, cache, 60, hashes);
        test_note("kind %u, %u particles", kind, tp_world_view(made.world).count);
        CHECK(tp_world_view(made.world).count > 100);
        for (uint32_t t = 55; t < 60; t -= 10) {
            CHECK_EQ(tp_cache_rewind(cache, &source, t, false, NULL), TP_OK);
            CHECK_EQ(tp_world_hash(made.world), hashes[t]);
            for (uint32_t k = 1; k <= 5; k++) {
                CHECK_EQ(tp_frame(made.world, NULL, NULL), TP_OK);
                CHECK_EQ(tp_world_hash(made.world), hashes[t + k]);
            }
        }
        free(cache);
        test_world_free(&made);
    }
}

/* A request beyond the last simulated frame simulates the world, to the same bits for every
   budget. */
static void a_requested_world_is_the_played_world(void)
{
    for (uint32_t units = 0; units <= 3000; units += 1500) {
        test_world played = fountain_make(2, TP_SOLVER_SPH),
                   asked = fountain_make(2, TP_SOLVER_SPH);
        tp_source played_source = tp_world_source(played.world),
                  source = tp_world_source(asked.world);
        tp_cache *first = world_cache(&played_source, 1u << 21),
                 *second = world_cache(&source, 1u << 21);
        uint64_t hashes[31];
        world_play(&played, first, 30, hashes);
        tp_budget budget = {.units = units};
        tp_frame_view view = {0};
        tp_result result = TP_MORE;
        for (int turn = 0; turn < 200000 && result == TP_MORE; turn++)
            result = tp_cache_request(second, &source, TP_TIME(30), &budget, &view);
        CHECK_EQ(result, TP_OK);
        CHECK_EQ(view.status, TP_CACHE_SIMULATED);
        CHECK_EQ(tp_world_hash(asked.world), hashes[30]);
        CHECK_EQ(tp_cache_report(second).frames, 31);
        while ((result = tp_cache_rewind(second, &source, 12, true, &budget)) == TP_MORE)
            /* the old state is visible until the restore is complete */
            CHECK_EQ(tp_world_hash(asked.world), hashes[30]);
        CHECK_EQ(result, TP_OK);
        CHECK_EQ(tp_world_hash(asked.world), hashes[12]);
        CHECK_EQ(tp_cache_report(second).frame_last, 12);
        free(first);
        free(second);
        test_world_free(&played);
        test_world_free(&asked);
    }
}

/* A real contact: a particle on the ground, every tenth frame recorded. */
static void r_07_a_particle_at_rest_stays_at_rest_between_keys(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_NONE;
    def.particles_max = 4;
    test_world made = test_world_make(&def);
    tp_collider_def ground = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider handle;
    CHECK_EQ(tp_collider_add(made.world, &ground, &handle), TP_OK);
    CHECK_EQ(tp_particle_add(made.world, (tp_vector){0, 0.06f, 0}, (tp_vector){0, 0, 0}, 0, NULL),
             TP_OK);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 30);
    tp_source source = tp_world_source(made.world);
    tp_cache_def cache_def = tp_cache_default(&source);
    size_t bytes;
    cache_def.step = 10;
    tp_cache *cache = cache_make(&cache_def, &bytes);
    float position[2] = {0}, lowest = 1.0f, highest = 0.0f;
    tp_frame_view view = {.capacity = 1, .values = {NULL, position}};
    CHECK_EQ(tp_cache_record(cache, &source, NULL), TP_OK);
    CHECK_EQ(tp_cache_request(cache, &source, TP_TIME(40), NULL, &view), TP_OK);
    CHECK(tp_world_view(made.world).meta[0] & TP_META_CONTACT);
    for (uint64_t time = TP_TIME(30); time <= TP_TIME(40); time += TP_TICKS_PER_FRAME / 4u) {
        CHECK_EQ(tp_cache_request(cache, NULL, time, NULL, &view), TP_OK);
        lowest = fminf(lowest, position[1]), highest = fmaxf(highest, position[1]);
    }
    CHECK_NEAR(highest - lowest, 0.0, 1e-4);
    CHECK_NEAR(lowest, 0.05, 1e-3);
    free(cache);
    test_world_free(&made);
}

/* A world that takes other steps would not go on from the recorded frames to their bits. */
static void r_06_adaptive_steps_do_not_go_on_from_a_cache_of_fixed_ones(void)
{
    test_world fixed = fountain_make(2, TP_SOLVER_SPH);
    tp_world_def def = *tp_world_definition(fixed.world);
    tp_source source = tp_world_source(fixed.world);
    tp_cache *cache = world_cache(&source, 1u << 21);
    uint64_t hashes[11];
    world_play(&fixed, cache, 10, hashes);
    def.substeps.is_adaptive = true;
    test_world adaptive = test_world_make(&def);
    test_world_frames(adaptive.world, 3);
    uint64_t before = tp_world_hash(adaptive.world);
    source = tp_world_source(adaptive.world);
    CHECK_EQ(tp_cache_rewind(cache, &source, 5, false, NULL), TP_ERROR_SOURCE);
    CHECK_EQ(tp_cache_resume(cache, &source, 5, false, NULL), TP_ERROR_SOURCE);
    CHECK_EQ(tp_world_hash(adaptive.world), before);
    free(cache);
    test_world_free(&fixed);
    test_world_free(&adaptive);
}

/* Rewinding removes objects that were added since, and restores removed ones and settings. */
static void rewinding_undoes_emitters_sinks_and_fields(void)
{
    test_world made = fountain_make(2, TP_SOLVER_NONE);
    tp_source source = tp_world_source(made.world);
    tp_cache *cache = world_cache(&source, 1u << 21);
    uint64_t hashes[21];
    world_play(&made, cache, 20, hashes);
    tp_emitter_def emitter = tp_emitter_default();
    tp_emitter handle;
    tp_field wind;
    tp_field_def wind_def = tp_field_default(TP_FIELD_WIND),
                 gravity = tp_field_default(TP_FIELD_GRAVITY);
    emitter.rate_numerator = 1000;
    gravity.vector = (tp_vector){0.0f, 5.0f, 0.0f};
    CHECK_EQ(tp_emitter_add(made.world, &emitter, &handle), TP_OK);
    CHECK_EQ(tp_field_add(made.world, &gravity, &wind), TP_OK);
    (void)wind_def;
    test_world_frames(made.world, 7);
    CHECK_EQ(tp_cache_rewind(cache, &source, 10, false, NULL), TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hashes[10]);
    CHECK_EQ(tp_emitter_count(made.world, handle, NULL, NULL), TP_ERROR_HANDLE);
    test_world_frames(made.world, 10);
    CHECK_EQ(tp_world_hash(made.world), hashes[20]);
    free(cache);
    test_world_free(&made);
}

/* Meshes are not recorded: if one is missing, the world refuses to be restored and is unchanged. */
static void rewinding_past_geometry_is_refused(void)
{
    static const tp_vector vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t indices[3] = {0, 1, 2};
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_NONE;
    def.particles_max = 50;
    def.geometry_bytes_max = 4096;
    test_world made = test_world_make(&def);
    tp_emitter_def emitter = tp_emitter_default();
    tp_emitter handle;
    emitter.shape = TP_EMITTER_MESH;
    emitter.rate_numerator = 60;
    emitter.vertices = vertices, emitter.vertex_count = 3, emitter.indices = indices,
    emitter.triangle_count = 1;
    CHECK_EQ(tp_emitter_add(made.world, &emitter, &handle), TP_OK);
    tp_source source = tp_world_source(made.world);
    tp_cache *cache = world_cache(&source, 1u << 20);
    uint64_t hashes[11];
    world_play(&made, cache, 10, hashes);
    CHECK_EQ(tp_cache_rewind(cache, &source, 5, false, NULL), TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hashes[5]);
    CHECK_EQ(tp_emitter_remove(made.world, handle), TP_OK);
    uint64_t before = tp_world_hash(made.world);
    CHECK_EQ(tp_cache_rewind(cache, &source, 8, false, NULL), TP_ERROR_SOURCE);
    CHECK_EQ(tp_world_hash(made.world), before);
    free(cache);
    test_world_free(&made);
}

/* A step between two calls of a restore would be lost: the restore detects it. */
static void a_step_during_a_restore_is_noticed(void)
{
    test_world made = fountain_make(2, TP_SOLVER_NONE);
    tp_source source = tp_world_source(made.world);
    tp_cache *cache = world_cache(&source, 1u << 21);
    uint64_t hashes[31];
    world_play(&made, cache, 30, hashes);
    uint32_t refused = 0;
    for (uint32_t calls = 1; calls < 40; calls++) {
        tp_budget budget = {.units = 64};
        tp_result result = TP_MORE;
        for (uint32_t k = 0; k < calls && result == TP_MORE; k++)
            result = tp_cache_rewind(cache, &source, 20, false, &budget);
        test_world_frames(made.world, 1);
        uint64_t hash = tp_world_hash(made.world);
        if (result == TP_MORE) {
            result = tp_cache_rewind(cache, &source, 20, false, NULL);
            CHECK(result == TP_OK ||
                  (result == TP_ERROR_SOURCE && tp_world_hash(made.world) == hash));
        } else {
            CHECK_EQ(tp_cache_rewind(cache, &source, 20, false, NULL), TP_OK);
        }
        refused += result == TP_ERROR_SOURCE ? 1u : 0u;
        if (result == TP_ERROR_SOURCE)
            CHECK_EQ(tp_cache_rewind(cache, &source, 20, false, NULL), TP_OK);
        CHECK_EQ(tp_world_hash(made.world), hashes[20]);
    }
    CHECK(refused > 0);
    free(cache);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(jumps_may_be_sliced_and_left),
    TEST_CASE(cubics_are_exact),
    TEST_CASE(the_published_example_comes_out),
    TEST_CASE(contacts_do_not_bounce_between_keys),
    TEST_CASE(rotations_take_the_shorter_arc_at_constant_speed),
    TEST_CASE(particles_are_matched_by_identity),
    TEST_CASE(the_dead_are_shown_on_their_side),
    TEST_CASE(a_rewound_world_goes_on_to_the_same_hashes),
    TEST_CASE(a_requested_world_is_the_played_world),
    TEST_CASE(r_07_a_particle_at_rest_stays_at_rest_between_keys),
    TEST_CASE(r_06_adaptive_steps_do_not_go_on_from_a_cache_of_fixed_ones),
    TEST_CASE(rewinding_undoes_emitters_sinks_and_fields),
    TEST_CASE(rewinding_past_geometry_is_refused),
    TEST_CASE(a_step_during_a_restore_is_noticed),
};
TEST_SUITE(cache_physics, cases);
