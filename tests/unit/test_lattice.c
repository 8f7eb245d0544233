/* SPDX-License-Identifier: MIT
   tests/unit/test_lattice.c - the sums over a lattice that a fluid's constants are made of: when a
           change of the world makes them.
   reads   runtime/solve/sph/lattice.h, tp_world_change      writes  nothing
   memory  small worlds      cost    below a second
   after   own design: the call makes the sums, and the end of the frame, whose last slice is as
           short as any other, takes them */
#include "test.h"
#include "world_help.h"
#include "solve/sph/sph.h"
#include <string.h>

#define LATTICE_KINDS 10u

/* All formulations, in 2D and 3D, with all that needs sums. */
static tp_world_def lattice_definition(uint32_t kind)
{
    static const tp_sph_formulation formulations[LATTICE_KINDS / 2u] = {
        TP_SPH_DOUBLE_DENSITY, TP_SPH_INCOMPRESSIBLE, TP_SPH_IDEAL_GAS, TP_SPH_WEAKLY_COMPRESSIBLE,
        TP_SPH_DOUBLE_DENSITY};
    tp_world_def def = tp_world_default(2u + (kind & 1u));
    def.particles_max = 64;
    def.solver = TP_SOLVER_SPH;
    def.species_count = 2;
    def.takes_changes = true;
    def.sph.formulation = formulations[kind / 2u];
    if (def.sph.formulation == TP_SPH_INCOMPRESSIBLE) tp_sph_incompressible(&def, 0.05f);
    if (def.sph.formulation == TP_SPH_IDEAL_GAS) tp_sph_ideal_gas(&def, 0.05f, 1.0f);
    if (def.sph.formulation == TP_SPH_WEAKLY_COMPRESSIBLE)
        tp_sph_weakly_compressible(&def, 0.05f, 1.0f);
    def.heat.range = 100.0f;
    def.heat.diffusivity = 0.001f;
    if (kind < 8u) def.sph.viscosity = 0.01f;
    if (kind < 6u) def.sph.cohesion = 0.01f;
    return def;
}

/* Other sums than those of the definition, where its formulation allows that. */
static tp_world_def lattice_other(tp_world_def def, float factor)
{
    def.species[0].rest_density *= factor;
    def.species[0].radius *= 1.0f / factor;
    def.sph.viscosity *= 2.0f * factor;
    return def;
}

static test_world lattice_world(const tp_world_def *def)
{
    test_world made = test_world_make(def);
    float step = 0.5f * def->sph.smoothing_radius;
    test_world_gravity(made.world, 9.81f);
    for (uint32_t k = 0; k < 32; k++) {
        tp_vector at = {(float)(k % 4u) * step, (float)(k / 4u % 4u) * step,
                        (float)(k / 16u) * step},
                  velocity = {0.1f * (float)(k / 4u % 2u), 0, 0};
        if (def->dimensions == 2) at.z = 0.0f, at.y = (float)(k / 4u) * step;
        CHECK(tp_particle_add(made.world, at, velocity, k & 1u, NULL) == TP_OK);
    }
    test_world_frames(made.world, 2);
    return made;
}

static void lattice_begin_frame(tp_world *world)
{
    tp_budget budget = {.units = 8};
    CHECK(tp_frame(world, &budget, NULL) == TP_MORE);
}

static void lattice_end_frame(tp_world *world)
{
    tp_budget budget = {.is_same_frame = true};
    CHECK(tp_frame(world, &budget, NULL) == TP_OK);
}

/* The measure: the same change between two frames. */
static uint64_t lattice_hash(const tp_world_def *def, const tp_world_def *other)
{
    test_world made = lattice_world(def);
    test_world_frames(made.world, 1);
    CHECK(tp_world_change(made.world, other) == TP_OK);
    test_world_frames(made.world, 4);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void a_change_inside_of_a_frame_has_the_constants_of_one_between_frames(void)
{
    for (uint32_t kind = 0; kind < LATTICE_KINDS; kind++) {
        test_note("kind %u", kind);
        tp_world_def def = lattice_definition(kind), other = lattice_other(def, 1.1f),
                     unwanted = lattice_other(def, 1.05f);
        test_world made = lattice_world(&def);
        lattice_begin_frame(made.world);
        CHECK(tp_world_change(made.world, &unwanted) == TP_OK);
        CHECK(tp_world_change(made.world, &other) == TP_OK);
        lattice_end_frame(made.world);
        test_world_frames(made.world, 4);
        CHECK_EQ(tp_world_hash(made.world), lattice_hash(&def, &other));
        CHECK(tp_world_hash(made.world) != lattice_hash(&def, &unwanted));
        test_world_free(&made);
    }
}

/* What the call kept is recognised by a mark. Without one, the end of a frame would take up to 300
   000 instructions. */
static void the_end_of_a_frame_makes_no_sums(void)
{
    for (uint32_t kind = 0; kind < LATTICE_KINDS; kind++) {
        test_note("kind %u", kind);
        tp_world_def def = lattice_definition(kind), other = lattice_other(def, 1.1f);
        test_world made = lattice_world(&def);
        tpi_lattice_sums *sums = &tpi_sph_of(made.world)->sums;
        lattice_begin_frame(made.world);
        CHECK(tp_world_change(made.world, &other) == TP_OK);
        CHECK(sums->count == tpi_sph_rest_count(&other, 0) && sums->count > 0.0f);
        sums->heat.spread *= 1.5f;
        float mark = sums->heat.spread, rate = 2.0f * def.heat.diffusivity;
        CHECK(mark > 0.0f);
        lattice_end_frame(made.world);
        CHECK(sums->heat.spread == mark);
        rate = rate / (mark * (def.sph.smoothing_radius * def.sph.smoothing_radius));
        CHECK_NEAR(tpi_heat_of(made.world)->rate, rate, 1e-5f * rate);
        test_world_free(&made);
    }
}

static void an_equal_lattice_is_summed_once(void)
{
    tp_world_def def = lattice_definition(1), other = def;
    test_world made = lattice_world(&def);
    tpi_lattice_sums *sums = &tpi_sph_of(made.world)->sums;
    other.speed_max = 3.0f;
    float mark = sums->central.whole * 2.0f;
    sums->central.whole = mark;
    CHECK(tp_world_change(made.world, &other) == TP_OK);
    CHECK(sums->central.whole == mark);
    test_world_free(&made);
}

static void sums_of_an_untrusted_block_are_made_again(void)
{
    for (uint32_t kind = 0; kind < LATTICE_KINDS; kind++) {
        test_note("kind %u", kind);
        tp_world_def def = lattice_definition(kind), other = lattice_other(def, 1.1f);
        test_world made = lattice_world(&def);
        lattice_begin_frame(made.world);
        CHECK(tp_world_change(made.world, &other) == TP_OK);
        tpi_lattice_sums *sums = &tpi_sph_of(made.world)->sums, right = *sums;
        sums->kernel.sum = sums->central.sum = sums->shear.cube = sums->heat.spread = 1e30f;
        tp_world *verified = NULL;
        CHECK(tp_world_verify(made.block, made.bytes, NULL, &verified) == TP_OK);
        CHECK(memcmp(sums, &right, sizeof right) == 0); /* those of the change that waits */
        lattice_end_frame(made.world);
        test_world_frames(made.world, 4);
        CHECK_EQ(tp_world_hash(made.world), lattice_hash(&def, &other));
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_change_inside_of_a_frame_has_the_constants_of_one_between_frames),
    TEST_CASE(the_end_of_a_frame_makes_no_sums),
    TEST_CASE(an_equal_lattice_is_summed_once),
    TEST_CASE(sums_of_an_untrusted_block_are_made_again),
};
TEST_SUITE(lattice, cases);
