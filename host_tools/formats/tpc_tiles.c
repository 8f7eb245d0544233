/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_tiles.c - encodes the tiles of a stream of a group, on several threads.
   reads   a group                         writes  tiles, in order
   memory  10 MB per thread                cost    0.1 to 2 us per point, frame and component
   after   host_tools/clip; own design: of many tiles some are encoded first, and the others try
           only what was best for these. The bytes are the same for any number of threads */
#include "tpc_tiles.h"
#include "../common/ordered.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES     16u /* tiles that are encoded first */
#define SAMPLED_MIN 64u /* of so many tiles or more */

/* Tiles that are encoded together. */
typedef struct tile_run {
    host_tile_encoder *encoder;
    uint32_t count, tile[HOST_TILES], sizes[HOST_TILES];
    uint8_t *bytes[HOST_TILES];
    host_habits habits[TPI_TILE_COMPONENTS];
} tile_run;

/* A stream while it is encoded. */
typedef struct tiles_job {
    const tpc_tiles *tiles;
    uint32_t together; /* tiles of a run */
    bool samples;      /* this is the first look at some tiles */
    bool has_habits;
    host_habits habits[TPI_TILE_COMPONENTS];
    uint8_t *sampled[SAMPLES]; /* tiles that are encoded already */
    uint32_t sampled_size[SAMPLES];
    uint8_t required;
    /* encoders that no run uses at the moment */
    pthread_mutex_t lock;
    host_tile_encoder *spare[ORDERED_THREADS_MAX];
    uint32_t spares;
} tiles_job;

static uint32_t sample_tile(const tpc_tiles *tiles, uint32_t k)
{
    return (uint32_t)((2u * k + 1u) * (uint64_t)tiles->count / (2u * SAMPLES));
}

/* The number of a tile among those encoded first, or SAMPLES. */
static uint32_t sample_of(const tiles_job *job, uint32_t tile)
{
    uint32_t k = 0;
    while (k < SAMPLES && !(job->sampled[k] && sample_tile(job->tiles, k) == tile)) k++;
    return k;
}

/* ---- encoders, kept from run to run: their memory is not mapped anew for each */

static host_tile_encoder *take_encoder(tiles_job *job)
{
    host_tile_encoder *encoder = NULL;
    pthread_mutex_lock(&job->lock);
    if (job->spares) encoder = job->spare[--job->spares];
    pthread_mutex_unlock(&job->lock);
    return encoder ? encoder : malloc(sizeof *encoder);
}

static void give_encoder(tiles_job *job, host_tile_encoder *encoder)
{
    if (!encoder) return;
    pthread_mutex_lock(&job->lock);
    bool keeps = job->spares < ORDERED_THREADS_MAX;
    if (keeps) job->spare[job->spares++] = encoder;
    pthread_mutex_unlock(&job->lock);
    if (!keeps) free(encoder);
}

/* ---- runs */

static bool all_live(const tpc_group *group, uint32_t at, uint32_t points)
{
    for (uint32_t p = at; p < at + points; p++)
        if (group->born[p] != 0 || group->gone[p] != group->frames) return false;
    return true;
}

static host_tile_samples samples_of(const tpc_tiles *tiles, uint32_t number)
{
    uint32_t t = tiles->first + number, begin = t * TPI_TILE_POINTS;
    const tpc_group *group = tiles->group;
    host_tile_samples samples = {.points = tpi_min_u32(tiles->slots - begin, TPI_TILE_POINTS),
                                 .frames = tiles->frames,
                                 .components = tiles->components};
    if (tiles->words) { /* stored once */
        samples.words = tiles->words + (size_t)t * tiles->components * TPI_TILE_POINTS;
        return samples;
    }
    samples.words = tpc_group_row(group, t, tiles->column, 0, 0);
    if (!all_live(group, begin, samples.points)) {
        samples.first = group->born + begin;
        samples.end = group->gone + begin;
    }
    return samples;
}

/* Which tiles a run has: of a first look the samples, later those that are not encoded yet. */
static void list_tiles(const tiles_job *job, uint32_t item, tile_run *run)
{
    uint32_t begin = item * job->together, end = begin + job->together;
    if (job->samples) {
        for (uint32_t k = begin; k < end && k < SAMPLES; k++)
            run->tile[run->count++] = sample_tile(job->tiles, k);
        return;
    }
    for (uint32_t t = begin; t < end && t < job->tiles->count; t++)
        if (sample_of(job, t) == SAMPLES) run->tile[run->count++] = t;
}

static int encode_run(void *context, size_t item, void *state)
{
    tiles_job *job = context;
    tile_run *run = state;
    host_tile_samples samples[HOST_TILES];
    list_tiles(job, (uint32_t)item, run);
    run->encoder = take_encoder(job);
    if (!run->encoder) return host_out_of_memory("tiles");
    for (uint32_t k = 0; k < run->count; k++) {
        samples[k] = samples_of(job->tiles, run->tile[k]);
        run->bytes[k] = host_allocate(
            host_tile_bytes_max(samples[k].points, samples[k].frames, samples[k].components), 1);
        if (!run->bytes[k]) return host_out_of_memory("a tile");
    }
    run->encoder->beams = HOST_BEAMS;
    run->encoder->one_leader = false;
    run->encoder->is_thorough = job->tiles->slots <= HOST_THOROUGH_POINTS;
    run->encoder->habits = job->has_habits ? job->habits : NULL;
    run->encoder->learns = job->samples ? run->habits : NULL;
    host_tiles_encode(run->encoder, samples, &job->tiles->kind, run->count, run->bytes, run->sizes);
    for (uint32_t k = 0; k < run->count; k++)
        if (!run->sizes[k]) return host_out_of_memory("a tile's symbols");
    return HOST_DONE;
}

/* Keeps the tiles of a first look, and adds their habits. */
static int keep_samples(void *context, size_t item, void *state)
{
    tiles_job *job = context;
    tile_run *run = state;
    job->required |= run->encoder->required;
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t at = (uint32_t)item * job->together + k;
        uint8_t *kept = realloc(run->bytes[k], run->sizes[k]);
        job->sampled[at] = kept ? kept : run->bytes[k];
        job->sampled_size[at] = run->sizes[k];
        run->bytes[k] = NULL;
    }
    for (uint32_t c = 0; c < job->tiles->components; c++)
        host_habits_add(&job->habits[c], &run->habits[c]);
    return HOST_DONE;
}

/* Passes the tiles of a run on, in order. */
static int put_run(void *context, size_t item, void *state)
{
    tiles_job *job = context;
    const tile_run *run = state;
    const tpc_tiles *tiles = job->tiles;
    uint32_t begin = (uint32_t)item * job->together, k = 0;
    job->required |= run->encoder->required;
    for (uint32_t t = begin; t < begin + job->together && t < tiles->count; t++) {
        uint32_t sample = sample_of(job, t);
        bool is_sample = sample < SAMPLES;
        int code = tiles->put(tiles->context, is_sample ? job->sampled[sample] : run->bytes[k],
                              is_sample ? job->sampled_size[sample] : run->sizes[k]);
        if (code) return code;
        k += !is_sample;
    }
    return HOST_DONE;
}

static void drop_run(void *context, void *state)
{
    tile_run *run = state;
    give_encoder(context, run->encoder);
    for (uint32_t k = 0; k < run->count; k++) free(run->bytes[k]);
}

/* ---- a stream */

/* Encodes all tiles, or some as a first look. */
static int run_tiles(tiles_job *job, bool samples)
{
    uint32_t count = samples ? SAMPLES : job->tiles->count, jobs = job->tiles->jobs;
    /* no thread is idle for long */
    job->together = tpi_min_u32(HOST_TILES, tpi_max_u32(1, count / (2u * jobs)));
    if (jobs == 1u) job->together = HOST_TILES;
    job->samples = samples;
    ordered_job runs = {.context = job,
                        .count = (count + job->together - 1u) / job->together,
                        .state_bytes = sizeof(tile_run),
                        .threads = jobs,
                        .work = encode_run,
                        .take = samples ? keep_samples : put_run,
                        .drop = drop_run};
    return ordered_run(&runs);
}

int tpc_encode_tiles(const tpc_tiles *tiles, uint8_t *required)
{
    tiles_job job = {.tiles = tiles, .lock = PTHREAD_MUTEX_INITIALIZER};
    int code = HOST_DONE;
    if (tiles->kind.error != 0.0 && tiles->kind.is_float && tiles->count >= SAMPLED_MIN) {
        code = run_tiles(&job, true);
        job.has_habits = true;
    }
    if (!code) code = run_tiles(&job, false);
    *required |= job.required;
    for (uint32_t k = 0; k < SAMPLES; k++) free(job.sampled[k]);
    while (job.spares) free(job.spare[--job.spares]);
    return code;
}
