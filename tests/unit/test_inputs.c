/* SPDX-License-Identifier: MIT
   tests/unit/test_inputs.c - inputs that claim more than they hold, that never end, or that are not
           there.
   reads   files written here, /dev/zero    writes  a temporary folder
   memory  200 MB                           cost    a second
   after   own design; RFC 8878 for the zstd frames: blocks of type 1 repeat one byte up to 128
           KiB */
#include "../../host_tools/formats/bphys_private.h"
#include "../harness/bphys_help.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int command_bake(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_run(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_verify(int argc, char **argv);

static char *folder;

/* ---- .bphys files that claim many points */

/* Adds a block with zstd (code 8) of `size` zero bytes: four bytes per 128 KiB. */
static void add_zeros(file_bytes *file, uint32_t size)
{
    enum { BLOCK_MAX = 1 << 17 };
    uint32_t blocks = size ? (size + BLOCK_MAX - 1) / BLOCK_MAX : 1, left = size;
    file_add(file, "\x08", 1);
    file_add_u32(file, 9 + 4 * blocks);
    file_add(file, "\x28\xb5\x2f\xfd\xa0", 5); /* one segment, content size of four bytes */
    file_add_u32(file, size);
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t part = left < BLOCK_MAX ? left : BLOCK_MAX, head = part << 3 | 1u << 1;
        left -= part;
        file_add_u32(file, head | !left); /* three bytes of head, then the byte 0 */
    }
}

static file_bytes *make_file(uint32_t type, uint32_t count, uint32_t streams)
{
    file_bytes *file = malloc(sizeof *file);
    if (!file) exit(2);
    *file = file_header(type, count, streams, false);
    return file;
}

static const char *write_bphys(const char *name, file_bytes *file)
{
    const char *path = test_text("%s/%s", folder, name);
    test_file_write(path, file->bytes, file->size);
    free(file);
    return path;
}

static void expect_claim_refused(const char *name, file_bytes *file, const char *text)
{
    const char *path = write_bphys(name, file);
    const char *const commands[] = {"convert %s %s/out.csv", "convert %s %s/out.tpc",
                                    "sample %s --frame 1"};
    for (size_t i = 0; i < 3; i++)
        test_expect(i < 2 ? command_convert : command_sample, test_text(commands[i], path, folder),
                    HOST_BAD_INPUT, text);
    test_output output = test_command(command_verify, test_text("verify %s", path));
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, text) && strstr(output.standard, "; convert refuses it\n"));
    test_output_free(&output);
}

static const char ten_million[] = ".bphys:12: expected at most 4500000 points in 3698 compressed "
                                  "bytes (4500000, or 64 per byte), found "
                                  "10000000; the file is damaged or made to use up memory; if it "
                                  "is sound, save it with light or no "
                                  "compression";

static void a_small_file_claims_a_limited_number_of_points(void)
{
    folder = test_folder_make();
    file_bytes *file = make_file(0x00010001u, 10000000, POINT_BIT(POINT_LOCATION));
    add_zeros(file, 120000000);
    expect_claim_refused("a.bphys", file, ten_million);
    test_expect(command_info, test_text("info %s/a.bphys", folder), HOST_BAD_INPUT, ten_million);
    file = make_file(5, 10000000, 3);
    file_add(file, "1.01\1\0\0\0", 8); /* a surface of displacements */
    add_zeros(file, 40000000);
    expect_claim_refused("b.bphys", file, "expected at most 4500000 points in ");
    test_expect(command_info, test_text("info %s/b.bphys", folder), HOST_BAD_INPUT,
                "found 10000000;");
    file = make_file(0x00030001u, 0, POINT_BIT(POINT_LOCATION));
    add_zeros(file, 0);
    file_add_u32(file, EXTRA_SPRINGS);
    file_add_u32(file, 5000000);
    add_zeros(file, 80000000);
    expect_claim_refused("c.bphys", file, "expected at most 4500000 elements of extra data in ");
    test_folder_remove(folder);
}

/* Points that are born and die together: the frames, not the info file, show that they are
   there. */
static void equal_lifetimes_are_sound_beside_frames(void)
{
    enum { CLAIMED = 4500001, STORED = 2200 };
    folder = test_folder_make();
    file_bytes *info = make_file(0x00010001u, CLAIMED, POINT_BIT(POINT_TIMES));
    add_zeros(info, CLAIMED * 12);
    write_bphys("a_000000_00.bphys", info);
    for (int frame = 1; frame <= 2; frame++) {
        file_bytes *file = make_file(1, STORED, 3);
        for (uint32_t i = 0; i < STORED; i++) {
            file_add_u32(file, i);
            for (int k = 0; k < 3; k++) file_add_f32(file, (float)i);
        }
        test_output output = test_command(command_info, test_text("info %s/a", folder));
        CHECK_EQ(output.code, HOST_BAD_INPUT);
        test_output_free(&output);
        write_bphys(test_text("a_%06d_00.bphys", frame), file);
    }
    test_output output = test_command(command_info, test_text("info %s/a", folder));
    test_note("%s%s", output.standard, output.errors);
    CHECK(output.code == HOST_DONE && strstr(output.standard, "4500001"));
    test_output_free(&output);
    test_expect(command_sample, test_text("sample %s/a --frame 1", folder), HOST_DONE, NULL);
    output = test_command(command_verify, test_text("verify %s/a", folder));
    CHECK(!strstr(output.standard, "expected at most"));
    test_output_free(&output);
    test_folder_remove(folder);
}

/* A file that the reader would refuse is not written: the frame is stored. */
static void equal_points_are_written_so_that_they_can_be_read(void)
{
    host_frame frame;
    uint8_t *bytes = NULL;
    size_t size = 0;
    host_sink sink = {.options = {.type = POINT_PARTICLES, .compression = HOST_COMPRESSION_ZSTD}};
    if (!CHECK(host_frame_allocate(&frame, BPHYS_CLAIM_ALWAYS + 1, POINT_BIT(POINT_LOCATION))))
        return;
    for (uint32_t i = 0; i < frame.count; i++) ((uint32_t *)frame.data[POINT_INDEX])[i] = i;
    CHECK_EQ(bphys_encode_frame(&sink, &frame, &bytes, &size), HOST_DONE);
    CHECK_EQ(size, BPHYS_HEADER_BYTES + (uint64_t)frame.count * 12);
    CHECK(bytes && bphys_load_u32(bytes + 8, false) == POINT_PARTICLES);
    free(bytes);
    frame.count = 1000;
    CHECK_EQ(bphys_encode_frame(&sink, &frame, &bytes, &size), HOST_DONE);
    CHECK(bytes && size < 100 &&
          bphys_load_u32(bytes + 8, false) == (POINT_PARTICLES | BPHYS_FLAG_COMPRESS));
    free(bytes);
    host_frame_free(&frame);
}

static void a_limit_holds_for_moving_points_of_any_number(void)
{
    CHECK_EQ(bphys_claim_max(0), BPHYS_CLAIM_ALWAYS);
    CHECK_EQ(bphys_claim_max(1000000), 64000000);
    CHECK_EQ(bphys_claim_max(UINT64_MAX), UINT32_MAX);
    CHECK(bphys_claim_max(1u << 26) == UINT32_MAX && bphys_claim_max((1u << 26) - 1) < UINT32_MAX);
}

/* ---- inputs that never end */

static void endless_scenes_are_refused(void)
{
    static const char with_mesh[] =
        "world\n    dimensions = 3\ncollider rock\n    shape = mesh\n    mesh = zero.obj\n";
    folder = test_folder_make();
    test_expect(command_run, "run /dev/zero --quiet", HOST_BAD_INPUT,
                "/dev/zero: expected a scene of at most 67108864 bytes, found more; name the file "
                "of a scene");
    test_expect(command_bake, test_text("bake /dev/zero %s/a.tpc", folder), HOST_BAD_INPUT,
                "expected a scene of at most 67108864 bytes");
    CHECK(symlink("/dev/zero", test_text("%s/zero.obj", folder)) == 0);
    test_file_write(test_text("%s/a.scene", folder), with_mesh, sizeof with_mesh - 1);
    test_expect(command_run, test_text("run %s/a.scene --quiet", folder), HOST_BAD_INPUT,
                "expected an .obj file of at most 268435456 bytes, found more");
    CHECK_EQ(test_folder_count(folder), 2);
    test_folder_remove(folder);
}

static void endless_tables_and_caches_are_refused(void)
{
    static const char *const runs[][2] = {
        {"csv", "/dev/zero:0: line 1: expected text, found a zero byte; is this a table?"},
        {"lammps",
         "/dev/zero: expected a regular file, found a device or a pipe; copy it to a file first"},
        {"xyz",
         "/dev/zero: expected a regular file, found a device or a pipe; copy it to a file first"},
        {"ply", "/dev/zero: expected a regular file"},
        {"vtk", "/dev/zero: expected a regular file"},
        {"headerless-particles",
         "/dev/zero: expected at most 268435456 bytes from a device or a pipe, found "
         "more; copy them to a file first"},
    };
    folder = test_folder_make();
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        int code = i == 0 ? HOST_BAD_INPUT : HOST_IO;
        const char *line = test_text("convert /dev/zero %s/z.csv --from %s", folder, runs[i][0]);
        test_expect(command_convert, line, code, runs[i][1]);
    }
    test_output output = test_command(command_verify, "verify /dev/zero --from bphys");
    CHECK(output.code == HOST_IO && strstr(output.standard, "expected at most 268435456 bytes"));
    test_output_free(&output);
    CHECK_EQ(test_folder_count(folder), 0);
    test_folder_remove(folder);
}

/* Files whose only line is longer than any row. */
static void endless_lines_are_refused(void)
{
    enum { LINE = (1 << 20) + 70000 };
    char *text = malloc(LINE);
    if (!text) exit(2);
    folder = test_folder_make();
    memset(text, '1', LINE);
    memcpy(text, "1\n", 2);
    test_file_write(test_text("%s/a.xyz", folder), text, LINE);
    test_expect(command_convert, test_text("convert %s/a.xyz %s/a.csv", folder, folder),
                HOST_BAD_INPUT,
                "a.xyz:2: line 2 has more than 1048576 bytes; expected a line of the format xyz");
    test_file_write(test_text("%s/a.lammpstrj", folder), text, LINE);
    test_expect(
        command_convert, test_text("convert %s/a.lammpstrj %s/a.csv", folder, folder),
        HOST_BAD_INPUT,
        "a.lammpstrj:2: line 2 has more than 1048576 bytes; expected a line of the format lammps");
    const char *pipe = test_text("%s/pipe", folder);
    pid_t writer = mkfifo(pipe, 0600) == 0 ? fork() : -1;
    if (writer == 0) {
        FILE *stream = fopen(pipe, "wb");
        for (int i = 0; stream && i < 100 && fwrite(text, 1, LINE, stream) == LINE; i++) continue;
        _exit(0);
    }
    CHECK(writer > 0);
    test_expect(command_convert, test_text("convert %s %s/a.csv --from csv", pipe, folder),
                HOST_BAD_INPUT, "pipe:2: line 2 has more than 1048576 bytes; is this a table?");
    waitpid(writer, NULL, 0);
    free(text);
    test_folder_remove(folder);
}

/* ---- inputs that are not there */

static void a_missing_file_is_an_error_not_a_fault(void)
{
    static const char *const names[] = {"a.csv", "a.ply",   "a.xyz",       "a.vtk", "a.npy",
                                        "a.prt", "a.geo",   "a.lammpstrj", "a.tpc", "a.pc2",
                                        "a.mdd", "a.bphys", "no/a.csv"};
    folder = test_folder_make();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = test_text("%s/%s", folder, names[i]);
        test_output output = test_command(command_verify, test_text("verify %s", path));
        test_note("%s: %s, %s", path, output.standard, output.errors);
        CHECK_EQ(output.code, HOST_IO);
        CHECK_EQ(strlen(output.standard), 0);
        CHECK(strstr(output.errors, test_text("tidepool: %s: ", path)) == output.errors);
        test_output_free(&output);
    }
    test_output output = test_command(command_verify, test_text("verify %s/a.csv --json", folder));
    CHECK(output.code == HOST_IO &&
          strstr(output.standard, "{\"faults\": [], \"fault_count\": 0, \"files\": 0"));
    test_output_free(&output);
    static const char bad[] = "frame,index,x,y,z\n1,0,1,2,x\n";
    test_file_write(test_text("%s/b.csv", folder), bad, sizeof bad - 1);
    output = test_command(command_verify, test_text("verify %s/b.csv %s/a.csv", folder, folder));
    CHECK_EQ(output.code, HOST_IO);
    CHECK(strstr(output.standard, "b.csv:26: line 2") &&
          strstr(output.standard, "1 fault in 1 file\n"));
    CHECK(strstr(output.errors, "a.csv: cannot open: "));
    test_output_free(&output);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_small_file_claims_a_limited_number_of_points),
    TEST_CASE(equal_lifetimes_are_sound_beside_frames),
    TEST_CASE(equal_points_are_written_so_that_they_can_be_read),
    TEST_CASE(a_limit_holds_for_moving_points_of_any_number),
    TEST_CASE(endless_scenes_are_refused),
    TEST_CASE(endless_tables_and_caches_are_refused),
    TEST_CASE(endless_lines_are_refused),
    TEST_CASE(a_missing_file_is_an_error_not_a_fault),
};
TEST_SUITE(inputs, cases);
