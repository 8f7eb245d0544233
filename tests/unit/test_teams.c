/* SPDX-License-Identifier: MIT
   tests/unit/test_teams.c - threads that share the passes of each formulation of a fluid change no
           bit.
   reads   runtime, platform/jobs_posix      writes  nothing
   memory  worlds of 3011 particles          cost    about a second
   after   own design: tests/threads/run watches this suite. The number of particles is no multiple
           of a vector, so that the last vector of an array ends in the next array */
#include "test.h"
#include "world_help.h"
#include "collide_help.h"
#include "jobs_posix/jobs.h"

#define TEAMS_PARTICLES 3011u

/* Runs the parts from last to first on the caller's thread. */
static void teams_backwards(void *context, void (*work)(void *argument, uint32_t index),
                            void *argument, uint32_t count)
{
    (void)context;
    for (uint32_t index = count; index-- > 0;) work(argument, index);
}

/* A block of fluid that falls on a floor: each formulation but the double density, which the suite
   `jobs` has, with what has passes of its own: loads, viscosity, heat, springs. */
static test_world teams_world(uint32_t kind)
{
    const float spacing = 0.1f;
    const uint32_t dimensions = 2u + kind % 2u, row = dimensions == 2 ? 60 : 15,
                   layer = dimensions == 2 ? 1 : 15;
    tp_world_def def = tp_world_default(dimensions);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = TEAMS_PARTICLES;
    if (kind < 2) tp_sph_incompressible(&def, spacing);
    if (kind == 2) tp_sph_ideal_gas(&def, spacing, 5.0f);
    if (kind == 3) tp_sph_weakly_compressible(&def, spacing, 1.5f);
    def.sph.stores_neighbours = kind != 1;
    def.measures_loads = kind < 2;
    def.sph.viscosity = kind == 1 ? 0.01f : 0.0f;
    def.heat.range = kind == 2 ? 100.0f : 0.0f;
    def.heat.diffusivity = kind == 2 ? 1e-4f : 0.0f;
    def.sph.springs_max = kind == 3 ? 8 : 0;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    collide_add(made.world, &floor);
    for (uint32_t i = 0; i < TEAMS_PARTICLES; i++) {
        tp_vector at = {spacing * (float)(i % row), spacing * (0.5f + (float)(i / row / layer)),
                        dimensions == 2 ? 0.0f : spacing * (float)(i / row % layer)};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, -1, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

static void any_number_of_workers_gives_one_hash_of_every_fluid(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    for (uint32_t kind = 0; kind < 4; kind++) {
        uint64_t hash[3];
        tp_jobs jobs = {teams_backwards, NULL, 4};
        const tp_jobs *const teams[3] = {NULL, &pool.jobs, &jobs};
        for (uint32_t run = 0; run < 3; run++) {
            test_world made = teams_world(kind);
            tp_budget budget = {.jobs = teams[run]};
            for (uint32_t frame = 0; frame < 2; frame++)
                CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
            tp_report report = tp_world_report(made.world);
            hash[run] = tp_world_hash(made.world) ^ report.units << 8 ^ report.pairs << 40;
            test_note("fluid %u, team %u", kind, run);
            CHECK(report.pairs > 0);
            CHECK_EQ(hash[run], hash[0]);
            test_world_free(&made);
        }
    }
    platform_jobs_stop(&pool);
}

static const test_case cases[] = {
    TEST_CASE(any_number_of_workers_gives_one_hash_of_every_fluid),
};
TEST_SUITE(teams, cases);
