/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_pair.c - times the Lennard-Jones melt; also in LAMMPS, if it is
           installed.
   reads   -      writes  a result; a script for LAMMPS, on its standard input
   memory  the world's block      cost    settling + steps, for each program
   after   the LJ benchmark of LAMMPS: fcc 0.8442, T 1.44, cutoff 2.5, skin 0.3, dt 0.005, no
           thermostat */
#include "bench.h"
#include "../common/loop.h"
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
    def.slice_units = 65536;
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

/* A shell command that runs the melt; the script is on standard input. The caller frees it. */
static char *lammps_command(const bench_plan *plan)
{
    uint32_t cells = melt_cells(plan->particles);
    return host_text(
        "OMP_NUM_THREADS=1 lmp -log none 2>/dev/null <<'END'\n"
        "units lj\natom_style atomic\nlattice fcc %g\nregion box block 0 %u 0 %u 0 %u\n"
        "create_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\n"
        "velocity all create %g 87287 loop geom\n"
        "pair_style lj/cut/opt 2.5\npair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\n"
        "neigh_modify delay 0 every 1 check yes\nfix 1 all nve\ntimestep 0.005\n"
        "thermo 100000\nrun %u\nrun %u\nEND\n",
        MELT_DENSITY, cells, cells, cells, MELT_TEMPERATURE, plan->settling, plan->steps);
}

/* Nanoseconds of processor time per atom and step of LAMMPS lj/cut/opt; 0: not installed. LAMMPS
   prints wall-clock seconds and its share of the processor; their product is used. */
double bench_lammps(const bench_plan *plan)
{
    char line[256], *command = lammps_command(plan);
    double seconds = 0, percent = 100;
    uint32_t cells = melt_cells(plan->particles);
    bool is_there = command && system("command -v lmp >/dev/null 2>&1") == 0;
    FILE *output = is_there ? popen(command, "r") : NULL;
    while (output && fgets(line, sizeof line, output)) {
        if (strncmp(line, "Loop time of ", 13) == 0) seconds = strtod(line + 13, NULL);
        if (strstr(line, "% CPU use")) percent = strtod(line, NULL);
    }
    if (output) (void)pclose(output);
    free(command);
    return seconds * percent * 1e7 / plan->steps / (4.0 * cells * cells * cells);
}
