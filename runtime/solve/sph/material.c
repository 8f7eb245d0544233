/* SPDX-License-Identifier: MIT
   runtime/solve/sph/material.c - materials of a fluid: checks of their definition, tables by pairs
           of species, the pull of walls.
   reads   tp_world_def      writes  constants, the layout
   memory  none              cost    O(species^2)
   after   viscosities of pairs: the harmonic mean, under which the stress at an interface is
           continuous (Patankar 1980, section 4.2-3). Adhesion: the
           work of parting rows, as Dupre 1869 defines it */
#include "sph.h"
#include "../../world/check.h"

/* ---- definition ---- */

static bool material_is_own(const tp_species *species)
{
    return species->viscosity != 1.0f || species->cohesion != 1.0f || species->stickiness > 0.0f;
}

/* True if a species is not as the fluid, or a pair of them not as the rule says. */
static bool material_has_any(const tp_world_def *def)
{
    bool has = def->sph.mix_count > 0;
    for (uint32_t s = 0; s < def->species_count; s++)
        has = has || material_is_own(&def->species[s]);
    return has;
}

static const char *material_check_mix(const tp_world_def *def)
{
    for (uint32_t k = 0; k < def->sph.mix_count; k++) {
        const tp_sph_mix *mix = &def->sph.mix[k];
        if (mix->first >= def->species_count || mix->second >= def->species_count)
            return TPI_TEXT("sph.mix.first and second must be below species_count");
        if (mix->first == mix->second)
            return TPI_TEXT("sph.mix.first and second must differ: species.viscosity and cohesion "
                            "are those within a species");
        if (!tpi_is_within(mix->viscosity, 0.0f, 1.0f))
            return TPI_TEXT("sph.mix.viscosity must be 0 to 1");
        if (!tpi_is_within(mix->cohesion, 0.0f, 1.0f))
            return TPI_TEXT("sph.mix.cohesion must be 0 to 1");
    }
    return NULL;
}

const char *tpi_materials_check(const tp_world_def *def)
{
    if (!material_has_any(def)) return NULL;
    if (!TPI_HAS_TENSION)
        return TPI_TEXT("species.viscosity and cohesion must be 1, stickiness and sph.mix_count 0: "
                        "materials were left out by TP_WITHOUT_TENSION");
    if (def->sph.compat)
        return TPI_TEXT("species.viscosity and cohesion must be 1, stickiness and sph.mix_count 0 "
                        "with sph.compat: the published program has one material");
    return material_check_mix(def);
}

/* ---- walls ---- */

/* Part of the work that parts a particle at a distance of q support radii from a plane: the
   integral of tpi_stick_weight from q to 1. */
static float material_work(float q)
{
    float cube = q * q * q;
    return 16.0f * (1.0f / 30.0f - cube * (1.0f / 3.0f - q * (0.5f - q * 0.2f)));
}

/* m/s^2: the pull that parts rows of particles half a spacing, one and a half, ... from a plane
   with the work of the stickiness per area. */
static float material_pull(const tp_world_def *def, uint32_t s)
{
    const float h = def->sph.smoothing_radius, count = tpi_sph_rest_count(def, s),
                spacing = tpi_sph_lattice_spacing(tpi_def_dimensions(def) == 2, count);
    float work = 0.0f, q = 0.5f * spacing / h;
    if (!(def->species[s].stickiness > 0.0f)) return 0.0f;
    for (uint32_t row = 0; row < 64u && q < 1.0f; row++, q = q + spacing / h)
        work = work + material_work(q);
    if (!(work > 0.0f)) return 0.0f; /* rows so far apart that no wall is near one */
    return def->species[s].stickiness / (count * spacing * def->species[s].mass * h * work);
}

/* The slope of a pull is at most 3.08 / h of the largest one; half of the limit of symplectic
   Euler. */
float tpi_stick_timestep_limit(const tp_world_def *def)
{
    float largest = 0.0f;
    for (uint32_t s = 0; TPI_HAS_TENSION && s < def->species_count; s++)
        largest = tpi_max(largest, material_pull(def, s));
    if (!(largest > 0.0f)) return FLT_MAX;
    return tpi_sqrt(def->sph.smoothing_radius / (3.08f * largest));
}

/* ---- block ---- */

void tpi_materials_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    if (material_has_any(def))
        arrays->own[TPI_SPH_MATERIALS] =
            tpi_layout_take(layout, "materials", 1, sizeof(tpi_sph_materials));
}

/* The rule for two species. */
static void material_pair(const tp_world *world, tpi_sph_materials *to, uint32_t s, uint32_t t)
{
    const tp_species *a = &world->def.species[s], *b = &world->def.species[t];
    float m = tpi_sph_of(world)->mass_share[s] * a->viscosity,
          n = tpi_sph_of(world)->mass_share[t] * b->viscosity;
    to->viscous[s][t] = m + n > 0.0f ? 2.0f * m * n / (m + n) : 0.0f;
    to->cohesion[s][t] = s == t ? a->cohesion : 0.0f;
}

void tpi_materials_derive(const tp_world *world, tpi_sph_materials *materials)
{
    const tp_world_def *def = &world->def;
    const tpi_sph_constants *sph = tpi_sph_of(world);
    tpi_memset(materials, 0, sizeof *materials);
    for (uint32_t s = 0; s < def->species_count; s++) {
        for (uint32_t t = 0; t < def->species_count; t++) material_pair(world, materials, s, t);
        materials->pull[s] = material_pull(def, s);
        if (materials->pull[s] > 0.0f) materials->sticks = 1;
    }
    for (uint32_t k = 0; k < def->sph.mix_count; k++) {
        const tp_sph_mix *mix = &def->sph.mix[k];
        const uint32_t s = mix->first, t = mix->second;
        materials->viscous[s][t] = materials->viscous[t][s] = sph->pair_mass[s][t] * mix->viscosity;
        materials->cohesion[s][t] = materials->cohesion[t][s] = mix->cohesion;
    }
}
