/* SPDX-License-Identifier: MIT
   tests/unit/test_grid.c - the prime hash and the pair sweep against brute force.
   reads   runtime/base/prime, runtime/grid      writes  nothing
   memory  worlds of up to 4096 particles        cost    about a second
   after   PHYSICS B.2 (hash vectors) and B.4.1 (sets of points) */
#include "test.h"
#include "world_help.h"
#include "base/prime.h"
#include "grid/cluster.h"
#include "step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the hash ---- */

static void prime_hash_has_the_published_values(void)
{
    static const struct {
        int32_t x, y, z;
        uint32_t hash, of_1024, of_1021;
    } rows[] = {{1, 0, 0, 0x8da6b343u, 835, 51},  {0, 1, 0, 0xd8163841u, 65, 721},
                {0, 0, 1, 0xcb1ab31fu, 799, 441}, {1, 1, 1, 0x30d79ea3u, 675, 997},
                {-1, 0, 0, 0x72594cbdu, 189, 57}, {-1, -1, -1, 0xcf28615du, 349, 132}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t hash = tpi_prime_hash(rows[r].x, rows[r].y, rows[r].z);
        CHECK_EQ(hash, rows[r].hash);
        CHECK_EQ(hash & 1023u, rows[r].of_1024);
        CHECK_EQ(tpi_prime_reduce(hash, 1021u, tpi_prime_magic(1021u)), rows[r].of_1021);
    }
}

static bool is_prime(uint32_t n)
{
    if (n < 2) return false;
    for (uint32_t d = 2; (uint64_t)d * d <= n; d++)
        if (n % d == 0) return false;
    return true;
}

static void every_table_size_is_prime_and_close(void)
{
    uint32_t previous = 0;
    for (uint32_t wanted = 1; wanted < 16777216u; wanted = wanted + wanted / 7u + 1u) {
        uint32_t prime = tpi_prime_at_least(wanted);
        CHECK(prime >= wanted && prime >= previous);
        CHECK(wanted < 16u || prime < wanted + wanted / 4u + 8u);
        if (prime != previous) CHECK(is_prime(prime));
        previous = prime;
    }
    CHECK(is_prime(0x8da6b343u) && is_prime(0xd8163841u) && is_prime(0xcb1ab31fu));
}

static void reduction_equals_division(void)
{
    uint32_t value = 12345u;
    for (uint32_t wanted = 1; wanted < 16777216u; wanted = wanted * 3u + 1u) {
        uint32_t prime = tpi_prime_at_least(wanted), magic = tpi_prime_magic(prime);
        const uint32_t edges[] = {0,           1,           prime - 1u,  prime,      prime + 1u,
                                  0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu};
        for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++)
            CHECK_EQ(tpi_prime_reduce(edges[e], prime, magic), edges[e] % prime);
        for (uint32_t n = 0; n < 2000u; n++) {
            value = value * 1664525u + 1013904223u;
            if (tpi_prime_reduce(value, prime, magic) != value % prime) CHECK_EQ(value, prime);
        }
    }
}

/* ---- pairs ---- */

typedef enum point_set {
    UNIFORM,
    ONE_CELL,
    CELL_EDGES,
    NEGATIVE,
    FAR,
    OUTLIER,
    BEYOND_THE_RIM,
    AT_RADIUS,
    POINT_SETS
} point_set;
static const char *const set_names[] = {
    "uniform",  "one cell",        "cell edges",     "negative coordinates",
    "1e4 away", "one far outlier", "beyond the rim", "exactly the radius"};

static tp_vector place_of(point_set set, uint32_t i, uint32_t count, float side, uint32_t *state)
{
    float x = test_random(state), y = test_random(state), z = test_random(state), h = 0.3f,
          cell = h * 1.0078125f;
    switch (set) {
    case ONE_CELL: return (tp_vector){x * 0.17f, y * 0.17f, z * 0.17f};
    case CELL_EDGES:
        return (tp_vector){(float)(int)(x * side / cell) * cell, (float)(int)(y * side / cell) * cell,
                           (float)(int)(z * side / cell) * cell};
    case NEGATIVE: return (tp_vector){-x * side, -y * side, -z * side};
    case FAR: return (tp_vector){1e4f + x * side, -1e4f + y * side, 1e4f - z * side};
    case OUTLIER:
        return i + 1 == count ? (tp_vector){9e8f, -9e8f, 9e8f} : (tp_vector){x * side, y * side, z * side};
    case BEYOND_THE_RIM: return (tp_vector){30000.0f + 0.01f * x * side, y * side, z * side};
    case AT_RADIUS:
        return (tp_vector){(float)(i % 16u) * h, (float)(i / 16u % 16u) * h, (float)(i / 256u) * h};
    default: return (tp_vector){x * side - side / 2, y * side - side / 2, z * side - side / 2};
    }
}

static test_world grid_world(uint32_t dimensions, uint32_t count, point_set set, bool stores, uint32_t cap)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = count ? count : 1;
    def.frames_per_second_numerator = 200;
    def.sph.neighbours_max = cap;
    def.sph.stores_neighbours = stores;
    test_world made = test_world_make(&def);
    uint32_t state = 77u + count;
    float side = dimensions == 2 ? 0.3f * sqrtf((float)count / 6.0f) : 0.3f * cbrtf((float)count / 6.0f);
    for (uint32_t i = 0; i < count; i++)
        CHECK(tp_particle_add(made.world, place_of(set, i, count, side, &state), (tp_vector){0, 0, 0}, 0,
                              NULL) == TP_OK);
    return made;
}

/* Pairs of active particles by brute force, in double where rounding could matter; a pair is required when surely
   inside, allowed when at the radius to rounding. */
static void compare_with_brute_force(const tp_world *world, const unsigned char *found)
{
    uint32_t count = world->step.count;
    tpi_points points = tpi_points_of(world);
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            bool expected =
                tpi_distance_squared(points, i, j, world->def.dimensions) < world->constants.radius_squared;
            uint32_t times = (uint32_t)found[i * count + j] + found[j * count + i];
            wrong += times != (expected ? 1u : 0u);
        }
    CHECK_EQ(wrong, 0);
}

/* Counts how often each pair is met: by the earlier place's row and the later one's column. */
typedef struct meetings {
    unsigned char *found;
    uint32_t count;
} meetings;

TPI_INLINE void meet(const meetings *m, uint32_t i, uint32_t j) { m->found[(size_t)i * m->count + j]++; }

TPI_INLINE void meet_partners(const tp_world *world, const void *context, uint32_t i,
                              const uint32_t *partners, const float *squares, uint32_t count,
                              tpi_tally *tally)
{
    (void)world;
    (void)squares;
    (void)tally;
    for (uint32_t k = 0; k < count; k++) meet((const meetings *)context, i, partners[k]);
}

/* A cluster's visitor as the solvers' are, lane by lane; a pair is counted from its earlier end, and must come by from
   the later one too: -128 there. */
static uint32_t meet_candidates(const tp_world *world, const void *context, const tpi_cluster *cluster,
                                const uint32_t *candidates, uint32_t count, uint32_t *hits)
{
    const meetings *m = (const meetings *)context;
    uint32_t hit_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t before = hit_count, j = candidates[k];
        for (uint32_t i = cluster->begin; i < cluster->begin + cluster->count; i++) {
            float square = tpi_distance_squared(tpi_points_of(world), i, j, world->def.dimensions);
            if (i == j || !(square < world->constants.radius_squared)) continue;
            if (world->step.capped &&
                !(tpi_lanes_bits(tpi_cluster_cut(world, i, 1, j, tpi_lanes_of(square))) & 1u))
                continue;
            meet(m, i, j);
            if (hits && hit_count == before) hits[hit_count++] = j;
        }
    }
    return hit_count;
}

TPI_SWEEP(sweep_2d, meet_partners, .dimensions = 2)
TPI_SWEEP(sweep_3d, meet_partners, .dimensions = 3)
TPI_SWEEP(sweep_2d_both, meet_partners, .dimensions = 2, .both_ends = true)
TPI_SWEEP(sweep_3d_both, meet_partners, .dimensions = 3, .both_ends = true)
TPI_SWEEP(sweep_list, meet_partners, .by_lists = true)

typedef enum sweep_way { BY_PAIRS, BY_BOTH_ENDS, BY_CLUSTERS, BY_LIST, SWEEP_WAYS } sweep_way;
static const char *const sweep_names[] = {"pairs", "both ends", "clusters", "list"};

static uint32_t sweep_once(tp_world *world, sweep_way way, const meetings *m, uint32_t units, bool *done)
{
    uint32_t dimensions = world->def.dimensions;
    tpi_sweep_work pairs = dimensions == 2 ? sweep_2d : sweep_3d,
                   both = dimensions == 2 ? sweep_2d_both : sweep_3d_both;
    if (way == BY_PAIRS) return tpi_sweep_slice(world, NULL, false, units, pairs, m, done);
    if (way == BY_BOTH_ENDS) return tpi_sweep_slice(world, NULL, true, units, both, m, done);
    if (way == BY_CLUSTERS)
        return tpi_sweep_clusters(world, NULL, units, dimensions, meet_candidates, NULL, m, false, done);
    if (world->step.by_clusters)
        return tpi_sweep_cluster_lists(world, NULL, units, dimensions, meet_candidates, NULL, m, done);
    return tpi_sweep_slice(world, NULL, false, units, sweep_list, m, done);
}

/* Sweeps a world that waits for its pressures; returns the units. Pairs met from both ends count once. */
static uint64_t sweep_all(tp_world *world, sweep_way way, const meetings *m, uint32_t slice)
{
    bool done = false,
         twice = way == BY_BOTH_ENDS || way == BY_CLUSTERS || (way == BY_LIST && world->step.by_clusters);
    tp_world before = *world;
    uint64_t units = 0;
    memset(m->found, 0, (size_t)m->count * m->count);
    world->step.cursor = (tpi_cursor){0};
    while (!done) {
        uint32_t used = sweep_once(world, way, m, slice, &done);
        CHECK(used <= slice && (done || used > 0));
        units += used;
    }
    *world = before;
    for (uint32_t i = 0; twice && i < m->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            unsigned char *later = &m->found[(size_t)i * m->count + j],
                          earlier = m->found[(size_t)j * m->count + i];
            if (!CHECK_EQ(*later, earlier)) return units;
            *later = 0;
        }
    return units;
}

static void check_pairs(uint32_t dimensions, uint32_t count, point_set set, uint32_t slice)
{
    test_world made = grid_world(dimensions, count, set, true, 255);
    meetings m = {calloc((size_t)count * count + 1u, 1), count};
    uint64_t units[SWEEP_WAYS] = {0};
    if (CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, slice)) &&
        made.world->step.cells_crowded == 0 && !made.world->step.capped) {
        CHECK_EQ(made.world->step.count, count);
        for (int way = 0; way < SWEEP_WAYS; way++) {
            test_note("set '%s', %u dimensions, %u particles, slices of %u, by %s", set_names[set],
                      dimensions, count, slice, sweep_names[way]);
            units[way] = sweep_all(made.world, (sweep_way)way, &m, slice);
            compare_with_brute_force(made.world, m.found);
        }
        CHECK_EQ(units[BY_BOTH_ENDS], units[BY_PAIRS]); /* a budget means the same at every width */
        CHECK_EQ(units[BY_CLUSTERS], units[BY_PAIRS]);
        CHECK_EQ(units[BY_LIST], count + made.world->step.pairs);
    }
    free(m.found);
    test_world_free(&made);
}

static void pairs_equal_brute_force(void)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 27, 60, 500, 4096};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (int set = 0; set < POINT_SETS; set++)
            for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
                if (set == ONE_CELL && counts[n] > 60) continue; /* the cell cap is another test */
                check_pairs(dimensions, counts[n], (point_set)set, n % 2 ? 64 : 65536);
            }
}

/* Neighbours found through the compact arrangement, and with every table size, are those of the stored one. */
static void density_does_not_depend_on_the_arrangement(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (int set = 0; set < POINT_SETS; set++) {
            test_world stored = grid_world(dimensions, 800, (point_set)set, true, 40);
            test_world compact = grid_world(dimensions, 800, (point_set)set, false, 40);
            test_note("set '%s', %u dimensions", set_names[set], dimensions);
            test_world_frames(stored.world, 3);
            test_world_frames(compact.world, 3);
            CHECK_EQ(tp_world_hash(compact.world), tp_world_hash(stored.world));
            test_world_free(&stored);
            test_world_free(&compact);
        }
}

/* The cap: nobody above it, nearest kept, both sides or none. */
static void neighbour_cap_keeps_the_mutually_nearest(void)
{
    test_world made = grid_world(2, 300, UNIFORM, true, 6);
    tp_world *world = made.world;
    if (!CHECK(test_world_run_to(world, TP_STAGE_NEAREST, 100))) return;
    CHECK(test_world_run_to(world, TP_STAGE_PRESSURE, 100));
    tpi_points points = tpi_points_of(world);
    static unsigned char kept[300][300];
    meetings m = {kept[0], 300};
    (void)sweep_all(world, BY_LIST, &m, 100);
    for (uint32_t i = 0; i < 300; i++)
        for (uint32_t j = 0; j < i; j++) kept[i][j] = kept[j][i] = (unsigned char)(kept[i][j] + kept[j][i]);
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t ends = 0;
        for (uint32_t j = 0; j < 300; j++) {
            ends += kept[i][j];
            uint32_t nearer_i = 0, nearer_j = 0;
            float square = tpi_distance_squared(points, i, j, 2);
            for (uint32_t k = 0; k < 300; k++) {
                nearer_i += k != i && tpi_distance_squared(points, i, k, 2) < square;
                nearer_j += k != j && tpi_distance_squared(points, j, k, 2) < square;
            }
            bool expected =
                i != j && square < world->constants.radius_squared && nearer_i < 6 && nearer_j < 6;
            if ((kept[i][j] != 0) != expected)
                CHECK(!"a pair that both ends count among their nearest is not kept");
        }
        CHECK(ends <= 6);
    }
    CHECK(world->step.neighbours_dropped > 0);
    test_world_free(&made);
}

static void crowded_cell_takes_the_lowest_ids_and_counts_the_rest(void)
{
    test_world made = grid_world(2, 500, ONE_CELL, true, 255);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 64));
    CHECK_EQ(made.world->step.cells_crowded, 500 - 64);
    CHECK_EQ(made.world->step.pairs_found, 64 * 63 / 2);
    const uint32_t *neighbours = tpi_words(made.world, made.world->arrays.neighbours);
    const uint32_t *order = tpi_words(made.world, made.world->arrays.order);
    for (uint32_t s = 0; s < 500; s++) CHECK((neighbours[s] > 0) == (TPI_ORDER_PLACE(order[s]) < 64));
    test_world_free(&made);
}

/* Bytes that are no longer what they were set to, of both tables; they are set again. */
static uint32_t touched_bytes(const tp_world *world, int set)
{
    const uint32_t offsets[2] = {world->arrays.start, world->arrays.owner};
    const uint32_t sizes[2] = {(world->grid.entry_count + 1u) * 4u, world->grid.bucket_count * 8u};
    uint32_t touched = 0;
    for (uint32_t t = 0; t < 2; t++) {
        unsigned char *bytes = (unsigned char *)tpi_at(world, offsets[t]);
        for (uint32_t b = 0; b < sizes[t]; b++) touched += bytes[b] != (unsigned char)set;
        memset(bytes, set, sizes[t]);
    }
    return touched;
}

/* A unit clears 32 bytes of either table; no end of a table goes uncounted. */
static void the_tables_are_cleared_slice_by_slice(void)
{
    test_world made = grid_world(2, 4096, UNIFORM, true, 40);
    tp_world *world = made.world;
    CHECK(test_world_run_to(world, TP_STAGE_GRID, 65536));
    (void)touched_bytes(world, 0xcd);
    uint32_t expected = (world->grid.entry_count + 1u) * 4u + world->grid.bucket_count * 8u, cleared = 0;
    while (cleared < expected) {
        uint32_t used;
        tp_stage stage;
        CHECK(!tpi_step_advance(world, NULL, 64, &used, &stage));
        uint32_t touched = touched_bytes(world, 0xcd);
        test_note("%u of %u bytes cleared, then %u for %u units", cleared, expected, touched, used);
        if (!CHECK(stage == TP_STAGE_GRID && touched > 0 && touched <= 32u * used)) break;
        cleared += touched;
    }
    CHECK_EQ(cleared, expected);
    test_world_free(&made);
}

static void grid_order_does_not_depend_on_history(void)
{
    test_world a = grid_world(2, 700, UNIFORM, true, 40);
    test_world b = grid_world(2, 700, UNIFORM, true, 40);
    tp_view view = tp_world_view(b.world);
    uint32_t *ids = tpi_words(b.world, b.world->arrays.id);
    for (uint32_t i = 0; i < 350; i++) { /* the same particles in another storage order */
        uint32_t j = 699 - i, id = ids[i];
        float x = view.x[i], y = view.y[i];
        CHECK(tp_particle_set(b.world, i, (tp_vector){view.x[j], view.y[j], 0}, (tp_vector){0, 0, 0}) ==
              TP_OK);
        CHECK(tp_particle_set(b.world, j, (tp_vector){x, y, 0}, (tp_vector){0, 0, 0}) == TP_OK);
        ids[i] = ids[j];
        ids[j] = id;
    }
    CHECK_EQ(tp_world_hash(a.world), tp_world_hash(b.world));
    for (uint32_t frame = 0; frame < 5; frame++) {
        test_world_frames(a.world, 1);
        test_world_frames(b.world, 1);
        CHECK_EQ(tp_world_hash(a.world), tp_world_hash(b.world));
        CHECK(memcmp(tp_world_view(a.world).id, tp_world_view(b.world).id, 700 * sizeof(uint32_t)) == 0);
    }
    test_world_free(&a);
    test_world_free(&b);
}

static const test_case cases[] = {TEST_CASE(prime_hash_has_the_published_values),
                                  TEST_CASE(every_table_size_is_prime_and_close),
                                  TEST_CASE(reduction_equals_division),
                                  TEST_CASE(pairs_equal_brute_force),
                                  TEST_CASE(density_does_not_depend_on_the_arrangement),
                                  TEST_CASE(neighbour_cap_keeps_the_mutually_nearest),
                                  TEST_CASE(crowded_cell_takes_the_lowest_ids_and_counts_the_rest),
                                  TEST_CASE(the_tables_are_cleared_slice_by_slice),
                                  TEST_CASE(grid_order_does_not_depend_on_history)};
TEST_SUITE(grid, cases);
