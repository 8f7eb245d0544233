/* SPDX-License-Identifier: MIT
   tests/physics/test_pair.c - pair forces: values, brute force, Newton's third law, boxes, lists,
           slices.
   reads   runtime/solve/pair, runtime/grid      writes  nothing
   memory  worlds of up to 4096 particles        cost    two seconds
   after   runtime/guide/physics.md, pair forces */
#include "test.h"
#include "cache_help.h"
#include "pair_help.h"
#include "world_help.h"
#include "step/step.h"
#include "solve/pair/pair.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of the potential ---- */

/* Energy, and force on the second of two particles at distance `r` along x. */
static void pair_at(const tp_world_def *def, double r, double *energy, double *force)
{
    test_world made = test_world_make(def);
    pair_add(made.world, 1.0, 1.0, 1.0);
    pair_add(made.world, 1.0 + r, 1.0, 1.0);
    *energy = (double)pair_measure(made.world).potential;
    tpi_step_cancel(made.world);
    CHECK(test_world_run_to(made.world, TP_STAGE_COMMIT, 1000));
    const tp_world *w = made.world;
    const int32_t *f = tpi_integers(w, w->arrays.force[0]);
    CHECK(f[0] == -f[1]);
    uint32_t second = tpi_back_x(w, 0)[1] > tpi_back_x(w, 0)[0] ? 1 : 0;
    *force = (double)f[second] / (double)tpi_pair_of(w)->force_scale;
    test_world_free(&made);
}

static void values_are_those_of_lennard_jones(void)
{
    static const double table[][3] = {{0.9, 6.636119, 138.659624},
                                      {0.95, 1.960975, 59.137553},
                                      {1.0, 0, 24},
                                      {1.122462048, -1, 0},
                                      {1.244455, -0.786982, -2.396429},
                                      {1.5, -0.320337, -1.158029},
                                      {2, -0.0615234, -0.181641},
                                      {2.5, -0.016316891, -0.038999477},
                                      {3, -0.005479442, -0.010943830}};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = pair_def(dimensions, 2, 1e-3);
        def.pair.cutoff = 4.0f;
        double shift = 4 * (pow(4, -12) - pow(4, -6));
        for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
            double energy, force;
            pair_at(&def, table[k][0], &energy, &force);
            /* the distance after rounding to float */
            double x = 1 / (double)((float)(1 + table[k][0]) - 1.0f);
            double exact = 4 * (pow(x, 12) - pow(x, 6)), slope = 24 * (2 * pow(x, 13) - pow(x, 7));
            CHECK_NEAR(exact, table[k][1], 1e-4);
            CHECK_NEAR(energy + shift, exact, 2e-6 * fabs(exact) + 3e-7);
            CHECK_NEAR(force, slope, 2e-6 * fabs(slope) + 1.5 / (double)2000);
        }
    }
}

static void forces_shift_to_nothing_at_the_cutoff(void)
{
    tp_world_def def = pair_def(3, 2, 1e-3);
    double energy, force, energy_in, force_in;
    def.pair.potential = TP_POTENTIAL_LJ_FORCE_SHIFT;
    pair_at(&def, 2.499, &energy, &force);
    CHECK_NEAR(energy, 0, 1e-6);
    CHECK_NEAR(force, 0, 4e-4);
    pair_at(&def, 1.5, &energy, &force);
    double v = 4 * (pow(2.5, -12) - pow(2.5, -6)), f = 24 * (2 * pow(2.5, -13) - pow(2.5, -7));
    CHECK_NEAR(force, -1.158029 - f, 5e-4);
    CHECK_NEAR(energy, -0.320337 - v + (1.5 - 2.5) * f, 2e-6);
    /* inside the overlap distance the force is linear: its value and its energy */
    def.pair.potential = TP_POTENTIAL_LENNARD_JONES;
    pair_at(&def, 0.7, &energy, &force);
    pair_at(&def, 0.35, &energy_in, &force_in);
    CHECK_NEAR(force, 4662, 2);
    CHECK_NEAR(force_in, force / 2, 1);
    CHECK_NEAR(energy_in - energy, force / 0.7 * 0.5 * (0.49 - 0.1225), 1);
}

/* ---- forces against brute force ---- */

static double pair_sigma(const tp_world_def *def, uint32_t s, uint32_t t, double *epsilon)
{
    *epsilon = sqrt((double)def->species[s].epsilon * (double)def->species[t].epsilon);
    for (uint32_t k = 0; k < def->pair.mix_count; k++) {
        const tp_pair_mix *mix = &def->pair.mix[k];
        if ((mix->first != s || mix->second != t) && (mix->first != t || mix->second != s))
            continue;
        *epsilon = (double)mix->epsilon;
        return (double)mix->sigma;
    }
    return 0.5 * ((double)def->species[s].sigma + (double)def->species[t].sigma);
}

/* `sizes` sums the absolute values of both terms of each pair's force; returns the number of
   pairs. */
static uint32_t brute_force(const tp_world *w, uint32_t i, double force[3], double *sizes)
{
    uint32_t pairs = 0;
    const tp_world_def *def = &w->def;
    const uint32_t *order = tpi_words(w, w->arrays.order);
    const double size[3] = {(double)def->box_size.x, (double)def->box_size.y,
                            (double)def->box_size.z};
    force[0] = force[1] = force[2] = *sizes = 0;
    for (uint32_t j = 0; j < w->step.count; j++) {
        double d[3] = {0}, square = 0, epsilon;
        for (uint32_t a = 0; a < def->dimensions; a++) {
            d[a] = (double)tpi_back_x(w, a)[j] - (double)tpi_back_x(w, a)[i];
            if (def->periodic_axes >> a & 1) d[a] -= size[a] * round(d[a] / size[a]);
            square += d[a] * d[a];
        }
        double sigma =
            pair_sigma(def, TPI_ORDER_SPECIES(order[i]), TPI_ORDER_SPECIES(order[j]), &epsilon);
        double x = sigma / sqrt(square), cut = (double)def->pair.cutoff;
        if (j == i || x < 1 / cut) continue;
        x = fmin(x, 1 / (double)def->pair.overlap);
        double f = 24 * epsilon / (sigma * sigma) * (2 * pow(x, 14) - pow(x, 8));
        for (uint32_t a = 0; a < def->dimensions; a++) force[a] -= f * d[a];
        *sizes += 24 * epsilon / (sigma * sigma) * (2 * pow(x, 14) + pow(x, 8)) * sqrt(square);
        pairs++;
    }
    return pairs;
}

/* Error of every force of the front set: at most 1e-5 of the terms of the pairs' forces (more in
   long boxes, where coordinates are rounded more), plus half a count per pair. All forces must add
   up to 0. */
static void check_forces(tp_world *world)
{
    double scale = (double)tpi_pair_of(world)->force_scale, worst = 0;
    uint32_t sum[3] = {0, 0, 0};
    CHECK(test_world_run_to(world, TP_STAGE_COMMIT, 1000));
    for (uint32_t i = 0; i < world->step.count; i++) {
        double force[3], sizes, rounding = 0.5 * brute_force(world, i, force, &sizes) / scale;
        for (uint32_t a = 0; a < world->def.dimensions; a++) {
            int32_t f = tpi_integers(world, world->arrays.force[a])[i];
            sum[a] += (uint32_t)f;
            worst = fmax(worst, (fabs((double)f / scale - force[a]) - rounding) / (sizes + 1e-9));
        }
    }
    CHECK(sum[0] == 0 && sum[1] == 0 && sum[2] == 0);
    CHECK_NEAR(worst, 0, 1e-5 * fmax(1, (double)world->def.box_size.x / 16));
    tpi_step_cancel(world);
}

static void forces_are_those_of_brute_force(void)
{
    static const uint32_t counts[] = {1, 2, 3, 27, 500, 4096};
    for (uint32_t run = 0; run < 43; run++) {
        if (run >= 40 && !test_runs(run, 2)) continue; /* the largest worlds */
        uint32_t dimensions = 2 + run % 2, count = counts[run / 8];
        bool has_box = run / 2 % 2;
        tp_world_def def = pair_def(dimensions, count, 1e-3);
        def.pair.stores_neighbours = run / 4 % 2;
        def.pair.skin = run % 3 ? 0.3f : 0.0f;
        def.species_count = run % 5 ? 1 : 2;
        def.species[1].sigma = 0.8f;
        def.species[1].epsilon = 0.5f;
        def.pair.mix_count = run % 5 ? 0 : 1;
        def.pair.mix[0] = (tp_pair_mix){0, 1, 1.7f, 0.85f};
        double side = 1.05 * pow(count, 1.0 / dimensions) + 1;
        side = fmax(side, 5.01);
        if (has_box) pair_box(&def, side);
        test_note("run %u", run);
        test_world made =
            pair_random(&def, has_box ? 0 : -4, side, dimensions == 2 ? 0.75 : 0.8, 0);
        check_forces(made.world);
        test_world_free(&made);
    }
}

/* Boxes from a little over twice the cutoff to seven cells, also flat and displaced ones. */
static void boxes_of_any_shape_meet_each_pair_once(void)
{
    for (uint32_t run = 0; run < 24; run++) {
        tp_world_def def = pair_def(3, 300, 1e-3);
        uint32_t state = run;
        pair_box(&def, 10);
        def.periodic_axes = 1 + run % 7;
        def.box_size = (tp_vector){test_uniform(&state, 5.01f, 16), test_uniform(&state, 5.01f, 16),
                                   test_uniform(&state, 5.01f, 16)};
        def.box_low = (tp_vector){-3, 100, -7.5f};
        def.pair.skin = run % 2 ? 0.4f : 0;
        def.pair.stores_neighbours = run % 3 != 0;
        test_world made = test_world_make(&def);
        /* a lattice with random displacements; some particles lie outside and are wrapped */
        for (uint32_t i = 0; i < 300; i++) {
            double n[3] = {i % 7, i / 7 % 7, i / 49 % 7};
            tp_vector at = test_random_position(&state, 0.1f);
            pair_add(made.world, -3 + (n[0] - 1) * (double)def.box_size.x / 7 + (double)at.x,
                     100 + n[1] * (double)def.box_size.y / 7 + (double)at.y,
                     -7 + n[2] * (double)def.box_size.z / 7 + (double)at.z);
        }
        test_note("run %u", run);
        check_forces(made.world);
        test_world_free(&made);
    }
}

/* ---- the same bits ---- */

static uint64_t melt_hash(uint32_t frames, float skin, bool stores, uint32_t units)
{
    tp_world_def def = pair_def(3, 1, 0.004);
    def.pair.skin = skin;
    def.pair.stores_neighbours = stores;
    def.slice_units = units;
    test_world made = pair_crystal(&def, 4, 0.8442, 1.44);
    test_world_frames(made.world, frames);
    uint64_t hash = tp_world_hash(made.world);
    if (skin > 0 && stores) CHECK(made.world->report.lists_built < frames / 2);
    if (skin > 0 && stores) CHECK(made.world->report.lists_built > 2);
    test_world_free(&made);
    return hash;
}

static void lists_change_no_bit(void)
{
    uint64_t hash = melt_hash(100, 0.3f, true, 65536);
    CHECK_EQ(melt_hash(100, 0.0f, true, 65536), hash);
    CHECK_EQ(melt_hash(100, 0.6f, true, 65536), hash);
    CHECK_EQ(melt_hash(100, 0.0f, false, 65536), hash);
    CHECK_EQ(melt_hash(100, 0.3f, true, 64), hash);
    CHECK_EQ(melt_hash(100, 0.3f, false, 257), hash);
}

/* A liquid with a long cutoff in a box of three cells along each axis: 76 particles per cell. */
static uint64_t dense_hash(float skin, bool stores, uint32_t cell_max, bool measures,
                           uint64_t *crowded)
{
    tp_world_def def = pair_def(3, 1, 0.004);
    def.pair.cutoff = 4.0f;
    def.pair.neighbours_max = 255;
    def.pair.skin = skin;
    def.pair.stores_neighbours = stores;
    if (cell_max) def.pair.cell_max = cell_max;
    test_world made = pair_crystal(&def, 8, 0.85, 1.0);
    for (uint32_t f = 0; f < 8; f++) {
        uint64_t before = tp_world_report(made.world).particles_skipped;
        if (measures) (void)pair_measure(made.world);
        test_world_frames(made.world, 1);
        if (cell_max) CHECK(tp_world_report(made.world).particles_skipped > before);
    }
    uint64_t hash = tp_world_hash(made.world);
    *crowded = tp_world_report(made.world).particles_skipped;
    test_world_free(&made);
    return hash;
}

static void long_cutoffs_leave_nobody_out(void)
{
    uint64_t crowded[4], hash = dense_hash(0.3f, true, 0, false, &crowded[0]);
    CHECK_EQ(dense_hash(0.0f, true, 0, false, &crowded[1]), hash);
    CHECK_EQ(dense_hash(0.3f, false, 0, false, &crowded[2]), hash);
    CHECK_EQ(dense_hash(0.3f, true, 0, true, &crowded[3]), hash);
    for (uint32_t k = 0; k < 4; k++) CHECK_EQ(crowded[k], 0);
}

/* Which particles of a crowded cell are ignored does not depend on when lists were built, and is
   counted in every step. */
static void crowds_are_counted_and_measuring_changes_no_bit(void)
{
    uint64_t crowded[2], hash = dense_hash(0.3f, true, 16, false, &crowded[0]);
    CHECK_EQ(dense_hash(0.3f, true, 16, true, &crowded[1]), hash);
    CHECK(crowded[1] >= crowded[0]);
}

/* When a particle moves farther than half the skin in one step, the Verlet list is rebuilt in that
   step, and not before. */
static void r_18_crossing_half_the_skin_builds_a_new_list(void)
{
    tp_world_def def = pair_def(3, 3, 0.01);
    pair_box(&def, 12);
    test_world made = test_world_make(&def);
    pair_add(made.world, 2, 2, 2);
    pair_add(made.world, 6, 6, 6);
    pair_add(made.world, 10, 10, 10);
    test_world_frames(made.world, 1);
    for (uint32_t k = 0; k < 2; k++) {
        float speed = k ? 16.0f : 14.0f; /* 0.16 and 0.14 in a step, half the skin is 0.15 */
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < 3; i++) {
            tp_vector at = {view.x[i], view.y[i], view.z[i]}, v = {i == 1 ? speed : 0.0f, 0, 0};
            CHECK(tp_particle_set(made.world, i, at, v) == TP_OK);
        }
        uint64_t before = tp_world_report(made.world).lists_built;
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_world_report(made.world).lists_built - before, k);
    }
    test_world_free(&made);
}

/* Every event that causes the forces to be computed again gives the same forces. */
static void priming_changes_no_bit(void)
{
    uint64_t hash = melt_hash(40, 0.3f, true, 65536);
    tp_world_def def = pair_def(3, 1, 0.004);
    test_world made = pair_crystal(&def, 4, 0.8442, 1.44);
    for (uint32_t f = 0; f < 40; f++) {
        uint64_t before = tp_world_hash(made.world);
        if (f % 3 == 0) tpi_step_cancel(made.world);
        if (f % 4 == 0) (void)pair_measure(made.world);
        CHECK_EQ(tp_world_hash(made.world), before);
        test_world_frames(made.world, 1);
    }
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_world_free(&made);
}

/* The same particles with the same ids, stored in any order. */
static void shuffle(tp_world *w, uint32_t seed)
{
    uint32_t *id = tpi_words(w, w->arrays.id), *meta = tpi_words(w, w->arrays.meta), state = seed;
    for (uint32_t i = w->count - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(test_random(&state) * (float)(i + 1)), kept = id[i], kind = meta[i];
        id[i] = id[j], meta[i] = meta[j];
        id[j] = kept, meta[j] = kind;
        for (uint32_t a = 0; a < w->def.dimensions; a++) {
            float *x = tpi_front_x(w, a), *v = tpi_front_v(w, a), at = x[i], speed = v[i];
            x[i] = x[j], v[i] = v[j];
            x[j] = at, v[j] = speed;
        }
    }
}

/* A melt, and a mixture with cells of several sizes; with the thermostat, without lists, and above
   the neighbour limit. */
static void storage_order_does_not_matter(void)
{
    for (uint32_t kind = 0; kind < 5; kind++) {
        uint64_t hashes[4];
        for (uint32_t run = 0; run < 4; run++) {
            tp_world_def def = pair_def(3, 250, 0.004);
            def.species_count = kind == 1 ? 2 : 1;
            def.species[1].sigma = 0.3f;
            def.pair.temperature = 1;
            def.pair.friction = kind == 2 ? 1 : 0;
            def.pair.stores_neighbours = kind != 3;
            def.pair.neighbours_max = kind == 4 ? 20 : 128;
            if (kind == 1) pair_box(&def, 20);
            test_world made =
                kind == 1 ? pair_random(&def, 0, 20, 1, 2) : pair_crystal(&def, 4, 0.8442, 1.44);
            CHECK_EQ(made.world->constants.levels.count, kind == 1 ? 2 : 1);
            if (run) shuffle(made.world, run);
            test_world_frames(made.world, 30);
            CHECK((made.world->report.neighbours_dropped > 0) == (kind == 4));
            hashes[run] = tp_world_hash(made.world);
            test_world_free(&made);
        }
        test_note("kind %u", kind);
        for (uint32_t run = 1; run < 4; run++) CHECK_EQ(hashes[run], hashes[0]);
    }
}

/* Births, deaths, and particles moved between frames; with lists that are kept, lists rebuilt in
   every step, and no lists. */
static uint64_t restless_hash(float skin, bool stores, uint64_t *built)
{
    tp_world_def def = pair_def(2, 400, 0.004);
    pair_box(&def, 24);
    def.pair.skin = skin;
    def.pair.stores_neighbours = stores;
    test_world made = test_world_make(&def);
    pair_spout(made.world, 12, 11, 1.2f, 200, 10, 0.2f);
    test_world_frames(made.world, 20);
    for (uint32_t jump = 0; jump < 30; jump++) {
        tp_view view = tp_world_view(made.world);
        /* another particle each time, moved by some cells */
        for (uint32_t i = 0; i < view.count; i++) {
            if (view.id[i] != jump) continue;
            tp_vector at = {view.x[i] + (jump % 2 ? 7.3f : 0.4f), view.y[i] + 0.6f, 0},
                      v = {view.vx[i], view.vy[i], 0};
            CHECK(tp_particle_set(made.world, i, at, v) == TP_OK);
        }
        test_world_frames(made.world, 5);
    }
    CHECK(made.world->report.born > 205);
    uint64_t hash = tp_world_hash(made.world);
    *built = made.world->report.lists_built;
    test_world_free(&made);
    return hash;
}

static void lists_know_of_births_and_jumps(void)
{
    uint64_t kept, always, never, hash = restless_hash(0.3f, true, &kept);
    CHECK_EQ(restless_hash(0.0f, true, &always), hash);
    CHECK_EQ(restless_hash(0.3f, false, &never), hash);
    test_note("built %llu and %llu times", (unsigned long long)kept, (unsigned long long)always);
    CHECK(kept > 30 && kept < always);
}

/* A dense cluster above the neighbour limit: pairs are dropped at both particles, and the same
   pairs for every kind of list. */
static void cap_drops_pairs_on_both_sides(void)
{
    uint64_t hashes[3];
    for (uint32_t run = 0; run < 3; run++) {
        tp_world_def def = pair_def(3, 1, 0.002);
        def.pair.neighbours_max = 30;
        def.pair.stores_neighbours = run > 0;
        def.pair.skin = run > 1 ? 0.3f : 0;
        test_world made = pair_crystal(&def, 3, 0.8442, 0.2);
        for (uint32_t f = 0; f < 20; f++) {
            test_world_frames(made.world, 1);
            CHECK_NEAR(pair_measure(made.world).momentum.x, 0, 2e-4);
        }
        CHECK(made.world->report.neighbours_dropped > 0);
        CHECK_EQ(made.world->report.neighbours_dropped_frame, 20); /* by the last measurement */
        CHECK(made.world->report.neighbours_dropped_share > 0.01f &&
              made.world->report.neighbours_dropped_share < 0.9f);
        hashes[run] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hashes[1], hashes[0]);
    CHECK_EQ(hashes[2], hashes[0]);
}

/* ---- the rest ---- */

static void forces_are_known_after_births_and_deaths(void)
{
    tp_world_def def = pair_def(2, 300, 0.002);
    pair_box(&def, 24);
    def.particles_max = 400;
    test_world made = test_world_make(&def);
    pair_spout(made.world, 12, 11, 1.2f, 200, 40, 1);
    tp_sink sink;
    tp_sink_def drain = tp_sink_default();
    drain.shape = TP_SINK_SPHERE;
    drain.center = (tp_vector){3, 3, 0};
    drain.radius = 1.5f;
    CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
    test_world_frames(made.world, 300);
    CHECK(made.world->report.born > 210 && made.world->report.died > 3);
    CHECK_EQ(made.world->report.killed_particles, 0);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(view.x[i] >= 0 && view.x[i] < 24 && view.y[i] >= 0 && view.y[i] < 24);
    test_world_free(&made);
}

/* Births, contacts and gravity in a room. With `rewinds`, a cache restores frame 20 at frame 40. */
static uint64_t room_hash(bool rewinds, uint32_t slice)
{
    tp_world_def def = pair_def(2, 150, 0.004);
    def.slice_units = slice;
    test_world made = test_world_make(&def);
    tp_world *w = made.world;
    pair_spout(w, 6, 4, 1.1f, 60, 80, 3);
    test_world_gravity(w, 5);
    test_world_tank(w, (tp_vector){12, 12, 0});
    cache_play(w, 40, rewinds, 20, 80);
    CHECK(w->report.contacts > 0 && w->report.born > 60);
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

/* Without births and contacts: the forces and the list of the frame before the rewind must not be
   used again. */
static void a_rewound_melt_has_its_forces_computed_anew(void)
{
    uint64_t hashes[2];
    for (uint32_t run = 0; run < 2; run++) {
        tp_world_def def = pair_def(3, 1, 0.004);
        test_world made = pair_crystal(&def, 3, 0.8442, 1.44);
        tp_source source = tp_world_source(made.world);
        tp_cache_def cache_def = tp_cache_default(&source);
        size_t bytes;
        tp_cache *cache = NULL;
        CHECK(tp_cache_memory(&cache_def, &bytes) == TP_OK);
        void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
        CHECK(tp_cache_create(&cache_def, block, bytes, &cache) == TP_OK);
        test_world_frames(made.world, 4);
        CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
        if (run) test_world_frames(made.world, 3);
        if (run) CHECK(tp_cache_rewind(cache, &source, 4, true, NULL) == TP_OK);
        for (uint32_t guard = 0; made.world->clock.frame < 30 && guard < 50; guard++)
            test_world_frames(made.world, 1);
        hashes[run] = tp_world_hash(made.world);
        free(block);
        test_world_free(&made);
    }
    CHECK_EQ(hashes[1], hashes[0]);
}

/* A contact forces the next step to compute the forces again first. Until that step is complete,
   the report still counts the contact. */
static void contacts_are_told_until_the_next_step_is_complete(void)
{
    tp_world_def def = pair_def(2, 2, 0.004);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 10);
    test_world_tank(made.world, (tp_vector){12, 12, 0});
    pair_add(made.world, 3, 0.01, 0);
    pair_add(made.world, 8, 6, 0);
    test_world_frames(made.world, 20);
    uint64_t hash = tp_world_hash(made.world);
    CHECK_EQ(made.world->report.contacts, 1);
    uint32_t used, slices = 0;
    tp_stage stage;
    tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
    for (; made.world->step.is_priming && slices < 1000; slices++) {
        CHECK(!tpi_step_advance(made.world, NULL, 64, &used, &stage));
        CHECK_EQ(tp_world_hash(made.world), hash);
    }
    CHECK(slices > 3 && slices < 1000);
    test_world_free(&made);
}

/* Light and slow, heavy and fast, weak and strong: measured quantities keep their precision. */
static void measures_keep_their_digits(void)
{
    static const struct {
        float mass, epsilon, speed;
    } kinds[] = {{1e-6f, 0, 0.1f}, {1000, 0, 100},    {1, 1e-6f, 3},
                 {1, 1e6f, 0.1f},  {1e-3f, 1, 1e-4f}, {1e5f, 1, 1e4f}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        tp_world_def def = tp_world_default(3);
        def.solver = TP_SOLVER_PAIR;
        def.integrator = TP_INTEGRATOR_KDK;
        def.particles_max = 64;
        def.species[0].mass = kinds[k].mass;
        def.species[0].epsilon = kinds[k].epsilon;
        test_world made = test_world_make(&def);
        uint32_t state = 3;
        double kinetic = 0, momentum[3] = {0, 0, 0};
        for (uint32_t i = 0; i < 64; i++) {
            tp_vector v = test_random_position(&state, kinds[k].speed);
            const float parts[3] = {v.x, v.y, v.z};
            tp_vector at = {3.0f * (float)(i % 4u), 3.0f * (float)(i / 4u % 4u),
                            3.0f * (float)(i / 16u)};
            CHECK(tp_particle_add(made.world, at, v, 0, NULL) == TP_OK);
            for (int axis = 0; axis < 3; axis++) {
                double speed = (double)parts[axis], mass = (double)kinds[k].mass;
                kinetic += 0.5 * mass * speed * speed;
                momentum[axis] += mass * speed;
            }
        }
        tp_pair_report report;
        CHECK(tp_pair_measure(made.world, &report) == TP_OK);
        test_note("mass %g, epsilon %g, speed %g", (double)kinds[k].mass, (double)kinds[k].epsilon,
                  (double)kinds[k].speed);
        double unit = (double)kinds[k].mass * (double)kinds[k].speed;
        CHECK(kinetic > 0 && fabs((double)report.kinetic / kinetic - 1) < 3e-7);
        CHECK(fabs((double)report.temperature / (kinetic * 2 / 189) - 1) < 4e-7);
        CHECK(fabs((double)report.momentum.x - momentum[0]) < 1e-5 * unit);
        CHECK(fabs((double)report.momentum.y - momentum[1]) < 1e-5 * unit);
        CHECK(fabs((double)report.momentum.z - momentum[2]) < 1e-5 * unit);
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(measures_keep_their_digits),
    TEST_CASE(values_are_those_of_lennard_jones),
    TEST_CASE(forces_shift_to_nothing_at_the_cutoff),
    TEST_CASE(forces_are_those_of_brute_force),
    TEST_CASE(boxes_of_any_shape_meet_each_pair_once),
    TEST_CASE(lists_change_no_bit),
    TEST_CASE(long_cutoffs_leave_nobody_out),
    TEST_CASE(crowds_are_counted_and_measuring_changes_no_bit),
    TEST_CASE(r_18_crossing_half_the_skin_builds_a_new_list),
    TEST_CASE(priming_changes_no_bit),
    TEST_CASE(storage_order_does_not_matter),
    TEST_CASE(lists_know_of_births_and_jumps),
    TEST_CASE(cap_drops_pairs_on_both_sides),
    TEST_CASE(forces_are_known_after_births_and_deaths),
    TEST_CASE(a_rewound_room_ends_as_if_nothing_had_happened),
    TEST_CASE(a_rewound_melt_has_its_forces_computed_anew),
    TEST_CASE(contacts_are_told_until_the_next_step_is_complete),
};
TEST_SUITE(pair, cases);
