/* SPDX-License-Identifier: MIT
   ports/small/dam_world.h - a dam of 300 particles in a tank: definitions of the worlds that
           ports/small and ports/basin simulate.
   reads   nothing      writes  nothing: definitions
   memory  none      cost    the calls that it makes
   after   own design; without output, so that tests simulate the same worlds */
#ifndef TIDEPOOL_SMALL_DAM_WORLD_H
#define TIDEPOOL_SMALL_DAM_WORLD_H

#define DAM_PARTICLES 300u
#define DAM_FPS       30u
#define DAM_FRAMES    240u
#define DAM_WIDTH     9.6f /* m, of the tank */
#define DAM_HEIGHT    5.4f

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

/* Changes dam_world_def to the world of ports/small: double density. */
static inline void dam_soften(tp_world_def *def)
{
    def->species[0].radius = 0.1f;
    def->species[0].rest_density = 11.0f;
    def->sph.smoothing_radius = 0.6f; /* twice the default, so that steps of 1/60 s are stable */
    def->sph.stiffness = 0.8f;
    def->sph.near_stiffness = 1.0f;
    def->sph.timestep_max = 0.017f;
    def->sph.stores_neighbours = false;
}

/* And to that of ports/basin: incompressible. */
static inline void dam_stiffen(tp_world_def *def)
{
    tp_sph_incompressible(def, 0.22f);
    def->sph.timestep_max = 0.017f; /* s: a step of 1/60 s is well below tp_sph_timestep_limit */
    def->sph.neighbours_max = 24;   /* a lattice has 20; no particle of the dam has more than 24 */
}

/* Definitions are large for the stack of such a device: noinline keeps only one on the stack at a
   time. */
__attribute__((noinline)) static tp_result dam_fill(tp_world *world)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tp_emitter_def dam = tp_emitter_default();
    tp_field field;
    tp_collider collider;
    tp_emitter emitter;
    tank.pose.position = (tp_vector){0.5f * DAM_WIDTH, 0.5f * DAM_HEIGHT, 0.0f};
    tank.half = (tp_vector){0.5f * DAM_WIDTH, 0.5f * DAM_HEIGHT, 1.0f};
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

#endif
