/* SPDX-License-Identifier: MIT
   tests/peers/vortices.c - the vortons and tracers of vortegrid.cpp in this runtime: time, and the
           error against the sum over all vortons.
   reads   arguments: FILE of vortegrid.cpp, nodes along x, nodes along y and z, spacing
   writes  one line      memory  the world's block and the particles
   cost    13 frames, and a sum over all vortons for every 16th tracer
   after   own design: gcc -std=c11 -O3 -march=native -DTP_LANES_MAX=8 -ffp-contract=off
           -fno-math-errno -fno-trapping-math -D_POSIX_C_SOURCE=200809L -Ibuild
           tests/peers/vortices.c -o vortices -lm -pthread; ./vortices FILE 17 17 0.26 */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct ring {
    uint32_t vortons, tracers;
    float core, *vorton, *tracer; /* 6 and 3 numbers each */
} ring;

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool ring_read(ring *to, const char *path)
{
    float head[3];
    FILE *file = fopen(path, "rb");
    bool is_good = file && fread(head, sizeof head, 1, file) == 1;
    if (!is_good) return false;
    *to = (ring){(uint32_t)head[0], (uint32_t)head[1], head[2], NULL, NULL};
    to->vorton = malloc(24u * to->vortons);
    to->tracer = malloc(12u * to->tracers);
    return to->vorton && to->tracer && fread(to->vorton, 24, to->vortons, file) == to->vortons &&
           fread(to->tracer, 12, to->tracers, file) == to->tracers;
}

static tp_world *ring_world(const ring *from, uint32_t nodes_x, uint32_t nodes, float spacing)
{
    tp_world_def def = tp_world_default(3);
    tp_world *world = NULL;
    size_t bytes;
    def.particles_max = from->vortons + from->tracers;
    def.emitters_max = def.sinks_max = def.colliders_max = def.fields_max = 0;
    def.frames_per_second_numerator = 1000; /* a velocity is that of the middle of a step */
    def.keeps_births = false;
    def.solver = TP_SOLVER_VORTEX;
    def.vortex.vortons_max = from->vortons;
    def.vortex.core = from->core;
    def.vortex.grid_nodes[0] = nodes_x;
    def.vortex.grid_nodes[1] = def.vortex.grid_nodes[2] = nodes;
    def.vortex.grid_spacing = spacing;
    const float half = -0.5f * spacing * (float)(nodes - 1u);
    def.vortex.grid_low = (tp_vector){-0.5f * spacing * (float)(nodes_x - 1u), half, half};
    if (tp_world_memory(&def, &bytes) != TP_OK) return NULL;
    void *block = aligned_alloc(64, (bytes + 63u) / 64u * 64u);
    if (!block || tp_world_create(&def, block, bytes, &world) != TP_OK) return NULL;
    for (uint32_t i = 0; i < def.particles_max; i++) {
        const float *a = from->vorton + 6u * i, *x = a;
        if (i >= from->vortons) x = from->tracer + 3u * (i - from->vortons);
        (void)!tp_particle_add(world, (tp_vector){x[0], x[1], x[2]}, (tp_vector){0, 0, 0}, 0, NULL);
        if (i < from->vortons) (void)!tp_particle_strength(world, i, (tp_vector){a[3], a[4], a[5]});
    }
    return world;
}

/* Rosenhead 1930, Moore 1972. */
static void sum_at(const ring *from, const float *x, double u[3])
{
    const double core = (double)from->core;
    u[0] = u[1] = u[2] = 0;
    for (uint32_t j = 0; j < from->vortons; j++) {
        const float *v = from->vorton + 6u * j;
        double r[3], a[3], square = core * core;
        for (int axis = 0; axis < 3; axis++) {
            r[axis] = (double)x[axis] - (double)v[axis];
            a[axis] = (double)v[3 + axis];
            square += r[axis] * r[axis];
        }
        const double share = 1 / (4 * 3.14159265358979323846 * square * sqrt(square));
        u[0] += share * (a[1] * r[2] - a[2] * r[1]);
        u[1] += share * (a[2] * r[0] - a[0] * r[2]);
        u[2] += share * (a[0] * r[1] - a[1] * r[0]);
    }
}

static double error_of(const tp_world *world, const ring *from)
{
    const tp_view view = tp_world_view(world);
    double error = 0, all = 0;
    for (uint32_t i = 0; i < view.count; i += 16) {
        if (view.id[i] < from->vortons) continue;
        const double found[3] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        double expected[3];
        sum_at(from, from->tracer + 3u * (view.id[i] - from->vortons), expected);
        for (int axis = 0; axis < 3; axis++) {
            error += (found[axis] - expected[axis]) * (found[axis] - expected[axis]);
            all += expected[axis] * expected[axis];
        }
    }
    return sqrt(error / all);
}

int main(int count, char **arguments)
{
    ring particles;
    if (count < 5 || !ring_read(&particles, arguments[1])) return puts("FILE NODES NODES M"), 1;
    const uint32_t nodes_x = (uint32_t)atoi(arguments[2]), nodes = (uint32_t)atoi(arguments[3]);
    tp_world *world = ring_world(&particles, nodes_x, nodes, strtof(arguments[4], NULL));
    const tp_budget budget = {.frames_max = 1};
    double error = 0, least = 1e9;
    if (!world) return puts("no such world"), 1;
    for (int frame = 0; frame < 13; frame++) {
        const double begun = milliseconds();
        if (tp_frame(world, &budget, NULL) < TP_OK) return 1;
        const double took = milliseconds() - begun;
        least = took < least ? took : least;
        if (frame == 0) error = error_of(world, &particles);
    }
    printf("%u vortons, %u tracers, %u x %u x %u nodes: error %.1f %%, %.2f ms a step\n",
           (unsigned)particles.vortons, (unsigned)particles.tracers, (unsigned)nodes_x,
           (unsigned)nodes, (unsigned)nodes, 100 * error, least);
    return 0;
}
