/* SPDX-License-Identifier: MIT
   tests/harness/pair_help.h - worlds of pairs for tests: crystals, gases, what they measure.
   reads   its arguments      writes  worlds
   memory  two numbers an axis and particle      cost    O(particles^2) to place at random
   after   reduced units: sigma, epsilon and mass are 1 */
#ifndef PAIR_HELP_H
#define PAIR_HELP_H
#include "world_help.h"

/* One step of `timestep` a frame, no radius for colliders. */
tp_world_def pair_def(uint32_t dimensions, uint32_t particles, double timestep);
/* Periodic along every axis. */
void pair_box(tp_world_def *def, double side);
/* At rest, of the first species. */
void pair_add(tp_world *world, double x, double y, double z);
void pair_heat(tp_world *world, double temperature, uint32_t seed);
test_world pair_crystal(tp_world_def *def, uint32_t cells, double density, double temperature);
test_world pair_random(const tp_world_def *def, double low, double side, double apart, double speed);
/* A source in the plane that fills a square of 2 * half around (middle, middle) with `burst` particles, `apart` from each
   other, and goes on with `rate` a second. */
void pair_spout(tp_world *world, float middle, float half, float apart, uint32_t burst, uint32_t rate,
                float jitter);
tp_pair_report pair_measure(tp_world *world);

#endif
