/* SPDX-License-Identifier: MIT
   tests/unit/test_needs.c - points without a location: refused by every format and command that
           needs one.
   reads   small files made here           writes  a temporary folder
   memory  malloc                          cost    one conversion per format
   after   own design */
#include "../../host_tools/formats/bphys_private.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_render(int argc, char **argv);
int command_sample(int argc, char **argv);

static char *path_in(const char *folder, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* One particle with index, and location or velocity. */
static void write_frame(const char *path, uint32_t streams)
{
    uint8_t bytes[BPHYS_HEADER_BYTES + 4 + 12] = {0};
    uint32_t values = POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY);
    bphys_store_header(bytes, POINT_PARTICLES, 1, streams | POINT_BIT(POINT_INDEX));
    test_file_write(path, bytes, sizeof bytes - (streams & values ? 0 : 12));
}

/* Every format that is written refuses; no file is left. */
static void expect_refused(const char *in, const char *options, int code, const char *text)
{
    for (size_t i = 0; i < host_format_count; i++) {
        if (!host_formats[i]->create) continue;
        char *folder = test_folder_make();
        const char *name = host_formats[i]->name;
        test_note("%s to %s", in, name);
        test_expect(command_convert,
                    test_text("convert %s %s/x --to %s %s --quiet", in, folder, name, options),
                    code, text);
        CHECK_EQ(test_folder_count(folder), 0);
        test_folder_remove(folder);
    }
}

static void points_without_location_are_refused_before_anything_is_written(void)
{
    char *folder = test_folder_make();
    const char *path = path_in(folder, "a.bphys");
    write_frame(path, 0);
    expect_refused(path, "", HOST_BAD_INPUT, "expected points with location, needed for");
    write_frame(path, POINT_BIT(POINT_VELOCITY));
    expect_refused(path, "", HOST_BAD_INPUT, ", found index,velocity");
    test_expect(command_convert, test_text("convert %s %s/a.tpc --error 1 --quiet", path, folder),
                HOST_BAD_INPUT, "expected points with location");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static void one_frame_without_location_leaves_no_file(void)
{
    char *folder = test_folder_make();
    const char *path = path_in(folder, "a");
    write_frame(test_text("%s/a_000001_00.bphys", folder), POINT_BIT(POINT_LOCATION));
    write_frame(test_text("%s/a_000002_00.bphys", folder), POINT_BIT(POINT_VELOCITY));
    write_frame(test_text("%s/a_000003_00.bphys", folder), POINT_BIT(POINT_LOCATION));
    expect_refused(path, "", HOST_BAD_INPUT, "frame 2: expected points with location, needed for");
    expect_refused(path, "--jobs 3", HOST_BAD_INPUT, "frame 2: expected points with location");
    test_expect(command_convert,
                test_text("convert %s %s/b.csv --frames 3-3 --quiet", path, folder), HOST_DONE,
                NULL);
    test_folder_remove(folder);
}

/* A header that states two particles, and one that states none: both without a stream. */
static void files_without_streams_are_refused_before_anything_is_written(void)
{
    char *folder = test_folder_make();
    uint8_t bytes[BPHYS_HEADER_BYTES];
    const char *path = path_in(folder, "a.bphys");
    for (uint32_t count = 0; count < 3; count += 2) {
        bphys_store_header(bytes, POINT_PARTICLES, count, 0);
        test_file_write(path, bytes, sizeof bytes);
        expect_refused(path, "", HOST_BAD_INPUT, "expected points with location, needed for");
    }
    write_frame(test_text("%s/a_000001_00.bphys", folder), POINT_BIT(POINT_LOCATION));
    test_file_write(test_text("%s/a_000002_00.bphys", folder), bytes, sizeof bytes);
    expect_refused(path_in(folder, "a"), "", HOST_BAD_INPUT,
                   "frame 2: expected points with location");
    test_folder_remove(folder);
}

/* Uses the format's own functions, which do not check their arguments. */
static void write_clip(const char *path, uint32_t streams)
{
    host_frame frame;
    host_sink sink = {.format = host_format_named("tpc"),
                      .path = path,
                      .options = {.type = POINT_PARTICLES, .streams = streams}};
    if (!host_frame_allocate(&frame, 3, streams | POINT_BIT(POINT_INDEX))) exit(2);
    frame.number = 1;
    if (CHECK_EQ(sink.format->create(&sink, path), HOST_DONE)) {
        CHECK_EQ(sink.format->write(&sink, &frame), HOST_DONE);
        CHECK_EQ(sink.format->finish(&sink), HOST_DONE);
    }
    host_frame_free(&frame);
}

static void clips_without_location_are_refused_before_anything_is_written(void)
{
    char *folder = test_folder_make();
    const char *path = path_in(folder, "a.tpc");
    write_clip(path, POINT_BIT(POINT_VELOCITY));
    expect_refused(path, "", HOST_BAD_INPUT, "expected points with location, needed for");
    write_clip(path, 0);
    expect_refused(path, "", HOST_BAD_INPUT, "expected points with location, needed for");
    test_folder_remove(folder);
}

/* Weights of a painted surface. */
static void surfaces_need_a_stream_of_values_or_a_location(void)
{
    static const char *const endings[] = {".csv", ".tpc", ""};
    uint8_t bytes[BPHYS_HEADER_BYTES + 4 + 2 + 2 + 1 + 2 * 4] = {0};
    char *folder = test_folder_make();
    const char *path = path_in(folder, "a.bphys");
    bphys_store_header(bytes, POINT_DYNAMIC_PAINT, 2, 3);
    memcpy(bytes + BPHYS_HEADER_BYTES, "1.01\2", 5);
    test_file_write(path, bytes, sizeof bytes);
    for (size_t i = 0; i < 3; i++)
        test_expect(
            command_convert,
            test_text("convert %s %s/b%s --streams index --quiet", path, folder, endings[i]),
            HOST_USAGE, "--streams must include a stream of the painted surface");
    test_expect(command_convert, test_text("convert %s %s/b.ply --quiet", path, folder),
                HOST_BAD_INPUT, "expected points with location, needed for");
    test_expect(command_convert, test_text("convert %s %s/b.csv --quiet", path, folder), HOST_DONE,
                NULL);
    test_folder_remove(folder);
}

static void commands_that_show_points_need_their_location(void)
{
    char *folder = test_folder_make();
    const char *path = path_in(folder, "a.bphys");
    write_frame(path, POINT_BIT(POINT_VELOCITY));
    test_expect(command_render, test_text("render %s --out %s/a.png", path, folder), HOST_BAD_INPUT,
                "expected points with location, needed for");
    test_expect(command_sample, test_text("sample %s --frame 1 --csv", path), HOST_BAD_INPUT,
                "expected points with location, needed for");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(points_without_location_are_refused_before_anything_is_written),
    TEST_CASE(one_frame_without_location_leaves_no_file),
    TEST_CASE(files_without_streams_are_refused_before_anything_is_written),
    TEST_CASE(clips_without_location_are_refused_before_anything_is_written),
    TEST_CASE(surfaces_need_a_stream_of_values_or_a_location),
    TEST_CASE(commands_that_show_points_need_their_location),
};
TEST_SUITE(needs, cases);
