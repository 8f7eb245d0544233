/* SPDX-License-Identifier: MIT
   ports/worst/scene.h - the parameters of a scene in the search for the worst case.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; ports/worst/fields has names and ranges, in the same order */
#ifndef TIDEPOOL_WORST_SCENE_H
#define TIDEPOOL_WORST_SCENE_H
#include <stdint.h>

typedef struct worst_scene {
    int32_t dimensions, solver, particles, neighbours, cell_max, stores, slice, budget, substeps,
        adaptive, overload, lag, pattern, spread, speed, colliders, collider_kind, emitters,
        emitter_kind, burst, rate, sinks, fields, field_kind, species, recycle, links, periodic,
        skin, cutoff, births, thermostat, moves, far, friction, seed, formulation, springs, heat,
        viscosity, cohesion, bodies, loads, events, feeds, shares, sticks, mixes, body_events,
        changes, batches, words, last_frame, curves, feed_kind, feed_way, kills, pins, jelly,
        breaks, sink_rate, edges, wraps, places, slow_events, queries, lattice, emitter_mesh,
        vortons, air_grid, tear, splits, thickness, integrator, sheet_more;
} worst_scene;

/* ports/worst/measure.sh writes the file that defines them. */
extern const worst_scene worst_scenes[];
extern const uint32_t worst_scene_count;
/* Game frames of each scene, and the number of frames after which its particles are created again;
   0: never. */
extern const uint32_t worst_frames, worst_period;

#endif
