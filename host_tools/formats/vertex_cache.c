/* SPDX-License-Identifier: MIT
   host_tools/formats/vertex_cache.c - reads .pc2 and .mdd: samples are read from the file on
           demand.
   reads   .pc2, .mdd                      writes  host_frame
   memory  20 bytes per sample; one frame, two to interpolate    cost    O(vertices) per frame
   after   see vertex_cache.h; nothing in a file is trusted */
#include "vertex_cache.h"
#include "bytes.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PC2_HEAD_BYTES 32u
#define MDD_HEAD_BYTES 8u
#define VERTEX_BYTES   12u
#define FRAME_MAX      1e9 /* limit on the magnitude of a frame number; fits in 32 bits */

typedef struct vertex_cache {
    FILE *stream;
    uint64_t size;
    bool big_endian;
    uint32_t vertices, samples;
    uint64_t head_bytes; /* offset of the first sample */
    float *seconds;      /* time of each sample of an .mdd, as stored */
    double *at;          /* frame of each sample, ascending; nearly whole values are rounded */
    double guess;        /* frame rate guessed for an .mdd; 0: given, or not needed */
    bool is_sparse;      /* no two samples are one frame apart at the default rate */
    bool noted_times;    /* the notes about times were printed */
} vertex_cache;

/* ---- times of the samples */

/* Rounds a nearly whole frame number; the tolerance is the rounding error of 32-bit times. */
static double snap(double at)
{
    double whole = floor(at + 0.5);
    return fabs(at - whole) <= 1e-3 + fabs(at) * 2e-7 ? whole : at;
}

static int check_times(host_sequence *sequence, const vertex_cache *cache)
{
    for (uint32_t i = 0; i < cache->samples; i++) {
        if (!(fabs(cache->at[i]) <= FRAME_MAX))
            return host_error(HOST_BAD_INPUT, sequence->path,
                              cache->seconds ? MDD_HEAD_BYTES + 4 * i : 20,
                              "sample %u lies at frame %g, expected -1e9 to 1e9", i, cache->at[i]);
        if (i && !(cache->at[i] > cache->at[i - 1]))
            return host_error(HOST_BAD_INPUT, sequence->path,
                              cache->seconds ? MDD_HEAD_BYTES + 4 * i : 24,
                              "the time of sample %u is not after that of the sample before it", i);
    }
    return HOST_DONE;
}

/* Lists the frames of the sequence: the whole frames directly before and after each sample, from
   the first to the last sample. Samples on whole frames give those frames only.
   Exceptions: several samples with at most one whole frame between the first and the last also give
   the frames around them, which show the first and the last sample; a single sample gives the frame
   before it. */
static int list_frames(host_sequence *sequence, const vertex_cache *cache)
{
    size_t count = 0;
    double first = cache->at[0], last = cache->at[cache->samples - 1];
    bool is_short = cache->samples > 1 && floor(last) - ceil(first) < 1;
    double lowest = is_short || cache->samples == 1 ? floor(first) : first,
           highest = is_short ? ceil(last) : last;
    int32_t *numbers = host_allocate(cache->samples, 2 * sizeof *numbers);
    if (!numbers) return host_out_of_memory("the list of frames");
    for (uint32_t i = 0; i < cache->samples; i++) {
        double around[2] = {floor(cache->at[i]), ceil(cache->at[i])};
        for (int k = 0; k < 2; k++)
            if (around[k] >= lowest && around[k] <= highest &&
                (!count || around[k] > (double)numbers[count - 1]))
                numbers[count++] = (int32_t)around[k];
    }
    free(sequence->numbers);
    sequence->numbers = numbers;
    sequence->frame_count = count;
    return HOST_DONE;
}

/* Notes about samples between whole frames: the frames of a sequence are whole. */
static void note_fractions(const host_sequence *sequence, const vertex_cache *cache)
{
    uint32_t between = 0;
    int first = (int)sequence->numbers[0], last = (int)sequence->numbers[sequence->frame_count - 1];
    double low = cache->at[0], high = cache->at[cache->samples - 1];
    for (uint32_t i = 0; i < cache->samples; i++) between += cache->at[i] != floor(cache->at[i]);
    if (between && cache->samples == 1)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "the only sample lies at frame %.9g and is shown at %d", low, first);
    else if (between && (first < low || last > high))
        host_note(sequence->path, HOST_NO_OFFSET,
                  "the samples lie within less than two frames, from %.9g to %.9g: frame %d shows "
                  "the first, "
                  "frame %d the last",
                  low, high, first, last);
    else if (between)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "%u of %u samples lie between whole frames; frames between two samples are "
                  "interpolated",
                  between, cache->samples);
    if (cache->samples > 1 && (low < first || high > last))
        host_note(sequence->path, HOST_NO_OFFSET,
                  "samples before frame %d or after frame %d are skipped", first, last);
}

static void note_times(const host_sequence *sequence, vertex_cache *cache)
{
    if (cache->noted_times) return;
    cache->noted_times = true;
    if (cache->guess > 0 && cache->guess != VERTEX_CACHE_FPS)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "times are read at %.6g frames per second, which puts the closest samples one "
                  "frame apart; "
                  "--fps N "
                  "sets another rate",
                  cache->guess);
    else if (cache->guess > 0 && cache->is_sparse)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "times are read at %.6g frames per second; --fps N sets another rate",
                  cache->guess);
    note_fractions(sequence, cache);
}

static int place_samples(host_sequence *sequence, vertex_cache *cache)
{
    int code = check_times(sequence, cache);
    for (uint32_t i = 0; !code && i < cache->samples; i++) cache->at[i] = snap(cache->at[i]);
    if (!code) code = check_times(sequence, cache);
    return code ? code : list_frames(sequence, cache);
}

/* ---- opening */

static int read_bytes(const host_sequence *sequence, vertex_cache *cache, uint64_t offset,
                      void *bytes, size_t size)
{
    if (fseeko(cache->stream, (off_t)offset, SEEK_SET) == 0 &&
        fread(bytes, 1, size, cache->stream) == size)
        return HOST_DONE;
    return host_error(HOST_IO, sequence->path, offset, "cannot read: %s",
                      ferror(cache->stream) ? strerror(errno) : "the file became shorter");
}

/* Reads the header; an error when the file is shorter. */
static int read_head(const host_sequence *sequence, vertex_cache *cache, uint8_t *head, size_t size)
{
    if (cache->size >= size) return read_bytes(sequence, cache, 0, head, size);
    return host_error(HOST_BAD_INPUT, sequence->path, cache->size,
                      "the file ends inside its header of %zu bytes; it is incomplete", size);
}

/* Checks the counts of vertices and samples, stored at these offsets, against the size of the file.
   Sets up the sequence. */
static int check_counts(host_sequence *sequence, vertex_cache *cache, const uint32_t offsets[2])
{
    uint32_t counts[2] = {cache->vertices, cache->samples};
    static const char *const names[2] = {"vertices", "samples"};
    for (int k = 0; k < 2; k++)
        if (counts[k] < 1 || counts[k] > INT32_MAX)
            return host_error(HOST_BAD_INPUT, sequence->path, offsets[k],
                              "the number of %s is %d, expected at least 1", names[k],
                              (int)counts[k]);
    uint64_t sample_bytes = (uint64_t)cache->vertices * VERTEX_BYTES; /* below 2^35 */
    uint64_t left = cache->size < cache->head_bytes ? 0 : cache->size - cache->head_bytes;
    if (cache->samples > left / sample_bytes)
        return host_error(
            HOST_BAD_INPUT, sequence->path, cache->size,
            "the header promises %u samples of %u vertices of 12 bytes, but %llu bytes follow it; "
            "the file is incomplete or its header damaged",
            cache->samples, cache->vertices, (unsigned long long)left);
    uint64_t surplus = left - cache->samples * sample_bytes;
    if (surplus)
        host_doubt(sequence->path, cache->size - surplus,
                   "%llu bytes after the last sample are ignored", (unsigned long long)surplus);
    sequence->type = POINT_CLOTH;
    sequence->streams = POINT_BIT(POINT_LOCATION);
    sequence->point_count = cache->vertices;
    cache->at = host_allocate(cache->samples, sizeof *cache->at);
    return cache->at ? HOST_DONE : host_out_of_memory("the times of samples");
}

static const char pc2_magic[12] = "POINTCACHE2";

bool pc2_recognises(const uint8_t *start, size_t size)
{
    return size >= sizeof pc2_magic && memcmp(start, pc2_magic, sizeof pc2_magic) == 0;
}

static int read_pc2(host_sequence *sequence, vertex_cache *cache)
{
    uint8_t head[PC2_HEAD_BYTES];
    static const uint32_t offsets[2] = {16, 28};
    int code = read_head(sequence, cache, head, sizeof head);
    if (code) return code;
    if (!pc2_recognises(head, sizeof head))
        return host_error(HOST_BAD_INPUT, sequence->path, 0,
                          "magic is not POINTCACHE2 and a zero byte");
    if ((uint32_t)bytes_load(head + 12, 4, false) != 1)
        return host_error(HOST_BAD_INPUT, sequence->path, 12, "version is %u, expected 1",
                          (uint32_t)bytes_load(head + 12, 4, false));
    cache->vertices = (uint32_t)bytes_load(head + 16, 4, false);
    cache->samples = (uint32_t)bytes_load(head + 28, 4, false);
    cache->head_bytes = PC2_HEAD_BYTES;
    code = check_counts(sequence, cache, offsets);
    double first = (double)bytes_load_f32(head + 20, false),
           step = (double)bytes_load_f32(head + 24, false);
    for (uint32_t i = 0; !code && i < cache->samples; i++)
        cache->at[i] = i ? first + step * i : first;
    return code;
}

/* An .mdd has no magic number; it is recognised by its ending only. */
bool mdd_recognises(const uint8_t *start, size_t size)
{
    (void)start;
    (void)size;
    return false;
}

static double frame_at(float seconds, double fps) { return 1 + (double)seconds * fps; }

static bool all_whole(const vertex_cache *cache, double fps)
{
    bool is_whole = true;
    double before = -INFINITY;
    for (uint32_t i = 0; i < cache->samples && is_whole; i++) {
        double at = snap(frame_at(cache->seconds[i], fps));
        is_whole = at == floor(at) && at > before;
        before = at;
    }
    return is_whole;
}

/* Guesses the frame rate. The default rate, if all samples lie on whole frames of it: then frames
   10, 20 and 30 stay 10, 20 and 30. Otherwise the closest two samples are taken to be one frame
   apart; the other gaps are rounded to whole frames, and the rate is the number of frames divided
   by the time from the first to the last sample, which uses the full precision of the times. */
static double guess_fps(vertex_cache *cache)
{
    double closest = 0, frames = 0;
    const float *seconds = cache->seconds;
    for (uint32_t i = 1; i < cache->samples; i++) {
        double gap = (double)seconds[i] - (double)seconds[i - 1];
        if (closest == 0 || gap < closest) closest = gap;
    }
    cache->is_sparse = closest > 1.5 / VERTEX_CACHE_FPS;
    if (!(closest > 0) || all_whole(cache, VERTEX_CACHE_FPS)) return VERTEX_CACHE_FPS;
    for (uint32_t i = 1; i < cache->samples; i++)
        frames += floor(((double)seconds[i] - (double)seconds[i - 1]) / closest + 0.5);
    return frames / ((double)seconds[cache->samples - 1] - (double)seconds[0]);
}

static int set_rate(host_sequence *sequence, double fps)
{
    vertex_cache *cache = sequence->state;
    for (uint32_t i = 0; i < cache->samples; i++) cache->at[i] = frame_at(cache->seconds[i], fps);
    return place_samples(sequence, cache);
}

int mdd_retime(host_sequence *sequence, double fps)
{
    vertex_cache *cache = sequence->state;
    cache->guess = 0;
    return set_rate(sequence, fps);
}

static int read_mdd(host_sequence *sequence, vertex_cache *cache)
{
    uint8_t head[MDD_HEAD_BYTES];
    static const uint32_t offsets[2] = {4, 0};
    int code = read_head(sequence, cache, head, sizeof head);
    if (code) return code;
    cache->big_endian = true;
    cache->samples = (uint32_t)bytes_load(head, 4, true);
    cache->vertices = (uint32_t)bytes_load(head + 4, 4, true);
    cache->head_bytes = MDD_HEAD_BYTES + 4 * (uint64_t)cache->samples;
    code = check_counts(sequence, cache, offsets);
    if (code) return code;
    cache->seconds = host_allocate(cache->samples, sizeof *cache->seconds);
    if (!cache->seconds) return host_out_of_memory("the times of samples");
    code = read_bytes(sequence, cache, MDD_HEAD_BYTES, cache->seconds, 4 * (size_t)cache->samples);
    for (uint32_t i = 0; !code && i < cache->samples; i++) {
        cache->seconds[i] = bytes_load_f32((const uint8_t *)&cache->seconds[i], true);
        cache->at[i] = (double)cache->seconds[i];
    }
    if (!code) code = check_times(sequence, cache);
    return code;
}

static int open_cache(host_sequence *sequence, const char *path,
                      int (*read)(host_sequence *, vertex_cache *))
{
    vertex_cache *cache = host_allocate(1, sizeof *cache);
    if (!cache) return host_out_of_memory("a vertex cache");
    sequence->state = cache;
    int code = host_sequence_open_file(sequence, path, &cache->stream);
    cache->size = sequence->byte_count;
    return code ? code : read(sequence, cache);
}

int pc2_open(host_sequence *sequence, const char *path)
{
    int code = open_cache(sequence, path, read_pc2);
    return code ? code : place_samples(sequence, sequence->state);
}

int mdd_open(host_sequence *sequence, const char *path)
{
    int code = open_cache(sequence, path, read_mdd);
    if (code) return code;
    vertex_cache *cache = sequence->state;
    cache->guess = guess_fps(cache);
    return set_rate(sequence, cache->guess);
}

/* ---- frames */

static int load_sample(const host_sequence *sequence, vertex_cache *cache, uint32_t sample,
                       float *location)
{
    size_t floats = (size_t)cache->vertices * 3;
    uint64_t offset = cache->head_bytes + (uint64_t)sample * cache->vertices * VERTEX_BYTES;
    int code = read_bytes(sequence, cache, offset, location, floats * sizeof *location);
    for (size_t i = 0; !code && i < floats; i++)
        location[i] = bytes_load_f32((const uint8_t *)&location[i], cache->big_endian);
    return code;
}

/* Binary search for the last sample at or before frame `number`; 0 if there is none. */
static uint32_t find_sample(const vertex_cache *cache, double number)
{
    uint32_t low = 0, high = cache->samples;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (cache->at[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Interpolates linearly from the locations of `sample`, given in `location`, to those of the next
   sample. */
static int blend_next(const host_sequence *sequence, vertex_cache *cache, uint32_t sample,
                      double number, float *location)
{
    size_t floats = (size_t)cache->vertices * 3;
    float *next = host_allocate(floats, sizeof *next);
    if (!next) return host_out_of_memory("a frame");
    float part =
        (float)((number - cache->at[sample]) / (cache->at[sample + 1] - cache->at[sample]));
    int code = load_sample(sequence, cache, sample + 1, next);
    for (size_t i = 0; !code && i < floats; i++) location[i] += part * (next[i] - location[i]);
    free(next);
    return code;
}

int vertex_cache_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    vertex_cache *cache = sequence->state;
    double number = (double)sequence->numbers[position];
    uint32_t sample = find_sample(cache, number);
    if (!host_frame_allocate(frame, cache->vertices, POINT_BIT(POINT_LOCATION)))
        return host_out_of_memory("a frame");
    note_times(sequence, cache);
    uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; i < cache->vertices; i++) indices[i] = i;
    frame->number = number;
    int code = load_sample(sequence, cache, sample, frame->data[POINT_LOCATION]);
    if (!code && cache->at[sample] < number && sample + 1 < cache->samples)
        code = blend_next(sequence, cache, sample, number, frame->data[POINT_LOCATION]);
    if (code) host_frame_free(frame);
    return code;
}

void vertex_cache_close(host_sequence *sequence)
{
    vertex_cache *cache = sequence->state;
    if (!cache) return;
    if (cache->stream) fclose(cache->stream);
    free(cache->seconds);
    free(cache->at);
    free(cache);
    sequence->state = NULL;
}
