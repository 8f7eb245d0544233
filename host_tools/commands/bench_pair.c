/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_pair.c - times the Lennard-Jones melt; also in LAMMPS.
   reads   -      writes  a result; a script for LAMMPS, on its standard input
   memory  the world's block      cost    settling + steps, for each program
   after   the LJ benchmark of LAMMPS: fcc 0.8442, T 1.44, cutoff 2.5, skin 0.3, dt 0.005, no
           thermostat */
#include "bench.h"
#include "../common/child.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MELT_DENSITY     0.8442
#define MELT_TEMPERATURE 1.44

/* Unit cells along each side of the cube (4 particles per cell) whose size is nearest to
   `particles`. */
static uint32_t melt_cells(uint32_t particles)
{
    uint32_t cells = (uint32_t)(cbrt(particles / 4.0) + 0.5);
    return cells < 3 ? 3 : cells;
}

static tp_world_def melt_def(const bench_plan *plan)
{
    tp_world_def def = tp_world_default(3);
    uint32_t cells = melt_cells(plan->particles);
    float side = (float)(cells * cbrt(4.0 / MELT_DENSITY));
    def.particles_max = 4 * cells * cells * cells;
    def.emitters_max = def.sinks_max = def.fields_max = def.colliders_max = 0;
    def.frames_per_second_numerator = 200;
    def.seed = plan->seed;
    if (plan->slice) def.slice_units = plan->slice;
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.keeps_births = false;
    def.species[0].radius = 0;
    def.pair.stores_neighbours = !plan->is_compact;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z;
    def.box_size = (tp_vector){side, side, side};
    return def;
}

/* An fcc crystal. Velocities are uniform in a cube, without drift, scaled to the temperature. */
static tp_result fill_melt(tp_world *world, const bench_plan *plan)
{
    static const double basis[4][3] = {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}};
    const tp_world_def *def = tp_world_definition(world);
    uint32_t count = def->particles_max, cells = melt_cells(plan->particles);
    double side = (double)def->box_size.x / cells, sum[3] = {0, 0, 0}, square = 0;
    double *v = host_allocate(count, 3 * sizeof *v);
    if (!v) return TP_ERROR_MEMORY;
    uint32_t random = plan->seed * 2654435761u + 12345u;
    for (uint32_t k = 0; k < 3 * count; k++) {
        random = random * 1664525u + 1013904223u;
        v[k] = (random >> 8) / 16777216.0 - 0.5;
        sum[k % 3] += v[k] / count;
    }
    for (uint32_t k = 0; k < 3 * count; k++) square += (v[k] - sum[k % 3]) * (v[k] - sum[k % 3]);
    double scale = sqrt(MELT_TEMPERATURE * 3 * (count - 1) / square);
    tp_result result = TP_OK;
    for (uint32_t i = 0; i < count && result >= TP_OK; i++) {
        uint32_t cell = i / 4, at[3] = {cell % cells, cell / cells % cells, cell / cells / cells};
        float x[3], u[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            x[axis] = (float)((at[axis] + basis[i % 4][axis] + 0.25) * side);
            u[axis] = (float)(scale * (v[3 * i + axis] - sum[axis]));
        }
        result = tp_particle_add(world, (tp_vector){x[0], x[1], x[2]},
                                 (tp_vector){u[0], u[1], u[2]}, 0, NULL);
    }
    free(v);
    return result;
}

int bench_melt(const bench_plan *plan, bench_result *result)
{
    tp_world_def def = melt_def(plan);
    return bench_filled(&def, plan, fill_melt, result);
}

/* ---- LAMMPS */

static const char *const lammps_styles[BENCH_FIGURES_MAX] = {"lj/cut", "lj/cut/opt"};

/* The caller frees it. */
static char *lammps_script(const bench_plan *plan, const char *style)
{
    uint32_t cells = melt_cells(plan->particles);
    return host_text(
        "units lj\natom_style atomic\nlattice fcc %g\nregion box block 0 %u 0 %u 0 %u\n"
        "create_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\n"
        "velocity all create %g 87287 loop geom\n"
        "pair_style %s 2.5\npair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\n"
        "neigh_modify delay 0 every 1 check yes\nfix 1 all nve\ntimestep 0.005\n"
        "thermo 100000\nrun %u\nrun %u\n",
        MELT_DENSITY, cells, cells, cells, MELT_TEMPERATURE, style, plan->settling, plan->steps);
}

/* The last place where `words` stand; NULL: none. */
static const char *lammps_find(const char *output, const char *words)
{
    const char *last = NULL;
    for (const char *at = strstr(output, words); at; at = strstr(at + 1, words)) last = at;
    return last;
}

/* The last number that stands after `words`; 0: none. */
static double lammps_number(const char *output, const char *words)
{
    const char *at = lammps_find(output, words);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

/* Its share of the processor in the last run: the number that begins the line; 0: none. */
static double lammps_percent(const char *output)
{
    const char *at = lammps_find(output, "% CPU use");
    while (at && at > output && at[-1] != '\n') at--;
    return at ? strtod(at, NULL) : 0;
}

/* Seconds per atom and step of the last run. LAMMPS prints wall-clock seconds and its share of the
   processor; their product is used. It prints the neighbours of half lists. */
static int lammps_read(const char *program, const char *output, const bench_plan *plan,
                       bench_figure *figure)
{
    double seconds = lammps_number(output, "Loop time of "),
           atoms = lammps_number(output, " steps with "), percent = lammps_percent(output);
    if (!(seconds > 0) || !(atoms > 0) || !(percent > 0))
        return host_error(HOST_BAD_INPUT, program, HOST_NO_OFFSET,
                          "expected the lines 'Loop time of ... with N atoms' and '...%% CPU use' "
                          "of LAMMPS, found none");
    figure->particles = (uint32_t)atoms;
    figure->neighbours = 2 * lammps_number(output, "Ave neighs/atom = ");
    figure->ns = seconds * percent * 1e7 / plan->steps / atoms;
    return HOST_DONE;
}

int bench_lammps(const char *program, const bench_plan *plan, uint32_t style, double seconds,
                 bench_figure *figure)
{
    const char *const arguments[] = {program, "-log", "none", NULL};
    char *output = NULL, *script = lammps_script(plan, lammps_styles[style]);
    figure->style = lammps_styles[style];
    int code = script ? child_run(arguments, script, seconds, &output)
                      : host_out_of_memory("a script for LAMMPS");
    if (!code) code = lammps_read(program, output, plan, figure);
    free(output);
    free(script);
    return code;
}
