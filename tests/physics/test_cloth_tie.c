/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_tie.c - ties: nodes to nodes, to bodies and to colliders that move.
   reads   runtime/solve/cloth/tie.c      writes  nothing
   memory  worlds of up to 80 nodes      cost    about one second
   after   own design: momentum in double precision, and weights, are the oracle */
#include "cloth_same.h"
#include "test.h"
#include "world_help.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <string.h>

#define ROPE 12u /* nodes of a rope */

static tp_world_def tie_world(uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = 6 * ROPE;
    def.cloth.sheets_max = 6;
    def.cloth.constraints_max = 12 * ROPE;
    def.cloth.damping = 0.002f;
    def.cloth.ties_max = 8;
    def.bodies_max = 2;
    def.slice_units = 65536;
    def.lag_frames_max = 64;
    def.measures_loads = true;
    def.species[0].mass = 0.01f;
    def.species[0].radius = 0.001f;
    return def;
}

/* A rope of some nodes from a point on, along x; the id of its first node. */
static uint32_t tie_rope_of(tp_world *world, tp_vector at, float along, uint32_t nodes)
{
    uint32_t id = 0;
    tp_cloth_def rope = tp_cloth_default();
    rope.columns = nodes;
    rope.rows = 1;
    rope.along = (tp_vector){along, 0, 0};
    rope.origin = at;
    rope.tether = 0;
    CHECK_EQ(tp_cloth_grid(world, &rope, &id), TP_OK);
    return id;
}

static uint32_t tie_rope(tp_world *world, tp_vector at, float along)
{
    return tie_rope_of(world, at, along, ROPE);
}

/* A small box with the inertia of a bar of 0.4 m x 0.1 m x 0.2 m: ropes at its ends do not meet
   it. */
static tp_body tie_bar(tp_world *world, tp_vector at, float mass, tp_collider *collider)
{
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def def = tp_body_default();
    tp_body body = {0};
    box.half = (tp_vector){0.01f, 0.01f, 0.01f};
    box.pose.position = at;
    CHECK_EQ(tp_collider_add(world, &box, &def.collider), TP_OK);
    def.mass = mass;
    def.inertia = (tp_vector){mass * 0.0042f, mass * 0.0167f, mass * 0.0142f};
    CHECK_EQ(tp_body_add(world, &def, &body), TP_OK);
    if (collider) *collider = def.collider;
    return body;
}

static tp_vector tie_body_point(const tp_world *world, tp_body body, tp_vector point)
{
    tp_body_state state;
    CHECK_EQ(tp_body_get(world, body, &state), TP_OK);
    return tpi_to_world(state.pose, point);
}

static uint32_t tie_to(tp_world *world, uint32_t node, tp_collider collider, tp_vector point,
                       float strength)
{
    tp_cloth_tie_def def = tp_cloth_tie_default();
    uint32_t tie = 99;
    def.node = node;
    def.collider = collider;
    def.point = point;
    def.strength = strength;
    CHECK(!tp_cloth_tie_check(world, &def));
    CHECK_EQ(tp_cloth_tie(world, &def, &tie), TP_OK);
    return tie;
}

static uint32_t tie_nodes(tp_world *world, uint32_t node, uint32_t other)
{
    tp_cloth_tie_def def = tp_cloth_tie_default();
    uint32_t tie = 99;
    def.node = node;
    def.other = other;
    CHECK_EQ(tp_cloth_tie(world, &def, &tie), TP_OK);
    return tie;
}

static tp_vector tie_place(const tp_world *world, uint32_t id)
{
    tp_view view = tp_world_view(world);
    return (tp_vector){view.x[id], view.y[id], view.z ? view.z[id] : 0};
}

static float tie_gap(tp_vector a, tp_vector b) { return tpi_length(tpi_sub(a, b)); }

static float tie_pull_of(const tp_world *world, uint32_t tie)
{
    float pull = 0;
    CHECK_EQ(tp_cloth_pull(world, tie, &pull), TP_OK);
    return pull;
}

/* ---- momentum ---- */

static void tie_cross(const double a[3], const double b[3], double share, double sum[3])
{
    for (uint32_t k = 0; k < 3; k++)
        sum[k] += share * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
}

/* kg m/s and kg m^2/s of all nodes and bodies; the body's own from its counts. */
static void tie_momentum(const tp_world *world, double p[3], double l[3])
{
    tp_view view = tp_world_view(world);
    const double node = (double)world->def.species[0].mass, unit = node / 1073741824.0;
    for (uint32_t k = 0; k < 3; k++) p[k] = l[k] = 0;
    for (uint32_t slot = 0; slot < world->bodies.capacity; slot++) {
        const tpi_body_item *body = tpi_body_at(world, slot);
        if (!tpi_pool_is_alive(tpi_words(world, world->bodies.slots), slot)) continue;
        tp_vector center = tpi_to_world(body->pose, body->center);
        const double x[3] = {(double)center.x, (double)center.y, (double)center.z};
        double own[3];
        for (uint32_t k = 0; k < 3; k++) {
            own[k] = (double)(int64_t)body->now.linear[k] * unit;
            p[k] += own[k];
            l[k] += (double)(int64_t)body->now.angular[k] * unit;
        }
        tie_cross(x, own, 1, l);
    }
    for (uint32_t i = 0; i < view.count; i++) {
        const double x[3] = {(double)view.x[i], (double)view.y[i], (double)view.z[i]},
                     v[3] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        for (uint32_t k = 0; k < 3; k++) p[k] += node * v[k];
        tie_cross(x, v, node, l);
    }
}

/* Two bars and two ropes, tied in a ring, fly and turn freely. The ropes are slack nowhere, so what
   goes through the ties in a second is much more than what may be lost. */
static void ties_keep_the_momentum_of_bodies_and_ropes(void)
{
    tp_world_def def = tie_world(3);
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_collider bars[2];
    double p[2][3], l[2][3], given = 0;
    uint32_t low = tie_rope(world, (tp_vector){-0.55f, 0, 0}, 0.1f),
             high = tie_rope(world, (tp_vector){-0.55f, 0.3f, 0}, 0.1f);
    tp_body left = tie_bar(world, (tp_vector){-0.75f, 0.15f, 0}, 0.5f, &bars[0]);
    (void)tie_bar(world, (tp_vector){0.75f, 0.15f, 0}, 2, &bars[1]);
    const tp_vector ends[4] = {
        {0.2f, -0.15f, 0}, {0.2f, 0.15f, 0}, {-0.2f, -0.15f, 0}, {-0.2f, 0.15f, 0}};
    for (uint32_t k = 0; k < 4; k++)
        (void)tie_to(world, (k & 1u ? high : low) + (k & 2u ? ROPE - 1 : 0), bars[k / 2], ends[k],
                     0);
    CHECK_EQ(tp_body_impulse(world, left, (tp_vector){-2, 1, 0.5f}, (tp_vector){-0.75f, 0.3f, 0}),
             TP_OK);
    test_world_frames(world, 1);
    tie_momentum(world, p[0], l[0]);
    for (uint32_t frame = 0; frame < 120; frame++) {
        test_world_frames(world, 1);
        for (uint32_t k = 0; k < 4; k++) given += (double)fabsf(tie_pull_of(world, k)) / 60;
    }
    tie_momentum(world, p[1], l[1]);
    double most = 0, turn = 0;
    for (uint32_t k = 0; k < 3; k++) {
        most = fmax(most, fabs(p[1][k] - p[0][k]));
        turn = fmax(turn, fabs(l[1][k] - l[0][k]));
    }
    test_note("%.2f N s through ties, %.1e lost, angular %.1e of %.2f", given, most, turn,
              fabs(l[0][2]));
    CHECK(given > 4);
    CHECK(most < 1e-6 * given);
    test_world_free(&made);
}

/* Two bars at a common node have no more forces than those of the ties. */
static void ties_keep_angular_momentum(void)
{
    tp_world_def def = tie_world(3);
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_collider bars[2];
    double p[2][3], l[2][3], given = 0;
    uint32_t id = tie_rope_of(world, (tp_vector){0, 0, 0}, 0.1f, 1);
    tp_body left = tie_bar(world, (tp_vector){-0.2f, -0.05f, 0}, 0.05f, &bars[0]);
    (void)tie_bar(world, (tp_vector){0.2f, 0.05f, 0}, 0.2f, &bars[1]);
    (void)tie_to(world, id, bars[0], (tp_vector){0.2f, 0.05f, 0}, 0);
    (void)tie_to(world, id, bars[1], (tp_vector){-0.2f, -0.05f, 0}, 0);
    CHECK_EQ(tp_body_impulse(world, left, (tp_vector){-0.1f, 0.2f, 0.1f}, (tp_vector){-0.4f, 0, 0}),
             TP_OK);
    test_world_frames(world, 1);
    tie_momentum(world, p[0], l[0]);
    for (uint32_t frame = 0; frame < 120; frame++) {
        test_world_frames(world, 1);
        given += (double)fabsf(tie_pull_of(world, 1)) / 60;
    }
    tie_momentum(world, p[1], l[1]);
    double most = 0, turn = 0;
    for (uint32_t k = 0; k < 3; k++) {
        most = fmax(most, fabs(p[1][k] - p[0][k]));
        turn = fmax(turn, fabs(l[1][k] - l[0][k]));
    }
    test_note("%.2f N s through a tie, %.1e lost, angular %.1e of %.3f", given, most, turn,
              fabs(l[0][2]));
    CHECK(given > 0.4);
    CHECK(most < 1e-6 * given);
    CHECK(turn < 1e-5 * fabs(l[0][2]));
    test_world_free(&made);
}

/* ---- weights ---- */

/* A bar hangs on one tie, or on four, from pinned nodes or from ropes, light or heavy: it comes to
   rest, and the ties pull with its weight. */
static void a_bar_hangs_on_ties(void)
{
    static const float masses[] = {0.0005f, 0.01f, 0.1f, 1};
    for (uint32_t way = 0; way < 16; way++) {
        const float mass = masses[way % 4];
        const uint32_t count = way & 4u ? 4 : 1;
        const bool has_ropes = way >= 8;
        tp_world_def def = tie_world(3);
        if (!has_ropes) def.cloth.damping = 0; /* the ties need none */
        test_world made = test_world_make(&def);
        tp_world *world = made.world;
        tp_collider bar;
        tp_body body = tie_bar(world, (tp_vector){0, 0, 0}, mass, &bar);
        tp_vector points[4];
        float sum = 0, gap = 0;
        for (uint32_t k = 0; k < count; k++) {
            points[k] = (tp_vector){count == 1 ? 0
                                    : k & 1u   ? 0.2f
                                               : -0.2f,
                                    0.05f,
                                    count == 1 ? 0
                                    : k & 2u   ? 0.1f
                                               : -0.1f};
            uint32_t id = tie_rope_of(world, points[k], 0.02f, has_ropes ? ROPE : 1);
            CHECK_EQ(tp_cloth_pin(world, has_ropes ? id + ROPE - 1 : id, true), TP_OK);
            (void)tie_to(world, id, bar, points[k], 0);
        }
        tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
        tp_field field;
        drag.linear = 0.02f;
        CHECK_EQ(tp_field_add(world, &drag, &field), TP_OK);
        test_world_gravity(world, 9.81f);
        test_world_frames(world, 600);
        tp_vector before = tie_body_point(world, body, points[0]);
        test_world_frames(world, 30);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t id = k * (has_ropes ? ROPE : 1);
            sum += tie_pull_of(world, k);
            gap = fmaxf(gap, tie_gap(tie_place(world, id), tie_body_point(world, body, points[k])));
        }
        tp_vector after = tie_body_point(world, body, points[0]);
        test_note("%g kg on %u ties%s: %.4f weights, gap %.1e m, %.1e m in half a second",
                  (double)mass, count, has_ropes ? " of ropes" : "", (double)(sum / (mass * 9.81f)),
                  (double)gap, (double)tie_gap(before, after));
        if (!has_ropes)
            CHECK_NEAR(sum / (mass * 9.81f), 1, 0.02); /* four push each other a little, too */
        CHECK(gap < 2e-4f);
        CHECK(tie_gap(before, after) < (has_ropes ? 0.2f : 1e-5f));
        test_world_free(&made);
    }
}

/* The pull of a tie through a rope of known weight. */
static void a_rope_hangs_on_a_hook(void)
{
    tp_world_def def = tie_world(2);
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider hook;
    tp_load load;
    ball.radius = 0.01f;
    CHECK_EQ(tp_collider_add(world, &ball, &hook), TP_OK);
    uint32_t id = tie_rope(world, (tp_vector){0.05f, 0, 0}, 0.05f),
             other = tie_rope(world, (tp_vector){0.6f, 0, 0}, 0.05f);
    uint32_t tie = tie_to(world, id, hook, (tp_vector){0.02f, 0, 0}, 0),
             middle = tie_nodes(world, id + ROPE - 1, other);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    drag.linear = 0.02f;
    CHECK_EQ(tp_field_add(world, &drag, &field), TP_OK);
    test_world_gravity(world, 9.81f);
    test_world_frames(world, 900);
    float weight = 0.01f * 9.81f * ROPE;
    CHECK_NEAR(tie_pull_of(world, tie) / (2 * weight), 1, 0.005);
    CHECK_NEAR(tie_pull_of(world, middle) / weight, 1, 0.005);
    CHECK_EQ(tp_collider_load(world, hook, &load), TP_OK);
    CHECK_NEAR((double)(load.pressure.y + load.friction.y) / (double)(-2 * weight), 1, 0.005);
    CHECK(tie_gap(tie_place(world, other), tie_place(world, id + ROPE - 1)) < 2e-4f);
    test_world_free(&made);
}

/* ---- moving colliders ---- */

static void a_node_follows_a_collider_that_turns(void)
{
    tp_world_def def = tie_world(3);
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    const tp_vector point = {0.3f, 0.1f, 0};
    tp_collider figure;
    tp_pose pose = {{0, 0, 0}, {1, 0, 0, 0}};
    float gap = 0;
    ball.radius = 0.05f;
    CHECK_EQ(tp_collider_add(world, &ball, &figure), TP_OK);
    uint32_t id = tie_rope(world, point, 0.05f);
    (void)tie_to(world, id, figure, point, 0);
    test_world_gravity(world, 9.81f);
    for (uint32_t frame = 1; frame <= 60; frame++) {
        float angle = 0.05f * (float)frame;
        pose.position = (tp_vector){0.03f * (float)frame, 0, 0};
        pose.rotation = (tp_quaternion){cosf(angle), 0, sinf(angle), 0};
        CHECK_EQ(tp_collider_move(world, figure, pose), TP_OK);
        test_world_frames(world, 1);
        gap = fmaxf(gap, tie_gap(tie_place(world, id), tpi_to_world(pose, point)));
    }
    test_note("%.1e m", (double)gap);
    CHECK(gap < 1e-4f);
    CHECK_EQ(tp_collider_remove(world, figure), TP_OK);
    tp_vector before = tie_place(world, id);
    test_world_frames(world, 30);
    CHECK(tie_place(world, id).y < before.y - 0.5f);
    CHECK_EQ(tie_pull_of(world, 0) == 0, 1);
    test_world_free(&made);
}

/* ---- strength ---- */

/* A bar of 1 kg on two ties: the weaker one breaks, then the other holds all. */
static void a_tie_breaks_at_its_strength(void)
{
    tp_world_def def = tie_world(3);
    def.events_max = 16;
    def.event_kinds = TP_EVENT_BIT(TP_EVENT_LINK_BROKEN);
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_cloth_report report;
    tp_event_cursor cursor = {0};
    tp_event events[4];
    uint32_t count = 4;
    tp_collider bar;
    (void)tie_bar(world, (tp_vector){0, 0, 0}, 1, &bar);
    for (uint32_t k = 0; k < 2; k++) {
        tp_vector point = {k ? 0.2f : -0.2f, 0.05f, 0};
        uint32_t id = tie_rope(world, point, 0.02f);
        CHECK_EQ(tp_cloth_pin(world, id, true), TP_OK);
        CHECK_EQ(tie_to(world, id, bar, point, k ? 4.0f : 50.0f), k);
    }
    test_world_gravity(world, 9.81f);
    same_after_a_rewind(world);
    CHECK_EQ(tp_cloth_measure(world, &report), TP_OK);
    CHECK_EQ(report.ties, 2);
    CHECK_EQ(report.ties_broken, 1);
    CHECK_EQ(world->report.links_broken, 1);
    CHECK(tie_pull_of(world, 0) > 0);
    CHECK(tie_pull_of(world, 1) == TP_CLOTH_BROKEN);
    CHECK_EQ(tp_world_events(world, &cursor, events, count, &count), TP_OK);
    if (CHECK_EQ(count, 1)) {
        CHECK_EQ(events[0].id, ROPE);
        CHECK_EQ(events[0].partner, TP_ID_NONE);
        CHECK_EQ(events[0].handle, 2);
    }
    uint64_t hash = tp_world_hash(world);
    CHECK_EQ(tp_cloth_untie(world, 1), TP_OK);
    CHECK(tp_world_hash(world) != hash);
    CHECK_EQ(tp_cloth_untie(world, 1), TP_ERROR_HANDLE);
    test_world_free(&made);
}

/* ---- all ways ---- */

static void slices_widths_and_threads_change_no_tie(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        tp_world_def def = tie_world(3);
        def.slice_units = same_slice(way);
        def.cloth.integrator = TP_CLOTH_XPBD;
        test_world made = test_world_make(&def);
        tp_collider bar;
        (void)tie_bar(made.world, (tp_vector){0, 0, 0}, 0.2f, &bar);
        uint32_t id = tie_rope(made.world, (tp_vector){0.2f, 0.05f, 0}, 0.03f),
                 other = tie_rope(made.world, (tp_vector){0.53f, 0.05f, 0}, 0.03f);
        (void)tie_to(made.world, id, bar, (tp_vector){0.2f, 0.05f, 0}, 0);
        (void)tie_nodes(made.world, id + ROPE - 1, other);
        (void)tie_to(made.world, id + 3, bar, (tp_vector){-0.2f, 0.05f, 0}, 1);
        CHECK_EQ(tp_cloth_pin(made.world, other + ROPE - 1, true), TP_OK);
        for (uint32_t k = 0; k < 4; k++)
            (void)tie_rope(made.world, (tp_vector){0, 1 + 0.1f * (float)k, 0}, 0.03f);
        test_world_gravity(made.world, 9.81f);
        same_run(made.world, way, &threads.jobs, 12, &told);
        if (way == 1) {
            tp_budget budget = {.units = 150};
            CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
            same_after_a_copy(&made, 4);
        }
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

/* ---- bad input ---- */

static void ties_that_cannot_be_are_refused(void)
{
    tp_world_def def = tie_world(3);
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    tp_cloth_tie_def tie = tp_cloth_tie_default();
    uint32_t number = 0;
    float pull;
    tie.node = 0;
    tie.other = 1;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "node must"));
    uint32_t id = tie_rope(world, (tp_vector){0, 0, 0}, 0.02f);
    tie.node = tie.other = id;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "other must not"));
    tie.other = id + ROPE;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "other must be"));
    tie.other = TP_ID_NONE;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "collider must"));
    CHECK_EQ(tp_cloth_tie(world, &tie, &number), TP_ERROR_DEFINITION);
    tie.other = id + 2;
    tie.strength = -1;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "strength must"));
    tie.strength = 0;
    tie.length = NAN;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "length must"));
    tie.length = 0;
    tie.compliance = -1;
    CHECK(strstr(tp_cloth_tie_check(world, &tie), "compliance must"));
    tie.compliance = 0;
    for (uint32_t k = 0; k < 8; k++) CHECK_EQ(tp_cloth_tie(world, &tie, &number), TP_OK);
    CHECK_EQ(number, 7);
    CHECK_EQ(tp_cloth_tie(world, &tie, &number), TP_ERROR_FULL);
    CHECK_EQ(tp_cloth_untie(world, 3), TP_OK);
    CHECK_EQ(tp_cloth_pull(world, 3, &pull), TP_ERROR_HANDLE);
    CHECK_EQ(tp_cloth_tie(world, &tie, &number), TP_OK);
    CHECK_EQ(number, 3);
    CHECK_EQ(tp_cloth_untie(world, 8), TP_ERROR_HANDLE);
    test_world_frames(world, 2);
    CHECK_EQ(tp_particles_remove(world, &id, 1, NULL), TP_OK);
    CHECK_EQ(tp_cloth_pull(world, 0, &pull), TP_ERROR_HANDLE);
    test_world_frames(world, 2);
    test_world_free(&made);
    size_t bytes = 0, fewer = 0;
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
    def.cloth.ties_max = 0;
    CHECK_EQ(tp_world_memory(&def, &fewer), TP_OK);
    CHECK(bytes > fewer && bytes - fewer <= TP_TIE_BYTES(8));
}

static const test_case cases[] = {
    TEST_CASE(ties_keep_the_momentum_of_bodies_and_ropes),
    TEST_CASE(ties_keep_angular_momentum),
    TEST_CASE(a_bar_hangs_on_ties),
    TEST_CASE(a_rope_hangs_on_a_hook),
    TEST_CASE(a_node_follows_a_collider_that_turns),
    TEST_CASE(a_tie_breaks_at_its_strength),
    TEST_CASE(slices_widths_and_threads_change_no_tie),
    TEST_CASE(ties_that_cannot_be_are_refused),
};
TEST_SUITE(cloth_tie, cases);
