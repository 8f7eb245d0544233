/* SPDX-License-Identifier: MIT
   tests/physics/test_fluid_link.c - links among the particles of a fluid: jelly floats, sinks and
           keeps its shape; momentum, breaks, deaths, stiff links, slices.
   reads   runtime/solve/spring.c, runtime/solve/sph      writes  nothing
   memory  worlds of up to 1000 particles, a cache      cost    about two seconds
   after   the oscillator; Archimedes' principle */
#include "test.h"
#include "cache_help.h"
#include "dfsph_worlds.h"
#include "event_help.h"
#include "link_worlds.h"
#include "jobs_posix/jobs.h"
#include "solve/link.h"
#include "step/step.h"
#include <stdlib.h>
#include <string.h>

#define FORMULATIONS 4u
#define SPACING      ((double)FLUID_SPACING)

/* ---- worlds ---- */

/* A fluid of one of the formulations. */
static tp_world_def bath_def(uint32_t formulation, uint32_t dimensions, uint32_t particles,
                             uint32_t links)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = particles;
    def.links_max = links;
    def.slice_units = 65536;
    def.sph.neighbours_max = 64;
    if (formulation == 0) tp_sph_incompressible(&def, FLUID_SPACING);
    if (formulation == 1) tp_sph_double_density(&def, FLUID_SPACING);
    if (formulation == 2) tp_sph_ideal_gas(&def, FLUID_SPACING, 1);
    if (formulation == 3) tp_sph_weakly_compressible(&def, FLUID_SPACING, 1);
    return def;
}

/* Links all particles with ids from `first` on that are nearer than this. Returns their number. */
static uint32_t net_make(tp_world *world, uint32_t first, uint32_t count, double within,
                         double stiffness, double damping)
{
    tp_view view = tp_world_view(world);
    uint32_t links = 0;
    for (uint32_t i = first; i < first + count; i++)
        for (uint32_t j = i + 1; j < first + count; j++) {
            double dx = (double)(view.x[i] - view.x[j]), dy = (double)(view.y[i] - view.y[j]),
                   dz = view.z ? (double)(view.z[i] - view.z[j]) : 0,
                   r = sqrt(dx * dx + dy * dy + dz * dz);
            if (r > within) continue;
            link_add(world, view.id[i], view.id[j], r, stiffness, damping);
            links++;
        }
    return links;
}

/* Water with a cube of jelly in its middle, of species 1 and with the ids from 0 on, under gravity
   in a tank. */
typedef struct jelly_pool {
    test_world made;
    uint32_t count, links; /* of the jelly */
} jelly_pool;
static jelly_pool jelly_make(uint32_t dimensions, double density, double stiffness)
{
    const uint32_t wide = dimensions == 2 ? 24 : 10, high = dimensions == 2 ? 14 : 10,
                   deep = dimensions == 2 ? 1 : 10, side = dimensions == 2 ? 7 : 4;
    const uint32_t from[3] = {(wide - side) / 2, (high - side) / 2,
                              dimensions == 2 ? 0 : (deep - side) / 2};
    jelly_pool pool = {{NULL, NULL, 0}, 0, 0};
    tp_world_def def = bath_def(0, dimensions, wide * high * deep, 2000);
    def.species_count = 2;
    def.species[1].mass = (float)density;
    pool.made = test_world_make(&def);
    test_world_gravity(pool.made.world, 9.81f);
    test_world_tank(pool.made.world,
                    (tp_vector){(float)wide * FLUID_SPACING, 10, (float)deep * FLUID_SPACING});
    for (uint32_t species = 2; species-- > 0;) {
        for (uint32_t i = 0; i < wide * high * deep; i++) {
            const uint32_t at[3] = {i % wide, i / (wide * deep), i / wide % deep};
            bool is_in = true;
            for (uint32_t c = 0; c < dimensions; c++)
                is_in = is_in && at[c] >= from[c] && at[c] < from[c] + side;
            if (is_in != (species == 1)) continue;
            link_particle(pool.made.world, (at[0] + 0.5) * SPACING, (at[1] + 0.5) * SPACING,
                          dimensions == 2 ? 0 : (at[2] + 0.5) * SPACING, 0, species);
            pool.count += species;
        }
    }
    pool.links = net_make(pool.made.world, 0, pool.count, 1.8 * SPACING, stiffness, 5);
    return pool;
}

/* The height of the jelly's centre, the ratio of its longest to its shortest diameter by second
   moments in the plane, and the mean strain of its links. */
typedef struct jelly_shape {
    double height, aspect, strain;
} jelly_shape;
static jelly_shape jelly_measure(const jelly_pool *pool)
{
    const tp_world *world = pool->made.world;
    tp_view view = tp_world_view(world);
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, strain = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.id[i] >= pool->count) continue;
        double px = (double)view.x[i], py = (double)view.y[i];
        x += px / pool->count, y += py / pool->count;
        xx += px * px / pool->count, xy += px * py / pool->count, yy += py * py / pool->count;
    }
    xx -= x * x, xy -= x * y, yy -= y * y;
    double root = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy), mean = (xx + yy) / 2;
    for (uint32_t slot = 0; slot < pool->links; slot++) {
        const tpi_link_item *link = tpi_link_at(world, slot);
        const uint32_t *at = link->index[world->front];
        double dx = (double)(view.x[at[0]] - view.x[at[1]]),
               dy = (double)(view.y[at[0]] - view.y[at[1]]),
               dz = view.z ? (double)(view.z[at[0]] - view.z[at[1]]) : 0;
        strain += fabs(sqrt(dx * dx + dy * dy + dz * dz) / (double)link->rest_length - 1);
    }
    return (jelly_shape){y, sqrt((mean + root) / (mean - root)), strain / pool->links};
}

/* ---- jelly in water ---- */

/* Water 14 (3D: 10) rows deep. Light jelly rises until its top is above the surface, heavy jelly
   lies on the floor. */
static void jelly_floats_or_sinks_and_keeps_its_shape(void)
{
    for (uint32_t run = 0; run < 4; run++) {
        if (!test_runs(run, 3)) continue; /* light in 2D, heavy in 3D */
        const uint32_t dimensions = 2 + run / 2, side = dimensions == 2 ? 7 : 4,
                       high = dimensions == 2 ? 14 : 10;
        jelly_pool pool = jelly_make(dimensions, run % 2 ? 1.3 : 0.8, 1500);
        test_world_frames(pool.made.world, dimensions == 2 ? 240 : 150);
        jelly_shape shape = jelly_measure(&pool);
        test_note("run %u: height %.2f spacings, aspect %.3f, strain %.4f", run,
                  shape.height / SPACING, shape.aspect, shape.strain);
        CHECK_EQ(pool.made.world->report.steps_strained, 0);
        CHECK(shape.aspect < 1.15 && shape.strain < 0.04);
        double afloat = high - 0.8 * side + 0.5 * side, sunk = 0.5 * side;
        CHECK_NEAR(shape.height / SPACING, run % 2 ? sunk : afloat, 1.2);
        double before = shape.height;
        test_world_frames(pool.made.world, 30);
        CHECK_NEAR(jelly_measure(&pool).height, before, 0.3 * SPACING);
        test_world_free(&pool.made);
    }
}

/* Of 24 x 14 places 7 x 7 are jelly, half of it above the surface: there its centre is. */
static void jelly_of_half_the_density_floats_half_under(void)
{
    jelly_pool pool = jelly_make(2, 0.5, 1500);
    test_world_frames(pool.made.world, 300);
    jelly_shape shape = jelly_measure(&pool);
    test_note("height %.2f spacings", shape.height / SPACING);
    CHECK_NEAR(shape.height / SPACING, (24 * 14 - 49 / 2.0) / 24, 0.7);
    test_world_free(&pool.made);
}

/* A cloud with a net in it, free of walls and gravity. */
static test_world cloud_make(uint32_t formulation, uint32_t dimensions)
{
    const uint32_t flat[3] = {14, 12, 1}, deep[3] = {7, 6, 5};
    tp_world_def def = bath_def(formulation, dimensions, 220, 1500);
    def.species_count = 2;
    def.species[1].mass = 0.6f * def.species[0].mass;
    test_world made = test_world_make(&def);
    fluid_block(made.world, dimensions == 2 ? flat : deep, (tp_vector){0.1f, 0.2f, 0}, 0.2f, 0.5f);
    net_make(made.world, 20, 60, 2 * SPACING, 100 * (double)def.species[0].mass, 1);
    return made;
}

static void link_forces_cancel_to_the_last_bit_and_momentum_stays(void)
{
    for (uint32_t run = 0; run < 2 * FORMULATIONS; run++) {
        test_world made = cloud_make(run / 2, 2 + run % 2);
        tp_world *world = made.world;
        double momentum[2] = {0, 0}, size = 0;
        for (uint32_t f = 0; f < 20; f++) {
            uint64_t sums[3] = {0, 0, 0}, all = 0;
            tpi_step_begin(world, tpi_substep_ticks(world));
            CHECK(test_world_run_to(world, TP_STAGE_MOVE, 500));
            for (uint32_t a = 0; a < world->def.dimensions; a++)
                for (uint32_t i = 0; i < world->count; i++) {
                    sums[a] += (uint64_t)tpi_link_sums(world, a)[i];
                    all |= (uint64_t)tpi_link_sums(world, a)[i];
                }
            CHECK(all != 0 && sums[0] == 0 && sums[1] == 0 && sums[2] == 0);
            tpi_step_cancel(world);
            test_world_frames(world, 1);
            tp_view view = tp_world_view(world);
            momentum[f > 0] = size = 0;
            for (uint32_t i = 0; i < view.count; i++) {
                double mass = (double)world->def.species[TP_META_SPECIES(view.meta[i])].mass;
                momentum[f > 0] += mass * (double)view.vx[i];
                size += mass * fabs((double)view.vx[i]);
            }
        }
        test_note("run %u: %.3g of %.3g", run, momentum[1] - momentum[0], size);
        CHECK_NEAR(momentum[1], momentum[0], 2e-6 * size);
        CHECK_EQ(world->report.links_dropped, 0);
        test_world_free(&made);
    }
}

/* ---- one link ---- */

/* Two particles beyond the support radius, beside symplectic Euler in double precision. */
static void one_link_is_the_oscillator(void)
{
    for (uint32_t run = 0; run < 2 * FORMULATIONS; run++) {
        tp_world_def def = bath_def(run / 2, 2 + run % 2, 2, 1);
        def.frames_per_second_numerator = 1000;
        const uint32_t steps = 300 * tpi_substep_rule_of(&def).count;
        def.species_count = 2;
        def.species[1].mass = 3 * def.species[0].mass;
        test_world made = test_world_make(&def);
        const double mass = (double)def.species[0].mass, reduced = 0.75 * mass, dt = 0.3 / steps;
        uint32_t a = link_particle(made.world, 1.3, 0, 0, 0, 0),
                 b = link_particle(made.world, 0, 0, 0, 0, 1);
        link_add(made.world, a, b, 1, 400 * mass, 2 * mass);
        double x = 0.3, v = 0;
        for (uint32_t f = 0; f < steps; f++) {
            v += (-400 * mass * x * dt) / reduced - v * (1 - exp(-2 * mass / reduced * dt));
            x += v * dt;
        }
        test_world_frames(made.world, 300);
        CHECK_EQ(made.world->report.steps, steps);
        test_note("run %u", run);
        CHECK_NEAR(link_x(made.world, a) - link_x(made.world, b) - 1, x, 1e-4);
        CHECK_NEAR(3 * link_v(made.world, b), -link_v(made.world, a), 1e-5);
        test_world_free(&made);
    }
}

static void a_stretched_link_breaks_and_is_told_once(void)
{
    for (uint32_t formulation = 0; formulation < FORMULATIONS; formulation++) {
        tp_world_def def = bath_def(formulation, 2, 2, 1);
        def.events_max = 16;
        def.event_kinds = TP_EVENTS_ALL;
        test_world made = test_world_make(&def);
        uint32_t a = link_particle(made.world, 0, 0, 0, -2, 0),
                 b = link_particle(made.world, 0.2, 0, 0, 2, 0);
        tp_link link = link_add(made.world, a, b, 0.2, 1, 0);
        tp_link_def settings;
        event_list list = event_list_make();
        CHECK(tp_link_get(made.world, link, &settings) == TP_OK);
        settings.break_length = 0.5f;
        CHECK(tp_link_set(made.world, link, &settings) == TP_OK);
        event_list_frames(&list, made.world, 20);
        CHECK_EQ(made.world->report.links_broken, 1);
        CHECK_EQ(event_list_count(&list, TP_EVENT_LINK_BROKEN), 1);
        const tp_event *event = event_list_find(&list, TP_EVENT_LINK_BROKEN, 0);
        CHECK(event && event->id == a && event->partner == b && event->handle == link.id);
        CHECK(event && event->point.x > 0.09f && event->point.x < 0.11f && event->speed > 3);
        CHECK(tp_link_get(made.world, link, &settings) == TP_ERROR_HANDLE);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_LINKS].used, 0);
        free(list.events);
        test_world_free(&made);
    }
}

/* Deaths by a sink before the forces of the step, and by a collider after them. */
static void a_dead_end_drops_its_links_and_no_others(void)
{
    for (uint32_t run = 0; run < 2 * FORMULATIONS; run++) {
        tp_world_def def = bath_def(run / 2, 2, 5, 4);
        test_world made = test_world_make(&def);
        tp_link links[4];
        tp_sink_def sink = tp_sink_default();
        tp_collider_def wall = tp_collider_default(TP_COLLIDER_SPHERE);
        for (uint32_t k = 0; k < 5; k++)
            link_particle(made.world, 0.3 * k, 0, 0, k == 2 ? 0.1 : 0, 0);
        for (uint32_t k = 0; k < 4; k++) links[k] = link_add(made.world, k, k + 1, 0.25, 1, 0);
        test_world_frames(made.world, 3);
        sink.shape = TP_SINK_SPHERE;
        sink.center.x = wall.pose.position.x = (float)link_x(made.world, 2);
        sink.radius = wall.radius = 0.1f;
        wall.kills = true;
        if (run % 2)
            CHECK(tp_collider_add(made.world, &wall, &(tp_collider){0}) == TP_OK);
        else
            CHECK(tp_sink_add(made.world, &sink, &(tp_sink){0}) == TP_OK);
        test_world_frames(made.world, 2);
        test_note("run %u", run);
        CHECK_EQ(tp_world_view(made.world).count, 4);
        CHECK_EQ(made.world->report.links_dropped, 2);
        for (uint32_t k = 0; k < 4; k++)
            CHECK(tp_link_get(made.world, links[k], &(tp_link_def){0}) ==
                  (k == 1 || k == 2 ? TP_ERROR_HANDLE : TP_OK));
        double before = link_v(made.world, 1);
        test_world_frames(made.world, 1);
        CHECK(link_v(made.world, 1) != before);
        CHECK(tp_particle_remove(made.world, 0) == TP_OK);
        test_world_frames(made.world, 2);
        CHECK_EQ(made.world->report.links_dropped, 3);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_LINKS].used, 1);
        test_world_free(&made);
    }
}

/* ---- stiff links ---- */

/* A net whose particles are beyond the support radius, with random velocities. */
static test_world net_free(tp_world_def *def, double stiffness, double damping)
{
    uint32_t state = 3;
    test_world made = test_world_make(def);
    for (uint32_t i = 0; i < 36; i++) link_particle(made.world, i % 6 * 0.2, i / 6 * 0.2, 0, 0, 0);
    for (uint32_t i = 0; i < 36; i++)
        for (uint32_t a = 0; a < 2; a++)
            tpi_front_v(made.world, a)[i] = test_uniform(&state, -0.5f, 0.5f);
    net_make(made.world, 0, 36, 0.3, stiffness, damping);
    return made;
}

static double net_energy(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double energy = 0;
    for (uint32_t i = 0; i < view.count; i++)
        energy += 0.5 * (double)(view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i]);
    return energy;
}

/* An inner particle of the net has 8 links. */
static void stiff_links_shorten_steps_then_are_softened_and_never_explode(void)
{
    for (uint32_t run = 0; run < 3 * FORMULATIONS; run++) {
        static const double dampings[3] = {0, 3, 1e9};
        tp_world_def def = bath_def(run / 3, 2, 36, 200);
        tpi_substep_rule rule = tpi_substep_rule_of(&def);
        const double mass = (double)def.species[0].mass, per_frame = rule.count * 60.0,
                     most = rule.count_max * 60.0;
        test_note("run %u", run);
        /* as stiff as the steps of the definition bear */
        test_world made =
            net_free(&def, 0.99 * mass * per_frame * per_frame / 16, dampings[run % 3]);
        test_world_frames(made.world, 3);
        CHECK_EQ(tp_world_report(made.world).steps_in_frame, rule.count);
        test_world_free(&made);
        /* as those of a frame with all its steps bear */
        made = net_free(&def, 0.99 * mass * most * most / 16, dampings[run % 3]);
        test_world_frames(made.world, 3);
        CHECK_EQ(tp_world_report(made.world).steps_in_frame, rule.count_max);
        CHECK_EQ(made.world->report.steps_shortened, rule.count < rule.count_max);
        CHECK_EQ(made.world->report.steps_strained, 0);
        test_world_free(&made);
        made = net_free(&def, run % 2 ? 1e12 : 1e4 * mass * most * most, dampings[run % 3]);
        double energy = net_energy(made.world), largest = 0;
        for (uint32_t f = 0; f < 120; f++) {
            test_world_frames(made.world, 1);
            largest = fmax(largest, net_energy(made.world));
        }
        test_note("run %u: energy %.3g, at most %.3g", run, energy, largest);
        CHECK(largest < 1.3 * energy);
        CHECK_EQ(made.world->report.steps_strained, made.world->report.steps);
        CHECK_EQ(made.world->report.steps, 120 * rule.count_max);
        CHECK_EQ(made.world->clock.tick, 0);
        test_world_free(&made);
    }
}

/* Jelly much stiffer than the steps bear, in water that falls with it onto a floor. */
static void stiff_jelly_in_water_comes_to_rest(void)
{
    for (uint32_t formulation = 0; formulation < FORMULATIONS; formulation++) {
        const uint32_t size[3] = {14, 12, 1};
        tp_world_def def = bath_def(formulation, 2, 168, 1000);
        test_world made = test_world_make(&def);
        test_world_gravity(made.world, 9.81f);
        test_world_tank(made.world, (tp_vector){14 * FLUID_SPACING, 10, 0});
        fluid_block(made.world, size, (tp_vector){0, 0.3f, 0}, 0, 0);
        net_make(made.world, 30, 70, 1.5 * SPACING, 1e9, 0);
        double largest = 0, mass = (double)def.species[0].mass;
        for (uint32_t f = 0; f < 120; f++) {
            test_world_frames(made.world, 1);
            largest = fmax(largest, net_energy(made.world) / 168);
        }
        test_note("formulation %u: %.3g J/kg at most, %.3g at the end (mass %.2g)", formulation,
                  largest, net_energy(made.world) / 168, mass);
        CHECK(largest < 9.81 * 0.4 && net_energy(made.world) / 168 < 0.05);
        test_world_free(&made);
    }
}

/* ---- the same bits ---- */

/* A tank with two nets, births, deaths and links that break. */
static test_world room_make(uint32_t formulation, uint32_t dimensions, bool stores, uint32_t slice)
{
    const uint32_t flat[3] = {16, 12, 1}, deep[3] = {9, 6, 5};
    tp_world_def def = bath_def(formulation, dimensions, 420, 700);
    def.slice_units = slice;
    def.sph.stores_neighbours = stores;
    if (formulation == 1) def.sph.springs_max = 4;
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_emitter_def spout = tp_emitter_default();
    tp_sink_def drain = tp_sink_default();
    float z = dimensions == 2 ? 0.0f : 0.15f;
    test_world_gravity(world, 9.81f);
    test_world_tank(world, (tp_vector){1, 1, 0.3f});
    fluid_block(world, dimensions == 2 ? flat : deep, (tp_vector){0.1f, 0.1f, 0}, 0.1f, 1);
    net_make(world, 10, 50, 1.9 * SPACING, 300 * (double)def.species[0].mass, 1);
    net_make(world, 100, 40, 1.9 * SPACING, 100 * (double)def.species[0].mass, 0.5);
    for (uint32_t slot = 0; slot < world->links.end; slot += 3)
        tpi_link_at(world, slot)->break_length = 1.3f * tpi_link_at(world, slot)->rest_length;
    spout.pose.position = (tp_vector){0.7f, 0.9f, z};
    spout.rate_numerator = 100;
    spout.velocity_jitter = 2;
    CHECK(tp_emitter_add(world, &spout, &(tp_emitter){0}) == TP_OK);
    drain.shape = TP_SINK_SPHERE;
    drain.center = (tp_vector){0.15f, 0.1f, z};
    drain.radius = 0.08f;
    CHECK(tp_sink_add(world, &drain, &(tp_sink){0}) == TP_OK);
    return made;
}

/* The indices of the ends of all links are those of their particles. A particle that died in the
   last step has none. */
static void check_ends(const tp_world *world)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    if (!world->links_placed) return;
    for (uint32_t slot = 0; slot < world->links.end; slot++) {
        const tpi_link_item *link = tpi_link_at(world, slot);
        const uint32_t *at = link->index[world->front];
        if (!tpi_pool_is_alive(tpi_words(world, world->links.slots), slot) || link->dropped)
            continue;
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t id = end ? link->second : link->first;
            CHECK(at[end] < world->count ? ids[at[end]] == id
                                         : link_place(world, id) == UINT32_MAX);
        }
    }
}

static uint64_t room_end(test_world *made)
{
    const tp_report report = tp_world_report(made->world);
    uint64_t hash = tp_world_hash(made->world);
    test_note("dropped %u broken %u links %u", (unsigned)report.links_dropped,
              (unsigned)report.links_broken, report.pools[TP_POOL_LINKS].used);
    CHECK(report.links_dropped > 0 && report.links_broken > 0 && report.born > 20);
    CHECK(report.pools[TP_POOL_LINKS].used > 50);
    test_world_free(made);
    return hash;
}

static uint64_t room_run(uint32_t formulation, uint32_t dimensions, bool stores,
                         const tp_budget *budget)
{
    test_world made = room_make(formulation, dimensions, stores, budget->units ? 64 : 65536);
    while (made.world->clock.frame < 24) {
        tp_budget one = *budget;
        one.frames_max = 1;
        if (!CHECK(tp_frame(made.world, &one, NULL) >= TP_OK)) break;
        check_ends(made.world);
    }
    return room_end(&made);
}

static void slices_lists_widths_and_workers_change_no_bit(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    for (uint32_t kind = 0; kind < 5; kind++) { /* the incompressible fluid also in 3D */
        const tp_budget budgets[5] = {{.lanes_max = 4},
                                      {.lanes_max = 8},
                                      {.lanes_max = 16},
                                      {.jobs = &pool.jobs},
                                      {.units = 9000}};
        uint64_t hash = 0;
        for (uint32_t b = 0; b < 5; b++) {
            test_note("kind %u, budget %u", kind, b);
            uint64_t found = room_run(kind % 4, kind < 4 ? 2 : 3, b != 2, &budgets[b]);
            if (b == 0) hash = found;
            CHECK_EQ(found, hash);
        }
    }
    platform_jobs_stop(&pool);
}

/* Recorded by a cache; with `rewinds`, frame 12 is restored at frame 20. */
static uint64_t room_recorded(uint32_t formulation, bool rewinds)
{
    test_world made = room_make(formulation, 2, true, 65536);
    cache_play(made.world, 20, rewinds, 12, 24);
    return room_end(&made);
}

/* A copy of the block in the middle of each step, cancelled steps, and a rewound cache. */
static void copies_and_rewinds_go_on_to_the_same_bits(void)
{
    for (uint32_t formulation = 0; formulation < 2; formulation++) {
        const uint64_t hash = room_run(formulation, 2, true, &(tp_budget){.lanes_max = 0});
        test_world made = room_make(formulation, 2, true, 64);
        void *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
        for (uint32_t f = 0; f < 24; f++) {
            tp_budget little = {.units = 2000 + 977 * f, .frames_max = 1},
                      rest = {.is_same_frame = true, .frames_max = 1};
            tp_report report;
            CHECK(tp_frame(made.world, &little, &report) >= TP_OK);
            if (f % 3 == 0 && !report.frames_completed) tpi_step_cancel(made.world);
            memcpy(copy, made.world, made.bytes);
            memset(made.world, 0x5a, made.bytes);
            memcpy(made.world, copy, made.bytes);
            if (!report.frames_completed) CHECK(tp_frame(made.world, &rest, &report) == TP_OK);
        }
        free(copy);
        CHECK_EQ(room_end(&made), hash);
        CHECK_EQ(room_recorded(formulation, false), hash);
        CHECK_EQ(room_recorded(formulation, true), hash);
    }
}

/* ---- definitions ---- */

static void links_need_a_solver_that_has_them(void)
{
    tp_world_def def = bath_def(1, 2, 16, 4);
    CHECK(tp_world_check(&def) == NULL);
    def.sph.compat = true;
    def.sph.springs_max = 0;
    CHECK(strstr(tp_world_check(&def), "links_max must be 0 with sph.compat") != NULL);
    def = tp_world_default(2);
    def.links_max = 1;
    def.solver = TP_SOLVER_NONE;
    CHECK(strncmp(tp_world_check(&def), "links_max ", 10) == 0);
}

static void memory_grows_by_the_stated_bytes(void)
{
    for (uint32_t run = 0; run < 8; run++) {
        const uint32_t particles = 77 + 1000 * run, links = 5 + 300 * run;
        tp_world_def def = bath_def(run % 4, 2 + run / 4, particles, links), plain = def;
        size_t bytes, without;
        plain.links_max = 0;
        CHECK(tp_world_memory(&def, &bytes) == TP_OK);
        CHECK(tp_world_memory(&plain, &without) == TP_OK);
        CHECK(bytes - without <= TP_LINK_BYTES(2 + run / 4, particles, links));
    }
}

static const test_case cases[] = {
    TEST_CASE(jelly_floats_or_sinks_and_keeps_its_shape),
    TEST_CASE(jelly_of_half_the_density_floats_half_under),
    TEST_CASE(link_forces_cancel_to_the_last_bit_and_momentum_stays),
    TEST_CASE(one_link_is_the_oscillator),
    TEST_CASE(a_stretched_link_breaks_and_is_told_once),
    TEST_CASE(a_dead_end_drops_its_links_and_no_others),
    TEST_CASE(stiff_links_shorten_steps_then_are_softened_and_never_explode),
    TEST_CASE(stiff_jelly_in_water_comes_to_rest),
    TEST_CASE(slices_lists_widths_and_workers_change_no_bit),
    TEST_CASE(copies_and_rewinds_go_on_to_the_same_bits),
    TEST_CASE(links_need_a_solver_that_has_them),
    TEST_CASE(memory_grows_by_the_stated_bytes),
};
TEST_SUITE(fluid_link, cases);
