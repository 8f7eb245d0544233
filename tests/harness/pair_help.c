/* SPDX-License-Identifier: MIT
   tests/harness/pair_help.c - worlds with pair forces for tests: crystals, gases, their measured
           quantities.
   reads   its arguments      writes  worlds
   memory  two numbers per axis and particle      cost    O(particles^2) for random positions
   after   reduced units: sigma, epsilon and mass are 1 */
#include "pair_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A definition in reduced units with one step of `timestep` per frame. */
tp_world_def pair_def(uint32_t dimensions, uint32_t particles, double timestep)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = particles;
    def.frames_per_second_numerator = (uint32_t)(1.0 / timestep + 0.5);
    def.slice_units = 65536;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) def.species[s].radius = 0.0f;
    return def;
}

void pair_box(tp_world_def *def, double side)
{
    float size = (float)side;
    def->periodic_axes =
        def->dimensions == 3 ? TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z : TP_AXIS_X | TP_AXIS_Y;
    def->box_size = (tp_vector){size, size, size};
}

void pair_add(tp_world *world, double x, double y, double z)
{
    tp_vector at = {(float)x, (float)y, (float)z};
    CHECK(tp_particle_add(world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
}

/* Sets random velocities with zero total momentum and exactly this temperature. */
void pair_heat(tp_world *world, double temperature, uint32_t seed)
{
    tp_view view = tp_world_view(world);
    uint32_t axes = world->def.dimensions, count = view.count, state = seed;
    double *v = malloc(count * axes * sizeof *v), sum[3] = {0}, square = 0;
    for (uint32_t i = 0; i < count * axes; i++) {
        v[i] = -6;
        for (int k = 0; k < 12; k++) v[i] += (double)test_random(&state);
        sum[i % axes] += v[i];
    }
    for (uint32_t i = 0; i < count * axes; i++) {
        v[i] -= sum[i % axes] / count;
        square += v[i] * v[i];
    }
    double scale = sqrt(temperature * axes * (count - 1) / square);
    for (uint32_t i = 0; i < count; i++) {
        tp_vector x = {view.x[i], view.y[i], view.z ? view.z[i] : 0};
        tp_vector u = {(float)(scale * v[i * axes]), (float)(scale * v[i * axes + 1]),
                       axes == 3 ? (float)(scale * v[i * axes + 2]) : 0};
        CHECK(tp_particle_set(world, i, x, u) == TP_OK);
    }
    free(v);
}

/* A face-centred cubic crystal with `cells` cells along each side at `density`: 4 cells^3 particles
   at `temperature`. */
test_world pair_crystal(tp_world_def *def, uint32_t cells, double density, double temperature)
{
    static const double basis[4][3] = {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}};
    double side = cbrt(4.0 / density);
    def->particles_max = 4 * cells * cells * cells;
    pair_box(def, side * cells);
    test_world made = test_world_make(def);
    for (uint32_t n = 0; n < def->particles_max; n++) {
        uint32_t c = n / 4;
        double x = c % cells, y = c / cells % cells, z = c / cells / cells;
        pair_add(made.world, (x + basis[n % 4][0] + .25) * side, (y + basis[n % 4][1] + .25) * side,
                 (z + basis[n % 4][2] + .25) * side);
    }
    pair_heat(made.world, temperature, 87287);
    return made;
}

/* Random positions with no two particles closer than `apart`: a gas or a loose liquid in a cube
   from `low`, `side` long. */
test_world pair_random(const tp_world_def *def, double low, double side, double apart, double speed)
{
    uint32_t state = 4711, axes = def->dimensions, tries = 0;
    double *x = malloc(def->particles_max * 3 * sizeof *x);
    test_world made = test_world_make(def);
    for (uint32_t n = 0; n < def->particles_max && tries < 1000000; tries++) {
        double at[3] = {0, 0, 0};
        bool is_free = true;
        for (uint32_t a = 0; a < axes; a++) at[a] = low + side * (double)test_random(&state);
        for (uint32_t m = 0; m < n && is_free; m++) {
            double square = 0;
            for (uint32_t a = 0; a < axes; a++) {
                double d = at[a] - x[m * 3 + a];
                if (def->periodic_axes >> a & 1) d -= side * round(d / side);
                square += d * d;
            }
            is_free = square > apart * apart;
        }
        if (!is_free) continue;
        memcpy(x + n * 3, at, sizeof at);
        tp_vector v = test_random_position(&state, (float)speed);
        CHECK(tp_particle_add(made.world, (tp_vector){(float)at[0], (float)at[1], (float)at[2]}, v,
                              n % def->species_count, NULL) == TP_OK);
        n++;
    }
    free(x);
    CHECK_EQ(made.world->count, def->particles_max);
    return made;
}

tp_pair_report pair_measure(tp_world *world)
{
    tp_pair_report report;
    CHECK(tp_pair_measure(world, &report) == TP_OK);
    return report;
}

void pair_spout(tp_world *world, float middle, float half, float apart, uint32_t burst,
                uint32_t rate, float jitter)
{
    tp_emitter emitter;
    tp_emitter_def spout = tp_emitter_default();
    spout.shape = TP_EMITTER_BOX;
    spout.pose.position = (tp_vector){middle, middle, 0};
    spout.size = (tp_vector){half, half, 0};
    spout.lattice_spacing = apart;
    spout.burst_count = burst;
    spout.rate_numerator = rate;
    spout.velocity_jitter = jitter;
    CHECK(tp_emitter_add(world, &spout, &emitter) == TP_OK);
}
