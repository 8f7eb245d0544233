/* SPDX-License-Identifier: MIT
   ports/screen/screen.h - what a machine with a screen offers to the fluid's picture: a few colours and rectangles.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; a port defines the functions, and with -D what it has room and time for */
#ifndef TIDEPOOL_SCREEN_H
#define TIDEPOOL_SCREEN_H
#include "../golden/port.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SCREEN_WIDTH
#define SCREEN_WIDTH 320
#endif
#ifndef SCREEN_HEIGHT
#define SCREEN_HEIGHT 240
#endif
#ifndef SCREEN_PARTICLES
#define SCREEN_PARTICLES 400u
#endif
#ifndef SCREEN_TANK /* m, half the tank's width: the more particles, the larger, as theirs is always the same */
#define SCREEN_TANK 2.2f
#endif
#ifndef SCREEN_SUBSTEPS
#define SCREEN_SUBSTEPS 3u
#endif
#ifndef SCREEN_FRAMES /* after so many the test looks at the picture */
#define SCREEN_FRAMES 120u
#endif

/* Five bits each. */
typedef struct screen_colour {
    uint8_t red, green, blue;
} screen_colour;
#define SCREEN_COLOURS 21

typedef enum screen_button {
    SCREEN_LEFT = 1,
    SCREEN_RIGHT = 2,
    SCREEN_UP = 4,
    SCREEN_DOWN = 8,
    SCREEN_START = 16
} screen_button;

/* ---- supplied by the port ---- */

/* Switches the screen on. */
void port_screen_begin(const screen_colour colours[SCREEN_COLOURS]);
/* Fills a rectangle, which lies within the screen, in the picture that is not shown. */
void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour);
/* Shows the picture; what the other one holds is of no use any more. */
void port_screen_show(void);
/* The buttons that are held now, as a sum. */
uint32_t port_screen_buttons(void);
/* The machine's own timer, in its own ticks; wraps. */
uint32_t port_screen_clock(void);

/* ---- supplied by the program, called again and again after its end (but with SCREEN_ENDS) ---- */
void port_again(void);

/* The tank at its first frame, for a port that is itself called for each picture: in place of port_main, which has an end. */
bool screen_begin(void);

/* ---- supplied with SCREEN_CALLED to such a port ---- */

/* Work of a picture at most, in units; 0: what the frame takes. With less than that a frame takes several pictures. */
void screen_limit(uint32_t units);
/* All that the following pictures depend on, but the limit: that in force stays. Restoring refuses, and changes nothing, where
   bytes are not those saved, or were by a build of another version or layout. */
size_t screen_state_bytes(void);
void screen_save(void *to);
bool screen_restore(const void *from);
/* The world's block. */
void *screen_memory(size_t *bytes);

#endif
