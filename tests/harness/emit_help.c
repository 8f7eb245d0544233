/* SPDX-License-Identifier: MIT
   tests/harness/emit_help.c - worlds and definitions for tests of emitters.
   reads   definitions      writes  what is passed in
   memory  a mesh           cost    that of the runtime's calls
   after   own design */
#include "emit_help.h"
#include "test.h"

tp_world_def emit_scene(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = particles;
    def.emitters_max = def.sinks_max = 4;
    return def;
}

test_world emit_world(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = emit_scene(dimensions, particles);
    return test_world_make(&def);
}

tp_emitter emit_add(const test_world *made, const tp_emitter_def *def)
{
    tp_emitter emitter = {0};
    const char *text = tp_emitter_check(made->world, def);
    test_note("%s", text ? text : "");
    CHECK(text == NULL);
    CHECK(tp_emitter_add(made->world, def, &emitter) == TP_OK);
    return emitter;
}

static const tp_vector corners[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}, {0, 0, 3}};
/* areas 1 and 1 (halves of a 2 x 1 rectangle), 0, 1.5 */
static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 0, 1, 0, 3, 4};

tp_emitter_def emit_mesh(void)
{
    tp_emitter_def def = tp_emitter_default();
    def.shape = TP_EMITTER_MESH;
    def.vertices = corners;
    def.vertex_count = 5;
    def.indices = triangles;
    def.triangle_count = 4;
    return def;
}

tp_emitter_def emit_lively(float x)
{
    tp_emitter_def def = tp_emitter_default();
    def.shape = TP_EMITTER_SPHERE;
    def.pose.position.x = x;
    def.size.x = 0.3f;
    def.rate_numerator = 777;
    def.rate_denominator = 5;
    def.burst_count = 9;
    def.velocity = (tp_vector){0, 3, 0};
    def.velocity_jitter = 1.0f;
    def.position_jitter = 0.1f;
    return def;
}
