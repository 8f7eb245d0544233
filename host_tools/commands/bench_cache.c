/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_cache.c - `tidepool bench cache`: size and speed of clip tiles,
           compared with plain compression.
   reads   sequences, if paths are given      writes  standard output
   memory  one set of points, its tiles         cost    the simulations, and two microseconds per
           point and frame
   after   own design. Plain compression: coordinates quantised to a lattice, second differences
           over time, byte planes, zstd (the encoder of this tree), all points of a group of frames
           together */
#include "../common/scene.h"
#include "../common/text.h"
#include "../compress/zstd.h"
#include "bench.h"
#include "tracks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_INTERVAL 64u
#define ROUNDS       7u

/* ---- tiles of a set */

typedef struct set_tile {
    uint32_t point, frame; /* first point and first frame, in the set */
    uint32_t values;       /* points * frames */
    size_t at;             /* offset of its bytes */
    uint32_t size;
    double seconds; /* best time of reading it */
} set_tile;

typedef struct tile_set {
    const host_tracks *tracks;
    host_tile_kind kind;
    set_tile *tiles;
    uint32_t count;
    uint8_t *bytes;
    size_t size;
} tile_set;

typedef struct workshop {
    host_tile_encoder encoder;
    tpi_tile_reader reader;
    uint32_t words[KEY_INTERVAL * 3u * TPI_TILE_POINTS];
} workshop;

static void free_set(tile_set *set)
{
    free(set->tiles);
    free(set->bytes);
}

static int open_set(tile_set *set, const host_tracks *tracks, double error)
{
    uint32_t rows = (tracks->points + TPI_TILE_POINTS - 1u) / TPI_TILE_POINTS,
             groups = (tracks->frames + KEY_INTERVAL - 1u) / KEY_INTERVAL;
    *set = (tile_set){.tracks = tracks, .count = rows * groups};
    if (!host_tracks_kind(tracks, error, &set->kind))
        return host_error(HOST_BAD_INPUT, tracks->name, HOST_NO_OFFSET,
                          "an error of %g is below the resolution of its floats", error);
    set->tiles = host_allocate(set->count, sizeof *set->tiles);
    set->bytes = host_allocate(set->count, host_tile_bytes_max(TPI_TILE_POINTS, KEY_INTERVAL, 3));
    for (uint32_t t = 0; set->tiles && t < set->count; t++) {
        set_tile *tile = &set->tiles[t];
        tile->point = t / groups * TPI_TILE_POINTS, tile->frame = t % groups * KEY_INTERVAL;
        tile->seconds = INFINITY;
    }
    if (set->tiles && set->bytes) return HOST_DONE;
    free_set(set);
    return host_out_of_memory("tiles");
}

/* Encodes all tiles; returns the seconds. */
static double encode_set(tile_set *set, workshop *shop)
{
    double seconds = 0;
    shop->encoder.beams = HOST_BEAMS;
    set->size = 0;
    for (uint32_t t = 0; t < set->count; t++) {
        set_tile *tile = &set->tiles[t];
        host_tile_samples samples =
            host_tracks_tile(set->tracks, tile->point, tile->frame, KEY_INTERVAL, shop->words);
        double start = host_thread_seconds();
        tile->at = set->size;
        tile->size = host_tile_encode(&shop->encoder, &samples, &set->kind, set->bytes + set->size);
        tile->values = samples.points * samples.frames;
        set->size += tile->size;
        seconds += host_thread_seconds() - start;
    }
    return seconds;
}

/* Reads all frames of a tile as a player does. False: the tile is damaged. */
static bool read_tile(const tile_set *set, set_tile *tile, workshop *shop)
{
    const uint8_t *bytes = set->bytes + tile->at;
    double start = host_thread_seconds();
    bool is_good = tpi_tile_open(&shop->reader, bytes, tile->size);
    for (uint32_t f = 0; is_good && f < shop->reader.header.frames; f++) {
        is_good = tpi_tile_read(&shop->reader, bytes);
        for (uint32_t c = 0; c < 3; c++)
            host_tile_words(&shop->reader, &set->kind, c,
                            shop->words + (f * 3u + c) * TPI_TILE_POINTS);
    }
    double seconds = host_thread_seconds() - start;
    if (seconds < tile->seconds) tile->seconds = seconds;
    return is_good && tpi_tile_is_whole(&shop->reader);
}

/* The largest error of the tile that was read last. */
static double tile_error(const tile_set *set, const set_tile *tile, const workshop *shop)
{
    double worst = 0;
    const host_tracks *tracks = set->tracks;
    uint32_t points = shop->reader.header.points, frames = shop->reader.header.frames;
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t p = 0; p < points; p++) {
                float was = tracks->places[3 * ((size_t)(tile->frame + f) * tracks->points +
                                                tile->point + p) +
                                           c];
                float is;
                memcpy(&is, &shop->words[(f * 3u + c) * TPI_TILE_POINTS + p], sizeof is);
                worst = fmax(worst, fabs((double)is - (double)was));
            }
    return worst;
}

static int decode_set(tile_set *set, workshop *shop)
{
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t t = 0; t < set->count; t++) {
            set_tile *tile = &set->tiles[t];
            if (!read_tile(set, tile, shop) ||
                (!round && tile_error(set, tile, shop) > set->kind.error))
                return host_error(HOST_DIFFERENT, "bench", HOST_NO_OFFSET,
                                  "%s: a decoded tile exceeds its error bound", set->tracks->name);
        }
    return HOST_DONE;
}

/* ---- for comparison: a copy, and plain compression */

/* Seconds of copying the same frames. */
static double copy_seconds(const host_tracks *tracks, float *frame)
{
    double best = INFINITY;
    size_t values = 3 * (size_t)tracks->points;
    volatile float sink = 0; /* keeps the compiler from removing the copy */
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = host_thread_seconds();
        for (uint32_t f = 0; f < tracks->frames; f++) {
            memcpy(frame, tracks->places + f * values, values * sizeof *frame);
            sink = sink + frame[f % values];
        }
        best = fmin(best, host_thread_seconds() - start);
    }
    return best;
}

/* For a group of frames: quantised coordinates, linear prediction from the two frames before,
   zig-zag residuals, in byte planes. Returns their number of bytes. */
static size_t plain_planes(const host_tracks *tracks, double error, uint32_t first, uint8_t *planes)
{
    size_t values = 3 * (size_t)tracks->points;
    uint32_t frames = tpi_min_u32(tracks->frames - first, KEY_INTERVAL);
    for (size_t i = 0; i < values; i++) {
        int32_t place[2] = {0, 0}; /* of the last frame, and of the frame before */
        double low = tracks->low[i % 3];
        for (uint32_t f = 0; f < frames; f++) {
            double value = (double)tracks->places[(first + f) * values + i];
            int32_t now = (int32_t)floor((value - low) / (2.0 * error) + 0.5);
            int32_t residual = now - (f > 1u ? 2 * place[0] - place[1] : place[0]);
            uint32_t word = (uint32_t)residual << 1 ^ (residual < 0 ? ~0u : 0u);
            for (size_t k = 0; k < 4; k++)
                planes[(k * frames + f) * values + i] = (uint8_t)(word >> 8u * k);
            place[1] = place[0], place[0] = now;
        }
    }
    return 4 * frames * values;
}

/* Bytes of plain compression; 0: not enough memory. */
static size_t plain_bytes(const host_tracks *tracks, double error)
{
    size_t most = 12 * (size_t)tracks->points * KEY_INTERVAL, room = zstd_bound(most), bytes = 0;
    uint8_t *planes = host_allocate(most, 1), *packed = host_allocate(room, 1);
    void *work = host_allocate(zstd_encoder_bytes(most), 1);
    for (uint32_t f = 0; planes && packed && work && f < tracks->frames; f += KEY_INTERVAL)
        bytes +=
            zstd_encode(planes, plain_planes(tracks, error, f, planes), packed, room, false, work);
    free(planes);
    free(packed);
    free(work);
    return bytes;
}

/* ---- a row of the report: one set at one error bound */

static void finish_row(bench_tiles *row, const tile_set *set, double encode_seconds)
{
    double values = (double)row->points * row->frames, seconds = 0;
    uint32_t most = 0;
    for (uint32_t t = 0; t < set->count; t++) most = tpi_max_u32(most, set->tiles[t].values);
    for (uint32_t t = 0; t < set->count; t++) {
        const set_tile *tile = &set->tiles[t];
        seconds += tile->seconds;
        /* a small last tile is mostly header: not counted as worst */
        if (tile->values * 4u < most) continue;
        row->worst_ns = fmax(row->worst_ns, 1e9 * tile->seconds / tile->values);
        row->worst_bytes = fmax(row->worst_bytes, (double)tile->size / tile->values);
    }
    row->bytes = (double)set->size / values;
    row->read_ns = 1e9 * seconds / values;
    row->encode_rate = 12.0 * values / (encode_seconds + 1e-9);
}

static int measure_row(bench_tiles *row, const host_tracks *tracks, tile_set *set, workshop *shop)
{
    float *frame = host_allocate(tracks->points, 3 * sizeof *frame);
    size_t plain = plain_bytes(tracks, set->kind.error);
    double values = (double)tracks->points * tracks->frames;
    int code = frame && plain ? HOST_DONE : host_out_of_memory("a benchmark");
    double seconds = code ? 0 : encode_set(set, shop);
    if (!code) code = decode_set(set, shop);
    if (!code) {
        row->copy_ns = 1e9 * copy_seconds(tracks, frame) / values;
        row->plain = (double)plain / values;
        finish_row(row, set, seconds);
    }
    free(frame);
    return code;
}

int bench_tiles_of(bench_tiles *row, const host_tracks *tracks, double relative_error)
{
    tile_set set;
    int code = open_set(&set, tracks, relative_error * host_tracks_side(tracks));
    if (code) return code;
    workshop *shop = host_allocate(1, sizeof *shop);
    *row = (bench_tiles){
        .relative_error = relative_error, .points = tracks->points, .frames = tracks->frames};
    snprintf(row->name, sizeof row->name, "%.39s", tracks->name);
    code = shop ? measure_row(row, tracks, &set, shop) : host_out_of_memory("a benchmark");
    if (!code) code = bench_recorder_of(row, tracks, set.kind.error);
    free(shop);
    free_set(&set);
    return code;
}

/* ---- the report */

static void print_head(void)
{
    printf("%-24s %6s %6s %7s %8s %8s %8s %8s %7s %7s %7s %8s %9s\n", "bytes per point, frame",
           "error", "points", "frames", "tiles", "plain", "read ns", "copy ns", "worst t",
           "worst B", "MB/s", "record B", "record ns");
}

static void print_row(const bench_tiles *row)
{
    size_t length = strlen(row->name);
    const char *name = row->name + (length > 24u ? length - 24u : 0u);
    /* do not begin inside a UTF-8 character */
    while (((unsigned char)*name & 0xc0) == 0x80) name++;
    printf("%-24s %6.0e %6u %7u %8.3f %8.3f %8.1f %8.2f %7.2f %7.2f %7.1f %8.3f %9.1f\n",
           text_shown(name), row->relative_error, row->points, row->frames, row->bytes, row->plain,
           row->read_ns, row->copy_ns, row->worst_ns / row->read_ns, row->worst_bytes / row->bytes,
           row->encode_rate * 1e-6, row->record_bytes, row->record_ns);
}

static void print_json_row(const bench_tiles *row, bool is_first)
{
    printf("%s{\"name\": ", is_first ? "" : ", ");
    host_json_text(stdout, row->name);
    printf(", \"error\": %g, \"points\": %u, \"frames\": %u, \"bytes_per_point_frame\": %.4f, "
           "\"plain_bytes_per_point_frame\": %.4f, \"read_ns\": %.3f, \"copy_ns\": %.3f, "
           "\"worst_tile_time\": %.3f, \"worst_tile_bytes\": %.3f, \"encode_mb_per_second\": %.2f, "
           "\"record_bytes_per_point_frame\": %.4f, \"record_ns\": %.3f}",
           row->relative_error, row->points, row->frames, row->bytes, row->plain, row->read_ns,
           row->copy_ns, row->worst_ns / row->read_ns, row->worst_bytes / row->bytes,
           row->encode_rate * 1e-6, row->record_bytes, row->record_ns);
}

/* Totals of all rows so far. */
typedef struct cache_report {
    bool is_json;
    uint32_t rows, particles, frames;
    double values, seconds, worst_ns;
    double row_ns[64];
} cache_report;

static void add_row(cache_report *report, const bench_tiles *row)
{
    double values = (double)row->points * row->frames;
    if (!report->rows && report->is_json) fputs("{\"name\": \"cache\", \"sets\": [", stdout);
    if (!report->rows && !report->is_json) print_head();
    if (report->is_json)
        print_json_row(row, !report->rows);
    else
        print_row(row);
    if (report->rows < 64u) report->row_ns[report->rows] = row->read_ns;
    report->rows++;
    report->particles = row->points > report->particles ? row->points : report->particles;
    report->frames = row->frames > report->frames ? row->frames : report->frames;
    report->values += values;
    report->seconds += values * row->read_ns * 1e-9;
    report->worst_ns = fmax(report->worst_ns, row->worst_ns);
}

static int measure_set(cache_report *report, host_tracks *tracks)
{
    static const double errors[] = {1e-3, 1e-4};
    bench_tiles row;
    int code = HOST_DONE;
    for (uint32_t e = 0; e < 2 && !code; e++) {
        code = bench_tiles_of(&row, tracks, errors[e]);
        if (!code) add_row(report, &row);
    }
    host_tracks_free(tracks);
    return code;
}

static int measure_own(cache_report *report, const bench_plan *plan)
{
    host_tracks tracks;
    int code = host_tracks_of_bouncing(&tracks, plan->particles, plan->seed);
    if (!code) code = measure_set(report, &tracks);
    if (!code) code = host_tracks_of_sloshing(&tracks, "dam_break_3d", plan->particles);
    if (!code) code = measure_set(report, &tracks);
    for (size_t k = 0; scene_shipped_name(k) && !code; k++) {
        code = host_tracks_of_scene(&tracks, scene_shipped_name(k), plan->particles);
        if (!code && tracks.points)
            code = measure_set(report, &tracks);
        else if (!code)
            host_note(scene_shipped_name(k), HOST_NO_OFFSET,
                      "skipped: no particle lives in all frames of its second half");
    }
    return code;
}

static int measure_paths(cache_report *report, const bench_plan *plan, const char *const *paths,
                         size_t count)
{
    int code = HOST_DONE;
    for (size_t k = 0; k < count && !code; k++) {
        host_tracks tracks;
        code = host_tracks_of_path(&tracks, paths[k], plan->particles);
        if (!code) code = measure_set(report, &tracks);
    }
    return code;
}

static void print_end(cache_report *report)
{
    double mean = 1e9 * report->seconds / (report->values + 1e-9);
    uint32_t rows = report->rows < 64u ? report->rows : 64u;
    if (!report->is_json) {
        printf("error: relative to the largest side of the box. Tiles: %u points, %u frames, read "
               "with %u "
               "lane%s.\n"
               "plain: rounded, second differences, byte planes, zstd. MB/s: encoding, of raw "
               "floats.\n"
               "worst t, worst B: the slowest and the largest tile, relative to the mean tile.\n"
               "record: by a cache, with identities, in groups of %u frames\n",
               TPI_TILE_POINTS, KEY_INTERVAL, tp_lanes(), tp_lanes() == 1 ? "" : "s",
               BENCH_RECORD_FRAMES);
        return;
    }
    printf(
        "], \"particles\": %u, \"steps\": %u, \"seconds\": %.6f, \"ns_per_particle_step\": %.3f, "
        "\"median_ns\": %.3f, \"worst_ns\": %.3f, \"state_hash\": null, \"lanes\": %u}\n",
        report->particles, report->frames, report->seconds, mean,
        bench_median(report->row_ns, rows), report->worst_ns, tp_lanes());
}

int bench_cache(const bench_plan *wanted, const char *const *paths, size_t count, bool is_json)
{
    bench_plan plan = *wanted;
    cache_report report = {.is_json = is_json};
    if (!plan.particles) plan.particles = 2000;
    int code = count ? measure_paths(&report, &plan, paths, count) : measure_own(&report, &plan);
    if (!code) print_end(&report);
    return code;
}
