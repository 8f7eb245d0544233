/* SPDX-License-Identifier: MIT
   ports/libretro/core.h - interface between the libretro core and the program that it shows: the
           fluid, or a text program.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; screen.c and text.c define the functions of the first part, core.c that of
           the second */
#ifndef TIDEPOOL_LIBRETRO_CORE_H
#define TIDEPOOL_LIBRETRO_CORE_H
#include "../screen/screen.h"
#include <stdbool.h>
#include <stddef.h>

/* ---- the program shown ---- */

/* Sets everything to its first frame. */
bool shown_begin(void);
/* Computes the next picture with the buttons that are held. False: it was the last one. */
bool shown_next(uint32_t buttons);
/* Limit of work per picture, in units; 0: none. */
void shown_limit(uint32_t units);
/* Rows of SCREEN_WIDTH pixels, 0x00RRGGBB; valid until the next picture. */
const uint32_t *shown_picture(void);
/* A state contains everything that later frames depend on, except the limit, which stays; its size
   is constant. Restoring a state of a build of another version or layout fails and changes
   nothing. */
size_t shown_state_bytes(void);
void shown_save(void *to);
bool shown_restore(const void *from);
/* The world's block, for inspection. */
void *shown_memory(size_t *bytes);

/* ---- the frontend ---- */

/* Writes a line, without its newline, to the frontend's log. */
void core_log(bool is_fault, const char *line);

#endif
