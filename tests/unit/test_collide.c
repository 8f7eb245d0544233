/* SPDX-License-Identifier: MIT
   tests/unit/test_collide.c - colliders: definitions, pools, tree walks, slices, snapshots, 2D.
   reads   runtime/move      writes  nothing
   memory  small worlds      cost    about a second
   after   the contract in runtime/move/collide.h, one case per statement */
#include "test.h"
#include "collide_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_ZOO 0x2d634245c314ce56u /* hash of the 3000 paths of zoo_hash */

static const tp_quaternion upright = {1.0f, 0.0f, 0.0f, 0.0f};
static uint32_t noise = 7;

/* ---- geometry for all cases ---- */

enum { SOUP = 300, SIDE = 20 };
static tp_vector soup_vertices[SOUP * 3];
static uint32_t soup_indices[SOUP * 3];
static float hills[SIDE * SIDE], ball[12 * 12 * 12], disc[12 * 12];
static tp_vector floor_vertices[SIDE * SIDE];
static uint32_t floor_indices[(SIDE - 1) * (SIDE - 1) * 6];

static void make_geometry(void)
{
    noise = 7;
    for (uint32_t t = 0; t < SOUP; t++) {
        tp_vector middle = test_random_position(&noise, 1.0f);
        for (uint32_t c = 0; c < 3; c++) {
            soup_vertices[t * 3 + c] = tpi_add(middle, test_random_position(&noise, 0.2f));
            soup_indices[t * 3 + c] = t * 3 + c;
        }
    }
    for (uint32_t s = 0; s < SIDE * SIDE; s++) {
        hills[s] = test_uniform(&noise, -0.1f, 0.1f);
        floor_vertices[s] = tpi_vector((float)(s % SIDE) * 0.2f, 0.0f, (float)(s / SIDE) * 0.2f);
    }
    for (uint32_t s = 0; s < 12 * 12 * 12; s++) {
        tp_vector p = {(float)(s % 12u) * 0.1f - 0.55f, (float)(s / 12u % 12u) * 0.1f - 0.55f,
                       (float)(s / 144u) * 0.1f - 0.55f};
        ball[s] = tpi_length(p) - 0.35f;
        if (s < 144) disc[s] = tpi_length(tpi_vector(p.x, p.y, 0.0f)) - 0.35f;
    }
    uint32_t *corner = floor_indices;
    for (uint32_t j = 0; j + 1 < SIDE; j++) {
        for (uint32_t i = 0; i + 1 < SIDE; i++) {
            uint32_t a = i + SIDE * j,
                     cell[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
            memcpy(corner, cell, sizeof cell);
            corner += 6;
        }
    }
}

static tp_collider_def soup(void)
{
    tp_collider_def def = collide_mesh(soup_vertices, SOUP * 3, soup_indices, SOUP);
    def.is_two_sided = true;
    return def;
}

static tp_collider_def flat_floor(void)
{
    return collide_mesh(floor_vertices, SIDE * SIDE, floor_indices, (SIDE - 1) * (SIDE - 1) * 2);
}

static tp_collider_def ground(uint32_t rows) { return collide_ground(hills, SIDE, rows, 0.1f); }

static tp_collider_def distances(uint32_t layers)
{
    return collide_grid(layers == 1 ? disc : ball, 12, layers, 0.1f);
}

/* Adds one collider of every shape around the origin. */
static void add_zoo(tp_world *world, tp_collider handles[7])
{
    make_geometry();
    tp_collider_def defs[7];
    for (uint32_t s = 0; s < 7; s++) defs[s] = tp_collider_default((tp_collider_shape)s);
    defs[4] = soup();
    defs[5] = ground(SIDE);
    defs[6] = distances(12);
    const tp_vector places[7] = {{0, -2, 0}, {2, 0, 0},       {-2, 0, 0}, {0, 2, 0},
                                 {0, 0, 0},  {-1, -1.5f, -1}, {0, 0, 2}};
    for (uint32_t s = 0; s < 7; s++) {
        defs[s].pose.position = places[s];
        if (s > 0 && s != 5) defs[s].pose.rotation = (tp_quaternion){0.8f, 0.36f, -0.48f, 0.0f};
        defs[s].restitution = 0.1f * (float)s;
        defs[s].friction = 0.2f;
        handles[s] = collide_add(world, &defs[s]);
    }
}

/* Moves all seven, and rotates half of them. */
static void move_zoo(tp_world *world, const tp_collider handles[7])
{
    for (uint32_t s = 0; s < 7; s++) {
        tp_pose pose = tpi_collider_at(world, s)->pose_to;
        pose.position = tpi_add(pose.position, test_random_position(&noise, 0.3f));
        if (s & 1u) pose.rotation = (tp_quaternion){0.6f, 0.0f, 0.48f, 0.64f};
        CHECK(tp_collider_move(world, handles[s], pose) == TP_OK);
    }
    tpi_colliders_begin_frame(world);
}

/* ---- geometry that moves in its pool ---- */

static tpi_path random_sweep(tp_world *world)
{
    tp_vector from = tpi_add(test_random_position(&noise, 0.8f), tpi_vector(0.0f, 0.5f, 2.0f)),
              velocity = test_random_position(&noise, 40.0f);
    return collide_sweep(world, from, velocity, 0.02f);
}

static void removed_geometry_leaves_the_rest_in_place(void)
{
    test_world made = collide_world(3, 0.02f);
    tp_collider handles[7];
    add_zoo(made.world, handles);
    tpi_path before[512], after;
    uint32_t seed = noise;
    for (int k = 0; k < 512; k++) before[k] = random_sweep(made.world);
    /* the mesh: its geometry comes first in the pool */
    CHECK(tp_collider_remove(made.world, handles[4]) == TP_OK);
    CHECK(tp_collider_remove(made.world, handles[3]) == TP_OK);
    noise = seed;
    uint32_t same = 0, hits = 0;
    for (int k = 0; k < 512; k++) {
        bool met_removed =
            before[k].touched &&
            (before[k].last_collider == 3 || before[k].last_collider == 4 || before[k].hits > 1);
        after = random_sweep(made.world);
        same += met_removed || memcmp(&after.to, &before[k].to, sizeof after.to) == 0;
        hits += !met_removed && after.touched;
    }
    CHECK_EQ(same, 512);
    test_note("%u hits", hits);
    CHECK(hits > 5);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].used, sizeof hills + sizeof ball);
    CHECK(tp_collider_remove(made.world, handles[5]) == TP_OK);
    CHECK(tp_collider_remove(made.world, handles[6]) == TP_OK);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].used, 0);
    test_world_free(&made);
}

/* ---- tree walks against brute force ---- */

static tpi_cast random_cast(float size, float length, float radius)
{
    tpi_cast cast;
    memset(&cast, 0, sizeof cast);
    cast.from = test_random_position(&noise, size);
    cast.move = tpi_scale(test_random_position(&noise, 1.0f), length);
    cast.clearance = radius + 1e-4f;
    cast.contact = radius + 5e-5f;
    cast.inside = radius - 2.5e-5f;
    cast.time = 2.0f;
    return cast;
}

static void mesh_tree_finds_what_brute_force_finds(void)
{
    test_world made = collide_world(3, 0.05f);
    make_geometry();
    tp_collider_def mesh = soup();
    (void)collide_add(made.world, &mesh);
    const tpi_collider_item *item = tpi_collider_at(made.world, 0);
    uint32_t hits = 0, units = 0;
    for (int k = 0; k < 20000; k++) {
        float length = test_uniform(&noise, 0.0f, 4.0f),
              radius = k & 1 ? 0.0f : test_uniform(&noise, 0.0f, 0.1f);
        tpi_cast tree = random_cast(1.5f, length, radius), brute = tree;
        bool done = false;
        while (!done) units += tpi_cast_mesh(made.world, item, &tree, 1u << 20, &done);
        for (uint32_t t = 0; t < SOUP; t++) {
            tpi_triangle triangle = {soup_vertices[t * 3], soup_vertices[t * 3 + 1],
                                     soup_vertices[t * 3 + 2], false, false};
            tpi_cast_triangle(&brute, &triangle);
        }
        test_note("cast %d", k);
        CHECK(tree.time == brute.time);
        hits += tree.time <= 1.0f;
    }
    CHECK(hits > 4000);
    CHECK(units / 20000u < SOUP / 4u);
    test_world_free(&made);
}

/* Every triangle count around the sizes of leaves and halves: each triangle is found, and the tree
   has the stated size. */
static void mesh_trees_of_every_small_size_hold_all_triangles(void)
{
    make_geometry();
    for (uint32_t count = 1; count <= 70; count++) {
        tp_world_def def = collide_scene(3, 0.05f);
        tp_collider_def mesh = soup();
        mesh.triangle_count = count;
        def.geometry_bytes_max = (uint32_t)tpi_mesh_bytes(3, mesh.vertex_count, count);
        test_world made = test_world_make(&def);
        (void)collide_add(made.world, &mesh);
        const tpi_collider_item *item = tpi_collider_at(made.world, 0);
        for (uint32_t t = 0; t < count; t++) {
            const tp_vector *corner = &soup_vertices[t * 3];
            tp_vector middle =
                tpi_scale(tpi_add(tpi_add(corner[0], corner[1]), corner[2]), 1.0f / 3.0f);
            tpi_cast cast = random_cast(0.0f, 0.0f, 0.001f);
            bool done = false;
            cast.from = middle;
            while (!done) (void)tpi_cast_mesh(made.world, item, &cast, 1u << 20, &done);
            test_note("triangle %u of %u", t, count);
            CHECK(cast.time == 0.0f && cast.began_inside);
        }
        test_world_free(&made);
    }
}

static void heightfield_walk_finds_what_brute_force_finds(void)
{
    test_world made = collide_world(3, 0.05f);
    make_geometry();
    tp_collider_def field = ground(SIDE);
    (void)collide_add(made.world, &field);
    const tpi_collider_item *item = tpi_collider_at(made.world, 0);
    uint32_t hits = 0, units = 0, casts = 0;
    const int most = test_is_long() ? 20000 : 5000;
    for (int k = 0; k < most; k++) {
        float length = test_uniform(&noise, 0.0f, 2.0f),
              radius = k & 1 ? 0.0f : test_uniform(&noise, 0.0f, 0.25f);
        tpi_cast walk = random_cast(0.9f, length, radius), brute;
        walk.from = tpi_vector(walk.from.x + 0.95f, 0.11f + 0.5f * tpi_abs(walk.from.y),
                               walk.from.z + 0.95f);
        walk.move.y = -tpi_abs(walk.move.y);
        brute = walk;
        bool done = false;
        while (!done) units += tpi_cast_heightfield(made.world, item, &walk, 1u << 20, &done);
        for (uint32_t cell = 0; cell < (SIDE - 1) * (SIDE - 1); cell++) {
            uint32_t i = cell % (SIDE - 1), j = cell / (SIDE - 1);
            const float *y = hills + i + SIDE * j;
            float x0 = (float)i * 0.1f, x1 = (float)(i + 1) * 0.1f, z0 = (float)j * 0.1f,
                  z1 = (float)(j + 1) * 0.1f;
            tp_vector a = {x0, y[0], z0}, b = {x1, y[1], z0}, c = {x1, y[SIDE + 1], z1},
                      d = {x0, y[SIDE], z1};
            tpi_triangle lower = {a, c, b, true, true}, upper = {a, d, c, true, true};
            tpi_cast_triangle(&brute, &lower);
            tpi_cast_triangle(&brute, &upper);
        }
        test_note("cast %d", k);
        CHECK(walk.time == brute.time);
        hits += walk.time <= 1.0f;
        casts++;
    }
    CHECK(hits > casts / 5);
    CHECK(units / casts < 100);
    test_world_free(&made);
}

/* Trilinear samples of random heights are curved along a segment: convex parts, too. */
static void a_trace_stops_at_the_level_of_a_distance_grid(void)
{
    enum { EDGE = 8 };
    static float samples[EDGE * EDGE * EDGE];
    test_world made = collide_world(3, 0.02f);
    uint32_t stops = 0;
    noise = 9;
    for (uint32_t s = 0; s < EDGE * EDGE * EDGE; s++)
        samples[s] = test_uniform(&noise, -0.2f, 0.3f);
    tp_collider_def def = collide_grid(samples, EDGE, EDGE, 0.2f);
    collide_add(made.world, &def);
    const tpi_collider_item *item = tpi_collider_at(made.world, 0);
    for (uint32_t k = 0; k < 2000; k++) {
        tpi_cast cast = {.clearance = 2e-5f, .contact = 1e-5f, .inside = -5e-6f, .time = 2.0f};
        tpi_wall start, stop;
        bool done;
        cast.from = tpi_add(test_random_position(&noise, 0.6f), (tp_vector){0.7f, 0.7f, 0.7f});
        cast.move = test_random_position(&noise, 0.5f);
        tpi_grid_distance(made.world, item, cast.from, &start);
        (void)tpi_cast_grid(made.world, item, &cast, 1u << 20, &done);
        if (!(start.distance > 1e-3f) || cast.time > 1.0f || cast.is_pause) continue;
        tpi_grid_distance(made.world, item, tpi_add_scaled(cast.from, cast.move, cast.time), &stop);
        CHECK_NEAR(stop.distance, cast.contact, 5e-6);
        stops++;
    }
    CHECK(stops > 300);
    test_world_free(&made);
}

/* ---- slices, snapshots, bits ---- */

static uint64_t path_hash(const tpi_path *path, uint64_t hash)
{
    const float values[6] = {path->to.x,       path->to.y,       path->to.z,
                             path->velocity.x, path->velocity.y, path->velocity.z};
    for (int k = 0; k < 6; k++) hash = tpi_mix(hash ^ tpi_bits(values[k]));
    return tpi_mix(hash ^ (path->hits | (uint32_t)path->touched << 8));
}

/* 3000 paths through all shapes, at rest and moving, in slices of `units`; sums the units used. */
static uint64_t zoo_hash(uint32_t units, uint64_t *used_in_all)
{
    test_world made = collide_world(3, 0.02f);
    tp_collider handles[7];
    uint64_t hash = 0;
    add_zoo(made.world, handles);
    test_world_gravity(made.world, 9.81f);
    *used_in_all = 0;
    noise = 3;
    for (int k = 0; k < 3000; k++) {
        tpi_path path;
        bool done = false;
        if (k % 100 == 50) move_zoo(made.world, handles);
        tp_vector from = test_random_position(&noise, 2.5f),
                  way = test_random_position(&noise, 1.0f);
        float speed = test_uniform(&noise, 0.0f, 300.0f),
              radius = k % 3 ? test_uniform(&noise, 0.0f, 0.1f) : 0.0f;
        collide_path_begin(made.world, &path, from, tpi_scale(way, speed), radius);
        while (!done) {
            uint32_t used = tpi_path_advance(made.world, &path, units, &done);
            CHECK(used <= (uint64_t)units + 4u);
            CHECK(used > 0 || done);
            *used_in_all += used;
        }
        CHECK(tpi_is_finite_vector(path.to) && tpi_is_finite_vector(path.velocity));
        hash = path_hash(&path, hash);
    }
    test_world_free(&made);
    return hash;
}

static void any_slicing_gives_the_same_bits_and_units(void)
{
    const uint32_t slices[6] = {1, 2, 3, 7, 64, 1u << 20};
    uint64_t hash[6], units[6];
    for (int s = 0; s < 6; s++) {
        hash[s] = zoo_hash(slices[s], &units[s]);
        test_note("slices of %u units", slices[s]);
        CHECK_EQ(hash[s], hash[0]);
        CHECK_EQ(units[s], units[0]);
    }
}

/* Other compilers, options and machines must compute the same hash. */
static void contacts_have_the_same_bits_everywhere(void)
{
    uint64_t units;
    CHECK_EQ(zoo_hash(64, &units), GOLDEN_ZOO);
}

static void copied_block_goes_on_from_the_middle_of_a_path(void)
{
    tp_world_def def = collide_scene(3, 0.02f);
    test_world made = test_world_make(&def), other = test_world_make(&def);
    tp_collider handles[7];
    add_zoo(made.world, handles);
    move_zoo(made.world, handles);
    for (int k = 0; k < 300; k++) {
        tpi_path *path = &made.world->step.path;
        bool done = false;
        tp_vector from = test_random_position(&noise, 2.0f),
                  velocity = test_random_position(&noise, 200.0f);
        collide_path_begin(made.world, path, from, velocity, 0.02f);
        uint32_t slices = (uint32_t)test_uniform(&noise, 0.0f, 20.0f);
        for (uint32_t slice = 0; slice < slices && !done; slice++)
            (void)tpi_path_advance(made.world, path, 1, &done);
        memcpy(other.world, made.world, made.bytes);
        bool other_done = done;
        while (!done) (void)tpi_path_advance(made.world, path, 5, &done);
        while (!other_done)
            (void)tpi_path_advance(other.world, &other.world->step.path, 3, &other_done);
        CHECK(path_hash(path, 0) == path_hash(&other.world->step.path, 0));
    }
    test_world_free(&made);
    test_world_free(&other);
}

/* ---- single contacts ---- */

static void species_mask_lets_others_through(void)
{
    tp_world_def def = collide_scene(3, 0.05f);
    def.species_count = 2;
    test_world made = test_world_make(&def);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.species_mask = 2;
    (void)collide_add(made.world, &box);
    for (uint32_t species = 0; species < 2; species++) {
        tpi_path path = {.step_end = 1.0f, .timestep = 0.1f, .whole_timestep = 0.1f};
        bool done = false;
        tpi_path_begin(made.world, &path, tpi_vector(0, 2, 0), tpi_vector(0, -2, 0),
                       tpi_vector(0, -40, 0), 0.05f, species);
        while (!done) (void)tpi_path_advance(made.world, &path, 100, &done);
        CHECK(path.touched == (species == 1));
        CHECK((path.to.y > 0.55f) == (species == 1));
    }
    test_world_free(&made);
}

static void killing_collider_marks_the_path(void)
{
    test_world made = collide_world(3, 0.05f);
    tp_collider_def ball_def = tp_collider_default(TP_COLLIDER_SPHERE);
    ball_def.kills = true;
    (void)collide_add(made.world, &ball_def);
    tpi_path hit = collide_sweep(made.world, tpi_vector(0, 2, 0), tpi_vector(0, -200, 0), 0.05f);
    tpi_path miss = collide_sweep(made.world, tpi_vector(0, 2, 0), tpi_vector(0, -60, 0), 0.05f);
    CHECK(hit.killed && hit.touched);
    CHECK(!miss.killed && !miss.touched);
    test_world_free(&made);
}

static void one_sided_mesh_stops_only_its_front(void)
{
    test_world made = collide_world(3, 0.05f);
    make_geometry();
    tp_collider_def mesh = flat_floor();
    (void)collide_add(made.world, &mesh);
    tpi_path down = collide_sweep(made.world, tpi_vector(1, 1, 1), tpi_vector(0, -120, 0), 0.05f);
    tpi_path up = collide_sweep(made.world, tpi_vector(1, -1, 1), tpi_vector(0, 120, 0), 0.05f);
    CHECK(down.touched && down.to.y > 0.05f);
    CHECK(!up.touched && up.to.y == 1.0f);
    test_world_free(&made);
}

static void two_sided_mesh_keeps_its_thickness(void)
{
    test_world made = collide_world(3, 0.05f);
    make_geometry();
    tp_collider_def mesh = flat_floor();
    mesh.is_two_sided = true;
    mesh.thickness = 0.1f;
    (void)collide_add(made.world, &mesh);
    for (float side = -1.0f; side <= 1.0f; side += 2.0f) {
        tpi_path path = collide_sweep(made.world, tpi_vector(1, side, 1),
                                      tpi_vector(0, -120.0f * side, 0), 0.05f);
        CHECK_NEAR(path.to.y, side * 0.15, 2e-4);
        CHECK(path.touched && path.velocity.y == 0.0f);
    }
    test_world_free(&made);
}

/* A wall that moves with velocity V reflects a velocity of -v + (1 + e) V. */
static void surface_velocity_enters_the_bounce(void)
{
    test_world made = collide_world(3, 0.05f);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    plane.restitution = 0.5f;
    tp_collider collider = collide_add(made.world, &plane);
    CHECK(tp_collider_move(made.world, collider, (tp_pose){tpi_vector(0, 0.1f, 0), upright}) ==
          TP_OK);
    tpi_colliders_begin_frame(made.world);
    tpi_path path = collide_sweep(made.world, tpi_vector(0, 0.15f, 0), tpi_vector(1, -2, 0), 0.05f);
    CHECK_NEAR(path.velocity.y, 6.0 + 0.5 * 8.0, 1e-4);
    CHECK(path.velocity.x == 1.0f);
    CHECK(path.to.y >= 0.15f);
    test_world_free(&made);
}

/* The rim of a rotating paddle: the surface velocity is that of the touched point, omega times its
   distance. */
static void turning_surface_gives_the_velocity_of_the_place_touched(void)
{
    test_world made = collide_world(3, 0.05f);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.half = tpi_vector(2.0f, 0.01f, 2.0f);
    tp_collider collider = collide_add(made.world, &box);
    float half_angle = 0.005f;
    tp_quaternion turn = {cosf(half_angle), 0.0f, 0.0f, sinf(half_angle)};
    CHECK(tp_collider_move(made.world, collider, (tp_pose){tpi_vector(0, 0, 0), turn}) == TP_OK);
    tpi_colliders_begin_frame(made.world);
    tpi_path path =
        collide_sweep(made.world, tpi_vector(1.5f, 0.0602f, 0), tpi_vector(0, 0, 0), 0.05f);
    CHECK_NEAR(path.velocity.y, 1.5 * 0.01 * 60.0, 0.01);
    test_world_free(&made);
}

/* ---- resting and sliding ---- */

/* Slides over a flat floor made of many pieces under gravity: inner edges have no effect. */
static void slide_over(const tp_collider_def *floor, float height, float radius)
{
    test_world made = collide_world(3, radius);
    test_world_gravity(made.world, 9.81f);
    (void)collide_add(made.world, floor);
    collide_particle(made.world, tpi_vector(0.3f, height + radius + 2e-4f, 0.9f),
                     tpi_vector(3.0f, 0.0f, 0.7f));
    for (int f = 0; f < 30; f++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        test_note("shape %d, frame %d, radius %g", (int)floor->shape, f, (double)radius);
        CHECK_NEAR(view.x[0], 0.3 + 3.0 * (f + 1) / 60.0, 1e-3);
        CHECK_NEAR(view.z[0], 0.9 + 0.7 * (f + 1) / 60.0, 1e-3);
        CHECK(view.y[0] >= height + radius && view.y[0] < height + radius + 3e-4f);
        CHECK_NEAR(view.vx[0], 3.0, 1e-3);
    }
    CHECK_EQ(tp_world_report(made.world).contacts_limited, 0);
    CHECK_EQ(tp_world_report(made.world).pushed_out, 0);
    test_world_free(&made);
}

static void sliding_feels_no_inner_edges(void)
{
    static float flat[SIDE * SIDE], slab[SIDE * 4 * SIDE];
    make_geometry();
    tp_collider_def mesh = flat_floor(), field = collide_ground(flat, SIDE, SIDE, 0.2f);
    tp_collider_def grid = collide_grid(slab, SIDE, SIDE, 0.2f);
    grid.rows = 4;
    for (uint32_t s = 0; s < SIDE * 4 * SIDE; s++) slab[s] = (float)(s / SIDE % 4) * 0.2f - 0.3f;
    for (int k = 0; k < 2; k++) {
        slide_over(&mesh, 0.0f, k ? 0.05f : 0.0f);
        slide_over(&field, 0.0f, k ? 0.05f : 0.0f);
        slide_over(&grid, 0.3f, k ? 0.05f : 0.0f);
    }
}

/* In a groove of two planes, and in a corner of three, a particle comes to rest without reaching
   the contact limit. */
static void particle_rests_in_a_groove_without_the_cap(void)
{
    for (int corner = 0; corner < 2; corner++) {
        test_world made = collide_world(3, 0.05f);
        test_world_gravity(made.world, 9.81f);
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        plane.friction = 0.5f;
        plane.pose.rotation = (tp_quaternion){0.9659258f, 0.0f, 0.0f, 0.2588190f};
        (void)collide_add(made.world, &plane);
        plane.pose.rotation.z = -0.2588190f;
        (void)collide_add(made.world, &plane);
        if (corner) {
            plane.pose.rotation = (tp_quaternion){0.9659258f, 0.2588190f, 0.0f, 0.0f};
            (void)collide_add(made.world, &plane);
        }
        collide_particle(made.world, tpi_vector(0.1f, 0.5f, 0.3f), tpi_vector(0.2f, 0, 0));
        test_world_frames(made.world, 240);
        uint64_t capped = tp_world_report(made.world).contacts_limited;
        tp_vector before = {tp_world_view(made.world).x[0], tp_world_view(made.world).y[0],
                            tp_world_view(made.world).z[0]};
        test_world_frames(made.world, 60);
        tp_view view = tp_world_view(made.world);
        test_note("corner %d", corner);
        if (!corner) CHECK_EQ(tp_world_report(made.world).contacts_limited, capped);
        CHECK(tpi_length(tpi_sub(tpi_vector(view.x[0], view.y[0], view.z[0]), before)) < 1e-3f);
        CHECK(tpi_length(tpi_vector(view.vx[0], view.vy[0], view.vz[0])) < 0.2f);
        test_world_free(&made);
    }
}

/* ---- two dimensions ---- */

static void flat_worlds_stay_exactly_flat(void)
{
    test_world made = collide_world(2, 0.03f);
    make_geometry();
    tp_collider_def defs[6] = {tp_collider_default(TP_COLLIDER_PLANE),
                               tp_collider_default(TP_COLLIDER_SPHERE),
                               tp_collider_default(TP_COLLIDER_CAPSULE),
                               tp_collider_default(TP_COLLIDER_BOX),
                               ground(1),
                               distances(1)};
    const tp_vector places[6] = {{0, -1, 5}, {1, 0, -7},     {-1, 0, 1},
                                 {0, 1, 3},  {-1, -0.7f, 2}, {-0.5f, -0.5f, 0}};
    tp_collider handles[6];
    uint32_t touched[6] = {0};
    for (uint32_t s = 0; s < 6; s++) {
        defs[s].pose.position = places[s];
        if (s && s != 4) defs[s].pose.rotation = (tp_quaternion){0.8f, 0.0f, 0.0f, 0.6f};
        defs[s].half = tpi_vector(0.3f, 0.2f, 0.0f);
        defs[s].radius = 0.2f;
        defs[s].restitution = 0.4f;
        defs[s].friction = 0.3f;
        handles[s] = collide_add(made.world, &defs[s]);
    }
    for (int k = 0; k < 20000; k++) {
        if (k % 50 == 0) {
            uint32_t s = (uint32_t)(k / 50) % 6u;
            tp_pose pose = {tpi_add(places[s], test_random_position(&noise, 0.2f)),
                            {0.8f, 0.0f, 0.0f, 0.6f}};
            if (s == 0 || s == 4) pose.rotation = upright;
            if (s == 3) pose.rotation = (tp_quaternion){0.6f, 0.0f, 0.0f, 0.8f};
            CHECK(tp_collider_move(made.world, handles[s], pose) == TP_OK);
            tpi_colliders_begin_frame(made.world);
        }
        tp_vector from = test_random_position(&noise, 1.5f),
                  velocity = test_random_position(&noise, 200.0f);
        from.z = velocity.z = 0.0f;
        tpi_path path = collide_sweep(made.world, from, velocity, k & 1 ? 0.0f : 0.03f);
        CHECK(path.to.z == 0.0f && path.velocity.z == 0.0f);
        CHECK(tpi_is_finite_vector(path.to));
        if (path.touched) touched[path.last_collider]++;
    }
    for (uint32_t s = 0; s < 6; s++) {
        test_note("shape %u", s);
        CHECK(touched[s] > 20);
    }
    test_world_free(&made);
}

static void flat_ground_and_flat_grid_stop_particles(void)
{
    tp_world_def def = collide_scene(2, 0.03f);
    make_geometry();
    for (int kind = 0; kind < 2; kind++) {
        test_world made = test_world_make(&def);
        tp_collider_def shape = kind ? distances(1) : ground(1);
        (void)collide_add(made.world, &shape);
        uint32_t through = 0;
        for (int k = 0; k < 5000; k++) {
            float x = test_uniform(&noise, 0.05f, kind ? 1.05f : 1.85f);
            tpi_path path = collide_sweep(made.world, tpi_vector(x, 2.0f, 0),
                                          tpi_vector(test_uniform(&noise, -3, 3), -600, 0),
                                          k & 1 ? 0.0f : 0.03f);
            if (!kind) {
                float place = tpi_clamp(path.to.x / 0.1f, 0.0f, (float)(SIDE - 2));
                uint32_t i = (uint32_t)place;
                float height = hills[i] + (hills[i + 1] - hills[i]) * (path.to.x / 0.1f - (float)i);
                bool is_beside = path.to.x < 0.0f || path.to.x > 1.9f;
                through += !is_beside && path.to.y < height;
            } else {
                float before = hypotf(x - 0.55f, 0.0f);
                through += before < 0.3f && path.to.y < 0.55f &&
                           hypotf(path.to.x - 0.55f, path.to.y - 0.55f) < 0.34f;
                through += before < 0.3f && path.to.y < -1.0f && fabsf(path.to.x - 0.55f) < 0.1f;
            }
        }
        test_note("kind %d", kind);
        CHECK_EQ(through, 0);
        test_world_free(&made);
    }
}

/* ---- hostile numbers ---- */

static void hostile_paths_end(void)
{
    const float odd[8] = {0.0f, 1e-38f, 1e-20f, 1e9f, 1e30f, INFINITY, -INFINITY, NAN};
    test_world made = collide_world(3, 0.02f);
    tp_collider handles[7];
    add_zoo(made.world, handles);
    move_zoo(made.world, handles);
    for (uint32_t k = 0; k < 8 * 8 * 8 * 4; k++) {
        tp_vector from = test_random_position(&noise, 1.0f),
                  velocity = tpi_vector(odd[k % 8], odd[k / 8 % 8], odd[k / 64 % 8]);
        float radius = k / 512 == 3 ? 1e4f : 0.02f * (float)(k / 512);
        if (k % 5 == 0) from = tpi_scale(from, 1e8f);
        tpi_path path = collide_sweep(made.world, from, velocity, radius);
        test_note("case %u", k);
        CHECK(path.phase == 0);
        if (tpi_is_finite_vector(velocity) && tpi_length(velocity) < 1e10f)
            CHECK(tpi_is_finite_vector(path.to));
    }
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(removed_geometry_leaves_the_rest_in_place),
    TEST_CASE(mesh_tree_finds_what_brute_force_finds),
    TEST_CASE(mesh_trees_of_every_small_size_hold_all_triangles),
    TEST_CASE(heightfield_walk_finds_what_brute_force_finds),
    TEST_CASE(a_trace_stops_at_the_level_of_a_distance_grid),
    TEST_CASE(any_slicing_gives_the_same_bits_and_units),
    TEST_CASE(contacts_have_the_same_bits_everywhere),
    TEST_CASE(copied_block_goes_on_from_the_middle_of_a_path),
    TEST_CASE(species_mask_lets_others_through),
    TEST_CASE(killing_collider_marks_the_path),
    TEST_CASE(one_sided_mesh_stops_only_its_front),
    TEST_CASE(two_sided_mesh_keeps_its_thickness),
    TEST_CASE(surface_velocity_enters_the_bounce),
    TEST_CASE(turning_surface_gives_the_velocity_of_the_place_touched),
    TEST_CASE(sliding_feels_no_inner_edges),
    TEST_CASE(particle_rests_in_a_groove_without_the_cap),
    TEST_CASE(flat_worlds_stay_exactly_flat),
    TEST_CASE(flat_ground_and_flat_grid_stop_particles),
    TEST_CASE(hostile_paths_end),
};
TEST_SUITE(collide, cases);
