/* SPDX-License-Identifier: MIT
   tests/unit/test_sequence.c - sequences: which exist, which frames are missing, interpolation.
   reads   tests/fixtures/blender          writes  a temporary folder
   memory  malloc                          cost    about a second
   after   own design; the reference of interpolation is written from the formulas, in double
           precision */
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);

/* ---- interpolation */

static uint32_t random_state;

/* Random number between -1 and 1. */
static float noise(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(int32_t)random_state / 2147483648.0f;
}

typedef struct oracle_point {
    double location[3], velocity[3], rotation[4], birth, death;
} oracle_point;

/* X(t) = A t^3 + B t^2 + V1 t + X1 with V in distance per interval; `unit` converts stored
   velocities to that. */
static void oracle_hermite(oracle_point *p, const oracle_point *end, double t, double unit)
{
    for (int k = 0; k < 3; k++) {
        double x1 = p->location[k], x2 = end->location[k];
        double v1 = p->velocity[k] * unit, v2 = end->velocity[k] * unit;
        double a = v1 + v2 + 2 * (x1 - x2), b = -2 * v1 - v2 - 3 * (x1 - x2);
        p->location[k] = ((a * t + b) * t + v1) * t + x1;
        p->velocity[k] = ((3 * a * t + 2 * b) * t + v1) / unit;
    }
}

static void oracle_slerp(oracle_point *p, const oracle_point *end, double t)
{
    double dot = 0, sign = 1, w1 = 1 - t, w2 = t;
    for (int k = 0; k < 4; k++) dot += p->rotation[k] * end->rotation[k];
    if (dot < 0) dot = -dot, sign = -1;
    if (dot < 1 - 1e-4) {
        double angle = acos(dot);
        w1 = sin((1 - t) * angle) / sin(angle);
        w2 = sin(t * angle) / sin(angle);
    }
    for (int k = 0; k < 4; k++) p->rotation[k] = sign * w1 * p->rotation[k] + w2 * end->rotation[k];
}

static void oracle(oracle_point *p, const oracle_point *end, uint32_t type, double first,
                   double second, double at)
{
    bool lives = type == POINT_PARTICLES;
    if (lives) {
        at = fmin(at, p->death);
        first = fmin(first, p->death);
        second = fmin(second, p->death);
        if (first == second) return;
        if (at > p->birth) first = fmax(first, p->birth);
    }
    double span = second - first, t = (at - first) / span;
    oracle_slerp(p, end, t);
    if (type == POINT_RIGIDBODY)
        for (int k = 0; k < 3; k++) p->location[k] += t * (end->location[k] - p->location[k]);
    else
        oracle_hermite(p, end, t, lives ? span * 0.04 : span);
}

enum { ORACLE_POINTS = 64, BUT_TIMES = 0x3f };

static void random_rotation(float *to, const float *near)
{
    float length = 0;
    for (int k = 0; k < 4; k++) {
        to[k] = near ? near[k] + 0.3f * noise() : noise();
        length += to[k] * to[k];
    }
    for (int k = 0; k < 4; k++) to[k] *= 1 / sqrtf(length);
}

/* Makes two frames; positions in the second follow the velocities, plus a random part. Every fifth
   point is missing there. */
static void make_frames(host_frame *before, host_frame *after, uint32_t type, double first,
                        double second, float *times)
{
    double unit = (second - first) * (type == POINT_PARTICLES ? 0.04 : 1);
    host_frame_allocate(before, ORACLE_POINTS, BUT_TIMES);
    host_frame_allocate(after, ORACLE_POINTS, BUT_TIMES);
    before->number = first;
    after->number = second;
    for (uint32_t i = 0; i < ORACLE_POINTS; i++) {
        float *x1 = (float *)before->data[POINT_LOCATION] + i * 3,
              *x2 = (float *)after->data[POINT_LOCATION] + i * 3;
        float *v1 = (float *)before->data[POINT_VELOCITY] + i * 3,
              *v2 = (float *)after->data[POINT_VELOCITY] + i * 3;
        for (int k = 0; k < 3; k++) {
            x1[k] = noise();
            v1[k] = (float)(0.3 * (double)noise() / unit);
            v2[k] = (float)(0.3 * (double)noise() / unit);
            x2[k] = x1[k] + 0.3f * noise();
            ((float *)before->data[POINT_ANGULAR])[i * 3 + (uint32_t)k] = noise();
        }
        float *q1 = (float *)before->data[POINT_ROTATION] + i * 4;
        random_rotation(q1, NULL);
        random_rotation((float *)after->data[POINT_ROTATION] + i * 4, i % 2 ? q1 : NULL);
        ((float *)before->data[POINT_SIZE])[i] = noise();
        ((uint32_t *)before->data[POINT_INDEX])[i] = i;
        /* 50 to 59 die between the frames */
        ((uint32_t *)after->data[POINT_INDEX])[i] = i + (i >= 50 ? 10 : 0);
        double birth = i % 3 == 1 ? first + 0.4 * (second - first) : first - 5;
        double death = i % 4 == 1 ? first + 0.7 * (second - first) : second + 5;
        times[i * 3] = (float)birth;
        times[i * 3 + 1] = (float)death;
        times[i * 3 + 2] = times[i * 3 + 1] - times[i * 3];
    }
}

static oracle_point point_of(const host_frame *frame, const float *times, uint32_t i)
{
    oracle_point p;
    for (int k = 0; k < 3; k++) {
        p.location[k] = (double)((const float *)frame->data[POINT_LOCATION])[i * 3 + (uint32_t)k];
        p.velocity[k] = (double)((const float *)frame->data[POINT_VELOCITY])[i * 3 + (uint32_t)k];
    }
    for (int k = 0; k < 4; k++)
        p.rotation[k] = (double)((const float *)frame->data[POINT_ROTATION])[i * 4 + (uint32_t)k];
    p.birth = (double)times[i * 3];
    p.death = (double)times[i * 3 + 1];
    return p;
}

static void check_against_oracle(uint32_t type, double first, double second, double at)
{
    host_frame before, after, frame;
    float times[ORACLE_POINTS * 3];
    host_sequence sequence;
    memset(&sequence, 0, sizeof sequence);
    make_frames(&before, &after, type, first, second, times);
    sequence.type = type;
    sequence.times = times;
    sequence.point_count = ORACLE_POINTS;
    if (!CHECK(host_frame_copy(&frame, &before))) return;
    host_interpolate(&sequence, &frame, &after, at);
    CHECK_EQ(frame.count, ORACLE_POINTS);
    for (uint32_t i = 0; i < ORACLE_POINTS; i++) {
        uint32_t there;
        oracle_point wanted = point_of(&before, times, i), got = point_of(&frame, times, i), end;
        bool has_end = host_frame_find(&after, i, &there);
        if (has_end) end = point_of(&after, times, there);
        if (has_end) oracle(&wanted, &end, type, first, second, at);
        test_note("%s, point %u, frames %g to %g, at %g", point_type_name(type), i, first, second,
                  at);
        /* so that velocities compare in distance per frame */
        double unit = type == POINT_PARTICLES ? 0.04 : 1;
        for (int k = 0; k < 3; k++) CHECK_NEAR(got.location[k], wanted.location[k], 1e-6);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(got.velocity[k] * unit, wanted.velocity[k] * unit, 1e-6);
        for (int k = 0; k < 4; k++) CHECK_NEAR(got.rotation[k], wanted.rotation[k], 1e-6);
    }
    CHECK(memcmp(frame.data[POINT_ANGULAR], before.data[POINT_ANGULAR], ORACLE_POINTS * 12) == 0);
    CHECK(memcmp(frame.data[POINT_SIZE], before.data[POINT_SIZE], ORACLE_POINTS * 4) == 0);
    host_frame_free(&before);
    host_frame_free(&after);
    host_frame_free(&frame);
}

static void interpolation_meets_a_double_precision_oracle_for_each_type(void)
{
    static const uint32_t types[] = {POINT_PARTICLES, POINT_CLOTH, POINT_SOFTBODY, POINT_RIGIDBODY};
    static const double firsts[] = {1, 37, 900000}, spans[] = {1, 2, 5, 24};
    random_state = 7;
    for (int t = 0; t < 4; t++)
        for (int f = 0; f < 3; f++)
            for (int s = 0; s < 4; s++)
                for (int part = 1; part < 8; part++) {
                    double first = firsts[f], second = first + spans[s];
                    check_against_oracle(types[t], first, second, first + spans[s] * part / 8);
                    check_against_oracle(types[t], first, second,
                                         floor(first + spans[s] * part / 8));
                }
}

/* ---- finding sequences */

static void objects_are_named_in_hex_in_three_spellings(void)
{
    static const char *const names[][2] = {
        {"43756265", "Cube"},
        {"437562652E303031", "Cube.001"},
        {"C3A4", "\xc3\xa4"},
        {"FFFFFFC3FFFFFFA4", "\xc3\xa4"},
        {"41FFFF", "A??"},
        {"fire", NULL},
        {"CAFE", NULL},
        {"4", NULL},
        {"", NULL},
        {"4375626", NULL},
        {"0041", NULL},
        {"43756265x", NULL},
        {"C29B33316D4162", NULL},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *object = bphys_object_name(names[i][0]);
        test_note("%s is %s, wanted %s", names[i][0], object, names[i][1]);
        CHECK(names[i][1] ? object && strcmp(object, names[i][1]) == 0 : !object);
        free(object);
    }
    CHECK(bphys_name_fits("41FFFF", "A\xc3\xa4") && bphys_name_fits("41C3A4", "A\xc3\xa4"));
    CHECK(bphys_name_fits("41FFFFFFC3FFFFFFA4", "A\xc3\xa4") &&
          !bphys_name_fits("41C3", "A\xc3\xa4"));
    CHECK(!bphys_name_fits("4143", "AB") && !bphys_name_fits("4142", "A"));
}

/* Cubes, a cache with its own name, and one without an index. */
static char *many_caches(void)
{
    static const char *const names[] = {"43756265_%06d_00", "43756265_%06d_01",
                                        "437562652E303031_%06d_00", "fire_%06d_00", "smoke_%06d"};
    uint8_t bytes[32] = "BPHYSICS";
    char *folder = test_folder_make();
    bytes[8] = POINT_CLOTH;
    bytes[12] = 1;
    bytes[16] = 2;
    for (size_t n = 0; n < 5; n++)
        for (int frame = 1; frame <= 9; frame++) {
            char name[64];
            snprintf(name, sizeof name, names[n], frame);
            if (n == 3 && (frame == 4 || frame == 7 || frame == 8)) continue; /* gaps */
            test_file_write(test_text("%s/%s.bphys", folder, name), bytes, sizeof bytes);
        }
    return folder;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) count++;
    return count;
}

static void several_caches_of_a_folder_are_listed(void)
{
    char *folder = many_caches();
    test_output output = test_command(command_info, test_text("info %s", folder));
    test_note("%s", output.standard);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK_EQ(count_of(output.standard, "  type         cloth\n"), 5);
    CHECK(strstr(output.standard, "  name         437562652E303031 (object Cube.001)\n") != NULL);
    CHECK(strstr(output.standard, "  name         fire\n") != NULL);
    CHECK(strstr(output.standard, "  name         smoke, without a cache index\n") != NULL);
    CHECK(strstr(output.standard, "  frames       6, from 1 to 9 (3 in between can be "
                                  "interpolated)\n  holes        4, 7-8\n") != NULL);
    test_output_free(&output);
    output = test_command(command_info, test_text("info %s --json", folder));
    test_note("%s", output.standard);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(output.standard[0] == '[' && count_of(output.standard, "{\"format\"") == 5);
    CHECK(strstr(output.standard,
                 "\"name\": \"43756265\", \"object\": \"Cube\", \"index\": 1, \"info_file\": "
                 "false, \"step\": 1, \"odd\": false, \"holes\": [], \"up_axis\": \"z\"}") != NULL);
    CHECK(strstr(output.standard,
                 "\"name\": \"fire\", \"object\": null, \"index\": 0, \"info_file\": false, "
                 "\"step\": 1, \"odd\": false, \"holes\": [[4, 4], [7, 8]], \"up_axis\": \"z\"}") !=
          NULL);
    CHECK(strstr(output.standard, "\"name\": \"smoke\", \"object\": null, \"index\": null") !=
          NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void a_cache_is_found_by_the_name_of_its_object(void)
{
    char *folder = many_caches();
    test_expect(command_info, test_text("info %s/Cube.001", folder), HOST_DONE, NULL);
    test_output output =
        test_command(command_info, "info tests/fixtures/blender/sph_adaptive/none");
    CHECK(strstr(output.standard, "extra data   in 13 frames") != NULL);
    test_output_free(&output);
    test_expect(command_convert, test_text("convert %s/Cube.001 %s/t.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/Cube %s/t.csv", folder, folder), HOST_USAGE,
                "several sequences fit");
    test_expect(command_info, test_text("info %s/Sphere", folder), HOST_IO,
                "no such file or sequence");
    test_folder_remove(folder);
}

static void tables_of_a_folder_are_listed_too(void)
{
    char *folder = test_folder_make();
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n4,0,1,2,3\n7,0,1,2,3\n9,0,1,2,3\n";
    test_file_write(test_text("%s/a.csv", folder), table, sizeof table - 1);
    test_file_write(test_text("%s/b.csv", folder), table, sizeof table - 1);
    test_output output = test_command(command_info, test_text("info %s/ --json", folder));
    test_note("%s", output.standard);
    CHECK_EQ(count_of(output.standard,
                      "\"frames\": 4, \"first_frame\": 1, \"last_frame\": 9, \"points\": 1"),
             2);
    CHECK_EQ(
        count_of(output.standard, "\"step\": 3, \"odd\": false, \"holes\": [], \"up_axis\": null}"),
        2);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Copies the first `size` bytes of a fixture's frame 7; 0: all. */
static void copy_start(const char *folder, const char *name, const char *object, size_t size)
{
    uint8_t *bytes;
    size_t whole;
    if (!CHECK_EQ(host_read_file(test_fixture(name, object, 7), &bytes, &whole), HOST_DONE)) return;
    test_file_write(test_text("%s/a_000007_00.bphys", folder), bytes, size ? size : whole);
    free(bytes);
}

/* `info` shows what the headers promise, and tells the byte where a cut file ends. */
static void a_cut_file_is_told_by_info(void)
{
    static const struct {
        const char *name;
        size_t size;
        const char *message;
    } cuts[] = {
        {"newton_s1/none", 300, "/a_000007_00.bphys:300: totpoint promises 80 records of 28 bytes"},
        {"newton_s1/none", 0, NULL},
        {"newton_s1/light", 300, "/a_000007_00.bphys:"},
        {"newton_s1/heavy", 30, "/a_000007_00.bphys:"},
        {"newton_s1/heavy", 0, NULL},
        {"newton_s1/light", 0, NULL},
    };
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        copy_start(folder, cuts[i].name, "456D6974746572", cuts[i].size);
        test_expect(command_info, test_text("info %s", folder),
                    cuts[i].message ? HOST_BAD_INPUT : HOST_DONE, cuts[i].message);
    }
    test_folder_remove(folder);
}

/* ---- sample and diff */

static void sample_says_where_its_points_come_from(void)
{
    static const char *const wanted[][2] = {
        {"7.5", "frame 7.5: 27 points, interpolated between frames 7 and 8\n"},
        {"7", "frame 7: 27 points\n"},
        {"99", "frame 99: 27 points, held from the last frame, 24\n"},
        {"0.5", "frame 0.5: 27 points, before the first frame, 1\n"},
    };
    for (size_t i = 0; i < 4; i++) {
        test_output output = test_command(
            command_sample,
            test_text("sample tests/fixtures/blender/softbody/none --frame %s", wanted[i][0]));
        test_note("%.200s", output.standard);
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(strncmp(output.standard, wanted[i][1], strlen(wanted[i][1])) == 0);
        CHECK(strstr(output.standard, "\n   index     location x     location y") != NULL);
        test_output_free(&output);
    }
}

static void expect_extra(const char *a, const char *b, int code, const char *line)
{
    test_output output = test_command(command_diff, test_text("diff %s %s", a, b));
    test_note("diff %s %s\n%s", a, b, output.standard);
    CHECK_EQ(output.code, code);
    CHECK(strstr(output.standard, line) != NULL);
    test_output_free(&output);
}

/* If one side has springs in other frames, a frame without springs is a difference. Only a format
   without springs is not compared. */
static void diff_says_where_extra_data_is(void)
{
    char *folder = test_folder_make();
    char a[256], b[256];
    const char *springs = "tests/fixtures/blender/sph_adaptive/none";
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b.csv", folder);
    test_expect(command_convert, test_text("convert %s %s --quiet", springs, a), HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s %s --quiet", springs, b), HOST_DONE, NULL);
    expect_extra(springs, a, HOST_DONE, "  extra data equal\n");
    expect_extra(springs, b, HOST_DONE,
                 test_text("  extra data only in %s, not compared\n", springs));
    expect_extra(b, springs, HOST_DONE,
                 test_text("  extra data only in %s, not compared\n", springs));
    test_output output = test_command(command_diff, test_text("diff %s %s --json", springs, b));
    CHECK(strstr(output.standard, "\"extra_data_differs\": 0, \"extra_data_not_compared\": ") &&
          !strstr(output.standard, "\"extra_data_not_compared\": 0"));
    test_output_free(&output);
    test_expect(command_convert, test_text("convert %s %s --to bphys --quiet", b, folder),
                HOST_DONE, NULL);
    expect_extra(springs, test_text("%s/b", folder), HOST_DIFFERENT, "  extra data differs in ");
    expect_extra(test_text("%s/b", folder), springs, HOST_DIFFERENT, "  extra data differs in ");
    test_expect(command_convert,
                test_text("convert %s %s --quiet --frames 14-14 --streams index,location,velocity",
                          springs, a),
                HOST_DONE, NULL);
    expect_extra(springs, a, HOST_DIFFERENT, "  extra data differs in 1 frame\n");
    expect_extra(a, springs, HOST_DIFFERENT, "  extra data differs in 1 frame\n");
    test_folder_remove(folder);
}

static void diff_compares_lives_and_extra_data(void)
{
    char *folder = test_folder_make();
    const char *springs = "tests/fixtures/blender/sph_adaptive/none";
    test_expect(command_convert, test_text("convert %s %s/a --quiet", springs, folder), HOST_DONE,
                NULL);
    test_output output =
        test_command(command_diff, test_text("diff %s %s/a --json", springs, folder));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.standard, "\"position_frame\": null, \"position_point\": null") != NULL);
    test_output_free(&output);
    host_sequence sequence; /* the last byte of the last spring of frame 5: its deletion flag */
    if (CHECK_EQ(host_sequence_open(&sequence, springs, NULL), HOST_DONE))
        host_sequence_close(&sequence);
    char path[256];
    snprintf(path, sizeof path, "%s/a_000005_00.bphys", folder);
    FILE *stream = fopen(path, "r+b");
    CHECK(stream && fseek(stream, -4, SEEK_END) == 0 && fputc(1, stream) == 1 &&
          fclose(stream) == 0);
    output = test_command(command_diff, test_text("diff %s %s/a --json", springs, folder));
    test_note("%s", output.standard);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, "\"extra_data_differs\": 1, ") != NULL);
    test_output_free(&output);
    snprintf(path, sizeof path, "%s/b_000000_00.bphys", folder);
    const char *plain = "tests/fixtures/blender/newton_s1/none";
    test_expect(command_convert, test_text("convert %s %s/b --quiet", plain, folder), HOST_DONE,
                NULL);
    test_expect(command_convert, test_text("convert %s %s/c --quiet", plain, folder), HOST_DONE,
                NULL);
    stream = fopen(path, "r+b");
    CHECK(stream && fseek(stream, 23 + 12 * 5, SEEK_SET) == 0 && fputc(0x41, stream) == 0x41 &&
          fclose(stream) == 0);
    output = test_command(command_diff, test_text("diff %s/b %s/c", folder, folder));
    test_note("%s", output.standard);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, "  times      differs by at most ") &&
          strstr(output.standard, "point 5\n"));
    test_output_free(&output);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(interpolation_meets_a_double_precision_oracle_for_each_type),
    TEST_CASE(objects_are_named_in_hex_in_three_spellings),
    TEST_CASE(several_caches_of_a_folder_are_listed),
    TEST_CASE(a_cache_is_found_by_the_name_of_its_object),
    TEST_CASE(tables_of_a_folder_are_listed_too),
    TEST_CASE(a_cut_file_is_told_by_info),
    TEST_CASE(sample_says_where_its_points_come_from),
    TEST_CASE(diff_says_where_extra_data_is),
    TEST_CASE(diff_compares_lives_and_extra_data),
};
TEST_SUITE(sequence, cases);
