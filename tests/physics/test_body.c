/* SPDX-License-Identifier: MIT
   tests/physics/test_body.c - bodies: Archimedes, momentum, contacts, and the same bits whatever
           the slices, snapshots and caches.
   reads   runtime/move/body.c, body_meet.c, body_step.c      writes  nothing
   memory  worlds of up to 2500 particles      cost    half a minute
   after   own design: momentum in double precision is the oracle */
#include "test.h"
#include "cache_help.h"
#include "collide_help.h"
#include "dfsph_worlds.h"
#include "jobs_posix/jobs.h"
#include "move/body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL FLUID_SPACING
static const tp_vector none = {0, 0, 0};

/* ---- worlds ---- */

/* Fluids: 0 double density, 1 incompressible, 2 ideal gas, 3 weakly compressible; 4: none. */
static tp_world_def float_def(uint32_t fluid, uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = fluid_def(dimensions, particles);
    if (fluid == 0) tp_sph_double_density(&def, CELL);
    if (fluid == 2) tp_sph_ideal_gas(&def, CELL, 1);
    if (fluid == 3) tp_sph_weakly_compressible(&def, CELL, 1);
    if (fluid == 4) def.solver = TP_SOLVER_NONE;
    def.bodies_max = 4;
    return def;
}

static tp_collider collider_add(tp_world *world, tp_collider_shape shape, tp_vector at,
                                tp_vector half, bool is_hollow)
{
    tp_collider made = {0};
    tp_collider_def def = tp_collider_default(shape);
    def.pose.position = at;
    def.half = half;
    def.radius = half.x;
    def.is_hollow = is_hollow;
    CHECK(tp_collider_add(world, &def, &made) == TP_OK);
    return made;
}

static tp_body body_of(tp_world *world, tp_collider collider, float mass, tp_vector velocity)
{
    tp_body made = {0};
    tp_body_def def = tp_body_default();
    def.collider = collider;
    def.mass = mass;
    def.velocity = velocity;
    CHECK(tp_body_add(world, &def, &made) == TP_OK);
    return made;
}

static tp_pose turned(tp_vector at, float angle)
{
    return (tp_pose){at, {cosf(0.5f * angle), 0, 0, sinf(0.5f * angle)}};
}

static double tilt_of(const tp_body_state *state)
{
    tp_vector up = tpi_rotate(state->pose.rotation, (tp_vector){0, 1, 0});
    return acos(fmin((double)up.y, 1));
}

/* A tank with a pool, `size` in particles, and a box above it, in cells. */
typedef struct pool {
    test_world made;
    tp_body body;
    uint32_t size[3];
    double half[3]; /* m: of the box */
    double gap;     /* m: by which the fluid takes it as smaller */
    double density; /* of the box, over that of the fluid */
} pool;

static pool pool_make(uint32_t fluid, uint32_t dimensions, const uint32_t size[3],
                      const uint32_t box[3], float density, float tilt)
{
    pool p = {.density = (double)density};
    tp_world_def def = float_def(fluid, dimensions, size[0] * size[1] * size[2]);
    p.made = test_world_make(&def);
    float z = dimensions == 3 ? 0.5f * CELL : 0.0f;
    tp_vector tank = {0.5f * CELL * (float)size[0], 1.5f, z * (float)size[2]}, half = tank;
    if (dimensions == 2) half.z = 1;
    (void)collider_add(p.made.world, TP_COLLIDER_BOX, tank, half, true);
    for (uint32_t c = 0; c < 3; c++) {
        p.size[c] = size[c];
        p.half[c] = 0.5 * (double)CELL * box[c];
    }
    tp_vector at = {tank.x, CELL * (float)size[1] + 0.2f, tank.z};
    tp_collider hull =
        collider_add(p.made.world, TP_COLLIDER_BOX, at,
                     (tp_vector){(float)p.half[0], (float)p.half[1], (float)p.half[2]}, false);
    p.body = body_of(p.made.world, hull, density * (float)(box[0] * box[1] * box[2]), none);
    CHECK(tp_body_set(p.made.world, p.body, turned(at, tilt), none, none) == TP_OK);
    fluid_block(p.made.world, size, none, 0, 0);
    test_world_gravity(p.made.world, 9.81f);
    return p;
}

/* Means over two seconds: the height of the highest particles of columns beside the box, and the
   bottom of the box. */
static double pool_measure_levels(const pool *p, double *bottom)
{
    double level = 0;
    *bottom = 0;
    for (uint32_t frame = 0; frame < 120; frame++) {
        double tops[64] = {0}, sum = 0, count = 0;
        test_world_frames(p->made.world, 1);
        tp_view view = tp_world_view(p->made.world);
        tp_body_state state = collide_state(p->made.world, p->body);
        for (uint32_t i = 0; i < view.count; i++) {
            uint32_t column = (uint32_t)(view.x[i] / CELL);
            if (column < 64) tops[column] = fmax(tops[column], (double)view.y[i]);
        }
        for (uint32_t column = 0; column < p->size[0]; column++) {
            double away = fabs((column + 0.5) * (double)CELL - (double)state.center.x);
            if (away < p->half[0] + 3 * (double)CELL) continue;
            sum += tops[column];
            count++;
        }
        level += sum / count / 120;
        *bottom += ((double)state.center.y - p->half[1]) / 120;
    }
    return level;
}

/* The share of the box that is under water, over its density, by the density that the fluid has: 1
   says Archimedes. The incompressible fluid has the volume of its lattice; from that follows how
   far its surface is above the highest particles, which is taken for the other fluids, too. */
static double pool_archimedes(const pool *p, bool is_flat, bool is_lattice, double *above)
{
    const double cells = (double)CELL * (double)CELL, deep = is_flat ? 1 : (double)CELL,
                 volume = (double)p->size[0] * p->size[1] * p->size[2] * cells * deep,
                 area = (double)CELL * p->size[0] * (is_flat ? 1 : p->size[2]) * deep,
                 wide = 2 * p->half[0] * (is_flat ? 1 : 2 * p->half[2]);
    double bottom, tops = pool_measure_levels(p, &bottom);
    if (is_lattice) *above = (volume - wide * bottom) / (area - wide) - tops;
    double draft = tops + *above - bottom,
           density = volume / (area * (tops + *above) - wide * draft);
    test_note("draft %.3f of the height, fluid %.3f as dense as its lattice",
              draft / (2 * p->half[1]), density);
    const double sides = (1 - p->gap / p->half[0]) * (is_flat ? 1 : 1 - p->gap / p->half[2]);
    return density * sides * (draft - p->gap) / (2 * p->half[1]) / p->density;
}

/* ---- Archimedes ---- */

/* Gases and weakly compressible fluids are denser beside a surface, by a fifth of a layer of
   particles. So they lift a box as one that is smaller by 0.2 particle diameters on each side. */
static void a_box_of_half_the_density_floats_half_under(void)
{
    const uint32_t pools[2][3] = {{36, 14, 1}, {16, 10, 14}}, boxes[2][3] = {{12, 4, 1}, {8, 4, 6}};
    double above[2] = {0, 0};
    for (uint32_t k = 0; k < 8; k += test_is_long() ? 1 : 8) {
        const uint32_t d = k % 2, fluid = k < 4 ? 1 - k / 2 : k / 2;
        pool p = pool_make(fluid, 2 + d, pools[d], boxes[d], 0.5f, 0);
        p.gap = fluid >= 2 ? 0.2 * (double)CELL : 0;
        test_world_frames(p.made.world, d || fluid >= 2 || !test_is_long() ? 240 : 480);
        double share = pool_archimedes(&p, d == 0, fluid == 1, &above[d]);
        tp_body_state state = collide_state(p.made.world, p.body);
        test_note("fluid %u, %uD: %.3f, tilt %.3f", fluid, 2 + d, share, tilt_of(&state));
        CHECK_NEAR(share, 1, 0.05);
        CHECK(tilt_of(&state) < 0.2); /* double density in 3D: 0.152 */
        test_world_free(&p.made);
    }
}

/* Light bodies and heavy ones, of each fluid: no body gains energy. */
static void bodies_of_any_density_float_or_sink_and_come_to_rest(void)
{
    const float densities[] = {0.1f, 0.3f, 0.9f, 2, 4};
    const uint32_t size[3] = {36, 14, 1}, box[3] = {12, 4, 1};
    for (uint32_t fluid = 0; fluid < 4; fluid++)
        for (uint32_t k = test_is_long() ? 0 : fluid; k < 5; k += test_is_long() ? 1 : 5) {
            pool p = pool_make(fluid, 2, size, box, densities[k], 0);
            double fastest = 0;
            test_world_frames(p.made.world, test_is_long() ? 300 : 180);
            for (uint32_t frame = 0; frame < 60; frame++) {
                test_world_frames(p.made.world, 1);
                tp_body_state s = collide_state(p.made.world, p.body);
                fastest = fmax(fastest, hypot((double)s.velocity.x, (double)s.velocity.y));
            }
            tp_body_state state = collide_state(p.made.world, p.body);
            test_note("fluid %u, density %.1f: %.3f m high, fastest %.3f m/s", fluid,
                      (double)densities[k], (double)state.center.y, fastest);
            CHECK(fastest < 0.5);
            CHECK(densities[k] < 1 ? state.center.y > 0.55f : state.center.y < 0.4f);
            test_world_free(&p.made);
        }
}

/* The floor carries it, with a layer of particles in between: none is crushed. */
static void a_heavy_box_sinks_to_the_floor(void)
{
    const uint32_t pools[2][3] = {{36, 14, 1}, {16, 10, 14}}, boxes[2][3] = {{12, 4, 1}, {8, 4, 6}};
    for (uint32_t d = 0; d < (test_is_long() ? 2 : 1); d++) {
        pool p = pool_make(1, 2 + d, pools[d], boxes[d], 3, 0);
        test_world_frames(p.made.world, 240);
        tp_body_state state = collide_state(p.made.world, p.body);
        CHECK_NEAR(state.center.y, p.half[1] + 1.125 * (double)CELL, 0.1 * (double)CELL);
        CHECK(tilt_of(&state) < 0.02);
        test_world_free(&p.made);
    }
}

static void a_boat_turns_upright(void)
{
    const uint32_t size[3] = {36, 14, 1}, box[3] = {12, 4, 1}, cube[3] = {6, 6, 1},
                   frames = test_is_long() ? 600 : 360;
    for (uint32_t fluid = test_is_long() ? 0 : 1; fluid < 2; fluid++) {
        pool p = pool_make(fluid, 2, size, box, 0.5f, 1.4f); /* 80 degrees */
        tp_body_state state = collide_state(p.made.world, p.body);
        CHECK(tilt_of(&state) > 1.3);
        test_world_frames(p.made.world, frames);
        state = collide_state(p.made.world, p.body);
        test_note("fluid %u: tilt %.3f", fluid, tilt_of(&state));
        CHECK(tilt_of(&state) < 0.1);
        test_world_free(&p.made);
        /* a square one turns its ballast down */
        tp_body_def def = tp_body_default();
        p = pool_make(fluid, 2, size, cube, 0.5f, 0);
        def.collider = collide_state(p.made.world, p.body).collider;
        def.mass = 18;
        def.center.y = -0.08f;
        CHECK(tp_body_remove(p.made.world, p.body) == TP_OK);
        CHECK(tp_body_add(p.made.world, &def, &p.body) == TP_OK);
        CHECK(tp_body_set(p.made.world, p.body, turned((tp_vector){0.9f, 0.95f, 0}, 1.75f), none,
                          none) == TP_OK);
        test_world_frames(p.made.world, frames);
        state = collide_state(p.made.world, p.body);
        test_note("fluid %u: tilt with ballast %.3f", fluid, tilt_of(&state));
        CHECK(tilt_of(&state) < 0.15);
        test_world_free(&p.made);
    }
}

/* ---- momentum ---- */

static void momentum_add(const tp_world *world, double sum[3])
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        sum[0] += (double)view.vx[i];
        sum[1] += (double)view.vy[i];
        sum[2] += view.vz ? (double)view.vz[i] : 0;
    }
}

/* A box flies into a drop that floats freely. */
static void body_and_fluid_keep_their_momentum(void)
{
    for (uint32_t fluid = 0; fluid < 4; fluid++)
        for (uint32_t d = 0; d < 2; d++) {
            if (!test_runs(fluid + d, 2)) continue;
            const uint32_t size[3] = {d ? 8u : 16u, d ? 8u : 16u, d ? 8u : 1u};
            tp_world_def def = float_def(fluid, 2 + d, size[0] * size[1] * size[2]);
            test_world made = test_world_make(&def);
            fluid_block(made.world, size, none, 0, 0);
            tp_vector at = {-0.3f, 0.25f, d ? 0.2f : 0.0f};
            tp_body body = body_of(made.world,
                                   collider_add(made.world, TP_COLLIDER_BOX, at,
                                                (tp_vector){0.1f, 0.15f, 0.1f}, false),
                                   20, (tp_vector){3, 0.5f, 0});
            double before[3] = {60, 10, 0}, exchanged = 0;
            float last = 3;
            for (uint32_t frame = 0; frame < 60; frame++) {
                test_world_frames(made.world, 1);
                float now = collide_state(made.world, body).velocity.x;
                exchanged += 20 * fabs((double)now - (double)last);
                last = now;
            }
            tp_body_state state = collide_state(made.world, body);
            double after[3] = {20 * (double)state.velocity.x, 20 * (double)state.velocity.y,
                               20 * (double)state.velocity.z};
            momentum_add(made.world, after);
            double worst = 0;
            for (uint32_t c = 0; c < 3; c++) worst = fmax(worst, fabs(after[c] - before[c]));
            test_note("fluid %u, %uD: %.2f N s exchanged, %.1e of it lost", fluid, 2 + d, exchanged,
                      worst / exchanged);
            CHECK(exchanged > 5);
            CHECK(worst < 1e-5 * exchanged);
            test_world_free(&made);
        }
}

/* Two boxes hit each other off their centers: to the last count. */
static void bodies_that_meet_keep_their_momenta(void)
{
    tp_world_def def = float_def(4, 3, 4);
    def.species[0].radius = 0;
    test_world made = test_world_make(&def);
    const tp_vector half = {0.2f, 0.3f, 0.25f};
    tp_body a = body_of(made.world, collider_add(made.world, TP_COLLIDER_BOX, none, half, false), 3,
                        (tp_vector){1, 0, 0}),
            b = body_of(made.world,
                        collider_add(made.world, TP_COLLIDER_BOX, (tp_vector){0.6f, 0.2f, 0.1f},
                                     half, false),
                        5, (tp_vector){-1, 0, 0});
    const tpi_body_item *items = tpi_body_at(made.world, 0);
    uint64_t before = items[0].now.linear[0] + items[1].now.linear[0];
    test_world_frames(made.world, 60);
    CHECK_EQ(items[0].now.linear[0] + items[1].now.linear[0], before);
    CHECK_EQ(items[0].now.linear[1] + items[1].now.linear[1], 0);
    tp_body_state first = collide_state(made.world, a), second = collide_state(made.world, b);
    CHECK(tpi_length(first.angular_velocity) > 0.1f);
    double energy = 1.5 * pow((double)tpi_length(first.velocity), 2) +
                    2.5 * pow((double)tpi_length(second.velocity), 2);
    CHECK(energy < 4.0);
    test_world_free(&made);
}

/* ---- free flight ---- */

static void a_free_body_falls_and_turns_as_newton_says(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = float_def(4, dimensions, 1);
        test_world made = test_world_make(&def);
        tp_body body = body_of(
            made.world,
            collider_add(made.world, TP_COLLIDER_BOX, none, (tp_vector){0.3f, 0.2f, 0.1f}, false),
            6, (tp_vector){1, 2, 0});
        test_world_gravity(made.world, 10);
        /* at the right side, up: m w^2 / 3 (x^2 + y^2) about z */
        CHECK(tp_body_impulse(made.world, body, (tp_vector){0, 6, 0}, (tp_vector){0.3f, 0, 0}) ==
              TP_OK);
        CHECK_NEAR(collide_state(made.world, body).velocity.y, 2, 1e-6);
        test_world_frames(made.world, 60);
        tp_body_state state = collide_state(made.world, body);
        double spin = 1.8 / (6 * (0.09 + 0.04) / 3);
        CHECK_NEAR(state.angular_velocity.z, spin, 1e-4);
        CHECK_NEAR(state.velocity.x, 1, 1e-6);
        CHECK_NEAR(state.velocity.y, 3 - 10, 1e-4);
        CHECK_NEAR(state.center.x, 1, 1e-4);
        CHECK_NEAR(state.center.y, 3 - 5, 0.03); /* symplectic Euler: g dt / 2 */
        CHECK_NEAR(tilt_of(&state), fabs(remainder(spin, 2 * 3.14159265358979)), 1e-3);
        test_world_free(&made);
    }
}

/* About the middle axis a box tumbles; its angular momentum and energy stay. */
static void a_tumbling_box_keeps_its_energy(void)
{
    tp_world_def def = float_def(4, 3, 1);
    test_world made = test_world_make(&def);
    tp_body_def body_def = tp_body_default();
    tp_body body;
    body_def.collider =
        collider_add(made.world, TP_COLLIDER_BOX, none, (tp_vector){0.3f, 0.2f, 0.1f}, false);
    body_def.center = (tp_vector){0.1f, 0.05f, 0};
    body_def.angular_velocity = (tp_vector){0.01f, 4, 0.01f};
    CHECK(tp_body_add(made.world, &body_def, &body) == TP_OK);
    const tpi_body_item *item = tpi_body_at(made.world, 0);
    uint64_t turn = item->now.angular[1];
    float low = 4, energy = 0, first = 0;
    for (uint32_t frame = 0; frame < 600; frame++) {
        tp_body_state state = collide_state(made.world, body);
        tp_vector w = tpi_rotate_back(state.pose.rotation, state.angular_velocity);
        energy =
            item->inertia.x * w.x * w.x + item->inertia.y * w.y * w.y + item->inertia.z * w.z * w.z;
        if (frame == 0) first = energy;
        low = tpi_min(low, w.y);
        CHECK_NEAR(tpi_length(state.center), 0.1118, 2e-3);
        test_world_frames(made.world, 1);
    }
    CHECK_EQ(item->now.angular[1], turn);
    CHECK(low < -3);
    CHECK_NEAR(energy, first, 0.1 * (double)first);
    test_world_free(&made);
}

static void inertia_follows_from_shape_and_mass(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = float_def(4, dimensions, 1);
        test_world made = test_world_make(&def);
        const bool is_flat = dimensions == 2;
        (void)body_of(
            made.world,
            collider_add(made.world, TP_COLLIDER_SPHERE, none, (tp_vector){2, 0, 0}, false), 5,
            none);
        (void)body_of(made.world,
                      collider_add(made.world, TP_COLLIDER_CAPSULE, (tp_vector){9, 0, 0},
                                   (tp_vector){0.5f, 0.8f, 0}, false),
                      5, none);
        const tpi_body_item *items = tpi_body_at(made.world, 0);
        CHECK_NEAR(items[0].inertia.z, is_flat ? 10 : 8, 1e-4);
        double sum = 0, about_y = 0, about_z = 0;
        const uint32_t n = 120, layers = is_flat ? 1 : n;
        for (uint32_t k = 0; k < n * n * layers; k++) {
            double x = (k % n + 0.5) / n - 0.5, y = 2.6 * ((k / n % n + 0.5) / n - 0.5),
                   z = is_flat ? 0 : (k / n / n + 0.5) / n - 0.5;
            double over = fmax(fabs(y) - 0.8, 0);
            if (x * x + z * z + over * over > 0.25) continue;
            sum += 1;
            about_y += x * x + z * z;
            about_z += x * x + y * y;
        }
        CHECK_NEAR(items[1].inertia.z, 5 * about_z / sum, 0.01 * 5 * about_z / sum);
        if (!is_flat) CHECK_NEAR(items[1].inertia.y, 5 * about_y / sum, 0.02);
        test_world_free(&made);
    }
}

/* ---- contacts ---- */

/* A box falls on a floor and rests; friction stops one that slides; a ball bounces. */
static void boxes_rest_slide_and_bounce_on_a_floor(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = float_def(4, dimensions, 1);
        def.species[0].radius = 0;
        test_world made = test_world_make(&def);
        tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider made_floor, ball_shape;
        floor.friction = 0.25f;
        CHECK(tp_collider_add(made.world, &floor, &made_floor) == TP_OK);
        tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX), ball = box;
        box.half = (tp_vector){0.2f, 0.1f, 0.2f};
        box.friction = 1;
        box.pose.position.y = 0.5f;
        tp_collider shape;
        CHECK(tp_collider_add(made.world, &box, &shape) == TP_OK);
        ball.shape = TP_COLLIDER_SPHERE;
        ball.radius = 0.1f;
        ball.restitution = 0.5f;
        ball.pose.position = (tp_vector){5, 1.1f, 0};
        CHECK(tp_collider_add(made.world, &ball, &ball_shape) == TP_OK);
        tp_body a = body_of(made.world, shape, 2, (tp_vector){2, 0, 0}),
                b = body_of(made.world, ball_shape, 2, none);
        test_world_gravity(made.world, 10);
        float highest = 0;
        for (uint32_t frame = 0; frame < 240; frame++) {
            test_world_frames(made.world, 1);
            tp_body_state state = collide_state(made.world, b);
            /* the first bounce after sqrt(2 / 10) s = 27 frames; the next one 27 later */
            if (frame > 30 && frame < 54) highest = tpi_max(highest, state.center.y);
            CHECK(collide_state(made.world, a).center.y > 0.09f);
        }
        tp_body_state state = collide_state(made.world, a);
        CHECK_NEAR(highest - 0.1f, 0.25, 0.03);
        CHECK_NEAR(state.center.y, 0.1, 2e-3);
        CHECK(tilt_of(&state) < 1e-3);
        CHECK(tpi_abs(state.velocity.x) < 0.01f);
        /* 0.57 m in the air; then the impact takes mu sqrt(2 g h), and sliding the rest */
        CHECK_NEAR(state.center.x, 0.63, 0.06);
        test_world_free(&made);
    }
}

/* A floor of each of these shapes, and a moving one. Meshes: test_body_level.c. */
static void bodies_stand_on_fields_grids_boxes_and_balls(void)
{
    static const float heights[4] = {0, 0, 0, 0};
    static float distances[64];
    for (uint32_t k = 0; k < 64; k++) distances[k] = ((float)(k / 4 % 4) - 1.5f) * 1.0f;
    for (uint32_t kind = 0; kind < 5; kind++) {
        tp_world_def def = float_def(4, 3, 1);
        def.species[0].radius = 0;
        def.geometry_bytes_max = 4096;
        test_world made = test_world_make(&def);
        tp_collider floor = {0};
        tp_collider_def ground = tp_collider_default(TP_COLLIDER_HEIGHTFIELD);
        ground.pose.position = (tp_vector){-2, 0, -2};
        ground.columns = ground.rows = 2;
        ground.spacing = 4;
        ground.samples = heights;
        if (kind == 1) ground = tp_collider_default(TP_COLLIDER_GRID);
        if (kind == 1) {
            ground.columns = ground.rows = ground.layers = 4;
            ground.samples = distances;
            ground.pose.position = (tp_vector){-1.5f, -1.5f, -1.5f};
        }
        if (kind < 2) CHECK(tp_collider_add(made.world, &ground, &floor) == TP_OK);
        if (kind == 2 || kind == 4)
            floor = collider_add(made.world, TP_COLLIDER_BOX, (tp_vector){0, -1, 0},
                                 (tp_vector){2, 1, 2}, false);
        if (kind == 3) /* a ball, smaller than the face that stands on it */
            floor = collider_add(made.world, TP_COLLIDER_SPHERE, (tp_vector){0, -0.05f, 0},
                                 (tp_vector){0.05f, 0, 0}, false);
        tp_body body = body_of(made.world,
                               collider_add(made.world, TP_COLLIDER_BOX, (tp_vector){0, 0.3f, 0},
                                            (tp_vector){0.2f, 0.1f, 0.15f}, false),
                               2, none);
        test_world_gravity(made.world, 10);
        for (uint32_t frame = 0; frame < 120; frame++) {
            if (kind == 4)
                CHECK(tp_collider_move(made.world, floor,
                                       turned((tp_vector){0, -1 + 0.01f * (float)frame, 0}, 0)) ==
                      TP_OK);
            test_world_frames(made.world, 1);
        }
        tp_body_state state = collide_state(made.world, body);
        test_note("kind %u: %.4f", kind, (double)state.center.y);
        CHECK_NEAR(state.center.y, kind == 4 ? 0.1 + 1.19 : 0.1, 0.02);
        test_world_free(&made);
    }
}

/* Kicked without end, no body leaves its tank. */
static void no_body_ever_leaves_its_tank(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = float_def(4, dimensions, 1);
        test_world made = test_world_make(&def);
        const tp_vector half = {1, 0.8f, 0.9f};
        (void)collider_add(made.world, TP_COLLIDER_BOX, none, half, true);
        tp_body bodies[4];
        for (uint32_t k = 0; k < 4; k++)
            bodies[k] =
                body_of(made.world,
                        collider_add(made.world, k % 2 ? TP_COLLIDER_BOX : TP_COLLIDER_CAPSULE,
                                     (tp_vector){0.5f * (float)k - 0.75f, 0, 0},
                                     (tp_vector){0.1f, 0.15f, 0.2f}, false),
                        1 + (float)k, none);
        uint32_t state = 3;
        for (uint32_t frame = 0; frame < (test_is_long() ? 400u : 120u); frame++) {
            for (uint32_t k = 0; k < 4; k++) {
                tp_vector push = test_random_position(&state, 8),
                          at = test_random_position(&state, 1);
                CHECK(tp_body_impulse(made.world, bodies[k], push, at) == TP_OK);
            }
            test_world_frames(made.world, 1);
            for (uint32_t k = 0; k < 4; k++) {
                const tpi_body_item *item = tpi_body_at(made.world, k);
                const tpi_collider_item *shape = tpi_collider_at(made.world, item->collider);
                tp_vector corners[TPI_BODY_CORNERS];
                float radius;
                uint32_t count = tpi_body_corners(made.world, shape, corners, &radius);
                for (uint32_t c = 0; c < count; c++) {
                    tp_vector p = tpi_to_world(item->pose, corners[c]);
                    CHECK(tpi_abs(p.x) < half.x - radius + 1e-4f);
                    CHECK(tpi_abs(p.y) < half.y - radius + 1e-4f);
                    if (dimensions == 3) CHECK(tpi_abs(p.z) < half.z - radius + 1e-4f);
                }
            }
        }
        test_world_free(&made);
    }
}

/* ---- the same bits ---- */

/* A pool with a boat, a ball and a post. */
static test_world story_make(uint32_t fluid, uint32_t dimensions, uint32_t slice_units)
{
    const uint32_t size[3] = {16, 8, dimensions == 3 ? 8u : 1u};
    tp_world_def def = float_def(fluid, dimensions, size[0] * size[1] * size[2]);
    def.slice_units = slice_units;
    test_world made = test_world_make(&def);
    float z = dimensions == 3 ? 0.2f : 0.0f;
    (void)collider_add(made.world, TP_COLLIDER_BOX, (tp_vector){0.4f, 0.5f, z},
                       (tp_vector){0.4f, 0.5f, 0.2f}, true);
    tp_collider boat = collider_add(made.world, TP_COLLIDER_BOX, (tp_vector){0.2f, 0.5f, z},
                                    (tp_vector){0.12f, 0.05f, 0.1f}, false),
                ball = collider_add(made.world, TP_COLLIDER_SPHERE, (tp_vector){0.55f, 0.6f, z},
                                    (tp_vector){0.1f, 0, 0}, false);
    (void)body_of(made.world, boat, 6, (tp_vector){1, 0, 0});
    (void)body_of(made.world, ball, 20, none);
    fluid_block(made.world, size, none, 0.1f, 0.2f);
    test_world_gravity(made.world, 9.81f);
    return made;
}

static void slices_widths_and_threads_change_no_body(void)
{
    platform_jobs threads;
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t fluid = 0; fluid < 5; fluid += test_is_long() ? 1 : 3) {
        uint64_t hashes[5];
        for (uint32_t run = 0; run < 5; run++) {
            test_world made = story_make(fluid, 2 + fluid % 2, run == 1 ? 64 : 65536);
            tp_budget budget = {0};
            if (run == 2) budget.lanes_max = 4;
            if (run == 3) budget.jobs = &threads.jobs;
            if (run == 4) budget.units = 700;
            for (uint32_t frame = 0; frame < 12; frame++) {
                tp_result result = tp_frame(made.world, &budget, NULL);
                budget.is_same_frame = true;
                while (result == TP_MORE)
                    result = tp_frame(made.world, &budget, NULL), budget.units += 700;
                budget.is_same_frame = false;
                if (run == 4) budget.units = 700;
            }
            hashes[run] = tp_world_hash(made.world);
            CHECK_EQ(hashes[run], hashes[0]);
            test_world_free(&made);
        }
    }
    platform_jobs_stop(&threads);
}

/* A step that is discarded anywhere is computed again to the same bits; hash and bodies stay those
   of the last complete step. */
static void discarded_steps_change_no_body(void)
{
    test_world made = story_make(1, 2, 64), other = story_make(1, 2, 2048);
    tp_budget budget = {.units = 300, .is_same_frame = false};
    uint32_t cancels = 0;
    for (uint32_t frame = 0; frame < 20; frame++) {
        test_world_frames(other.world, 1);
        tp_result result = tp_frame(made.world, &budget, NULL);
        for (uint32_t k = 0; result == TP_MORE; k++) {
            uint64_t hash = tp_world_hash(made.world);
            tp_body_state before, after;
            CHECK(tp_body_get(made.world, (tp_body){1u << 16}, &before) == TP_OK);
            if (k == 7 || k == 23 || k == 40) {
                tpi_step_cancel(made.world);
                cancels++;
            }
            CHECK(tp_body_get(made.world, (tp_body){1u << 16}, &after) == TP_OK);
            CHECK(!memcmp(&before, &after, sizeof before));
            CHECK_EQ(tp_world_hash(made.world), hash);
            tp_budget more = {.units = 300 * (k + 2), .is_same_frame = true};
            result = tp_frame(made.world, &more, NULL);
        }
        CHECK_EQ(tp_world_hash(made.world), tp_world_hash(other.world));
    }
    CHECK(cancels > 10);
    test_world_free(&made);
    test_world_free(&other);
}

static void snapshots_and_rewound_caches_go_on_to_the_same_bits(void)
{
    for (uint32_t fluid = 0; fluid < 2; fluid++) {
        test_world made = story_make(fluid, 2 + fluid, 2048);
        test_world_frames(made.world, 15);
        CHECK(tp_body_impulse(made.world, (tp_body){1u << 16}, (tp_vector){1, 2, 0}, none) ==
              TP_OK);
        void *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
        memcpy(copy, made.world, made.bytes);
        tp_world *restored = NULL;
        CHECK(tp_world_verify(copy, made.bytes, NULL, &restored) == TP_OK);
        test_world_frames(made.world, 10);
        if (restored) test_world_frames(restored, 10);
        CHECK_EQ(tp_world_hash(restored), tp_world_hash(made.world));
        free(copy);
        test_world_free(&made);
        made = story_make(fluid, 2 + fluid, 2048);
        cache_check_resumes(made.world, 12);
        test_world_free(&made);
    }
}

/* ---- wrong input ---- */

static void check_refused(tp_world *world, tp_body_def def, const char *field)
{
    tp_body body = {7};
    uint64_t hash = tp_world_hash(world);
    const char *text = tp_body_check(world, &def);
    CHECK(text && strstr(text, field));
    CHECK(tp_body_add(world, &def, &body) == TP_ERROR_DEFINITION);
    CHECK_EQ(body.id, 0);
    CHECK_EQ(tp_world_hash(world), hash);
}

static void wrong_bodies_are_refused_with_the_field(void)
{
    tp_world_def def = float_def(4, 2, 1);
    test_world made = test_world_make(&def);
    tp_body_def good = tp_body_default();
    good.collider = collider_add(made.world, TP_COLLIDER_BOX, none, (tp_vector){1, 1, 1}, false);
    CHECK(!tp_body_check(made.world, &good));
    for (uint32_t k = 0; k < 8; k++) {
        static const char *const fields[8] = {"collider", "mass",   "mass",     "mass",
                                              "inertia",  "center", "velocity", "angular_velocity"};
        tp_body_def bad = good;
        if (k == 0) bad.collider.id = 77;
        if (k == 1) bad.mass = 0;
        if (k == 2) bad.mass = -1;
        if (k == 3) bad.mass = NAN;
        if (k == 4) bad.inertia.z = -1;
        if (k == 5) bad.center.x = INFINITY;
        if (k == 6) bad.velocity.y = NAN;
        if (k == 7) bad.angular_velocity.z = 1e4f;
        check_refused(made.world, bad, fields[k]);
    }
    tp_body_def bad = good;
    bad.collider = collider_add(made.world, TP_COLLIDER_PLANE, none, none, false);
    check_refused(made.world, bad, "collider");
    bad.collider = collider_add(made.world, TP_COLLIDER_BOX, none, (tp_vector){1, 1, 1}, true);
    check_refused(made.world, bad, "collider");
    tp_body body;
    bad = good;
    bad.stamp++;
    CHECK(tp_body_add(made.world, &bad, &body) == TP_ERROR_STAMP);
    CHECK(tp_body_add(made.world, NULL, &body) == TP_ERROR_NULL);
    CHECK(tp_body_add(made.world, &good, &body) == TP_OK);
    check_refused(made.world, good, "collider");
    test_world_free(&made);
}

static void wrong_calls_change_nothing(void)
{
    test_world made = story_make(1, 2, 2048);
    const tp_body body = {1u << 16}, wrong = {9u << 16};
    const tp_collider hull = collide_state(made.world, body).collider;
    const tp_pose pose = turned(none, 0), nan_pose = turned((tp_vector){NAN, 0, 0}, 0);
    tp_body_state state;
    test_world_frames(made.world, 2);
    uint64_t hash = tp_world_hash(made.world);
    CHECK(tp_collider_move(made.world, hull, pose) == TP_ERROR_BODY);
    CHECK(tp_collider_remove(made.world, hull) == TP_ERROR_BODY);
    CHECK(tp_body_get(made.world, wrong, &state) == TP_ERROR_HANDLE);
    CHECK(tp_body_get(made.world, body, NULL) == TP_ERROR_NULL);
    CHECK(tp_body_set(made.world, wrong, pose, none, none) == TP_ERROR_HANDLE);
    CHECK(tp_body_set(made.world, body, nan_pose, none, none) == TP_ERROR_DEFINITION);
    CHECK(tp_body_set(made.world, body, pose, (tp_vector){NAN, 0, 0}, none) == TP_ERROR_DEFINITION);
    CHECK(tp_body_set(made.world, body, pose, none, (tp_vector){0, 0, 2e3f}) ==
          TP_ERROR_DEFINITION);
    CHECK(tp_body_impulse(made.world, wrong, none, none) == TP_ERROR_HANDLE);
    CHECK(tp_body_impulse(made.world, body, (tp_vector){NAN, 0, 0}, none) == TP_ERROR_DEFINITION);
    CHECK(tp_body_impulse(made.world, body, (tp_vector){1e9f, 0, 0}, none) == TP_ERROR_DEFINITION);
    CHECK(tp_body_impulse(made.world, body, none, (tp_vector){INFINITY, 0, 0}) ==
          TP_ERROR_DEFINITION);
    CHECK(tp_body_remove(made.world, wrong) == TP_ERROR_HANDLE);
    CHECK_EQ(tp_world_hash(made.world), hash);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_BODIES].used, 2);
    CHECK(tp_body_remove(made.world, body) == TP_OK);
    CHECK(tp_body_get(made.world, body, &state) == TP_ERROR_HANDLE);
    CHECK(tp_collider_move(made.world, hull, pose) == TP_OK);
    CHECK(tp_collider_remove(made.world, hull) == TP_OK);
    test_world_free(&made);
}

static void a_world_without_bodies_has_none(void)
{
    tp_world_def def = float_def(1, 2, 16);
    def.bodies_max = 0;
    test_world made = test_world_make(&def);
    tp_body_def body_def = tp_body_default();
    tp_body body;
    body_def.collider =
        collider_add(made.world, TP_COLLIDER_BOX, none, (tp_vector){1, 1, 1}, false);
    CHECK(tp_body_add(made.world, &body_def, &body) == TP_ERROR_FULL);
    def.bodies_max = 2;
    size_t bytes = 0;
    CHECK(tp_world_memory(&def, &bytes) == TP_OK);
    CHECK(bytes > made.bytes);
    CHECK(bytes - made.bytes <= TP_BODY_BYTES(2) + TP_LOAD_BYTES(2, 16, 8));
    def.colliders_max = 1;
    CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "bodies_max"));
    def.bodies_max = 65;
    CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "bodies_max"));
    def = float_def(0, 2, 16);
    def.sph.compat = true;
    CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "bodies_max"));
    test_world_free(&made);
}

/* Damaged items are refused, or harmless. */
static void damaged_bodies_are_refused_or_harmless(void)
{
    test_world good = story_make(1, 3, 2048), copy = story_make(1, 3, 2048);
    test_world_frames(good.world, 2);
    uint32_t refused = 0;
    for (uint32_t at = 0; at < 2 * sizeof(tpi_body_item); at++) {
        tp_world *found = NULL;
        memcpy(copy.world, good.world, good.bytes);
        unsigned char *byte = (unsigned char *)tpi_body_at(copy.world, 0) + at;
        *byte = (unsigned char)(at % 2u ? *byte ^ 1u << at % 8u : 0xffu);
        if (tp_world_verify(copy.world, copy.bytes, NULL, &found) != TP_OK) {
            refused++;
            continue;
        }
        tp_budget budget = {.units = 20000};
        CHECK(tp_frame(found, &budget, NULL) >= TP_OK);
    }
    CHECK(refused > 5);
    test_world_free(&good);
    test_world_free(&copy);
}

static const test_case cases[] = {TEST_CASE(a_box_of_half_the_density_floats_half_under),
                                  TEST_CASE(bodies_of_any_density_float_or_sink_and_come_to_rest),
                                  TEST_CASE(a_heavy_box_sinks_to_the_floor),
                                  TEST_CASE(a_boat_turns_upright),
                                  TEST_CASE(body_and_fluid_keep_their_momentum),
                                  TEST_CASE(bodies_that_meet_keep_their_momenta),
                                  TEST_CASE(a_free_body_falls_and_turns_as_newton_says),
                                  TEST_CASE(a_tumbling_box_keeps_its_energy),
                                  TEST_CASE(inertia_follows_from_shape_and_mass),
                                  TEST_CASE(boxes_rest_slide_and_bounce_on_a_floor),
                                  TEST_CASE(bodies_stand_on_fields_grids_boxes_and_balls),
                                  TEST_CASE(no_body_ever_leaves_its_tank),
                                  TEST_CASE(slices_widths_and_threads_change_no_body),
                                  TEST_CASE(discarded_steps_change_no_body),
                                  TEST_CASE(snapshots_and_rewound_caches_go_on_to_the_same_bits),
                                  TEST_CASE(wrong_bodies_are_refused_with_the_field),
                                  TEST_CASE(wrong_calls_change_nothing),
                                  TEST_CASE(a_world_without_bodies_has_none),
                                  TEST_CASE(damaged_bodies_are_refused_or_harmless)};
TEST_SUITE(bodies, cases);
