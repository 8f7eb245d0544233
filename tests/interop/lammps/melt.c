/* SPDX-License-Identifier: MIT
   tests/interop/lammps/melt.c - continues from LAMMPS's first frame; compares later frames and
           averages.
   reads   the dump's points as a table on standard input; the named file with LAMMPS's output
           `step temp pe press`
   writes  one line per frame and per average, then `N passed, M failed`
   memory  4000 particles and their world     cost    20 seconds
   after   public calls only, the runtime in one header */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 4000

typedef struct frame {
    long step;
    double size, x[COUNT][3], v[COUNT][3];
} frame;

/* Reads the rows of one frame. Frame 1 is step 0; there are ten steps between frames. */
static bool frame_read(frame *read)
{
    read->size = 10 * cbrt(4 / 0.8442); /* side of ten cubic cells with four atoms each */
    for (int n = 0; n < COUNT; n++) {
        long number;
        int index;
        double r[6];
        if (scanf(" %ld,%d,%lf,%lf,%lf,%lf,%lf,%lf", &number, &index, &r[0], &r[1], &r[2], &r[3],
                  &r[4], &r[5]) != 8 ||
            index < 0 || index >= COUNT)
            return false;
        read->step = (number - 1) * 10;
        for (int axis = 0; axis < 3; axis++) {
            read->x[index][axis] = r[axis];
            read->v[index][axis] = r[3 + axis];
        }
    }
    return true;
}

/* Reads the first line of the table, which names the columns. */
static bool header_read(void)
{
    char line[256];
    return fgets(line, sizeof line, stdin) && strcmp(line, "frame,index,x,y,z,vx,vy,vz\n") == 0;
}

static tp_world *melt_begin(const frame *first)
{
    tp_world *world = NULL;
    size_t bytes;
    float size = (float)first->size;
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = COUNT;
    def.frames_per_second_numerator = 200;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z;
    def.box_size = (tp_vector){size, size, size};
    if (tp_world_memory(&def, &bytes) != TP_OK) return NULL;
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!block || tp_world_create(&def, block, bytes, &world) != TP_OK) return NULL;
    for (int i = 0; i < COUNT; i++) {
        const double *x = first->x[i], *v = first->v[i];
        tp_vector at = {(float)x[0], (float)x[1], (float)x[2]};
        tp_vector velocity = {(float)v[0], (float)v[1], (float)v[2]};
        if (tp_particle_add(world, at, velocity, 0, NULL) != TP_OK) return NULL;
    }
    return world;
}

/* Root mean square distance between our positions and LAMMPS's, with the minimum image
   convention. */
static double melt_apart(const tp_world *world, const frame *theirs)
{
    tp_view view = tp_world_view(world);
    double square = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        const float at[3] = {view.x[i], view.y[i], view.z[i]};
        for (int axis = 0; axis < 3; axis++) {
            double d = (double)at[axis] - theirs->x[view.id[i]][axis];
            d -= theirs->size * round(d / theirs->size);
            square += d * d;
        }
    }
    return sqrt(square / view.count);
}

/* ---- energies ---- */

typedef struct thermo {
    long step;
    double temperature, energy, pressure; /* energy: potential energy per particle */
} thermo;

/* Reads the next line of numbers; lines of words are skipped. */
static bool thermo_read(FILE *log, thermo *read)
{
    char line[1024];
    while (fgets(line, sizeof line, log))
        if (sscanf(line, "%ld %lf %lf %lf", &read->step, &read->temperature, &read->energy,
                   &read->pressure) == 4)
            return true;
    return false;
}

static bool melt_measure(tp_world *world, long step, thermo *ours)
{
    tp_pair_report report;
    while (tp_world_report(world).frames < (uint64_t)step)
        if (tp_frame(world, NULL, NULL) < TP_OK) return false;
    if (tp_pair_measure(world, &report) != TP_OK) return false;
    *ours = (thermo){step, (double)report.temperature, (double)report.potential / COUNT,
                     (double)report.pressure};
    return true;
}

/* Total energy, with LAMMPS's count of degrees of freedom. */
static double total(const thermo *of)
{
    return of->energy + 1.5 * of->temperature * (COUNT - 1) / COUNT;
}

/* Compares positions and energies of the first steps. */
static bool is_close(tp_world *world, const frame *theirs, const thermo *log)
{
    thermo ours;
    if (log->step != theirs->step || !melt_measure(world, log->step, &ours)) return false;
    double apart = melt_apart(world, theirs), limit = log->step <= 50 ? 2e-5 : 1e-4;
    double off = fabs(total(&ours) - total(log));
    printf("step %3ld: rms distance %.2e (limit %.0e)  energy off by %.1e (limit 1e-04)  T %.6f  "
           "E_pot %.6f  "
           "P %.5f\n",
           log->step, apart, limit, off, ours.temperature, ours.energy, ours.pressure);
    return apart < limit && off < 1e-4 && fabs(ours.energy - log->energy) < 1e-4;
}

/* ---- averages ---- */

#define BLOCKS  20
#define SAMPLES 30 /* samples per block (block averages) */

typedef struct series {
    double blocks[BLOCKS];
} series;

static double series_mean(const series *of, double *error)
{
    double mean = 0, square = 0;
    for (int k = 0; k < BLOCKS; k++) mean += of->blocks[k] / BLOCKS;
    for (int k = 0; k < BLOCKS; k++) square += (of->blocks[k] - mean) * (of->blocks[k] - mean);
    *error = sqrt(square / (BLOCKS - 1) / BLOCKS);
    return mean;
}

/* True if the means differ by less than four standard errors of the difference. These must be below
   `least`, so that they are not too wide to tell. */
static bool means_agree(const char *name, const series *ours, const series *theirs, double least)
{
    double errors[2], a = series_mean(ours, &errors[0]), b = series_mean(theirs, &errors[1]);
    double error = sqrt(errors[0] * errors[0] + errors[1] * errors[1]);
    printf("%-12s %.5f +- %.5f, LAMMPS %.5f +- %.5f: %.1f standard errors\n", name, a, errors[0], b,
           errors[1], fabs(a - b) / error);
    return fabs(a - b) < 4 * error && error < least;
}

static bool averages_agree(tp_world *world, FILE *log)
{
    static series ours[4], theirs[4];
    thermo now, mine;
    for (int k = 0; k < BLOCKS * SAMPLES; k++) {
        if (!thermo_read(log, &now) || !melt_measure(world, now.step, &mine)) return false;
        for (int is_theirs = 0; is_theirs < 2; is_theirs++) {
            series *to = is_theirs ? theirs : ours;
            const thermo *of = is_theirs ? &now : &mine;
            to[0].blocks[k / SAMPLES] += of->temperature / SAMPLES;
            to[1].blocks[k / SAMPLES] += of->energy / SAMPLES;
            to[2].blocks[k / SAMPLES] += of->pressure / SAMPLES;
            to[3].blocks[k / SAMPLES] += total(of) / SAMPLES;
        }
    }
    printf("steps %ld to %ld:\n", now.step - 10L * (BLOCKS * SAMPLES - 1), now.step);
    bool agree = means_agree("temperature", &ours[0], &theirs[0], 0.003);
    agree &= means_agree("potential", &ours[1], &theirs[1], 0.004);
    agree &= means_agree("pressure", &ours[2], &theirs[2], 0.02);
    double error, energy = series_mean(&ours[3], &error), other = series_mean(&theirs[3], &error);
    printf("%-12s %.5f, LAMMPS %.5f (limit 5e-04)\n", "energy", energy, other);
    return agree && fabs(energy - other) < 5e-4;
}

int main(int argc, char **argv)
{
    static frame now;
    thermo line;
    int passed = 0;
    FILE *log = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!log || !header_read() || !frame_read(&now) || !thermo_read(log, &line)) return 2;
    tp_world *world = melt_begin(&now);
    if (!world) return 2;
    bool good = true;
    int frames = 0;
    while (good && frame_read(&now)) {
        good = thermo_read(log, &line) && is_close(world, &now, &line);
        frames++;
    }
    passed += good && frames == 10;
    while (line.step < 2000 && thermo_read(log, &line)) continue;
    passed += averages_agree(world, log);
    fclose(log);
    printf("%d passed, %d failed\n", passed, 2 - passed);
    return passed == 2 ? 0 : 1;
}
