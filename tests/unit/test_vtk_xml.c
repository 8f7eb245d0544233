/* SPDX-License-Identifier: MIT
   tests/unit/test_vtk_xml.c - VTK's XML files and ParaView's lists of them: by hand, round trips,
           cuts, faults.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the VTK file formats document, XML formats */
#include "../../host_tools/formats/vtk_xml.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);

#define HEAD(type, more)                                                                          \
    "<?xml version=\"1.0\"?>\n<!-- a > comment -->\n<VTKFile type=\"" type "\" " more ">\n<" type \
    ">\n"
#define TAIL(type) "</Piece></" type ">\n</VTKFile>\n"
#define TEXT_POINTS                                                                            \
    "<Points><DataArray type='Float32' Name='p' NumberOfComponents='3' format='ascii'>\n1 -2 " \
    "0.5\n0.1 1e-40 3e38\n</DataArray></Points>\n"
#define TEXT_DATA                                                                                \
    "<PointData Scalars=\"a\"><DataArray type=\"Int64\" Name=\"id\" format=\"ascii\">0 3\n"      \
    "<InformationKey name=\"KEY\" location=\"here\"/></DataArray>\n"                             \
    "<DataArray type=\"Float64\" Name=\"Velocity\" NumberOfComponents=\"3\" format=\"ascii\">\n" \
    "0 -0 1 4 5 6</DataArray>\n"                                                                 \
    "<DataArray type=\"Float32\" Name=\"mass\" format=\"ascii\">7 8</DataArray></PointData>\n"

static void plain_files_by_hand_are_read(void)
{
    static const char grid[] =
        HEAD("UnstructuredGrid",
             "byte_order=\"LittleEndian\"") "<Piece NumberOfPoints=\"2\" "
                                            "NumberOfCells=\"0\">\n" TEXT_DATA TEXT_POINTS
                                            "<Cells></Cells>" TAIL("UnstructuredGrid");
    static const char poly[] = HEAD(
        "PolyData",
        "") "<Piece NumberOfPoints='2' NumberOfPolys='1'>" TEXT_POINTS TEXT_DATA TAIL("PolyData");
    test_format_has_points("a.0007.vtu", grid, sizeof grid - 1);
    test_format_has_points("a.0007.vtp", poly, sizeof poly - 1);
}

/* Base64, as VTK writes it inside of an array: the length, then the numbers. */
static void base64_is_read(void)
{
    static const char text[] = HEAD(
        "PolyData",
        "header_type=\"UInt32\"") "<Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" "
                                  "NumberOfComponents=\"3\" format=\"binary\">\n   "
                                  "DAAAAAAAgD8AAABAAABAQA==\n</DataArray></Points>" TAIL("PolyDat"
                                                                                         "a");
    host_frame frame;
    if (!test_format_load("a.vtp", text, sizeof text - 1, 0, &frame)) return;
    const float *location = frame.data[POINT_LOCATION];
    CHECK(frame.count == 1 && location[0] == 1 && location[1] == 2 && location[2] == 3);
    host_frame_free(&frame);
}

static void any_float_survives(void)
{
    static const host_encoding encodings[] = {ENCODING_ASCII, ENCODING_LITTLE, ENCODING_BIG};
    uint32_t streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS);
    for (int e = 0; e < 3; e++) {
        test_format_round_trip("a.vtu", encodings[e], streams, true);
        test_format_round_trip("a_*.vtp", encodings[e], POINT_BIT(POINT_LOCATION), true);
    }
}

/* ---- files that we write */

typedef struct written_file {
    uint8_t *bytes;
    size_t size;
} written_file;

static written_file write_points(const char *ending, const char *options)
{
    static const char table[] = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,0,0,0\n1,7,4,5,6,1,1,1\n";
    written_file made;
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/a.%s --quiet%s", folder, folder, ending, options),
                HOST_DONE, NULL);
    if (host_read_file(test_text("%s/a.%s", folder, ending), &made.bytes, &made.size)) exit(2);
    test_folder_remove(folder);
    return made;
}

/* The last line end may be missing. */
static void every_cut_is_told(void)
{
    static const char *const options[] = {" --encoding ascii", "", " --compression deflate"};
    for (int o = 0; o < 3; o++) {
        written_file file = write_points(o == 1 ? "vtp" : "vtu", options[o]);
        test_format_cuts(o == 1 ? "a.vtp" : "a.vtu", file.bytes, file.size - 1, file.size - 1);
        free(file.bytes);
    }
}

static void deflated_files_say_so(void)
{
    host_frame frame;
    written_file file = write_points("vtu", " --compression deflate");
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.vtu", folder), file.bytes, file.size);
    test_output output = test_command(command_info, test_text("info %s/a.vtu", folder));
    CHECK(output.code == 0 && strstr(output.standard, "compression  zlib"));
    test_output_free(&output);
    if (test_format_load("a.vtu", file.bytes, file.size, 0, &frame)) {
        CHECK(frame.count == 2 && ((float *)frame.data[POINT_LOCATION])[5] == 6 &&
              ((uint32_t *)frame.data[POINT_INDEX])[1] == 7);
        host_frame_free(&frame);
    }
    const char *mark = "<AppendedData encoding=\"raw\">\n_";
    uint8_t *data = file.bytes;
    while (memcmp(data, mark, strlen(mark)) != 0) data++;
    data[strlen(mark) + 32 + 3] ^= 0x55; /* in the stream of the indices, behind four numbers */
    test_format_refused("a.vtu", file.bytes, file.size, "the zlib stream: ");
    free(file.bytes);
    test_expect(command_convert,
                test_text("convert %s/a.vtu %s/b.vtu --compression deflate --encoding ascii",
                          folder, folder),
                HOST_USAGE, "--compression deflate is for bytes, not for --encoding ascii");
    test_folder_remove(folder);
}

/* ---- faults */

#define PIECE(points, rest) \
    HEAD("PolyData", "") "<Piece NumberOfPoints=\"" points "\">" rest TAIL("PolyData")
#define POINTS(more, text)                                                        \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" " more ">" text \
    "</DataArray></Points>"

static void faults_are_named(void)
{
    static const char *const faults[][2] = {
        {"", "expected a tag VTKFile"},
        {"<html></html>", "expected a tag VTKFile"},
        {HEAD("ImageData", "") "</ImageData></VTKFile>", "expected the type UnstructuredGrid or"},
        {HEAD("PolyData", "compressor=\"vtkLZ4DataCompressor\"") "</PolyData></VTKFile>",
         "expected the compressor vtkZLibDataCompressor or none"},
        {HEAD("PolyData", "") "</PolyData></VTKFile>", "expected a Piece with an array"},
        {PIECE("1", ""), "expected a Piece with an array of three coordinates in Points"},
        {PIECE("x", ""), "NumberOfPoints is not a whole number"},
        {PIECE("1", "</Piece><Piece NumberOfPoints=\"1\">"), "expected one Piece, found a second"},
        {PIECE("1", POINTS("", "1     2")), ": line 5: the array has 2 numbers, expected 3"},
        {PIECE("1", POINTS("", "1 2 3 4")), "the array has more than 3 numbers"},
        {PIECE("1", POINTS("", "1 2 three")), ": line 5: \"three\" is not a number"},
        {PIECE("1", POINTS("", "1 2 1e39")), "is not a number that fits in 32 bits"},
        {PIECE("4000000000", POINTS("", "1 2 3")),
         ": line 5: the array has fewer than 12000000000 numbers"},
        {PIECE("1", POINTS("format=\"appended\" offset=\"0\"", "")),
         "the file ends inside the array"},
        {PIECE("1", POINTS("format=\"binary\"", "DAAAAA!AgD8AAABAAABAQA==")),
         "the file ends inside the array"},
        {PIECE("1", POINTS("format=\"binary\"", "CAAAAAAAgD8AAABAAABAQA==")),
         "the array has 8 bytes, expected 12"},
        {HEAD("PolyData", "") "<Piece NumberOfPoints=\"0\">", "the file ends inside its tags"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_format_refused("a.vtp", faults[i][0], strlen(faults[i][0]), faults[i][1]);
}

/* ---- lists */

static const char table[] = "frame,index,x,y,z\n3,0,1,2,3\n4,0,1,2,4\n";

static void lists_name_the_files_of_a_sequence(void)
{
    static const char expected[] =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n"
        "    <DataSet timestep=\"3\" group=\"\" part=\"0\" file=\"a.0003.vtu\"/>\n"
        "    <DataSet timestep=\"4\" group=\"\" part=\"0\" file=\"a.0004.vtu\"/>\n"
        "  </Collection>\n</VTKFile>\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.vtu --quiet", folder, folder),
                HOST_DONE, NULL);
    test_file_write(test_text("%s/wanted", folder), expected, sizeof expected - 1);
    CHECK(test_files_equal(test_text("%s/a.pvd", folder), test_text("%s/wanted", folder)));
    test_expect(command_convert, test_text("convert %s/a.pvd %s/b.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    test_expect(command_convert, test_text("convert %s/t.csv %s/c.pvd", folder, folder), HOST_USAGE,
                "pvd is only read, not written");
    test_folder_remove(folder);
}

/* Times of ParaView are seconds, in any order; then the frames are counted. */
static void lists_of_other_programs_are_read(void)
{
    static const char times[] =
        "<VTKFile type='Collection'><Collection>\n"
        "<DataSet timestep='0.5' file='a.0003.vtu'/><DataSet timestep='0.75' file='a.0004.vtu'/>\n"
        "</Collection></VTKFile>\n";
    static const char twice[] =
        "<VTKFile type='Collection'><DataSet timestep='1' file='a.0003.vtu'/>"
        "<DataSet timestep='1' part='1' file='a.0004.vtu'/></VTKFile>\n";
    host_sequence sequence;
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.vtu --quiet", folder, folder),
                HOST_DONE, NULL);
    test_file_write(test_text("%s/times.pvd", folder), times, sizeof times - 1);
    host_quiet(true);
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/times.pvd", folder), NULL), 0)) {
        CHECK(sequence.frame_count == 2 && sequence.numbers[0] == 1 && sequence.numbers[1] == 2);
        CHECK(strcmp(sequence.name, "times") == 0);
        host_sequence_close(&sequence);
    }
    host_quiet(false);
    test_file_write(test_text("%s/twice.pvd", folder), twice, sizeof twice - 1);
    test_expect(command_convert, test_text("convert %s/twice.pvd %s/b.csv", folder, folder),
                HOST_BAD_INPUT, "have the same time; files of several parts are not read");
    test_file_write(test_text("%s/cut.pvd", folder), times, sizeof times - 20);
    test_expect(command_convert, test_text("convert %s/cut.pvd %s/b.csv", folder, folder),
                HOST_BAD_INPUT, "the list ends inside its tags; it is incomplete");
    test_file_write(test_text("%s/none.pvd", folder), "<VTKFile></VTKFile>", 19);
    test_expect(command_convert, test_text("convert %s/none.pvd %s/b.csv", folder, folder),
                HOST_BAD_INPUT, "the list names no file");
    test_folder_remove(folder);
}

/* Our list of a name with letters that XML marks up, and a list that marks up all of them. */
static void names_with_entities_are_found(void)
{
    static const char name[] = "a&b'c&lt;";
    static const char other[] = "<VTKFile type='Collection'><Collection>\n"
                                "<DataSet timestep='3' file='a&amp;b&apos;c&amp;lt;.0003.vtu'/>\n"
                                "<DataSet timestep='4' file='a&amp;b&apos;c&amp;lt;.0004.vtu'/>\n"
                                "</Collection></VTKFile>\n";
    char text[] = "&lt;&gt;&quot;&apos;&amp;amp;&#38;&d;&am&";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/%s.vtu --quiet", folder, folder, name), HOST_DONE,
                NULL);
    test_expect(command_convert,
                test_text("convert %s/%s.pvd %s/b.csv --quiet", folder, name, folder), HOST_DONE,
                NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    xml_decode(text);
    CHECK(strcmp(text, "<>\"'&amp;&#38;&d;&am&") == 0);
    test_file_write(test_text("%s/other.pvd", folder), other, sizeof other - 1);
    test_expect(command_convert, test_text("convert %s/other.pvd %s/c.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/c.csv", folder)));
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(plain_files_by_hand_are_read),
    TEST_CASE(base64_is_read),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(deflated_files_say_so),
    TEST_CASE(faults_are_named),
    TEST_CASE(lists_name_the_files_of_a_sequence),
    TEST_CASE(lists_of_other_programs_are_read),
    TEST_CASE(names_with_entities_are_found),
};
TEST_SUITE(vtk_xml, cases);
