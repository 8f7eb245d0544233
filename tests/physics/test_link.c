/* SPDX-License-Identifier: MIT
   tests/physics/test_link.c - damped springs between particles: values, energy, boxes, deaths,
           slices.
   reads   runtime/solve/pair      writes  nothing
   memory  worlds of up to 300 particles      cost    about three seconds
   after   the damped oscillator; chains of springs */
#include "test.h"
#include "cache_help.h"
#include "world_help.h"
#include "step/step.h"
#include "solve/pair/pair.h"
#include "link_worlds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- one link ---- */

/* Displacement after `seconds` of an oscillator with k = 100, c = 2 and a reduced mass of 1,
   released at `stretch` with `speed`. */
static double oscillate(double timestep, double seconds, double stretch, double speed,
                        bool is_anchored)
{
    tp_world_def def = link_def(3, 2, 1, timestep);
    def.species_count = 2;
    def.species[0].mass = is_anchored ? 1.0f : 2.0f;
    def.species[1].mass = is_anchored ? 1e6f : 2.0f;
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 2 + stretch, 0, 0, is_anchored ? speed : speed / 2, 0);
    uint32_t b = link_particle(made.world, 0, 0, 0, is_anchored ? 0 : -speed / 2, 1);
    link_add(made.world, a, b, 2, 100, 2);
    test_world_frames(made.world, (uint32_t)(seconds / timestep + 0.5));
    double found = link_x(made.world, a) - link_x(made.world, b) - 2;
    test_world_free(&made);
    return found;
}

static double oscillator(double t, double stretch, double speed)
{
    double w = sqrt(99);
    return exp(-t) * (stretch * cos(w * t) + (speed + stretch) / w * sin(w * t));
}

static void one_damped_link_is_the_oscillator(void)
{
    static const double rows[][2] = {{.1, .568972}, {.25, -.570416}, {.5, .098551}, {1, -.336852}};
    for (size_t k = 0; k < 4; k++) {
        CHECK_NEAR(oscillator(rows[k][0], 1, 0), rows[k][1], 1e-6);
        for (int anchored = 0; anchored < 2; anchored++) {
            test_note("t %.2f, anchored %d", rows[k][0], anchored);
            /* the stated tolerance is 1e-3 */
            CHECK_NEAR(oscillate(1e-3, rows[k][0], 1, 0, anchored), rows[k][1], 5e-5);
        }
    }
}

static void damping_is_of_second_order(void)
{
    for (int moving = 0; moving < 2; moving++) {
        double speed = 10 * moving, exact = oscillator(1, 1, speed);
        double coarse = oscillate(0.02, 1, 1, speed, false) - exact,
               fine = oscillate(0.01, 1, 1, speed, false) - exact;
        test_note("errors %.3g %.3g", coarse, fine);
        CHECK(coarse / fine > 3.2 && coarse / fine < 4.8);
    }
}

/* Damping far above the stability limit of an explicit force: the relative motion stops without
   oscillation. */
static void strong_damping_does_not_overshoot(void)
{
    tp_world_def def = link_def(2, 2, 1, 0.02);
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 1, 0, 0, 3, 0),
             b = link_particle(made.world, 0, 0, 0, -1, 0);
    link_add(made.world, a, b, 1, 0, 1e6);
    test_world_frames(made.world, 2);
    CHECK_NEAR(link_v(made.world, a), 1, 1e-3);
    CHECK_NEAR(link_v(made.world, b), 1, 1e-3);
    test_world_free(&made);
}

/* The frequency of the leapfrog scheme is (2 / dt) asin(w dt / 2); ten periods of masses 1 and
   3. */
static void two_masses_have_their_period(void)
{
    tp_world_def def = link_def(2, 2, 1, 0.01);
    def.species_count = 2;
    def.species[1].mass = 3;
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 1.3, 0, 0, 0, 0),
             b = link_particle(made.world, 0, 0, 0, 0, 1), crossings = 0;
    double w = sqrt(50 / 0.75), before = 0.3, first = 0, last = 0;
    link_add(made.world, a, b, 1, 50, 0);
    for (uint32_t f = 1; f < 2000 && crossings < 21; f++) {
        test_world_frames(made.world, 1);
        double stretch = link_x(made.world, a) - link_x(made.world, b) - 1;
        if (stretch * before < 0) {
            last = 0.01 * (f - 1 + before / (before - stretch));
            if (crossings++ == 0) first = last;
        }
        before = stretch;
    }
    double period = 2 * PI / (2 / 0.01 * asin(w * 0.01 / 2));
    CHECK_NEAR((last - first) / 10, period, 2e-5 * period);
    test_world_free(&made);
}

static void equal_ends_keep_opposite_velocities_to_the_last_bit(void)
{
    tp_world_def def = link_def(3, 2, 1, 0.01);
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 0.75, 0.25, -0.5, 0, 0),
             b = link_particle(made.world, -0.75, -0.25, 0.5, 0, 0);
    link_add(made.world, a, b, 1, 77, 0.3);
    for (uint32_t f = 0; f < 300; f++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        CHECK(view.vx[0] == -view.vx[1] && view.vy[0] == -view.vy[1] && view.vz[0] == -view.vz[1]);
        CHECK(view.vx[0] != 0.0f);
    }
    test_world_free(&made);
}

static void an_end_on_the_other_has_no_force_and_is_counted(void)
{
    tp_world_def def = link_def(2, 3, 2, 0.01);
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 1, 1, 0, 0, 0),
             b = link_particle(made.world, 1, 1, 0, 0, 0),
             c = link_particle(made.world, 2, 1, 0, 0, 0);
    link_add(made.world, a, b, 1, 1000, 1);
    link_add(made.world, b, c, 1, 1000, 1);
    test_world_frames(made.world, 5);
    CHECK_EQ(made.world->report.links_guarded, 5);
    CHECK_NEAR(link_x(made.world, a), 1, 0);
    test_world_free(&made);
}

static void forces_are_cut_and_counted(void)
{
    tp_world_def def = link_def(2, 2, 1, 0.01);
    def.pair.link_force_max = 10;
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 0, 0, 0, 0, 0),
             b = link_particle(made.world, 3, 0, 0, 0, 0);
    link_add(made.world, a, b, 1, 1e6, 0);
    test_world_frames(made.world, 1);
    CHECK_NEAR(link_v(made.world, a), 0.1, 1e-6);
    CHECK_EQ(made.world->report.link_forces_clamped, 2);
    test_world_free(&made);
}

/* ---- many ---- */

/* A ring of `count` beads, 1 m apart, with random displacements. */
static test_world link_ring(tp_world_def *def, uint32_t count, double stiffness, double damping)
{
    uint32_t state = 5;
    test_world made = test_world_make(def);
    double radius = count / (2 * PI);
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = test_random_position(&state, 0.1f);
        double angle = 2 * PI * i / count;
        link_particle(made.world, radius * cos(angle) + (double)at.x,
                      radius * sin(angle) + (double)at.y, (double)at.z,
                      (double)test_uniform(&state, -1, 1), i % def->species_count);
    }
    for (uint32_t i = 0; i < count; i++)
        link_add(made.world, i, (i + 1) % count, 1, stiffness, damping);
    return made;
}

/* Range of the energy over 4 seconds, relative to the energy. */
static double ring_spread(double timestep, double *drift)
{
    tp_world_def def = link_def(3, 64, 64, timestep);
    test_world made = link_ring(&def, 64, 400, 0);
    uint32_t steps = (uint32_t)(4 / timestep + 0.5), each = steps / 200;
    double sum = 0, square = 0, first = 0, ends[2] = {0, 0};
    double momentum = (double)link_measure(made.world).momentum.x;
    for (uint32_t k = 0; k < 200; k++) {
        test_world_frames(made.world, each);
        tp_pair_report report = link_measure(made.world);
        CHECK_EQ(report.links, 64);
        double energy = (double)report.kinetic + (double)report.link_energy;
        if (k == 0) first = energy;
        sum += (energy / first - 1) / 200;
        square += (energy / first - 1) * (energy / first - 1) / 200;
        if (k < 40) ends[0] += (energy / first - 1) / 40;
        if (k >= 160) ends[1] += (energy / first - 1) / 40;
        CHECK_NEAR((double)report.momentum.x, momentum, 1e-4);
    }
    *drift = ends[1] - ends[0];
    test_world_free(&made);
    return sqrt(square - sum * sum);
}

static void a_ring_of_springs_keeps_its_energy(void)
{
    double drifts[2], coarse = ring_spread(0.004, &drifts[0]),
                      fine = ring_spread(0.002, &drifts[1]);
    test_note("spread %.3g %.3g, drift %.3g %.3g", coarse, fine, drifts[0], drifts[1]);
    CHECK(coarse < 3e-3 && coarse / fine > 3 && coarse / fine < 5);
    CHECK(fabs(drifts[0]) < coarse && fabs(drifts[1]) < 1e-3);
}

static void damping_takes_energy_and_no_momentum(void)
{
    tp_world_def def = link_def(3, 64, 64, 0.005);
    test_world made = link_ring(&def, 64, 400, 5);
    tp_pair_report before = link_measure(made.world);
    double energy = (double)before.kinetic + (double)before.link_energy;
    for (uint32_t k = 0; k < 20; k++) {
        test_world_frames(made.world, 10);
        tp_pair_report report = link_measure(made.world);
        CHECK((double)report.kinetic + (double)report.link_energy < energy);
        energy = (double)report.kinetic + (double)report.link_energy;
        CHECK_NEAR((double)report.momentum.x, (double)before.momentum.x, 2e-5);
        CHECK_NEAR((double)report.momentum.y, (double)before.momentum.y, 2e-5);
    }
    test_world_free(&made);
}

/* A chain of equal links is stable for steps below sqrt(m / k). */
static void chains_are_stable_up_to_the_stated_step(void)
{
    for (int run = 0; run < 2; run++) {
        double stiffness = run ? 1.02 * 1e4 : 0.98 * 1e4;
        tp_world_def def = link_def(2, 40, 39, 0.01);
        test_world made = test_world_make(&def);
        for (uint32_t i = 0; i < 40; i++)
            link_particle(made.world, i + (i % 2 ? 1e-3 : 0), 0, 0, 0, 0);
        for (uint32_t i = 0; i < 39; i++) link_add(made.world, i, i + 1, 1, stiffness, 0);
        test_world_frames(made.world, 600);
        double widest = 0;
        for (uint32_t i = 0; i < 39; i++)
            widest = fmax(widest, fabs(link_x(made.world, i + 1) - link_x(made.world, i) - 1));
        test_note("k dt^2 / m = %.2f: stretch %.3g", stiffness * 1e-4, widest);
        CHECK(run ? !(widest < 0.1) : widest < 0.02);
        test_world_free(&made);
    }
}

/* Compares the integer sums of the back set with sums in double precision: of links only, then with
   pair forces. */
static void check_link_forces(tp_world *world)
{
    uint64_t sum[3] = {0, 0, 0};
    double worst = 0, scale = (double)tpi_link_scale(&world->def);
    double *force = calloc(world->count * 3, sizeof *force);
    CHECK(test_world_run_to(world, TP_STAGE_COLLIDE, 1000));
    for (uint32_t slot = 0; slot < world->links.end; slot++) {
        const tpi_link_item *link = tpi_link_at(world, slot);
        const uint32_t *place = link->index[world->front ^ 1];
        double r[3] = {0, 0, 0}, square = 0;
        for (uint32_t a = 0; a < world->def.dimensions; a++) {
            double size = (double)(&world->def.box_size.x)[a];
            r[a] = (double)tpi_back_x(world, a)[place[0]] - (double)tpi_back_x(world, a)[place[1]];
            if (world->def.periodic_axes >> a & 1) r[a] -= size * round(r[a] / size);
            square += r[a] * r[a];
        }
        double tension = (double)link->stiffness * (1 - (double)link->rest_length / sqrt(square));
        for (uint32_t a = 0; a < 3; a++) {
            force[place[0] * 3 + a] -= tension * r[a];
            force[place[1] * 3 + a] += tension * r[a];
        }
    }
    for (uint32_t i = 0; i < world->step.count; i++)
        for (uint32_t a = 0; a < world->def.dimensions; a++) {
            sum[a] += (uint64_t)tpi_link_sums(world, a)[i];
            worst =
                fmax(worst, fabs((double)tpi_link_sums(world, a)[i] / scale - force[i * 3 + a]));
        }
    CHECK(sum[0] == 0 && sum[1] == 0 && sum[2] == 0);
    CHECK_NEAR(worst, 0, 2e-2);
    free(force);
}

/* `count` particles at random positions in a box of side 6, with three links each. */
static test_world link_web(tp_world_def *def, uint32_t count)
{
    uint32_t state = 99;
    test_world made = test_world_make(def);
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = test_random_position(&state, 3.0f);
        link_particle(made.world, (double)at.x + 3, (double)at.y + 3, (double)at.z + 3, 1,
                      i % def->species_count);
    }
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint32_t other = (uint32_t)(test_random(&state) * (float)count);
        if (other != i % count) link_add(made.world, i % count, other, 1.5, 200, 0);
    }
    return made;
}

static void links_are_those_of_brute_force_beside_any_pairs(void)
{
    for (uint32_t run = 0; run < 12; run++) {
        tp_world_def def = link_def(2 + run % 2, 120, 360, 0.002);
        def.periodic_axes = run / 2 % 2 ? (run % 2 ? 7 : 3) : 0;
        def.box_size = (tp_vector){6, 6, 6};
        def.pair.skin = run / 4 == 1 ? 0 : 0.3f;
        if (run >= 4) def.species[0].epsilon = 0.01f;
        if (run >= 8) def.pair.potential = TP_POTENTIAL_TABLE, def.pair.table_max = 8;
        test_note("run %u", run);
        test_world made = link_web(&def, 120);
        const float energies[8] = {7, 6, 5, 4, 3, 2, 1, 0};
        tp_pair_table table = tp_pair_table_default();
        table.count = 8;
        table.energies = energies;
        if (run >= 8) CHECK(tp_pair_table_set(made.world, &table) == TP_OK);
        for (uint32_t f = 0; f < 6; f++) {
            check_link_forces(made.world);
            uint32_t used;
            tp_stage stage;
            while (made.world->step.active)
                (void)tpi_step_advance(made.world, NULL, 65536, &used, &stage);
        }
        CHECK_EQ(made.world->report.steps, 6);
        CHECK_EQ(made.world->report.links_dropped, 0);
        test_world_free(&made);
    }
}

static void links_reach_across_a_periodic_side(void)
{
    double found[2];
    for (int run = 0; run < 2; run++) {
        tp_world_def def = link_def(2, 2, 1, 0.01);
        double offset = run ? 7.5 : 3;
        def.periodic_axes = TP_AXIS_X;
        def.box_size.x = 8;
        test_world made = test_world_make(&def);
        uint32_t a = link_particle(made.world, offset, 0, 0, 0.5, 0),
                 b = link_particle(made.world, offset + 1.25, 0, 0, -1, 0);
        link_add(made.world, a, b, 1, 60, 0.5);
        test_world_frames(made.world, 150);
        found[run] = link_v(made.world, a);
        test_world_free(&made);
    }
    CHECK_NEAR(found[1], found[0], 1e-4);
    CHECK(fabs(found[0] - 0.5) > 0.01);
}

static void virial_and_energy_are_of_the_links(void)
{
    tp_world_def def = link_def(3, 2, 1, 0.01);
    test_world made = test_world_make(&def);
    link_particle(made.world, 0, 0, 0, 0, 0);
    link_particle(made.world, 0, 1.5, 0, 0, 0);
    link_add(made.world, 0, 1, 1, 40, 3);
    tp_pair_report report = link_measure(made.world);
    CHECK_NEAR((double)report.link_energy, 5, 1e-5);
    CHECK_NEAR((double)report.virial, -30, 1e-5);
    CHECK_EQ(report.pairs, 0);
    test_world_free(&made);
}

/* ---- the pool, deaths, breaks ---- */

static void a_full_pool_refuses_and_counts(void)
{
    tp_world_def def = link_def(2, 3, 2, 0.01);
    test_world made = test_world_make(&def);
    tp_link links[3];
    for (uint32_t k = 0; k < 3; k++) link_particle(made.world, k, 0, 0, 0, 0);
    tp_link_def link = tp_link_default();
    link.second = 1;
    CHECK(tp_link_add(made.world, &link, &links[0]) == TP_OK);
    CHECK(tp_link_add(made.world, &link, &links[1]) == TP_OK);
    CHECK(tp_link_add(made.world, &link, &links[2]) == TP_ERROR_FULL);
    tp_pool_report pool = tp_world_report(made.world).pools[TP_POOL_LINKS];
    CHECK(pool.capacity == 2 && pool.used == 2 && pool.peak == 2 && pool.refused == 1);
    CHECK(tp_link_remove(made.world, links[0]) == TP_OK);
    CHECK(tp_link_remove(made.world, links[0]) == TP_ERROR_HANDLE);
    CHECK(tp_link_add(made.world, &link, &links[2]) == TP_OK);
    CHECK(links[2].id != links[0].id && (links[2].id & 0xffff) == (links[0].id & 0xffff));
    test_world_frames(made.world, 1);
    test_world_free(&made);
}

static void settings_are_changed_and_read_back(void)
{
    tp_world_def def = link_def(2, 2, 1, 0.01);
    test_world made = test_world_make(&def);
    link_particle(made.world, 0, 0, 0, 0, 0);
    link_particle(made.world, 1, 0, 0, 0, 0);
    tp_link link = link_add(made.world, 0, 1, 1, 10, 0);
    tp_link_def found = {0};
    CHECK(tp_link_get(made.world, link, &found) == TP_OK);
    CHECK(found.first == 0 && found.second == 1 && found.stiffness == 10.0f &&
          found.rest_length == 1.0f);
    found.rest_length = 2;
    CHECK(tp_link_set(made.world, link, &found) == TP_OK);
    test_world_frames(made.world, 1);
    CHECK(link_v(made.world, 1) > 0.05);
    found.second = 0;
    CHECK(tp_link_set(made.world, link, &found) == TP_ERROR_DEFINITION);
    test_world_free(&made);
}

/* Deaths by a sink before the forces of the step, and by a collider after them. */
static void a_dead_end_drops_its_links_and_no_others(void)
{
    for (uint32_t run = 0; run < 4; run++) {
        tp_world_def def = link_def(2, 5, 4, 0.01);
        def.pair.skin = run / 2 ? 0.3f : 0;
        test_world made = test_world_make(&def);
        tp_link links[4], dead;
        for (uint32_t k = 0; k < 5; k++)
            link_particle(made.world, 1.2 * k, 0, 0, k == 2 ? 0.5 : 0, 0);
        for (uint32_t k = 0; k < 4; k++) links[k] = link_add(made.world, k, k + 1, 1, 100, 0);
        test_world_frames(made.world, 3);
        tp_sink_def sink = tp_sink_default();
        sink.shape = TP_SINK_SPHERE;
        sink.center.x = (float)link_x(made.world, 2);
        sink.radius = 0.4f;
        tp_collider_def wall = tp_collider_default(TP_COLLIDER_SPHERE);
        wall.pose.position = sink.center;
        wall.radius = 0.4f;
        wall.kills = true;
        if (run % 2)
            CHECK(tp_collider_add(made.world, &wall, &(tp_collider){0}) == TP_OK);
        else
            CHECK(tp_sink_add(made.world, &sink, &(tp_sink){0}) == TP_OK);
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_world_view(made.world).count, 4);
        test_world_frames(made.world, 1);
        test_note("run %u", run);
        CHECK_EQ(made.world->report.links_dropped, 2);
        for (uint32_t k = 0; k < 4; k++)
            CHECK(tp_link_get(made.world, links[k], &(tp_link_def){0}) ==
                  (k == 1 || k == 2 ? TP_ERROR_HANDLE : TP_OK));
        CHECK(tp_link_remove(made.world, links[1]) == TP_ERROR_HANDLE);
        check_link_forces(made.world);
        uint32_t used;
        tp_stage stage;
        while (made.world->step.active)
            (void)tpi_step_advance(made.world, NULL, 65536, &used, &stage);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_LINKS].used, 2);
        dead = link_add(made.world, 1, 2, 1, 1, 0); /* this particle has been dead for many steps */
        test_world_frames(made.world, 2);
        CHECK_EQ(made.world->report.links_dropped, 3);
        CHECK(tp_link_remove(made.world, dead) == TP_ERROR_HANDLE);
        CHECK(tp_particles_clear(made.world) == TP_OK);
        link_particle(made.world, 0, 0, 0, 0, 0);
        test_world_frames(made.world, 2);
        CHECK_EQ(made.world->report.links_dropped, 5);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_LINKS].used, 0);
        test_world_free(&made);
    }
}

static void stretched_links_break_once(void)
{
    tp_world_def def = link_def(2, 2, 1, 0.01);
    test_world made = test_world_make(&def);
    uint32_t a = link_particle(made.world, 0, 0, 0, -4, 0),
             b = link_particle(made.world, 1, 0, 0, 4, 0);
    tp_link link = link_add(made.world, a, b, 1, 100, 0);
    tp_link_def settings;
    CHECK(tp_link_get(made.world, link, &settings) == TP_OK);
    settings.break_length = 1.4f;
    CHECK(tp_link_set(made.world, link, &settings) == TP_OK);
    uint32_t frames = 0;
    for (; frames < 100 && tp_link_get(made.world, link, &settings) == TP_OK; frames++) {
        test_world_frames(made.world, 1);
        if (!made.world->report.links_broken)
            CHECK(link_x(made.world, b) - link_x(made.world, a) < 1.5);
    }
    CHECK(frames > 3 && frames < 20);
    double v = link_v(made.world, b);
    test_world_frames(made.world, 5);
    CHECK_EQ(made.world->report.links_broken, 1);
    CHECK(v > 1 && link_v(made.world, b) == v);
    test_world_free(&made);
}

static void bad_definitions_are_refused_by_name(void)
{
    static const struct {
        size_t at;
        float value;
        const char *start;
    } rows[] = {{offsetof(tp_link_def, rest_length), -1, "rest_length "},
                {offsetof(tp_link_def, rest_length), NAN, "rest_length "},
                {offsetof(tp_link_def, stiffness), 1.1e12f, "stiffness "},
                {offsetof(tp_link_def, stiffness), -1, "stiffness "},
                {offsetof(tp_link_def, damping), INFINITY, "damping "},
                {offsetof(tp_link_def, break_length), 0.5f, "break_length "},
                {offsetof(tp_link_def, break_length), NAN, "break_length "}};
    tp_world_def def = link_def(2, 3, 4, 0.01), fluid = tp_world_default(2);
    test_world made = test_world_make(&def);
    link_particle(made.world, 0, 0, 0, 0, 0);
    link_particle(made.world, 1, 0, 0, 0, 0);
    tp_link_def good = tp_link_default();
    tp_link link;
    good.second = 1;
    good.rest_length = 1;
    CHECK(tp_link_check(made.world, &good) == NULL);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tp_link_def bad = good;
        memcpy((char *)&bad + rows[k].at, &rows[k].value, sizeof(float));
        const char *text = tp_link_check(made.world, &bad);
        test_note("row %zu: %s", k, text ? text : "good");
        CHECK(text && strncmp(text, rows[k].start, strlen(rows[k].start)) == 0);
        CHECK(tp_link_add(made.world, &bad, &link) == TP_ERROR_DEFINITION && link.id == 0);
    }
    good.second = 2;
    CHECK(strncmp(tp_link_check(made.world, &good), "second ", 7) == 0);
    good.second = 0;
    CHECK(strncmp(tp_link_check(made.world, &good), "second ", 7) == 0);
    good.first = 77;
    CHECK(strncmp(tp_link_check(made.world, &good), "first ", 6) == 0);
    good.stamp = 0;
    CHECK(tp_link_add(made.world, &good, &link) == TP_ERROR_STAMP);
    CHECK(tp_link_add(NULL, &good, &link) == TP_ERROR_NULL &&
          tp_link_add(made.world, &good, NULL) == TP_ERROR_NULL);
    fluid.links_max = 1;
    CHECK(tp_world_check(&fluid) && strncmp(tp_world_check(&fluid), "links_max ", 10) == 0);
    test_world_free(&made);
}

static void static_size_macro_is_an_upper_bound(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (uint32_t links = 0; links <= 16384; links = links * 3 + 1)
            for (uint32_t particles = 1; particles < 100000; particles = particles * 5 + 2) {
                tp_world_def def = link_def(dimensions, particles, links, 0.01);
                size_t bytes, without;
                CHECK(tp_world_memory(&def, &bytes) == TP_OK);
                def.links_max = 0;
                CHECK(tp_world_memory(&def, &without) == TP_OK);
                size_t bound = TP_LINK_BYTES(dimensions, particles, links);
                if (bound < bytes - without) CHECK_EQ(bound, bytes - without);
            }
}

/* ---- the same bits ---- */

/* Links, births, deaths, contacts, gravity and Lennard-Jones forces in a room. */
static test_world link_room(uint32_t slice, bool stores, float skin)
{
    tp_world_def def = link_def(2, 220, 160, 0.004);
    def.slice_units = slice;
    def.pair.stores_neighbours = stores;
    def.pair.skin = skin;
    def.species[0].epsilon = 0.3f;
    def.species[0].radius = 0.1f;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 80; i++)
        link_particle(made.world, 3 + 0.5 * (i % 10), 1.5 + 0.5 * (i / 10), 0, 2, 0);
    for (uint32_t i = 0; i < 80; i++) {
        if (i % 10 < 9) link_add(made.world, i, i + 1, 0.5, 300, 0.5);
        if (i / 10 < 7) link_add(made.world, i, i + 10, 0.5, 300, 0.5);
    }
    for (uint32_t slot = 0; slot < made.world->links.end; slot += 7)
        tpi_link_at(made.world, slot)->break_length = 0.56f;
    tp_emitter emitter;
    tp_emitter_def spout = tp_emitter_default();
    spout.pose.position = (tp_vector){6, 10, 0};
    spout.rate_numerator = 60;
    spout.velocity_jitter = 3;
    CHECK(tp_emitter_add(made.world, &spout, &emitter) == TP_OK);
    tp_sink sink;
    tp_sink_def drain = tp_sink_default();
    drain.shape = TP_SINK_SPHERE;
    drain.center = (tp_vector){8.4f, 0.9f, 0};
    drain.radius = 0.5f;
    CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
    test_world_gravity(made.world, 10);
    test_world_tank(made.world, (tp_vector){12, 12, 0});
    return made;
}

static uint64_t room_end(test_world *made, bool is_lively)
{
    tp_report report = tp_world_report(made->world);
    test_note("dropped %u broken %u contacts %u born %u", (unsigned)report.links_dropped,
              (unsigned)report.links_broken, (unsigned)report.contacts, (unsigned)report.born);
    if (is_lively)
        CHECK(report.links_dropped > 0 && report.links_broken > 0 && report.contacts > 0 &&
              report.born > 90);
    CHECK(report.pools[TP_POOL_LINKS].used > 100);
    uint64_t hash = tp_world_hash(made->world);
    test_world_free(made);
    return hash;
}

static uint64_t room_plain(uint32_t slice, bool stores, float skin)
{
    test_world made = link_room(slice, stores, skin);
    test_world_frames(made.world, 160);
    return room_end(&made, true);
}

static void slices_and_lists_change_no_bit(void)
{
    uint64_t hash = room_plain(65536, true, 0.3f);
    CHECK_EQ(room_plain(64, true, 0.3f), hash);
    CHECK_EQ(room_plain(333, true, 0.0f), hash);
    CHECK_EQ(room_plain(2048, false, 0.0f), hash);
}

/* Cancelled steps, measurements, and a copy of the block to another address during a step. */
static void priming_and_copies_change_no_bit(void)
{
    uint64_t hash = room_plain(65536, true, 0.3f);
    test_world made = link_room(64, true, 0.3f);
    void *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
    for (uint32_t f = 0; f < 160; f++) {
        uint64_t before = tp_world_hash(made.world);
        tp_budget little = {.units = 100 + 37 * f, .frames_max = 1},
                  rest = {.is_same_frame = true, .frames_max = 1};
        tp_report report;
        CHECK(tp_frame(made.world, &little, &report) >= TP_OK);
        if (!report.frames_completed) CHECK_EQ(tp_world_hash(made.world), before);
        if (f % 3 == 0 && !report.frames_completed) tpi_step_cancel(made.world);
        if (f % 5 == 0 && !report.frames_completed) (void)link_measure(made.world);
        if (f % 7 == 0) {
            memcpy(copy, made.world, made.bytes);
            memset(made.world, 0x5a, made.bytes);
            memcpy(made.world, copy, made.bytes);
        }
        if (!report.frames_completed) CHECK(tp_frame(made.world, &rest, &report) == TP_OK);
        CHECK_EQ(made.world->clock.frame, f + 1);
    }
    free(copy);
    CHECK_EQ(room_end(&made, true), hash);
}

static void storage_order_does_not_matter(void)
{
    uint64_t hashes[2];
    for (uint32_t run = 0; run < 2; run++) {
        test_world made = link_room(65536, true, 0.3f);
        tp_world *w = made.world;
        uint32_t *id = tpi_words(w, w->arrays.id), state = 9;
        for (uint32_t i = run ? w->count - 1 : 0; i > 0; i--) {
            uint32_t j = (uint32_t)(test_random(&state) * (float)i), kept = id[i];
            id[i] = id[j];
            id[j] = kept;
            for (uint32_t a = 0; a < 2; a++) {
                float x = tpi_front_x(w, a)[i], v = tpi_front_v(w, a)[i];
                tpi_front_x(w, a)[i] = tpi_front_x(w, a)[j];
                tpi_front_v(w, a)[i] = tpi_front_v(w, a)[j];
                tpi_front_x(w, a)[j] = x;
                tpi_front_v(w, a)[j] = v;
            }
        }
        test_world_frames(w, 60);
        hashes[run] = room_end(&made, false);
    }
    CHECK_EQ(hashes[1], hashes[0]);
}

/* Ids that need more than one digit of the radix sort, and the particle indices found with it. */
static void ids_of_any_size_are_found(void)
{
    tp_world_def def = link_def(3, 300, 299, 0.01);
    test_world made = test_world_make(&def);
    uint32_t *id = tpi_words(made.world, made.world->arrays.id);
    for (uint32_t i = 0; i < 300; i++) link_particle(made.world, i, 0, 0, 0, 0);
    for (uint32_t i = 0; i < 300; i++) id[i] = (i * 7919u + 13u) % 300u * 14000003u;
    made.world->clock.next_id = 0xffffffffu;
    for (uint32_t i = 0; i < 299; i++) link_add(made.world, id[i], id[i + 1], 1, 100, 0);
    CHECK(test_world_run_to(made.world, TP_STAGE_MOVE, 64));
    for (uint32_t slot = 0; slot < 299; slot++) {
        const uint32_t *place = tpi_link_at(made.world, slot)->index[made.world->front];
        CHECK(place[0] == slot && place[1] == slot + 1);
    }
    test_world_frames(made.world, 3);
    CHECK_EQ(made.world->report.links_dropped, 0);
    test_world_free(&made);
}

/* Recorded by a cache. With `rewinds`, frame 70 is restored at frame 110. */
static uint64_t room_recorded(bool rewinds, uint32_t slice)
{
    test_world made = link_room(slice, true, 0.3f);
    tp_world *w = made.world;
    cache_play(w, 110, rewinds, 70, 160);
    return room_end(&made, true);
}

static void a_rewound_room_ends_as_if_nothing_had_happened(void)
{
    uint64_t hash = room_plain(65536, true, 0.3f);
    CHECK_EQ(room_recorded(false, 65536), hash);
    CHECK_EQ(room_recorded(true, 65536), hash);
    CHECK_EQ(room_recorded(true, 64), hash);
}

static const test_case cases[] = {
    TEST_CASE(one_damped_link_is_the_oscillator),
    TEST_CASE(damping_is_of_second_order),
    TEST_CASE(strong_damping_does_not_overshoot),
    TEST_CASE(two_masses_have_their_period),
    TEST_CASE(equal_ends_keep_opposite_velocities_to_the_last_bit),
    TEST_CASE(an_end_on_the_other_has_no_force_and_is_counted),
    TEST_CASE(forces_are_cut_and_counted),
    TEST_CASE(a_ring_of_springs_keeps_its_energy),
    TEST_CASE(damping_takes_energy_and_no_momentum),
    TEST_CASE(chains_are_stable_up_to_the_stated_step),
    TEST_CASE(links_are_those_of_brute_force_beside_any_pairs),
    TEST_CASE(links_reach_across_a_periodic_side),
    TEST_CASE(virial_and_energy_are_of_the_links),
    TEST_CASE(a_full_pool_refuses_and_counts),
    TEST_CASE(settings_are_changed_and_read_back),
    TEST_CASE(a_dead_end_drops_its_links_and_no_others),
    TEST_CASE(stretched_links_break_once),
    TEST_CASE(bad_definitions_are_refused_by_name),
    TEST_CASE(static_size_macro_is_an_upper_bound),
    TEST_CASE(slices_and_lists_change_no_bit),
    TEST_CASE(priming_and_copies_change_no_bit),
    TEST_CASE(storage_order_does_not_matter),
    TEST_CASE(ids_of_any_size_are_found),
    TEST_CASE(a_rewound_room_ends_as_if_nothing_had_happened),
};
TEST_SUITE(link, cases);
