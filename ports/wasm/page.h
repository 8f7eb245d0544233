/* SPDX-License-Identifier: MIT
   ports/wasm/page.h - interface of the module for the page's script: the tank, its budget, rewind,
           drawing.
   reads   nothing      writes  nothing: declarations
   memory  one static block, see page.c; pictures in page_draw.c      cost    in each call's comment
   after   own design; the script calls only these functions, and the module imports nothing */
#ifndef TIDEPOOL_PAGE_H
#define TIDEPOOL_PAGE_H
#include "tidepool.h"

#if defined(__wasm__)
#define PAGE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PAGE_EXPORT(name)
#endif

#define PAGE_PARTICLES_MAX 3000u
#define PAGE_FRAMES_MAX    1024u /* limit of frames in the ring, if they fit its bytes */
#define PAGE_PIXELS_MAX    420000u

/* The proof: a run of this many frames from the start, without input, has the same hash on every
   machine. */
#define PAGE_PROOF_PARTICLES 2000u
#define PAGE_PROOF_SHAPE     1600u
#define PAGE_PROOF_FRAMES    240u
#define PAGE_PROOF_HASH      0x5d529e59eb686329u

/* Numbers of a frame for the script, in this order; work in units. */
#define PAGE_NUMBER_LIST(ITEM)                                                          \
    ITEM(PAGE_FRAME)       /* simulated frames since the start */                       \
    ITEM(PAGE_FRAME_FIRST) /* the oldest frame in the ring */                           \
    ITEM(PAGE_FRAME_LAST)  /* the newest frame in the ring */                           \
    ITEM(PAGE_PARTICLES)                                                                \
    ITEM(PAGE_UNITS) /* of the last call, including recording */                        \
    ITEM(PAGE_UNITS_GRID)                                                               \
    ITEM(PAGE_UNITS_PAIRS)                                                              \
    ITEM(PAGE_UNITS_FORCES)                                                             \
    ITEM(PAGE_UNITS_MOVE)                                                               \
    ITEM(PAGE_UNITS_RECORD)                                                             \
    ITEM(PAGE_SLICE_LONGEST) /* units, of the last call */                              \
    ITEM(PAGE_SLICE_BOUND)                                                              \
    ITEM(PAGE_STEPS)          /* completed in the last call */                          \
    ITEM(PAGE_FRAMES_OWED)    /* time that the world is behind the game, in frames */   \
    ITEM(PAGE_FRAMES_DROPPED) /* time given up since the start, in frames */            \
    ITEM(PAGE_COARSENED)      /* steps since the start that were longer than planned */ \
    ITEM(PAGE_RESTORES)       /* number of times that a recorded frame was restored */  \
    ITEM(PAGE_STICK_X)        /* m */                                                   \
    ITEM(PAGE_STICK_Y)                                                                  \
    ITEM(PAGE_STICK_RADIUS)                                                             \
    ITEM(PAGE_WIDTH) /* of the tank, m */                                               \
    ITEM(PAGE_HEIGHT)                                                                   \
    ITEM(PAGE_WORLD_BYTES)                                                              \
    ITEM(PAGE_CACHE_BYTES)                                                              \
    ITEM(PAGE_RING_BYTES_USED)                                                          \
    ITEM(PAGE_RING_BYTES)

typedef enum page_number {
#define PAGE_NUMBER_ENUM(name) name,
    PAGE_NUMBER_LIST(PAGE_NUMBER_ENUM)
#undef PAGE_NUMBER_ENUM
        PAGE_NUMBER_COUNT
} page_number;

/* Starts a new tank: `shape` is 1000 * width / height. All recorded frames are cleared. Returns a
   tp_result. Cost O(block). */
PAGE_EXPORT(page_start) int page_start(uint32_t particles, uint32_t shape, uint32_t overload);
/* Simulates and records one frame of the game within `units` (0: no limit). Returns a tp_result.
   Cost: units plus one slice. */
PAGE_EXPORT(page_frame) int page_frame(uint32_t units);
/* Sets the target of the stick, which follows at a limited speed. Cost O(1). */
PAGE_EXPORT(page_stick) void page_stick(float x, float y);
/* Restores a recorded frame; with `forgets` later frames are dropped. Returns a tp_result. Cost
   O(particles). */
PAGE_EXPORT(page_rewind) int page_rewind(uint32_t frame, uint32_t forgets);
/* Continues from the last recorded frame under another overload policy. Returns a tp_result. Cost
   O(block). */
PAGE_EXPORT(page_overload) int page_overload(uint32_t overload);
/* The current PAGE_NUMBER_COUNT numbers. Cost O(frames). */
PAGE_EXPORT(page_numbers) const double *page_numbers(void);
/* Hash of the state. Cost O(particles). */
PAGE_EXPORT(page_hash) uint64_t page_hash(void);
/* The text of a result, zero-terminated. Cost O(1). */
PAGE_EXPORT(page_text) const char *page_text(int result);

/* Runs the proof; the tank keeps its final state. Returns the hash, 0 if a call failed. Cost:
   PAGE_PROOF_FRAMES frames. */
PAGE_EXPORT(page_proof) uint64_t page_proof(void);
/* The hash that page_proof must return. Cost O(1). */
PAGE_EXPORT(page_proof_hash) uint64_t page_proof_hash(void);
/* Runs a scene of the golden table; the tank is not changed. Returns its hash, 0 if a call failed.
   Cost: some milliseconds. */
PAGE_EXPORT(page_golden) uint64_t page_golden(void);
/* The hash of that scene in the table, and its name, zero-terminated. Cost O(1). */
PAGE_EXPORT(page_golden_hash) uint64_t page_golden_hash(void);
PAGE_EXPORT(page_golden_name) const char *page_golden_name(void);

/* Draws the fluid into a picture of width * height <= PAGE_PIXELS_MAX RGBA pixels. Null if it is
   larger. Cost O(pixels + particles * pixels per particle). */
PAGE_EXPORT(page_draw) const uint32_t *page_draw(uint32_t width, uint32_t height, uint32_t is_dark);

/* The world, for page_draw. */
const tp_world *page_world(void);

#endif
