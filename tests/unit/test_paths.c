/* SPDX-License-Identifier: MIT
   tests/unit/test_paths.c - allowed IN and OUT of a conversion: names of any length, links,
           folders, devices.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    under a second
   after   own design; POSIX */
#include "../../host_tools/common/host.h"
#include "../harness/files_help.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);

/* Any name that the file system accepts can be written, although the temporary name is longer;
   other names are refused. A UTF-8 character is never cut. */
static void names_of_any_length_are_written(void)
{
    char name[300];
    char *folder = test_folder_make();
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n";
    test_file_write(test_text("%s/t", folder), table, sizeof table - 1);
    for (size_t i = 0; i < 100; i++)
        memcpy(name + 2 * i + 1, "\xc3\xa4", 2); /* 201 bytes; a character lies across byte 200 */
    name[0] = 'n';
    CHECK_EQ(host_name_start("short"), 5);
    name[201] = 0;
    CHECK_EQ(host_name_start(name), 199);
    memset(name, 'n', sizeof name);
    name[251] = 0;
    test_convert(test_text("%s/t %s/%s.csv --from csv", folder, folder, name));
    test_convert(test_text("%s/t %s/%s.tpc --from csv", folder, folder, name));
    name[245] = 0;
    test_convert(test_text("%s/t %s/%s.ply --from csv", folder, folder, name));
    name[238] = 0;
    test_convert(test_text("%s/t %s/%s --to bphys --from csv", folder, folder, name));
    CHECK_EQ(test_folder_count(folder), 6);
    test_expect(
        command_convert,
        test_text("convert %s/t %s/%sxxxxxxxxxxxxxxxxxx.csv --from csv", folder, folder, name),
        HOST_IO, "cannot create: File name too long");
    test_folder_remove(folder);
}

/* A link is followed and kept, and the new file has the permissions of the old one. */
static void a_link_stays_one_and_rights_stay(void)
{
    struct stat status;
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    CHECK(mkdir(test_text("%s/far", folder), 0777) == 0);
    test_file_write(test_text("%s/far/a.tpc", folder), "old", 3);
    CHECK(chmod(test_text("%s/far/a.tpc", folder), 0640) == 0);
    CHECK(symlink("far/b.tpc", test_text("%s/a.tpc", folder)) == 0);
    CHECK(symlink("a.tpc", test_text("%s/far/b.tpc", folder)) == 0);
    CHECK(symlink("far/new.csv", test_text("%s/n.csv", folder)) == 0);
    test_convert(test_text("%s/t.csv %s/a.tpc", folder, folder));
    test_convert(test_text("%s/a.tpc %s/n.csv", folder, folder));
    CHECK(lstat(test_text("%s/a.tpc", folder), &status) == 0 && S_ISLNK(status.st_mode));
    CHECK(lstat(test_text("%s/far/a.tpc", folder), &status) == 0 && S_ISREG(status.st_mode));
    CHECK((status.st_mode & 0777) == 0640 && status.st_size > 3);
    CHECK(test_files_equal(test_text("%s/far/new.csv", folder), test_text("%s/t.csv", folder)));
    CHECK_EQ(test_folder_count(folder), 4);
    CHECK_EQ(test_folder_count(test_text("%s/far", folder)), 3);
    CHECK(symlink("ring", test_text("%s/ring", folder)) == 0);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/ring --to csv --quiet", folder, folder), HOST_IO,
                "/ring: cannot create: ");
    test_convert(test_text("%s/t.csv %s/s.*.ply", folder, folder));
    test_convert(test_text("%s/t.csv %s/s --to bphys", folder, folder));
    CHECK(chmod(test_text("%s/s.0001.ply", folder), 0600) == 0);
    CHECK(chmod(test_text("%s/s_000001_00.bphys", folder), 0640) == 0);
    test_convert(test_text("%s/t.csv %s/s.*.ply", folder, folder));
    test_convert(test_text("%s/t.csv %s/s --to bphys", folder, folder));
    CHECK(stat(test_text("%s/s.0001.ply", folder), &status) == 0 &&
          (status.st_mode & 0777) == 0600);
    CHECK(stat(test_text("%s/s_000001_00.bphys", folder), &status) == 0 &&
          (status.st_mode & 0777) == 0640);
    test_folder_remove(folder);
}

/* A folder with a single sequence stands for it, in every format. */
static void a_folder_of_any_format_is_read(void)
{
    static const char *const endings[] = {"csv", "ply", "npy", "pc2", "mdd", "tpc", "xyz", "geo"};
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,4\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const char *each = test_text("%s/%s", folder, endings[i]);
        CHECK(mkdir(each, 0777) == 0);
        test_convert(test_text("%s/t.csv %s/a.%s", folder, each, endings[i]));
        test_convert(test_text("%s %s/back.csv", each, folder));
        test_note("%s", endings[i]);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
        test_convert(test_text("%s/ %s/back.csv --from %s", each, folder, endings[i]));
    }
    test_convert(test_text("%s/t.csv %s/csv/b.csv", folder, folder));
    CHECK(mkdir(test_text("%s/ply/a.0000.ply", folder), 0777) == 0); /* a folder is no frame */
    test_expect(command_convert, test_text("convert %s/ply %s/back.csv", folder, folder), HOST_IO,
                "/ply/a.0000.ply:0: cannot read: ");
    test_expect(command_convert, test_text("convert %s/csv %s/back.csv", folder, folder),
                HOST_USAGE,
                "/csv: the folder holds 2 sequences of .csv files; name one, for example ");
    test_folder_remove(folder);
}

static void options_and_outputs_without_meaning_are_refused(void)
{
    static const char *const runs[][2] = {
        {"/dev/null", "/dev/null is a device or a pipe; name the format with --to"},
        {"/dev/null --to bphys",
         "/dev/null is a device or a pipe, but bphys is several files in a folder"},
        {"/dev/null --to ply", "/dev/null: is a device or a pipe, but ply is several files"},
        {"/dev/null --to npy", "/dev/null: is a device or a pipe, but npy is several files"},
        {"x.ply --frames 1-1 --info",
         "--info has no meaning here: ply has no info file; leave it out"},
        {"- --to pc2", "pc2 cannot be read from standard input or written to standard output: its "
                       "parts are not read"},
        {"- --to ply", "ply cannot be read from standard input or written to standard output: it "
                       "has one file per frame"},
        {"x.ply --stride 10",
         "--stride has no meaning here: neither csv nor ply counts time steps"},
    };
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        test_expect(command_convert, test_text("convert %s/t.csv %s", folder, runs[i][0]),
                    HOST_USAGE, runs[i][1]);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/o.lammpstrj --shift -9", folder, folder),
                HOST_BAD_INPUT, "/o.lammpstrj: frame -8 would be a time step below 0");
    test_folder_remove(folder);
}

/* Output to a descriptor is appended, as the shell's >> expects, and does not replace the file. */
static void descriptors_are_written_to(void)
{
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_output output =
        test_command(command_convert, test_text("convert %s/t.csv /dev/stdout --to csv", folder));
    CHECK(output.code == HOST_DONE && strcmp(output.standard, table) == 0);
    test_output_free(&output);
    CHECK(symlink("/dev/stdout", test_text("%s/out.csv", folder)) == 0);
    output = test_command(command_convert,
                          test_text("convert %s/t.csv %s/out.csv --quiet", folder, folder));
    CHECK(output.code == HOST_DONE && strcmp(output.standard, table) == 0);
    test_output_free(&output);
    test_file_write(test_text("%s/log.csv", folder), table, sizeof table - 1);
    int log = open(test_text("%s/log.csv", folder), O_WRONLY | O_APPEND);
    test_convert(test_text("%s/t.csv /dev/fd/%d --to csv", folder, log));
    CHECK(close(log) == 0);
    struct stat status;
    CHECK(stat(test_text("%s/log.csv", folder), &status) == 0 &&
          status.st_size == 2 * (off_t)(sizeof table - 1));
    test_expect(command_convert,
                test_text("convert %s/t.csv /dev/null --to ply --frames 1-1", folder), HOST_USAGE,
                "/dev/null: is a device or a pipe");
    test_folder_remove(folder);
}

/* One file cannot hold a cache, but the name x.bphys looks as if it could. */
static void a_cache_is_told_to_be_several_files(void)
{
    static const char *const outs[] = {"x.bphys", "x_000001_00.bphys", "x"};
    static const char *const notes[] = {
        "/x.bphys: note: a cache is several files: x_FFFFFF_00.bphys, F the frame\n", NULL, NULL};
    char *folder = test_folder_make();
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n";
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t i = 0; i < 3; i++) {
        test_output output = test_command(
            command_convert, test_text("convert %s/t.csv %s/%s", folder, folder, outs[i]));
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(notes[i] ? strstr(output.errors, notes[i]) != NULL : !*output.errors);
        test_output_free(&output);
        CHECK(test_file_exists(test_text("%s/x_000001_00.bphys", folder)));
    }
    test_folder_remove(folder);
}

/* Blender keeps the caches of scene.blend in blendcache_scene beside it. */
static void the_cache_of_a_blend_file_is_found(void)
{
    static const char none[] = "tests/fixtures/blender/newton_s1/none";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/scene.blend", folder), "BLENDER", 7);
    test_expect(command_convert, test_text("convert %s/scene.blend %s/o.csv", folder, folder),
                HOST_BAD_INPUT, "/scene.blend: Blender keeps its caches in the folder ");
    test_expect(command_convert, test_text("convert %s/scene.blend %s/o.csv", folder, folder),
                HOST_BAD_INPUT,
                "/blendcache_scene, which does not exist; bake with \"Disk Cache\" on\n");
    CHECK(mkdir(test_text("%s/blendcache_scene", folder), 0777) == 0);
    test_convert(test_text("%s %s/blendcache_scene/a", none, folder));
    test_expect(command_convert, test_text("convert %s/scene.blend %s/o.csv", folder, folder),
                HOST_BAD_INPUT, "/blendcache_scene; name that folder\n");
    host_quiet(false);
    test_convert(test_text("%s %s/o.csv", folder, folder));
    CHECK(remove(test_text("%s/o.csv", folder)) == 0);
    test_output output = test_command(command_info, test_text("info %s", folder));
    CHECK(output.code == HOST_DONE && strstr(output.standard, "frames       40"));
    test_output_free(&output);
    output = test_command(command_verify, test_text("verify %s", folder));
    CHECK(output.code == HOST_DONE && strstr(output.standard, "41 files, 40 frames"));
    test_output_free(&output);
    CHECK(mkdir(test_text("%s/blendcache_more", folder), 0777) == 0);
    test_expect(command_convert, test_text("convert %s %s/o.csv", folder, folder), HOST_IO,
                "; name one of its folders blendcache_*\n");
    test_folder_remove(folder);
}

/* One file or several: a missing folder is made, and goes when the conversion fails. */
static void a_missing_folder_is_made_for_any_format(void)
{
    static const char *const outs[] = {"new/t.csv", "new/t.ply", "new/t.*.csv", "new/t.xyz.zst",
                                       "new/t.npz", "new/t.tpc", "new/t.usda",  "new/t"};
    static const char table[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,4\n",
                      uneven[] = "frame,index,x,y,z\n1,0,1,2,3\n2,1,1,2,4\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_file_write(test_text("%s/u.csv", folder), uneven, sizeof uneven - 1);
    for (size_t i = 0; i < sizeof outs / sizeof outs[0]; i++) {
        test_note("%s", outs[i]);
        test_convert(test_text("%s/t.csv %s/%d%s", folder, folder, (int)i, outs[i]));
        CHECK_EQ(test_folder_count(folder), i + 3);
    }
    test_expect(command_convert, test_text("convert %s/u.csv %s/bad/t.dcd", folder, folder),
                HOST_BAD_INPUT, "needs the same points");
    test_expect(command_convert, test_text("convert %s/t.csv %s/bad/no/t.csv", folder, folder),
                HOST_IO, "t.csv: cannot create: No such file or directory");
    CHECK(!test_file_exists(test_text("%s/bad", folder)));
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(names_of_any_length_are_written),
    TEST_CASE(a_link_stays_one_and_rights_stay),
    TEST_CASE(a_missing_folder_is_made_for_any_format),
    TEST_CASE(a_folder_of_any_format_is_read),
    TEST_CASE(a_cache_is_told_to_be_several_files),
    TEST_CASE(the_cache_of_a_blend_file_is_found),
    TEST_CASE(descriptors_are_written_to),
    TEST_CASE(options_and_outputs_without_meaning_are_refused),
};
TEST_SUITE(paths, cases);
