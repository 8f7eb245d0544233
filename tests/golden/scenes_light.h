/* SPDX-License-Identifier: MIT
   tests/golden/scenes_light.h - golden scenes of light: the hash of a fountain, its shadow and its
           light.
   reads   nothing      writes  a world, the stage's spare memory
   memory  12 KB besides the world      cost    see scenes.h
   after   own design; part of scenes.h, after scenes_film.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_LIGHT_H
#define TIDEPOOL_GOLDEN_SCENES_LIGHT_H

#define GOLDEN_LIGHT_NODES 8u /* along each axis */

/* A lamp in the fountain, one above it, and one beside it. */
static void golden_add_lamps(tp_light lights[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        lights[k].position = golden_vector(k == 2 ? -3.0f : 0.1f, k == 1 ? 3.0f : 0.3f, 0.2f);
        lights[k].radius = 0.125f;
        lights[k].radiance = golden_vector(4.0f, 2.0f + (float)k, 1.0f);
        lights[k].reach = tp_light_reach(0.125f, 4.0f, 0.002f);
        lights[k].window = k == 0 ? TP_LIGHT_BIASED : k == 1 ? TP_LIGHT_TANGENT : TP_LIGHT_RATIONAL;
    }
}

/* Coefficients of all kinds, turned. */
static tp_sh golden_make_sky(const tp_light *lights)
{
    tp_sh sky = {0};
    tp_quaternion turn = {0.8f, 0.0f, 0.6f, 0.0f};
    tp_sh_add_sky(&sky, golden_vector(0.0f, 1.0f, 0.0f), golden_vector(0.3f, 0.4f, 0.6f),
                  golden_vector(0.2f, 0.1f, 0.0f));
    tp_sh_add(&sky, golden_vector(0.6f, 0.8f, 0.0f), golden_vector(1.0f, 0.9f, 0.8f));
    if (tp_sh_add_lights(&sky, golden_vector(0.0f, 0.0f, 9.0f), lights, 3) != TP_OK) return sky;
    tp_sh_rotate(&sky, turn);
    tp_sh_flip(&sky);
    return sky;
}

static uint64_t golden_light(golden_stage *stage, uint64_t hash, uint32_t units)
{
    const uint32_t side = GOLDEN_LIGHT_NODES, nodes = side * side * side;
    tp_view view = tp_world_view(stage->world);
    tp_light lights[3];
    tp_shadow shadow = {0};
    golden_add_lamps(lights);
    tp_sh sky = golden_make_sky(lights);
    shadow.low = golden_vector(-1.0f, -1.0f, -1.0f);
    shadow.spacing = 0.25f;
    shadow.columns = shadow.rows = shadow.layers = side;
    shadow.extinction = 0.5f;
    shadow.species_mask = 3u;
    shadow.lights_max = 3;
    shadow.mass = (uint32_t *)(void *)golden_take(stage, nodes * sizeof(uint32_t));
    shadow.through = (float *)(void *)golden_take(stage, 3u * nodes * sizeof(float));
    tp_vector *to = (tp_vector *)(void *)golden_take(stage, view.count * sizeof(tp_vector));
    tp_lighting lighting = {lights, 3, &sky, &shadow};
    tp_result result = TP_MORE;
    uint32_t done = 0;
    if (stage->result != TP_OK) return 0;
    while (result == TP_MORE) result = tp_shadow_update(&shadow, stage->world, lights, 3, units);
    if (result == TP_OK) result = TP_MORE;
    while (result == TP_MORE)
        result = tp_light_particles(stage->world, &lighting, units, &done, to, view.count);
    golden_note(stage, result);
    hash = golden_fold(golden_fold(hash, &sky, sizeof sky / 4u), shadow.through, 3u * nodes);
    return golden_fold(hash, to, view.count * 3u);
}

static uint64_t golden_light_at_once(golden_stage *stage, uint64_t hash)
{
    return golden_light(stage, hash, 0);
}
static uint64_t golden_light_in_slices(golden_stage *stage, uint64_t hash)
{
    return golden_light(stage, hash, 13);
}

#undef GOLDEN_LIGHT_NODES
#endif
