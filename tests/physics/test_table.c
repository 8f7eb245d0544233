/* SPDX-License-Identifier: MIT
   tests/physics/test_table.c - tabulated potentials: Lennard-Jones, soft and screened ones; invalid
           tables.
   reads   runtime/solve/pair      writes  nothing
   memory  worlds of up to 500 particles      cost    about two seconds
   after   own design; runtime/guide/physics.md, pair forces, for the energy of the melt */
#include "test.h"
#include "world_help.h"
#include "step/step.h"
#include "solve/pair/pair.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 4097u

/* ---- potentials in double precision: energy, and -V' ---- */

typedef double (*potential)(double r, double *force);

static double lennard_jones(double r, double *force)
{
    *force = 24 * (2 * pow(r, -13) - pow(r, -7));
    return 4 * (pow(r, -12) - pow(r, -6));
}

static double yukawa(double r, double *force)
{
    *force = 3 * exp(-1.7 * r) * (1 / (r * r) + 1.7 / r);
    return 3 * exp(-1.7 * r) / r;
}

static double gaussian(double r, double *force)
{
    *force = 8 * r * exp(-r * r);
    return 4 * exp(-r * r);
}

static tp_world_def table_def(uint32_t dimensions, uint32_t particles, uint32_t samples)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = particles;
    def.frames_per_second_numerator = 250;
    def.slice_units = 65536;
    def.pair.potential = TP_POTENTIAL_TABLE;
    def.pair.table_max = samples;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) def.species[s].radius = 0.0f;
    return def;
}

static void table_set(tp_world *world, potential of, uint32_t count, bool has_forces)
{
    static float energies[SAMPLES_MAX], forces[SAMPLES_MAX];
    tp_pair_table table = tp_pair_table_default();
    for (uint32_t k = 0; k < count; k++) {
        double force;
        energies[k] = (float)of((double)tp_pair_table_distance(world, count, k), &force);
        forces[k] = (float)force;
    }
    table.count = count;
    table.energies = energies;
    if (has_forces) table.forces = forces;
    if (!CHECK(tp_pair_table_set(world, &table) == TP_OK))
        test_note("%s", tp_pair_table_check(world, &table));
}

/* Force on the second of two particles at distance `r` along x; *r becomes the distance after
   rounding to float. */
static double force_at(tp_world *world, double *r)
{
    tp_vector still = {0, 0, 0};
    if (world->count == 0)
        for (uint32_t k = 0; k < 2; k++)
            CHECK(tp_particle_add(world, still, still, k % world->def.species_count, NULL) ==
                  TP_OK);
    uint32_t second = tp_world_view(world).id[1] == 1 ? 1 : 0;
    CHECK(tp_particle_set(world, 1 - second, (tp_vector){1, 1, 1}, still) == TP_OK);
    CHECK(tp_particle_set(world, second, (tp_vector){(float)(1 + *r), 1, 1}, still) == TP_OK);
    *r = (double)((float)(1 + *r) - 1.0f);
    CHECK(test_world_run_to(world, TP_STAGE_COMMIT, 1000));
    const int32_t *f = tpi_integers(world, world->arrays.force[0]);
    CHECK(f[0] == -f[1]);
    uint32_t right = tpi_back_x(world, 0)[1] > tpi_back_x(world, 0)[0] ? 1 : 0;
    return (double)f[right] / (double)tpi_pair_of(world)->force_scale;
}

static double energy_at(tp_world *world)
{
    tp_pair_report report;
    CHECK(tp_pair_measure(world, &report) == TP_OK);
    return (double)report.potential;
}

/* ---- values ---- */

/* The error bound that the header states for g = force / distance as a function of s = r^2, plus
   rounding errors. */
static double jones_bound(double r, double h, bool has_forces)
{
    double s = fmax(r * r - h, 0.49), g3 = 24 * (1008 * pow(s, -10) + 120 * pow(s, -7)),
           g4 = 24 * (10080 * pow(s, -11) + 840 * pow(s, -8));
    double near_end = r * r < 0.49 + 2 * h || r * r > 6.25 - 2 * h ? 0.2 : 1.0 / 30;
    /* rounding of energies, divided by the table's interval */
    double rounding = 6e-6 / h * (4 * pow(r, -12) + 4);
    return r * (0.0081 * h * h * h * g3 + (has_forces ? 0 : near_end * pow(h, 4) * g4) + rounding) +
           2e-4;
}

static void lennard_jones_by_a_table_is_lennard_jones(void)
{
    static const uint32_t counts[] = {129, 257, 513, 1025, 4097};
    double largest[5] = {0};
    for (uint32_t run = 0; run < 10; run++) {
        uint32_t count = counts[run / 2];
        double h = (6.25 - 0.49) / (count - 1);
        tp_world_def def = table_def(3, 2, SAMPLES_MAX);
        test_world made = test_world_make(&def);
        table_set(made.world, lennard_jones, count, run % 2);
        for (uint32_t k = 0; k < 150; k++) {
            double r = 0.7001 + 0.012 * k, exact, found = force_at(made.world, &r),
                   energy = energy_at(made.world);
            if (r >= 2.4999) continue;
            double cut = lennard_jones(2.5, &exact), expected = lennard_jones(r, &exact);
            test_note("%u samples, forces %u, r %.4f", count, run % 2, r);
            CHECK_NEAR(found, exact, jones_bound(r, h, run % 2));
            CHECK_NEAR(energy, expected - cut,
                       0.1 * jones_bound(r, h, run % 2) + 2e-6 * fabs(expected));
            if (r > 0.85)
                largest[run / 2] = fmax(largest[run / 2], fabs(found - exact) / (1 + fabs(exact)));
        }
        test_world_free(&made);
    }
    test_note("worst beyond 0.85: %.1e %.1e %.1e %.1e %.1e", largest[0], largest[1], largest[2],
              largest[3], largest[4]);
    CHECK(largest[0] < 4e-3 && largest[1] < 4e-4 && largest[2] < 2e-4 && largest[4] < 4e-4);
}

static void other_potentials_are_those_of_an_oracle(void)
{
    static const potential all[] = {yukawa, gaussian};
    for (uint32_t run = 0; run < 8; run++) {
        tp_world_def def = table_def(2 + run % 2, 2, SAMPLES_MAX);
        /* only one of these potentials is finite at the centre */
        def.pair.overlap = run / 2 % 2 ? 0.0625f : 0.25f;
        def.pair.cutoff = 3.0f;
        def.species_count = 2;
        def.species[1].epsilon = 0.25f;
        def.species[1].sigma = 0.5f;
        test_world made = test_world_make(&def);
        table_set(made.world, all[run / 2 % 2], SAMPLES_MAX, run / 4 == 0);
        double epsilon = 0.5, sigma = 0.75, cut, force;
        cut = all[run / 2 % 2](3, &force);
        for (uint32_t k = 0; k < 100; k++) {
            double r = (double)def.pair.overlap * sigma + 1e-3 + 0.02 * k;
            double found = force_at(made.world, &r), energy = energy_at(made.world);
            double expected = all[run / 2 % 2](r / sigma, &force) - cut;
            test_note("run %u, r %.4f", run, r);
            if (r >= 2.249) continue;
            CHECK_NEAR(found, force * epsilon / sigma, 2e-4 * (1 + force));
            CHECK_NEAR(energy, expected * epsilon, 1e-5 * (1 + expected));
        }
        test_world_free(&made);
    }
}

static void virial_and_pressure_are_of_the_table(void)
{
    tp_world_def def = table_def(3, 2, 513);
    def.periodic_axes = 7;
    test_world made = test_world_make(&def);
    table_set(made.world, yukawa, 513, true);
    double r = 1.3, force;
    (void)force_at(made.world, &r);
    tp_pair_report report;
    CHECK(tp_pair_measure(made.world, &report) == TP_OK);
    (void)yukawa(r, &force);
    CHECK_NEAR((double)report.virial, r * force, 1e-5);
    CHECK_NEAR((double)report.pressure, r * force / 3000, 1e-8);
    test_world_free(&made);
}

static void overlaps_are_guarded_and_counted(void)
{
    tp_world_def def = table_def(2, 2, 129);
    test_world made = test_world_make(&def);
    table_set(made.world, yukawa, 129, true);
    double r = 0.7001, inside = 0.35, force = force_at(made.world, &r),
           energy = energy_at(made.world);
    CHECK_EQ(made.world->report.overlaps_guarded, 0);
    CHECK_NEAR(force_at(made.world, &inside), force / 2, 1e-3);
    CHECK_EQ(made.world->step.overlaps_guarded, 1);
    CHECK_NEAR(energy_at(made.world) - energy, force / 0.7 * 0.5 * (0.49 - 0.1225), 1e-3);
    test_world_free(&made);
}

/* ---- many particles ---- */

static test_world table_crystal(tp_world_def *def, uint32_t cells)
{
    static const double basis[4][3] = {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}};
    double side = cbrt(4 / 0.8442);
    uint32_t state = 7;
    def->particles_max = 4 * cells * cells * cells;
    def->periodic_axes = 7;
    def->box_size =
        (tp_vector){(float)(side * cells), (float)(side * cells), (float)(side * cells)};
    test_world made = test_world_make(def);
    for (uint32_t n = 0; n < def->particles_max; n++) {
        uint32_t c = n / 4;
        double at[3] = {c % cells, c / cells % cells, c / cells / cells};
        for (int a = 0; a < 3; a++) at[a] = (at[a] + basis[n % 4][a] + .25) * side;
        tp_vector v = test_random_position(&state, 2.0f);
        CHECK(tp_particle_add(made.world, (tp_vector){(float)at[0], (float)at[1], (float)at[2]}, v,
                              0, NULL) == TP_OK);
    }
    return made;
}

static double total_energy(tp_world *world)
{
    tp_pair_report report;
    CHECK(tp_pair_measure(world, &report) == TP_OK);
    return ((double)report.kinetic + (double)report.potential) / world->count;
}

/* The tolerances are those of Lennard-Jones itself. */
static void a_melt_by_a_table_keeps_its_energy(void)
{
    tp_world_def def = table_def(3, 1, 513);
    test_world made = table_crystal(&def, 5);
    table_set(made.world, lennard_jones, 513, true);
    test_world_frames(made.world, 400);
    double first = total_energy(made.world), sum = 0, square = 0, ends[2] = {0, 0};
    for (uint32_t k = 0; k < 100; k++) {
        test_world_frames(made.world, 10);
        double energy = total_energy(made.world) - first;
        sum += energy / 100;
        square += energy * energy / 100;
        if (k < 10) ends[0] += energy / 10;
        if (k >= 90) ends[1] += energy / 10;
    }
    test_note("rms %.3g drift %.3g", sqrt(square - sum * sum), ends[1] - ends[0]);
    CHECK(sqrt(square - sum * sum) < 1.5 * 1.05e-4);
    CHECK(fabs(ends[1] - ends[0]) < 2.4e-4);
    test_world_free(&made);
}

/* 60 frames of a hot crystal. `mode` 1: the table is set again after some frames; 2: the block is
   moved to another address during a step. */
static uint64_t table_hash(uint32_t slice, bool stores, float skin, uint32_t mode)
{
    tp_world_def def = table_def(3, 1, 257);
    def.slice_units = slice;
    def.pair.stores_neighbours = stores;
    def.pair.skin = skin;
    test_world made = table_crystal(&def, 3);
    table_set(made.world, lennard_jones, 257, false);
    test_world_frames(made.world, 30);
    if (mode == 1) table_set(made.world, lennard_jones, 257, false);
    tp_world *world = made.world;
    void *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
    if (mode == 2) {
        CHECK(tp_frame(world, &(tp_budget){.units = 999}, NULL) == TP_MORE);
        memcpy(copy, world, made.bytes);
        memset(world, 0x5a, made.bytes);
        world = tp_world_at(copy, made.bytes);
        CHECK(tp_frame(world, &(tp_budget){.is_same_frame = true}, NULL) == TP_OK);
    }
    test_world_frames(world, mode == 2 ? 29 : 30);
    uint64_t hash = tp_world_hash(world);
    free(copy);
    test_world_free(&made);
    return hash;
}

static void slices_lists_and_copies_change_no_bit(void)
{
    uint64_t hash = table_hash(65536, true, 0.3f, 0);
    CHECK_EQ(table_hash(64, true, 0.3f, 0), hash);
    CHECK_EQ(table_hash(2048, false, 0.3f, 0), hash);
    CHECK_EQ(table_hash(777, true, 0.0f, 0), hash);
    CHECK_EQ(table_hash(65536, true, 0.3f, 1), hash);
    CHECK_EQ(table_hash(65536, true, 0.3f, 2), hash);
}

/* ---- what is refused ---- */

static void check_refused(tp_world *world, const tp_pair_table *table, const char *start)
{
    const char *text = tp_pair_table_check(world, table);
    test_note("'%s' begins with '%s'", text ? text : "good", start);
    CHECK(text && strncmp(text, start, strlen(start)) == 0);
    CHECK(tp_pair_table_set(world, table) < TP_OK);
}

static void bad_tables_are_refused_by_name(void)
{
    static const uint32_t bad_counts[] = {0, 1, 4, 65, 0xffffffffu};
    static const float bad_energies[] = {1.01e12f, -1.01e12f, INFINITY, NAN},
                       bad_forces[] = {1.01e9f, -INFINITY, NAN};
    float energies[64] = {0}, forces[64] = {0};
    tp_world_def def = table_def(2, 2, 64), plain = tp_world_default(2);
    test_world made = test_world_make(&def), other = test_world_make(&plain);
    tp_pair_table table = tp_pair_table_default();
    table.energies = energies;
    table.forces = forces;
    for (uint32_t k = 0; k < 5; k++) {
        table.count = bad_counts[k];
        check_refused(made.world, &table, "count ");
    }
    table.count = 64;
    CHECK(tp_pair_table_check(made.world, &table) == NULL);
    for (uint32_t k = 0; k < 7; k++) {
        float *of = k < 4 ? energies : forces;
        of[k * 9] = k < 4 ? bad_energies[k] : bad_forces[k - 4];
        check_refused(made.world, &table, k < 4 ? "energies " : "forces ");
        of[k * 9] = 0;
    }
    energies[20] = 1e12f; /* valid by itself, but too steep */
    check_refused(made.world, &table, "energies ");
    energies[20] = 0;
    check_refused(other.world, &table, "pair.potential ");
    CHECK(tp_pair_table_set(made.world, NULL) == TP_ERROR_NULL);
    CHECK(tp_pair_table_set(NULL, &table) == TP_ERROR_NULL);
    table.energies = NULL;
    check_refused(made.world, &table, "energies ");
    table.stamp++;
    CHECK(tp_pair_table_set(made.world, &table) == TP_ERROR_STAMP);
    test_world_free(&made);
    test_world_free(&other);
}

static void definitions_that_contradict_are_refused(void)
{
    static const struct {
        tp_potential potential;
        uint32_t table_max;
        float overlap;
        const char *start;
    } rows[] = {{TP_POTENTIAL_TABLE, 4, 0.7f, "pair.table_max "},
                {TP_POTENTIAL_TABLE, 4098, 0.7f, "pair.table_max "},
                {TP_POTENTIAL_LENNARD_JONES, 64, 0.7f, "pair.table_max "},
                {TP_POTENTIAL_LENNARD_JONES, 0, 0.49f, "pair.overlap "},
                {TP_POTENTIAL_TABLE, 64, 0.06f, "pair.overlap "},
                {(tp_potential)4, 0, 0.7f, "pair.potential "}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tp_world_def def = table_def(3, 8, rows[k].table_max);
        def.pair.potential = rows[k].potential;
        def.pair.overlap = rows[k].overlap;
        const char *text = tp_world_check(&def);
        test_note("%s", text ? text : "good");
        CHECK(text && strncmp(text, rows[k].start, strlen(rows[k].start)) == 0);
    }
}

/* Without a table there are no forces, and none with a table of zeros. */
static void without_a_table_particles_fly_straight(void)
{
    tp_world_def def = table_def(2, 2, 8);
    test_world made = test_world_make(&def);
    double r = 0.9;
    CHECK_NEAR(force_at(made.world, &r), 0, 0);
    CHECK_NEAR(energy_at(made.world), 0, 0);
    float zeros[8] = {0};
    tp_pair_table table = tp_pair_table_default();
    table.count = 8;
    table.energies = zeros;
    CHECK(tp_pair_table_set(made.world, &table) == TP_OK);
    CHECK_NEAR(force_at(made.world, &r), 0, 0);
    CHECK_EQ(TP_PAIR_TABLE_BYTES(8), 8 * sizeof(tpi_table_row));
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(lennard_jones_by_a_table_is_lennard_jones),
    TEST_CASE(other_potentials_are_those_of_an_oracle),
    TEST_CASE(virial_and_pressure_are_of_the_table),
    TEST_CASE(overlaps_are_guarded_and_counted),
    TEST_CASE(a_melt_by_a_table_keeps_its_energy),
    TEST_CASE(slices_lists_and_copies_change_no_bit),
    TEST_CASE(bad_tables_are_refused_by_name),
    TEST_CASE(definitions_that_contradict_are_refused),
    TEST_CASE(without_a_table_particles_fly_straight),
};
TEST_SUITE(table, cases);
