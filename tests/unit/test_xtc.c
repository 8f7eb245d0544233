/* SPDX-License-Identifier: MIT
   tests/unit/test_xtc.c - XTC trajectories: a packed frame of another program, plain ones by hand,
           cuts, faults.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the XDR records of GROMACS; the packed frame was written by MDTraj 1.9 */
#include "../../host_tools/formats/bytes.h"
#include "../../host_tools/formats/xtc.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

enum { HEAD = 56, POINTS = 12, PACKED = HEAD + 80, PLAIN = 2, FILE_MAX = 512 };

/* Precision, least, most, step of the range, size, and 42 bytes of 12 points near four places. */
static const uint8_t packing[PACKED - HEAD] = {
    68,  122, 0,   0,   255, 255, 240, 66,  0,   0,   0,   0,   255, 255, 255, 246,
    0,   0,   7,   224, 0,   0,   19,  156, 0,   0,   11,  204, 0,   0,   0,   17,
    0,   0,   0,   42,  6,   180, 35,  86,  116, 128, 43,  38,  67,  70,  146, 199,
    69,  204, 221, 53,  195, 25,  202, 128, 219, 66,  161, 72,  222, 136, 168, 2,
    160, 54,  208, 168, 118, 154, 180, 108, 168, 168, 13,  180, 42,  0,   0,   0};

/* Thousandths. */
static const int32_t places[POINTS][3] = {
    {0, 0, 0},          {16, 20, -10},      {-30, 10, 20},      {1000, 2000, 3000},
    {1016, 2020, 2990}, {970, 2010, 3020},  {-4000, 5000, 500}, {-3984, 5020, 490},
    {-4030, 5010, 520}, {2000, 2000, 2000}, {2016, 2020, 1990}, {1970, 2010, 2020}};

typedef struct made_file {
    uint8_t bytes[FILE_MAX];
    size_t size;
} made_file;

static void put_head(made_file *file, uint32_t magic, uint32_t count, uint32_t step)
{
    uint8_t *at = file->bytes + file->size;
    memset(at, 0, HEAD);
    bytes_store(at, 4, true, magic);
    bytes_store(at + 4, 4, true, count);
    bytes_store(at + 8, 4, true, step);
    bytes_store(at + 52, 4, true, count);
    file->size += HEAD;
}

static void put_packed(made_file *file, uint32_t step)
{
    put_head(file, 1995, POINTS, step);
    memcpy(file->bytes + file->size, packing, sizeof packing);
    file->size += sizeof packing;
}

/* The same frame with the size of its bytes in 64 bits. */
static void put_large(made_file *file, uint32_t step)
{
    put_head(file, 2023, POINTS, step);
    memcpy(file->bytes + file->size, packing, 32);
    bytes_store(file->bytes + file->size + 32, 8, true, 42);
    memcpy(file->bytes + file->size + 40, packing + 36, sizeof packing - 36);
    file->size += sizeof packing + 4;
}

static void put_plain(made_file *file, uint32_t step)
{
    put_head(file, 1995, PLAIN, step);
    for (uint32_t i = 0; i < PLAIN * 3; i++, file->size += 4)
        bytes_store_f32(file->bytes + file->size, true, 0.1f * (float)i);
}

static void check_places(const made_file *file, size_t position, int32_t number)
{
    const float unit = (float)(1.0 / 1000.0);
    host_frame frame;
    if (!test_format_load("a.xtc", file->bytes, file->size, position, &frame)) return;
    CHECK_EQ(frame.count, POINTS);
    CHECK(frame.number == number);
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t k = 0; k < 3; k++)
            CHECK(((float *)frame.data[POINT_LOCATION])[3 * i + k] == (float)places[i][k] * unit);
    host_frame_free(&frame);
}

static void a_packed_frame_of_another_program_is_read(void)
{
    made_file file = {{0}, 0};
    put_packed(&file, 10);
    put_large(&file, 15);
    check_places(&file, 0, 3);
    check_places(&file, 1, 4);
}

static void up_to_nine_points_are_not_packed(void)
{
    made_file file = {{0}, 0};
    host_frame frame;
    put_plain(&file, 0);
    put_plain(&file, 1);
    if (!test_format_load("a.xtc", file.bytes, file.size, 1, &frame)) return;
    CHECK_EQ(frame.count, PLAIN);
    CHECK(frame.number == 2);
    for (uint32_t i = 0; i < PLAIN * 3; i++)
        CHECK(((float *)frame.data[POINT_LOCATION])[i] == 0.1f * (float)i);
    host_frame_free(&frame);
}

static void steps_that_do_not_ascend_count_nothing(void)
{
    made_file file = {{0}, 0};
    char *folder = test_folder_make();
    put_plain(&file, 5);
    put_plain(&file, 5);
    test_file_write(test_text("%s/a.xtc", folder), file.bytes, file.size);
    test_expect(command_convert, test_text("convert %s/a.xtc %s/b.csv", folder, folder), HOST_DONE,
                "note: the steps of the frames do not ascend: frames are counted from 1");
    test_expect(command_convert, test_text("convert %s/b.csv %s/b.xtc", folder, folder), HOST_USAGE,
                "xtc");
    CHECK_EQ(test_folder_count(folder), 2);
    test_folder_remove(folder);
}

static void every_cut_is_told(void)
{
    made_file file = {{0}, 0};
    put_packed(&file, 0);
    put_plain(&file, 1);
    test_format_cuts("a.xtc", file.bytes, file.size, PACKED);
}

typedef struct fault {
    size_t at;
    uint32_t value;
    const char *message;
} fault;

static void faults_are_named(void)
{
    static const fault faults[] = {
        {0, 1996, ":0: expected the number 1995 or 2023"},
        {52, 13, ":0: expected the number 1995 or 2023 and the number of points, twice the same"},
        {HEAD, 0, ":56: the precision of a frame is 0, expected more than 0"},
        {HEAD + 4, 2017, ":92: 42 packed bytes do not unpack to 12 points"},
        {HEAD + 28, 8, "do not unpack"},
        {HEAD + 28, 73, "do not unpack"},
        {HEAD + 32, 45, "the file ends inside a frame of 45 packed bytes; it is incomplete"},
    };
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        made_file file = {{0}, 0};
        put_packed(&file, 0);
        bytes_store(file.bytes + faults[f].at, 4, true, faults[f].value);
        test_note("fault %zu", f);
        test_format_refused("a.xtc", file.bytes, file.size, faults[f].message);
    }
    made_file file = {{0}, 0};
    put_packed(&file, 0);
    bytes_store(file.bytes + 4, 4, true, 400);
    bytes_store(file.bytes + 52, 4, true, 400);
    test_format_refused("a.xtc", file.bytes, file.size, ":4: a frame has 400 points in 42 packed");
}

static const test_case cases[] = {
    TEST_CASE(a_packed_frame_of_another_program_is_read),
    TEST_CASE(up_to_nine_points_are_not_packed),
    TEST_CASE(steps_that_do_not_ascend_count_nothing),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(faults_are_named),
};
TEST_SUITE(xtc, cases);
