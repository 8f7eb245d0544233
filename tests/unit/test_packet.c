/* SPDX-License-Identifier: MIT
   tests/unit/test_packet.c - packets: recorded frames moved to storage and back; edits of baked
           frames.
   reads   the swarm of tests/harness/cache_help.h      writes  blocks of its own
   memory  malloc                                       cost    a second
   after   like Blender's caches: from memory to storage at any time, without loss; only baked
           frames can be edited */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void packet_open(cache_fixture *f, bool is_grouped)
{
    fixture_open(f, 90, 1);
    if (is_grouped) {
        f->source.schema.streams[SWARM_POSITION].error_bound = 1e-3f;
        f->def = tp_cache_default(&f->source);
        f->def.group_frames = 7;
        f->def.slice_units = 4096;
    }
    fixture_create(f);
}

static void record_to(cache_fixture *f, uint64_t frame)
{
    while (f->swarm->now.frame < frame) {
        CHECK_EQ(tp_cache_record(f->cache, &f->source, NULL), TP_OK);
        swarm_step(f->swarm);
    }
}

/* Copies every packet of one cache into another. */
static uint32_t carry_over(cache_fixture *from, cache_fixture *to)
{
    uint32_t packets = 0, bytes, frames;
    CHECK_EQ(tp_cache_flush(from->cache, NULL), TP_OK);
    /* skips the frames that are already there */
    uint32_t index = tp_cache_report(to->cache).frames;
    for (; index < tp_cache_report(from->cache).frames; index += frames, packets++) {
        CHECK_EQ(tp_cache_packet(from->cache, index, NULL, 0, &bytes, &frames), TP_OK);
        uint8_t *packet = malloc(bytes + 1u);
        packet[bytes] = 0xa5;
        CHECK_EQ(tp_cache_packet(from->cache, index, packet, bytes - 1u, &bytes, &frames),
                 TP_ERROR_MEMORY);
        CHECK_EQ(tp_cache_packet(from->cache, index, packet, bytes, &bytes, &frames), TP_OK);
        CHECK(packet[bytes] == 0xa5);
        CHECK_EQ(tp_cache_take_packet(to->cache, packet, bytes), TP_OK);
        /* not later than the newest frame */
        CHECK_EQ(tp_cache_take_packet(to->cache, packet, bytes), TP_ERROR_FRAME);
        free(packet);
    }
    return packets;
}

static void views_are_equal(const tp_frame_view *a, const tp_frame_view *b)
{
    CHECK_EQ(a->count, b->count);
    CHECK_EQ(a->status, b->status);
    for (uint32_t s = 0; s < 5; s++)
        for (uint32_t c = 0; c < swarm_components(s); c++)
            CHECK(memcmp((const uint32_t *)a->values[s] + c * a->capacity,
                         (const uint32_t *)b->values[s] + c * b->capacity, a->count * 4u) == 0);
}

static void frames_go_to_storage_and_back_without_loss(void)
{
    for (uint32_t is_grouped = 0; is_grouped < 2; is_grouped++) {
        cache_fixture from, to;
        packet_open(&from, is_grouped), packet_open(&to, is_grouped);
        record_to(&from, 40);
        uint32_t packets = carry_over(&from, &to);
        CHECK_EQ(packets, is_grouped ? 6u : 40u);
        CHECK_EQ(tp_cache_report(to.cache).frames, 40);
        for (uint32_t frame = 0; frame < 40; frame++) {
            CHECK_EQ(tp_cache_request(from.cache, NULL, TP_TIME(frame), NULL, &from.view), TP_OK);
            CHECK_EQ(tp_cache_request(to.cache, NULL, TP_TIME(frame), NULL, &to.view), TP_OK);
            CHECK_EQ(to.view.status, TP_CACHE_EXACT);
            views_are_equal(&from.view, &to.view);
        }
        if (!is_grouped) { /* and the source continues from it */
            CHECK_EQ(tp_cache_rewind(to.cache, &to.source, 33, false, NULL), TP_OK);
            swarm_state *truth = swarm_at(90, 1, 33);
            CHECK_EQ(swarm_hash(&to.swarm->now), swarm_hash(truth));
            free(truth);
        }
        record_to(&from, 50), carry_over(&from, &to);
        fixture_close(&from), fixture_close(&to);
    }
}

/* A frame of a group that was cleared is not in the group's packet either. */
static void what_was_cleared_stays_away(void)
{
    cache_fixture from, to;
    packet_open(&from, true), packet_open(&to, true);
    record_to(&from, 14);
    CHECK_EQ(tp_cache_clear_frame(from.cache, 3), TP_OK);
    CHECK_EQ(tp_cache_flush(from.cache, NULL), TP_OK);
    uint8_t packet[20000];
    uint32_t bytes, frames;
    CHECK_EQ(tp_cache_packet(from.cache, 0, packet, sizeof packet, &bytes, &frames), TP_OK);
    CHECK_EQ(frames, 7);
    CHECK_EQ(tp_cache_take_packet(to.cache, packet, bytes), TP_OK);
    CHECK_EQ(tp_cache_report(to.cache).frames, 6);
    CHECK(tp_cache_has(to.cache, 2) && !tp_cache_has(to.cache, 3) && tp_cache_has(to.cache, 4));
    fixture_close(&from), fixture_close(&to);
}

/* Truncated or changed at any byte: refused, or found when shown, or without effect. */
static void damaged_packets_show_nothing_wrong(void)
{
    for (uint32_t is_grouped = 0; is_grouped < 2; is_grouped++) {
        cache_fixture from;
        packet_open(&from, is_grouped);
        record_to(&from, 7);
        CHECK_EQ(tp_cache_flush(from.cache, NULL), TP_OK);
        uint32_t bytes, frames, refused = 0, found = 0;
        CHECK_EQ(tp_cache_packet(from.cache, 0, NULL, 0, &bytes, &frames), TP_OK);
        uint8_t *packet = malloc(bytes);
        CHECK_EQ(tp_cache_packet(from.cache, 0, packet, bytes, &bytes, &frames), TP_OK);
        CHECK_EQ(tp_cache_request(from.cache, NULL, 0, NULL, &from.view), TP_OK);
        cache_fixture to;
        packet_open(&to, is_grouped);
        for (uint32_t at = 0; at < 2u * bytes; at += at < 400 ? 1u : 13u) {
            /* after all single-bit changes: truncations */
            uint32_t place = at % bytes, size = at < bytes ? bytes : place;
            uint8_t *copy = malloc(size ? size : 1u);
            memcpy(copy, packet, size);
            if (at < bytes) copy[place] ^= (uint8_t)(1u << at % 8u);
            tp_result result = tp_cache_take_packet(to.cache, copy, size);
            refused += result != TP_OK;
            CHECK(result == TP_OK || result == TP_ERROR_FRAME || result == TP_ERROR_FULL);
            if (result == TP_OK) {
                let(tp_cache_request(to.cache, NULL, 0, NULL, &to.view));
                found += to.view.status != TP_CACHE_EXACT;
                if (to.view.status == TP_CACHE_EXACT) views_are_equal(&from.view, &to.view);
            }
            CHECK_EQ(tp_cache_clear(to.cache), TP_OK);
            free(copy);
        }
        CHECK(refused > 60 && found > 60);
        free(packet);
        fixture_close(&from), fixture_close(&to);
    }
}

static void packets_of_another_kind_are_refused(void)
{
    cache_fixture alone, grouped;
    packet_open(&alone, false), packet_open(&grouped, true);
    record_to(&alone, 3), record_to(&grouped, 10);
    uint8_t packet[20000];
    uint32_t bytes, frames;
    /* the frame is still staged */
    CHECK_EQ(tp_cache_packet(grouped.cache, 9, packet, sizeof packet, &bytes, &frames), TP_MORE);
    CHECK_EQ(tp_cache_packet(alone.cache, 0, packet, sizeof packet, &bytes, &frames), TP_OK);
    CHECK_EQ(tp_cache_take_packet(grouped.cache, packet, bytes), TP_ERROR_FRAME);
    CHECK_EQ(tp_cache_packet(grouped.cache, 10, packet, sizeof packet, &bytes, &frames),
             TP_ERROR_FRAME);
    fixture_close(&alone), fixture_close(&grouped);
}

/* ---- edits ---- */

static float place_of(const cache_fixture *f, uint64_t frame, uint32_t id, uint32_t stream,
                      uint32_t c)
{
    tp_frame_view view = f->view;
    CHECK_EQ(tp_cache_request(f->cache, NULL, TP_TIME(frame), NULL, &view), TP_OK);
    for (uint32_t k = 0; k < view.count; k++)
        if (((const uint32_t *)view.values[SWARM_ID])[k] == id)
            return ((const float *)view.values[stream])[c * view.capacity + k];
    CHECK(false);
    return 0.0f;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static void a_baked_particle_is_edited_and_its_rates_fit(void)
{
    cache_fixture f;
    fixture_open(&f, 90, 1);
    f.def.end_frame = 20;
    fixture_create(&f);
    tp_cache_edit edit = {
        .frame = 10, .identity = 80, .stream = SWARM_POSITION, .fits_rates = true};
    for (uint32_t c = 0; c < 3; c++) edit.values[c] = bits_of(0.5f + (float)c);
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_ERROR_PROTECTED); /* not baked */
    CHECK_EQ(tp_cache_bake(f.cache, &f.source, NULL), TP_OK);
    float other = place_of(&f, 10, 81, SWARM_POSITION, 1),
          before = place_of(&f, 9, 80, SWARM_POSITION, 1),
          behind = place_of(&f, 11, 80, SWARM_POSITION, 1),
          far = place_of(&f, 8, 80, SWARM_POSITION, 1);
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_OK);
    CHECK(tp_cache_report(f.cache).flags & TP_CACHE_EDITED);
    CHECK(place_of(&f, 10, 80, SWARM_POSITION, 1) == 1.5f);
    CHECK(place_of(&f, 10, 81, SWARM_POSITION, 1) == other);
    CHECK(place_of(&f, 9, 80, SWARM_POSITION, 1) == before);
    const float dt = 1.0f / 25.0f;
    CHECK(fabsf(place_of(&f, 10, 80, SWARM_VELOCITY, 1) - (behind - before) / (2.0f * dt)) < 1e-4f);
    CHECK(fabsf(place_of(&f, 9, 80, SWARM_VELOCITY, 1) - (1.5f - far) / (2.0f * dt)) < 1e-4f);
    edit.identity = 12345;
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_ERROR_FRAME);
    edit.identity = 80, edit.values[0] = bits_of(NAN);
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_ERROR_DEFINITION);
    edit.stream = SWARM_ID;
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_ERROR_DEFINITION);
    edit.stream = SWARM_POSITION, edit.values[0] = 0, edit.frame = 21;
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_ERROR_FRAME);
    edit.frame = 20; /* it has a neighbour on one side only */
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_OK);
    fixture_close(&f);
}

/* The last frame is recorded although it is not a multiple of `step`: 4 frames from 8 to 12, 2 from
   12 to
   14. */
static void rates_fit_the_frames_that_are_there(void)
{
    cache_fixture f;
    fixture_open(&f, 90, 1);
    f.def.end_frame = 14;
    f.def.step = 4;
    fixture_create(&f);
    CHECK_EQ(tp_cache_bake(f.cache, &f.source, NULL), TP_OK);
    const float dt = 1.0f / 25.0f;
    float eight = place_of(&f, 8, 80, SWARM_POSITION, 0),
          twelve = place_of(&f, 12, 80, SWARM_POSITION, 0);
    tp_cache_edit edit = {
        .frame = 14, .identity = 80, .stream = SWARM_POSITION, .fits_rates = true};
    for (uint32_t c = 0; c < 3; c++) edit.values[c] = bits_of(7.0f);
    CHECK_EQ(tp_cache_edit_particle(f.cache, &edit), TP_OK);
    CHECK(fabsf(place_of(&f, 14, 80, SWARM_VELOCITY, 0) - (7.0f - twelve) / (2.0f * dt)) < 1e-3f);
    CHECK(fabsf(place_of(&f, 12, 80, SWARM_VELOCITY, 0) - (7.0f - eight) / (6.0f * dt)) < 1e-3f);
    fixture_close(&f);
}

static const test_case cases[] = {
    TEST_CASE(rates_fit_the_frames_that_are_there),
    TEST_CASE(frames_go_to_storage_and_back_without_loss),
    TEST_CASE(what_was_cleared_stays_away),
    TEST_CASE(damaged_packets_show_nothing_wrong),
    TEST_CASE(packets_of_another_kind_are_refused),
    TEST_CASE(a_baked_particle_is_edited_and_its_rates_fit),
};
TEST_SUITE(packet, cases);
