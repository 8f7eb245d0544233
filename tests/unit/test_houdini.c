/* SPDX-License-Identifier: MIT
   tests/unit/test_houdini.c - Houdini's classic geometry, binary and text: golden files, faults,
           cuts.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    a second
   after   the files are written by hand from SideFX's description of version 5 */
#include "../../host_tools/formats/bytes.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/formats_help.h"
#include <stdlib.h>

int command_convert(int argc, char **argv);

/* Points 5 at (1, 2, -3) and 7 at (1.5, 2, -3) with velocities, at frame 12. */
#define BGEO_HEAD                                                                   \
    "BgeoV\0\0\0\5\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0" \
    "\0\2id\0\1\0\0\0\1\0\0\0\0\0\1v\0\3\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0"
#define BGEO_POINTS                                                                        \
    "\x3f\x80\0\0\x40\0\0\0\xc0\x40\0\0\x3f\x80\0\0\0\0\0\5\x3f\0\0\0\0\0\0\0\x42\xc8\0\0" \
    "\x3f\xc0\0\0\x40\0\0\0\xc0\x40\0\0\x3f\x80\0\0\0\0\0\7\x80\0\0\0\0\0\0\1\x42\xc8\0\0"
#define BGEO_GOLDEN BGEO_HEAD BGEO_POINTS "\0\xff"
#define GEO_HEAD                                                       \
    "PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointGroups 0 NPrimGroups 0\n" \
    "NPointAttrib 2 NVertexAttrib 0 NPrimAttrib 0 NAttrib 0\nPointAttrib\n"
#define GEO_GOLDEN                                                                     \
    GEO_HEAD "id 1 int 0\nv 3 vector 0 0 0\n1 2 -3 1 (5 0.5 0 100)\n1.5 2 -3 1 (7 -0 " \
             "1.40129846e-45 100)\n"                                                   \
             "beginExtra\nendExtra\n"
enum { HEAD = 41, BGEO_SIZE = sizeof BGEO_GOLDEN - 1, GEO_SIZE = sizeof GEO_GOLDEN - 1 };
static const char golden_table[] = "frame,index,x,y,z,vx,vy,vz\n12,5,1,2,-3,0.5,0,100\n"
                                   "12,7,1.5,2,-3,-0,1.40129846e-45,100\n";

static void convert(const char *line) { test_expect(command_convert, line, HOST_DONE, NULL); }

static void expect_file(const char *path, const void *bytes, size_t size)
{
    uint8_t *found;
    size_t found_size;
    if (!CHECK_EQ(host_read_file(path, &found, &found_size), HOST_DONE)) return;
    CHECK(found_size == size && memcmp(found, bytes, size) == 0);
    free(found);
}

static void golden_files_become_points_and_points_golden_files(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.0012.bgeo", folder), BGEO_GOLDEN, BGEO_SIZE);
    test_file_write(test_text("%s/a.0012.geo", folder), GEO_GOLDEN, GEO_SIZE);
    convert(test_text("convert %s/a.0012.bgeo %s/bgeo.csv --quiet", folder, folder));
    convert(test_text("convert %s/a.0012.geo %s/geo.csv --quiet", folder, folder));
    expect_file(test_text("%s/bgeo.csv", folder), golden_table, sizeof golden_table - 1);
    expect_file(test_text("%s/geo.csv", folder), golden_table, sizeof golden_table - 1);
    convert(test_text("convert %s/bgeo.csv %s/b.*.bgeo --quiet", folder, folder));
    convert(test_text("convert %s/bgeo.csv %s/b.*.geo --quiet", folder, folder));
    expect_file(test_text("%s/b.0012.bgeo", folder), BGEO_GOLDEN, BGEO_SIZE);
    expect_file(test_text("%s/b.0012.geo", folder), GEO_GOLDEN, GEO_SIZE);
    test_folder_remove(folder);
}

/* Includes infinities: all bits of a float must survive. The bits of a NaN survive in binary files
   only. */
static float any_bits(uint32_t word)
{
    float value;
    if ((word & 0x7f800000u) == 0x7f800000u) word &= 0xff800000u;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void frames_come_back_bit_for_bit(void)
{
    char *folder = test_folder_make();
    test_format_table(test_text("%s/a.csv", folder), 300, any_bits);
    convert(test_text("convert %s/a.csv %s/b.bgeo --quiet", folder, folder));
    convert(test_text("convert %s/b.bgeo %s/c.geo --quiet", folder, folder));
    convert(test_text("convert %s/c.geo %s/c.csv --quiet", folder, folder));
    CHECK(test_file_exists(test_text("%s/c.0008.geo", folder)));
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/c.csv", folder)));
    test_folder_remove(folder);
}

/* A file as Houdini itself writes it: colour, a float id, an index, a string with blanks, and
   groups and a particle system after the points. */
static void what_is_no_stream_is_passed_over(void)
{
    static const char text[] =
        "PGEOMETRY V5\nNPoints 2 NPrims 1\nNPointGroups 1 NPrimGroups 0\n"
        "NPointAttrib 4 NVertexAttrib 0 NPrimAttrib 1 NAttrib 0\n"
        "PointAttrib\nCd 3 float 1 1 1\nname 1 index 2 a \"b c\"\nid 1 float 0\npscale 1 float 1\n"
        "0 1 2 1 ( 1 1 1  0  3 0.5)\n4 5 6 1 (1 0 0 1 1 0.25)\nPrimitiveAttrib\ngenerator 1 index "
        "1 papi\n"
        "Part 2 0 1 [0]\ngroup1 unordered\n2 10\nbeginExtra\nendExtra\n";
    static const char table[] = "frame,index,x,y,z,size\n1,1,4,5,6,0.25\n1,3,0,1,2,0.5\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.geo", folder), text, sizeof text - 1);
    test_output output =
        test_command(command_convert, test_text("convert %s/a.geo %s/a.csv", folder, folder));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, "attribute \"Cd\" is unknown and ignored") &&
          strstr(output.errors, "attribute \"name\" is unknown") &&
          !strstr(output.errors, "\"id\"") &&
          strstr(output.errors,
                 "primitives, groups, and attributes of anything but points are ignored"));
    test_output_free(&output);
    expect_file(test_text("%s/a.csv", folder), table, sizeof table - 1);
    test_folder_remove(folder);
}

static void a_bgeo_with_an_index_is_read(void)
{
    static const char bytes[] =
        "BgeoV\0\0\0\5\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\4name\0\1\0\0\0\4\0\0\0\2\0\1a\0\0\0\6pscale\0\1\0\0\0\0\x3f\x80\0\0"
        "\0\0\0\0\x3f\x80\0\0\x40\0\0\0\x3f\x80\0\0\0\0\0\1\x3f\0\0\0\0\xff";
    static const char table[] = "frame,index,x,y,z,size\n1,0,0,1,2,0.5\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.bgeo", folder), bytes, sizeof bytes - 1);
    convert(test_text("convert %s/a.bgeo %s/a.csv --quiet", folder, folder));
    expect_file(test_text("%s/a.csv", folder), table, sizeof table - 1);
    test_folder_remove(folder);
}

/* ---- faults */

/* A file without its end mark keeps its points; a note reports that. */
static void expect_note(const char *name, const void *bytes, size_t size)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/%s", folder, name), bytes, size);
    test_output output =
        test_command(command_convert, test_text("convert %s/%s %s/a.csv", folder, name, folder));
    CHECK(output.code == HOST_DONE && strstr(output.errors, "the end mark of the file is missing"));
    test_output_free(&output);
    test_folder_remove(folder);
}

static void every_truncation_is_an_error_or_news(void)
{
    size_t geo_points = (size_t)(strstr(GEO_GOLDEN, "\nbeginExtra") - GEO_GOLDEN);
    for (size_t size = 0; size < BGEO_SIZE - 2; size++)
        test_format_refused("a.bgeo", BGEO_GOLDEN, size, "a.bgeo:");
    for (size_t size = 0; size < geo_points; size++)
        test_format_refused("a.geo", GEO_GOLDEN, size, "a.geo:");
    expect_note("a.bgeo", BGEO_GOLDEN, BGEO_SIZE - 2);
    expect_note("a.bgeo", BGEO_GOLDEN, BGEO_SIZE - 1);
    for (size_t size = geo_points; size < GEO_SIZE - 1; size++)
        expect_note("a.geo", GEO_GOLDEN, size);
}

static void expect_change(size_t at, uint32_t word, const char *message)
{
    uint8_t bytes[BGEO_SIZE];
    memcpy(bytes, BGEO_GOLDEN, BGEO_SIZE);
    bytes_store(bytes + at, 4, true, word);
    test_format_refused("a.bgeo", bytes, BGEO_SIZE, message);
}

static void faults_of_bytes_are_named_by_their_byte(void)
{
    expect_change(0, 0x42674546, "a.bgeo:0: magic is neither BgeoV nor 7f NSJb");
    expect_change(5, 6, "a.bgeo:5: version is 6, expected 5");
    expect_change(9, 3, "the header promises 3 points of 32 bytes, but 66 bytes are left");
    expect_change(9, 0x7fffffff, "the header promises 2147483647 points");
    expect_change(9, 0xffffffff, "a.bgeo:9: a count of the header is negative");
    expect_change(25, 257, "a.bgeo:9: more than 256 point attributes");
    expect_change(25, 4, "a.bgeo:");
    expect_change(HEAD + 6, 2, "a.bgeo:41: the type of an attribute is neither");
    expect_change(HEAD + 4, 0, "a.bgeo:41: an attribute does not have 1 to 4096 values");
    expect_change(sizeof BGEO_HEAD - 1 + 16, 0xffffffff,
                  "a.bgeo:92: id of point 0 (from 0) is -1, expected a whole number from 0");
    expect_change(sizeof BGEO_HEAD - 1 + 16, 7, "1 of 2 points repeat the index of another point");
}

static void faults_of_text_are_named_by_their_line(void)
{
    static const char *const faults[][2] = {
        {"PGEOMETRY V6\n", ": line 1: \"V6\", expected V5"},
        {"PGEOMETRY V5\nNPoints two", ": line 2: \"two\", expected a whole number"},
        {"PGEOMETRY V5\nNPoints 2 NPrim 0", ": line 2: \"NPrim\", expected NPrims"},
        {GEO_HEAD "id 1 int 0\nid 1 int 0\n", ": line 7: an attribute occurs twice"},
        {GEO_HEAD "id 1 string 0\n", ": line 6: the type of an attribute is neither"},
        {GEO_HEAD "id 1 int 0\npscale 1 float 0\n1 2 3\n1 (4 5)\n1 2 3 1 [4 5]",
         ": line 10: \"[4\", expected ("},
        {GEO_HEAD "id 1 int 0\npscale 1 float 0\n1 2 3 1 (4 5)\n1 2 3 1 (4 5 6)\n",
         ": line 9: \"6\", expected )"},
        {GEO_HEAD "id 1 int 0\npscale 1 float 0\n1 2 3 1 (4.5 5)\n1 2 3 1 (4 5)\n",
         ": line 8: \"4.5\", expected a whole number"},
        {GEO_HEAD "id 1 int 0\npscale 1 float 0\n1 2 3 1 (-1 5)\n1 2 3 1 (4 5)\n",
         ": line 8: \"-1\", expected an id, a whole number from 0"},
        {GEO_HEAD "id 1 int 0\npscale 1 float 0\n1 2 1e39 1 (1 5)\n1 2 3 1 (4 5)\n",
         ": line 8: \"1e39\", expected a number that fits in 32 bits"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_format_refused("a.geo", faults[i][0], strlen(faults[i][0]), faults[i][1]);
}

static void an_id_beyond_an_int_is_refused(void)
{
    static const char text[] = "frame,index,x,y,z\n1,2147483648,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.csv", folder), text, sizeof text - 1);
    test_expect(command_convert, test_text("convert %s/a.csv %s/a.bgeo --quiet", folder, folder),
                HOST_BAD_INPUT,
                "frame 1 has index 2147483648, but an id of Houdini is at most 2147483647");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(golden_files_become_points_and_points_golden_files),
    TEST_CASE(frames_come_back_bit_for_bit),
    TEST_CASE(what_is_no_stream_is_passed_over),
    TEST_CASE(a_bgeo_with_an_index_is_read),
    TEST_CASE(every_truncation_is_an_error_or_news),
    TEST_CASE(faults_of_bytes_are_named_by_their_byte),
    TEST_CASE(faults_of_text_are_named_by_their_line),
    TEST_CASE(an_id_beyond_an_int_is_refused),
};
TEST_SUITE(houdini, cases);
