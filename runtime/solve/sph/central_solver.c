/* SPDX-License-Identifier: MIT
   runtime/solve/sph/central_solver.c - surface tension and viscosity: constants and arrays.
   reads   tp_world_def      writes  constants, the layout
   memory  none              cost    O(1)
   after   see central.h. Both are calibrated by sums over a square or cubic lattice */
#include "sph.h"
#include "../../world/load.h"

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

tpi_central_lattice tpi_central_lattice_of(bool is_2d, float spacing)
{
    tpi_lattice_walk walk = tpi_lattice_begin(is_2d, spacing);
    tpi_central_lattice lattice = {0.0f, 0.0f, 0.0f};
    for (float q; tpi_lattice_next(&walk, &q);) {
        float share = tpi_max(1.0f - q, 0.0f), part = q * share;
        lattice.sum = lattice.sum + share * share * share;
        lattice.whole = lattice.whole + part * part;
        if (q > 0.0f && q < 1.0f) lattice.work = lattice.work + q * central_work(q);
    }
    return lattice;
}

tpi_central_shear tpi_central_shear_of(bool is_2d, float spacing)
{
    const int32_t most = (int32_t)(1.0f / tpi_max(spacing, 1.0f / (float)TPI_LATTICE_DEPTH)),
                  deep = is_2d ? 0 : most;
    tpi_central_shear shear = {0.0f, 0.0f};
    for (int32_t z = -deep; z <= deep; z++)
        for (int32_t y = 1; y <= most; y++)
            for (int32_t x = -2 * most - 1; x <= 2 * most + 1; x++) {
                float xx = 0.25f * (float)(x * x), yy = (float)(y * y),
                      rr = xx + yy + (float)(z * z);
                if (rr * (spacing * spacing) > 1.001f) continue;
                float q = tpi_sqrt(rr) * spacing;
                float share = tpi_max(1.0f - q, 0.0f), part = q * share;
                float moment = xx * yy / rr * (spacing * spacing);
                shear.weight = shear.weight + part * part * moment;
                shear.cube = shear.cube + share * share * share * moment;
            }
    return shear;
}

/* ---- definition ---- */

/* Of the shortest capillary waves, which are about as long as a support radius; in 3D sqrt(0.6) of
   it. Drops without rows lose particles from 1.2 times this on, and fly apart at 1.3 times. */
float tpi_cohesion_timestep_limit(const tp_world_def *def, float count)
{
    float h = def->sph.smoothing_radius, mass = def->species[0].mass;
    for (uint32_t s = 1; s < def->species_count; s++) mass = tpi_min(mass, def->species[s].mass);
    const float waves = mass * count * (h * h * h) / (6.2831853f * def->sph.cohesion);
    return (tpi_def_dimensions(def) == 2 ? 0.24f : 0.186f) * tpi_sqrt(waves);
}

/* ---- walls ---- */

/* At a distance of k / 32 support radii from a plane. First, in nu / (h d), the rate at which a
   wall without slip slows a particle down at the distance d. It is that of pairs with fluid beyond
   the plane, whose velocity is continued linearly through 0 at the plane: at y along the normal
   the difference from the particle's v is v y / d. So the rate is the integral of
   c(r) (x / r)^2 y / d, with x along the plane. Second, the share of the viscous weight beyond the
   plane. */
static const float viscosity_rows_2d[2][TPI_SPH_WALL_ROWS + 1u] = {
    {2.7162444f, 2.7023522f, 2.6610769f, 2.5935917f, 2.5017654f, 2.3880622f, 2.2554280f,
     2.1071690f, 1.9468295f, 1.7780715f, 1.6045601f, 1.4298566f, 1.2573223f, 1.0900330f,
     0.9307085f, 0.7816545f, 0.6447210f, 0.5212748f, 0.4121892f, 0.3178481f, 0.2381660f,
     0.1726233f, 0.1203148f, 0.0800116f, 0.0502342f, 0.0293354f, 0.0155899f, 0.0072882f,
     0.0028316f, 0.0008217f, 0.0001402f, 0.0000065f, 0.0000000f},
    {0.5000000f, 0.4800736f, 0.4599606f, 0.4394982f, 0.4185592f, 0.3970592f, 0.3749590f,
     0.3522653f, 0.3290289f, 0.3053424f, 0.2813352f, 0.2571694f, 0.2330332f, 0.2091351f,
     0.1856969f, 0.1629466f, 0.1411110f, 0.1204091f, 0.1010439f, 0.0831966f, 0.0670190f,
     0.0526280f, 0.0400999f, 0.0294659f, 0.0207085f, 0.0137587f, 0.0084960f, 0.0047489f,
     0.0022987f, 0.0008868f, 0.0002263f, 0.0000211f, 0.0000000f}};
static const float viscosity_rows_3d[2][TPI_SPH_WALL_ROWS + 1u] = {
    {2.8125000f, 2.7971566f, 2.7515729f, 2.6770649f, 2.5757520f, 2.4504586f, 2.3045898f,
     2.1419916f, 1.9668016f, 1.7832971f, 1.5957459f, 1.4082666f, 1.2247008f, 1.0485024f,
     0.8826458f, 0.7295564f, 0.5910645f, 0.4683824f, 0.3621073f, 0.2722458f, 0.1982624f,
     0.1391472f, 0.0935012f, 0.0596355f, 0.0356798f, 0.0196963f, 0.0097914f, 0.0042212f,
     0.0014816f, 0.0003760f, 0.0000529f, 0.0000018f, 0.0000000f},
    {0.5000000f, 0.4726563f, 0.4453148f, 0.4179855f, 0.3906924f, 0.3634776f, 0.3364039f,
     0.3095550f, 0.2830353f, 0.2569674f, 0.2314898f, 0.2067523f, 0.1829118f, 0.1601271f,
     0.1385535f, 0.1183371f, 0.0996094f, 0.0824817f, 0.0670407f, 0.0533434f, 0.0414144f,
     0.0312424f, 0.0227796f, 0.0159407f, 0.0106049f, 0.0066185f, 0.0038003f, 0.0019478f,
     0.0008472f, 0.0002844f, 0.0000596f, 0.0000039f, 0.0000000f}};

const float *tpi_viscosity_wall_rows(uint32_t dimensions, uint32_t column)
{
    return dimensions == 2 ? viscosity_rows_2d[column] : viscosity_rows_3d[column];
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
    if (tpi_def_has_loads(def) && tpi_has_viscosity(def)) rows = TPI_CENTRAL_LOAD_ARRAYS;
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

float tpi_viscosity_left(const tp_world *world)
{
    const float given = world->def.sph.viscosity * world->step.timestep,
                smoothed = tpi_central_of(world)->smoothed;
    return smoothed < given ? 1.0f - smoothed / given : 0.0f;
}

/* Tension: to part a lattice along a plane takes 2 sigma = count / 2 sum |d_y| work, where |d_y| is
   on average 2 / pi (3D: 1 / 2) of a distance. The rows of a surface are denser than a lattice, and
   the area term adds to the tension. With TPI_COHESION_2D and 3D flat sheets at rest have
   the tension of the definition, by the stress of the forces between pairs; drops have the pressure
   of Laplace.
   Area: TPI_COHESION_AREA is the ratio of both forces. Smaller ones let the surface become a dense
   skin that freezes; with larger ones drops boil.
   Viscosity: rates c of pairs act on a shear along rows as nu if sum c r^2 nx^2 ny^2 = 2 nu. Those
   of a particle add up to little more than at rest, to less than twice that for a light one among
   heavy ones, 2 m' / (m + m'), and no mode is faster than twice that. */
#define TPI_COHESION_2D   0.171f
#define TPI_COHESION_3D   0.177f
#define TPI_COHESION_AREA 0.1f
void tpi_central_derive(tp_world *world, const tpi_lattice_sums *sums)
{
    const tp_world_def *def = &world->def;
    tpi_central_constants *k = tpi_central_of(world);
    const bool is_2d = tpi_dimensions(world) == 2;
    const float h = def->sph.smoothing_radius;
    const tpi_central_lattice lattice = sums->central;
    const tpi_central_shear shear = sums->shear;
    float least = def->species[0].mass, most = least;
    tpi_memset(k, 0, sizeof *k);
    for (uint32_t s = 1; s < def->species_count; s++) {
        least = tpi_min(least, def->species[s].mass);
        most = tpi_max(most, def->species[s].mass);
    }
    k->stride = central_stride(def);
    k->spacing = sums->spacing;
    k->weight = 1.0f / lattice.sum;
    if (lattice.work > 0.0f)
        k->cohesion = 4.0f * def->sph.cohesion * (is_2d ? TPI_COHESION_2D : TPI_COHESION_3D) /
                      (sums->count * h * h * (is_2d ? 0.63661977f : 0.5f) * lattice.work * most);
    k->area = k->cohesion * TPI_COHESION_AREA;
    if (shear.weight > 0.0f) k->viscosity = 2.0f * def->sph.viscosity / (h * h * shear.weight);
    if (tpi_sph_is_incompressible(def))
        k->smoothed = 0.5f * def->sph.smoothing * (is_2d ? 2.0f : 3.0f) * k->weight * (h * h) *
                      shear.cube * tpi_dfsph_smoothed(def);
    k->whole = lattice.whole;
    k->bound =
        2.0f / TPI_CENTRAL_EVEN * k->viscosity * lattice.whole * (2.0f * most / (most + least));
}
#undef TPI_COHESION_2D
#undef TPI_COHESION_3D
#undef TPI_COHESION_AREA
