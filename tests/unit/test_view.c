/* SPDX-License-Identifier: MIT
   tests/unit/test_view.c - `view`: the data of the page, its size, and what it refuses.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  malloc                      cost    a few seconds
   after   own design; opens the clip of a page as a file. A browser: ports/wasm/test_view.mjs */
#include "../../host_tools/common/crc32.h"
#include "../../host_tools/common/gzip.h"
#include "../../host_tools/formats/bphys.h"
#include "../../runtime/base/bytes.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_bake(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_view(int argc, char **argv);

/* ---- the parts of a page */

static int digit_of(char letter)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter ? strchr(digits, letter) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes base64 in place, up to a letter that is none. Returns the bytes. */
static size_t decode_base64(char *text)
{
    uint32_t word = 0, bits = 0;
    size_t size = 0;
    for (const char *at = text; *at && *at != '<'; at++) {
        if (digit_of(*at) < 0) continue;
        word = word << 6 | (uint32_t)digit_of(*at);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        text[size++] = (char)(word >> bits & 255u);
    }
    return size;
}

/* Writes an element of the page, decoded, to a file. */
static bool extract(const char *path, const char *name, const char *to)
{
    uint8_t *page;
    size_t size;
    if (!CHECK_EQ(host_read_file(path, &page, &size), HOST_DONE)) return false;
    char *text = strstr((char *)page, test_text("id=\"%s\">", name));
    bool good = CHECK(text != NULL);
    if (good) {
        text = strchr(text, '>') + 1;
        good = CHECK_EQ(host_write_file(to, text, decode_base64(text)), HOST_DONE);
    }
    free(page);
    return good;
}

static uint32_t number_after(const char *path, const char *name)
{
    uint8_t *page;
    size_t size;
    if (!CHECK_EQ(host_read_file(path, &page, &size), HOST_DONE)) return 0;
    const char *at = strstr((char *)page, name);
    uint32_t number = CHECK(at != NULL) ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : 0;
    free(page);
    return number;
}

/* ---- cases */

/* Finite points of a frame whose index is a multiple of `apart`: each is in the page, within the
   bound, and no other. */
static void check_frame(const host_frame *in, const host_frame *out, uint32_t apart, bool is_y_up,
                        double bound)
{
    const uint32_t *indices = in->data[POINT_INDEX];
    const float *from = in->data[POINT_LOCATION], *to = out->data[POINT_LOCATION];
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < in->count; i++, from += 3) {
        uint32_t at;
        const double turned[3] = {(double)from[0], -(double)from[2], (double)from[1]};
        if (indices[i] % apart) continue;
        wanted++;
        if (!CHECK(host_frame_find(out, indices[i] / apart, &at))) return;
        for (uint32_t k = 0; k < 3; k++)
            CHECK_NEAR((double)to[3 * at + k], is_y_up ? turned[k] : (double)from[k], bound);
    }
    CHECK_EQ(out->count, wanted);
}

static double side_of(host_sequence *sequence)
{
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30}, side = 0;
    for (uint32_t f = 0; f < sequence->frame_count; f++) {
        host_frame frame;
        if (!CHECK_EQ(host_sequence_load(sequence, f, &frame), HOST_DONE)) return 0;
        CHECK_EQ(host_sequence_keep_alive(sequence, &frame), HOST_DONE);
        const float *at = frame.data[POINT_LOCATION];
        for (uint32_t i = 0; i < 3 * frame.count; i++) {
            low[i % 3] = fmin(low[i % 3], (double)at[i]);
            high[i % 3] = fmax(high[i % 3], (double)at[i]);
        }
        host_frame_free(&frame);
    }
    for (uint32_t k = 0; k < 3; k++) side = fmax(side, high[k] - low[k]);
    return side;
}

/* The clip of the page beside the sequence; every `apart`th point; `part` of the largest side. */
static void check_page(const char *in, const char *page, uint32_t apart, bool is_y_up, double part)
{
    host_sequence sequence, clip;
    char *folder = test_folder_make(), path[200];
    snprintf(path, sizeof path, "%s/a.tpc", folder);
    if (!extract(page, "clip", path)) return;
    if (!CHECK_EQ(host_sequence_open(&sequence, in, NULL), HOST_DONE)) return;
    if (!CHECK_EQ(host_sequence_open(&clip, path, NULL), HOST_DONE)) return;
    CHECK_EQ(host_sequence_find_times(&sequence), HOST_DONE);
    CHECK_EQ(clip.streams & ~POINT_BIT(POINT_INDEX), POINT_BIT(POINT_LOCATION));
    double bound = part * side_of(&sequence);
    CHECK_EQ(clip.frame_count, sequence.frame_count);
    CHECK_EQ(number_after(page, "points: "), (sequence.point_count + apart - 1) / apart);
    for (uint32_t f = 0; f < sequence.frame_count && f < clip.frame_count; f++) {
        host_frame frame, shown;
        CHECK_EQ(clip.numbers[f], sequence.numbers[f]);
        if (!CHECK_EQ(host_sequence_load(&sequence, f, &frame), HOST_DONE)) return;
        if (!CHECK_EQ(host_sequence_load(&clip, f, &shown), HOST_DONE)) return;
        CHECK_EQ(host_sequence_keep_alive(&sequence, &frame), HOST_DONE);
        check_frame(&frame, &shown, apart, is_y_up, bound * 1.0001);
        host_frame_free(&frame);
        host_frame_free(&shown);
    }
    host_sequence_close(&sequence);
    host_sequence_close(&clip);
    test_folder_remove(folder);
}

static void a_page_holds_every_frame(void)
{
    static const char *const inputs[] = {"newton_s1", "newton_s5", "softbody", "hair"};
    for (size_t i = 0; i < 4; i++) {
        char *folder = test_folder_make(), in[80], page[200];
        snprintf(in, sizeof in, "tests/fixtures/blender/%s/none", inputs[i]);
        snprintf(page, sizeof page, "%s/a.html", folder);
        test_note("%s", in);
        test_expect(command_view, test_text("view %s %s --quiet", in, page), HOST_DONE, NULL);
        check_page(in, page, 1, false, 2.5e-4);
        test_folder_remove(folder);
    }
}

static void a_page_may_hold_some_points_only(void)
{
    static const char in[] = "tests/fixtures/blender/newton_s1/none";
    char *folder = test_folder_make(), page[200];
    snprintf(page, sizeof page, "%s/a.html", folder);
    test_expect(command_view, test_text("view %s %s --quiet --points 60", in, page), HOST_DONE,
                NULL);
    check_page(in, page, 3, false, 2.5e-4);
    test_expect(command_view, test_text("view %s %s --quiet --error 1e-2r", in, page), HOST_DONE,
                NULL);
    check_page(in, page, 1, false, 1e-2);
    test_folder_remove(folder);
}

/* Points of formats without an up axis turn, as do those of USD that states Y. */
static void the_z_axis_points_up_in_a_page(void)
{
    static const struct {
        const char *ending, *axis;
        bool is_y_up;
    } cases[] = {{"csv", " --fps 25", true},
                 {"usda", " --fps 25", false},
                 {"usda", " --fps 25 --axis y-up", true},
                 {"tpc", "", false}};
    for (size_t i = 0; i < 4; i++) {
        char *folder = test_folder_make(), page[200], in[200];
        snprintf(page, sizeof page, "%s/a.html", folder);
        snprintf(in, sizeof in, "%s/a.%s", folder, cases[i].ending);
        test_note("%s%s", cases[i].ending, cases[i].axis);
        test_expect(command_convert,
                    test_text("convert tests/fixtures/blender/newton_s5/none %s --quiet%s", in,
                              cases[i].axis),
                    HOST_DONE, NULL);
        test_expect(command_view, test_text("view %s %s --quiet", in, page), HOST_DONE, NULL);
        check_page(in, page, 1, cases[i].is_y_up, 2.5e-4);
        test_folder_remove(folder);
    }
}

/* A gzip stream begins with 10 bytes, and ends with the sum and size of what it unpacks to. */
static void check_module(const char *path)
{
    enum { HEAD = 10, TAIL = 8, MODULE_MAX = 1 << 20 };
    static const uint8_t magic[8] = {0, 'a', 's', 'm', 1, 0, 0, 0};
    uint8_t *packed, *module = malloc(MODULE_MAX);
    size_t size, got = 0;
    gzip_reader *reader;
    FILE *file = fopen(path, "rb");
    if (!CHECK(module && file) || !CHECK_EQ(host_read_file(path, &packed, &size), HOST_DONE))
        return;
    if (CHECK(size > HEAD + TAIL && gzip_recognises(packed, size)) && gzip_is_built()) {
        const gzip_range range = {0, size, false};
        CHECK_EQ(gzip_open(&reader, fileno(file), path, &range), HOST_DONE);
        CHECK_EQ(gzip_read(reader, 0, module, MODULE_MAX, &got), HOST_DONE);
        CHECK_EQ(got, tpi_load_u32(packed + size - 4));
        CHECK_EQ(crc32_add(0, module, got), tpi_load_u32(packed + size - 8));
        CHECK(got > sizeof magic && memcmp(module, magic, sizeof magic) == 0);
        gzip_close(reader);
    }
    fclose(file);
    free(packed);
    free(module);
}

/* Its player is a module of WebAssembly. What it shows: ports/wasm/test_view.mjs */
static void a_page_holds_the_player(void)
{
    char *folder = test_folder_make(), page[200], module[200];
    snprintf(page, sizeof page, "%s/a.html", folder);
    snprintf(module, sizeof module, "%s/module", folder);
    test_expect(command_view,
                test_text("view tests/fixtures/blender/newton_s5/none %s --quiet", page), HOST_DONE,
                NULL);
    if (extract(page, "module", module)) check_module(module);
    test_folder_remove(folder);
}

static void a_page_is_small_and_needs_no_network(void)
{
    char *folder = test_folder_make();
    uint8_t *page;
    size_t size;
    test_expect(command_bake, test_text("bake dam_break %s/a&b.tpc --frames 1-250 --quiet", folder),
                HOST_DONE, NULL);
    test_expect(command_view, test_text("view %s/a&b.tpc %s/a.html --quiet", folder, folder),
                HOST_DONE, NULL);
    if (CHECK_EQ(host_read_file(test_text("%s/a.html", folder), &page, &size), HOST_DONE)) {
        test_note("%zu bytes", size);
        CHECK(size < 2000000u);
        CHECK(strstr((char *)page, "http") == NULL && strstr((char *)page, "src=") == NULL);
        CHECK(strstr((char *)page, "a&#38;b.tpc</title>") != NULL);
        free(page);
    }
    test_folder_remove(folder);
}

static void view_names_what_it_needs(void)
{
    static const char in[] = "tests/fixtures/blender/newton_s1/none";
    char *folder = test_folder_make();
    test_expect(command_view, test_text("view %s", in), HOST_USAGE, "expected PATH and OUT.html");
    test_expect(command_view, test_text("view %s %s/a.txt", in, folder), HOST_USAGE,
                "a.txt: is an HTML page: give a name that ends in .html");
    test_expect(command_view, test_text("view %s %s/a.html --points 0", in, folder), HOST_USAGE,
                "--points");
    test_expect(command_view, test_text("view %s %s/a.html --fps 0", in, folder), HOST_USAGE,
                "--fps");
    test_expect(command_view, test_text("view %s %s/a.html --error 0", in, folder), HOST_USAGE,
                "--error");
    test_expect(command_view, test_text("view %s %s/a.html --frames 500-600", in, folder),
                HOST_BAD_INPUT, "at least one frame in --frames");
    CHECK(!test_file_exists(test_text("%s/a.html", folder)));
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_page_holds_every_frame),
    TEST_CASE(a_page_may_hold_some_points_only),
    TEST_CASE(the_z_axis_points_up_in_a_page),
    TEST_CASE(a_page_holds_the_player),
    TEST_CASE(a_page_is_small_and_needs_no_network),
    TEST_CASE(view_names_what_it_needs),
};
TEST_SUITE(view, cases);
