/* SPDX-License-Identifier: MIT
   tests/harness/world_help.c - worlds for tests.
   reads   definitions      writes  malloc'd blocks with guard bytes
   memory  the block and 128 bytes      cost  that of tp_world_create
   after   own design */
#include "world_help.h"
#include "test.h"
#include "step/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64u

void *test_guarded_make(size_t bytes)
{
    unsigned char *allocation = aligned_alloc(64, (bytes + 2u * GUARD + 63u) / 64u * 64u);
    memset(allocation, 0xa5, bytes + 2u * GUARD);
    return allocation + GUARD;
}

void test_guarded_free(void *block, size_t bytes)
{
    bool intact = true;
    if (!block) return;
    const unsigned char *allocation = (unsigned char *)block - GUARD;
    for (size_t b = 0; b < GUARD; b++)
        intact = intact && allocation[b] == 0xa5 && allocation[GUARD + bytes + b] == 0xa5;
    CHECK(intact);
    free((unsigned char *)block - GUARD);
}

test_world test_world_make(const tp_world_def *definition)
{
    test_world made = {0};
    if (!CHECK(tp_world_memory(definition, &made.bytes) == TP_OK)) {
        test_note("%s", tp_world_check(definition));
        return made;
    }
    made.block = test_guarded_make(made.bytes);
    CHECK(tp_world_create(definition, made.block, made.bytes, &made.world) == TP_OK);
    return made;
}

void test_world_free(test_world *made)
{
    test_guarded_free(made->block, made->bytes);
    *made = (test_world){0};
}

bool test_world_run_to(tp_world *world, tp_stage stage, uint32_t units)
{
    uint32_t used = 0;
    tp_stage ran;
    if (!world->step.active) tpi_step_begin(world, TP_TICKS_PER_FRAME);
    while (world->step.stage != (uint32_t)stage)
        if (tpi_step_advance(world, NULL, units, &used, &ran)) return false;
    return true;
}

float test_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (1.0f / 16777216.0f);
}

float test_uniform(uint32_t *state, float low, float high)
{
    return low + (high - low) * test_random(state);
}

tp_vector test_random_position(uint32_t *state, float size)
{
    float x = test_uniform(state, -size, size), y = test_uniform(state, -size, size);
    return (tp_vector){x, y, test_uniform(state, -size, size)};
}

tp_pose test_random_pose(uint32_t *state, float reach)
{
    tp_vector place = test_random_position(state, reach), turn = test_random_position(state, 1.0f);
    float w = test_uniform(state, -1.0f, 1.0f), length = sqrtf(w * w + tpi_dot(turn, turn));
    return (tp_pose){place, {w / length, turn.x / length, turn.y / length, turn.z / length}};
}

void test_scramble(void *bytes, size_t size, size_t kept_from, uint32_t *state, uint32_t changes)
{
    for (uint32_t c = 0; c < changes; c++) {
        size_t at = (size_t)(test_random(state) * (float)size);
        if (at < kept_from)
            ((unsigned char *)bytes)[at] = (unsigned char)(test_random(state) * 256.0f);
    }
}

void test_world_frames(tp_world *world, uint32_t count)
{
    for (uint32_t f = 0; f < count; f++) CHECK(tp_frame(world, NULL, NULL) == TP_OK);
}

void test_world_gravity(tp_world *world, float gravity)
{
    tp_field field;
    tp_field_def def = tp_field_default(TP_FIELD_GRAVITY);
    def.vector = (tp_vector){0.0f, -gravity, 0.0f};
    CHECK(tp_field_add(world, &def, &field) == TP_OK);
}

static void help_plane(tp_world *world, tp_vector position, tp_quaternion rotation)
{
    tp_collider collider;
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    def.pose = (tp_pose){position, rotation};
    CHECK(tp_collider_add(world, &def, &collider) == TP_OK);
}

void test_world_tank(tp_world *world, tp_vector size)
{
    const float h = 0.70710678f;
    help_plane(world, (tp_vector){0, 0, 0}, (tp_quaternion){1, 0, 0, 0});
    help_plane(world, (tp_vector){0, size.y, 0}, (tp_quaternion){0, 0, 0, 1}); /* down */
    help_plane(world, (tp_vector){0, 0, 0}, (tp_quaternion){h, 0, 0, -h});     /* +y to +x */
    help_plane(world, (tp_vector){size.x, 0, 0}, (tp_quaternion){h, 0, 0, h}); /* +y to -x */
    if (tp_world_definition(world)->dimensions == 2) return;
    help_plane(world, (tp_vector){0, 0, 0}, (tp_quaternion){h, h, 0, 0});       /* +y to +z */
    help_plane(world, (tp_vector){0, 0, size.z}, (tp_quaternion){h, -h, 0, 0}); /* +y to -z */
}
