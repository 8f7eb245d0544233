/* SPDX-License-Identifier: MIT
   tests/physics/test_load.c - loads: what particles do to colliders, beside the momentum that the
           particles lost, weights, and Archimedes.
   reads   runtime/world/load.c, move/collide.c, solve/sph/load.c      writes  nothing
   memory  worlds of up to 3000 particles      cost    some seconds
   after   own design: momentum in double precision is the oracle */
#include "test.h"
#include "collide_help.h"
#include "dfsph_worlds.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KINDS 8u /* see load_def */

/* ---- worlds ---- */

/* Kinds: no solver, the four fluids, hard spheres, two viscous fluids. Two species. */
static tp_world_def load_def(uint32_t kind, uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = particles;
    def.solver = kind == 0 ? TP_SOLVER_NONE : kind == 5 ? TP_SOLVER_PAIR : TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.substeps.count = 4;
    def.measures_loads = true;
    def.geometry_bytes_max = 4096;
    def.species_count = 2;
    def.species[1].mass = 1.5f;
    if (kind == 6) def.species[1].mass = 1;
    if (kind >= 6) def.sph.viscosity = 0.05f;
    if (kind == 1 || kind == 6) tp_sph_incompressible(&def, FLUID_SPACING);
    if (kind == 2 || kind == 7) tp_sph_double_density(&def, FLUID_SPACING);
    if (kind == 3) tp_sph_ideal_gas(&def, FLUID_SPACING, 1);
    if (kind == 4) tp_sph_weakly_compressible(&def, FLUID_SPACING, 1);
    def.sph.allows_tension = kind == 3;
    if (kind != 5) return def;
    def.integrator = TP_INTEGRATOR_KDK;
    def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    for (uint32_t s = 0; s < 2; s++) {
        def.species[s].sigma = 0.8f * FLUID_SPACING;
        def.species[s].radius = 0.4f * FLUID_SPACING;
    }
    return def;
}

/* A collider with bounce and friction. */
static tp_collider load_add(tp_world *world, tp_collider_def def, float restitution, float friction)
{
    tp_collider made = {0};
    def.restitution = restitution;
    def.friction = friction;
    CHECK(tp_collider_add(world, &def, &made) == TP_OK);
    return made;
}

static tp_collider_def load_box(tp_vector centre, tp_vector half, bool is_hollow)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_BOX);
    def.pose.position = centre;
    def.half = half;
    def.is_hollow = is_hollow;
    return def;
}

#define ROOM_COLLIDERS 4u

/* A room, a ball that moves, a capsule and a block (2D: of edges), in the way of a block of
   particles. */
static void load_room(tp_world *world, tp_collider colliders[ROOM_COLLIDERS])
{
    const bool is_flat = tp_world_definition(world)->dimensions == 2;
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE),
                    capsule = tp_collider_default(TP_COLLIDER_CAPSULE);
    float z = is_flat ? 0.0f : 0.2f;
    colliders[0] = load_add(
        world, load_box((tp_vector){0.5f, 0.5f, z}, (tp_vector){0.5f, 0.5f, 0.2f}, true), 0, 0.2f);
    ball.pose.position = (tp_vector){0.75f, 0.3f, z};
    ball.radius = 0.1f;
    colliders[1] = load_add(world, ball, 0.3f, 0);
    capsule.pose.position = (tp_vector){0.6f, 0.75f, z};
    capsule.half.y = 0.1f;
    capsule.radius = 0.05f;
    colliders[2] = load_add(world, capsule, 0, 0.5f);
    tp_collider_def block =
        load_box((tp_vector){0.85f, 0.6f, z}, (tp_vector){0.1f, 0.04f, 0.3f}, false);
    tp_vector corners[4];
    tp_pose at = block.pose;
    if (is_flat) block = collide_rectangle(corners, block.half.x, block.half.y, false);
    block.pose = at;
    block.pose.rotation = (tp_quaternion){0.9689124f, 0, 0, 0.2474040f};
    colliders[3] = load_add(world, block, 0.5f, 0.3f);
}

static test_world load_world(uint32_t kind, uint32_t dimensions, uint32_t slice_units,
                             tp_collider colliders[ROOM_COLLIDERS])
{
    const uint32_t size[3] = {8, dimensions == 2 ? 16u : 10u, dimensions == 2 ? 1u : 8u};
    tp_world_def def = load_def(kind, dimensions, size[0] * size[1] * size[2]);
    def.slice_units = slice_units;
    test_world made = test_world_make(&def);
    load_room(made.world, colliders);
    fluid_block(made.world, size, (tp_vector){0.02f, 0.02f, 0.0f}, 0.1f, 1.0f);
    for (uint32_t i = 0; i < def.particles_max; i++) {
        tp_view view = tp_world_view(made.world);
        tp_vector at = {view.x[i], view.y[i], view.z ? view.z[i] : 0},
                  v = {view.vx[i] + 2.5f, view.vy[i] + 1.5f, view.vz ? view.vz[i] : 0};
        CHECK(tp_particle_set(made.world, i, at, v) == TP_OK);
    }
    return made;
}

static void load_stir(tp_world *world, tp_collider ball, uint32_t frame)
{
    tp_pose pose = {{0.75f + 0.02f * sinf((float)frame * 0.3f), 0.3f, 0.0f}, {1, 0, 0, 0}};
    if (tp_world_definition(world)->dimensions == 3) pose.position.z = 0.2f;
    CHECK(tp_collider_move(world, ball, pose) == TP_OK);
}

/* ---- measures ---- */

typedef struct load_momentum {
    double sum[3], size; /* kg m/s; sum of m |v| */
    double turn;         /* kg m^2/s about z through the origin */
} load_momentum;

static load_momentum momentum_of(const tp_world *world)
{
    load_momentum p = {{0, 0, 0}, 0, 0};
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        double m = (double)tp_world_definition(world)->species[TP_META_SPECIES(view.meta[i])].mass;
        double v[3] = {(double)view.vx[i], (double)view.vy[i], view.vz ? (double)view.vz[i] : 0};
        for (uint32_t c = 0; c < 3; c++) p.sum[c] += m * v[c];
        p.size += m * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        p.turn += m * ((double)view.x[i] * v[1] - (double)view.y[i] * v[0]);
    }
    return p;
}

static tp_load load_of(const tp_world *world, tp_collider collider)
{
    tp_load load;
    CHECK(tp_collider_load(world, collider, &load) == TP_OK);
    return load;
}

/* ---- momentum ---- */

/* The momentum that particles lose in each frame is the impulse that colliders get. */
static void check_balance(uint32_t kind, uint32_t dimensions)
{
    tp_collider colliders[ROOM_COLLIDERS];
    test_world made = load_world(kind, dimensions, 2048, colliders);
    uint32_t contacts = 0;
    double worst = 0, given = 0;
    for (uint32_t frame = 0; frame < 40; frame++) {
        load_momentum before = momentum_of(made.world), after;
        double sum[3] = {0, 0, 0};
        load_stir(made.world, colliders[1], frame);
        test_world_frames(made.world, 1);
        after = momentum_of(made.world);
        for (uint32_t k = 0; k < ROOM_COLLIDERS; k++) {
            tp_load load = load_of(made.world, colliders[k]);
            sum[0] += (double)load.impulse.x;
            sum[1] += (double)load.impulse.y;
            sum[2] += (double)load.impulse.z;
            contacts += load.contacts;
            given += fabs((double)load.impulse.x) + fabs((double)load.impulse.y);
        }
        for (uint32_t c = 0; c < 3; c++)
            worst = fmax(worst, fabs(before.sum[c] - after.sum[c] - sum[c]) / before.size);
    }
    test_note("kind %u, %uD: difference %.1e of the momentum, %.2f given, %u contacts", kind,
              dimensions, worst, given, contacts);
    CHECK(worst < 3e-6);
    CHECK(given > 10);
    CHECK(contacts > 0);
    CHECK_EQ(tp_world_report(made.world).died, 0);
    test_world_free(&made);
}

static void colliders_get_the_momentum_that_particles_lose(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
            if (test_runs(kind + 4 * dimensions, 3)) check_balance(kind, dimensions);
}

/* The same of angular momentum, of one collider at the origin. */
static void a_turning_fluid_gives_its_angular_momentum_to_the_bowl(void)
{
    const uint32_t size[3] = {12, 12, 1};
    for (uint32_t kind = 0; kind < 5; kind++) {
        tp_world_def def = load_def(kind, 2, 144);
        test_world made = test_world_make(&def);
        tp_collider bowl = load_add(
            made.world, load_box((tp_vector){0, 0, 0}, (tp_vector){0.35f, 0.4f, 1}, true), 0, 0.3f);
        fluid_block(made.world, size, (tp_vector){-0.3f, -0.3f, 0}, 0.05f, 0);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++)
            CHECK(tp_particle_set(made.world, i, (tp_vector){view.x[i], view.y[i], 0},
                                  (tp_vector){-3 * view.y[i], 3 * view.x[i], 0}) == TP_OK);
        double start = momentum_of(made.world).turn, given = 0;
        for (uint32_t frame = 0; frame < 20; frame++) {
            test_world_frames(made.world, 1);
            given += (double)load_of(made.world, bowl).torque.z / 60;
        }
        double lost = start - momentum_of(made.world).turn;
        test_note("kind %u: %.4f of %.4f lost, %.4f given", kind, lost, start, given);
        CHECK(fabs(lost) > 0.05 * start);
        CHECK_NEAR(given, lost, 0.03 * start);
        test_world_free(&made);
    }
}

/* ---- weights ---- */

/* A ball that slides on a plane: m g on it, mu m g along it, counted in every step. */
static void a_sliding_ball_presses_and_rubs(void)
{
    tp_world_def def = load_def(0, 3, 1);
    test_world made = test_world_make(&def);
    tp_collider floor = load_add(made.world, tp_collider_default(TP_COLLIDER_PLANE), 0, 0.25f);
    test_world_gravity(made.world, 10);
    CHECK(tp_particle_add(made.world, (tp_vector){2, 0.0501f, 0}, (tp_vector){3, 0, 0}, 1, NULL) ==
          TP_OK);
    test_world_frames(made.world, 10);
    tp_load load = load_of(made.world, floor);
    CHECK_NEAR(load.pressure.y, -15, 0.01);
    CHECK_NEAR(load.pressure.x, 0, 1e-4);
    CHECK_NEAR(load.friction.x, 3.75, 0.01);
    CHECK_NEAR(load.friction.y, 0, 1e-4);
    CHECK_NEAR(load.impulse.y, -15.0 / 60, 1e-3);
    CHECK_NEAR(load.torque.z, -15 * (double)tp_world_view(made.world).x[0], 1);
    CHECK_EQ(load.contacts, 4);
    test_world_free(&made);
}

/* Sums count in shares of the heaviest species, wherever it is in the list. */
static void a_heavy_ball_among_light_ones_is_counted(void)
{
    for (uint32_t heavy = 0; heavy < 2; heavy++) {
        tp_world_def def = load_def(0, 3, 1);
        def.species[heavy].mass = 1e6f;
        def.species[1 - heavy].mass = 1e-6f;
        test_world made = test_world_make(&def);
        tp_collider floor = load_add(made.world, tp_collider_default(TP_COLLIDER_PLANE), 0, 0);
        CHECK(tp_particle_add(made.world, (tp_vector){0, 0.1f, 0}, (tp_vector){0, -10, 0}, heavy,
                              NULL) == TP_OK);
        test_world_frames(made.world, 1);
        CHECK_NEAR(load_of(made.world, floor).impulse.y / -1e7f, 1, 1e-5);
        test_world_free(&made);
    }
}

/* A wall moves up at 12 m/s; a ball hits it from the side, in the third of four steps: the torque
   is about the place of the wall at the end of that step. */
static void a_torque_is_about_the_place_at_the_end_of_its_step(void)
{
    for (uint32_t turns = 0; turns < 2; turns++) {
        tp_world_def def = load_def(0, 2, 1);
        test_world made = test_world_make(&def);
        tp_collider wall = load_add(
            made.world, load_box((tp_vector){0, 0, 0}, (tp_vector){0.5f, 9, 9}, false), 0, 0);
        float speed = turns ? -12.0f : 12.0f;
        CHECK(tp_collider_move(made.world, wall, tp_pose_make(0, speed / 60, 0)) == TP_OK);
        CHECK(tp_particle_add(made.world, (tp_vector){-0.7f, 1, 0}, (tp_vector){15.6f, 0, 0}, 0,
                              NULL) == TP_OK); /* 0.15 m in 2.3 steps */
        test_world_frames(made.world, 1);
        tp_load load = load_of(made.world, wall);
        CHECK(load.contacts > 0);
        CHECK_NEAR(load.impulse.x, 15.6, 1e-3);
        double arm = 1 - (double)speed / 60 * 0.75;
        CHECK_NEAR((double)load.torque.z / 60, -15.6 * arm, 0.01);
        test_world_free(&made);
    }
}

/* The mean load of a collider over some frames. */
static tp_load load_mean(tp_world *world, tp_collider collider, uint32_t frames)
{
    tp_load sum = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(world, 1);
        tp_load load = load_of(world, collider);
        float share = 1.0f / (float)frames;
        sum.pressure = tpi_add_scaled(sum.pressure, load.pressure, share);
        sum.friction = tpi_add_scaled(sum.friction, load.friction, share);
        sum.torque = tpi_add_scaled(sum.torque, load.torque, share);
    }
    return sum;
}

/* A pool in a box whose shape divides its spacing; the floor carries its weight. */
static void a_floor_carries_the_weight_of_its_pool(void)
{
    for (uint32_t kind = 1; kind < 5; kind++) {
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
            if (!test_runs(kind + dimensions, 2)) continue;
            const uint32_t size[3] = {8, 8, dimensions == 2 ? 1u : 8u};
            uint32_t count = size[0] * size[1] * size[2];
            float half = 4 * FLUID_SPACING;
            tp_world_def def = load_def(kind, dimensions, count);
            def.species_count = 1;
            test_world made = test_world_make(&def);
            tp_collider tank = load_add(made.world,
                                        load_box((tp_vector){half, 1, dimensions == 3 ? half : 0},
                                                 (tp_vector){half, 1, half}, true),
                                        0, 0);
            fluid_block(made.world, size, (tp_vector){0, 0, 0}, 0, 0);
            test_world_gravity(made.world, 10);
            test_world_frames(made.world, 60);
            tp_load load = load_mean(made.world, tank, 30);
            double weight = 10.0 * count;
            test_note("kind %u, %uD: %.4f of the weight down, %.4f across", kind, dimensions,
                      -(double)load.pressure.y / weight, (double)load.pressure.x / weight);
            /* the double density still swings */
            CHECK_NEAR(load.pressure.y, -weight, (kind == 2 ? 0.05 : 0.02) * weight);
            CHECK_NEAR(load.pressure.x, 0, 0.02 * weight);
            test_world_free(&made);
        }
    }
}

/* Archimedes: a block held under water is lifted by the weight of the water that it displaces. Its
   edges cover less than planes would: with planes, one of 6 spacings in 3D was lifted by 1.2. */
static void a_block_under_water_is_lifted_as_archimedes_says(void)
{
    for (uint32_t dimensions = 2; dimensions <= (test_is_long() ? 3u : 2u); dimensions++) {
        const float cell = FLUID_SPACING;
        const uint32_t wide = dimensions == 2 ? 24u : 12u, high = dimensions == 2 ? 24u : 14u,
                       deep = dimensions == 2 ? 1u : 12u;
        const uint32_t low = wide / 2 - 3, from = high / 2 - 4; /* of the block, 6 cells wide */
        tp_world_def def = fluid_def(dimensions, wide * high * deep);
        def.measures_loads = true;
        test_world made = test_world_make(&def);
        float half = 0.5f * (float)wide * cell, z = dimensions == 3 ? half : 0;
        (void)load_add(made.world,
                       load_box((tp_vector){half, 2, z}, (tp_vector){half, 2, half}, true), 0, 0);
        tp_collider block = load_add(made.world,
                                     load_box((tp_vector){half, ((float)from + 3) * cell, z},
                                              (tp_vector){3 * cell, 3 * cell, 3 * cell}, false),
                                     0, 0);
        uint32_t taken = 0;
        for (uint32_t i = 0; i < def.particles_max; i++) {
            uint32_t x = i % wide, y = i / wide % high, w = i / (wide * high);
            bool is_block = x >= low && x < low + 6 && y >= from && y < from + 6 &&
                            (deep == 1 || (w >= low && w < low + 6));
            tp_vector at = {((float)x + 0.5f) * cell, ((float)y + 0.5f) * cell,
                            deep > 1 ? ((float)w + 0.5f) * cell : 0};
            taken += is_block;
            if (!is_block)
                CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
        }
        test_world_gravity(made.world, 10);
        test_world_frames(made.world, 120);
        tp_load load = load_mean(made.world, block, 60);
        test_note("%uD: lifted by %.3f of the displaced weight, %.4f sideways", dimensions,
                  (double)load.pressure.y / (10.0 * taken),
                  (double)load.pressure.x / (10.0 * taken));
        /* in 2D a fluid at rest is a crystal, which carries a part of its weight by shear: twelve
           such pools have lifts of 0.96 to 1.12 */
        double bound = (dimensions == 2 ? 0.12 : 0.05) * 10 * taken;
        CHECK_NEAR(load.pressure.y, 10.0 * taken, bound);
        CHECK_NEAR(load.pressure.x, 0, bound);
        test_world_free(&made);
    }
}

/* ---- slices, widths, threads, snapshots ---- */

static uint64_t loads_hash(const tp_world *world, const tp_collider colliders[ROOM_COLLIDERS])
{
    uint64_t hash = tp_world_hash(world);
    for (uint32_t k = 0; k < ROOM_COLLIDERS; k++) {
        tp_load load = load_of(world, colliders[k]);
        uint32_t words[sizeof load / 4];
        memcpy(words, &load, sizeof load);
        for (uint32_t w = 0; w < sizeof load / 4; w++) hash = tpi_mix(hash ^ words[w]);
    }
    return hash;
}

static uint64_t loads_of_run(uint32_t kind, uint32_t slice_units, const tp_budget *budget)
{
    tp_collider colliders[ROOM_COLLIDERS];
    test_world made = load_world(kind, 2 + kind % 2, slice_units, colliders);
    for (uint32_t frame = 0; frame < 12; frame++) {
        load_stir(made.world, colliders[1], frame);
        CHECK(tp_frame(made.world, budget, NULL) == TP_OK);
    }
    uint64_t hash = loads_hash(made.world, colliders);
    test_world_free(&made);
    return hash;
}

static void slices_widths_and_threads_change_no_load(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 2))) return;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        if (!test_runs(kind, 2)) continue;
        tp_budget whole = {0}, narrow = {.lanes_max = 4}, shared = {.jobs = &pool.jobs};
        uint64_t hash = loads_of_run(kind, 65536, &whole);
        CHECK_EQ(loads_of_run(kind, 64, &whole), hash);
        CHECK_EQ(loads_of_run(kind, 65536, &narrow), hash);
        CHECK_EQ(loads_of_run(kind, 65536, &shared), hash);
    }
    platform_jobs_stop(&pool);
}

/* ---- off, and wrong ---- */

/* Measuring changes no bit of the state, and costs its bytes only where it is on. */
static void loads_change_no_state_and_cost_nothing_when_off(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        tp_collider colliders[ROOM_COLLIDERS];
        uint64_t hashes[2];
        size_t bytes[2];
        for (uint32_t on = 0; on < 2; on++) {
            test_world made = load_world(kind, 2, 2048, colliders);
            tp_world_def def = *tp_world_definition(made.world);
            test_world_free(&made);
            def.measures_loads = on;
            made = test_world_make(&def);
            load_room(made.world, colliders);
            const uint32_t size[3] = {8, 16, 1};
            fluid_block(made.world, size, (tp_vector){0.02f, 0.02f, 0.0f}, 0.1f, 1.0f);
            test_world_frames(made.world, 20);
            hashes[on] = tp_world_hash(made.world);
            bytes[on] = made.bytes;
            test_world_free(&made);
        }
        CHECK_EQ(hashes[1], hashes[0]);
        CHECK(bytes[1] > bytes[0]);
        CHECK(bytes[1] - bytes[0] <= TP_LOAD_BYTES(2, 128, 8) + (kind >= 6 ? 24u * 160u : 0u));
    }
}

static void loads_that_are_not_measured_are_errors(void)
{
    tp_world_def def = load_def(0, 2, 4);
    tp_load load;
    memset(&load, 1, sizeof load);
    def.measures_loads = false;
    test_world made = test_world_make(&def);
    tp_collider plane = load_add(made.world, tp_collider_default(TP_COLLIDER_PLANE), 0, 0);
    CHECK(tp_collider_load(made.world, plane, &load) == TP_ERROR_DEFINITION);
    CHECK(load.impulse.x == 0.0f && load.contacts == 0);
    CHECK(tp_collider_load(made.world, plane, NULL) == TP_ERROR_NULL);
    CHECK(tp_collider_load(NULL, plane, &load) == TP_ERROR_NULL);
    CHECK(tp_collider_load(made.world, (tp_collider){0}, &load) == TP_ERROR_HANDLE);
    test_world_free(&made);
    def = load_def(2, 2, 4);
    def.sph.compat = true;
    CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "measures_loads"));
    def.measures_loads = false;
    CHECK(!tp_world_check(&def) || !strstr(tp_world_check(&def), "measures_loads"));
}

/* The slot of a removed collider has no old load; a snapshot keeps loads. */
static void a_new_collider_has_no_load_and_a_snapshot_has_all(void)
{
    tp_collider colliders[ROOM_COLLIDERS];
    test_world made = load_world(1, 2, 2048, colliders);
    test_world_frames(made.world, 10);
    tp_load load = load_of(made.world, colliders[0]), kept;
    CHECK(load.contacts > 0 || load.impulse.y != 0.0f);
    void *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
    memcpy(copy, made.world, made.bytes);
    tp_world *restored = NULL;
    CHECK(tp_world_verify(copy, made.bytes, NULL, &restored) == TP_OK);
    kept = load_of(restored, colliders[0]);
    CHECK(!memcmp(&kept, &load, sizeof load));
    free(copy);
    CHECK(tp_collider_remove(made.world, colliders[0]) == TP_OK);
    CHECK(tp_collider_load(made.world, colliders[0], &load) == TP_ERROR_HANDLE);
    colliders[0] = load_add(made.world, tp_collider_default(TP_COLLIDER_PLANE), 0, 0);
    load = load_of(made.world, colliders[0]);
    CHECK(load.impulse.x == 0.0f && load.impulse.y == 0.0f && load.contacts == 0);
    test_world_free(&made);
}

/* A box that is tilted by 1.5 degrees comes down on a particle on the floor, and squeezes it out
   sideways. What each gets is no more than a few times what the particle gained. */
static void a_pinched_particle_gives_no_huge_opposite_loads(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = 1;
    def.measures_loads = true;
    test_world made = test_world_make(&def);
    tp_collider_def shape = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider colliders[2];
    CHECK_EQ(tp_collider_add(made.world, &shape, &colliders[0]), TP_OK);
    shape = tp_collider_default(TP_COLLIDER_BOX);
    shape.half = (tp_vector){1, 0.2f, 0};
    shape.pose = tp_pose_make(0, 0.35f, 0.027f);
    CHECK_EQ(tp_collider_add(made.world, &shape, &colliders[1]), TP_OK);
    tp_vector at = {0, 0.06f, 0}, rest = {0, 0, 0};
    CHECK_EQ(tp_particle_add(made.world, at, rest, 0, NULL), TP_OK);
    float mass = tp_world_definition(made.world)->species[0].mass;
    double most = 0, off = 0, fastest = 0, u = 0, v = 0;
    for (int frame = 1; frame <= 20; frame++) {
        tp_pose pose = tp_pose_make(0, 0.35f - 0.01f * (float)frame, 0.027f);
        CHECK_EQ(tp_collider_move(made.world, colliders[1], pose), TP_OK);
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        tp_load floor = load_of(made.world, colliders[0]), box = load_of(made.world, colliders[1]);
        double change_u = (double)view.vx[0] - u, change_v = (double)view.vy[0] - v;
        u = (double)view.vx[0], v = (double)view.vy[0];
        fastest = fmax(fastest, hypot(u, v));
        most = fmax(most, hypot((double)box.impulse.x, (double)box.impulse.y));
        most = fmax(most, hypot((double)floor.impulse.x, (double)floor.impulse.y));
        off = fmax(off, fabs((double)(floor.impulse.x + box.impulse.x) + (double)mass * change_u));
        off = fmax(off, fabs((double)(floor.impulse.y + box.impulse.y) + (double)mass * change_v));
    }
    test_note("largest impulse %g, fastest %g, balance off by %g", most, fastest, off);
    CHECK(fastest > 5 && most < 4 * (double)mass * fastest && off < 1e-3 * (double)mass * fastest);
    test_world_free(&made);
}

static const test_case cases[] = {TEST_CASE(a_pinched_particle_gives_no_huge_opposite_loads),
                                  TEST_CASE(colliders_get_the_momentum_that_particles_lose),
                                  TEST_CASE(a_turning_fluid_gives_its_angular_momentum_to_the_bowl),
                                  TEST_CASE(a_sliding_ball_presses_and_rubs),
                                  TEST_CASE(a_heavy_ball_among_light_ones_is_counted),
                                  TEST_CASE(a_torque_is_about_the_place_at_the_end_of_its_step),
                                  TEST_CASE(a_floor_carries_the_weight_of_its_pool),
                                  TEST_CASE(a_block_under_water_is_lifted_as_archimedes_says),
                                  TEST_CASE(slices_widths_and_threads_change_no_load),
                                  TEST_CASE(loads_change_no_state_and_cost_nothing_when_off),
                                  TEST_CASE(loads_that_are_not_measured_are_errors),
                                  TEST_CASE(a_new_collider_has_no_load_and_a_snapshot_has_all)};
TEST_SUITE(loads, cases);
