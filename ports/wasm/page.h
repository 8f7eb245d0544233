/* SPDX-License-Identifier: MIT
   ports/wasm/page.h - what the page's script calls: a tank of fluid, its budget, its past, its picture.
   reads   nothing      writes  nothing: declarations
   memory  one static block, see page.c; pictures in page_draw.c      cost    each call's comment says
   after   own design; the script may call these and nothing else, and the module imports nothing */
#ifndef TIDEPOOL_PAGE_H
#define TIDEPOOL_PAGE_H
#include "tidepool.h"

#if defined(__wasm__)
#define PAGE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PAGE_EXPORT(name)
#endif

#define PAGE_PARTICLES_MAX 3000u
#define PAGE_FRAMES_MAX    1024u /* that the ring may hold, if they fit its bytes */
#define PAGE_PIXELS_MAX    420000u

/* The script that every machine must end with the same hash: so many frames from the start, without input. */
#define PAGE_PROOF_PARTICLES 2000u
#define PAGE_PROOF_SHAPE     1600u
#define PAGE_PROOF_FRAMES    240u
#define PAGE_PROOF_HASH      0x73797a3ffb348bfcu

/* What the script reads of a frame, in this order; units as everywhere. */
#define PAGE_NUMBER_LIST(ITEM)                                                              \
    ITEM(PAGE_FRAME)       /* simulated frames since the start */                           \
    ITEM(PAGE_FRAME_FIRST) /* the oldest that can be gone back to */                        \
    ITEM(PAGE_FRAME_LAST)  /* and the newest */                                             \
    ITEM(PAGE_PARTICLES)                                                                    \
    ITEM(PAGE_UNITS) /* of the last call, recording and all */                              \
    ITEM(PAGE_UNITS_GRID)                                                                   \
    ITEM(PAGE_UNITS_PAIRS)                                                                  \
    ITEM(PAGE_UNITS_FORCES)                                                                 \
    ITEM(PAGE_UNITS_MOVE)                                                                   \
    ITEM(PAGE_UNITS_RECORD)                                                                 \
    ITEM(PAGE_SLICE_LONGEST) /* units, of the last call */                                  \
    ITEM(PAGE_SLICE_BOUND)                                                                  \
    ITEM(PAGE_STEPS)          /* completed in the last call */                              \
    ITEM(PAGE_FRAMES_OWED)    /* time that the world is behind the game, in frames */       \
    ITEM(PAGE_FRAMES_DROPPED) /* time given up since the start, in frames */                \
    ITEM(PAGE_COARSENED)      /* steps since the start that were longer than planned */     \
    ITEM(PAGE_RESTORES)       /* times that the world was put back into a recorded frame */ \
    ITEM(PAGE_STICK_X)        /* m */                                                       \
    ITEM(PAGE_STICK_Y)                                                                      \
    ITEM(PAGE_STICK_RADIUS)                                                                 \
    ITEM(PAGE_WIDTH) /* of the tank, m */                                                   \
    ITEM(PAGE_HEIGHT)                                                                       \
    ITEM(PAGE_WORLD_BYTES)                                                                  \
    ITEM(PAGE_CACHE_BYTES)                                                                  \
    ITEM(PAGE_RING_BYTES_USED)                                                              \
    ITEM(PAGE_RING_BYTES)

typedef enum page_number {
#define PAGE_NUMBER_ENUM(name) name,
    PAGE_NUMBER_LIST(PAGE_NUMBER_ENUM)
#undef PAGE_NUMBER_ENUM
        PAGE_NUMBER_COUNT
} page_number;

/* Fills a tank anew: `shape` is a thousand times its width by its height. The past is forgotten. Returns a tp_result.
   Cost O(block). */
PAGE_EXPORT(page_start) int page_start(uint32_t particles, uint32_t shape, uint32_t overload);
/* One frame of the game within `units` (0: no limit), recorded. Returns a tp_result. Cost: units and a slice. */
PAGE_EXPORT(page_frame) int page_frame(uint32_t units);
/* Where the stick shall go; it follows at a limited speed. Cost O(1). */
PAGE_EXPORT(page_stick) void page_stick(float x, float y);
/* Puts the tank back into a recorded frame; `forgets` drops those behind it. Returns a tp_result. Cost O(particles). */
PAGE_EXPORT(page_rewind) int page_rewind(uint32_t frame, uint32_t forgets);
/* Goes on from the last recorded frame under another policy. Returns a tp_result. Cost O(block). */
PAGE_EXPORT(page_overload) int page_overload(uint32_t overload);
/* PAGE_NUMBER_COUNT of them, as they are now. Cost O(frames). */
PAGE_EXPORT(page_numbers) const double *page_numbers(void);
/* Hash of the state. Cost O(particles). */
PAGE_EXPORT(page_hash) uint64_t page_hash(void);
/* The text of a result, ended by a zero. Cost O(1). */
PAGE_EXPORT(page_text) const char *page_text(int result);

/* Runs the script above; the tank is left as it ends. Returns its hash, 0 if a call failed. Cost: as it says. */
PAGE_EXPORT(page_proof) uint64_t page_proof(void);
/* What it must return. Cost O(1). */
PAGE_EXPORT(page_proof_hash) uint64_t page_proof_hash(void);
/* Runs a scene of the golden table, beside the tank. Returns its hash, 0 if a call failed. Cost: some milliseconds. */
PAGE_EXPORT(page_golden) uint64_t page_golden(void);
/* What the table has for it, and its name there, ended by a zero. Cost O(1). */
PAGE_EXPORT(page_golden_hash) uint64_t page_golden_hash(void);
PAGE_EXPORT(page_golden_name) const char *page_golden_name(void);

/* Draws the fluid into a picture of width * height <= PAGE_PIXELS_MAX pixels of red, green, blue and opacity. Null when
   it is too large. Cost O(pixels + particles * pixels of one). */
PAGE_EXPORT(page_draw) const uint32_t *page_draw(uint32_t width, uint32_t height, uint32_t is_dark);

/* The world, for page_draw. */
const tp_world *page_world(void);

#endif
