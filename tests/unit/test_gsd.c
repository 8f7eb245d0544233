/* SPDX-License-Identifier: MIT
   tests/unit/test_gsd.c - GSD files of HOOMD-blue: round trips, files by hand, cuts, faults.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the GSD file layer and the schema "hoomd", as their documentation describes them */
#include "../../host_tools/formats/bytes.h"
#include "../../host_tools/formats/gsd.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);

enum {
    NAMES_AT = GSD_HEAD_BYTES,
    NAMES_ROOM = 2,
    INDEX_AT = NAMES_AT + NAMES_ROOM * GSD_NAME_BYTES,
    INDEX_ROOM = 8,
    DATA_AT = INDEX_AT + INDEX_ROOM * GSD_ENTRY_BYTES,
    FILE_MAX = 2048
};

typedef struct made_file {
    uint8_t bytes[FILE_MAX];
    size_t size, entries;
} made_file;

/* The name of each array has the number of its place here. */
static const char *const names[NAMES_ROOM * 2] = {"configuration/step", "particles/N",
                                                  "particles/position", "particles/mass"};

static void put_names(made_file *file, bool packed)
{
    size_t at = NAMES_AT;
    for (size_t n = 0; n < NAMES_ROOM * (packed ? 2 : 1); n++) {
        memcpy(file->bytes + at, names[packed ? n : n + 1], strlen(names[packed ? n : n + 1]) + 1);
        at += packed ? strlen(names[n]) + 1 : GSD_NAME_BYTES;
    }
}

static void put_head(made_file *file, uint32_t version)
{
    memset(file, 0, sizeof *file);
    bytes_store(file->bytes, 8, false, GSD_MAGIC);
    bytes_store(file->bytes + GSD_AT_INDEX, 8, false, INDEX_AT);
    bytes_store(file->bytes + GSD_AT_INDEX_ROOM, 8, false, INDEX_ROOM);
    bytes_store(file->bytes + GSD_AT_NAMES, 8, false, NAMES_AT);
    bytes_store(file->bytes + GSD_AT_NAMES_ROOM, 8, false, NAMES_ROOM);
    bytes_store(file->bytes + GSD_AT_VERSION, 4, false, version);
    memcpy(file->bytes + GSD_AT_SCHEMA, "hoomd", 5);
    put_names(file, version >= 0x20000u);
    file->size = DATA_AT;
}

/* Appends an array of `rows` rows and its entry. */
static void put_array(made_file *file, uint32_t frame, uint32_t id, uint8_t type, uint32_t rows,
                      uint32_t columns, const uint8_t *bytes, size_t size)
{
    uint8_t *entry = file->bytes + INDEX_AT + file->entries++ * GSD_ENTRY_BYTES;
    bytes_store(entry, 8, false, frame);
    bytes_store(entry + 8, 8, false, rows);
    bytes_store(entry + 16, 8, false, file->size);
    bytes_store(entry + 24, 4, false, columns);
    bytes_store(entry + 28, 2, false, id);
    entry[30] = type;
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void put_number(made_file *file, uint32_t frame, uint32_t id, uint8_t type, uint64_t value)
{
    uint8_t bytes[8];
    bytes_store(bytes, 8, false, value);
    put_array(file, frame, id, type, 1, 1, bytes, type == GSD_U64 ? 8 : 4);
}

static void put_places(made_file *file, uint32_t frame, uint32_t id, uint8_t type, double first)
{
    uint8_t bytes[48];
    for (uint32_t i = 0; i < 6; i++) {
        double value = first + i;
        uint64_t word;
        memcpy(&word, &value, sizeof word);
        if (type == GSD_F64)
            bytes_store(bytes + 8 * i, 8, false, word);
        else
            bytes_store_f32(bytes + 4 * i, false, (float)value);
    }
    put_array(file, frame, id, type, 2, 3, bytes, type == GSD_F64 ? 48 : 24);
}

/* Two points. Frames 0 to 2 at steps 100, 150, 200; the second one moves nothing, the third one has
   floats of 64 bits. */
static made_file make_file(void)
{
    made_file file;
    put_head(&file, 0x20001u);
    put_number(&file, 0, 0, GSD_U64, 100);
    put_number(&file, 0, 1, GSD_U32, 2);
    put_places(&file, 0, 2, GSD_F32, 0.5);
    put_number(&file, 1, 0, GSD_U64, 150);
    put_number(&file, 2, 0, GSD_U64, 200);
    put_places(&file, 2, 2, GSD_F64, 7.25);
    return file;
}

static void check_place(const made_file *file, size_t position, int32_t number, float first)
{
    host_frame frame;
    if (!test_format_load("a.gsd", file->bytes, file->size, position, &frame)) return;
    const float *location = frame.data[POINT_LOCATION];
    CHECK_EQ(frame.count, 2);
    CHECK(frame.number == number);
    for (uint32_t i = 0; i < 6; i++) CHECK(location[i] == first + (float)i);
    host_frame_free(&frame);
}

static void arrays_by_hand_are_read(void)
{
    made_file file = make_file();
    check_place(&file, 0, 3, 0.5f);
    check_place(&file, 1, 4, 0.5f); /* what a frame lacks is that of the first one */
    check_place(&file, 2, 5, 7.25f);
}

/* Names of 64 bytes each, and no steps: frames count from 1. */
static void files_of_version_1_are_read(void)
{
    made_file file;
    put_head(&file, 0x10000u);
    put_number(&file, 0, 0, GSD_U32, 2);
    put_places(&file, 0, 1, GSD_F32, -3);
    put_places(&file, 1, 1, GSD_F32, 9);
    check_place(&file, 0, 1, -3);
    check_place(&file, 1, 2, 9);
}

static void other_arrays_are_named(void)
{
    made_file file = make_file();
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.gsd", folder), file.bytes, file.size);
    test_expect(command_convert, test_text("convert %s/a.gsd %s/b.csv", folder, folder), HOST_DONE,
                "note: array \"particles/mass\" is unknown and ignored");
    test_expect(command_convert, test_text("convert %s/a.gsd %s/b.csv", folder, folder), HOST_DONE,
                "note: the steps are 50 apart: frame 1 is step 0");
    test_expect(command_convert, test_text("convert %s/a.gsd %s/b.csv --stride 80", folder, folder),
                HOST_BAD_INPUT,
                "expected a --stride of at most the 50 steps between two frames, found 80");
    test_folder_remove(folder);
}

/* Sizes are held as diameters, which are exact but at the end of the range. */
static void any_float_survives(void)
{
    const uint32_t streams =
        POINT_ALL & ~POINT_BIT(POINT_BOIDS) & ~POINT_BIT(POINT_SIZE) & ~POINT_BIT(POINT_INDEX);
    test_format_round_trip("a.gsd", ENCODING_DEFAULT, streams, false);
    test_format_round_trip("a.gsd", ENCODING_DEFAULT, streams, true);
    test_format_round_trip("a.gsd", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), true);
}

static void sizes_are_diameters(void)
{
    static const char sizes[] = "frame,index,x,y,z,size\n1,4,1,2,3,0.100000001\n"
                                "1,7,1,2,3,1.70141173e+38\n2,4,1,2,3,1e-45\n2,7,1,2,3,-5\n";
    static const char large[] = "frame,index,x,y,z,size\n1,0,1,2,3,1.8e38\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/s.csv", folder), sizes, sizeof sizes - 1);
    test_file_write(test_text("%s/l.csv", folder), large, sizeof large - 1);
    for (int i = 0; i < 2; i++)
        test_expect(command_convert,
                    test_text("convert %s/%s %s/%s --quiet", folder, i ? "a.gsd" : "s.csv", folder,
                              i ? "b.csv" : "a.gsd"),
                    HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/s.csv %s/w.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/w.csv", folder), test_text("%s/b.csv", folder)));
    test_expect(command_convert, test_text("convert %s/l.csv %s/c.gsd", folder, folder),
                HOST_BAD_INPUT,
                "has the size 1.79999996e+38, but .gsd holds diameters up to 3.4e38");
    CHECK_EQ(test_folder_count(folder), 5); /* no c.gsd */
    test_folder_remove(folder);
}

/* Readers take what a frame lacks from the first one. */
static void frames_unlike_the_first_are_refused(void)
{
    host_sink sink;
    host_frame frames[2];
    char *folder = test_folder_make();
    const uint32_t both = POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY);
    host_sink_options options = {.type = POINT_PARTICLES, .streams = both};
    const char *path = test_text("%s/a.gsd", folder);
    for (uint32_t f = 0; f < 2; f++) {
        if (!host_frame_allocate(&frames[f], 3, f ? POINT_BIT(POINT_LOCATION) : both)) exit(2);
        frames[f].number = f + 1;
    }
    host_quiet(true);
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &options), HOST_DONE)) {
        CHECK_EQ(host_sink_write(&sink, &frames[0]), HOST_DONE);
        CHECK_EQ(host_sink_write(&sink, &frames[1]), HOST_BAD_INPUT);
        host_sink_abandon(&sink);
    }
    host_quiet(false);
    for (uint32_t f = 0; f < 2; f++) host_frame_free(&frames[f]);
    CHECK_EQ(test_folder_count(folder), 0);
    test_folder_remove(folder);
}

static void frames_before_the_first_step_are_refused(void)
{
    static const char table[] = "frame,index,x,y,z\n0,0,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.gsd", folder, folder),
                HOST_BAD_INPUT,
                "frame 0 would be time step -1; the first frame is 1 (see --shift)");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static void every_cut_is_told(void)
{
    made_file file = make_file();
    test_format_cuts("a.gsd", file.bytes, file.size, file.size);
}

/* Offset, size and value of a change, and the message. */
typedef struct fault {
    size_t at;
    uint32_t size;
    uint64_t value;
    const char *message;
} fault;

static void faults_are_named(void)
{
    static const fault faults[] = {
        {0, 1, 0, ":0: expected the eight bytes df 65"},
        {GSD_AT_VERSION, 4, 0x30000, ":44: the file has version 3.0, expected 1 or 2"},
        {GSD_AT_SCHEMA, 1, 'x', ":112: the schema of the file is \"xoomd\", expected \"hoomd\""},
        {GSD_AT_INDEX_ROOM, 8, UINT64_MAX, "items of 32 bytes begin at byte 384"},
        {GSD_AT_NAMES, 8, UINT64_MAX, "2 items of 64 bytes begin at byte 18446744073709551615"},
        {INDEX_AT + 30, 1, 11, ":414: the type of an array is 11, expected 1 to 10"},
        {INDEX_AT + 28, 2, 4, ":412: an array has the name 4, but the file has 4 names"},
        {INDEX_AT + 8, 8, UINT64_MAX, ":392: an array of 18446744073709551615 rows of 8 bytes"},
        {INDEX_AT + 16, 8, FILE_MAX, "at byte 2048 does not lie in the file"},
        {INDEX_AT + 24, 4, 2, "configuration/step of frame 0 is not one number of 32 or 64 bits"},
        {INDEX_AT, 8, 9, ":416: frame 0 follows frame 9 in the index"},
        {INDEX_AT + 5 * 32, 8, 9, "the index has 10 frames of 6 arrays"},
        {INDEX_AT + 64 + 28, 2, 3, "frame 0 has 2 points, but no particles/position"},
        {INDEX_AT + 64 + 24, 4, 2,
         "particles/position of frame 0 is no array of 2 rows with 3 floats"},
        {DATA_AT + 8, 4, 0x80000000u, "particles/N of frame 0 is 2147483648, at most 2147483647"},
        {DATA_AT, 8, (uint64_t)1 << 63, "configuration/step of frame 0 is 9223372036854775808"},
    };
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        made_file file = make_file();
        bytes_store(file.bytes + faults[f].at, faults[f].size, false, faults[f].value);
        test_note("fault %zu", f);
        test_format_refused("a.gsd", file.bytes, file.size, faults[f].message);
    }
}

static const test_case cases[] = {
    TEST_CASE(arrays_by_hand_are_read),
    TEST_CASE(files_of_version_1_are_read),
    TEST_CASE(other_arrays_are_named),
    TEST_CASE(any_float_survives),
    TEST_CASE(sizes_are_diameters),
    TEST_CASE(frames_unlike_the_first_are_refused),
    TEST_CASE(frames_before_the_first_step_are_refused),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(faults_are_named),
};
TEST_SUITE(gsd, cases);
