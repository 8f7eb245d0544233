/* SPDX-License-Identifier: MIT
   runtime/solve/sph/central.h - surface tension and viscosity of every formulation: forces of pairs
           along their line of centres.
   reads   tp_world_def      writes  constants, arrays of the block
   memory  tpi_central_layout: 0 bytes without either
   cost    cohesion: one visit per pair; viscosity: one per pair, and one per pair and stage
   after   cohesion: Akinci, Akinci and Teschner 2013. Viscosity: the radial term of Monaghan 2005.
           Deviations: of the area term the part along the line of centres, weighted by 1 - q; a
           weight for viscosity under which square and cubic lattices are nearly isotropic */
#ifndef TPI_CENTRAL_H
#define TPI_CENTRAL_H
#include "../../world/block.h"
#include "lattice.h"

/* A pair's density is at least this share of the larger one of both. */
#define TPI_CENTRAL_EVEN 0.95f

typedef struct tpi_central_constants {
    float cohesion;  /* m/s^2: acceleration of a particle by a pair, per unit of the spline */
    float area;      /* likewise, per unit of the difference of two normals */
    float viscosity; /* 1/s: rate of a pair at rest, per unit of the viscous weight */
    float bound;     /* 1/s: no viscous mode is faster, but for walls */
    float weight;    /* density that a particle adds at its own position, that at rest is 1 */
    float spacing;   /* m: between particles at rest */
    float smoothed;  /* m^2: viscosity of `smoothing` times the time step */
    float whole;     /* sum of the viscous weight over the neighbours at rest */
    uint32_t stride; /* floats between two arrays behind the constants */
} tpi_central_constants;

/* The arrays behind the constants, one float or integer per particle each. */
enum {
    TPI_CENTRAL_CHANGE = 0,  /* m/s, D axes: change of the velocity; first the velocity */
    TPI_CENTRAL_REST = 3,    /* m/s, D axes: residual */
    TPI_CENTRAL_SUM = 6,     /* i32, D axes: sums of pairs */
    TPI_CENTRAL_DENSITY = 9, /* sum of the viscous weight, relative to that at rest */
    TPI_CENTRAL_WALL = 10,   /* 1/s: rate at which walls slow the particle down */
    TPI_CENTRAL_ARRAYS = 11,
    /* with loads, m/s, D axes: the parts of residuals and changes that walls made */
    TPI_CENTRAL_WALL_REST = 11,
    TPI_CENTRAL_WALL_CHANGE = 14,
    TPI_CENTRAL_LOAD_ARRAYS = 17,
    /* cohesion, before viscosity, D axes: the gradient of the relative density times the support
       radius. Float for the incompressible fluid, else i32 sums of pairs of the opposite sign */
    TPI_CENTRAL_NORMAL = 0
};

TPI_INLINE bool tpi_has_cohesion(const tp_world_def *def)
{
    return TPI_HAS_TENSION && def->sph.cohesion > 0.0f;
}
TPI_INLINE bool tpi_has_viscosity(const tp_world_def *def)
{
    return TPI_HAS_TENSION && def->sph.viscosity > 0.0f;
}

/* ---- definition ---- */
/* The capillary limit of a step, s; the count is that of particles per m^2 or m^3 at rest. */
TPI_FUNC float tpi_cohesion_timestep_limit(const tp_world_def *def, float count);
/* ---- block ---- */
TPI_FUNC void tpi_central_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def);
TPI_FUNC void tpi_central_derive(tp_world *world, const tpi_lattice_sums *sums);
TPI_FUNC tpi_central_constants *tpi_central_of(const tp_world *world);
TPI_FUNC float *tpi_central_array(const tp_world *world, uint32_t number);
/* The share of `viscosity` that pairs still have beside `smoothing`. */
TPI_FUNC float tpi_viscosity_left(const tp_world *world);
/* Viscosity at a plane, by the distance, see central_solver.c: column 0 is the rate, 1 the share of
   the weight. */
TPI_FUNC const float *tpi_viscosity_wall_rows(uint32_t dimensions, uint32_t column);

#endif
