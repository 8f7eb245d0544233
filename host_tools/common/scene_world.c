/* SPDX-License-Identifier: MIT
   host_tools/common/scene_world.c - a world from a scene; what the runtime refuses is told with its line.
   reads   a scene      writes  the caller's block
   memory  the block      cost    O(particles_max + geometry)
   after   own design */
#include "scene_private.h"
#include <string.h>

/* Fields of the runtime that a scene writes in other units or under several names. */
static const struct {
    const char *there, *here;
} other_names[] = {{"rate_numerator", "rate"}, {"lifetime_ticks", "lifetime"}, {"age_ticks", "age"},
                   {"pose", "position"},       {"vector", "acceleration"},     {"vector", "velocity"},
                   {"vector", "axis"},         {"is_inverted", "inverted"},    {"sample_count", "heights"},
                   {"samples", "distance"}};

/* Row of the field that the runtime's word stands for, one that was given if there is; key_count for none. */
static size_t key_of(const scene_section *section, const scene_place *place, const char *word, size_t length)
{
    size_t best = scene_find_key(section, word, length);
    if (best < section->key_count && place->lines[best]) return best;
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++) {
        const char *there = other_names[i].there, *here = other_names[i].here;
        if (strlen(there) != length || strncmp(there, word, length) != 0) continue;
        size_t k = scene_find_key(section, here, strlen(here));
        if (k < section->key_count && place->lines[k]) return k;
        if (best == section->key_count) best = k;
    }
    return best;
}

/* A sentence of a tp_*_check begins with the field's name there. Tells it with the line of the field here. */
static int refused(const scene *source, scene_section_kind kind, const scene_place *place,
                   const char *sentence)
{
    size_t length = strcspn(sentence, " ");
    const scene_section *section = &scene_sections[kind];
    size_t k = key_of(section, place, sentence, length);
    if (k == section->key_count) return scene_problem(source, place->line, NULL, "%s", sentence);
    uint32_t line = place->lines[k] ? place->lines[k] : place->line;
    while (sentence[length] == ' ') length++;
    return scene_problem(source, line, section->keys[k].name, "%s", sentence + length);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int world_refused(const scene *source, const char *sentence)
{
    if (starts_with(sentence, "sph.") && source->sph_place.line)
        return refused(source, SCENE_SPH, &source->sph_place, sentence);
    if (starts_with(sentence, "pair.") && source->pair_place.line)
        return refused(source, SCENE_PAIR, &source->pair_place, sentence);
    if (starts_with(sentence, "substeps.") && source->substeps_place.line)
        return refused(source, SCENE_SUBSTEPS, &source->substeps_place, sentence);
    if (starts_with(sentence, "species.") && source->species[0].place.line)
        return refused(source, SCENE_SPECIES, &source->species[0].place, sentence);
    return refused(source, SCENE_WORLD, &source->world_place, sentence);
}

int scene_memory(const scene *source, size_t *bytes)
{
    const char *sentence = tp_world_check(&source->world);
    *bytes = 0;
    if (sentence) return world_refused(source, sentence);
    tp_result result = tp_world_memory(&source->world, bytes);
    if (result < TP_OK) return scene_problem(source, 0, NULL, "%s", tp_result_text(result));
    return HOST_DONE;
}

/* The call failed although its check did not say why: a pool is full, or memory. */
static int add_failed(const scene *source, const scene_place *place, tp_result result)
{
    return scene_problem(source, place->line, NULL, "'%s': %s", place->name, tp_result_text(result));
}

static int add_emitters(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->emitter_count; i++) {
        scene_emitter *emitter = &source->emitters[i];
        const char *sentence = tp_emitter_check(world, &emitter->def);
        if (sentence) return refused(source, SCENE_EMITTER, &emitter->place, sentence);
        tp_result result = tp_emitter_add(world, &emitter->def, &emitter->handle);
        if (result < TP_OK) return add_failed(source, &emitter->place, result);
    }
    return HOST_DONE;
}

static int add_sinks(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->sink_count; i++) {
        scene_sink *sink = &source->sinks[i];
        const char *sentence = tp_sink_check(world, &sink->def);
        if (sentence) return refused(source, SCENE_SINK, &sink->place, sentence);
        tp_result result = tp_sink_add(world, &sink->def, &sink->handle);
        if (result < TP_OK) return add_failed(source, &sink->place, result);
    }
    return HOST_DONE;
}

static int add_fields(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->field_count; i++) {
        scene_field *field = &source->fields[i];
        const char *sentence = tp_field_check(world, &field->def);
        if (sentence) return refused(source, SCENE_FIELD, &field->place, sentence);
        tp_result result = tp_field_add(world, &field->def, &field->handle);
        if (result < TP_OK) return add_failed(source, &field->place, result);
    }
    return HOST_DONE;
}

/* What moves begins where its motion does. */
static int add_colliders(scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->collider_count; i++) {
        scene_collider *collider = &source->colliders[i];
        tp_collider_def def = collider->def;
        def.pose = scene_collider_pose(source, i, 0);
        const char *sentence = tp_collider_check(world, &def);
        if (sentence) return refused(source, SCENE_COLLIDER, &collider->place, sentence);
        tp_result result = tp_collider_add(world, &def, &collider->handle);
        if (result < TP_OK) return add_failed(source, &collider->place, result);
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
        host_error(HOST_NO_ROOM, source->path, HOST_NO_OFFSET, "needs %zu bytes, but %zu are given", wanted,
                   bytes);
        return HOST_NO_ROOM;
    }
    if (result < TP_OK) return scene_problem(source, 0, NULL, "%s", tp_result_text(result));
    code = add_emitters(source, *world);
    if (!code) code = scene_add_bodies(source, *world);
    if (!code) code = add_sinks(source, *world);
    if (!code) code = add_fields(source, *world);
    if (!code) code = add_colliders(source, *world);
    return code;
}
