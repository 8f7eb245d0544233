/* SPDX-License-Identifier: MIT
   ports/libretro/screen.c - shows the fluid in a core: a screen in memory.
   reads   nothing      writes  the picture
   memory  four bytes per pixel      cost    O(pixels) per rectangle
   after   own design; linked with ports/screen/screen.c, which is called picture by picture */
#include "core.h"

static uint32_t screen_pixels[SCREEN_HEIGHT][SCREEN_WIDTH];
static uint32_t screen_words[SCREEN_COLOURS];
static uint32_t screen_held;

bool shown_begin(void) { return screen_begin(); }
void shown_limit(uint32_t units) { screen_limit(units); }
const uint32_t *shown_picture(void) { return &screen_pixels[0][0]; }
size_t shown_state_bytes(void) { return screen_state_bytes(); }
void shown_save(void *to) { screen_save(to); }
bool shown_restore(const void *from) { return screen_restore(from); }
void *shown_memory(size_t *bytes) { return screen_memory(bytes); }

bool shown_next(uint32_t buttons)
{
    screen_held = buttons;
    port_again();
    return true;
}

/* Expands five bits to eight by repeating the highest bits. */
static uint32_t screen_wide(uint32_t bits) { return bits << 3 | bits >> 2; }

void port_screen_begin(const screen_colour colours[SCREEN_COLOURS])
{
    for (uint32_t i = 0; i < SCREEN_COLOURS; i++)
        screen_words[i] = screen_wide(colours[i].red) << 16 | screen_wide(colours[i].green) << 8 |
                          screen_wide(colours[i].blue);
}

void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour)
{
    for (int32_t row = y; row < y + height; row++)
        for (int32_t column = x; column < x + width; column++)
            screen_pixels[row][column] = screen_words[colour];
}

void port_screen_show(void) {}
uint32_t port_screen_buttons(void) { return screen_held; }
uint32_t port_screen_clock(void) { return 0; }
/* the program prints only at its end, which a core never reaches */
void port_puts(const char *text) { (void)text; }
