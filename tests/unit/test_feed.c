/* SPDX-License-Identifier: MIT
   tests/unit/test_feed.c - emitters that events feed, curves of fields over age, colliders whose
           contacts are no events.
   reads   runtime/emit/feed.c, runtime/world/event.c, runtime/solve/field.c      writes  nothing
   memory  worlds of up to 600 particles      cost    some seconds
   after   own design */
#include "test.h"
#include "cache_help.h"
#include "collide_help.h"
#include "event_help.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME TP_TICKS_PER_FRAME

static tp_world_def feed_def(uint32_t dimensions, uint32_t particles, uint32_t feeds)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = particles;
    def.species_count = 3;
    def.feeds_max = feeds;
    return def;
}

static tp_emitter feed_add(tp_world *world, const tp_emitter_def *def)
{
    tp_emitter emitter = {0};
    CHECK(tp_emitter_check(world, def) == NULL);
    CHECK(tp_emitter_add(world, def, &emitter) == TP_OK);
    return emitter;
}

/* An emitter of `births` particles of species 1 for each event of one kind of species 0. */
static tp_emitter_def feed_of(tp_event_kind kind, uint32_t births)
{
    tp_emitter_def def = tp_emitter_default();
    def.feed_kinds = TP_EVENT_BIT(kind);
    def.feed_species = 1;
    def.feed_births = births;
    def.species = 1;
    return def;
}

/* One particle of species 0 with a lifetime, at (1, 2). */
static void feed_rocket(tp_world *world, uint32_t lifetime, tp_vector velocity)
{
    tp_emitter_def rocket = tp_emitter_default();
    rocket.burst_count = 1;
    rocket.pose.position = (tp_vector){1, 2, 0};
    rocket.velocity = velocity;
    rocket.lifetime_ticks = lifetime;
    (void)feed_add(world, &rocket);
}

static uint32_t species_count(const tp_world *world, uint32_t species)
{
    tp_view view = tp_world_view(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++) count += TP_META_SPECIES(view.meta[i]) == species;
    return count;
}

/* ---- what feeds ---- */

static void a_death_bursts_where_it_happens(void)
{
    tp_world_def def = feed_def(2, 64, 8);
    test_world made = test_world_make(&def);
    tp_emitter_def burst = feed_of(TP_EVENT_DEATH, 10);
    burst.inherit = 0.5f;
    burst.pose.position = (tp_vector){0, 0.25f, 0};
    feed_rocket(made.world, 5 * FRAME, (tp_vector){6, 0, 0});
    tp_emitter emitter = feed_add(made.world, &burst);
    test_world_frames(made.world, 4);
    CHECK_EQ(species_count(made.world, 0), 1);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 10);
    for (uint32_t i = 0; i < view.count; i++) { /* 4 frames at 6 m/s, then one at half of it */
        CHECK_NEAR(view.x[i], 1.4 + 0.05, 1e-5);
        CHECK_NEAR(view.y[i], 2.25, 1e-5);
        CHECK_NEAR(view.vx[i], 3, 1e-5);
        CHECK_EQ(TP_META_EMITTER(view.meta[i]), 2);
        CHECK_EQ(view.id[i], 1 + i);
    }
    uint64_t born = 0, refused = 9;
    CHECK(tp_emitter_count(made.world, emitter, &born, &refused) == TP_OK);
    CHECK(born == 10 && refused == 0);
    test_world_frames(made.world, 10);
    CHECK_EQ(species_count(made.world, 1), 10);
    test_world_free(&made);
}

/* Two balls fall at 3 and 1 m/s; only the faster one splashes, once, above the surface. */
static void a_contact_splashes_from_feed_speed_on(void)
{
    tp_world_def def = feed_def(2, 64, 8);
    test_world made = test_world_make(&def);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    tp_emitter_def splash = feed_of(TP_EVENT_CONTACT_BEGUN, 4);
    splash.feed_speed = 2;
    splash.velocity = (tp_vector){0, 5, 0};
    (void)collide_add(made.world, &plane);
    (void)feed_add(made.world, &splash);
    for (uint32_t k = 0; k < 2; k++)
        CHECK(tp_particle_add(made.world, (tp_vector){(float)k, 0.2f, 0},
                              (tp_vector){0, k ? -1.0f : -3.0f, 0}, 0, NULL) == TP_OK);
    test_world_frames(made.world, 3);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(species_count(made.world, 1), 4);
    for (uint32_t i = 0; i < view.count; i++)
        if (TP_META_SPECIES(view.meta[i]) == 1) CHECK(view.x[i] == 0 && view.y[i] >= 0.05f);
    test_world_frames(made.world, 20);
    CHECK_EQ(species_count(made.world, 1), 4);
    test_world_free(&made);
}

/* Births of a splash lie on the surface with the radius of their own species, each emitter takes
   the speeds that it wants, one that has stopped takes none, and the world filters species. */
static void each_emitter_takes_the_contacts_that_it_wants(void)
{
    for (uint32_t filter = 0; filter < 2; filter++) {
        tp_world_def def = feed_def(2, 64, 8);
        def.species[1].radius = 0.2f;
        if (filter) def.event_species = 6;
        test_world made = test_world_make(&def);
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        tp_emitter_def splash = feed_of(TP_EVENT_CONTACT_BEGUN, 1);
        plane.species_mask = ~2u; /* does not push the births out */
        (void)collide_add(made.world, &plane);
        (void)feed_add(made.world, &splash);
        splash.feed_speed = 2; /* less than the speed of the contact */
        splash.species = 2;
        (void)feed_add(made.world, &splash);
        splash.feed_speed = 4;
        (void)feed_add(made.world, &splash);
        splash.feed_speed = 1;
        splash.stop_frame = 1;
        (void)feed_add(made.world, &splash);
        test_world_frames(made.world, 1);
        CHECK(tp_particle_add(made.world, (tp_vector){0, 0.06f, 0}, (tp_vector){0, -3, 0}, 0,
                              NULL) == TP_OK);
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        test_note("filter %u", filter);
        CHECK_EQ(species_count(made.world, 1), filter ? 0u : 1u);
        CHECK_EQ(species_count(made.world, 2), filter ? 0u : 1u);
        for (uint32_t i = 0; i < view.count; i++)
            if (TP_META_SPECIES(view.meta[i]) == 1) CHECK_NEAR(view.y[i], 0.2, 1e-3);
        test_world_free(&made);
    }
}

/* Deaths of species that are no events of the world feed nothing. */
static void the_world_chooses_whose_deaths_feed(void)
{
    for (uint32_t filter = 0; filter < 2; filter++) {
        tp_world_def def = feed_def(2, 64, 8);
        if (filter) def.event_species = 6;
        test_world made = test_world_make(&def);
        tp_emitter_def burst = feed_of(TP_EVENT_DEATH, 5);
        (void)feed_add(made.world, &burst);
        feed_rocket(made.world, FRAME, (tp_vector){0, 0, 0});
        test_world_frames(made.world, 4);
        CHECK_EQ(species_count(made.world, 0), 0);
        CHECK_EQ(species_count(made.world, 1), filter ? 0u : 5u);
        test_world_free(&made);
    }
}

/* Three points per frame at equal distances, whatever the steps. */
static void a_trail_has_points_at_equal_ages(void)
{
    for (uint32_t steps = 1; steps < 8; steps++) {
        tp_world_def def = feed_def(2, 64, 8);
        def.substeps.count = steps;
        test_world made = test_world_make(&def);
        tp_emitter_def trail = feed_of(TP_EVENT_TRAIL, 1);
        trail.feed_ticks = FRAME / 3;
        feed_rocket(made.world, 0, (tp_vector){18, 0, 0}); /* 0.1 m in a third of a frame */
        (void)feed_add(made.world, &trail);
        test_world_frames(made.world, 5);
        tp_view view = tp_world_view(made.world);
        float seen[16] = {0};
        uint32_t count = 0;
        for (uint32_t i = 0; i < view.count; i++)
            if (TP_META_SPECIES(view.meta[i]) == 1 && view.id[i] < 16) {
                seen[view.id[i]] = view.x[i];
                count++;
            }
        test_note("%u steps", steps);
        CHECK_EQ(count, 15 - 3 / steps); /* it begins a step after the birth */
        for (uint32_t k = 1; k <= count; k++) CHECK_NEAR(seen[k], 1 + 0.1 * (k + 3 / steps), 1e-4);
        test_world_free(&made);
    }
}

/* A ball that is thrown; a point per `distance` of its way. Returns the points less those that the
   way has room for; *gaps: the shortest and longest distance between two points. */
static double trail_along(uint32_t steps, float distance, bool is_thrown, double gaps[2])
{
    tp_world_def def = feed_def(2, 4096, 64);
    def.substeps.count = steps;
    test_world made = test_world_make(&def);
    tp_emitter_def trail = feed_of(TP_EVENT_TRAIL, 1);
    trail.feed_distance = distance;
    feed_rocket(made.world, 0, (tp_vector){4, is_thrown ? 6 : 0, 0});
    (void)feed_add(made.world, &trail);
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    gravity.vector.y = is_thrown ? -9.81f : 0.0f;
    gravity.species_mask = 1; /* the points stay where they are */
    CHECK(tp_field_add(made.world, &gravity, &field) == TP_OK);
    test_world_frames(made.world, 1); /* a step after its birth */
    tp_view view = tp_world_view(made.world);
    double x = (double)view.x[0], y = (double)view.y[0], way = 0;
    uint32_t before = view.count;
    for (uint32_t frame = 0; frame < 90; frame++) {
        test_world_frames(made.world, 1);
        view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            if (view.id[i] != 0) continue;
            way += hypot((double)view.x[i] - x, (double)view.y[i] - y);
            x = (double)view.x[i];
            y = (double)view.y[i];
        }
    }
    static double at[4096][2];
    for (uint32_t i = 0; i < view.count; i++) {
        at[view.id[i]][0] = (double)view.x[i];
        at[view.id[i]][1] = (double)view.y[i];
    }
    gaps[0] = 1e9;
    gaps[1] = 0;
    for (uint32_t k = 2; k < view.count; k++) {
        double gap = hypot(at[k][0] - at[k - 1][0], at[k][1] - at[k - 1][1]);
        gaps[0] = fmin(gaps[0], gap / (double)distance);
        gaps[1] = fmax(gaps[1], gap / (double)distance);
    }
    double more = view.count - before - way / (double)distance;
    test_note("%u steps, a point per %.3f m: %u points of %.2f m, gaps %.2f to %.2f", steps,
              (double)distance, view.count - before, way, gaps[0], gaps[1]);
    test_world_free(&made);
    return more;
}

static void a_trail_by_distance_has_a_point_per_so_many_metres(void)
{
    const float distances[] = {0.017f, 0.05f, 0.11f, 0.4f};
    for (uint32_t k = 0; k < 24; k++) {
        double gaps[2], more = trail_along(1 + k / 4 % 3 * 2, distances[k % 4], k >= 12, gaps);
        CHECK(fabs(more) < 3);
        CHECK(gaps[0] > 0.35 && gaps[1] < 2);
    }
}

static void what_breaks_and_what_a_collider_kills_feeds(void)
{
    tp_world_def def = feed_def(2, 64, 8);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.links_max = 2;
    test_world made = test_world_make(&def);
    tp_emitter_def dust = feed_of(TP_EVENT_LINK_BROKEN, 3), ash = feed_of(TP_EVENT_DEATH, 5);
    tp_collider_def lava = tp_collider_default(TP_COLLIDER_PLANE);
    lava.kills = true;
    dust.species = 2;
    ash.velocity = (tp_vector){0, 1, 0};
    (void)collide_add(made.world, &lava);
    (void)feed_add(made.world, &dust);
    (void)feed_add(made.world, &ash);
    tp_link_def link = tp_link_default();
    tp_link handle;
    link.second = 1;
    link.rest_length = 2.5f;
    link.break_length = 2.6f;
    for (uint32_t k = 0; k < 2; k++)
        CHECK(tp_particle_add(made.world, (tp_vector){2.5f * (float)k, 1, 0},
                              (tp_vector){k ? 3.0f : -3.0f, 0, 0}, 0, NULL) == TP_OK);
    CHECK(tp_link_add(made.world, &link, &handle) == TP_OK);
    CHECK(tp_particle_add(made.world, (tp_vector){9, 0.1f, 0}, (tp_vector){0, -9, 0}, 0, NULL) ==
          TP_OK);
    test_world_frames(made.world,
                      1); /* of two steps: the ash is born where and when the first ends */
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        if (TP_META_SPECIES(view.meta[i]) != 1) continue;
        CHECK_EQ(view.birth[i], TP_TICKS_PER_FRAME / 2);
        CHECK_NEAR(view.x[i], 9, 1e-5);
        CHECK_NEAR(view.y[i], def.species[0].radius + 1.0f / 120, 1e-4);
    }
    CHECK_EQ(species_count(made.world, 1), 5);
    test_world_frames(made.world, 5);
    CHECK_EQ(species_count(made.world, 2), 3);
    CHECK_EQ(species_count(made.world, 1), 5);
    CHECK_EQ(species_count(made.world, 0), 2);
    test_world_free(&made);
}

/* ---- limits ---- */

/* 40 particles die in one step; the limits of the step, of the pool and of the total hold. */
static void births_of_a_step_are_limited_and_counted(void)
{
    static const struct {
        uint32_t feeds, births_max, total, particles, born, dropped, limited, refused;
    } rows[] = {{64, 1024, 0, 600, 400, 0, 0, 0}, {7, 1024, 0, 600, 70, 33, 0, 0},
                {64, 33, 0, 600, 33, 0, 367, 0},  {64, 1024, 0, 45, 45, 0, 0, 355},
                {64, 1024, 52, 600, 52, 0, 0, 0}, {7, 33, 0, 600, 33, 33, 37, 0},
                {1, 1, 0, 600, 1, 39, 9, 0}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        tp_world_def def = feed_def(2, rows[r].particles, rows[r].feeds);
        test_world made = test_world_make(&def);
        tp_emitter_def burst = feed_of(TP_EVENT_DEATH, 10);
        burst.feed_births_max = rows[r].births_max;
        burst.total_max = rows[r].total;
        tp_emitter emitter = feed_add(made.world, &burst);
        tp_sink_def drain = tp_sink_default();
        tp_sink sink;
        drain.offset = 100;
        drain.species_mask = 1;
        for (uint32_t k = 0; k < 40; k++)
            CHECK(tp_particle_add(made.world, (tp_vector){(float)k, 0, 0}, (tp_vector){0, 0, 0}, 0,
                                  NULL) == TP_OK);
        CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
        test_world_frames(made.world, 2);
        tp_report report = tp_world_report(made.world);
        uint64_t born, refused;
        CHECK(tp_emitter_count(made.world, emitter, &born, &refused) == TP_OK);
        test_note("row %u", r);
        CHECK_EQ(born, rows[r].born);
        CHECK_EQ(species_count(made.world, 1), rows[r].born);
        CHECK_EQ(report.feeds_dropped, rows[r].dropped);
        CHECK_EQ(report.births_limited, rows[r].limited);
        CHECK_EQ(report.pools[TP_POOL_PARTICLES].refused, rows[r].refused);
        CHECK_EQ(refused, rows[r].limited + rows[r].refused);
        /* the first deaths in the order of ids */
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++)
            CHECK_NEAR(view.x[i], (float)((view.id[i] - 40) / 10), 1e-6);
        test_world_free(&made);
    }
}

/* Each death makes two births of the same kind: the number of particles doubles until the limits
   hold it. */
static void particles_that_feed_their_own_emitter_stay_bounded(void)
{
    tp_world_def def = feed_def(3, 600, 50);
    test_world made = test_world_make(&def);
    tp_emitter_def chain = feed_of(TP_EVENT_DEATH, 2), trail = feed_of(TP_EVENT_TRAIL, 4);
    chain.species = 0;
    chain.lifetime_ticks = 3 * FRAME;
    chain.velocity_jitter = 4;
    chain.feed_births_max = 60;
    trail.species = 0;
    trail.feed_ticks = FRAME / 2;
    trail.feed_births_max = 5;
    trail.lifetime_ticks = 9 * FRAME;
    (void)feed_add(made.world, &chain);
    (void)feed_add(made.world, &trail);
    CHECK(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 1, 0}, 0, NULL) ==
          TP_OK);
    uint64_t born = 0;
    for (uint32_t frame = 0; frame < 300; frame++) {
        test_world_frames(made.world, 1);
        tp_report report = tp_world_report(made.world);
        CHECK(report.born - born <= 65);
        born = report.born;
    }
    tp_report report = tp_world_report(made.world);
    CHECK(report.born > 1500 && report.feeds_dropped > 0 && report.births_limited > 0);
    test_world_free(&made);
}

/* ---- the same bits ---- */

/* Rockets with trails burst, sparks splash on a floor and pools overflow. */
static void feed_show(tp_world *world)
{
    tp_emitter_def rocket = tp_emitter_default(), trail = feed_of(TP_EVENT_TRAIL, 1),
                   burst = feed_of(TP_EVENT_DEATH, 24), splash = feed_of(TP_EVENT_CONTACT_BEGUN, 3);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    plane.restitution = 0.5f;
    (void)collide_add(world, &plane);
    test_world_gravity(world, 9.81f);
    rocket.shape = TP_EMITTER_SEGMENT;
    rocket.size.x = 1;
    rocket.pose.position.y = 0.1f;
    rocket.rate_numerator = 100;
    rocket.velocity = (tp_vector){0, 8, 0};
    rocket.velocity_jitter = 2;
    rocket.lifetime_ticks = 12 * FRAME;
    rocket.lifetime_jitter = 0.5f;
    trail.feed_ticks = FRAME / 2;
    trail.feed_births_max = 7;
    trail.lifetime_ticks = 4 * FRAME;
    burst.species = 2;
    burst.velocity_jitter = 5;
    burst.inherit = 0.5f;
    burst.lifetime_ticks = 20 * FRAME;
    burst.lifetime_jitter = 1;
    burst.feed_births_max = 50;
    splash.feed_species = 4;
    splash.velocity = (tp_vector){0, 2, 0};
    splash.velocity_jitter = 1;
    splash.lifetime_ticks = 5 * FRAME;
    (void)feed_add(world, &burst);
    (void)feed_add(world, &rocket);
    (void)feed_add(world, &trail);
    (void)feed_add(world, &splash);
}

static tp_world_def feed_show_def(uint32_t kind, uint32_t dimensions)
{
    tp_world_def def = feed_def(dimensions, 400, 11);
    def.substeps.count = 3;
    def.pool_policy = kind & 1u ? TP_POOL_RECYCLE : TP_POOL_REFUSE;
    if (kind < 2) return def;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (kind == 3) tp_sph_incompressible(&def, 0.1f);
    return def;
}

/* The particles, whatever events a world keeps. */
static uint64_t feed_hash(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    uint64_t sum = view.count;
    for (uint32_t i = 0; i < view.count; i++) {
        uint32_t bits[2];
        memcpy(&bits[0], &view.x[i], 4);
        memcpy(&bits[1], &view.vy[i], 4);
        sum += tpi_mix(tpi_mix((uint64_t)bits[0] << 32 | bits[1]) ^
                       ((uint64_t)view.id[i] << 32 | view.meta[i]));
    }
    return sum;
}

static uint64_t feed_run(const tp_world_def *def, const tp_budget *budget, uint64_t *state)
{
    test_world made = test_world_make(def);
    feed_show(made.world);
    for (uint32_t frame = 0; frame < 40; frame++) {
        tp_budget next = *budget;
        while (tp_frame(made.world, &next, NULL) == TP_MORE) {
            next.is_same_frame = true;
            next.units += budget->units;
        }
    }
    tp_report report = tp_world_report(made.world);
    CHECK(report.feeds_dropped > 0 && report.births_limited > 0);
    CHECK(species_count(made.world, 1) + species_count(made.world, 2) > 20);
    uint64_t hash = feed_hash(made.world);
    *state = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void slices_widths_and_threads_change_no_fed_birth(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 2))) return;
    for (uint32_t kind = 0; kind < 4; kind++) {
        tp_budget budgets[] = {{.units = 0},     {.units = 64},        {.units = 777},
                               {.lanes_max = 4}, {.jobs = &pool.jobs}, {.lanes_max = 8}};
        uint64_t first = 0, state;
        for (uint32_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
            tp_world_def def = feed_show_def(kind, 2 + (kind >> 1));
            if (b && !test_runs(b + kind, 2)) continue;
            if (budgets[b].units) def.slice_units = 64;
            (void)feed_run(&def, &budgets[b], &state);
            if (b == 0) first = state;
            test_note("kind %u, budget %u", kind, b);
            CHECK_EQ(state, first);
        }
    }
    platform_jobs_stop(&pool);
}

/* With no ring, one that overflows and one that does not: the same births. */
static void the_ring_of_events_changes_no_fed_birth(void)
{
    static const uint32_t sizes[] = {0, 1, 9, 4000};
    tp_budget all = {0};
    uint64_t first = 0, state;
    for (uint32_t n = 0; n < 4; n++) {
        tp_world_def def = feed_show_def(1, 2);
        def.events_max = sizes[n];
        def.event_kinds = sizes[n] ? TP_EVENTS_ALL : 0u;
        uint64_t hash = feed_run(&def, &all, &state);
        if (n == 0) first = hash;
        CHECK_EQ(hash, first);
    }
}

static void rewinds_and_snapshots_give_the_same_fed_births_again(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        tp_world_def def = feed_show_def(kind, 2);
        test_world made = test_world_make(&def);
        feed_show(made.world);
        cache_check_resumes(made.world, 25);
        void *copy = malloc(made.bytes);
        tp_budget little = {.units = 500};
        CHECK(tp_frame(made.world, &little, NULL) >= TP_OK); /* in the middle of a step */
        memcpy(copy, made.block, made.bytes);
        tp_world *moved = NULL;
        tp_block_fault fault;
        CHECK(tp_world_verify(copy, made.bytes, &fault, &moved) == TP_OK);
        test_world_frames(made.world, 10);
        if (CHECK(moved != NULL)) {
            test_world_frames(moved, 10);
            CHECK_EQ(feed_hash(moved), feed_hash(made.world));
        }
        free(copy);
        test_world_free(&made);
    }
}

/* No slice does more than the stated overrun ahead of its units. */
static void fed_births_overrun_no_slice(void)
{
    tp_world_def def = feed_show_def(1, 3);
    def.slice_units = 64;
    test_world made = test_world_make(&def);
    uint32_t worst = 0;
    feed_show(made.world);
    for (uint32_t call = 0; call < 6000; call++) {
        tp_budget little = {.units = 64};
        CHECK(tp_frame(made.world, &little, NULL) >= TP_OK);
        worst = tpi_max_u32(worst, made.world->step.half_units_ahead / 2u);
    }
    test_note("%u units ahead", worst);
    CHECK(worst <= TP_UNITS_OVERRUN(0, def.fields_max, def.colliders_max, def.emitters_max));
    CHECK(tp_world_report(made.world).born > 100);
    test_world_free(&made);
}

/* An emitter changes what feeds it while the world runs; without one, contacts are not followed. */
static void what_feeds_may_change_and_end(void)
{
    tp_world_def def = feed_show_def(0, 2);
    def.takes_changes = true;
    test_world made = test_world_make(&def);
    tp_emitter_def burst = feed_of(TP_EVENT_DEATH, 6), spout = tp_emitter_default();
    burst.feed_species = 7;
    tp_emitter emitter = feed_add(made.world, &burst);
    feed_rocket(made.world, 3 * FRAME, (tp_vector){0, 0, 0});
    test_world_frames(made.world, 4);
    CHECK_EQ(species_count(made.world, 1), 6);
    spout.rate_numerator = 60;
    spout.species = 2;
    CHECK(tp_emitter_set(made.world, emitter, &spout) == TP_OK);
    test_world_frames(made.world, 10);
    CHECK_EQ(species_count(made.world, 2), 10);
    CHECK(tp_emitter_set(made.world, emitter, &burst) == TP_OK);
    test_world_frames(made.world, 10);
    CHECK_EQ(species_count(made.world, 2), 10);
    uint64_t born;
    CHECK(tp_emitter_count(made.world, emitter, &born, NULL) == TP_OK);
    CHECK_EQ(born, 16);
    test_world_free(&made);
}

/* ---- definitions ---- */

#define EMITTER_FIELD(field, value, text) \
    {                                     \
        tp_emitter_def bad = good;        \
        bad.field = value;                \
        check_emitter(&made, &bad, text); \
    }

static void check_emitter(test_world *made, const tp_emitter_def *bad, const char *text)
{
    tp_emitter emitter;
    const char *found = tp_emitter_check(made->world, bad);
    test_note("%s", text);
    CHECK(found && strstr(found, text));
    CHECK(tp_emitter_add(made->world, bad, &emitter) == TP_ERROR_DEFINITION);
}

static void bad_feeds_are_refused_with_the_name_of_the_field(void)
{
    tp_world_def def = feed_def(2, 16, 4);
    test_world made = test_world_make(&def);
    const tp_emitter_def good = feed_of(TP_EVENT_TRAIL, 1);
    CHECK(tp_emitter_check(made.world, &good) == NULL);
    EMITTER_FIELD(feed_kinds, TP_EVENT_BIT(TP_EVENT_BIRTH), "feed_kinds")
    EMITTER_FIELD(feed_kinds, TP_EVENT_BIT(TP_EVENT_CONTACT_ENDED), "feed_kinds")
    EMITTER_FIELD(feed_kinds, 128, "feed_kinds")
    EMITTER_FIELD(feed_deaths, 1, "feed_deaths")
    EMITTER_FIELD(feed_deaths, 1u << TP_DEATH_LOST, "feed_deaths")
    EMITTER_FIELD(feed_speed, -1, "feed_speed")
    EMITTER_FIELD(feed_speed, NAN, "feed_speed")
    EMITTER_FIELD(feed_speed, INFINITY, "feed_speed")
    EMITTER_FIELD(feed_ticks, 0, "feed_ticks")
    EMITTER_FIELD(feed_ticks, 4294967295u, "feed_ticks")
    EMITTER_FIELD(feed_distance, -1, "feed_distance")
    EMITTER_FIELD(feed_distance, 1e-7f, "feed_distance")
    EMITTER_FIELD(feed_distance, NAN, "feed_distance")
    EMITTER_FIELD(feed_births, 0, "feed_births")
    EMITTER_FIELD(feed_births, 1025, "feed_births")
    EMITTER_FIELD(feed_births_max, 0, "feed_births_max")
    EMITTER_FIELD(feed_births_max, 65537, "feed_births_max")
    EMITTER_FIELD(rate_numerator, 1, "rate_numerator")
    EMITTER_FIELD(burst_count, 1, "burst_count")
    test_world_free(&made);
    def.feeds_max = 0;
    made = test_world_make(&def);
    check_emitter(&made, &good, "feeds_max");
    test_world_free(&made);
    def.feeds_max = 4;
    def.keeps_births = false;
    made = test_world_make(&def);
    check_emitter(&made, &good, "keeps_births");
    test_world_free(&made);
    def.feeds_max = 16385;
    CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "feeds_max"));
}

/* The block of a world without feeds is as large as one without the field. */
static void a_feed_takes_the_stated_bytes(void)
{
    tp_world_def def = feed_def(2, 16, 0);
    size_t none, some;
    CHECK(tp_world_memory(&def, &none) == TP_OK);
    def.feeds_max = 100;
    CHECK(tp_world_memory(&def, &some) == TP_OK);
    size_t settings = 32 * def.emitters_max; /* TP_WORLD_BYTES counts them */
    CHECK(some - none <= TP_FEED_BYTES(100) + TP_CONTACT_BYTES(16) + 16 + settings);
    CHECK(some - none >= TP_FEED_BYTES(100) + settings);
}

/* ---- filters of colliders ---- */

static void colliders_choose_whose_contacts_are_events(void)
{
    tp_world_def def = event_def(2, 8, 64, EVENT_CONTACTS);
    def.species_count = 2;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.event_species = 2;
    tp_collider heard = collide_add(made.world, &floor);
    for (uint32_t k = 0; k < 4; k++)
        CHECK(tp_particle_add(made.world, (tp_vector){(float)k, 0.2f, 0}, (tp_vector){0, -4, 0},
                              k & 1u, NULL) == TP_OK);
    event_list_frames(&list, made.world, 10);
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_BEGUN), 2);
    for (uint32_t k = 0; k < list.count; k++) CHECK_EQ(TP_META_SPECIES(list.events[k].meta), 1);
    CHECK_EQ(event_list_find(&list, TP_EVENT_CONTACT_BEGUN, 0)->handle, heard.id);
    free(list.events);
    test_world_free(&made);
}

/* ---- fields over age ---- */

/* Drag from half of the life on: v = v0, then v0 exp(-b (t - t0)). */
static void drag_and_gravity_follow_their_curves(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        tp_world_def def = feed_def(2, 8, 0);
        def.keeps_curves = true;
        if (kind == 1) def.integrator = TP_INTEGRATOR_KDK;
        if (kind >= 2) def.solver = TP_SOLVER_SPH;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        if (kind == 3) tp_sph_incompressible(&def, 0.1f);
        def.substeps.count = 4;
        test_world made = test_world_make(&def);
        tp_field_def drag = tp_field_default(TP_FIELD_DRAG),
                     fall = tp_field_default(TP_FIELD_GRAVITY);
        tp_field field;
        drag.linear = 3;
        drag.over_age = (tp_curve){2, {0.5f, 0.500001f}, {0, 1}};
        fall.over_age = (tp_curve){2, {0, 1}, {1, 0}};
        CHECK(tp_field_add(made.world, &drag, &field) == TP_OK);
        CHECK(tp_field_add(made.world, &fall, &field) == TP_OK);
        feed_rocket(made.world, 40 * FRAME, (tp_vector){2, 0, 0});
        CHECK(tp_particle_add(made.world, (tp_vector){9, 9, 0}, (tp_vector){2, 0, 0}, 0, NULL) ==
              TP_OK);
        test_world_frames(made.world, 20);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < 2; i++) { /* the second one has no lifetime: age 0 */
            const bool ages = view.id[i] == 1;
            test_note("solver %u, particle %u", kind, i);
            CHECK_NEAR(view.vx[i], 2, 1e-4);
            CHECK_NEAR(view.vy[i], ages ? -9.81 / 3 * 0.75 : -9.81 / 3, 0.03);
        }
        test_world_frames(made.world, 19);
        view = tp_world_view(made.world);
        for (uint32_t i = 0; i < 2; i++)
            CHECK_NEAR(view.vx[i], view.id[i] == 1 ? 2 * exp(-3 * 19.0 / 60) : 2, 0.02);
        test_world_free(&made);
    }
}

/* An impact below 2 g dt does not bounce, with the largest gravity of its curve: 0.98 m/s here. */
static void a_curve_of_gravity_tells_what_bounces(void)
{
    for (uint32_t faster = 0; faster < 2; faster++) {
        tp_world_def def = feed_def(2, 8, 0);
        def.keeps_curves = true;
        test_world made = test_world_make(&def);
        tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
        tp_field field;
        tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
        fall.over_age = (tp_curve){2, {0, 1}, {0, 3}};
        floor.restitution = 1;
        CHECK(tp_field_add(made.world, &fall, &field) == TP_OK);
        (void)collide_add(made.world, &floor);
        CHECK(tp_particle_add(made.world, (tp_vector){0, def.species[0].radius + 0.001f, 0},
                              (tp_vector){0, faster ? -3.0f : -0.8f, 0}, 0, NULL) == TP_OK);
        test_world_frames(made.world, 1);
        test_note("%.3f m/s", (double)tp_world_view(made.world).vy[0]);
        CHECK((tp_world_view(made.world).vy[0] > 2) == (faster == 1));
        CHECK(faster || tp_world_view(made.world).vy[0] < 0.01f);
        test_world_free(&made);
    }
}

static void check_field(test_world *made, const tp_field_def *bad, const char *text)
{
    tp_field field;
    const char *found = tp_field_check(made->world, bad);
    test_note("%s: %s", text, found ? found : "good");
    CHECK(found && strstr(found, text));
    CHECK(tp_field_add(made->world, bad, &field) == TP_ERROR_DEFINITION);
}

static void bad_curves_of_fields_are_refused(void)
{
    tp_world_def def = feed_def(2, 8, 0);
    def.keeps_curves = true;
    test_world made = test_world_make(&def);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    drag.over_age = (tp_curve){2, {0, 1}, {1, 0}};
    CHECK(tp_field_check(made.world, &drag) == NULL);
    static const tp_curve curves[] = {
        {9, {0}, {0}},          {1, {NAN}, {0}}, {1, {0}, {NAN}},       {1, {0}, {INFINITY}},
        {2, {0.5f, 0.5f}, {0}}, {1, {0}, {-1}},  {2, {0, 1.5f}, {1, 1}}};
    for (uint32_t c = 0; c < sizeof curves / sizeof curves[0]; c++) {
        tp_field_def bad = drag;
        bad.over_age = curves[c];
        check_field(&made, &bad, "over_age");
    }
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    wind.over_age = drag.over_age;
    check_field(&made, &wind, "TP_FIELD_DRAG");
    test_world_free(&made);
    def.keeps_births = false;
    made = test_world_make(&def);
    check_field(&made, &drag, "keeps_births");
    test_world_free(&made);
    def.keeps_births = true;
    def.keeps_curves = false;
    made = test_world_make(&def);
    check_field(&made, &drag, "keeps_curves");
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_death_bursts_where_it_happens),
    TEST_CASE(a_contact_splashes_from_feed_speed_on),
    TEST_CASE(each_emitter_takes_the_contacts_that_it_wants),
    TEST_CASE(the_world_chooses_whose_deaths_feed),
    TEST_CASE(a_trail_has_points_at_equal_ages),
    TEST_CASE(a_trail_by_distance_has_a_point_per_so_many_metres),
    TEST_CASE(what_breaks_and_what_a_collider_kills_feeds),
    TEST_CASE(births_of_a_step_are_limited_and_counted),
    TEST_CASE(particles_that_feed_their_own_emitter_stay_bounded),
    TEST_CASE(slices_widths_and_threads_change_no_fed_birth),
    TEST_CASE(the_ring_of_events_changes_no_fed_birth),
    TEST_CASE(rewinds_and_snapshots_give_the_same_fed_births_again),
    TEST_CASE(fed_births_overrun_no_slice),
    TEST_CASE(what_feeds_may_change_and_end),
    TEST_CASE(bad_feeds_are_refused_with_the_name_of_the_field),
    TEST_CASE(a_feed_takes_the_stated_bytes),
    TEST_CASE(colliders_choose_whose_contacts_are_events),
    TEST_CASE(drag_and_gravity_follow_their_curves),
    TEST_CASE(a_curve_of_gravity_tells_what_bounces),
    TEST_CASE(bad_curves_of_fields_are_refused),
};
TEST_SUITE(feed, cases);
