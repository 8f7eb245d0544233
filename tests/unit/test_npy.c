/* SPDX-License-Identifier: MIT
   tests/unit/test_npy.c - reads and writes NumPy arrays: bytes by hand, byte orders, shapes,
           damaged files.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   NumPy's description of the .npy format */
#include "../harness/formats_help.h"
#include "../harness/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);

/* Writes a header of `version` with its dictionary and a line end; returns its size. */
static size_t put_head(uint8_t *bytes, int version, const char *dictionary)
{
    size_t length = strlen(dictionary) + 1, before = version == 1 ? 10 : 12;
    memset(bytes, 0, before);
    memcpy(bytes, "\223NUMPY", 6);
    bytes[6] = (uint8_t)version;
    bytes[8] = (uint8_t)length;
    memcpy(bytes + before, dictionary, length - 1);
    bytes[before + length - 1] = '\n';
    return before + length;
}

/* Writes the floats 1 to `count` at `at`; returns the end. */
static size_t put_floats(uint8_t *bytes, size_t at, int count, bool big, bool wide)
{
    for (int i = 1; i <= count; i++) {
        float value = (float)i;
        double wide_value = i;
        uint64_t word = 0;
        uint32_t narrow;
        size_t size = wide ? 8 : 4;
        memcpy(&narrow, &value, sizeof narrow);
        memcpy(&word, &wide_value, sizeof word);
        if (!wide) word = narrow;
        for (size_t k = 0; k < size; k++)
            bytes[at + k] = (uint8_t)(word >> 8 * (big ? size - 1 - k : k));
        at += size;
    }
    return at;
}

/* Checks the positions of a frame; in Fortran order the rows vary fastest. */
static void check_array(int version, const char *dictionary, bool big, bool wide, size_t position,
                        const float *expected)
{
    uint8_t bytes[512];
    host_frame frame;
    size_t size = put_floats(bytes, put_head(bytes, version, dictionary), 6, big, wide);
    test_note("%s", dictionary);
    if (!test_format_load("a.npy", bytes, size, position, &frame)) return;
    CHECK_EQ(frame.number, position + 1);
    CHECK(memcmp(frame.data[POINT_LOCATION], expected, frame.count * 3 * sizeof *expected) == 0);
    host_frame_free(&frame);
}

static void arrays_of_every_form_are_read(void)
{
    static const float c_order[] = {1, 2, 3, 4, 5, 6}, fortran[] = {1, 3, 5, 2, 4, 6};
    check_array(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", false, false, 0,
                c_order);
    check_array(2, "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", true, false, 0,
                c_order);
    check_array(3, "{\"shape\":(2,3),\"descr\":\"<f8\",\"fortran_order\":False}", false, true, 0,
                c_order);
    check_array(1, "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }", true, true, 0,
                fortran);
    check_array(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3), }", false, false,
                1, c_order + 3);
    check_array(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1, 3), }", false, false, 1,
                fortran + 3);
    check_array(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2, 3), }", false, false, 0,
                fortran);
}

static void bytes_written_are_those_of_the_format(void)
{
    static const uint8_t places[] = {0,   0,   128, 63, 0,    0,    0, 192, 0,    0,    0,    63,
                                     205, 204, 204, 61, 0xc2, 0x16, 1, 0,   0xe6, 0xb1, 0x61, 0x7f};
    uint8_t expected[256];
    host_frame frame;
    host_sink sink;
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.npy", folder), *wanted = test_text("%s/wanted", folder);
    host_sink_options options = {.frame_count = 1};
    memset(expected, ' ', sizeof expected);
    put_head(expected, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    expected[8] = 118;
    expected[10 + strlen("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }")] = ' ';
    expected[127] = '\n';
    memcpy(expected + 128, places, sizeof places);
    test_file_write(wanted, expected, 128 + sizeof places);
    test_format_points(&frame);
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_named("npy"), &options), HOST_DONE)) {
        CHECK_EQ(host_sink_write(&sink, &frame), HOST_DONE);
        CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
        CHECK(test_files_equal(test_text("%s/a_location.npy", folder), wanted));
        CHECK_EQ(test_folder_count(folder), 5); /* with index, velocity, frame */
    }
    host_frame_free(&frame);
    test_folder_remove(folder);
}

static void any_float_survives(void)
{
    uint32_t streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS);
    for (int e = ENCODING_DEFAULT; e <= ENCODING_BIG; e++) {
        if (e == ENCODING_ASCII) continue;
        test_format_round_trip("a.npy", (host_encoding)e, streams, false);
        test_format_round_trip("run2.npy", (host_encoding)e, POINT_BIT(POINT_LOCATION), false);
        test_format_round_trip("b.*.npy", (host_encoding)e, streams, true);
    }
}

static void every_cut_is_told(void)
{
    static const char dictionary[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    uint8_t bytes[512];
    for (int version = 1; version <= 3; version++) {
        size_t size = put_floats(bytes, put_head(bytes, version, dictionary), 6, false, false);
        test_format_cuts("a.npy", bytes, size, size);
    }
}

static void expect_head(const char *dictionary, const char *message)
{
    uint8_t bytes[512];
    size_t size = put_floats(bytes, put_head(bytes, 1, dictionary), 6, false, false);
    test_format_refused("a.npy", bytes, size, message);
}

static void faults_are_named_by_byte(void)
{
    test_format_refused("a.npy", "", 0, "a.npy:0: the file ends inside its head");
    test_format_refused("a.npy", "\223NUMPX\1\0\1\0 ", 11, "a.npy:0: the magic");
    test_format_refused("a.npy", "\223NUMPY\4\0\1\0 \n", 12, "a.npy:6: version 4, expected 1 to 3");
    test_format_refused("a.npy", "\223NUMPY\2\0\377\377\377\377 ", 13,
                        "a.npy:8: a head of 4294967295 bytes");
    expect_head("", "a.npy:11: expected a dictionary");
    expect_head("{'descr': 'c16'}", "a.npy:19: the type of the array");
    expect_head("{'descr': [('x', '<f4')]}", "a.npy:19: the type of the array");
    expect_head("{'shape': 3}", "expected the shape of the array in brackets");
    expect_head("{'shape': (1, 2, 3, 4)}", "more than 3 dimensions");
    expect_head("{'shape': (99999999999999999999, 3)}", "a dimension is not a whole number");
    expect_head("{'order': 1}", "expected the keys descr, fortran_order and shape, once each");
    expect_head("{'descr': '<f4', 'shape': (2, 3), }", "is missing");
    expect_head("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
                "neither (points, 3) nor");
    expect_head("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967295, 4294967295, 3), }",
                "the shape promises more bytes than the 24 after the header");
    expect_head("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967295, 0, 3), }",
                "4294967295 frames, at most 1048576");
    expect_head("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }",
                "the shape promises more bytes");
}

/* A stream's array must match the locations beside it. An older array that the new sequence lacks
   is removed. */
static void neighbours_belong_together(void)
{
    static const char with[] = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,4,5,6\n2,0,1,2,3,4,5,6\n";
    static const char without[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n";
    static const char more[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n2,1,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/with.csv", folder), with, sizeof with - 1);
    test_file_write(test_text("%s/without.csv", folder), without, sizeof without - 1);
    test_file_write(test_text("%s/more.csv", folder), more, sizeof more - 1);
    test_expect(command_convert, test_text("convert %s/with.csv %s/a.npy --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_file_exists(test_text("%s/a_velocity.npy", folder)));
    test_expect(command_convert, test_text("convert %s/more.csv %s/a.npy --quiet", folder, folder),
                HOST_BAD_INPUT, "frame 2 has other points or streams than those before it");
    CHECK(test_file_exists(test_text("%s/a_velocity.npy", folder)));
    test_expect(command_convert,
                test_text("convert %s/without.csv %s/a.npy --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK(!test_file_exists(test_text("%s/a_velocity.npy", folder)));
    test_expect(command_convert,
                test_text("convert %s/a_index.npy %s/b.csv --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK(test_files_equal(test_text("%s/without.csv", folder), test_text("%s/b.csv", folder)));
    test_expect(command_convert,
                test_text("convert %s/more.csv %s/c.*.npy --quiet", folder, folder), HOST_DONE,
                NULL);
    test_expect(command_convert,
                test_text("convert %s/c_location.0002.npy %s/c.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/more.csv", folder), test_text("%s/c.csv", folder)));
    rename(test_text("%s/c_location.0002.npy", folder), test_text("%s/a_velocity.npy", folder));
    test_expect(command_convert, test_text("convert %s/a.npy %s/d.csv --quiet", folder, folder),
                HOST_BAD_INPUT, "a_velocity.npy: expected the shape (frames, 1 points, 3)");
    test_folder_remove(folder);
}

/* Two arrays of all frames, whose names end in numbers, are not frames of one sequence. */
static void an_array_of_frames_among_numbered_files_is_told(void)
{
    static const char dictionary[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3), }";
    uint8_t bytes[512];
    size_t size = put_floats(bytes, put_head(bytes, 1, dictionary), 6, false, false);
    char *folder = test_folder_make();
    test_file_write(test_text("%s/fluid1.npy", folder), bytes, size);
    test_expect(command_convert,
                test_text("convert %s/fluid1.npy %s/a.csv --quiet", folder, folder), HOST_DONE,
                NULL);
    test_file_write(test_text("%s/fluid2.npy", folder), bytes, size);
    test_expect(command_convert,
                test_text("convert %s/fluid1.npy %s/a.csv --quiet", folder, folder), HOST_BAD_INPUT,
                "expected locations of the shape (points, 3), found (2, 1, 3): this is one of 2 "
                "numbered files, each a frame of a sequence; give an array of all frames a name "
                "without a number");
    test_folder_remove(folder);
}

/* Checks that the output of `info` or `verify` for a folder contains the text this many times. */
static void expect_said(int (*command)(int, char **), const char *line, const char *text,
                        size_t times)
{
    size_t found = 0;
    test_output output = test_command(command, line);
    test_note("%s: %d\n%s%s", line, output.code, output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    for (const char *at = output.standard; (at = strstr(at, text)) != NULL; at++) found++;
    CHECK_EQ(found, times);
    test_output_free(&output);
}

/* The arrays of all streams, and that of the frame numbers, are one sequence. */
static void a_folder_of_arrays_holds_one_sequence_of_each_name(void)
{
    static const char table[] = "frame,index,x,y,z,vx,vy,vz\n3,0,1,2,3,4,5,6\n7,0,1,2,3,4,5,6\n";
    char *folder = test_folder_make();
    CHECK(mkdir(test_text("%s/n", folder), 0777) == 0);
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/n/a.npy --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_file_exists(test_text("%s/n/a_frame.npy", folder)));
    expect_said(command_info, test_text("info %s/n", folder), "frames       2, from 3 to 7", 1);
    expect_said(command_info, test_text("info %s/n", folder), "format", 1);
    expect_said(command_info, test_text("info %s/n/a_frame.npy", folder),
                "index, location, velocity", 1);
    expect_said(command_verify, test_text("verify %s/n", folder),
                "4 files, 2 frames, 2 points: no faults", 1);
    test_expect(command_convert,
                test_text("convert %s/n %s/b.csv --from npy --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    test_expect(command_convert, test_text("convert %s/t.csv %s/n/b.*.npy --quiet", folder, folder),
                HOST_DONE, NULL);
    expect_said(command_info, test_text("info %s/n", folder), "format", 2);
    expect_said(command_info, test_text("info %s/n", folder), "frames       2, from 3 to 7", 2);
    expect_said(command_verify, test_text("verify %s/n", folder),
                "10 files, 4 frames, 4 points: no faults", 1);
    test_expect(command_convert,
                test_text("convert %s/n %s/c.csv --from npy --quiet", folder, folder), HOST_USAGE,
                "the folder holds several sequences of .npy files");
    test_folder_remove(folder);
}

static void frames_below_zero_come_back(void)
{
    static const char table[] = "frame,index,x,y,z\n-3,0,1,2,3\n-2,0,1,2,3\n5,0,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.npy --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/a.npy %s/b.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(arrays_of_every_form_are_read),
    TEST_CASE(bytes_written_are_those_of_the_format),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(faults_are_named_by_byte),
    TEST_CASE(neighbours_belong_together),
    TEST_CASE(an_array_of_frames_among_numbered_files_is_told),
    TEST_CASE(a_folder_of_arrays_holds_one_sequence_of_each_name),
    TEST_CASE(frames_below_zero_come_back),
};
TEST_SUITE(npy, cases);
