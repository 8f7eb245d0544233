/* SPDX-License-Identifier: MIT
   runtime/solve/pair/derive.c - computes the constants of pair forces and periodic boxes from a
           definition.
   reads   tp_world_def      writes  constants
   memory  none              cost    O(species^2)
   after   mixing rules of Lorentz 1881 and Berthelot 1898. The scale of integer forces is such that
           neighbours_max forces at the overlap distance cannot overflow 32 bits */
#include "pair.h"

/* Factor on list cutoffs: covers the error of a rounded sum of squares. */
#define TPI_LIST_MARGIN 1.000001f
/* Factor on the side of a cell: covers the rounding of its quotient. */
#define TPI_FIT_MARGIN 0.99999f
/* The narrowest skin, as a share of the definition's. */
#define TPI_LIST_SKIN_LEAST 0.9f
/* Sigmas: hard spheres that stay farther apart than this while they drift do not collide in the
   same step, however other collisions push them. */
#define TPI_HARD_REACH 1.1f
/* Sigmas: cell size of hard spheres. Cells of their cutoff would hold one particle or none, and
   looking up a cell costs more than ten candidates. */
#define TPI_HARD_CELL 2.0f
/* Finest cells across the widest cells: bounds the number of cells around a large sphere that the
   neighbour limit may visit. */
#define TPI_LEVEL_WIDTH_MAX 32.0f
/* In cells: more than twice the rounding error of a cell coordinate, see tpi_cell_coordinate, and
   less than the margin. */
#define TPI_LEVEL_SLACK (1.0f / 192.0f)

/* Cutoff in sigmas. */
static float derive_cutoff(const tp_world_def *def)
{
    return tpi_def_is_hard(def) ? TPI_HARD_REACH : def->pair.cutoff;
}

static tp_pair_mix derive_mix(const tp_world_def *def, uint32_t s, uint32_t t)
{
    const tp_species *a = &def->species[s], *b = &def->species[t];
    for (uint32_t k = 0; k < def->pair.mix_count; k++) {
        const tp_pair_mix *mix = &def->pair.mix[k];
        if ((mix->first == s && mix->second == t) || (mix->first == t && mix->second == s))
            return *mix;
    }
    if (s == t) return (tp_pair_mix){.epsilon = a->epsilon, .sigma = a->sigma};
    return (tp_pair_mix){.epsilon = tpi_sqrt(a->epsilon * b->epsilon),
                         .sigma = 0.5f * (a->sigma + b->sigma)};
}

static float derive_sigma_max(const tp_world_def *def)
{
    float sigma = 0.0f;
    for (uint32_t s = 0; s < def->species_count; s++)
        for (uint32_t t = 0; t < def->species_count; t++)
            sigma = tpi_max(sigma, derive_mix(def, s, t).sigma);
    return sigma;
}

float tpi_pair_cutoff(const tp_world_def *def)
{
    return derive_cutoff(def) * derive_sigma_max(def) * TPI_LIST_MARGIN;
}

/* m: the skin with which one more cell fits along an axis of a periodic box, for pairs within
   `cutoff`; 0: none does. */
static float derive_fitting_skin(float size, float cutoff, float skin)
{
    float cells = size / ((cutoff + skin * TPI_LIST_MARGIN) * TPI_CELL_MARGIN);
    if (!(cells >= 3.0f && cells < (float)(TPI_CELL_LIMIT - 1u))) return 0.0f;
    float narrower = size / ((float)((uint32_t)cells + 1u) * TPI_CELL_MARGIN);
    return (narrower * TPI_FIT_MARGIN - cutoff) * (1.0f / TPI_LIST_MARGIN);
}

/* m: the skin of lists, relative to `sigma`. Up to a tenth narrower than defined if one more cell
   then fits along an axis: fewer candidates per particle, hardly more lists. Measured, a melt whose
   box is 5.999 cells wide: 4 % fewer instructions, a step with new lists 9 %. */
static float derive_skin_width(const tp_world_def *def, float sigma)
{
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    float skin = def->pair.skin * sigma, width = skin,
          cutoff = derive_cutoff(def) * sigma * TPI_LIST_MARGIN;
    if (tpi_def_is_hard(def)) return skin; /* its cells are wider than lists */
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(def->periodic_axes >> axis & 1u)) continue;
        float fitting = derive_fitting_skin(size[axis], cutoff, skin);
        if (fitting >= TPI_LIST_SKIN_LEAST * skin) width = tpi_min(width, fitting);
    }
    return width;
}

/* m: cutoff of lists for pairs within `cutoff`: larger by the skin, which is relative to `sigma`,
   if lists are stored. */
static float derive_list_cutoff(const tp_world_def *def, float cutoff, float sigma)
{
    float skin = def->pair.stores_neighbours ? derive_skin_width(def, sigma) : 0.0f;
    return cutoff + skin * TPI_LIST_MARGIN;
}

/* m: cutoff of lists with one level of cells. */
static float derive_longest(const tp_world_def *def)
{
    return derive_list_cutoff(def, tpi_pair_cutoff(def), derive_sigma_max(def));
}

static float derive_power(float x, uint32_t n)
{
    float power = 1.0f;
    for (uint32_t k = 0; k < n; k++) power = power * x;
    return power;
}

/* Lennard-Jones force at `distance` sigmas, divided by 48 epsilon / sigma: x^13 - x^7 / 2 with x =
   1 / distance. */
static float derive_force(float distance)
{
    float x = 1.0f / distance;
    return derive_power(x, 7) * (derive_power(x, 6) - 0.5f);
}

void tpi_pair_scale(tpi_pair_constants *pair, const tp_world_def *def, float steepest)
{
    float largest = 0.0f, deepest = 0.0f,
          unit = def->pair.potential == TP_POTENTIAL_TABLE ? 1.0f : 48.0f;
    for (uint32_t s = 0; s < def->species_count; s++)
        for (uint32_t t = 0; t < def->species_count; t++) {
            tp_pair_mix mix = derive_mix(def, s, t);
            uint32_t k = s * TP_SPECIES_MAX + t;
            pair->epsilon[k] = mix.epsilon;
            pair->inverse_sigma_squared[k] = 1.0f / (mix.sigma * mix.sigma);
            pair->strength[k] = unit * mix.epsilon / (mix.sigma * mix.sigma);
            deepest = tpi_max(deepest, mix.epsilon);
            largest = tpi_max(largest, unit * mix.epsilon / mix.sigma * steepest);
        }
    pair->is_off = deepest == 0.0f && !tpi_def_is_hard(def);
    if (deepest == 0.0f) largest = 1.0f;
    /* neighbours_max times the largest force, and half a count of rounding each, stay below 2^31 */
    pair->force_scale = 2145000000.0f / ((float)def->pair.neighbours_max * largest);
    for (uint32_t k = 0; k < TP_SPECIES_MAX * TP_SPECIES_MAX; k++)
        pair->strength[k] *= pair->force_scale;
    for (uint32_t s = 0; s < def->species_count; s++) {
        pair->half_kick[s] = 0.5f / (pair->force_scale * def->species[s].mass);
        pair->link_kick[s] = 0.5f / (tpi_link_scale(def) * def->species[s].mass);
    }
}

/* Bounds between which no particle has a partner within `margin` across a side of the box,
   including rounding. */
static void derive_inner(tpi_pair_constants *pair, const tpi_box *box, float margin)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        float safe = margin + 1e-6f * (tpi_abs(box->low[axis]) + tpi_abs(box->high[axis]));
        pair->inner_low[axis] = box->cells[axis] ? box->low[axis] + safe : -FLT_MAX;
        pair->inner_high[axis] = box->cells[axis] ? box->high[axis] - safe : FLT_MAX;
    }
}

/* Scale of integer impulses: 2^29 counts are the impulse of a head-on collision of two particles of
   the heaviest species, each at the speed limit. The speed limit is one cutoff per time step of the
   definition, or speed_max. */
static void derive_impulses(tpi_pair_constants *pair, const tp_world_def *def, float cutoff)
{
    float frame =
        (float)def->frames_per_second_denominator / (float)def->frames_per_second_numerator;
    float timestep = tpi_min(frame / (float)def->substeps.count, def->pair.timestep_max),
          mass = 0.0f;
    float speed = cutoff / timestep;
    if (def->speed_max > 0.0f) speed = tpi_min(speed, def->speed_max);
    for (uint32_t s = 0; s < def->species_count; s++) mass = tpi_max(mass, def->species[s].mass);
    pair->impulse_unit = 2.0f * mass * speed * (1.0f / 536870912.0f);
    pair->virial_unit = pair->impulse_unit * cutoff * 0.0625f;
    for (uint32_t s = 0; s < def->species_count; s++)
        pair->half_kick[s] = pair->impulse_unit / def->species[s].mass;
}

/* ---- levels ---- */

/* Largest sigma that the cells of a species must cover: of its own pairs, and of pairs with another
   species that are wider than the other species' own pairs. All other pairs are covered by the
   cells of the other species. */
static float derive_size(const tp_world_def *def, uint32_t s)
{
    float own = derive_mix(def, s, s).sigma, size = own;
    for (uint32_t t = 0; t < def->species_count; t++) {
        float sigma = derive_mix(def, s, t).sigma;
        if (sigma > derive_mix(def, t, t).sigma) size = tpi_max(size, sigma);
    }
    return size;
}

/* How often the widest size can be halved without falling below this one. */
static uint32_t derive_halvings(float size, float widest)
{
    uint32_t halvings = 0;
    for (float half = 0.5f * widest; size <= half && halvings < 31u; half = 0.5f * half) halvings++;
    return halvings;
}

/* Assigns species to levels by the number of halvings. The `most` widest levels are kept; all
   smaller species join the last of them. */
static void derive_species_levels(tpi_levels *levels, const tp_world_def *def, uint32_t most)
{
    uint32_t halvings[TP_SPECIES_MAX], classes = 0;
    float widest = derive_sigma_max(def);
    for (uint32_t s = 0; s < def->species_count; s++) {
        halvings[s] = derive_halvings(derive_size(def, s), widest);
        classes |= 1u << halvings[s];
    }
    levels->count = 0;
    for (uint32_t k = 0; k < 32u; k++) levels->count += classes >> k & 1u;
    levels->count = tpi_min_u32(levels->count, most);
    for (uint32_t s = 0; s < def->species_count; s++) {
        uint32_t coarser = 0;
        for (uint32_t k = 0; k < halvings[s]; k++) coarser += classes >> k & 1u;
        levels->of_species[s] = levels->count - 1u - tpi_min_u32(coarser, levels->count - 1u);
    }
}

/* Largest size of the species of a level. */
static float derive_level_size(const tpi_levels *levels, const tp_world_def *def, uint32_t level)
{
    float size = 0.0f;
    for (uint32_t s = 0; s < def->species_count; s++)
        if (levels->of_species[s] == level) size = tpi_max(size, derive_size(def, s));
    return size;
}

/* m: side of the cells for a size, without the margin. */
static float derive_cell(const tp_world_def *def, float size, float skin_sigma)
{
    float list_cutoff =
        derive_list_cutoff(def, derive_cutoff(def) * size * TPI_LIST_MARGIN, skin_sigma);
    return tpi_def_is_hard(def) ? tpi_max(list_cutoff, TPI_HARD_CELL * size) : list_cutoff;
}

/* Sets the cells of a level: `width` finest cells wide; along an axis where three would not fit,
   three cells. */
static void derive_level_cells(tpi_levels *levels, const tpi_box *box, uint32_t level,
                               uint32_t width)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t finest = box->cells[axis];
        bool is_narrow = finest && width > finest / 3u;
        levels->width[level][axis] = is_narrow ? finest / 3u : width;
        levels->cells[level][axis] = is_narrow ? 3u : finest / width;
        if (level == 0) levels->cells[level][axis] = finest;
    }
}

/* Cutoffs for each pair of levels. Two coordinates within a cutoff differ at most by the cutoff and
   the rounding errors of both. */
static void derive_level_pairs(tpi_constants *constants, const tp_world_def *def, float skin_sigma)
{
    tpi_levels *levels = &constants->levels;
    float sigmas[TPI_LEVELS_MAX][TPI_LEVELS_MAX] = {{0.0f}};
    for (uint32_t s = 0; s < def->species_count; s++)
        for (uint32_t t = 0; t < def->species_count; t++) {
            float *sigma = &sigmas[levels->of_species[s]][levels->of_species[t]];
            *sigma = tpi_max(*sigma, derive_mix(def, s, t).sigma);
        }
    for (uint32_t l = 0; l < levels->count; l++)
        for (uint32_t m = 0; m < levels->count; m++) {
            float cutoff = derive_cutoff(def) * sigmas[l][m] * TPI_LIST_MARGIN;
            float list_cutoff = derive_list_cutoff(def, cutoff, skin_sigma);
            levels->cutoff_squared[l][m] = cutoff * cutoff;
            levels->list_squared[l][m] = list_cutoff * list_cutoff;
            levels->apart[l][m] =
                (uint32_t)(list_cutoff * constants->cell_inverse + TPI_LEVEL_SLACK) + 1u;
        }
}

/* Computes levels, their cells along each axis, and the box with the finest cells; returns the side
   of these, m. */
static float derive_cells(const tp_world_def *def, uint32_t most, tpi_levels *levels, tpi_box *box)
{
    derive_species_levels(levels, def, most);
    float sigma = derive_level_size(levels, def, 0),
          widest = derive_cell(def, derive_sigma_max(def), sigma);
    float finest = tpi_max(derive_cell(def, sigma, sigma), widest * (1.0f / TPI_LEVEL_WIDTH_MAX));
    *box = tpi_box_of(def, finest);
    for (uint32_t level = 0; level < levels->count; level++) {
        float cell = derive_cell(def, derive_level_size(levels, def, level), sigma);
        uint32_t whole = (uint32_t)(cell / finest);
        derive_level_cells(levels, box, level, (float)whole * finest < cell ? whole + 1u : whole);
    }
    return finest;
}

/* Computes how far a particle may move before a kept list is invalid: half the skin minus rounding.
   The positions of two particles and their distances before and after are each rounded by 2^-24 of
   the box size. No particle of a kept list moves around the box: along an axis with three cells it
   moves at most a sixth of it. */
static void derive_skin(tpi_constants *constants, tpi_pair_constants *pair, float half_skin)
{
    const tpi_box *box = &constants->box;
    float rounding[3];
    for (uint32_t axis = 0; axis < 3; axis++) half_skin -= 1.2e-7f * box->size[axis];
    for (uint32_t axis = 0; axis < 3; axis++) {
        rounding[axis] = 2.5e-7f * (tpi_abs(box->low[axis]) + tpi_abs(box->high[axis]));
        if (box->cells[axis])
            half_skin = tpi_min(half_skin, box->size[axis] * (1.0f / 6.0f) - rounding[axis]);
    }
    half_skin = tpi_max(half_skin, 0.0f);
    pair->half_skin_squared = half_skin * half_skin * 0.9999f;
    for (uint32_t axis = 0; axis < 3; axis++) {
        float inverse = box->cells[axis] ? box->cell_inverse[axis] : constants->cell_inverse;
        float cells = box->cells[axis] ? (float)box->cells[axis] : (float)TPI_CELL_LIMIT;
        /* m: farther than any particle of a kept list moves */
        float stray = half_skin + rounding[axis];
        constants->stray_low[axis] = (stray + rounding[axis]) * inverse + 3e-7f * cells;
        constants->stray_high[axis] = 1.0f - constants->stray_low[axis];
    }
}

void tpi_pair_derive_levels(tp_world *world, uint32_t most)
{
    tpi_constants *constants = &world->constants;
    const tp_world_def *def = &world->def;
    float finest = derive_cells(def, most, &constants->levels, &constants->box);
    float sigma = derive_level_size(&constants->levels, def, 0);
    constants->cell_inverse = 1.0f / (finest * TPI_CELL_MARGIN);
    derive_skin(constants, tpi_pair_of(world), 0.5f * derive_skin_width(def, sigma));
    derive_level_pairs(constants, def, sigma);
    float list_cutoff = derive_list_cutoff(def, tpi_pair_cutoff(def), sigma);
    constants->radius_squared = list_cutoff * list_cutoff;
}

bool tpi_pair_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box)
{
    (void)derive_cells(def, TPI_LEVELS_MAX, levels, box);
    /* with one level, cells have the size of the list cutoff */
    if (levels->count == 1u) *box = tpi_box_of(def, derive_longest(def));
    return true;
}

void tpi_pair_prepare(tp_world *world, const tp_world_def *def) { (void)world, (void)def; }

void tpi_pair_derive(tp_world *world)
{
    const tp_world_def *def = &world->def;
    tpi_pair_constants *pair = tpi_pair_of(world);
    float cutoff = derive_cutoff(def), x = 1.0f / cutoff, x6 = derive_power(x, 6);
    float cutoff_max = tpi_pair_cutoff(def),
          table_last = world->arrays.own[TPI_PAIR_TABLE] ? pair->table_last : 0.0f;
    tpi_memset(pair, 0, sizeof *pair);
    pair->cutoff_squared = cutoff * cutoff;
    pair->floor_squared = def->pair.overlap * def->pair.overlap;
    pair->energy_shift = 4.0f * x6 * (x6 - 1.0f);
    pair->shift = def->pair.potential == TP_POTENTIAL_LJ_FORCE_SHIFT ? derive_force(cutoff) : 0.0f;
    tpi_pair_derive_levels(world, TPI_LEVELS_MAX);
    bool is_table = def->pair.potential == TP_POTENTIAL_TABLE;
    tpi_pair_scale(pair, def, is_table ? 1.0f : derive_force(def->pair.overlap) - pair->shift);
    if (tpi_def_is_hard(def)) derive_impulses(pair, def, cutoff_max);
    world->constants.is_idle = pair->is_off;
    /* without forces a list is never read, so it stays valid */
    if (pair->is_off) pair->half_skin_squared = FLT_MAX;
    world->constants.smoothing_radius = cutoff_max;
    derive_inner(pair, &world->constants.box, cutoff_max * 1.01f);
    tpi_pair_table_derive(world, table_last);
}

#undef TPI_LIST_MARGIN
#undef TPI_HARD_REACH
#undef TPI_HARD_CELL
#undef TPI_LEVEL_WIDTH_MAX
#undef TPI_LEVEL_SLACK
