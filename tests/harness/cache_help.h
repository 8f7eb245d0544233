/* SPDX-License-Identifier: MIT
   tests/harness/cache_help.h - a source with births, deaths and reordering; a cache with a view for
           it.
   reads   nothing      writes  what is passed in
   memory  malloc       cost    O(particles) per frame
   after   own design: particles in free flight that are born, die, and change their index in every
           frame */
#ifndef TIDEPOOL_CACHE_HELP_H
#define TIDEPOOL_CACHE_HELP_H
#include "../../runtime/tidepool.h"

#define SWARM_MAX 300u
#define SWARM_LOG 512u

typedef struct swarm_state {
    uint64_t frame;
    uint32_t count, next_id, random, settings;
    uint32_t id[SWARM_MAX], flags[SWARM_MAX];
    float x[3][SWARM_MAX], v[3][SWARM_MAX], spin[4][SWARM_MAX];
} swarm_state;

typedef struct swarm {
    swarm_state now, start, next; /* next: the state under restoration */
    uint32_t births_each, progress, count_max;
    uint32_t advances, restarts, begins, restores, log_count;
    uint64_t log[SWARM_LOG]; /* frame numbers that were simulated */
    uint32_t fails;          /* 1: the next restore_begin fails, 2: the next extra_write does */
    bool is_fragile;         /* restore_begin spoils the current state at once */
    uint64_t units_spent;
    uint32_t inputs;      /* number of inputs applied, repeated ones included */
    uint64_t pause_frame; /* an advance that can pause does so at this frame */
} swarm;

enum { SWARM_VELOCITY, SWARM_ID, SWARM_FLAGS, SWARM_POSITION, SWARM_SPIN };
#define SWARM_WORDS 12u /* per particle */

/* A swarm of `count` particles at frame 0; `births_each` are born per frame, up to count_max
   particles. */
swarm *swarm_make(uint32_t count, uint32_t births_each);
void swarm_step(swarm *source);
/* The source's own advance. It costs one unit per particle and one more per frame. */
tp_result swarm_advance(void *context, const tp_budget *budget, uint64_t *units);
/* Jumps `frames` frames in a single step. The result is deterministic, but only approximates the
   result of single steps. */
tp_result swarm_jump(void *context, uint32_t frames, const tp_budget *budget, uint64_t *units);
/* Adds a velocity made from the bytes to every particle. */
tp_result swarm_input(void *context, const void *data, uint32_t bytes);
tp_source swarm_source(swarm *context);
tp_stream stream_of(const char *name, tp_stream_type type, uint32_t components,
                    tp_interpolation interpolation, uint32_t partner);
uint32_t swarm_components(uint32_t stream);
/* Covers all state that later frames depend on, independent of the order of storage. */
uint64_t swarm_hash(const swarm_state *state);
/* The state at a frame, simulated from the start. The caller frees it. */
swarm_state *swarm_at(uint32_t count, uint32_t births_each, uint64_t frame);
/* Bytes of one recorded frame with `count` particles. */
uint64_t swarm_frame_bytes(uint32_t count);

/* A cache in malloc memory, which the caller frees; its size is stored in *bytes. */
tp_cache *cache_make(const tp_cache_def *def, size_t *bytes);
/* Records a world after `frames` frames, goes on for as many, rewinds, and goes on again: to the
   same bits. */
void cache_check_resumes(tp_world *world, uint32_t frames);
/* Records `frames` frames of a world from frame 0 on. With `rewinds` goes back to frame `back`.
   Then simulates until frame `end`. */
void cache_play(tp_world *world, uint32_t frames, bool rewinds, uint32_t back, uint32_t end);

typedef struct cache_fixture {
    swarm *swarm;
    tp_source source;
    tp_cache_def def;
    tp_cache *cache;
    size_t bytes;
    tp_frame_view view;
} cache_fixture;

/* Opens with a default definition, which the caller may change before fixture_create. */
void fixture_open(cache_fixture *f, uint32_t count, uint32_t births_each);
void fixture_create(cache_fixture *f);
void fixture_close(cache_fixture *f);
/* Repeats the request until it is complete. */
tp_result request_all(cache_fixture *f, uint64_t time);
void view_make(tp_frame_view *view, uint32_t capacity);
void view_free(tp_frame_view *view);
/* True if the view holds the particles of the swarm in the order of ids. */
bool view_is(const tp_frame_view *view, const swarm_state *state);
/* The same for the wanted streams only: positions and velocities within these bounds, spins bit by
   bit. */
bool view_is_within(const tp_frame_view *view, const swarm_state *state, float place,
                    float velocity);
/* Offset of the recorded bytes in the block; the data before them depends on how work was
   sliced. */
size_t ring_offset(const tp_cache_def *def);
/* Accepts any result. */
void let(tp_result result);

#endif
