/* SPDX-License-Identifier: MIT
   tests/unit/test_activity.c - `activity`: keys at collisions, bytes, step lengths, births, deaths,
           regions.
   reads   -                               writes  a temporary folder
   memory  malloc                          cost    below a second
   after   own design */
#include "../../host_tools/formats/activity.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int command_activity(int argc, char **argv);
int command_convert(int argc, char **argv);

/* Measures a file; false after a failed check. */
static bool measure(activity *result, const char *path, uint32_t side)
{
    host_sequence sequence;
    host_progress progress = {0};
    if (!CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) return false;
    bool good = CHECK_EQ(activity_measure(result, &sequence, side, &progress), HOST_DONE);
    host_sequence_close(&sequence);
    return good;
}

static double region_share(const activity *result, const double *sums, uint32_t region)
{
    double total = 0;
    for (uint32_t r = 0; r < result->regions.side * result->regions.side; r++)
        total += activity_region_sum(&result->regions, sums, r);
    return activity_region_sum(&result->regions, sums, region) / total;
}

/* ---- keys */

enum { BALLS = 200, BALL_FRAMES = 192, PERIOD = 48, LANDING = 20, KEY_INTERVAL = 64, SETTLED = 8 };

/* The balls of the left half and those of the right half land half a period apart. */
static int since_landing(int frame, bool is_right)
{
    int phase = (frame - LANDING - (is_right ? PERIOD / 2 : 0)) % PERIOD;
    return phase < 0 ? phase + PERIOD : phase;
}

static void write_balls(const char *path)
{
    FILE *table = fopen(path, "w");
    if (!CHECK(table != NULL)) return;
    fputs("frame,index,x,y,z\n", table);
    for (int f = 1; f <= BALL_FRAMES; f++)
        for (int i = 0; i < BALLS; i++) {
            bool is_right = i >= BALLS / 2;
            double t = (since_landing(f, is_right) + 0.5) / PERIOD;
            fprintf(table, "%d,%d,%.9g,%.9g,%.9g\n", f, i, 0.01 * i, 0.3 + 0.002 * (i % 7) * f,
                    4 * t * (1 - t) * (1 + 0.02 * (i % 11)));
        }
    fclose(table);
}

/* False shortly after the start of a group, where a tile learns velocities and accelerations
   again. */
static bool is_settled(int frame) { return (frame - 1) % KEY_INTERVAL >= SETTLED; }

/* An encoder with look-ahead may place keys up to two frames before a point lands, and some where
   they are cheapest. */
static void keys_peak_at_frames_with_collisions(void)
{
    char *folder = test_folder_make();
    const char *table = test_text("%s/a.csv", folder), *clip = test_text("%s/a.tpc", folder);
    activity result;
    int quiet = 0, struck = 0;
    write_balls(table);
    test_expect(command_convert, test_text("convert %s %s --error 1e-3 --quiet", table, clip),
                HOST_DONE, NULL);
    if (!measure(&result, clip, 1)) return;
    CHECK(result.has_keys && result.has_bytes && result.frame_count == BALL_FRAMES);
    for (int f = 1; f <= BALL_FRAMES; f++) {
        const activity_frame *frame = &result.frames[f - 1];
        int left = since_landing(f, false), right = since_landing(f, true),
            least = left < right ? left : right;
        test_note("frame %d: %u keys, %d after a landing", f, frame->keys, least);
        CHECK(activity_knows_keys(&result, frame) == ((f - 1) % KEY_INTERVAL >= 2));
        if (!is_settled(f)) continue;
        if (least == 0) CHECK(frame->keys == BALLS / 2), struck++;
        if (least > SETTLED && least < PERIOD / 2 - 2) CHECK(frame->keys <= BALLS / 25), quiet++;
    }
    CHECK(struck >= 6 && quiet >= 60);
    activity_free(&result);
    test_folder_remove(folder);
}

/* A lossless clip has bytes, but no keys: there is no error bound. */
static void exact_clips_have_bytes_and_no_keys(void)
{
    char *folder = test_folder_make();
    const char *table = test_text("%s/a.csv", folder), *clip = test_text("%s/a.tpc", folder);
    activity result;
    uint64_t bits = 0, bytes = 0;
    write_balls(table);
    test_expect(command_convert, test_text("convert %s %s --quiet", table, clip), HOST_DONE, NULL);
    if (!measure(&result, clip, 2)) return;
    CHECK(!result.has_keys && result.has_bytes);
    for (size_t f = 0; f < result.frame_count; f++) bits += result.frames[f].bits;
    for (size_t g = 0; g < result.group_count; g++) bytes += result.groups[g].bytes;
    CHECK_EQ(result.group_count, 3);
    CHECK(bits / 8 <= bytes && bits / 8 > bytes / 2);
    activity_free(&result);
    if (!measure(&result, table, 2)) return;
    CHECK(!result.has_keys && !result.has_bytes && !result.group_count);
    activity_free(&result);
    test_folder_remove(folder);
}

/* ---- motion, births and deaths */

static const char lives_table[] = "frame,index,x,y,z\n"
                                  "1,0,0,0,0\n1,1,5,5,0\n"
                                  "2,0,3,4,0\n2,1,5,5,0\n2,2,1,1,0\n"
                                  "6,0,3,4,20\n6,2,1,1,nan\n6,3,0,0,0\n";

static void steps_births_and_deaths_are_counted(void)
{
    char *folder = test_folder_make();
    const char *table = test_text("%s/a.csv", folder);
    activity result;
    test_file_write(table, lives_table, sizeof lives_table - 1);
    if (!measure(&result, table, 4)) return;
    const activity_frame *frames = result.frames;
    CHECK_EQ(result.frame_count, 3);
    CHECK(frames[0].points == 2 && frames[0].births == 0 && frames[0].largest_step == 0);
    CHECK(frames[1].points == 3 && frames[1].births == 1 && frames[1].deaths == 0);
    CHECK(frames[1].largest_step == 5 && frames[1].mean_step == 2.5 &&
          frames[1].largest_point == 0);
    CHECK(frames[2].births == 1 && frames[2].deaths == 1);
    /* 20 units in four frames; the other point has no valid position */
    CHECK(frames[2].largest_step == 5 && frames[2].mean_step == 2.5);
    activity_free(&result);
    test_folder_remove(folder);
}

/* ---- regions */

/* .bphys and .tpc files have z up: the y of a 2D scene is their z, and their y is 0. */
static void regions_name_the_axes_of_a_plane(void)
{
    char *folder = test_folder_make();
    FILE *table = fopen(test_text("%s/a.csv", folder), "w");
    if (!CHECK(table != NULL)) return;
    fputs("frame,index,x,y,z\n1,0,0,0,0\n2,0,4,2,0\n", table);
    fclose(table);
    for (int k = 0; k < 2; k++) {
        const char *tpc = test_text("%s/a.tpc", folder);
        test_expect(
            command_convert,
            test_text("convert %s/a.csv %s --axis %s --quiet", folder, tpc, k ? "z-up" : "y-up"),
            HOST_DONE, NULL);
        test_output shown = test_command(command_activity, test_text("activity %s", tpc));
        CHECK(strstr(shown.standard,
                     k ? "x from 0 to 4 and y from 0 up to 2\n"
                       : "x from 0 to 4 and z (y of a 2D scene) from 0 up to 2\n") != NULL);
        test_output_free(&shown);
    }
    test_folder_remove(folder);
}

/* x from 0 to 8, y 0, z from 0 to 4: one point moves along x on the lower edge, one rests in the
   upper right corner. */
static void regions_share_the_motion(void)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.csv", folder);
    activity result;
    FILE *table = fopen(path, "w");
    if (!CHECK(table != NULL)) return;
    fputs("frame,index,x,y,z\n", table);
    for (int f = 0; f <= 1000; f++) fprintf(table, "%d,0,%.9g,0,0\n%d,1,8,0,4\n", f, 0.008 * f, f);
    fclose(table);
    if (!measure(&result, path, 2)) return;
    const activity_regions *regions = &result.regions;
    CHECK(regions->axis[0] == 0 && regions->axis[1] == 2);
    CHECK(regions->low[0] == 0 && regions->high[0] == 8 && regions->low[1] == 0 &&
          regions->high[1] == 4);
    CHECK(regions->columns <= ACTIVITY_COLUMNS_MAX &&
          regions->columns * regions->column_frames >= 1001);
    CHECK_NEAR(region_share(&result, regions->motion, 0), 0.5, 0.002);
    CHECK_NEAR(region_share(&result, regions->motion, 1), 0.5, 0.002);
    CHECK(region_share(&result, regions->motion, 2) == 0 &&
          region_share(&result, regions->motion, 3) == 0);
    CHECK(regions->motion[0] > 0 && regions->motion[regions->columns - 1] == 0);
    double *corner = activity_region_at(regions, regions->motion, 0, (const float[3]){8, 0, 4});
    CHECK(corner == &regions->motion[3 * regions->columns]);
    CHECK(!activity_region_at(regions, regions->motion, 0, (const float[3]){0, NAN, 0}));
    activity_free(&result);
    test_folder_remove(folder);
}

/* ---- the command */

static void activity_is_told_drawn_and_written_as_json(void)
{
    char *folder = test_folder_make();
    const char *table = test_text("%s/a.csv", folder), *svg = test_text("%s/a.svg", folder);
    test_file_write(table, lives_table, sizeof lives_table - 1);
    test_output output =
        test_command(command_activity, test_text("activity %s --svg %s", table, svg));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.standard, "largest step 5 in frame 2, 3.333 on average; point 0") != NULL);
    CHECK(strstr(output.standard, "births       1 in frame 2") != NULL);
    CHECK(strstr(output.standard, "share of the motion in percent, x from 0 to 5 and z") != NULL);
    test_output_free(&output);
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (CHECK_EQ(host_read_file(svg, &bytes, &size), HOST_DONE)) {
        CHECK(strstr((const char *)bytes, "not evenly spaced") &&
              strstr((const char *)bytes, "a1"));
        CHECK(!strstr((const char *)bytes, "nan") && strstr((const char *)bytes, "</svg>\n"));
        free(bytes);
    }
    output = test_command(command_activity, test_text("activity %s --json --regions 1", table));
    CHECK(strstr(output.standard,
                 "\"frame\": 6, \"points\": 3, \"births\": 1, \"deaths\": 1, \"mean_step\": 2.5, "
                 "\"largest_step\": 5, \"largest_point\": 0, \"bytes\": null, \"keys\": null}"));
    CHECK(strstr(output.standard, "\"groups\": null") &&
          strstr(output.standard, "\"motion\": [1], \"keys\": null}"));
    test_output_free(&output);
    test_file_write(table, "frame,index,x,y,z\n", 18);
    test_expect(command_activity, test_text("activity %s", table), HOST_BAD_INPUT,
                "expected at least one frame, found none");
    test_folder_remove(folder);
}

/* A clip that stores points which are not alive. */
static void points_that_are_not_alive_have_no_keys(void)
{
    activity result;
    if (!measure(&result, "tests/fuzz/corpus/tpc/dead_points_with_keys", 4)) return;
    for (size_t f = 0; f < result.frame_count; f++) {
        uint32_t keys = (uint32_t)result.frames[f].keys, anew = (uint32_t)result.frames[f].anew,
                 points = (uint32_t)result.frames[f].points;
        test_note("frame %zu: %u keys, %u anew, %u points", f, keys, anew, points);
        CHECK(keys <= points && anew <= points);
    }
    activity_free(&result);
}

static const test_case activity_cases[] = {
    TEST_CASE(keys_peak_at_frames_with_collisions),
    TEST_CASE(exact_clips_have_bytes_and_no_keys),
    TEST_CASE(steps_births_and_deaths_are_counted),
    TEST_CASE(regions_name_the_axes_of_a_plane),
    TEST_CASE(regions_share_the_motion),
    TEST_CASE(activity_is_told_drawn_and_written_as_json),
    TEST_CASE(points_that_are_not_alive_have_no_keys),
};
TEST_SUITE(activity, activity_cases);
