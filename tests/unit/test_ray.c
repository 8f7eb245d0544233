/* SPDX-License-Identifier: MIT
   tests/unit/test_ray.c - rays and moving spheres: against colliders of every shape, with sampled
           distances in double precision as oracle; against particles, with brute force.
   reads   runtime/grid/query_ray.c, runtime/move/ray.c      writes  nothing
   memory  malloc      cost  about a second
   after   own design; the oracles share no code with the runtime */
#include "collide_help.h"
#include "query_help.h"
#include "test.h"
#include <math.h>
#include <string.h>

static uint32_t noise = 3;

static bool is_same_hit(const tp_ray_hit *a, const tp_ray_hit *b)
{
    return a->is_hit == b->is_hit && a->is_inside == b->is_inside && a->time == b->time &&
           memcmp(&a->center, &b->center, sizeof a->center) == 0 &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->particle == b->particle &&
           a->collider.id == b->collider.id;
}

/* ---- shapes in double precision, in their own frames ---- */

enum { GROUND_SIDE = 12, LEVEL_SIDE = 10 };
static float ground[GROUND_SIDE * GROUND_SIDE], levels[LEVEL_SIDE * LEVEL_SIDE * LEVEL_SIDE];

typedef struct solid {
    const char *name;
    tp_collider_def def;
    uint32_t dimensions;
    double middle[3], wide; /* where rays aim, and how far around it */
} solid;

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double box_distance(const double p[3], const double half[3], uint32_t dimensions)
{
    double outside = 0.0, inside = -1e30;
    for (uint32_t a = 0; a < dimensions; a++) {
        double s = fabs(p[a]) - half[a];
        outside += s > 0.0 ? s * s : 0.0;
        inside = fmax(inside, s);
    }
    return outside > 0.0 ? sqrt(outside) : inside;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The distance of a point from a segment. */
static double edge_distance(const double p[3], const double a[3], const double b[3])
{
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double f[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    double t = clamp(dot(e, f) / fmax(dot(e, e), 1e-300), 0.0, 1.0), square = 0.0;
    for (uint32_t k = 0; k < 3; k++) square += (f[k] - t * e[k]) * (f[k] - t * e[k]);
    return sqrt(square);
}

static void cross(const double a[3], const double b[3], double to[3])
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static double triangle_distance(const double p[3], const double t[3][3])
{
    double e[3][3], n[3], least = 1e300, f[3], c[3];
    bool is_over = true;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t a = 0; a < 3; a++) e[k][a] = t[(k + 1u) % 3u][a] - t[k][a];
        least = fmin(least, edge_distance(p, t[k], t[(k + 1u) % 3u]));
    }
    cross(e[0], e[1], n);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t a = 0; a < 3; a++) f[a] = p[a] - t[k][a];
        cross(e[k], f, c);
        is_over = is_over && dot(c, n) >= 0.0;
    }
    return is_over ? fabs(dot(f, n)) / sqrt(dot(n, n)) : least;
}

/* Of a mesh in 2D. */
static double edges_distance(const tp_collider_def *def, const double p[3])
{
    double least = 1e300;
    for (uint32_t k = 0; k < def->triangle_count; k++) {
        tp_vector a = def->vertices[def->indices[2u * k]],
                  b = def->vertices[def->indices[2u * k + 1u]];
        const double from[3] = {(double)a.x, (double)a.y, 0.0},
                     to[3] = {(double)b.x, (double)b.y, 0.0};
        least = fmin(least, edge_distance(p, from, to));
    }
    return least;
}

static double mesh_distance(const tp_collider_def *def, const double p[3])
{
    double least = 1e300;
    for (uint32_t k = 0; k < def->triangle_count; k++) {
        double t[3][3];
        for (uint32_t c = 0; c < 3; c++) {
            tp_vector v = def->vertices[def->indices[3u * k + c]];
            t[c][0] = (double)v.x;
            t[c][1] = (double)v.y;
            t[c][2] = (double)v.z;
        }
        least = fmin(least, triangle_distance(p, (const double(*)[3])t));
    }
    return least;
}

static double height_of(const tp_collider_def *def, uint32_t i, uint32_t j)
{
    return (double)def->samples[i + def->columns * (def->rows == 1u ? 0u : j)];
}

/* The distance of a point from the triangles; negative below them. Not beside the field. */
static double ground_distance(const tp_collider_def *def, const double p[3])
{
    double s = (double)def->spacing, least = 1e300;
    bool is_under = false;
    for (uint32_t j = 0; j < (def->rows == 1u ? 1u : def->rows - 1u); j++)
        for (uint32_t i = 0; i < def->columns - 1u; i++) {
            double z0 = def->rows == 1u ? -5.0 : j * s, z1 = def->rows == 1u ? 5.0 : (j + 1u) * s;
            double x0 = i * s, x1 = (i + 1u) * s, u = (p[0] - x0) / s, w = (p[2] - z0) / (z1 - z0);
            double y00 = height_of(def, i, j), y10 = height_of(def, i + 1u, j);
            double y01 = height_of(def, i, j + 1u), y11 = height_of(def, i + 1u, j + 1u);
            const double lower[3][3] = {{x0, y00, z0}, {x1, y11, z1}, {x1, y10, z0}};
            const double upper[3][3] = {{x0, y00, z0}, {x0, y01, z1}, {x1, y11, z1}};
            least = fmin(least, fmin(triangle_distance(p, lower), triangle_distance(p, upper)));
            if (u < 0.0 || u > 1.0 || w < 0.0 || w > 1.0) continue;
            double y = u >= w ? y00 + (y10 - y00) * u + (y11 - y10) * w
                              : y00 + (y01 - y00) * w + (y11 - y01) * u;
            is_under = p[1] < y;
        }
    return is_under ? -least : least;
}

/* The trilinear value; outside the nearest value plus the distance to it. */
static double level_distance(const tp_collider_def *def, const double p[3])
{
    const uint32_t counts[3] = {def->columns, def->rows, def->layers};
    double s = (double)def->spacing, place[3], out = 0.0, value = 0.0;
    uint32_t cell[3];
    for (uint32_t a = 0; a < 3; a++) {
        double within = clamp(p[a], 0.0, (counts[a] - 1u) * s);
        out += (p[a] - within) * (p[a] - within);
        cell[a] = counts[a] < 2u ? 0u : (uint32_t)fmin(within / s, counts[a] - 2.0);
        place[a] = within / s - cell[a];
    }
    for (uint32_t c = 0; c < (def->layers > 1u ? 8u : 4u); c++) {
        double weight = 1.0;
        for (uint32_t a = 0; a < (def->layers > 1u ? 3u : 2u); a++)
            weight *= (c >> a & 1u) ? place[a] : 1.0 - place[a];
        value += weight * (double)def->samples[cell[0] + (c & 1u) +
                                               def->columns * (cell[1] + (c >> 1 & 1u) +
                                                               def->rows * (cell[2] + (c >> 2)))];
    }
    return value + sqrt(out);
}

static double solid_distance(const solid *shape, const tp_pose *pose, const double place[3])
{
    const tp_collider_def *def = &shape->def;
    const double half[3] = {(double)def->half.x, (double)def->half.y, (double)def->half.z};
    const double radius = (double)def->radius;
    double q[4] = {(double)pose->rotation.w, -(double)pose->rotation.x, -(double)pose->rotation.y,
                   -(double)pose->rotation.z};
    double d[3] = {place[0] - (double)pose->position.x, place[1] - (double)pose->position.y,
                   place[2] - (double)pose->position.z};
    double t[3], p[3], c[3];
    cross(q + 1, d, t);
    for (uint32_t a = 0; a < 3; a++) t[a] *= 2.0;
    cross(q + 1, t, c);
    for (uint32_t a = 0; a < 3; a++) p[a] = d[a] + q[0] * t[a] + c[a];
    switch (def->shape) {
    case TP_COLLIDER_PLANE: return p[1];
    case TP_COLLIDER_SPHERE: return sqrt(dot(p, p)) - radius;
    case TP_COLLIDER_CAPSULE:
        p[1] -= clamp(p[1], -half[1], half[1]);
        return sqrt(dot(p, p)) - radius;
    case TP_COLLIDER_BOX:
        return box_distance(p, half, shape->dimensions) * (def->is_hollow ? -1.0 : 1.0);
    case TP_COLLIDER_MESH:
        return (shape->dimensions == 2 ? edges_distance(def, p) : mesh_distance(def, p)) -
               (def->is_two_sided ? (double)def->thickness : 0.0);
    case TP_COLLIDER_HEIGHTFIELD: return ground_distance(def, p);
    default: return level_distance(def, p);
    }
}

static void fill_samples(void)
{
    for (uint32_t s = 0; s < GROUND_SIDE * GROUND_SIDE; s++)
        ground[s] = test_uniform(&noise, -0.2f, 0.2f);
    for (uint32_t s = 0; s < LEVEL_SIDE * LEVEL_SIDE * LEVEL_SIDE; s++) {
        float x = (float)(s % 10u) * 0.2f - 0.9f, y = (float)(s / 10u % 10u) * 0.2f - 0.9f;
        float z = (float)(s / 100u) * 0.2f - 0.9f, ring = sqrtf(x * x + z * z) - 0.5f;
        levels[s] = sqrtf(ring * ring + y * y) - 0.25f;
    }
}

static tp_vector corners[4];

static solid solid_of(uint32_t kind, uint32_t dimensions)
{
    solid made = {.dimensions = dimensions, .wide = 0.8};
    bool is_flat = dimensions == 2;
    static const char *const names[9] = {"plane",       "sphere",     "capsule",
                                         "box",         "hollow box", "grid",
                                         "heightfield", "mesh",       "sheet of two sides"};
    made.name = names[kind];
    if (kind < 4) made.def = tp_collider_default((tp_collider_shape)kind);
    if (kind == 4) made.def = tp_collider_default(TP_COLLIDER_BOX);
    if (kind == 5)
        made.def = collide_grid(is_flat ? levels + 400 : levels, LEVEL_SIDE,
                                is_flat ? 1u : LEVEL_SIDE, 0.2f);
    if (kind == 6)
        made.def = collide_ground(ground, GROUND_SIDE, is_flat ? 1u : GROUND_SIDE, 0.25f);
    if (kind >= 7) made.def = collide_cube(kind == 8);
    if (kind >= 7 && is_flat) made.def = collide_rectangle(corners, 0.5f, 0.5f, false);
    if (kind == 8) made.def.is_two_sided = true;
    made.def.radius = 0.4f;
    made.def.half = (tp_vector){0.5f, 0.3f, 0.7f};
    made.def.is_hollow = kind == 4;
    if (kind == 8) made.def.thickness = 0.02f;
    if (kind == 5) made.middle[0] = made.middle[1] = made.middle[2] = 0.9;
    if (kind == 6) made.middle[0] = made.middle[2] = 1.375;
    if (is_flat) made.middle[2] = 0.0;
    if (kind == 4) made.wide = 0.25;
    if (kind == 6) made.wide = 0.5;
    return made;
}

/* ---- colliders ---- */

typedef struct ray_check {
    const solid *shape;
    tp_pose pose;
    tp_ray ray;
} ray_check;

/* m: between the sphere at a time of the ray and the surface. */
static double gap_at(const ray_check *check, double time)
{
    const tp_ray *ray = &check->ray;
    const double place[3] = {(double)ray->from.x + time * (double)ray->move.x,
                             (double)ray->from.y + time * (double)ray->move.y,
                             (double)ray->from.z + time * (double)ray->move.z};
    return solid_distance(check->shape, &check->pose, place) - (double)ray->radius;
}

/* Until the hit, or to the end, the sphere meets nothing; at the hit it touches the surface. */
static void check_hit(const ray_check *check, const tp_ray_hit *hit, double tolerance)
{
    double end = hit->is_hit ? (double)hit->time : 1.0, least = 1e300;
    for (uint32_t k = 0; k <= 300; k++) least = fmin(least, gap_at(check, end * k / 300.0));
    CHECK(least > -tolerance);
    if (!hit->is_hit) return;
    double gap = gap_at(check, (double)hit->time);
    CHECK(gap < tolerance && gap > -tolerance);
    const double normal[3] = {(double)hit->normal.x, (double)hit->normal.y, (double)hit->normal.z};
    const double move[3] = {(double)check->ray.move.x, (double)check->ray.move.y,
                            (double)check->ray.move.z};
    const double point[3] = {(double)hit->point.x, (double)hit->point.y, (double)hit->point.z};
    CHECK_NEAR(dot(normal, normal), 1.0, 1e-4);
    CHECK(dot(normal, move) < 1e-6 * sqrt(dot(move, move)));
    double thick = check->shape->def.is_two_sided ? (double)check->shape->def.thickness : 0.0;
    /* samples are no exact distances far from the surface */
    if (check->shape->def.shape != TP_COLLIDER_GRID || check->ray.radius == 0.0f)
        CHECK_NEAR(solid_distance(check->shape, &check->pose, point) + thick, 0.0, 2.0 * tolerance);
    CHECK(!hit->is_inside && hit->collider.id != 0 && hit->particle == 0);
}

static tp_ray random_ray(const ray_check *check, uint32_t k)
{
    const solid *shape = check->shape;
    const float wide = (float)shape->wide;
    tp_vector middle = {(float)shape->middle[0], (float)shape->middle[1], (float)shape->middle[2]};
    tp_vector from = test_random_position(&noise, k & 1u ? wide : 2.5f);
    tp_vector to = test_random_position(&noise, wide);
    if (shape->def.shape == TP_COLLIDER_HEIGHTFIELD) { /* not over the rim */
        from = test_random_position(&noise, wide);
        from.y = test_uniform(&noise, 0.2f, 2.0f);
        to.y = test_uniform(&noise, -0.4f, 0.4f);
    }
    if (shape->def.is_hollow) from = test_random_position(&noise, wide);
    if (shape->dimensions == 2) from.z = to.z = 0.0f;
    from = tpi_to_world(check->pose, tpi_add(from, middle));
    to = tpi_to_world(check->pose, tpi_add(to, middle));
    tp_ray ray = {from, tpi_scale(tpi_sub(to, from), test_uniform(&noise, 0.5f, 3.0f)), 0.0f, 1u};
    if (shape->def.shape == TP_COLLIDER_HEIGHTFIELD) ray.move = tpi_sub(to, from);
    if (k % 3u) ray.radius = test_uniform(&noise, 0.0f, k % 5u == 1u ? 0.3f : 0.05f);
    return ray;
}

/* A mesh by winding is not met from inside. */
static bool is_in_cube(const ray_check *check)
{
    const tp_collider_def *def = &check->shape->def;
    double p[3];
    collide_local(check->pose, check->ray.from, p);
    return def->shape == TP_COLLIDER_MESH && !def->is_two_sided &&
           fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) < 0.5;
}

static tp_result ray_sliced(const tp_world *world, const tp_ray *ray, uint32_t units,
                            tp_ray_hit *hit)
{
    tp_query_cursor cursor = {0};
    tp_result result;
    do result = tp_world_ray(world, ray, units, &cursor, hit);
    while (query_goes_on(result, &cursor, units));
    return result;
}

static void rays_against(uint32_t kind, uint32_t dimensions, uint32_t count)
{
    test_world made = collide_world(dimensions, 0.05f);
    solid shape = solid_of(kind, dimensions);
    ray_check check = {.shape = &shape};
    uint32_t hits = 0;
    check.pose = test_random_pose(&noise, 3.0f);
    if (dimensions == 2) {
        check.pose.position.z = 0.0f;
        check.pose.rotation = collide_about_z(0.7f);
    }
    shape.def.pose = check.pose;
    collide_add(made.world, &shape.def);
    for (uint32_t k = 0; k < count; k++) {
        tp_ray_hit hit, again;
        check.ray = random_ray(&check, k);
        if (gap_at(&check, 0.0) < 1e-3 || is_in_cube(&check)) continue;
        test_note("%s, %u dimensions, ray %u", shape.name, dimensions, k);
        CHECK(tp_world_ray(made.world, &check.ray, 0, NULL, &hit) == TP_OK);
        check_hit(&check, &hit, 1e-4);
        hits += hit.is_hit;
        CHECK(ray_sliced(made.world, &check.ray, k & 1u ? 1u : 64u, &again) == TP_OK);
        CHECK(is_same_hit(&hit, &again));
    }
    CHECK(hits > count / 10u);
    test_world_free(&made);
}

static void rays_stop_at_the_surface_of_every_shape(void)
{
    fill_samples();
    for (uint32_t kind = 0; kind < 9; kind++)
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
            rays_against(kind, dimensions, kind == 6 && dimensions == 3 ? 25u : 150u);
}

/* The collider that is met first, whatever the order in which they were added. */
static void the_nearest_of_many_colliders_is_hit(void)
{
    for (uint32_t order = 0; order < 2; order++) {
        test_world made = collide_world(3, 0.05f);
        tp_collider added[5], nearest = {0};
        for (uint32_t k = 0; k < 5; k++) {
            tp_collider_def def = tp_collider_default(TP_COLLIDER_SPHERE);
            uint32_t place = order ? 4u - k : k;
            def.radius = 0.3f;
            def.pose.position.x = 1.0f + (float)place;
            added[k] = collide_add(made.world, &def);
            if (place == 0) nearest = added[k];
        }
        tp_ray ray = {{0, 0, 0}, {10, 0, 0}, 0.1f, ~0u};
        tp_ray_hit hit;
        CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK);
        CHECK(hit.is_hit && hit.collider.id == nearest.id);
        CHECK_NEAR(hit.time, 0.06, 1e-5);
        CHECK_NEAR(hit.point.x, 0.7, 1e-5);
        CHECK_NEAR(hit.center.x, 0.6, 5e-5);
        CHECK(tp_collider_remove(made.world, nearest) == TP_OK);
        CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK);
        CHECK_NEAR(hit.time, 0.16, 1e-5);
        test_world_free(&made);
    }
}

static void the_mask_of_species_selects_colliders(void)
{
    test_world made = collide_world(2, 0.05f);
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    tp_ray ray = {{0, 1, NAN}, {0, -2, NAN}, 0.0f, 2u};
    tp_ray_hit hit;
    def.species_mask = 5u;
    collide_add(made.world, &def);
    CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK && !hit.is_hit);
    ray.species_mask = 4u;
    CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK && hit.is_hit);
    CHECK_NEAR(hit.time, 0.5, 2e-5);
    CHECK(hit.normal.y == 1.0f && hit.point.z == 0.0f);
    test_world_free(&made);
}

static void a_ray_that_begins_inside_says_so(void)
{
    fill_samples();
    for (uint32_t kind = 0; kind < 7; kind++) {
        test_world made = collide_world(3, 0.05f);
        solid shape = solid_of(kind, 3);
        tp_vector middle = {(float)shape.middle[0], -0.5f, (float)shape.middle[2]};
        if (kind == 4) middle = (tp_vector){0, 5.0f, 0};
        if (kind == 5) middle = (tp_vector){0.9f + 0.5f, 0.9f, 0.9f};
        if (kind > 0 && kind < 4) middle.y = 0.0f;
        collide_add(made.world, &shape.def);
        tp_ray ray = {middle, {0, 9.0f, 0}, 0.01f, 1u};
        tp_ray_hit hit;
        test_note("%s", shape.name);
        CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK);
        CHECK(hit.is_hit && hit.is_inside && hit.time == 0.0f);
        test_world_free(&made);
    }
}

/* A ball moves from 0 to 1 m during a frame of two steps. */
static void colliders_stand_where_the_last_complete_step_left_them(void)
{
    tp_world_def def = collide_scene(2, 0.05f);
    def.substeps.count = 2;
    test_world made = test_world_make(&def);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    const float expected[4] = {0.0f, 0.0f, 0.5f, 1.0f};
    ball.radius = 0.25f;
    tp_collider collider = collide_add(made.world, &ball);
    for (uint32_t i = 0; i < 60; i++)
        collide_particle(made.world, (tp_vector){20, 0.1f * (float)i, 0}, (tp_vector){0, 0, 0});
    CHECK(tp_collider_move(made.world, collider, (tp_pose){{1, 0, 0}, {1, 0, 0, 0}}) == TP_OK);
    tp_budget some = {.units = 80, .is_same_frame = true}, first = {.units = 80};
    uint32_t seen = 0;
    for (uint32_t k = 0; k < 60; k++) {
        tp_ray ray = {{-9, 0, 0}, {18, 0, 0}, 0.0f, 1u};
        tp_ray_hit hit;
        uint64_t steps = tp_world_report(made.world).steps;
        uint32_t place = k == 0 ? 0u : steps == 0 ? 1u : steps == 1 ? 2u : 3u;
        CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK && hit.is_hit);
        CHECK_NEAR(hit.point.x, expected[place] - 0.25f, 1e-4);
        seen |= 1u << place;
        if (steps == 2) break;
        some.units += 80;
        CHECK(tp_frame(made.world, k ? &some : &first, NULL) >= TP_OK);
    }
    CHECK_EQ(seen, 15);
    test_world_free(&made);
}

/* ---- particles ---- */

typedef struct brute_hit {
    double time; /* 2: none */
    uint32_t id;
} brute_hit;

/* The first time at which a point that starts at -d, relative to a particle, is `reach` away. */
static double ball_time(const double d[3], const double move[3], double reach)
{
    double square = dot(move, move), along = dot(d, move), rest;
    if (dot(d, d) < reach * reach) return 0.0;
    rest = along * along - square * (dot(d, d) - reach * reach);
    if (rest < 0.0 || along < 0.0) return 2.0;
    double time = (along - sqrt(rest)) / square;
    return time <= 1.0 ? time : 2.0;
}

static brute_hit brute_ray(const query_scene *scene, const tp_ray *ray, double reach)
{
    const tp_world_def *def = tp_world_definition(scene->world);
    tp_view view = tp_world_view(scene->world);
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    const double move[3] = {(double)ray->move.x, (double)ray->move.y,
                            def->dimensions == 3 ? (double)ray->move.z : 0.0};
    int32_t images[3];
    brute_hit best = {2.0, 0};
    for (uint32_t a = 0; a < 3; a++) {
        bool is_periodic = (def->periodic_axes >> a & 1u) != 0;
        images[a] = is_periodic ? (int32_t)ceil((fabs(move[a]) + reach) / (double)size[a]) + 1 : 0;
    }
    for (uint32_t i = 0; i < view.count; i++) {
        double d[3], e[3];
        if (!(ray->species_mask >> TP_META_SPECIES(view.meta[i]) & 1u)) continue;
        query_offset(scene, i, ray->from, d);
        for (int32_t x = -images[0]; x <= images[0]; x++)
            for (int32_t y = -images[1]; y <= images[1]; y++)
                for (int32_t z = -images[2]; z <= images[2]; z++) {
                    e[0] = d[0] + x * (double)size[0];
                    e[1] = d[1] + y * (double)size[1];
                    e[2] = d[2] + z * (double)size[2];
                    double time = ball_time(e, move, reach);
                    if (time < best.time) best = (brute_hit){time, view.id[i]};
                }
    }
    return best;
}

static void check_ray(query_scene *scene, const tp_ray *ray, uint32_t units)
{
    tp_query_cursor cursor = {0};
    tp_ray_hit hit, again;
    tp_result result;
    double reach = (double)ray->radius + (double)tp_query_definition(scene->query)->surface_radius;
    double length = sqrt((double)tpi_dot(ray->move, ray->move));
    if (tp_world_definition(scene->world)->dimensions == 2)
        length = hypot((double)ray->move.x, (double)ray->move.y);
    double rounding = query_rounding(scene, ray->from) + 1e-5 * reach;
    brute_hit low = brute_ray(scene, ray, reach + rounding), exact = brute_ray(scene, ray, reach);
    brute_hit high = brute_ray(scene, ray, fmax(reach - rounding, 0.0));
    CHECK(tp_query_ray(scene->query, ray, 0, NULL, &hit) == TP_OK);
    do result = tp_query_ray(scene->query, ray, units, &cursor, &again);
    while (query_goes_on(result, &cursor, units));
    CHECK(result == TP_OK && is_same_hit(&hit, &again));
    double tolerance = 20.0 * query_rounding(scene, ray->from) / length + 1e-6;
    double time = hit.is_hit ? (double)hit.time : 2.0;
    /* grazing rays may meet a ball or not */
    CHECK(time >= low.time - tolerance && time <= high.time + tolerance);
    if (!hit.is_hit) return;
    CHECK(!hit.is_inside || exact.time < tolerance);
    CHECK_NEAR(tpi_length(hit.normal), 1.0, 1e-4);
    CHECK_EQ(hit.collider.id, 0);
    tp_view view = tp_world_view(scene->world);
    for (uint32_t i = 0; i < view.count; i++) {
        double d[3];
        if (view.id[i] != hit.particle) continue;
        query_offset(scene, i, hit.point, d);
        CHECK_NEAR(sqrt(dot(d, d)), tp_query_definition(scene->query)->surface_radius,
                   query_rounding(scene, hit.center) + 1e-5);
    }
}

static void probe_scene(query_scene *scene, uint32_t kind, uint32_t dimensions)
{
    for (uint32_t k = 0; k < 40; k++) {
        tp_vector from = query_point(scene), to = query_point(scene);
        if (k & 1u) from = tpi_add(from, test_random_position(&scene->random, 3.0f));
        if (kind >= QUERY_PERIODIC && k % 4u == 2u)
            from = tpi_add(scene->middle, test_random_position(&scene->random, 0.3f));
        if (dimensions == 2) from.z = to.z = 0.0f;
        tp_ray ray = {from, tpi_sub(to, from), 0.0f, k % 5u ? 7u : 2u};
        if (kind >= QUERY_PERIODIC) ray.move = tpi_scale(ray.move, 0.05f);
        if (k % 3u == 1u) ray.radius = 0.07f;
        test_note("arrangement %u, %u dimensions, ray %u", kind, dimensions, k);
        check_ray(scene, &ray, k & 1u ? 64u : 1u + k);
    }
}

static void rays_through_particles_equal_brute_force(void)
{
    for (uint32_t seed = 100; seed < (test_is_long() ? 104 : 101); seed++)
        for (uint32_t kind = 0; kind < QUERY_KINDS; kind++)
            for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
                query_scene scene = query_scene_make(kind, dimensions, seed);
                probe_scene(&scene, kind, dimensions);
                query_scene_free(&scene);
            }
}

/* A row of particles along a ray: the first is hit; from inside, the ball that is there. */
static void the_first_particle_on_the_way_is_hit(void)
{
    tp_world_def def = tp_world_default(2);
    query_scene scene = {.made = test_world_make(&def)};
    tp_query_def wanted = tp_query_default(&def);
    scene.world = scene.made.world;
    for (uint32_t i = 0; i < 100; i++)
        CHECK(tp_particle_add(scene.world, (tp_vector){10.0f - 0.1f * (float)i, 0, 0},
                              (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    wanted.surface_radius = 0.05f;
    query_scene_query(&scene, &wanted);
    CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
    tp_ray ray = {{-5, 0, 0}, {100, 0, 0}, 0.0f, 1u};
    tp_ray_hit hit;
    CHECK(tp_query_ray(scene.query, &ray, 0, NULL, &hit) == TP_OK);
    CHECK(hit.is_hit && hit.particle == 99 && !hit.is_inside);
    CHECK_NEAR(hit.time, (5.0 + 0.1 - 0.05) / 100.0, 1e-6);
    CHECK_NEAR(hit.normal.x, -1.0, 1e-5);
    ray.from.x = 5.02f;
    CHECK(tp_query_ray(scene.query, &ray, 0, NULL, &hit) == TP_OK);
    CHECK(hit.is_hit && hit.is_inside && hit.time == 0.0f && hit.particle == 50);
    ray.from.y = 1.0f;
    CHECK(tp_query_ray(scene.query, &ray, 0, NULL, &hit) == TP_OK && !hit.is_hit);
    CHECK(hit.time == 0.0f && hit.center.y == 0.0f);
    ray = (tp_ray){{10, 1, 0}, {0, -1, 0}, 0.95f, 1u}; /* begins at contact, not inside */
    CHECK(tp_query_ray(scene.query, &ray, 0, NULL, &hit) == TP_OK);
    CHECK(hit.is_hit && !hit.is_inside && hit.time == 0.0f && hit.particle == 0);
    query_scene_free(&scene);
}

static void of_contacts_at_the_same_time_the_lowest_counts(void)
{
    query_scene scene = query_scene_make(QUERY_COINCIDENT, 3, 1);
    test_world made = collide_world(3, 0.05f);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    tp_ray ray = {{0.1f, 3.0f, 0.3f}, {0, -6.0f, 0}, 0.0f, 4u};
    tp_ray_hit hit;
    for (uint32_t order = 0; order < 2; order++) {
        CHECK(tp_query_ray(scene.query, &ray, 0, NULL, &hit) == TP_OK);
        CHECK(hit.is_hit && hit.particle == 2); /* the first of its species */
        query_exchange(scene.world, 2, 197);
        CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
    }
    tp_collider first = collide_add(made.world, &plane);
    collide_add(made.world, &plane);
    ray.species_mask = 1u;
    CHECK(tp_world_ray(made.world, &ray, 0, NULL, &hit) == TP_OK);
    CHECK(hit.is_hit && hit.collider.id == first.id);
    test_world_free(&made);
    query_scene_free(&scene);
}

/* 2 units per collider, in slices and at once; a limit of 1 unit tests one collider per call. */
static void a_ray_counts_its_units(void)
{
    tp_world_def def = collide_scene(2, 0);
    def.colliders_max = 8;
    test_world made = test_world_make(&def);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    for (uint32_t k = 0; k < 5; k++) (void)collide_add(made.world, &plane);
    const tp_ray ray = {{0, 1, 0}, {0, -2, 0}, 0, 1};
    tp_query_cursor whole = {0}, parts = {0};
    tp_ray_hit hit, other;
    CHECK(tp_world_ray(made.world, &ray, 1000, &whole, &hit) == TP_OK);
    CHECK_EQ(whole.units, 10);
    for (uint32_t k = 0; k < 5; k++) {
        CHECK(tp_world_ray(made.world, &ray, 1, &parts, &other) == (k < 4 ? TP_MORE : TP_OK));
        CHECK_EQ(parts.units, 2);
    }
    CHECK(is_same_hit(&hit, &other));
    test_world_free(&made);
}

static void bad_rays_give_a_result_and_change_nothing(void)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1.1e9f, -1.1e9f};
    query_scene scene = query_scene_make(QUERY_PERIODIC, 3, 4); /* at least 1.9 m wide */
    const tp_ray good = {{0, 1, 0}, {1, 1, 1}, 0.0f, 7u};
    tp_ray_hit hit = {.particle = 77}, before = hit;
    for (uint32_t k = 0; k < 3u * sizeof bad / sizeof *bad; k++) {
        tp_ray ray = good;
        float *const members[3] = {&ray.from.y, &ray.move.z, &ray.radius};
        *members[k % 3u] = bad[k / 3u];
        CHECK(tp_query_ray(scene.query, &ray, 0, NULL, &hit) == TP_ERROR_QUERY);
        CHECK(tp_world_ray(scene.world, &ray, 0, NULL, &hit) == TP_ERROR_QUERY);
    }
    tp_ray wide = good, far = good;
    wide.radius = 0.4f;
    far.move.x = 9e8f;
    CHECK(tp_query_ray(scene.query, &wide, 0, NULL, &hit) == TP_ERROR_QUERY);
    CHECK(tp_query_ray(scene.query, &far, 0, NULL, &hit) == TP_ERROR_QUERY);
    CHECK(tp_query_ray(NULL, &good, 0, NULL, &hit) == TP_ERROR_NULL);
    CHECK(tp_query_ray(scene.query, NULL, 0, NULL, &hit) == TP_ERROR_NULL);
    CHECK(tp_query_ray(scene.query, &good, 0, NULL, NULL) == TP_ERROR_NULL);
    CHECK(tp_query_ray(scene.query, &good, 9, NULL, &hit) == TP_ERROR_NULL);
    CHECK(tp_world_ray(NULL, &good, 0, NULL, &hit) == TP_ERROR_NULL);
    CHECK(tp_world_ray(scene.world, NULL, 0, NULL, &hit) == TP_ERROR_NULL);
    CHECK(tp_world_ray(scene.world, &good, 0, NULL, NULL) == TP_ERROR_NULL);
    CHECK(tp_world_ray(scene.world, &good, 9, NULL, &hit) == TP_ERROR_NULL);
    CHECK(tp_world_ray((const tp_world *)(void *)scene.query, &good, 0, NULL, &hit) ==
          TP_ERROR_BLOCK);
    CHECK(is_same_hit(&hit, &before));
    CHECK(tp_query_clear(scene.query) == TP_OK);
    CHECK(tp_query_ray(scene.query, &good, 0, NULL, &hit) == TP_ERROR_EMPTY);
    query_scene_free(&scene);
}

static const test_case cases[] = {
    TEST_CASE(rays_stop_at_the_surface_of_every_shape),
    TEST_CASE(the_nearest_of_many_colliders_is_hit),
    TEST_CASE(the_mask_of_species_selects_colliders),
    TEST_CASE(a_ray_that_begins_inside_says_so),
    TEST_CASE(colliders_stand_where_the_last_complete_step_left_them),
    TEST_CASE(rays_through_particles_equal_brute_force),
    TEST_CASE(the_first_particle_on_the_way_is_hit),
    TEST_CASE(of_contacts_at_the_same_time_the_lowest_counts),
    TEST_CASE(a_ray_counts_its_units),
    TEST_CASE(bad_rays_give_a_result_and_change_nothing),
};
TEST_SUITE(ray, cases);
