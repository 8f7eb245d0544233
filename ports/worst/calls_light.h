/* SPDX-License-Identifier: MIT
   ports/worst/calls_light.h - the calls of light, with the most lights, at as many points as a room
           has.
   reads   nothing      writes  arrays of CALLS_MOST items
   memory  some arrays of CALLS_MOST items      cost    some million instructions per room
   after   own design; part of calls.c */
#ifndef TIDEPOOL_WORST_CALLS_LIGHT_H
#define TIDEPOOL_WORST_CALLS_LIGHT_H

#define CALLS_LIGHT_UNITS 100u /* budget of a slice */

static uint32_t calls_lights_of(const calls_room *room)
{
    return room->n < TP_LIGHTS_MAX ? room->n : TP_LIGHTS_MAX;
}

/* The tangent window is the slowest. */
static void calls_make_lights(const calls_room *room, tp_light *lights)
{
    for (uint32_t k = 0; k < calls_lights_of(room); k++)
        lights[k] = (tp_light){
            {calls_wave(k, 7), 2.0f, calls_wave(k, 5)}, 0.1f, {1, 2, 3}, 9, TP_LIGHT_TANGENT};
}

static void calls_of_harmonics(calls_room *room, tp_sh *sh, const tp_light *lights)
{
    const tp_vector up = {0.6f, 0.8f, 0}, color = {1, 2, 3};
    const tp_quaternion turn = {0.6f, 0.8f, 0, 0};
    tp_vector answer;
    WORST_MEASURE(tp_sh_add, WORST_SLICE_LEAST, tp_sh_add(sh, up, color));
    WORST_MEASURE(tp_sh_add_sky, WORST_SLICE_LEAST, tp_sh_add_sky(sh, up, color, color));
    WORST_MEASURE(tp_sh_rotate, WORST_SLICE_LEAST, tp_sh_rotate(sh, turn));
    WORST_MEASURE(tp_sh_flip, WORST_SLICE_LEAST, tp_sh_flip(sh));
    CALLS_MAKE(room, tp_sh_add_lights, sh, color, lights, calls_lights_of(room));
    WORST_MEASURE(tp_sh_radiance, WORST_SLICE_LEAST, answer = tp_sh_radiance(sh, up));
    calls_note(room, answer.x != 0.0f, "tp_sh_radiance", __LINE__);
    WORST_MEASURE(tp_sh_irradiance, WORST_SLICE_LEAST, answer = tp_sh_irradiance(sh, up));
    calls_note(room, answer.x != 0.0f, "tp_sh_irradiance", __LINE__);
}

static void calls_of_points(calls_room *room, const tp_lighting *lighting)
{
    static tp_vector points[CALLS_MOST], irradiance[CALLS_MOST];
    for (uint32_t i = 0; i < room->n; i++)
        points[i] = (tp_vector){calls_wave(i, 31), calls_wave(i, 37), calls_wave(i, 41)};
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t done = 0;
        CALLS_CONTINUE(room, tp_light_points, CALLS_LIGHT_UNITS,
                       TP_LIGHT_UNITS(lighting->light_count), lighting, points, k ? points : NULL,
                       room->n, CALLS_LIGHT_UNITS, &done, irradiance);
    }
}

/* A world in 3D and a grid with a quarter as many nodes as a room has items. */
static void calls_of_shadows(calls_room *room, const tp_light *lights)
{
    static uint32_t mass[CALLS_MOST];
    static float through[CALLS_MOST * 16u];
    static tp_vector irradiance[CALLS_MOST];
    uint32_t done = 0;
    tp_shadow shadow = {.low = {-0.5f, -0.5f, -0.5f},
                        .spacing = 0.25f,
                        .columns = 4,
                        .rows = 4,
                        .layers = room->n / 16u,
                        .extinction = 1.0f,
                        .species_mask = 1u,
                        .lights_max = 16,
                        .mass = mass,
                        .through = through};
    const tp_lighting lighting = {lights, 16, NULL, &shadow};
    CALLS_CONTINUE(room, tp_shadow_update, CALLS_LIGHT_UNITS, 4u, &shadow, room->world, lights, 16,
                   CALLS_LIGHT_UNITS);
    CALLS_CONTINUE(room, tp_light_particles, CALLS_LIGHT_UNITS, TP_LIGHT_UNITS(16u), room->world,
                   &lighting, CALLS_LIGHT_UNITS, &done, irradiance, CALLS_MOST);
}

#define CALLS_PATCH_LINKS 8u
#define CALLS_PATCH_WORDS 48u /* of a file, for each patch */

static uint32_t calls_word_of(float value)
{
    union {
        float value;
        uint32_t word;
    } both = {value};
    return both.word;
}

static uint32_t *calls_put_floats(uint32_t *to, const float *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) *to++ = calls_word_of(values[k]);
    return to;
}

/* A chain of clusters, the same links in each row, four probes. Returns its words. */
static uint32_t calls_make_patches(uint32_t *file, uint32_t n)
{
    static const float leaf[9] = {0, 1, 0, 0.5f, 0.5f, 0.5f, 1, 2, 3};
    uint32_t *to = file + 16, sum = 2166136261u;
    for (uint32_t k = 0; k < 16; k++) file[k] = 0;
    for (uint32_t i = 0; i < 2u * n - 1u; i++) {
        float node[4] = {calls_wave(i, 31), calls_wave(i, 37), calls_wave(i, 41), 1};
        if (i >= n) node[3] = (float)(i - n + 2u);
        to = calls_put_floats(to, node, 4);
    }
    for (uint32_t i = 0; i < n; i++) to = calls_put_floats(to, leaf, 9);
    for (uint32_t i = 0; i < n - 1u; i++) *to++ = (i ? n + i - 1u : 0u) | (i + 1u) << 16;
    for (uint32_t i = 0; i < n + 4u; i++) {
        *to++ = CALLS_PATCH_LINKS * (i + 1u);
        *to++ = calls_word_of(1e-4f);
    }
    for (uint32_t i = 0; i < CALLS_PATCH_LINKS * (n + 4u); i++) *to++ = i * 7u % n | 1000u << 16;
    uint32_t words = (uint32_t)(to - file);
    const uint32_t head[7] = {
        0x014c5054u, words * 4u, 0, n, 2u * n - 1u, 4, CALLS_PATCH_LINKS * (n + 4u)};
    for (uint32_t k = 0; k < 7; k++) file[k] = head[k];
    file[10] = calls_word_of(0.5f);
    file[11] = 4;
    file[12] = file[13] = 1;
    for (uint32_t k = 3; k < words; k++) sum = (sum ^ file[k]) * 16777619u;
    file[2] = sum;
    return words;
}

static void calls_of_patches(calls_room *room, const tp_lighting *lighting)
{
    static uint32_t file[CALLS_MOST * CALLS_PATCH_WORDS];
    static tp_vector memory[CALLS_MOST * 6u + 36u];
    const tp_vector point = {0.6f, 0.2f, 0};
    tp_patches patches;
    tp_sh sh;
    uint32_t bytes = calls_make_patches(file, room->n) * 4u;
    CALLS_CHECK(room, tp_patches_check, file, bytes, NULL);
    CALLS_MAKE(room, tp_patches_open, &patches, file, bytes, memory, CALLS_MOST * 6u + 36u);
    CALLS_CONTINUE(room, tp_patches_update, CALLS_LIGHT_UNITS,
                   1u + TP_PROBE_LINK_UNITS * CALLS_PATCH_LINKS, &patches, lighting, 1u,
                   CALLS_LIGHT_UNITS);
    CALLS_MAKE(room, tp_patches_sh, &patches, point, &sh);
}

static void calls_of_light(calls_room *room)
{
    static tp_light lights[TP_LIGHTS_MAX];
    tp_sh sh = {0};
    const tp_lighting lighting = {lights, calls_lights_of(room), &sh, NULL};
    calls_make_lights(room, lights);
    CALLS_CHECK(room, tp_light_check, lights);
    CALLS_ASK(room, tp_light_reach, float, answer > 0.0f, 1.0f, 2.0f, 0.01f);
    CALLS_ASK(room, tp_light_falloff, float, answer > 0.0f, lights, 1.0f);
    calls_of_harmonics(room, &sh, lights);
    calls_of_points(room, &lighting);
    calls_of_patches(room, &lighting);
    if (room->dimensions == 3) calls_of_shadows(room, lights);
}

#undef CALLS_LIGHT_UNITS
#endif
