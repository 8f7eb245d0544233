/* SPDX-License-Identifier: MIT
   tests/unit/test_ballistic.c - ballistic predictors: plans of any values come back, flights take
           few bytes, and headers that lie are refused.
   reads   -      writes  memory
   memory  malloc, some MiB      cost    a second
   after   own design */
#include "../../host_tools/clip/flight.h"
#include "../../host_tools/clip/tile.h"
#include "../../runtime/codec/clip.h"
#include "../harness/decoders_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 60u

static uint32_t next_random(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u, *seed >> 8;
}

static double unit_random(uint32_t *seed) { return (double)next_random(seed) / 16777216.0; }

static void gains_are_256_divided_by_the_frames(void)
{
    CHECK_EQ(tpi_ballistic_gain(0), 256);
    for (uint32_t k = 1; k < 16u; k++) CHECK_EQ(tpi_ballistic_gain(k), 256u / k);
}

/* ---- plans of any values */

typedef struct plan_case {
    tpi_tile_plan plan;
    int32_t residuals[FRAMES * 2u * TPI_TILE_POINTS], wanted[FRAMES * 2u * TPI_TILE_POINTS];
    uint32_t scratch[1u << 17], size;
    uint8_t bytes[1u << 18];
    tpi_tile_reader reader;
} plan_case;

/* Coordinates that fly, rest, drift and jump, some of them by any 32 bits. */
static void fill_plan(plan_case *of, uint32_t points, bool has_lives, uint32_t seed)
{
    of->plan = (tpi_tile_plan){.points = points,
                               .frames = FRAMES,
                               .components = 2,
                               .has_lives = has_lives,
                               .residuals = of->residuals};
    for (uint32_t p = 0; p < points; p++) {
        uint32_t first = has_lives ? next_random(&seed) % FRAMES : 0;
        of->plan.first[p] = (uint8_t)first;
        of->plan.end[p] =
            (uint8_t)(has_lives ? first + next_random(&seed) % (FRAMES - first + 1u) : FRAMES);
    }
    for (uint32_t c = 0; c < 2u; c++) {
        of->plan.component[c] = (tpi_tile_component){.mode = TPI_TILE_CODED};
        of->plan.component[c].predictor = (uint8_t)(TPI_BALLISTIC + next_random(&seed) % 2u);
        if (next_random(&seed) % 3u)
            of->plan.component[c].acceleration = (int32_t)(next_random(&seed) << 8) >> seed % 24u;
        if (next_random(&seed) % 2u)
            of->plan.component[c].drag = (uint16_t)(next_random(&seed) % (TPI_DRAG_MAX + 1u));
        for (uint32_t p = 0; p < points; p++) {
            uint32_t at = next_random(&seed), speed = next_random(&seed) % 64u - 32u;
            for (uint32_t f = 0; f < FRAMES; f++) {
                uint32_t chance = next_random(&seed) % 32u;
                if (chance == 0) at = next_random(&seed) << 8 ^ next_random(&seed);
                if (chance == 1) speed = 0;
                if (chance == 2) speed = next_random(&seed) % 64u - 32u;
                at += speed + (chance == 3);
                tpi_plan_row(&of->plan, f, c)[p] = (int32_t)at;
            }
        }
    }
    memcpy(of->wanted, of->residuals, sizeof of->wanted);
}

static bool write_plan(plan_case *of)
{
    for (uint32_t c = 0; c < 2u; c++) {
        (void)tpi_plan_tracks(&of->plan, c);
        tpi_plan_starts(&of->plan, c);
    }
    of->size = tpi_tile_write(&of->plan, of->scratch, sizeof of->scratch / sizeof of->scratch[0],
                              of->bytes, sizeof of->bytes);
    return of->size != 0;
}

/* Every width decodes the plan's coordinates, and leaves the same reader. */
static bool reads_wanted(plan_case *of)
{
    tile_decoder decoders[DECODERS_MAX];
    tpi_tile_reader others[DECODERS_MAX];
    uint32_t count = list_decoders(decoders);
    for (uint32_t w = 0; w < count; w++)
        if (!tpi_tile_open(&others[w], of->bytes, of->size)) return false;
    for (uint32_t f = 0; f < FRAMES; f++) {
        for (uint32_t w = 0; w < count; w++)
            if (!decoders[w](&others[w], of->bytes, NULL) ||
                memcmp(&others[w], &others[0], sizeof others[0]) != 0)
                return false;
        for (uint32_t c = 0; c < 2u; c++)
            for (uint32_t p = 0; p < of->plan.points; p++) {
                int32_t wanted = of->wanted[(f * 2u + c) * TPI_TILE_POINTS + p];
                if (f < of->plan.first[p] || f >= of->plan.end[p]) continue;
                if (others[0].position[c][p] != wanted) return false;
            }
    }
    return tpi_tile_is_whole(&others[0]);
}

static void plans_of_any_values_come_back(void)
{
    static const uint32_t points[] = {1, 5, 64, 127, 128};
    plan_case *of = calloc(1, sizeof *of);
    if (!CHECK(of)) return;
    for (uint32_t k = 0; k < 60u; k++) {
        fill_plan(of, points[k % 5u], k % 2u, 31u * k);
        test_note("plan %u", k);
        CHECK(write_plan(of) && reads_wanted(of));
    }
    free(of);
}

/* The cost that the encoder reckons with is that of the symbols. */
static void the_cost_of_a_plan_is_that_of_its_bytes(void)
{
    plan_case *of = calloc(1, sizeof *of);
    if (!CHECK(of)) return;
    fill_plan(of, 128, false, 5);
    if (!CHECK(write_plan(of))) return;
    uint64_t cost = tpi_plan_cost(&of->plan, 0) + tpi_plan_cost(&of->plan, 1);
    test_note("%u bytes, %u reckoned", of->size, (uint32_t)(cost / 128u));
    CHECK(of->size * 128u > cost - cost / 32u && of->size * 128u < cost + cost / 16u);
    free(of);
}

/* ---- headers */

typedef struct header_lie {
    const char *what;
    uint8_t predictor, follows;
    bool is_exact;
    uint16_t drag;
} header_lie;

static void headers_that_lie_are_refused(void)
{
    static const header_lie lies[] = {
        {"nothing", TPI_BALLISTIC, 0, false, TPI_DRAG_MAX},
        {"the predictor", TPI_PREDICTORS_ALL, 0, false, 0},
        {"drag", TPI_BALLISTIC, 0, false, TPI_DRAG_MAX + 1u},
        {"a leader", TPI_TELEPORTING, 1, false, 0},
        {"exact", TPI_BALLISTIC, 0, true, 0},
    };
    plan_case *of = calloc(1, sizeof *of);
    if (!CHECK(of)) return;
    for (uint32_t k = 0; k < sizeof lies / sizeof lies[0]; k++) {
        fill_plan(of, 40, false, 3);
        if (!CHECK(write_plan(of))) break;
        tpi_tile_component *component = &of->plan.component[1];
        component->predictor = lies[k].predictor, component->follows = lies[k].follows;
        component->is_exact = lies[k].is_exact, component->drag = lies[k].drag;
        of->size =
            tpi_tile_write(&of->plan, of->scratch, sizeof of->scratch / sizeof of->scratch[0],
                           of->bytes, sizeof of->bytes);
        test_note("%s is wrong", lies[k].what);
        CHECK(of->size && tpi_tile_open(&of->reader, of->bytes, of->size) == (k == 0));
    }
    free(of);
}

/* ---- flights */

typedef struct flight_case {
    uint32_t words[FRAMES * TPI_TILE_POINTS];
    float values[TPI_TILE_POINTS][FRAMES];
    host_tile_samples samples;
    host_tile_kind kind;
    host_tile_encoder encoder;
    uint8_t bytes[1u << 16];
    tpi_tile_reader reader;
} flight_case;

typedef enum flight_way { FLIGHT_BOUNCES, FLIGHT_DRAG, FLIGHT_RAIN } flight_way;

/* Heights of points in free fall that bounce, in air, or at constant speed and again from above. */
static void fill_flights(flight_case *of, flight_way way)
{
    uint32_t seed = 9;
    for (uint32_t p = 0; p < TPI_TILE_POINTS; p++) {
        double at = 10.0 * unit_random(&seed), speed = 0.3 * (unit_random(&seed) - 0.5);
        if (way == FLIGHT_RAIN) speed = -0.3 - 0.02 * unit_random(&seed);
        for (uint32_t f = 0; f < FRAMES; f++) {
            float value = (float)at;
            of->values[p][f] = value;
            memcpy(&of->words[f * TPI_TILE_POINTS + p], &value, sizeof value);
            if (way != FLIGHT_RAIN) speed -= 0.017;
            if (way == FLIGHT_DRAG) speed -= 0.01 * speed;
            at += speed;
            if (at < 0 && way == FLIGHT_RAIN) at += 10.0;
            if (at < 0 && way == FLIGHT_BOUNCES) at = -0.8 * at, speed = -0.8 * speed;
        }
    }
    of->samples = (host_tile_samples){TPI_TILE_POINTS, FRAMES, 1, of->words, NULL, NULL};
    of->kind = (host_tile_kind){.is_float = true, .error = 0.01};
    (void)host_lattice(-40, 12, 0.01, &of->kind.lattice[0]);
}

/* Without these predictors such points take 2.33, 1.20 and 2.85 bits. */
static void flights_take_few_bits(void)
{
    static const double most[] = {1.55, 0.62, 1.4};
    flight_case *of = calloc(1, sizeof *of);
    if (!CHECK(of)) return;
    of->encoder.beams = HOST_BEAMS;
    for (int way = FLIGHT_BOUNCES; way <= FLIGHT_RAIN; way++) {
        fill_flights(of, (flight_way)way);
        uint32_t size = host_tile_encode(&of->encoder, &of->samples, &of->kind, of->bytes);
        double bits = 8.0 * size / (TPI_TILE_POINTS * FRAMES);
        test_note("%.3f bits", bits);
        CHECK(bits < most[way]);
        CHECK_EQ(of->encoder.required, TPI_CLIP_BALLISTIC);
        if (!CHECK(tpi_tile_open(&of->reader, of->bytes, size))) continue;
        const tpi_tile_component *component = &of->reader.header.component[0];
        CHECK_EQ(component->predictor, way == FLIGHT_RAIN ? TPI_TELEPORTING : TPI_BALLISTIC);
        CHECK_EQ(component->acceleration == 0, way == FLIGHT_RAIN);
        CHECK_EQ(component->drag > 0, way == FLIGHT_DRAG);
    }
    free(of);
}

static void most_pairs_tell_acceleration_and_drag(void)
{
    flight_case *of = calloc(1, sizeof *of);
    if (!CHECK(of)) return;
    for (int way = FLIGHT_BOUNCES; way <= FLIGHT_RAIN; way++) {
        host_flight_pairs pairs = {.count = 0};
        fill_flights(of, (flight_way)way);
        for (uint32_t p = 0; p < TPI_TILE_POINTS; p += 8u)
            host_flight_add(&pairs, of->values[p], FRAMES, 2);
        host_flight flight = host_flight_find(&pairs, 0.01);
        test_note("motion %d: %g and %g", way, flight.acceleration, flight.drag);
        double drag = way == FLIGHT_DRAG ? 0.01 : 0.0,
               acceleration = way == FLIGHT_RAIN ? 0.0 : -0.017 * (1.0 - drag);
        CHECK(fabs(flight.acceleration - acceleration) < 2e-4);
        CHECK(fabs(flight.drag - drag) < 5e-4);
    }
    /* nothing in common */
    host_flight_pairs pairs = {.count = 0};
    uint32_t seed = 5;
    float noise[FRAMES];
    for (uint32_t p = 0; p < 10u; p++) {
        for (uint32_t f = 0; f < FRAMES; f++) noise[f] = (float)unit_random(&seed);
        host_flight_add(&pairs, noise, FRAMES, 1);
    }
    host_flight flight = host_flight_find(&pairs, 0.01);
    CHECK(flight.acceleration == 0 && flight.drag == 0);
    free(of);
}

static const test_case cases[] = {
    TEST_CASE(gains_are_256_divided_by_the_frames),
    TEST_CASE(plans_of_any_values_come_back),
    TEST_CASE(the_cost_of_a_plan_is_that_of_its_bytes),
    TEST_CASE(headers_that_lie_are_refused),
    TEST_CASE(flights_take_few_bits),
    TEST_CASE(most_pairs_tell_acceleration_and_drag),
};
TEST_SUITE(ballistic, cases);
