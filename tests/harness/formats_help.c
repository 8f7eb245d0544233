/* SPDX-License-Identifier: MIT
   tests/harness/formats_help.c - shared by the tests of file formats: small files, random frames,
           cuts.
   reads   files of one format             writes  a temporary folder
   memory  malloc                          cost    that of the format
   after   own design */
#include "formats_help.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_convert(int argc, char **argv);

bool test_format_load(const char *name, const void *bytes, size_t size, size_t position,
                      host_frame *frame)
{
    host_sequence sequence;
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, name);
    memset(frame, 0, sizeof *frame);
    test_file_write(path, bytes, size);
    host_quiet(true);
    int code = host_sequence_open(&sequence, path, NULL);
    host_quiet(false);
    bool good = CHECK_EQ(code, HOST_DONE);
    if (good) {
        good = CHECK(position < sequence.frame_count);
        good = good && CHECK_EQ(host_sequence_load(&sequence, position, frame), HOST_DONE);
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
    return good;
}

/* Checks an error message for a text file: after the path it names a byte offset and the line of
   that byte. A word that it quotes stands at that offset. */
static void check_line(const char *path, const char *errors, const char *bytes, size_t size)
{
    const char *place = strstr(errors, path);
    unsigned long long at, line, counted = 1;
    char word[41];
    if (!place || sscanf(place + strlen(path), ":%llu: line %llu", &at, &line) != 2) return;
    if (!CHECK(at <= size)) return;
    for (size_t i = 0; i < at; i++) counted += bytes[i] == '\n';
    CHECK_EQ(line, counted);
    const char *quote = strchr(place, '"');
    if (quote && strstr(quote, "\" is not") && sscanf(quote, "\"%40[^\"]", word) == 1)
        CHECK(at + strlen(word) <= size && strncmp(bytes + at, word, strlen(word)) == 0);
}

void test_format_refused(const char *name, const void *bytes, size_t size, const char *message)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, name);
    test_file_write(path, bytes, size);
    test_output output =
        test_command(command_convert, test_text("convert %s %s/out/a --quiet", path, folder));
    test_note("exit code %d, errors: %s", output.code, output.errors);
    CHECK_EQ(output.code, HOST_BAD_INPUT);
    CHECK(strstr(output.errors, message) != NULL);
    check_line(path, output.errors, bytes, size);
    test_output_free(&output);
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

/* ---- random frames */

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Floats of any finite bits: subnormals, huge, tiny, both zeros. */
static void random_frame(host_frame *frame, uint32_t count, uint32_t streams, uint32_t *seed)
{
    if (!host_frame_allocate(frame, count, streams | POINT_BIT(POINT_INDEX))) exit(2);
    for (uint32_t i = 0; i < count; i++) {
        ((uint32_t *)frame->data[POINT_INDEX])[i] =
            i * 3 + (i + 1 == count ? next_random(seed) >> 8 : 0);
        for (uint32_t s = POINT_LOCATION; s < POINT_BOIDS; s++)
            for (uint32_t k = 0; frame->data[s] && k < point_streams[s].floats; k++) {
                float value;
                do {
                    uint32_t word = next_random(seed) % 16u ? next_random(seed)
                                                            : next_random(seed) & 0x80000000u;
                    memcpy(&value, &word, sizeof value);
                } while (!isfinite(value));
                ((float *)frame->data[s])[i * point_streams[s].floats + k] = value;
            }
    }
}

static void check_same(const host_frame *frame, const host_frame *other)
{
    if (!CHECK_EQ(frame->count, other->count) || !CHECK(frame->number == other->number)) return;
    for (uint32_t s = 0; s < POINT_BOIDS; s++) {
        size_t bytes = (size_t)frame->count * point_streams[s].bytes;
        test_note("stream %s", point_streams[s].name);
        if (CHECK_EQ(frame->data[s] != NULL, other->data[s] != NULL) && frame->data[s] && bytes)
            CHECK(memcmp(frame->data[s], other->data[s], bytes) == 0);
    }
}

enum { FRAMES = 4 };
static const double numbers[FRAMES] = {1, 2, 5, 12};

static void check_sequence(const char *path, const host_frame *frames)
{
    host_sequence sequence;
    if (!CHECK_EQ(host_sequence_open_hinted(&sequence, path, NULL, &(host_hints){.stride = 1}),
                  HOST_DONE))
        return;
    CHECK_EQ(sequence.frame_count, FRAMES);
    for (size_t f = 0; f < FRAMES && f < sequence.frame_count; f++) {
        host_frame frame;
        if (!CHECK_EQ(host_sequence_load(&sequence, f, &frame), HOST_DONE)) continue;
        check_same(&frame, &frames[f]);
        host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
}

void test_format_round_trip(const char *name, host_encoding encoding, uint32_t streams,
                            bool changes)
{
    uint32_t seed = 20260 + (uint32_t)encoding;
    host_sink sink;
    host_frame frames[FRAMES];
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, name);
    host_sink_options options = {.type = POINT_PARTICLES, .streams = streams, .encoding = encoding};
    for (uint32_t f = 0; f < FRAMES; f++) {
        random_frame(&frames[f], changes ? f * 40 : 50, streams, &seed);
        frames[f].number = numbers[f];
    }
    test_note("%s, encoding %d", name, (int)encoding);
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &options), HOST_DONE)) {
        for (uint32_t f = 0; f < FRAMES; f++)
            CHECK_EQ(host_sink_write(&sink, &frames[f]), HOST_DONE);
        CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
        check_sequence(path, frames);
    }
    for (uint32_t f = 0; f < FRAMES; f++) host_frame_free(&frames[f]);
    test_folder_remove(folder);
}

/* ---- truncations */

typedef struct cut_state {
    const char *name;
    const uint8_t *bytes;
    size_t size, needed;
} cut_state;

static void cut_everywhere(void *context)
{
    const cut_state *state = context;
    host_sequence whole, part;
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, state->name);
    test_file_write(path, state->bytes, state->size);
    if (CHECK_EQ(host_sequence_open(&whole, path, NULL), HOST_DONE)) {
        for (size_t cut = state->size; cut-- > 0;) {
            path = test_text("%s/%s", folder, state->name);
            if (!CHECK(truncate(path, (off_t)cut) == 0)) break;
            test_note("%s cut to %zu bytes", state->name, cut);
            int code = host_sequence_open(&part, path, whole.format);
            CHECK(code == HOST_BAD_INPUT || (code == HOST_DONE && cut >= state->needed));
            if (code) continue;
            CHECK(part.frame_count < whole.frame_count || part.streams != whole.streams);
            host_sequence_close(&part);
        }
        host_sequence_close(&whole);
    }
    test_folder_remove(folder);
}

void test_format_cuts(const char *name, const void *bytes, size_t size, size_t needed)
{
    cut_state state = {name, bytes, size, needed};
    char *errors = test_errors_of(cut_everywhere, &state);
    CHECK(strstr(errors, name) != NULL);
    free(errors);
}

/* ---- frames with fewer streams */

static void write_lacking(const char *path, const host_format *format, uint32_t both)
{
    host_sink sink;
    host_sink_options options = {.type = POINT_PARTICLES, .streams = both};
    if (!CHECK_EQ(host_sink_open(&sink, path, format, &options), HOST_DONE)) return;
    for (uint32_t f = 0; f < 3; f++) {
        host_frame frame;
        if (!host_frame_allocate(&frame, 3, f == 1 ? POINT_BIT(POINT_LOCATION) : both)) exit(2);
        for (uint32_t i = 0; i < 3; i++) ((uint32_t *)frame.data[POINT_INDEX])[i] = i;
        frame.number = f + 1;
        CHECK_EQ(host_sink_write(&sink, &frame), HOST_DONE);
        host_frame_free(&frame);
    }
    CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
}

void test_format_lacks(const char *name)
{
    host_sequence sequence;
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, name);
    write_lacking(path, host_format_by_ending(path),
                  POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY));
    if (CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) {
        CHECK_EQ(sequence.frame_count, 3);
        for (uint32_t f = 0; f < sequence.frame_count; f++) {
            host_frame frame;
            if (!CHECK_EQ(host_sequence_load(&sequence, f, &frame), HOST_DONE)) continue;
            CHECK_EQ(frame.count, 3);
            CHECK_EQ(frame.data[POINT_VELOCITY] != NULL, f != 1);
            host_frame_free(&frame);
        }
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

/* ---- changes */

static void put_byte(FILE *stream, size_t at, uint8_t byte)
{
    CHECK(fseek(stream, (long)at, SEEK_SET) == 0 && fputc(byte, stream) == byte);
    fflush(stream);
}

/* Opens the file and loads some frames. */
static void read_or_refuse(const char *path)
{
    host_sequence sequence;
    host_frame frame;
    int code = host_sequence_open(&sequence, path, NULL);
    CHECK(code == HOST_DONE || code == HOST_BAD_INPUT);
    if (code) return;
    for (size_t f = 0; f < sequence.frame_count && f < 3; f++) {
        code = host_sequence_load(&sequence, f, &frame);
        CHECK(code == HOST_DONE || code == HOST_BAD_INPUT);
        if (!code) host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
}

static void change_everywhere(void *context)
{
    const cut_state *state = context;
    static const uint8_t changes[] = {1, 2, 0x10, 0x80, 0xff};
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, state->name);
    test_file_write(path, state->bytes, state->size);
    const size_t step = test_is_long() ? 1 : state->size / 500 + 1;
    FILE *stream = fopen(path, "r+b");
    for (size_t at = 0; CHECK(stream != NULL) && at < state->size; at += step) {
        for (size_t i = 0; i < sizeof changes; i++) {
            put_byte(stream, at, state->bytes[at] ^ changes[i]);
            test_note("byte %zu, change %u", at, changes[i]);
            read_or_refuse(path);
        }
        put_byte(stream, at, state->bytes[at]);
    }
    if (stream) fclose(stream);
    test_folder_remove(folder);
}

/* The byte that a message names is one of the file, or its end. */
static void check_places(const char *errors, const char *name, size_t size)
{
    const char *start = test_text("/%s:", name);
    for (const char *at = strstr(errors, start); at; at = strstr(at, start)) {
        char *end;
        at += strlen(start);
        unsigned long long place = strtoull(at, &end, 10);
        test_note("%.*s", (int)strcspn(at, "\n"), at);
        CHECK(end == at || *end != ':' || place <= size);
    }
}

void test_format_changes(const char *name, const void *bytes, size_t size)
{
    cut_state state = {name, bytes, size, 0};
    char *errors = test_errors_of(change_everywhere, &state);
    CHECK(strstr(errors, name) != NULL);
    check_places(errors, name, size);
    free(errors);
}

/* ---- golden bytes */

void test_format_points(host_frame *frame)
{
    static const float places[] = {1, -2, 0.5f, 0.1f, 1e-40f, 3e38f},
                       speeds[] = {0, -0.0f, 1, 4, 5, 6};
    if (!host_frame_allocate(frame, 2, POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY)))
        exit(2);
    frame->number = 7;
    ((uint32_t *)frame->data[POINT_INDEX])[1] = 3;
    memcpy(frame->data[POINT_LOCATION], places, sizeof places);
    memcpy(frame->data[POINT_VELOCITY], speeds, sizeof speeds);
}

void test_format_written(const char *name, host_encoding encoding, const host_frame *frame,
                         const void *expected, size_t size)
{
    host_sink sink;
    char *folder = test_folder_make();
    const char *path = test_text("%s/%s", folder, name), *wanted = test_text("%s/wanted", folder);
    host_sink_options options = {.type = POINT_PARTICLES, .encoding = encoding, .frame_count = 1};
    test_file_write(wanted, expected, size);
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &options), HOST_DONE)) {
        CHECK_EQ(host_sink_write(&sink, frame), HOST_DONE);
        CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
        CHECK(test_files_equal(path, wanted));
    }
    test_folder_remove(folder);
}

void test_format_has_points(const char *name, const void *bytes, size_t size)
{
    host_frame frame, expected;
    test_format_points(&expected);
    if (test_format_load(name, bytes, size, 0, &frame)) {
        CHECK(frame.number == 7 && frame.count == 2 &&
              ((uint32_t *)frame.data[POINT_INDEX])[1] == 3);
        for (uint32_t stream = POINT_LOCATION; stream <= POINT_VELOCITY; stream++)
            CHECK(frame.data[stream] && memcmp(frame.data[stream], expected.data[stream], 24) == 0);
        host_frame_free(&frame);
    }
    host_frame_free(&expected);
}

void test_format_table(const char *path, uint32_t count, float (*value)(uint32_t word))
{
    FILE *table = fopen(path, "w");
    uint32_t state = 1;
    if (!CHECK(table != NULL)) return;
    fputs("frame,index,x,y,z,vx,vy,vz,rw,rx,ry,rz,ax,ay,az,size,birth,die,life\n", table);
    for (uint32_t frame = 8; frame < 12; frame++)
        for (uint32_t i = 0; i < count; i++) {
            fprintf(table, "%u,%u", frame, i * 3 + frame);
            for (int k = 0; k < 17; k++) {
                state = state * 1664525u + 1013904223u;
                fprintf(table, ",%.9g", (double)value(state));
            }
            fputc('\n', table);
        }
    fclose(table);
}
