/* SPDX-License-Identifier: MIT
   tests/unit/test_gzip.c - files packed with gzip: round trips, cuts, damage, reading at any
           offset.
   reads   files written here              writes  a temporary folder
   memory  20 MiB                          cost    a second
   after   RFC 1952; without zlib the texts that refuse packed files */
#include "../../host_tools/common/gzip.h"
#include "../../host_tools/common/scene.h"
#include "../../host_tools/common/source.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/files_help.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);

static const char table[] = "frame,index,x,y,z\n3,0,1,2,3\n3,1,4,5,6\n4,0,1,2,4\n";

static void formats_without_gzip_refuse_it(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.tpc.gz --to tpc", folder, folder),
                HOST_USAGE, "a.tpc.gz: tpc files are not packed with gzip; leave .gz out");
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.npy.gz", folder, folder),
                HOST_USAGE, "the ending of");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static void a_name_with_gz_must_be_packed(void)
{
    test_format_refused("t.csv.gz", table, sizeof table - 1,
                        "t.csv.gz:0: expected a gzip stream, as the name says, found other bytes");
    test_format_refused("t.xyz.gz", "", 0, "found an empty or incomplete file");
}

#ifndef TIDEPOOL_ZLIB

static void packed_files_need_zlib(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_file_write(test_text("%s/p.csv.gz", folder), "\x1f\x8b\x08", 3);
    test_expect(command_convert, test_text("convert %s/p.csv.gz %s/a.csv", folder, folder),
                HOST_BAD_INPUT, "p.csv.gz:0: is packed, and this program was built without zlib");
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.csv.gz", folder, folder),
                HOST_USAGE, "a.csv.gz: cannot be written: this program was built without zlib");
    test_expect(command_convert, test_text("convert %s/t.csv %s/a_*.csv.gz", folder, folder),
                HOST_USAGE, "cannot be written: this program was built without zlib");
    CHECK_EQ(test_folder_count(folder), 2);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(formats_without_gzip_refuse_it),
    TEST_CASE(a_name_with_gz_must_be_packed),
    TEST_CASE(packed_files_need_zlib),
};

#else

/* Packs bytes into a file. */
static void pack(const char *path, const void *bytes, size_t size)
{
    FILE *from = tmpfile(), *to = fopen(path, "wb");
    if (!CHECK(from && to)) exit(2);
    CHECK_EQ(fwrite(bytes, 1, size, from), size);
    CHECK_EQ(gzip_pack(from, to, path), HOST_DONE);
    fclose(from);
    CHECK_EQ(fclose(to), 0);
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    uint8_t *bytes;
    if (!CHECK_EQ(host_read_file(path, &bytes, size), HOST_DONE)) exit(2);
    return bytes;
}

static uint8_t *packed_table(const char *path, size_t *size)
{
    pack(path, table, sizeof table - 1);
    return read_whole(path, size);
}

/* True if the packed file unpacks to the bytes of the other. */
static void expect_packed(const char *packed, const char *plain)
{
    size_t size, got;
    uint8_t *wanted = read_whole(plain, &size), *found = malloc(size + 1);
    host_source source;
    test_note("%s", packed);
    if (CHECK_EQ(host_source_open(&source, packed), HOST_DONE)) {
        CHECK(source.gzip != NULL);
        CHECK_EQ(host_source_read(&source, 0, found, size + 1, &got), HOST_DONE);
        CHECK(got == size && memcmp(found, wanted, size) == 0);
        host_source_close(&source);
    }
    free(wanted);
    free(found);
}

static void expect_convert(const char *folder, const char *in, const char *out)
{
    test_expect(command_convert, test_text("convert %s/%s %s/%s --quiet", folder, in, folder, out),
                HOST_DONE, NULL);
}

/* Every format that takes gzip: packed files hold the bytes of plain ones, and read back. */
static void packed_files_hold_what_plain_files_hold(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t f = 0; f < host_format_count; f++) {
        const char *ending = host_formats[f]->ending;
        if (!host_formats[f]->takes_gzip) continue;
        bool has_files = host_formats[f]->has_files || host_formats[f]->has_files_by_star;
        for (int frame = 3; frame < 5 && has_files; frame++) {
            expect_convert(folder, "t.csv", test_text("a_*%s", ending));
            expect_convert(folder, "t.csv", test_text("b_*%s.gz", ending));
            expect_packed(test_text("%s/b_%04d%s.gz", folder, frame, ending),
                          test_text("%s/a_%04d%s", folder, frame, ending));
        }
        if (has_files) expect_convert(folder, test_text("b_*%s.gz", ending), "back.csv");
        if (has_files)
            CHECK(
                test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
        expect_convert(folder, "t.csv", test_text("c%s.gz", ending));
        expect_convert(folder, test_text("c%s.gz", ending), "back.csv");
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
    }
    test_folder_remove(folder);
}

static void info_tells_the_packing(void)
{
    char *folder = test_folder_make();
    pack(test_text("%s/t.csv.gz", folder), table, sizeof table - 1);
    pack(test_text("%s/plain.csv", folder), table, sizeof table - 1); /* found by its first bytes */
    test_output output = test_command(command_info, test_text("info %s/t.csv.gz", folder));
    CHECK(output.code == 0 && strstr(output.standard, "compression  gzip"));
    test_output_free(&output);
    output = test_command(command_info, test_text("info %s/plain.csv", folder));
    CHECK(output.code == 0 && strstr(output.standard, "compression  gzip"));
    test_output_free(&output);
    test_folder_remove(folder);
}

static void every_cut_is_told(void)
{
    size_t size;
    char *folder = test_folder_make();
    const char *path = test_text("%s/p", folder);
    uint8_t *bytes = packed_table(path, &size);
    test_format_cuts("t.csv.gz", bytes, size, size);
    test_folder_remove(folder);
    free(bytes);
}

/* A changed byte is refused, or is one of the header's time, level or system. */
static void every_changed_byte_is_told(void)
{
    size_t size;
    host_sequence sequence;
    host_listener silence;
    char *folder = test_folder_make();
    const char *path = test_text("%s/t.csv.gz", folder);
    uint8_t *bytes = packed_table(path, &size);
    host_listen_to_nothing(&silence);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x41;
        test_file_write(path, bytes, size);
        int code = host_sequence_open(&sequence, path, NULL);
        if (code == HOST_DONE) host_sequence_close(&sequence);
        test_note("byte %zu", i);
        CHECK_EQ(code, i >= 4 && i < 10 ? HOST_DONE : HOST_BAD_INPUT);
        bytes[i] ^= 0x41;
    }
    host_listen_end();
    test_folder_remove(folder);
    free(bytes);
}

static void damage_is_named_by_its_byte(void)
{
    size_t size;
    char *folder = test_folder_make();
    const char *path = test_text("%s/p", folder);
    uint8_t *bytes = packed_table(path, &size);
    test_format_refused("t.csv.gz", bytes, size - 9,
                        test_text("t.csv.gz:%zu: the packed data end too early", size - 9));
    bytes[size - 8] ^= 1;
    test_format_refused("t.csv.gz", bytes, size,
                        test_text("t.csv.gz:%zu: the packed data are damaged: ", size - 4));
    bytes[size - 8] ^= 1;
    uint8_t *longer = calloc(size + 4, 1);
    memcpy(longer, bytes, size);
    test_format_refused("t.csv.gz", longer, size + 4,
                        test_text("t.csv.gz:%zu: expected the end of the file or another", size));
    free(longer);
    free(bytes);
    test_folder_remove(folder);
}

/* gzip files may be put together with cat. */
static void several_streams_are_one_text(void)
{
    size_t first, second;
    char *folder = test_folder_make();
    pack(test_text("%s/1", folder), table, 30);
    pack(test_text("%s/2", folder), table + 30, sizeof table - 31);
    uint8_t *head = read_whole(test_text("%s/1", folder), &first),
            *tail = read_whole(test_text("%s/2", folder), &second), *both = malloc(first + second);
    memcpy(both, head, first);
    memcpy(both + first, tail, second);
    test_file_write(test_text("%s/t.csv.gz", folder), both, first + second);
    expect_convert(folder, "t.csv.gz", "back.csv");
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
    free(head);
    free(tail);
    free(both);
    test_folder_remove(folder);
}

/* 70 MiB of zeros in 70 KB: the reader holds a window, and refuses the line as that of a text. */
static void a_bomb_is_refused_as_a_long_line(void)
{
    enum { BLOCK = 1 << 20, BLOCKS = 70 };
    char *folder = test_folder_make();
    const char *path = test_text("%s/t.csv.gz", folder);
    FILE *from = tmpfile(), *to = fopen(path, "wb");
    if (!CHECK(from && to)) return;
    CHECK_EQ(fseek(from, (long)BLOCK * BLOCKS - 1, SEEK_SET), 0);
    fputc(0, from);
    CHECK_EQ(gzip_pack(from, to, path), HOST_DONE);
    fclose(from);
    fclose(to);
    test_expect(command_convert, test_text("convert %s/t.csv.gz %s/a.csv", folder, folder),
                HOST_BAD_INPUT, "t.csv.gz:0: line 1 has more than 1048576 bytes");
    test_folder_remove(folder);
}

/* Packs `head`, then 1 MiB of zeros `blocks` times, as streams one after the other. */
static void pack_zeros(const char *path, const char *head, size_t blocks)
{
    enum { BLOCK = 1 << 20 };
    size_t first, second;
    uint8_t *zeros = calloc(BLOCK, 1);
    pack(path, head, strlen(head));
    uint8_t *start = read_whole(path, &first);
    pack(path, zeros, BLOCK);
    uint8_t *block = read_whole(path, &second);
    FILE *to = fopen(path, "wb");
    if (!CHECK(to && zeros)) exit(2);
    fwrite(start, 1, first, to);
    for (size_t b = 0; b < blocks; b++) fwrite(block, 1, second, to);
    fclose(to);
    free(zeros);
    free(start);
    free(block);
}

/* Files that are read as a whole: looked at before memory is taken for all their bytes. */
static void a_bomb_is_refused_before_it_takes_memory(void)
{
    char *folder = test_folder_make();
    for (size_t f = 0; f < host_format_count; f++) {
        const host_format *format = host_formats[f];
        if (!format->takes_gzip || !format->read_piece || format->starts_piece) continue;
        test_note("%s", format->name);
        pack_zeros(test_text("%s/z%s.gz", folder, format->ending), "", 3);
        test_expect(command_convert,
                    test_text("convert %s/z%s.gz %s/a.csv", folder, format->ending, folder),
                    HOST_BAD_INPUT,
                    test_text(":0: the packed bytes do not begin like those of the format %s",
                              format->name));
    }
    test_folder_remove(folder);
}

static void a_packed_frame_has_a_largest_size(void)
{
    char *folder = test_folder_make();
    pack_zeros(test_text("%s/m.ply.gz", folder), "ply\n", 512);
    test_expect(command_convert, test_text("convert %s/m.ply.gz %s/a.csv", folder, folder),
                HOST_BAD_INPUT,
                "m.ply.gz:0: a frame of a packed file has at most 536870912 bytes, and this one");
    test_folder_remove(folder);
}

/* Formats that do not take gzip: packed files are refused whatever their name. */
static void other_formats_refuse_packed_bytes(void)
{
    static const char one[] = "frame,index,x,y,z\n3,0,1,2,3\n3,1,4,5,6\n";
    static const char *const names[] = {"n_location.npy", "n.npz", "n.dcd"};
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), one, sizeof one - 1);
    expect_convert(folder, "t.csv", "n.npy");
    for (int i = 0; i < 3; i++) {
        size_t size;
        const char *path = test_text("%s/%s", folder, names[i]);
        if (i) expect_convert(folder, "t.csv", names[i]);
        expect_convert(folder, names[i], "a.csv");
        uint8_t *bytes = read_whole(path, &size);
        pack(path, bytes, size);
        free(bytes);
        test_expect(command_convert, test_text("convert %s %s/a.csv", path, folder), HOST_BAD_INPUT,
                    test_text("%s:0: is packed with gzip, which this format does not take; unpack",
                              names[i]));
    }
    test_folder_remove(folder);
}

static uint8_t byte_at(uint64_t i) { return (uint8_t)((i >> 12) * 37 + (i >> 3)); }

/* Offsets before, between and behind the access points; more of those than are kept. */
static void any_offset_is_read(void)
{
    enum { BLOCK = 1 << 20, BLOCKS = 140, READS = 60, SOME = 5000 };
    static uint8_t block[BLOCK], found[SOME];
    uint32_t state = 1;
    host_source source;
    char *folder = test_folder_make();
    const char *path = test_text("%s/p", folder);
    FILE *from = tmpfile(), *to = fopen(path, "wb");
    if (!CHECK(from && to)) return;
    for (uint64_t b = 0; b < BLOCKS; b++) {
        for (uint64_t i = 0; i < BLOCK; i++) block[i] = byte_at(b * BLOCK + i);
        fwrite(block, 1, BLOCK, from);
    }
    CHECK_EQ(gzip_pack(from, to, path), HOST_DONE);
    fclose(from);
    fclose(to);
    uint64_t size;
    if (!CHECK_EQ(host_source_open(&source, path), HOST_DONE)) return;
    CHECK_EQ(host_source_size(&source, UINT64_MAX, &size), HOST_DONE);
    CHECK_EQ(size, (uint64_t)BLOCK * BLOCKS);
    for (int r = 0; r < READS; r++) {
        state = state * 1664525u + 1013904223u;
        uint64_t at = r == 0 ? size : r == 1 ? size - 10 : (uint64_t)state * size >> 32;
        size_t got = 0, wanted = size - at < SOME ? (size_t)(size - at) : SOME;
        CHECK_EQ(host_source_read(&source, at, found, SOME, &got), HOST_DONE);
        if (!CHECK_EQ(got, wanted)) break;
        for (size_t i = 0; i < got; i++)
            if (found[i] != byte_at(at + i) && !CHECK_EQ(i, SIZE_MAX)) break;
    }
    host_source_close(&source);
    test_folder_remove(folder);
}

/* Threads read rows in another order than that of the file. */
static void threads_read_shuffled_rows(void)
{
    enum { FRAMES = 40, POINTS = 60, LINE = 64 };
    char *folder = test_folder_make(), *text = malloc(FRAMES * POINTS * LINE + LINE);
    size_t used = (size_t)sprintf(text, "frame,index,x,y,z\n");
    for (int i = 0; i < FRAMES * POINTS; i++) {
        int row = i * 1009 % (FRAMES * POINTS);
        used +=
            (size_t)sprintf(text + used, "%d,%d,%d,%d,0.5\n", row % FRAMES, row / FRAMES, row, i);
    }
    test_file_write(test_text("%s/t.csv", folder), text, used);
    pack(test_text("%s/p.csv.gz", folder), text, used);
    expect_convert(folder, "t.csv", "a.csv");
    test_expect(command_convert,
                test_text("convert %s/p.csv.gz %s/b.csv --jobs 4 --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/b.csv", folder)));
    free(text);
    test_folder_remove(folder);
}

/* True if the frame at `position` of the pattern's tables loads. */
static bool loads(host_sequence *sequence, size_t position)
{
    host_frame frame;
    host_listener silence;
    host_listen_to_nothing(&silence);
    int code = host_sequence_load(sequence, position, &frame);
    host_listen_end();
    if (!code) host_frame_free(&frame);
    return code == HOST_DONE;
}

/* Tables of a pattern stay open, so that a packed one is not unpacked from its start for each
   frame; a removed file tells which are. At most 32 are: a table that was read before those is
   opened again. */
static void some_tables_of_a_pattern_stay_open(void)
{
    enum { TABLES = 33 };
    char *folder = test_folder_make();
    host_sequence sequence;
    for (int i = 1; i <= TABLES; i++) {
        const char *text =
            test_text("frame,index,x,y,z\n%d,0,1,2,3\n%d,0,4,5,6\n", 2 * i, 2 * i + 1);
        pack(test_text("%s/t_%02d.csv.gz", folder, i), text, strlen(text));
    }
    if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/t_*.csv.gz", folder), NULL), 0))
        return;
    CHECK_EQ(sequence.frame_count, 2 * TABLES);
    CHECK(loads(&sequence, 0));
    CHECK_EQ(remove(test_text("%s/t_01.csv.gz", folder)), 0);
    CHECK(loads(&sequence, 1));
    for (size_t i = 1; i < TABLES; i++) CHECK(loads(&sequence, 2 * i));
    CHECK(!loads(&sequence, 1));
    CHECK(loads(&sequence, 2 * TABLES - 1));
    host_sequence_close(&sequence);
    test_folder_remove(folder);
}

/* Meshes of scenes, too; the largest size counts unpacked bytes. */
static void packed_meshes_are_read(void)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    tp_vector *vertices = NULL;
    uint32_t *indices = NULL, vertex_count = 0, triangle_count = 0;
    uint8_t *bytes;
    size_t size;
    char *folder = test_folder_make();
    const char *path = test_text("%s/m.obj.gz", folder);
    pack(path, text, sizeof text - 1);
    const char *wrong = scene_read_obj(path, &vertices, &vertex_count, &indices, &triangle_count);
    CHECK(!wrong && vertex_count == 3 && triangle_count == 1 && vertices && vertices[1].x == 1);
    free(vertices);
    free(indices);
    host_listener silence;
    host_listen_to_nothing(&silence);
    CHECK_EQ(host_read_limited(path, "a mesh", sizeof text - 2, &bytes, &size), HOST_BAD_INPUT);
    host_listen_end();
    if (CHECK_EQ(host_read_limited(path, "a mesh", sizeof text - 1, &bytes, &size), HOST_DONE)) {
        CHECK(size == sizeof text - 1 && memcmp(bytes, text, sizeof text) == 0);
        free(bytes);
    }
    test_folder_remove(folder);
}

/* An error while writing leaves the old file. */
static void a_failed_conversion_keeps_the_old_file(void)
{
    static const char bad[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,1e39\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_file_write(test_text("%s/bad.csv", folder), bad, sizeof bad - 1);
    expect_convert(folder, "t.csv", "a.csv.gz");
    expect_convert(folder, "t.csv", "b.csv.gz");
    CHECK(test_files_equal(test_text("%s/a.csv.gz", folder), test_text("%s/b.csv.gz", folder)));
    test_expect(command_convert, test_text("convert %s/bad.csv %s/a.csv.gz", folder, folder),
                HOST_BAD_INPUT, "bad.csv");
    CHECK(test_files_equal(test_text("%s/a.csv.gz", folder), test_text("%s/b.csv.gz", folder)));
    CHECK_EQ(test_folder_count(folder), 4);
    test_folder_remove(folder);
}

/* Houdini writes text under the name of its binary files, too, and the reverse: named so they are
   read, packed or not. */
static void files_under_the_other_name_are_read_packed_too(void)
{
    static const char *const endings[2] = {"geo", "bgeo"};
    char text[8192]; /* long: of short files the reader names the fault */
    int size = snprintf(text, sizeof text, "frame,index,x,y,z\n");
    for (int k = 0; k < 300; k++)
        size += snprintf(text + size, sizeof text - (size_t)size, "1,%d,%d,2,3\n", k, k % 7);
    for (int i = 0; i < 2; i++) {
        char *folder = test_folder_make(), plain[200], packed[200];
        snprintf(plain, sizeof plain, "%s/p.%s", folder, endings[!i]);
        snprintf(packed, sizeof packed, "%s/q.%s.gz", folder, endings[!i]);
        test_file_write(test_text("%s/t.csv", folder), text, (size_t)size);
        test_expect(command_convert,
                    test_text("convert %s/t.csv %s/a.%s --encoding json --quiet", folder, folder,
                              endings[i]),
                    HOST_DONE, NULL);
        CHECK_EQ(rename(test_text("%s/a.%s", folder, endings[i]), plain), 0);
        FILE *from = fopen(plain, "rb"), *to = fopen(packed, "wb");
        if (!CHECK(from && to)) return;
        CHECK_EQ(gzip_pack(from, to, packed), HOST_DONE);
        fclose(from);
        fclose(to);
        test_expect(command_convert, test_text("convert %s %s/b.csv --quiet", plain, folder),
                    HOST_DONE, NULL);
        test_expect(command_convert, test_text("convert %s %s/c.csv --quiet", packed, folder),
                    HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/b.csv", folder), test_text("%s/c.csv", folder)));
        test_folder_remove(folder);
    }
}

static const test_case cases[] = {
    TEST_CASE(formats_without_gzip_refuse_it),
    TEST_CASE(a_name_with_gz_must_be_packed),
    TEST_CASE(packed_files_hold_what_plain_files_hold),
    TEST_CASE(info_tells_the_packing),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(every_changed_byte_is_told),
    TEST_CASE(damage_is_named_by_its_byte),
    TEST_CASE(several_streams_are_one_text),
    TEST_CASE(a_bomb_is_refused_as_a_long_line),
    TEST_CASE(a_bomb_is_refused_before_it_takes_memory),
    TEST_LONG(a_packed_frame_has_a_largest_size),
    TEST_CASE(other_formats_refuse_packed_bytes),
    TEST_CASE(any_offset_is_read),
    TEST_CASE(threads_read_shuffled_rows),
    TEST_CASE(some_tables_of_a_pattern_stay_open),
    TEST_CASE(files_under_the_other_name_are_read_packed_too),
    TEST_CASE(packed_meshes_are_read),
    TEST_CASE(a_failed_conversion_keeps_the_old_file),
};

#endif

TEST_SUITE(gzip, cases);
