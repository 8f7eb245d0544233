/* SPDX-License-Identifier: MIT
   tests/unit/test_shares.c - a share is refused if the existing files are of another simulation.
   reads   tables written here             writes  a temporary folder
   memory  malloc                          cost    under a second
   after   own design */
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

static char *folder;

/* Makes a table of frames 1 to 9 with `count` points each; the path is valid until the next table
   with this count. */
static const char *table(const char *name, int count)
{
    static char paths[8][512];
    char *path = paths[count];
    snprintf(path, sizeof paths[0], "%s/%s.csv", folder, name);
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) exit(2);
    fputs("frame,index,x,y,z\n", file);
    for (int frame = 1; frame <= 9; frame++)
        for (int i = 0; i < count; i++) fprintf(file, "%d,%d,%d,%d,0\n", frame, i, i, frame);
    fclose(file);
    return path;
}

/* Converts into FOLDER/out/a with these options; `message` NULL: it succeeds. */
static void share(const char *input, const char *options, const char *message)
{
    test_expect(command_convert,
                test_text("convert %s %s/out/a %s --quiet", input, folder, options),
                message ? HOST_USAGE : HOST_DONE, message);
}

static char *begin(void)
{
    folder = test_folder_make();
    return folder;
}

static void a_share_of_another_type_is_refused(void)
{
    begin();
    const char *three = table("three", 3);
    share(three, "--type cloth --frames 1-3", NULL);
    share(three, "--type softbody --frames 4-6",
          "a_000003_00.bphys:8: the type of the existing frames is cloth, of this share softbody");
    share(three, "--frames 4-6",
          "is cloth, of this share particles: they are of different simulations");
    CHECK_EQ(test_folder_count(test_text("%s/out", folder)), 3);
    share(three, "--type cloth --frames 4-6", NULL);
    share(three, "--type softbody --frames 2-3", "a_000001_00.bphys:8: the type");
    share(three, "--type softbody --frames 1-3", "a_000004_00.bphys:8: the type");
    share(three, "--type softbody --frames 1-9", NULL); /* all existing files are replaced */
    CHECK_EQ(test_folder_count(test_text("%s/out", folder)), 9);
    test_folder_remove(folder);
}

static void a_share_of_a_mesh_with_other_points_is_refused(void)
{
    begin();
    const char *three = table("three", 3), *four = table("four", 4);
    share(three, "--type cloth --frames 4-6", NULL);
    share(
        four, "--type cloth --frames 7-9",
        "a_000006_00.bphys:12: the number of points of the existing frames is 3, of this share 4");
    share(four, "--type cloth --frames 1-3", "a_000004_00.bphys:12: the number of points");
    CHECK_EQ(test_folder_count(test_text("%s/out", folder)), 3);
    share(four, "--type cloth --frames 1-9", NULL);
    test_folder_remove(folder);
}

static void a_share_of_a_system_with_other_points_is_refused(void)
{
    begin();
    const char *three = table("three", 3), *four = table("four", 4), *two = table("two", 2);
    share(three, "--frames 1-3", NULL); /* with the info file */
    share(
        four, "--frames 7-9",
        "a_000000_00.bphys:12: the number of points of the existing frames is 3, of this share at "
        "least 4");
    share(two, "--frames 7-9", NULL); /* a part of the three points */
    share(four, "--frames 1-3", "is 3, of this share 4");
    CHECK_EQ(test_folder_count(test_text("%s/out", folder)), 7);
    test_expect(command_convert, test_text("convert %s %s/four/a --quiet", four, folder), HOST_DONE,
                NULL);
    share(test_text("%s/four", folder), "--frames 4-6",
          "a_000000_00.bphys:12: the number of points");
    share(test_text("%s/four", folder), "--frames 1-9", NULL);
    CHECK_EQ(test_folder_count(test_text("%s/out", folder)), 10);
    test_folder_remove(folder);
}

static void a_damaged_neighbour_says_nothing(void)
{
    begin();
    const char *three = table("three", 3);
    share(three, "--type cloth --frames 1-3", NULL);
    test_file_write(test_text("%s/out/a_000003_00.bphys", folder), "BPHYS", 5);
    share(three, "--type softbody --frames 4-6", NULL);
    share(three, "--type cloth --frames 2-3", "a_000004_00.bphys:8: the type");
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_share_of_another_type_is_refused),
    TEST_CASE(a_share_of_a_mesh_with_other_points_is_refused),
    TEST_CASE(a_share_of_a_system_with_other_points_is_refused),
    TEST_CASE(a_damaged_neighbour_says_nothing),
};
TEST_SUITE(shares, cases);
