/* SPDX-License-Identifier: MIT
   tests/unit/test_emit_definitions.c - definitions of emitters and sinks: faults by name, limits,
           bytes.
   reads   runtime/emit      writes  nothing
   memory  small worlds      cost    below a second
   after   runtime/guide/design.md, errors: a text names the field and the remedy */
#include "test.h"
#include "emit_help.h"
#include <math.h>
#include <string.h>

static void each_wrong_field_of_an_emitter_is_named(void)
{
    static const struct {
        size_t offset;
        float value;
        const char *name;
    } rows[] = {{offsetof(tp_emitter_def, pose), NAN, "pose"},
                {offsetof(tp_emitter_def, pose.rotation.w), 0.0f, "pose"},
                {offsetof(tp_emitter_def, size), -1.0f, "size"},
                {offsetof(tp_emitter_def, velocity.y), INFINITY, "velocity"},
                {offsetof(tp_emitter_def, velocity_jitter), -1.0f, "velocity_jitter"},
                {offsetof(tp_emitter_def, position_jitter), NAN, "position_jitter"},
                {offsetof(tp_emitter_def, inherit), 1.5f, "inherit"},
                {offsetof(tp_emitter_def, lifetime_jitter), 2.0f, "lifetime_jitter"},
                {offsetof(tp_emitter_def, lattice_spacing), -1.0f, "lattice_spacing"},
                /* the shape is not a box */
                {offsetof(tp_emitter_def, lattice_spacing), 1.0f, "lattice_spacing"},
                {offsetof(tp_emitter_def, shape), 1.0f, "shape"}, /* the bits of 1.0f */
                {offsetof(tp_emitter_def, species), 1.0f, "species"},
                {offsetof(tp_emitter_def, rate_numerator), 1.0f, "rate_numerator"},
                {offsetof(tp_emitter_def, rate_denominator), 0.0f, "rate_denominator"},
                {offsetof(tp_emitter_def, burst_count), 1.0f, "burst_count"}};
    test_world made = emit_world(3, 4);
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        tp_emitter_def bad = tp_emitter_default();
        tp_emitter emitter;
        memcpy((char *)&bad + rows[r].offset, &rows[r].value, sizeof(float));
        const char *text = tp_emitter_check(made.world, &bad);
        test_note("row %u: %s", r, text ? text : "(nothing)");
        CHECK(text && strncmp(text, rows[r].name, strlen(rows[r].name)) == 0);
        CHECK(tp_emitter_add(made.world, &bad, &emitter) == TP_ERROR_DEFINITION);
    }
    test_world_free(&made);
}

static void rates_that_could_overflow_are_refused_and_the_largest_is_exact(void)
{
    tp_world_def def = emit_scene(2, 1);
    test_world made = test_world_make(&def);
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 60u * 65536u;
    tp_emitter emitter = emit_add(&made, &jet);
    test_world_frames(made.world, 2);
    uint64_t born = 0, refused = 0;
    CHECK(tp_emitter_count(made.world, emitter, &born, &refused) == TP_OK &&
          born + refused == 2u * 65536u);
    jet.rate_numerator++;
    CHECK(tp_emitter_check(made.world, &jet) != NULL);
    test_world_free(&made);
    def.frames_per_second_numerator = 65535;
    def.frames_per_second_denominator = 65535;
    test_world odd = test_world_make(&def);
    jet.lifetime_ticks = TPI_AGE_MAX + 1u;
    /* the first faulty field is named */
    CHECK(strncmp(tp_emitter_check(odd.world, &jet), "rate_numerator", 14) == 0);
    jet.rate_numerator = 1;
    CHECK(strncmp(tp_emitter_check(odd.world, &jet), "lifetime_ticks", 14) == 0);
    jet.lifetime_ticks--;
    CHECK(tp_emitter_check(odd.world, &jet) == NULL);
    jet.rate_numerator = 0xffffffffu;
    jet.rate_denominator = 65535;
    CHECK(tp_emitter_check(odd.world, &jet) != NULL); /* 65537 per frame, and above 2^43 */
    jet.rate_numerator = 65535u * 1024u;
    CHECK(tp_emitter_check(odd.world, &jet) == NULL);
    jet.rate_numerator = 0x08100000u;
    jet.rate_denominator = 65000;
    /* few enough births, but the fraction is too long */
    CHECK(tp_emitter_check(odd.world, &jet) != NULL);
    test_world_free(&odd);
}

static void meshes_with_wrong_parts_are_refused(void)
{
    tp_world_def def = emit_scene(3, 4);
    def.geometry_bytes_max = 4096;
    test_world made = test_world_make(&def);
    const tp_vector line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}},
                    lost[3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}};
    const uint32_t first[3] = {0, 1, 2}, beyond[3] = {0, 1, 5};
    tp_emitter_def good = emit_mesh(), bad = good;
    CHECK(tp_emitter_check(made.world, &good) == NULL);
    bad.vertices = NULL;
    CHECK(tp_emitter_check(made.world, &bad) != NULL);
    bad = good, bad.indices = NULL;
    CHECK(tp_emitter_check(made.world, &bad) != NULL);
    bad = good, bad.indices = beyond, bad.triangle_count = 1;
    CHECK(tp_emitter_check(made.world, &bad) != NULL);
    bad = good, bad.triangle_count = 0;
    CHECK(tp_emitter_check(made.world, &bad) != NULL);
    bad = good, bad.vertices = line, bad.vertex_count = 3, bad.indices = first,
    bad.triangle_count = 1;
    CHECK(tp_emitter_check(made.world, &bad) != NULL); /* no triangle has an area */
    bad.vertices = lost;
    CHECK(tp_emitter_check(made.world, &bad) != NULL);
    test_world_free(&made);
}

static void poses_and_sinks_that_are_wrong_are_refused(void)
{
    tp_world_def def = emit_scene(2, 4);
    def.keeps_births = false;
    test_world made = test_world_make(&def);
    tp_emitter_def jet = tp_emitter_default();
    tp_emitter emitter = emit_add(&made, &jet);
    tp_pose pose = {{0, NAN, 0}, {1, 0, 0, 0}};
    CHECK(tp_emitter_move(made.world, emitter, pose) == TP_ERROR_DEFINITION);
    jet.lifetime_ticks = 5;
    CHECK(tp_emitter_check(made.world, &jet) != NULL);
    tp_sink_def sink = tp_sink_default();
    sink.shape = TP_SINK_AGE;
    CHECK(tp_sink_check(made.world, &sink) != NULL);
    sink = tp_sink_default();
    sink.normal = (tp_vector){0, 0, 1};
    CHECK(tp_sink_check(made.world, &sink) != NULL); /* not in the plane */
    sink = tp_sink_default();
    sink.is_inverted = true;
    CHECK(tp_sink_check(made.world, &sink) != NULL);
    sink.stamp = 0;
    tp_sink none;
    CHECK(tp_sink_add(made.world, &sink, &none) == TP_ERROR_STAMP);
    CHECK(tp_sink_check(NULL, &sink) && tp_sink_check(made.world, NULL));
    CHECK(tp_emitter_check(NULL, &jet) && tp_emitter_check(made.world, NULL));
    test_world_free(&made);
}

/* Pointers are not randomised: they cannot be checked. */
static void any_bytes_give_a_text_or_an_emitter_that_works(void)
{
    tp_world_def def = emit_scene(3, 64);
    def.geometry_bytes_max = 4096;
    def.species_count = 3;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    uint32_t state = 17, added = 0;
    for (uint32_t n = 0; n < 6000; n++) {
        tp_emitter_def jet = n % 2 ? emit_mesh() : emit_lively(0.0f);
        tp_emitter emitter;
        test_scramble(&jet, sizeof jet, offsetof(tp_emitter_def, vertices), &state, 1u + n % 9u);
        jet.burst_count &= 0x3ffu; /* up to 16 million is valid, but slow */
        if (tp_emitter_add(made.world, &jet, &emitter) != TP_OK) continue;
        added++;
        test_note("case %u", n);
        CHECK(tp_frame(made.world, NULL, NULL) == TP_OK);
        CHECK(tp_emitter_remove(made.world, emitter) == TP_OK);
        if (tp_world_view(made.world).count == 64) CHECK(tp_particles_clear(made.world) == TP_OK);
    }
    CHECK(added > 500);
    CHECK_EQ(tp_world_report(made.world).killed_particles, 0);
    test_world_free(&made);
}

static void any_bytes_give_a_text_or_a_sink_that_works(void)
{
    test_world made = emit_world(3, 64);
    uint32_t state = 18, added = 0, handle;
    for (uint32_t n = 0; n < 20000; n++) {
        tp_sink_def hole = tp_sink_default();
        tp_sink sink;
        hole.shape = (tp_sink_shape)(n % 4u);
        test_scramble(&hole, sizeof hole, sizeof hole, &state, 1u + n % 7u);
        if (tp_sink_add(made.world, &hole, &sink) != TP_OK) {
            CHECK(tp_sink_check(made.world, &hole) != NULL);
            continue;
        }
        added++;
        (void)tpi_sinks_take(made.world, (tp_vector){1, 2, 3}, 0, n, n, &handle);
        CHECK(tp_sink_remove(made.world, sink) == TP_OK);
    }
    CHECK(added > 1000);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(each_wrong_field_of_an_emitter_is_named),
    TEST_CASE(rates_that_could_overflow_are_refused_and_the_largest_is_exact),
    TEST_CASE(meshes_with_wrong_parts_are_refused),
    TEST_CASE(poses_and_sinks_that_are_wrong_are_refused),
    TEST_CASE(any_bytes_give_a_text_or_an_emitter_that_works),
    TEST_CASE(any_bytes_give_a_text_or_a_sink_that_works),
};
TEST_SUITE(emit_definitions, cases);
