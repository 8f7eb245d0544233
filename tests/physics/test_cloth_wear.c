/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_wear.c - constraints that yield and break: loads, events, triangles,
           the same bits, cancelled steps, caches, damaged blocks.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 1000 nodes      cost    about one second
   after   the elastic chain; a spring with a plastic rest length */
#include "cloth_same.h"
#include "cloth_sheets.h"
#include "test.h"
#include "world_help.h"
#include "event_help.h"
#include "solve/cloth/cloth.h"
#include "jobs_posix/jobs.h"
#include <stdlib.h>
#include <string.h>

static tp_world_def wear_def(uint32_t dimensions, uint32_t nodes)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = nodes;
    def.cloth.constraints_max = 6 * nodes;
    def.slice_units = 65536;
    def.lag_frames_max = 64;
    def.species[0].radius = 0.01f;
    return def;
}

static float wear_y(const tp_world *world, uint32_t i) { return tp_world_view(world).y[i]; }

static tp_cloth_report wear_report(const tp_world *world)
{
    tp_cloth_report report;
    CHECK_EQ(tp_cloth_measure(world, &report), TP_OK);
    return report;
}

/* ---- a rope that hangs from its first node, in drag; its gravity is set ---- */

typedef struct wear_rope {
    test_world made;
    tp_field gravity;
} wear_rope;

static wear_rope wear_hang(const tp_world_def *def, uint32_t links, float compliance, float drag)
{
    wear_rope rope = {.made = test_world_make(def)};
    tp_cloth_def sheet = tp_cloth_default();
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY),
                 air = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    sheet.columns = links + 1;
    sheet.rows = 1;
    sheet.along = (tp_vector){0, -1.0f / (float)links, 0};
    sheet.kinds = TP_CLOTH_STRETCH;
    sheet.stretch = compliance;
    sheet.tether = 0;
    CHECK_EQ(tp_cloth_pin(rope.made.world, sheet_add(rope.made.world, &sheet), true), TP_OK);
    air.linear = drag;
    gravity.vector = (tp_vector){0, 0, 0};
    CHECK_EQ(tp_field_add(rope.made.world, &gravity, &rope.gravity), TP_OK);
    CHECK_EQ(tp_field_add(rope.made.world, &air, &field), TP_OK);
    return rope;
}

static void wear_pull(const wear_rope *rope, float gravity)
{
    tp_field_def def = tp_field_default(TP_FIELD_GRAVITY);
    def.vector = (tp_vector){0, -gravity, 0};
    CHECK_EQ(tp_field_set(rope->made.world, rope->gravity, &def), TP_OK);
}

/* Ten masses of 0.1 kg, k = 500 N/m, links of 0.1 m: the first link carries 1 kg, and breaks at a
   strain of 0.18 where g = 0.18 * 0.1 m * 500 N/m / 1 kg = 9 m/s^2. */
static void a_hanging_chain_breaks_at_the_link_that_carries_the_most(void)
{
    tp_world_def def = wear_def(2, 11);
    def.substeps.count = 20;
    def.substeps.count_max = 20;
    def.species[0].mass = 0.1f;
    def.cloth.damping = 0.0002f;
    def.cloth.tear = 0.18f;
    def.events_max = 8;
    def.event_kinds = TP_EVENT_BIT(TP_EVENT_LINK_BROKEN);
    wear_rope rope = wear_hang(&def, 10, 1.0f / 500, 1);
    const tp_world *world = rope.made.world;
    event_list list = event_list_make();
    float g = 0;
    while (g < 10 && tp_world_report(world).links_broken == 0) {
        wear_pull(&rope, g += 0.01f);
        event_list_frames(&list, rope.made.world, 1);
    }
    test_note("at %g m/s^2", (double)g);
    CHECK_NEAR(g, 9, 0.18);
    CHECK_EQ(list.count, 1);
    const tp_event *event = event_list_find(&list, TP_EVENT_LINK_BROKEN, 0);
    if (CHECK(event != NULL)) {
        CHECK_EQ(event->id, 0);
        CHECK_EQ(event->partner, 1);
        CHECK_NEAR(event->normal.y, 1, 1e-6);
        CHECK_NEAR(event->point.y, -0.059, 1e-3);
        CHECK(event->speed > 0);
    }
    float y = wear_y(world, 1);
    test_world_frames(rope.made.world, 60);
    CHECK(wear_y(world, 1) < y - 0.3f); /* what was below falls */
    CHECK_EQ(wear_report(world).broken, 1);
    CHECK_EQ(wear_report(world).constraints, 10);
    CHECK(wear_report(world).stretch_max < 0.05f);
    CHECK_EQ(tp_world_report(world).links_broken, 1);
    free(list.events);
    test_world_free(&rope.made);
}

/* Index of the constraint that a node begins. */
static uint32_t wear_find_link(const tp_world *world, uint32_t node)
{
    const uint32_t *first = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]);
    uint32_t k = 0;
    while (k + 1 < tpi_cloth_head_of(world)->begin[TPI_CLOTH_COLOURS] && first[k] != node) k++;
    return k;
}

/* Four chains as above, of which the first wears as the world does. The second never breaks, the
   third yields instead, and the fourth breaks, though the world has no such strain. */
static void each_sheet_wears_by_its_own_strength(void)
{
    tp_world_def def = wear_def(2, 44);
    def.substeps.count = 20;
    def.substeps.count_max = 20;
    def.species[0].mass = 0.1f;
    def.cloth.sheets_max = 4;
    def.cloth.tear = 0.18f;
    test_world made = test_world_make(&def);
    tp_cloth_def chain = tp_cloth_default();
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    chain.columns = 11;
    chain.rows = 1;
    chain.along = (tp_vector){0, -0.1f, 0};
    chain.kinds = TP_CLOTH_STRETCH;
    chain.stretch = 1.0f / 500;
    for (uint32_t k = 0; k < 4; k++) {
        chain.origin.x = (float)k;
        chain.tear = k == 0 ? -1 : k == 3 ? 0.05f : 0;
        chain.yield = k == 2 ? 0.1f : -1;
        chain.yield_max = k == 2 ? 0.15f : -1;
        chain.tether = k == 1 ? 1.5f : 0;
        CHECK_EQ(tp_cloth_pin(made.world, sheet_add(made.world, &chain), true), TP_OK);
    }
    drag.linear = 1;
    CHECK_EQ(tp_field_add(made.world, &drag, &field), TP_OK);
    test_world_gravity(made.world, 4);
    test_world_frames(made.world, 240);
    CHECK_EQ(wear_report(made.world).broken, 1);
    CHECK(wear_y(made.world, 34) < -1); /* of the fourth one */
    test_world_gravity(made.world, 6);  /* 10 in all */
    test_world_frames(made.world, 240);
    CHECK_EQ(wear_report(made.world).broken, 2);
    CHECK(wear_y(made.world, 1) < -1);
    CHECK_NEAR(wear_y(made.world, 12), -0.12, 2e-3);
    /* the first links of the third rest at 1.15 of their length, the last ones as made */
    CHECK_NEAR(wear_y(made.world, 23), -(0.115 + 0.02), 2e-3);
    CHECK_NEAR(tpi_cloth_lengths(made.world, made.world->front)[wear_find_link(made.world, 31)],
               0.1, 1e-6);
    test_world_free(&made);
}

/* Values that are those of the world change no bit; others change the hash from the start. */
static void strengths_of_the_world_change_no_bit(void)
{
    uint64_t hashes[3], later[3];
    for (uint32_t way = 0; way < 3; way++) {
        tp_world_def def = wear_def(3, 100);
        tp_cloth_def sheet = tp_cloth_default();
        def.cloth.tear = 0.1f;
        def.cloth.yield = 0.05f;
        sheet.columns = sheet.rows = 10;
        sheet.stretch = 0.01f;
        sheet.tether = 0;
        if (way > 0) sheet.tear = 0.1f, sheet.yield = 0.05f, sheet.yield_max = 0.5f;
        if (way == 2) sheet.yield_max = 0.25f;
        test_world made = test_world_make(&def);
        CHECK_EQ(tp_cloth_pin(made.world, sheet_add(made.world, &sheet), true), TP_OK);
        test_world_gravity(made.world, 9.81f);
        hashes[way] = tp_world_hash(made.world);
        test_world_frames(made.world, 10);
        later[way] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK(hashes[0] == hashes[1] && later[0] == later[1]);
    CHECK(hashes[0] != hashes[2] && later[0] != later[2]);
}

static void bad_strengths_are_told(void)
{
    static const struct {
        float tear, yield, yield_max, tether, of_world;
        const char *wanted;
    } bad[] = {{-2, -1, -1, 0, 1, "tear must be"},
               {101, -1, -1, 0, 1, "tear must be"},
               {-1, 1, -1, 0, 1, "yield must be"},
               {-1, -0.5f, -1, 0, 1, "yield must be"},
               {-1, -1, 11, 0, 1, "yield_max must be"},
               {1, -1, -1, 0, 0, "cloth.tear"},
               {-1, 0.1f, -1, 0, 0, "cloth.yield"},
               {-1, -1, -1, 1, 1, "tether must be 0"},
               {0, 0, -1, 1, 1, NULL},
               {0, 0, -1, 1, 0, NULL}};
    for (uint32_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        tp_world_def def = wear_def(3, 256);
        tp_cloth_def sheet = tp_cloth_default();
        def.cloth.tear = bad[k].of_world;
        sheet.tear = bad[k].tear;
        sheet.yield = bad[k].yield;
        sheet.yield_max = bad[k].yield_max;
        sheet.tether = bad[k].tether;
        test_world made = test_world_make(&def);
        const char *text = tp_cloth_check(made.world, &sheet);
        test_note("%u: %s", k, text ? text : "accepted");
        CHECK(bad[k].wanted ? text && strstr(text, bad[k].wanted) : !text);
        test_world_free(&made);
    }
}

/* One link of 1 m, k = 100 N/m, 1 kg. A load of F stretches it by F / 100 m. Beyond a strain of 0.1
   the rest length follows: to F / 10 m, at most 1.3 m. */
static void a_rest_length_yields_to_its_load(void)
{
    static const float loads[3] = {9.5f, 12, 16}, rests[3] = {1, 1.2f, 1.3f};
    for (uint32_t k = 0; k < 3; k++) {
        tp_world_def def = wear_def(2, 2);
        def.species[0].mass = 1;
        def.cloth.yield = 0.1f;
        def.cloth.yield_max = 0.3f;
        wear_rope rope = wear_hang(&def, 1, 0.01f, 5);
        for (float g = 0; g < loads[k];) {
            wear_pull(&rope, g += 0.05f);
            test_world_frames(rope.made.world, 6);
        }
        test_world_frames(rope.made.world, 200);
        test_note("load %g", (double)loads[k]);
        CHECK_NEAR(wear_y(rope.made.world, 1), -rests[k] - loads[k] / 100, 0.01);
        wear_pull(&rope, 0);
        test_world_frames(rope.made.world, 300);
        CHECK_NEAR(wear_y(rope.made.world, 1), -rests[k], k == 1 ? 0.01 : 1e-3);
        CHECK_EQ(tp_world_report(rope.made.world).links_broken, 0);
        test_world_free(&rope.made);
    }
}

/* A link that is pressed to half its length keeps a dent, bounded by 1 / (1 + yield_max). */
static void a_pressed_link_stays_shorter(void)
{
    tp_world_def def = wear_def(2, 2);
    def.cloth.yield = 0.1f;
    def.cloth.yield_max = 0.25f;
    wear_rope rope = wear_hang(&def, 1, 1, 1);
    tp_vector at = {0, -0.5f, 0}, none = {0};
    CHECK_EQ(tp_particle_set(rope.made.world, 1, at, none), TP_OK);
    test_world_frames(rope.made.world, 1);
    CHECK_NEAR(tpi_cloth_lengths(rope.made.world, rope.made.world->front)[0], 0.8, 1e-6);
    test_world_free(&rope.made);
}

/* ---- sheets that tear ---- */

#define SIDE 24u

/* A soft sheet pinned at some nodes of its first row, in a strong wind. */
static test_world wear_story(uint32_t slice_units)
{
    tp_world_def def = wear_def(3, SIDE * SIDE);
    tp_cloth_def sheet = tp_cloth_default();
    def.slice_units = slice_units;
    def.cloth.triangles_max = 2 * (SIDE - 1) * (SIDE - 1);
    def.cloth.air = 1.2f;
    def.cloth.tear = 0.12f;
    def.cloth.yield = 0.05f;
    def.cloth.yield_max = 0.1f;
    def.events_max = 64;
    def.event_kinds = TP_EVENT_BIT(TP_EVENT_LINK_BROKEN);
    def.species[0].mass = 0.001f;
    test_world made = test_world_make(&def);
    sheet.columns = sheet.rows = SIDE;
    sheet.along = (tp_vector){1.0f / (SIDE - 1), 0, 0};
    sheet.across = (tp_vector){0, -1.0f / (SIDE - 1), 0};
    sheet.stretch = 0.02f;
    sheet.shear = 0.05f;
    sheet.tether = 0;
    uint32_t id = sheet_add(made.world, &sheet);
    for (uint32_t k = 0; k < SIDE; k += 3) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_field field;
    wind.vector = (tp_vector){1, 0, 30};
    CHECK_EQ(tp_field_add(made.world, &wind, &field), TP_OK);
    test_world_gravity(made.world, 9.81f);
    return made;
}

static void slices_widths_and_threads_change_no_tear(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        test_world made = wear_story(same_slice(way));
        same_run(made.world, way, &threads.jobs, 12, &told);
        tp_cloth_report cloth = wear_report(made.world);
        test_note("way %u, broken %u", way, cloth.broken);
        CHECK(cloth.broken > 20 && cloth.broken < cloth.constraints / 2);
        CHECK_EQ(cloth.broken, tp_world_report(made.world).links_broken);
        CHECK_EQ(tp_world_report(made.world).events, cloth.broken);
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

/* What broke is not whole, and what is whole has no broken edge. */
static void torn_triangles_are_those_with_a_broken_edge(void)
{
    test_world made = wear_story(65536);
    uint32_t most = made.world->def.cloth.triangles_max, whole = 0, broken = 0, t = 0;
    uint32_t *ids = malloc(12 * (size_t)most);
    static bool holds[SIDE * SIDE][SIDE * SIDE];
    CHECK_EQ(tp_cloth_triangles(made.world, ids, most, &whole), TP_OK);
    CHECK_EQ(whole, most);
    test_world_frames(made.world, 12);
    CHECK_EQ(tp_cloth_triangles(made.world, ids, most, &whole), TP_OK);
    const tpi_cloth_head *head = tpi_cloth_head_of(made.world);
    const uint32_t *own = made.world->arrays.own, *a = tpi_words(made.world, own[TPI_CLOTH_FIRST]),
                   *b = tpi_words(made.world, own[TPI_CLOTH_SECOND]),
                   *corner = tpi_words(made.world, own[TPI_CLOTH_TRIANGLE]);
    const float *lengths = tpi_cloth_lengths(made.world, made.world->front);
    memset(holds, 0, sizeof holds);
    for (uint32_t k = 0; k < head->begin[TPI_CLOTH_COLOURS]; k++) {
        holds[a[k]][b[k]] = holds[b[k]][a[k]] = lengths[k] > 0;
        broken += lengths[k] < 0;
    }
    for (uint32_t k = 0; k < most; k++, corner += 3) {
        bool is_whole = holds[corner[0]][corner[1]] && holds[corner[1]][corner[2]] &&
                        holds[corner[2]][corner[0]];
        if (is_whole) CHECK(t < whole && memcmp(ids + 3 * t++, corner, 12) == 0);
    }
    test_note("%u of %u whole, %u broken", whole, most, broken);
    CHECK(t == whole && whole < most - 20);
    CHECK_EQ(wear_report(made.world).broken, broken);
    CHECK_EQ(tp_cloth_triangles(made.world, ids, whole - 1, &t), TP_ERROR_FULL);
    CHECK_EQ(t, whole - 1);
    CHECK_EQ(tp_cloth_triangles(made.world, NULL, 0, NULL), TP_ERROR_NULL);
    free(ids);
    test_world_free(&made);
}

/* All nodes fly apart: nothing holds, and the wind finds nothing. */
static void a_sheet_in_shreds_catches_no_wind(void)
{
    tp_world_def def = wear_def(3, 64);
    tp_cloth_def sheet = tp_cloth_default();
    uint32_t count = 1;
    def.cloth.triangles_max = 98;
    def.cloth.air = 1.2f;
    def.cloth.tear = 0.01f;
    sheet.columns = sheet.rows = 8;
    sheet.tether = 0;
    sheet.stretch = sheet.shear = 1;
    test_world made = test_world_make(&def);
    (void)sheet_add(made.world, &sheet);
    for (uint32_t i = 0; i < 64; i++) {
        tp_vector at = {(float)(i % 8), (float)(i / 8), 0}, none = {0};
        CHECK_EQ(tp_particle_set(made.world, i, at, none), TP_OK);
    }
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_field field;
    wind.vector = (tp_vector){0, 0, 10};
    CHECK_EQ(tp_field_add(made.world, &wind, &field), TP_OK);
    test_world_frames(made.world, 2);
    CHECK_EQ(tp_cloth_triangles(made.world, NULL, 0, &count), TP_OK);
    CHECK_EQ(count, 0);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 64; i++)
        CHECK(view.x[i] == (float)(i % 8) && view.z[i] == 0.0f && view.vz[i] == 0.0f);
    test_world_free(&made);
}

/* ---- state ---- */

/* A step in which a link breaks, and which the game cancels by a call, leaves nothing. */
static void a_cancelled_step_breaks_nothing(void)
{
    uint64_t hash[2];
    for (uint32_t run = 0; run < 2; run++) {
        tp_world_def def = wear_def(2, 11);
        def.cloth.tear = 0.2f;
        def.cloth.yield = 0.1f;
        wear_rope rope = wear_hang(&def, 10, 0.001f, 0);
        tp_world *world = rope.made.world;
        tp_vector far = {0, -1.5f, 0}, near = {0, -1, 0}, none = {0};
        CHECK_EQ(tp_particle_set(world, 10, far, none), TP_OK);
        if (run) CHECK(test_world_run_to(world, TP_STAGE_COLLIDE, 1000));
        if (run) CHECK_EQ(world->step.links_broken, 1);
        CHECK_EQ(tp_particle_set(world, 10, near, none), TP_OK);
        CHECK_EQ(wear_report(world).broken, 0);
        while (world->clock.frame < 2) test_world_frames(world, 1);
        CHECK_EQ(wear_report(world).broken, 0);
        hash[run] = tp_world_hash(world);
        test_world_free(&rope.made);
    }
    CHECK_EQ(hash[0], hash[1]);
}

static void worn_sheets_go_on_in_copies_and_caches(void)
{
    test_world made = wear_story(1000);
    tp_source source = tp_world_source(made.world);
    tp_cache_def def = tp_cache_default(&source);
    tp_cache *cache = NULL;
    tp_block_fault fault;
    tp_world *other = NULL;
    const tp_budget budget = {.units = 2500};
    size_t bytes = 0;
    def.frames_max = 16;
    def.ring_bytes = 1 << 20;
    CHECK_EQ(tp_cache_memory(&def, &bytes), TP_OK);
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64),
         *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
    CHECK_EQ(tp_cache_create(&def, block, bytes, &cache), TP_OK);
    test_world_frames(made.world, 5);
    CHECK(tp_cache_record(cache, &source, NULL) >= TP_OK);
    uint64_t from = tp_world_hash(made.world);
    uint32_t broken = wear_report(made.world).broken;
    CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    CHECK(made.world->step.active && made.world->step.stage == TP_STAGE_FORCE);
    memcpy(copy, made.block, made.bytes);
    CHECK_EQ(tp_world_verify(copy, made.bytes, &fault, &other), TP_OK);
    test_note("%s", fault.expected ? fault.expected : "");
    while (made.world->clock.frame < 12) test_world_frames(made.world, 1);
    while (other && other->clock.frame < 12) test_world_frames(other, 1);
    uint64_t hash = tp_world_hash(made.world);
    CHECK_EQ(tp_world_hash(other), hash);
    CHECK(wear_report(made.world).broken > broken);
    CHECK_EQ(tp_cache_rewind(cache, &source, 5, false, NULL), TP_OK);
    CHECK_EQ(tp_world_hash(made.world), from);
    CHECK_EQ(wear_report(made.world).broken, broken);
    test_world_frames(made.world, 7);
    CHECK_EQ(tp_world_hash(made.world), hash);
    free(block);
    free(copy);
    test_world_free(&made);
}

/* A sheet that is added later moves the constraints of worn ones. */
static void a_second_sheet_keeps_the_wear_of_the_first(void)
{
    tp_world_def def = wear_def(2, 22);
    tp_cloth_def second = tp_cloth_default();
    uint32_t worn = 0;
    def.cloth.sheets_max = 2;
    def.cloth.tear = 0.2f;
    wear_rope rope = wear_hang(&def, 10, 0.001f, 0);
    tp_vector far = {0, -1.5f, 0}, none = {0};
    CHECK_EQ(tp_particle_set(rope.made.world, 10, far, none), TP_OK);
    test_world_frames(rope.made.world, 1);
    worn = wear_report(rope.made.world).broken;
    CHECK(worn > 0);
    second.columns = 11;
    second.rows = 1;
    second.tether = 0;
    second.origin.x = 3;
    (void)sheet_add(rope.made.world, &second);
    CHECK_EQ(wear_report(rope.made.world).broken, worn);
    const float *lengths = tpi_cloth_lengths(rope.made.world, rope.made.world->front),
                *before = tpi_cloth_made(rope.made.world);
    const uint32_t *own = rope.made.world->arrays.own;
    for (uint32_t k = 0; k < wear_report(rope.made.world).constraints; k++) {
        uint32_t a = tpi_words(rope.made.world, own[TPI_CLOTH_FIRST])[k];
        CHECK_NEAR(before[k],
                   a >= 11 ? 0.0625 * (tpi_words(rope.made.world, own[TPI_CLOTH_SECOND])[k] - a)
                           : 0.1,
                   1e-6);
        if (lengths[k] < 0) CHECK(a < 11);
    }
    test_world_frames(rope.made.world, 3);
    CHECK_EQ(wear_report(rope.made.world).broken, worn);
    test_world_free(&rope.made);
}

static void a_forged_length_or_edge_is_found(void)
{
    test_world made = wear_story(65536);
    tp_block_fault fault;
    tp_world *world = NULL;
    test_world_frames(made.world, 2);
    const tp_world_def *def = &made.world->def;
    const uint32_t *own = made.world->arrays.own;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t *word = tpi_words(made.world, k == 0  ? own[TPI_CLOTH_LENGTH]
                                               : k < 3 ? own[TPI_CLOTH_LENGTH_NEXT]
                                                       : own[TPI_CLOTH_EDGE]) +
                         7 + (k == 2 ? def->cloth.constraints_max : 0),
                 was = *word;
        *word = k < 3 ? 0xc0000000u : def->cloth.constraints_max; /* -2 m; no constraint */
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
        test_note("%u: %s", k, fault.expected ? fault.expected : "");
        CHECK(fault.expected && fault.offset == own[k < 3 ? TPI_CLOTH_FIRST : TPI_CLOTH_EDGE] + 28);
        *word = was;
    }
    float *yield = &tpi_cloth_strengths(made.world)->yield, was = *yield;
    *yield = 0.95f;
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
    CHECK_EQ(fault.offset, own[TPI_CLOTH_LENGTH_NEXT] + 8u * def->cloth.constraints_max);
    *yield = was;
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_OK);
    test_world_free(&made);
}

static void wear_has_its_limits_and_bytes(void)
{
    for (uint32_t k = 0; k < 3; k++) {
        static const char *const fields[3] = {"cloth.tear", "cloth.yield", "cloth.yield_max"};
        tp_world_def bad = wear_def(3, 4);
        if (k == 0) bad.cloth.tear = -1;
        if (k == 1) bad.cloth.yield = 1;
        if (k == 2) bad.cloth.yield_max = 11;
        CHECK(tp_world_check(&bad) && strstr(tp_world_check(&bad), fields[k]));
    }
    tp_world_def def = wear_def(3, 100), plain = def;
    size_t bytes = 0, fewer = 0;
    def.cloth.triangles_max = plain.cloth.triangles_max = 200;
    def.cloth.tear = 1;
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
    CHECK_EQ(tp_world_memory(&plain, &fewer), TP_OK);
    CHECK(bytes > fewer && bytes - fewer <= TP_WEAR_BYTES(600, 200));
    tp_cloth_def sheet = tp_cloth_default();
    sheet.columns = sheet.rows = 2;
    test_world made = test_world_make(&def);
    const char *text = tp_cloth_check(made.world, &sheet);
    CHECK(text && strstr(text, "tether must be 0"));
    sheet.tether = 0;
    (void)sheet_add(made.world, &sheet);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_hanging_chain_breaks_at_the_link_that_carries_the_most),
    TEST_CASE(each_sheet_wears_by_its_own_strength),
    TEST_CASE(strengths_of_the_world_change_no_bit),
    TEST_CASE(bad_strengths_are_told),
    TEST_CASE(a_rest_length_yields_to_its_load),
    TEST_CASE(a_pressed_link_stays_shorter),
    TEST_CASE(slices_widths_and_threads_change_no_tear),
    TEST_CASE(torn_triangles_are_those_with_a_broken_edge),
    TEST_CASE(a_sheet_in_shreds_catches_no_wind),
    TEST_CASE(a_cancelled_step_breaks_nothing),
    TEST_CASE(worn_sheets_go_on_in_copies_and_caches),
    TEST_CASE(a_second_sheet_keeps_the_wear_of_the_first),
    TEST_CASE(a_forged_length_or_edge_is_found),
    TEST_CASE(wear_has_its_limits_and_bytes),
};
TEST_SUITE(cloth_wear, cases);
