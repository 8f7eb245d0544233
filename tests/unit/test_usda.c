/* SPDX-License-Identifier: MIT
   tests/unit/test_usda.c - text files of Universal Scene Description: round trips, text by hand,
           cuts, faults.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   the text form of OpenUSD */
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_render(int argc, char **argv);
int command_info(int argc, char **argv);

/* The points of test_format_points, as they are written. */
static const char written[] =
    "#usda 1.0\n"
    "(\n"
    "    defaultPrim = \"points\"\n"
    "    startTimeCode = 7\n"
    "    endTimeCode = 7\n"
    "    framesPerSecond = 25\n"
    "    timeCodesPerSecond = 25\n"
    "    metersPerUnit = 1\n"
    "    upAxis = \"Z\"\n"
    ")\n"
    "\n"
    "def Points \"points\"\n"
    "{\n"
    "    point3f[] points.timeSamples = {\n"
    "        7: [(1, -2, 0.5), (0.100000001, 9.9999461e-41, 3.00000001e+38)],\n"
    "    }\n"
    "    vector3f[] velocities.timeSamples = {\n"
    "        7: [(0, -0, 1), (4, 5, 6)],\n"
    "    }\n"
    "    int64[] ids.timeSamples = {\n"
    "        7: [0, 3],\n"
    "    }\n"
    "    float3[] extent.timeSamples = {\n"
    "        7: [(0.100000001, -2, 0.5), (1, 9.9999461e-41, 3.00000001e+38)],\n"
    "    }\n"
    "}\n";

/* The same by other writers: comments, texts with marks, prims around it, lines of any shape. */
static const char by_hand[] =
    "#usda 1.0\n"
    "(\n"
    "    \"\"\"A comment with \" and ) and\n"
    "    def Points \\\"\"\"\"\n"
    "    customLayerData = {\n"
    "        string who = 'x = {'\n"
    "        dictionary more = { int[] a = [1, 2]; asset b = @a/b@ }\n"
    "    }\n"
    "    subLayers = [ @other.usda@ ]\n"
    "    timeCodesPerSecond = 50\n"
    "    upAxis = 'Z' # )\n"
    ")\n"
    "over \"nothing\" {}\n"
    "class Points \"model\" { point3f[] points = [(9, 9, 9)] }\n"
    "def Xform \"above\" (\n"
    "    kind = \"group\"\n"
    "    prepend apiSchemas = [\"A\"]\n"
    "    variants = { string v = \"one\" }\n"
    ")\n"
    "{\n"
    "    double3 xformOp:translate = (0, 0, 0)\n"
    "    float xformOp:rotateX:unitsResolve = 0\n"
    "    double3 xformOp:scale = (1, 1, 1)\n"
    "    quatf xformOp:orient = (1, 0, 0, 0)\n"
    "    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:scale\"]\n"
    "    token visibility.timeSamples = { 1: \"inherited\", 2: None }\n"
    "    variantSet \"v\" = {\n"
    "        \"one\" { def Points \"hidden\" { point3f[] points = [] } }\n"
    "    }\n"
    "    def Points \"cloud\"\n"
    "    {\n"
    "        custom rel material:binding = </a/b>\n"
    "        rel empty\n"
    "        point3f[] points\n"
    "        point3f[] points.timeSamples = {\n"
    "            9: [], 7:[( 1,-2.0,.5 ),\n"
    "                # a comment ]\n"
    "                (1e-1, 1e-40, 3e38)],\n"
    "            7.5: [(1, 2, 3)]\n"
    "        }\n"
    "        vector3f[] velocities = [(0, -0, 1), (4, 5, 6)] ( doc = \"of )\" )\n"
    "        vector3f[] velocities.connect = </x.y>\n"
    "        int64[] ids.timeSamples = { 7: [0, 3], 9: None }\n"
    "        float[] widths = [2] ( interpolation = \"constant\" ); float[] other = [1, 2, 3]\n"
    "        color3f[] primvars:displayColor = [(1, 0, 0)] (\n"
    "            interpolation = \"constant\"\n"
    "        )\n"
    "    }\n"
    "    def Mesh \"beside\" { int[] faceVertexCounts = [] }\n"
    "}\n";

static void converts(const char *folder, const char *in, const char *out, const char *options,
                     int code, const char *text)
{
    test_expect(command_convert,
                test_text("convert %s/%s %s/%s%s", folder, in, folder, out, options), code, text);
}

static char *make_folder(const char *name, const char *text)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/%s", folder, name), text, strlen(text));
    return folder;
}

/* ---- writing and reading */

static void written_text_is_that_by_hand(void)
{
    host_sink sink;
    host_frame frame;
    char *folder = make_folder("wanted", written);
    const char *path = test_text("%s/a.usda", folder);
    test_format_points(&frame);
    host_sink_options options = {.type = POINT_PARTICLES, .streams = frame.streams};
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &options), HOST_DONE)) {
        CHECK_EQ(host_sink_write(&sink, &frame), HOST_DONE);
        CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
        CHECK(test_files_equal(path, test_text("%s/wanted", folder)));
    }
    host_frame_free(&frame);
    test_folder_remove(folder);
}

static void text_of_other_writers_is_read(void)
{
    host_frame frame;
    test_format_has_points("a.usda", written, sizeof written - 1);
    test_format_has_points("a.usda", by_hand, sizeof by_hand - 1);
    if (test_format_load("a.usda", by_hand, sizeof by_hand - 1, 0, &frame)) {
        const float *sizes = frame.data[POINT_SIZE];
        CHECK(sizes && sizes[0] == 1 && sizes[1] == 1); /* one width for all */
        host_frame_free(&frame);
    }
    if (test_format_load("a.usda", by_hand, sizeof by_hand - 1, 1, &frame)) {
        CHECK(frame.number == 9 && frame.count == 0);
        host_frame_free(&frame);
    }
    char *folder = make_folder("a.usda", by_hand);
    converts(folder, "a.usda", "a.csv", "", HOST_DONE, "1 mesh beside the points skipped");
    converts(folder, "a.usda", "a.csv", "", HOST_DONE,
             "1 of 3 samples lie between whole time codes and are skipped");
    test_folder_remove(folder);
}

static void any_float_survives(void)
{
    const uint32_t streams =
        POINT_ALL & ~POINT_BIT(POINT_BOIDS) & ~POINT_BIT(POINT_SIZE) & ~POINT_BIT(POINT_INDEX);
    test_format_round_trip("a.usda", ENCODING_DEFAULT, streams, false);
    test_format_round_trip("a.usda", ENCODING_DEFAULT, streams, true);
    test_format_round_trip("a.usda", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), true);
}

static void tables_come_back(void)
{
    static const char *const tables[] = {
        "frame,index,x,y,z,size\n1,4,1,2,3,0.100000001\n1,7,1,2,3,1.70141173e+38\n"
        "2,4,1,2,3,1.40129846e-45\n2,7,1,2,3,-5\n",
        "frame,index,x,y,z\n-4,0,1,2,3\n-1,0,1,2,4\n5,0,1,2,5\n5,1,1,2,5\n",
        "frame,index,x,y,z,size\n1,4,inf,-inf,nan,inf\n"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char *folder = make_folder("t.csv", tables[i]);
        test_note("table %zu", i);
        converts(folder, "t.csv", "a.usda", " --quiet", HOST_DONE, NULL);
        converts(folder, "a.usda", "b.csv", " --quiet", HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
        test_folder_remove(folder);
    }
    char *folder = make_folder("t.csv", "frame,index,x,y,z,size\n1,0,1,2,3,1.8e38\n");
    converts(folder, "t.csv", "a.usda", "", HOST_BAD_INPUT,
             "has the size 1.79999996e+38, but .usda holds widths up to 3.4e38");
    CHECK_EQ(test_folder_count(folder), 1); /* no a.usda */
    test_folder_remove(folder);
}

static void frames_may_lack_a_stream(void) { test_format_lacks("a.usda"); }

static bool holds(const char *path, const char *text)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return false;
    bool found = strstr((const char *)bytes, text) != NULL;
    free(bytes);
    return found;
}

/* The text form has the word nan, but no sign before it. */
static void no_nan_has_a_sign(void)
{
    host_sink sink;
    host_frame frame;
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.usda", folder);
    test_format_points(&frame);
    const uint32_t negative = 0xffc00000u;
    memcpy(frame.data[POINT_LOCATION], &negative, sizeof negative);
    host_sink_options options = {.type = POINT_PARTICLES, .streams = frame.streams};
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &options), HOST_DONE)) {
        CHECK_EQ(host_sink_write(&sink, &frame), HOST_DONE);
        CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
        CHECK(holds(path, "7: [(nan, -2, 0.5), "));
    }
    host_frame_free(&frame);
    test_folder_remove(folder);
}

static void meshes_are_cloth(void)
{
    static const char mesh[] =
        "#usda 1.0\n(upAxis=\"Z\")\ndef Mesh \"m\" {\n point3f[] points.timeSamples = { 1: [(1, "
        "2, 3)], 2: [(1, 2, 4)] }\n vector3f[] velocities = [(0, 0, 24)]\n}\n";
    char *folder = make_folder("a.usda", mesh);
    converts(folder, "a.usda", "c.bphys", " --quiet", HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/c %s/b.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (CHECK_EQ(host_read_file(test_text("%s/b.csv", folder), &bytes, &size), HOST_DONE))
        CHECK(strstr((const char *)bytes, "2,0,1,2,4,0,0,1\n") != NULL); /* per frame */
    free(bytes);
    test_folder_remove(folder);
}

/* ---- axes and rates */

/* A clip states the rate of its frames; its velocities become those per second at that rate. */
static void a_clip_keeps_its_rate(void)
{
    static const char table[] = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,0,25,50\n";
    char *folder = make_folder("t.csv", table);
    converts(folder, "t.csv", "a.tpc", " --quiet --fps 50", HOST_DONE, NULL);
    converts(folder, "a.tpc", "a.usda", " --quiet", HOST_DONE, NULL);
    const char *path = test_text("%s/a.usda", folder);
    CHECK(holds(path, "timeCodesPerSecond = 50"));
    CHECK(holds(path, "1: [(0, 25, 50)]"));
    converts(folder, "a.tpc", "b.tpc", " --quiet", HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/a.tpc", folder), test_text("%s/b.tpc", folder)));
    converts(folder, "a.tpc", "b.usda", " --quiet --fps 25", HOST_DONE, NULL);
    CHECK(holds(test_text("%s/b.usda", folder), "1: [(0, 12.5, 25)]"));
    test_folder_remove(folder);
}

static char axis_shown(const char *path)
{
    static const char name[] = "\"up_axis\": \"";
    test_output output = test_command(command_info, test_text("info %s --json", path));
    const char *at = strstr(output.standard, name);
    char axis = '?';
    if (CHECK_EQ(output.code, HOST_DONE) && CHECK(at != NULL)) axis = at[sizeof name - 1];
    test_output_free(&output);
    return axis;
}

/* UsdGeomGetFallbackUpAxis: a stage without upAxis is y-up. */
static void without_an_up_axis_y_points_up(void)
{
    static const char plain[] = "#usda 1.0\ndef Points \"p\" { point3f[] points = [(1, 3, -2)] }\n";
    char *folder = make_folder("a.usda", plain);
    CHECK_EQ(axis_shown(test_text("%s/a.usda", folder)), 'y');
    converts(folder, "a.usda", "c.bphys", " --quiet", HOST_DONE, NULL);
    test_expect(command_convert,
                test_text("convert %s/c %s/c.csv --quiet --streams index,location", folder, folder),
                HOST_DONE, NULL);
    CHECK(holds(test_text("%s/c.csv", folder), "1,0,1,2,3\n"));
    converts(folder, "a.usda", "b.usdc", " --quiet", HOST_DONE, NULL);
    CHECK_EQ(axis_shown(test_text("%s/b.usdc", folder)), 'y');
    test_folder_remove(folder);
}

/* The picture of a file that states its axis is that of the file that it was made from. */
static void pictures_are_upright(void)
{
    static const char table[] = "frame,index,x,y,z\n1,0,0,0,0\n1,1,3,0,1\n1,2,1,2,5\n1,3,2,1,2\n";
    static const char *const names[3] = {"p.csv", "p.tpc", "p.usda"};
    char *folder = make_folder("z.csv", table);
    converts(folder, "z.csv", "p.tpc", " --quiet", HOST_DONE, NULL);
    converts(folder, "p.tpc", "p.usda", " --quiet", HOST_DONE, NULL);
    converts(folder, "p.tpc", "p.csv", " --quiet --axis y-up", HOST_DONE, NULL);
    for (int i = 0; i < 3; i++)
        test_expect(command_render,
                    test_text("render %s/%s --frame 1 --size 60x40 --quiet --out %s/%d.png", folder,
                              names[i], folder, i),
                    HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/0.png", folder), test_text("%s/1.png", folder)));
    CHECK(test_files_equal(test_text("%s/1.png", folder), test_text("%s/2.png", folder)));
    test_folder_remove(folder);
}

/* What the file states of its axis is believed, unless --axis says otherwise. */
static void the_up_axis_is_stated(void)
{
    static const char table[] =
        "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,0,25,50\n2,0,1,2,3,0,25,50\n";
    char *folder = make_folder("t.csv", table);
    converts(folder, "t.csv", "c.bphys", " --quiet", HOST_DONE, NULL);
    for (int y = 0; y < 2; y++) {
        test_expect(command_convert,
                    test_text("convert %s/c %s/a.usda --quiet%s", folder, folder,
                              y ? " --axis y-up --fps 50" : ""),
                    HOST_DONE, NULL);
        const char *path = test_text("%s/a.usda", folder);
        CHECK(holds(path, y ? "upAxis = \"Y\"" : "upAxis = \"Z\""));
        CHECK_EQ(axis_shown(path), y ? 'y' : 'z');
        CHECK(holds(path, y ? "timeCodesPerSecond = 50" : "timeCodesPerSecond = 25"));
        CHECK(holds(path, y ? "1: [(1, 3, -2)]" : "1: [(1, 2, 3)]"));
        CHECK(holds(path, y ? "1: [(0, 100, -50)]" : "1: [(0, 25, 50)]"));
        converts(folder, "a.usda", "d.bphys", " --quiet", HOST_DONE, NULL);
        test_expect(command_convert,
                    test_text("convert %s/d %s/e.csv --quiet --streams index,location,velocity",
                              folder, folder),
                    HOST_DONE, NULL);
        CHECK(holds(test_text("%s/e.csv", folder), "1,0,1,2,3,0,25,50\n"));
        converts(folder, "a.usda", "f.usda", " --quiet", HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/a.usda", folder), test_text("%s/f.usda", folder)));
    }
    converts(folder, "a.usda", "g.bphys", " --quiet --axis z-up", HOST_DONE, NULL);
    test_expect(command_convert,
                test_text("convert %s/g %s/h.csv --quiet --streams index,location", folder, folder),
                HOST_DONE, NULL);
    CHECK(holds(test_text("%s/h.csv", folder), "1,0,1,3,-2\n"));
    test_folder_remove(folder);
}

/* ---- damage */

/* Without the line end after the last bracket, which nothing needs. */
static void every_cut_is_told(void)
{
    test_format_cuts("a.usda", written, sizeof written - 2, sizeof written - 2);
    test_format_cuts("a.usda", by_hand, sizeof by_hand - 2, sizeof by_hand - 2);
}

static void every_change_is_read_or_refused(void)
{
    test_format_changes("a.usda", written, sizeof written - 1);
    test_format_changes("a.usda", by_hand, sizeof by_hand - 1);
}

/* A text in the file by hand, what stands there instead, and the message. */
typedef struct fault {
    const char *from, *to, *message;
} fault;

static const fault faults[] = {
    {"#usda", "#usdb", ":0: expected #usda or PXR-USDC, with which a file of USD begins"},
    {"#usda 1.", "PXR-USDC", ":8: has version 48.10 of the format"},
    {"def Points \"cloud\"", "def Pointz \"cloud\"",
     "the prim \"beside\" has no attribute \"points\""},
    {"def Mesh \"beside\"", "def Points \"more\"",
     "holds 2 prims of type Points, the first one \"cloud\", expected one"},
    {"(0, 0, 0)\n", "(0, 0, 2)\n", "the prim \"above\" has a transform, which is not read"},
    {"rotateX:unitsResolve = 0", "rotateX:unitsResolve = 9", "has a transform, which is not read"},
    {"(1, 1, 1)\n", "(1, 0, 1)\n", "the prim \"above\" has a transform, which is not read"},
    {"(1, 0, 0, 0)\n", "(0, 0, 0, 1)\n", "the prim \"above\" has a transform, which is not read"},
    {"(0, 0, 1, 0)", "(0, 5, 1, 0)", "the prim \"above\" has a transform, which is not read"},
    {"token visibility", "float  xformOp:x",
     "the prim \"above\" has a transform, which is not read"},
    {"[( 1,-2.0,.5 )", "[( 1,-2.0,.x )", "\".x\" is not a number"},
    {"[( 1,-2.0,.5 )", "[( 1,-2.0     )", "expected ,, found \")\""},
    {"3e38)]", "3e39)]", "\"3e39\" is not a number that fits in 32 bits"},
    {"9: []", "x: []", "expected the time of a sample, found \"x:\""},
    {"9: []", "9, []", "expected a colon after a time, found \",\""},
    {"9: []", "7: []", "two samples have the time 7"},
    {"9: []", "9: 12", "\"12\" is not an array, which starts with ["},
    {"[0, 3]", "[0, 0]", "1 of 2 points repeat the number of another point"},
    {"[0, 3]", "[0,-3]", "the number of a point is \"-3\", expected 0 to 4294967295"},
    {"[0, 3]", "[0, 3,4]", "ids at 7 has 3 items, which do not fit 2 points"},
    {"[0, 3]", "(0, 3]", "expected a value, found \"]\""},
    {"over \"nothing\" {}", "over nothing {}",
     "expected the name of a prim in quotes, found \"{\""},
    {"over \"nothing\" {}", "over \"nothing\" []",
     "expected { after the name of a prim, found \"[\""},
    {"over \"nothing\"", "= \"nothing\"", "expected a prim, found \"=\""},
    {"variantSet \"v\" =", "variantSet \"v\" :", "expected a set of variants, found \":\""},
};

static void faults_are_named(void)
{
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        const char *at = strstr(by_hand, faults[f].from);
        test_note("fault %zu", f);
        if (!CHECK(at != NULL)) continue;
        char *text = host_text("%.*s%s%s", (int)(at - by_hand), by_hand, faults[f].to,
                               at + strlen(faults[f].from));
        test_format_refused("a.usda", text, strlen(text), faults[f].message);
        free(text);
    }
    test_format_refused("a.usda", "#usda 1.0\ndef Xform \"x\" {}\n", 27,
                        "holds no prim of type Points and no Mesh");
}

static const test_case cases[] = {
    TEST_CASE(written_text_is_that_by_hand),
    TEST_CASE(text_of_other_writers_is_read),
    TEST_CASE(any_float_survives),
    TEST_CASE(tables_come_back),
    TEST_CASE(frames_may_lack_a_stream),
    TEST_CASE(no_nan_has_a_sign),
    TEST_CASE(meshes_are_cloth),
    TEST_CASE(a_clip_keeps_its_rate),
    TEST_CASE(without_an_up_axis_y_points_up),
    TEST_CASE(pictures_are_upright),
    TEST_CASE(the_up_axis_is_stated),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(every_change_is_read_or_refused),
    TEST_CASE(faults_are_named),
};
TEST_SUITE(usda, cases);
