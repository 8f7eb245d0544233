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

/* ---- scenes of all springs ---- */

/* Random velocities of each of the first `nodes` nodes, at most `most` m/s along an axis. */
static inline void springs_throw(tp_world *world, uint32_t nodes, float most, uint32_t *random)
{
    for (uint32_t i = 0; i < nodes; i++) {
        tp_vector v = {test_uniform(random, -most, most), test_uniform(random, -most, most),
                       test_uniform(random, -most, most)};
        springs_set(world, i, springs_x(world, i), v);
    }
}

/* A net of 5 x 5 nodes of random stiffness, so fast that they pass each other within a step. */
static inline test_world springs_net(const tp_world_def *def, uint32_t *random)
{
    test_world made = test_world_make(def);
    tp_cloth_def sheet = springs_square(5, true, 0, 0);
    sheet.stretch = (float)pow(10, (double)test_uniform(random, -8, 0));
    sheet.shear = (float)pow(10, (double)test_uniform(random, -8, 0));
    sheet.bend = (float)pow(10, (double)test_uniform(random, -8, 0));
    (void)springs_add(made.world, &sheet);
    springs_throw(made.world, 25, 20, random);
    return made;
}

/* The kinetic energy of a net stays below that of its start, which is returned. */
static inline double springs_slow_down(tp_world *world, uint32_t frames, uint32_t seed)
{
    double first = springs_kinetic(world);
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(world, 1);
        double now = springs_kinetic(world);
        test_note("seed %u, frame %u: %g of %g J", seed, frame, now, first);
        if (!CHECK(now < first)) break;
    }
    return first;
}

/* A sheet that hangs at pins, and a rope, some of whose springs are fast, fall onto a sphere. */
static inline test_world springs_story(const tp_world_def *base, uint32_t slice_units, float tether)
{
    tp_world_def def = *base;
    def.cloth.sheets_max = 2;
    def.cloth.damping = 0.001f;
    def.slice_units = slice_units;
    def.lag_frames_max = 64;
    def.species_count = 2;
    def.species[1].mass = 3;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(40, true, 1e-5f, 1e-3f), rope = tp_cloth_default();
    sheet.tether = tether;
    uint32_t id = springs_add(made.world, &sheet);
    for (uint32_t k = 0; k < 40; k += 3) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    rope.columns = 90;
    rope.rows = 1;
    rope.species = 1;
    rope.along = (tp_vector){0.02f, 0.003f, 0.001f};
    rope.origin = (tp_vector){-1, 1.2f, 0.05f};
    if (tether <= 0) rope.tether = 0;
    (void)springs_add(made.world, &rope);
    for (uint32_t i = 1600; i < 1690; i += 3)
        springs_set(made.world, i, springs_x(made.world, i), (tp_vector){0, 20, 0});
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider collider;
    sphere.radius = 0.2f;
    sphere.pose.position = (tp_vector){0, 0.4f, 0.15f};
    CHECK_EQ(tp_collider_add(made.world, &sphere, &collider), TP_OK);
    test_world_gravity(made.world, 9.81f);
    springs_drag(made.world, 0.4f);
    return made;
}

/* A sheet lies on another, whose sides are pinned and which is at most `most` longer; a corner is
   torn off. */
static inline void springs_tear(const tp_world_def *base, float compliance, float most)
{
    tp_world_def def = *base;
    def.cloth.sheets_max = 2;
    def.cloth.thickness = 0.1f;
    def.cloth.tear = 2.0f;
    def.species[0].mass = 0.01f;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, false, compliance, 0.1f);
    uint32_t id = springs_add(made.world, &sheet);
    for (uint32_t k = 0; k < 8; k++) {
        CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
        CHECK_EQ(tp_cloth_pin(made.world, id + 8 * k, true), TP_OK);
        CHECK_EQ(tp_cloth_pin(made.world, id + 56 + k, true), TP_OK);
        CHECK_EQ(tp_cloth_pin(made.world, id + 8 * k + 7, true), TP_OK);
    }
    sheet.origin.y = 0.2f;
    sheet.origin.x += 0.05f;
    (void)springs_add(made.world, &sheet);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 60);
    tp_cloth_report report = springs_measure(made.world);
    test_note("stretch %g", (double)report.stretch_max);
    CHECK_EQ(report.broken, 0);
    CHECK(report.stretch_max < most);
    for (uint32_t i = 64; i < 128; i++) CHECK(springs_x(made.world, i).y > -0.5f);
    springs_set(made.world, 127, (tp_vector){3, 0.2f, 0}, (tp_vector){0});
    test_world_frames(made.world, 1);
    CHECK(springs_measure(made.world).broken > 0);
    test_world_free(&made);
}

/* A sheet, turned and moved as a whole, flies for a frame as it is; returns the largest change of a
   velocity in m/s. */
static inline double springs_turn(tp_world *world)
{
    const tp_vector v = {1, 2, 3};
    double most = 0;
    for (uint32_t i = 0; i < 64; i++) {
        tp_vector x = springs_x(world, i);
        tp_vector turned = {0.6f * x.x - 0.8f * x.z + 2, x.y - 1, 0.8f * x.x + 0.6f * x.z};
        springs_set(world, i, turned, v);
    }
    test_world_frames(world, 1);
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < 64; i++) {
        most = fmax(most, fabs((double)view.vx[i] - 1));
        most = fmax(most, fabs((double)view.vy[i] - 2));
        most = fmax(most, fabs((double)view.vz[i] - 3));
    }
    return most;
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
