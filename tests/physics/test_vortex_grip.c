/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_grip.c - air at colliders: the vorticity and the impulse that they
           shed, bodies, wind, equal bits.
   reads   runtime/solve/vortex      writes  nothing
   memory  blocks of worlds          cost    ten seconds
   after   Lamb, "Hydrodynamics" (1932), sections 92 and 152: a sphere that begins to move gives the
           fluid outside half of the momentum of the fluid that it displaces; the sheet of vorticity
           around it has half as much again, since it counts the fluid inside */
#include "vortex_worlds.h"
#include <math.h>
#include <string.h>

#define PI     3.14159265358979323846
#define RADIUS 0.3f
#define CELL   0.1f

static tp_world_def definition(uint32_t particles)
{
    tp_world_def def = vortex_def(3, particles);
    def.measures_loads = true;
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 33;
    def.vortex.grid_spacing = CELL;
    def.vortex.grid_low = (tp_vector){-1.6f, -1.6f, -1.6f};
    def.vortex.vorton_species = 1;
    def.vortex.grip = 60;
    def.vortex.growth_max = 10;
    def.geometry_bytes_max = 8192;
    def.species[0].radius = 0.005f;
    return def;
}

#define SIDE 9 /* samples of a distance grid along each axis, with a ball of RADIUS in its middle */

static tp_collider_def solid(tp_collider_shape shape)
{
    static float samples[SIDE * SIDE * SIDE];
    tp_collider_def def = tp_collider_default(shape);
    def.radius = shape == TP_COLLIDER_CAPSULE ? 0.2f : RADIUS;
    def.half = (tp_vector){0.25f, 0.2f, 0.25f};
    if (shape != TP_COLLIDER_GRID) return def;
    def.spacing = CELL;
    def.columns = def.rows = def.layers = SIDE;
    def.samples = samples;
    def.pose.position = (tp_vector){-0.4f, -0.4f, -0.4f}; /* its lowest corner */
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        float x = CELL * (float)(n % SIDE - SIDE / 2),
              y = CELL * (float)(n / SIDE % SIDE - SIDE / 2),
              z = CELL * (float)(n / SIDE / SIDE - SIDE / 2);
        samples[n] = sqrtf(x * x + y * y + z * z) - RADIUS;
    }
    return def;
}

/* Distance of a point to the surface of a solid at the origin, negative inside. */
static float distance_to(const tp_collider_def *def, tp_vector x)
{
    tp_vector h = def->half;
    float y = fmaxf(fabsf(x.y) - h.y, 0), a = fabsf(x.x) - h.x, b = fabsf(x.y) - h.y,
          c = fabsf(x.z) - h.z;
    if (def->shape == TP_COLLIDER_CAPSULE)
        return sqrtf(x.x * x.x + y * y + x.z * x.z) - def->radius;
    if (def->shape == TP_COLLIDER_BOX) return fmaxf(a, fmaxf(b, c));
    return sqrtf(x.x * x.x + x.y * x.y + x.z * x.z) - def->radius;
}

/* Air around a solid: vortons without a strength, 0.6 cells apart. */
static uint32_t add_air(tp_world *world, const tp_collider_def *def, float apart, float reach)
{
    uint32_t count = 0;
    int side = (int)(reach / apart) + 1;
    for (int i = -side; i <= side; i++)
        for (int j = -side; j <= side; j++)
            for (int k = -side; k <= side; k++) {
                tp_vector x = {((float)i + 0.3f) * apart, ((float)j + 0.2f) * apart,
                               ((float)k + 0.1f) * apart};
                float square = x.x * x.x + x.y * x.y + x.z * x.z;
                if (distance_to(def, x) < 0.006f || square > reach * reach) continue;
                CHECK_EQ(tp_particle_add(world, x, (tp_vector){0, 0, 0}, 0, NULL), TP_OK);
                count++;
            }
    return count;
}

static tp_collider add_solid(tp_world *world, const tp_collider_def *def)
{
    tp_collider handle = {0};
    CHECK_EQ(tp_collider_add(world, def, &handle), TP_OK);
    return handle;
}

typedef struct ball_run {
    double impulse;   /* of the air, along y */
    double given;     /* by the load, along y */
    double speed;     /* mean of the air within half a cell of the equator */
    double displaced; /* momentum of the air that the ball displaces */
    uint32_t inside;
} ball_run;

/* The air near the equator of a ball at (0, y, 0). */
static void look_at(const tp_world *world, double y, ball_run *run)
{
    tp_view view = tp_world_view(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double up = (double)view.y[i] - y,
               r = sqrt((double)(view.x[i] * view.x[i] + view.z[i] * view.z[i]) + up * up);
        run->inside += r < (double)RADIUS;
        if (fabs(up) > 0.1 || r > (double)(RADIUS + 0.5f * CELL)) continue;
        run->speed += (double)view.vy[i];
        count++;
    }
    CHECK(count > 10);
    run->speed /= count;
}

/* A solid moves with 1 m/s along y for some frames. */
static ball_run move_solid(tp_collider_shape shape, float grip, uint32_t frames, bool has_wind)
{
    ball_run run = {0, 0, 0, 0, 0};
    tp_world_def def = definition(4096);
    def.vortex.grip = grip;
    test_world made = test_world_make(&def);
    tp_collider_def moved = solid(shape);
    tp_collider ball = add_solid(made.world, &moved);
    tp_pose pose = moved.pose;
    tp_load load;
    double sums[6];
    test_note("%u vortons", (unsigned)add_air(made.world, &moved, 0.058f, 0.56f));
    if (has_wind) {
        tp_field_def wind = tp_field_default(TP_FIELD_WIND);
        tp_field handle;
        wind.vector = (tp_vector){0, -1, 0};
        CHECK_EQ(tp_field_add(made.world, &wind, &handle), TP_OK);
    }
    for (uint32_t frame = 1; frame <= frames; frame++) {
        pose.position.y = moved.pose.position.y + (has_wind ? 0 : (float)frame / 60);
        CHECK_EQ(tp_collider_move(made.world, ball, pose), TP_OK);
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_collider_load(made.world, ball, &load), TP_OK);
        run.given -= (double)load.impulse.y;
    }
    vortex_sums(made.world, sums);
    run.impulse = 1.2 * sums[4];
    run.displaced = 1.2 * 4 / 3 * PI * pow((double)(RADIUS + 0.75f * CELL), 3);
    if (shape == TP_COLLIDER_SPHERE) look_at(made.world, (double)pose.position.y, &run);
    test_note("air %g, given %g, displaced %g; speed at the equator %g, inside %u", run.impulse,
              run.given, run.displaced, run.speed, (unsigned)run.inside);
    test_world_free(&made);
    return run;
}

static void a_moving_ball_takes_air_along(void)
{
    ball_run run = move_solid(TP_COLLIDER_SPHERE, 60, 6, false);
    CHECK_EQ(run.inside, 0);
    CHECK_NEAR(run.impulse, run.given, 0.05 * run.given);
    CHECK_NEAR(run.impulse, 1.5 * run.displaced, 0.25 * 1.5 * run.displaced);
    CHECK(run.speed > 0.5 && run.speed < 1.1);
}

/* The air has the impulse that other shapes give, too. */
static void moving_solids_take_air_along(void)
{
    static const tp_collider_shape shapes[3] = {TP_COLLIDER_CAPSULE, TP_COLLIDER_BOX,
                                                TP_COLLIDER_GRID};
    for (uint32_t k = 0; k < 3; k++) {
        ball_run run = move_solid(shapes[k], 60, 6, false);
        test_note("shape %u: %g of the load", (unsigned)shapes[k], run.impulse / run.given);
        CHECK(run.given > 0.05);
        CHECK_NEAR(run.impulse, run.given, 0.05 * run.given);
    }
}

static void without_grip_a_ball_leaves_the_air_at_rest(void)
{
    ball_run run = move_solid(TP_COLLIDER_SPHERE, 0, 3, false);
    CHECK_EQ(run.inside, 0);
    CHECK(fabs(run.impulse) < 1e-9 && fabs(run.speed) < 0.2);
}

/* A ball at rest in a wind does what a moving one does. */
static void wind_flows_around_a_ball(void)
{
    ball_run run = move_solid(TP_COLLIDER_SPHERE, 60, 6, true);
    CHECK_EQ(run.inside, 0);
    CHECK_NEAR(run.impulse, run.given, 0.05 * run.given);
    CHECK_NEAR(run.impulse, 1.5 * run.displaced, 0.25 * 1.5 * run.displaced);
    CHECK(fabs(run.speed) < 0.5);
}

/* A thrown ball slows down by what it gives to the air. */
static void a_body_and_the_air_keep_their_momentum(void)
{
    tp_world_def def = definition(4096);
    def.bodies_max = 1;
    def.species[0].mass = 0.01f;
    test_world made = test_world_make(&def);
    tp_body_def thrown = tp_body_default();
    tp_body body = {0};
    tp_body_state state;
    double sums[6];
    tp_collider_def ball_def = solid(TP_COLLIDER_SPHERE);
    thrown.collider = add_solid(made.world, &ball_def);
    thrown.mass = 0.5f;
    thrown.velocity = (tp_vector){0, 1, 0};
    CHECK_EQ(tp_body_add(made.world, &thrown, &body), TP_OK);
    add_air(made.world, &ball_def, 0.058f, 0.56f);
    test_world_frames(made.world, 10);
    CHECK_EQ(tp_body_get(made.world, body, &state), TP_OK);
    vortex_sums(made.world, sums);
    double air = 1.2 * sums[4], ball = 0.5 * (double)state.velocity.y;
    test_note("ball %g, air %g", ball, air);
    CHECK(air > 0.1);
    CHECK_NEAR(ball + air, 0.5, 0.05 * 0.5);
    test_world_free(&made);
}

/* Shapes of all kinds, and two at one place: none throws the air. */
static test_world crowd_of_shapes(void)
{
    tp_world_def def = definition(500);
    test_world made = test_world_make(&def);
    static const tp_collider_shape shapes[4] = {TP_COLLIDER_PLANE, TP_COLLIDER_CAPSULE,
                                                TP_COLLIDER_BOX, TP_COLLIDER_SPHERE};
    for (uint32_t k = 0; k < 6; k++) {
        tp_collider_def shape = tp_collider_default(shapes[k % 4u]);
        tp_collider handle = {0};
        shape.radius = 0.2f;
        shape.half = (tp_vector){0.25f, 0.3f, 0.25f};
        shape.pose.position = (tp_vector){0.5f * (float)(k % 2u), k % 4u ? 0 : -0.7f, 0};
        CHECK_EQ(tp_collider_add(made.world, &shape, &handle), TP_OK);
        shape.pose.position.z += 0.3f;
        if (k > 2) CHECK_EQ(tp_collider_move(made.world, handle, shape.pose), TP_OK);
    }
    uint32_t state = 5;
    for (uint32_t i = 0; i < 500; i++) {
        float x = test_uniform(&state, -1, 1), y = test_uniform(&state, -0.5f, 1);
        vortex_add(made.world, (tp_vector){x, y, test_uniform(&state, -1, 1)},
                   (tp_vector){0.01f * x, 0.01f * y, 0});
    }
    return made;
}

static uint64_t hash_after(uint32_t units, uint32_t lanes)
{
    return vortex_hash(crowd_of_shapes(), 3, units, lanes);
}

static void colliders_in_air_have_equal_bits_in_slices_and_lanes(void)
{
    static const uint32_t units[3] = {0, 70, 100000}, lanes[3] = {4, 8, 16};
    uint64_t hash = hash_after(0, 0);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t n = 0; n < 3; n++) CHECK_EQ(hash_after(units[k], lanes[n]), hash);
}

static void a_slice_at_colliders_stays_within_its_units(void)
{
    uint32_t all = vortex_units(crowd_of_shapes(), 100000000u, 160);
    CHECK_EQ(vortex_units(crowd_of_shapes(), 64, 160), all);
}

/* A ball as wide as a grid of 65 nodes, in eight winds with noise: rows of nodes in parts. */
static test_world windy_ball(void)
{
    tp_world_def def = definition(200);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = axis ? 9 : 65;
    def.fields_max = 8;
    test_world made = test_world_make(&def);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider handle = {0};
    tp_field field;
    ball.radius = 4;
    ball.pose.position = (tp_vector){1.6f, -1.2f, -1.2f};
    CHECK_EQ(tp_collider_add(made.world, &ball, &handle), TP_OK);
    for (uint32_t k = 0; k < 8; k++) {
        tp_field_def wind = tp_field_default(TP_FIELD_WIND);
        wind.strength = 0.1f * (float)(k + 1u);
        CHECK_EQ(tp_field_add(made.world, &wind, &field), TP_OK);
    }
    vortex_add(made.world, (tp_vector){1, -1, -1}, (tp_vector){0.1f, 0, 0});
    return made;
}

static void rows_of_nodes_in_many_winds_end_a_slice_in_time(void)
{
    uint32_t all = vortex_units(windy_ball(), 100000000u, TP_UNITS_OVERRUN(0, 8, 1, 0));
    CHECK_EQ(vortex_units(windy_ball(), 64, TP_UNITS_OVERRUN(0, 8, 1, 0)), all);
    CHECK(all > 400000); /* 4 units for each wind at each node; with one they were 324 188 */
}

static void air_among_many_shapes_stays_slow(void)
{
    test_world made = crowd_of_shapes();
    test_world_frames(made.world, test_is_long() ? 120 : 40);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(fabsf(view.vx[i]) < 30 && fabsf(view.vy[i]) < 30 && fabsf(view.vz[i]) < 30);
    CHECK_EQ(tp_world_report(made.world).killed_particles, 0);
    test_world_free(&made);
}

static void grip_needs_a_grid(void)
{
    tp_world_def def = definition(10);
    CHECK(tp_world_check(&def) == NULL);
    def.vortex.grip = -1;
    CHECK(strstr(tp_world_check(&def), "vortex.grip must be") != NULL);
    def.vortex.grip = 1;
    def.vortex.density = 0;
    CHECK(strstr(tp_world_check(&def), "vortex.density must be") != NULL);
    def.vortex.density = 1;
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 0;
    CHECK(strstr(tp_world_check(&def), "vortex.grip needs") != NULL);
}

static const test_case cases[] = {
    TEST_CASE(a_moving_ball_takes_air_along),
    TEST_CASE(moving_solids_take_air_along),
    TEST_CASE(without_grip_a_ball_leaves_the_air_at_rest),
    TEST_CASE(wind_flows_around_a_ball),
    TEST_CASE(a_body_and_the_air_keep_their_momentum),
    TEST_CASE(colliders_in_air_have_equal_bits_in_slices_and_lanes),
    TEST_CASE(a_slice_at_colliders_stays_within_its_units),
    TEST_CASE(rows_of_nodes_in_many_winds_end_a_slice_in_time),
    TEST_CASE(air_among_many_shapes_stays_slow),
    TEST_CASE(grip_needs_a_grid),
};
TEST_SUITE(vortex_grip, cases);
