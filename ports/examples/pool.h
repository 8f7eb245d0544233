/* SPDX-License-Identifier: MIT
   ports/examples/pool.h - a pool of water at rest in a tank, for the examples of floating things.
   reads   nothing      writes  a world
   memory  POOL_BYTES of the caller's, and what a definition adds      cost  300 000 units a frame
   after   own design */
#ifndef TIDEPOOL_POOL_H
#define TIDEPOOL_POOL_H
#include "tidepool.h"

#define POOL_SPACING   0.05f
#define POOL_COLUMNS   36u
#define POOL_ROWS      14u
#define POOL_PARTICLES (POOL_COLUMNS * POOL_ROWS) /* 1 kg each */
#define POOL_SECOND    60u                        /* frames */
/* of a world with so many colliders, of which the tank is one */
#define POOL_BYTES(colliders) TP_FLUID_BYTES(2, POOL_PARTICLES, 40, (colliders) + 1u)

static tp_world_def pool_definition(uint32_t colliders)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = POOL_PARTICLES;
    def.emitters_max = def.sinks_max = 0;
    def.fields_max = 1;
    def.colliders_max = colliders;
    def.substeps.count = 4;
    def.measures_loads = true;
    tp_sph_incompressible(&def, POOL_SPACING);
    return def;
}

static tp_result pool_fill(tp_world *world)
{
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    tp_collider_def walls = tp_collider_default(TP_COLLIDER_BOX);
    tp_field gravity;
    tp_collider tank;
    walls.half = (tp_vector){POOL_COLUMNS * POOL_SPACING / 2, 2, 1};
    walls.pose.position = (tp_vector){POOL_COLUMNS * POOL_SPACING / 2, 2, 0};
    walls.is_hollow = true;
    tp_result result = tp_field_add(world, &fall, &gravity);
    if (result == TP_OK) result = tp_collider_add(world, &walls, &tank);
    for (uint32_t i = 0; i < POOL_PARTICLES && result == TP_OK; i++) {
        tp_vector at = {((float)(i % POOL_COLUMNS) + 0.5f) * POOL_SPACING,
                        ((float)(i / POOL_COLUMNS) + 0.5f) * POOL_SPACING, 0};
        result = tp_particle_add(world, at, (tp_vector){0, 0, 0}, 0, NULL);
    }
    return result;
}

#endif
