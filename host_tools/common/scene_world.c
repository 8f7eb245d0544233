/* SPDX-License-Identifier: MIT
   host_tools/common/scene_world.c - creates a world from a scene; errors of the runtime are
           reported with their line.
   reads   a scene      writes  the caller's block
   memory  the block      cost    O(particles_max + geometry)
   after   own design */
#include "scene_private.h"
#include <stdio.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int world_refused(const scene *source, const char *sentence)
{
    if (starts_with(sentence, "sph.") && source->sph_mark.line)
        return scene_refused(source, SCENE_SPH, &source->sph_mark, sentence);
    if (starts_with(sentence, "heat.") && source->heat_mark.line)
        return scene_refused(source, SCENE_HEAT, &source->heat_mark, sentence);
    if (starts_with(sentence, "pair.") && source->pair_mark.line)
        return scene_refused(source, SCENE_PAIR, &source->pair_mark, sentence);
    if (starts_with(sentence, "substeps.") && source->substeps_mark.line)
        return scene_refused(source, SCENE_SUBSTEPS, &source->substeps_mark, sentence);
    if (starts_with(sentence, "species.") && source->species[0].mark.line)
        return scene_refused(source, SCENE_SPECIES, &source->species[0].mark, sentence);
    return scene_refused(source, SCENE_WORLD, &source->world_mark, sentence);
}

int scene_memory(const scene *source, size_t *bytes)
{
    char text[200];
    const char *sentence = tp_world_check(&source->world);
    *bytes = 0;
    if (sentence && starts_with(sentence, "sph.timestep_max must be at most the limit")) {
        snprintf(text, sizeof text,
                 "sph.timestep_max must be at most %.3g ms, the limit of this fluid: lower it or "
                 "the stiffnesses, or raise substeps.count",
                 1e3 * (double)tp_sph_timestep_limit(&source->world));
        sentence = text;
    }
    if (sentence) return world_refused(source, sentence);
    tp_result result = tp_world_memory(&source->world, bytes);
    if (result < TP_OK) return scene_problem(source, 0, NULL, "%s", tp_result_text(result));
    return HOST_DONE;
}

/* The call failed although its check passed: a pool or the memory is full. */
static int add_failed(const scene *source, const scene_mark *mark, tp_result result)
{
    return scene_problem(source, mark->line, NULL, "'%s': %s", mark->name, tp_result_text(result));
}

static int add_emitters(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->emitter_count; i++) {
        scene_emitter *emitter = &source->emitters[i];
        const char *sentence = tp_emitter_check(world, &emitter->def);
        if (sentence) return scene_refused(source, SCENE_EMITTER, &emitter->mark, sentence);
        tp_result result = tp_emitter_add(world, &emitter->def, &emitter->handle);
        if (result < TP_OK) return add_failed(source, &emitter->mark, result);
    }
    return HOST_DONE;
}

static int add_sinks(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->sink_count; i++) {
        scene_sink *sink = &source->sinks[i];
        const char *sentence = tp_sink_check(world, &sink->def);
        if (sentence) return scene_refused(source, SCENE_SINK, &sink->mark, sentence);
        tp_result result = tp_sink_add(world, &sink->def, &sink->handle);
        if (result < TP_OK) return add_failed(source, &sink->mark, result);
    }
    return HOST_DONE;
}

static int add_fields(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->field_count; i++) {
        scene_field *field = &source->fields[i];
        const char *sentence = tp_field_check(world, &field->def);
        if (sentence) return scene_refused(source, SCENE_FIELD, &field->mark, sentence);
        tp_result result = tp_field_add(world, &field->def, &field->handle);
        if (result < TP_OK) return add_failed(source, &field->mark, result);
    }
    return HOST_DONE;
}

/* Moving colliders start at the first pose of their motion. */
static int add_colliders(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->collider_count; i++) {
        scene_collider *collider = &source->colliders[i];
        tp_collider_def def = collider->def;
        def.pose = scene_collider_pose(source, i, 0);
        const char *sentence = tp_collider_check(world, &def);
        if (sentence) return scene_refused(source, SCENE_COLLIDER, &collider->mark, sentence);
        tp_result result = tp_collider_add(world, &def, &collider->handle);
        if (result < TP_OK) return add_failed(source, &collider->mark, result);
        int code = scene_float_add(source, world, i);
        if (code) return code;
    }
    return HOST_DONE;
}

int scene_create_world(scene *source, void *block, size_t bytes, tp_world **world)
{
    size_t wanted;
    int code = scene_memory(source, &wanted);
    if (code) return code;
    tp_result result = tp_world_create(&source->world, block, bytes, world);
    if (result == TP_ERROR_MEMORY) {
        host_error(HOST_OUT_OF_MEMORY, source->path, HOST_NO_OFFSET,
                   "needs %zu bytes, but %zu are given", wanted, bytes);
        return HOST_OUT_OF_MEMORY;
    }
    if (result < TP_OK) return scene_problem(source, 0, NULL, "%s", tp_result_text(result));
    code = scene_add_sheets(source, *world);
    if (!code) code = add_emitters(source, *world);
    if (!code) code = scene_add_bodies(source, *world);
    if (!code) code = scene_add_rings(source, *world);
    if (!code) code = add_sinks(source, *world);
    if (!code) code = add_fields(source, *world);
    if (!code) code = add_colliders(source, *world);
    if (!code) code = scene_add_ties(source, *world);
    if (!code) code = scene_start_world(source, *world);
    return code;
}
