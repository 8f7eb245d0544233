/* SPDX-License-Identifier: MIT
   tests/fluids/drops.c - drops of the incompressible fluid beside theory: how they ring, and the
           pressure in them.
   reads   nothing      writes  FOLDER/fluid_ring.svg, FOLDER/fluid_laplace.svg
   memory  worlds of up to 4400 particles      cost  30 s
   after   Rayleigh 1879; pressure: tension times curvature (Young and Laplace 1805) */
#include "tidepool.h"
#include "plot.h"
#include "../physics/drop_virial.h"
#include <stdlib.h>
#include <string.h>

#define SPACING   0.05
#define DENSITY   1000.0
#define MOST      4400u /* particles */
#define RING_MOST 320

static const double pi = 3.14159265358979;

typedef struct drop {
    tp_world *world;
    void *block;
    uint32_t dimensions;
    double tension, radius; /* N/m (2D: N); m, of a ball or disc of as many particles */
} drop;

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "drops: %s\n", what);
    exit(1);
}

/* A lattice within a ball or disc that is stretched along x. */
static uint32_t drop_fill(tp_world *world, bool is_2d, double radius, double stretch)
{
    const double wide = radius * stretch, high = radius / (is_2d ? stretch : sqrt(stretch));
    const int most = (int)(2 * radius / SPACING), layers = is_2d ? 0 : most;
    uint32_t count = 0;
    for (int k = -layers; k <= layers; k++)
        for (int j = -most; j <= most; j++)
            for (int i = -most; i <= most; i++) {
                double x = (i + 0.5) * SPACING, y = (j + 0.5) * SPACING,
                       z = is_2d ? 0 : (k + 0.5) * SPACING;
                if (x * x / (wide * wide) + (y * y + z * z) / (high * high) > 1) continue;
                need(tp_particle_add(world, (tp_vector){(float)x, (float)y, (float)z},
                                     (tp_vector){0, 0, 0}, 0, NULL) == TP_OK,
                     "no room for a particle");
                count++;
            }
    return count;
}

static drop drop_make(uint32_t dimensions, double radius, double stretch)
{
    drop d = {.dimensions = dimensions, .tension = dimensions == 2 ? 210 : 270};
    tp_world_def def = tp_world_default(dimensions);
    size_t size = 0;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = MOST;
    def.slice_units = 65536;
    def.sph.neighbours_max = dimensions == 2 ? 64 : 100;
    def.species[0].mass = (float)(DENSITY * pow(SPACING, dimensions));
    tp_sph_incompressible(&def, (float)SPACING);
    def.substeps.count = 4;
    def.sph.cohesion = (float)d.tension;
    if (tp_world_check(&def)) need(false, tp_world_check(&def));
    need(tp_world_memory(&def, &size) == TP_OK, "no size");
    d.block = malloc(size);
    need(d.block && tp_world_create(&def, d.block, size, &d.world) == TP_OK, "no world");
    double volume = drop_fill(d.world, dimensions == 2, radius, stretch) * pow(SPACING, dimensions);
    d.radius = dimensions == 2 ? sqrt(volume / pi) : cbrt(volume * 0.75 / pi);
    return d;
}

static void drop_frame(const drop *d)
{
    tp_budget budget = {0};
    budget.units = UINT32_MAX;
    need(tp_frame(d->world, &budget, NULL) == TP_OK, "a frame was not complete");
}

static void center_of(const tp_view *v, double c[3])
{
    c[0] = c[1] = c[2] = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        c[0] += (double)v->x[i] / v->count;
        c[1] += (double)v->y[i] / v->count;
        c[2] += v->z ? (double)v->z[i] / v->count : 0;
    }
}

/* Difference of the moments along and across x, over their sum. */
static double quadrupole_of(const drop *d)
{
    tp_view v = tp_world_view(d->world);
    double c[3], xx = 0, yy = 0;
    center_of(&v, c);
    for (uint32_t i = 0; i < v.count; i++) {
        double x = (double)v.x[i] - c[0], y = (double)v.y[i] - c[1],
               z = v.z ? (double)v.z[i] - c[2] : 0;
        xx += x * x;
        yy += v.z ? 0.5 * (y * y + z * z) : y * y;
    }
    return (xx - yy) / (xx + yy);
}

/* Two periods of the quadrupole mode. */
static void ring_run(plot *chart, const char *name, uint32_t dimensions, double radius)
{
    drop d = drop_make(dimensions, radius, dimensions == 2 ? 1.25 : 1.3);
    double period =
               (dimensions == 2 ? 2.5651 : 2.22144) * sqrt(DENSITY * pow(d.radius, 3) / d.tension),
           first = quadrupole_of(&d), time[RING_MOST], shape[RING_MOST];
    uint32_t frames = 0;
    for (; frames < RING_MOST && frames / 60.0 < 2 * period; frames++) {
        time[frames] = frames / 60.0 / period;
        shape[frames] = quadrupole_of(&d) / first;
        drop_frame(&d);
    }
    plot_line(chart, name, time, shape, frames);
    free(d.block);
}

/* ---- the pressure of the forces between pairs ---- */

/* The mean within half the radius, over tension: 1/m. */
static double pressure_of(const drop *d)
{
    static double normals[MOST][3];
    tp_view v = tp_world_view(d->world);
    double c[3], whole;
    center_of(&v, c);
    return DENSITY * drop_pressure(d->world, c, d->radius, normals, &whole) / d->tension;
}

/* Displaces particles by up to a quarter of a spacing along each axis: a lattice bears stresses. */
static void disorder(const drop *d)
{
    uint32_t state = 9, count = tp_world_view(d->world).count;
    for (uint32_t i = 0; i < count; i++) {
        tp_view v = tp_world_view(d->world);
        float at[3] = {v.x[i], v.y[i], v.z ? v.z[i] : 0};
        for (uint32_t axis = 0; axis < d->dimensions; axis++) {
            state = state * 1664525u + 1013904223u;
            at[axis] += 0.5f * (float)SPACING * ((float)(state >> 8) / 16777216.0f - 0.5f);
        }
        need(tp_particle_set(d->world, i, (tp_vector){at[0], at[1], at[2]}, (tp_vector){0, 0, 0}) ==
                 TP_OK,
             "a particle could not be moved");
    }
}

/* Drops of several radii at rest, mean over the last second. */
static void laplace_run(plot *chart, const char *name, uint32_t dimensions, const double radii[4])
{
    double curvature[4], pressure[4];
    for (uint32_t k = 0; k < 4; k++) {
        drop d = drop_make(dimensions, radii[k], 1);
        disorder(&d);
        pressure[k] = 0;
        curvature[k] = (dimensions - 1) / d.radius;
        for (uint32_t frame = 1; frame <= 180; frame++) {
            drop_frame(&d);
            if (frame > 120 && frame % 15 == 0) pressure[k] += pressure_of(&d) / 4;
        }
        printf("%s, radius %.3f m: pressure over tension %.2f /m, curvature %.2f /m\n", name,
               d.radius, pressure[k], curvature[k]);
        free(d.block);
    }
    plot_line(chart, name, curvature, pressure, 4);
}

int main(int count, char **words)
{
    const double flat[4] = {0.9, 0.65, 0.4, 0.3}, round[4] = {0.5, 0.4, 0.35, 0.3};
    char path[2][512];
    need(count == 2, "usage: drops FOLDER");
    snprintf(path[0], sizeof path[0], "%s/fluid_ring.svg", words[1]);
    snprintf(path[1], sizeof path[1], "%s/fluid_laplace.svg", words[1]);
    plot ring = plot_begin(path[0], (plot_axis){"time / period", 0, 2, 0.25, false},
                           (plot_axis){"quadrupole / first one", -1.25, 1.25, 0.25, false}),
         laplace = plot_begin(path[1], (plot_axis){"curvature, 1/m", 0, 8, 1, false},
                              (plot_axis){"pressure / tension, 1/m", 0, 8, 1, false});
    ring_run(&ring, "2D, 8 spacings", 2, 0.4);
    ring_run(&ring, "2D, 18 spacings", 2, 0.9);
    ring_run(&ring, "3D, 6 spacings", 3, 0.3);
    ring_run(&ring, "3D, 8 spacings", 3, 0.4);
    double theory[81], time[81];
    for (int i = 0; i <= 80; i++) time[i] = i / 40.0, theory[i] = cos(2 * pi * time[i]);
    plot_line(&ring, "Rayleigh, without viscosity", time, theory, 81);
    laplace_run(&laplace, "2D", 2, flat);
    laplace_run(&laplace, "3D", 3, round);
    const double ends[2] = {0, 8};
    plot_line(&laplace, "Young, Laplace", ends, ends, 2);
    need(plot_end(&ring) && plot_end(&laplace), "a chart could not be written");
    return 0;
}
