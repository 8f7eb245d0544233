/* SPDX-License-Identifier: MIT
   tests/unit/test_query.c - queries of particles: regions, nearest ones, samples and grids against
           brute force in double precision; builds, slices, bad input.
   reads   runtime/grid/query*.c      writes  nothing
   memory  malloc                     cost    about a second
   after   own design */
#include "query_help.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND_MOST = 700 };

/* ---- regions ---- */

static tp_region random_region(query_scene *scene, uint32_t dimensions)
{
    tp_region region = {0};
    uint32_t *random = &scene->random;
    region.shape = (tp_region_shape)(test_random(random) * 3.0f);
    region.species_mask = test_random(random) < 0.7f ? 7u : 5u;
    region.center = query_point(scene);
    region.half = test_random_position(random, 0.3f);
    region.radius = test_random(random) * (test_random(random) < 0.5f ? 0.1f : 0.8f);
    if (region.shape == TP_REGION_BOX)
        region.half = (tp_vector){fabsf(region.half.x) * 4.0f, fabsf(region.half.y) * 4.0f,
                                  fabsf(region.half.z) * 4.0f};
    if (region.shape == TP_REGION_CAPSULE) region.radius *= 0.05f;
    if (test_random(random) < 0.1f && region.shape != TP_REGION_CAPSULE) {
        region.radius *= 300.0f;
        region.half = tpi_scale(region.half, 300.0f);
    }
    if (dimensions == 2) region.half.z = NAN; /* is ignored */
    return region;
}

/* The distance of a particle from the region's center or axis, and from its surface: negative
   inside. */
static double region_depth(const query_scene *scene, const tp_region *region, uint32_t i,
                           double *distance)
{
    double d[3], half[3] = {(double)region->half.x, (double)region->half.y, (double)region->half.z};
    if (tp_world_definition(scene->world)->dimensions == 2) half[2] = 0.0;
    query_offset(scene, i, region->center, d);
    double square = half[0] * half[0] + half[1] * half[1] + half[2] * half[2];
    if (region->shape == TP_REGION_CAPSULE && square > 0.0) {
        double along = (d[0] * half[0] + d[1] * half[1] + d[2] * half[2]) / square;
        along = fmin(fmax(along, -1.0), 1.0);
        for (uint32_t a = 0; a < 3; a++) d[a] -= along * half[a];
    }
    *distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (region->shape != TP_REGION_BOX) return *distance - (double)region->radius;
    return fmax(fabs(d[0]) - half[0], fmax(fabs(d[1]) - half[1], fabs(d[2]) - half[2]));
}

static bool is_of(tp_view view, uint32_t i, uint32_t mask)
{
    return (mask >> TP_META_SPECIES(view.meta[i]) & 1u) != 0;
}

/* Index of the particle with an id; ids are those of the order of births here. */
static uint32_t index_of(tp_view view, uint32_t id)
{
    for (uint32_t i = 0; i < view.count; i++)
        if (view.id[i] == id) return i;
    return view.count;
}

static bool is_copy(const tp_found *found, tp_view view, uint32_t i)
{
    return found->meta == view.meta[i] && found->position.x == view.x[i] &&
           found->position.y == view.y[i] && found->velocity.x == view.vx[i] &&
           found->velocity.y == view.vy[i] && found->position.z == (view.z ? view.z[i] : 0.0f) &&
           found->velocity.z == (view.vz ? view.vz[i] : 0.0f);
}

/* Every particle deeper than rounding is found, none beyond it, in the order of ids. */
static void check_region(const query_scene *scene, const tp_region *region, const tp_found *found,
                         uint32_t count)
{
    static bool is_found[FOUND_MOST];
    tp_view view = tp_world_view(scene->world);
    double rounding = query_rounding(scene, region->center) * (1.0 + (double)region->radius);
    uint32_t faults = 0;
    memset(is_found, 0, sizeof is_found);
    for (uint32_t k = 0; k < count; k++) {
        double distance;
        uint32_t i = index_of(view, found[k].id);
        if (!CHECK(i < view.count)) return;
        is_found[i] = true;
        (void)region_depth(scene, region, i, &distance);
        faults += !is_copy(&found[k], view, i);
        faults += fabs(distance - (double)found[k].distance) > rounding + 1e-6 * distance;
        faults += k > 0 && found[k].id <= found[k - 1u].id;
    }
    for (uint32_t i = 0; i < view.count; i++) {
        double distance, depth = region_depth(scene, region, i, &distance);
        bool is_inside = is_of(view, i, region->species_mask);
        if (fabs(depth) > rounding || !is_inside)
            faults += is_found[i] != (is_inside && depth < 0.0);
    }
    CHECK_EQ(faults, 0);
}

static tp_result find_sliced(const query_scene *scene, const tp_region *region, bool nearest,
                             uint32_t units, tp_found *found, uint32_t capacity, uint32_t *count)
{
    tp_query_cursor cursor = {0};
    tp_result result;
    do
        result =
            nearest ? tp_query_nearest(scene->query, region, units, &cursor, found, capacity, count)
                    : tp_query_region(scene->query, region, units, &cursor, found, capacity, count);
    while (query_goes_on(result, &cursor, units));
    return result;
}

static void each_scene(void (*run)(query_scene *scene, uint32_t dimensions))
{
    for (uint32_t kind = 0; kind < QUERY_KINDS; kind++)
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
            query_scene scene = query_scene_make(kind, dimensions, 1u);
            test_note("arrangement %u, %u dimensions", kind, dimensions);
            run(&scene, dimensions);
            query_scene_free(&scene);
        }
}

static void find_regions(query_scene *scene, uint32_t dimensions)
{
    static tp_found found[FOUND_MOST], sliced[FOUND_MOST];
    for (uint32_t k = 0; k < 40; k++) {
        tp_region region = random_region(scene, dimensions);
        uint32_t count = 0, again = 0, units = k & 1u ? 64u : 1u + k;
        tp_result result =
            tp_query_region(scene->query, &region, 0, NULL, found, FOUND_MOST, &count);
        if (!CHECK(result == TP_OK)) return;
        check_region(scene, &region, found, count);
        memset(sliced, 0, sizeof sliced);
        result = find_sliced(scene, &region, false, units, sliced, FOUND_MOST, &again);
        CHECK(result == TP_OK && again == count &&
              memcmp(found, sliced, count * sizeof *found) == 0);
        result = find_sliced(scene, &region, false, units, NULL, 0, &again);
        CHECK(result == TP_OK && again == count);
        if (count < 2u) continue;
        result = find_sliced(scene, &region, false, units, sliced, count / 2u, &again);
        CHECK(result == TP_ERROR_FULL && again == count &&
              memcmp(found, sliced, count / 2u * sizeof *found) == 0);
    }
}
static void regions_equal_brute_force_in_any_slices(void) { each_scene(find_regions); }

/* ---- nearest ---- */

/* Particles of a region, as far as rounding lets them be told: surely inside and nearer than a
   distance, or perhaps inside and not farther. */
static uint32_t count_nearer(const query_scene *scene, const tp_region *region, double limit,
                             double rounding, bool is_sure)
{
    tp_view view = tp_world_view(scene->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double distance, depth = region_depth(scene, region, i, &distance);
        if (!is_of(view, i, region->species_mask)) continue;
        count += is_sure ? depth < -rounding && distance < limit - rounding
                         : depth <= rounding && distance <= limit + rounding;
    }
    return count;
}

/* At most k particles are nearer than the k-th one, and at least k + 1 not farther. */
static void check_nearest(const query_scene *scene, const tp_region *region, const tp_found *found,
                          uint32_t count, uint32_t capacity)
{
    tp_view view = tp_world_view(scene->world);
    double rounding = query_rounding(scene, region->center) * (1.0 + (double)region->radius);
    uint32_t faults = 0;
    if (region->radius > 1e6f) rounding = query_rounding(scene, region->center); /* all inside */
    CHECK(count <= capacity);
    if (count < capacity) CHECK(count >= count_nearer(scene, region, 1e300, rounding, true));
    for (uint32_t k = 0; k < count; k++) {
        double distance = (double)found[k].distance, error = rounding + 1e-6 * distance;
        faults += count_nearer(scene, region, distance, error, true) > k;
        faults += count_nearer(scene, region, distance, error, false) < k + 1u;
        faults += !is_copy(&found[k], view, index_of(view, found[k].id));
        if (k > 0)
            faults +=
                found[k].distance < found[k - 1u].distance ||
                (found[k].distance == found[k - 1u].distance && found[k].id == found[k - 1u].id);
    }
    CHECK_EQ(faults, 0);
}

static void find_nearest(query_scene *scene, uint32_t dimensions)
{
    static tp_found found[FOUND_MOST], sliced[FOUND_MOST];
    for (uint32_t k = 0; k < 40; k++) {
        tp_region region = random_region(scene, dimensions);
        uint32_t count = 0, again = 0, capacity = k % 3u == 0 ? 1u : 1u + k * k % 130u;
        if (k & 1u) {
            region.shape = TP_REGION_SPHERE;
            region.radius = k % 4u == 1u ? 1e9f : 3.0f;
        }
        tp_result result =
            tp_query_nearest(scene->query, &region, 0, NULL, found, capacity, &count);
        if (!CHECK(result == TP_OK)) return;
        check_nearest(scene, &region, found, count, capacity);
        result = find_sliced(scene, &region, true, k & 2u ? 64u : 1u + k, sliced, capacity, &again);
        CHECK(result == TP_OK && again == count &&
              memcmp(found, sliced, count * sizeof *found) == 0);
    }
}
static void nearest_equal_brute_force_in_any_slices(void) { each_scene(find_nearest); }

static void ties_of_distance_go_by_id(void)
{
    query_scene scene = query_scene_make(QUERY_COINCIDENT, 3, 1);
    tp_region region = {.shape = TP_REGION_SPHERE, .species_mask = 7, .radius = 100.0f};
    tp_found found[50];
    uint32_t count;
    CHECK(tp_query_nearest(scene.query, &region, 0, NULL, found, 50, &count) == TP_OK);
    for (uint32_t k = 0; k < 50; k++) CHECK_EQ(found[k].id, k);
    query_scene_free(&scene);
}

/* ---- samples ---- */

typedef struct sample_sums {
    double weight, mass, velocity[3], gradient[3];
    uint32_t particles, unsure;
} sample_sums;

static sample_sums brute_sample(const query_scene *scene, tp_vector point, uint32_t mask)
{
    const tp_world_def *def = tp_world_definition(scene->world);
    tp_view view = tp_world_view(scene->world);
    const double h = 0.3f;
    sample_sums sums = {0};
    for (uint32_t i = 0; i < view.count; i++) {
        double d[3];
        const double v[3] = {(double)view.vx[i], (double)view.vy[i],
                             view.vz ? (double)view.vz[i] : 0.0};
        query_offset(scene, i, point, d);
        double rest = 1.0 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (h * h);
        if (!is_of(view, i, mask)) continue;
        if (fabs(rest) < 1e-5) sums.unsure++;
        if (rest <= 0.0) continue;
        double mass = (double)def->species[TP_META_SPECIES(view.meta[i])].mass;
        double weight = rest * rest * rest;
        sums.particles++;
        sums.weight += weight;
        sums.mass += mass * weight;
        for (uint32_t a = 0; a < 3; a++) {
            sums.velocity[a] += mass * weight * v[a];
            sums.gradient[a] += mass * rest * rest * d[a] / h;
        }
    }
    return sums;
}

static double kernel_integral(uint32_t dimensions)
{
    const double h = 0.3f, pi = 3.14159265358979;
    return dimensions == 2 ? pi * h * h / 4.0 : 64.0 * pi * h * h * h / 315.0;
}

static void check_sample(const query_scene *scene, tp_vector point, uint32_t mask,
                         const tp_sample *sample)
{
    uint32_t dimensions = tp_world_definition(scene->world)->dimensions;
    sample_sums sums = brute_sample(scene, point, mask);
    double density = sums.mass / kernel_integral(dimensions), length = 0.0, along = 0.0;
    /* a distance is wrong by the rounding of positions, and the weights by 6 d / h^2 of it */
    double error = query_rounding(scene, point) * 20.0 * (double)(sums.particles + 1u);
    const double normal[3] = {(double)sample->normal.x, (double)sample->normal.y,
                              (double)sample->normal.z};
    const double velocity[3] = {(double)sample->velocity.x, (double)sample->velocity.y,
                                (double)sample->velocity.z};
    CHECK_NEAR(sample->density, density, error / kernel_integral(dimensions) + 1e-5 * density);
    if (!sums.unsure) CHECK_EQ(sample->particles, sums.particles);
    for (uint32_t a = 0; a < 3; a++) {
        if (sums.mass > 0.01)
            CHECK_NEAR(velocity[a], sums.velocity[a] / sums.mass, 1e-5 + 6.0 * error / sums.mass);
        length += sums.gradient[a] * sums.gradient[a];
        along -= sums.gradient[a] * normal[a];
    }
    length = sqrt(length);
    if (length > 0.01 + 100.0 * error) CHECK_NEAR(along / length, 1.0, 1e-3);
    if (!sums.particles && !sums.unsure)
        CHECK(sample->density == 0.0f && normal[0] == 0.0 && velocity[0] == 0.0);
}

static void take_samples(query_scene *scene, uint32_t dimensions)
{
    static tp_vector points[40];
    static tp_sample samples[40], sliced[40];
    tp_query_cursor cursor = {0};
    uint32_t units = 60u + dimensions, mask = 7u;
    tp_result result;
    for (uint32_t k = 0; k < 40; k++) points[k] = query_point(scene);
    CHECK(tp_query_sample(scene->query, points, 40, mask, 0, NULL, samples) == TP_OK);
    for (uint32_t k = 0; k < 40; k++) check_sample(scene, points[k], mask, &samples[k]);
    do result = tp_query_sample(scene->query, points, 40, mask, units, &cursor, sliced);
    while (query_goes_on(result, &cursor, units));
    CHECK(result == TP_OK && memcmp(samples, sliced, sizeof samples) == 0);
    CHECK(tp_query_sample(scene->query, points, 1, 2u, 0, NULL, samples) == TP_OK);
    check_sample(scene, points[0], 2u, samples);
}
static void samples_equal_brute_force_in_any_slices(void) { each_scene(take_samples); }

/* A square lattice of particles 0.1 m apart: the density is mass / 0.01 m^2 within, and half of it
   at the edge, where the normal points outwards. */
static void density_of_a_lattice_is_its_mass_per_area(void)
{
    tp_world_def def = tp_world_default(2);
    query_scene scene = {0};
    def.species[0].mass = 0.02f;
    scene.made = test_world_make(&def);
    scene.world = scene.made.world;
    for (uint32_t i = 0; i < 900; i++)
        CHECK(tp_particle_add(scene.world,
                              (tp_vector){0.05f + 0.1f * (float)(i % 30u),
                                          0.05f + 0.1f * (float)(i / 30u), 0.0f},
                              (tp_vector){1, 2, 0}, 0, NULL) == TP_OK);
    tp_query_def wanted = tp_query_default(&def);
    query_scene_query(&scene, &wanted);
    CHECK(tp_query_update(scene.query, scene.world, 0) == TP_OK);
    const tp_vector points[3] = {{1.53f, 1.46f, 0}, {3.0f, 1.5f, 0}, {1.5f, 0.0f, 0}};
    tp_sample samples[3];
    CHECK(tp_query_sample(scene.query, points, 3, ~0u, 0, NULL, samples) == TP_OK);
    CHECK_NEAR(samples[0].density, 2.0, 0.02);
    CHECK_NEAR(samples[1].density, 1.0, 0.02);
    CHECK_NEAR(samples[0].velocity.y, 2.0, 1e-5);
    CHECK_NEAR(samples[1].normal.x, 1.0, 1e-4);
    CHECK_NEAR(samples[2].normal.y, -1.0, 1e-4);
    query_scene_free(&scene);
}

/* ---- grids ---- */

static void fill_grids(query_scene *scene, uint32_t dimensions)
{
    static float values[13 * 9 * 4], sliced[13 * 9 * 4];
    tp_query_cursor cursor = {0};
    tp_sample_grid grid = {TP_GRID_DENSITY,          7u, scene->middle, 0.17f, 13, 9,
                           dimensions == 3 ? 4u : 1u};
    uint32_t count = 13u * 9u * grid.layers, faults = 0;
    tp_result result;
    CHECK(tp_query_grid(scene->query, &grid, 0, NULL, values, count) == TP_OK);
    for (uint32_t node = 0; node < count; node++) {
        tp_vector at = {scene->middle.x + (float)(node % 13u) * 0.17f,
                        scene->middle.y + (float)(node / 13u % 9u) * 0.17f,
                        scene->middle.z + (float)(node / 117u) * 0.17f};
        tp_sample sample;
        CHECK(tp_query_sample(scene->query, &at, 1, 7u, 0, NULL, &sample) == TP_OK);
        faults += sample.density != values[node];
    }
    CHECK_EQ(faults, 0);
    do result = tp_query_grid(scene->query, &grid, 64, &cursor, sliced, count);
    while (query_goes_on(result, &cursor, 64));
    CHECK(result == TP_OK && memcmp(values, sliced, count * sizeof *values) == 0);
    grid.value = TP_GRID_WEIGHT;
    CHECK(tp_query_grid(scene->query, &grid, 0, NULL, values, count) == TP_OK);
    for (uint32_t node = 0; node < count; node += 11u) {
        tp_vector at = {scene->middle.x + (float)(node % 13u) * 0.17f,
                        scene->middle.y + (float)(node / 13u % 9u) * 0.17f,
                        scene->middle.z + (float)(node / 117u) * 0.17f};
        sample_sums sums = brute_sample(scene, at, 7u);
        double error = query_rounding(scene, at) * 20.0 * (double)(sums.particles + 1u);
        CHECK_NEAR(values[node], sums.weight, error + 1e-5 * sums.weight);
    }
    memset(sliced, 0, sizeof sliced);
    CHECK(tp_query_grid(scene->query, &grid, 0, NULL, sliced, count - 1u) == TP_ERROR_FULL);
    CHECK(sliced[0] == 0.0f);
}
static void grids_have_the_values_of_samples(void) { each_scene(fill_grids); }

/* ---- bad input ---- */

/* Each bad value of a region, with the result that it must have. */
static void bad_questions_give_a_result_and_change_nothing(void)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1.1e9f, -1.1e9f};
    query_scene scene = query_scene_make(QUERY_UNIFORM, 3, 4);
    unsigned char *before = malloc(scene.bytes);
    tp_region good = {TP_REGION_SPHERE, 7u, scene.middle, {0, 0, 0}, 1.0f};
    tp_found found[2] = {{.id = 77}};
    uint32_t count = 99;
    memcpy(before, scene.query, scene.bytes);
    for (uint32_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        tp_region region = good;
        region.radius = bad[k];
        CHECK(tp_query_region(scene.query, &region, 0, NULL, found, 2, &count) == TP_ERROR_QUERY);
        region = good;
        region.center.z = bad[k];
        CHECK(tp_query_nearest(scene.query, &region, 0, NULL, found, 2, &count) == TP_ERROR_QUERY);
        tp_vector point = {0, bad[k], 0};
        tp_sample sample = {.density = 77.0f};
        CHECK(tp_query_sample(scene.query, &point, 1, 7u, 0, NULL, &sample) == TP_ERROR_QUERY);
        tp_sample_grid grid = {TP_GRID_DENSITY, 7u, {bad[k], 0, 0}, 0.1f, 1, 1, 1};
        float value = 77.0f;
        CHECK(tp_query_grid(scene.query, &grid, 0, NULL, &value, 1) == TP_ERROR_QUERY);
        grid.low.x = 0.0f;
        grid.spacing = bad[k];
        CHECK(tp_query_grid(scene.query, &grid, 0, NULL, &value, 1) == TP_ERROR_QUERY);
        CHECK(sample.density == 77.0f && value == 77.0f);
    }
    tp_region box = {TP_REGION_BOX, 7u, scene.middle, {1, -0.1f, 1}, 0};
    CHECK(tp_query_region(scene.query, &box, 0, NULL, found, 2, &count) == TP_ERROR_QUERY);
    box.shape = (tp_region_shape)3;
    CHECK(tp_query_region(scene.query, &box, 0, NULL, found, 2, &count) == TP_ERROR_QUERY);
    CHECK(tp_query_region(NULL, &good, 0, NULL, found, 2, &count) == TP_ERROR_NULL);
    CHECK(tp_query_region(scene.query, NULL, 0, NULL, found, 2, &count) == TP_ERROR_NULL);
    CHECK(tp_query_region(scene.query, &good, 0, NULL, NULL, 2, &count) == TP_ERROR_NULL);
    CHECK(tp_query_region(scene.query, &good, 0, NULL, found, 2, NULL) == TP_ERROR_NULL);
    CHECK(tp_query_region(scene.query, &good, 5, NULL, found, 2, &count) == TP_ERROR_NULL);
    CHECK(tp_query_sample(scene.query, NULL, 1, 7u, 0, NULL, NULL) == TP_ERROR_NULL);
    CHECK(tp_query_grid(scene.query, NULL, 0, NULL, NULL, 1) == TP_ERROR_NULL);
    CHECK(found[0].id == 77 && count == 99 && memcmp(before, scene.query, scene.bytes) == 0);
    free(before);
    query_scene_free(&scene);
}

static void a_capsule_longer_than_half_the_box_is_refused(void)
{
    query_scene scene = query_scene_make(QUERY_PERIODIC_X, 2, 4); /* 2.2 m along x */
    tp_region region = {TP_REGION_CAPSULE, 7u, scene.middle, {1.0f, 0, 0}, 0.2f};
    uint32_t count;
    CHECK(tp_query_region(scene.query, &region, 0, NULL, NULL, 0, &count) == TP_ERROR_QUERY);
    region.radius = 0.05f;
    CHECK(tp_query_region(scene.query, &region, 0, NULL, NULL, 0, &count) == TP_OK);
    region.half = (tp_vector){0, 50.0f, 0};
    CHECK(tp_query_region(scene.query, &region, 0, NULL, NULL, 0, &count) == TP_OK);
    query_scene_free(&scene);
}

static const test_case cases[] = {
    TEST_CASE(regions_equal_brute_force_in_any_slices),
    TEST_CASE(nearest_equal_brute_force_in_any_slices),
    TEST_CASE(ties_of_distance_go_by_id),
    TEST_CASE(samples_equal_brute_force_in_any_slices),
    TEST_CASE(density_of_a_lattice_is_its_mass_per_area),
    TEST_CASE(grids_have_the_values_of_samples),
    TEST_CASE(bad_questions_give_a_result_and_change_nothing),
    TEST_CASE(a_capsule_longer_than_half_the_box_is_refused),
};
TEST_SUITE(query, cases);
