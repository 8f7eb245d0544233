/* SPDX-License-Identifier: MIT
   host_tools/common/loop.h - a frame loop like that of a game: one world, its cache, a budget, and
           a report of the costs.
   reads   a scene, a world      writes  the world, the cache, the report
   memory  that of the report; nothing is allocated while it runs      cost    the frames simulated
   after   own design: every simulated frame is recorded before the next begins, whatever the
           budget, so that the frames and the final hash are the same for all budgets under the
           carry policy */
#ifndef TIDEPOOL_LOOP_H
#define TIDEPOOL_LOOP_H
#include "scene.h"

/* Capacity of the trace. When it is full, entries are merged in pairs: one entry per game frame,
   then per 2, 4, ... */
#define LOOP_TRACE_MAX 4096u
#define LOOP_FINE_US   65536u /* frames shorter than this: histogram with bins of 1 us */
#define LOOP_COARSE_MS 65536u /* longer frames: bins of 1 ms */

/* Values of one game frame, or the maxima of several merged frames. */
typedef struct loop_trace {
    double units, microseconds, timestep, courant, steps, particles, lag;
} loop_trace;

typedef struct loop_settings {
    uint32_t frames;    /* simulated frames */
    uint32_t work;      /* units per game frame; 0: no limit */
    uint32_t budget_us; /* per game frame; 0: no limit */
    bool quiet;
    const tp_jobs *jobs; /* NULL: one thread */
    const char *label;   /* text of the progress bar; NULL: the name of the scene */
    /* Called after each simulated frame (the first is 1), before the next begins. Any result except
       HOST_DONE ends the loop. NULL: no call. */
    int (*take)(void *context, const tp_world *world, uint64_t frame);
    void *context;
    /* Called after each step. NULL: no call; else the world is called slice by slice. */
    void (*step)(void *context, const tp_report *report);
    void *step_context;
} loop_settings;

typedef struct loop_report {
    uint64_t frames, game_frames;
    uint64_t max_frame_units, total_units;
    uint32_t max_slice_units;
    /* slice bound: of the world, times the number of threads; or of the cache, if that is larger */
    uint32_t slice_units;
    uint64_t max_frame_us, median_frame_us;
    uint64_t frames_over_budget; /* above the budget plus one slice: 0, by contract */
    uint64_t frames_over_budget_us;
    /* of an incompressible fluid: mean of all frames and largest of one, and of a particle */
    double compression, frame_compression_max, particle_compression_max;
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
    tp_cache *cache; /* NULL: no recording */
    loop_report report;
    loop_trace *trace;
    uint32_t *fine, *coarse; /* histograms of microseconds */
} loop;

/* Allocates the memory of the report. HOST_DONE, or HOST_OUT_OF_MEMORY and an error was printed. */
int loop_open(loop *target, const scene *source, const loop_settings *settings, tp_world *world,
              tp_cache *cache);
void loop_close(loop *target);
/* Simulates settings.frames frames. An error of the runtime is printed. */
int loop_run(loop *target);

/* A scene with its world and cache, each in its own block: the start of run, bake, hash and
   bench. */
typedef struct stage {
    scene scene;
    void *world_memory, *cache_memory; /* from malloc; the aligned blocks are inside */
    void *whole_memory;
    size_t world_bytes, cache_bytes;
    tp_world *world;
    tp_cache *cache;
    tp_cache *shown; /* the source of pictures and files: usually `cache` itself */
    tp_cache *whole; /* the source of springs: `cache`, unless it does not keep every bit */
} stage;
/* Creates the world of a loaded scene. With frames > 0 also a cache for that many frames. */
int stage_open(stage *target, uint32_t frames);
/* If the cache of the scene records some streams only, or a viscoelastic fluid within an error,
   `whole` becomes a second cache with every bit of the same frames, and in the first case `shown`
   too. It is not part of the budget: stage_show, the `take` of a loop, records into it. */
int stage_open_shown(stage *target, uint32_t frames);
int stage_show(void *context, const tp_world *world, uint64_t frame);
/* Resets the world to its state after stage_open. */
int stage_restart(stage *target);
void stage_close(stage *target);

/* Numbers in the vectors of the stages under a budget with this lanes_max. */
uint32_t stage_lanes(uint32_t lanes_max);

/* A block aligned to 16 bytes, inside *memory, which the caller frees. NULL: not enough memory. */
void *stage_block(size_t bytes, void **memory);

/* Loads the scene of a command; applies its options --seed and --slice (NULL: not given). */
int stage_load(stage *target, const char *command, const char *path, const char *seed,
               const char *slice);

#endif
