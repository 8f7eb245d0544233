/* SPDX-License-Identifier: MIT
   tests/golden/scenes_feed.h - golden scenes of emitters that events feed, and fields over age.
   reads   nothing      writes  a world, a cache
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_FEED_H
#define TIDEPOOL_GOLDEN_SCENES_FEED_H

/* ---- fireworks: rockets with trails burst, sparks hit a floor; more than all limits ---- */

static void golden_fireworks_2d(tp_world_def *def)
{
    *def = tp_world_default(2);
    def->particles_max = GOLDEN_SMALL;
    def->emitters_max = 4;
    def->fields_max = 2;
    def->colliders_max = 2;
    def->substeps.count = 3;
    def->species_count = 3;
    def->keeps_curves = true;
    def->feeds_max = 5;
    def->events_max = 3;
    def->event_kinds = TP_EVENTS_ALL;
    def->seed = 31;
}

static void golden_fireworks_2d_sliced(tp_world_def *def)
{
    golden_fireworks_2d(def);
    golden_slice(def);
}

static void golden_add_fed(golden_stage *stage, tp_event_kind kind, uint32_t from, uint32_t species)
{
    tp_emitter_def fed = tp_emitter_default();
    fed.feed_kinds = TP_EVENT_BIT(kind);
    fed.feed_species = 1u << from;
    fed.feed_births = kind == TP_EVENT_DEATH ? 9u : 1u;
    fed.feed_births_max = kind == TP_EVENT_DEATH ? 12u : 2u;
    fed.feed_speed = 1.0f;
    fed.feed_ticks = TP_TICKS_PER_FRAME / 4u;
    fed.species = species;
    fed.velocity_jitter = kind == TP_EVENT_DEATH ? 4.0f : 0.5f;
    fed.inherit = 0.25f;
    fed.lifetime_ticks = 8u * TP_TICKS_PER_FRAME;
    fed.lifetime_jitter = 0.75f;
    golden_add_emitter(stage, &fed);
}

static void golden_fill_fireworks_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    tp_field_def air = tp_field_default(TP_FIELD_DRAG);
    air.linear = 4.0f;
    air.species_mask = 4u;
    air.over_age.count = 2;
    air.over_age.age[1] = 0.75f;
    air.over_age.value[1] = 2.0f;
    golden_add_field(stage, &air);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.restitution = 0.5f;
    floor.event_species = 4u;
    golden_add_collider(stage, &floor);
    tp_emitter_def rocket = tp_emitter_default();
    rocket.shape = TP_EMITTER_SEGMENT;
    rocket.pose.position = golden_vector(0.0f, 0.1f, 0.0f);
    rocket.size = golden_vector(1.0f, 0.0f, 0.0f);
    rocket.rate_numerator = 60;
    rocket.velocity = golden_vector(0.0f, 5.0f, 0.0f);
    rocket.velocity_jitter = 1.0f;
    rocket.lifetime_ticks = 9u * TP_TICKS_PER_FRAME;
    rocket.lifetime_jitter = 0.5f;
    golden_add_emitter(stage, &rocket);
    golden_add_fed(stage, TP_EVENT_DEATH, 0, 2);
    golden_add_fed(stage, TP_EVENT_TRAIL, 0, 1);
    golden_add_fed(stage, TP_EVENT_CONTACT_BEGUN, 2, 1);
}

static void golden_fill_fireworks_recorded_2d(golden_stage *stage)
{
    golden_fill_fireworks_2d(stage);
    golden_record_from(stage, 8, 24576);
}

#endif
