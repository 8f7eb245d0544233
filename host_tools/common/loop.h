/* SPDX-License-Identifier: MIT
   host_tools/common/loop.h - a game's frame loop around one world and its cache, with a budget and an account of it.
   reads   a scene, a world      writes  the world, the cache, the account
   memory  that of the account; nothing is allocated while it runs      cost    the frames simulated
   after   own design: every simulated frame is recorded before the next begins, whatever the budget, so that the frames
           and the final hash are the same for all budgets under the carry policy */
#ifndef TIDEPOOL_LOOP_H
#define TIDEPOOL_LOOP_H
#include "scene.h"

/* Game frames are kept one by one until there are this many, then in pairs, fours, ... so that memory stays fixed. */
#define LOOP_TRACE_MAX 4096u
#define LOOP_FINE_US   65536u /* frames shorter than this are counted by the microsecond */
#define LOOP_COARSE_MS 65536u /* longer ones by the millisecond */

/* One game frame, or the largest of several. */
typedef struct loop_trace {
    double units, microseconds, timestep, courant, steps, particles, lag;
} loop_trace;

typedef struct loop_settings {
    uint32_t frames;    /* simulated frames */
    uint32_t work;      /* units a game frame; 0: no limit */
    uint32_t budget_us; /* of a game frame; 0: no limit */
    bool quiet;
    const tp_jobs *jobs; /* NULL: one thread */
    const char *label;   /* of the progress bar; NULL: the scene's name */
    /* Called with each simulated frame, from 1, before the next begins; anything but HOST_DONE ends the loop. NULL: none. */
    int (*take)(void *context, const tp_world *world, uint64_t frame);
    void *context;
} loop_settings;

typedef struct loop_report {
    uint64_t frames, game_frames;
    uint64_t max_frame_units, total_units;
    uint32_t max_slice_units;
    uint32_t slice_units; /* the bound: of the world, once a thread, or of the cache where that needs more */
    uint64_t max_frame_us, median_frame_us;
    uint64_t frames_over_budget; /* above the budget and one slice: never, by contract */
    uint64_t frames_over_budget_us;
    uint64_t lagged_frames;
    uint64_t allocations;
    bool allocations_counted;
    double seconds;
    tp_report world;
    uint64_t state_hash;
    uint32_t trace_count, trace_stride;
} loop_report;

typedef struct loop {
    const scene *source;
    loop_settings settings;
    tp_world *world;
    tp_cache *cache; /* NULL: nothing is recorded */
    loop_report report;
    loop_trace *trace;
    uint32_t *fine, *coarse; /* histograms of microseconds */
} loop;

/* Takes the memory of the account. HOST_DONE or HOST_NO_ROOM, printed. */
int loop_open(loop *target, const scene *source, const loop_settings *settings, tp_world *world,
              tp_cache *cache);
void loop_close(loop *target);
/* Simulates settings.frames frames. An error of the runtime is printed. */
int loop_run(loop *target);

/* Scene, world and cache in blocks of their own: what run, hash and bench begin with. */
typedef struct stage {
    scene scene;
    void *world_memory, *cache_memory; /* from malloc; the blocks lie in them, aligned */
    void *shown_memory;
    size_t world_bytes, cache_bytes;
    tp_world *world;
    tp_cache *cache;
    tp_cache *shown; /* what pictures and files are made from: mostly `cache` itself */
} stage;
/* The scene must be loaded. With `frames` above 0 a cache for that many frames is made as well. */
int stage_open(stage *target, uint32_t frames);
/* Where the scene's cache keeps some streams only, `shown` becomes a cache of every stream of the
   same frames. It has no share in the budget: stage_show records into it, a loop's `take`. */
int stage_open_shown(stage *target, uint32_t frames);
int stage_show(void *context, const tp_world *world, uint64_t frame);
/* The world as it was when it was opened. */
int stage_restart(stage *target);
void stage_close(stage *target);

/* A block aligned to 16 in *memory, which free takes; NULL when memory is short. */
void *stage_block(size_t bytes, void **memory);

/* Loads the scene that a command is about, with its options --seed and --slice (NULL: not given). */
int stage_load(stage *target, const char *command, const char *path, const char *seed, const char *slice);

#endif
