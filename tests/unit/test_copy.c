/* SPDX-License-Identifier: MIT
   tests/unit/test_copy.c - conversions that copy the bytes of files, or that write nothing.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  malloc                      cost    below a second
   after   own design */
#include "../../host_tools/common/gzip.h"
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

/* Without compression, the bytes of most files are copied; with --streams they never are. */
static void copied_files_equal_converted_ones(void)
{
    static const char *const inputs[] = {"newton_s1/none", "newton_s5/none",    "rotation/none",
                                         "boids/none",     "cloth_pinned/none", "softbody/none"};
    static const char turning[] = "index,location,velocity,rotation,avelocity",
                      boids[] = "index,location,velocity,rotation,avelocity,boids";
    const char *const streams[] = {
        "location,velocity,index",  "location,velocity,index", turning, boids,
        "location,velocity,xconst", "location,velocity"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        char *folder = test_folder_make();
        char in[128];
        snprintf(in, sizeof in, "tests/fixtures/blender/%s", inputs[i]);
        test_note("%s", in);
        test_convert(test_text("%s %s/a/x --shift 3", in, folder));
        test_convert(test_text("%s %s/b/x --shift 3 --streams %s,extra", in, folder, streams[i]));
        CHECK(test_folders_equal(test_text("%s/a", folder), test_text("%s/b", folder)));
        test_folder_remove(folder);
    }
}

/* --dry-run reads everything and writes nothing. */
static void a_dry_run_tells_what_would_be_lost(void)
{
    static const char in[] = "tests/fixtures/blender/sph_adaptive/none";
    char *folder = test_folder_make();
    test_output output =
        test_command(command_convert, test_text("convert %s %s/new/x.ply --dry-run", in, folder));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, "format ply cannot hold extra data: skipped") != NULL);
    CHECK(strstr(output.standard, "nothing written; would be ") != NULL);
    test_output_free(&output);
    output = test_command(command_convert,
                          test_text("convert %s %s/x.pc2 --dry-run --frames 3-4",
                                    "tests/fixtures/blender/cloth_pinned/none", folder));
    CHECK(strstr(output.errors, "cannot be stored in pc2, skipped") != NULL);
    CHECK(strstr(output.standard, "would be 2 frames of 121 points, bphys to pc2") != NULL);
    test_output_free(&output);
    test_file_write(test_text("%s/a_000001_00.bphys", folder), "BPHYSICS\1\0\0\0\2\0\0\0\3\0\0",
                    20);
    test_expect(command_convert, test_text("convert %s/a %s/y.csv --dry-run", folder, folder),
                HOST_BAD_INPUT, "a_000001_00.bphys:20");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

/* Runs a conversion with and without --dry-run: the same refusal, and no file. */
static void refused_alike(const char *folder, const char *in, const char *out, const char *text)
{
    const char *line = test_text("convert %s/%s %s/%s", folder, in, folder, out);
    test_note("%s %s", in, out);
    size_t count = test_folder_count(folder);
    test_output dry = test_command(command_convert, test_text("%s --dry-run", line)),
                real = test_command(command_convert, line);
    CHECK_EQ(dry.code, HOST_BAD_INPUT);
    CHECK_EQ(real.code, HOST_BAD_INPUT);
    CHECK(strstr(real.errors, text) != NULL);
    CHECK(strcmp(dry.errors, real.errors) == 0);
    CHECK_EQ(test_folder_count(folder), count);
    test_output_free(&dry);
    test_output_free(&real);
}

/* What the data forbid is found by the writer of the format, on the way to any of its files. */
static void a_dry_run_refuses_what_the_conversion_refuses(void)
{
    static const struct {
        const char *in, *out, *text;
    } cases[] = {
        {"hole.csv", "d.dcd", "needs the same points"},
        {"hole.csv", "d.npz", "one array of all frames"},
        {"hole.csv", "new/d.npy", "one array of all frames"},
        {"hole.csv", "d.pc2", "needs the same points"},
        {"hole.csv", "d.mdd", "needs the same points"},
        {"even.csv", "d.abc --mesh MESH", "has 3 vertices"},
        {"even.csv", "d.usdc --mesh MESH", "has 3 vertices"},
        {"even.csv", "d.dcd", "evenly spaced"},
        {"even.csv", "new/x --shift -1", "cannot be a .bphys frame"},
        {"even.csv", "new/x.ply.zst --shift -2", "cannot be the number of a file"},
        {"even.csv", "d.*.npz --shift -2", "cannot be the number of a file"},
    };
    static const char hole[] = "frame,index,x,y,z\n1,0,0,0,0\n2,,,,\n3,0,0,0,1\n",
                      even[] = "frame,index,x,y,z\n1,0,0,0,0\n2,0,0,0,1\n4,0,0,0,2\n",
                      mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/hole.csv", folder), hole, sizeof hole - 1);
    test_file_write(test_text("%s/even.csv", folder), even, sizeof even - 1);
    test_file_write(test_text("%s/mesh.obj", folder), mesh, sizeof mesh - 1);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char out[256];
        const char *at = strstr(cases[k].out, "MESH");
        snprintf(out, sizeof out, "%.*s%s%s", at ? (int)(at - cases[k].out) : 99, cases[k].out,
                 at ? folder : "", at ? "/mesh.obj" : "");
        refused_alike(folder, cases[k].in, out, cases[k].text);
    }
    test_folder_remove(folder);
}

/* Every format that can be written takes a dry run, and no file is left or changed. */
static void a_dry_run_leaves_no_file(void)
{
    char *folder = test_folder_make();
    for (size_t f = 0; f < host_format_count; f++) {
        const host_format *format = host_formats[f];
        if (!format->create) continue;
        const char *options = format->takes_errors                       ? "--error 1e-3 --packed"
                              : format->takes_deflate && gzip_is_built() ? "--compression deflate"
                                                                         : "--quiet",
                   *in = "tests/fixtures/blender/cloth_pinned/none",
                   *line = test_text("convert %s %s/x%s --to %s --dry-run %s", in, folder,
                                     format->ending, format->name, options);
        test_note("%s", line);
        test_output output = test_command(command_convert, line);
        CHECK_EQ(output.code, HOST_DONE);
        test_output_free(&output);
        CHECK_EQ(test_folder_count(folder), 0);
    }
    test_output output = test_command(
        command_convert, test_text("convert tests/fixtures/blender/cloth_pinned/none - --dry-run"));
    CHECK(strncmp(output.standard, "nothing written; would be ", 26) == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* A header and two records: index, location. */
static void write_pair(const char *path, uint32_t first, uint32_t second, uint32_t word,
                       size_t surplus)
{
    uint8_t bytes[20 + 32 + 8] = "BPHYSICS\1\0\0\0\2\0\0\0\3\0\0";
    const uint32_t words[8] = {first, 0x3f800000u, 0, 0, second, 0x40000000u, word, 0};
    for (size_t k = 0; k < 32; k++) bytes[20 + k] = (uint8_t)(words[k / 4] >> 8 * (k % 4));
    test_file_write(path, bytes, 52 + surplus);
}

/* Files that the writer would not make: unsorted, with surplus bytes, with infinity. */
static void files_that_change_are_not_copied(void)
{
    static const struct {
        uint32_t first, second, word;
        size_t surplus;
        const char *note;
    } files[] = {{1, 0, 0, 0, NULL},
                 {1, 1, 0, 0, "of 2 records 1 is ignored"},
                 {0, 1, 0x7f800000u, 0, "is inf"},
                 {0, 1, 0, 8, "8 bytes after the last record"}};
    for (size_t k = 0; k < 4; k++) {
        char *folder = test_folder_make();
        test_note("file %zu", k);
        const char *in = test_text("%s/a_000001_00.bphys", folder);
        write_pair(in, files[k].first, files[k].second, files[k].word, files[k].surplus);
        test_output output =
            test_command(command_convert, test_text("convert %s %s/b/x", in, folder));
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(!files[k].note || strstr(output.errors, files[k].note) != NULL);
        test_output_free(&output);
        CHECK(test_files_equal(in, test_text("%s/b/x_000001_00.bphys", folder)) == (k == 2));
        test_folder_remove(folder);
    }
}

static const test_case cases[] = {
    TEST_CASE(copied_files_equal_converted_ones),
    TEST_CASE(files_that_change_are_not_copied),
    TEST_CASE(a_dry_run_tells_what_would_be_lost),
    TEST_CASE(a_dry_run_refuses_what_the_conversion_refuses),
    TEST_CASE(a_dry_run_leaves_no_file),
};
TEST_SUITE(copy, cases);
