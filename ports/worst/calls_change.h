/* SPDX-License-Identifier: MIT
   ports/worst/calls_change.h - the calls that change settings, edit particles by id and look
           between frames, with full pools and during steps.
   reads   nothing      writes  calls_world_block
   memory  some arrays of CALLS_MOST items      cost    some million instructions per room
   after   own design; part of calls.c */
#ifndef TIDEPOOL_WORST_CALLS_CHANGE_H
#define TIDEPOOL_WORST_CALLS_CHANGE_H

/* Every item of the pools; the change of one waits for the end of the frame. */
static void calls_change_items(calls_room *room)
{
    for (uint32_t i = 0; i < room->n; i++) {
        tp_emitter_def emitter = calls_emitter_def(room, i);
        tp_collider_def collider = calls_collider_def(room, i);
        calls_part_of_a_frame(room);
        CALLS_CHECK(room, tp_emitter_set_check, room->world, calls_items.emitters[i], &emitter);
        CALLS_MAKE(room, tp_emitter_set, room->world, calls_items.emitters[i], &emitter);
        CALLS_MAKE(room, tp_emitter_rate, room->world, calls_items.emitters[i], 1, 2);
        CALLS_CHECK(room, tp_collider_set_check, room->world, calls_items.colliders[i], &collider);
        CALLS_MAKE(room, tp_collider_set, room->world, calls_items.colliders[i], &collider);
    }
    for (uint32_t i = 0; i < calls_few(room); i++) {
        tp_sink_def sink = calls_sink_def(room, i);
        CALLS_CHECK(room, tp_sink_set_check, room->world, calls_items.sinks[i], &sink);
        CALLS_MAKE(room, tp_sink_set, room->world, calls_items.sinks[i], &sink);
        CALLS_MAKE(room, tp_sink_rate, room->world, calls_items.sinks[i], TP_SINK_AT_ONCE);
    }
    calls_part_of_a_frame(room);
}

static void calls_change_world(calls_room *room)
{
    tp_world_def def = *tp_world_definition(room->world);
    def.speed_max = 100.0f;
    for (uint32_t s = 0; s < def.species_count; s++) def.species[s].rest_density *= 0.95f;
    CALLS_CHECK(room, tp_world_change_check, room->world, &def);
    CALLS_MAKE(room, tp_world_change, room->world, &def);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_world_change, room->world, &def);
}

static void calls_draw_line(void *context, tp_draw_kind kind, tp_vector from, tp_vector to)
{
    (void)context, (void)kind, (void)from, (void)to;
}
static void calls_draw_sphere(void *context, tp_draw_kind kind, tp_vector center, float radius)
{
    (void)context, (void)kind, (void)center, (void)radius;
}
static void calls_draw_text(void *context, tp_draw_kind kind, const char *text)
{
    (void)context, (void)kind, (void)text;
}

static void calls_look_between(calls_room *room)
{
    static float x[CALLS_MOST], y[CALLS_MOST], z[CALLS_MOST];
    static uint32_t words[CALLS_MOST], scratch[2u * CALLS_MOST];
    tp_view view = tp_world_view(room->world);
    tp_vector direction = {0.3f, -0.5f, 1.0f};
    tp_curve curve = {TP_CURVE_MAX, {0}, {0}};
    for (uint32_t k = 0; k < TP_CURVE_MAX; k++) {
        curve.age[k] = (float)k * 0.01f;
        curve.value[k] = (float)k;
    }
    CALLS_MAKE(room, tp_world_between, room->world, 0.4f, 0, view.count, x, y, z);
    for (uint32_t i = 0; i < room->n; i++) {
        tp_pose pose;
        CALLS_MAKE(room, tp_collider_between, room->world, calls_items.colliders[i], 0.4f, &pose);
    }
    CALLS_MAKE(room, tp_view_sort_depth, &view, direction, words, scratch);
    CALLS_MAKE(room, tp_world_lives, room->world, 0, view.count, words, x);
    CALLS_CHECK(room, tp_curve_check, &curve);
    tp_draw draw = {
        NULL, calls_draw_line, calls_draw_sphere, calls_draw_text, true, true, true, true, true,
        true};
    CALLS_MAKE(room, tp_world_draw, room->world, &draw);
    CALLS_MAKE(room, tp_world_curve, room->world, &curve, 1, 0, view.count, x);
}

/* Names all particles, and removes the first half of them one by one. */
static void calls_ids(calls_room *room)
{
    static uint32_t ids[CALLS_MOST], words[CALLS_MOST];
    uint32_t index, count = calls_least(tp_world_view(room->world).count, CALLS_MOST), first;
    for (uint32_t i = 0, at = 0; i < count; at++) {
        words[i] = 0;
        if (tp_particle_find(room->world, at, &index) == TP_OK) ids[i++] = at;
    }
    first = ids[0];
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_particles_find, room->world, ids, count, words, NULL);
    CALLS_MAKE(room, tp_particle_find, room->world, first, &index);
    for (uint32_t i = 0; i < count; i++) words[i] = 0;
    CALLS_MAKE(room, tp_particles_word, room->world, ids, words, count, NULL);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_particles_species, room->world, ids, words, count, NULL);
    const tp_group all = {0, 0}, none = {1, 1};
    const tp_vector still = {0, 0, 0};
    const tp_pose stay = {{0, 0, 0}, {1, 0, 0, 0}};
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_group_impulse, room->world, all, still, NULL);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_group_move, room->world, all, still, stay, NULL);
    CALLS_MAKE(room, tp_group_remove, room->world, none, NULL);
    tp_group_report measure;
    CALLS_MAKE(room, tp_group_measure, room->world, all, &measure);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_particle_remove, room->world, first);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_particles_remove, room->world, ids + count / 2u, count - count / 2u, NULL);
}

#endif
