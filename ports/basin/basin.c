/* SPDX-License-Identifier: MIT
   ports/basin/basin.c - an incompressible fluid on a device with 64 KiB of RAM: a dam of 300
           particles.
   reads   nothing      writes  pictures, the cost of frames, the compression, the hash
   memory  one static block of BASIN_BYTES      cost  at most BASIN_UNITS of work per frame
   after   own design; freestanding: a port supplies only port_puts */
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"
#include "../small/dam.h"

#define BASIN_UNITS 85000u /* of work per frame: the worst frame takes 83 346 */
#ifndef BASIN_BYTES        /* with 64-bit pointers a block is some words larger */
#define BASIN_BYTES 59952u
#endif

static _Alignas(16) unsigned char basin_block[BASIN_BYTES];

/* Definitions are large for the stack of such a device: noinline keeps only one on the stack at a
   time. */
__attribute__((noinline)) static tp_result basin_create(tp_world **world)
{
    tp_world_def def = dam_world_def();
    dam_stiffen(&def);
    return tp_world_create(&def, basin_block, sizeof basin_block, world);
}

__attribute__((noinline)) static tp_result basin_frame(tp_world *world, tp_report *report)
{
    tp_budget budget = {.units = BASIN_UNITS};
    return tp_frame(world, &budget, report);
}

/* Simulates the dam; the largest mean compression of a frame is returned in `worst`. */
static tp_result basin_play(tp_world *world, tp_report *report, uint64_t *units, float *worst)
{
    for (uint32_t frame = 1; frame <= DAM_FRAMES; frame++) {
        tp_result result = basin_frame(world, report);
        show_frame_over();
        if (result != TP_OK) return result;
        if (report->units > *units) *units = report->units;
        if (report->compression > *worst) *worst = report->compression;
        if (frame % (DAM_FRAMES / 4u) == 0) dam_draw(world);
    }
    return TP_OK;
}

int port_main(void)
{
    tp_world *world = NULL;
    tp_report report = {0};
    uint64_t units = 0;
    float worst = 0.0f;
    tp_result result = basin_create(&world);
    if (result == TP_OK) result = dam_fill(world);
    if (result == TP_OK) result = basin_play(world, &report, &units, &worst);
    if (result != TP_OK) return show_error(result);
    port_put_number("particles ", report.particles);
    port_put_number(", worst frame ", units);
    port_put_number(" units, neighbours dropped ", report.neighbours_dropped);
    port_put_number(", compression at most ", (uint64_t)(worst * 1e5f));
    port_put_hash(" in 100 000, hash ", tp_world_hash(world));
    port_puts("\n");
    return 0;
}
