/* SPDX-License-Identifier: MIT
   tests/unit/test_npz.c - archives of NumPy arrays, and what `tidepool formats` says of each
           format.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   PKWARE's APPNOTE 6.3.10 */
#include "../../host_tools/common/source.h"
#include "../../host_tools/formats/bytes.h"
#include "../../host_tools/formats/zip.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_formats(int argc, char **argv);
int command_info(int argc, char **argv);

static const char table[] = "frame,index,x,y,z,vx,vy,vz\n3,0,1,2,3,0,0,0\n3,7,4,5,6,1,1,1\n"
                            "5,0,1,2,4,2,2,2\n5,7,4,5,7,3,3,3\n";

static char *make_table(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    return folder;
}

static void expect_convert(const char *folder, const char *in, const char *out)
{
    test_expect(command_convert, test_text("convert %s/%s %s/%s --quiet", folder, in, folder, out),
                HOST_DONE, NULL);
}

static void expect_back(const char *folder, const char *in)
{
    test_note("%s", in);
    expect_convert(folder, in, "back.csv");
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/back.csv", folder)));
}

static void any_float_survives(void)
{
    test_format_round_trip("a.npz", ENCODING_LITTLE, POINT_ALL & ~POINT_BIT(POINT_BOIDS), false);
    test_format_round_trip("b.npz", ENCODING_BIG, POINT_BIT(POINT_LOCATION), false);
    test_format_round_trip("c_*.npz", ENCODING_LITTLE,
                           POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_SIZE), true);
}

static void archives_come_back_stored_and_deflated(void)
{
    char *folder = make_table();
    expect_convert(folder, "t.csv", "a.npz");
    expect_back(folder, "a.npz");
    expect_convert(folder, "t.csv", "n_*.npz");
    CHECK(test_file_exists(test_text("%s/n_0003.npz", folder)));
    expect_back(folder, "n_0005.npz");
    test_output output = test_command(command_info, test_text("info %s/a.npz", folder));
    CHECK(output.code == 0 && strstr(output.standard, "compression  none"));
    test_output_free(&output);
#ifdef TIDEPOOL_ZLIB
    expect_convert(folder, "t.csv", "d.npz --compression deflate");
    expect_back(folder, "d.npz");
    output = test_command(command_info, test_text("info %s/d.npz", folder));
    CHECK(output.code == 0 && strstr(output.standard, "compression  deflate"));
    test_output_free(&output);
#else
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/d.npz --compression deflate", folder, folder),
                HOST_USAGE, "cannot be deflated: this program was built without zlib");
#endif
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/d.csv --compression deflate", folder, folder),
                HOST_USAGE, "--compression deflate is for");
    test_folder_remove(folder);
}

/* ---- damage */

typedef struct archive_bytes {
    uint8_t *bytes;
    size_t size;
} archive_bytes;

static archive_bytes make_archive(const char *options)
{
    archive_bytes made;
    char *folder = make_table();
    expect_convert(folder, "t.csv", test_text("a.npz%s", options));
    if (host_read_file(test_text("%s/a.npz", folder), &made.bytes, &made.size)) exit(2);
    test_folder_remove(folder);
    return made;
}

static void every_cut_is_told(void)
{
    archive_bytes archive = make_archive("");
    test_format_cuts("a.npz", archive.bytes, archive.size, archive.size);
    free(archive.bytes);
}

/* A changed byte is refused, or changes nothing that is read. */
static void expect_changes_told(archive_bytes archive)
{
    host_frame whole, frame;
    host_sequence sequence;
    host_listener silence;
    if (!test_format_load("a.npz", archive.bytes, archive.size, 1, &whole)) return;
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.npz", folder);
    host_listen_to_nothing(&silence);
    for (size_t i = 0; i < archive.size; i++) {
        archive.bytes[i] ^= 0x24;
        test_file_write(path, archive.bytes, archive.size);
        archive.bytes[i] ^= 0x24;
        test_note("byte %zu", i);
        int code = host_sequence_open(&sequence, path, NULL);
        CHECK(code == HOST_DONE || code == HOST_BAD_INPUT);
        if (code) continue;
        if (CHECK_EQ(host_sequence_load(&sequence, 1, &frame), HOST_DONE)) {
            /* the name of an array may have changed; then there is one stream less */
            CHECK(memcmp(frame.data[POINT_LOCATION], whole.data[POINT_LOCATION], 24) == 0);
            host_frame_free(&frame);
        }
        host_sequence_close(&sequence);
    }
    host_listen_end();
    test_folder_remove(folder);
    host_frame_free(&whole);
}

static void every_changed_byte_is_told(void)
{
    archive_bytes archive = make_archive("");
    expect_changes_told(archive);
    test_format_changes("a.npz", archive.bytes, archive.size);
    free(archive.bytes);
#ifdef TIDEPOOL_ZLIB
    archive = make_archive(" --compression deflate");
    expect_changes_told(archive);
    free(archive.bytes);
#endif
}

static void faults_are_named(void)
{
    archive_bytes archive = make_archive("");
    archive.bytes[400] ^= 1; /* in the array of locations */
    test_format_refused("a.npz", archive.bytes, archive.size,
                        "the member location.npy is damaged: its sum is not that of the directory");
    archive.bytes[400] ^= 1;
    test_format_refused("a.npz", archive.bytes, archive.size - 30, "the end of the archive is");
    test_format_refused("a.npz", "PK\3\4", 4, "the end of the archive is missing");
    free(archive.bytes);
}

/* ---- members */

static FILE *text_file(const char *text, size_t size)
{
    FILE *file = tmpfile();
    if (!CHECK(file != NULL)) exit(2);
    CHECK_EQ(fwrite(text, 1, size, file), size);
    return file;
}

/* With a limit of 4 bytes every size and offset is one of ZIP64, as with members of 4 GiB. */
static void large_archives_are_written_and_read(void)
{
    static const char first[] = "a first member", second[] = "b";
    zip_writer writer;
    zip_archive archive;
    host_source source;
    char *folder = test_folder_make(), found[20];
    const char *path = test_text("%s/a.zip", folder);
    FILE *stream = fopen(path, "wb"), *one = text_file(first, sizeof first),
         *two = text_file(second, sizeof second);
    zip_begin(&writer, stream, path);
    writer.limit = 4;
    CHECK_EQ(zip_add(&writer, "one", one, NULL), HOST_DONE);
    CHECK_EQ(zip_add(&writer, "two", two, NULL), HOST_DONE);
    CHECK_EQ(zip_end(&writer), HOST_DONE);
    zip_free(&writer);
    fclose(stream);
    fclose(one);
    fclose(two);
    if (!CHECK_EQ(host_source_open(&source, path), HOST_DONE)) return;
    if (CHECK_EQ(zip_open(&archive, &source), HOST_DONE)) {
        size_t got;
        CHECK_EQ(archive.count, 2);
        CHECK(strcmp(archive.members[1].name, "two") == 0 && archive.members[0].size == 15);
        for (size_t m = 0; m < 2; m++)
            CHECK_EQ(zip_check(&archive, &archive.members[m], NULL), HOST_DONE);
        CHECK_EQ(zip_read(&archive, archive.members, NULL, 2, found, sizeof found, &got), 0);
        CHECK(got == sizeof first - 2 && memcmp(found, first + 2, got) == 0);
        zip_close(&archive);
    }
    host_source_close(&source);
    test_folder_remove(folder);
}

/* 65535 is also the mark of a count in ZIP64, but such an archive needs none. `start`: of the
   directory. */
static void write_most_members(const char *path, uint32_t start)
{
    enum { COUNT = 65535, HEAD = 31, ENTRY = 47, END = 22 };
    uint8_t *bytes = calloc(HEAD + (size_t)COUNT * ENTRY + END, 1), *at = bytes + HEAD;
    if (!CHECK(bytes != NULL)) exit(2);
    memcpy(bytes, "PK\3\4", 4);
    bytes[26] = 1;
    bytes[30] = 'a';
    for (int m = 0; m < COUNT; m++, at += ENTRY) {
        memcpy(at, "PK\1\2", 4);
        at[28] = 1;
        at[46] = 'a';
    }
    memcpy(at, "PK\5\6", 4);
    bytes_store(at + 8, 2, false, COUNT);
    bytes_store(at + 10, 2, false, COUNT);
    bytes_store(at + 12, 4, false, COUNT * ENTRY);
    bytes_store(at + 16, 4, false, start);
    test_file_write(path, bytes, HEAD + (size_t)COUNT * ENTRY + END);
    free(bytes);
}

static void the_most_members_without_zip64_are_read(void)
{
    host_source source;
    zip_archive archive;
    host_listener silence;
    char *folder = test_folder_make();
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const char *path = test_text("%s/%d.zip", folder, is_wide);
        write_most_members(path, is_wide ? UINT32_MAX : 31);
        if (!CHECK_EQ(host_source_open(&source, path), HOST_DONE)) return;
        host_listen_to_nothing(&silence);
        int code = zip_open(&archive, &source);
        host_listen_end();
        CHECK_EQ(code, is_wide ? HOST_BAD_INPUT : HOST_DONE);
        if (!code) CHECK_EQ(archive.count, 65535);
        if (!code) zip_close(&archive);
        host_source_close(&source);
    }
    test_folder_remove(folder);
}

/* Archives of other programs: a single array of any name is that of the locations. */
static void a_single_array_is_that_of_the_locations(void)
{
    zip_writer writer;
    host_frame frame;
    uint8_t *bytes;
    size_t size;
    char *folder = make_table();
    expect_convert(folder, "t.csv", "a_*.npy");
    FILE *stream = fopen(test_text("%s/x.npz", folder), "wb"),
         *array = fopen(test_text("%s/a_location_0003.npy", folder), "rb");
    if (!CHECK(stream && array)) return;
    zip_begin(&writer, stream, "x.npz");
    CHECK_EQ(zip_add(&writer, "arr_0.npy", array, NULL), HOST_DONE);
    CHECK_EQ(zip_end(&writer), HOST_DONE);
    zip_free(&writer);
    fclose(stream);
    fclose(array);
    CHECK_EQ(host_read_file(test_text("%s/x.npz", folder), &bytes, &size), HOST_DONE);
    if (test_format_load("x.npz", bytes, size, 0, &frame)) {
        CHECK(frame.count == 2 && ((float *)frame.data[POINT_LOCATION])[4] == 5);
        host_frame_free(&frame);
    }
    free(bytes);
    test_folder_remove(folder);
}

/* An archive may have hundreds of thousands of names: some are told, then their number. */
static void many_unknown_arrays_are_told_in_few_notes(void)
{
    enum { UNKNOWN = 20 };
    zip_writer writer;
    char *folder = make_table();
    expect_convert(folder, "t.csv", "a_*.npy");
    FILE *stream = fopen(test_text("%s/x.npz", folder), "wb"),
         *array = fopen(test_text("%s/a_location_0003.npy", folder), "rb");
    if (!CHECK(stream && array)) return;
    zip_begin(&writer, stream, "x.npz");
    CHECK_EQ(zip_add(&writer, "location.npy", array, NULL), HOST_DONE);
    for (int i = 0; i < UNKNOWN; i++) {
        rewind(array);
        CHECK_EQ(zip_add(&writer, test_text("odd%d.npy", i), array, NULL), HOST_DONE);
    }
    CHECK_EQ(zip_end(&writer), HOST_DONE);
    zip_free(&writer);
    fclose(stream);
    fclose(array);
    test_output output =
        test_command(command_convert, test_text("convert %s/x.npz %s/a.csv", folder, folder));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, "array \"odd7.npy\" is unknown and ignored") != NULL);
    CHECK(strstr(output.errors, "odd8.npy") == NULL);
    CHECK(strstr(output.errors, "unknown and ignored arrays besides these: 12") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void frames_with_other_points_need_archives_of_their_own(void)
{
    static const char changing[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n2,1,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), changing, sizeof changing - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.npz", folder, folder),
                HOST_BAD_INPUT, "write an archive of each: NAME.*.npz");
    CHECK_EQ(test_folder_count(folder), 1);
    expect_convert(folder, "t.csv", "a_*.npz");
    expect_back(folder, "a_*.npz");
    test_folder_remove(folder);
}

/* ---- what formats hold */

/* Each format that is written keeps exactly the streams that the table of formats gives it. */
static void formats_hold_what_their_table_says(void)
{
    static const char text[] =
        "frame,index,x,y,z,vx,vy,vz,rw,rx,ry,rz,ax,ay,az,size,birth,die,life\n"
        "1,0,1,2,3,4,5,6,1,0,0,0,7,8,9,1,1,3,2\n1,1,1,2,3,4,5,6,1,0,0,0,7,8,9,1,1,3,2\n"
        "2,0,1,2,3,4,5,6,1,0,0,0,7,8,9,1,1,3,2\n2,1,1,2,3,4,5,6,1,0,0,0,7,8,9,1,1,3,2\n";
    char *folder = test_folder_make();
    host_sequence sequence;
    host_quiet(true);
    test_file_write(test_text("%s/t.csv", folder), text, sizeof text - 1);
    for (size_t f = 0; f < host_format_count; f++) {
        const host_format *format = host_formats[f];
        const char *path = test_text("%s/%s%s", folder, format->name,
                                     strcmp(format->name, "bphys") ? format->ending : "");
        if (!format->create) continue;
        test_note("%s", format->name);
        test_expect(command_convert,
                    test_text("convert %s/t.csv %s --streams "
                              "location,velocity,rotation,avelocity,size,times --quiet",
                              folder, path),
                    HOST_DONE, NULL);
        if (!CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) continue;
        uint32_t expected = host_format_holds(format) & POINT_ALL & ~POINT_BIT(POINT_BOIDS);
        CHECK_EQ((sequence.streams | POINT_BIT(POINT_INDEX)), expected);
        host_sequence_close(&sequence);
    }
    host_quiet(false);
    test_folder_remove(folder);
}

/* In the text, a line of the list and one of the table begin with the name of each format. */
static void expect_marks(const char *text)
{
    for (size_t f = 0; f < host_format_count; f++) {
        char start[64];
        snprintf(start, sizeof start, "%s%s ", host_formats[f]->name,
                 host_formats[f]->create ? "" : " (read only)");
        test_note("%s", start);
        uint32_t lines = 0;
        for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL)
            lines += strncmp(line, start, strlen(start)) == 0;
        CHECK_EQ(lines, 2);
    }
}

/* One row per format in each form of the table. */
static void the_table_has_every_format(void)
{
    static const char *const lines[] = {"formats", "formats --markdown", "formats --json"};
    for (int i = 0; i < 3; i++) {
        test_output output = test_command(command_formats, lines[i]);
        CHECK_EQ(output.code, HOST_DONE);
        for (size_t f = 0; f < host_format_count; f++) {
            test_note("%s %s", lines[i], host_formats[f]->name);
            CHECK(strstr(output.standard, host_formats[f]->name) != NULL);
            CHECK(strstr(output.standard, host_formats[f]->ending) != NULL);
        }
        if (i == 0) expect_marks(output.standard);
        test_output_free(&output);
    }
    test_expect(command_formats, "formats --json --markdown", HOST_USAGE, "exclude each other");
}

static const test_case cases[] = {
    TEST_CASE(any_float_survives),
    TEST_CASE(archives_come_back_stored_and_deflated),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(every_changed_byte_is_told),
    TEST_CASE(faults_are_named),
    TEST_CASE(large_archives_are_written_and_read),
    TEST_CASE(the_most_members_without_zip64_are_read),
    TEST_CASE(a_single_array_is_that_of_the_locations),
    TEST_CASE(many_unknown_arrays_are_told_in_few_notes),
    TEST_CASE(frames_with_other_points_need_archives_of_their_own),
    TEST_CASE(formats_hold_what_their_table_says),
    TEST_CASE(the_table_has_every_format),
};
TEST_SUITE(npz, cases);
