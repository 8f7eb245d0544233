/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_bphys.c - `tidepool bench bphys`: speed of the codecs and of whole
           .bphys conversions.
   reads   -      writes  standard output; a sequence and its copies in a temporary folder (TMPDIR
           or /tmp), removed at the end
   memory  a few frames      cost    some seconds, most of them for LZMA
   after   own design; all times are processor time. For comparison a plain copy reads and
   writes  the same files in pieces of 128 KiB, as cp does */
#include "../compress/codec.h"
#include "../compress/transpose.h"
#include "../formats/formats.h"
#include "bench.h"
#include "commands.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_MASK  (POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY))
#define RECORD_BYTES 28u
#define COPY_BYTES   131072u
#define ROUNDS       3u
#define HEAVY_FRAMES 2u /* frames of the sequence, in one round: LZMA needs a second per frame */

/* ---- data set: a jittered lattice of points that rotate around the centre; all points differ */

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static float noise(uint32_t *state, float size)
{
    return size * ((float)(next_random(state) >> 8) * 1.1920929e-7f - 1.0f); /* 2^-23 */
}

static void place_points(host_frame *frame, uint32_t number, uint32_t seed)
{
    uint32_t state = seed * 2654435761u | 1u, side = 1;
    uint32_t *indices = frame->data[POINT_INDEX];
    float *location = frame->data[POINT_LOCATION], *velocity = frame->data[POINT_VELOCITY];
    while (side * side * side < frame->count) side++;
    float middle = 0.05f * (float)side, time = (float)number * 0.04f;
    for (uint32_t i = 0; i < frame->count; i++, location += 3, velocity += 3) {
        float x = 0.1f * (float)(i % side) - middle + noise(&state, 0.03f);
        float y = 0.1f * (float)(i / side % side) - middle + noise(&state, 0.03f);
        float z = 0.1f * (float)(i / side / side) + noise(&state, 0.03f);
        float away = 1.0f / (1.0f + x * x + y * y);
        indices[i] = i;
        velocity[0] = -2.0f * y * away + noise(&state, 0.05f);
        velocity[1] = 2.0f * x * away + noise(&state, 0.05f);
        velocity[2] = -z * away + noise(&state, 0.05f);
        location[0] = x + time * velocity[0];
        location[1] = y + time * velocity[1];
        location[2] = z + time * velocity[2];
    }
    frame->number = number;
}

/* ---- codecs: compresses each stream of one frame alone, as a cache does */

typedef struct codec_row {
    const char *name;
    size_t bytes, packed;
    double encode, decode; /* uncompressed bytes per second */
} codec_row;

enum { CODEC_ROWS = 4 };

typedef struct codec_try {
    const codec *codec;
    const uint8_t *bytes;
    size_t size, packed, room;
    uint8_t *stream, *out;
    void *encoder, *decoder;
    bool is_good;
} codec_try;

static void pack(codec_try *t)
{
    t->packed = t->codec->encode(t->bytes, t->size, t->stream, t->room, t->encoder);
}

static void unpack(codec_try *t)
{
    compress_fault fault;
    t->is_good = t->codec->decode(t->codec->properties, t->stream, t->packed, t->out, t->size,
                                  t->decoder, &fault);
}

static double median_seconds(void (*work)(codec_try *t), codec_try *t)
{
    double seconds[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        double start = host_thread_seconds();
        work(t);
        seconds[i] = host_thread_seconds() - start;
    }
    return bench_median(seconds, ROUNDS);
}

/* Adds one stream to the row. Until the row is finished, `encode` and `decode` hold seconds. */
static int try_stream(codec_row *row, const codec *c, const uint8_t *bytes, size_t size)
{
    codec_try t = {.codec = c, .bytes = bytes, .size = size, .room = c->bound(size)};
    t.stream = host_allocate(t.room, 1);
    t.out = host_allocate(size, 1);
    t.encoder = host_allocate(c->encoder_bytes(size), 1);
    t.decoder = host_allocate(c->decoder_bytes(c->properties), 1);
    int code =
        t.stream && t.out && t.encoder && t.decoder ? HOST_DONE : host_out_of_memory("a benchmark");
    if (!code) {
        row->encode += median_seconds(pack, &t);
        row->decode += median_seconds(unpack, &t);
        row->bytes += size;
        row->packed += t.packed;
        if (!t.is_good || memcmp(t.out, bytes, size) != 0)
            code = host_error(HOST_DIFFERENT, "bench", HOST_NO_OFFSET,
                              "%s: the decoded bytes differ from the original", c->name);
    }
    free(t.stream);
    free(t.out);
    free(t.encoder);
    free(t.decoder);
    return code;
}

/* The filter, followed by the codec. */
static int try_filtered(codec_row *filter, codec_row *row, const uint8_t *bytes, size_t count,
                        size_t width)
{
    double split[ROUNDS], join[ROUNDS];
    size_t size = count * width;
    uint8_t *planes = host_allocate(size, 1), *out = host_allocate(size, 1);
    int code = planes && out ? HOST_DONE : host_out_of_memory("a benchmark");
    for (uint32_t i = 0; i < ROUNDS && !code; i++) {
        double start = host_thread_seconds();
        transpose_split(bytes, count, width, planes);
        double middle = host_thread_seconds();
        transpose_join(planes, count, width, out);
        split[i] = middle - start;
        join[i] = host_thread_seconds() - middle;
    }
    if (!code) {
        filter->encode += bench_median(split, ROUNDS);
        filter->decode += bench_median(join, ROUNDS);
        filter->bytes += size;
        filter->packed += size;
        code = try_stream(row, &codec_zstd, planes, size);
    }
    free(planes);
    free(out);
    return code;
}

static int measure_codecs(const bench_plan *plan, codec_row rows[CODEC_ROWS])
{
    host_frame frame;
    int code = host_frame_allocate(&frame, plan->particles, STREAM_MASK)
                   ? HOST_DONE
                   : host_out_of_memory("a frame");
    if (code) return code;
    place_points(&frame, 10, plan->seed);
    rows[0] = (codec_row){.name = "lzo1x"};
    rows[1] = (codec_row){.name = "lzma1"};
    rows[2] = (codec_row){.name = "filter"};
    rows[3] = (codec_row){.name = "zstd"};
    for (uint32_t s = 0; s < POINT_STREAMS && !code; s++) {
        size_t width = point_streams[s].bytes;
        if (!(STREAM_MASK & POINT_BIT(s))) continue;
        code = try_stream(&rows[0], &codec_lzo1x, frame.data[s], frame.count * width);
        if (!code) code = try_stream(&rows[1], &codec_lzma1, frame.data[s], frame.count * width);
        if (!code) code = try_filtered(&rows[2], &rows[3], frame.data[s], frame.count, width);
    }
    for (uint32_t i = 0; i < CODEC_ROWS; i++) {
        rows[i].encode = (double)rows[i].bytes / (rows[i].encode + 1e-9);
        rows[i].decode = (double)rows[i].bytes / (rows[i].decode + 1e-9);
    }
    host_frame_free(&frame);
    return code;
}

/* ---- conversions: whole commands, including file operations */

enum { CONVERSION_ROWS = HOST_COMPRESSIONS + 1 }; /* the last row is a plain copy of `none` */

typedef struct conversion_row {
    const char *name;
    double into, from; /* frames per second: from `none` to this format, and back */
} conversion_row;

static const char *const compressions[HOST_COMPRESSIONS] = {"none", "light", "heavy", "zstd"};

static int write_points(const bench_plan *plan, const char *path)
{
    host_sink sink;
    host_frame frame;
    host_sink_options options = {
        .type = POINT_PARTICLES, .streams = STREAM_MASK, .point_count = plan->particles};
    if (!host_frame_allocate(&frame, plan->particles, STREAM_MASK))
        return host_out_of_memory("a frame");
    int code = host_sink_open(&sink, path, host_format_named("bphys"), &options);
    if (!code) {
        for (uint32_t number = 1; number <= plan->steps && !code; number++) {
            place_points(&frame, number, plan->seed);
            code = host_sink_write(&sink, &frame);
        }
        if (code)
            host_sink_abandon(&sink);
        else
            code = host_sink_finish(&sink);
    }
    host_frame_free(&frame);
    return code;
}

/* Measures the seconds per frame of one conversion. */
static int convert(const char *folder, const char *from, const char *to, const char *compression,
                   uint32_t frames, double *seconds)
{
    char range[24];
    char *in = host_text("%s/%s", folder, from), *out = host_text("%s/%s", folder, to);
    int code = in && out ? HOST_DONE : host_out_of_memory("a path");
    char *arguments[] = {
        "convert",  in,    out,      "--compression", (char *)(uintptr_t)compression,
        "--frames", range, "--quiet"};
    snprintf(range, sizeof range, "1-%u", frames);
    double start = host_thread_seconds();
    if (!code) code = command_convert(8, arguments);
    *seconds = (host_thread_seconds() - start) / frames;
    free(in);
    free(out);
    return code;
}

static int copy_file(const char *from, const char *to, uint8_t *piece)
{
    int code = HOST_DONE;
    size_t size;
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
    if (in) setvbuf(in, NULL, _IONBF, 0);
    if (out) setvbuf(out, NULL, _IONBF, 0);
    while (out && (size = fread(piece, 1, COPY_BYTES, in)) > 0 &&
           fwrite(piece, 1, size, out) == size)
        continue;
    if (!out || !feof(in) || ferror(out))
        code = host_error(HOST_IO, to, HOST_NO_OFFSET, "cannot copy: %s", strerror(errno));
    if (in) fclose(in);
    if (out && fclose(out) != 0 && !code)
        code = host_error(HOST_IO, to, HOST_NO_OFFSET, "cannot copy: %s", strerror(errno));
    return code;
}

static char *file_path(const char *folder, const char *name, uint32_t number)
{
    return host_text("%s/%s_%06u_00.bphys", folder, name, (unsigned)number);
}

/* Copies every file of `none`, also the info file. */
static int copy_all(const char *folder, uint32_t frames, double *seconds)
{
    uint8_t *piece = host_allocate(COPY_BYTES, 1);
    int code = piece ? HOST_DONE : host_out_of_memory("a copy");
    double start = host_thread_seconds();
    for (uint32_t number = 0; number <= frames && !code; number++) {
        char *from = file_path(folder, "none", number), *to = file_path(folder, "copy", number);
        code = from && to ? copy_file(from, to, piece) : host_out_of_memory("a path");
        free(from);
        free(to);
    }
    *seconds = (host_thread_seconds() - start) / frames;
    free(piece);
    return code;
}

static void remove_sequence(const char *folder, const char *name, uint32_t frames)
{
    for (uint32_t number = 0; number <= frames; number++) {
        char *path = file_path(folder, name, number);
        if (path) remove(path);
        free(path);
    }
}

/* All conversions of a round run directly after one another, so that a busy machine slows all of
   them equally. */
static int measure_round(const char *folder, uint32_t round, uint32_t frames,
                         double into[CONVERSION_ROWS][ROUNDS], double from[CONVERSION_ROWS][ROUNDS])
{
    int code = copy_all(folder, frames, &into[HOST_COMPRESSIONS][round]);
    from[HOST_COMPRESSIONS][round] = into[HOST_COMPRESSIONS][round];
    remove_sequence(folder, "copy", frames);
    for (uint32_t c = 0; c < HOST_COMPRESSIONS && !code; c++) {
        bool is_heavy = c == HOST_COMPRESSION_HEAVY;
        uint32_t used = is_heavy && frames > HEAVY_FRAMES ? HEAVY_FRAMES : frames;
        into[c][round] = into[c][0];
        from[c][round] = from[c][0];
        if (is_heavy && round > 0) continue;
        code = convert(folder, "none", "packed", compressions[c], used, &into[c][round]);
        if (!code) code = convert(folder, "packed", "plain", "none", used, &from[c][round]);
        remove_sequence(folder, "packed", frames);
        remove_sequence(folder, "plain", frames);
    }
    return code;
}

static int measure_conversions(const bench_plan *plan, const char *folder,
                               conversion_row rows[CONVERSION_ROWS])
{
    double into[CONVERSION_ROWS][ROUNDS] = {{0}}, from[CONVERSION_ROWS][ROUNDS] = {{0}};
    char *path = host_text("%s/none", folder);
    int code = path ? write_points(plan, path) : host_out_of_memory("a path");
    free(path);
    for (uint32_t i = 0; i < ROUNDS && !code; i++)
        code = measure_round(folder, i, plan->steps, into, from);
    for (uint32_t c = 0; c < CONVERSION_ROWS && !code; c++) {
        rows[c].name = c < HOST_COMPRESSIONS ? compressions[c] : "plain copy";
        rows[c].into = 1 / (bench_median(into[c], ROUNDS) + 1e-9);
        rows[c].from = 1 / (bench_median(from[c], ROUNDS) + 1e-9);
    }
    remove_sequence(folder, "none", plan->steps);
    return code;
}

/* ---- the report */

static void print_tables(const bench_plan *plan, const codec_row *codecs,
                         const conversion_row *conversions)
{
    printf("%-10s %9s %9s %7s %13s %13s\n", "codec", "bytes", "packed", "share", "encode MB/s",
           "decode MB/s");
    for (uint32_t i = 0; i < CODEC_ROWS; i++)
        printf("%-10s %9zu %9zu %6.1f%% %13.0f %13.0f\n", codecs[i].name, codecs[i].bytes,
               codecs[i].packed, 100.0 * (double)codecs[i].packed / (double)codecs[i].bytes,
               codecs[i].encode * 1e-6, codecs[i].decode * 1e-6);
    printf("each stream of a frame of %u points, alone; zstd: after the filter\n\n",
           plan->particles);
    printf("%-10s %21s %21s\n", "conversion", "none to it, frames/s", "it to none, frames/s");
    for (uint32_t c = 0; c < CONVERSION_ROWS; c++)
        printf("%-10s %21.1f %21.1f\n", conversions[c].name, conversions[c].into,
               conversions[c].from);
    printf("%u frames of %u points, %u bytes each; none to none runs at %.2f of the plain copy's "
           "speed\n"
           "times: processor time, medians of %u rounds; heavy: %u frames once\n",
           plan->steps, plan->particles, plan->particles * RECORD_BYTES + 20,
           conversions[HOST_COMPRESSION_NONE].into / conversions[HOST_COMPRESSIONS].into, ROUNDS,
           plan->steps < HEAVY_FRAMES ? plan->steps : HEAVY_FRAMES);
}

static void print_json(const bench_plan *plan, const codec_row *codecs,
                       const conversion_row *conversions)
{
    double ns = 1e9 / conversions[HOST_COMPRESSION_NONE].into / plan->particles;
    printf("{\"name\": \"bphys\", \"particles\": %u, \"steps\": %u, \"seconds\": %.6f, "
           "\"ns_per_particle_step\": %.3f, \"median_ns\": %.3f, \"worst_ns\": null, "
           "\"state_hash\": null, "
           "\"codecs\": [",
           plan->particles, plan->steps, ns * 1e-9 * plan->particles * plan->steps, ns, ns);
    for (uint32_t i = 0; i < CODEC_ROWS; i++)
        printf("%s{\"name\": \"%s\", \"bytes\": %zu, \"packed_bytes\": %zu, "
               "\"encode_mb_per_second\": %.1f, "
               "\"decode_mb_per_second\": %.1f}",
               i ? ", " : "", codecs[i].name, codecs[i].bytes, codecs[i].packed,
               codecs[i].encode * 1e-6, codecs[i].decode * 1e-6);
    fputs("], \"conversions\": [", stdout);
    for (uint32_t c = 0; c < CONVERSION_ROWS; c++)
        printf("%s{\"name\": \"%s\", \"frames_per_second_into\": %.2f, \"frames_per_second_from\": "
               "%.2f}",
               c ? ", " : "", conversions[c].name, conversions[c].into, conversions[c].from);
    puts("]}");
}

int bench_bphys(const bench_plan *wanted, bool is_json)
{
    codec_row codecs[CODEC_ROWS];
    conversion_row conversions[CONVERSION_ROWS];
    bench_plan plan = *wanted;
    const char *parent = getenv("TMPDIR");
    char *folder = host_text("%s/tidepool_bench_%ld", parent ? parent : "/tmp", (long)getpid());
    if (!folder) return host_out_of_memory("a path");
    plan.particles = wanted->particles ? wanted->particles : 100000;
    plan.steps = wanted->steps ? wanted->steps : 20;
    int code = mkdir(folder, 0700) == 0 ? HOST_DONE
                                        : host_error(HOST_IO, folder, HOST_NO_OFFSET,
                                                     "cannot create: %s", strerror(errno));
    if (!code) {
        code = measure_codecs(&plan, codecs);
        if (!code) code = measure_conversions(&plan, folder, conversions);
        if (rmdir(folder) != 0 && !code)
            code =
                host_error(HOST_IO, folder, HOST_NO_OFFSET, "cannot remove: %s", strerror(errno));
    }
    free(folder);
    if (code) return code;
    if (is_json)
        print_json(&plan, codecs, conversions);
    else
        print_tables(&plan, codecs, conversions);
    return HOST_DONE;
}
