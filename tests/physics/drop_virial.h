/* SPDX-License-Identifier: MIT
   tests/physics/drop_virial.h - the pressure of the forces between pairs in a drop of the
           incompressible fluid, in numbers of double precision over all pairs.
   reads   positions, pressures, constants of the solver      writes  its results
   memory  the caller's      cost    O(n^2)
   after   virial theorem (Clausius 1870); forces: Bender and Koschier 2015, Akinci et al. 2013 */
#ifndef TIDEPOOL_DROP_VIRIAL_H
#define TIDEPOOL_DROP_VIRIAL_H
#include <math.h>
#include <string.h>

/* Includers have the runtime's private names: of its headers, or of the whole implementation. */

typedef struct drop_pair {
    double n[3], length, share; /* from i to j; 1 - length / h */
} drop_pair;

static inline drop_pair drop_pair_of(const tp_world *world, const tp_view *v, uint32_t i,
                                     uint32_t j)
{
    drop_pair p = {.n = {(double)v->x[j] - (double)v->x[i], (double)v->y[j] - (double)v->y[i],
                         v->z ? (double)v->z[j] - (double)v->z[i] : 0}};
    p.length = sqrt(p.n[0] * p.n[0] + p.n[1] * p.n[1] + p.n[2] * p.n[2]);
    for (uint32_t axis = 0; axis < 3 && i != j; axis++) p.n[axis] /= p.length;
    p.share = fmax(0, 1 - p.length / (double)tp_world_definition(world)->sph.smoothing_radius);
    return p;
}

/* Gradients of the relative density, times the support radius. */
static inline void drop_normals(const tp_world *world, const tp_view *v, double (*normals)[3])
{
    const double slope = (double)tpi_sph_of(world)->dfsph.slope *
                         (double)tp_world_definition(world)->sph.smoothing_radius;
    memset(normals, 0, v->count * sizeof *normals);
    for (uint32_t i = 0; i < v->count; i++)
        for (uint32_t j = 0; j < v->count; j++) {
            drop_pair p = drop_pair_of(world, v, i, j);
            for (uint32_t axis = 0; axis < 3 && i != j; axis++)
                normals[i][axis] += slope * p.share * p.share * p.n[axis];
        }
}

/* m^2/s^2: sum of acceleration times distance over the pairs of i, pressure and cohesion. */
static inline double drop_virial(const tp_world *world, const tp_view *v, uint32_t i,
                                 double (*normals)[3])
{
    const tpi_central_constants *c = tpi_central_of(world);
    const float *pressure = tpi_front_kept(world, TPI_DFSPH_PRESSURE);
    double sum = 0;
    for (uint32_t j = 0; j < v->count; j++) {
        drop_pair p = drop_pair_of(world, v, i, j);
        if (i == j || p.share <= 0) continue;
        double cube = pow((1 - p.share) * p.share, 3), along = 0;
        double spline = cube + (p.share > 0.5 ? cube - 1.0 / 64 : 0);
        for (uint32_t axis = 0; axis < 3; axis++)
            along += (normals[i][axis] - normals[j][axis]) * p.n[axis];
        sum += p.length * (((double)pressure[i] + (double)pressure[j]) *
                               (double)tpi_sph_of(world)->dfsph.slope * p.share * p.share +
                           along * p.share * (double)c->area - spline * (double)c->cohesion);
    }
    return sum;
}

/* m^2/s^2: pressure over density, mean within half the radius of the center. `whole` becomes the
   sum of virials over all of the drop, over that of positive ones; `normals`: of each particle. */
static inline double drop_pressure(const tp_world *world, const double center[3], double radius,
                                   double (*normals)[3], double *whole)
{
    const tp_view v = tp_world_view(world);
    double sum = 0, count = 0, all = 0, positive = 0;
    drop_normals(world, &v, normals);
    for (uint32_t i = 0; i < v.count; i++) {
        double x = (double)v.x[i] - center[0], y = (double)v.y[i] - center[1],
               z = v.z ? (double)v.z[i] - center[2] : 0,
               virial = drop_virial(world, &v, i, normals);
        all += virial;
        positive += fmax(0, virial);
        if (x * x + y * y + z * z > 0.25 * radius * radius) continue;
        sum += virial;
        count++;
    }
    *whole = all / positive;
    return sum / (2 * (v.z ? 3 : 2) * count);
}

#endif
