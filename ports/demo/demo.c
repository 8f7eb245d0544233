/* SPDX-License-Identifier: MIT
   ports/demo/demo.c - a minimal game: a dam breaks in a 60 Hz loop, under a budget, drawn with
           letters.
   reads   nothing      writes  four pictures, each with a line of the report
   memory  one static block     cost  DEMO_UNITS of work per frame, plus less than one slice
   after   own design; freestanding: a port supplies only port_puts */
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"

#define DEMO_PARTICLES  200u
#define DEMO_NEIGHBOURS 32u
#define DEMO_UNITS      30000u
#define DEMO_FRAMES     120u
#define DEMO_COLUMNS    52u
#define DEMO_ROWS       16u

static _Alignas(
    16) unsigned char demo_block[TP_WORLD_BYTES(2, DEMO_PARTICLES, DEMO_NEIGHBOURS, 4, 0)];

static tp_world *demo_create(void)
{
    tp_world_def def = tp_world_default(2);
    tp_world *world = NULL;
    def.particles_max = DEMO_PARTICLES;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.substeps.count = 3;
    def.sph.neighbours_max = DEMO_NEIGHBOURS;
    tp_result result = tp_world_create(&def, demo_block, sizeof demo_block, &world);
    if (result != TP_OK) port_puts(tp_result_text(result));
    return world;
}

static tp_result demo_fill(tp_world *world)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    gravity.vector.y = -9.81f;
    tp_result result = tp_field_add(world, &gravity, &field);

    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider collider;
    tank.half = (tp_vector){1.6f, 1.0f, 1.0f};
    tank.is_hollow = true;
    if (result == TP_OK) result = tp_collider_add(world, &tank, &collider);

    tp_emitter_def dam = tp_emitter_default();
    tp_emitter emitter;
    dam.shape = TP_EMITTER_BOX;
    dam.pose.position = (tp_vector){-1.0f, 0.0f, 0.0f};
    dam.size = (tp_vector){0.55f, 0.9f, 0.0f};
    dam.burst_count = DEMO_PARTICLES;
    dam.lattice_spacing = 0.1f;
    if (result == TP_OK) result = tp_emitter_add(world, &dam, &emitter);
    return result;
}

/* Draws the particles as text: each letter is a cell of the tank, darker with more particles. */
static void demo_draw(const tp_world *world)
{
    unsigned char cells[DEMO_ROWS][DEMO_COLUMNS] = {{0}};
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        float column = (view.x[i] + 1.6f) / 3.2f * (float)DEMO_COLUMNS;
        float row = (1.0f - view.y[i]) / 2.0f * (float)DEMO_ROWS;
        if (column < 0.0f || column >= (float)DEMO_COLUMNS || row < 0.0f || row >= (float)DEMO_ROWS)
            continue;
        cells[(uint32_t)row][(uint32_t)column]++;
    }
    for (uint32_t row = 0; row < DEMO_ROWS; row++) {
        char line[DEMO_COLUMNS + 4];
        line[0] = line[DEMO_COLUMNS + 1] = '|';
        for (uint32_t column = 0; column < DEMO_COLUMNS; column++)
            line[column + 1] = " .oO@"[cells[row][column] < 4 ? cells[row][column] : 4];
        line[DEMO_COLUMNS + 2] = '\n';
        line[DEMO_COLUMNS + 3] = 0;
        port_puts(line);
    }
}

static void demo_report(const tp_report *report)
{
    port_put_number("game frame ", report->game_frames);
    port_put_number(", simulated ", report->frames);
    port_put_number(", units ", report->units);
    port_put_number(", longest slice ", report->slice_units_longest);
    port_put_number(", particles ", report->particles);
    port_puts("\n\n");
}

int port_main(void)
{
    tp_world *world = demo_create();
    tp_budget budget = {.units = DEMO_UNITS};
    tp_report report = {0};
    if (!world || demo_fill(world) != TP_OK) return 1;
    for (uint32_t frame = 1; frame <= DEMO_FRAMES; frame++) {
        if (tp_frame(world, &budget, &report) < TP_OK) return 1;
        if (frame % (DEMO_FRAMES / 4u) != 0) continue;
        demo_draw(world);
        demo_report(&report);
    }
    port_put_number("hash ", tp_world_hash(world));
    port_puts("\n");
    return 0;
}
