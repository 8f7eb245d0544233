/* SPDX-License-Identifier: MIT
   tests/fuzz/rooms.c - fuzz targets for levels of rooms, refused, or used by a collider in a world,
           and for patches that light one another.
   reads   any bytes      writes  nothing
   memory  a block of exactly the size that the query returns
   cost    O(bytes), and six frames of 16 particles
   after   own design */
#include "rooms/rooms.h"
#include "fuzz.h"
#include "tidepool.h"
#include <stdlib.h>
#include <string.h>

#define ROOMS_BLOCK_MAX (8u << 20)

/* ---- rooms */

/* A block of exactly the size of a world for one collider; null: it is too large. */
static tp_world *world_of(const tp_collider_def *mesh)
{
    tp_world_def def = tp_world_default(3);
    tp_world *world = NULL;
    size_t bytes = 0;
    def.particles_max = 64;
    def.geometry_bytes_max = (uint32_t)tp_collider_bytes(3, mesh);
    if (def.geometry_bytes_max == 0) def.geometry_bytes_max = 64; /* the mesh is bad */
    if (tp_world_memory(&def, &bytes) != TP_OK) abort();
    if (bytes > ROOMS_BLOCK_MAX) return NULL;
    void *block = aligned_alloc(16, (bytes + 15u) & ~(size_t)15u);
    if (!block || tp_world_create(&def, block, bytes, &world) != TP_OK) abort();
    return world;
}

/* Around the start, wherever the level is. */
static void fill(tp_world *world, const tp_collider_def *mesh, const float start[3])
{
    for (uint32_t i = 0; i < 16u; i++) {
        tp_vector own = {start[0], start[1] + 0.1f * (float)i, start[2]},
                  at = tp_pose_point(mesh->pose, own),
                  fast = {150.0f * (float)(i % 3u) - 150.0f, 30.0f * (float)(i % 5u) - 60.0f,
                          20.0f * (float)i - 160.0f};
        tp_result result = tp_particle_add(world, at, fast, 0, NULL);
        if (result != TP_OK && result != TP_ERROR_DEFINITION) abort();
    }
}

/* The hash after six frames; 0: the collider is refused, as far from the origin as a level may be,
   or its rooms stopped a particle. A frame of so few particles has an end. */
static uint64_t run(const tp_collider_def *mesh, const float start[3])
{
    tp_world *world = world_of(mesh);
    const tp_budget budget = {.units = 1u << 26};
    tp_collider added;
    int32_t number = -1;
    if (!world) return 0;
    const char *problem = tp_collider_check(world, mesh);
    tp_result result = tp_collider_add(world, mesh, &added);
    if ((problem == NULL) != (result == TP_OK)) abort();
    if (!problem) fill(world, mesh, start);
    for (uint32_t frame = 0; frame < 6u; frame++)
        if (tp_frame(world, &budget, NULL) != TP_OK) abort();
    if (!problem && mesh->room_words &&
        (tp_collider_room(world, added, mesh->pose.position, &number) || number < -1 ||
         number >= mesh->rooms[0]))
        abort();
    const bool is_whole = !problem && tp_world_report(world).rooms_limited == 0;
    uint64_t hash = is_whole ? tp_world_hash(world) : 0;
    free(world);
    return hash;
}

/* Replaces a word, or the same one of each sector, up to eight times. */
static void spoil(int16_t *words, size_t count, uint32_t sum)
{
    for (uint32_t left = sum % 9u; left > 0; left--) {
        sum = sum * 2654435761u + 77u;
        const int32_t wild = (int16_t)(uint16_t)(sum >> 16);
        const int16_t word = (int16_t)(sum & 256u ? wild % 3 : sum & 512u ? wild % 40 : wild);
        const size_t step = sum & 1024u ? count : ROOMS_SECTOR_WORDS;
        size_t at = (sum >> 11) % count;
        if (step < count) at = 1u + ROOMS_ROOM_WORDS * (size_t)words[0] + at % step;
        for (; at > 0 && at < count; at += step) words[at] = word;
    }
}

/* A level in a world: without rooms, with its rooms, and with wrong ones, which do no harm. What
   no hop stopped has the same bits. */
static void live(const rooms *level, const rooms_shell *shell, const uint8_t *bytes, size_t size)
{
    tp_collider_def mesh = tp_collider_default(TP_COLLIDER_MESH);
    int16_t *words = NULL;
    size_t count = 0;
    uint32_t sum = 0;
    if (shell->triangle_count > 20000) return;
    for (size_t k = 0; k < size; k++) sum = sum * 16777619u + bytes[k];
    if (sum & 1u) {
        mesh.pose.position = (tp_vector){(float)(sum >> 20) * -0.37f, 1, (float)(sum & 4095u)};
        mesh.pose.rotation = (tp_quaternion){0.8f, 0, 0.6f, 0};
    }
    tp_vector *points = malloc(shell->point_count * sizeof *points);
    for (size_t i = 0; i < shell->point_count; i++)
        points[i] = (tp_vector){shell->points[i][0], shell->points[i][1], shell->points[i][2]};
    mesh.vertices = points;
    mesh.vertex_count = (uint32_t)shell->point_count;
    mesh.indices = shell->corners;
    mesh.triangle_count = (uint32_t)shell->triangle_count;
    mesh.spacing = 2;
    const uint64_t plain = run(&mesh, shell->start);
    if (rooms_table(level, &words, &count)) abort();
    int16_t *wrong = malloc(count * sizeof *wrong);
    mesh.rooms = wrong;
    mesh.room_words = (uint32_t)count;
    for (uint32_t k = 0; k < 16; k++) {
        memcpy(wrong, words, count * sizeof *wrong);
        spoil(wrong, count, k ? sum + k : 0u);
        uint64_t hash = run(&mesh, shell->start);
        if (hash && plain && hash != plain) abort();
    }
    free(wrong);
    free(words);
    free(points);
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
            live(&level, &shell, bytes, size);
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
