/* SPDX-License-Identifier: MIT
   tests/features/scenes.c - a scene for each optional part: prints its hash, or the text of the
           refusal.
   reads   the TP_WITHOUT_ macros of its build
   writes  one line per scene: `scene hash` or `scene refused: text`
   memory  one static block                         cost    milliseconds per scene
   after   own design: every build that has a scene's parts must print the same line for it;
           tests/features/run compares */
#ifndef FEATURES_LINKED /* defined if the whole runtime is linked */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include <stdio.h>
#include <string.h>

enum {
    HAS_3D = 1,
    HAS_SPH = 2,
    HAS_PAIR = 4,
    HAS_EMITTERS = 8,
    HAS_FIELDS = 16,
    HAS_COLLIDERS = 32,
    HAS_DFSPH = 64,
    HAS_HEAT = 128,
    HAS_SPRINGS = 256,
    HAS_TENSION = 512,
    HAS_EDGES = 1024
};

static const uint32_t scene_parts = 0
#ifndef TP_WITHOUT_3D
                                    | HAS_3D
#endif
#ifndef TP_WITHOUT_SPH
                                    | HAS_SPH
#endif
#ifndef TP_WITHOUT_PAIR
                                    | HAS_PAIR
#endif
#ifndef TP_WITHOUT_EMITTERS
                                    | HAS_EMITTERS
#endif
#ifndef TP_WITHOUT_FIELDS
                                    | HAS_FIELDS
#endif
#ifndef TP_WITHOUT_COLLIDERS
                                    | HAS_COLLIDERS
#endif
#if !defined(TP_WITHOUT_SPH) && !defined(TP_WITHOUT_DFSPH)
                                    | HAS_DFSPH
#endif
#if !defined(TP_WITHOUT_SPH) && !defined(TP_WITHOUT_HEAT)
                                    | HAS_HEAT
#endif
#if !defined(TP_WITHOUT_SPH) && !defined(TP_WITHOUT_SPRINGS)
                                    | HAS_SPRINGS
#endif
#if !defined(TP_WITHOUT_SPH) && !defined(TP_WITHOUT_TENSION)
                                    | HAS_TENSION
#endif
#if !defined(TP_WITHOUT_COLLIDERS) && !defined(TP_WITHOUT_EDGES)
                                    | HAS_EDGES
#endif
    ;

static _Alignas(16) unsigned char scene_block[65536];

/* Every pool that the scene does not need is empty, in a whole build too. */
static tp_world_def scene_definition(uint32_t needs)
{
    tp_world_def def = tp_world_default(needs & HAS_3D ? 3 : 2);
    def.particles_max = 100;
    def.emitters_max = needs & HAS_EMITTERS ? 1 : 0;
    def.sinks_max = 0;
    def.fields_max = needs & HAS_FIELDS ? 1 : 0;
    def.colliders_max = needs & HAS_COLLIDERS ? 1 : 0;
    if (needs & HAS_EDGES) def.geometry_bytes_max = 256;
    if (needs & HAS_SPH) def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (needs & HAS_SPH) def.substeps.count = 3;
    if (needs & HAS_SPRINGS) def.sph.springs_max = 8;
    if (needs & HAS_TENSION) def.sph.cohesion = 0.5f;
    if (needs & HAS_TENSION) def.sph.viscosity = 0.1f;
    if (needs & HAS_DFSPH) def.sph.formulation = TP_SPH_INCOMPRESSIBLE;
    if (needs & HAS_HEAT) {
        def.heat = (tp_heat){.range = 50.0f, .diffusivity = 0.01f};
        def.species[0].expansion = 0.01f;
    }
    if (needs & HAS_PAIR) def.solver = TP_SOLVER_PAIR, def.integrator = TP_INTEGRATOR_KDK;
    return def;
}

static tp_result scene_fill(tp_world *world, uint32_t needs, const char **text)
{
    (void)text;
    tp_result result = TP_OK;
    for (uint32_t i = 0; i < 60 && result == TP_OK; i++) {
        float spacing = needs & HAS_PAIR ? 1.1f : 0.12f;
        tp_vector at = {spacing * (float)(i % 8), spacing * (float)(i / 8 % 4),
                        spacing * (float)(i / 32)};
        result = tp_particle_add(world, at, (tp_vector){0.5f, 0.01f * (float)i, 0.0f}, 0, NULL);
    }
#ifndef TP_WITHOUT_FIELDS
    tp_field field;
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    if (result == TP_OK && needs & HAS_FIELDS) result = tp_field_add(world, &gravity, &field);
#endif
#ifndef TP_WITHOUT_COLLIDERS
    tp_collider tank;
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.is_hollow = true;
    box.half = (tp_vector){1.5f, 1.5f, 1.5f};
    box.conducts = true; /* without heat nothing comes of it */
    box.temperature = 40.0f;
    static const tp_vector corners[4] = {{1.5f, 0, 0}, {0.5f, -0.5f, 0}, {0, -0.4f, 0}, {-2, 0, 0}};
    static const uint32_t ends[6] = {0, 1, 1, 2, 2, 3};
    if (needs & HAS_EDGES) {
        box.shape = TP_COLLIDER_MESH;
        box.vertices = corners;
        box.vertex_count = 4;
        box.indices = ends;
        box.triangle_count = 3;
        *text = tp_collider_check(world, &box);
    }
    if (result == TP_OK && needs & HAS_COLLIDERS) result = tp_collider_add(world, &box, &tank);
#endif
#ifndef TP_WITHOUT_EMITTERS
    tp_emitter emitter;
    tp_emitter_def tap = tp_emitter_default();
    if (result == TP_OK && needs & HAS_EMITTERS) result = tp_emitter_add(world, &tap, &emitter);
#endif
    return result;
}

/* Zero if something was refused; *text then names the reason. */
static uint64_t scene_hash(uint32_t needs, const char **text)
{
    tp_world_def def = scene_definition(needs);
    tp_world *world = NULL;
    *text = tp_world_check(&def);
    tp_result result = tp_world_create(&def, scene_block, sizeof scene_block, &world);
    if (result == TP_OK) result = scene_fill(world, needs, text);
    for (uint32_t frame = 0; frame < 40 && result == TP_OK; frame++)
        result = tp_frame(world, NULL, NULL);
    if (result != TP_OK && !*text) *text = tp_result_text(result);
    return result == TP_OK ? tp_world_hash(world) : 0;
}

static bool scene_show(const char *name, uint32_t needs)
{
    const char *text = NULL;
    uint64_t hash = scene_hash(needs, &text);
    bool is_whole = (needs & ~scene_parts) == 0;
    if (hash)
        printf("%s %016llx\n", name, (unsigned long long)hash);
    else
        printf("%s refused: %s\n", name, text ? text : "no text");
    if (is_whole == (hash != 0)) return true;
    printf("%s must %s by this build\n", name, is_whole ? "run" : "be refused");
    return false;
}

int main(void)
{
    bool good = scene_show("drift", 0);
    good = scene_show("fall", HAS_FIELDS) && good;
    good = scene_show("tap", HAS_EMITTERS) && good;
    good = scene_show("box", HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("level", HAS_EDGES | HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("fluid", HAS_SPH | HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("water", HAS_SPH | HAS_DFSPH | HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("steam", HAS_SPH | HAS_HEAT | HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("putty", HAS_SPH | HAS_SPRINGS | HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("honey", HAS_SPH | HAS_TENSION | HAS_FIELDS | HAS_COLLIDERS) && good;
    good = scene_show("melt", HAS_PAIR) && good;
    good = scene_show("space", HAS_3D | HAS_FIELDS) && good;
    good = scene_show("flood", HAS_3D | HAS_SPH) && good;
    return good ? 0 : 1;
}
