/* SPDX-License-Identifier: MIT
   tests/unit/test_usdc.c - binary files of Universal Scene Description: round trips, a file of
           another writer, cuts, faults; LZ4.
   reads   tests/fixtures/usd, files written here    writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   the source of OpenUSD; tests/interop/formats/crate.py made the file of another writer */
#include "../../host_tools/compress/lz4.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

static const char fixture[] = "tests/fixtures/usd/coded.usdc";

static void converts(const char *folder, const char *in, const char *out, const char *options,
                     int code, const char *text)
{
    test_expect(command_convert,
                test_text("convert %s/%s %s/%s%s", folder, in, folder, out, options), code, text);
}

static char *make_folder(const char *name, const char *text)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/%s", folder, name), text, strlen(text));
    return folder;
}

/* ---- writing and reading */

static void any_float_survives(void)
{
    const uint32_t streams =
        POINT_ALL & ~POINT_BIT(POINT_BOIDS) & ~POINT_BIT(POINT_SIZE) & ~POINT_BIT(POINT_INDEX);
    test_format_round_trip("a.usdc", ENCODING_DEFAULT, streams, false);
    test_format_round_trip("a.usdc", ENCODING_DEFAULT, streams, true);
    test_format_round_trip("a.usdc", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), true);
}

static void frames_may_lack_a_stream(void) { test_format_lacks("a.usdc"); }

/* Through the binary form a file of text is the same; so are its rate and its axis. */
static void text_comes_back_through_it(void)
{
    static const char *const tables[] = {
        "frame,index,x,y,z,size\n1,4,1,2,3,0.100000001\n1,7,1,2,3,1.70141173e+38\n"
        "2,4,1,2,3,1.40129846e-45\n2,7,1,2,3,-5\n",
        "frame,index,x,y,z,vx,vy,vz,rw,rx,ry,rz\n-4,0,1,2,3,0,25,50,1,2,3,4\n"
        "-1,0,1,2,4,0,0,0,5,6,7,8\n5,0,1,2,5,1,2,3,1,0,0,0\n5,1,1,2,5,0,0,0,0,1,0,0\n",
        "frame,index,x,y,z,size\n1,4294967294,inf,-inf,nan,inf\n"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const char *options = i == 1 ? " --quiet --fps 50" : " --quiet";
        char *folder = make_folder("t.csv", tables[i]);
        test_note("table %zu", i);
        converts(folder, "t.csv", "a.usda", options, HOST_DONE, NULL);
        converts(folder, "a.usda", "b.usdc", " --quiet", HOST_DONE, NULL);
        converts(folder, "b.usdc", "c.usda", " --quiet", HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/a.usda", folder), test_text("%s/c.usda", folder)));
        converts(folder, "c.usda", "d.usdc", " --quiet", HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/b.usdc", folder), test_text("%s/d.usdc", folder)));
        test_folder_remove(folder);
    }
    char *folder = make_folder("t.csv", "frame,index,x,y,z,size\n1,0,1,2,3,1.8e38\n");
    converts(folder, "t.csv", "a.usdc", "", HOST_BAD_INPUT,
             "has the size 1.79999996e+38, but .usdc holds widths up to 3.4e38");
    CHECK_EQ(test_folder_count(folder), 1); /* no a.usdc */
    test_folder_remove(folder);
}

/* Its integers and floats are compressed in every way that the format has; beside it is a class. */
static void a_file_of_another_writer_is_read(void)
{
    char *folder = test_folder_make();
    test_expect(command_convert, test_text("convert %s %s/a.csv --quiet", fixture, folder),
                HOST_DONE, NULL);
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (CHECK_EQ(host_read_file(test_text("%s/a.csv", folder), &bytes, &size), HOST_DONE)) {
        const char *text = (const char *)bytes;
        CHECK(strstr(text, "\n1,9,1.42857146,0.141120002,-0.333333343,0.333333343,1,3,"
                           "1,0,0,1,0.5,0,33,33\n") != NULL);
        CHECK(strstr(text, "\n2,72200,4.71428585,0.299754411,-0.666666687,2.11111116,2,19,"
                           "1,0,0,1,0.5,1,49,48\n") != NULL);
    }
    free(bytes);
    test_folder_remove(folder);
}

/* ---- damage */

typedef struct file_bytes {
    uint8_t *bytes;
    size_t size;
} file_bytes;

static file_bytes load_fixture(void)
{
    file_bytes file = {NULL, 0};
    CHECK_EQ(host_read_file(fixture, &file.bytes, &file.size), HOST_DONE);
    return file;
}

static void every_cut_is_told(void)
{
    file_bytes file = load_fixture();
    test_format_cuts("a.usdc", (const char *)file.bytes, file.size, file.size);
    free(file.bytes);
}

static void every_change_is_read_or_refused(void)
{
    file_bytes file = load_fixture();
    test_format_changes("a.usdc", (const char *)file.bytes, file.size);
    free(file.bytes);
}

/* Bytes at an offset of the file, what stands there instead, and the message. */
static void faults_are_named(void)
{
    file_bytes file = load_fixture();
    if (!file.bytes) return;
    uint8_t version = file.bytes[9], contents = file.bytes[17];
    file.bytes[9] = 3;
    test_format_refused("a.usdc", (char *)file.bytes, file.size,
                        ":8: has version 0.3 of the format, expected 0.4 or a later 0.x; usdcat");
    file.bytes[9] = version;
    file.bytes[17] ^= 0x80;
    test_format_refused("a.usdc", (char *)file.bytes, file.size, "a.usdc:");
    file.bytes[17] = contents;
    file.bytes[0] = 'Q';
    test_format_refused("a.usdc", (char *)file.bytes, file.size,
                        ":0: expected #usda or PXR-USDC, with which a file of USD begins");
    free(file.bytes);
}

/* ---- LZ4 */

/* By hand, after the description: literals and an overlapping match; then a long match. */
static void blocks_are_decoded(void)
{
    static const uint8_t block[] = {0x35, 'a', 'b', 'c', 3, 0, 0x50, 'v', 'w', 'x', 'y', 'z'};
    uint8_t out[400], stored[400] = {0}, more[] = {0x1f, 'r', 1, 0, 255, 10, 0x10, '!'};
    compress_fault fault;
    CHECK_EQ(lz4_decode(block, sizeof block, out, sizeof out, &fault), 17);
    CHECK(memcmp(out, "abcabcabcabcvwxyz", 17) == 0);
    CHECK_EQ(lz4_decode(more, sizeof more, out, sizeof out, &fault), 1 + 4 + 15 + 255 + 10 + 1);
    CHECK(out[0] == 'r' && out[284] == 'r' && out[285] == '!');
    for (size_t size = 0; size < sizeof block; size++)
        if (size != 4) CHECK_EQ(lz4_decode(block, size, out, sizeof out, &fault), SIZE_MAX);
    CHECK_EQ(lz4_decode(block, sizeof block, out, 16, &fault), SIZE_MAX);
    more[2] = 2; /* before the begin of the output */
    CHECK_EQ(lz4_decode(more, sizeof more, out, sizeof out, &fault), SIZE_MAX);
    CHECK_EQ(fault.at, 2);
    for (size_t size = 0; size < 300; size++) {
        size_t used = lz4_store(stored + 100, size, out);
        CHECK(used <= lz4_bound(size));
        uint8_t again[300];
        CHECK_EQ(lz4_decode(out, used, again, size, &fault), size);
        CHECK(memcmp(again, stored + 100, size) == 0);
    }
}

static const test_case cases[] = {
    TEST_CASE(any_float_survives),         TEST_CASE(frames_may_lack_a_stream),
    TEST_CASE(text_comes_back_through_it), TEST_CASE(a_file_of_another_writer_is_read),
    TEST_CASE(every_cut_is_told),          TEST_CASE(every_change_is_read_or_refused),
    TEST_CASE(faults_are_named),           TEST_CASE(blocks_are_decoded),
};
TEST_SUITE(usdc, cases);
