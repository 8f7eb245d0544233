/* SPDX-License-Identifier: MIT
   tests/unit/test_start.c - scenes that start from a frame of a cache: those of the program go on
           to the same bits, those of Blender have its points.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  small      cost    about a second
   after   own design */
#include "../../host_tools/common/loop.h"
#include "../../host_tools/formats/formats.h"
#include "start_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_convert(int argc, char **argv);
int command_run(int argc, char **argv);

/* A bar of putty, and drops that live for a while, of an emitter that moves; a wall that swings. */
static const char putty[] =
    "world\n dimensions = 2\n particles = 600\n solver = sph\n fps = %s\n"
    " births = yes\n"
    "sph\n formulation = double_density\n springs_max = 18\n spring_stiffness = 2500\n"
    " spring_plasticity = 2\n springs_at_rest = yes\n"
    "substeps\n count = 6\n count_max = %d\n"
    "species putty\n rest_density = 82\n"
    "species drops\n rest_density = 82\n mass = 0.5\n"
    "emitter bar\n shape = box\n position = 2 1\n size = 0.9 0.6\n"
    " lattice = 0.12\n burst = fill\n"
    "emitter rain\n position = 2 3\n rate = 40\n lifetime = 0.3 s\n"
    " lifetime_jitter = 0.5\n species = drops\n velocity_jitter = 1\n"
    "motion rain\n swing = 0.5 0\n"
    "sink old\n shape = age\n age = 0.5 s\n species = drops\n"
    "field gravity\n kind = gravity\n acceleration = 0 -9.81\n"
    "collider floor\n shape = plane\n normal = 0 1\n"
    "collider wall\n shape = box\n half = 0.2 2\n position = 0 1\n"
    "motion wall\n swing = 0.4 0\n"
    "run\n frames = 40\n%s";

static void scene_at(const char *folder, const char *name, const char *fps, const char *start)
{
    const char *text = test_text(putty, fps, strcmp(fps, "50") == 0 ? 6 : 8, start);
    test_file_write(test_text("%s/%s.scene", folder, name), text, strlen(text));
}

static void a_saved_run_goes_on_to_the_same_bits(void)
{
    char *folder = test_folder_make();
    scene_at(folder, "whole", "50", "");
    scene_at(folder, "rest", "50", "start\n cache = a\n frame = 25\n");
    start_bakes(folder, "whole", "a");
    start_bakes(folder, "rest", "b");
    CHECK(!test_file_exists(test_text("%s/b_000025_00.bphys", folder)));
    for (int frame = 26; frame <= 40; frame += 7)
        CHECK(test_files_equal(test_text("%s/a_%06d_00.bphys", folder, frame),
                               test_text("%s/b_%06d_00.bphys", folder, frame)));
    start_hashes(folder, "whole", "rest", true);
    /* `run` records what `bake` writes */
    test_expect(command_run, test_text("run %s/rest.scene --quiet --out %s/r", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/a_000040_00.bphys", folder),
                           test_text("%s/r/rest_000040_00.bphys", folder)));
    test_folder_remove(folder);
}

/* In a clip the velocities have Blender's unit too. In a table they have that of the scene, but no
   springs: the fluid makes new ones. */
static void what_a_cache_does_not_hold_is_noted(void)
{
    char *folder = test_folder_make();
    scene_at(folder, "whole", "60", "");
    start_bakes(folder, "whole", "a.tpc");
    start_bakes(folder, "whole", "t.csv");
    scene_at(folder, "clip", "60", "start\n cache = a.tpc\n frame = 30\n");
    scene_at(folder, "table", "60", "start\n cache = t.csv\n");
    host_quiet(false);
    test_expect(command_hash, test_text("hash %s/clip.scene", folder), HOST_DONE,
                "clip.scene:54: note: may go on near the run that wrote the cache instead of to "
                "its bits; a cache does not hold exactly: velocities, rounded unless fps is 12.5, "
                "25, 50 or 100; how short the last steps were, unless count is count_max\n");
    start_hashes(folder, "whole", "clip", false);
    test_expect(command_hash, test_text("hash %s/table.scene --frames 41", folder), HOST_DONE,
                "count is count_max; springs\n");
    test_folder_remove(folder);
}

/* ---- caches that Blender wrote */

static const char blender[] = "world\n dimensions = 3\n particles = 500\n solver = %s\n fps = 25\n"
                              " births = yes\n%s"
                              "emitter more\n rate = 50\n start = %d\n"
                              "run\n frames = 30\n"
                              "start\n cache = %s/tests/fixtures/blender/%s\n frame = %d\n%s";

static bool opens(stage *staged, const char *folder, const char *text)
{
    const char *path = test_text("%s/b.scene", folder);
    test_file_write(path, text, strlen(text));
    host_quiet(true);
    memset(staged, 0, sizeof *staged);
    return CHECK_EQ(stage_load(staged, "run", path, NULL, NULL), HOST_DONE) &&
           CHECK_EQ(stage_open(staged, 0), HOST_DONE);
}

static const char *here(void)
{
    static char path[4096];
    return CHECK(getcwd(path, sizeof path) != NULL) ? path : "";
}

/* Positions and velocities have the bits of the file, in the axes of the scene: (x, z, -y). */
static void check_points(const stage *staged, const host_frame *frame)
{
    const float *x = frame->data[POINT_LOCATION], *v = frame->data[POINT_VELOCITY];
    tp_view view = tp_world_view(staged->world);
    CHECK_EQ(view.count, frame->count);
    for (uint32_t k = 0, i; k < view.count; k++) {
        if (!CHECK(host_frame_find(frame, view.id[k], &i))) return;
        const float *at = x + 3 * (size_t)i, *speed = v + 3 * (size_t)i;
        CHECK(view.x[k] == at[0] && view.y[k] == at[2] && view.z[k] == -at[1]);
        CHECK(view.vx[k] == speed[0] && view.vy[k] == speed[2] && view.vz[k] == -speed[1]);
    }
}

static void a_fluid_of_blender_starts_with_its_springs(void)
{
    char *folder = test_folder_make();
    host_sequence sequence;
    host_frame frame;
    stage staged;
    uint32_t springs = 0, id;
    size_t at = 0;
    const char *text = test_text(blender, "sph",
                                 "sph\n formulation = double_density\n springs_max = 32\n "
                                 "smoothing_radius = 0.6\n spring_stiffness = 9\n",
                                 100, here(), "sph_adaptive/heavy", 10, "");
    if (opens(&staged, folder, text)) {
        CHECK_EQ(host_sequence_open(&sequence, "tests/fixtures/blender/sph_adaptive/none", NULL),
                 HOST_DONE);
        CHECK(host_sequence_find(&sequence, 10, &at));
        CHECK_EQ(host_sequence_load(&sequence, at, &frame), HOST_DONE);
        check_points(&staged, &frame);
        CHECK_EQ(frame.extra[EXTRA_SPRINGS].count, 4663);
        CHECK_EQ(tp_springs_get(staged.world, NULL, &springs), TP_OK);
        CHECK_EQ(springs, 1511); /* pairs: Blender keeps some twice */
        CHECK_EQ(tp_particle_add(staged.world, (tp_vector){0, 9, 0}, (tp_vector){0, 0, 0}, 0, &id),
                 TP_OK);
        CHECK_EQ(id, 64);
        CHECK_EQ(tp_frame(staged.world, NULL, NULL), TP_OK);
        host_frame_free(&frame);
        host_sequence_close(&sequence);
    }
    stage_close(&staged);
    host_quiet(false);
    test_folder_remove(folder);
}

/* USD states its axis: z here. */
static void points_of_a_file_that_states_z_up_are_turned(void)
{
    char *folder = test_folder_make();
    host_frame frame;
    host_sequence sequence;
    stage staged;
    test_expect(command_convert,
                test_text("convert tests/fixtures/blender/newton_s1/none %s/a.usdc --fps 25 "
                          "--frames 11-11 --quiet",
                          folder),
                HOST_DONE, NULL);
    const char *text = test_text("world\n dimensions = 3\n particles = 500\n solver = none\n "
                                 "fps = 25\nrun\n frames = 30\nstart\n cache = a.usdc\n frame = "
                                 "11\n species = particles\n");
    if (opens(&staged, folder, text)) {
        CHECK_EQ(host_sequence_open(&sequence, test_text("%s/a.usdc", folder), NULL), HOST_DONE);
        CHECK_EQ(host_sequence_find_times(&sequence), HOST_DONE);
        CHECK_EQ(host_sequence_load(&sequence, 0, &frame), HOST_DONE);
        CHECK_EQ(host_sequence_keep_alive(&sequence, &frame), HOST_DONE);
        CHECK(frame.count > 10);
        check_points(&staged, &frame);
        host_frame_free(&frame);
        host_sequence_close(&sequence);
    }
    stage_close(&staged);
    host_quiet(false);
    test_folder_remove(folder);
}

/* Blender shows these points until its times of death; 137 are alive in frame 25, 98 in frame 30.
   The emitter of the scene begins in frame 22, and its particles do not die. */
static void particles_of_blender_have_their_ages_and_die(void)
{
    char *folder = test_folder_make();
    stage staged;
    const char *text =
        test_text(blender, "none", "", 22, here(), "newton_s1/light", 20, " species = particles\n");
    if (opens(&staged, folder, text)) {
        double oldest = 0;
        tp_view view = tp_world_view(staged.world);
        for (uint32_t k = 0; k < view.count; k++) {
            double age = (double)(20 * TP_TICKS_PER_FRAME - view.birth[k]) / TP_TICKS_PER_FRAME;
            CHECK(age >= 0 && age <= 19);
            if (age > oldest) oldest = age;
        }
        CHECK_NEAR(oldest, 19, 0.2);
        for (uint64_t frame = 21; frame <= 30; frame++) {
            scene_move(&staged.scene, staged.world, frame);
            CHECK_EQ(tp_frame(staged.world, NULL, NULL), TP_OK);
            uint32_t born = frame > 22 ? 2 * (uint32_t)(frame - 22) : 0;
            if (frame == 25) CHECK_EQ(tp_world_view(staged.world).count, 137 + born);
            if (frame == 30) CHECK_EQ(tp_world_view(staged.world).count, 98 + born);
        }
    }
    stage_close(&staged);
    host_quiet(false);
    test_folder_remove(folder);
}

/* ---- mistakes */

static void refuses(const char *folder, const char *start, int code, const char *wanted)
{
    scene_at(folder, "wrong", "50", start);
    test_expect(command_hash, test_text("hash %s/wrong.scene", folder), code, wanted);
}

static const char *start_of(const char *fixture, const char *more)
{
    return test_text("start\n cache = %s/tests/fixtures/blender/%s/none\n%s", here(), fixture,
                     more);
}

static void caches_that_do_not_fit_are_refused(void)
{
    char *folder = test_folder_make();
    const char *flat = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,0,0,0,0\n";
    refuses(folder, "start\n frame = 3\n", HOST_BAD_INPUT,
            "wrong.scene:54: field 'cache': is missing; needed: the path of a sequence of points");
    refuses(folder, "start\n cache = nothing\n", HOST_IO, "nothing: no such file or sequence");
    refuses(folder, start_of("cloth_pinned", ""), HOST_BAD_INPUT,
            "expected particles from which to start, found a cache of cloth");
    refuses(folder, start_of("newton_s1", " frame = 41\n"), HOST_BAD_INPUT,
            "has no frame 41, from which the scene starts; it has 40 from 1 to 40");
    refuses(folder, start_of("sph_adaptive", ""), HOST_BAD_INPUT,
            "has a location off the plane of this scene, which has 2 dimensions");
    refuses(folder, start_of("sph_adaptive", " species = oil\n"), HOST_BAD_INPUT,
            "wrong.scene:56: field 'species': 'oil' is not defined");
    test_file_write(test_text("%s/t.csv", folder), flat, strlen(flat));
    refuses(folder, "start\n cache = t.csv\nbody b\n lattice = 1\n", HOST_BAD_INPUT,
            "a scene with bodies cannot start from a cache, which has none");
    flat = "frame,index,x,y,z\n1,0,1,2,0\n";
    test_file_write(test_text("%s/t.csv", folder), flat, strlen(flat));
    refuses(folder, "start\n cache = t.csv\n", HOST_BAD_INPUT, "velocity");
    flat = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,0,0,nan,0\n";
    test_file_write(test_text("%s/t.csv", folder), flat, strlen(flat));
    refuses(folder, "start\n cache = t.csv\n", HOST_BAD_INPUT, "nan");
    flat = "frame,index,x,y,z,vx,vy,vz\n7,20000000,1,2,0,0,0,0\n";
    test_file_write(test_text("%s/t.csv", folder), flat, strlen(flat));
    refuses(folder, "start\n cache = t.csv\n", HOST_BAD_INPUT,
            "has a point with index 20000000; allowed: up to 16777215");
    test_folder_remove(folder);
}

/* The damaged byte is named, and what the scene must have for the springs of a frame. */
static void damaged_caches_and_springs_that_do_not_fit_are_refused(void)
{
    char *folder = test_folder_make();
    uint8_t *bytes;
    size_t size;
    char *path = host_text("%s/a_000009_00.bphys", folder);
    scene_at(folder, "whole", "50", "");
    test_expect(command_bake,
                test_text("bake %s/whole.scene %s/a --frames 1-9 --quiet", folder, folder),
                HOST_DONE, NULL);
    if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return;
    test_file_write(path, bytes, 1000);
    refuses(folder, "start\n cache = a\n", HOST_BAD_INPUT, "a_000009_00.bphys:1000: ");
    refuses(folder, "start\n cache = a\n frame = 8\n", HOST_DONE, NULL);
    const float longer = 0.5f;
    memcpy(bytes + size - 16, &longer, sizeof longer); /* the last spring: its rest length */
    test_file_write(path, bytes, size);
    refuses(folder, "start\n cache = a\n", HOST_BAD_INPUT,
            "has a rest length of 0.5 m; allowed: 0 to the scene's smoothing_radius, 0.3 m");
    free(bytes);
    free(path);
    scene_at(folder, "few", "50", "start\n cache = a\n frame = 8\n");
    test_expect(command_bake,
                test_text("bake %s/few.scene %s/b --frames 1-40 --quiet", folder, folder),
                HOST_USAGE, "--frames 1-40: the scene starts from frame 8");
    test_expect(command_run, test_text("run %s/few.scene --frames 8 --quiet", folder),
                HOST_BAD_INPUT,
                "8 frames end before the first one to simulate; the start is frame 8");
    test_folder_remove(folder);
}

static const test_case start_cases[] = {
    TEST_CASE(a_saved_run_goes_on_to_the_same_bits),
    TEST_CASE(what_a_cache_does_not_hold_is_noted),
    TEST_CASE(a_fluid_of_blender_starts_with_its_springs),
    TEST_CASE(points_of_a_file_that_states_z_up_are_turned),
    TEST_CASE(particles_of_blender_have_their_ages_and_die),
    TEST_CASE(caches_that_do_not_fit_are_refused),
    TEST_CASE(damaged_caches_and_springs_that_do_not_fit_are_refused),
};
TEST_SUITE(start, start_cases);
