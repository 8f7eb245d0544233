/* SPDX-License-Identifier: MIT
   tests/physics/test_particles.c - single particles against closed formulas: falls, springs, drag,
           orbits.
   reads   worlds through the public calls, parts of the integrators      writes  nothing
   memory  small worlds                                                  cost    about a second
   after   runtime/guide/physics.md, integration */
#include "test.h"
#include "world_help.h"
#include "move/integrate.h"
#include <math.h>

static test_world dust(tp_integrator integrator, uint32_t frames_per_second)
{
    tp_world_def def = tp_world_default(3);
    def.particles_max = 16;
    def.fields_max = 8;
    def.integrator = integrator;
    def.frames_per_second_numerator = frames_per_second;
    return test_world_make(&def);
}

static tp_vector x_of(const test_world *made)
{
    tp_view view = tp_world_view(made->world);
    return (tp_vector){view.x[0], view.y[0], view.z[0]};
}

static tp_vector v_of(const test_world *made)
{
    tp_view view = tp_world_view(made->world);
    return (tp_vector){view.vx[0], view.vy[0], view.vz[0]};
}

static void put(const test_world *made, tp_vector x, tp_vector v, uint32_t species)
{
    CHECK(tp_particle_add(made->world, x, v, species, NULL) == TP_OK);
}

static void add_field(const test_world *made, const tp_field_def *def)
{
    tp_field field;
    CHECK(tp_field_add(made->world, def, &field) == TP_OK);
}

/* ---- free fall ---- */

static void free_fall_of_a_second_matches_both_integrators(void)
{
    static const double expected[2] = {-4.98675, -4.905};
    for (uint32_t integrator = 0; integrator < 2; integrator++) {
        test_world made = dust((tp_integrator)integrator, 60);
        test_world_gravity(made.world, 9.81f);
        put(&made, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0);
        test_world_frames(made.world, 60);
        CHECK_NEAR(x_of(&made).y, expected[integrator], 1e-5);
        CHECK_NEAR(v_of(&made).y, -9.81, 1e-5);
        test_world_free(&made);
    }
}

/* A particle born at any time within a step falls like one born at its beginning: the parts of the
   step add up. */
static void births_inside_a_step_fall_on_the_same_parabola(void)
{
    tp_world_def def = tp_world_default(3);
    def.integrator = TP_INTEGRATOR_KDK;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    tp_emitter_def jet = tp_emitter_default();
    tp_emitter emitter;
    jet.rate_numerator = 97;
    jet.velocity = (tp_vector){1, 3, 0};
    CHECK(tp_emitter_add(made.world, &jet, &emitter) == TP_OK);
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 97);
    for (uint32_t i = 0; i < view.count; i++) {
        double t = 1.0 - (i + 1) / 97.0;
        CHECK_NEAR(view.x[i], t, 1e-5);
        CHECK_NEAR(view.y[i], 3 * t - 4.905 * t * t, 1e-5);
    }
    test_world_free(&made);
}

/* ---- the oscillator a = -w^2 x, with the parts of the integrators ---- */

static tp_vector spring(tp_vector x, float w) { return tpi_scale(x, -w * w); }

static void swing(tp_integrator integrator, tp_vector *x, tp_vector *v, float w, float dt)
{
    if (integrator == TP_INTEGRATOR_EULER) {
        tpi_euler_step(x, v, spring(*x, w), dt);
        return;
    }
    tpi_kdk_open(x, v, spring(*x, w), dt);
    tpi_kdk_close(v, spring(*x, w), dt);
}

static void symplectic_euler_keeps_its_modified_energy_for_ever(void)
{
    const float w = 3.0f, dt = 0.05f;
    tp_vector x = {1, 0, 0}, v = {0, 0, 0};
    double first = 9.0, worst = 0.0;
    for (uint32_t n = 0; n < 100000; n++) {
        swing(TP_INTEGRATOR_EULER, &x, &v, w, dt);
        double px = (double)x.x, pv = (double)v.x,
               energy = 9.0 * px * px + pv * pv - 9.0 * 0.05 * px * pv;
        worst = fmax(worst, fabs(energy / first - 1.0));
    }
    test_note("worst %g", worst);
    CHECK(worst < 1e-4);
}

static void leapfrog_keeps_its_modified_energy_and_frequency(void)
{
    const float w = 3.0f, dt = 0.05f;
    tp_vector x = {1, 0, 0}, v = {0, 0, 0};
    const double shrunk = 9.0 * (1.0 - 9.0 * 0.0025 / 4.0), first = 0.5 * shrunk;
    const double frequency = 2.0 / 0.05 * asin(3.0 * 0.05 / 2.0);
    double worst = 0.0, phase = 0.0;
    for (uint32_t n = 1; n <= 100000; n++) {
        swing(TP_INTEGRATOR_KDK, &x, &v, w, dt);
        double px = (double)x.x, pv = (double)v.x;
        worst = fmax(worst, fabs((0.5 * pv * pv + 0.5 * shrunk * px * px) / first - 1.0));
        if (n <= 2000) phase = fmax(phase, fabs(px - cos(frequency * 0.05 * n)));
    }
    test_note("energy %g, phase %g", worst, phase);
    CHECK(worst < 1e-4);
    CHECK(phase < 1e-4 * 2000 * 0.15); /* 1e-4 of the frequency */
    CHECK(phase < 3e-3);
}

static void oscillators_are_stable_below_w_dt_2_and_not_above(void)
{
    for (uint32_t integrator = 0; integrator < 2; integrator++) {
        for (uint32_t above = 0; above < 2; above++) {
            const float dt = above ? 2.01f : 1.99f;
            tp_vector x = {1, 0, 0}, v = {0, 0, 0};
            float largest = 0.0f;
            for (uint32_t n = 0; n < 1000 && largest < 1e6f; n++) {
                swing((tp_integrator)integrator, &x, &v, 1.0f, dt);
                largest = tpi_max(largest, tpi_abs(x.x));
            }
            test_note("integrator %u, w dt %g: %g", integrator, (double)dt, (double)largest);
            CHECK(above ? largest >= 1e6f : largest < 30.0f);
        }
    }
}

static void leapfrog_runs_backwards_to_its_start(void)
{
    test_world made = dust(TP_INTEGRATOR_KDK, 60);
    tp_field_def sun = tp_field_default(TP_FIELD_ATTRACTOR);
    sun.strength = 3.0f;
    sun.core = 0.2f;
    add_field(&made, &sun);
    tp_vector x = {1, 0.2f, -0.3f}, v = {0.1f, 1.2f, 0.4f};
    put(&made, x, v, 0);
    test_world_frames(made.world, 300);
    CHECK(tp_particle_set(made.world, 0, x_of(&made), tpi_scale(v_of(&made), -1.0f)) == TP_OK);
    test_world_frames(made.world, 300);
    CHECK_NEAR(tpi_length(tpi_sub(x_of(&made), x)), 0, 1e-4);
    CHECK_NEAR(tpi_length(tpi_add(v_of(&made), v)), 0, 1e-4);
    test_world_free(&made);
}

/* ---- drag ---- */

static test_world falling_with_drag(uint32_t frames_per_second, uint32_t substeps, float linear,
                                    float quadratic)
{
    tp_world_def def = tp_world_default(3);
    def.particles_max = 1;
    def.integrator = TP_INTEGRATOR_KDK;
    def.frames_per_second_numerator = frames_per_second;
    def.substeps.count = substeps;
    test_world made = test_world_make(&def);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    drag.linear = linear;
    drag.quadratic = quadratic;
    add_field(&made, &drag);
    test_world_gravity(made.world, 9.81f);
    put(&made, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0);
    return made;
}

typedef struct fall_row {
    uint32_t frame;
    double speed, fall;
} fall_row;

static void check_fall(float linear, float quadratic, const fall_row *rows, uint32_t count,
                       double tolerance)
{
    test_world made = falling_with_drag(60, 1, linear, quadratic);
    for (uint32_t r = 0, frame = 0; r < count; frame = rows[r++].frame) {
        test_world_frames(made.world, rows[r].frame - frame);
        test_note("row %u: v %.7f x %.7f", r, (double)v_of(&made).y, (double)x_of(&made).y);
        CHECK_NEAR(-v_of(&made).y, rows[r].speed, tolerance);
        CHECK_NEAR(-x_of(&made).y, rows[r].fall, 2e-3);
    }
    test_world_free(&made);
}

static void quadratic_drag_follows_the_hyperbolic_tangent(void)
{
    static const fall_row rows[4] = {{30, 4.539801, 1.179179},
                                     {60, 7.503247, 4.265302},
                                     {120, 9.534646, 13.066114},
                                     {300, 9.903555, 42.591750}};
    check_fall(0.0f, 0.1f, rows, 4, 2e-3);
}

/* Halving the step reduces the error to a quarter, within 20 %. */
static void quadratic_drag_is_of_second_order(void)
{
    double error[2];
    for (uint32_t half = 0; half < 2; half++) {
        test_world made = falling_with_drag(5, 1 + half, 0.0f, 0.1f);
        test_world_frames(made.world, 5);
        error[half] = fabs((double)v_of(&made).y + 7.503247);
        test_world_free(&made);
    }
    test_note("errors %g, %g", error[0], error[1]);
    CHECK_NEAR(error[0] / error[1], 4.0, 0.8);
}

static void linear_drag_follows_the_exponential(void)
{
    static const fall_row rows[3] = {
        {60, 7.719868, 4.180263}, {120, 12.402205, 14.435589}, {300, 18.009492, 62.081015}};
    check_fall(0.5f, 0.0f, rows, 3, 1e-4);
}

static void r_19_drag_does_not_depend_on_the_frame_rate(void)
{
    double speed[3];
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t rate = 30u << k;
        test_world made = dust(k == 1 ? TP_INTEGRATOR_EULER : TP_INTEGRATOR_KDK, rate);
        tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
        drag.linear = 0.4f;
        drag.quadratic = 0.2f;
        add_field(&made, &drag);
        put(&made, (tp_vector){0, 0, 0}, (tp_vector){10, 0, 0}, 0);
        test_world_frames(made.world, 2 * rate);
        speed[k] = (double)v_of(&made).x;
        test_world_free(&made);
    }
    CHECK_NEAR(speed[0], speed[1], 1e-4);
    CHECK_NEAR(speed[2], speed[1], 1e-4);
    double c = exp(-0.8), exact = 10.0 * c / (1.0 + 0.2 * 10.0 * (1.0 - c) / 0.4);
    CHECK_NEAR(speed[1], exact, 1e-5);
}

/* In a box of water a falling particle slows to sqrt(m g / k); below it it falls freely again. One
   beside the box falls as without a field, to the bit. */
static void drag_in_a_box_ends_at_its_faces(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = tp_world_default(dimensions);
        def.particles_max = 3;
        test_world made = test_world_make(&def), dry = test_world_make(&def);
        tp_field_def water = tp_field_default(TP_FIELD_DRAG);
        water.quadratic = 1.0f;
        water.center = (tp_vector){0, -3, 0};
        water.vector = (tp_vector){1, 2, 1};
        add_field(&made, &water);
        const double limit = sqrt((double)def.species[0].mass * 9.81 / (double)water.quadratic);
        for (uint32_t k = 0; k < 2; k++) {
            test_world_gravity(k ? dry.world : made.world, 9.81f);
            put(k ? &dry : &made, (tp_vector){0, 1.5f, 0}, (tp_vector){0, 0, 0}, 0);
            put(k ? &dry : &made, (tp_vector){1.01f, 1.5f, 0}, (tp_vector){0, 0, 0}, 0);
        }
        float above = 0, within = 0, below = 0;
        for (uint32_t frame = 0; frame < 240; frame++) {
            test_world_frames(made.world, 1);
            tp_view view = tp_world_view(made.world);
            float y = view.y[0], speed = -view.vy[0];
            if (y > -1) above = speed;
            if (y > -5 && y < -4) within = speed;
            if (y < -5 && below == 0) below = speed;
        }
        test_world_frames(dry.world, 240);
        test_note("%u dimensions: %g, %g, %g; limit %g", dimensions, (double)above, (double)within,
                  (double)below, limit);
        CHECK_NEAR(above, sqrt(2 * 9.81 * 2.5), .2);
        CHECK_NEAR(within, limit, 2e-3 * limit);
        CHECK(below < limit + 9.81 / 60 && -tp_world_view(made.world).vy[0] > 1.5 * limit);
        CHECK(tp_world_view(made.world).y[1] == tp_world_view(dry.world).y[1]);
        test_world_free(&made);
        test_world_free(&dry);
    }
}

/* ---- orbits and tracers ---- */

static void a_circular_orbit_keeps_energy_and_angular_momentum_over_100_turns(void)
{
    test_world made = dust(TP_INTEGRATOR_KDK, 100);
    tp_field_def sun = tp_field_default(TP_FIELD_ATTRACTOR);
    sun.strength = 1.0f;
    sun.core = 0.0f;
    add_field(&made, &sun);
    put(&made, (tp_vector){1, 0, 0}, (tp_vector){0, 1, 0}, 0);
    double worst_energy = 0.0, worst_momentum = 0.0, crossing = 0.0, before = 0.0;
    uint32_t turns = 0;
    for (uint32_t frame = 1; frame <= 62832; frame++) {
        test_world_frames(made.world, 1);
        tp_vector x = x_of(&made), v = v_of(&made);
        double px = (double)x.x, py = (double)x.y, vx = (double)v.x, vy = (double)v.y;
        double energy = 0.5 * (vx * vx + vy * vy) - 1.0 / sqrt(px * px + py * py),
               momentum = px * vy - py * vx;
        worst_energy = fmax(worst_energy, fabs(energy + 0.5) / 0.5);
        worst_momentum = fmax(worst_momentum, fabs(momentum - 1.0));
        if (before < 0.0 && py >= 0.0 && px > 0.0) {
            turns++;
            crossing = 0.01 * (frame - py / (py - before));
        }
        before = py;
    }
    test_note("energy %g, momentum %g, period %g", worst_energy, worst_momentum, crossing / turns);
    CHECK(worst_energy < 1e-4);
    CHECK(worst_momentum < 1e-4);
    CHECK(turns >= 99);
    CHECK_NEAR(crossing / turns, 6.283185, 1e-3);
    test_world_free(&made);
}

/* From the core to ten core radii: the radius stays constant, the angle is u t / r. */
static void a_tracer_circles_in_a_lamb_oseen_vortex(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        for (double r = 0.1; r < 2.0; r *= 2.0) {
            tp_world_def def = tp_world_default(dimensions);
            def.particles_max = 1;
            def.species[0].is_tracer = true;
            test_world made = test_world_make(&def);
            tp_field_def vortex = tp_field_default(TP_FIELD_VORTEX);
            vortex.strength = 1.0f;
            vortex.core = 0.2f;
            add_field(&made, &vortex);
            test_world_gravity(made.world, 9.81f); /* tracers feel no force */
            put(&made, (tp_vector){(float)r, 0, 0}, (tp_vector){0, 0, 0}, 0);
            test_world_frames(made.world, 60);
            tp_view view = tp_world_view(made.world);
            double u = -expm1(-r * r / 0.04) / (2.0 * 3.14159265358979 * r), angle = u / r;
            double x = (double)view.x[0], y = (double)view.y[0], vx = (double)view.vx[0],
                   vy = (double)view.vy[0];
            CHECK_NEAR(hypot(x, y), r, 1e-3 * r);
            CHECK_NEAR(x, r * cos(angle), 1e-3);
            CHECK_NEAR(y, r * sin(angle), 1e-3);
            CHECK_NEAR(hypot(vx, vy), u, 1e-3);
            test_world_free(&made);
        }
    }
}

static void a_dragged_particle_ends_at_the_speed_of_the_wind(void)
{
    test_world made = dust(TP_INTEGRATOR_EULER, 60);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND), drag = tp_field_default(TP_FIELD_DRAG);
    wind.vector = (tp_vector){2, -1, 0.5f};
    /* an explicit step of drag would reverse the velocity at b dt / m = 0.83 */
    drag.linear = 50.0f;
    add_field(&made, &wind);
    add_field(&made, &drag);
    put(&made, (tp_vector){0, 0, 0}, (tp_vector){9, 9, 9}, 0);
    test_world_frames(made.world, 120);
    CHECK_NEAR(tpi_length(tpi_sub(v_of(&made), wind.vector)), 0, 1e-6);
    test_world_free(&made);
}

/* Creating or running another world changes nothing (worlds share no state). */
static void worlds_with_equal_settings_have_equal_hashes(void)
{
    test_world a = dust(TP_INTEGRATOR_KDK, 60), b = dust(TP_INTEGRATOR_KDK, 60),
               other = dust(TP_INTEGRATOR_EULER, 30);
    test_world *all[3] = {&a, &b, &other};
    for (uint32_t k = 0; k < 3; k++) {
        tp_field_def wind = tp_field_default(TP_FIELD_WIND), drag = tp_field_default(TP_FIELD_DRAG);
        wind.strength = 3.0f;
        drag.quadratic = 0.4f;
        add_field(all[k], &wind);
        add_field(all[k], &drag);
        for (uint32_t i = 0; i < 16; i++)
            put(all[k], (tp_vector){0.1f * (float)i, 1, 2}, (tp_vector){0, 0, 1}, 0);
    }
    for (uint32_t frame = 0; frame < 60; frame++) {
        test_world_frames(a.world, 1);
        test_world_frames(other.world, 1);
        test_world_frames(b.world, 1);
    }
    CHECK_EQ(tp_world_hash(a.world), tp_world_hash(b.world));
    for (uint32_t k = 0; k < 3; k++) test_world_free(all[k]);
}

static const test_case cases[] = {
    TEST_CASE(free_fall_of_a_second_matches_both_integrators),
    TEST_CASE(births_inside_a_step_fall_on_the_same_parabola),
    TEST_CASE(symplectic_euler_keeps_its_modified_energy_for_ever),
    TEST_CASE(leapfrog_keeps_its_modified_energy_and_frequency),
    TEST_CASE(oscillators_are_stable_below_w_dt_2_and_not_above),
    TEST_CASE(leapfrog_runs_backwards_to_its_start),
    TEST_CASE(quadratic_drag_follows_the_hyperbolic_tangent),
    TEST_CASE(quadratic_drag_is_of_second_order),
    TEST_CASE(linear_drag_follows_the_exponential),
    TEST_CASE(drag_in_a_box_ends_at_its_faces),
    TEST_CASE(r_19_drag_does_not_depend_on_the_frame_rate),
    TEST_CASE(a_circular_orbit_keeps_energy_and_angular_momentum_over_100_turns),
    TEST_CASE(a_tracer_circles_in_a_lamb_oseen_vortex),
    TEST_CASE(a_dragged_particle_ends_at_the_speed_of_the_wind),
    TEST_CASE(worlds_with_equal_settings_have_equal_hashes),
};
TEST_SUITE(particles, cases);
