/* SPDX-License-Identifier: MIT
   tests/calls/changes.c - calls that change settings, edit particles by id, and look at them.
   reads   the sequence      writes  its worlds
   memory  some arrays      cost    that of the calls
   after   own design */
#include "calls.h"

static uint32_t any_handle(calls_sequence *s, const uint32_t handles[CALLS_HANDLES])
{
    if (calls_one_in(s, 10)) return calls_hostile_word(s);
    return handles[calls_below(s, CALLS_HANDLES)];
}

static void tame_world(tp_world_def *def)
{
    bool *const bools[] = {
        &def->keeps_births,          &def->measures_loads,      &def->takes_changes,
        &def->keeps_words,           &def->keeps_last_frame,    &def->substeps.is_adaptive,
        &def->substeps.compat,       &def->sph.compat,          &def->sph.allows_tension,
        &def->sph.stores_neighbours, &def->sph.springs_at_rest, &def->pair.stores_neighbours,
        &def->keeps_curves};
    for (size_t k = 0; k < sizeof bools / sizeof bools[0]; k++) calls_tame(bools[k]);
    for (uint32_t k = 0; k < TP_SPECIES_MAX; k++) calls_tame(&def->species[k].is_tracer);
}

static void change_world(calls_sequence *s, calls_world *w)
{
    const tp_world_def *now = tp_world_definition(w->world);
    if (!now) return;
    tp_world_def def = *now;
    calls_world_change(s, &def);
    tame_world(&def);
    const char *problem = tp_world_change_check(w->world, &def);
    tp_result result = calls_note(s, "world_change", tp_world_change(w->world, &def));
    calls_agree(s, problem, result, "tp_world_change_check and tp_world_change agree");
}

static void change_item(calls_sequence *s, calls_world *w)
{
    tp_emitter emitter = {any_handle(s, w->handles[0])};
    tp_sink sink = {any_handle(s, w->handles[1])};
    tp_collider collider = {any_handle(s, w->handles[3])};
    tp_emitter_def emitter_def;
    tp_sink_def sink_def;
    tp_collider_def collider_def;
    const char *problem;
    tp_result result;
    switch (calls_below(s, 4)) {
    case 0:
        calls_emitter_definition(s, &emitter_def);
        problem = tp_emitter_set_check(w->world, emitter, &emitter_def);
        result = tp_emitter_set(w->world, emitter, &emitter_def);
        (void)calls_note(s, "emitter_set", result);
        break;
    case 1:
        calls_sink_definition(s, &sink_def);
        problem = tp_sink_set_check(w->world, sink, &sink_def);
        result = calls_note(s, "sink_set", tp_sink_set(w->world, sink, &sink_def));
        break;
    case 2:
        (void)calls_note(
            s, "emitter_rate",
            tp_emitter_rate(w->world, emitter, calls_below(s, 2000), calls_below(s, 8)));
        (void)calls_note(s, "sink_rate", tp_sink_rate(w->world, sink, calls_float(s, 20)));
        return;
    default:
        calls_collider_definition(s, &collider_def);
        problem = tp_collider_set_check(w->world, collider, &collider_def);
        result = tp_collider_set(w->world, collider, &collider_def);
        (void)calls_note(s, "collider_set", result);
    }
    if (result != TP_ERROR_HANDLE)
        calls_agree(s, problem, result, "the checks of changes and their calls agree");
}

void calls_on_changes(calls_sequence *s, calls_world *w)
{
    if (calls_one_in(s, 3))
        change_world(s, w);
    else
        change_item(s, w);
}

/* Ids of the world and others, mostly ascending. */
static uint32_t some_ids(calls_sequence *s, uint32_t ids[CALLS_FOUND])
{
    uint32_t count = calls_below(s, CALLS_FOUND), id = calls_below(s, 40);
    for (uint32_t k = 0; k < count; k++) {
        ids[k] = id;
        id += 1u + calls_below(s, 6);
    }
    if (count > 1 && calls_one_in(s, 10)) ids[calls_below(s, count)] = calls_hostile_word(s);
    return count;
}

void calls_on_ids(calls_sequence *s, calls_world *w)
{
    uint32_t ids[CALLS_FOUND], values[CALLS_FOUND], missing = 0, index = 0;
    uint32_t count = some_ids(s, ids), before = tp_world_view(w->world).count;
    tp_result result;
    for (uint32_t k = 0; k < count; k++) values[k] = calls_below(s, w->def.species_count);
    if (count > 0 && calls_one_in(s, 10)) values[0] = calls_hostile_word(s);
    const tp_group group = {calls_below(s, 4), calls_below(s, 4)};
    tp_group_report measure;
    if (calls_note(s, "group_measure", tp_group_measure(w->world, group, &measure)) == TP_OK)
        calls_fold_word(s, measure.count);
    switch (calls_below(s, 9)) {
    case 6:
        result = tp_group_impulse(w->world, group, calls_vector(s, 2.0f, 40), &missing);
        (void)calls_note(s, "group_impulse", result);
        break;
    case 7:
        result =
            tp_group_move(w->world, group, calls_vector(s, 2.0f, 40), calls_pose(s, 40), &missing);
        (void)calls_note(s, "group_move", result);
        break;
    case 8:
        result = tp_group_remove(w->world, group, &missing);
        if (calls_note(s, "group_remove", result) == TP_OK)
            calls_promise(s, tp_world_view(w->world).count == before - missing,
                          "as many particles are removed as a group has");
        break;
    case 0:
        result = tp_particles_find(w->world, ids, count, values, &missing);
        (void)calls_note(s, "particles_find", result);
        calls_fold_word(s, missing);
        break;
    case 1:
        result = tp_particles_remove(w->world, ids, count, &missing);
        if (calls_note(s, "particles_remove", result) == TP_OK)
            calls_promise(s, tp_world_view(w->world).count == before - (count - missing),
                          "as many particles are removed as are found");
        break;
    case 2:
        result = tp_particles_word(w->world, ids, values, count, &missing);
        (void)calls_note(s, "particles_word", result);
        break;
    case 3:
        result = tp_particles_species(w->world, ids, values, count, &missing);
        (void)calls_note(s, "particles_species", result);
        break;
    case 4:
        (void)calls_note(s, "particle_find", tp_particle_find(w->world, ids[0] & 255u, &index));
        break;
    default:
        (void)calls_note(s, "particle_remove", tp_particle_remove(w->world, calls_below(s, 200)));
    }
}

static void fold_floats(calls_sequence *s, const float *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        calls_promise(s, values[k] - values[k] == 0.0f, "what is shown is finite");
    calls_fold(s, values, count * sizeof values[0]);
}

static void draw_line(void *context, tp_draw_kind kind, tp_vector from, tp_vector to)
{
    calls_sequence *s = (calls_sequence *)context;
    calls_promise(s, (uint32_t)kind <= TP_DRAW_CELL, "lines are of items and cells");
    calls_fold(s, &from, sizeof from);
    calls_fold(s, &to, sizeof to);
}

static void draw_sphere(void *context, tp_draw_kind kind, tp_vector center, float radius)
{
    calls_sequence *s = (calls_sequence *)context;
    calls_fold_word(s, (uint32_t)kind);
    calls_fold(s, &center, sizeof center);
    calls_fold(s, &radius, sizeof radius);
}

static void draw_text(void *context, tp_draw_kind kind, const char *text)
{
    calls_sequence *s = (calls_sequence *)context;
    calls_promise(s, kind == TP_DRAW_BUDGET && strlen(text) < 64u, "texts are short");
}

static void draw(calls_sequence *s, const calls_world *w)
{
    tp_draw all = {s, draw_line, draw_sphere, draw_text, true, true, true, true, true, true};
    if (calls_one_in(s, 4)) all.line = NULL;
    all.cells = calls_one_in(s, 2);
    (void)calls_note(s, "world_draw", tp_world_draw(w->world, &all));
}

void calls_look_between(calls_sequence *s, const calls_world *w)
{
    static float x[CALLS_PARTICLES], y[CALLS_PARTICLES], z[CALLS_PARTICLES];
    static uint32_t left[CALLS_PARTICLES], indices[CALLS_PARTICLES], scratch[2u * CALLS_PARTICLES];
    tp_view view = tp_world_view(w->world);
    uint32_t first = calls_below(s, view.count + 1u), count = calls_below(s, view.count + 1u);
    tp_curve curves[2] = {{2, {0.0f, calls_float(s, 20)}, {calls_float(s, 20), 1.0f}},
                          {1, {0.5f}, {2.0f}}};
    calls_fold_word(s, tp_curve_check(&curves[0]) != NULL);
    if (calls_one_in(s, 3)) draw(s, w);
    tp_result result = tp_world_between(w->world, calls_float(s, 4), first, count, x, y, z);
    if (calls_note(s, "world_between", result) == TP_OK) fold_floats(s, x, count);
    tp_pose pose;
    tp_collider collider = {any_handle(s, w->handles[3])};
    result = tp_collider_between(w->world, collider, calls_float(s, 4), &pose);
    if (calls_note(s, "collider_between", result) == TP_OK) calls_fold(s, &pose, sizeof pose);
    result = tp_world_lives(w->world, first, count, left, y);
    if (calls_note(s, "world_lives", result) == TP_OK) fold_floats(s, y, count);
    result = tp_world_curve(w->world, curves, 1u + calls_below(s, 2), first, count, z);
    if (calls_note(s, "world_curve", result) == TP_OK) fold_floats(s, z, count);
    result = tp_view_sort_depth(&view, calls_vector(s, 1.0f, 20), indices, scratch);
    (void)calls_note(s, "view_sort_depth", result);
}
