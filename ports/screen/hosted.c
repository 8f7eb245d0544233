/* SPDX-License-Identifier: MIT
   ports/screen/hosted.c - a screen in memory on a hosted machine: the reference for pictures of
           consoles.
   reads   [PICTURE [BUTTONS]]      writes  standard output; at the end the picture as PPM to the
           file PICTURE
   memory  one byte per pixel      cost    that of the program
   after   own design */
#include "screen.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t hosted_pixels[SCREEN_HEIGHT][SCREEN_WIDTH];
static screen_colour hosted_colours[SCREEN_COLOURS];
static uint32_t hosted_held; /* buttons held in every frame */

void port_puts(const char *text) { fputs(text, stdout); }

void port_screen_begin(const screen_colour colours[SCREEN_COLOURS])
{
    memcpy(hosted_colours, colours, sizeof hosted_colours);
}

void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour)
{
    for (int32_t row = y; row < y + height; row++)
        memset(&hosted_pixels[row][x], (int)colour, (size_t)width);
}

void port_screen_show(void) {}
uint32_t port_screen_buttons(void) { return hosted_held; }
uint32_t port_screen_clock(void) { return 0; }

/* Expands five bits to eight by repeating the highest bits. */
static int hosted_wide(uint32_t bits) { return (int)(bits << 3 | bits >> 2); }

static int hosted_write(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    fprintf(file, "P6\n%d %d\n255\n", SCREEN_WIDTH, SCREEN_HEIGHT);
    for (uint32_t i = 0; i < SCREEN_WIDTH * SCREEN_HEIGHT; i++) {
        screen_colour colour = hosted_colours[(&hosted_pixels[0][0])[i]];
        fputc(hosted_wide(colour.red), file);
        fputc(hosted_wide(colour.green), file);
        fputc(hosted_wide(colour.blue), file);
    }
    return fclose(file) != 0;
}

int main(int count, char **words)
{
    if (count > 2) hosted_held = (uint32_t)strtoul(words[2], NULL, 0);
    int code = port_main();
    if (code == 0 && count > 1) code = hosted_write(words[1]);
    return fflush(stdout) == 0 ? code : 1;
}
