/* SPDX-License-Identifier: MIT
   tests/harness/cache_help.h - a source made to be awkward, and a cache with a view for it.
   reads   nothing      writes  what is passed in
   memory  malloc       cost    O(particles) a frame
   after   own design: particles in free flight that are born, die, and change places in every frame */
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
    swarm_state now, start, next; /* next: being restored */
    uint32_t births_each, progress, count_max;
    uint32_t advances, restarts, begins, restores, log_count;
    uint64_t log[SWARM_LOG]; /* frames simulated */
    uint32_t fails;          /* 1: the next restore_begin fails, 2: the next extra_write does */
    bool is_fragile;         /* a restore spoils the state as soon as it begins */
    uint64_t units_spent;
    uint32_t inputs;      /* done, for the first time or again */
    uint64_t pause_frame; /* where an advance that pauses there does so */
} swarm;

enum { SWARM_VELOCITY, SWARM_ID, SWARM_FLAGS, SWARM_POSITION, SWARM_SPIN };
#define SWARM_WORDS 12u /* of one particle */

/* `count` particles at frame 0; `births_each` more with every frame, up to count_max. */
swarm *swarm_make(uint32_t count, uint32_t births_each);
void swarm_step(swarm *source);
/* The source's own advance: as many units a frame as there are particles, and one. */
tp_result swarm_advance(void *context, const tp_budget *budget, uint64_t *units);
/* So many frames in one step of one: near, the same every time. */
tp_result swarm_jump(void *context, uint32_t frames, const tp_budget *budget, uint64_t *units);
/* Kicks every particle by a velocity made of the bytes. */
tp_result swarm_input(void *context, const void *data, uint32_t bytes);
tp_source swarm_source(swarm *context);
tp_stream stream_of(const char *name, tp_stream_type type, uint32_t components,
                    tp_interpolation interpolation, uint32_t partner);
uint32_t swarm_components(uint32_t stream);
/* Of everything that later frames depend on, in any order of storage. */
uint64_t swarm_hash(const swarm_state *state);
/* The state at a frame, run afresh; to be freed. */
swarm_state *swarm_at(uint32_t count, uint32_t births_each, uint64_t frame);
/* Bytes of a recorded frame of the swarm. */
uint64_t swarm_frame_bytes(uint32_t count);

/* A cache in malloc memory, to be freed; its size in *bytes. */
tp_cache *cache_make(const tp_cache_def *def, size_t *bytes);

typedef struct cache_fixture {
    swarm *swarm;
    tp_source source;
    tp_cache_def def;
    tp_cache *cache;
    size_t bytes;
    tp_frame_view view;
} cache_fixture;

/* Opens with a default definition, to be changed before the cache is created. */
void fixture_open(cache_fixture *f, uint32_t count, uint32_t births_each);
void fixture_create(cache_fixture *f);
void fixture_close(cache_fixture *f);
/* Requests until there is an answer. */
tp_result request_all(cache_fixture *f, uint64_t time);
void view_make(tp_frame_view *view, uint32_t capacity);
void view_free(tp_frame_view *view);
/* The view holds what the swarm holds, in the order of ids. */
bool view_is(const tp_frame_view *view, const swarm_state *state);
/* The same, with places and velocities to within these bounds, and spins to every bit, of the streams that are wanted. */
bool view_is_within(const tp_frame_view *view, const swarm_state *state, float place, float velocity);
/* Where the recorded bytes lie in the block; in front of them lie notes on how the work was sliced. */
size_t ring_offset(const tp_cache_def *def);
/* A result that may be any. */
void let(tp_result result);

#endif
