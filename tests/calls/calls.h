/* SPDX-License-Identifier: MIT
   tests/calls/calls.h - random sequences of all public calls with hostile values: shared
           declarations.
   reads   a seed      writes  blocks between guard pages, a hash of all results
   memory  see calls_arena      cost    about a millisecond per sequence
   after   own design: each sequence runs twice, with other contents of memory and stack, and at
           every vector width */
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
#define CALLS_FOUND       50u

/* Memory of one object: it ends at a guard page, which must not be accessed. */
typedef struct calls_room {
    unsigned char *end; /* one byte after the usable memory */
    unsigned char *block;
    size_t bytes;
} calls_room;

typedef struct calls_world {
    calls_room room[2]; /* a copy of the object is made in the other room */
    uint32_t in_use;    /* index of the room in use */
    tp_world *world;    /* null: not created */
    tp_world_def def;
    uint32_t handles[4][CALLS_HANDLES]; /* emitters, sinks, fields, colliders */
    uint32_t links[CALLS_HANDLES];
    uint32_t bodies[CALLS_HANDLES];
    uint32_t event_next; /* number of the next event to read */
    bool has_jobs;       /* slices may then exceed the definition's bound */
} calls_world;

typedef struct calls_cache {
    calls_room room[2];
    uint32_t in_use;
    tp_cache *cache;
    tp_cache_def def;
    tp_source source;
} calls_cache;

typedef struct calls_clip {
    calls_room player_room[2], timeline_room[2];
    uint32_t player_in_use, timeline_in_use; /* room of the two */
    tp_player *player;
    tp_timeline *timeline;
    tp_player_def player_def;
    tp_timeline_def timeline_def;
    tp_clip_storage storage;
    tp_clip_info info;
    unsigned char *bytes; /* the clip, with some bytes changed */
    uint32_t stalls;      /* number of storage answers that come late */
} calls_clip;

/* Arguments are kept, so that a call may go on. */
typedef struct calls_query {
    calls_room room[2];
    uint32_t in_use;
    tp_query *query;
    tp_query_cursor cursor;
    tp_region region;
    tp_ray ray;
    tp_found found[CALLS_FOUND];
    uint32_t capacity;
    bool is_nearest;
} calls_query;

/* A shadow and its lights. */
typedef struct calls_light {
    calls_room room;
    tp_shadow shadow;
    tp_light lights[3];
    uint32_t count; /* lights of the shadow */
    bool is_begun;  /* the shadow has arrays and lights */
    tp_patches patches;
    uint32_t patch_file[64];
    tp_vector patch_memory[24];
    bool has_patches; /* the file was good */
} calls_light;

typedef struct calls_sequence {
    uint64_t random; /* state of the sequence's random numbers */
    uint64_t fold;   /* hash of all results */
    uint64_t clock;  /* microseconds */
    uint32_t step;   /* number of the current call */
    bool is_verbose;
    bool is_backwards; /* parallel jobs run their parts from last to first */
    calls_world worlds[CALLS_WORLDS];
    calls_cache cache;
    calls_clip clip;
    calls_query query;
    calls_light light;
    float *values; /* values of views */
} calls_sequence;

/* ---- random numbers (values.c) ---- */

uint32_t calls_below(calls_sequence *sequence, uint32_t limit);
bool calls_one_in(calls_sequence *sequence, uint32_t n);
/* A number of the scale of a scene; one time in `rarity` a hostile one: infinite, NaN, subnormal,
   huge, zero of either sign. */
float calls_float(calls_sequence *sequence, uint32_t rarity);
float calls_hostile_float(calls_sequence *sequence);
uint32_t calls_hostile_word(calls_sequence *sequence);
tp_vector calls_vector(calls_sequence *sequence, float size, uint32_t rarity);
tp_pose calls_pose(calls_sequence *sequence, uint32_t rarity);
/* One time in `rarity`, changes up to two words of a definition. */
void calls_change(calls_sequence *sequence, void *definition, size_t size, uint32_t rarity);
/* Makes the byte 0 or 1: other values are undefined behaviour in C, which the runtime cannot
   check. */
void calls_tame(bool *value);

/* ---- results (main.c) ---- */

void calls_fold(calls_sequence *sequence, const void *bytes, size_t size);
void calls_fold_word(calls_sequence *sequence, uint64_t word);
/* Prints the call in a verbose run, and adds its result to the hash. */
tp_result calls_note(calls_sequence *sequence, const char *name, tp_result result);
/* The text of a check and the result of its call must agree. */
void calls_agree(const calls_sequence *sequence, const char *problem, tp_result result,
                 const char *text);
void calls_promise(const calls_sequence *sequence, bool kept, const char *text);
/* A block of `bytes` at the end of the room, filled with its previous contents. */
unsigned char *calls_take(calls_room *room, size_t bytes);
/* Copies the block to the other room and overwrites the original. Returns the copy. */
unsigned char *calls_move(calls_room room[2], uint32_t *in_use);
/* Blocks of `bytes` that hold no object: null, truncated, unaligned, or filled with a byte. */
typedef struct calls_bad_block {
    void *block;
    size_t bytes;
} calls_bad_block;
calls_bad_block calls_bad(calls_sequence *sequence, const calls_room *room);
tp_budget calls_budget(calls_sequence *sequence, tp_jobs *jobs);
/* A function `run` of tp_jobs on the caller's thread; the context is the sequence. */
void calls_run_parts(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                     uint32_t count);
void calls_fold_report(calls_sequence *sequence, const tp_report *report);

/* ---- the calls ---- */

void calls_world_definition(calls_sequence *sequence, tp_world_def *def); /* definitions.c */
void calls_world_change(calls_sequence *sequence, tp_world_def *def); /* settings that may change */
void calls_cloth_definition(calls_sequence *sequence, tp_cloth_def *def);
void calls_emitter_definition(calls_sequence *sequence, tp_emitter_def *def);
void calls_sink_definition(calls_sequence *sequence, tp_sink_def *def);
void calls_field_definition(calls_sequence *sequence, tp_field_def *def);
void calls_collider_definition(calls_sequence *sequence, tp_collider_def *def);

void calls_on_world(calls_sequence *sequence);                   /* world.c */
void calls_on_changes(calls_sequence *sequence, calls_world *w); /* changes.c */
void calls_on_ids(calls_sequence *sequence, calls_world *w);
void calls_look_between(calls_sequence *sequence, const calls_world *w);
void calls_on_frames(calls_sequence *sequence); /* frames.c */
void calls_on_cache(calls_sequence *sequence);  /* cache.c */
void calls_on_clip(calls_sequence *sequence);   /* clips.c */
void calls_on_query(calls_sequence *sequence);  /* queries.c */
void calls_on_light(calls_sequence *sequence);  /* light.c */
/* A whole sequence: a set of worlds, and frames that share a budget. `has_jobs`: some frames have
   jobs. */
void calls_on_shares(calls_sequence *sequence, bool has_jobs); /* shares.c */
bool calls_move_blocks(const char *path, bool writes);         /* moved.c */
/* Opens the clip of the sequence with some bytes changed; `clip` may be null. */
void calls_clip_open(calls_sequence *sequence, const unsigned char *clip, size_t size);

#endif
