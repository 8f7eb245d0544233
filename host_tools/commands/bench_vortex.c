/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_vortex.c - times a thick vortex ring with smoke: velocities from a grid
           or from sums; and the latter in plain scalar C.
   reads   -      writes  a result
   memory  the world's block; 48 bytes per particle for the plain program
   cost    settling + steps
   after   smoothed Biot-Savart law (Rosenhead 1930, Moore 1972), midpoint steps, transposed
           stretching: the plain program sums over all vortons in turn */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VORTEX_RATE  60   /* steps per second, one per frame */
#define VORTEX_NODES 33   /* along each axis of the grid */
#define VORTEX_BOX   4.0f /* m: side of the grid, around the ring */
#define VORTEX_TUBE  0.3f /* m: radius of the tube of vortons; smoke fills 4/3 of it */
#define VORTEX_CORE  0.1f /* m */

static const double pi = 3.14159265358979323846;

static uint32_t vortex_vortons(const bench_plan *plan)
{
    uint32_t most = plan->particles / 2;
    return plan->vortons < most ? plan->vortons : most;
}

static tp_world_def vortex_def(const bench_plan *plan)
{
    tp_world_def def = tp_world_default(3);
    def.particles_max = plan->particles;
    def.emitters_max = def.sinks_max = def.colliders_max = def.fields_max = 0;
    def.frames_per_second_numerator = VORTEX_RATE;
    def.seed = plan->seed;
    if (plan->slice) def.slice_units = plan->slice;
    def.solver = TP_SOLVER_VORTEX;
    def.keeps_births = false;
    def.vortex.vortons_max = vortex_vortons(plan);
    def.vortex.core = VORTEX_CORE;
    if (plan->is_summed) return def;
    for (int axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = VORTEX_NODES;
    def.vortex.grid_spacing = VORTEX_BOX / (VORTEX_NODES - 1);
    def.vortex.grid_low = (tp_vector){-0.5f * VORTEX_BOX, -0.4f * VORTEX_BOX, -0.5f * VORTEX_BOX};
    return def;
}

/* Particle number i, at a random place in a ring of radius 1 m around the y axis: a vorton of
   circulation 1 m^2/s, or smoke, whose strength is 0. */
static void vortex_particle(const bench_plan *plan, uint32_t i, uint64_t *random, float x[3],
                            float strength[3])
{
    const uint32_t vortons = vortex_vortons(plan);
    const double tube = i < vortons ? VORTEX_TUBE : VORTEX_TUBE * 4 / 3,
                 share = i < vortons ? 2 * pi / vortons : 0;
    double turn = 2 * pi * bench_random(random), r = tube * sqrt(bench_random(random)),
           angle = 2 * pi * bench_random(random), radius = 1 + r * cos(angle);
    x[0] = (float)(radius * cos(turn));
    x[1] = (float)(r * sin(angle));
    x[2] = (float)(radius * sin(turn));
    strength[0] = (float)(share * sin(turn));
    strength[1] = 0;
    strength[2] = (float)(-share * cos(turn));
}

static tp_result fill_ring(tp_world *world, const bench_plan *plan)
{
    uint64_t random = plan->seed;
    tp_result result = TP_OK;
    for (uint32_t i = 0; i < plan->particles && result >= TP_OK; i++) {
        float x[3], strength[3];
        vortex_particle(plan, i, &random, x, strength);
        result =
            tp_particle_add(world, (tp_vector){x[0], x[1], x[2]}, (tp_vector){0, 0, 0}, 0, NULL);
        if (result >= TP_OK && i < vortex_vortons(plan))
            result =
                tp_particle_strength(world, i, (tp_vector){strength[0], strength[1], strength[2]});
    }
    return result;
}

int bench_vortex(const bench_plan *plan, bench_result *result)
{
    tp_world_def def = vortex_def(plan);
    return bench_filled(&def, plan, fill_ring, result);
}

/* ---- the plain program: sums over all vortons */

typedef struct plain_air {
    float *x[3], *half[3], *strength[3], *half_strength[3];
    float *numbers; /* all of these */
    uint32_t count, vortons;
} plain_air;

static bool plain_open(plain_air *air, const bench_plan *plan)
{
    uint64_t random = plan->seed;
    *air = (plain_air){.count = plan->particles, .vortons = vortex_vortons(plan)};
    air->numbers = host_allocate((size_t)air->count, 12 * sizeof *air->numbers);
    if (!air->numbers) return false;
    for (uint32_t axis = 0; axis < 3; axis++) {
        float *first = air->numbers + (size_t)axis * 4 * air->count;
        air->x[axis] = first;
        air->half[axis] = first + air->count;
        air->strength[axis] = first + 2 * (size_t)air->count;
        air->half_strength[axis] = first + 3 * (size_t)air->count;
    }
    for (uint32_t i = 0; i < air->count; i++) {
        float x[3], strength[3];
        vortex_particle(plan, i, &random, x, strength);
        for (uint32_t axis = 0; axis < 3; axis++) {
            air->x[axis][i] = x[axis];
            air->strength[axis][i] = strength[axis];
        }
    }
    return true;
}

static void plain_cross(const float a[3], const float b[3], float to[3])
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* Adds the velocity that a vorton of strength `from` gives at an offset; to a vorton of strength
   `to` also the change of it, by the transposed gradient. */
static void plain_pair(const float r[3], const float from[3], const float *to, float u[3],
                       float change[3])
{
    float square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + VORTEX_CORE * VORTEX_CORE,
          inverse = 1 / sqrtf(square), cubed = inverse * inverse * inverse, c[3], turned[3];
    plain_cross(from, r, c);
    for (int axis = 0; axis < 3; axis++) u[axis] += cubed * c[axis];
    if (!to) return;
    float along = 3 * cubed * inverse * inverse * (to[0] * c[0] + to[1] * c[1] + to[2] * c[2]);
    plain_cross(to, from, turned);
    for (int axis = 0; axis < 3; axis++) change[axis] += cubed * turned[axis] - along * r[axis];
}

/* One half of a midpoint step: from the places and strengths `at`, what the start becomes after
   `timestep`. */
static void plain_half(const plain_air *air, float *const at[3], float *const strengths[3],
                       float timestep, float *const to[3], float *const to_strengths[3])
{
    const float scale = timestep / (float)(4 * pi);
    for (uint32_t i = 0; i < air->count; i++) {
        float u[3] = {0, 0, 0}, change[3] = {0, 0, 0}, own[3];
        for (int axis = 0; axis < 3; axis++) own[axis] = strengths[axis][i];
        for (uint32_t j = 0; j < air->vortons; j++) {
            float r[3], from[3];
            for (int axis = 0; axis < 3; axis++) {
                r[axis] = at[axis][i] - at[axis][j];
                from[axis] = strengths[axis][j];
            }
            plain_pair(r, from, i < air->vortons ? own : NULL, u, change);
        }
        for (int axis = 0; axis < 3; axis++) {
            to[axis][i] = air->x[axis][i] + scale * u[axis];
            to_strengths[axis][i] = air->strength[axis][i] + scale * change[axis];
        }
    }
}

static void plain_step(plain_air *air)
{
    plain_half(air, air->x, air->strength, 0.5f / VORTEX_RATE, air->half, air->half_strength);
    plain_half(air, air->half, air->half_strength, 1.0f / VORTEX_RATE, air->x, air->strength);
}

int bench_plain_vortex(const bench_plan *plan, bench_result *result)
{
    plain_air air;
    double *frame_ns = host_allocate(plan->steps, sizeof *frame_ns);
    bool is_ready = plain_open(&air, plan) && frame_ns;
    memset(result, 0, sizeof *result);
    for (uint32_t step = 0; step < plan->settling && is_ready; step++) plain_step(&air);
    for (uint32_t step = 0; step < plan->steps && is_ready; step++) {
        double started = bench_seconds(NULL);
        plain_step(&air);
        frame_ns[step] = (bench_seconds(NULL) - started) * 1e9;
    }
    result->particles = air.count;
    result->steps = plan->steps;
    for (uint32_t i = 0; i < air.count && is_ready; i++)
        result->height += (double)air.x[1][i] / air.count;
    result->memory_bytes = sizeof *air.numbers * 12 * air.count;
    if (is_ready) bench_finish(result, frame_ns, NULL, plan->steps);
    free(air.numbers);
    free(frame_ns);
    return is_ready ? HOST_DONE : host_out_of_memory("a benchmark");
}
