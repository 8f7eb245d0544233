/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/merge.c - vortons that are near each other and nearly parallel become one.
   reads   places and strengths at the end of a step      writes  those of one; the other one dies
   memory  an array of the grid that is free then         cost    O(vortons)
   after   own design: a table of cells remembers the last vorton of each; cells are as large as the
           distance and are shifted in each step. One vorton has the strength of both; of the places
           where it has the impulse of both, too, it takes the one nearest to their middle */
#include "vortex.h"
#include "../../grid/grid.h"

#define MERGE_COSINE 0.95f
/* Two vortons whose impulse, but for this share, no place gives, stay apart. */
#define MERGE_LOST 0.015625f

/* Rounded down. */
static int32_t merge_cell(float place)
{
    float near = tpi_clamp(place, -1e9f, 1e9f);
    int32_t cell = (int32_t)near;
    return (float)cell > near ? cell - 1 : cell;
}

/* The word of the table for a place: that of the last vorton there, and 1. */
static uint32_t *merge_entry(const tp_world *world, const float x[3])
{
    const uint32_t number = (uint32_t)world->clock.frame * 101u + world->clock.step_of_frame,
                   count = tpi_dense_floats(world->def.vortex.grid_nodes);
    const float shift = (float)(number * 2654435769u >> 8) * (1.0f / 16777216.0f);
    uint32_t hash = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t cell = (uint32_t)merge_cell(x[axis] / world->def.vortex.merge + shift);
        hash = (hash ^ cell) * 0x85ebca6bu;
        hash ^= hash >> 15;
    }
    return tpi_words(world, world->arrays.own[TPI_VORTEX_SOURCE]) + hash % count;
}

void tpi_vortex_merge_clear(const tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_memset(tpi_words(world, world->arrays.own[TPI_VORTEX_SOURCE]) + begin, 0,
               (size_t)(end - begin) * sizeof(uint32_t));
}

static tp_vector merge_strength(const tp_world *world, uint32_t v)
{
    return tpi_vector(tpi_vortex_change(world, 0)[v], tpi_vortex_change(world, 1)[v],
                      tpi_vortex_change(world, 2)[v]);
}

/* Two that stay themselves: of two species, with fuel, far apart, or not parallel. */
static bool merge_fits(const tp_world *world, uint32_t a, uint32_t b, tp_vector apart)
{
    const tp_vortex *vortex = &world->def.vortex;
    const uint32_t *meta = tpi_words(world, world->arrays.meta), *index = tpi_vortex_index(world);
    const uint32_t species = TP_META_SPECIES(meta[index[a]]);
    if (species != TP_META_SPECIES(meta[index[b]])) return false;
    if (tpi_has_fire(&world->def) && (vortex->fuel_species >> species & 1u)) return false;
    if (!(tpi_dot(apart, apart) <= vortex->merge * vortex->merge)) return false;
    tp_vector own = merge_strength(world, a), other = merge_strength(world, b),
              both = tpi_add(own, other);
    float lengths = tpi_length(own) * tpi_length(other), all = tpi_length(both),
          most = vortex->split > 0.0f ? tpi_min(vortex->split, vortex->strength_max)
                                      : vortex->strength_max;
    if (!(lengths > 1e-30f) || !(all <= most)) return false;
    if (!(tpi_dot(own, other) >= MERGE_COSINE * lengths)) return false;
    float lost = tpi_dot(apart, tpi_cross(own, other));
    return tpi_abs(lost) <= MERGE_LOST * tpi_length(apart) * (all * all);
}

/* Vorton b, which is found dead afterwards, joins a. */
static void merge_join(tp_world *world, uint32_t a, uint32_t b, tp_vector apart)
{
    float *row = tpi_vortex_rows(world) + (size_t)a * TPI_VORTEX_ROW;
    tp_vector own = merge_strength(world, a), other = merge_strength(world, b),
              both = tpi_add(own, other),
              turn = tpi_scale(tpi_cross(apart, tpi_sub(own, other)), 0.5f),
              aside = tpi_scale(tpi_cross(both, turn), 1.0f / tpi_dot(both, both));
    for (uint32_t axis = 0; axis < 3; axis++) {
        row[axis] = row[axis] - 0.5f * tpi_component(apart, axis) + tpi_component(aside, axis);
        tpi_vortex_change(world, axis)[a] = tpi_component(both, axis);
    }
    tpi_keys(world)[tpi_vortex_index(world)[b]] = TPI_KEY_DEAD;
    world->step.died++;
    world->step.vortons_merged++;
    world->step.strengths--;
}

void tpi_vortex_merge(tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t *key = tpi_keys(world), *index = tpi_vortex_index(world);
    const float *rows = tpi_vortex_rows(world);
    for (uint32_t v = begin; v < end; v++) {
        const float *row = rows + (size_t)v * TPI_VORTEX_ROW;
        if (key[index[v]] == TPI_KEY_DEAD) continue;
        uint32_t *entry = merge_entry(world, row), before = *entry;
        *entry = v + 1u;
        if (before == 0) continue;
        const float *other = rows + (size_t)(before - 1u) * TPI_VORTEX_ROW;
        tp_vector apart = {other[0] - row[0], other[1] - row[1], other[2] - row[2]};
        if (!merge_fits(world, before - 1u, v, apart)) continue;
        merge_join(world, before - 1u, v, apart);
        *entry = 0;
    }
}
#undef MERGE_COSINE
#undef MERGE_LOST
