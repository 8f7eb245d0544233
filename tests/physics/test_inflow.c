/* SPDX-License-Identifier: MIT
   tests/physics/test_inflow.c - channels that an emitter feeds and a sink drains: balance of mass,
           calm.
   reads   runtime/emit/emitter.c, runtime/solve/sph      writes  nothing
   memory  worlds of up to 1500 particles                 cost    a second
   after   own design */
#include "test.h"
#include "world_help.h"
#include "solve/sph/sph.h"
#include <math.h>

#define SPACING 0.1f
#define SPEED   1.0f
#define ROWS    6u
/* Rows a little wider than at rest: the density at walls is that of the middle within 2 %. */
#define WIDER  1.04f
#define LENGTH 2.0f

static const tp_sph_formulation formulations[4] = {TP_SPH_DOUBLE_DENSITY, TP_SPH_INCOMPRESSIBLE,
                                                   TP_SPH_IDEAL_GAS, TP_SPH_WEAKLY_COMPRESSIBLE};

static tp_world_def channel_def(uint32_t dimensions, tp_sph_formulation formulation)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = dimensions == 2 ? 200 : 1200;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = formulation;
    if (formulation == TP_SPH_INCOMPRESSIBLE) tp_sph_incompressible(&def, SPACING);
    if (formulation >= TP_SPH_IDEAL_GAS) {
        def.species[0].rest_density = powf(SPACING, -(float)dimensions);
        def.sph.sound_speed = 10;
    }
    float limit = tp_sph_timestep_limit(&def);
    if (def.sph.timestep_max > limit) def.sph.timestep_max = limit;
    return def;
}

/* The double density is at rest where its two pressures cancel. */
static float spacing_of(tp_sph_formulation formulation)
{
    return formulation == TP_SPH_DOUBLE_DENSITY ? 0.12f : WIDER * SPACING;
}

/* A room along x, with a flat emitter at x = 0. A sink removes what leaves 0 to LENGTH; half a
   spacing is left behind the emitter. */
static test_world channel_make(uint32_t dimensions, tp_sph_formulation formulation,
                               uint32_t *points)
{
    const float spacing = spacing_of(formulation), half = 0.5f * spacing * (float)ROWS;
    tp_world_def def = channel_def(dimensions, formulation);
    test_world made = test_world_make(&def);
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    room.is_hollow = true;
    room.half = (tp_vector){2 * LENGTH, half, half};
    tp_emitter_def inlet = tp_emitter_default();
    inlet.shape = TP_EMITTER_BOX;
    inlet.size = (tp_vector){0, half - 0.5f * spacing, dimensions == 3 ? half - 0.5f * spacing : 0};
    inlet.lattice_spacing = spacing;
    inlet.velocity.x = SPEED;
    *points = dimensions == 2 ? ROWS : ROWS * ROWS;
    inlet.rate_numerator = (uint32_t)(100.0f * (float)*points * SPEED / spacing + 0.5f);
    inlet.rate_denominator = 100;
    tp_sink_def outlet = tp_sink_default();
    outlet.shape = TP_SINK_BOX;
    outlet.is_inverted = true;
    outlet.center.x = 0.5f * LENGTH - 0.25f * spacing;
    outlet.half = (tp_vector){0.5f * LENGTH + 0.25f * spacing, 9, 9};
    tp_collider collider;
    tp_emitter emitter;
    tp_sink sink;
    CHECK(tp_collider_add(made.world, &room, &collider) == TP_OK);
    CHECK(tp_emitter_add(made.world, &inlet, &emitter) == TP_OK);
    CHECK(tp_sink_add(made.world, &outlet, &sink) == TP_OK);
    return made;
}

/* Each birth is alive or was removed by the sink. Without friction the flow gets up to 1.4 times as
   fast as the births, and single particles faster: nothing brakes it. It does not burst. */
static void check_channel(uint32_t dimensions, tp_sph_formulation formulation)
{
    uint32_t points;
    test_world made = channel_make(dimensions, formulation, &points);
    double fastest = 0, sum = 0;
    for (uint32_t frame = 0; frame < 300; frame++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            double vx = (double)view.vx[i], vy = (double)view.vy[i];
            fastest = fmax(fastest, sqrt(vx * vx + vy * vy));
            if (frame == 299) sum += vx;
        }
    }
    tp_report report = tp_world_report(made.world);
    double full = (double)points * (double)(LENGTH / spacing_of(formulation));
    test_note("%uD, formulation %u: %u particles of %.0f, mean speed %.3f, fastest %.3f",
              dimensions, formulation, report.particles, full, sum / report.particles, fastest);
    CHECK_EQ(report.born, report.particles + report.died);
    CHECK_NEAR(report.born, full * (double)(SPEED / LENGTH) * 5, 1.1);
    CHECK(report.killed_particles == 0 && report.died > 0);
    CHECK(report.particles > 0.5 * full && report.particles < 1.1 * full);
    CHECK_NEAR(sum / report.particles, SPEED, 0.5);
    CHECK(fastest < 10 * (double)SPEED);
    test_world_free(&made);
}

static void an_inflow_loses_no_particle_and_does_not_burst_in_2d(void)
{
    for (uint32_t f = 0; f < 4; f++) check_channel(2, formulations[f]);
}

static void an_inflow_loses_no_particle_and_does_not_burst_in_3d(void)
{
    for (uint32_t f = 0; f < 4; f++)
        if (test_is_long() || formulations[f] == TP_SPH_INCOMPRESSIBLE)
            check_channel(3, formulations[f]);
}

/* The births of a rate take the points of the lattice in turn, also after a burst. */
static void births_by_rate_take_the_points_of_a_lattice_in_turn(void)
{
    tp_world_def def = tp_world_default(2);
    tp_emitter_def row = tp_emitter_default();
    tp_emitter emitter;
    row.shape = TP_EMITTER_BOX;
    row.size = (tp_vector){0.1f, 0, 0};
    row.lattice_spacing = 0.1f;
    row.burst_count = 2;
    row.rate_numerator = 240;
    row.velocity.y = 3;
    test_world made = test_world_make(&def);
    CHECK(tp_emitter_add(made.world, &row, &emitter) == TP_OK);
    test_world_frames(made.world, 2);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 10);
    for (uint32_t i = 0; i < view.count; i++) {
        uint32_t point = view.id[i] < 2 ? view.id[i] : (view.id[i] - 2) % 3;
        CHECK_NEAR(view.x[i], 0.1 * (double)point - 0.1, 1e-6);
        double turn = view.id[i] < 2 ? -1 : (double)((view.id[i] - 2) / 3);
        double age = turn < 0 ? 2.0 / 60 : 2.0 / 60 - (3 * turn + 1) / 240;
        CHECK_NEAR(view.y[i], 3 * age, 1e-4);
    }
    row.burst_count = 0;
    row.size = (tp_vector){1, 1, 0};
    row.lattice_spacing = 0.0004f;
    CHECK(tp_emitter_check(made.world, &row) != NULL);
    row.rate_numerator = 0;
    CHECK(tp_emitter_check(made.world, &row) == NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(an_inflow_loses_no_particle_and_does_not_burst_in_2d),
    TEST_CASE(an_inflow_loses_no_particle_and_does_not_burst_in_3d),
    TEST_CASE(births_by_rate_take_the_points_of_a_lattice_in_turn),
};
TEST_SUITE(inflow, cases);
