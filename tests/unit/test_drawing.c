/* SPDX-License-Identifier: MIT
   tests/unit/test_drawing.c - levels of scenes: outlines of tiles, SVG drawings, chains, polygons.
   reads   host_tools/common/level.c, level_svg.c, scene_level.c      writes  nothing
   memory  some KB      cost    milliseconds
   after   areas and lengths of the outlines are the oracle */
#include "test.h"
#include "common/level.h"
#include "common/picture.h"
#include "common/scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Twice the sum of (a x b) over the edges: twice the area of the solids, if all are loops. */
static double area_of(const level *l)
{
    double sum = 0;
    for (size_t k = 0; k < l->edge_count; k++) {
        tp_vector a = l->points[l->ends[2 * k]], b = l->points[l->ends[2 * k + 1]];
        sum += (double)a.x * (double)b.y - (double)b.x * (double)a.y;
    }
    return sum / 2;
}

static double length_of(const level *l)
{
    double sum = 0;
    for (size_t k = 0; k < l->edge_count; k++) {
        tp_vector a = l->points[l->ends[2 * k]], b = l->points[l->ends[2 * k + 1]];
        sum += hypot((double)(a.x - b.x), (double)(a.y - b.y));
    }
    return sum;
}

/* ---- tiles */

static level tiles_of(const char *text, double size)
{
    level made = {0};
    level_fault fault = {0};
    CHECK(level_read_tiles(&made, text, size, &fault));
    return made;
}

static void tiles_become_outlines_without_inner_edges(void)
{
    level bar = tiles_of("....\n.##.\n....\n", 0.5), ring = tiles_of("###\n#.#\n###", 1);
    CHECK_EQ(bar.edge_count, 4);
    CHECK_NEAR(area_of(&bar), 0.5, 1e-9);
    CHECK_NEAR(length_of(&bar), 3, 1e-9);
    for (size_t k = 0; k < 4; k++) { /* the lower left corner of the last row is the origin */
        CHECK(bar.points[k].x == 0.5f || bar.points[k].x == 1.5f);
        CHECK(bar.points[k].y == 0.5f || bar.points[k].y == 1.0f);
    }
    CHECK_EQ(ring.edge_count, 8);
    CHECK_NEAR(area_of(&ring), 8, 1e-9);
    level_free(&bar);
    level_free(&ring);
}

/* As Tiled writes them: -1 or 0 are empty; a map has a comma at the end of its rows. */
static void tables_with_commas_are_the_same_tiles(void)
{
    static const char *const tables[] = {"-1,-1,-1,-1\n-1,7,12,-1\n-1,-1,-1,-1\n",
                                         "0,0,0,0,\r\n0, 7,12, 0,\r\n0,0,0,0\r\n",
                                         ",,,\n,7,7,\n,,,"};
    level expected = tiles_of("....\n.##.\n....\n", 0.5);
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        level made = tiles_of(tables[k], 0.5);
        test_note("%s", tables[k]);
        if (!CHECK_EQ(made.edge_count, expected.edge_count)) return;
        CHECK(memcmp(made.points, expected.points, 4 * sizeof *made.points) == 0);
        level_free(&made);
    }
    level_free(&expected);
}

static void tiles_that_touch_at_a_corner_are_one_outline(void)
{
    level made = tiles_of("#.\n.#\n", 1);
    CHECK_EQ(made.edge_count, 8);
    CHECK_NEAR(area_of(&made), 2, 1e-9);
    for (size_t k = 0; k < 8; k++) CHECK_EQ(made.ends[2 * k + 1], (made.ends[2 * k] + 1) % 8);
    level_free(&made);
}

/* Random tiles: the area is that of the solid ones, the length that of the sides between solid and
   empty ones. */
static void outlines_of_random_tiles_keep_area_and_length(void)
{
    uint32_t state = 5;
    for (uint32_t round = 0; round < 50; round++) {
        enum { WIDE = 17, HIGH = 11 };
        char text[HIGH * (WIDE + 2) + 1], *to = text;
        bool solid[HIGH + 2][WIDE + 2] = {{false}};
        double area = 0, length = 0;
        for (uint32_t j = 1; j <= HIGH; j++) {
            for (uint32_t i = 1; i <= WIDE; i++) {
                state = state * 1664525u + 1013904223u;
                solid[j][i] = state >> 24 < 60 + 3 * round;
                *to++ = solid[j][i] ? "#X=Q"[state >> 8 & 3] : ".-_ 0"[(state >> 8) % 5];
                area += solid[j][i];
            }
            if (round & 1) *to++ = '\r';
            *to++ = '\n';
        }
        *to = 0;
        for (uint32_t j = 0; j <= HIGH; j++)
            for (uint32_t i = 0; i <= WIDE; i++)
                length += (solid[j][i] != solid[j][i + 1]) + (solid[j][i] != solid[j + 1][i]);
        level made = tiles_of(text, 1);
        CHECK_NEAR(area_of(&made), area, 1e-6);
        CHECK_NEAR(length_of(&made), length, 1e-6);
        for (size_t k = 0; k < made.edge_count; k++) { /* every edge ends at a turn */
            tp_vector a = made.points[made.ends[2 * k]], b = made.points[made.ends[2 * k + 1]];
            CHECK((a.x == b.x) != (a.y == b.y));
        }
        level_free(&made);
    }
}

static void wrong_tiles_are_refused_with_their_row(void)
{
    level made = {0};
    level_fault fault = {0};
    CHECK(!level_read_tiles(&made, "", 1, &fault) && strstr(fault.text, "no tile"));
    CHECK(!level_read_tiles(&made, "\n\n", 1, &fault) && strstr(fault.text, "no tile"));
    CHECK(!level_read_tiles(&made, "##\n#\t#\n", 1, &fault) && fault.place == 2);
    CHECK(strstr(fault.text, "none of ASCII") != NULL);
    level_free(&made);
}

/* ---- drawings */

static level drawing_of(const char *text, double units, double tolerance)
{
    const level_drawing drawing = {units, tolerance};
    level made = {0};
    level_fault fault = {0};
    bool is_good = level_read_svg(&made, text, strlen(text), &drawing, &fault);
    test_note("%s\nbyte %zu: %s", text, fault.place, fault.text);
    CHECK(is_good);
    return made;
}

#define SVG(inner) "<svg viewBox=\"0 0 100 50\">" inner "</svg>"

/* All of these are the square from (1, 1) to (3, 3), which is a solid. */
static void every_way_to_draw_a_square_gives_the_same_solid(void)
{
    static const char *const ways[] = {
        SVG("<rect x='10' y='20' width='20' height='20'/>"),
        SVG("<polygon points='10,20 30,20 30,40 10,40'/>"),
        SVG("<polygon points='10 40 30 40 30 20 10 20'></polygon>"),
        SVG("<polyline points='10,20 30,20 30,40 10,40 10,20'/>"),
        SVG("<path d='M10 20L30 20L30 40L10 40Z'/>"), SVG("<path d='m10 20 20 0 0 20 -20 0z'/>"),
        SVG("<path d='M10,20H30V40H10z'/>"),
        SVG("<path d='m10-30h20v20h-20v-20zz' transform='translate(0 50)'/>"),
        SVG("<path d='M10 20c5 0 10 0 20 0q0 10 0 20L10 40Z'/>"),
        SVG("<g transform='scale(2)'><g transform='translate(5)'><rect y='10' width='10' "
            "height='10'/></g></g>"),
        SVG("<rect transform='matrix(0 1 1 0 0 0)' x='20' y='10' width='20' height='20'/>"),
        SVG("<rect transform='rotate(90)' x='20' y='-30' width='20' height='20'/>"),
        SVG("<!-- <rect/> --><defs><path d='x'/><defs/></defs><a><rect x='10' y='20' width='20px' "
            "height='20'/></a>"),
        /* in parentheses, so that no compiler takes it for a missing comma */
        ("<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a \"b\">]><svg "
         "height='50px'><title>M</title><rect x='10' y='20' width='20' height='20'/></svg>"),
        "<svg viewBox='100 200 9 50'><rect x='110' y='220' width='20' height='20'/></svg>"};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        level made = drawing_of(ways[k], 10, 1e-3);
        CHECK_NEAR(area_of(&made), 4, 1e-5);
        CHECK_NEAR(length_of(&made), 8, 1e-5);
        for (size_t p = 0; p < made.point_count; p++)
            CHECK(made.points[p].x > 0.99999f && made.points[p].x < 3.00001f &&
                  made.points[p].y > 0.99999f && made.points[p].y < 3.00001f);
        level_free(&made);
    }
}

static void outlines_inside_of_outlines_are_holes(void)
{
    level made = drawing_of(SVG("<path d='M0 0H50V50H0Z M10 10H40V40H10Z'/><rect x='20' y='20' "
                                "width='10' height='10'/>"),
                            10, 1e-3);
    CHECK_EQ(made.edge_count, 12);
    CHECK_NEAR(area_of(&made), 25 - 9 + 1, 1e-5);
    level_free(&made);
}

/* A circle of four cubic curves: the edges stay within the tolerance, and are no more than
   needed. */
static void curves_keep_the_tolerance(void)
{
    static const double tolerances[3] = {0.1, 0.01, 0.0001};
    for (uint32_t k = 0; k < 3; k++) {
        level made = drawing_of(SVG("<path d='M20 10C20 15.5228 15.5228 20 10 20S0 15.5228 0 10 "
                                    "4.4772 0 10 0 20 4.4772 20 10Z'/>"),
                                1, tolerances[k]);
        double worst = 0;
        for (size_t e = 0; e < made.edge_count; e++) {
            tp_vector a = made.points[made.ends[2 * e]], b = made.points[made.ends[2 * e + 1]];
            for (uint32_t s = 0; s <= 8; s++) {
                double x = (double)a.x + (double)(b.x - a.x) * s / 8,
                       y = (double)a.y + (double)(b.y - a.y) * s / 8;
                worst = fmax(worst, fabs(hypot(x - 10, y - 40) - 10));
            }
        }
        double fewest = 3.14159265 / acos(1 - tolerances[k] / 10);
        test_note("tolerance %g: %zu edges, at least %.1f, %g from the circle", tolerances[k],
                  made.edge_count, fewest, worst);
        CHECK(worst < tolerances[k] + 0.004); /* of the curve from a circle */
        CHECK((double)made.edge_count < 1.5 * fewest + 8);
        CHECK_NEAR(area_of(&made), 314.16, 25 * sqrt(tolerances[k]));
        level_free(&made);
    }
}

static void open_outlines_are_chains_in_the_direction_of_drawing(void)
{
    level made = drawing_of(SVG("<polyline points='90,30 50,30 10,20'/><line x1='5' y1='1' x2='7' "
                                "y2='1'/><path d='M1 1'/>"),
                            10, 1e-3);
    CHECK_EQ(made.edge_count, 3);
    CHECK(made.points[0].x == 9.0f && made.points[0].y == 2.0f && made.points[2].y == 3.0f);
    CHECK(made.ends[0] == 0 && made.ends[1] == 1 && made.ends[2] == 1 && made.ends[3] == 2);
    CHECK(made.ends[4] == 3 && made.ends[5] == 4);
    level_free(&made);
}

/* Each is refused at the byte of the character '@', which is removed. */
static void wrong_drawings_are_refused_with_their_byte(void)
{
    static const char *const wrong[][2] = {
        {SVG("<path d='M0 0@A1 1 0 0 0 3 3'/>"), "command 'A'"},
        {SVG("<path d='@L0 0'/>"), "begins with 'L'"},
        {SVG("<path d='M0 0L1 @x'/>"), "expected a number"},
        {SVG("<path d='M0 0L1 @'/>"), "expected a number"},
        {SVG("<path d='M0 0 C@1 1 2 2 900000 900000'/>"), "more than 4096 edges"},
        {SVG("<path d='M0 0 L1e9 @1e19'/>"), "at most 1e12"},
        {SVG("<polygon points='@1e11 0'/>"), "farther than 1e6 m"},
        {SVG("<polygon points='1 2 3@'/>"), "expected a number"},
        {SVG("<@circle r='3'/>"), "element 'circle'"},
        {SVG("<@rect width='9' height='9' rx='2'/>"), "round corners"},
        {SVG("<rect width='9@mm' height='9'/>"), "without a unit"},
        {SVG("<g transform='@skewX(3)'/>"), "expected translate"},
        {SVG("<g transform='scale @3'/>"), "expected '('"},
        {SVG("<g transform='scale(3@'/>"), "expected ')'"},
        {SVG("<g @='3'/>"), "expected a name"},
        {SVG("<g a @b='3'/>"), "expected '='"},
        {SVG("<g a=@3/>"), "quoted value"},
        {"<svg><g a='@3/></svg>", "closing quote"},
        {"<@html></html>", "not svg"},
        {"<svg><g></g>@", "expected '</svg>'"},
        {"<svg><@!-- </svg>", "expected"},
        {"@", "holds no svg"},
        {"@</svg>", "has not begun"}};
    const level_drawing drawing = {10, 1e-6};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[200];
        level made = {0};
        level_fault fault = {0};
        size_t place = strcspn(wrong[k][0], "@");
        memcpy(text, wrong[k][0], place);
        strcpy(text + place, wrong[k][0] + place + 1);
        bool is_good = level_read_svg(&made, text, strlen(text), &drawing, &fault);
        test_note("%s\nbyte %zu: %s", text, fault.place, fault.text);
        CHECK(!is_good && strstr(fault.text, wrong[k][1]) != NULL);
        CHECK_EQ(fault.place, place);
        level_free(&made);
    }
}

/* ---- words of a scene */

static void words_of_a_scene_make_edges(void)
{
    scene made;
    const char *text = "world\n dimensions = 2\n particles = 4\ncollider c\n shape = mesh\n"
                       " chain = 3 0 2 0 1 0 m\n points = 0 50 cm\n polygon = 0 0 1 0 0 1\n"
                       " row = .X\n row = XX\n tile_size = 2\n flip = yes\n"
                       "emitter e\n burst = 4\n";
    CHECK(scene_parse(&made, "test.scene", ".", text) == HOST_DONE);
    const tp_collider_def *def = &made.colliders[0].def;
    CHECK_EQ(def->triangle_count, 3 + 3 + 6);
    CHECK_EQ(def->vertex_count, 4 + 3 + 6);
    CHECK(def->indices[0] == 1 && def->indices[1] == 0); /* flipped */
    CHECK(def->vertices[3].x == 0.0f && def->vertices[3].y == 0.5f);
    void *block;
    size_t bytes;
    tp_world *world;
    CHECK(scene_memory(&made, &bytes) == HOST_DONE);
    block = aligned_alloc(16, (bytes + 15u) & ~(size_t)15u);
    CHECK(scene_create_world(&made, block, bytes, &world) == HOST_DONE);
    free(block);
    scene_free(&made);
}

/* ---- wireframes */

static size_t creases_of(const tp_vector *vertices, const uint32_t *indices, uint32_t triangles)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_MESH);
    uint32_t *pairs = NULL;
    size_t count = 0;
    def.vertices = vertices;
    def.indices = indices;
    def.triangle_count = triangles;
    CHECK(crease_edges(&def, &pairs, &count) == 0);
    for (size_t k = 0; k < count; k++) CHECK(pairs[2 * k] < pairs[2 * k + 1]);
    free(pairs);
    return count;
}

/* A floor of 8 x 8 squares has its rim; with one corner of the middle raised, its slopes too. A
   tetrahedron has all its edges. */
static void wireframes_leave_out_edges_within_planes(void)
{
    enum { N = 8 };
    tp_vector vertices[(N + 1) * (N + 1)];
    uint32_t indices[6 * N * N], count = 0;
    for (uint32_t k = 0; k < (N + 1) * (N + 1); k++)
        vertices[k] = (tp_vector){(float)(k % (N + 1)), 0, (float)(k / (N + 1))};
    for (uint32_t k = 0; k < N * N; k++) {
        uint32_t a = k / N * (N + 1) + k % N;
        const uint32_t corners[6] = {a, a + N + 1, a + 1, a + 1, a + N + 1, a + N + 2};
        for (uint32_t i = 0; i < 6; i++) indices[count++] = corners[i];
    }
    CHECK_EQ(creases_of(vertices, indices, 2 * N * N), 4 * N);
    vertices[4 * (N + 1) + 4].y = 1;
    CHECK_EQ(creases_of(vertices, indices, 2 * N * N), 4 * N + 12);
    static const uint32_t sides[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    const tp_vector corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK_EQ(creases_of(corners, sides, 4), 6);
}

static const test_case cases[] = {
    TEST_CASE(tiles_become_outlines_without_inner_edges),
    TEST_CASE(tables_with_commas_are_the_same_tiles),
    TEST_CASE(tiles_that_touch_at_a_corner_are_one_outline),
    TEST_CASE(outlines_of_random_tiles_keep_area_and_length),
    TEST_CASE(wrong_tiles_are_refused_with_their_row),
    TEST_CASE(every_way_to_draw_a_square_gives_the_same_solid),
    TEST_CASE(outlines_inside_of_outlines_are_holes),
    TEST_CASE(curves_keep_the_tolerance),
    TEST_CASE(open_outlines_are_chains_in_the_direction_of_drawing),
    TEST_CASE(wrong_drawings_are_refused_with_their_byte),
    TEST_CASE(words_of_a_scene_make_edges),
    TEST_CASE(wireframes_leave_out_edges_within_planes),
};
TEST_SUITE(drawing, cases);
