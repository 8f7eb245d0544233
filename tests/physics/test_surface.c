/* SPDX-License-Identifier: MIT
   tests/physics/test_surface.c - meshes and heightfields as walls of a fluid: the planes that stand
           for them, floor rows, moving meshes, work.
   reads   runtime/move/facet.c, mesh.c, heightfield.c, wall.c      writes  nothing
   memory  worlds of up to 3000 particles, meshes of 5000 triangles      cost    some seconds
   after   own design: planes and boxes, and shares of the kernel by integration, are the oracle */
#include "test.h"
#include "collide_help.h"
#include "dfsph_worlds.h"
#include "platform.h"
#include "wall_sums.h"
#include <math.h>
#include <string.h>

#define SIDE_MOST 49u /* cells along each side of a sheet */

/* ---- surfaces ---- */

typedef struct sheet {
    tp_vector vertices[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
    uint32_t indices[SIDE_MOST * SIDE_MOST * 6], count;
} sheet;

/* A height over x and z. */
typedef float surface_height(float x, float z);

static float height_flat(float x, float z) { return 0.0f * (x + z); }
static float height_slope(float x, float z) { return 0.4f * x + 0.2f * z; }

/* A sheet of size 1 x 1 over x and z, its upper side in front. */
static tp_collider_def sheet_def(sheet *s, uint32_t side, surface_height *height)
{
    uint32_t *to = s->indices;
    for (uint32_t i = 0; i < (side + 1) * (side + 1); i++) {
        float x = (float)(i % (side + 1)) / (float)side, z = (float)(i / (side + 1)) / (float)side;
        s->vertices[i] = (tp_vector){x, height(x, z), z};
    }
    for (uint32_t i = 0; i < side * side; i++) {
        uint32_t a = i % side + i / side * (side + 1), b = a + 1, c = a + side + 1, d = c + 1;
        const uint32_t corners[6] = {a, c, b, b, c, d};
        memcpy(to, corners, sizeof corners);
        to += 6;
    }
    return collide_mesh(s->vertices, (side + 1) * (side + 1), s->indices, side * side * 2);
}

/* The same heights as a heightfield. */
static tp_collider_def field_def(float *samples, uint32_t side, bool is_strip,
                                 surface_height *height)
{
    uint32_t rows = is_strip ? 1 : side + 1;
    for (uint32_t i = 0; i < (side + 1) * rows; i++)
        samples[i] =
            height((float)(i % (side + 1)) / (float)side, (float)(i / (side + 1)) / (float)side);
    return collide_ground(samples, side + 1, rows, 1.0f / (float)side);
}

/* The same heights as a chain of edges. */
static tp_collider_def chain_def(sheet *s, uint32_t side, surface_height *height)
{
    for (uint32_t i = 0; i <= side; i++) {
        float x = 1.0f - (float)i / (float)side;
        s->vertices[i] = (tp_vector){x, height(x, 0), 0};
        s->indices[2 * i] = i;
        s->indices[2 * i + 1] = i + 1;
    }
    return collide_mesh(s->vertices, side + 1, s->indices, side);
}

/* The inside of a box from the origin to (x, y, z): six sides seen from inside. */
static const uint32_t room_indices[36] = {0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7, 0, 4, 1, 1, 4, 5,
                                          2, 3, 6, 3, 7, 6, 0, 2, 4, 2, 6, 4, 1, 5, 3, 3, 5, 7};

static tp_collider_def room_def(tp_vector vertices[8], tp_vector size)
{
    for (uint32_t i = 0; i < 8; i++)
        vertices[i] = (tp_vector){i & 1u ? size.x : 0, i & 2u ? size.y : 0, i & 4u ? size.z : 0};
    return collide_mesh(vertices, 8, room_indices, 12);
}

/* ---- planes ---- */

static test_world surface_world(uint32_t dimensions, const tp_collider_def *def)
{
    tp_world_def world_def = fluid_def(dimensions, 8);
    tp_collider added;
    world_def.geometry_bytes_max = 1u << 20;
    test_world made = test_world_make(&world_def);
    CHECK(tp_collider_add(made.world, def, &added) == TP_OK);
    return made;
}

static uint32_t walls_of(const test_world *made, tp_vector point, tpi_wall walls[6])
{
    return walls_at(made->world, tpi_collider_at(made->world, 0), point, walls);
}

/* Points over a plane get that plane, wherever the edges of triangles are. */
static void check_plane(uint32_t dimensions, const tp_collider_def *def, tp_vector normal)
{
    test_world made = surface_world(dimensions, def);
    float h = made.world->constants.smoothing_radius, most = 0, part = 0;
    uint32_t state = 5;
    for (uint32_t k = 0; k < 2000; k++) {
        tp_vector point = {test_uniform(&state, 0.2f, 0.8f), 0,
                           dimensions == 3 ? test_uniform(&state, 0.2f, 0.8f) : 0};
        float distance = test_uniform(&state, -0.2f * h, 0.999f * h);
        point.y = -(normal.x * point.x + normal.z * point.z) / normal.y;
        tpi_wall walls[6];
        uint32_t count = walls_of(&made, tpi_add_scaled(point, normal, distance), walls);
        test_note("shape %d of %u cells: point %u at %.3f h", (int)def->shape, def->columns, k,
                  (double)distance / (double)h);
        if (!CHECK(count >= 1)) break;
        most = fmaxf(most, fabsf(walls[0].distance - distance));
        most = fmaxf(most, tpi_length(tpi_sub(walls[0].normal, normal)));
        for (uint32_t more = 1; more < count; more++)
            part = fmaxf(part, 1 - walls[more].distance / h);
    }
    test_note("shape %d: differences up to %.1e, further planes up to %.2f h deep", (int)def->shape,
              (double)most, (double)part);
    CHECK(most < 1e-5f);
    CHECK(part < 0.2f);
    test_world_free(&made);
}

static void a_flat_surface_counts_as_one_plane(void)
{
    static sheet s;
    static float samples[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
    static const uint32_t sides[3] = {1, 7, 20};
    const tp_vector up = {0, 1, 0},
                    slope = {-0.4f / 1.0954451f, 1 / 1.0954451f, -0.2f / 1.0954451f};
    for (uint32_t k = 0; k < 3; k++) {
        tp_collider_def def = sheet_def(&s, sides[k], height_flat);
        check_plane(3, &def, up);
        def = sheet_def(&s, sides[k], height_slope);
        check_plane(3, &def, slope);
        def = field_def(samples, sides[k], false, height_flat);
        check_plane(3, &def, up);
        def = field_def(samples, sides[k], false, height_slope);
        check_plane(3, &def, slope);
        def = field_def(samples, sides[k], true, height_slope);
        check_plane(2, &def, tpi_scale((tp_vector){-0.4f, 1, 0}, 1 / 1.0770330f));
        def = chain_def(&s, sides[k] * 10, height_slope);
        check_plane(2, &def, tpi_scale((tp_vector){-0.4f, 1, 0}, 1 / 1.0770330f));
        def = chain_def(&s, sides[k] * 100, height_flat);
        check_plane(2, &def, up);
    }
}

/* Compares the walls of a room of triangles with those of a hollow box; returns how many there
   are. */
static uint32_t check_room(const test_world *mesh, const test_world *box, tp_vector low,
                           tp_vector high)
{
    uint32_t state = 3, sum = 0;
    float h = mesh->world->constants.smoothing_radius;
    for (uint32_t k = 0; k < 2000; k++) {
        tp_vector point = {test_uniform(&state, low.x, high.x), test_uniform(&state, low.y, high.y),
                           test_uniform(&state, low.z, high.z)};
        if (tpi_dimensions(mesh->world) == 2) point.z = 0;
        tpi_wall a[6], b[6];
        uint32_t count = walls_of(mesh, point, a), sides = walls_of(box, point, b), near = 0;
        for (uint32_t side = 0; side < sides; side++) {
            if (fabsf(b[side].distance) >= 0.99f * h) continue;
            float nearest = 1;
            for (uint32_t w = 0; w < count; w++)
                nearest = fminf(nearest, fabsf(a[w].distance - b[side].distance) +
                                             fabsf(a[w].advance - b[side].advance) +
                                             tpi_length(tpi_sub(a[w].normal, b[side].normal)));
            CHECK(nearest < 2e-5f);
            near++;
        }
        CHECK(count >= near);
        sum += near;
    }
    return sum;
}

/* Inside a room in the middle of whose sides, edges and corners one, two and three planes count. */
static void a_room_of_triangles_has_the_walls_of_a_box(void)
{
    tp_vector vertices[8];
    tp_collider_def mesh = room_def(vertices, (tp_vector){0.4f, 0.5f, 0.6f});
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.is_hollow = true;
    box.half = (tp_vector){0.2f, 0.25f, 0.3f};
    box.pose.position = box.half;
    test_world one = surface_world(3, &mesh), other = surface_world(3, &box);
    uint32_t sum = check_room(&one, &other, (tp_vector){0.01f, 0.01f, 0.01f},
                              (tp_vector){0.39f, 0.49f, 0.59f});
    test_note("%u walls of 2000 points", sum);
    CHECK(sum > 1000);
    test_world_free(&one);
    test_world_free(&other);
}

/* In 2D: edges, each side in pieces. */
static void a_room_of_edges_has_the_walls_of_a_box(void)
{
    static sheet s;
    const uint32_t pieces = 25;
    for (uint32_t k = 0; k < 4 * pieces; k++) { /* clockwise */
        float along = (float)(k % pieces) / (float)pieces;
        const tp_vector at[4] = {
            {0, along, 0}, {along, 1, 0}, {1, 1 - along, 0}, {1 - along, 0, 0}};
        s.vertices[k] = (tp_vector){0.4f * at[k / pieces].x, 0.5f * at[k / pieces].y, 0};
        s.indices[2 * k] = k;
        s.indices[2 * k + 1] = (k + 1) % (4 * pieces);
    }
    tp_collider_def mesh = collide_mesh(s.vertices, 4 * pieces, s.indices, 4 * pieces);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.is_hollow = true;
    box.half = (tp_vector){0.2f, 0.25f, 1};
    box.pose.position = (tp_vector){0.2f, 0.25f, 0};
    test_world one = surface_world(2, &mesh), other = surface_world(2, &box);
    uint32_t sum =
        check_room(&one, &other, (tp_vector){0.01f, 0.01f, 0}, (tp_vector){0.39f, 0.49f, 0});
    test_note("%u walls of 2000 points", sum);
    CHECK(sum > 1000);
    test_world_free(&one);
    test_world_free(&other);
}

/* Outside of a solid the nearest point alone counts, in front of a side, an edge or a corner. */
static void a_cube_of_triangles_has_one_wall_at_its_nearest_point(void)
{
    tp_collider_def mesh = collide_cube(false);
    test_world made = surface_world(3, &mesh);
    uint32_t state = 3, found = 0;
    float h = made.world->constants.smoothing_radius;
    for (uint32_t k = 0; k < 5000; k++) {
        tp_vector point = test_random_position(&state, 0.5f + h), normal;
        tpi_wall walls[6];
        uint32_t count = walls_of(&made, point, walls);
        float distance = tpi_box_distance(point, (tp_vector){0.5f, 0.5f, 0.5f}, 0, &normal);
        if (distance > 0.999f * h || distance < -0.249f * h) continue;
        found++;
        if (!CHECK_EQ(count, 1)) continue;
        CHECK_NEAR(walls[0].distance, distance, 1e-5);
        if (distance > 0) CHECK(tpi_length(tpi_sub(walls[0].normal, normal)) < 2e-3f);
    }
    CHECK(found > 1000);
    test_world_free(&made);
}

/* Beside the open end of a chain it is round, above and below: nothing is inside of it. */
static void the_open_end_of_a_chain_is_in_front(void)
{
    static sheet s;
    tp_collider_def def = chain_def(&s, 4, height_flat);
    test_world made = surface_world(2, &def);
    float h = made.world->constants.smoothing_radius;
    for (uint32_t end = 0; end < 2; end++)
        for (uint32_t k = 0; k < 400; k++) {
            float angle = (float)k * 0.00785f - 1.57f, d = h * (0.05f + 0.19f * (float)(k % 5));
            tp_vector out = {end ? cosf(angle) : -cosf(angle), sinf(angle), 0};
            tpi_wall walls[6];
            uint32_t count =
                walls_of(&made, (tp_vector){(float)end + d * out.x, d * out.y, 0}, walls);
            test_note("end %u, %.2f rad, %.2f h away: %u walls", end, (double)angle,
                      (double)(d / h), count);
            if (!CHECK_EQ(count, 1)) break;
            CHECK_NEAR(walls[0].distance, d, 1e-5);
            CHECK(tpi_length(tpi_sub(walls[0].normal, out)) < 2e-3f);
        }
    test_world_free(&made);
}

/* So is the border of a sheet of triangles, down to a quarter of the support radius and but at its
   corners. */
static void the_border_of_a_sheet_is_in_front(void)
{
    static sheet s;
    tp_collider_def def = sheet_def(&s, 3, height_flat);
    test_world made = surface_world(3, &def);
    float h = made.world->constants.smoothing_radius;
    uint32_t state = 9;
    for (uint32_t k = 0; k < 800; k++) {
        float angle = test_uniform(&state, -1.57f, 1.57f),
              d = h * test_uniform(&state, 0.05f, 0.95f);
        float along = ((float)(k % 3) + test_uniform(&state, 0.01f, 0.99f)) / 3; /* at no vertex */
        tp_vector out = {cosf(angle), sinf(angle), 0}, foot = {1, 0, along};
        if (k % 4 == 1) out.x = -out.x, foot.x = 0;
        if (k % 4 > 1) {
            foot = (tp_vector){along, 0, k % 4 == 2 ? 1.0f : 0.0f};
            out = (tp_vector){0, out.y, k % 4 == 2 ? out.x : -out.x};
        }
        tpi_wall walls[6];
        uint32_t count = walls_of(&made, tpi_add_scaled(foot, out, d), walls);
        test_note("side %u, %.2f rad, %.2f h away: %u walls", k % 4, (double)angle, (double)(d / h),
                  count);
        if (d * out.y < -0.249f * h) { /* so far below no wall is left */
            CHECK(count == 0 || walls[0].distance > 0);
            continue;
        }
        if (!CHECK_EQ(count, 1)) break;
        CHECK_NEAR(walls[0].distance, d, 1e-5);
        CHECK(tpi_length(tpi_sub(walls[0].normal, out)) < 2e-3f);
    }
    test_world_free(&made);
}

/* In a step that ends at another pose: walls where it ends, or where it begins with what they
   advance. */
static void check_moving_room(tp_sph_formulation formulation)
{
    tp_vector vertices[8];
    tp_collider_def defs[2] = {room_def(vertices, (tp_vector){0.4f, 0.5f, 0.6f}),
                               tp_collider_default(TP_COLLIDER_BOX)};
    test_world made[2];
    defs[1].is_hollow = true;
    defs[1].half = (tp_vector){0.2f, 0.25f, 0.3f};
    defs[1].pose.position = defs[1].half;
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = fluid_def(3, 8);
        tp_collider added;
        tp_pose pose = defs[k].pose;
        if (formulation != TP_SPH_INCOMPRESSIBLE) tp_sph_double_density(&def, 0.1f);
        def.sph.formulation = formulation;
        def.geometry_bytes_max = 1u << 16;
        made[k] = test_world_make(&def);
        CHECK(tp_collider_add(made[k].world, &defs[k], &added) == TP_OK);
        pose.position.y += 0.03f;
        pose.position.x -= 0.02f;
        CHECK(tp_collider_move(made[k].world, added, pose) == TP_OK);
        CHECK(tp_particle_add(made[k].world, (tp_vector){0.2f, 0.2f, 0.2f}, (tp_vector){0, 0, 0}, 0,
                              NULL) == TP_OK);
        CHECK(test_world_run_to(made[k].world, TP_STAGE_PRESSURE, 700));
    }
    CHECK(check_room(&made[0], &made[1], (tp_vector){0.01f, 0.04f, 0.01f},
                     (tp_vector){0.36f, 0.49f, 0.59f}) > 1000);
    for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
}

static void a_mesh_that_moves_is_a_wall_as_a_box_that_moves(void)
{
    check_moving_room(TP_SPH_INCOMPRESSIBLE);
    check_moving_room(TP_SPH_DOUBLE_DENSITY);
}

/* ---- shares of the kernel ---- */

/* The share of the kernel (1 - q)^3 around a point that is behind the sheet of a valley, by
   integration in the plane across it. */
static double valley_share(double x, double y, double slope, double h)
{
    double all = 0, behind = 0;
    for (int i = -60; i <= 60; i++)
        for (int j = -60; j <= 60; j++) {
            double dx = i / 60.0, dy = j / 60.0, q = sqrt(dx * dx + dy * dy);
            if (q >= 1) continue;
            double weight = (1 - q) * (1 - q) * (1 - q);
            all += weight;
            if (y + dy * h < slope * fabs(x + dx * h)) behind += weight;
        }
    return behind / all;
}

static double shares_of(const test_world *made, tp_vector point)
{
    tpi_wall walls[6];
    double left = 1, h = (double)made->world->constants.smoothing_radius;
    uint32_t count = walls_of(made, point, walls);
    for (uint32_t k = 0; k < count; k++)
        left *= 1 - wall_share(made->world, (double)walls[k].distance / h, 0);
    return 1 - left;
}

static float valley_slope;
static float height_steep(float x, float z) { return valley_slope * fabsf(x - 0.5f) + 0.0f * z; }

static void valleys_cover_about_the_share_behind_them(void)
{
    static const float slopes[5] = {0.1f, 0.3f, 0.6f, 1.0f, 2.0f};
    static float samples[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
    for (uint32_t s = 0; s < 5; s++) {
        valley_slope = slopes[s];
        tp_collider_def def = field_def(samples, 8, true, height_steep);
        test_world made = surface_world(2, &def);
        double h = (double)made.world->constants.smoothing_radius, worst = 0;
        for (uint32_t k = 0; k < 40; k++) {
            double across = k % 8 * 0.125 * h, above = (0.05 + k / 8 * 0.2) * h;
            double y = (double)slopes[s] * across + above * sqrt(1 + pow((double)slopes[s], 2));
            tp_vector point = {(float)(0.5 + across), (float)y, 0};
            double share = shares_of(&made, point),
                   exact = valley_share(across, y, (double)slopes[s], h);
            if (fabs(share - exact) > fabs(worst)) worst = share - exact;
        }
        test_note("slope %.1f: share differs by up to %.3f", (double)slopes[s], worst);
        CHECK(fabs(worst) < 0.1);
        test_world_free(&made);
    }
}

/* ---- fluids in tanks ---- */

typedef enum tank { TANK_PLANES, TANK_MESH, TANK_FIELD } tank;

typedef struct pool {
    uint32_t dimensions, wide, layers; /* particles along each axis */
    tp_sph_formulation formulation;
    float spacing;
} pool;

static uint32_t pool_row(const pool *p) { return p->dimensions == 3 ? p->wide * p->wide : p->wide; }

#define FIELD_HEIGHT 1.0f /* of the heightfield above the planes' floor */

/* A tank around the pool: planes, the inside of a mesh, or planes with a heightfield as floor.
   Returns the height of the floor. */
static float pool_tank(tp_world *world, const pool *p, tank kind)
{
    static float samples[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
    const float wide = (float)p->wide * p->spacing;
    tp_vector vertices[8];
    tp_collider added;
    if (kind != TANK_MESH) test_world_tank(world, (tp_vector){wide, 100, wide});
    if (kind == TANK_PLANES) return 0;
    tp_collider_def def = room_def(vertices, (tp_vector){wide, 100, wide});
    if (p->dimensions == 2 && kind == TANK_MESH) {
        def = collide_rectangle(vertices, 0.5f * wide, 50, true);
        def.pose.position = (tp_vector){0.5f * wide, 50, 0};
    }
    if (kind == TANK_FIELD) {
        def = field_def(samples, 25, p->dimensions == 2, height_flat);
        def.spacing = 0.1f * wide;
        def.pose.position = (tp_vector){-0.8f * wide, FIELD_HEIGHT, -0.8f * wide};
    }
    CHECK(tp_collider_add(world, &def, &added) == TP_OK);
    return kind == TANK_FIELD ? FIELD_HEIGHT : 0;
}

static test_world pool_make(const pool *p, tank kind, float *floor)
{
    const uint32_t row = pool_row(p);
    tp_world_def def = fluid_def(p->dimensions, row * p->layers);
    uint32_t state = 4;
    if (p->formulation != TP_SPH_INCOMPRESSIBLE) {
        def.sph = tp_world_default(p->dimensions).sph;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        def.sph.formulation = p->formulation;
    }
    def.geometry_bytes_max = 1u << 16;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    *floor = pool_tank(made.world, p, kind);
    for (uint32_t i = 0; i < def.particles_max; i++) {
        const uint32_t at[3] = {i % p->wide, i / row, i % row / p->wide};
        float x[3];
        for (uint32_t c = 0; c < 3; c++)
            x[c] = ((float)at[c] + 0.5f + 0.1f * (test_random(&state) - 0.5f)) * p->spacing;
        tp_vector point = {x[0], x[1] + *floor, p->dimensions == 3 ? x[2] : 0};
        CHECK(tp_particle_add(made.world, point, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* Of a pool at rest: particles in the floor row and in the row above, in rows; mean height. */
typedef struct pool_rows {
    double first, second, height;
} pool_rows;

static pool_rows pool_rest(const pool *p, tank kind)
{
    float floor;
    pool_rows rows = {0, 0, 0};
    test_world made = pool_make(p, kind, &floor);
    test_world_frames(made.world, 240);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        double y = ((double)view.y[i] - (double)floor) / (double)p->spacing;
        rows.first += (y < 0.95) / (double)pool_row(p);
        rows.second += (y >= 0.95 && y < 1.85) / (double)pool_row(p);
        rows.height += y / view.count;
    }
    CHECK_EQ(view.count, pool_row(p) * p->layers);
    test_note("%uD, formulation %d, tank %d: floor row %.2f, second %.2f, height %.3f",
              p->dimensions, (int)p->formulation, (int)kind, rows.first, rows.second, rows.height);
    test_world_free(&made);
    return rows;
}

static void check_pool(const pool *p, tank kind, const pool_rows *planes)
{
    pool_rows rows = pool_rest(p, kind);
    CHECK_NEAR(rows.first, planes->first, 0.05);
    CHECK_NEAR(rows.second, planes->second, 0.1);
    CHECK_NEAR(rows.height, planes->height, 0.005 * planes->height);
    CHECK(rows.second > 0.9); /* no gap above the floor row */
}

static void a_pool_stands_on_triangles_as_on_planes(void)
{
    static const pool pools[4] = {{3, 9, 12, TP_SPH_INCOMPRESSIBLE, FLUID_SPACING},
                                  {3, 9, 12, TP_SPH_DOUBLE_DENSITY, 0.1f},
                                  {2, 60, 12, TP_SPH_INCOMPRESSIBLE, FLUID_SPACING},
                                  {2, 60, 12, TP_SPH_DOUBLE_DENSITY, 0.1f}};
    for (uint32_t k = 0; k < 4; k++) {
        if (!test_runs(k + 1, 4)) continue;
        pool_rows planes = pool_rest(&pools[k], TANK_PLANES);
        if (test_runs(k, 2)) check_pool(&pools[k], TANK_MESH, &planes);
        if (test_runs(k + 1, 2)) check_pool(&pools[k], TANK_FIELD, &planes);
    }
}

/* Two fluids that fall, spread and settle, one on a plane, one on a floor
   of a thousand edges. */
static void check_thousand(tp_sph_formulation formulation)
{
    static tp_vector points[1001];
    static uint32_t ends[2000];
    test_world made[2];
    double apart = 0;
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = fluid_def(2, 200);
        tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider added;
        if (formulation != TP_SPH_INCOMPRESSIBLE) tp_sph_double_density(&def, FLUID_SPACING);
        def.geometry_bytes_max = 1u << 16;
        for (uint32_t i = 0; i <= 1000; i++) {
            points[i] = (tp_vector){5 - 0.01f * (float)i, 0, 0};
            if (i < 1000) ends[2 * i] = i, ends[2 * i + 1] = i + 1;
        }
        if (k) floor = collide_mesh(points, 1001, ends, 1000);
        made[k] = test_world_make(&def);
        test_world_gravity(made[k].world, 9.81f);
        CHECK(tp_collider_add(made[k].world, &floor, &added) == TP_OK);
        fluid_block(made[k].world, (uint32_t[3]){20, 10, 1}, (tp_vector){-0.5f, 0.1f, 0}, 0.2f,
                    0.2f);
        test_world_frames(made[k].world, 60);
    }
    tp_view a = tp_world_view(made[0].world), b = tp_world_view(made[1].world);
    for (uint32_t i = 0; i < a.count; i++)
        apart = fmax(apart, fmax(fabs((double)(a.x[i] - b.x[i])), fabs((double)(a.y[i] - b.y[i]))));
    test_note("formulation %d: %.1e m apart after a second", (int)formulation, apart);
    CHECK(a.count == 200 && b.count == 200);
    CHECK(apart < 1e-5);
    for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
}

static void a_fluid_flows_over_a_thousand_edges_as_over_one_plane(void)
{
    check_thousand(TP_SPH_INCOMPRESSIBLE);
    check_thousand(TP_SPH_DOUBLE_DENSITY);
}

/* ---- same bits, and work ---- */

/* A block of fluid falls on a slope, between a mesh that turns and one at rest. */
static test_world slope_make(uint32_t dimensions, tp_sph_formulation formulation,
                             tp_collider *turning)
{
    static sheet hills;
    static float samples[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
    const uint32_t wide = dimensions == 3 ? 9 : 22;
    const pool p = {dimensions, wide, dimensions == 3 ? 9 : 22, formulation, FLUID_SPACING};
    tp_world_def def = fluid_def(dimensions, pool_row(&p) * p.layers);
    tp_collider added;
    def.sph.formulation = formulation;
    def.sph.viscosity = 0.02f;
    def.sph.viscosity_iterations = 2;
    def.substeps.count = 4;
    if (formulation != TP_SPH_INCOMPRESSIBLE) {
        def.sph = tp_world_default(dimensions).sph;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        def.substeps.count = 6;
    }
    def.geometry_bytes_max = 1u << 20;
    def.lag_frames_max = 64;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    tp_collider_def slope = field_def(samples, 12, dimensions == 2, height_slope);
    slope.pose.position = (tp_vector){-0.1f, -0.1f, -0.1f};
    slope.spacing = 0.1f;
    CHECK(tp_collider_add(made.world, &slope, &added) == TP_OK);
    if (dimensions == 2) {
        tp_vector corners[4];
        tp_collider_def square = collide_rectangle(corners, 0.5f, 0.5f, false);
        CHECK(tp_collider_add(made.world, &square, turning) == TP_OK);
    } else {
        tp_collider_def cube = collide_cube(false), hill = sheet_def(&hills, 30, height_slope);
        hill.pose.position = (tp_vector){0, 0.1f, 0};
        CHECK(tp_collider_add(made.world, &cube, turning) == TP_OK);
        CHECK(tp_collider_add(made.world, &hill, &added) == TP_OK);
    }
    fluid_block(made.world, (uint32_t[3]){wide, p.layers, dimensions == 3 ? wide : 1},
                (tp_vector){0, 0.55f, 0}, 0.3f, 0.5f);
    return made;
}

/* The hash of the state and the units. */
static uint64_t slope_outcome(uint32_t dimensions, tp_sph_formulation formulation,
                              const tp_budget *budget, uint32_t slice_units)
{
    tp_collider turning = {0};
    test_world made = slope_make(dimensions, formulation, &turning);
    uint64_t spent = 0;
    tp_report report = {0};
    if (slice_units) made.world->def.slice_units = slice_units;
    for (uint64_t frame = 1; frame <= 8; frame++) {
        tp_pose pose = {{0, 0.02f * (float)frame, 0}, collide_about_z(0.1f * (float)frame)};
        if (turning.id) CHECK(tp_collider_move(made.world, turning, pose) == TP_OK);
        for (uint32_t call = 0; made.world->clock.frame < frame && call < 1000000u; call++) {
            CHECK(tp_frame(made.world, budget, &report) >= TP_OK);
            spent += report.units;
        }
    }
    uint64_t hash = tp_world_hash(made.world) ^ spent << 20 ^ report.walls_limited << 50;
    test_world_free(&made);
    return hash;
}

static void slices_and_widths_change_no_bit_at_surfaces(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        const uint32_t dimensions = 2 + kind % 2;
        tp_sph_formulation formulation = kind < 2 ? TP_SPH_INCOMPRESSIBLE : TP_SPH_IDEAL_GAS;
        if (!test_runs(kind, 3)) continue;
        const tp_budget narrow = {.units = 1000000000u, .lanes_max = 4, .frames_max = 1},
                        wide = {.units = 1000000000u, .lanes_max = 16, .frames_max = 1},
                        little = {.units = 30000, .frames_max = 1};
        test_note("%uD, formulation %d", dimensions, (int)formulation);
        uint64_t hash = slope_outcome(dimensions, formulation, &narrow, 0);
        CHECK_EQ(slope_outcome(dimensions, formulation, &wide, 0), hash);
        CHECK_EQ(slope_outcome(dimensions, formulation, &little, 64), hash);
    }
}

/* Far above a floor of one cell a particle costs a visit or two; within its reach, a few. */
static void surfaces_cost_units_of_the_pressure_stage(void)
{
    static const float heights[3] = {5.0f, 0.05f, 0.05f};
    static const uint32_t sides[3] = {1, 1, SIDE_MOST};
    static sheet s;
    uint64_t units[3];
    for (uint32_t k = 0; k < 3; k++) {
        tp_world_def def = fluid_def(3, 64);
        tp_collider added;
        def.geometry_bytes_max = 1u << 20;
        def.substeps.count = 1;
        def.frames_per_second_numerator = 240;
        test_world made = test_world_make(&def);
        tp_collider_def mesh = sheet_def(&s, sides[k], height_slope);
        CHECK(tp_collider_add(made.world, &mesh, &added) == TP_OK);
        for (uint32_t i = 0; i < 64; i++) {
            tp_vector at = {0.3f + 0.05f * (float)(i % 8), 0, 0.3f + 0.05f * (float)(i / 8)};
            at.y = height_slope(at.x, at.z) + heights[k];
            CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
        }
        test_world_frames(made.world, 1);
        tp_report report = tp_world_report(made.world);
        CHECK_EQ(report.steps, 1);
        units[k] = report.stage_units[TP_STAGE_PRESSURE];
        test_note("%u cells, %.2f m above: %u units", sides[k] * sides[k], (double)heights[k],
                  (uint32_t)units[k]);
        test_world_free(&made);
    }
    CHECK_EQ(units[0], 64 * 2);
    CHECK(units[1] > 64 * (2 + 4) && units[1] <= 64 * (2 + 4 + 16));
    CHECK(units[2] > units[1] && units[2] <= 64 * (2 + 4 + 4 * TPI_WALL_WORK));
}

/* How many of 64 particles above a surface use up their tests of triangles in a step. */
static uint64_t limited_at(tp_sph_formulation formulation, const tp_collider_def *surface,
                           surface_height *height)
{
    tp_world_def def = fluid_def(3, 64);
    tp_collider added;
    def.sph.formulation = formulation;
    def.geometry_bytes_max = 2u << 20;
    def.substeps.count = 1;
    def.frames_per_second_numerator = 1000;
    test_world made = test_world_make(&def);
    CHECK(tp_collider_add(made.world, surface, &added) == TP_OK);
    for (uint32_t i = 0; i < 64; i++) {
        tp_vector at = {0.3f + 0.05f * (float)(i % 8), 0, 0.3f + 0.05f * (float)(i / 8)};
        at.y = height(at.x, at.z) + 0.03f;
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    test_world_frames(made.world, 1);
    tp_report report = tp_world_report(made.world);
    test_world_free(&made);
    return report.walls_limited / report.steps;
}

/* The support radius is 10 cells of a sheet of 100: edges of h and h / 2, then of h / 4.8. */
static void searches_that_use_up_their_tests_are_counted(void)
{
    static sheet s;
    static float samples[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
    static const struct {
        uint32_t side, by_mesh, by_field;
        surface_height *height;
    } rows[4] = {{10, 0, 0, height_slope},
                 {20, 0, 0, height_flat},
                 {SIDE_MOST - 1, 64, 64, height_slope},
                 {SIDE_MOST - 1, 0, 64, height_flat}}; /* no node rises above the first plane */
    const tp_sph_formulation formulations[2] = {TP_SPH_INCOMPRESSIBLE, TP_SPH_DOUBLE_DENSITY};
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t row = k / 2, side = rows[row].side;
        tp_collider_def mesh = sheet_def(&s, side, rows[row].height),
                        field = field_def(samples, side, false, rows[row].height);
        uint64_t by_mesh = limited_at(formulations[k % 2], &mesh, rows[row].height),
                 by_field = limited_at(formulations[k % 2], &field, rows[row].height);
        test_note("formulation %d, row %u, %u cells a side: %u at the mesh, %u at the heightfield",
                  (int)formulations[k % 2], row, side, (uint32_t)by_mesh, (uint32_t)by_field);
        CHECK_EQ(by_mesh, rows[row].by_mesh);
        CHECK_EQ(by_field, rows[row].by_field);
    }
}

static const test_case cases[] = {TEST_CASE(a_flat_surface_counts_as_one_plane),
                                  TEST_CASE(a_room_of_triangles_has_the_walls_of_a_box),
                                  TEST_CASE(a_room_of_edges_has_the_walls_of_a_box),
                                  TEST_CASE(a_cube_of_triangles_has_one_wall_at_its_nearest_point),
                                  TEST_CASE(the_open_end_of_a_chain_is_in_front),
                                  TEST_CASE(the_border_of_a_sheet_is_in_front),
                                  TEST_CASE(a_mesh_that_moves_is_a_wall_as_a_box_that_moves),
                                  TEST_CASE(valleys_cover_about_the_share_behind_them),
                                  TEST_CASE(a_pool_stands_on_triangles_as_on_planes),
                                  TEST_CASE(a_fluid_flows_over_a_thousand_edges_as_over_one_plane),
                                  TEST_CASE(slices_and_widths_change_no_bit_at_surfaces),
                                  TEST_CASE(surfaces_cost_units_of_the_pressure_stage),
                                  TEST_CASE(searches_that_use_up_their_tests_are_counted)};
TEST_SUITE(surfaces, cases);
