/* SPDX-License-Identifier: MIT
   tests/unit/test_scene_cloth.c - sheets of scene files: grids, ropes, meshes, pins, pins that move
           with a collider, triangles for pictures; mistakes are told.
   reads   texts below      writes  an .obj file in a temporary folder
   memory  small      cost    five seconds
   after   own design */
#include "common/loop.h"
#include "common/scene.h"
#include "files_help.h"
#include "scene_help.h"
#include "world_help.h"
#include "move/body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOTH                                                               \
    "world\n dimensions = 3\n particles = 40\n solver = cloth\n fps = 60\n" \
    "species silk\n mass = 1 g\n radius = 1 cm\n"
#define GRID "sheet flag\n columns = 4\n rows = 3\n along = 0.1 0 0\n across = 0 -0.1 0\n"

static void sheets_are_grids_and_ropes(void)
{
    scene_attempt this;
    tp_cloth_report report;
    if (!scene_takes(&this,
                     CLOTH GRID
                     " position = 1 2 3 m\n pin = row 0\n pin = vertex 11\n species = silk\n"
                     "sheet rope\n columns = 5\n rows = 1\n along = 0.2 0 0\n pin = column 4\n"
                     " tether = 2\n stretch = 0.5\n",
                     "."))
        return;
    tp_view view = tp_world_view(this.world);
    CHECK_EQ(view.count, 12 + 5);
    CHECK(view.x[0] == 1.0f && view.y[0] == 2.0f && view.z[0] == 3.0f);
    CHECK_NEAR(view.y[11], 2 - 0.2, 1e-6);
    CHECK_EQ(tp_cloth_measure(this.world, &report), TP_OK);
    CHECK_EQ(report.sheets, 2);
    CHECK_EQ(report.pinned, 4 + 1 + 1);
    CHECK_EQ(this.result.world.cloth.constraints_max, 6 * 17);
    scene_drop(&this);
}

/* Explicit springs take the steps that they need, and a block needs the other integrator. */
static void sheets_may_be_explicit_springs(void)
{
    scene_attempt this;
    tp_cloth_report report;
    if (!scene_takes(&this,
                     CLOTH "substeps\n count_max = 60\ncloth\n integrator = explicit\n" GRID
                           " species = silk\n stretch = 0.001\n shear = 0.001\n bend = 1\n",
                     "."))
        return;
    CHECK_EQ(this.result.world.cloth.integrator, TP_CLOTH_EXPLICIT);
    CHECK_EQ(tp_frame(this.world, NULL, NULL), TP_OK);
    CHECK_EQ(tp_cloth_measure(this.world, &report), TP_OK);
    CHECK(report.timestep_stable > 3.5e-4f && report.timestep_stable < 3.7e-4f);
    CHECK_EQ(report.softened, 0);
    scene_drop(&this);
    scene_refuses(CLOTH "cloth\n integrator = springs\n" GRID, "integrator");
    scene_refuses(CLOTH "cloth\n integrator = explicit\n" GRID " layers = 2\n deep = 0 0 0.1\n",
                  "blocks need integrator = xpbd");
}

static void sheets_may_be_implicit_springs(void)
{
    scene_attempt this;
    if (!scene_takes(&this, CLOTH "cloth\n integrator = implicit\n iterations = 30\n" GRID, "."))
        return;
    CHECK_EQ(this.result.world.cloth.integrator, TP_CLOTH_IMPLICIT);
    CHECK_EQ(this.result.world.cloth.iterations, 30);
    scene_drop(&this);
    scene_refuses(CLOTH "cloth\n iterations = 0\n" GRID, "field 'iterations'");
    scene_refuses(CLOTH "cloth\n iterations = 101\n" GRID, "field 'iterations'");
    scene_refuses(CLOTH "cloth\n integrator = implicit\n" GRID " layers = 2\n deep = 0 0 0.1\n",
                  "blocks need integrator = xpbd");
}

/* A tie keeps what it finds at the start: the distance of two nodes, the point of a collider. */
static void nodes_are_tied_to_nodes_and_colliders(void)
{
    const char *rope = "sheet rope\n columns = 3\n rows = 1\n position = 0 1 0 m\n";
    scene_attempt this;
    char text[512];
    tp_cloth_report report;
    snprintf(text, sizeof text,
             "%s%s%s tie = vertex 2 to ball\n tie = vertex 0 to flag vertex 11\n"
             " tie_strength = 5\ncollider ball\n shape = sphere\n position = 0.5 1 0 m\n"
             " radius = 0.1 m\n mass = 1 kg\n",
             CLOTH, GRID, rope);
    if (!scene_takes(&this, text, ".")) return;
    CHECK_EQ(tp_cloth_measure(this.world, &report), TP_OK);
    CHECK_EQ(report.ties, 2);
    CHECK_EQ(tp_frame(this.world, NULL, NULL), TP_OK);
    float pull = 1;
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(tp_cloth_pull(this.world, k, &pull), TP_OK);
        CHECK(pull > -1e-3f && pull < 1e-3f);
    }
    scene_drop(&this);
    snprintf(text, sizeof text, "%s%s%s tie = vertex 0 to ball\n", CLOTH, GRID, rope);
    scene_refuses(text, "no collider is named 'ball'");
    snprintf(text, sizeof text, "%s%s%s tie = vertex 0 to flag vertex 12\n", CLOTH, GRID, rope);
    scene_refuses(text, "12 is too large; allowed: 0 to 11");
    snprintf(text, sizeof text, "%s%s%s tie = vertex 0\n", CLOTH, GRID, rope);
    scene_refuses(text, "needs 'vertex N to COLLIDER'");
}

/* Two triangles for each square of a grid, none for a rope. */
static void surfaces_are_triangles_between_nodes(void)
{
    scene_attempt this;
    uint32_t triangles[36] = {0}, wanted[] = {5, 6, 9, 6, 10, 9};
    if (!scene_takes(&this, CLOTH "sheet rope\n columns = 5\n rows = 1\n along = 0.1 0 0\n" GRID,
                     "."))
        return;
    CHECK_EQ(scene_sheet_triangles(&this.result, NULL), 12);
    CHECK_EQ(scene_sheet_triangles(&this.result, triangles), 12);
    CHECK(memcmp(triangles, wanted, sizeof wanted) == 0);
    scene_drop(&this);
}

static void a_mesh_is_read_from_a_file(void)
{
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    scene_attempt this;
    tp_cloth_report report;
    char *folder = test_folder_make();
    test_file_write(test_text("%s/square.obj", folder), mesh, sizeof mesh - 1);
    if (scene_takes(&this, CLOTH "sheet square\n mesh = square.obj\n pin = vertex 3\n", folder)) {
        uint32_t triangles[6] = {0}, wanted[] = {0, 1, 2, 0, 2, 3};
        CHECK_EQ(tp_cloth_measure(this.world, &report), TP_OK);
        CHECK_EQ(report.nodes, 4);
        CHECK_EQ(report.constraints, 6); /* five edges, one bend */
        CHECK_EQ(report.pinned, 1);
        CHECK_EQ(scene_sheet_triangles(&this.result, triangles), 2);
        CHECK(memcmp(triangles, wanted, sizeof wanted) == 0);
        scene_drop(&this);
    }
    test_folder_remove(folder);
}

/* The same square with z up, one face, in two encodings and with both names of its corners. */
static void a_mesh_may_be_a_ply_file(void)
{
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nproperty float nx\nelement face 1\n"
        "property list uchar uint vertex_indices\nend_header\n"
        "0 0 0 1\n1 0 0 1\n1 0 1 1\n0 0 1 1\n4 0 1 2 3\n";
    static const char binary[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\n"
        "property list uchar ushort vertex_index\nproperty uchar red\nend_header\n"
        "\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\x80\x3f\0\0\0\0\0\0\0\0"
        "\0\0\x80\x3f\0\0\0\0\0\0\x80\x3f"
        "\0\0\0\0\0\0\0\0\0\0\x80\x3f"
        "\4\0\0\1\0\2\0\3\0\xff";
    scene_attempt this;
    tp_cloth_report report;
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.ply", folder), text, sizeof text - 1);
    test_file_write(test_text("%s/b.ply", folder), binary, sizeof binary - 1);
    for (int k = 0; k < 2; k++) {
        const char *lines =
            test_text(CLOTH "sheet square\n mesh = %s.ply\n up = z\n", k ? "b" : "a");
        uint32_t triangles[6] = {0}, wanted[] = {0, 1, 2, 0, 2, 3};
        if (!scene_takes(&this, lines, folder)) continue;
        tp_view view = tp_world_view(this.world);
        CHECK_EQ(tp_cloth_measure(this.world, &report), TP_OK);
        CHECK(report.nodes == 4 && report.constraints == 6);
        CHECK(view.x[2] == 1.0f && view.y[2] == 1.0f && view.z[2] == 0.0f);
        CHECK_EQ(scene_sheet_triangles(&this.result, triangles), 2);
        CHECK(memcmp(triangles, wanted, sizeof wanted) == 0);
        scene_drop(&this);
    }
    test_folder_remove(folder);
}

static void ply_files_that_are_no_mesh_are_told(void)
{
    static const char *const faces[][2] = {
        {"", "expected an element face with a list vertex_indices, found none"},
        {"element face 0\nproperty list uchar int vertex_indices\nend_header\n",
         "holds no triangle"},
        {"element face 1\nproperty list uchar int vertex_indices\nend_header\n2 0 1\n",
         "line 12: expected a face of at least 3 corners"},
        {"element face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 3\n",
         "line 12: expected the number of a vertex from 0, found another corner"},
        {"element face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 -1\n",
         "line 12: expected the number of a vertex"},
    };
    static const char head[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\n";
    char *folder = test_folder_make();
    scene_attempt this = {.text = CLOTH "sheet square\n mesh = a.ply\n", .folder = folder};
    for (size_t k = 0; k < sizeof faces / sizeof faces[0]; k++) {
        const char *rows = strstr(faces[k][0], "end_header\n");
        int length = rows ? (int)(rows - faces[k][0]) : 0;
        const char *text = test_text("%s%.*send_header\n0 0 0\n1 0 0\n0 1 0\n%s", head, length,
                                     faces[k][0], rows ? rows + 11 : "");
        test_file_write(test_text("%s/a.ply", folder), text, strlen(text));
        char *errors = test_errors_of(scene_try, &this);
        test_note("%s", errors);
        CHECK(this.code == HOST_BAD_INPUT && strstr(errors, faces[k][1]) != NULL);
        CHECK(strstr(errors, "field 'mesh': 'a.ply' is no mesh of triangles") != NULL);
        free(errors);
    }
    test_folder_remove(folder);
}

static void load_scene(void *attempt)
{
    scene_attempt *this = attempt;
    this->code = scene_load(&this->result, this->text);
    if (this->code == HOST_DONE) scene_free(&this->result);
}

/* Two triangles of an edge are usual, three are a mistake or a seam; of a line nothing is made. */
static void shared_edges_and_lines_of_meshes_are_told(void)
{
    static const char *const rows[][2] = {
        {"v 0 1 1\nf 1 2 3\nf 1 3 4\n", NULL},
        {"v 0 1 1\nf 1 2 3\nf 1 3 4\nf 3 1 5\nf 3 4 5\n",
         "a.scene:10: note: edges of the mesh of sheet 'square' with more than two triangles: 1;"},
    };
    char *folder = test_folder_make();
    scene_attempt this = {.text = test_text("%s/a.scene", folder), .folder = folder};
    const char *text = CLOTH "sheet square\n mesh = a.obj\n";
    test_file_write(this.text, text, strlen(text));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const char *mesh = test_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n%s", rows[k][0]);
        test_file_write(test_text("%s/a.obj", folder), mesh, strlen(mesh));
        char *errors = test_errors_of(load_scene, &this);
        test_note("%s", errors);
        CHECK(rows[k][1] ? strstr(errors, rows[k][1]) != NULL : errors[0] == 0);
        free(errors);
    }
    static const char line[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n";
    test_file_write(test_text("%s/b.obj", folder), line, sizeof line - 1);
    this.text = CLOTH "sheet square\n mesh = b.obj\n";
    char *errors = test_errors_of(scene_try, &this);
    test_note("%s", errors);
    CHECK(strstr(errors, "must not lie on a line") != NULL);
    free(errors);
    test_folder_remove(folder);
}

/* The collider turns about its centre and swings: the pinned row keeps its place relative to it. */
static void pins_move_with_a_collider(void)
{
    scene_attempt this;
    if (!scene_takes(&this,
                     CLOTH GRID
                     " position = 0.2 0 0 m\n pin = row 0\n moves_with = pole\n"
                     "collider pole\n shape = sphere\n radius = 1 cm\n position = 0 1 0\n"
                     "motion pole\n swing = 0 0 0.3\n period = 2 s\n spin = 90\n"
                     "field gravity\n kind = gravity\n acceleration = 0 -9.81 0\n",
                     "."))
        return;
    for (uint32_t frame = 1; frame <= 60; frame++) {
        scene_move(&this.result, this.world, frame);
        test_world_frames(this.world, 1);
        double seconds = frame / 60.0, angle = -90 * seconds * 3.14159265358979 / 180,
               swing = 0.3 * sin(3.14159265358979 * seconds);
        tp_view view = tp_world_view(this.world);
        for (uint32_t k = 0; k < 4; k++) {
            double away = 0.2 + 0.1 * k;
            test_note("frame %u, node %u", frame, k);
            CHECK_NEAR(view.x[k], away * cos(angle), 1e-4);
            CHECK_NEAR(view.y[k], 0, 1e-4);
            CHECK_NEAR(view.z[k], swing + away * sin(angle), 1e-4);
        }
    }
    CHECK(tp_world_view(this.world).y[8] < -0.15f); /* the last row hangs */
    scene_drop(&this);
}

/* A block of 3 x 2 x 4 nodes after a grid of 12, on whose triangles alone air acts. */
static void a_sheet_of_several_layers_is_a_block(void)
{
    scene_attempt this;
    tp_cloth_report report;
    uint32_t triangles[3 * 56] = {0}, corners[24] = {0};
    if (!scene_takes(&this,
                     CLOTH "cloth\n air = 0.5\n" GRID
                           "sheet jelly\n columns = 3\n rows = 2\n layers = 4\n pin = row 1\n"
                           " position = 1 2 3\n along = 0.1 0 0\n across = 0 0.1 0\n"
                           " deep = 0 0 0.2\n volume = 1e-4\n",
                     "."))
        return;
    CHECK_EQ(tp_cloth_measure(this.world, &report), TP_OK);
    CHECK_EQ(report.nodes, 12 + 24);
    CHECK_EQ(report.tetrahedra, 5 * 6);
    CHECK_EQ(report.pinned, 3 * 4);
    CHECK_EQ(report.triangles, 12);
    CHECK_EQ(this.result.world.cloth.tetrahedra_max, 5 * 6);
    CHECK_EQ(this.result.world.cloth.triangles_max, 12);
    CHECK_NEAR(tp_world_view(this.world).z[12 + 23], 3.6, 1e-5);
    CHECK_EQ(scene_sheet_triangles(&this.result, NULL), 12 + 2 * 2 * (2 + 6 + 3));
    CHECK_EQ(scene_sheet_triangles(&this.result, triangles), 56);
    for (uint32_t k = 3 * 12; k < 3 * 56; k++)
        if (CHECK(triangles[k] >= 12 && triangles[k] < 36)) corners[triangles[k] - 12]++;
    for (uint32_t node = 0; node < 24; node++) CHECK(corners[node] > 0); /* none is inside */
    scene_drop(&this);
}

static void sheets_have_a_thickness(void)
{
    scene_attempt this;
    if (!scene_takes(&this, CLOTH GRID "cloth\n thickness = 8 cm\n friction = 0.25\n", ".")) return;
    CHECK_NEAR(this.result.world.cloth.thickness, 0.08, 1e-8);
    CHECK_EQ(this.result.world.cloth.friction, 0.25f);
    scene_drop(&this);
}

/* A sheet that wears makes the world wear, and other sheets then do not. */
static void sheets_tear_and_yield_by_their_own(void)
{
    scene_attempt this;
    if (!scene_takes(&this,
                     CLOTH GRID "sheet rag\n columns = 4\n rows = 3\n along = 0.1 0 0\n"
                                " across = 0 0.1 0\n tether = 0\n tear = 0.25\n yield_max = 2\n",
                     "."))
        return;
    CHECK_EQ(this.result.world.cloth.tear, 0.25f);
    CHECK_EQ(this.result.world.cloth.yield, 0.0f);
    CHECK_EQ(this.result.sheets[0].def.tear, 0.0f);
    CHECK_EQ(this.result.sheets[1].def.tear, 0.25f);
    CHECK_EQ(this.result.sheets[1].def.yield_max, 2.0f);
    scene_drop(&this);
    scene_refuses(CLOTH GRID " tear = -0.5\n", "field 'tear'");
    scene_refuses(CLOTH GRID " tear = 0.5\n", "field 'tether': must be 0");
}

/* The rag has 12 nodes of 40 particles; 28 are spare. */
static void nodes_split_within_the_particles(void)
{
    scene_attempt this;
    if (!scene_takes(&this, CLOTH GRID " tether = 0\ncloth\n tear = 0.5\n splits = 28\n", "."))
        return;
    CHECK_EQ(this.result.world.cloth.splits_max, 28);
    CHECK_EQ(this.result.world.cloth.constraints_max, 6 * 12 + 2 * 28);
    CHECK(!scene_is_cloth(&this.result));
    scene_drop(&this);
    scene_refuses(CLOTH GRID " tether = 0\ncloth\n tear = 0.5\n splits = 29\n",
                  "the sheets and 'splits' have 41 nodes, but the world has 40 particles");
    scene_refuses(CLOTH GRID "cloth\n splits = 2\n", "splits (cloth) needs tear (cloth)");
}

/* The shipped scene: after three seconds the third cube lies on the first two, and the fourth on
   the third; the mean kinetic energy of a node is below 1e-6 J. */
static void cubes_of_jelly_come_to_rest_on_one_another(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "jelly_stack") == HOST_DONE &&
               stage_open(&opened, 0) == HOST_DONE))
        return;
    test_world_frames(opened.world, 180);
    double height[4] = {0}, energy = 0;
    tp_view view = tp_world_view(opened.world);
    CHECK_EQ(view.count, 4 * 512);
    for (uint32_t i = 0; i < view.count; i++) {
        height[i / 512] += view.y[i] / 512;
        energy += 0.5e-3 *
                  (view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i] + view.vz[i] * view.vz[i]) /
                  view.count;
        CHECK(view.y[i] > 0.02f);
    }
    test_note("heights %.3f %.3f %.3f %.3f, energy %.2e J", height[0], height[1], height[2],
              height[3], energy);
    CHECK(height[0] > 0.15 && height[1] > 0.15 && fabs(height[0] - height[1]) < 0.05);
    CHECK(height[2] > height[0] + 0.3 && height[3] > height[2] + 0.3);
    CHECK(energy < 1e-6);
    stage_close(&opened);
}

/* J: of all nodes and bodies. */
static double moving_energy(const tp_world *world)
{
    double energy = 0;
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++)
        energy +=
            0.5 * (double)world->def.species[tpi_words(world, world->arrays.meta)[i] & 7].mass *
            ((double)view.vx[i] * (double)view.vx[i] + (double)view.vy[i] * (double)view.vy[i] +
             (double)view.vz[i] * (double)view.vz[i]);
    for (uint32_t k = 0; k < world->def.bodies_max; k++) {
        const tpi_body_item *body = tpi_body_at(world, k);
        tpi_body_motion motion = tpi_body_motion_of(world, body, &body->now);
        energy += 0.5 * (double)body->mass * (double)tpi_dot(motion.velocity, motion.velocity);
    }
    return energy;
}

/* The shipped scenes: after ten seconds three bodies lie on cloth, between these heights, and the
   mean kinetic energy of a node is below 1e-6 J, with that of the bodies. */
static void bodies_come_to_rest_on_cloth(void)
{
    static const struct {
        const char *name;
        float low, high;
    } scenes[] = {{"hammock", 0.6f, 0.8f}, {"rope_bridge", 0.6f, 0.75f}};
    for (uint32_t s = 0; s < 2; s++) {
        if (!test_runs(s + 1, 2)) continue;
        stage opened;
        memset(&opened, 0, sizeof opened);
        if (!CHECK(scene_load(&opened.scene, scenes[s].name) == HOST_DONE &&
                   stage_open(&opened, 0) == HOST_DONE))
            return;
        test_world_frames(opened.world, 600);
        CHECK_EQ(opened.world->def.bodies_max, 3);
        for (uint32_t k = 0; k < 3; k++) {
            tp_vector at = tpi_body_at(opened.world, k)->pose.position;
            test_note("%s: body %u at %.3f %.3f %.3f", scenes[s].name, k, (double)at.x,
                      (double)at.y, (double)at.z);
            CHECK(at.y > scenes[s].low && at.y < scenes[s].high && fabs((double)at.x) < 0.5);
        }
        double energy = moving_energy(opened.world) / tp_world_view(opened.world).count;
        test_note("%s: %.2e J a node", scenes[s].name, energy);
        CHECK(energy < 1e-6);
        stage_close(&opened);
    }
}

static void bad_sheets_are_told(void)
{
    scene_refuses(CLOTH GRID "cloth\n thickness = -1 cm\n", "field 'thickness'");
    scene_refuses(CLOTH GRID " pin = corner\n", "field 'pin': 'corner' names no nodes");
    scene_refuses(CLOTH GRID " pin = row -1\n", "field 'pin'");
    scene_refuses(CLOTH GRID " pin = row 3\n", "field 'pin': 3 is too large; allowed: 0 to 2");
    scene_refuses(CLOTH GRID " pin = vertex 12\n", "field 'pin': 12 is too large");
    scene_refuses(CLOTH GRID " tether = 0.5\n", "field 'tether'");
    scene_refuses(CLOTH GRID " along = 0 0 0\n", "field 'along'");
    scene_refuses(CLOTH GRID " species = wool\n", "field 'species': 'wool'");
    scene_refuses(CLOTH GRID " moves_with = pole\n",
                  "field 'moves_with': no collider is named 'pole'");
    scene_refuses(CLOTH GRID
                  " moves_with = boat\ncollider boat\n shape = sphere\n radius = 1\n mass = 1\n",
                  "field 'moves_with': 'boat' floats");
    scene_refuses(CLOTH GRID " mesh = nothing.obj\n", "field 'mesh'");
    scene_refuses(CLOTH GRID " layers = 0\n", "field 'layers'");
    scene_refuses(CLOTH GRID " layers = 4\n", "raise 'particles'");
    scene_refuses(CLOTH GRID " layers = 2\n deep = 0 0 0\n", "field 'deep'");
    scene_refuses(CLOTH "sheet rope\n columns = 5\n rows = 1\n layers = 2\n",
                  "field 'layers': a block needs");
    scene_refuses(
        "world\n dimensions = 2\n particles = 40\n solver = cloth\n"
        "sheet flag\n columns = 4\n rows = 3\n along = 0.1 0\n across = 0 -0.1\n layers = 2\n",
        "cloth.tetrahedra_max must be 0 in 2D");
    scene_refuses(CLOTH "sheet flag\n columns = 7\n rows = 6\n", "raise 'particles'");
    scene_refuses("world\n dimensions = 3\n particles = 40\n" GRID, "solver = cloth");
}

static void view_is(const char *text, const tp_vector low, const tp_vector high)
{
    scene_attempt this;
    if (!scene_takes(&this, text, ".")) return;
    const tp_vector from = this.result.view_low, to = this.result.view_high;
    test_note("%g %g %g to %g %g %g", (double)from.x, (double)from.y, (double)from.z, (double)to.x,
              (double)to.y, (double)to.z);
    CHECK_NEAR(from.x, low.x, 1e-5);
    CHECK_NEAR(from.y, low.y, 1e-5);
    CHECK_NEAR(from.z, low.z, 1e-5);
    CHECK_NEAR(to.x, high.x, 1e-5);
    CHECK_NEAR(to.y, high.y, 1e-5);
    CHECK_NEAR(to.z, high.z, 1e-5);
    scene_drop(&this);
}

/* A rope from 1 2 3 along x, 0.8 m, hangs 0.8 m down from a pin at its end, 0.4 m from two. */
static void pictures_show_where_sheets_can_hang(void)
{
    static const char rope[] = CLOTH "sheet rope\n columns = 5\n rows = 1\n along = 0.2 0 0\n"
                                     " position = 1 2 3 m\n species = silk\n";
    char text[600];
    view_is(rope, (tp_vector){1, 2, 2.6f}, (tp_vector){1.8f, 2.8f, 3.4f});
    snprintf(text, sizeof text, "%s pin = column 4\n", rope);
    view_is(text, (tp_vector){1, 1.2f, 2.6f}, (tp_vector){1.8f, 2, 3.4f});
    snprintf(text, sizeof text, "%s pin = column 0\n pin = column 4\n", rope);
    view_is(text, (tp_vector){1, 1.6f, 2.6f}, (tp_vector){1.8f, 2, 3.4f});
    snprintf(text, sizeof text, "%s pin = column 4\ncollider floor\n shape = plane\n", rope);
    view_is(text, (tp_vector){1, 0, 2}, (tp_vector){1.8f, 2, 4});
    snprintf(text, sizeof text,
             "%scollider ball\n shape = sphere\n radius = 3 m\n position = 0 1 0 m\n", rope);
    view_is(text, (tp_vector){-3, -2, -3}, (tp_vector){3, 4, 3});
}

static const test_case cases[] = {
    TEST_CASE(sheets_are_grids_and_ropes),
    TEST_CASE(sheets_may_be_explicit_springs),
    TEST_CASE(sheets_may_be_implicit_springs),
    TEST_CASE(nodes_are_tied_to_nodes_and_colliders),
    TEST_CASE(surfaces_are_triangles_between_nodes),
    TEST_CASE(a_mesh_is_read_from_a_file),
    TEST_CASE(a_mesh_may_be_a_ply_file),
    TEST_CASE(ply_files_that_are_no_mesh_are_told),
    TEST_CASE(shared_edges_and_lines_of_meshes_are_told),
    TEST_CASE(pins_move_with_a_collider),
    TEST_CASE(a_sheet_of_several_layers_is_a_block),
    TEST_CASE(sheets_have_a_thickness),
    TEST_CASE(sheets_tear_and_yield_by_their_own),
    TEST_CASE(nodes_split_within_the_particles),
    TEST_CASE(pictures_show_where_sheets_can_hang),
    TEST_CASE(bad_sheets_are_told),
    TEST_CASE(cubes_of_jelly_come_to_rest_on_one_another),
    TEST_CASE(bodies_come_to_rest_on_cloth),
};
TEST_SUITE(scene_cloth, cases);
