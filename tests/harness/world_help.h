/* SPDX-License-Identifier: MIT
   tests/harness/world_help.h - makes worlds for tests, with guard bytes around the block.
   reads   definitions      writes  a malloc'd block
   memory  the block and 128 bytes      cost  that of tp_world_create
   after   own design */
#ifndef TIDEPOOL_WORLD_HELP_H
#define TIDEPOOL_WORLD_HELP_H
#include "tidepool.h"
#include "world/block.h"

typedef struct test_world {
    tp_world *world;
    void *block;
    size_t bytes; /* size of the block */
} test_world;

/* A block of bytes of any value, aligned to 64, between guard bytes. */
void *test_guarded_make(size_t bytes);
/* Checks the guard bytes and frees; null is nothing. */
void test_guarded_free(void *block, size_t bytes);
/* Creates a world. If it is refused, a check fails and `world` is null. */
test_world test_world_make(const tp_world_def *definition);
/* Checks the guard bytes and frees. */
void test_world_free(test_world *made);
/* Simulates in slices of `units` until `stage` is about to run. False if the step ended first. */
bool test_world_run_to(tp_world *world, tp_stage stage, uint32_t units);
/* Deterministic random numbers in [0, 1). */
float test_random(uint32_t *state);
/* Uniform in [low, high); in a cube of half side `size`; poses within `reach` of the origin. */
float test_uniform(uint32_t *state, float low, float high);
tp_vector test_random_position(uint32_t *state, float size);
tp_pose test_random_pose(uint32_t *state, float reach);
/* Overwrites `changes` random bytes of `size`; the bytes from `kept_from` on are not touched. */
void test_scramble(void *bytes, size_t size, size_t kept_from, uint32_t *state, uint32_t changes);
/* Simulates `count` frames without a budget. */
void test_world_frames(tp_world *world, uint32_t count);
/* Adds a gravity field of -g along y. */
void test_world_gravity(tp_world *world, float gravity);
/* Adds four planes (six in 3D) around a box from the origin to `size`. */
void test_world_tank(tp_world *world, tp_vector size);

#endif
