/* SPDX-License-Identifier: MIT
   ports/gba/screen.c - screen in mode 4: two pages of 240 x 160 bytes; each byte is a palette
           index.
   reads   the buttons      writes  video memory, palette
   memory  none             cost    one store per two bytes, per four inside wide rectangles
   after   registers DISPCNT, VCOUNT, KEYINPUT; video memory does not support single-byte stores */
#include "gba.h"
#include "../screen/screen.h"

#define PAGE_BYTES 0xa000u
#define SHOWN_PAGE 0x0010u /* bit of DISPCNT */

static uint32_t screen_page = PAGE_BYTES; /* offset of the page that is being drawn */

void port_screen_begin(const screen_colour colours[SCREEN_COLOURS])
{
    for (uint32_t i = 0; i < SCREEN_COLOURS; i++)
        GBA_REGISTER(0x05000000u + 2 * i) =
            (uint16_t)(colours[i].red | colours[i].green << 5 | colours[i].blue << 10);
    GBA_REGISTER(0x04000000) = 0x0404; /* mode 4, background 2 */
}

static void screen_row(uintptr_t from, uintptr_t to, uint32_t colour)
{
    uint32_t pair = colour | colour << 8, both = pair | pair << 16;
    if (from & 1u)
        GBA_REGISTER(from - 1) = (uint16_t)((GBA_REGISTER(from - 1) & 0x00ffu) | colour << 8),
                            from++;
    if (from & 2u && from + 2 <= to) GBA_REGISTER(from) = (uint16_t)pair, from += 2;
    for (; from + 4 <= to; from += 4) *(volatile uint32_t *)from = both;
    if (from + 2 <= to) GBA_REGISTER(from) = (uint16_t)pair, from += 2;
    if (from < to) GBA_REGISTER(from) = (uint16_t)((GBA_REGISTER(from) & 0xff00u) | colour);
}

void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour)
{
    uintptr_t row = 0x06000000u + screen_page + (uint32_t)(y * SCREEN_WIDTH + x);
    for (; height > 0; height--, row += SCREEN_WIDTH)
        screen_row(row, row + (uint32_t)width, colour);
}

void port_screen_show(void)
{
    while (GBA_REGISTER(0x04000006) < SCREEN_HEIGHT) {} /* wait for the vertical blank */
    GBA_REGISTER(0x04000000) = (uint16_t)(0x0404u | (screen_page ? SHOWN_PAGE : 0));
    screen_page ^= PAGE_BYTES;
}

uint32_t port_screen_buttons(void)
{
    uint32_t held = ~(uint32_t)GBA_REGISTER(0x04000130);
    return (held & 0x20u ? SCREEN_LEFT : 0u) | (held & 0x10u ? SCREEN_RIGHT : 0u) |
           (held & 0x40u ? SCREEN_UP : 0u) | (held & 0x80u ? SCREEN_DOWN : 0u) |
           (held & 0x08u ? SCREEN_START : 0u);
}

uint32_t port_screen_clock(void) { return gba_cycles(); }
