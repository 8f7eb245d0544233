/* SPDX-License-Identifier: MIT
   tests/harness/emit_help.h - shared by the tests of emitters: a scene without a solver, and
           emitters for it.
   reads   definitions      writes  what is passed in
   memory  a mesh           cost    that of the runtime's calls
   after   own design */
#ifndef TIDEPOOL_EMIT_HELP_H
#define TIDEPOOL_EMIT_HELP_H
#include "world_help.h"
#include "emit/emit.h"

/* A world without a solver, with a capacity of 4 emitters and 4 sinks. */
tp_world_def emit_scene(uint32_t dimensions, uint32_t particles);
test_world emit_world(uint32_t dimensions, uint32_t particles);
/* Adds an emitter; fails the test if it is refused. */
tp_emitter emit_add(const test_world *made, const tp_emitter_def *def);

/* A mesh of five vertices in a box from the origin to (2, 1, 3); four triangles of areas 1, 1, 0
   and 1.5. */
tp_emitter_def emit_mesh(void);
/* A ball at `x` with a burst, a rate whose period is not a whole number of steps, and every
   jitter. */
tp_emitter_def emit_lively(float x);

#endif
