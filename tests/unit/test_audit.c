/* SPDX-License-Identifier: MIT
   tests/unit/test_audit.c - verification of blocks: valid ones keep their bits, damaged ones do no
           harm.
   reads   runtime/step/verify.c, runtime/world/audit.c      writes  copies of small worlds
   memory  a few hundred KB      cost    two seconds
   after   own design: each byte of the head is changed, and random bytes elsewhere */
#include "test.h"
#include "solve/pair/pair.h"
#include "collide_help.h"
#include "emit_help.h"
#include "pair_help.h"
#include <stdlib.h>
#include <string.h>

static const tp_vector corners[4] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, 1, 0}};
static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const float heights[9] = {0.1f, 0, 0.2f, 0, 0.3f, 0, 0.1f, 0, 0.1f};

static void add_colliders(tp_world *world)
{
    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tank.half = (tp_vector){1.5f, 1.5f, 1.5f};
    tank.is_hollow = true;
    tp_collider moving = collide_add(world, &tank);
    tp_pose pose = {{0.05f, 0, 0}, collide_about_z(0.05f)};
    CHECK(tp_collider_move(world, moving, pose) == TP_OK);
    tp_collider_def ground = collide_ground(heights, 3, tpi_dimensions(world) == 3 ? 3 : 1, 0.5f);
    ground.pose.position.y = -1.2f;
    (void)collide_add(world, &ground);
    tp_collider_def mesh = collide_mesh(corners, 4, faces, tpi_dimensions(world) == 3 ? 4 : 6);
    mesh.pose.position.y = -1.0f;
    (void)collide_add(world, &mesh);
    tp_collider gone = collide_add(world, &mesh);
    CHECK(tp_collider_remove(world, gone) == TP_OK);
}

static void add_fields(tp_world *world)
{
    tp_field field;
    for (uint32_t kind = 0; kind < 5; kind++) {
        tp_field_def def = tp_field_default((tp_field_kind)kind);
        def.strength = 0.5f;
        CHECK(tp_field_add(world, &def, &field) == TP_OK);
    }
}

/* A world with some of every feature; kind 0 no solver, 1 a fluid with links, 2 pairs with
   links in a box, 3 a table, 4 hard spheres. */
static test_world everything(uint32_t dimensions, uint32_t kind)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = 160;
    def.fields_max = 6;
    def.geometry_bytes_max = 4096;
    def.substeps.count = 2;
    def.pool_policy = kind == 0 ? TP_POOL_RECYCLE : TP_POOL_REFUSE;
    if (kind == 1) def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (kind > 1) {
        def.solver = TP_SOLVER_PAIR;
        def.integrator = TP_INTEGRATOR_KDK;
        def.species[0].sigma = 0.2f;
        def.pair.timestep_max = 0.005f;
    }
    if (kind > 0) def.links_max = 8;
    if (kind == 2) def.periodic_axes = TP_AXIS_X;
    if (kind == 3) def.pair.potential = TP_POTENTIAL_TABLE, def.pair.table_max = 33;
    if (kind == 4) def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def.box_low.x = -3.0f;
    def.box_size.x = 6.0f;
    test_world made = test_world_make(&def);
    add_colliders(made.world);
    add_fields(made.world);
    tp_emitter_def jet = emit_mesh();
    jet.rate_numerator = 300;
    jet.lifetime_ticks = 20u * TP_TICKS_PER_FRAME;
    emit_add(&made, &jet);
    jet = emit_lively(0.2f);
    emit_add(&made, &jet);
    tp_sink sink;
    tp_sink_def low = tp_sink_default();
    low.offset = -2.0f;
    CHECK(tp_sink_add(made.world, &low, &sink) == TP_OK);
    return made;
}

static void add_links(tp_world *world)
{
    tp_view view = tp_world_view(world);
    for (uint32_t k = 0; k + 1u < view.count && k < 6u && world->def.links_max; k++) {
        tp_link_def def = tp_link_default();
        tp_link link;
        def.first = view.id[k];
        def.second = view.id[k + 1u];
        def.rest_length = 0.3f;
        def.stiffness = 5.0f;
        CHECK(tp_link_add(world, &def, &link) == TP_OK);
    }
}

static void set_table(tp_world *world)
{
    float energies[33];
    tp_pair_table table = tp_pair_table_default();
    if (!world->arrays.own[TPI_PAIR_TABLE]) return;
    table.count = 33;
    for (uint32_t k = 0; k < 33; k++)
        energies[k] = 0.1f * (float)(32 - k) * (float)(32 - k) / 32.0f;
    table.energies = energies;
    CHECK(tp_pair_table_set(world, &table) == TP_OK);
}

/* Some frames later, in the middle of a step. */
static test_world ripe(uint32_t dimensions, uint32_t kind)
{
    test_world made = everything(dimensions, kind);
    tp_budget part = {.units = 900};
    set_table(made.world);
    test_world_frames(made.world, 4);
    add_links(made.world);
    test_world_frames(made.world, 2);
    for (uint32_t k = 0; k < 3 && !made.world->step.active; k++)
        CHECK(tp_frame(made.world, &part, NULL) >= TP_OK);
    return made;
}

#define AUDIT_KINDS 5u

static void a_good_block_passes_and_goes_on_to_the_same_bits(void)
{
    for (uint32_t k = 0; k < 2u * AUDIT_KINDS; k++) {
        test_world made = ripe(2u + k % 2u, k / 2u), copy = everything(2u + k % 2u, k / 2u);
        tp_block_fault fault;
        tp_world *found = NULL;
        memcpy(copy.world, made.world, made.bytes);
        bool was_active = made.world->step.active;
        uint64_t restarted = made.world->report.steps_restarted;
        test_note("dimensions %u, kind %u: byte %s", 2u + k % 2u, k / 2u, "");
        CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_OK);
        CHECK(found == made.world && fault.expected == NULL);
        CHECK_EQ(made.world->report.steps_restarted, restarted + was_active);
        for (uint32_t f = 0; f < 10; f++) {
            CHECK_EQ(tp_world_hash(made.world), tp_world_hash(copy.world));
            test_world_frames(made.world, 1);
            test_world_frames(copy.world, 1);
        }
        test_world_free(&made);
        test_world_free(&copy);
    }
}

/* The first verification resets values that are computed again; the second one changes nothing. */
static void verifying_twice_changes_nothing_more(void)
{
    for (uint32_t kind = 0; kind < AUDIT_KINDS; kind++) {
        test_world made = ripe(3, kind);
        tp_world *found = NULL;
        CHECK(tp_world_verify(made.world, made.bytes, NULL, &found) == TP_OK);
        unsigned char *once = malloc(made.bytes);
        memcpy(once, made.world, made.bytes);
        CHECK(tp_world_verify(made.world, made.bytes, NULL, &found) == TP_OK);
        CHECK(memcmp(once, made.world, made.bytes) == 0);
        free(once);
        test_world_free(&made);
    }
}

static void what_is_no_block_is_refused(void)
{
    test_world made = ripe(2, 1);
    tp_block_fault fault;
    tp_world *found = made.world;
    CHECK(tp_world_verify(NULL, 1000, &fault, &found) == TP_ERROR_NULL);
    CHECK(tp_world_verify(made.world, made.bytes, &fault, NULL) == TP_ERROR_NULL);
    CHECK(tp_world_verify((char *)made.world + 4, made.bytes - 4, &fault, &found) ==
          TP_ERROR_ALIGNMENT);
    CHECK(tp_world_verify(made.world, made.bytes - 1, &fault, &found) == TP_ERROR_MEMORY);
    CHECK(tp_world_verify(made.world, 100, &fault, &found) == TP_ERROR_MEMORY);
    CHECK(found == NULL);
    made.world->cookie ^= 1u;
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    CHECK(fault.expected != NULL && found == NULL);
    made.world->cookie ^= 1u;
    made.world->count = made.world->def.particles_max + 1u;
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    CHECK_EQ(fault.offset, offsetof(tp_world, count));
    test_world_free(&made);
}

/* Uses a damaged world that passed verification; test_world_free checks the guard bytes. */
static void use(tp_world *world)
{
    tp_budget budget = {.units = 3000};
    tp_pair_report report;
    for (uint32_t f = 0; f < 3; f++) CHECK(tp_frame(world, &budget, NULL) >= TP_OK);
    (void)tp_world_hash(world);
    tp_result measured = tp_pair_measure(world, &report);
    CHECK(measured == TP_OK || measured == TP_ERROR_DEFINITION);
    for (uint32_t slot = 0; slot < 4; slot++) {
        tp_result removed = tp_collider_remove(world, (tp_collider){1u << 16 | slot});
        CHECK(removed == TP_OK || removed == TP_ERROR_HANDLE);
    }
    CHECK(tp_frame(world, &budget, NULL) >= TP_OK);
}

/* Returns 1 if the damaged copy was accepted as a world. */
static uint32_t try_damage(const test_world *good, const test_world *copy)
{
    unsigned char *before = malloc(good->bytes);
    tp_block_fault fault;
    tp_world *found = NULL;
    memcpy(before, copy->world, good->bytes);
    tp_result result = tp_world_verify(copy->world, copy->bytes, &fault, &found);
    CHECK(result == TP_OK || (found == NULL && memcmp(before, copy->world, good->bytes) == 0));
    CHECK((result == TP_ERROR_BLOCK) == (fault.expected != NULL));
    CHECK(fault.offset < good->bytes);
    free(before);
    if (result == TP_OK) use(found);
    return result == TP_OK;
}

static void any_changed_byte_of_the_head_is_refused_or_harmless(void)
{
    uint32_t stride = test_is_long() ? 1u : 7u;
    for (uint32_t kind = 0; kind < AUDIT_KINDS; kind++) {
        test_world good = ripe(2u + kind % 2u, kind), copy = everything(2u + kind % 2u, kind);
        uint32_t taken = 0, tried = 0;
        for (uint32_t at = kind % stride; at < sizeof(tp_world); at += stride, tried++) {
            memcpy(copy.world, good.world, good.bytes);
            unsigned char *byte = (unsigned char *)copy.world + at;
            *byte = (unsigned char)(at % 3u ? *byte ^ 1u << at % 8u : 0xffu);
            test_note("kind %u, byte %u", kind, at);
            taken += try_damage(&good, &copy);
        }
        CHECK(taken > 0 && taken < tried);
        test_world_free(&good);
        test_world_free(&copy);
    }
}

static void changed_bytes_anywhere_are_refused_or_harmless(void)
{
    uint32_t state = 1, rounds = test_is_long() ? 20000u : 500u;
    for (uint32_t kind = 0; kind < AUDIT_KINDS; kind++) {
        test_world good = ripe(3u - kind % 2u, kind), copy = everything(3u - kind % 2u, kind);
        for (uint32_t k = 0; k < rounds; k++) {
            memcpy(copy.world, good.world, good.bytes);
            test_note("kind %u, round %u", kind, k);
            test_scramble(copy.world, good.bytes, good.bytes, &state, 1u + k % 4u);
            (void)try_damage(&good, &copy);
        }
        test_world_free(&good);
        test_world_free(&copy);
    }
}

/* The offset of a fault in a particle, an item and the geometry is reported. */
static void a_fault_names_its_byte(void)
{
    test_world made = ripe(3, 1);
    tp_world *world = made.world, *found = NULL;
    tp_block_fault fault;
    tpi_words(world, world->arrays.meta)[5] |= 0xffu;
    CHECK(tp_world_verify(world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    CHECK_EQ(fault.offset, world->arrays.meta + 20u);
    CHECK(strcmp(fault.expected, "a species below species_count") == 0);
    tpi_words(world, world->arrays.meta)[5] &= ~0xffu;
    tpi_field_at(world, 1)->def.linear = -1.0f;
    CHECK(tp_world_verify(world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    CHECK_EQ(fault.offset, world->fields.items + world->fields.item_bytes);
    CHECK(strcmp(fault.expected, "linear must be 0 to 1e6") == 0);
    tpi_field_at(world, 1)->def.linear = 0.0f;
    CHECK(tp_world_verify(world, made.bytes, &fault, &found) == TP_OK);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_good_block_passes_and_goes_on_to_the_same_bits),
    TEST_CASE(verifying_twice_changes_nothing_more),
    TEST_CASE(what_is_no_block_is_refused),
    TEST_CASE(any_changed_byte_of_the_head_is_refused_or_harmless),
    TEST_CASE(changed_bytes_anywhere_are_refused_or_harmless),
    TEST_CASE(a_fault_names_its_byte),
};
TEST_SUITE(audit, cases);
