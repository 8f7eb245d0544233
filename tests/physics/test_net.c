/* SPDX-License-Identifier: MIT
   tests/physics/test_net.c - links of many particles in one call: pairs, order, limits.
   reads   runtime/solve/link.c      writes  nothing
   memory  worlds of up to 600 particles      cost    a second
   after   links that are added one by one; all pairs of the view, in double precision */
#include "test.h"
#include "world_help.h"
#include "link_worlds.h"
#include <math.h>
#include <string.h>

#define NET_MOST 2000u

/* A lattice of particles, row by row; returns the id of the first one. */
static uint32_t net_lattice(tp_world *world, const uint32_t side[3], tp_vector from, float spacing)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < side[0] * side[1] * side[2]; i++) {
        uint32_t id =
            link_particle(world, (double)from.x + (double)spacing * (i % side[0]),
                          (double)from.y + (double)spacing * (i / side[0] % side[1]),
                          (double)from.z + (double)spacing * (i / side[0] / side[1]), 0, 0);
        if (i == 0) first = id;
    }
    return first;
}

static tp_link_def net_def(uint32_t first, uint32_t last, float longest)
{
    tp_link_def def = tp_link_default();
    def.first = first;
    def.second = last;
    def.rest_length = longest;
    def.stiffness = 40;
    def.damping = 0.2f;
    def.break_length = 2 * longest;
    return def;
}

/* m: between two particles, by nearest images in a periodic box. */
static double net_distance(const tp_world *world, uint32_t a, uint32_t b)
{
    const tp_world_def *def = tp_world_definition(world);
    tp_view view = tp_world_view(world);
    uint32_t i = link_place(world, a), j = link_place(world, b);
    const double size[3] = {(double)def->box_size.x, (double)def->box_size.y,
                            (double)def->box_size.z};
    double d[3] = {(double)(view.x[i] - view.x[j]), (double)(view.y[i] - view.y[j]),
                   view.z ? (double)(view.z[i] - view.z[j]) : 0.0};
    for (uint32_t axis = 0; axis < 3; axis++)
        if (def->periodic_axes >> axis & 1u) d[axis] -= size[axis] * round(d[axis] / size[axis]);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Compares links with all pairs of living ids of a range. */
static void net_compare(const tp_world *world, const tp_link_def *def, const tp_link *links,
                        uint32_t count)
{
    uint32_t k = 0;
    for (uint32_t a = def->first; a <= def->second; a++)
        for (uint32_t b = a + 1; b <= def->second; b++) {
            if (link_place(world, a) == UINT32_MAX || link_place(world, b) == UINT32_MAX) continue;
            double distance = net_distance(world, a, b);
            if (distance > (double)def->rest_length) continue;
            tp_link_def found;
            if (!CHECK(k < count && tp_link_get(world, links[k++], &found) == TP_OK)) return;
            CHECK(found.first == a && found.second == b);
            CHECK_NEAR(found.rest_length, distance, 1e-6);
            CHECK_NEAR(found.break_length, 2 * distance, 1e-5);
            CHECK(found.stiffness == def->stiffness && found.damping == def->damping);
        }
    CHECK_EQ(k, count);
}

static void a_lattice_gets_its_edges_and_diagonals(void)
{
    static tp_link links[NET_MOST];
    const uint32_t flat[3] = {6, 5, 1}, solid[3] = {3, 4, 3};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = link_def(dimensions, 40, NET_MOST, 0.01);
        test_world made = test_world_make(&def);
        const uint32_t *side = dimensions == 2 ? flat : solid;
        uint32_t count = 0, edges = dimensions == 2 ? 5 * 5 + 6 * 4 : 24 + 27 + 24,
                 diagonals = dimensions == 2 ? 2 * 5 * 4 : 2 * (2 * 3 * 3 + 2 * 2 * 4 + 3 * 3 * 2),
                 corners = dimensions == 2 ? 0 : 4 * 2 * 3 * 2;
        uint32_t first = net_lattice(made.world, side, (tp_vector){1, 1, 1}, 0.25f),
                 last = first + side[0] * side[1] * side[2] - 1;
        tp_link_def net = net_def(first, last, 0.25f * (dimensions == 2 ? 1.5f : 1.8f));
        CHECK(tp_links_add(made.world, &net, links, NET_MOST, &count) == TP_OK);
        CHECK_EQ(count, edges + diagonals + corners);
        net_compare(made.world, &net, links, count);
        net.rest_length = 0.25f * 1.1f;
        net.break_length *= 2;
        CHECK(tp_links_add(made.world, &net, NULL, 0, &count) == TP_OK);
        CHECK_EQ(count, edges);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_LINKS].used,
                 2 * edges + diagonals + corners);
        test_world_free(&made);
    }
}

/* A jelly in a fluid, with a rope that is no lattice. */
static test_world net_pool(uint32_t slice_units)
{
    const uint32_t side[3] = {6, 6, 1};
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 600;
    def.links_max = NET_MOST;
    def.slice_units = slice_units;
    tp_sph_incompressible(&def, 0.1f);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){3, 3, 1});
    for (uint32_t i = 0; i < 300; i++)
        (void)link_particle(made.world, 0.05 + 0.1 * (i % 30), 0.05 + 0.1 * (i / 30), 0, 0, 0);
    CHECK_EQ(net_lattice(made.world, side, (tp_vector){1, 1.3f, 0}, 0.1f), 300);
    return made;
}

/* The same bits as links that are added one by one; at any slicing, and where the storage is
   sorted and a step is in progress. */
static void one_call_is_a_loop_of_calls(void)
{
    static tp_link links[NET_MOST];
    uint64_t hash = 0;
    for (uint32_t way = 0; way < 4; way++) {
        test_world made = net_pool(way & 1u ? 256 : 4096);
        tp_budget part = {.units = 3000};
        uint32_t count = 0;
        tp_link_def net = net_def(300, 335, 0.15f);
        net.break_length = 0;
        test_world_frames(made.world, 20);
        CHECK(tp_frame(made.world, &part, NULL) == TP_MORE); /* within a step */
        if (way >= 2) {
            tp_link_def one = net;
            for (one.first = 300; one.first < 336; one.first++)
                for (one.second = one.first + 1; one.second < 336; one.second++) {
                    tp_view view = tp_world_view(made.world);
                    uint32_t i = link_place(made.world, one.first),
                             j = link_place(made.world, one.second);
                    float x = view.x[j] - view.x[i], y = view.y[j] - view.y[i];
                    one.rest_length = sqrtf(x * x + y * y);
                    if (one.rest_length > net.rest_length) continue;
                    CHECK(tp_link_add(made.world, &one, &links[count++]) == TP_OK);
                }
        } else {
            CHECK(tp_links_add(made.world, &net, links, NET_MOST, &count) == TP_OK);
        }
        CHECK(count > 60);
        net.break_length = 2 * net.rest_length;
        test_note("way %u: %u links", way, count);
        test_world_frames(made.world, 15);
        if (way == 0) hash = tp_world_hash(made.world);
        CHECK_EQ(tp_world_hash(made.world), hash);
        test_world_free(&made);
    }
}

/* In a periodic box, after removals, and into the holes of the pool. */
static void nearest_images_are_linked_and_gaps_are_skipped(void)
{
    static tp_link links[NET_MOST];
    const uint32_t side[3] = {7, 7, 1};
    tp_world_def def = link_def(2, 60, 400, 0.01);
    def.takes_changes = true;
    def.periodic_axes = TP_AXIS_X;
    def.box_size = (tp_vector){4, 4, 4};
    test_world made = test_world_make(&def);
    uint32_t first = net_lattice(made.world, side, (tp_vector){3.4f, 0, 0}, 0.2f), count = 0;
    tp_link_def net = net_def(first, first + 48, 0.3f);
    for (uint32_t id = first + 3; id < first + 48; id += 9)
        CHECK(tp_particle_remove(made.world, id) == TP_OK);
    CHECK(tp_links_add(made.world, &net, links, NET_MOST, &count) == TP_OK);
    net_compare(made.world, &net, links, count);
    for (uint32_t k = 0; k < count; k += 2) CHECK(tp_link_remove(made.world, links[k]) == TP_OK);
    test_world_frames(made.world, 3);
    CHECK(tp_links_add(made.world, &net, links, NET_MOST, &count) == TP_OK);
    net_compare(made.world, &net, links, count);
    net.first = net.second - 1; /* too far apart: nothing is added, and no step restarts */
    net.rest_length = 0.1f;
    CHECK(tp_links_add(made.world, &net, links, 0, &count) == TP_OK && count == 0);
    test_world_free(&made);
}

/* Room counts that is left: links that exist take theirs. */
static void a_net_does_not_fit_beside_another_one(void)
{
    tp_link links[NET_MOST];
    test_world made = net_pool(256);
    uint32_t count = 0, fits = 0;
    tp_link_def net = net_def(300, 335, 0.15f);
    tp_result result = TP_OK;
    test_world_frames(made.world, 3);
    for (; result == TP_OK && fits < 100; fits += result == TP_OK)
        result = tp_links_add(made.world, &net, links, NET_MOST, &count);
    test_note("%u nets of %u links in a pool of %u", fits, count, made.world->links.capacity);
    CHECK(result == TP_ERROR_FULL);
    CHECK_EQ(fits, made.world->links.capacity / count);
    CHECK(fits > 0 && fits * count < made.world->links.capacity);
    CHECK_EQ(made.world->links.used, fits * count);
    test_world_free(&made);
}

static void a_call_that_does_not_fit_changes_nothing(void)
{
    tp_link links[8];
    test_world made = net_pool(256);
    tp_budget part = {.units = 3000};
    uint32_t count = 0;
    tp_link_def net = net_def(300, 335, 0.15f), all = net_def(0, 335, 1.0f);
    test_world_frames(made.world, 3);
    CHECK(tp_frame(made.world, &part, NULL) == TP_MORE);
    uint64_t hash = tp_world_hash(made.world);
    CHECK(tp_links_add(made.world, &net, links, 8, &count) == TP_ERROR_FULL);
    CHECK_EQ(count, 110);
    CHECK(tp_links_add(made.world, &all, NULL, 0, &count) == TP_ERROR_FULL);
    CHECK(count > NET_MOST);
    tp_report report = tp_world_report(made.world);
    CHECK(report.pools[TP_POOL_LINKS].used == 0 && report.pools[TP_POOL_LINKS].refused == count);
    CHECK(tp_world_hash(made.world) == hash && report.steps_restarted == 0);
    part.is_same_frame = true;
    part.units = 0;
    CHECK(tp_frame(made.world, &part, NULL) == TP_OK);
    CHECK_EQ(tp_world_report(made.world).steps_restarted, 0);
    CHECK(tp_links_add(made.world, &net, NULL, 0, NULL) == TP_OK);
    test_world_free(&made);
}

static void bad_ranges_are_refused(void)
{
    tp_world_def def = link_def(2, 4, 4, 0.01);
    test_world made = test_world_make(&def);
    uint32_t count = 7;
    for (uint32_t i = 0; i < 3; i++) (void)link_particle(made.world, i, 0, 0, 0, 0);
    const tp_link_def good = net_def(0, 2, 1.5f);
    tp_link_def bad[6] = {good, good, good, good, good, good};
    bad[0].second = 3;
    bad[1].first = 2;
    bad[1].second = 1;
    bad[2].second = 0;
    bad[3].rest_length = NAN;
    bad[4].rest_length = 0;
    bad[5].break_length = 1;
    for (uint32_t k = 0; k < 6; k++) {
        test_note("definition %u", k);
        CHECK(tp_links_add(made.world, &bad[k], NULL, 0, &count) == TP_ERROR_DEFINITION);
    }
    bad[0].stamp = 0;
    CHECK(tp_links_add(made.world, &bad[0], NULL, 0, &count) == TP_ERROR_STAMP);
    CHECK(tp_links_add(NULL, &good, NULL, 0, &count) == TP_ERROR_NULL);
    CHECK(tp_links_add(made.world, NULL, NULL, 0, &count) == TP_ERROR_NULL);
    CHECK_EQ(count, 7);
    CHECK(tp_links_add(made.world, &good, NULL, 0, &count) == TP_OK && count == 2);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_lattice_gets_its_edges_and_diagonals),
    TEST_CASE(one_call_is_a_loop_of_calls),
    TEST_CASE(nearest_images_are_linked_and_gaps_are_skipped),
    TEST_CASE(a_net_does_not_fit_beside_another_one),
    TEST_CASE(a_call_that_does_not_fit_changes_nothing),
    TEST_CASE(bad_ranges_are_refused),
};
TEST_SUITE(net, cases);
