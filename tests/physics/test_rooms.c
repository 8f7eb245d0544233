/* SPDX-License-Identifier: MIT
   tests/physics/test_rooms.c - levels of rooms: the reader, the surface, particles in it, damaged
           files.
   reads   host_tools/rooms, the runtime's meshes      writes  nothing
   memory  some MB      cost    below a second; at length a minute
   after   heights by the formulas of the public description, apart from the reader's; areas and
           volumes of prisms */
#include "../../host_tools/rooms/rooms.h"
#include "cloth_sheets.h"
#include "collide_help.h"
#include "common/crc32.h"
#include "common/host.h"
#include "room_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALE (1.0 / 512)

static bool open_level(const uint8_t *bytes, size_t size, bool is_flipped, rooms *level,
                       rooms_shell *shell)
{
    if (rooms_read(level, "level", bytes, size, is_flipped)) return false;
    if (!rooms_surround(level, "level", SCALE, shell)) return true;
    rooms_free(level);
    return false;
}

static void close_level(rooms *level, rooms_shell *shell)
{
    rooms_free(level);
    rooms_shell_free(shell);
}

/* ---- heights, by the formulas of the format */

/* At (dx, dz) of a sector, 0 to 1023, y down. */
static double floor_at(const room_sector *sector, double dx, double dz)
{
    int x = sector->floor_slant[0], z = sector->floor_slant[1];
    return sector->floor * 256 + (x > 0 ? x * (1023 - dx) : -x * dx) / 4 +
           (z > 0 ? z * (1023 - dz) : -z * dz) / 4;
}

static double ceiling_at(const room_sector *sector, double dx, double dz)
{
    int x = sector->ceiling_slant[0], z = sector->ceiling_slant[1];
    return sector->ceiling * 256 - (x > 0 ? x * dx : -x * (1023 - dx)) / 4 -
           (z > 0 ? z * (1023 - dz) : -z * dz) / 4;
}

/* True if a place in units, y down, is in an open sector of a room that is shown, less `slack`. */
static bool is_within(const rooms *level, const double at[3], double slack)
{
    for (uint32_t r = 0; r < level->count; r++) {
        const room *of = &level->room[r];
        double x = (at[0] - of->x) / 1024, z = (at[2] - of->z) / 1024;
        if (level->is_hidden[r] || x < 0 || z < 0 || x >= of->columns || z >= of->rows) continue;
        const room_sector *sector = &of->sectors[(uint32_t)x * of->rows + (uint32_t)z];
        double dx = (x - floor(x)) * 1023, dz = (z - floor(z)) * 1023;
        if (sector->has_portal || sector->floor == -127 || sector->ceiling == -127) continue;
        if (at[1] <= floor_at(sector, dx, dz) + slack &&
            at[1] >= ceiling_at(sector, dx, dz) - slack)
            return true;
    }
    return false;
}

/* ---- the file */

static void r_26_two_rooms_have_their_checksum_and_their_portals_meet(void)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    CHECK_EQ(size, ROOM_FIXTURE_SIZE);
    CHECK_EQ(crc32_add(0, bytes, size), ROOM_FIXTURE_CRC);
    CHECK(bytes[0x1000c] == 2 && bytes[0x102ba] == 7);
    CHECK(rooms_read(&level, "level", bytes, size, false) == HOST_DONE);
    CHECK(level.count == 2 && level.portal_count == 2 && level.portal_pairs == 2);
    CHECK_EQ(level.room[0].byte, 0x1000e);
    CHECK_EQ(level.room[0].sectors[0].byte, 0x1007a);
    CHECK_EQ(level.room[1].byte, 0x101a4);
    CHECK_EQ(level.room[1].sectors[0].byte, 0x10210);
    CHECK(level.room[1].x == 4096 && level.room[1].z == 1024 && level.room[1].columns == 5);
    /* portal corners in the world: x = 5120, z 2048 to 4096, y -2048 to 0 */
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t k = 0; k < 4; k++) {
            const int16_t *corner = level.room[r].portals[0].corner[k];
            int32_t x = level.room[r].x + corner[0], z = level.room[r].z + corner[2];
            CHECK(x == 5120 && (z == 2048 || z == 4096));
            CHECK(corner[1] == 0 || corner[1] == -2048);
        }
    rooms_free(&level);
    /* rooms two bytes later: another place of the count */
    host_listener deaf;
    host_listen_to_nothing(&deaf);
    memmove(bytes + 0x1000a, bytes + 0x1000c, size - 0x1000c);
    CHECK(rooms_read(&level, "level", bytes, size - 2, false) == HOST_BAD_INPUT);
    host_listen_end();
    free(bytes);
}

static void heights_are_those_of_the_two_rooms(void)
{
    static const int32_t slanted[4] = {512, 0, 512, 1024}; /* (0,0), (1,0), (1,1), (0,1) */
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    room_cell cell;
    int32_t corner[4];
    CHECK(rooms_read(&level, "level", bytes, size, false) == HOST_DONE);
    CHECK(rooms_find(&level, 0, 1536, 1536, &cell) && cell.room == 0);
    rooms_floor(&level.room[0].sectors[cell.sector], corner);
    CHECK(corner[0] == 0 && corner[2] == 0);
    CHECK(rooms_find(&level, 0, 2560, 2560, &cell) && cell.room == 0);
    rooms_floor(&level.room[0].sectors[cell.sector], corner);
    CHECK(corner[0] == -512 && corner[2] == -512);
    CHECK(rooms_find(&level, 0, 3584, 3584, &cell));
    rooms_floor(&level.room[0].sectors[cell.sector], corner);
    CHECK(memcmp(corner, slanted, sizeof corner) == 0);
    rooms_ceiling(&level.room[0].sectors[cell.sector], corner);
    CHECK(corner[0] == -4096 && corner[3] == -4096);
    /* through the portal, and walls */
    CHECK(rooms_find(&level, 0, 5632, 2560, &cell) && cell.room == 1);
    rooms_floor(&level.room[1].sectors[cell.sector], corner);
    CHECK(corner[0] == 1024);
    CHECK(rooms_find(&level, 1, 4608, 2560, &cell) && cell.room == 0);
    CHECK(!rooms_find(&level, 0, 512, 512, &cell) && !rooms_find(&level, 0, 5632, 1536, &cell));
    CHECK(!rooms_find(&level, 0, -1, 2560, &cell) && !rooms_find(&level, 0, 6144, 2560, &cell));
    rooms_free(&level);
    free(bytes);
}

/* ---- the surface */

/* Twice the vector of a triangle's area; and six times the volume between it and the origin. */
static double measure(const rooms_shell *shell, size_t triangle, double area[3])
{
    const float *a = shell->points[shell->corners[3 * triangle]],
                *b = shell->points[shell->corners[3 * triangle + 1]],
                *c = shell->points[shell->corners[3 * triangle + 2]];
    double side[3], other[3], volume = 0;
    for (int k = 0; k < 3; k++) {
        side[k] = (double)b[k] - (double)a[k];
        other[k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++) {
        int m = (k + 1) % 3, n = (k + 2) % 3;
        area[k] = side[m] * other[n] - side[n] * other[m];
        volume += (double)a[k] * area[k];
    }
    return volume;
}

/* Closed: the areas cancel. Its volume, m^3: that within is to the front of each triangle. */
static double closed_volume(const rooms_shell *shell)
{
    double sum[3] = {0, 0, 0}, volume = 0;
    for (size_t i = 0; i < shell->triangle_count; i++) {
        double area[3];
        volume -= measure(shell, i, area) / 6;
        for (int k = 0; k < 3; k++) sum[k] += area[k];
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], 0, 1e-4 * (1 + fabs(volume)));
    return volume;
}

#define SECOND_SECTORS 0x10210

/* The sector of the second room behind the portal leads back to the first one: portals without an
   end. The limit makes them walls, and they are counted. */
static void hops_through_portals_are_counted_and_capped(void)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    rooms_shell shell;
    room_cell cell;
    if (!CHECK(open_level(bytes, size, false, &level, &shell))) return;
    CHECK(shell.portal_hops == 1 && shell.capped_portals == 0);
    close_level(&level, &shell);
    bytes[SECOND_SECTORS + 8 * 5] = 5; /* column 1, row 1: the floor data of its column 0 */
    if (!CHECK(open_level(bytes, size, false, &level, &shell))) return;
    CHECK(shell.portal_hops == 1 && shell.capped_portals == 2);
    CHECK_EQ(shell.capped_byte, 0x1007a + 8 * (5 * 6 + 2));
    CHECK_EQ(shell.open, 16 + 5);
    CHECK(!rooms_find(&level, 0, 5632, 2560, &cell) && rooms_find(&level, 0, 5632, 3584, &cell));
    CHECK_NEAR(closed_volume(&shell), 4 * (16 * 8 - 1 + 1 + 5 * 6), 1e-3);
    close_level(&level, &shell);
    free(bytes);
}

static void r_27_floors_are_below_ceilings_and_face_up(void)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    rooms_shell shell;
    double lowest_floor = 1e9, highest_ceiling = -1e9;
    if (!CHECK(open_level(bytes, size, false, &level, &shell))) return;
    for (size_t i = 0; i < shell.triangle_count; i++) {
        double area[3];
        (void)measure(&shell, i, area);
        double y = (double)shell.points[shell.corners[3 * i]][1];
        if (shell.kinds[i] == ROOMS_FLOOR) CHECK(area[1] > 0);
        if (shell.kinds[i] == ROOMS_CEILING) CHECK(area[1] < 0);
        if (shell.kinds[i] == ROOMS_SKIRT) CHECK(area[1] == 0);
        if (shell.kinds[i] == ROOMS_FLOOR) lowest_floor = fmin(lowest_floor, y);
        if (shell.kinds[i] == ROOMS_CEILING) highest_ceiling = fmax(highest_ceiling, y);
    }
    CHECK(lowest_floor == -2 && highest_ceiling == 8);
    CHECK_EQ(shell.open, 16 + 6);
    CHECK(shell.start[0] == 3 && shell.start[1] == 4 && shell.start[2] == 3);
    /* 16 sectors of 2 x 2 x 8 m, less a block of 1 m, with a hole of 1 m in the mean; 6 of 6 m */
    CHECK_NEAR(closed_volume(&shell), 4 * (16 * 8 - 1 + 1 + 6 * 6), 1e-3);
    close_level(&level, &shell);
    free(bytes);
}

/* The sum of all open sectors, each from its floor to its ceiling: sectors that are open to others
   below or above end where those begin. */
static double volume_of(const rooms *level)
{
    double sum = 0;
    for (uint32_t r = 0; r < level->count; r++)
        for (uint32_t s = 0;
             !level->is_hidden[r] && s < level->room[r].rows * level->room[r].columns; s++) {
            const room_sector *sector = &level->room[r].sectors[s];
            if (sector->has_portal || sector->floor == -127) continue;
            sum += (floor_at(sector, 511.5, 511.5) - ceiling_at(sector, 511.5, 511.5)) * SCALE * 4;
        }
    return sum;
}

/* Floors and ceilings meet walls along slants that cross: the surface has no gap. */
static void surfaces_of_random_levels_are_closed(void)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        size_t size;
        uint8_t *bytes = room_random(seed, 2 + seed % 3, 1 + seed % 3, &size);
        for (uint32_t flipped = 0; flipped < 2; flipped++) {
            rooms level;
            rooms_shell shell;
            test_note("seed %u, flipped %u", seed, flipped);
            if (!CHECK(open_level(bytes, size, flipped, &level, &shell))) continue;
            CHECK(shell.closed == 0 && shell.open > 90 && shell.overlaps == 0);
            CHECK_NEAR(closed_volume(&shell), volume_of(&level), 2e-3 * volume_of(&level));
            close_level(&level, &shell);
        }
        free(bytes);
    }
}

/* Alternates stand where the rooms are that they replace. */
static void rooms_at_one_place_are_counted(void)
{
    size_t size;
    uint8_t *bytes = room_random(5, 3, 1, &size);
    rooms level;
    rooms_shell shell;
    CHECK(rooms_read(&level, "level", bytes, size, false) == HOST_DONE);
    memset(level.is_hidden, 0, level.count * sizeof *level.is_hidden);
    CHECK(rooms_surround(&level, "level", SCALE, &shell) == HOST_DONE);
    CHECK(shell.overlaps > 20);
    close_level(&level, &shell);
    free(bytes);
}

/* ---- particles */

static void add_shell(tp_world *world, const rooms_shell *shell, float restitution)
{
    tp_vector *points = calloc(shell->point_count, sizeof *points);
    for (size_t i = 0; i < shell->point_count; i++)
        points[i] = (tp_vector){shell->points[i][0], shell->points[i][1], shell->points[i][2]};
    tp_collider_def mesh = collide_mesh(points, (uint32_t)shell->point_count, shell->corners,
                                        (uint32_t)shell->triangle_count);
    mesh.is_two_sided = false;
    mesh.restitution = restitution;
    collide_add(world, &mesh);
    free(points);
}

static test_world world_in(const rooms_shell *shell, uint32_t particles, float radius,
                           float restitution)
{
    tp_world_def def = collide_scene(3, radius);
    def.particles_max = particles;
    def.speed_max = 400;
    def.geometry_bytes_max =
        4096u + 12u * (uint32_t)shell->point_count + 40u * (uint32_t)shell->triangle_count;
    test_world made = test_world_make(&def);
    add_shell(made.world, shell, restitution);
    return made;
}

static double range(uint32_t *state, double low, double high)
{
    return low + (high - low) * (double)test_random(state);
}

/* A random place within the rooms, `room` units from walls at least, in m. */
static tp_vector place_within(const rooms *level, uint32_t *state)
{
    for (;;) {
        uint32_t r = (uint32_t)((double)test_random(state) * level->count);
        const room *of = &level->room[r];
        if (level->is_hidden[r]) continue;
        double x = of->x + range(state, 0, of->columns * 1024.0),
               z = of->z + range(state, 0, of->rows * 1024.0),
               y = range(state, of->top - 2048, of->bottom + 512);
        bool is_free = true;
        for (int k = 0; k < 27 && is_free; k++) {
            const double at[3] = {x + 40 * (k % 3 - 1), y + 40 * (k / 3 % 3 - 1),
                                  z + 40 * (k / 9 - 1)};
            is_free = is_within(level, at, 0);
        }
        if (is_free)
            return (tp_vector){(float)(x * SCALE), (float)(-y * SCALE), (float)(z * SCALE)};
    }
}

/* Particles of 1 cm at up to 300 m/s, 5 m per step: a sector has 2 m. None is beyond a wall by more
   than the slants differ from the formulas, which have 1023 where a sector has 1024. */
static void fast_particles_never_leave_the_rooms(void)
{
    uint32_t rounds = test_is_long() ? 20 : 1, count = test_is_long() ? 5000 : 700, outside = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        size_t size;
        uint32_t state = 77 + round;
        uint8_t *bytes = room_random(100 + round, 4, 3, &size);
        rooms level;
        rooms_shell shell;
        if (!CHECK(open_level(bytes, size, round % 2, &level, &shell))) continue;
        test_world made = world_in(&shell, count, .01f, 1);
        for (uint32_t i = 0; i < count; i++) {
            tp_vector speed = {(float)range(&state, -170, 170), (float)range(&state, -170, 170),
                               (float)range(&state, -170, 170)};
            collide_particle(made.world, place_within(&level, &state), speed);
        }
        for (uint32_t frame = 0; frame < 30; frame++) {
            test_world_frames(made.world, 1);
            tp_view view = tp_world_view(made.world);
            CHECK_EQ(view.count, count);
            for (uint32_t i = 0; i < view.count; i++) {
                const double at[3] = {(double)view.x[i] / SCALE, -(double)view.y[i] / SCALE,
                                      (double)view.z[i] / SCALE};
                outside += !is_within(&level, at, 1);
            }
        }
        CHECK_EQ(outside, 0);
        test_world_free(&made);
        close_level(&level, &shell);
        free(bytes);
    }
}

/* A search visits the nodes and triangles near a particle, of 15 722. */
static void a_level_is_searched_near_the_particle_only(void)
{
    size_t size;
    uint32_t state = 9;
    uint64_t units = 0;
    uint8_t *bytes = room_random(100, 4, 3, &size);
    rooms level;
    rooms_shell shell;
    if (!CHECK(open_level(bytes, size, false, &level, &shell))) return;
    test_world made = world_in(&shell, 1, .02f, 1);
    for (uint32_t i = 0; i < 400; i++) {
        tp_vector place = place_within(&level, &state),
                  speed = {(float)range(&state, -3, 3), (float)range(&state, -3, 3),
                           (float)range(&state, -3, 3)};
        tpi_path path;
        bool done = false;
        collide_path_begin(made.world, &path, place, speed, .02f);
        while (!done) units += tpi_path_advance(made.world, &path, 1u << 20, &done);
    }
    test_note("%g units per path, %zu triangles", (double)units / 400, shell.triangle_count);
    CHECK(units < 400 * 50);
    test_world_free(&made);
    close_level(&level, &shell);
    free(bytes);
}

typedef struct two_rooms {
    uint8_t *bytes;
    rooms level;
    rooms_shell shell;
    test_world made;
} two_rooms;

static bool open_two(two_rooms *of, float restitution)
{
    size_t size;
    of->bytes = room_fixture(&size);
    if (!CHECK(open_level(of->bytes, size, false, &of->level, &of->shell))) return false;
    of->made = world_in(&of->shell, 8, .1f, restitution);
    test_world_gravity(of->made.world, 9.81f);
    return true;
}

static void close_two(two_rooms *of)
{
    test_world_free(&of->made);
    close_level(&of->level, &of->shell);
    free(of->bytes);
}

/* One ball falls and stays, one rolls through the portal and falls 2 m, one rolls down the slant to
   its corner (0, 1). */
static void balls_rest_fall_and_roll_as_the_floors_are(void)
{
    two_rooms of;
    if (!open_two(&of, 0)) return;
    collide_particle(of.made.world, (tp_vector){3, 4, 3}, (tp_vector){0, 0, 0});
    collide_particle(of.made.world, (tp_vector){9, .1f, 5}, (tp_vector){3, 0, 0});
    collide_particle(of.made.world, (tp_vector){7.2f, -.4f, 6.8f}, (tp_vector){0, 0, 0});
    test_world_frames(of.made.world, 90);
    tp_view view = tp_world_view(of.made.world);
    CHECK_NEAR(view.y[0], .1, 2e-3);
    CHECK_NEAR(view.x[0], 3, 1e-6);
    CHECK(view.x[1] > 10 && view.x[1] < 16);
    CHECK_NEAR(view.y[1], -2 + .1, 2e-3);
    CHECK(view.x[2] < 6.5f && view.z[2] > 7.5f);
    CHECK(view.y[2] < -1.4f && view.y[2] > -2);
    test_world_frames(of.made.world, 240);
    view = tp_world_view(of.made.world);
    CHECK(view.x[1] > 10 && view.x[1] < 16 && view.z[1] > 4 && view.z[1] < 8);
    CHECK_NEAR(view.y[1], -2 + .1, 2e-3);
    close_two(&of);
}

/* ---- water */

#define SECOND_FLAGS 0x102b8 /* of the second room, in the file */

/* The box of the second room; in it a ball sinks at sqrt(m g / k), in the first one it falls. */
static void water_rooms_slow_what_falls(void)
{
    two_rooms of;
    size_t size, count;
    uint32_t dry;
    rooms_box *boxes;
    tp_field field;
    tp_field_def water = tp_field_default(TP_FIELD_DRAG);
    of.bytes = room_fixture(&size);
    of.bytes[SECOND_FLAGS] = 1;
    if (!CHECK(open_level(of.bytes, size, false, &of.level, &of.shell))) return;
    CHECK(rooms_water(&of.level, SCALE, 23, &boxes, &count, &dry) == HOST_DONE && count == 1);
    CHECK_EQ(dry, 0);
    CHECK(boxes[0].low[0] == 10 && boxes[0].low[1] == -2 && boxes[0].low[2] == 4);
    CHECK(boxes[0].high[0] == 16 && boxes[0].high[1] == 4 && boxes[0].high[2] == 8);
    of.made = world_in(&of.shell, 2, .1f, 0);
    test_world_gravity(of.made.world, 9.81f);
    water.quadratic = 4;
    for (int k = 0; k < 3; k++) {
        (&water.center.x)[k] = (float)(boxes[0].low[k] + boxes[0].high[k]) / 2;
        (&water.vector.x)[k] = (float)(boxes[0].high[k] - boxes[0].low[k]) / 2;
    }
    CHECK(tp_field_add(of.made.world, &water, &field) == TP_OK);
    collide_particle(of.made.world, (tp_vector){3, 7, 3}, (tp_vector){0, 0, 0});
    collide_particle(of.made.world, (tp_vector){13, 3.5f, 6}, (tp_vector){0, 0, 0});
    test_world_frames(of.made.world, 60);
    tp_view view = tp_world_view(of.made.world);
    CHECK_NEAR(view.vy[0], -9.81, 1e-4);
    CHECK_NEAR(view.vy[1], -sqrt(9.81 / 4), 3e-3); /* of second order in the step */
    free(boxes);
    close_two(&of);
}

/* True if a place in m is in one of the boxes. */
static bool is_in(const rooms_box *boxes, size_t count, tp_vector place)
{
    const double at[3] = {(double)place.x, (double)place.y, (double)place.z};
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        bool is_here = true;
        for (int k = 0; k < 3; k++)
            is_here = is_here && at[k] >= boxes[i].low[k] && at[k] < boxes[i].high[k];
        found = found || is_here;
    }
    return found;
}

/* The random level has rooms of one size on a lattice: each place in a water room is in a box, no
   other one is, and joined boxes are fewer than rooms. */
static void boxes_of_water_have_the_water_rooms_only(void)
{
    size_t size, count;
    rooms_box *boxes;
    rooms level, dry;
    uint32_t state = 5, wet = 0, water = 0, overlapped;
    uint8_t *bytes = room_random(3, 4, 2, &size);
    CHECK(rooms_read(&level, "level", bytes, size, false) == HOST_DONE);
    CHECK(rooms_read(&dry, "level", bytes, size, false) == HOST_DONE);
    CHECK(rooms_water(&level, SCALE, 23, &boxes, &count, &overlapped) == HOST_DONE);
    CHECK_EQ(overlapped, 2); /* slanted floors that reach a click into a box from above */
    for (uint32_t r = 0; r < level.count; r++) {
        water += level.room[r].is_water && !level.is_hidden[r];
        dry.is_hidden[r] = dry.is_hidden[r] || level.room[r].is_water;
    }
    CHECK(count > 0 && count <= water);
    for (uint32_t k = 0; k < 500; k++) {
        tp_vector place = place_within(&level, &state);
        const double at[3] = {(double)place.x / SCALE, -(double)place.y / SCALE,
                              (double)place.z / SCALE};
        bool is_wet = !is_within(&dry, at, 0);
        CHECK(is_in(boxes, count, place) == is_wet);
        wet += is_wet;
    }
    test_note("%u of 500 places are wet; %zu boxes of %u rooms", wet, count, water);
    CHECK(wet > 50 && wet < 450);
    free(boxes);
    rooms_free(&level);
    rooms_free(&dry);
    free(bytes);
}

/* A block of water at the portal's edge: it falls into the second room and stays there. */
static void a_fluid_flows_through_the_portal(void)
{
    two_rooms of;
    size_t size;
    of.bytes = room_fixture(&size);
    if (!CHECK(open_level(of.bytes, size, false, &of.level, &of.shell))) return;
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 128;
    def.geometry_bytes_max = 1u << 20;
    of.made = test_world_make(&def);
    add_shell(of.made.world, &of.shell, 0);
    test_world_gravity(of.made.world, 9.81f);
    for (uint32_t i = 0; i < 125; i++)
        collide_particle(of.made.world,
                         (tp_vector){9.2f + .1f * (float)(i % 5), .06f + .1f * (float)(i / 25),
                                     5 + .1f * (float)(i / 5 % 5)},
                         (tp_vector){2, 0, 0});
    test_world_frames(of.made.world, 90);
    tp_view view = tp_world_view(of.made.world);
    uint32_t below = 0;
    CHECK_EQ(view.count, 125);
    for (uint32_t i = 0; i < view.count; i++) {
        const double at[3] = {(double)view.x[i] / SCALE, -(double)view.y[i] / SCALE,
                              (double)view.z[i] / SCALE};
        CHECK(is_within(&of.level, at, 2));
        below += view.y[i] < -1.5f && view.x[i] > 10;
    }
    CHECK(below > 100);
    close_two(&of);
}

/* A sheet of cloth over the edge of the block: it drapes, and no node leaves the rooms. */
static void a_cloth_drapes_over_the_block(void)
{
    two_rooms of;
    size_t size;
    of.bytes = room_fixture(&size);
    if (!CHECK(open_level(of.bytes, size, false, &of.level, &of.shell))) return;
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = 64;
    def.species[0].radius = .05f;
    def.species[0].mass = .01f;
    def.cloth.sheets_max = 1;
    def.cloth.constraints_max = 6 * 64;
    def.geometry_bytes_max = 1u << 20;
    of.made = test_world_make(&def);
    add_shell(of.made.world, &of.shell, 0);
    test_world_gravity(of.made.world, 9.81f);
    tp_cloth_def sheet = sheet_level(8, 8, .25f, (tp_vector){4.6f, 1.3f, 4.6f});
    (void)sheet_add(of.made.world, &sheet);
    test_world_frames(of.made.world, 60);
    tp_view view = tp_world_view(of.made.world);
    uint32_t above = 0, hanging = 0;
    CHECK_EQ(view.count, 64);
    for (uint32_t i = 0; i < view.count; i++) {
        const double at[3] = {(double)view.x[i] / SCALE, -(double)view.y[i] / SCALE,
                              (double)view.z[i] / SCALE};
        CHECK(is_within(&of.level, at, 2));
        above += fabs((double)view.y[i] - 1.05) < .05;
        hanging += view.y[i] < .95f;
    }
    test_note("%u nodes on the block, %u below its edge", above, hanging);
    CHECK(above > 8 && hanging > 8);
    close_two(&of);
}

/* ---- rooms that replace others, sectors that kill */

/* Each state has one room of each pair, and places are found in the one that it shows. */
static void flipped_rooms_replace_those_that_they_name(void)
{
    size_t size;
    uint8_t *bytes = room_random(5, 3, 1, &size);
    for (uint32_t flipped = 0; flipped < 2; flipped++) {
        rooms level;
        uint32_t pairs = 0, found = 0;
        CHECK(rooms_read(&level, "level", bytes, size, flipped) == HOST_DONE);
        for (uint32_t r = 0; r < level.count; r++) {
            const room *of = &level.room[r];
            if (of->alternate < 0) continue;
            uint32_t shown = flipped ? (uint32_t)of->alternate : r;
            CHECK(level.is_hidden[r] == (flipped != 0));
            CHECK(level.is_hidden[of->alternate] == (flipped == 0));
            CHECK_EQ(level.map[r], shown);
            pairs++;
            for (int32_t k = 0; k < 36; k++) {
                room_cell cell;
                if (!rooms_find(&level, r, of->x + 1536 + k / 6 * 1024, of->z + 1536 + k % 6 * 1024,
                                &cell))
                    continue;
                CHECK_EQ(cell.room, shown);
                found++;
            }
        }
        CHECK(pairs == 2 && found > 40);
        rooms_free(&level);
    }
    free(bytes);
}

#define SLANT_WORD 0x102c4 /* floor data of the slanted sector */

/* Floor data 5 in place of the slant: its sector, and no other one, has a deadly floor. */
static void floors_that_kill_are_told(void)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    rooms_shell shell;
    uint32_t deadly = 0;
    bytes[SLANT_WORD] = 5;
    if (!CHECK(open_level(bytes, size, false, &level, &shell))) return;
    for (size_t i = 0; i < shell.triangle_count; i++) {
        if (shell.kinds[i] != ROOMS_DEADLY) continue;
        deadly++;
        for (uint32_t k = 0; k < 3; k++) {
            const float *point = shell.points[shell.corners[3 * i + k]];
            CHECK(point[0] >= 6 && point[0] <= 8 && point[1] == 0 && point[2] >= 6 &&
                  point[2] <= 8);
        }
    }
    CHECK_EQ(deadly, 2);
    close_level(&level, &shell);
    free(bytes);
}

/* ---- damaged files */

/* A damaged file: one error with a byte of the file, or a surface; is it that of the whole one? */
static void try_level(const uint8_t *bytes, size_t size, const rooms_shell *whole, bool *is_same)
{
    room_errors to = room_errors_none();
    rooms level;
    rooms_shell shell;
    host_listen_begin(&to.listener);
    bool is_good = open_level(bytes, size, false, &level, &shell);
    host_listen_end();
    *is_same = false;
    CHECK_EQ(to.errors, is_good ? 0 : 1);
    if (!is_good) {
        CHECK(to.byte <= size);
        return;
    }
    *is_same = shell.triangle_count == whole->triangle_count &&
               memcmp(shell.corners, whole->corners, 12 * whole->triangle_count) == 0 &&
               shell.point_count == whole->point_count &&
               memcmp(shell.points, whole->points, 12 * whole->point_count) == 0;
    if (!*is_same) {
        CHECK(shell.open > 0);
        (void)closed_volume(&shell);
    }
    close_level(&level, &shell);
}

/* The bytes that a world depends on: the place of a room, its portal, its sectors, its alternate;
   counts; floor data. */
static bool counts(size_t byte)
{
    if (byte < 4) return true;
    if (byte < 0x1000c) return byte < 8;
    if (byte >= 0x102ba) return byte < 0x102ba + 4 + 14;
    return true;
}

static void truncated_levels_name_their_end(void)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    rooms_shell shell;
    CHECK(open_level(bytes, size, false, &level, &shell));
    for (size_t end = 0; end < size; end++) {
        bool is_same, within_textures = end > 16 && end < 0x10000;
        if (within_textures && end % 997) continue;
        if (end > 0x10300 && !test_runs((uint32_t)end, 97)) continue; /* arrays that are ignored */
        uint8_t *copy = malloc(end ? end : 1); /* exact, so that a read beyond it is found */
        memcpy(copy, bytes, end);
        try_level(copy, end, &shell, &is_same);
        CHECK(is_same == (end >= 0x102ba + 4 + 14));
        free(copy);
    }
    close_level(&level, &shell);
    free(bytes);
}

/* A change is found and its byte is named, or it changes nothing, or the surface is closed anyway:
   heights, slants and walls may have any value. */
static void changed_levels_are_refused_or_closed(void)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    rooms level;
    rooms_shell shell;
    uint32_t same = 0, all = 0;
    CHECK(open_level(bytes, size, false, &level, &shell));
    for (size_t byte = 0; byte < size; byte++) {
        if (!counts(byte) && byte % (test_is_long() ? 97 : 997)) continue;
        for (uint32_t change = 1; change < 256; change += test_is_long() ? 1 : 63) {
            bool is_same;
            test_note("byte %zu, xor %u", byte, change);
            bytes[byte] ^= (uint8_t)change;
            try_level(bytes, size, &shell, &is_same);
            bytes[byte] ^= (uint8_t)change;
            if (!counts(byte)) CHECK(is_same);
            same += counts(byte) && is_same;
            all += counts(byte);
        }
    }
    CHECK(same > all / 10 && same < all / 2 + all / 4);
    close_level(&level, &shell);
    free(bytes);
}

static const test_case cases[] = {
    TEST_CASE(r_26_two_rooms_have_their_checksum_and_their_portals_meet),
    TEST_CASE(heights_are_those_of_the_two_rooms),
    TEST_CASE(hops_through_portals_are_counted_and_capped),
    TEST_CASE(r_27_floors_are_below_ceilings_and_face_up),
    TEST_CASE(surfaces_of_random_levels_are_closed),
    TEST_CASE(rooms_at_one_place_are_counted),
    TEST_CASE(fast_particles_never_leave_the_rooms),
    TEST_CASE(a_level_is_searched_near_the_particle_only),
    TEST_CASE(balls_rest_fall_and_roll_as_the_floors_are),
    TEST_CASE(water_rooms_slow_what_falls),
    TEST_CASE(boxes_of_water_have_the_water_rooms_only),
    TEST_CASE(a_fluid_flows_through_the_portal),
    TEST_CASE(a_cloth_drapes_over_the_block),
    TEST_CASE(flipped_rooms_replace_those_that_they_name),
    TEST_CASE(floors_that_kill_are_told),
    TEST_CASE(truncated_levels_name_their_end),
    TEST_CASE(changed_levels_are_refused_or_closed),
};
TEST_SUITE(rooms, cases);
