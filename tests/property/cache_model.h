/* SPDX-License-Identifier: MIT
   tests/property/cache_model.h - a model that knows which frames a cache has recorded, and their
           states.
   reads   nothing      writes  what is passed in
   memory  a run; the caches in malloc memory      cost    O(frames) per call
   after   own design: the source checks each call while the cache makes it */
#ifndef TIDEPOOL_CACHE_MODEL_H
#define TIDEPOOL_CACHE_MODEL_H
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include "../../runtime/cache/cache.h"

#define FRAMES        80u
#define INPUTS        64u
#define SIDES         2u
#define LOCKS         (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING)
#define INPUT_SIZE    24u
#define SWARM_STREAMS 5u

/* An input that the game gave to the cache. */
typedef struct model_input {
    uint64_t frame;
    uint32_t bytes;
    uint8_t data[INPUT_SIZE];
    bool is_recorded; /* the recorded state of its frame includes the input, or did */
} model_input;

typedef struct model_frame {
    swarm_state state; /* the state that was recorded */
    uint64_t serial;   /* serial number of the recording; 0: not recorded */
    bool is_hit;       /* bytes of it were changed: it may be found damaged */
} model_frame;

struct run;

/* A cache and its model. */
typedef struct side {
    struct run *run;
    tp_cache_def def;
    tp_source source;
    size_t bytes;
    tp_cache *cache;
    float place, velocity; /* error bounds of shown values */
    uint32_t shown;        /* bit mask of recorded streams */
    bool keeps_state;      /* the recordings are enough to restore the source */
    model_frame frames[FRAMES];
    /* hash of the state that the source has when it reaches a frame, with these inputs; 0:
       unknown */
    uint64_t truth[FRAMES];
    /* the inputs from `lost` on are known; those before `done` were applied to the source */
    model_input inputs[INPUTS];
    uint32_t lost, done, count;
    tp_frame_view view; /* kept between the calls of a request */
    bool owns;          /* the source's state results from this side's inputs */
    bool was_hit;       /* bytes of some frame were changed at some time */
    bool has_gap;       /* an input was refused at some time */
    bool leaves;        /* the last inputs were dropped, and the cache does not know it yet */
    /* settings changed, jumps, edits: the same frame may be reached with another state */
    bool is_loose;
} side;

/* The run of one seed. */
typedef struct run {
    uint64_t seed, random;
    uint32_t call; /* number of the call */
    const char *what;
    bool has_failed;
    swarm *swarm;
    tp_source base;
    uint32_t settings;
    side *caller;    /* the side whose cache is called now */
    bool is_bake;    /* the call is a bake */
    bool has_damage; /* this run flips bits */
    side sides[SIDES];
    uint32_t active;  /* index of the side that uses the source */
    bool had[FRAMES]; /* frames recorded before the call */
    /* frames evicted, or refused because their group exceeds the ring, before the call */
    uint64_t counted;
} run;

uint32_t below(run *r, uint32_t end);
bool one_in(run *r, uint32_t count);
void expect(run *r, bool holds, const char *claim, uint64_t frame);
uint32_t inputs_from(const side *s, uint64_t frame);
void inputs_cut(side *s, uint32_t count);
void story_forget(side *s);
void truth_cut(side *s, uint64_t frame);
bool has(const side *s, uint64_t frame);
bool is_hit(const side *s);
uint64_t before(const side *s, uint64_t frame);
uint64_t behind(const side *s, uint64_t frame);
void side_look(side *s);
void arrive(side *s);
void run_open(run *r, uint64_t seed);
void run_close(run *r);
bool is_locked(const side *s);
uint64_t frames_counted(const side *s);
void call_begin(run *r, side *s, const char *what);
void call_end(run *r, const tp_budget *budget);
void expect_frames(run *r, side *s, uint64_t first, uint64_t last, uint64_t added);
tp_budget *some_budget(run *r, tp_budget *budget);
uint64_t some_frame(run *r, const side *s);

#endif
