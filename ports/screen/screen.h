/* SPDX-License-Identifier: MIT
   ports/screen/screen.h - interface to a machine with a screen, to draw the fluid: a palette and
           filled rectangles.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; a port defines the functions, and sets sizes with -D to fit its memory and
           speed */
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
/* m, half the tank's width; grows with the number of particles, whose size is fixed */
#ifndef SCREEN_TANK
#define SCREEN_TANK 2.2f
#endif
#ifndef SCREEN_SUBSTEPS
#define SCREEN_SUBSTEPS 3u
#endif
#ifndef SCREEN_FRAMES /* the test checks the picture after this many frames */
#define SCREEN_FRAMES 120u
#endif

/* Five bits per component. */
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
/* Fills a rectangle in the back buffer; the rectangle lies within the screen. */
void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour);
/* Shows the back buffer; the contents of the new back buffer are undefined. */
void port_screen_show(void);
/* The buttons that are held now, as a bit mask. */
uint32_t port_screen_buttons(void);
/* The machine's own timer, in its own ticks; wraps. */
uint32_t port_screen_clock(void);

/* ---- supplied by the program: called repeatedly after its end, except with SCREEN_ENDS ---- */
void port_again(void);

/* Sets up the tank at its first frame. For a port that is called for each picture; it replaces
   port_main, which ends. */
bool screen_begin(void);

/* ---- supplied to such a port with SCREEN_CALLED ---- */

/* Limit of work per picture, in units; 0: none. Under a small limit a frame takes several
   pictures. */
void screen_limit(uint32_t units);
/* Saved states contain everything that later pictures depend on, except the limit, which stays in
   force. Restoring a state that is damaged, or saved by a build of another version or layout, fails
   and changes nothing. */
size_t screen_state_bytes(void);
void screen_save(void *to);
bool screen_restore(const void *from);
/* The world's block. */
void *screen_memory(size_t *bytes);

#endif
