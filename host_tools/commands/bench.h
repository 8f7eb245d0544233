/* SPDX-License-Identifier: MIT
   host_tools/commands/bench.h - what the files of `tidepool bench` share.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_BENCH_H
#define TIDEPOOL_BENCH_H
#include "../common/host.h"
#include "tidepool.h"

/* What to measure. */
typedef struct bench_plan {
    const char *name;
    uint32_t dimensions;
    uint32_t particles;
    uint32_t steps;      /* measured */
    uint32_t settling;   /* steps before, not measured: the fluid mixes and the caches warm */
    uint32_t neighbours; /* wanted, of one particle: 13 or 26 in 2D */
    uint32_t seed;
    bool is_compact;
    float *
        state; /* NULL, or room for x, y, u, v of each particle: where bench_world leaves the settled fluid, and
                     bench_article begins */
} bench_plan;

typedef struct bench_result {
    uint32_t particles, steps;
    double seconds;
    double ns_per_particle_step;      /* mean */
    double median_ns, worst_ns;       /* of single steps, a particle and step */
    double stage_ns[TP_WORLD_STAGES]; /* a particle and step */
    double neighbours;                /* mean of one particle */
    uint64_t state_hash;
    bool has_hash;
    size_t memory_bytes;
} bench_result;

/* A tank full of fluid at rest spacing under gravity, one step a frame (2D 1/140 s, 3D 1/180 s). HOST_DONE or an error printed. */
int bench_world(const bench_plan *plan, bench_result *result);
/* The same tank, from plan->state on, stepped by a plain re-implementation of the published 2D program's structure. */
int bench_article(const bench_plan *plan, bench_result *result);

/* The melt of Lennard-Jones particles, one step of 0.005 a frame. HOST_DONE or an error printed. */
int bench_melt(const bench_plan *plan, bench_result *result);
/* The same melt by LAMMPS (lj/cut/opt, one core): nanoseconds an atom and step; 0 where there is none. */
double bench_lammps(const bench_plan *plan);
/* A world of `def`, filled, settled and timed. HOST_DONE or an error printed. */
int bench_filled(const tp_world_def *def, const bench_plan *plan,
                 tp_result (*fill)(tp_world *world, const bench_plan *plan), bench_result *result);

/* Spacing of the particles and radius of the kernel, m, of a plan. */
void bench_lengths(const bench_plan *plan, float *spacing, float *smoothing_radius);
/* Of a particle of mass 1. */
float bench_rest_density(const bench_plan *plan);
/* Columns of the tank's lattice: half as high as wide. */
uint32_t bench_columns(uint32_t dimensions, uint32_t particles);
/* Sorts the steps' nanoseconds and fills in mean, median and worst. */
void bench_finish(bench_result *result, double *step_ns);

#endif
