/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth.c - cloth: stretch, rest, periods, momentum, energy, reach of a step,
           pins, slices, damaged definitions.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 4096 nodes      cost    about ten seconds
   after   the pendulum, the elastic chain, backward Euler, as XPBD with one constraint is */
#include "cloth_same.h"
#include "test.h"
#include "world_help.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- worlds ---- */

static tp_world_def cloth_world_def(uint32_t dimensions, uint32_t nodes)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = nodes;
    def.cloth.constraints_max = 6 * nodes;
    def.slice_units = 65536;
    def.species[0].radius = 0.01f;
    return def;
}

/* A sheet of 1 m x 1 m whose first row is at height 1; it hangs, or lies. */
static tp_cloth_def cloth_square(uint32_t side, bool hangs)
{
    tp_cloth_def def = tp_cloth_default();
    float spacing = 1.0f / (float)(side - 1u);
    def.columns = def.rows = side;
    def.along = (tp_vector){spacing, 0, 0};
    def.across = hangs ? (tp_vector){0, -spacing, 0} : (tp_vector){0, 0, spacing};
    def.origin = (tp_vector){-0.5f, 1, hangs ? 0 : -0.5f};
    return def;
}

static uint32_t cloth_add(tp_world *world, const tp_cloth_def *def)
{
    uint32_t id = 0;
    const char *text = tp_cloth_check(world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(tp_cloth_grid(world, def, &id), TP_OK);
    return id;
}

static void cloth_pin(tp_world *world, uint32_t id, bool is_pinned)
{
    CHECK_EQ(tp_cloth_pin(world, id, is_pinned), TP_OK);
}

static void cloth_collider(tp_world *world, tp_collider_def def, float friction)
{
    tp_collider made;
    def.friction = friction;
    def.restitution = 0;
    CHECK_EQ(tp_collider_add(world, &def, &made), TP_OK);
}

static tp_vector cloth_x(const tp_world *world, uint32_t i)
{
    tp_view view = tp_world_view(world);
    return (tp_vector){view.x[i], view.y[i], view.z ? view.z[i] : 0.0f};
}

static double cloth_kinetic(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++)
        sum += (double)view.vx[i] * view.vx[i] + (double)view.vy[i] * view.vy[i] +
               (view.vz ? (double)view.vz[i] * view.vz[i] : 0);
    return 0.5 * world->def.species[0].mass * sum / view.count;
}

/* A hanging sheet of 0.2 kg whose first row is pinned. */
static test_world cloth_hanging(uint32_t side)
{
    tp_world_def def = cloth_world_def(3, side * side);
    tp_cloth_def sheet = cloth_square(side, true);
    def.species[0].mass = 0.2f / (float)(side * side);
    test_world made = test_world_make(&def);
    uint32_t id = cloth_add(made.world, &sheet);
    for (uint32_t k = 0; k < side; k++) cloth_pin(made.world, id + k, true);
    test_world_gravity(made.world, 9.81f);
    return made;
}

/* ---- stretch and rest ---- */

static void a_hanging_sheet_stretches_less_than_two_percent_at_any_resolution(void)
{
    double lows[3], largest = 0;
    for (uint32_t k = 0; k < 3; k++) {
        test_world made = cloth_hanging(16u << k);
        tp_cloth_report report;
        test_world_frames(made.world, 120);
        CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
        CHECK_EQ(report.colours, 12);
        CHECK_EQ(report.pinned, 16u << k);
        test_note("side %u: mean %g, largest %g", 16u << k, (double)report.stretch,
                  (double)report.stretch_max);
        CHECK(report.stretch_max < 0.02f);
        largest = fmax(largest, (double)report.stretch_max);
        lows[k] = (double)cloth_x(made.world, (256u << 2 * k) - 1u).y;
        CHECK_NEAR(lows[k], 0, 0.02);
        test_world_free(&made);
    }
    /* the stretch of all three is far below what the rule of 1.5 times could tell apart */
    CHECK(largest < 1e-4);
    for (uint32_t k = 0; k < 3; k++) CHECK_NEAR(lows[k], 0, 1e-4);
}

static void a_sheet_over_a_box_comes_to_rest(void)
{
    tp_world_def def = cloth_world_def(3, 24 * 24);
    tp_cloth_def sheet = cloth_square(24, false);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    double most = 0;
    def.species[0].mass = 0.2f / (24 * 24);
    test_world made = test_world_make(&def);
    (void)cloth_add(made.world, &sheet);
    box.half = (tp_vector){0.3f, 0.3f, 0.3f};
    box.pose.position = (tp_vector){0, 0.6f, 0};
    cloth_collider(made.world, box, 0.3f);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 600);
    for (uint32_t frame = 0; frame < 60; frame++) {
        test_world_frames(made.world, 1);
        most = fmax(most, cloth_kinetic(made.world));
    }
    test_note("%g J a node", most);
    CHECK(most < 1e-6);
    CHECK_NEAR(cloth_x(made.world, 12 * 24 + 12).y, 0.91, 2e-3); /* on the box, a radius above */
    CHECK(cloth_x(made.world, 0).y < 0.8f);                      /* a corner hangs */
    for (uint32_t i = 0; i < 24 * 24; i++) {
        tp_vector x = cloth_x(made.world, i);
        bool is_inside = fabsf(x.x) < 0.3f && fabsf(x.z) < 0.3f && x.y > 0.3f && x.y < 0.9f;
        CHECK(!is_inside);
    }
    test_world_free(&made);
}

/* The sheet lies on a sphere that rises and falls: no node is ever inside. */
static void a_moving_sphere_carries_a_sheet(void)
{
    tp_world_def def = cloth_world_def(3, 16 * 16);
    tp_cloth_def sheet = cloth_square(16, false);
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider handle;
    test_world made = test_world_make(&def);
    (void)cloth_add(made.world, &sheet);
    sphere.radius = 0.3f;
    sphere.friction = 0.5f;
    sphere.pose.position = (tp_vector){0, 0.6f, 0};
    CHECK_EQ(tp_collider_add(made.world, &sphere, &handle), TP_OK);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t frame = 0; frame < 120; frame++) {
        tp_pose pose = sphere.pose;
        pose.position.y = 0.6f + 0.2f * (float)sin(0.1 * frame);
        CHECK_EQ(tp_collider_move(made.world, handle, pose), TP_OK);
        test_world_frames(made.world, 1);
        for (uint32_t i = 0; i < 16 * 16; i++) {
            tp_vector x = cloth_x(made.world, i);
            double apart =
                sqrt((double)x.x * x.x + (double)(x.y - pose.position.y) * (x.y - pose.position.y) +
                     (double)x.z * x.z);
            if (!CHECK(apart > 0.3)) return;
        }
    }
    CHECK(cloth_x(made.world, 8 * 16 + 8).y > 0.5f);
    test_world_free(&made);
}

/* ---- numbers of theory ---- */

/* A rope of `links` links of 1 m / links in 2D or 3D, horizontal from the origin, pinned there; one
   step of `timestep` per frame divided by `steps`. */
static test_world cloth_rope(uint32_t dimensions, uint32_t links, uint32_t frames_per_second,
                             uint32_t steps, tp_cloth_def *rope, float damping)
{
    tp_world_def def = cloth_world_def(dimensions, links + 1u);
    def.frames_per_second_numerator = frames_per_second;
    def.substeps.count = steps;
    def.substeps.count_max = 100;
    def.cloth.timestep_max = 0.05f;
    def.cloth.damping = damping;
    def.species[0].mass = 1;
    test_world made = test_world_make(&def);
    rope->columns = links + 1u;
    rope->rows = 1;
    rope->along = (tp_vector){1.0f / (float)links, 0, 0};
    uint32_t id = cloth_add(made.world, rope);
    cloth_pin(made.world, id, true);
    return made;
}

/* Energy of an undamped spring falls by 1 / (1 + w^2 dt^2) per step of backward Euler. */
static void one_spring_is_backward_euler(void)
{
    tp_cloth_def rope = tp_cloth_default();
    rope.stretch = 0.01f; /* k = 100, w = 10 */
    rope.tether = 0;
    test_world made = cloth_rope(2, 1, 60, 1, &rope, 0);
    tp_vector at = {1.5f, 0, 0}, none = {0};
    CHECK_EQ(tp_particle_set(made.world, 1, at, none), TP_OK);
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    double x = view.x[1] - 1.0, v = view.vx[1];
    CHECK_NEAR((100 * x * x + v * v) / (100 * 0.25), 0.1932, 1e-3);
    test_world_free(&made);
}

static void one_damped_spring_is_the_oscillator(void)
{
    static const double rows[][2] = {{.1, .568972}, {.25, -.570416}, {.5, .098551}, {1, -.336852}};
    tp_cloth_def rope = tp_cloth_default();
    rope.stretch = 0.01f;
    rope.tether = 0;
    test_world made = cloth_rope(2, 1, 1000, 50, &rope, 0.02f); /* c = 2 */
    tp_vector at = {2, 0, 0}, none = {0};
    CHECK_EQ(tp_particle_set(made.world, 1, at, none), TP_OK);
    for (uint32_t k = 0, frame = 0; k < 4; k++) {
        uint32_t end = (uint32_t)(rows[k][0] * 1000 + 0.5);
        test_world_frames(made.world, end - frame);
        frame = end;
        test_note("t %g", rows[k][0]);
        CHECK_NEAR(cloth_x(made.world, 1).x - 1.0f, rows[k][1], 1e-3);
    }
    test_world_free(&made);
}

/* Link i of ten carries (10 - i) masses: the tip sinks by 55 m g / k. */
static void a_hanging_elastic_chain_has_its_length(void)
{
    tp_cloth_def rope = tp_cloth_default();
    rope.stretch = 1.0f / 500;
    rope.bend = 0;
    rope.kinds = TP_CLOTH_STRETCH;
    rope.tether = 0;
    test_world made = cloth_rope(2, 10, 60, 40, &rope, 0.0002f);
    made.world->def.species[0].mass = 0.1f;
    tpi_world_derive(made.world);
    test_world_gravity(made.world, 9.81f);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    drag.linear = 0.3f;
    CHECK_EQ(tp_field_add(made.world, &drag, &field), TP_OK);
    test_world_frames(made.world, 1200);
    CHECK_NEAR(cloth_x(made.world, 10).y, -1.107910, 0.0011);
    double before = 0;
    for (uint32_t i = 1; i <= 10; i++) {
        double y = cloth_x(made.world, i).y;
        CHECK_NEAR(before - y, 0.1 + (11 - i) * 0.1 * 9.81 / 500, 2e-4);
        before = y;
    }
    test_world_free(&made);
}

/* s: first period of a pendulum of 1 m. */
static double cloth_period(double angle)
{
    tp_cloth_def rope = tp_cloth_default();
    test_world made = cloth_rope(2, 1, 600, 5, &rope, 0);
    tp_vector none = {0}, at = {(float)sin(angle), -(float)cos(angle), 0};
    double before = at.x, crossed[3] = {0};
    CHECK_EQ(tp_particle_set(made.world, 1, at, none), TP_OK);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t frame = 1, k = 0; frame < 3000 && k < 3; frame++) {
        test_world_frames(made.world, 1);
        double x = cloth_x(made.world, 1).x;
        if (x * before < 0) crossed[k++] = (frame - 1 + before / (before - x)) / 600;
        before = x;
    }
    test_world_free(&made);
    return crossed[2] - crossed[0];
}

static void a_pendulum_has_its_period(void)
{
    CHECK_NEAR(cloth_period(10 * PI / 180), 2.009893, 0.005 * 2.009893);
    CHECK_NEAR(cloth_period(45 * PI / 180), 2.086256, 0.005 * 2.086256);
    CHECK_NEAR(cloth_period(90 * PI / 180), 2.367842, 0.005 * 2.367842);
}

/* ---- what is conserved ---- */

static void a_free_sheet_keeps_its_momentum(void)
{
    tp_world_def def = cloth_world_def(3, 64);
    tp_cloth_def sheet = cloth_square(8, false);
    uint32_t random = 7;
    sheet.origin = (tp_vector){-0.5f, 0, -0.5f};
    test_world made = test_world_make(&def);
    (void)cloth_add(made.world, &sheet);
    for (uint32_t i = 0; i < 64; i++) {
        tp_vector v = {test_uniform(&random, -1, 1), test_uniform(&random, -1, 1),
                       test_uniform(&random, -1, 1)};
        CHECK_EQ(tp_particle_set(made.world, i, cloth_x(made.world, i), v), TP_OK);
    }
    /* impulses act along the offsets after the step: an error of the order of the step */
    same_momenta_stay(made.world, 1e-5, 1e-3);
    test_world_free(&made);
}

/* Stiff springs of explicit methods gain energy. A sheet of rigid constraints that starts torn
   apart may only lose it. */
static void stiff_constraints_gain_no_energy(void)
{
    tp_world_def def = cloth_world_def(3, 64);
    tp_cloth_def sheet = cloth_square(8, true);
    uint32_t random = 3;
    def.cloth.damping = 0;
    test_world made = test_world_make(&def);
    uint32_t id = cloth_add(made.world, &sheet);
    cloth_pin(made.world, id, true);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 1);
    for (uint32_t i = 1; i < 64; i++) {
        tp_vector x = cloth_x(made.world, i), v = {0, 0, test_uniform(&random, -0.5f, 0.5f)};
        CHECK_EQ(tp_particle_set(made.world, i, x, v), TP_OK);
    }
    double first = 0, energy = 0;
    for (uint32_t frame = 0; frame < 1200; frame++) {
        tp_view view = tp_world_view(made.world);
        energy = cloth_kinetic(made.world) * view.count;
        for (uint32_t i = 0; i < view.count; i++) energy += 9.81 * (double)view.y[i];
        if (frame == 0) first = energy;
        test_note("frame %u: %g of %g", frame, energy, first);
        if (!CHECK(energy <= first)) break;
        test_world_frames(made.world, 1);
    }
    CHECK(energy < first - 40); /* it swings */
    test_world_free(&made);
}

/* A sub-step passes each colour once: along a rope without bending, which has two colours, a signal
   goes two links. Nodes farther away keep their bits. */
static void a_signal_goes_two_links_a_sub_step(void)
{
    for (uint32_t bends = 0; bends < 2; bends++) {
        tp_cloth_def rope = tp_cloth_default();
        rope.tether = 0;
        rope.kinds = TP_CLOTH_STRETCH | (bends ? TP_CLOTH_BEND : 0u);
        test_world made = cloth_rope(2, 64, 60, 1, &rope, 0), still = made;
        still = cloth_rope(2, 64, 60, 1, &rope, 0);
        tp_vector at = cloth_x(made.world, 64), none = {0};
        at.y += 0.002f;
        CHECK_EQ(tp_particle_set(made.world, 64, at, none), TP_OK);
        for (uint32_t step = 1; step <= 8; step++) {
            test_world_frames(made.world, 1);
            test_world_frames(still.world, 1);
            uint32_t reach = step * (bends ? 6u : 2u), farthest = 0;
            for (uint32_t i = 0; i <= 64; i++) {
                tp_vector a = cloth_x(made.world, i), b = cloth_x(still.world, i);
                if (memcmp(&a, &b, sizeof a) != 0 && 64 - i > farthest) farthest = 64 - i;
            }
            test_note("bends %u, step %u: %u of %u", bends, step, farthest, reach);
            CHECK(farthest <= reach);
            if (!bends) CHECK(farthest + 1u >= reach);
        }
        test_world_free(&made);
        test_world_free(&still);
    }
}

/* ---- pins ---- */

static void a_pinned_node_keeps_its_velocity(void)
{
    tp_world_def def = cloth_world_def(3, 64);
    tp_cloth_def sheet = cloth_square(8, true);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    test_world made = test_world_make(&def);
    uint32_t id = cloth_add(made.world, &sheet);
    cloth_pin(made.world, id, true);
    cloth_pin(made.world, id + 7, true);
    box.half = (tp_vector){0.1f, 0.1f, 0.1f};
    box.pose.position = (tp_vector){0.5f, 1, 0}; /* around the second pin */
    cloth_collider(made.world, box, 0);
    test_world_gravity(made.world, 9.81f);
    tp_vector right = cloth_x(made.world, 7), v = {0, 0, 1};
    CHECK_EQ(tp_particle_set(made.world, 0, cloth_x(made.world, 0), v), TP_OK);
    test_world_frames(made.world, 60);
    CHECK_NEAR(cloth_x(made.world, 0).z, 1, 1e-4);
    tp_vector now = cloth_x(made.world, 7);
    CHECK(memcmp(&now, &right, sizeof now) == 0);
    cloth_pin(made.world, id, false);
    cloth_pin(made.world, id + 7, false);
    test_world_frames(made.world, 60);
    CHECK(cloth_x(made.world, 0).y < 0);
    test_world_free(&made);
}

/* Also where a slice ends, with units left for a part of what a node takes. */
static void a_pinned_node_passes_a_floor_in_any_slices(void)
{
    for (uint32_t units = 64; units < 80; units++) {
        tp_world_def def = cloth_world_def(3, 64);
        def.slice_units = units;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = cloth_square(6, false);
        sheet.origin.y = 0.05f;
        sheet.velocity.y = -1;
        uint32_t id = cloth_add(made.world, &sheet);
        for (uint32_t k = 0; k < 36; k++) cloth_pin(made.world, id + k, true);
        cloth_collider(made.world, tp_collider_default(TP_COLLIDER_PLANE), units % 2 ? 0.5f : 0);
        test_world_frames(made.world, 10);
        tp_view view = tp_world_view(made.world);
        for (uint32_t k = 0; k < 36; k++) CHECK_EQ(view.vy[k], -1);
        test_world_free(&made);
    }
}

/* A pin that moves 100 m in a frame: the sheet follows within its tethers, and nothing is lost. */
static void a_pin_that_leaps_takes_the_sheet_along(void)
{
    test_world made = cloth_hanging(16);
    tp_cloth_report report;
    tp_vector v = {6000, 0, 0}, none = {0};
    for (uint32_t i = 0; i < 16; i++)
        CHECK_EQ(tp_particle_set(made.world, i, cloth_x(made.world, i), v), TP_OK);
    test_world_frames(made.world, 1);
    for (uint32_t i = 0; i < 16; i++)
        CHECK_EQ(tp_particle_set(made.world, i, cloth_x(made.world, i), none), TP_OK);
    test_world_frames(made.world, 1);
    CHECK_EQ(made.world->count, 256);
    for (uint32_t i = 0; i < 256; i++) {
        tp_vector x = cloth_x(made.world, i), pin = cloth_x(made.world, i % 16);
        CHECK(hypot(hypot((double)(x.x - pin.x), (double)(x.y - pin.y)), (double)x.z) < 1.01);
    }
    test_world_frames(made.world, 600);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
    test_note("stretch %g, most %g, y %g", (double)report.stretch, (double)report.stretch_max,
              (double)cloth_x(made.world, 255).y);
    CHECK(report.stretch < 1e-3f);
    test_world_free(&made);
}

/* ---- the same bits ---- */

static test_world cloth_story(uint32_t dimensions, uint32_t slice_units)
{
    tp_world_def def = cloth_world_def(dimensions, 2100);
    def.cloth.sheets_max = 2;
    def.slice_units = slice_units;
    def.lag_frames_max = 64;
    def.species_count = 2;
    def.species[1].mass = 3;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = cloth_square(40, true);
    sheet.bend = 0.1f;
    uint32_t id = cloth_add(made.world, &sheet);
    for (uint32_t k = 0; k < 40; k += 3) cloth_pin(made.world, id + k, true);
    tp_cloth_def rope = tp_cloth_default();
    rope.columns = 90;
    rope.rows = 1;
    rope.species = 1;
    rope.along = (tp_vector){0.02f, 0.003f, 0.001f};
    rope.origin = (tp_vector){-1, 1.2f, 0.05f};
    (void)cloth_add(made.world, &rope);
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    sphere.radius = 0.2f;
    sphere.pose.position = (tp_vector){0, 0.4f, 0.15f};
    cloth_collider(made.world, sphere, 0.4f);
    test_world_gravity(made.world, 9.81f);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND), drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    wind.vector = (tp_vector){1, 0, 2};
    wind.strength = 1;
    drag.linear = 0.4f;
    CHECK_EQ(tp_field_add(made.world, &wind, &field), TP_OK);
    CHECK_EQ(tp_field_add(made.world, &drag, &field), TP_OK);
    return made;
}

static void slices_widths_and_threads_change_no_sheet(void)
{
    platform_jobs threads;
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        same_told told = {0};
        for (uint32_t way = 0; way < SAME_WAYS; way++) {
            test_world made = cloth_story(dimensions, same_slice(way));
            same_run(made.world, way, &threads.jobs, 8, &told);
            test_world_free(&made);
        }
    }
    platform_jobs_stop(&threads);
}

static void a_copied_block_goes_on_to_the_same_bits(void)
{
    test_world made = cloth_story(3, 1000);
    test_world_frames(made.world, 3);
    CHECK(test_world_run_to(made.world, TP_STAGE_COLLIDE, 1000));
    same_after_a_copy(&made, 3);
    test_world_free(&made);
}

static void a_forged_constraint_is_found(void)
{
    test_world made = cloth_hanging(16);
    const uint32_t *own = made.world->arrays.own;
    tp_block_fault fault;
    tp_world *world = NULL;
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t *word = tpi_words(made.world, own[2 + k]) + 7, was = *word;
        *word = 0xffc00000u; /* an index out of range; not a number */
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
        CHECK(fault.expected && fault.offset == own[k < 4 ? 2 : 6] + 28u);
        *word = was;
    }
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_OK);
    test_world_free(&made);
}

static void a_rewound_cache_resumes_the_sheet(void)
{
    test_world made = cloth_story(3, 65536);
    same_after_a_rewind(made.world);
    test_world_free(&made);
}

/* ---- capacities and faults ---- */

static void a_removed_node_ends_the_constraints(void)
{
    test_world made = cloth_hanging(8);
    tp_cloth_report report;
    test_world_frames(made.world, 5);
    CHECK_EQ(tp_particle_remove(made.world, 20), TP_OK);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
    CHECK_EQ(report.nodes, 0);
    double y = cloth_x(made.world, 0).y;
    test_world_frames(made.world, 30);
    CHECK_NEAR(cloth_x(made.world, 0).y, y - 9.81 * 0.125, 0.02); /* also the pins fall */
    CHECK_EQ(tp_particles_clear(made.world), TP_OK);
    tp_cloth_def sheet = cloth_square(8, true);
    (void)cloth_add(made.world, &sheet);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
    CHECK_EQ(report.nodes, 64);
    CHECK_EQ(report.sheets, 1);
    CHECK_EQ(report.pinned, 0);
    test_world_frames(made.world, 5);
    test_world_free(&made);
}

static void a_sheet_fits_its_capacities_exactly(void)
{
    tp_cloth_def sheet = cloth_square(9, true);
    /* stretch 2 * 8 * 9, shear 2 * 8 * 8, bend 2 * 7 * 9 */
    const uint32_t constraints = 144 + 128 + 126;
    sheet.columns = 9;
    for (uint32_t k = 0; k < 4; k++) {
        tp_world_def def = cloth_world_def(3, 81);
        tp_cloth_report report;
        def.cloth.constraints_max = constraints;
        if (k == 1) def.cloth.constraints_max--;
        if (k == 2) def.particles_max--;
        if (k == 3) def.cloth.sheets_max = 0;
        test_world made = test_world_make(&def);
        CHECK_EQ(tp_cloth_grid(NULL, &sheet, NULL), TP_ERROR_NULL);
        CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), k ? TP_ERROR_FULL : TP_OK);
        CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
        CHECK_EQ(report.constraints, k ? 0 : constraints);
        CHECK_EQ(made.world->count, k ? 0 : 81);
        size_t bound = TP_WORLD_BYTES(3, def.particles_max, 0, 64, 0) +
                       TP_CLOTH_BYTES(3, def.particles_max, 1, constraints);
        CHECK(made.bytes <= bound);
        test_world_frames(made.world, 2);
        test_world_free(&made);
    }
}

/* No two constraints of a colour share a node, and each pair of nodes has one. */
static void colours_share_no_nodes(void)
{
    for (uint32_t columns = 1; columns < 8; columns++)
        for (uint32_t rows = 1; rows < 8; rows++) {
            tp_world_def def = cloth_world_def(3, 128);
            tp_cloth_def sheet = cloth_square(8, true);
            def.cloth.sheets_max = 2;
            test_world made = test_world_make(&def);
            sheet.columns = columns;
            sheet.rows = rows;
            (void)cloth_add(made.world, &sheet);
            sheet.columns = rows;
            sheet.rows = columns;
            (void)cloth_add(made.world, &sheet);
            const uint32_t *own = made.world->arrays.own, *a = tpi_words(made.world, own[2]),
                           *b = tpi_words(made.world, own[3]);
            const uint32_t *begin = tpi_words(made.world, own[0]) + 6; /* tpi_cloth_head */
            static uint8_t pairs[128][128];
            uint32_t wanted =
                columns * (rows - 1) + rows * (columns - 1) + 2 * (rows - 1) * (columns - 1) +
                (rows > 2 ? columns * (rows - 2) : 0) + (columns > 2 ? rows * (columns - 2) : 0);
            memset(pairs, 0, sizeof pairs);
            test_note("%u x %u", columns, rows);
            CHECK_EQ(begin[32], 2 * wanted);
            for (uint32_t colour = 0; colour < 32; colour++) {
                uint8_t met[128] = {0};
                for (uint32_t k = begin[colour]; k < begin[colour + 1]; k++) {
                    CHECK(a[k] < b[k] && b[k] < 2 * columns * rows);
                    CHECK(!met[a[k]]++ && !met[b[k]]++);
                    CHECK(!pairs[a[k]][b[k]]++);
                }
            }
            test_world_free(&made);
        }
}

static void bad_definitions_are_refused_with_a_text(void)
{
    tp_world_def def = cloth_world_def(3, 300);
    test_world made = test_world_make(&def);
    for (uint32_t k = 0; k < 16; k++) {
        static const char *const fields[] = {"columns", "columns", "rows",     "species",
                                             "kinds",   "stretch", "shear",    "bend",
                                             "tether",  "along",   "across",   "across",
                                             "origin",  "origin",  "velocity", "definition"};
        tp_cloth_def bad = tp_cloth_default();
        uint32_t id;
        if (k == 0) bad.columns = 0;
        if (k == 1) bad.columns = 4097;
        if (k == 2) bad.rows = 0xffffffffu;
        if (k == 3) bad.species = 1;
        if (k == 4) bad.kinds = 16;
        if (k == 5) bad.stretch = -1;
        if (k == 6) bad.shear = NAN;
        if (k == 7) bad.bend = INFINITY;
        if (k == 8) bad.tether = 0.5f;
        if (k == 9) bad.along.x = 0;
        if (k == 10) bad.across = bad.along;
        if (k == 11) bad.across.y = 1e5f;
        if (k == 12) bad.origin.x = NAN;
        if (k == 13) bad.origin.x = 1e9f, bad.along.x = 1e3f;
        if (k == 14) bad.velocity.z = INFINITY;
        const char *text = tp_cloth_check(made.world, k == 15 ? NULL : &bad);
        test_note("%u: %s", k, text ? text : "accepted");
        CHECK(text && strstr(text, fields[k]));
        if (k < 15) CHECK_EQ(tp_cloth_grid(made.world, &bad, &id), TP_ERROR_DEFINITION);
        CHECK_EQ(made.world->count, 0);
    }
    CHECK_EQ(tp_cloth_pin(made.world, 0, true), TP_ERROR_HANDLE);
    test_world_free(&made);
    def.cloth.timestep_max = 0;
    CHECK(strstr(tp_world_check(&def), "cloth.timestep_max"));
    def = cloth_world_def(3, 300);
    def.cloth.damping = NAN;
    CHECK(strstr(tp_world_check(&def), "cloth.damping"));
    def = cloth_world_def(3, 300);
    def.integrator = TP_INTEGRATOR_KDK;
    CHECK(strstr(tp_world_check(&def), "integrator"));
    def = cloth_world_def(3, 300);
    def.species[0].is_tracer = true;
    CHECK(strstr(tp_world_check(&def), "is_tracer"));
}

static void other_worlds_have_no_sheets(void)
{
    tp_world_def def = tp_world_default(2);
    tp_cloth_def sheet = tp_cloth_default();
    tp_cloth_report report;
    uint32_t id;
    def.particles_max = 300;
    test_world made = test_world_make(&def);
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, &id), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_cloth_pin(made.world, 0, true), TP_ERROR_HANDLE);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_ERROR_DEFINITION);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_hanging_sheet_stretches_less_than_two_percent_at_any_resolution),
    TEST_CASE(a_sheet_over_a_box_comes_to_rest),
    TEST_CASE(a_moving_sphere_carries_a_sheet),
    TEST_CASE(one_spring_is_backward_euler),
    TEST_CASE(one_damped_spring_is_the_oscillator),
    TEST_CASE(a_hanging_elastic_chain_has_its_length),
    TEST_CASE(a_pendulum_has_its_period),
    TEST_CASE(a_free_sheet_keeps_its_momentum),
    TEST_CASE(stiff_constraints_gain_no_energy),
    TEST_CASE(a_signal_goes_two_links_a_sub_step),
    TEST_CASE(a_pinned_node_keeps_its_velocity),
    TEST_CASE(a_pinned_node_passes_a_floor_in_any_slices),
    TEST_CASE(a_pin_that_leaps_takes_the_sheet_along),
    TEST_CASE(slices_widths_and_threads_change_no_sheet),
    TEST_CASE(a_copied_block_goes_on_to_the_same_bits),
    TEST_CASE(a_forged_constraint_is_found),
    TEST_CASE(a_rewound_cache_resumes_the_sheet),
    TEST_CASE(a_removed_node_ends_the_constraints),
    TEST_CASE(a_sheet_fits_its_capacities_exactly),
    TEST_CASE(colours_share_no_nodes),
    TEST_CASE(bad_definitions_are_refused_with_a_text),
    TEST_CASE(other_worlds_have_no_sheets),
};
TEST_SUITE(cloth, cases);
