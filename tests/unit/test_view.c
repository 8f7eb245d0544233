/* SPDX-License-Identifier: MIT
   tests/unit/test_view.c - `view`: the data of the page, its size, and what it refuses.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  malloc                      cost    a few seconds
   after   own design; decodes a page as its script does. A browser: ports/wasm/test_view.mjs */
#include "../../host_tools/compress/inflate.h"
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_bake(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_view(int argc, char **argv);

/* ---- the page as its script reads it */

typedef struct view_data {
    uint32_t points, frames;
    uint8_t *planes;
} view_data;

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

static uint32_t number_after(const char *page, const char *name)
{
    const char *at = strstr(page, name);
    return CHECK(at != NULL) ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : 0;
}

static bool read_page(const char *path, view_data *data)
{
    uint8_t *page;
    size_t size, used;
    compress_fault fault;
    *data = (view_data){0, 1, NULL};
    if (!CHECK_EQ(host_read_file(path, &page, &size), HOST_DONE)) return false;
    data->points = number_after((char *)page, "points: ");
    char *list = strstr((char *)page, "frames: ["), *text = strstr((char *)page, "id=\"data\">");
    for (char *at = list; at && *at != ']'; at++) data->frames += *at == ',';
    size_t bytes = 7u * (size_t)data->points * data->frames;
    data->planes = malloc(bytes + 1u);
    bool good = CHECK(list && text && data->planes);
    if (good) {
        text += strlen("id=\"data\">");
        size = decode_base64(text);
        good = CHECK(inflate_zlib((uint8_t *)text, size, data->planes, bytes, &used, &fault));
    }
    free(page);
    return good;
}

static bool lives_at(const view_data *data, uint32_t frame, uint32_t p)
{
    uint8_t lives = 0;
    for (uint32_t f = 0; f <= frame; f++) lives ^= data->planes[f * data->points + p];
    return lives;
}

static int32_t residual_at(const view_data *data, uint32_t f, uint32_t c, uint32_t p)
{
    size_t all = (size_t)data->points * data->frames, at = (f * 3u + c) * data->points + p;
    uint32_t word = data->planes[all + at] | (uint32_t)data->planes[4u * all + at] << 8;
    return (int32_t)(word >> 1) ^ -(int32_t)(word & 1u);
}

/* The lattice coordinate of a living point. */
static int32_t coordinate_at(const view_data *data, uint32_t frame, uint32_t c, uint32_t p)
{
    int32_t one = 0, two = 0;
    uint32_t age = 0;
    for (uint32_t f = 0; f <= frame; f++) {
        if (!lives_at(data, f, p)) {
            age = 0;
            continue;
        }
        int32_t now = (age > 1u ? 2 * one - two : one) + residual_at(data, f, c, p);
        two = one, one = now, age++;
    }
    return one;
}

/* ---- cases */

/* The largest difference of a coordinate between the page and the sequence, in 2000ths of the
   side, after the best shift; every `apart`th point. */
static void check_page(const char *in, const char *page, uint32_t apart)
{
    host_sequence sequence;
    view_data data;
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30}, side = 0;
    if (!CHECK_EQ(host_sequence_open(&sequence, in, NULL), HOST_DONE)) return;
    CHECK_EQ(host_sequence_find_times(&sequence), HOST_DONE);
    if (!read_page(page, &data)) return;
    CHECK_EQ(data.frames, sequence.frame_count);
    for (int round = 0; round < 2; round++)
        for (uint32_t f = 0; f < sequence.frame_count; f++) {
            host_frame frame;
            uint32_t seen = 0;
            if (!CHECK_EQ(host_sequence_load(&sequence, f, &frame), HOST_DONE)) return;
            CHECK_EQ(host_sequence_keep_alive(&sequence, &frame), HOST_DONE);
            const float *at = frame.data[POINT_LOCATION];
            const uint32_t *indices = frame.data[POINT_INDEX];
            for (uint32_t i = 0; i < frame.count; i++)
                for (uint32_t k = 0; k < 3; k++) {
                    double value = (double)at[3 * i + k];
                    low[k] = fmin(low[k], value), high[k] = fmax(high[k], value);
                    side = fmax(side, high[k] - low[k]);
                    if (!round || indices[i] % apart) continue;
                    seen += k == 0;
                    CHECK(lives_at(&data, f, indices[i] / apart));
                    CHECK_NEAR(coordinate_at(&data, f, k, indices[i] / apart),
                               (value - low[k]) / side * 2000, 0.51);
                }
            for (uint32_t p = 0; p < data.points && round; p++) seen -= lives_at(&data, f, p);
            CHECK_EQ(seen, 0);
            host_frame_free(&frame);
        }
    free(data.planes);
    host_sequence_close(&sequence);
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
        check_page(in, page, 1);
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
    check_page(in, page, 3);
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
    test_expect(command_view, test_text("view %s %s/a.html --frames 500-600", in, folder),
                HOST_BAD_INPUT, "at least one frame in --frames");
    CHECK(!test_file_exists(test_text("%s/a.html", folder)));
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_page_holds_every_frame),
    TEST_CASE(a_page_may_hold_some_points_only),
    TEST_CASE(a_page_is_small_and_needs_no_network),
    TEST_CASE(view_names_what_it_needs),
};
TEST_SUITE(view, cases);
