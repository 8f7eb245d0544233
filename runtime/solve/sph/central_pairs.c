/* SPDX-License-Identifier: MIT
   runtime/solve/sph/central_pairs.c - the pair sweeps of surface tension and viscosity.
   reads   back positions, velocities or changes of them, densities, species
   writes  sums of impulses
   memory  rows and sums of a patch on the stack: at most 24 KB; without vectors a batch
   cost    one visit per pair and sweep
   after   see central.h. The terms of a pair are integers that are added to both particles, so that
           momentum is kept to the last bit and no sum depends on its order */
#include "central_terms.h"
#include "dfsph_terms.h"
#include "../../grid/patch.h"

/* ---- contexts ---- */

/* The impulses of the force stage, which the incompressible fluid has in other units. */
static void central_cohere_set(tp_world *world, central_context *c)
{
    const tpi_central_constants *k = tpi_central_of(world);
    const float squared = world->step.timestep * world->step.timestep;
    const bool is_incompressible = tpi_sph_is_incompressible(&world->def);
    float per_length =
        is_incompressible ? 1.0f / tpi_sph_of(world)->dfsph.spacing : c->sph.inverse_radius;
    const tpi_sph_materials *materials = tpi_materials_of(world);
    if (materials) {
        c->pairs = &materials->cohesion[0][0];
        c->sph.is_uniform = false;
    }
    c->sph.vx = tpi_central_array(world, TPI_CENTRAL_NORMAL);
    c->sph.vy = tpi_central_array(world, TPI_CENTRAL_NORMAL + 1u);
    c->sph.vz =
        tpi_central_array(world, TPI_CENTRAL_NORMAL + (tpi_dimensions(world) == 3 ? 2u : 0u));
    for (uint32_t axis = 0; axis < 3; axis++) c->sums[axis] = c->sph.flow[axis];
    c->scale = is_incompressible ? TPI_DFSPH_SCALE : TPI_IMPULSE_SCALE;
    c->most = is_incompressible ? TPI_DFSPH_MOST : 1.0f;
    c->factor = k->cohesion * squared * per_length;
    c->area = k->area * squared * per_length;
    c->has_sums = !is_incompressible;
    /* -3 weight is the slope of the relative density times the support radius */
    if (c->has_sums) c->area = c->area * (-3.0f * k->weight / TPI_CENTRAL_SCALE);
}

static void central_face_set(tp_world *world, central_context *c)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        c->sums[axis] = (int32_t *)(void *)tpi_central_array(
            world, TPI_CENTRAL_NORMAL + (axis < tpi_dimensions(world) ? axis : 0u));
    c->sph.vx = c->sph.vy = c->sph.vz = NULL;
    c->scale = TPI_CENTRAL_SCALE;
}

/* What is left of the viscosity of pairs beside `smoothing`, relative to that of the fluid. */
static void central_shear_left(const tp_world *world, tpi_sph_materials *materials)
{
    const tpi_sph_constants *sph = tpi_sph_of(world);
    const float left = tpi_viscosity_left(world), gone = 1.0f - left;
    for (uint32_t i = 0; i < world->def.species_count; i++)
        for (uint32_t j = 0; j < world->def.species_count; j++) {
            float rest = tpi_max(materials->viscous[i][j] - gone * sph->pair_mass[i][j], 0.0f);
            materials->shear[i][j] = left > 0.0f ? rest / left : 0.0f;
        }
}

/* Only an incompressible fluid has `smoothing`. */
static void central_shear_species(const tp_world *world, central_context *c)
{
    tpi_sph_materials *materials = tpi_materials_of(world);
    c->pairs = &tpi_sph_of(world)->pair_mass[0][0];
    if (!materials) return;
    const bool is_smoothed = tpi_central_of(world)->smoothed > 0.0f;
    if (is_smoothed) central_shear_left(world, materials);
    c->pairs = is_smoothed ? &materials->shear[0][0] : &materials->viscous[0][0];
    c->sph.is_uniform = false;
}

static void central_shear_set(tp_world *world, central_context *c)
{
    const tpi_central_constants *k = tpi_central_of(world);
    c->sph.vx = tpi_central_array(world, TPI_CENTRAL_CHANGE);
    c->sph.vy = tpi_central_array(world, TPI_CENTRAL_CHANGE + 1u);
    c->sph.vz =
        tpi_central_array(world, TPI_CENTRAL_CHANGE + (tpi_dimensions(world) == 3 ? 2u : 0u));
    for (uint32_t axis = 0; axis < 3; axis++)
        c->sums[axis] = (int32_t *)(void *)tpi_central_array(world, TPI_CENTRAL_SUM + axis);
    c->density = tpi_central_array(world, TPI_CENTRAL_DENSITY);
    central_shear_species(world, c);
    c->scale = central_shear_scale(world);
    c->rounds = tpi_sph_is_mixed(&world->def);
    c->most = c->rounds ? TPI_CENTRAL_MIXED_MOST : 1.0f;
    c->factor =
        k->viscosity / k->bound * tpi_viscosity_left(world) * world->step.timestep / k->spacing;
}

static void central_weigh_set(tp_world *world, central_context *c)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        c->sums[axis] = (int32_t *)(void *)tpi_central_array(world, TPI_CENTRAL_SUM);
    c->sph.vx = c->sph.vy = c->sph.vz = NULL;
    c->scale = TPI_CENTRAL_WEIGHT_SCALE;
}

static void central_context_set(tp_world *world, uint32_t part, central_context *c)
{
    sph_context_set(world, &c->sph);
    c->density = NULL;
    c->pairs = NULL;
    c->factor = c->area = c->most = 0.0f;
    c->has_sums = c->rounds = false;
    if (part == TPI_CENTRAL_COHERE) central_cohere_set(world, c);
    if (part == TPI_CENTRAL_FACE) central_face_set(world, c);
    if (part == TPI_CENTRAL_SHEAR) central_shear_set(world, c);
    if (part == TPI_CENTRAL_WEIGH) central_weigh_set(world, c);
}

#if TPI_LANES == 1
/* ---- one pair at a time ---- */

/* A component of a normal or of a vector that viscosity multiplies. */
TPI_INLINE float central_number(const central_context *c, const float *numbers, uint32_t i)
{
    return c->has_sums ? (float)((const int32_t *)(const void *)numbers)[i] : numbers[i];
}

TPI_INLINE void central_gather(const central_context *c, uint32_t i, uint32_t j,
                               uint32_t dimensions, uint32_t part, sph_pairs *pairs,
                               central_ends *ends)
{
    const sph_context *s = &c->sph;
    pairs->d[0] = s->points.x[j] - s->points.x[i];
    pairs->d[1] = s->points.y[j] - s->points.y[i];
    if (dimensions == 3) pairs->d[2] = s->points.z[j] - s->points.z[i];
    if (part == TPI_CENTRAL_FACE || part == TPI_CENTRAL_WEIGH) return;
    pairs->w[0] = central_number(c, s->vx, i) - central_number(c, s->vx, j);
    pairs->w[1] = central_number(c, s->vy, i) - central_number(c, s->vy, j);
    if (dimensions == 3) pairs->w[2] = central_number(c, s->vz, i) - central_number(c, s->vz, j);
    if (part != TPI_CENTRAL_COHERE) ends->density = central_share(c->density[i], c->density[j]);
    if (s->is_uniform) return;
    const uint32_t own = TPI_ORDER_SPECIES(s->order[i]), other = TPI_ORDER_SPECIES(s->order[j]);
    if (c->pairs) ends->pair = c->pairs[own * TP_SPECIES_MAX + other];
    ends->kind_i = (float)own;
    ends->kind_j = (float)other;
}

TPI_INLINE void central_batch(const central_context *c, uint32_t i, const uint32_t *partners,
                              uint32_t count, uint32_t dimensions, uint32_t part, bool in_box,
                              tpi_tally *tally)
{
    uint32_t own[3] = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        sph_pairs pairs = {.is_real = tpi_lanes_first(1)};
        central_ends ends;
        if (in_box) ends = (central_ends){0}; /* the part is not constant */
        ends.pair = tpi_lanes_of(1.0f);
        tpi_lane_ints terms[3] = {0, 0, 0};
        central_gather(c, i, partners[k], dimensions, part, &pairs, &ends);
        if (in_box) tpi_points_offset(c->sph.points, i, partners[k], dimensions, pairs.d);
        central_measure(c, dimensions, &pairs, &ends);
        if (part == TPI_CENTRAL_WEIGH) {
            uint32_t weight = (uint32_t)tpi_lanes_truncate(central_weight(c, &pairs) * c->scale);
            own[0] -= weight; /* subtracted below */
            ((uint32_t *)c->sums[0])[partners[k]] += weight;
            continue;
        }
        tpi_lanes impulse = central_impulse(c, dimensions, part, &pairs, &ends);
        central_line(c, dimensions, &pairs, &ends, impulse, terms);
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            own[axis] += (uint32_t)terms[axis];
            ((uint32_t *)c->sums[axis])[partners[k]] += (uint32_t)terms[axis];
        }
        tally->clamped += ends.is_clamped & 1;
    }
    for (uint32_t axis = 0; axis < (part == TPI_CENTRAL_WEIGH ? 1u : dimensions); axis++)
        ((uint32_t *)c->sums[axis])[i] -= own[axis];
}

#define CENTRAL_SWEEPS(name, kind_dimensions, part)                                                \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,            \
                                const uint32_t *partners, const float *squares, uint32_t count,    \
                                tpi_tally *tally)                                                  \
    {                                                                                              \
        (void)world;                                                                               \
        (void)squares; /* offsets are needed too, and give the same squares */                     \
        central_batch((const central_context *)context, i, partners, count, kind_dimensions, part, \
                      false, tally);                                                               \
    }                                                                                              \
    TPI_SWEEP_GRID(name, name##_meet, .dimensions = kind_dimensions)                               \
    TPI_SWEEP_LISTS(name##_listed, name##_meet)
CENTRAL_SWEEPS(central_cohere_2d, 2, TPI_CENTRAL_COHERE)
CENTRAL_SWEEPS(central_face_2d, 2, TPI_CENTRAL_FACE)
CENTRAL_SWEEPS(central_shear_2d, 2, TPI_CENTRAL_SHEAR)
CENTRAL_SWEEPS(central_weigh_2d, 2, TPI_CENTRAL_WEIGH)
#if TPI_HAS_3D
CENTRAL_SWEEPS(central_cohere_3d, 3, TPI_CENTRAL_COHERE)
CENTRAL_SWEEPS(central_face_3d, 3, TPI_CENTRAL_FACE)
CENTRAL_SWEEPS(central_shear_3d, 3, TPI_CENTRAL_SHEAR)
CENTRAL_SWEEPS(central_weigh_3d, 3, TPI_CENTRAL_WEIGH)
#define CENTRAL_CALL(name) (tpi_dimensions(world) == 2 ? name(2d) : name(3d))
#else
#define CENTRAL_CALL(name) name(2d)
#endif
#undef CENTRAL_SWEEPS

#if TPI_HAS_BOX
/* In a periodic box: all parts of the work, in 2D and 3D. */
TPI_INLINE void central_box_meet(const tp_world *world, const void *context, uint32_t i,
                                 const uint32_t *partners, const float *squares, uint32_t count,
                                 tpi_tally *tally)
{
    const central_context *c = (const central_context *)context;
    (void)squares;
    central_batch(c, i, partners, count, tpi_dimensions(world), c->part, true, tally);
}
TPI_SWEEP_GRID(central_box, central_box_meet, .dimensions = tpi_dimensions(world),
               .is_periodic = true)
TPI_SWEEP_LISTS(central_box_listed, central_box_meet)
#endif

TPI_APART uint32_t tpi_central_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                     uint32_t part, bool *done)
{
    const bool has_list = world->def.sph.stores_neighbours;
    central_context c;
    central_context_set(world, part, &c);
    (void)jobs;
#if TPI_HAS_BOX
    c.part = part;
    if (world->constants.box.is_periodic)
        return has_list ? central_box_listed(world, NULL, units, &c, done)
                        : central_box(world, NULL, units, &c, done);
#endif
#define CENTRAL_COHERE(d)                                                 \
    (has_list ? central_cohere_##d##_listed(world, NULL, units, &c, done) \
              : central_cohere_##d(world, NULL, units, &c, done))
#define CENTRAL_FACE(d)                                                 \
    (has_list ? central_face_##d##_listed(world, NULL, units, &c, done) \
              : central_face_##d(world, NULL, units, &c, done))
#define CENTRAL_SHEAR(d)                                                 \
    (has_list ? central_shear_##d##_listed(world, NULL, units, &c, done) \
              : central_shear_##d(world, NULL, units, &c, done))
#define CENTRAL_WEIGH(d)                                                 \
    (has_list ? central_weigh_##d##_listed(world, NULL, units, &c, done) \
              : central_weigh_##d(world, NULL, units, &c, done))
    if (part == TPI_CENTRAL_COHERE) return CENTRAL_CALL(CENTRAL_COHERE);
    if (part == TPI_CENTRAL_WEIGH) return CENTRAL_CALL(CENTRAL_WEIGH);
    if (part == TPI_CENTRAL_FACE) return CENTRAL_CALL(CENTRAL_FACE);
    return CENTRAL_CALL(CENTRAL_SHEAR);
#undef CENTRAL_COHERE
#undef CENTRAL_FACE
#undef CENTRAL_SHEAR
#undef CENTRAL_WEIGH
}
#undef CENTRAL_CALL

#else
/* ---- patches ---- */

/* Rows of the slots of a patch, with a normal or a vector v. Near is x y vx vy, or x y z and the
   density; far is density and species, or vx vy vz and the species. Cohesion has the species for
   the density. */
typedef struct central_rows {
    _Alignas(64) float near[4 * TPI_PATCH_ROOM], far[4 * TPI_PATCH_ROOM];
} central_rows;

/* A vector of particles as columns of rows. */
typedef struct central_columns {
    tpi_lanes near[4], far[4];
} central_columns;

/* A component of normals or of the vectors that viscosity multiplies. */
TPI_INLINE tpi_lanes central_numbers(const central_context *c, const float *numbers, size_t p)
{
    return c->has_sums ? tpi_lanes_from_ints(tpi_lane_ints_load(numbers + p))
                       : tpi_lanes_load(numbers + p);
}

TPI_INLINE void central_columns_load(const central_context *c, size_t p, uint32_t dimensions,
                                     uint32_t part, central_columns *of)
{
    const sph_context *s = &c->sph;
    const bool is_2d = dimensions == 2;
    const tpi_lane_ints species = tpi_lane_ints_load(s->order + p) >> 24 & 7;
    tpi_lanes kind = tpi_lanes_from_ints(species), v[3] = {kind, kind, kind};
    tpi_lanes z = kind;
    const tpi_lanes number = kind;
    if (!is_2d) z = tpi_lanes_load(s->points.z + p);
    if (part != TPI_CENTRAL_FACE && part != TPI_CENTRAL_WEIGH) {
        v[0] = central_numbers(c, s->vx, p);
        v[1] = central_numbers(c, s->vy, p);
        if (!is_2d) v[2] = central_numbers(c, s->vz, p);
    }
    if (part == TPI_CENTRAL_SHEAR) kind = tpi_lanes_load(c->density + p);
    of->near[0] = tpi_lanes_load(s->points.x + p);
    of->near[1] = tpi_lanes_load(s->points.y + p);
    of->near[2] = is_2d ? v[0] : z;
    of->near[3] = is_2d ? v[1] : kind;
    of->far[0] = is_2d ? kind : v[0];
    of->far[1] = is_2d ? number : v[1];
    of->far[2] = v[2];
    of->far[3] = number;
}

TPI_INLINE void central_rows_load(const central_context *c, const tpi_patch *patch,
                                  uint32_t dimensions, uint32_t part, central_rows *rows)
{
    size_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (size_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES) {
            central_columns of;
            central_columns_load(c, p, dimensions, part, &of);
            tpi_rows_store_four(rows->near + 4u * to, of.near[0], of.near[1], of.near[2],
                                of.near[3]);
            if (part == TPI_CENTRAL_FACE || part == TPI_CENTRAL_WEIGH) continue;
            if (dimensions == 2)
                tpi_rows_store_two(rows->far + 2u * to, of.far[0], of.far[1]);
            else
                tpi_rows_store_four(rows->far + 4u * to, of.far[0], of.far[1], of.far[2],
                                    of.far[3]);
        }
        slot += run.end - run.begin;
    }
}

TPI_INLINE void central_gather(const central_rows *rows, const uint16_t *at, uint32_t dimensions,
                               uint32_t part, central_columns *of)
{
    tpi_rows_gather_four(rows->near, at, of->near);
    if (part == TPI_CENTRAL_FACE || part == TPI_CENTRAL_WEIGH) return;
    if (dimensions == 2)
        tpi_rows_gather_two(rows->far, at, of->far);
    else
        tpi_rows_gather_four(rows->far, at, of->far);
}

/* What a part of the work needs of both ends. */
TPI_INLINE void central_join(const central_columns *i, const central_columns *j,
                             uint32_t dimensions, uint32_t part, sph_pairs *pairs,
                             central_ends *ends)
{
    const uint32_t number = dimensions == 2 ? 1u : 3u;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        pairs->d[axis] = j->near[axis] - i->near[axis];
    if (part == TPI_CENTRAL_FACE || part == TPI_CENTRAL_WEIGH) return;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        pairs->w[axis] =
            dimensions == 2 ? i->near[2u + axis] - j->near[2u + axis] : i->far[axis] - j->far[axis];
    ends->kind_i = dimensions == 2 ? i->far[0] : i->near[3];
    ends->kind_j = dimensions == 2 ? j->far[0] : j->near[3];
    if (part == TPI_CENTRAL_COHERE) return;
    ends->density = central_share(ends->kind_i, ends->kind_j);
    ends->kind_i = i->far[number];
    ends->kind_j = j->far[number];
}

/* A vector of pairs, from the k-th of the patch on. */
TPI_INLINE void central_meet(const central_context *c, const tpi_patch *patch,
                             const central_rows *rows, uint32_t k, uint32_t dimensions,
                             uint32_t part, sph_pairs *pairs, central_ends *ends)
{
    central_columns i, j;
    *pairs = (sph_pairs){.is_real = tpi_lanes_first(TPI_LANES)};
    ends->pair = tpi_lanes_of(1.0f);
    central_gather(rows, patch->i + k, dimensions, part, &i);
    central_gather(rows, patch->j + k, dimensions, part, &j);
    central_join(&i, &j, dimensions, part, pairs, ends);
    if (part != TPI_CENTRAL_FACE && part != TPI_CENTRAL_WEIGH && !c->sph.is_uniform && c->pairs)
        ends->pair = tpi_lanes_gather(
            c->pairs, tpi_lanes_truncate(ends->kind_i * (float)TP_SPECIES_MAX + ends->kind_j));
    central_measure(c, dimensions, pairs, ends);
}

TPI_INLINE void central_patch(const tp_world *world, const central_context *c,
                              const tpi_patch *patch, uint32_t dimensions, uint32_t part,
                              tpi_tally *tally)
{
    central_rows rows;
    _Alignas(64) tpi_duo duos[TPI_PATCH_ROOM], duo_terms[TPI_PATCH_PAIRS + TPI_LANES];
    _Alignas(64) tpi_quad quads[TPI_PATCH_ROOM], quad_terms[TPI_PATCH_PAIRS + TPI_LANES];
    const tpi_patch_vectors sums = {duos, duo_terms, quads, quad_terms};
    central_rows_load(c, patch, dimensions, part, &rows);
    tpi_patch_wrap_rows(world, patch, rows.near);
    for (uint32_t k = 0; k < patch->pair_count; k += TPI_LANES) {
        sph_pairs pairs;
        central_ends ends;
        tpi_lane_ints terms[3];
        central_meet(c, patch, &rows, k, dimensions, part, &pairs, &ends);
        tpi_lanes impulse = central_impulse(c, dimensions, part, &pairs, &ends);
        central_line(c, dimensions, &pairs, &ends, impulse, terms);
        tpi_patch_keep_vectors(&sums, k, dimensions, terms);
        if (TPI_UNLIKELY(tpi_lanes_any(ends.is_clamped)))
            tally->clamped += tpi_lanes_count(tpi_lanes_and(
                ends.is_clamped, tpi_lanes_first(tpi_min_u32(patch->pair_count - k, TPI_LANES))));
    }
    tpi_patch_settle_vectors(patch, dimensions, &sums, c->sums);
}

/* Adds up the viscous weight of the pairs, at both ends alike. */
TPI_INLINE void central_weigh(const tp_world *world, const central_context *c,
                              const tpi_patch *patch, uint32_t dimensions)
{
    central_rows rows;
    _Alignas(64) uint32_t terms[TPI_PATCH_PAIRS + TPI_LANES], sums[TPI_PATCH_ROOM];
    const tpi_patch_sums all = {.counts = sums, .count_to = (uint32_t *)c->sums[0]};
    central_rows_load(c, patch, dimensions, TPI_CENTRAL_WEIGH, &rows);
    tpi_patch_wrap_rows(world, patch, rows.near);
    for (uint32_t k = 0; k < patch->pair_count; k += TPI_LANES) {
        sph_pairs pairs;
        central_ends ends;
        central_meet(c, patch, &rows, k, dimensions, TPI_CENTRAL_WEIGH, &pairs, &ends);
        tpi_lane_ints_store(terms + k, tpi_lanes_truncate(central_weight(c, &pairs) * c->scale));
    }
    tpi_patch_clear(sums, patch->slot_count, 1);
    tpi_patch_add_words(patch, terms, sums, false);
    tpi_patch_settle(patch, &all);
}

#define CENTRAL_WEIGHER(name, dimensions)                                                          \
    static TPI_APART void name(const tp_world *world, const void *context, const tpi_patch *patch, \
                               tpi_tally *tally)                                                   \
    {                                                                                              \
        const central_context c = *(const central_context *)context;                               \
        (void)tally;                                                                               \
        central_weigh(world, &c, patch, dimensions);                                               \
    }
CENTRAL_WEIGHER(central_weigh_2d_patch, 2)
CENTRAL_WEIGHER(central_weigh_3d_patch, 3)
#undef CENTRAL_WEIGHER

#define CENTRAL_VISITOR(name, dimensions, part)                                                    \
    static TPI_APART void name(const tp_world *world, const void *context, const tpi_patch *patch, \
                               tpi_tally *tally)                                                   \
    {                                                                                              \
        /* a copy: behind a pointer it would be read again for every vector */                     \
        const central_context c = *(const central_context *)context;                               \
        central_patch(world, &c, patch, dimensions, part, tally);                                  \
    }
CENTRAL_VISITOR(central_cohere_2d_patch, 2, TPI_CENTRAL_COHERE)
CENTRAL_VISITOR(central_face_2d_patch, 2, TPI_CENTRAL_FACE)
CENTRAL_VISITOR(central_shear_2d_patch, 2, TPI_CENTRAL_SHEAR)
CENTRAL_VISITOR(central_cohere_3d_patch, 3, TPI_CENTRAL_COHERE)
CENTRAL_VISITOR(central_face_3d_patch, 3, TPI_CENTRAL_FACE)
CENTRAL_VISITOR(central_shear_3d_patch, 3, TPI_CENTRAL_SHEAR)
#undef CENTRAL_VISITOR

TPI_APART uint32_t tpi_central_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                     uint32_t part, bool *done)
{
    const bool is_2d = tpi_dimensions(world) == 2;
    tpi_patch_visitor visitor = is_2d ? central_shear_2d_patch : central_shear_3d_patch;
    if (part == TPI_CENTRAL_COHERE)
        visitor = is_2d ? central_cohere_2d_patch : central_cohere_3d_patch;
    if (part == TPI_CENTRAL_FACE) visitor = is_2d ? central_face_2d_patch : central_face_3d_patch;
    if (part == TPI_CENTRAL_WEIGH)
        visitor = is_2d ? central_weigh_2d_patch : central_weigh_3d_patch;
    const tpi_sweep_kind kind = {.dimensions = tpi_dimensions(world),
                                 .by_lists = world->def.sph.stores_neighbours};
    central_context c;
    central_context_set(world, part, &c);
    return tpi_patch_slice(world, jobs, units, &c, kind, visitor, done);
}

#endif
