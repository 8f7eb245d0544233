/* SPDX-License-Identifier: MIT
   tests/unit/test_zst.c - files packed with Zstandard: round trips, cuts, damage, reading at any
           offset; frames in pieces.
   reads   tests/fixtures/zstd, files written here    writes  a temporary folder
   memory  20 MiB                          cost    a second
   after   RFC 8878; the fixtures are of the program zstd */
#include "../../host_tools/common/source.h"
#include "../../host_tools/compress/zstd.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/files_help.h"
#include "../harness/formats_help.h"
#include "../harness/payload_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);

static const char table[] = "frame,index,x,y,z\n3,0,1,2,3\n3,1,4,5,6\n4,0,1,2,4\n";

static void pack(const char *path, const void *bytes, size_t size)
{
    FILE *from = tmpfile(), *to = fopen(path, "wb");
    if (!CHECK(from && to)) exit(2);
    CHECK_EQ(fwrite(bytes, 1, size, from), size);
    CHECK_EQ(zst_pack(from, to, path), HOST_DONE);
    fclose(from);
    CHECK_EQ(fclose(to), 0);
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    uint8_t *bytes;
    if (!CHECK_EQ(host_read_file(path, &bytes, size), HOST_DONE)) exit(2);
    return bytes;
}

/* The file unpacks to these bytes: in one piece, then from the end in small ones. */
static void expect_unpacked(const char *path, const uint8_t *bytes, size_t size)
{
    uint8_t *found = malloc(size + 1), some[100];
    host_source source;
    size_t got;
    if (!CHECK(found) || !CHECK_EQ(host_source_open(&source, path), HOST_DONE)) return;
    CHECK(source.zst != NULL);
    CHECK_EQ(host_source_read(&source, 0, found, size + 1, &got), HOST_DONE);
    CHECK(got == size && memcmp(found, bytes, size) == 0);
    host_source_close(&source);
    if (!CHECK_EQ(host_source_open(&source, path), HOST_DONE)) return;
    for (size_t at = size; at; at = at > 9999 ? at - 9999 : 0) {
        size_t wanted = size - at < sizeof some ? size - at : sizeof some;
        CHECK_EQ(host_source_read(&source, at, some, sizeof some, &got), HOST_DONE);
        CHECK(got == wanted && memcmp(some, bytes + at, got) == 0);
    }
    CHECK_EQ(host_source_read(&source, size + 5, some, sizeof some, &got), HOST_DONE);
    CHECK_EQ(got, 0);
    host_source_close(&source);
    free(found);
}

/* Also sizes at the ends of blocks and pieces. The whole decoder reads the same frame. */
static void packed_bytes_come_back(void)
{
    static const size_t sizes[] = {0, 1, 31, 32, 100, 131072, ZSTD_PIECE_MAX, ZSTD_PIECE_MAX + 1};
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.zst", folder);
    void *work = malloc(zstd_decoder_bytes());
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t size = sizes[s], packed_size;
        uint8_t *bytes = malloc(size + 1), *out = malloc(size + 1);
        compress_fault fault;
        if (!CHECK(work && bytes && out)) exit(2);
        payload_fill(size > 200000 ? PAYLOAD_MIXED : PAYLOAD_POINTS, bytes, size);
        pack(path, bytes, size);
        expect_unpacked(path, bytes, size);
        uint8_t *packed = read_whole(path, &packed_size);
        CHECK(zstd_decode(packed, packed_size, out, size, work, &fault));
        CHECK(memcmp(out, bytes, size) == 0);
        free(packed);
        free(bytes);
        free(out);
    }
    free(work);
    test_folder_remove(folder);
}

static void sums_of_parts_are_those_of_the_whole(void)
{
    uint8_t bytes[300];
    payload_fill(PAYLOAD_RANDOM, bytes, sizeof bytes);
    for (size_t size = 0; size < sizeof bytes; size += 7)
        for (size_t cut = 0; cut <= size; cut++) {
            zstd_sum sum;
            zstd_sum_start(&sum);
            zstd_sum_add(&sum, bytes, cut);
            zstd_sum_add(&sum, bytes + cut, size - cut);
            if (!CHECK(zstd_sum_end(&sum) == zstd_checksum(bytes, size, 0))) return;
        }
}

/* Files of the program zstd: levels, windows smaller than the file, several frames. */
static void files_of_zstd_unpack(void)
{
    static const char *const names[] = {"few_1",     "few_19",    "few_blocks",
                                        "floats_3",  "floats_19", "floats_small_window",
                                        "noise_1000"};
    void *work = malloc(zstd_decoder_bytes());
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const char *path = test_text("tests/fixtures/zstd/%s.zst", names[n]);
        size_t size, got;
        uint64_t content = 0;
        compress_fault fault;
        uint8_t *packed = read_whole(path, &size);
        test_note("%s", path);
        CHECK(zstd_measure(packed, size, &content, &fault));
        uint8_t *bytes = malloc((size_t)content + 1);
        if (!CHECK(work && bytes)) exit(2);
        CHECK(zstd_decode_some(packed, size, bytes, (size_t)content, &got, work, &fault));
        expect_unpacked(path, bytes, got);
        free(packed);
        free(bytes);
    }
    free(work);
}

static void several_frames_are_one_file(void)
{
    static const uint8_t skipped[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    char *folder = test_folder_make();
    const char *path = test_text("%s/t.csv.zst", folder);
    size_t half = 30, sizes[2];
    pack(path, table, half);
    uint8_t *first = read_whole(path, &sizes[0]);
    pack(path, table + half, sizeof table - 1 - half);
    uint8_t *second = read_whole(path, &sizes[1]);
    FILE *file = fopen(path, "wb");
    if (!CHECK(file)) exit(2);
    fwrite(first, 1, sizes[0], file);
    fwrite(skipped, 1, sizeof skipped, file);
    fwrite(second, 1, sizes[1], file);
    fclose(file);
    expect_unpacked(path, (const uint8_t *)table, sizeof table - 1);
    free(first);
    free(second);
    test_folder_remove(folder);
}

static void expect_convert(const char *folder, const char *in, const char *out)
{
    test_expect(command_convert, test_text("convert %s/%s %s/%s --quiet", folder, in, folder, out),
                HOST_DONE, NULL);
}

/* Every format that may be packed: in numbered files, and in one. */
static void packed_files_hold_what_plain_files_hold(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t f = 0; f < host_format_count; f++) {
        const char *ending = host_formats[f]->ending;
        if (!host_formats[f]->takes_gzip) continue;
        expect_convert(folder, "t.csv", test_text("c%s.zst", ending));
        expect_convert(folder, test_text("c%s.zst", ending), "back.csv");
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
        if (!host_formats[f]->has_files && !host_formats[f]->has_files_by_star) continue;
        expect_convert(folder, "t.csv", test_text("a_*%s", ending));
        expect_convert(folder, "t.csv", test_text("b_*%s.zst", ending));
        for (int frame = 3; frame < 5; frame++) {
            size_t size;
            uint8_t *plain = read_whole(test_text("%s/a_%04d%s", folder, frame, ending), &size);
            expect_unpacked(test_text("%s/b_%04d%s.zst", folder, frame, ending), plain, size);
            free(plain);
        }
        expect_convert(folder, test_text("b_*%s.zst", ending), "back.csv");
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
    }
    test_folder_remove(folder);
}

static void info_tells_the_packing(void)
{
    char *folder = test_folder_make();
    pack(test_text("%s/t.csv.zst", folder), table, sizeof table - 1);
    test_output output = test_command(command_info, test_text("info %s/t.csv.zst", folder));
    CHECK(output.code == 0 && strstr(output.standard, "compression  zstd"));
    test_output_free(&output);
    test_folder_remove(folder);
}

static void names_must_fit(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/a.tpc.zst --to tpc", folder, folder), HOST_USAGE,
                "a.tpc.zst: tpc files are not packed with Zstandard; leave .zst out");
    test_folder_remove(folder);
    test_format_refused(
        "t.csv.zst", table, sizeof table - 1,
        "t.csv.zst:0: expected a Zstandard stream, as the name says, found other bytes");
    test_format_refused("t.xyz.zst", "", 0, "found an empty or incomplete file");
}

/* ---- damage */

static void cuts_and_changes_are_named_by_their_byte(void)
{
    static const struct {
        size_t at;
        uint8_t byte;
        const char *message;
    } changes[] = {
        {4, 0xcc, "t.csv.zst:0: the packed data are damaged or incomplete: a reserved bit"},
        {5, 0x98,
         "t.csv.zst:0: the packed data are damaged or incomplete: the frame needs a "
         "window above 128 MiB"},
        {6, 1,
         "t.csv.zst:14: the packed data are damaged or incomplete: the frame holds more or "
         "less"},
        {14, 7, "t.csv.zst:14: the packed data are damaged or incomplete: a block of the reserved"},
        {0, 0, "the packed data are damaged or incomplete: the checksum does not match"},
    };
    char *folder = test_folder_make();
    size_t size;
    pack(test_text("%s/t.csv.zst", folder), table, sizeof table - 1);
    uint8_t *packed = read_whole(test_text("%s/t.csv.zst", folder), &size);
    test_folder_remove(folder);
    for (size_t cut = 4; cut < size; cut += cut < 20 ? 1 : 5)
        test_format_refused("t.csv.zst", packed, cut, "the packed data are damaged or incomplete");
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; c++) {
        size_t at = changes[c].at ? changes[c].at : size - 1; /* of the checksum */
        uint8_t before = packed[at];
        packed[at] = changes[c].at ? changes[c].byte : (uint8_t)~before;
        test_format_refused("t.csv.zst", packed, size, changes[c].message);
        packed[at] = before;
    }
    free(packed);
}

static const test_case cases[] = {
    TEST_CASE(packed_bytes_come_back),
    TEST_CASE(sums_of_parts_are_those_of_the_whole),
    TEST_CASE(files_of_zstd_unpack),
    TEST_CASE(several_frames_are_one_file),
    TEST_CASE(packed_files_hold_what_plain_files_hold),
    TEST_CASE(info_tells_the_packing),
    TEST_CASE(names_must_fit),
    TEST_CASE(cuts_and_changes_are_named_by_their_byte),
};
TEST_SUITE(zst, cases);
