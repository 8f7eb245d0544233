/* SPDX-License-Identifier: MIT
   runtime/solve/sph/dfsph_pairs.c - the pair sweeps of the incompressible fluid.
   reads   back positions and velocities, changes of pressures, densities
   writes  sums of densities, gradients, divergences, changes of velocities
   memory  rows and sums of a patch on the stack: at most 32 KB; without vectors a batch
   cost    one visit per pair and sweep
   after   see dfsph.h. The terms of a pair are integers that are added to both particles, so that
           momentum is kept to the last bit and no sum depends on its order */
#include "dfsph_terms.h"
#include "../../grid/patch.h"

#if TPI_LANES == 1
/* ---- one pair at a time ---- */

TPI_INLINE void dfsph_add(int32_t *sums, uint32_t i, uint32_t term)
{
    ((uint32_t *)sums)[i] += term;
}

TPI_INLINE void dfsph_gather(const dfsph_context *c, uint32_t i, uint32_t j, uint32_t dimensions,
                             uint32_t part, sph_pairs *pairs, dfsph_ends *ends)
{
    const sph_context *s = &c->sph;
    pairs->d[0] = s->points.x[j] - s->points.x[i];
    pairs->d[1] = s->points.y[j] - s->points.y[i];
    if (dimensions == 3) pairs->d[2] = s->points.z[j] - s->points.z[i];
    if (part != TPI_DFSPH_PUSH) {
        pairs->w[0] = s->vx[i] - s->vx[j];
        pairs->w[1] = s->vy[i] - s->vy[j];
        if (dimensions == 3) pairs->w[2] = s->vz[i] - s->vz[j];
    }
    if (part >= TPI_DFSPH_PUSH) ends->change = c->change[j] + c->change[i];
    if (part == TPI_DFSPH_FLOW) ends->density = s->pressure[j] + s->pressure[i];
    if (part == TPI_DFSPH_MEET_ALL)
        ends->mass = tpi_min(s->mass_share[TPI_ORDER_SPECIES(s->order[i])],
                             s->mass_share[TPI_ORDER_SPECIES(s->order[j])]);
}

/* Adds the terms of a line to j, and to the sums of i. */
TPI_INLINE void dfsph_spread(const dfsph_context *c, uint32_t j, uint32_t dimensions,
                             const tpi_lane_ints terms[3], uint32_t sum[3])
{
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        sum[axis] += (uint32_t)terms[axis];
        dfsph_add(c->sph.flow[axis], j, (uint32_t)terms[axis]);
    }
}

/* Sums of one particle: of directions or changes of velocity, densities, divergence. */
typedef struct dfsph_own {
    uint32_t line[3], cubes, fourths, divergence;
} dfsph_own;

TPI_INLINE void dfsph_pair(const tp_world *world, const dfsph_context *c, uint32_t i, uint32_t j,
                           uint32_t dimensions, uint32_t part, bool in_box, dfsph_own *own,
                           tpi_tally *tally)
{
    sph_pairs pairs = {.is_real = tpi_lanes_first(1)};
    dfsph_ends ends;
    tpi_lane_ints terms[3] = {0, 0, 0}, cube, fourth;
    if (in_box) ends = (dfsph_ends){0}; /* the part is not constant */
    dfsph_gather(c, i, j, dimensions, part, &pairs, &ends);
    if (in_box) tpi_points_offset(c->sph.points, i, j, dimensions, pairs.d);
    dfsph_measure(c, dimensions, part, &pairs, &ends);
    if (TPI_UNLIKELY(ends.is_rare)) {
        dfsph_part(world, 0, i, j, c->sph.coincident_squared, &pairs, &ends);
        if (part != TPI_DFSPH_PUSH) dfsph_along(dimensions, &pairs, &ends);
        ends.is_rare = 0;
    }
    if (part <= TPI_DFSPH_MEET) {
        dfsph_meet_terms(c, part, &pairs, &ends, &cube, &fourth);
        own->cubes += (uint32_t)cube;
        own->fourths += (uint32_t)fourth;
        dfsph_add(c->sph.density, j, (uint32_t)cube);
        dfsph_add(c->sph.near_density, j, (uint32_t)fourth);
        dfsph_line_terms(dimensions, &pairs, &ends, TPI_DENSITY_SCALE, pairs.share * pairs.share,
                         terms);
        c->sph.neighbours[j]++;
    }
    if (part == TPI_DFSPH_MEET_ALL)
        dfsph_courant(c, dfsph_speed_squared(dimensions, &pairs), tally);
    if (part <= TPI_DFSPH_DIVERGE) {
        uint32_t term = (uint32_t)dfsph_divergence_term(c, &pairs, &ends);
        own->divergence += term;
        dfsph_add(c->divergence, j, term);
    } else {
        dfsph_line_terms(dimensions, &pairs, &ends, TPI_DFSPH_SCALE,
                         dfsph_push(c, part, &pairs, &ends), terms);
    }
    if (part != TPI_DFSPH_DIVERGE) dfsph_spread(c, j, dimensions, terms, own->line);
    tally->clamped += ends.is_rare & 1;
}

static TPI_APART void dfsph_pair_apart(const tp_world *world, const dfsph_context *c, uint32_t i,
                                       uint32_t j, dfsph_own *own, tpi_tally *tally)
{
    dfsph_pair(world, c, i, j, tpi_dimensions(world), TPI_DFSPH_MEET_ALL, false, own, tally);
}

/* Adds the sums of i. */
TPI_INLINE void dfsph_add_own(const dfsph_context *c, uint32_t i, uint32_t count,
                              uint32_t dimensions, uint32_t part, const dfsph_own *own)
{
    if (part == TPI_DFSPH_MEET) {
        dfsph_add(c->sph.density, i, own->cubes);
        dfsph_add(c->sph.near_density, i, own->fourths);
        c->sph.neighbours[i] += count;
    }
    if (part <= TPI_DFSPH_DIVERGE) dfsph_add(c->divergence, i, own->divergence);
    for (uint32_t axis = 0; part != TPI_DFSPH_DIVERGE && axis < dimensions; axis++)
        dfsph_add(c->sph.flow[axis], i, 0u - own->line[axis]);
}

TPI_INLINE void dfsph_batch(const tp_world *world, const dfsph_context *c, uint32_t i,
                            const uint32_t *partners, uint32_t count, uint32_t dimensions,
                            uint32_t part, tpi_tally *tally)
{
    dfsph_own own = {.cubes = 0};
    uint32_t k = 0;
    for (; part == TPI_DFSPH_MEET && c->meets_all && k < count; k++)
        dfsph_pair_apart(world, c, i, partners[k], &own, tally);
    for (; k < count; k++)
        dfsph_pair(world, c, i, partners[k], dimensions, part, false, &own, tally);
    dfsph_add_own(c, i, count, dimensions, part, &own);
}

#define DFSPH_MEET(name, kind_dimensions, part)                                                 \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,         \
                                const uint32_t *partners, const float *squares, uint32_t count, \
                                tpi_tally *tally)                                               \
    {                                                                                           \
        (void)squares; /* offsets are needed too, and give the same squares */                  \
        dfsph_batch(world, (const dfsph_context *)context, i, partners, count, kind_dimensions, \
                    part, tally);                                                               \
    }                                                                                           \
    TPI_SWEEP_GRID(name, name##_meet, .dimensions = kind_dimensions,                            \
                   .fills_lists = (part) == TPI_DFSPH_MEET)
#define DFSPH_SWEEPS(name, kind_dimensions, part) \
    DFSPH_MEET(name, kind_dimensions, part)       \
    TPI_SWEEP_LISTS(name##_listed, name##_meet)
DFSPH_MEET(dfsph_meet_2d, 2, TPI_DFSPH_MEET)
DFSPH_SWEEPS(dfsph_diverge_2d, 2, TPI_DFSPH_DIVERGE)
DFSPH_SWEEPS(dfsph_push_2d, 2, TPI_DFSPH_PUSH)
DFSPH_SWEEPS(dfsph_flow_2d, 2, TPI_DFSPH_FLOW)
#if TPI_HAS_3D
DFSPH_MEET(dfsph_meet_3d, 3, TPI_DFSPH_MEET)
DFSPH_SWEEPS(dfsph_diverge_3d, 3, TPI_DFSPH_DIVERGE)
DFSPH_SWEEPS(dfsph_push_3d, 3, TPI_DFSPH_PUSH)
DFSPH_SWEEPS(dfsph_flow_3d, 3, TPI_DFSPH_FLOW)
#define DFSPH_CALL(name)                                                  \
    (tpi_dimensions(world) == 2 ? name##_2d(world, NULL, units, &c, done) \
                                : name##_3d(world, NULL, units, &c, done))
#define DFSPH_CALL_LISTED(name)                                                  \
    (tpi_dimensions(world) == 2 ? name##_2d_listed(world, NULL, units, &c, done) \
                                : name##_3d_listed(world, NULL, units, &c, done))
#else
#define DFSPH_CALL(name)        name##_2d(world, NULL, units, &c, done)
#define DFSPH_CALL_LISTED(name) name##_2d_listed(world, NULL, units, &c, done)
#endif
#undef DFSPH_MEET
#undef DFSPH_SWEEPS

#if TPI_HAS_BOX
/* In a periodic box: all parts of the work, in 2D and 3D. */
TPI_INLINE void dfsph_box_meet(const tp_world *world, const void *context, uint32_t i,
                               const uint32_t *partners, const float *squares, uint32_t count,
                               tpi_tally *tally)
{
    const dfsph_context *c = (const dfsph_context *)context;
    const uint32_t dimensions = tpi_dimensions(world), part = c->part;
    const bool meets_all = part == TPI_DFSPH_MEET && c->meets_all;
    dfsph_own own = {.cubes = 0};
    (void)squares;
    for (uint32_t k = 0; k < count; k++)
        dfsph_pair(world, c, i, partners[k], dimensions, meets_all ? TPI_DFSPH_MEET_ALL : part,
                   true, &own, tally);
    dfsph_add_own(c, i, count, dimensions, part, &own);
}
TPI_SWEEP_GRID(dfsph_box, dfsph_box_meet, .dimensions = tpi_dimensions(world), .is_periodic = true,
               .fills_lists = ((const dfsph_context *)context)->part == TPI_DFSPH_MEET)
TPI_SWEEP_LISTS(dfsph_box_listed, dfsph_box_meet)
#endif

TPI_APART uint32_t tpi_dfsph_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   uint32_t part, bool *done)
{
    const bool has_list = world->def.sph.stores_neighbours;
    dfsph_context c;
    dfsph_context_set(world, &c);
    (void)jobs;
#if TPI_HAS_BOX
    c.part = part;
    if (world->constants.box.is_periodic)
        return has_list && part != TPI_DFSPH_MEET ? dfsph_box_listed(world, NULL, units, &c, done)
                                                  : dfsph_box(world, NULL, units, &c, done);
#endif
#define DFSPH_SWEEP(name) (has_list ? DFSPH_CALL_LISTED(name) : DFSPH_CALL(name))
    switch (part) {
    case TPI_DFSPH_MEET: return DFSPH_CALL(dfsph_meet);
    case TPI_DFSPH_DIVERGE: return DFSPH_SWEEP(dfsph_diverge);
    case TPI_DFSPH_PUSH: return DFSPH_SWEEP(dfsph_push);
    default: return DFSPH_SWEEP(dfsph_flow);
    }
#undef DFSPH_SWEEP
}
#undef DFSPH_CALL
#undef DFSPH_CALL_LISTED

#else
/* ---- patches ---- */

/* Rows of the slots of a patch, and the arrays that they are filled from. 2D: near is x y vx vy, or
   x y and the change of pressure; far is that change and the density. 3D: near is x y z and the
   change; far is vx vy vz and the density. With masses the order, which has the species, is in the
   place of the density.
   Without picks both ends of a pair are read at once, as differences: velocities of 2D and
   densities of 3D are opposite, and first particles have own rows, whose changes are opposite and
   whose densities are not. */
typedef struct dfsph_rows {
    _Alignas(64) float near[4 * TPI_PATCH_ROOM], far[4 * TPI_PATCH_ROOM];
} dfsph_rows;
typedef struct dfsph_own_rows {
    _Alignas(64) float near[4 * TPI_PATCH_ROOM], far[4 * TPI_PATCH_ROOM];
} dfsph_own_rows;
typedef struct dfsph_columns {
    const float *near[4], *far[4];
} dfsph_columns;

TPI_INLINE bool dfsph_has_far(uint32_t dimensions, uint32_t part)
{
    if (dimensions == 2) return part == TPI_DFSPH_FLOW || part == TPI_DFSPH_MEET_ALL;
    return part != TPI_DFSPH_PUSH;
}

TPI_INLINE void dfsph_columns_of(const dfsph_context *c, uint32_t dimensions, uint32_t part,
                                 dfsph_columns *columns)
{
    const sph_context *s = &c->sph;
    const bool is_2d = dimensions == 2, pushes = part == TPI_DFSPH_PUSH;
    *columns = (dfsph_columns){{s->points.x, s->points.y, s->points.z, c->change},
                               {s->vx, s->vy, s->vz, s->pressure}};
    if (part == TPI_DFSPH_MEET_ALL) columns->far[3] = (const float *)(const void *)s->order;
    /* vectors end among particles of other threads, whose sums of densities are in this array */
    if (part == TPI_DFSPH_MEET) columns->far[3] = s->vz;
    if (!is_2d) return;
    columns->near[2] = pushes ? c->change : s->vx;
    columns->near[3] = pushes ? c->change : s->vy;
    columns->far[0] = c->change;
    columns->far[1] = columns->far[3];
}

/* True if both ends are read at once. Masses are looked up by the order of each end. */
TPI_INLINE bool dfsph_reads_at_once(uint32_t part)
{
#if defined(TPI_PICKS)
    (void)part;
    return false;
#else
    return part != TPI_DFSPH_MEET_ALL;
#endif
}

/* The numbers from p on, or opposite ones. */
TPI_INLINE tpi_lanes dfsph_load(const float *from, bool is_opposite)
{
    const tpi_lane_words sign = TPI_LANES_EACH(0x80000000u);
    tpi_lanes of = tpi_lanes_load(from);
    return is_opposite ? (tpi_lanes)((tpi_lane_words)of ^ sign) : of;
}

TPI_INLINE void dfsph_rows_load(const dfsph_columns *from, const tpi_patch *patch,
                                uint32_t dimensions, uint32_t part, dfsph_rows *rows)
{
    const bool at_once = dfsph_reads_at_once(part),
               turns_near = at_once && dimensions == 2 && part != TPI_DFSPH_PUSH,
               turns_far = at_once && dimensions == 3;
    size_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (size_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES) {
            tpi_rows_store_four(rows->near + 4u * to, tpi_lanes_load(from->near[0] + p),
                                tpi_lanes_load(from->near[1] + p),
                                dfsph_load(from->near[2] + p, turns_near),
                                dfsph_load(from->near[3] + p, turns_near));
            if (!dfsph_has_far(dimensions, part)) continue;
            tpi_lanes a = tpi_lanes_load(from->far[0] + p), b = tpi_lanes_load(from->far[1] + p);
            if (dimensions == 2)
                tpi_rows_store_two(rows->far + 2u * to, a, b);
            else
                tpi_rows_store_four(rows->far + 4u * to, a, b, tpi_lanes_load(from->far[2] + p),
                                    dfsph_load(from->far[3] + p, turns_far));
        }
        slot += run.end - run.begin;
    }
}

/* The numbers of one end of a vector of pairs. */
typedef struct dfsph_end {
    tpi_lanes near[4], far[4];
} dfsph_end;

TPI_INLINE void dfsph_end_gather(const dfsph_rows *rows, const uint16_t *at, uint32_t dimensions,
                                 uint32_t part, dfsph_end *end)
{
    tpi_rows_gather_four(rows->near, at, end->near);
    if (!dfsph_has_far(dimensions, part)) return;
    if (dimensions == 2)
        tpi_rows_gather_two(rows->far, at, end->far);
    else
        tpi_rows_gather_four(rows->far, at, end->far);
}

/* The first particles of a vector of pairs are in one vector of particles. */
TPI_INLINE void dfsph_end_own(const dfsph_columns *from, const dfsph_rows *rows,
                              const tpi_patch_block *block, const uint16_t *at, uint32_t dimensions,
                              uint32_t part, dfsph_end *end)
{
#if defined(TPI_PICKS)
    const tpi_lane_ints picks = tpi_picks(at);
    (void)rows;
    for (uint32_t c = 0; c < 4; c++)
        end->near[c] = tpi_picks_of(from->near[c] + block->particle, picks);
    if (!dfsph_has_far(dimensions, part)) return;
    for (uint32_t c = 0; c < (dimensions == 2 ? 2u : 4u); c++)
        end->far[c] = tpi_picks_of(from->far[c] + block->particle, picks);
#else
    (void)from;
    (void)block;
    dfsph_end_gather(rows, at, dimensions, part, end);
#endif
}

/* The mass share of an end whose last number is the order. */
TPI_INLINE tpi_lanes dfsph_mass(const dfsph_context *c, const dfsph_end *end, uint32_t dimensions)
{
    tpi_lane_ints order = (tpi_lane_ints)(dimensions == 2 ? end->far[1] : end->far[3]);
    return tpi_lanes_gather(c->sph.mass_share, order >> 24 & 7);
}

/* What a part of the work needs of both ends. */
TPI_INLINE void dfsph_join(const dfsph_context *c, const dfsph_end *i, const dfsph_end *j,
                           uint32_t dimensions, uint32_t part, sph_pairs *pairs, dfsph_ends *ends)
{
    for (uint32_t axis = 0; axis < dimensions; axis++)
        pairs->d[axis] = j->near[axis] - i->near[axis];
    if (part != TPI_DFSPH_PUSH)
        for (uint32_t axis = 0; axis < dimensions; axis++)
            pairs->w[axis] = dimensions == 2 ? i->near[2u + axis] - j->near[2u + axis]
                                             : i->far[axis] - j->far[axis];
    if (part == TPI_DFSPH_PUSH)
        ends->change = dimensions == 2 ? j->near[2] + i->near[2] : j->near[3] + i->near[3];
    if (part == TPI_DFSPH_MEET_ALL)
        ends->mass = tpi_lanes_min(dfsph_mass(c, i, dimensions), dfsph_mass(c, j, dimensions));
    if (part != TPI_DFSPH_FLOW) return;
    ends->change = dimensions == 2 ? j->far[0] + i->far[0] : j->near[3] + i->near[3];
    ends->density = dimensions == 2 ? j->far[1] + i->far[1] : j->far[3] + i->far[3];
}

#if defined(TPI_PICKS)
TPI_INLINE void dfsph_own_rows_load(const tpi_patch *patch, const dfsph_rows *rows,
                                    uint32_t dimensions, uint32_t part, dfsph_own_rows *own)
{
    (void)patch, (void)rows, (void)dimensions, (void)part, (void)own;
}
#else
/* Copies a row with opposite numbers from column `from` on. */
TPI_INLINE void dfsph_own_row(const float *row, uint32_t from, float *to)
{
    const tpi_quad sign = {0, 0, from == 2u ? 0x80000000u : 0, 0x80000000u};
    tpi_quad four;
    tpi_memcpy(&four, row, sizeof four);
    four ^= sign;
    tpi_memcpy(to, &four, sizeof four);
}

TPI_INLINE void dfsph_own_rows_load(const tpi_patch *patch, const dfsph_rows *rows,
                                    uint32_t dimensions, uint32_t part, dfsph_own_rows *own)
{
    if (part != TPI_DFSPH_PUSH && (part != TPI_DFSPH_FLOW || dimensions == 2)) return;
    for (uint32_t r = 0; r < patch->row_count; r++) {
        size_t at = 2u * patch->rows[r].slot;
        dfsph_own_row(rows->near + at, dimensions, own->near + at);
        if (part == TPI_DFSPH_FLOW) dfsph_own_row(rows->far + at, 3, own->far + at);
    }
}
#endif

/* Both ends of the vector of pairs at number k at once: see dfsph_rows. */
TPI_INLINE void dfsph_join_at_once(const tpi_patch *patch, const dfsph_rows *rows,
                                   const dfsph_own_rows *own, uint32_t k, uint32_t dimensions,
                                   uint32_t part, sph_pairs *pairs, dfsph_ends *ends)
{
    const bool is_2d = dimensions == 2, flows = part == TPI_DFSPH_FLOW;
    const bool has_own = part == TPI_DFSPH_PUSH || (flows && !is_2d);
    tpi_lanes near[4], far[4];
    tpi_numbers i, j;
    tpi_numbers_load(patch->i + k, &i);
    tpi_numbers_load(patch->j + k, &j);
    tpi_rows_gather_difference(rows->near, &j, has_own ? own->near : rows->near, &i, near);
    for (uint32_t axis = 0; axis < dimensions; axis++) pairs->d[axis] = near[axis];
    if (has_own) ends->change = near[dimensions];
    if (part == TPI_DFSPH_PUSH) return;
    tpi_numbers_renew(&i);
    tpi_numbers_renew(&j);
    if (is_2d && flows)
        tpi_rows_gather_sum(rows->far, &j, &i, far);
    else if (!is_2d)
        tpi_rows_gather_difference(flows ? own->far : rows->far, &i, rows->far, &j, far);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        pairs->w[axis] = is_2d ? near[2u + axis] : far[axis];
    if (flows && is_2d) ends->change = far[0];
    if (flows) ends->density = is_2d ? far[1] : far[3];
}

/* Coincident pairs of the vector at number k. Works on copies: a variable whose address is taken
   does not stay in registers, and this case is rare. */
static TPI_APART void dfsph_part_lanes(const tp_world *world, const dfsph_context *c,
                                       const tpi_patch *patch, uint32_t k, uint32_t part,
                                       sph_pairs *pairs, dfsph_ends *ends)
{
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        dfsph_part(world, lane, tpi_patch_particle(patch, patch->i[k + lane] / 2u),
                   tpi_patch_particle(patch, patch->j[k + lane] / 2u), c->sph.coincident_squared,
                   pairs, ends);
    if (part != TPI_DFSPH_PUSH) dfsph_along(tpi_dimensions(world), pairs, ends);
}

/* The terms of a batch of pairs and their sums. Each part of the work has some of them. */
typedef struct dfsph_sums {
    /* changes of velocity in 2D; or densities as duos, gradients and divergence as quads */
    tpi_patch_vectors lines;
    tpi_patch_lines *moves;     /* changes of velocity in 3D, which are added as they are made */
    uint32_t *ones, *one_terms; /* divergence alone */
    uint32_t *counts;
} dfsph_sums;

/* Keeps the changes of velocity of the vector of pairs at number k. Numbers of slots are read again
   behind the arithmetic, because they don't fit the registers meanwhile. */
TPI_INLINE void dfsph_keep_moves(const tpi_patch *patch, uint32_t dimensions,
                                 const dfsph_sums *sums, uint32_t k, uint32_t rest,
                                 const tpi_lane_ints terms[3])
{
    const uint16_t *at = patch->j + k;
    tpi_numbers j;
    if (dimensions == 2) {
        tpi_patch_keep_vectors(&sums->lines, k, 2, terms);
        return;
    }
    TPI_NUMBER_RENEW(at);
    tpi_numbers_load(at, &j);
    tpi_patch_add_lines(sums->moves, k, &j, rest, terms);
}

/* Keeps the terms of the vector of pairs at number k, of which the first `rest` count. */
TPI_INLINE void dfsph_keep(const dfsph_context *c, const tpi_patch *patch, uint32_t dimensions,
                           uint32_t part, const sph_pairs *pairs, dfsph_ends *ends,
                           const dfsph_sums *sums, uint32_t k, uint32_t rest)
{
    tpi_lane_ints terms[3], cube, fourth;
    if (part >= TPI_DFSPH_PUSH) {
        dfsph_line_terms(dimensions, pairs, ends, TPI_DFSPH_SCALE, dfsph_push(c, part, pairs, ends),
                         terms);
        dfsph_keep_moves(patch, dimensions, sums, k, rest, terms);
        return;
    }
    tpi_lane_ints divergence = dfsph_divergence_term(c, pairs, ends);
    if (part == TPI_DFSPH_DIVERGE) {
        tpi_lane_ints_store(sums->one_terms + k, divergence);
        return;
    }
    dfsph_meet_terms(c, part, pairs, ends, &cube, &fourth);
    tpi_duos_store(sums->lines.duo_terms + k, cube, fourth, false);
    dfsph_line_terms(dimensions, pairs, ends, TPI_DENSITY_SCALE, pairs->share * pairs->share,
                     terms);
    if (dimensions == 2) terms[2] = divergence, divergence = tpi_lane_ints_of(0);
    tpi_rows_store_four(sums->lines.quad_terms + k, (tpi_lanes)terms[0], (tpi_lanes)terms[1],
                        (tpi_lanes)terms[2], (tpi_lanes)divergence);
}

TPI_INLINE void dfsph_settle(const dfsph_context *c, const tpi_patch *patch, uint32_t dimensions,
                             uint32_t part, const dfsph_sums *sums)
{
    const tpi_patch_vectors *lines = &sums->lines;
    const tpi_quad sign = {~0u, ~0u, dimensions == 3 ? ~0u : 0u, 0u};
    tpi_patch_sums all = {.columns = 0};
    if (part >= TPI_DFSPH_PUSH && dimensions == 2) {
        tpi_patch_settle_vectors(patch, 2, lines, c->sph.flow);
        return;
    }
    if (part >= TPI_DFSPH_PUSH) {
        tpi_patch_settle_lines(patch, sums->moves, c->sph.flow);
        return;
    }
    if (part == TPI_DFSPH_DIVERGE) {
        tpi_patch_clear(sums->ones, patch->slot_count, 1);
        tpi_patch_add_words(patch, sums->one_terms, sums->ones, false);
        all.counts = sums->ones;
        all.count_to = (uint32_t *)c->divergence;
        tpi_patch_settle(patch, &all);
        return;
    }
    all.duos = lines->duos;
    all.low = c->sph.density;
    all.high = c->sph.near_density;
    tpi_patch_clear(lines->duos, patch->slot_count, 2);
    tpi_patch_clear(sums->counts, patch->slot_count, 1);
    tpi_patch_add_duos(patch, lines->duo_terms, lines->duo_terms, lines->duos, sums->counts, false);
    all.quads = lines->quads;
    all.columns = dimensions + 1u;
    for (uint32_t axis = 0; axis < dimensions; axis++) all.to[axis] = c->sph.flow[axis];
    all.to[dimensions] = c->divergence;
    tpi_patch_clear(lines->quads, patch->slot_count, 4);
    tpi_patch_add_quads(patch, lines->quad_terms, lines->quad_terms, lines->quads, sign);
    all.counts = sums->counts, all.count_to = c->sph.neighbours;
    tpi_patch_settle(patch, &all);
}

/* One vector of pairs: terms into the batch. */
TPI_INLINE tpi_lane_mask dfsph_vector(const tp_world *world, const dfsph_context *c,
                                      const tpi_patch *patch, uint32_t k, uint32_t dimensions,
                                      uint32_t part, sph_pairs *pairs, dfsph_ends *ends,
                                      const dfsph_sums *sums, uint32_t rest)
{
    dfsph_measure(c, dimensions, part, pairs, ends);
    if (TPI_UNLIKELY(tpi_lanes_any(ends->is_rare))) {
        sph_pairs parted = *pairs;
        dfsph_ends moved = *ends;
        dfsph_part_lanes(world, c, patch, k, part, &parted, &moved);
        *pairs = parted;
        *ends = moved;
    }
    ends->is_rare = tpi_lanes_first(0);
    dfsph_keep(c, patch, dimensions, part, pairs, ends, sums, k, rest);
    return ends->is_rare;
}

TPI_INLINE void dfsph_patch(const tp_world *world, const dfsph_context *c, const tpi_patch *patch,
                            uint32_t dimensions, uint32_t part, tpi_tally *tally)
{
    dfsph_rows rows;
    dfsph_own_rows own;
    dfsph_columns columns;
    _Alignas(64) tpi_duo duos[TPI_PATCH_ROOM], duo_terms[TPI_PATCH_PAIRS + TPI_LANES];
    _Alignas(64) tpi_quad quads[TPI_PATCH_ROOM], quad_terms[TPI_PATCH_PAIRS + TPI_LANES];
    _Alignas(64) uint32_t ones[TPI_PATCH_ROOM], one_terms[TPI_PATCH_PAIRS + TPI_LANES];
    uint32_t counts[TPI_PATCH_ROOM];
    tpi_patch_lines moves;
    const dfsph_sums sums = {{duos, duo_terms, quads, quad_terms}, &moves, ones, one_terms, counts};
    tpi_patch_block block = {0};
    tpi_lanes fastest = tpi_lanes_of(0.0f);
    dfsph_columns_of(c, dimensions, part, &columns);
    dfsph_rows_load(&columns, patch, dimensions, part, &rows);
    tpi_patch_wrap_rows(world, patch, rows.near);
    dfsph_own_rows_load(patch, &rows, dimensions, part, &own);
    if (dimensions == 3 && part >= TPI_DFSPH_PUSH)
        tpi_patch_begin_lines(patch, quads, quad_terms, &moves);
    for (uint32_t k = 0; k < patch->pair_count; k = block.end) {
        tpi_patch_next_block(patch, &block);
        for (; k < block.end; k += TPI_LANES) {
            dfsph_end i, j;
            sph_pairs pairs; /* not cleared: a string instruction would do that in each turn */
            pairs.is_real = tpi_lanes_first(TPI_LANES);
            dfsph_ends ends;
            if (dfsph_reads_at_once(part)) {
                dfsph_join_at_once(patch, &rows, &own, k, dimensions, part, &pairs, &ends);
            } else {
                dfsph_end_own(&columns, &rows, &block, patch->i + k, dimensions, part, &i);
                dfsph_end_gather(&rows, patch->j + k, dimensions, part, &j);
                dfsph_join(c, &i, &j, dimensions, part, &pairs, &ends);
            }
            tpi_lane_mask clamped = dfsph_vector(world, c, patch, k, dimensions, part, &pairs,
                                                 &ends, &sums, block.end - k);
            if (TPI_UNLIKELY(tpi_lanes_any(clamped)))
                tally->clamped += tpi_lanes_count(
                    tpi_lanes_and(clamped, tpi_lanes_first(tpi_min_u32(block.end - k, TPI_LANES))));
            if (part != TPI_DFSPH_MEET_ALL) continue;
            tpi_lane_mask real = tpi_lanes_first(tpi_min_u32(block.end - k, TPI_LANES));
            fastest = tpi_lanes_max(fastest,
                                    tpi_lanes_select(real, dfsph_speed_squared(dimensions, &pairs),
                                                     tpi_lanes_of(0.0f)));
        }
    }
    if (part == TPI_DFSPH_MEET_ALL) dfsph_courant(c, fastest, tally);
    dfsph_settle(c, patch, dimensions, part, &sums);
}

#define DFSPH_VISITOR(name, dimensions, part)                                                      \
    static TPI_APART void name(const tp_world *world, const void *context, const tpi_patch *patch, \
                               tpi_tally *tally)                                                   \
    {                                                                                              \
        /* a copy: behind a pointer it would be read again for every vector */                     \
        const dfsph_context c = *(const dfsph_context *)context;                                   \
        dfsph_patch(world, &c, patch, dimensions, part, tally);                                    \
    }
DFSPH_VISITOR(dfsph_meet_all_2d_patch, 2, TPI_DFSPH_MEET_ALL)
DFSPH_VISITOR(dfsph_meet_2d_patch, 2, TPI_DFSPH_MEET)
DFSPH_VISITOR(dfsph_diverge_2d_patch, 2, TPI_DFSPH_DIVERGE)
DFSPH_VISITOR(dfsph_push_2d_patch, 2, TPI_DFSPH_PUSH)
DFSPH_VISITOR(dfsph_flow_2d_patch, 2, TPI_DFSPH_FLOW)
DFSPH_VISITOR(dfsph_meet_all_3d_patch, 3, TPI_DFSPH_MEET_ALL)
DFSPH_VISITOR(dfsph_meet_3d_patch, 3, TPI_DFSPH_MEET)
DFSPH_VISITOR(dfsph_diverge_3d_patch, 3, TPI_DFSPH_DIVERGE)
DFSPH_VISITOR(dfsph_push_3d_patch, 3, TPI_DFSPH_PUSH)
DFSPH_VISITOR(dfsph_flow_3d_patch, 3, TPI_DFSPH_FLOW)
#undef DFSPH_VISITOR

TPI_APART uint32_t tpi_dfsph_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   uint32_t part, bool *done)
{
    const bool is_2d = tpi_dimensions(world) == 2;
    tpi_patch_visitor visitor = is_2d ? dfsph_flow_2d_patch : dfsph_flow_3d_patch;
    if (part == TPI_DFSPH_MEET) visitor = is_2d ? dfsph_meet_2d_patch : dfsph_meet_3d_patch;
    if (part == TPI_DFSPH_DIVERGE)
        visitor = is_2d ? dfsph_diverge_2d_patch : dfsph_diverge_3d_patch;
    if (part == TPI_DFSPH_PUSH) visitor = is_2d ? dfsph_push_2d_patch : dfsph_push_3d_patch;
    const bool is_meeting = part == TPI_DFSPH_MEET;
    const tpi_sweep_kind kind = {.dimensions = tpi_dimensions(world),
                                 .fills_lists = is_meeting,
                                 .by_lists = !is_meeting && world->def.sph.stores_neighbours};
    dfsph_context c;
    dfsph_context_set(world, &c);
    if (is_meeting && c.meets_all)
        visitor = is_2d ? dfsph_meet_all_2d_patch : dfsph_meet_all_3d_patch;
    return tpi_patch_slice(world, jobs, units, &c, kind, visitor, done);
}

#endif
