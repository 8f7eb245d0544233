/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_grid.c - viscosity of vortons; velocities from a grid against the sums;
           lift.
   reads   runtime/solve/vortex      writes  nothing
   memory  blocks of worlds          cost    two seconds
   after   the second moment of vorticity that spreads in three dimensions grows by 2 nu t along
           each axis; the sums of the same solver without a grid */
#include "vortex_worlds.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- viscosity ---- */

typedef struct moments {
    double sum[3], square; /* square: mean of x^2, weighted by the strength along z */
} moments;
static moments moments_of(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    moments of = {{0, 0, 0}, 0};
    for (uint32_t i = 0; i < view.count; i++) {
        double a = (double)view.strength_z[i], x = (double)view.x[i];
        of.sum[0] += (double)view.strength_x[i];
        of.sum[1] += (double)view.strength_y[i];
        of.sum[2] += a;
        of.square += a * x * x;
    }
    of.square /= of.sum[2];
    return of;
}

/* A blob of weak vorticity on a lattice: it spreads, and hardly turns. */
static test_world blob(tp_world_def *def)
{
    const float apart = 0.1f;
    def->vortex.volume = apart * apart * apart;
    def->vortex.core = 0.2f;
    test_world made = test_world_make(def);
    for (int i = -7; i <= 7; i++)
        for (int j = -7; j <= 7; j++)
            for (int k = -7; k <= 7; k++) {
                tp_vector x = {(float)i * apart, (float)j * apart, (float)k * apart};
                float square = x.x * x.x + x.y * x.y + x.z * x.z;
                vortex_add(made.world, x,
                           (tp_vector){0, 0, 1e-6f * expf(-square / 0.04f) + 1e-12f});
            }
    return made;
}

static void blob_spreads(tp_world_def *def)
{
    const double nu = 0.01, gate = 0.03;
    def->vortex.viscosity = 0.01f;
    test_world made = blob(def);
    moments before = moments_of(made.world);
    test_world_frames(made.world, 30);
    moments after = moments_of(made.world);
    double grown = after.square - before.square;
    test_note("grown by %g of %g", grown, 2 * nu * 0.5);
    CHECK_NEAR(grown, 2 * nu * 0.5, gate * 2 * nu * 0.5);
    for (uint32_t c = 0; c < 3; c++) CHECK_NEAR(after.sum[c], before.sum[c], 1e-5 * before.sum[2]);
    test_world_free(&made);
}

static void vorticity_spreads_by_viscosity(void)
{
    tp_world_def def = vortex_def(3, 15 * 15 * 15);
    blob_spreads(&def);
}

static void vorticity_spreads_on_a_grid(void)
{
    tp_world_def def = vortex_def(3, 15 * 15 * 15);
    vortex_grid(&def, 33, 5.3f); /* no multiple of the lattice */
    blob_spreads(&def);
}

/* A crowd at one place, of which the exchange of two is far beyond the stable rate: strengths
   approach their mean and keep their sum. */
static void crowd_is_bounded(tp_world_def *def)
{
    def->vortex.viscosity = 1000;
    def->vortex.volume = 1;
    test_world made = test_world_make(def);
    for (uint32_t i = 0; i < 64; i++)
        vortex_add(made.world,
                   (tp_vector){0.01f * (float)(i % 4u), 0.01f * (float)(i / 4u % 4u), 0},
                   (tp_vector){i == 7 ? 1e-3f : 0.0f, 0, i & 1u ? -1e-4f : 1e-4f});
    double sum = 0, most = 0;
    test_world_frames(made.world, 30);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        sum += (double)view.strength_x[i];
        most = fmax(most, fabs((double)view.strength_x[i]));
        CHECK_NEAR(view.strength_z[i], 0, 1e-5);
    }
    CHECK_EQ(view.count, 64);
    CHECK_NEAR(sum, 1e-3, 1e-7);
    CHECK(most < 1e-4);
    test_world_free(&made);
}

static void the_exchange_of_a_crowd_is_bounded(void)
{
    tp_world_def def = vortex_def(3, 64);
    def.vortex.core = 0.1f;
    crowd_is_bounded(&def);
    vortex_grid(&def, 9, 4);
    crowd_is_bounded(&def);
}

/* ---- the grid against the sums ---- */

#define RING   128u
#define POINTS 1000u
typedef struct ring_flow {
    tp_vector x[RING + POINTS], u[RING + POINTS];
    double speed;
} ring_flow;

/* Velocities that a thin ring of radius 1 induces in a box of 8 m. */
static void ring_velocities(tp_world_def *def, ring_flow *to)
{
    def->vortex.core = 0.03f;
    def->frames_per_second_numerator = 1000;
    test_world made = test_world_make(def);
    uint32_t state = 5;
    for (uint32_t k = 0; k < RING; k++) {
        double angle = 2 * PI * (k + 0.3) / RING, length = 2 * PI / RING;
        vortex_add(made.world,
                   (tp_vector){(float)cos(angle) + 0.013f, (float)sin(angle) + 0.02f, 0.031f},
                   (tp_vector){(float)(-length * sin(angle)), (float)(length * cos(angle)), 0});
    }
    for (uint32_t k = 0; k < POINTS; k++) {
        float x = test_uniform(&state, -3.5f, 3.5f), y = test_uniform(&state, -3.5f, 3.5f);
        tp_vector at = {x, y, test_uniform(&state, -3.5f, 3.5f)};
        CHECK_EQ(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL), TP_OK);
    }
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    to->speed = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        to->x[view.id[i]] = (tp_vector){view.x[i], view.y[i], view.z[i]};
        to->u[view.id[i]] = (tp_vector){view.vx[i], view.vy[i], view.vz[i]};
        if (view.id[i] < RING) to->speed += (double)view.vz[i] / RING;
    }
    test_world_free(&made);
}

/* Root of the mean square of the differences, of that of the velocities, beyond a distance from
   the ring. */
static double difference_beyond(const ring_flow *found, const ring_flow *expected, double distance)
{
    double error = 0, all = 0;
    for (uint32_t k = RING; k < RING + POINTS; k++) {
        tp_vector x = expected->x[k], a = found->u[k], b = expected->u[k];
        if (hypot(hypot((double)x.x, (double)x.y) - 1, (double)x.z) < distance) continue;
        error +=
            pow((double)(a.x - b.x), 2) + pow((double)(a.y - b.y), 2) + pow((double)(a.z - b.z), 2);
        all += (double)(b.x * b.x + b.y * b.y + b.z * b.z);
    }
    return sqrt(error / all);
}

/* The box is open: its faces have the potential of free space. */
static void a_grid_has_the_velocities_of_the_sums(void)
{
    static ring_flow expected, found[2];
    tp_world_def def = vortex_def(3, RING + POINTS);
    ring_velocities(&def, &expected);
    vortex_grid(&def, 17, 8);
    ring_velocities(&def, &found[0]);
    vortex_grid(&def, 33, 8);
    ring_velocities(&def, &found[1]);
    double far_off = difference_beyond(&found[1], &expected, 1),
           near_by = difference_beyond(&found[1], &expected, 0.5),
           coarse = difference_beyond(&found[0], &expected, 1);
    test_note("four cells away %g, two %g; with cells of 0.5 m %g; speeds %g %g %g", far_off,
              near_by, coarse, expected.speed, found[0].speed, found[1].speed);
    CHECK(far_off < 0.03 && near_by < 0.03 && coarse > 2 * far_off);
    CHECK(found[1].speed > 0.22 && found[1].speed < expected.speed);
    CHECK(found[1].speed > found[0].speed);
}

static void vortons_outside_the_grid_do_not_act(void)
{
    tp_world_def def = vortex_def(3, 2);
    vortex_grid(&def, 9, 4);
    for (uint32_t k = 0; k < 2; k++) {
        test_world made = test_world_make(&def);
        vortex_add(made.world, (tp_vector){k ? 1.4f : 1.6f, 0, 0}, (tp_vector){0, 1, 0});
        vortex_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0});
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        CHECK_EQ(fabs((double)view.vz[1]) > 0.01, k == 1);
        CHECK_EQ(view.strength_y[0], 1);
        test_world_free(&made);
    }
}

/* 4 096 vortons at one point of a grid of 33^3 nodes, of up to the largest strength. */
static void a_crowd_at_one_point_of_a_grid_stays_finite(void)
{
    tp_world_def def = vortex_def(3, 4096);
    vortex_grid(&def, 33, 4);
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 4096; i++) {
        float strength = i & 1u ? 1e6f : -1e5f * (float)(i % 10u);
        vortex_add(made.world, (tp_vector){0.01f, 0.02f, 0.03f},
                   i % 3u ? (tp_vector){0, strength, 0} : (tp_vector){strength, 0, 0});
    }
    test_world_frames(made.world, 3);
    tp_view view = tp_world_view(made.world);
    tp_report report = tp_world_report(made.world);
    test_note("%u left, %llu killed, %llu fast, %llu limited", (unsigned)view.count,
              (unsigned long long)report.killed_particles, (unsigned long long)report.vortices_fast,
              (unsigned long long)report.strengths_limited);
    CHECK_EQ(view.count + report.killed_particles, 4096);
    CHECK(report.vortices_fast >= 3 && report.strengths_limited > 1000);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK(isfinite(view.x[i]) && isfinite(view.y[i]) && isfinite(view.z[i]));
        CHECK(isfinite(view.vx[i]) && isfinite(view.vy[i]) && isfinite(view.vz[i]));
        CHECK(fabsf(view.strength_x[i]) <= 1e6f && fabsf(view.strength_y[i]) <= 1e6f &&
              fabsf(view.strength_z[i]) <= 1e6f);
    }
    test_world_free(&made);
}

/* ---- lift ---- */

/* Warm air in a sphere of 0.5 m among vortons without a strength: it drags half of its volume of
   the air around along, so that it rises with 2/3 of its lift. */
static void a_warm_sphere_rises(void)
{
    tp_world_def def = vortex_def(3, 4000);
    vortex_grid(&def, 33, 2);
    def.species_count = 2;
    def.vortex.lift = (tp_vector){0, 0.001f, 0};
    def.vortex.lift_species = 1;
    def.vortex.vorton_species = 2;
    test_world made = test_world_make(&def);
    uint32_t warm = 0;
    for (int n = 0; n < 11 * 11 * 11 + 14 * 14 * 14; n++) {
        bool is_warm = n < 1331;
        int m = is_warm ? n : n - 1331, side = is_warm ? 11 : 14;
        float apart = is_warm ? 0.1f : 0.11f, half = 0.5f * (float)(side - 1);
        tp_vector x = {((float)(m % side) - half) * apart,
                       ((float)(m / side % side) - half) * apart,
                       ((float)(m / side / side) - half) * apart};
        if (is_warm && x.x * x.x + x.y * x.y + x.z * x.z > 0.25f) continue;
        warm += is_warm;
        CHECK_EQ(tp_particle_add(made.world, x, (tp_vector){0, 0, 0}, is_warm ? 0 : 1, NULL),
                 TP_OK);
    }
    test_world_frames(made.world, 6);
    tp_view view = tp_world_view(made.world);
    double speed = 0, volume = warm * 0.001 / (4.0 / 3 * PI * 0.125), sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.id[i] < warm) speed += (double)view.vy[i] / warm;
        sum += (double)view.strength_x[i];
    }
    double expected = volume * 2.0 / 3 * 5 / 60;
    test_note("%g of %g, %u warm particles", speed, expected, (unsigned)warm);
    CHECK_NEAR(speed, expected, 0.25 * expected);
    CHECK_NEAR(sum, 0, 1e-5);
    test_world_free(&made);
}

static float speed_at_age(float cooling)
{
    tp_world_def def = vortex_def(3, 200);
    vortex_grid(&def, 9, 4);
    def.vortex.lift = (tp_vector){0, 0.01f, 0};
    def.vortex.lift_species = def.vortex.vorton_species = 1;
    def.vortex.cooling = cooling;
    test_world made = test_world_make(&def);
    uint32_t state = 9;
    for (uint32_t i = 0; i < 200; i++) {
        float x = test_uniform(&state, -1, 1), y = test_uniform(&state, -1, 1);
        CHECK_EQ(tp_particle_add(made.world, (tp_vector){x, y, test_uniform(&state, -1, 1)},
                                 (tp_vector){0, 0, 0}, 0, NULL),
                 TP_OK);
    }
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    float most = 0;
    for (uint32_t i = 0; i < view.count; i++) most = fmaxf(most, fabsf(view.vy[i]));
    test_world_free(&made);
    return most;
}

static void lift_cools(void)
{
    float warm = speed_at_age(0), cool = speed_at_age(4);
    test_note("%g and %g", (double)warm, (double)cool);
    CHECK(warm > 0.02f && cool < 0.6f * warm && cool > 0.1f * warm);
}

/* ---- equal bits, units, blocks ---- */

static test_world smoke_world(bool has_grid)
{
    tp_world_def def = vortex_def(3, 150);
    def.vortex.core = 0.2f;
    def.vortex.viscosity = 0.01f;
    if (has_grid) {
        vortex_grid(&def, 17, 4);
        def.vortex.lift = (tp_vector){0.001f, 0.02f, 0};
        def.vortex.lift_species = 1;
        def.vortex.cooling = 1;
    }
    test_world made = test_world_make(&def);
    uint32_t state = 11;
    for (uint32_t i = 0; i < 150; i++) {
        float x = test_uniform(&state, -1, 1), y = test_uniform(&state, -1, 1), a = 0;
        if (i % 3u < 2u) a = test_uniform(&state, -0.1f, 0.1f);
        vortex_add(made.world, (tp_vector){x, y, test_uniform(&state, -2.2f, 1)},
                   (tp_vector){a, -a, a});
    }
    return made;
}

static uint64_t hash_after(bool has_grid, uint32_t units, uint32_t lanes)
{
    return vortex_hash(smoke_world(has_grid), 3, units, lanes);
}

static void grids_and_viscosity_have_equal_bits(void)
{
    static const uint32_t units[4] = {0, 70, 2049, 100000}, lanes[3] = {4, 8, 16};
    for (uint32_t g = 0; g < 2; g++) {
        uint64_t hash = hash_after(g == 1, 0, 0);
        for (uint32_t k = 0; k < 4; k++)
            for (uint32_t n = 0; n < 3; n++) {
                test_note("%u units, %u lanes", units[k], lanes[n]);
                CHECK_EQ(hash_after(g == 1, units[k], lanes[n]), hash);
            }
    }
}

/* The units of a whole stage are those of its slices. */
static void a_slice_of_a_grid_stays_within_its_units(void)
{
    uint32_t all = vortex_units(smoke_world(true), 100000000u, 160);
    CHECK(all > 17u * 17u * 17u * 3u * 5u);
    CHECK_EQ(vortex_units(smoke_world(true), 64, 160), all);
}

static void snapshots_of_a_grid_continue(void)
{
    for (uint32_t units = 3000; units < 400000; units = units * 3u) {
        test_world made = smoke_world(true);
        tp_budget budget = {.units = units};
        tp_block_fault fault;
        tp_world *copy = NULL;
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
        void *block = test_guarded_make(made.bytes);
        memcpy(block, made.world, made.bytes);
        CHECK_EQ(tp_world_verify(block, made.bytes, &fault, &copy), TP_OK);
        test_world_frames(copy, 2);
        test_world_frames(made.world, 2);
        CHECK_EQ(tp_world_hash(copy), tp_world_hash(made.world));
        test_guarded_free(block, made.bytes);
        test_world_free(&made);
    }
}

static void blocks_of_grids_are_below_their_bound(void)
{
    for (uint32_t nodes = 5; nodes <= 65; nodes = nodes * 2u - 1u) {
        tp_world_def def = vortex_def(3, 300);
        size_t before = 0, bytes = 0;
        CHECK_EQ(tp_world_memory(&def, &before), TP_OK);
        vortex_grid(&def, nodes, 4);
        def.vortex.viscosity = 1;
        CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
        test_note("%u nodes, %u bytes", nodes, (unsigned)(bytes - before));
        CHECK(bytes - before <=
              TP_VORTEX_GRID_BYTES(nodes * nodes * nodes) + TP_VORTEX_GAIN_BYTES(300));
    }
}

static void wrong_grids_are_refused(void)
{
    tp_world_def good = vortex_def(3, 10), def = good;
    vortex_grid(&good, 9, 4);
    CHECK(tp_world_check(&good) == NULL);
    static const uint32_t wrong[4] = {0, 3, 8, 66};
    for (uint32_t k = 0; k < 4; k++) {
        def = good;
        def.vortex.grid_nodes[1] = wrong[k];
        CHECK(strstr(tp_world_check(&def), "vortex.grid_nodes") != NULL);
    }
    def = good;
    def.vortex.grid_spacing = 0;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_spacing") != NULL);
    def = good;
    def.vortex.grid_low.y = NAN;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_low.y") != NULL);
    def = good;
    def.vortex.viscosity = -1;
    CHECK(strstr(tp_world_check(&def), "vortex.viscosity") != NULL);
    def = good;
    def.vortex.cooling = 1;
    def.keeps_births = false;
    CHECK(strstr(tp_world_check(&def), "vortex.cooling needs") != NULL);
    def = vortex_def(3, 10);
    def.vortex.lift.y = 1;
    CHECK(strstr(tp_world_check(&def), "vortex.lift needs") != NULL);
}

static const test_case cases[] = {
    TEST_CASE(vorticity_spreads_by_viscosity),
    TEST_CASE(vorticity_spreads_on_a_grid),
    TEST_CASE(the_exchange_of_a_crowd_is_bounded),
    TEST_CASE(a_grid_has_the_velocities_of_the_sums),
    TEST_CASE(vortons_outside_the_grid_do_not_act),
    TEST_CASE(a_crowd_at_one_point_of_a_grid_stays_finite),
    TEST_CASE(a_warm_sphere_rises),
    TEST_CASE(lift_cools),
    TEST_CASE(grids_and_viscosity_have_equal_bits),
    TEST_CASE(a_slice_of_a_grid_stays_within_its_units),
    TEST_CASE(snapshots_of_a_grid_continue),
    TEST_CASE(blocks_of_grids_are_below_their_bound),
    TEST_CASE(wrong_grids_are_refused),
};
TEST_SUITE(vortex_grid, cases);
