/* SPDX-License-Identifier: MIT
   ports/worst/vortices.h - worlds of vortices, by sums and by grids, in the scenes of the
           worst-case search.
   reads   worst_game      writes  its definition, strengths
   memory  none            cost    a call per vorton
   after   own design; part of worst.c */
#ifndef TIDEPOOL_WORST_VORTICES_H
#define TIDEPOOL_WORST_VORTICES_H

/* All burn and mix, and vortons become one or two. */
static void worst_define_fire(tp_world_def *def, const worst_scene *scene, float cell)
{
    def->heat.range = 100.0f;
    def->heat.diffusivity = scene->heat == 2 ? 0.1f : 0.0f;
    def->vortex.fuel_species = 0xffu;
    def->vortex.flame = 80.0f;
    def->vortex.burning = def->vortex.air = def->vortex.radiation = 5.0f;
    def->vortex.merge = scene->moves ? cell : 0.0f;
    def->vortex.split = scene->moves ? 0.5f : 0.0f;
}

/* The grid is around the particles, which leave it. */
static void worst_define_vortex(tp_world_def *def, const worst_scene *scene)
{
    static const uint32_t nodes[4][3] = {{0, 0, 0}, {5, 5, 5}, {9, 9, 9}, {17, 5, 5}};
    const float size = 0.002f * (float)scene->spread;
    def->solver = TP_SOLVER_VORTEX;
    def->vortex.vortons_max = (uint32_t)scene->vortons;
    def->vortex.core = 0.001f * (float)scene->spread;
    def->vortex.viscosity = 0.001f * (float)scene->viscosity;
    def->vortex.timestep_max = 0.0055f;
    if (!scene->air_grid || scene->dimensions == 2) return;
    if (scene->far == 3) return; /* a grid begins within 1000 km */
    for (uint32_t axis = 0; axis < 3; axis++)
        def->vortex.grid_nodes[axis] = nodes[scene->air_grid & 3][axis];
    def->vortex.grid_spacing = size / (float)(def->vortex.grid_nodes[0] - 1u);
    def->vortex.grid_low.x = worst_far(scene) - 0.5f * size;
    def->vortex.grid_low.y = def->vortex.grid_low.z = -0.5f * size;
    if (scene->moves) def->vortex.grip = 30.0f;
    def->vortex.grid_follows = scene->moves ? 5u : 0u;
    def->vortex.grid_closed = (uint32_t)scene->wraps;
    if (!scene->heat) return;
    worst_define_fire(def, scene, def->vortex.grid_spacing);
    def->vortex.lift.y = 0.01f;
    def->vortex.lift_species = def->vortex.vorton_species = 1u;
}

/* Strengths of the first particles. */
static void worst_add_strengths(worst_game *game)
{
    const tp_world_def *def = tp_world_definition(game->world);
    uint32_t count = tp_world_view(game->world).count;
    for (uint32_t i = 0; i < count && i < def->vortex.vortons_max; i++) {
        tp_vector strength = worst_vector(game, 1.0f);
        if (def->dimensions == 2) strength = (tp_vector){0.0f, 0.0f, strength.x};
        worst_note(game, tp_particle_strength(game->world, i, strength));
    }
}

#endif
