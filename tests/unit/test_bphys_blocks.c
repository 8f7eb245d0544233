/* SPDX-License-Identifier: MIT
   tests/unit/test_bphys_blocks.c - point caches: compressed blocks, surfaces, smoke, headerless.
   reads   tests/fixtures/blender/samples  writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   own design; the possible faults of such files are those of host_tools/guide/formats.md */
#include "../../host_tools/compress/codec.h"
#include "../../host_tools/compress/transpose.h"
#include "../harness/bphys_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);

/* ---- bytes of files, built by hand */

static file_bytes *make_file(uint32_t type, uint32_t count, uint32_t streams, bool big_endian)
{
    file_bytes *file = malloc(sizeof *file);
    if (!file) exit(2);
    *file = file_header(type, count, streams, big_endian);
    return file;
}

/* Adds a block of `content` in the framing of its compression code. */
static void add_block(file_bytes *file, uint8_t code, const file_bytes *content, uint32_t items)
{
    const codec *method = code == 1 ? &codec_lzo1x : code == 2 ? &codec_lzma1 : &codec_zstd;
    file_add(file, &code, 1);
    if (code == 0) {
        file_add(file, content->bytes, content->size);
        return;
    }
    uint8_t *planes = malloc(content->size + 1), *out = malloc(method->bound(content->size));
    void *work = malloc(method->encoder_bytes(content->size));
    if (!planes || !out || !work) exit(2);
    memcpy(planes, content->bytes, content->size);
    if (code == 3)
        transpose_split(content->bytes, items, items ? content->size / items : 1, planes);
    size_t size = method->encode(planes, content->size, out, method->bound(content->size), work);
    file_add_u32(file, (uint32_t)size);
    file_add(file, out, size);
    if (code == 2) {
        file_add_u32(file, 5);
        file_add(file, method->properties, 5);
    }
    free(planes);
    free(out);
    free(work);
}

/* ---- reading */

static void expect_refusal(const char *what, const file_bytes *file, const char *message)
{
    file_refused(what, file->bytes, file->size, message);
}

/* Fills `content` with `count` elements of 32-bit words 1.0f, 1.5f, ... in a pattern that
   compresses well. */
static void fill(file_bytes *content, uint32_t count, uint32_t words)
{
    content->size = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < words; k++)
            file_add_f32(content, (float)(i % 3) + 0.5f * (float)k);
}

static const uint8_t codes[] = {0, 1, 2, 3, 4, 8};
enum { CODES = sizeof codes, POINTS = 40 };

/* Particles with streams compressed by `code`; the indices are multiples of 3. */
static file_bytes *make_packed(uint8_t code, bool big_endian)
{
    file_bytes *file = make_file(0x00010001u, POINTS, 7, big_endian),
               *content = make_file(0, 0, 0, big_endian);
    content->size = 0;
    for (uint32_t i = 0; i < POINTS; i++) file_add_u32(content, i * 3);
    add_block(file, code, content, POINTS);
    for (int stream = 0; stream < 2; stream++) {
        fill(content, POINTS, 3);
        add_block(file, code, content, POINTS);
    }
    free(content);
    return file;
}

static void every_code_is_read_in_both_byte_orders(void)
{
    for (size_t c = 0; c < CODES; c++) {
        for (int order = 0; order < 2; order++) {
            file_bytes *file = make_packed(codes[c], order == 1);
            host_frame frame = file_good(file);
            const uint32_t *indices = frame.data[POINT_INDEX];
            const float *velocity = frame.data[POINT_VELOCITY];
            test_note("code %u, %s-endian", codes[c], order ? "big" : "little");
            if (CHECK_EQ(frame.count, POINTS)) {
                CHECK(indices[39] == 117 && velocity[39 * 3] == 0.0f &&
                      velocity[38 * 3 + 2] == 3.0f);
            }
            host_frame_free(&frame);
            free(file);
        }
    }
}

static void expect_mixed(const file_bytes *file)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/mix_000001_00.bphys", folder), file->bytes, file->size);
    test_output output = test_command(command_info, test_text("info %s --json", folder));
    CHECK(strstr(output.standard, "\"compression\": \"mixed\"") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void blocks_of_one_file_may_have_different_codes(void)
{
    file_bytes *file = make_file(0x00010002u, POINTS, 0x16, false),
               *content = make_file(0, 0, 0, false);
    for (int stream = 0; stream < 3; stream++) {
        fill(content, POINTS, 3);
        add_block(file, codes[stream == 2 ? 5 : stream], content, POINTS);
    }
    host_frame frame = file_good(file);
    CHECK(frame.count == POINTS && ((float *)frame.data[POINT_ANGULAR])[38 * 3 + 2] == 3.0f);
    host_frame_free(&frame);
    expect_mixed(file);
    free(content);
    free(file);
}

/* An empty block has no LZMA properties: reading them would consume four bytes of the next
   block. */
static void an_empty_lzma_block_ends_with_its_size(void)
{
    static const uint8_t blocks[] = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    file_bytes *file = make_file(0x00010001u, 0, 3, false);
    file_add(file, blocks, sizeof blocks);
    host_frame frame = file_good(file);
    CHECK_EQ(frame.count, 0);
    host_frame_free(&frame);
    expect_mixed(file);
    free(file);
}

/* ---- sizes that the file cannot have */

static void a_tiny_file_that_claims_gigabytes_is_refused_before_room_is_made(void)
{
    static const char *const messages[] = {"FILE:21: location needs",
                                           "FILE:25: location needs",
                                           "FILE:25: location needs",
                                           "FILE:25",
                                           "FILE:25",
                                           "FILE:25"};
    for (size_t c = 0; c < CODES; c++) {
        file_bytes *file = make_file(0x00010001u, 0xfffffff0u, 2, false),
                   *content = make_file(0, 0, 0, false);
        fill(content, POINTS, 3);
        add_block(file, codes[c], content, POINTS);
        /* 48 GiB: if they were allocated, the error would be HOST_OUT_OF_MEMORY, or the test would
           be killed. */
        expect_refusal("gigabytes", file, messages[c]);
        free(content);
        free(file);
    }
    file_bytes *extra = make_file(0x00030001u, 0, 2, false), *none = make_file(0, 0, 0, false);
    none->size = 0;
    add_block(extra, 3, none, 0);
    file_add_u32(extra, EXTRA_SPRINGS);
    file_add_u32(extra, 0xffffffffu);
    add_block(extra, 3, none, 0);
    expect_refusal("springs", extra, "extra data needs 68719476720 bytes");
    free(extra);
    free(none);
}

/* Twenty bytes are a valid info file, but the points it promises would have to be written one by
   one. */
static void an_info_file_that_promises_billions_is_refused(void)
{
    char *folder = test_folder_make();
    file_bytes *info = make_file(1, 0xfffffff0u, 0, false), *file = make_packed(0, false);
    test_file_write(test_text("%s/a_000000_00.bphys", folder), info->bytes, info->size);
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
    test_expect(command_convert, test_text("convert %s/a %s/b --quiet", folder, folder),
                HOST_BAD_INPUT, "the input's info file promises 4294967280 points");
    CHECK_EQ(test_folder_count(folder), 2);
    free(info);
    free(file);
    test_folder_remove(folder);
}

/* A payload one byte shorter and one byte longer than the stream of points. */
static void a_payload_must_hold_exactly_the_points(void)
{
    for (size_t c = 1; c < CODES; c++) {
        for (uint32_t count = 39; count <= 41; count += 2) {
            file_bytes *file = make_packed(codes[c], false);
            file->bytes[12] = (uint8_t)count;
            test_note("code %u, totpoint %u", codes[c], count);
            expect_refusal("wrong totpoint", file, "index");
            free(file);
        }
    }
}

static void bad_frames_of_blocks_are_refused_by_name(void)
{
    file_bytes *file = make_packed(2, false);
    uint32_t size = bphys_load_u32(file->bytes + 21, false);
    size_t settings = 25 + (size_t)size;
    file->bytes[settings] = 6;
    expect_refusal("six settings", file, "the LZMA settings of index have 6 bytes, expected 5");
    file->bytes[settings] = 0;
    expect_refusal("no settings", file, "64-bit big-endian Blender");
    file->bytes[settings] = 5;
    file->bytes[settings + 4] = 250;
    expect_refusal("settings of 250", file,
                   test_text("FILE:%zu: the first byte of the LZMA settings", settings + 4));
    file->bytes[settings + 4] = 0x5d;
    file->bytes[24] = 0x7f;
    expect_refusal("a long block", file, "FILE:21: the block of index promises");
    free(file);
    file = make_file(0x00010001u, 2, 2, false);
    file_add(file, "\x01\0\0", 3);
    expect_refusal("half a head", file,
                   "FILE:23: the file ends inside the head of the block of location");
    file_add(file, "\0\0", 2);
    expect_refusal("no payload", file,
                   "FILE:25: location needs 24 bytes, but its block of 0 bytes");
    free(file);
}

/* Blender 5 compresses empty streams, too; 4.5 and older write a zero byte per stream. */
static void a_frame_without_points_is_read_in_either_form(void)
{
    uint8_t *bytes;
    size_t size;
    if (!CHECK_EQ(
            host_read_file("tests/fixtures/blender/samples/G_empty_zstd.bphys", &bytes, &size),
            HOST_DONE))
        return;
    read_job job = {.bytes = bytes, .size = size};
    file_read(&job);
    CHECK(job.code == HOST_DONE && job.frame.count == 0 && job.frame.streams == 7);
    size_t again = 0;
    uint8_t *written = bphys_encode(&job.frame, POINT_PARTICLES, HOST_COMPRESSION_ZSTD, &again);
    CHECK(written && again == size && memcmp(written, bytes, 25) == 0);
    free(written);
    written = bphys_encode(&job.frame, POINT_PARTICLES, HOST_COMPRESSION_LIGHT, &again);
    CHECK(written && again == 23 && memcmp(written + 20, "\0\0", 3) == 0);
    free(written);
    host_frame_free(&job.frame);
    free(bytes);
}

static void trailing_zero_records_are_padding_in_blocks_too(void)
{
    file_bytes *file = make_file(0x00010001u, 3, 3, false), *content = make_file(0, 0, 0, false);
    content->size = 0;
    for (uint32_t i = 0; i < 3; i++) file_add_u32(content, i < 2 ? i : 0);
    add_block(file, 3, content, 3);
    content->size = 0;
    for (uint32_t i = 0; i < 9; i++) file_add_f32(content, i < 6 ? 1.0f : 0.0f);
    add_block(file, 3, content, 3);
    host_frame frame = file_good(file);
    CHECK(frame.count == 2 && ((float *)frame.data[POINT_LOCATION])[0] == 1.0f);
    host_frame_free(&frame);
    free(content);
    free(file);
}

/* Blender reads an index as signed: from 2^31 on it would point before its arrays. */
static void an_index_beyond_two_to_the_31_is_a_point_like_others(void)
{
    file_bytes *file = make_file(1, 2, 3, false);
    for (uint32_t i = 0; i < 2; i++) {
        file_add_u32(file, i ? 0xffffffffu : 0x80000000u);
        for (int k = 0; k < 3; k++) file_add_f32(file, 1);
    }
    host_frame frame = file_good(file);
    uint32_t at;
    CHECK(frame.count == 2 && host_frame_find(&frame, 0xffffffffu, &at) && at == 1);
    host_frame_free(&frame);
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
    test_expect(command_convert, test_text("convert %s/a %s/b --quiet", folder, folder),
                HOST_BAD_INPUT, "index 4294967295 is too high");
    test_folder_remove(folder);
    free(file);
}

/* ---- sequences */

static void the_highest_index_shows_in_packed_frames_too(void)
{
    for (size_t c = 0; c < CODES; c++) {
        host_sequence sequence;
        file_bytes *file = make_packed(codes[c], c % 2 == 1);
        char *folder = test_folder_make();
        test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
        if (CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE)) {
            CHECK_EQ(sequence.point_count, 118);
            host_sequence_close(&sequence);
        }
        test_folder_remove(folder);
        free(file);
    }
}

/* Blender 5 writes a frame without living particles with five bytes per stream. It stays a file;
   interpolation beside it gives no points. */
static void frames_without_points_stay_files_in_a_copy(void)
{
    char *folder = test_folder_make();
    uint8_t *bytes;
    size_t size;
    file_bytes *file = make_packed(3, false);
    if (!CHECK_EQ(
            host_read_file("tests/fixtures/blender/samples/G_empty_zstd.bphys", &bytes, &size),
            HOST_DONE))
        return;
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
    test_file_write(test_text("%s/a_000002_00.bphys", folder), bytes, size);
    test_expect(command_convert,
                test_text("convert %s/a %s/b --quiet --compression zstd", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/a_000002_00.bphys", folder),
                           test_text("%s/b_000002_00.bphys", folder)));
    free(bytes);
    free(file);
    test_folder_remove(folder);
}

/* The info file of a fluid may contain its springs. */
static void springs_of_the_info_file_are_kept(void)
{
    char *folder = test_folder_make();
    file_bytes *info = make_file(0x00020001u, 1, 0x40, false), *frame = make_file(1, 1, 3, false);
    for (int k = 0; k < 3; k++) file_add_f32(info, (float)(k + 1) * 10);
    file_add_u32(info, EXTRA_SPRINGS);
    file_add_u32(info, 1);
    file_add_f32(info, 0.5f);
    for (uint32_t k = 0; k < 3; k++) file_add_u32(info, k);
    file_add_u32(frame, 0);
    for (int k = 0; k < 3; k++) file_add_f32(frame, 1);
    test_file_write(test_text("%s/a_000000_00.bphys", folder), info->bytes, info->size);
    test_file_write(test_text("%s/a_000001_00.bphys", folder), frame->bytes, frame->size);
    test_expect(command_convert, test_text("convert %s/a %s/b --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK(test_files_equal(test_text("%s/a_000000_00.bphys", folder),
                           test_text("%s/b_000000_00.bphys", folder)));
    free(info);
    free(frame);
    test_folder_remove(folder);
}

static void objects_are_found_by_their_own_names(void)
{
    static const char *const spellings[] = {"57C3BC7266656C", "57FFFFFFC3FFFFFFBC7266656C",
                                            "57FFFF7266656C"};
    for (int i = 0; i < 3; i++) {
        CHECK(bphys_name_fits(spellings[i], "W\xc3\xbcrfel"));
        CHECK(!bphys_name_fits(spellings[i], "Wurfel") &&
              !bphys_name_fits(spellings[i], "W\xc3\xbc"));
        char *object = bphys_object_name(spellings[i]);
        CHECK(object && strcmp(object, i < 2 ? "W\xc3\xbcrfel" : "W??rfel") == 0);
        free(object);
    }
    static const char *const others[] = {"fire", "4", "abcd", "0A41", ""};
    for (int i = 0; i < 5; i++) CHECK(bphys_object_name(others[i]) == NULL);
    test_output output =
        test_command(command_info, "info tests/fixtures/blender/newton_s1/none/Emitter --json");
    CHECK(output.code == HOST_DONE && strstr(output.standard, "\"frames\": 40") != NULL);
    test_output_free(&output);
}

/* A passive body has a rotation of zeros, which must not be interpolated. */
static void a_rotation_of_zeros_is_no_rotation(void)
{
    for (int side = 0; side < 2; side++) {
        host_frame frame, after;
        host_sequence sequence;
        memset(&sequence, 0, sizeof sequence);
        sequence.type = POINT_RIGIDBODY;
        if (!host_frame_allocate(&frame, 1, 0x0a) || !host_frame_allocate(&after, 1, 0x0a)) exit(2);
        after.number = 2;
        ((float *)(side ? frame : after).data[POINT_ROTATION])[0] = 1;
        host_interpolate(&sequence, &frame, &after, 1);
        CHECK(((float *)frame.data[POINT_ROTATION])[0] == (float)side);
        CHECK(((float *)frame.data[POINT_ROTATION])[3] == 0.0f);
        host_frame_free(&frame);
        host_frame_free(&after);
    }
}

/* Blender also reads fire2_000001_00.bphys as a frame of "fire", and uses six characters of a
   number. */
static void a_name_is_no_prefix_and_an_index_no_part_of_it(void)
{
    char *folder = test_folder_make();
    static const char *const names[] = {"fire_000001_00", "fire2_000001_00", "fire_000001_01",
                                        "fire_000002", "fire__000003_00"};
    file_bytes *file = make_packed(1, false);
    for (int i = 0; i < 5; i++)
        test_file_write(test_text("%s/%s.bphys", folder, names[i]), file->bytes, file->size);
    static const char *const paths[] = {"fire_*_00.bphys", "fire2", "fire_*_01.bphys",
                                        "fire_000002.bphys", "fire_"};
    for (int i = 0; i < 5; i++) {
        host_sequence sequence;
        test_note("%s", paths[i]);
        if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/%s", folder, paths[i]), NULL),
                      HOST_DONE))
            continue;
        CHECK_EQ(sequence.frame_count, 1);
        host_sequence_close(&sequence);
    }
    test_expect(
        command_convert, test_text("convert %s/fire %s/out.csv", folder, folder), HOST_USAGE,
        "several sequences fit: fire_*.bphys, fire_*_00.bphys, fire_*_01.bphys; name one of them");
    /* Writing one sequence leaves the files of the other sequences unchanged. */
    test_expect(command_convert,
                test_text("convert %s/fire2 %s/fire_*_01.bphys --quiet", folder, folder), HOST_DONE,
                NULL);
    CHECK_EQ(test_folder_count(folder), 6);
    free(file);
    test_folder_remove(folder);
}

/* ---- painted surfaces */

static file_bytes *make_surface(uint16_t kind, uint8_t code, bool big_endian,
                                uint32_t element_words)
{
    file_bytes *file = make_file(5, POINTS, 3, big_endian),
               *content = make_file(0, 0, 0, big_endian);
    file_add(file, "1.01", 4);
    file_add_u16(file, kind);
    file_add_u16(file, 1); /* depth */
    content->size = 0;
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t k = 0; k < element_words; k++) {
            bool is_state = (kind == 0 && k == 5) || (kind == 3 && k == element_words - 1);
            if (!is_state) file_add_f32(content, (float)(i % 5) + 0.25f * (float)k);
            if (is_state) file_add_u16(content, (uint16_t)(i % 2 ? 0xffffu : 2u));
            if (is_state) file_add_u16(content, 0xabcd);
        }
    add_block(file, code, content, POINTS);
    free(content);
    return file;
}

static int16_t state_at(const void *elements, size_t bytes, size_t offset, size_t i)
{
    int16_t state;
    memcpy(&state, (const uint8_t *)elements + i * bytes + offset, sizeof state);
    return state;
}

static void check_surface(uint16_t kind, const host_frame *frame)
{
    const float *paint = frame->data[POINT_PAINT], *wave = frame->data[POINT_WAVE],
                *wet = frame->data[POINT_WET];
    if (!CHECK_EQ(frame->count, POINTS)) return;
    CHECK_EQ(frame->depth, 1);
    if (kind == 0 && CHECK(paint && wet)) {
        CHECK(wet[39 * 6 + 4] == 5.0f && paint[39 * 4] == 5.5f && paint[39 * 4 + 3] == 6.25f);
        CHECK(state_at(wet, 24, 20, 39) == -1 && state_at(wet, 24, 20, 38) == 2);
    }
    if (kind == 1)
        CHECK(frame->data[POINT_DISPLACE] && ((float *)frame->data[POINT_DISPLACE])[39] == 4.0f);
    if (kind == 2)
        CHECK(frame->data[POINT_WEIGHT] && ((float *)frame->data[POINT_WEIGHT])[38] == 3.0f);
    if (kind == 3 && CHECK(wave != NULL))
        CHECK(wave[39 * 4 + 2] == 4.5f && state_at(wave, 16, 12, 39) == -1);
}

static const uint32_t element_words[] = {10, 1, 1, 4};

static void surfaces_of_every_kind_are_read_and_written(void)
{
    for (uint16_t kind = 0; kind < 4; kind++) {
        for (size_t c = 0; c < CODES; c++) {
            for (int order = 0; order < 2; order++) {
                file_bytes *file = make_surface(kind, codes[c], order == 1, element_words[kind]);
                host_frame frame = file_good(file);
                size_t size = 0;
                test_note("kind %u, code %u", kind, codes[c]);
                check_surface(kind, &frame);
                uint8_t *written =
                    bphys_encode(&frame, POINT_DYNAMIC_PAINT, HOST_COMPRESSION_NONE, &size);
                if (!codes[c] && !order)
                    CHECK(written && size == file->size && memcmp(written, file->bytes, size) == 0);
                free(written);
                host_frame_free(&frame);
                free(file);
            }
        }
    }
}

/* In files of early Blender versions with waves, a point has 12 bytes. */
static void early_waves_have_no_brush(void)
{
    for (int code = 0; code < 2; code++) {
        file_bytes *file = make_surface(3, (uint8_t)code, false, 3);
        host_frame frame = file_good(file);
        const float *wave = frame.data[POINT_WAVE];
        if (CHECK(frame.count == POINTS && wave != NULL)) {
            CHECK(wave[39 * 4 + 1] == 4.25f && wave[39 * 4 + 2] == 0.0f &&
                  state_at(wave, 16, 12, 38) == 2);
        }
        host_frame_free(&frame);
        free(file);
    }
}

static void bad_surfaces_are_refused_by_name(void)
{
    file_bytes *file = make_surface(1, 0, false, 1);
    file->bytes[24] = 4;
    expect_refusal("kind 4", file, "FILE:24: type of the surface is 4");
    file->bytes[23] = '2';
    expect_refusal("version", file, "FILE:20: version of the surface is not 1.01");
    free(file);
    file = make_surface(1, 0, false, 1);
    file->size = 26;
    expect_refusal("cut", file, "FILE:26: the file ends inside the type of the surface");
    file->size = 100;
    expect_refusal("short", file, "FILE:29: the surface needs 160 bytes, the file has 71 left");
    file->size = 24; /* a surface stored as images has no values */
    host_frame frame = file_good(file);
    CHECK(frame.count == 0 && frame.streams == 0);
    host_frame_free(&frame);
    free(file);
}

/* Every kind to a table and back. Only the displacement type and two unused bytes are lost. */
static void surfaces_survive_the_way_through_a_table(void)
{
    for (uint16_t kind = 0; kind < 4; kind++) {
        char *folder = test_folder_make();
        file_bytes *file = make_surface(kind, 1, false, element_words[kind]);
        test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
        test_file_write(test_text("%s/a_000003_00.bphys", folder), file->bytes, file->size);
        test_expect(command_convert, test_text("convert %s/a %s/t.csv --quiet", folder, folder),
                    HOST_DONE, NULL);
        test_expect(command_convert,
                    test_text("convert %s/t.csv %s/b --quiet --compression zstd", folder, folder),
                    HOST_DONE, NULL);
        test_expect(command_convert, test_text("convert %s/b %s/u.csv --quiet", folder, folder),
                    HOST_DONE, NULL);
        test_note("kind %u", kind);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/u.csv", folder)));
        CHECK(!test_file_exists(test_text("%s/b_000000_00.bphys", folder)));
        test_folder_remove(folder);
        free(file);
    }
}

/* ---- smoke */

static void add_grid(file_bytes *file, uint8_t code, uint32_t cells, uint32_t cell_size)
{
    file_bytes *content = make_file(0, 0, 0, file->big_endian);
    content->size = (size_t)cells * cell_size;
    memset(content->bytes, 7, content->size);
    add_block(file, code, content, cells);
    free(content);
}

/* 2 x 3 x 4 cells with heat and colours, and fine grids of twice the resolution. */
static file_bytes *make_smoke(uint8_t code, uint8_t fine_code, bool big_endian)
{
    static const uint8_t tail[180] = {0};
    file_bytes *file = make_file(3, 24, 6, big_endian);
    file_add(file, "1.04", 4);
    for (uint32_t word = 0; word < 6; word++)
        file_add_u32(file, word == 0 ? 5 : word == 1 ? 0 : word < 5 ? word : 0x3f800000u);
    for (int grid = 0; grid < 10; grid++) add_grid(file, code, 24, 4);
    add_grid(file, code, 24, 1);
    file_add(file, tail, sizeof tail);
    for (int grid = 0; grid < 4; grid++) add_grid(file, fine_code, 24 * 8, 4);
    for (int grid = 0; grid < 3; grid++) add_grid(file, code, 24, 4);
    return file;
}

static void smoke_is_measured_to_its_last_byte(void)
{
    for (uint8_t code = 0; code < 3; code++) {
        for (uint8_t fine = 0; fine < 3; fine++) {
            for (int order = 0; order < 2; order++) {
                file_bytes *file = make_smoke(code, fine, order == 1);
                host_frame frame;
                size_t end = 0;
                test_note("codes %u and %u", code, fine);
                CHECK_EQ(bphys_read("FILE", file->bytes, file->size, &frame, &end), HOST_DONE);
                CHECK(end == file->size && frame.count == 0);
                char *detail = bphys_describe_smoke(file->bytes, file->size);
                CHECK(detail &&
                      strcmp(detail, "2 x 3 x 4 cells, 18 grids, fine ones too, heat, colors") ==
                          0);
                free(detail);
                host_frame_free(&frame);
                file->size--;
                expect_refusal("cut smoke", file, "FILE:");
                free(file);
            }
        }
    }
}

static void smoke_before_2_65_is_measured_too(void)
{
    file_bytes *file = make_file(3, 30, 2, false);
    for (int grid = 0; grid < 11; grid++) add_grid(file, (uint8_t)(grid % 2), 30, 4);
    add_grid(file, 1, 30, 1);
    file_add_u32(file, 0);
    file_add_u32(file, 0);
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
    test_output output = test_command(command_info, test_text("info %s", folder));
    CHECK(output.code == HOST_DONE && strstr(output.standard, "30 cells, 12 grids") != NULL &&
          strstr(output.standard, "smoke") != NULL);
    test_output_free(&output);
    test_expect(command_convert, test_text("convert %s/a %s/t.csv", folder, folder), HOST_BAD_INPUT,
                "this is a smoke cache, which holds grids and no points");
    test_folder_remove(folder);
    free(file);
}

/* ---- files without a header */

static void headerless_files_are_read_when_their_type_is_named(void)
{
    static const char *const types[] = {"particles", "softbody", "cloth"};
    static const uint32_t words[] = {14, 6, 9};
    for (int t = 0; t < 3; t++) {
        for (int order = 0; order < 2; order++) {
            host_frame frame;
            host_sequence sequence;
            char *folder = test_folder_make();
            file_bytes *file = make_file(0, 0, 0, order == 1);
            file->size = 0;
            for (uint32_t i = 0; i < 6 * words[t]; i++) file_add_f32(file, (float)i);
            test_file_write(test_text("%s/a_000001_00.bphys", folder), file->bytes, file->size);
            const host_format *format = host_format_named(test_text("headerless-%s", types[t]));
            if (CHECK(format) &&
                CHECK_EQ(host_sequence_open(&sequence, folder, format), HOST_DONE)) {
                CHECK(sequence.point_count == 6 &&
                      strcmp(point_type_name(sequence.type), types[t]) == 0);
                if (CHECK_EQ(host_sequence_load(&sequence, 0, &frame), HOST_DONE)) {
                    const float *velocity = frame.data[POINT_VELOCITY],
                                *angular = frame.data[POINT_ANGULAR];
                    CHECK(frame.count == 6 && velocity[3] == (float)(words[t] + (t == 2 ? 6 : 3)));
                    /* the pinned position is in the middle */
                    if (t == 2) CHECK(angular[0] == 3.0f);
                    if (t == 0)
                        CHECK(angular[0] == 10.0f &&
                              ((float *)frame.data[POINT_ROTATION])[3] == 9.0f);
                    host_frame_free(&frame);
                }
                host_sequence_close(&sequence);
            }
            test_expect(command_convert,
                        test_text("convert %s/a %s/t.csv --from bphys", folder, folder),
                        HOST_BAD_INPUT, "--from headerless-particles, -softbody or -cloth");
            test_expect(command_convert,
                        test_text("convert %s/a %s/t.csv --from headerless-%s --quiet", folder,
                                  folder, types[t]),
                        HOST_DONE, NULL);
            test_folder_remove(folder);
            free(file);
        }
    }
    char *folder = test_folder_make();
    test_expect(command_convert,
                test_text("convert tests/fixtures/blender/softbody/none %s/x.csv --from "
                          "headerless-softbody --quiet",
                          folder),
                HOST_BAD_INPUT, ":0: expected a file without a header");
    test_expect(
        command_convert,
        test_text("convert tests/fixtures/blender/softbody/none %s/x --to headerless-cloth --quiet",
                  folder),
        HOST_USAGE, "headerless-cloth is only read, not written");
    test_expect(command_convert, "convert a b.nothing", HOST_USAGE, "abc, usda, usdc, tpc)");
    test_expect(command_convert, "convert a b --to nothing", HOST_USAGE, "abc, usda, usdc, tpc\n");
    test_expect(command_convert, "convert a b --from nothing", HOST_USAGE,
                "tpc, headerless-particles, ");
    CHECK_EQ(test_folder_count(folder), 0);
    test_folder_remove(folder);
}

/* ---- damage */

typedef struct change_job {
    const file_bytes *file;
    int halves; /* truncations that still gave points */
} change_job;

/* Every truncation, and other values of every byte: refused, or read without leaving the file's
   bytes. */
static void change_everything(void *context)
{
    change_job *job_of = context;
    const file_bytes *file = job_of->file;
    file_bytes *changed = malloc(sizeof *changed);
    if (!changed) exit(2);
    *changed = *file;
    for (size_t size = 0; size < file->size; size++) {
        read_job cut = {.bytes = file->bytes, .size = size};
        file_read(&cut);
        job_of->halves += !cut.code && cut.frame.count;
        host_frame_free(&cut.frame);
    }
    for (size_t at = 0; at < file->size; at++) {
        for (uint32_t value = 0; value < 256; value += at < 64 ? 1 : 15) {
            changed->bytes[at] = (uint8_t)value;
            read_job job = {.bytes = changed->bytes, .size = changed->size};
            file_read(&job);
            host_frame_free(&job.frame);
        }
        changed->bytes[at] = file->bytes[at];
    }
    free(changed);
}

static void check_changes(file_bytes *file)
{
    change_job job = {.file = file};
    free(test_errors_of(change_everything, &job));
    CHECK_EQ(job.halves, 0);
    free(file);
}

static void half_a_packed_file_is_no_frame_and_no_change_is_fatal(void)
{
    for (size_t c = 0; c < CODES; c++) {
        check_changes(make_packed(codes[c], false));
        if (!test_runs((uint32_t)c, 4)) continue;
        check_changes(make_surface((uint16_t)(c % 4), codes[c], false, element_words[c % 4]));
    }
}

static const test_case cases[] = {
    TEST_CASE(every_code_is_read_in_both_byte_orders),
    TEST_CASE(blocks_of_one_file_may_have_different_codes),
    TEST_CASE(an_empty_lzma_block_ends_with_its_size),
    TEST_CASE(a_tiny_file_that_claims_gigabytes_is_refused_before_room_is_made),
    TEST_CASE(an_info_file_that_promises_billions_is_refused),
    TEST_CASE(a_payload_must_hold_exactly_the_points),
    TEST_CASE(bad_frames_of_blocks_are_refused_by_name),
    TEST_CASE(a_frame_without_points_is_read_in_either_form),
    TEST_CASE(trailing_zero_records_are_padding_in_blocks_too),
    TEST_CASE(an_index_beyond_two_to_the_31_is_a_point_like_others),
    TEST_CASE(the_highest_index_shows_in_packed_frames_too),
    TEST_CASE(frames_without_points_stay_files_in_a_copy),
    TEST_CASE(springs_of_the_info_file_are_kept),
    TEST_CASE(objects_are_found_by_their_own_names),
    TEST_CASE(a_rotation_of_zeros_is_no_rotation),
    TEST_CASE(a_name_is_no_prefix_and_an_index_no_part_of_it),
    TEST_CASE(surfaces_of_every_kind_are_read_and_written),
    TEST_CASE(early_waves_have_no_brush),
    TEST_CASE(bad_surfaces_are_refused_by_name),
    TEST_CASE(surfaces_survive_the_way_through_a_table),
    TEST_CASE(smoke_is_measured_to_its_last_byte),
    TEST_CASE(smoke_before_2_65_is_measured_too),
    TEST_CASE(headerless_files_are_read_when_their_type_is_named),
    TEST_CASE(half_a_packed_file_is_no_frame_and_no_change_is_fatal),
};
TEST_SUITE(bphys_blocks, cases);
