/* SPDX-License-Identifier: MIT
   tests/property/cache_model.h - caches beside a model that knows which frames there are and the state of each.
   reads   nothing      writes  what is passed in
   memory  a run; the caches in malloc memory      cost    O(frames) a call
   after   own design: the source is watched, so that what a cache does to it is seen when it is done */
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

/* What the game did. */
typedef struct told {
    uint64_t frame;
    uint32_t bytes;
    uint8_t data[INPUT_SIZE];
    bool is_recorded; /* the frame's recorded state has it in it, or had */
} told;

typedef struct kept {
    swarm_state state; /* as it was recorded */
    uint64_t serial;   /* of the recording; 0: there is none */
    bool is_hit;       /* bytes of it were changed: it may be found damaged */
} kept;

struct run;

/* A cache, and what is known of it. */
typedef struct side {
    struct run *run;
    tp_cache_def def;
    tp_source source;
    size_t bytes;
    tp_cache *cache;
    float place, velocity; /* bounds of what is shown */
    uint32_t shown;        /* streams, bit by bit */
    bool keeps_state;      /* the source can be put back */
    kept frames[FRAMES];
    uint64_t truth[FRAMES]; /* of a frame as the source comes to it, by this story; 0: not known */
    told inputs[INPUTS];    /* the story: from `lost` on, of which those before `done` are in the source */
    uint32_t lost, done, count;
    tp_frame_view view; /* kept between the calls of a request */
    bool owns;          /* the source's state is of this story */
    bool was_hit;       /* bytes of some frame were changed, ever */
    bool has_gap;       /* an input was refused, ever */
    bool leaves;        /* inputs were left out, and the cache has not seen it yet */
    bool is_loose;      /* settings changed, jumps, edits: another way may lead to another state */
} side;

/* One seed. */
typedef struct run {
    uint64_t seed, random;
    uint32_t call; /* number of */
    const char *what;
    bool has_failed;
    swarm *swarm;
    tp_source base;
    uint32_t settings;
    side *caller;    /* whose function runs */
    bool is_bake;    /* and it is that one */
    bool has_damage; /* bits turn over */
    side sides[SIDES];
    uint32_t active;  /* the side that the source is with */
    bool had[FRAMES]; /* of the caller, before its function ran */
    uint64_t counted; /* frames evicted, or refused as a group that is larger than the ring, till then */
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
