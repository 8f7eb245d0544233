/* SPDX-License-Identifier: MIT
   host_tools/commands/bench.h - what the files of `tidepool bench` share.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_BENCH_H
#define TIDEPOOL_BENCH_H
#include "../common/host.h"
#include "tidepool.h"
#include "tracks.h"

/* What to measure. */
typedef struct bench_plan {
    const char *name;
    uint32_t dimensions;
    uint32_t particles;
    uint32_t steps;      /* measured; of `grid`: rounds */
    uint32_t settling;   /* steps before, not measured: the fluid mixes and the caches warm */
    uint32_t neighbours; /* wanted, of one particle: 13 or 26 in 2D */
    uint32_t seed;
    bool is_compact;
    const tp_jobs *jobs; /* NULL: one thread */
    float *
        state; /* NULL, or room for x, y, u, v of each particle: where bench_world leaves the settled fluid, and
                     bench_article begins */
} bench_plan;

typedef struct bench_result {
    uint32_t particles, steps;
    double seconds;
    double ns_per_particle_step;         /* mean */
    double median_ns, worst_ns;          /* of single steps, a particle and step */
    double stage_ns[TP_WORLD_STAGES];    /* a particle and step */
    double stage_bytes[TP_WORLD_STAGES]; /* touched, a particle and step: see bench_touched */
    double neighbours;                   /* mean of one particle, within the reach of the lists */
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
/* The block of a world, to be freed, and the world in it. HOST_DONE or an error printed, and nothing to be freed. */
int bench_create(const tp_world_def *def, const bench_plan *plan, void **memory, tp_world **world);

/* ---- grid: build and half list of the pairs of random points, with the runtime's own stages */

typedef struct bench_search {
    const char *name;
    double total_ns, build_ns; /* a point, medians of the rounds */
    double worst_ns;           /* total of the slowest round */
    double pair_ns;            /* total, a pair */
    double stage_ns[2];        /* medians: grid, pairs */
    double neighbours;         /* mean of one point */
    uint64_t crowded;          /* points that cell_max leaves out: 0, or the row says so */
    size_t memory_bytes;       /* of the whole block */
    double memory_a_point;     /* bytes */
    double search_a_point;     /* bytes of the table, the order, the counts and the list */
    double stage_bytes[TP_WORLD_STAGES];
    uint64_t state_hash;
} bench_search;
#define BENCH_SEARCHES   6
#define BENCH_ROUNDS_MAX 64u
/* The first `count` cases, 1 or BENCH_SEARCHES. The first one counts: uniform points in random order, open world.
   HOST_DONE or an error printed. */
int bench_grid(const bench_plan *plan, bench_search *rows, uint32_t count);

/* ---- which stage the time of a frame belongs to */

typedef struct bench_watch {
    const tp_world *world;
    const tp_jobs *jobs;
    uint64_t units[TP_WORLD_STAGES]; /* noted so far */
    double before, pending; /* s: end of the last slice; length of it, whose stage is not known yet */
    bool has_before;
    int stage;      /* of the last slice that is known */
    uint32_t round; /* how many steps have begun, those that only prime forces among them */
    double seconds[2][TP_WORLD_STAGES]; /* of the first such step, and of all others */
} bench_watch;
/* One frame under the watch; `watch` is cleared first. */
tp_result bench_watch_frame(bench_watch *watch, tp_world *world, const tp_jobs *jobs, tp_report *report);

/* ---- roofline */

/* Bytes that each stage touches, a particle and step. `built`: share of the steps that build their list. */
void bench_touched(const tp_world_def *def, double neighbours, double built, double bytes[TP_WORLD_STAGES]);
/* What the machine moves, bytes a second: a[i] = b[i] + s c[i], and memcpy; arrays of 32 MiB, the best of some. */
typedef struct bench_bandwidth {
    double triad, copy;
} bench_bandwidth;
bench_bandwidth bench_measure_bandwidth(void);

/* ---- scaling: cost a particle over the number of particles, as a table and as a curve in an SVG file */

/* `name`: NULL for all. HOST_DONE or an error printed. */
int bench_scaling(const char *name, const bench_plan *wanted, const char *path, bool is_json);
/* One benchmark by its name with its defaults where the plan has none; of `grid` the first row. */
int bench_run(const char *name, const bench_plan *wanted, bench_plan *plan, bench_result *result);
extern const char *const bench_names[];
#define BENCH_NAMES 4

/* Codecs and conversions of .bphys; plan->steps: frames. Prints its tables, or one object. HOST_DONE or an error printed. */
int bench_bphys(const bench_plan *wanted, bool is_json);

#define BENCH_RECORD_FRAMES 32u /* in a group */
/* What tiles of a set come to: a point and frame, unless said otherwise. */
typedef struct bench_tiles {
    char name[40];
    double relative_error; /* of the largest side */
    uint32_t points, frames;
    double bytes, plain, worst_bytes;  /* of all tiles; of the plain way; of the largest tile */
    double read_ns, worst_ns, copy_ns; /* of all tiles; of the slowest; of a copy of the raw frames */
    double encode_rate;                /* bytes of raw floats a second */
    double record_ns, record_bytes;    /* of a cache that records groups of 32 frames, identities included */
} bench_tiles;
/* HOST_DONE or an error printed: also when a value that is read is off by more than the error. */
int bench_tiles_of(bench_tiles *row, const host_tracks *tracks, double relative_error);
/* Fills in what a recorder comes to. HOST_DONE or an error printed: also when a frame is off by more than the error. */
int bench_recorder_of(bench_tiles *row, const host_tracks *tracks, double error);
/* Tiles of points beside a plain way to pack them: of the sequences at `paths`, or of own sets where count is 0, at most
   plan->particles points each. Prints its table, or one object. HOST_DONE or an error printed. */
int bench_cache(const bench_plan *wanted, const char *const *paths, size_t count, bool is_json);

/* Spacing of the particles and radius of the kernel, m, of a plan. */
void bench_lengths(const bench_plan *plan, float *spacing, float *smoothing_radius);
/* Of a particle of mass 1. */
float bench_rest_density(const bench_plan *plan);
/* Columns of the tank's lattice: half as high as wide. */
uint32_t bench_columns(uint32_t dimensions, uint32_t particles);
/* What benchmarks are timed by: processor time of the one thread; where threads are lent, the clock on the wall. */
double bench_seconds(const tp_jobs *jobs);
/* Sorts the steps' nanoseconds and fills in mean, median and worst. */
void bench_finish(bench_result *result, double *step_ns);
/* Sorts them. */
double bench_median(double *values, uint32_t count);

#endif
