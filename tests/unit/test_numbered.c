/* SPDX-License-Identifier: MIT
   tests/unit/test_numbered.c - files that a path names, names of new files, and writing all files
           or none.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   own design */
#include "../../host_tools/formats/numbered.h"
#include "../harness/files_help.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int command_convert(int argc, char **argv);

static void numbers_stand_before_the_ending(void)
{
    static const struct {
        const char *name;
        size_t before, digits;
        int64_t number;
    } names[] = {
        {"a.0001.ply", 2, 4, 1}, {"a_12.ply", 2, 2, 12},  {"a7.ply", 1, 1, 7},
        {"0042.ply", 0, 4, 42},  {"dump.100", 5, 3, 100}, {"dump.5.lammpstrj", 5, 1, 5},
        {"a.1.ply", 2, 1, 1},    {"b-3.ply", 2, 1, 3},    {"2nd.ply", 0, 0, 0},
        {"a.ply", 0, 0, 0},      {"x1y.ply", 0, 0, 0},    {"1234567890123456789.ply", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        numbered_name parsed;
        test_note("%s", names[i].name);
        bool found = numbered_parse(names[i].name, ".ply", &parsed);
        CHECK_EQ(found, names[i].digits != 0);
        if (found && names[i].digits)
            CHECK(parsed.before == names[i].before && parsed.digits == names[i].digits &&
                  parsed.number == names[i].number);
    }
}

static void touch(const char *folder, const char *name)
{
    test_file_write(test_text("%s/%s", folder, name), "", 0);
}

/* Checks the numbers of the files that `path` names, as "1 2 10"; "-" for a file without a
   number. */
static void expect_found(const char *folder, const char *path, const char *expected)
{
    char text[64] = "";
    numbered_files found;
    if (!CHECK_EQ(numbered_find(&found, test_text("%s/%s", folder, path), ".ply"), HOST_DONE))
        return;
    for (size_t i = 0; i < found.files.count; i++) {
        int64_t value = found.files.entries[i].number;
        const char *number = value == NAMES_NO_NUMBER ? "-" : test_text("%d", (int)value);
        strcat(strcat(text, i ? " " : ""), number);
    }
    test_note("%s: %s", path, text);
    CHECK(strcmp(text, expected) == 0);
    numbered_files_free(&found);
}

static void any_file_of_a_sequence_names_it(void)
{
    static const char *const names[] = {"a.1.ply",  "a.2.ply", "a.10.ply", "a.ply",  "a_3.ply",
                                        "b_04.ply", "b_5.ply", "c.ply",    "x.7.ply"};
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) touch(folder, names[i]);
    expect_found(folder, "a.2.ply", "1 2 10");
    expect_found(folder, "a.*.ply", "1 2 10");
    expect_found(folder, "a.ply", "-");
    expect_found(folder, "a_3.ply", "3");
    expect_found(folder, "b.ply", "4 5");
    expect_found(folder, "b_*.ply", "4 5");
    expect_found(folder, "c.ply", "-");
    expect_found(folder, "x", "7");
    touch(folder, "b_05.ply");
    test_expect(command_convert, test_text("convert %s/b.ply %s/out/a", folder, folder),
                HOST_BAD_INPUT, "b_05.ply and b_5.ply have the same number");
    test_expect(command_convert, test_text("convert %s/d.ply %s/out/a", folder, folder), HOST_IO,
                "d.ply: there is no such file, and no numbered files of this name");
    test_expect(command_convert, test_text("convert %s %s/out/a --from ply", folder, folder),
                HOST_USAGE, "the folder holds several sequences of .ply files");
    test_folder_remove(folder);
}

static const char table[] = "frame,index,x,y,z\n3,0,1,2,3\n4,0,1,2,4\n";

static char *make_table(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    return folder;
}

static void expect_written(const char *out, const char *first, const char *second)
{
    char *folder = make_table();
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/%s --to ply --quiet", folder, folder, out),
                HOST_DONE, NULL);
    test_note("%s", out);
    CHECK(test_file_exists(test_text("%s/%s", folder, first)) &&
          test_file_exists(test_text("%s/%s", folder, second)));
    CHECK_EQ(test_folder_count(folder) - 1, strchr(first, '/') ? 1 : 2);
    test_expect(command_convert,
                test_text("convert %s/%s %s/back.csv --from ply --quiet", folder, out, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
    test_folder_remove(folder);
}

static void names_of_new_files_follow_the_path(void)
{
    expect_written("a.ply", "a.0003.ply", "a.0004.ply");
    expect_written("a_*.ply", "a_0003.ply", "a_0004.ply");
    expect_written("a.00007.ply", "a.00003.ply", "a.00004.ply");
    expect_written("a_07.ply", "a_07.0003.ply", "a_07.0004.ply");
    expect_written("a.2.ply", "a.2.0003.ply", "a.2.0004.ply");
    expect_written("sub/a.ply", "sub/a.0003.ply", "sub/a.0004.ply");
    expect_written("sub/", "sub/t.0003.ply", "sub/t.0004.ply");
}

static void one_frame_goes_to_the_very_path(void)
{
    char *folder = test_folder_make();
    static const char one[] = "frame,index,x,y,z\n3,0,1,2,3\n";
    test_file_write(test_text("%s/t.csv", folder), one, sizeof one - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a2.ply --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_file_exists(test_text("%s/a2.ply", folder)));
    test_expect(command_convert,
                test_text("convert %s/a2.ply %s/cache/points --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK(test_file_exists(test_text("%s/cache/points_000002_00.bphys", folder)));
    test_folder_remove(folder);
}

/* A share of the frames uses the names that it has in the whole sequence, and replaces only these
   files. */
static void an_old_sequence_goes_and_a_failure_leaves_it(void)
{
    static const char bad[] = "frame,index,x,y,z\n-3,0,1,2,3\n4,0,1,2,3\n";
    char *folder = make_table();
    touch(folder, "a.0009.ply");
    touch(folder, "a.9.ply.txt");
    mkdir(test_text("%s/whole", folder), 0777);
    touch(folder, "whole/a.0009.ply");
    touch(folder, "whole/a.0010.ply");
    test_expect(
        command_convert, test_text("convert %s/t.csv %s/whole/a.ply", folder, folder), HOST_DONE,
        "/whole: note: 2 files of the older sequence, from a.0009.ply, have no new version and are "
        "removed\n");
    CHECK(!test_file_exists(test_text("%s/whole/a.0009.ply", folder)) &&
          test_file_exists(test_text("%s/whole/a.0004.ply", folder)));
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/a.ply --frames 4 --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_file_exists(test_text("%s/a.0009.ply", folder)) &&
          test_file_exists(test_text("%s/a.0004.ply", folder)));
    CHECK(test_file_exists(test_text("%s/a.9.ply.txt", folder)));
    test_file_write(test_text("%s/bad.csv", folder), bad, sizeof bad - 1);
    test_expect(command_convert, test_text("convert %s/bad.csv %s/a.ply --quiet", folder, folder),
                HOST_BAD_INPUT, "frame -3 cannot be the number of a file");
    CHECK(test_file_exists(test_text("%s/a.0004.ply", folder)));
    mkdir(test_text("%s/a.0003.ply", folder), 0777);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.ply --quiet", folder, folder),
                HOST_IO, "a.0003.ply: cannot replace it: not a regular file");
    CHECK(test_file_exists(test_text("%s/a.0004.ply", folder)));
    CHECK_EQ(test_folder_count(folder), 7);
    test_folder_remove(folder);
}

/* Digits at the end of a name belong to it unless they are written like a frame number. shot1 and
   shot7 are other simulations, which are not changed. */
static void neighbours_whose_names_end_in_digits_are_left_alone(void)
{
    static const char *const names[] = {"shot1.ply", "shot7.ply", "shot_0003.ply", "shot.7.ply"};
    char *folder = make_table();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) touch(folder, names[i]);
    test_expect(command_convert, test_text("convert %s/t.csv %s/shot2.ply --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/shot.3.ply --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK_EQ(test_folder_count(folder), 1 + 4 + 4);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct stat status;
        CHECK(stat(test_text("%s/%s", folder, names[i]), &status) == 0 && status.st_size == 0);
    }
    test_folder_remove(folder);
}

/* A file that would mix with the new sequence stops the conversion. A name of a missing file is no
   other simulation. */
static void files_that_are_numbered_otherwise_are_told(void)
{
    char *folder = make_table();
    touch(folder, "shot.7.ply");
    test_expect(command_convert, test_text("convert %s/t.csv %s/shot.ply --quiet", folder, folder),
                HOST_IO,
                "/shot.7.ply: would be read as a frame of the new sequence; move it away, or give "
                "OUT another name");
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/shot.*.ply --quiet", folder, folder), HOST_IO,
                "/shot.7.ply: would be read as a frame");
    CHECK_EQ(test_folder_count(folder), 2);
    touch(folder, "p_location.1.npy");
    test_expect(command_convert, test_text("convert %s/t.csv %s/p.*.npy --quiet", folder, folder),
                HOST_IO, "/p_location.1.npy: would be read as a frame");
    CHECK_EQ(test_folder_count(folder), 3);
    touch(folder, "run1.ply");
    touch(folder, "run3.ply");
    test_expect(command_convert, test_text("convert %s/run2.ply %s/o.csv", folder, folder), HOST_IO,
                "/run2.ply: there is no such file, and no numbered files of this name");
    test_folder_remove(folder);
}

/* Otherwise it would be read instead of the sequence. */
static void a_single_file_of_the_name_goes(void)
{
    char *folder = make_table();
    touch(folder, "a.ply");
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.ply", folder, folder), HOST_DONE,
                "note: 1 file of the older sequence, a.ply, has no new version and is removed\n");
    expect_found(folder, "a.ply", "3 4");
    CHECK_EQ(test_folder_count(folder), 3);
    static const char one[] = "frame,index,x,y,z\n3,0,1,2,3\n";
    test_file_write(test_text("%s/one.csv", folder), one, sizeof one - 1);
    test_expect(
        command_convert, test_text("convert %s/one.csv %s/a.ply", folder, folder), HOST_DONE,
        "/a.ply: note: the name now stands for this one frame; the older numbered files beside it "
        "are kept\n");
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/a.ply --frames 4-4", folder, folder), HOST_IO,
                "/a.ply: would be read instead of the new sequence; move it away, or give OUT "
                "another name\n");
    test_expect(command_convert,
                test_text("convert %s/a.ply %s/a.ply --step 1 --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK_EQ(test_folder_count(folder), 5);
    touch(folder, "t.ply");
    test_expect(command_convert, test_text("convert %s/t.csv %s --to ply", folder, folder),
                HOST_DONE, NULL);
    CHECK_EQ(test_folder_count(folder), 8);
    test_folder_remove(folder);
}

/* A file with several frames does not form a sequence with files that differ by a number. */
static void a_file_of_several_frames_stands_alone(void)
{
    static const char two[] = "1\nframe=1\nH 1 2 3\n1\nframe=2\nH 1 2 3\n",
                      one[] = "1\n\nH 1 2 3\n";
    char *folder = test_folder_make();
    host_sequence sequence;
    test_file_write(test_text("%s/run1.xyz", folder), two, sizeof two - 1);
    test_file_write(test_text("%s/run2.xyz", folder), two, sizeof two - 1);
    test_file_write(test_text("%s/one.3.xyz", folder), one, sizeof one - 1);
    test_file_write(test_text("%s/one.5.xyz", folder), one, sizeof one - 1);
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/run2.xyz", folder), NULL),
                 HOST_DONE)) {
        CHECK_EQ(sequence.frame_count, 2);
        host_sequence_close(&sequence);
    }
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/one.5.xyz", folder), NULL),
                 HOST_DONE)) {
        CHECK(sequence.frame_count == 2 && sequence.numbers[0] == 3 && sequence.numbers[1] == 5);
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static void contradicting_options_are_usage_errors(void)
{
    char *folder = make_table();
    static const char *const faults[][2] = {
        {"a.xyz --encoding big", "--encoding big: format xyz cannot be written in this encoding"},
        {"a.vtk --encoding little",
         "--encoding little: format vtk cannot be written in this encoding"},
        {"a.ply --encoding utf8",
         "--encoding is \"utf8\", expected ascii, little, big, classic or json"},
        {"a.lammpstrj --stride 0", "--stride is \"0\""},
        {"a.ply --fps 25", "here both sides are others"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_expect(command_convert,
                    test_text("convert %s/t.csv %s/%s", folder, folder, faults[i][0]), HOST_USAGE,
                    faults[i][1]);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(numbers_stand_before_the_ending),
    TEST_CASE(any_file_of_a_sequence_names_it),
    TEST_CASE(names_of_new_files_follow_the_path),
    TEST_CASE(one_frame_goes_to_the_very_path),
    TEST_CASE(an_old_sequence_goes_and_a_failure_leaves_it),
    TEST_CASE(neighbours_whose_names_end_in_digits_are_left_alone),
    TEST_CASE(files_that_are_numbered_otherwise_are_told),
    TEST_CASE(a_single_file_of_the_name_goes),
    TEST_CASE(a_file_of_several_frames_stands_alone),
    TEST_CASE(contradicting_options_are_usage_errors),
};
TEST_SUITE(numbered, cases);
