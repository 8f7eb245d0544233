/* SPDX-License-Identifier: MIT
   tests/physics/vortex_worlds.h - shared by tests of vortices: vortons, slices of their stage.
   reads   a world                         writes  a world
   memory  none                            cost    that of a step
   after   own design; included by each of them */
#ifndef TIDEPOOL_VORTEX_WORLDS_H
#define TIDEPOOL_VORTEX_WORLDS_H
#include "test.h"
#include "solve/vortex/vortex_lanes.h"
#include "world_help.h"

/* A world of vortices; all particles may be vortons, up to the most that there may be. */
static inline tp_world_def vortex_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_VORTEX;
    def.particles_max = particles;
    def.vortex.vortons_max = particles < 4096 ? particles : 4096;
    return def;
}

/* A grid of this many nodes along each axis around the origin. */
static inline void vortex_grid(tp_world_def *def, uint32_t nodes, float size)
{
    for (uint32_t axis = 0; axis < 3; axis++) def->vortex.grid_nodes[axis] = nodes;
    def->vortex.grid_spacing = size / (float)(nodes - 1u);
    def->vortex.grid_low = (tp_vector){-0.5f * size, -0.5f * size, -0.5f * size};
}

static inline void vortex_add(tp_world *world, tp_vector x, tp_vector strength)
{
    uint32_t index = tp_world_view(world).count;
    CHECK_EQ(tp_particle_add(world, x, (tp_vector){0, 0, 0}, 0, NULL), TP_OK);
    CHECK_EQ(tp_particle_strength(world, index, strength), TP_OK);
}

/* Sums of strengths, and the impulse: half of the sum of x cross strength. */
static inline void vortex_sums(const tp_world *world, double to[6])
{
    tp_view view = tp_world_view(world);
    for (uint32_t k = 0; k < 6; k++) to[k] = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double x[3] = {(double)view.x[i], (double)view.y[i], (double)view.z[i]},
               a[3] = {(double)view.strength_x[i], (double)view.strength_y[i],
                       (double)view.strength_z[i]};
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t m = (k + 1) % 3, n = (k + 2) % 3;
            to[k] += a[k];
            to[3 + k] += 0.5 * (x[m] * a[n] - x[n] * a[m]);
        }
    }
}

/* Runs the stage FORCE of a new world in slices of `limit` units, none of which may exceed it by
   more than `item`. Returns the units of the whole stage, and frees the world. */
static inline uint32_t vortex_units(test_world made, uint32_t limit, uint32_t item)
{
    tp_budget budget = {.units = 1, .frames_max = 1};
    bool done = false;
    uint32_t all = 0, most = 0;
    for (uint32_t call = 0; call < 1000 && !made.world->step.active; call++)
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    for (uint32_t call = 0; call < 1000 && made.world->step.stage != TP_STAGE_FORCE; call++)
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    while (CHECK(made.world->step.stage == TP_STAGE_FORCE) && !done) {
        uint32_t units = tpi_vortex_run(made.world, NULL, limit, &done);
        all += units;
        most = units > most ? units : most;
    }
    test_note("%u units in all, %u in a slice", (unsigned)all, (unsigned)most);
    CHECK(most <= limit + item);
    test_world_free(&made);
    return all;
}

/* Hash of a new world after `frames`, in calls of these units and widths. Frees the world. */
static inline uint64_t vortex_hash(test_world made, uint32_t frames, uint32_t units, uint32_t lanes)
{
    tp_budget budget = {.units = units, .frames_max = 1, .lanes_max = (uint8_t)lanes};
    while (tp_world_report(made.world).frames < frames)
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

#endif
