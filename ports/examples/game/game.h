/* SPDX-License-Identifier: MIT
   ports/examples/game/game.h - a small game: a pump fills a basin, a gate opens, the water turns
           wheels and lights lamps, boats and jellies float below, and time can be turned back.
   reads   nothing      writes  nothing: declarations
   memory  one static game in game.c      cost    in each call's comment
   after   own design; game.c knows no window, draw.c only pixels, main.c is the shell */
#ifndef TIDEPOOL_GAME_H
#define TIDEPOOL_GAME_H
#include "tidepool.h"

#define GAME_WIDTH     10.8f /* m: the tank */
#define GAME_HEIGHT    6.075f
#define GAME_SPACING   0.1f /* m: between particles of the water */
#define GAME_PARTICLES 3000u
#define GAME_BOATS     3u
#define GAME_JELLIES   2u
#define GAME_BODIES    (GAME_BOATS + GAME_JELLIES)
#define GAME_WHEELS    2u
#define GAME_BLADES    8u  /* of a wheel */
#define GAME_BEADS     19u /* particles of a jelly */
#define GAME_LINKS     42u /* of a jelly */

/* What the player does in one frame; x, y: where the paddle shall go, in 1/255 of the tank. */
typedef struct game_input {
    uint8_t buttons, x, y;
} game_input;
#define GAME_PUMP   1u /* the pump runs */
#define GAME_GATE   2u /* the gate is open */
#define GAME_DROP   4u /* pressed: the next boat falls in above the paddle */
#define GAME_REWIND 8u /* time runs backwards, three frames at a time */

/* What the game knows beside its worlds; stored with each recorded frame. */
typedef struct game_state {
    tp_vector paddle;
    float lift;               /* m: how far the gate is open */
    float cosine, sine, spin; /* of the wheels; 1/s */
    float energy;             /* J */
    uint32_t buttons, boat;   /* of the last frame; the next boat */
} game_state;

typedef struct game {
    tp_world *water, *soft; /* the fluid with its bodies; the jellies */
    tp_query *query;        /* of the water, to draw it */
    game_state state;
    tp_body bodies[GAME_BODIES]; /* boats, then cores of jellies */
    tp_vector blades[GAME_WHEELS][GAME_BLADES][2], hubs[GAME_WHEELS]; /* ends; middles */
    uint32_t links[GAME_LINKS]
                  [2]; /* ids of beads of the first jelly; of the next GAME_BEADS more */
    uint64_t units, stage_units[TP_STAGE_COUNT], soft_units; /* of the last call; of the jellies */
    uint32_t owed;                                           /* frames that are still to simulate */
    bool is_rewinding; /* the last picture went back in time */
} game;

/* Starts the game anew. */
tp_result game_start(void);
/* One picture: simulates the frames that are owed, each with the next input, until there is none,
   within a budget of units or microseconds. TP_MORE: the budget ended first. Cost: the budget. */
tp_result game_frame(const tp_budget *budget, bool (*next)(void *context, game_input *input),
                     void *context);
const game *game_look(void);
uint64_t game_hash(void);

/* Draws the game into width x height pixels, 16:9, of 0xffRRGGBB, in WebAssembly 0xffBBGGRR.
   budget_units: the length of the bar. Cost: O(pixels). */
void game_draw(uint32_t *pixels, uint32_t width, uint32_t height, uint32_t budget_units);
extern const tp_vector game_halves[GAME_BODIES]; /* m: half sides of boats, radii of cores */

#endif
