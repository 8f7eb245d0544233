/* SPDX-License-Identifier: MIT
   runtime/solve/sph/patches.c - the pair stages of the fluid over patches: densities and impulses.
   reads   back positions and velocities, species, pressures
   writes  densities, sums of distances and flow, neighbour counts, impulses
   memory  rows and sums of a patch on the stack: at most 36 KB
   cost    one visit per pair and stage
   after   own design: a vector of pairs loads a row of each end. The terms of a pair are integers
           in a row of four, which is added at both ends */
#include "terms.h"
#include "../../grid/patch.h"
#if TPI_LANES > 1

/* Rows of the slots of a patch. Where vectors cannot be permuted, the difference of rows of both
   particles has the sums of their pressures too: those of the second particle are stored with one
   sign and those of the first one, in rows of its own, with the other. */
typedef struct patches_rows {
    _Alignas(64) float near[4 * TPI_PATCH_ROOM], far[4 * TPI_PATCH_ROOM];
#if !defined(TPI_PICKS)
    float own_near[4 * TPI_PATCH_ROOM], own_far[4 * TPI_PATCH_ROOM]; /* 3D */
#endif
} patches_rows;

/* The doubled slots of both ends of a vector of pairs. */
typedef struct patches_ends {
    const uint16_t *i, *j;
} patches_ends;
typedef struct patches_numbers {
    tpi_numbers i, j;
} patches_numbers;

/* x, y, vx, vy, P, Pn, and in 3D z, vz of a vector of particles: see tpi_patch_block. */
typedef struct patches_block {
    tpi_lanes columns[8];
} patches_block;

TPI_INLINE tpi_lanes patches_mass(const sph_context *c, size_t p)
{
    tpi_lane_ints species = tpi_lane_ints_load(c->order + p) >> 24 & 7;
    return tpi_lanes_gather(c->mass_share, species) * TPI_DENSITY_SCALE;
}

/* ---- density ---- */

/* Unless all add as much: `mass` of the slots, scaled. With flow: rows of velocities vx vy or
   vx vy vz. */
typedef struct patches_density_rows {
    _Alignas(64) float mass[TPI_PATCH_ROOM];
    _Alignas(64) float velocity[4 * TPI_PATCH_ROOM];
} patches_density_rows;

TPI_INLINE void patches_density_load(const sph_context *c, const tpi_patch *patch,
                                     patches_density_rows *rows, uint32_t dimensions, bool has_flow)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    size_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (size_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES) {
            if (!c->is_even) tpi_lanes_store(rows->mass + to, patches_mass(c, p));
            if (!has_flow) continue;
            tpi_lanes vx = tpi_lanes_load(c->vx + p), vy = tpi_lanes_load(c->vy + p);
            if (dimensions == 3)
                tpi_rows_store_four(rows->velocity + 4u * to, vx, vy, tpi_lanes_load(c->vz + p),
                                    zero);
            else
                tpi_rows_store_two(rows->velocity + 2u * to, vx, vy);
        }
        slot += run.end - run.begin;
    }
}

/* Terms of the sums of relative velocities and of distances. */
TPI_INLINE void patches_flow(const sph_context *c, const patches_density_rows *rows,
                             patches_ends at, uint32_t dimensions, sph_pairs *pairs,
                             tpi_quad *terms)
{
    tpi_lanes i[4], j[4];
    tpi_lane_ints flow[4] = {tpi_lane_ints_of(0), tpi_lane_ints_of(0), tpi_lane_ints_of(0),
                             tpi_lane_ints_of(0)};
    if (dimensions == 2) {
        tpi_rows_gather_two(rows->velocity, at.i, i);
        tpi_rows_gather_two(rows->velocity, at.j, j);
    } else {
        tpi_rows_gather_four(rows->velocity, at.i, i);
        tpi_rows_gather_four(rows->velocity, at.j, j);
    }
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        pairs->w[axis] = i[axis] - j[axis];
        flow[axis] = sph_flow_term(c, pairs, axis);
    }
    flow[dimensions] = sph_distance_term(c, pairs);
    tpi_rows_store_four(terms, (tpi_lanes)flow[0], (tpi_lanes)flow[1], (tpi_lanes)flow[2],
                        (tpi_lanes)flow[3]);
}

/* Terms of both densities. */
TPI_INLINE void patches_density_terms(const sph_pairs *pairs, tpi_lanes mass, tpi_duo *terms)
{
    tpi_lane_ints term, near_term;
    sph_density_terms(pairs->share, mass, &term, &near_term);
    tpi_duos_store(terms, term, near_term, false);
}

/* Terms of pairs: of densities, then of flow in the same memory. */
typedef union patches_terms {
    _Alignas(64) tpi_duo duos[2][TPI_PATCH_PAIRS + TPI_LANES];
    tpi_quad quads[TPI_PATCH_PAIRS + TPI_LANES];
} patches_terms;

TPI_INLINE void patches_flows(const sph_context *c, const tpi_patch *patch,
                              const patches_density_rows *rows, tpi_quad *terms,
                              uint32_t dimensions)
{
    _Alignas(64) tpi_quad sums[TPI_PATCH_ROOM];
    const tpi_quad sign = {~0u, ~0u, dimensions == 3 ? ~0u : 0u, 0u};
    tpi_patch_sums all = {.quads = sums, .columns = dimensions + 1u};
    for (uint32_t axis = 0; axis < dimensions; axis++) all.to[axis] = c->flow[axis];
    all.to[dimensions] = c->distance_sum;
    for (uint32_t k = 0; k < patch->pair_count; k += TPI_LANES) {
        patches_ends at = {patch->i + k, patch->j + k};
        sph_pairs pairs = {.is_real = tpi_lanes_first(TPI_LANES),
                           .square = tpi_lanes_load(patch->square + k)};
        sph_measure(c, &pairs);
        patches_flow(c, rows, at, dimensions, &pairs, terms + k);
    }
    tpi_patch_clear(sums, patch->slot_count, 4);
    tpi_patch_add_quads(patch, terms, terms, sums, sign);
    tpi_patch_settle(patch, &all);
}

TPI_INLINE void patches_density(const sph_context *c, const tpi_patch *patch, uint32_t dimensions,
                                bool has_flow)
{
    patches_density_rows rows;
    patches_terms terms;
    _Alignas(64) tpi_duo sums[TPI_PATCH_ROOM];
    tpi_duo *to_j = terms.duos[0], *to_i = terms.duos[1];
    uint32_t counts[TPI_PATCH_ROOM];
    const tpi_lanes mass = tpi_lanes_of(TPI_DENSITY_SCALE);
    const tpi_patch_sums all = {.duos = sums,
                                .low = c->density,
                                .high = c->near_density,
                                .counts = counts,
                                .count_to = c->neighbours};
    if (!c->is_even || has_flow) patches_density_load(c, patch, &rows, dimensions, has_flow);
    for (uint32_t k = 0; k < patch->pair_count; k += TPI_LANES) {
        patches_ends at = {patch->i + k, patch->j + k};
        sph_pairs pairs = {.is_real = tpi_lanes_first(TPI_LANES),
                           .square = tpi_lanes_load(patch->square + k)};
        sph_measure(c, &pairs);
        if (c->is_even) {
            patches_density_terms(&pairs, mass, to_j + k);
        } else {
            patches_density_terms(&pairs, tpi_rows_gather_one(rows.mass, at.i), to_j + k);
            patches_density_terms(&pairs, tpi_rows_gather_one(rows.mass, at.j), to_i + k);
        }
    }
    tpi_patch_clear(sums, patch->slot_count, 2);
    tpi_patch_clear(counts, patch->slot_count, 1);
    if (c->is_even)
        tpi_patch_add_duos(patch, to_j, to_j, sums, counts, false);
    else
        tpi_patch_add_duos(patch, to_j, to_i, sums, counts, false);
    tpi_patch_settle(patch, &all);
    if (has_flow) patches_flows(c, patch, &rows, terms.quads, dimensions);
}

/* ---- force ---- */

/* Where the species of the slots are in the table of pairs of species: bytes from its begin to the
   row of one, and from there to the column of another. */
typedef struct patches_species {
    _Alignas(64) uint32_t rows[TPI_PATCH_ROOM], columns[TPI_PATCH_ROOM];
} patches_species;

TPI_INLINE void patches_species_load(const sph_context *c, size_t p, patches_species *species,
                                     size_t slot)
{
    const int32_t column = (int32_t)sizeof(sph_species_pair);
    tpi_lane_ints columns = (tpi_lane_ints_load(c->order + p) >> 24 & 7) * column;
    tpi_lane_ints_store(species->columns + slot, columns);
    tpi_lane_ints_store(species->rows + slot, columns * TP_SPECIES_MAX);
}

/* 2D: near: x y vx vy, far: P Pn. 3D: near: x y z P, far: vx vy vz Pn. Without permutations: 2D -vx
   and -vy, 3D -Pn. */
TPI_INLINE void patches_force_rows(const sph_context *c, const tpi_patch *patch, patches_rows *rows,
                                   patches_species *species, uint32_t dimensions)
{
    size_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (size_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES) {
            tpi_lanes x = tpi_lanes_load(c->points.x + p), y = tpi_lanes_load(c->points.y + p);
            tpi_lanes vx = tpi_lanes_load(c->vx + p), vy = tpi_lanes_load(c->vy + p);
            tpi_lanes pressure = tpi_lanes_load(c->pressure + p),
                      near_pressure = tpi_lanes_load(c->near_pressure + p);
            if (!c->is_uniform) patches_species_load(c, p, species, to);
#if !defined(TPI_PICKS)
            if (dimensions == 2) {
                vx = -vx;
                vy = -vy;
            } else {
                near_pressure = -near_pressure;
            }
#endif
            if (dimensions == 2) {
                tpi_rows_store_four(rows->near + 4u * to, x, y, vx, vy);
                tpi_rows_store_two(rows->far + 2u * to, pressure, near_pressure);
                continue;
            }
            tpi_rows_store_four(rows->near + 4u * to, x, y, tpi_lanes_load(c->points.z + p),
                                pressure);
            tpi_rows_store_four(rows->far + 4u * to, vx, vy, tpi_lanes_load(c->vz + p),
                                near_pressure);
        }
        slot += run.end - run.begin;
    }
}

#if defined(TPI_PICKS)
/* The vector of particles to which the first ones of a block belong, as columns of the rows. They
   are near each other in memory, unlike the arrays that they come from. */
TPI_INLINE void patches_block_load(const sph_context *c, const tpi_patch_block *block,
                                   uint32_t dimensions, patches_block *own)
{
    const uint32_t p = block->particle;
    const float *from[8] = {c->points.x, c->points.y,      c->vx,       c->vy,
                            c->pressure, c->near_pressure, c->points.z, c->vz};
    for (uint32_t n = 0; n < (dimensions == 2 ? 6u : 8u); n++)
        own->columns[n] = tpi_lanes_load(from[n] + p);
}

/* The first particles of a vector of pairs: in 2D `near` and the first two of `far`. */
TPI_INLINE void patches_meet_own(const patches_block *own, const uint16_t *i, uint32_t dimensions,
                                 tpi_lanes near[4], tpi_lanes far[4])
{
    const tpi_lane_ints picks = tpi_picks(i);
    tpi_lanes of[8];
    for (uint32_t n = 0; n < (dimensions == 2 ? 6u : 8u); n++)
        of[n] = tpi_picks_of((const float *)&own->columns[n], picks);
    near[0] = of[0];
    near[1] = of[1];
    near[2] = dimensions == 2 ? of[2] : of[6];
    near[3] = dimensions == 2 ? of[3] : of[4];
    far[0] = dimensions == 2 ? of[4] : of[2];
    far[1] = dimensions == 2 ? of[5] : of[3];
    if (dimensions == 2) return;
    far[2] = of[7];
    far[3] = of[5];
}

TPI_INLINE void patches_meet(const patches_rows *rows, const patches_block *own, patches_ends at,
                             patches_numbers *numbers, uint32_t dimensions, sph_pairs *pairs,
                             sph_push *push)
{
    tpi_lanes i[4], j[4], far_i[4], far_j[4];
    patches_meet_own(own, at.i, dimensions, i, far_i);
    tpi_rows_gather_four(rows->near, at.j, j);
    pairs->is_real = tpi_lanes_first(TPI_LANES);
    if (dimensions == 2) {
        tpi_rows_gather_two(rows->far, at.j, far_j);
        TPI_NUMBER_RENEW(at.j);
        tpi_numbers_load(at.j, &numbers->j);
        for (uint32_t axis = 0; axis < 2; axis++) {
            pairs->d[axis] = j[axis] - i[axis];
            pairs->w[axis] = i[2u + axis] - j[2u + axis];
        }
        push->pressure = far_j[0] + far_i[0];
        push->near_pressure = far_j[1] + far_i[1];
        return;
    }
    tpi_rows_gather_four(rows->far, at.j, far_j);
    TPI_NUMBER_RENEW(at.j);
    tpi_numbers_load(at.j, &numbers->j);
    for (uint32_t axis = 0; axis < 3; axis++) {
        pairs->d[axis] = j[axis] - i[axis];
        pairs->w[axis] = far_i[axis] - far_j[axis];
    }
    push->pressure = j[3] + i[3];
    push->near_pressure = far_j[3] + far_i[3];
}
#else
/* Copies a row with the opposite sign of the last number. */
TPI_INLINE void patches_own_row(float *to, const float *from, size_t slot)
{
    const tpi_quad sign = {0, 0, 0, 0x80000000u};
    tpi_quad row;
    tpi_memcpy(&row, from + 2u * slot, sizeof row);
    row ^= sign;
    tpi_memcpy(to + 2u * slot, &row, sizeof row);
}

/* The rows of the first particles. 3D. */
TPI_INLINE void patches_own_rows(const tpi_patch *patch, patches_rows *rows)
{
    for (uint32_t r = 0; r < patch->row_count; r++) {
        patches_own_row(rows->own_near, rows->near, patch->rows[r].slot);
        patches_own_row(rows->own_far, rows->far, patch->rows[r].slot);
    }
}

TPI_INLINE void patches_meet(const patches_rows *rows, const patches_block *own, patches_ends at,
                             patches_numbers *numbers, uint32_t dimensions, sph_pairs *pairs,
                             sph_push *push)
{
    tpi_lanes near[4], far[4];
    (void)own;
    tpi_numbers_load(at.i, &numbers->i);
    tpi_numbers_load(at.j, &numbers->j);
    pairs->is_real = tpi_lanes_first(TPI_LANES);
    if (dimensions == 2)
        tpi_rows_gather_difference(rows->near, &numbers->j, rows->near, &numbers->i, near);
    else
        tpi_rows_gather_difference(rows->near, &numbers->j, rows->own_near, &numbers->i, near);
    tpi_numbers_renew(&numbers->i);
    tpi_numbers_renew(&numbers->j);
    if (dimensions == 2)
        tpi_rows_gather_sum(rows->far, &numbers->j, &numbers->i, far);
    else
        tpi_rows_gather_difference(rows->own_far, &numbers->i, rows->far, &numbers->j, far);
    tpi_numbers_renew(&numbers->i);
    tpi_numbers_renew(&numbers->j);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        pairs->d[axis] = near[axis];
        pairs->w[axis] = dimensions == 2 ? near[2u + axis] : far[axis];
    }
    push->pressure = dimensions == 2 ? far[0] : near[3];
    push->near_pressure = dimensions == 2 ? far[1] : far[3];
}
#endif

/* Masses and surface tension of the pairs if there are several species. */
TPI_INLINE void patches_meet_species(const sph_context *c, const patches_species *species,
                                     patches_ends at, patches_numbers *numbers, bool compat,
                                     sph_push *push)
{
    tpi_lanes of[2];
#if defined(TPI_PICKS)
    tpi_numbers_load(at.i, &numbers->i);
#else
    (void)at;
#endif
    tpi_rows_gather_table(&c->species[0][0].mass, species->rows, &numbers->i, species->columns,
                          &numbers->j, of);
    push->mass = of[0];
    push->tension = of[1];
    if (!compat) return;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++)
        TPI_LANE(push->own_mass, k) =
            c->mass_share[species->columns[numbers->i.of[k] / 2u] / sizeof(sph_species_pair)];
}

static void patches_part(const tp_world *world, const sph_context *c, const tpi_patch *patch,
                         uint32_t k, sph_pairs *pairs, sph_push *push)
{
    tpi_lane_ints i = tpi_lane_ints_of(0), j = i;
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) {
        TPI_LANE(i, lane) = (int32_t)tpi_patch_particle(patch, patch->i[k + lane] / 2u);
        TPI_LANE(j, lane) = (int32_t)tpi_patch_particle(patch, patch->j[k + lane] / 2u);
    }
    sph_part_lanes(world, i, j, c->coincident_squared, pairs, push);
}

/* The terms of a vector of pairs at their second particles; `compat`: and at the first ones. */
typedef struct patches_lines {
    tpi_lane_ints to_j[3], to_i[3];
} patches_lines;

TPI_INLINE void patches_line(const sph_pairs *pairs, const sph_push *push, tpi_lanes impulse,
                             uint32_t dimensions, tpi_lane_ints terms[3])
{
    const tpi_lanes scaled = impulse * TPI_IMPULSE_SCALE;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        terms[axis] = tpi_lanes_truncate(pairs->d[axis] * push->inverse * scaled);
}

TPI_INLINE void patches_force_lines(const sph_pairs *pairs, const sph_push *push, bool compat,
                                    uint32_t dimensions, patches_lines *lines)
{
    patches_line(pairs, push, compat ? push->to_j : push->to_i, dimensions, lines->to_j);
    if (compat) patches_line(pairs, push, push->to_i, dimensions, lines->to_i); /* 2D only */
}

/* Pairs that are coincident or clamped, from number k to end - 1: rare. */
static TPI_RARE void patches_rare(const tp_world *world, const sph_context *c,
                                  const tpi_patch *patch, uint32_t k, uint32_t end,
                                  sph_pairs *pairs, sph_push *push, tpi_tally *tally,
                                  patches_lines *lines)
{
    const bool compat = world->def.sph.compat;
    uint32_t count = tpi_min_u32(end - k, TPI_LANES);
    patches_part(world, c, patch, k, pairs, push);
    sph_impulse(c, compat, pairs, push);
    tally->clamped += tpi_lanes_count(tpi_lanes_and(push->is_clamped, tpi_lanes_first(count)));
    patches_force_lines(pairs, push, compat, tpi_dimensions(world), lines);
}

/* The terms of a batch and their sums: 2D duos, 3D quads. Pointers, so that no stack is taken by
   the arrays that a visitor does not use. */
typedef struct patches_impulses {
    tpi_duo *duos, *duos_j, *duos_i; /* the same as duos_j unless `compat` */
    tpi_patch_lines quads;
} patches_impulses;

TPI_INLINE void patches_force_settle(const sph_context *c, const tpi_patch *patch,
                                     const patches_impulses *sums, uint32_t dimensions)
{
    tpi_patch_sums all = {.low = c->flow[0], .high = c->flow[1], .is_signed = true};
    if (dimensions == 3) {
        tpi_patch_settle_lines(patch, &sums->quads, c->flow);
        return;
    }
    all.duos = sums->duos;
    tpi_patch_clear(sums->duos, patch->slot_count, 2);
    tpi_patch_add_duos(patch, sums->duos_j, sums->duos_i, sums->duos, NULL, true);
    tpi_patch_settle(patch, &all);
}

/* Keeps the terms of a vector of pairs, from number k on. */
TPI_INLINE void patches_force_keep(const patches_lines *lines, const patches_numbers *numbers,
                                   bool compat, uint32_t dimensions, patches_impulses *sums,
                                   uint32_t k, uint32_t rest)
{
    if (dimensions == 2)
        tpi_duos_store(sums->duos_j + k, lines->to_j[0], lines->to_j[1], true);
    else
        tpi_patch_add_lines(&sums->quads, k, &numbers->j, rest, lines->to_j);
    if (compat) tpi_duos_store(sums->duos_i + k, lines->to_i[0], lines->to_i[1], true);
}

TPI_INLINE void patches_force(const tp_world *world, const sph_context *c, const tpi_patch *patch,
                              uint32_t dimensions, bool compat, tpi_tally *tally)
{
    patches_rows rows;
    _Alignas(64) tpi_duo duos[TPI_PATCH_ROOM], duos_j[TPI_PATCH_PAIRS + TPI_LANES];
    tpi_duo duos_i[TPI_PATCH_PAIRS + TPI_LANES];
    _Alignas(64) tpi_quad quads[TPI_PATCH_ROOM], before[TPI_PATCH_PAIRS + TPI_LANES];
    patches_impulses sums = {.duos = duos, .duos_j = duos_j, .duos_i = compat ? duos_i : duos_j};
    patches_species species;
    patches_block own;
    tpi_patch_block block = {0};
    const tpi_lanes coincident = tpi_lanes_of(c->coincident_squared);
    sph_push push;
    push.mass = tpi_lanes_of(c->species[0][0].mass);
    push.own_mass = tpi_lanes_of(c->mass_share[0]);
    push.tension = tpi_lanes_of(c->species[0][0].tension);
    patches_force_rows(c, patch, &rows, &species, dimensions);
    tpi_patch_wrap_rows(world, patch, rows.near);
    if (dimensions == 3) {
        tpi_patch_begin_lines(patch, quads, before, &sums.quads);
#if !defined(TPI_PICKS)
        patches_own_rows(patch, &rows);
#endif
    }
    for (uint32_t k = 0; k < patch->pair_count; k = block.end) {
        tpi_patch_next_block(patch, &block);
#if defined(TPI_PICKS)
        patches_block_load(c, &block, dimensions, &own);
#endif
        for (; k < block.end; k += TPI_LANES) {
            patches_ends at = {patch->i + k, patch->j + k};
            sph_pairs pairs;
            patches_lines lines;
            patches_numbers numbers;
            patches_meet(&rows, &own, at, &numbers, dimensions, &pairs, &push);
            sph_square(dimensions, &pairs);
            sph_measure(c, &pairs);
            sph_approach(dimensions, &pairs, &push);
            if (!c->is_uniform) patches_meet_species(c, &species, at, &numbers, compat, &push);
            sph_impulse(c, compat, &pairs, &push);
            tpi_lane_mask is_rare =
                tpi_lanes_or(push.is_clamped, tpi_lanes_at_most(pairs.square, coincident));
            if (TPI_UNLIKELY(tpi_lanes_any(is_rare))) {
                sph_pairs parted = pairs;
                sph_push pushed = push;
                patches_lines rare;
                patches_rare(world, c, patch, k, block.end, &parted, &pushed, tally, &rare);
                lines = rare;
            } else {
                patches_force_lines(&pairs, &push, compat, dimensions, &lines);
            }
            patches_force_keep(&lines, &numbers, compat, dimensions, &sums, k, block.end - k);
        }
    }
    patches_force_settle(c, patch, &sums, dimensions);
}

/* ---- the visitors ---- */

#define PATCHES_VISITOR(name, call)                                                                \
    static TPI_APART void name(const tp_world *world, const void *context, const tpi_patch *patch, \
                               tpi_tally *tally)                                                   \
    {                                                                                              \
        /* a copy: behind a pointer it would be read again for every vector */                     \
        const sph_context c = *(const sph_context *)context;                                       \
        (void)world;                                                                               \
        (void)tally;                                                                               \
        call;                                                                                      \
    }
PATCHES_VISITOR(density_2d_patch, patches_density(&c, patch, 2, false))
PATCHES_VISITOR(density_2d_flow_patch, patches_density(&c, patch, 2, true))
PATCHES_VISITOR(density_3d_patch, patches_density(&c, patch, 3, false))
PATCHES_VISITOR(density_3d_flow_patch, patches_density(&c, patch, 3, true))
PATCHES_VISITOR(force_2d_patch, patches_force(world, &c, patch, 2, false, tally))
PATCHES_VISITOR(force_2d_compat_patch, patches_force(world, &c, patch, 2, true, tally))
PATCHES_VISITOR(force_3d_patch, patches_force(world, &c, patch, 3, false, tally))
#undef PATCHES_VISITOR

uint32_t tpi_sph_density_patches(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    bool is_2d = tpi_dimensions(world) == 2;
    tpi_patch_visitor visitor = is_2d ? density_2d_patch : density_3d_patch;
    if (world->def.substeps.is_adaptive)
        visitor = is_2d ? density_2d_flow_patch : density_3d_flow_patch;
    sph_context c = sph_context_of(world);
    const tpi_sweep_kind kind = {.dimensions = tpi_dimensions(world), .fills_lists = true};
    return tpi_patch_slice(world, jobs, units, &c, kind, visitor, done);
}

/* Masses and surface tension of each pair of species: no tension between different ones. Under
   `compat` species of equal mass count as one fluid. */
static void patches_pair_species(const tp_world *world, const sph_context *c,
                                 sph_species_row pairs[TP_SPECIES_MAX])
{
    const bool compat = world->def.sph.compat;
    for (uint32_t i = 0; i < world->def.species_count; i++)
        for (uint32_t j = 0; j < world->def.species_count; j++) {
            bool is_alike = compat ? c->mass_share[i] == c->mass_share[j] : i == j;
            pairs[i][j].mass = compat ? c->mass_share[j] : c->pair_mass[i][j];
            pairs[i][j].tension = is_alike ? c->tension * c->mass_share[i] : 0.0f;
            if (TPI_HAS_TENSION && c->cohesion)
                pairs[i][j].tension =
                    c->tension * c->cohesion[i][j] * tpi_min(c->mass_share[i], c->mass_share[j]);
        }
}

uint32_t tpi_sph_force_patches(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    sph_species_row pairs[TP_SPECIES_MAX];
    sph_context c = sph_force_context(world);
    const tpi_sweep_kind kind = {.dimensions = tpi_dimensions(world),
                                 .by_lists = world->def.sph.stores_neighbours};
    patches_pair_species(world, &c, pairs);
    c.species = pairs;
    tpi_patch_visitor visitor = kind.dimensions == 3 ? force_3d_patch : force_2d_patch;
    if (world->def.sph.compat) visitor = force_2d_compat_patch;
    return tpi_patch_slice(world, jobs, units, &c, kind, visitor, done);
}

#endif
