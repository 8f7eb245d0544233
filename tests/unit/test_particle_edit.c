/* SPDX-License-Identifier: MIT
   tests/unit/test_particle_edit.c - particles named by id: found, removed, given words and species.
   reads   runtime/world/particle.c      writes  nothing
   memory  small worlds and caches       cost    seconds
   after   a search of the whole view for each id */
#include "test.h"
#include "world_help.h"
#include "cache_help.h"
#include <stdlib.h>
#include <string.h>

#define EDIT_KINDS 6u
#define EDIT_MOST  200u

/* Worlds of every solver; 2 has pressures, 3 links, 4 springs, 5 heat. */
static tp_world_def edit_definition(uint32_t kind)
{
    tp_world_def def = tp_world_default(kind == 1 ? 3 : 2);
    test_note("kind %u", kind);
    def.particles_max = EDIT_MOST;
    def.species_count = 3;
    def.keeps_words = def.keeps_last_frame = true;
    def.species[1].radius = 0.01f;
    def.slice_units = 64;
    if (kind == 0) return def;
    def.solver = kind == 3 ? TP_SOLVER_PAIR : TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (kind == 2) tp_sph_incompressible(&def, 0.1f);
    if (kind == 4) def.sph.springs_max = 12;
    if (kind == 5) def.heat = (tp_heat){100.0f, 0.01f};
    if (kind != 3) return def;
    def.integrator = TP_INTEGRATOR_KDK;
    def.links_max = 32;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        def.species[s].sigma = 0.09f;
        def.species[s].epsilon = 0.01f;
    }
    return def;
}

static test_world edit_make(const tp_world_def *def)
{
    test_world made = test_world_make(def);
    tp_emitter_def tap = tp_emitter_default();
    tp_emitter emitter;
    tp_link link;
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){1.5f, 1.5f, 0.6f});
    for (uint32_t i = 0; i < 100; i++)
        CHECK(tp_particle_add(
                  made.world,
                  (tp_vector){0.1f + 0.1f * (float)(i % 12u), 0.1f + 0.1f * (float)(i / 12u), 0.3f},
                  (tp_vector){0.2f, 0, 0}, i % 3u, NULL) == TP_OK);
    tap.pose.position = (tp_vector){0.7f, 1.2f, 0.3f};
    tap.rate_numerator = 60;
    tap.velocity_jitter = 1.0f;
    CHECK(tp_emitter_add(made.world, &tap, &emitter) == TP_OK);
    for (uint32_t k = 0; k < def->links_max; k++) {
        tp_link_def spring = tp_link_default();
        spring.first = 2u * k;
        spring.second = 2u * k + 1u;
        spring.rest_length = 0.1f;
        spring.stiffness = 20.0f;
        CHECK(tp_link_add(made.world, &spring, &link) == TP_OK);
    }
    return made;
}

/* Every third id from 5 on, and ids that no particle has. */
static uint32_t edit_ids(uint32_t ids[EDIT_MOST])
{
    uint32_t count = 0;
    for (uint32_t id = 5; id < 100; id += 3) ids[count++] = id;
    ids[count++] = 100000;
    ids[count++] = TP_ID_LAST;
    return count;
}

static uint32_t edit_index(const tp_world *world, uint32_t id)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++)
        if (view.id[i] == id) return i;
    return TP_INDEX_NONE;
}

static void ids_are_found_wherever_the_storage_has_them(void)
{
    for (uint32_t kind = 0; kind < EDIT_KINDS; kind++) {
        tp_world_def def = edit_definition(kind);
        test_world made = edit_make(&def);
        uint32_t ids[EDIT_MOST], indices[EDIT_MOST], missing = 9, index = 0;
        uint32_t count = edit_ids(ids);
        tp_budget budget = {.units = 200};
        test_world_frames(made.world, 9);
        CHECK(tp_frame(made.world, &budget, NULL) == TP_MORE); /* also during a step */
        CHECK(tp_particles_find(made.world, ids, count, indices, &missing) == TP_OK);
        CHECK_EQ(missing, 2);
        for (uint32_t k = 0; k < count; k++) CHECK_EQ(indices[k], edit_index(made.world, ids[k]));
        for (uint32_t id = 0; id < 110; id++) {
            uint32_t expected = edit_index(made.world, id);
            tp_result result = tp_particle_find(made.world, id, &index);
            CHECK(result == (expected == TP_INDEX_NONE ? TP_ERROR_HANDLE : TP_OK));
            CHECK_EQ(index, expected);
        }
        CHECK_EQ(tp_world_report(made.world).steps_restarted, 0);
        test_world_free(&made);
    }
}

static void removing_a_batch_removes_these_and_changes_nothing_else(void)
{
    for (uint32_t kind = 0; kind < EDIT_KINDS; kind++) {
        tp_world_def def = edit_definition(kind);
        test_world one = edit_make(&def), two = edit_make(&def);
        uint32_t ids[EDIT_MOST], missing = 0, count = edit_ids(ids);
        tp_budget budget = {.units = 300};
        test_world_frames(one.world, 9);
        test_world_frames(two.world, 9);
        uint32_t before = tp_world_view(one.world).count;
        CHECK(tp_particles_remove(one.world, ids, count, &missing) == TP_OK);
        CHECK_EQ(missing, 2);
        CHECK_EQ(tp_world_view(one.world).count, before - (count - 2u));
        CHECK_EQ(tp_world_report(one.world).died, count - 2u);
        for (uint32_t k = 0; k < count; k++) CHECK_EQ(edit_index(one.world, ids[k]), TP_INDEX_NONE);
        /* one by one, from the last, during a step */
        CHECK(tp_frame(two.world, &budget, NULL) == TP_MORE);
        for (uint32_t k = count; k-- > 0;)
            CHECK(tp_particle_remove(two.world, ids[k]) ==
                  (k + 2u < count ? TP_OK : TP_ERROR_HANDLE));
        CHECK_EQ(tp_world_report(two.world).steps_restarted, 1);
        tp_world *checked = NULL;
        CHECK(tp_world_verify(one.block, one.bytes, NULL, &checked) == TP_OK);
        budget.units = 0;
        budget.is_same_frame = true;
        CHECK(tp_frame(two.world, &budget, NULL) == TP_OK);
        test_world_frames(one.world, 1);
        CHECK_EQ(tp_world_hash(one.world), tp_world_hash(two.world));
        test_world_frames(one.world, 12);
        test_world_frames(two.world, 12);
        CHECK_EQ(tp_world_hash(one.world), tp_world_hash(two.world));
        test_world_free(&one);
        test_world_free(&two);
    }
}

static uint32_t edit_word(uint32_t id) { return id * 2654435761u; }

/* All streams of a world by id: as a cache reads them. */
static void edit_read(tp_world *world, uint32_t values[EDIT_MOST][16])
{
    tp_source source = tp_world_source(world);
    tp_view view = tp_world_view(world);
    static uint32_t tile[4 * TP_TILE];
    memset(values, 0, EDIT_MOST * sizeof values[0]);
    for (uint32_t i = 0; i < view.count; i++) {
        uint32_t word = 0;
        for (uint32_t stream = 0; stream < source.schema.stream_count; stream++) {
            source.read(source.context, stream, &i, 1, tile);
            for (uint32_t c = 0; c < source.schema.streams[stream].components; c++)
                if (view.id[i] < EDIT_MOST) values[view.id[i]][word++] = tile[c * TP_TILE];
        }
    }
}

static void particles_that_stay_keep_all_their_numbers(void)
{
    static uint32_t before[EDIT_MOST][16], after[EDIT_MOST][16];
    for (uint32_t kind = 0; kind < EDIT_KINDS; kind++) {
        tp_world_def def = edit_definition(kind);
        test_world made = edit_make(&def);
        uint32_t ids[EDIT_MOST], words[EDIT_MOST], count = 0;
        for (uint32_t id = 0; id < 100; id++) {
            ids[count] = id;
            words[count++] = edit_word(id);
        }
        test_world_frames(made.world, 7);
        CHECK(tp_particles_word(made.world, ids, words, count, NULL) == TP_OK);
        edit_read(made.world, before);
        for (uint32_t i = 0; i < 30; i++) ids[i] = 3u * i;
        CHECK(tp_particles_remove(made.world, ids, 30, NULL) == TP_OK);
        edit_read(made.world, after);
        for (uint32_t id = 0; id < EDIT_MOST; id++)
            if (id % 3u || id >= 90) CHECK(memcmp(before[id], after[id], sizeof before[id]) == 0);
        CHECK(before[1][0] == 1);
        test_world_free(&made);
    }
}

static void links_to_removed_particles_are_dropped(void)
{
    tp_world_def def = edit_definition(3);
    test_world made = edit_make(&def);
    test_world_frames(made.world, 3);
    CHECK(tp_particle_remove(made.world, 4) == TP_OK);  /* of the link 4, 5 */
    CHECK(tp_particle_remove(made.world, 11) == TP_OK); /* of the link 10, 11 */
    test_world_frames(made.world, 2);
    CHECK_EQ(tp_world_report(made.world).links_dropped, 2);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_LINKS].used, 30);
    test_world_free(&made);
}

static void springs_to_removed_particles_are_dropped(void)
{
    tp_world_def def = edit_definition(4);
    test_world made = edit_make(&def);
    static tp_spring springs[EDIT_MOST * 12u];
    uint32_t count = 0, before = 0;
    test_world_frames(made.world, 5);
    CHECK(tp_springs_get(made.world, NULL, &before) == TP_OK);
    CHECK(tp_particle_remove(made.world, 40) == TP_OK);
    count = EDIT_MOST * 12u;
    CHECK(tp_springs_get(made.world, springs, &count) == TP_OK);
    CHECK(count > 100 && count < before);
    for (uint32_t k = 0; k < count; k++)
        CHECK(springs[k].first != 40 && springs[k].second != 40 &&
              edit_index(made.world, springs[k].first) != TP_INDEX_NONE &&
              edit_index(made.world, springs[k].second) != TP_INDEX_NONE);
    CHECK_EQ(tp_world_report(made.world).springs, count);
    test_world_free(&made);
}

/* Sets the words of the particles that have the ids; species, too. */
static void edit_act(tp_world *world)
{
    uint32_t ids[EDIT_MOST], words[EDIT_MOST], species[EDIT_MOST], count = edit_ids(ids);
    for (uint32_t k = 0; k < count; k++) {
        words[k] = edit_word(ids[k]);
        species[k] = ids[k] % 2u;
    }
    CHECK(tp_particles_word(world, ids, words, count, NULL) == TP_OK);
    CHECK(tp_particles_species(world, ids, species, count, NULL) == TP_OK);
}

static void edit_check(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        bool is_edited = view.id[i] >= 5 && view.id[i] < 100 && view.id[i] % 3u == 2u;
        CHECK_EQ(view.word[i], is_edited ? edit_word(view.id[i]) : 0);
        if (view.id[i] < 100)
            CHECK_EQ(TP_META_SPECIES(view.meta[i]), view.id[i] % (is_edited ? 2u : 3u));
    }
}

static void words_and_species_stay_with_their_particles_at_every_slicing(void)
{
    for (uint32_t kind = 0; kind < EDIT_KINDS; kind++) {
        tp_world_def def = edit_definition(kind);
        uint64_t hash = 0;
        for (uint32_t units = 0; units < 900; units += 290) {
            test_world made = edit_make(&def);
            tp_budget budget = {.units = units};
            for (uint32_t frame = 0; frame < 24; frame++) {
                if (frame == 9) edit_act(made.world);
                if (frame > 9) edit_check(made.world);
                budget.is_same_frame = false;
                while (tp_frame(made.world, &budget, NULL) == TP_MORE) {
                    budget.is_same_frame = true;
                    budget.units += units;
                }
            }
            if (units == 0) hash = tp_world_hash(made.world);
            CHECK_EQ(tp_world_hash(made.world), hash);
            test_world_free(&made);
        }
    }
}

static void words_are_recorded_and_come_back(void)
{
    for (uint32_t kind = 0; kind < EDIT_KINDS; kind++) {
        tp_world_def def = edit_definition(kind);
        test_world made = edit_make(&def);
        tp_source source = tp_world_source(made.world);
        tp_cache_def cache_def = tp_cache_default(&source);
        size_t bytes = 0;
        cache_def.ring_bytes = 1u << 20;
        tp_cache *cache = cache_make(&cache_def, &bytes);
        test_world_frames(made.world, 9);
        edit_act(made.world);
        uint64_t hash = tp_world_hash(made.world);
        CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
        test_world_frames(made.world, 6);
        uint64_t later = tp_world_hash(made.world);
        uint32_t id = 50, word = 7;
        CHECK(tp_particles_word(made.world, &id, &word, 1, NULL) == TP_OK);
        CHECK(tp_world_hash(made.world) != later); /* a word is state */
        CHECK(tp_cache_rewind(cache, &source, 9, false, NULL) == TP_OK);
        CHECK_EQ(tp_world_hash(made.world), hash);
        edit_check(made.world);
        test_world_frames(made.world, 6);
        CHECK_EQ(tp_world_hash(made.world), later);
        edit_check(made.world);
        free(cache);
        test_world_free(&made);
    }
}

static void refused_edits_and_missing_ids_change_nothing(void)
{
    tp_world_def def = edit_definition(1);
    test_world made = edit_make(&def);
    const uint32_t descending[2] = {7, 6}, twice[2] = {7, 7}, good[2] = {6, 7}, none[1] = {5000};
    uint32_t values[2] = {1, 3}, indices[2], missing = 0;
    tp_budget budget = {.units = 200};
    test_world_frames(made.world, 2);
    CHECK(tp_frame(made.world, &budget, NULL) == TP_MORE);
    uint64_t hash = tp_world_hash(made.world);
    CHECK(tp_particles_remove(made.world, descending, 2, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_particles_remove(made.world, twice, 2, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_particles_word(made.world, twice, values, 2, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_particles_species(made.world, good, values, 2, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_particles_find(made.world, descending, 2, indices, NULL) == TP_ERROR_DEFINITION);
    CHECK(tp_particles_find(made.world, good, 2, NULL, NULL) == TP_ERROR_NULL);
    CHECK(tp_particles_remove(made.world, NULL, 2, NULL) == TP_ERROR_NULL);
    CHECK(tp_particles_word(NULL, good, values, 2, NULL) == TP_ERROR_NULL);
    CHECK(tp_particles_remove(made.world, none, 1, &missing) == TP_OK && missing == 1);
    CHECK(tp_particles_word(made.world, none, values, 1, &missing) == TP_OK && missing == 1);
    CHECK(tp_particles_remove(made.world, NULL, 0, &missing) == TP_OK && missing == 0);
    CHECK(tp_particle_remove(made.world, 5000) == TP_ERROR_HANDLE);
    CHECK_EQ(tp_world_hash(made.world), hash);
    CHECK_EQ(tp_world_report(made.world).steps_restarted, 0);
    test_world_free(&made);
    def.keeps_words = false;
    made = edit_make(&def);
    CHECK(tp_world_view(made.world).word == NULL);
    CHECK(tp_particles_word(made.world, good, values, 2, NULL) == TP_ERROR_DEFINITION);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(ids_are_found_wherever_the_storage_has_them),
    TEST_CASE(removing_a_batch_removes_these_and_changes_nothing_else),
    TEST_CASE(particles_that_stay_keep_all_their_numbers),
    TEST_CASE(links_to_removed_particles_are_dropped),
    TEST_CASE(springs_to_removed_particles_are_dropped),
    TEST_CASE(words_and_species_stay_with_their_particles_at_every_slicing),
    TEST_CASE(words_are_recorded_and_come_back),
    TEST_CASE(refused_edits_and_missing_ids_change_nothing),
};
TEST_SUITE(particle_edit, cases);
