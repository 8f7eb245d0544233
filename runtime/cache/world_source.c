/* SPDX-License-Identifier: MIT
   runtime/cache/world_source.c - tp_world_source: callbacks to read, simulate and restore a world.
   reads   the front set, clock and pools
   writes  the back set; the whole world at a restore's end
   memory  none of its own      cost  O(1) per particle and stream; O(pools) for the extra block
   after   own design: a restore fills the back set and exchanges the sets, as a step does */
#include "cache.h"
#include "../world/block.h"
#include "../world/change.h"
#include "../world/heat.h"
#include "../world/load.h"
#include "../solve/solve.h"
#include "../world/event.h"
#include "../solve/cloth/cloth.h"
#include "../base/bytes.h"

/* ---- particles ---- */

enum { TPI_WORLD_ID, TPI_WORLD_POSITION, TPI_WORLD_VELOCITY, TPI_WORLD_META, TPI_WORLD_BIRTH };

static bool world_source_frame(void *context, uint64_t *frame)
{
    const tp_world *world = (const tp_world *)context;
    *frame = world->clock.frame;
    return world->clock.tick == 0 && !world->clock.frame_begun;
}

static uint32_t world_source_count(void *context) { return ((const tp_world *)context)->count; }

static bool world_source_has_pressure(const tp_world *world)
{
    return tpi_front_kept(world, 0) && !tpi_has_strengths(world);
}

/* The last streams hold the numbers that the solver keeps: pressures, then temperatures; or
   strengths, then temperatures, then fuel. Returns how many numbers a stream has, and the first of
   them; 0: another stream. */
static uint32_t world_source_kept(const tp_world *world, uint32_t stream, uint32_t *first)
{
    uint32_t next = world->def.keeps_births ? TPI_WORLD_BIRTH + 1u : TPI_WORLD_BIRTH;
    bool has_pressure = world_source_has_pressure(world), has_heat = tpi_has_heat(&world->def);
    *first = has_pressure && stream == next ? 0u : TPI_KEPT_TEMPERATURE;
    if (tpi_has_strengths(world)) {
        *first = stream == next ? 0u : TPI_KEPT_WARMTH + (stream - next - 1u);
        if (stream == next) return 3u;
        return tpi_has_fire(&world->def) && stream > next && stream <= next + 2u ? 1u : 0u;
    }
    if (has_pressure && stream == next) return TPI_KEPT_TEMPERATURE;
    return has_heat && stream == next + has_pressure ? 1u : 0u;
}

/* Behind them are the stream of the words of the application and that of contacts, if there are
   any. The number that particles carry, or UINT32_MAX: another stream. */
static uint32_t world_source_carried(const tp_world *world, uint32_t stream)
{
    const bool has_words = tpi_def_keeps_words(&world->def);
    uint32_t streams = world->def.keeps_births ? 5u : 4u;
    if (tpi_front_kept(world, 0)) streams++; /* pressures or strengths */
    if (tpi_has_heat(&world->def)) streams++;
    if (tpi_has_fire(&world->def)) streams++; /* fuel */
    if (has_words && stream == streams) return 0;
    const bool is_contact =
        tpi_def_keeps_contacts(&world->def) && stream == streams + (has_words ? 1u : 0u);
    return is_contact ? tpi_def_carried(&world->def) - 1u : UINT32_MAX;
}

/* The array of one component of a stream: in the front set, or the one that a restore fills. */
static uint32_t *world_source_array(const tp_world *world, uint32_t stream, uint32_t axis,
                                    bool is_back)
{
    const tpi_arrays *a = &world->arrays;
    uint32_t set = world->front ^ (is_back ? 1u : 0u), first,
             carried = world_source_carried(world, stream);
    if (world_source_kept(world, stream, &first))
        return tpi_words(world, a->kept[set][first + axis]);
    if (carried != UINT32_MAX) return tpi_carried(world, set, carried);
    switch (stream) {
    case TPI_WORLD_ID: return tpi_words(world, is_back ? a->order : a->id);
    case TPI_WORLD_POSITION: return tpi_words(world, a->x[set][axis]);
    case TPI_WORLD_VELOCITY: return tpi_words(world, a->v[set][axis]);
    case TPI_WORLD_META: return tpi_words(world, is_back ? a->next_meta : a->meta);
    default: return tpi_words(world, is_back ? a->next_birth : a->birth);
    }
}

static uint32_t world_source_components(const tp_world *world, uint32_t stream)
{
    uint32_t first, kept = world_source_kept(world, stream, &first);
    if (kept) return kept;
    return stream == TPI_WORLD_POSITION || stream == TPI_WORLD_VELOCITY ? tpi_dimensions(world)
                                                                        : 1u;
}

static void world_source_read(void *context, uint32_t stream, const uint32_t *places,
                              uint32_t count, void *values)
{
    const tp_world *world = (const tp_world *)context;
    for (uint32_t axis = 0; axis < world_source_components(world, stream); axis++) {
        const uint32_t *from = world_source_array(world, stream, axis, false);
        uint32_t *to = (uint32_t *)values + axis * TP_TILE;
        for (uint32_t i = 0; i < count; i++) to[i] = places[i] < world->count ? from[places[i]] : 0;
    }
}

/* ---- restoring: a mark in world->step says that a restore is in progress; a step that begins
   before it ends overwrites the mark, which cancels the restore ---- */

#define TPI_RESTORE_MARK 0x52535452u

static tp_result world_source_begin(void *context, uint64_t frame, uint32_t count)
{
    tp_world *world = (tp_world *)context;
    if (count > world->def.particles_max) return TP_ERROR_FULL;
    tpi_memset(&world->step, 0, sizeof world->step);
    world->step.cursor = (tpi_cursor){.i = TPI_RESTORE_MARK, .j = count, .k = (uint32_t)frame};
    if (tpi_has_springs(world)) tpi_springs_clear(world, world->front ^ 1u, 0, count);
    if (tpi_cloth_is_recorded(&world->def)) tpi_cloth_restore_begin(world);
    return TP_OK;
}

static bool world_source_is_restoring(const tp_world *world)
{
    return !world->step.active && world->step.cursor.i == TPI_RESTORE_MARK;
}

static void world_source_write(void *context, uint32_t stream, uint32_t first, uint32_t count,
                               const void *values)
{
    const tp_world *world = (const tp_world *)context;
    if (!world_source_is_restoring(world) || first + count > world->def.particles_max) return;
    for (uint32_t axis = 0; axis < world_source_components(world, stream); axis++)
        tpi_memcpy(world_source_array(world, stream, axis, true) + first,
                   (const uint32_t *)values + axis * TP_TILE, count * 4u);
}

static tp_result world_source_end(void *context)
{
    tp_world *world = (tp_world *)context;
    if (!world_source_is_restoring(world)) return TP_ERROR_SOURCE;
    tpi_arrays_exchange(&world->arrays, world->def.keeps_births);
    world->front ^= 1u;
    world->changes++;
    world->count = world->step.cursor.j;
    world->count_peak = tpi_max_u32(world->count_peak, world->count);
    tpi_memset(&world->step, 0, sizeof world->step);
    world->forces_fresh = world->list_valid = world->links_placed = false;
    tpi_loads_clear(world, TPI_NO_SLOT);
    tpi_last_reset(world, 0, world->count);
    tpi_changes_clear(world);
    tpi_events_clear(world);
    if (tpi_cloth_is_recorded(&world->def)) tpi_cloth_restore_end(world);
    world->target_frame = world->clock.frame;
    world->report.lag_ticks = 0;
    return TP_OK;
}

/* ---- the extra block: the steps, the clock, the gravity length, the totals, and of each pool its
   slot words and live items ---- */

/* The totals of what happened in the world. Those of the report that depend on calls, budgets and
   restarts are not among them. A block has a bit for each that is not 0, then these. */
typedef struct world_total {
    uint16_t at,
        words; /* its offset in the world; how many numbers of 64 bits side by side it is */
} world_total;
#define WORLD_TOTAL(member)                       \
    {                                             \
        (uint16_t) offsetof(tp_world, member), 1u \
    }
static const world_total world_totals[] = {
    /* of every world */
    WORLD_TOTAL(report.steps),
    WORLD_TOTAL(report.born),
    WORLD_TOTAL(report.died),
    WORLD_TOTAL(report.recycled),
    WORLD_TOTAL(report.killed_particles),
    WORLD_TOTAL(births_refused),
    WORLD_TOTAL(report.courant_exceeded),
    WORLD_TOTAL(report.neighbours_dropped),
    WORLD_TOTAL(report.particles_skipped),
    WORLD_TOTAL(report.displacements_clamped),
    WORLD_TOTAL(report.speeds_clamped),
    WORLD_TOTAL(report.steps_shortened),
    WORLD_TOTAL(report.steps_strained),
    WORLD_TOTAL(report.contacts_limited),
    WORLD_TOTAL(report.pushed_out),
    /* of pair forces and links */
    WORLD_TOTAL(report.overlaps_guarded),
    WORLD_TOTAL(report.collisions),
    WORLD_TOTAL(report.overlaps_unresolved),
    WORLD_TOTAL(report.links_dropped),
    WORLD_TOTAL(report.links_broken),
    WORLD_TOTAL(report.links_guarded),
    WORLD_TOTAL(report.link_forces_clamped),
    /* of springs */
    WORLD_TOTAL(report.springs_removed),
    WORLD_TOTAL(report.springs_dropped),
    /* of events */
    WORLD_TOTAL(report.events),
    WORLD_TOTAL(report.events_dropped),
    WORLD_TOTAL(events_hash),
    /* of emitters that events feed */
    WORLD_TOTAL(report.feeds_dropped),
    WORLD_TOTAL(report.births_limited),
    /* of fluids at meshes and heightfields */
    WORLD_TOTAL(report.walls_limited),
    /* of vortons: strengths that were limited, merged and split, and fast ones */
    {(uint16_t)offsetof(tp_world, report.strengths_limited), 4u},
    /* of rooms: hops, and searches that were limited, missed or exceeded */
    {(uint16_t)offsetof(tp_world, report.room_hops), 4u}};
#undef WORLD_TOTAL
_Static_assert(offsetof(tp_report, rooms_exceeded) ==
                   offsetof(tp_report, room_hops) + 3u * sizeof(uint64_t),
               "the totals of rooms are side by side");
_Static_assert(offsetof(tp_report, vortices_fast) ==
                   offsetof(tp_report, strengths_limited) + 3u * sizeof(uint64_t),
               "the totals of vortons are side by side");
#define WORLD_TOTALS        (sizeof world_totals / sizeof world_totals[0])
#define WORLD_TOTALS_ROOMS  1u
#define WORLD_TOTALS_VORTEX 1u
#define WORLD_TOTALS_WALLS  1u
#define WORLD_TOTALS_FEEDS  2u
#define WORLD_TOTALS_EVENTS 3u
#define WORLD_TOTALS_SPRING 2u
#define WORLD_TOTALS_PAIR   7u
#define WORLD_TOTALS_PLAIN                                                                     \
    ((uint32_t)WORLD_TOTALS - WORLD_TOTALS_FEEDS - WORLD_TOTALS_EVENTS - WORLD_TOTALS_SPRING - \
     WORLD_TOTALS_PAIR - WORLD_TOTALS_WALLS - WORLD_TOTALS_VORTEX - WORLD_TOTALS_ROOMS)
_Static_assert(WORLD_TOTALS <= 32, "a bit for each total");

/* The totals that a world can have, as bits; sets *count to their numbers of 64 bits. */
static uint32_t world_source_totals_of(const tp_world_def *def, uint32_t *count)
{
    const uint32_t sizes[8] = {WORLD_TOTALS_PLAIN,  WORLD_TOTALS_PAIR,  WORLD_TOTALS_SPRING,
                               WORLD_TOTALS_EVENTS, WORLD_TOTALS_FEEDS, WORLD_TOTALS_WALLS,
                               WORLD_TOTALS_VORTEX, WORLD_TOTALS_ROOMS};
    const bool has[8] = {true,
                         tpi_def_has(def, TPI_SOLVER_LINKS) || tpi_cloth_is_recorded(def),
                         def->sph.springs_max > 0,
                         def->events_max > 0,
                         def->feeds_max > 0,
                         def->solver == TP_SOLVER_SPH && def->geometry_bytes_max > 0,
                         tpi_def_has(def, TPI_SOLVER_STRENGTHS),
                         TPI_HAS_ROOMS && def->dimensions == 3 && def->colliders_max > 0 &&
                             def->geometry_bytes_max > 0};
    uint32_t bits = 0, begin = 0;
    *count = 0;
    for (uint32_t k = 0; k < 8; begin += sizes[k++]) {
        if (!has[k]) continue;
        bits |= ((1u << sizes[k]) - 1u) << begin;
        for (uint32_t t = 0; t < sizes[k]; t++) *count += world_totals[begin + t].words;
    }
    return bits;
}

static uint64_t *world_source_total(tp_world *world, uint32_t k)
{
    return (uint64_t *)tpi_at(world, world_totals[k].at);
}

/* Writes the totals, if `to` is not null; returns their bytes. */
static uint32_t world_source_totals_read(tp_world *world, uint8_t *to)
{
    uint32_t bits = 0, bytes = sizeof bits, count;
    const uint32_t wanted = world_source_totals_of(&world->def, &count);
    for (uint32_t k = 0; k < WORLD_TOTALS; k++) {
        const uint64_t *total = world_source_total(world, k);
        const uint32_t size = world_totals[k].words * (uint32_t)sizeof *total;
        uint64_t any = 0;
        for (uint32_t w = 0; w < world_totals[k].words; w++) any |= total[w];
        if (!any || !(wanted >> k & 1u)) continue;
        bits |= 1u << k;
        if (to) tpi_memcpy(to + bytes, total, size);
        bytes += size;
    }
    if (to) tpi_memcpy(to, &bits, sizeof bits);
    return bytes;
}

/* Checks the totals, or with is_done restores them. Returns the end of their bytes; null if it is
   behind `end`. */
static const uint8_t *world_source_totals_write(tp_world *world, const uint8_t *from,
                                                const uint8_t *end, bool is_done)
{
    uint32_t bits, count;
    if ((size_t)(end - from) < sizeof bits) return NULL;
    tpi_memcpy(&bits, from, sizeof bits);
    from += sizeof bits;
    if (bits & ~world_source_totals_of(&world->def, &count)) return NULL;
    for (uint32_t k = 0; k < WORLD_TOTALS; k++) {
        const bool is_there = (bits >> k & 1u) != 0;
        const uint32_t size = world_totals[k].words * (uint32_t)sizeof(uint64_t);
        if (is_there && (size_t)(end - from) < size) return NULL;
        if (is_done && !is_there) tpi_memset(world_source_total(world, k), 0, size);
        if (is_done && is_there) tpi_memcpy(world_source_total(world, k), from, size);
        if (is_there) from += size;
    }
    return from;
}

/* How the definition divides time, and its random numbers. A world that does so otherwise would
   not go on from a recorded frame to the same bits, and refuses it. Games may change the overload
   policy and go on. */
static uint32_t world_source_steps(const tp_world_def *def)
{
    const tp_substeps *substeps = &def->substeps;
    uint64_t hash = tpi_mix((uint32_t)def->cloth.integrator << 20 | def->dimensions << 16 |
                            (uint32_t)def->solver << 12 | (uint32_t)def->integrator << 8 |
                            (uint32_t)def->sph.formulation);
    hash = tpi_mix(hash ^
                   (def->frames_per_second_numerator << 16 | def->frames_per_second_denominator));
    hash = tpi_mix(hash ^ (substeps->count << 16 | substeps->count_max << 8 |
                           (substeps->is_adaptive ? 2u : 0u) | (substeps->compat ? 1u : 0u)));
    hash = tpi_mix(hash ^ tpi_bits(substeps->courant));
    hash = tpi_mix(hash ^ tpi_bits(def->sph.timestep_max));
    hash = tpi_mix(hash ^ def->seed);
    if (def->solver == TP_SOLVER_VORTEX) hash = tpi_mix(hash ^ tpi_bits(def->vortex.timestep_max));
    return (uint32_t)tpi_mix(hash ^ def->world_id);
}

/* The definition is recorded where it may change. */
#define WORLD_HEAD_BYTES ((uint32_t)(sizeof(uint32_t) + sizeof(tpi_clock) + sizeof(float)))
static uint32_t world_source_head_bytes(const tp_world *world)
{
    return WORLD_HEAD_BYTES + (tpi_takes_changes(world) ? (uint32_t)sizeof world->def : 0u);
}

/* Bytes of the record of an item, of which `room` bytes are there: of a body up to the last contact
   that it had in the last step; next momenta and contacts are of a step in progress. 0: too few, or
   no body. */
static uint32_t world_source_item_bytes(const tp_world *world, tp_pool kind, const uint8_t *item,
                                        size_t room)
{
    const uint32_t most = tpi_item_pool(world, kind)->item_bytes;
    uint32_t count;
    if (kind != TP_POOL_BODIES) return room < most ? 0u : most;
    if (room < offsetof(tpi_body_item, held)) return 0;
    tpi_memcpy(&count, item + offsetof(tpi_body_item, held_count), sizeof count);
    const size_t bytes = offsetof(tpi_body_item, held) + (size_t)count * sizeof(tpi_body_held);
    return count > TPI_BODY_CONTACTS || room < bytes ? 0u : (uint32_t)bytes;
}

/* Of the slot words and live items of a pool; is_full: at most. */
static uint32_t world_source_pool_bytes(const tp_world *world, tp_pool kind, bool is_full)
{
    const tpi_pool *pool = tpi_item_pool(world, kind);
    const uint32_t *slots = tpi_words(world, pool->slots);
    uint32_t bytes = pool->capacity * 4u;
    if (is_full) return bytes + pool->capacity * pool->item_bytes;
    for (uint32_t slot = 0; slot < pool->capacity; slot++)
        if (tpi_pool_is_alive(slots, slot))
            bytes += world_source_item_bytes(
                world, kind, (const uint8_t *)tpi_item_at(world, pool, slot), pool->item_bytes);
    return bytes;
}

static uint32_t world_source_extra_bytes(tp_world *world, bool is_full)
{
    uint32_t bytes = world_source_head_bytes(world), totals;
    (void)world_source_totals_of(&world->def, &totals);
    bytes += is_full ? 4u + 8u * totals : world_source_totals_read(world, NULL);
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++)
        bytes += world_source_pool_bytes(world, p, is_full);
    return bytes;
}

/* Copies an item; returns its bytes. Of a link, fields that depend on the storage order or on the
   time of the call are normalised; of a collider, those that only pictures between frames need. */
static uint32_t world_source_get(const tp_world *world, tp_pool kind, uint32_t slot, uint8_t *item)
{
    const tpi_pool *pool = tpi_item_pool(world, kind);
    const uint8_t *own = (const uint8_t *)tpi_item_at(world, pool, slot);
    const uint32_t bytes = world_source_item_bytes(world, kind, own, pool->item_bytes);
    tpi_memcpy(item, own, bytes);
    if (kind == TP_POOL_COLLIDERS) {
        const tpi_collider_item *from = tpi_collider_at(world, slot);
        uint8_t leaps = (uint8_t)(from->leaps & (TPI_LEAP_NEXT | TPI_LEAP_NOW));
        tpi_memcpy(item + offsetof(tpi_collider_item, leaps), &leaps, sizeof leaps);
        if (from->body)
            tpi_memcpy(item + offsetof(tpi_collider_item, pose_past), &from->pose_to,
                       sizeof from->pose_to);
    }
    if (kind != TP_POOL_LINKS) return bytes;
    tpi_link_item link = *tpi_link_at(world, slot);
    link.dropped = tpi_link_is_gone(world, &link) ? TPI_LINK_GONE : 0;
    tpi_memset(link.index, 0, sizeof link.index);
    tpi_memcpy(item, &link, sizeof link);
    return bytes;
}

/* ---- the block of springs, as Blender writes it: of each its rest length, both ids, 0 ---- */

#define WORLD_SPRING_BYTES 16u

static uint32_t world_source_springs_read(const tp_world *world, uint8_t *to)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id), most = world->def.sph.springs_max;
    if (!to) return WORLD_SPRING_BYTES * tpi_springs_copy(world, NULL, 0);
    uint8_t *begin = to;
    const uint32_t *sorted = tpi_springs_sort(world, ids, world->count);
    for (uint32_t n = 0; n < world->count; n++) {
        const uint32_t i = sorted[n];
        const tpi_spring *row = tpi_spring_row(world, world->front, i);
        uint32_t count = tpi_springs_in(row, most);
        for (uint32_t k = 0; k < count; k++, to += WORLD_SPRING_BYTES) {
            tpi_store_u32(to, tpi_bits(row[k].rest_length));
            tpi_store_u32(to + 4, ids[i]);
            tpi_store_u32(to + 8, ids[row[k].partner]);
            tpi_store_u32(to + 12, 0);
        }
    }
    return (uint32_t)(to - begin);
}

static tp_result world_source_springs_write(const tp_world *world, const uint8_t *from,
                                            uint32_t bytes)
{
    const uint32_t *ids = tpi_words(world, world->arrays.order), set = world->front ^ 1u,
                   count = world->step.cursor.j;
    if (!world_source_is_restoring(world) || bytes % WORLD_SPRING_BYTES) return TP_ERROR_SOURCE;
    tpi_springs_begin(world, set, ids, count);
    for (const uint8_t *end = from + bytes; from < end; from += WORLD_SPRING_BYTES) {
        tp_spring spring = {tpi_from_bits(tpi_load_u32(from)), tpi_load_u32(from + 4),
                            tpi_load_u32(from + 8), tpi_load_u32(from + 12)};
        if (!spring.is_deleted && !tpi_spring_add(world, set, ids, count, &spring))
            return TP_ERROR_SOURCE;
    }
    return TP_OK;
}

/* Springs, or what of cloth wears or breaks, come before the block that restores the clock. */
static bool world_source_is_springs(const tp_world *world, uint32_t extra)
{
    return tpi_has_springs(world) && extra == 0;
}

static bool world_source_is_cloth(const tp_world *world, uint32_t extra)
{
    return tpi_cloth_is_recorded(&world->def) && extra == 0;
}

static bool world_source_is_splits(const tp_world *world, uint32_t extra)
{
    return tpi_cloth_can_split(&world->def) && extra == 1;
}

static uint32_t world_source_extra_read(void *context, uint32_t extra, void *data)
{
    tp_world *world = (tp_world *)context;
    uint8_t *to = (uint8_t *)data;
    if (world_source_is_springs(world, extra)) return world_source_springs_read(world, to);
    if (world_source_is_cloth(world, extra)) return tpi_cloth_record(world, to);
    if (world_source_is_splits(world, extra)) return tpi_cloth_record_splits(world, to);
    if (!to) return world_source_extra_bytes(world, false);
    uint32_t steps = world_source_steps(&world->def);
    tpi_memcpy(to, &steps, sizeof steps);
    to += sizeof steps;
    tpi_memcpy(to, &world->clock, sizeof world->clock);
    to += sizeof world->clock;
    /* derived from the fields */
    tpi_memcpy(to, &world->constants.gravity_length, sizeof(float));
    to += sizeof(float);
    if (tpi_takes_changes(world)) {
        tpi_memcpy(to, &world->def, sizeof world->def);
        to += sizeof world->def;
    }
    to += world_source_totals_read(world, to);
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++) {
        const tpi_pool *pool = tpi_item_pool(world, p);
        const uint32_t *slots = tpi_words(world, pool->slots);
        tpi_memcpy(to, slots, pool->capacity * 4u);
        to += pool->capacity * 4u;
        for (uint32_t slot = 0; slot < pool->capacity; slot++) {
            if (tpi_pool_is_alive(slots, slot)) to += world_source_get(world, p, slot, to);
        }
    }
    return (uint32_t)(to - (uint8_t *)data);
}

static bool world_source_mesh_is_empty(const tpi_mesh *mesh)
{
    return mesh->vertex_count == 0 && mesh->triangle_count == 0 && mesh->extra_count == 0;
}

/* True if an item has geometry. Geometry is not recorded: a restore needs the same item to be
   alive. */
static bool world_source_has_geometry(tp_pool kind, const uint8_t *item)
{
    tpi_mesh mesh;
    uint32_t samples = 0;
    bool is_collider = kind == TP_POOL_COLLIDERS;
    if (kind != TP_POOL_EMITTERS && !is_collider) return false;
    tpi_memcpy(
        &mesh,
        item + (is_collider ? offsetof(tpi_collider_item, mesh) : offsetof(tpi_emitter_item, mesh)),
        sizeof mesh);
    if (is_collider)
        tpi_memcpy(&samples, item + offsetof(tpi_collider_item, sample_count), sizeof samples);
    return !world_source_mesh_is_empty(&mesh) || samples > 0;
}

/* Restores an item of so many bytes, but keeps the references to its present geometry. */
static void world_source_put(tp_world *world, tp_pool kind, uint32_t slot, const uint8_t *item,
                             uint32_t bytes)
{
    const tpi_pool *pool = tpi_item_pool(world, kind);
    void *to = tpi_item_at(world, pool, slot);
    if (kind == TP_POOL_EMITTERS) {
        tpi_mesh mesh = tpi_emitter_at(world, slot)->mesh;
        bool keeps = world_source_has_geometry(TP_POOL_EMITTERS, item);
        tpi_memcpy(to, item, bytes);
        if (keeps) tpi_emitter_at(world, slot)->mesh = mesh;
        return;
    }
    if (kind == TP_POOL_COLLIDERS) {
        tpi_mesh mesh = tpi_collider_at(world, slot)->mesh;
        uint32_t samples = tpi_collider_at(world, slot)->samples;
        bool keeps = world_source_has_geometry(TP_POOL_COLLIDERS, item);
        tpi_collider_item *restored = tpi_collider_at(world, slot);
        tpi_memcpy(restored, item, sizeof *restored);
        if (TPI_HAS_DRAW && !restored->body)
            restored->leaps = (uint8_t)(restored->leaps | TPI_LEAP_STILL);
        if (!keeps) return;
        restored->mesh = mesh;
        restored->samples = samples;
        return;
    }
    tpi_memset(to, 0, pool->item_bytes);
    tpi_memcpy(to, item, bytes);
}

/* Checks one pool of the extra block, or with is_done restores it. Returns the end of the pool's
   bytes; null if it cannot be restored. */
static const uint8_t *world_source_pool_restore(tp_world *world, tp_pool kind, const uint8_t *from,
                                                const uint8_t *end, bool is_done)
{
    const tpi_pool *pool = tpi_item_pool(world, kind);
    uint32_t *slots = tpi_words(world, pool->slots);
    const uint8_t *recorded = from;
    if ((size_t)(end - from) < (size_t)pool->capacity * 4u) return NULL;
    from += pool->capacity * 4u;
    for (uint32_t slot = 0; slot < pool->capacity; slot++) {
        uint32_t word;
        tpi_memcpy(&word, recorded + slot * 4u, 4);
        bool lives = (word & 1u) != 0, lived = tpi_pool_is_alive(slots, slot),
             is_same = word == slots[slot];
        bool had = lived && world_source_has_geometry(kind, tpi_item_at(world, pool, slot));
        const uint32_t bytes =
            lives ? world_source_item_bytes(world, kind, from, (size_t)(end - from)) : 0u;
        if (lives && bytes == 0) return NULL;
        bool has = lives && world_source_has_geometry(kind, from);
        if (!is_done && (has || had) && (!is_same || has != had)) return NULL;
        if (is_done && lives) world_source_put(world, kind, slot, from, bytes);
        if (is_done) slots[slot] = word;
        from += bytes;
    }
    return from;
}

/* The recorded definition, if this world may have it, else null. It is put where changes wait: on a
   small stack there is no room for a copy. */
static const tp_world_def *world_source_definition(const tp_world *world, const uint8_t *from)
{
    if (!tpi_takes_changes(world)) return &world->def;
    tpi_change_put(world, TPI_POOL_WORLD, 0, from);
    const tp_world_def *def = (const tp_world_def *)tpi_change_of(world, TPI_POOL_WORLD, 0);
    if (def->stamp != TPI_STAMP_WORLD || !tpi_audit_bools(def)) return NULL;
    return tpi_world_change_fault(world, def) ? NULL : def;
}

static tp_result world_source_extra_restore(tp_world *world, const uint8_t *begin,
                                            const uint8_t *end)
{
    uint32_t steps;
    tpi_memcpy(&steps, begin, sizeof steps);
    if (steps != world_source_steps(&world->def)) return TP_ERROR_SOURCE;
    const uint8_t *clock = begin + sizeof steps, *totals = begin + world_source_head_bytes(world);
    const tp_world_def *def = world_source_definition(world, begin + WORLD_HEAD_BYTES);
    if (!def) return TP_ERROR_SOURCE;
    for (uint32_t is_done = 0; is_done < 2; is_done++) {
        const uint8_t *from = world_source_totals_write(world, totals, end, is_done != 0);
        for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES && from; p++)
            from = world_source_pool_restore(world, p, from, end, is_done != 0);
        if (from != end) return TP_ERROR_SOURCE;
    }
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++) {
        tpi_pool *pool = tpi_item_pool(world, p);
        tpi_pool_recount(pool, tpi_words(world, pool->slots));
    }
    tpi_memcpy(&world->clock, clock, sizeof world->clock);
    if (tpi_takes_changes(world)) tpi_world_become(world, def);
    tpi_memcpy(&world->constants.gravity_length, clock + sizeof world->clock, sizeof(float));
    return TP_OK;
}

static tp_result world_source_extra_write(void *context, uint32_t extra, const void *data,
                                          uint32_t bytes)
{
    tp_world *world = (tp_world *)context;
    const uint8_t *begin = (const uint8_t *)data, *end = begin + bytes;
    if (world_source_is_springs(world, extra))
        return world_source_springs_write(world, begin, bytes);
    if (world_source_is_cloth(world, extra))
        return world_source_is_restoring(world) && tpi_cloth_restore(world, begin, bytes)
                   ? TP_OK
                   : TP_ERROR_SOURCE;
    if (world_source_is_splits(world, extra))
        return world_source_is_restoring(world) && tpi_cloth_restore_splits(world, begin, bytes)
                   ? TP_OK
                   : TP_ERROR_SOURCE;
    if (!world_source_is_restoring(world) || bytes < world_source_head_bytes(world))
        return TP_ERROR_SOURCE;
    tp_result result = world_source_extra_restore(world, begin, end);
    tpi_change_clear(world, TPI_POOL_WORLD, 0);
    return result;
}

/* ---- simulating ---- */

/* Simulates one frame, or the rest of one. The world's target frame is reset, so that tp_frame
   does not catch up more. */
static tp_result world_source_advance(void *context, const tp_budget *budget, uint64_t *units)
{
    tp_world *world = (tp_world *)context;
    tp_budget part = {0};
    if (budget) part = *budget;
    part.frames_max = 1;
    part.is_same_frame = false;
    world->target_frame = world->clock.frame;
    tp_result result = tp_frame(world, &part, NULL);
    *units += world->report.units;
    return result;
}

/* ---- the description ---- */

static tp_stream world_source_stream(const char *name, tp_stream_type type, uint32_t components,
                                     tp_interpolation interpolation, uint32_t partner)
{
    tp_stream stream = {
        .type = type, .components = components, .interpolation = interpolation, .partner = partner};
    for (uint32_t i = 0; i + 1u < TP_NAME_BYTES && name[i]; i++) stream.name[i] = name[i];
    return stream;
}

static void world_source_schema(tp_world *world, tp_schema *schema)
{
    uint32_t axes = tpi_dimensions(world);
    tp_stream *streams = schema->streams;
    streams[TPI_WORLD_ID] = world_source_stream("id", TP_STREAM_U32, 1, TP_INTERPOLATE_IDENTITY, 0);
    streams[TPI_WORLD_POSITION] = world_source_stream("position", TP_STREAM_F32, axes,
                                                      TP_INTERPOLATE_HERMITE, TPI_WORLD_VELOCITY);
    streams[TPI_WORLD_VELOCITY] = world_source_stream("velocity", TP_STREAM_F32, axes,
                                                      TP_INTERPOLATE_RATE, TPI_WORLD_POSITION);
    streams[TPI_WORLD_META] = world_source_stream("meta", TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    streams[TPI_WORLD_BIRTH] =
        world_source_stream("birth", TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    schema->stream_count = world->def.keeps_births ? 5u : 4u;
    if (tpi_has_strengths(world))
        streams[schema->stream_count++] =
            world_source_stream("strength", TP_STREAM_F32, 3, TP_INTERPOLATE_LINEAR, 0);
    if (world_source_has_pressure(world))
        streams[schema->stream_count++] =
            world_source_stream("pressure", TP_STREAM_F32, 2, TP_INTERPOLATE_LINEAR, 0);
    if (tpi_has_heat(&world->def))
        streams[schema->stream_count++] =
            world_source_stream("temperature", TP_STREAM_F32, 1, TP_INTERPOLATE_LINEAR, 0);
    if (tpi_has_fire(&world->def))
        schema->streams[schema->stream_count++] =
            world_source_stream("fuel", TP_STREAM_F32, 1, TP_INTERPOLATE_LINEAR, 0);
    if (tpi_def_keeps_words(&world->def))
        streams[schema->stream_count++] =
            world_source_stream("word", TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    if (tpi_def_keeps_contacts(&world->def))
        streams[schema->stream_count++] =
            world_source_stream("contacts", TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    if (tpi_has_springs(world))
        schema->extras[schema->extra_count++] = (tp_extra){
            "springs", WORLD_SPRING_BYTES * world->def.sph.springs_max * world->def.particles_max};
    if (tpi_cloth_is_recorded(&world->def))
        schema->extras[schema->extra_count++] =
            (tp_extra){"cloth", tpi_cloth_record_bytes(&world->def)};
    if (tpi_cloth_can_split(&world->def))
        schema->extras[schema->extra_count++] =
            (tp_extra){"splits", tpi_cloth_splits_record_bytes(&world->def)};
    schema->extras[schema->extra_count++] =
        (tp_extra){"world", world_source_extra_bytes(world, true)};
    schema->linear_stream = TPI_WORLD_META;
    schema->linear_mask = TP_META_CONTACT;
    schema->birth_stream = world->def.keeps_births ? TPI_WORLD_BIRTH : TP_STREAM_NONE;
    schema->frames_per_second_numerator = world->def.frames_per_second_numerator;
    schema->frames_per_second_denominator = world->def.frames_per_second_denominator;
}

tp_source tp_world_source(tp_world *world)
{
    tp_source source;
    tpi_memset(&source, 0, sizeof source);
    if (tpi_world_check_block(world) != TP_OK) return source;
    world_source_schema(world, &source.schema);
    source.particles_max = world->def.particles_max;
    source.context = world;
    source.frame = world_source_frame;
    source.count = world_source_count;
    source.read = world_source_read;
    source.extra_read = world_source_extra_read;
    source.restore_begin = world_source_begin;
    source.write = world_source_write;
    source.extra_write = world_source_extra_write;
    source.restore_end = world_source_end;
    source.advance = world_source_advance;
    return source;
}
#undef TPI_RESTORE_MARK
#undef WORLD_SPRING_BYTES
#undef WORLD_HEAD_BYTES
#undef WORLD_TOTALS
#undef WORLD_TOTALS_EVENTS
#undef WORLD_TOTALS_SPRING
#undef WORLD_TOTALS_PAIR
#undef WORLD_TOTALS_PLAIN
