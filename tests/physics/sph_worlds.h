/* SPDX-License-Identifier: MIT
   tests/physics/sph_worlds.h - worlds of fluid for test_sph.c, and the results of their stages.
   reads   definitions, the back set      writes  worlds
   memory  worlds of up to 3000 particles      cost    that of the worlds
   after   own design */
#ifndef TIDEPOOL_SPH_WORLDS_H
#define TIDEPOOL_SPH_WORLDS_H
#include "test.h"
#include "wall_sums.h"
#include "world_help.h"
#include "solve/sph/sph_lanes.h"

#define RADIUS 0.3 /* the default smoothing radius in two dimensions */

/* ---- worlds ---- */

/* The published constants with steps of 1/140 s, one per frame, without gravity. The neighbour
   limit is too high to matter; the step limit is raised above its default. In 3D the fluid is
   softer than by default, so that it bears such steps. */
static inline tp_world_def fluid_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.frames_per_second_numerator = 140;
    def.slice_units = 65536;
    if (dimensions == 2) def.sph.smoothing_radius = (float)RADIUS;
    if (dimensions == 3) def.sph.stiffness = def.sph.near_stiffness = 0.0003f;
    def.sph.neighbours_max = 128;
    def.sph.timestep_max = 0.010f;
    def.species[1].mass = 1.4f;
    return def;
}

static inline void fluid_add(tp_world *world, tp_vector at, tp_vector velocity, uint32_t species)
{
    CHECK(tp_particle_add(world, at, velocity, species, NULL) == TP_OK);
}

/* A block of columns x rows with this spacing; `corner` is its lower left particle. */
static inline void fluid_block(tp_world *world, tp_vector corner, uint32_t columns, uint32_t rows,
                               float spacing, uint32_t species)
{
    for (uint32_t i = 0; i < columns * rows; i++) {
        tp_vector at = {corner.x + spacing * (float)(i % columns),
                        corner.y + spacing * (float)(i / columns), 0};
        fluid_add(world, at, (tp_vector){0, 0, 0}, species);
    }
}

/* Random positions in a box of `side`, with speeds up to `speed` along each axis. */
static inline test_world fluid_random(const tp_world_def *def, float side, float speed)
{
    uint32_t state = 12345;
    test_world made = test_world_make(def);
    for (uint32_t i = 0; i < def->particles_max; i++) {
        float n[6];
        for (uint32_t k = 0; k < 6; k++) n[k] = test_random(&state);
        tp_vector at = {side * n[0], side * n[1], side * n[2]};
        tp_vector velocity = {speed * (2.0f * n[3] - 1.0f), speed * (2.0f * n[4] - 1.0f),
                              speed * (2.0f * n[5] - 1.0f)};
        fluid_add(made.world, at, velocity, i % def->species_count);
    }
    return made;
}

/* ---- results of the stages, by index in the back set ---- */

static inline double measured_density(const tp_world *world, uint32_t place)
{
    double unit =
        (double)tpi_sph_of(world)->norm * (double)tpi_sph_of(world)->mass_unit / 8388608.0;
    return (double)tpi_sph_density_of(world)[place] * unit;
}

static inline double measured_near(const tp_world *world, uint32_t place)
{
    double unit =
        (double)tpi_sph_of(world)->near_norm * (double)tpi_sph_of(world)->mass_unit / 8388608.0;
    return (double)tpi_sph_near_density_of(world)[place] * unit;
}

/* Its density with that of walls. */
static inline double measured_whole(const tp_world *world, uint32_t place)
{
    double norm = (double)tpi_sph_of(world)->norm, density = measured_density(world, place);
    wall_sums sums = {.sum = {density / norm, 0}};
    sums.point = tpi_vector(tpi_back_x(world, 0)[place], tpi_back_x(world, 1)[place],
                            tpi_dimensions(world) == 3 ? tpi_back_x(world, 2)[place] : 0.0f);
    if (world->def.sph.compat) return density;
    wall_sums_find(world, &sums);
    return norm * wall_sums_whole(&sums, 0);
}

static inline uint32_t species_of(const tp_world *world, uint32_t place)
{
    return TPI_ORDER_SPECIES(tpi_words(world, world->arrays.order)[place]);
}

static inline uint32_t place_of(const tp_world *world, uint32_t id)
{
    const uint32_t *order = tpi_words(world, world->arrays.order),
                   *ids = tpi_words(world, world->arrays.id);
    for (uint32_t place = 0; place < world->step.count; place++)
        if (ids[TPI_ORDER_INDEX(order[place])] == id) return place;
    CHECK(false);
    return 0;
}

#endif
