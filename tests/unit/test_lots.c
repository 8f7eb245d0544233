/* SPDX-License-Identifier: MIT
   tests/unit/test_lots.c - the particles that threads work on at the same time share no candidate.
   reads   runtime/grid      writes  nothing
   memory  worlds of at most 6000 particles      cost  half a second
   after   own design: the thread that writes each sum is computed from stencils, without threads */
#include "test.h"
#include "grid_worlds.h"
#include "base/prime.h"
#include "grid/sweep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if TPI_LANES > 1
#define LOTS_NOBODY 0xffffffffu

static uint32_t lots_bucket(const tp_world *world, uint32_t index)
{
    return tpi_grid_entry(world, tpi_grid_cell_of(world, index)).bucket;
}

/* Notes that the pairs of a lot are added to by a bucket; returns the number of particles that
   another bucket adds to as well. */
static uint32_t lots_write(const tp_world *world, const tpi_lot *lot, uint32_t *writers)
{
    tpi_stencil stencil = {.is_known = false};
    uint32_t bucket = lots_bucket(world, lot->run.begin), shared = 0;
    for (uint32_t i = lot->run.begin; i < lot->run.end; i = stencil.cell_end) {
        tpi_stencil_half(world, i, &stencil);
        for (uint32_t r = 0; r < stencil.run_count; r++)
            for (uint32_t j = stencil.runs[r].begin; j < stencil.runs[r].end; j++) {
                shared += writers[j] != LOTS_NOBODY && writers[j] != bucket;
                writers[j] = bucket;
            }
    }
    return shared;
}

/* Particles of whole lots have no other writer, because vectors of them are written whole. */
static uint32_t lots_strangers(const tp_world *world, const tpi_lot *lot, const uint32_t *writers)
{
    uint32_t bucket = lots_bucket(world, lot->run.begin), strangers = 0;
    for (uint32_t i = lot->run.begin; lot->is_whole && i < lot->run.end; i++)
        strangers += writers[i] != LOTS_NOBODY && writers[i] != bucket;
    return strangers;
}

static void check_lots(const tp_world *world, uint32_t *writers, uint32_t *visits)
{
    uint32_t colours = world->def.dimensions == 2 ? TPI_COLOURS_2D : TPI_COLOURS_3D;
    uint32_t shared = 0, strangers = 0, wrong = 0, count = world->step.count;
    tpi_lot lot, again;
    memset(visits, 0, count * sizeof *visits);
    for (uint32_t colour = 0; colour < colours; colour++) {
        memset(writers, 0xff, count * sizeof *writers);
        for (uint32_t i = 0; tpi_grid_lot(world, i, count, colour, &lot); i = lot.run.end) {
            if (!CHECK(lot.run.begin >= i && lot.run.end > i && lot.run.end <= count)) return;
            shared += lots_write(world, &lot, writers);
            for (uint32_t j = lot.run.begin; j < lot.run.end; j++) visits[j]++;
            CHECK(tpi_grid_lot(world, lot.run.end - 1u, count, colour, &again) &&
                  memcmp(&again.run, &lot.run, sizeof lot.run) == 0);
            if (lot.run.end == count) break;
        }
        for (uint32_t i = 0; tpi_grid_lot(world, i, count, colour, &lot); i = lot.run.end) {
            strangers += lots_strangers(world, &lot, writers);
            if (lot.run.end == count) break;
        }
    }
    for (uint32_t i = 0; i < count; i++) wrong += visits[i] != 1u;
    CHECK_EQ(shared, 0);
    CHECK_EQ(strangers, 0);
    CHECK_EQ(wrong, 0);
}

/* Tables with many entries, and with few: then several blocks share a bucket. */
static void lots_of_one_colour_have_no_candidate_in_common(void)
{
    static const uint32_t counts[] = {1, 60, 800, 6000};
    uint32_t *writers = malloc(2u * 6000u * sizeof *writers), mixed = 0;
    for (uint32_t kind = 0; kind < 4; kind++)
        for (int set = 0; set < POINT_SETS; set++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                uint32_t dimensions = kind & 1u ? 3 : 2;
                test_note("set '%s', %u particles, %u dimensions, %s", set_names[set], counts[c],
                          dimensions, kind & 2u ? "stored" : "compact");
                test_world made = grid_world(dimensions, counts[c], (point_set)set, kind & 2u, 255);
                CHECK(test_world_run_to(made.world, TP_STAGE_PAIRS, 65536));
                check_lots(made.world, writers, writers + 6000);
                for (uint32_t b = 0; b < made.world->grid.bucket_count; b++)
                    mixed += tpi_owner_is_mixed(tpi_grid_owners(made.world)[b]);
                test_world_free(&made);
            }
    CHECK(mixed > 100);
    free(writers);
}

/* A part consists of whole buckets, and the parts follow each other. */
static void parts_consist_of_whole_buckets(void)
{
    for (uint32_t kind = 0; kind < 4; kind++)
        for (int set = 0; set < POINT_SETS; set++) {
            test_note("set '%s', kind %u", set_names[set], kind);
            test_world made = grid_world(kind & 1u ? 3 : 2, 6000, (point_set)set, kind & 2u, 255);
            CHECK(test_world_run_to(made.world, TP_STAGE_PAIRS, 65536));
            const tp_world *world = made.world;
            uint32_t parts = 0, end = 0, last = LOTS_NOBODY;
            for (uint32_t i = 0; i < world->step.count; i++) {
                tpi_run part = tpi_grid_part_of(world, i);
                if (i == end) {
                    CHECK_EQ(part.begin, i);
                    CHECK(lots_bucket(world, i) != last);
                    end = part.end;
                    parts++;
                }
                CHECK_EQ(part.end, end);
                last = lots_bucket(world, i);
            }
            CHECK_EQ(end, world->step.count);
            CHECK(parts <= TPI_STRETCHES_MAX);
            test_world_free(&made);
        }
}

/* ---- buckets ---- */

/* Share of the blocks of a cube of cells that are not alone in their bucket; *blocks: their
   number. */
static double cube_shared(const tpi_grid *grid, uint32_t dimensions, uint32_t cells,
                          uint32_t *blocks)
{
    uint32_t count[3] = {1, 1, 1}, shared = 0;
    uint8_t *met = calloc(grid->bucket_count, 1);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        count[axis] = ((cells - 1u) >> grid->shift[axis]) + 1u;
    *blocks = count[0] * count[1] * count[2];
    for (uint32_t pass = 0; met && pass < 2; pass++)
        for (uint32_t k = 0; k < *blocks; k++) {
            uint32_t at[3] = {k % count[0], k / count[0] % count[1], k / count[0] / count[1]};
            tpi_cell block = {{0, 0, 0}, 0};
            for (uint32_t axis = 0; axis < 3; axis++)
                block.at[axis] = (65536u >> grid->shift[axis]) + at[axis];
            uint8_t *bucket = &met[tpi_grid_bucket(grid, block)];
            if (pass == 0) *bucket = (uint8_t)(*bucket < 2 ? *bucket + 1 : 2);
            if (pass == 1) shared += *bucket > 1;
        }
    CHECK(met != NULL);
    free(met);
    return (double)shared / *blocks;
}

/* At random a block is alone with a probability of exp(-blocks / buckets). Cells have 7 particles,
   and the world begins at the origin. */
static void blocks_of_a_cube_share_fewer_buckets_than_at_random(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        double sum = 0, random = 0;
        for (uint32_t cells = 6; cells < 26; cells++) {
            uint32_t side = dimensions == 2 ? cells * 5u / 2u : cells, blocks,
                     particles = 7u * side * side * (dimensions == 2 ? 1u : side);
            test_world made = grid_world(dimensions, particles, UNIFORM, true, 40);
            const tpi_grid *grid = &made.world->grid;
            double shared = cube_shared(grid, dimensions, side, &blocks);
            test_note("%u dimensions, %u cells, %u blocks, %u buckets: %.2f shared", dimensions,
                      side, blocks, grid->bucket_count, shared);
            CHECK(shared < 0.5);
            sum += shared;
            random += 1.0 - exp(-(double)blocks / grid->bucket_count);
            test_world_free(&made);
        }
        test_note("%u dimensions: shared %.3f, at random %.3f", dimensions, sum / 20, random / 20);
        CHECK(sum < 0.7 * random);
    }
}

/* Cubes of 10 000 to 1 000 000 particles, 7 a cell, in tables of four entries per particle, which
   they fill to a thirtieth: few blocks share a bucket, whatever the number of particles. A mixed
   bucket costs several times the time of others. */
static void blocks_of_a_large_cube_are_nearly_alone(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        test_world made = grid_world(dimensions, 6000, UNIFORM, true, 40);
        tpi_grid grid = made.world->grid; /* with districts of the full size */
        double sum = 0, most = 0;
        uint32_t sizes = 0;
        for (double particles = 1e4; particles < 1e6; particles *= 1.15, sizes++) {
            double cells = particles / 7.0;
            uint32_t side = (uint32_t)(dimensions == 2 ? sqrt(cells) : cbrt(cells)), blocks;
            grid.bucket_count =
                tpi_prime_at_least(((uint32_t)(4.0 * particles) >> grid.cells_shift) + 1u);
            double shared = cube_shared(&grid, dimensions, side, &blocks);
            sum += shared;
            if (shared > most) most = shared;
        }
        test_note("%u dimensions: shared %.4f on average, %.3f at most", dimensions, sum / sizes,
                  most);
        CHECK(most < 0.1);
        CHECK(sum / sizes < 0.01);
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(lots_of_one_colour_have_no_candidate_in_common),
    TEST_CASE(parts_consist_of_whole_buckets),
    TEST_CASE(blocks_of_a_cube_share_fewer_buckets_than_at_random),
    TEST_CASE(blocks_of_a_large_cube_are_nearly_alone),
};
TEST_SUITE(lots, cases);
#else /* without vectors there are no patches */
const test_suite suite_lots = {"lots", NULL, 0};
#endif
