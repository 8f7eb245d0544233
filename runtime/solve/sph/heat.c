/* SPDX-License-Identifier: MIT
   runtime/solve/sph/heat.c - heat: the passes of a step, and buoyancy.
   reads   front temperatures, sums of densities, positions
   writes  back temperatures, sums of exchanged heat, velocities
   memory  rows and sums of a patch on the stack; without vectors a batch
   cost    one visit per pair, and two units per particle, besides sources
   after   see heat.h */
#include "sph_lanes.h"
#include "terms.h"
#include "../solve_lanes.h"
#include "../../grid/patch.h"

/* Terms of heat are clamped to this; 255 of them stay below 2^31. */
#define HEAT_MOST 4194304.0f /* 2^22 */

typedef struct heat_context {
    tpi_points points;
    const float *temperature; /* of the back set */
    int32_t *sums;            /* units */
    float inverse_radius;
    float inverse_square; /* 1 / h^2 */
    float scale;          /* units that a pair of weight 1 exchanges per kelvin of difference */
    float phase;          /* of the rounding, 0..1, another one in each step */
} heat_context;

/* Steps are numbered by the clock alone: a world that resumes from a cache goes on with the same
   bits. Multiples of the golden ratio are spread evenly. */
static float heat_phase(const tp_world *world)
{
    uint32_t number = (uint32_t)world->clock.frame * 101u + world->clock.step_of_frame;
    return (float)(number * 0x9e3779b9u >> 8) * (1.0f / 16777216.0f);
}

static void heat_context_set(const tp_world *world, heat_context *to)
{
    const tpi_heat_constants *k = tpi_heat_of(world);
    to->points = tpi_points_of(world);
    to->temperature = tpi_back_kept(world, TPI_KEPT_TEMPERATURE);
    to->sums = tpi_integers(world, world->arrays.own[TPI_SPH_HEAT]);
    to->inverse_radius = tpi_sph_of(world)->inverse_radius;
    to->inverse_square = to->inverse_radius * to->inverse_radius;
    to->scale = k->rate * world->step.timestep / k->unit;
    to->phase = heat_phase(world);
}

/* Units of heat that flow from the first particle of a pair to the second one; `warmer` is the
   difference of their temperatures. The remainder is rounded up in as many steps as it is large, so
   that small differences diffuse too. The opposite pair has the opposite term. */
TPI_INLINE tpi_lane_ints heat_term(const heat_context *c, tpi_lanes square, tpi_lanes warmer)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    tpi_lanes q = tpi_lanes_sqrt(square) * c->inverse_radius, square_q = square * c->inverse_square;
    tpi_lanes share = tpi_lanes_max(1.0f - q, zero);
    tpi_lanes weight = share * share * q / (square_q + TPI_HEAT_NEAR);
    tpi_lanes units = tpi_lanes_clamp(warmer * (weight * c->scale), -HEAT_MOST, HEAT_MOST);
    tpi_lanes up = tpi_lanes_min(square_q, tpi_lanes_of(1.0f)) * 4096.0f + c->phase;
    up = up - tpi_lanes_from_ints(tpi_lanes_truncate(up));
    return tpi_lanes_truncate(units + tpi_lanes_select(tpi_lanes_less(units, zero), -up, up));
}

/* ---- pairs ---- */

#if TPI_LANES == 1
/* As patches compute it. */
TPI_INLINE float heat_square(tpi_points points, uint32_t i, uint32_t j, uint32_t dimensions)
{
    float d[3];
    if (!TPI_HAS_BOX || !points.box) return tpi_distance_squared(points, i, j, dimensions);
    tpi_points_offset(points, i, j, dimensions, d);
    float square = d[0] * d[0] + d[1] * d[1];
    return dimensions == 3 ? square + d[2] * d[2] : square;
}

TPI_INLINE void heat_batch(const heat_context *c, uint32_t i, const uint32_t *partners,
                           uint32_t count, uint32_t dimensions)
{
    uint32_t given = 0, *sums = (uint32_t *)c->sums;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = partners[k];
        float square = heat_square(c->points, i, j, dimensions);
        uint32_t term = (uint32_t)heat_term(c, square, c->temperature[i] - c->temperature[j]);
        given += term;
        sums[j] += term;
    }
    sums[i] -= given;
}

#define HEAT_SWEEPS(name, kind_dimensions)                                                      \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,         \
                                const uint32_t *partners, const float *squares, uint32_t count, \
                                tpi_tally *tally)                                               \
    {                                                                                           \
        (void)world, (void)squares, (void)tally;                                                \
        heat_batch((const heat_context *)context, i, partners, count, kind_dimensions);         \
    }                                                                                           \
    TPI_SWEEP_GRID(name, name##_meet, .dimensions = kind_dimensions,                            \
                   .is_periodic = world->constants.box.is_periodic)                             \
    TPI_SWEEP_LISTS(name##_listed, name##_meet)
HEAT_SWEEPS(heat_2d, 2)
#if TPI_HAS_3D
HEAT_SWEEPS(heat_3d, 3)
#endif
#undef HEAT_SWEEPS

static uint32_t heat_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    const bool has_list = world->def.sph.stores_neighbours;
    heat_context c;
    heat_context_set(world, &c);
    (void)jobs;
#if TPI_HAS_3D
    if (tpi_dimensions(world) == 3)
        return has_list ? heat_3d_listed(world, NULL, units, &c, done)
                        : heat_3d(world, NULL, units, &c, done);
#endif
    return has_list ? heat_2d_listed(world, NULL, units, &c, done)
                    : heat_2d(world, NULL, units, &c, done);
}

#else
/* Rows of the slots of a patch: x y z and the temperature. */
TPI_INLINE void heat_rows_load(const heat_context *c, const tpi_patch *patch, float *rows)
{
    size_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (size_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES)
            tpi_rows_store_four(rows + 4u * to, tpi_lanes_load(c->points.x + p),
                                tpi_lanes_load(c->points.y + p), tpi_lanes_load(c->points.z + p),
                                tpi_lanes_load(c->temperature + p));
        slot += run.end - run.begin;
    }
}

TPI_INLINE void heat_patch(const tp_world *world, const heat_context *c, const tpi_patch *patch,
                           uint32_t dimensions)
{
    _Alignas(64) float rows[4 * TPI_PATCH_ROOM];
    _Alignas(64) uint32_t sums[TPI_PATCH_ROOM], terms[TPI_PATCH_PAIRS + TPI_LANES];
    tpi_patch_sums all = {.counts = sums, .count_to = (uint32_t *)c->sums};
    heat_rows_load(c, patch, rows);
    tpi_patch_wrap_rows(world, patch, rows);
    for (uint32_t k = 0; k < patch->pair_count; k += TPI_LANES) {
        tpi_lanes i[4], j[4];
        tpi_rows_gather_four(rows, patch->i + k, i);
        tpi_rows_gather_four(rows, patch->j + k, j);
        tpi_lanes x = j[0] - i[0], y = j[1] - i[1], square = x * x + y * y;
        if (dimensions == 3) square = square + (j[2] - i[2]) * (j[2] - i[2]);
        tpi_lane_ints_store(terms + k, heat_term(c, square, i[3] - j[3]));
    }
    tpi_patch_clear(sums, patch->slot_count, 1);
    tpi_patch_add_words(patch, terms, sums, true);
    tpi_patch_settle(patch, &all);
}

#define HEAT_VISITOR(name, dimensions)                                                             \
    static TPI_APART void name(const tp_world *world, const void *context, const tpi_patch *patch, \
                               tpi_tally *tally)                                                   \
    {                                                                                              \
        /* a copy: behind a pointer it would be read again for every vector */                     \
        const heat_context c = *(const heat_context *)context;                                     \
        (void)tally;                                                                               \
        heat_patch(world, &c, patch, dimensions);                                                  \
    }
HEAT_VISITOR(heat_2d_patch, 2)
HEAT_VISITOR(heat_3d_patch, 3)
#undef HEAT_VISITOR

static uint32_t heat_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    const bool is_2d = tpi_dimensions(world) == 2;
    const tpi_sweep_kind kind = {.dimensions = is_2d ? 2u : 3u,
                                 .by_lists = world->def.sph.stores_neighbours};
    heat_context c;
    heat_context_set(world, &c);
    return tpi_patch_slice(world, jobs, units, &c, kind, is_2d ? heat_2d_patch : heat_3d_patch,
                           done);
}
#endif

/* ---- particles ---- */

/* The sums of densities bound the sum of a particle's weights, see heat.h. The strain is the time
   step over the longest one that this allows. */
TPI_INLINE tpi_lanes heat_strain(const tp_world *world, uint32_t i)
{
    const tpi_heat_constants *k = tpi_heat_of(world);
    const float scale = k->lightest * (1.0f / TPI_DENSITY_SCALE);
    tpi_lanes count = tpi_lanes_from_ints(
                  tpi_lane_ints_load(tpi_words(world, world->arrays.neighbours) + i)),
              cubes = tpi_lanes_from_ints(tpi_lane_ints_load(tpi_sph_density_of(world) + i)),
              fourths = tpi_lanes_from_ints(tpi_lane_ints_load(tpi_sph_near_density_of(world) + i));
    tpi_lanes bound = tpi_lanes_sqrt(count * (fourths * scale)) + cubes * (scale * TPI_HEAT_CUBES);
    return bound * (k->rate * world->step.timestep * (1.0f / TPI_HEAT_SHARE));
}

static void heat_begin_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                             tpi_tally *tally)
{
    const float *from = tpi_front_kept(world, TPI_KEPT_TEMPERATURE);
    float *to = tpi_back_kept(world, TPI_KEPT_TEMPERATURE);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_lanes strain = tpi_lanes_of(0.0f);
    (void)context;
    tpi_memset(tpi_integers(world, world->arrays.own[TPI_SPH_HEAT]) + begin, 0,
               (size_t)(end - begin) * 4u);
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        tpi_lane_mask is_real = tpi_lanes_first(count);
        tpi_lane_ints front = tpi_lane_ints_select(
            is_real, tpi_lane_ints_load(order + i) & 0xffffff, tpi_lane_ints_of(0));
        tpi_lanes_store_first(to + i, tpi_lanes_gather(from, front), count);
        strain = tpi_lanes_max(
            strain, tpi_lanes_select(is_real, heat_strain(world, i), tpi_lanes_of(0.0f)));
    }
    for (uint32_t k = 0; k < TPI_LANES; k++)
        tally->strain_bits = tpi_max_u32(tally->strain_bits, tpi_bits(TPI_LANE(strain, k)));
}

/* `context`: not null if there are sources. */
static void heat_end_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                           tpi_tally *tally)
{
    const tpi_points points = tpi_points_of(world);
    const int32_t *sums = tpi_integers(world, world->arrays.own[TPI_SPH_HEAT]);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    const float unit = tpi_heat_of(world)->unit;
    float *temperature = tpi_back_kept(world, TPI_KEPT_TEMPERATURE);
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        tpi_lanes given = tpi_lanes_from_ints(tpi_lane_ints_load(sums + i)) * unit;
        tpi_lanes_store_first(temperature + i, tpi_lanes_load(temperature + i) + given,
                              tpi_min_u32(end - i, TPI_LANES));
    }
    for (uint32_t i = begin; context && i < end; i++) {
        tp_vector point = {points.x[i], points.y[i], 0.0f};
        if (tpi_dimensions(world) == 3) point.z = points.z[i];
        temperature[i] =
            tpi_heat_sources(world, point, TPI_ORDER_SPECIES(order[i]), temperature[i]);
    }
}

static uint32_t heat_particles(tp_world *world, const tp_jobs *jobs, uint32_t units, bool is_end,
                               bool *done)
{
    tpi_step *step = &world->step;
    uint32_t sources = is_end ? tpi_heat_source_units(world) : 0u, each = 1u + sources;
    uint32_t begin = step->cursor.i,
             count = tpi_min_u32(tpi_max_u32(units / each, 1u), step->count - begin);
    tpi_tally tally = tpi_team_run(jobs, world, is_end ? heat_end_range : heat_begin_range,
                                   sources ? world : NULL, begin, begin + count);
    step->strain_bits = tpi_max_u32(step->strain_bits, tally.strain_bits);
    step->cursor.i = begin + count;
    *done = step->cursor.i == step->count;
    return count * each;
}

/* cursor.phase: 0 temperatures of the back set, 1 pairs, 2 sources, 3 the heat is done. */
TPI_APART uint32_t tpi_heat_step(tp_world *world, const tp_jobs *jobs, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t phase = cursor->phase;
    bool is_done = false;
    uint32_t used = phase == 1u ? heat_sweep(world, jobs, units, &is_done)
                                : heat_particles(world, jobs, units, phase == 2u, &is_done);
    if (is_done) *cursor = (tpi_cursor){.phase = phase + 1u};
    return used;
}

/* ---- buoyancy ---- */

/* The number of a species, in the order of its table. */
TPI_INLINE tpi_lanes heat_of_species(const float *first, tpi_lane_ints species)
{
    return tpi_lanes_gather(first, species * (int32_t)(sizeof(tp_species) / sizeof(float)));
}

TPI_APART void tpi_heat_kick(const tp_world *world, const tpi_field_plan *plan,
                             tpi_lane_ints species, const float *temperature, tpi_lanes velocity[3])
{
    const float *gravity = (const float *)(const void *)plan->gravity; /* x y z of each species */
    const tp_species *first = world->def.species;
    tpi_lanes warmth = tpi_lanes_load(temperature) * heat_of_species(&first->expansion, species);
    tpi_lanes lift = (warmth + heat_of_species(&first->buoyancy, species)) * world->step.timestep;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        velocity[axis] = velocity[axis] - tpi_lanes_gather(gravity + axis, species * 3) * lift;
}

#undef HEAT_MOST
