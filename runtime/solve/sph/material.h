/* SPDX-License-Identifier: MIT
   runtime/solve/sph/material.h - what species of a fluid share of its viscosity and cohesion, and
           how they stick to walls.
   reads   tp_world_def      writes  constants
   memory  tpi_materials_layout: 0 bytes if all species are alike
   cost    no more visits of pairs; stickiness: one pass over particles
   after   own design: tables by pairs of species, which the pair stages look up as masses. The pull
           of a wall is the gradient of an energy, so that sticking adds none */
#ifndef TPI_MATERIAL_H
#define TPI_MATERIAL_H
#include "../../world/block.h"

typedef struct tpi_sph_materials {
    /* 2 a b / (a + b), where a and b are the mass shares of two species times their shares of the
       viscosity; or the share that tp_sph_mix gives times 2 m m' / (m + m') */
    float viscous[TP_SPECIES_MAX][TP_SPECIES_MAX];
    float shear[TP_SPECIES_MAX][TP_SPECIES_MAX]; /* the same, less what `smoothing` does */
    float cohesion[TP_SPECIES_MAX][TP_SPECIES_MAX];
    float pull[TP_SPECIES_MAX]; /* m/s^2: largest acceleration towards a wall */
    uint32_t sticks;            /* 1: a pull is above 0 */
} tpi_sph_materials;

/* The pull at a distance of q support radii, relative to the largest one. */
TPI_INLINE float tpi_stick_weight(float q)
{
    float part = q * (1.0f - q);
    return 16.0f * part * part;
}

/* ---- definition ---- */
/* Null, or a sentence that names the first wrong field of tp_sph_mix, or one that needs a part that
   this build leaves out. */
TPI_FUNC const char *tpi_materials_check(const tp_world_def *def);
/* s: the limit of a step by stickiness; FLT_MAX without. O(species) */
TPI_FUNC float tpi_stick_timestep_limit(const tp_world_def *def);
/* ---- block ---- */
TPI_FUNC void tpi_materials_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def);
TPI_FUNC void tpi_materials_derive(const tp_world *world, tpi_sph_materials *materials);

#endif
