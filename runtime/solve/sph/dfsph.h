/* SPDX-License-Identifier: MIT
   runtime/solve/sph/dfsph.h - the incompressible fluid: divergence-free SPH with a fixed number of
           iterations.
   reads   back positions and velocities, kept pressures
   writes  velocities, kept pressures
   memory  words of the block by role, see tpi_dfsph_sums: 36 bytes per particle in 2D, 40 in 3D
   cost    pairs are visited 1 + 2 divergence iterations + 1 + 2 density iterations times
   after   Bender and Koschier 2015 (divergence-free SPH). Deviations: the number of iterations is
           fixed; Chebyshev iteration of the fourth kind; the warm start has two parts; sums of
           pairs are integers */
#ifndef TPI_DFSPH_H
#define TPI_DFSPH_H
#include "../../world/block.h"

/* Densities are relative to that at rest. The kernel is W = (1 - q)^3. For a pair at distance r in
   direction n from i to j, J = slope (1 - q)^2 n is the gradient of the density of i by the
   position of i. */
typedef struct tpi_dfsph_constants {
    float spacing; /* m: between particles at rest */
    float weight;  /* density that a particle adds at its own position */
    float slope;   /* 1/m */
    float least;   /* 1/m^2: least A, see dfsph.c */
    float step;    /* s: longest step of the definition */
    float unequal; /* see tpi_dfsph_unequal */
    float push;    /* of walls, over that of their share alone */
} tpi_dfsph_constants;

/* Species of unequal densities have this part of the smoothing, see tpi_dfsph_unequal: all of it
   would hold a light film below a heavy fluid. */
#define TPI_DFSPH_MIXED 0.1f

/* Numbers that are kept from step to step, per particle: pressure over density, and its mean over
   some hundred steps. m^2/s^2 */
enum { TPI_DFSPH_PRESSURE = 0, TPI_DFSPH_MEAN = 1 };

/* ---- definition ---- */
/* The checks of a definition of this formulation; a fault or null. */
TPI_FUNC const char *tpi_dfsph_check(const tp_world_def *def);
/* m: between particles at rest */
TPI_FUNC float tpi_dfsph_spacing(const tp_world_def *def);
/* s */
TPI_FUNC float tpi_dfsph_timestep_limit(const tp_world_def *def);
/* How unequal the masses of species are: 0 up to a ratio of 1.5, 1 from 5 on. Constants go from
   those of equal to those of unequal masses by it: a fluid a little heavier than another one
   behaves as one as heavy. */
TPI_FUNC float tpi_dfsph_unequal(const tp_world_def *def);
/* The part of the smoothing that a definition has. */
TPI_FUNC float tpi_dfsph_smoothed(const tp_world_def *def);
/* Particles per m^2 or m^3 at rest. */
TPI_FUNC float tpi_dfsph_count(const tp_world_def *def);
/* ---- block ---- */
TPI_FUNC void tpi_dfsph_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def);
TPI_FUNC void tpi_dfsph_derive(const tp_world_def *def, tpi_dfsph_constants *dfsph);

#endif
