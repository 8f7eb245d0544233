/* SPDX-License-Identifier: MIT
   tests/unit/test_vtk.c - reads and writes points of legacy VTK files: bytes by hand, damaged
           files.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the VTK file formats document, simple legacy formats */
#include "../harness/formats_help.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

#define HEAD_OF(kind, dataset) \
    "# vtk DataFile Version 3.0\ntidepool\n" kind "\nDATASET " dataset "\n"
#define HEAD(kind)  HEAD_OF(kind, "POLYDATA")
#define TEXT_POINTS "POINTS 2 float\n1 -2 0.5\n0.100000001 9.9999461e-41 3.00000001e+38\n"
#define TEXT_DATA                                                                         \
    "POINT_DATA 2\nFIELD FieldData 2\nindex 1 2 unsigned_int\n0\n3\nvelocity 3 2 float\n" \
    "0 -0 1\n4 5 6\n"

static const char golden_text[] = HEAD_OF("ASCII", "UNSTRUCTURED_GRID") TEXT_POINTS
    "CELLS 2 4\n1 0\n1 1\nCELL_TYPES 2\n1\n1\n" TEXT_DATA;
static const char polydata_text[] = HEAD("ASCII") TEXT_POINTS "VERTICES 2 4\n1 0\n1 1\n" TEXT_DATA;
static const char golden_binary[] = HEAD_OF(
    "BINARY",
    "UNSTRUCTURED_GRID") "POINTS 2 float\n"
                         "\77\200\0\0\300\0\0\0\77\0\0\0\75\314\314\315\0\1\26\302\177\141\261\346"
                         "\n"
                         "CELLS 2 4\n\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1\nCELL_TYPES "
                         "2\n\0\0\0\1\0\0\0\1\n"
                         "POINT_DATA 2\nFIELD FieldData 2\n"
                         "index 1 2 unsigned_int\n\0\0\0\0\0\0\0\3\nvelocity 3 2 float\n"
                         "\0\0\0\0\200\0\0\0\77\200\0\0\100\200\0\0\100\240\0\0\100\300\0\0\n";

static void bytes_written_are_those_of_the_format(void)
{
    host_frame frame;
    test_format_points(&frame);
    test_format_written("a.vtk", ENCODING_ASCII, &frame, golden_text, sizeof golden_text - 1);
    test_format_written("a.vtk", ENCODING_DEFAULT, &frame, golden_binary, sizeof golden_binary - 1);
    host_frame_free(&frame);
}

static void bytes_read_are_the_points(void)
{
    test_format_has_points("a_7.vtk", golden_text, sizeof golden_text - 1);
    test_format_has_points("a_7.vtk", golden_binary, sizeof golden_binary - 1);
    test_format_has_points("a_7.vtk", polydata_text, sizeof polydata_text - 1);
}

static void any_float_survives(void)
{
    for (int e = ENCODING_DEFAULT; e <= ENCODING_ASCII; e++) {
        test_format_round_trip("a.vtk", (host_encoding)e, POINT_ALL & ~POINT_BIT(POINT_BOIDS),
                               true);
        test_format_round_trip("b_*.vtk", (host_encoding)e, POINT_BIT(POINT_LOCATION), false);
    }
}

/* The points alone are a valid file: the data after them may be missing, but not half of it. */
static void every_cut_is_told(void)
{
    size_t points = (size_t)(strstr(golden_text, "CELLS") - golden_text);
    test_format_cuts("a.vtk", golden_text, sizeof golden_text - 1, points);
    size_t binary_points = strlen(HEAD_OF("BINARY", "UNSTRUCTURED_GRID") "POINTS 2 float\n") + 24;
    test_format_cuts("a.vtk", golden_binary, sizeof golden_binary - 2, binary_points);
}

/* Checks the notes of a conversion: one line each, each once. */
static void expect_notes(const char *text, size_t size, const char *const *notes, size_t count)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.vtk", folder), text, size);
    test_output output =
        test_command(command_convert, test_text("convert %s/a.vtk %s/a.csv", folder, folder));
    test_note("%s", output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    size_t lines = 0;
    for (const char *at = output.errors; (at = strchr(at, '\n')); at++) lines++;
    CHECK_EQ(lines, count);
    for (size_t i = 0; i < count; i++) CHECK(strstr(output.errors, notes[i]) != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Cells of both layouts, attributes of every kind, also of cells, and metadata. */
static void what_is_no_point_is_passed_over(void)
{
    static const char text[] =
        "# vtk DataFile Version 5.1\nan example\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData "
        "1\nTIME 1 "
        "1 double\n"
        "0.5\nMETADATA\nINFORMATION 0\n\nPOINTS 2 double\n1 2 3\n4 5 6\nCELLS 2 2\nOFFSETS "
        "vtktypeint64\n0 "
        "2\n"
        "CONNECTIVITY vtktypeint64\n0 1\nCELL_TYPES 1\n3\nCELL_DATA 1\nSCALARS velocity float 3\n"
        "LOOKUP_TABLE default\n9 9 9\nPOINT_DATA 2\nSCALARS radius double\nLOOKUP_TABLE mine\n0.5 "
        "0.25\n"
        "LOOKUP_TABLE mine 1\n1 1 1 1\nVECTORS Velocity float\n1 0 0\n0 1 0\nNORMALS n float\n0 0 "
        "1 0 0 1\n"
        "COLOR_SCALARS c 2\n0 1 0 1\nTEXTURE_COORDINATES t 2 float\n0 0 1 1\nTENSORS s float\n"
        "1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1\nSCALARS id int 1\nLOOKUP_TABLE default\n8 4\n";
    static const char *const notes[] = {
        "array \"TIME\" is", "array \"n\" is", "array \"c\" is",
        "array \"t\" is",    "array \"s\" is", "note: cells and their data are skipped\n"};
    static const char points[] =
        HEAD("ASCII") "POINTS 2 float\n1 2 3\n4 5 6\nVERTICES 2 4\n1 0 1 1\nPOINT_DATA 2\n";
    expect_notes(text, sizeof text - 1, notes, sizeof notes / sizeof notes[0]);
    expect_notes(points, sizeof points - 1, NULL, 0);
    host_frame frame;
    if (!test_format_load("a.vtk", text, sizeof text - 1, 0, &frame)) return;
    const float *places = frame.data[POINT_LOCATION], *speeds = frame.data[POINT_VELOCITY];
    const uint32_t *indices = frame.data[POINT_INDEX];
    CHECK(frame.count == 2 && indices[0] == 4 && indices[1] == 8 && places[0] == 4 &&
          places[3] == 1);
    CHECK(speeds && speeds[0] == 0 && speeds[1] == 1 && frame.data[POINT_SIZE] &&
          ((float *)frame.data[POINT_SIZE])[0] == 0.25f);
    host_frame_free(&frame);
}

/* Checks the list that ParaView opens; `expected` NULL: there is none. */
static void expect_series(const char *name, const char *expected)
{
    char *bytes = NULL;
    size_t size = 0;
    test_note("%s", name);
    if (!expected) CHECK(!test_file_exists(name));
    if (!expected || !CHECK(test_file_exists(name))) return;
    if (!CHECK_EQ(host_read_file(name, (uint8_t **)&bytes, &size), HOST_DONE)) return;
    CHECK(strcmp(bytes, expected) == 0);
    free(bytes);
}

#define SERIES(rows)    "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n" rows "\n  ]\n}\n"
#define ROW(name, time) "    {\"name\": \"" name "\", \"time\": " time "}"

/* The list gives each file the time of its frame. A share adds its files to those of the others. */
static void a_series_lists_all_frames(void)
{
    static const char text[] = "frame,index,x,y,z\n2,0,1,2,3\n12,0,1,2,3\n22,0,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), text, sizeof text - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.vtk --quiet", folder, folder),
                HOST_DONE, NULL);
    expect_series(
        test_text("%s/a.vtk.series", folder),
        SERIES(ROW("a.0002.vtk", "2") ",\n" ROW("a.0012.vtk", "12") ",\n" ROW("a.0022.vtk", "22")));
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/b_*.vtk --frames 12 --quiet", folder, folder),
                HOST_DONE, NULL);
    expect_series(test_text("%s/b.vtk.series", folder), SERIES(ROW("b_0012.vtk", "12")));
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/b_*.vtk --frames 2 --quiet", folder, folder),
                HOST_DONE, NULL);
    expect_series(test_text("%s/b.vtk.series", folder),
                  SERIES(ROW("b_0002.vtk", "2") ",\n" ROW("b_0012.vtk", "12")));
    test_file_write(test_text("%s/one.csv", folder), text,
                    strlen("frame,index,x,y,z\n2,0,1,2,3\n"));
    test_expect(command_convert, test_text("convert %s/one.csv %s/one.vtk --quiet", folder, folder),
                HOST_DONE, NULL);
    expect_series(test_text("%s/one.vtk.series", folder), NULL);
    test_expect(command_convert, test_text("convert %s/t.csv %s/c.ply --quiet", folder, folder),
                HOST_DONE, NULL);
    expect_series(test_text("%s/c.ply.series", folder), NULL);
    test_folder_remove(folder);
}

static void faults_are_named_by_place(void)
{
    static const char *const faults[][2] = {
        {"", ": line 1: expected \"# vtk DataFile Version\""},
        {"# vtk DataFile Version 3.0\nt\nXML\n", ": line 3: expected ASCII or BINARY"},
        {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
         ": line 4: the dataset is neither POLYDATA"},
        {HEAD("ASCII"), "the file ends before its section POINTS"},
        {HEAD("ASCII") "POINTS 1 bit\n0 0 0\n", ": line 5: expected \"POINTS COUNT TYPE\""},
        {HEAD("ASCII") "POINTS 1 float\n0 0 zero\n", ": line 6: \"zero\" is not a number"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1e39\n", ": line 6: a number does not fit in 32 bits"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1\nPOINTS 1 float\n0 0 1\n",
         ": line 7: a second section POINTS"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1\nPOINT_DATA 2\n",
         ": line 7: POINT_DATA has another number of rows"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1\nSCALARS a float\n",
         ": line 7: an attribute before POINT_DATA"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1\nPOINT_DATA 1\nSCALARS index float\nLOOKUP_TABLE "
                       "default\n1.5\n",
         ": line 10: an index is not a whole number"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1\nPOINT_DATA 1\nFIELD f 1\na 1 2 float\n1 2\n",
         ": line 9: an array has another number of rows"},
        {HEAD("ASCII") "POINTS 1 float\n0 0 1\nSURPRISE 1\n", ": line 7: the section is unknown"},
        {HEAD("BINARY") "POINTS 4000000000 float\nabc", "the file ends inside a section"},
        {HEAD("ASCII") "POINTS 4294967295 float\n1 2 3\n", "the file ends inside a section"},
        {HEAD("ASCII") "POINTS 4294967296 float\n1 2 3\n",
         ": line 5: expected \"POINTS COUNT TYPE\""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        test_format_refused("a.vtk", faults[i][0], strlen(faults[i][0]), faults[i][1]);
}

static const test_case cases[] = {
    TEST_CASE(bytes_written_are_those_of_the_format),
    TEST_CASE(bytes_read_are_the_points),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(what_is_no_point_is_passed_over),
    TEST_CASE(a_series_lists_all_frames),
    TEST_CASE(faults_are_named_by_place),
};
TEST_SUITE(vtk, cases);
