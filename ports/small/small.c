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

#define SMALL_PARTICLES 300u
#define SMALL_FPS       30u
#define SMALL_UNITS     49000u /* of work per frame: the worst frame takes 46 759 */
#define SMALL_STEP      30u    /* frame interval of the cache */
#define SMALL_KEPT      2u     /* cached frames: one to two seconds can be rewound */
#define SMALL_FRAMES    240u
#define SMALL_BACK      30u /* frames to rewind */
#ifndef SMALL_BYTES         /* with 64-bit pointers blocks are some words larger */
#define SMALL_BYTES 61440u
#endif
#define SMALL_COLUMNS 40u
#define SMALL_ROWS    12u

static _Alignas(16) unsigned char small_block[SMALL_BYTES];

static tp_world_def small_world_def(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = SMALL_PARTICLES;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.solver = TP_SOLVER_SPH;
    def.keeps_births = false;
    def.frames_per_second_numerator = SMALL_FPS;
    /* no more in the frames of the impact, which pass in slow motion: the work has a limit */
    def.substeps.count = def.substeps.count_max = 2;
    def.species[0].radius = 0.1f;
    def.species[0].rest_density = 11.0f;
    def.sph.smoothing_radius = 0.6f; /* twice the default, so that steps of 1/60 s are stable */
    def.sph.stiffness = 0.8f;
    def.sph.near_stiffness = 1.0f;
    def.sph.timestep_max = 0.017f;
    def.sph.stores_neighbours = false;
    return def;
}

__attribute__((noinline)) static tp_result small_fill(tp_world *world)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tp_emitter_def dam = tp_emitter_default();
    tp_field field;
    tp_collider collider;
    tp_emitter emitter;
    tank.pose.position = (tp_vector){4.8f, 2.7f, 0.0f};
    tank.half = (tp_vector){4.8f, 2.7f, 1.0f};
    tank.is_hollow = true;
    dam.shape = TP_EMITTER_BOX;
    dam.pose.position = (tp_vector){1.6f, 2.65f, 0.0f};
    dam.size = (tp_vector){1.5f, 2.5f, 0.0f};
    dam.burst_count = SMALL_PARTICLES;
    dam.lattice_spacing = 0.22f;
    tp_result result = tp_field_add(world, &gravity, &field);
    if (result == TP_OK) result = tp_collider_add(world, &tank, &collider);
    return result == TP_OK ? tp_emitter_add(world, &dam, &emitter) : result;
}

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
    tp_world_def def = small_world_def();
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
        (uint32_t)(SMALL_KEPT * TP_CACHE_FRAME_BYTES(SMALL_PARTICLES, 6u, 1u,
                                                     game->source.schema.extras[0].bytes_max));
    return tp_cache_create(&ring, small_block + begin, sizeof small_block - begin, &game->cache);
}

/* Draws the particles as text: a darker letter means more particles in the cell. */
__attribute__((noinline)) static void small_draw(const tp_world *world)
{
    unsigned char cells[SMALL_ROWS][SMALL_COLUMNS] = {{0}};
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        float column = view.x[i] * (1.0f / 9.6f) * (float)SMALL_COLUMNS;
        float row = (5.4f - view.y[i]) * (1.0f / 5.4f) * (float)SMALL_ROWS;
        if (column < 0.0f || column >= (float)SMALL_COLUMNS || row < 0.0f ||
            row >= (float)SMALL_ROWS)
            continue;
        cells[(uint32_t)row][(uint32_t)column]++;
    }
    for (uint32_t row = 0; row < SMALL_ROWS; row++) {
        char line[SMALL_COLUMNS + 2];
        for (uint32_t column = 0; column < SMALL_COLUMNS; column++)
            line[column] = " .oO@"[cells[row][column] < 4 ? cells[row][column] : 4];
        line[SMALL_COLUMNS] = '\n';
        line[SMALL_COLUMNS + 1] = 0;
        port_puts(line);
    }
}

/* Simulates and records one frame of the game. */
__attribute__((noinline)) static tp_result small_frame(small_game *game, tp_report *report)
{
    tp_budget budget = {.units = SMALL_UNITS};
    tp_result result = tp_frame(game->world, &budget, report);
    if (result >= TP_OK) result = tp_cache_record(game->cache, &game->source, &budget);
    return result;
}

/* Marks the end of a frame for the plugin that counts instructions. */
__attribute__((noinline)) static void small_frame_over(void) { __asm__ volatile("" ::: "memory"); }

/* Rewinds and simulates forward again: every frame must have the same bits as before. */
static tp_result small_rewind(small_game *game)
{
    uint64_t now = tp_world_report(game->world).frames;
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
    for (uint32_t frame = 1; frame <= SMALL_FRAMES; frame++) {
        tp_result result = small_frame(game, &report);
        small_frame_over();
        if (result != TP_OK) return result;
        game->hashes[report.frames % (SMALL_BACK + 1u)] = tp_world_hash(game->world);
        if (report.units > units_worst) units_worst = report.units;
        if (report.slice_units_longest > slice_worst) slice_worst = report.slice_units_longest;
        if (frame % (SMALL_FRAMES / 4u) == 0) small_draw(game->world);
    }
    port_put_number("pairs ", report.pairs);
    port_put_number(", particles ", report.particles);
    port_put_number(", worst frame ", units_worst);
    port_put_number(" units, longest slice ", slice_worst);
    port_put_number(", neighbours dropped ", report.neighbours_dropped);
    port_puts("\n");
    return small_rewind(game);
}

int port_main(void)
{
    static small_game game;
    size_t begin = 0;
    tp_result result = small_create_world(&game, &begin);
    if (result == TP_OK) result = small_create_cache(&game, begin);
    if (result == TP_OK) result = small_fill(game.world);
    if (result == TP_OK) result = small_play(&game);
    if (result == TP_OK)
        port_put_hash("rewound, hash ", tp_world_hash(game.world));
    else
        port_puts(tp_result_text(result));
    port_puts("\n");
    return result == TP_OK ? 0 : 1;
}
