/* SPDX-License-Identifier: MIT
   tests/physics/theory.h - functions of exact solutions, and the fluids that are compared with
           them.
   reads   arguments      writes  nothing
   memory  none           cost    none of note
   after   Lamb 1932 */
#ifndef TIDEPOOL_TEST_THEORY_H
#define TIDEPOOL_TEST_THEORY_H
#include "tidepool.h"
#include <math.h>
#include <stdint.h>

/* Bessel function of the first kind, of order 1. */
static inline double bessel(double x)
{
    double term = x / 2, sum = term;
    for (uint32_t k = 1; k < 40; k++) {
        term *= -x * x / 4 / (k * (k + 1.0));
        sum += term;
    }
    return sum;
}

/* An incompressible fluid of 1000 kg/m^3 (2D: kg/m^2), species 0. */
static inline tp_world_def theory_fluid(uint32_t dimensions, double spacing)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 1600;
    def.slice_units = 65536;
    def.substeps.count = 4;
    def.sph.neighbours_max = dimensions == 2 ? 64 : 100;
    def.species[0].mass = (float)(1000 * pow(spacing, dimensions));
    def.species[0].rest_density = 1000;
    tp_sph_incompressible(&def, (float)spacing);
    return def;
}

/* Makes it one of another formulation. */
static inline void theory_law(tp_world_def *def, tp_sph_formulation formulation, double spacing)
{
    def->sph.formulation = formulation;
    def->substeps.count = 8;
    def->sph.smoothing_radius = (float)((def->dimensions == 2 ? 3 : 2) * spacing);
    def->sph.timestep_max = 1.0f / 480;
    def->sph.sound_speed = 10;
    def->sph.surface_tension = 0;
}

#endif
