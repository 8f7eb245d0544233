/* SPDX-License-Identifier: MIT
   runtime/step/path.c - the path of one particle, a survivor or a birth, through the colliders.
   reads   the step's record, colliders      writes  the path in the step's record
   memory  a path in the block               cost    one unit per collider tested
   after   own design */
#include "stages.h"
#include "../move/collide.h"

void tpi_step_path_begin(tp_world *world, tp_vector from, tp_vector to, tp_vector velocity,
                         uint32_t species, float fraction)
{
    tpi_step *step = &world->step;
    tpi_path *path = &step->path;
    float ticks = (float)TP_TICKS_PER_FRAME, begin = (float)world->clock.tick / ticks;
    path->step_end = (float)(world->clock.tick + step->ticks) / ticks;
    path->whole_begin = begin;
    path->step_begin = begin + (path->step_end - begin) * fraction;
    path->timestep = step->timestep * (1.0f - fraction);
    path->whole_timestep = step->timestep;
    tpi_path_begin(world, path, from, to, velocity, world->def.species[species].radius, species);
    step->path_begun = true;
}

uint32_t tpi_step_path_advance(tp_world *world, uint32_t units, uint32_t used, bool *done)
{
    *done = tpi_colliders_used(world) == 0;
    if (*done || used >= units) return 0;
    return tpi_path_advance(world, &world->step.path, units - used, done);
}
