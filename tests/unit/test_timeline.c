/* SPDX-License-Identifier: MIT
   tests/unit/test_timeline.c - strips of clips: speeds, repeats, holds, blends.
   reads   runtime/play                    writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   runtime/guide/physics.md, interpolation of recorded frames */
#include "film_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = TP_TICKS_PER_FRAME, PLAYERS = FILM_STAGE_PLAYERS };

typedef film_stage stage;

static void stage_open(stage *s, const film_options *a, const film_options *b, bool has_weights)
{
    film_stage_open(s, a, b);
    film_stage_create(s, has_weights);
}

static tp_strip strip_of(uint32_t player, int64_t start, int64_t frames)
{
    return (tp_strip){.player = player,
                      .start = start * FRAME,
                      .end = (start + frames) * FRAME,
                      .clip_start = 1 * FRAME,
                      .clip_end = 31 * FRAME,
                      .speed_numerator = 1,
                      .speed_denominator = 1};
}

static void show(stage *s, int64_t time, const tp_budget *budget)
{
    tp_result result = TP_MORE;
    for (uint32_t calls = 0; calls < 100000 && result == TP_MORE; calls++)
        result = tp_timeline_request(s->timeline, s->players, s->storages, PLAYERS, time, budget,
                                     &s->view);
    test_note("%s", tp_result_text(result));
    CHECK_EQ(result, TP_OK);
}

/* The view of the player itself at a time of its clip. */
static const tp_frame_view *plain(stage *s, uint32_t player, int64_t time)
{
    CHECK_EQ(film_request(&s->own[player], &s->storages[player], time, NULL, NULL), TP_OK);
    return &s->own[player].view;
}

static float value(const tp_frame_view *view, uint32_t stream, uint32_t c, uint32_t p)
{
    return ((const float *)view->values[stream])[c * view->capacity + p];
}

/* True if all bits are equal, with velocities times `speed`. */
static bool is_clip(const stage *s, const tp_frame_view *from, float speed)
{
    if (s->view.count != from->count) return false;
    for (uint32_t k = 0; k < s->def.stream_count; k++)
        for (uint32_t c = 0; c < s->def.streams[k].components; c++)
            for (uint32_t p = 0; p < from->count; p++) {
                float a = value(&s->view, k, c, p), b = value(from, k, c, p);
                if (s->def.rate_streams >> k & 1u) b *= speed;
                if (k && a != b) return false;
                if (!k && memcmp(&a, &b, sizeof a) != 0) return false;
            }
    return true;
}

static const film_options one = {.points = 200,
                                 .frames = 30,
                                 .key_interval = 12,
                                 .error = 1e-3,
                                 .has_velocity = true,
                                 .has_rotation = true,
                                 .first = 1};
static const film_options other = {.points = 230,
                                   .frames = 30,
                                   .key_interval = 12,
                                   .error = 2e-3,
                                   .has_velocity = true,
                                   .has_rotation = true,
                                   .first = 1,
                                   .phase = 0.5};
static const film_options lively = {.points = 200,
                                    .frames = 30,
                                    .key_interval = 12,
                                    .error = 1e-3,
                                    .has_velocity = true,
                                    .has_lives = true,
                                    .first = 1};

static void a_strip_at_its_own_speed_is_the_clip(void)
{
    stage s;
    tp_strip strip = strip_of(0, 1, 30);
    stage_open(&s, &lively, &other, false);
    CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
    for (int64_t t = 1 * FRAME; t < 31 * FRAME; t += FRAME / 3) {
        show(&s, t, NULL);
        CHECK(is_clip(&s, plain(&s, 0, t), 1));
        CHECK_EQ(s.view.status, s.own[0].view.status);
    }
    film_stage_close(&s);
}

static void speeds_scale_velocities(void)
{
    static const struct {
        int32_t numerator;
        uint32_t denominator;
        float speed;
    } rows[] = {{1, 2, 0.5f}, {-1, 1, -1.0f}, {2, 1, 2.0f}, {-3, 2, -1.5f}};
    for (uint32_t r = 0; r < 4; r++) {
        stage s;
        tp_strip strip = strip_of(1, 100, 14);
        strip.speed_numerator = rows[r].numerator;
        strip.speed_denominator = rows[r].denominator;
        stage_open(&s, &one, &other, false);
        CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
        for (int64_t f = 0; f < 14; f++) {
            int64_t gone = f * FRAME * rows[r].numerator / rows[r].denominator;
            show(&s, (100 + f) * FRAME, NULL);
            CHECK(is_clip(
                &s, plain(&s, 1, rows[r].numerator < 0 ? 31 * FRAME + gone : 1 * FRAME + gone),
                rows[r].speed));
        }
        film_stage_close(&s);
    }
}

static void repeats_and_holds_are_told_in_ticks(void)
{
    stage s;
    tp_timeline_moment moment;
    tp_strip strips[3] = {strip_of(0, 0, 100), strip_of(1, 200, 100), strip_of(0, 400, 10)};
    strips[0].repeats = true;
    strips[2].speed_numerator = 0;
    stage_open(&s, &one, &other, false);
    CHECK_EQ(tp_timeline_look(s.timeline, 0, &moment), TP_OK);
    CHECK_EQ(moment.count, 0);
    for (uint32_t i = 3; i-- > 0;) CHECK_EQ(tp_timeline_add(s.timeline, &strips[i]), TP_OK);
    static const struct {
        int64_t time, clip_time;
        uint32_t strip;
        float speed;
        bool is_outside;
    } rows[] = {{0, 1 * FRAME, 0, 1, false},
                {29 * FRAME, 30 * FRAME, 0, 1, false},
                {30 * FRAME, 1 * FRAME, 0, 1, false},
                {75 * FRAME + 7, 16 * FRAME + 7, 0, 1, false},
                {-5, 1 * FRAME, 0, 0, true},
                {100 * FRAME, 11 * FRAME - 1, 0, 0, true},
                {230 * FRAME, 31 * FRAME, 1, 1, false},
                {230 * FRAME + 1, 31 * FRAME, 1, 0, false},
                {350 * FRAME, 31 * FRAME, 1, 0, true},
                {405 * FRAME, 1 * FRAME, 2, 0, false},
                {(int64_t)1 << 60, 1 * FRAME, 2, 0, true}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        test_note("row %u", r);
        CHECK_EQ(tp_timeline_look(s.timeline, rows[r].time, &moment), TP_OK);
        CHECK_EQ(moment.count, 1);
        CHECK_EQ(moment.strip[0], rows[r].strip);
        CHECK_EQ(moment.clip_time[0], rows[r].clip_time);
        CHECK(moment.speed[0] == rows[r].speed && moment.is_outside == rows[r].is_outside);
    }
    show(&s, 350 * FRAME, NULL);
    CHECK_EQ(s.view.status, TP_CACHE_OUTSIDE);
    film_stage_close(&s);
}

/* ---- blends */

static void weights_of_0_and_1_are_one_clip(void)
{
    stage s;
    tp_strip first = strip_of(0, 0, 20), second = strip_of(1, 10, 20);
    second.fade = 8 * FRAME;
    stage_open(&s, &one, &other, false);
    CHECK_EQ(tp_timeline_add(s.timeline, &second), TP_OK);
    CHECK_EQ(tp_timeline_add(s.timeline, &first), TP_OK);
    show(&s, 10 * FRAME, NULL);
    CHECK(is_clip(&s, plain(&s, 0, 11 * FRAME), 1));
    show(&s, 18 * FRAME, NULL);
    CHECK(is_clip(&s, plain(&s, 1, 9 * FRAME), 1));
    film_stage_close(&s);
}

static void a_clip_with_itself_is_that_clip(void)
{
    stage s;
    tp_strip first = strip_of(0, 0, 20), second = strip_of(1, 10, 20);
    second.fade = 8 * FRAME;
    second.clip_start = 11 * FRAME; /* at the same time */
    stage_open(&s, &one, &one, false);
    CHECK_EQ(tp_timeline_add(s.timeline, &first), TP_OK);
    CHECK_EQ(tp_timeline_add(s.timeline, &second), TP_OK);
    for (int64_t t = 10 * FRAME; t < 18 * FRAME; t += FRAME / 2) {
        show(&s, t, NULL);
        CHECK(is_clip(&s, plain(&s, 0, t + FRAME), 1));
    }
    film_stage_close(&s);
}

/* x = xA + w (xB - xA); velocities scaled by the speeds, plus w' (xB - xA). Points of only one clip
   are shown with its weight. */
static void check_blend(const stage *s, const tp_frame_view *a, const tp_frame_view *b, double w,
                        double speed, double rate)
{
    uint32_t matched = 0, fading = 0;
    for (uint32_t p = 0; p < s->view.count; p++) {
        uint32_t id = ((const uint32_t *)s->view.values[0])[p];
        bool in_a = id < a->count, in_b = id < b->count; /* identities are 0, 1, 2 ... */
        float weight = value(&s->view, s->def.stream_count, 0, p);
        CHECK_NEAR(weight, in_a && in_b ? 1 : in_a ? 1 - w : w, 1e-6);
        fading += in_a != in_b;
        if (!in_a || !in_b) continue;
        matched++;
        for (uint32_t c = 0; c < 3; c++) {
            double xa = value(a, 1, c, id), xb = value(b, 1, c, id), va = value(a, 2, c, id),
                   vb = speed * value(b, 2, c, id);
            CHECK_NEAR(value(&s->view, 1, c, p), xa + w * (xb - xa), 1e-5);
            CHECK_NEAR(value(&s->view, 2, c, p), va + w * (vb - va) + rate * (xb - xa), 2e-4);
        }
        double square = 0;
        for (uint32_t c = 0; c < 4; c++) square += pow(value(&s->view, 3, c, p), 2);
        CHECK_NEAR(square, 1, 1e-5);
    }
    CHECK(matched == 200 && fading == 30);
}

static void blends_go_from_point_to_point(void)
{
    stage s;
    tp_strip first = strip_of(0, 0, 20), second = strip_of(1, 10, 20);
    second.fade = 8 * FRAME;
    second.speed_numerator = -2;
    stage_open(&s, &one, &other, true);
    CHECK_EQ(tp_timeline_add(s.timeline, &first), TP_OK);
    CHECK_EQ(tp_timeline_add(s.timeline, &second), TP_OK);
    for (int64_t f = 1; f < 8; f++) {
        show(&s, (10 + f) * FRAME, NULL);
        CHECK_EQ(s.view.status, TP_CACHE_INTERPOLATED);
        check_blend(&s, plain(&s, 0, (11 + f) * FRAME), plain(&s, 1, (31 - 2 * f) * FRAME),
                    (double)f / 8, -2, 1.0 / 8 / 0.04);
    }
    film_stage_close(&s);
}

/* Decoded positions are within the error bounds of the input, and so is every blend of them. */
static void no_blend_is_off_by_more_than_the_larger_error(void)
{
    stage s, exact;
    film_options a = one, b = other;
    tp_strip first = strip_of(0, 0, 20), second = strip_of(1, 10, 20);
    second.fade = 8 * FRAME;
    stage_open(&s, &one, &other, false);
    a.error = b.error = 0;
    stage_open(&exact, &a, &b, false);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(tp_timeline_add(s.timeline, k ? &second : &first), TP_OK);
        CHECK_EQ(tp_timeline_add(exact.timeline, k ? &second : &first), TP_OK);
    }
    for (int64_t t = 10; t < 18; t++) {
        show(&s, t * FRAME, NULL);
        show(&exact, t * FRAME, NULL);
        CHECK_EQ(s.view.count, exact.view.count);
        for (uint32_t p = 0; p < s.view.count; p++)
            for (uint32_t c = 0; c < 3; c++)
                CHECK_NEAR(value(&s.view, 1, c, p), value(&exact.view, 1, c, p), 2e-3 + 1e-6);
    }
    film_stage_close(&s);
    film_stage_close(&exact);
}

static void budgets_do_not_change_a_blend(void)
{
    stage s, t;
    tp_strip first = strip_of(0, 0, 20), second = strip_of(1, 10, 20);
    tp_budget small = {.units = 1};
    second.fade = 8 * FRAME;
    stage_open(&s, &lively, &lively, true);
    stage_open(&t, &lively, &lively, true);
    CHECK_EQ(tp_timeline_add(s.timeline, &first), TP_OK);
    CHECK_EQ(tp_timeline_add(s.timeline, &second), TP_OK);
    CHECK_EQ(tp_timeline_add(t.timeline, &first), TP_OK);
    CHECK_EQ(tp_timeline_add(t.timeline, &second), TP_OK);
    for (int64_t f = 2; f < 24; f += 3) {
        show(&s, f * FRAME + 5, NULL);
        show(&t, f * FRAME + 5, &small);
        CHECK_EQ(s.view.count, t.view.count);
        for (uint32_t k = 0; k < s.def.stream_count + 1u; k++)
            for (uint32_t c = 0; c < (k < s.def.stream_count ? s.def.streams[k].components : 1u);
                 c++)
                CHECK(memcmp((float *)s.view.values[k] + c * s.view.capacity,
                             (float *)t.view.values[k] + c * s.view.capacity,
                             s.view.count * 4u) == 0);
    }
    film_stage_close(&s);
    film_stage_close(&t);
}

static void wrong_strips_and_definitions_are_refused(void)
{
    stage s;
    stage_open(&s, &one, &other, false);
    tp_strip strip = strip_of(2, 0, 20), bad = strip;
    CHECK_EQ(tp_timeline_request(s.timeline, s.players, s.storages, PLAYERS, 0, NULL, &s.view),
             TP_ERROR_FRAME);
    CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
    CHECK_EQ(tp_timeline_request(s.timeline, s.players, s.storages, PLAYERS, 0, NULL, &s.view),
             TP_ERROR_HANDLE);
    CHECK_EQ(s.view.status, TP_CACHE_MISSING);
    bad.end = bad.start;
    CHECK_EQ(tp_timeline_add(s.timeline, &bad), TP_ERROR_DEFINITION);
    bad = strip, bad.speed_denominator = 0;
    CHECK_EQ(tp_timeline_add(s.timeline, &bad), TP_ERROR_DEFINITION);
    bad = strip, bad.fade = 21 * FRAME;
    CHECK_EQ(tp_timeline_add(s.timeline, &bad), TP_ERROR_DEFINITION);
    for (uint32_t i = 1; i < s.def.strips_max; i++)
        CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
    CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_ERROR_FULL);
    CHECK_EQ(tp_timeline_clear(s.timeline), TP_OK);
    tp_timeline_def none = tp_timeline_default(NULL, NULL);
    CHECK(tp_timeline_check(&none) != NULL);
    film_stage_close(&s);
}

static void players_of_another_kind_are_refused(void)
{
    stage s;
    stage_open(&s, &one, &other, false);
    tp_strip strip = strip_of(0, 1, 30), second = strip_of(1, 10, 30);
    second.fade = 10 * FRAME;
    CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
    CHECK_EQ(tp_timeline_add(s.timeline, &second), TP_OK);
    film_player odd;
    film_player_open(&odd, &s.films[1], 2);
    odd.def.stream_count--; /* its frames have another layout than the timeline's */
    film_player_create(&odd);
    s.players[1] = odd.player;
    CHECK_EQ(
        tp_timeline_request(s.timeline, s.players, s.storages, PLAYERS, 15 * FRAME, NULL, &s.view),
        TP_ERROR_SOURCE);
    s.players[1] = NULL;
    CHECK_EQ(
        tp_timeline_request(s.timeline, s.players, s.storages, PLAYERS, 15 * FRAME, NULL, &s.view),
        TP_ERROR_NULL);
    s.players[1] = s.own[1].player;
    show(&s, 15 * FRAME, NULL);
    film_player_close(&odd);
    film_stage_close(&s);
}

static void the_frame_is_told_after_many_calls_too(void)
{
    stage s;
    stage_open(&s, &one, &other, false);
    tp_strip strip = strip_of(0, 1, 30);
    CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
    tp_budget budget = {.units = 600};
    tp_frame_view *view = &s.view;
    show(&s, 15 * FRAME, NULL);
    uint64_t frame = view->frame, next = view->frame_next;
    CHECK(frame > 0);
    view->frame = view->frame_next = 0;
    show(&s, 20 * FRAME, NULL);
    show(&s, 15 * FRAME, &budget);
    CHECK_EQ(view->frame, frame);
    CHECK_EQ(view->frame_next, next);
    film_stage_close(&s);
}

static const test_case cases[] = {
    TEST_CASE(players_of_another_kind_are_refused),
    TEST_CASE(the_frame_is_told_after_many_calls_too),
    TEST_CASE(a_strip_at_its_own_speed_is_the_clip),
    TEST_CASE(speeds_scale_velocities),
    TEST_CASE(repeats_and_holds_are_told_in_ticks),
    TEST_CASE(weights_of_0_and_1_are_one_clip),
    TEST_CASE(a_clip_with_itself_is_that_clip),
    TEST_CASE(blends_go_from_point_to_point),
    TEST_CASE(no_blend_is_off_by_more_than_the_larger_error),
    TEST_CASE(budgets_do_not_change_a_blend),
    TEST_CASE(wrong_strips_and_definitions_are_refused),
};
TEST_SUITE(timeline, cases);
