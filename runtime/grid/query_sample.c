/* SPDX-License-Identifier: MIT
   runtime/grid/query_sample.c - density, velocity and normal at points, and scalars on a grid of
           the caller.
   reads   the index of a query      writes  the caller's arrays
   memory  the caller's              cost    see tp_query_sample
   after   smoothed-particle hydrodynamics with the poly6 kernel (Mueller et al. 2003); means by
           weight (Shepard 1968). Sums are of integers, so they do not depend on the order of
           particles */
#include "query.h"

#define SAMPLE_UNITS_POINT   2u
#define SAMPLE_UNITS_WEIGHT  1u /* of a particle within the radius */
#define SAMPLE_UNITS_VECTORS 4u /* with velocity and gradient */

/* ---- sums at one point ---- */

static int64_t sample_count(float value) { return (int64_t)(value * TPI_QUERY_SCALE); }

/* A particle at the distance d, less than the radius, of a point. */
static void sample_add(tpi_query_call *call, uint32_t i, tp_vector d, float rest, bool has_vectors)
{
    const tpi_query_index *index = call->index;
    tpi_query_state *state = &call->state;
    uint32_t species = TP_META_SPECIES(tpi_query_words(call->query, index->meta)[i]) & 7u;
    float share = call->ignores_mass ? 1.0f : index->share[species];
    float slope = rest * rest * share, weight = slope * rest;
    state->neighbours++;
    tpi_query_spend(call, has_vectors ? SAMPLE_UNITS_VECTORS : SAMPLE_UNITS_WEIGHT);
    if (!has_vectors) {
        state->weight += sample_count(weight);
        return;
    }
    tp_vector v = tpi_query_vector(call, index->v, i);
    float speed = weight / index->speed_most, inverse = slope / call->query->def.radius;
    state->weight += sample_count(weight);
    state->velocity[0] += sample_count(v.x * speed);
    state->velocity[1] += sample_count(v.y * speed);
    state->velocity[2] += sample_count(v.z * speed);
    state->gradient[0] += sample_count(d.x * inverse);
    state->gradient[1] += sample_count(d.y * inverse);
    state->gradient[2] += sample_count(d.z * inverse);
}

bool tpi_query_weigh(tpi_query_call *call, tp_vector point, bool has_vectors)
{
    const float radius = call->query->def.radius, square = radius * radius;
    const float center[3] = {point.x, point.y, point.z}, extent[3] = {radius, radius, radius};
    tpi_query_state *state = &call->state;
    bool begins = !state->is_weighing;
    uint32_t i;
    if (begins) {
        state->weight = 0;
        state->neighbours = 0;
        tpi_memset(state->velocity, 0, sizeof state->velocity);
        tpi_memset(state->gradient, 0, sizeof state->gradient);
        state->is_weighing = true;
    }
    tpi_query_walk(call, center, extent, begins);
    while (tpi_query_next(call, &i)) {
        tp_vector d = tpi_query_offset(call, point, i);
        float distance = tpi_dot(d, d);
        if (distance < square) sample_add(call, i, d, 1.0f - distance / square, has_vectors);
    }
    if (!call->is_over) return false;
    state->is_weighing = false;
    return true;
}

/* The integral of w over the plane is pi h^2 / 4, over space 64 pi h^3 / 315. */
static float sample_volume(const tpi_query_call *call)
{
    float h = call->query->def.radius;
    return call->dimensions == 2 ? 0.785398163f * h * h : 0.638286394f * h * h * h;
}

float tpi_query_density(const tpi_query_call *call)
{
    float sum = (float)call->state.weight * TPI_QUERY_PER;
    float scale = tpi_min(tpi_flush(call->index->mass_most / sample_volume(call)), FLT_MAX);
    return tpi_min(sum * scale, FLT_MAX);
}

tp_vector tpi_query_normal(const tpi_query_call *call, tp_vector otherwise)
{
    const int64_t *sum = call->state.gradient;
    tp_vector toward = {(float)sum[0] * TPI_QUERY_PER, (float)sum[1] * TPI_QUERY_PER,
                        (float)sum[2] * TPI_QUERY_PER};
    float length = tpi_length(toward);
    if (length < 1e-9f) return otherwise;
    return tpi_vector(-toward.x / length, -toward.y / length, -toward.z / length);
}

static tp_sample sample_of(const tpi_query_call *call)
{
    const tpi_query_state *state = &call->state;
    tp_sample sample;
    tpi_memset(&sample, 0, sizeof sample);
    sample.particles = state->neighbours;
    sample.density = tpi_query_density(call);
    sample.normal = tpi_query_normal(call, tpi_vector(0.0f, 0.0f, 0.0f));
    if (state->weight <= 0) return sample;
    float scale = call->index->speed_most, weight = (float)state->weight;
    sample.velocity = tpi_vector(tpi_flush((float)state->velocity[0] / weight * scale),
                                 tpi_flush((float)state->velocity[1] / weight * scale),
                                 tpi_flush((float)state->velocity[2] / weight * scale));
    return sample;
}

/* ---- points ---- */

/* The sum at a point of the caller. True when it is complete. */
static bool sample_point(tpi_query_call *call, tp_vector point, bool has_vectors)
{
    if (!tpi_query_has_units(call)) return false;
    if (!call->state.is_weighing) tpi_query_spend(call, SAMPLE_UNITS_POINT);
    return tpi_query_weigh(call, tpi_query_point(call, point), has_vectors);
}

tp_result tp_query_sample(const tp_query *query, const tp_vector *points, uint32_t count,
                          uint32_t species_mask, uint32_t units, tp_query_cursor *cursor,
                          tp_sample *samples)
{
    tpi_query_call call;
    if (count && (!points || !samples)) return TP_ERROR_NULL;
    tp_result result = tpi_query_look(query, cursor, units, &call);
    if (result != TP_OK) return result;
    tpi_query_begin(&call, tpi_query_job(0x53414du, count), species_mask);
    for (; call.state.item < count; call.state.item++) {
        tp_vector point = tpi_query_flat(&call, points[call.state.item]);
        if (!tpi_query_is_point(point)) return tpi_query_end(&call, true, TP_ERROR_QUERY);
        if (!sample_point(&call, point, true)) return tpi_query_end(&call, false, TP_OK);
        samples[call.state.item] = sample_of(&call);
    }
    return tpi_query_end(&call, true, TP_OK);
}

/* ---- a grid ---- */

static bool sample_is_side(uint32_t nodes) { return nodes >= 1u && nodes <= 65535u; }

/* The last node is within 1e9 m, too. */
static tp_result sample_check_grid(const tpi_query_call *call, const tp_sample_grid *grid)
{
    bool is_flat = call->dimensions == 2;
    tp_vector low = tpi_query_flat(call, grid->low);
    if ((uint32_t)grid->value > TP_GRID_WEIGHT || !tpi_query_is_point(low) ||
        !tpi_query_is_length(grid->spacing) || !(grid->spacing > 0.0f) ||
        !sample_is_side(grid->columns) || !sample_is_side(grid->rows) ||
        !sample_is_side(grid->layers) || (is_flat && grid->layers != 1u))
        return TP_ERROR_QUERY;
    tp_vector size = {(float)grid->columns * grid->spacing, (float)grid->rows * grid->spacing,
                      (float)grid->layers * grid->spacing};
    if (!tpi_query_is_point(tpi_add(low, size))) return TP_ERROR_QUERY;
    uint64_t nodes = (uint64_t)grid->columns * grid->rows * grid->layers;
    return nodes > 0x80000000u ? TP_ERROR_QUERY : TP_OK;
}

static tp_vector sample_node(const tp_sample_grid *grid, uint32_t node)
{
    uint32_t column = node % grid->columns, line = node / grid->columns;
    return tpi_vector(grid->low.x + (float)column * grid->spacing,
                      grid->low.y + (float)(line % grid->rows) * grid->spacing,
                      grid->low.z + (float)(line / grid->rows) * grid->spacing);
}

static uint64_t sample_grid_job(const tpi_query_call *call, const tp_sample_grid *grid)
{
    uint64_t job = tpi_query_job(0x475244u, (uint32_t)grid->value);
    job = tpi_query_job_vector(job, tpi_query_flat(call, grid->low));
    job = tpi_query_job(tpi_query_job(job, tpi_bits(grid->spacing)), grid->columns);
    return tpi_query_job(tpi_query_job(job, grid->rows), grid->layers);
}

tp_result tp_query_grid(const tp_query *query, const tp_sample_grid *grid, uint32_t units,
                        tp_query_cursor *cursor, float *values, uint32_t capacity)
{
    tpi_query_call call;
    if (!grid || !values) return TP_ERROR_NULL;
    tp_result result = tpi_query_look(query, cursor, units, &call);
    if (result == TP_OK) result = sample_check_grid(&call, grid);
    if (result != TP_OK) return result;
    uint32_t nodes = grid->columns * grid->rows * grid->layers;
    if (nodes > capacity) return TP_ERROR_FULL;
    call.ignores_mass = grid->value == TP_GRID_WEIGHT;
    tpi_query_begin(&call, sample_grid_job(&call, grid), grid->species_mask);
    for (; call.state.item < nodes; call.state.item++) {
        if (!sample_point(&call, sample_node(grid, call.state.item), false))
            return tpi_query_end(&call, false, TP_OK);
        values[call.state.item] =
            call.ignores_mass ? (float)call.state.weight * TPI_QUERY_PER : tpi_query_density(&call);
    }
    return tpi_query_end(&call, true, TP_OK);
}
#undef SAMPLE_UNITS_POINT
#undef SAMPLE_UNITS_WEIGHT
#undef SAMPLE_UNITS_VECTORS
