/* SPDX-License-Identifier: MIT
   tests/unit/test_bake.c - `bake`: the frames that `run` records, within the error bound;
           interrupted bakes.
   reads   build/tidepool      writes  a temporary folder
   memory  small      cost    some seconds
   after   own design */
#include "../../host_tools/common/loop.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

int command_bake(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_hash(int argc, char **argv);
int command_info(int argc, char **argv);
int command_run(int argc, char **argv);
int command_verify(int argc, char **argv);

static void bakes(const char *line) { test_expect(command_bake, line, HOST_DONE, NULL); }

static void are_equal(const char *a, const char *b)
{
    test_expect(command_diff, test_text("diff %s %s", a, b), HOST_DONE, NULL);
}

/* The number after a name in a line of JSON. */
static double number_of(const char *json, const char *name)
{
    const char *at = json ? strstr(json, name) : NULL;
    return CHECK(at != NULL) ? strtod(at + strlen(name) + 3, NULL) : (double)NAN;
}

static void bakes_have_the_frames_that_run_records(void)
{
    static const char *const scenes[] = {"fountain", "lj_melt"};
    for (uint32_t s = 0; s < 2; s++) {
        if (!test_runs(s, 2)) continue;
        char *folder = test_folder_make();
        const char *name = scenes[s];
        test_expect(command_run,
                    test_text("run %s --frames 4 --out %s/r --csv --quiet", name, folder),
                    HOST_DONE, NULL);
        bakes(test_text("bake %s %s/b.csv --frames 1-4 --quiet", name, folder));
        bakes(test_text("bake %s %s/c --frames 1-4 --quiet --threads 2", name, folder));
        bakes(test_text("bake %s %s/t.tpc --frames 1-4 --quiet --jobs 3", name, folder));
        are_equal(test_text("%s/r/%s.csv", folder, name), test_text("%s/b.csv", folder));
        are_equal(test_text("%s/c", folder), test_text("%s/t.tpc", folder));
        are_equal(test_text("%s/r/%s", folder, name), test_text("%s/t.tpc", folder));
        test_output hash = test_command(command_hash, test_text("hash %s --frames 4", name));
        test_output bake = test_command(
            command_bake, test_text("bake %s %s/d.ply --frames 2-4 --json", name, folder));
        CHECK(strlen(hash.standard) == 17 && strstr(bake.standard, "\"frames\": 3") != NULL);
        hash.standard[16] = 0;
        CHECK(strstr(bake.standard, hash.standard) != NULL);
        CHECK(test_file_exists(test_text("%s/d.0004.ply", folder)));
        test_output_free(&hash);
        test_output_free(&bake);
        test_folder_remove(folder);
    }
}

/* The hash of `putty` after four frames. Its springs after the second one are replaced, if others
   are given. */
static uint64_t putty_goes_on(const tp_spring *springs, uint32_t count)
{
    stage staged;
    uint64_t hash = 0;
    CHECK_EQ(stage_load(&staged, "run", "putty", NULL, NULL), HOST_DONE);
    if (CHECK_EQ(stage_open(&staged, 0), HOST_DONE)) {
        for (uint32_t frame = 0; frame < 4; frame++) {
            if (frame == 2 && springs)
                CHECK_EQ(tp_springs_set(staged.world, springs, count), TP_OK);
            CHECK_EQ(tp_frame(staged.world, NULL, NULL), TP_OK);
        }
        hash = tp_world_hash(staged.world);
    }
    stage_close(&staged);
    return hash;
}

/* A world takes the springs of a file, in any order, and goes on to the same bits. */
static void goes_on_with_springs(const host_extra *extra)
{
    tp_spring *springs = calloc(extra->count, sizeof *springs);
    if (!CHECK(springs != NULL)) return;
    for (uint32_t k = 0; k < extra->count; k++)
        memcpy(&springs[extra->count - 1 - k], extra->bytes + (size_t)k * sizeof *springs,
               sizeof *springs);
    CHECK_EQ(putty_goes_on(springs, extra->count), putty_goes_on(NULL, 0));
    CHECK(putty_goes_on(springs, extra->count / 2) != putty_goes_on(NULL, 0));
    free(springs);
}

static void bakes_and_runs_of_a_viscoelastic_fluid_have_its_springs(void)
{
    char *folder = test_folder_make();
    host_sequence sequence;
    host_frame frame;
    bakes(test_text("bake putty %s/c --frames 1-2 --quiet", folder));
    bakes(test_text("bake putty %s/t.tpc --frames 1-2 --quiet", folder));
    are_equal(test_text("%s/c", folder), test_text("%s/t.tpc", folder));
    test_expect(command_run, test_text("run putty --frames 2 --out %s/r --quiet", folder),
                HOST_DONE, NULL);
    are_equal(test_text("%s/r/putty", folder), test_text("%s/t.tpc", folder));
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/r/putty", folder), NULL), HOST_DONE)) {
        if (CHECK_EQ(host_sequence_load(&sequence, 1, &frame), HOST_DONE)) {
            CHECK(frame.extra[EXTRA_SPRINGS].count > 5000);
            goes_on_with_springs(&frame.extra[EXTRA_SPRINGS]);
            host_frame_free(&frame);
        }
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

/* Frames 2 of both have the same springs, to the bit. */
static void have_equal_springs(const char *a, const char *b)
{
    const char *const paths[] = {a, b};
    host_frame frames[2];
    for (uint32_t k = 0; k < 2; k++) {
        host_sequence sequence;
        size_t position;
        if (!CHECK_EQ(host_sequence_open(&sequence, paths[k], NULL), HOST_DONE)) return;
        CHECK(host_sequence_find(&sequence, 2, &position));
        CHECK_EQ(host_sequence_load(&sequence, position, &frames[k]), HOST_DONE);
        host_sequence_close(&sequence);
    }
    const host_extra *one = &frames[0].extra[EXTRA_SPRINGS], *two = &frames[1].extra[EXTRA_SPRINGS];
    CHECK(one->count > 5000 && one->count == two->count &&
          memcmp(one->bytes, two->bytes, one->count * sizeof(tp_spring)) == 0);
    for (uint32_t k = 0; k < 2; k++) host_frame_free(&frames[k]);
}

/* Groups within an error hold no springs; the files of a run have them all the same. */
static void a_run_within_an_error_has_its_springs(void)
{
    char *folder = test_folder_make(), *text = scene_shipped_text("putty");
    const char *cache = "cache\n group = 2\n error = 1 mm\n speed_error = 0.001\n";
    char *longer = text ? host_text("%s%s", text, cache) : NULL;
    if (!CHECK(longer != NULL)) return;
    test_file_write(test_text("%s/p.scene", folder), longer, strlen(longer));
    bakes(test_text("bake putty %s/c --frames 1-4 --quiet", folder));
    test_expect(command_run,
                test_text("run %s/p.scene --frames 4 --out %s/r --quiet", folder, folder),
                HOST_DONE, NULL);
    have_equal_springs(test_text("%s/r/p", folder), test_text("%s/c", folder));
    have_equal_springs(test_text("%s/r/p.tpc", folder), test_text("%s/c", folder));
    test_expect(command_diff, test_text("diff %s/r/p %s/c", folder, folder), HOST_DIFFERENT, NULL);
    free(longer);
    free(text);
    test_folder_remove(folder);
}

static void bakes_keep_the_bound_that_was_asked(void)
{
    static const char *const errors[] = {"0.01", "1e-3r"};
    char *folder = test_folder_make();
    bakes(test_text("bake dam_break %s/a.tpc --frames 10-40 --exact --quiet", folder));
    for (uint32_t e = 0; e < 2; e++) {
        test_output output = test_command(
            command_bake,
            test_text("bake dam_break %s/b.tpc --frames 10-40 --error %s --key-interval 20 --json",
                      folder, errors[e]));
        double bound = number_of(output.standard, "\"error");
        test_output_free(&output);
        output = test_command(
            command_diff, test_text("diff %s/a.tpc %s/b.tpc --components --json", folder, folder));
        double worst = number_of(output.standard, "max_position_error");
        test_note("--error %s: bound %g, worst %g", errors[e], bound, worst);
        CHECK(bound > 0.001 && bound <= 0.0101 && worst <= bound && worst > bound / 4);
        CHECK(number_of(output.standard, "missing") == 0 &&
              number_of(output.standard, "extra") == 0);
        CHECK_EQ(number_of(output.standard, "frames"), 31);
        test_output_free(&output);
    }
    test_folder_remove(folder);
}

/* Vortons are points like the smoke between them. */
static void smoke_and_its_vortons_are_baked(void)
{
    char *folder = test_folder_make();
    const char *error = "--error 0.002 --key-interval 5";
    bakes(test_text("bake smoke_rings %s/c --frames 1-6 --quiet", folder));
    bakes(test_text("bake smoke_rings %s/a.tpc --frames 1-6 --exact --quiet", folder));
    bakes(test_text("bake smoke_rings %s/b.tpc --frames 1-6 %s --quiet", folder, error));
    are_equal(test_text("%s/a.tpc", folder), test_text("%s/c", folder));
    test_output output = test_command(
        command_diff, test_text("diff %s/a.tpc %s/b.tpc --components --json", folder, folder));
    double worst = number_of(output.standard, "max_position_error");
    CHECK(worst <= 0.002 && worst > 0.0001);
    test_output_free(&output);
    output = test_command(command_info, test_text("info %s/c --json", folder));
    CHECK_EQ(number_of(output.standard, "\"points"), 2 * (96 + 4096));
    test_output_free(&output);
    test_folder_remove(folder);
}

/* ---- interrupted bakes */

static bool shell(const char *line)
{
    int status = system(line);
    return WIFEXITED(status) && WEXITSTATUS(status) == HOST_DONE;
}

/* A file size limit stands for a power cut: the system refuses a write in the middle of a block. */
static void a_bake_that_was_cut_is_gone_on_with(void)
{
    char *folder = test_folder_make();
    char *whole = host_text("%s/whole.tpc", folder), *part = host_text("%s/part.tpc", folder);
    const char *line =
        "build/tidepool bake fountain %s --frames 3-50 --key-interval 12 --resume --quiet";
    uint32_t cuts = 0;
    CHECK(shell(test_text(line, whole)));
    for (uint32_t blocks = 0; blocks < 1200; blocks += blocks < 20 ? 3 : 151) {
        char limited[512];
        remove(part);
        snprintf(limited, sizeof limited,
                 "ulimit -f %u; exec build/tidepool bake fountain %s --frames 3-50 "
                 "--key-interval 12 --resume --quiet 2>/dev/null",
                 blocks, part);
        if (!shell(limited)) cuts++;
        test_note("cut at %u blocks", blocks);
        CHECK(shell(test_text(line, part)));
        are_equal(whole, part);
        test_expect(command_verify, test_text("verify %s --quiet", part), HOST_DONE, NULL);
    }
    CHECK(cuts >= 8);
    bakes(test_text("bake fountain %s --frames 3-60 --key-interval 12 --resume --quiet", part));
    bakes(test_text("bake fountain %s --frames 3-60 --key-interval 12 --quiet", whole));
    are_equal(whole, part);
    free(whole);
    free(part);
    test_folder_remove(folder);
}

/* Lattices of a group depend on the groups before it, also when those are not written again. */
static void a_cut_bake_with_an_error_bound_has_the_bits_of_a_whole_one(void)
{
    char *folder = test_folder_make();
    char *whole = host_text("%s/whole.tpc", folder), *part = host_text("%s/part.tpc", folder);
    const char *line =
        "build/tidepool bake dam_break %s --frames 1-36 --key-interval 8 --error 1e-2 "
        "--resume --quiet 2>/dev/null";
    CHECK(shell(test_text(line, whole)));
    for (uint32_t blocks = 80; blocks < 240; blocks += 40) {
        remove(part);
        char *again = host_text(line, part),
             *limited = host_text("ulimit -f %u; exec %s", blocks, again);
        bool is_cut = !shell(limited);
        test_note("cut at %u blocks: %d", blocks, is_cut);
        if (is_cut) CHECK(shell(again));
        are_equal(whole, part);
        free(again);
        free(limited);
    }
    free(whole);
    free(part);
    test_folder_remove(folder);
}

static void nothing_else_is_gone_on_with(void)
{
    char *folder = test_folder_make();
    char *clip = host_text("%s/a.tpc", folder), *copy = host_text("%s/b.tpc", folder);
    bakes(test_text("bake dam_break %s --frames 1-5 --quiet", clip));
    char *line = host_text("bake dam_break %s --quiet --resume", clip);
    test_expect(command_bake, test_text("%s --frames 1-6", line), HOST_BAD_INPUT,
                "the clip is compact, because it was begun without --resume");
    remove(clip);
    bakes(test_text("bake dam_break %s --frames 1-5 --quiet --resume", clip));
    bakes(test_text("bake dam_break %s --frames 1-5 --quiet --resume", copy));
    test_expect(command_bake, test_text("%s --frames 1-6 --key-interval 32", line), HOST_BAD_INPUT,
                "has other settings");
    test_expect(command_bake, test_text("%s --frames 1-6 --error 1e-3r", line), HOST_BAD_INPUT,
                "has other settings");
    test_expect(command_bake, test_text("%s --frames 2-6", line), HOST_BAD_INPUT,
                "begins with other points");
    CHECK(test_files_equal(clip, copy));
    test_file_write(clip, "not a clip", 10);
    test_expect(command_bake, test_text("%s --frames 1-6", line), HOST_BAD_INPUT, "not a clip");
    CHECK(!test_files_equal(clip, copy));
    free(clip);
    free(copy);
    free(line);
    test_folder_remove(folder);
}

/* Both begin in the same way; in the second scene the jet ends. */
static void another_simulation_is_not_gone_on_with(void)
{
    char *folder = test_folder_make(), *paths[2];
    char *clip = host_text("%s/a.tpc", folder), *copy = host_text("%s/b.tpc", folder);
    for (uint32_t k = 0; k < 2; k++) {
        paths[k] = host_text("%s/%u.scene", folder, k);
        char *text = host_text(
            "world\n    dimensions = 3\n    particles = 300\n    solver = none\n    fps = 60\n\n"
            "species drop\n    mass = 1 g\n    radius = 2 cm\n\n"
            "emitter jet\n    shape = disc\n    position = 0 1 0\n    size = 0.1 m\n"
            "    rate = 200 /s\n    velocity = 0 3 0\n    species = drop\n    stop = %u\n",
            k ? 20u : 200u);
        test_file_write(paths[k], text, strlen(text));
        free(text);
    }
    static const char *const errors[] = {"", " --error 1e-3"};
    for (uint32_t e = 0; e < 2; e++) {
        remove(clip), remove(copy);
        bakes(test_text("bake %s %s --frames 1-40 --key-interval 12 --resume --quiet%s", paths[0],
                        clip, errors[e]));
        bakes(test_text("bake %s %s --frames 1-40 --key-interval 12 --resume --quiet%s", paths[0],
                        copy, errors[e]));
        test_expect(command_bake,
                    test_text("bake %s %s --frames 1-60 --key-interval 12 --resume --quiet%s",
                              paths[1], clip, errors[e]),
                    HOST_BAD_INPUT, "frame 40, the clip's last, has other points than now");
        CHECK(test_files_equal(clip, copy));
        bakes(test_text("bake %s %s --frames 1-60 --key-interval 12 --resume --quiet%s", paths[0],
                        clip, errors[e]));
    }
    for (uint32_t k = 0; k < 2; k++) free(paths[k]);
    free(clip);
    free(copy);
    test_folder_remove(folder);
}

static void wrong_usage_of_bake_is_told(void)
{
    static const char *const lines[][2] = {
        {"bake dam_break", "expected SCENE and OUT"},
        {"bake dam_break x.tpc --frames 5-4", "--frames is \"5-4\", expected A-B"},
        {"bake dam_break x.tpc --frames 0-4", "--frames is \"0-4\", expected A-B"},
        {"bake dam_break x.csv --error 1e-3", "--error has no meaning here: csv"},
        {"bake dam_break x.tpc --error 1 --exact", "exclude each other"},
        {"bake dam_break x.csv --resume", "--resume expects a .tpc clip as OUT, found format csv"},
        {"bake dam_break x.xyzzy", "the ending of x.xyzzy is not known"},
        {"bake dam_break x.tpc --jobs 0", "--jobs is \"0\""},
        {"bake dam_break x.csv --compression light", "--compression light is for .bphys"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        test_expect(command_bake, lines[i][0], HOST_USAGE, lines[i][1]);
    test_expect(command_bake, "bake dam_break no/such/folder/x.tpc --error 1e-3r --quiet", HOST_IO,
                "cannot create");
}

/* The numbers of a header, between the brackets after `name`, in their order. */
static size_t numbers_of(const char *header, const char *name, double *numbers, size_t most)
{
    const char *at = strstr(header, name);
    size_t count = 0;
    for (at = at ? strstr(at, "] = {") : NULL; at && *at && *at != ';' && count < most;) {
        char *end;
        numbers[count] = strtod(at, &end);
        if (end != at) count++;
        at = end != at ? end : at + 1;
    }
    return count;
}

/* A drawing, tiles and a chain become arrays of C with the bits of the scene. */
static void a_level_becomes_a_header_of_c(void)
{
    static const char scene_text[] = "world\n    dimensions = 2\n    particles = 1\n"
                                     "collider hill one\n    shape = mesh\n    svg = hill.svg\n"
                                     "    units_per_metre = 7\n    position = 2 0.1\n"
                                     "    friction = 0.3\n    flip = yes\n"
                                     "collider ball\n    shape = sphere\n    radius = 1 m\n"
                                     "collider ground\n    shape = mesh\n    row = ..@\n"
                                     "    row = @@@\n    tile_size = 0.1\n",
                      drawing[] = "<svg viewBox='0 0 30 30'><path d='M 1 1 C 9 1 9 20 20 21 L 3 "
                                  "20 Z'/></svg>";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/l.scene", folder), scene_text, sizeof scene_text - 1);
    test_file_write(test_text("%s/hill.svg", folder), drawing, sizeof drawing - 1);
    bakes(test_text("bake %s/l.scene %s/my-level.h --quiet", folder, folder));
    uint8_t *bytes = NULL;
    size_t size = 0;
    scene loaded;
    double numbers[4096];
    CHECK_EQ(host_read_file(test_text("%s/my-level.h", folder), &bytes, &size), HOST_DONE);
    CHECK_EQ(scene_load(&loaded, test_text("%s/l.scene", folder)), HOST_DONE);
    static const char *const names[3] = {"my_level_hill_one_0", NULL, "my_level_ground"};
    for (size_t k = 0; k < 3 && bytes; k++) {
        const scene_collider *collider = &loaded.colliders[k];
        const uint32_t vertices = collider->def.vertex_count,
                       ends = 2 * collider->def.triangle_count;
        if (!names[k]) continue;
        CHECK(vertices > 5);
        CHECK_EQ(numbers_of((const char *)bytes, test_text("%s_vertices", names[k]), numbers, 4096),
                 3 * vertices);
        for (uint32_t i = 0; i < vertices; i++)
            CHECK((float)numbers[3 * i] == collider->vertices[i].x &&
                  (float)numbers[3 * i + 1] == collider->vertices[i].y && numbers[3 * i + 2] == 0);
        CHECK_EQ(numbers_of((const char *)bytes, test_text("%s_edges", names[k]), numbers, 4096),
                 ends);
        for (uint32_t i = 0; i < ends; i++) CHECK(numbers[i] == collider->indices[i]);
        CHECK(strstr((const char *)bytes, test_text("def.vertex_count = %u;", vertices)) != NULL);
    }
    CHECK(bytes && strstr((const char *)bytes, "def.friction = 0.300000012f;") != NULL);
    test_expect(command_bake, test_text("bake dam_break %s/no.h", folder), HOST_USAGE,
                "expects a scene with colliders of shape = mesh");
    CHECK(!test_file_exists(test_text("%s/no.h", folder)));
    scene_free(&loaded);
    free(bytes);
    test_folder_remove(folder);
}

static const test_case bake_cases[] = {
    TEST_CASE(a_level_becomes_a_header_of_c),
    TEST_CASE(bakes_have_the_frames_that_run_records),
    TEST_CASE(bakes_and_runs_of_a_viscoelastic_fluid_have_its_springs),
    TEST_CASE(a_run_within_an_error_has_its_springs),
    TEST_CASE(bakes_keep_the_bound_that_was_asked),
    TEST_CASE(smoke_and_its_vortons_are_baked),
    TEST_CASE(a_bake_that_was_cut_is_gone_on_with),
    TEST_CASE(a_cut_bake_with_an_error_bound_has_the_bits_of_a_whole_one),
    TEST_CASE(nothing_else_is_gone_on_with),
    TEST_CASE(another_simulation_is_not_gone_on_with),
    TEST_CASE(wrong_usage_of_bake_is_told),
};
TEST_SUITE(bake, bake_cases);
