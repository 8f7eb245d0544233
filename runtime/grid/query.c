/* SPDX-License-Identifier: MIT
   runtime/grid/query.c - an index of particles for queries: definition, memory, build; candidates.
   reads   the front set of a world      writes  the query's block
   memory  24 (3D: 32) bytes per particle, 4 for its order and up to 5 for the table; is_double:
           twice that
   cost    2.25 units per particle of the world, 0.25 per entry of the table
   after   counting sort. The copy comes first and is the only phase that reads the world, so that
           an index is always of one step */
#include "query.h"
#include "../memory/memory.h"
#include "../world/check.h"

/* ---- the definition ---- */

tp_query_def tp_query_default(const tp_world_def *world)
{
    tp_query_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_QUERY;
    if (!world) return def;
    def.dimensions = world->dimensions;
    def.particles_max = world->particles_max;
    def.radius = world->sph.smoothing_radius;
    def.surface_radius = 0.45f * def.radius;
    return def;
}

const char *tp_query_check(const tp_query_def *definition)
{
    const tp_query_def *def = definition;
    if (!def) return TPI_TEXT("the definition is null: pass one made by tp_query_default");
    if (def->stamp != TPI_STAMP_QUERY) return tp_result_text(TP_ERROR_STAMP);
    if (def->dimensions != 2 && def->dimensions != 3)
        return TPI_TEXT("dimensions must be 2 or 3, as those of the world");
    if (def->particles_max < 1 || def->particles_max > 16777215u)
        return TPI_TEXT("particles_max must be 1 to 16777215");
    if (!tpi_is_within(def->radius, 1e-4f, 1e6f)) return TPI_TEXT("radius must be 1e-4 to 1e6");
    if (!tpi_is_within(def->surface_radius, 0.0f, def->radius))
        return TPI_TEXT("surface_radius must be 0 to radius");
    if (!tpi_is_good_bool(&def->is_double)) return TPI_TEXT("is_double must be false or true");
    return NULL;
}

/* ---- layout ---- */

static void query_take_index(tp_query *query, tpi_query_index *index, tpi_layout *layout)
{
    static const char x_names[3][2] = {"x", "y", "z"}, v_names[3][3] = {"vx", "vy", "vz"};
    uint32_t most = query->def.particles_max;
    for (uint32_t axis = 0; axis < query->def.dimensions; axis++) {
        index->x[axis] = tpi_layout_take(layout, x_names[axis], most, sizeof(float));
        index->v[axis] = tpi_layout_take(layout, v_names[axis], most, sizeof(float));
    }
    index->id = tpi_layout_take(layout, "id", most, sizeof(uint32_t));
    index->meta = tpi_layout_take(layout, "meta", most, sizeof(uint32_t));
    index->order = tpi_layout_take(layout, "order", most, sizeof(uint32_t));
    index->start = tpi_layout_take(layout, "start", query->bucket_count + 1u, sizeof(uint32_t));
}

static void query_layout(tp_query *query, tpi_layout *layout)
{
    query->bucket_count = tpi_prime_at_least(query->def.particles_max);
    query->bucket_magic = tpi_prime_magic(query->bucket_count);
    query->cell_inverse = 1.0f / (query->def.radius * TPI_CELL_MARGIN);
    (void)tpi_layout_take(layout, "query", 1, sizeof *query);
    query_take_index(query, &query->index[0], layout);
    query->index[1] = query->index[0];
    if (query->def.is_double) query_take_index(query, &query->index[1], layout);
    query->bytes = layout->bytes;
}

static tp_result query_measure(const tp_query_def *def, tp_query *query, tpi_layout *layout)
{
    if (!def) return TP_ERROR_NULL;
    if (def->stamp != TPI_STAMP_QUERY) return TP_ERROR_STAMP;
    if (tp_query_check(def)) return TP_ERROR_DEFINITION;
    tpi_memset(query, 0, sizeof *query);
    query->def = *def;
    TPI_CLEAR_TAIL(&query->def, tp_query_def, is_double);
    query_layout(query, layout);
    return layout->bytes > TPI_LAYOUT_MAX || layout->bytes > SIZE_MAX ? TP_ERROR_DEFINITION : TP_OK;
}

tp_result tp_query_memory(const tp_query_def *definition, size_t *bytes)
{
    tpi_layout layout = {0};
    tp_query query;
    if (!bytes) return TP_ERROR_NULL;
    *bytes = 0;
    tp_result result = query_measure(definition, &query, &layout);
    if (result == TP_OK) *bytes = (size_t)query.bytes;
    return result;
}

tp_result tp_query_memory_parts(const tp_query_def *definition, tp_memory_part *parts,
                                uint32_t *count)
{
    tpi_layout layout = {0};
    tp_query query;
    if (!parts || !count) return TP_ERROR_NULL;
    *count = 0;
    layout.parts = parts;
    tp_result result = query_measure(definition, &query, &layout);
    if (result == TP_OK) *count = layout.part_count;
    return result;
}

tp_result tp_query_create(const tp_query_def *definition, void *block, size_t bytes,
                          tp_query **query)
{
    tpi_layout layout = {0};
    tp_query made;
    if (!block || !query) return TP_ERROR_NULL;
    *query = NULL;
    tp_result result = query_measure(definition, &made, &layout);
    if (result == TP_OK) result = tpi_layout_clear(&layout, block, bytes);
    if (result != TP_OK) return result;
    made.cookie = TPI_COOKIE_QUERY;
    made.layout_stamp = (uint32_t)sizeof made;
    *query = (tp_query *)block;
    tpi_memcpy(*query, &made, sizeof made);
    return TP_OK;
}

static tp_result query_check_block(const tp_query *query)
{
    if (!query) return TP_ERROR_NULL;
    bool is_one = query->cookie == TPI_COOKIE_QUERY && query->layout_stamp == sizeof *query;
    return is_one ? TP_OK : TP_ERROR_BLOCK;
}

tp_query *tp_query_at(void *block, size_t bytes)
{
    tp_query *query = (tp_query *)block;
    if (!block || ((uintptr_t)block & 15u) || bytes < sizeof *query) return NULL;
    return query_check_block(query) == TP_OK && query->bytes <= bytes ? query : NULL;
}

const tp_query_def *tp_query_definition(const tp_query *query)
{
    return query_check_block(query) == TP_OK ? &query->def : NULL;
}

/* ---- the build ---- */

#define QUERY_PER_COPY 4u /* particles of a unit */
#define QUERY_PER_WORD 8u /* entries of the table of a unit, in each of two passes */

/* The index that is built. */
static tpi_query_index *query_back(tp_query *query)
{
    return &query->index[query->def.is_double ? query->front ^ 1u : 0u];
}

static void query_start(tp_query *query, const tp_world *world)
{
    tpi_query_index *index = query_back(query);
    if (query->phase == TPI_QUERY_IDLE) query->build_units = 0;
    if (index->is_ready && !query->def.is_double) query->serial++;
    index->is_ready = false;
    index->count = world->count;
    index->box = tpi_box_of(&world->def, query->def.radius);
    index->frame = world->clock.frame;
    index->tick = world->clock.tick;
    index->mass_most = 0.0f;
    for (uint32_t s = 0; s < world->def.species_count; s++)
        index->mass_most = tpi_max(index->mass_most, world->def.species[s].mass);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        index->share[s] = s < world->def.species_count
                              ? tpi_flush(world->def.species[s].mass / index->mass_most)
                              : 0.0f;
    index->speed_most = TPI_FLUSH_BELOW;
    for (uint32_t axis = 0; axis < 3; axis++) {
        index->low[axis] = FLT_MAX;
        index->high[axis] = -FLT_MAX;
    }
    query->changes = world->changes;
    query->phase = TPI_QUERY_COPY;
    query->at = 0;
}

/* Ends a phase and begins the next one. */
static void query_next_phase(tp_query *query)
{
    query->phase++;
    query->at = 0;
}

static void query_copy(tp_query *query, const tp_world *world, uint32_t units)
{
    const tpi_query_index *index = query_back(query);
    uint32_t from = query->at;
    uint32_t count = tpi_min_u32(units * QUERY_PER_COPY, index->count - from);
    for (uint32_t axis = 0; axis < query->def.dimensions; axis++) {
        tpi_memcpy(tpi_query_floats(query, index->x[axis]) + from, tpi_front_x(world, axis) + from,
                   count * sizeof(float));
        tpi_memcpy(tpi_query_floats(query, index->v[axis]) + from, tpi_front_v(world, axis) + from,
                   count * sizeof(float));
    }
    tpi_memcpy(tpi_query_words(query, index->id) + from, tpi_words(world, world->arrays.id) + from,
               count * sizeof(uint32_t));
    tpi_memcpy(tpi_query_words(query, index->meta) + from,
               tpi_words(world, world->arrays.meta) + from, count * sizeof(uint32_t));
    query->at = from + count;
    if (query->at == index->count) query_next_phase(query);
}

static void query_empty(tp_query *query, uint32_t units)
{
    uint32_t *start = tpi_query_words(query, query_back(query)->start);
    uint32_t end = query->bucket_count + 1u;
    uint32_t count = tpi_min_u32(units * QUERY_PER_WORD, end - query->at);
    tpi_memset(start + query->at, 0, count * sizeof *start);
    query->at += count;
    if (query->at == end) query_next_phase(query);
}

static uint32_t query_bucket_of(const tp_query *query, const tpi_query_index *index, uint32_t i)
{
    int32_t cell[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < query->def.dimensions; axis++)
        cell[axis] = tpi_query_cell(query, index, axis, tpi_query_floats(query, index->x[axis])[i]);
    return tpi_query_bucket(query, cell);
}

static void query_count(tp_query *query, uint32_t units)
{
    tpi_query_index *index = query_back(query);
    uint32_t *start = tpi_query_words(query, index->start);
    uint32_t end = query->at + tpi_min_u32(units, index->count - query->at);
    for (uint32_t i = query->at; i < end; i++) {
        for (uint32_t axis = 0; axis < query->def.dimensions; axis++) {
            float x = tpi_query_floats(query, index->x[axis])[i];
            float v = tpi_query_floats(query, index->v[axis])[i];
            index->low[axis] = tpi_min(index->low[axis], x);
            index->high[axis] = tpi_max(index->high[axis], x);
            index->speed_most = tpi_max(index->speed_most, tpi_abs(v));
        }
        start[query_bucket_of(query, index, i)]++;
    }
    query->at = end;
    if (query->at == index->count) query_next_phase(query);
}

/* Turns counts into ends. */
static void query_sum(tp_query *query, uint32_t units)
{
    uint32_t *start = tpi_query_words(query, query_back(query)->start);
    uint32_t end = query->bucket_count + 1u;
    uint32_t last = query->at + tpi_min_u32(units * QUERY_PER_WORD, end - query->at);
    for (uint32_t b = query->at; b < last; b++)
        if (b > 0) start[b] += start[b - 1u];
    query->at = last;
    if (query->at == end) query_next_phase(query);
}

/* Fills each bucket from its end, which becomes its start. */
static void query_sort(tp_query *query, uint32_t units)
{
    tpi_query_index *index = query_back(query);
    uint32_t *start = tpi_query_words(query, index->start);
    uint32_t *order = tpi_query_words(query, index->order);
    uint32_t end = query->at + tpi_min_u32(units, index->count - query->at);
    for (uint32_t i = query->at; i < end; i++) order[--start[query_bucket_of(query, index, i)]] = i;
    query->at = end;
    if (query->at < index->count) return;
    query->phase = TPI_QUERY_IDLE;
    query->front = (uint32_t)(index - query->index);
    index->is_ready = true;
    query->serial++;
}

/* Units that the phase still needs. */
static uint32_t query_units_of_phase(tp_query *query)
{
    uint32_t count = query_back(query)->count, words = query->bucket_count + 1u;
    switch (query->phase) {
    case TPI_QUERY_COPY: return (count - query->at + QUERY_PER_COPY - 1u) / QUERY_PER_COPY;
    case TPI_QUERY_EMPTY:
    case TPI_QUERY_SUM: return (words - query->at + QUERY_PER_WORD - 1u) / QUERY_PER_WORD;
    default: return count - query->at;
    }
}

/* At most `units` of the phase in progress. */
static void query_work(tp_query *query, const tp_world *world, uint32_t units)
{
    switch (query->phase) {
    case TPI_QUERY_COPY: query_copy(query, world, units); break;
    case TPI_QUERY_EMPTY: query_empty(query, units); break;
    case TPI_QUERY_COUNT: query_count(query, units); break;
    case TPI_QUERY_SUM: query_sum(query, units); break;
    default: query_sort(query, units); break;
    }
}

static tp_result query_check_world(const tp_query *query, const tp_world *world)
{
    tp_result result = query_check_block(query);
    if (result == TP_OK) result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (world->def.dimensions != query->def.dimensions) return TP_ERROR_DEFINITION;
    return world->count > query->def.particles_max ? TP_ERROR_FULL : TP_OK;
}

tp_result tp_query_update(tp_query *query, const tp_world *world, uint32_t units)
{
    tp_result result = query_check_world(query, world);
    if (result != TP_OK) return result;
    bool is_copying = query->phase == TPI_QUERY_COPY;
    bool has_changed = is_copying && (query->changes != world->changes ||
                                      query_back(query)->count != world->count);
    if (has_changed) query->restarts++;
    if (query->phase == TPI_QUERY_IDLE || has_changed) query_start(query, world);
    uint32_t left = units ? units : UINT32_MAX;
    query->units = 0;
    while (query->phase != TPI_QUERY_IDLE && left > 0) {
        uint32_t part = tpi_min_u32(left, query_units_of_phase(query));
        query_work(query, world, part);
        left -= part;
        query->units += part;
    }
    query->build_units += query->units;
    return query->phase == TPI_QUERY_IDLE ? TP_OK : TP_MORE;
}

tp_result tp_query_clear(tp_query *query)
{
    tp_result result = query_check_block(query);
    if (result != TP_OK) return result;
    query->index[0].is_ready = query->index[1].is_ready = false;
    query->phase = TPI_QUERY_IDLE;
    query->serial++;
    return TP_OK;
}

tp_query_report tp_query_state(const tp_query *query)
{
    tp_query_report report;
    tpi_memset(&report, 0, sizeof report);
    if (query_check_block(query) != TP_OK) return report;
    const tpi_query_index *index = &query->index[query->front];
    report.is_ready = index->is_ready;
    report.is_building = query->phase != TPI_QUERY_IDLE;
    report.units = query->units;
    report.build_units = query->build_units;
    report.restarts = query->restarts;
    if (!index->is_ready) return report;
    report.frame = index->frame;
    report.tick = index->tick;
    report.particles = index->count;
    return report;
}
#undef QUERY_PER_COPY
#undef QUERY_PER_WORD

/* ---- the progress of a call ---- */

tp_result tpi_query_look(const tp_query *query, tp_query_cursor *cursor, uint32_t units,
                         tpi_query_call *call)
{
    tp_result result = query_check_block(query);
    if (result != TP_OK) return result;
    if (!cursor && units) return TP_ERROR_NULL;
    if (!query->index[query->front].is_ready) return TP_ERROR_EMPTY;
    tpi_memset(call, 0, sizeof *call);
    call->query = query;
    call->index = &query->index[query->front];
    call->cursor = cursor;
    call->dimensions = query->def.dimensions;
    call->is_limited = units > 0;
    call->units = units;
    return TP_OK;
}

void tpi_query_begin(tpi_query_call *call, uint64_t job, uint32_t species_mask)
{
    tp_query_cursor *cursor = call->cursor;
    call->species_mask = species_mask;
    if (!cursor) return;
    /* 0 is the job of a cursor that begins */
    job = tpi_query_job(tpi_query_job(job, species_mask), call->query->serial);
    uint32_t hash = (uint32_t)tpi_mix(job) | 1u;
    if (cursor->job == hash) {
        tpi_memcpy(&call->state, cursor->state, sizeof call->state);
        /* safe whatever the caller's cursor holds */
        call->state.end = tpi_min_u32(call->state.end, call->index->count);
    }
    cursor->job = hash;
}

tp_result tpi_query_end(tpi_query_call *call, bool is_done, tp_result result)
{
    tp_query_cursor *cursor = call->cursor;
    if (cursor) {
        cursor->units = call->used;
        if (is_done) cursor->job = 0;
        if (!is_done) tpi_memcpy(cursor->state, &call->state, sizeof call->state);
    }
    return is_done ? result : TP_MORE;
}

/* ---- candidates ---- */

/* The cells of an axis within [center - extent, center + extent]. Along a periodic axis they may
   lie beyond a side by less than the box, and are at most those of the box. */
static void query_range(const tpi_query_call *call, uint32_t axis, float center, float extent,
                        int32_t *low, int32_t *high)
{
    const tpi_box *box = &call->index->box;
    int32_t cells = (int32_t)box->cells[axis];
    float scale = tpi_abs(center) + extent + tpi_abs(box->low[axis]) + box->size[axis];
    float reach = extent + scale * TPI_QUERY_MARGIN;
    if (!cells) {
        *low = tpi_query_cell(call->query, call->index, axis, center - reach);
        *high = tpi_query_cell(call->query, call->index, axis, center + reach);
        return;
    }
    *low = 0;
    *high = cells - 1;
    if (reach >= box->half[axis]) return;
    float inverse = box->cell_inverse[axis], from = center - box->low[axis];
    int32_t first = tpi_floor((from - reach) * inverse), last = tpi_floor((from + reach) * inverse);
    if (last - first + 1 >= cells) return;
    *low = first;
    *high = last;
}

/* True if the walk would look up more cells than there are particles. */
static bool query_is_wide(const tpi_query_call *call)
{
    uint64_t cells = 1;
    for (uint32_t axis = 0; axis < call->dimensions; axis++) {
        cells *= (uint64_t)((int64_t)call->high[axis] - call->low[axis] + 1);
        if (cells > call->index->count) return true;
    }
    return false;
}

void tpi_query_walk(tpi_query_call *call, const float center[3], const float extent[3], bool begins)
{
    tpi_query_state *state = &call->state;
    for (uint32_t axis = 0; axis < 3; axis++) call->low[axis] = call->high[axis] = 0;
    for (uint32_t axis = 0; axis < call->dimensions; axis++)
        query_range(call, axis, center[axis], extent[axis], &call->low[axis], &call->high[axis]);
    call->is_all = query_is_wide(call);
    call->is_over = false;
    if (!begins) return;
    state->at = 0;
    state->end = call->is_all ? call->index->count : 0u;
    for (uint32_t axis = 0; axis < 3; axis++) state->cell[axis] = call->low[axis];
}

/* Looks up the next cell; false after the last one. */
static bool query_next_cell(tpi_query_call *call)
{
    tpi_query_state *state = &call->state;
    const uint32_t last = call->dimensions - 1u;
    const uint32_t *start = tpi_query_words(call->query, call->index->start);
    if (call->is_all || state->cell[last] > call->high[last]) return false;
    for (uint32_t axis = 0; axis < 3; axis++) {
        int32_t at = state->cell[axis], cells = (int32_t)call->index->box.cells[axis];
        state->owner[axis] = !cells ? at : at < 0 ? at + cells : at >= cells ? at - cells : at;
    }
    uint32_t bucket = tpi_query_bucket(call->query, state->owner);
    state->at = start[bucket];
    state->end = start[bucket + 1u];
    state->cell[0]++;
    for (uint32_t axis = 0; axis < last && state->cell[axis] > call->high[axis]; axis++) {
        state->cell[axis] = call->low[axis];
        state->cell[axis + 1u]++;
    }
    tpi_query_spend(call, 1);
    return true;
}

/* True if a candidate is in the cell that was looked up, not in another one of its bucket. */
static bool query_is_in_cell(const tpi_query_call *call, uint32_t i)
{
    const tp_query *query = call->query;
    const tpi_query_index *index = call->index;
    for (uint32_t axis = 0; axis < call->dimensions; axis++)
        if (tpi_query_cell(query, index, axis, tpi_query_floats(query, index->x[axis])[i]) !=
            call->state.owner[axis])
            return false;
    return true;
}

bool tpi_query_next(tpi_query_call *call, uint32_t *found)
{
    tpi_query_state *state = &call->state;
    const uint32_t *order = tpi_query_words(call->query, call->index->order);
    const uint32_t *meta = tpi_query_words(call->query, call->index->meta);
    while (tpi_query_has_units(call)) {
        if (state->at >= state->end) {
            call->is_over = !query_next_cell(call);
            if (call->is_over) return false;
            continue;
        }
        uint32_t i = order[state->at++];
        tpi_query_spend(call, 1);
        if (!(call->species_mask >> (TP_META_SPECIES(meta[i]) & 7u) & 1u)) continue;
        if (!call->is_all && !query_is_in_cell(call, i)) continue;
        *found = i;
        return true;
    }
    return false;
}
