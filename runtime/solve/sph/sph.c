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
    float radius_squared, inverse_radius, coincident_squared;
    int32_t *density, *near_density, *reach;
    uint32_t *neighbours;
    int32_t *flow[3]; /* the force arrays: flow sums in the density stage, impulses in the force stage */
    const float *pressure, *near_pressure;
    float flow_scale; /* timestep / radius */
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

/* ---- density ---- */

/* share = 1 - r/h of a pair, never negative. */
TPI_INLINE float sph_share(float distance, float inverse_radius) { return tpi_max(1.0f - distance * inverse_radius, 0.0f); }

TPI_INLINE int32_t sph_flow_term(float difference, float scale)
{
    return (int32_t)(tpi_clamp(difference * scale, -TPI_FLOW_MAX, TPI_FLOW_MAX) * TPI_FLOW_SCALE);
}

/* Relative velocity and distance of a pair, for the Courant number (PHYSICS C.9): both ends get the same share. */
TPI_INLINE void sph_density_flow(const sph_context *c, uint32_t i, uint32_t j, float distance, uint32_t dimensions)
{
    int32_t fx = sph_flow_term(c->vx[j] - c->vx[i], c->flow_scale);
    int32_t fy = sph_flow_term(c->vy[j] - c->vy[i], c->flow_scale);
    int32_t near_share = (int32_t)(distance * c->inverse_radius * TPI_DENSITY_SCALE);
    c->flow[0][i] += fx;
    c->flow[0][j] -= fx;
    c->flow[1][i] += fy;
    c->flow[1][j] -= fy;
    if (dimensions == 3) {
        int32_t fz = sph_flow_term(c->vz[j] - c->vz[i], c->flow_scale);
        c->flow[2][i] += fz;
        c->flow[2][j] -= fz;
    }
    c->reach[i] += near_share;
    c->reach[j] += near_share;
}

TPI_INLINE void sph_density_batch(const sph_context *c, uint32_t i, const uint32_t *partners, uint32_t count,
                                  uint32_t dimensions, bool has_flow)
{
    float scale_i = c->mass_share[TPI_ORDER_SPECIES(c->order[i])] * TPI_DENSITY_SCALE;
    int32_t density = 0, near_density = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = partners[k];
        float distance = tpi_sqrt(tpi_distance_squared(c->points, i, j, dimensions));
        float share = sph_share(distance, c->inverse_radius);
        float cube = share * share * share, fourth = cube * share;
        float scale_j = c->mass_share[TPI_ORDER_SPECIES(c->order[j])] * TPI_DENSITY_SCALE;
        density += (int32_t)(cube * scale_j);
        near_density += (int32_t)(fourth * scale_j);
        c->density[j] += (int32_t)(cube * scale_i);
        c->near_density[j] += (int32_t)(fourth * scale_i);
        c->neighbours[j]++;
        if (has_flow) sph_density_flow(c, i, j, distance, dimensions);
    }
    c->density[i] += density;
    c->near_density[i] += near_density;
    c->neighbours[i] += count;
}

#define TPI_DENSITY_VISITOR(name, dimensions, has_flow)                                                      \
    TPI_INLINE void name(const tp_world *world, const void *context, uint32_t i, const uint32_t *partners,   \
                         uint32_t count)                                                                     \
    {                                                                                                        \
        (void)world;                                                                                         \
        sph_density_batch((const sph_context *)context, i, partners, count, dimensions, has_flow);           \
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
    const uint32_t sums[7] = {a->density, a->near_density, a->neighbours, a->reach, a->force[0], a->force[1], a->force[2]};
    uint32_t last = world->def.substeps.is_adaptive ? 4u + world->def.dimensions : 3u;
    for (uint32_t k = 0; k < last; k++) memset(tpi_words(world, sums[k]) + cursor->i, 0, (size_t)count * 4u);
    cursor->i += count;
    *done = cursor->i == world->step.count;
    if (*done) world->step.pairs = world->step.crowded = world->step.pair_count = 0;
    return count + 1u;
}

/* The largest neighbour count says whether the cap is hit. 8 counts cost less than one pair. */
static uint32_t sph_density_largest(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours);
    uint32_t count = tpi_min_u32(units * 8u, world->step.count - cursor->i), largest = world->step.neighbours_largest;
    for (uint32_t i = cursor->i; i < cursor->i + count; i++) largest = tpi_max_u32(largest, neighbours[i]);
    world->step.neighbours_largest = largest;
    cursor->i += count;
    *done = cursor->i == world->step.count;
    return count / 8u + 1u;
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
    return end - begin + 1u;
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

/* Approach speed times the viscous factors; zero for a receding pair. */
TPI_INLINE float sph_viscosity(const sph_context *c, float approach, float share)
{
    float u = tpi_max(approach, 0.0f);
    return share * (c->linear * u + c->quadratic * (u * u));
}

TPI_INLINE void sph_force_batch(const tp_world *world, const sph_context *c, uint32_t i, const uint32_t *partners,
                                uint32_t count, uint32_t dimensions, bool compat)
{
    uint32_t species_i = TPI_ORDER_SPECIES(c->order[i]);
    float mass_i = c->mass_share[species_i];
    float pressure_i = c->pressure[i], near_i = c->near_pressure[i];
    int32_t sum[3] = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = partners[k], species_j = TPI_ORDER_SPECIES(c->order[j]);
        float d[3] = {c->points.x[j] - c->points.x[i], c->points.y[j] - c->points.y[i], 0.0f};
        float w[3] = {c->vx[i] - c->vx[j], c->vy[i] - c->vy[j], 0.0f};
        float square = d[0] * d[0] + d[1] * d[1];
        float along = w[0] * d[0] + w[1] * d[1];
        if (dimensions == 3) {
            d[2] = c->points.z[j] - c->points.z[i];
            w[2] = c->vz[i] - c->vz[j];
            square = square + d[2] * d[2];
            along = along + w[2] * d[2];
        }
        float distance = tpi_sqrt(square), inverse = 1.0f / distance;
        if (TPI_UNLIKELY(square <= c->coincident_squared)) {
            if (compat) continue; /* the published program lets them ignore each other */
            sph_coincident_direction(world, i, j, d);
            distance = along = 0.0f;
            inverse = 1.0f;
        }
        float share = sph_share(distance, c->inverse_radius), share_squared = share * share;
        float impulse = (pressure_i + c->pressure[j]) * share_squared +
                        (near_i + c->near_pressure[j]) * (share_squared * share);
        float mass_j = c->mass_share[species_j];
        if (species_i == species_j) impulse = impulse - c->tension * mass_i * share_squared * (distance * c->inverse_radius);
        float viscous = sph_viscosity(c, along * inverse, share), viscous_j = 0.0f;
        if (compat) { /* acts along d instead of d / r, as equal displacements whatever the masses */
            viscous_j = viscous * distance * mass_j;
            viscous = viscous * distance * mass_i;
        } else {
            viscous = viscous * (2.0f * mass_i * mass_j / (mass_i + mass_j));
            viscous_j = viscous;
        }
        float raw_i = impulse + viscous, raw_j = impulse + viscous_j;
        float to_i = tpi_clamp(raw_i, -1.0f, 1.0f), to_j = compat ? tpi_clamp(raw_j, -1.0f, 1.0f) : to_i;
        if (TPI_UNLIKELY(to_i != raw_i)) ++*c->clamped;
        float scale_i = to_i * TPI_IMPULSE_SCALE * inverse, scale_j = to_j * TPI_IMPULSE_SCALE * inverse;
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            int32_t push = (int32_t)(scale_i * d[axis]);
            sum[axis] -= push;
            c->flow[axis][j] += compat ? (int32_t)(scale_j * d[axis]) : push;
        }
    }
    for (uint32_t axis = 0; axis < dimensions; axis++) c->flow[axis][i] += sum[axis];
}

#define TPI_FORCE_VISITOR(name, dimensions, compat)                                                          \
    TPI_INLINE void name(const tp_world *world, const void *context, uint32_t i, const uint32_t *partners,   \
                         uint32_t count)                                                                     \
    {                                                                                                        \
        sph_force_batch(world, (const sph_context *)context, i, partners, count, dimensions, compat);        \
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
