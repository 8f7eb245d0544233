/* SPDX-License-Identifier: MIT
   tests/unit/test_compact.c - compact clips: the same frames, their container, damage, what has no
           compact form.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  malloc                      cost    a second
   after   own design */
#include "../../host_tools/clip/compact.h"
#include "../../host_tools/common/host.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_bake(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);

static uint8_t *bytes_of(const char *path, size_t *size)
{
    uint8_t *bytes = NULL;
    if (!CHECK_EQ(host_read_file(path, &bytes, size), HOST_DONE)) exit(2);
    return bytes;
}

/* ---- the same frames */

/* A clip with blocks of 512 bytes has no compact form of its own; host_compact makes it. */
static void check_forms(const char *in, const char *options)
{
    char *folder = test_folder_make();
    size_t size, plain_size, again_size, at;
    uint8_t *again = NULL, *plain = NULL;
    test_note("%s %s", in, options);
    test_convert(test_text("%s %s/a.tpc %s", in, folder, options));
    test_convert(test_text("%s %s/b.tpc %s --block-bytes 512", in, folder, options));
    test_convert(test_text("%s/a.tpc %s/a.csv", folder, folder));
    test_convert(test_text("%s/b.tpc %s/b.csv", folder, folder));
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/b.csv", folder)));
    test_expect(command_verify, test_text("verify %s/a.tpc", folder), HOST_DONE, NULL);
    uint8_t *compact = bytes_of(test_text("%s/a.tpc", folder), &size);
    CHECK(host_compact_recognises(compact, size));
    CHECK_EQ(host_compact_undo(compact, size, &plain, &plain_size, &at), 0);
    CHECK(plain_size % 512u == 0 && plain_size > size + 1024u);
    test_file_write(test_text("%s/c.tpc", folder), plain, plain_size);
    test_convert(test_text("%s/c.tpc %s/c.csv", folder, folder));
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/c.csv", folder)));
    test_expect(command_verify, test_text("verify %s/c.tpc", folder), HOST_DONE, NULL);
    CHECK_EQ(host_compact(plain, plain_size, &again, &again_size), 0);
    CHECK(again_size == size && memcmp(again, compact, size) == 0);
    free(again);
    free(plain);
    free(compact);
    test_folder_remove(folder);
}

static void a_compact_clip_has_the_same_frames(void)
{
    static const char *const inputs[] = {"cloth_pinned", "hair", "newton_s1", "sph_adaptive"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        char in[80];
        snprintf(in, sizeof in, "tests/fixtures/blender/%s/none", inputs[i]);
        check_forms(in, "");
        check_forms(in, "--error 1e-3r");
    }
    /* the tail of the group is in each place of its last block */
    for (uint32_t frames = 2; frames < 20; frames++)
        check_forms("tests/fixtures/blender/hair/none",
                    test_text("--error 1e-2r --frames 1-%u", frames));
}

/* ---- size */

static void write_fluid(const char *path, uint32_t points, uint32_t frames)
{
    FILE *table = fopen(path, "w");
    if (!CHECK(table != NULL)) exit(2);
    fputs("frame,index,x,y,z\n", table);
    for (uint32_t f = 1; f <= frames; f++)
        for (uint32_t i = 0; i < points; i++) {
            double t = f * 0.04, phase = fmod(i * 0.6180339887, 1) * 6.28;
            fprintf(table, "%u,%u,%.6g,%.6g,%.6g\n", f, i,
                    2 * sin(phase) + t * cos(9 * phase) + 0.1 * sin(90 * t + 70 * phase),
                    sin(5 * phase + 3 * t) + 0.1 * sin(80 * t + 50 * phase),
                    2 - 4.9 * t * t + 0.1 * sin(70 * t * phase));
        }
    fclose(table);
}

/* The container of 200 points in 20 frames is at most 3 %. */
static void the_container_of_a_short_clip_is_small(void)
{
    char *folder = test_folder_make();
    write_fluid(test_text("%s/a.csv", folder), 200, 20);
    for (uint32_t k = 3; k < 5; k++) {
        test_convert(test_text("%s/a.csv %s/a.tpc --error 1e-%ur", folder, folder, k));
        test_output output = test_command(command_info, test_text("info %s/a.tpc", folder));
        const char *share = strstr(output.standard, "container   ");
        double percent = 100;
        unsigned bytes = 0;
        CHECK(share && sscanf(share, "container %u bytes, %lf %%", &bytes, &percent) == 2);
        test_note("%u bytes, %g %%", bytes, percent);
        CHECK(percent <= 3.0);
        test_output_free(&output);
    }
    test_folder_remove(folder);
}

/* Cloth and hair move along with their neighbours. */
static void points_that_move_alike_are_small(void)
{
    static const struct {
        const char *name;
        size_t most; /* bytes; it was a tenth more when the predictor was chosen without leaders */
    } cases[] = {{"cloth_pinned", 1950}, {"hair", 540}};
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size;
        test_convert(
            test_text("tests/fixtures/blender/%s/none %s/a.tpc --streams location --error 1e-3r",
                      cases[i].name, folder));
        free(bytes_of(test_text("%s/a.tpc", folder), &size));
        test_note("%s: %zu bytes", cases[i].name, size);
        CHECK(size <= cases[i].most);
    }
    test_folder_remove(folder);
}

/* Points that are all born and die at the same time: one lifetime is stored, and all come back. */
static void equal_lifetimes_are_stored_once(void)
{
    char *folder = test_folder_make();
    write_fluid(test_text("%s/a.csv", folder), 200, 5);
    test_convert(test_text("%s/a.csv %s/from/a", folder, folder));
    test_convert(test_text("%s/from/a %s/a.tpc --error 1e-3", folder, folder));
    test_output output = test_command(command_info, test_text("info %s/a.tpc", folder));
    CHECK(strstr(output.standard, "life        35 bytes, 35.000 per point and group") != NULL);
    test_output_free(&output);
    test_convert(test_text("%s/a.tpc %s/b.tpc --packed", folder, folder));
    test_convert(test_text("%s/b.tpc %s/to/a", folder, folder));
    CHECK(test_files_equal(test_text("%s/from/a_000000_00.bphys", folder),
                           test_text("%s/to/a_000000_00.bphys", folder)));
    test_folder_remove(folder);
}

/* ---- damage */

/* Every changed byte and every cut is found. */
static void damage_of_a_compact_clip_is_found(void)
{
    char *folder = test_folder_make();
    size_t size, plain_size, at;
    uint8_t *plain;
    test_convert(test_text("tests/fixtures/blender/newton_s1/none %s/a.tpc --error 1e-2r", folder));
    uint8_t *clip = bytes_of(test_text("%s/a.tpc", folder), &size);
    for (size_t k = 0; k < size; k++) {
        clip[k] ^= (uint8_t)(1u << k % 8u);
        CHECK_EQ(host_compact_undo(clip, size, &plain, &plain_size, &at), 1);
        CHECK(at <= size);
        clip[k] ^= (uint8_t)(1u << k % 8u);
        CHECK_EQ(host_compact_undo(clip, k, &plain, &plain_size, &at), 1);
    }
    clip[size / 2] ^= 1;
    test_file_write(test_text("%s/b.tpc", folder), clip, size);
    test_output output = test_command(command_verify, test_text("verify %s/b.tpc", folder));
    CHECK(strstr(output.standard, "is damaged: expected a block with a correct checksum"));
    test_output_free(&output);
    clip[size / 2] ^= 1;
    test_file_write(test_text("%s/b.tpc", folder), clip, size - 1);
    test_expect(command_convert, test_text("convert %s/b.tpc %s/b.csv", folder, folder),
                HOST_BAD_INPUT, "but the file ends here");
    free(clip);
    test_folder_remove(folder);
}

/* ---- other clips */

static void check_plain(const char *folder, const char *options)
{
    size_t size, compact_size;
    uint8_t *compact;
    test_note("%s", options);
    test_convert(test_text("tests/fixtures/blender/hair/none %s/a.tpc %s", folder, options));
    uint8_t *clip = bytes_of(test_text("%s/a.tpc", folder), &size);
    CHECK(memcmp(clip, "TPCH", 4) == 0);
    int code = host_compact(clip, size, &compact, &compact_size);
    CHECK_EQ(code, strstr(options, "key") ? 1 : 0);
    CHECK((compact != NULL) == (code == 0));
    free(compact);
    free(clip);
}

static void other_clips_are_not_compact(void)
{
    char *folder = test_folder_make();
    uint8_t bytes[1024] = {0}, *compact;
    size_t size;
    check_plain(folder, "--error 1e-3r --key-interval 8");
    check_plain(folder, "--error 1e-3r --block-bytes 1024");
    CHECK_EQ(host_compact(bytes, sizeof bytes, &compact, &size), 1);
    memcpy(bytes, "TPCH", 4);
    CHECK_EQ(host_compact(bytes, sizeof bytes, &compact, &size), 1);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_compact_clip_has_the_same_frames),
    TEST_CASE(the_container_of_a_short_clip_is_small),
    TEST_CASE(points_that_move_alike_are_small),
    TEST_CASE(equal_lifetimes_are_stored_once),
    TEST_CASE(damage_of_a_compact_clip_is_found),
    TEST_CASE(other_clips_are_not_compact),
};
TEST_SUITE(compact, cases);
