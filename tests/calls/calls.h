/* SPDX-License-Identifier: MIT
   tests/calls/calls.h - random sequences of all public calls with hostile values: what the parts share.
   reads   a seed      writes  blocks between guard pages, a fold of all that came out
   memory  see calls_arena      cost    one sequence about a millisecond
   after   own design: each sequence runs twice in memory and on a stack of other contents, and at every vector width */
#ifndef TIDEPOOL_CALLS_H
#define TIDEPOOL_CALLS_H
#include "tidepool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_WORLDS      2u
#define CALLS_HANDLES     12u
#define CALLS_BLOCK_BYTES (1u << 20)
#define CALLS_PARTICLES   400u

/* Memory of one object: its last byte is the last before a page that nothing may touch. */
typedef struct calls_room {
    unsigned char *end; /* of the room */
    unsigned char *block;
    size_t bytes;
} calls_room;

typedef struct calls_world {
    calls_room room[2]; /* a copy goes to the other one */
    uint32_t in_use;    /* of the two */
    tp_world *world;    /* null: not made */
    tp_world_def def;
    uint32_t handles[4][CALLS_HANDLES]; /* emitters, sinks, fields, colliders */
    uint32_t links[CALLS_HANDLES];
    bool has_jobs; /* lengths of slices then depend on the width */
} calls_world;

typedef struct calls_cache {
    calls_room room;
    tp_cache *cache;
    tp_cache_def def;
    tp_source source;
} calls_cache;

typedef struct calls_clip {
    calls_room player_room, timeline_room;
    tp_player *player;
    tp_timeline *timeline;
    tp_player_def player_def;
    tp_timeline_def timeline_def;
    tp_clip_storage storage;
    tp_clip_info info;
    unsigned char *bytes; /* of the clip, some of them changed */
    uint32_t stalls;      /* answers of the storage that come later */
} calls_clip;

typedef struct calls_sequence {
    uint64_t random; /* state of the sequence's random numbers */
    uint64_t fold;   /* of all results */
    uint64_t clock;  /* microseconds */
    uint32_t step;   /* number of the call */
    bool is_verbose;
    bool is_backwards; /* jobs run their parts last to first */
    calls_world worlds[CALLS_WORLDS];
    calls_cache cache;
    calls_clip clip;
    float *values; /* of views */
} calls_sequence;

/* ---- chance (values.c) ---- */

uint32_t calls_below(calls_sequence *sequence, uint32_t limit);
bool calls_one_in(calls_sequence *sequence, uint32_t n);
/* A number of a scene's size, one time in `rarity` a hostile one: infinite, NaN, subnormal, huge, zero of either sign. */
float calls_float(calls_sequence *sequence, uint32_t rarity);
float calls_hostile_float(calls_sequence *sequence);
uint32_t calls_hostile_word(calls_sequence *sequence);
tp_vector calls_vector(calls_sequence *sequence, float size, uint32_t rarity);
tp_pose calls_pose(calls_sequence *sequence, uint32_t rarity);
/* Changes up to two words of a definition, one time in `rarity`. */
void calls_change(calls_sequence *sequence, void *definition, size_t size, uint32_t rarity);
/* A byte that is neither 0 nor 1 is no bool in C: the compiler's assumption, not the runtime's. */
void calls_tame(bool *value);

/* ---- what came out (main.c) ---- */

void calls_fold(calls_sequence *sequence, const void *bytes, size_t size);
void calls_fold_word(calls_sequence *sequence, uint64_t word);
/* Names the call for a verbose run and folds its result. */
tp_result calls_note(calls_sequence *sequence, const char *name, tp_result result);
void calls_promise(const calls_sequence *sequence, bool kept, const char *text);
/* A block of `bytes` at the end of the room, filled with what was there before. */
unsigned char *calls_take(calls_room *room, size_t bytes);
tp_budget calls_budget(calls_sequence *sequence, tp_jobs *jobs);

/* ---- the calls ---- */

void calls_world_definition(calls_sequence *sequence, tp_world_def *def); /* definitions.c */
void calls_emitter_definition(calls_sequence *sequence, tp_emitter_def *def);
void calls_sink_definition(calls_sequence *sequence, tp_sink_def *def);
void calls_field_definition(calls_sequence *sequence, tp_field_def *def);
void calls_collider_definition(calls_sequence *sequence, tp_collider_def *def);

void calls_on_world(calls_sequence *sequence);  /* world.c */
void calls_on_frames(calls_sequence *sequence); /* frames.c */
void calls_on_cache(calls_sequence *sequence);  /* cache.c */
void calls_on_clip(calls_sequence *sequence);   /* clips.c */
/* The clip of the sequence, with some bytes changed; `clip` may be null. */
void calls_clip_open(calls_sequence *sequence, const unsigned char *clip, size_t size);

#endif
