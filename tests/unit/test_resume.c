/* SPDX-License-Identifier: MIT
   tests/unit/test_resume.c - any frame of the window, simulated again from a snapshot with the same inputs, bit for bit.
   reads   the swarm of tests/harness/cache_help.h      writes  blocks of its own
   memory  malloc                                       cost    a second
   after   own design; the truth is the run that never stopped. A world's: tests/golden, resumed_2d */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>

#define FRAMES 120u

typedef struct resume_run {
    cache_fixture f;
    uint64_t hashes[FRAMES + 1u]; /* of each frame, before what the game does in it */
} resume_run;

/* Something or nothing, by frame and story. */
static uint32_t input_of(uint64_t frame, uint32_t story, uint8_t *bytes)
{
    uint32_t size = (uint32_t)(frame * 7u + story * 3u) % 9u;
    for (uint32_t b = 0; b < size; b++) bytes[b] = (uint8_t)(frame * 31u + b * 17u + story);
    return frame % 3u == 0 ? 0 : size;
}

/* What a game does: looks, records, acts, simulates. Inputs come in one or two pieces. */
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

static void run_open(resume_run *run, uint32_t step)
{
    fixture_open(&run->f, 60, 1);
    run->f.def.step = step;
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
    for (uint32_t s = 0; s < 3; s++) {
        resume_run run;
        run_open(&run, steps[s]);
        play(&run, FRAMES, 0);
        uint32_t state = 5;
        for (uint32_t turn = 0; turn < 150; turn++) {
            uint64_t frame = (state = state * 1664525u + 1013904223u) >> 8;
            frame %= FRAMES + 1u;
            test_note("step %u, turn %u, frame %u", steps[s], turn, (uint32_t)frame);
            CHECK_EQ(resume(&run.f, frame, false, budgets[turn % 3u]), TP_OK);
            CHECK_EQ(run.f.swarm->now.frame, frame);
            CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[frame]);
        }
        fixture_close(&run.f);
    }
}

static void what_lies_between_is_simulated_and_no_more(void)
{
    resume_run run;
    run_open(&run, 10);
    play(&run, FRAMES, 0);
    uint32_t before = run.f.swarm->advances;
    CHECK_EQ(resume(&run.f, 57, false, 0), TP_OK);
    CHECK_EQ(run.f.swarm->advances - before, 7);
    CHECK_EQ(resume(&run.f, 59, false, 0), TP_OK); /* goes on from there */
    CHECK_EQ(run.f.swarm->advances - before, 9);
    CHECK_EQ(tp_cache_report(run.f.cache).restores, 1);
    CHECK_EQ(resume(&run.f, 60, false, 0), TP_OK); /* recorded: restored */
    CHECK_EQ(resume(&run.f, 58, false, 0), TP_OK);
    CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[58]);
    CHECK(tp_cache_report(run.f.cache).inputs_done_again > 0);
    fixture_close(&run.f);
}

/* Another story from a frame on: what was behind it is forgotten, inputs too. */
static void another_story_begins_where_the_game_acts_again(void)
{
    for (uint32_t at = 37; at < 44; at++) {
        resume_run run, other;
        run_open(&run, 8), run_open(&other, 8);
        play(&run, FRAMES, 0);
        play(&other, at, 0);
        bool acts = at == 40; /* what the game does anew tells as well */
        CHECK_EQ(resume(&run.f, at, !acts, 0), TP_OK);
        if (acts) CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, NULL, 0), TP_OK);
        CHECK(tp_cache_report(run.f.cache).frame_last <= at);
        play(&run, FRAMES, 1), play(&other, FRAMES, 1);
        CHECK_EQ(run.hashes[FRAMES], other.hashes[FRAMES]);
        for (uint64_t frame = FRAMES; frame > 3u; frame -= 3u) {
            CHECK_EQ(resume(&run.f, frame, false, 0), TP_OK);
            CHECK_EQ(swarm_hash(&run.f.swarm->now), frame <= at ? run.hashes[frame] : other.hashes[frame]);
        }
        fixture_close(&run.f), fixture_close(&other.f);
    }
}

/* A request that has to simulate does what was done then, too. */
static void requests_do_inputs_again(void)
{
    resume_run run;
    run_open(&run, 16);
    play(&run, FRAMES, 0);
    CHECK_EQ(resume(&run.f, 70, false, 0), TP_OK);
    CHECK_EQ(tp_cache_clear_after(run.f.cache, 70), TP_OK);
    CHECK_EQ(request_all(&run.f, TP_TIME(90)), TP_OK);
    CHECK_EQ(run.f.swarm->now.frame, 90);
    CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[90]);
    fixture_close(&run.f);
}

static void old_inputs_make_room_and_full_is_told(void)
{
    resume_run run;
    fixture_open(&run.f, 60, 1);
    run.f.def.step = 4;
    run.f.def.input_bytes = 1024;
    run.f.def.frames_max = 5;
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
    swarm_step(run.f.swarm), swarm_step(run.f.swarm), swarm_step(run.f.swarm), swarm_step(run.f.swarm);
    CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, many, 1), TP_ERROR_FRAME); /* due, and not recorded */
    run.f.source.input = NULL;
    CHECK_EQ(tp_cache_input(run.f.cache, &run.f.source, many, 1), TP_ERROR_SOURCE);
    fixture_close(&run.f);
}

static void a_damaged_snapshot_is_gone_round(void)
{
    resume_run run;
    run_open(&run, 10);
    play(&run, FRAMES, 0);
    uint8_t *ring = (uint8_t *)run.f.cache + ring_offset(&run.f.def);
    uint32_t bytes = tp_cache_report(run.f.cache).bytes;
    ring[bytes / 2u] ^= 4u;
    for (uint64_t frame = 0; frame <= FRAMES; frame += 5u) {
        CHECK_EQ(resume(&run.f, frame, false, 0), TP_OK);
        CHECK_EQ(swarm_hash(&run.f.swarm->now), run.hashes[frame]);
    }
    CHECK_EQ(tp_cache_report(run.f.cache).frames_corrupt, 1);
    fixture_close(&run.f);
}

static const test_case cases[] = {
    TEST_CASE(any_frame_resumes_to_the_same_hash_in_any_order),
    TEST_CASE(what_lies_between_is_simulated_and_no_more),
    TEST_CASE(another_story_begins_where_the_game_acts_again),
    TEST_CASE(requests_do_inputs_again),
    TEST_CASE(old_inputs_make_room_and_full_is_told),
    TEST_CASE(a_damaged_snapshot_is_gone_round),
};
TEST_SUITE(resume, cases);
