/* SPDX-License-Identifier: MIT
   tests/unit/test_player.c - players of clips: frames in any order, budgets, late reads, previews,
           damage.
   reads   runtime/play                    writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   own design */
#include "film_help.h"
#include "../../runtime/codec/clip.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t ticks_of(const film *from, uint32_t position)
{
    return (int64_t)from->frames[position].number * (int64_t)TP_TICKS_PER_FRAME;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void check_frame(film_player *made, const film *from, const tp_clip_storage *storage,
                        uint32_t position, const tp_budget *budget)
{
    tp_result result = film_request(made, storage, ticks_of(from, position), budget, NULL);
    tp_player_counters counters = tp_player_report(made->player);
    test_note("frame %u of %u, %u kept: %s; %llu: %s", position, from->frame_count,
              made->def.frames_kept, tp_result_text(result),
              (unsigned long long)counters.fault.offset, counters.fault.expected);
    CHECK_EQ(result, TP_OK);
    CHECK_EQ(made->view.status, TP_CACHE_EXACT);
    CHECK(film_shows(made, from, position));
}

/* Forwards, backwards, in random order. */
static void check_orders(const film *from, uint32_t frames_kept, const tp_clip_storage *storage,
                         uint32_t ahead)
{
    film_player made;
    uint32_t seed = 5, count = from->frame_count;
    film_player_open(&made, from, frames_kept);
    made.def.frames_ahead = ahead;
    film_player_create(&made);
    for (uint32_t f = 0; f < count; f++) check_frame(&made, from, storage, f, NULL);
    for (uint32_t f = count; f-- > 0;) check_frame(&made, from, storage, f, NULL);
    for (uint32_t i = 0; i < 40; i++)
        check_frame(&made, from, storage, next_random(&seed) % count, NULL);
    film_player_close(&made);
}

static const film_options kinds[] = {
    {.points = 300, .frames = 50, .key_interval = 16, .error = 0.01},
    {.points = 300,
     .frames = 120,
     .key_interval = 32,
     .error = 0.01,
     .has_lives = true,
     .has_velocity = true},
    {.points = 130,
     .frames = 40,
     .key_interval = 13,
     .error = 1e-3,
     .has_lives = true,
     .has_rotation = true,
     .first = -7,
     .step = 3,
     .small_blocks = 1},
    {.points = 40, .frames = 20, .key_interval = 8, .has_velocity = true, .small_blocks = 1},
    {.points = 200,
     .frames = 40,
     .key_interval = 20,
     .error = 1e-4,
     .is_wild = true,
     .small_blocks = 1},
    {.points = 300,
     .frames = 30,
     .key_interval = 30,
     .error = 0.01,
     .has_lives = true,
     .has_velocity = true,
     .is_compact = true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void frames_are_the_hosts_in_any_order(void)
{
    for (uint32_t k = 0; k < KINDS; k++) {
        film made = film_make(&kinds[k]);
        film_reel reel;
        tp_clip_storage mapped = film_mapped(&made), read = film_read(&reel, &made, 0);
        check_orders(&made, 0, &mapped, 1);
        check_orders(&made, 0, &read, 1);
        check_orders(&made, 2, &mapped, 1);
        check_orders(&made, kinds[k].key_interval + 1u, &read, 1);
        check_orders(&made, 9, &read, 4);
        film_free(&made);
    }
}

/* With more than 65536 slots, slot numbers have 32 bits. */
static void frames_are_the_hosts_in_large_players(void)
{
    film made = film_make(&kinds[2]);
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    film_player_open(&player, &made, 3);
    player.def.points_max = 70000;
    film_player_create(&player);
    for (uint32_t f = 0; f < made.frame_count; f++) check_frame(&player, &made, &mapped, f, NULL);
    film_player_close(&player);
    film_free(&made);
}

/* ---- 64 KiB */

enum { DEVICE_BYTES = 65536, DEVICE_POINTS = 1300 };
static const film_options device_film = {
    .points = DEVICE_POINTS, .frames = 140, .key_interval = 64, .error = 6e-3, .small_blocks = 1};

typedef struct device_memory {
    _Alignas(16) uint8_t before[16];
    uint8_t block[DEVICE_BYTES];
    uint8_t behind[16];
} device_memory;

static bool guards_are_whole(const device_memory *memory)
{
    for (uint32_t i = 0; i < 16; i++)
        if (memory->before[i] != 0x5a || memory->behind[i] != 0x5a) return false;
    return true;
}

/* The next frame costs at most 4 units per point plus its bytes. A frame elsewhere costs at most a
   group. */
static void check_device_costs(film_player *made, const film *from, const tp_clip_storage *storage)
{
    uint32_t seed = 9, points = DEVICE_POINTS, most = 0, group = from->info.key_interval;
    uint32_t bytes = 11u * (from->info.piece_max + 2u * from->info.block_bytes) / 8u;
    check_frame(made, from, storage, 0, NULL);
    for (uint32_t f = 1; f < from->frame_count; f++) {
        check_frame(made, from, storage, f, NULL);
        uint32_t units = tp_player_report(made->player).units;
        if (f % group) CHECK(units <= points * 4u + bytes);
        if (f % group && units > most) most = units;
    }
    for (uint32_t i = 0; i < 30; i++) {
        check_frame(made, from, storage, next_random(&seed) % from->frame_count, NULL);
        CHECK(tp_player_report(made->player).units <= points * (group + 6u) + 3u * bytes);
    }
    CHECK_EQ(tp_player_report(made->player).tile_wide, 0);
}

static void thirteen_hundred_points_play_in_64_kib(void)
{
    static device_memory memory;
    film made = film_make(&device_film);
    film_reel reel;
    tp_clip_storage mapped = film_mapped(&made), read = film_read(&reel, &made, 0);
    film_player player;
    film_player_open(&player, &made, 0);
    CHECK_EQ(made.info.points_max, DEVICE_POINTS);
    CHECK_EQ(tp_player_memory(&player.def, &player.bytes), TP_OK);
    test_note("%zu bytes, tiles of %u, blocks of %u", player.bytes, made.info.piece_max,
              made.info.block_bytes);
    CHECK(player.bytes <= DEVICE_BYTES);
    CHECK(player.bytes <=
          TP_PLAYER_BYTES(DEVICE_POINTS, 3, 2, 0, made.info.piece_max, made.info.block_bytes));
    player.view.capacity = DEVICE_POINTS;
    for (uint32_t s = 0; s < player.def.stream_count; s++)
        player.view.values[s] = calloc((size_t)DEVICE_POINTS * player.def.streams[s].components, 4);
    for (uint32_t pass = 0; pass < 2; pass++) {
        memset(&memory, 0x5a, sizeof memory);
        CHECK_EQ(tp_player_create(&player.def, memory.block, DEVICE_BYTES, &player.player), TP_OK);
        check_device_costs(&player, &made, pass ? &read : &mapped);
        CHECK(guards_are_whole(&memory));
    }
    player.player = NULL;
    film_player_close(&player);
    film_free(&made);
}

/* ---- budgets, reads, stalls */

/* Plays the film in a fixed order of times; returns a hash of the views, which must not depend on
   budget and storage. */
static uint64_t check_walk(const film *from, const tp_clip_storage *storage,
                           const tp_budget *budget, uint32_t reads_max, uint32_t kept,
                           uint64_t *units)
{
    static const int64_t halves[] = {0,   3,   4,   5,  31, 32, 33, 34, 150,
                                     149, 148, 147, 20, 21, 90, -5, 400};
    film_player made;
    uint64_t hash = 14695981039346656037u;
    film_player_open(&made, from, kept);
    made.def.reads_max = reads_max;
    made.def.slice_units = 128u * (1u + made.def.stream_count) + made.def.block_max / 4u;
    film_player_create(&made);
    *units = 0;
    for (uint32_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
        int64_t time = from->info.first_frame * (int64_t)TP_TICKS_PER_FRAME +
                       halves[i] * (int64_t)TP_TICKS_PER_FRAME / 2;
        tp_result result = TP_MORE;
        for (uint32_t calls = 0; calls < 1000000 && result == TP_MORE; calls++) {
            result = tp_player_request(made.player, storage, time, budget, &made.view);
            tp_player_counters counters = tp_player_report(made.player);
            *units += counters.units;
            CHECK(counters.slice_units_longest <= made.def.slice_units);
            if (reads_max && i) CHECK(counters.reads_last <= reads_max);
            if (budget && budget->units && i)
                CHECK(counters.units <= budget->units + made.def.slice_units);
        }
        if (result != TP_OK)
            test_note("%s at %llu", tp_player_report(made.player).fault.expected,
                      (unsigned long long)tp_player_report(made.player).fault.offset);
        CHECK_EQ(result, TP_OK);
        for (uint32_t s = 0; s < made.def.stream_count; s++)
            for (uint32_t c = 0; c < made.def.streams[s].components; c++)
                for (uint32_t p = 0; p < made.view.count; p++)
                    hash = (hash ^ ((uint32_t *)made.view.values[s])[c * made.view.capacity + p]) *
                           1099511628211u;
        hash = (hash ^ (uint64_t)made.view.status) * 1099511628211u;
    }
    film_player_close(&made);
    return hash;
}

static void budgets_and_stalls_change_nothing(void)
{
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t kept = 0; kept <= 8; kept += 4) {
            film made = film_make(&kinds[k]);
            film_reel reel;
            tp_clip_storage mapped = film_mapped(&made);
            tp_budget small = {.units = 1}, middle = {.stage_units[TP_STAGE_CACHE_READ] = 3000};
            uint64_t units, other, hash = check_walk(&made, &mapped, NULL, 0, kept, &units);
            CHECK_EQ(check_walk(&made, &mapped, &small, 0, kept, &other), hash);
            CHECK_EQ(other, units);
            CHECK_EQ(check_walk(&made, &mapped, &middle, 0, kept, &other), hash);
            CHECK_EQ(other, units);
            for (uint32_t stalls = 0; stalls < 3; stalls += 2)
                for (uint32_t reads = 0; reads < 4; reads += 1 + reads) {
                    tp_clip_storage read = film_read(&reel, &made, stalls);
                    test_note("film %u, %u kept, %u stalls, %u reads a call", k, kept, stalls,
                              reads);
                    CHECK_EQ(check_walk(&made, &read, &middle, reads, kept, &other), hash);
                }
            film_free(&made);
        }
}

/* A compact clip has no heads of blocks, and blocks that are shorter than others. */
static void stalls_change_nothing_in_compact_clips(void)
{
    film made = film_make(&kinds[KINDS - 1]);
    film_reel reel;
    tp_clip_storage mapped = film_mapped(&made), read = film_read(&reel, &made, 2);
    tp_budget small = {.units = 1};
    uint64_t units, other, hash = check_walk(&made, &mapped, NULL, 0, 4, &units);
    CHECK(made.size > 4u && memcmp(made.bytes, "TPCS", 4) == 0);
    CHECK_EQ(check_walk(&made, &mapped, &small, 0, 4, &other), hash);
    CHECK_EQ(check_walk(&made, &read, NULL, 1, 4, &other), hash);
    for (size_t cut = 0; cut < made.size; cut += 97) { /* every cut is found, no byte beyond read */
        film_player player;
        uint8_t *bytes = malloc(cut + 1u);
        film short_film = made;
        if (!CHECK(bytes != NULL)) break;
        memcpy(bytes, made.bytes, cut);
        short_film.bytes = bytes, short_film.size = cut;
        tp_clip_storage part = film_mapped(&short_film);
        film_player_open(&player, &made, 0);
        film_player_create(&player);
        CHECK_EQ(film_request(&player, &part, ticks_of(&made, 29), NULL, NULL), TP_ERROR_CLIP);
        film_player_close(&player);
        free(bytes);
    }
    film_free(&made);
}

/* A read that never completes: the player reports and counts it. */
static void a_stall_is_told_and_not_waited_for(void)
{
    film made = film_make(&kinds[0]);
    film_reel reel;
    film_player player;
    tp_clip_storage read = film_read(&reel, &made, UINT32_MAX);
    film_player_open(&player, &made, 0);
    film_player_create(&player);
    for (uint32_t i = 1; i < 5; i++) {
        CHECK_EQ(tp_player_request(player.player, &read, 0, NULL, &player.view), TP_MORE);
        CHECK_EQ(player.view.status, TP_CACHE_PARTIAL);
        CHECK_EQ(tp_player_report(player.player).stalls, i);
    }
    read = film_read(&reel, &made, 0);
    check_frame(&player, &made, &read, 3, NULL);
    film_player_close(&player);
    film_free(&made);
}

/* A game that requests a later time in every call still gets its frames. */
static void a_moving_time_is_caught_up_with(void)
{
    film made = film_make(&kinds[1]);
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    tp_budget budget = {.units = 6000};
    uint32_t answered = 0;
    film_player_open(&player, &made, 3);
    film_player_create(&player);
    for (int64_t i = 0; i < 400; i++) {
        tp_result result = tp_player_request(
            player.player, &mapped, i * (int64_t)TP_TICKS_PER_FRAME / 4, &budget, &player.view);
        CHECK(result == TP_OK || result == TP_MORE);
        answered += result == TP_OK;
    }
    test_note("%u answered", answered);
    CHECK(answered > 300);
    film_player_close(&player);
    film_free(&made);
}

/* ---- between frames, and outside */

static float at(const film_player *made, uint32_t stream, uint32_t c, uint32_t p)
{
    return ((const float *)made->view.values[stream])[c * made->view.capacity + p];
}

static void between_frames_lies_the_cubic_of_both(void)
{
    film made = film_make(&(film_options){.points = 50,
                                          .frames = 30,
                                          .key_interval = 10,
                                          .has_velocity = true,
                                          .has_rotation = true});
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    film_player_open(&player, &made, 2);
    film_player_create(&player);
    for (uint32_t f = 7; f < 12; f++) /* frames 9 to 10 are in different groups */
        for (int64_t q = 1; q < 4; q++) {
            CHECK_EQ(film_request(&player, &mapped,
                                  ticks_of(&made, f) + q * (int64_t)TP_TICKS_PER_FRAME / 4, NULL,
                                  NULL),
                     TP_OK);
            CHECK_EQ(player.view.status, TP_CACHE_INTERPOLATED);
            CHECK_EQ(player.view.frame_next, player.view.frame + 1u);
            const float *x0 = made.frames[f].data[POINT_LOCATION],
                        *x1 = made.frames[f + 1].data[POINT_LOCATION];
            const float *v0 = made.frames[f].data[POINT_VELOCITY],
                        *v1 = made.frames[f + 1].data[POINT_VELOCITY];
            for (uint32_t p = 0; p < 50; p++)
                for (uint32_t c = 0; c < 3; c++) {
                    double u = 0.25 * (double)q, w = 1 - u, t = 0.04;
                    double a = x0[3 * p + c], b = x1[3 * p + c], va = v0[3 * p + c],
                           vb = v1[3 * p + c];
                    double x =
                        a + (b - a) * u * u * (3 - 2 * u) + t * (va * u * w * w - vb * u * u * w);
                    double v =
                        6 * u * w * (b - a) / t + va * w * (1 - 3 * u) + vb * u * (3 * u - 2);
                    CHECK_NEAR(at(&player, 1, c, p), x, 1e-5);
                    CHECK_NEAR(at(&player, 2, c, p), v, 1e-3);
                }
            for (uint32_t p = 0; p < 50; p++) {
                double square = 0;
                for (uint32_t c = 0; c < 4; c++)
                    square += at(&player, 3, c, p) * (double)at(&player, 3, c, p);
                CHECK_NEAR(square, 1, 1e-5);
            }
        }
    film_player_close(&player);
    film_free(&made);
}

static void outside_the_nearest_end_is_shown(void)
{
    film made = film_make(&kinds[2]); /* frames from -7 in steps of 3 */
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    uint32_t last = made.frame_count - 1u;
    for (uint32_t kept = 0; kept < 3; kept += 2) {
        film_player_open(&player, &made, kept);
        film_player_create(&player);
        CHECK_EQ(film_request(&player, &mapped, ticks_of(&made, 0) - 1, NULL, NULL), TP_OK);
        CHECK_EQ(player.view.status, TP_CACHE_OUTSIDE);
        CHECK(film_shows(&player, &made, 0));
        CHECK_EQ(film_request(&player, &mapped, INT64_MAX, NULL, NULL), TP_OK);
        CHECK_EQ(player.view.status, TP_CACHE_OUTSIDE);
        CHECK(film_shows(&player, &made, last));
        CHECK_EQ(film_request(&player, &mapped, INT64_MIN, NULL, NULL), TP_OK);
        CHECK(film_shows(&player, &made, 0));
        CHECK_EQ(film_request(&player, &mapped, ticks_of(&made, 12) + 1, NULL, NULL),
                 TP_OK); /* 12 ends a group */
        CHECK_EQ(player.view.status, TP_CACHE_INTERPOLATED);
        CHECK_EQ(player.view.frame_next, player.view.frame + (kept ? 3u : 0u));
        film_player_close(&player);
    }
    film_free(&made);
}

/* ---- previews */

static void a_preview_is_every_second_tile(void)
{
    film made = film_make(&kinds[0]); /* 300 points: tiles of 128, 128, 44 */
    film_player player, whole;
    tp_clip_storage mapped = film_mapped(&made);
    for (uint32_t kept = 0; kept < 3; kept += 2) {
        film_player_open(&whole, &made, kept);
        film_player_create(&whole);
        film_player_open(&player, &made, kept);
        player.def.tile_stride = 2;
        player.def.points_max = 172;
        film_player_create(&player);
        for (uint32_t f = 0; f < made.frame_count; f += 3) {
            check_frame(&whole, &made, &mapped, f, NULL);
            CHECK_EQ(film_request(&player, &mapped, ticks_of(&made, f), NULL, NULL), TP_OK);
            CHECK_EQ(player.view.count, 172);
            for (uint32_t p = 0; p < 172; p++) {
                uint32_t point = p < 128 ? p : p + 128u;
                CHECK_EQ(((uint32_t *)player.view.values[0])[p], point);
                for (uint32_t c = 0; c < 3; c++)
                    CHECK(at(&player, 1, c, p) == at(&whole, 1, c, point));
            }
        }
        CHECK(2u * tp_player_report(player.player).tile_frames <
              2u * tp_player_report(whole.player).tile_frames);
        CHECK_EQ(tp_player_reopen(player.player, 1), TP_OK);
        CHECK_EQ(film_request(&player, &mapped, 0, NULL, NULL), TP_ERROR_CLIP_LIMIT);
        CHECK_EQ(player.view.status, TP_CACHE_MISSING);
        CHECK_EQ(tp_player_reopen(whole.player, 3), TP_OK);
        CHECK_EQ(film_request(&whole, &mapped, 0, NULL, NULL), TP_OK);
        CHECK_EQ(whole.view.count, 128);
        film_player_close(&player);
        film_player_close(&whole);
    }
    film_free(&made);
}

/* ---- damage */

/* True if the right frame is shown, or an error with its byte; another frame must never be
   shown. */
static bool is_told_or_right(film_player *player, const film *made, const film *whole, uint32_t f)
{
    tp_clip_storage mapped = film_mapped(made);
    tp_result result = film_request(player, &mapped, ticks_of(whole, f), NULL, NULL);
    if (result == TP_OK && player->view.status == TP_CACHE_EXACT)
        return film_shows(player, whole, f);
    if (result == TP_OK)
        return player->view.status == TP_CACHE_OUTSIDE ||
               player->view.status == TP_CACHE_INTERPOLATED;
    tp_player_counters counters = tp_player_report(player->player);
    return player->view.count == 0 && player->view.status == TP_CACHE_MISSING &&
           (result == TP_ERROR_FRAME || counters.fault.expected[0]);
}

static void damage_is_told_with_its_byte(void)
{
    film_options options = kinds[2];
    options.points = 60;
    film whole = film_make(&options), made = whole;
    made.bytes = malloc(whole.size);
    memcpy(made.bytes, whole.bytes, whole.size);
    uint32_t told = 0;
    for (size_t i = 0; i < whole.size; i += 3) {
        film_player player;
        film_player_open(&player, &whole, i % 2 ? 0 : 2);
        film_player_create(&player);
        made.bytes[i] ^= (uint8_t)(1u << i % 8u);
        test_note("byte %zu of %zu", i, whole.size);
        for (uint32_t f = 3; f < whole.frame_count; f += 11)
            CHECK(is_told_or_right(&player, &made, &whole, f));
        tp_player_counters counters = tp_player_report(player.player);
        if (counters.fault.expected[0]) {
            told++;
            CHECK(counters.fault.offset <= i && i < counters.fault.offset + 512u);
        }
        made.bytes[i] ^= (uint8_t)(1u << i % 8u);
        check_frame(&player, &whole, &(tp_clip_storage){.bytes = whole.bytes, .size = whole.size},
                    3, NULL);
        film_player_close(&player);
    }
    CHECK(told > (whole.size - 1024u) / 6u);
    for (size_t size = 0; size < whole.size; size += 97) {
        film_player player;
        film_player_open(&player, &whole, 2);
        film_player_create(&player);
        made.size = size;
        for (uint32_t f = 0; f < whole.frame_count; f += 13)
            CHECK(is_told_or_right(&player, &made, &whole, f));
        film_player_close(&player);
    }
    free(made.bytes);
    film_free(&whole);
}

/* ---- definitions */

static void small_definitions_are_refused(void)
{
    film made = film_make(&kinds[1]);
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    for (uint32_t k = 0; k < 4; k++) {
        film_player_open(&player, &made, 2);
        if (k == 0) player.def.points_max--;
        if (k == 1) player.def.piece_max = 64; /* tiles across several blocks are longer */
        if (k == 2) player.def.block_max /= 2u;
        if (k == 3) strcpy(player.def.streams[1].name, "nothing");
        film_player_create(&player);
        tp_result result = TP_OK;
        for (uint32_t f = 0; f < made.frame_count && result == TP_OK; f++)
            result = film_request(&player, &mapped, ticks_of(&made, f), NULL, NULL);
        test_note("%u: %s", k, tp_result_text(result));
        CHECK_EQ(result, k == 3 ? TP_ERROR_SOURCE : TP_ERROR_CLIP_LIMIT);
        film_player_close(&player);
    }
    film_player_open(&player, &made, 2);
    size_t bytes = 0;
    tp_player *none;
    uint8_t block[64];
    CHECK_EQ(tp_player_memory(&player.def, &bytes), TP_OK);
    CHECK_EQ(tp_player_create(&player.def, block, sizeof block, &none), TP_ERROR_MEMORY);
    player.def.frames_kept = 1;
    CHECK(strstr(tp_player_check(&player.def), "frames_kept") != NULL);
    CHECK_EQ(tp_player_memory(&player.def, &bytes), TP_ERROR_DEFINITION);
    player.def.stamp = 0;
    CHECK_EQ(tp_player_memory(&player.def, &bytes), TP_ERROR_STAMP);
    tp_player_def empty = tp_player_default(NULL);
    CHECK(tp_player_check(&empty) != NULL);
    film_free(&made);
}

/* A copied block continues to play. */
static void a_copy_of_the_block_plays_on(void)
{
    film made = film_make(&kinds[1]);
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    tp_budget budget = {.units = 900};
    film_player_open(&player, &made, 4);
    film_player_create(&player);
    for (uint32_t f = 0; f < 60; f++) {
        (void)!tp_player_request(player.player, &mapped, ticks_of(&made, f), &budget, &player.view);
        void *copy = aligned_alloc(16, (player.bytes + 79u) / 16u * 16u);
        memcpy(copy, player.block, (player.bytes + 79u) / 16u * 16u);
        memset(player.block, 0, player.bytes);
        free(player.block);
        player.block = copy;
        player.player = tp_player_at(copy, player.bytes);
        check_frame(&player, &made, &mapped, f, &budget);
    }
    film_player_close(&player);
    film_free(&made);
}

int command_size(int argc, char **argv);

static void size_tells_what_playing_takes(void)
{
    film made = film_make(&kinds[0]);
    film_player player;
    char *folder = test_folder_make(), expected[64];
    film_player_open(&player, &made, 0);
    CHECK_EQ(tp_player_memory(&player.def, &player.bytes), TP_OK);
    test_file_write(test_text("%s/a.tpc", folder), made.bytes, made.size);
    test_output output = test_command(command_size, test_text("size %s/a.tpc", folder));
    snprintf(expected, sizeof expected, "sum, whole frames    %12zu", player.bytes);
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.standard, expected) != NULL);
    test_output_free(&output);
    test_file_write(test_text("%s/a.tpc", folder), made.bytes, 700);
    test_expect(command_size, test_text("size %s/a.tpc", folder), HOST_BAD_INPUT, "expected ");
    test_expect(command_size, test_text("size %s/a.tpc --json", folder), HOST_USAGE,
                "are for scenes");
    test_folder_remove(folder);
    film_free(&made);
}

/* Identities ascend from slot to slot, in a group and in the next one, while points leave within a
   group or between groups. */
static void points_that_leave_are_not_shown(void)
{
    for (uint32_t leave = 5; leave <= 8u; leave += 3u) {
        film made = film_make(&(film_options){.points = 200,
                                              .frames = 12,
                                              .error = 1e-3,
                                              .key_interval = 8,
                                              .has_lives = true,
                                              .leave = leave});
        tp_clip_storage mapped = film_mapped(&made);
        film_player player;
        film_player_open(&player, &made, 2);
        film_player_create(&player);
        for (uint32_t f = 0; f < 12u; f++) {
            int64_t time = ((int64_t)made.info.first_frame + f) * (int64_t)TP_TICKS_PER_FRAME;
            CHECK_EQ(film_request(&player, &mapped, time, NULL, NULL), TP_OK);
            CHECK_EQ(player.view.count, f < leave ? 200 : 120);
            CHECK(film_shows(&player, &made, f));
            if (f == 11u) break;
            CHECK_EQ(film_request(&player, &mapped, time + TP_TICKS_PER_FRAME / 2, NULL, NULL),
                     TP_OK);
            CHECK_EQ(player.view.count, f + 1u < leave ? 200 : 120);
        }
        film_player_close(&player);
        film_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(frames_are_the_hosts_in_any_order),
    TEST_CASE(frames_are_the_hosts_in_large_players),
    TEST_CASE(thirteen_hundred_points_play_in_64_kib),
    TEST_CASE(budgets_and_stalls_change_nothing),
    TEST_CASE(stalls_change_nothing_in_compact_clips),
    TEST_CASE(a_stall_is_told_and_not_waited_for),
    TEST_CASE(a_moving_time_is_caught_up_with),
    TEST_CASE(between_frames_lies_the_cubic_of_both),
    TEST_CASE(outside_the_nearest_end_is_shown),
    TEST_CASE(a_preview_is_every_second_tile),
    TEST_CASE(damage_is_told_with_its_byte),
    TEST_CASE(small_definitions_are_refused),
    TEST_CASE(a_copy_of_the_block_plays_on),
    TEST_CASE(size_tells_what_playing_takes),
    TEST_CASE(points_that_leave_are_not_shown),
};
TEST_SUITE(player, cases);
