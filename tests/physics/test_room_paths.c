/* SPDX-License-Identifier: MIT
   tests/physics/test_room_paths.c - paths at the edges of sectors, rooms and grids meet what those
           of the tree meet, and hop as their centre goes.
   reads   the runtime's colliders      writes  nothing
   memory  a world      cost    below a second
   after   corridors whose rooms are one sector */
#include "corridor_help.h"
#include "test.h"

/* 1 km from the origin a slow path begins in one sector and ends in the next one by rounding only:
   where it leaves is long after its end. Over a slant it is walked. */
static void paths_that_leave_a_sector_by_rounding_end(void)
{
    corridor of = corridor_make(2, false);
    tp_collider collider;
    const tp_budget budget = {.units = 100000};
    for (uint32_t number = 0; number < 2; number++) {
        of.words[1u + 4u * number] = (int16_t)(of.words[1u + 4u * number] + 1000);
        corridor_sector(&of, number, 1, 1)[5] = 4;
        corridor_sector(&of, number, 1, 1)[6] = 8;
    }
    of.low.x = 1000;
    of.high = (tp_vector){1002, 2, 1};
    of.place.x = -1000;
    test_world made = corridor_world(&of, 0, &collider);
    collide_particle(made.world, (tp_vector){1 - 3.1e-5f, .9f, .5f}, (tp_vector){6e-5f, 0, 0});
    CHECK_EQ(tp_frame(made.world, &budget, NULL), TP_OK);
    CHECK_EQ(tp_world_report(made.world).room_hops, 1);
    CHECK(tp_world_view(made.world).x[0] > 1 - 3.05e-5f);
    test_world_free(&made);
}

/* The middle of a sliver, computed from either end, is on both sides of the plane between two
   sectors: its width is rounded up. */
static void slivers_between_sectors_are_met(void)
{
    corridor of = corridor_make(2, false);
    const float unit = 1.0f / 8589934592.0f, low = -8388610 * unit, high = 8388609 * unit;
    const tp_vector vertices[3] = {{low, 0, 0}, {high, 0, 1}, {low, 1, .5f}};
    const uint32_t indices[3] = {0, 1, 2};
    tp_collider_def mesh = collide_mesh(vertices, 3, indices, 1);
    of.words[1] = -2;
    of.words[5] = -1;
    mesh.is_two_sided = true;
    mesh.rooms = of.words;
    mesh.room_words = 1u + 85u * of.count;
    test_world made = collide_world(3, .01f);
    (void)collide_add(made.world, &mesh);
    collide_particle(made.world, (tp_vector){-.1f, .3f, .5f}, (tp_vector){12, 0, 0});
    test_world_frames(made.world, 1);
    CHECK_NEAR(tp_world_view(made.world).x[0], -.01, 2e-3);
    test_world_free(&made);
}

/* A ball that stays in its sector, but is larger than the heights of its room. */
static void balls_beyond_their_room_are_counted(void)
{
    corridor of = corridor_make(2, false);
    tp_collider collider;
    corridor_sector(&of, 0, 1, 1)[6] = 2;
    of.radius = .4f;
    test_world made = corridor_world(&of, 0, &collider);
    collide_particle(made.world, (tp_vector){.5f, .45f, .5f}, (tp_vector){0, 0, 0});
    test_world_frames(made.world, 3);
    CHECK_EQ(tp_world_report(made.world).rooms_exceeded, 3);
    test_world_free(&made);
}

/* ---- what lists leave out ---- */

/* Where a particle is after a step, in front of a triangle across its way, two-sided; the rooms are
   those of a corridor. */
static tp_vector meets(const corridor *of, const tp_vector corners[3], tp_vector from,
                       tp_vector move)
{
    const uint32_t indices[3] = {0, 1, 2};
    tp_vector at[2];
    for (uint32_t k = 0; k < 2; k++) {
        tp_collider_def mesh = collide_mesh(corners, 3, indices, 1);
        tp_world_def def = collide_scene(3, of->radius);
        def.speed_max = 4000;
        test_world made = test_world_make(&def);
        mesh.is_two_sided = true;
        mesh.rooms = k ? of->words : NULL;
        mesh.room_words = k ? 1u + 85u * of->count : 0u;
        (void)collide_add(made.world, &mesh);
        collide_particle(made.world, from, (tp_vector){60 * move.x, 60 * move.y, 60 * move.z});
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        at[k] = (tp_vector){view.x[0], view.y[0], view.z[0]};
        test_world_free(&made);
    }
    CHECK(at[0].x == at[1].x && at[0].y == at[1].y && at[0].z == at[1].z);
    return at[1];
}

/* A triangle that begins 2 mm before the plane between two sectors is in the list of the second
   one only; the path ends before the plane. */
static void what_juts_out_of_its_sector_is_met(void)
{
    corridor of = corridor_make(2, false);
    const tp_vector corners[3] = {{.998f, .2f, .2f}, {1.5f, .2f, .5f}, {.998f, .2f, .8f}};
    of.radius = 0.0005f;
    tp_vector at = meets(&of, corners, (tp_vector){.999f, .3f, .5f}, (tp_vector){0, -.2f, 0});
    CHECK(at.y > .2f);
}

/* Beyond the grid of its room, along x and z, and beyond its heights there are no lists. */
static void what_is_beyond_the_room_is_met(void)
{
    corridor of = corridor_make(1, false);
    for (uint32_t k = 0; k < 9; k++) /* without a rim: all are open */
        for (uint32_t w = 0; w < 9; w++)
            corridor_sector(&of, 0, k / 3, k % 3)[w] = (int16_t)(w == 6 ? 4 : w < 3 ? -1 : 0);
    const tp_vector steps[6] = {{-1, 0, 0}, {1, 0, 0},  {0, 0, -1},
                                {0, 0, 1},  {0, -1, 0}, {0, 1, 0}};
    for (uint32_t k = 0; k < 6; k++) {
        const tp_vector s = steps[k];
        const float side = s.y != 0 ? .9f : 1.9f; /* from the middle to a triangle .4 m beyond */
        tp_vector corners[3], p = {.5f + side * s.x, .5f + side * s.y, .5f + side * s.z};
        for (uint32_t c = 0; c < 3; c++) {
            float a = c == 1 ? .3f : -.3f, b = c == 2 ? .3f : -.3f;
            corners[c] = s.x != 0   ? (tp_vector){p.x, p.y + a, p.z + b}
                         : s.y != 0 ? (tp_vector){p.x + a, p.y, p.z + b}
                                    : (tp_vector){p.x + a, p.y + b, p.z};
        }
        tp_vector from = {.5f + .9f * s.x, .5f + .4f * s.y, .5f + .9f * s.z};
        tp_vector at = meets(&of, corners, from, (tp_vector){1.1f * s.x, 1.1f * s.y, 1.1f * s.z});
        float gone = (at.x - .5f) * s.x + (at.y - .5f) * s.y + (at.z - .5f) * s.z;
        test_note("step %u: %g", k, (double)gone);
        CHECK(gone < side && gone > side - .02f);
    }
}

/* ---- hops ---- */

/* Across a corner a path goes through the sector that it crosses, not through the other one. */
static void paths_across_corners_go_where_they_cross(void)
{
    corridor of = corridor_make(2, false);
    const int16_t open[9] = {-1, -1, -1, 0, 0, 0, 4, 0, 0};
    for (uint32_t w = 0; w < 9; w++) {
        corridor_sector(&of, 1, 1, 2)[w] = open[w]; /* the second room goes round a corner */
        corridor_sector(&of, 0, 1, 2)[w] = (int16_t)(w == 0 ? -2 : open[w]);
    }
    of.high = (tp_vector){2, 1, 2};
    corridor_end end =
        corridor_run(&of, (tp_vector){.8f, .5f, .5f}, (tp_vector){.6f, 0, .8f}, 0, 1);
    CHECK(end.hops == 1 && end.room == 1 && end.limited == 0);
    end = corridor_run(&of, (tp_vector){1.4f, .5f, 1.3f}, (tp_vector){-.6f, 0, -.8f}, 0, 1);
    CHECK(end.hops == 1 && end.room == 0 && end.limited == 0);
    end = corridor_run(&of, (tp_vector){.2f, .5f, .8f}, (tp_vector){.9f, 0, .4f}, 0, 1);
    CHECK(end.hops == 0); /* rock in the room's own grid ends the walk */
}

/* Just below its floor, by rounding, a particle that goes up is in its room, and does not hop
   through that floor. */
static void particles_nearly_in_a_room_stay_there(void)
{
    corridor of = corridor_make(2, true);
    corridor_sector(&of, 0, 1, 1)[6] = 2; /* from .5 to 1 m there is no room */
    corridor_end end =
        corridor_run(&of, (tp_vector){.5f, .9995f, .5f}, (tp_vector){0, 1e-4f, 0}, 0, 1);
    CHECK(end.hops == 0 && end.limited == 0 && end.room == 1);
}

/* A path that meets a wall in the middle of a room goes no farther. */
static void hops_end_at_the_contact(void)
{
    corridor of = corridor_make(4, false);
    of.high.x = 1.5f;
    corridor_end end = corridor_run(&of, (tp_vector){.5f, .5f, .5f}, (tp_vector){3, 0, 0}, 0, 1);
    CHECK(end.hops == 1 && end.room == 1);
}

/* It leaves its sector at a side, before it is below that sector's floor. */
static void paths_leave_at_the_first_plane(void)
{
    corridor of = corridor_make(2, false);
    of.low.y = -1;
    corridor_sector(&of, 1, 1, 1)[3] = -4;
    corridor_end end =
        corridor_run(&of, (tp_vector){.8f, .2f, .5f}, (tp_vector){.6f, -.5f, 0}, 0, 1);
    CHECK(end.hops == 1 && end.room == 1);
}

/* A plane between two rooms belongs to the upper one. */
static void ceilings_belong_to_the_room_above(void)
{
    corridor of = corridor_make(3, true);
    corridor_end end = corridor_run(&of, (tp_vector){.5f, .5f, .5f}, (tp_vector){0, .5f, 0}, 0, 1);
    CHECK(end.at[1] == 1 && end.hops == 1 && end.room == 1);
    end = corridor_run(&of, (tp_vector){.5f, 1.5f, .5f}, (tp_vector){0, -.5f, 0}, 0, 1);
    CHECK(end.at[1] == 1 && end.hops == 0 && end.room == 1);
}

/* ---- calls ---- */

/* Settings change without the table being given again; rooms go where the collider goes. */
static void settings_and_places_keep_the_rooms(void)
{
    corridor of = corridor_make(4, false);
    tp_collider collider;
    int32_t number = -1;
    of.place.x = 10;
    test_world made = corridor_world(&of, 0, &collider);
    tp_collider_def def = tp_collider_default(TP_COLLIDER_MESH);
    def.restitution = 1;
    CHECK(tp_collider_set_check(made.world, collider, &def) == NULL);
    CHECK(tp_collider_set(made.world, collider, &def) == TP_OK);
    collide_particle(made.world, (tp_vector){12.5f, .5f, .5f}, (tp_vector){120, 0, 0});
    test_world_frames(made.world, 1);
    CHECK_EQ(tp_world_report(made.world).room_hops, 1);
    CHECK_NEAR(tp_world_view(made.world).x[0], 13.48, 1e-3); /* it bounced back */
    const tp_vector at = {12.5f, .5f, .5f};
    CHECK(tp_collider_room(made.world, collider, at, &number) == TP_OK && number == 2);
    collide_move(made.world, collider, (tp_pose){{11, 0, 0}, {1, 0, 0, 0}});
    CHECK(tp_collider_room(made.world, collider, at, &number) == TP_OK && number == 1);
    test_world_free(&made);
}

/* A sector with thousands of triangles that a ray does not meet: its calls are short. */
static void long_lists_are_sliced(void)
{
    enum { COUNT = 3000 };
    static tp_vector corners[3 * COUNT];
    static uint32_t indices[3 * COUNT];
    corridor of = corridor_make(1, false);
    for (uint32_t k = 0; k < 3 * COUNT; k++) {
        corners[k] = (tp_vector){k % 3 == 1 ? .2f : .1f, .9f, k % 3 == 2 ? .2f : .1f};
        indices[k] = k;
    }
    corners[0] = (tp_vector){.1f, .1f, .1f}; /* below the path: the mesh is around it */
    corners[1] = (tp_vector){.9f, .1f, .1f};
    corners[2] = (tp_vector){.1f, .1f, .9f};
    tp_collider_def mesh = collide_mesh(corners, 3 * COUNT, indices, COUNT);
    mesh.rooms = of.words;
    mesh.room_words = 86;
    test_world made = collide_world(3, .01f);
    (void)collide_add(made.world, &mesh);
    const tp_ray ray = {.from = {.7f, .5f, .7f}, .move = {.02f, 0, 0}, .species_mask = 1};
    tp_query_cursor cursor = {0};
    tp_ray_hit hit;
    uint32_t calls = 1, most = 0;
    for (; tp_world_ray(made.world, &ray, 64, &cursor, &hit) == TP_MORE; calls++)
        if (cursor.units > most) most = cursor.units;
    test_note("%u calls, up to %u units", calls, most);
    CHECK(calls > COUNT / 70 && most <= 66);
    test_world_free(&made);
}

/* As after a restore, when another level took the place of the collider that the ray was at. */
static void cursors_of_another_level_find_all_of_this_one(void)
{
    corridor many = corridor_make(20, false), few = corridor_make(1, false);
    few.high.x = many.high.x; /* of the mesh only */
    few.low.y = .2f;
    tp_collider collider;
    test_world other = corridor_world(&many, 0, &collider),
               made = corridor_world(&few, 0, &collider);
    const tp_ray ray = {.from = {19.4f, .5f, .5f}, .move = {0, -.4f, 0}, .species_mask = 1};
    for (uint32_t units = 1; units < 12; units++) {
        tp_query_cursor cursor = {0};
        tp_ray_hit hit = {0}, wanted = {0};
        CHECK(tp_world_ray(made.world, &ray, 0, NULL, &wanted) == TP_OK && wanted.is_hit);
        if (tp_world_ray(other.world, &ray, units, &cursor, &hit) != TP_MORE) break;
        CHECK(tp_world_ray(made.world, &ray, 0, &cursor, &hit) == TP_OK);
        test_note("after %u units", units);
        CHECK(hit.is_hit && hit.time == wanted.time);
    }
    test_world_free(&other);
    test_world_free(&made);
}

/* Each sector of a place that a search looks at is a unit. */
static void rooms_at_a_place_are_units(void)
{
    uint64_t units[2];
    for (uint32_t k = 0; k < 2; k++) {
        corridor of = corridor_make(20, true);
        tp_collider collider;
        test_world made = corridor_world(&of, 0, &collider);
        collide_particle(made.world, (tp_vector){.5f, k ? 19.5f : .5f, .5f}, (tp_vector){0, 0, 0});
        test_world_frames(made.world, 1);
        units[k] = tp_world_report(made.world).stage_units[TP_STAGE_COLLIDE];
        test_world_free(&made);
    }
    CHECK_EQ(units[1] - units[0], 19);
}

static void rooms_are_as_large_as_told(void)
{
    corridor of = corridor_make(2, false);
    tp_collider collider;
    test_world made = corridor_world(&of, 0, &collider);
    const tp_vector corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const uint32_t indices[3] = {0, 1, 2};
    tp_collider_def mesh = collide_mesh(corners, 3, indices, 1);
    static int16_t words[1 + 4 + 9 * 129];
    mesh.rooms = words;
    for (uint32_t side = 128; side <= 129; side++)
        for (uint32_t k = 0; k < 2; k++) {
            words[0] = 1;
            words[3] = (int16_t)(k ? side : 1);
            words[4] = (int16_t)(k ? 1 : side);
            mesh.room_words = 5 + 9 * side;
            CHECK((tp_collider_check(made.world, &mesh) == NULL) == (side == 128));
            CHECK((tp_collider_bytes(3, &mesh) > 0) == (side == 128));
        }
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(paths_that_leave_a_sector_by_rounding_end),
    TEST_CASE(slivers_between_sectors_are_met),
    TEST_CASE(balls_beyond_their_room_are_counted),
    TEST_CASE(what_juts_out_of_its_sector_is_met),
    TEST_CASE(what_is_beyond_the_room_is_met),
    TEST_CASE(paths_across_corners_go_where_they_cross),
    TEST_CASE(particles_nearly_in_a_room_stay_there),
    TEST_CASE(hops_end_at_the_contact),
    TEST_CASE(paths_leave_at_the_first_plane),
    TEST_CASE(ceilings_belong_to_the_room_above),
    TEST_CASE(settings_and_places_keep_the_rooms),
    TEST_CASE(long_lists_are_sliced),
    TEST_CASE(cursors_of_another_level_find_all_of_this_one),
    TEST_CASE(rooms_at_a_place_are_units),
    TEST_CASE(rooms_are_as_large_as_told),
};
TEST_SUITE(room_paths, cases);
