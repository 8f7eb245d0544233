/* SPDX-License-Identifier: MIT
   tests/harness/query_help.c - random worlds for queries.
   reads   definitions      writes  malloc'd blocks with guard bytes
   memory  the blocks       cost    that of the runtime's calls
   after   own design */
#include "query_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tp_world_def scene_def(uint32_t kind, uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = 700;
    def.species_count = 3;
    for (uint32_t s = 0; s < 3; s++) {
        def.species[s].mass = 0.5f * (float)(s + 1u);
        def.species[s].sigma = kind == QUERY_NARROW ? 0.1f : 0.2f;
    }
    if (kind < QUERY_PERIODIC) return def;
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.pair.cutoff = 2.0f;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | (dimensions == 3 ? TP_AXIS_Z : 0u);
    if (kind == QUERY_PERIODIC_X) def.periodic_axes = TP_AXIS_X;
    def.box_low = (tp_vector){-1.3f, 0.4f, -2.0f};
    def.box_size = (tp_vector){2.2f, 3.1f, 1.9f};
    if (kind == QUERY_NARROW) def.box_size = (tp_vector){0.8f, 1.2f, 0.7f};
    return def;
}

/* Where a particle of an arrangement begins. */
static tp_vector scene_place(query_scene *scene, const tp_world_def *def, uint32_t kind, uint32_t i)
{
    tp_vector place = test_random_position(&scene->random, scene->size);
    if (kind == QUERY_COINCIDENT) place = (tp_vector){0.1f, -0.2f, 0.3f};
    if (kind == QUERY_ONE_CELL) place = tpi_scale(place, 1.0f / 64.0f);
    if (kind == QUERY_OUTLIERS && i % 40u == 0)
        place = tpi_scale(place, powf(10.0f, (float)(i / 40u % 9u)));
    if (kind == QUERY_OUTLIERS && i % 3u == 1u) place.x += 40.0f;
    if (kind < QUERY_PERIODIC) return tpi_add(place, scene->middle);
    const float x = test_random(&scene->random), y = test_random(&scene->random),
                z = test_random(&scene->random);
    tp_vector in = {def->box_low.x + x * def->box_size.x, def->box_low.y + y * def->box_size.y,
                    def->box_low.z + z * def->box_size.z};
    return in;
}

static uint32_t scene_count(uint32_t kind)
{
    return kind == QUERY_EMPTY        ? 0u
           : kind == QUERY_ONE        ? 1u
           : kind == QUERY_COINCIDENT ? 200u
                                      : 600u;
}

query_scene query_scene_make(uint32_t kind, uint32_t dimensions, uint32_t seed)
{
    query_scene scene = {.size = 1.5f, .random = seed * 7919u + kind, .count = scene_count(kind)};
    tp_world_def def = scene_def(kind, dimensions);
    if (kind == QUERY_FAR) scene.middle = (tp_vector){1e6f, -1e6f, 1e6f};
    if (kind >= QUERY_PERIODIC) scene.middle = (tp_vector){-0.2f, 1.9f, -1.0f};
    scene.made = test_world_make(&def);
    scene.world = scene.made.world;
    for (uint32_t i = 0; i < scene.count; i++) {
        tp_vector velocity = test_random_position(&scene.random, 3.0f);
        CHECK(tp_particle_add(scene.world, scene_place(&scene, &def, kind, i), velocity, i % 3u,
                              NULL) == TP_OK);
    }
    tp_query_def wanted = tp_query_default(&def);
    wanted.radius = 0.3f;
    wanted.surface_radius = 0.1f;
    query_scene_query(&scene, &wanted);
    CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
    return scene;
}

void query_scene_query(query_scene *scene, const tp_query_def *def)
{
    if (!CHECK(tp_query_memory(def, &scene->bytes) == TP_OK)) {
        test_note("%s", tp_query_check(def));
        return;
    }
    scene->block = test_guarded_make(scene->bytes);
    CHECK(tp_query_create(def, scene->block, scene->bytes, &scene->query) == TP_OK);
}

void query_scene_free_query(query_scene *scene)
{
    test_guarded_free(scene->block, scene->bytes);
    scene->block = NULL;
}

void query_scene_free(query_scene *scene)
{
    query_scene_free_query(scene);
    test_world_free(&scene->made);
}

tp_vector query_point(query_scene *scene)
{
    tp_view view = tp_world_view(scene->world);
    tp_vector point = tpi_add(scene->middle, test_random_position(&scene->random, scene->size));
    float choice = test_random(&scene->random);
    uint32_t i = (uint32_t)(test_random(&scene->random) * (float)view.count);
    if (choice < 0.2f && view.count)
        point = (tp_vector){view.x[i], view.y[i], view.z ? view.z[i] : 0.0f};
    if (choice > 0.9f) point = tpi_add(point, test_random_position(&scene->random, 100.0f));
    if (!view.z && view.count) point.z = NAN; /* is ignored */
    return point;
}

void query_offset(const query_scene *scene, uint32_t index, tp_vector point, double offset[3])
{
    const tp_world_def *def = tp_world_definition(scene->world);
    tp_view view = tp_world_view(scene->world);
    const float *const x[3] = {view.x, view.y, view.z};
    const float at[3] = {point.x, point.y, point.z};
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        offset[axis] = x[axis] ? (double)x[axis][index] - (double)at[axis] : 0.0;
        if (def->periodic_axes >> axis & 1u)
            offset[axis] -= (double)size[axis] * round(offset[axis] / (double)size[axis]);
    }
}

double query_rounding(const query_scene *scene, tp_vector point)
{
    double largest = fmax(fabs((double)point.x), fabs((double)point.y));
    if (tp_world_definition(scene->world)->dimensions == 3)
        largest = fmax(largest, fabs((double)point.z));
    return 4e-7 * (largest + (double)scene->size + 2.0);
}

bool query_goes_on(tp_result result, const tp_query_cursor *cursor, uint32_t units)
{
    CHECK(cursor->units <= units + TP_QUERY_OVERRUN);
    CHECK(result != TP_MORE || cursor->units >= units);
    return result == TP_MORE;
}

void query_exchange(tp_world *world, uint32_t a, uint32_t b)
{
    tp_view view = tp_world_view(world);
    const void *const arrays[8] = {view.x,  view.y,  view.z,  view.vx,
                                   view.vy, view.vz, view.id, view.meta};
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t *words = (uint32_t *)(uintptr_t)arrays[k];
        if (!words) continue;
        uint32_t word = words[a];
        words[a] = words[b];
        words[b] = word;
    }
}
