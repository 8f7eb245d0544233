/* SPDX-License-Identifier: MIT
   tests/unit/test_dense.c - dense grids: exact deposits, multigrid against known solutions, curl
           and interpolation.
   reads   runtime/field      writes  nothing
   memory  9 MB, static       cost    half a second
   after   the discrete solution of a manufactured Poisson problem is known exactly: a product of
           sines is an eigenvector of the seven-point Laplacian (Trottenberg, Oosterlee and
           Schueller, "Multigrid", 2001, section 1.3) */
#include "test.h"
#include "field/dense_lanes.h"
#include <math.h>
#include <string.h>

#define NODES_MAX      (65u * 65u * 65u + 20u)
#define PI             3.14159265358979323846
#define MULTIGRID_HASH 0x539159f8f2dd862du

static float values[NODES_MAX], source[NODES_MAX], work[2u * NODES_MAX], rows[4u * NODES_MAX];
static float potential[3u * NODES_MAX];

static tpi_multigrid grid_of(uint32_t cells, uint32_t sweeps, uint32_t cycles)
{
    tpi_multigrid grid = {.size = {cells + 1u, cells + 1u, cells + 1u},
                          .before = sweeps,
                          .after = sweeps,
                          .cycles = cycles,
                          .spacing = 1.0f / (float)cells,
                          .values = values,
                          .source = source,
                          .work = work};
    memset(values, 0, sizeof values);
    memset(source, 0, sizeof source);
    memset(work, 0, sizeof work);
    return grid;
}

static void solve(const tpi_multigrid *grid, uint32_t units)
{
    tpi_multigrid_cursor cursor = {0};
    bool done = false;
    while (!done) tpi_multigrid_run(grid, &cursor, units, &done);
}

typedef double function(double x, double y, double z);
static double sines(double x, double y, double z)
{
    return sin(PI * x) * sin(PI * y) * sin(PI * z);
}
static double sines_source(double x, double y, double z) { return -3.0 * PI * PI * sines(x, y, z); }
static double cubic(double x, double y, double z) { return x * x * y + 0.3 * z; }
static double cubic_source(double x, double y, double z)
{
    (void)x, (void)z;
    return 2.0 * y;
}
/* The derivative along x is 0 on both faces of x. */
static double wave(double x, double y, double z) { return cos(PI * x) * sin(PI * y) * sin(PI * z); }
static double wave_source(double x, double y, double z) { return -3.0 * PI * PI * wave(x, y, z); }

/* Calls for all nodes, or for those of the faces. */
static void fill(const tpi_multigrid *grid, float *to, function *of, bool faces_only)
{
    const uint32_t *n = grid->size;
    double h = (double)grid->spacing;
    for (uint32_t k = 0; k < n[2]; k++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t i = 0; i < n[0]; i++) {
                bool is_face = !i || !j || !k || i + 1 == n[0] || j + 1 == n[1] || k + 1 == n[2];
                if (is_face || !faces_only)
                    to[tpi_dense_place(n, i, j, k)] = (float)of(i * h, j * h, k * h);
            }
}

static double worst_error(const tpi_multigrid *grid, function *of)
{
    const uint32_t *n = grid->size;
    double worst = 0, h = (double)grid->spacing;
    for (uint32_t k = 0; k < n[2]; k++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t i = 0; i < n[0]; i++) {
                double value = (double)grid->values[tpi_dense_place(n, i, j, k)];
                worst = fmax(worst, fabs(value - of(i * h, j * h, k * h)));
            }
    return worst;
}

/* Root of the mean squared residual inside. */
static double residual_of(const tpi_multigrid *grid)
{
    const uint32_t *n = grid->size;
    double sum = 0, inverse = 1.0 / ((double)grid->spacing * (double)grid->spacing);
    uint32_t count = 0;
    for (uint32_t k = 1; k + 1 < n[2]; k++)
        for (uint32_t j = 1; j + 1 < n[1]; j++)
            for (uint32_t i = 1; i + 1 < n[0]; i++, count++) {
                const uint32_t at = tpi_dense_place(n, i, j, k), row = n[0], plane = row * n[1];
                const float *of = grid->values;
                double beside = (double)of[tpi_dense_place(n, i - 1, j, k)] +
                                (double)of[tpi_dense_place(n, i + 1, j, k)] + (double)of[at + row] +
                                (double)of[at - row] + (double)of[at + plane] +
                                (double)of[at - plane];
                double left = (double)grid->source[at] - (beside - 6.0 * (double)of[at]) * inverse;
                sum += left * left;
            }
    return sqrt(sum / count);
}

/* Largest factor of the residual per cycle, until rounding shows. */
static double worst_factor(uint32_t cells, uint32_t sweeps)
{
    tpi_multigrid grid = grid_of(cells, sweeps, 1);
    fill(&grid, source, sines_source, false);
    uint32_t state = 5; /* a rough part, so that all wavelengths are there */
    for (uint32_t i = 0; i < NODES_MAX; i++) {
        state = state * 1664525u + 1013904223u;
        source[i] += ((float)(state >> 8) / 16777216.0f - 0.5f) * 60.0f;
    }
    double before = residual_of(&grid), first = before, worst = 0;
    for (uint32_t cycle = 0; cycle < 12 && before > first * 3e-4; cycle++) {
        solve(&grid, UINT32_MAX);
        double after = residual_of(&grid);
        if (cycle) worst = fmax(worst, after / before);
        CHECK(after < before);
        before = after;
    }
    CHECK(before <= first * 3e-4);
    return worst;
}

/* Sampling the values instead of the residual, and overwriting the fine grid, stalls. */
static void r_22_every_cycle_makes_the_residual_smaller(void)
{
    double two = worst_factor(32, 2), one = worst_factor(32, 1);
    test_note("V(2,2) %.4f, V(1,1) %.4f", two, one);
    CHECK(two <= 0.12);
    CHECK(one <= 0.25);
    CHECK(worst_factor(8, 2) <= 0.12);
    CHECK(worst_factor(64, 2) <= 0.12);
}

/* With 64 cells rounding to float adds 4e-6. */
static void manufactured_solutions_have_the_error_of_the_stencil(void)
{
    static const double expected[4] = {1.29507e-2, 3.21896e-3, 8.03578e-4, 2.00821e-4};
    for (uint32_t k = 0; k < 4; k++) {
        tpi_multigrid grid = grid_of(8u << k, 2, 8);
        fill(&grid, source, sines_source, false);
        solve(&grid, UINT32_MAX);
        test_note("%u cells", 8u << k);
        CHECK_NEAR(worst_error(&grid, sines), expected[k], 0.005 * expected[k] + 4e-6);
    }
}

static void a_cubic_polynomial_is_solved_exactly(void)
{
    tpi_multigrid grid = grid_of(32, 2, 10);
    fill(&grid, values, cubic, true);
    fill(&grid, source, cubic_source, false);
    solve(&grid, UINT32_MAX);
    CHECK_NEAR(worst_error(&grid, cubic), 0.0, 5e-6);
}

/* Interpolation of a coarse grid's values to the fine grid must leave these alone. */
static void r_20_corrections_keep_the_values_of_the_faces(void)
{
    tpi_multigrid grid = grid_of(16, 2, 3);
    fill(&grid, values, cubic, true);
    fill(&grid, source, wave_source, false);
    memcpy(potential, values, sizeof values);
    solve(&grid, UINT32_MAX);
    uint32_t changed = 0, inside = 0, n = 17;
    for (uint32_t node = 0; node < n * n * n; node++) {
        uint32_t i = node % n, j = node / n % n, k = node / (n * n);
        uint32_t place = tpi_dense_place(grid.size, i, j, k);
        bool is_face = i % 16u == 0 || j % 16u == 0 || k % 16u == 0;
        changed += is_face && values[place] != potential[place];
        inside += !is_face && values[place] != potential[place];
    }
    CHECK_EQ(changed, 0);
    CHECK_EQ(inside, 15 * 15 * 15);
}

/* An even number of nodes has no coarser grid whose last node is its last one. */
static void r_21_even_sizes_are_refused(void)
{
    for (uint32_t size = 0; size < 140; size++) {
        bool is_good =
            size == 3 || size == 5 || size == 9 || size == 17 || size == 33 || size == 65;
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t of[3] = {17, 17, 17};
            of[axis] = size;
            CHECK_EQ(tpi_dense_is_good(of), is_good);
        }
    }
}

static void mirrors_have_no_derivative_across_them(void)
{
    tpi_multigrid grid = grid_of(32, 2, 8);
    grid.mirrors = 1;
    fill(&grid, source, wave_source, false);
    solve(&grid, UINT32_MAX);
    CHECK_NEAR(worst_error(&grid, wave), 8.03578e-4, 0.02 * 8.03578e-4);
}

/* Axes of different sizes end at the shortest one. */
static void long_boxes_are_solved_too(void)
{
    tpi_multigrid grid = grid_of(16, 2, 8);
    grid.size[1] = 65;
    grid.size[2] = 9;
    fill(&grid, values, cubic, true);
    fill(&grid, source, cubic_source, false);
    solve(&grid, UINT32_MAX);
    CHECK_NEAR(worst_error(&grid, cubic), 0.0, 2e-5);
}

static uint64_t hash_of(const float *numbers, uint32_t count)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) hash = tpi_mix_word(hash, tpi_bits(numbers[i]));
    return hash;
}

static void begin_slices(tpi_multigrid *grid)
{
    *grid = grid_of(16, 2, 2);
    grid->size[2] = 9;
    grid->mirrors = 2;
    fill(grid, values, cubic, true);
    fill(grid, source, wave_source, false);
}

/* The constant is that of all vector widths and machines. */
static void slices_and_widths_change_no_bit(void)
{
    static const uint32_t units[4] = {UINT32_MAX, 1, 100, 3001};
    for (uint32_t k = 0; k < 4; k++) {
        tpi_multigrid grid;
        begin_slices(&grid);
        solve(&grid, units[k]);
        test_note("slices of %u units: 0x%016llx", units[k],
                  (unsigned long long)hash_of(values, 17u * 17u * 9u));
        CHECK_EQ(hash_of(values, 17u * 17u * 9u), MULTIGRID_HASH);
    }
}

static void a_slice_exceeds_its_units_by_less_than_a_row(void)
{
    tpi_multigrid grid;
    tpi_multigrid_cursor cursor = {0};
    begin_slices(&grid);
    bool done = false;
    uint32_t calls = 0, all = 0;
    for (; !done; calls++) {
        uint32_t used = tpi_multigrid_run(&grid, &cursor, 50, &done);
        CHECK(used < 50 + 17 && (used >= 50 || done));
        CHECK(done || tpi_multigrid_audit(&grid, &cursor));
        all += used;
    }
    CHECK(calls > 100);
    CHECK(all < 2u * 17u * 17u * 9u * 12u); /* 8 half sweeps and 3 passes, and the coarser grids */
}

static void cursors_that_no_solution_leaves_are_found(void)
{
    tpi_multigrid grid = grid_of(16, 2, 2);
    tpi_multigrid_cursor good = {1, 3, 15, 0}, bad[4] = {good, good, good, good};
    CHECK(tpi_multigrid_audit(&grid, &good));
    bad[0].cycle = 3;
    bad[1].level = 4;
    bad[2].pass = 16;
    bad[3].row = 17u * 17u;
    for (uint32_t k = 0; k < 4; k++) CHECK(!tpi_multigrid_audit(&grid, &bad[k]));
}

/* ---- deposit ---- */

static int32_t sums[3u * (17u * 9u * 33u + 20u)];
#define STRIDE (17u * 9u * 33u + 20u)

static float random_unit(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

/* Deposits 500 amounts, forward or backward, some of them outside; returns the total of the
   counts. */
static void deposit_all(bool is_backward, int64_t total[3])
{
    const tpi_dense dense = {{17, 9, 33}, {-1.0f, 2.0f, 0.5f}, 0.25f};
    float scale = tpi_dense_scale(500.0f);
    memset(sums, 0, sizeof sums);
    for (uint32_t n = 0; n < 500; n++) {
        uint32_t i = is_backward ? 499u - n : n, state = i * 7919u + 1u;
        int32_t counts[3];
        tp_vector point = {random_unit(&state) * 4.4f - 1.2f, random_unit(&state) * 2.4f + 1.8f,
                           random_unit(&state) * 8.4f + 0.3f};
        for (uint32_t c = 0; c < 3; c++) {
            counts[c] = tpi_dense_counts(random_unit(&state) * 2.0f - 1.0f, scale);
            total[c] += counts[c];
        }
        tpi_dense_deposit(&dense, point, counts, sums, STRIDE);
    }
}

static void deposits_have_an_exact_total_in_any_order(void)
{
    int64_t total[3] = {0, 0, 0}, again[3] = {0, 0, 0}, at_nodes[3] = {0, 0, 0};
    deposit_all(false, total);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t i = 0; i < 17u * 9u * 33u; i++) at_nodes[c] += sums[c * STRIDE + i];
    uint64_t hash = hash_of((const float *)sums, 3u * STRIDE);
    deposit_all(true, again);
    CHECK_EQ(hash_of((const float *)sums, 3u * STRIDE), hash);
    for (uint32_t c = 0; c < 3; c++) {
        CHECK(total[c] != 0);
        CHECK_EQ(at_nodes[c], total[c]);
    }
}

static void deposits_have_the_weights_of_their_places(void)
{
    const tpi_dense dense = {{3, 3, 3}, {0, 0, 0}, 2.0f};
    const int32_t counts[3] = {1 << 20, 0, -(1 << 20)};
    memset(sums, 0, sizeof sums);
    tpi_dense_deposit(&dense, (tp_vector){2.5f, 1.0f, 3.0f}, counts, sums, STRIDE);
    for (uint32_t corner = 0; corner < 8; corner++) {
        uint32_t node =
            tpi_dense_place(dense.size, 1 + (corner & 1u), corner >> 1 & 1u, 1 + (corner >> 2));
        int32_t expected = (corner & 1u ? 1 : 3) << 16;
        CHECK_EQ(sums[node], expected);
        CHECK_EQ(sums[STRIDE + node], 0);
        CHECK_EQ(sums[2 * STRIDE + node], -expected);
    }
}

static void all_amounts_at_one_node_do_not_overflow(void)
{
    const tpi_dense dense = {{3, 3, 3}, {0, 0, 0}, 1.0f};
    static const float amounts[4] = {1e-20f, 0.3f, 7.0f, 3e20f};
    for (uint32_t k = 0; k < 4; k++) {
        float scale = tpi_dense_scale(amounts[k] * 1000.0f);
        int32_t counts[3] = {tpi_dense_counts(amounts[k], scale), 0, 0};
        memset(sums, 0, sizeof sums);
        for (uint32_t n = 0; n < 1000; n++)
            tpi_dense_deposit(&dense, (tp_vector){1, 1, 1}, counts, sums, STRIDE);
        double back = (double)sums[tpi_dense_place(dense.size, 1, 1, 1)] / (double)scale;
        CHECK(counts[0] > 100000);
        CHECK_NEAR(back / (1000.0 * (double)amounts[k]), 1.0, 1e-5);
    }
    CHECK(tpi_dense_scale(0.0f) > 0.0f && tpi_is_finite(tpi_dense_scale(NAN)));
}

/* ---- curl and interpolation ---- */

static tpi_curl curl_of(uint32_t x, uint32_t y, uint32_t z)
{
    return (tpi_curl){{{x, y, z}, {-0.5f, 0.25f, 1.0f}, 0.125f}, potential, NODES_MAX, rows};
}
/* The place in an array of a node by its number. */
static uint32_t place_of(const tpi_curl *curl, uint32_t node)
{
    const uint32_t *n = curl->dense.size;
    return tpi_dense_place(n, node % n[0], node / n[0] % n[1], node / n[0] / n[1]);
}
static void curl_all(const tpi_curl *curl)
{
    for (uint32_t row = 0; row < curl->dense.size[1] * curl->dense.size[2]; row++)
        tpi_curl_row(curl, row);
}

static double divergence(const uint32_t n[3], const float *at)
{
    ptrdiff_t x = 4, y = 4 * (ptrdiff_t)n[0], z = y * (ptrdiff_t)n[1];
    const ptrdiff_t step[3] = {x, y, z};
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += 8 * ((double)at[c + step[c]] - (double)at[c - step[c]]) -
               ((double)at[c + 2 * step[c]] - (double)at[c - 2 * step[c]]);
    return sum / 6;
}

static void the_divergence_of_a_curl_is_zero(void)
{
    tpi_curl curl = curl_of(33, 17, 9);
    uint32_t state = 3, n[3] = {33, 17, 9};
    for (uint32_t i = 0; i < 3u * NODES_MAX; i++) potential[i] = random_unit(&state);
    curl_all(&curl);
    double worst = 0, largest = 0;
    for (uint32_t k = 4; k < n[2] - 4u; k++)
        for (uint32_t j = 4; j < n[1] - 4u; j++)
            for (uint32_t i = 4; i < n[0] - 4u; i++) {
                const float *at = rows + 4u * tpi_dense_node(n, i, j, k);
                worst = fmax(worst, fabs(divergence(n, at)));
                largest = fmax(largest, fabs((double)at[0]));
            }
    test_note("%g of %g", worst, largest);
    CHECK(largest > 1.0 && worst < 4e-6 * largest);
}

/* Quadratic potentials: all differences are exact but for rounding, on the faces too. */
static void curls_are_of_second_order_on_faces_too(void)
{
    tpi_curl curl = curl_of(17, 9, 5);
    double worst = 0;
    for (uint32_t node = 0; node < 17u * 9u * 5u; node++) {
        double x = 0.125 * (node % 17u), y = 0.125 * (node / 17u % 9u), z = 0.125 * (node / 153u);
        const uint32_t place = place_of(&curl, node);
        potential[place] = (float)(y * z + y * y);
        potential[NODES_MAX + place] = (float)(x * x - z);
        potential[2u * NODES_MAX + place] = (float)(x * y + 2.0 * y);
    }
    curl_all(&curl);
    for (uint32_t node = 0; node < 17u * 9u * 5u; node++) {
        double x = 0.125 * (node % 17u), y = 0.125 * (node / 17u % 9u), z = 0.125 * (node / 153u);
        const float *at = rows + 4u * node;
        worst = fmax(worst, fabs((double)at[0] - (x + 3.0)));
        worst = fmax(worst, fabs((double)at[1]));
        worst = fmax(worst, fabs((double)at[2] - (2.0 * x - z - 2.0 * y)));
    }
    CHECK(worst < 2e-5);
}

/* Beyond the nodes beside the faces, powers up to the fourth are exact but for rounding. */
static void curls_are_of_fourth_order_inside(void)
{
    tpi_curl curl = curl_of(17, 9, 9);
    const uint32_t n[3] = {17, 9, 9};
    double worst = 0, beside = 0;
    for (uint32_t node = 0; node < 17u * 9u * 9u; node++) {
        double x = 0.125 * (node % 17u), y = 0.125 * (node / 17u % 9u), z = 0.125 * (node / 153u);
        const uint32_t place = place_of(&curl, node);
        potential[place] = (float)(pow(y, 4) + pow(z, 3));
        potential[NODES_MAX + place] = (float)(pow(z, 4) - pow(x, 3));
        potential[2u * NODES_MAX + place] = (float)(pow(x, 4) + x * pow(y, 3));
    }
    curl_all(&curl);
    for (uint32_t node = 0; node < 17u * 9u * 9u; node++) {
        uint32_t i = node % 17u, j = node / 17u % 9u, k = node / 153u;
        double x = 0.125 * i, y = 0.125 * j, z = 0.125 * k, error = 0;
        const float *at = rows + 4u * node;
        error = fmax(error, fabs((double)at[0] - (3 * x * y * y - 4 * z * z * z)));
        error = fmax(error, fabs((double)at[1] - (3 * z * z - 4 * x * x * x - y * y * y)));
        error = fmax(error, fabs((double)at[2] - (-3 * x * x - 4 * y * y * y)));
        bool inside = i > 1 && i + 2 < n[0] && j > 1 && j + 2 < n[1] && k > 1 && k + 2 < n[2];
        if (inside)
            worst = fmax(worst, error);
        else
            beside = fmax(beside, error);
    }
    test_note("inside %g, elsewhere %g", worst, beside);
    CHECK(worst < 5e-5 && beside > 1e-3);
}

/* Written out for one point; every width must give these bits. */
static float mix(float from, float to, float share) { return from + (to - from) * share; }
static tp_vector sampled(const tpi_dense *dense, tp_vector point)
{
    uint32_t cell[3];
    float share[3], value[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        float place =
            (tpi_component(point, axis) - tpi_component(dense->origin, axis)) / dense->spacing;
        float last = (float)(dense->size[axis] - 1u);
        place = place > 0 ? place < last ? place : last : 0.0f;
        cell[axis] =
            (uint32_t)place < dense->size[axis] - 2u ? (uint32_t)place : dense->size[axis] - 2u;
        share[axis] = place - (float)cell[axis];
    }
    for (uint32_t c = 0; c < 3; c++) {
        float edge[4];
        for (uint32_t e = 0; e < 4; e++) {
            const float *at =
                rows + c +
                4u * tpi_dense_node(dense->size, cell[0], cell[1] + (e & 1u), cell[2] + (e >> 1));
            edge[e] = mix(at[0], at[4], share[0]);
        }
        value[c] = mix(mix(edge[0], edge[1], share[1]), mix(edge[2], edge[3], share[1]), share[2]);
    }
    return (tp_vector){value[0], value[1], value[2]};
}

static void samples_have_the_bits_of_single_points(void)
{
    const tpi_curl curl = curl_of(33, 17, 9);
    tp_vector points[101], found[101];
    uint32_t state = 11;
    for (uint32_t i = 0; i < NODES_MAX * 4u; i++) rows[i] = random_unit(&state) - 0.5f;
    for (uint32_t i = 0; i < 101; i++)
        points[i] = (tp_vector){random_unit(&state) * 4.4f - 0.7f, random_unit(&state) * 2.4f,
                                random_unit(&state) * 1.4f + 0.8f};
    points[7].y = NAN;
    points[8].x = INFINITY;
    points[9] = (tp_vector){3.5f, 2.25f, 2.0f}; /* the last node */
    tpi_dense_sample_points(&curl.dense, rows, points, 101, found);
    for (uint32_t i = 0; i < 101; i++) {
        tp_vector expected = sampled(&curl.dense, points[i]);
        test_note("point %u", i);
        CHECK_EQ(tpi_bits(found[i].x), tpi_bits(expected.x));
        CHECK_EQ(tpi_bits(found[i].y), tpi_bits(expected.y));
        CHECK_EQ(tpi_bits(found[i].z), tpi_bits(expected.z));
    }
    CHECK_EQ(tpi_bits(found[9].x), tpi_bits(rows[4u * tpi_dense_node(curl.dense.size, 32, 16, 8)]));
}

/* The gradient of the interpolation equals differences of its samples inside a cell. */
static void gradients_are_those_of_the_samples(void)
{
    const tpi_curl curl = curl_of(9, 9, 9);
    uint32_t state = 4;
    for (uint32_t i = 0; i < 9u * 9u * 9u * 4u + 64u; i++) rows[i] = random_unit(&state) - 0.5f;
    for (uint32_t turn = 0; turn < 20; turn++) {
        tpi_lanes x[3], value[3], gradient[3][3], low[3], high[3];
        for (uint32_t axis = 0; axis < 3; axis++)
            x[axis] =
                tpi_lanes_of(tpi_component(curl.dense.origin, axis) +
                             ((float)(turn % 7u) + 0.3f + 0.4f * random_unit(&state)) * 0.125f);
        tpi_dense_sample_gradient(&curl.dense, rows, x, value, gradient);
        for (uint32_t axis = 0; axis < 3; axis++) {
            tpi_lanes at = x[axis];
            x[axis] = at - tpi_lanes_of(0.015625f);
            tpi_dense_sample(&curl.dense, rows, x, low);
            x[axis] = at + tpi_lanes_of(0.015625f);
            tpi_dense_sample(&curl.dense, rows, x, high);
            x[axis] = at;
            for (uint32_t c = 0; c < 3; c++)
                CHECK_NEAR(TPI_LANE(gradient[axis][c], TPI_LANES - 1u),
                           (TPI_LANE(high[c], 0) - TPI_LANE(low[c], 0)) * 32.0f, 1e-4);
        }
    }
}

static const test_case cases[] = {
    TEST_CASE(r_22_every_cycle_makes_the_residual_smaller),
    TEST_CASE(manufactured_solutions_have_the_error_of_the_stencil),
    TEST_CASE(a_cubic_polynomial_is_solved_exactly),
    TEST_CASE(r_20_corrections_keep_the_values_of_the_faces),
    TEST_CASE(r_21_even_sizes_are_refused),
    TEST_CASE(mirrors_have_no_derivative_across_them),
    TEST_CASE(long_boxes_are_solved_too),
    TEST_CASE(slices_and_widths_change_no_bit),
    TEST_CASE(a_slice_exceeds_its_units_by_less_than_a_row),
    TEST_CASE(cursors_that_no_solution_leaves_are_found),
    TEST_CASE(deposits_have_an_exact_total_in_any_order),
    TEST_CASE(deposits_have_the_weights_of_their_places),
    TEST_CASE(all_amounts_at_one_node_do_not_overflow),
    TEST_CASE(the_divergence_of_a_curl_is_zero),
    TEST_CASE(curls_are_of_second_order_on_faces_too),
    TEST_CASE(curls_are_of_fourth_order_inside),
    TEST_CASE(samples_have_the_bits_of_single_points),
    TEST_CASE(gradients_are_those_of_the_samples),
};
TEST_SUITE(dense, cases);
