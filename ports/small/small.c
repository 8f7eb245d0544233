/* SPDX-License-Identifier: MIT
   ports/small/small.c - a fluid with rewind on a device with 64 KiB of RAM: world, ring cache and
           stack.
   reads   nothing      writes  pictures, the cost of frames, and `rewound` if the rewind gave the
           same bits
   memory  one static block of SMALL_BYTES, for world and cache      cost  at most SMALL_UNITS of
           work per frame
   after   own design; freestanding: a port supplies only port_puts */
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"
#include "dam.h"

#define SMALL_UNITS 49000u /* of work per frame: the worst frame takes 46 759 */
#define SMALL_STEP  30u    /* frame interval of the cache */
#define SMALL_KEPT  2u     /* cached frames: one to two seconds can be rewound */
#define SMALL_BACK  30u    /* frames to rewind */
#ifndef SMALL_BYTES        /* with 64-bit pointers blocks are some words larger */
#define SMALL_BYTES 60720u
#endif

static _Alignas(16) unsigned char small_block[SMALL_BYTES];

typedef struct small_game {
    tp_world *world;
    tp_source source;
    tp_cache *cache;
    /* of the last frames, to compare with the frames simulated again */
    uint64_t hashes[SMALL_BACK + 1];
} small_game;

/* Definitions are large for the stack of such a device: noinline keeps only one on the stack at a
   time. */
__attribute__((noinline)) static tp_result small_create_world(small_game *game, size_t *bytes)
{
    tp_world_def def = dam_world_def();
    dam_soften(&def);
    tp_result result = tp_world_memory(&def, bytes);
    *bytes = (*bytes + 15u) & ~(size_t)15u;
    return result == TP_OK ? tp_world_create(&def, small_block, sizeof small_block, &game->world)
                           : result;
}

/* Uses the part of the block after the world. */
__attribute__((noinline)) static tp_result small_create_cache(small_game *game, size_t begin)
{
    game->source = tp_world_source(game->world);
    tp_cache_def ring = tp_cache_default(&game->source);
    ring.frames_max = SMALL_KEPT;
    ring.step = SMALL_STEP;
    ring.catchup_max = 2u * SMALL_STEP;
    ring.ring_bytes =
        (uint32_t)(SMALL_KEPT * TP_CACHE_FRAME_BYTES(DAM_PARTICLES, 6u, 1u,
                                                     game->source.schema.extras[0].bytes_max));
    return tp_cache_create(&ring, small_block + begin, sizeof small_block - begin, &game->cache);
}

/* Simulates and records one frame of the game. */
__attribute__((noinline)) static tp_result small_frame(small_game *game, tp_report *report)
{
    tp_budget budget = {.units = SMALL_UNITS};
    tp_result result = tp_frame(game->world, &budget, report);
    if (result >= TP_OK) result = tp_cache_record(game->cache, &game->source, &budget);
    return result;
}

/* Rewinds and simulates forward again: every frame must have the same bits as before. */
static tp_result small_rewind(small_game *game, uint64_t now)
{
    tp_result result = TP_MORE;
    while (result == TP_MORE)
        result = tp_cache_resume(game->cache, &game->source, now - SMALL_BACK, false, NULL);
    for (uint32_t back = SMALL_BACK; result == TP_OK; back--) {
        if (tp_world_hash(game->world) != game->hashes[(now - back) % (SMALL_BACK + 1u)])
            return TP_ERROR_FRAME;
        if (back == 0) return TP_OK;
        result = tp_frame(game->world, NULL, NULL);
    }
    return result;
}

static tp_result small_play(small_game *game)
{
    tp_report report = {0};
    uint64_t units_worst = 0, slice_worst = 0;
    for (uint32_t frame = 1; frame <= DAM_FRAMES; frame++) {
        tp_result result = small_frame(game, &report);
        show_frame_over();
        if (result != TP_OK) return result;
        game->hashes[report.frames % (SMALL_BACK + 1u)] = tp_world_hash(game->world);
        if (report.units > units_worst) units_worst = report.units;
        if (report.slice_units_longest > slice_worst) slice_worst = report.slice_units_longest;
        if (frame % (DAM_FRAMES / 4u) == 0) dam_draw(game->world);
    }
    port_put_number("pairs ", report.pairs);
    port_put_number(", particles ", report.particles);
    port_put_number(", worst frame ", units_worst);
    port_put_number(" units, longest slice ", slice_worst);
    port_put_number(", neighbours dropped ", report.neighbours_dropped);
    port_puts("\n");
    return small_rewind(game, report.frames);
}

int port_main(void)
{
    static small_game game;
    size_t begin = 0;
    tp_result result = small_create_world(&game, &begin);
    if (result == TP_OK) result = small_create_cache(&game, begin);
    if (result == TP_OK) result = dam_fill(game.world);
    if (result == TP_OK) result = small_play(&game);
    if (result != TP_OK) return show_error(result);
    port_put_hash("rewound, hash ", tp_world_hash(game.world));
    port_puts("\n");
    return 0;
}
