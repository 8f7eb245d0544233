/* SPDX-License-Identifier: MIT
   runtime/world/world.c - the block of a world: its size, its layout, its creation, and edits of
           particles.
   reads   tp_world_def      writes  the block
   memory  bytes per particle: 76 in 2D, 96 in 3D, + 4 for births, + 4 + 2 neighbours_max if
           neighbours are stored; and the pools
   cost    O(1) to compute the size, O(particles_max) to create
   after   one function computes the size and lays out, so the two cannot differ */
#include "block.h"
#include "box.h"
#include "change.h"
#include "heat.h"
#include "load.h"
#include "event.h"
#include "solver.h"
#include "../base/prime.h"

static uint32_t world_take(tpi_layout *layout, const char *name, const tp_world_def *def)
{
    return tpi_layout_take(layout, name, def->particles_max, 4);
}

/* Plans a dense table of all cells of a box that is periodic along every axis, one level after
   another. False if it would have more than `most` entries. */
static bool world_plan_dense(const tp_world_def *def, uint32_t most, tpi_grid *grid)
{
    uint64_t entries = 0, stride = 1;
    tpi_levels levels;
    tpi_box box;
    tpi_memset(&levels, 0, sizeof levels);
    tpi_memset(&box, 0, sizeof box);
    if (!tpi_solver_cells(def, &levels, &box)) return false;
    tpi_memcpy(levels.cells[0], box.cells, sizeof box.cells);
    for (uint32_t axis = 0; axis < 3; axis++) {
        /* cell coordinates in a box are 65536 .. 131071 */
        grid->shift[axis] = 16;
        grid->stride[axis] = (uint32_t)stride;
        if (axis + 1u < tpi_def_dimensions(def))
            stride = stride <= most ? stride * box.cells[axis] : stride;
    }
    for (uint32_t level = 0; level < levels.count; level++) {
        grid->level_entry[level] = (uint32_t)entries;
        uint64_t more = stride * levels.cells[level][tpi_def_dimensions(def) - 1u];
        entries = entries <= most && more > 0 ? entries + more : (uint64_t)most + 1u;
    }
    grid->bucket_count = 1;
    grid->cells_shift = 31;
    grid->entry_count = (uint32_t)entries;
    return stride > 0 && entries <= most;
}

/* Districts are at most 64 x 64 cells in 2D and 32 x 32 x 32 in 3D, and have half as many blocks as
   there are buckets: longer along z, then y, where blocks are short. */
static void world_plan_districts(uint32_t dimensions, tpi_grid *grid)
{
    static const uint8_t most[2][3] = {{2, 5, 0}, {2, 3, 4}};
    uint32_t blocks = 128;
    for (uint32_t axis = 0; axis < 3; axis++) grid->district[axis] = most[dimensions - 2u][axis];
    if (dimensions == 3) blocks = 512;
    for (; blocks > 1u && 2u * blocks > grid->bucket_count; blocks /= 2u) {
        uint32_t widest = 0, width = 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t cells = grid->district[axis] + grid->shift[axis];
            if (grid->district[axis] == 0 || cells < width) continue;
            widest = axis;
            width = cells;
        }
        grid->district[widest]--;
    }
}

/* The number of table entries: half the number of particles where memory matters, else two or four
   times as many, so that few buckets are shared. Or one entry per cell of the box if that needs at
   most four times as many. Results do not depend on it. */
static tpi_grid world_plan_grid(const tp_world_def *def, tpi_neighbour_needs needs)
{
    tpi_grid grid = {0};
    uint32_t entries =
        needs.list_capacity || needs.is_sparse ? def->particles_max * 4u : def->particles_max / 2u;
    if (world_plan_dense(def, entries, &grid)) return grid;
    if (needs.list_capacity && needs.saves_memory) entries = def->particles_max * 2u;
    tpi_memset(grid.level_entry, 0, sizeof grid.level_entry);
    /* in 3D a sheet meets few cells of a block: smaller ones share fewer buckets */
    grid.shift[0] = tpi_def_dimensions(def) == 2 ? 4 : 3;
    grid.shift[1] = tpi_def_dimensions(def) == 2 || needs.is_sparse ? 1 : 2;
    grid.shift[2] = tpi_def_dimensions(def) == 2 ? 0 : 1;
    grid.cells_shift = grid.shift[0] + grid.shift[1] + grid.shift[2];
    grid.stride[0] = 1;
    grid.stride[1] = 1u << grid.shift[0];
    grid.stride[2] = grid.stride[1] << grid.shift[1];
    grid.bucket_count = tpi_prime_at_least((entries >> grid.cells_shift) + 1u);
    grid.entry_count = grid.bucket_count << grid.cells_shift;
    world_plan_districts(tpi_def_dimensions(def), &grid);
    return grid;
}

static void world_layout_lists(tpi_world_plan *plan, tpi_layout *layout, const tp_world_def *def,
                               tpi_neighbour_needs needs)
{
    static const char listed_names[3][12] = {"listed x", "listed y", "listed z"};
    tpi_arrays *a = &plan->arrays;
    if (!needs.list_capacity) return;
    a->row = tpi_layout_take(layout, "pair rows", (uint64_t)def->particles_max + 1u, 4);
    uint64_t halves = (uint64_t)def->particles_max * needs.neighbours_max / 2u;
    a->pair = tpi_layout_take(layout, "pairs", halves + 1u, 4);
    plan->pairs = def->particles_max * needs.neighbours_max / 2u;
    for (uint32_t axis = 0; axis < tpi_def_dimensions(def) && needs.keeps_lists; axis++)
        a->listed[axis] = world_take(layout, listed_names[axis], def);
}

static void world_layout_forces(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char names[3][16] = {"force x, kick", "force y, kick", "force z, kick"};
    for (uint32_t axis = 0; axis < tpi_def_dimensions(def); axis++)
        arrays->force[axis] = world_take(layout, names[axis], def);
}

/* A solver with stages, but without a grid. */
static void world_layout_stages(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    world_layout_forces(arrays, layout, def);
    uint32_t constants_bytes = tpi_solver_layout(arrays, layout, def);
    arrays->solver = tpi_layout_take(layout, "solver constants", 1, constants_bytes);
}

static void world_layout_neighbours(tpi_world_plan *plan, tpi_layout *layout,
                                    const tp_world_def *def)
{
    tpi_arrays *a = &plan->arrays;
    tpi_neighbour_needs needs = tpi_solver_needs(def);
    plan->grid = world_plan_grid(def, needs);
    /* Arrays read by whole vectors end before this one and force arrays begin after it: no thread
       loads words that another thread writes. */
    a->nearest = tpi_layout_take(layout, "nearest scratch", needs.neighbours_max, 8);
    a->start = tpi_layout_take(layout, "grid entries", (uint64_t)plan->grid.entry_count + 1u, 4);
    a->owner = tpi_layout_take(layout, "grid owners", plan->grid.bucket_count, 8);
    world_layout_forces(a, layout, def);
    if (!needs.saves_memory) a->neighbours = world_take(layout, "neighbour counts", def);
    a->limit_distance = world_take(layout, "limit distances", def);
    a->limit_id = world_take(layout, "limit ids", def);
    uint32_t constants_bytes = tpi_solver_layout(a, layout, def);
    a->solver = tpi_layout_take(layout, "solver constants", 1, constants_bytes);
    world_layout_lists(plan, layout, def, needs);
}

static void world_layout_particles(tpi_world_plan *plan, tpi_layout *layout,
                                   const tp_world_def *def)
{
    static const char x_names[2][3][16] = {
        {"position x", "position y", "position z"},
        {"next position x", "next position y", "next position z"}};
    static const char v_names[2][3][16] = {
        {"velocity x", "velocity y", "velocity z"},
        {"next velocity x", "next velocity y", "next velocity z"}};
    tpi_arrays *a = &plan->arrays;
    for (uint32_t set = 0; set < 2; set++) {
        for (uint32_t axis = 0; axis < tpi_def_dimensions(def); axis++) {
            a->x[set][axis] = world_take(layout, x_names[set][axis], def);
            a->v[set][axis] = world_take(layout, v_names[set][axis], def);
        }
    }
    a->id = world_take(layout, "id", def);
    a->order = world_take(layout, "order", def);
    a->meta = world_take(layout, "meta", def);
    a->next_meta = world_take(layout, "next meta, keys, sums", def);
    if (def->keeps_births) a->birth = world_take(layout, "birth", def);
    if (def->keeps_births || tpi_def_has_stages(def))
        a->next_birth = world_take(layout, "next birth, counts, sums", def);
    if (tpi_def_carried(def) > 0)
        plan->carried = tpi_layout_take(layout, "words, last positions, contacts",
                                        2u * tpi_def_carried(def), tpi_carried_bytes(def));
}

/* Bytes of an item of each pool. Settings at the end of items of emitters and fields are left out
   of worlds whose definition does not ask for them. */
static uint32_t world_item_bytes(const tp_world_def *def, tp_pool kind)
{
    switch (kind) {
    case TP_POOL_EMITTERS:
        return TPI_HAS_FEEDS && def->feeds_max ? (uint32_t)sizeof(tpi_emitter_item)
                                               : (uint32_t)offsetof(tpi_emitter_item, feed);
    case TP_POOL_SINKS: return (uint32_t)sizeof(tpi_sink_item);
    case TP_POOL_FIELDS: /* a multiple of 8: see noise_key */
        return tpi_def_keeps_curves(def) ? (uint32_t)sizeof(tpi_field_item)
                                         : ((uint32_t)offsetof(tpi_field_item, curve) + 7u) & ~7u;
    case TP_POOL_COLLIDERS: return (uint32_t)sizeof(tpi_collider_item);
    case TP_POOL_LINKS: return (uint32_t)sizeof(tpi_link_item);
    default: return (uint32_t)sizeof(tpi_body_item);
    }
}

static void world_layout_pools(tpi_world_plan *plan, tpi_layout *layout, const tp_world_def *def)
{
    const uint32_t capacities[TPI_POOLS] = {def->emitters_max,  def->sinks_max, def->fields_max,
                                            def->colliders_max, def->links_max, def->bodies_max};
    static const char slot_names[TPI_POOLS][16] = {"emitter slots",  "sink slots", "field slots",
                                                   "collider slots", "link slots", "body slots"};
    static const char item_names[TPI_POOLS][16] = {"emitters",  "sinks", "fields",
                                                   "colliders", "links", "bodies"};
    for (uint32_t p = 0; p < (def->bodies_max ? TPI_POOLS : TPI_POOLS - 1u); p++) {
        tpi_pool *pool = &plan->pools[p];
        pool->capacity = capacities[p];
        pool->item_bytes = world_item_bytes(def, (tp_pool)(p + TP_POOL_EMITTERS));
        pool->slots = tpi_layout_take(layout, slot_names[p], capacities[p], 4);
        pool->items = tpi_layout_take(layout, item_names[p], capacities[p], pool->item_bytes);
    }
    plan->geometry = tpi_layout_take(layout, "geometry", def->geometry_bytes_max, 1);
    if (def->pool_policy == TP_POOL_RECYCLE)
        plan->recycle_histogram = tpi_layout_take(layout, "recycle histogram", 256, 4);
    if (tpi_def_has_loads(def))
        plan->loads = tpi_layout_take(layout, "loads", def->colliders_max, sizeof(tpi_load_item));
    if (tpi_def_takes_changes(def))
        plan->changed = tpi_layout_take(layout, "changes", 1, tpi_changes_bytes(def));
    if (TPI_HAS_EVENTS && def->events_max)
        plan->events = tpi_layout_take(layout, "events", 2u * def->events_max, sizeof(tp_event));
    if (TPI_HAS_FEEDS && def->feeds_max)
        plan->feeds =
            tpi_layout_take(layout, "events of emitters", def->feeds_max, sizeof(tp_event));
    if (TPI_HAS_LINKS && def->links_max) /* sums of 8 bytes, then 256 words */
        plan->link_sums =
            tpi_layout_take(layout, "link forces",
                            (uint64_t)def->particles_max * tpi_def_dimensions(def) + 128u, 8);
}

/* The only function that walks over the layout of a block. */
static void world_layout(tpi_world_plan *plan, tpi_layout *layout, const tp_world_def *def)
{
    tpi_memset(plan, 0, sizeof *plan);
    (void)tpi_layout_take(layout, "world", 1, sizeof(tp_world));
    world_layout_pools(plan, layout, def);
    world_layout_particles(plan, layout, def);
    if (tpi_def_has(def, TPI_SOLVER_NEIGHBOURS)) world_layout_neighbours(plan, layout, def);
    if (tpi_def_has(def, TPI_SOLVER_STAGES)) world_layout_stages(&plan->arrays, layout, def);
    (void)tpi_layout_take(layout, "vector tail", TPI_LANES_MAX,
                          4); /* padding after the last array, for vector loads */
}

static tp_result world_measure(const tp_world_def *def, tpi_world_plan *plan, tpi_layout *layout)
{
    if (!def) return TP_ERROR_NULL;
    if (def->stamp != TPI_STAMP_WORLD) return TP_ERROR_STAMP;
    if (tpi_world_check_fields(def)) return TP_ERROR_DEFINITION;
    world_layout(plan, layout, def);
    return layout->bytes > TPI_LAYOUT_MAX ? TP_ERROR_DEFINITION : TP_OK;
}

uint64_t tpi_world_plan_of(const tp_world_def *def, tpi_world_plan *plan)
{
    tpi_layout layout = {0};
    world_layout(plan, &layout, def);
    return layout.bytes;
}

uint64_t tpi_world_bytes(const tp_world_def *def)
{
    tpi_world_plan plan;
    return tpi_world_plan_of(def, &plan);
}

tp_result tp_world_memory(const tp_world_def *definition, size_t *bytes)
{
    tpi_world_plan plan;
    tpi_layout layout = {0};
    if (!bytes) return TP_ERROR_NULL;
    *bytes = 0;
    tp_result result = world_measure(definition, &plan, &layout);
    if (result == TP_OK) *bytes = (size_t)layout.bytes;
    return result;
}

tp_result tp_world_memory_parts(const tp_world_def *definition, tp_memory_part *parts,
                                uint32_t *count)
{
    tpi_world_plan plan;
    tpi_layout layout = {.parts = parts};
    if (!parts || !count) return TP_ERROR_NULL;
    tp_result result = world_measure(definition, &plan, &layout);
    *count = result == TP_OK ? layout.part_count : 0;
    return result;
}

void tpi_world_derive(tp_world *world)
{
    tpi_constants *constants = &world->constants;
    const tp_world_def *def = &world->def;
    tpi_memset(constants, 0, sizeof *constants);
    float frame =
        (float)def->frames_per_second_denominator / (float)def->frames_per_second_numerator;
    constants->seconds_per_tick = frame / (float)TP_TICKS_PER_FRAME;
    tpi_neighbour_needs needs = tpi_solver_needs(def);
    constants->neighbours_max = needs.neighbours_max;
    constants->cell_max = needs.cell_max;
    constants->list_capacity = needs.list_capacity;
    constants->list_shift = needs.list_shift;
    constants->keeps_lists = needs.keeps_lists;
    constants->is_still = needs.is_still;
    tpi_solver_derive(world);
}

static void world_place_pools(tp_world *world, const tpi_world_plan *plan)
{
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++)
        *tpi_item_pool(world, p) = plan->pools[p - TP_POOL_EMITTERS];
    world->geometry = plan->geometry;
    world->recycle_histogram = plan->recycle_histogram;
    world->loads = plan->loads;
    world->changed = plan->changed;
    world->carried = plan->carried;
    world->events = plan->events;
    world->feeds = plan->feeds;
    if (TPI_HAS_LINKS) world->link_sums = plan->link_sums;
}

void tpi_world_settle(tp_world_def *def)
{
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        TPI_CLEAR_GAP(&def->species[s], tp_species, is_tracer, epsilon);
    TPI_CLEAR_GAP(def, tp_world_def, keeps_curves, speed_max);
    TPI_CLEAR_GAP(&def->substeps, tp_substeps, compat, courant);
    TPI_CLEAR_TAIL(&def->sph, tp_sph, springs_at_rest);
    TPI_CLEAR_GAP(&def->pair, tp_pair, stores_neighbours, mix_count);
    bool *const bools[] = {TPI_DEF_BOOLS(def)};
    for (uint32_t k = 0; k < sizeof bools / sizeof bools[0]; k++) {
        unsigned char *byte = (unsigned char *)bools[k];
        *byte = *byte != 0;
    }
}

tp_result tp_world_create(const tp_world_def *definition, void *block, size_t bytes,
                          tp_world **world)
{
    tpi_world_plan plan;
    tpi_layout layout = {0};
    if (!block || !world) return TP_ERROR_NULL;
    *world = NULL;
    tp_result result = world_measure(definition, &plan, &layout);
    if (result == TP_OK) result = tpi_layout_clear(&layout, block, bytes);
    if (result != TP_OK) return result;
    tp_world *made = (tp_world *)block;
    made->cookie = TPI_COOKIE_WORLD;
    made->layout_stamp = TPI_LAYOUT_STAMP;
    made->bytes = layout.bytes;
    made->def = *definition;
    tpi_world_settle(&made->def);
    made->arrays = plan.arrays;
    made->grid = plan.grid;
    world_place_pools(made, &plan);
    tpi_world_derive(made);
    made->pairs_pool.capacity = plan.pairs;
    made->clock.step_fraction = 1.0f;
    made->clock.stable_fraction = 1.0f;
    *world = made;
    return TP_OK;
}

tp_world *tp_world_at(void *block, size_t bytes)
{
    tp_world *world = (tp_world *)block;
    if (!block || ((uintptr_t)block & 15u) || bytes < sizeof *world) return NULL;
    return tpi_world_check_block(world) == TP_OK && world->bytes <= bytes ? world : NULL;
}

const tp_world_def *tp_world_definition(const tp_world *world)
{
    if (tpi_world_check_block(world) != TP_OK) return NULL;
    const void *waits = tpi_change_of(world, TPI_POOL_WORLD, 0);
    return waits ? (const tp_world_def *)waits : &world->def;
}

tp_result tpi_world_check_block(const tp_world *world)
{
    if (!world) return TP_ERROR_NULL;
    if (world->cookie != TPI_COOKIE_WORLD || world->layout_stamp != TPI_LAYOUT_STAMP)
        return TP_ERROR_BLOCK;
    return TP_OK;
}

void tpi_step_cancel(tp_world *world)
{
    if (world->step.active) world->report.steps_restarted++;
    world->changes++;
    world->step.active = false;
    /* forces and lists share memory with the step, or their input changes */
    world->forces_fresh = world->list_valid = false;
}

bool tpi_pose_is_good(tp_pose pose)
{
    tp_quaternion q = pose.rotation;
    float square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return tpi_is_finite_vector(pose.position) && square > 0.999f && square < 1.001f;
}

bool tpi_geometry_take(tp_world *world, uint32_t bytes, uint32_t *offset)
{
    uint64_t rounded = ((uint64_t)bytes + 3u) & ~(uint64_t)3u;
    if (rounded > world->def.geometry_bytes_max - world->geometry_used) {
        world->geometry_refused++;
        return false;
    }
    *offset = world->geometry_used;
    world->geometry_used += (uint32_t)rounded;
    world->geometry_peak = tpi_max_u32(world->geometry_peak, world->geometry_used);
    return true;
}

static void world_move_down(uint32_t *offset, uint32_t behind, uint32_t bytes)
{
    if (*offset >= behind) *offset -= bytes;
}

static void world_move_mesh_down(tpi_mesh *mesh, uint32_t behind, uint32_t bytes)
{
    world_move_down(&mesh->vertices, behind, bytes);
    world_move_down(&mesh->indices, behind, bytes);
    world_move_down(&mesh->extra, behind, bytes);
}

void tpi_geometry_free(tp_world *world, uint32_t offset, uint32_t bytes)
{
    uint32_t rounded = (bytes + 3u) & ~3u, behind = offset + rounded;
    char *pool = (char *)tpi_at(world, world->geometry);
    if (rounded == 0) return;
    tpi_memmove(pool + offset, pool + behind, world->geometry_used - behind);
    world->geometry_used -= rounded;
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++)
        world_move_mesh_down(&tpi_emitter_at(world, slot)->mesh, behind, rounded);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        world_move_mesh_down(&tpi_collider_at(world, slot)->mesh, behind, rounded);
        world_move_down(&tpi_collider_at(world, slot)->samples, behind, rounded);
    }
}

/* ---- particles ---- */

tp_view tp_world_view(const tp_world *world)
{
    tp_view view = {0};
    if (tpi_world_check_block(world) != TP_OK) return view;
    bool is_3d = tpi_dimensions(world) == 3;
    view.count = world->count;
    view.x = tpi_front_x(world, 0);
    view.y = tpi_front_x(world, 1);
    view.z = is_3d ? tpi_front_x(world, 2) : NULL;
    view.vx = tpi_front_v(world, 0);
    view.vy = tpi_front_v(world, 1);
    view.vz = is_3d ? tpi_front_v(world, 2) : NULL;
    view.id = tpi_words(world, world->arrays.id);
    view.meta = tpi_words(world, world->arrays.meta);
    view.birth = world->def.keeps_births ? tpi_words(world, world->arrays.birth) : NULL;
    if (tpi_has_strengths(world)) {
        view.strength_x = tpi_front_kept(world, 0);
        view.strength_y = tpi_front_kept(world, 1);
        view.strength_z = tpi_front_kept(world, 2);
        view.fuel = tpi_front_kept(world, TPI_KEPT_FUEL);
    } else {
        view.pressure = tpi_front_kept(world, 0);
    }
    view.temperature = tpi_front_kept(world, tpi_kept_temperature(&world->def));
    if (tpi_def_keeps_words(&world->def)) view.word = tpi_carried(world, world->front, 0);
    return view;
}

void tpi_last_reset(const tp_world *world, uint32_t begin, uint32_t end)
{
    for (uint32_t axis = 0; tpi_def_keeps_last(&world->def) && axis < tpi_dimensions(world); axis++)
        for (uint32_t i = begin; i < end; i++)
            tpi_last_x(world, axis)[i] = tpi_front_x(world, axis)[i];
}

void tpi_particle_put(tp_world *world, uint32_t index, tp_vector position, tp_vector velocity)
{
    position = tpi_box_wrap_vector(&world->constants.box, position);
    const float x[3] = {position.x, position.y, position.z},
                v[3] = {velocity.x, velocity.y, velocity.z};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there are 2 or 3 dimensions */
        tpi_front_x(world, axis)[index] = tpi_flush(x[axis]);
        tpi_front_v(world, axis)[index] = tpi_flush(v[axis]);
    }
    tpi_last_reset(world, index, index + 1u);
}

tp_result tpi_particle_check(tp_vector position, tp_vector velocity)
{
    bool is_good = tpi_is_vector_within(position, TPI_POSITION_MAX) &&
                   tpi_is_vector_within(velocity, TPI_SPEED_MAX);
    return is_good ? TP_OK : TP_ERROR_DEFINITION;
}

tp_result tp_particle_add(tp_world *world, tp_vector position, tp_vector velocity, uint32_t species,
                          uint32_t *id)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (species >= world->def.species_count) return TP_ERROR_DEFINITION;
    position = tpi_flat(world, position);
    velocity = tpi_flat(world, velocity);
    result = tpi_particle_check(position, velocity);
    if (result != TP_OK) return result;
    if (world->count >= world->def.particles_max || tpi_ids_left(world) == 0) {
        world->births_refused++;
        return TP_ERROR_FULL;
    }
    tpi_step_cancel(world);
    uint32_t index = world->count++;
    world->count_peak = tpi_max_u32(world->count_peak, world->count);
    tpi_particle_put(world, index, position, velocity);
    tpi_words(world, world->arrays.id)[index] = world->clock.next_id;
    tpi_words(world, world->arrays.meta)[index] = species;
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++)
        if (tpi_front_kept(world, k))
            tpi_front_kept(world, k)[index] =
                k == TPI_KEPT_FUEL ? tpi_fuel_of(&world->def, species) : 0.0f;
    if (tpi_has_springs(world)) tpi_springs_clear(world, world->front, index, index + 1u);
    if (tpi_def_keeps_words(&world->def)) tpi_carried(world, world->front, 0)[index] = 0;
    if (tpi_def_keeps_contacts(&world->def)) tpi_contacts(world, world->front)[index] = 0;
    if (world->def.keeps_births)
        tpi_words(world, world->arrays.birth)[index] = (uint32_t)tpi_now(world);
    if (id) *id = world->clock.next_id;
    tpi_event_add_particle(world, index);
    world->clock.next_id++;
    world->report.born++;
    return TP_OK;
}

tp_result tp_particle_set(tp_world *world, uint32_t index, tp_vector position, tp_vector velocity)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (index >= world->count) return TP_ERROR_HANDLE;
    position = tpi_flat(world, position);
    velocity = tpi_flat(world, velocity);
    result = tpi_particle_check(position, velocity);
    if (result != TP_OK) return result;
    tpi_step_cancel(world);
    tpi_particle_put(world, index, position, velocity);
    return TP_OK;
}

tp_result tp_particle_heat(tp_world *world, uint32_t index, float temperature)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (index >= world->count) return TP_ERROR_HANDLE;
    if (!tpi_has_heat(&world->def) || !tpi_is_within(temperature, -FLT_MAX, FLT_MAX))
        return TP_ERROR_DEFINITION;
    tpi_step_cancel(world);
    tpi_front_kept(world, tpi_kept_temperature(&world->def))[index] =
        tpi_heat_round(&world->def, temperature);
    return TP_OK;
}

tp_result tp_particles_clear(tp_world *world)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    tpi_step_cancel(world);
    tpi_event_clear_particles(world);
    world->report.died += world->count;
    world->count = 0;
    return TP_OK;
}
