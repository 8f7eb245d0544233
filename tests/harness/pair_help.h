/* SPDX-License-Identifier: MIT
   tests/harness/pair_help.h - worlds with pair forces for tests: crystals, gases, their measured
           quantities.
   reads   its arguments      writes  worlds
   memory  two numbers per axis and particle      cost    O(particles^2) for random positions
   after   reduced units: sigma, epsilon and mass are 1 */
#ifndef PAIR_HELP_H
#define PAIR_HELP_H
#include "world_help.h"

/* One step of `timestep` per frame; the radius for colliders is 0. */
tp_world_def pair_def(uint32_t dimensions, uint32_t particles, double timestep);
/* Makes the definition periodic along every axis. */
void pair_box(tp_world_def *def, double side);
/* Adds a particle of the first species at rest. */
void pair_add(tp_world *world, double x, double y, double z);
void pair_heat(tp_world *world, double temperature, uint32_t seed);
test_world pair_crystal(tp_world_def *def, uint32_t cells, double density, double temperature);
test_world pair_random(const tp_world_def *def, double low, double side, double apart,
                       double speed);
/* A two-dimensional emitter: fills a square of 2 * half around (middle, middle) with `burst`
   particles, `apart` from each other, and goes on with `rate` per second. */
void pair_spout(tp_world *world, float middle, float half, float apart, uint32_t burst,
                uint32_t rate, float jitter);
tp_pair_report pair_measure(tp_world *world);

#endif
