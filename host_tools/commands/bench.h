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
    uint32_t steps;      /* measured steps; `grid`: rounds */
    uint32_t settling;   /* steps before, not measured: the fluid mixes and the caches warm */
    uint32_t repeats;    /* how often the same steps are measured; 0: once */
    uint32_t neighbours; /* wanted neighbours per particle: 13 or 26 in 2D */
    uint32_t seed;
    uint32_t slice; /* units of a slice at most; 0: the default of the runtime */
    uint32_t lanes; /* widest vectors that the stages may use: 4, 8, 16; 0: no limit */
    bool is_compact;
    bool is_incompressible; /* sph2d and sph3d: else double density */
    /* incompressible: sub-steps of a frame of 1/60 s, wanted and at most; 0: a step per frame */
    uint32_t frame_steps, frame_steps_most;
    bool is_dam; /* sph2d and sph3d: the block breaks into a tank 1.5 times as wide */
    /* cloth: with self-collision; at rest on a floor, in folds; implicit springs at 60 Hz */
    bool is_thick, is_folded, is_implicit;
    uint32_t vortons;    /* vortex: at most half of the particles; the others are smoke */
    bool is_summed;      /* vortex: by sums, without a grid */
    const tp_jobs *jobs; /* NULL: one thread */
    /* NULL, or x, y, u, v of each particle: bench_world stores the settled fluid here, and
       bench_article starts from it */
    float *state;
} bench_plan;

typedef struct bench_result {
    uint32_t particles, steps;
    double seconds;
    double ns_per_particle_step;         /* mean */
    double median_ns, worst_ns;          /* of single steps, per particle and step */
    double frame_ms, worst_frame_ms;     /* of frames: mean and largest */
    double stage_ns[TP_WORLD_STAGES];    /* per particle and step */
    double stage_bytes[TP_WORLD_STAGES]; /* touched, per particle and step: see bench_touched */
    double neighbours;                   /* mean per particle, within the cutoff of the lists */
    uint32_t lanes;                      /* numbers in the vectors of the stages */
    double height;                       /* mean y of the particles at the end, m */
    double strain, strain_largest;       /* cloth: |length / length at rest - 1| of edges */
    uint64_t state_hash;
    bool has_hash;
    size_t memory_bytes;
} bench_result;

/* A tank full of fluid at rest spacing under gravity, one step per frame (2D 1/280 s, 3D 1/360 s;
   incompressible 1/240 s, or 1/60 s with frame_steps).
   HOST_DONE, or an error was printed. */
int bench_world(const bench_plan *plan, bench_result *result);
/* The same tank, starting from plan->state, stepped by a plain re-implementation of the structure
   of the published 2D program. */
int bench_article(const bench_plan *plan, bench_result *result);

/* The melt of Lennard-Jones particles, one step of 0.005 per frame. HOST_DONE, or an error was
   printed. */
int bench_melt(const bench_plan *plan, bench_result *result);
/* A square sheet that swings from a side, one step of 1/600 s per frame; or one that falls on a
   floor and folds. HOST_DONE, or an error was printed. */
int bench_cloth(const bench_plan *plan, bench_result *result);
/* Stores the strains of a square sheet, whose nodes are all particles. */
void bench_strains(const tp_world *world, bench_result *result);
/* The sheet that swings in plain scalar C. */
int bench_plain_cloth(const bench_plan *plan, bench_result *result);
/* A thick vortex ring with smoke, one step of 1/60 s per frame. HOST_DONE, or an error was
   printed. */
int bench_vortex(const bench_plan *plan, bench_result *result);
/* The same by sums in plain scalar C. */
int bench_plain_vortex(const bench_plan *plan, bench_result *result);
/* A figure of another program. */
typedef struct bench_figure {
    const char *style; /* variant of its algorithm; NULL: it has one */
    uint32_t particles;
    double neighbours; /* mean per particle; 0: not known */
    double strain;     /* mean, of cloth; 0: not known */
    double ns;         /* mean per particle and step */
} bench_figure;
#define BENCH_FIGURES_MAX 2u
/* The same melt in LAMMPS on one core, with its pair style number `style`: lj/cut, lj/cut/opt.
   `seconds`: time limit. HOST_DONE, or an error was printed. */
int bench_lammps(const char *program, const bench_plan *plan, uint32_t style, double seconds,
                 bench_figure *figure);
/* A world of `def`, filled, settled and timed. HOST_DONE, or an error was printed. */
int bench_filled(const tp_world_def *def, const bench_plan *plan,
                 tp_result (*fill)(tp_world *world, const bench_plan *plan), bench_result *result);
/* Allocates the block of a world, which the caller frees, and creates the world. HOST_DONE, or an
   error was printed and nothing must be freed. */
int bench_create(const tp_world_def *def, const bench_plan *plan, void **memory, tp_world **world);

/* ---- grid: builds grid and half list of random points, with the stages of the runtime */

typedef struct bench_search {
    const char *name;
    double total_ns, build_ns; /* per point, medians of the rounds */
    double worst_ns;           /* total of the slowest round */
    double pair_ns;            /* total, per pair */
    double stage_ns[2];        /* medians: grid, pairs */
    double neighbours;         /* mean per point */
    /* points skipped because of cell_max: should be 0; the row says so if not */
    uint64_t crowded;
    size_t memory_bytes;   /* of the whole block */
    double memory_a_point; /* bytes */
    /* bytes per point of the table, the order, the counts and the list */
    double search_a_point;
    double stage_bytes[TP_WORLD_STAGES];
    uint64_t state_hash;
} bench_search;
#define BENCH_SEARCHES   6
#define BENCH_ROUNDS_MAX 64u

/* Without --steps a benchmark takes at most as many steps as these allow. */
#define BENCH_PARTICLE_STEPS 8000000u
#define BENCH_STEPS_LEAST    60u
/* Runs the first `count` cases, 1 or BENCH_SEARCHES. The first case is the reported one: uniform
   points in random order, open world. HOST_DONE, or an error was printed. */
int bench_grid(const bench_plan *plan, bench_search *rows, uint32_t count);

/* ---- time per stage of a frame */

typedef struct bench_watch {
    const tp_world *world;
    const tp_jobs *jobs;
    uint64_t units[TP_WORLD_STAGES]; /* at the last look */
    /* s: end of the last slice; its length, until its stage is known */
    double before, pending;
    bool has_before;
    int stage;      /* of the last slice whose stage is known */
    uint32_t round; /* steps that have begun, including a step that only primes the forces */
    double seconds[2][TP_WORLD_STAGES]; /* of the first step, and of all other steps */
} bench_watch;
/* Runs one frame with the threads and vectors of the plan, and measures its stages; clears `watch`
   first. */
tp_result bench_watch_frame(bench_watch *watch, tp_world *world, const bench_plan *plan,
                            tp_report *report);

/* ---- roofline */

/* Bytes that each stage touches, per particle and step. `built`: share of the steps that build
   their list. */
void bench_touched(const tp_world_def *def, double neighbours, double built,
                   double bytes[TP_WORLD_STAGES]);
/* Memory bandwidth of the machine, bytes per second: triad a[i] = b[i] + s c[i], and memcpy; 32 MiB
   arrays, best of several runs. */
typedef struct bench_bandwidth {
    double triad, copy;
} bench_bandwidth;
bench_bandwidth bench_measure_bandwidth(void);

/* ---- scaling: cost per particle for different numbers of particles, as a table and as a curve in
   an SVG file */

/* `name`: NULL for all. HOST_DONE, or an error was printed. */
int bench_scaling(const char *name, const bench_plan *wanted, const char *path, bool is_json);
/* The plan of a benchmark: what is wanted, with defaults instead of zeros. */
bench_plan bench_plan_of(const char *name, const bench_plan *wanted);
/* Numbers in the vectors of the stages under this plan. */
uint32_t bench_lanes(const bench_plan *plan);
/* Runs one benchmark by name; the plan's zeros become its defaults. `grid`: the first case only. */
int bench_run(const char *name, const bench_plan *wanted, bench_plan *plan, bench_result *result);
extern const char *const bench_names[];
#define BENCH_NAMES 6

/* ---- other programs */

#define BENCH_PEERS_MAX 8u
typedef struct bench_rounds {
    uint32_t count;         /* 1 to BENCH_ROUNDS_MAX */
    double seconds;         /* time limit of one run of another program */
    bool is_json, is_quiet; /* is_quiet: no progress bar */
} bench_rounds;
/* Alternates rounds of a benchmark and another program, for each of `count` texts NAME=PROGRAM.
   `name`: the benchmark; NULL: that of the programs. Prints tables, or one JSON object per figure
   of a program. HOST_DONE, or an error was printed. */
int bench_compare(const char *name, const bench_plan *wanted, const char *const *texts,
                  uint32_t count, const bench_rounds *rounds);

/* Codecs and conversions of .bphys; plan->steps: frames. Prints tables, or one JSON object.
   HOST_DONE, or an error was printed. */
int bench_bphys(const bench_plan *wanted, bool is_json);

#define BENCH_RECORD_FRAMES 32u /* frames per group */
/* Results of one data set at one error bound: per point and frame, if not stated otherwise. */
typedef struct bench_tiles {
    char name[40];
    double relative_error; /* relative to the largest side of the box */
    uint32_t points, frames;
    double bytes, plain, worst_bytes;  /* all tiles; plain compression; largest tile */
    double read_ns, worst_ns, copy_ns; /* all tiles; slowest tile; a copy of the raw frames */
    double encode_rate;                /* bytes of raw floats per second */
    /* a cache that records groups of 32 frames, with identities */
    double record_ns, record_bytes;
} bench_tiles;
/* HOST_DONE, or an error was printed: also if a decoded value exceeds the error bound. */
int bench_tiles_of(bench_tiles *row, const host_tracks *tracks, double relative_error);
/* Fills in the record_ fields. HOST_DONE, or an error was printed: also if a decoded frame exceeds
   the error bound. */
int bench_recorder_of(bench_tiles *row, const host_tracks *tracks, double error);
/* Compares clip tiles with plain compression, for the sequences at `paths`, or for built-in sets if
   count is 0; at most plan->particles points each. Prints a table, or one JSON object. HOST_DONE,
   or an error was printed. */
int bench_cache(const bench_plan *wanted, const char *const *paths, size_t count, bool is_json);

/* Spacing of the particles and radius of the kernel, m, of a plan. */
void bench_lengths(const bench_plan *plan, float *spacing, float *smoothing_radius);
/* For particles of mass 1. */
float bench_rest_density(const bench_plan *plan);
/* Columns of the tank's lattice: half as high as wide. */
uint32_t bench_columns(uint32_t dimensions, uint32_t particles);
/* The vectors and threads of the plan, without limit of work. */
tp_budget bench_budget(const bench_plan *plan);
/* SplitMix64: Steele, Lea and Flood 2014. 0 <= value < 1 */
double bench_random(uint64_t *state);
/* The clock of benchmarks: processor time with one thread; wall clock with several threads. */
double bench_seconds(const tp_jobs *jobs);
/* Sets mean, median and worst per step from the nanoseconds of the frames, which it changes.
   frame_steps: the steps of each frame; NULL: one. result->steps: their sum. */
void bench_finish(bench_result *result, double *frame_ns, const uint32_t *frame_steps,
                  uint32_t frames);
/* The median; sorts the values. */
double bench_median(double *values, uint32_t count);

#endif
