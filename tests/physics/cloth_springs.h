/* SPDX-License-Identifier: MIT
   tests/physics/cloth_springs.h - sheets and ropes of springs, and their theory, for tests.
   reads   worlds      writes  worlds
   memory  one world each      cost    O(nodes), and frames
   after   own design */
#ifndef TIDEPOOL_TESTS_CLOTH_SPRINGS_H
#define TIDEPOOL_TESTS_CLOTH_SPRINGS_H
#include "test.h"
#include "world_help.h"
#include <math.h>

/* ---- worlds ---- */

static inline tp_world_def springs_def(uint32_t dimensions, uint32_t nodes)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = nodes;
    def.cloth.integrator = TP_CLOTH_EXPLICIT;
    def.cloth.constraints_max = 6 * nodes;
    def.cloth.timestep_max = 0.05f;
    def.cloth.damping = 0;
    def.substeps.count_max = 100;
    def.slice_units = 65536;
    def.species[0].radius = 0.01f;
    return def;
}

static inline uint32_t springs_add(tp_world *world, const tp_cloth_def *def)
{
    uint32_t id = 0;
    const char *text = tp_cloth_check(world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(tp_cloth_grid(world, def, &id), TP_OK);
    return id;
}

/* A sheet of 1 m x 1 m of springs of these compliances, without tethers. */
static inline tp_cloth_def springs_square(uint32_t side, bool hangs, float stretch, float bend)
{
    tp_cloth_def def = tp_cloth_default();
    float spacing = 1.0f / (float)(side - 1u);
    def.columns = def.rows = side;
    def.along = (tp_vector){spacing, 0, 0};
    def.across = hangs ? (tp_vector){0, -spacing, 0} : (tp_vector){0, 0, spacing};
    def.origin = (tp_vector){-0.5f, hangs ? 1.0f : 0.0f, hangs ? 0.0f : -0.5f};
    def.stretch = def.shear = stretch;
    def.bend = bend;
    def.tether = 0;
    return def;
}

/* A rope of `links` springs of 1 m / links, along x from the origin, pinned there; its mass is that
   of its nodes. */
static inline test_world springs_rope(const tp_world_def *base, uint32_t links, float compliance)
{
    tp_cloth_def rope = tp_cloth_default();
    tp_world_def def = *base;
    def.particles_max = links + 1u;
    def.cloth.constraints_max = 2 * links;
    test_world made = test_world_make(&def);
    rope.columns = links + 1u;
    rope.rows = 1;
    rope.along = (tp_vector){1.0f / (float)links, 0, 0};
    rope.kinds = TP_CLOTH_STRETCH;
    rope.stretch = compliance;
    rope.tether = 0;
    uint32_t id = springs_add(made.world, &rope);
    CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
    return made;
}

static inline tp_vector springs_x(const tp_world *world, uint32_t i)
{
    tp_view view = tp_world_view(world);
    return (tp_vector){view.x[i], view.y[i], view.z ? view.z[i] : 0.0f};
}

static inline void springs_set(tp_world *world, uint32_t i, tp_vector x, tp_vector v)
{
    CHECK_EQ(tp_particle_set(world, tp_world_view(world).id[i], x, v), TP_OK);
}

static inline void springs_drag(tp_world *world, float linear)
{
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    drag.linear = linear;
    CHECK_EQ(tp_field_add(world, &drag, &field), TP_OK);
}

static inline tp_cloth_report springs_measure(const tp_world *world)
{
    tp_cloth_report report;
    CHECK_EQ(tp_cloth_measure(world, &report), TP_OK);
    return report;
}

/* Steps of the next frame. */
static inline uint32_t springs_steps(tp_world *world)
{
    uint64_t before = tp_world_report(world).steps;
    test_world_frames(world, 1);
    return (uint32_t)(tp_world_report(world).steps - before);
}

/* J: kinetic, of nodes of the mass of species 0. */
static inline double springs_kinetic(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++)
        sum += (double)view.vx[i] * (double)view.vx[i] + (double)view.vy[i] * (double)view.vy[i] +
               (view.vz ? (double)view.vz[i] * (double)view.vz[i] : 0.0);
    return 0.5 * (double)world->def.species[0].mass * sum;
}

/* J: of nodes of the mass of species 0, with a gravity of g. */
static inline double springs_energy(const tp_world *world, double g)
{
    tp_view view = tp_world_view(world);
    const uint32_t *own = world->arrays.own, *a = tpi_words(world, own[2]),
                   *b = tpi_words(world, own[3]);
    double sum = 0, m = (double)world->def.species[0].mass;
    for (uint32_t i = 0; i < view.count; i++) {
        double vx = view.vx[i], vy = view.vy[i], vz = view.vz ? (double)view.vz[i] : 0.0;
        sum += m * (0.5 * (vx * vx + vy * vy + vz * vz) + g * (double)view.y[i]);
    }
    for (uint32_t k = 0; k < springs_measure(world).constraints; k++) {
        tp_vector p = springs_x(world, a[k]), q = springs_x(world, b[k]);
        double dx = (double)p.x - (double)q.x, dy = (double)p.y - (double)q.y,
               dz = (double)p.z - (double)q.z;
        double longer = sqrt(dx * dx + dy * dy + dz * dz) - (double)tpi_floats(world, own[4])[k];
        sum += 0.5 * longer * longer / (double)tpi_floats(world, own[5])[k];
    }
    return sum;
}

/* ---- numbers of theory, in two dimensions ---- */

/* A rope of length S between two pins 1 m apart. */
static inline void springs_catenary(const tp_world_def *base, double length, double a, double sag)
{
    const uint32_t links = 64;
    tp_world_def def = *base;
    tp_cloth_def rope = tp_cloth_default();
    def.particles_max = links + 1;
    def.cloth.constraints_max = 2 * links;
    def.species[0].mass = (float)(length / links); /* 1 kg/m */
    test_world made = test_world_make(&def);
    rope.columns = links + 1;
    rope.rows = 1;
    rope.along = (tp_vector){(float)(length / links), 0, 0};
    rope.kinds = TP_CLOTH_STRETCH;
    rope.stretch = 5e-6f;
    rope.tether = 0;
    (void)springs_add(made.world, &rope);
    for (uint32_t i = 0; i <= links; i++) { /* the catenary itself, turned by a pin that leaps */
        double s = length * ((double)i / links - 0.5), x = a * asinh(s / a);
        double y = a * cosh(x / a) - a * cosh(0.5 / a);
        springs_set(made.world, i, (tp_vector){(float)x, (float)(0.9 * y), 0}, (tp_vector){0});
    }
    CHECK_EQ(tp_cloth_pin(made.world, tp_world_view(made.world).id[0], true), TP_OK);
    CHECK_EQ(tp_cloth_pin(made.world, tp_world_view(made.world).id[links], true), TP_OK);
    test_world_gravity(made.world, 9.81f);
    springs_drag(made.world, 4 * def.species[0].mass);
    test_world_frames(made.world, 360);
    tp_cloth_report report = springs_measure(made.world);
    double low = (double)springs_x(made.world, links / 2).y;
    test_note("length %g: sag %g of %g, strain %g, %g s", length, -low, sag,
              (double)report.stretch_max, (double)report.timestep_stable);
    CHECK_NEAR(-low, sag, 0.01 * sag);
    CHECK(report.stretch_max <= 0.005f);
    /* tension of the lowest link: 9.81 a */
    tp_vector p = springs_x(made.world, links / 2), q = springs_x(made.world, links / 2 + 1);
    double now = hypot((double)(p.x - q.x), (double)(p.y - q.y));
    CHECK_NEAR((now - length / links) / 5e-6, 9.81 * a, 0.02 * 9.81 * a);
    test_world_free(&made);
}

/* Bessel function of order 0, by its series. */
static inline double springs_bessel(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 40; k++) sum += term *= -x * x / (4.0 * k * k);
    return sum;
}

/* s: period of the node at the end of a chain of 1 m that starts in the shape of a mode. */
static inline double springs_mode(const tp_world_def *base, double root)
{
    const uint32_t links = 48;
    tp_world_def def = *base;
    def.species[0].mass = 1.0f / (float)links;
    def.frames_per_second_numerator = 240;
    test_world made = springs_rope(&def, links, 2e-5f);
    double before = 1, crossed[3] = {0}, below = 0;
    for (uint32_t i = 1; i <= links; i++) {
        double height = 1 - (double)i / links, stretch = (links - i + 1.0) / links * 9.81 * 2e-5;
        below += 1.0 / links + stretch;
        springs_set(
            made.world, i,
            (tp_vector){(float)(0.005 * springs_bessel(root * sqrt(height))), -(float)below, 0},
            (tp_vector){0});
    }
    test_world_gravity(made.world, 9.81f);
    for (uint32_t frame = 1, k = 0; frame < 1200 && k < 3; frame++) {
        test_world_frames(made.world, 1);
        double x = (double)springs_x(made.world, links).x;
        if (x * before < 0) crossed[k++] = (frame - 1 + before / (before - x)) / 240;
        before = x;
    }
    test_world_free(&made);
    return crossed[2] - crossed[0];
}

/* s: first period of a pendulum of 1 m. */
static inline double springs_period(const tp_world_def *base, double angle)
{
    tp_world_def def = *base;
    def.frames_per_second_numerator = 240;
    test_world made = springs_rope(&def, 1, 1e-5f);
    tp_vector none = {0}, at = {(float)sin(angle), -(float)cos(angle), 0};
    double before = (double)at.x, crossed[3] = {0};
    springs_set(made.world, 1, at, none);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t frame = 1, k = 0; frame < 1200 && k < 3; frame++) {
        test_world_frames(made.world, 1);
        double x = (double)springs_x(made.world, 1).x;
        if (x * before < 0) crossed[k++] = (frame - 1 + before / (before - x)) / 240;
        before = x;
    }
    test_world_free(&made);
    return crossed[2] - crossed[0];
}

#endif
