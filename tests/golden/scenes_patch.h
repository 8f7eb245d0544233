/* SPDX-License-Identifier: MIT
   tests/golden/scenes_patch.h - golden scenes of patches: the hash of the light in a cube.
   reads   nothing      writes  a world, the stage's spare memory
   memory  4 KB besides the world      cost    see scenes.h
   after   own design; part of scenes.h, after scenes_light.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_PATCH_H
#define TIDEPOOL_GOLDEN_SCENES_PATCH_H

#define GOLDEN_PATCHES 6u
#define GOLDEN_NODES   9u
#define GOLDEN_PROBES  8u
#define GOLDEN_LINKS   (5u * GOLDEN_PATCHES + 3u * GOLDEN_PROBES)
#define GOLDEN_TPL_BYTES                                                                      \
    (64u + 16u * GOLDEN_NODES + 36u * GOLDEN_PATCHES + 4u * (GOLDEN_NODES - GOLDEN_PATCHES) + \
     8u * (GOLDEN_PATCHES + GOLDEN_PROBES) + 4u * GOLDEN_LINKS)

static uint8_t *golden_put(uint8_t *at, uint32_t word)
{
    for (uint32_t k = 0; k < 4u; k++) at[k] = (uint8_t)(word >> 8u * k);
    return at + 4;
}

static uint8_t *golden_put_float(uint8_t *at, float number)
{
    union {
        float number;
        uint32_t word;
    } both;
    both.number = number;
    return golden_put(at, both.word);
}

static uint8_t *golden_put_vector(uint8_t *at, tp_vector a)
{
    return golden_put_float(golden_put_float(golden_put_float(at, a.x), a.y), a.z);
}

/* Faces 0 to 5 of a cube of side 2: -x, +x, -y, +y, -z, +z. */
static tp_vector golden_face(uint32_t face, float size)
{
    float side = face % 2u ? size : -size;
    return golden_vector(face < 2u ? side : 0.0f, face / 2u == 1u ? side : 0.0f,
                         face >= 4u ? side : 0.0f);
}

/* Clusters 6, 7 and 8: of two opposite faces each. */
static uint8_t *golden_put_nodes(uint8_t *at)
{
    for (uint32_t i = 0; i < GOLDEN_NODES; i++) {
        at = golden_put_vector(at, golden_face(i, i < GOLDEN_PATCHES ? 1.0f : 0.0f));
        at = golden_put_float(at, i < GOLDEN_PATCHES ? 4.0f : 8.0f);
    }
    for (uint32_t i = 0; i < GOLDEN_PATCHES; i++) {
        float part = (float)(i + 1u) / 8.0f;
        at = golden_put_vector(at, golden_face(i, -1.0f));
        at = golden_put_vector(at, golden_vector(part, 0.3f, 1.0f - part));
        at = golden_put_vector(at, golden_vector(i == 3u ? 5.0f : 0.0f, 0.1f * part, 0.0f));
    }
    for (uint32_t i = 0; i < 3u; i++) at = golden_put(at, 2u * i | (2u * i + 1u) << 16);
    return at;
}

/* A patch has links to the others and, where its opposite would be, to a cluster; a probe to all
   clusters. */
static void golden_put_rows(uint8_t *at)
{
    uint8_t *links = at + 8u * (GOLDEN_PATCHES + GOLDEN_PROBES);
    for (uint32_t i = 0; i < GOLDEN_PATCHES + GOLDEN_PROBES; i++) {
        uint32_t own = i < GOLDEN_PATCHES ? 5u : 3u;
        uint32_t end = i < GOLDEN_PATCHES ? 5u * (i + 1u)
                                          : 5u * GOLDEN_PATCHES + 3u * (i + 1u - GOLDEN_PATCHES);
        at = golden_put_float(golden_put(at, end), 1.0f / 65536.0f);
        for (uint32_t k = 0; k < own; k++) {
            uint32_t node = i >= GOLDEN_PATCHES ? 6u + k : k < 4u ? (i + 1u + k) % 6u : 6u + i / 2u;
            links = golden_put(links, node | (9000u + 977u * k + 131u * i) << 16);
        }
    }
}

static void golden_make_tpl(uint8_t *file)
{
    uint8_t *at = file + 12;
    const uint32_t counts[4] = {GOLDEN_PATCHES, GOLDEN_NODES, GOLDEN_PROBES, GOLDEN_LINKS};
    uint32_t sum = 2166136261u;
    for (uint32_t k = 0; k < 4u; k++) at = golden_put(at, counts[k]);
    at = golden_put_float(golden_put_vector(at, golden_vector(-0.5f, -0.5f, -0.5f)), 1.0f);
    for (uint32_t k = 0; k < 3u; k++) at = golden_put(at, 2u);
    at = golden_put(golden_put(at, 0), 0);
    golden_put_rows(golden_put_nodes(at));
    (void)golden_put(golden_put(file, 0x014c5054u), GOLDEN_TPL_BYTES);
    for (uint32_t k = 12; k < GOLDEN_TPL_BYTES; k += 4u) {
        uint32_t word = (uint32_t)file[k] | (uint32_t)file[k + 1u] << 8 |
                        (uint32_t)file[k + 2u] << 16 | (uint32_t)file[k + 3u] << 24;
        sum = (sum ^ word) * 16777619u;
    }
    (void)golden_put(file + 8, sum);
}

/* Eight rounds of three parts; an albedo changes in the middle. */
static uint64_t golden_patches(golden_stage *stage, uint64_t hash, uint32_t units)
{
    uint8_t *file = (uint8_t *)golden_take(stage, GOLDEN_TPL_BYTES);
    const uint32_t vectors = 4u * GOLDEN_PATCHES + GOLDEN_NODES + TP_SH_COUNT * GOLDEN_PROBES;
    tp_vector *memory = (tp_vector *)(void *)golden_take(stage, vectors * sizeof(tp_vector));
    tp_light lights[3];
    tp_patches patches;
    tp_sh sh = {0};
    if (stage->result != TP_OK) return 0;
    golden_make_tpl(file);
    golden_add_lamps(lights);
    tp_lighting lighting = {lights, 3, NULL, NULL};
    tp_result result = tp_patches_open(&patches, file, GOLDEN_TPL_BYTES, memory, vectors);
    patches.is_endless = true;
    for (uint32_t round = 0; round < 24u && result == TP_OK; round++) {
        if (round == 11u) patches.albedo[2] = golden_vector(0.9f, 0.2f, 0.4f);
        do result = tp_patches_update(&patches, &lighting, 3, units);
        while (result == TP_MORE);
    }
    if (result == TP_OK) result = tp_patches_sh(&patches, golden_vector(0.2f, -0.1f, 0.3f), &sh);
    golden_note(stage, result);
    return golden_fold(golden_fold(hash, &sh, sizeof sh / 4u), memory, 3u * vectors);
}

static uint64_t golden_patches_at_once(golden_stage *stage, uint64_t hash)
{
    return golden_patches(stage, hash, 0);
}
static uint64_t golden_patches_in_slices(golden_stage *stage, uint64_t hash)
{
    return golden_patches(stage, hash, 7);
}

#undef GOLDEN_PATCHES
#undef GOLDEN_NODES
#undef GOLDEN_PROBES
#undef GOLDEN_LINKS
#undef GOLDEN_TPL_BYTES
#endif
