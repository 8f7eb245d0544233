/* SPDX-License-Identifier: MIT
   tests/unit/test_word_group.c - groups: particles with a word of their emitter are pushed, moved
           and removed together.
   reads   runtime/world/particle.c, step/birth.c      writes  nothing
   memory  small worlds      cost    a second
   after   sums and distances in double precision; edits by ids */
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <string.h>

#define BLUE 0x10u
#define RED  0x20u
#define MOST 200u

static tp_world_def group_definition(uint32_t dimensions, bool keeps_words)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = MOST;
    def.species_count = 2;
    def.species[1].mass = 2.5f;
    def.keeps_words = keeps_words;
    def.keeps_last_frame = true;
    def.slice_units = 64;
    return def;
}

/* Two taps, of 40 blue and 30 red particles, and 20 particles of no tap, in free flight. */
static test_world group_make(const tp_world_def *def)
{
    test_world made = test_world_make(def);
    for (uint32_t k = 0; k < 2; k++) {
        tp_emitter_def tap = tp_emitter_default();
        tp_emitter emitter;
        tap.shape = TP_EMITTER_BOX;
        tap.size = (tp_vector){0.3f, 0.3f, def->dimensions == 3 ? 0.3f : 0};
        tap.pose.position = (tp_vector){2.0f * (float)k, 1, 0};
        tap.burst_count = k ? 30 : 40;
        tap.species = k;
        tap.velocity = (tp_vector){0.1f, 0.2f, 0};
        tap.velocity_jitter = 0.3f;
        tap.word = !def->keeps_words ? 0u : k ? RED | 3u : BLUE | 1u;
        CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
    }
    for (uint32_t i = 0; i < 20; i++)
        CHECK(tp_particle_add(made.world, (tp_vector){5, 0.1f * (float)i, 0}, (tp_vector){0, 0, 0},
                              i % 2, NULL) == TP_OK);
    test_world_frames(made.world, 5);
    CHECK_EQ(tp_world_view(made.world).count, 90);
    return made;
}

static uint32_t group_members(const tp_world *world, tp_group group)
{
    tp_view v = tp_world_view(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < v.count; i++) count += (v.word[i] & group.mask) == group.word;
    return count;
}

static bool is_same_vector(tp_vector a, tp_vector b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Sums in double precision are the oracle. */
static void group_check_measure(const tp_world *world, tp_group group)
{
    tp_view v = tp_world_view(world);
    tp_group_report found;
    double mass = 0, center[3] = {0, 0, 0}, velocity[3] = {0, 0, 0};
    float low = 1e9f, high = -1e9f;
    uint32_t count = 0;
    CHECK(tp_group_measure(world, group, &found) == TP_OK);
    for (uint32_t i = 0; i < v.count; i++) {
        if ((v.word[i] & group.mask) != group.word) continue;
        double m = TP_META_SPECIES(v.meta[i]) ? 2.5 : 1;
        mass += m;
        count++;
        center[0] += m * (double)v.x[i];
        center[1] += m * (double)v.y[i];
        center[2] += v.z ? m * (double)v.z[i] : 0;
        velocity[0] += m * (double)v.vx[i];
        velocity[1] += m * (double)v.vy[i];
        velocity[2] += v.vz ? m * (double)v.vz[i] : 0;
        low = fminf(low, v.x[i]);
        high = fmaxf(high, v.y[i]);
    }
    test_note("group %x of %x: %u particles", group.word, group.mask, count);
    CHECK_EQ(found.count, count);
    CHECK_NEAR(found.mass, mass, 1e-5);
    CHECK_NEAR(found.center.x, center[0] / mass, 1e-5);
    CHECK_NEAR(found.center.y, center[1] / mass, 1e-5);
    CHECK_NEAR(found.center.z, center[2] / mass, 1e-5);
    CHECK_NEAR(found.velocity.x, velocity[0] / mass, 1e-5);
    CHECK_NEAR(found.velocity.y, velocity[1] / mass, 1e-5);
    CHECK_NEAR(found.velocity.z, velocity[2] / mass, 1e-5);
    CHECK(found.low.x == low && found.high.y == high);
}

static void a_measure_is_that_of_the_particles_of_a_group(void)
{
    for (uint32_t d = 2; d <= 3; d++) {
        const tp_group_report none = {0};
        tp_world_def def = group_definition(d, true);
        test_world made = group_make(&def);
        tp_group_report found;
        uint64_t hash = tp_world_hash(made.world);
        group_check_measure(made.world, (tp_group){0xf0u, BLUE});
        group_check_measure(made.world, (tp_group){0xf0u, RED});
        group_check_measure(made.world, (tp_group){0x01u, 1u});
        group_check_measure(made.world, (tp_group){0, 0});
        CHECK(tp_group_measure(made.world, (tp_group){0xf0u, 0x70u}, &found) == TP_OK);
        CHECK(memcmp(&found, &none, sizeof found) == 0);
        CHECK(tp_group_measure(made.world, (tp_group){0x0fu, RED}, &found) == TP_ERROR_DEFINITION);
        CHECK(tp_group_measure(NULL, (tp_group){0, 0}, &found) == TP_ERROR_NULL);
        CHECK(tp_group_measure(made.world, (tp_group){0, 0}, NULL) == TP_ERROR_NULL);
        /* one particle: its own position, to the last bit */
        const tp_vector at = {-0.1f, 7.7f, d == 3 ? 1e-7f : 0};
        uint32_t id;
        CHECK(tp_world_hash(made.world) == hash);
        CHECK(tp_particle_add(made.world, at, at, 0, &id) == TP_OK);
        CHECK(tp_particles_word(made.world, &id, &(uint32_t){0x700u}, 1, NULL) == TP_OK);
        CHECK(tp_group_measure(made.world, (tp_group){0x700u, 0x700u}, &found) == TP_OK);
        CHECK(found.count == 1 && is_same_vector(found.center, at) &&
              is_same_vector(found.velocity, at) && is_same_vector(found.low, at));
        test_world_free(&made);
    }
}

static void births_have_the_word_of_their_emitter(void)
{
    tp_world_def def = group_definition(2, true);
    test_world made = group_make(&def);
    tp_view v = tp_world_view(made.world);
    for (uint32_t i = 0; i < v.count; i++) {
        static const uint32_t words[3] = {0, BLUE | 1u, RED | 3u};
        CHECK_EQ(v.word[i], words[TP_META_EMITTER(v.meta[i])]);
    }
    CHECK_EQ(group_members(made.world, (tp_group){0xf0u, BLUE}), 40);
    CHECK_EQ(group_members(made.world, (tp_group){0x01u, 1u}), 70);
    CHECK_EQ(group_members(made.world, (tp_group){0, 0}), 90);
    test_world_free(&made);
}

/* A copy of the particles, by id. */
typedef struct group_copy {
    tp_vector x[MOST], v[MOST];
    uint32_t word[MOST], species[MOST];
} group_copy;

static void group_keep(const tp_world *world, group_copy *copy)
{
    tp_view v = tp_world_view(world);
    for (uint32_t i = 0; i < v.count; i++) {
        copy->x[v.id[i]] = (tp_vector){v.x[i], v.y[i], v.z ? v.z[i] : 0};
        copy->v[v.id[i]] = (tp_vector){v.vx[i], v.vy[i], v.vz ? v.vz[i] : 0};
        copy->word[v.id[i]] = v.word[i];
        copy->species[v.id[i]] = TP_META_SPECIES(v.meta[i]);
    }
}

static void an_impulse_is_the_momentum_that_a_group_gains(void)
{
    tp_world_def def = group_definition(3, true);
    test_world made = group_make(&def);
    static group_copy before, after;
    const tp_group odd = {1u, 1u}; /* of both species */
    double gained[3] = {0, 0, 0};
    uint32_t count = 0;
    float x[MOST], y[MOST], z[MOST], xx[MOST], yy[MOST], zz[MOST];
    CHECK(tp_world_between(made.world, 0.3f, 0, 90, x, y, z) == TP_OK);
    group_keep(made.world, &before);
    CHECK(tp_group_impulse(made.world, odd, (tp_vector){10, -4, 2}, &count) == TP_OK);
    group_keep(made.world, &after);
    CHECK_EQ(count, 70);
    for (uint32_t id = 0; id < 90; id++) {
        double mass = (double)def.species[after.species[id]].mass;
        CHECK(is_same_vector(before.x[id], after.x[id]));
        if (!(after.word[id] & 1u)) CHECK(is_same_vector(before.v[id], after.v[id]));
        if (after.word[id] & 1u) /* 40 of 1 kg and 30 of 2.5 kg */
            CHECK_NEAR((double)after.v[id].x - (double)before.v[id].x, 10.0 / 115, 1e-6);
        gained[0] += mass * ((double)after.v[id].x - (double)before.v[id].x);
        gained[1] += mass * ((double)after.v[id].y - (double)before.v[id].y);
        gained[2] += mass * ((double)after.v[id].z - (double)before.v[id].z);
    }
    CHECK_NEAR(gained[0], 10, 1e-4);
    CHECK_NEAR(gained[1], -4, 1e-4);
    CHECK_NEAR(gained[2], 2, 1e-4);
    CHECK(tp_world_between(made.world, 0.3f, 0, 90, xx, yy, zz) == TP_OK);
    CHECK(memcmp(x, xx, 90 * sizeof x[0]) == 0); /* pictures go on */
    test_world_free(&made);
}

static void a_group_moves_as_a_rigid_body(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = group_definition(dimensions, true);
        test_world made = group_make(&def);
        static group_copy before, after;
        /* a quarter turn about z */
        tp_pose move = {{3, -1, 0.5f}, {0.70710678f, 0, 0, 0.70710678f}};
        tp_vector center = {2, 1, 0};
        uint32_t count = 0;
        group_keep(made.world, &before);
        CHECK(tp_group_move(made.world, (tp_group){0xf0u, RED}, center, move, &count) == TP_OK);
        group_keep(made.world, &after);
        CHECK_EQ(count, 30);
        for (uint32_t id = 0; id < 90; id++) {
            tp_vector x = before.x[id], v = before.v[id];
            if ((before.word[id] & 0xf0u) != RED) {
                CHECK(is_same_vector(x, after.x[id]) && is_same_vector(v, after.v[id]));
                continue;
            }
            CHECK_NEAR((double)after.x[id].x, (double)(center.x - (x.y - center.y) + 3), 1e-5);
            CHECK_NEAR((double)after.x[id].y, (double)(center.y + (x.x - center.x) - 1), 1e-5);
            CHECK_NEAR((double)after.x[id].z, dimensions == 3 ? (double)x.z + 0.5 : 0, 1e-5);
            CHECK_NEAR((double)after.v[id].x, (double)-v.y, 1e-5);
            CHECK_NEAR((double)after.v[id].y, (double)v.x, 1e-5);
        }
        test_world_frames(made.world, 3);
        test_world_free(&made);
    }
}

static void removing_a_group_is_removing_its_ids(void)
{
    tp_world_def def = group_definition(2, true);
    test_world one = group_make(&def), two = group_make(&def);
    tp_view v = tp_world_view(one.world);
    uint32_t ids[MOST], count = 0, removed = 0;
    for (uint32_t id = 0; id < 90; id++)
        for (uint32_t i = 0; i < v.count; i++)
            if (v.id[i] == id && (v.word[i] & 0xf0u) == BLUE) ids[count++] = id;
    tp_budget budget = {.units = 300};
    CHECK(tp_frame(two.world, &budget, NULL) == TP_MORE); /* also during a step */
    CHECK(tp_particles_remove(one.world, ids, count, NULL) == TP_OK);
    CHECK(tp_group_remove(two.world, (tp_group){0xf0u, BLUE}, &removed) == TP_OK);
    CHECK_EQ(removed, 40);
    CHECK_EQ(tp_world_report(one.world).died, tp_world_report(two.world).died);
    budget = (tp_budget){.is_same_frame = true};
    CHECK(tp_frame(two.world, &budget, NULL) == TP_OK);
    test_world_frames(one.world, 4);
    test_world_frames(two.world, 3);
    CHECK(tp_world_hash(one.world) == tp_world_hash(two.world));
    test_world_free(&one);
    test_world_free(&two);
}

/* The storage of a restored world may have another order: a block that was edited by ids has. */
static void the_order_of_the_storage_changes_no_bit(void)
{
    tp_world_def def = group_definition(2, true);
    uint64_t hashes[2];
    for (uint32_t k = 0; k < 2; k++) {
        def.slice_units = k ? 64 : 65536;
        def.sph.stores_neighbours = k;
        test_world made = group_make(&def);
        CHECK(tp_group_impulse(made.world, (tp_group){1u, 1u}, (tp_vector){7, 3, 0}, NULL) ==
              TP_OK);
        test_world_frames(made.world, 2);
        hashes[k] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK(hashes[0] == hashes[1]);
}

static void wrong_groups_are_refused_without_effect(void)
{
    tp_world_def def = group_definition(2, true);
    test_world made = group_make(&def);
    const tp_group red = {0xf0u, RED}, none = {0xf0u, 0x70u}, wrong = {0x0fu, RED};
    const tp_vector zero = {0, 0, 0}, far = {2e9f, 0, 0}, nothing = {NAN, 0, 0};
    tp_pose stay = {{0, 0, 0}, {1, 0, 0, 0}}, away = stay, long_turn = stay, tilt = stay;
    uint32_t count = 9;
    uint64_t hash = tp_world_hash(made.world);
    away.position = far;
    long_turn.rotation.w = 2;
    tilt.rotation = (tp_quaternion){0, 1, 0, 0};
    CHECK(tp_group_impulse(made.world, wrong, zero, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_impulse(made.world, red, nothing, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_impulse(made.world, red, (tp_vector){3e38f, 0, 0}, &count) ==
          TP_ERROR_DEFINITION);
    CHECK(tp_group_move(made.world, wrong, zero, stay, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_move(made.world, red, nothing, stay, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_move(made.world, red, zero, away, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_move(made.world, red, zero, long_turn, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_move(made.world, red, zero, tilt, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_remove(made.world, wrong, &count) == TP_ERROR_DEFINITION);
    CHECK(tp_group_remove(NULL, red, &count) == TP_ERROR_NULL);
    CHECK_EQ(count, 9);
    CHECK(tp_group_impulse(made.world, none, (tp_vector){1, 0, 0}, &count) == TP_OK);
    CHECK_EQ(count, 0);
    CHECK(tp_group_move(made.world, none, zero, stay, &count) == TP_OK);
    CHECK(tp_group_remove(made.world, none, NULL) == TP_OK);
    CHECK(tp_world_hash(made.world) == hash);
    CHECK_EQ(tp_world_report(made.world).steps_restarted, 0);
    test_world_free(&made);
    def = group_definition(2, false);
    made = group_make(&def);
    CHECK(tp_group_remove(made.world, (tp_group){0, 0}, NULL) == TP_ERROR_DEFINITION);
    tp_emitter_def tap = tp_emitter_default();
    CHECK(tp_emitter_check(made.world, &tap) == NULL);
    tap.word = 1;
    CHECK(strstr(tp_emitter_check(made.world, &tap), "word") != NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(births_have_the_word_of_their_emitter),
    TEST_CASE(a_measure_is_that_of_the_particles_of_a_group),
    TEST_CASE(an_impulse_is_the_momentum_that_a_group_gains),
    TEST_CASE(a_group_moves_as_a_rigid_body),
    TEST_CASE(removing_a_group_is_removing_its_ids),
    TEST_CASE(the_order_of_the_storage_changes_no_bit),
    TEST_CASE(wrong_groups_are_refused_without_effect),
};
TEST_SUITE(word_group, cases);
