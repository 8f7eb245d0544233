/* SPDX-License-Identifier: MIT
   tests/unit/test_ply.c - reads and writes points of polygon files: bytes by hand, damaged files.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the PLY file format of Greg Turk, 1994 */
#include "../harness/formats_help.h"
#include "../harness/test.h"
#include <stdio.h>
#include <string.h>

int command_convert(int argc, char **argv);

#define LINES_OF(format)                                                                           \
    "ply\nformat " format " 1.0\ncomment tidepool\nelement vertex 2\n"                             \
    "property float x\nproperty float y\nproperty float z\nproperty float vx\nproperty float vy\n" \
    "property float vz\nproperty uint index\nend_header\n"
#define TEXT_ROWS "1 -2 0.5 0 -0 1 0\n0.100000001 9.9999461e-41 3.00000001e+38 4 5 6 3\n"

/* The rows of the points of test_format_points, big-endian. */
static const uint8_t big_rows[] = {
    0x3f, 0x80, 0,    0,    0xc0, 0, 0,    0,    0x3f, 0,    0,    0,    0,    0,
    0,    0,    0x80, 0,    0,    0, 0x3f, 0x80, 0,    0,    0,    0,    0,    0,
    0x3d, 0xcc, 0xcc, 0xcd, 0,    1, 0x16, 0xc2, 0x7f, 0x61, 0xb1, 0xe6, 0x40, 0x80,
    0,    0,    0x40, 0xa0, 0,    0, 0x40, 0xc0, 0,    0,    0,    0,    0,    3,
};

static size_t golden(uint8_t *bytes, host_encoding encoding)
{
    const char *head = encoding == ENCODING_ASCII ? LINES_OF("ascii") TEXT_ROWS
                       : encoding == ENCODING_BIG ? LINES_OF("binary_big_endian")
                                                  : LINES_OF("binary_little_endian");
    size_t size = strlen(head);
    memcpy(bytes, head, size);
    if (encoding == ENCODING_ASCII) return size;
    for (size_t i = 0; i < sizeof big_rows; i++)
        bytes[size + (encoding == ENCODING_BIG ? i : i / 4 * 4 + 3 - i % 4)] = big_rows[i];
    return size + sizeof big_rows;
}

static void bytes_written_are_those_of_the_format(void)
{
    uint8_t bytes[1024];
    host_frame frame;
    test_format_points(&frame);
    for (int e = ENCODING_ASCII; e <= ENCODING_BIG; e++) {
        size_t size = golden(bytes, (host_encoding)e);
        test_format_written("a.ply", (host_encoding)e, &frame, bytes, size);
    }
    size_t size = golden(bytes, ENCODING_LITTLE);
    test_format_written("a.ply", ENCODING_DEFAULT, &frame, bytes, size);
    host_frame_free(&frame);
}

static void bytes_read_are_the_points(void)
{
    uint8_t bytes[1024];
    for (int e = ENCODING_ASCII; e <= ENCODING_BIG; e++)
        test_format_has_points("a_7.ply", bytes, golden(bytes, (host_encoding)e));
}

static void any_float_survives(void)
{
    for (int e = ENCODING_DEFAULT; e <= ENCODING_BIG; e++) {
        test_format_round_trip("a.ply", (host_encoding)e, POINT_ALL & ~POINT_BIT(POINT_BOIDS),
                               true);
        test_format_round_trip("b_*.ply", (host_encoding)e, POINT_BIT(POINT_LOCATION), false);
    }
}

static void every_cut_is_told(void)
{
    uint8_t bytes[1024];
    for (int e = ENCODING_ASCII; e <= ENCODING_BIG; e++) {
        size_t size = golden(bytes, (host_encoding)e);
        test_format_cuts("a.ply", bytes, size, size);
    }
}

/* The properties of Gaussian splats. */
static void every_property_that_is_left_out_is_told(void)
{
    enum { PROPERTIES = 50 };
    char *folder = test_folder_make();
    FILE *file = fopen(test_text("%s/a.ply", folder), "w");
    if (!CHECK(file != NULL)) return;
    fputs("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
          "float z\n",
          file);
    for (int i = 0; i < PROPERTIES; i++) fprintf(file, "property float f_rest_%d\n", i);
    fputs("end_header\n1 2 3", file);
    for (int i = 0; i < PROPERTIES; i++) fputs(" 0", file);
    fputc('\n', file);
    CHECK(fclose(file) == 0);
    test_output output =
        test_command(command_convert, test_text("convert %s/a.ply %s/a.csv", folder, folder));
    size_t lines = 0;
    for (const char *at = output.errors; (at = strchr(at, '\n')); at++) lines++;
    CHECK_EQ(lines, PROPERTIES);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Nothing is ignored in the first file; in the two later ones something is. */
static void expect_notes_of_later_files(const char *text, size_t size)
{
    static const char plain[] =
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float "
        "y\nproperty float z\nend_header\n"
        "1 2 3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.0001.ply", folder), plain, sizeof plain - 1);
    test_file_write(test_text("%s/a.0002.ply", folder), text, size);
    test_file_write(test_text("%s/a.0003.ply", folder), text, size);
    test_output output =
        test_command(command_convert, test_text("convert %s/a.ply %s/a.csv", folder, folder));
    test_note("%s", output.errors);
    const char *told = strstr(output.errors, "/a.0002.ply: note: element \"face\" has no points");
    CHECK(told && strstr(output.errors, "/a.0002.ply: note: property \"red\" is unknown") &&
          !strstr(output.errors, "/a.0003.ply"));
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Faces before the points, lists among their numbers, types of any size, numbers across line ends,
   CR LF. */
static void what_is_no_point_is_passed_over(void)
{
    static const char text[] =
        "ply\r\nformat ascii 1.0\r\nobj_info nothing\r\nelement face 2\r\nproperty list uchar int "
        "vertex_indices\r\n"
        "element nothing 7\r\nelement vertex 2\r\nproperty double x\r\nproperty uchar red\r\n"
        "property list int float weights\r\nproperty int16 y\r\nproperty float32 z\r\nproperty "
        "float "
        "radius\r\n"
        "end_header\r\n3 0 1 2\r\n0\r\n1.5 200 2 7 8 -3 4 0.5\r\n2.5 1 0 -4\n5 0.25\n";
    static const uint8_t binary[] =
        "ply\nformat binary_big_endian 1.0\nelement face 1\n"
        "property list uchar short i\nelement vertex 1\nproperty list ushort char n\n"
        "property short x\nproperty uchar y\nproperty double z\nend_header\n"
        "\2\0\1\0\2\0\3abc\377\376\377\77\370\0\0\0\0\0\0";
    host_frame frame;
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.ply", folder), text, sizeof text - 1);
    test_expect(command_convert, test_text("convert %s/a.ply %s/a.csv", folder, folder), HOST_DONE,
                "/a.ply: note: element \"face\" has no points and is skipped\n");
    test_folder_remove(folder);
    expect_notes_of_later_files(text, sizeof text - 1);
    if (test_format_load("a.ply", text, sizeof text - 1, 0, &frame)) {
        const float *places = frame.data[POINT_LOCATION], *sizes = frame.data[POINT_SIZE];
        CHECK(frame.count == 2 && frame.number == 1 && places[0] == 1.5f && places[1] == -3 &&
              places[2] == 4);
        CHECK(places[3] == 2.5f && places[4] == -4 && places[5] == 5 && sizes && sizes[1] == 0.25f);
        host_frame_free(&frame);
    }
    if (test_format_load("b.ply", binary, sizeof binary - 1, 0, &frame)) {
        const float *places = frame.data[POINT_LOCATION];
        CHECK(frame.count == 1 && places[0] == -2 && places[1] == 255 && places[2] == 1.5f);
        host_frame_free(&frame);
    }
}

#define HEAD_OF(properties) "ply\nformat ascii 1.0\nelement vertex 1\n" properties "end_header\n"
#define PLACE               "property float x\nproperty float y\nproperty float z\n"

static void faults_are_named_by_place(void)
{
    static const char *const faults[][2] = {
        {"", ": line 1: expected \"ply\""},
        {"ply\nformat utf8 1.0\n", ": line 2: the format is neither"},
        {"ply\nformat ascii 2.0\n", ": line 2: expected \"format ascii 1.0\""},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", ": line 3: expected \"element NAME COUNT\""},
        {"ply\nformat ascii 1.0\nproperty float x\n", ": line 3: a property before any element"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n",
         ": line 4: expected \"property TYPE NAME\""},
        {"ply\nformat ascii 1.0\nnonsense\n", ": line 3: expected format, element"},
        {"ply\nformat ascii 1.0\nend_header\n", ": line 3: the header has no element vertex"},
        {"ply\nelement vertex 0\nend_header\n", ": line 3: the header has no line"},
        {HEAD_OF("property float x\nproperty float y\n") "1 2\n",
         ": line 6: the element vertex has no property z"},
        {HEAD_OF(PLACE "property float vx\n") "1 2 3 4\n",
         ": line 8: the element vertex has no property vy"},
        {HEAD_OF(PLACE "property float x\n") "1 2 3 4\n", ": line 7: property x appears twice"},
        {HEAD_OF(PLACE) "1 two 3\n", ": line 8: \"two\" is not a number"},
        {HEAD_OF(PLACE) "1 0x2 3\n", ": line 8: \"0x2\" is not a number"},
        {HEAD_OF(PLACE) "1 2 4e38\n", ": line 8: property z is not a number that fits in 32 bits"},
        {HEAD_OF(PLACE "property int index\n") "1 2 3 -1\n",
         ": line 9: property index is not a whole number"},
        {HEAD_OF(PLACE "property float index\n") "1 2 3 1.5\n",
         ": line 9: property index is not a whole number"},
        {"ply\nformat ascii 1.0\nelement vertex 2\n" PLACE
         "property int index\nend_header\n1 2 3 4\n1 2 3 4\n",
         "1 of 2 points repeat the index of another point"},
        {"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n" PLACE
         "end_header\nabc",
         ":127: the header promises 4000000000 rows of element vertex, but 3 bytes are left"},
        {"ply\nformat ascii 1.0\nelement vertex 99999999999\n" PLACE "end_header\n1 2 3\n",
         "the header promises 99999999999 rows"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_format_refused("a.ply", faults[i][0], strlen(faults[i][0]), faults[i][1]);
}

static const test_case cases[] = {
    TEST_CASE(bytes_written_are_those_of_the_format),
    TEST_CASE(bytes_read_are_the_points),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(what_is_no_point_is_passed_over),
    TEST_CASE(every_property_that_is_left_out_is_told),
    TEST_CASE(faults_are_named_by_place),
};
TEST_SUITE(ply, cases);
