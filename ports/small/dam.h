/* SPDX-License-Identifier: MIT
   ports/small/dam.h - a dam of 300 particles in a tank, drawn with letters: the common part of the
           fluids for 64 KiB of RAM.
   reads   nothing      writes  nothing: definitions
   memory  none      cost    a picture: one pass over the particles
   after   own design; ports/small rewinds it, ports/basin simulates it with the incompressible
           solver */
#ifndef TIDEPOOL_SMALL_DAM_H
#define TIDEPOOL_SMALL_DAM_H
#include "show.h"

#define DAM_PARTICLES 300u
#define DAM_FPS       30u
#define DAM_FRAMES    240u

static tp_world_def dam_world_def(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = DAM_PARTICLES;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.keeps_births = false;
    def.frames_per_second_numerator = DAM_FPS;
    /* no more in the frames of the impact, which pass in slow motion: the work has a limit */
    def.substeps.count = def.substeps.count_max = 2;
    return def;
}

__attribute__((noinline)) static tp_result dam_fill(tp_world *world)
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
    dam.burst_count = DAM_PARTICLES;
    dam.lattice_spacing = 0.22f;
    tp_result result = tp_field_add(world, &gravity, &field);
    if (result == TP_OK) result = tp_collider_add(world, &tank, &collider);
    return result == TP_OK ? tp_emitter_add(world, &dam, &emitter) : result;
}

static void dam_draw(const tp_world *world) { show_draw(world, 9.6f, 5.4f); }

#endif
