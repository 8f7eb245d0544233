/* SPDX-License-Identifier: MIT
   ports/wasm/play.h - interface of the third page's module: smoke that a ball stirs, and a sheet
           that a hand tears.
   reads   nothing      writes  nothing: declarations
   memory  one static block for the world, one for the picture      cost    in each call's comment
   after   own design; the script calls only the exported functions, and the module imports
           nothing */
#ifndef TIDEPOOL_PLAY_H
#define TIDEPOOL_PLAY_H
#include "tidepool.h"

#if defined(__wasm__)
#define PLAY_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PLAY_EXPORT(name)
#endif

#define PLAY_SIDE       720   /* pixels of the picture, along x and y */
#define PLAY_EXTENT     3.0f  /* m that it shows, along x and y; x = 0 is its middle, y = 0 below */
#define PLAY_FPS        60.0f /* frames of the game per second */
#define PLAY_BLOCK      7000000 /* bytes of the world's block */
#define PLAY_PLAYS      2       /* smoke, sheet */
#define PLAY_PROOF      90      /* frames without input, whose hashes are: */
#define PLAY_SMOKE_HASH 0x251bead0fc6d3dc6u
#define PLAY_SHEET_HASH 0xe6fbde6e16d2df07u

/* Starts a play from its first frame: 0 smoke, 1 sheet. Returns a tp_result. Cost O(block). */
PLAY_EXPORT(play_start) int play_start(uint32_t play);
/* Where the pointer is, in the picture from its lower left corner, 0..1, and whether it holds
   something. Cost O(nodes) when it takes hold. */
PLAY_EXPORT(play_input) int play_input(uint32_t is_held, float x, float y);
/* One picture's work within `units`; 0: no limit. Returns a tp_result. Cost: units and a slice. */
PLAY_EXPORT(play_frame) int play_frame(uint32_t units);
/* The picture, red, green, blue and opacity in bytes. Cost O(pixels + particles). */
PLAY_EXPORT(play_draw) const uint32_t *play_draw(void);
/* 0: frames simulated, 1: units of the last call, 2: frames owed, 3: particles, 4: vortons, or
   constraints that broke, 5, 6: place of the ball or hand, m, 7: nodes that the hand holds, 8: mean
   of x velocities, m/s, 9: bytes of the block. Cost O(particles). */
PLAY_EXPORT(play_number) double play_number(uint32_t index);
PLAY_EXPORT(play_hash) uint64_t play_hash(void);
/* Simulates the first frames of a play without input; it keeps its last state. Returns the hash, 0
   if a call failed. */
PLAY_EXPORT(play_proof) uint64_t play_proof(uint32_t play);
/* The hash that play_proof must return. Cost O(1). */
PLAY_EXPORT(play_proof_hash) uint64_t play_proof_hash(uint32_t play);

/* What a play has of its own. */
typedef struct play_kind {
    tp_world_def (*define)(void);
    tp_result (*fill)(tp_world *world);
    /* before each simulated frame: the ball or hand goes towards the pointer */
    tp_result (*move)(tp_world *world);
    tp_result (*hold)(tp_world *world, bool is_held);
    void (*draw)(const tp_world *world, uint32_t *pixels);
} play_kind;
extern const play_kind play_smoke, play_sheet;

/* The pointer and what follows it. */
typedef struct play_hand {
    tp_vector wanted, at; /* m */
    tp_collider collider;
    uint32_t nodes; /* that it holds */
} play_hand;
extern play_hand play_now;

/* Moves the hand's collider towards the pointer, at most `speed` m/s. */
tp_result play_follow(tp_world *world, float speed);

static inline float play_root(float value) { return __builtin_sqrtf(value); }

static inline float play_bound(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* A pixel from red, green and blue, 0..255 each. */
static inline uint32_t play_pixel(float red, float green, float blue)
{
    return (uint32_t)play_bound(red, 0, 255) | (uint32_t)play_bound(green, 0, 255) << 8 |
           (uint32_t)play_bound(blue, 0, 255) << 16 | 0xff000000u;
}

/* Red, green or blue of the background in row y, 0..255. */
static inline float play_sky(int channel, int y)
{
    static const float top[3] = {14, 20, 32}, below[3] = {28, 38, 54};
    return top[channel] + (below[channel] - top[channel]) * (float)y / PLAY_SIDE;
}

#endif
