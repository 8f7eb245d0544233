/* SPDX-License-Identifier: MIT
   tests/physics/test_hard.c - hard spheres: collisions, conservation, pressure of a gas, the same
           bits.
   reads   runtime/solve/pair      writes  nothing
   memory  worlds of up to 500 particles
   cost    about three seconds; TIDEPOOL_LONG=1: the whole table, a minute
   after   Carnahan and Starling 1969; runtime/guide/physics.md, pair forces */
#include "test.h"
#include "cache_help.h"
#include "pair_help.h"
#include "solve/pair/pair.h"
#include "step/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- worlds ---- */

static tp_world_def hard_def(uint32_t dimensions, uint32_t particles, double timestep)
{
    tp_world_def def = pair_def(dimensions, particles, timestep);
    def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def.pair.timestep_max = 1;
    def.pair.neighbours_max = 64;
    return def;
}

/* 4 cells^3 spheres of diameter and mass 1 at temperature 1; `eta` is their share of the periodic
   box (packing fraction). */
static test_world hard_gas(tp_world_def *def, uint32_t cells, double eta)
{
    return pair_crystal(def, cells, 6 * eta / PI, 1);
}

static void hard_add(tp_world *world, const double x[3], const double v[3], uint32_t species)
{
    tp_vector at = {(float)x[0], (float)x[1], (float)x[2]},
              velocity = {(float)v[0], (float)v[1], (float)v[2]};
    CHECK(tp_particle_add(world, at, velocity, species, NULL) == TP_OK);
}

/* Random positions in a square or cube of `side`: many spheres of masses 1 and 3 and two diameters
   overlap. */
static test_world hard_crowd(tp_world_def *def, double side, double speed)
{
    uint32_t state = 11;
    def->species_count = 2;
    def->species[1].mass = 3;
    def->species[1].sigma = 0.7f;
    test_world made = test_world_make(def);
    for (uint32_t i = 0; i < def->particles_max; i++) {
        double x[3], v[3];
        for (int a = 0; a < 3; a++) x[a] = side * (double)test_random(&state);
        for (int a = 0; a < 3; a++) v[a] = speed * ((double)test_random(&state) - 0.5);
        hard_add(made.world, x, v, i % 2);
    }
    return made;
}

static double hard_energy(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double m = (double)world->def.species[TP_META_SPECIES(view.meta[i])].mass;
        double z = view.vz ? (double)view.vz[i] : 0;
        sum += 0.5 * m *
               ((double)view.vx[i] * (double)view.vx[i] + (double)view.vy[i] * (double)view.vy[i] +
                z * z);
    }
    return sum;
}

/* ---- two of them ---- */

typedef struct hard_body {
    double x[3], v[3], mass;
} hard_body;

/* The reference for a step of two spheres, in double precision: drift; if closer than sigma,
   exchange of momentum, and separation. */
static void two_step(hard_body b[2], double timestep, double sigma, double restitution)
{
    double n[3], square = 0, speed = 0, m = b[0].mass, k = b[1].mass;
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 2; i++) b[i].x[a] += timestep * b[i].v[a];
        n[a] = b[1].x[a] - b[0].x[a];
        square += n[a] * n[a];
    }
    double distance = sqrt(square);
    if (distance >= sigma) return;
    for (int a = 0; a < 3; a++) speed += (b[1].v[a] - b[0].v[a]) * (n[a] /= distance);
    double impulse = speed < 0 ? -(1 + restitution) * m * k / (m + k) * speed : 0;
    for (int a = 0; a < 3; a++) {
        b[0].v[a] -= impulse * n[a] / m;
        b[1].v[a] += impulse * n[a] / k;
        b[0].x[a] -= (sigma - distance) * n[a] * k / (m + k);
        b[1].x[a] += (sigma - distance) * n[a] * m / (m + k);
    }
}

static void check_two(uint32_t dimensions, double mass, double restitution, double aside,
                      bool has_box)
{
    tp_world_def def = hard_def(dimensions, 2, 0.01);
    def.species_count = 2;
    def.species[1].mass = (float)mass;
    def.species[1].sigma = 0.5f; /* 0.75 with the first species */
    def.pair.restitution = (float)restitution;
    if (has_box) pair_box(&def, 4);
    test_world made = test_world_make(&def);
    hard_body b[2] = {{{1, 1, 1}, {2, 0.5, 0.25}, 1}, {{2, 1 + aside, 1}, {-1, 0.25, 0.5}, mass}};
    if (dimensions == 2)
        for (int i = 0; i < 2; i++) b[i].x[2] = b[i].v[2] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        /* they collide across the boundary of the box */
        double at[3] = {b[i].x[0] - (has_box ? 1.25 : 0), b[i].x[1], b[i].x[2]};
        hard_add(made.world, at, b[i].v, i);
    }
    for (uint32_t step = 0; step < 40; step++) two_step(b, 0.01, 0.75, restitution);
    test_world_frames(made.world, 40);
    CHECK_EQ(made.world->report.collisions, 1);
    CHECK_EQ(made.world->report.overlaps_unresolved, 0);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t s = TP_META_SPECIES(view.meta[i]);
        double fine = 1e-5 + 2 * (double)tpi_pair_of(made.world)->impulse_unit / b[s].mass;
        double x = (double)view.x[i] + (has_box ? 1.25 : 0),
               v[2] = {(double)view.vx[i], (double)view.vy[i]};
        CHECK_NEAR(v[0], b[s].v[0], fine);
        CHECK_NEAR(v[1], b[s].v[1], fine);
        CHECK_NEAR(remainder(x - b[s].x[0], 4), 0, fine + 4e-6);
        CHECK_NEAR((double)view.y[i], b[s].x[1], fine + 4e-6);
        if (view.vz) CHECK_NEAR((double)view.vz[i], b[s].v[2], fine);
    }
    test_world_free(&made);
}

static void two_spheres_exchange_what_they_should(void)
{
    static const double masses[] = {1, 3, 0.05, 200}, restitutions[] = {1, 0.5, 0};
    for (uint32_t run = 0; run < 96; run++) {
        double aside = run / 12 % 2 ? 0.4 : 0;
        test_note("run %u", run);
        check_two(2 + run / 24 % 2, masses[run % 4], restitutions[run / 4 % 3], aside, run / 48);
    }
}

/* A row of five touching spheres (Newton's cradle): the last one leaves with the momentum of the
   first. */
static void a_cradle_hands_the_blow_on(void)
{
    tp_world_def def = hard_def(2, 6, 0.01);
    test_world made = test_world_make(&def);
    const double rest[3] = {0, 0, 0}, blow[3] = {1.5, 0, 0};
    for (uint32_t i = 0; i < 6; i++)
        hard_add(made.world, (double[3]){i ? 1 + (double)i : 0.7, 5, 0}, i ? rest : blow, 0);
    test_world_frames(made.world, 100);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_NEAR(view.vx[i], view.id[i] == 5 ? 1.5 : 0, 1e-5);
        CHECK_NEAR(view.vy[i], 0, 1e-5);
    }
    CHECK_EQ(made.world->report.collisions, 5);
    test_world_free(&made);
}

static void spheres_at_one_place_part(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = hard_def(dimensions, 3, 0.01);
        test_world made = test_world_make(&def);
        for (uint32_t i = 0; i < 3; i++) pair_add(made.world, 2, 2, 2);
        test_world_frames(made.world, 30);
        tp_view view = tp_world_view(made.world);
        CHECK_EQ(view.count, 3);
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t j = 0; j < i; j++) {
                double x = (double)view.x[i] - (double)view.x[j],
                       y = (double)view.y[i] - (double)view.y[j];
                double z = view.z ? (double)view.z[i] - (double)view.z[j] : 0;
                CHECK(sqrt(x * x + y * y + z * z) > 0.9995);
            }
        CHECK_EQ(made.world->report.collisions, 0);
        CHECK(hard_energy(made.world) == 0);
        test_world_free(&made);
    }
}

/* ---- conservation ---- */

/* Impulses are integers: what one sphere gains the other loses, for all masses. */
static void impulses_add_up_to_nothing(void)
{
    for (uint32_t run = 0; run < 4; run++) {
        tp_world_def def = hard_def(2 + run % 2, 300, 0.01);
        def.pair.stores_neighbours = run / 2;
        def.pair.restitution = 0.9f;
        test_world made = hard_crowd(&def, run % 2 ? 5 : 12, 6);
        tp_world *w = made.world;
        int64_t size = 0;
        for (uint32_t step = 0; step < 30; step++) {
            int64_t sum = 0;
            CHECK(test_world_run_to(w, TP_STAGE_COLLIDE, 100));
            for (uint32_t axis = 0; axis < def.dimensions; axis++) {
                const int32_t *impulse = tpi_integers(w, w->arrays.force[axis]);
                for (uint32_t i = 0; i < w->step.count; i++) {
                    sum += impulse[i];
                    size += llabs((long long)impulse[i]);
                }
                CHECK(sum == 0);
            }
            test_world_frames(w, 1);
        }
        CHECK(size > 100000000);
        test_world_free(&made);
    }
}

/* A gas so dense, with steps so long, that most spheres touch several others at once. */
static void energy_is_kept_where_many_touch(void)
{
    tp_world_def def = hard_def(3, 1, 0.02);
    test_world made = hard_gas(&def, 4, 0.45);
    double begin = hard_energy(made.world);
    test_world_frames(made.world, 500);
    CHECK(made.world->report.overlaps_unresolved > 500);
    CHECK(made.world->report.collisions > 20000);
    CHECK_EQ(made.world->report.speeds_clamped, 0);
    CHECK_NEAR(hard_energy(made.world) / begin, 1, 1e-6);
    tp_vector p = pair_measure(made.world).momentum;
    CHECK(sqrt((double)tpi_dot(p, p)) < 1e-3 * sqrt(256));
    test_world_free(&made);
}

/* For every restitution, speed and iteration limit; also at the largest impulse, for the fastest
   spheres that a step allows. */
static void energy_never_grows(void)
{
    for (uint32_t run = 0; run < 12; run++) {
        static const float restitutions[] = {1, 0.7f, 0};
        tp_world_def def = hard_def(2, 200, 0.02);
        def.pair.restitution = restitutions[run % 3];
        def.pair.contact_iterations = run / 3 % 2 ? 16 : 1;
        test_world made = hard_crowd(&def, 9, run / 6 ? 150 : 3);
        double before = hard_energy(made.world);
        for (uint32_t step = 0; step < 40; step++) {
            test_world_frames(made.world, 1);
            double energy = hard_energy(made.world);
            test_note("run %u, step %u: %g after %g", run, step, energy, before);
            CHECK(energy <= before * (1 + 1e-6));
            before = energy;
        }
        test_world_free(&made);
    }
}

/* One iteration per step leaves more overlaps than sixteen; all of them are counted. */
static void the_cap_on_rounds_is_counted(void)
{
    uint64_t left[2];
    for (uint32_t run = 0; run < 2; run++) {
        tp_world_def def = hard_def(3, 1, 0.01);
        def.pair.contact_iterations = run ? 64 : 1;
        test_world made = hard_gas(&def, 4, 0.4);
        test_world_frames(made.world, 200);
        left[run] = made.world->report.overlaps_unresolved;
        CHECK(made.world->report.collisions > 4000);
        test_world_free(&made);
    }
    test_note("left %llu and %llu", (unsigned long long)left[0], (unsigned long long)left[1]);
    CHECK(left[0] > 1000 && left[1] < left[0] / 100);
}

/* ---- the same bits ---- */

static uint64_t hard_hash(float skin, bool stores, uint32_t units, uint32_t neighbours_max)
{
    tp_world_def def = hard_def(3, 300, 0.01);
    def.pair.skin = skin;
    def.pair.stores_neighbours = stores;
    def.pair.neighbours_max = neighbours_max;
    def.slice_units = units;
    pair_box(&def, 6);
    test_world made = hard_crowd(&def, 6, 4);
    test_world_frames(made.world, 60);
    if (skin > 0 && stores && neighbours_max > 8) CHECK(made.world->report.lists_built < 40);
    CHECK((made.world->report.neighbours_dropped > 0) == (neighbours_max < 8));
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void lists_and_slices_change_no_bit(void)
{
    for (uint32_t cap = 5; cap <= 64; cap += 59) {
        uint64_t hash = hard_hash(0.3f, true, 65536, cap);
        CHECK_EQ(hard_hash(0.0f, true, 65536, cap), hash);
        CHECK_EQ(hard_hash(0.7f, true, 333, cap), hash);
        CHECK_EQ(hard_hash(0.0f, false, 65536, cap), hash);
        CHECK_EQ(hard_hash(0.3f, true, 64, cap), hash);
        CHECK_EQ(hard_hash(0.3f, false, 257, cap), hash);
    }
}

static void measuring_changes_no_bit(void)
{
    uint64_t hashes[2];
    for (uint32_t run = 0; run < 2; run++) {
        tp_world_def def = hard_def(3, 1, 0.01);
        test_world made = hard_gas(&def, 3, 0.4);
        for (uint32_t f = 0; f < 50; f++) {
            if (run && f % 3 == 0) tpi_step_cancel(made.world);
            if (run && f % 4 == 0) (void)pair_measure(made.world);
            test_world_frames(made.world, 1);
        }
        hashes[run] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hashes[1], hashes[0]);
}

/* The same spheres with the same ids, stored in any order. */
static void storage_order_does_not_matter(void)
{
    uint64_t hashes[3];
    for (uint32_t run = 0; run < 3; run++) {
        tp_world_def def = hard_def(2, 200, 0.01);
        test_world made = hard_crowd(&def, 9, 5);
        tp_world *w = made.world;
        uint32_t *id = tpi_words(w, w->arrays.id), *meta = tpi_words(w, w->arrays.meta),
                 state = run;
        for (uint32_t i = run ? w->count - 1 : 0; i > 0; i--) {
            uint32_t j = (uint32_t)(test_random(&state) * (float)i), kept = id[i], kind = meta[i];
            id[i] = id[j], meta[i] = meta[j];
            id[j] = kept, meta[j] = kind;
            for (uint32_t axis = 0; axis < 2; axis++) {
                float *x = tpi_front_x(w, axis), *v = tpi_front_v(w, axis), at = x[i], speed = v[i];
                x[i] = x[j], v[i] = v[j];
                x[j] = at, v[j] = speed;
            }
        }
        test_world_frames(w, 50);
        hashes[run] = tp_world_hash(w);
        test_world_free(&made);
    }
    CHECK_EQ(hashes[1], hashes[0]);
    CHECK_EQ(hashes[2], hashes[0]);
}

/* Births, walls, drag and gravity. With `rewinds`, a cache restores frame 20 at frame 40. */
static uint64_t room_hash(bool rewinds, uint32_t slice)
{
    tp_world_def def = hard_def(2, 150, 0.01);
    def.slice_units = slice;
    def.pair.restitution = 0.8f;
    def.species[0].radius = 0.5f;
    test_world made = test_world_make(&def);
    tp_world *w = made.world;
    pair_spout(w, 6, 4, 1.1f, 60, 80, 3);
    tp_field drag;
    tp_field_def air = tp_field_default(TP_FIELD_DRAG);
    air.linear = 0.1f;
    CHECK(tp_field_add(w, &air, &drag) == TP_OK);
    test_world_gravity(w, 5);
    test_world_tank(w, (tp_vector){14, 14, 0});
    cache_play(w, 40, rewinds, 20, 80);
    CHECK(w->report.contacts > 0 && w->report.collisions > 100);
    tp_view view = tp_world_view(w);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(view.x[i] > 0.49f && view.x[i] < 13.51f && view.y[i] > 0.49f && view.y[i] < 13.51f);
    uint64_t hash = tp_world_hash(w);
    test_world_free(&made);
    return hash;
}

static void a_rewound_room_ends_as_if_nothing_had_happened(void)
{
    uint64_t hash = room_hash(false, 65536);
    CHECK_EQ(room_hash(true, 65536), hash);
    CHECK_EQ(room_hash(true, 64), hash);
}

static void definitions_say_what_is_wrong(void)
{
    tp_world_def def = hard_def(3, 10, 0.01);
    CHECK(tp_world_check(&def) == NULL);
    pair_box(&def, 2.3); /* a cutoff of 1.1 diameters may be at most half of it */
    CHECK(tp_world_check(&def) == NULL);
    def.box_size.x = 2.1f;
    CHECK(strstr(tp_world_check(&def), "box_size must be"));
    def = hard_def(2, 10, 0.01);
    def.pair.restitution = 1.01f;
    CHECK(strstr(tp_world_check(&def), "pair.restitution must be"));
    def = hard_def(2, 10, 0.01);
    def.pair.contact_iterations = 0;
    CHECK(strstr(tp_world_check(&def), "pair.contact_iterations must be"));
    def = hard_def(2, 10, 0.01);
    def.pair.potential = TP_POTENTIAL_TABLE;
    CHECK(strstr(tp_world_check(&def), "pair.table_max must be"));
}

/* ---- pressure ---- */

/* Measures the pressure of a gas by the virial over `seconds`; returns the error in percent of
   Carnahan and Starling. Also checks that the energy is kept. */
static double pressure_error(double eta, double timestep, double seconds)
{
    double settling = 5, exact = (1 + eta + eta * eta - eta * eta * eta) / pow(1 - eta, 3);
    tp_world_def def = hard_def(3, 1, timestep);
    test_world made = hard_gas(&def, 5, eta);
    test_world_frames(made.world, (uint32_t)(settling / timestep));
    tp_pair_report begin = pair_measure(made.world);
    test_world_frames(made.world, (uint32_t)(seconds / timestep));
    tp_pair_report end = pair_measure(made.world);
    CHECK_NEAR((double)end.temperature, 1, 2e-6);
    CHECK_NEAR((double)end.kinetic / (double)begin.kinetic, 1, 1e-6);
    CHECK(end.potential == 0);
    double volume = pow((double)def.box_size.x, 3),
           z = 1 + (double)end.virial / (2 * (double)end.kinetic);
    CHECK_NEAR((double)end.pressure, z * 2 * (double)end.kinetic / (3 * volume), 1e-5 * z);
    test_world_free(&made);
    return 100 * (z / exact - 1);
}

/* Time-stepped collisions give too low a pressure; the last column is the published error in
   percent. The limit is one and a half times that. */
static void gas_has_the_pressure_of_carnahan_and_starling(void)
{
    static const double table[][3] = {{0.1, 0.01, 1.0},  {0.3, 0.01, 3.3},  {0.4, 0.01, 3.8},
                                      {0.1, 0.02, 2.2},  {0.3, 0.02, 8.7},  {0.4, 0.02, 13.1},
                                      {0.1, 0.005, 0.9}, {0.3, 0.005, 1.2}, {0.4, 0.005, 3.6}};
    for (size_t k = 0; k < (test_is_long() ? 9 : 3); k++) {
        const double *row = table[k], error = pressure_error(row[0], row[1],
                                                             test_is_long() ? 200
                                                             : k            ? 20
                                                                            : 60);
        test_note("eta %.1f dt %.3f: %+.2f %%", row[0], row[1], error);
        CHECK(fabs(error) < 1.5 * row[2]);
    }
}

static const test_case cases[] = {
    TEST_CASE(two_spheres_exchange_what_they_should),
    TEST_CASE(a_cradle_hands_the_blow_on),
    TEST_CASE(spheres_at_one_place_part),
    TEST_CASE(impulses_add_up_to_nothing),
    TEST_CASE(energy_is_kept_where_many_touch),
    TEST_CASE(energy_never_grows),
    TEST_CASE(the_cap_on_rounds_is_counted),
    TEST_CASE(lists_and_slices_change_no_bit),
    TEST_CASE(measuring_changes_no_bit),
    TEST_CASE(storage_order_does_not_matter),
    TEST_CASE(a_rewound_room_ends_as_if_nothing_had_happened),
    TEST_CASE(definitions_say_what_is_wrong),
    TEST_CASE(gas_has_the_pressure_of_carnahan_and_starling),
};
TEST_SUITE(hard, cases);
