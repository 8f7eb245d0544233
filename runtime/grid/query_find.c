/* SPDX-License-Identifier: MIT
   runtime/grid/query_find.c - the particles in a region, by id, and the nearest ones.
   reads   the index of a query      writes  the caller's array
   memory  the caller's              cost    see tp_query_region
   after   a heap of the first entries in the caller's array, then heap sort (Williams 1964) */
#include "query.h"

#define SEEK_UNITS_KEPT 3u /* of a particle in the region */
#define SEEK_UNITS_SORT 4u /* of an entry that is sorted */

enum { SEEK_BEGIN, SEEK_WALK, SEEK_SORT };

/* A search: the region with its center inside the box, and the order of its results. */
typedef struct seek_search {
    tp_region region;
    float axis; /* 1 over the squared half axis of a capsule; 0: it is a point */
    bool by_distance;
    tp_found *found;
    uint32_t capacity;
} seek_search;

/* ---- the heap: the entry that comes last in the results is at its root ---- */

static bool seek_is_before(const seek_search *search, const tp_found *a, const tp_found *b)
{
    if (search->by_distance && a->distance != b->distance) return a->distance < b->distance;
    return a->id < b->id;
}

static void seek_exchange(const seek_search *search, uint32_t a, uint32_t b)
{
    tp_found entry = search->found[a];
    search->found[a] = search->found[b];
    search->found[b] = entry;
}

static void seek_sift_down(const seek_search *search, uint32_t count)
{
    uint32_t parent = 0;
    for (uint32_t child = 1; child < count; child = 2u * parent + 1u) {
        const tp_found *found = search->found;
        if (child + 1u < count && seek_is_before(search, &found[child], &found[child + 1u]))
            child++;
        if (!seek_is_before(search, &found[parent], &found[child])) return;
        seek_exchange(search, parent, child);
        parent = child;
    }
}

static void seek_sift_up(const seek_search *search, uint32_t child)
{
    while (child > 0) {
        uint32_t parent = (child - 1u) / 2u;
        if (!seek_is_before(search, &search->found[parent], &search->found[child])) return;
        seek_exchange(search, parent, child);
        child = parent;
    }
}

static void seek_keep(tpi_query_state *state, const seek_search *search, const tp_found *entry)
{
    if (state->kept < search->capacity) {
        search->found[state->kept] = *entry;
        seek_sift_up(search, state->kept++);
    } else if (search->capacity && seek_is_before(search, entry, search->found)) {
        search->found[0] = *entry;
        seek_sift_down(search, state->kept);
    }
}

/* ---- the region ---- */

/* True if a point, relative to the center, is in the region. Writes its squared distance from the
   center, or from the axis of a capsule. */
static bool seek_is_inside(const seek_search *search, tp_vector d, float radius_squared,
                           float *square)
{
    const tp_region *region = &search->region;
    tp_vector half = region->half;
    if (region->shape == TP_REGION_CAPSULE)
        d = tpi_add_scaled(d, half, -tpi_clamp(tpi_dot(d, half) * search->axis, -1.0f, 1.0f));
    *square = tpi_dot(d, d);
    if (region->shape != TP_REGION_BOX) return *square <= radius_squared;
    return tpi_abs(d.x) <= half.x && tpi_abs(d.y) <= half.y && tpi_abs(d.z) <= half.z;
}

static void seek_test(tpi_query_call *call, const seek_search *search, float radius_squared,
                      uint32_t i)
{
    const tpi_query_index *index = call->index;
    tp_found entry;
    tp_vector d = tpi_query_offset(call, search->region.center, i);
    if (!seek_is_inside(search, d, radius_squared, &entry.distance)) return;
    call->state.found++;
    tpi_query_spend(call, SEEK_UNITS_KEPT);
    entry.id = tpi_query_words(call->query, index->id)[i];
    entry.meta = tpi_query_words(call->query, index->meta)[i];
    entry.position = tpi_query_vector(call, index->x, i);
    entry.velocity = tpi_query_vector(call, index->v, i);
    seek_keep(&call->state, search, &entry);
}

/* Half sides of the region's bounds. */
static void seek_extent(const seek_search *search, float reach, float extent[3])
{
    const tp_region *region = &search->region;
    const float half[3] = {tpi_abs(region->half.x), tpi_abs(region->half.y),
                           tpi_abs(region->half.z)};
    for (uint32_t axis = 0; axis < 3; axis++) {
        extent[axis] = region->shape == TP_REGION_SPHERE ? 0.0f : half[axis];
        if (region->shape != TP_REGION_BOX) extent[axis] += reach;
    }
}

/* One sphere, or the whole region. True when all candidates were tested. */
static bool seek_walk(tpi_query_call *call, const seek_search *search, bool begins)
{
    const tp_vector at = search->region.center;
    const float center[3] = {at.x, at.y, at.z};
    float extent[3], reach = call->state.reach;
    uint32_t i;
    seek_extent(search, reach, extent);
    if (begins) call->state.found = call->state.kept = 0;
    tpi_query_walk(call, center, extent, begins);
    while (tpi_query_next(call, &i)) seek_test(call, search, reach * reach, i);
    return call->is_over;
}

/* True if the sphere that was searched holds the result. Else it doubles, or if all particles are
   visited anyway grows to its end. */
static bool seek_is_enough(tpi_query_call *call, const seek_search *search)
{
    tpi_query_state *state = &call->state;
    const float radius = search->region.radius;
    if (state->kept == search->capacity || state->reach >= radius) return true;
    state->reach = call->is_all ? radius : tpi_min(2.0f * state->reach, radius);
    return false;
}

/* Moves the last entry of the heap to its place, until one is left. */
static bool seek_sort(tpi_query_call *call, const seek_search *search)
{
    tpi_query_state *state = &call->state;
    for (; state->item > 0; state->item--) {
        uint32_t last = state->item - 1u;
        if (!tpi_query_has_units(call)) return false;
        tpi_query_spend(call, SEEK_UNITS_SORT);
        seek_exchange(search, 0, last);
        seek_sift_down(search, last);
        search->found[last].distance = tpi_sqrt(search->found[last].distance);
    }
    return true;
}

static bool seek_advance(tpi_query_call *call, const seek_search *search)
{
    tpi_query_state *state = &call->state;
    const tp_region *region = &search->region;
    bool grows = search->by_distance && region->shape == TP_REGION_SPHERE;
    bool begins = state->phase == SEEK_BEGIN;
    if (begins)
        state->reach = grows ? tpi_min(call->query->def.radius, region->radius) : region->radius;
    while (state->phase != SEEK_SORT) {
        state->phase = SEEK_WALK;
        if (!seek_walk(call, search, begins)) return false;
        begins = true;
        if (!grows || seek_is_enough(call, search)) {
            state->phase = SEEK_SORT;
            state->item = state->kept;
        }
    }
    return seek_sort(call, search);
}

/* ---- the calls ---- */

static tp_result seek_check(const tpi_query_call *call, const tp_region *region)
{
    if ((uint32_t)region->shape > TP_REGION_CAPSULE || !tpi_query_is_point(region->center) ||
        !tpi_query_is_point(region->half) || !tpi_query_is_length(region->radius))
        return TP_ERROR_QUERY;
    const float half[3] = {region->half.x, region->half.y, region->half.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (region->shape == TP_REGION_BOX && half[axis] < 0.0f) return TP_ERROR_QUERY;
        if (region->shape == TP_REGION_CAPSULE &&
            tpi_abs(half[axis]) + region->radius > call->index->box.half[axis])
            return TP_ERROR_QUERY;
    }
    return TP_OK;
}

/* The members that the shape does not use are 0. */
static void seek_copy(const tpi_query_call *call, const tp_region *region, tp_region *copy)
{
    copy->shape = region->shape;
    copy->species_mask = region->species_mask;
    copy->center = tpi_query_flat(call, region->center);
    copy->half = tpi_vector(0.0f, 0.0f, 0.0f);
    copy->radius = 0.0f;
    if (region->shape != TP_REGION_SPHERE) copy->half = tpi_query_flat(call, region->half);
    if (region->shape != TP_REGION_BOX) copy->radius = region->radius;
}

static void seek_prepare(const tpi_query_call *call, seek_search *search)
{
    tp_region *region = &search->region;
    float square = tpi_dot(region->half, region->half);
    region->center = tpi_query_point(call, region->center);
    search->axis = square > 1e-30f ? 1.0f / square : 0.0f;
}

static uint64_t seek_job(const seek_search *search)
{
    const tp_region *region = &search->region;
    uint64_t job =
        tpi_query_job((uint32_t)region->shape << 1 | search->by_distance, search->capacity);
    job = tpi_query_job_vector(tpi_query_job(job, region->species_mask), region->center);
    return tpi_query_job(tpi_query_job_vector(job, region->half), tpi_bits(region->radius));
}

static tp_result seek_all(const tp_query *query, const tp_region *region, uint32_t units,
                          tp_query_cursor *cursor, seek_search *search, uint32_t *count)
{
    tpi_query_call call;
    if (!region || !count || (search->capacity && !search->found)) return TP_ERROR_NULL;
    tp_result result = tpi_query_look(query, cursor, units, &call);
    if (result != TP_OK) return result;
    seek_copy(&call, region, &search->region);
    result = seek_check(&call, &search->region);
    if (result != TP_OK) return result;
    tpi_query_begin(&call, seek_job(search), region->species_mask);
    seek_prepare(&call, search);
    bool is_done = seek_advance(&call, search);
    *count = !is_done ? 0u : search->by_distance ? call.state.kept : call.state.found;
    bool is_cut = search->capacity && *count > search->capacity;
    return tpi_query_end(&call, is_done, is_cut ? TP_ERROR_FULL : TP_OK);
}

/* Clears all bytes, also of padding. */
static void seek_begin(seek_search *search, tp_found *found, uint32_t capacity, bool by_distance)
{
    tpi_memset(search, 0, sizeof *search);
    search->found = found;
    search->capacity = capacity;
    search->by_distance = by_distance;
}

tp_result tp_query_region(const tp_query *query, const tp_region *region, uint32_t units,
                          tp_query_cursor *cursor, tp_found *found, uint32_t capacity,
                          uint32_t *count)
{
    seek_search search;
    seek_begin(&search, found, capacity, false);
    return seek_all(query, region, units, cursor, &search, count);
}

tp_result tp_query_nearest(const tp_query *query, const tp_region *region, uint32_t units,
                           tp_query_cursor *cursor, tp_found *found, uint32_t capacity,
                           uint32_t *count)
{
    seek_search search;
    seek_begin(&search, found, capacity, true);
    return seek_all(query, region, units, cursor, &search, count);
}
#undef SEEK_UNITS_KEPT
#undef SEEK_UNITS_SORT
