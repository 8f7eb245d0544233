/* SPDX-License-Identifier: MIT
   tests/unit/test_hgeo.c - geometry of Houdini 12 and later, text, binary and packed: golden files,
           forms, faults, cuts.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    a second
   after   the files are written by hand from SideFX's description of the format */
#include "../../host_tools/formats/bytes.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/formats_help.h"
#include <stdlib.h>

int command_convert(int argc, char **argv);

/* Points 5 at (1, 2, -3) and 7 at (1.5, 2, -3) with velocities, at frame 12. */
static const char golden_table[] = "frame,index,x,y,z,vx,vy,vz\n12,5,1,2,-3,0.5,0,100\n"
                                   "12,7,1.5,2,-3,-0,1.40129846e-45,100\n";

/* An attribute of a text: name, options, storage, size, storage of the default, packing, values. */
#define ATTRIBUTE(name, options, type, size, wide, packing, values)                              \
    "[[\"scope\",\"public\",\"type\",\"numeric\",\"name\",\"" name "\",\"options\"," options     \
    "],[\"size\"," size ",\"storage\",\"" type "\",\"defaults\",[\"size\",1,\"storage\",\"" wide \
    "\",\"values\",[0]],\"values\",[\"size\"," size ",\"storage\",\"" type "\"," packing         \
    "\"pagesize\",1024,\"constantpageflags\",[[false]],\"rawpagedata\"," values "]]]"
#define KIND(kind) "{\"type\":{\"type\":\"string\",\"value\":\"" kind "\"}}"
#define TEXT_HEAD(count)                                                                         \
    "[\"fileversion\",\"18.0.0\",\"hasindex\",false,\"pointcount\"," count ",\"vertexcount\",0," \
    "\"primitivecount\",0,\"topology\",[\"pointref\",[\"indices\",[]]],\"attributes\","          \
    "[\"pointattributes\",["
#define TEXT_P                                                                     \
    ATTRIBUTE("P", KIND("point"), "fpreal32", "3", "fpreal64", "\"packing\",[3],", \
              "[1,2,-3,1.5,2,-3]")
#define TEXT_GOLDEN                                                                     \
    TEXT_HEAD("2")                                                                      \
    TEXT_P "," ATTRIBUTE("id", "{}", "int32", "1", "int64", "", "[5,7]") "," ATTRIBUTE( \
        "v", KIND("vector"), "fpreal32", "3", "fpreal64", "\"packing\",[3],",           \
        "[0.5,0,100,-0,1.40129846e-45,100]") "]]]\n"

/* The same in binary JSON: S a string after its length, W a whole number, U a uniform list. */
#define S(length, text) "\x27" length text
#define W(low, high)    "\x13" low high "\0\0"
#define U(type, count)  "\x40" type count
#define BINARY_KIND(length, kind)                                                                  \
    "{" S("\4", "type") "{" S("\4", "type") S("\6", "string") S("\5", "value") S(length, kind) "}" \
                                                                                               "}"
#define BINARY_ATTRIBUTE(name, options, type, size, wide, packing, values)                         \
    "[[" S("\5", "scope") S("\6", "public") S("\4", "type") S("\7", "numeric") S("\4", "name")     \
        name S("\7", "options") options "][" S("\4", "size") size S("\7", "storage")               \
            type S("\10", "defaults") "[" S("\4", "size") W("\1", "\0") S("\7", "storage") wide S( \
                "\6", "values") "[" W("\0", "\0") "]]" S("\6", "values") "[" S("\4", "size")       \
                size S("\7", "storage") type packing S("\10", "pagesize") W("\0", "\4")            \
                    S("\21", "constantpageflags") "[" U("\x10", "\1") "\0\0\0\0]" S(               \
                        "\13", "rawpagedata") values "]]]"
#define BINARY_PACKING S("\7", "packing") "[" W("\3", "\0") "]"
#define BINARY_P_HEAD                                                                          \
    "\x7fNSJb[" S("\13", "fileversion") S("\6", "18.0.0")                                      \
        S("\10", "hasindex") "0" S("\12", "pointcount") W("\2", "\0") S("\13", "vertexcount")  \
            W("\0", "\0") S("\16", "primitivecount") W("\0", "\0")                             \
                S("\10", "topology") "[" S("\10", "pointref") "[" S("\7", "indices") "[]]]" S( \
                    "\12", "attributes") "[" S("\17", "pointattributes") "["
#define BINARY_P_VALUES \
    U("\x19", "\6")     \
    "\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0\0\0\xc0\x3f\0\0\0\x40\0\0\x40\xc0"
#define BINARY_GOLDEN                                                                              \
    BINARY_P_HEAD BINARY_ATTRIBUTE(S("\1", "P"), BINARY_KIND("\5", "point"), S("\10", "fpreal32"), \
                                   W("\3", "\0"), S("\10", "fpreal64"), BINARY_PACKING,            \
                                   BINARY_P_VALUES)                                                \
        BINARY_ATTRIBUTE(S("\2", "id"), "{}", S("\5", "int32"), W("\1", "\0"), S("\5", "int64"),   \
                         "", U("\x13", "\2") "\5\0\0\0\7\0\0\0")                                   \
            BINARY_ATTRIBUTE(                                                                      \
                S("\1", "v"), BINARY_KIND("\6", "vector"), S("\10", "fpreal32"), W("\3", "\0"),    \
                S("\10", "fpreal64"), BINARY_PACKING,                                              \
                U("\x19",                                                                          \
                  "\6") "\0\0\0\x3f\0\0\0\0\0\0\xc8\x42\0\0\0\x80\1\0\0\0\0\0\xc8\x42") "]]]"
enum { TEXT_SIZE = sizeof TEXT_GOLDEN - 1, BINARY_SIZE = sizeof BINARY_GOLDEN - 1 };
/* Magic, no metadata, one stored chunk, the size of chunks and of the last one, their 16 bytes. */
#define PACKED_HEAD "scf1\0\0\0\0\0\0\0\0\2\1\3\4"
enum { PACKED_HEAD_BYTES = 12 + 16, PACKED_FOOT_BYTES = 28 };

static void convert(const char *line) { test_expect(command_convert, line, HOST_DONE, NULL); }

static void expect_file(const char *path, const void *bytes, size_t size)
{
    uint8_t *found;
    size_t found_size;
    if (!CHECK_EQ(host_read_file(path, &found, &found_size), HOST_DONE)) return;
    test_note("%s has %zu bytes", path, found_size);
    CHECK(found_size == size && memcmp(found, bytes, size) == 0);
    free(found);
}

/* A container of one stored chunk; free it. */
static uint8_t *packed_golden(size_t *size)
{
    *size = PACKED_HEAD_BYTES + BINARY_SIZE + PACKED_FOOT_BYTES;
    uint8_t *bytes = calloc(*size, 1);
    if (!bytes) exit(2);
    memcpy(bytes, PACKED_HEAD, sizeof PACKED_HEAD - 1);
    bytes_store(bytes + 16, 4, false, BINARY_SIZE);
    bytes_store(bytes + 20, 4, false, BINARY_SIZE);
    bytes_store(bytes + 24, 4, false, BINARY_SIZE + 16);
    uint8_t *at = bytes + PACKED_HEAD_BYTES;
    memcpy(at, BINARY_GOLDEN, BINARY_SIZE);
    bytes_store(at + BINARY_SIZE, 8, true, 1 << 20);
    bytes_store(at + BINARY_SIZE + 8, 8, true, BINARY_SIZE);
    bytes_store(at + BINARY_SIZE + 16, 8, true, 16);
    memcpy(at + BINARY_SIZE + 24, "1fcs", 4);
    return bytes;
}

static void golden_files_become_points_and_points_golden_files(void)
{
    size_t size;
    char *folder = test_folder_make();
    uint8_t *packed = packed_golden(&size);
    test_file_write(test_text("%s/a.0012.bgeo", folder), BINARY_GOLDEN, BINARY_SIZE);
    test_file_write(test_text("%s/a.0012.geo", folder), TEXT_GOLDEN, TEXT_SIZE);
    test_file_write(test_text("%s/a.0012.bgeo.sc", folder), packed, size);
    static const char *const endings[] = {"bgeo", "geo", "bgeo.sc"};
    for (size_t e = 0; e < 3; e++) {
        convert(test_text("convert %s/a.0012.%s %s/%s.csv --quiet", folder, endings[e], folder,
                          endings[e]));
        expect_file(test_text("%s/%s.csv", folder, endings[e]), golden_table,
                    sizeof golden_table - 1);
    }
    convert(test_text("convert %s/bgeo.csv %s/b.*.bgeo --encoding json --quiet", folder, folder));
    convert(test_text("convert %s/bgeo.csv %s/b.*.geo --encoding json --quiet", folder, folder));
    expect_file(test_text("%s/b.0012.bgeo", folder), BINARY_GOLDEN, BINARY_SIZE);
    expect_file(test_text("%s/b.0012.geo", folder), TEXT_GOLDEN, TEXT_SIZE);
    test_folder_remove(folder);
    free(packed);
}

/* Whatever the ending says, the content decides. */
static void content_decides(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/text.0012.bgeo", folder), TEXT_GOLDEN, TEXT_SIZE);
    test_file_write(test_text("%s/binary.0012.geo", folder), BINARY_GOLDEN, BINARY_SIZE);
    test_file_write(test_text("%s/frame12.dat", folder), BINARY_GOLDEN, BINARY_SIZE);
    convert(test_text("convert %s/text.0012.bgeo %s/text.csv --quiet", folder, folder));
    convert(test_text("convert %s/binary.0012.geo %s/binary.csv --quiet", folder, folder));
    expect_file(test_text("%s/text.csv", folder), golden_table, sizeof golden_table - 1);
    expect_file(test_text("%s/binary.csv", folder), golden_table, sizeof golden_table - 1);
    convert(test_text("convert %s/frame12.dat %s/dat.csv --shift 0 --quiet", folder, folder));
    CHECK(test_file_exists(test_text("%s/dat.csv", folder)));
    test_folder_remove(folder);
}

static float any_bits(uint32_t word)
{
    float value;
    if ((word & 0x7f800000u) == 0x7f800000u) word &= 0xff800000u;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* 1 500 points fill two pages. */
static void frames_come_back_bit_for_bit(void)
{
    char *folder = test_folder_make();
    test_format_table(test_text("%s/a.csv", folder), 1500, any_bits);
    convert(test_text("convert %s/a.csv %s/b.bgeo --encoding json --quiet", folder, folder));
    convert(test_text("convert %s/b.bgeo %s/c.geo --encoding json --quiet", folder, folder));
    convert(test_text("convert %s/c.geo %s/d.bgeo.sc --quiet", folder, folder));
    convert(test_text("convert %s/d.bgeo.sc %s/d.csv --quiet", folder, folder));
    CHECK(test_file_exists(test_text("%s/d.0008.bgeo.sc", folder)));
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/d.csv", folder)));
    test_folder_remove(folder);
}

/* ---- forms that other programs write */

static void expect_table(const char *name, const void *bytes, size_t size, const char *table)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/%s", folder, name), bytes, size);
    convert(test_text("convert %s/%s %s/a.csv --quiet", folder, name, folder));
    expect_file(test_text("%s/a.csv", folder), table, strlen(table));
    test_folder_remove(folder);
}
#define EXPECT_TABLE(name, bytes, table) expect_table(name, bytes, sizeof(bytes) - 1, table)

#define DATA(size, values) "[\"size\"," size ",\"values\",[\"size\"," size "," values "]]"
#define NAMED(name)        "[\"type\",\"numeric\",\"name\",\"" name "\"]"
#define GEOMETRY(count, attributes) \
    "[\"pointcount\"," count ",\"attributes\",[\"pointattributes\",[" attributes "]]]"

static void tuples_arrays_and_pages_are_read(void)
{
    static const char table[] = "frame,index,x,y,z,size\n1,0,1,2,3,0.5\n1,1,4,5,6,0.25\n"
                                "1,2,7,8,9,0.25\n";
    EXPECT_TABLE(
        "a.geo",
        GEOMETRY("3",
                 "[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2,3],[4,5,6],[7,8,9]]") "],[" NAMED(
                     "pscale") "," DATA("1", "\"arrays\",[[.5,25e-2,0.25]]") "]"),
        table);
    EXPECT_TABLE(
        "a.geo",
        GEOMETRY("3",
                 "[" NAMED("pscale") "," DATA("1", "\"tuples\",[[0.5],0.25,[0.25]]") "],[" NAMED(
                     "P") "," DATA("3", "\"arrays\",[[1,4,7],[2,5,8],[3,6,9]]") "]"),
        table);
    /* pages of two points; the second has one value of pscale, and P lies in two packs */
    EXPECT_TABLE("a.geo",
                 GEOMETRY("3", "[" NAMED("P") "," DATA(
                                   "4", "\"pagesize\",2,\"packing\",[3,1],"
                                        "\"constantpageflags\",[[],[true,"
                                        "true]],\"rawpagedata\",[1,2,3,4,5,6,1,7,8,9,"
                                        "1]") "],[" NAMED("pscale") "," DATA("1", "\"pages"
                                                                                  "ize\","
                                                                                  "1,"
                                                                                  "\"const"
                                                                                  "antpage"
                                                                                  "flags\""
                                                                                  ",[["
                                                                                  "false,"
                                                                                  "false,"
                                                                                  "true]],"
                                                                                  "\"rawpa"
                                                                                  "gedata"
                                                                                  "\",[.5,"
                                                                                  ".25,."
                                                                                  "25]") "]"),
                 table);
    EXPECT_TABLE(
        "a.geo",
        GEOMETRY("3", "[" NAMED("P") "," DATA("3", "\"pagesize\",8,\"constantpageflags\",[[true]],"
                                                   "\"rawpagedata\",[1,2,3]") "]"),
        "frame,index,x,y,z\n1,0,1,2,3\n1,1,1,2,3\n1,2,1,2,3\n");
}

/* Maps instead of lists, a string attribute, groups and polygons; blanks anywhere. */
static void what_is_no_stream_is_passed_over(void)
{
    static const char text[] =
        " { \"fileversion\": \"19.5.303\", \"pointcount\" : 2, \"vertexcount\": 3,\n"
        "\"primitivecount\": 1, \"info\": {\"artist\": \"a \\\"b\\\" ]}\", \"time\": 0},\n"
        "\"topology\": [\"pointref\", [\"indices\", [0, 1, 0]]],\n"
        "\"attributes\": {\"vertexattributes\": [], \"pointattributes\": [\n"
        "[[\"scope\", \"public\", \"type\", \"string\", \"name\", \"class\", \"options\", {}],\n"
        " [\"size\", 1, \"strings\", [\"a\", \"b\"], \"indices\", [\"size\", 1, \"arrays\", [[0, "
        "1]]]]],\n"
        "[[\"type\", \"numeric\", \"name\", \"Cd\"], [\"size\", 3, \"values\", [\"size\", 3, "
        "\"tuples\", [[1, 1, 1], [0, 0, 0]]]]],\n"
        "[{\"type\": \"numeric\", \"name\": \"P\"}, {\"size\": 3, \"values\": {\"tuples\": [[0, 1, "
        "2], [4, 5, 6]], \"size\": 3}}]]},\n"
        "\"primitives\": [[[\"type\", \"Polygon_run\"], [\"startvertex\", 0]]],\n"
        "\"pointgroups\": [[[\"name\", \"g\"], [\"selection\", []]]]}\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.geo", folder), text, sizeof text - 1);
    test_output output =
        test_command(command_convert, test_text("convert %s/a.geo %s/a.csv", folder, folder));
    test_note("%s", output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, "attribute \"Cd\" is unknown and ignored") &&
          strstr(output.errors, "attribute \"class\" is unknown") &&
          strstr(output.errors,
                 "primitives, groups, and attributes of anything but points are ignored"));
    test_output_free(&output);
    static const char table[] = "frame,index,x,y,z\n1,0,0,1,2\n1,1,4,5,6\n";
    expect_file(test_text("%s/a.csv", folder), table, sizeof table - 1);
    test_folder_remove(folder);
}

/* Binary: a string is defined once, then named by its number; both byte orders; all numbers. */
#define DEFINE(number, length, text) "\x2b" number length text
#define REFER(number)                "\x26" number
#define BINARY_START(magic, count)                                                             \
    magic "[" S("\12", "pointcount") count S("\12", "attributes") "[" S(                       \
        "\17", "pointattributes") "[" DEFINE("\0", "\4", "type") DEFINE("\1", "\7", "numeric") \
        DEFINE("\2", "\4", "name") DEFINE("\3", "\6", "values") DEFINE("\4", "\4", "size")     \
            DEFINE("\xf2\5\0", "\6", "tuples") DEFINE("\6", "\6", "tuplet") "\x2d\6"
#define BINARY_NAMED(name) "[[" REFER("\0") REFER("\1") REFER("\2") name "]"
static void shared_strings_and_all_numbers_are_read(void)
{
    static const char little[] = BINARY_START("\x7fNSJb", "\x11\3")
        BINARY_NAMED(S("\1", "P")) "[" REFER("\3") "[" REFER("\4") "\x21\3" REFER(
            "\5") "[[\x11\xff"
                  "\x12\xfe\xff\x13\0\0\1\0]["
                  "\x14\0\0\0\0\xff\xff\xff\xff\x18\0\x3e\x19\0\0\xc0\x3f]"
                  "[\x1a\0\0\0\0\0\0\xd0\x3f\x21\xff\x22\xff\xff]]]]"
                  "]" BINARY_NAMED(S("\6", "pscale")) "[" REFER("\3") "[" S("\6", "arrays") "[" U(
                      "\x18", "\3") "\0\x3c\1\0\0\xc4]]]]]]]";
    static const char table[] = "frame,index,x,y,z,size\n1,0,-1,-2,65536,1\n"
                                "1,1,-4.2949673e+09,1.5,1.5,5.96046448e-08\n"
                                "1,2,0.25,255,65535,-4\n";
    EXPECT_TABLE("a.bgeo", little, table);
    static const char big[] =
        "\x7f"
        "bJSN[" S("\12", "pointcount") "\x12\0\1" S("\12", "attributes") "[" S(
            "\17", "pointattributes") "[[[" S("\4", "type") S("\7", "numeric") S("\4", "name")
            S("\1", "P") "][" S("\6", "values") "[" S("\4", "size") "\x22\0\3" S(
                "\6", "tuples") "[" U("\x1a", "\3") "\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x40\x08"
                                                    "\0\0\0\0\0\0]]]]]]]";
    EXPECT_TABLE("a.bgeo", big, "frame,index,x,y,z\n1,0,1,2,3\n");
}

/* ---- faults */

static void every_truncation_is_refused(void)
{
    size_t size;
    uint8_t *packed = packed_golden(&size);
    for (size_t cut = 5; cut < BINARY_SIZE; cut += test_is_long() || cut < 40 ? 1 : 7)
        test_format_refused("a.bgeo", BINARY_GOLDEN, cut, "the file ends inside its lists");
    for (size_t cut = 1; cut < TEXT_SIZE - 1; cut += test_is_long() || cut < 40 ? 1 : 7)
        test_format_refused("a.geo", TEXT_GOLDEN, cut, "the file ends inside its lists");
    for (size_t cut = 4; cut < size; cut += test_is_long() || cut < 40 ? 1 : 11)
        test_format_refused("a.bgeo.sc", packed, cut, "it is incomplete");
    free(packed);
}

static void expect_fault(const char *bytes, size_t size, const char *message)
{
    test_format_refused(bytes[0] == 0x7f ? "a.bgeo" : "a.geo", bytes, size, message);
}
#define EXPECT_FAULT(bytes, message) expect_fault(bytes, sizeof(bytes) - 1, message)

static void faults_of_bytes_are_named_by_their_byte(void)
{
    EXPECT_FAULT("\x7fNSJb]", "a.bgeo:5: expected the list of a geometry, found the end of a list");
    EXPECT_FAULT("\x7fNSJb[\x29", "a.bgeo:6: a value of type 0x29, which is unknown");
    EXPECT_FAULT("\x7fNSJb[\x40\x2a\1", "a.bgeo:7: a list of type 0x2a, which is unknown");
    EXPECT_FAULT("\x7fNSJb[\x26\7", "a.bgeo:6: shared string 7 is not defined");
    EXPECT_FAULT("\x7fNSJb[\x2b\xf4\0\0\1\0\1a",
                 "a.bgeo:7: a shared string has the number 65536, at most 65535");
    EXPECT_FAULT("\x7fNSJb[\x27\xf3", "a.bgeo:7: a count begins with the byte 0xf3");
    EXPECT_FAULT("\x7fNSJb[" S("\12", "pointcount") "\x11\xff",
                 "a.bgeo:18: the number of points is no whole number from 0 to 2147483647");
    EXPECT_FAULT("\x7fNSJb[\x11\1", "a.bgeo:6: expected a name, found a number");
    EXPECT_FAULT("\x7fNSJb[]", "a.bgeo:7: no \"pointcount\" is given");
    EXPECT_FAULT("\x7fNSJb[" S("\12", "pointcount") "\x11\1]",
                 "a.bgeo:21: no attribute P of 3 or 4 numbers is given");
}

#define ONE(attributes) GEOMETRY("1", attributes)
static void faults_of_text_are_named_by_their_line(void)
{
    EXPECT_FAULT("[\n\"pointcount\", 2.5]", ":16: line 2: the number of points is no whole number");
    EXPECT_FAULT("[\n\"pointcount\", \"2\"]", ":16: line 2: the number of points is no whole");
    EXPECT_FAULT("[\"pointcount\",1]\n", "no attribute P of 3 or 4 numbers is given");
    EXPECT_FAULT("[\"pointcount\",9000000,\"attributes\",[\"pointattributes\",[[" NAMED(
                     "P") "," DATA("3", "\"pagesize\",9000000,\"constantpageflags\",[[true]],"
                                        "\"rawpagedata\",[1,2,3]") "]]]]",
                 "9000000 points in a file of");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2]]") "]"),
                 "line 1: an attribute has fewer values than points");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2,3,4]]") "]"),
                 "line 1: an attribute has more values than points");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2,\"x\"]]") "]"),
                 "line 1: expected a number, found \"x\"");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2,1e39]]") "]"),
                 "line 1: expected a number that fits in 32 bits (at most 3.4e38), found \"1e39\"");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[1,2,3]") "]"),
                 "line 1: expected a tuple, found \"1\"");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"rawpagedata\",[1,2,3]") "]"),
                 "line 1: the attribute has pages, but no \"pagesize\"");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"pagesize\",1,\"packing\",[2],"
                                                  "\"rawpagedata\",[1,2,3]") "]"),
                 "line 1: \"packing\" does not sum to the size 3");
    EXPECT_FAULT(ONE("[" NAMED("P") ",[\"values\",[\"size\",3]]]"),
                 "line 1: the attribute has no \"tuples\", \"arrays\" or \"rawpagedata\"");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2,3]]") "],[" NAMED("P") "," DATA(
                     "3", "\"tuples\",[[1,2,3]]") "]"),
                 "line 1: an attribute occurs twice");
    EXPECT_FAULT(ONE("[" NAMED("P") "," DATA("3", "\"tuples\",[[1,2,3]]") "],[" NAMED(
                     "id") "," DATA("1", "\"arrays\",[[-1]]") "]"),
                 "line 1: id of point 0 (from 0) is no whole number from 0 to 2147483647");
}

/* Plain and packed files are read alike: the first bytes of a packed one decide. */
static void long_text_begins_as_the_format_does(void)
{
    static const char refused[] = "the text begins neither with PGEOMETRY nor with a list";
    static const char *const starts[] = {"[\"other\",1,", "[\"fileversion\",\"18\","};
    char text[5000];
    for (size_t n = 0; n < 2; n++) {
        const char *tail = "\"pointcount\",1,\"attributes\",[\"pointattributes\",[[" NAMED(
            "P") "," DATA("3", "\"tuples\",[[1,2,3]]") "]]]]";
        memset(text, ' ', sizeof text);
        memcpy(text, starts[n], strlen(starts[n]));
        memcpy(text + strlen(starts[n]), tail, strlen(tail));
        if (n == 0)
            test_format_refused("a.geo", text, sizeof text, refused);
        else
            expect_table("a.geo", text, sizeof text, "frame,index,x,y,z\n1,0,1,2,3\n");
    }
    memset(text, ' ', sizeof text);
    memcpy(text + 4090, "PGEOMETRY V5\n", 13);
    test_format_refused("a.geo", text, sizeof text, refused);
}

static void expect_packed(size_t at, uint64_t value, const char *message)
{
    size_t size;
    uint8_t *bytes = packed_golden(&size);
    bytes_store(bytes + at, 8, true, value);
    test_format_refused("a.bgeo.sc", bytes, size, message);
    free(bytes);
}

static void faults_of_containers_are_named_by_their_byte(void)
{
    size_t size, foot = PACKED_HEAD_BYTES + BINARY_SIZE;
    uint8_t *bytes = packed_golden(&size);
    expect_packed(4, 1 << 20, "a.bgeo.sc:4: the metadata are longer than the file");
    expect_packed(foot + 16, 0,
                  test_text("a.bgeo.sc:%zu: the index of chunks has 0 bytes", foot + 16));
    expect_packed(foot + 16, 24, "a.bgeo.sc:24: the chunk is longer than the file");
    bytes[12] = 9;
    test_format_refused("a.bgeo.sc", bytes, size, "a.bgeo.sc:12: no chunk of Blosc");
    bytes[0] = 'x';
    test_format_refused("a.bgeo.sc", bytes, size, "a.bgeo.sc:0: magic is not scf1");
    free(bytes);
}

static const test_case cases[] = {
    TEST_CASE(golden_files_become_points_and_points_golden_files),
    TEST_CASE(content_decides),
    TEST_CASE(frames_come_back_bit_for_bit),
    TEST_CASE(tuples_arrays_and_pages_are_read),
    TEST_CASE(what_is_no_stream_is_passed_over),
    TEST_CASE(shared_strings_and_all_numbers_are_read),
    TEST_CASE(every_truncation_is_refused),
    TEST_CASE(faults_of_bytes_are_named_by_their_byte),
    TEST_CASE(faults_of_text_are_named_by_their_line),
    TEST_CASE(long_text_begins_as_the_format_does),
    TEST_CASE(faults_of_containers_are_named_by_their_byte),
};
TEST_SUITE(hgeo, cases);
