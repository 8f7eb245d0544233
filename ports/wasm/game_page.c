/* SPDX-License-Identifier: MIT
   ports/wasm/game_page.c - the module of the second page: the example game, its input and picture.
   reads   calls of the page's script      writes  the game and one picture
   memory  the game's and a picture      cost  game_page_frame: its units; game_page_draw: O(pixels)
   after   own design; linked with ports/examples/game. The script calls only these functions, and
           the module imports nothing */
#include "../examples/game/game.h"

#define GAME_EXPORT(name) __attribute__((export_name(#name)))
#define GAME_PAGE_WIDTH   960u
#define GAME_PAGE_HEIGHT  540u

GAME_EXPORT(game_page_start) int game_page_start(void);
/* What the visitor does until the next call; see game_input. */
GAME_EXPORT(game_page_input) void game_page_input(uint32_t buttons, uint32_t x, uint32_t y);
/* One picture's work within `units`; 0: no limit. A tp_result. */
GAME_EXPORT(game_page_frame) int game_page_frame(uint32_t units);
/* The picture, red, green, blue and opacity in bytes. */
GAME_EXPORT(game_page_draw) const uint32_t *game_page_draw(uint32_t units);
/* 0: frames simulated, 1: units of the last call, 2: frames owed, 3: particles, 4: energy in J,
   5 and 6: place of the boat that was dropped last */
GAME_EXPORT(game_page_number) double game_page_number(uint32_t index);
GAME_EXPORT(game_page_hash) uint64_t game_page_hash(void);

static uint32_t game_page_pixels[GAME_PAGE_WIDTH * GAME_PAGE_HEIGHT];
static game_input game_page_now;

static bool game_page_next(void *context, game_input *input)
{
    (void)context;
    *input = game_page_now;
    return true;
}

int game_page_start(void) { return game_start(); }

void game_page_input(uint32_t buttons, uint32_t x, uint32_t y)
{
    game_page_now = (game_input){(uint8_t)buttons, (uint8_t)x, (uint8_t)y};
}

int game_page_frame(uint32_t units)
{
    tp_budget budget = {.units = units};
    return game_frame(&budget, game_page_next, NULL);
}

const uint32_t *game_page_draw(uint32_t units)
{
    game_draw(game_page_pixels, GAME_PAGE_WIDTH, GAME_PAGE_HEIGHT, units);
    return game_page_pixels;
}

double game_page_number(uint32_t index)
{
    const game *g = game_look();
    tp_report report = tp_world_report(g->water);
    tp_body_state boat = {0};
    uint32_t last = (g->state.boat + GAME_BOATS - 1) % GAME_BOATS;
    if (tp_body_get(g->water, g->bodies[last], &boat) != TP_OK) return -1;
    double numbers[7] = {(double)report.frames, (double)g->units,        g->owed,
                         report.particles,      (double)g->state.energy, (double)boat.center.x,
                         (double)boat.center.y};
    return index < 7 ? numbers[index] : -1;
}

uint64_t game_page_hash(void) { return game_hash(); }
