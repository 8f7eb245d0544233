/* SPDX-License-Identifier: MIT
   ports/examples/tank.h - the scene of the examples: 300 drops of water in a tank that a player
           tilts. Replace it by yours.
   reads   a stick, -100..100      writes  a world
   memory  TANK_BYTES of the caller's     cost  about 45 000 units per frame
   after   own design; C11 and C++11 */
#ifndef TIDEPOOL_TANK_H
#define TIDEPOOL_TANK_H
#include "tidepool.h"

#define TANK_DROPS  300u
#define TANK_FRAMES 240u
/* size of the world's block, for static arrays */
#define TANK_BYTES ((TP_WORLD_BYTES(2, TANK_DROPS, 40, 3, 0) + 15u) / 16u * 16u)

static inline tp_world_def tank_definition(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = TANK_DROPS;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.substeps.count = 3;
    return def;
}

/* Adds gravity, walls and water. `gravity` is the field that the stick turns; a handle is a number
   that is valid in every copy of the block. */
static inline tp_result tank_fill(tp_world *world, tp_field *gravity)
{
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY); /* 9.81 m/s^2 down */
    tp_result result = tp_field_add(world, &fall, gravity);

    tp_collider_def walls = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider collider;
    walls.half.x = 2.0f;
    walls.half.y = 1.5f;
    walls.is_hollow = true;
    if (result == TP_OK) result = tp_collider_add(world, &walls, &collider);

    tp_emitter_def dam = tp_emitter_default();
    tp_emitter emitter;
    dam.shape = TP_EMITTER_BOX;
    dam.pose.position.x = -1.0f;
    dam.size.x = 0.9f;
    dam.size.y = 0.8f;
    dam.burst_count = TANK_DROPS;
    dam.lattice_spacing = 0.1f;
    if (result == TP_OK) result = tp_emitter_add(world, &dam, &emitter);
    return result;
}

/* Input of the game. Call it between two simulated frames, so that every machine applies it at the
   same simulated time. */
static inline tp_result tank_tilt(tp_world *world, tp_field gravity, int stick)
{
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    fall.vector.x = (float)stick * 0.125f; /* m/s^2 */
    return tp_field_set(world, gravity, &fall);
}

/* Simulates a player's hand: another position of the stick every third of a second. */
static inline int tank_stick(uint64_t frame) { return (int)(frame / 20u * 37u % 101u) - 50; }

#endif
