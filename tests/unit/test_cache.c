/* SPDX-License-Identifier: MIT
   tests/unit/test_cache.c - the ring of frames: definitions, slicing, wrap-around, damage, rewind.
   reads   the swarm of tests/harness/cache_help.h      writes  blocks of its own
   memory  malloc                                       cost    a second
   after   own design; the contract of requests is in tests/physics/test_transitions.c */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- definitions and blocks ---- */

static void the_default_is_good_and_names_its_faults(void)
{
    cache_fixture f;
    fixture_open(&f, 4, 0);
    CHECK(tp_cache_check(&f.def) == NULL);
    CHECK(tp_cache_check(NULL) != NULL);
    tp_cache_def empty = tp_cache_default(NULL);
    CHECK(tp_cache_check(&empty) && strstr(tp_cache_check(&empty), "stream_count"));
    size_t bytes = 1;
    CHECK_EQ(tp_cache_memory(&empty, &bytes), TP_ERROR_DEFINITION);
    CHECK_EQ(bytes, 0);
    tp_cache_def bad = f.def;
    bad.stamp++;
    CHECK_EQ(tp_cache_memory(&bad, &bytes), TP_ERROR_STAMP);
    bad = f.def, bad.step = 0;
    CHECK(strstr(tp_cache_check(&bad), "step") == tp_cache_check(&bad));
    bad = f.def, bad.is_quick = 2;
    CHECK(strstr(tp_cache_check(&bad), "is_quick"));
    bad = f.def, bad.start_frame = 7, bad.end_frame = 6;
    CHECK(strstr(tp_cache_check(&bad), "start_frame"));
    bad = f.def, bad.slice_units = 64u * 5u - 1u;
    CHECK(strstr(tp_cache_check(&bad), "slice_units"));
    bad = f.def, bad.schema.streams[SWARM_POSITION].partner = SWARM_ID;
    CHECK(strstr(tp_cache_check(&bad), "partner"));
    bad = f.def, bad.schema.streams[SWARM_FLAGS].interpolation = TP_INTERPOLATE_IDENTITY;
    CHECK(strstr(tp_cache_check(&bad), "at most one IDENTITY"));
    bad = f.def, memset(bad.schema.streams[0].name, 'x', TP_NAME_BYTES);
    CHECK(strstr(tp_cache_check(&bad), "name"));
    fixture_close(&f);
}

static uint32_t seed_of_test = 1;
static uint32_t any(void)
{
    seed_of_test = seed_of_test * 1664525u + 1013904223u;
    return seed_of_test >> 3;
}

/* Every hostile definition is refused with a text, or makes a cache that works. */
static void hostile_definitions_are_refused_or_work(void)
{
    cache_fixture f;
    fixture_open(&f, 4, 1);
    const tp_cache_def good = f.def;
    uint32_t made = 0;
    for (uint32_t round = 0; round < 1000; round++) {
        f.def = good;
        uint8_t *bytes = (uint8_t *)&f.def;
        for (uint32_t k = 0; k < 1u + round % 4u; k++) {
            size_t at = any() % (sizeof f.def / 4u) * 4u;
            uint32_t values[6] = {0, 1, 0xffffffffu, 0x7fc00000u, any(), 64};
            if (at == 0 && round % 50u) continue;
            memcpy(bytes + at, &values[any() % 6u], 4);
        }
        size_t size;
        tp_result result = tp_cache_memory(&f.def, &size);
        CHECK((tp_cache_check(&f.def) == NULL) == (result == TP_OK) ||
              result == TP_ERROR_DEFINITION);
        if (result != TP_OK || size > (64u << 20)) continue;
        fixture_create(&f);
        tp_cache *cache = f.cache;
        /* the swarm reads with its own schema: a wrong component count must not matter here */
        f.source.schema = f.def.schema;
        bool is_swarm = memcmp(&f.def.schema, &good.schema, sizeof good.schema) == 0;
        if (is_swarm) {
            made++;
            for (uint32_t t = 0; t < 5; t++)
                let(tp_cache_request(cache, &f.source, TP_TIME(any() % 9u), NULL, &f.view));
        }
        free(cache);
        f.cache = NULL;
    }
    CHECK(made > 20);
    fixture_close(&f);
}

static void a_block_one_byte_short_is_refused_and_guards_stay(void)
{
    for (uint32_t frames = 0; frames < 12; frames++) {
        cache_fixture f;
        fixture_open(&f, 50, 1);
        f.def.frames_max = frames;
        f.def.ring_bytes = frames * 1777u;
        CHECK_EQ(tp_cache_memory(&f.def, &f.bytes), TP_OK);
        uint8_t *memory = aligned_alloc(16, (f.bytes + 79u) & ~(size_t)15u);
        memset(memory, 0xa5, f.bytes + 64u);
        CHECK_EQ(tp_cache_create(&f.def, memory, f.bytes - 1u, &f.cache), TP_ERROR_MEMORY);
        CHECK(f.cache == NULL && memory[0] == 0xa5);
        CHECK_EQ(tp_cache_create(&f.def, memory + 4, f.bytes, &f.cache), TP_ERROR_ALIGNMENT);
        CHECK_EQ(tp_cache_create(&f.def, memory, f.bytes, &f.cache), TP_OK);
        CHECK(f.bytes <=
              TP_CACHE_BYTES(f.def.particles_max, SWARM_WORDS, frames, f.def.ring_bytes, 16u));
        for (uint32_t t = 0; t < 30; t++) (void)request_all(&f, TP_TIME(t));
        for (uint32_t t = 30; t-- > 0;) (void)request_all(&f, TP_TIME(t) + 5u);
        for (uint32_t i = 0; i < 64; i++) CHECK(memory[f.bytes + i] == 0xa5);
        CHECK(tp_cache_at(memory, f.bytes) == f.cache && tp_cache_at(memory, f.bytes - 1u) == NULL);
        f.cache = (tp_cache *)(void *)memory;
        fixture_close(&f);
    }
}

static void null_and_foreign_blocks_are_refused(void)
{
    cache_fixture f;
    uint64_t foreign[512] = {0};
    tp_cache *none = (tp_cache *)(void *)foreign;
    fixture_open(&f, 4, 1);
    fixture_create(&f);
    CHECK_EQ(tp_cache_record(NULL, &f.source, NULL), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_record(none, &f.source, NULL), TP_ERROR_BLOCK);
    CHECK_EQ(tp_cache_record(f.cache, NULL, NULL), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_request(f.cache, &f.source, 0, NULL, NULL), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_request(none, &f.source, 0, NULL, &f.view), TP_ERROR_BLOCK);
    CHECK_EQ(tp_cache_rewind(none, &f.source, 0, true, NULL), TP_ERROR_BLOCK);
    CHECK_EQ(tp_cache_bake(none, &f.source, NULL), TP_ERROR_BLOCK);
    CHECK_EQ(tp_cache_clear(none), TP_ERROR_BLOCK);
    CHECK_EQ(tp_cache_changed(NULL, 0), TP_ERROR_NULL);
    CHECK_EQ(tp_cache_detach(NULL), TP_ERROR_NULL);
    CHECK(!tp_cache_has(NULL, 0) && tp_cache_definition(none) == NULL);
    CHECK_EQ(tp_cache_report(none).frames_written, 0);
    tp_source other = f.source;
    other.schema.streams[0].error_bound = 0.5f;
    CHECK_EQ(tp_cache_record(f.cache, &other, NULL), TP_ERROR_SOURCE);
    CHECK_EQ(tp_cache_request(f.cache, &other, 0, NULL, &f.view), TP_ERROR_SOURCE);
    tp_source world = tp_world_source(NULL);
    CHECK_EQ(world.schema.stream_count, 0);
    CHECK_EQ(tp_cache_request(f.cache, &world, 0, NULL, &f.view), TP_ERROR_SOURCE);
    CHECK_EQ(tp_cache_request(f.cache, NULL, 0, NULL, &f.view), TP_ERROR_FRAME);
    fixture_close(&f);
}

/* ---- slicing ---- */

static tp_budget budget_of(uint32_t units, uint32_t write, uint32_t read)
{
    tp_budget budget = {.units = units};
    budget.stage_units[TP_STAGE_CACHE_WRITE] = write;
    budget.stage_units[TP_STAGE_CACHE_READ] = read;
    return budget;
}

static void any_slicing_gives_the_same_bytes(void)
{
    static const uint32_t units[] = {0, 1, 63, 64, 65, 320, 1000, 5000};
    uint8_t *expected = NULL;
    size_t offset = 0, size = 0;
    for (uint32_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        for (uint32_t shares = 0; shares < 2; shares++) {
            cache_fixture f;
            fixture_open(&f, 200, 2);
            f.def.ring_bytes = 30011;
            fixture_create(&f);
            tp_budget budget =
                shares ? budget_of(0, units[u], units[u]) : budget_of(units[u], 0, 0);
            for (uint32_t t = 0; t < 12; t++) {
                while (tp_cache_record(f.cache, &f.source, &budget) == TP_MORE) {
                    CHECK(!tp_cache_has(f.cache, t)); /* an incomplete record is not visible */
                    uint32_t limit = units[u] + f.def.slice_units;
                    CHECK(tp_cache_report(f.cache).units <= limit);
                }
                CHECK(tp_cache_has(f.cache, t));
                swarm_step(f.swarm);
            }
            CHECK(tp_cache_report(f.cache).slice_units_longest <= f.def.slice_units);
            if (!expected) {
                offset = ring_offset(&f.def), size = f.def.ring_bytes;
                expected = malloc(size);
                memcpy(expected, (uint8_t *)f.cache + offset, size);
            }
            test_note("units %u, shares %u", units[u], shares);
            CHECK(memcmp(expected, (uint8_t *)f.cache + offset, size) == 0);
            fixture_close(&f);
        }
    }
    free(expected);
}

static void a_call_tells_its_units_by_stage(void)
{
    cache_fixture f;
    fixture_open(&f, 200, 2);
    fixture_create(&f);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    tp_cache_counters counters = tp_cache_report(f.cache);
    CHECK(counters.write_units > 0 && counters.write_units == counters.units &&
          counters.read_units == 0);
    CHECK_EQ(request_all(&f, TP_TIME(0)), TP_OK);
    counters = tp_cache_report(f.cache);
    CHECK(counters.read_units > 0 && counters.read_units == counters.units &&
          counters.write_units == 0);
    CHECK_EQ(request_all(&f, TP_TIME(3)), TP_OK); /* simulates, records and reads */
    counters = tp_cache_report(f.cache);
    CHECK(counters.write_units > 0 && counters.read_units > 0);
    CHECK_EQ(counters.units, counters.write_units + counters.read_units);
    fixture_close(&f);
}

static void any_slicing_gives_the_same_view(void)
{
    static const uint32_t units[] = {1, 64, 321, 1000};
    static const uint64_t times[] = {TP_TIME(5), TP_TIME(5) + 240240u, TP_TIME(7), TP_TIME(9) + 1u,
                                     TP_TIME(3)};
    for (uint32_t u = 0; u < 4; u++) {
        cache_fixture f, g;
        fixture_open(&f, 150, 3);
        fixture_open(&g, 150, 3);
        f.def.step = g.def.step = 2;
        fixture_create(&f);
        fixture_create(&g);
        tp_budget budget = budget_of(units[u], 0, 0);
        for (uint32_t t = 0; t < 5; t++) {
            tp_result result = TP_MORE;
            for (int turn = 0; turn < 100000 && result == TP_MORE; turn++) {
                result = tp_cache_request(f.cache, &f.source, times[t], &budget, &f.view);
                CHECK(result == TP_OK || f.view.status == TP_CACHE_PARTIAL);
                CHECK(tp_cache_report(f.cache).units <= units[u] + f.def.slice_units);
            }
            CHECK_EQ(result, TP_OK);
            CHECK_EQ(request_all(&g, times[t]), TP_OK);
            CHECK_EQ(f.view.status, g.view.status);
            CHECK_EQ(f.view.count, g.view.count);
            for (uint32_t s = 0; s < 5; s++)
                for (uint32_t c = 0; c < swarm_components(s); c++)
                    CHECK(memcmp((uint32_t *)f.view.values[s] + c * SWARM_MAX,
                                 (uint32_t *)g.view.values[s] + c * SWARM_MAX,
                                 f.view.count * 4u) == 0);
        }
        CHECK_EQ(swarm_hash(&f.swarm->now), swarm_hash(&g.swarm->now));
        fixture_close(&f);
        fixture_close(&g);
    }
}

static void rewind_and_bake_may_be_sliced(void)
{
    for (uint32_t units = 1; units < 2000; units = units * 3 + 1) {
        cache_fixture f;
        fixture_open(&f, 130, 2);
        f.def.end_frame = 15;
        fixture_create(&f);
        tp_budget budget = budget_of(units, 0, 0);
        tp_result result = TP_MORE;
        for (int turn = 0; turn < 1000000 && result == TP_MORE; turn++) {
            result = tp_cache_bake(f.cache, &f.source, &budget);
            if (result == TP_MORE) CHECK_EQ(tp_cache_report(f.cache).flags, TP_CACHE_BAKING);
        }
        CHECK_EQ(result, TP_OK);
        CHECK_EQ(tp_cache_report(f.cache).frames, 16);
        CHECK_EQ(f.swarm->advances, 15);
        uint64_t end = swarm_hash(&f.swarm->now);
        while ((result = tp_cache_rewind(f.cache, &f.source, 6, false, &budget)) == TP_MORE)
            CHECK_EQ(f.swarm->now.frame, 15);
        CHECK_EQ(result, TP_OK);
        swarm_state *expected = swarm_at(130, 2, 6);
        CHECK_EQ(swarm_hash(&f.swarm->now), swarm_hash(expected));
        free(expected);
        (void)end;
        fixture_close(&f);
    }
}

static uint64_t clock_now;
static uint64_t clock_read(void *context)
{
    (void)context;
    return clock_now += 7;
}

static void a_clock_ends_a_call_and_no_call_starves(void)
{
    cache_fixture f;
    fixture_open(&f, 300, 0);
    fixture_create(&f);
    tp_budget budget = {.microseconds = 5, .clock_us = clock_read};
    int calls = 1;
    for (; tp_cache_record(f.cache, &f.source, &budget) == TP_MORE && calls < 1000; calls++)
        continue;
    CHECK(calls > 1 && calls < 100);
    CHECK(tp_cache_has(f.cache, 0));
    fixture_close(&f);
}

/* ---- the ring ---- */

static void the_ring_wraps_at_every_size(void)
{
    uint32_t least = (uint32_t)swarm_frame_bytes(9);
    for (uint32_t bytes = least; bytes < 3u * least + 40u; bytes += 1u + (bytes & 3u)) {
        cache_fixture f;
        fixture_open(&f, 9, 0);
        f.swarm->count_max = 9;
        f.def.ring_bytes = bytes;
        fixture_create(&f);
        for (uint32_t t = 0; t < 40; t++) {
            f.swarm->births_each = t % 3u;
            CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
            tp_cache_counters report = tp_cache_report(f.cache);
            CHECK(report.bytes <= bytes);
            CHECK_EQ(report.frame_last, t);
            CHECK_EQ(report.frames_written - report.frames_evicted, report.frames);
            CHECK_EQ(report.bytes_written - report.bytes_evicted, report.bytes);
            tp_frame_view *view = &f.view;
            for (uint64_t k = report.frame_first; k <= report.frame_last; k++) {
                CHECK_EQ(tp_cache_request(f.cache, NULL, TP_TIME(k), NULL, view), TP_OK);
                CHECK_EQ(view->status, TP_CACHE_EXACT);
            }
            CHECK(view_is(view, &f.swarm->now));
            swarm_step(f.swarm);
        }
        fixture_close(&f);
    }
}

static void a_frame_larger_than_the_ring_is_refused(void)
{
    for (uint32_t less = 0; less < 3; less++) {
        cache_fixture f;
        fixture_open(&f, 100, 0);
        f.def.ring_bytes = (uint32_t)swarm_frame_bytes(100) - less;
        fixture_create(&f);
        CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), less ? TP_ERROR_FULL : TP_OK);
        tp_cache_counters report = tp_cache_report(f.cache);
        CHECK_EQ(report.frames, less ? 0 : 1);
        CHECK_EQ(report.frames_refused, less ? 1 : 0);
        CHECK_EQ(report.bytes, less ? 0 : swarm_frame_bytes(100));
        fixture_close(&f);
    }
}

static void a_refused_frame_evicts_nothing(void)
{
    cache_fixture f;
    fixture_open(&f, 20, 0);
    f.def.ring_bytes = (uint32_t)swarm_frame_bytes(20) * 3u;
    fixture_create(&f);
    CHECK_EQ(request_all(&f, TP_TIME(2)), TP_OK);
    f.swarm->births_each = 200;
    swarm_step(f.swarm);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_ERROR_FULL);
    CHECK_EQ(tp_cache_report(f.cache).frames, 3);
    CHECK_EQ(tp_cache_report(f.cache).frames_evicted, 0);
    fixture_close(&f);
}

static void more_particles_than_the_capacity_are_refused(void)
{
    static const uint32_t capacities[] = {0, 1, 99, 100, 101};
    for (uint32_t k = 0; k < 5; k++) {
        cache_fixture f;
        fixture_open(&f, 100, 0);
        f.def.particles_max = capacities[k];
        fixture_create(&f);
        bool fits = capacities[k] >= 100;
        CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), fits ? TP_OK : TP_ERROR_FULL);
        CHECK_EQ(tp_cache_request(f.cache, &f.source, 0, NULL, &f.view),
                 fits ? TP_OK : TP_ERROR_FULL);
        fixture_close(&f);
    }
}

static void a_frame_without_particles_is_a_frame(void)
{
    cache_fixture f;
    fixture_open(&f, 0, 0);
    f.def.particles_max = 0;
    fixture_create(&f);
    CHECK_EQ(request_all(&f, TP_TIME(3)), TP_OK);
    CHECK_EQ(request_all(&f, TP_TIME(1) + 9u), TP_OK);
    CHECK_EQ(f.view.count, 0);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 2, true, NULL), TP_OK);
    CHECK_EQ(f.swarm->now.frame, 2);
    fixture_close(&f);
}

static void a_view_that_is_too_small_is_cut_and_counted(void)
{
    static const uint32_t capacities[] = {0, 1, 99, 100, 101};
    cache_fixture f;
    fixture_open(&f, 100, 0);
    fixture_create(&f);
    f.swarm->count_max = 0;
    CHECK_EQ(request_all(&f, TP_TIME(2)), TP_OK);
    for (uint32_t k = 0; k < 5; k++) {
        for (uint64_t time = TP_TIME(1); time < TP_TIME(2); time += TP_TICKS_PER_FRAME / 2u) {
            tp_frame_view view;
            view_make(&view, capacities[k]);
            uint32_t expected = capacities[k] < 100 ? capacities[k] : 100;
            CHECK_EQ(tp_cache_request(f.cache, &f.source, time, NULL, &view), TP_OK);
            CHECK_EQ(view.count, expected);
            CHECK_EQ(view.count + view.dropped, 100);
            for (uint32_t i = 1; i < view.count; i++)
                CHECK(((uint32_t *)view.values[SWARM_ID])[i] >
                      ((uint32_t *)view.values[SWARM_ID])[i - 1]);
            view_free(&view);
        }
    }
    fixture_close(&f);
}

/* ---- damage ---- */

static void every_damaged_byte_is_found(void)
{
    cache_fixture f;
    fixture_open(&f, 70, 0);
    f.swarm->count_max = 0;
    fixture_create(&f);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    uint8_t *ring = (uint8_t *)f.cache + ring_offset(&f.def), *copy = malloc(f.bytes);
    uint32_t size = tp_cache_report(f.cache).bytes, found = 0;
    memcpy(copy, f.cache, f.bytes);
    for (uint32_t at = 0; at < size; at++) {
        ring[at] ^= (uint8_t)(1u << at % 8u);
        tp_result read = tp_cache_request(f.cache, NULL, 0, NULL, &f.view);
        /* only a rewind reads the extra data, a view does not */
        bool in_extra = at >= size - 16u - 24u;
        if (!in_extra) CHECK_EQ(read, TP_ERROR_FRAME);
        memcpy(f.cache, copy, f.bytes);
        ring[at] ^= (uint8_t)(1u << at % 8u);
        uint64_t before = swarm_hash(&f.swarm->now);
        CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 0, false, NULL), TP_ERROR_FRAME);
        CHECK(swarm_hash(&f.swarm->now) == before && f.swarm->begins == 0);
        found += tp_cache_report(f.cache).frames_corrupt == 1 ? 1u : 0u;
        memcpy(f.cache, copy, f.bytes);
    }
    CHECK_EQ(found, size);
    CHECK_EQ(tp_cache_request(f.cache, NULL, 0, NULL, &f.view), TP_OK);
    free(copy);
    fixture_close(&f);
}

/* Whole valid records, copied to the position of another record. */
static void a_record_in_another_place_is_damage(void)
{
    cache_fixture f;
    uint8_t kept[4096];
    uint32_t tile = 12u + 64u * 4u * SWARM_WORDS, frame = (uint32_t)swarm_frame_bytes(192);
    fixture_open(&f, 192, 0);
    f.swarm->count_max = 0;
    fixture_create(&f);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    swarm_step(f.swarm);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    uint8_t *ring = (uint8_t *)f.cache + ring_offset(&f.def), *copy = malloc(f.bytes);
    memcpy(copy, f.cache, f.bytes);
    memcpy(kept, ring + 48, tile);
    memcpy(ring + 48, ring + 48 + tile, tile); /* two tiles of a frame exchanged */
    memcpy(ring + 48 + tile, kept, tile);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 0, false, NULL), TP_ERROR_FRAME);
    memcpy(f.cache, copy, f.bytes);
    memcpy(ring + frame + 48, ring + 48, tile); /* a tile of the other frame */
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 1, false, NULL), TP_ERROR_FRAME);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 0, false, NULL), TP_OK);
    free(copy);
    fixture_close(&f);
}

static void a_ring_of_noise_crashes_nothing(void)
{
    cache_fixture f;
    fixture_open(&f, 70, 1);
    f.def.ring_bytes = 30000;
    fixture_create(&f);
    uint8_t *ring = (uint8_t *)f.cache + ring_offset(&f.def);
    for (uint32_t round = 0; round < 300; round++) {
        (void)request_all(&f, TP_TIME(any() % 40u) + any() % 3u * 1000u);
        for (uint32_t k = 0; k < any() % 300u; k++) ring[any() % f.def.ring_bytes] = (uint8_t)any();
        if (round % 7u == 0)
            let(tp_cache_rewind(f.cache, &f.source, any() % 40u, any() % 2u, NULL));
    }
    CHECK(tp_cache_report(f.cache).frames_corrupt > 10);
    fixture_close(&f);
}

/* ---- rewind, snapshots, several caches ---- */

static void a_rewound_source_goes_on_to_the_same_bits(void)
{
    cache_fixture f;
    uint64_t hashes[41];
    fixture_open(&f, 60, 3);
    fixture_create(&f);
    for (uint32_t t = 0; t <= 40; t++) {
        hashes[t] = swarm_hash(&f.swarm->now);
        CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
        if (t < 40) swarm_step(f.swarm);
    }
    for (uint32_t t = 40; t > 0; t -= 5) {
        CHECK_EQ(tp_cache_rewind(f.cache, &f.source, t, t % 2u, NULL), TP_OK);
        CHECK_EQ(swarm_hash(&f.swarm->now), hashes[t]);
        if (t % 2u) CHECK_EQ(tp_cache_report(f.cache).frame_last, t);
    }
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 3, false, NULL), TP_OK);
    CHECK_EQ(f.swarm->now.count > 0, true);
    fixture_close(&f);
}

static void a_refusing_source_keeps_its_state_and_trust(void)
{
    for (uint32_t fails = 1; fails <= 2; fails++) {
        cache_fixture f;
        fixture_open(&f, 30, 1);
        fixture_create(&f);
        CHECK_EQ(request_all(&f, TP_TIME(9)), TP_OK);
        f.swarm->fails = fails;
        CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 4, true, NULL), TP_ERROR_HANDLE);
        CHECK_EQ(tp_cache_report(f.cache).frames, 10);
        CHECK_EQ(f.swarm->now.frame, 9);
        CHECK_EQ(request_all(&f, TP_TIME(10)), TP_OK);
        CHECK_EQ(f.swarm->begins, 1);
        fixture_close(&f);
    }
}

/* A restore that was abandoned has spoilt the source: it is restored from the first frame before it
   simulates. */
static void a_restore_that_is_given_up_is_not_trusted(void)
{
    for (uint32_t looks_away = 0; looks_away < 2; looks_away++) {
        cache_fixture f;
        tp_budget budget = budget_of(1, 0, 0);
        fixture_open(&f, 200, 1);
        f.swarm->is_fragile = true;
        fixture_create(&f);
        CHECK_EQ(request_all(&f, TP_TIME(9)), TP_OK);
        while (f.swarm->begins == 0)
            CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 9, false, &budget), TP_MORE);
        if (looks_away) CHECK_EQ(request_all(&f, TP_TIME(3)), TP_OK);
        CHECK_EQ(request_all(&f, TP_TIME(10)), TP_OK);
        CHECK_EQ(f.swarm->begins, looks_away ? 2 : 1);
        swarm_state *expected = swarm_at(200, 1, 10);
        CHECK_EQ(swarm_hash(&f.swarm->now), swarm_hash(expected));
        free(expected);
        fixture_close(&f);
    }
}

static void a_copied_block_is_a_snapshot(void)
{
    cache_fixture f;
    fixture_open(&f, 200, 1);
    f.def.ring_bytes = 40000;
    fixture_create(&f);
    tp_budget budget = budget_of(200, 0, 0);
    CHECK_EQ(request_all(&f, TP_TIME(6)), TP_OK);
    let(tp_cache_request(f.cache, &f.source, TP_TIME(8), &budget, &f.view));
    let(tp_cache_request(f.cache, &f.source, TP_TIME(8), &budget, &f.view));
    void *copy = aligned_alloc(16, (f.bytes + 15u) & ~(size_t)15u);
    memcpy(copy, f.cache, f.bytes);
    swarm other = *f.swarm;
    tp_source other_source = f.source;
    other_source.context = &other;
    CHECK_EQ(request_all(&f, TP_TIME(8)), TP_OK);
    tp_frame_view view;
    view_make(&view, SWARM_MAX);
    tp_cache *second = tp_cache_at(copy, f.bytes);
    CHECK(second != NULL);
    tp_result result = TP_MORE;
    while (result == TP_MORE)
        result = tp_cache_request(second, &other_source, TP_TIME(8), NULL, &view);
    CHECK_EQ(result, TP_OK);
    CHECK_EQ(swarm_hash(&other.now), swarm_hash(&f.swarm->now));
    CHECK(view_is(&view, &f.swarm->now));
    size_t offset = ring_offset(&f.def);
    CHECK(memcmp((uint8_t *)copy + offset, (uint8_t *)f.cache + offset, f.def.ring_bytes) == 0);
    view_free(&view);
    free(copy);
    fixture_close(&f);
}

static void a_source_that_moves_on_abandons_the_recording(void)
{
    cache_fixture f;
    fixture_open(&f, 200, 0);
    fixture_create(&f);
    tp_budget budget = budget_of(100, 0, 0);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, &budget), TP_MORE);
    swarm_step(f.swarm);
    while (tp_cache_record(f.cache, &f.source, &budget) == TP_MORE) continue;
    CHECK_EQ(tp_cache_report(f.cache).frames_abandoned, 1);
    CHECK(!tp_cache_has(f.cache, 0) && tp_cache_has(f.cache, 1));
    uint64_t units = 0;
    tp_budget one = {.units = 1};
    f.view.capacity = 0;
    CHECK_EQ(tp_cache_clear(f.cache), TP_OK);
    CHECK_EQ(tp_cache_request(f.cache, &f.source, TP_TIME(3), &budget, &f.view), TP_MORE);
    swarm_step(f.swarm); /* while the first frame is being recorded */
    CHECK_EQ(request_all(&f, TP_TIME(3)), TP_OK);
    CHECK_EQ(tp_cache_report(f.cache).frames_abandoned, 2);
    CHECK(!tp_cache_has(f.cache, 1) && tp_cache_has(f.cache, 2));
    CHECK_EQ(swarm_advance(f.swarm, &one, &units), TP_MORE);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_MORE);
    fixture_close(&f);
}

static void a_request_that_changes_its_mind_starts_again(void)
{
    cache_fixture f;
    fixture_open(&f, 250, 0);
    fixture_create(&f);
    CHECK_EQ(request_all(&f, TP_TIME(8)), TP_OK);
    tp_budget budget = budget_of(400, 0, 0);
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t frame = any() % 9u;
        let(tp_cache_request(f.cache, &f.source, TP_TIME(any() % 9u) + any() % 2u, &budget,
                             &f.view));
        if (round % 5u == 0) let(tp_cache_rewind(f.cache, &f.source, any() % 9u, false, NULL));
        if (round % 9u == 0) CHECK_EQ(tp_cache_clear_after(f.cache, 3), TP_OK);
        CHECK_EQ(request_all(&f, TP_TIME(frame)), TP_OK);
        swarm_state *expected = swarm_at(250, 0, frame);
        CHECK(view_is(&f.view, expected));
        free(expected);
    }
    fixture_close(&f);
}

static void two_caches_of_one_source_take_turns(void)
{
    cache_fixture f;
    fixture_open(&f, 40, 1);
    fixture_create(&f);
    tp_cache *first = f.cache;
    fixture_create(&f);
    tp_cache *second = f.cache;
    f.cache = first;
    CHECK_EQ(request_all(&f, TP_TIME(12)), TP_OK);
    f.cache = second;
    f.swarm->now.settings = 2;
    CHECK_EQ(tp_cache_detach(second), TP_OK);
    CHECK_EQ(request_all(&f, TP_TIME(12)), TP_OK);
    swarm_state changed = f.swarm->now;
    f.cache = first;
    f.swarm->now.settings = 0;
    CHECK_EQ(tp_cache_detach(first), TP_OK);
    CHECK_EQ(request_all(&f, TP_TIME(13)), TP_OK);
    swarm_state *expected = swarm_at(40, 1, 13);
    CHECK(view_is(&f.view, expected));
    free(expected);
    CHECK_EQ(request_all(&f, TP_TIME(12)), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_EXACT);
    CHECK(!view_is(&f.view, &changed));
    free(second);
    fixture_close(&f);
}

static void the_activity_graph_lists_every_frame(void)
{
    cache_fixture f;
    fixture_open(&f, 10, 2);
    fixture_create(&f);
    CHECK_EQ(request_all(&f, TP_TIME(9)), TP_OK);
    tp_cache_frame info;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_EQ(tp_cache_frame_at(f.cache, i, &info), TP_OK);
        CHECK_EQ(info.frame, i);
        CHECK_EQ(info.bytes, swarm_frame_bytes(info.particles));
        sum += info.bytes;
    }
    CHECK_EQ(tp_cache_frame_at(f.cache, 10, &info), TP_ERROR_FRAME);
    CHECK_EQ(sum, tp_cache_report(f.cache).bytes);
    fixture_close(&f);
}

static const test_case cases[] = {
    TEST_CASE(the_default_is_good_and_names_its_faults),
    TEST_CASE(hostile_definitions_are_refused_or_work),
    TEST_CASE(a_block_one_byte_short_is_refused_and_guards_stay),
    TEST_CASE(null_and_foreign_blocks_are_refused),
    TEST_CASE(any_slicing_gives_the_same_bytes),
    TEST_CASE(a_call_tells_its_units_by_stage),
    TEST_CASE(any_slicing_gives_the_same_view),
    TEST_CASE(rewind_and_bake_may_be_sliced),
    TEST_CASE(a_clock_ends_a_call_and_no_call_starves),
    TEST_CASE(the_ring_wraps_at_every_size),
    TEST_CASE(a_frame_larger_than_the_ring_is_refused),
    TEST_CASE(a_refused_frame_evicts_nothing),
    TEST_CASE(more_particles_than_the_capacity_are_refused),
    TEST_CASE(a_frame_without_particles_is_a_frame),
    TEST_CASE(a_view_that_is_too_small_is_cut_and_counted),
    TEST_CASE(every_damaged_byte_is_found),
    TEST_CASE(a_record_in_another_place_is_damage),
    TEST_CASE(a_ring_of_noise_crashes_nothing),
    TEST_CASE(a_rewound_source_goes_on_to_the_same_bits),
    TEST_CASE(a_refusing_source_keeps_its_state_and_trust),
    TEST_CASE(a_restore_that_is_given_up_is_not_trusted),
    TEST_CASE(a_copied_block_is_a_snapshot),
    TEST_CASE(a_source_that_moves_on_abandons_the_recording),
    TEST_CASE(a_request_that_changes_its_mind_starts_again),
    TEST_CASE(two_caches_of_one_source_take_turns),
    TEST_CASE(the_activity_graph_lists_every_frame),
};
TEST_SUITE(cache, cases);
