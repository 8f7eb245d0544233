/* SPDX-License-Identifier: MIT
   runtime/solve/sph/dfsph_solver.c - the incompressible fluid: its definition, constants, arrays.
   reads   tp_world_def      writes  constants, the layout
   memory  none              cost    O(1)
   after   see dfsph.h */
#include "sph.h"
#include "../../world/check.h"

/* ---- definition ---- */

/* Support radii per spacing. Larger ones cost more pairs, and converge more slowly. */
static float dfsph_ratio(const tp_world_def *def)
{
    return tpi_def_dimensions(def) == 2 ? 2.5f : 2.0f;
}

float tpi_dfsph_spacing(const tp_world_def *def)
{
    return def->sph.smoothing_radius / dfsph_ratio(def);
}

float tpi_dfsph_unequal(const tp_world_def *def)
{
    float least = def->species[0].mass, most = least;
    for (uint32_t s = 1; s < def->species_count; s++) {
        least = tpi_min(least, def->species[s].mass);
        most = tpi_max(most, def->species[s].mass);
    }
    return tpi_clamp((2.0f / 3.0f - least / most) * (15.0f / 7.0f), 0.0f, 1.0f);
}

float tpi_dfsph_smoothed(const tp_world_def *def)
{
    const float unequal = tpi_dfsph_unequal(def);
    return (1.0f - unequal) + TPI_DFSPH_MIXED * unequal;
}

float tpi_dfsph_count(const tp_world_def *def)
{
    float spacing = tpi_dfsph_spacing(def);
    return 1.0f / (spacing * spacing * (tpi_def_dimensions(def) == 2 ? 1.0f : spacing));
}

/* In a time of sqrt(spacing / g) a particle falls half a spacing. In a quarter of that, two density
   iterations leave a compression of 3 to 5 %; in a sixteenth, 0.1 %. */
#define TPI_DFSPH_GRAVITY 9.81f
static float dfsph_fall(float spacing) { return tpi_sqrt(spacing / TPI_DFSPH_GRAVITY); }

float tpi_dfsph_timestep_limit(const tp_world_def *def)
{
    return 0.25f * dfsph_fall(tpi_dfsph_spacing(def));
}

void tp_sph_incompressible(tp_world_def *definition, float spacing)
{
    if (!definition) return;
    definition->sph.formulation = TP_SPH_INCOMPRESSIBLE;
    definition->sph.smoothing_radius = spacing * dfsph_ratio(definition);
    definition->sph.timestep_max = 0.0625f * dfsph_fall(spacing);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) definition->species[s].radius = 0.45f * spacing;
}

/* Sums of pairs have terms of 2^24 at most. */
#define TPI_DFSPH_NEIGHBOURS 127u

const char *tpi_dfsph_check(const tp_world_def *def)
{
    if (def->sph.neighbours_max > TPI_DFSPH_NEIGHBOURS)
        return TPI_TEXT("sph.neighbours_max must be at most 127 with TP_SPH_INCOMPRESSIBLE: its "
                        "sums have room for no more");
    float lightest = def->species[0].mass, heaviest = lightest;
    for (uint32_t s = 1; s < def->species_count; s++) {
        lightest = tpi_min(lightest, def->species[s].mass);
        heaviest = tpi_max(heaviest, def->species[s].mass);
    }
    if (heaviest > 10.0001f * lightest)
        return TPI_TEXT("species.mass must be at most 10 times the smallest one with "
                        "TP_SPH_INCOMPRESSIBLE: its pressures converge no faster");
    return NULL;
}

/* ---- block ---- */

void tpi_dfsph_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char kept_names[2][2][20] = {{"pressure", "mean pressure"},
                                              {"next pressure", "next mean pressure"}};
    static const char wall_names[3][16] = {"wall gradient x", "wall gradient y", "wall gradient z"};
    for (uint32_t set = 0; set < 2; set++)
        for (uint32_t k = 0; k < 2; k++)
            arrays->kept[set][k] =
                tpi_layout_take(layout, kept_names[set][k], def->particles_max, 4);
    arrays->own[TPI_DFSPH_DIVERGENCE] =
        tpi_layout_take(layout, "divergence", def->particles_max, 4);
    arrays->own[TPI_DFSPH_CHANGE] =
        tpi_layout_take(layout, "pressure change", def->particles_max, 4);
    for (uint32_t axis = 0; axis < tpi_def_dimensions(def); axis++)
        arrays->own[TPI_DFSPH_WALL + axis] =
            tpi_layout_take(layout, wall_names[axis], def->particles_max, 4);
    arrays->own[TPI_DFSPH_WALL_RATE] = tpi_layout_take(layout, "wall rate", def->particles_max, 4);
}

/* The density of a square lattice; its first row at a wall has 1.03. A cubic lattice has the
   density 1, at walls too: see dfsph.c. */
#define TPI_DFSPH_LATTICE_2D 0.984f

/* An even pressure of the fluid pushes the first row to a wall. In 3D the share alone would hold it
   nearer than its contact, and the rows behind it would stay compressed. In 2D the row would stick
   there, by a force in proportion to the pressure: light particles of it would stay below a heavy
   fluid. From 1.3 on in 2D pressures at walls swing. */
#define TPI_DFSPH_PUSH_3D       1.4f
#define TPI_DFSPH_PUSH_2D_MIXED 1.2f
static float dfsph_wall_push(const tp_world_def *def)
{
    if (tpi_def_dimensions(def) == 3) return TPI_DFSPH_PUSH_3D;
    for (uint32_t s = 1; s < def->species_count; s++)
        if (def->species[s].mass != def->species[0].mass) return TPI_DFSPH_PUSH_2D_MIXED;
    return 1.0f;
}

void tpi_dfsph_derive(const tp_world_def *def, tpi_dfsph_constants *dfsph)
{
    bool is_2d = tpi_def_dimensions(def) == 2;
    float cubes = 0.0f, fourths = 0.0f, inverse = 1.0f / dfsph_ratio(def);
    int32_t deep = is_2d ? 0 : 2;
    for (int32_t z = -deep; z <= deep; z++)
        for (int32_t y = -2; y <= 2; y++)
            for (int32_t x = -2; x <= 2; x++) {
                float share = 1.0f - tpi_sqrt((float)(x * x + y * y + z * z)) * inverse;
                share = tpi_max(share, 0.0f);
                cubes = cubes + share * share * share;
                if (x || y || z) fourths = fourths + share * share * share * share;
            }
    dfsph->spacing = tpi_dfsph_spacing(def);
    dfsph->weight = (is_2d ? TPI_DFSPH_LATTICE_2D : 1.0f) / cubes;
    dfsph->slope = 3.0f * dfsph->weight / def->sph.smoothing_radius;
    dfsph->least = 0.05f * fourths * (dfsph->slope * dfsph->slope);
    dfsph->step =
        tpi_min(tpi_frame_seconds(def) / (float)def->substeps.count, def->sph.timestep_max);
    dfsph->unequal = tpi_dfsph_unequal(def);
    dfsph->push = dfsph_wall_push(def);
}

#undef TPI_DFSPH_GRAVITY
#undef TPI_DFSPH_NEIGHBOURS
#undef TPI_DFSPH_PUSH_3D
#undef TPI_DFSPH_PUSH_2D_MIXED
#undef TPI_DFSPH_LATTICE_2D
