/* SPDX-License-Identifier: MIT
   host_tools/common/scene_warn.c - notes about scenes that are valid but probably not intended.
   reads   a scene      writes  notes with their line
   memory  a small world with the colliders of the scene      cost    one frame with 27 particles
           per emitter
   after   own design: a probe world of the runtime tells which positions are inside solids */
#include "loop.h"
#include "scene_private.h"
#include <math.h>
#include <stdlib.h>

enum { PROBES = 27 };

/* Not an error, because a program that uses the scene may add particles. Usually the end of the
   file is missing. */
static void warn_of_sources(const scene *source)
{
    for (size_t i = 0; i < source->emitter_count; i++)
        if (source->emitters[i].def.rate_numerator || source->emitters[i].def.burst_count) return;
    if (source->body_count || source->sheet_count || source->ring_count || source->start.cache)
        return;
    if (scene_float_count(source)) return;
    host_note(source->path, source->world_mark.line,
              "the world has no source of particles: no emitter with a rate or a burst");
}

static void warn_of_camera(const scene *source)
{
    const scene_mark *mark = &source->camera_mark;
    if (!source->view_is_chosen || !mark->line) return;
    uint32_t high = scene_line_of(mark, SCENE_CAMERA, "high"),
             low = scene_line_of(mark, SCENE_CAMERA, "low");
    if (high == mark->line && low == mark->line) return; /* neither `high` nor `low` is given */
    host_note(
        source->path, high > mark->line ? high : low,
        "the camera's 'high' is not above its 'low' along each axis: the view shows all that the "
        "scene holds instead");
}

/* ---- emitters */

/* A probe world: the colliders in their first pose, and particles without forces. */
static int open_probe(const scene *source, void **memory, tp_world **world)
{
    tp_world_def def = source->world;
    size_t bytes;
    *memory = NULL;
    def.solver = TP_SOLVER_NONE;
    def.integrator = TP_INTEGRATOR_EULER;
    def.particles_max = PROBES;
    def.emitters_max = def.sinks_max = def.fields_max = def.links_max = def.periodic_axes = 0;
    def.substeps.is_adaptive = def.sph.compat = false;
    def.pair.table_max = 0;
    if (tp_world_memory(&def, &bytes) != TP_OK) return HOST_OUT_OF_MEMORY;
    void *block = stage_block(bytes, memory);
    if (!block || tp_world_create(&def, block, bytes, world) != TP_OK) return HOST_OUT_OF_MEMORY;
    for (size_t i = 0; i < source->collider_count; i++) {
        tp_collider_def collider = source->colliders[i].def;
        tp_collider handle;
        collider.pose = scene_collider_pose(source, i, 0);
        if (tp_collider_add(*world, &collider, &handle) != TP_OK) return HOST_OUT_OF_MEMORY;
    }
    return HOST_DONE;
}

static tp_pose emitter_pose(const scene *source, size_t emitter)
{
    for (size_t i = 0; i < source->motion_count; i++)
        if (source->motions[i].moves_emitter && source->motions[i].target == emitter)
            return scene_motion_pose(source, &source->motions[i], 0);
    return source->emitters[emitter].def.pose;
}

static tp_vector turned(tp_quaternion q, tp_vector v)
{
    const tp_vector t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
                         2 * (q.x * v.y - q.y * v.x)};
    return (tp_vector){v.x + q.w * t.x + q.y * t.z - q.z * t.y,
                       v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                       v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

/* Probe position i: the centre of the emitter, and points just inside its sides and corners. For a
   mesh: its vertices. */
static tp_vector probe_place(const scene *source, size_t emitter, uint32_t i)
{
    const tp_emitter_def *def = &source->emitters[emitter].def;
    const int steps[3] = {(int)(i % 3) - 1, (int)(i / 3 % 3) - 1, (int)(i / 9) - 1};
    tp_pose pose = emitter_pose(source, emitter);
    tp_vector place = {0.98f * (float)steps[0] * def->size.x, 0.98f * (float)steps[1] * def->size.y,
                       0.98f * (float)steps[2] * def->size.z};
    if (def->shape == TP_EMITTER_POINT) place = (tp_vector){0, 0, 0};
    if (def->shape == TP_EMITTER_MESH && def->vertices)
        place = def->vertices[(uint64_t)def->vertex_count * i / PROBES];
    place = turned(pose.rotation, place);
    if (source->world.dimensions == 2) place.z = pose.position.z = 0;
    return (tp_vector){pose.position.x + place.x, pose.position.y + place.y,
                       pose.position.z + place.z};
}

/* Counts the probe positions outside all solids. A particle that begins inside a solid is pushed
   out or killed. */
static uint32_t count_free(const scene *source, size_t emitter, tp_world *world)
{
    tp_vector places[PROBES];
    uint32_t free_places = 0, first = 0, species = source->emitters[emitter].def.species;
    float radius = source->world.species[species].radius;
    if (tp_particles_clear(world) != TP_OK) return PROBES;
    for (uint32_t i = 0; i < PROBES; i++) {
        uint32_t id;
        places[i] = probe_place(source, emitter, i);
        if (tp_particle_add(world, places[i], (tp_vector){0, 0, 0}, species, &id) != TP_OK)
            return PROBES;
        if (i == 0) first = id;
    }
    if (tp_frame(world, NULL, NULL) < TP_OK) return PROBES;
    tp_view view = tp_world_view(world);
    for (uint32_t k = 0; k < view.count; k++) {
        tp_vector from = places[(view.id[k] - first) % PROBES];
        float x = view.x[k] - from.x, y = view.y[k] - from.y, z = view.z ? view.z[k] - from.z : 0;
        free_places += sqrtf(x * x + y * y + z * z) <= 1.01f * radius + 1e-6f;
    }
    return free_places;
}

static void warn_of_emitters(const scene *source)
{
    void *memory = NULL;
    tp_world *world;
    bool is_open = source->collider_count && open_probe(source, &memory, &world) == HOST_DONE;
    for (size_t i = 0; is_open && i < source->emitter_count; i++) {
        const scene_emitter *emitter = &source->emitters[i];
        if (!emitter->def.rate_numerator && !emitter->def.burst_count) continue;
        if (count_free(source, i, world)) continue;
        host_note(
            source->path, scene_line_of(&emitter->mark, SCENE_EMITTER, "position"),
            "emitter '%s' lies outside the tank or inside a solid: its particles are pushed out or "
            "killed when they are born",
            emitter->mark.name);
    }
    free(memory);
}

/* ---- sheets */

static int compare_edges(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Edges of a mesh that have more than two triangles. */
static size_t shared_edges(const tp_cloth_def *def, uint64_t *edges)
{
    size_t count = (size_t)def->triangle_count * 3, shared = 0, run = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t a = def->indices[k], b = def->indices[k % 3 == 2 ? k - 2 : k + 1];
        edges[k] = a < b ? a << 32 | b : b << 32 | a;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t k = 0; k < count; k++) {
        run = k && edges[k] == edges[k - 1] ? run + 1 : 1;
        shared += run == 3;
    }
    return shared;
}

static void warn_of_sheets(const scene *source)
{
    for (size_t i = 0; i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        const tp_cloth_def *def = &sheet->def;
        uint64_t *edges =
            sheet->indices ? host_allocate((size_t)def->triangle_count * 3, sizeof *edges) : NULL;
        size_t shared = edges ? shared_edges(def, edges) : 0;
        if (shared)
            host_note(source->path, scene_line_of(&sheet->mark, SCENE_SHEET, "mesh"),
                      "edges of the mesh of sheet '%s' with more than two triangles: %llu; of "
                      "these triangles each two in turn resist bending; split an edge that is a "
                      "mistake",
                      sheet->mark.name, (unsigned long long)shared);
        free(edges);
    }
}

void scene_warn(const scene *source)
{
    warn_of_sheets(source);
    warn_of_sources(source);
    warn_of_camera(source);
    warn_of_emitters(source);
}
