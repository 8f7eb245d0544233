/* SPDX-License-Identifier: MIT
   ports/worst/worst.c - runs the scenes of the worst-case search in slices, and reports each slice
           to ports/count/slices.c.
   reads   worst_scenes      writes  one line per scene: its hash, or why it is invalid
   memory  one static block     cost  worst_frames frames per scene
   after   own design; freestanding: a port supplies only port_puts */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include "../golden/print.h"
#include "scene.h"
#include "place.h"

#define WORST_BLOCK 196608u /* more than 128 KiB: also the demo's size with every feature runs */
#define WORST_SIDE  6u      /* samples of a heightfield or grid per axis */
/* solvers' numbers in a scene */
#define WORST_CLOTH  6
#define WORST_VORTEX 7

static _Alignas(16) unsigned char worst_block[WORST_BLOCK];

/* A scene that was built. */
typedef struct worst_game {
    const worst_scene *scene;
    tp_world *world;
    tp_result result; /* the first error */
    /* of the first frame or slice beyond its bound, and that bound; 0: none */
    uint32_t units_used, units_bound;
    tp_query *query; /* null: none */
    uint32_t collider_count, emitter_count, field_count, body_count, sink_count;
    tp_collider colliders[16];
    uint32_t collider_shapes[16]; /* tp_collider_shape */
    tp_body bodies[4];
    tp_emitter emitters[8];
    tp_sink sinks[8];
    tp_field fields[8];
    tp_field_def field_defs[8];
    uint32_t random;
    uint64_t units[TP_WORLD_STAGES]; /* the report's counts when the clock was last read */
    uint32_t readings;               /* reads of the clock in this call */
} worst_game;

/* ---- messages to the plugin ---- */

/* Reports the slice before the last one: the last one is not in the world's report yet. */
static void worst_tell_slice(worst_game *game)
{
    tp_report report = tp_world_report(game->world);
    uint32_t kind = WORST_OF_empty, units = 0;
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        if (report.stage_units[stage] != game->units[stage]) {
            kind = stage;
            units = (uint32_t)(report.stage_units[stage] - game->units[stage]);
        }
        game->units[stage] = report.stage_units[stage];
    }
    worst_tell(WORST_SLICE, kind << 24 | units);
}

/* The runtime reads the clock at the start of a call and after each slice. */
static uint64_t worst_clock(void *context)
{
    worst_game *game = context;
    worst_tell(WORST_STOP, 0);
    if (game->readings == 0)
        for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) game->units[stage] = 0;
    if (game->readings++ > 1) worst_tell_slice(game);
    worst_tell(WORST_GO, 0);
    return 0;
}

/* ---- random numbers ---- */

static uint32_t worst_random(worst_game *game)
{
    game->random = game->random * 1664525u + 1013904223u;
    return game->random >> 8;
}

/* uniform in -1..1 */
static float worst_chance(worst_game *game)
{
    return (float)(worst_random(game) & 0xffffu) / 32767.5f - 1.0f;
}

static tp_vector worst_vector(worst_game *game, float length)
{
    tp_vector vector = {worst_chance(game) * length, worst_chance(game) * length,
                        worst_chance(game) * length};
    if (game->scene->dimensions == 2) vector.z = 0.0f;
    return vector;
}

/* No rotation, or a quarter turn about z, with equal probability. */
static tp_quaternion worst_rotation(worst_game *game)
{
    tp_quaternion none = {1.0f, 0.0f, 0.0f, 0.0f}, quarter = {0.70710678f, 0.0f, 0.0f, 0.70710678f};
    return worst_random(game) & 1u ? none : quarter;
}

static bool worst_is_periodic(const worst_scene *scene)
{
    return scene->periodic || (scene->solver == 1 && scene->wraps);
}

static float worst_far(const worst_scene *scene)
{
    static const float distances[4] = {0.0f, 1e3f, 1e5f, 2e6f};
    return worst_is_periodic(scene) ? 5.0f : distances[scene->far & 3];
}

static float worst_spread(const worst_scene *scene) { return (float)scene->spread * 1e-3f; }

/* ---- building ---- */

static void worst_note(worst_game *game, tp_result result)
{
    if (game->result == TP_OK && result < TP_OK) game->result = result;
}

static tp_collider_def worst_collider(worst_game *game, uint32_t shape);
static tp_emitter_def worst_emitter(worst_game *game, uint32_t index);
static tp_sink_def worst_sink(worst_game *game, uint32_t index);
static tp_vector worst_position(worst_game *game, uint32_t i);
static tp_pose worst_pose(worst_game *game);
#include "features.h"
#include "sheets.h"
#include "vortices.h"

static void worst_define_pair(tp_world_def *def, const worst_scene *scene)
{
    static const tp_potential potentials[4] = {TP_POTENTIAL_LENNARD_JONES, TP_POTENTIAL_HARD_SPHERE,
                                               TP_POTENTIAL_TABLE, TP_POTENTIAL_LJ_FORCE_SHIFT};
    def->solver = TP_SOLVER_PAIR;
    def->integrator = TP_INTEGRATOR_KDK;
    def->pair.potential = potentials[(scene->solver - 2) & 3];
    def->pair.table_max = def->pair.potential == TP_POTENTIAL_TABLE ? 33u : 0;
    def->pair.cutoff = (float)scene->cutoff * 0.1f;
    def->pair.skin = (float)scene->skin * 0.1f;
    def->pair.neighbours_max = (uint32_t)scene->neighbours;
    def->pair.cell_max = (uint32_t)scene->cell_max;
    def->pair.stores_neighbours = scene->stores;
    def->pair.temperature = scene->thermostat ? 1.0f : 0.0f;
    def->pair.friction = scene->thermostat ? 2.0f : 0.0f;
    def->links_max = (uint32_t)scene->links;
    def->periodic_axes = scene->periodic ? TP_AXIS_X | TP_AXIS_Y : 0;
}

/* Springs, heat, viscosity and cohesion of a fluid. */
static void worst_define_more(tp_world_def *def, const worst_scene *scene)
{
    bool is_incompressible = def->sph.formulation == TP_SPH_INCOMPRESSIBLE;
    def->sph.springs_max = is_incompressible ? 0u : (uint32_t)scene->springs;
    def->sph.springs_at_rest = scene->seed & 1;
    def->sph.viscosity = (float)scene->viscosity * 0.1f;
    def->sph.cohesion = (float)scene->cohesion * 0.01f;
    def->heat.range = scene->heat ? 100.0f : 0.0f;
    def->heat.diffusivity = scene->heat == 2 ? 0.1f : 0.0f;
    for (uint32_t s = 0; scene->heat && s < def->species_count; s++) {
        def->species[s].expansion = 0.002f;
        def->species[s].buoyancy = 0.1f * (float)s;
    }
}

/* Materials of a fluid: shares that fall from species to species, every second one sticks to walls,
   and pairs of species with shares of their own. */
static void worst_define_materials(tp_world_def *def, const worst_scene *scene)
{
    const uint32_t species = def->species_count;
    const float least = 1.0f - (float)scene->shares * 0.01f;
    for (uint32_t s = 1; s < species; s++) {
        float share = 1.0f + (least - 1.0f) * (float)s / (float)(species - 1u);
        def->species[s].viscosity = share;
        def->species[s].cohesion = share;
        def->species[s].friction = scene->shares ? 2.0f * share : 1.0f;
        if (s & 1u) def->species[s].stickiness = (float)scene->sticks * 0.01f;
    }
    for (uint32_t pair = 0; pair < species * species; pair++) {
        uint32_t a = pair / species, b = pair % species;
        if (a >= b || def->sph.mix_count >= (uint32_t)scene->mixes) continue;
        def->sph.mix[def->sph.mix_count++] =
            (tp_sph_mix){(uint16_t)a, (uint16_t)b, least, 1.0f - 0.1f * (float)b};
    }
}

static void worst_define_sph(tp_world_def *def, const worst_scene *scene)
{
    def->solver = TP_SOLVER_SPH;
    def->sph.formulation = (tp_sph_formulation)(scene->formulation & 3);
    def->sph.smoothing_radius = (float)scene->cutoff * 0.02f;
    def->sph.neighbours_max = (uint32_t)scene->neighbours;
    if (def->sph.formulation == TP_SPH_INCOMPRESSIBLE && scene->neighbours > 127)
        def->sph.neighbours_max = 127;
    def->sph.cell_max = (uint32_t)scene->cell_max;
    def->sph.stores_neighbours = scene->stores;
    def->links_max = (uint32_t)scene->links;
    def->substeps.is_adaptive = scene->adaptive;
    worst_define_more(def, scene);
    if (def->sph.springs_max && scene->neighbours > 127) def->sph.neighbours_max = 127;
    worst_define_materials(def, scene);
    /* the longest that every smoothing radius of the scenes allows at rest: longer steps begin
       again, which is a worst case too */
    float limit = tp_sph_timestep_limit(def);
    def->sph.timestep_max = limit < 0.0055f ? limit : 0.0055f;
    if (limit < 1.0f / 5999.0f) def->sph.timestep_max = 1.0f / 5999.0f;
    while (scene->adaptive &&
           (float)def->substeps.count_max * def->sph.timestep_max * 60.0f < 1.001f)
        def->substeps.count_max++;
}

static tp_world_def worst_define(const worst_scene *scene)
{
    tp_world_def def = tp_world_default((uint32_t)scene->dimensions);
    def.particles_max = (uint32_t)scene->particles + (scene->particles == 0);
    def.emitters_max = (uint32_t)scene->emitters;
    def.sinks_max = (uint32_t)scene->sinks;
    def.fields_max = (uint32_t)scene->fields;
    def.colliders_max = (uint32_t)scene->colliders;
    def.geometry_bytes_max = scene->colliders || scene->emitter_mesh ? 12288u : 0;
    def.bodies_max =
        scene->bodies < scene->colliders ? (uint32_t)scene->bodies : (uint32_t)scene->colliders;
    def.measures_loads = scene->loads || def.bodies_max;
    def.events_max = (uint32_t)scene->events;
    def.event_kinds = scene->events ? TP_EVENTS_ALL : 0;
    def.feeds_max = (uint32_t)scene->feeds;
    def.seed = (uint32_t)scene->seed;
    def.slice_units = (uint32_t)scene->slice;
    def.lag_frames_max = (uint32_t)scene->lag;
    def.overload = (tp_overload)scene->overload;
    def.pool_policy = scene->recycle ? TP_POOL_RECYCLE : TP_POOL_REFUSE;
    def.keeps_births = scene->births;
    def.keeps_curves = scene->births && scene->curves;
    def.substeps.count = (uint32_t)scene->substeps;
    if (def.substeps.count > def.substeps.count_max) def.substeps.count_max = def.substeps.count;
    def.species_count = (uint32_t)scene->species;
    for (uint32_t s = 1; s < def.species_count; s++) {
        def.species[s] = def.species[0];
        def.species[s].sigma = 1.0f / (float)(1u << (s & 3u));
        def.species[s].radius = 0.05f * (float)s;
    }
    if (scene->solver == 1) worst_define_sph(&def, scene);
    if (scene->solver > 1 && scene->solver < WORST_CLOTH) worst_define_pair(&def, scene);
    if (scene->solver == WORST_CLOTH) worst_define_cloth(&def, scene);
    if (scene->solver == WORST_VORTEX) worst_define_vortex(&def, scene);
    worst_define_features(&def, scene);
    return def;
}

static void worst_add_table(worst_game *game)
{
    float energies[33];
    tp_pair_table table = tp_pair_table_default();
    table.count = 33;
    table.energies = energies;
    for (uint32_t i = 0; i < 33; i++) energies[i] = (float)(32u - i) * (float)(32u - i) * 0.01f;
    worst_note(game, tp_pair_table_set(game->world, &table));
}

/* Adds a triangle mesh with random heights. */
static void worst_add_mesh(worst_game *game, tp_collider_def *def, tp_collider *collider)
{
    tp_vector vertices[WORST_SIDE * WORST_SIDE];
    uint32_t indices[6u * (WORST_SIDE - 1u) * (WORST_SIDE - 1u)], count = 0;
    for (uint32_t i = 0; i < WORST_SIDE * WORST_SIDE; i++) {
        tp_vector at = {(float)(i % WORST_SIDE) * def->spacing,
                        worst_chance(game) * 0.5f * def->spacing,
                        (float)(i / WORST_SIDE) * def->spacing};
        vertices[i] = at;
    }
    for (uint32_t row = 0; row + 1u < WORST_SIDE; row++)
        for (uint32_t column = 0; column + 1u < WORST_SIDE; column++) {
            uint32_t low = row * WORST_SIDE + column, high = low + WORST_SIDE;
            const uint32_t corners[6] = {low, high, low + 1u, low + 1u, high, high + 1u};
            for (uint32_t c = 0; c < 6; c++) indices[count++] = corners[c];
        }
    def->vertices = vertices;
    def->vertex_count = WORST_SIDE * WORST_SIDE;
    def->indices = indices;
    def->triangle_count = count / 3u;
    worst_note(game, tp_collider_add(game->world, def, collider));
}

static void worst_add_samples(worst_game *game, tp_collider_def *def, tp_collider *collider)
{
    float samples[WORST_SIDE * WORST_SIDE * WORST_SIDE];
    bool is_flat = game->scene->dimensions == 2, is_grid = def->shape == TP_COLLIDER_GRID;
    for (uint32_t i = 0; i < WORST_SIDE * WORST_SIDE * WORST_SIDE; i++)
        samples[i] = worst_chance(game) * 0.3f * def->spacing;
    def->samples = samples;
    def->columns = WORST_SIDE;
    def->rows = is_flat && !is_grid ? 1u : WORST_SIDE;
    def->layers = is_flat || !is_grid ? 1u : WORST_SIDE;
    worst_note(game, tp_collider_add(game->world, def, collider));
}

static tp_collider_def worst_collider(worst_game *game, uint32_t shape)
{
    const worst_scene *scene = game->scene;
    tp_collider_def def = tp_collider_default((tp_collider_shape)shape);
    float size = worst_spread(scene);
    def.pose.position = worst_vector(game, size);
    def.pose.position.x += worst_far(scene);
    def.pose.rotation = worst_rotation(game);
    def.radius = 0.3f * size;
    def.half = (tp_vector){0.4f * size, 0.4f * size, 0.4f * size};
    def.is_hollow = shape == TP_COLLIDER_BOX;
    def.is_two_sided = shape == TP_COLLIDER_MESH && (scene->seed & 1);
    def.thickness = def.is_two_sided ? 0.02f * size : 0.0f;
    def.restitution = scene->friction ? 0.9f : 0.0f;
    def.friction = scene->friction ? 0.5f : 0.0f;
    def.spacing = 0.4f * size;
    return def;
}

static void worst_add_collider(worst_game *game, uint32_t index)
{
    const worst_scene *scene = game->scene;
    uint32_t shape =
        (uint32_t)scene->collider_kind == 7u ? index % 7u : (uint32_t)scene->collider_kind;
    bool is_flat = scene->dimensions == 2;
    if (is_flat && shape == TP_COLLIDER_MESH && !scene->edges) shape = TP_COLLIDER_BOX;
    tp_collider_def def = worst_collider(game, shape);
    def.kills = scene->kills && index % 2u == 1u;
    game->collider_shapes[game->collider_count] = shape;
    tp_collider *collider = &game->colliders[game->collider_count++];
    if (shape == TP_COLLIDER_MESH && is_flat)
        worst_add_edges(game, &def, collider);
    else if (shape == TP_COLLIDER_MESH)
        worst_add_mesh(game, &def, collider);
    else if (shape >= TP_COLLIDER_HEIGHTFIELD)
        worst_add_samples(game, &def, collider);
    else
        worst_note(game, tp_collider_add(game->world, &def, collider));
}

/* Every event of a step makes as many births as it may, also of its own births; of all kinds, or of
   one. */
static void worst_feed(tp_emitter_def *def, const worst_scene *scene)
{
    static const uint32_t kinds[5] = {
        TP_EVENT_BIT(TP_EVENT_DEATH) | TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN) |
            TP_EVENT_BIT(TP_EVENT_TRAIL) | TP_EVENT_BIT(TP_EVENT_LINK_BROKEN) |
            TP_EVENT_BIT(TP_EVENT_SPRING_BROKEN),
        TP_EVENT_BIT(TP_EVENT_DEATH), TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN),
        TP_EVENT_BIT(TP_EVENT_TRAIL),
        TP_EVENT_BIT(TP_EVENT_LINK_BROKEN) | TP_EVENT_BIT(TP_EVENT_SPRING_BROKEN)};
    def->feed_kinds = kinds[scene->feed_kind];
    if (!scene->births) def->feed_kinds &= ~TP_EVENT_BIT(TP_EVENT_TRAIL);
    def->feed_deaths |= 1u << TP_DEATH_RECYCLED;
    def->feed_ticks = TP_TICKS_PER_FRAME / 64u;
    def->feed_distance = (float)scene->feed_way * 1e-3f;
    def->feed_births = def->burst_count % 1024u + 1u;
    def->rate_numerator = def->burst_count = 0;
}

static tp_emitter_def worst_emitter(worst_game *game, uint32_t index)
{
    const worst_scene *scene = game->scene;
    tp_emitter_def def = tp_emitter_default();
    float size = worst_spread(scene);
    def.shape =
        (tp_emitter_shape)(scene->emitter_kind == 5 ? index % 5u : (uint32_t)scene->emitter_kind);
    def.pose.position.x = worst_far(scene);
    def.pose.rotation = worst_rotation(game);
    def.size = (tp_vector){size, size, size};
    def.species = index % (uint32_t)scene->species;
    def.rate_numerator = (uint32_t)scene->rate;
    def.burst_count = (uint32_t)scene->burst;
    def.velocity = worst_vector(game, (float)scene->speed * 1e-3f);
    def.velocity_jitter = scene->moves ? 0.1f : 0.0f;
    def.position_jitter = scene->moves ? 0.1f * size : 0.0f;
    def.inherit = scene->moves ? 1.0f : 0.0f;
    def.lifetime_ticks = scene->births ? 3u * TP_TICKS_PER_FRAME : 0;
    def.lifetime_jitter = 0.5f;
    def.word = scene->words ? index & 1u : 0u;
    if (tp_world_definition(game->world)->solver == TP_SOLVER_VORTEX) def.strength = 0.1f;
    if (scene->feeds && index % 2u == 1u) worst_feed(&def, scene);
    if (scene->lattice && def.shape == TP_EMITTER_BOX && !def.feed_kinds)
        def.lattice_spacing = 0.2f * size;
    return def;
}

static void worst_add_emitter(worst_game *game, uint32_t index)
{
    tp_emitter_def def = worst_emitter(game, index);
    tp_emitter *emitter = &game->emitters[game->emitter_count++];
    if (index == 0 && game->scene->emitter_mesh) {
        def.lattice_spacing = 0.0f;
        worst_add_emitter_mesh(game, &def, emitter);
    } else
        worst_note(game, tp_emitter_add(game->world, &def, emitter));
}

/* Far away; among the particles if it has a rate. */
static tp_sink_def worst_sink(worst_game *game, uint32_t index)
{
    const worst_scene *scene = game->scene;
    tp_sink_def def = tp_sink_default();
    def.shape = (tp_sink_shape)(index % 4u);
    if (def.shape == TP_SINK_AGE && !scene->births) def.shape = TP_SINK_SPHERE;
    def.age_ticks = 50u * TP_TICKS_PER_FRAME;
    def.center = worst_vector(game, 1.0f);
    def.center.y -= 50.0f * worst_spread(scene) + 10.0f;
    def.half = (tp_vector){0.1f, 0.1f, 0.1f};
    def.radius = 0.1f;
    def.normal = (tp_vector){0.0f, 1.0f, 0.0f};
    def.offset = -1e4f;
    if (!scene->sink_rate) return def;
    def.rate = (float)scene->sink_rate * 1e-3f;
    def.age_ticks = TP_TICKS_PER_FRAME;
    def.center = (tp_vector){worst_far(scene), 0.0f, 0.0f};
    def.radius = def.half.x = def.half.y = def.half.z = 2.0f * worst_spread(scene);
    def.offset = def.radius;
    return def;
}

static void worst_add_sink(worst_game *game, uint32_t index)
{
    tp_sink_def def = worst_sink(game, index);
    worst_note(game, tp_sink_add(game->world, &def, &game->sinks[game->sink_count++]));
}

static void worst_add_field(worst_game *game, uint32_t index)
{
    const worst_scene *scene = game->scene;
    tp_field_kind kind =
        (tp_field_kind)(scene->field_kind == 5 ? index % 5u : (uint32_t)scene->field_kind);
    tp_field_def def = tp_field_default(kind);
    def.center = worst_vector(game, worst_spread(scene));
    def.center.x += worst_far(scene);
    def.vector = (tp_vector){0.0f, -9.81f, 0.0f};
    if (kind == TP_FIELD_VORTEX) def.vector = (tp_vector){0.0f, 0.0f, 1.0f};
    if (kind == TP_FIELD_DRAG) def.vector = (tp_vector){0.0f, 0.0f, 0.0f}; /* no box */
    def.linear = 0.1f;
    def.quadratic = 0.1f;
    def.strength = 1.0f;
    def.core = 0.1f;
    def.axial = scene->dimensions == 3 ? 0.1f : 0.0f;
    def.inflow = 0.1f;
    def.is_rankine = scene->seed & 1;
    worst_curve(&def, scene);
    game->field_defs[game->field_count] = def;
    worst_note(game, tp_field_add(game->world, &def, &game->fields[game->field_count++]));
}

/* The first colliders whose shape a body can have become bodies; a moving body takes no pose. */
static void worst_add_bodies(worst_game *game)
{
    tp_body_def def = tp_body_default();
    uint32_t limit = (uint32_t)game->scene->bodies, count = game->collider_count;
    float size = worst_spread(game->scene);
    game->collider_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        def.collider = game->colliders[i];
        def.mass = 1.0f + 10.0f * size;
        def.inertia = (tp_vector){size * size, size * size, size * size};
        def.velocity = worst_vector(game, (float)(game->scene->speed & 511));
        bool is_body = game->body_count < limit && tp_body_check(game->world, &def) == NULL;
        if (is_body)
            worst_note(game, tp_body_add(game->world, &def, &game->bodies[game->body_count++]));
        else {
            game->collider_shapes[game->collider_count] = game->collider_shapes[i];
            game->colliders[game->collider_count++] = def.collider;
        }
    }
}

/* ---- positions of particles ---- */

static tp_vector worst_position(worst_game *game, uint32_t i)
{
    const worst_scene *scene = game->scene;
    float size = worst_spread(scene), step = (float)i * size;
    tp_vector at = {0.0f, 0.0f, 0.0f};
    switch (scene->pattern) {
    case 0: at = worst_vector(game, size); break;
    case 1: at.x = step; break;
    case 2:
        at = (tp_vector){(float)(i % 5u) * size, (float)(i / 5u % 5u) * size,
                         (float)(i / 25u) * size};
        break;
    case 3: at = worst_vector(game, 0.1f * size), at.x += i & 1u ? 3.0f * size : 0.0f; break;
    case 4: at = worst_vector(game, 300.0f * size); break;
    case 6: at = worst_vector(game, size), at.y += i == 0 ? 1e4f : 0.0f; break;
    default: break;
    }
    at.x += worst_far(scene);
    if (scene->dimensions == 2) at.z = 0.0f;
    return at;
}

/* Removes all particles and adds new ones; emitters keep running. */
static void worst_fill(worst_game *game)
{
    const worst_scene *scene = game->scene;
    uint32_t count = (uint32_t)scene->particles;
    if (scene->emitters && !scene->recycle) count = (count + 1u) / 2u;
    worst_note(game, tp_particles_clear(game->world));
    if (scene->solver == WORST_CLOTH) {
        worst_add_cloth(game, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        tp_vector velocity = worst_vector(game, (float)scene->speed * 1e-3f);
        uint32_t id;
        worst_note(game, tp_particle_add(game->world, worst_position(game, i), velocity,
                                         i % (uint32_t)scene->species, &id));
    }
    if (scene->solver == WORST_VORTEX) worst_add_strengths(game);
}

static void worst_link(worst_game *game)
{
    tp_link_def def = tp_link_default();
    uint32_t count = tp_world_view(game->world).count;
    /* stiff ones take more sub-steps of a fluid, and are softened where those are limited */
    bool is_stiff = game->scene->solver == 1 && (game->scene->seed & 2);
    def.stiffness = is_stiff ? 1e5f : 50.0f;
    def.damping = 0.5f;
    def.rest_length = 0.5f;
    for (uint32_t i = 0; i < (uint32_t)game->scene->links && count > 1; i++) {
        const uint32_t *id = tp_world_view(game->world).id;
        tp_link link;
        def.first = id[worst_random(game) % count];
        def.second = id[worst_random(game) % count];
        if (def.first == def.second) continue;
        tp_result result = tp_link_add(game->world, &def, &link);
        if (result != TP_ERROR_FULL) worst_note(game, result);
    }
}

static void worst_build(worst_game *game, const worst_scene *scene)
{
    tp_world_def def = worst_define(scene);
    game->scene = scene;
    game->random = (uint32_t)scene->seed;
    game->result = tp_world_create(&def, worst_block, sizeof worst_block, &game->world);
    if (game->result != TP_OK) return;
    if (def.pair.table_max) worst_add_table(game);
    for (uint32_t i = 0; i < def.colliders_max && game->result == TP_OK; i++)
        worst_add_collider(game, i);
    if (game->result == TP_OK && def.bodies_max) worst_add_bodies(game);
    for (uint32_t i = 0; i < def.emitters_max && game->result == TP_OK; i++)
        worst_add_emitter(game, i);
    for (uint32_t i = 0; i < def.sinks_max && game->result == TP_OK; i++) worst_add_sink(game, i);
    for (uint32_t i = 0; i < def.fields_max && game->result == TP_OK; i++) worst_add_field(game, i);
    if (game->result == TP_OK) worst_fill(game);
    if (game->result == TP_OK && def.links_max) worst_link(game);
    if (game->result == TP_OK) worst_join(game);
    if (game->result == TP_OK && scene->queries) worst_add_query(game);
}

/* ---- frames ---- */

static tp_pose worst_pose(worst_game *game)
{
    tp_pose pose = {worst_vector(game, worst_spread(game->scene)), worst_rotation(game)};
    pose.position.x += worst_far(game->scene);
    return pose;
}

static void worst_move(worst_game *game)
{
    for (uint32_t i = 0; i < game->collider_count; i++) {
        tp_pose pose = worst_pose(game);
        tp_result result;
        if (game->scene->places && i % 2u == 1u)
            WORST_MEASURE(tp_collider_place, WORST_SLICE_LEAST,
                          result = tp_collider_place(game->world, game->colliders[i], pose));
        else
            WORST_MEASURE(tp_collider_move, WORST_SLICE_LEAST,
                          result = tp_collider_move(game->world, game->colliders[i], pose));
        worst_note(game, result);
    }
    for (uint32_t i = 0; i < game->emitter_count; i++) {
        tp_pose pose = worst_pose(game);
        tp_result result;
        WORST_MEASURE(tp_emitter_move, WORST_SLICE_LEAST,
                      result = tp_emitter_move(game->world, game->emitters[i], pose));
        worst_note(game, result);
    }
    for (uint32_t i = 0; i < game->field_count; i++) {
        tp_result result;
        WORST_MEASURE(tp_field_set, WORST_SLICE_LEAST,
                      result = tp_field_set(game->world, game->fields[i], &game->field_defs[i]));
        worst_note(game, result);
    }
}

/* Pushes the bodies and reads the events, as a game does in every frame. */
static void worst_push(worst_game *game)
{
    tp_event events[8];
    tp_event_cursor cursor = {0};
    for (uint32_t i = 0; i < game->body_count; i++) {
        tp_vector impulse = worst_vector(game, 1e-3f), point = worst_vector(game, 1.0f);
        tp_result result;
        WORST_MEASURE(tp_body_impulse, WORST_SLICE_LEAST,
                      result = tp_body_impulse(game->world, game->bodies[i], impulse, point));
        worst_note(game, result);
    }
    if (!game->scene->events) return;
    uint32_t count = 0;
    tp_result result;
    WORST_MEASURE(tp_world_events, WORST_SLICE_LEAST,
                  result = tp_world_events(game->world, &cursor, events, 8, &count));
    worst_note(game, result);
}

static void worst_look(worst_game *game)
{
    tp_view view;
    tp_report report;
    uint64_t hash;
    WORST_MEASURE(tp_world_view, WORST_SLICE_LEAST, view = tp_world_view(game->world));
    WORST_MEASURE(tp_world_report, WORST_SLICE_LEAST, report = tp_world_report(game->world));
    WORST_MEASURE(tp_world_hash, WORST_SLICE_LEAST, hash = tp_world_hash(game->world));
    if (view.count != report.particles || hash == 0) worst_note(game, TP_ERROR_BLOCK);
}

/* Frames and slices may do one item more: TP_UNITS_OVERRUN. */
static void worst_check_units(worst_game *game)
{
    const tp_world_def *def = tp_world_definition(game->world);
    const tp_report report = tp_world_report(game->world);
    const uint32_t neighbours = def->solver == TP_SOLVER_SPH    ? def->sph.neighbours_max
                                : def->solver == TP_SOLVER_PAIR ? def->pair.neighbours_max
                                                                : 0u,
                   bound =
                       def->slice_units + TP_UNITS_OVERRUN(neighbours, def->fields_max,
                                                           def->colliders_max, def->emitters_max),
                   most = (uint32_t)game->scene->budget + bound, used = (uint32_t)report.units;
    if (game->units_bound) return;
    if (used > most || report.slice_units_longest > bound) {
        game->units_used = used > most ? used : report.slice_units_longest;
        game->units_bound = used > most ? most : bound;
    }
}

static void worst_frame(worst_game *game)
{
    tp_budget budget = {
        .units = (uint32_t)game->scene->budget, .clock_us = worst_clock, .clock_context = game};
    game->readings = 0;
    worst_tell(WORST_FRAME_BEGIN, 0);
    worst_tell(WORST_GO, 0);
    tp_result result = tp_frame(game->world, &budget, NULL);
    worst_tell(WORST_STOP, 0);
    if (game->readings > 1) worst_tell_slice(game);
    worst_tell(WORST_FRAME, budget.units + (uint32_t)game->scene->slice);
    worst_note(game, result);
    worst_check_units(game);
}

/* Sets one particle and adds one. These calls restart the step, so they are made only every
   worst_period frames. */
static void worst_edit(worst_game *game)
{
    tp_view view = tp_world_view(game->world);
    tp_vector at = worst_position(game, 1), rest = {0.0f, 0.0f, 0.0f};
    uint32_t id;
    tp_result result;
    WORST_MEASURE(tp_particle_set, WORST_SLICE_LEAST,
                  result = view.count ? tp_particle_set(game->world, 0, at, rest) : TP_OK);
    worst_note(game, result);
    WORST_MEASURE(tp_particle_add, WORST_SLICE_LEAST,
                  result = tp_particle_add(game->world, at, rest, 0, &id));
    if (result != TP_ERROR_FULL) worst_note(game, result);
}

static void worst_run(worst_game *game)
{
    for (uint32_t frame = 0; frame < worst_frames && game->result == TP_OK; frame++) {
        if (worst_period && frame && frame % worst_period == 0) {
            worst_edit(game);
            worst_edit_batches(game);
            worst_edit_bodies(game);
            worst_fill(game);
            worst_join(game);
        }
        if (game->scene->moves) worst_move(game);
        worst_change(game);
        worst_push(game);
        worst_frame(game);
        worst_look(game);
        worst_look_between(game);
        worst_ask(game);
    }
}

/* The hash of a scene, or what was wrong. */
static void worst_print(const worst_game *game)
{
    if (game->units_bound) {
        port_put_number("units: ", game->units_used);
        port_put_number(", expected at most ", game->units_bound);
    } else if (game->result == TP_OK)
        port_put_hash("", tp_world_hash(game->world));
    else
        port_puts(tp_result_text(game->result));
    port_puts("\n");
}

int port_main(void)
{
    static worst_game game;
    for (uint32_t i = 0; i < worst_scene_count; i++) {
        game = (worst_game){0};
        worst_build(&game, &worst_scenes[i]);
        if (game.result == TP_OK) worst_run(&game);
        worst_tell(WORST_SCENE, i);
        port_put_number("scene ", i);
        port_puts(" ");
        worst_print(&game);
    }
    return 0;
}
