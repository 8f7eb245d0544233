/* SPDX-License-Identifier: MIT
   tests/unit/test_live.c - settings that change while a world runs: of emitters, sinks, colliders
           and the world itself.
   reads   the calls ..._set and tp_world_change      writes  nothing
   memory  small worlds and caches                    cost    seconds
   after   own design: a run whose calls come between frames is the measure of all others */
#include "test.h"
#include "world_help.h"
#include "cache_help.h"
#include "world/change.h"
#include <stdlib.h>
#include <string.h>

/* A tank with a tap, a drain and a gate, in every solver. */
typedef struct live {
    test_world made;
    tp_world *world;
    tp_emitter tap;
    tp_sink drain;
    tp_collider gate, hull; /* of a body */
    tp_emitter_def tap_def;
    tp_sink_def drain_def;
    tp_collider_def gate_def, hull_def;
} live;

static tp_world_def live_definition(tp_solver solver, tp_sph_formulation formulation)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = 300;
    def.solver = solver;
    def.species_count = 2;
    def.takes_changes = def.keeps_words = def.keeps_last_frame = true;
    def.bodies_max = 1;
    def.slice_units = 64;
    if (solver == TP_SOLVER_SPH && formulation == TP_SPH_INCOMPRESSIBLE)
        tp_sph_incompressible(&def, 0.1f);
    if (solver == TP_SOLVER_SPH) def.sph.viscosity = 0.01f;
    if (solver != TP_SOLVER_PAIR) return def;
    def.integrator = TP_INTEGRATOR_KDK;
    def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) def.species[s].sigma = 0.1f;
    return def;
}

/* Pairs repel each other: a cone. */
static void live_table(tp_world *world)
{
    float energies[33];
    tp_pair_table table = tp_pair_table_default();
    table.count = 33;
    table.energies = energies;
    for (uint32_t k = 0; k < 33; k++)
        energies[k] = 4.0f * (2.5f - tp_pair_table_distance(world, 33, k));
    CHECK(tp_pair_table_set(world, &table) == TP_OK);
}

static void live_add_body(live *l)
{
    tp_body_def def = tp_body_default();
    tp_body body;
    l->hull_def = tp_collider_default(TP_COLLIDER_BOX);
    l->hull_def.half = (tp_vector){0.15f, 0.1f, 0};
    l->hull_def.pose.position = (tp_vector){1.0f, 0.95f, 0};
    CHECK(tp_collider_add(l->world, &l->hull_def, &l->hull) == TP_OK);
    def.collider = l->hull;
    def.velocity.x = 1.0f;
    def.mass = 5.0f;
    CHECK(tp_body_add(l->world, &def, &body) == TP_OK);
}

static live live_make(const tp_world_def *def)
{
    live l = {.made = test_world_make(def)};
    l.world = l.made.world;
    test_world_gravity(l.world, 9.81f);
    test_world_tank(l.world, (tp_vector){2, 2, 0});
    l.tap_def = tp_emitter_default();
    l.tap_def.shape = TP_EMITTER_BOX;
    l.tap_def.size = (tp_vector){0.4f, 0.05f, 0};
    l.tap_def.pose.position = (tp_vector){1.0f, 1.5f, 0};
    l.tap_def.rate_numerator = 100;
    l.tap_def.rate_denominator = 3;
    l.tap_def.burst_count = 100;
    l.tap_def.velocity = (tp_vector){0, -1.0f, 0};
    l.tap_def.velocity_jitter = 0.3f;
    CHECK(tp_emitter_add(l.world, &l.tap_def, &l.tap) == TP_OK);
    l.drain_def = tp_sink_default();
    l.drain_def.offset = -1.0f;
    CHECK(tp_sink_add(l.world, &l.drain_def, &l.drain) == TP_OK);
    l.gate_def = tp_collider_default(TP_COLLIDER_BOX);
    l.gate_def.half = (tp_vector){0.5f, 0.1f, 0};
    l.gate_def.pose.position = (tp_vector){1.0f, 0.6f, 0};
    CHECK(tp_collider_add(l.world, &l.gate_def, &l.gate) == TP_OK);
    if (def->bodies_max) live_add_body(&l);
    if (def->pair.table_max) live_table(l.world);
    return l;
}

/* What the game does in a frame. */
static void live_act(live *l, uint64_t frame)
{
    tp_world_def def = *tp_world_definition(l->world);
    tp_emitter_def tap = l->tap_def;
    tp_collider_def gate = l->gate_def, hull = l->hull_def;
    tp_sink_def drain = l->drain_def;
    switch (frame) {
    case 4:
        tap.rate_numerator = 0;
        CHECK(tp_emitter_set(l->world, l->tap, &tap) == TP_OK);
        break;
    case 7:
        tap.rate_numerator = 250;
        tap.rate_denominator = 7;
        tap.species = 1;
        CHECK(tp_emitter_set(l->world, l->tap, &tap) == TP_OK);
        gate.pose.position.x = 0.8f;
        CHECK(tp_collider_move(l->world, l->gate, gate.pose) == TP_OK);
        break;
    case 9:
        gate.shape = TP_COLLIDER_SPHERE;
        gate.radius = 0.3f;
        gate.restitution = 0.5f;
        gate.friction = 0.4f;
        CHECK(tp_collider_set(l->world, l->gate, &gate) == TP_OK);
        break;
    case 10:
        hull.friction = 0.8f;
        hull.restitution = 0.6f;
        hull.species_mask = 1u;
        CHECK(tp_collider_set(l->world, l->hull, &hull) == TP_OK);
        break;
    case 11:
        def.speed_max = 3.0f;
        def.sph.viscosity *= 4.0f;
        def.sph.near_stiffness *= 1.5f;
        def.pair.restitution = 0.5f;
        def.pair.friction = 0.5f;
        def.species[0].epsilon *= 1.5f;
        def.species[1].radius = 0.02f;
        CHECK(tp_world_change_check(l->world, &def) == NULL);
        CHECK(tp_world_change(l->world, &def) == TP_OK);
        break;
    case 14:
        drain.offset = 0.7f;
        CHECK(tp_sink_set(l->world, l->drain, &drain) == TP_OK);
        break;
    case 16: CHECK(tp_sink_rate(l->world, l->drain, 30.0f) == TP_OK); break;
    case 18: CHECK(tp_emitter_rate(l->world, l->tap, 700, 9) == TP_OK); break;
    case 20:
        gate.pose = tp_pose_make(-0.1f, 0.3f, 0.4f);
        CHECK(tp_collider_place(l->world, l->gate, gate.pose) == TP_OK);
        break;
    default: break;
    }
}

/* Frames `from` .. `to` - 1; units: budget of a call, 0: no limit. */
static void live_run(live *l, uint64_t from, uint64_t to, uint32_t units)
{
    for (uint64_t frame = from; frame < to; frame++) {
        tp_budget budget = {.units = units};
        live_act(l, frame);
        tp_result result = tp_frame(l->world, &budget, NULL);
        while (result == TP_MORE) {
            budget.units += units;
            budget.is_same_frame = true;
            result = tp_frame(l->world, &budget, NULL);
        }
        CHECK(result == TP_OK);
    }
}

#define LIVE_SOLVERS 6u
static tp_world_def live_solver(uint32_t k)
{
    static const tp_solver solvers[LIVE_SOLVERS] = {TP_SOLVER_NONE, TP_SOLVER_SPH,  TP_SOLVER_SPH,
                                                    TP_SOLVER_PAIR, TP_SOLVER_PAIR, TP_SOLVER_PAIR};
    test_note("solver %u", k);
    tp_world_def def =
        live_definition(solvers[k], k == 2 ? TP_SPH_INCOMPRESSIBLE : TP_SPH_DOUBLE_DENSITY);
    if (k >= 4) def.pair.potential = k == 4 ? TP_POTENTIAL_LENNARD_JONES : TP_POTENTIAL_TABLE;
    if (k == 5) def.pair.table_max = 33;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) def.species[s].epsilon = 0.01f;
    return def;
}

static void changes_give_the_same_bits_at_every_slicing(void)
{
    for (uint32_t k = 0; k < LIVE_SOLVERS; k++) {
        static const uint32_t budgets[4] = {0, 64, 700, 5000};
        tp_world_def def = live_solver(k);
        uint64_t hash = 0;
        for (uint32_t b = 0; b < 4; b++) {
            live l = live_make(&def);
            live_run(&l, 0, 24, budgets[b]);
            if (b == 0) hash = tp_world_hash(l.world);
            CHECK_EQ(tp_world_hash(l.world), hash);
            CHECK_EQ(tp_world_report(l.world).steps_restarted, 0);
            CHECK(tp_world_report(l.world).died > 10 && tp_world_report(l.world).born > 105);
            test_world_free(&l.made);
        }
    }
}

/* Simulates until the next frame has begun and some slices of it are done. */
static void live_begin_frame(live *l, uint32_t units)
{
    tp_budget budget = {.units = units};
    CHECK(tp_frame(l->world, &budget, NULL) == TP_MORE);
}

static void live_end_frame(live *l)
{
    tp_budget budget = {.is_same_frame = true};
    CHECK(tp_frame(l->world, &budget, NULL) == TP_OK);
}

static void a_change_inside_of_a_frame_takes_effect_when_the_frame_ends(void)
{
    for (uint32_t k = 0; k < LIVE_SOLVERS; k++) {
        tp_world_def def = live_solver(k);
        live l = live_make(&def);
        live_run(&l, 0, 24, 0);
        uint64_t hash = tp_world_hash(l.world);
        test_world_free(&l.made);
        for (uint32_t units = 64; units <= 192; units += 64) {
            live other = live_make(&def);
            for (uint64_t frame = 0; frame < 24; frame++) {
                live_begin_frame(&other, units);
                if (frame == 6) { /* a move counts from the next frame on, too */
                    tp_pose pose = other.gate_def.pose;
                    pose.position.x = 0.8f;
                    CHECK(tp_collider_move(other.world, other.gate, pose) == TP_OK);
                }
                live_act(&other, frame + 1u);
                live_end_frame(&other);
            }
            CHECK_EQ(tp_world_hash(other.world), hash);
            CHECK_EQ(tp_world_report(other.world).steps_restarted, 0);
            test_world_free(&other.made);
        }
    }
}

static void the_newest_change_inside_of_a_frame_counts(void)
{
    tp_world_def def = live_solver(1);
    live one = live_make(&def), two = live_make(&def);
    test_world_frames(one.world, 3);
    test_world_frames(two.world, 2);
    live_begin_frame(&two, 64);
    two.tap_def.rate_numerator = 900;
    CHECK(tp_emitter_set(two.world, two.tap, &two.tap_def) == TP_OK);
    tp_world_def changed = *tp_world_definition(two.world);
    changed.speed_max = 0.1f;
    CHECK(tp_world_change(two.world, &changed) == TP_OK);
    two.tap_def.rate_numerator = one.tap_def.rate_numerator = 10;
    CHECK(tp_emitter_set(two.world, two.tap, &two.tap_def) == TP_OK);
    changed.speed_max = 5.0f;
    CHECK(tp_world_change(two.world, &changed) == TP_OK);
    CHECK(two.world->def.speed_max == 0.0f);
    CHECK(tp_world_definition(two.world)->speed_max == 5.0f); /* the next copy has it, too */
    live_end_frame(&two);
    CHECK(two.world->def.speed_max == 5.0f);
    CHECK(tp_world_definition(two.world)->speed_max == 5.0f);
    CHECK(tp_emitter_set(one.world, one.tap, &one.tap_def) == TP_OK);
    CHECK(tp_world_change(one.world, &changed) == TP_OK);
    one.tap_def.rate_numerator = 500; /* what waited does not come back later */
    CHECK(tp_emitter_set(one.world, one.tap, &one.tap_def) == TP_OK);
    CHECK(tp_emitter_set(two.world, two.tap, &one.tap_def) == TP_OK);
    test_world_frames(one.world, 10);
    test_world_frames(two.world, 10);
    CHECK_EQ(tp_world_hash(one.world), tp_world_hash(two.world));
    test_world_free(&one.made);
    test_world_free(&two.made);
}

/* A frame of a world that takes changes costs 16 units, 1 per emitter and sink, 2 per collider. */
static void frames_pay_for_changes(void)
{
    uint64_t units[2];
    for (uint32_t takes = 0; takes < 2; takes++) {
        tp_world_def def = tp_world_default(2);
        def.particles_max = 8;
        def.takes_changes = takes != 0;
        test_world made = test_world_make(&def);
        tp_emitter_def tap = tp_emitter_default();
        tp_sink_def drain = tp_sink_default();
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        tp_emitter emitter;
        tp_sink sink;
        tp_collider collider;
        tap.rate_numerator = 1;
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
            CHECK(tp_collider_add(made.world, &plane, &collider) == TP_OK);
        }
        CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
        CHECK(tp_frame(made.world, NULL, NULL) == TP_OK);
        units[takes] = tp_world_report(made.world).units;
        test_world_free(&made);
    }
    CHECK_EQ(units[1] - units[0], 16 + 3 + 1 + 2 * 3);
}

static void changes_survive_copies_and_verification_inside_of_a_frame(void)
{
    for (uint32_t k = 0; k < LIVE_SOLVERS; k++) {
        tp_world_def def = live_solver(k);
        live l = live_make(&def);
        live_run(&l, 0, 6, 0);
        live_begin_frame(&l, 64);
        for (uint64_t frame = 7; frame < 15; frame++) live_act(&l, frame);
        void *copy = test_guarded_make(l.made.bytes);
        tp_world *other = NULL;
        tp_block_fault fault = {0, NULL};
        memcpy(copy, l.made.block, l.made.bytes);
        CHECK(tp_world_verify(copy, l.made.bytes, &fault, &other) == TP_OK);
        if (fault.expected) test_note("%s", fault.expected);
        live_end_frame(&l);
        tp_budget budget = {.is_same_frame = true};
        CHECK(other && tp_frame(other, &budget, NULL) == TP_OK);
        test_world_frames(l.world, 8);
        if (other) test_world_frames(other, 8);
        CHECK_EQ(tp_world_hash(l.world), tp_world_hash(other));
        CHECK(tp_world_definition(other)->speed_max == 3.0f);
        test_guarded_free(copy, l.made.bytes);
        test_world_free(&l.made);
    }
}

static void a_change_that_waits_for_no_item_is_a_fault_of_a_block(void)
{
    tp_world_def def = live_solver(1);
    live l = live_make(&def);
    tp_block_fault fault = {0, NULL};
    tp_world *verified = NULL;
    live_run(&l, 0, 3, 0);
    live_begin_frame(&l, 64);
    tpi_change_put(l.world, TP_POOL_SINKS, 1, &l.drain_def);
    CHECK(tp_world_verify(l.made.block, l.made.bytes, &fault, &verified) != TP_OK);
    CHECK(fault.expected && strstr(fault.expected, "no changes of items that do not exist"));
    test_world_free(&l.made);
}

static void a_rewind_brings_back_the_settings_of_its_frame(void)
{
    for (uint32_t k = 0; k < LIVE_SOLVERS; k++) {
        tp_world_def def = live_solver(k);
        live l = live_make(&def);
        tp_source source = tp_world_source(l.world);
        tp_cache_def cache_def = tp_cache_default(&source);
        size_t bytes = 0;
        uint64_t hashes[25];
        cache_def.frames_max = 32;
        cache_def.ring_bytes = 1u << 20;
        tp_cache *cache = cache_make(&cache_def, &bytes);
        for (uint64_t frame = 0; frame < 24; frame++) {
            CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
            hashes[frame] = tp_world_hash(l.world);
            live_run(&l, frame, frame + 1u, 0);
        }
        hashes[24] = tp_world_hash(l.world);
        for (uint64_t to = 2; to < 24; to += 5) { /* before, among and after the changes */
            test_note("rewound to %u", (unsigned)to);
            live_begin_frame(&l, 64); /* changes that wait are forgotten */
            tp_world_def late = *tp_world_definition(l.world);
            late.speed_max = 0.25f;
            CHECK(tp_world_change(l.world, &late) == TP_OK);
            CHECK(tp_cache_rewind(cache, &source, to, false, NULL) == TP_OK);
            CHECK_EQ(tp_world_hash(l.world), hashes[to]);
            CHECK(tp_world_definition(l.world)->speed_max == (to > 11 ? 3.0f : 0.0f));
            for (uint64_t frame = to; frame < 24; frame++) {
                live_run(&l, frame, frame + 1u, 700);
                CHECK_EQ(tp_world_hash(l.world), hashes[frame + 1u]);
            }
        }
        free(cache);
        test_world_free(&l.made);
    }
}

/* A rate changes what waits, or what is; both ways give the bits of a whole definition. */
static void a_rate_alone_keeps_all_other_settings(void)
{
    tp_world_def def = live_definition(TP_SOLVER_NONE, TP_SPH_DOUBLE_DENSITY);
    live one = live_make(&def), two = live_make(&def);
    for (uint32_t k = 0; k < 4; k++) {
        live_begin_frame(&one, 64);
        live_begin_frame(&two, 64);
        one.tap_def.species = two.tap_def.species = k & 1u;
        one.drain_def.offset = two.drain_def.offset = 9.0f * (float)(k & 1u);
        CHECK(tp_emitter_set(two.world, two.tap, &two.tap_def) == TP_OK);
        CHECK(tp_sink_set(two.world, two.drain, &two.drain_def) == TP_OK);
        if (k > 1) live_end_frame(&two); /* between two frames no change waits */
        two.tap_def.rate_numerator = one.tap_def.rate_numerator = 100 + 30 * k;
        two.tap_def.rate_denominator = one.tap_def.rate_denominator = 2 + k;
        one.drain_def.rate = 20.0f * (float)k;
        CHECK(tp_emitter_rate(two.world, two.tap, 100 + 30 * k, 2 + k) == TP_OK);
        CHECK(tp_sink_rate(two.world, two.drain, 20.0f * (float)k) == TP_OK);
        if (k > 1) live_end_frame(&one);
        CHECK(tp_emitter_set(one.world, one.tap, &one.tap_def) == TP_OK);
        CHECK(tp_sink_set(one.world, one.drain, &one.drain_def) == TP_OK);
        if (k <= 1) live_end_frame(&one);
        if (k <= 1) live_end_frame(&two);
        test_world_frames(one.world, 5);
        test_world_frames(two.world, 5);
        CHECK_EQ(tp_world_hash(one.world), tp_world_hash(two.world));
    }
    CHECK(tp_world_report(one.world).died > 5);
    CHECK(tp_emitter_rate(two.world, two.tap, 10, 0) == TP_ERROR_DEFINITION);
    CHECK(tp_emitter_rate(two.world, (tp_emitter){0}, 10, 1) == TP_ERROR_HANDLE);
    CHECK(tp_sink_rate(two.world, two.drain, -1.0f) == TP_ERROR_DEFINITION);
    CHECK(tp_sink_rate(two.world, (tp_sink){0}, 1.0f) == TP_ERROR_HANDLE);
    CHECK_EQ(tp_world_hash(one.world), tp_world_hash(two.world));
    test_world_free(&one.made);
    test_world_free(&two.made);
}

/* ---- emitters ---- */

static void a_valve_keeps_the_fraction_of_a_birth_and_the_random_numbers(void)
{
    for (uint32_t other = 1; other < 9; other++) { /* another fraction of the same rate */
        tp_world_def def = live_definition(TP_SOLVER_NONE, TP_SPH_DOUBLE_DENSITY);
        live one = live_make(&def), two = live_make(&def);
        test_world_frames(one.world, 7);
        test_world_frames(two.world, 7);
        for (uint32_t closed = 0; closed < 2; closed++) {
            two.tap_def.rate_numerator = closed == 0 ? 0 : 100 * other;
            two.tap_def.rate_denominator = 3 * other;
            CHECK(tp_emitter_set(two.world, two.tap, &two.tap_def) == TP_OK);
            if (closed == 0) test_world_frames(two.world, 5);
        }
        test_world_frames(one.world, 9);
        test_world_frames(two.world, 9);
        uint64_t born[2];
        CHECK(tp_emitter_count(one.world, one.tap, &born[0], NULL) == TP_OK);
        CHECK(tp_emitter_count(two.world, two.tap, &born[1], NULL) == TP_OK);
        CHECK_EQ(born[0], born[1]);
        tp_view a = tp_world_view(one.world), b = tp_world_view(two.world);
        CHECK_EQ(a.count, b.count);
        /* the last one has flown for the same time */
        CHECK_NEAR(a.x[a.count - 1u], b.x[b.count - 1u], 1e-5);
        CHECK_NEAR(a.y[a.count - 1u], b.y[b.count - 1u], 1e-5);
        test_world_free(&one.made);
        test_world_free(&two.made);
    }
}

static void bursts_and_totals_count_what_was_born_before(void)
{
    tp_world_def def = live_definition(TP_SOLVER_NONE, TP_SPH_DOUBLE_DENSITY);
    live l = live_make(&def);
    uint64_t born = 0, before;
    l.tap_def.rate_numerator = 0;
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    test_world_frames(l.world, 2);
    CHECK(tp_emitter_count(l.world, l.tap, &before, NULL) == TP_OK);
    CHECK_EQ(before, 100);
    l.tap_def.burst_count = 105;
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    test_world_frames(l.world, 2);
    CHECK(tp_emitter_count(l.world, l.tap, &born, NULL) == TP_OK);
    CHECK_EQ(born, 105);
    l.tap_def.burst_count = 3; /* fewer than so far */
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    test_world_frames(l.world, 2);
    CHECK(tp_emitter_count(l.world, l.tap, &born, NULL) == TP_OK);
    CHECK_EQ(born, 105);
    l.tap_def.rate_numerator = 6000; /* a total below the births so far closes it */
    l.tap_def.total_max = 12;
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    test_world_frames(l.world, 2);
    CHECK(tp_emitter_count(l.world, l.tap, &born, NULL) == TP_OK);
    CHECK_EQ(born, 105);
    tp_world *other = NULL;
    tp_block_fault fault = {0, NULL};
    CHECK(tp_world_verify(l.made.block, l.made.bytes, &fault, &other) == TP_OK);
    l.tap_def.total_max = 110;
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    test_world_frames(l.world, 2);
    CHECK(tp_emitter_count(l.world, l.tap, &born, NULL) == TP_OK);
    CHECK_EQ(born, 110);
    test_world_free(&l.made);
}

static void a_total_below_the_births_recycles_no_particle(void)
{
    tp_world_def def = live_definition(TP_SOLVER_NONE, TP_SPH_DOUBLE_DENSITY);
    def.pool_policy = TP_POOL_RECYCLE;
    def.particles_max = 100;
    live l = live_make(&def);
    test_world_frames(l.world, 2);
    l.tap_def.total_max = 50;
    l.tap_def.rate_numerator = 6000;
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    uint64_t recycled = tp_world_report(l.world).recycled;
    test_world_frames(l.world, 2);
    CHECK_EQ(tp_world_report(l.world).recycled, recycled);
    CHECK_EQ(tp_world_view(l.world).count, 100);
    test_world_free(&l.made);
}

/* ---- colliders ---- */

/* y of a ball that falls on the gate, after `frames`. */
static float live_ball(live *l, uint32_t frames)
{
    uint32_t id, index = 0;
    CHECK(tp_particle_add(l->world, (tp_vector){1.0f, 1.2f, 0}, (tp_vector){0, 0, 0}, 0, &id) ==
          TP_OK);
    test_world_frames(l->world, frames);
    CHECK(tp_particle_find(l->world, id, &index) == TP_OK);
    return tp_world_view(l->world).y[index];
}

static void a_collider_bounces_and_blocks_as_its_last_settings_say(void)
{
    tp_world_def def = live_definition(TP_SOLVER_NONE, TP_SPH_DOUBLE_DENSITY);
    live l = live_make(&def);
    l.tap_def.rate_numerator = 0;
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_OK);
    CHECK_NEAR(live_ball(&l, 90), 0.75, 0.005); /* it rests on the box */
    l.gate_def.restitution = 1.0f;
    CHECK(tp_collider_set(l.world, l.gate, &l.gate_def) == TP_OK);
    CHECK_NEAR(live_ball(&l, 36), 1.2, 0.03); /* it comes back */
    l.gate_def.species_mask = 2;
    CHECK(tp_collider_set(l.world, l.gate, &l.gate_def) == TP_OK);
    CHECK_NEAR(live_ball(&l, 90), 0.05, 0.005); /* it falls through */
    l.gate_def.species_mask = 1;
    l.gate_def.restitution = 0.0f;
    l.gate_def.shape = TP_COLLIDER_SPHERE;
    l.gate_def.radius = 0.4f;
    CHECK(tp_collider_set(l.world, l.gate, &l.gate_def) == TP_OK);
    tp_ray ray = {{1.0f, 1.9f, 0}, {0, -1.5f, 0}, 0.0f, ~0u};
    tp_ray_hit hit = {0};
    CHECK(tp_world_ray(l.world, &ray, 0, NULL, &hit) == TP_OK);
    CHECK_NEAR(hit.point.y, 1.0, 1e-4);
    CHECK_NEAR(live_ball(&l, 20), 1.05, 0.01);     /* upon the pole of the sphere */
    for (uint32_t grown = 0; grown < 2; grown++) { /* a box that grows to its sides and up */
        l.gate_def.shape = TP_COLLIDER_BOX;
        l.gate_def.half = (tp_vector){grown ? 0.9f : 0.1f, grown ? 0.3f : 0.1f, 0};
        CHECK(tp_collider_set(l.world, l.gate, &l.gate_def) == TP_OK);
        CHECK(tp_particles_clear(l.world) == TP_OK);
        CHECK_NEAR(live_ball(&l, 60), grown ? 0.95 : 0.75, 0.01);
    }
    test_world_free(&l.made);
}

/* ---- refusals ---- */

static void what_may_not_change_is_refused_and_named(void)
{
    tp_world_def def = live_definition(TP_SOLVER_SPH, TP_SPH_DOUBLE_DENSITY);
    live l = live_make(&def);
    uint64_t hash = tp_world_hash(l.world);
    tp_world_def other = def;
    other.particles_max++;
    CHECK(strstr(tp_world_change_check(l.world, &other), "particles_max"));
    CHECK(tp_world_change(l.world, &other) == TP_ERROR_DEFINITION);
    other = def;
    other.bodies_max = 2;
    CHECK(strstr(tp_world_change_check(l.world, &other), "bodies_max"));
    other = def;
    other.events_max = 8;
    CHECK(strstr(tp_world_change_check(l.world, &other), "events_max"));
    other = def;
    other.sph.smoothing_radius *= 1.01f;
    CHECK(strstr(tp_world_change_check(l.world, &other), "sph.smoothing_radius"));
    other = def;
    other.species[1].mass = 2.0f;
    CHECK(strstr(tp_world_change_check(l.world, &other), "species.mass"));
    other = def;
    other.sph.viscosity = 0.0f;
    CHECK(strstr(tp_world_change_check(l.world, &other), "sph.viscosity"));
    other = def;
    other.sph.stiffness = -1.0f;
    CHECK(tp_world_change(l.world, &other) == TP_ERROR_DEFINITION);
    other.stamp++;
    CHECK(tp_world_change(l.world, &other) == TP_ERROR_STAMP);
    CHECK(tp_world_change(l.world, NULL) == TP_ERROR_NULL);
    CHECK(tp_world_change(NULL, &def) == TP_ERROR_NULL);
    tp_emitter_def tap = l.tap_def;
    tap.rate_denominator = 0;
    CHECK(strstr(tp_emitter_set_check(l.world, l.tap, &tap), "rate_denominator"));
    CHECK(tp_emitter_set(l.world, l.tap, &tap) == TP_ERROR_DEFINITION);
    tap.shape = TP_EMITTER_MESH;
    CHECK(strstr(tp_emitter_set_check(l.world, l.tap, &tap), "shape may not change"));
    CHECK(tp_emitter_set(l.world, (tp_emitter){0}, &l.tap_def) == TP_ERROR_HANDLE);
    tp_collider_def gate = l.gate_def;
    gate.shape = TP_COLLIDER_GRID;
    CHECK(strstr(tp_collider_set_check(l.world, l.gate, &gate), "shape may not change"));
    gate.shape = TP_COLLIDER_SPHERE;
    gate.radius = 0.0f / (gate.half.z * 0.0f + 1.0f);
    CHECK(tp_collider_set(l.world, l.gate, &gate) == TP_ERROR_DEFINITION);
    tp_sink_def drain = l.drain_def;
    drain.normal.x = 3.0f;
    CHECK(strstr(tp_sink_set_check(l.world, l.drain, &drain), "normal"));
    CHECK(tp_sink_set(l.world, l.drain, &drain) == TP_ERROR_DEFINITION);
    CHECK_EQ(tp_world_hash(l.world), hash);
    test_world_free(&l.made);
}

static void a_world_without_takes_changes_refuses_all_and_costs_nothing(void)
{
    tp_world_def def = live_definition(TP_SOLVER_SPH, TP_SPH_DOUBLE_DENSITY);
    size_t with = 0, without = 0, plain = 0;
    CHECK(tp_world_memory(&def, &with) == TP_OK);
    def.takes_changes = false;
    CHECK(tp_world_memory(&def, &without) == TP_OK);
    CHECK(with - without > 1000 &&
          with - without <= TP_CHANGE_BYTES(def.emitters_max + def.sinks_max + def.colliders_max));
    tp_world_def bare = def;
    bare.emitters_max = bare.sinks_max = bare.colliders_max = bare.bodies_max = 0;
    CHECK(tp_world_memory(&bare, &plain) == TP_OK);
    bare.takes_changes = true;
    CHECK(tp_world_memory(&bare, &with) == TP_OK);
    CHECK(with - plain <= TP_CHANGE_BYTES(0));
    def.keeps_words = def.keeps_last_frame = false;
    CHECK(tp_world_memory(&def, &plain) == TP_OK);
    CHECK(without - plain <=
          TP_WORD_BYTES(def.particles_max) + TP_LAST_FRAME_BYTES(2, def.particles_max));
    live l = live_make(&def);
    CHECK(strstr(tp_emitter_set_check(l.world, l.tap, &l.tap_def), "takes_changes"));
    CHECK(tp_emitter_set(l.world, l.tap, &l.tap_def) == TP_ERROR_DEFINITION);
    CHECK(tp_sink_set(l.world, l.drain, &l.drain_def) == TP_ERROR_DEFINITION);
    CHECK(tp_collider_set(l.world, l.gate, &l.gate_def) == TP_ERROR_DEFINITION);
    CHECK(tp_world_change(l.world, &def) == TP_ERROR_DEFINITION);
    test_world_free(&l.made);
}

/* An emitter and a collider with geometry keep it. */
static void meshes_and_samples_stay(void)
{
    static const tp_vector vertices[3] = {{0, 1, 0}, {1, 1, 0}, {0, 1, 1}};
    static const uint32_t indices[3] = {0, 1, 2};
    static const float samples[4] = {0.0f, 0.25f, 0.5f, 0.25f};
    tp_world_def def = tp_world_default(3);
    def.geometry_bytes_max = 4096;
    def.takes_changes = true;
    test_world made = test_world_make(&def);
    tp_emitter_def emitter_def = tp_emitter_default();
    tp_collider_def ground = tp_collider_default(TP_COLLIDER_HEIGHTFIELD);
    tp_emitter emitter;
    tp_collider collider;
    emitter_def.shape = TP_EMITTER_MESH;
    emitter_def.vertices = vertices;
    emitter_def.vertex_count = 3;
    emitter_def.indices = indices;
    emitter_def.triangle_count = 1;
    CHECK(tp_emitter_add(made.world, &emitter_def, &emitter) == TP_OK);
    ground.samples = samples;
    ground.columns = ground.rows = 2;
    CHECK(tp_collider_add(made.world, &ground, &collider) == TP_OK);
    emitter_def.vertices = NULL;
    emitter_def.indices = NULL;
    emitter_def.rate_numerator = 600;
    ground.samples = NULL;
    ground.columns = 77;
    ground.restitution = 0.5f;
    CHECK(tp_emitter_set(made.world, emitter, &emitter_def) == TP_OK);
    CHECK(tp_collider_set(made.world, collider, &ground) == TP_OK);
    test_world_frames(made.world, 4);
    CHECK_EQ(tp_world_view(made.world).count, 40);
    tp_ray ray = {{0.999f, 3, 0.001f}, {0, -4, 0}, 0.0f, ~0u};
    tp_ray_hit hit = {0};
    CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK);
    CHECK_NEAR(hit.point.y, 0.25, 2e-3);
    emitter_def.shape = TP_EMITTER_POINT;
    CHECK(tp_emitter_set(made.world, emitter, &emitter_def) == TP_ERROR_DEFINITION);
    ground.shape = TP_COLLIDER_BOX;
    CHECK(tp_collider_set(made.world, collider, &ground) == TP_ERROR_DEFINITION);
    tp_world *other = NULL;
    CHECK(tp_world_verify(made.block, made.bytes, NULL, &other) == TP_OK);
    test_world_free(&made);
}

/* A box slides on without friction, until its friction changes. */
static void a_body_feels_the_new_friction_of_its_collider(void)
{
    tp_world_def def = live_definition(TP_SOLVER_NONE, TP_SPH_DOUBLE_DENSITY);
    test_world made = test_world_make(&def);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE),
                    box = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def slider = tp_body_default();
    tp_body_state state;
    tp_collider ground;
    tp_body body;
    test_world_gravity(made.world, 9.81f);
    floor.friction = 0.5f;
    CHECK(tp_collider_add(made.world, &floor, &ground) == TP_OK);
    box.pose.position.y = 0.55f;
    CHECK(tp_collider_add(made.world, &box, &slider.collider) == TP_OK);
    slider.velocity.x = 2.0f;
    CHECK(tp_body_add(made.world, &slider, &body) == TP_OK);
    test_world_frames(made.world, 60);
    CHECK(tp_body_get(made.world, body, &state) == TP_OK);
    CHECK_NEAR(state.velocity.x, 2, 1e-3);
    box.friction = 0.5f;
    CHECK(tp_collider_set(made.world, slider.collider, &box) == TP_OK);
    test_world_frames(made.world, 12); /* 0.5 g for 0.2 s */
    CHECK(tp_body_get(made.world, body, &state) == TP_OK);
    CHECK_NEAR(state.velocity.x, 2 - 0.5 * 9.81 * 0.2, 0.05);
    test_world_frames(made.world, 30);
    CHECK(tp_body_get(made.world, body, &state) == TP_OK);
    CHECK_NEAR(state.velocity.x, 0, 1e-3);
    test_world_free(&made);
}

/* Its shape gave the body its inertia: another one is refused, and so is a body whose collider
   waits for settings. */
static void the_collider_of_a_body_keeps_its_shape(void)
{
    tp_world_def def = live_definition(TP_SOLVER_SPH, TP_SPH_DOUBLE_DENSITY);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def float_def = tp_body_default();
    tp_body body;
    def.bodies_max = 2;
    live l = live_make(&def);
    box.half = (tp_vector){0.2f, 0.1f, 1};
    box.pose.position = (tp_vector){0, 3, 0};
    CHECK(tp_collider_add(l.world, &box, &float_def.collider) == TP_OK);
    live_begin_frame(&l, 64);
    box.friction = 0.5f;
    CHECK(tp_collider_set(l.world, float_def.collider, &box) == TP_OK);
    CHECK(strstr(tp_body_check(l.world, &float_def), "must not wait"));
    CHECK(tp_body_add(l.world, &float_def, &body) == TP_ERROR_DEFINITION);
    live_end_frame(&l);
    CHECK(tp_body_add(l.world, &float_def, &body) == TP_OK);
    uint64_t hash = tp_world_hash(l.world);
    for (uint32_t k = 0; k < 6; k++) {
        tp_collider_def bad = box;
        if (k == 0) bad.shape = TP_COLLIDER_SPHERE;
        if (k == 1) bad.half.x = 0.3f;
        if (k == 2) bad.radius = 0.3f;
        if (k == 3) bad.is_hollow = true;
        if (k == 4) bad.kills = true;
        if (k == 5) bad.is_two_sided = true;
        const char *text = tp_collider_set_check(l.world, float_def.collider, &bad);
        CHECK(text && strstr(text, k < 3 ? "shape, half and radius" : "must be a solid"));
        CHECK(tp_collider_set(l.world, float_def.collider, &bad) == TP_ERROR_DEFINITION);
    }
    CHECK_EQ(tp_world_hash(l.world), hash);
    box.friction = 0.25f;
    CHECK(tp_collider_set_check(l.world, float_def.collider, &box) == NULL);
    CHECK(tp_collider_set(l.world, float_def.collider, &box) == TP_OK);
    CHECK(tp_body_remove(l.world, body) == TP_OK);
    box.half.x = 0.3f;
    CHECK(tp_collider_set(l.world, float_def.collider, &box) == TP_OK);
    test_world_free(&l.made);
}

static const test_case cases[] = {
    TEST_CASE(changes_give_the_same_bits_at_every_slicing),
    TEST_CASE(a_change_inside_of_a_frame_takes_effect_when_the_frame_ends),
    TEST_CASE(the_newest_change_inside_of_a_frame_counts),
    TEST_CASE(frames_pay_for_changes),
    TEST_CASE(changes_survive_copies_and_verification_inside_of_a_frame),
    TEST_CASE(a_change_that_waits_for_no_item_is_a_fault_of_a_block),
    TEST_CASE(a_rewind_brings_back_the_settings_of_its_frame),
    TEST_CASE(a_rate_alone_keeps_all_other_settings),
    TEST_CASE(a_valve_keeps_the_fraction_of_a_birth_and_the_random_numbers),
    TEST_CASE(bursts_and_totals_count_what_was_born_before),
    TEST_CASE(a_total_below_the_births_recycles_no_particle),
    TEST_CASE(a_collider_bounces_and_blocks_as_its_last_settings_say),
    TEST_CASE(what_may_not_change_is_refused_and_named),
    TEST_CASE(a_body_feels_the_new_friction_of_its_collider),
    TEST_CASE(the_collider_of_a_body_keeps_its_shape),
    TEST_CASE(a_world_without_takes_changes_refuses_all_and_costs_nothing),
    TEST_CASE(meshes_and_samples_stay),
};
TEST_SUITE(live, cases);
