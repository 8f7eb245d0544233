/* SPDX-License-Identifier: MIT
   tests/unit/test_units.c - units count work, independently of slices.
   reads   runtime/step/step.c, runtime/step/frame.c      writes  nothing
   memory  worlds of a few hundred particles    cost    about two seconds
   after   runtime/guide/design.md, budgets: coarsening depends on units, so units that depended on
           slices would change bits */
#include "test.h"
#include "collide_help.h"
#include "emit_help.h"
#include "step/step.h"
#include <string.h>

static void add_block(tp_world *world, uint32_t count, float spacing, float left)
{
    bool is_3d = tp_world_definition(world)->dimensions == 3;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = is_3d ? 7u : 15u;
        tp_vector at = {left + spacing * (float)(i % row), 0.3f + spacing * (float)(i / row % row),
                        0.0f};
        if (is_3d) at.z = 0.3f + spacing * (float)(i / row / row);
        if (!is_3d) at.y = 0.3f + spacing * (float)(i / row);
        CHECK(tp_particle_add(world, at, (tp_vector){0.5f, -2.0f, 0.0f}, 0, NULL) == TP_OK);
    }
}

static void add_rain_and_drain(const test_world *made)
{
    tp_emitter_def rain = emit_lively(1.0f);
    rain.pose.position.y = 2.0f;
    rain.rate_numerator = 3000;
    rain.rate_denominator = 1;
    emit_add(made, &rain);
    tp_sink sink;
    tp_sink_def drain = tp_sink_default();
    drain.offset = 0.2f;
    CHECK(tp_sink_add(made->world, &drain, &sink) == TP_OK);
}

static tp_world_def units_def(uint32_t dimensions, tp_solver solver, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = solver;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.colliders_max = 12;
    def.geometry_bytes_max = 1u << 16;
    def.substeps.count = 2;
    return def;
}

/* ---- scenes that together use every stage ---- */

static test_world adaptive_fluid(void)
{
    tp_world_def def = units_def(2, TP_SOLVER_SPH, 400);
    def.substeps.is_adaptive = true;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    add_rain_and_drain(&made);
    add_block(made.world, 250, 0.11f, 0.3f);
    return made;
}

static test_world capped_fluid(bool stores)
{
    tp_world_def def = units_def(2, TP_SOLVER_SPH, 400);
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = 8;
    def.sph.cell_max = 16;
    test_world made = test_world_make(&def);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    add_block(made.world, 400, 0.04f, 0.3f);
    return made;
}

static test_world capped_list(void) { return capped_fluid(true); }
static test_world capped_compact(void) { return capped_fluid(false); }

static test_world published_walls(void)
{
    tp_world_def def = units_def(2, TP_SOLVER_SPH, 300);
    def.sph.compat = true;
    test_world made = test_world_make(&def);
    test_world_tank(made.world, (tp_vector){2, 2, 0});
    add_block(made.world, 300, 0.08f, 0.1f);
    return made;
}

/* Fast particles bouncing among all shapes: a path costs several slices. */
static test_world solids(void)
{
    tp_world_def def = units_def(3, TP_SOLVER_SPH, 300);
    float heights[36], distances[216];
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){2.5f, 2.5f, 2.5f});
    for (uint32_t s = 0; s < 36; s++) heights[s] = 0.2f + 0.05f * (float)(s * 7u % 5u);
    for (uint32_t s = 0; s < 216; s++) distances[s] = 0.2f * (float)(s / 6u % 6u) - 0.3f;
    tp_collider_def shapes[3] = {collide_ground(heights, 6, 6, 0.5f),
                                 collide_grid(distances, 6, 6, 0.2f), collide_cube(false)};
    shapes[1].pose.position = (tp_vector){1.4f, 0.3f, 1.4f};
    shapes[2].pose.position = (tp_vector){0.5f, 0.2f, 0.5f};
    for (uint32_t k = 0; k < 3; k++) {
        shapes[k].restitution = 0.5f;
        collide_add(made.world, &shapes[k]);
    }
    add_block(made.world, 300, 0.12f, 0.3f);
    return made;
}

static test_world recycled_dust(void)
{
    tp_world_def def = units_def(2, TP_SOLVER_NONE, 100);
    def.pool_policy = TP_POOL_RECYCLE;
    def.integrator = TP_INTEGRATOR_KDK;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    add_rain_and_drain(&made);
    add_block(made.world, 100, 0.1f, 0.1f);
    return made;
}

/* Two iterations do not separate all overlaps. */
static test_world hard_crowd(bool stores)
{
    tp_world_def def = units_def(2, TP_SOLVER_PAIR, 300);
    def.integrator = TP_INTEGRATOR_KDK;
    def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def.pair.contact_iterations = 2;
    def.pair.stores_neighbours = stores;
    def.species[0].sigma = 0.11f;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    add_block(made.world, 300, 0.1f, 0.3f);
    return made;
}

static test_world hard_list(void) { return hard_crowd(true); }
static test_world hard_compact(void) { return hard_crowd(false); }

/* Discs of three sizes; a large disc has more small neighbours than the neighbour limit. */
static test_world sizes(bool stores, uint32_t cap)
{
    tp_world_def def = units_def(2, TP_SOLVER_PAIR, 400);
    def.integrator = TP_INTEGRATOR_KDK;
    def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def.pair.stores_neighbours = stores;
    def.pair.neighbours_max = cap;
    def.pair.cell_max = 16;
    def.species_count = 3;
    def.species[0].sigma = 0.06f;
    def.species[1].sigma = 0.2f;
    def.species[2].sigma = 1.2f;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    add_rain_and_drain(&made);
    add_block(made.world, 300, 0.1f, 0.3f);
    for (uint32_t i = 0; i < 24; i++) {
        tp_vector at = {0.25f * (float)(i % 8u) + 0.3f, 2.0f + 0.25f * (float)(i / 8u), 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, -3, 0}, 1 + (i % 8u == 7u), NULL) ==
              TP_OK);
    }
    return made;
}

static test_world sizes_list(void) { return sizes(true, 255); }
static test_world sizes_capped(void) { return sizes(false, 8); }

/* A particle costs more than the smallest slice, and so does the beginning of a frame. */
static test_world many_fields(void)
{
    tp_world_def def = units_def(3, TP_SOLVER_NONE, 60);
    def.integrator = TP_INTEGRATOR_KDK;
    def.fields_max = 24;
    def.colliders_max = 40;
    def.emitters_max = 9;
    def.sinks_max = 8;
    def.species[0].is_tracer = true;
    test_world made = test_world_make(&def);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND), drag = tp_field_default(TP_FIELD_DRAG);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_field field;
    wind.strength = 2.0f;
    drag.linear = 1.0f;
    for (uint32_t k = 0; k < 24; k++)
        CHECK(tp_field_add(made.world, k ? &wind : &drag, &field) == TP_OK);
    for (uint32_t k = 0; k < 40; k++) {
        ball.pose.position = (tp_vector){0.3f * (float)(k % 8u), -1.0f, 0.3f * (float)(k / 8u)};
        collide_add(made.world, &ball);
    }
    for (uint32_t k = 0; k < 8; k++) add_rain_and_drain(&made);
    add_block(made.world, 30, 0.2f, 0.3f);
    return made;
}

/* Links that break, are sorted by their particles, lose particles, and are reordered in every
   step. */
static test_world linked_world(tp_solver solver)
{
    tp_world_def def = units_def(2, solver, 400);
    if (solver == TP_SOLVER_PAIR) def.integrator = TP_INTEGRATOR_KDK;
    if (solver == TP_SOLVER_SPH) tp_sph_incompressible(&def, 0.12f);
    def.links_max = 300;
    def.frames_per_second_numerator = 120;
    def.species[0].sigma = 0.1f;
    def.species[0].epsilon = 0.01f;
    def.pair.skin = 0.0f;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    add_rain_and_drain(&made);
    add_block(made.world, 301, 0.12f, 0.3f);
    for (uint32_t i = 0; i < 300; i++) {
        tp_link link;
        tp_link_def spring = tp_link_default();
        spring.first = i;
        spring.second = i % 2u ? (i + 15u) % 301u : i + 1u;
        spring.rest_length = 0.12f;
        spring.stiffness = 20.0f;
        spring.damping = 0.1f * (float)(i % 3u);
        spring.break_length = 0.5f;
        CHECK(tp_link_add(made.world, &spring, &link) == TP_OK);
    }
    return made;
}

static test_world linked_room(void) { return linked_world(TP_SOLVER_PAIR); }
static test_world linked_bath(void) { return linked_world(TP_SOLVER_SPH); }

/* Honey between hills of a heightfield and five cubes of triangles. */
static test_world terrain(void)
{
    float heights[20 * 20];
    tp_world_def def = units_def(3, TP_SOLVER_SPH, 343);
    tp_sph_incompressible(&def, 0.1f);
    def.sph.viscosity = 0.05f;
    def.substeps.count = 4;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    for (uint32_t i = 0; i < 400; i++) heights[i] = 0.05f * (float)(i * 7u % 5u) + 0.1f;
    tp_collider_def ground = collide_ground(heights, 20, 20, 0.08f);
    ground.pose.position = (tp_vector){-0.2f, 0, -0.2f};
    (void)collide_add(made.world, &ground);
    for (uint32_t k = 0; k < 5; k++) {
        tp_collider_def cube = collide_cube(false);
        cube.pose.position = (tp_vector){0.3f * (float)k, -0.2f, 0.5f};
        (void)collide_add(made.world, &cube);
    }
    add_block(made.world, 343, 0.1f, 0.3f);
    return made;
}

/* A sheet in noise of wind: a triangle takes more units than the smallest slice. */
static test_world windy_sheet(void)
{
    tp_world_def def = units_def(3, TP_SOLVER_CLOTH, 576);
    tp_cloth_def sheet = tp_cloth_default();
    def.fields_max = 24;
    def.cloth.constraints_max = 6 * 576;
    def.cloth.triangles_max = 2 * 576;
    def.cloth.air = 1.2f;
    sheet.columns = sheet.rows = 24;
    sheet.along = (tp_vector){0.1f, 0, 0};
    sheet.across = (tp_vector){0, 0.1f, 0};
    test_world made = test_world_make(&def);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_field field;
    wind.strength = 2.0f;
    for (uint32_t k = 0; k < 24; k++) CHECK(tp_field_add(made.world, &wind, &field) == TP_OK);
    CHECK(tp_cloth_grid(made.world, &sheet, NULL) == TP_OK);
    return made;
}

static test_world (*const scenes[])(void) = {
    adaptive_fluid, capped_list, capped_compact, published_walls, solids,
    recycled_dust,  hard_list,   hard_compact,   linked_room,     sizes_list,
    sizes_capped,   many_fields, terrain,        linked_bath,     windy_sheet};
static const char *const scene_names[] = {
    "adaptive fluid", "capped list", "capped compact", "published walls", "solids",
    "recycled dust",  "hard list",   "hard compact",   "linked room",     "sizes list",
    "sizes capped",   "many fields", "terrain",        "linked bath",     "windy sheet"};
#define SCENES (sizeof scenes / sizeof scenes[0])
#define STEPS  6u

typedef struct step_units {
    uint64_t stages[TP_STAGE_COUNT];
    uint32_t slices[TP_STAGE_COUNT];
} step_units;

/* Runs the first steps in slices of `units`, or of random lengths between 64 and `units`; stores
   their units. */
static void run_steps(test_world made, uint32_t units, uint32_t *state, step_units found[STEPS])
{
    const tp_world_def *def = tp_world_definition(made.world);
    uint32_t ahead = 2u * TP_UNITS_OVERRUN(made.world->constants.neighbours_max, def->fields_max,
                                           def->colliders_max, def->emitters_max);
    for (uint32_t s = 0; s < STEPS; s++) {
        memset(&found[s], 0, sizeof found[s]);
        tpi_step_begin(made.world, TP_TICKS_PER_FRAME / 2u);
        for (bool done = false; !done;) {
            uint32_t slice = state ? 64u + (uint32_t)(test_random(state) * (float)(units - 63u))
                                   : units,
                     used;
            tp_stage stage;
            done = tpi_step_advance(made.world, NULL, slice, &used, &stage);
            CHECK(used <= slice);
            CHECK(made.world->step.half_units_ahead <= ahead);
            found[s].stages[stage] += used;
            found[s].slices[stage]++;
        }
    }
}

static void units_of_a_step_do_not_depend_on_slices(void)
{
    static const uint32_t slices[] = {64, 65, 100, 2048};
    for (uint32_t c = 0; c < SCENES; c++) {
        step_units expected[STEPS], found[STEPS];
        test_world made = scenes[c]();
        run_steps(made, 65536, NULL, expected);
        test_world_free(&made);
        for (uint32_t s = 0; s < 2u * sizeof slices / sizeof slices[0]; s++) {
            uint32_t state = s, slice = slices[s / 2u];
            made = scenes[c]();
            run_steps(made, slice, s % 2u ? &state : NULL, found);
            for (uint32_t k = 0; k < STEPS * TP_STAGE_COUNT; k++) {
                uint32_t step = k / TP_STAGE_COUNT, stage = k % TP_STAGE_COUNT;
                test_note("%s, slices of %u%s, step %u, stage %s", scene_names[c], slice,
                          s % 2u ? " at most" : "", step, tp_stage_name((tp_stage)stage));
                uint64_t units = found[step].stages[stage], whole = expected[step].stages[stage];
                CHECK_EQ(units, whole);
            }
            test_world_free(&made);
        }
    }
}

/* Slices end where groups of cells end, and save what is left of them: it is charged before it is
   used, and never more than half a slice. */
static void calls_use_the_units_that_they_may(void)
{
    static const uint32_t limits[] = {1500, 3500, 7900};
    for (uint32_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        tp_world_def def = units_def(3, TP_SOLVER_SPH, 700);
        test_world made = test_world_make(&def);
        tp_budget budget = {.units = limits[k]};
        tp_report report = {0};
        uint32_t saves = 0;
        test_note("calls of %u units", limits[k]);
        add_block(made.world, 700, 0.11f, 0.3f);
        for (uint32_t call = 0; call < 100; call++) {
            CHECK_EQ(tp_frame(made.world, &budget, &report), TP_MORE);
            CHECK(report.units >= limits[k] && report.units < limits[k] + 64u);
            CHECK(report.slice_units_longest <= def.slice_units);
            CHECK(made.world->step.half_units_saved <= def.slice_units);
            saves += made.world->step.half_units_saved > 0;
        }
        CHECK((saves > 0) == (tp_lanes() > 1u));
        test_world_free(&made);
    }
}

/* ---- coarsening ---- */

static uint64_t paced_clock(void *context)
{
    uint64_t *clock = (uint64_t *)context; /* time, and how much one reading adds to it */
    return clock[0] += clock[1];
}

static uint64_t coarse_hash(uint32_t units, uint32_t slice_units, uint32_t pace, bool is_adaptive)
{
    tp_world_def def = units_def(2, TP_SOLVER_SPH, 300);
    uint64_t clock[2] = {0, pace};
    def.slice_units = slice_units;
    def.overload = TP_OVERLOAD_COARSEN;
    def.substeps =
        (tp_substeps){.count = 4, .count_max = 8, .is_adaptive = is_adaptive, .courant = 0.2f};
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    add_block(made.world, 300, 0.11f, 0.3f);
    tp_budget budget = {.units = units, .frames_max = 1};
    if (pace) {
        budget.microseconds = 60;
        budget.clock_us = paced_clock;
        budget.clock_context = clock;
    }
    tp_report report = {0};
    for (uint32_t game = 0; report.frames < 30 && game < 100000; game++)
        CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
    CHECK_EQ(report.frames, 30);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void coarsening_looks_at_the_budget_alone(void)
{
    static const uint32_t slices[] = {64, 100, 65536}, paces[] = {1, 4, 7};
    for (uint32_t n = 0; n < 2u * 12u; n++) {
        uint32_t units = 9000u + 3700u * (n / 2u);
        if (!test_runs(n, 5)) continue;
        uint64_t expected = coarse_hash(units, 2048, 0, n % 2u != 0);
        for (uint32_t k = 0; k < 6; k++) {
            uint32_t slice = k < 3 ? slices[k] : 2048, pace = k < 3 ? 0 : paces[k - 3u];
            test_note("budget %u, adaptive %u, slices of %u, clock %u", units, n % 2u, slice, pace);
            CHECK_EQ(coarse_hash(units, slice, pace, n % 2u != 0), expected);
        }
    }
}

/* A world that was overloaded and then lost all particles owes many frames, with many steps without
   work. */
static void steps_that_meet_nobody_are_charged(void)
{
    tp_world_def def = tp_world_default(2);
    def.substeps.count = 10;
    def.substeps.count_max = 10;
    def.lag_frames_max = 64;
    def.slice_units = 64;
    test_world made = test_world_make(&def);
    tp_budget budget = {.units = 20, .frames_max = 1};
    tp_report report = {0};
    CHECK_EQ(tp_frame(made.world, NULL, &report), TP_OK);
    CHECK_EQ(report.units, 40);
    CHECK_EQ(report.stage_units[TP_STAGE_COMMIT], 40);
    for (uint32_t frame = 0; frame < 20; frame++)
        CHECK(tp_frame(made.world, &budget, &report) == TP_MORE);
    CHECK_EQ(report.units, 20);
    budget = (tp_budget){.units = 100};
    CHECK_EQ(tp_frame(made.world, &budget, &report), TP_MORE);
    CHECK_EQ(report.steps_in_frame, 25);
    test_world_free(&made);
}

static void emitters_that_are_looked_at_are_charged(void)
{
    tp_world_def def = tp_world_default(2);
    def.emitters_max = 1024;
    def.slice_units = 64;
    test_world made = test_world_make(&def);
    tp_emitter_def idle = tp_emitter_default();
    tp_emitter emitter;
    tp_report report = {0};
    idle.start_frame = 1000;
    for (uint32_t i = 0; i < 1024; i++) {
        CHECK_EQ(tp_emitter_add(made.world, &idle, &emitter), TP_OK);
        if (i != 2 && i != 3 && i != 1023) continue;
        CHECK_EQ(tp_frame(made.world, NULL, &report), TP_OK);
        CHECK_EQ(report.stage_units[TP_STAGE_EMIT], (i + 1u) / 4u);
        CHECK_EQ(report.stage_units[TP_STAGE_MOVE],
                 (i + 1u) / 4u * 2u); /* the beginning of the frame, and that of the step */
        CHECK(report.slice_units_longest <= 64);
    }
    test_world_free(&made);
}

static const test_case cases[] = {TEST_CASE(steps_that_meet_nobody_are_charged),
                                  TEST_CASE(emitters_that_are_looked_at_are_charged),
                                  TEST_CASE(units_of_a_step_do_not_depend_on_slices),
                                  TEST_CASE(calls_use_the_units_that_they_may),
                                  TEST_CASE(coarsening_looks_at_the_budget_alone)};
TEST_SUITE(units, cases);
