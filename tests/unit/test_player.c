/* SPDX-License-Identifier: MIT
   tests/unit/test_player.c - players of clips: the host's frames in any order, budgets, stalls, previews, damage.
   reads   runtime/play                    writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   own design; PHYSICS F.2, F.3 */
#include "film_help.h"
#include "../../runtime/codec/clip.h"
#include <math.h>
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
    test_note("frame %u of %u, %u kept: %s; %llu: %s", position, from->frame_count, made->def.frames_kept,
              tp_result_text(result), (unsigned long long)counters.fault.offset, counters.fault.expected);
    CHECK_EQ(result, TP_OK);
    CHECK_EQ(made->view.status, TP_CACHE_EXACT);
    CHECK(film_shows(made, from, position));
}

/* Forwards, backwards, at random. */
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
    for (uint32_t i = 0; i < 40; i++) check_frame(&made, from, storage, next_random(&seed) % count, NULL);
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
    {.points = 200, .frames = 40, .key_interval = 20, .error = 1e-4, .is_wild = true, .small_blocks = 1},
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

static const test_case cases[] = {
    TEST_CASE(frames_are_the_hosts_in_any_order),
};
TEST_SUITE(player, cases);
