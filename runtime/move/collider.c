/* SPDX-License-Identifier: MIT
   runtime/move/collider.c - the public calls of colliders: default, check, add, move, remove;
           their bounds.
   reads   definitions      writes  the pool of colliders, the geometry pool
   memory  an item; mesh and samples in the geometry pool
   cost    O(geometry log^2 geometry) to add, O(1) to move
   after   own design: the geometry of a collider is one range of the pool, so that one call frees
           all of it */
#include "body.h"
#include "room.h"
#include "../world/change.h"
#include "../world/load.h"

#define TPI_FLAT_HALF 1e6f /* m: half size of 2D boxes along z */
/* limit of samples of a heightfield or grid, and of vertices and triangles of a mesh */
#define TPI_SAMPLES_MAX  16777216u
#define TPI_GROUND_DEPTH 1e9f /* m: ground is solid down to this depth */

tp_collider_def tp_collider_default(tp_collider_shape shape)
{
    tp_collider_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_COLLIDER;
    def.shape = shape;
    def.pose.rotation.w = 1.0f;
    def.half = tpi_vector(0.5f, 0.5f, 0.5f);
    def.radius = 0.5f;
    def.rest_speed = -1.0f;
    def.species_mask = def.event_species = 0xffffffffu;
    def.columns = def.rows = def.layers = 1;
    def.spacing = 1.0f;
    return def;
}

/* ---- checks ---- */

const char *tpi_collider_check_pose(const tp_world *world, tp_pose pose)
{
    pose = tpi_flat_pose(world, pose);
    if (!tpi_is_within(tpi_length(pose.position), 0.0f, TPI_POSITION_MAX))
        return TPI_TEXT("pose.position must be finite and within 1e9 of the origin");
    if (!tpi_pose_is_good(pose)) return TPI_TEXT("pose.rotation must be of unit length");
    if (tpi_dimensions(world) == 2 && (pose.rotation.x != 0.0f || pose.rotation.y != 0.0f))
        return TPI_TEXT("pose.rotation must turn about z only in 2D: its x and y must be 0");
    return NULL;
}

static const char *collider_check_surface(const tp_collider_def *def)
{
    if (!tpi_is_within(def->restitution, 0.0f, 1.0f)) return TPI_TEXT("restitution must be 0 to 1");
    if (!tpi_is_within(def->friction, 0.0f, 1e6f)) return TPI_TEXT("friction must be 0 to 1e6");
    if (!tpi_is_within(def->rest_speed, -1e6f, 1e6f))
        return TPI_TEXT("rest_speed must be -1e6 to 1e6");
    if (!tpi_is_within(def->thickness, 0.0f, 1e3f)) return TPI_TEXT("thickness must be 0 to 1e3");
    if (!tpi_is_within(def->temperature, -1e6f, 1e6f))
        return TPI_TEXT("temperature must be -1e6 to 1e6");
    return NULL;
}

static const char *collider_check_half(const tp_world *world, const tp_collider_def *def)
{
    tp_vector half = def->half;
    bool is_box = def->shape == TP_COLLIDER_BOX;
    if (!tpi_is_within(half.y, is_box ? 1e-6f : 0.0f, 1e6f))
        return TPI_TEXT("half.y must be above 0 (a box) and at most 1e6");
    if (!is_box) return NULL;
    if (!tpi_is_within(half.x, 1e-6f, 1e6f)) return TPI_TEXT("half.x must be 1e-6 to 1e6");
    if (tpi_dimensions(world) == 3 && !tpi_is_within(half.z, 1e-6f, 1e6f))
        return TPI_TEXT("half.z must be 1e-6 to 1e6");
    return NULL;
}

static const char *collider_check_mesh(uint32_t dimensions, const tp_collider_def *def)
{
    const uint32_t corners = dimensions == 2 ? 2u : 3u;
    if (!TPI_HAS_EDGES && dimensions == 2)
        return TPI_TEXT("shape TP_COLLIDER_MESH in 2D needs edges: left out by TP_WITHOUT_EDGES");
    if (!def->vertices || !def->indices)
        return TPI_TEXT("vertices and indices must not be null for a mesh");
    if (def->vertex_count < corners || def->vertex_count > TPI_SAMPLES_MAX)
        return TPI_TEXT("vertex_count must be 3 (2D: 2) to 16777216");
    if (def->triangle_count < 1 || def->triangle_count > TPI_SAMPLES_MAX)
        return TPI_TEXT("triangle_count must be 1 to 16777216");
    for (uint32_t v = 0; v < def->vertex_count; v++) {
        tp_vector vertex = def->vertices[v];
        if (dimensions == 2) vertex.z = 0.0f;
        if (!(tpi_dot(vertex, vertex) <= 1e14f))
            return TPI_TEXT("vertices must be finite and within 1e7");
    }
    for (uint32_t i = 0; i < def->triangle_count * corners; i++)
        if (def->indices[i] >= def->vertex_count)
            return TPI_TEXT("indices must be below vertex_count");
    return NULL;
}

static const char *collider_check_samples(const tp_world *world, const tp_collider_def *def)
{
    bool is_grid = def->shape == TP_COLLIDER_GRID, is_flat = tpi_dimensions(world) == 2;
    uint32_t rows_least = is_flat && !is_grid ? 1u : 2u,
             layers_least = is_grid && !is_flat ? 2u : 1u;
    if (!def->samples) return TPI_TEXT("samples must not be null for a heightfield or grid");
    if (!tpi_is_within(def->spacing, 1e-4f, 1e4f)) return TPI_TEXT("spacing must be 1e-4 to 1e4");
    if (def->columns < 2 || def->columns > TPI_SAMPLES_MAX)
        return TPI_TEXT("columns must be 2 to 16777216");
    if (def->rows < rows_least || def->rows > TPI_SAMPLES_MAX ||
        (is_flat && !is_grid && def->rows != 1))
        return TPI_TEXT("rows must be 2 to 16777216, and 1 for a heightfield in 2D");
    if (def->layers < layers_least || def->layers > TPI_SAMPLES_MAX ||
        (layers_least == 1 && def->layers != 1))
        return TPI_TEXT("layers must be 2 to 16777216 for a grid in 3D, else 1");
    if ((uint64_t)def->columns * def->rows > TPI_SAMPLES_MAX ||
        (uint64_t)def->columns * def->rows * def->layers > TPI_SAMPLES_MAX)
        return TPI_TEXT("columns * rows * layers must be at most 16777216");
    for (uint32_t s = 0; s < def->columns * def->rows * def->layers; s++)
        if (!tpi_is_within(def->samples[s], -1e6f, 1e6f))
            return TPI_TEXT("samples must be -1e6 to 1e6");
    return NULL;
}

/* A world without a geometry pool can never hold the shape. If the pool is full, it counts the
   refusals. */
static const char *collider_check_geometry(const tp_world *world, const tp_collider_def *def)
{
    bool is_stored = def->shape == TP_COLLIDER_MESH || def->shape == TP_COLLIDER_HEIGHTFIELD ||
                     def->shape == TP_COLLIDER_GRID;
    if (!is_stored || world->def.geometry_bytes_max) return NULL;
    return TPI_TEXT(
        "shape needs a world with geometry_bytes_max above 0: its geometry is kept there");
}

static const char *collider_check_shape(const tp_world *world, const tp_collider_def *def)
{
    bool has_radius = def->shape == TP_COLLIDER_SPHERE || def->shape == TP_COLLIDER_CAPSULE;
    if (has_radius && !tpi_is_within(def->radius, 1e-6f, 1e6f))
        return TPI_TEXT("radius must be 1e-6 to 1e6");
    switch (def->shape) {
    case TP_COLLIDER_CAPSULE:
    case TP_COLLIDER_BOX: return collider_check_half(world, def);
    case TP_COLLIDER_MESH: return collider_check_mesh(tpi_dimensions(world), def);
    case TP_COLLIDER_HEIGHTFIELD:
    case TP_COLLIDER_GRID: return collider_check_samples(world, def);
    default: return NULL;
    }
}

const char *tp_collider_check(const tp_world *world, const tp_collider_def *definition)
{
    if (tpi_world_check_block(world) != TP_OK) return tp_result_text(tpi_world_check_block(world));
    if (!definition)
        return TPI_TEXT("the definition is null: pass one made by tp_collider_default");
    if (definition->stamp != TPI_STAMP_COLLIDER) return tp_result_text(TP_ERROR_STAMP);
    if ((uint32_t)definition->shape > TP_COLLIDER_GRID)
        return TPI_TEXT("shape must be a TP_COLLIDER_ value");
    const char *text = tpi_collider_check_pose(world, definition->pose);
    if (!text) text = collider_check_surface(definition);
    if (!text) text = collider_check_shape(world, definition);
    if (!text && definition->room_words > 0) {
        if (tpi_dimensions(world) != 3) return TPI_TEXT("room_words must be 0 in 2D");
        text = tpi_rooms_check(definition);
    }
    if (!text) text = collider_check_geometry(world, definition);
    return text;
}

/* ---- bounds of a collider during a frame ---- */

static void collider_grow(tpi_collider_item *item, tp_vector point)
{
    item->swept_low =
        tpi_vector(tpi_min(item->swept_low.x, point.x), tpi_min(item->swept_low.y, point.y),
                   tpi_min(item->swept_low.z, point.z));
    item->swept_high =
        tpi_vector(tpi_max(item->swept_high.x, point.x), tpi_max(item->swept_high.y, point.y),
                   tpi_max(item->swept_high.z, point.z));
}

static tp_vector collider_corner(const tpi_collider_item *item, uint32_t corner)
{
    return tpi_vector(corner & 1u ? item->bounds_high.x : item->bounds_low.x,
                      corner & 2u ? item->bounds_high.y : item->bounds_low.y,
                      corner & 4u ? item->bounds_high.z : item->bounds_low.z);
}

/* Extends the bounds to the corners of both poses of the frame; for a turning collider, to the
   sphere around each position that contains its corners. */
static void collider_sweep_corners(tpi_collider_item *item)
{
    const tp_pose poses[2] = {item->is_moving ? item->pose_from : item->pose_to, item->pose_to};
    float farthest = 0.0f;
    for (uint32_t corner = 0; corner < 8; corner++) {
        tp_vector point = collider_corner(item, corner);
        farthest = tpi_max(farthest, tpi_length(point));
        for (uint32_t p = 0; p < 2; p++) collider_grow(item, tpi_to_world(poses[p], point));
    }
    if (!item->is_turning) return;
    for (uint32_t p = 0; p < 2; p++) {
        tp_vector wide = {farthest, farthest, farthest};
        collider_grow(item, tpi_sub(poses[p].position, wide));
        collider_grow(item, tpi_add(poses[p].position, wide));
    }
}

/* Recomputes the values derived from the poses of the frame. */
static void collider_refresh(tpi_collider_item *item)
{
    const tp_vector all = {FLT_MAX, FLT_MAX, FLT_MAX}, up = {0.0f, 1.0f, 0.0f};
    tp_pose to = item->pose_to, from = tpi_leaps(item, TPI_LEAP_NOW) ? to : item->pose_from;
    item->is_turning = from.rotation.w != to.rotation.w || from.rotation.x != to.rotation.x ||
                       from.rotation.y != to.rotation.y || from.rotation.z != to.rotation.z;
    item->is_moving = item->is_turning || from.position.x != to.position.x ||
                      from.position.y != to.position.y || from.position.z != to.position.z;
    item->normal = tpi_rotate(to.rotation, up);
    item->offset = tpi_dot(item->normal, to.position);
    item->scale = tpi_max(tpi_largest(from.position), tpi_largest(to.position));
    if (item->def.shape == TP_COLLIDER_MESH) /* its triangles may be as large as the whole mesh */
        item->scale += tpi_max(tpi_largest(item->bounds_low), tpi_largest(item->bounds_high));
    item->swept_low = all;
    item->swept_high = tpi_scale(all, -1.0f);
    if (tpi_collider_is_endless(&item->def)) {
        item->swept_low = tpi_scale(all, -1.0f);
        item->swept_high = all;
        return;
    }
    collider_sweep_corners(item);
    float wide =
        item->scale * 2.0f * TPI_SKIN_SHARE + (item->def.is_two_sided ? item->def.thickness : 0.0f);
    tp_vector margin = {wide, wide, wide};
    item->swept_low = tpi_sub(item->swept_low, margin);
    item->swept_high = tpi_add(item->swept_high, margin);
}

void tpi_collider_sweep(tpi_collider_item *item, tp_pose from, tp_pose to)
{
    item->pose_from = from;
    item->pose_to = to;
    collider_refresh(item);
}

/* What the pictures of the frame that ends have to know. */
static uint32_t collider_leapt(const tpi_collider_item *item)
{
    return TPI_HAS_DRAW && (item->leaps & (TPI_LEAP_NOW | TPI_LEAP_STILL)) ? TPI_LEAP_PAST : 0u;
}

void tpi_colliders_begin_frame(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot)) continue;
        if (!TPI_HAS_BODIES || !item->body) item->pose_past = item->pose_from;
        item->pose_from = item->pose_to;
        item->pose_to = item->pose_next;
        item->leaps =
            (uint8_t)(collider_leapt(item) | (tpi_leaps(item, TPI_LEAP_NEXT) ? TPI_LEAP_NOW : 0u));
        collider_refresh(item);
    }
}

/* ---- add, move, remove ---- */

uint64_t tpi_collider_geometry_bytes(uint32_t corners, const tp_collider_def *def,
                                     uint32_t room_entries)
{
    if (def->shape == TP_COLLIDER_MESH)
        return tpi_mesh_bytes(corners, def->vertex_count, def->triangle_count) +
               tpi_rooms_bytes(def, room_entries);
    if (def->shape != TP_COLLIDER_HEIGHTFIELD && def->shape != TP_COLLIDER_GRID) return 0;
    if (def->columns > TPI_SAMPLES_MAX || def->rows > TPI_SAMPLES_MAX ||
        def->layers > TPI_SAMPLES_MAX)
        return UINT64_MAX;
    uint64_t samples = (uint64_t)def->columns * def->rows;
    return samples > TPI_SAMPLES_MAX ? UINT64_MAX : samples * def->layers * sizeof(float);
}

static void collider_bound_samples(const tp_world *world, tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    const float *samples = tpi_floats(world, world->geometry + item->samples);
    float width = (float)(def->columns - 1u) * def->spacing,
          rows = (float)(def->rows - 1u) * def->spacing;
    float lowest = 0.0f, highest = samples[0];
    for (uint32_t s = 1; s < item->sample_count; s++) highest = tpi_max(highest, samples[s]);
    if (def->shape == TP_COLLIDER_HEIGHTFIELD) {
        item->bounds_low = tpi_vector(0.0f, -TPI_GROUND_DEPTH, 0.0f);
        item->bounds_high = tpi_vector(width, highest, rows);
        return;
    }
    /* outside the grid, the distance is at least the value at the nearest rim sample: where that is
       negative, the solid extends beyond the grid by up to the same distance */
    for (uint32_t s = 0; s < item->sample_count; s++) lowest = tpi_min(lowest, samples[s]);
    item->bounds_low = tpi_vector(lowest, lowest, lowest);
    item->bounds_high = tpi_vector(width - lowest, rows - lowest,
                                   (float)(def->layers - 1u) * def->spacing - lowest);
    item->lipschitz = tpi_grid_lipschitz(samples, def);
}

static void collider_bound(tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    tp_vector high = def->half;
    if (def->shape == TP_COLLIDER_SPHERE) high = tpi_vector(def->radius, def->radius, def->radius);
    if (def->shape == TP_COLLIDER_CAPSULE)
        high = tpi_vector(def->radius, def->radius + def->half.y, def->radius);
    item->bounds_high = high;
    item->bounds_low = tpi_scale(high, -1.0f);
}

/* Normalises a definition as an item stores it: without pointers, and in two dimensions without
   z. */
static void collider_settle(const tp_world *world, tp_collider_def *def)
{
    TPI_CLEAR_GAP(def, tp_collider_def, kills, species_mask);
    TPI_CLEAR_GAP(def, tp_collider_def, event_species, vertices);
    TPI_CLEAR_GAP(def, tp_collider_def, vertex_count, indices);
    TPI_CLEAR_GAP(def, tp_collider_def, triangle_count, samples);
    TPI_CLEAR_GAP(def, tp_collider_def, spacing, rooms);
    TPI_CLEAR_TAIL(def, tp_collider_def, room_words);
    def->vertices = NULL;
    def->indices = NULL;
    def->samples = NULL;
    def->rooms = NULL;
    def->pose = tpi_flat_pose(world, def->pose);
    def->half = tpi_flat(world, def->half);
    if (tpi_dimensions(world) == 2 && def->shape == TP_COLLIDER_BOX) def->half.z = TPI_FLAT_HALF;
}

/* The definition, with pointers into the geometry pool. */
static tp_collider_def collider_def_of(const tp_world *world, const tpi_collider_item *item)
{
    tp_collider_def def = item->def;
    bool is_mesh = def.shape == TP_COLLIDER_MESH;
    def.vertices =
        is_mesh ? (const tp_vector *)tpi_at(world, world->geometry + item->mesh.vertices) : NULL;
    def.indices = is_mesh ? tpi_words(world, world->geometry + item->mesh.indices) : NULL;
    def.samples = item->sample_count ? tpi_floats(world, world->geometry + item->samples) : NULL;
    def.rooms = tpi_has_rooms(item) ? tpi_rooms_words(world, item) : NULL;
    return def;
}

/* Recomputes the values derived from definition, geometry and poses. */
static void collider_derive(const tp_world *world, tpi_collider_item *item)
{
    item->lipschitz = 1.0f;
    if (item->def.shape == TP_COLLIDER_MESH) {
        tpi_mesh_derive(world, item);
        if (tpi_has_rooms(item)) {
            tp_collider_def def = collider_def_of(world, item);
            tpi_rooms_derive(world, item, &def);
        }
    } else if (item->sample_count > 0) {
        collider_bound_samples(world, item);
    } else {
        collider_bound(item);
    }
    if (tpi_dimensions(world) == 2) item->bounds_low.z = item->bounds_high.z = 0.0f;
    collider_refresh(item);
}

static void collider_store(const tp_world *world, uint32_t slot, const tp_collider_def *def,
                           uint32_t offset, uint32_t room_entries)
{
    tpi_collider_item *item = tpi_collider_at(world, slot);
    tpi_memset(item, 0, sizeof *item);
    item->room_entries = room_entries;
    item->def = *def;
    collider_settle(world, &item->def);
    item->pose_past = item->pose_from = item->pose_to = item->pose_next = item->def.pose;
    item->mesh = tpi_mesh_at(world, def, offset);
    if (def->shape == TP_COLLIDER_MESH) {
        tpi_mesh_store(world, item, def);
        if (tpi_has_rooms(item)) tpi_rooms_store(world, item, def);
    } else if (tpi_collider_geometry_bytes(tpi_mesh_corners(world), def, 0) > 0) {
        item->samples = offset;
        item->sample_count = def->columns * def->rows * def->layers;
        tpi_memcpy(tpi_floats(world, world->geometry + offset), def->samples,
                   item->sample_count * sizeof(float));
    }
    collider_derive(world, item);
}

uint64_t tp_collider_bytes(uint32_t dimensions, const tp_collider_def *definition)
{
    if (!definition || definition->stamp != TPI_STAMP_COLLIDER) return 0;
    uint32_t corners = TPI_HAS_EDGES && dimensions == 2 ? 2u : 3u, entries = 0;
    if (definition->shape == TP_COLLIDER_MESH && collider_check_mesh(dimensions, definition))
        return 0;
    if (definition->room_words > 0) {
        if (dimensions != 3 || tpi_rooms_check(definition)) return 0;
        entries = tpi_rooms_entries(definition);
    }
    uint64_t bytes = tpi_collider_geometry_bytes(corners, definition, entries);
    return bytes < UINT64_MAX ? (bytes + 3u) & ~(uint64_t)3u : 0u;
}

tp_result tp_collider_add(tp_world *world, const tp_collider_def *definition, tp_collider *collider)
{
    tp_result result =
        tpi_item_check(world, definition, TPI_STAMP_COLLIDER, collider ? &collider->id : NULL);
    if (result != TP_OK) return result;
    if (tp_collider_check(world, definition)) return TP_ERROR_DEFINITION;
    uint32_t offset = 0, room_entries = tpi_rooms_entries(definition);
    uint64_t bytes = tpi_collider_geometry_bytes(tpi_mesh_corners(world), definition, room_entries);
    if (bytes > world->def.geometry_bytes_max) {
        world->geometry_refused++;
        return TP_ERROR_FULL;
    }
    if (bytes > 0 && !tpi_geometry_take(world, (uint32_t)bytes, &offset)) return TP_ERROR_FULL;
    uint32_t slot =
        tpi_pool_take(&world->colliders, tpi_words(world, world->colliders.slots), &collider->id);
    if (slot == TPI_NO_SLOT) {
        tpi_geometry_free(world, offset, (uint32_t)bytes);
        return TP_ERROR_FULL;
    }
    tpi_step_cancel(world);
    collider_store(world, slot, definition, offset, room_entries);
    tpi_loads_clear(world, slot);
    return TP_OK;
}

static bool collider_has_body(const tp_world *world, uint32_t slot)
{
    return TPI_HAS_BODIES && tpi_collider_at(world, slot)->body != 0;
}

static tp_result collider_send(tp_world *world, tp_collider collider, tp_pose pose, uint32_t leaps)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_COLLIDERS, collider.id, &slot);
    if (result != TP_OK) return result;
    if (collider_has_body(world, slot)) return TP_ERROR_BODY;
    if (tpi_collider_check_pose(world, pose)) return TP_ERROR_DEFINITION;
    tpi_collider_item *item = tpi_collider_at(world, slot);
    item->pose_next = tpi_flat_pose(world, pose);
    item->leaps = (uint8_t)((item->leaps & ~TPI_LEAP_NEXT) | leaps);
    return TP_OK;
}

tp_result tp_collider_move(tp_world *world, tp_collider collider, tp_pose pose)
{
    return collider_send(world, collider, pose, 0u);
}

tp_result tp_collider_place(tp_world *world, tp_collider collider, tp_pose pose)
{
    return collider_send(world, collider, pose, TPI_LEAP_NEXT);
}

/* Completes a definition for a collider: its pose and its geometry stay. Null, or the first
   fault. */
static const char *collider_complete(const tp_world *world, uint32_t slot, tp_collider_def *def)
{
    tp_collider_def old = collider_def_of(world, tpi_collider_at(world, slot));
    bool is_stored = tpi_collider_geometry_bytes(tpi_mesh_corners(world), &old, 0) > 0;
    if (def->shape != old.shape && (is_stored || (uint32_t)def->shape > TP_COLLIDER_BOX))
        return TPI_TEXT("shape may not change from or to a mesh, heightfield or grid: "
                        "add another collider");
    def->pose = old.pose;
    if (is_stored) {
        def->vertices = old.vertices;
        def->vertex_count = old.vertex_count;
        def->indices = old.indices;
        def->triangle_count = old.triangle_count;
        def->samples = old.samples;
        def->columns = old.columns;
        def->rows = old.rows;
        def->layers = old.layers;
        def->spacing = old.spacing;
        def->rooms = old.rooms;
        def->room_words = old.room_words;
    }
    const char *text = tp_collider_check(world, def);
    collider_settle(world, def);
    if (!text && collider_has_body(world, slot)) text = tpi_body_check_change(&old, def);
    return text;
}

const char *tp_collider_set_check(const tp_world *world, tp_collider collider,
                                  const tp_collider_def *definition)
{
    uint32_t slot;
    tp_result result = tpi_change_check(world, TP_POOL_COLLIDERS, collider.id, definition,
                                        TPI_STAMP_COLLIDER, &slot);
    const char *text = tpi_change_fault(world, result);
    if (text) return text;
    tp_collider_def def = *definition;
    return collider_complete(world, slot, &def);
}

tp_result tp_collider_set(tp_world *world, tp_collider collider, const tp_collider_def *definition)
{
    uint32_t slot;
    tp_result result = tpi_change_check(world, TP_POOL_COLLIDERS, collider.id, definition,
                                        TPI_STAMP_COLLIDER, &slot);
    if (result != TP_OK) return result;
    tp_collider_def def = *definition;
    if (!tpi_takes_changes(world) || collider_complete(world, slot, &def))
        return TP_ERROR_DEFINITION;
    if (tpi_is_in_frame(world))
        tpi_change_put(world, TP_POOL_COLLIDERS, slot, &def);
    else
        tpi_collider_change(world, slot, &def);
    return TP_OK;
}

void tpi_collider_change(tp_world *world, uint32_t slot, const tp_collider_def *def)
{
    tpi_collider_item *item = tpi_collider_at(world, slot);
    item->def = *def;
    collider_settle(world, &item->def);
    world->changes++;
    if (collider_has_body(world, slot)) return; /* its shape is as before */
    if (tpi_collider_geometry_bytes(tpi_mesh_corners(world), &item->def, 0) == 0)
        collider_bound(item);
    if (tpi_dimensions(world) == 2) item->bounds_low.z = item->bounds_high.z = 0.0f;
    collider_refresh(item);
}

tp_result tp_collider_remove(tp_world *world, tp_collider collider)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_COLLIDERS, collider.id, &slot);
    if (result != TP_OK) return result;
    const tpi_collider_item *item = tpi_collider_at(world, slot);
    if (collider_has_body(world, slot)) return TP_ERROR_BODY;
    uint32_t offset = item->mesh.triangle_count ? item->mesh.vertices : item->samples;
    uint64_t bytes =
        tpi_collider_geometry_bytes(tpi_mesh_corners(world), &item->def, item->room_entries);
    if (tpi_bodies_used(world)) tpi_bodies_forget(world, slot);
    tpi_contacts_forget(world, slot);
    tpi_item_remove(world, TP_POOL_COLLIDERS, slot);
    tpi_geometry_free(world, offset, (uint32_t)bytes);
    return TP_OK;
}

/* ---- between two frames ---- */

tp_pose tpi_collider_now(const tp_world *world, const tpi_collider_item *item)
{
    if (TPI_HAS_BODIES && item->body) return tpi_body_at(world, item->body - 1u)->pose;
    if (!world->clock.frame_begun) return item->pose_to;
    if (world->clock.tick == 0) return item->pose_from;
    return tpi_collider_pose(item, (float)world->clock.tick / (float)TP_TICKS_PER_FRAME);
}

/* Where the frame of the last complete step began. */
static tp_pose collider_began(const tp_world *world, const tpi_collider_item *item)
{
    bool is_past = world->clock.frame_begun && world->clock.tick == 0;
    if (item->leaps & (is_past ? TPI_LEAP_PAST : TPI_LEAP_NOW | TPI_LEAP_STILL))
        return tpi_collider_now(world, item);
    return is_past || (TPI_HAS_BODIES && item->body) ? item->pose_past : item->pose_from;
}

/* The collider of a handle, for a call that writes to `to`. */
static tp_result collider_find(const tp_world *world, tp_collider collider, const void *to,
                               const tpi_collider_item **item)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_COLLIDERS, collider.id, &slot);
    if (result != TP_OK) return result;
    *item = tpi_collider_at(world, slot);
    return to ? TP_OK : TP_ERROR_NULL;
}

tp_result tp_collider_between(const tp_world *world, tp_collider collider, float alpha,
                              tp_pose *pose)
{
    const tpi_collider_item *item;
    tp_result result = collider_find(world, collider, pose, &item);
    if (result != TP_OK) return result;
    if (!tpi_is_within(alpha, 0.0f, 1.0f)) return TP_ERROR_DEFINITION;
    const tp_pose from = collider_began(world, item), to = tpi_collider_now(world, item);
    *pose = alpha == 0.0f ? from : alpha == 1.0f ? to : tpi_pose_lerp(from, to, alpha);
    return TP_OK;
}

tp_result tp_collider_room(const tp_world *world, tp_collider collider, tp_vector point,
                           int32_t *room)
{
    const tpi_collider_item *item;
    tp_result result = collider_find(world, collider, room, &item);
    if (result != TP_OK) return result;
    if (!tpi_has_rooms(item) || !tpi_is_vector_within(point, TPI_POSITION_MAX))
        return TP_ERROR_DEFINITION;
    *room = tpi_rooms_at(world, item, tpi_to_local(tpi_collider_now(world, item), point));
    return TP_OK;
}

/* ---- an item of an untrusted block ---- */

static const char *collider_audit_geometry(const tp_world *world, const tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    tpi_mesh mesh = tpi_mesh_at(world, def, item->mesh.vertices);
    bool has_samples = def->shape != TP_COLLIDER_MESH &&
                       tpi_collider_geometry_bytes(tpi_mesh_corners(world), def, 0) > 0;
    uint32_t samples = has_samples ? def->columns * def->rows * def->layers : 0;
    if (tpi_is_same(&mesh, &item->mesh, sizeof mesh) && item->sample_count == samples) return NULL;
    return TPI_TEXT("a mesh or samples as large as the collider's definition says");
}

static bool collider_bools_are_good(const tp_collider_def *def)
{
    return tpi_is_good_bool(&def->is_hollow) && tpi_is_good_bool(&def->is_two_sided) &&
           tpi_is_good_bool(&def->kills) && tpi_is_good_bool(&def->conducts);
}

const char *tpi_collider_audit_change(const tp_world *world, uint32_t slot,
                                      const tp_collider_def *def)
{
    tp_collider_def copy = *def;
    if (copy.stamp != TPI_STAMP_COLLIDER) return tp_result_text(TP_ERROR_STAMP);
    if (!collider_bools_are_good(def)) return TPI_TEXT("bools of a collider: true or false");
    return collider_complete(world, slot, &copy);
}

/* True if the body that a collider names is alive and names the collider. */
static bool collider_has_its_body(const tp_world *world, uint32_t slot)
{
    uint32_t body = tpi_collider_at(world, slot)->body;
    if (!body) return true;
    return TPI_HAS_BODIES && body <= world->bodies.capacity &&
           tpi_pool_is_alive(tpi_words(world, world->bodies.slots), body - 1u) &&
           tpi_body_at(world, body - 1u)->collider == slot;
}

static uint32_t collider_leaps_all(void)
{
    return (TPI_HAS_CHANGES ? TPI_LEAP_NOW | TPI_LEAP_NEXT : 0u) |
           (TPI_HAS_DRAW ? TPI_LEAP_PAST | TPI_LEAP_STILL : 0u);
}

const char *tpi_collider_audit(const tp_world *world, uint32_t slot)
{
    const tpi_collider_item *item = tpi_collider_at(world, slot);
    const tp_pose *const poses[4] = {&item->pose_past, &item->pose_from, &item->pose_to,
                                     &item->pose_next};
    if (!collider_bools_are_good(&item->def)) return TPI_TEXT("bools of a collider: true or false");
    const char *text = collider_audit_geometry(world, item);
    if (text) return text;
    if (!collider_has_its_body(world, slot))
        return TPI_TEXT("no body of a collider, or a living one that has this collider");
    if (item->leaps & ~(item->body ? 0u : collider_leaps_all()))
        return TPI_TEXT("four bits of a collider's leaps, and 0 of a body's");
    tp_collider_def def = collider_def_of(world, item);
    text = tp_collider_check(world, &def);
    if (!text && tpi_has_rooms(item) && tpi_rooms_entries(&def) != item->room_entries)
        return TPI_TEXT("lists of rooms as long as the collider's definition says");
    for (uint32_t k = 0; k < 4 && !text; k++) text = tpi_collider_check_pose(world, *poses[k]);
    return text;
}

void tpi_collider_derive(tp_world *world, uint32_t slot)
{
    tpi_collider_item *item = tpi_collider_at(world, slot);
    collider_settle(world, &item->def);
    item->pose_past = tpi_flat_pose(world, item->pose_past);
    item->pose_from = tpi_flat_pose(world, item->pose_from);
    item->pose_to = tpi_flat_pose(world, item->pose_to);
    item->pose_next = tpi_flat_pose(world, item->pose_next);
    collider_derive(world, item);
}

#undef TPI_FLAT_HALF
#undef TPI_SAMPLES_MAX
#undef TPI_GROUND_DEPTH
