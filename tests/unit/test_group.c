/* SPDX-License-Identifier: MIT
   tests/unit/test_group.c - a cache of grouped frames: bounds, budgets, eviction, damage, small
           budgets.
   reads   the swarm of tests/harness/cache_help.h      writes  blocks of its own
   memory  malloc                                       cost    some seconds
   after   own design; the swarm's particles are born, die, and change their index in every frame */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_BOUND    1e-3f
#define VELOCITY_BOUND 1e-2f

static void group_open(cache_fixture *f, uint32_t count, uint32_t births_each, uint32_t frames)
{
    fixture_open(f, count, births_each);
    f->source.schema.streams[SWARM_POSITION].error_bound = PLACE_BOUND;
    f->source.schema.streams[SWARM_VELOCITY].error_bound = VELOCITY_BOUND;
    f->def = tp_cache_default(&f->source);
    f->def.group_frames = frames;
    f->def.slice_units = 64u * 5u * frames;
    if (f->def.slice_units < 2048u) f->def.slice_units = 2048u;
}

static float plane_of(const tp_frame_view *view, uint32_t stream, uint32_t c, uint32_t k)
{
    return ((const float *)view->values[stream])[c * view->capacity + k];
}

/* Ids, flags and spins equal the swarm's; positions and velocities are within their bounds. */
static bool view_is_near(const tp_frame_view *view, const swarm_state *state)
{
    return view_is_within(view, state, PLACE_BOUND, VELOCITY_BOUND);
}

static uint64_t view_hash(const tp_frame_view *view)
{
    uint64_t hash = view->count;
    for (uint32_t s = 0; s < 5; s++)
        for (uint32_t c = 0; c < swarm_components(s); c++)
            for (uint32_t k = 0; k < view->count; k++)
                hash = (hash ^ ((const uint32_t *)view->values[s])[c * view->capacity + k]) *
                       0x9e3779b97f4a7c15u;
    return hash;
}

/* Simulates and records frame after frame, each in as many calls as necessary. */
static void run_to(cache_fixture *f, uint64_t frame, uint32_t units)
{
    tp_budget budget = {.units = units};
    while (f->swarm->now.frame < frame) {
        tp_result result = TP_MORE;
        for (int turn = 0; turn < 100000 && result == TP_MORE; turn++)
            result = tp_cache_record(f->cache, &f->source, units ? &budget : NULL);
        if (!CHECK_EQ(result, TP_OK)) return;
        swarm_step(f->swarm);
    }
}

/* Requests a recorded frame without the source: nothing is simulated. */
static tp_result show(cache_fixture *f, uint64_t frame, uint32_t units)
{
    tp_budget budget = {.units = units};
    tp_result result = TP_MORE;
    for (int turn = 0; turn < 100000 && result == TP_MORE; turn++)
        result = tp_cache_request(f->cache, NULL, TP_TIME(frame), units ? &budget : NULL, &f->view);
    return result;
}

static void every_frame_is_within_its_bound_forwards_and_backwards(void)
{
    static const uint32_t groups[] = {2, 7, 16, 64};
    for (uint32_t g = 0; g < 4; g++) {
        cache_fixture f;
        group_open(&f, 150, 1, groups[g]);
        f.def.ring_bytes = 4u << 20;
        fixture_create(&f);
        run_to(&f, 140, 0);
        for (uint32_t turn = 0; turn < 280; turn++) {
            uint64_t frame = turn < 140 ? turn : 279u - turn;
            swarm_state *truth = swarm_at(150, 1, frame);
            CHECK_EQ(show(&f, frame, 0), TP_OK);
            test_note("groups of %u, frame %u", groups[g], (uint32_t)frame);
            CHECK_EQ(f.view.status, TP_CACHE_EXACT);
            CHECK(view_is_near(&f.view, truth));
            free(truth);
        }
        fixture_close(&f);
    }
}

/* Staged, half encoded, or encoded: the frame shows the same bits, for every budget. */
static void a_frame_shows_the_same_bits_before_and_after_it_is_packed(void)
{
    static uint64_t hashes[60];
    static const uint32_t budgets[] = {0, 3000, 20000};
    for (uint32_t b = 0; b < 3; b++) {
        cache_fixture f;
        group_open(&f, 200, 1, 10);
        fixture_create(&f);
        for (uint32_t frame = 0; frame < 60; frame++) {
            run_to(&f, frame + 1u, budgets[b]);
            CHECK_EQ(show(&f, frame, 0), TP_OK);
            CHECK_EQ(f.view.status, TP_CACHE_EXACT);
            if (b == 0) hashes[frame] = view_hash(&f.view);
            CHECK_EQ(view_hash(&f.view), hashes[frame]);
        }
        for (uint32_t frame = 0; frame < 60; frame++) {
            CHECK_EQ(show(&f, frame, 5000), TP_OK);
            test_note("budget %u, frame %u", budgets[b], frame);
            CHECK_EQ(view_hash(&f.view), hashes[frame]);
        }
        CHECK_EQ(tp_cache_report(f.cache).frames, 60);
        fixture_close(&f);
    }
}

static void no_slice_is_longer_than_the_definition_says(void)
{
    cache_fixture f;
    group_open(&f, 280, 1, 16);
    fixture_create(&f);
    run_to(&f, 70, 4000);
    for (uint32_t frame = 0; frame < 70; frame += 7) CHECK_EQ(show(&f, frame, 1), TP_OK);
    tp_cache_counters report = tp_cache_report(f.cache);
    test_note("a slice of %u units", report.slice_units_longest);
    CHECK(report.slice_units_longest <= f.def.slice_units);
    CHECK(report.slice_units_longest > 64);
    fixture_close(&f);
}

static void groups_take_a_fraction_of_the_bytes(void)
{
    cache_fixture f, raw;
    group_open(&f, 256, 0, 32);
    fixture_open(&raw, 256, 0);
    f.def.recorded_streams = 1u << SWARM_ID | 1u << SWARM_POSITION;
    f.def.ring_bytes = raw.def.ring_bytes = 8u << 20;
    fixture_create(&f), fixture_create(&raw);
    run_to(&f, 65, 0), run_to(&raw, 65, 0);
    uint64_t packed = tp_cache_report(f.cache).bytes, kept = tp_cache_report(raw.cache).bytes;
    test_note("%u bytes packed, %u raw", (uint32_t)packed, (uint32_t)kept);
    CHECK_EQ(tp_cache_report(f.cache).frames, 65);
    CHECK(packed > 0 && packed * 25u < kept);
    fixture_close(&f), fixture_close(&raw);
}

/* The oldest frames are evicted, the bytes of a group with its last frame. Nothing is written
   outside the block. */
static void the_ring_goes_round_and_guards_stay(void)
{
    for (uint32_t round = 0; round < 6; round++) {
        cache_fixture f;
        group_open(&f, 130, 1, 5u + round);
        f.def.frames_max = 40;
        f.def.ring_bytes = 30000u + 777u * round;
        CHECK_EQ(tp_cache_memory(&f.def, &f.bytes), TP_OK);
        CHECK(f.bytes <=
              TP_CACHE_BYTES(f.def.particles_max, SWARM_WORDS, 40, f.def.ring_bytes, 16u) +
                  TP_GROUP_BYTES(f.def.particles_max, 6u, 5u, f.def.group_frames));
        uint8_t *memory = aligned_alloc(16, (f.bytes + 79u) & ~(size_t)15u);
        memset(memory, 0xa5, f.bytes + 64u);
        CHECK_EQ(tp_cache_create(&f.def, memory, f.bytes - 1u, &f.cache), TP_ERROR_MEMORY);
        CHECK_EQ(tp_cache_create(&f.def, memory, f.bytes, &f.cache), TP_OK);
        run_to(&f, 150, round % 2u ? 9000 : 0);
        tp_cache_counters report = tp_cache_report(f.cache);
        CHECK(report.bytes <= f.def.ring_bytes && report.frames_evicted > 50);
        CHECK_EQ(report.frame_last, 149);
        CHECK_EQ(report.frames + report.frames_evicted, 150);
        for (uint64_t frame = report.frame_first; frame <= report.frame_last; frame++) {
            swarm_state *truth = swarm_at(130, 1, frame);
            CHECK_EQ(show(&f, frame, 0), TP_OK);
            CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, truth));
            free(truth);
        }
        for (uint32_t i = 0; i < 64; i++) CHECK(memory[f.bytes + i] == 0xa5);
        fixture_close(&f);
    }
}

/* A change of any byte of the ring is found, or has no effect. */
static void damage_is_found_or_does_not_matter(void)
{
    cache_fixture f;
    group_open(&f, 90, 1, 6);
    f.def.ring_bytes = 20000;
    fixture_create(&f);
    run_to(&f, 14, 0);
    swarm_state *truth = swarm_at(90, 1, 4);
    size_t ring = ring_offset(&f.def);
    uint8_t *copy = malloc(f.bytes), *block = (uint8_t *)f.cache;
    memcpy(copy, block, f.bytes);
    uint32_t found = 0, used = tp_cache_report(f.cache).bytes;
    for (uint32_t at = 0; at < used; at++) {
        block[ring + at] ^= (uint8_t)(1u << at % 8u);
        (void)show(&f, 4, 0);
        bool is_shown = f.view.status == TP_CACHE_EXACT;
        found += !is_shown;
        CHECK(!is_shown || view_is_near(&f.view, truth));
        memcpy(block, copy, f.bytes);
    }
    test_note("%u of %u found", found, used);
    CHECK(found > used / 4u);
    free(copy), free(truth);
    fixture_close(&f);
}

static void frames_are_dropped_and_recorded_anew_in_the_midst_of_a_group(void)
{
    for (uint32_t at = 11; at < 24; at++) {
        cache_fixture f;
        group_open(&f, 100, 1, 8);
        fixture_create(&f);
        run_to(&f, 24, at % 2u ? 6000 : 0);
        swarm_state *then = swarm_at(100, 1, at + 1u);
        CHECK_EQ(tp_cache_clear_after(f.cache, at), TP_OK);
        CHECK_EQ(tp_cache_report(f.cache).frame_last, at);
        f.swarm->now = *then;
        free(then);
        run_to(&f, 40, at % 3u ? 6000 : 0);
        for (uint32_t frame = 0; frame < 40; frame++) {
            swarm_state *truth = swarm_at(100, 1, frame);
            test_note("dropped after %u, frame %u", at, frame);
            CHECK_EQ(show(&f, frame, 0), TP_OK);
            CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, truth));
            free(truth);
        }
        fixture_close(&f);
    }
}

/* A move too large for a group's lattice begins another group. A position too large for the
   precision of floats is refused. */
static void jumps_begin_groups_and_places_out_of_reach_are_refused(void)
{
    cache_fixture f;
    group_open(&f, 40, 0, 12);
    fixture_create(&f);
    run_to(&f, 5, 0);
    f.swarm->now.x[0][3] = 150.0f;
    f.swarm->now.x[2][7] = -300.0f;
    swarm_state jumped = f.swarm->now;
    run_to(&f, 6, 0);
    CHECK_EQ(show(&f, 5, 0), TP_OK);
    CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, &jumped));
    f.swarm->now.x[0][3] = 1e6f;
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_ERROR_FULL);
    f.swarm->now.x[0][3] = NAN;
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_ERROR_FULL);
    f.swarm->now.x[0][3] = 1.0f;
    jumped = f.swarm->now;
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    CHECK_EQ(show(&f, 6, 0), TP_OK);
    CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, &jumped));
    CHECK_EQ(tp_cache_report(f.cache).frames_refused, 2);
    fixture_close(&f);
}

/* A full cache with the stop policy keeps all recorded frames, in the ring or staged. */
static void a_cache_that_stops_loses_nothing(void)
{
    cache_fixture f;
    group_open(&f, 120, 0, 8);
    f.def.policy = TP_CACHE_STOP;
    f.def.ring_bytes = 24000;
    fixture_create(&f);
    uint32_t taken = 0;
    for (; taken < 250; taken++) {
        if (tp_cache_record(f.cache, &f.source, NULL) != TP_OK) break;
        swarm_step(f.swarm);
    }
    test_note("%u frames taken", taken);
    CHECK(taken > 24 && taken < 250);
    CHECK_EQ(tp_cache_report(f.cache).frames, taken);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_ERROR_FULL);
    for (uint32_t frame = 0; frame < taken; frame++) {
        swarm_state *truth = swarm_at(120, 0, frame);
        CHECK_EQ(show(&f, frame, 0), TP_OK);
        CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, truth));
        free(truth);
    }
    CHECK_EQ(tp_cache_clear(f.cache), TP_OK);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    fixture_close(&f);
}

static void a_ring_too_small_for_a_group_counts_what_it_loses(void)
{
    cache_fixture f;
    group_open(&f, 200, 0, 8);
    f.def.ring_bytes = 600;
    fixture_create(&f);
    run_to(&f, 100, 0);
    tp_cache_counters report = tp_cache_report(f.cache);
    CHECK(report.frames_refused >= 80 && report.frames <= 16 && report.bytes <= 600);
    CHECK_EQ(report.frames + report.frames_refused + report.frames_evicted, 100);
    CHECK_EQ(show(&f, 99, 0), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_EXACT);
    fixture_close(&f);
}

/* With too small budgets, frames are skipped and counted; recorded frames are correct. */
static void a_starved_recorder_skips_frames_and_counts_them(void)
{
    cache_fixture f;
    group_open(&f, 200, 1, 8);
    fixture_create(&f);
    tp_budget budget = {.units = 1500};
    for (uint32_t frame = 0; frame < 120; frame++) {
        let(tp_cache_record(f.cache, &f.source, &budget));
        swarm_step(f.swarm);
    }
    tp_cache_counters report = tp_cache_report(f.cache);
    test_note("%u kept, %u given up", report.frames, (uint32_t)report.frames_abandoned);
    CHECK(report.frames > 5 && report.frames_abandoned > 5);
    for (uint32_t k = 0; k < report.frames; k++) {
        tp_cache_frame frame;
        CHECK_EQ(tp_cache_frame_at(f.cache, k, &frame), TP_OK);
        swarm_state *truth = swarm_at(200, 1, frame.frame);
        CHECK_EQ(show(&f, frame.frame, 0), TP_OK);
        CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, truth));
        free(truth);
    }
    fixture_close(&f);
}

/* Calls for frames that are not due continue to encode staged frames. */
static void packing_goes_on_between_the_frames_that_are_due(void)
{
    cache_fixture f;
    group_open(&f, 200, 0, 6);
    f.def.step = 4;
    fixture_create(&f);
    tp_budget budget = {.units = 1900};
    for (uint32_t frame = 0; frame < 200; frame++) {
        tp_result result = TP_MORE;
        for (uint32_t turn = 0; turn < 2 && result == TP_MORE; turn++)
            result = tp_cache_record(f.cache, &f.source, &budget);
        swarm_step(f.swarm);
    }
    test_note("%u frames, %u abandoned", tp_cache_report(f.cache).frames,
              (uint32_t)tp_cache_report(f.cache).frames_abandoned);
    CHECK_EQ(tp_cache_report(f.cache).frames, 50);
    CHECK(tp_cache_report(f.cache).bytes > 0);
    fixture_close(&f);
}

/* Alternates slices of reading and of recording: a frame may be encoded or evicted while it is
   being read. */
static void reading_and_recording_may_take_turns(void)
{
    cache_fixture f;
    uint32_t state = 11, shown = 0, changed = 0;
    group_open(&f, 200, 1, 6);
    f.def.ring_bytes = 60000;
    fixture_create(&f);
    uint64_t wanted = 0;
    for (uint32_t turn = 0; turn < (test_is_long() ? 6000u : 2000u); turn++) {
        state = state * 1664525u + 1013904223u;
        tp_budget budget = {.units = 300u + (state >> 8) % 3000u};
        if (state >> 28 < 7u && tp_cache_record(f.cache, &f.source, &budget) == TP_OK)
            swarm_step(f.swarm);
        tp_cache_counters report = tp_cache_report(f.cache);
        if (!report.frames) continue;
        if (wanted < report.frame_first) wanted = report.frame_first, changed++;
        /* with the source, which may simulate and record, or without */
        bool is_own = state >> 20 & 1u;
        f.source.restart = NULL;
        tp_result result =
            tp_cache_request(f.cache, is_own ? &f.source : NULL, TP_TIME(wanted), &budget, &f.view);
        if (result == TP_MORE) continue;
        test_note("turn %u, frame %u of %u to %u", turn, (uint32_t)wanted,
                  (uint32_t)report.frame_first, (uint32_t)report.frame_last);
        swarm_state *truth = swarm_at(200, 1, wanted);
        if (f.view.status == TP_CACHE_EXACT) CHECK(view_is_near(&f.view, truth));
        shown += f.view.status == TP_CACHE_EXACT;
        free(truth);
        report = tp_cache_report(f.cache);
        wanted = report.frame_last - (state >> 12) % (report.frame_last - report.frame_first + 1u);
    }
    test_note("%u shown, %u evicted while being read", shown, changed);
    CHECK(shown > 100);
    CHECK_EQ(tp_cache_report(f.cache).frames_corrupt, 0);
    fixture_close(&f);
}

/* Frames are dropped at both ends, in the middle, and while one is being recorded; the remaining
   frames are correct. */
static void drop_at_any_moment(bool is_exact)
{
    cache_fixture f;
    uint32_t state = 17, shown = 0;
    group_open(&f, 150, 1, 5);
    if (is_exact) f.source.schema.streams[SWARM_POSITION].error_bound = 0;
    if (is_exact) f.source.schema.streams[SWARM_VELOCITY].error_bound = 0;
    f.def.schema = f.source.schema;
    f.def.ring_bytes = 200000;
    fixture_create(&f);
    for (uint32_t turn = 0; turn < (test_is_long() ? 4000u : 1500u); turn++) {
        state = state * 1664525u + 1013904223u;
        tp_budget budget = {.units = 200u + (state >> 8) % 1500u};
        tp_cache_counters report = tp_cache_report(f.cache);
        uint64_t at =
            report.frame_first + (state >> 12) % (report.frame_last - report.frame_first + 2u);
        switch (state >> 26) {
        case 0: let(tp_cache_clear_before(f.cache, at)); break;
        case 1: let(tp_cache_clear_before(f.cache, f.swarm->now.frame)); break;
        case 2: let(tp_cache_clear_frame(f.cache, at)); break;
        case 3: let(tp_cache_flush(f.cache, &budget)); break;
        case 4: let(tp_cache_clear_frame(f.cache, report.frame_last)); break;
        default:
            if (tp_cache_record(f.cache, &f.source, &budget) == TP_OK) swarm_step(f.swarm);
            continue;
        }
        report = tp_cache_report(f.cache);
        for (uint64_t frame = report.frame_first; report.frames && frame <= report.frame_last;
             frame++) {
            if (!tp_cache_has(f.cache, frame)) continue;
            swarm_state *truth = swarm_at(150, 1, frame);
            test_note("turn %u, frame %u", turn, (uint32_t)frame);
            CHECK_EQ(show(&f, frame, 0), TP_OK);
            CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, truth));
            shown++;
            free(truth);
        }
    }
    CHECK(shown > (test_is_long() ? 300u : 100u));
    CHECK_EQ(tp_cache_report(f.cache).frames_corrupt, 0);
    fixture_close(&f);
}

static void dropping_may_come_at_any_moment(void)
{
    drop_at_any_moment(false);
    drop_at_any_moment(true);
}

static void only_what_is_wanted_is_recorded(void)
{
    cache_fixture f;
    group_open(&f, 50, 0, 8);
    f.def.recorded_streams = 1u << SWARM_ID | 1u << SWARM_POSITION;
    fixture_create(&f);
    run_to(&f, 20, 0);
    memset(f.view.values[SWARM_VELOCITY], 0x5a, 12u * SWARM_MAX);
    swarm_state *first = swarm_at(50, 0, 12), *second = swarm_at(50, 0, 13);
    CHECK_EQ(tp_cache_request(f.cache, NULL, TP_TIME(12) + TP_TICKS_PER_FRAME / 2u, NULL, &f.view),
             TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_INTERPOLATED);
    CHECK_EQ(((uint32_t *)f.view.values[SWARM_VELOCITY])[0], 0x5a5a5a5au);
    for (uint32_t k = 0; k < f.view.count; k++) {
        uint32_t i = 0, j = 0, id = ((uint32_t *)f.view.values[SWARM_ID])[k];
        while (first->id[i] != id) i++;
        while (second->id[j] != id) j++;
        for (uint32_t c = 0; c < 3; c++) {
            float middle = 0.5f * (first->x[c][i] + second->x[c][j]);
            CHECK(fabsf(plane_of(&f.view, SWARM_POSITION, c, k) - middle) <= 1.01f * PLACE_BOUND);
        }
    }
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 12, false, NULL), TP_ERROR_SOURCE);
    free(first), free(second);
    fixture_close(&f);
}

/* A request simulates missing frames and records them, as with single frames. */
static void requests_record_what_they_simulate(void)
{
    cache_fixture f;
    group_open(&f, 100, 1, 8);
    fixture_create(&f);
    for (uint32_t frame = 0; frame < 50; frame += 3)
        CHECK_EQ(request_all(&f, TP_TIME(frame)), TP_OK);
    CHECK_EQ(tp_cache_report(f.cache).frames, 49);
    for (uint32_t frame = 49; frame-- > 0;) {
        swarm_state *truth = swarm_at(100, 1, frame);
        CHECK_EQ(request_all(&f, TP_TIME(frame)), TP_OK);
        CHECK(f.view.status == TP_CACHE_EXACT && view_is_near(&f.view, truth));
        free(truth);
    }
    fixture_close(&f);
}

/* A copied block continues with the same bytes as the original. */
static void a_copy_goes_on_to_the_same_bytes(void)
{
    cache_fixture f;
    group_open(&f, 150, 1, 8);
    fixture_create(&f);
    run_to(&f, 21, 3000);
    uint8_t *copy = aligned_alloc(16, (f.bytes + 15u) & ~(size_t)15u);
    memcpy(copy, f.cache, f.bytes);
    swarm *twin = malloc(sizeof *twin);
    *twin = *f.swarm;
    run_to(&f, 60, 3000);
    tp_cache *first = f.cache;
    swarm *own = f.swarm;
    f.cache = tp_cache_at(copy, f.bytes);
    f.swarm = twin, f.source.context = twin;
    run_to(&f, 60, 3000);
    CHECK(memcmp(copy, first, f.bytes) == 0);
    free(copy), free(twin);
    f.cache = first, f.swarm = own;
    fixture_close(&f);
}

static void definitions_name_what_groups_lack(void)
{
    cache_fixture f;
    group_open(&f, 4, 0, 8);
    CHECK(tp_cache_check(&f.def) == NULL);
    tp_cache_def bad = f.def;
    bad.group_frames = 65;
    CHECK(strstr(tp_cache_check(&bad), "group_frames"));
    bad = f.def, bad.group_frames = 1, bad.recorded_streams = 1;
    CHECK(strstr(tp_cache_check(&bad), "recorded_streams"));
    bad = f.def, bad.recorded_streams = 1u << SWARM_POSITION;
    CHECK(strstr(tp_cache_check(&bad), "identity"));
    bad = f.def, bad.recorded_streams = 1u << SWARM_ID;
    CHECK(strstr(tp_cache_check(&bad), "recorded_streams"));
    bad = f.def, bad.frames_max = 23;
    CHECK(strstr(tp_cache_check(&bad), "frames_max"));
    bad = f.def, bad.slice_units = 64u * 5u * 8u - 1u;
    CHECK(strstr(tp_cache_check(&bad), "slice_units"));
    fixture_close(&f);
}

static const test_case cases[] = {
    TEST_CASE(definitions_name_what_groups_lack),
    TEST_CASE(every_frame_is_within_its_bound_forwards_and_backwards),
    TEST_CASE(a_frame_shows_the_same_bits_before_and_after_it_is_packed),
    TEST_CASE(no_slice_is_longer_than_the_definition_says),
    TEST_CASE(groups_take_a_fraction_of_the_bytes),
    TEST_CASE(the_ring_goes_round_and_guards_stay),
    TEST_CASE(damage_is_found_or_does_not_matter),
    TEST_CASE(frames_are_dropped_and_recorded_anew_in_the_midst_of_a_group),
    TEST_CASE(jumps_begin_groups_and_places_out_of_reach_are_refused),
    TEST_CASE(a_cache_that_stops_loses_nothing),
    TEST_CASE(a_ring_too_small_for_a_group_counts_what_it_loses),
    TEST_CASE(a_starved_recorder_skips_frames_and_counts_them),
    TEST_CASE(packing_goes_on_between_the_frames_that_are_due),
    TEST_CASE(reading_and_recording_may_take_turns),
    TEST_CASE(dropping_may_come_at_any_moment),
    TEST_CASE(only_what_is_wanted_is_recorded),
    TEST_CASE(requests_record_what_they_simulate),
    TEST_CASE(a_copy_goes_on_to_the_same_bytes),
};
TEST_SUITE(group, cases);
