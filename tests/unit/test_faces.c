/* SPDX-License-Identifier: MIT
   tests/unit/test_faces.c - sequences written as meshes (convert --mesh): faces, refused meshes.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    a second
   after   own design; tests/interop/formats/second reads all faces back */
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

/* A square and a triangle on five vertices, which move. */
static const char mesh[] = "# five\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\n"
                           "vt 0 0\ng sheet\nf 1/1 2/1 3/1 4/1\nf -4//1 -1//1 -3//1\n";
static const char table[] = "frame,index,x,y,z,vx,vy,vz\n"
                            "1,0,0,0,0,0,0,25\n1,1,1,0,0,0,0,25\n1,2,1,1,0,0,0,25\n"
                            "1,3,0,1,0,0,0,25\n1,4,2,0,0,0,0,25\n"
                            "2,0,0,0,1,0,0,25\n2,1,1,0,1,0,0,25\n2,2,1,1,1,0,0,25\n"
                            "2,3,0,1,1,0,0,25\n2,4,2,0,1,0,0,25\n";

static char *make_folder(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_file_write(test_text("%s/m.obj", folder), mesh, sizeof mesh - 1);
    return folder;
}

static void converts(const char *folder, const char *in, const char *out, const char *options,
                     int code, const char *text)
{
    test_expect(command_convert,
                test_text("convert %s/%s %s/%s%s", folder, in, folder, out, options), code, text);
}

static bool holds(const char *path, const void *bytes, size_t size)
{
    uint8_t *found = NULL;
    size_t found_size = 0;
    if (!CHECK_EQ(host_read_file(path, &found, &found_size), HOST_DONE)) return false;
    bool is_there = false;
    for (size_t at = 0; at + size <= found_size && !is_there; at++)
        is_there = memcmp(found + at, bytes, size) == 0;
    free(found);
    return is_there;
}

/* Alembic lists the corners of a face clockwise, USD counter-clockwise. */
static void faces_are_those_of_the_mesh(void)
{
    static const char usda[] = "    int[] faceVertexCounts = [4, 3]\n"
                               "    int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 2]\n"
                               "    uniform token subdivisionScheme = \"none\"\n";
    static const char ogawa[] = "\3\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\4\0\0\0\1\0\0\0";
    static const char crate[] = "\7\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0"
                                "\2\0\0\0";
    static const char *const endings[] = {"abc", "usda", "usdc"};
    char *folder = make_folder();
    for (size_t e = 0; e < 3; e++) {
        const char *file = test_text("m.%s", endings[e]);
        converts(folder, "t.csv", file,
                 test_text(" --mesh %s/m.obj --streams location,velocity --quiet", folder),
                 HOST_DONE, NULL);
        converts(folder, file, "b.csv", " --quiet", HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    }
    CHECK(holds(test_text("%s/m.abc", folder), ogawa, sizeof ogawa - 1));
    CHECK(holds(test_text("%s/m.abc", folder), "AbcGeom_PolyMesh_v1:.geom", 25));
    CHECK(holds(test_text("%s/m.usda", folder), usda, sizeof usda - 1));
    CHECK(holds(test_text("%s/m.usdc", folder), crate, sizeof crate - 1));
    test_folder_remove(folder);
}

static void a_mesh_reads_as_cloth(void)
{
    char *folder = make_folder();
    converts(folder, "t.csv", "m.abc", test_text(" --mesh %s/m.obj --quiet", folder), HOST_DONE,
             NULL);
    converts(folder, "m.abc", "c", " --to bphys --quiet", HOST_DONE, NULL);
    test_expect(command_convert,
                test_text("convert %s/c %s/c.usdc --mesh %s/m.obj --quiet", folder, folder, folder),
                HOST_DONE, NULL);
    converts(folder, "c.usdc", "b.csv", " --streams location,velocity --quiet", HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    test_folder_remove(folder);
}

/* A mesh that becomes points is told. */
static void skipped_faces_are_noted(void)
{
    char *folder = make_folder();
    const char *mesh_option = test_text(" --mesh %s/m.obj", folder);
    converts(folder, "t.csv", "m.usda", mesh_option, HOST_DONE, NULL);
    converts(folder, "m.usda", "p.abc", " --streams location", HOST_DONE,
             "the faces of the mesh are skipped: its vertices are written as points; --mesh "
             "FILE.obj writes a mesh");
    converts(folder, "m.usda", "n.csv", "", HOST_DONE,
             "the faces of the mesh are skipped: only its vertices are written");
    converts(folder, "m.usda", "m.abc", mesh_option, HOST_DONE, NULL);
    converts(folder, "m.abc", "q.usdc", "", HOST_DONE, "the faces of the mesh are skipped");
    test_folder_remove(folder);
}

static void expect_refused(const char *text, const char *message)
{
    char *folder = make_folder();
    test_file_write(test_text("%s/m.obj", folder), text, strlen(text));
    converts(folder, "t.csv", "m.abc", test_text(" --mesh %s/m.obj --quiet", folder),
             HOST_BAD_INPUT, message);
    CHECK_EQ(test_folder_count(folder), 2);
    test_folder_remove(folder);
}

static void what_is_no_mesh_of_the_points_is_refused(void)
{
    char *folder = make_folder();
    expect_refused("v 0 0 0\n", "m.obj: the mesh has no faces");
    expect_refused("v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face has fewer than three corners");
    expect_refused("v 0 0 0\nf 1 2 x\n", "line 2: expected the numbers of vertices");
    expect_refused("v 0 0 0\nf 1 1 0\n", "line 2: expected the numbers of vertices");
    expect_refused("v 0 0 0\nf 1 1 -2\n", "line 2: expected the numbers of vertices");
    expect_refused("v 0 0 0\nf 1 1 2\n", "a face has vertex 2, but there are 1");
    expect_refused("v 0 0 0\nf 1 1 1\n", "frame 1 has 5 points, but ");
    converts(folder, "t.csv", "m.ply", test_text(" --mesh %s/m.obj", folder), HOST_USAGE,
             "--mesh: format ply has no faces; abc, usda and usdc have");
    converts(folder, "t.csv", "m.usdc", " --mesh none.obj", HOST_IO, "none.obj: cannot open");
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(faces_are_those_of_the_mesh),
    TEST_CASE(a_mesh_reads_as_cloth),
    TEST_CASE(skipped_faces_are_noted),
    TEST_CASE(what_is_no_mesh_of_the_points_is_refused),
};
TEST_SUITE(faces, cases);
