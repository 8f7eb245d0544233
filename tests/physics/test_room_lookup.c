/* SPDX-License-Identifier: MIT
   tests/physics/test_room_lookup.c - rooms of a mesh: the same bits as by the tree of the mesh,
           hops from number to number, their limit, questions for a number, wrong tables.
   reads   the runtime's colliders, host_tools/rooms      writes  nothing
   memory  some MB      cost    a second; at length a minute
   after   corridors whose rooms are one sector: a hop per metre */
#include "../../host_tools/rooms/rooms.h"
#include "cloth_sheets.h"
#include "collide_help.h"
#include "common/host.h"
#include "corridor_help.h"
#include "room_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALE (1.0 / 512)

/* ---- levels ---- */

typedef struct level_case {
    rooms level;
    rooms_shell shell;
    int16_t *words;
    size_t word_count;
} level_case;

/* Takes the bytes. */
static bool level_open(level_case *of, uint8_t *bytes, size_t size, bool is_flipped)
{
    bool is_good = CHECK(rooms_read(&of->level, "level", bytes, size, is_flipped) == HOST_DONE) &&
                   CHECK(rooms_surround(&of->level, "level", SCALE, &of->shell) == HOST_DONE) &&
                   CHECK(rooms_table(&of->level, &of->words, &of->word_count) == HOST_DONE);
    free(bytes);
    return is_good;
}

static void level_close(level_case *of)
{
    rooms_free(&of->level);
    rooms_shell_free(&of->shell);
    free(of->words);
}

static bool level_open_random(level_case *of, uint32_t seed, uint32_t side, uint32_t layers)
{
    size_t size;
    uint8_t *bytes = room_random(seed, side, layers, &size);
    return level_open(of, bytes, size, seed % 2);
}

static bool level_open_two(level_case *of)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    return level_open(of, bytes, size, false);
}

static tp_collider_def level_mesh(const level_case *of, bool has_rooms)
{
    tp_collider_def mesh = collide_mesh((const tp_vector *)(const void *)of->shell.points,
                                        (uint32_t)of->shell.point_count, of->shell.corners,
                                        (uint32_t)of->shell.triangle_count);
    mesh.is_two_sided = false;
    mesh.spacing = 2;
    if (!has_rooms) return mesh;
    mesh.rooms = of->words;
    mesh.room_words = (uint32_t)of->word_count;
    return mesh;
}

static double range(uint32_t *state, double low, double high)
{
    return low + (high - low) * (double)test_random(state);
}

/* The first room that shows a place in m, `margin` from its floor and ceiling; -1: none. */
static int32_t level_room(const level_case *of, const double at[3], double margin)
{
    for (uint32_t r = 0; r < of->level.count; r++) {
        const room *in = &of->level.room[r];
        double x = at[0] / 2 - in->x / 1024, z = at[2] / 2 - in->z / 1024;
        if (of->level.is_hidden[r] || x < 0 || z < 0 || x >= in->columns || z >= in->rows) continue;
        const room_sector *sector = &in->sectors[(uint32_t)x * in->rows + (uint32_t)z];
        if (sector->has_portal || rooms_is_rock(sector)) continue;
        double u = x - floor(x), v = z - floor(z), height[2];
        for (int plane = 0; plane < 2; plane++) {
            int32_t corner[4];
            if (plane)
                rooms_ceiling(sector, corner);
            else
                rooms_floor(sector, corner);
            height[plane] =
                (-corner[0] + (corner[0] - corner[1]) * u + (corner[0] - corner[3]) * v) * SCALE;
        }
        if (at[1] >= height[0] + margin && at[1] <= height[1] - margin) return (int32_t)r;
    }
    return -1;
}

/* A random place within the rooms, 8 cm from walls at least. */
static tp_vector level_place(const level_case *of, uint32_t *state)
{
    for (;;) {
        const room *in = &of->level.room[(uint32_t)(range(state, 0, of->level.count))];
        double x = in->x / 512.0 + range(state, 0, in->columns * 2),
               z = in->z / 512.0 + range(state, 0, in->rows * 2),
               y = range(state, -in->bottom * SCALE - 1, -in->top * SCALE + 4);
        bool is_free = true;
        for (int k = 0; k < 9 && is_free; k++) {
            const double at[3] = {x + .08 * (k % 3 - 1), y, z + .08 * (k / 3 - 1)};
            is_free = level_room(of, at, .08) >= 0;
        }
        if (is_free) return (tp_vector){(float)x, (float)y, (float)z};
    }
}

/* ---- the same bits ---- */

typedef struct level_run {
    uint32_t particles, frames, units; /* of a call; 0: no limit */
    float radius, restitution, speed;
    tp_solver solver;
    bool moves; /* the level turns and goes */
} level_run;

static test_world level_world(const level_case *of, const level_run *run, bool has_rooms,
                              tp_collider *collider)
{
    tp_world_def def = collide_scene(3, run->radius);
    tp_collider_def mesh = level_mesh(of, has_rooms);
    def.solver = run->solver;
    def.particles_max = run->particles;
    def.speed_max = 4000;
    def.colliders_max = 2;
    def.geometry_bytes_max = 2u * (uint32_t)tp_collider_bytes(3, &mesh);
    test_world made = test_world_make(&def);
    mesh.restitution = run->restitution;
    mesh.friction = .1f;
    *collider = collide_add(made.world, &mesh);
    test_world_gravity(made.world, 9.81f);
    return made;
}

static void level_fill(const level_case *of, const level_run *run, tp_world *world)
{
    uint32_t state = 4711;
    for (uint32_t i = 0; i < run->particles; i++) {
        double s = (double)run->speed;
        tp_vector speed = {(float)range(&state, -s, s), (float)range(&state, -s, s),
                           (float)range(&state, -s, s)};
        collide_particle(world, level_place(of, &state), speed);
    }
}

static void level_frame(tp_world *world, uint32_t units)
{
    tp_budget budget = {.units = units};
    if (!units) {
        test_world_frames(world, 1);
        return;
    }
    while (tp_frame(world, &budget, NULL) == TP_MORE) {
        budget.is_same_frame = true;
        budget.units += units;
    }
}

static uint64_t level_hash(const level_case *of, const level_run *run, bool has_rooms,
                           tp_report *report, uint64_t *units)
{
    tp_collider collider;
    test_world made = level_world(of, run, has_rooms, &collider);
    level_fill(of, run, made.world);
    *units = 0;
    for (uint32_t frame = 0; frame < run->frames; frame++) {
        tp_pose pose = {{.1f * (float)frame, .02f * (float)frame, 0}, {1, 0, 0, 0}};
        float angle = .01f * (float)frame;
        pose.rotation = (tp_quaternion){cosf(angle), 0, sinf(angle), 0};
        if (run->moves) CHECK(tp_collider_move(made.world, collider, pose) == TP_OK);
        level_frame(made.world, run->units);
        *units += tp_world_report(made.world).stage_units[TP_STAGE_COLLIDE];
    }
    *report = tp_world_report(made.world);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

/* Compares rooms with the tree, and slices with whole frames. */
static tp_report level_compare(const level_case *of, level_run run, double share)
{
    tp_report tree, looked, sliced;
    uint64_t tree_units, units, sliced_units;
    uint64_t hash = level_hash(of, &run, false, &tree, &tree_units);
    CHECK_EQ(level_hash(of, &run, true, &looked, &units), hash);
    run.units = 1777;
    CHECK_EQ(level_hash(of, &run, true, &sliced, &sliced_units), hash);
    CHECK_EQ(sliced.room_hops, looked.room_hops);
    CHECK_EQ(sliced.rooms_missed, looked.rooms_missed);
    CHECK_EQ(sliced.rooms_exceeded, looked.rooms_exceeded);
    CHECK_EQ(looked.rooms_limited, 0);
    CHECK_EQ(looked.contacts, tree.contacts);
    test_note("units %g, of the tree %g; hops %g, exceeded %g", (double)units, (double)tree_units,
              (double)looked.room_hops, (double)looked.rooms_exceeded);
    CHECK((double)units < share * (double)tree_units);
    CHECK_EQ(tree.room_hops + tree.rooms_missed + tree.rooms_exceeded, 0);
    return looked;
}

static void rooms_have_the_bits_of_the_tree(void)
{
    for (uint32_t seed = 1; seed <= (test_is_long() ? 40u : 4u); seed++) {
        level_case of;
        if (!CHECK(level_open_random(&of, seed, 2 + seed % 3, 1 + seed % 3))) continue;
        level_run run = {.particles = 300, .frames = 40, .radius = .05f, .restitution = .5f};
        run.speed = seed % 4 == 0 ? 200 : seed % 4 == 1 ? 2 : 20;
        run.radius = seed % 3 ? .05f : .3f;
        test_note("seed %u", seed);
        tp_report report = level_compare(&of, run, .75);
        CHECK(report.room_hops > 0 && report.rooms_missed == 0);
        CHECK(report.rooms_exceeded == 0 || run.speed > 20 || run.radius > .2f);
        level_close(&of);
    }
}

/* Points: the skin alone keeps them off the surface. */
static void points_in_two_rooms_have_the_bits_of_the_tree(void)
{
    level_case of;
    if (!CHECK(level_open_two(&of))) return;
    level_run run = {.particles = 400, .frames = 60, .speed = 10, .restitution = .3f};
    tp_report report = level_compare(&of, run, .9);
    CHECK(report.room_hops > 40);
    level_close(&of);
}

static void levels_that_move_have_the_bits_of_the_tree(void)
{
    level_case of;
    if (!CHECK(level_open_random(&of, 7, 2, 2))) return;
    level_run run = {.particles = 200, .frames = 40, .speed = 3, .radius = .05f, .moves = true};
    tp_report report = level_compare(&of, run, .9);
    test_note("%g contacts", (double)report.contacts);
    CHECK(report.contacts > 150); /* of the last frame */
    CHECK_EQ(report.room_hops, 0);
    level_close(&of);
}

static void a_fluid_has_the_bits_of_the_tree(void)
{
    level_case of;
    uint64_t hash[2];
    if (!CHECK(level_open_two(&of))) return;
    for (uint32_t k = 0; k < 2; k++) {
        level_run run = {.particles = 216, .solver = TP_SOLVER_SPH, .radius = .05f};
        tp_collider collider;
        test_world made = level_world(&of, &run, k, &collider);
        for (uint32_t i = 0; i < 216; i++)
            collide_particle(made.world,
                             (tp_vector){9 + .1f * (float)(i % 6), .06f + .1f * (float)(i / 36),
                                         4.2f + .1f * (float)(i / 6 % 6)},
                             (tp_vector){3, 0, 0});
        test_world_frames(made.world, 40);
        hash[k] = tp_world_hash(made.world);
        CHECK(!k || tp_world_report(made.world).room_hops > 100);
        test_world_free(&made);
    }
    CHECK_EQ(hash[0], hash[1]);
    level_close(&of);
}

static void rays_hit_what_those_of_the_tree_hit(void)
{
    level_case of;
    test_world made[2];
    tp_collider collider;
    uint32_t state = 3, hits = 0;
    if (!CHECK(level_open_random(&of, 11, 3, 2))) return;
    for (uint32_t k = 0; k < 2; k++)
        made[k] = level_world(&of, &(level_run){.particles = 1}, k, &collider);
    for (uint32_t i = 0; i < 2000; i++) {
        double length = i % 4 ? .5 : 30;
        tp_ray ray = {.from = level_place(&of, &state), .radius = i % 3 ? .02f : 0};
        ray.move = (tp_vector){(float)range(&state, -length, length),
                               (float)range(&state, -length, length),
                               (float)range(&state, -length, length)};
        ray.species_mask = 1;
        tp_ray_hit hit[2];
        for (uint32_t k = 0; k < 2; k++)
            CHECK(tp_world_ray(made[k].world, &ray, 0, NULL, &hit[k]) == TP_OK);
        CHECK(memcmp(&hit[0], &hit[1], sizeof hit[0]) == 0);
        hits += hit[0].is_hit;
    }
    CHECK(hits > 500);
    for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
    level_close(&of);
}

/* 10^5 particles of 1 cm at up to 300 m/s, 5 m per step: a sector has 2 m. */
static void fast_particles_never_leave_the_rooms(void)
{
    level_case of;
    tp_collider collider;
    uint32_t outside = 0, frames = test_is_long() ? 60 : 3;
    level_run run = {.radius = .01f, .restitution = 1, .speed = 170};
    run.particles = test_is_long() ? 100000 : 30000;
    if (!CHECK(level_open_random(&of, 100, 4, 3))) return;
    test_world made = level_world(&of, &run, true, &collider);
    level_fill(&of, &run, made.world);
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        CHECK_EQ(view.count, run.particles);
        for (uint32_t i = 0; i < view.count; i++) {
            const double at[3] = {(double)view.x[i], (double)view.y[i], (double)view.z[i]};
            int32_t number;
            outside += level_room(&of, at, -1e-4) < 0;
            if (i % 100) continue;
            CHECK(tp_collider_room(made.world, collider,
                                   (tp_vector){view.x[i], view.y[i], view.z[i]},
                                   &number) == TP_OK &&
                  number >= 0);
        }
    }
    tp_report report = tp_world_report(made.world);
    test_note("hops %g, exceeded %g", (double)report.room_hops, (double)report.rooms_exceeded);
    CHECK_EQ(outside, 0);
    CHECK(report.room_hops > 10000 && report.rooms_missed == 0 && report.rooms_limited == 0);
    test_world_free(&made);
    level_close(&of);
}

/* ---- corridors: rooms of one sector of 1 m ---- */

static const tp_vector middle = {.5f, .5f, .5f};

/* A hop per metre, also back from the end of the corridor. */
static void hops_are_counted(void)
{
    corridor of = corridor_make(20, false);
    for (uint32_t hops = 0; hops <= 8; hops++) {
        corridor_end end = corridor_run(&of, middle, (tp_vector){(float)hops, 0, 0}, 0, 1);
        CHECK_EQ(end.hops, hops);
        CHECK_EQ(end.limited, 0);
        CHECK_EQ(end.room, hops);
        CHECK_NEAR(end.at[0], .5 + hops, 1e-4);
    }
    corridor_end slow = corridor_run(&of, middle, (tp_vector){.3f, 0, 0}, 0, 50);
    test_note("%g: %g %g %d", slow.at[0], (double)slow.hops, (double)slow.limited, slow.room);
    CHECK(slow.hops == 15 && slow.room == 15 && slow.limited == 0);
    of = corridor_make(3, false);
    corridor_end back = corridor_run(&of, middle, (tp_vector){4, 0, 0}, 1, 1);
    CHECK_NEAR(back.at[0], 1.48, 1e-3);
    CHECK(back.hops == 3 && back.room == 1 && back.limited == 0);
}

/* The ninth hop of a step is none: the particle stops before its plane, and keeps its velocity. */
static void a_path_stops_at_eight_hops(void)
{
    corridor of = corridor_make(30, false);
    for (uint32_t frames = 1; frames <= 3; frames++) {
        corridor_end end = corridor_run(&of, middle, (tp_vector){20, 0, 0}, 0, frames);
        CHECK_EQ(end.hops, 8 * frames);
        CHECK_EQ(end.limited, frames);
        CHECK_EQ(end.room, 8 * frames);
        CHECK_NEAR(end.at[0], 8 * frames + 1, 2e-4);
        CHECK(end.at[0] < 8 * frames + 1);
        CHECK_NEAR(end.speed, 20, 1e-4);
    }
    corridor_end end = corridor_run(&of, middle, (tp_vector){9, 0, 0}, 0, 1);
    CHECK(end.hops == 8 && end.limited == 1 && end.room == 8);
    end = corridor_run(&of, (tp_vector){29.5f, .5f, .5f}, (tp_vector){-20, 0, 0}, 0, 1);
    CHECK(end.hops == 8 && end.limited == 1 && end.room == 21);
    CHECK(end.at[0] > 21 && end.at[0] < 21.0002);
}

static void shafts_are_hops_up_and_down(void)
{
    corridor of = corridor_make(20, true);
    corridor_end end =
        corridor_run(&of, (tp_vector){.5f, 19.5f, .5f}, (tp_vector){.1f, -5, 0}, 0, 1);
    CHECK(end.hops == 5 && end.room == 14 && end.limited == 0);
    end = corridor_run(&of, (tp_vector){.5f, 19.5f, .5f}, (tp_vector){0, -15, 0}, 0, 1);
    test_note("%g: %g %g %d", end.at[1], (double)end.hops, (double)end.limited, end.room);
    CHECK(end.hops == 8 && end.room == 11 && end.limited == 1);
    CHECK(end.at[1] > 11 && end.at[1] < 11.0002);
    end = corridor_run(&of, middle, (tp_vector){.2f, 8, -.2f}, 0, 1);
    CHECK(end.hops == 8 && end.room == 8 && end.limited == 0);
    end = corridor_run(&of, middle, (tp_vector){0, 9, 0}, 0, 1);
    CHECK(end.hops == 8 && end.room == 8 && end.limited == 1);
}

/* Portals that lead to each other without end: no wall is there, and the particle stays. */
static void rings_of_portals_end_at_the_limit(void)
{
    corridor of = corridor_make(2, false);
    memcpy(of.words + 5, of.words + 1, 4 * sizeof of.words[0]); /* both rooms at one place */
    for (uint32_t k = 0; k < 9; k++) *corridor_sector(&of, 1, k / 3, k % 3) = -2;
    *corridor_sector(&of, 1, 2, 1) = 0;
    of.high.x = 3;
    corridor_end end = corridor_run(&of, middle, (tp_vector){.8f, .1f, 0}, 0, 1);
    CHECK(end.hops == 8 && end.limited == 1 && end.room == 0);
    CHECK(end.at[0] < 1 && end.at[0] > .9998);
}

/* A particle out of all rooms meets the surface as before. */
static void particles_out_of_the_rooms_are_counted(void)
{
    corridor of = corridor_make(4, false);
    tp_collider collider;
    of.high.x = 6; /* longer than its rooms */
    test_world made = corridor_world(&of, 1, &collider);
    int32_t number = 7;
    collide_particle(made.world, (tp_vector){5.5f, .5f, .5f}, (tp_vector){24, 0, 0});
    test_world_frames(made.world, 2);
    tp_report report = tp_world_report(made.world);
    CHECK_EQ(report.rooms_missed, 3); /* two steps, and a search after the contact */
    CHECK_EQ(report.room_hops, 0);
    CHECK_NEAR(tp_world_view(made.world).x[0], 5.99 - (.8 - .49), 1e-3);
    CHECK(tp_collider_room(made.world, collider, (tp_vector){5.5f, .5f, .5f}, &number) == TP_OK);
    CHECK_EQ(number, -1);
    test_world_free(&made);
}

/* ---- questions ---- */

static void the_room_of_a_place_is_told(void)
{
    level_case of;
    tp_collider collider, plane;
    uint32_t state = 8, found = 0;
    if (!CHECK(level_open_random(&of, 6, 3, 3))) return;
    test_world made = level_world(&of, &(level_run){.particles = 1}, true, &collider);
    tp_collider_def ground = tp_collider_default(TP_COLLIDER_PLANE);
    plane = collide_add(made.world, &ground);
    for (uint32_t i = 0; i < 3000; i++) {
        tp_vector at = {(float)range(&state, -3, 39), (float)range(&state, -4, 36),
                        (float)range(&state, -3, 39)};
        const double place[3] = {(double)at.x, (double)at.y, (double)at.z};
        int32_t number = -5, expected = level_room(&of, place, 3e-3);
        if (expected < 0 && level_room(&of, place, -3e-3) >= 0) continue; /* at a floor */
        CHECK(tp_collider_room(made.world, collider, at, &number) == TP_OK);
        CHECK(number == expected);
        found += number >= 0;
    }
    CHECK(found > 500);
    int32_t number;
    const tp_vector at = {1, 1, 1}, nowhere = {NAN, 0, 0}, far = {1e8f, 1e8f, -1e8f};
    CHECK(tp_collider_room(made.world, plane, at, &number) == TP_ERROR_DEFINITION);
    CHECK(tp_collider_room(made.world, collider, nowhere, &number) == TP_ERROR_DEFINITION);
    CHECK(tp_collider_room(made.world, collider, at, NULL) == TP_ERROR_NULL);
    CHECK(tp_collider_room(NULL, collider, at, &number) == TP_ERROR_NULL);
    CHECK(tp_collider_room(made.world, collider, far, &number) == TP_OK && number == -1);
    CHECK(tp_collider_remove(made.world, collider) == TP_OK);
    CHECK(tp_collider_room(made.world, collider, at, &number) == TP_ERROR_HANDLE);
    test_world_free(&made);
    level_close(&of);
}

/* Of rooms at the same place the first one. */
static void of_rooms_at_one_place_the_first_counts(void)
{
    corridor of = corridor_make(2, false);
    tp_collider collider;
    memcpy(of.words + 5, of.words + 1, 4 * sizeof of.words[0]);
    for (uint32_t first = 0; first < 2; first++) {
        int32_t number = -1;
        *corridor_sector(&of, 0, 1, 1) = first ? -2 : -1;
        test_world made = corridor_world(&of, 0, &collider);
        CHECK(tp_collider_room(made.world, collider, middle, &number) == TP_OK);
        CHECK_EQ(number, first);
        test_world_free(&made);
    }
}

/* ---- memory ---- */

static void the_geometry_is_as_large_as_told_and_given_back(void)
{
    level_case of;
    tp_collider first, second;
    uint64_t hash[2];
    level_run run = {.particles = 100, .frames = 20, .radius = .05f, .speed = 10};
    if (!CHECK(level_open_random(&of, 5, 2, 2))) return;
    for (uint32_t k = 0; k < 2; k++) {
        tp_collider_def mesh = level_mesh(&of, k);
        uint64_t bytes = tp_collider_bytes(3, &mesh);
        test_world made = level_world(&of, &run, k, &first);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].used, bytes);
        mesh.restitution = run.restitution;
        mesh.friction = .1f;
        second = collide_add(made.world, &mesh);
        CHECK(tp_collider_add(made.world, &mesh, &(tp_collider){0}) == TP_ERROR_FULL);
        CHECK(tp_collider_remove(made.world, first) == TP_OK);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].used, bytes);
        CHECK(second.id != first.id);
        level_fill(&of, &run, made.world);
        test_world_frames(made.world, run.frames);
        hash[k] = tp_world_hash(made.world);
        CHECK(!k || tp_world_report(made.world).room_hops > 0);
        test_world_free(&made);
    }
    CHECK_EQ(hash[0], hash[1]);
    level_close(&of);
}

/* An untrusted block: the words are checked, and the lists are made anew. */
static void blocks_with_rooms_are_verified(void)
{
    level_case of;
    tp_collider collider;
    level_run run = {.particles = 100, .radius = .05f, .speed = 10};
    if (!CHECK(level_open_two(&of))) return;
    test_world made = level_world(&of, &run, true, &collider);
    level_fill(&of, &run, made.world);
    test_world_frames(made.world, 5);
    tp_world *found;
    tp_block_fault fault;
    tpi_collider_item *item = tpi_collider_at(made.world, 0);
    CHECK(tp_world_verify(made.block, made.bytes, &fault, &found) == TP_OK);
    test_world_frames(made.world, 5);
    uint64_t hash = tp_world_hash(made.world);
    item->room_entries++;
    CHECK(tp_world_verify(made.block, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    item->room_entries--;
    item->def.spacing = -2;
    CHECK(tp_world_verify(made.block, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    item->def.spacing = 2.5f; /* other sectors have other lists */
    CHECK(tp_world_verify(made.block, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    item->def.spacing = 2;
    item->def.room_words -= 9;
    CHECK(tp_world_verify(made.block, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    item->def.room_words += 9;
    CHECK(tp_world_verify(made.block, made.bytes, &fault, &found) == TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_world_free(&made);
    level_close(&of);
}

/* ---- wrong tables ---- */

static void wrong_tables_are_refused(void)
{
    static const struct {
        int32_t word, value;
        const char *text;
    } wrong[] = {{0, 0, "begin with their number"},
                 {0, -1, "begin with their number"},
                 {0, 1025, "begin with their number"},
                 {0, 600, "room_words must be"},
                 {0, 1, "room_words must be"},
                 {1, -16385, "x and z of a room"},
                 {2, 16385, "x and z of a room"},
                 {3, 0, "columns and rows"},
                 {4, 129, "columns and rows"},
                 {4, 2, "room_words must be"},
                 {9, -3, "portal of a sector"},
                 {9, 2, "portal of a sector"},
                 {10, -2, "room below"},
                 {10, 2, "room below"},
                 {9 + 9 * 17 + 2, -2, "room above"},
                 {9 + 9 * 17 + 2, 2, "room above"}};
    corridor of = corridor_make(2, false);
    tp_collider collider;
    test_world made = corridor_world(&of, 0, &collider);
    tp_collider_def mesh = collide_cube(false);
    mesh.rooms = of.words;
    mesh.room_words = 1 + 85 * 2;
    CHECK(tp_collider_check(made.world, &mesh) == NULL);
    CHECK(tp_collider_bytes(3, &mesh) > 0);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        int16_t kept = of.words[wrong[k].word];
        of.words[wrong[k].word] = (int16_t)wrong[k].value;
        const char *text = tp_collider_check(made.world, &mesh);
        test_note("%zu: %s", k, text ? text : "accepted");
        CHECK(text && strstr(text, wrong[k].text) && strncmp(text, "room", 4) == 0);
        CHECK(tp_collider_add(made.world, &mesh, &(tp_collider){0}) == TP_ERROR_DEFINITION);
        CHECK_EQ(tp_collider_bytes(3, &mesh), 0);
        of.words[wrong[k].word] = kept;
    }
    mesh.spacing = 0;
    CHECK(strstr(tp_collider_check(made.world, &mesh), "spacing"));
    mesh.spacing = 1;
    mesh.room_words--;
    CHECK(strstr(tp_collider_check(made.world, &mesh), "room_words"));
    mesh.room_words = 3;
    CHECK(strstr(tp_collider_check(made.world, &mesh), "room_words"));
    mesh.room_words = 171;
    mesh.rooms = NULL;
    CHECK(strstr(tp_collider_check(made.world, &mesh), "rooms must not be null"));
    mesh.rooms = of.words;
    mesh.shape = TP_COLLIDER_BOX;
    CHECK(strstr(tp_collider_check(made.world, &mesh), "room_words"));
    test_world_free(&made);
    test_world flat = collide_world(2, .01f);
    mesh.shape = TP_COLLIDER_MESH;
    CHECK(strstr(tp_collider_check(flat.world, &mesh), "room_words must be 0 in 2D"));
    CHECK_EQ(tp_collider_bytes(2, &mesh), 0);
    test_world_free(&flat);
}

static const test_case cases[] = {
    TEST_CASE(rooms_have_the_bits_of_the_tree),
    TEST_CASE(points_in_two_rooms_have_the_bits_of_the_tree),
    TEST_CASE(levels_that_move_have_the_bits_of_the_tree),
    TEST_CASE(a_fluid_has_the_bits_of_the_tree),
    TEST_CASE(rays_hit_what_those_of_the_tree_hit),
    TEST_CASE(fast_particles_never_leave_the_rooms),
    TEST_CASE(hops_are_counted),
    TEST_CASE(a_path_stops_at_eight_hops),
    TEST_CASE(shafts_are_hops_up_and_down),
    TEST_CASE(rings_of_portals_end_at_the_limit),
    TEST_CASE(particles_out_of_the_rooms_are_counted),
    TEST_CASE(the_room_of_a_place_is_told),
    TEST_CASE(of_rooms_at_one_place_the_first_counts),
    TEST_CASE(the_geometry_is_as_large_as_told_and_given_back),
    TEST_CASE(blocks_with_rooms_are_verified),
    TEST_CASE(wrong_tables_are_refused),
};
TEST_SUITE(room_lookup, cases);
