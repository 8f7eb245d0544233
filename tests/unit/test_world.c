/* SPDX-License-Identifier: MIT
   tests/unit/test_world.c - blocks: sizes, guards, snapshots, hostile definitions, independence.
   reads   runtime/world, runtime/memory      writes  nothing
   memory  small worlds                       cost    below a second
   after   runtime/guide/design.md, memory */
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tp_world_def fluid_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.substeps.count = 2;
    return def;
}

static void fill_block(tp_world *world, uint32_t count, float spacing)
{
    uint32_t dimensions = tp_world_definition(world)->dimensions;
    uint32_t side = dimensions == 2 ? (uint32_t)ceilf(sqrtf((float)count))
                                    : (uint32_t)ceilf(cbrtf((float)count));
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = {0.1f + spacing * (float)(i % side),
                        0.1f + spacing * (float)(i / side % side),
                        dimensions == 3 ? 0.1f + spacing * (float)(i / side / side) : 0.0f};
        CHECK(tp_particle_add(world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
}

static test_world fluid_world(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = fluid_def(dimensions, particles);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){4, 4, 4});
    fill_block(made.world, particles, 0.11f);
    return made;
}

static void one_byte_short_is_refused_and_nothing_is_written(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (uint32_t particles = 1; particles < 2000; particles = particles * 3 + 1) {
            tp_world_def def = fluid_def(dimensions, particles);
            size_t bytes = 0;
            tp_world *world = NULL;
            CHECK(tp_world_memory(&def, &bytes) == TP_OK);
            unsigned char *block = aligned_alloc(16, (bytes + 31u) / 16u * 16u);
            memset(block, 0x5a, bytes);
            CHECK(tp_world_create(&def, block, bytes - 1, &world) == TP_ERROR_MEMORY &&
                  world == NULL);
            for (size_t b = 0; b < bytes; b++)
                if (block[b] != 0x5a) CHECK_NEVER("a refused block was written to");
            CHECK(tp_world_create(&def, block, bytes, &world) == TP_OK);
            CHECK(tp_world_create(&def, block + 4, bytes, &world) == TP_ERROR_ALIGNMENT);
            free(block);
        }
}

static void guard_bytes_survive_a_run(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        test_world made = fluid_world(dimensions, 300);
        test_world_frames(made.world, 20);
        test_world_free(&made);
    }
}

static void static_size_macro_is_an_upper_bound(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (uint32_t stores = 0; stores <= 1; stores++)
            for (uint32_t particles = 1; particles < 300000; particles = particles * 2 + 7)
                for (uint32_t pools = 0; pools <= 24; pools += 8) {
                    tp_world_def def = fluid_def(dimensions, particles);
                    size_t bytes = 0;
                    def.sph.stores_neighbours = stores != 0;
                    def.emitters_max = def.sinks_max = def.fields_max = def.colliders_max = pools;
                    def.geometry_bytes_max = particles % 1000;
                    def.substeps.is_adaptive = true;
                    def.pool_policy = TP_POOL_RECYCLE;
                    CHECK(tp_world_memory(&def, &bytes) == TP_OK);
                    size_t bound =
                        TP_WORLD_BYTES(dimensions, particles, stores ? def.sph.neighbours_max : 0u,
                                       4u * pools, def.geometry_bytes_max);
                    if (bound < bytes) CHECK_EQ(bound, bytes);
                    if (particles > 10000) CHECK((double)bound < 1.35 * (double)bytes);
                }
}

/* Every part that has no capacity of its own. */
static void one_macro_is_enough_for_any_fluid(void)
{
    for (uint32_t run = 0; run < 16; run++)
        for (uint32_t particles = 1; particles < 300000; particles = particles * 2 + 7)
            for (uint32_t pools = 1; pools <= 20; pools += 19) {
                tp_world_def def = fluid_def(2 + run % 2, particles);
                size_t bytes = 0;
                def.sph.formulation = (tp_sph_formulation)(run / 2 % 4);
                def.sph.stores_neighbours = run < 8;
                def.emitters_max = def.sinks_max = def.fields_max = def.colliders_max = pools;
                def.bodies_max = pools;
                def.heat.range = 100;
                def.sph.viscosity = def.sph.cohesion = 0.01f;
                def.species[0].cohesion = 0.5f;
                def.takes_changes = def.keeps_words = def.keeps_last_frame = true;
                def.keeps_curves = true;
                def.measures_loads = true;
                def.substeps.count_max = 101;
                def.sph.timestep_max = tp_sph_timestep_limit(&def);
                const char *fault = tp_world_check(&def);
                test_note("%s", fault ? fault : "");
                CHECK(tp_world_memory(&def, &bytes) == TP_OK);
                size_t bound = TP_FLUID_BYTES(def.dimensions, particles,
                                              run < 8 ? def.sph.neighbours_max : 0, 4 * pools);
                if (bound < bytes) CHECK_EQ(bound, bytes);
                CHECK_EQ(bound % 16, 0);
                if (particles > 10000) CHECK((double)bound < 1.5 * (double)bytes);
            }
}

static void static_size_macros_are_upper_bounds_for_pairs(void)
{
    for (uint32_t run = 0; run < 8; run++)
        for (uint32_t particles = 1; particles < 300000; particles = particles * 2 + 7) {
            tp_world_def def = tp_world_default(2 + run % 2);
            size_t bytes = 0;
            def.solver = TP_SOLVER_PAIR;
            def.integrator = TP_INTEGRATOR_KDK;
            def.particles_max = particles;
            def.frames_per_second_numerator = 200;
            def.pair.stores_neighbours = run / 2 % 2;
            def.pair.potential = run / 4 ? TP_POTENTIAL_HARD_SPHERE : TP_POTENTIAL_LENNARD_JONES;
            CHECK(tp_world_memory(&def, &bytes) == TP_OK);
            uint32_t pools = def.emitters_max + def.sinks_max + def.fields_max + def.colliders_max;
            uint32_t neighbours = def.pair.stores_neighbours ? def.pair.neighbours_max : 0;
            size_t bound = TP_WORLD_BYTES(def.dimensions, particles, neighbours, pools, 0);
            if (neighbours) bound += TP_PAIR_BYTES(particles);
            if (run / 4) bound += TP_HARD_SPHERE_BYTES(particles);
            if (bound < bytes) CHECK_EQ(bound, bytes);
            double slack = 1.35;
            if (particles > 10000) CHECK((double)bound < slack * (double)bytes);
        }
}

/* The targets per particle: 177 bytes (2D) and 300 (3D) with neighbours, 75 and 95 compact, without
   pools and times of births, which take four more. */
static void bytes_a_particle_are_within_the_target(void)
{
    static const double targets[2][2] = {{75.0, 95.0}, {177.0, 300.0}};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (uint32_t stores = 0; stores <= 1; stores++) {
            tp_world_def def = fluid_def(dimensions, 20000);
            size_t bytes = 0;
            def.sph.stores_neighbours = stores != 0;
            size_t usual = 0;
            CHECK(tp_world_memory(&def, &usual) == TP_OK);
            def.keeps_births = false;
            CHECK(tp_world_memory(&def, &bytes) == TP_OK);
            CHECK(usual <= bytes + 4 * 20000 + 16);
            test_note("%u dimensions, stores %u: %.1f bytes a particle", dimensions, stores,
                      (double)bytes / 20000.0);
            CHECK((double)bytes / 20000.0 <= targets[stores][dimensions - 2]);
        }
}

static void parts_add_up_to_the_size(void)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    tp_world_def def = fluid_def(3, 777);
    uint32_t count = 0;
    size_t bytes = 0, sum = 0;
    def.geometry_bytes_max = 1000;
    def.pool_policy = TP_POOL_RECYCLE;
    def.substeps.is_adaptive = true;
    CHECK(tp_world_memory(&def, &bytes) == TP_OK &&
          tp_world_memory_parts(&def, parts, &count) == TP_OK);
    for (uint32_t p = 0; p < count; p++) sum += parts[p].bytes;
    CHECK_EQ(sum, bytes);
    CHECK(count < TP_MEMORY_PARTS_MAX);
}

/* A fluid with every feature has most parts. */
static void parts_of_a_fluid_with_everything_are_all_named(void)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    tp_world_def def = fluid_def(3, 777);
    uint32_t count = 0;
    size_t bytes = 0, sum = 0;
    def.sph.formulation = TP_SPH_INCOMPRESSIBLE;
    def.sph.viscosity = 0.01f;
    def.sph.cohesion = 0.1f;
    def.heat.range = 100;
    def.heat.diffusivity = 0.01f;
    def.links_max = 20;
    def.bodies_max = 2;
    def.geometry_bytes_max = 1000;
    def.events_max = 16;
    def.event_kinds = 63;
    def.feeds_max = 4;
    def.pool_policy = TP_POOL_RECYCLE;
    def.substeps.is_adaptive = true;
    def.keeps_births = def.measures_loads = def.takes_changes = def.keeps_words =
        def.keeps_last_frame = def.keeps_curves = true;
    const char *problem = tp_world_check(&def);
    test_note("%s", problem ? problem : "a good definition");
    CHECK(tp_world_memory(&def, &bytes) == TP_OK &&
          tp_world_memory_parts(&def, parts, &count) == TP_OK);
    for (uint32_t p = 0; p < count; p++) sum += parts[p].bytes;
    test_note("%u parts", count);
    CHECK_EQ(sum, bytes);
    CHECK(count < TP_MEMORY_PARTS_MAX);
}

/* Bytes of an item of a pool, in the parts of a definition's block. */
static uint32_t item_bytes(const tp_world_def *def, const char *pool)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    uint32_t count = 0;
    CHECK(tp_world_memory_parts(def, parts, &count) == TP_OK);
    for (uint32_t p = 0; p < count; p++)
        if (strcmp(parts[p].name, pool) == 0) return parts[p].bytes / parts[p].count;
    CHECK(false);
    return 0;
}

/* Settings of a feature are bytes only in worlds that ask for it. The limits are those of items
   before emitters were fed by events and fields had curves. */
static void features_that_are_off_take_no_bytes_of_items(void)
{
    tp_world_def off = tp_world_default(2);
    off.emitters_max = off.fields_max = 16; /* parts are rounded up to 16 bytes */
    tp_world_def feeds = off, curves = off;
    feeds.feeds_max = 1;
    curves.keeps_curves = true;
    CHECK(item_bytes(&off, "emitters") <= 352);
    CHECK(item_bytes(&off, "fields") <= 144);
    CHECK_EQ(item_bytes(&feeds, "emitters") - item_bytes(&off, "emitters"), 32);
    CHECK_EQ(item_bytes(&curves, "fields") - item_bytes(&off, "fields"), 2 * sizeof(tp_curve));
    CHECK_EQ(item_bytes(&curves, "emitters"), item_bytes(&off, "emitters"));
    CHECK_EQ(item_bytes(&feeds, "fields"), item_bytes(&off, "fields"));
}

/* A copy at another address, also taken in the middle of a step. */
static void snapshot_by_memcpy_resumes_to_the_same_bits(void)
{
    test_world made = fluid_world(2, 400);
    tp_budget budget = {.units = 7001};
    for (uint32_t f = 0; f < 7; f++) CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    CHECK(made.world->step.active);
    void *copy = aligned_alloc(16, (made.bytes + 15u) / 16u * 16u);
    memcpy(copy, made.world, made.bytes);
    tp_world *other = tp_world_at(copy, made.bytes);
    CHECK(other != NULL && tp_world_at(copy, made.bytes - 1) == NULL);
    for (uint32_t f = 0; f < 10 && other; f++) {
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
        CHECK(tp_frame(other, &budget, NULL) >= TP_OK);
        CHECK_EQ(tp_world_hash(other), tp_world_hash(made.world));
        CHECK(memcmp(other, made.world, made.bytes) == 0);
    }
    free(copy);
    test_world_free(&made);
}

static void equal_worlds_match_and_a_third_changes_nothing(void)
{
    test_world a = fluid_world(2, 200), b = fluid_world(2, 200), c = fluid_world(3, 100);
    for (uint32_t f = 0; f < 20; f++) {
        test_world_frames(a.world, 1);
        test_world_frames(c.world, f % 3);
        test_world_frames(b.world, 1);
        CHECK_EQ(tp_world_hash(a.world), tp_world_hash(b.world));
    }
    test_world_free(&a);
    test_world_free(&b);
    test_world_free(&c);
}

static void reader_sees_the_last_complete_step_only(void)
{
    test_world made = fluid_world(2, 300);
    test_world_frames(made.world, 3);
    uint64_t steps = tp_world_report(made.world).steps, hash = tp_world_hash(made.world);
    tp_budget budget = {.units = 500};
    uint32_t inside = 0;
    for (uint32_t f = 0; f < 400; f++) {
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
        if (tp_world_report(made.world).steps == steps) {
            CHECK_EQ(tp_world_hash(made.world), hash);
            inside++;
        }
        steps = tp_world_report(made.world).steps;
        hash = tp_world_hash(made.world);
    }
    CHECK(inside > 300);
    test_world_free(&made);
}

/* An edit takes effect when a frame begins: the hash changes with the first step that uses it. */
static void the_hash_stands_still_while_a_step_is_in_progress(void)
{
    test_world made = fluid_world(2, 300);
    tp_collider ball;
    tp_collider_def def = tp_collider_default(TP_COLLIDER_SPHERE);
    def.pose.position = (tp_vector){2, 2, 0};
    CHECK(tp_collider_add(made.world, &def, &ball) == TP_OK);
    tp_emitter jet;
    tp_emitter_def drops = tp_emitter_default();
    drops.rate_numerator = 30;
    CHECK(tp_emitter_add(made.world, &drops, &jet) == TP_OK);
    tp_budget budget = {.units = 2500, .frames_max = 1};
    tp_report report = tp_world_report(made.world);
    uint64_t steps = report.steps, frames = report.frames, hash = 0;
    uint32_t inside = 0;
    for (uint32_t call = 0; call < 1200; call++) {
        if (call == 0 || report.frames != frames) {
            frames = report.frames;
            def.pose.position.x = drops.pose.position.x = 1.0f + 0.05f * (float)(frames % 7u);
            CHECK(tp_collider_move(made.world, ball, def.pose) == TP_OK);
            CHECK(tp_emitter_move(made.world, jet, drops.pose) == TP_OK);
            hash = tp_world_hash(made.world);
        }
        CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
        test_note("call %u, frame %llu, step %llu", call, (unsigned long long)frames,
                  (unsigned long long)steps);
        if (report.steps == steps) CHECK_EQ(tp_world_hash(made.world), hash);
        if (report.steps == steps) inside++;
        steps = report.steps;
        hash = tp_world_hash(made.world);
    }
    CHECK(inside > 300 && report.frames > 5);
    test_world_free(&made);
}

/* Under both policies: only emitters make room for births by recycling. */
static void particle_pool_at_its_limits(void)
{
    for (uint32_t capacity = 1; capacity <= 5; capacity++) {
        tp_world_def def = fluid_def(2, capacity);
        def.pool_policy = capacity % 2 ? TP_POOL_REFUSE : TP_POOL_RECYCLE;
        test_world made = test_world_make(&def);
        test_world_frames(made.world, 1); /* with 0 particles */
        for (uint32_t i = 0; i < capacity; i++) {
            tp_vector at = {(float)i * 0.1f, 0, 0};
            CHECK(tp_particle_add(made.world, at, at, 0, NULL) == TP_OK);
            test_world_frames(made.world, 1);
        }
        CHECK(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL) ==
              TP_ERROR_FULL);
        test_world_frames(made.world, 2);
        tp_report report = tp_world_report(made.world);
        CHECK_EQ(report.pools[TP_POOL_PARTICLES].refused, 1);
        CHECK_EQ(report.pools[TP_POOL_PARTICLES].peak, capacity);
        CHECK_EQ(report.particles, capacity);
        CHECK_EQ(report.recycled, 0);
        test_world_free(&made);
    }
}

/* Random bytes: most are refused with a text; the few that pass must make a world that works. */
static void hostile_definitions_give_a_sentence_and_no_crash(void)
{
    uint32_t state = 4242, refused = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        tp_world_def def = fluid_def(2 + n % 2, 50);
        unsigned char *bytes = (unsigned char *)&def;
        uint32_t hits = 1 + (uint32_t)(test_random(&state) * 6.0f);
        for (uint32_t h = 0; h < hits; h++) {
            size_t word = sizeof def.stamp +
                          (size_t)(test_random(&state) * (float)(sizeof def - 8)) / 4u * 4u;
            static const uint32_t values[] = {0,           1,           2,           0xffffffffu,
                                              0x7fc00000u, 0x7f800000u, 0xff800000u, 0x80000000u,
                                              0x3f800000u, 65536u};
            uint32_t value = values[(uint32_t)(test_random(&state) * 10.0f)];
            if (test_random(&state) < 0.3f) value = (uint32_t)(test_random(&state) * 4294967040.0f);
            if (word >= offsetof(tp_world_def, keeps_births) &&
                word < offsetof(tp_world_def, speed_max))
                value &= 1u;
            memcpy(bytes + word, &value, 4);
        }
        const char *text = tp_world_check(&def);
        size_t size = 0;
        tp_result result = tp_world_memory(&def, &size);
        CHECK((text == NULL) == (result == TP_OK) || (result == TP_ERROR_DEFINITION && size == 0));
        if (result != TP_OK) {
            refused++;
            CHECK(!text || strlen(text) > 10);
            continue;
        }
        if (size > 4u << 20) continue;
        test_world made = test_world_make(&def);
        for (uint32_t i = 0; i < 20 && i < def.particles_max; i++)
            CHECK(tp_particle_add(made.world, (tp_vector){0.05f * (float)i, 0, 0},
                                  (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
        tp_budget budget = {.units = 20000};
        for (uint32_t f = 0; f < 3; f++) CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
        test_world_free(&made);
    }
    CHECK(refused > 200);
}

/* Offsets are 32-bit words: a definition that does not fit is refused with the fields that cost
   most; others are accepted. */
static void definitions_above_4_gib_are_named(void)
{
    tp_world_def def = fluid_def(3, 16777215);
    size_t bytes = 1;
    def.sph.neighbours_max = 255;
    const char *text = tp_world_check(&def);
    CHECK(text && strstr(text, "particles_max") && strstr(text, "sph.neighbours_max"));
    CHECK(tp_world_memory(&def, &bytes) == TP_ERROR_DEFINITION && bytes == 0);
    def.sph.stores_neighbours = false;
    CHECK(tp_world_check(&def) == NULL && tp_world_memory(&def, &bytes) == TP_OK);
    def.sph.stores_neighbours = true;
    for (def.particles_max = 6000000; def.particles_max < 16000000; def.particles_max += 250000) {
        tp_result result = tp_world_memory(&def, &bytes);
        CHECK((tp_world_check(&def) == NULL) == (result == TP_OK));
        CHECK(result == TP_OK || bytes == 0);
    }
}

static void missing_default_call_is_caught(void)
{
    tp_world_def def;
    size_t bytes;
    memset(&def, 0, sizeof def);
    CHECK(tp_world_memory(&def, &bytes) == TP_ERROR_STAMP);
    CHECK(tp_world_check(NULL) != NULL && tp_world_memory(NULL, &bytes) == TP_ERROR_NULL);
    CHECK(strstr(tp_result_text(TP_ERROR_CONTRACTION), "-ffp-contract=off") != NULL);
    CHECK(tp_frame(NULL, NULL, NULL) == TP_ERROR_NULL && tp_world_hash(NULL) == 0);
}

/* A slower limit would be rounded to no impulse. At the limit, two of the lightest spheres still
   exchange momentum. */
static void the_slowest_speed_limit_lets_hard_spheres_collide(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.frames_per_second_numerator = 200;
    def.particles_max = 2;
    def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def.species[0].mass = 1e-6f;
    for (int k = 0; k < 3; k++) {
        static const float bad[] = {1e-13f, -1.0f, 1e-40f};
        def.speed_max = bad[k];
        CHECK(strcmp(tp_world_check(&def), "speed_max must be 0, or 1e-12 to 1e6") == 0);
    }
    def.speed_max = 1e-12f;
    test_world made = test_world_make(&def);
    float sigma = def.species[0].sigma;
    CHECK(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){1e-12f, 0, 0}, 0, NULL) ==
          TP_OK);
    CHECK(tp_particle_add(made.world, (tp_vector){sigma * 0.999f, 0, 0}, (tp_vector){-1e-12f, 0, 0},
                          0, NULL) == TP_OK);
    test_world_frames(made.world, 2);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK_NEAR(view.vx[i], view.id[i] ? 1e-12 : -1e-12, 1e-18);
    test_world_free(&made);
}

static const test_case cases[] = {TEST_CASE(one_byte_short_is_refused_and_nothing_is_written),
                                  TEST_CASE(the_slowest_speed_limit_lets_hard_spheres_collide),
                                  TEST_CASE(guard_bytes_survive_a_run),
                                  TEST_CASE(static_size_macro_is_an_upper_bound),
                                  TEST_CASE(one_macro_is_enough_for_any_fluid),
                                  TEST_CASE(static_size_macros_are_upper_bounds_for_pairs),
                                  TEST_CASE(bytes_a_particle_are_within_the_target),
                                  TEST_CASE(parts_add_up_to_the_size),
                                  TEST_CASE(parts_of_a_fluid_with_everything_are_all_named),
                                  TEST_CASE(features_that_are_off_take_no_bytes_of_items),
                                  TEST_CASE(snapshot_by_memcpy_resumes_to_the_same_bits),
                                  TEST_CASE(equal_worlds_match_and_a_third_changes_nothing),
                                  TEST_CASE(reader_sees_the_last_complete_step_only),
                                  TEST_CASE(the_hash_stands_still_while_a_step_is_in_progress),
                                  TEST_CASE(particle_pool_at_its_limits),
                                  TEST_CASE(hostile_definitions_give_a_sentence_and_no_crash),
                                  TEST_CASE(definitions_above_4_gib_are_named),
                                  TEST_CASE(missing_default_call_is_caught)};
TEST_SUITE(world, cases);
