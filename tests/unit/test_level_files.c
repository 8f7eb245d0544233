/* SPDX-License-Identifier: MIT
   tests/unit/test_level_files.c - the files of tidepool level, and shipped files of lights.
   reads   level files, host_tools/light      writes  a temporary folder
   memory  some MB      cost    below a second: small pictures
   after   own design */
#include "commands/commands.h"
#include "common/host.h"
#include "files_help.h"
#include "room_help.h"
#include "rooms/rooms.h"
#include "test.h"
#include <stdlib.h>
#include <string.h>

/* Standard output of a command that succeeds without a message; the caller frees it. */
static test_output done(int (*call)(int, char **), const char *line)
{
    test_output output = test_command(call, line);
    test_note("%s: %s", line, output.errors);
    CHECK_EQ(output.code, 0);
    CHECK(output.errors[0] == 0);
    return output;
}

static void does(int (*call)(int, char **), const char *line)
{
    test_output output = done(call, line);
    test_output_free(&output);
}

static void shell(const char *line)
{
    test_note("%s", line);
    CHECK(system(line) == 0); /* NOLINT(cert-env33-c) */
}

/* Those of the guide to pictures, without patches, which take long. */
static void shipped_lights_are_read(void)
{
    char *folder = test_folder_make();
    does(command_size, "size host_tools/light/torch/torch.scene");
    shell(test_text("cp host_tools/light/*/*.light host_tools/light/*/*.obj "
                    "host_tools/light/*/*.mtl %s",
                    folder));
    shell(test_text("cd %s && sed -i -e '/ = .*tpl/d' -e '/bounces/d' *.light && "
                    "printf 'x,y,z\n4,1,4\n3,1,3\n' >two.csv",
                    folder));
    for (uint32_t k = 0; k < 2; k++)
        does(command_render, test_text("render %s/two.csv --frame 1 --size 16x12 --samples 1 "
                                       "--quiet --light %s/%s.light --out %s/lit.png",
                                       folder, folder, k ? "torch" : "room", folder));
    test_folder_remove(folder);
}

/* Two rooms, in a folder, after a change of a byte. */
static void write_two_rooms(const char *folder, size_t byte, uint8_t value)
{
    size_t size;
    uint8_t *bytes = room_fixture(&size);
    bytes[byte] = value;
    test_file_write(test_text("%s/two.lvl", folder), bytes, size);
    free(bytes);
}

/* The scene that it writes runs, and the light draws it. */
static void a_level_becomes_a_scene(void)
{
    char *folder = test_folder_make();
    write_two_rooms(folder, 0x102b8, 1); /* the second room has water */
    test_output output =
        done(command_level,
             test_text("level %s/two.lvl --out %s --size 40x30 --json --quiet", folder, folder));
    CHECK(strstr(output.standard, "\"rooms\": 2") && strstr(output.standard, "\"columns\": 22"));
    CHECK(strstr(output.standard, "\"water_fields\": 1,") != NULL);
    test_output_free(&output);
    shell(test_text("grep -A 4 'field water_1' %s/level.scene | tr '\n' ' ' | "
                    "grep -q 'center = 13 1 6     half = 3 3 2 '",
                    folder));
    CHECK(test_file_exists(test_text("%s/level.png", folder)));
    does(command_level,
         test_text("level %s/two.lvl --out %s/new --size 4x4 --quiet", folder, folder));
    CHECK(test_file_exists(test_text("%s/new/level.scene", folder)));
    CHECK(!test_file_exists(test_text("%s/level_deadly.obj", folder)));
    does(command_bake, test_text("bake %s/level.scene %s/level.tpc --quiet", folder, folder));
    does(command_render, test_text("render %s/level.tpc --frame 2 --size 40x30 --samples 1 --quiet "
                                   "--light %s/level.light --out %s/lit.png",
                                   folder, folder, folder));
    test_folder_remove(folder);
}

/* Sectors may be as large as those of a collider's rooms. */
static void scenes_of_every_scale_run(void)
{
    static const char *const scales[] = {"1e-6", "9"};
    char *folder = test_folder_make();
    write_two_rooms(folder, 0, 0x20);
    for (size_t k = 0; k < 2; k++) {
        does(command_level, test_text("level %s/two.lvl --out %s --scale %s --size 4x4 --quiet",
                                      folder, folder, scales[k]));
        does(command_run, test_text("run %s/level.scene --frames 1 --quiet", folder));
    }
    test_output over = test_command(
        command_level, test_text("level %s/two.lvl --out %s --scale 9.8 --quiet", folder, folder));
    CHECK(over.code == 2);
    test_output_free(&over);
    test_folder_remove(folder);
}

/* Particles of the scene after 90 frames, after a change by sed. */
static double particles_of(const char *folder, const char *change)
{
    double used = -1;
    shell(test_text("sed -i -e '%s' %s/level.scene", change, folder));
    test_output output =
        done(command_run, test_text("run %s/level.scene --frames 90 --json --quiet", folder));
    const char *at = strstr(output.standard, "\"particles\": {\"capacity\": 3000, \"used\": ");
    if (CHECK(at != NULL)) used = strtod(strstr(at, "used") + 7, NULL);
    test_output_free(&output);
    return used;
}

/* Sparks that fall on a floor that kills die there: after a second, 300 are in the air. */
static void a_floor_that_kills_is_a_collider(void)
{
    char *folder = test_folder_make();
    write_two_rooms(folder, 0x102c4, 5); /* instead of a slant */
    does(command_level,
         test_text("level %s/two.lvl --out %s --size 40x30 --quiet", folder, folder));
    double left =
        particles_of(folder, "s/position = 3 4 3/position = 7 4 7/;s/jitter = 4/jitter = 0/");
    test_note("%g particles are left", left);
    CHECK(left > 250 && left < 400);
    CHECK_EQ(particles_of(folder, "s/kills = yes/kills = no/"), 450);
    test_folder_remove(folder);
}

/* The state hash of the scene after 40 frames, after a change by sed; and its hops. */
static void run_rooms(const char *folder, const char *change, char hash[17], double *hops)
{
    shell(test_text("sed -i -e '%s' %s/level.scene", change, folder));
    test_output output =
        done(command_run, test_text("run %s/level.scene --frames 40 --json --quiet", folder));
    const char *at = strstr(output.standard, "\"state_hash\": \""),
               *count = strstr(output.standard, "\"room_hops\": ");
    if (CHECK(at && count)) {
        memcpy(hash, at + 15, 16);
        *hops = strtod(count + 13, NULL);
    }
    hash[16] = 0;
    test_output_free(&output);
}

/* With its rooms a scene has the bits that it has without them, and counts hops; bake has them. */
static void a_scene_has_the_rooms_of_its_level(void)
{
    static const char *const wrong[][2] = {
        {"2 0 0", ""}, {"x", "whole numbers"}, {"2 99999", "whole numbers"}};
    char *folder = test_folder_make(), with[17] = "", without[17] = "";
    double hops = 0, none = 1;
    write_two_rooms(folder, 0, 0x20);
    does(command_level,
         test_text("level %s/two.lvl --out %s --size 16x12 --quiet", folder, folder));
    run_rooms(folder, "s/position = 3 4 3/position = 8 2 6/;s/velocity = 0 2 0/velocity = 9 0 0/",
              with, &hops);
    does(command_bake, test_text("bake %s/level.scene %s/level.h", folder, folder));
    shell(test_text("grep -q 'level_rooms_rooms\\[513\\] = {' %s/level.h", folder));
    shell(test_text("grep -q 'def.room_words = 513;' %s/level.h", folder));
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        shell(test_text("cp %s/level.rooms %s/kept && echo '%s' >%s/level.rooms", folder, folder,
                        wrong[k][0], folder));
        test_output output =
            test_command(command_run, test_text("run %s/level.scene --frames 1 --quiet", folder));
        CHECK(output.code != 0);
        CHECK(strstr(output.errors, "rooms") && (k == 0 || strstr(output.errors, wrong[k][1])));
        test_output_free(&output);
        shell(test_text("mv %s/kept %s/level.rooms", folder, folder));
    }
    run_rooms(folder, "/rooms = /d", without, &none);
    CHECK(strcmp(with, without) == 0 && with[0]);
    test_note("%g hops", hops);
    CHECK(hops > 50 && none == 0);
    test_folder_remove(folder);
}

/* More triangles than patches may be: the picture has no patches. */
static void a_large_level_has_its_picture(void)
{
    size_t size;
    char *folder = test_folder_make();
    uint8_t *bytes = room_random(3, 6, 4, &size);
    test_file_write(test_text("%s/large.lvl", folder), bytes, size);
    test_output output =
        done(command_level,
             test_text("level %s/large.lvl --out %s --size 16x12 --json --quiet", folder, folder));
    const char *at = strstr(output.standard, "\"triangles\": ");
    CHECK(at && strtod(at + 13, NULL) > 32768);
    CHECK(test_file_exists(test_text("%s/level.png", folder)));
    test_output_free(&output);
    free(bytes);
    test_folder_remove(folder);
}

/* ---- the reader */

#define DATA_COUNT 0x102ba /* words of floor data, and then those */

static void put_word(uint8_t *bytes, uint32_t word, uint32_t value)
{
    bytes[DATA_COUNT + 4 + 2 * word] = (uint8_t)value;
    bytes[DATA_COUNT + 5 + 2 * word] = (uint8_t)(value >> 8);
}

/* A list ends with bit 15, but not at a camera, action 6, which has one more word. */
static void triggers_are_skipped(void)
{
    static const uint16_t lists[2][6] = {{4, 0, 0x9800, 0x8000, 0x8005, 0},
                                         {4, 0, 0x9800, 0, 0x8400, 0x8005}};
    for (uint32_t list = 0; list < 2; list++) {
        size_t size;
        uint8_t *bytes = room_fixture(&size);
        rooms level;
        bytes[DATA_COUNT] = 13;
        for (uint32_t k = 0; k < 6; k++) put_word(bytes, 7 + k, lists[list][k]);
        bytes[0x1007a + 8 * (2 * 6 + 2)] = 7;
        if (CHECK(rooms_read(&level, "level", bytes, size, false) == HOST_DONE))
            CHECK(level.room[0].sectors[2 * 6 + 2].kills && !level.room[0].sectors[7].kills);
        rooms_free(&level);
        free(bytes);
    }
}

/* Faults that no change of a single byte reaches alone, and the byte that is named. */
static void rules_of_levels_name_their_byte(void)
{
    static const struct {
        uint32_t at[2], value[2], byte;
    } cases[] = {{{DATA_COUNT, DATA_COUNT}, {6, 6}, DATA_COUNT + 4 + 10}, /* a portal's room */
                 {{0x101a0, 0x101a1}, {1, 0}, 0},                         /* good: 1 replaces 0 */
                 {{0x101a0, 0x102b6}, {1, 0}, 0x1000e}}; /* each is the alternate of the other */
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t size;
        room_errors to = room_errors_none();
        uint8_t *bytes = room_fixture(&size);
        rooms level;
        for (uint32_t i = 0; i < 2; i++) bytes[cases[k].at[i]] = (uint8_t)cases[k].value[i];
        if (k == 2) bytes[0x101a1] = bytes[0x102b7] = 0;
        host_listen_begin(&to.listener);
        int code = rooms_read(&level, "level", bytes, size, false);
        host_listen_end();
        CHECK_EQ(code, cases[k].byte ? HOST_BAD_INPUT : HOST_DONE);
        CHECK(to.errors == (cases[k].byte != 0) && to.byte == cases[k].byte);
        rooms_free(&level);
        free(bytes);
    }
}

/* ---- water */

/* Boxes of a level whose pools are 3072 units apart: each pool is in one, no cellar is. */
static size_t boxes_of_pools(uint32_t pools, bool has_cellars, size_t most, uint32_t *dry)
{
    size_t size, count = 0;
    rooms level;
    rooms_box *boxes = NULL;
    uint8_t *bytes = room_pools(pools, has_cellars, &size);
    CHECK(rooms_read(&level, "level", bytes, size, false) == 0);
    CHECK(rooms_water(&level, 1, most, &boxes, &count, dry) == 0);
    for (uint32_t k = 0; k < 2 * pools - 1; k++) {
        double x = k < pools ? 3072.0 * k + 2048 : 3072.0 * (k + 1 - pools) + 512, y = -700;
        uint32_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += x > boxes[i].low[0] && x < boxes[i].high[0] && y > boxes[i].low[1] &&
                     y < boxes[i].high[1];
        if (k < pools) CHECK_EQ(found, 1);
        if (k >= pools && has_cellars) CHECK_EQ(found, 0);
    }
    free(boxes);
    rooms_free(&level);
    free(bytes);
    return count;
}

/* Up to the limit each room keeps its box. Beyond it boxes are joined while only rock is between
   them. */
static void water_of_many_rooms_is_joined_across_rock(void)
{
    uint32_t dry;
    CHECK_EQ(boxes_of_pools(23, false, 23, &dry), 23);
    CHECK_EQ(boxes_of_pools(24, false, 23, &dry), 23);
    CHECK_EQ(boxes_of_pools(40, false, 23, &dry), 23);
    CHECK_EQ(boxes_of_pools(40, false, 1, &dry), 1);
    CHECK_EQ(dry, 0);
    CHECK_EQ(boxes_of_pools(40, true, 23, &dry), 40);
    CHECK_EQ(dry, 0);
}

/* What the scene has of it, and what is told. */
static void water_without_drag_is_told(void)
{
    static const struct {
        uint32_t pools;
        bool has_cellars;
        const char *fields, *note;
    } rows[] = {{23, true, "\"water_fields\": 23,", NULL},
                {40, false, "\"water_fields\": 23,", NULL},
                {24, true, "\"water_fields\": 23,", "1 boxes of water have no drag"}};
    char *folder = test_folder_make();
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        size_t size;
        uint8_t *bytes = room_pools(rows[k].pools, rows[k].has_cellars, &size);
        test_file_write(test_text("%s/pools.lvl", folder), bytes, size);
        test_output output =
            test_command(command_level, test_text("level %s/pools.lvl --out %s --size 16x12 --json",
                                                  folder, folder));
        test_note("%s%s", output.standard, output.errors);
        CHECK(output.code == 0 && strstr(output.standard, rows[k].fields));
        CHECK(!strstr(output.errors, "no drag") == !rows[k].note);
        CHECK(!rows[k].note || strstr(output.errors, rows[k].note));
        test_output_free(&output);
        does(command_size, test_text("size %s/level.scene", folder));
        free(bytes);
    }
    test_folder_remove(folder);
}

/* A cellar at the place of a pool: its three sectors are in the pool's box. */
static void dry_sectors_in_boxes_of_water_are_told(void)
{
    size_t size, count;
    uint32_t dry;
    rooms level;
    rooms_box *boxes;
    uint8_t *bytes = room_pools(3, true, &size);
    CHECK(rooms_read(&level, "level", bytes, size, false) == 0);
    level.room[4].x -= 1024;
    CHECK(rooms_water(&level, 1, 23, &boxes, &count, &dry) == 0);
    CHECK(count == 3 && dry == 3);
    free(boxes);
    rooms_free(&level);
    free(bytes);
}

static const test_case cases[] = {
    TEST_CASE(shipped_lights_are_read),
    TEST_CASE(a_level_becomes_a_scene),
    TEST_CASE(scenes_of_every_scale_run),
    TEST_CASE(a_floor_that_kills_is_a_collider),
    TEST_CASE(a_scene_has_the_rooms_of_its_level),
    TEST_CASE(a_large_level_has_its_picture),
    TEST_CASE(triggers_are_skipped),
    TEST_CASE(rules_of_levels_name_their_byte),
    TEST_CASE(water_of_many_rooms_is_joined_across_rock),
    TEST_CASE(water_without_drag_is_told),
    TEST_CASE(dry_sectors_in_boxes_of_water_are_told),
};
TEST_SUITE(level_files, cases);
