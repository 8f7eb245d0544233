/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_fire.c - heat and fire of smoke: exact sums, burning against an oracle,
           cooling, diffusion, lift by temperature, equal bits.
   reads   runtime/solve/vortex/fire.c      writes  nothing
   memory  blocks of worlds                 cost    a second
   after   the laws in double precision: burnt = min(fuel, air, k dt), heat = flame times burnt;
           heat that spreads has a variance that grows by 2 D t along each axis */
#include "vortex_worlds.h"
#include "cache_help.h"
#include <math.h>
#include <string.h>

#define RANGE 1000.0f

static tp_world_def definition(uint32_t particles)
{
    tp_world_def def = vortex_def(3, particles);
    def.vortex.vortons_max = 200;
    vortex_grid(&def, 17, 4);
    def.heat.range = RANGE;
    def.species_count = 2;
    def.vortex.fuel_species = 2;
    def.vortex.ignition = 300;
    def.vortex.burning = 2;
    def.vortex.flame = 600;
    return def;
}

static void add(tp_world *world, tp_vector x, uint32_t species, float temperature)
{
    uint32_t index = tp_world_view(world).count;
    CHECK_EQ(tp_particle_add(world, x, (tp_vector){0, 0, 0}, species, NULL), TP_OK);
    CHECK_EQ(tp_particle_heat(world, index, temperature), TP_OK);
}

/* Units of heat: a power of two, at least 2^-23 of the range. */
static double unit(void) { return ldexp(1, (int)ceil(log2((double)RANGE))) / 8388608.0; }

/* All heat in units: that of temperatures, and what the fuel still holds. */
static int64_t heat_of(const tp_world *world, double *fuel)
{
    tp_view view = tp_world_view(world);
    const int64_t flame = (int64_t)floor((double)world->def.vortex.flame / unit() + 0.5);
    int64_t sum = 0;
    *fuel = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double units = (double)view.temperature[i] / unit();
        CHECK(units == floor(units));
        sum += (int64_t)units + (flame * (int64_t)((double)view.fuel[i] * 65536.0) >> 16);
        *fuel += (double)view.fuel[i];
    }
    return sum;
}

/* Vortons that stir, and fuel of which a part is hot. */
static test_world fire_world(void)
{
    tp_world_def def = definition(300);
    def.vortex.lift = (tp_vector){0, 0.02f, 0};
    def.vortex.lift_species = 3;
    def.vortex.air = 3;
    def.heat.diffusivity = 0.05f;
    test_world made = test_world_make(&def);
    uint32_t state = 5;
    for (uint32_t i = 0; i < 300; i++) {
        tp_vector x = test_random_position(&state, 1.2f);
        float hot = test_uniform(&state, -400, 900), a = test_uniform(&state, -0.3f, 0.3f);
        add(made.world, x, i % 2u, hot);
        if (i % 2u == 0)
            CHECK_EQ(tp_particle_strength(made.world, i, (tp_vector){a, -a, 0.1f}), TP_OK);
    }
    return made;
}

static void heat_and_fuel_are_conserved_to_the_unit(void)
{
    test_world made = fire_world();
    double before = 0, fuel = 0, moved = 0;
    const int64_t sum = heat_of(made.world, &before);
    for (uint32_t frame = 0; frame < 40; frame++) {
        test_world_frames(made.world, 1);
        CHECK_EQ(heat_of(made.world, &fuel), sum);
    }
    for (uint32_t i = 0; i < 300; i++) moved += fabs((double)tp_world_view(made.world).vx[i]);
    test_note("fuel %g of %g, moved %g", fuel, before, moved);
    CHECK(fuel < 0.8 * before && fuel > 0.1 * before && moved > 1);
    CHECK_EQ(tp_world_view(made.world).count, 300);
    test_world_free(&made);
}

/* Particles at rest in cells of their own: nothing mixes. */
static void fuel_burns_as_the_law_says(void)
{
    tp_world_def def = definition(3);
    test_world made = test_world_make(&def);
    add(made.world, (tp_vector){-1, 0, 0}, 1, 400);
    add(made.world, (tp_vector){0, 0, 0}, 1, 299);
    add(made.world, (tp_vector){1, 0, 0}, 0, 400);
    for (uint32_t frame = 1; frame <= 60; frame++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        double burnt = fmin(1, 2.0 * frame / 60.0);
        CHECK_NEAR((double)view.fuel[0], 1 - burnt, 60.0 / 65536);
        CHECK_NEAR((double)view.temperature[0], 400 + 600 * burnt, 600 * 61.0 / 65536);
        CHECK(view.fuel[1] == 1 && view.temperature[1] < 299.1f);
        CHECK(view.fuel[2] == 0 && fabsf(view.temperature[2] - 400) < 0.01f);
    }
    CHECK(tp_world_view(made.world).fuel[0] == 0);
    test_world_free(&made);
}

/* Twenty in one cell burn together what the air of a cell allows. */
static void air_limits_what_a_cell_burns(void)
{
    tp_world_def def = definition(20);
    def.vortex.air = 3;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 20; i++)
        add(made.world, (tp_vector){0.1f + 1e-5f * (float)i, 0.1f, 0.1f}, 1, 310);
    double fuel = 20, now = 0;
    for (uint32_t frame = 0; frame < 30; frame++) {
        test_world_frames(made.world, 1);
        (void)heat_of(made.world, &now);
        CHECK(fuel - now <= 3.0 / 60 + 1e-4 && fuel - now >= 3.0 / 60 - 20.0 / 65536);
        fuel = now;
    }
    test_world_free(&made);
}

/* A line of cold fuel with a hot end, or without one. */
static double line_burns(float hot)
{
    tp_world_def def = definition(40);
    def.heat.diffusivity = 0.2f;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 40; i++)
        add(made.world, (tp_vector){-1 + 0.05f * (float)i, 0.1f, 0.1f}, 1, i < 4 ? hot : 0);
    test_world_frames(made.world, 30);
    float begun = tp_world_view(made.world).fuel[39];
    test_world_frames(made.world, 150);
    tp_view view = tp_world_view(made.world);
    double fuel = 0;
    for (uint32_t i = 0; i < 40; i++) fuel += (double)view.fuel[i];
    CHECK(begun == 1); /* far from the end it takes time */
    test_world_free(&made);
    return fuel;
}

static void fire_spreads_from_where_it_is_lit(void)
{
    CHECK(line_burns(900) < 1);
    CHECK_EQ(line_burns(290), 40);
}

/* A field that heats is a match. */
static void a_heat_field_lights_fuel(void)
{
    tp_world_def def = definition(2);
    test_world made = test_world_make(&def);
    tp_field_def match = tp_field_default(TP_FIELD_HEAT);
    match.strength = 900;
    match.core = 0.2f;
    match.center = (tp_vector){1, 0, 0};
    tp_field field = {0};
    CHECK_EQ(tp_field_add(made.world, &match, &field), TP_OK);
    add(made.world, (tp_vector){1, 0.1f, 0}, 1, 0);
    add(made.world, (tp_vector){0, 0, 0}, 1, 0);
    test_world_frames(made.world, 19);
    CHECK(tp_world_view(made.world).fuel[0] == 1);
    test_world_frames(made.world, 20);
    CHECK(tp_world_view(made.world).fuel[0] < 0.7f);
    CHECK(tp_world_view(made.world).fuel[1] == 1 && tp_world_view(made.world).temperature[1] == 0);
    test_world_free(&made);
}

/* dT/dt = -c T - r T (T / range)^3, by Runge and Kutta's method. */
static double cooled(double temperature, double cooling, double radiation, double seconds)
{
    const double dt = 1e-4;
    double t = temperature;
    for (uint32_t k = 0; k < (uint32_t)(seconds / dt + 0.5); k++) {
        double half = t - 0.5 * dt * (cooling * t + radiation * t * pow(t / (double)RANGE, 3));
        t -= dt * (cooling * half + radiation * half * pow(half / (double)RANGE, 3));
    }
    return t;
}

static void heat_is_lost_by_cooling_and_radiation(void)
{
    tp_world_def def = definition(3);
    def.vortex.cooling = 0.5f;
    def.vortex.radiation = 4;
    test_world made = test_world_make(&def);
    static const float start[3] = {1000, 400, 50};
    for (uint32_t i = 0; i < 3; i++) add(made.world, (tp_vector){(float)i - 1, 0, 0}, 0, start[i]);
    test_world_frames(made.world, 60);
    for (uint32_t i = 0; i < 3; i++) {
        double now = (double)tp_world_view(made.world).temperature[i],
               exact = cooled((double)start[i], 0.5, 4, 1);
        test_note("%g, exact %g", now, exact);
        CHECK_NEAR(now, exact, 0.02 * exact);
    }
    test_world_free(&made);
}

/* Heat in the middle of particles at rest: the variance along x grows by 2 D t, but for the part
   that a particle gives to itself: 1 / n of n in its cell. */
static void heat_spreads_by_its_diffusivity(void)
{
    tp_world_def def = definition(20000);
    def.heat.diffusivity = 0.1f;
    test_world made = test_world_make(&def);
    uint32_t state = 9;
    double before = 0, after = 0, sum = 0, end = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        tp_vector x = test_random_position(&state, 1.9f);
        float r2 = x.x * x.x + x.y * x.y + x.z * x.z;
        add(made.world, x, 0, 1000 * expf(-r2 / 0.18f));
    }
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 20000; i++) {
        sum += (double)view.temperature[i];
        before += (double)view.temperature[i] * (double)view.x[i] * (double)view.x[i];
    }
    test_world_frames(made.world, 60);
    view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 20000; i++) {
        end += (double)view.temperature[i];
        after += (double)view.temperature[i] * (double)view.x[i] * (double)view.x[i];
    }
    test_note("grown by %g", (after - before) / sum);
    CHECK_NEAR(end, sum, 1e-9 * sum);
    double members = 20000 * pow(0.25 / 3.8, 3), part = 1 - (1 - exp(-members)) / members;
    CHECK_NEAR((after - before) / sum, 2 * 0.1 * part, 0.1 * 0.2);
    test_world_free(&made);
}

/* The same smoke, with lift by age, and by the largest temperature. */
static uint64_t lifted(bool is_hot)
{
    tp_world_def def = definition(200);
    def.vortex.lift = (tp_vector){0, 0.02f, 0};
    def.vortex.lift_species = 3;
    def.vortex.vorton_species = 1;
    def.vortex.fuel_species = 0;
    if (!is_hot) def.heat.range = 0;
    test_world made = test_world_make(&def);
    uint32_t state = 3;
    for (uint32_t i = 0; i < 200; i++) {
        tp_vector x = test_random_position(&state, 0.5f);
        CHECK_EQ(tp_particle_add(made.world, x, (tp_vector){0, 0, 0}, 0, NULL), TP_OK);
        if (is_hot) CHECK_EQ(tp_particle_heat(made.world, i, RANGE), TP_OK);
    }
    test_world_frames(made.world, 20);
    tp_view view = tp_world_view(made.world);
    uint64_t hash = 1;
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t bits[2];
        memcpy(&bits[0], &view.y[i], 4);
        memcpy(&bits[1], &view.strength_x[i], 4);
        hash = (hash ^ bits[0]) * 0x100000001b3u + bits[1];
    }
    CHECK(view.vy[0] > 0.01f);
    test_world_free(&made);
    return hash;
}

static void lift_is_that_of_the_temperature(void) { CHECK_EQ(lifted(true), lifted(false)); }

static void fires_have_equal_bits(void)
{
    static const uint32_t units[4] = {0, 70, 2049, 100000}, lanes[3] = {4, 8, 16};
    uint64_t hash = vortex_hash(fire_world(), 3, 0, 0);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t n = 0; n < 3; n++)
            CHECK_EQ(vortex_hash(fire_world(), 3, units[k], lanes[n]), hash);
}

static void a_slice_of_a_fire_stays_within_its_units(void)
{
    uint32_t all = vortex_units(fire_world(), 100000000u, 160);
    CHECK_EQ(vortex_units(fire_world(), 64, 160), all);
}

static void caches_of_fires_rewind_to_equal_bits(void)
{
    test_world made = fire_world();
    tp_source source = tp_world_source(made.world);
    tp_cache_def def = tp_cache_default(&source);
    size_t bytes = 0;
    tp_cache *cache = NULL;
    uint64_t hash = 0;
    CHECK_EQ(tp_cache_memory(&def, &bytes), TP_OK);
    void *block = test_guarded_make(bytes);
    CHECK_EQ(tp_cache_create(&def, block, bytes, &cache), TP_OK);
    for (uint32_t frame = 1; frame <= 6; frame++) {
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_cache_record(cache, &source, NULL), TP_OK);
        if (frame == 5) hash = tp_world_hash(made.world);
    }
    CHECK_EQ(tp_cache_rewind(cache, &source, 3, false, NULL), TP_OK);
    test_world_frames(made.world, 2);
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_guarded_free(block, bytes);
    test_world_free(&made);
}

/* A forged cache may hold any numbers: they become 0, and nothing else changes. */
static void forged_heat_and_fuel_are_nothing(void)
{
    test_world made = fire_world();
    static const float wrong[4] = {NAN, INFINITY, -1e30f, 1e30f};
    for (uint32_t i = 0; i < 4; i++) {
        tpi_front_kept(made.world, TPI_KEPT_WARMTH)[i] = wrong[i];
        tpi_front_kept(made.world, TPI_KEPT_FUEL)[i + 4u] = wrong[i];
    }
    test_world_frames(made.world, 2);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK(fabsf(view.temperature[i]) <= RANGE && view.fuel[i] >= 0 && view.fuel[i] <= 1);
        CHECK(isfinite(view.x[i]) && isfinite(view.strength_x[i]));
    }
    test_world_free(&made);
}

static void births_bring_fuel_and_heat(void)
{
    tp_world_def def = definition(100);
    test_world made = test_world_make(&def);
    tp_emitter_def burner = tp_emitter_default();
    burner.burst_count = 50;
    burner.species = 1;
    burner.temperature = 250;
    tp_emitter emitter = {0};
    CHECK_EQ(tp_emitter_add(made.world, &burner, &emitter), TP_OK);
    test_world_frames(made.world, 2);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 50);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(view.fuel[i] == 1 && fabsf(view.temperature[i] - 250) < 0.01f);
    test_world_free(&made);
}

static void blocks_of_fires_are_below_their_bound(void)
{
    for (uint32_t particles = 1; particles < 5000; particles = particles * 3u) {
        tp_world_def def = definition(particles), cold = def;
        size_t with = 0, without = 0;
        cold.heat.range = 0;
        cold.vortex.fuel_species = 0;
        CHECK_EQ(tp_world_memory(&def, &with), TP_OK);
        CHECK_EQ(tp_world_memory(&cold, &without), TP_OK);
        CHECK(with - without <= TP_VORTEX_HEAT_BYTES(particles));
    }
}

static void wrong_fires_are_refused(void)
{
    const tp_world_def good = definition(10);
    tp_world_def def = good;
    CHECK(tp_world_check(&good) == NULL);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 0;
    CHECK(strstr(tp_world_check(&def), "heat.range needs vortex.grid_nodes") != NULL);
    def = good;
    def.heat.range = 0;
    CHECK(strstr(tp_world_check(&def), "heat.range must be above 0") != NULL);
    def = good;
    def.vortex.flame = 1001;
    CHECK(strstr(tp_world_check(&def), "vortex.flame must be at most heat.range") != NULL);
    def = good;
    def.vortex.burning = -1;
    CHECK(strstr(tp_world_check(&def), "vortex.burning") != NULL);
    def = good;
    def.heat.diffusivity = NAN;
    CHECK(strstr(tp_world_check(&def), "heat.diffusivity") != NULL);
}

static const test_case cases[] = {
    TEST_CASE(heat_and_fuel_are_conserved_to_the_unit),
    TEST_CASE(fuel_burns_as_the_law_says),
    TEST_CASE(air_limits_what_a_cell_burns),
    TEST_CASE(fire_spreads_from_where_it_is_lit),
    TEST_CASE(a_heat_field_lights_fuel),
    TEST_CASE(heat_is_lost_by_cooling_and_radiation),
    TEST_CASE(heat_spreads_by_its_diffusivity),
    TEST_CASE(lift_is_that_of_the_temperature),
    TEST_CASE(fires_have_equal_bits),
    TEST_CASE(a_slice_of_a_fire_stays_within_its_units),
    TEST_CASE(caches_of_fires_rewind_to_equal_bits),
    TEST_CASE(forged_heat_and_fuel_are_nothing),
    TEST_CASE(births_bring_fuel_and_heat),
    TEST_CASE(blocks_of_fires_are_below_their_bound),
    TEST_CASE(wrong_fires_are_refused),
};
TEST_SUITE(vortex_fire, cases);
