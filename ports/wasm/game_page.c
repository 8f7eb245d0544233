/* SPDX-License-Identifier: MIT
   ports/wasm/game_page.c - the module of the second page: the example game, its input and picture.
   reads   calls of the page's script      writes  the game and one picture
   memory  the game's and a picture      cost  game_page_frame: its units; game_page_draw: O(pixels)
   after   own design; linked with ports/examples/game. The script calls only these functions, and
           the module imports nothing */
#include "../examples/game/game.h"

#define GAME_EXPORT(name) __attribute__((export_name(#name)))
#define GAME_PAGE_WIDTH   960
#define GAME_PAGE_HEIGHT  540

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

int game_page_start(void) { return game_start(); }

/* A press is kept until a frame has it. */
void game_page_input(uint32_t buttons, uint32_t x, uint32_t y)
{
    buttons |= game_page_now.buttons & GAME_DROP;
    game_page_now = (game_input){(uint8_t)buttons, (uint8_t)x, (uint8_t)y};
}

static game_input game_player(void)
{
    const game_input now = game_page_now;
    game_page_now.buttons &= (uint8_t)~GAME_DROP;
    return now;
}

int game_page_frame(uint32_t units)
{
    tp_budget budget = {.units = units};
    (void)game_owe(); /* false: time is dropped */
    return game_frame(&budget);
}

const uint32_t *game_page_draw(uint32_t units)
{
    static const paint picture = {game_page_pixels, GAME_PAGE_WIDTH, GAME_PAGE_HEIGHT,
                                  GAME_PAGE_WIDTH / GAME_WIDTH};
    game_draw(&picture, units);
    for (uint32_t k = 0; k < GAME_PAGE_WIDTH * GAME_PAGE_HEIGHT; k++) {
        uint32_t colour = game_page_pixels[k];
        game_page_pixels[k] =
            (colour & 0xff00ff00u) | (colour >> 16 & 0xffu) | (colour & 0xffu) << 16;
    }
    return game_page_pixels;
}

double game_page_number(uint32_t index)
{
    const tp_report now = tp_world_report(g.world);
    const tp_vector last = pose_of(BOAT + (g.now.boat + 2) % 3).position;
    const double numbers[7] = {(double)now.frames,   g.units,        g.owed,        now.particles,
                               (double)g.now.energy, (double)last.x, (double)last.y};
    return index < 7 ? numbers[index] : -1;
}

uint64_t game_page_hash(void) { return tp_world_hash(g.world); }
