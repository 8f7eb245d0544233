/* SPDX-License-Identifier: MIT
   tests/unit/test_promises.c - sentences of the public header that no other suite tests.
   reads   runtime/                        writes  a temporary folder
   memory  malloc                          cost    a tenth of a second
   after   own design; runtime/guide/promises.md lists every such sentence with its tests */
#include "cache_help.h"
#include "film_help.h"
#include "pair_help.h"
#include "world_help.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

static void any_result_has_a_text(void)
{
    static const struct {
        tp_result result;
        const char *text;
    } rows[] = {
#define ROW(name, value, text) {name, text},
        TP_RESULT_LIST(ROW)
#undef ROW
    };
    static const int wild[] = {2, 99, INT_MAX, -17, -99, INT_MIN};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        CHECK(strcmp(tp_result_text(rows[r].result), rows[r].text) == 0);
    for (uint32_t w = 0; w < sizeof wild / sizeof wild[0]; w++) {
        const char *text = tp_result_text((tp_result)wild[w]);
        CHECK(text && *text);
    }
}

/* ---- worlds ---- */

/* A fluid in a tank, and an emitter with a fraction of a birth pending. */
static test_world promise_world(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 200;
    def.emitters_max = def.fields_max = 2;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){3, 3, 0});
    for (uint32_t i = 0; i < 100; i++) {
        tp_vector at = {0.2f + 0.11f * (float)(i % 10u), 0.2f + 0.11f * (float)(i / 10u), 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){1, 0, 0}, 0, NULL) == TP_OK);
    }
    tp_emitter emitter;
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 7;
    jet.pose.position = (tp_vector){2, 2, 0};
    CHECK(tp_emitter_add(made.world, &jet, &emitter) == TP_OK);
    return made;
}

enum {
    CHANGE_NOTHING,
    CHANGE_PLACE,
    CHANGE_VELOCITY,
    CHANGE_SPECIES,
    CHANGE_OWED,
    CHANGE_EMITTER,
    CHANGE_COLLIDER,
    CHANGE_IDS,
    CHANGES
};

/* Makes the smallest change to one part of the state; the pending fraction is changed through
   private data. */
static void change_state(tp_world *world, uint32_t change)
{
    tp_vector at = {0.2f, 0.2f, 0}, v = {1, 0, 0};
    tp_emitter emitter = {1u << 16};
    tp_collider collider = {1u << 16};
    tp_pose pose = {{2, 2, 0}, {1, 0, 0, 0}};
    pose.position.y = nextafterf(2, 3);
    if (change == CHANGE_PLACE) at.x = nextafterf(at.x, 1);
    if (change == CHANGE_VELOCITY) v.x = nextafterf(v.x, 2);
    CHECK(tp_particle_set(world, 0, at, v) == TP_OK);
    if (change == CHANGE_EMITTER) CHECK(tp_emitter_move(world, emitter, pose) == TP_OK);
    if (change == CHANGE_COLLIDER) CHECK(tp_collider_move(world, collider, pose) == TP_OK);
    if (change == CHANGE_SPECIES) tpi_words(world, world->arrays.meta)[0] ^= 1u;
    if (change == CHANGE_OWED) tpi_emitter_at(world, 0)->owed ^= 1u;
    if (change == CHANGE_IDS) world->clock.next_id++;
}

static void worlds_that_would_go_on_otherwise_have_other_hashes(void)
{
    uint64_t hashes[CHANGES];
    for (uint32_t change = 0; change < CHANGES; change++) {
        test_world made = promise_world();
        change_state(made.world, change);
        hashes[change] = tp_world_hash(made.world);
        for (uint32_t before = 0; before < change; before++) {
            test_note("changes %u and %u", before, change);
            CHECK(hashes[before] != hashes[change]);
        }
        test_world_free(&made);
    }
}

/* The calls of one game frame add up their units; the next game frame begins at 0. */
static void units_add_up_within_a_game_frame(void)
{
    test_world made = promise_world(), twin = promise_world();
    for (uint32_t frame = 0; frame < 10; frame++) {
        tp_budget first = {.units = 400}, rest = {.is_same_frame = true};
        tp_report whole, part, sum;
        CHECK_EQ(tp_frame(twin.world, NULL, &whole), TP_OK);
        CHECK_EQ(tp_frame(made.world, &first, &part), TP_MORE);
        CHECK(part.units > 0 && part.units < whole.units);
        CHECK_EQ(tp_frame(made.world, &rest, &sum), TP_OK);
        CHECK_EQ(sum.units, whole.units);
    }
    test_world_free(&made);
    test_world_free(&twin);
}

/* ---- caches ---- */

/* Units of one request that only reads. */
static uint32_t units_to_show(cache_fixture *f, uint64_t time)
{
    CHECK_EQ(tp_cache_request(f->cache, NULL, time, NULL, &f->view), TP_OK);
    return tp_cache_report(f->cache).units;
}

/* One unit per stream and particle, three between two frames, and one unit per request. */
static void frames_that_stand_alone_cost_what_the_header_says(void)
{
    cache_fixture f;
    uint32_t counts[21];
    fixture_open(&f, 200, 0);
    fixture_create(&f);
    for (uint32_t frame = 0; frame <= 20; frame++) {
        CHECK_EQ(tp_cache_record(f.cache, &f.source, NULL), TP_OK);
        counts[frame] = f.swarm->now.count;
        if (frame < 20) swarm_step(f.swarm);
    }
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t frame = 0; frame <= 20; frame++)
            CHECK_EQ(units_to_show(&f, TP_TIME(frame)), 5u * counts[frame] + 1u);
    for (uint32_t frame = 0; frame < 20; frame++) {
        uint32_t most = 3u * 5u * counts[frame], units = units_to_show(&f, TP_TIME(frame) + 1000u);
        test_note("%u units between two frames of %u and %u particles", units, counts[frame],
                  counts[frame + 1u]);
        CHECK(units <= most + 1u && units > most - most / 20u);
    }
    fixture_close(&f);
}

/* A stream with another interpolation, and another selection of streams. */
static void packets_of_other_streams_are_refused(void)
{
    for (uint32_t kind = 0; kind < 3; kind++) {
        cache_fixture from, to;
        uint8_t packet[20000];
        uint32_t bytes = 0, frames;
        fixture_open(&from, 90, 0), fixture_open(&to, 90, 0);
        from.def.group_frames = to.def.group_frames = 2;
        from.def.slice_units = to.def.slice_units = 4096;
        if (kind == 1) to.def.recorded_streams = 1u << SWARM_ID | 1u << SWARM_POSITION;
        if (kind == 2) to.def.schema.streams[SWARM_SPIN].interpolation = TP_INTERPOLATE_HOLD;
        fixture_create(&from), fixture_create(&to);
        for (uint32_t frame = 0; frame < 4; frame++) {
            CHECK_EQ(tp_cache_record(from.cache, &from.source, NULL), TP_OK);
            swarm_step(from.swarm);
        }
        CHECK_EQ(tp_cache_flush(from.cache, NULL), TP_OK);
        CHECK_EQ(tp_cache_packet(from.cache, 0, packet, sizeof packet, &bytes, &frames), TP_OK);
        test_note("kind %u", kind);
        CHECK_EQ(tp_cache_take_packet(to.cache, packet, bytes), kind ? TP_ERROR_FRAME : TP_OK);
        fixture_close(&from), fixture_close(&to);
    }
}

/* ---- clips ---- */

static const film_options promise_film = {
    .points = 130, .frames = 30, .key_interval = 8, .error = 0.01};
static const film_options promise_other = {
    .points = 130, .frames = 30, .key_interval = 8, .error = 0.01, .phase = 1.3};

static void show_frame(film_player *made, const film *from, const tp_clip_storage *storage,
                       uint32_t frame)
{
    int64_t time = (int64_t)from->frames[frame].number * (int64_t)TP_TICKS_PER_FRAME;
    CHECK_EQ(film_request(made, storage, time, NULL, NULL), TP_OK);
    test_note("frame %u", frame);
    CHECK(film_shows(made, from, frame));
}

/* The clip is at another address at every request, and the old bytes are overwritten. */
static void no_storage_is_kept_from_one_request_to_the_next(void)
{
    for (uint32_t frames_kept = 0; frames_kept <= 2; frames_kept += 2) {
        film made = film_make(&promise_film);
        film_player player;
        film_player_open(&player, &made, frames_kept);
        film_player_create(&player);
        for (uint32_t k = 0; k < 40; k++) {
            uint8_t *bytes = malloc(made.size);
            tp_clip_storage storage = {bytes, made.size, NULL, NULL};
            memcpy(bytes, made.bytes, made.size);
            show_frame(&player, &made, &storage, k * 7u % made.frame_count);
            memset(bytes, 0xa5, made.size);
            memset(&storage, 0xa5, sizeof storage);
            free(bytes);
        }
        film_player_close(&player);
        film_free(&made);
    }
}

static void a_reopened_player_shows_the_new_clip_and_counts_on(void)
{
    film made = film_make(&promise_film), other = film_make(&promise_other);
    tp_clip_storage storage = film_mapped(&made), storage_other = film_mapped(&other);
    film_player player;
    film_player_open(&player, &made, 2);
    film_player_create(&player);
    for (uint32_t frame = 0; frame < 20; frame++) {
        const tp_player_counters before = tp_player_report(player.player);
        show_frame(&player, &made, &storage, frame);
        CHECK_EQ(tp_player_reopen(player.player, 0), TP_OK);
        show_frame(&player, &other, &storage_other, frame);
        CHECK_EQ(tp_player_reopen(player.player, 0), TP_OK);
        const tp_player_counters after = tp_player_report(player.player);
        CHECK_EQ(after.requests_exact, before.requests_exact + 2);
        CHECK(after.tile_frames > before.tile_frames);
    }
    film_player_close(&player);
    film_free(&made);
    film_free(&other);
}

static void players_with_streams_in_another_order_are_refused(void)
{
    film_stage stage;
    film_options options = promise_film;
    options.has_velocity = true;
    film_stage_open(&stage, &options, &options);
    tp_player_def *def = &stage.own[1].def;
    tp_stream first = def->streams[1];
    def->streams[1] = def->streams[2], def->streams[2] = first;
    for (uint32_t s = 1; s <= 2; s++)
        if (def->streams[s].interpolation == TP_INTERPOLATE_HERMITE ||
            def->streams[s].interpolation == TP_INTERPOLATE_RATE)
            def->streams[s].partner = 3u - s;
    film_stage_create(&stage, false);
    tp_strip strip = {.player = 1,
                      .start = 0,
                      .end = 20 * (int64_t)TP_TICKS_PER_FRAME,
                      .clip_start = 1 * (int64_t)TP_TICKS_PER_FRAME,
                      .clip_end = 21 * (int64_t)TP_TICKS_PER_FRAME,
                      .speed_numerator = 1,
                      .speed_denominator = 1};
    for (uint32_t player = 0; player < 2; player++) {
        tp_result result = TP_MORE;
        strip.player = player;
        CHECK_EQ(tp_timeline_clear(stage.timeline), TP_OK);
        CHECK_EQ(tp_timeline_add(stage.timeline, &strip), TP_OK);
        for (uint32_t calls = 0; calls < 1000 && result == TP_MORE; calls++)
            result =
                tp_timeline_request(stage.timeline, stage.players, stage.storages,
                                    FILM_STAGE_PLAYERS, 3 * TP_TICKS_PER_FRAME, NULL, &stage.view);
        CHECK_EQ(result, player ? TP_ERROR_SOURCE : TP_OK);
    }
    film_stage_close(&stage);
}

static const test_case cases[] = {
    TEST_CASE(any_result_has_a_text),
    TEST_CASE(worlds_that_would_go_on_otherwise_have_other_hashes),
    TEST_CASE(units_add_up_within_a_game_frame),
    TEST_CASE(frames_that_stand_alone_cost_what_the_header_says),
    TEST_CASE(packets_of_other_streams_are_refused),
    TEST_CASE(no_storage_is_kept_from_one_request_to_the_next),
    TEST_CASE(a_reopened_player_shows_the_new_clip_and_counts_on),
    TEST_CASE(players_with_streams_in_another_order_are_refused),
};
TEST_SUITE(promises, cases);
