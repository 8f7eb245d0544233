/* SPDX-License-Identifier: MIT
   tests/physics/dfsph_worlds.h - worlds of incompressible fluid, and measures of them.
   reads   worlds      writes  worlds, results
   memory  that of the worlds      cost    O(particles)
   after   own design */
#ifndef TIDEPOOL_DFSPH_WORLDS_H
#define TIDEPOOL_DFSPH_WORLDS_H
#include "test.h"
#include "world_help.h"
#include "solve/solve.h"
#include "solve/sph/sph_lanes.h"
#include "step/step.h"
#include <math.h>

#define FLUID_SPACING 0.05f

/* ---- worlds ---- */

static inline tp_world_def fluid_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = particles;
    def.slice_units = 65536;
    def.substeps.count = 4;
    def.sph.neighbours_max = 64;
    tp_sph_incompressible(&def, FLUID_SPACING);
    return def;
}

/* A block of particles from the corner on, each displaced at random by up to `jitter` spacings. */
/* Species take turns if there are several. */
static inline void fluid_block(tp_world *world, const uint32_t size[3], tp_vector corner,
                               float jitter, float speed)
{
    uint32_t state = 77;
    for (uint32_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        const uint32_t at[3] = {i % size[0], i / (size[0] * size[2]), i / size[0] % size[2]};
        float x[3], v[3];
        for (uint32_t c = 0; c < 3; c++) {
            x[c] = ((float)at[c] + 0.5f + jitter * (test_random(&state) - 0.5f)) * FLUID_SPACING;
            v[c] = speed * (2.0f * test_random(&state) - 1.0f);
        }
        tp_vector point = {corner.x + x[0], corner.y + x[1], size[2] > 1 ? corner.z + x[2] : 0.0f};
        uint32_t species = i * 7u / 3u % world->def.species_count;
        CHECK(tp_particle_add(world, point, (tp_vector){v[0], v[1], v[2]}, species, NULL) == TP_OK);
    }
}

/* ---- measures ---- */

/* What a pool did. Compressions in percent. */
typedef struct pool_outcome {
    double energy, mean, worst_frame, worst_particle, height;
} pool_outcome;

/* The compression of a complete step, which is that at the begin of the next one. */
static inline void pool_measure(tp_world *world, pool_outcome *outcome)
{
    const float *density;
    double sum = 0;
    tpi_step_begin(world, tpi_substep_ticks(world));
    CHECK(test_world_run_to(world, TP_STAGE_FORCE, 65536));
    density = tpi_sph_pressure_of(world);
    for (uint32_t i = 0; i < world->step.count; i++) {
        double compression = fmax((double)density[i] - 1, 0) * 100;
        sum += compression / world->step.count;
        outcome->worst_particle = fmax(outcome->worst_particle, compression);
    }
    outcome->mean = sum;
    outcome->worst_frame = fmax(outcome->worst_frame, sum);
}

static inline void pool_sums(const tp_world *world, pool_outcome *outcome)
{
    tp_view view = tp_world_view(world);
    outcome->energy = outcome->height = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double vx = (double)view.vx[i], vy = (double)view.vy[i],
               vz = view.vz ? (double)view.vz[i] : 0;
        outcome->energy += 0.5 * (vx * vx + vy * vy + vz * vz) / view.count;
        outcome->height += (double)view.y[i] / view.count;
    }
}

#endif
