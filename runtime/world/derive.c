/* SPDX-License-Identifier: MIT
   runtime/world/derive.c - what follows from a definition for pair forces and periodic boxes.
   reads   tp_world_def      writes  constants
   memory  none              cost    O(species^2)
   after   Lorentz 1881 and Berthelot 1898 for unlike species; the scale of forces is such that neighbours_max forces at
           the overlap distance cannot overflow 32 bits */
#include "block.h"

/* Lists reach this much farther than a sum of rounded squares could differ from its exact value. */
#define TPI_LIST_MARGIN 1.000001f

static tp_pair_mix derive_mix(const tp_world_def *def, uint32_t s, uint32_t t)
{
    const tp_species *a = &def->species[s], *b = &def->species[t];
    for (uint32_t k = 0; k < def->pair.mix_count; k++) {
        const tp_pair_mix *mix = &def->pair.mix[k];
        if ((mix->first == s && mix->second == t) || (mix->first == t && mix->second == s)) return *mix;
    }
    if (s == t) return (tp_pair_mix){.epsilon = a->epsilon, .sigma = a->sigma};
    return (tp_pair_mix){.epsilon = tpi_sqrt(a->epsilon * b->epsilon), .sigma = 0.5f * (a->sigma + b->sigma)};
}

static float derive_sigma_max(const tp_world_def *def)
{
    float sigma = 0.0f;
    for (uint32_t s = 0; s < def->species_count; s++)
        for (uint32_t t = 0; t < def->species_count; t++) sigma = tpi_max(sigma, derive_mix(def, s, t).sigma);
    return sigma;
}

float tpi_pair_reach(const tp_world_def *def)
{
    return def->pair.cutoff * derive_sigma_max(def) * TPI_LIST_MARGIN;
}

float tpi_pair_list_reach(const tp_world_def *def)
{
    float skin = def->pair.stores_neighbours ? def->pair.skin * derive_sigma_max(def) : 0.0f;
    return tpi_pair_reach(def) + skin * TPI_LIST_MARGIN;
}

tpi_box tpi_box_of(const tp_world_def *def, float radius)
{
    const float low[3] = {def->box_low.x, def->box_low.y, def->box_low.z};
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    tpi_box box;
    memset(&box, 0, sizeof box);
    box.is_periodic = def->periodic_axes != 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        box.half[axis] = FLT_MAX;
        if (!(def->periodic_axes >> axis & 1u)) continue;
        float cells = tpi_clamp(size[axis] / (radius * TPI_CELL_MARGIN), 3.0f, (float)TPI_CELL_LIMIT);
        box.low[axis] = low[axis];
        box.high[axis] = low[axis] + size[axis];
        box.size[axis] = size[axis];
        box.half[axis] = 0.5f * size[axis];
        box.cells[axis] = (uint32_t)cells;
        box.cell_inverse[axis] = (float)box.cells[axis] / size[axis];
    }
    return box;
}

static float derive_power(float x, uint32_t n)
{
    float power = 1.0f;
    for (uint32_t k = 0; k < n; k++) power = power * x;
    return power;
}

/* Of the force at `distance` sigmas, over 48 epsilon / sigma: x^13 - x^7 / 2 with x = 1 / distance. */
static float derive_force(float distance)
{
    float x = 1.0f / distance;
    return derive_power(x, 7) * (derive_power(x, 6) - 0.5f);
}

static void derive_tables(tpi_pair_constants *pair, const tp_world_def *def)
{
    float largest = 0.0f, steepest = derive_force(def->pair.overlap) - pair->shift;
    for (uint32_t s = 0; s < def->species_count; s++)
        for (uint32_t t = 0; t < def->species_count; t++) {
            tp_pair_mix mix = derive_mix(def, s, t);
            uint32_t k = s * TP_SPECIES_MAX + t;
            pair->epsilon[k] = mix.epsilon;
            pair->inverse_sigma_squared[k] = 1.0f / (mix.sigma * mix.sigma);
            pair->strength[k] = 48.0f * mix.epsilon / (mix.sigma * mix.sigma);
            pair->energy_unit = tpi_max(pair->energy_unit, mix.epsilon);
            largest = tpi_max(largest, 48.0f * mix.epsilon / mix.sigma * steepest);
        }
    /* neighbours_max of the largest force, and the half that rounds each, stay below 2^31 */
    pair->force_scale = 2145000000.0f / ((float)def->pair.neighbours_max * largest);
    for (uint32_t k = 0; k < TP_SPECIES_MAX * TP_SPECIES_MAX; k++) pair->strength[k] *= pair->force_scale;
    for (uint32_t s = 0; s < def->species_count; s++)
        pair->half_kick[s] = 0.5f / (pair->force_scale * def->species[s].mass);
}

void tpi_pair_derive(tpi_constants *constants, const tp_world_def *def)
{
    tpi_pair_constants *pair = &constants->pair;
    float cutoff = def->pair.cutoff, x = 1.0f / cutoff, x6 = derive_power(x, 6);
    float reach = tpi_pair_reach(def), skin = def->pair.skin * derive_sigma_max(def);
    float list_reach = tpi_pair_list_reach(def);
    pair->cutoff_squared = cutoff * cutoff;
    pair->floor_squared = def->pair.overlap * def->pair.overlap;
    pair->energy_shift = 4.0f * x6 * (x6 - 1.0f);
    pair->shift = def->pair.potential == TP_POTENTIAL_LJ_FORCE_SHIFT ? derive_force(cutoff) : 0.0f;
    pair->reach_squared = reach * reach;
    pair->half_skin_squared = 0.25f * skin * skin * 0.9999f;
    derive_tables(pair, def);
    constants->smoothing_radius = reach;
    constants->radius_squared = list_reach * list_reach;
    constants->cell_inverse = 1.0f / (list_reach * TPI_CELL_MARGIN);
    constants->box = tpi_box_of(def, list_reach);
}

#undef TPI_LIST_MARGIN
