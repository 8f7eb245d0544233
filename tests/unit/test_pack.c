/* SPDX-License-Identifier: MIT
   tests/unit/test_pack.c - packed clips: the same clip again, its size, damage; mixed numbers.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  malloc                      cost    a few seconds
   after   own design */
#include "../../host_tools/clip/pack.h"
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_bake(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);

static size_t size_of(const char *path)
{
    uint8_t *bytes;
    size_t size;
    if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return 0;
    free(bytes);
    return size;
}

/* ---- the same clip again */

static void check_again(const char *in, const char *options)
{
    char *folder = test_folder_make();
    test_note("%s %s", in, options);
    test_convert(test_text("%s %s/plain.tpc %s", in, folder, options));
    test_convert(test_text("%s/plain.tpc %s/packed.tpc --packed", folder, folder));
    test_convert(test_text("%s/packed.tpc %s/again.tpc --unpacked", folder, folder));
    CHECK(test_files_equal(test_text("%s/plain.tpc", folder), test_text("%s/again.tpc", folder)));
    CHECK(size_of(test_text("%s/packed.tpc", folder)) < size_of(test_text("%s/plain.tpc", folder)));
    test_convert(test_text("%s/plain.tpc %s/plain.csv", folder, folder));
    test_convert(test_text("%s/packed.tpc %s/packed.csv", folder, folder));
    CHECK(test_files_equal(test_text("%s/plain.csv", folder), test_text("%s/packed.csv", folder)));
    test_folder_remove(folder);
}

static void packed_clips_give_back_their_clips(void)
{
    static const char *const inputs[] = {"boids",     "cloth_pinned",  "hair",     "newton_s1",
                                         "newton_s5", "newton_s5_mem", "rotation", "softbody"};
    static const char *const options[] = {"", "--error 1e-3r",
                                          "--error 1e-4r --key-interval 7 --block-bytes 2048"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        char in[80];
        snprintf(in, sizeof in, "tests/fixtures/blender/%s/none", inputs[i]);
        for (size_t o = test_is_long() ? 0 : i % 3; o < 3; o += test_is_long() ? 1 : 3)
            check_again(in, options[o]);
    }
}

/* --packed while converting gives the file that packing afterwards gives. */
static void a_clip_may_be_packed_while_it_is_written(void)
{
    static const char in[] = "tests/fixtures/blender/newton_s1/none";
    char *folder = test_folder_make();
    test_convert(test_text("%s %s/a.tpc --error 1e-3r --packed", in, folder));
    test_convert(test_text("%s %s/b.tpc --error 1e-3r --key-interval 255", in, folder));
    test_convert(test_text("%s/b.tpc %s/c.tpc --packed", folder, folder));
    CHECK(test_files_equal(test_text("%s/a.tpc", folder), test_text("%s/c.tpc", folder)));
    test_expect(command_verify, test_text("verify %s/a.tpc", folder), HOST_DONE, NULL);
    test_output output = test_command(command_info, test_text("info %s/a.tpc", folder));
    CHECK(strstr(output.standard, "packed      ") != NULL);
    test_output_free(&output);
    test_expect(command_convert, test_text("convert %s %s/a.csv --packed", in, folder), HOST_USAGE,
                "--packed has no meaning here");
    test_expect(command_convert, test_text("convert %s/a.tpc %s/a.csv --unpacked", folder, folder),
                HOST_USAGE, "expected two clips");
    test_folder_remove(folder);
}

/* A clip that was continued is copied as it is. */
static void a_clip_that_cannot_be_packed_stays_plain(void)
{
    char *folder = test_folder_make();
    const char *clip = test_text("%s/a.tpc", folder);
    test_expect(command_bake, test_text("bake drop %s --frames 1-4 --resume --quiet", clip),
                HOST_DONE, NULL);
    test_expect(command_bake, test_text("bake drop %s --frames 1-8 --resume --quiet", clip),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s %s/b.tpc --packed", clip, folder), HOST_DONE,
                "written as a plain clip");
    CHECK(test_files_equal(clip, test_text("%s/b.tpc", folder)));
    test_folder_remove(folder);
}

/* ---- size */

static void write_table(const char *path, uint32_t points, uint32_t frames)
{
    FILE *table = fopen(path, "w");
    if (!CHECK(table != NULL)) exit(2);
    fputs("frame,index,x,y,z\n", table);
    for (uint32_t f = 1; f <= frames; f++)
        for (uint32_t i = 0; i < points; i++) {
            double t = f * 0.04, phase = fmod(i * 0.6180339887, 1) * 6.28;
            fprintf(table, "%u,%u,%.6g,%.6g,%.6g\n", f, i, 2 * sin(phase) + t * cos(9 * phase),
                    sin(5 * phase + 3 * t), 2 - 4.9 * t * t + 0.01 * sin(40 * t * phase));
        }
    fclose(table);
}

/* The clip of one point in one frame is container, nearly all of it. */
static void the_container_of_a_small_clip_is_small(void)
{
    char *folder = test_folder_make();
    write_table(test_text("%s/one.csv", folder), 1, 1);
    write_table(test_text("%s/all.csv", folder), 200, 20);
    test_convert(test_text("%s/one.csv %s/one.tpc --error 1e-3 --packed", folder, folder));
    test_convert(test_text("%s/all.csv %s/all.tpc --error 1e-3 --packed", folder, folder));
    size_t one = size_of(test_text("%s/one.tpc", folder)),
           all = size_of(test_text("%s/all.tpc", folder));
    test_note("%zu and %zu bytes", one, all);
    CHECK(one * 100 <= 3 * all);
    test_folder_remove(folder);
}

/* ---- damage */

/* Every changed byte, and every cut, is found; `at` is a byte of the file. */
static void damage_of_a_packed_clip_is_found(void)
{
    char *folder = test_folder_make();
    uint8_t *packed, *clip;
    size_t size, clip_size, at;
    test_convert(
        test_text("tests/fixtures/blender/hair/none %s/a.tpc --error 1e-2r --packed", folder));
    if (CHECK_EQ(host_read_file(test_text("%s/a.tpc", folder), &packed, &size), HOST_DONE)) {
        for (size_t k = 0; k < size; k++) {
            packed[k] ^= (uint8_t)(1u << k % 8u);
            CHECK_EQ(host_unpack(packed, size, &clip, &clip_size, &at), 1);
            CHECK(at <= size);
            packed[k] ^= (uint8_t)(1u << k % 8u);
            CHECK_EQ(host_unpack(packed, k, &clip, &clip_size, &at), 1);
        }
        CHECK_EQ(host_unpack(packed, size, &clip, &clip_size, &at), 0);
        free(clip);
        packed[5] ^= 4;
        test_file_write(test_text("%s/b.tpc", folder), packed, size);
        test_expect(command_info, test_text("info %s/b.tpc", folder), HOST_BAD_INPUT,
                    ":8: the clip is damaged: expected a packed clip");
        free(packed);
    }
    test_folder_remove(folder);
}

/* With a checksum that fits, the rest is still checked. */
static void a_hostile_packed_clip_is_refused_or_read(void)
{
    char *folder = test_folder_make();
    uint8_t *packed, *clip;
    size_t size, clip_size, at;
    test_convert(
        test_text("tests/fixtures/blender/softbody/none %s/a.tpc --error 1e-2r --packed", folder));
    if (CHECK_EQ(host_read_file(test_text("%s/a.tpc", folder), &packed, &size), HOST_DONE)) {
        uint32_t refused = 0;
        for (size_t k = 4; k < size; k += k < 64 ? 1 : 7) {
            uint8_t byte = packed[k];
            packed[k] ^= (uint8_t)(1u + k % 255u);
            uint32_t left = (uint32_t)(size - HOST_PACK_HEAD_BYTES);
            tpi_store_u32(packed + 8, tpi_crc32c(tpi_crc32c(0, packed, 8),
                                                 packed + HOST_PACK_HEAD_BYTES, left));
            int code = host_unpack(packed, size, &clip, &clip_size, &at);
            CHECK(code == 0 || code == 1);
            refused += code == 1;
            if (!code) free(clip);
            packed[k] = byte;
        }
        CHECK(refused > 0);
        free(packed);
    }
    test_folder_remove(folder);
}

static void other_bytes_are_not_packed(void)
{
    uint8_t bytes[2000] = {0}, *packed;
    size_t size;
    CHECK_EQ(host_pack(bytes, sizeof bytes, &packed, &size), 1);
    memcpy(bytes, "TPCH", 4);
    CHECK_EQ(host_pack(bytes, sizeof bytes, &packed, &size), 1);
    CHECK(packed == NULL);
}

/* ---- numbers */

static int32_t number_of(uint32_t k)
{
    static const int32_t ends[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MIN + 1, 0x40000000};
    uint32_t random = k * 2654435761u;
    if (k % 16u == 0) return ends[k / 16u % 7u];
    return (int32_t)(random >> (k % 32u)) * (k & 1u ? 1 : -1);
}

static void code_numbers(host_mix *mix, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t contexts[HOST_MIX_INPUTS];
        for (uint32_t c = 0; c < HOST_MIX_INPUTS; c++) contexts[c] = k % (c + 1u) | c << 28;
        int32_t is = host_mix_number(mix, contexts, k % 12u, mix->decodes ? 0 : number_of(k));
        CHECK_EQ(is, number_of(k));
    }
}

static void mixed_numbers_come_back(void)
{
    enum { COUNT = 3000 };
    host_mix *mix = malloc(sizeof *mix);
    uint8_t *bytes = malloc(6u * COUNT);
    if (!CHECK(mix && bytes)) exit(2);
    host_mix_begin(mix, bytes, 6u * COUNT, false);
    code_numbers(mix, COUNT);
    size_t size = host_mix_end(mix);
    CHECK(size > COUNT && size < 5u * COUNT);
    host_mix_begin(mix, bytes, size, true);
    code_numbers(mix, COUNT);
    CHECK(!mix->is_bad);
    host_mix_begin(mix, bytes, 100, false);
    for (uint32_t k = 0; k < COUNT; k++)
        (void)host_mix_number(mix, (const uint32_t[HOST_MIX_INPUTS]){0}, 0, number_of(k));
    CHECK_EQ(host_mix_end(mix), 0);
    free(bytes);
    free(mix);
}

static const test_case cases[] = {
    TEST_CASE(packed_clips_give_back_their_clips),
    TEST_CASE(a_clip_may_be_packed_while_it_is_written),
    TEST_CASE(a_clip_that_cannot_be_packed_stays_plain),
    TEST_CASE(the_container_of_a_small_clip_is_small),
    TEST_CASE(damage_of_a_packed_clip_is_found),
    TEST_CASE(a_hostile_packed_clip_is_refused_or_read),
    TEST_CASE(other_bytes_are_not_packed),
    TEST_CASE(mixed_numbers_come_back),
};
TEST_SUITE(pack, cases);
