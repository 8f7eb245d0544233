/* SPDX-License-Identifier: MIT
   tests/physics/test_sweep_physics.c - a million random sweeps, and moving solids: no particle
           tunnels.
   reads   runtime/move through worlds, and single paths      writes  nothing
   memory  small worlds      cost    about 2 s
   after   runtime/guide/physics.md, colliders; the oracles are double precision and share no code
           with the runtime */
#include "test.h"
#include "collide_help.h"
#include <math.h>
#include <string.h>

static uint32_t noise = 1;

/* ---- a million sweeps ---- */

/* A shape with its exact description in double precision, in local coordinates. */
typedef struct oracle {
    const char *name;
    tp_collider_def def;
    /* signed distance of a point from the solid */
    double (*distance)(const struct oracle *shape, const double p[3]);
    const float *samples;
    bool is_sheet; /* an open surface without an inside */
} oracle;

static double distance_box(const oracle *shape, const double p[3])
{
    const double half[3] = {(double)shape->def.half.x, (double)shape->def.half.y,
                            (double)shape->def.half.z};
    double outside = 0.0, inside = -1e30;
    for (int a = 0; a < 3; a++) {
        double s = fabs(p[a]) - half[a];
        outside += s > 0.0 ? s * s : 0.0;
        inside = fmax(inside, s);
    }
    return outside > 0.0 ? sqrt(outside) : inside;
}

static double distance_capsule(const oracle *shape, const double p[3])
{
    double half = (double)shape->def.half.y, y = p[1] - fmax(-half, fmin(half, p[1]));
    return sqrt(p[0] * p[0] + y * y + p[2] * p[2]) - (double)shape->def.radius;
}

/* The signed height above the ground times the normal's y, as in the runtime's definition. */
static double distance_ground(const oracle *shape, const double p[3])
{
    double s = (double)shape->def.spacing, limit = (shape->def.columns - 1u) * s;
    double x = fmax(0.0, fmin(limit, p[0])) / s, z = fmax(0.0, fmin(limit, p[2])) / s;
    uint32_t i = (uint32_t)fmin(x, shape->def.columns - 2.0),
             j = (uint32_t)fmin(z, shape->def.rows - 2.0);
    const float *y = shape->samples + i + shape->def.columns * j;
    double y00 = (double)y[0], y10 = (double)y[1];
    double y01 = (double)y[shape->def.columns], y11 = (double)y[shape->def.columns + 1];
    x -= i;
    z -= j;
    double rise_x = x >= z ? y10 - y00 : y11 - y01, rise_z = x >= z ? y11 - y10 : y01 - y00;
    double height = y00 + rise_x * x + rise_z * z;
    /* outside the heightfield */
    if (p[0] < 0.0 || p[0] > limit || p[2] < 0.0 || p[2] > limit) return 1.0;
    return (p[1] - height) * s / sqrt(s * s + rise_x * rise_x + rise_z * rise_z);
}

static double distance_grid(const oracle *shape, const double p[3])
{
    const uint32_t n = shape->def.columns;
    double s = (double)shape->def.spacing, place[3], out = 0.0;
    uint32_t cell[3];
    for (int a = 0; a < 3; a++) {
        double within = fmax(0.0, fmin((n - 1u) * s, p[a]));
        out += (p[a] - within) * (p[a] - within);
        cell[a] = (uint32_t)fmin(within / s, n - 2.0);
        place[a] = within / s - cell[a];
    }
    double value = 0.0;
    for (uint32_t c = 0; c < 8; c++) {
        double weight = 1.0;
        for (uint32_t a = 0; a < 3; a++) weight *= (c >> a & 1u) ? place[a] : 1.0 - place[a];
        value += weight *
                 (double)shape->samples[cell[0] + (c & 1u) +
                                        n * (cell[1] + (c >> 1 & 1u) + n * (cell[2] + (c >> 2)))];
    }
    return value + sqrt(out);
}

static double distance_edge(const double p[3], const double a[3], const double b[3])
{
    double along = 0.0, square = 0.0, gap = 0.0;
    for (int k = 0; k < 3; k++) {
        along += (p[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    along = fmax(0.0, fmin(1.0, along / square));
    for (int k = 0; k < 3; k++) gap += pow(p[k] - a[k] - along * (b[k] - a[k]), 2.0);
    return sqrt(gap);
}

/* Unsigned: a sheet has no inside. */
static double distance_sheet(const oracle *shape, const double p[3])
{
    const double corner[3][3] = {{0, 0, 0}, {(double)1e-3f, 0, 0}, {0, 0, (double)1e-3f}};
    (void)shape;
    if (p[0] >= 0.0 && p[2] >= 0.0 && p[0] + p[2] <= corner[1][0]) return fabs(p[1]);
    return fmin(
        distance_edge(p, corner[0], corner[1]),
        fmin(distance_edge(p, corner[1], corner[2]), distance_edge(p, corner[2], corner[0])));
}

static const tp_vector sheet_vertices[3] = {
    {0.0f, 0.0f, 0.0f}, {1e-3f, 0.0f, 0.0f}, {0.0f, 0.0f, 1e-3f}};
static const uint32_t sheet_indices[3] = {0, 2, 1};
static float ground_samples[24 * 24], grid_samples[16 * 16 * 16];

static void oracle_shapes(oracle shapes[5])
{
    memset(shapes, 0, 5 * sizeof shapes[0]);
    shapes[0] = (oracle){"triangle", collide_mesh(sheet_vertices, 3, sheet_indices, 1),
                         distance_sheet, NULL, true};
    shapes[0].def.is_two_sided = true;
    shapes[1] = (oracle){"box", tp_collider_default(TP_COLLIDER_BOX), distance_box, NULL, false};
    shapes[1].def.half = tpi_vector(1.0f, 0.0005f, 0.7f);
    shapes[2] = (oracle){"capsule", tp_collider_default(TP_COLLIDER_CAPSULE), distance_capsule,
                         NULL, false};
    shapes[2].def.half.y = 0.6f;
    shapes[2].def.radius = 0.01f;
    shapes[3] = (oracle){"grid", collide_grid(grid_samples, 16, 16, 0.1f), distance_grid,
                         grid_samples, false};
    for (uint32_t s = 0; s < 4096; s++) {
        float x = (float)(s % 16u) * 0.1f - 0.75f, y = (float)(s / 16u % 16u) * 0.1f - 0.75f;
        float z = (float)(s / 256u) * 0.1f - 0.75f, ring = sqrtf(x * x + z * z) - 0.4f;
        grid_samples[s] = sqrtf(ring * ring + y * y) - 0.15f;
    }
    shapes[4] = (oracle){"heightfield", collide_ground(ground_samples, 24, 24, 0.1f),
                         distance_ground, ground_samples, false};
    for (uint32_t s = 0; s < 576; s++) ground_samples[s] = test_uniform(&noise, -0.1f, 0.1f);
}

/* Parameter of the segment from a to b at which it is first `radius` away from the solid; 2 if
   never. Sphere tracing. */
static double first_touch(const oracle *shape, const double a[3], const double b[3], double radius,
                          double steepness)
{
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
           length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), t = 0.0;
    for (int step = 0; step < 2000 && t <= 1.0; step++) {
        const double p[3] = {a[0] + d[0] * t, a[1] + d[1] * t, a[2] + d[2] * t};
        double gap = shape->distance(shape, p) - radius;
        if (gap < 1e-6) return t;
        t += gap / (steepness * length);
    }
    return 2.0;
}

/* True if the path went through the shape: it must end on the near side of the tangent plane at the
   first touch of the straight segment. Only for convex shapes. */
static bool went_through(const oracle *shape, const double a[3], const double b[3],
                         const double end[3], double radius)
{
    double t = first_touch(shape, a, b, radius, 1.0), p[3], n[3], forward = 0.0;
    if (t > 1.0) return false;
    for (int k = 0; k < 3; k++) p[k] = a[k] + (b[k] - a[k]) * t;
    for (int k = 0; k < 3; k++) {
        double low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};
        low[k] -= 1e-6;
        high[k] += 1e-6;
        n[k] = (shape->distance(shape, high) - shape->distance(shape, low)) / 2e-6;
        forward += n[k] * (end[k] - p[k]);
    }
    return forward <
           /* near an edge the runtime may find the touch slightly elsewhere, with another tangent
              plane */
           -2e-3;
}

static bool is_over_sheet(const double a[3], const double b[3], double t)
{
    double x = a[0] + (b[0] - a[0]) * t, z = a[2] + (b[2] - a[2]) * t;
    return x > 1e-4 && z > 1e-4 && x + z < 1e-3 - 2e-4;
}

/* A point that crosses the skin and the sheet away from the edges must end on the side where it
   began. */
static bool went_through_sheet(const double a[3], const double b[3], const double end[3])
{
    double fall = fabs(a[1] - b[1]);
    if (a[1] * b[1] >= 0.0) return false;
    if (!is_over_sheet(a, b, fabs(a[1]) / fall) || !is_over_sheet(a, b, (fabs(a[1]) - 5e-5) / fall))
        return false;
    return end[1] * a[1] < 0.0;
}

/* Starts outside the shape and aims at a point near it, from up to 17 m away. */
static void sweep_shape(const oracle *shape, uint32_t count)
{
    test_world made = collide_world(3, 0.05f);
    oracle placed = *shape;
    placed.def.pose = (tp_pose){tpi_vector(3.0f, -2.0f, 1.5f), {0.8f, 0.36f, -0.48f, 0.0f}};
    placed.def.restitution = 0.5f;
    placed.def.friction = 0.2f;
    collide_add(made.world, &placed.def);
    bool is_solid_all_over =
        shape->def.shape == TP_COLLIDER_HEIGHTFIELD || shape->def.shape == TP_COLLIDER_GRID;
    float middle = is_solid_all_over ? 0.75f : 0.0f, wide = shape->is_sheet ? 4e-4f : 1.0f;
    uint32_t through = 0, inside = 0, touched = 0, capped = 0;
    for (uint32_t k = 0; k < count; k++) {
        float radius = k % 3 == 0 ? 0.0f : test_uniform(&noise, 0.0f, 0.05f),
              speed = test_uniform(&noise, 0.0f, 1000.0f);
        tp_vector aim = test_random_position(&noise, wide),
                  way = tpi_normalise(test_random_position(&noise, 1.0f),
                                      tpi_vector(0.0f, 1.0f, 0.0f));
        if (shape->is_sheet) aim = tpi_vector(tpi_abs(aim.x), 0.0f, tpi_abs(aim.z));
        aim = tpi_add(
            aim,
            tpi_vector(middle,
                       is_solid_all_over && shape->def.shape == TP_COLLIDER_GRID ? middle : 0.0f,
                       middle));
        tp_vector local =
            tpi_add_scaled(aim, way, -speed / 60.0f * test_uniform(&noise, 0.05f, 1.0f));
        double start[3] = {(double)local.x, (double)local.y, (double)local.z}, straight[3], end[3];
        if (shape->distance(shape, start) < (double)radius + 1e-3) continue;
        tp_vector from = tpi_to_world(placed.def.pose, local);
        tp_vector velocity = tpi_scale(tpi_rotate(placed.def.pose.rotation, way), speed);
        tpi_path path = collide_sweep(made.world, from, velocity, radius);
        collide_local(placed.def.pose, from, start);
        collide_local(placed.def.pose, tpi_add_scaled(from, velocity, 1.0f / 60.0f), straight);
        collide_local(placed.def.pose, path.to, end);
        double speed_after = (double)tpi_length(path.velocity);
        test_note("%s, sweep %u, radius %g, speed %g", shape->name, k, (double)radius,
                  (double)speed);
        CHECK(speed_after <= (double)speed * 1.00001 + 1e-6);
        touched += path.touched;
        capped += path.is_evading;
        inside += (shape->distance(shape, end) >=
                   (double)radius * (shape->def.shape != TP_COLLIDER_HEIGHTFIELD) - 1e-4)
                      ? 0u
                      : 1u;
        if (shape->is_sheet && radius == 0.0f)
            through += went_through_sheet(start, straight, end);
        else if (!is_solid_all_over)
            through += went_through(shape, start, straight, end, (double)radius);
    }
    test_note("%s: %u touched, %u capped", shape->name, touched, capped);
    CHECK_EQ(through, 0);
    CHECK_EQ(inside, 0);
    CHECK(touched > count / 100u);
    test_world_free(&made);
}

static void a_million_sweeps_end_outside(void)
{
    oracle shapes[5];
    oracle_shapes(shapes);
    for (uint32_t s = 0; s < 5; s++) sweep_shape(&shapes[s], test_is_long() ? 200000 : 40000);
}

/* ---- moving solids ---- */

/* Solids jump and rotate among particles: no particle is ever found inside one, unless too many
   contacts squeezed it in that step. */
static void moving_solids_never_swallow_a_particle(void)
{
    oracle shapes[5];
    oracle_shapes(shapes);
    shapes[1].def.half = tpi_vector(0.6f, 0.01f, 0.4f);
    shapes[2].def.radius = 0.1f;
    for (uint32_t s = 1; s < 5; s++) {
        test_world made = collide_world(3, 0.02f);
        shapes[s].def.restitution = 0.3f;
        shapes[s].def.pose.position.y = 10.0f;
        tp_collider collider = collide_add(made.world, &shapes[s].def);
        for (int p = 0; p < 64; p++)
            collide_particle(made.world, test_random_position(&noise, 2.0f), tpi_vector(0, 0, 0));
        uint32_t inside = 0, touched = 0;
        for (int f = 0; f < 600; f++) {
            tp_pose pose = test_random_pose(&noise, 2.0f);
            /* the ground is infinite: it must not turn over */
            if (s == 4) pose.rotation = collide_about_z(test_uniform(&noise, -0.3f, 0.3f));
            if (s == 4) pose.position = tpi_add(pose.position, tpi_vector(-1.15f, -1.0f, -1.15f));
            collide_move(made.world, collider, pose);
            tp_view view = tp_world_view(made.world);
            for (uint32_t i = 0; i < view.count; i++) {
                double p[3];
                collide_local(pose, tpi_vector(view.x[i], view.y[i], view.z[i]), p);
                double least = s == 4 ? 0.0 : 0.02;
                inside += shapes[s].distance(&shapes[s], p) > least - 1e-4 ? 0u : 1u;
                touched += (view.meta[i] & TP_META_CONTACT) != 0;
                if (f % 20 == 0)
                    CHECK(tp_particle_set(
                              made.world, i,
                              tpi_add(test_random_position(&noise, 2.0f), tpi_vector(0, 8, 0)),
                              tpi_vector(0, -30, 0)) == TP_OK);
            }
        }
        test_note("%s: %u touches, %u pushed out, %u capped", shapes[s].name, touched,
                  (uint32_t)tp_world_report(made.world).pushed_out,
                  (uint32_t)tp_world_report(made.world).contacts_limited);
        CHECK_EQ(inside, 0);
        CHECK(touched > 50);
        test_world_free(&made);
    }
}

/* ---- starts inside, and special touches ---- */

static void particle_born_inside_a_solid_is_pushed_out(void)
{
    oracle shapes[5];
    oracle_shapes(shapes);
    for (uint32_t s = 1; s < 5; s++) {
        test_world made = collide_world(3, 0.02f);
        if (shapes[s].def.shape == TP_COLLIDER_BOX)
            shapes[s].def.half = tpi_vector(0.4f, 0.3f, 0.2f);
        if (shapes[s].def.shape == TP_COLLIDER_CAPSULE) shapes[s].def.radius = 0.3f;
        collide_add(made.world, &shapes[s].def);
        tp_vector place = s == 3   ? tpi_vector(0.35f, 0.75f, 0.75f)
                          : s == 4 ? tpi_vector(1.03f, -0.4f, 0.98f)
                                   : tpi_vector(0.1f, 0.15f, 0.05f);
        collide_particle(made.world, place, tpi_vector(0, 0, 0));
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        double end[3] = {(double)view.x[0], (double)view.y[0], (double)view.z[0]};
        test_note("%s", shapes[s].name);
        CHECK(shapes[s].distance(&shapes[s], end) >= 0.02 - 1e-4);
        CHECK(view.vx[0] == 0.0f && view.vy[0] == 0.0f && view.vz[0] == 0.0f);
        CHECK(tp_world_report(made.world).pushed_out >= 1);
        CHECK(view.meta[0] & TP_META_CONTACT);
        test_world_free(&made);
    }
}

/* Aims exactly at corners and edges and along faces of a box and a mesh, with and without
   radius. */
static void grazing_edge_and_corner_hits_are_finite(void)
{
    const tp_vector aims[6] = {{.5f, .5f, .5f},  {.5f, .5f, 0}, {.5f, 0, 0},
                               {.5f, .5f, -.5f}, {0, .5f, .1f}, {-.5f, -.5f, .5f}};
    const tp_vector ways[7] = {{-1, 0, 0}, {0, -1, 0}, {-1, -1, 0},   {-1, -1, -1},
                               {1, -1, 0}, {0, 0, 1},  {1, 0, -1e-4f}};
    for (uint32_t k = 0; k < 2u * 2u * 42u; k++) {
        float radius = k & 1u ? 0.0f : 0.1f;
        tp_vector aim = aims[k / 4u % 6u], way = tpi_normalise(ways[k / 24u], tpi_vector(0, 1, 0));
        test_world made = collide_world(3, radius);
        tp_collider_def shape = k & 2u ? collide_cube(false) : tp_collider_default(TP_COLLIDER_BOX);
        shape.restitution = 0.5f;
        collide_add(made.world, &shape);
        for (int offset = -1; offset <= 1; offset++) {
            tp_vector target =
                tpi_add(aim, tpi_scale(tpi_vector(0.0f, radius, 0.0f), (float)offset));
            tpi_path path = collide_sweep(made.world, tpi_add_scaled(target, way, -3.0f),
                                          tpi_scale(way, 360.0f), radius);
            test_note("case %u, offset %d", k, offset);
            CHECK(tpi_is_finite_vector(path.to) && tpi_is_finite_vector(path.velocity));
            CHECK(tpi_length(path.velocity) <= 360.001f);
        }
        test_world_free(&made);
    }
}

/* Moves of one metre per frame through a sheet of a millionth of that thickness, thousands of
   times. */
static void thin_sheet_stops_fast_particles(void)
{
    test_world made = collide_world(3, 0.0f);
    tp_collider_def sheet = tp_collider_default(TP_COLLIDER_BOX);
    sheet.half = tpi_vector(10.0f, 1e-6f, 10.0f);
    collide_add(made.world, &sheet);
    uint32_t below = 0;
    for (int k = 0; k < 20000; k++) {
        tp_vector from = test_random_position(&noise, 1.0f),
                  velocity = test_random_position(&noise, 500.0f);
        from.y = 0.001f + tpi_abs(from.y);
        velocity.y = -60.0f - 2.0f * tpi_abs(velocity.y);
        tpi_path path = collide_sweep(made.world, from, velocity, 0.0f);
        below += (path.to.y > 0.0f) ? 0u : 1u;
    }
    CHECK_EQ(below, 0);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_million_sweeps_end_outside),
    TEST_CASE(moving_solids_never_swallow_a_particle),
    TEST_CASE(particle_born_inside_a_solid_is_pushed_out),
    TEST_CASE(grazing_edge_and_corner_hits_are_finite),
    TEST_CASE(thin_sheet_stops_fast_particles),
};
TEST_SUITE(sweep_physics, cases);
