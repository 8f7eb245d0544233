/* SPDX-License-Identifier: MIT
   tests/unit/test_xyz.c - reads and writes XYZ files, plain and extended: texts by hand, damaged
           files.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the XYZ format, and the public description of extended XYZ */
#include "../harness/formats_help.h"
#include "../harness/test.h"
#include <string.h>

static const char golden[] =
    "2\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 frame=7\nX 1 -2 0.5 0 -0 1 0\n"
    "X 0.100000001 9.9999461e-41 3.00000001e+38 4 5 6 3\n";

static void bytes_written_are_those_of_the_format(void)
{
    host_frame frame;
    test_format_points(&frame);
    test_format_written("a.xyz", ENCODING_DEFAULT, &frame, golden, sizeof golden - 1);
    host_frame_free(&frame);
}

static void bytes_read_are_the_points(void)
{
    test_format_has_points("a.xyz", golden, sizeof golden - 1);
}

static void any_float_survives(void)
{
    uint32_t streams = POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY) |
                       POINT_BIT(POINT_ANGULAR) | POINT_BIT(POINT_SIZE);
    test_format_round_trip("a.xyz", ENCODING_DEFAULT, streams, true);
    test_format_round_trip("b_*.xyz", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), false);
}

static void every_cut_is_told(void)
{
    static const char text[] = "1\nframe=1\nH 1 2 3\n1\nframe=4\nH 1 2 4\n";
    test_format_cuts("a.xyz", text, sizeof text - 1, sizeof text / 2);
}

/* Three frames without numbers, with blank lines between them: a plain one, one with a quoted
   lattice and more columns, an empty one. */
static void plain_and_foreign_files_are_read(void)
{
    static const char text[] =
        "2\na comment\nH 1 2 3\nO 4 5 6\n\n 1 \nLattice=\"1 0 0 0 1 0 0 0 1\" "
        "Properties='species:S:1:forces:R:3:pos:R:3:vel:R:3:fixed:L:1' pbc=\"T T F\"\n"
        "H 9 9 9 1.5 2.5 3.5 7 8 9 T\n\n0\nempty\n";
    host_frame frame;
    if (test_format_load("a.xyz", text, sizeof text - 1, 0, &frame)) {
        CHECK(frame.count == 2 && frame.number == 1 &&
              ((float *)frame.data[POINT_LOCATION])[4] == 5);
        host_frame_free(&frame);
    }
    if (test_format_load("a.xyz", text, sizeof text - 1, 1, &frame)) {
        CHECK(frame.count == 1 && frame.number == 2 &&
              ((float *)frame.data[POINT_LOCATION])[2] == 3.5f);
        CHECK(frame.data[POINT_VELOCITY] && ((float *)frame.data[POINT_VELOCITY])[0] == 7);
        host_frame_free(&frame);
    }
    if (test_format_load("a.xyz", text, sizeof text - 1, 2, &frame)) {
        CHECK(frame.count == 0 && frame.number == 3);
        host_frame_free(&frame);
    }
}

static void faults_are_named_by_line(void)
{
    static const char *const faults[][2] = {
        {"", ": line 1: expected the number of atoms"},
        {"two\n\n", ": line 1: expected the number of atoms"},
        {"4294967296\n\n", ": line 1: expected the number of atoms"},
        {"4000000000\n\nH 1 2 3\n",
         ": line 3: 4000000000 atoms are promised, but 8 bytes are left"},
        {"1\nProperties=pos:R:2\nH 1 2 3\n", ": line 2: Properties has no pos:R:3"},
        {"1\nProperties=pos:R\nH 1 2 3\n", ": line 2: expected Properties="},
        {"1\nProperties=pos:R:3:pos:R:3\nH 1 2 3 4 5 6\n",
         ": line 2: a property for location appears twice"},
        {"1\nProperties=pos:R:3 frame=x\n1 2 3\n", ": line 2: frame is not a whole number"},
        {"1\n\nH 1 2\n\n\n", ": line 3: the row ends early, expected 4 columns"},
        {"1\n\nH 1 2 three\n", ": line 3: \"three\" is not a number"},
        {"1\n\nH 1 2 1e40\n", ": line 3: \"1e40\" is not a number that fits"},
        {"1\n\nH 1 2 3\nH 1 2 3\n", ": line 4: expected the number of atoms"},
        {"1\nProperties=id:I:1:pos:R:3\n-1 1 2 3\n",
         ": line 3: \"-1\" is not a whole number from 0"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_format_refused("a.xyz", faults[i][0], strlen(faults[i][0]), faults[i][1]);
}

static const test_case cases[] = {
    TEST_CASE(bytes_written_are_those_of_the_format),
    TEST_CASE(bytes_read_are_the_points),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(plain_and_foreign_files_are_read),
    TEST_CASE(faults_are_named_by_line),
};
TEST_SUITE(xyz, cases);
