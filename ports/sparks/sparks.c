/* SPDX-License-Identifier: MIT
   ports/sparks/sparks.c - a fountain of sparks on a floor in 11 KiB: particles without mutual
           forces.
   reads   nothing      writes  a line every second
   memory  one static block of SPARKS_BYTES      cost  some hundred units per frame
   after   own design; freestanding: a port supplies only port_puts */
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"

#define SPARKS_MAX   80u
#define SPARKS_BYTES 11136u

static _Alignas(16) unsigned char sparks_block[SPARKS_BYTES];

static tp_world *sparks_create(void)
{
    tp_world_def def = tp_world_default(2);
    tp_world *world = NULL;
    def.particles_max = SPARKS_MAX;
    def.solver = TP_SOLVER_NONE;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.pool_policy = TP_POOL_RECYCLE;
    tp_result result = tp_world_create(&def, sparks_block, sizeof sparks_block, &world);
    if (result != TP_OK) port_puts(tp_result_text(result));
    return world;
}

static tp_result sparks_fill(tp_world *world)
{
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    tp_result result = tp_field_add(world, &fall, &field);

    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider collider;
    if (result == TP_OK) result = tp_collider_add(world, &floor, &collider);

    tp_emitter_def source = tp_emitter_default();
    tp_emitter emitter;
    source.pose.position = (tp_vector){0.0f, 0.5f, 0.0f};
    source.velocity = (tp_vector){0.5f, 4.0f, 0.0f};
    source.rate_numerator = 60;
    if (result == TP_OK) result = tp_emitter_add(world, &source, &emitter);
    return result;
}

int port_main(void)
{
    tp_world *world = sparks_create();
    tp_report report = {0};
    if (!world || sparks_fill(world) != TP_OK) return 1;
    for (uint32_t frame = 1; frame <= 240; frame++) {
        if (tp_frame(world, NULL, &report) != TP_OK) return 1;
        if (frame % 60u != 0) continue;
        port_put_number("game frame ", frame);
        port_put_number(", sparks ", report.particles);
        port_put_number(", recycled ", report.recycled);
        port_put_hash(", hash ", tp_world_hash(world));
        port_puts("\n");
    }
    return report.particles == SPARKS_MAX ? 0 : 1;
}
