/* SPDX-License-Identifier: MIT
   ports/rings/rings.c - smoke on a device with 64 KiB of RAM: two rings of 32 vortons each, with
           100 tracers each, leapfrog.
   reads   nothing      writes  pictures, the cost of frames, the areas of the rings, the hash
   memory  one static block of RINGS_BYTES      cost  at most RINGS_UNITS of work per frame
   after   own design; freestanding: a port supplies only port_puts */
#undef TP_WITHOUT_3D
#undef TP_WITHOUT_VORTEX
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"
#include "../small/show.h"

#define RINGS_VORTONS 32u
#define RINGS_TRACERS 100u
#define RINGS_FRAMES  240u
#define RINGS_UNITS   60000u /* of work per frame */
#ifndef RINGS_BYTES          /* with 64-bit pointers a block is some words larger */
#define RINGS_BYTES 35424u
#endif
#define RINGS_RADIUS 0.5f  /* m */
#define RINGS_TUBE   0.08f /* m, from the ring to its tracers */
#define RINGS_HEIGHT 0.75f /* m, of the axis */

static _Alignas(16) unsigned char rings_block[RINGS_BYTES];

/* A point of the unit circle, and its angle's step: no sine is needed. */
typedef struct rings_turn {
    float x, y, step_x, step_y;
} rings_turn;

static void rings_step(rings_turn *turn)
{
    float x = turn->x * turn->step_x - turn->y * turn->step_y;
    turn->y = turn->x * turn->step_y + turn->y * turn->step_x;
    turn->x = x;
}

/* Definitions are large for the stack of such a device: noinline keeps only one on the stack at a
   time. */
__attribute__((noinline)) static tp_result rings_create(tp_world **world)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_VORTEX;
    def.particles_max = 2u * (RINGS_VORTONS + RINGS_TRACERS);
    def.emitters_max = def.sinks_max = def.fields_max = def.colliders_max = 0;
    def.keeps_births = false;
    def.vortex.vortons_max = 2u * RINGS_VORTONS;
    def.vortex.core = 0.1f;
    return tp_world_create(&def, rings_block, sizeof rings_block, world);
}

/* A ring around an axis along x, of circulation 0.5 m^2/s: strengths are that times the length of a
   part, along the circle. */
static tp_result rings_vortons(tp_world *world, float place)
{
    const float strength = 0.5f * 0.0981748f; /* 2 pi radius / 32 */
    rings_turn turn = {1.0f, 0.0f, 0.98078528f, 0.19509032f};
    tp_result result = TP_OK;
    for (uint32_t k = 0; k < RINGS_VORTONS && result == TP_OK; k++) {
        uint32_t index = tp_world_view(world).count;
        result = tp_particle_add(
            world, (tp_vector){place, RINGS_HEIGHT + RINGS_RADIUS * turn.x, RINGS_RADIUS * turn.y},
            (tp_vector){0.0f, 0.0f, 0.0f}, 0, NULL);
        if (result == TP_OK)
            result = tp_particle_strength(world, index,
                                          (tp_vector){0.0f, -strength * turn.y, strength * turn.x});
        rings_step(&turn);
    }
    return result;
}

/* Tracers wind around the ring 38 times. */
static tp_result rings_tracers(tp_world *world, float place)
{
    rings_turn turn = {1.0f, 0.0f, 0.99802673f, 0.06279052f},
               tube = {1.0f, 0.0f, -0.72896863f, 0.68454711f};
    tp_result result = TP_OK;
    for (uint32_t k = 0; k < RINGS_TRACERS && result == TP_OK; k++) {
        float radius = RINGS_RADIUS + RINGS_TUBE * tube.x;
        result = tp_particle_add(world,
                                 (tp_vector){place + RINGS_TUBE * tube.y,
                                             RINGS_HEIGHT + radius * turn.x, radius * turn.y},
                                 (tp_vector){0.0f, 0.0f, 0.0f}, 0, NULL);
        rings_step(&turn);
        rings_step(&tube);
    }
    return result;
}

__attribute__((noinline)) static tp_result rings_frame(tp_world *world, tp_report *report)
{
    tp_budget budget = {.units = RINGS_UNITS};
    return tp_frame(world, &budget, report);
}

/* Widens the range of areas of the rings' circles, in % of the first, by those of now. */
static void rings_measure(const tp_world *world, uint32_t areas[2])
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        float y = view.y[i] - RINGS_HEIGHT, z = view.z[i];
        if (view.strength_y[i] == 0.0f && view.strength_z[i] == 0.0f) continue;
        uint32_t area = (uint32_t)(100.0f / (RINGS_RADIUS * RINGS_RADIUS) * (y * y + z * z));
        if (area < areas[0]) areas[0] = area;
        if (area > areas[1]) areas[1] = area;
    }
}

static tp_result rings_play(tp_world *world, tp_report *report, uint64_t *units, uint32_t areas[2])
{
    for (uint32_t frame = 1; frame <= RINGS_FRAMES; frame++) {
        tp_result result = rings_frame(world, report);
        show_frame_over();
        if (result != TP_OK) return result;
        if (report->units > *units) *units = report->units;
        rings_measure(world, areas);
        if (frame % (RINGS_FRAMES / 4u) == 0) show_draw(world, 4.0f, 1.5f);
    }
    return TP_OK;
}

int port_main(void)
{
    tp_world *world = NULL;
    tp_report report = {0};
    uint64_t units = 0;
    uint32_t areas[2] = {100, 100};
    tp_result result = rings_create(&world);
    for (uint32_t ring = 0; ring < 2 && result == TP_OK; ring++) {
        float place = 0.2f + 0.25f * (float)ring;
        result = rings_vortons(world, place);
        if (result == TP_OK) result = rings_tracers(world, place);
    }
    if (result == TP_OK) result = rings_play(world, &report, &units, areas);
    if (result != TP_OK) return show_error(result);
    port_put_number("particles ", report.particles);
    port_put_number(", worst frame ", units);
    port_put_number(" units, areas of the rings from ", areas[0]);
    port_put_number(" to ", areas[1]);
    port_put_hash(" % of the first, hash ", tp_world_hash(world));
    port_puts("\n");
    return 0;
}
