/* SPDX-License-Identifier: MIT
   tests/unit/test_query_build.c - how the index of a query is built, its memory, and its cursors.
   reads   runtime/grid/query.c      writes  nothing
   memory  malloc                    cost    below a second
   after   own design */
#include "query_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND_MOST = 700 };

/* ---- builds ---- */

static void a_build_in_slices_answers_as_one_at_once(void)
{
    for (uint32_t kind = 0; kind < QUERY_KINDS; kind++) {
        query_scene scene = query_scene_make(kind, 2u + (kind & 1u), 3);
        void *whole = malloc(scene.bytes);
        memcpy(whole, scene.query, scene.bytes);
        tp_query_report first = tp_query_state(scene.query);
        CHECK(tp_query_clear(scene.query) == TP_OK);
        CHECK(!tp_query_state(scene.query).is_ready);
        uint64_t units = 0;
        tp_result result;
        do {
            result = tp_query_update(scene.query, scene.world, 7);
            CHECK(tp_query_state(scene.query).units <= 7u);
            units += tp_query_state(scene.query).units;
        } while (result == TP_MORE);
        CHECK(result == TP_OK);
        tp_query_report report = tp_query_state(scene.query);
        CHECK(report.is_ready && !report.is_building && report.particles == scene.count);
        CHECK(report.build_units == units && first.build_units == units);
        uint64_t words = 2u * ((scene.query->bucket_count + 8u) / 8u);
        CHECK_EQ(units, (scene.count + 3u) / 4u + 2u * scene.count + words);
        /* only counters differ */
        tp_query *other = whole;
        other->serial = scene.query->serial;
        other->units = scene.query->units;
        CHECK(memcmp(other, scene.query, scene.bytes) == 0);
        free(whole);
        query_scene_free(&scene);
    }
}

static tp_world_def falling_def(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 400;
    return def;
}

static query_scene falling_scene(bool is_double)
{
    tp_world_def def = falling_def();
    query_scene scene = {.made = test_world_make(&def), .random = 5};
    scene.world = scene.made.world;
    test_world_gravity(scene.world, 9.81f);
    test_world_tank(scene.world, (tp_vector){3, 3, 0});
    for (uint32_t i = 0; i < 300; i++)
        CHECK(tp_particle_add(
                  scene.world,
                  (tp_vector){0.1f + 0.1f * (float)(i % 15u), 0.1f + 0.1f * (float)(i / 15u), 0},
                  (tp_vector){0}, 0, NULL) == TP_OK);
    tp_query_def wanted = tp_query_default(&def);
    wanted.is_double = is_double;
    query_scene_query(&scene, &wanted);
    return scene;
}

/* All particles of the index, by id. */
static uint32_t find_everything(const query_scene *scene, tp_found *found)
{
    tp_region all = {.shape = TP_REGION_SPHERE, .species_mask = ~0u, .radius = 1e6f};
    uint32_t count = 0;
    CHECK(tp_query_region(scene->query, &all, 0, NULL, found, FOUND_MOST, &count) == TP_OK);
    return count;
}

static bool is_state(const tp_found *found, uint32_t count, const tp_found *state, uint32_t states)
{
    bool is_same = count == states;
    for (uint32_t k = 0; k < count && is_same; k++)
        is_same = found[k].id == state[k].id && found[k].position.x == state[k].position.x &&
                  found[k].position.y == state[k].position.y &&
                  found[k].velocity.y == state[k].velocity.y;
    return is_same;
}

static uint32_t state_of(const tp_world *world, tp_found *state)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        tp_found *of = &state[view.id[i]]; /* ids are 0 .. count - 1 here */
        of->id = view.id[i];
        of->position = (tp_vector){view.x[i], view.y[i], 0};
        of->velocity = (tp_vector){view.vx[i], view.vy[i], 0};
    }
    return view.count;
}

/* The world simulates between the slices of a build. The index is of one complete step, and of that
   which the report names. */
static void an_index_is_of_one_step_while_the_world_moves_on(void)
{
    static tp_found states[8][FOUND_MOST], found[FOUND_MOST];
    uint64_t restarts = 0, builds = 0;
    for (uint32_t run = 0; run < 6; run++) {
        query_scene scene = falling_scene((run & 1u) != 0);
        scene.random += 77777u * run;
        while (tp_world_report(scene.world).frames < 7) {
            (void)state_of(scene.world, states[tp_world_report(scene.world).frames]);
            tp_result result = tp_query_update(scene.query, scene.world, 15);
            CHECK(result >= TP_OK);
            if (result == TP_OK) {
                tp_query_report report = tp_query_state(scene.query);
                CHECK(report.frame < 8 && report.tick == 0);
                CHECK(is_state(found, find_everything(&scene, found), states[report.frame], 300));
                builds++;
            }
            if (test_random(&scene.random) < 0.06f)
                CHECK(tp_frame(scene.world, NULL, NULL) == TP_OK);
        }
        restarts += tp_query_state(scene.query).restarts;
        query_scene_free(&scene);
    }
    CHECK(restarts > 0 && builds > 5);
}

static void a_change_during_the_copy_begins_it_again(void)
{
    static tp_found found[FOUND_MOST], state[FOUND_MOST];
    query_scene scene = falling_scene(false);
    for (uint32_t change = 0; change < 4; change++) {
        CHECK(tp_query_update(scene.query, scene.world, 20) == TP_MORE);
        uint64_t units = tp_query_state(scene.query).units;
        tp_budget some = {.units = 500};
        tp_result result = TP_OK;
        switch (change) {
        case 0:
            result = tp_particle_set(scene.world, 3, (tp_vector){1, 1, 0}, (tp_vector){0});
            break;
        case 1:
            CHECK(tp_frame(scene.world, &some, NULL) == TP_MORE);
            break; /* no step is complete */
        case 2: CHECK(tp_frame(scene.world, NULL, NULL) == TP_OK); break;
        default: CHECK(tp_particles_clear(scene.world) == TP_OK);
        }
        CHECK(result == TP_OK);
        uint64_t before = tp_query_state(scene.query).restarts;
        CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
        CHECK_EQ(tp_query_state(scene.query).restarts - before, change == 1 ? 0u : 1u);
        /* the copy that was in vain counts */
        units += tp_query_state(scene.query).units;
        CHECK_EQ(tp_query_state(scene.query).build_units, units);
        uint32_t count = state_of(scene.world, state);
        CHECK(is_state(found, find_everything(&scene, found), state, count));
    }
    query_scene_free(&scene);
}

/* After the copy the world may change or vanish. */
static void a_copied_step_is_indexed_whatever_the_world_does(void)
{
    static tp_found found[FOUND_MOST], state[FOUND_MOST];
    query_scene scene = falling_scene(false);
    CHECK_EQ(state_of(scene.world, state), 300);
    CHECK(tp_query_update(scene.query, scene.world, 75) == TP_MORE); /* 300 particles / 4 */
    CHECK(tp_particles_clear(scene.world) == TP_OK);
    CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
    CHECK_EQ(tp_query_state(scene.query).restarts, 0);
    CHECK(is_state(found, find_everything(&scene, found), state, 300));
    query_scene_free(&scene);
}

static void a_double_query_answers_while_it_is_built(void)
{
    static tp_found found[FOUND_MOST], state[FOUND_MOST];
    for (uint32_t is_double = 0; is_double < 2; is_double++) {
        query_scene scene = falling_scene(is_double != 0);
        tp_region all = {.shape = TP_REGION_SPHERE, .species_mask = ~0u, .radius = 1e6f};
        uint32_t count = 0;
        CHECK(tp_query_region(scene.query, &all, 0, NULL, found, 1, &count) == TP_ERROR_EMPTY);
        CHECK_EQ(state_of(scene.world, state), 300);
        CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
        CHECK(tp_frame(scene.world, NULL, NULL) == TP_OK);
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(tp_query_update(scene.query, scene.world, 100) == TP_MORE);
            if (is_double)
                CHECK(is_state(found, find_everything(&scene, found), state, 300));
            else
                CHECK(tp_query_region(scene.query, &all, 0, NULL, found, FOUND_MOST, &count) ==
                      TP_ERROR_EMPTY);
        }
        CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
        CHECK_EQ(tp_query_state(scene.query).frame, 1);
        uint32_t now = state_of(scene.world, state);
        CHECK(is_state(found, find_everything(&scene, found), state, now));
        query_scene_free(&scene);
    }
}

static void results_do_not_depend_on_the_storage_order(void)
{
    static tp_found found[2][FOUND_MOST];
    static tp_sample samples[2][30];
    static tp_vector points[30];
    for (uint32_t kind = QUERY_COINCIDENT; kind < QUERY_KINDS; kind++) {
        query_scene scene = query_scene_make(kind, 3, 5);
        uint32_t count[2] = {0, 0};
        tp_region region = {TP_REGION_SPHERE, 7u, scene.middle, {0, 0, 0}, 1.0f};
        for (uint32_t k = 0; k < 30; k++) points[k] = query_point(&scene);
        for (uint32_t order = 0; order < 2; order++) {
            CHECK(tp_query_nearest(scene.query, &region, 0, NULL, found[order], 80,
                                   &count[order]) == TP_OK);
            CHECK(tp_query_sample(scene.query, points, 30, 7u, 0, NULL, samples[order]) == TP_OK);
            for (uint32_t i = 0; i < scene.count; i++)
                query_exchange(scene.world, i, (i * 7919u + 5u) % scene.count);
            CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
        }
        CHECK(count[0] == count[1] && memcmp(found[0], found[1], count[0] * sizeof **found) == 0);
        CHECK(memcmp(samples[0], samples[1], sizeof samples[0]) == 0);
        query_scene_free(&scene);
    }
}

/* ---- cursors ---- */

static void a_cursor_begins_again_when_the_question_or_the_index_changes(void)
{
    static tp_found found[FOUND_MOST], expected[FOUND_MOST];
    query_scene scene = query_scene_make(QUERY_UNIFORM, 3, 2);
    tp_region first = {TP_REGION_SPHERE, 7u, scene.middle, {0, 0, 0}, 1.0f}, second = first;
    tp_query_cursor cursor = {0};
    uint32_t count, wanted;
    tp_result result;
    second.radius = 0.8f;
    CHECK(tp_query_region(scene.query, &second, 0, NULL, expected, FOUND_MOST, &wanted) == TP_OK);
    for (uint32_t k = 0; k < 3; k++)
        CHECK(tp_query_region(scene.query, &first, 50, &cursor, found, FOUND_MOST, &count) ==
              TP_MORE);
    do result = tp_query_region(scene.query, &second, 50, &cursor, found, FOUND_MOST, &count);
    while (result == TP_MORE);
    CHECK(result == TP_OK && count == wanted &&
          memcmp(found, expected, count * sizeof *found) == 0);
    for (uint32_t k = 0; k < 3; k++)
        CHECK(tp_query_region(scene.query, &second, 50, &cursor, found, FOUND_MOST, &count) ==
              TP_MORE);
    CHECK(tp_particle_set(scene.world, 0, scene.middle, (tp_vector){0}) == TP_OK);
    CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
    CHECK(tp_query_region(scene.query, &second, 0, NULL, expected, FOUND_MOST, &wanted) == TP_OK);
    do result = tp_query_region(scene.query, &second, 50, &cursor, found, FOUND_MOST, &count);
    while (result == TP_MORE);
    CHECK(result == TP_OK && count == wanted &&
          memcmp(found, expected, count * sizeof *found) == 0);
    query_scene_free(&scene);
}

#define ASKED 40u

/* A question of one kind, and the same with one argument changed: `change` 0 changes none. */
typedef struct question {
    uint32_t kind; /* 0 samples, 1 a grid, 2 a ray, 3 the nearest */
    tp_vector points[ASKED];
    uint32_t count, mask;
    tp_sample_grid grid;
    tp_ray ray;
    tp_region region;
} question;

typedef union answer {
    tp_sample samples[ASKED];
    float values[ASKED];
    tp_ray_hit hit;
    tp_found found[ASKED];
} answer;

static question question_of(const query_scene *scene, uint32_t kind, uint32_t change)
{
    question q = {.kind = kind, .count = ASKED, .mask = 7u};
    const tp_vector middle = scene->middle;
    const float size = scene->size;
    for (uint32_t k = 0; k < ASKED; k++)
        q.points[k] = (tp_vector){middle.x + 0.01f * (float)k, middle.y, middle.z};
    q.grid = (tp_sample_grid){TP_GRID_WEIGHT, 7u, middle, 0.05f, 5, 4, 2};
    q.ray = (tp_ray){{middle.x - 2 * size, middle.y, middle.z}, {4 * size, 0, 0}, 0, 7u};
    q.region = (tp_region){TP_REGION_SPHERE, 7u, middle, {0, 0, 0}, size};
    switch (change) {
    case 1: q.mask = q.grid.species_mask = q.ray.species_mask = q.region.species_mask = 2u; break;
    case 2:
        q.count = ASKED / 2;
        q.grid.value = TP_GRID_DENSITY;
        q.ray.from.y = middle.y + 0.2f;
        break;
    case 3: q.grid.low.z += 0.1f, q.ray.move.y = size, q.region.center.x += 0.1f; break;
    case 4: q.grid.spacing = 0.06f, q.ray.radius = 0.1f, q.region.radius = 0.3f; break;
    case 5: q.grid.columns = 4, q.region.shape = TP_REGION_BOX, q.region.half = q.points[0]; break;
    case 6: q.grid.rows = 3; break;
    case 7: q.grid.layers = 1; break;
    default: break;
    }
    return q;
}

static tp_result question_ask(const query_scene *scene, const question *q, uint32_t units,
                              tp_query_cursor *cursor, answer *to)
{
    uint32_t count;
    switch (q->kind) {
    case 0:
        return tp_query_sample(scene->query, q->points, q->count, q->mask, units, cursor,
                               to->samples);
    case 1: return tp_query_grid(scene->query, &q->grid, units, cursor, to->values, ASKED);
    case 2: return tp_query_ray(scene->query, &q->ray, units, cursor, &to->hit);
    default:
        return tp_query_nearest(scene->query, &q->region, units, cursor, to->found, ASKED, &count);
    }
}

/* A question under way is given up for one that differs in any argument. */
static void each_argument_is_of_the_question(void)
{
    static const uint32_t changes[4] = {2, 7, 4, 5};
    query_scene scene = query_scene_make(QUERY_UNIFORM, 3, 2);
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t change = 1; change <= changes[kind]; change++) {
            static answer begun, wanted, given;
            const question before = question_of(&scene, kind, 0),
                           after = question_of(&scene, kind, change);
            tp_query_cursor cursor = {0};
            test_note("question %u, change %u", kind, change);
            memset(&wanted, 0, sizeof wanted);
            given = wanted;
            for (uint32_t k = 0; k < 3; k++)
                CHECK(question_ask(&scene, &before, kind < 2 ? 400 : 6, &cursor, &begun) ==
                      TP_MORE);
            tp_result result = question_ask(&scene, &after, 0, NULL, &wanted);
            CHECK(result == TP_OK);
            do result = question_ask(&scene, &after, 30, &cursor, &given);
            while (result == TP_MORE);
            CHECK(result == TP_OK && memcmp(&given, &wanted, sizeof given) == 0);
        }
    query_scene_free(&scene);
}

/* ---- definitions, memory, bad input ---- */

static void wrong_definitions_are_refused_in_a_sentence(void)
{
    tp_world_def world = tp_world_default(2);
    const tp_query_def good = tp_query_default(&world);
    size_t bytes = 1;
    CHECK(tp_query_check(&good) == NULL && tp_query_memory(&good, &bytes) == TP_OK && bytes > 0);
    for (uint32_t k = 0; k < 9; k++) {
        tp_query_def def = good;
        if (k == 0) def.stamp++;
        if (k == 1) def.dimensions = 4;
        if (k == 2) def.particles_max = 0;
        if (k == 3) def.particles_max = 16777216u;
        if (k == 4) def.radius = 0.0f;
        if (k == 5) def.radius = NAN;
        if (k == 6) def.surface_radius = -0.1f;
        if (k == 7) def.surface_radius = 2.0f * def.radius;
        if (k == 8) memset(&def.is_double, 3, 1);
        tp_result result = tp_query_memory(&def, &bytes);
        CHECK(tp_query_check(&def) != NULL && bytes == 0);
        CHECK(result == (k == 0 ? TP_ERROR_STAMP : TP_ERROR_DEFINITION));
    }
    CHECK(tp_query_check(NULL) != NULL && tp_query_memory(NULL, &bytes) == TP_ERROR_NULL);
    tp_query_def none = tp_query_default(NULL);
    CHECK(tp_query_check(&none) != NULL);
}

static void the_macro_bounds_the_memory_and_one_byte_less_is_refused(void)
{
    static const uint32_t sizes[] = {1, 2, 7, 8, 100, 1000, 4096, 65536, 1000000, 16777215u};
    for (uint32_t k = 0; k < 20; k++) {
        uint32_t dimensions = 2u + k / 10u, most = sizes[k % 10u];
        tp_world_def world = tp_world_default(dimensions);
        tp_query_def def = tp_query_default(&world);
        tp_memory_part parts[TP_MEMORY_PARTS_MAX];
        uint32_t count = 0;
        size_t bytes = 0, twice = 0, sum = 0;
        def.particles_max = most;
        CHECK(tp_query_memory(&def, &bytes) == TP_OK);
        CHECK(bytes <= TP_QUERY_BYTES(dimensions, most));
        CHECK(tp_query_memory_parts(&def, parts, &count) == TP_OK);
        for (uint32_t p = 0; p < count; p++) sum += parts[p].bytes;
        CHECK_EQ(sum, bytes);
        def.is_double = true;
        if (tp_query_memory(&def, &twice) == TP_OK) CHECK(twice > bytes && twice < 2u * bytes);
    }
    tp_world_def world = tp_world_default(2);
    tp_query_def def = tp_query_default(&world);
    size_t bytes = 0;
    CHECK(tp_query_memory(&def, &bytes) == TP_OK);
    unsigned char *block = aligned_alloc(64, (bytes + 127u) / 64u * 64u);
    tp_query *query;
    memset(block, 0xa5, bytes);
    CHECK(tp_query_create(&def, block, bytes - 1u, &query) == TP_ERROR_MEMORY && !query);
    CHECK(tp_query_create(&def, block + 8, bytes, &query) == TP_ERROR_ALIGNMENT && !query);
    CHECK(block[0] == 0xa5 && block[bytes - 1u] == 0xa5);
    CHECK(tp_query_create(&def, block, bytes, &query) == TP_OK);
    CHECK(tp_query_at(block, bytes) == query && !tp_query_at(block, bytes - 1u));
    CHECK(tp_query_definition(query)->particles_max == def.particles_max);
    free(block);
}

static void a_moved_query_answers_as_before(void)
{
    static tp_found found[FOUND_MOST], again[FOUND_MOST];
    query_scene scene = query_scene_make(QUERY_UNIFORM, 2, 9);
    uint32_t count = find_everything(&scene, found);
    unsigned char *copy = aligned_alloc(64, (scene.bytes + 63u) / 64u * 64u);
    memcpy(copy, scene.query, scene.bytes);
    memset((void *)scene.query, 0x5a, scene.bytes);
    scene.query = tp_query_at(copy, scene.bytes);
    CHECK(scene.query && find_everything(&scene, again) == count);
    CHECK(memcmp(found, again, count * sizeof *found) == 0);
    free(copy);
    query_scene_free(&scene);
}

static void bad_updates_change_nothing(void)
{
    query_scene scene = query_scene_make(QUERY_UNIFORM, 3, 4);
    tp_world_def flat = tp_world_default(2);
    test_world other = test_world_make(&flat);
    unsigned char *before = malloc(scene.bytes);
    memcpy(before, scene.query, scene.bytes);
    CHECK(tp_query_update(NULL, scene.world, 0) == TP_ERROR_NULL);
    CHECK(tp_query_update(scene.query, NULL, 0) == TP_ERROR_NULL);
    CHECK(tp_query_update(scene.query, (const tp_world *)(void *)scene.query, 0) == TP_ERROR_BLOCK);
    CHECK(tp_query_update((tp_query *)(void *)scene.world, scene.world, 0) == TP_ERROR_BLOCK);
    CHECK(tp_query_update(scene.query, other.world, 0) == TP_ERROR_DEFINITION);
    CHECK(tp_query_clear(NULL) == TP_ERROR_NULL);
    CHECK(memcmp(before, scene.query, scene.bytes) == 0);
    free(before);
    query_scene_free_query(&scene);
    tp_query_def small = tp_query_default(tp_world_definition(scene.world));
    small.particles_max = 599;
    query_scene_query(&scene, &small);
    CHECK(tp_query_update(scene.query, scene.world, 0) == TP_ERROR_FULL);
    CHECK(!tp_query_state(scene.query).is_ready);
    test_world_free(&other);
    query_scene_free(&scene);
}

static const test_case cases[] = {
    TEST_CASE(a_build_in_slices_answers_as_one_at_once),
    TEST_CASE(an_index_is_of_one_step_while_the_world_moves_on),
    TEST_CASE(a_change_during_the_copy_begins_it_again),
    TEST_CASE(a_copied_step_is_indexed_whatever_the_world_does),
    TEST_CASE(a_double_query_answers_while_it_is_built),
    TEST_CASE(results_do_not_depend_on_the_storage_order),
    TEST_CASE(a_cursor_begins_again_when_the_question_or_the_index_changes),
    TEST_CASE(each_argument_is_of_the_question),
    TEST_CASE(wrong_definitions_are_refused_in_a_sentence),
    TEST_CASE(the_macro_bounds_the_memory_and_one_byte_less_is_refused),
    TEST_CASE(a_moved_query_answers_as_before),
    TEST_CASE(bad_updates_change_nothing),
};
TEST_SUITE(query_build, cases);
