/* SPDX-License-Identifier: MIT
   tests/unit/test_tile.c - tiles of points and frames: error bound, lossless mode, lives, bytes,
           damage.
   reads   motions made here      writes  -
   memory  malloc, 3 MB           cost    some seconds
   after   own design; decoded positions are compared with the input, independently of encoder and
           decoder */
#include "../../host_tools/clip/tile.h"
#include "../harness/decoders_help.h"
#include "../harness/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables ---- */

static void shares_fill_their_slots_and_states_stay_within_the_table(void)
{
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++) {
        uint32_t state = tpi_codec_states[s], table = TPI_STATE_TABLE(state), at = 0;
        CHECK_EQ(TPI_STATE_ROW(state), s * TPI_CODEC_ROW);
        if (!CHECK(table < TPI_CODEC_TABLES)) continue;
        for (uint32_t symbol = 0; symbol < TPI_CODEC_SYMBOLS; symbol++) {
            uint32_t step = tpi_codec_steps[TPI_STATE_ROW(state) + symbol],
                     next = TPI_STEP_STATE(step);
            if (!step) continue;
            CHECK_EQ(tpi_codec_begins[table * TPI_CODEC_ROW + symbol], at);
            if (CHECK(TPI_STATE_ROW(next) / TPI_CODEC_ROW < TPI_CODEC_STATES))
                CHECK_EQ(next, tpi_codec_states[TPI_STATE_ROW(next) / TPI_CODEC_ROW]);
            for (uint32_t k = 0; k < TPI_STEP_SHARE(step) && at < 256u; k++, at++) {
                CHECK_EQ(tpi_codec_slots[2u * (table << 8 | at)], k);
                CHECK_EQ(tpi_codec_slots[2u * (table << 8 | at) + 1u], symbol);
            }
        }
        CHECK_EQ(at, 256);
    }
}

static void every_residual_has_symbols_in_every_state(void)
{
    static const int32_t residuals[] = {0, 1, -1, 8, -9, 300, -70000, 0x7fffffff, -0x7fffffff - 1};
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
        for (uint32_t k = 0; k < sizeof residuals / sizeof residuals[0]; k++) {
            uint32_t at = tpi_codec_states[s], escapes = 0;
            while (escapes < 100 && tpi_residual_symbol(at, residuals[k]) == TPI_CODEC_ESCAPE)
                at = TPI_STEP_STATE(tpi_codec_steps[TPI_STATE_ROW(at) + TPI_CODEC_ESCAPE]),
                escapes++;
            CHECK(escapes <= TPI_CODEC_ESCAPES);
        }
}

static void negative_numbers_are_shifted_down(void)
{
    volatile int32_t minus = -5;
    CHECK_EQ(tpi_shift_down(minus, 1), -3);
    CHECK_EQ(tpi_shift_down(minus, 31), -1);
    CHECK_EQ(tpi_ordered_bits(tpi_ordered_bits(minus)), minus);
}

/* ---- motions ---- */

typedef enum motion {
    MOTION_REST,
    MOTION_FALL,
    MOTION_WALK,
    MOTION_NOISE,
    MOTION_BITS,
    MOTIONS
} motion;

typedef struct tile_case {
    uint32_t words[TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS];
    uint8_t first[TPI_TILE_POINTS], end[TPI_TILE_POINTS];
    host_tile_samples samples;
    host_tile_kind kind;
    uint8_t *bytes;
    uint32_t size;
    host_tile_encoder encoder;
    tpi_tile_reader reader;
} tile_case;

static uint32_t next_random(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u, *seed >> 8;
}

static float unit_random(uint32_t *seed) { return (float)next_random(seed) / 16777216.0f - 0.5f; }

static float moved(motion how, uint32_t frame, float value, float *velocity, uint32_t *seed)
{
    switch (how) {
    case MOTION_REST: return value;
    case MOTION_FALL:
        *velocity -= 0.01f;
        return value + *velocity < 0.0f ? (*velocity = -0.7f * *velocity, 0.0f) : value + *velocity;
    case MOTION_WALK: return value + 0.01f * unit_random(seed) + (frame % 50u == 49u ? 3.0f : 0.0f);
    default: return 100.0f * unit_random(seed);
    }
}

static void fill_case(tile_case *t, motion how, uint32_t points, uint32_t frames,
                      uint32_t components, uint32_t seed)
{
    t->samples = (host_tile_samples){points, frames, components, t->words, NULL, NULL};
    for (uint32_t c = 0; c < components; c++)
        for (uint32_t p = 0; p < points; p++) {
            float value = 50.0f * (unit_random(&seed) + 0.5f), velocity = 0.1f * unit_random(&seed);
            for (uint32_t f = 0; f < frames; f++, value = moved(how, f, value, &velocity, &seed)) {
                uint32_t word;
                memcpy(&word, &value, sizeof word);
                if (how == MOTION_BITS) word = next_random(&seed) << 16 ^ next_random(&seed);
                t->words[(f * components + c) * TPI_TILE_POINTS + p] = word;
            }
        }
}

static void give_lives(tile_case *t, uint32_t seed)
{
    for (uint32_t p = 0; p < t->samples.points; p++) {
        t->first[p] = (uint8_t)(next_random(&seed) % t->samples.frames);
        t->end[p] =
            (uint8_t)(t->first[p] + next_random(&seed) % (t->samples.frames - t->first[p] + 1u));
    }
    t->samples.first = t->first, t->samples.end = t->end;
}

static bool with_error(tile_case *t, double error)
{
    t->kind = (host_tile_kind){.is_float = true, .error = error};
    for (uint32_t c = 0; c < TPI_TILE_COMPONENTS; c++)
        if (!host_lattice(-60.0, 60.0, error, &t->kind.lattice[c])) return false;
    return true;
}

static tile_case *new_case(void)
{
    tile_case *t = calloc(1, sizeof *t);
    if (t) t->encoder.beams = 4;
    if (t)
        t->bytes =
            malloc(host_tile_bytes_max(TPI_TILE_POINTS, TPI_TILE_FRAMES_MAX, TPI_TILE_COMPONENTS));
    return t;
}

static void free_case(tile_case *t)
{
    free(t->bytes);
    free(t);
}

static bool lives_at(const tile_case *t, uint32_t f, uint32_t p)
{
    return !t->samples.first || (f >= t->first[p] && f < t->end[p]);
}

static double difference(uint32_t word, uint32_t from)
{
    float a, b;
    memcpy(&a, &word, sizeof a);
    memcpy(&b, &from, sizeof b);
    return fabs((double)a - (double)b);
}

/* Encodes and decodes; false if an error exceeds the bound, or the tile does not end where it
   should. */
static bool comes_back(tile_case *t)
{
    const host_tile_samples *s = &t->samples;
    uint32_t words[TPI_TILE_POINTS];
    t->size = host_tile_encode(&t->encoder, s, &t->kind, t->bytes);
    if (!t->size || t->size > host_tile_bytes_max(s->points, s->frames, s->components))
        return false;
    if (!tpi_tile_open(&t->reader, t->bytes, t->size)) return false;
    for (uint32_t f = 0; f < s->frames; f++) {
        if (!tpi_tile_read(&t->reader, t->bytes)) return false;
        for (uint32_t c = 0; c < s->components; c++) {
            host_tile_words(&t->reader, &t->kind, c, words);
            for (uint32_t p = 0; p < s->points; p++) {
                uint32_t was = s->words[(f * s->components + c) * TPI_TILE_POINTS + p];
                if (tpi_tile_lives(&t->reader, p) != lives_at(t, f, p)) return false;
                if (!lives_at(t, f, p) || words[p] == was) continue;
                if (!(difference(words[p], was) <= t->kind.error)) return false;
            }
        }
    }
    return tpi_tile_is_whole(&t->reader) && !tpi_tile_read(&t->reader, t->bytes);
}

/* ---- round trips ---- */

static void no_value_is_off_by_more_than_the_error(void)
{
    static const double errors[] = {0.3, 1e-2, 1e-4};
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    for (uint32_t k = 0; k < 3; k++)
        for (motion how = MOTION_REST; how < MOTION_BITS; how++)
            for (uint32_t points = 1; points <= 128; points = points * 3u + 2u) {
                fill_case(t, how, points, 1u + points, 1u + points % 4u, 7u + points);
                if (!CHECK(with_error(t, errors[k]))) continue;
                test_note("error %g, motion %d, %u points", errors[k], (int)how, points);
                CHECK(comes_back(t));
                if (points > 1) give_lives(t, points);
                CHECK(comes_back(t));
            }
    free_case(t);
}

static void without_an_error_every_bit_comes_back(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    for (uint32_t is_float = 0; is_float < 2; is_float++)
        for (motion how = MOTION_REST; how < MOTIONS; how++) {
            fill_case(t, how, 61, 40, 3, 3);
            t->kind = (host_tile_kind){.is_float = is_float};
            test_note("motion %d", (int)how);
            CHECK(comes_back(t));
            give_lives(t, 5);
            CHECK(comes_back(t));
        }
    free_case(t);
}

static void numbers_that_no_lattice_holds_are_kept_bit_by_bit(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    fill_case(t, MOTION_FALL, 9, 12, 2, 3);
    CHECK(with_error(t, 1e-3));
    static const uint32_t strange[] = {0x7f800000u, 0xffc00001u, 0x80000000u, 1u, 0x7f7fffffu};
    for (uint32_t k = 0; k < 5; k++) t->words[(k * 2u + 1u) * TPI_TILE_POINTS + k] = strange[k];
    CHECK(comes_back(t));
    CHECK(!t->reader.header.component[0].is_exact && t->reader.header.component[1].is_exact);
    tpi_lattice lattice;
    CHECK(!host_lattice(0.0, 1e9, 1e-3, &lattice) && !host_lattice(-1.0, 1.0, 1e-8, &lattice));
    free_case(t);
}

static void a_tile_is_never_larger_than_its_raw_values_and_a_header(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    fill_case(t, MOTION_BITS, 128, 64, 4, 11);
    t->kind = (host_tile_kind){.is_float = true};
    CHECK(comes_back(t));
    CHECK(t->size <= 128u * 64u * 4u * 4u + 80u);
    CHECK_EQ(t->reader.header.raw_components, 4);
    fill_case(t, MOTION_REST, 64, 64, 3, 11);
    CHECK(with_error(t, 1e-2));
    CHECK(comes_back(t));
    CHECK_EQ(t->reader.header.component[0].mode, TPI_TILE_CONSTANT);
    CHECK(t->size < 64u * 3u * 3u + 64u);
    free_case(t);
}

/* Strands of five points each: each point of a strand sways randomly, all strands alike except for
   a small part of their own. */
static void fill_strands(tile_case *t, uint32_t points, uint32_t frames, float own, uint32_t seed)
{
    float sway[5] = {0}, speed[5] = {0};
    t->samples = (host_tile_samples){points, frames, 1, t->words, NULL, NULL};
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t p = 0; p < points; p++) {
            uint32_t at = p % 5u;
            if (p < 5u) speed[at] += unit_random(&seed), sway[at] += speed[at];
            float value = sway[at] + (float)(p * 7u % 31u) + own * unit_random(&seed);
            memcpy(&t->words[f * TPI_TILE_POINTS + p], &value, sizeof value);
        }
}

static void points_that_move_alike_take_few_bytes(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    uint32_t sizes[2];
    for (uint32_t k = 0; k < 2; k++) {
        fill_strands(t, 60, 24, k ? 1.0f : 1e-3f, 3);
        CHECK(with_error(t, 1e-2));
        CHECK(comes_back(t));
        sizes[k] = t->size;
        if (k == 0) CHECK_EQ(t->reader.header.component[0].follows, 5);
        /* a plan may follow a leader at any distance */
        for (uint32_t follows = 1; follows < 128; follows += 21) {
            uint32_t second = follows % 2u ? 1u + follows * 5u % 61u : 0u; /* also the same one */
            tpi_tile_plan plan = {.points = 60, .frames = 24, .components = 1};
            plan.residuals = t->encoder.residuals[0];
            plan.component[0] = (tpi_tile_component){
                .mode = TPI_TILE_CODED, .follows = (uint8_t)follows, .second = (uint8_t)second};
            for (uint32_t p = 0; p < 60; p++) {
                plan.end[p] = 24;
                for (uint32_t f = 0; f < 24; f++)
                    tpi_plan_row(&plan, f, 0)[p] = (int32_t)t->words[f * TPI_TILE_POINTS + p];
            }
            CHECK(tpi_plan_tracks(&plan, 0));
            tpi_plan_follow(&plan, 0);
            tpi_plan_starts(&plan, 0);
            uint32_t size = tpi_tile_write(&plan, t->encoder.scratch, 4000u, t->bytes, 20000u);
            if (!CHECK(size && tpi_tile_open(&t->reader, t->bytes, size))) continue;
            CHECK_EQ(t->reader.header.component[0].second, second);
            for (uint32_t f = 0; f < 24; f++) {
                CHECK(tpi_tile_read(&t->reader, t->bytes));
                for (uint32_t p = 0; p < 60; p++)
                    CHECK_EQ(t->reader.position[0][p], (int32_t)t->words[f * TPI_TILE_POINTS + p]);
            }
            CHECK(tpi_tile_is_whole(&t->reader));
        }
    }
    test_note("%u bytes, of points that sway apart %u", sizes[0], sizes[1]);
    CHECK(sizes[0] * 2u < sizes[1]);
    free_case(t);
}

/* A sheet of 10 by 12 nodes that sways with noise of each node: two leaders, and fewer bytes than
   with one. */
static void a_sheet_has_two_leaders(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    uint32_t sizes[2], seed = 7;
    t->samples = (host_tile_samples){120, 30, 1, t->words, NULL, NULL};
    for (uint32_t f = 0; f < 30; f++)
        for (uint32_t p = 0; p < 120; p++) {
            double x = p % 10u, y = p / 10u, time = 0.9 * f;
            float value =
                (float)(3 * sin(time + 0.02 * x + 0.02 * y) + sin(2.3 * time - 0.02 * y)) +
                0.1f * unit_random(&seed);
            memcpy(&t->words[f * TPI_TILE_POINTS + p], &value, sizeof value);
        }
    for (uint32_t k = 0; k < 2; k++) {
        t->encoder.one_leader = k;
        CHECK(with_error(t, 1e-2));
        CHECK(comes_back(t));
        sizes[k] = t->size;
        CHECK(t->reader.header.component[0].follows != 0);
        CHECK_EQ(t->reader.header.component[0].second != 0, !k);
        CHECK_EQ(t->encoder.required, k ? 0u : 1u);
    }
    test_note("%u bytes, with one leader %u", sizes[0], sizes[1]);
    CHECK(sizes[0] * 100u < sizes[1] * 97u);
    free_case(t);
}

/* Of short clips more combinations are searched: other choices, the same bound, fewer bytes. */
static void a_thorough_search_saves_bytes(void)
{
    static const double errors[] = {2e-3, 1e-3, 3e-4};
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    uint32_t sizes[2] = {0, 0};
    t->encoder.beams = HOST_BEAMS;
    for (uint32_t k = 0; k < 6; k++) {
        t->encoder.is_thorough = k & 1u;
        fill_case(t, k < 2 ? MOTION_WALK : MOTION_FALL, 72, 20, 3, k / 2u);
        if (k > 1) fill_strands(t, 72, 20, 0.01f, k / 2u);
        CHECK(with_error(t, errors[k / 2u]));
        CHECK(comes_back(t));
        sizes[k & 1u] += t->size;
    }
    test_note("%u bytes, thorough %u", sizes[0], sizes[1]);
    CHECK(sizes[1] * 200u < sizes[0] * 199u);
    free_case(t);
}

static void small_tiles_have_few_coders(void)
{
    static const uint32_t frames[] = {10, 40, 80, 200}, coders[] = {4, 8, 16, 32};
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    for (uint32_t k = 0; k < 4; k++) {
        fill_case(t, MOTION_FALL, 60, frames[k], 2, 9);
        CHECK(with_error(t, 1e-2));
        CHECK(comes_back(t));
        CHECK_EQ(t->reader.header.coders, coders[k]);
    }
    fill_case(t, MOTION_FALL, 3, 9, 2, 9);
    CHECK(with_error(t, 1e-2));
    CHECK(comes_back(t));
    CHECK_EQ(t->reader.header.coders, 3);
    t->bytes[2] |= 4u << 5;
    CHECK(!tpi_tile_open(&t->reader, t->bytes, t->size));
    free_case(t);
}

static double coordinate_error(const tpi_lattice *lattice, uint32_t fineness, int32_t coordinate,
                               float value)
{
    float decoded = lattice->origin + tpi_lattice_step(lattice, fineness) * (float)coordinate;
    return fabs((double)decoded - (double)value);
}

/* All coordinates within the bound are found, and no other, of any number of frames. */
static void coordinates_are_those_within_the_bound(void)
{
    float values[21];
    int32_t low[21], high[21];
    tpi_lattice lattice;
    uint32_t seed = 3;
    for (uint32_t k = 0; k < 240; k++) {
        uint32_t frames = 1u + k % 21u, fineness = k % 4u;
        double error = k % 3u ? 1e-3 : 4e-5; /* the resolution of floats of 60 is 4e-6 */
        CHECK(host_lattice(-60.0, 60.0, error, &lattice));
        for (uint32_t f = 0; f < frames; f++) values[f] = 119.0f * unit_random(&seed);
        CHECK(host_search_coordinates(values, frames, &lattice, fineness, error, low, high));
        for (uint32_t f = 0; f < frames; f++)
            for (int32_t at = low[f] - 1; at <= high[f] + 1; at++)
                CHECK_EQ(coordinate_error(&lattice, fineness, at, values[f]) <= error,
                         at >= low[f] && at <= high[f]);
        values[k % frames] = k % 2u ? NAN : 1e30f;
        CHECK(!host_search_coordinates(values, frames, &lattice, fineness, error, low, high));
    }
}

static void looking_ahead_saves_bytes(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    uint32_t sizes[2];
    for (uint32_t k = 0; k < 2; k++) {
        fill_case(t, MOTION_FALL, 64, 64, 3, 5);
        CHECK(with_error(t, 1e-2));
        t->encoder.beams = k ? 16 : 1;
        CHECK(comes_back(t));
        sizes[k] = t->size;
    }
    test_note("%u bytes, looking ahead %u", sizes[0], sizes[1]);
    CHECK(sizes[1] * 10u < sizes[0] * 9u);
    free_case(t);
}

/* Table k has residuals in units of 4^k: each state codes so large ones in such or larger units. */
static void the_tables_of_costs_have_the_cost_of_every_residual(void)
{
    host_search *search = malloc(sizeof *search);
    if (!CHECK(search)) return;
    host_search_begin(search);
    int32_t most = HOST_NEAR << 2 * (HOST_COST_TABLES - 1u), wrong = 0;
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
        for (int32_t residual = -most; residual <= most; residual++) {
            uint32_t k = 0;
            while (abs(tpi_shift_down(residual, 2u * k)) > HOST_NEAR) k++;
            int32_t at = tpi_shift_down(residual, 2u * k) + HOST_NEAR;
            wrong += search->costs[k * HOST_COSTS + s * HOST_NEAR_ROW + (uint32_t)at] !=
                     host_cost_word(s, residual);
        }
    CHECK_EQ(wrong, 0);
    free(search);
}

/* ---- the widths of the search ---- */

#define SEARCHED           20u /* tracks; from SEARCHED_BALLISTIC on of ballistic predictors */
#define SEARCHED_BALLISTIC 11u

typedef struct search_case {
    host_search search;
    int32_t low[SEARCHED][64], high[SEARCHED][64], led[SEARCHED][64];
    int32_t residuals[2][SEARCHED][64];
    host_track tracks[SEARCHED];
} search_case;

/* Tracks of different lengths and predictors within wide and narrow bounds; every third follows,
   but none of ballistic predictors. */
static void fill_searches(search_case *of, uint32_t way)
{
    uint32_t random = 7;
    for (uint32_t k = 0; k < SEARCHED; k++) {
        int32_t at = 0, speed = (int32_t)(5u * k) - 20;
        for (uint32_t f = 0; f < 64u; f++, at += speed) {
            random = random * 1664525u + 1013904223u;
            speed += (int32_t)(random >> 28) - (k > 8u ? 900 * (int32_t)(random >> 31) : 7);
            of->low[k][f] = at, of->high[k][f] = at + (int32_t)(k % 5u);
            of->led[k][f] = (int32_t)(random >> 20 & 7u) - 3;
        }
        bool is_ballistic = k >= SEARCHED_BALLISTIC;
        of->tracks[k] =
            (host_track){.frames = k ? 64u - 5u * (k % 11u) : 1u,
                         .low = of->low[k],
                         .high = of->high[k],
                         .led = k % 3u || is_ballistic ? NULL : of->led[k],
                         .predictor = is_ballistic ? TPI_BALLISTIC + k % 2u : k % TPI_PREDICTORS,
                         .first = k,
                         .acceleration = k % 4u ? -5000 * (int32_t)k : 0,
                         .drag = k % 3u ? 300u * k % 4096u : 0,
                         .residuals = of->residuals[way][k],
                         .stride = 1};
    }
}

static void a_track_is_coded_alike_whatever_the_width_and_its_neighbours(void)
{
    search_case *of = calloc(1, sizeof *of);
    host_track *all[SEARCHED];
    if (!CHECK(of)) return;
    host_search_begin(&of->search);
    fill_searches(of, 0);
    host_search_tracks(&of->search, 5, of->tracks, SEARCHED);
    fill_searches(of, 1);
    for (uint32_t k = 0; k < SEARCHED; k++) {
        all[k] = &of->tracks[k];
        host_search_lanes(&of->search, 5, &all[k], 1);
    }
    CHECK(memcmp(of->residuals[0], of->residuals[1], sizeof of->residuals[0]) == 0);
#if HOST_SEARCH_8
    if (host_search_width() >= 8u) {
        fill_searches(of, 1);
        host_search_lanes_8(&of->search, 5, all, SEARCHED_BALLISTIC);
        host_search_lanes_8(&of->search, 5, all + SEARCHED_BALLISTIC,
                            SEARCHED - SEARCHED_BALLISTIC);
        CHECK(memcmp(of->residuals[0], of->residuals[1], sizeof of->residuals[0]) == 0);
    }
#endif
    uint32_t hash = 0;
    for (uint32_t k = 0; k < SEARCHED; k++) {
        if (k == SEARCHED_BALLISTIC) CHECK_EQ(hash, 3604150325u); /* as without the others */
        for (uint32_t f = 0; f < 64u; f++) hash = 31u * hash + (uint32_t)of->residuals[0][k][f];
        hash = 31u * hash + of->tracks[k].cost;
    }
    CHECK_EQ(hash, 1358790357u);
    free(of);
}

/* ---- several tiles ---- */

#define TOGETHER 5u

/* Falling points, a cloth, strands and lifetimes: tiles with and without close leaders. */
static void fill_some(tile_case *t, uint32_t k)
{
    fill_case(t, MOTION_FALL, 100, 30, 3, k);
    if (k & 1u) fill_strands(t, 128, 30, 0.001f, k);
    if (k == 4u) give_lives(t, k);
}

static void tiles_encoded_together_are_those_encoded_alone(void)
{
    tile_case *t[TOGETHER];
    host_tile_samples samples[TOGETHER];
    uint32_t sizes[TOGETHER], largest = host_tile_bytes_max(128, 30, 3);
    uint8_t *bytes[TOGETHER];
    for (uint32_t k = 0; k < TOGETHER; k++) {
        t[k] = new_case(), bytes[k] = malloc(largest);
        if (!CHECK(t[k] && t[k]->bytes && bytes[k])) return;
        fill_some(t[k], k);
        CHECK(with_error(t[k], 1e-3) && comes_back(t[k]));
        samples[k] = t[k]->samples;
    }
    host_tiles_encode(&t[0]->encoder, samples, &t[0]->kind, TOGETHER, bytes, sizes);
    for (uint32_t k = 0; k < TOGETHER; k++) {
        if (CHECK_EQ(sizes[k], t[k]->size)) CHECK(memcmp(bytes[k], t[k]->bytes, sizes[k]) == 0);
        free(bytes[k]);
        free_case(t[k]);
    }
}

/* Tiles that are encoded after others try less, and are hardly larger. */
static void habits_of_other_tiles_cost_few_bytes(void)
{
    host_habits habits[TPI_TILE_COMPONENTS] = {{.tiles = 0}};
    uint32_t sizes[2] = {0, 0};
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    for (uint32_t way = 0; way < 2u; way++)
        for (uint32_t k = 0; k < 8u; k++) {
            fill_case(t, MOTION_FALL, 128, 30, 3, 100u * way + k);
            if (k & 1u) fill_strands(t, 128, 30, 0.001f, 100u + k);
            t->encoder.learns = way ? NULL : habits;
            t->encoder.habits = way ? habits : NULL;
            CHECK(with_error(t, 1e-3) && comes_back(t));
            t->encoder.learns = NULL, t->encoder.habits = NULL;
            if (way) sizes[1] += t->size;
            CHECK(comes_back(t));
            if (way) sizes[0] += t->size;
        }
    CHECK_EQ(habits[0].tiles, 8);
    CHECK(habits[0].led_tiles >= 4u && habits[0].led_tiles < 8u);
    test_note("%u bytes, with habits %u", sizes[0], sizes[1]);
    CHECK(sizes[1] < sizes[0] + sizes[0] / 50u);
    free_case(t);
}

/* ---- damage ---- */

/* Reads all frames; a reader never leaves the tile, which the sanitizers of `make fuzz` check. */
static bool reads_whole(tpi_tile_reader *reader, const uint8_t *bytes, uint32_t size)
{
    if (!tpi_tile_open(reader, bytes, size)) return false;
    while (tpi_tile_read(reader, bytes)) continue;
    return tpi_tile_is_whole(reader);
}

static void a_tile_cut_anywhere_is_not_whole(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    fill_case(t, MOTION_FALL, 13, 20, 3, 5);
    CHECK(with_error(t, 1e-3));
    CHECK(comes_back(t));
    for (uint32_t size = 0; size < t->size; size++) {
        uint8_t *cut = malloc(size + !size); /* so that a sanitizer reports a read beyond the end */
        if (!CHECK(cut)) break;
        memcpy(cut, t->bytes, size);
        test_note("%u bytes of %u", size, t->size);
        CHECK(!reads_whole(&t->reader, cut, size));
        free(cut);
    }
    free_case(t);
}

/* Some changes give another valid tile, which only the container's checksum finds. The coders
   detect most changes themselves. */
static void most_changed_bits_are_noticed_and_none_leads_astray(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    fill_case(t, MOTION_FALL, 13, 20, 3, 5);
    give_lives(t, 3);
    CHECK(with_error(t, 1e-3));
    CHECK(comes_back(t));
    uint8_t *tile = malloc(t->size);
    uint32_t seen = 0;
    if (!CHECK(tile)) return;
    memcpy(tile, t->bytes, t->size);
    for (uint32_t bit = 0; bit < 8u * t->size; bit++) {
        tile[bit / 8u] ^= (uint8_t)(1u << bit % 8u);
        seen += !reads_whole(&t->reader, tile, t->size);
        tile[bit / 8u] ^= (uint8_t)(1u << bit % 8u);
    }
    test_note("%u of %u bits", seen, 8u * t->size);
    CHECK(seen * 10u > 8u * t->size * 5u);
    CHECK(reads_whole(&t->reader, tile, t->size));
    free(tile);
    free_case(t);
}

static void a_reader_may_be_copied_between_two_frames(void)
{
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    fill_case(t, MOTION_WALK, 64, 30, 3, 5);
    CHECK(with_error(t, 1e-3));
    CHECK(comes_back(t));
    tpi_tile_reader other;
    CHECK(tpi_tile_open(&t->reader, t->bytes, t->size));
    for (uint32_t f = 0; f < 17; f++) CHECK(tpi_tile_read(&t->reader, t->bytes));
    memcpy(&other, &t->reader, sizeof other);
    memset(&t->reader, 0xa5, sizeof t->reader);
    for (uint32_t f = 17; f < 30; f++) CHECK(tpi_tile_read(&other, t->bytes));
    CHECK(tpi_tile_is_whole(&other));
    free_case(t);
}

/* ---- widths of vectors ---- */

/* Decodes with every width, and with widths that change from frame to frame, as of a block that
   moves between machines. False: a reader or its keys differ. */
static bool widths_agree(const tile_case *t)
{
    tile_decoder decoders[DECODERS_MAX];
    tpi_tile_reader readers[DECODERS_MAX + 1u];
    uint8_t keys[DECODERS_MAX + 1u][TPI_TILE_POINTS];
    uint32_t count = list_decoders(decoders);
    for (uint32_t w = 0; w <= count; w++)
        if (!tpi_tile_open(&readers[w], t->bytes, t->size)) return false;
    for (uint32_t f = 0; f < t->samples.frames; f++)
        for (uint32_t w = 0; w <= count; w++) {
            memset(keys[w], 7, sizeof keys[w]);
            if (!decoders[w < count ? w : f % count](&readers[w], t->bytes, keys[w])) return false;
            if (memcmp(&readers[w], &readers[0], sizeof readers[0]) != 0) return false;
            if (memcmp(keys[w], keys[0], sizeof keys[0]) != 0) return false;
        }
    return tpi_tile_is_whole(&readers[count]);
}

static void every_width_decodes_the_same_bits(void)
{
    static const uint32_t points[] = {1, 7, 31, 63, 100, 127, 128};
    tile_case *t = new_case();
    if (!CHECK(t && t->bytes)) return;
    for (int how = 0; how < MOTIONS; how++)
        for (uint32_t k = 0; k < sizeof points / sizeof points[0]; k++)
            for (uint32_t lives = 0; lives < 2u; lives++) {
                uint32_t seed = 17u * k + (uint32_t)how;
                fill_case(t, (motion)how, points[k], 40, 1u + k % 3u, seed);
                if (lives) give_lives(t, seed);
                t->kind = (host_tile_kind){0}; /* exact */
                if (how != MOTION_BITS) CHECK(with_error(t, 1e-3));
                CHECK(comes_back(t));
                test_note("motion %d, %u points, lives %u", how, points[k], lives);
                CHECK(widths_agree(t));
            }
    fill_strands(t, 128, 40, 0.001f, 3);
    CHECK(with_error(t, 1e-3));
    CHECK(comes_back(t) && widths_agree(t));
    free_case(t);
}

static const test_case cases[] = {
    TEST_CASE(shares_fill_their_slots_and_states_stay_within_the_table),
    TEST_CASE(every_residual_has_symbols_in_every_state),
    TEST_CASE(negative_numbers_are_shifted_down),
    TEST_CASE(no_value_is_off_by_more_than_the_error),
    TEST_CASE(without_an_error_every_bit_comes_back),
    TEST_CASE(numbers_that_no_lattice_holds_are_kept_bit_by_bit),
    TEST_CASE(a_tile_is_never_larger_than_its_raw_values_and_a_header),
    TEST_CASE(points_that_move_alike_take_few_bytes),
    TEST_CASE(a_sheet_has_two_leaders),
    TEST_CASE(a_thorough_search_saves_bytes),
    TEST_CASE(coordinates_are_those_within_the_bound),
    TEST_CASE(small_tiles_have_few_coders),
    TEST_CASE(looking_ahead_saves_bytes),
    TEST_CASE(the_tables_of_costs_have_the_cost_of_every_residual),
    TEST_CASE(a_track_is_coded_alike_whatever_the_width_and_its_neighbours),
    TEST_CASE(tiles_encoded_together_are_those_encoded_alone),
    TEST_CASE(habits_of_other_tiles_cost_few_bytes),
    TEST_CASE(a_tile_cut_anywhere_is_not_whole),
    TEST_CASE(most_changed_bits_are_noticed_and_none_leads_astray),
    TEST_CASE(a_reader_may_be_copied_between_two_frames),
    TEST_CASE(every_width_decodes_the_same_bits),
};
TEST_SUITE(tile, cases);
