/* SPDX-License-Identifier: MIT
   runtime/solve/sph/central_solver.c - surface tension and viscosity: constants and arrays.
   reads   tp_world_def      writes  constants, the layout
   memory  none              cost    O(1)
   after   see central.h. Both are calibrated by sums over a square or cubic lattice */
#include "sph.h"
#include "lattice.h"

/* ---- calibration ---- */

/* The integral of the spline of cohesion from q to 1: the work that parts a pair, in units of the
   support radius. */
static float central_work(float q)
{
    float third = q * q * q;
    float part = third * q * (0.25f + q * (-0.6f + q * (0.5f - q * (1.0f / 7.0f))));
    if (q < 0.5f) return (3.0f / 280.0f - 1.0f / 128.0f) - 2.0f * part + q * (1.0f / 64.0f);
    return 1.0f / 140.0f - part;
}

/* Sums over a lattice whose spacing is this share of the support radius: of (1 - q)^3 with the
   point itself, of q^2 (1 - q)^3, and of q times the work of a pair. */
typedef struct central_lattice {
    float sum, squares, work;
} central_lattice;
static central_lattice central_lattice_of(bool is_2d, float spacing)
{
    tpi_lattice_walk walk = tpi_lattice_begin(is_2d, spacing);
    central_lattice lattice = {0.0f, 0.0f, 0.0f};
    for (float q; tpi_lattice_next(&walk, &q);) {
        float share = tpi_max(1.0f - q, 0.0f), cube = share * share * share;
        lattice.sum = lattice.sum + cube;
        lattice.squares = lattice.squares + cube * (q * q);
        if (q > 0.0f && q < 1.0f) lattice.work = lattice.work + q * central_work(q);
    }
    return lattice;
}

/* ---- definition ---- */

/* Of the shortest capillary waves, which are about as long as a support radius. */
float tpi_cohesion_timestep_limit(const tp_world_def *def, float count)
{
    float h = def->sph.smoothing_radius, mass = def->species[0].mass;
    for (uint32_t s = 1; s < def->species_count; s++) mass = tpi_min(mass, def->species[s].mass);
    return 0.4f * tpi_sqrt(mass * count * (h * h * h) / (6.2831853f * def->sph.cohesion));
}

/* ---- block ---- */

static uint32_t central_stride(const tp_world_def *def)
{
    return (def->particles_max + 2u * TPI_LANES_MAX) & ~(TPI_LANES_MAX - 1u);
}

void tpi_central_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    uint32_t rows = tpi_has_viscosity(def) ? TPI_CENTRAL_ARRAYS : tpi_def_dimensions(def);
    if (!tpi_has_cohesion(def) && !tpi_has_viscosity(def)) return;
    arrays->own[TPI_SPH_CENTRAL] = tpi_layout_take(
        layout, "viscosity", (uint64_t)rows * central_stride(def) + 8u, sizeof(float));
}

tpi_central_constants *tpi_central_of(const tp_world *world)
{
    return (tpi_central_constants *)tpi_at(world, world->arrays.own[TPI_SPH_CENTRAL]);
}

float *tpi_central_array(const tp_world *world, uint32_t number)
{
    tpi_central_constants *k = tpi_central_of(world);
    return (float *)(void *)(k + 1) + (size_t)number * k->stride;
}

/* Tension: to part a lattice along a plane takes 2 sigma = count / 2 sum |d_y| work, where |d_y| is
   on average 2 / pi (3D: 1 / 2) of a distance. The rows of a surface are denser than a lattice, and
   the area term adds to the tension: the periods of drops of the incompressible fluid give the
   factors TPI_COHESION_2D and 3D.
   Area: TPI_COHESION_AREA is the ratio of both forces. Smaller ones let the surface become a dense
   skin that freezes; with larger ones drops boil.
   Viscosity: rates c of pairs act as nu if sum c r^2 = 2 D (D + 2) nu. Rates are divided by the
   larger density of a pair, so those of a particle add up to at most viscosity / weight, and no
   mode is faster than twice that. */
#define TPI_COHESION_2D   (1.0f / 7.0f)
#define TPI_COHESION_3D   (1.0f / 15.0f)
#define TPI_COHESION_AREA 0.1f
void tpi_central_derive(tp_world *world, float count)
{
    const tp_world_def *def = &world->def;
    tpi_central_constants *k = tpi_central_of(world);
    const bool is_2d = tpi_dimensions(world) == 2;
    const float h = def->sph.smoothing_radius, d = is_2d ? 2.0f : 3.0f;
    float spacing = tpi_sph_lattice_spacing(is_2d, count), least = def->species[0].mass,
          most = least;
    central_lattice lattice = central_lattice_of(is_2d, spacing / h);
    tpi_memset(k, 0, sizeof *k);
    for (uint32_t s = 1; s < def->species_count; s++) {
        least = tpi_min(least, def->species[s].mass);
        most = tpi_max(most, def->species[s].mass);
    }
    k->stride = central_stride(def);
    k->spacing = spacing;
    k->weight = 1.0f / lattice.sum;
    if (lattice.work > 0.0f)
        k->cohesion = 4.0f * def->sph.cohesion * (is_2d ? TPI_COHESION_2D : TPI_COHESION_3D) /
                      (count * h * h * (is_2d ? 0.63661977f : 0.5f) * lattice.work * most);
    k->area = k->cohesion * TPI_COHESION_AREA;
    if (lattice.squares > 0.0f)
        k->viscosity = 2.0f * d * (d + 2.0f) * def->sph.viscosity / (h * h * lattice.squares);
    k->bound = 2.0f * k->viscosity * lattice.sum * (most / least);
}
#undef TPI_COHESION_2D
#undef TPI_COHESION_3D
#undef TPI_COHESION_AREA
