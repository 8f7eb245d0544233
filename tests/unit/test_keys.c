/* SPDX-License-Identifier: MIT
   tests/unit/test_keys.c - keys of tiles, compared with predictions from the reader's state; bits
           per frame.
   reads   runtime/codec                   writes  -
   memory  malloc                          cost    below a second
   after   own design; the reference predicts each point before the frame is read, then compares
           with the decoded position */
#include "../../host_tools/clip/tile.h"
#include "../harness/test.h"
#include <stdlib.h>
#include <string.h>

typedef struct keys_case {
    uint32_t words[TPI_TILE_FRAMES_MAX][3][TPI_TILE_POINTS];
    uint8_t first[TPI_TILE_POINTS], end[TPI_TILE_POINTS];
    host_tile_samples samples;
    host_tile_kind kind;
    host_tile_encoder encoder;
    tpi_tile_reader reader;
    int32_t predicted[3][TPI_TILE_POINTS];
    uint8_t bytes[1 << 18];
    uint32_t size;
} keys_case;

static uint32_t random_of(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u, *seed >> 8;
}

/* Bouncing balls, each with its own phase; with `is_tied` all move alike. */
static void fill_keys(keys_case *k, uint32_t points, uint32_t frames, bool is_tied, bool has_lives)
{
    uint32_t seed = 3u + points;
    k->samples = (host_tile_samples){
        .points = points, .frames = frames, .components = 3, .words = &k->words[0][0][0]};
    for (uint32_t p = 0; p < points; p++) {
        k->first[p] = (uint8_t)(random_of(&seed) % frames);
        k->end[p] = (uint8_t)(k->first[p] + random_of(&seed) % (frames - k->first[p] + 1u));
        for (uint32_t f = 0; f < frames; f++) {
            float t = (float)((f + (is_tied ? 0u : p)) % 17u) / 17.0f, jolt = 0;
            if (is_tied)
                jolt = (float)((f * 7u + p % 4u) % 5u) + 1e-3f * (float)(random_of(&seed) % 8u);
            float at[3] = {0.01f * (float)(f * (p % 5u)), (float)p, 9.0f * t * (1.0f - t) + jolt};
            for (uint32_t c = 0; c < 3; c++) memcpy(&k->words[f][c][p], &at[c], sizeof at[c]);
        }
    }
    if (has_lives) k->samples.first = k->first, k->samples.end = k->end;
}

static void predict(keys_case *k)
{
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t p = 0; p < TPI_TILE_POINTS; p++) {
            tpi_track track = {k->reader.position[c][p], k->reader.velocity[c][p],
                               k->reader.acceleration[c][p]};
            k->predicted[c][p] =
                tpi_predictor_predict(&k->reader.header.component[c], k->reader.frame, &track);
        }
}

/* True if the decoded position differs from the prediction by more than the bound, which is 4
   quarters of the lattice. */
static bool has_key(const keys_case *k, uint32_t p)
{
    if (!tpi_tile_lives(&k->reader, p) || k->reader.frame - k->reader.first[p] <= 2u) return false;
    for (uint32_t c = 0; c < 3; c++) {
        const tpi_tile_component *component = &k->reader.header.component[c];
        if (component->mode == TPI_TILE_CONSTANT) continue;
        if (component->mode == TPI_TILE_RAW || component->is_exact) return true;
        int64_t off = (int64_t)k->reader.position[c][p] - k->predicted[c][p];
        int64_t quarters = (off < 0 ? -off : off) * (8 - 2 * component->fineness);
        if (quarters > (component->follows ? 24 : 8)) return true;
    }
    return false;
}

/* Reads all frames; returns the number of keys, and in *could the number of points and frames that
   could have one. */
static uint32_t check_keys(keys_case *k, uint32_t *could)
{
    uint32_t sum = 0;
    *could = 0;
    k->encoder.beams = 4;
    k->size = host_tile_encode(&k->encoder, &k->samples, &k->kind, k->bytes);
    if (!CHECK(k->size && tpi_tile_open(&k->reader, k->bytes, k->size))) return 0;
    for (uint32_t f = 0; f < k->samples.frames; f++) {
        uint8_t keys[TPI_TILE_POINTS + 1];
        memset(keys, 0x5a, sizeof keys);
        predict(k);
        CHECK(tpi_tile_read_keys(&k->reader, k->bytes, keys));
        for (uint32_t p = 0; p < k->samples.points; p++) {
            test_note("frame %u, point %u of %u", f, p, k->samples.points);
            CHECK_EQ(keys[p], has_key(k, p));
            sum += keys[p];
            *could += tpi_tile_lives(&k->reader, p) && k->reader.frame - k->reader.first[p] > 2u;
        }
        CHECK_EQ(keys[k->samples.points], 0x5a);
    }
    CHECK(tpi_tile_is_whole(&k->reader) && !tpi_tile_read_keys(&k->reader, k->bytes, NULL));
    return sum;
}

/* The encoder chooses the rounding by the bound; all levels of it occur. */
static void keys_are_points_that_left_their_prediction(void)
{
    static const uint32_t counts[] = {1, 7, 64, 128};
    keys_case *k = calloc(1, sizeof *k);
    if (!CHECK(k)) return;
    uint32_t could, sum = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t how = 0; how < 4; how++)
            for (double error = 1e-3; error < 0.2; error *= 3) {
                fill_keys(k, counts[i], 60, how & 1u, how >> 1);
                k->kind = (host_tile_kind){.is_float = true, .error = error};
                for (uint32_t c = 0; c < 3; c++)
                    CHECK(host_lattice(-200.0, 200.0, error, &k->kind.lattice[c]));
                sum += check_keys(k, &could);
            }
    test_note("%u keys", sum);
    CHECK(sum > 1000);
    free(k);
}

static void what_is_kept_exactly_has_a_key_in_every_frame(void)
{
    keys_case *k = calloc(1, sizeof *k);
    if (!CHECK(k)) return;
    for (uint32_t has_lives = 0; has_lives < 2; has_lives++) {
        uint32_t could;
        fill_keys(k, 50, 40, false, has_lives);
        k->kind = (host_tile_kind){.is_float = true};
        uint32_t keys = check_keys(k, &could);
        CHECK_EQ(keys, could);
        CHECK(could > 0 && k->reader.header.component[2].is_exact);
    }
    free(k);
}

/* A constant component, a moving one, and noise. */
static void the_bits_of_frames_are_those_of_the_tile(void)
{
    enum { POINTS = 50, FRAMES = 40 };
    keys_case *k = calloc(1, sizeof *k);
    if (!CHECK(k)) return;
    uint32_t seed = 1;
    uint64_t bits = 0;
    fill_keys(k, POINTS, FRAMES, false, false);
    k->kind = (host_tile_kind){.is_float = true};
    for (uint32_t f = 0; f < FRAMES; f++)
        for (uint32_t p = 0; p < POINTS; p++)
            k->words[f][0][p] = random_of(&seed) << 16 ^ random_of(&seed);
    k->encoder.beams = 4;
    k->size = host_tile_encode(&k->encoder, &k->samples, &k->kind, k->bytes);
    CHECK(k->size && tpi_tile_open(&k->reader, k->bytes, k->size));
    for (uint32_t f = 0; f < FRAMES; f++) {
        uint8_t keys[TPI_TILE_POINTS];
        uint32_t at = k->reader.at, bit = k->reader.bit;
        CHECK(tpi_tile_read_keys(&k->reader, k->bytes, keys));
        bits += 8u * (k->reader.at - at) + (k->reader.bit - bit) + 32u * POINTS;
        CHECK_EQ(keys[0], f >= 2);
    }
    CHECK_EQ(k->reader.header.raw_components, 1);
    uint64_t raw = 4u * (uint64_t)POINTS * FRAMES,
             stored = 8u * (k->size - k->reader.header.bits_at + raw);
    CHECK(bits <= stored && bits + 8 > stored);
    free(k);
}

static const test_case keys_cases[] = {
    TEST_CASE(keys_are_points_that_left_their_prediction),
    TEST_CASE(what_is_kept_exactly_has_a_key_in_every_frame),
    TEST_CASE(the_bits_of_frames_are_those_of_the_tile),
};
TEST_SUITE(keys, keys_cases);
