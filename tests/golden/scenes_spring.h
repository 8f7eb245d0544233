/* SPDX-License-Identifier: MIT
   tests/golden/scenes_spring.h - golden scenes of viscoelastic fluids.
   reads   nothing      writes  a world, a cache
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_SPRING_H
#define TIDEPOOL_GOLDEN_SCENES_SPRING_H

/* ---- two species, births and deaths, more neighbours than springs; recorded and restored ---- */

static void golden_springs_2d(tp_world_def *def)
{
    golden_rewind_2d(def);
    def->sph.springs_max = 2;
    def->sph.spring_stiffness = 600;
}

static void golden_springs_2d_sliced(tp_world_def *def)
{
    golden_springs_2d(def);
    golden_slice(def);
}

static void golden_fill_springs_recorded_2d(golden_stage *stage)
{
    golden_fill_rewind_2d(stage);
    golden_record_from(stage, 4, 16384);
}

/* ---- a body that keeps its shape ---- */

static void golden_springs_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->sph.springs_max = 10;
    def->sph.springs_at_rest = true;
    def->sph.spring_frames = 3;
    def->sph.spring_plasticity = 0;
}

static void golden_springs_3d_compact(tp_world_def *def)
{
    golden_springs_3d(def);
    def->sph.stores_neighbours = false;
}

#endif
