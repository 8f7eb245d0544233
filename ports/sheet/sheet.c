/* SPDX-License-Identifier: MIT
   ports/sheet/sheet.c - cloth on a device with 64 KiB of RAM: a sheet of 16 x 16 nodes that hangs
           by two corners swings against a ball.
   reads   nothing      writes  pictures, the cost of frames, the stretch, the hash
   memory  one static block of SHEET_BYTES      cost  at most SHEET_UNITS of work per frame
   after   own design; freestanding: a port supplies only port_puts */
#undef TP_WITHOUT_3D
#undef TP_WITHOUT_CLOTH
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"
#include "../small/show.h"

#define SHEET_SIDE   16u
#define SHEET_FRAMES 240u
#define SHEET_UNITS  60000u /* of work per frame */
#ifndef SHEET_BYTES         /* with 64-bit pointers a block is some words larger */
#define SHEET_BYTES 49888u
#endif

static _Alignas(16) unsigned char sheet_block[SHEET_BYTES];

/* Definitions are large for the stack of such a device: noinline keeps only one on the stack at a
   time. */
__attribute__((noinline)) static tp_result sheet_create(tp_world **world)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = SHEET_SIDE * SHEET_SIDE;
    def.emitters_max = def.sinks_max = 0;
    def.fields_max = 2;
    def.colliders_max = 1;
    def.keeps_births = false;
    def.species[0].radius = 0.02f;
    def.species[0].mass = 0.001f;
    /* 480 of stretch, 450 of shear, 448 of bend */
    def.cloth.constraints_max = 1378;
    return tp_world_create(&def, sheet_block, sizeof sheet_block, world);
}

__attribute__((noinline)) static tp_result sheet_hang(tp_world *world)
{
    tp_cloth_def sheet = tp_cloth_default();
    uint32_t id = 0;
    sheet.origin = (tp_vector){0.5f, 1.2f, -0.5f};
    sheet.across = (tp_vector){0.0f, 0.0f, 0.0625f};
    tp_result result = tp_cloth_grid(world, &sheet, &id);
    if (result == TP_OK) result = tp_cloth_pin(world, id, true);
    if (result == TP_OK) result = tp_cloth_pin(world, id + SHEET_SIDE - 1u, true);
    return result;
}

__attribute__((noinline)) static tp_result sheet_surround(tp_world *world)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY),
                 air = tp_field_default(TP_FIELD_DRAG);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_field field;
    tp_collider collider;
    air.linear = 0.0005f;
    ball.radius = 0.25f;
    ball.friction = 0.25f;
    ball.pose.position = (tp_vector){1.0f, 0.75f, -0.25f};
    tp_result result = tp_field_add(world, &gravity, &field);
    if (result == TP_OK) result = tp_field_add(world, &air, &field);
    return result == TP_OK ? tp_collider_add(world, &ball, &collider) : result;
}

__attribute__((noinline)) static tp_result sheet_frame(tp_world *world, tp_report *report)
{
    tp_budget budget = {.units = SHEET_UNITS};
    return tp_frame(world, &budget, report);
}

static tp_result sheet_play(tp_world *world, tp_report *report, uint64_t *units)
{
    for (uint32_t frame = 1; frame <= SHEET_FRAMES; frame++) {
        tp_result result = sheet_frame(world, report);
        show_frame_over();
        if (result != TP_OK) return result;
        if (report->units > *units) *units = report->units;
        if (frame % (SHEET_FRAMES / 4u) == 0) show_draw(world, 2.0f, 1.25f);
    }
    return TP_OK;
}

int port_main(void)
{
    tp_world *world = NULL;
    tp_report report = {0};
    tp_cloth_report cloth;
    uint64_t units = 0;
    tp_result result = sheet_create(&world);
    if (result == TP_OK) result = sheet_hang(world);
    if (result == TP_OK) result = sheet_surround(world);
    if (result == TP_OK) result = sheet_play(world, &report, &units);
    if (result == TP_OK) result = tp_cloth_measure(world, &cloth);
    if (result != TP_OK) return show_error(result);
    port_put_number("nodes ", cloth.nodes);
    port_put_number(", constraints ", cloth.constraints);
    port_put_number(", worst frame ", units);
    port_put_number(" units, stretch at most ", (uint64_t)(cloth.stretch_max * 1e5f));
    port_put_hash(" in 100 000, hash ", tp_world_hash(world));
    port_puts("\n");
    return 0;
}
