/* SPDX-License-Identifier: MIT
   tests/unit/test_resume.c - any frame of the window is simulated again from a snapshot and the
           inputs.
   reads   the swarm of tests/harness/cache_help.h      writes  blocks of its own
   memory  malloc                                       cost    a second
   after   own design; the reference is the uninterrupted run. For worlds: tests/golden,
           resumed_2d */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>

#define FRAMES 120u

typedef struct resume_run {
    cache_fixture f;
    uint64_t hashes[FRAMES + 1u]; /* of each frame, before its inputs */
} resume_run;

/* An input or none, chosen by frame and story. */
static uint32_t input_of(uint64_t frame, uint32_t story, uint8_t *bytes)
{
    uint32_t size = (uint32_t)(frame * 7u + story * 3u) % 9u;
    for (uint32_t b = 0; b < size; b++) bytes[b] = (uint8_t)(frame * 31u + b * 17u + story);
    return frame % 3u == 0 ? 0 : size;
}

/* Plays like a game: shows, records, gives inputs in one or two pieces, simulates. */
static void play(resume_run *run, uint64_t to, uint32_t story)
{
    cache_fixture *f = &run->f;
    while (f->swarm->now.frame < to) {
        uint64_t frame = f->swarm->now.frame;
        uint8_t bytes[16];
        uint32_t size = input_of(frame, story, bytes), half = size > 4u ? 3u : size;
        run->hashes[frame] = swarm_hash(&f->swarm->now);
        CHECK_EQ(tp_cache_record(f->cache, &f->source, NULL), TP_OK);
        for (uint32_t part = 0; part < (size > half ? 2u : size ? 1u : 0u); part++) {
            const uint8_t *data = bytes + (part ? half : 0u);
            CHECK_EQ(tp_cache_input(f->cache, &f->source, data, part ? size - half : half), TP_OK);
            CHECK_EQ(swarm_input(f->swarm, data, part ? size - half : half), TP_OK);
        }
        swarm_step(f->swarm);
    }
    run->hashes[to] = swarm_hash(&f->swarm->now);
    CHECK_EQ(tp_cache_record(f->cache, &f->source, NULL), TP_OK);
}

/* single snapshots, and snapshots in groups */
static const uint32_t groups[] = {1, 2, 7};

static void run_open(resume_run *run, uint32_t step, uint32_t group)
{
    fixture_open(&run->f, 60, 1);
    run->f.def.step = step;
    run->f.def.group_frames = group;
    run->f.def.slice_units = 64u * 5u * 7u;
    run->f.def.input_bytes = 8192;
    fixture_create(&run->f);
}

static tp_result resume(cache_fixture *f, uint64_t frame, bool drops_later, uint32_t units)
{
    tp_budget budget = {.units = units};
    tp_result result = TP_MORE;
    for (uint32_t turn = 0; turn < 100000u && result == TP_MORE; turn++)
        result = tp_cache_resume(f->cache, &f->source, frame, drops_later, units ? &budget : NULL);
    return result;
}

static void any_frame_resumes_to_the_same_hash_in_any_order(void)
{
    static const uint32_t steps[] = {1, 8, 50}, budgets[] = {0, 1, 300};
    for (uint32_t s = 0; s < 9; s++) {
        resume_run run;
        run_open(&run, steps[s / 3u], groups[s % 3u]);
        play(&run, FRAMES, 0);
        uint32_t state = 5;
        for (uint32_t turn = 0; turn < 150; turn++) {
            uint64_t frame = (state = state * 1664525u + 1013904223u) >> 8;
            frame %= FRAMES + 1u;
            test_note("step %u, group %u, turn %u, frame %u", steps[s / 3u], groups[s % 3u], turn,
                      (uint32_t)frame);
            CHECK_EQ(resume(&run.f, frame, false, budgets[turn % 3u]), TP_OK);
            CHECK_EQ(run.f.swarm->now.frame, frame);
            CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[frame]);
        }
        fixture_close(&run.f);
    }
}

static void simulate_what_lies_between(uint32_t group)
{
    resume_run run;
    run_open(&run, 10, group);
    play(&run, FRAMES, 0);
    uint32_t before = run.f.swarm->advances;
    CHECK_EQ(resume(&run.f, 57, false, 0), TP_OK);
    CHECK_EQ(run.f.swarm->advances - before, 7);
    CHECK_EQ(resume(&run.f, 59, false, 0), TP_OK); /* simulates on from there */
    CHECK_EQ(run.f.swarm->advances - before, 9);
    CHECK_EQ(tp_cache_report(run.f.cache).restores, 1);
    CHECK_EQ(resume(&run.f, 60, false, 0), TP_OK); /* recorded: restored */
    CHECK_EQ(resume(&run.f, 58, false, 0), TP_OK);
    CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[58]);
    CHECK(tp_cache_report(run.f.cache).inputs_replayed > 0);
    fixture_close(&run.f);
}

static void what_lies_between_is_simulated_and_no_more(void)
{
    for (uint32_t g = 0; g < 3; g++) simulate_what_lies_between(groups[g]);
}

/* Other inputs from a frame on: later frames and inputs are forgotten. */
static void another_story_begins_where_the_game_acts_again(void)
{
    for (uint32_t at = 37; at < 44; at++) {
        resume_run run, other;
        run_open(&run, 8, groups[at % 3u]), run_open(&other, 8, groups[at % 3u]);
        play(&run, FRAMES, 0);
        play(&other, at, 0);
        bool acts = at == 40; /* a new input drops later frames, too */
        CHECK_EQ(resume(&run.f, at, !acts, 0), TP_OK);
        if (acts) CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, NULL, 0), TP_OK);
        CHECK(tp_cache_report(run.f.cache).frame_last <= at);
        play(&run, FRAMES, 1), play(&other, FRAMES, 1);
        CHECK_EQ(run.hashes[FRAMES], other.hashes[FRAMES]);
        for (uint64_t frame = FRAMES; frame > 3u; frame -= 3u) {
            CHECK_EQ(resume(&run.f, frame, false, 0), TP_OK);
            CHECK_EQ(swarm_hash(&run.f.swarm->now),
                     frame <= at ? run.hashes[frame] : other.hashes[frame]);
        }
        fixture_close(&run.f), fixture_close(&other.f);
    }
}

/* A request that simulates also applies the inputs again. */
static void request_inputs_again(uint32_t group)
{
    resume_run run;
    run_open(&run, 16, group);
    play(&run, FRAMES, 0);
    CHECK_EQ(resume(&run.f, 70, false, 0), TP_OK);
    CHECK_EQ(tp_cache_clear_after(run.f.cache, 70), TP_OK);
    CHECK_EQ(request_all(&run.f, TP_TIME(90)), TP_OK);
    CHECK_EQ(run.f.swarm->now.frame, 90);
    CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[90]);
    fixture_close(&run.f);
}

static void requests_do_inputs_again(void)
{
    for (uint32_t g = 0; g < 3; g++) request_inputs_again(groups[g]);
}

static void fill_with_inputs(uint32_t group)
{
    resume_run run;
    fixture_open(&run.f, 60, 1);
    run.f.def.step = 4;
    run.f.def.input_bytes = 1024;
    run.f.def.group_frames = group;
    run.f.def.frames_max = 4u + group;
    fixture_create(&run.f);
    play(&run, FRAMES, 0);
    tp_cache_counters report = tp_cache_report(run.f.cache);
    CHECK(report.input_bytes <= 1024 && report.inputs > 5 && report.inputs_refused == 0);
    for (uint64_t frame = report.frame_first; frame <= FRAMES; frame++) {
        CHECK_EQ(resume(&run.f, frame, false, 0), TP_OK);
        CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[frame]);
    }
    CHECK_EQ(tp_cache_resume(run.f.cache, &run.f.source, report.frame_first - 1u, false, NULL),
             TP_ERROR_FRAME);
    uint8_t many[TP_INPUT_BYTES_MAX + 1u] = {0};
    CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, many, 1000), TP_ERROR_FULL);
    CHECK_EQ(tp_cache_report(run.f.cache).inputs_refused, 1);
    CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, many, sizeof many), TP_ERROR_DEFINITION);
    swarm_step(run.f.swarm), swarm_step(run.f.swarm), swarm_step(run.f.swarm),
        swarm_step(run.f.swarm);
    /* the frame is due, and not recorded */
    CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, many, 1), TP_ERROR_FRAME);
    run.f.source.input = NULL;
    CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, many, 1), TP_ERROR_SOURCE);
    fixture_close(&run.f);
}

static void old_inputs_make_room_and_full_is_told(void)
{
    fill_with_inputs(1);
    fill_with_inputs(2);
}

static void go_round_damage(uint32_t group)
{
    resume_run run;
    run_open(&run, 10, group);
    play(&run, FRAMES, 0);
    CHECK_EQ(tp_cache_flush(run.f.cache, NULL), TP_OK);
    uint8_t *ring = (uint8_t *)run.f.cache + ring_offset(&run.f.def);
    uint32_t bytes = tp_cache_report(run.f.cache).bytes;
    ring[bytes / 4u * 3u] ^= 4u;
    for (uint64_t frame = 0; frame <= FRAMES; frame += 5u) {
        CHECK_EQ(resume(&run.f, frame, false, 0), TP_OK);
        CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[frame]);
    }
    uint64_t corrupt = tp_cache_report(run.f.cache).frames_corrupt;
    CHECK(corrupt > 0 && corrupt <= group);
    fixture_close(&run.f);
}

static void a_damaged_snapshot_is_gone_round(void)
{
    for (uint32_t g = 0; g < 3; g++) go_round_damage(groups[g]);
}

/* In a ring for a few groups, with any budget: from the oldest available frame to the newest. */
static void the_oldest_group_makes_room_while_the_game_goes_on(void)
{
    for (uint32_t g = 1; g < 3; g++) {
        resume_run run;
        fixture_open(&run.f, 60, 1);
        run.f.def.step = 2;
        run.f.def.group_frames = groups[g];
        run.f.def.slice_units = 64u * 5u * 7u;
        run.f.def.input_bytes = 8192;
        run.f.def.ring_bytes = 3500u * groups[g];
        fixture_create(&run.f);
        for (uint64_t to = 30; to <= FRAMES; to += 15u) {
            play(&run, to, 0);
            CHECK_EQ(tp_cache_flush(run.f.cache, NULL), TP_OK);
            tp_cache_counters report = tp_cache_report(run.f.cache);
            CHECK(report.frame_first > 0 || to < 75);
            for (uint64_t frame = report.frame_first; frame <= to; frame++) {
                if (frame % 5u) continue;
                CHECK_EQ(resume(&run.f, frame, false, frame % 2u ? 700 : 0), TP_OK);
                CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[frame]);
            }
            CHECK_EQ(resume(&run.f, to, false, 0), TP_OK);
        }
        test_note("%u evicted", (uint32_t)tp_cache_report(run.f.cache).frames_evicted);
        CHECK(tp_cache_report(run.f.cache).frames_evicted > 10);
        fixture_close(&run.f);
    }
}

/* A frame that a reader or a restore has started on may be encoded between two calls. */
static void a_snapshot_may_be_packed_while_it_is_put_back(void)
{
    uint32_t packed = 0;
    for (uint32_t calls = 0; calls < 12; calls++) {
        resume_run run;
        run_open(&run, 4, 7);
        play(&run, 16, 0);
        tp_budget budget = {.units = 1};
        tp_result result = TP_MORE;
        for (uint32_t turn = 0; turn < calls && result == TP_MORE; turn++)
            result = tp_cache_resume(run.f.cache, &run.f.source, 8, false, &budget);
        packed += result == TP_MORE;
        CHECK_EQ(tp_cache_report(run.f.cache).bytes, 0);
        CHECK_EQ(tp_cache_flush(run.f.cache, NULL), TP_OK);
        CHECK(tp_cache_report(run.f.cache).bytes > 0);
        CHECK_EQ(resume(&run.f, 8, false, 300), TP_OK);
        CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[8]);
        fixture_close(&run.f);
    }
    CHECK(packed > 3);
}

/* ---- extra blocks of any size and with any changes */

/* Empty, a few bytes, long; unchanged, slightly changed, or completely different. */
static uint32_t block_fill(uint32_t frame, uint8_t *bytes)
{
    uint32_t size = frame % 11u == 3u ? 0 : frame % 5u == 0 ? 4096 : 100u + frame % 3u * 700u;
    for (uint32_t b = 0; b < size && bytes; b++)
        bytes[b] = (uint8_t)(frame % 7u == 2u        ? b * 151u * frame >> 3u
                             : b % 37u == frame % 4u ? frame
                                                     : 9u);
    return size;
}

static uint32_t block_read(void *context, uint32_t extra, void *data)
{
    return extra == 1 ? block_fill((uint32_t)((swarm *)context)->now.frame, data) : 0;
}

/* The call below has no frame number: the hook that knows it stores the bytes for the test. */
static uint32_t block_size;
static uint8_t block_bytes[4096];

static tp_result block_write(void *context, uint32_t extra, const void *data, uint32_t bytes)
{
    (void)context;
    if (extra != 1) return bytes == 0 ? TP_OK : TP_ERROR_SOURCE;
    block_size = bytes;
    if (bytes) memcpy(block_bytes, data, bytes);
    return TP_OK;
}

static bool block_is(uint32_t frame)
{
    uint8_t truth[4096];
    uint32_t size = block_fill(frame, truth);
    return block_size == size && memcmp(block_bytes, truth, size) == 0;
}

static void block_open(cache_fixture *f, uint32_t group)
{
    fixture_open(f, 20, 0);
    f->source.schema.extras[1].bytes_max = 4096;
    f->source.extra_read = block_read;
    f->source.extra_write = block_write;
    f->def = tp_cache_default(&f->source);
    f->def.group_frames = group;
    f->def.slice_units = 64u * 5u * 7u;
    fixture_create(f);
}

static void extra_blocks_come_back_byte_for_byte(void)
{
    uint32_t alone = 0;
    for (uint32_t g = 0; g < 3; g++) {
        cache_fixture f;
        block_open(&f, groups[g]);
        CHECK(f.bytes <= TP_CACHE_BYTES(SWARM_MAX, SWARM_WORDS, 256, f.def.ring_bytes, 4096u) +
                             (g ? TP_GROUP_BYTES(SWARM_MAX, 0u, 11u, groups[g]) +
                                      TP_GROUP_EXTRA_BYTES(4096u + 16u, groups[g])
                                : 0u));
        for (uint32_t frame = 0; frame < 60; frame++, swarm_step(f.swarm))
            CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
        for (uint32_t packs = 0; packs < 2; packs++) {
            for (uint32_t frame = 60; frame-- > 0;) {
                test_note("group %u, frame %u", groups[g], frame);
                let(tp_cache_rewind(f.cache, &f.source, frame, false,
                                    NULL)); /* the swarm's own state is stored elsewhere */
                CHECK(block_is(frame));
            }
            CHECK_EQ(tp_cache_flush(f.cache, NULL), TP_OK);
        }
        uint32_t bytes = tp_cache_report(f.cache).bytes;
        test_note("group %u: %u bytes", groups[g], bytes);
        if (g == 0) alone = bytes;
        CHECK(g == 0 || bytes < alone);
        fixture_close(&f);
    }
}

static void any_changed_byte_of_a_group_is_found(void)
{
    resume_run run;
    fixture_open(&run.f, 40, 1);
    run.f.def.group_frames = 3;
    run.f.def.input_bytes = 8192;
    run.f.def.ring_bytes = 20000;
    fixture_create(&run.f);
    play(&run, 6, 0);
    CHECK_EQ(tp_cache_flush(run.f.cache, NULL), TP_OK);
    size_t ring = ring_offset(&run.f.def);
    uint8_t *copy = malloc(run.f.bytes), *block = (uint8_t *)run.f.cache;
    memcpy(copy, block, run.f.bytes);
    uint32_t used = tp_cache_report(run.f.cache).bytes, found = 0;
    for (uint32_t at = 0; at < used; at++) {
        block[ring + at] ^= (uint8_t)(1u << at % 8u);
        swarm_state before = run.f.swarm->now;
        tp_result result = tp_cache_rewind(run.f.cache, &run.f.source, 1, false, NULL);
        CHECK(result == TP_OK || result == TP_ERROR_FRAME);
        found += result != TP_OK;
        uint64_t hash = swarm_hash(&run.f.swarm->now);
        CHECK_EQ(hash, result == TP_OK ? run.hashes[1] : swarm_hash(&before));
        memcpy(block, copy, run.f.bytes);
    }
    test_note("%u of %u found", found, used);
    CHECK(found > used / 3u);
    free(copy);
    fixture_close(&run.f);
}

/* A copied block, and another cache with its packets, restore a source like the block itself. */
static void copies_and_packets_put_the_source_back(void)
{
    resume_run run;
    cache_fixture other;
    run_open(&run, 5, 7);
    play(&run, FRAMES, 0);
    CHECK_EQ(tp_cache_flush(run.f.cache, NULL), TP_OK);
    fixture_open(&other, 60, 1);
    other.def = run.f.def;
    fixture_create(&other);
    uint8_t packet[65536];
    for (uint32_t index = 0, bytes, frames; index < tp_cache_report(run.f.cache).frames;
         index += frames) {
        CHECK_EQ(tp_cache_packet(run.f.cache, index, packet, sizeof packet, &bytes, &frames),
                 TP_OK);
        CHECK_EQ(tp_cache_take_packet(other.cache, packet, bytes), TP_OK);
    }
    uint8_t *copy = aligned_alloc(16, (run.f.bytes + 15u) & ~(size_t)15u);
    memcpy(copy, run.f.cache, run.f.bytes);
    tp_cache *caches[] = {tp_cache_at(copy, run.f.bytes), other.cache};
    for (uint32_t k = 0; k < 2; k++)
        for (uint64_t frame = FRAMES + 5u; frame >= 5u;) {
            frame -= 5u;
            CHECK_EQ(tp_cache_rewind(caches[k], &other.source, frame, false, NULL), TP_OK);
            CHECK_EQ(swarm_hash(&other.swarm->now), run.hashes[frame]);
        }
    free(copy);
    fixture_close(&run.f), fixture_close(&other);
}

static const test_case cases[] = {
    TEST_CASE(any_frame_resumes_to_the_same_hash_in_any_order),
    TEST_CASE(what_lies_between_is_simulated_and_no_more),
    TEST_CASE(another_story_begins_where_the_game_acts_again),
    TEST_CASE(requests_do_inputs_again),
    TEST_CASE(old_inputs_make_room_and_full_is_told),
    TEST_CASE(a_damaged_snapshot_is_gone_round),
    TEST_CASE(the_oldest_group_makes_room_while_the_game_goes_on),
    TEST_CASE(a_snapshot_may_be_packed_while_it_is_put_back),
    TEST_CASE(extra_blocks_come_back_byte_for_byte),
    TEST_CASE(any_changed_byte_of_a_group_is_found),
    TEST_CASE(copies_and_packets_put_the_source_back),
};
TEST_SUITE(resume, cases);
