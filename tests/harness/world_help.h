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
    unsigned char *allocation;
    size_t bytes; /* of the block */
} test_world;

/* A world of `definition`; a failed check and a null world when it is refused. */
test_world test_world_make(const tp_world_def *definition);
/* Checks the guard bytes and frees. */
void test_world_free(test_world *made);
/* Steps until `stage` is about to run for the `passes`-th time, in slices of `units`. False if the step ended first. */
bool test_world_run_to(tp_world *world, tp_stage stage, uint32_t units);
/* Deterministic noise in [0, 1). */
float test_random(uint32_t *state);
/* The same in [low, high), in a cube of half side `size`, and for poses within `reach`. */
float test_uniform(uint32_t *state, float low, float high);
tp_vector test_random_place(uint32_t *state, float size);
tp_pose test_random_pose(uint32_t *state, float reach);
/* `changes` bytes at chance among `size`; those that lie from `kept_from` on stay whole. */
void test_scramble(void *bytes, size_t size, size_t kept_from, uint32_t *state, uint32_t changes);
/* `count` simulated frames without a budget. */
void test_world_frames(tp_world *world, uint32_t count);
/* Gravity field of -g along y. */
void test_world_gravity(tp_world *world, float gravity);
/* Four (six) planes around a box from the origin to `size`. */
void test_world_tank(tp_world *world, tp_vector size);

#endif
