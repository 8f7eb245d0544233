/* SPDX-License-Identifier: MIT
   tests/unit/test_story.c - recorded frames and inputs of a cache stay consistent, for any calls of
           the game.
   reads   the swarm of tests/harness/cache_help.h      writes  blocks of its own
   memory  malloc                                       cost    a second
   after   own design; the reference is the run itself */
#include "../../runtime/cache/cache.h"
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t kick[3] = {9, 3, 200};

static void story_open(cache_fixture *f, uint32_t step)
{
    fixture_open(f, 60, 0);
    f->def.step = step;
    f->def.input_bytes = 1024;
    f->def.end_frame = 40;
    fixture_create(f);
}

static void story_open_grouped(cache_fixture *f, uint32_t ring_bytes)
{
    fixture_open(f, 150, 0);
    f->source.schema.streams[SWARM_POSITION].error_bound = 1e-3f;
    f->def = tp_cache_default(&f->source);
    f->def.group_frames = 8;
    f->def.slice_units = 4096;
    f->def.input_bytes = 1024;
    f->def.end_frame = 60;
    f->def.frames_max = 400;
    f->def.ring_bytes = ring_bytes;
    fixture_create(f);
}

/* Records and simulates up to a frame, which is recorded, too. */
static void go_on(cache_fixture *f, uint64_t to)
{
    while (f->swarm->now.frame < to) {
        CHECK_EQ(tp_cache_record(f->cache, &f->source, NULL), TP_OK);
        swarm_step(f->swarm);
    }
    CHECK_EQ(tp_cache_record(f->cache, &f->source, NULL), TP_OK);
}

static void act(cache_fixture *f, uint32_t bytes)
{
    CHECK_EQ(tp_cache_input(f->cache, &f->source, kick, bytes), TP_OK);
    CHECK_EQ(swarm_input(f->swarm, kick, bytes), TP_OK);
}

static bool resumes_to(cache_fixture *f, uint64_t frame, uint64_t hash)
{
    CHECK_EQ(tp_cache_resume(f->cache, &f->source, frame, false, NULL), TP_OK);
    return swarm_hash(&f->swarm->now) == hash;
}

static void a_bake_knows_nothing_of_what_the_game_did(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 6);
    act(&f, 1);
    CHECK_EQ(tp_cache_bake(f.cache, &f.source, NULL), TP_OK);
    CHECK_EQ(tp_cache_report(f.cache).inputs, 0);
    swarm_state *truth = swarm_at(60, 0, 7);
    CHECK(resumes_to(&f, 7, swarm_hash(truth)));
    free(truth);
    fixture_close(&f);
}

static void what_a_recorded_state_has_in_it_is_not_done_again(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 4);
    act(&f, 2);
    CHECK_EQ(tp_cache_clear_frame(f.cache, 4), TP_OK);
    go_on(&f, 5);
    uint64_t hash = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 4, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 5, hash));
    fixture_close(&f);
}

static void going_on_otherwise_forgets_what_was_done_before(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 6);
    act(&f, 1);
    go_on(&f, 12);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 4, false, NULL), TP_OK);
    CHECK_EQ(tp_cache_clear_after(f.cache, 4), TP_OK);
    go_on(&f, 12); /* without the input */
    swarm_state *truth = swarm_at(60, 0, 7);
    CHECK(resumes_to(&f, 7, swarm_hash(truth)));
    free(truth);
    fixture_close(&f);
}

/* A resume restores the source as it was before the inputs of a frame, and the game continues
   without them. It may clear later frames or not, and does not record at once. Later simulations
   also leave these inputs out. */
static void going_on_from_a_resumed_frame_forgets_the_inputs_that_are_left_out(void)
{
    for (uint32_t kind = 0; kind < 6; kind++) {
        cache_fixture f;
        story_open(&f, 4);
        go_on(&f, 5);
        act(&f, 1);
        go_on(&f, 6);
        act(&f, 2);
        go_on(&f, 7);
        CHECK_EQ(tp_cache_resume(f.cache, &f.source, 5, false, NULL), TP_OK);
        if (kind & 1u) CHECK_EQ(tp_cache_clear_after(f.cache, 5), TP_OK);
        swarm_step(f.swarm);
        uint64_t hash = swarm_hash(&f.swarm->now);
        if (kind / 2u == 0) {
            CHECK_EQ(tp_cache_request(f.cache, &f.source, TP_TIME(6) + 1u, NULL, &f.view), TP_OK);
            CHECK_EQ(f.swarm->now.frame, 7);
        }
        if (kind / 2u == 1) CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 4, false, NULL), TP_OK);
        CHECK(resumes_to(&f, 6, hash));
        CHECK_EQ(tp_cache_report(f.cache).inputs, 0);
        fixture_close(&f);
    }
}

/* Inputs that are in the source's state are kept: that state could not be reached without them. */
static void clearing_after_a_frame_keeps_the_inputs_that_are_done(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 5);
    act(&f, 1);
    CHECK_EQ(tp_cache_clear_after(f.cache, 5), TP_OK);
    CHECK_EQ(tp_cache_report(f.cache).inputs, 1);
    go_on(&f, 7);
    uint64_t hash = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_clear_after(f.cache, 4), TP_OK);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 4, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 7, hash));
    fixture_close(&f);
}

/* A refused input is in the states that the game saw, but not in the cache. These states are shown
   where they were recorded, or from the source itself. Another state is never shown. */
static void nothing_is_simulated_across_an_input_that_was_refused(void)
{
    cache_fixture f;
    fixture_open(&f, 60, 0);
    f.def.step = 4;
    f.def.end_frame = 40;
    fixture_create(&f); /* with no memory for inputs */
    go_on(&f, 5);
    uint64_t five = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_input(f.cache, &f.source, kick, 3), TP_ERROR_FULL);
    CHECK_EQ(swarm_input(f.swarm, kick, 3), TP_OK);
    go_on(&f, 7);
    CHECK_EQ(tp_cache_request(f.cache, &f.source, TP_TIME(7), NULL, &f.view), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_SIMULATED);
    CHECK(resumes_to(&f, 5, five));
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 6, false, NULL), TP_ERROR_FRAME);
    CHECK_EQ(tp_cache_request(f.cache, &f.source, TP_TIME(7), NULL, &f.view), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_OUTSIDE);
    CHECK_EQ(f.view.frame, 4);
    CHECK_EQ(swarm_hash(&f.swarm->now), five);
    swarm_step(f.swarm); /* the game continues from there: these frames can be simulated again */
    uint64_t six = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 4, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 6, six));
    fixture_close(&f);
}

/* A request is abandoned in the middle of a frame's inputs. The next request is for that frame, as
   it is before them. */
static void a_request_that_was_left_shows_no_frame_with_its_inputs_done(void)
{
    cache_fixture f;
    tp_budget budget = {.units = 1};
    tp_result result = TP_MORE;
    story_open(&f, 4);
    go_on(&f, 5);
    uint64_t five = swarm_hash(&f.swarm->now);
    act(&f, 3);
    go_on(&f, 7);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 4, false, NULL), TP_OK);
    for (uint32_t turn = 0; turn < 10000 && f.cache->counters.inputs_replayed == 0; turn++)
        result = tp_cache_request(f.cache, &f.source, TP_TIME(6), &budget, &f.view);
    CHECK(result == TP_MORE && f.swarm->now.frame == 5 && swarm_hash(&f.swarm->now) != five);
    CHECK_EQ(tp_cache_request(f.cache, &f.source, TP_TIME(5), NULL, &f.view), TP_OK);
    CHECK_EQ(swarm_hash(&f.swarm->now), five);
    CHECK(view_is(&f.view, &f.swarm->now));
    fixture_close(&f);
}

/* The game restores the source itself, and gives inputs there. */
static void acting_where_the_game_has_put_the_source_forgets_what_comes_behind(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 5);
    swarm_state *five = malloc(sizeof *five);
    *five = f.swarm->now;
    go_on(&f, 7);
    act(&f, 3);
    go_on(&f, 9);
    f.swarm->now = *five;
    CHECK_EQ(tp_cache_detach(f.cache), TP_OK);
    act(&f, 1);
    CHECK_EQ(tp_cache_report(f.cache).inputs, 1);
    go_on(&f, 7);
    uint64_t hash = swarm_hash(&f.swarm->now);
    go_on(&f, 9);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 4, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 7, hash));
    free(five);
    fixture_close(&f);
}

/* A frame is being recorded into a group while earlier frames of the group are dropped. */
static void act_while_a_frame_is_on_its_way(uint32_t units)
{
    cache_fixture f;
    story_open_grouped(&f, 400000);
    swarm_state *three = malloc(sizeof *three);
    go_on(&f, 3);
    *three = f.swarm->now;
    go_on(&f, 5);
    swarm_step(f.swarm);
    tp_budget budget = {.units = units};
    CHECK_EQ(tp_cache_record(f.cache, &f.source, &budget), TP_MORE);
    f.swarm->now = *three;
    act(&f, 1);
    while (f.swarm->now.frame < 6) swarm_step(f.swarm);
    CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
    CHECK_EQ(tp_cache_request(f.cache, NULL, TP_TIME(6), NULL, &f.view), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_EXACT);
    CHECK_EQ(f.view.count, f.swarm->now.count);
    for (uint32_t k = 0; k < f.view.count; k++) { /* velocities are recorded losslessly */
        const uint32_t *id = f.view.values[SWARM_ID];
        const float *v = f.view.values[SWARM_VELOCITY];
        uint32_t i = 0;
        while (f.swarm->now.id[i] != id[k] && i + 1u < f.swarm->now.count) i++;
        CHECK(memcmp(&v[k], &f.swarm->now.v[0][i], 4) == 0);
    }
    free(three);
    fixture_close(&f);
}

static void acting_gives_up_the_frame_that_is_on_its_way(void)
{
    for (uint32_t units = 100; units < 1100; units += 100) act_while_a_frame_is_on_its_way(units);
}

static void resuming_ends_at_the_window(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 12);
    uint32_t before = f.swarm->advances;
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 16, false, NULL), TP_ERROR_FRAME);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 100000, false, NULL), TP_ERROR_FRAME);
    CHECK_EQ(f.swarm->advances, before);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 15, false, NULL), TP_OK);
    CHECK_EQ(f.swarm->advances, before + 3u);
    fixture_close(&f);
}

/* ---- protection */

static void what_is_protected_loses_nothing_to_packing(void)
{
    uint32_t baked = 0, full = 0;
    for (uint32_t ring_bytes = 8000; ring_bytes < 128000; ring_bytes += 4000) {
        cache_fixture f;
        test_note("a ring of %u bytes", ring_bytes);
        story_open_grouped(&f, ring_bytes);
        tp_result result = tp_cache_bake(f.cache, &f.source, NULL);
        if (result == TP_OK) {
            baked++;
            CHECK_EQ(tp_cache_report(f.cache).frames, 61);
            CHECK_EQ(tp_cache_flush(f.cache, NULL), TP_OK);
            CHECK_EQ(tp_cache_report(f.cache).frames, 61);
        } else { /* recording still works: the oldest frames are evicted */
            full++;
            CHECK_EQ(result, TP_ERROR_FULL);
            CHECK_EQ(tp_cache_report(f.cache).flags & TP_CACHE_BAKED, 0);
            go_on(&f, 60);
            CHECK(tp_cache_has(f.cache, 60));
        }
        fixture_close(&f);
    }
    test_note("%u baked, %u full", baked, full);
    CHECK(baked > 3 && full > 3);
}

static void protection_keeps_what_is_staged(void)
{
    cache_fixture f;
    story_open_grouped(&f, 16000);
    uint32_t stuck = 0;
    for (uint32_t frame = 0; frame < 50; frame++) {
        CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
        swarm_step(f.swarm);
        uint32_t frames = tp_cache_report(f.cache).frames;
        CHECK_EQ(tp_cache_protect(f.cache, frame % 2u), TP_OK);
        stuck += tp_cache_flush(f.cache, NULL) == TP_ERROR_FULL;
        CHECK_EQ(tp_cache_report(f.cache).frames, frames);
        for (uint32_t back = 0; back < frames; back++) CHECK(tp_cache_has(f.cache, frame - back));
        CHECK_EQ(tp_cache_unprotect(f.cache), TP_OK);
    }
    CHECK(stuck > 0);
    fixture_close(&f);
}

static void clearing_a_frame_gives_up_a_bake(void)
{
    cache_fixture f;
    story_open(&f, 1);
    tp_budget budget = {.units = 2000};
    while (f.swarm->now.frame < 6) CHECK_EQ(tp_cache_bake(f.cache, &f.source, &budget), TP_MORE);
    CHECK_EQ(tp_cache_clear_frame(f.cache, 3), TP_OK);
    CHECK_EQ(tp_cache_report(f.cache).flags & TP_CACHE_BAKING, 0);
    tp_result result = TP_MORE;
    for (uint32_t call = 0; call < 1000 && result == TP_MORE; call++)
        result = tp_cache_bake(f.cache, &f.source, &budget);
    CHECK_EQ(result, TP_OK);
    for (uint64_t frame = 0; frame <= 40; frame++) CHECK(tp_cache_has(f.cache, frame));
    fixture_close(&f);
}

/* ---- values and packets */

static void the_least_integer_is_packed(void)
{
    cache_fixture f;
    story_open_grouped(&f, 400000);
    for (uint32_t frame = 0; frame < 20; frame++) {
        for (uint32_t i = 0; i < f.swarm->now.count; i++)
            f.swarm->now.flags[i] = (frame + i) % 2u ? 0x80000000u : 0u;
        CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
        swarm_step(f.swarm);
    }
    CHECK_EQ(tp_cache_flush(f.cache, NULL), TP_OK);
    for (uint32_t frame = 0; frame < 20; frame++) {
        CHECK_EQ(tp_cache_request(f.cache, NULL, TP_TIME(frame), NULL, &f.view), TP_OK);
        const uint32_t *id = f.view.values[SWARM_ID], *flags = f.view.values[SWARM_FLAGS];
        uint32_t highest = 0;
        for (uint32_t k = 0; k < f.view.count; k++) highest += flags[k] == 0x80000000u;
        CHECK(id && highest >= f.view.count / 2u - 5u && highest <= f.view.count / 2u + 5u);
    }
    fixture_close(&f);
}

/* A forged packet with valid checksums. Neither the packet nor the ring can hold a header. */
static void a_packet_shorter_than_a_header_is_refused(void)
{
    cache_fixture f;
    uint8_t packet[24 + 16 + 8] = {0};
    fixture_open(&f, 60, 0);
    f.def.ring_bytes = 8;
    fixture_create(&f);
    tpi_store_u32(packet, 0x314b5054u);
    tpi_store_u32(packet + 4, 1);
    tpi_store_u32(packet + 8, 8);
    tpi_store_u64(packet + 24, 3);
    tpi_store_u32(packet + 32, 1);
    uint64_t kind = (uint64_t)f.cache->shape.recorded << 32 | f.def.group_frames;
    uint64_t list = tpi_record_check(f.cache->shape.schema_check, 1, packet + 24, 16);
    tpi_store_u64(packet + 16, tpi_record_check(list ^ tpi_mix(kind), 1, packet, 16));
    CHECK_EQ(tp_cache_take_packet(f.cache, packet, sizeof packet), TP_ERROR_FRAME);
    CHECK_EQ(tp_cache_report(f.cache).frames, 0);
    fixture_close(&f);
}

static void a_bake_knows_nothing_of_what_the_game_did_at_the_start(void)
{
    swarm_state *truth = swarm_at(60, 0, 7);
    for (uint32_t restarts = 0; restarts < 2; restarts++) {
        cache_fixture f;
        story_open(&f, 4);
        go_on(&f, 0);
        act(&f, 1);
        if (!restarts) f.source.restart = NULL;
        CHECK_EQ(tp_cache_bake(f.cache, &f.source, NULL), TP_OK);
        CHECK(resumes_to(&f, 7, swarm_hash(truth)));
        fixture_close(&f);
    }
    free(truth);
}

/* Also inputs that were in a recorded state which is lost. */
static void a_restart_does_again_what_a_recorded_state_had(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 4);
    act(&f, 2);
    CHECK_EQ(tp_cache_clear_frame(f.cache, 4), TP_OK);
    go_on(&f, 6);
    act(&f, 1);
    go_on(&f, 7);
    swarm_state *truth = malloc(sizeof *truth);
    *truth = f.swarm->now;
    go_on(&f, 10);
    CHECK_EQ(tp_cache_clear_before(f.cache, 8), TP_OK);
    CHECK_EQ(request_all(&f, TP_TIME(7)), TP_OK);
    CHECK(view_is(&f.view, truth));
    CHECK_EQ(tp_cache_report(f.cache).inputs, 2);
    free(truth);
    fixture_close(&f);
}

/* Settings change between a restore and the next input: the cache still knows that the source was
   restored. */
static void clearing_does_not_say_where_the_source_is(void)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 8);
    swarm_state *eight = malloc(sizeof *eight);
    *eight = f.swarm->now;
    act(&f, 3);
    go_on(&f, 12);
    f.swarm->now = *eight;
    CHECK_EQ(tp_cache_detach(f.cache), TP_OK);
    CHECK_EQ(tp_cache_clear_after(f.cache, 8), TP_OK);
    act(&f, 1);
    CHECK_EQ(tp_cache_report(f.cache).inputs, 1);
    swarm_step(f.swarm);
    uint64_t hash = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 8, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 9, hash));
    free(eight);
    fixture_close(&f);
}

/* Settings change, and frames are cleared, between the inputs of one frame. The source is not
   restored, so all inputs are in its state and are kept. The same after a rewind that was begun and
   abandoned, and has changed nothing yet. */
static void act_around_a_change(bool is_change)
{
    cache_fixture f;
    tp_budget budget = {.units = 1};
    story_open(&f, 4);
    go_on(&f, 10);
    act(&f, 3);
    if (is_change) CHECK_EQ(tp_cache_changed(f.cache, 10), TP_OK);
    for (uint32_t turn = 0; !is_change && turn < 1000 && !f.cache->doubts; turn++)
        CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 4, false, &budget), TP_MORE);
    CHECK(f.cache->doubts && f.swarm->now.frame == 10);
    CHECK_EQ(tp_cache_clear_after(f.cache, 8), TP_OK);
    act(&f, 1);
    CHECK_EQ(tp_cache_report(f.cache).inputs, 2);
    swarm_step(f.swarm);
    uint64_t hash = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 8, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 11, hash));
    fixture_close(&f);
}

static void a_change_does_not_say_where_the_source_is(void)
{
    act_around_a_change(true);
    act_around_a_change(false);
}

/* A frame with inputs is recorded again, then cleared or found damaged. Later frames are simulated
   from an earlier frame, with all inputs. */
static void lose_a_frame_that_was_acted_in(bool is_damaged)
{
    cache_fixture f;
    story_open(&f, 4);
    go_on(&f, 4);
    act(&f, 2);
    CHECK_EQ(tp_cache_clear_frame(f.cache, 4), TP_OK);
    go_on(&f, 4);
    act(&f, 1);
    uint64_t four = swarm_hash(&f.swarm->now);
    go_on(&f, 6);
    uint64_t six = swarm_hash(&f.swarm->now);
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 0, false, NULL), TP_OK);
    CHECK(resumes_to(&f, 6, six)); /* the recorded state includes one of the two inputs */
    CHECK_EQ(tp_cache_resume(f.cache, &f.source, 0, false, NULL), TP_OK);
    if (is_damaged)
        tpi_cache_bytes(f.cache, f.cache->offsets.ring)[tpi_ring_exact(f.cache, 4)->offset + 70u] ^=
            4u;
    else
        CHECK_EQ(tp_cache_clear_frame(f.cache, 4), TP_OK);
    CHECK(resumes_to(&f, 6, six));
    CHECK(four != six && !tp_cache_has(f.cache, 4));
    fixture_close(&f);
}

static void what_a_lost_frame_had_in_it_is_done_again(void)
{
    lose_a_frame_that_was_acted_in(false);
    lose_a_frame_that_was_acted_in(true);
}

/* An abandoned request is not continued by another view's request for the same time: the frame is
   already recorded, and nothing is simulated. */
static void a_frame_is_simulated_for_who_asked(void)
{
    cache_fixture f;
    story_open(&f, 1);
    tp_budget budget = {.units = 1};
    for (uint32_t turn = 0; turn < 1000 && !tp_cache_has(f.cache, 3); turn++)
        CHECK_EQ(tp_cache_request(f.cache, &f.source, TP_TIME(3), &budget, &f.view), TP_MORE);
    go_on(&f, 5);
    f.view.job = 0; /* another view */
    CHECK_EQ(tp_cache_request(f.cache, NULL, TP_TIME(3), NULL, &f.view), TP_OK);
    CHECK_EQ(f.view.status, TP_CACHE_EXACT);
    fixture_close(&f);
}

/* Checking a record costs no more than reading it, so that the shortest slices are long enough. */
static void a_snapshot_is_put_back_in_the_shortest_slices(void)
{
    for (uint32_t group = 1; group < 20; group += 3) {
        cache_fixture f;
        fixture_open(&f, 128, 0);
        f.def.group_frames = group;
        f.def.slice_units = 64u * 5u * group;
        fixture_create(&f);
        go_on(&f, 2u * group);
        CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 0, false, NULL), TP_OK);
        test_note("groups of %u", group);
        CHECK(tp_cache_report(f.cache).slice_units_longest <= f.def.slice_units);
        fixture_close(&f);
    }
}

/* A jump ends at a frame with inputs: they are applied again in their frames. */
static void no_jump_goes_over_an_input(void)
{
    cache_fixture f;
    fixture_open(&f, 60, 0);
    f.def.step = 5;
    f.def.is_quick = 1;
    f.def.input_bytes = 1024;
    f.source.jump = swarm_jump;
    fixture_create(&f);
    go_on(&f, 3);
    act(&f, 3);
    go_on(&f, 4);
    CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 0, false, NULL), TP_OK);
    f.swarm->log_count = 0;
    CHECK_EQ(request_all(&f, TP_TIME(10)), TP_OK);
    CHECK(f.swarm->log_count == 3 && f.swarm->log[0] == 3 && f.swarm->log[1] == 5 &&
          f.swarm->log[2] == 10);
    CHECK_EQ(tp_cache_report(f.cache).inputs_replayed, 1);
    fixture_close(&f);
}

/* A frame that is edited while it is being shown or restored is read again from its beginning:
   never half old and half new. */
static void an_edited_frame_is_read_from_its_begin(void)
{
    cache_fixture f;
    fixture_open(&f, 150, 0);
    fixture_create(&f);
    go_on(&f, 2);
    CHECK_EQ(tp_cache_protect(f.cache, false), TP_OK);
    for (uint32_t calls = 1; calls < 12; calls++) {
        tp_budget budget = {.units = 1};
        tp_cache_edit edit = {.frame = 1, .identity = 3, .stream = SWARM_POSITION};
        edit.values[0] = tpi_bits((float)calls);
        for (uint32_t k = 0; k < calls; k++) {
            let(tp_cache_request(f.cache, NULL, TP_TIME(1), &budget, &f.view));
            let(tp_cache_rewind(f.cache, &f.source, 1, false, &budget));
        }
        CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_OK);
        CHECK_EQ(request_all(&f, TP_TIME(1)), TP_OK);
        CHECK_EQ(((uint32_t *)f.view.values[SWARM_POSITION])[3], edit.values[0]);
        CHECK_EQ(tp_cache_rewind(f.cache, &f.source, 1, false, NULL), TP_OK);
        CHECK(view_is(&f.view, &f.swarm->now));
    }
    fixture_close(&f);
}

static const test_case cases[] = {
    TEST_CASE(no_jump_goes_over_an_input),
    TEST_CASE(an_edited_frame_is_read_from_its_begin),
    TEST_CASE(a_bake_knows_nothing_of_what_the_game_did_at_the_start),
    TEST_CASE(a_restart_does_again_what_a_recorded_state_had),
    TEST_CASE(clearing_does_not_say_where_the_source_is),
    TEST_CASE(a_change_does_not_say_where_the_source_is),
    TEST_CASE(what_a_lost_frame_had_in_it_is_done_again),
    TEST_CASE(a_frame_is_simulated_for_who_asked),
    TEST_CASE(a_snapshot_is_put_back_in_the_shortest_slices),
    TEST_CASE(a_bake_knows_nothing_of_what_the_game_did),
    TEST_CASE(what_a_recorded_state_has_in_it_is_not_done_again),
    TEST_CASE(going_on_otherwise_forgets_what_was_done_before),
    TEST_CASE(going_on_from_a_resumed_frame_forgets_the_inputs_that_are_left_out),
    TEST_CASE(clearing_after_a_frame_keeps_the_inputs_that_are_done),
    TEST_CASE(nothing_is_simulated_across_an_input_that_was_refused),
    TEST_CASE(a_request_that_was_left_shows_no_frame_with_its_inputs_done),
    TEST_CASE(acting_where_the_game_has_put_the_source_forgets_what_comes_behind),
    TEST_CASE(acting_gives_up_the_frame_that_is_on_its_way),
    TEST_CASE(resuming_ends_at_the_window),
    TEST_CASE(what_is_protected_loses_nothing_to_packing),
    TEST_CASE(protection_keeps_what_is_staged),
    TEST_CASE(clearing_a_frame_gives_up_a_bake),
    TEST_CASE(the_least_integer_is_packed),
    TEST_CASE(a_packet_shorter_than_a_header_is_refused),
};
TEST_SUITE(story, cases);
