/* SPDX-License-Identifier: MIT
   tests/interop/lammps/melt.c - goes on from LAMMPS's first frame and compares the later ones with LAMMPS's own.
   reads   a dump of frames `id x y z vx vy vz` on standard input      writes  a line a frame; exit code 1 when they differ
   memory  4000 particles and their world     cost    a second
   after   public calls only, the runtime in one header */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 4000

typedef struct frame {
    long step;
    double size, x[COUNT][3], v[COUNT][3];
} frame;

static bool frame_read(frame *read)
{
    double low, high;
    int id, count;
    if (scanf(" ITEM: TIMESTEP %ld ITEM: NUMBER OF ATOMS %d ITEM: BOX BOUNDS pp pp pp", &read->step,
              &count) != 2 ||
        count != COUNT)
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (scanf("%lf %lf", &low, &high) != 2) return false;
    read->size = high - low;
    if (scanf(" ITEM: ATOMS id x y z vx vy vz") != 0) return false;
    for (int n = 0; n < COUNT; n++) {
        double r[6];
        if (scanf("%d %lf %lf %lf %lf %lf %lf", &id, &r[0], &r[1], &r[2], &r[3], &r[4], &r[5]) != 7)
            return false;
        for (int axis = 0; axis < 3; axis++) {
            read->x[id - 1][axis] = r[axis];
            read->v[id - 1][axis] = r[3 + axis];
        }
    }
    return true;
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

/* Root mean square of the distances between ours and theirs, to the nearest image. */
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

int main(void)
{
    static frame now;
    if (!frame_read(&now)) return 2;
    tp_world *world = melt_begin(&now);
    bool is_close = world != NULL;
    while (is_close && frame_read(&now)) {
        tp_pair_report report;
        while (tp_world_report(world).frames < (uint64_t)now.step)
            if (tp_frame(world, NULL, NULL) < TP_OK) return 2;
        if (tp_pair_measure(world, &report) != TP_OK) return 2;
        double apart = melt_apart(world, &now), limit = now.step <= 50 ? 2e-5 : 1e-4;
        printf("step %3ld: rms distance %.2e (limit %.0e)  T %.6f  E_pot %.6f  E %.6f  P %.5f\n", now.step,
               apart, limit, (double)report.temperature, (double)report.potential / COUNT,
               ((double)report.potential + (double)report.kinetic) / COUNT, (double)report.pressure);
        is_close = apart < limit;
    }
    return is_close ? 0 : 1;
}
