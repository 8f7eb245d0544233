/* SPDX-License-Identifier: MIT
   tests/unit/test_tpc.c - .tpc: bits and bounds after conversions, births and deaths, damage with
           its byte.
   reads   tests/fixtures/blender          writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   own design */
#include "../../host_tools/formats/tpc.h"
#include "../../host_tools/formats/verify.h"
#include "../harness/formats_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_convert(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);

static void convert(const char *line) { test_expect(command_convert, line, HOST_DONE, NULL); }

/* ---- lossless */

static void every_bit_survives_a_clip(void)
{
    uint32_t all = POINT_ALL & ~POINT_BIT(POINT_BOIDS) & ~POINT_BIT(POINT_INDEX);
    for (uint32_t changes = 0; changes < 2; changes++) {
        test_format_round_trip("a.tpc", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), changes);
        test_format_round_trip("a.tpc", ENCODING_DEFAULT, all, changes);
        test_format_round_trip("a.tpc", ENCODING_DEFAULT, all | POINT_BIT(POINT_INDEX), changes);
    }
}

static float finite(uint32_t word)
{
    float value;
    if ((word & 0x7f800000u) == 0x7f800000u) word ^= 0x40000000u;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void tables_come_back_as_they_were(void)
{
    char *folder = test_folder_make();
    test_format_table(test_text("%s/a.csv", folder), 150, finite);
    convert(test_text("convert %s/a.csv %s/a.tpc --quiet", folder, folder));
    convert(test_text("convert %s/a.tpc %s/b.csv --quiet", folder, folder));
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/b.csv", folder)));
    convert(test_text("convert %s/a.csv %s/b.tpc --exact --jobs 5 --quiet", folder, folder));
    CHECK(test_files_equal(test_text("%s/a.tpc", folder), test_text("%s/b.tpc", folder)));
    test_folder_remove(folder);
}

/* ---- points that fly, vanish, and appear again */

static void write_fountain(const char *path, int frames, int step)
{
    FILE *table = fopen(path, "w");
    if (!CHECK(table != NULL)) return;
    fputs("frame,index,x,y,z,vx,vy,vz,rw,rx,ry,rz,size\n", table);
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < 300; i++) {
            double age = (f + 7 * i) % (60 + i % 11), angle = i * 2.4, t = age / 24, turn = 0.5 * t;
            /* one point vanishes for single frames */
            if (age > 40 + i % 5 || (i == 17 && f % 3 == 1)) continue;
            fprintf(table, "%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,0,0,%.9g\n", 1 + f * step,
                    i * 2 + 5, (double)(float)(cos(angle) * t), (double)(float)(sin(angle) * t),
                    (double)(float)(5 * t - 5 * t * t), (double)(float)cos(angle),
                    (double)(float)sin(angle), (double)(float)(5 - 10 * t),
                    (double)(float)cos(turn), (double)(float)sin(turn), 0.125 + 0.25 * (i % 3));
        }
    fclose(table);
}

/* The number after a name in a line of JSON. */
static double number_of(const char *json, const char *name)
{
    const char *at = json ? strstr(json, name) : NULL;
    return CHECK(at != NULL) ? strtod(at + strlen(name) + 3, NULL) : NAN;
}

static void check_errors(const char *a, const char *b, double position, double velocity)
{
    test_output output =
        test_command(command_diff, test_text("diff %s %s --components --json", a, b));
    test_note("%s%s", output.standard, output.errors);
    CHECK(output.code <= HOST_DIFFERENT);
    double position_error = number_of(output.standard, "max_position_error");
    CHECK(position_error <= position && position_error > position / 4);
    if (velocity > 0) CHECK(number_of(output.standard, "max_velocity_error") <= velocity);
    CHECK_EQ(number_of(output.standard, "missing"), 0);
    CHECK_EQ(number_of(output.standard, "extra"), 0);
    CHECK(number_of(output.standard, "max_other_error") <= TPC_ROTATION);
    test_output_free(&output);
}

static void no_value_is_off_by_more_than_its_bound(void)
{
    static const char *const keys[] = {"1", "7", "64", "255"};
    char *folder = test_folder_make();
    char *table = host_text("%s/a.csv", folder), *clip = NULL;
    write_fountain(table, 100, 1);
    uint64_t last = UINT64_MAX;
    for (uint32_t k = 0; k < 4; k++) {
        free(clip);
        clip = host_text("%s/%s.tpc", folder, keys[k]);
        convert(test_text("convert %s %s --error 0.01 --key-interval %s --quiet", table, clip,
                          keys[k]));
        check_errors(table, clip, 0.01, 0.12);
        test_expect(command_verify, test_text("verify %s --quiet", clip), HOST_DONE, NULL);
        uint8_t *bytes;
        size_t size = 0;
        if (CHECK_EQ(host_read_file(clip, &bytes, &size), HOST_DONE)) free(bytes);
        CHECK(size < last);
        last = size;
    }
    /* the bounding box is 9.1 high */
    convert(test_text("convert %s %s/r.tpc --error 1e-3r --quiet --jobs 3", table, folder));
    check_errors(table, test_text("%s/r.tpc", folder), 9.2e-3, 2e-2);
    convert(test_text("convert %s %s/s.tpc --error 1e-3r --quiet", table, folder));
    CHECK(test_files_equal(test_text("%s/r.tpc", folder), test_text("%s/s.tpc", folder)));
    convert(
        test_text("convert %s %s/l.tpc --error 1e-3r --streams location --quiet", table, folder));
    test_output output = test_command(command_info, test_text("info %s/l.tpc --json", folder));
    CHECK(strstr(output.standard, "\"streams\": [\"index\", \"location\"]") ||
          strstr(output.standard, "\"streams\": [\"location\"]"));
    CHECK(strstr(output.standard, "\"compression\": \"bounded\"") &&
          strstr(output.standard, "\"key_interval\": 64"));
    test_output_free(&output);
    free(table);
    free(clip);
    test_folder_remove(folder);
}

/* Frames in any steps; a group ends where the step changes. */
static void odd_steps_and_holes_are_kept(void)
{
    static const char table[] =
        "frame,index,x,y,z\n-5,1,1,2,3\n-3,1,1,2,4\n-1,1,1,2,5\n0,1,1,2,6\n10,2,0,0,0\n20,3,1,1,1\n"
        "21,3,1,1,2\n200000000,3,1,1,2\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.csv", folder), table, sizeof table - 1);
    convert(test_text("convert %s/a.csv %s/a.tpc --quiet", folder, folder));
    convert(test_text("convert %s/a.tpc %s/b.csv --quiet", folder, folder));
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/b.csv", folder)));
    test_folder_remove(folder);
}

/* ---- what diff can prove */

static void diffs(const char *line, int code, const char *text)
{
    test_output output = test_command(command_diff, line);
    test_note("%s\n%s%s", line, output.standard, output.errors);
    CHECK_EQ(output.code, code);
    CHECK(strstr(output.standard, text) != NULL);
    test_output_free(&output);
}

static void diff_says_whether_the_stated_bound_holds(void)
{
    char *folder = test_folder_make();
    char *a = host_text("%s/a.csv", folder), *b = host_text("%s/b.tpc", folder),
         *c = host_text("%s/c.tpc", folder);
    write_fountain(a, 30, 1);
    convert(test_text("convert %s %s --error 0.02 --quiet", a, b));
    diffs(test_text("diff %s %s --bound", a, b), HOST_DONE, "the stated bound holds");
    diffs(test_text("diff %s %s", b, a), HOST_DIFFERENT, "the stated bound holds");
    diffs(test_text("diff %s %s --bound --json", a, b), HOST_DONE, "\"bound_holds\": true");
    convert(test_text("convert %s %s/d.csv --scale 1.005 --quiet", b, folder));
    diffs(test_text("diff %s/d.csv %s --bound", folder, b), HOST_DIFFERENT,
          "the stated bound does NOT hold");
    /* two clips of one table differ by at most the sum of both bounds; here by more than one of
       them */
    convert(test_text("convert %s %s --error 0.02 --key-interval 5 --quiet", a, c));
    diffs(test_text("diff %s %s --bound", b, c), HOST_DONE, "stated bound 0.0399999991: holds");
    /* a lossless clip states a bound of 0 */
    convert(test_text("convert %s %s --quiet", a, c));
    diffs(test_text("diff %s %s --bound --json", a, c), HOST_DONE, "\"bound_holds\": null");
    diffs(test_text("diff %s/d.csv %s --bound", folder, c), HOST_DIFFERENT, "position   differs");
    convert(test_text("convert %s %s --frames 1-29 --error 0.02 --quiet", a, c));
    diffs(test_text("diff %s %s --bound", a, c), HOST_DIFFERENT,
          "the stated bound holds in the frames that both have");
    test_expect(command_diff, test_text("diff %s %s --bound --tolerance 1", a, b), HOST_USAGE,
                "exclude each other");
    free(a);
    free(b);
    free(c);
    test_folder_remove(folder);
}

/* Streams and springs that --streams left out do not break the bound. Frames that are missing do
   not break it either, but they are a difference. */
static void data_left_out_on_purpose_breaks_no_bound(void)
{
    static const char fluid[] = "tests/fixtures/blender/sph_adaptive/none";
    static const struct {
        const char *options;
        int code;
        const char *says, *json;
    } clips[] = {
        {"--streams location,velocity", HOST_DONE, "             only in tests/fixtures",
         "\"frames_missing\": 0, \"frames_extra\": 0"},
        {"--frames 3-7", HOST_DIFFERENT,
         "  9 frames only in tests/fixtures/blender/sph_adaptive/none",
         "\"frames_missing\": 9, \"frames_extra\": 0"},
        {"--streams location --frames 1-1", HOST_DIFFERENT, "the stated bound holds",
         "\"bound_holds\": true"},
    };
    char *folder = test_folder_make(), *path = host_text("%s/a.tpc", folder);
    for (size_t i = 0; i < sizeof clips / sizeof clips[0]; i++) {
        convert(test_text("convert %s %s --error 1e-3 --quiet %s", fluid, path, clips[i].options));
        diffs(test_text("diff %s %s --bound", fluid, path), clips[i].code, clips[i].says);
        diffs(test_text("diff %s %s --bound", path, fluid), clips[i].code,
              "the stated bound holds");
        diffs(test_text("diff %s %s --bound --json", fluid, path), clips[i].code, clips[i].json);
        diffs(test_text("diff %s %s", fluid, path), HOST_DIFFERENT, "the stated bound holds");
    }
    free(path);
    test_folder_remove(folder);
}

/* The last byte of a boid's record is its mode. */
static void diff_looks_at_the_states_of_boids(void)
{
    char *folder = test_folder_make(), *copy = host_text("%s/boids_000007_00.bphys", folder);
    const char *fixture = test_fixture("boids/none", "456D6974746572", 7);
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (CHECK_EQ(host_read_file(fixture, &bytes, &size), HOST_DONE)) {
        test_file_write(copy, bytes, size);
        convert(test_text("convert %s %s/a.tpc --quiet", copy, folder));
        diffs(test_text("diff %s %s/a.tpc", copy, folder), HOST_DONE, "boids      equal");
        bytes[size - 1] ^= 1;
        test_file_write(copy, bytes, size);
        diffs(test_text("diff %s %s/a.tpc", copy, folder), HOST_DIFFERENT, "boids      differs");
        free(bytes);
    }
    free(copy);
    test_folder_remove(folder);
}

/* Rotated by a tenth about x; the sign and length of a quaternion do not matter. */
static void diff_tells_the_angle_between_rotations(void)
{
    static const char head[] = "frame,index,x,y,z,rw,rx,ry,rz\n";
    char *folder = test_folder_make();
    const char *a = test_text("%s/a.csv", folder), *b = test_text("%s/b.csv", folder);
    char text[200];
    int size = snprintf(text, sizeof text, "%s1,0,0,0,0,1,0,0,0\n", head);
    test_file_write(a, text, (size_t)size);
    size = snprintf(text, sizeof text, "%s1,0,0,0,0,%.9g,%.9g,0,0\n", head, -2 * cos(0.05),
                    -2 * sin(0.05));
    test_file_write(b, text, (size_t)size);
    test_output output = test_command(command_diff, test_text("diff %s %s --json", a, b));
    CHECK_NEAR(number_of(output.standard, "max_rotation_angle"), 0.1, 1e-6);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    test_output_free(&output);
    diffs(test_text("diff %s %s", a, a), HOST_DONE, "rotation   equal");
    test_folder_remove(folder);
}

/* ---- Blender's files */

typedef struct fixture {
    const char *folder, *name;
} fixture;
static const fixture fixtures[] = {
    {"newton_s1/none", "456D6974746572"},
    {"newton_s5/none", "456D6974746572"},
    {"newton_s5_mem/none", "456D6974746572"},
    {"rotation/none", "456D6974746572"},
    {"boids/none", "456D6974746572"},
    {"sph_adaptive/none", "456D6974746572"},
    {"softbody/none", "4A656C6C79"},
    {"cloth_pinned/none", "5368656574"},
    {"hair/none", "5363616C70"},
    {"dynpaint_displace/none", "43616E766173"},
};

static bool same_files(const char *folder, const char *name)
{
    bool same = true;
    for (int frame = 0; frame < 60; frame++) {
        const char *a = test_text("%s/direct/%s_%06d_00.bphys", folder, name, frame),
                   *b = test_text("%s/back/%s_%06d_00.bphys", folder, name, frame);
        bool has = test_file_exists(a);
        test_note("%s", b);
        same =
            CHECK_EQ(test_file_exists(b), has) && (!has || CHECK(test_files_equal(a, b))) && same;
    }
    return same;
}

static void blenders_files_go_through_a_clip_and_back(void)
{
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) {
        char *folder = test_folder_make();
        const char *name = fixtures[i].name;
        char *in = host_text("tests/fixtures/blender/%s", fixtures[i].folder);
        convert(test_text("convert %s %s/a.tpc --quiet", in, folder));
        convert(test_text("convert %s/a.tpc %s/back/%s --quiet", folder, folder, name));
        convert(test_text("convert %s %s/direct/%s --quiet", in, folder, name));
        same_files(folder, name);
        test_expect(command_verify, test_text("verify %s/a.tpc --quiet", folder), HOST_DONE, NULL);
        if (i < 9) {
            convert(test_text("convert %s %s/e.tpc --error 0.002 --quiet", in, folder));
            convert(test_text("convert %s/e.tpc %s/lossy/%s --quiet", folder, folder, name));
            test_output output =
                test_command(command_diff, test_text("diff %s %s/lossy/%s --components --json", in,
                                                     folder, name));
            test_note("%s: %s%s", fixtures[i].folder, output.standard, output.errors);
            CHECK(number_of(output.standard, "max_position_error") <= 0.002);
            CHECK_EQ(number_of(output.standard, "missing") + number_of(output.standard, "extra"),
                     0);
            CHECK_EQ(number_of(output.standard, "extra_data_differs"), 0);
            test_output_free(&output);
        }
        free(in);
        test_folder_remove(folder);
    }
}

/* ---- options */

static void what_a_clip_cannot_do_is_refused(void)
{
    static const struct {
        const char *options, *message;
    } cases[] = {
        {"a.csv b.tpc --error", "--error needs a value"},
        {"a.csv b.tpc --error 0", "--error is \"0\", expected a number above 0"},
        {"a.csv b.tpc --error -1", "--error is \"-1\""},
        {"a.csv b.tpc --error 2r", "--error is \"2r\""},
        {"a.csv b.tpc --error nan", "--error is \"nan\""},
        {"a.csv b.tpc --error r", "--error is \"r\""},
        {"a.csv b.tpc --error 1e-60", "--error is \"1e-60\""},
        {"a.csv b.tpc --error 1e60", "--error is \"1e60\""},
        {"a.csv b.tpc --error 1 --exact", "--error and --exact exclude each other"},
        {"a.csv b.tpc --key-interval 0", "--key-interval is \"0\", expected"},
        {"a.csv b.tpc --key-interval 256", "--key-interval is \"256\""},
        {"a.csv b.tpc --block-bytes 700", "--block-bytes is \"700\", expected 512, 1024"},
        {"a.csv b.tpc --block-bytes 256", "--block-bytes is \"256\""},
        {"a.csv b.csv --block-bytes 512", "--block-bytes has no meaning here"},
        {"a.csv b.ply --error 1", "--error has no meaning here: ply keeps every bit"},
        {"a.csv b.csv --key-interval 4", "--key-interval has no meaning here"},
        {"a.csv b.tpc --compression zstd", "--compression zstd is for .bphys"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_expect(command_convert, test_text("convert %s", cases[i].options), HOST_USAGE,
                    cases[i].message);
    char *folder = test_folder_make();
    static const char table[] = "frame,index,x,y,z\n1,0,1,nan,3\n";
    test_file_write(test_text("%s/a.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/a.csv %s/a.tpc --quiet", folder, folder),
                HOST_BAD_INPUT, ".tpc files hold finite numbers only");
    CHECK_EQ(test_folder_count(folder), 1);
    test_expect(command_convert, test_text("convert %s/a.csv - --to tpc", folder), HOST_USAGE,
                "tpc cannot be read from standard input or written to standard output");
    test_folder_remove(folder);
}

/* ---- damage */

typedef struct damage {
    uint8_t *bytes;
    size_t size;
    const char *path;
    FILE *stream; /* stays open: thousands of new files would each wait for the disk */
    host_frame *frames;
    size_t frame_count;
    uint64_t told, harmless;
} damage;

static void write_damaged(damage *with, size_t size)
{
    if (!with->stream) with->stream = fopen(with->path, "wb");
    if (!with->stream || fseek(with->stream, 0, SEEK_SET) != 0) exit(2);
    if (fwrite(with->bytes, 1, size, with->stream) != size || fflush(with->stream) != 0) exit(2);
    if (ftruncate(fileno(with->stream), (off_t)size) != 0) exit(2);
}

static bool same_frame(const host_frame *a, const host_frame *b)
{
    if (a->count != b->count || a->number != b->number) return false;
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (a->data[s] && (!b->data[s] || memcmp(a->data[s], b->data[s],
                                                 (size_t)a->count * point_streams[s].bytes) != 0))
            return false;
    return true;
}

/* Every frame that can be read must be right; for every other frame an error is reported. */
static void read_damaged(damage *with)
{
    host_sequence sequence;
    bool good = true;
    if (host_sequence_open(&sequence, with->path, NULL) != HOST_DONE) {
        with->told++;
        return;
    }
    CHECK_EQ(sequence.frame_count, with->frame_count);
    for (size_t f = 0; good && f < sequence.frame_count && f < with->frame_count; f++) {
        host_frame frame;
        good = host_sequence_load(&sequence, f, &frame) == HOST_DONE;
        if (!good) break;
        CHECK(same_frame(&with->frames[f], &frame));
        host_frame_free(&frame);
    }
    good ? with->harmless++ : with->told++;
    host_sequence_close(&sequence);
}

static void change_every_byte(void *context)
{
    damage *with = context;
    for (size_t at = 0; at < with->size; at++) {
        uint8_t change = (uint8_t)(1u << at % 8u);
        if (!test_runs((uint32_t)at, 3)) continue;
        test_note("byte %zu", at);
        with->bytes[at] ^= change;
        write_damaged(with, with->size);
        read_damaged(with);
        with->bytes[at] ^= change;
    }
    for (size_t cut = 0; cut < with->size; cut += 61) {
        uint64_t before = with->told;
        test_note("%zu bytes", cut);
        write_damaged(with, cut);
        read_damaged(with);
        CHECK_EQ(with->told, before + 1u);
    }
}

static size_t lines_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) count++;
    return count;
}

static void no_damage_becomes_a_wrong_frame(void)
{
    char *folder = test_folder_make();
    char *path = host_text("%s/d.tpc", folder);
    damage with = {.path = path};
    host_sequence sequence;
    write_fountain(test_text("%s/a.csv", folder), 8, 1);
    convert(test_text("convert %s/a.csv %s/a.tpc --key-interval 4 --error 0.05 --quiet", folder,
                      folder));
    if (CHECK_EQ(host_read_file(test_text("%s/a.tpc", folder), &with.bytes, &with.size),
                 HOST_DONE) &&
        CHECK_EQ(host_sequence_open(&sequence, test_text("%s/a.tpc", folder), NULL), HOST_DONE)) {
        with.frame_count = sequence.frame_count;
        with.frames = host_allocate(with.frame_count, sizeof *with.frames);
        for (size_t f = 0; f < with.frame_count; f++)
            CHECK_EQ(host_sequence_load(&sequence, f, &with.frames[f]), HOST_DONE);
        host_sequence_close(&sequence);
        char *errors = test_errors_of(change_every_byte, &with);
        CHECK_EQ(lines_of(errors, "d.tpc:"), with.told);        /* each with a byte */
        CHECK_EQ(with.harmless, test_is_long() ? 1024u : 342u); /* in one of the two headers */
        free(errors);
        for (size_t f = 0; f < with.frame_count; f++) host_frame_free(&with.frames[f]);
        if (with.stream) fclose(with.stream);
        free(with.frames);
        free(with.bytes);
    }
    free(path);
    test_folder_remove(folder);
}

/* ---- verify */

static void verify_says(const char *path, const uint8_t *bytes, size_t size, const char *message)
{
    test_file_write(path, bytes, size);
    test_output output = test_command(command_verify, test_text("verify %s --all", path));
    test_note("expected %s in: %s%s", message, output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, message) != NULL);
    test_output_free(&output);
}

static void seal_again(uint8_t *bytes, uint32_t block)
{
    tpi_clip_head head;
    uint32_t size = 1u << bytes[TPI_CLIP_HEAD_BYTES + 2u];
    tpi_clip_read_head(bytes + size * block, &head);
    tpi_clip_seal(bytes + size * block, size, &head);
}

static void verify_names_the_byte(void)
{
    char *folder = test_folder_make();
    char *path = host_text("%s/v.tpc", folder), *clip = host_text("%s/a.tpc", folder);
    uint8_t *bytes;
    size_t size;
    write_fountain(test_text("%s/a.csv", folder), 20, 1);
    convert(
        test_text("convert %s/a.csv %s --key-interval 10 --block-bytes 512 --quiet", folder, clip));
    if (!CHECK_EQ(host_read_file(clip, &bytes, &size), HOST_DONE)) return;
    CHECK_EQ(bytes[TPI_CLIP_HEAD_BYTES + 2], TPI_CLIP_BLOCK_LOWEST);
    bytes[40] ^= 1;
    verify_says(path, bytes, size, "v.tpc:0: header 0 is damaged; the other header is used");
    bytes[40] ^= 1;
    bytes[512 * 2 + 300] ^= 1;
    verify_says(path, bytes, size, "v.tpc:1024: block 2 of the group of frame 1 is damaged");
    verify_says(path, bytes, size, ", 10 frames, "); /* the frames of the other group */
    bytes[512 * 2 + 300] ^= 1;
    bytes[512 * 2 + 28] ^= 1; /* another size of a tile; seal_again corrects the checksums */
    seal_again(bytes, 2);
    verify_says(path, bytes, size, "v.tpc:1052: frames from 1, ");
    bytes[512 * 2 + 28] ^= 1;
    seal_again(bytes, 2);
    bytes[size - 1] ^= 1;
    verify_says(path, bytes, size, test_text("v.tpc:%zu: the clip is damaged", size - 512));
    bytes[size - 1] ^= 1;
    verify_says(path, bytes, size - 1, ": 1 fault in 1 file\n");
    uint8_t *longer = host_allocate(size + 5, 1);
    memcpy(longer, bytes, size);
    verify_says(path, longer, size + 5,
                test_text("v.tpc:%zu: 5 bytes after the end of the clip are ignored", size));
    free(longer);
    free(bytes);
    free(path);
    free(clip);
    test_folder_remove(folder);
}

/* A player may request a stream that convert ignores. */
static void verify_decodes_streams_that_are_not_known(void)
{
    char *folder = test_folder_make();
    char *path = host_text("%s/v.tpc", folder), *clip = host_text("%s/a.tpc", folder);
    uint8_t *bytes;
    size_t size;
    write_fountain(test_text("%s/a.csv", folder), 20, 1);
    convert(
        test_text("convert %s/a.csv %s --error 0.01 --key-interval 10 --block-bytes 512 --quiet",
                  folder, clip));
    if (!CHECK_EQ(host_read_file(clip, &bytes, &size), HOST_DONE)) return;
    for (uint32_t block = 0; block < TPI_CLIP_FIRST_BLOCK; block++) {
        uint8_t *header = bytes + 512 * block;
        for (uint32_t at = 0; at < 500; at++)
            if (memcmp(header + at, "velocity", 8) == 0) memcpy(header + at, "tidemark", 8);
        seal_again(bytes, block);
    }
    test_file_write(path, bytes, size);
    test_expect(command_verify, test_text("verify %s", path), HOST_DONE, NULL);
    uint32_t told = 0;
    for (uint32_t at = 512 * 2 + 28; !told && at < size - 512; at += 7) {
        bytes[at] ^= 1;
        seal_again(bytes, at / 512);
        test_file_write(path, bytes, size);
        test_output output = test_command(command_verify, test_text("verify %s", path));
        told += strstr(output.standard, "frames from 1, tidemark of points ") &&
                strstr(output.standard,
                       ": the tile is damaged; a player refuses it, convert skips it\n") &&
                strstr(output.standard, ": 1 fault in 1 file\n");
        test_output_free(&output);
        bytes[at] ^= 1;
        seal_again(bytes, at / 512);
    }
    CHECK(told);
    free(bytes);
    free(path);
    free(clip);
    test_folder_remove(folder);
}

static void an_unclosed_clip_is_read_to_its_last_whole_group(void)
{
    char *folder = test_folder_make();
    char *path = host_text("%s/v.tpc", folder), *clip = host_text("%s/a.tpc", folder);
    uint8_t *bytes;
    size_t size;
    host_sequence sequence;
    write_fountain(test_text("%s/a.csv", folder), 20, 1);
    convert(
        test_text("convert %s/a.csv %s --key-interval 10 --block-bytes 512 --quiet", folder, clip));
    if (!CHECK_EQ(host_read_file(clip, &bytes, &size), HOST_DONE)) return;
    for (uint32_t block = 0; block < 2; block++) {
        memset(bytes + 512u * block + TPI_CLIP_HEAD_BYTES + 16, 0, 4);
        seal_again(bytes, block);
    }
    verify_says(
        path, bytes, size,
        "the clip was not closed; data after its last complete group is ignored; convert goes on");
    verify_says(path, bytes, size, ": 1 fault in 1 file\n");
    for (size_t cut = size; cut >= size - 512u; cut -= 128u) {
        test_file_write(path, bytes, cut);
        host_quiet(true);
        if (CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) {
            CHECK_EQ(sequence.frame_count, cut == size ? 20 : 10);
            CHECK_EQ(sequence.point_count, 604);
            host_sequence_close(&sequence);
        }
        host_quiet(false);
    }
    free(bytes);
    free(path);
    free(clip);
    test_folder_remove(folder);
}

/* Streams and container add up to the file; modes add up to their streams; the mean tile lies
   between the extremes. */
static void check_sums(const char *json)
{
    double streams = 0;
    for (const char *at = strstr(json, "\"stream_bytes");
         at && (at = strstr(at, "{\"name\"")) != NULL; at++) {
        double bytes = number_of(at, "\"bytes"), modes = 0;
        const char *of_modes = strstr(at, "\"mode_bytes"), *tiles = strstr(at, "\"tiles");
        static const char *const names[] = {"\"still", "\"coded", "\"exact", "\"raw"};
        for (uint32_t m = 0; m < 4; m++) modes += number_of(of_modes, names[m]);
        CHECK_EQ(bytes, modes);
        streams += bytes;
        double mean = number_of(tiles, "\"mean"), count = number_of(tiles, "\"count");
        CHECK_NEAR(mean * count, bytes, 1e-4 * bytes);
        CHECK(number_of(tiles, "\"smallest") <= mean && mean <= number_of(tiles, "\"largest"));
    }
    const char *container = strstr(json, "\"container");
    CHECK(streams > 0);
    CHECK_EQ(streams + number_of(container, "\"bytes"), number_of(json, "\"bytes"));
    /* at most one block per group, and two headers */
    CHECK(number_of(container, "\"unused") < 5 * 4096);
}

static void info_tells_where_the_bytes_are(void)
{
    char *folder = test_folder_make();
    write_fountain(test_text("%s/a.csv", folder), 70, 2);
    convert(test_text("convert %s/a.csv %s/a.tpc --error 0.25 --quiet", folder, folder));
    test_output output = test_command(command_info, test_text("info %s/a.tpc", folder));
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.standard, "2 groups of at most 64 frames") &&
          strstr(output.standard, "error 0.25"));
    CHECK(strstr(output.standard, "in steps of 2") &&
          strstr(output.standard, "compression  bounded"));
    test_output_free(&output);
    output = test_command(command_info, test_text("info %s/a.tpc --json", folder));
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(number_of(output.standard, "\"frames"), 70);
    CHECK_EQ(number_of(output.standard, "\"error"), 0.25);
    CHECK_EQ(number_of(output.standard, "\"groups"), 2);
    CHECK_EQ(number_of(output.standard, "\"blocks") * number_of(output.standard, "\"block_bytes"),
             number_of(output.standard, "\"bytes"));
    check_sums(output.standard);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Points that fall and bounce, each with its own phase. */
static void write_bouncing(const char *path, uint32_t points, uint32_t frames)
{
    FILE *file = fopen(path, "wb");
    if (!CHECK(file != NULL)) return;
    fputs("frame,index,x,y,z\n", file);
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t p = 0; p < points; p++) {
            double t = fmod(f / 25.0 + 0.37 * p, 1.4), high = t * (1.4 - t) * 4.9;
            fprintf(file, "%u,%u,%.6f,%.6f,%.6f\n", f + 1u, p, p % 37u * 0.1, high, p / 37u * 0.1);
        }
    fclose(file);
}

/* The statement of the README: 1300 points in 64 KiB, with all memory that playing needs. */
static void small_blocks_make_clips_for_small_devices(void)
{
    char *folder = test_folder_make(), *table = host_text("%s/a.csv", folder);
    static const char *const options[] = {"--error 1e-3r --block-bytes 512",
                                          "--error 1e-4r --key-interval 32 --block-bytes 512",
                                          "--error 1e-3r --block-bytes 32768"};
    write_bouncing(table, 1300, 80);
    for (uint32_t k = 0; k < 3; k++) {
        char *clip = host_text("%s/%u.tpc", folder, k);
        convert(test_text("convert %s %s %s --quiet", table, clip, options[k]));
        check_errors(table, clip, k == 1 ? 3.6e-4 : 3.6e-3, 0);
        tp_clip_storage storage = {0};
        tp_clip_info info;
        static uint8_t scratch[65536];
        uint8_t *bytes;
        size_t size = 0, needed = 0;
        if (!CHECK_EQ(host_read_file(clip, &bytes, &size), HOST_DONE)) continue;
        storage.bytes = bytes, storage.size = size;
        CHECK_EQ(tp_clip_look(&storage, scratch, sizeof scratch, &info), TP_OK);
        CHECK_EQ(info.block_bytes, k == 2 ? 32768 : 512);
        tp_player_def def = tp_player_default(&info);
        def.frames_kept = 0; /* whole frames only, no interpolation */
        CHECK_EQ(tp_player_memory(&def, &needed), TP_OK);
        test_note("%s: a player of %zu bytes", options[k], needed);
        CHECK((needed <= 65536) == (k < 2));
        free(bytes), free(clip);
    }
    free(table);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(small_blocks_make_clips_for_small_devices),
    TEST_CASE(every_bit_survives_a_clip),
    TEST_CASE(tables_come_back_as_they_were),
    TEST_CASE(no_value_is_off_by_more_than_its_bound),
    TEST_CASE(odd_steps_and_holes_are_kept),
    TEST_CASE(blenders_files_go_through_a_clip_and_back),
    TEST_CASE(what_a_clip_cannot_do_is_refused),
    TEST_CASE(no_damage_becomes_a_wrong_frame),
    TEST_CASE(verify_names_the_byte),
    TEST_CASE(verify_decodes_streams_that_are_not_known),
    TEST_CASE(an_unclosed_clip_is_read_to_its_last_whole_group),
    TEST_CASE(info_tells_where_the_bytes_are),
    TEST_CASE(diff_says_whether_the_stated_bound_holds),
    TEST_CASE(data_left_out_on_purpose_breaks_no_bound),
    TEST_CASE(diff_looks_at_the_states_of_boids),
    TEST_CASE(diff_tells_the_angle_between_rotations),
};
TEST_SUITE(tpc, cases);
