/* SPDX-License-Identifier: MIT
   tests/unit/test_bphys.c - Blender point caches: headers, bodies, names, writing, interpolation,
           damage.
   reads   tests/fixtures/blender          writes  a temporary folder
   memory  malloc                          cost    under a second
   after   own design */
#include "../harness/bphys_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);

/* ---- bytes of files, built by hand */

static void add_particle(file_bytes *file, uint32_t index, const float values[6])
{
    file_add_u32(file, index);
    for (int i = 0; i < 6; i++) file_add_f32(file, values[i]);
}

static const float values_a[6] = {1, 2, 3, 0, 0, -9.81f}, values_b[6] = {-0.5f, 0, 4, 1, 0, 0};

/* ---- reading */

static void check_two_particles(const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *location = frame->data[POINT_LOCATION], *velocity = frame->data[POINT_VELOCITY];
    if (!CHECK_EQ(frame->count, 2)) return;
    CHECK_EQ(indices[0], 3);
    CHECK_EQ(indices[1], 7);
    CHECK(memcmp(location, values_a, 12) == 0 && memcmp(location + 3, values_b, 12) == 0);
    CHECK(memcmp(velocity, values_a + 3, 12) == 0 && memcmp(velocity + 3, values_b + 3, 12) == 0);
}

static void a_plain_particle_frame_is_read_as_written(void)
{
    file_bytes file = file_header(1, 2, 7, false);
    add_particle(&file, 3, values_a);
    add_particle(&file, 7, values_b);
    host_frame frame = file_good(&file);
    size_t size;
    check_two_particles(&frame);
    uint8_t *written = bphys_encode(&frame, POINT_PARTICLES, HOST_COMPRESSION_NONE, &size);
    CHECK_EQ(size, 76);
    CHECK(written && size == file.size && memcmp(written, file.bytes, size) == 0);
    free(written);
    host_frame_free(&frame);
}

static void a_big_endian_file_is_recognised_and_read(void)
{
    file_bytes file = file_header(1, 2, 7, true), soft = file_header(0, 1, 6, true);
    add_particle(&file, 3, values_a);
    add_particle(&file, 7, values_b);
    for (int i = 0; i < 6; i++) file_add_f32(&soft, values_a[i]);
    host_frame frame = file_good(&file);
    check_two_particles(&frame);
    host_frame_free(&frame);
    /* type 0 reads the same in both byte orders: the stream mask decides */
    frame = file_good(&soft);
    if (CHECK_EQ(frame.count, 1)) CHECK(memcmp(frame.data[POINT_LOCATION], values_a, 12) == 0);
    host_frame_free(&frame);
}

static void boids_keep_their_two_halves_in_either_byte_order(void)
{
    for (int order = 0; order < 2; order++) {
        file_bytes file = file_header(1, 1, 0x80, order == 1);
        int16_t halves[2];
        for (int i = 0; i < 4; i++) file_add_f32(&file, 0.5f);
        file_add_u32(&file, order ? 0x00010003u : 0x00030001u); /* state 1, mode 3 */
        host_frame frame = file_good(&file);
        if (CHECK_EQ(frame.count, 1)) {
            memcpy(halves, (uint8_t *)frame.data[POINT_BOIDS] + 16, sizeof halves);
            CHECK_EQ(halves[0], 1);
            CHECK_EQ(halves[1], 3);
        }
        host_frame_free(&frame);
    }
}

static void indices_out_of_order_are_sorted_and_the_last_record_wins(void)
{
    file_bytes file = file_header(1, 4, 7, false);
    add_particle(&file, 7, values_a);
    add_particle(&file, 9, values_a);
    add_particle(&file, 3, values_a);
    add_particle(&file, 7, values_b);
    host_frame frame = file_good(&file);
    const uint32_t *indices = frame.data[POINT_INDEX];
    if (CHECK_EQ(frame.count, 3)) {
        CHECK(indices[0] == 3 && indices[1] == 7 && indices[2] == 9);
        CHECK(memcmp((float *)frame.data[POINT_LOCATION] + 3, values_b, 12) == 0);
    }
    host_frame_free(&frame);
}

static void zero_records_at_the_end_are_padding(void)
{
    static const float zero[6] = {0};
    file_bytes file = file_header(1, 3, 7, false);
    add_particle(&file, 0, values_a);
    add_particle(&file, 5, values_b);
    add_particle(&file, 0, zero);
    host_frame frame = file_good(&file);
    CHECK_EQ(frame.count, 2);
    if (frame.count) CHECK(memcmp(frame.data[POINT_LOCATION], values_a, 12) == 0);
    host_frame_free(&frame);
}

static void a_file_without_index_numbers_its_points(void)
{
    file_bytes file = file_header(1, 2, 2, false);
    for (int i = 0; i < 6; i++) file_add_f32(&file, values_a[i]);
    host_frame frame = file_good(&file);
    const uint32_t *indices = frame.data[POINT_INDEX];
    CHECK(frame.count == 2 && indices[0] == 0 && indices[1] == 1);
    host_frame_free(&frame);
}

static void stored_blocks_of_a_compressed_file_are_read(void)
{
    file_bytes file = file_header(0x00010001u, 2, 7, false);
    file.bytes[file.size++] = 0;
    file_add_u32(&file, 3);
    file_add_u32(&file, 7);
    for (int stream = 0; stream < 2; stream++) {
        file.bytes[file.size++] = 0;
        for (int i = 0; i < 6; i++)
            file_add_f32(&file, (i < 3 ? values_a : values_b)[stream * 3 + i % 3]);
    }
    host_frame frame = file_good(&file);
    check_two_particles(&frame);
    host_frame_free(&frame);
}

static file_bytes with_springs(uint32_t stray)
{
    file_bytes file = file_header(0x00020001u, 1, 7, false);
    add_particle(&file, 0, values_a);
    file_add_u32(&file, 1);
    file_add_u32(&file, 2);
    for (uint32_t i = 0; i < 8; i++) file_add_u32(&file, i);
    file.size += stray;
    return file;
}

static void extra_data_is_kept_and_written_again(void)
{
    size_t size;
    file_bytes file = with_springs(0), stray = with_springs(3);
    host_frame frame = file_good(&stray);
    CHECK_EQ(frame.extra[EXTRA_SPRINGS].count, 2);
    uint8_t *written = bphys_encode(&frame, POINT_PARTICLES, HOST_COMPRESSION_NONE, &size);
    CHECK(written && size == file.size && memcmp(written, file.bytes, size) == 0);
    free(written);
    host_frame_free(&frame);
}

/* ---- damage */

typedef struct malformed {
    const char *what;
    size_t at;
    uint32_t value; /* write the value at this offset instead */
    const char *message;
} malformed;

static void malformed_headers_are_refused_by_name(void)
{
    static const malformed cases[] = {
        {"magic", 0, 0x53594850u, "FILE:0: magic is not BPHYSICS"},
        {"type 7", 8, 7, "FILE:8: simulation type is 7"},
        {"smoke", 8, 3, "FILE:20: compression code of shadow is 3, expected 0, 1 or 2"},
        {"fine smoke", 8, 4, "FILE:20: compression code of density is 3, expected 0, 1 or 2"},
        {"dynamic paint", 8, 5, "FILE:20: version of the surface is not 1.01"},
        {"flag 18", 8, 0x00040001u, "FILE:8: flags are 0x00040000"},
        {"flag 31", 8, 0x80000001u, "FILE:8: flags are 0x80000000"},
        {"totpoint one more", 12, 3, "FILE:76: totpoint promises 3 records"},
        {"totpoint huge", 12, 0xffffffffu,
         "FILE:76: totpoint promises 4294967295 records of 28 bytes"},
        {"totpoint wraps 32 bits", 12, 0x09249249u, "FILE:76: totpoint promises 153391689"},
        {"stream 8", 16, 0x107, "FILE:16: data_types is 0x00000107"},
        {"stream 31", 16, 0x80000007u, "FILE:16: data_types is 0x80000007"},
        {"more streams than bytes", 16, 0xff, "FILE:76: totpoint promises 2 records of 92 bytes"},
        {"extra data missing", 8, 0x00020001u, "FILE:76: the flags promise extra data"},
        {"records read as blocks", 8, 0x00010001u,
         "FILE:25: index needs 8 bytes, but its block of 0 bytes can hold 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        file_bytes file = file_header(1, 2, 7, false);
        add_particle(&file, 3, values_a);
        add_particle(&file, 7, values_b);
        size_t size = file.size;
        file.size = cases[i].at;
        file_add_u32(&file, cases[i].value);
        file_refused(cases[i].what, file.bytes, size, cases[i].message);
    }
}

static void bad_blocks_and_extra_data_are_refused_by_name(void)
{
    file_bytes block = file_header(0x00010001u, 2, 1, false);
    block.bytes[block.size] = 9;
    file_refused("code 9", block.bytes, block.size + 9, "FILE:20: compression code of index is 9");
    block.bytes[block.size] = 1;
    file_refused("code 1", block.bytes, block.size + 9,
                 "FILE:25: index needs 8 bytes, but its block of 0");
    block.bytes[block.size] = 0;
    file_refused("short block", block.bytes, block.size + 8,
                 "FILE:21: index needs 8 bytes, the file has 7 left");
    file_refused("no block", block.bytes, block.size,
                 "FILE:20: the file ends before the block of index");
    file_bytes extra = with_springs(0);
    extra.bytes[48] = 3;
    file_refused("extra type 3", extra.bytes, extra.size, "FILE:48: extra data has type 3");
    extra = with_springs(0);
    extra.bytes[52] = 3;
    file_refused("extra count", extra.bytes, extra.size,
                 "FILE:52: extra data of type 1 promises 3 elements");
    memset(extra.bytes + 52, 0xff, 4);
    file_refused("extra huge", extra.bytes, extra.size,
                 "promises 4294967295 elements, which is 68719476720 bytes");
    file_refused("extra cut", extra.bytes, 54,
                 "FILE:54: the file ends before the count of extra data of type 1");
    file_refused("no extra", extra.bytes, 50, "FILE:48: the flags promise extra data");
}

/* Every truncation of a fixture. The error messages would fill the log, so they are captured. */
static void truncate_everywhere(void *context)
{
    read_job *whole = context;
    whole->code = 0;
    for (size_t size = 0; size < whole->size; size++) {
        read_job cut = {.bytes = whole->bytes, .size = size};
        file_read(&cut);
        if (cut.code != HOST_BAD_INPUT) whole->code++;
        host_frame_free(&cut.frame);
    }
}

static void every_truncation_is_an_error(void)
{
    static const char *const files[][2] = {{"newton_s1/none", "456D6974746572"},
                                           {"softbody/none", "4A656C6C79"},
                                           {"sph_adaptive/none", "456D6974746572"},
                                           {"newton_s5_mem/light", "456D6974746572"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        host_sequence sequence;
        read_job job = {.bytes = NULL};
        uint8_t *bytes;
        const char *folder = test_text("tests/fixtures/blender/%s", files[i][0]);
        if (!CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE)) continue;
        char *path = bphys_path(sequence.folder, sequence.name,
                                sequence.numbers[sequence.frame_count > 2 ? 2 : 0], "_00");
        if (CHECK_EQ(host_read_file(path, &bytes, &job.size), HOST_DONE)) {
            job.bytes = bytes;
            char *errors = test_errors_of(truncate_everywhere, &job);
            test_note("%s, %d lengths were accepted", path, job.code);
            CHECK_EQ(job.code, 0);
            free(errors);
            free(bytes);
        }
        free(path);
        host_sequence_close(&sequence);
    }
}

/* Sets each byte of a small file to each of eight values: any result is right except a crash or an
   access out of bounds. */
static void change_bytes(void *context)
{
    static const uint8_t values[8] = {0, 1, 2, 3, 0x7f, 0x80, 0xfe, 0xff};
    file_bytes whole = with_springs(0);
    int *done = context;
    for (size_t at = 0; at < whole.size; at++) {
        for (int v = 0; v < 8; v++) {
            file_bytes changed = whole;
            changed.bytes[at] = values[v];
            read_job job = {.bytes = changed.bytes, .size = changed.size};
            file_read(&job);
            host_frame_free(&job.frame);
            ++*done;
        }
    }
}

static void no_changed_byte_crashes_the_reader(void)
{
    int done = 0;
    free(test_errors_of(change_bytes, &done));
    CHECK_EQ(done, 88 * 8);
}

/* ---- names */

static void names_are_parsed_as_blender_makes_them(void)
{
    static const struct {
        const char *file, *name, *suffix;
        int32_t frame;
    } good[] = {
        {"fire_000012_01.bphys", "fire", "_01", 12},
        {"43756265_000001_00.bphys", "43756265", "_00", 1},
        {"fire_000000_00.bphys", "fire", "_00", 0},
        {"fire_000012.bphys", "fire", "", 12},
        {"fire_1234567_00.bphys", "fire", "_00", 1234567},
        {"fire_-00005_00.bphys", "fire", "_00", -5},
        {"fire_000012_100.bphys", "fire", "_100", 12},
        {"_000012_00.bphys", "", "_00", 12},
        {"a_000001_00_000002_00.bphys", "a_000001_00", "_00", 2},
        {"a b_c_999999_99.bphys", "a b_c", "_99", 999999},
    };
    static const char *const bad[] = {"",
                                      ".bphys",
                                      "fire.bphys",
                                      "fire_00.bphys",
                                      "fire_00012_00.bphys",
                                      "fire_0000012_00.bphys",
                                      "fire_000012_00.bphys.partial",
                                      "fire_000012_0.bphys",
                                      "fire_000012_012.bphys",
                                      "fire_000012_00.vdb",
                                      "fire_00001x_00.bphys",
                                      "fire000012_00.bphys",
                                      "fire_-000005_00.bphys",
                                      "fire_12345678_00.bphys"};
    bphys_name parsed;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        test_note("%s", good[i].file);
        if (!CHECK(bphys_parse_name(good[i].file, &parsed))) continue;
        CHECK_EQ(parsed.name_length, strlen(good[i].name));
        CHECK(strncmp(good[i].file, good[i].name, parsed.name_length) == 0);
        CHECK(strcmp(parsed.suffix, good[i].suffix) == 0);
        CHECK(parsed.frame == good[i].frame);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test_note("%s", bad[i]);
        CHECK(!bphys_parse_name(bad[i], &parsed));
    }
}

static void paths_name_a_sequence(void)
{
    static const struct {
        const char *path, *folder, *name, *suffix;
    } cases[] = {
        {"out/dam_break", "out", "dam_break", NULL},
        {"dam_break", ".", "dam_break", NULL},
        {"out/dam_*_00.bphys", "out", "dam", "_00"},
        {"out/dam_*.bphys", "out", "dam", NULL},
        {"out/dam_000007_03.bphys", "out", "dam", "_03"},
        {"out/dam_000007.bphys", "out", "dam", ""},
        {"out/dam.bphys", "out", "dam", NULL},
        {"/dam", "/", "dam", NULL},
        {"a/b.c/456D6974746572", "a/b.c", "456D6974746572", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bphys_pattern place;
        test_note("%s", cases[i].path);
        if (!CHECK(bphys_pattern_parse(cases[i].path, &place))) continue;
        CHECK(strcmp(place.folder, cases[i].folder) == 0);
        CHECK(strcmp(place.name, cases[i].name) == 0);
        CHECK(cases[i].suffix ? place.suffix && strcmp(place.suffix, cases[i].suffix) == 0
                              : !place.suffix);
        bphys_pattern_free(&place);
    }
}

/* ---- interpolation */

/* Interpolates one particle (or vertex) between x1, v1 and x2, v2 of two frames. */
static float x_between(uint32_t type, const float keys[4], int32_t first, int32_t second, double at,
                       float times[3])
{
    host_frame before, after;
    host_sequence sequence;
    memset(&sequence, 0, sizeof sequence);
    sequence.type = type;
    sequence.times = times;
    sequence.point_count = 1;
    host_frame_allocate(&before, 1, 7);
    host_frame_allocate(&after, 1, 7);
    before.number = first;
    after.number = second;
    ((float *)before.data[POINT_LOCATION])[0] = keys[0];
    ((float *)before.data[POINT_VELOCITY])[0] = keys[1];
    ((float *)after.data[POINT_LOCATION])[0] = keys[2];
    ((float *)after.data[POINT_VELOCITY])[0] = keys[3];
    host_interpolate(&sequence, &before, &after, at);
    float x = ((float *)before.data[POINT_LOCATION])[0];
    CHECK(before.number == at);
    host_frame_free(&before);
    host_frame_free(&after);
    return x;
}

static void hermite_has_the_tangents_of_each_type(void)
{
    static const float particle[4] = {0, 5, 4, 15}, cloth[4] = {0, 0.25f, 1, 0.75f},
                       body[4] = {1, 9, 3, 9};
    CHECK_NEAR(x_between(POINT_PARTICLES, particle, 10, 20, 15, NULL), 1.5, 1e-6);
    CHECK_NEAR(x_between(POINT_CLOTH, cloth, 10, 12, 11, NULL), 0.375, 1e-6);
    CHECK_NEAR(x_between(POINT_SOFTBODY, cloth, 10, 12, 11, NULL), 0.375, 1e-6);
    CHECK_NEAR(x_between(POINT_RIGIDBODY, body, 10, 14, 11, NULL), 1.5, 1e-6);
}

static void nothing_moves_after_death_or_counts_before_birth(void)
{
    static const float keys[4] = {0, 25, 4, 25}; /* 25 units/s are one unit per frame */
    float dies[3] = {0, 14, 14}, born[3] = {16, 100, 84};
    CHECK_NEAR(x_between(POINT_PARTICLES, keys, 10, 20, 14, dies), 4,
               1e-5); /* the second key holds the state at death */
    CHECK_NEAR(x_between(POINT_PARTICLES, keys, 10, 20, 18, dies), 4, 1e-5);
    CHECK_NEAR(x_between(POINT_PARTICLES, keys, 10, 20, 18, born), 2,
               1e-5); /* 4 units in the 4 frames since birth */
}

static void rotations_take_the_short_way(void)
{
    host_frame before, after;
    host_sequence sequence;
    memset(&sequence, 0, sizeof sequence);
    sequence.type = POINT_RIGIDBODY;
    for (int sign = -1; sign <= 1; sign += 2) {
        float first[4] = {1, 0, 0, 0}, second[4] = {0.70710678f, 0, 0, 0.70710678f};
        host_frame_allocate(&before, 1, 0x0a);
        host_frame_allocate(&after, 1, 0x0a);
        for (int k = 0; k < 4; k++) second[k] *= (float)sign;
        memcpy(before.data[POINT_ROTATION], first, sizeof first);
        memcpy(after.data[POINT_ROTATION], second, sizeof second);
        before.number = 0;
        after.number = 2;
        host_interpolate(&sequence, &before, &after, 1);
        CHECK_NEAR(((float *)before.data[POINT_ROTATION])[0], 0.92388 * sign, 1e-5);
        CHECK_NEAR(((float *)before.data[POINT_ROTATION])[3], 0.38268 * sign, 1e-5);
        host_frame_free(&before);
        host_frame_free(&after);
    }
}

/* ---- writing */

static bphys_writer *open_writer(const char *folder, bool y_up)
{
    int code;
    bphys_writer_options options = {folder, "test", 60, y_up, false};
    bphys_writer *writer = bphys_writer_open(&options, &code);
    CHECK(writer && code == HOST_DONE);
    return writer;
}

/* Point 5 in frames 1 to 3, point 2 in frames 2 and 3, point 9 in frames 3 and 5; frame 4 has no
   point. */
static bool write_three_points(bphys_writer *writer)
{
    static const uint32_t ids[3] = {5, 2, 9};
    static const float positions[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                       velocities[9] = {60, 0, 0, 0, 60, 0, 0, 0, 60};
    return bphys_writer_frame(writer, 1, 1, ids, positions, velocities) == HOST_DONE &&
           bphys_writer_frame(writer, 2, 2, ids, positions, velocities) == HOST_DONE &&
           bphys_writer_frame(writer, 3, 3, ids, positions, velocities) == HOST_DONE &&
           bphys_writer_frame(writer, 4, 0, ids, positions, velocities) == HOST_DONE &&
           bphys_writer_frame(writer, 5, 1, ids + 2, positions + 6, velocities + 6) == HOST_DONE;
}

static void a_recorded_world_is_z_up_with_velocities_per_particle_second(void)
{
    char *folder = test_folder_make();
    host_sequence sequence;
    host_frame frame;
    bphys_writer *writer = open_writer(folder, true);
    CHECK(write_three_points(writer));
    CHECK_EQ(bphys_writer_close(writer, NULL, 0), HOST_DONE);
    if (CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE)) {
        CHECK_EQ(sequence.frame_count, 4);
        if (CHECK_EQ(host_sequence_load(&sequence, 2, &frame), HOST_DONE)) {
            const float *location = frame.data[POINT_LOCATION],
                        *velocity = frame.data[POINT_VELOCITY];
            const uint32_t *indices = frame.data[POINT_INDEX];
            CHECK(frame.count == 3 && indices[0] == 2 && indices[1] == 5 && indices[2] == 9);
            CHECK(location[0] == 4 && location[1] == -6 && location[2] == 5);
            /* 60 units/s at 60 frames/s are one unit per frame, or 25 units/s at 0.04 s per
               frame */
            CHECK_NEAR(velocity[2], 25, 1e-5);
            CHECK_NEAR(velocity[3], 25, 1e-5);
            CHECK_NEAR(velocity[7], -25, 1e-5);
            CHECK(velocity[1] == 0 && !signbit(velocity[1])); /* a 2D world has no negative zeros */
            host_frame_free(&frame);
        }
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static void the_info_file_tells_birth_and_death_from_presence(void)
{
    char *folder = test_folder_make();
    host_sequence sequence;
    static const float expected[][2] = {{5, 1}, {2, 2}, {9, 3}};
    bphys_writer *writer = open_writer(folder, false);
    CHECK(write_three_points(writer));
    CHECK_EQ(bphys_writer_close(writer, NULL, 0), HOST_DONE);
    CHECK_EQ(test_folder_count(folder), 5);
    CHECK(test_file_exists(test_text("%s/test_000000_00.bphys", folder)));
    CHECK(!test_file_exists(test_text("%s/test_000004_00.bphys", folder)));
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/test", folder), NULL), HOST_DONE)) {
        CHECK(sequence.has_info && sequence.times && sequence.point_count == 10);
        for (int i = 0; i < 3 && sequence.times; i++) {
            const float *times = sequence.times + (size_t)expected[i][0] * 3;
            CHECK_NEAR(times[0], expected[i][1], 0);
            CHECK_NEAR(times[1], i < 2 ? 4 : BPHYS_NEVER, 0);
            CHECK_NEAR(times[2], times[1] - times[0], 0);
        }
        /* point 0 is in no frame: it is never born */
        if (sequence.times) CHECK(sequence.times[0] == BPHYS_NEVER);
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static void given_births_and_deaths_are_written(void)
{
    static const float times[20] = {[4] = 1.5f, [5] = 2.5f, [10] = 1, [11] = 4};
    char *folder = test_folder_make();
    host_sequence sequence;
    bphys_writer *writer = open_writer(folder, false);
    CHECK(write_three_points(writer));
    CHECK_EQ(bphys_writer_close(writer, times, 10), HOST_DONE);
    if (CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE)) {
        CHECK(sequence.times[6] == 1.5f && sequence.times[7] == 2.5f && sequence.times[8] == 1);
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static void abandon_writer(void *context) { bphys_writer_abandon(context); }
static void close_writer_short(void *context)
{
    static const float times[4] = {0};
    CHECK_EQ(bphys_writer_close(context, times, 2), HOST_BAD_INPUT);
}
static void close_writer(void *context)
{
    CHECK_EQ(bphys_writer_close(context, NULL, 0), HOST_DONE);
}
static void close_writer_blocked(void *context)
{
    CHECK_EQ(bphys_writer_close(context, NULL, 0), HOST_IO);
}

static void a_failed_recording_leaves_nothing_and_changes_nothing(void)
{
    char *folder = test_folder_make();
    bphys_writer *writer = open_writer(folder, false);
    CHECK(write_three_points(writer));
    free(test_errors_of(abandon_writer, writer));
    CHECK_EQ(test_folder_count(folder), 0);
    writer = open_writer(folder, false);
    CHECK(write_three_points(writer));
    free(test_errors_of(close_writer_short, writer)); /* too few births and deaths are given */
    CHECK_EQ(test_folder_count(folder), 0);
    test_folder_remove(folder);
}

/* A folder has the name of frame 3: the older sequence must stay unchanged. */
static void an_older_sequence_survives_a_failed_one_and_is_replaced_by_a_good_one(void)
{
    char *folder = test_folder_make(), *inner = test_folder_make();
    const char *old = test_text("%s/test_000007_00.bphys", folder),
               *blocked = test_text("%s/test_000003_00.bphys", folder);
    test_file_write(old, "old", 3);
    /* works if both are on one file system, as in a temporary folder */
    CHECK(rename(inner, blocked) == 0);
    bphys_writer *writer = open_writer(folder, false);
    CHECK(write_three_points(writer));
    char *errors = test_errors_of(close_writer_blocked, writer);
    CHECK(strstr(errors, "test_000003_00.bphys: cannot replace it") != NULL);
    CHECK_EQ(test_folder_count(folder), 2);
    CHECK(test_file_exists(old));
    CHECK(remove(blocked) == 0);
    writer = open_writer(folder, false);
    CHECK(write_three_points(writer));
    free(errors);
    errors = test_errors_of(close_writer, writer);
    CHECK(strstr(errors, "test_000007_00.bphys") && strstr(errors, "removed"));
    CHECK_EQ(test_folder_count(folder), 5); /* frame 7 belonged to the older sequence */
    free(errors);
    free(inner);
    test_folder_remove(folder);
}

typedef struct writer_frame {
    bphys_writer *writer;
    int32_t frame;
    uint32_t ids[2];
    int code;
} writer_frame;

static void write_frame(void *context)
{
    static const float positions[6] = {0};
    writer_frame *job = context;
    job->code = bphys_writer_frame(job->writer, job->frame, 2, job->ids, positions, NULL);
}

static void frames_and_ids_that_blender_cannot_take_are_refused(void)
{
    static const writer_frame cases[] = {{NULL, 0, {0, 1}, 0},
                                         {NULL, -1, {0, 1}, 0},
                                         {NULL, 1000000, {0, 1}, 0},
                                         {NULL, 7, {4, 4}, 0},
                                         {NULL, 7, {0, 1u << 26}, 0}};
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        writer_frame job = cases[i];
        job.writer = open_writer(folder, false);
        char *errors = test_errors_of(write_frame, &job);
        test_note("case %zu: %s", i, errors);
        CHECK_EQ(job.code, HOST_BAD_INPUT);
        CHECK(strstr(errors, "tidepool: ") == errors);
        free(errors);
        bphys_writer_abandon(job.writer);
        CHECK_EQ(test_folder_count(folder), 0);
    }
    test_folder_remove(folder);
}

/* ---- finding files */

static void a_folder_with_two_sequences_must_be_told_which(void)
{
    char *folder = test_folder_make();
    file_bytes file = file_header(1, 0, 7, false);
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file.bytes, file.size);
    test_file_write(test_text("%s/a_000002_01.bphys", folder), file.bytes, file.size);
    test_file_write(test_text("%s/ab_000003_00.bphys", folder), file.bytes, file.size);
    const char *out = test_text("%s/out.csv", folder);
    test_expect(command_convert, test_text("convert %s %s", folder, out), HOST_USAGE,
                "several sequences fit: a_*_00.bphys, a_*_01.bphys, ab_*_00.bphys");
    test_expect(command_convert, test_text("convert %s/a %s", folder, out), HOST_USAGE,
                "a_*_00.bphys, a_*_01.bphys; name one");
    test_expect(command_convert, test_text("convert %s/a_000001_00.bphys %s --quiet", folder, out),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/a_*_01.bphys %s --quiet", folder, out),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/ab %s --quiet", folder, out), HOST_DONE,
                NULL);
    test_expect(command_convert, test_text("convert %s/b %s", folder, out), HOST_IO,
                "no such file or sequence");
    test_folder_remove(folder);
}

static void a_bad_frame_leaves_no_output(void)
{
    char *folder = test_folder_make(), *source = test_folder_make();
    file_bytes file = file_header(1, 1, 7, false);
    add_particle(&file, 0, values_a);
    test_file_write(test_text("%s/a_000001_00.bphys", source), file.bytes, file.size);
    test_file_write(test_text("%s/a_000002_00.bphys", source), file.bytes, file.size - 1);
    test_file_write(test_text("%s/out.csv", folder), "old", 3);
    test_expect(command_convert, test_text("convert %s %s/out.csv", source, folder), HOST_BAD_INPUT,
                "a_000002_00.bphys:47: totpoint");
    test_expect(command_convert, test_text("convert %s %s/b", source, folder), HOST_BAD_INPUT,
                "a_000002_00.bphys:47: totpoint");
    test_expect(command_convert, test_text("convert %s %s/new/b", source, folder), HOST_BAD_INPUT,
                "a_000002_00.bphys:47: totpoint");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
    test_folder_remove(source);
}

/* Blender ignores these bytes; we print a note, because data may be missing. */
static void bytes_behind_the_last_record_are_told(void)
{
    static const char *const texts[] = {NULL, ":48: note: 1 byte after the last record",
                                        ":48: note: 2 bytes after the last record"};
    char *folder = test_folder_make();
    for (size_t stray = 0; stray < 3; stray++) {
        file_bytes file = file_header(1, 1, 7, false);
        add_particle(&file, 0, values_a);
        test_file_write(test_text("%s/a_000001_00.bphys", folder), file.bytes, file.size + stray);
        test_file_write(test_text("%s/a_000002_00.bphys", folder), file.bytes, file.size);
        const char *line = test_text("convert %s/a %s/out.csv", folder, folder);
        test_expect(command_convert, line, HOST_DONE, texts[stray]);
        test_expect(command_convert, test_text("%s --quiet", line), HOST_DONE, NULL);
        test_expect(command_convert, line, HOST_DONE, texts[stray]);
    }
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_plain_particle_frame_is_read_as_written),
    TEST_CASE(a_big_endian_file_is_recognised_and_read),
    TEST_CASE(boids_keep_their_two_halves_in_either_byte_order),
    TEST_CASE(indices_out_of_order_are_sorted_and_the_last_record_wins),
    TEST_CASE(zero_records_at_the_end_are_padding),
    TEST_CASE(a_file_without_index_numbers_its_points),
    TEST_CASE(stored_blocks_of_a_compressed_file_are_read),
    TEST_CASE(extra_data_is_kept_and_written_again),
    TEST_CASE(malformed_headers_are_refused_by_name),
    TEST_CASE(bad_blocks_and_extra_data_are_refused_by_name),
    TEST_CASE(every_truncation_is_an_error),
    TEST_CASE(no_changed_byte_crashes_the_reader),
    TEST_CASE(names_are_parsed_as_blender_makes_them),
    TEST_CASE(paths_name_a_sequence),
    TEST_CASE(hermite_has_the_tangents_of_each_type),
    TEST_CASE(nothing_moves_after_death_or_counts_before_birth),
    TEST_CASE(rotations_take_the_short_way),
    TEST_CASE(a_recorded_world_is_z_up_with_velocities_per_particle_second),
    TEST_CASE(the_info_file_tells_birth_and_death_from_presence),
    TEST_CASE(given_births_and_deaths_are_written),
    TEST_CASE(a_failed_recording_leaves_nothing_and_changes_nothing),
    TEST_CASE(an_older_sequence_survives_a_failed_one_and_is_replaced_by_a_good_one),
    TEST_CASE(frames_and_ids_that_blender_cannot_take_are_refused),
    TEST_CASE(a_folder_with_two_sequences_must_be_told_which),
    TEST_CASE(a_bad_frame_leaves_no_output),
    TEST_CASE(bytes_behind_the_last_record_are_told),
};
TEST_SUITE(bphys, cases);
