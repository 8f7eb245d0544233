/* SPDX-License-Identifier: MIT
   tests/physics/test_fluid_pin.c - pins of links, and sheets of linked particles that hold a fluid:
           what goes through by their spacing; momentum, slices, lists, widths, workers, rewinds.
   reads   runtime/solve/spring.c, runtime/solve/link.c, runtime/solve/sph      writes  nothing
   memory  worlds of up to 700 particles, a cache      cost    about three seconds
   after   the damped oscillator; own design: a sheet of the fluid's own particles, 0.7 of its
           spacing apart, is tight */
#include "test.h"
#include "cache_help.h"
#include "dfsph_worlds.h"
#include "link_worlds.h"
#include "jobs_posix/jobs.h"
#include "solve/link.h"
#include <stdlib.h>
#include <string.h>

#define APART 0.05 /* m: particles of the fluid at rest */

static tp_link pin_add(tp_world *world, uint32_t id, double x, double y, double z, double stiffness)
{
    tp_link link = {0};
    tp_link_def def = tp_link_default();
    def.first = id;
    def.second = TP_ID_NONE;
    def.stiffness = (float)stiffness;
    def.point = (tp_vector){(float)x, (float)y, (float)z};
    CHECK(tp_link_check(world, &def) == NULL);
    CHECK(tp_link_add(world, &def, &link) == TP_OK);
    return link;
}

/* ---- one pin ---- */

/* Critically damped: x = (1 + w t) exp(-w t). */
static void a_pin_draws_a_particle_to_its_place(void)
{
    for (uint32_t run = 0; run < 4; run++) {
        tp_world_def def = link_def(2 + run % 2, 4, 2, 0.001);
        if (run / 2) {
            def = tp_world_default(2 + run % 2);
            def.solver = TP_SOLVER_SPH;
            def.links_max = 2;
            def.frames_per_second_numerator = 1000;
            tp_sph_incompressible(&def, 0.1f);
        }
        def.species[0].mass = 0.5f;
        test_world made = test_world_make(&def);
        uint32_t id = link_particle(made.world, 1.25, 2, 0, 0, 0);
        pin_add(made.world, id, 1, 2, run % 2 ? 0 : 7, 50); /* 2D: no depth */
        test_world_frames(made.world, 150);
        tp_view view = tp_world_view(made.world);
        const double w = sqrt(50 / 0.5), t = 0.15;
        test_note("run %u: x %.6f", run, (double)view.x[0]);
        CHECK_NEAR(view.x[0], 1 + 0.25 * (1 + w * t) * exp(-w * t), 2e-3);
        CHECK(view.y[0] == 2.0f);
        test_world_frames(made.world, 3000);
        CHECK_NEAR(tp_world_view(made.world).x[0], 1, 1e-4);
        CHECK_EQ(tp_world_report(made.world).links_guarded, 0);
        test_world_free(&made);
    }
}

/* However stiff, a pin of a fluid adds no energy. */
static void the_stiffest_pin_overshoots_no_more_than_a_soft_one(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.links_max = 1;
    tp_sph_incompressible(&def, 0.1f);
    test_world made = test_world_make(&def);
    uint32_t id = link_particle(made.world, 1.25, 2, 0, 0, 0);
    pin_add(made.world, id, 1, 2, 0, 1e12);
    for (uint32_t f = 0; f < 100; f++) {
        test_world_frames(made.world, 1);
        double away = fabs((double)tp_world_view(made.world).x[0] - 1);
        test_note("frame %u: %.6f m away", f, away);
        CHECK(away < (f < 10 ? 0.25 : 1e-3));
    }
    CHECK(tp_world_report(made.world).steps_strained > 0);
    test_world_free(&made);
}

static void a_pin_is_read_set_and_removed(void)
{
    tp_world_def def = link_def(3, 4, 2, 0.01);
    test_world made = test_world_make(&def);
    uint32_t id = link_particle(made.world, 1, 2, 3, 0, 0), other = 0, count = 0;
    tp_link link = pin_add(made.world, id, 4, 5, 6, 50);
    tp_link_def found, bad[4];
    CHECK(tp_link_get(made.world, link, &found) == TP_OK);
    CHECK(found.first == id && found.second == TP_ID_NONE && found.stiffness == 50.0f);
    CHECK(found.rest_length == 0.0f && found.damping == 0.0f && found.break_length == 0.0f);
    CHECK(found.point.x == 4.0f && found.point.y == 5.0f && found.point.z == 6.0f);
    for (uint32_t k = 0; k < 4; k++) bad[k] = found;
    bad[0].rest_length = 1;
    bad[1].damping = 1;
    bad[2].break_length = 1;
    bad[3].point.y = NAN;
    for (uint32_t k = 0; k < 4; k++) {
        const char *text = tp_link_check(made.world, &bad[k]), *start = k < 3 ? "rest_" : "point ";
        CHECK(text && strncmp(text, start, strlen(start)) == 0);
        CHECK(tp_link_set(made.world, link, &bad[k]) == TP_ERROR_DEFINITION);
    }
    CHECK(tp_links_add(made.world, &found, NULL, 0, &count) == TP_ERROR_DEFINITION);
    found.point.x = 9;
    CHECK(tp_link_set(made.world, link, &found) == TP_OK);
    CHECK(tp_link_get(made.world, link, &found) == TP_OK && found.point.x == 9.0f);
    tp_block_fault fault;
    tp_world *world = NULL;
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &world) == TP_OK);
    CHECK(tp_link_get(made.world, link, &found) == TP_OK && found.point.z == 6.0f);
    CHECK(tp_link_remove(made.world, link) == TP_OK);
    CHECK(tp_link_get(made.world, link, &found) == TP_ERROR_HANDLE);
    other = link_particle(made.world, 2, 2, 3, 0, 0);
    pin_add(made.world, other, 2, 2, 3, 50);
    CHECK(tp_particles_clear(made.world) == TP_OK);
    test_world_frames(made.world, 2);
    CHECK_EQ(tp_world_report(made.world).links_dropped, 1);
    test_world_free(&made);
}

/* ---- sheets ---- */

/* A sheet of `side` squared particles, of species 1 and with the ids from 0 on, `lattice` apart,
   held at its corners or, `is_rim`, all around; and water of `wide` x 5 x `wide` above it. */
static test_world sheet_make(uint32_t side, double lattice, bool is_rim, uint32_t wide, bool stores,
                             uint32_t slice)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 1024;
    def.links_max = 4096;
    def.slice_units = slice;
    def.species_count = 2;
    tp_sph_incompressible(&def, (float)APART);
    def.species[0].mass = def.species[1].mass = 0.001f;
    def.species[0].radius = def.species[1].radius = 0.02f;
    def.sph.neighbours_max = 64;
    def.sph.stores_neighbours = stores;
    def.substeps.count = 4;
    def.substeps.count_max = 16;
    test_world made = test_world_make(&def);
    const double half = 0.5 * (side - 1) * lattice;
    test_world_gravity(made.world, 9.81f);
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t u = i % side, v = i / side;
        const bool ends[2] = {u == 0 || u + 1 == side, v == 0 || v + 1 == side};
        const double x = u * lattice - half, z = v * lattice - half;
        uint32_t id = link_particle(made.world, x, 0, z, 0, 1);
        if (is_rim ? ends[0] || ends[1] : ends[0] && ends[1]) pin_add(made.world, id, x, 0, z, 80);
    }
    tp_link_def def_of = tp_link_default();
    def_of.second = side * side - 1;
    def_of.rest_length = (float)(1.5 * lattice);
    def_of.stiffness = 80;
    def_of.damping = 0.1f;
    CHECK(tp_links_add(made.world, &def_of, NULL, 0, NULL) == TP_OK);
    for (uint32_t i = 0; i < wide * wide * 5; i++)
        link_particle(made.world, (i % wide - 0.5 * (wide - 1)) * APART,
                      0.1 + (i / wide / wide) * APART, (i / wide % wide - 0.5 * (wide - 1)) * APART,
                      0, 0);
    return made;
}

/* Particles of the water that are below all of the sheet. */
static uint32_t sheet_passed(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    uint32_t passed = 0;
    float lowest = 0.0f;
    for (uint32_t i = 0; i < view.count; i++)
        if (TP_META_SPECIES(view.meta[i]) == 1) lowest = fminf(lowest, view.y[i]);
    for (uint32_t i = 0; i < view.count; i++)
        passed += TP_META_SPECIES(view.meta[i]) == 0 && view.y[i] < lowest - 0.1f;
    return passed;
}

static void a_sheet_held_at_its_corners_holds_water(void)
{
    test_world made = sheet_make(23, 0.7 * APART, false, 7, true, 65536);
    test_world_frames(made.world, test_is_long() ? 600 : 60);
    test_note("%u of 245 went through", sheet_passed(made.world));
    CHECK_EQ(sheet_passed(made.world), 0);
    CHECK_EQ(tp_world_report(made.world).links_broken, 0);
    test_world_free(&made);
}

/* Nets of the same size: the wider, the more goes through. */
static void wider_nets_let_more_water_through(void)
{
    static const double lattices[3] = {0.7, 1.2, 1.8};
    uint32_t passed[3];
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t side = (uint32_t)(0.6 / (lattices[k] * APART) + 1.5);
        test_world made = sheet_make(side, lattices[k] * APART, true, 6, true, 65536);
        test_world_frames(made.world, 40);
        passed[k] = sheet_passed(made.world);
        test_note("lattice %.1f: %u of 180", lattices[k], passed[k]);
        test_world_free(&made);
    }
    CHECK(passed[0] == 0 && passed[1] > 5 && passed[2] > passed[1] + 20);
}

/* Without gravity and pins: water thrown at a sheet takes it along. */
static void a_sheet_and_the_water_that_hits_it_keep_their_momentum(void)
{
    test_world made = sheet_make(15, 0.7 * APART, false, 4, true, 65536);
    tp_world *world = made.world;
    for (uint32_t slot = 0; slot < tpi_links_end(world); slot++) {
        tp_link link = {tpi_pool_handle(tpi_words(world, world->links.slots), slot)};
        if (tpi_link_is_pin(tpi_link_at(world, slot))) CHECK(tp_link_remove(world, link) == TP_OK);
    }
    test_world_gravity(world, -9.81f); /* both fields together: none */
    for (uint32_t i = 0; i < world->count; i++) {
        tp_view at = tp_world_view(world);
        tp_vector x = {at.x[i], at.y[i], at.z[i]}, v = {0.1f, -1, 0};
        if (TP_META_SPECIES(at.meta[i]) == 0) CHECK(tp_particle_set(world, i, x, v) == TP_OK);
    }
    double first[3] = {0, 0, 0}, size = 80 * 0.001;
    for (uint32_t f = 0; f < 40; f++) {
        double momentum[3] = {0, 0, 0}, sheet = 0;
        tp_view view = tp_world_view(world);
        for (uint32_t i = 0; i < view.count; i++) {
            momentum[0] += 0.001 * (double)view.vx[i], momentum[1] += 0.001 * (double)view.vy[i];
            momentum[2] += 0.001 * (double)view.vz[i];
            if (TP_META_SPECIES(view.meta[i]) == 1) sheet += 0.001 * (double)view.vy[i];
        }
        if (f == 0) memcpy(first, momentum, sizeof first);
        for (uint32_t axis = 0; axis < 3; axis++)
            CHECK_NEAR(momentum[axis], first[axis], 1e-5 * size);
        if (f == 39) CHECK(sheet < -0.2 * size);
        test_world_frames(world, 1);
    }
    test_world_free(&made);
}

/* ---- the same bits ---- */

static uint64_t sheet_run(bool stores, const tp_budget *budget)
{
    test_world made = sheet_make(9, 0.7 * APART, false, 3, stores, budget->units ? 64 : 65536);
    while (made.world->clock.frame < 20) {
        tp_budget one = *budget;
        one.frames_max = 1;
        if (!CHECK(tp_frame(made.world, &one, NULL) >= TP_OK)) break;
    }
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void slices_lists_widths_and_workers_change_no_bit(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    const tp_budget budgets[6] = {{.lanes_max = 1},  {.lanes_max = 4},     {.lanes_max = 8},
                                  {.lanes_max = 16}, {.jobs = &pool.jobs}, {.units = 9000}};
    uint64_t hash = 0;
    for (uint32_t b = 0; b < 6; b++) {
        test_note("budget %u", b);
        uint64_t found = sheet_run(b != 2, &budgets[b]);
        if (b == 0) hash = found;
        CHECK_EQ(found, hash);
    }
    platform_jobs_stop(&pool);
}

static uint64_t sheet_recorded(bool rewinds)
{
    test_world made = sheet_make(9, 0.7 * APART, false, 3, true, 65536);
    cache_play(made.world, 16, rewinds, 7, 20);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void a_rewound_sheet_goes_on_to_the_same_bits(void)
{
    const uint64_t hash = sheet_run(true, &(tp_budget){.lanes_max = 0});
    CHECK_EQ(sheet_recorded(false), hash);
    CHECK_EQ(sheet_recorded(true), hash);
}

static const test_case cases[] = {
    TEST_CASE(a_pin_draws_a_particle_to_its_place),
    TEST_CASE(the_stiffest_pin_overshoots_no_more_than_a_soft_one),
    TEST_CASE(a_pin_is_read_set_and_removed),
    TEST_CASE(a_sheet_held_at_its_corners_holds_water),
    TEST_CASE(wider_nets_let_more_water_through),
    TEST_CASE(a_sheet_and_the_water_that_hits_it_keep_their_momentum),
    TEST_CASE(slices_lists_widths_and_workers_change_no_bit),
    TEST_CASE(a_rewound_sheet_goes_on_to_the_same_bits),
};
TEST_SUITE(fluid_pin, cases);
