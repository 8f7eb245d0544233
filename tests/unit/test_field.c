/* SPDX-License-Identifier: MIT
   tests/unit/test_field.c - fields at single positions: values, limits, masks, hostile definitions.
   reads   runtime/solve/field.c      writes  nothing
   memory  small worlds               cost    below a second
   after   the formulas evaluated in double */
#include "test.h"
#include "world_help.h"
#include "solve/solve.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static test_world world_of(uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = 16;
    def.fields_max = 24;
    def.species_count = 2;
    def.species[1].mass = 4.0f;
    return test_world_make(&def);
}

static tp_field add(const test_world *made, const tp_field_def *def)
{
    tp_field field = {0};
    const char *text = tp_field_check(made->world, def);
    if (text) test_note("%s", text);
    CHECK(tp_field_add(made->world, def, &field) == TP_OK);
    return field;
}

static double speed_at(const test_world *made, double r)
{
    tp_vector u = tpi_field_medium(made->world, (tp_vector){(float)r, 0, 0}, 0);
    CHECK_NEAR(u.x, 0, 1e-6 * (fabs((double)u.y) + 1e-3));
    return (double)u.y;
}

static void a_lamb_oseen_vortex_turns_as_the_formula_says_from_the_core_outwards(void)
{
    test_world made = world_of(2);
    tp_field_def def = tp_field_default(TP_FIELD_VORTEX);
    def.strength = 3.0f;
    def.core = 0.25f;
    add(&made, &def);
    for (double r = 1e-9; r < 1e4; r *= 1.37) {
        double x = r * r / 0.0625, turn = -expm1(-x); /* 1 - exp(-x) without cancellation */
        double expected = 3.0 / (2.0 * pi * r) * turn;
        test_note("r = %g", r);
        CHECK_NEAR(speed_at(&made, r), expected, 2e-6 * expected);
    }
    CHECK_NEAR(speed_at(&made, 0.0), 0.0, 0.0);
    test_world_free(&made);
}

static void a_rankine_vortex_turns_solid_inside_and_free_outside(void)
{
    test_world made = world_of(3);
    tp_field_def def = tp_field_default(TP_FIELD_VORTEX);
    def.strength = 2.0f;
    def.core = 0.5f;
    def.is_rankine = true;
    def.axial = 0.75f;
    add(&made, &def);
    CHECK_NEAR(speed_at(&made, 0.1), 2.0 * 0.1 / (2.0 * pi * 0.25), 1e-6);
    CHECK_NEAR(speed_at(&made, 0.5), 2.0 / (2.0 * pi * 0.5), 1e-6);
    CHECK_NEAR(speed_at(&made, 4.0), 2.0 / (2.0 * pi * 4.0), 1e-6);
    CHECK_NEAR(tpi_field_medium(made.world, (tp_vector){1, 1, 9}, 0).z, 0.75, 1e-6);
    test_world_free(&made);
}

static void inflow_is_constant_outside_the_core_and_finite_on_the_axis(void)
{
    test_world made = world_of(3);
    tp_field_def def = tp_field_default(TP_FIELD_VORTEX);
    def.vector = (tp_vector){0, 1, 0};
    def.center = (tp_vector){1, 2, 3};
    def.inflow = 1.5f;
    def.core = 0.1f;
    add(&made, &def);
    CHECK_NEAR(tpi_field_medium(made.world, (tp_vector){3, 7, 3}, 0).x, -1.5, 1e-6);
    CHECK_NEAR(tpi_field_medium(made.world, (tp_vector){1, 0, 2.8f}, 0).z, 1.5, 1e-6);
    tp_vector on_axis = tpi_field_medium(made.world, (tp_vector){1, 5, 3}, 0);
    CHECK(on_axis.x == 0.0f && on_axis.y == 0.0f && on_axis.z == 0.0f);
    test_world_free(&made);
}

static void wind_noise_has_no_divergence_and_the_stated_speed(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        enum { COUNT = 20000 };
        test_world made = world_of(dimensions);
        tp_field_def def = tp_field_default(TP_FIELD_WIND);
        def.vector = (tp_vector){0, 0, 0};
        def.strength = 2.0f;
        def.core = 0.5f;
        add(&made, &def);
        uint32_t state = 3;
        double square = 0.0, worst = 0.0, mean = 0.0;
        const float h = 1.0f / 256.0f;
        for (uint32_t n = 0; n < COUNT; n++) {
            tp_vector x = {200.0f * test_random(&state) - 100.0f,
                           200.0f * test_random(&state) - 100.0f,
                           dimensions == 3 ? 200.0f * test_random(&state) - 100.0f : 0.0f};
            tp_vector u = tpi_field_medium(made.world, x, 0);
            square += (double)tpi_dot(u, u);
            mean += (double)u.x;
            if (dimensions == 2) CHECK(u.z == 0.0f);
            double divergence = 0.0;
            for (uint32_t axis = 0; axis < dimensions; axis++) {
                tp_vector step = {axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0};
                tp_vector high = tpi_field_medium(made.world, tpi_add(x, step), 0);
                tp_vector low = tpi_field_medium(made.world, tpi_sub(x, step), 0);
                const float ends[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
                divergence += (double)(ends[axis] / (2.0f * h));
            }
            worst = fmax(worst, fabs(divergence));
        }
        test_note("%u dimensions, divergence %g, speed %g", dimensions, worst,
                  sqrt(square / COUNT));
        /* slopes are up to 30; second differences with a step of 1/128 core have this error */
        CHECK(worst < 0.06);
        CHECK_NEAR(sqrt(square / COUNT), 2.0, 0.04);
        CHECK_NEAR(mean / COUNT, 0.0, 0.05);
        test_world_free(&made);
    }
}

static void wind_noise_is_a_function_of_seed_and_place_and_does_not_repeat(void)
{
    tp_world_def settings = tp_world_default(2);
    tp_field_def def = tp_field_default(TP_FIELD_WIND);
    def.strength = 1.0f;
    test_world a = test_world_make(&settings), b = test_world_make(&settings);
    settings.seed = 2;
    test_world c = test_world_make(&settings);
    add(&a, &def);
    add(&b, &def);
    add(&c, &def);
    uint32_t same = 0, repeats = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        tp_vector x = {(float)n + 0.25f, 0.5f, 0}, far = {(float)n + 65536.25f, 0.5f, 0};
        tp_vector u = tpi_field_medium(a.world, x, 0), v = tpi_field_medium(b.world, x, 0);
        CHECK(u.x == v.x && u.y == v.y);
        same += u.x == tpi_field_medium(c.world, x, 0).x;
        repeats += u.x == tpi_field_medium(a.world, far, 0).x;
    }
    CHECK(same < 3 && repeats < 3);
    test_world_free(&a);
    test_world_free(&b);
    test_world_free(&c);
}

static void fields_are_finite_at_places_that_are_not(void)
{
    test_world made = world_of(3);
    for (uint32_t kind = 0; kind <= TP_FIELD_ATTRACTOR; kind++) {
        tp_field_def def = tp_field_default((tp_field_kind)kind);
        def.strength = 1.0f;
        if (kind == TP_FIELD_ATTRACTOR) def.core = 0.0f;
        add(&made, &def);
    }
    const float values[] = {0.0f, 1e-30f, -1e9f, 3e38f, INFINITY, -INFINITY, NAN};
    tpi_field_plan plan = tpi_field_prepare(made.world);
    for (uint32_t n = 0; n < 343;
         n++) { /* sanitizers check these calls; for an invalid position the result may be NaN */
        tp_vector x = {values[n % 7], values[n / 7 % 7], values[n / 49]};
        tpi_field_sums sums = tpi_field_sums_of(made.world, &plan, 0, TPI_NO_SLOT);
        tp_vector v = tpi_field_kick(made.world, &plan, &sums, x, x, 0, 0.01f);
        bool is_place = tpi_abs(x.x) <= 1e9f && tpi_abs(x.y) <= 1e9f && tpi_abs(x.z) <= 1e9f;
        if (is_place) CHECK(tpi_is_finite_vector(v));
    }
    test_world_free(&made);
}

static void an_attractor_pulls_as_the_formula_says(void)
{
    test_world made = world_of(3);
    tp_field_def def = tp_field_default(TP_FIELD_ATTRACTOR);
    def.center = (tp_vector){1, 1, 1};
    def.strength = 5.0f;
    def.core = 0.3f;
    add(&made, &def);
    tpi_field_plan plan = tpi_field_prepare(made.world);
    tpi_field_sums sums = tpi_field_sums_of(made.world, &plan, 0, TPI_NO_SLOT);
    tp_vector a = tpi_field_acceleration(made.world, &plan, &sums, (tp_vector){3, 1, 1}, 0);
    CHECK_NEAR(a.x, -5.0 * 2.0 / pow(4.09, 1.5), 1e-6);
    CHECK(a.y == 0.0f && a.z == 0.0f);
    a = tpi_field_acceleration(made.world, &plan, &sums, def.center, 0);
    CHECK(a.x == 0.0f);
    test_world_free(&made);
}

/* s' = -(b/m) s - (k/m) s^2, solved by 4th-order Runge-Kutta in double. */
static double drag_reference(double s, double b, double k, double seconds)
{
    const int steps = 20000;
    double h = seconds / steps;
    for (int n = 0; n < steps; n++) {
        double a = -b * s - k * s * s, s2 = s + 0.5 * h * a, a2 = -b * s2 - k * s2 * s2;
        double s3 = s + 0.5 * h * a2, a3 = -b * s3 - k * s3 * s3, s4 = s + h * a3,
               a4 = -b * s4 - k * s4 * s4;
        s += h / 6.0 * (a + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return s;
}

static void drag_is_exact_for_any_step_linear_quadratic_or_both(void)
{
    static const struct {
        float linear, quadratic, speed, seconds;
        uint32_t species;
    } rows[] = {{0.5f, 0, 3, 1, 0},
                {0, 0.1f, 30, 1, 0},
                {0.5f, 0.1f, 30, 1, 0},
                {2, 3, 10, 0.01f, 1},
                {40, 1, 10, 0.5f, 1}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        test_world made = world_of(3);
        tp_field_def drag = tp_field_default(TP_FIELD_DRAG), wind = tp_field_default(TP_FIELD_WIND);
        drag.linear = rows[r].linear;
        drag.quadratic = rows[r].quadratic;
        wind.vector = (tp_vector){1, 2, 3};
        add(&made, &drag);
        add(&made, &wind);
        tpi_field_plan plan = tpi_field_prepare(made.world);
        double mass = rows[r].species ? 4.0 : 1.0;
        double expected = drag_reference(rows[r].speed, (double)drag.linear / mass,
                                         (double)drag.quadratic / mass, rows[r].seconds);
        tpi_field_sums sums = tpi_field_sums_of(made.world, &plan, rows[r].species, TPI_NO_SLOT);
        tp_vector v =
            tpi_field_drag(made.world, &plan, &sums, (tp_vector){0, 0, 0},
                           (tp_vector){1 + rows[r].speed, 2, 3}, rows[r].species, rows[r].seconds);
        CHECK_NEAR(v.x - 1.0f, expected, 2e-6 * (double)rows[r].speed);
        CHECK_NEAR(v.y, 2, 1e-6);
        test_world_free(&made);
    }
}

static void species_masks_choose_and_gravity_adds_up(void)
{
    test_world made = world_of(2);
    tp_field_def down = tp_field_default(TP_FIELD_GRAVITY), side = down;
    side.vector = (tp_vector){3, 0, 7}; /* 7 is ignored in 2D */
    side.species_mask = 2;
    add(&made, &down);
    tp_field second = add(&made, &side);
    tpi_field_plan plan = tpi_field_prepare(made.world);
    CHECK_NEAR(tpi_length(plan.gravity[0]), 9.81, 1e-6);
    CHECK_NEAR(tpi_length(plan.gravity[1]), sqrt(9.81 * 9.81 + 9.0), 1e-5);
    CHECK_NEAR(made.world->constants.gravity_length, 12.81, 1e-5);
    side.vector.x = 1.0f;
    CHECK(tp_field_set(made.world, second, &side) == TP_OK);
    CHECK_NEAR(made.world->constants.gravity_length, 10.81, 1e-5);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    /* another kind of field */
    CHECK(tp_field_set(made.world, second, &drag) == TP_ERROR_DEFINITION);
    CHECK(tp_field_remove(made.world, second) == TP_OK);
    CHECK_NEAR(made.world->constants.gravity_length, 9.81, 1e-5);
    CHECK_EQ(tpi_field_prepare(made.world).units, 1);
    test_world_free(&made);
}

static void each_wrong_field_is_named(void)
{
    test_world made = world_of(3);
    static const struct {
        tp_field_kind kind;
        size_t offset;
        const char *name;
    } rows[] = {{TP_FIELD_GRAVITY, offsetof(tp_field_def, vector), "vector"},
                {TP_FIELD_DRAG, offsetof(tp_field_def, linear), "linear"},
                {TP_FIELD_DRAG, offsetof(tp_field_def, quadratic), "quadratic"},
                {TP_FIELD_DRAG, offsetof(tp_field_def, vector), "vector"},
                {TP_FIELD_DRAG, offsetof(tp_field_def, center), "center"},
                {TP_FIELD_WIND, offsetof(tp_field_def, vector), "vector"},
                {TP_FIELD_WIND, offsetof(tp_field_def, strength), "core"},
                {TP_FIELD_VORTEX, offsetof(tp_field_def, vector), "vector"},
                {TP_FIELD_VORTEX, offsetof(tp_field_def, center), "center"},
                {TP_FIELD_VORTEX, offsetof(tp_field_def, core), "core"},
                {TP_FIELD_VORTEX, offsetof(tp_field_def, axial), "axial"},
                {TP_FIELD_VORTEX, offsetof(tp_field_def, inflow), "inflow"},
                {TP_FIELD_ATTRACTOR, offsetof(tp_field_def, core), "core"},
                {TP_FIELD_ATTRACTOR, offsetof(tp_field_def, center), "center"},
                {TP_FIELD_ATTRACTOR, offsetof(tp_field_def, strength), "strength"}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        tp_field_def def = tp_field_default(rows[r].kind);
        const float bad = NAN;
        tp_field field;
        CHECK(tp_field_check(made.world, &def) == NULL);
        if (rows[r].kind == TP_FIELD_WIND) def.core = 0.0f;
        memcpy((char *)&def + rows[r].offset, &bad, sizeof bad);
        const char *text = tp_field_check(made.world, &def);
        test_note("row %u: %s", r, text ? text : "(nothing)");
        CHECK(text && strncmp(text, rows[r].name, strlen(rows[r].name)) == 0);
        CHECK(tp_field_add(made.world, &def, &field) == TP_ERROR_DEFINITION);
    }
    tp_field_def def = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    def.vector = (tp_vector){1, 1, 0}; /* a box without depth */
    CHECK(strncmp(tp_field_check(made.world, &def), "vector", 6) == 0);
    def.vector.z = 1;
    CHECK(tp_field_check(made.world, &def) == NULL);
    def.over_age = (tp_curve){2, {0, 1}, {1, 0}};
    CHECK(strncmp(tp_field_check(made.world, &def), "over_age", 8) == 0);
    def.stamp++;
    CHECK(tp_field_add(made.world, &def, &field) == TP_ERROR_STAMP);
    CHECK(tp_field_add(made.world, NULL, &field) == TP_ERROR_NULL);
    CHECK(tp_field_check(NULL, &def) && tp_field_check(made.world, NULL));
    test_world_free(&made);
}

static void any_bytes_give_a_text_or_a_field_that_works(void)
{
    test_world made = world_of(3);
    uint32_t state = 99, added = 0;
    for (uint32_t n = 0; n < 20000; n++) {
        tp_field_def def = tp_field_default((tp_field_kind)(n % 5u));
        test_scramble(&def, sizeof def, sizeof def, &state, 1u + n % 7u);
        tp_field field;
        if (tp_field_add(made.world, &def, &field) != TP_OK) continue;
        CHECK(tp_field_check(made.world, &def) == NULL);
        tpi_field_plan plan = tpi_field_prepare(made.world);
        tpi_field_sums sums = tpi_field_sums_of(made.world, &plan, 1, TPI_NO_SLOT);
        tp_vector v = tpi_field_kick(made.world, &plan, &sums, (tp_vector){1, 2, 3},
                                     (tp_vector){4, 5, 6}, 1, 0.01f);
        test_note("case %u", n);
        CHECK(tpi_is_finite_vector(v));
        added++;
        CHECK(tp_field_remove(made.world, field) == TP_OK);
    }
    CHECK(added > 1000);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_lamb_oseen_vortex_turns_as_the_formula_says_from_the_core_outwards),
    TEST_CASE(a_rankine_vortex_turns_solid_inside_and_free_outside),
    TEST_CASE(inflow_is_constant_outside_the_core_and_finite_on_the_axis),
    TEST_CASE(wind_noise_has_no_divergence_and_the_stated_speed),
    TEST_CASE(wind_noise_is_a_function_of_seed_and_place_and_does_not_repeat),
    TEST_CASE(fields_are_finite_at_places_that_are_not),
    TEST_CASE(an_attractor_pulls_as_the_formula_says),
    TEST_CASE(drag_is_exact_for_any_step_linear_quadratic_or_both),
    TEST_CASE(species_masks_choose_and_gravity_adds_up),
    TEST_CASE(each_wrong_field_is_named),
    TEST_CASE(any_bytes_give_a_text_or_a_field_that_works),
};
TEST_SUITE(field, cases);
