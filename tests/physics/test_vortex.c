/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex.c - vortons: rings against their theory, invariants, and equal bits.
   reads   runtime/solve/vortex      writes  nothing
   memory  blocks of worlds          cost    two seconds
   after   speeds of discrete rings: the sum of Rosenhead 1930 and Moore 1972 over their vortons in
           double precision; leapfrogging: these sums with Runge-Kutta steps of fourth order */
#include "vortex_worlds.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct vorton {
    double x[3], a[3];
} vorton;

static tp_world_def definition(uint32_t particles, float core)
{
    tp_world_def def = vortex_def(3, particles);
    def.vortex.core = core;
    return def;
}

static void add(tp_world *world, const vorton *v)
{
    vortex_add(world, (tp_vector){(float)v->x[0], (float)v->x[1], (float)v->x[2]},
               (tp_vector){(float)v->a[0], (float)v->a[1], (float)v->a[2]});
}

/* A ring around the z axis of circulation 1; strengths are tangents. */
static void ring_of(vorton *to, uint32_t count, double radius, double z)
{
    for (uint32_t k = 0; k < count; k++) {
        double angle = 2 * PI * k / count, length = 2 * PI * radius / count;
        to[k] = (vorton){{radius * cos(angle), radius * sin(angle), z},
                         {-length * sin(angle), length * cos(angle), 0}};
    }
}

static void add_ring(tp_world *world, uint32_t count, double radius, double z)
{
    static vorton ring[256];
    ring_of(ring, count, radius, z);
    for (uint32_t k = 0; k < count; k++) add(world, &ring[k]);
}

/* In the order of the ids. */
static void read_all(const tp_world *world, vorton *to)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++)
        to[view.id[i]] = (vorton){
            {(double)view.x[i], (double)view.y[i], (double)view.z[i]},
            {(double)view.strength_x[i], (double)view.strength_y[i], (double)view.strength_z[i]}};
}

/* ---- the same sums in double precision ---- */

static void rates(const vorton *v, uint32_t count, double core, vorton *to)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(&to[i], 0, sizeof to[i]);
        for (uint32_t j = 0; j < count; j++) {
            const double *a = v[j].a, *b = v[i].a;
            double r[3] = {v[i].x[0] - v[j].x[0], v[i].x[1] - v[j].x[1], v[i].x[2] - v[j].x[2]};
            double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + core * core;
            double g = 1 / (4 * PI * square * sqrt(square)), f = 3 * g / square;
            double c[3] = {b[1] * a[2] - b[2] * a[1], b[2] * a[0] - b[0] * a[2],
                           b[0] * a[1] - b[1] * a[0]};
            double along = c[0] * r[0] + c[1] * r[1] + c[2] * r[2];
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t m = (k + 1) % 3, n = (k + 2) % 3;
                to[i].x[k] += g * (a[m] * r[n] - a[n] * r[m]);
                to[i].a[k] += g * c[k] - f * along * r[k];
            }
        }
    }
}

static void oracle_step(vorton *v, uint32_t count, double core, double dt)
{
    static vorton rate[300], half[300];
    rates(v, count, core, rate);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            half[i].x[k] = v[i].x[k] + 0.5 * dt * rate[i].x[k];
            half[i].a[k] = v[i].a[k] + 0.5 * dt * rate[i].a[k];
        }
    rates(half, count, core, rate);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            v[i].x[k] += dt * rate[i].x[k];
            v[i].a[k] += dt * rate[i].a[k];
        }
}

/* Random vortons, each third one a tracer. */
static void cloud(vorton *to, uint32_t count, uint32_t seed)
{
    uint32_t state = seed;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            to[i].x[k] = (double)test_uniform(&state, -1, 1);
            to[i].a[k] = i % 3u == 2u ? 0.0 : (double)test_uniform(&state, -0.1f, 0.1f);
        }
}

static test_world cloud_world(uint32_t count, uint32_t seed)
{
    static vorton all[300];
    tp_world_def def = definition(count, 0.2f);
    test_world made = test_world_make(&def);
    cloud(all, count, seed);
    for (uint32_t i = 0; i < count; i++) add(made.world, &all[i]);
    return made;
}

static void steps_are_those_of_the_sums_in_double_precision(void)
{
    static vorton expected[150], found[150];
    test_world made = cloud_world(150, 3);
    double worst = 0, moved = 0;
    read_all(made.world, expected);
    memcpy(found, expected, sizeof found);
    for (uint32_t step = 0; step < 10; step++) oracle_step(expected, 150, (double)0.2f, 1 / 60.0);
    for (uint32_t i = 0; i < 150; i++)
        for (uint32_t k = 0; k < 3; k++)
            moved = fmax(moved, fabs(found[i].x[k] - expected[i].x[k]));
    test_world_frames(made.world, 10);
    CHECK_EQ(tp_world_report(made.world).steps, 10);
    read_all(made.world, found);
    for (uint32_t i = 0; i < 150; i++)
        for (uint32_t k = 0; k < 3; k++)
            worst = fmax(worst, fmax(fabs(found[i].x[k] - expected[i].x[k]),
                                     fabs(found[i].a[k] - expected[i].a[k])));
    test_note("worst %g of %g", worst, moved);
    CHECK(moved > 0.03 && worst < 1e-6);
    test_world_free(&made);
}

/* ---- rings ---- */

static double speed_of_ring(uint32_t count, float core)
{
    tp_world_def def = definition(count, core);
    def.frames_per_second_numerator = 1000;
    test_world made = test_world_make(&def);
    add_ring(made.world, count, 1, 0);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    double speed = 0;
    for (uint32_t i = 0; i < view.count; i++) speed += (double)view.vz[i] / view.count;
    test_world_free(&made);
    return speed;
}

static void rings_have_the_speed_of_their_discrete_sum(void)
{
    static const uint32_t counts[4] = {16, 32, 128, 256};
    static const double thin[4] = {.221508, .256162, .268677, .268679},
                        thick[4] = {.200077, .211820, .212579, .212581};
    for (uint32_t k = 0; k < 4; k++) {
        test_note("%u vortons", counts[k]);
        CHECK_NEAR(speed_of_ring(counts[k], 0.1f), thin[k], 1e-4 * thin[k]);
        CHECK_NEAR(speed_of_ring(counts[k], 0.2f), thick[k], 1e-4 * thick[k]);
    }
}

static void two_vortons_turn_about_each_other(void)
{
    tp_world_def def = definition(2, 0.5f);
    test_world made = test_world_make(&def);
    add(made.world, &(vorton){{-1, 0, 0}, {0, 0, 2}});
    add(made.world, &(vorton){{1, 0, 0}, {0, 0, 2}});
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    double speed = 2 * 2 / (4 * PI * pow(4.25, 1.5));
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_NEAR((double)view.vy[i] * (view.x[i] < 0 ? -1 : 1), speed, 1e-5);
        CHECK_NEAR(view.strength_z[i], 2, 1e-6);
    }
    test_world_free(&made);
}

typedef struct ring_state {
    double z, radius;
} ring_state;
static ring_state ring_read(const vorton *v, uint32_t count)
{
    ring_state state = {0, 0};
    for (uint32_t k = 0; k < count; k++) {
        state.z += v[k].x[2] / count;
        state.radius += hypot(v[k].x[0], v[k].x[1]) / count;
    }
    return state;
}

/* The rear ring becomes smaller and faster, and passes through the front one. */
static void coaxial_rings_leapfrog(void)
{
    static vorton all[256];
    tp_world_def def = definition(256, 0.1f);
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, 0);
    add_ring(made.world, 128, 1, .5);
    double before = -.5, time = 0;
    ring_state rear = {0, 0}, front = {0, 0};
    while (time < 2 && before < 0) {
        test_world_frames(made.world, 1);
        read_all(made.world, all);
        rear = ring_read(all, 128);
        front = ring_read(all + 128, 128);
        double gap = rear.z - front.z;
        time += gap < 0 ? 1 / 60.0 : before / (before - gap) / 60.0;
        before = gap;
    }
    CHECK_NEAR(time, 1.113, 0.02 * 1.113);
    CHECK_NEAR(rear.radius, .7666, 0.02 * .7666);
    CHECK_NEAR(front.radius, 1.1884, 0.02 * 1.1884);
    CHECK_NEAR((rear.z + front.z) / 2, .7535, 0.02 * .7535);
    CHECK_NEAR(rear.radius * rear.radius + front.radius * front.radius, 2, 1e-3);
    test_world_free(&made);
}

/* ---- invariants ---- */

static void sums_of(const vorton *v, uint32_t count, double strength[3], double impulse[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t m = (k + 1) % 3, n = (k + 2) % 3;
        strength[k] = impulse[k] = 0;
        for (uint32_t i = 0; i < count; i++) {
            strength[k] += v[i].a[k];
            impulse[k] += 0.5 * (v[i].x[m] * v[i].a[n] - v[i].x[n] * v[i].a[m]);
        }
    }
}

static void the_sum_of_strengths_and_the_impulse_stay(void)
{
    static vorton before[256], after[256];
    double sum[2][3], impulse[2][3];
    tp_world_def def = definition(256, 0.1f);
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, 0);
    add_ring(made.world, 128, 1.3, .4);
    read_all(made.world, before);
    test_world_frames(made.world, 100);
    read_all(made.world, after);
    sums_of(before, 256, sum[0], impulse[0]);
    sums_of(after, 256, sum[1], impulse[1]);
    CHECK(fabs(impulse[0][2]) > 5);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_NEAR(sum[1][k], sum[0][k], 1e-4);
        CHECK_NEAR(impulse[1][k], impulse[0][k], 1e-4 * fabs(impulse[0][2]));
    }
    CHECK_EQ(tp_world_report(made.world).strengths_limited, 0);
    test_world_free(&made);
}

/* In a cloud strengths grow and turn: still the terms of two vortons are opposite. */
static void stretching_conserves_the_sum_of_strengths(void)
{
    static vorton before[150], after[150];
    double sum[2][3], impulse[3], changed = 0;
    test_world made = cloud_world(150, 8);
    read_all(made.world, before);
    test_world_frames(made.world, 30);
    read_all(made.world, after);
    sums_of(before, 150, sum[0], impulse);
    sums_of(after, 150, sum[1], impulse);
    for (uint32_t k = 0; k < 3; k++) CHECK_NEAR(sum[1][k], sum[0][k], 2e-6);
    for (uint32_t i = 0; i < 150; i++)
        changed = fmax(changed, fabs(after[i].a[0] - before[i].a[0]));
    CHECK(changed > 0.01);
    test_world_free(&made);
}

/* ---- limits and bad input ---- */

static void the_growth_of_strengths_is_limited_and_counted(void)
{
    static vorton before[150], after[150];
    tp_world_def def = definition(150, 0.2f);
    def.vortex.growth_max = 0.5f;
    test_world made = test_world_make(&def);
    cloud(before, 150, 5);
    for (uint32_t i = 0; i < 150; i++) {
        for (uint32_t k = 0; k < 3; k++) before[i].a[k] *= 10;
        add(made.world, &before[i]);
    }
    read_all(made.world, before);
    test_world_frames(made.world, 1);
    read_all(made.world, after);
    double most = exp(0.5 / 60), largest = 0;
    for (uint32_t i = 0; i < 150; i++) {
        double a = sqrt(before[i].a[0] * before[i].a[0] + before[i].a[1] * before[i].a[1] +
                        before[i].a[2] * before[i].a[2]);
        double b = sqrt(after[i].a[0] * after[i].a[0] + after[i].a[1] * after[i].a[1] +
                        after[i].a[2] * after[i].a[2]);
        if (a > 0) largest = fmax(largest, b / a);
    }
    CHECK_NEAR(largest, most, 1e-6);
    CHECK(tp_world_report(made.world).strengths_limited > 10);
    test_world_free(&made);
}

static void vortons_at_one_point_do_no_harm(void)
{
    tp_world_def def = definition(64, 0.0001f);
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 64; i++)
        add(made.world, &(vorton){{1, 2, 3}, {1e5 * ((i & 1u) ? 1 : -1), 3e5, 1e4 * i}});
    test_world_frames(made.world, 10);
    CHECK_EQ(tp_world_view(made.world).count, 64);
    CHECK_EQ(tp_world_report(made.world).killed_particles, 0);
    /* moved apart by a hair, they are thrown out, and killed if they leave the range */
    CHECK_EQ(tp_particle_set(made.world, 5, (tp_vector){1.0001f, 2, 3}, (tp_vector){0, 0, 0}),
             TP_OK);
    test_world_frames(made.world, 30);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(isfinite(view.x[i]) && isfinite(view.vx[i]) && isfinite(view.strength_x[i]));
    test_world_free(&made);
}

static void wrong_strengths_and_definitions_are_refused(void)
{
    tp_world_def def = definition(4, 0.1f);
    def.vortex.vortons_max = 1;
    def.vortex.strength_max = 2;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_EQ(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL),
                 TP_OK);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){NAN, 0, 0}), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, INFINITY, 0}), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){2, 0.1f, 0}), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_particle_strength(made.world, 2, (tp_vector){1, 0, 0}), TP_ERROR_HANDLE);
    CHECK_EQ(tp_particle_strength(NULL, 0, (tp_vector){1, 0, 0}), TP_ERROR_NULL);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, 0, 2}), TP_OK);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, 2, 0}), TP_OK);
    CHECK_EQ(tp_particle_strength(made.world, 1, (tp_vector){0, 0, 1}), TP_ERROR_FULL);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, 0, 0}), TP_OK);
    CHECK_EQ(tp_particle_strength(made.world, 1, (tp_vector){0, 0, 1}), TP_OK);
    test_world_free(&made);
    tp_world_def other = tp_world_default(3);
    made = test_world_make(&other);
    CHECK_EQ(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL),
             TP_OK);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, 0, 1}), TP_ERROR_DEFINITION);
    CHECK(tp_world_view(made.world).strength_x == NULL);
    test_world_free(&made);
    def = definition(4, 0);
    CHECK(strstr(tp_world_check(&def), "vortex.core must be") != NULL);
    def = definition(4, 0.1f);
    def.species[0].is_tracer = true;
    CHECK(strstr(tp_world_check(&def), "is_tracer must be false with TP_SOLVER_VORTEX") != NULL);
}

static void the_block_is_below_its_bound(void)
{
    for (uint32_t n = 1; n < 5000; n = n * 3 + 1) {
        tp_world_def def = definition(n, 0.1f);
        size_t bytes = 0;
        CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
        test_note("%u", n);
        CHECK(bytes <= TP_WORLD_BYTES(3, n, 0, 40, 0) + TP_VORTEX_BYTES(n, def.vortex.vortons_max));
    }
}

/* ---- equal bits ---- */

static uint64_t hash_after(uint32_t units, uint32_t lanes)
{
    return vortex_hash(cloud_world(150, 11), 4, units, lanes);
}

static void vortices_have_equal_bits_in_slices_and_lanes(void)
{
    static const uint32_t units[5] = {0, 70, 1000, 2049, 100000}, lanes[3] = {4, 8, 16};
    uint64_t hash = hash_after(0, 0);
    for (uint32_t k = 0; k < 5; k++)
        for (uint32_t n = 0; n < 3; n++) {
            test_note("%u units, %u lanes", units[k], lanes[n]);
            CHECK_EQ(hash_after(units[k], lanes[n]), hash);
        }
}

/* In the midst of a step, at each slice of another width. */
static void a_step_goes_on_at_another_width(void)
{
    uint64_t hash = hash_after(0, 0);
    test_world made = cloud_world(150, 11);
    for (uint32_t call = 0; tp_world_report(made.world).frames < 4; call++) {
        tp_budget budget = {.units = 64, .frames_max = 1, .lanes_max = 4u << call % 3u};
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    }
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_world_free(&made);
}

/* The units of a whole stage are those of its slices, each of which exceeds its limit by at most a
   block of targets. */
static void a_slice_of_vortices_stays_within_its_units(void)
{
    uint32_t all = vortex_units(cloud_world(150, 11), 1000000, TPI_VORTEX_BLOCK * 2u);
    CHECK(all > 150u * 150u);
    CHECK_EQ(vortex_units(cloud_world(150, 11), 64, TPI_VORTEX_BLOCK * 2u), all);
}

static void snapshots_of_vortices_are_verified(void)
{
    test_world made = cloud_world(150, 4);
    tp_budget budget = {.units = 20000};
    tp_block_fault fault;
    tp_world *copy = NULL;
    CHECK(tp_frame(made.world, &budget, NULL) == TP_MORE);
    void *block = test_guarded_make(made.bytes);
    memcpy(block, made.world, made.bytes);
    CHECK_EQ(tp_world_verify(block, made.bytes, &fault, &copy), TP_OK);
    test_world_frames(copy, 3);
    test_world_frames(made.world, 3);
    CHECK_EQ(tp_world_hash(copy), tp_world_hash(made.world));
    tpi_front_kept(copy, 1)[7] = NAN;
    CHECK_EQ(tp_world_verify(block, made.bytes, &fault, &copy), TP_ERROR_BLOCK);
    test_guarded_free(block, made.bytes);
    test_world_free(&made);
}

static void caches_of_vortices_rewind_to_equal_bits(void)
{
    test_world made = cloud_world(150, 6);
    tp_source source = tp_world_source(made.world);
    CHECK_EQ(source.schema.stream_count, 6);
    CHECK(strcmp(source.schema.streams[5].name, "strength") == 0);
    tp_cache_def def = tp_cache_default(&source);
    size_t bytes = 0;
    tp_cache *cache = NULL;
    CHECK_EQ(tp_cache_memory(&def, &bytes), TP_OK);
    void *block = test_guarded_make(bytes);
    CHECK_EQ(tp_cache_create(&def, block, bytes, &cache), TP_OK);
    uint64_t middle = 0;
    for (uint32_t frame = 0; frame < 10; frame++) {
        if (frame == 3) middle = tp_world_hash(made.world);
        CHECK_EQ(tp_cache_record(cache, &source, NULL), TP_OK);
        test_world_frames(made.world, 1);
    }
    uint64_t hash = tp_world_hash(made.world);
    CHECK_EQ(tp_cache_rewind(cache, &source, 3, false, NULL), TP_OK);
    CHECK_EQ(tp_world_hash(made.world), middle);
    test_world_frames(made.world, 7);
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_guarded_free(block, bytes);
    test_world_free(&made);
}

/* ---- deaths and births, wind ---- */

static void a_sink_takes_vortons_with_their_strengths(void)
{
    tp_world_def def = definition(40, 0.1f);
    test_world made = test_world_make(&def);
    add_ring(made.world, 32, 1, 0);
    tp_sink_def sink = tp_sink_default();
    tp_sink handle;
    sink.shape = TP_SINK_BOX;
    sink.center = (tp_vector){1, 0, 0};
    sink.half = (tp_vector){0.5f, 2, 1};
    CHECK_EQ(tp_sink_add(made.world, &sink, &handle), TP_OK);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    CHECK(view.count > 5 && view.count < 28);
    for (uint32_t i = 0; i < view.count; i++) { /* tangents still */
        double along = (double)view.x[i] * (double)view.strength_x[i] +
                       (double)view.y[i] * (double)view.strength_y[i];
        CHECK_NEAR(along, 0, 1e-3);
        CHECK(hypot((double)view.strength_x[i], (double)view.strength_y[i]) > 0.15);
    }
    test_world_free(&made);
}

static void wind_moves_vortices_along(void)
{
    tp_world_def def = definition(2, 0.1f);
    test_world made = test_world_make(&def);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_field handle;
    wind.vector = (tp_vector){3, 0, -1};
    CHECK_EQ(tp_field_add(made.world, &wind, &handle), TP_OK);
    test_world_gravity(made.world, 9.81f);
    add(made.world, &(vorton){{0, 0, 0}, {0, 1, 0}});
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    CHECK_NEAR(view.x[0], 3, 1e-4);
    CHECK_NEAR(view.y[0], 0, 1e-6);
    CHECK_NEAR(view.vz[0], -1, 1e-6);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(steps_are_those_of_the_sums_in_double_precision),
    TEST_CASE(rings_have_the_speed_of_their_discrete_sum),
    TEST_CASE(two_vortons_turn_about_each_other),
    TEST_CASE(coaxial_rings_leapfrog),
    TEST_CASE(the_sum_of_strengths_and_the_impulse_stay),
    TEST_CASE(stretching_conserves_the_sum_of_strengths),
    TEST_CASE(the_growth_of_strengths_is_limited_and_counted),
    TEST_CASE(vortons_at_one_point_do_no_harm),
    TEST_CASE(wrong_strengths_and_definitions_are_refused),
    TEST_CASE(the_block_is_below_its_bound),
    TEST_CASE(vortices_have_equal_bits_in_slices_and_lanes),
    TEST_CASE(a_step_goes_on_at_another_width),
    TEST_CASE(a_slice_of_vortices_stays_within_its_units),
    TEST_CASE(snapshots_of_vortices_are_verified),
    TEST_CASE(caches_of_vortices_rewind_to_equal_bits),
    TEST_CASE(a_sink_takes_vortons_with_their_strengths),
    TEST_CASE(wind_moves_vortices_along),
};
TEST_SUITE(vortex, cases);
