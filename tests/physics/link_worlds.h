/* SPDX-License-Identifier: MIT
   tests/physics/link_worlds.h - worlds of linked particles, and their states by id.
   reads   views      writes  worlds
   memory  worlds of up to 300 particles      cost    that of the worlds
   after   own design */
#ifndef TIDEPOOL_LINK_WORLDS_H
#define TIDEPOOL_LINK_WORLDS_H
#include "test.h"
#include "world_help.h"

/* One step of `timestep` per frame; no pair forces; their cutoff is 1 m. */
static inline tp_world_def link_def(uint32_t dimensions, uint32_t particles, uint32_t links,
                                    double timestep)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = particles;
    def.links_max = links;
    def.frames_per_second_numerator = (uint32_t)(1 / timestep + 0.5);
    def.slice_units = 65536;
    def.pair.timestep_max = 0.05f;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        def.species[s].radius = 0.0f;
        def.species[s].epsilon = 0.0f;
        def.species[s].sigma = 0.4f;
    }
    return def;
}

static inline uint32_t link_particle(tp_world *world, double x, double y, double z, double vx,
                                     uint32_t species)
{
    uint32_t id = 0;
    tp_vector at = {(float)x, (float)y, (float)z}, v = {(float)vx, 0, 0};
    CHECK(tp_particle_add(world, at, v, species, &id) == TP_OK);
    return id;
}

static inline tp_link link_add(tp_world *world, uint32_t first, uint32_t second, double rest,
                               double stiffness, double damping)
{
    tp_link link = {0};
    tp_link_def def = tp_link_default();
    def.first = first;
    def.second = second;
    def.rest_length = (float)rest;
    def.stiffness = (float)stiffness;
    def.damping = (float)damping;
    if (!CHECK(tp_link_add(world, &def, &link) == TP_OK)) {
        const char *text = tp_link_check(world, &def);
        test_note("%s", text ? text : "full");
    }
    return link;
}

static inline uint32_t link_place(const tp_world *world, uint32_t id)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++)
        if (view.id[i] == id) return i;
    return UINT32_MAX;
}

static inline double link_x(const tp_world *world, uint32_t id)
{
    return (double)tp_world_view(world).x[link_place(world, id)];
}
static inline double link_v(const tp_world *world, uint32_t id)
{
    return (double)tp_world_view(world).vx[link_place(world, id)];
}

static inline tp_pair_report link_measure(tp_world *world)
{
    tp_pair_report report;
    CHECK(tp_pair_measure(world, &report) == TP_OK);
    return report;
}

#endif
