/* SPDX-License-Identifier: MIT
   ports/libretro/core.h - between the interface to frontends and what is shown: the fluid, or a program that prints.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; screen.c and text.c define the functions of the first part, core.c that of the second */
#ifndef TIDEPOOL_LIBRETRO_CORE_H
#define TIDEPOOL_LIBRETRO_CORE_H
#include "../screen/screen.h"
#include <stdbool.h>
#include <stddef.h>

/* ---- what is shown ---- */

/* Everything at its first frame. */
bool shown_begin(void);
/* The next picture, with the buttons that are held. False: there will be no other one. */
bool shown_next(uint32_t buttons);
/* Work of a picture at most, in units; 0: what the frame takes. */
void shown_limit(uint32_t units);
/* Rows of SCREEN_WIDTH pixels, 0x00RRGGBB; valid until the next picture. */
const uint32_t *shown_picture(void);
/* All that the next frames depend on, but the limit, which stays; always the same number of bytes. Restoring refuses, and changes
   nothing, where they were not saved by a build of this version and layout. */
size_t shown_state_bytes(void);
void shown_save(void *to);
bool shown_restore(const void *from);
/* The world's block, for whoever wants to look into it. */
void *shown_memory(size_t *bytes);

/* ---- the frontend ---- */

/* A line for its log, without an end. */
void core_log(bool is_fault, const char *line);

#endif
