/* SPDX-License-Identifier: MIT
   runtime/solve/sph/solver.c - the fluid solver: its definition, constants, and order of stages.
   reads   tp_world_def, the step's record      writes  constants, the next stage
   memory  320 bytes of constants, and 4 bytes per particle with adaptive sub-steps
   cost    O(species^2) to create, O(1) per stage
   after   Clavet, Beaudoin and Poulin 2005 */
#include "sph.h"
#include "../solve.h"
#include "../link.h"
#include "../../world/check.h"
#include "../../grid/grid.h"
#include "../../world/load.h"

/* ---- definition ---- */

/* Default constants. In 2D they are the published ones (Clavet et al. 2005, as in a published
   program). In 3D the kernel reaches two particle spacings instead of three (33 neighbours, not
   113) and its normalisation is larger (597 against 35), so stiffnesses are smaller: with the
   published ones a pool explodes. rest_density in 3D: that of a cubic lattice with a spacing of
   twice the radius, at which both pressures cancel. sph.timestep_max: the scheme is stable if w dt
   < sqrt(4/3), where w is the largest frequency. In 2D, power iteration gives w = 94 to 134 /s in
   the bulk at rest, and 156 in the row on the floor, which is compressed because walls add no
   density. Three steps of 5.6 ms at 60 Hz allow 206 /s. In 3D a column 5 m deep bursts at 5.6 ms,
   and one 8 m deep is calm at 4.2 ms, four steps at 60 Hz. */
tp_sph tpi_sph_given(bool is_3d)
{
    return (tp_sph){.formulation = TPI_HAS_DFSPH ? TP_SPH_INCOMPRESSIBLE : TP_SPH_DOUBLE_DENSITY,
                    .smoothing_radius = is_3d ? 0.2f : 0.3f,
                    .stiffness = is_3d ? 0.0006f : 0.08f,
                    .near_stiffness = is_3d ? 0.00075f : 0.1f,
                    .surface_tension = is_3d ? 0.00002f : 0.0004f,
                    .viscosity_linear = is_3d ? 0.4f : 0.5f,
                    .viscosity_quadratic = is_3d ? 0.6f : 1.0f,
                    .timestep_max = is_3d ? 0.0042f : 0.0056f,
                    .neighbours_max = is_3d ? 64 : 40,
                    .cell_max = 64,
                    .density_iterations = 2,
                    .divergence_iterations = 1,
                    .smoothing = 0.2f,
                    .sound_speed = 20.0f,
                    .viscosity_iterations = 6,
                    .spring_stiffness = 1000.0f,
                    .spring_plasticity = 3.0f,
                    .spring_yield = 0.1f,
                    .stores_neighbours = true};
}

void tpi_sph_default(tp_world_def *def) { def->sph = tpi_sph_given(def->dimensions == 3); }

uint32_t tpi_sph_traits(const tp_world_def *def)
{
    return TPI_SOLVER_NEIGHBOURS | TPI_SOLVER_COURANT | (TPI_HAS_BOX ? TPI_SOLVER_BOX : 0u) |
           (TPI_HAS_LINKS && def->links_max ? TPI_SOLVER_LINKS : 0u);
}

const char *tpi_sph_check_ranges(const tp_world_def *def)
{
    static const tpi_integer_row integers[] = {
        TPI_ROW(sph.neighbours_max, 4, 255),       TPI_ROW(sph.cell_max, 4, 64),
        TPI_ROW(sph.density_iterations, 1, 16),    TPI_ROW(sph.divergence_iterations, 0, 16),
        TPI_ROW(sph.viscosity_iterations, 1, 32),  TPI_ROW(sph.springs_max, 0, 64),
        TPI_ROW(sph.mix_count, 0, TP_SPH_MIX_MAX),
    };
    static const tpi_number_row numbers[] = {
        TPI_NUMBER_ROW(sph.smoothing_radius, 1e-4, 1e4),
        TPI_NUMBER_ROW(sph.stiffness, 0, 1e6),
        TPI_NUMBER_ROW(sph.near_stiffness, 0, 1e6),
        TPI_NUMBER_ROW(sph.surface_tension, 0, 1e3),
        TPI_NUMBER_ROW(sph.viscosity_linear, 0, 1e4),
        TPI_NUMBER_ROW(sph.viscosity_quadratic, 0, 1e4),
        TPI_NUMBER_ROW(sph.timestep_max, 1e-5, 1),
        TPI_NUMBER_ROW(sph.smoothing, 0, 0.5),
        TPI_NUMBER_ROW(sph.sound_speed, 1e-4, 1e4),
        TPI_NUMBER_ROW(sph.cohesion, 0, 1e6),
        TPI_NUMBER_ROW(sph.viscosity, 0, 1e4),
        TPI_NUMBER_ROW(sph.spring_stiffness, 0, 1e6),
        TPI_NUMBER_ROW(sph.spring_plasticity, 0, 1e4),
        TPI_NUMBER_ROW(sph.spring_yield, 0, 1),
    };
    if ((uint32_t)def->sph.formulation > TP_SPH_WEAKLY_COMPRESSIBLE)
        return TPI_TEXT("sph.formulation must be a TP_SPH_ value");
    if (!TPI_HAS_TENSION && (def->sph.cohesion > 0.0f || def->sph.viscosity > 0.0f))
        return TPI_TEXT("sph.cohesion and sph.viscosity must be 0: they were left out by "
                        "TP_WITHOUT_TENSION");
    if (!TPI_HAS_DFSPH && def->sph.formulation == TP_SPH_INCOMPRESSIBLE)
        return TPI_TEXT("sph.formulation must not be TP_SPH_INCOMPRESSIBLE: it was left out by "
                        "TP_WITHOUT_DFSPH");
    if (!TPI_HAS_SPRINGS && def->sph.springs_max)
        return TPI_TEXT("sph.springs_max must be 0: springs were left out by TP_WITHOUT_SPRINGS");
    const char *text = TPI_CHECK_ROWS(def, integers, numbers);
    return text ? text : tpi_heat_check_ranges(def);
}

/* ---- constants ---- */

/* Kernel normalisations of (1 - r/h)^3 and (1 - r/h)^4: 10 and 15 over pi h^2 in two dimensions,
   15 and 105/4 over pi h^3 in three. */
static void sph_norms(const tp_world_def *def, float *norm, float *near_norm)
{
    float h = def->sph.smoothing_radius, pi = 3.14159265f;
    bool is_2d = tpi_def_dimensions(def) == 2;
    *norm = is_2d ? 10.0f / (pi * h * h) : 15.0f / (pi * h * h * h);
    *near_norm = is_2d ? 15.0f / (pi * h * h) : 26.25f / (pi * h * h * h);
}

static tpi_kernel_lattice sph_lattice_of(bool is_2d, float spacing)
{
    tpi_lattice_walk walk = tpi_lattice_begin(is_2d, spacing);
    tpi_kernel_lattice lattice = {0.0f, 0.0f};
    for (float q; tpi_lattice_next(&walk, &q);) {
        float share = tpi_max(1.0f - q, 0.0f);
        lattice.sum = lattice.sum + share * share * share;
        lattice.gradient = lattice.gradient + 3.0f * share * share * q;
    }
    lattice.gradient = lattice.gradient / (is_2d ? 2.0f : 3.0f);
    return lattice;
}

/* Distance of particles on a square or cubic lattice with this number of them per m^2 or m^3; cube
   root by Newton's iteration, which converges from any start above 0. */
float tpi_sph_lattice_spacing(bool is_2d, float count)
{
    float root = 1.0f;
    if (is_2d) return 1.0f / tpi_sqrt(count);
    for (uint32_t k = 0; k < 48u; k++) root = (2.0f * root + 1.0f / (count * root * root)) / 3.0f;
    return root;
}

float tpi_sph_rest_count(const tp_world_def *def, uint32_t species)
{
    const tp_species *s = &def->species[species];
    if (tpi_sph_is_incompressible(def)) return tpi_dfsph_count(def);
    return tpi_sph_has_law(def) ? s->rest_density / s->mass : s->rest_density;
}

/* m: between particles at rest. */
static float sph_rest_spacing(const tp_world_def *def)
{
    if (tpi_sph_is_incompressible(def)) return tpi_dfsph_spacing(def);
    if (!tpi_sph_has_law(def)) return 2.0f * def->species[0].radius;
    return tpi_sph_lattice_spacing(tpi_def_dimensions(def) == 2, tpi_sph_rest_count(def, 0));
}

/* By an equation of state a lattice at rest has the rest density, and in it the gradient of a
   pressure that rises evenly is exact. With the integrals of the kernel the pressure at a depth H
   would differ from rho g H by a fifth. */
static void sph_derive_kernel(tpi_sph_constants *sph, const tp_world_def *def)
{
    sph->inverse_radius = 1.0f / def->sph.smoothing_radius;
    sph_norms(def, &sph->norm, &sph->near_norm);
    if (!tpi_sph_has_law(def)) return;
    const tpi_kernel_lattice *lattice = &sph->sums.kernel;
    sph->norm = sph->sums.count / lattice->sum;
    /* without neighbours at rest there is no gradient to correct */
    sph->gradient = lattice->gradient > 0.0f ? lattice->sum / lattice->gradient : 1.0f;
}

static void sph_derive_masses(tpi_sph_constants *sph, const tp_world_def *def)
{
    for (uint32_t s = 0; s < def->species_count; s++)
        sph->mass_unit = tpi_max(sph->mass_unit, def->species[s].mass);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        sph->mass_share[s] = s < def->species_count ? def->species[s].mass / sph->mass_unit : 1.0f;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        for (uint32_t t = 0; t < TP_SPECIES_MAX; t++) {
            float m = sph->mass_share[s], n = sph->mass_share[t];
            sph->pair_mass[s][t] = 2.0f * m * n / (m + n);
        }
}

/* ---- the step limit ---- */

tpi_sph_strain tpi_sph_strain_of(const tp_world_def *def, const tpi_sph_constants *sph,
                                 float timestep)
{
    tpi_sph_strain strain = {0};
    float ratio = timestep / TPI_SPH_REFERENCE_STEP, least = 1.0f;
    for (uint32_t s = 0; s < def->species_count; s++) least = tpi_min(least, sph->mass_share[s]);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        strain.inverse_mass[s] = 0.5f * (1.0f / sph->mass_share[s] + 1.0f / least);
    strain.sum_scale = tpi_sph_has_law(def) ? 1.0f : 1.0f / least;
    float squared = timestep * timestep * sph->inverse_radius;
    if (!tpi_sph_has_law(def)) {
        strain.bulk = 0.75f * def->sph.stiffness * sph->norm * sph->norm * squared;
        strain.near_bulk = def->sph.near_stiffness * sph->near_norm * sph->near_norm * squared;
    }
    strain.tension = tpi_sph_tension(def) * sph->norm;
    if (!def->sph.compat) strain.tension = strain.tension * (ratio * ratio);
    strain.viscosity = 0.5f * def->sph.viscosity_linear * timestep;
    if (def->sph.springs_max) strain.spring = def->sph.spring_stiffness * timestep * timestep;
    return strain;
}

/* The strain of a step of the reference length in a fluid of one species at rest, `rest` particles
   per m^2 or m^3, at which its pressure is 0: sums as in a continuum. The constants of a world are
   too large for the stack of a check. */
static float sph_strain_at_rest(const tp_world_def *def, float rest)
{
    const float dt = TPI_SPH_REFERENCE_STEP, pi = 3.14159265f;
    bool is_2d = tpi_def_dimensions(def) == 2;
    float h = def->sph.smoothing_radius, norm, near_norm;
    sph_norms(def, &norm, &near_norm);
    float squares = rest * (is_2d ? pi * h * h / 6.0f : pi * h * h * h / 7.5f);
    float shares = rest * (is_2d ? pi * h * h / 3.0f : pi * h * h * h / 3.0f);
    float cubes = rest / norm, unit = dt * dt / h;
    float stiffness = def->sph.stiffness, near_stiffness = def->sph.near_stiffness;
    if (tpi_sph_has_law(def)) {
        stiffness = 6.0f * def->sph.sound_speed * def->sph.sound_speed / (h * rest * rest);
        near_stiffness = 0.0f;
    }
    float bulk = 0.75f * stiffness * norm * norm * squares * squares +
                 near_stiffness * near_norm * near_norm * cubes * cubes;
    float stiff = tpi_max(3.0f * near_stiffness * rest * near_norm * squares, bulk) * unit;
    float viscous = shares * 0.5f * def->sph.viscosity_linear * dt;
    stiff = stiff + squares * tpi_sph_tension(def) * norm;
    if (def->sph.springs_max) stiff = stiff + shares * def->sph.spring_stiffness * (dt * dt);
    return (viscous + tpi_sqrt(viscous * viscous + stiff * TPI_SPH_STIFF)) * TPI_SPH_STRAIN;
}

/* The strain of a step is proportional to its length, except under `compat`: there the surface
   tension is not, and counts as in a step of the reference length. */
static float sph_pressure_limit(const tp_world_def *def)
{
    float largest = 1e-9f, heat = FLT_MAX;
    if (tpi_has_heat(def)) heat = tpi_heat_timestep_limit(def, sph_rest_spacing(def));
    if (tpi_sph_is_incompressible(def)) return tpi_min(tpi_dfsph_timestep_limit(def), heat);
    for (uint32_t s = 0; s < def->species_count; s++)
        largest = tpi_max(largest, sph_strain_at_rest(def, tpi_sph_rest_count(def, s)));
    float pressure = TPI_SPH_REFERENCE_STEP / largest;
    return heat < pressure ? heat : pressure; /* no number stays none */
}

/* s: the limit of pressure, and those of stickiness and surface tension. */
static float sph_timestep_limit(const tp_world_def *def)
{
    float limit = sph_pressure_limit(def), stick = tpi_stick_timestep_limit(def);
    if (stick < limit) limit = stick;
    if (!tpi_has_cohesion(def)) return limit;
    return tpi_min(limit, tpi_cohesion_timestep_limit(def, tpi_sph_rest_count(def, 0)));
}

float tpi_sph_limit(const tp_world_def *def)
{
    if (def->species_count > TP_SPECIES_MAX || tpi_sph_check_ranges(def)) return 0.0f;
    float limit = sph_timestep_limit(def);
    return limit > 0.0f ? limit : 0.0f; /* masses and densities out of range may give no number */
}

float tp_sph_timestep_limit(const tp_world_def *definition)
{
    if (!definition || definition->stamp != TPI_STAMP_WORLD || definition->solver != TP_SOLVER_SPH)
        return 0.0f;
    return tpi_sph_limit(definition);
}

/* True if a sub-step of the definition is longer than the fluid bears at rest. */
static bool sph_is_too_long(const tp_world_def *def)
{
    const tpi_substep_rule rule = tpi_substep_rule_of(def);
    float longest = tpi_frame_seconds(def) / (float)rule.count;
    if (def->overload == TP_OVERLOAD_COARSEN)
        longest = tpi_min(tpi_frame_seconds(def), def->sph.timestep_max);
    return !(longest <= sph_timestep_limit(def) * 1.00001f);
}

/* Sums of impulses have room for those of 127 pairs, and for 2048 springs. */
#define TPI_SPRING_NEIGHBOURS 127u

static const char *sph_check_springs(const tp_world_def *def)
{
    if (!def->sph.springs_max) return NULL;
    if (tpi_sph_is_incompressible(def))
        return TPI_TEXT("sph.springs_max must be 0 with TP_SPH_INCOMPRESSIBLE: choose "
                        "TP_SPH_DOUBLE_DENSITY for a viscoelastic fluid");
    if (def->sph.compat)
        return TPI_TEXT("sph.springs_max must be 0 with sph.compat: the published program has no "
                        "springs");
    if (def->sph.neighbours_max > TPI_SPRING_NEIGHBOURS)
        return TPI_TEXT("sph.neighbours_max must be at most 127 with sph.springs_max: sums of "
                        "impulses have room for no more");
    return NULL;
}

/* With boxes of four support radii no particle is near two images of another one. Rounded images
   are exact enough in boxes that are not too far from 0. */
static const char *sph_check_box(const tp_world_def *def)
{
    const float radius = def->sph.smoothing_radius;
    const float low[3] = {def->box_low.x, def->box_low.y, def->box_low.z};
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    if (!def->periodic_axes) return NULL;
    for (uint32_t axis = 0; axis < 3; axis++)
        if ((def->periodic_axes >> axis & 1u) &&
            tpi_max(tpi_abs(low[axis]), tpi_abs(low[axis] + size[axis])) > 1e5f * radius)
            return TPI_TEXT("box_low and box_low + box_size must be within 1e5 of "
                            "sph.smoothing_radius: positions beyond are too coarse");
    return tpi_box_check(def, 4.0f * radius,
                         TPI_TEXT("box_size must be at least four times sph.smoothing_radius, and "
                                  "at most 1e6"));
}

const char *tpi_sph_check(const tp_world_def *def)
{
    float most = def->substeps.is_adaptive ? (float)def->substeps.count_max : 101.0f;
    if (def->integrator != TP_INTEGRATOR_EULER)
        return TPI_TEXT("integrator must be TP_INTEGRATOR_EULER with TP_SOLVER_SPH: the relaxation "
                        "is built on it");
    for (uint32_t s = 0; s < def->species_count; s++)
        if (def->species[s].is_tracer)
            return TPI_TEXT("species.is_tracer needs TP_SOLVER_NONE: a tracer feels no pressure");
    if (TPI_HAS_LINKS && def->sph.compat && def->links_max)
        return TPI_TEXT("links_max must be 0 with sph.compat: the published program has no links");
    if (def->sph.compat && def->measures_loads)
        return TPI_TEXT("measures_loads must be false with sph.compat, whose walls only push");
    if (def->sph.compat && def->bodies_max)
        return TPI_TEXT("bodies_max must be 0 with sph.compat, whose walls only push");
    if (def->sph.compat && def->sph.formulation != TP_SPH_DOUBLE_DENSITY)
        return TPI_TEXT("sph.compat needs TP_SPH_DOUBLE_DENSITY: it is of the published program");
    const char *text = tpi_sph_is_incompressible(def) ? tpi_dfsph_check(def) : NULL;
    if (!text) text = tpi_heat_check(def);
    if (!text) text = tpi_materials_check(def);
    if (!text) text = sph_check_springs(def);
    if (!text) text = sph_check_box(def);
    if (text) return text;
    if (tpi_frame_seconds(def) > most * def->sph.timestep_max)
        return TPI_TEXT("sub-steps of sph.timestep_max must cover a frame, substeps.count_max of "
                        "them when adaptive, "
                        "else 101: raise it or the frame rate");
    if (def->sph.compat || !sph_is_too_long(def)) return NULL;
    return TPI_TEXT("sph.timestep_max must be at most the limit of this fluid, which "
                    "tp_sph_timestep_limit returns: lower it or the stiffnesses, or raise "
                    "substeps.count");
}

const char *tpi_sph_oversize(const tp_world_def *def)
{
    (void)def;
    return TPI_TEXT("particles_max times sph.neighbours_max asks for a block of more than 4 GiB: "
                    "lower one of them, or "
                    "store no neighbours");
}

float tpi_sph_timestep_max(const tp_world_def *def) { return def->sph.timestep_max; }

tpi_neighbour_needs tpi_sph_needs(const tp_world_def *def)
{
    uint32_t most = def->sph.neighbours_max;
    return (tpi_neighbour_needs){.neighbours_max = most,
                                 .cell_max = def->sph.cell_max,
                                 .list_capacity = def->sph.stores_neighbours ? most / 2u : 0u,
                                 .is_still = tpi_sph_is_incompressible(def)};
}

/* Cells of one support radius; a dense table of them if all axes are periodic. */
bool tpi_sph_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box)
{
    if (!TPI_HAS_BOX || !def->periodic_axes) return false;
    *box = tpi_box_of(def, def->sph.smoothing_radius);
    box->moves_points = true;
    levels->count = 1;
    tpi_memcpy(levels->cells[0], box->cells, sizeof box->cells);
    return true;
}

/* ---- block ---- */

static void sph_layout_springs(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char names[2][16] = {"springs", "next springs"};
    for (uint32_t set = 0; set < 2; set++)
        arrays->springs[set] =
            tpi_layout_take(layout, names[set], (uint64_t)def->particles_max * def->sph.springs_max,
                            sizeof(tpi_spring));
}

static void sph_layout_loads(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char names[3][16] = {"wall impulse x", "wall impulse y", "wall impulse z"};
    for (uint32_t axis = 0; axis < tpi_def_dimensions(def); axis++)
        arrays->own[TPI_SPH_LOAD + axis] =
            tpi_layout_take(layout, names[axis], def->particles_max, 4);
}

uint32_t tpi_sph_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    if (def->substeps.is_adaptive && !tpi_sph_is_incompressible(def))
        arrays->own[TPI_SPH_DISTANCE_SUM] =
            tpi_layout_take(layout, "distance sums", def->particles_max, 4);
    if (tpi_sph_is_incompressible(def)) tpi_dfsph_layout(arrays, layout, def);
    if (def->sph.springs_max) sph_layout_springs(arrays, layout, def);
    if (tpi_def_has_loads(def)) sph_layout_loads(arrays, layout, def);
    if (TPI_HAS_TENSION) tpi_central_layout(arrays, layout, def);
    if (TPI_HAS_TENSION) tpi_materials_layout(arrays, layout, def);
    if (!tpi_has_heat(def)) return (uint32_t)sizeof(tpi_sph_constants);
    tpi_heat_layout(arrays, layout, def);
    return (uint32_t)(sizeof(tpi_sph_constants) + sizeof(tpi_heat_constants));
}

/* Up to 361 000 instructions in 3D on a Cortex-M4F. */
static void sph_sum_lattices(const tp_world_def *def, tpi_lattice_sums *sums)
{
    const bool is_2d = tpi_def_dimensions(def) == 2;
    const float h = def->sph.smoothing_radius, inverse_radius = 1.0f / h;
    sums->spacing = tpi_sph_lattice_spacing(is_2d, sums->count);
    if (tpi_sph_has_law(def)) sums->kernel = sph_lattice_of(is_2d, sums->spacing * inverse_radius);
    if (tpi_has_heat(def)) sums->heat = tpi_heat_lattice_of(is_2d, sums->heat_spacing / h);
    if (!tpi_has_cohesion(def) && !tpi_has_viscosity(def)) return;
    sums->central = tpi_central_lattice_of(is_2d, sums->spacing / h);
    sums->shear = tpi_central_shear_of(is_2d, sums->spacing / h);
}

void tpi_sph_prepare(tp_world *world, const tp_world_def *def)
{
    tpi_lattice_sums *sums = &tpi_sph_of(world)->sums, next = {0};
    if (def) {
        next.count = tpi_sph_rest_count(def, 0);
        if (tpi_has_heat(def)) next.heat_spacing = sph_rest_spacing(def);
        if (next.count == sums->count && next.heat_spacing == sums->heat_spacing) return;
        sph_sum_lattices(def, &next);
    }
    *sums = next;
}

void tpi_sph_derive(tp_world *world)
{
    tpi_constants *constants = &world->constants;
    tpi_sph_constants *sph = tpi_sph_of(world);
    float h = world->def.sph.smoothing_radius;
    tpi_sph_prepare(world, &world->def);
    const tpi_lattice_sums sums = sph->sums;
    tpi_memset(sph, 0, sizeof *sph);
    sph->sums = sums;
    constants->smoothing_radius = h;
    constants->radius_squared = h * h;
    constants->cell_inverse = 1.0f / (h * TPI_CELL_MARGIN);
    constants->levels.count = 1;
    constants->levels.list_squared[0][0] = h * h;
    (void)tpi_sph_cells(&world->def, &constants->levels, &constants->box);
    sph_derive_kernel(sph, &world->def);
    sph_derive_masses(sph, &world->def);
    if (tpi_sph_is_incompressible(&world->def)) tpi_dfsph_derive(&world->def, &sph->dfsph);
    if (tpi_has_heat(&world->def)) tpi_heat_derive(&world->def, &sph->sums, tpi_heat_of(world));
    if (TPI_HAS_TENSION && world->arrays.own[TPI_SPH_CENTRAL])
        tpi_central_derive(world, &sph->sums);
    if (tpi_materials_of(world)) tpi_materials_derive(world, tpi_materials_of(world));
}

const char *tpi_sph_audit(const tp_world *world, uint64_t *offset)
{
    (void)world, (void)offset;
    return NULL;
}

/* ---- step ---- */

bool tpi_sph_must_prime(const tp_world *world)
{
    (void)world;
    return false;
}

/* If a particle exceeds the neighbour limit, the pair pass runs again with the nearest neighbours
   only. */
static tp_stage sph_after_pairs(tp_world *world)
{
    tpi_step *step = &world->step;
    if (step->capped) {
        step->ends_found = 2u * step->pairs_found;
        step->neighbours_dropped = 2u * (step->pairs_found - step->pairs);
        step->pairs_found = step->pairs;
        return TP_STAGE_PRESSURE;
    }
    step->pairs_found = step->pairs;
    step->particles_skipped = step->crowded;
    return step->neighbours_largest > world->constants.neighbours_max ? TP_STAGE_NEAREST
                                                                      : TP_STAGE_PRESSURE;
}

/* The second half of the links' work, then that of springs, are stages of their own. */
static tp_stage sph_after_force(tp_world *world)
{
    tpi_step *step = &world->step;
    if (tpi_has_links(world) && !step->closes_links) {
        step->closes_links = true;
        return TP_STAGE_LINKS;
    }
    if (!tpi_has_springs(world) || step->at_springs) return TP_STAGE_COLLIDE;
    step->at_springs = true;
    return TP_STAGE_LINKS;
}

static tp_stage sph_after_links(tp_world *world)
{
    const tpi_step *step = &world->step;
    if (!tpi_has_links(world) || step->at_springs || step->closes_links)
        return sph_after_force(world);
    return step->recycles ? TP_STAGE_RECYCLE : TP_STAGE_MOVE;
}

tp_stage tpi_sph_next(tp_world *world)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_MOVE: return TP_STAGE_GRID;
    case TP_STAGE_GRID: return TP_STAGE_PAIRS;
    case TP_STAGE_PAIRS: return sph_after_pairs(world);
    case TP_STAGE_NEAREST: world->step.capped = true; return TP_STAGE_PAIRS;
    case TP_STAGE_PRESSURE: return TP_STAGE_FORCE;
    case TP_STAGE_FORCE: return sph_after_force(world);
    case TP_STAGE_LINKS: return sph_after_links(world);
    default: TP_ASSERT(false); return TP_STAGE_COLLIDE;
    }
}

bool tpi_sph_is_shared(const tp_world *world) { return !world->def.sph.compat; }

void tpi_sph_exchange(tp_world *world, bool is_whole) { (void)world, (void)is_whole; }

/* ---- particles: no half kicks; impulses change position and velocity ---- */

uint32_t tpi_sph_kick_units(const tp_world *world)
{
    return tpi_has_links(world) && !tpi_sph_is_incompressible(&world->def) ? 1u : 0u;
}

#undef TPI_SPRING_NEIGHBOURS

bool tpi_sph_splits(tp_world *world, uint32_t index, tp_vector x, tp_vector *aside)
{
    (void)world, (void)index, (void)x, (void)aside;
    return false;
}
