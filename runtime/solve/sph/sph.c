/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph.c - densities, pressures and impulses of the fluid.
   reads   back positions and velocities, species      writes  density, near_density, reach, neighbours, force
   memory  none of its own      cost    density and force: one visit a pair each; pressure: one a particle
   after   Clavet et al. 2005, eq. 1-6 with exponents 3 and 4; deviations: a pair is evaluated once and added to both
           ends as integers, so that Newton's third law holds to the last bit and no sum depends on its order */
#include "sph.h"
#include "../../grid/sweep.h"

/* A term of a density is at most 1 (a share of the heaviest mass), so 255 neighbours stay below 2^31. */
#define TPI_DENSITY_SCALE 8388608.0f /* 2^23 */
/* An impulse is clamped to one smoothing radius times the heaviest mass; 255 of them stay below 2^31. */
#define TPI_IMPULSE_SCALE 8388608.0f /* 2^23 */
/* Relative motion in a step is clamped to 16 radii; 255 of those stay below 2^31. */
#define TPI_FLOW_SCALE 524288.0f /* 2^19 */
#define TPI_FLOW_MAX   16.0f
/* Closer than this share of the radius a pair has no direction of its own. */
#define TPI_COINCIDENT 1e-7f

/* The published constants of surface tension belong to this step. */
#define TPI_REFERENCE_STEP (1.0f / 140.0f)

typedef struct sph_context {
    tpi_points points;
    const float *vx, *vy, *vz;
    const uint32_t *order;
    const float *mass_share;
    const float (*pair_mass)[TP_SPECIES_MAX];
    float radius_squared, inverse_radius, coincident_squared;
    int32_t *density, *near_density, *reach;
    uint32_t *neighbours;
    int32_t *flow[3]; /* the force arrays: flow sums in the density stage, impulses in the force stage */
    const float *pressure, *near_pressure;
    float flow_scale;        /* timestep / radius */
    float linear, quadratic; /* viscosity, ready to multiply: see sph_force_context */
    float tension;
    uint64_t *clamped;
} sph_context;

static sph_context sph_context_of(tp_world *world)
{
    const tpi_arrays *a = &world->arrays;
    const tpi_constants *c = &world->constants;
    bool is_3d = world->def.dimensions == 3;
    sph_context context = {0};
    context.points = tpi_points_of(world);
    context.vx = tpi_back_v(world, 0);
    context.vy = tpi_back_v(world, 1);
    context.vz = tpi_back_v(world, is_3d ? 2 : 0);
    context.order = tpi_words(world, a->order);
    context.mass_share = c->mass_share;
    context.pair_mass = c->pair_mass;
    context.radius_squared = c->radius_squared;
    context.inverse_radius = c->inverse_radius;
    context.coincident_squared = c->radius_squared * (TPI_COINCIDENT * TPI_COINCIDENT);
    context.density = tpi_integers(world, a->density);
    context.near_density = tpi_integers(world, a->near_density);
    context.reach = tpi_integers(world, a->reach);
    context.neighbours = tpi_words(world, a->neighbours);
    for (uint32_t axis = 0; axis < 3; axis++)
        context.flow[axis] = tpi_integers(world, a->force[axis < world->def.dimensions ? axis : 0]);
    context.pressure = tpi_floats(world, a->density);
    context.near_pressure = tpi_floats(world, a->near_density);
    context.flow_scale = world->step.timestep * c->inverse_radius;
    context.clamped = &world->step.displacements_clamped;
    return context;
}

/* ---- eight pairs ---- */

/* Eight pairs at a time: what is gathered from the partners, lane by lane. */
typedef struct sph_lanes {
    float d[3][TPI_LANES]; /* partner's position less the particle's */
    float w[3][TPI_LANES]; /* particle's velocity less the partner's */
    float square[TPI_LANES], distance[TPI_LANES], share[TPI_LANES];
} sph_lanes;

/* Eight partners always: unused lanes repeat the first one, so that no loop has a variable end, and are then moved out
   of reach. Their terms are exact zeros. */
TPI_INLINE void sph_fill(const uint32_t *partners, uint32_t count, uint32_t filled[TPI_LANES])
{
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) filled[k] = partners[k < count ? k : 0];
}

TPI_INLINE void sph_mask(const sph_context *c, uint32_t count, sph_lanes *lanes)
{
    float out_of_reach = 4.0f * c->radius_squared;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) lanes->square[k] = k < count ? lanes->square[k] : out_of_reach;
}

TPI_INLINE void sph_gather_offset(const sph_context *c, uint32_t i, const uint32_t partners[TPI_LANES],
                                  uint32_t dimensions, sph_lanes *lanes)
{
    float x = c->points.x[i], y = c->points.y[i], z = c->points.z[i];
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        lanes->d[0][k] = c->points.x[partners[k]] - x;
        lanes->d[1][k] = c->points.y[partners[k]] - y;
        if (dimensions == 3) lanes->d[2][k] = c->points.z[partners[k]] - z;
    }
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        lanes->square[k] = lanes->d[0][k] * lanes->d[0][k] + lanes->d[1][k] * lanes->d[1][k];
        if (dimensions == 3) lanes->square[k] = lanes->square[k] + lanes->d[2][k] * lanes->d[2][k];
    }
}

TPI_INLINE void sph_gather_velocity(const sph_context *c, uint32_t i, const uint32_t partners[TPI_LANES],
                                    uint32_t dimensions, sph_lanes *lanes)
{
    float x = c->vx[i], y = c->vy[i], z = c->vz[i];
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        lanes->w[0][k] = x - c->vx[partners[k]];
        lanes->w[1][k] = y - c->vy[partners[k]];
        if (dimensions == 3) lanes->w[2][k] = z - c->vz[partners[k]];
    }
}

/* Distance, and share = 1 - r/h, never negative. */
TPI_INLINE void sph_measure(const sph_context *c, sph_lanes *lanes)
{
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        lanes->distance[k] = tpi_sqrt(lanes->square[k]);
        lanes->share[k] = tpi_max(1.0f - lanes->distance[k] * c->inverse_radius, 0.0f);
    }
}

/* ---- density ---- */

TPI_INLINE int32_t sph_flow_term(float difference, float scale)
{
    return (int32_t)(tpi_clamp(difference * scale, -TPI_FLOW_MAX, TPI_FLOW_MAX) * TPI_FLOW_SCALE);
}

/* Relative velocities and distances, for the Courant number (PHYSICS C.9): both ends of a pair get the same share. */
TPI_INLINE void sph_density_flow(const sph_context *c, uint32_t i, const uint32_t *partners, uint32_t count,
                                 uint32_t dimensions, const sph_lanes *lanes)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = partners[k];
        int32_t reach = (int32_t)(lanes->distance[k] * c->inverse_radius * TPI_DENSITY_SCALE);
        c->reach[i] += reach;
        c->reach[j] += reach;
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            int32_t flow = sph_flow_term(lanes->w[axis][k], c->flow_scale);
            c->flow[axis][i] -= flow;
            c->flow[axis][j] += flow;
        }
    }
}

TPI_INLINE void sph_density_eight(const sph_context *c, uint32_t i, const uint32_t *partners,
                                  const float *squares, uint32_t count, uint32_t dimensions, bool has_flow)
{
    sph_lanes lanes;
    float mass[TPI_LANES], mass_i = c->mass_share[TPI_ORDER_SPECIES(c->order[i])] * TPI_DENSITY_SCALE;
    int32_t to_i[TPI_LANES], near_to_i[TPI_LANES], to_j[TPI_LANES], near_to_j[TPI_LANES];
    for (uint32_t k = 0; k < TPI_LANES; k++)
        mass[k] = c->mass_share[TPI_ORDER_SPECIES(c->order[partners[k]])] * TPI_DENSITY_SCALE;
    memcpy(lanes.square, squares, sizeof lanes.square);
    sph_measure(c, &lanes);
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        float share = lanes.share[k], cube = share * share * share, fourth = cube * share;
        to_i[k] = (int32_t)(cube * mass[k]);
        near_to_i[k] = (int32_t)(fourth * mass[k]);
        to_j[k] = (int32_t)(cube * mass_i);
        near_to_j[k] = (int32_t)(fourth * mass_i);
    }
    int32_t density = 0, near_density = 0;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        density += to_i[k];
        near_density += near_to_i[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = partners[k];
        c->density[j] += to_j[k];
        c->near_density[j] += near_to_j[k];
        c->neighbours[j]++;
    }
    c->density[i] += density;
    c->near_density[i] += near_density;
    if (!has_flow) return;
    sph_gather_velocity(c, i, partners, dimensions, &lanes);
    sph_density_flow(c, i, partners, count, dimensions, &lanes);
}

TPI_INLINE void sph_density_batch(const sph_context *c, uint32_t i, const uint32_t *partners,
                                  const float *squares, uint32_t count, uint32_t dimensions, bool has_flow)
{
    c->neighbours[i] += count;
    for (uint32_t k = 0; k < count; k += TPI_LANES)
        sph_density_eight(c, i, partners + k, squares + k, tpi_min_u32(count - k, TPI_LANES), dimensions,
                          has_flow);
}

#define TPI_DENSITY_VISITOR(name, dimensions, has_flow)                                                     \
    TPI_INLINE void name(const tp_world *world, const void *context, uint32_t i, const uint32_t *partners,  \
                         const float *squares, uint32_t count)                                              \
    {                                                                                                       \
        (void)world;                                                                                        \
        sph_density_batch((const sph_context *)context, i, partners, squares, count, dimensions, has_flow); \
    }
TPI_DENSITY_VISITOR(sph_density_2d, 2, false)
TPI_DENSITY_VISITOR(sph_density_2d_flow, 2, true)
TPI_DENSITY_VISITOR(sph_density_3d, 3, false)
TPI_DENSITY_VISITOR(sph_density_3d_flow, 3, true)
#undef TPI_DENSITY_VISITOR

static uint32_t sph_density_sweep(tp_world *world, uint32_t units, bool *done)
{
    sph_context c = sph_context_of(world);
    bool stores = world->def.sph.stores_neighbours, has_flow = world->def.substeps.is_adaptive;
    if (world->def.dimensions == 2) {
        if (has_flow) return tpi_sweep_grid(world, units, 2, sph_density_2d_flow, &c, stores, done);
        return tpi_sweep_grid(world, units, 2, sph_density_2d, &c, stores, done);
    }
    if (has_flow) return tpi_sweep_grid(world, units, 3, sph_density_3d_flow, &c, stores, done);
    return tpi_sweep_grid(world, units, 3, sph_density_3d, &c, stores, done);
}

/* Sums begin at nothing; neighbour counts of the pass before are kept while the nearest are chosen from them. */
static uint32_t sph_density_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const tpi_arrays *a = &world->arrays;
    uint32_t count = tpi_min_u32(units, world->step.count - cursor->i);
    const uint32_t sums[7] = {a->density,  a->near_density, a->neighbours, a->reach,
                              a->force[0], a->force[1],     a->force[2]};
    uint32_t last = world->def.substeps.is_adaptive ? 4u + world->def.dimensions : 3u;
    for (uint32_t k = 0; k < last; k++) memset(tpi_words(world, sums[k]) + cursor->i, 0, (size_t)count * 4u);
    cursor->i += count;
    *done = cursor->i == world->step.count;
    if (*done) world->step.pairs = world->step.crowded = world->step.pair_count = 0;
    return count;
}

/* The largest neighbour count says whether the cap is hit. 8 counts cost less than one pair. */
static uint32_t sph_density_largest(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours);
    uint32_t count = tpi_min_u32(units * 8u, world->step.count - cursor->i),
             largest = world->step.neighbours_largest;
    for (uint32_t i = cursor->i; i < cursor->i + count; i++) largest = tpi_max_u32(largest, neighbours[i]);
    world->step.neighbours_largest = largest;
    cursor->i += count;
    *done = cursor->i == world->step.count;
    return (count + 7u) / 8u;
}

uint32_t tpi_sph_density(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0: used = sph_density_clear(world, units, &phase_done); break;
    case 1: used = sph_density_sweep(world, units, &phase_done); break;
    default: used = sph_density_largest(world, units, done); break;
    }
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}

/* ---- pressure ---- */

/* Courant number of one particle (PHYSICS C.9): |v - mean v| dt / mean distance; the count of neighbours cancels.
   `compat` adds the interaction radius to the sum of distances, as the published rule does. */
static float sph_courant(const tp_world *world, const sph_context *c, uint32_t i)
{
    float square = 0.0f, reach = (float)c->reach[i] * (1.0f / TPI_DENSITY_SCALE);
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        float flow = (float)c->flow[axis][i] * (1.0f / TPI_FLOW_SCALE);
        square = square + flow * flow;
    }
    if (world->def.substeps.compat) reach += 1.0f;
    return c->neighbours[i] && reach > 0.0f ? tpi_sqrt(square) / reach : 0.0f;
}

/* Turns sums into what a pair multiplies: k (rho - m rho0) norm dt^2 / 2, in units of radius times heaviest mass. */
static void sph_pressure_of(tp_world *world, const sph_context *c, uint32_t i)
{
    const tpi_constants *k = &world->constants;
    const tp_sph *sph = &world->def.sph;
    const tp_species *species = &world->def.species[TPI_ORDER_SPECIES(c->order[i])];
    float half_step = 0.5f * world->step.timestep * world->step.timestep;
    float unit = half_step / (k->smoothing_radius * k->mass_unit);
    float mass_scale = k->mass_unit * (1.0f / TPI_DENSITY_SCALE);
    float density = (float)c->density[i] * (mass_scale * k->norm);
    float near_density = (float)c->near_density[i] * (mass_scale * k->near_norm);
    float pressure = sph->stiffness * (density - species->mass * species->rest_density) * (k->norm * unit);
    float near_pressure = sph->near_stiffness * near_density * (k->near_norm * unit);
    tpi_floats(world, world->arrays.density)[i] = pressure;
    tpi_floats(world, world->arrays.near_density)[i] = near_pressure;
}

uint32_t tpi_sph_pressure(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    sph_context c = sph_context_of(world);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units, step->count - begin);
    for (uint32_t i = begin; i < end; i++) {
        if (world->def.substeps.is_adaptive)
            step->courant_bits = tpi_max_u32(step->courant_bits, tpi_bits(sph_courant(world, &c, i)));
        sph_pressure_of(world, &c, i);
        for (uint32_t axis = 0; axis < world->def.dimensions; axis++) c.flow[axis][i] = 0;
    }
    step->cursor.i = end;
    *done = end == step->count;
    return end - begin;
}

/* ---- force ---- */

/* Viscosity: displacement I dt with I = dt share (alpha u + beta u^2) / 2 of each of two equal masses, hence an
   impulse of I dt 2 m m' / (m + m'). Surface tension scales with (dt / reference)^2, so that a drop's size does not
   depend on dt; the published program leaves that factor out. */
static sph_context sph_force_context(tp_world *world)
{
    sph_context c = sph_context_of(world);
    const tpi_constants *k = &world->constants;
    float timestep = world->step.timestep, ratio = timestep / TPI_REFERENCE_STEP;
    float half_step = 0.5f * timestep * timestep * k->inverse_radius;
    c.linear = world->def.sph.viscosity_linear * half_step;
    c.quadratic = world->def.sph.viscosity_quadratic * half_step;
    c.tension = world->def.sph.surface_tension * k->norm;
    if (!world->def.sph.compat) c.tension = c.tension * (ratio * ratio);
    return c;
}

/* Where two particles coincide their ids give the direction, the same from either end. */
static void sph_coincident_direction(const tp_world *world, uint32_t i, uint32_t j, float direction[3])
{
    const uint32_t *order = tpi_words(world, world->arrays.order), *id = tpi_words(world, world->arrays.id);
    uint32_t id_i = id[TPI_ORDER_PLACE(order[i])], id_j = id[TPI_ORDER_PLACE(order[j])];
    bool swapped = id_i > id_j;
    tpi_random_key key = {world->def.seed, world->def.world_id, swapped ? id_j : id_i, 0x5350485au};
    tp_vector d = tpi_random_direction(key, 2u * (swapped ? id_i : id_j), world->def.dimensions);
    float sign = swapped ? -1.0f : 1.0f;
    direction[0] = sign * d.x;
    direction[1] = sign * d.y;
    direction[2] = sign * d.z;
}

typedef struct sph_push {
    float along[TPI_LANES], inverse[TPI_LANES];          /* relative velocity times offset; 1 / distance */
    float pressure[TPI_LANES], near_pressure[TPI_LANES]; /* partner's */
    float tension[TPI_LANES];                            /* 0 between species */
    float mass[TPI_LANES];                  /* 2 m m' / (m + m') of the pair; `compat`: the partner's */
    float to_i[TPI_LANES], to_j[TPI_LANES]; /* impulse, along the line of centres */
    bool has_coincident;
} sph_push;

TPI_INLINE void sph_force_gather(const sph_context *c, uint32_t i, const uint32_t partners[TPI_LANES],
                                 bool compat, sph_push *push)
{
    uint32_t species = TPI_ORDER_SPECIES(c->order[i]);
    float tension = c->tension * c->mass_share[species];
    const float *pair_mass = compat ? c->mass_share : c->pair_mass[species];
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        uint32_t other = TPI_ORDER_SPECIES(c->order[partners[k]]);
        push->mass[k] = pair_mass[other];
        bool is_alike = compat ? c->mass_share[other] == c->mass_share[species] : other == species;
        push->tension[k] = is_alike ? tension : 0.0f;
        push->pressure[k] = c->pressure[partners[k]];
        push->near_pressure[k] = c->near_pressure[partners[k]];
    }
}

TPI_INLINE void sph_force_measure(const sph_context *c, uint32_t dimensions, const sph_lanes *lanes,
                                  sph_push *push)
{
    int32_t coincident = 0;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        push->along[k] = lanes->w[0][k] * lanes->d[0][k] + lanes->w[1][k] * lanes->d[1][k];
        if (dimensions == 3) push->along[k] = push->along[k] + lanes->w[2][k] * lanes->d[2][k];
        push->inverse[k] = 1.0f / lanes->distance[k];
        coincident |= lanes->square[k] <= c->coincident_squared;
    }
    push->has_coincident = coincident != 0;
}

/* Gives coincident pairs a direction; under `compat` they ignore each other, as in the published program. */
static void sph_force_part(const tp_world *world, const sph_context *c, uint32_t i, const uint32_t *partners,
                           uint32_t count, sph_lanes *lanes, sph_push *push)
{
    for (uint32_t k = 0; k < count; k++) {
        if (lanes->square[k] > c->coincident_squared) continue;
        float direction[3];
        sph_coincident_direction(world, i, partners[k], direction);
        for (uint32_t axis = 0; axis < world->def.dimensions; axis++) lanes->d[axis][k] = direction[axis];
        lanes->distance[k] = push->along[k] = 0.0f;
        lanes->share[k] = world->def.sph.compat ? 0.0f : 1.0f;
        push->inverse[k] = 1.0f;
    }
}

/* Impulses of eight pairs, in smoothing radii times the heaviest mass. The published program's viscosity acts along
   d instead of d / r, and as equal displacements whatever the masses: then the ends differ. */
TPI_INLINE void sph_force_compute(const sph_context *c, uint32_t i, bool compat, const sph_lanes *lanes,
                                  sph_push *push)
{
    float pressure = c->pressure[i], near_pressure = c->near_pressure[i];
    float mass = c->mass_share[TPI_ORDER_SPECIES(c->order[i])];
    int32_t clamped = 0;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        float share = lanes->share[k], squared = share * share;
        float impulse = (pressure + push->pressure[k]) * squared +
                        (near_pressure + push->near_pressure[k]) * (squared * share);
        impulse = impulse - push->tension[k] * squared * (lanes->distance[k] * c->inverse_radius);
        float approach = tpi_max(push->along[k] * push->inverse[k], 0.0f);
        float viscous = share * (c->linear * approach + c->quadratic * (approach * approach));
        float to_i =
            compat ? impulse + viscous * lanes->distance[k] * mass : impulse + viscous * push->mass[k];
        push->to_i[k] = tpi_clamp(to_i, -1.0f, 1.0f);
        if (compat)
            push->to_j[k] = tpi_clamp(impulse + viscous * lanes->distance[k] * push->mass[k], -1.0f, 1.0f);
        clamped += push->to_i[k] != to_i;
    }
    *c->clamped += (uint64_t)clamped;
}

TPI_INLINE void sph_force_eight(const tp_world *world, const sph_context *c, uint32_t i,
                                const uint32_t *partners, uint32_t count, uint32_t dimensions, bool compat)
{
    sph_lanes lanes;
    sph_push push;
    uint32_t filled[TPI_LANES];
    sph_fill(partners, count, filled);
    sph_gather_offset(c, i, filled, dimensions, &lanes);
    sph_gather_velocity(c, i, filled, dimensions, &lanes);
    sph_force_gather(c, i, filled, compat, &push);
    sph_mask(c, count, &lanes);
    sph_measure(c, &lanes);
    sph_force_measure(c, dimensions, &lanes, &push);
    if (TPI_UNLIKELY(push.has_coincident)) sph_force_part(world, c, i, partners, count, &lanes, &push);
    sph_force_compute(c, i, compat, &lanes, &push);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        int32_t to_i[TPI_LANES], to_j[TPI_LANES], sum = 0;
        TPI_LANE_LOOP
        for (uint32_t k = 0; k < TPI_LANES; k++) {
            float line = lanes.d[axis][k] * push.inverse[k] * TPI_IMPULSE_SCALE;
            to_i[k] = (int32_t)(line * push.to_i[k]);
            to_j[k] = compat ? (int32_t)(line * push.to_j[k]) : to_i[k];
        }
        TPI_LANE_LOOP
        for (uint32_t k = 0; k < TPI_LANES; k++) sum += to_i[k];
        for (uint32_t k = 0; k < count; k++) c->flow[axis][partners[k]] += to_j[k];
        c->flow[axis][i] -= sum;
    }
}

TPI_INLINE void sph_force_batch(const tp_world *world, const sph_context *c, uint32_t i,
                                const uint32_t *partners, uint32_t count, uint32_t dimensions, bool compat)
{
    for (uint32_t k = 0; k < count; k += TPI_LANES)
        sph_force_eight(world, c, i, partners + k, tpi_min_u32(count - k, TPI_LANES), dimensions, compat);
}

#define TPI_FORCE_VISITOR(name, dimensions, compat)                                                        \
    TPI_INLINE void name(const tp_world *world, const void *context, uint32_t i, const uint32_t *partners, \
                         const float *squares, uint32_t count)                                             \
    {                                                                                                      \
        (void)squares; /* offsets are needed too, and give the same squares */                             \
        sph_force_batch(world, (const sph_context *)context, i, partners, count, dimensions, compat);      \
    }
TPI_FORCE_VISITOR(sph_force_2d, 2, false)
TPI_FORCE_VISITOR(sph_force_2d_compat, 2, true)
TPI_FORCE_VISITOR(sph_force_3d, 3, false)
#undef TPI_FORCE_VISITOR

uint32_t tpi_sph_force(tp_world *world, uint32_t units, bool *done)
{
    sph_context c = sph_force_context(world);
    if (world->def.sph.stores_neighbours) {
        if (world->def.sph.compat) return tpi_sweep_list(world, units, sph_force_2d_compat, &c, done);
        if (world->def.dimensions == 2) return tpi_sweep_list(world, units, sph_force_2d, &c, done);
        return tpi_sweep_list(world, units, sph_force_3d, &c, done);
    }
    if (world->def.sph.compat) return tpi_sweep_grid(world, units, 2, sph_force_2d_compat, &c, false, done);
    if (world->def.dimensions == 2) return tpi_sweep_grid(world, units, 2, sph_force_2d, &c, false, done);
    return tpi_sweep_grid(world, units, 3, sph_force_3d, &c, false, done);
}

void tpi_sph_displacement(const tp_world *world, uint32_t place, float displacement[3])
{
    const tpi_constants *k = &world->constants;
    float mass = k->mass_share[TPI_ORDER_SPECIES(tpi_words(world, world->arrays.order)[place])];
    float scale = k->smoothing_radius * (1.0f / TPI_IMPULSE_SCALE) / mass;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        displacement[axis] = (float)tpi_integers(world, world->arrays.force[axis])[place] * scale;
}

#undef TPI_DENSITY_SCALE
#undef TPI_IMPULSE_SCALE
#undef TPI_FLOW_SCALE
#undef TPI_FLOW_MAX
#undef TPI_COINCIDENT
#undef TPI_REFERENCE_STEP
