/* SPDX-License-Identifier: MIT
   tests/golden/scenes_event.h - golden scenes of events: their hash is a part of the world's.
   reads   nothing      writes  a world, a cache
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_EVENT_H
#define TIDEPOOL_GOLDEN_SCENES_EVENT_H

/* ---- births, deaths, contacts and springs, more than a step may have; recorded, restored ---- */

static void golden_events_2d(tp_world_def *def)
{
    golden_springs_2d(def);
    def->sph.spring_plasticity = 50;
    def->events_max = 5;
    def->event_kinds = TP_EVENTS_ALL;
    def->event_speed = 0.2f;
}

static void golden_events_2d_sliced(tp_world_def *def)
{
    golden_events_2d(def);
    golden_slice(def);
}

static void golden_add_lava(golden_stage *stage)
{
    tp_collider_def lava = tp_collider_default(TP_COLLIDER_SPHERE);
    lava.pose.position = golden_vector(-0.6f, -0.7f, 0.0f);
    lava.radius = 0.1f;
    lava.kills = true;
    golden_add_collider(stage, &lava);
}

static void golden_fill_events_2d(golden_stage *stage)
{
    golden_fill_rewind_2d(stage);
    golden_add_lava(stage);
}

static void golden_fill_events_recorded_2d(golden_stage *stage)
{
    golden_fill_springs_recorded_2d(stage);
    golden_add_lava(stage);
}

#endif
