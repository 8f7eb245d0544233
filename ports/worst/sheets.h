/* SPDX-License-Identifier: MIT
   ports/worst/sheets.h - worlds of cloth in the scenes of the worst-case search.
   reads   worst_game      writes  its definition, sheets, pins, ties
   memory  1 KiB of stack       cost  a call per pin and tie
   after   own design; part of worst.c */
#ifndef TIDEPOOL_WORST_SHEETS_H
#define TIDEPOOL_WORST_SHEETS_H

#define WORST_FAN  40u /* vertices of a fan at most */
#define WORST_TIES 4u

/* Bits of `sheet_more`. */
#define WORST_LIMIT   1 /* of the stretch */
#define WORST_FOLDS   2
#define WORST_DEEP    4 /* a block with volumes */
#define WORST_TIED    8
#define WORST_CROSSES 16 /* points and triangles, and edges, keep apart too */

/* ---- features of a scene: some exclude each other ---- */

static bool worst_wears(const worst_scene *scene) { return scene->tear > 0; }
static bool worst_is_xpbd_3d(const worst_scene *scene)
{
    return scene->dimensions == 3 && scene->integrator == 0;
}
static bool worst_has_folds(const worst_scene *scene)
{
    return (scene->sheet_more & WORST_FOLDS) && worst_is_xpbd_3d(scene) && !worst_wears(scene);
}
static bool worst_is_deep(const worst_scene *scene)
{
    return (scene->sheet_more & WORST_DEEP) && worst_is_xpbd_3d(scene) && !worst_wears(scene) &&
           !scene->adaptive;
}
static bool worst_crosses(const worst_scene *scene)
{
    return (scene->sheet_more & WORST_CROSSES) && scene->dimensions == 3 && scene->thickness > 0 &&
           !worst_wears(scene);
}
static uint32_t worst_splits(const worst_scene *scene)
{
    bool can_split = scene->solver == WORST_CLOTH && scene->dimensions == 3 && worst_wears(scene);
    return can_split ? (uint32_t)scene->splits : 0u;
}

/* ---- the definition ---- */

/* Six constraints per node are enough for a grid, three for a fan. */
static void worst_define_cloth(tp_world_def *def, const worst_scene *scene)
{
    const uint32_t nodes = def->particles_max;
    def->solver = TP_SOLVER_CLOTH;
    def->pool_policy = TP_POOL_REFUSE;
    def->cloth.splits_max = worst_splits(scene);
    def->particles_max += def->cloth.splits_max;
    def->cloth.constraints_max =
        (worst_is_deep(scene) ? 16u : 6u) * nodes + 2u * def->cloth.splits_max;
    def->cloth.triangles_max =
        scene->dimensions == 3 ? (worst_is_deep(scene) ? 4u : 2u) * nodes : 0;
    def->cloth.air = scene->dimensions == 3 && scene->loads ? 1.2f : 0.0f;
    def->cloth.timestep_max = 0.0055f;
    def->cloth.damping = scene->thermostat ? 0.001f : 0.0f;
    def->cloth.integrator = (tp_cloth_integrator)scene->integrator;
    def->cloth.tear = 0.001f * (float)scene->tear;
    if (worst_wears(scene) && (scene->seed & 4)) def->cloth.yield = 0.01f;
    def->cloth.thickness = 0.01f * (float)scene->thickness / 16.0f;
    if (worst_crosses(scene)) def->cloth.edge_max = 8.0f;
    if (scene->sheet_more & WORST_LIMIT) {
        def->cloth.limit = 0.05f;
        def->cloth.limit_passes = 1u + (uint32_t)scene->seed % 4u;
    }
    if (worst_has_folds(scene)) def->cloth.folds_max = 6u * nodes;
    if (worst_is_deep(scene)) def->cloth.tetrahedra_max = 5u * nodes;
    if (scene->sheet_more & WORST_TIED) def->cloth.ties_max = WORST_TIES;
}

/* ---- sheets ---- */

/* A grid, of two columns or nearly as many as rows; a block has two layers. */
static tp_result worst_add_grid(worst_game *game, uint32_t count, tp_cloth_def *def, uint32_t *id)
{
    uint32_t columns = 2;
    if (worst_is_deep(game->scene)) def->layers = 2;
    count /= def->layers;
    while (game->scene->stores && columns * columns < count) columns++;
    def->columns = columns;
    def->rows = count / columns;
    if (def->rows < def->layers) return TP_OK;
    return def->layers > 1u ? tp_cloth_block(game->world, def, id)
                            : tp_cloth_grid(game->world, def, id);
}

/* A fan of triangles around a hub, which has more edges than there are colours. */
static tp_result worst_add_fan(worst_game *game, uint32_t count, tp_cloth_def *def, uint32_t *id)
{
    tp_vector vertices[WORST_FAN];
    uint32_t indices[3u * WORST_FAN];
    count = count < WORST_FAN ? count : WORST_FAN;
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = {0.1f * (float)(i & 7u), i ? 0.2f + 0.1f * (float)(i >> 3) : 0.0f, 0.0f};
        vertices[i] = at;
        indices[3u * i] = 0;
        indices[3u * i + 1u] = i;
        indices[3u * i + 2u] = i + 1u;
    }
    def->vertices = vertices;
    def->vertex_count = count;
    def->indices = indices + 3; /* the first is no triangle */
    def->triangle_count = count > 2u ? count - 2u : 0u;
    return count > 2u ? tp_cloth_mesh(game->world, def, id) : TP_OK;
}

/* Ties the first nodes to the last ones; every second tie breaks. */
static void worst_add_ties(worst_game *game, uint32_t id, uint32_t nodes)
{
    tp_cloth_tie_def def = tp_cloth_tie_default();
    uint32_t number;
    def.length = 0.02f;
    for (uint32_t k = 0; k < WORST_TIES && 2u * k + 1u < nodes; k++) {
        def.node = id + k;
        def.other = id + nodes - 1u - k;
        def.strength = k & 1u ? 1.0f : 0.0f;
        tp_result result = tp_cloth_tie(game->world, &def, &number);
        worst_note(game, worst_ignore_full(result));
    }
}

/* Throws every third node, so that cloth tears within a few steps. */
static void worst_throw(worst_game *game, uint32_t nodes)
{
    const float speed = 10.0f + (float)game->scene->speed * 1e-3f;
    for (uint32_t i = 0; i < nodes; i += 3u) {
        const tp_view view = tp_world_view(game->world);
        const tp_vector at = {view.x[i], view.y[i], view.z[i]};
        worst_note(game, tp_particle_set(game->world, i, at, worst_vector(game, speed)));
    }
}

/* Adds a sheet instead of the particles, with pins and ties at some nodes. */
static void worst_add_cloth(worst_game *game, uint32_t count)
{
    const worst_scene *scene = game->scene;
    tp_cloth_def def = tp_cloth_default();
    uint32_t id = 0;
    def.origin.x = worst_far(scene);
    def.along.x = def.along.x + 0.001f * (float)scene->spread;
    def.velocity = worst_vector(game, (float)scene->speed * 1e-3f);
    def.stretch = scene->links ? 0.001f * (float)scene->links : 0.0f;
    def.tether = scene->periodic ? 0.0f : 1.0f + 0.1f * (float)scene->skin;
    if (def.tether > 10.0f) def.tether = 10.0f;
    if (worst_wears(scene)) def.tether = 0.0f;
    if (worst_has_folds(scene)) def.kinds |= TP_CLOTH_FOLD;
    worst_note(game, scene->adaptive ? worst_add_fan(game, count, &def, &id)
                                     : worst_add_grid(game, count, &def, &id));
    const uint32_t nodes = tp_world_view(game->world).count;
    for (uint32_t k = 0; k < 4u && k < nodes; k++)
        if (worst_random(game) & 1u) worst_note(game, tp_cloth_pin(game->world, id + k, true));
    if (scene->sheet_more & WORST_TIED) worst_add_ties(game, id, nodes);
    if (worst_splits(scene)) worst_throw(game, nodes);
}

#endif
