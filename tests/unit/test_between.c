/* SPDX-License-Identifier: MIT
   tests/unit/test_between.c - positions between two frames, order of depth, ages and curves.
   reads   runtime/world/between.c, runtime/emit/life.c      writes  nothing
   memory  small worlds                                      cost    seconds
   after   positions that the test copies at the end of each frame; a comparison sort */
#include "test.h"
#include "world_help.h"
#include "cache_help.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN_MOST 400u

/* Births, deaths, sub-steps and sorted storage. */
static test_world between_make(tp_solver solver, uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = BETWEEN_MOST;
    def.solver = solver;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.keeps_last_frame = true;
    def.keeps_words = dimensions == 3;
    def.integrator = solver == TP_SOLVER_PAIR ? TP_INTEGRATOR_KDK : TP_INTEGRATOR_EULER;
    def.substeps.count = 3;
    def.slice_units = 64;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        def.species[s].sigma = 0.1f;
        def.species[s].epsilon = 0.01f;
    }
    test_world made = test_world_make(&def);
    tp_emitter_def tap = tp_emitter_default();
    tp_sink_def drain = tp_sink_default();
    tp_emitter emitter;
    tp_sink sink;
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){2, 2, 2});
    tap.shape = TP_EMITTER_BOX;
    tap.size = (tp_vector){0.5f, 0.3f, 0.5f};
    tap.pose.position = (tp_vector){1, 1.2f, 1};
    tap.burst_count = 200;
    tap.rate_numerator = 120;
    tap.velocity_jitter = 2.0f;
    CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
    drain.shape = TP_SINK_BOX;
    drain.center = (tp_vector){0.3f, 0.5f, 0.3f};
    drain.half = (tp_vector){0.6f, 0.6f, 2};
    CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
    return made;
}

typedef struct between_past {
    float at[3][BETWEEN_MOST]; /* by id */
    bool has[BETWEEN_MOST];
} between_past;

static void between_remember(const tp_world *world, between_past *past)
{
    tp_view view = tp_world_view(world);
    memset(past, 0, sizeof *past);
    for (uint32_t i = 0; i < view.count; i++) {
        const float x[3] = {view.x[i], view.y[i], view.z ? view.z[i] : 0.0f};
        if (view.id[i] >= BETWEEN_MOST) continue;
        past->has[view.id[i]] = true;
        for (uint32_t axis = 0; axis < 3; axis++) past->at[axis][view.id[i]] = x[axis];
    }
}

static void between_compare(const tp_world *world, const between_past *past, float alpha)
{
    static float x[3][BETWEEN_MOST];
    tp_view view = tp_world_view(world);
    CHECK(tp_world_between(world, alpha, 0, view.count, x[0], x[1], x[2]) == TP_OK);
    for (uint32_t i = 0; i < view.count; i++) {
        const float now[3] = {view.x[i], view.y[i], view.z ? view.z[i] : 0.0f};
        uint32_t id = view.id[i];
        for (uint32_t axis = 0; axis < (view.z ? 3u : 2u); axis++) {
            if (alpha == 1.0f) CHECK(x[axis][i] == now[axis]);
            if (id >= BETWEEN_MOST || !past->has[id]) { /* born in this frame */
                CHECK(fabsf(x[axis][i] - now[axis]) < 0.4f);
                continue;
            }
            float was = past->at[axis][id];
            if (alpha == 0.0f) CHECK(x[axis][i] == was);
            CHECK_NEAR(x[axis][i], was + (now[axis] - was) * alpha, 1e-6);
        }
    }
}

static void between_is_on_the_line_from_the_start_of_the_frame_at_every_slicing(void)
{
    static between_past past;
    for (uint32_t k = 0; k < 6; k++) {
        test_world made = between_make((tp_solver)(k % 3u), 2u + k / 3u);
        test_note("solver %u, %u dimensions", k % 3u, 2u + k / 3u);
        for (uint32_t frame = 0; frame < 20; frame++) {
            tp_budget budget = {.units = frame % 2u ? 0u : 173u};
            between_remember(made.world, &past);
            tp_result result = tp_frame(made.world, &budget, NULL);
            while (result == TP_MORE) { /* also inside of the frame */
                if (tp_world_report(made.world).steps_in_frame > 0)
                    between_compare(made.world, &past, 0.25f);
                budget.units += 173;
                budget.is_same_frame = true;
                result = tp_frame(made.world, &budget, NULL);
            }
            for (uint32_t a = 0; a <= 4; a++) between_compare(made.world, &past, (float)a * 0.25f);
        }
        CHECK(tp_world_report(made.world).died > 5);
        test_world_free(&made);
    }
}

/* Going back along the velocity leaves the tank; the line does not. */
static void between_stays_inside_where_particles_bounce(void)
{
    static float x[BETWEEN_MOST], y[BETWEEN_MOST];
    tp_world_def def = tp_world_default(2);
    uint32_t outside = 0;
    def.keeps_last_frame = true;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider collider;
    uint32_t state = 5;
    room.is_hollow = true;
    room.restitution = 0.9f;
    CHECK(tp_collider_add(made.world, &room, &collider) == TP_OK);
    for (uint32_t i = 0; i < 200; i++)
        CHECK(tp_particle_add(made.world, test_random_position(&state, 0.4f),
                              tpi_scale(test_random_position(&state, 1.0f), 8.0f), 0,
                              NULL) == TP_OK);
    for (uint32_t frame = 0; frame < 30; frame++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        CHECK(tp_world_between(made.world, 0.5f, 0, view.count, x, y, NULL) == TP_OK);
        for (uint32_t i = 0; i < view.count; i++) {
            CHECK(fabsf(x[i]) < 0.4501f && fabsf(y[i]) < 0.4501f);
            outside += fabsf(view.x[i] - view.vx[i] / 120.0f) > 0.46f;
        }
    }
    CHECK(outside > 50);
    test_world_free(&made);
}

static void between_takes_the_shorter_way_in_a_periodic_box(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.keeps_last_frame = true;
    def.periodic_axes = TP_AXIS_X;
    def.box_size.x = 4.0f;
    test_world made = test_world_make(&def);
    float x, y;
    CHECK(tp_particle_add(made.world, (tp_vector){3.99f, 0, 0}, (tp_vector){3.0f, 0, 0}, 0, NULL) ==
          TP_OK);
    test_world_frames(made.world, 1);
    CHECK_NEAR(tp_world_view(made.world).x[0], 0.04, 1e-5);
    CHECK(tp_world_between(made.world, 0.5f, 0, 1, &x, &y, NULL) == TP_OK);
    CHECK_NEAR(x, 0.015, 1e-5);
    CHECK(tp_world_between(made.world, 0.1f, 0, 1, &x, &y, NULL) == TP_OK);
    CHECK_NEAR(x, 3.995, 1e-5);
    test_world_free(&made);
}

static void a_set_particle_does_not_streak_and_bad_arguments_are_refused(void)
{
    test_world made = between_make(TP_SOLVER_NONE, 2);
    float x[2], y[2];
    test_world_frames(made.world, 3);
    CHECK(tp_particle_set(made.world, 0, (tp_vector){0.5f, 1.5f, 0}, (tp_vector){0, 0, 0}) ==
          TP_OK);
    CHECK(tp_world_between(made.world, 0.0f, 0, 1, x, y, NULL) == TP_OK);
    CHECK(x[0] == 0.5f && y[0] == 1.5f);
    uint32_t count = tp_world_view(made.world).count;
    CHECK(tp_world_between(made.world, 1.5f, 0, 1, x, y, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_world_between(made.world, NAN, 0, 1, x, y, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_world_between(made.world, 0.5f, count, 1, x, y, NULL) == TP_ERROR_HANDLE);
    CHECK(tp_world_between(made.world, 0.5f, 0, 1, x, NULL, NULL) == TP_ERROR_NULL);
    test_world_free(&made);
    tp_world_def def = tp_world_default(2);
    made = test_world_make(&def);
    CHECK(tp_world_between(made.world, 0.5f, 0, 0, x, y, NULL) == TP_ERROR_DEFINITION);
    test_world_free(&made);
}

static void measuring_and_rewinding_do_not_move_the_start_of_the_frame(void)
{
    static between_past past;
    test_world made = between_make(TP_SOLVER_PAIR, 2);
    tp_source source = tp_world_source(made.world);
    tp_cache_def cache_def = tp_cache_default(&source);
    tp_pair_report report;
    size_t bytes = 0;
    cache_def.ring_bytes = 1u << 18;
    tp_cache *cache = cache_make(&cache_def, &bytes);
    test_world_frames(made.world, 4);
    CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
    between_remember(made.world, &past);
    test_world_frames(made.world, 1);
    CHECK(tp_pair_measure(made.world, &report) == TP_OK); /* primes: a step without time */
    between_compare(made.world, &past, 0.5f);
    CHECK(tp_cache_rewind(cache, &source, 4, false, NULL) == TP_OK);
    between_compare(made.world, &past, 0.5f); /* each particle stands still */
    free(cache);
    test_world_free(&made);
}

/* ---- widths and threads ---- */

static void between_run_parts(void *context, void (*work)(void *argument, uint32_t index),
                              void *argument, uint32_t count)
{
    (*(uint32_t *)context)++;
    while (count-- > 0) work(argument, count);
}

/* Sums of words and of positions between the last two frames, by id. */
static uint64_t between_sum(const tp_world_def *def, uint32_t lanes_max, const tp_jobs *jobs)
{
    enum { COUNT = 4000 };
    static float x[COUNT], y[COUNT];
    static uint32_t ids[COUNT], words[COUNT];
    uint64_t sum = 0;
    test_world made = test_world_make(def);
    tp_budget budget = {.lanes_max = (uint8_t)lanes_max, .jobs = jobs};
    test_world_gravity(made.world, 9.81f);
    for (uint32_t i = 0; i < COUNT; i++) {
        tp_vector at = {0.1f * (float)(i % 64u), 0.1f * (float)(i / 64u), 0};
        ids[i] = i;
        words[i] = i * 2654435761u;
        CHECK(tp_particle_add(made.world, at, (tp_vector){(float)(i % 5u), 0, 0}, 0, NULL) ==
              TP_OK);
    }
    CHECK(tp_particles_word(made.world, ids, words, COUNT, NULL) == TP_OK);
    for (uint32_t frame = 0; frame < 6; frame++)
        CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
    tp_view view = tp_world_view(made.world);
    CHECK(tp_world_between(made.world, 0.5f, 0, view.count, x, y, NULL) == TP_OK);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK_EQ(view.word[i], words[view.id[i]]);
        sum += (view.id[i] + 1u) * ((uint64_t)tpi_bits(x[i]) << 32 | tpi_bits(y[i]));
    }
    test_world_free(&made);
    return sum;
}

static void widths_and_threads_carry_the_same_numbers(void)
{
    for (uint32_t solver = 0; solver < 3; solver++) {
        tp_world_def def = tp_world_default(2);
        uint32_t runs = 0;
        tp_jobs jobs = {between_run_parts, &runs, 4};
        def.particles_max = 4000;
        def.solver = (tp_solver)solver;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        def.integrator = solver == 2 ? TP_INTEGRATOR_KDK : TP_INTEGRATOR_EULER;
        def.keeps_words = def.keeps_last_frame = true;
        for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
            def.species[s].sigma = 0.1f;
            def.species[s].epsilon = 0.01f;
        }
        test_note("solver %u", solver);
        uint64_t sum = between_sum(&def, 0, NULL);
        CHECK_EQ(between_sum(&def, 4, NULL), sum);
        CHECK_EQ(between_sum(&def, 8, NULL), sum);
        CHECK_EQ(between_sum(&def, 0, &jobs), sum);
        CHECK(runs > 0 || solver == 0);
    }
}

/* ---- depth ---- */

static void indices_are_in_the_order_of_depth_and_stable(void)
{
    static float x[BETWEEN_MOST], y[BETWEEN_MOST], z[BETWEEN_MOST];
    static uint32_t indices[BETWEEN_MOST], scratch[2u * BETWEEN_MOST];
    uint32_t state = 11;
    for (uint32_t i = 0; i < BETWEEN_MOST; i++) {
        x[i] = (float)(int)test_uniform(&state, -4.0f, 4.0f); /* many ties */
        y[i] = test_uniform(&state, -1e3f, 1e3f);
        z[i] = i % 3u ? -0.0f : 0.0f; /* where x and y are below 0 a depth along z is -0, too */
    }
    const tp_vector directions[3] = {{1, 0, 0}, {0.3f, -0.5f, 2.0f}, {0, 0, 1}};
    for (uint32_t d = 0; d < 3; d++) {
        tp_view view = {.count = BETWEEN_MOST, .x = x, .y = y, .z = z};
        CHECK(tp_view_sort_depth(&view, directions[d], indices, scratch) == TP_OK);
        for (uint32_t k = 1; k < BETWEEN_MOST; k++) {
            uint32_t a = indices[k - 1u], b = indices[k];
            float before = x[a] * directions[d].x + y[a] * directions[d].y + z[a] * directions[d].z;
            float after = x[b] * directions[d].x + y[b] * directions[d].y + z[b] * directions[d].z;
            CHECK(before > after || (before == after && a < b));
        }
    }
    tp_view flat = {.count = 2, .x = x, .y = y}; /* in 2D the z of a direction is ignored */
    CHECK(tp_view_sort_depth(&flat, (tp_vector){1, 0, NAN}, indices, scratch) == TP_OK);
    tp_view empty = {0};
    CHECK(tp_view_sort_depth(&empty, directions[0], indices, scratch) == TP_OK);
    CHECK(tp_view_sort_depth(NULL, directions[0], indices, scratch) == TP_ERROR_NULL);
    CHECK(tp_view_sort_depth(&empty, (tp_vector){NAN, 0, 0}, indices, scratch) ==
          TP_ERROR_DEFINITION);
}

/* ---- ages ---- */

/* With one step per frame a particle dies in the frame in which its time ends, and not before. */
static void the_time_left_says_in_which_frame_a_particle_dies(void)
{
    static uint32_t left[BETWEEN_MOST], ids[BETWEEN_MOST];
    static float ages[BETWEEN_MOST];
    tp_world_def def = tp_world_default(2);
    def.particles_max = BETWEEN_MOST;
    def.species_count = 2;
    test_world made = test_world_make(&def);
    tp_emitter_def tap = tp_emitter_default();
    tp_sink_def old = tp_sink_default();
    tp_emitter emitter;
    tp_sink sink;
    uint32_t deaths = 0, limitless = 0;
    for (uint32_t species = 0; species < 2; species++) {
        tap.species = species;
        tap.rate_numerator = 130;
        tap.lifetime_ticks = species ? 0 : 25u * TP_TICKS_PER_FRAME / 2u;
        tap.lifetime_jitter = 0.7f;
        CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
    }
    old.shape = TP_SINK_AGE;
    old.species_mask = 2;
    old.age_ticks = 0;
    old.rate = 0; /* a sink that does not take all at an age limits no life */
    CHECK(tp_sink_add(made.world, &old, &sink) == TP_OK);
    for (uint32_t frame = 0; frame < 40; frame++) {
        if (frame == 10) {
            old.rate = TP_SINK_AT_ONCE;
            old.age_ticks = 7u * TP_TICKS_PER_FRAME;
            CHECK(tp_sink_add(made.world, &old, &sink) == TP_OK);
        }
        tp_view view = tp_world_view(made.world);
        uint32_t count = view.count;
        CHECK(tp_world_lives(made.world, 0, count, left, ages) == TP_OK);
        memcpy(ids, view.id, count * sizeof ids[0]);
        for (uint32_t i = 0; i < count; i++) {
            bool is_limited = left[i] != TP_TICKS_NONE;
            limitless += !is_limited;
            CHECK(ages[i] >= 0.0f && ages[i] <= 1.0f && (is_limited || ages[i] == 0.0f));
            CHECK(is_limited == (TP_META_SPECIES(view.meta[i]) == 0 || frame >= 10));
            if (!is_limited || left[i] == 0) continue;
            uint32_t age = frame * TP_TICKS_PER_FRAME - view.birth[i];
            CHECK_NEAR(ages[i], (double)age / ((double)age + left[i]), 1e-6);
        }
        test_world_frames(made.world, 1);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index;
            bool lives = tp_particle_find(made.world, ids[i], &index) == TP_OK;
            CHECK(lives == (left[i] > TP_TICKS_PER_FRAME));
            deaths += !lives;
        }
    }
    CHECK(deaths > 80 && limitless > 50);
    CHECK(tp_world_lives(made.world, 0, 1, NULL, NULL) == TP_OK);
    CHECK(tp_world_lives(made.world, 1, tp_world_view(made.world).count, NULL, NULL) ==
          TP_ERROR_HANDLE);
    test_world_free(&made);
}

static void curves_go_through_their_points(void)
{
    tp_world_def def = tp_world_default(2);
    def.species_count = 2;
    test_world made = test_world_make(&def);
    tp_emitter_def tap = tp_emitter_default();
    tp_emitter emitter;
    float values[8], ages[8];
    tap.lifetime_ticks = 16u * TP_TICKS_PER_FRAME;
    for (uint32_t species = 0; species < 2; species++) {
        tap.burst_count = 4;
        tap.species = species;
        CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
    }
    const tp_curve curves[2] = {{3, {0.25f, 0.5f, 0.75f}, {1.0f, 5.0f, 2.0f}},
                                {1, {0.5f}, {-3.0f}}};
    for (uint32_t frame = 1; frame < 16; frame++) {
        test_world_frames(made.world, 1);
        CHECK(tp_world_curve(made.world, curves, 2, 0, 8, values) == TP_OK);
        CHECK(tp_world_lives(made.world, 0, 8, NULL, ages) == TP_OK);
        CHECK_NEAR(ages[3], frame / 16.0, 1e-6);
        double age = frame / 16.0, expected = age <= 0.25  ? 1.0
                                              : age <= 0.5 ? 1.0 + (age - 0.25) * 16.0
                                              : age < 0.75 ? 5.0 - (age - 0.5) * 12.0
                                                           : 2.0;
        for (uint32_t i = 0; i < 8; i++) CHECK_NEAR(values[i], i < 4 ? expected : -3.0, 1e-5);
    }
    CHECK(tp_world_curve(made.world, curves, 1, 0, 8, values) == TP_OK && values[7] == 2.0f);
    tp_curve bad = curves[0];
    bad.value[1] = NAN;
    CHECK(strstr(tp_curve_check(&bad), "value"));
    CHECK(tp_world_curve(made.world, &bad, 1, 0, 8, values) == TP_ERROR_DEFINITION);
    bad = curves[0];
    bad.age[1] = bad.age[0];
    CHECK(strstr(tp_curve_check(&bad), "age must increase"));
    bad.count = 9;
    CHECK(strstr(tp_curve_check(&bad), "count"));
    CHECK(tp_curve_check(&curves[0]) == NULL && tp_curve_check(&curves[1]) == NULL);
    test_world_free(&made);
}

/* ---- drawing ---- */

typedef struct between_drawn {
    uint32_t lines[6], spheres[6], texts;
    tp_vector low, high; /* of the lines of colliders and emitters */
    char text[64];       /* the line about particles */
} between_drawn;

static void between_grow(between_drawn *drawn, tp_vector at)
{
    drawn->low = (tp_vector){fminf(drawn->low.x, at.x), fminf(drawn->low.y, at.y),
                             fminf(drawn->low.z, at.z)};
    drawn->high = (tp_vector){fmaxf(drawn->high.x, at.x), fmaxf(drawn->high.y, at.y),
                              fmaxf(drawn->high.z, at.z)};
}

static void between_line(void *context, tp_draw_kind kind, tp_vector from, tp_vector to)
{
    between_drawn *drawn = (between_drawn *)context;
    drawn->lines[kind]++;
    if (kind != TP_DRAW_COLLIDER && kind != TP_DRAW_EMITTER) return;
    between_grow(drawn, from);
    between_grow(drawn, to);
}

static void between_sphere(void *context, tp_draw_kind kind, tp_vector center, float radius)
{
    CHECK(radius > 0.0f && center.x == center.x);
    ((between_drawn *)context)->spheres[kind]++;
}

static void between_text(void *context, tp_draw_kind kind, const char *text)
{
    between_drawn *drawn = (between_drawn *)context;
    CHECK(kind == TP_DRAW_BUDGET);
    drawn->texts++;
    if (strncmp(text, "particles", 9) == 0) strcpy(drawn->text, text);
}

static void a_world_is_drawn_as_it_is(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = tp_world_default(dimensions);
        def.solver = TP_SOLVER_SPH;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        def.particles_max = 300;
        test_world made = test_world_make(&def);
        tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
        tp_collider collider;
        tp_emitter_def tap = tp_emitter_default();
        tp_emitter emitter;
        tp_sink_def drain = tp_sink_default();
        tp_sink sink;
        uint32_t contacts = 0;
        box.half = (tp_vector){2, 0.5f, 2};
        box.pose.position = (tp_vector){1, -1, 0};
        CHECK(tp_collider_add(made.world, &box, &collider) == TP_OK);
        tap.shape = TP_EMITTER_SPHERE;
        tap.size.x = 0.3f;
        tap.burst_count = 100;
        CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
        drain.normal = (tp_vector){0.6f, 0.8f, 0};
        drain.offset = -5.0f;
        CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
        test_world_gravity(made.world, 9.81f);
        test_world_frames(made.world, 40);
        between_drawn drawn = {0};
        tp_draw draw = {&drawn, between_line, between_sphere, between_text, true,
                        true,   true,         true,           true,         true};
        CHECK(tp_world_draw(made.world, &draw) == TP_OK);
        CHECK_EQ(drawn.lines[TP_DRAW_COLLIDER], dimensions == 2 ? 4 : 12);
        CHECK_NEAR(drawn.low.x, -1, 1e-6);
        CHECK_NEAR(drawn.high.x, 3, 1e-6);
        CHECK_NEAR(drawn.low.y, -1.5, 1e-6);
        CHECK_EQ(drawn.lines[TP_DRAW_EMITTER], 1);
        CHECK_EQ(drawn.spheres[TP_DRAW_EMITTER], 1);
        CHECK_EQ(drawn.lines[TP_DRAW_SINK], dimensions == 2 ? 5 : 13);
        CHECK(drawn.lines[TP_DRAW_CELL] >= (dimensions == 2 ? 4u : 12u) * 8u);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) contacts += (view.meta[i] & TP_META_CONTACT) != 0;
        CHECK_EQ(drawn.spheres[TP_DRAW_CONTACT], contacts);
        char expected[64];
        snprintf(expected, sizeof expected, "particles %u of 300", (unsigned)view.count);
        test_note("%u contacts, %u texts, %s", contacts, drawn.texts, drawn.text);
        CHECK(contacts > 0 && drawn.texts > 6);
        CHECK(strcmp(drawn.text, expected) == 0);
        memset(&drawn, 0, sizeof drawn);
        draw = (tp_draw){.context = &drawn, .line = between_line, .cells = true};
        CHECK(tp_world_draw(made.world, &draw) == TP_OK);
        CHECK(drawn.lines[TP_DRAW_CELL] > 0 && drawn.lines[TP_DRAW_COLLIDER] == 0);
        CHECK(tp_world_draw(made.world, NULL) == TP_ERROR_NULL);
        CHECK(tp_world_draw(NULL, &draw) == TP_ERROR_NULL);
        test_world_free(&made);
    }
}

/* The edges of a mesh in 2D, each as one line of its own length: 4, in the plane. */
static void edges_are_drawn_as_lines(void)
{
    static const tp_vector corners[4] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
    static const uint32_t ends[8] = {0, 1, 1, 2, 2, 3, 3, 0};
    tp_world_def def = tp_world_default(2);
    def.geometry_bytes_max = 4096;
    test_world made = test_world_make(&def);
    tp_collider_def mesh = tp_collider_default(TP_COLLIDER_MESH);
    tp_collider collider;
    between_drawn drawn = {0};
    tp_draw draw = {.context = &drawn, .line = between_line, .colliders = true};
    mesh.vertices = corners;
    mesh.vertex_count = mesh.triangle_count = 4;
    mesh.indices = ends;
    CHECK(tp_collider_add(made.world, &mesh, &collider) == TP_OK);
    CHECK(tp_world_draw(made.world, &draw) == TP_OK);
    CHECK_EQ(drawn.lines[TP_DRAW_COLLIDER], 4);
    CHECK_NEAR(drawn.high.x, 2, 1e-6);
    CHECK_NEAR(drawn.high.y, 1, 1e-6);
    test_world_free(&made);
}

/* Births of a disc lie in the plane of local x and z, in 2D on a line, as those of a segment. */
static void an_emitter_is_drawn_with_its_shape(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        tp_world_def def = tp_world_default(2 + k % 2u);
        test_world made = test_world_make(&def);
        tp_emitter_def tap = tp_emitter_default();
        tp_emitter emitter;
        between_drawn drawn = {0};
        tp_draw draw = {&drawn, between_line, between_sphere, .emitters = true};
        bool is_round = k == 3;
        tap.shape = k < 2 ? TP_EMITTER_SEGMENT : TP_EMITTER_DISC;
        tap.size.x = 0.5f;
        CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
        CHECK(tp_world_draw(made.world, &draw) == TP_OK);
        CHECK_EQ(drawn.lines[TP_DRAW_EMITTER], is_round ? 17 : 2); /* one of them is its velocity */
        CHECK_EQ(drawn.spheres[TP_DRAW_EMITTER], 0);
        CHECK_NEAR(drawn.low.x, -0.5, 1e-6);
        CHECK_NEAR(drawn.high.x, 0.5, 1e-6);
        CHECK(drawn.low.y == 0 && drawn.high.y == 0);
        CHECK_NEAR(drawn.high.z, is_round ? 0.5 : 0, 1e-6);
        CHECK_NEAR(drawn.low.z, is_round ? -0.5 : 0, 1e-6);
        test_world_free(&made);
    }
}

static void between_place(void *context, tp_draw_kind kind, tp_vector center, float radius)
{
    CHECK(kind == TP_DRAW_EMITTER && radius > 0.0f);
    ((between_drawn *)context)->spheres[kind]++;
    ((between_drawn *)context)->high = center;
}

/* Within a frame an emitter is where it was at the last complete step; one that was removed is not
   drawn, also while its slot keeps the lifetimes of its particles. */
static void an_emitter_is_drawn_where_it_is_while_it_is(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = 100;
    def.substeps.count = 4;
    def.slice_units = 64;
    test_world made = test_world_make(&def);
    tp_emitter_def tap = tp_emitter_default();
    tp_emitter emitter;
    tap.shape = TP_EMITTER_SPHERE;
    tap.size.x = 0.3f;
    tap.burst_count = 90;
    tap.lifetime_ticks = 100 * TP_TICKS_PER_FRAME;
    CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
    test_world_frames(made.world, 1);
    CHECK(tp_emitter_move(made.world, emitter, tp_pose_make(4, 0, 0)) == TP_OK);
    const tp_budget budget = {.units = 64, .frames_max = 1};
    uint64_t steps = tp_world_report(made.world).steps;
    uint32_t seen = 0;
    for (tp_result result = TP_MORE; result == TP_MORE;) {
        result = tp_frame(made.world, &budget, NULL);
        between_drawn drawn = {0};
        tp_draw draw = {.context = &drawn, .sphere = between_place, .emitters = true};
        CHECK(tp_world_draw(made.world, &draw) == TP_OK);
        CHECK_EQ(drawn.spheres[TP_DRAW_EMITTER], 1);
        uint32_t done = (uint32_t)(tp_world_report(made.world).steps - steps);
        CHECK_NEAR(drawn.high.x, (float)(done < 4 ? done : 4), 1e-5);
        seen |= 1u << (done < 4 ? done : 4);
        if (done >= 4) break;
    }
    CHECK((seen & 14u) == 14u);
    CHECK(tp_emitter_remove(made.world, emitter) == TP_OK);
    between_drawn drawn = {0};
    tp_draw draw = {&drawn, between_line, between_place, .emitters = true};
    CHECK(tp_world_draw(made.world, &draw) == TP_OK);
    CHECK_EQ(drawn.lines[TP_DRAW_EMITTER] + drawn.spheres[TP_DRAW_EMITTER], 0);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(between_is_on_the_line_from_the_start_of_the_frame_at_every_slicing),
    TEST_CASE(between_stays_inside_where_particles_bounce),
    TEST_CASE(an_emitter_is_drawn_with_its_shape),
    TEST_CASE(between_takes_the_shorter_way_in_a_periodic_box),
    TEST_CASE(a_set_particle_does_not_streak_and_bad_arguments_are_refused),
    TEST_CASE(measuring_and_rewinding_do_not_move_the_start_of_the_frame),
    TEST_CASE(widths_and_threads_carry_the_same_numbers),
    TEST_CASE(indices_are_in_the_order_of_depth_and_stable),
    TEST_CASE(the_time_left_says_in_which_frame_a_particle_dies),
    TEST_CASE(curves_go_through_their_points),
    TEST_CASE(a_world_is_drawn_as_it_is),
    TEST_CASE(edges_are_drawn_as_lines),
    TEST_CASE(an_emitter_is_drawn_where_it_is_while_it_is),
};
TEST_SUITE(between, cases);
