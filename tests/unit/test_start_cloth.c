/* SPDX-License-Identifier: MIT
   tests/unit/test_start_cloth.c - sheets that start from a frame of a cache: those of the program
           go on to the same bits, those of Blender near its own simulation.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  small      cost    a second
   after   own design */
#include "../../host_tools/common/loop.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/bphys_help.h"
#include "../harness/world_help.h"
#include "start_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_run(int argc, char **argv);

/* ---- a run of the program */

/* Two sheets that touch each other, pins that a collider takes along and pins that move by
   themselves, drops that fall on them. */
static const char sheets[] =
    "world\n dimensions = 3\n particles = 150\n solver = cloth\n fps = 50\n"
    "species silk\n mass = 1 g\n radius = 1 cm\n"
    "cloth\n thickness = 3 cm\n air = 1\n%s"
    "sheet flag\n columns = 8\n rows = 7\n along = 0.05 0 0\n across = 0 0 -0.05\n pin = row 0\n"
    " species = silk\n moves_with = pole\n tether = 0\n"
    "sheet two\n position = 0 0.1 0\n columns = 8\n rows = 7\n along = 0.05 0 0\n"
    " across = 0 0 -0.05\n pin = row 0\n velocity = 0.1 0 0.02\n species = silk\n tether = 0\n"
    "emitter drops\n rate = 30\n position = 0.2 0.4 -0.2\n velocity = 0 -1 0\n"
    "collider pole\n shape = sphere\n radius = 0.1\n position = 0.2 -0.2 -0.2\n"
    "motion pole\n swing = 0 0 0.3\n"
    "field gravity\n kind = gravity\n acceleration = 0 -9.81 0\n"
    "run\n frames = 30\n%s";

static void scene_at(const char *folder, const char *name, const char *cloth, const char *start)
{
    const char *text = test_text(sheets, cloth, start);
    test_file_write(test_text("%s/%s.scene", folder, name), text, strlen(text));
}

static void saved_sheets_go_on_to_the_same_bits(void)
{
    static const char *const kinds[] = {"", " integrator = explicit\nsubsteps\n count_max = 60\n",
                                        " tear = 0.5\n"};
    for (int k = 0; k < 3; k++) {
        char *folder = test_folder_make();
        test_note("kind %d", k);
        scene_at(folder, "whole", kinds[k], "");
        scene_at(folder, "rest", kinds[k], "start\n cache = a.csv\n frame = 15\n");
        start_bakes(folder, "whole", "a.csv");
        start_hashes(folder, "whole", "rest", true);
        test_folder_remove(folder);
    }
}

static void what_a_cache_of_sheets_lacks_is_noted(void)
{
    char *folder = test_folder_make();
    scene_at(folder, "whole", " tear = 0.5\n", "");
    scene_at(folder, "rest", " tear = 0.5\n", "start\n cache = a.csv\n frame = 15\n");
    start_bakes(folder, "whole", "a.csv");
    host_quiet(false);
    test_expect(command_hash, test_text("hash %s/rest.scene", folder), HOST_DONE,
                "rest.scene:47: note: may go on near the run that wrote the cache instead of to "
                "its bits; a cache does not hold exactly: what has torn or yielded\n");
    test_folder_remove(folder);
}

/* ---- caches that Blender wrote */

static const char *here(void)
{
    static char path[4096];
    return CHECK(getcwd(path, sizeof path) != NULL) ? path : "";
}

static bool opens(stage *staged, const char *path)
{
    host_quiet(true);
    memset(staged, 0, sizeof *staged);
    return CHECK_EQ(stage_load(staged, "run", path, NULL, NULL), HOST_DONE) &&
           CHECK_EQ(stage_open(staged, 0), HOST_DONE);
}

static bool loads(const char *cache, int32_t number, host_frame *frame)
{
    host_sequence sequence;
    size_t position;
    const char *path = test_text("tests/fixtures/blender/%s/none", cache);
    if (!CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) return false;
    bool good = CHECK(host_sequence_find(&sequence, number, &position)) &&
                CHECK_EQ(host_sequence_load(&sequence, position, frame), HOST_DONE);
    host_sequence_close(&sequence);
    return good;
}

/* Positions have the bits of the file, in the axes of the scene: (x, z, -y); velocities those of a
   frame, times the frames per second. */
static void check_vertices(const stage *staged, const host_frame *frame, float fps)
{
    const float *x = frame->data[POINT_LOCATION], *v = frame->data[POINT_VELOCITY];
    tp_view view = tp_world_view(staged->world);
    CHECK_EQ(view.count, frame->count);
    for (uint32_t k = 0; k < view.count; k++, x += 3, v += 3) {
        CHECK_EQ(view.id[k], k);
        CHECK(view.x[k] == x[0] && view.y[k] == x[2] && view.z[k] == -x[1]);
        CHECK(view.vx[k] == fps * v[0] && view.vy[k] == fps * v[2] && view.vz[k] == -(fps * v[1]));
    }
}

/* Distances between the nodes and Blender's vertices, and how far these have come. */
typedef struct gap {
    double worst, mean, way;
} gap;

static gap gap_of(const tp_view *view, const host_frame *frame, const host_frame *from)
{
    gap result = {0, 0, 0};
    const float *x = frame->data[POINT_LOCATION], *old = from->data[POINT_LOCATION];
    for (uint32_t k = 0; k < view->count; k++, x += 3, old += 3) {
        double a[3] = {(double)view->x[k] - (double)x[0], (double)view->y[k] - (double)x[2],
                       (double)view->z[k] + (double)x[1]};
        double apart = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        result.worst = fmax(result.worst, apart);
        result.mean += apart / view->count;
        result.way = fmax(result.way, fabs((double)x[2] - (double)old[2]));
    }
    return result;
}

/* The sheet swings freely until frame 13, after which it meets a block in Blender. */
static void a_cloth_of_blender_goes_on_near_it(void)
{
    stage staged;
    host_frame from, frame;
    if (!opens(&staged, "tests/fixtures/blender/cloth.scene") || !loads("cloth_pinned", 8, &from))
        return;
    check_vertices(&staged, &from, 24.0f);
    for (int32_t number = 9; number <= 13; number++) {
        test_world_frames(staged.world, 1);
        if (!loads("cloth_pinned", number, &frame)) return;
        tp_view view = tp_world_view(staged.world);
        gap found = gap_of(&view, &frame, &from);
        test_note("frame %d: %g m at most, %g on average, of %g", (int)number, found.worst,
                  found.mean, found.way);
        CHECK(found.worst < 0.03 && found.mean < 0.01);
        CHECK(number < 13 || found.way > 0.35);
        host_frame_free(&frame);
    }
    host_frame_free(&from);
    stage_close(&staged);
}

/* Lines of a sheet, and the cache that it starts from. */
static const char start_of_sheets[] =
    "world\n dimensions = 3\n particles = 200\n solver = cloth\n fps = 32\n%s"
    "start\n cache = %s/tests/fixtures/blender/%s/none\n frame = 12\n";

static const char *write_start(const char *folder, const char *lines, const char *cache)
{
    const char *path = test_text("%s/b.scene", folder),
               *text = test_text(start_of_sheets, lines, here(), cache);
    test_file_write(path, text, strlen(text));
    return path;
}

/* A scene may name a file instead of a sequence and a frame. */
static void a_start_may_be_one_file(void)
{
    stage staged;
    host_frame from;
    char *folder = test_folder_make();
    const char *path = test_text("%s/b.scene", folder),
               *fixtures = test_text("%s/tests/fixtures/blender", here());
    const char *text =
        test_text("world\n dimensions = 3\n particles = 121\n solver = cloth\n fps = 24\n"
                  "sheet s\n mesh = %s/cloth_pinned/sheet.obj\n"
                  "start\n cache = %s/cloth_pinned/none/5368656574_000011_00.bphys\n",
                  fixtures, fixtures);
    test_file_write(path, text, strlen(text));
    if (opens(&staged, path) && loads("cloth_pinned", 11, &from)) {
        check_vertices(&staged, &from, 24.0f);
        host_frame_free(&from);
    }
    stage_close(&staged);
    test_folder_remove(folder);
}

/* Vertices of a lattice are the nodes of a block. */
static void a_soft_body_of_blender_is_a_block(void)
{
    stage staged;
    host_frame from;
    char *folder = test_folder_make();
    const char *path = write_start(folder,
                                   "sheet jelly\n columns = 3\n rows = 3\n layers = 3\n"
                                   " along = 0.5 0 0\n across = 0 0 -0.5\n deep = 0 0.5 0\n",
                                   "softbody");
    if (opens(&staged, path) && loads("softbody", 12, &from)) {
        check_vertices(&staged, &from, 32.0f);
        CHECK(staged.scene.start.count == 27);
        host_frame_free(&from);
    }
    stage_close(&staged);
    test_folder_remove(folder);
}

/* Hairs are ropes, one after the other; those of the fixture have six points. */
static void hair_of_blender_is_ropes(void)
{
    stage staged;
    host_frame from;
    char lines[2000] = "", *folder = test_folder_make();
    for (int k = 0; k < 12; k++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines),
                 "sheet hair%d\n columns = 6\n rows = 1\n along = 0.25 0 0\n", k);
    if (opens(&staged, write_start(folder, lines, "hair")) && loads("hair", 12, &from)) {
        tp_cloth_report report;
        check_vertices(&staged, &from, 32.0f);
        CHECK_EQ(tp_cloth_measure(staged.world, &report), TP_OK);
        CHECK(report.sheets == 12 && fabsf(report.stretch) < 0.02f);
        host_frame_free(&from);
    }
    stage_close(&staged);
    test_folder_remove(folder);
}

/* ---- caches for Blender */

/* A written frame of the start: header and positions are Blender's, and velocities to a unit of the
   last place; targets are those of the mesh, whose file has six digits. */
static void check_written(const char *path)
{
    size_t size, other_size;
    uint8_t *ours = NULL, *blenders = NULL;
    const char *other = test_fixture("cloth_pinned/none", "5368656574", 8);
    if (!CHECK_EQ(host_read_file(path, &ours, &size), HOST_DONE) ||
        !CHECK_EQ(host_read_file(other, &blenders, &other_size), HOST_DONE) ||
        !CHECK(size == other_size && size == 20 + 121 * 36))
        return;
    CHECK(memcmp(ours, blenders, 20) == 0);
    for (size_t k = 0; k < 121; k++) {
        float a[9], b[9];
        memcpy(a, ours + 20 + 36 * k, sizeof a);
        memcpy(b, blenders + 20 + 36 * k, sizeof b);
        CHECK(a[0] == b[0] && a[1] == b[1] && a[2] == b[2]);
        for (int i = 3; i < 6; i++) CHECK(fabsf(a[i] - b[i]) <= 1.2e-7f * fabsf(b[i]));
        for (int i = 6; i < 9; i++) CHECK(fabsf(a[i] - b[i]) <= 1.2e-7f);
    }
    free(ours);
    free(blenders);
}

static void a_bake_is_a_cache_of_that_cloth(void)
{
    char *folder = test_folder_make();
    test_expect(
        command_bake,
        test_text("bake tests/fixtures/blender/cloth.scene %s/sheet --frames 8-10 --quiet", folder),
        HOST_DONE, NULL);
    check_written(test_text("%s/sheet_000008_00.bphys", folder));
    CHECK(test_file_exists(test_text("%s/sheet_000010_00.bphys", folder)));
    CHECK(!test_file_exists(test_text("%s/sheet_000000_00.bphys", folder)));
    /* `run` writes the same files */
    test_expect(command_run,
                test_text("run tests/fixtures/blender/cloth.scene --frames 10 --out %s/run --quiet",
                          folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/sheet_000010_00.bphys", folder),
                           test_text("%s/run/cloth_000010_00.bphys", folder)));
    CHECK(!test_file_exists(test_text("%s/run/cloth_000000_00.bphys", folder)));
    test_expect(command_bake,
                test_text("bake tests/fixtures/blender/cloth.scene %s/sheet --frames 7-10", folder),
                HOST_USAGE, "the scene starts from frame 8; expected frames from it on");
    test_folder_remove(folder);
}

/* The row that a collider takes along is where it is now, other nodes are held where they rest. */
static void pinned_nodes_are_held_where_they_are(void)
{
    char *folder = test_folder_make();
    uint8_t *bytes = NULL;
    size_t size = 0;
    scene_at(folder, "a", "", "");
    const char *path = test_text("%s/out/a_000009_00.bphys", folder);
    test_expect(command_bake,
                test_text("bake %s/a.scene %s/out/a --frames 9-9 --type cloth --sheet flag --quiet",
                          folder, folder),
                HOST_DONE, NULL);
    bool good =
        CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE) && CHECK_EQ(size, 20 + 56 * 36);
    for (uint32_t k = 0; k < 56 && good; k++) {
        float row[9];
        memcpy(row, bytes + 20 + 36 * (size_t)k, sizeof row);
        if (k < 8) {
            CHECK(memcmp(row, row + 6, 3 * sizeof *row) == 0 && row[1] < -0.01f);
            continue;
        }
        CHECK_NEAR(row[6], 0.05 * (k % 8), 1e-6);
        CHECK_NEAR(row[7], 0.05 * (k / 8), 1e-6);
        CHECK(row[8] == 0.0f && row[2] != 0.0f);
    }
    free(bytes);
    test_folder_remove(folder);
}

static void a_cloth_keeps_its_vertices(void)
{
    char *folder = test_folder_make();
    scene_at(folder, "a", "", "sink s\n shape = plane\n normal = 0 1 0\n offset = -0.02\n");
    test_expect(command_bake, test_text("bake %s/a.scene %s/a --type cloth", folder, folder),
                HOST_BAD_INPUT,
                " of 112 nodes: a mesh keeps all its vertices; expected --type particles, or "
                "nothing that removes nodes\n");
    test_folder_remove(folder);
}

typedef struct written {
    uint32_t type, streams, count;
} written;

static written type_of(const char *folder, const char *options)
{
    written result = {POINT_TYPES, 0, 0};
    host_sequence sequence;
    host_frame frame;
    test_expect(
        command_bake,
        test_text("bake %s/a.scene %s/out/a --frames 5-5 --quiet %s", folder, folder, options),
        HOST_DONE, NULL);
    if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/out/a", folder), NULL), HOST_DONE))
        return result;
    if (CHECK_EQ(host_sequence_load(&sequence, 0, &frame), HOST_DONE)) {
        result = (written){sequence.type, sequence.streams, frame.count};
        host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
    return result;
}

static void the_type_of_a_bake_is_chosen(void)
{
    char *folder = test_folder_make();
    scene_at(folder, "a", "", "");
    written found = type_of(folder, ""); /* drops are no vertices */
    CHECK(found.type == POINT_PARTICLES && found.count > 112);
    found = type_of(folder, "--type softbody");
    CHECK(found.type == POINT_SOFTBODY && found.count == 112 && found.streams == 6);
    found = type_of(folder, "--type cloth --sheet two --compression zstd");
    CHECK(found.type == POINT_CLOTH && found.count == 56 && found.streams == 0x16);
    found = type_of(folder, "--sheet flag");
    CHECK(found.type == POINT_PARTICLES && found.count == 56);
    const char *refused = test_text("bake %s/a.scene %s/out/b", folder, folder);
    test_expect(command_bake, test_text("%s --type rigidbody", refused), HOST_USAGE,
                "--type is \"rigidbody\", expected particles, cloth or softbody");
    test_expect(command_bake, test_text("%s --sheet three", refused), HOST_USAGE,
                "--sheet is \"three\", expected the name of a sheet");
    test_expect(command_bake, test_text("%s.csv --type cloth", refused), HOST_USAGE,
                "csv files have no types");
    test_expect(command_bake, test_text("bake dam_break %s/out/b --type cloth", folder), HOST_USAGE,
                "--type expects a scene with sheets, found none");
    test_folder_remove(folder);
}

/* ---- mistakes */

static void caches_of_other_meshes_are_refused(void)
{
    static const char grid[] = "sheet s\n columns = 10\n rows = 12\n along = 0.2 0 0\n",
                      rope[] = "sheet s\n columns = 121\n rows = 1\n along = 0.2 0 0\n";
    char *folder = test_folder_make();
    test_expect(command_hash, test_text("hash %s", write_start(folder, grid, "cloth_pinned")),
                HOST_BAD_INPUT,
                "b.scene:11: field 'cache': frame 12 has 121 points, 120 of them with the indices "
                "of nodes; the sheets of the scene have 120 nodes: a mesh and its cache have the "
                "same vertices\n");
    test_expect(command_hash, test_text("hash %s", write_start(folder, grid, "newton_s1")),
                HOST_BAD_INPUT, "has 111 points, 111 of them with the indices");
    test_expect(command_hash, test_text("hash %s", write_start(folder, rope, "dynpaint_displace")),
                HOST_BAD_INPUT, "found a cache of dynamicpaint\n");
    test_expect(command_hash, test_text("hash %s", write_start(folder, "", "cloth_pinned")),
                HOST_BAD_INPUT, "found a cache of cloth, from which sheets can start\n");
    host_quiet(false);
    test_expect(command_hash, test_text("hash %s", write_start(folder, rope, "cloth_pinned")),
                HOST_DONE,
                "note: the edges of the sheets are 1.75 times as long in the cache as at rest: "
                "expected the vertices of the mesh in the order of the cache\n");
    test_folder_remove(folder);
}

/* Starts a sheet of 2 x 2 nodes from a file with these indices. */
static void indices_give(uint32_t type, uint32_t count, const uint32_t *ids, int code,
                         const char *message)
{
    static const char lines[] =
        "world\n dimensions = 3\n particles = 8\n solver = cloth\n"
        "sheet s\n columns = 2\n rows = 2\n along = 1 0 0\n across = 0 0 1\n"
        "start\n cache = a_000001_00.bphys\n";
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.scene", folder);
    file_bytes file = file_header(
        type, count, POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY),
        false);
    for (uint32_t k = 0; k < count; k++) {
        const float x[6] = {(float)(ids[k] % 2), 1, (float)(ids[k] / 2)};
        file_add_u32(&file, ids[k]);
        for (uint32_t i = 0; i < 6; i++) file_add_f32(&file, x[i]);
    }
    test_file_write(path, lines, sizeof lines - 1);
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file.bytes, file.size);
    test_expect(command_hash, test_text("hash %s", path), code, message);
    test_folder_remove(folder);
}

/* A mesh may have indices, in any order: they are those of the nodes, and of nothing else. */
static void indices_of_a_mesh_are_those_of_the_nodes(void)
{
    static const uint32_t from_one[] = {1, 2, 3, 4}, turned[] = {3, 2, 1, 0},
                          more[] = {0, 1, 2, 3, 4};
    for (uint32_t is_soft = 0; is_soft < 2; is_soft++) {
        const uint32_t type = is_soft ? POINT_SOFTBODY : POINT_CLOTH;
        indices_give(type, 4, turned, HOST_DONE, NULL);
        indices_give(type, 4, from_one, HOST_BAD_INPUT,
                     "frame 1 has 4 points, 3 of them with the indices of nodes; the sheets of "
                     "the scene have 4 nodes: a mesh and its cache have the same vertices\n");
        indices_give(type, 5, more, HOST_BAD_INPUT, "has 5 points, 4 of them with the indices");
    }
    indices_give(POINT_PARTICLES, 5, more, HOST_DONE, "particles of no emitter of this scene");
    indices_give(POINT_PARTICLES, 4, from_one, HOST_BAD_INPUT, "has 4 points, 3 of them with");
}

static const test_case start_cloth_cases[] = {
    TEST_CASE(saved_sheets_go_on_to_the_same_bits),
    TEST_CASE(what_a_cache_of_sheets_lacks_is_noted),
    TEST_CASE(a_cloth_of_blender_goes_on_near_it),
    TEST_CASE(a_start_may_be_one_file),
    TEST_CASE(a_soft_body_of_blender_is_a_block),
    TEST_CASE(hair_of_blender_is_ropes),
    TEST_CASE(a_bake_is_a_cache_of_that_cloth),
    TEST_CASE(pinned_nodes_are_held_where_they_are),
    TEST_CASE(a_cloth_keeps_its_vertices),
    TEST_CASE(the_type_of_a_bake_is_chosen),
    TEST_CASE(caches_of_other_meshes_are_refused),
    TEST_CASE(indices_of_a_mesh_are_those_of_the_nodes),
};
TEST_SUITE(start_cloth, start_cloth_cases);
