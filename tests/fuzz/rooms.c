/* SPDX-License-Identifier: MIT
   tests/fuzz/rooms.c - fuzz targets for levels of rooms, refused, or used by a collider in a world,
           and for patches that light one another.
   reads   any bytes      writes  nothing
   memory  a block of exactly the size that the query returns
   cost    O(bytes), and two frames of 16 particles
   after   own design */
#include "rooms/rooms.h"
#include "fuzz.h"
#include "tidepool.h"
#include <stdlib.h>
#include <string.h>

#define ROOMS_BLOCK_MAX (8u << 20)

/* ---- rooms */

static tp_world *world_of(const rooms_shell *shell)
{
    tp_world_def def = tp_world_default(3);
    tp_world *world = NULL;
    size_t bytes = 0;
    if (shell->triangle_count > 20000) return NULL;
    def.particles_max = 64;
    def.geometry_bytes_max =
        4096u + 12u * (uint32_t)shell->point_count + 40u * (uint32_t)shell->triangle_count;
    if (tp_world_memory(&def, &bytes) != TP_OK) abort();
    if (bytes > ROOMS_BLOCK_MAX) return NULL;
    void *block = aligned_alloc(16, (bytes + 15u) & ~(size_t)15u);
    if (!block || tp_world_create(&def, block, bytes, &world) != TP_OK) abort();
    return world;
}

/* A level may be farther from the origin than a world is large: then the collider is refused, with
   a reason. */
static void run(const rooms_shell *shell)
{
    tp_world *world = world_of(shell);
    tp_collider_def def = tp_collider_default(TP_COLLIDER_MESH);
    tp_collider added;
    if (!world) return;
    tp_vector *points = malloc(shell->point_count * sizeof *points);
    for (size_t i = 0; i < shell->point_count; i++)
        points[i] = (tp_vector){shell->points[i][0], shell->points[i][1], shell->points[i][2]};
    def.vertices = points;
    def.vertex_count = (uint32_t)shell->point_count;
    def.indices = shell->corners;
    def.triangle_count = (uint32_t)shell->triangle_count;
    const char *problem = tp_collider_check(world, &def);
    tp_result result = tp_collider_add(world, &def, &added);
    if ((problem == NULL) != (result == TP_OK)) abort();
    for (uint32_t i = 0; i < 16u && !problem; i++) {
        tp_vector at = {shell->start[0], shell->start[1] + 0.1f * (float)i, shell->start[2]},
                  fast = {30.0f * (float)(i % 3u) - 30.0f, -40.0f, 3.0f * (float)i};
        result = tp_particle_add(world, at, fast, 0, NULL);
        if (result != TP_OK && result != TP_ERROR_DEFINITION) abort();
    }
    for (uint32_t frame = 0; frame < 2u; frame++)
        if (tp_frame(world, NULL, NULL) != TP_OK) abort();
    free(points);
    free(world);
}

/* Boxes of water have a volume, and are at most as many as rooms. */
static void find_water(const rooms *level)
{
    rooms_box *boxes = NULL;
    size_t count;
    uint32_t dry;
    if (rooms_water(level, 1.0 / 512, 23, &boxes, &count, &dry)) abort();
    if (count > level->count) abort();
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (!(boxes[i].low[k] < boxes[i].high[k])) abort();
    free(boxes);
}

void fuzz_rooms(const uint8_t *bytes, size_t size)
{
    for (uint32_t flipped = 0; flipped < 2; flipped++) {
        rooms level;
        rooms_shell shell;
        if (rooms_read(&level, "level", bytes, size, flipped)) return;
        if (!rooms_surround(&level, "level", 1.0 / 512, &shell)) {
            for (size_t i = 0; i < 3 * shell.triangle_count; i++)
                if (shell.corners[i] >= shell.point_count) abort();
            run(&shell);
            find_water(&level);
            rooms_shell_free(&shell);
        }
        rooms_free(&level);
    }
}

/* ---- patches */

/* Corrects the size and the checksum (host_tools/light/FORMAT.md). */
static void seal(uint8_t *bytes, size_t size)
{
    uint32_t sum = 2166136261u, length = (uint32_t)size;
    if (size < 16) return;
    memcpy(bytes, "TPL\1", 4);
    for (uint32_t k = 0; k < 4; k++) bytes[4 + k] = (uint8_t)(length >> 8 * k);
    for (size_t at = 12; at + 4 <= size; at += 4) {
        uint32_t word = (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8 |
                        (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
        sum = (sum ^ word) * 16777619u;
    }
    for (uint32_t k = 0; k < 4; k++) bytes[8 + k] = (uint8_t)(sum >> 8 * k);
}

/* A good file gives finite light, the same with any slices, and no more than is sent out. */
static void light(const uint8_t *bytes, size_t size)
{
    tp_patches patches = {0};
    tp_sh sh;
    tp_vector *memory;
    uint32_t byte = 0;
    const char *fault = tp_patches_check(bytes, (uint32_t)size, &byte);
    tp_result result = tp_patches_open(&patches, bytes, (uint32_t)size, NULL, 0);
    if ((fault == NULL) != (result == TP_ERROR_FULL) || byte > size) abort();
    if (fault) return;
    memory = malloc((size_t)patches.vectors * sizeof *memory);
    if (tp_patches_open(&patches, bytes, (uint32_t)size, memory, patches.vectors) != TP_OK) abort();
    patches.is_endless = true;
    for (uint32_t round = 0; round < 4u; round++)
        while ((result = tp_patches_update(&patches, NULL, 2, 500)) == TP_MORE)
            if (patches.units == 0) abort();
    if (result != TP_OK) abort();
    for (uint32_t i = 0; i < patches.count; i++) {
        tp_vector b = patches.bounced[i];
        if (!(b.x >= 0 && b.y >= 0 && b.z >= 0 && b.x + b.y + b.z < 1e14f)) abort();
    }
    if (tp_patches_sh(&patches, memory[0], &sh) != TP_OK) abort();
    free(memory);
}

void fuzz_patches(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* exact, so that a read beyond it is found */
    memcpy(copy, bytes, size);
    light(copy, size);
    seal(copy, size - size % 4);
    light(copy, size - size % 4);
    free(copy);
}
