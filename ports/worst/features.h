/* SPDX-License-Identifier: MIT
   ports/worst/features.h - what a game does around a fluid, in the scenes of the worst-case search:
           live changes, batches, pins, jelly, edges, queries.
   reads   worst_game      writes  its world, worst_query_block
   memory  worst_query_block      cost  some calls per frame
   after   own design; part of worst.c */
#ifndef TIDEPOOL_WORST_FEATURES_H
#define TIDEPOOL_WORST_FEATURES_H

#define WORST_PARTICLES   160u /* at most, nodes from splits included */
#define WORST_EDGES       48u  /* of a mesh in 2D, at most */
#define WORST_QUERY_BLOCK (2u * TP_QUERY_BYTES(3, WORST_PARTICLES))

static _Alignas(16) unsigned char worst_query_block[WORST_QUERY_BLOCK];

/* ---- building ---- */

static void worst_define_features(tp_world_def *def, const worst_scene *scene)
{
    def->takes_changes = scene->changes > 0;
    def->keeps_words = scene->words || (scene->batches & 9);
    def->keeps_last_frame = scene->last_frame;
    def->links_max += (uint32_t)(scene->pins + 4 * scene->jelly);
    if (scene->solver == 0 || scene->solver >= WORST_CLOTH) def->links_max = 0;
    if (scene->events && def->bodies_max && scene->body_events)
        def->event_kinds |= TP_EVENTS_BODIES;
    if (scene->slow_events) def->event_speed = 0.0f;
    if (scene->solver == 1 && scene->wraps) def->periodic_axes = TP_AXIS_X | TP_AXIS_Y;
}

/* Factors over the age of a particle, in a field that may have them. */
static void worst_curve(tp_field_def *def, const worst_scene *scene)
{
    if (!scene->births || (def->kind != TP_FIELD_GRAVITY && def->kind != TP_FIELD_DRAG)) return;
    def->over_age.count = (uint32_t)scene->curves;
    for (uint32_t k = 0; k < def->over_age.count; k++) {
        def->over_age.age[k] = (float)(k + 1u) / (float)(TP_CURVE_MAX + 1u);
        def->over_age.value[k] = k & 1u ? 2.0f : 0.5f;
    }
}

/* A chain of random heights; with an odd seed loose edges, which are two-sided. */
static void worst_add_edges(worst_game *game, tp_collider_def *def, tp_collider *collider)
{
    tp_vector vertices[WORST_EDGES + 1u];
    uint32_t indices[2u * WORST_EDGES], edges = (uint32_t)game->scene->edges;
    const float step = def->spacing * 5.0f / (float)edges;
    for (uint32_t i = 0; i <= edges; i++) {
        tp_vector at = {-(float)i * step, worst_chance(game) * 0.5f * def->spacing, 0.0f};
        vertices[i] = at;
    }
    for (uint32_t i = 0; i < edges; i++) {
        indices[2u * i] = i;
        indices[2u * i + 1u] = i + 1u;
    }
    def->vertices = vertices;
    def->vertex_count = edges + 1u;
    def->indices = indices;
    def->triangle_count = edges;
    worst_note(game, tp_collider_add(game->world, def, collider));
}

/* The triangles of an emitter are a strip of random heights. */
static void worst_add_emitter_mesh(worst_game *game, tp_emitter_def *def, tp_emitter *emitter)
{
    tp_vector vertices[WORST_EDGES + 2u];
    uint32_t indices[3u * WORST_EDGES], triangles = (uint32_t)game->scene->emitter_mesh;
    const float size = def->size.x + 1e-3f;
    for (uint32_t i = 0; i < triangles + 2u; i++) {
        tp_vector at = {(float)i * size, (float)(i & 1u) * size, worst_chance(game) * size};
        if (game->scene->dimensions == 2) at.z = 0.0f;
        vertices[i] = at;
    }
    for (uint32_t i = 0; i < 3u * triangles; i++) indices[i] = i / 3u + i % 3u;
    def->shape = TP_EMITTER_MESH;
    def->vertices = vertices;
    def->vertex_count = triangles + 2u;
    def->indices = indices;
    def->triangle_count = triangles;
    worst_note(game, tp_emitter_add(game->world, def, emitter));
}

static tp_result worst_ignore_full(tp_result result)
{
    return result == TP_ERROR_FULL ? TP_OK : result;
}

/* Pins, and links between all particles of a range that are near each other: as many as fit. */
static void worst_join(worst_game *game)
{
    const worst_scene *scene = game->scene;
    uint32_t count = tp_world_view(game->world).count;
    tp_link_def def = tp_link_default();
    tp_link link;
    if (!tp_world_definition(game->world)->links_max || count < 2) return;
    const uint32_t *id = tp_world_view(game->world).id;
    def.first = def.second = id[0];
    for (uint32_t i = 0; i < count; i++) {
        def.first = id[i] < def.first ? id[i] : def.first;
        def.second = id[i] > def.second ? id[i] : def.second;
    }
    if (def.second > def.first + (uint32_t)scene->jelly)
        def.second = def.first + (uint32_t)scene->jelly;
    def.stiffness = scene->seed & 2 ? 1e5f : 50.0f;
    def.rest_length = 2.0f * worst_spread(scene) + 1e-3f;
    for (uint32_t k = 0; scene->jelly && k < 6u; k++, def.rest_length *= 0.6f) {
        def.break_length = scene->breaks ? 1.01f * def.rest_length : 0.0f;
        tp_result result = tp_links_add(game->world, &def, NULL, 0, NULL);
        worst_note(game, worst_ignore_full(result));
        if (result == TP_OK) break;
    }
    def = tp_link_default();
    def.second = TP_ID_NONE;
    def.rest_length = def.break_length = def.damping = 0.0f;
    def.stiffness = 100.0f;
    for (uint32_t i = 0; i < (uint32_t)scene->pins; i++) {
        def.first = tp_world_view(game->world).id[worst_random(game) % count];
        def.point = worst_vector(game, worst_spread(scene));
        worst_note(game, worst_ignore_full(tp_link_add(game->world, &def, &link)));
    }
}

static void worst_add_query(worst_game *game)
{
    tp_query_def def = tp_query_default(tp_world_definition(game->world));
    def.is_double = true;
    if (game->scene->solver != 1) def.radius = worst_spread(game->scene) + 1e-3f;
    def.surface_radius = 0.45f * def.radius;
    worst_note(game,
               tp_query_create(&def, worst_query_block, sizeof worst_query_block, &game->query));
}

/* ---- live changes ---- */

#define WORST_MAKE(call, ...)                                               \
    do {                                                                    \
        tp_result worst_made;                                               \
        WORST_MEASURE(call, WORST_SLICE_LEAST, worst_made = (__VA_ARGS__)); \
        worst_note(game, worst_made);                                       \
    } while (0)

/* Rates, or all settings, of every emitter and sink. */
static void worst_change_flows(worst_game *game)
{
    const bool is_whole = game->scene->changes > 1;
    for (uint32_t i = 0; i < game->emitter_count; i++) {
        tp_emitter_def def = worst_emitter(game, i);
        const bool is_mesh = i == 0 && game->scene->emitter_mesh;
        bool is_fed = def.feed_kinds != 0;
        def.velocity_jitter = 0.2f;
        if (is_whole && !is_mesh)
            WORST_MAKE(tp_emitter_set, tp_emitter_set(game->world, game->emitters[i], &def));
        else if (!is_fed)
            WORST_MAKE(tp_emitter_rate, tp_emitter_rate(game->world, game->emitters[i],
                                                        (uint32_t)game->scene->rate, 2));
    }
    for (uint32_t i = 0; i < game->sink_count; i++) {
        tp_sink_def def = worst_sink(game, i);
        if (is_whole)
            WORST_MAKE(tp_sink_set, tp_sink_set(game->world, game->sinks[i], &def));
        else
            WORST_MAKE(tp_sink_rate, tp_sink_rate(game->world, game->sinks[i], def.rate));
    }
}

/* Every collider; those of simple shapes become each other. */
static void worst_change_colliders(worst_game *game)
{
    for (uint32_t i = 0; i < game->collider_count; i++) {
        uint32_t shape = game->collider_shapes[i];
        if (shape <= TP_COLLIDER_BOX) shape = (shape + worst_random(game)) % 4u;
        tp_collider_def def = worst_collider(game, shape);
        if (tp_collider_set_check(game->world, game->colliders[i], &def) != NULL) continue;
        WORST_MAKE(tp_collider_set, tp_collider_set(game->world, game->colliders[i], &def));
    }
}

static void worst_change_world(worst_game *game)
{
    tp_world_def def = *tp_world_definition(game->world);
    def.speed_max = def.speed_max == 50.0f ? 100.0f : 50.0f;
    def.event_speed = def.speed_max == 50.0f ? 0.0f : 0.5f;
    for (uint32_t s = 0; s < def.species_count; s++) {
        def.species[s].radius *= def.speed_max == 50.0f ? 1.25f : 0.8f;
        def.species[s].rest_density *= def.speed_max == 50.0f ? 0.9f : 1.1f;
    }
    if (tp_world_change_check(game->world, &def) == NULL)
        WORST_MAKE(tp_world_change, tp_world_change(game->world, &def));
}

static void worst_change(worst_game *game)
{
    if (!game->scene->changes) return;
    worst_change_flows(game);
    if (game->scene->changes > 1) worst_change_colliders(game);
    if (game->scene->changes > 2) worst_change_world(game);
}

/* ---- batches ---- */

/* Ids of the particles in ascending order. */
static uint32_t worst_ids(worst_game *game, uint32_t *ids)
{
    tp_view view = tp_world_view(game->world);
    uint32_t count = view.count < WORST_PARTICLES ? view.count : WORST_PARTICLES;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && ids[at - 1u] > view.id[i]; at--) ids[at] = ids[at - 1u];
        ids[at] = view.id[i];
    }
    return count;
}

static void worst_edit_groups(worst_game *game)
{
    const tp_group some = {1u, 1u};
    const tp_vector push = worst_vector(game, 1e-3f), middle = {worst_far(game->scene), 0, 0};
    const tp_pose turn = {worst_vector(game, 1e-2f), worst_rotation(game)};
    tp_group_report report;
    WORST_MAKE(tp_group_impulse, tp_group_impulse(game->world, some, push, NULL));
    WORST_MAKE(tp_group_move, tp_group_move(game->world, some, middle, turn, NULL));
    WORST_MAKE(tp_group_measure, tp_group_measure(game->world, some, &report));
}

/* All particles at once: words, species, and groups; every third one is removed. */
static void worst_edit_batches(worst_game *game)
{
    static uint32_t ids[WORST_PARTICLES], values[WORST_PARTICLES];
    const uint32_t kinds = (uint32_t)game->scene->batches;
    uint32_t count = worst_ids(game, ids), left = 0;
    if (kinds & 1u) {
        for (uint32_t i = 0; i < count; i++) values[i] = worst_random(game) & 3u;
        WORST_MAKE(tp_particles_word, tp_particles_word(game->world, ids, values, count, NULL));
    }
    if (kinds & 2u) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = worst_random(game) % (uint32_t)game->scene->species;
        WORST_MAKE(tp_particles_species,
                   tp_particles_species(game->world, ids, values, count, NULL));
    }
    if (kinds & 8u) worst_edit_groups(game);
    if (kinds & 4u) {
        for (uint32_t i = 0; i < count; i += 3u) ids[left++] = ids[i];
        WORST_MAKE(tp_particles_remove, tp_particles_remove(game->world, ids, left, NULL));
    }
}

/* Puts the bodies back. */
static void worst_edit_bodies(worst_game *game)
{
    for (uint32_t i = 0; game->scene->body_events && i < game->body_count; i++) {
        const tp_vector still = {0, 0, 0};
        tp_pose pose = worst_pose(game);
        WORST_MAKE(tp_body_set, tp_body_set(game->world, game->bodies[i], pose, still, still));
    }
}

/* ---- questions ---- */

/* Repeats a call with a limit of `units`, at most 4 times in a frame. */
#define WORST_CONTINUE(call, ...)                                                          \
    do {                                                                                   \
        tp_result worst_made = TP_MORE;                                                    \
        for (uint32_t times = 0; times < 4u && worst_made == TP_MORE; times++)             \
            WORST_MEASURE(call, units + TP_QUERY_OVERRUN, worst_made = call(__VA_ARGS__)); \
        if (worst_made != TP_ERROR_EMPTY) worst_note(game, worst_ignore_full(worst_made)); \
    } while (0)

static void worst_ask_regions(worst_game *game, uint32_t units)
{
    static tp_found found[WORST_PARTICLES];
    const uint32_t kinds = (uint32_t)game->scene->queries;
    uint32_t count;
    tp_query_cursor cursor = {0}, other = {0};
    tp_region region = {(tp_region_shape)(worst_random(game) % 3u), 255u, {0, 0, 0}, {0, 0, 0}, 0};
    region.center = worst_vector(game, worst_spread(game->scene));
    region.center.x += worst_far(game->scene);
    region.radius = worst_spread(game->scene);
    region.half = (tp_vector){region.radius, region.radius, region.radius};
    if (region.shape == TP_REGION_CAPSULE && worst_is_periodic(game->scene))
        region.shape = TP_REGION_SPHERE;
    if (kinds & 1u)
        WORST_CONTINUE(tp_query_region, game->query, &region, units, &cursor, found,
                       WORST_PARTICLES / 2u, &count);
    if (kinds & 2u)
        WORST_CONTINUE(tp_query_nearest, game->query, &region, units, &other, found,
                       WORST_PARTICLES / 2u, &count);
}

static void worst_ask_samples(worst_game *game, uint32_t units)
{
    static tp_vector points[16];
    static tp_sample samples[16];
    static float values[64];
    const uint32_t kinds = (uint32_t)game->scene->queries;
    const float size = worst_spread(game->scene) + 1e-3f;
    const uint32_t layers = game->scene->dimensions == 3 ? 4u : 1u;
    tp_query_cursor cursor = {0}, other = {0};
    tp_sample_grid grid = {TP_GRID_DENSITY, 255u, {-size, -size, 0}, 0.5f * size, 4, 4, layers};
    grid.low.x += worst_far(game->scene);
    for (uint32_t i = 0; i < 16u; i++) points[i] = worst_position(game, i);
    if (kinds & 4u)
        WORST_CONTINUE(tp_query_sample, game->query, points, 16u, 255u, units, &cursor, samples);
    if (kinds & 8u) WORST_CONTINUE(tp_query_grid, game->query, &grid, units, &other, values, 64u);
}

static void worst_ask_rays(worst_game *game, uint32_t units)
{
    const uint32_t kinds = (uint32_t)game->scene->queries;
    tp_query_cursor cursor = {0}, other = {0};
    tp_ray_hit hit;
    tp_ray ray = {worst_vector(game, 2.0f * worst_spread(game->scene)), {0, 0, 0}, 0, 255u};
    ray.from.x += worst_far(game->scene);
    ray.move = worst_vector(game, 4.0f * worst_spread(game->scene));
    ray.radius = worst_random(game) & 1u ? 0.1f * worst_spread(game->scene) : 0.0f;
    if ((kinds & 16u) && !worst_is_periodic(game->scene))
        WORST_CONTINUE(tp_query_ray, game->query, &ray, units, &cursor, &hit);
    if (kinds & 32u) WORST_CONTINUE(tp_world_ray, game->world, &ray, units, &other, &hit);
}

/* Continues the index, and asks it what the scene's queries say. */
static void worst_ask(worst_game *game)
{
    const uint32_t units = (uint32_t)game->scene->slice;
    if (!game->query) return;
    WORST_CONTINUE(tp_query_update, game->query, game->world, units);
    worst_ask_regions(game, units);
    worst_ask_samples(game, units);
    worst_ask_rays(game, units);
}

/* Pictures between two frames, and how long particles still live. */
static void worst_look_between(worst_game *game)
{
    static float x[WORST_PARTICLES], y[WORST_PARTICLES], z[WORST_PARTICLES];
    static uint32_t left[WORST_PARTICLES];
    const uint32_t count = tp_world_view(game->world).count;
    if (game->scene->last_frame)
        WORST_MAKE(tp_world_between, tp_world_between(game->world, 0.4f, 0, count, x, y,
                                                      game->scene->dimensions == 3 ? z : NULL));
    if (game->scene->curves && game->scene->births)
        WORST_MAKE(tp_world_lives, tp_world_lives(game->world, 0, count, left, x));
}

#undef WORST_CONTINUE
#undef WORST_MAKE
#endif
