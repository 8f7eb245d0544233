/* SPDX-License-Identifier: MIT
   tests/unit/test_level_files.c - the files of tidepool level, and shipped files of lights.
   reads   level files, host_tools/light      writes  a temporary folder
   memory  some MB      cost    below a second: small pictures
   after   own design */
#include "commands/commands.h"
#include "files_help.h"
#include "room_help.h"
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
        does(command_render, test_text("render %s/two.csv --frame 0 --size 16x12 --samples 1 "
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
    CHECK(!test_file_exists(test_text("%s/level_deadly.obj", folder)));
    does(command_bake, test_text("bake %s/level.scene %s/level.tpc --quiet", folder, folder));
    does(command_render, test_text("render %s/level.tpc --frame 2 --size 40x30 --samples 1 --quiet "
                                   "--light %s/level.light --out %s/lit.png",
                                   folder, folder, folder));
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

static const test_case cases[] = {
    TEST_CASE(shipped_lights_are_read),
    TEST_CASE(a_level_becomes_a_scene),
    TEST_CASE(a_floor_that_kills_is_a_collider),
};
TEST_SUITE(level_files, cases);
