/* SPDX-License-Identifier: MIT
   tests/harness/emit_help.h - what the tests of emitters share: a scene of dust, and emitters for it.
   reads   definitions      writes  what is passed in
   memory  a mesh           cost    that of the runtime's calls
   after   own design */
#ifndef TIDEPOOL_EMIT_HELP_H
#define TIDEPOOL_EMIT_HELP_H
#include "world_help.h"
#include "emit/emit.h"

/* Without a solver, and with room for 4 emitters and sinks. */
tp_world_def emit_scene(uint32_t dimensions, uint32_t particles);
test_world emit_world(uint32_t dimensions, uint32_t particles);
/* Adds an emitter that must be good. */
tp_emitter emit_add(const test_world *made, const tp_emitter_def *def);

/* Five vertices in a box from the origin to (2, 1, 3); four triangles, of area 1, 1, 0 and 1.5. */
tp_emitter_def emit_mesh(void);
/* A ball at `x` that uses a burst, a rate without a round period, and every jitter. */
tp_emitter_def emit_lively(float x);

#endif
