/* SPDX-License-Identifier: MIT
   tests/interop/codecs/bench.c - our codecs beside the libraries: each reads the other's streams, then sizes and speeds.
   reads   .bphys files given as arguments, payloads made here      writes  a table, then `N passed, M failed`
   memory  malloc, some 300 MiB      cost  three minutes
   after   own design; speeds are processor time, the median of turns that alternate between ours and theirs */
#include "../../../host_tools/compress/lzma1.h"
#include "../../../host_tools/compress/lzo1x.h"
#include "../../../host_tools/formats/bphys.h"
#include "../../harness/payload_help.h"
#include <lzma.h>
#include <lzo/lzo1x.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 7

typedef struct codec {
    const char *name;
    double size_ratio_max; /* ours / theirs on caches */
    size_t (*encode)(const uint8_t *bytes, size_t size, uint8_t *out, size_t room);
    size_t (*encode_theirs)(const uint8_t *bytes, size_t size, uint8_t *out, size_t room);
    bool (*decode)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size);
    bool (*decode_theirs)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size);
} codec;

static int passed, failed;

/* What the checks of the harness need of it, without its suites. */
bool test_check(bool condition, const char *text, const char *file, int line)
{
    if (!condition) printf("FAILED %s:%d: %s\n", file, line, text);
    if (condition)
        passed++;
    else
        failed++;
    return condition;
}
bool test_check_u64(uint64_t value, uint64_t expected, const char *text, const char *file, int line)
{
    return test_check(value == expected, text, file, line);
}
void test_note(const char *format, ...) { (void)format; }

/* ---- LZO1X */

static size_t lzo_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    static uint32_t dictionary[LZO1X_DICTIONARY];
    return lzo1x_encode(bytes, size, out, room, dictionary);
}

static size_t lzo_encode_theirs(const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    static lzo_align_t work[(LZO1X_1_MEM_COMPRESS + sizeof(lzo_align_t)) / sizeof(lzo_align_t)];
    lzo_uint out_size = room;
    return lzo1x_1_compress(bytes, size, out, &out_size, work) == LZO_E_OK ? out_size : 0;
}

static bool lzo_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    compress_fault fault;
    return lzo1x_decode(bytes, size, out, out_size, &fault);
}

static bool lzo_decode_theirs(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    lzo_uint produced = out_size;
    return lzo1x_decompress_safe(bytes, size, out, &produced, NULL) == LZO_E_OK && produced == out_size;
}

static const codec lzo = {"lzo1x", 1.05, lzo_encode, lzo_encode_theirs, lzo_decode, lzo_decode_theirs};

/* ---- LZMA, at Blender's settings */

static size_t heavy_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    lzma1_settings settings = lzma1_blender();
    void *work = malloc(lzma1_encoder_bytes(&settings, size));
    if (!work) exit(2);
    size_t made = lzma1_encode(&settings, bytes, size, out, room, work);
    free(work);
    return made;
}

static bool heavy_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    static uint64_t work[4096];
    lzma1_settings settings = lzma1_blender();
    compress_fault fault;
    if (lzma1_decoder_bytes(&settings) > sizeof work) exit(2);
    return lzma1_decode(&settings, bytes, size, out, out_size, work, &fault);
}

static void their_filters(lzma_filter filters[2], lzma_options_lzma *options, size_t out_size)
{
    if (lzma_lzma_preset(options, 5)) exit(2);
    options->dict_size = 1u << 24;
    options->lc = 3;
    options->lp = 0;
    options->pb = 2;
    options->mode = LZMA_MODE_NORMAL;
    options->mf = LZMA_MF_BT4;
    options->nice_len = 32;
    options->depth = 0;
    options->ext_flags = 0;
    options->ext_size_low = (uint32_t)out_size;
    options->ext_size_high = (uint32_t)((uint64_t)out_size >> 32);
    filters[0].id = LZMA_FILTER_LZMA1EXT;
    filters[0].options = options;
    filters[1].id = LZMA_VLI_UNKNOWN;
}

static size_t heavy_encode_theirs(const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    lzma_options_lzma options;
    lzma_filter filters[2];
    size_t made = 0;
    their_filters(filters, &options, size);
    return lzma_raw_buffer_encode(filters, NULL, bytes, size, out, &made, room) == LZMA_OK ? made : 0;
}

static bool heavy_decode_theirs(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size)
{
    lzma_options_lzma options;
    lzma_filter filters[2];
    size_t taken = 0, made = 0;
    their_filters(filters, &options, out_size);
    return lzma_raw_buffer_decode(filters, NULL, bytes, &taken, size, out, &made, out_size) == LZMA_OK &&
           made == out_size && taken == size;
}

static const codec heavy = {
    "lzma1", 1.10, heavy_encode, heavy_encode_theirs, heavy_decode, heavy_decode_theirs};

/* ---- measuring */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values)
{
    qsort(values, TURNS, sizeof values[0], by_value);
    return values[TURNS / 2];
}

typedef bool (*decoding)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size);

static double decode_seconds(decoding decode, const uint8_t *stream, size_t size, uint8_t *out,
                             size_t out_size, int rounds)
{
    double start = host_thread_seconds();
    for (int i = 0; i < rounds; i++) CHECK(decode(stream, size, out, out_size));
    return (host_thread_seconds() - start) / rounds;
}

/* Speed of our decoder and theirs, both on `stream`. */
static void race(const codec *c, const uint8_t *stream, size_t size, uint8_t *out, size_t out_size)
{
    double ours[TURNS], theirs[TURNS], ratios[TURNS];
    double once = decode_seconds(c->decode_theirs, stream, size, out, out_size, 1);
    int rounds = once > 0.05 ? 1 : (int)(0.05 / (once + 1e-6)) + 1;
    for (int t = 0; t < TURNS; t++) {
        ours[t] = decode_seconds(c->decode, stream, size, out, out_size, rounds);
        theirs[t] = decode_seconds(c->decode_theirs, stream, size, out, out_size, rounds);
        ratios[t] = theirs[t] / ours[t];
    }
    printf("  decode %7.0f MB/s, theirs %7.0f, ratio %.2f\n", (double)out_size / median(ours) / 1e6,
           (double)out_size / median(theirs) / 1e6, median(ratios));
}

/* Both read both streams; the sizes come back. */
static void compare(const codec *c, const char *name, const uint8_t *bytes, size_t size, bool racing)
{
    size_t room = size + size / 8 + 1024;
    uint8_t *ours = malloc(room), *theirs = malloc(room), *out = malloc(size + 1);
    if (!ours || !theirs || !out) exit(2);
    double start = host_thread_seconds();
    size_t our_size = c->encode(bytes, size, ours, room);
    double middle = host_thread_seconds();
    size_t their_size = c->encode_theirs(bytes, size, theirs, room);
    double end = host_thread_seconds();
    CHECK(our_size && their_size);
    CHECK(c->decode(theirs, their_size, out, size) && memcmp(out, bytes, size) == 0);
    CHECK(c->decode_theirs(ours, our_size, out, size) && memcmp(out, bytes, size) == 0);
    if (racing) {
        printf("%-6s %-16s %9zu -> %9zu, theirs %9zu, ratio %.4f; encode %.3f s, theirs %.3f\n", c->name,
               name, size, our_size, their_size, (double)our_size / (double)their_size, middle - start,
               end - middle);
        race(c, theirs, their_size, out, size);
    }
    free(ours);
    free(theirs);
    free(out);
}

/* ---- caches: each stream of each frame is a block of its own, as Blender compresses them */

typedef struct totals {
    size_t bytes, ours, theirs;
} totals;

static void add_block(const codec *c, totals *sum, const uint8_t *bytes, size_t size)
{
    size_t room = size + size / 8 + 1024;
    uint8_t *out = malloc(room);
    if (!out) exit(2);
    sum->bytes += size;
    sum->ours += c->encode(bytes, size, out, room);
    sum->theirs += c->encode_theirs(bytes, size, out, room);
    free(out);
    compare(c, "", bytes, size, false);
}

/* One payload of all streams of a kind, frame after frame, for the race. */
static uint8_t *gathered;
static size_t gathered_size;

static void gather(const void *bytes, size_t size)
{
    gathered = realloc(gathered, gathered_size + size + 1);
    if (!gathered) exit(2);
    memcpy(gathered + gathered_size, bytes, size);
    gathered_size += size;
}

static void add_file(const codec *c, totals *sum, const char *path)
{
    uint8_t *bytes = NULL;
    size_t size = 0, end = 0;
    host_frame frame;
    memset(&frame, 0, sizeof frame);
    if (host_read_file(path, &bytes, &size) != HOST_DONE) exit(2);
    if (bphys_read(path, bytes, size, &frame, &end) == HOST_DONE) {
        for (uint32_t s = 0; s < POINT_STREAMS; s++)
            if (frame.data[s] && frame.count > 0) {
                add_block(c, sum, frame.data[s], (size_t)frame.count * point_streams[s].bytes);
                gather(frame.data[s], (size_t)frame.count * point_streams[s].bytes);
            }
        host_frame_free(&frame);
    }
    free(bytes);
}

static void compare_caches(const codec *c, int count, char **paths)
{
    totals sum = {0, 0, 0};
    gathered_size = 0;
    for (int i = 0; i < count; i++) add_file(c, &sum, paths[i]);
    printf("%-6s blocks of caches  %9zu -> %9zu, theirs %9zu, ratio %.4f\n", c->name, sum.bytes, sum.ours,
           sum.theirs, (double)sum.ours / (double)sum.theirs);
    CHECK((double)sum.ours <= c->size_ratio_max * (double)sum.theirs);
    compare(c, "caches as one", gathered, gathered_size, true);
}

static void compare_made(const codec *c)
{
    size_t size = 16u << 20;
    uint8_t *bytes = malloc(size);
    if (!bytes) exit(2);
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++) {
        payload_fill(kind, bytes, size);
        compare(c, payload_names[kind], bytes, size, true);
        for (size_t part = 1; part <= 300; part++) compare(c, "", bytes, part, false);
    }
    for (size_t period = 1; period <= 300; period++) {
        payload_repeat(bytes, 5000, period);
        compare(c, "", bytes, 5000, false);
    }
    payload_repeat(bytes, size, 12);
    compare(c, "period 12", bytes, size, true);
    payload_repeat(bytes, size, 300);
    compare(c, "period 300", bytes, size, true);
    free(bytes);
}

int main(int argc, char **argv)
{
    static const codec *const codecs[] = {&lzo, &heavy};
    if (lzo_init() != LZO_E_OK) return 2;
    host_quiet(true);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        compare_caches(codecs[i], argc - 1, argv + 1);
        compare_made(codecs[i]);
    }
    free(gathered);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
