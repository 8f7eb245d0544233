/* SPDX-License-Identifier: MIT
   tests/physics/test_patch.c - light that patches reflect: form factors, closed boxes, clusters,
           slices, probes, damaged files.
   reads   runtime/light/bounce.c, host_tools/light      writes  nothing
   memory  some MB      cost    about a second
   after   row sums and factors of a unit cube, by quadrature; geometric series of a closed box */
#include "common/host.h"
#include "light/patches.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- a cube of patches, lit inside ---- */

/* Face `face` of the unit cube: axis face / 2, at 0 or 1, in n x n patches, row by row. */
static light_patch *cube_of(uint32_t n, uint32_t *count)
{
    *count = 6 * n * n;
    light_patch *patches = calloc(*count, sizeof *patches);
    for (uint32_t i = 0; patches && i < *count; i++) {
        uint32_t face = i / (n * n), u = i % n, v = i / n % n, axis = face / 2;
        light_patch *patch = &patches[i];
        patch->corners = 4;
        for (uint32_t k = 0; k < 4; k++) {
            /* inwards: turned on the upper face */
            uint32_t turn = face % 2 ? 3 - k : k;
            double a = (double)(u + (turn == 1 || turn == 2)) / n;
            patch->corner[k].of[axis] = face % 2;
            patch->corner[k].of[(axis + 1) % 3] = a;
            patch->corner[k].of[(axis + 2) % 3] = (double)(v + (turn >= 2)) / n;
        }
        CHECK(light_patch_measure(patch));
        for (uint32_t k = 0; k < 3; k++) patch->albedo[k] = .5f;
    }
    return patches;
}

typedef struct box {
    light_patch *patches;
    uint32_t count;
    uint8_t *bytes;
    size_t size;
    tp_vector *memory;
    tp_patches of;
} box;

static void open_box(box *b, const light_options *options)
{
    tp_result result;
    CHECK(light_build(b->patches, b->count, options, &b->bytes, &b->size) == 0);
    uint32_t byte = 0;
    const char *fault = tp_patches_check(b->bytes, (uint32_t)b->size, &byte);
    if (!CHECK(!fault)) test_note("%s at byte %u", fault, byte);
    CHECK(tp_patches_open(&b->of, b->bytes, (uint32_t)b->size, NULL, 0) == TP_ERROR_FULL);
    b->memory = calloc(b->of.vectors, sizeof *b->memory);
    result = tp_patches_open(&b->of, b->bytes, (uint32_t)b->size, b->memory, b->of.vectors - 1u);
    CHECK(result == TP_ERROR_FULL);
    result = tp_patches_open(&b->of, b->bytes, (uint32_t)b->size, b->memory, b->of.vectors);
    CHECK(result == TP_OK && b->of.count == b->count);
}

static box make_box(uint32_t n, const light_options *options)
{
    box b = {0};
    b.patches = cube_of(n, &b.count);
    open_box(&b, options);
    return b;
}

static void free_box(box *b)
{
    free(b->patches);
    free(b->bytes);
    free(b->memory);
}

static light_options quiet_options(void)
{
    light_options options = light_default_options();
    options.is_quiet = true;
    options.links_max = TP_PATCH_LINKS_MAX;
    return options;
}

static void update(box *b, const tp_lighting *lighting)
{
    CHECK(tp_patches_update(&b->of, lighting, 1, 0) == TP_OK);
}

/* ---- form factors ---- */

static void row_sums_of(uint32_t n, bool is_raw, double *least, double *most, double *mean)
{
    uint32_t count;
    light_patch *patches = cube_of(n, &count);
    *least = 1e9;
    *most = *mean = 0;
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < count; j++)
            if (j != i) sum += light_factor(&patches[i], &patches[j], is_raw);
        *least = fmin(*least, sum);
        *most = fmax(*most, sum);
        *mean += sum / count;
    }
    free(patches);
}

/* Points count near neighbours too much, by 24 % at an edge, however small patches are; with the
   denominator of a disc no row is above 1. */
static void r_32_row_sums_of_a_cube_are_those_of_the_table(void)
{
    static const uint32_t sizes[4] = {2, 4, 8, 12};
    static const double raw[4][3] = {
        {1.273, 1.273, 1.273}, {1.035, 1.243, 1.136}, {1.007, 1.239, 1.068}, {1.003, 1.239, 1.045}};
    static const double disc[4][3] = {
        {.968, .968, .968}, {.962, .992, .972}, {.962, .998, .982}, {.962, .999, .987}};
    for (uint32_t k = 0; k < 4; k++) {
        double least, most, mean;
        row_sums_of(sizes[k], true, &least, &most, &mean);
        CHECK_NEAR(least, raw[k][0], 6e-4);
        CHECK_NEAR(most, raw[k][1], 6e-4);
        CHECK_NEAR(mean, raw[k][2], 6e-4);
        row_sums_of(sizes[k], false, &least, &most, &mean);
        CHECK_NEAR(least, disc[k][0], 6e-4);
        CHECK_NEAR(most, disc[k][1], 6e-4);
        CHECK_NEAR(mean, disc[k][2], 6e-4);
        CHECK(most <= 1);
    }
}

/* Factors with r^2 alone make rows of up to 1.24: the file has none above 1. */
static void r_32_rows_above_1_are_scaled(void)
{
    light_options options = quiet_options();
    options.is_raw = true;
    options.theta = 0;
    box b = make_box(4, &options);
    float least = 2, most = 0;
    for (uint32_t i = 0; i < b.count; i++) b.of.emission[i] = (tp_vector){1, 1, 1};
    update(&b, NULL);
    for (uint32_t i = 0; i < b.count; i++) {
        least = fminf(least, b.of.bounced[i].x);
        most = fmaxf(most, b.of.bounced[i].x);
    }
    CHECK(least > .9999f && most <= 1.000001f);
    free_box(&b);
}

/* Between two faces: the mean over the first one. */
static void factors_of_faces_are_near_the_exact_ones(void)
{
    enum { N = 12 };
    uint32_t count;
    light_patch *patches = cube_of(N, &count);
    double to[6] = {0};
    for (uint32_t i = 0; i < N * N; i++)
        for (uint32_t j = N * N; j < count; j++)
            to[j / (N * N)] += light_factor(&patches[i], &patches[j], false) / (N * N);
    CHECK_NEAR(to[1], .199825, 1e-3);
    for (uint32_t face = 2; face < 6; face++) CHECK_NEAR(to[face], .200044, 6e-3);
    free(patches);
}

static void raw_factors_are_reciprocal(void)
{
    uint32_t count;
    light_patch *patches = cube_of(5, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++) {
            double to = light_factor(&patches[i], &patches[j], true);
            double back = light_factor(&patches[j], &patches[i], true);
            CHECK_NEAR(patches[i].area * to, patches[j].area * back, 4e-16 * to);
        }
    free(patches);
}

/* ---- a closed box ---- */

/* Emission E, albedo rho: E (1 + rho) after one bounce, then the geometric series. Every weight of
   the file, and the sums of rows, count here. */
static void a_closed_box_has_the_geometric_series(void)
{
    light_options options = quiet_options();
    options.is_closed = true;
    for (uint32_t theta = 0; theta < 2; theta++) {
        options.theta = theta ? .4 : 0;
        box b = make_box(8, &options);
        const double emission = 3, rho = .5;
        for (uint32_t i = 0; i < b.count; i++) b.of.emission[i] = (tp_vector){3, 3, 3};
        double series = 0, power = emission;
        b.of.is_endless = true;
        for (uint32_t bounce = 1; bounce < 24; bounce++) {
            update(&b, NULL);
            series += power;
            power *= rho;
            for (uint32_t i = 0; i < b.count; i++) {
                double shown = emission + rho * (double)b.of.bounced[i].y;
                CHECK_NEAR(shown, series + power, 1e-4);
            }
        }
        CHECK_NEAR(emission + rho * (double)b.of.bounced[7].x, emission / (1 - rho), 1e-4);
        free_box(&b);
    }
}

/* What all patches get, for light of one: at most albedo * what falls on it; black walls reflect
   nothing. */
static void r_32_patches_never_gain_power(void)
{
    light_options options = quiet_options();
    options.theta = 0;
    box b = make_box(6, &options);
    for (uint32_t source = 0; source < b.count; source += 31) {
        double out = 0;
        memset(b.of.direct, 0, b.count * sizeof *b.of.direct);
        b.of.direct[source] = (tp_vector){10, 0, 5};
        update(&b, NULL);
        for (uint32_t i = 0; i < b.count; i++) out += (double)b.of.bounced[i].x * b.patches[i].area;
        CHECK(out > 0 && out <= .5 * 10 * b.patches[source].area);
        for (uint32_t i = 0; i < b.count; i++) CHECK(b.of.bounced[i].y == 0);
    }
    memset(b.of.albedo, 0, b.count * sizeof *b.of.albedo);
    update(&b, NULL);
    for (uint32_t i = 0; i < b.count; i++) CHECK(b.of.bounced[i].x == 0);
    free_box(&b);
}

static void a_red_wall_reddens_its_neighbours(void)
{
    light_options options = quiet_options();
    tp_light lamp = {{.5f, .8f, .5f}, .05f, {30, 30, 30}, 10, TP_LIGHT_RATIONAL};
    tp_lighting lighting = {&lamp, 1, NULL, NULL};
    box b = make_box(6, &options);
    for (uint32_t i = 0; i < 36; i++) b.of.albedo[i] = (tp_vector){.8f, .05f, .05f};
    update(&b, &lighting);
    for (uint32_t i = 36; i < b.count; i++)
        CHECK(b.of.bounced[i].x > b.of.bounced[i].y * 1.05f && b.of.bounced[i].y > 0);
    /* an albedo changes at once, and light is that of tp_light_points */
    for (uint32_t i = 0; i < 36; i++) b.of.albedo[i] = (tp_vector){.5f, .5f, .5f};
    update(&b, &lighting);
    for (uint32_t i = 0; i < b.count; i++) {
        const light_patch *p = &b.patches[i];
        tp_vector at = {(float)p->position.of[0], (float)p->position.of[1],
                        (float)p->position.of[2]};
        tp_vector normal = {(float)p->normal.of[0], (float)p->normal.of[1], (float)p->normal.of[2]};
        tp_vector light;
        CHECK(b.of.bounced[i].x == b.of.bounced[i].y);
        CHECK(tp_light_points(&lighting, &at, &normal, 1, 0, NULL, &light) == TP_OK);
        CHECK(memcmp(&light, &b.of.direct[i], sizeof light) == 0);
    }
    free_box(&b);
}

/* ---- clusters ---- */

static void light_unevenly(box *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const double *at = b->patches[i].position.of;
        float x = (float)at[0], y = (float)at[1];
        b->of.direct[i] = (tp_vector){x * x + .1f, y, i % 7 == 0 ? 5.0f : 0.2f};
    }
}

static void clusters_are_near_the_patches_they_stand_for(void)
{
    light_options options = quiet_options();
    box coarse = make_box(10, &options);
    options.theta = 0;
    box fine = make_box(10, &options);
    double square = 0, all = 0;
    light_unevenly(&coarse);
    light_unevenly(&fine);
    update(&coarse, NULL);
    update(&fine, NULL);
    CHECK(coarse.of.link_count * 3 < fine.of.link_count);
    for (uint32_t i = 0; i < fine.count; i++) {
        double apart = (double)coarse.of.bounced[i].x - (double)fine.of.bounced[i].x;
        square += apart * apart;
        all += (double)fine.of.bounced[i].x * (double)fine.of.bounced[i].x;
    }
    test_note("%g rms, %u and %u links", sqrt(square / all), coarse.of.link_count,
              fine.of.link_count);
    CHECK(sqrt(square / all) <= .05);
    /* the root has the power of all patches */
    double power = 0;
    for (uint32_t i = 0; i < coarse.count; i++)
        power += coarse.patches[i].area * (double)coarse.of.sources[i].y;
    CHECK_NEAR(6 * (double)coarse.of.sources[coarse.of.node_count - 1u].y, power, 1e-5 * power);
    free_box(&coarse);
    free_box(&fine);
}

/* At the cap rows are coarser, and still take all the light there is. */
static void links_are_capped(void)
{
    light_options options = quiet_options();
    options.links_max = 16;
    options.is_closed = true;
    box b = make_box(10, &options);
    CHECK(b.of.link_count <= 16 * b.count && b.of.link_count > 4 * b.count);
    for (uint32_t i = 0; i < b.count; i++) b.of.emission[i] = (tp_vector){1, 1, 1};
    update(&b, NULL);
    for (uint32_t i = 0; i < b.count; i++) CHECK_NEAR(b.of.bounced[i].z, 1, 1e-4);
    free_box(&b);
}

/* x, y, z become y, z, x. */
static void turning_a_scene_permutes_its_light(void)
{
    light_options options = quiet_options();
    options.theta = 0;
    box b = make_box(5, &options), turned = {0};
    turned.patches = cube_of(5, &turned.count);
    for (uint32_t i = 0; i < b.count; i++) {
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t k = 0; k < 3; k++)
                turned.patches[i].corner[c].of[k] = b.patches[i].corner[c].of[(k + 1) % 3];
        CHECK(light_patch_measure(&turned.patches[i]));
    }
    open_box(&turned, &options);
    light_unevenly(&b);
    memcpy(turned.of.direct, b.of.direct, b.count * sizeof *b.of.direct);
    update(&b, NULL);
    update(&turned, NULL);
    for (uint32_t i = 0; i < b.count; i++)
        CHECK_NEAR(turned.of.bounced[i].x, b.of.bounced[i].x, 2e-5 * (double)b.of.bounced[i].x);
    free_box(&b);
    free_box(&turned);
}

/* A wall between two halves of the box: nothing gets through. */
static void walls_hide_what_is_behind(void)
{
    light_options options = quiet_options();
    box b = {0};
    light_patch *cube = cube_of(4, &b.count);
    b.patches = calloc(b.count + 2, sizeof *b.patches);
    memcpy(b.patches, cube, b.count * sizeof *cube);
    for (uint32_t side = 0; side < 2; side++) {
        light_patch *wall = &b.patches[b.count++];
        wall->corners = 4;
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t turn = side ? k : 3 - k;
            wall->corner[k] = (light_point){
                {side ? .501 : .499, turn == 1 || turn == 2 ? 1 : 0, turn >= 2 ? 1 : 0}};
        }
        CHECK(light_patch_measure(wall));
        CHECK(wall->normal.of[0] == (side ? 1 : -1));
    }
    open_box(&b, &options);
    for (uint32_t i = 0; i < b.count; i++)
        if (b.patches[i].position.of[0] < .5) b.of.emission[i] = (tp_vector){1, 1, 1};
    update(&b, NULL);
    for (uint32_t i = 0; i < b.count; i++) {
        if (b.patches[i].position.of[0] > .5)
            CHECK(b.of.bounced[i].x == 0);
        else
            CHECK(b.of.bounced[i].x > .5f);
    }
    free(cube);
    free_box(&b);
}

/* ---- slices and parts ---- */

static uint64_t hash_of(const tp_vector *colors, size_t count)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < count; i++) {
        uint32_t words[3];
        memcpy(words, &colors[i], sizeof words);
        for (uint32_t k = 0; k < 3; k++) hash = (hash ^ words[k]) * 1099511628211u;
    }
    return hash;
}

static tp_light lamps[2] = {{{.3f, .8f, .4f}, .05f, {30, 20, 10}, 3, TP_LIGHT_RATIONAL},
                            {{.7f, .2f, .6f}, .02f, {5, 9, 80}, 4, TP_LIGHT_TANGENT}};

static uint64_t hash_of_round(box *b, uint32_t parts, uint32_t units, uint32_t rounds)
{
    const tp_lighting lighting = {lamps, 2, NULL, NULL};
    uint64_t all = 0;
    memset(b->memory + 2 * b->count, 0, (b->of.vectors - 2 * b->count) * sizeof *b->memory);
    b->of.part = b->of.phase = b->of.at = 0;
    for (uint32_t part = 0; part < parts * rounds; part++) {
        tp_result result;
        uint64_t spent = 0;
        do {
            result = tp_patches_update(&b->of, &lighting, parts, units);
            CHECK(!units || b->of.units < units + 1u + TP_PROBE_LINK_UNITS * 1024u);
            spent += b->of.units;
        } while (result == TP_MORE);
        CHECK(result == TP_OK);
        if (part < parts) all += spent;
    }
    test_note("%llu units", (unsigned long long)all);
    return hash_of(b->memory, b->of.vectors);
}

/* The hash is that of every vector width and machine; with parts it is the same after two rounds,
   while nothing changes. The file itself is made in double precision on the host. */
static void patches_have_the_same_bits_in_any_slices_and_parts(void)
{
    light_options options = quiet_options();
    options.probes = .25;
    box b = make_box(4, &options);
    uint64_t expected = hash_of_round(&b, 1, 0, 1);
    CHECK_EQ(expected, 0xca1968bf0525e469u);
    for (uint32_t units = 1; units < 3000; units = units * 3 + 1)
        CHECK_EQ(hash_of_round(&b, 1, units, 1), expected);
    for (uint32_t parts = 2; parts < 200; parts = parts * 3 + 1)
        CHECK_EQ(hash_of_round(&b, parts, 50, 2), expected);
    CHECK(hash_of_round(&b, 5, 0, 1) != expected);
    free_box(&b);
}

static void parts_cost_their_share(void)
{
    light_options options = quiet_options();
    box b = make_box(10, &options);
    const tp_lighting lighting = {lamps, 2, NULL, NULL};
    CHECK(tp_patches_update(&b.of, &lighting, 1, 0) == TP_OK);
    uint32_t whole = b.of.units, clusters = b.of.node_count - b.of.count;
    CHECK_EQ(whole, 5 * b.count + b.of.link_count + clusters);
    for (uint32_t part = 0; part < 10; part++) {
        CHECK(tp_patches_update(&b.of, &lighting, 10, 0) == TP_OK);
        CHECK(b.of.units < clusters + (whole - clusters) / 5);
    }
    free_box(&b);
}

/* ---- probes ---- */

/* In a box that shines with E everywhere the irradiance is E for every normal. */
static void probes_see_the_box_around_them(void)
{
    light_options options = quiet_options();
    options.probes = .2;
    options.is_closed = true;
    box b = make_box(10, &options);
    CHECK_EQ(b.of.probe_count, 125);
    for (uint32_t i = 0; i < b.count; i++) b.of.emission[i] = (tp_vector){2, i < 100 ? 4 : 2, 0};
    update(&b, NULL);
    for (uint32_t k = 0; k < 40; k++) {
        tp_vector at = {.1f + .02f * (float)k, .5f, .4f};
        tp_sh sh;
        CHECK(tp_patches_sh(&b.of, at, &sh) == TP_OK);
        tp_vector left = tp_sh_irradiance(&sh, (tp_vector){-1, 0, 0}),
                  right = tp_sh_irradiance(&sh, (tp_vector){1, 0, 0});
        CHECK_NEAR(left.x, 2, .2);
        CHECK_NEAR(right.x, 2, .2);
        CHECK(left.y > right.y && left.z == 0);
    }
    free_box(&b);
}

/* The upper half of the box is within a wall: its probes have no links, and do not count. */
static void probes_within_walls_are_left_out(void)
{
    light_options options = quiet_options();
    options.probes = .25;
    options.is_closed = true;
    box b = {0};
    uint32_t count, buried = 0;
    light_patch *cube = cube_of(4, &count);
    b.patches = calloc(count + 1, sizeof *b.patches);
    /* the lower half, with a lid at .5; one patch far above makes the grid twice as high */
    for (uint32_t i = 0; i < count; i++) {
        light_patch *to = &b.patches[b.count++];
        *to = cube[i];
        for (uint32_t k = 0; k < 4; k++) to->corner[k].of[1] /= 2;
        CHECK(light_patch_measure(to));
    }
    b.patches[b.count] = b.patches[0];
    for (uint32_t k = 0; k < 4; k++)
        b.patches[b.count].corner[k] =
            (light_point){{.4 + .2 * (k == 1 || k == 2), 1, .4 + .2 * (k >= 2)}};
    CHECK(light_patch_measure(&b.patches[b.count++]));
    open_box(&b, &options);
    for (uint32_t i = 0; i < b.count; i++) b.of.emission[i] = (tp_vector){1, 1, 1};
    update(&b, NULL);
    for (uint32_t i = 0; i < b.of.probe_count; i++) buried += b.of.probes[i].of[0].x == 0;
    test_note("%u of %u probes are buried", buried, b.of.probe_count);
    CHECK(b.of.probe_count == 64 && buried >= 16);
    tp_sh below, between;
    CHECK(tp_patches_sh(&b.of, (tp_vector){.5f, .375f, .5f}, &below) == TP_OK);
    CHECK(tp_patches_sh(&b.of, (tp_vector){.5f, .499f, .5f}, &between) == TP_OK);
    CHECK_NEAR(between.of[0].x, below.of[0].x, 1e-5 * (double)below.of[0].x);
    free(cube);
    free_box(&b);
}

/* ---- files ---- */

static void every_changed_byte_and_end_is_found(void)
{
    light_options options = quiet_options();
    options.probes = .5;
    box b = make_box(2, &options);
    uint32_t byte;
    tp_patches other;
    for (size_t at = 0; at < b.size; at++) {
        b.bytes[at] ^= (uint8_t)(1u + at % 255u);
        CHECK(tp_patches_check(b.bytes, (uint32_t)b.size, &byte) != NULL && byte < b.size);
        CHECK(tp_patches_open(&other, b.bytes, (uint32_t)b.size, b.memory, 0xffffffffu) ==
              TP_ERROR_DEFINITION);
        b.bytes[at] ^= (uint8_t)(1u + at % 255u);
        uint8_t *cut = malloc(at + 1);
        memcpy(cut, b.bytes, at);
        CHECK(tp_patches_check(cut, (uint32_t)at, &byte) != NULL && byte <= at);
        free(cut);
    }
    CHECK(tp_patches_check(b.bytes, (uint32_t)b.size, NULL) == NULL);
    free_box(&b);
}

static uint32_t word_at(const box *b, size_t at)
{
    uint32_t word = 0;
    for (uint32_t k = 0; k < 4; k++) word |= (uint32_t)b->bytes[at + k] << (8 * k);
    return word;
}

static void put_word(box *b, size_t at, uint32_t word)
{
    for (uint32_t k = 0; k < 4; k++) b->bytes[at + k] = (uint8_t)(word >> (8 * k));
}

/* With a good checksum, so that the rules themselves are tested. */
static const char *fault_of(box *b, size_t at, uint32_t word, uint32_t *byte)
{
    uint32_t old = word_at(b, at), sum = 2166136261u, old_sum = word_at(b, 8);
    put_word(b, at, word);
    for (size_t k = 12; k < b->size; k += 4) sum = (sum ^ word_at(b, k)) * 16777619u;
    put_word(b, 8, sum);
    const char *fault = tp_patches_check(b->bytes, (uint32_t)b->size, byte);
    put_word(b, at, old);
    put_word(b, 8, old_sum);
    return fault;
}

static void every_rule_of_the_file_is_checked(void)
{
    light_options options = quiet_options();
    options.probes = .5;
    box b = make_box(2, &options);
    uint32_t count = b.count, nodes = b.of.node_count, rows = count + b.of.probe_count;
    uint32_t leaves = 64 + 16 * nodes, clusters = leaves + 36 * count;
    uint32_t row = clusters + 4 * (nodes - count), links = row + 8 * rows;
    /* the scale of the first row, one part in ten thousand above that which makes its sum 1 */
    double shares = 0;
    for (uint32_t k = 0; k < word_at(&b, row); k++) shares += word_at(&b, links + 4 * k) >> 16;
    const float scale = (float)(1.0001 / shares);
    uint32_t tight;
    memcpy(&tight, &scale, sizeof tight);
    const uint32_t nan = 0x7fc00000u, two = 0x40000000u, big = 0x7149f2cau; /* 1e30 */
    const uint32_t cases[][3] = {{0, 0x024c5054u, 0},
                                 {12, 0, 12},
                                 {12, 40000, 12},
                                 {16, 2 * count, 16},
                                 {20, 70000, 20},
                                 {24, 7, 4},
                                 {28, nan, 28},
                                 {40, 0, 40},
                                 {44, 2000, 44},
                                 {60, 1, 56},
                                 {64, nan, 64},
                                 {64 + 12, 0, 76},
                                 {64 + 12, two, clusters},
                                 {leaves, two, leaves},
                                 {leaves + 12, two, leaves + 12},
                                 {leaves + 24, big, leaves + 24},
                                 {clusters, count, clusters},
                                 {row, 0xffffffffu, row},
                                 {row + 4, two, row + 4},
                                 {row + 4, tight, row + 4},
                                 {links, 0xffffu, links},
                                 {row + 8 * rows - 8, b.of.link_count - 1, 24}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        uint32_t byte = 1;
        test_note("case %zu", k);
        CHECK(fault_of(&b, cases[k][0], cases[k][1], &byte) != NULL);
        if (k != 12) CHECK_EQ(byte, cases[k][2]); /* 12: some cluster */
    }
    free_box(&b);
}

static void bad_calls_of_patches_are_refused(void)
{
    light_options options = quiet_options();
    box b = make_box(2, &options);
    tp_lighting lighting = {lamps, TP_LIGHTS_MAX + 1u, NULL, NULL};
    tp_patches none = {0};
    tp_sh sh;
    const tp_vector at = {0, NAN, 0};
    CHECK(tp_patches_check(NULL, 0, NULL) != NULL);
    CHECK(tp_patches_open(NULL, b.bytes, (uint32_t)b.size, NULL, 0) == TP_ERROR_NULL);
    CHECK(tp_patches_open(&none, NULL, 0, NULL, 0) == TP_ERROR_NULL);
    CHECK(tp_patches_update(NULL, NULL, 1, 0) == TP_ERROR_NULL);
    CHECK(tp_patches_update(&none, NULL, 1, 0) == TP_ERROR_NULL);
    CHECK(tp_patches_update(&b.of, NULL, 0, 0) == TP_ERROR_QUERY);
    CHECK(tp_patches_update(&b.of, &lighting, 1, 0) == TP_ERROR_QUERY);
    CHECK(tp_patches_sh(&b.of, at, &sh) == TP_ERROR_QUERY);
    CHECK(tp_patches_sh(&b.of, (tp_vector){0, 0, 0}, &sh) == TP_OK && sh.of[0].x == 0);
    CHECK(tp_patches_sh(NULL, at, &sh) == TP_ERROR_NULL);
    /* numbers that are none count as 0 */
    b.of.albedo[0].x = NAN;
    b.of.direct[1].y = INFINITY;
    b.of.emission[2].z = -5;
    update(&b, NULL);
    for (uint32_t i = 0; i < b.count; i++)
        CHECK(isfinite(b.of.bounced[i].x) && isfinite(b.of.bounced[i].y) && b.of.bounced[i].z >= 0);
    free_box(&b);
}

/* ---- meshes ---- */

static int read_text(const char *text, double size, light_patch **patches, uint32_t *count)
{
    FILE *file = fopen("build/test_patch.obj", "w");
    if (!CHECK(file != NULL)) return -1;
    fputs(text, file);
    CHECK(fclose(file) == 0);
    return light_read_mesh("build/test_patch.obj", size, TP_PATCHES_MAX, patches, count);
}

/* A flat quad in 4 x 2 pieces, a triangle in 9, a face of five corners as three triangles. */
static void meshes_become_patches_in_the_order_of_their_faces(void)
{
    light_patch *patches;
    uint32_t count;
    double area = 0;
    FILE *file = fopen("build/test_patch.mtl", "w");
    if (!CHECK(file != NULL)) return;
    fputs("newmtl red\nKd .8 .1 .1\nnewmtl lamp\nKd 0 0 0\nKe 5 6 7\n", file);
    CHECK(fclose(file) == 0);
    CHECK(read_text("mtllib test_patch.mtl\nv 0 0 0\nv 4 0 0\nv 4 0 2\nv 0 0 2\nv 1 3 0\n"
                    "usemtl red\nf 4 3 2 1\nusemtl lamp\nf 1/7/8 -4 3//1\n",
                    1, &patches, &count) == 0);
    CHECK_EQ(count, 8 + 25);
    for (uint32_t i = 0; i < count; i++) {
        area += patches[i].area;
        CHECK_NEAR(patches[i].normal.of[1], i < 8 ? 1 : -1, 1e-12);
        CHECK(patches[i].albedo[0] == (i < 8 ? .8f : 0));
        CHECK(patches[i].emission[2] == (i < 8 ? 0 : 7));
    }
    CHECK_NEAR(area, 8 + 4, 1e-12);
    free(patches);
    CHECK(read_text("v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\n", 0, &patches,
                    &count) == 0);
    CHECK(count == 3 && patches[0].albedo[1] == .5f);
    free(patches);
}

static void bad_meshes_of_patches_are_told(void)
{
    static const char *const texts[] = {"v 0 0\n",
                                        "v 0 0 nan\n",
                                        "v 0 0 0\nf 1 2 3\n",
                                        "v 0 0 0\nf 1 1\n",
                                        "v 0 0 0\nf 0 1 1\n",
                                        "v 0 0 0\nf 1 1 1\n",
                                        "usemtl none\n",
                                        "",
                                        "v 0 0 0\nv 9 0 0\nv 0 9 0\nf 1 2 3\n"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        host_listener deaf;
        light_patch *patches;
        uint32_t count;
        host_listen_to_nothing(&deaf);
        CHECK_EQ(read_text(texts[k], .01, &patches, &count), HOST_BAD_INPUT);
        host_listen_end();
        CHECK(patches == NULL);
    }
}

static const test_case cases[] = {
    TEST_CASE(r_32_row_sums_of_a_cube_are_those_of_the_table),
    TEST_CASE(r_32_rows_above_1_are_scaled),
    TEST_CASE(factors_of_faces_are_near_the_exact_ones),
    TEST_CASE(raw_factors_are_reciprocal),
    TEST_CASE(a_closed_box_has_the_geometric_series),
    TEST_CASE(r_32_patches_never_gain_power),
    TEST_CASE(a_red_wall_reddens_its_neighbours),
    TEST_CASE(clusters_are_near_the_patches_they_stand_for),
    TEST_CASE(links_are_capped),
    TEST_CASE(turning_a_scene_permutes_its_light),
    TEST_CASE(walls_hide_what_is_behind),
    TEST_CASE(patches_have_the_same_bits_in_any_slices_and_parts),
    TEST_CASE(parts_cost_their_share),
    TEST_CASE(probes_see_the_box_around_them),
    TEST_CASE(probes_within_walls_are_left_out),
    TEST_CASE(every_changed_byte_and_end_is_found),
    TEST_CASE(every_rule_of_the_file_is_checked),
    TEST_CASE(bad_calls_of_patches_are_refused),
    TEST_CASE(meshes_become_patches_in_the_order_of_their_faces),
    TEST_CASE(bad_meshes_of_patches_are_told),
};
TEST_SUITE(patch, cases);
