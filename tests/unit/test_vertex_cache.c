/* SPDX-License-Identifier: MIT
   tests/unit/test_vertex_cache.c - reads and writes .pc2 and .mdd: golden bytes, sampled times,
           faults, truncations.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    under a second
   after   the bytes are written by hand from the descriptions of the formats */
#include "../../host_tools/formats/vertex_cache.h"
#include "../harness/formats_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

#define BYTES(text) ((const uint8_t *)("" text)), (sizeof(text) - 1)

/* Two vertices at frames 3 and 4: (1, 2, -3) (0.5, 0, 100), then (1.5, 2, -3) (-0, 1e-45, 100). */
#define PC2_GOLDEN                                                     \
    "POINTCACHE2\0\1\0\0\0\2\0\0\0\0\0\x40\x40\0\0\x80\x3f\2\0\0\0"    \
    "\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0\0\0\0\x3f\0\0\0\0\0\0\xc8\x42" \
    "\0\0\xc0\x3f\0\0\0\x40\0\0\x40\xc0\0\0\0\x80\1\0\0\0\0\0\xc8\x42"
/* The same at 2 frames per second: the times are 1 and 1.5 s. */
#define MDD_GOLDEN                                                     \
    "\0\0\0\2\0\0\0\2\x3f\x80\0\0\x3f\xc0\0\0"                         \
    "\x3f\x80\0\0\x40\0\0\0\xc0\x40\0\0\x3f\0\0\0\0\0\0\0\x42\xc8\0\0" \
    "\x3f\xc0\0\0\x40\0\0\0\xc0\x40\0\0\x80\0\0\0\0\0\0\1\x42\xc8\0\0"
static const char golden_table[] = "frame,index,x,y,z\n3,0,1,2,-3\n3,1,0.5,0,100\n"
                                   "4,0,1.5,2,-3\n4,1,-0,1.40129846e-45,100\n";

static bool holds(const char *path, const void *bytes, size_t size)
{
    uint8_t *found;
    size_t found_size;
    if (!CHECK_EQ(host_read_file(path, &found, &found_size), HOST_DONE)) return false;
    bool good = CHECK_EQ(found_size, size) && CHECK(memcmp(found, bytes, size) == 0);
    free(found);
    return good;
}

static void convert(const char *line) { test_expect(command_convert, line, HOST_DONE, NULL); }

static void golden_bytes_become_points_and_points_golden_bytes(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.pc2", folder), BYTES(PC2_GOLDEN));
    test_file_write(test_text("%s/a.mdd", folder), BYTES(MDD_GOLDEN));
    convert(test_text("convert %s/a.pc2 %s/pc2.csv --quiet", folder, folder));
    convert(test_text("convert %s/a.mdd %s/mdd.csv --quiet --fps 2", folder, folder));
    holds(test_text("%s/pc2.csv", folder), golden_table, sizeof golden_table - 1);
    holds(test_text("%s/mdd.csv", folder), golden_table, sizeof golden_table - 1);
    convert(test_text("convert %s/pc2.csv %s/b.pc2 --quiet", folder, folder));
    holds(test_text("%s/b.pc2", folder), BYTES(PC2_GOLDEN));
    convert(test_text("convert %s/b.pc2 %s/b.mdd --quiet --fps 2", folder, folder));
    holds(test_text("%s/b.mdd", folder), BYTES(MDD_GOLDEN));
    test_folder_remove(folder);
}

/* Also the bits of NaN. */
static void every_bit_survives_pc2_mdd_and_bphys(void)
{
    char *folder = test_folder_make();
    uint8_t bytes[32 + 3 * 40 * 12] = "POINTCACHE2\0\1\0\0\0\x28\0\0\0\0\0\x80\x3f\0\0\0\x40\3";
    uint32_t state = 12345;
    for (size_t i = 32; i < sizeof bytes; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 24);
    }
    test_file_write(test_text("%s/a.pc2", folder), bytes, sizeof bytes);
    convert(test_text("convert %s/a.pc2 %s/a.mdd --quiet --fps 30", folder, folder));
    convert(test_text("convert %s/a.mdd %s/b.pc2 --quiet --fps 30", folder, folder));
    holds(test_text("%s/b.pc2", folder), bytes, sizeof bytes);
    for (size_t i = 32; i < sizeof bytes; i++) /* finite, because Blender needs it */
        if (i % 4 == 3) bytes[i] &= 0x3f;
    test_file_write(test_text("%s/a.pc2", folder), bytes, sizeof bytes);
    convert(test_text("convert %s/a.pc2 %s/cloth --to bphys --quiet", folder, folder));
    convert(test_text("convert %s/cloth %s/c.pc2 --quiet", folder, folder));
    holds(test_text("%s/c.pc2", folder), bytes, sizeof bytes);
    test_folder_remove(folder);
}

/* ---- times */

static bool open_bytes(host_sequence *sequence, const char *name, const void *bytes, size_t size)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, name);
    test_file_write(path, bytes, size);
    host_quiet(true);
    int code = host_sequence_open(sequence, path, NULL);
    host_quiet(false);
    test_folder_remove(folder);
    return CHECK_EQ(code, HOST_DONE);
}

static float first_x(host_sequence *sequence, size_t position)
{
    host_frame frame;
    host_quiet(true);
    int code = host_sequence_load(sequence, position, &frame);
    host_quiet(false);
    if (!CHECK_EQ(code, HOST_DONE)) return -1;
    float x = ((const float *)frame.data[POINT_LOCATION])[0];
    host_frame_free(&frame);
    return x;
}

static void put(uint8_t *at, float value, bool big_endian)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    for (int i = 0; i < 4; i++) at[big_endian ? 3 - i : i] = (uint8_t)(word >> 8 * i);
}

/* One vertex whose x numbers the samples: 0, 10, 20, ... */
static size_t make_pc2(uint8_t *bytes, float first, float step, uint8_t samples)
{
    memcpy(bytes, "POINTCACHE2\0\1\0\0\0\1\0\0\0", 20);
    put(bytes + 20, first, false);
    put(bytes + 24, step, false);
    memcpy(bytes + 28, (const uint8_t[4]){samples}, 4);
    memset(bytes + 32, 0, samples * 12u);
    for (uint32_t i = 0; i < samples; i++) put(bytes + 32 + i * 12, 10.0f * (float)i, false);
    return 32 + samples * 12u;
}

static size_t make_mdd(uint8_t *bytes, const float *times, uint8_t samples)
{
    memcpy(bytes, (const uint8_t[8]){0, 0, 0, samples, 0, 0, 0, 1}, 8);
    for (uint32_t i = 0; i < samples; i++) put(bytes + 8 + 4 * i, times[i], true);
    uint8_t *at = bytes + 8 + 4 * samples;
    memset(at, 0, samples * 12u);
    for (uint32_t i = 0; i < samples; i++) put(at + i * 12, 10.0f * (float)i, true);
    return 8 + samples * 16u;
}

static void expect_frames(host_sequence *sequence, const int *numbers, const float *x, size_t count)
{
    if (!CHECK_EQ(sequence->frame_count, count)) return;
    for (size_t i = 0; i < count; i++) {
        test_note("frame %zu of the list", i);
        CHECK(sequence->numbers[i] == numbers[i]);
        CHECK_NEAR(first_x(sequence, i), x[i], 1e-4);
    }
}

static void samples_between_frames_are_interpolated(void)
{
    uint8_t bytes[256];
    host_sequence sequence;
    /* 1, 2.5, 4, 5.5 */
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, 1, 1.5f, 4))) return;
    expect_frames(&sequence, (const int[]){1, 2, 3, 4, 5},
                  (const float[]){0, 20.0f / 3, 40.0f / 3, 20, 80.0f / 3}, 5);
    host_sequence_close(&sequence);
    /* -1, -0.9 ... 0.4 */
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, -1, 0.1f, 15))) return;
    expect_frames(&sequence, (const int[]){-1, 0}, (const float[]){0, 100}, 2);
    host_sequence_close(&sequence);
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, 10, 5, 3))) return;
    expect_frames(&sequence, (const int[]){10, 15, 20}, (const float[]){0, 10, 20}, 3);
    host_sequence_close(&sequence);
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, -2.75f, 0.25f, 3)))
        return; /* all within one frame */
    expect_frames(&sequence, (const int[]){-3, -2}, (const float[]){0, 20}, 2);
    host_sequence_close(&sequence);
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, -0.5f, 0.25f, 4)))
        return; /* around one frame */
    expect_frames(&sequence, (const int[]){-1, 0, 1}, (const float[]){0, 20, 30}, 3);
    host_sequence_close(&sequence);
    /* a frame and a half */
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, 4, 0.25f, 3))) return;
    expect_frames(&sequence, (const int[]){4, 5}, (const float[]){0, 20}, 2);
    host_sequence_close(&sequence);
    /* one sample */
    if (!open_bytes(&sequence, "a.pc2", bytes, make_pc2(bytes, 7.5f, 1, 1))) return;
    expect_frames(&sequence, (const int[]){7}, (const float[]){0}, 1);
    host_sequence_close(&sequence);
}

static void seconds_are_frames_of_the_closest_samples_or_as_asked(void)
{
    uint8_t bytes[256];
    host_sequence sequence;
    float times[4] = {0, 1 / 24.0f, 2 / 24.0f, 5 / 24.0f};
    if (!open_bytes(&sequence, "a.mdd", bytes, make_mdd(bytes, times, 4))) return;
    expect_frames(&sequence, (const int[]){1, 2, 3, 6}, (const float[]){0, 10, 20, 30}, 4);
    CHECK_EQ(host_sequence_retime(&sequence, 48), HOST_DONE);
    expect_frames(&sequence, (const int[]){1, 3, 5, 11}, (const float[]){0, 10, 20, 30}, 4);
    CHECK_EQ(host_sequence_retime(&sequence, 12), HOST_DONE); /* 1, 1.5, 2, 3.5 */
    expect_frames(&sequence, (const int[]){1, 2, 3}, (const float[]){0, 20, 20 + 20.0f / 3}, 3);
    host_sequence_close(&sequence);
}

static void frames_far_apart_come_back_without_being_told(void)
{
    static const int frames[][3] = {{10, 20, 30}, {11, 21, 31}, {1, 11, 21},
                                    {1, 3, 5},    {1, 2, 3},    {5, 6, 99}};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        char *folder = test_folder_make();
        const int *at = frames[i];
        const char *table = test_text("frame,index,x,y,z\n%d,0,1,2,3\n%d,0,1,2,4\n%d,0,1,2,5\n",
                                      at[0], at[1], at[2]);
        test_file_write(test_text("%s/a.csv", folder), table, strlen(table));
        bool is_sparse = at[1] - at[0] > 1 && at[2] - at[1] > 1;
        test_expect(command_convert, test_text("convert %s/a.csv %s/a.mdd", folder, folder),
                    HOST_DONE, NULL);
        test_expect(
            command_convert, test_text("convert %s/a.mdd %s/b.csv", folder, folder), HOST_DONE,
            is_sparse
                ? ": note: times are read at 24 frames per second; --fps N sets another rate\n"
                : NULL);
        holds(test_text("%s/b.csv", folder), table, strlen(table));
        test_folder_remove(folder);
    }
}

static void samples_between_frames_are_told(void)
{
    uint8_t bytes[256];
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.mdd", folder), bytes,
                    make_mdd(bytes, (const float[]){0.02f, 0.06f, 0.10f, 0.14f}, 4));
    test_expect(
        command_convert, test_text("convert %s/a.mdd %s/a.csv", folder, folder), HOST_DONE,
        ": note: times are read at 25 frames per second, which puts the closest samples one frame "
        "apart; --fps N "
        "sets another rate\n");
    test_expect(
        command_convert, test_text("convert %s/a.mdd %s/a.csv", folder, folder), HOST_DONE,
        "4 of 4 samples lie between whole frames; frames between two samples are interpolated\n");
    test_expect(command_convert, test_text("convert %s/a.mdd %s/a.csv", folder, folder), HOST_DONE,
                "samples before frame 2 or after frame 4 are skipped\n");
    test_expect(command_convert, test_text("convert %s/a.mdd %s/a.csv --fps 50", folder, folder),
                HOST_DONE, NULL);
    test_file_write(test_text("%s/d.mdd", folder), bytes,
                    make_mdd(bytes, (const float[]){0, 1e-6f, 2e-6f, 3e-6f}, 4));
    test_expect(command_convert, test_text("convert %s/d.mdd %s/d.csv", folder, folder), HOST_DONE,
                ": note: times are read at 1e+06 frames per second");
    test_file_write(test_text("%s/b.pc2", folder), bytes, make_pc2(bytes, 3.5f, 0.5f, 3));
    test_expect(command_convert, test_text("convert %s/b.pc2 %s/b.csv", folder, folder), HOST_DONE,
                "the samples lie within less than two frames, from 3.5 to 4.5: frame 3 shows the "
                "first, frame 5 "
                "the last\n");
    test_file_write(test_text("%s/c.pc2", folder), bytes, make_pc2(bytes, 1.5f, 1, 1));
    test_output output =
        test_command(command_convert, test_text("convert %s/c.pc2 %s/c.csv", folder, folder));
    CHECK(strstr(output.errors, ": note: the only sample lies at frame 1.5 and is shown at 1\n") &&
          strchr(output.errors, '\n')[1] == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* A time of hours has few bits left for parts of a frame. */
static void long_times_keep_their_frames(void)
{
    enum { SAMPLES = 100000 };
    uint8_t *bytes = calloc(8 + SAMPLES * 16, 1);
    host_sequence sequence;
    if (!CHECK(bytes != NULL)) return;
    memcpy(bytes, (const uint8_t[8]){0, 1, 0x86, 0xa0, 0, 0, 0, 1}, 8);
    for (int i = 0; i < SAMPLES; i++) put(bytes + 8 + 4 * i, (float)((double)i / 29.97), true);
    if (open_bytes(&sequence, "a.mdd", bytes, 8 + SAMPLES * 16)) {
        if (CHECK_EQ(sequence.frame_count, SAMPLES))
            for (int i = 0; i < SAMPLES; i++)
                if (sequence.numbers[i] != i + 1) {
                    CHECK(sequence.numbers[i] == i + 1);
                    break;
                }
        host_sequence_close(&sequence);
    }
    free(bytes);
}

/* ---- faults */

static void every_truncation_is_an_error(void)
{
    for (size_t size = 0; size < sizeof PC2_GOLDEN - 1; size++)
        test_format_refused("a.pc2", PC2_GOLDEN, size, test_text("a.pc2:%zu:", size));
    for (size_t size = 0; size < sizeof MDD_GOLDEN - 1; size++)
        test_format_refused("a.mdd", MDD_GOLDEN, size, test_text("a.mdd:%zu:", size));
}

/* The golden bytes with some of them changed. */
static void expect_change(const char *name, size_t at, const uint8_t change[4], const char *message)
{
    uint8_t bytes[96];
    bool is_mdd = strcmp(name, "a.mdd") == 0;
    size_t size = is_mdd ? sizeof MDD_GOLDEN - 1 : sizeof PC2_GOLDEN - 1;
    memcpy(bytes, is_mdd ? MDD_GOLDEN : PC2_GOLDEN, size);
    memcpy(bytes + at, change, 4);
    test_format_refused(name, bytes, size, message);
}

static void faults_are_named_by_their_byte(void)
{
    expect_change("a.pc2", 8, (const uint8_t[4]){'E', '3', '\0', '\0'},
                  ":0: magic is not POINTCACHE2");
    expect_change("a.pc2", 12, (const uint8_t[4]){2}, ":12: version is 2, expected 1");
    expect_change("a.pc2", 16, (const uint8_t[4]){0}, ":16: the number of vertices is 0");
    expect_change("a.pc2", 16, (const uint8_t[4]){255, 255, 255, 255},
                  ":16: the number of vertices is -1");
    expect_change("a.pc2", 28, (const uint8_t[4]){0}, ":28: the number of samples is 0");
    expect_change("a.pc2", 28, (const uint8_t[4]){255, 255, 255, 0x7f},
                  "promises 2147483647 samples");
    expect_change("a.pc2", 24, (const uint8_t[4]){0}, ":24: the time of sample 1 is not after");
    expect_change("a.pc2", 24, (const uint8_t[4]){0, 0, 0x80, 0xbf},
                  ":24: the time of sample 1 is not after");
    expect_change("a.pc2", 20, (const uint8_t[4]){0, 0, 0xc0, 0x7f},
                  ":20: sample 0 lies at frame nan");
    expect_change("a.pc2", 20, (const uint8_t[4]){0, 0, 0, 0x7f},
                  ":20: sample 0 lies at frame 1.7");
    expect_change("a.mdd", 0, (const uint8_t[4]){0}, ":0: the number of samples is 0");
    expect_change("a.mdd", 4, (const uint8_t[4]){0x80},
                  ":4: the number of vertices is -2147483648");
    expect_change("a.mdd", 4, (const uint8_t[4]){0x7f, 255, 255, 255}, "of 2147483647 vertices");
    expect_change("a.mdd", 12, (const uint8_t[4]){0x3f, 0x80},
                  ":12: the time of sample 1 is not after");
    expect_change("a.mdd", 8, (const uint8_t[4]){0x7f, 0xc0}, ":8: sample 0 lies at frame nan");
}

static void what_cannot_be_written_is_refused(void)
{
    static const char uneven[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n4,0,1,2,3\n";
    static const char growing[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n2,1,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/uneven.csv", folder), uneven, sizeof uneven - 1);
    test_file_write(test_text("%s/growing.csv", folder), growing, sizeof growing - 1);
    test_expect(command_convert,
                test_text("convert %s/uneven.csv %s/a.pc2 --quiet", folder, folder), HOST_BAD_INPUT,
                "frame 4 comes 2 frames after the one before it, the others 1");
    test_expect(command_convert,
                test_text("convert %s/growing.csv %s/a.pc2 --quiet", folder, folder),
                HOST_BAD_INPUT, "frame 2 has 2 points, but .pc2 needs the same points");
    test_expect(command_convert,
                test_text("convert %s/growing.csv %s/a.mdd --quiet", folder, folder),
                HOST_BAD_INPUT, "frame 2 has 2 points, but .mdd needs the same points");
    CHECK_EQ(test_folder_count(folder), 2);
    convert(test_text("convert %s/uneven.csv %s/a.pc2 --quiet --step 1", folder, folder));
    convert(test_text("convert %s/uneven.csv %s/a.mdd --quiet", folder, folder));
    CHECK_EQ(test_folder_count(folder), 4);
    test_folder_remove(folder);
}

static void what_is_left_out_is_told_once(void)
{
    static const char text[] =
        "frame,index,x,y,z,vx,vy,vz,size\n1,0,1,2,3,4,5,6,7\n2,0,1,2,3,4,5,6,7\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.csv", folder), text, sizeof text - 1);
    test_output output =
        test_command(command_convert, test_text("convert %s/a.csv %s/a.pc2", folder, folder));
    static const char note[] = "a.csv: note: velocity,size: cannot be stored in pc2, skipped\n";
    const char *told = strstr(output.errors, note);
    CHECK(output.code == HOST_DONE && told && told[strlen(note)] == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(golden_bytes_become_points_and_points_golden_bytes),
    TEST_CASE(every_bit_survives_pc2_mdd_and_bphys),
    TEST_CASE(samples_between_frames_are_interpolated),
    TEST_CASE(seconds_are_frames_of_the_closest_samples_or_as_asked),
    TEST_CASE(frames_far_apart_come_back_without_being_told),
    TEST_CASE(samples_between_frames_are_told),
    TEST_CASE(long_times_keep_their_frames),
    TEST_CASE(every_truncation_is_an_error),
    TEST_CASE(faults_are_named_by_their_byte),
    TEST_CASE(what_cannot_be_written_is_refused),
    TEST_CASE(what_is_left_out_is_told_once),
};
TEST_SUITE(vertex_cache, cases);
