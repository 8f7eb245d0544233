/* SPDX-License-Identifier: MIT
   ports/examples/game/game.h - a small game: a pump fills a basin, a gate opens, the water turns
           wheels that light lamps; boats, fish and a jelly below, and time can be turned back.
   reads   nothing      writes  nothing: declarations
   memory  one static game in game.c      cost    in each call's comment
   after   own design; game.c knows no window, main.c and ports/wasm/game_page.c are shells */
#ifndef TIDEPOOL_GAME_H
#define TIDEPOOL_GAME_H
#include "../paint.h"

#define GAME_WIDTH 10.8f /* m: the tank; its sides are 16:9 */
#define GAME_OWED  6u    /* frames; time beyond is dropped */

/* What the player does in one frame; x, y: where the paddle shall go, in 1/255 of the tank. */
typedef struct game_input {
    uint8_t buttons, x, y;
} game_input;
#define GAME_PUMP   1u /* the pump runs */
#define GAME_GATE   2u /* the gate is open */
#define GAME_DROP   4u /* pressed: the next boat falls in above the paddle */
#define GAME_REWIND 8u /* time runs backwards, three frames at a time */

typedef struct game_report {
    uint32_t frames, units, owed, particles; /* units of the last picture */
    float energy;                            /* J */
    tp_vector boat;                          /* m: the one that was dropped last */
} game_report;

/* Starts the game anew. */
tp_result game_start(void);
/* Owes one more frame, with its input. False: the game owes GAME_OWED already. */
bool game_add(game_input input);
/* One picture: simulates the frames that are owed within a budget of units or microseconds.
   TP_MORE: the budget ended first. Cost: the budget. */
tp_result game_frame(const tp_budget *budget);
game_report game_look(void);
uint64_t game_hash(void);
/* Draws the game; bar_units: the length of the bar of work. Cost: O(pixels). */
void game_draw(const paint *to, uint32_t bar_units);

#endif
