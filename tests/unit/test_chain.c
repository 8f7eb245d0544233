/* SPDX-License-Identifier: MIT
   tests/unit/test_chain.c - meshes in 2D, chains and polygons of edges: sides, seams, corners,
           tree, memory.
   reads   runtime/move/edge.c, mesh.c      writes  nothing
   memory  small worlds, up to 2000 edges   cost    a second
   after   planes, and distances from edges in double precision, are the oracle */
#include "test.h"
#include "collide_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES_MOST = 2000 };

/* A mesh of edges, in arrays that the definition points to. */
typedef struct edges {
    tp_vector points[EDGES_MOST + 1];
    uint32_t ends[2 * EDGES_MOST], count, point_count;
} edges;
static edges made_edges;
static uint32_t noise; /* each case begins with its own */

static tp_collider_def edges_def(const edges *from)
{
    return collide_mesh(from->points, from->point_count, from->ends, from->count);
}

/* Joins the points from `first` on to a chain, or to a loop. */
static void join(edges *to, uint32_t first, bool is_loop)
{
    uint32_t count = to->point_count - first;
    for (uint32_t k = 0; k + !is_loop < count; k++) {
        to->ends[2 * to->count] = first + k;
        to->ends[2 * to->count + 1] = first + (k + 1) % count;
        to->count++;
    }
}

static void add_point(edges *to, float x, float y)
{
    to->points[to->point_count++] = (tp_vector){x, y, 0};
}

/* The upper side of y = 0 between both ends: a floor is drawn from right to left. */
static tp_collider_def flat_chain(edges *to, uint32_t count, float left, float right)
{
    memset(to, 0, sizeof *to);
    for (uint32_t k = 0; k <= count; k++)
        add_point(to, right + (left - right) * (float)k / (float)count, 0);
    join(to, 0, false);
    return edges_def(to);
}

/* A star-shaped loop around the origin: counter-clockwise it is a solid, clockwise a room. */
static tp_collider_def random_loop(edges *to, uint32_t count, bool is_room, float least, float most)
{
    memset(to, 0, sizeof *to);
    for (uint32_t k = 0; k < count; k++) {
        float angle = 6.2831853f * (float)k / (float)count * (is_room ? -1.0f : 1.0f),
              size = test_uniform(&noise, least, most);
        add_point(to, size * cosf(angle), size * sinf(angle));
    }
    join(to, 0, true);
    return edges_def(to);
}

/* Distance of a point from the nearest edge, and whether a loop is around it. */
static double distance_of(const edges *from, tp_vector at, bool *is_inside)
{
    double least = 1e300;
    *is_inside = false;
    for (uint32_t k = 0; k < from->count; k++) {
        tp_vector p = from->points[from->ends[2 * k]], q = from->points[from->ends[2 * k + 1]];
        double ax = (double)p.x, ay = (double)p.y, bx = (double)q.x, by = (double)q.y;
        double x = (double)at.x, y = (double)at.y, ex = bx - ax, ey = by - ay;
        double along = ((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey);
        along = fmin(fmax(along, 0), 1);
        least = fmin(least, hypot(x - ax - along * ex, y - ay - along * ey));
        if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax))
            *is_inside = !*is_inside;
    }
    return least;
}

/* ---- sides ---- */

static void the_free_side_is_to_the_right_of_travel(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.05f);
    tp_collider_def chain = flat_chain(&made_edges, 4, -1, 1);
    (void)collide_add(made.world, &chain);
    tpi_path down =
        collide_sweep(made.world, tpi_vector(0.3f, 1, 0), tpi_vector(0, -120, 0), 0.05f);
    tpi_path up = collide_sweep(made.world, tpi_vector(0.3f, -1, 0), tpi_vector(0, 120, 0), 0.05f);
    CHECK(down.touched && down.to.y > 0.05f && down.to.y < 0.0502f);
    CHECK(!up.touched && up.to.y == 1.0f);
    test_world_free(&made);
}

static void a_segment_of_two_sides_keeps_its_thickness(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.05f);
    tp_collider_def chain = flat_chain(&made_edges, 1, -1, 1);
    chain.is_two_sided = true;
    chain.thickness = 0.1f;
    (void)collide_add(made.world, &chain);
    for (float side = -1; side <= 1; side += 2) {
        tpi_path path = collide_sweep(made.world, tpi_vector(0.4f, side, 0),
                                      tpi_vector(0, -120 * side, 0), 0.05f);
        CHECK_NEAR(path.to.y, side * 0.15f, 2e-4);
        CHECK(path.touched && path.velocity.y == 0.0f);
        path = collide_sweep(made.world, tpi_vector(3 * side, 0.01f, 0),
                             tpi_vector(-120 * side, 0, 0), 0.05f);
        CHECK(path.touched);
        path = collide_sweep(made.world, tpi_vector(1.16f, side, 0), tpi_vector(0, -120 * side, 0),
                             0.05f);
        CHECK(!path.touched);
    }
    test_world_free(&made);
}

static void winding_tells_which_side_of_a_loop_is_solid(void)
{
    noise = 11;
    for (int is_room = 0; is_room < 2; is_room++) {
        test_world made = collide_world(2, 0.02f);
        tp_collider_def loop = random_loop(&made_edges, 12, is_room, 0.9f, 1.1f);
        (void)collide_add(made.world, &loop);
        tpi_path out =
            collide_sweep(made.world, tpi_vector(0, 0, 0), tpi_vector(180, 30, 0), 0.02f);
        tpi_path in =
            collide_sweep(made.world, tpi_vector(3, 0.2f, 0), tpi_vector(-140, 0, 0), 0.02f);
        CHECK_EQ(out.touched, is_room);
        CHECK_EQ(in.touched, !is_room);
        test_world_free(&made);
    }
}

/* ---- ghost vertices ---- */

/* A ball that falls beside the seam of a flat floor, or begins there, gets the normal of the floor,
   however near the seam it is; also from the
   back of a chain of two sides. */
static void check_seams(float turn, bool is_from_behind, float radius)
{
    test_world made = collide_world(2, 0.05f);
    tp_collider_def chain = flat_chain(&made_edges, 20, -1, 1);
    chain.pose.rotation = collide_about_z(turn);
    chain.is_two_sided = is_from_behind;
    for (uint32_t k = 0; is_from_behind && k <= 20; k++)
        made_edges.points[k].x = -made_edges.points[k].x;
    (void)collide_add(made.world, &chain);
    tp_vector up = tpi_rotate(chain.pose.rotation, tpi_vector(0, 1, 0)),
              along = tpi_rotate(chain.pose.rotation, tpi_vector(1, 0, 0));
    float worst = 0, lowest = 1, skin = radius > 0.03f ? 5e-5f : 2e-5f;
    uint32_t touched = 0;
    for (int k = -400; k <= 400; k++)
        for (uint32_t h = 0; h < 5; h++) {
            /* free, in the skin, or overlapping */
            const float heights[5] = {0.1f, radius + 0.3f * skin, radius, radius - 0.1f * skin,
                                      0.5f * radius};
            float x = 0.1f * (float)(k % 5) + 2e-7f * (float)k * (float)abs(k), height = heights[h];
            tp_vector from = tpi_add_scaled(tpi_scale(along, x), up, height);
            tpi_path path =
                collide_sweep(made.world, from, tpi_scale(up, h ? -1e-4f : -20), radius);
            touched += path.touched && path.hits == 1;
            worst = fmaxf(worst, fabsf(tpi_dot(path.velocity, along)));
            worst = fmaxf(worst, fabsf(tpi_dot(tpi_sub(path.to, from), along)));
            if (h) lowest = fminf(lowest, tpi_dot(path.to, up) - radius);
        }
    test_note("turn %g, radius %g: %g m/s or m along the floor", (double)turn, (double)radius,
              (double)worst);
    CHECK_EQ(touched, 801 * 5);
    CHECK(lowest > 0.9f * skin);
    CHECK(worst <= (turn != 0 ? 3e-6f : 0.0f));
    test_world_free(&made);
}

static void no_seam_of_a_straight_chain_has_a_normal_of_its_own(void)
{
    noise = 11;
    for (int k = 0; k < 6; k++) {
        check_seams(0.37f * (float)(k / 2), k & 1, 0.05f);
        if (!(k & 1)) check_seams(0.37f * (float)(k / 2), false, 0.0f);
    }
}

/* The chain, its pieces apart, and in reverse order have other seams. */
static void ghosts_are_the_neighbours_whatever_the_order_of_edges(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.05f);
    tp_collider_def loop = random_loop(&made_edges, 61, false, 0.9f, 1.1f);
    for (uint32_t k = 0; k + 1 < 61; k++) { /* any order */
        uint32_t other = k + (uint32_t)test_uniform(&noise, 0, (float)(61 - k) - 0.01f);
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t kept = made_edges.ends[2 * k + end];
            made_edges.ends[2 * k + end] = made_edges.ends[2 * other + end];
            made_edges.ends[2 * other + end] = kept;
        }
    }
    (void)collide_add(made.world, &loop);
    const tpi_mesh *mesh = &tpi_collider_at(made.world, 0)->mesh;
    const uint32_t *ends = tpi_words(made.world, made.world->geometry + mesh->indices),
                   *ghosts = ends + 2 * mesh->triangle_count;
    for (uint32_t k = 0; k < 61; k++) {
        CHECK_EQ(ends[2 * k + 1], (ends[2 * k] + 1) % 61);
        CHECK_EQ(ghosts[2 * k], (ends[2 * k] + 60) % 61);
        CHECK_EQ(ghosts[2 * k + 1], (ends[2 * k] + 2) % 61);
    }
    const tp_vector *points =
        (const tp_vector *)tpi_at(made.world, made.world->geometry + mesh->vertices);
    for (uint32_t k = 0; k < 61; k++) CHECK(points[k].z == 0.0f);
    test_world_free(&made);
}

static void an_end_and_a_vertex_of_three_edges_have_no_ghosts(void)
{
    static const tp_vector points[4] = {{0, 0, 7}, {1, 0, 7}, {2, 0, 7}, {1, 1, 7}};
    static const uint32_t ends[6] = {0, 1, 1, 2, 1, 3};
    test_world made = collide_world(2, 0.05f);
    tp_collider_def def = collide_mesh(points, 4, ends, 3);
    (void)collide_add(made.world, &def);
    const tpi_mesh *mesh = &tpi_collider_at(made.world, 0)->mesh;
    const uint32_t *stored = tpi_words(made.world, made.world->geometry + mesh->indices),
                   *ghosts = stored + 6;
    for (uint32_t k = 0; k < 3; k++) {
        if (stored[2 * k] == 0) CHECK(ghosts[2 * k] == 0 && ghosts[2 * k + 1] == 1);
        if (stored[2 * k] == 1) CHECK(ghosts[2 * k] == 0 && ghosts[2 * k + 1] == stored[2 * k + 1]);
    }
    test_world_free(&made);
}

/* ---- balls over seams and corners ---- */

typedef struct ride {
    tp_vector at[240], velocity[240];
    uint64_t contacts, pushed_out;
} ride;

/* Four balls fall on a floor and roll or bounce over it. */
static void ride_over(const tp_collider_def *floor, ride rides[4])
{
    test_world made = collide_world(2, 0.02f);
    test_world_gravity(made.world, 9.81f);
    (void)collide_add(made.world, floor);
    rides[0].contacts = 0;
    for (uint32_t k = 0; k < 4; k++)
        collide_particle(made.world, tpi_vector(-4 + 0.37f * (float)k, 0.03f + 0.2f * (float)k, 0),
                         tpi_vector(0.9f + 0.2f * (float)k, 0, 0));
    for (uint32_t f = 0; f < 240; f++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        rides[0].contacts += tp_world_report(made.world).contacts; /* of the last step */
        for (uint32_t k = 0; k < 4; k++) {
            rides[k].at[f] = tpi_vector(view.x[k], view.y[k], 0);
            rides[k].velocity[f] = tpi_vector(view.vx[k], view.vy[k], 0);
        }
    }
    rides[0].pushed_out = tp_world_report(made.world).pushed_out;
    test_world_free(&made);
}

static void a_floor_of_a_thousand_edges_is_one_plane_to_a_ball(void)
{
    noise = 11;
    static ride over_plane[4], over_chain[4];
    for (int k = 0; k < 3; k++) {
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE),
                        chain = flat_chain(&made_edges, 1000, -5, 5);
        plane.restitution = chain.restitution = k == 1 ? 0.7f : 0.0f;
        plane.friction = chain.friction = k == 2 ? 0.02f : 0.0f;
        ride_over(&plane, over_plane);
        ride_over(&chain, over_chain);
        float worst = 0, speed = 0;
        for (uint32_t ball = 0; ball < 4; ball++)
            for (uint32_t f = 0; f < 240; f++) {
                tp_vector at = tpi_sub(over_plane[ball].at[f], over_chain[ball].at[f]);
                worst = fmaxf(worst, tpi_length(at));
                at = tpi_sub(over_plane[ball].velocity[f], over_chain[ball].velocity[f]);
                speed = fmaxf(speed, tpi_length(at));
            }
        test_note("floor %d: %g m, %g m/s apart, %u contacts", k, (double)worst, (double)speed,
                  (unsigned)over_chain[0].contacts);
        CHECK(worst < 1e-5f);
        CHECK(speed < 1e-5f);
        CHECK_EQ(over_plane[0].contacts, over_chain[0].contacts);
        CHECK_EQ(over_chain[0].pushed_out, 0);
        CHECK(over_chain[0].contacts > 100);
    }
}

/* A ball that hits an outer corner leaves along the line from the corner to its centre; one that
   slides over the corner keeps its distance. */
static void an_outer_corner_is_round_to_a_ball(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.1f);
    memset(&made_edges, 0, sizeof made_edges);
    add_point(&made_edges, 0, -1);
    add_point(&made_edges, 0, 0);
    add_point(&made_edges, -1, 0);
    join(&made_edges, 0, false);
    tp_collider_def def = edges_def(&made_edges);
    def.restitution = 1;
    def.rest_speed = 0;
    (void)collide_add(made.world, &def);
    for (int k = -9; k <= 9; k++) {
        float aside = 0.01f * (float)k;
        tp_vector from = {0.5f + 0.70710678f * aside, 0.5f - 0.70710678f * aside, 0};
        tpi_path path = collide_sweep(made.world, from, tpi_vector(-60, -60, 0), 0.1f);
        float sine = aside / 0.1f;
        CHECK(path.touched);
        if (fabsf(sine) > 0.7f) continue;
        /* reflected about the normal at the angle asin(sine) from the diagonal */
        float cosine = sqrtf(1 - sine * sine), speed = 84.852814f;
        float ahead = -speed * (1 - 2 * cosine * cosine), beside = speed * 2 * sine * cosine;
        test_note("aside %g", (double)aside);
        CHECK_NEAR(path.velocity.x, 0.70710678f * (ahead + beside), 0.4);
        CHECK_NEAR(path.velocity.y, 0.70710678f * (ahead - beside), 0.4);
    }
    test_world_free(&made);
}

/* In valleys of many angles a ball comes to rest between both sides, above neither's reach. */
static void a_ball_rests_in_an_inner_corner(void)
{
    noise = 11;
    for (int k = 1; k <= 16; k++) {
        test_world made = collide_world(2, 0.05f);
        float rise = tanf(0.09f * (float)k);
        memset(&made_edges, 0, sizeof made_edges);
        add_point(&made_edges, 1, rise);
        add_point(&made_edges, 0, 0);
        add_point(&made_edges, -1, rise);
        join(&made_edges, 0, false);
        tp_collider_def def = edges_def(&made_edges);
        def.friction = 0.3f;
        (void)collide_add(made.world, &def);
        test_world_gravity(made.world, 9.81f);
        collide_particle(made.world, tpi_vector(0.1f, rise * 0.1f + 0.4f, 0), tpi_vector(0, 0, 0));
        test_world_frames(made.world, 600);
        tp_view view = tp_world_view(made.world);
        bool is_inside;
        double gap = distance_of(&made_edges, tpi_vector(view.x[0], view.y[0], 0), &is_inside);
        test_note("rise %g: at %g %g, speed %g", (double)rise, (double)view.x[0], (double)view.y[0],
                  (double)hypotf(view.vx[0], view.vy[0]));
        CHECK(gap > 0.05 - 1e-4 && gap < 0.05 + 4e-4);
        CHECK(hypotf(view.vx[0], view.vy[0]) < 0.2f);
        CHECK(view.y[0] > 0);
        test_world_free(&made);
    }
}

/* Between the sides of an inner corner a ball meets what it meets between two planes, in one order
   or the other, wherever it begins. Where the sides are nearly in line, it may pass the end of one
   before it is as near as the other stands: 1 sweep of 8000 is then in the surface by up to 0.4 mm,
   until the next step. */
static void check_inner_corner(float rise)
{
    test_world chain = collide_world(2, 0.05f), planes[2];
    float less = 0.3f * rise, worst = 0;
    uint32_t touched = 0, late = 0;
    memset(&made_edges, 0, sizeof made_edges);
    add_point(&made_edges, 1, rise);
    add_point(&made_edges, 0, 0);
    add_point(&made_edges, -1, less);
    join(&made_edges, 0, false);
    tp_collider_def def = edges_def(&made_edges), plane = tp_collider_default(TP_COLLIDER_PLANE);
    (void)collide_add(chain.world, &def);
    for (uint32_t k = 0; k < 2; k++) {
        planes[k] = collide_world(2, 0.05f);
        plane.pose.rotation = collide_about_z(k ? -atanf(less) : atanf(rise));
        (void)collide_add(planes[k].world, &plane);
        plane.pose.rotation = collide_about_z(k ? atanf(rise) : -atanf(less));
        (void)collide_add(planes[k].world, &plane);
    }
    for (int n = 0; n < 8000; n++) {
        float wide = n & 2 ? 0.03f : 0.002f, x = test_uniform(&noise, -wide, wide);
        float r = test_uniform(&noise, 0.04999f, 0.0502f);
        float y = fmaxf(rise * x + r * hypotf(1, rise), -less * x + r * hypotf(1, less));
        tp_vector from = {x, y, 0}, velocity = test_random_position(&noise, n & 1 ? 1.0f : 0.01f);
        if (n & 4) velocity.y *= 0.1f;
        velocity.z = 0;
        tpi_path a = collide_sweep(chain.world, from, velocity, 0.05f),
                 b = collide_sweep(planes[0].world, from, velocity, 0.05f),
                 c = collide_sweep(planes[1].world, from, velocity, 0.05f);
        float apart = fminf(tpi_length(tpi_sub(a.to, b.to)), tpi_length(tpi_sub(a.to, c.to)));
        touched += a.touched;
        if (a.is_evading) continue; /* the limit of contacts ends its path */
        worst = fmaxf(worst, apart);
        late += apart > 1.5e-4f; /* three times the skin */
    }
    test_note("rise %g: %g m apart, %u contacts", (double)rise, (double)worst, touched);
    CHECK(worst < 5e-4f && late <= (rise < 0.05f ? 5u : 0u));
    CHECK(touched > 2000);
    test_world_free(&chain);
    for (uint32_t k = 0; k < 2; k++) test_world_free(&planes[k]);
}

static void an_inner_corner_is_two_planes(void)
{
    noise = 11;
    for (int k = 1; k <= 12; k++) check_inner_corner(0.02f * (float)(k * k));
}

/* ---- no way through ---- */

/* A hundred rooms, in each a thousand balls at 40 m/s for some steps, half of them points. */
static void fast_balls_stay_in_a_closed_polygon(void)
{
    noise = 11;
    const uint32_t balls = 1000;
    uint32_t left = 0, hits = 0, rooms = 0;
    double nearest = 1;
    for (uint32_t room = 0; room < 100; room++) {
        if (!test_runs(room, 3)) continue;
        rooms++;
        test_world made = collide_world(2, 0.01f);
        tp_collider_def def =
            random_loop(&made_edges, 5 + room * 3, true, room & 1u ? 0.95f : 0.3f, 1.0f);
        def.restitution = room % 4 < 2 ? 0.9f : 0.0f;
        (void)collide_add(made.world, &def);
        for (uint32_t k = 0; k < balls; k++) {
            float radius = k & 1u ? 0.0f : 0.01f, angle = test_uniform(&noise, 0, 6.2831853f);
            tpi_path path = {.to = test_random_position(&noise, 0.1f)};
            path.to.z = 0;
            path.velocity = tpi_vector(40 * cosf(angle), 40 * sinf(angle), 0);
            for (uint32_t step = 0; step < 5; step++) {
                path = collide_sweep(made.world, path.to, path.velocity, radius);
                hits += path.touched;
                if (tpi_dot(path.velocity, path.velocity) < 1) break;
            }
            bool is_inside;
            nearest = fmin(nearest, distance_of(&made_edges, path.to, &is_inside) - (double)radius);
            left += !is_inside;
        }
        test_world_free(&made);
    }
    test_note("%u of %u balls left, %u hits, nearest %g m", left, balls * rooms, hits, nearest);
    CHECK_EQ(left, 0);
    CHECK(hits > balls * rooms);
    CHECK(nearest > -1e-4);
}

/* Points and small balls that aim at the vertices of a solid from outside, also far from the
   origin, where rounding is largest. */
static void no_ball_passes_between_two_edges(void)
{
    noise = 11;
    uint32_t left = 0, met = 0, aimed = 0;
    for (uint32_t k = 0; k < 40; k++) {
        test_world made = collide_world(2, 0.05f);
        tp_collider_def def = random_loop(&made_edges, 200, false, 0.98f, 1.0f);
        float far = k < 10 ? 0.0f : 30.0f * (float)k;
        def.pose.position = tpi_vector(far, 0.7f * far, 0);
        def.pose.rotation = collide_about_z(0.1f * (float)k);
        (void)collide_add(made.world, &def);
        for (uint32_t n = 0; n < 1000; n++) {
            tp_vector to = tpi_to_world(def.pose, made_edges.points[n % 200]),
                      out = tpi_rotate(def.pose.rotation, made_edges.points[n % 200]);
            tp_vector from = tpi_add_scaled(to, out, 0.5f);
            float sideways = test_uniform(&noise, -0.3f, 0.3f);
            from = tpi_add(from, tpi_scale(tpi_vector(-out.y, out.x, 0), sideways));
            tp_vector velocity = tpi_scale(tpi_sub(to, from), 120);
            tpi_path path = collide_sweep(made.world, from, velocity, n & 1u ? 0.0f : 0.001f);
            bool is_inside;
            double local[3];
            collide_local(def.pose, path.to, local);
            double gap = distance_of(&made_edges, tpi_vector((float)local[0], (float)local[1], 0),
                                     &is_inside);
            left += is_inside && gap > 2e-5 + (double)far * 4e-6;
            met += path.touched;
            aimed++;
        }
        test_world_free(&made);
    }
    test_note("%u of %u passed, %u met", left, aimed, met);
    CHECK_EQ(left, 0);
    CHECK_EQ(met, aimed);
}

/* Points that bounce deep into narrow corners, where both sides are within the skin. */
static void no_point_leaves_through_a_narrow_corner(void)
{
    noise = 11;
    uint32_t left = 0;
    for (uint32_t k = 0; k < 60; k++) {
        test_world made = collide_world(2, 0.0f);
        float wide = 0.004f * (float)(k % 20 + 1), turn = 0.3f * (float)k;
        memset(&made_edges, 0, sizeof made_edges);
        add_point(&made_edges, 0.5f, 0.0f);
        add_point(&made_edges, -0.5f, wide * (k & 1u ? -1.0f : 0.2f));
        add_point(&made_edges, -0.5f, wide);
        join(&made_edges, 0, true); /* clockwise: a room */
        tp_collider_def def = edges_def(&made_edges);
        def.restitution = 0.3f * (float)(k % 4);
        def.pose.rotation = collide_about_z(turn);
        def.pose.position = tpi_vector(0.1f * (float)k, 0, 0);
        (void)collide_add(made.world, &def);
        for (uint32_t n = 0; n < 100; n++) {
            tp_vector start = {0, 0.25f * (made_edges.points[1].y + wide), 0},
                      velocity = {test_uniform(&noise, 5, 40), test_uniform(&noise, -1, 1), 0};
            tpi_path path = {.to = tpi_to_world(def.pose, start)};
            path.velocity = tpi_rotate(def.pose.rotation, velocity);
            for (uint32_t step = 0; step < 60; step++) {
                path = collide_sweep(made.world, path.to, path.velocity, 0.0f);
                path.velocity =
                    tpi_add(path.velocity, tpi_rotate(def.pose.rotation, tpi_vector(0.2f, 0, 0)));
            }
            bool is_inside;
            double local[3];
            collide_local(def.pose, path.to, local);
            double gap = distance_of(&made_edges, tpi_vector((float)local[0], (float)local[1], 0),
                                     &is_inside);
            left += !is_inside && gap > 1e-5;
        }
        test_world_free(&made);
    }
    test_note("%u of 6000 points left", left);
    CHECK_EQ(left, 0);
}

/* A room that turns and moves takes its balls along. */
static void a_polygon_that_turns_keeps_its_balls(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.03f);
    tp_collider_def def = random_loop(&made_edges, 40, true, 0.6f, 1.0f);
    tp_collider room = collide_add(made.world, &def);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t k = 0; k < 40; k++)
        collide_particle(
            made.world, tpi_vector(0.05f * (float)(k % 8) - 0.2f, 0.05f * (float)(k / 8) - 0.1f, 0),
            tpi_vector(0, 0, 0));
    tp_pose pose = def.pose;
    for (uint32_t f = 0; f < 120; f++) {
        pose.rotation = collide_about_z(0.2f * (float)(f + 1));
        pose.position = tpi_vector(0.3f * sinf(0.3f * (float)f), 0.2f * cosf(0.4f * (float)f), 0);
        collide_move(made.world, room, pose);
    }
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 40);
    for (uint32_t k = 0; k < view.count; k++) {
        double local[3];
        bool is_inside;
        collide_local(pose, tpi_vector(view.x[k], view.y[k], 0), local);
        tp_vector at = {(float)local[0], (float)local[1], 0};
        double gap = distance_of(&made_edges, at, &is_inside);
        test_note("ball %u at %g of the wall", k, gap);
        CHECK(is_inside && gap > 0.03 - 2e-4);
    }
    test_world_free(&made);
}

/* ---- tree, memory ---- */

static void the_tree_finds_what_every_edge_finds(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.05f);
    tp_collider_def def = random_loop(&made_edges, 500, false, 0.7f, 1.0f);
    (void)collide_add(made.world, &def);
    const tpi_collider_item *item = tpi_collider_at(made.world, 0);
    const uint32_t *ends = tpi_words(made.world, made.world->geometry + item->mesh.indices);
    uint32_t hits = 0, units = 0;
    for (uint32_t k = 0; k < 20000; k++) {
        tpi_cast tree = {.from = test_random_position(&noise, 1.5f),
                         .move = test_random_position(&noise, 2.0f),
                         .time = 2.0f};
        float radius = k & 1u ? 0.0f : test_uniform(&noise, 0.0f, 0.1f);
        tree.from.z = tree.move.z = 0;
        tree.clearance = radius + 1e-4f;
        tree.contact = radius + 5e-5f;
        tree.inside = radius - 2.5e-5f;
        tpi_cast brute = tree;
        bool done = false;
        while (!done) units += tpi_cast_mesh(made.world, item, &tree, 1u << 20, &done);
        for (uint32_t e = 0; e < 500; e++) { /* in the order of the tree, which decides ties */
            uint32_t at = ends[2 * e];
            tpi_edge edge = {made_edges.points[at], made_edges.points[(at + 1) % 500],
                             made_edges.points[(at + 499) % 500], made_edges.points[(at + 2) % 500],
                             true};
            tpi_cast_edge(&brute, &edge);
        }
        test_note("cast %u", k);
        CHECK(tree.time == brute.time);
        hits += tree.time <= 1.0f;
    }
    test_note("%u hits, %u units per cast", hits, units / 20000u);
    CHECK(hits > 3000);
    CHECK(units / 20000u < 100u);
    test_world_free(&made);
}

/* 12 bytes per vertex, 16 per edge, 28 per node, at most one node per edge. */
static void a_chain_needs_the_memory_that_is_stated(void)
{
    noise = 11;
    CHECK_EQ(tpi_mesh_bytes(2, 2, 1), 2 * 12 + 16 + 28);
    CHECK_EQ(tpi_mesh_bytes(2, 1001, 1000), 1001 * 12 + 1000 * 16 + 511 * 28);
    for (uint32_t count = 1; count < 3000; count++)
        CHECK(tpi_mesh_bytes(2, count + 1, count) <= 12 + (uint64_t)count * 56u);
    tp_world_def def = collide_scene(2, 0.05f);
    tp_collider_def chain = flat_chain(&made_edges, 1000, -1, 1);
    tp_collider added;
    def.geometry_bytes_max = (uint32_t)tpi_mesh_bytes(2, 1001, 1000);
    test_world made = test_world_make(&def);
    (void)collide_add(made.world, &chain);
    CHECK(tp_collider_add(made.world, &chain, &added) == TP_ERROR_FULL);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].used, def.geometry_bytes_max);
    tp_world *verified;
    CHECK(tp_world_verify(made.block, made.bytes, NULL, &verified) == TP_OK);
    test_world_free(&made);
}

static void wrong_chains_are_refused_by_name(void)
{
    noise = 11;
    test_world made = collide_world(2, 0.05f);
    tp_collider_def chain = flat_chain(&made_edges, 4, -1, 1);
    chain.vertex_count = 1;
    CHECK(strncmp(tp_collider_check(made.world, &chain), "vertex_count", 12) == 0);
    chain.vertex_count = 4;
    CHECK(strncmp(tp_collider_check(made.world, &chain), "indices", 7) == 0);
    chain.vertex_count = 5;
    chain.triangle_count = 0;
    CHECK(strncmp(tp_collider_check(made.world, &chain), "triangle_count", 14) == 0);
    chain.triangle_count = 4;
    made_edges.points[2].y = NAN;
    CHECK(strncmp(tp_collider_check(made.world, &chain), "vertices", 8) == 0);
    made_edges.points[2].y = 0;
    made_edges.points[2].z = NAN; /* not used in 2D */
    CHECK(tp_collider_check(made.world, &chain) == NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(the_free_side_is_to_the_right_of_travel),
    TEST_CASE(a_segment_of_two_sides_keeps_its_thickness),
    TEST_CASE(winding_tells_which_side_of_a_loop_is_solid),
    TEST_CASE(no_seam_of_a_straight_chain_has_a_normal_of_its_own),
    TEST_CASE(ghosts_are_the_neighbours_whatever_the_order_of_edges),
    TEST_CASE(an_end_and_a_vertex_of_three_edges_have_no_ghosts),
    TEST_CASE(a_floor_of_a_thousand_edges_is_one_plane_to_a_ball),
    TEST_CASE(an_outer_corner_is_round_to_a_ball),
    TEST_CASE(a_ball_rests_in_an_inner_corner),
    TEST_CASE(an_inner_corner_is_two_planes),
    TEST_CASE(fast_balls_stay_in_a_closed_polygon),
    TEST_CASE(no_ball_passes_between_two_edges),
    TEST_CASE(no_point_leaves_through_a_narrow_corner),
    TEST_CASE(a_polygon_that_turns_keeps_its_balls),
    TEST_CASE(the_tree_finds_what_every_edge_finds),
    TEST_CASE(a_chain_needs_the_memory_that_is_stated),
    TEST_CASE(wrong_chains_are_refused_by_name),
};
TEST_SUITE(chains, cases);
