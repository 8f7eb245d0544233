/* SPDX-License-Identifier: MIT
   tests/calls/light.c - random calls of lights, shadows, patches and spherical
           harmonics.
   reads   the sequence's worlds and random state      writes  its shadow, the hash of all results
   memory  a room that ends at a guard page      cost    microseconds per call
   after   own design; a shadow is resumed with the lights that it began with */
#include "calls.h"
#include <string.h>

static tp_light light_of(calls_sequence *s)
{
    tp_light light = {calls_vector(s, 2.0f, 60), 0.1f, {3, 2, 1}, 2.0f, TP_LIGHT_RATIONAL};
    light.window = (tp_light_window)calls_below(s, calls_one_in(s, 20) ? 6u : 4u);
    calls_change(s, &light, sizeof light, 20);
    return light;
}

/* A shadow of a new grid, and new lights. */
static void begin_shadow(calls_sequence *s, calls_light *l)
{
    tp_shadow *shadow = &l->shadow;
    *shadow = (tp_shadow){.low = calls_vector(s, 2.0f, 30), .spacing = 0.2f, .lights_max = 3};
    shadow->columns = 1u + calls_below(s, 6);
    shadow->rows = 1u + calls_below(s, 6);
    shadow->layers = calls_one_in(s, 2) ? 1u : 1u + calls_below(s, 6);
    shadow->extinction = calls_below(s, 4) ? 0.5f : calls_float(s, 4);
    shadow->species_mask = calls_below(s, 4) ? ~0u : calls_hostile_word(s);
    if (calls_one_in(s, 10)) shadow->spacing = calls_hostile_float(s);
    size_t nodes = (size_t)shadow->columns * shadow->rows * shadow->layers;
    shadow->mass = (uint32_t *)(void *)calls_take(&l->room, nodes * 16u);
    shadow->through = (float *)(void *)(shadow->mass + nodes);
    if (calls_one_in(s, 20)) shadow->columns = calls_one_in(s, 2) ? 0u : 1025u;
    for (uint32_t k = 0; k < 3; k++) l->lights[k] = light_of(s);
    l->count = calls_below(s, calls_one_in(s, 20) ? 5u : 4u);
    l->is_begun = true;
}

/* A count beyond lights_max is refused before a light is read. */
static void shadow(calls_sequence *s, calls_light *l, const calls_world *w)
{
    if (!l->is_begun || calls_one_in(s, 6)) begin_shadow(s, l);
    uint32_t units = calls_one_in(s, 3) ? 0u : 1u + calls_below(s, 2000);
    tp_result result = tp_shadow_update(&l->shadow, w->world, l->lights, l->count, units);
    (void)calls_note(s, "shadow_update", result);
    calls_promise(s, result < TP_OK || l->shadow.is_ready == (result == TP_OK),
                  "a shadow is ready when it is done");
    calls_promise(s, units > 0 || result != TP_MORE, "a shadow without a limit is ready at once");
    if (result < TP_OK) l->is_begun = false;
    calls_fold_word(s, l->shadow.units);
}

static tp_lighting lighting_of(calls_sequence *s, const calls_light *l, const tp_sh *ambient)
{
    tp_lighting lighting = {l->lights, l->is_begun ? l->count : 0u, NULL, NULL};
    if (lighting.light_count > 3u) lighting.light_count = 3;
    if (calls_one_in(s, 2)) lighting.ambient = ambient;
    if (l->is_begun && calls_one_in(s, 2)) lighting.shadow = &l->shadow;
    if (calls_one_in(s, 30)) lighting.light_count = TP_LIGHTS_MAX + 1u;
    return lighting;
}

static void points(calls_sequence *s, const calls_light *l, const tp_sh *ambient)
{
    tp_lighting lighting = lighting_of(s, l, ambient);
    tp_vector at[5], colors[5], normals[5];
    uint32_t done = 0, units = calls_one_in(s, 2) ? 0u : 1u + calls_below(s, 12), calls = 0;
    bool has_normals = calls_one_in(s, 2);
    for (uint32_t k = 0; k < 5; k++) {
        at[k] = calls_vector(s, 2.0f, 60);
        normals[k] = (tp_vector){0, calls_one_in(s, 40) ? calls_hostile_float(s) : 1.0f, 0};
    }
    tp_result result = TP_MORE;
    for (; result == TP_MORE && calls < 6; calls++)
        result = tp_light_points(&lighting, at, has_normals ? normals : NULL, 5, units,
                                 units ? &done : NULL, colors);
    (void)calls_note(s, "light_points", result);
    calls_promise(s, result != TP_MORE, "light at five points takes at most five calls");
    if (result == TP_OK) calls_fold(s, colors, sizeof colors);
}

static void particles(calls_sequence *s, const calls_light *l, const calls_world *w,
                      const tp_sh *ambient)
{
    static tp_vector colors[CALLS_PARTICLES];
    tp_lighting lighting = lighting_of(s, l, ambient);
    uint32_t capacity = calls_one_in(s, 6) ? calls_below(s, CALLS_PARTICLES) : CALLS_PARTICLES;
    uint32_t count = tp_world_view(w->world).count, done = 0;
    tp_result result = tp_light_particles(w->world, &lighting, calls_one_in(s, 2) ? 0u : 100u,
                                          &done, colors, capacity);
    (void)calls_note(s, "light_particles", result);
    calls_promise(s, result < TP_OK || count <= capacity, "colors have room for all particles");
    calls_promise(s, result != TP_OK || done == count, "light comes to every particle");
    if (result >= TP_OK) calls_fold(s, colors, done * sizeof colors[0]);
}

/* Calls that have no errors: with numbers of the scale of a scene. */
static void harmonics(calls_sequence *s, const calls_light *l, tp_sh *sh)
{
    const tp_quaternion turn = {0.6f, 0, 0.8f, 0};
    tp_vector up = {0, calls_one_in(s, 2) ? 1.0f : -1.0f, 0}, side = {0.6f, 0, 0.8f}, colors[2];
    tp_sh_add(sh, side, calls_vector(s, 1.0f, 0));
    tp_sh_add_sky(sh, up, calls_vector(s, 1.0f, 0), calls_vector(s, 1.0f, 0));
    tp_sh before = *sh;
    tp_result result = tp_sh_add_lights(sh, calls_vector(s, 2.0f, 20), l->lights, 3);
    if (calls_note(s, "sh_add_lights", result) < TP_OK) *sh = before;
    tp_sh_rotate(sh, turn);
    if (calls_one_in(s, 2)) tp_sh_flip(sh);
    colors[0] = tp_sh_radiance(sh, up);
    colors[1] = tp_sh_irradiance(sh, side);
    calls_fold(s, colors, sizeof colors);
}

static void law(calls_sequence *s)
{
    tp_light light = light_of(s);
    const char *problem = tp_light_check(&light);
    tp_lighting lighting = {&light, 1, NULL, NULL};
    tp_vector at = {0, 0, 0}, color;
    float reach = tp_light_reach(calls_float(s, 4), calls_float(s, 4), calls_float(s, 4));
    float falloff = tp_light_falloff(&light, 4.0f * calls_float(s, 0));
    tp_result result = tp_light_points(&lighting, &at, NULL, 1, 0, NULL, &color);
    calls_promise(s, (problem == NULL) == (result == TP_OK),
                  "tp_light_check and tp_light_points agree");
    calls_promise(s, reach >= 0.0f && reach <= 1e9f, "a reach is a distance");
    calls_promise(s, falloff >= 0.0f && falloff <= 1.0f, "a falloff is a share");
    calls_fold(s, &reach, sizeof reach);
    calls_fold(s, &falloff, sizeof falloff);
}

static uint32_t word_of(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* Two patches that face one another, their cluster and a probe between them. Returns its words.
   The file of a little-endian machine; of another one it is refused. */
static uint32_t write_patches(uint32_t *file)
{
    static const float nodes[12] = {0, 0, 0, 1, 0, 1, 0, 2, 0, 0.6f, 0, 3};
    static const float leaves[18] = {0, 1,  0, .5f, .5f, .5f, 0, 1, 0,
                                     0, -1, 0, .5f, .1f, .1f, 0, 0, 0};
    static const uint32_t links[3] = {1u | 600u << 16, 0u | 900u << 16, 2u | 700u << 16};
    uint32_t at = 16, sum = 2166136261u;
    memset(file, 0, 64);
    for (uint32_t k = 0; k < 12; k++) file[at++] = word_of(nodes[k]);
    for (uint32_t k = 0; k < 18; k++) file[at++] = word_of(leaves[k]);
    file[at++] = 0u | 1u << 16;
    for (uint32_t k = 0; k < 3; k++) {
        file[at++] = k + 1u;
        file[at++] = word_of(1e-3f);
    }
    for (uint32_t k = 0; k < 3; k++) file[at++] = links[k];
    const uint32_t head[7] = {0x014c5054u, at * 4u, 0, 2, 3, 1, 3};
    memcpy(file, head, sizeof head);
    file[10] = word_of(1.0f);
    file[11] = file[12] = file[13] = 1;
    for (uint32_t k = 3; k < at; k++) sum = (sum ^ file[k]) * 16777619u;
    file[2] = sum;
    return at;
}

static void open_patches(calls_sequence *s, calls_light *l)
{
    uint32_t words = write_patches(l->patch_file), byte = 0;
    if (calls_one_in(s, 4)) l->patch_file[calls_below(s, words)] ^= calls_hostile_word(s);
    if (calls_one_in(s, 10)) words = calls_below(s, words);
    const char *fault = tp_patches_check(l->patch_file, words * 4u, &byte);
    tp_result result = tp_patches_open(&l->patches, l->patch_file, words * 4u, l->patch_memory,
                                       calls_one_in(s, 10) ? calls_below(s, 24) : 24u);
    (void)calls_note(s, "patches_open", result);
    calls_promise(s, (fault != NULL) == (result == TP_ERROR_DEFINITION),
                  "tp_patches_check and tp_patches_open agree");
    calls_promise(s, byte <= words * 4u, "a fault is within the file");
    l->has_patches = result == TP_OK;
}

static void patches(calls_sequence *s, calls_light *l)
{
    tp_sh sh;
    if (!l->has_patches || calls_one_in(s, 8)) open_patches(s, l);
    if (!l->has_patches) return;
    tp_lighting lighting = lighting_of(s, l, NULL);
    if (calls_one_in(s, 8)) l->patches.albedo[0].x = calls_hostile_float(s);
    if (calls_one_in(s, 8)) l->patches.direct[1].y = calls_hostile_float(s);
    l->patches.is_endless = calls_one_in(s, 2);
    tp_result result = tp_patches_update(&l->patches, calls_one_in(s, 3) ? NULL : &lighting,
                                         calls_below(s, 4), calls_below(s, 20));
    (void)calls_note(s, "patches_update", result);
    result = calls_note(s, "patches_sh", tp_patches_sh(&l->patches, calls_vector(s, 2, 30), &sh));
    if (result == TP_OK) calls_fold(s, &sh, sizeof sh);
    calls_fold(s, l->patches.bounced, 2 * sizeof *l->patches.bounced);
    calls_promise(s, l->patches.bounced[0].x >= 0.0f, "light is not below 0");
}

void calls_on_light(calls_sequence *s)
{
    calls_light *l = &s->light;
    const calls_world *w = &s->worlds[calls_below(s, CALLS_WORLDS)];
    tp_sh ambient = {{{0, 0, 0}}};
    if (calls_one_in(s, 2)) harmonics(s, l, &ambient);
    switch (calls_below(s, 6)) {
    case 0: points(s, l, &ambient); break;
    case 1: particles(s, l, w, &ambient); break;
    case 2: law(s); break;
    case 3: patches(s, l); break;
    default: shadow(s, l, w);
    }
}
