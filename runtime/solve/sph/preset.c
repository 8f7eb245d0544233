/* SPDX-License-Identifier: MIT
   runtime/solve/sph/preset.c - definitions of fluids by the distance of particles at rest.
   reads   nothing      writes  tp_world_def
   memory  none         cost    O(1)
   after   own design: similarity by Froude number, lengths as the spacing, times as its root */
#include "sph.h"
#include "../../world/check.h"

#define TPI_PRESET_GRAVITY 9.81f

/* The mass of the heaviest species over that of the lightest; 1 if one is out of range. */
static float preset_ratio(const tp_world_def *def)
{
    float least = def->species[0].mass, most = least;
    for (uint32_t s = 1; s < tpi_min_u32(def->species_count, TP_SPECIES_MAX); s++) {
        least = tpi_min(least, def->species[s].mass);
        most = tpi_max(most, def->species[s].mass);
    }
    return least > 0.0f && most < 1e4f * least ? most / least : 1.0f;
}

/* Allows a frame twice as many sub-steps as timestep_max asks for, times `share`: light particles
   among heavy ones need more. */
static void preset_substeps(tp_world_def *def, float share)
{
    float steps = tpi_frame_seconds(def) / def->sph.timestep_max * share;
    uint32_t most = steps < 101.0f ? ((uint32_t)steps + 1u) * 2u : 101u;
    def->substeps.count_max = tpi_max_u32(def->substeps.count_max, tpi_min_u32(most, 101u));
}

/* The default fluid has a spacing of 0.1 m. */
void tp_sph_double_density(tp_world_def *definition, float spacing)
{
    if (!definition) return;
    const bool is_2d = tpi_def_dimensions(definition) == 2;
    const tp_sph given = tpi_sph_given(!is_2d);
    float scale = spacing / 0.1f, root = tpi_sqrt(scale), area = scale * scale,
          volume = is_2d ? area : area * scale;
    tp_sph *sph = &definition->sph;
    sph->formulation = TP_SPH_DOUBLE_DENSITY;
    sph->smoothing_radius = given.smoothing_radius * scale;
    sph->stiffness = given.stiffness * (volume * volume);
    sph->near_stiffness = given.near_stiffness * (volume * volume);
    sph->surface_tension = given.surface_tension * (volume / scale);
    sph->viscosity_linear = given.viscosity_linear / root;
    sph->viscosity_quadratic = given.viscosity_quadratic / scale;
    sph->timestep_max = given.timestep_max * root;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        definition->species[s].radius = 0.5f * spacing;
        definition->species[s].rest_density =
            (is_2d ? TPI_REST_DENSITY_2D : TPI_REST_DENSITY_3D) / volume;
    }
    preset_substeps(definition, preset_ratio(definition));
}

/* A fluid by an equation of state, with a speed of sound ten times that of a fall from half the
   depth. Viscosity is that of 0.2 /s at a spacing of 0.05 m. */
static void preset_law(tp_world_def *def, tp_sph_formulation formulation, float spacing,
                       float depth)
{
    const bool is_2d = tpi_def_dimensions(def) == 2;
    tp_sph *sph = &def->sph;
    sph->formulation = formulation;
    sph->smoothing_radius = (is_2d ? 2.5f : 2.0f) * spacing;
    sph->sound_speed = 10.0f * tpi_sqrt(TPI_PRESET_GRAVITY * depth);
    sph->surface_tension = 0.0f;
    sph->viscosity_linear = 0.2f * tpi_sqrt(0.05f / spacing);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        def->species[s].radius = 0.45f * spacing;
        def->species[s].rest_density =
            def->species[s].mass / (spacing * spacing * (is_2d ? 1.0f : spacing));
    }
    sph->timestep_max = 1.0f; /* any in range, for the limit */
    sph->timestep_max = 0.99f * tpi_sph_limit(def);
    preset_substeps(def, tpi_sqrt(preset_ratio(def)));
}

void tp_sph_ideal_gas(tp_world_def *definition, float spacing, float depth)
{
    if (definition) preset_law(definition, TP_SPH_IDEAL_GAS, spacing, depth);
}

void tp_sph_weakly_compressible(tp_world_def *definition, float spacing, float depth)
{
    if (definition) preset_law(definition, TP_SPH_WEAKLY_COMPRESSIBLE, spacing, depth);
}

#undef TPI_PRESET_GRAVITY
