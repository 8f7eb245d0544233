/* SPDX-License-Identifier: MIT
   tests/unit/test_tables.c - CSV tables of other programs, tables of one frame each, frames without
           points.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    under a second
   after   own design; the names that ParaView gives to columns */
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

/* Writes a table in a new folder; `path` points to a static buffer. */
static char *make_table(const char **path, const char *text)
{
    char *folder = test_folder_make();
    *path = test_text("%s/table.csv", folder);
    test_file_write(*path, text, strlen(text));
    return folder;
}

/* Converts one table, and compares the result with a table of ours. */
static void expect_table(const char *table, const char *options, const char *expected)
{
    const char *path;
    char *folder = make_table(&path, table);
    test_expect(command_convert,
                test_text("convert %s %s/out.csv --quiet %s", path, folder, options), HOST_DONE,
                NULL);
    test_file_write(test_text("%s/wanted.csv", folder), expected, strlen(expected));
    test_note("%s", table);
    CHECK(test_files_equal(test_text("%s/out.csv", folder), test_text("%s/wanted.csv", folder)));
    test_folder_remove(folder);
}

/* Other programs separate by semicolons, tabs or blanks, name their columns otherwise, and write
   neither frame nor index. */
static void tables_of_other_programs_are_read(void)
{
    static const char two[] = "frame,index,x,y,z\n1,0,1,2.5,3\n1,1,4,5,6\n";
    expect_table("X,Y,Z\n1,2.5,3\n4,5,6\n", "", two);
    expect_table("x;y;z\n1;2,5;3\n4;5;6\n", "", two);
    expect_table("x\ty\tz\n1\t2.5\t3\n4\t5\t6\n", "", two);
    expect_table("\"Points:0\",\"Points:1\",\"Points:2\"\n1,2.5,3\n4,5,6\n", "", two);
    expect_table("id,Points_0,Points_1,Points_2\n1,4,5,6\n0,1,2.5,3\n", "", two);
    expect_table("Frame,x,y,z\n7,1,2,3\n7,4,5,6\n8,7,8,9\n", "",
                 "frame,index,x,y,z\n7,0,1,2,3\n7,1,4,5,6\n8,0,7,8,9\n");
    expect_table(
        "velocity:0,velocity:1,velocity:2,size,Points:0,Points:1,Points:2\n1,2,3,4,5,6,7\n", "",
        "frame,index,x,y,z,vx,vy,vz,size\n1,0,5,6,7,1,2,3,4\n");
    expect_table("x,y,z,Points:0\n1,2.5,3,9\n4,5,6,9\n", "", two);
    expect_table("# x y z\n1 2.5 3\n4 5 6\n", "", two);
    expect_table("#x,y,z\n1,2.5,3\n4,5,6\n", "", two);
    expect_table("1 2.5   3\n4 5 6\n", "--columns x,y,z", two);
    expect_table(" 7;2,5;1;3\n 8;5;4;6\n", "--columns mass,y,X,z", two);
    expect_table("0,4,5,6\n", "--columns index,Points:0,Points:1,Points:2",
                 "frame,index,x,y,z\n1,0,4,5,6\n");
}

static void what_a_table_lacks_is_told(void)
{
    const char *path;
    char *folder = make_table(&path, "x,y,z\n1,2,3\n");
    test_expect(command_convert, test_text("convert %s %s/o.ply", path, folder), HOST_DONE,
                "/table.csv: note: no column frame: all rows are of frame 1\n");
    test_expect(command_convert, test_text("convert %s %s/o.csv --columns x,y", path, folder),
                HOST_BAD_INPUT, "line 0: column z is missing");
    test_expect(command_convert,
                test_text("convert %s/o.ply %s/o.csv --columns x,y,z", folder, folder), HOST_USAGE,
                "--columns has no meaning here: ply is no table; leave it out");
    test_folder_remove(folder);
}

/* Several tables of one frame each; their names have the frame numbers. */
static void a_pattern_names_one_table_per_frame(void)
{
    static const char expected[] = "frame,index,x,y,z\n2,0,1,2,3\n10,0,4,5,6\n10,1,7,8,9\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/pf_2.csv", folder), "x,y,z\n1,2,3\n", 12);
    test_file_write(test_text("%s/pf_10.csv", folder), "x;y;z\n4;5;6\n7;8;9\n", 18);
    test_file_write(test_text("%s/pf_old.csv", folder), "nonsense\n", 9);
    test_expect(command_convert, test_text("convert %s/pf_*.csv %s/o.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    test_file_write(test_text("%s/wanted.csv", folder), expected, sizeof expected - 1);
    CHECK(test_files_equal(test_text("%s/o.csv", folder), test_text("%s/wanted.csv", folder)));
    test_file_write(test_text("%s/pf_3.csv", folder), "x,y,z,mass\n1,2,3,4\n", 19);
    test_file_write(test_text("%s/pf_4.csv", folder), "x,y,z,mass\n1,2,3,4\n", 19);
    test_output output =
        test_command(command_convert, test_text("convert %s/pf_*.csv %s/o.ply", folder, folder));
    const char *note = strstr(output.errors, "column \"mass\" is unknown");
    CHECK(output.code == HOST_DONE && note && !strstr(note + 1, "column \"mass\" is unknown"));
    test_output_free(&output);
    test_file_write(test_text("%s/pf_11.csv", folder), "x;y;z\n4;5;six\n", 15);
    test_expect(command_convert, test_text("convert %s/pf_*.csv %s/o.csv --quiet", folder, folder),
                HOST_BAD_INPUT, "/pf_11.csv:10: line 2: column z is \"six\", expected a number");
    host_quiet(false);
    test_file_write(test_text("%s/pf_11.csv", folder), "frame,x,y,z\n10,5,6,7\n", 21);
    test_expect(command_convert, test_text("convert %s/pf_*.csv %s/o.csv --quiet", folder, folder),
                HOST_BAD_INPUT, "frame 10 has index 0 a second time");
    host_quiet(false);
    test_expect(command_convert, test_text("convert %s/no_*.csv %s/o.csv", folder, folder), HOST_IO,
                "there is no such file, and no numbered files of this name");
    test_folder_remove(folder);
}

/* OUT with a star: one table per frame, all or none, as of other formats; shares replace theirs. */
static void a_pattern_is_written_as_one_table_per_frame(void)
{
    static const char table[] = "frame,index,x,y,z\n2,0,1,2,3\n3,,,,\n10,0,4,5,6\n";
    char *folder = test_folder_make();
    char *path = host_text("%s/t.csv", folder), *out = host_text("%s/pf_*.csv", folder);
    test_file_write(path, table, sizeof table - 1);
    test_file_write(test_text("%s/pf_0007.csv", folder), "old", 3);
    test_expect(
        command_convert, test_text("convert %s %s", path, out), HOST_DONE,
        "note: 1 file of the older sequence, pf_0007.csv, has no new version and is removed");
    CHECK_EQ(test_folder_count(folder), 4);
    test_file_write(test_text("%s/wanted.csv", folder), "frame,index,x,y,z\n10,0,4,5,6\n", 29);
    CHECK(
        test_files_equal(test_text("%s/pf_0010.csv", folder), test_text("%s/wanted.csv", folder)));
    test_expect(command_convert, test_text("convert %s %s/o.csv --quiet", out, folder), HOST_DONE,
                NULL);
    CHECK(test_files_equal(path, test_text("%s/o.csv", folder)));
    test_expect(command_convert,
                test_text("convert %s %s --frames 10 --scale 2 --quiet", path, out), HOST_DONE,
                NULL);
    CHECK(test_file_exists(test_text("%s/pf_0002.csv", folder)));
    CHECK(
        !test_files_equal(test_text("%s/pf_0010.csv", folder), test_text("%s/wanted.csv", folder)));
    test_expect(command_convert, test_text("convert %s %s --shift -5 --quiet", path, out),
                HOST_BAD_INPUT, "frame -3 cannot be the number of a file");
    CHECK(test_file_exists(test_text("%s/pf_0003.csv", folder)));
    CHECK_EQ(test_folder_count(folder), 6);
    free(path);
    free(out);
    test_folder_remove(folder);
}

/* A row with its frame number alone is a frame without points. */
static void frames_without_points_are_kept(void)
{
    static const char table[] = "frame,index,x,y,z\n1,,,,\n2,0,1,2,3\n3,,,,\n4,,,,\n";
    const char *path;
    host_sequence sequence;
    host_frame frame;
    char *folder = make_table(&path, table);
    if (CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) {
        CHECK(sequence.frame_count == 4 && sequence.point_count == 1);
        CHECK_EQ(host_sequence_load(&sequence, 2, &frame), HOST_DONE);
        CHECK(frame.count == 0 && frame.number == 3);
        host_frame_free(&frame);
        host_sequence_close(&sequence);
    }
    test_expect(command_convert, test_text("convert %s %s/b.ply --quiet", path, folder), HOST_DONE,
                NULL);
    CHECK(test_file_exists(test_text("%s/b.0004.ply", folder)));
    test_expect(command_convert, test_text("convert %s/b.ply %s/back.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(path, test_text("%s/back.csv", folder)));
    test_expect(command_convert, test_text("convert %s %s/c.tpc --quiet", path, folder), HOST_DONE,
                NULL);
    test_expect(command_convert, test_text("convert %s/c.tpc %s/back.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(path, test_text("%s/back.csv", folder)));
    test_folder_remove(folder);
}

/* A zero byte after a name ends no name. */
static void a_zero_byte_is_no_end_of_a_name(void)
{
    static const char table[] = "x,y,z\0frame\n1,2,3\n";
    test_format_refused("a.csv", table, sizeof table - 1, "column z is missing");
}

static void an_empty_row_beside_points_is_refused(void)
{
    static const char *const tables[] = {"frame,index,x,y,z\n1,0,1,2,3\n1,,,,\n",
                                         "frame,index,x,y,z\n1,,,,\n1,0,1,2,3\n",
                                         "frame,index,x,y,z\n1,,,,\n2,0,1,2,3\n1,,,,\n"};
    for (size_t i = 0; i < 3; i++)
        test_format_refused("a.csv", tables[i], strlen(tables[i]),
                            "frame 1 has a row without a point, and another row");
}

static const test_case cases[] = {
    TEST_CASE(tables_of_other_programs_are_read),
    TEST_CASE(what_a_table_lacks_is_told),
    TEST_CASE(a_pattern_names_one_table_per_frame),
    TEST_CASE(a_pattern_is_written_as_one_table_per_frame),
    TEST_CASE(frames_without_points_are_kept),
    TEST_CASE(a_zero_byte_is_no_end_of_a_name),
    TEST_CASE(an_empty_row_beside_points_is_refused),
};
TEST_SUITE(tables, cases);
