/* SPDX-License-Identifier: MIT
   tests/unit/test_lammps.c - reads and writes LAMMPS text dumps: texts by hand, boxes, steps,
           damaged files.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the LAMMPS manual on the command `dump`, and its howto on triclinic boxes */
#include "../harness/formats_help.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

static const char golden[] =
    "ITEM: TIMESTEP\n6\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ss ss ss\n"
    "    0.100000001               1\n             -2   9.9999461e-41\n"
    "            0.5  3.00000001e+38\n"
    "ITEM: ATOMS id type x y z vx vy vz\n1 1 1 -2 0.5 0 -0 1\n"
    "4 1 0.100000001 9.9999461e-41 3.00000001e+38 4 5 6\n";

static void bytes_written_are_those_of_the_format(void)
{
    host_frame frame;
    test_format_points(&frame);
    test_format_written("a.lammpstrj", ENCODING_DEFAULT, &frame, golden, sizeof golden - 1);
    host_frame_free(&frame);
}

static void bytes_read_are_the_points(void)
{
    /* the frame number comes from the step, not from the name */
    test_format_has_points("dump.9", golden, sizeof golden - 1);
}

static void any_float_survives(void)
{
    uint32_t streams = POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY) |
                       POINT_BIT(POINT_ANGULAR) | POINT_BIT(POINT_SIZE);
    test_format_round_trip("a.lammpstrj", ENCODING_DEFAULT, streams, true);
    test_format_round_trip("b.*.lammpstrj", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), false);
}

#define FRAME(step, box, columns, rows)                                         \
    "ITEM: TIMESTEP\n" step "\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS " box \
    "ITEM: ATOMS " columns "\n" rows
#define BOX "pp pp pp\n0 10\n0 20\n-5 5\n"

/* The second of two frames may be missing completely: then the file has one frame. */
static void every_cut_is_told(void)
{
    static const char first[] = FRAME("0", BOX, "id x y z", "1 2 3 4\n");
    static const char text[] =
        FRAME("0", BOX, "id x y z", "1 2 3 4\n") FRAME("10", BOX, "id x y z", "1 2 3 5\n");
    test_format_cuts("a.lammpstrj", text, sizeof text - 1, sizeof first - 1);
}

static void check_place(const char *text, float x, float y, float z)
{
    host_frame frame;
    if (!test_format_load("a.lammpstrj", text, strlen(text), 0, &frame)) return;
    const float *place = frame.data[POINT_LOCATION];
    test_note("%s\n%.9g %.9g %.9g", text, (double)place[0], (double)place[1], (double)place[2]);
    CHECK_NEAR(place[0], x, 1e-6);
    CHECK_NEAR(place[1], y, 1e-6);
    CHECK_NEAR(place[2], z, 1e-6);
    host_frame_free(&frame);
}

/* Triclinic: xlo 0, xhi 10, xy 2, xz -1, yz 3; its bounds are -1 to 12 and 0 to 23. */
static void coordinates_of_every_kind_are_places(void)
{
    static const char tilted[] = FRAME("0", "xy xz yz pp pp pp\n-1 12 2\n0 23 -1\n-5 5 3\n",
                                       "id xs ys zs", "1 0.5 0.25 0.75\n");
    static const char general[] = FRAME("0", "abc origin pp pp pp\n10 0 0 1\n2 20 0 2\n-1 3 10 3\n",
                                        "id xsu ysu zsu", "1 0.5 0.25 0.75\n");
    check_place(FRAME("0", BOX, "id x y z", "1 2 3 4\n"), 2, 3, 4);
    check_place(FRAME("0", BOX, "zu yu xu id", "4 3 2 1\n"), 2, 3, 4);
    check_place(FRAME("0", BOX, "id xs ys zs", "1 0.5 0.25 1.5\n"), 5, 5, 10);
    check_place(FRAME("0", BOX, "id xsu x ysu y zsu z", "1 0.5 9 0.25 9 1.5 9\n"), 5, 5, 10);
    check_place(tilted, 5 + 0.5f - 0.75f, 5 + 2.25f, 2.5f);
    check_place(general, 1 + 5 + 0.5f - 0.75f, 2 + 5 + 2.25f, 3 + 7.5f);
}

static void check_numbers(const char *text, uint32_t stride, size_t count, const int32_t *numbers)
{
    host_sequence sequence;
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.lammpstrj", folder);
    test_file_write(path, text, strlen(text));
    host_quiet(true);
    if (CHECK_EQ(host_sequence_open_hinted(&sequence, path, NULL, &(host_hints){.stride = stride}),
                 HOST_DONE)) {
        if (CHECK_EQ(sequence.frame_count, count))
            for (size_t i = 0; i < count; i++) CHECK_EQ(sequence.numbers[i], numbers[i]);
        host_sequence_close(&sequence);
    }
    host_quiet(false);
    test_folder_remove(folder);
}

#define STEP(step) FRAME(step, BOX, "id x y z", "1 2 3 4\n")
/* Units and time may precede a step; frames may come in any order. */
static void steps_become_frames(void)
{
    check_numbers(STEP("0") STEP("100") STEP("300"), 0, 3, (int32_t[]){1, 2, 4});
    check_numbers(STEP("50") STEP("150"), 0, 2, (int32_t[]){1, 2});
    check_numbers(STEP("300") STEP("100") STEP("200"), 0, 3, (int32_t[]){2, 3, 4});
    check_numbers(STEP("0") STEP("100"), 1, 2, (int32_t[]){1, 101});
    check_numbers(STEP("0") STEP("100"), 50, 2, (int32_t[]){1, 3});
    check_numbers("ITEM: UNITS\nlj\nITEM: TIME\n0\n" STEP("0") "ITEM: TIME\n0.5\n" STEP("7"), 0, 2,
                  (int32_t[]){1, 2});
}

static void expect_notes(const char *path, const char *options, const char *notes)
{
    test_output output =
        test_command(command_convert, test_text("convert %s %s.csv %s", path, path, options));
    test_note("%s: %s", options, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strcmp(output.errors, notes) == 0);
    test_output_free(&output);
}

static void what_becomes_of_steps_is_told(void)
{
    static const char text[] = STEP("0") STEP("10") STEP("20");
    char *folder = test_folder_make(), *path = host_text("%s/a.lammpstrj", folder);
    test_file_write(path, text, sizeof text - 1);
    expect_notes(
        path, "",
        test_text(
            "tidepool: %s: note: the steps are 10 apart: frame 1 is step 0, frame 2 step 10\n",
            path));
    expect_notes(path, "--stride 10", "");
    expect_notes(path, "--stride 5", "");
    expect_notes(path, "--stride 3",
                 test_text("tidepool: %s: note: some steps lie between those that are 3 apart: "
                           "their frame numbers are "
                           "rounded down\n",
                           path));
    free(path);
    test_folder_remove(folder);
}

static char *read_text(const char *path)
{
    uint8_t *bytes = NULL;
    size_t size;
    if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return NULL;
    return (char *)bytes;
}

/* How often `part` occurs in a file. */
static size_t count_in(const char *path, const char *part)
{
    size_t count = 0;
    char *text = read_text(path);
    for (const char *at = text; at && (at = strstr(at, part)); at++) count++;
    free(text);
    return count;
}

#define WHOLE_BOX                                                                 \
    "ITEM: BOX BOUNDS ss ss ss\n             -1               4\n              2" \
    "               5\n           -0.5               9\nITEM: ATOMS"

/* Programs that draw the box show one of the same size in every frame. */
static void all_frames_have_one_box(void)
{
    static const char table[] =
        "frame,index,x,y,z\n1,0,1,2,3\n2,0,-1,5,-0.5\n2,1,4,5,6\n3,0,2,3,9\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/a.lammpstrj --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK_EQ(count_in(test_text("%s/a.lammpstrj", folder), WHOLE_BOX), 3);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/b.*.lammpstrj --quiet", folder, folder), HOST_DONE,
                NULL);
    for (int frame = 1; frame <= 3; frame++)
        CHECK_EQ(count_in(test_text("%s/b.%04d.lammpstrj", folder, frame), WHOLE_BOX), 1);
    test_expect(command_convert, test_text("convert %s/t.csv /dev/null --to lammps", folder),
                HOST_DONE, "/dev/null: note: a device or a pipe: each frame has a box of its own");
    test_folder_remove(folder);
}

/* Frames that are written with a step have a column `frame`, which tells the stride. */
static void frames_with_a_step_keep_their_numbers(void)
{
    static const char table[] = "frame,index,x,y,z\n11,0,1,2,3\n21,0,1,2,4\n41,0,1,2,5\n";
    static const char *const paths[][2] = {{"a.lammpstrj", "a.lammpstrj"},
                                           {"b.lammpstrj --stride 4", "b.lammpstrj"},
                                           {"c.*.lammpstrj", "c.*.lammpstrj"}};
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        test_expect(command_convert,
                    test_text("convert %s/t.csv %s/%s --quiet", folder, folder, paths[i][0]),
                    HOST_DONE, NULL);
        test_expect(command_convert,
                    test_text("convert %s/%s %s/back.csv --quiet", folder, paths[i][1], folder),
                    HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
    }
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/d.lammpstrj --frames 11 --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK_EQ(count_in(test_text("%s/d.lammpstrj", folder), "frame"), 0);
    test_folder_remove(folder);
}

static void faults_are_named_by_line(void)
{
    static const char *const faults[][2] = {
        {"", ": line 1: the file ends in the header of a frame"},
        {"nonsense\n", ": line 1: expected an item"},
        {"ITEM: TIMESTEP\n-1\n", ": line 2: expected the time step"},
        {"ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n4294967296\n",
         ": line 4: expected the number of atoms"},
        {"ITEM: TIMESTEP\n1\nITEM: ATOMS id x y z\n",
         ": line 3: the item NUMBER OF ATOMS is missing"},
        {"ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y z\n1 2 3 4\n",
         ": line 3: the item TIMESTEP is missing"},
        {FRAME("0", "pp pp pp\n0 1\n0\n0 1\n", "id x y z", "1 2 3 4\n"),
         ": line 7: expected 2 numbers"},
        {FRAME("0", BOX, "id vx vy vz", "1 2 3 4\n"), ": line 9: no column x, xs, xu or xsu"},
        {FRAME("0", BOX, "id x y", "1 2 3\n"), ": line 9: a column of location is missing"},
        {FRAME("0", BOX, "id id x y z", "1 1 2 3 4\n"), ": line 9: column \"id\" appears twice"},
        {FRAME("0", BOX, "id x y z", "0 2 3 4\n"), ": line 10: \"0\" is not the id of an atom"},
        {FRAME("0", BOX, "id x y z", "1 2 3\n     "),
         ": line 10: the row has 3 columns, expected 4"},
        {FRAME("0", BOX, "id x y z", "1 2 3 4e39\n"),
         ": line 10: \"4e39\" is not a number that fits"},
        {FRAME("0", BOX, "id xs ys zs", "1 2 3 1e38\n"), ": line 10: a coordinate does not fit"},
        {FRAME("0", BOX, "id x y z", "1 2 3 4\n2 2 3 4\n"),
         ": line 11: expected no row after the last atom"},
        {STEP("10") FRAME("20", BOX, "id x y z", "1 2 x 4\n"), ": line 20: \"x\" is not a number"},
        {STEP("10") STEP("20") STEP("10"), "frame 2 occurs twice"},
        {"ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n4000000000\nITEM: ATOMS id x y z\n1 2 3 4\n",
         ": line 6: 4000000000 atoms are promised, but 8 bytes are left"},
        {"ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id xs ys zs\n1 2 3 4\n",
         ": line 5: scaled coordinates need the item BOX BOUNDS"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_format_refused("a.lammpstrj", faults[i][0], strlen(faults[i][0]), faults[i][1]);
}

static void rotations_and_lives_are_told_to_have_no_place(void)
{
    static const char table[] =
        "frame,index,x,y,z,rw,rx,ry,rz,birth,die,life\n1,0,1,2,3,1,0,0,0,1,9,8\n";
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.csv", folder);
    test_file_write(path, table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s %s/a.lammpstrj", path, folder), HOST_DONE,
                "note: rotation,times: cannot be stored in lammps, skipped");
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(bytes_written_are_those_of_the_format),
    TEST_CASE(bytes_read_are_the_points),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(coordinates_of_every_kind_are_places),
    TEST_CASE(steps_become_frames),
    TEST_CASE(what_becomes_of_steps_is_told),
    TEST_CASE(all_frames_have_one_box),
    TEST_CASE(frames_with_a_step_keep_their_numbers),
    TEST_CASE(faults_are_named_by_line),
    TEST_CASE(rotations_and_lives_are_told_to_have_no_place),
};
TEST_SUITE(lammps, cases);
