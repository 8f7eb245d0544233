/* SPDX-License-Identifier: MIT
   tests/unit/test_limits.c - the header's rules at the limits: pools, ids, z in 2D, refused values.
   reads   runtime      writes  blocks of its own, counters through the private header
   memory  malloc       cost    milliseconds
   after   own design; each case is a sentence of the header */
#include "solve/pair/pair.h"
#include "../harness/cache_help.h"
#include "../harness/film_help.h"
#include "../harness/pair_help.h"
#include "../harness/test.h"
#include <math.h>
#include <string.h>

/* ---- pools ---- */

/* A measurement also counts pairs: it builds the list before the first step. */
static void no_pool_uses_more_than_its_peak(void)
{
    tp_world_def def = pair_def(2, 64, 0.004);
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 64; i++) pair_add(made.world, i % 8u, i / 8u, 0.0);
    (void)pair_measure(made.world);
    tp_pool_report pairs = tp_world_report(made.world).pools[TP_POOL_PAIRS];
    test_note("used %u, peak %u", pairs.used, pairs.peak);
    CHECK(pairs.used > 100 && pairs.peak == pairs.used);
    test_world_free(&made);
}

/* table_max is checked in every definition, but used by one potential of one solver only. */
static void a_table_costs_memory_where_there_can_be_one_only(void)
{
    for (tp_solver solver = TP_SOLVER_NONE; solver <= TP_SOLVER_SPH; solver++)
        for (uint32_t stores = 0; stores < 2; stores++) {
            tp_world_def def = tp_world_default(2);
            size_t without, with;
            def.solver = solver;
            def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
            def.sph.stores_neighbours = stores;
            CHECK_EQ(tp_world_memory(&def, &without), TP_OK);
            def.pair.table_max = 4097;
            CHECK_EQ(tp_world_memory(&def, &with), TP_OK);
            CHECK_EQ(with, without);
            test_world made = test_world_make(&def);
            CHECK_EQ(made.world->arrays.own[TPI_PAIR_TABLE], 0);
            test_world_free(&made);
        }
}

/* ---- values that are refused ---- */

/* Adding and changing a particle follow the same rule, and a refused call changes nothing. */
static void a_particle_is_set_to_finite_numbers_only(void)
{
    static const float wild[] = {NAN, -NAN, INFINITY, -INFINITY};
    tp_world_def def = tp_world_default(3);
    def.particles_max = 2;
    test_world made = test_world_make(&def);
    tp_vector calm = {1, 2, 3};
    CHECK(tp_particle_add(made.world, calm, calm, 0, NULL) == TP_OK);
    uint64_t hash = tp_world_hash(made.world);
    for (uint32_t k = 0; k < 12; k++) {
        float axes[3] = {1, 2, 3};
        axes[k % 3u] = wild[k / 3u];
        tp_vector bad = {axes[0], axes[1], axes[2]};
        CHECK_EQ(tp_particle_set(made.world, 0, bad, calm), TP_ERROR_DEFINITION);
        CHECK_EQ(tp_particle_set(made.world, 0, calm, bad), TP_ERROR_DEFINITION);
        CHECK_EQ(tp_particle_add(made.world, bad, calm, 0, NULL), TP_ERROR_DEFINITION);
        CHECK_EQ(tp_particle_add(made.world, calm, bad, 0, NULL), TP_ERROR_DEFINITION);
    }
    CHECK_EQ(tp_particle_set(made.world, 1, calm, calm), TP_ERROR_HANDLE);
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_world_free(&made);
}

/* ---- two dimensions: z of arguments is ignored ---- */

/* Two worlds that get the same x and y, and different z: their hashes stay equal. */
typedef struct flat_twins {
    test_world plain, wild;
    uint32_t given; /* index of the next number of the list */
} flat_twins;

static float flat_wild(flat_twins *twins)
{
    static const float list[] = {NAN,  INFINITY, -INFINITY, 3e38f, -1e10f,
                                 1e9f, -7.0f,    0.25f,     1e-40f};
    return list[twins->given++ % (sizeof list / sizeof list[0])];
}

static tp_vector flat_vector(flat_twins *twins, tp_vector plain)
{
    return (tp_vector){plain.x, plain.y, flat_wild(twins)};
}

/* Both calls have the same result, and leave equal worlds. */
static void flat_compare(const flat_twins *twins, tp_result plain, tp_result wild, const char *what)
{
    uint64_t hash = tp_world_hash(twins->plain.world);
    test_note("%s: %s", what, tp_result_text(wild));
    CHECK_EQ(plain, TP_OK);
    CHECK_EQ(wild, TP_OK);
    CHECK_EQ(tp_world_hash(twins->wild.world), hash);
}

static void flat_run(flat_twins *twins, const char *what)
{
    for (uint32_t f = 0; f < 4; f++)
        flat_compare(twins, tp_frame(twins->plain.world, NULL, NULL),
                     tp_frame(twins->wild.world, NULL, NULL), what);
}

static flat_twins flat_open(const tp_world_def *def)
{
    return (flat_twins){test_world_make(def), test_world_make(def), 0};
}

static void flat_close(flat_twins *twins)
{
    test_world_free(&twins->plain);
    test_world_free(&twins->wild);
}

static void flat_emitters(flat_twins *twins)
{
    static const tp_vector corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t indices[3] = {0, 1, 2};
    for (uint32_t shape = TP_EMITTER_POINT; shape <= TP_EMITTER_MESH; shape++) {
        tp_vector vertices[3];
        tp_emitter plain, wild;
        tp_emitter_def def = tp_emitter_default();
        def.shape = (tp_emitter_shape)shape;
        def.size = (tp_vector){0.3f, 0.2f, 0.1f};
        def.pose.position = (tp_vector){0.5f, (float)shape, 0};
        def.velocity = (tp_vector){1, 2, 0};
        def.burst_count = 3;
        def.rate_numerator = 200;
        def.lattice_spacing = shape == TP_EMITTER_BOX ? 0.1f : 0.0f;
        def.inherit = 1.0f;
        def.vertices = corners, def.vertex_count = 3, def.indices = indices, def.triangle_count = 1;
        tp_result added = tp_emitter_add(twins->plain.world, &def, &plain);
        for (uint32_t v = 0; v < 3; v++) vertices[v] = flat_vector(twins, corners[v]);
        def.vertices = vertices;
        def.size = flat_vector(twins, def.size);
        def.velocity = flat_vector(twins, def.velocity);
        def.pose.position = flat_vector(twins, def.pose.position);
        const char *text = tp_emitter_check(twins->wild.world, &def);
        flat_compare(twins, added, tp_emitter_add(twins->wild.world, &def, &wild),
                     text ? text : "emitter");
        tp_pose pose = {{1, 2, 0}, {0.8f, 0, 0, 0.6f}};
        tp_result moved = tp_emitter_move(twins->plain.world, plain, pose);
        pose.position = flat_vector(twins, pose.position);
        flat_compare(twins, moved, tp_emitter_move(twins->wild.world, wild, pose),
                     "an emitter moved");
        flat_run(twins, "emitters");
    }
}

static void flat_sinks(flat_twins *twins)
{
    for (uint32_t shape = TP_SINK_AGE; shape <= TP_SINK_SPHERE; shape++) {
        tp_sink plain, wild;
        tp_sink_def def = tp_sink_default();
        def.shape = (tp_sink_shape)shape;
        def.offset = -5.0f;
        def.center = (tp_vector){1.5f, 1.5f, 0};
        def.half = (tp_vector){0.2f, 0.2f, 0.2f};
        def.radius = 0.3f;
        tp_result added = tp_sink_add(twins->plain.world, &def, &plain);
        def.center = flat_vector(twins, def.center);
        def.half = flat_vector(twins, def.half);
        def.normal = flat_vector(twins, def.normal);
        const char *text = tp_sink_check(twins->wild.world, &def);
        flat_compare(twins, added, tp_sink_add(twins->wild.world, &def, &wild),
                     text ? text : "sink");
        flat_run(twins, "sinks");
    }
}

static void flat_fields(flat_twins *twins)
{
    for (uint32_t kind = TP_FIELD_GRAVITY; kind <= TP_FIELD_ATTRACTOR; kind++) {
        tp_field plain, wild;
        tp_field_def def = tp_field_default((tp_field_kind)kind);
        def.center = (tp_vector){1, 1, 0};
        def.vector = (tp_vector){0.25f, kind == TP_FIELD_DRAG ? 1.0f : -1.0f, 0}; /* drag: a box */
        def.strength = 0.5f;
        def.linear = 0.1f;
        tp_result added = tp_field_add(twins->plain.world, &def, &plain);
        def.center = flat_vector(twins, def.center);
        def.vector = flat_vector(twins, def.vector);
        def.axial = flat_wild(twins);
        const char *text = tp_field_check(twins->wild.world, &def);
        flat_compare(twins, added, tp_field_add(twins->wild.world, &def, &wild),
                     text ? text : "field");
        def.center = def.vector = (tp_vector){0.5f, 0.5f, 0};
        def.axial = 0.0f;
        tp_result set = tp_field_set(twins->plain.world, plain, &def);
        def.vector = flat_vector(twins, def.vector);
        def.center = flat_vector(twins, def.center);
        flat_compare(twins, set, tp_field_set(twins->wild.world, wild, &def), "a field set");
        flat_run(twins, "fields");
    }
}

static void flat_colliders(flat_twins *twins)
{
    static const float samples[4] = {1.0f, 1.0f, 1.0f, 2.0f};
    for (uint32_t shape = TP_COLLIDER_PLANE; shape <= TP_COLLIDER_GRID; shape++) {
        tp_collider plain, wild;
        tp_collider_def def = tp_collider_default((tp_collider_shape)shape);
        if (shape == TP_COLLIDER_MESH) continue; /* meshes exist only in three dimensions */
        def.pose.position = (tp_vector){0.25f, -6, 0};
        def.samples = samples, def.columns = 2, def.rows = shape == TP_COLLIDER_GRID ? 2 : 1;
        tp_result added = tp_collider_add(twins->plain.world, &def, &plain);
        def.half = flat_vector(twins, def.half);
        def.pose.position = flat_vector(twins, def.pose.position);
        const char *text = tp_collider_check(twins->wild.world, &def);
        flat_compare(twins, added, tp_collider_add(twins->wild.world, &def, &wild),
                     text ? text : "collider");
        tp_pose pose = {{1, -7, 0}, {0.8f, 0, 0, 0.6f}};
        tp_result moved = tp_collider_move(twins->plain.world, plain, pose);
        pose.position = flat_vector(twins, pose.position);
        flat_compare(twins, moved, tp_collider_move(twins->wild.world, wild, pose),
                     "a collider moved");
        flat_run(twins, "colliders");
    }
}

static void flat_particles(flat_twins *twins)
{
    for (uint32_t k = 0; k < 18; k++) {
        tp_vector at = {0.3f * (float)k - 2.0f, 12.5f, 0}, speed = {1, -1, 0};
        tp_result added = tp_particle_add(twins->plain.world, at, speed, 0, NULL);
        tp_result wild = tp_particle_add(twins->wild.world, flat_vector(twins, at),
                                         flat_vector(twins, speed), 0, NULL);
        flat_compare(twins, added, wild, "a particle added");
        at.x = at.x + 0.1f;
        added = tp_particle_set(twins->plain.world, k, at, speed);
        wild = tp_particle_set(twins->wild.world, k, flat_vector(twins, at),
                               flat_vector(twins, speed));
        flat_compare(twins, added, wild, "a particle set");
    }
    flat_run(twins, "particles");
}

static void flat_groups(flat_twins *twins)
{
    const tp_group all = {0, 0};
    tp_vector impulse = {1, 2, 0}, center = {0.5f, 1, 0};
    tp_pose move = {{0.1f, 0.2f, 0}, {0.8f, 0, 0, 0.6f}};
    tp_result done = tp_group_impulse(twins->plain.world, all, impulse, NULL);
    flat_compare(twins, done,
                 tp_group_impulse(twins->wild.world, all, flat_vector(twins, impulse), NULL),
                 "an impulse of a group");
    done = tp_group_move(twins->plain.world, all, center, move, NULL);
    move.position = flat_vector(twins, move.position);
    flat_compare(twins, done,
                 tp_group_move(twins->wild.world, all, flat_vector(twins, center), move, NULL),
                 "a group moved");
    flat_run(twins, "groups");
}

/* A body turns about z only. */
static void flat_bodies(flat_twins *twins)
{
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_body_def def = tp_body_default();
    tp_body plain, wild;
    tp_vector velocity = {1, 2, 0}, spin = {0, 0, 3};
    ball.radius = 0.2f;
    ball.pose.position.y = 30;
    flat_compare(twins, tp_collider_add(twins->plain.world, &ball, &def.collider),
                 tp_collider_add(twins->wild.world, &ball, &def.collider), "a ball");
    def.mass = 10;
    tp_result done = tp_body_add(twins->plain.world, &def, &plain);
    def.center = flat_vector(twins, def.center);
    def.velocity = flat_vector(twins, def.velocity);
    def.angular_velocity.x = flat_wild(twins), def.angular_velocity.y = flat_wild(twins);
    flat_compare(twins, done, tp_body_add(twins->wild.world, &def, &wild), "a body");
    done = tp_body_set(twins->plain.world, plain, ball.pose, velocity, spin);
    ball.pose.position = flat_vector(twins, ball.pose.position);
    spin.x = flat_wild(twins), spin.y = flat_wild(twins);
    flat_compare(
        twins, done,
        tp_body_set(twins->wild.world, wild, ball.pose, flat_vector(twins, velocity), spin),
        "a body set");
    done = tp_body_impulse(twins->plain.world, plain, velocity, velocity);
    tp_vector at = flat_vector(twins, velocity);
    flat_compare(twins, done,
                 tp_body_impulse(twins->wild.world, wild, flat_vector(twins, velocity), at),
                 "a body pushed");
    flat_run(twins, "bodies");
}

static void z_is_ignored_in_two_dimensions(void)
{
    tp_world_def def = tp_world_default(2);
    def.geometry_bytes_max = 1024;
    def.emitters_max = def.sinks_max = def.fields_max = def.colliders_max = 8;
    def.bodies_max = 1;
    def.keeps_words = true;
    def.box_low.z = def.box_size.z = NAN;
    flat_twins twins = flat_open(&def);
    flat_particles(&twins);
    flat_groups(&twins);
    flat_bodies(&twins);
    flat_emitters(&twins);
    flat_fields(&twins);
    flat_colliders(&twins);
    flat_sinks(&twins);
    flat_close(&twins);
}

/* In a periodic box, positions are wrapped at once, so that a later measurement does not move
   them. */
static void z_keeps_no_particle_outside_a_box_of_two_dimensions(void)
{
    tp_world_def def = pair_def(2, 18, 0.004);
    pair_box(&def, 10.0);
    def.box_low.z = def.box_size.z = NAN;
    flat_twins twins = flat_open(&def);
    flat_particles(&twins);
    tp_view view = tp_world_view(twins.wild.world);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(view.x[i] >= 0.0f && view.x[i] < 10.0f && view.y[i] >= 0.0f && view.y[i] < 10.0f);
    tp_vector far = {-3.0f, 44.0f, 3e38f};
    CHECK(tp_particle_set(twins.wild.world, 0, far, far) == TP_OK);
    uint64_t hash = tp_world_hash(twins.wild.world);
    (void)pair_measure(twins.wild.world);
    CHECK_EQ(tp_world_hash(twins.wild.world), hash);
    flat_close(&twins);
}

/* A normal along z has no direction in the plane. */
static void a_unit_vector_of_two_dimensions_is_one_in_x_and_y(void)
{
    tp_world_def def = tp_world_default(2);
    test_world made = test_world_make(&def);
    tp_sink_def sink = tp_sink_default();
    sink.normal = (tp_vector){0, 0, 1};
    CHECK(tp_sink_check(made.world, &sink) && strstr(tp_sink_check(made.world, &sink), "normal"));
    test_world_free(&made);
}

/* ---- budgets ---- */

/* The same rule in every call with a budget: time needs a clock, threads need a function that runs
   them. */
static void a_budget_of_microseconds_needs_a_clock(void)
{
    static const tp_jobs no_threads = {.workers = 2};
    const tp_budget budgets[2] = {{.microseconds = 100}, {.units = 100, .jobs = &no_threads}};
    tp_world_def def = tp_world_default(2);
    for (uint32_t k = 0; k < 2; k++) {
        test_world made = test_world_make(&def);
        tp_share share = {.world = made.world};
        tp_source source = tp_world_source(made.world);
        tp_report report;
        uint64_t units = 0;
        CHECK_EQ(tp_frame(made.world, &budgets[k], &report), TP_ERROR_NULL);
        CHECK_EQ(tp_frame_worlds(&share, 1, &budgets[k]), TP_ERROR_NULL);
        CHECK_EQ(tp_frame_worlds(NULL, 0, &budgets[k]), TP_ERROR_NULL);
        CHECK_EQ(source.advance(source.context, &budgets[k], &units), TP_ERROR_NULL);
        CHECK_EQ(tp_world_report(made.world).game_frames, 0);
        test_world_free(&made);
    }
}

static void a_cache_refuses_microseconds_without_a_clock(void)
{
    tp_budget budget = {.microseconds = 100};
    cache_fixture f;
    fixture_open(&f, 20, 0);
    fixture_create(&f);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, &budget), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    CHECK_EQ(tp_cache_request(f.cache, &f.source, 0, &budget, &f.view), TP_ERROR_NULL);
    CHECK_EQ(f.view.status, TP_CACHE_MISSING);
    CHECK_EQ(tp_cache_request(f.cache, NULL, 0, &budget, &f.view), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 0, true, &budget), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 0, true, &budget), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_bake(f.cache, &f.source, &budget), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_flush(f.cache, &budget), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_report(f.cache).flags, 0);
    CHECK(tp_cache_has(f.cache, 0));
    CHECK_EQ(f.swarm->now.frame, 0);
    fixture_close(&f);
}

static void a_player_and_a_timeline_refuse_microseconds_without_a_clock(void)
{
    static const film_options options = {
        .points = 40, .frames = 9, .key_interval = 4, .error = 1e-3};
    tp_budget budget = {.microseconds = 100};
    film_stage stage;
    film_stage_open(&stage, &options, &options);
    film_stage_create(&stage, false);
    tp_frame_view *view = &stage.own[0].view;
    CHECK_EQ(tp_player_request(stage.players[0], &stage.storages[0], 0, &budget, view),
             TP_ERROR_NULL);
    CHECK_EQ(view->status, TP_CACHE_MISSING);
    CHECK_EQ(tp_timeline_request(stage.timeline, stage.players, stage.storages, FILM_STAGE_PLAYERS,
                                 0, &budget, &stage.view),
             TP_ERROR_NULL);
    CHECK_EQ(stage.view.status, TP_CACHE_MISSING);
    film_stage_close(&stage);
}

/* ---- counters at their end ---- */

/* A world with this many ids left. */
static test_world ids_left(const tp_world_def *def, uint32_t left)
{
    test_world made = test_world_make(def);
    made.world->clock.next_id = TP_ID_LAST + 1u - left;
    return made;
}

static tp_result add_by_hand(tp_world *world, uint32_t *id)
{
    tp_vector at = {0.5f * (float)world->count, 0, 0}, still = {0, 0, 0};
    return tp_particle_add(world, at, still, 0, id);
}

/* The last id is given once and no id again: an id always names the same particle. */
static void no_id_is_given_twice(void)
{
    tp_world_def def = tp_world_default(2);
    test_world made = ids_left(&def, 2);
    uint32_t id = 0;
    CHECK_EQ(add_by_hand(made.world, &id), TP_OK);
    CHECK_EQ(id, TP_ID_LAST - 1u);
    CHECK_EQ(add_by_hand(made.world, &id), TP_OK);
    CHECK_EQ(id, TP_ID_LAST);
    CHECK_EQ(add_by_hand(made.world, &id), TP_ERROR_FULL);
    CHECK_EQ(id, TP_ID_LAST);
    CHECK_EQ(tp_particles_clear(made.world), TP_OK);
    CHECK_EQ(add_by_hand(made.world, &id), TP_ERROR_FULL);
    tp_report report = tp_world_report(made.world);
    CHECK_EQ(report.born, 2);
    CHECK_EQ(report.pools[TP_POOL_PARTICLES].refused, 2);
    test_world_free(&made);
}

/* When the ids are used up, an emitter's births are counted as refused, and recycle no particle. */
static void births_end_with_the_ids(void)
{
    for (tp_pool_policy policy = TP_POOL_REFUSE; policy <= TP_POOL_RECYCLE; policy++) {
        tp_world_def def = tp_world_default(2);
        uint64_t born, refused;
        tp_emitter emitter;
        tp_report report;
        def.particles_max = 16;
        def.pool_policy = policy;
        test_world made = ids_left(&def, 20);
        tp_emitter_def burst = tp_emitter_default();
        burst.burst_count = 12;
        burst.rate_numerator = 120;
        CHECK_EQ(tp_emitter_add(made.world, &burst, &emitter), TP_OK);
        for (uint32_t f = 0; f < 30; f++) CHECK_EQ(tp_frame(made.world, NULL, &report), TP_OK);
        CHECK_EQ(tp_emitter_count(made.world, emitter, &born, &refused), TP_OK);
        bool recycles = policy == TP_POOL_RECYCLE;
        CHECK_EQ(born, recycles ? 20 : 16);
        CHECK_EQ(born + refused, 12 + 60);
        CHECK_EQ(report.recycled, recycles ? 4 : 0);
        CHECK_EQ(report.particles, 16);
        CHECK_EQ(made.world->clock.next_id, recycles ? TP_ID_LAST + 1u : TP_ID_LAST - 3u);
        const tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++)
            CHECK(view.id[i] >= TP_ID_LAST - 19u && view.id[i] <= TP_ID_LAST);
        test_world_free(&made);
    }
}

/* Three particles in a row with two links, one of which breaks; returns the final hash. */
static uint64_t wrap_run(uint64_t steps)
{
    tp_world_def def = pair_def(2, 8, 0.004);
    tp_report report;
    tp_link links[2];
    def.links_max = 2;
    def.species[0].epsilon = 0.0f;
    test_world made = test_world_make(&def);
    made.world->report.steps = steps;
    for (uint32_t i = 0; i < 3; i++) pair_add(made.world, i, 0.0, 0.0);
    for (uint32_t k = 0; k < 2; k++) {
        tp_link_def link = tp_link_default();
        link.first = k, link.second = k + 1u;
        link.rest_length = 1.0f, link.stiffness = 10.0f;
        link.break_length = k ? 1.5f : 0.0f;
        CHECK_EQ(tp_link_add(made.world, &link, &links[k]), TP_OK);
    }
    for (uint32_t f = 0; f < 12; f++) {
        if (f == 4)
            CHECK(tp_particle_set(made.world, 2, (tp_vector){3, 0, 0}, (tp_vector){0, 0, 0}) ==
                  TP_OK);
        CHECK_EQ(tp_frame(made.world, NULL, &report), TP_OK);
        tp_link_def link;
        CHECK_EQ(tp_link_get(made.world, links[0], &link), TP_OK);
        CHECK_EQ(tp_link_get(made.world, links[1], &link), f < 4 ? TP_OK : TP_ERROR_HANDLE);
        CHECK_EQ(report.links_broken, f < 4 ? 0 : 1);
    }
    CHECK_EQ(report.pools[TP_POOL_LINKS].used, 1);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

/* The mark of a link that a step drops repeats after 2^31 steps, but never lasts beyond the next
   step. */
static void links_break_the_same_whatever_the_number_of_the_step(void)
{
    static const uint64_t round[] = {0x7fffffffu, 0x80000000u, 0xffffffffu, 0x7fffffffffffffffu};
    uint64_t hash = wrap_run(0);
    for (uint32_t k = 0; k < sizeof round / sizeof round[0]; k++)
        for (uint64_t before = 0; before < 8; before++) CHECK_EQ(wrap_run(round[k] - before), hash);
}

/* ---- visible values ---- */

/* The block as it is passes verification. */
static void limits_pass(const test_world *made, const char *what)
{
    tp_block_fault fault;
    tp_world *found;
    tp_result result = tp_world_verify(made->world, (size_t)made->world->bytes, &fault, &found);
    test_note("%s: %s", what, fault.expected ? fault.expected : "good");
    CHECK_EQ(result, TP_OK);
}

/* Also far from any collider, and without a speed limit in the definition. */
static void no_particle_is_seen_faster_than_the_limit(void)
{
    for (uint32_t kdk = 0; kdk < 2; kdk++) {
        tp_world_def def = tp_world_default(2);
        tp_field_def pull = tp_field_default(TP_FIELD_GRAVITY);
        tp_field field;
        def.particles_max = 2;
        def.integrator = (tp_integrator)kdk;
        test_world made = test_world_make(&def);
        pull.vector = (tp_vector){1e6f, 0, 0};
        CHECK(tp_field_add(made.world, &pull, &field) == TP_OK);
        tp_vector here = {0, 0, 0}, fast = {999999000.0f, 0, 0};
        CHECK(tp_particle_add(made.world, here, fast, 0, NULL) == TP_OK);
        CHECK(tp_particle_add(made.world, here, here, 0, NULL) == TP_OK);
        CHECK(tp_frame(made.world, NULL, NULL) == TP_OK);
        CHECK_EQ(tp_world_view(made.world).count, 1);
        CHECK_EQ(tp_world_report(made.world).killed_particles, 1);
        limits_pass(&made, "faster than the limit");
        test_world_free(&made);
    }
}

/* Subnormal positions become 0, which may be a side of the box. */
static void no_particle_is_seen_outside_of_its_box(void)
{
    static const float lows[] = {-10.0f, 0.0f, 5e-31f, -5e-31f, -1e-35f, 7.0f};
    static const float places[] = {-1e-30f, -9e-31f, -1e-37f, 0.0f, 1e-37f, 6e-31f, 1e-30f, 10.0f};
    for (uint32_t k = 0; k < 48; k++) {
        tp_world_def def = pair_def(2, 4, 0.004);
        def.periodic_axes = TP_AXIS_X;
        def.box_low.x = lows[k / 8u];
        def.box_size.x = 10.0f;
        test_world made = test_world_make(&def);
        pair_add(made.world, (double)places[k % 8u], 0, 0);
        for (uint32_t f = 0; f < 2; f++) {
            float x = tp_world_view(made.world).x[0];
            test_note("low %g, x %g", (double)def.box_low.x, (double)x);
            CHECK(x >= def.box_low.x - 1e-30f && x < def.box_low.x + 10.0f);
            limits_pass(&made, "outside of its box");
            CHECK(tp_frame(made.world, NULL, NULL) == TP_OK);
        }
        test_world_free(&made);
    }
}

/* Far from the origin both sides of a small box would round to the same float. */
static void a_box_is_wide_enough_to_hold_a_place(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.species[0].sigma = 1e-3f;
    def.periodic_axes = TP_AXIS_Y;
    def.box_size = (tp_vector){1, 6e-3f, 1};
    CHECK(tp_world_check(&def) == NULL);
    for (uint32_t k = 0; k < 2; k++) {
        def.box_low.y = k ? 1e6f : -1e6f;
        def.box_size.y = 6e-3f;
        CHECK(tp_world_check(&def) != NULL);
        def.box_size.y = 1.0f;
        CHECK(tp_world_check(&def) == NULL);
    }
}

/* ---- sums of numbers from an untrusted block ---- */

/* Sums of several worlds' units do not overflow 64 bits, and a budget does not become unlimited. */
static void forged_units_break_no_budget(void)
{
    tp_world_def def = tp_world_default(2);
    test_world made[2];
    tp_share shares[2];
    tp_block_fault fault;
    def.particles_max = 1000;
    def.lag_frames_max = 64;
    memset(shares, 0, sizeof shares);
    for (uint32_t k = 0; k < 2; k++) {
        tp_budget none = {.units = 1};
        made[k] = test_world_make(&def);
        for (uint32_t i = 0; i < 1000; i++)
            CHECK(tp_particle_add(made[k].world, (tp_vector){(float)i, 0, 0}, (tp_vector){0, 0, 0},
                                  0, NULL) == TP_OK);
        for (uint32_t f = 0; f < 64; f++) CHECK(tp_frame(made[k].world, &none, NULL) == TP_MORE);
        made[k].world->report.units = k ? 5000 : (uint64_t)0 - 5000;
        CHECK_EQ(
            tp_world_verify(made[k].world, (size_t)made[k].world->bytes, &fault, &shares[k].world),
            TP_OK);
    }
    uint64_t before = made[0].world->report.units + made[1].world->report.units;
    tp_budget budget = {.units = 5000, .is_same_frame = true};
    CHECK(tp_frame_worlds(shares, 2, &budget) >= TP_OK);
    CHECK(made[0].world->report.units + made[1].world->report.units - before <= 5064);
    for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
}

/* A frame number that could overflow is refused: the world would owe a frame forever. */
static void a_foreign_clock_has_frames_left(void)
{
    tp_world_def def = tp_world_default(2);
    test_world made = test_world_make(&def);
    tp_block_fault fault;
    tp_world *found;
    size_t bytes = (size_t)made.world->bytes;
    made.world->clock.frame = made.world->target_frame = ((uint64_t)1 << 63) - 2u;
    CHECK_EQ(tp_world_verify(made.world, bytes, &fault, &found), TP_OK);
    made.world->clock.frame = made.world->target_frame = UINT64_MAX;
    CHECK_EQ(tp_world_verify(made.world, bytes, &fault, &found), TP_ERROR_BLOCK);
    test_world_free(&made);
}

/* Even if the block states a much larger range. */
static void a_fault_names_a_byte_of_the_block(void)
{
    static const float flat[4] = {0};
    tp_world_def def = tp_world_default(3);
    tp_collider_def ground = tp_collider_default(TP_COLLIDER_HEIGHTFIELD);
    tp_collider collider;
    tp_block_fault fault;
    tp_world *found;
    def.geometry_bytes_max = 64;
    test_world made = test_world_make(&def);
    ground.samples = flat;
    ground.columns = ground.rows = 2;
    ground.layers = 1;
    ground.spacing = 1.0f;
    CHECK_EQ(tp_collider_add(made.world, &ground, &collider), TP_OK);
    tpi_collider_at(made.world, 0)->def.columns = tpi_collider_at(made.world, 0)->def.rows = 4096;
    size_t bytes = (size_t)made.world->bytes;
    CHECK_EQ(tp_world_verify(made.world, bytes, &fault, &found), TP_ERROR_BLOCK);
    CHECK(fault.offset < bytes);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(no_pool_uses_more_than_its_peak),
    TEST_CASE(a_table_costs_memory_where_there_can_be_one_only),
    TEST_CASE(a_particle_is_set_to_finite_numbers_only),
    TEST_CASE(z_is_ignored_in_two_dimensions),
    TEST_CASE(z_keeps_no_particle_outside_a_box_of_two_dimensions),
    TEST_CASE(a_unit_vector_of_two_dimensions_is_one_in_x_and_y),
    TEST_CASE(a_budget_of_microseconds_needs_a_clock),
    TEST_CASE(a_cache_refuses_microseconds_without_a_clock),
    TEST_CASE(a_player_and_a_timeline_refuse_microseconds_without_a_clock),
    TEST_CASE(no_id_is_given_twice),
    TEST_CASE(births_end_with_the_ids),
    TEST_CASE(links_break_the_same_whatever_the_number_of_the_step),
    TEST_CASE(no_particle_is_seen_faster_than_the_limit),
    TEST_CASE(no_particle_is_seen_outside_of_its_box),
    TEST_CASE(a_box_is_wide_enough_to_hold_a_place),
    TEST_CASE(forged_units_break_no_budget),
    TEST_CASE(a_foreign_clock_has_frames_left),
    TEST_CASE(a_fault_names_a_byte_of_the_block),
};
TEST_SUITE(limits, cases);
