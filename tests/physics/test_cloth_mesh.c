/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_mesh.c - cloth from meshes: constraints, colours, tethers, stretch, the
           same bits, damaged meshes.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 2000 nodes      cost    about two seconds
   after   brute force over all pairs of triangles; shortest paths in double precision */
#include "cloth_same.h"
#include "test.h"
#include "world_help.h"
#include "solve/cloth/cloth.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI        3.14159265358979323846
#define NODES_MAX 1600
#define SIDES_MAX (2 * NODES_MAX)
#define RULES_MAX (6 * NODES_MAX)

/* ---- meshes ---- */

typedef struct shape {
    tp_vector vertices[NODES_MAX];
    uint32_t indices[3 * SIDES_MAX], vertex_count, triangle_count;
} shape;

static void shape_add(shape *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *at = s->indices + 3 * s->triangle_count++;
    at[0] = a, at[1] = b, at[2] = c;
}

/* A disc of 1 m: a hub, and rings of `sectors` vertices. More than 15 sectors are more than the
   colours of one kind. */
static void shape_disc(shape *s, uint32_t sectors, uint32_t rings)
{
    s->vertex_count = 1 + sectors * rings;
    s->triangle_count = 0;
    s->vertices[0] = (tp_vector){0, 0, 0};
    for (uint32_t ring = 0; ring < rings; ring++)
        for (uint32_t k = 0; k < sectors; k++) {
            double r = (ring + 1.0) / rings, angle = 2 * PI * k / sectors;
            uint32_t next = (k + 1) % sectors, row = 1 + ring * sectors, below = row - sectors;
            s->vertices[row + k] = (tp_vector){(float)(r * cos(angle)), 0, (float)(r * sin(angle))};
            if (ring == 0) shape_add(s, 0, row + k, row + next);
            if (ring > 0) shape_add(s, below + k, row + k, row + next);
            if (ring > 0) shape_add(s, row + next, below + next, below + k);
        }
}

/* A vertical square of 1 m of triangles; the first `side` vertices are the highest. */
static void shape_square(shape *s, uint32_t side)
{
    s->vertex_count = side * side;
    s->triangle_count = 0;
    for (uint32_t k = 0; k < side * side; k++)
        s->vertices[k] = (tp_vector){(float)(k % side) / (float)(side - 1),
                                     1 - (float)(k / side) / (float)(side - 1), 0};
    for (uint32_t k = 0; k + side < side * side; k++) {
        if (k % side == side - 1) continue;
        bool leans = (k + k / side) % 2;
        shape_add(s, k, k + 1, leans ? k + side + 1 : k + side);
        shape_add(s, leans ? k : k + 1, k + side + 1, k + side);
    }
}

static tp_cloth_def shape_cloth(const shape *s)
{
    tp_cloth_def def = tp_cloth_default();
    def.vertices = s->vertices;
    def.vertex_count = s->vertex_count;
    def.indices = s->indices;
    def.triangle_count = s->triangle_count;
    return def;
}

static tp_world_def mesh_world_def(uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = NODES_MAX;
    def.cloth.constraints_max = RULES_MAX;
    def.cloth.sheets_max = 4;
    def.slice_units = 65536;
    def.species[0].radius = 0.01f;
    def.species[0].mass = 0.001f;
    return def;
}

static uint32_t mesh_add(tp_world *world, const tp_cloth_def *def)
{
    uint32_t id = 0;
    const char *text = tp_cloth_check(world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(tp_cloth_mesh(world, def, &id), TP_OK);
    return id;
}

static double mesh_apart(tp_vector a, tp_vector b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/* ---- constraints ---- */

/* The vertex of triangle t opposite the edge (a, b), or UINT32_MAX if it has no such edge. */
static uint32_t mesh_opposite(const shape *s, uint32_t t, uint32_t a, uint32_t b)
{
    const uint32_t *at = s->indices + 3 * t;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t p = at[k], q = at[(k + 1) % 3];
        if ((p == a && q == b) || (p == b && q == a)) return at[(k + 2) % 3];
    }
    return UINT32_MAX;
}

/* Counts of constraints between all pairs, of meshes in which an edge has at most two triangles. */
static void mesh_expected(const shape *s, uint8_t *stretch, uint8_t *bend)
{
    uint32_t n = s->vertex_count;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            uint32_t found = 0, opposites[2] = {0};
            for (uint32_t t = 0; t < s->triangle_count; t++) {
                uint32_t opposite = mesh_opposite(s, t, a, b);
                if (opposite != UINT32_MAX && found < 2) opposites[found++] = opposite;
            }
            if (found > 0) stretch[a * n + b]++;
            if (found == 2)
                bend[opposites[0] < opposites[1] ? opposites[0] * n + opposites[1]
                                                 : opposites[1] * n + opposites[0]]++;
        }
}

/* Takes the constraints from those that are expected. None of a colour shares a node with another
   one. */
static void mesh_compare(const tp_world *world, uint32_t n, uint8_t *stretch, uint8_t *bend)
{
    const uint32_t *own = world->arrays.own, *a = tpi_words(world, own[TPI_CLOTH_FIRST]),
                   *b = tpi_words(world, own[TPI_CLOTH_SECOND]);
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    for (uint32_t colour = 0; colour < TPI_CLOTH_COLOURS; colour++) {
        uint8_t met[NODES_MAX] = {0};
        uint8_t *rest = colour < TPI_CLOTH_STRETCHES ? bend : stretch;
        for (uint32_t k = head->begin[colour]; k < head->begin[colour + 1]; k++) {
            float length = tpi_floats(world, own[TPI_CLOTH_LENGTH])[k];
            CHECK(rest[a[k] * n + b[k]]-- > 0);
            CHECK(length == tpi_cloth_distance(world, a[k], b[k]));
            if (!tpi_cloth_is_uncoloured(colour)) CHECK(!met[a[k]]++ && !met[b[k]]++);
        }
    }
    for (uint32_t k = 0; k < n * n; k++)
        if (!CHECK(stretch[k] == 0 && bend[k] == 0)) return;
}

static void a_mesh_has_its_edges_and_bends(void)
{
    static shape s;
    for (uint32_t k = 0; k < 4; k++) {
        tp_world_def world_def = mesh_world_def(3);
        tp_cloth_report report;
        if (k < 3) shape_disc(&s, k == 0 ? 6 : k == 1 ? 12 : 24, 6);
        if (k == 3) shape_square(&s, 12);
        uint32_t n = s.vertex_count;
        uint8_t *stretch = calloc((size_t)n * n, 1), *bend = calloc((size_t)n * n, 1);
        test_world made = test_world_make(&world_def);
        tp_cloth_def def = shape_cloth(&s);
        (void)mesh_add(made.world, &def);
        mesh_expected(&s, stretch, bend);
        mesh_compare(made.world, n, stretch, bend);
        CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
        test_note("shape %u: %u colours, %u without", k, report.colours, report.uncoloured);
        CHECK(report.colours <= 30);
        CHECK_EQ(report.uncoloured > 0, k == 2);
        if (k == 2) CHECK_EQ(report.uncoloured, 2 * (24 - 15)); /* spokes, and bends of the hub */
        test_world_free(&made);
        free(stretch);
        free(bend);
    }
}

/* Leaves of a book: an edge of three triangles bends twice. A triangle that is there twice bends
   with itself nowhere. */
static void an_edge_of_three_triangles_bends_twice(void)
{
    static const tp_vector vertices[] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {-1, 0, 0}};
    static const uint32_t indices[] = {0, 1, 2, 0, 1, 3, 1, 0, 4, 1, 2, 0};
    tp_world_def world_def = mesh_world_def(3);
    tp_cloth_report report;
    test_world made = test_world_make(&world_def);
    tp_cloth_def def = tp_cloth_default();
    def.vertices = vertices;
    def.vertex_count = 5;
    def.indices = indices;
    def.triangle_count = 4;
    (void)mesh_add(made.world, &def);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
    CHECK_EQ(report.constraints, 7 + 2);
    test_world_frames(made.world, 5);
    test_world_free(&made);
}

/* ---- tethers ---- */

/* m: lengths of the shortest paths along edges from the vertices before `pins`. */
static void mesh_paths(const shape *s, uint32_t pins, double *paths)
{
    for (uint32_t v = 0; v < s->vertex_count; v++) paths[v] = v < pins ? 0 : 1e9;
    for (bool is_shorter = true; is_shorter;) {
        is_shorter = false;
        for (uint32_t k = 0; k < 3 * s->triangle_count; k++) {
            uint32_t a = s->indices[k], b = s->indices[k % 3 == 2 ? k - 2 : k + 1];
            double length = mesh_apart(s->vertices[a], s->vertices[b]);
            if (paths[a] + length < paths[b]) paths[b] = paths[a] + length, is_shorter = true;
            if (paths[b] + length < paths[a]) paths[a] = paths[b] + length, is_shorter = true;
        }
    }
}

static void tethers_follow_the_edges(void)
{
    static shape s;
    static double paths[NODES_MAX];
    tp_world_def world_def = mesh_world_def(3);
    test_world made = test_world_make(&world_def);
    shape_disc(&s, 10, 5);
    tp_cloth_def def = shape_cloth(&s);
    def.tether = 1.5f;
    uint32_t id = mesh_add(made.world, &def);
    for (uint32_t k = 0; k < 3; k++) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    for (uint32_t pins = 3; pins < 4; pins--) {
        const uint32_t *own = made.world->arrays.own;
        mesh_paths(&s, pins, paths);
        for (uint32_t v = 0; v < s.vertex_count; v++) {
            float reach = tpi_floats(made.world, own[TPI_CLOTH_REACH])[v];
            uint32_t anchor = tpi_words(made.world, own[TPI_CLOTH_ANCHOR])[v];
            test_note("%u pins, vertex %u", pins, v);
            if (pins == 0) CHECK(reach == FLT_MAX && anchor == v);
            if (pins > 0) CHECK(anchor < pins);
            if (pins > 0) CHECK_NEAR(reach, 1.5 * paths[v], 1e-4);
        }
        if (pins > 0) CHECK_EQ(tp_cloth_pin(made.world, id + pins - 1, false), TP_OK);
    }
    test_world_free(&made);
}

static void a_hanging_mesh_stretches_less_than_two_percent(void)
{
    static shape s;
    for (uint32_t side = 12; side <= 36; side *= 3) {
        tp_world_def world_def = mesh_world_def(3);
        tp_cloth_report report;
        world_def.species[0].mass = 0.2f / (float)(side * side);
        test_world made = test_world_make(&world_def);
        shape_square(&s, side);
        tp_cloth_def def = shape_cloth(&s);
        uint32_t id = mesh_add(made.world, &def);
        for (uint32_t k = 0; k < side; k++) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
        test_world_gravity(made.world, 9.81f);
        test_world_frames(made.world, 120);
        CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
        test_note("side %u: mean %g, largest %g", side, (double)report.stretch,
                  (double)report.stretch_max);
        CHECK(report.stretch_max < 0.02f);
        CHECK_NEAR(tp_world_view(made.world).y[side * side - 1], 0, 0.02);
        test_world_free(&made);
    }
}

/* Pushed at random in the air, a mesh with constraints without a colour keeps its momentum. */
static void a_free_mesh_keeps_its_momentum(void)
{
    static shape s;
    tp_world_def world_def = mesh_world_def(3);
    uint32_t random = 11;
    double p[2][3] = {{0}}, scale = 0;
    test_world made = test_world_make(&world_def);
    shape_disc(&s, 20, 4);
    tp_cloth_def def = shape_cloth(&s);
    (void)mesh_add(made.world, &def);
    for (uint32_t i = 0; i < s.vertex_count; i++) {
        tp_vector v = {test_uniform(&random, -1, 1), test_uniform(&random, -1, 1),
                       test_uniform(&random, -1, 1)};
        CHECK_EQ(tp_particle_set(made.world, i, s.vertices[i], v), TP_OK);
    }
    for (uint32_t k = 0; k < 2; k++) {
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            p[k][0] += view.vx[i], p[k][1] += view.vy[i], p[k][2] += view.vz[i];
            scale += k == 0 ? fabs((double)view.vx[i]) : 0;
        }
        test_world_frames(made.world, 60);
    }
    for (uint32_t axis = 0; axis < 3; axis++) CHECK_NEAR(p[1][axis], p[0][axis], 1e-5 * scale);
    test_world_free(&made);
}

/* ---- the same bits ---- */

static test_world mesh_story(uint32_t dimensions, uint32_t slice_units)
{
    static shape s;
    tp_world_def world_def = mesh_world_def(dimensions);
    tp_cloth_def grid = tp_cloth_default();
    uint32_t id = 0;
    world_def.slice_units = slice_units;
    world_def.lag_frames_max = 64;
    test_world made = test_world_make(&world_def);
    for (uint32_t k = 0; k < 3; k++) {
        if (k == 0) shape_square(&s, 16);
        if (k == 1) shape_disc(&s, 40, 8);
        tp_cloth_def def = shape_cloth(&s);
        if (dimensions == 2 && k == 1) continue; /* it lies across the plane */
        if (k == 2) def = grid, def.origin.x = 3;
        if (k < 2) id = mesh_add(made.world, &def);
        if (k == 2) CHECK_EQ(tp_cloth_grid(made.world, &def, &id), TP_OK);
        CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
    }
    test_world_gravity(made.world, 9.81f);
    return made;
}

static void slices_widths_and_threads_change_no_mesh(void)
{
    platform_jobs threads;
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        same_told told = {0};
        for (uint32_t way = 0; way < SAME_WAYS; way++) {
            test_world made = mesh_story(dimensions, same_slice(way));
            same_run(made.world, way, &threads.jobs, 6, &told);
            test_world_free(&made);
        }
    }
    platform_jobs_stop(&threads);
}

/* Blocks with meshes and grids pass the audit, and a damaged sheet does not. */
static void a_forged_mesh_is_found(void)
{
    test_world made = mesh_story(3, 65536);
    tp_block_fault fault;
    tp_world *world = NULL;
    test_world_frames(made.world, 2);
    tp_result result = tp_world_verify(made.block, made.bytes, &fault, &world);
    test_note("%s", fault.expected ? fault.expected : "");
    CHECK_EQ(result, TP_OK);
    tpi_cloth_sheet *sheet =
        (tpi_cloth_sheet *)tpi_at(made.world, made.world->arrays.own[TPI_CLOTH_SHEETS]);
    CHECK_EQ(sheet->rows, 0);
    sheet->columns += NODES_MAX;
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
    test_world_free(&made);
}

/* ---- faults ---- */

static void bad_meshes_are_refused_with_a_text(void)
{
    static shape s;
    tp_world_def world_def = mesh_world_def(3);
    test_world made = test_world_make(&world_def);
    for (uint32_t k = 0; k < 12; k++) {
        static const char *const fields[] = {"indices",  "vertex_count", "vertex_count", "triangle",
                                             "triangle", "vertices",     "indices",      "apart",
                                             "apart",    "tether",       "line",         "line"};
        shape_disc(&s, 6, 2);
        tp_cloth_def bad = shape_cloth(&s);
        uint32_t id;
        if (k == 0) bad.indices = NULL;
        if (k == 1) bad.vertex_count = 2;
        if (k == 2) bad.vertex_count = UINT32_MAX;
        if (k == 3) bad.triangle_count = 0;
        if (k == 4) bad.triangle_count = 0x40000000;
        if (k == 5) s.vertices[4].z = NAN;
        if (k == 6) s.indices[17] = s.vertex_count;
        if (k == 7) s.indices[5] = s.indices[4];
        if (k == 8) s.vertices[3] = s.vertices[4];
        if (k == 9) bad.tether = 0.5f;
        if (k > 9) { /* the last corner beside the middle of the other two, then beyond them */
            const tp_vector *a = &s.vertices[s.indices[0]], *b = &s.vertices[s.indices[1]];
            float share = k == 10 ? 0.5f : -1.0f;
            s.vertices[s.indices[2]] =
                (tp_vector){a->x + share * (b->x - a->x), a->y + share * (b->y - a->y),
                            a->z + share * (b->z - a->z) + (k == 10 ? 1e-6f : 0.0f)};
        }
        const char *text = tp_cloth_check(made.world, &bad);
        test_note("%u: %s", k, text ? text : "accepted");
        CHECK(text && strstr(text, fields[k]));
        CHECK_EQ(tp_cloth_mesh(made.world, &bad, &id), TP_ERROR_DEFINITION);
        CHECK_EQ(made.world->count, 0);
    }
    shape_disc(&s, 6, 2);
    tp_cloth_def mesh = shape_cloth(&s), grid = tp_cloth_default();
    CHECK_EQ(tp_cloth_grid(made.world, &mesh, NULL), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_cloth_mesh(made.world, &grid, NULL), TP_ERROR_DEFINITION);
    test_world_free(&made);
}

static void a_mesh_fits_its_capacities_exactly(void)
{
    static shape s;
    shape_disc(&s, 6, 2);
    for (uint32_t k = 0; k < 4; k++) {
        tp_world_def world_def = mesh_world_def(3);
        world_def.particles_max = s.vertex_count - (k == 1);
        world_def.cloth.constraints_max = 3 * s.triangle_count - (k == 2);
        world_def.cloth.sheets_max = k == 3 ? 0 : 1;
        test_world made = test_world_make(&world_def);
        tp_cloth_def def = shape_cloth(&s);
        CHECK_EQ(tp_cloth_mesh(made.world, &def, NULL), k ? TP_ERROR_FULL : TP_OK);
        CHECK_EQ(made.world->count, k ? 0 : s.vertex_count);
        test_world_frames(made.world, 2);
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_mesh_has_its_edges_and_bends),
    TEST_CASE(an_edge_of_three_triangles_bends_twice),
    TEST_CASE(tethers_follow_the_edges),
    TEST_CASE(a_hanging_mesh_stretches_less_than_two_percent),
    TEST_CASE(a_free_mesh_keeps_its_momentum),
    TEST_CASE(slices_widths_and_threads_change_no_mesh),
    TEST_CASE(a_forged_mesh_is_found),
    TEST_CASE(bad_meshes_are_refused_with_a_text),
    TEST_CASE(a_mesh_fits_its_capacities_exactly),
};
TEST_SUITE(cloth_mesh, cases);
