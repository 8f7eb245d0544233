/* SPDX-License-Identifier: MIT
   tests/physics/dfsph_oracle.h - a sub-step of the incompressible fluid in double precision, over
           all pairs.
   reads   a world's particles by id      writes  its own arrays
   memory  200 particles                  cost    O(particles^2) per pass
   after   Bender and Koschier 2015, with the deviations of runtime/solve/sph/dfsph.c; no walls.
           No pair may be clamped or coincident */
#ifndef TIDEPOOL_DFSPH_ORACLE_H
#define TIDEPOOL_DFSPH_ORACLE_H
#include "test.h"
#include "world_help.h"
#include "solve/sph/sph_lanes.h"
#include <math.h>
#include <string.h>

#define ORACLE_MAX 200

typedef struct oracle {
    uint32_t count, dimensions;
    double h, spacing, weight, slope, least, timestep, smoothing, gravity;
    double step; /* s: longest of the definition */
    uint32_t density_iterations, divergence_iterations;
    double x[ORACLE_MAX][3], v[ORACLE_MAX][3];
    double mass[ORACLE_MAX];                       /* in that of the heaviest species */
    double pressure[ORACLE_MAX], mean[ORACLE_MAX]; /* m^2/s^2 */
    double density[ORACLE_MAX], a[ORACLE_MAX], divergence[ORACLE_MAX];
} oracle;

/* Distance, and the unit vector from i to j. */
static inline double oracle_line(const oracle *o, uint32_t i, uint32_t j, double n[3])
{
    double square = 0;
    for (uint32_t c = 0; c < o->dimensions; c++) {
        n[c] = o->x[j][c] - o->x[i][c];
        square += n[c] * n[c];
    }
    double distance = sqrt(square);
    for (uint32_t c = 0; c < o->dimensions; c++) n[c] /= distance;
    return distance;
}

static inline double oracle_share(const oracle *o, double distance)
{
    return distance < o->h ? 1 - distance / o->h : 0;
}

/* Sums of a lattice: constants of the kernel. */
static inline void oracle_constants(oracle *o)
{
    double ratio = o->dimensions == 2 ? 2.5 : 2.0, cubes = 0, fourths = 0;
    int deep = o->dimensions == 2 ? 0 : 3;
    for (int z = -deep; z <= deep; z++)
        for (int y = -3; y <= 3; y++)
            for (int x = -3; x <= 3; x++) {
                double q = sqrt(x * x + y * y + z * z) / ratio, share = q < 1 ? 1 - q : 0;
                cubes += pow(share, 3);
                if (x || y || z) fourths += pow(share, 4);
            }
    o->spacing = o->h / ratio;
    o->weight = (o->dimensions == 2 ? 0.984 : 1) / cubes;
    o->slope = 3 * o->weight / o->h;
    o->least = 0.05 * fourths * o->slope * o->slope;
}

static inline void oracle_densities(oracle *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        double sum = 1, gradient[3] = {0}, square = 0, n[3];
        for (uint32_t j = 0; j < o->count; j++) {
            if (j == i) continue;
            double share = oracle_share(o, oracle_line(o, i, j, n)),
                   size = o->slope * share * share;
            sum += pow(share, 3);
            square += size * size / fmin(o->mass[i], o->mass[j]);
            for (uint32_t c = 0; c < o->dimensions; c++) gradient[c] += size * n[c];
        }
        for (uint32_t c = 0; c < o->dimensions; c++)
            square += gradient[c] * gradient[c] / o->mass[i];
        o->density[i] = o->weight * sum;
        o->a[i] = fmax(square, o->least / o->mass[i]) * pow(fmax(o->density[i], 1), 2);
    }
}

static inline void oracle_diverge(oracle *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        o->divergence[i] = 0;
        for (uint32_t j = 0; j < o->count; j++) {
            double n[3], along = 0;
            if (j == i) continue;
            double share = oracle_share(o, oracle_line(o, i, j, n));
            for (uint32_t c = 0; c < o->dimensions; c++) along += (o->v[i][c] - o->v[j][c]) * n[c];
            o->divergence[i] += along * o->slope * share * share;
        }
    }
}

/* Changes velocities by changes of pressures, and by viscosity. */
static inline void oracle_push(oracle *o, const double *change, double smoothing)
{
    double kick[ORACLE_MAX][3];
    memset(kick, 0, sizeof kick);
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t j = 0; j < o->count; j++) {
            double n[3], along = 0;
            if (j == i) continue;
            double share = oracle_share(o, oracle_line(o, i, j, n));
            for (uint32_t c = 0; c < o->dimensions; c++) along += (o->v[i][c] - o->v[j][c]) * n[c];
            double size = (change[i] + change[j]) * o->slope * share * share +
                          smoothing * 2 * o->dimensions * o->weight * pow(share, 3) * along /
                              (o->density[i] / o->mass[i] + o->density[j] / o->mass[j]);
            for (uint32_t c = 0; c < o->dimensions; c++) kick[i][c] -= size * n[c] / o->mass[i];
        }
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t c = 0; c < o->dimensions; c++) o->v[i][c] += kick[i][c];
}

static inline void oracle_relax(oracle *o)
{
    double change[ORACLE_MAX];
    oracle_diverge(o);
    for (uint32_t i = 0; i < o->count; i++) {
        double gap = fmin(o->density[i] - 1, 0) / o->timestep;
        change[i] = 0.5 * fmax(o->divergence[i] + gap, 0) / o->a[i];
    }
    oracle_push(o, change, 0);
}

static inline bool oracle_is_mixed(const oracle *o)
{
    bool is_mixed = false;
    for (uint32_t i = 0; i < o->count; i++) is_mixed = is_mixed || o->mass[i] != 1;
    return is_mixed;
}

static inline void oracle_iterate(oracle *o, uint32_t k, double *impulse, double *change)
{
    double momentum = k > 1 ? (2.0 * k - 3) / (2.0 * k + 1) : 0;
    double gain = (8.0 * k - 4) / ((2.0 * k + 1) * 2.8);
    double most = o->timestep * sqrt((o->gravity > 0 ? o->gravity : 9.81) / o->spacing),
           share = oracle_is_mixed(o) ? 1 : fmin(o->timestep / o->step, 1);
    if (oracle_is_mixed(o)) most *= 4;
    oracle_diverge(o);
    for (uint32_t i = 0; i < o->count; i++) {
        double error = fmin(o->density[i] - 1, (o->density[i] - 1) * share);
        error = fmin(error, most * o->density[i]) / o->timestep;
        double wanted =
            impulse[i] + momentum * change[i] + gain * (o->divergence[i] + error) / o->a[i];
        change[i] = fmax(wanted, 0) - impulse[i];
        impulse[i] += change[i];
    }
    oracle_push(o, change, 0);
}

/* 0 below one layer of the heaviest fluid, 1 below three. */
static inline double oracle_load(double layers) { return fmin(fmax((layers - 1) / 2, 0), 1); }

static inline void oracle_step(oracle *o)
{
    double impulse[ORACLE_MAX], change[ORACLE_MAX];
    oracle_densities(o);
    for (uint32_t k = 0; k < o->divergence_iterations; k++) oracle_relax(o);
    for (uint32_t i = 0; i < o->count; i++) {
        o->v[i][1] -= o->gravity * o->timestep;
        double gravity = o->gravity > 0 ? o->gravity : 9.81,
               layers = o->mean[i] / (gravity * o->spacing), deep = fmax(layers, 1),
               rate = fmin(oracle_is_mixed(o) ? 0.03 : 0.1, 2 / (deep * deep)),
               start = oracle_is_mixed(o) ? 0.5 : 0.4;
        o->mean[i] += rate * (o->pressure[i] - o->mean[i]);
        layers = o->mean[i] / (gravity * o->spacing);
        if (oracle_is_mixed(o))
            start += 0.4 * oracle_load(layers) * (1 - o->mass[i]) *
                     fmin(fmax(100 * (o->density[i] - 1), 0), 1);
        impulse[i] = (o->mean[i] + start * (o->pressure[i] - o->mean[i])) * o->timestep;
        change[i] = 0;
    }
    oracle_push(o, impulse, o->smoothing);
    for (uint32_t k = 1; k <= o->density_iterations; k++) oracle_iterate(o, k, impulse, change);
    for (uint32_t i = 0; i < o->count; i++) {
        o->pressure[i] = impulse[i] / o->timestep;
        for (uint32_t c = 0; c < o->dimensions; c++) o->x[i][c] += o->v[i][c] * o->timestep;
    }
}

/* Copies the particles of a world, in the order of their ids. */
static inline void oracle_read(oracle *o, const tp_world *world)
{
    tp_view view = tp_world_view(world);
    const tp_world_def *def = tp_world_definition(world);
    o->count = view.count;
    o->dimensions = def->dimensions;
    o->h = (double)def->sph.smoothing_radius;
    o->smoothing = (double)def->sph.smoothing;
    o->density_iterations = def->sph.density_iterations;
    o->divergence_iterations = def->sph.divergence_iterations;
    o->step = fmin((double)def->frames_per_second_denominator / def->frames_per_second_numerator /
                       def->substeps.count,
                   (double)def->sph.timestep_max);
    oracle_constants(o);
    for (uint32_t k = 1; k < def->species_count; k++)
        if (def->species[k].mass != def->species[0].mass)
            o->smoothing = 0.1 * (double)def->sph.smoothing;
    for (uint32_t i = 0; i < view.count; i++) {
        const float *x[3] = {view.x, view.y, view.z}, *v[3] = {view.vx, view.vy, view.vz};
        for (uint32_t c = 0; c < o->dimensions; c++) {
            o->x[view.id[i]][c] = (double)x[c][i];
            o->v[view.id[i]][c] = (double)v[c][i];
        }
        o->mass[view.id[i]] = (double)tpi_sph_of(world)->mass_share[TP_META_SPECIES(view.meta[i])];
        o->pressure[view.id[i]] = (double)tpi_front_kept(world, TPI_DFSPH_PRESSURE)[i];
        o->mean[view.id[i]] = (double)tpi_front_kept(world, TPI_DFSPH_MEAN)[i];
    }
}

#endif
