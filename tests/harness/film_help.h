/* SPDX-License-Identifier: MIT
   tests/harness/film_help.h - clips made for tests, their frames as the host reads them, and
           players of them.
   reads   nothing                         writes  a temporary folder, removed when the clip is made
   memory  malloc                          cost    that of encoding
   after   own design: points that fly, bounce, spin, appear and vanish */
#ifndef TIDEPOOL_FILM_HELP_H
#define TIDEPOOL_FILM_HELP_H
#include "../../runtime/tidepool.h"
#include "formats_help.h"

typedef struct film_options {
    uint32_t points, frames, key_interval;
    int32_t first, step; /* step 0: 1 */
    double error;        /* bound of positions; 0: lossless */
    bool has_lives;      /* points appear, vanish, and appear again */
    /* needs has_lives: two of five points vanish from this frame on; 0: none */
    uint32_t leave;
    bool has_velocity, has_rotation;
    bool is_wild;          /* motions too large for 16-bit residuals */
    uint32_t small_blocks; /* 1: blocks of 512 bytes; 0: the writer's choice */
    bool is_compact;       /* the writer knows the number of frames */
    double phase;          /* shifts the motion: another clip with other positions */
} film_options;

typedef struct film {
    uint8_t *bytes;
    size_t size;
    host_frame *frames; /* frames as the host reads them */
    uint32_t frame_count;
    tp_clip_info info;
} film;

film film_make(const film_options *options);
void film_free(film *made);

/* Storage that is read through a call and may answer late. */
typedef struct film_reel {
    const film *from;
    /* number of "not yet" answers before each read at a new offset; 0: none */
    uint32_t stalls_each;
    uint32_t stalled;
    uint64_t asked; /* last requested offset */
    uint32_t reads;
} film_reel;
tp_clip_storage film_mapped(const film *from);
tp_clip_storage film_read(film_reel *reel, const film *from, uint32_t stalls_each);

/* A player in malloc memory with guard bytes, and a view for it. Without a choice of streams:
   location, and velocity and rotation if the film has them. */
typedef struct film_player {
    tp_player_def def;
    void *block;
    size_t bytes;
    tp_player *player;
    tp_frame_view view;
} film_player;
void film_player_open(film_player *made, const film *from, uint32_t frames_kept);
void film_player_create(film_player *made);
void film_player_close(film_player *made);
/* Two clips, a player for each that keeps two frames, a timeline of both with a capacity for all
   points, and its view. The definitions may be changed between open and create. */
#define FILM_STAGE_PLAYERS 2u
typedef struct film_stage {
    film films[FILM_STAGE_PLAYERS];
    film_player own[FILM_STAGE_PLAYERS];
    tp_player *players[FILM_STAGE_PLAYERS];
    tp_clip_storage storages[FILM_STAGE_PLAYERS];
    tp_timeline_def def;
    tp_timeline *timeline;
    void *block;
    tp_frame_view view;
} film_stage;
void film_stage_open(film_stage *stage, const film_options *a, const film_options *b);
void film_stage_create(film_stage *stage, bool has_weights);
void film_stage_close(film_stage *stage);
/* Repeats the request until it is complete; counts the calls. */
tp_result film_request(film_player *made, const tp_clip_storage *storage, int64_t time,
                       const tp_budget *budget, uint32_t *calls);
/* True if the view holds the same identities and bits as the frame that the host reads. */
bool film_shows(const film_player *made, const film *from, uint32_t position);
/* Index of the definition's stream of that name; TP_STREAMS_MAX if there is none. */
uint32_t film_stream(const tp_player_def *def, const char *name);

#endif
