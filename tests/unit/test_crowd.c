/* SPDX-License-Identifier: MIT
   tests/unit/test_crowd.c - which particles a full cell ignores does not depend on when lists were
           built.
   reads   runtime/grid/grid.c, runtime/step/step.c      writes  nothing
   memory  worlds of a few hundred particles, three at a time      cost    some seconds
   after   own design: dense clusters form while lists are kept; copies that are measured, sliced,
           run with threads or rewound continue with the same bits as the undisturbed world */
#include "test.h"
#include "pair_help.h"
#include "jobs_posix/jobs.h"
#include "step/step.h"
#include "grid/grid.h"
#include <stdlib.h>
#include <string.h>

/* Particles that fly together from all sides of a cube, and apart again. */
typedef struct crowd_scene {
    const char *name;
    /* room: particles_max; a large value makes the table of a periodic box dense */
    uint32_t dimensions, particles, room;
    tp_potential potential;
    uint32_t axes; /* mask of periodic axes */
    float box, middle, half, speed;
    float epsilon, cutoff, skin;
    float sizes[3];            /* sigma of each species; 0: there is no such species */
    uint32_t cell_max, gentle; /* another cell_max, which is exceeded for a few frames only */
    float spout;               /* births per second */
} crowd_scene;

#define LJ   TP_POTENTIAL_LENNARD_JONES
#define HARD TP_POTENTIAL_HARD_SPHERE
#define WEAK 1e-3f /* so weak that particles fly through each other */
static const crowd_scene scenes[] = {
    {"dense table", 3, 216, 4000, LJ, 7, 30, 15, 6, 4, 1, 2.5f, 0.3f, {1}, 12, 14, 0},
    {"hashed table", 3, 216, 800, LJ, 7, 60, 0, 6, 4, 1, 2.5f, 0.3f, {1}, 12, 14, 0},
    {"plane", 2, 196, 4000, LJ, 3, 40, 40, 6, 4, WEAK, 2.5f, 0.3f, {1}, 16, 24, 0},
    {"open plane", 2, 196, 196, LJ, 0, 0, -3, 6, 4, WEAK, 2.5f, 0.3f, {1}, 16, 24, 0},
    {"open room", 3, 216, 216, LJ, 0, 0, 1, 6, 4, 1, 2.5f, 0.3f, {1}, 12, 15, 0},
    {"one axis", 3, 216, 400, LJ, 2, 20, 0, 6, 3, 1, 2.5f, 0.6f, {1}, 12, 17, 0},
    {"beyond the last cell",
     2,
     196,
     196,
     LJ,
     0,
     0,
     -198139.4f,
     6,
     4,
     WEAK,
     2.5f,
     0.5f,
     {1},
     86,
     90,
     0},
    {"three cells", 3, 216, 600, LJ, 7, 8.6f, 4, 4, 3, WEAK, 2.5f, 0.3f, {1}, 20, 30, 0},
    {"cells no wider than the skin",
     2,
     60,
     60,
     LJ,
     3,
     4.5f,
     2.2f,
     2,
     6,
     WEAK,
     1.0f,
     2.0f,
     {1},
     36,
     39,
     0},
    {"a room of such cells",
     3,
     150,
     150,
     LJ,
     7,
     5.5f,
     4.6f,
     2.6f,
     8,
     WEAK,
     1.0f,
     2.0f,
     {1},
     70,
     80,
     0},
    {"three sizes", 3, 216, 216, LJ, 0, 0, 1, 9, 8, WEAK, 2.5f, 0.6f, {1, 2.5f, 6}, 28, 30, 0},
    {"three sizes in a box",
     3,
     216,
     432,
     LJ,
     7,
     70,
     69,
     9,
     8,
     WEAK,
     2.5f,
     0.6f,
     {1, 2.5f, 6},
     20,
     22,
     0},
    {"two sizes in a small box",
     3,
     216,
     4000,
     LJ,
     7,
     16.5f,
     8,
     8,
     4,
     1,
     2.5f,
     0.3f,
     {0.6f, 1.9f},
     14,
     17,
     0},
    {"hard spheres", 2, 196, 600, HARD, 3, 40, 20, 6, 4, 1, 2.5f, 0.4f, {0.3f, 0.55f}, 4, 6, 0},
    {"hard spheres of two sizes",
     3,
     216,
     216,
     HARD,
     0,
     0,
     1,
     8,
     6,
     1,
     2.5f,
     0.5f,
     {0.5f, 1.2f},
     5,
     7,
     0},
    {"births", 2, 150, 400, LJ, 3, 40, 40, 6, 4, WEAK, 2.5f, 0.3f, {1}, 16, 24, 20},
};
#define SCENES (sizeof scenes / sizeof scenes[0])
#define FRAMES 70u
#define AHEAD  4u

static tp_world_def crowd_def(const crowd_scene *s, bool is_gentle)
{
    tp_world_def def = pair_def(s->dimensions, s->room, 0.01);
    def.pair.potential = s->potential;
    def.pair.cutoff = s->cutoff;
    def.pair.skin = s->skin;
    def.pair.cell_max = is_gentle ? s->gentle : s->cell_max;
    def.pair.neighbours_max = 255;
    def.periodic_axes = s->axes;
    def.box_size = (tp_vector){s->box, s->box, s->box};
    def.species_count = 0;
    while (def.species_count < 3u && s->sizes[def.species_count] > 0) {
        def.species[def.species_count].sigma = s->sizes[def.species_count];
        def.species[def.species_count].epsilon = s->epsilon;
        def.species_count++;
    }
    return def;
}

static test_world crowd_make(const crowd_scene *s, bool is_gentle)
{
    tp_world_def def = crowd_def(s, is_gentle);
    test_world made = test_world_make(&def);
    uint32_t row = s->dimensions == 2 ? 14u : 6u, state = 77;
    while (s->dimensions == 2 && row * row > 2u * s->particles) row /= 2u;
    for (uint32_t i = 0; i < s->particles; i++) {
        uint32_t at[3] = {i % row, i / row % row, i / row / row};
        float spacing = 2.0f * s->half / (float)row, x[3], v[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            x[axis] = ((float)at[axis] + 0.5f) * spacing - s->half;
            v[axis] = s->speed * (0.2f * test_uniform(&state, -1, 1) - x[axis] / s->half);
            if (axis == 2 && s->dimensions == 2) x[axis] = v[axis] = -s->middle;
            x[axis] += s->middle;
        }
        if (s->dimensions == 2) v[2] = 0;
        CHECK(tp_particle_add(
                  made.world, (tp_vector){x[0], x[1], x[2]}, (tp_vector){v[0], v[1], v[2]},
                  i % 7u == 0 ? def.species_count - 1u : i % def.species_count, NULL) == TP_OK);
    }
    if (s->spout > 0) pair_spout(made.world, 10, 2, 1.2f, 3, (uint32_t)s->spout, 3);
    return made;
}

/* ---- no particle is ignored while a list is kept ---- */

static int compare_cells(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

/* The largest number of particles in one cell of the front set. */
static uint32_t fullest_cell(const tp_world *world)
{
    uint32_t most = 0;
    uint64_t *cells = malloc((world->count + 1u) * sizeof *cells);
    for (uint32_t i = 0; i < world->count; i++) {
        float at[3] = {0};
        for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
            at[axis] = tpi_front_x(world, axis)[i];
        uint32_t species = TP_META_SPECIES(tpi_words(world, world->arrays.meta)[i]);
        cells[i] = tpi_cell_pack(tpi_level_cell(world, tpi_grid_cell(world, at),
                                                world->constants.levels.of_species[species]));
    }
    qsort(cells, world->count, sizeof *cells, compare_cells);
    for (uint32_t i = 0, same = 0; i < world->count; i++) {
        same = i > 0 && cells[i] == cells[i - 1u] ? same + 1u : 1u;
        most = same > most ? same : most;
    }
    free(cells);
    return most;
}

static void nobody_is_left_out_while_a_list_is_kept(void)
{
    for (uint32_t run = 0; run < 2u * SCENES; run++) {
        const crowd_scene *scene = &scenes[run / 2u];
        test_world made = crowd_make(scene, run % 2u);
        uint32_t kept = 0, crowded = 0, fullest = 0;
        for (uint32_t f = 0; f < FRAMES; f++) {
            uint64_t built = tp_world_report(made.world).lists_built;
            test_world_frames(made.world, 1);
            uint32_t most = fullest_cell(made.world);
            bool was_kept =
                made.world->list_valid && tp_world_report(made.world).lists_built == built;
            fullest = most > fullest ? most : fullest;
            kept += was_kept;
            crowded += most > made.world->def.pair.cell_max;
            test_note("%s, cell_max %u, frame %u: %u in a cell", scene->name,
                      made.world->def.pair.cell_max, f, most);
            CHECK(!was_kept || most <= made.world->def.pair.cell_max);
        }
        test_note("%s: %u frames with a kept list, %u with a crowded cell, %u in the fullest",
                  scene->name, kept, crowded, fullest);
        CHECK(kept > 0 && crowded > 0);
        test_world_free(&made);
    }
}

/* ---- copies ---- */

typedef struct crowd_copy {
    unsigned char *block;
    tp_world *world;
} crowd_copy;

static crowd_copy copy_make(const test_world *made)
{
    crowd_copy copy = {aligned_alloc(64, (made->bytes + 63u) / 64u * 64u), NULL};
    memcpy(copy.block, made->world, made->bytes);
    copy.world = tp_world_at(copy.block, made->bytes);
    return copy;
}

/* Hashes of the next frames in a copy. `way` selects whether lists are kept or rebuilt. */
enum {
    COPY_LEFT_ALONE,
    COPY_MEASURED,
    COPY_MEASURED_EACH_FRAME,
    COPY_SLICED,
    COPY_THREADED,
    COPY_WAYS
};
static void copy_run(const test_world *made, uint32_t way, const tp_jobs *jobs,
                     uint64_t hashes[AHEAD])
{
    crowd_copy copy = copy_make(made);
    tp_budget budget = {.jobs = way == COPY_THREADED ? jobs : NULL};
    if (way != COPY_LEFT_ALONE) (void)pair_measure(copy.world);
    if (way == COPY_SLICED) copy.world->def.slice_units = 64;
    for (uint32_t f = 0; f < AHEAD; f++) {
        if (way == COPY_MEASURED_EACH_FRAME) (void)pair_measure(copy.world);
        CHECK(tp_frame(copy.world, &budget, NULL) == TP_OK);
        hashes[f] = tp_world_hash(copy.world);
    }
    free(copy.block);
}

static void a_measured_copy_goes_on_to_the_same_bits(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    for (uint32_t run = 0; run < 2u * SCENES; run += test_is_long() ? 1u : 3u) {
        const crowd_scene *scene = &scenes[run / 2u];
        test_world made = crowd_make(scene, run % 2u);
        for (uint32_t f = 0; f < FRAMES; f++) {
            uint64_t expected[AHEAD], hashes[AHEAD];
            uint32_t way = COPY_MEASURED + (f + run) % (COPY_WAYS - COPY_MEASURED);
            copy_run(&made, COPY_LEFT_ALONE, NULL, expected);
            copy_run(&made, way, &pool.jobs, hashes);
            for (uint32_t k = 0; k < AHEAD; k++) {
                test_note("%s, cell_max %u, frame %u and %u more, way %u", scene->name,
                          made.world->def.pair.cell_max, f, k + 1u, way);
                CHECK_EQ(hashes[k], expected[k]);
            }
            test_world_frames(made.world, 1);
        }
        test_world_free(&made);
    }
    platform_jobs_stop(&pool);
}

/* ---- a cache ---- */

static void a_rewound_crowd_goes_on_to_the_same_bits(void)
{
    for (uint32_t run = 0; run < 2u * SCENES; run++) {
        if (!test_runs(run + run / 2u, 2)) continue;
        const crowd_scene *scene = &scenes[run / 2u];
        test_world made = crowd_make(scene, run % 2u);
        tp_source source = tp_world_source(made.world);
        tp_cache_def def = tp_cache_default(&source);
        def.ring_bytes = 1u << 22;
        size_t bytes;
        tp_cache *cache = NULL;
        uint64_t hashes[FRAMES + 1u];
        CHECK(tp_cache_memory(&def, &bytes) == TP_OK);
        void *block = aligned_alloc(64, (bytes + 63u) / 64u * 64u);
        CHECK(tp_cache_create(&def, block, bytes, &cache) == TP_OK);
        for (uint32_t f = 0; f <= FRAMES; f++) {
            if (f) test_world_frames(made.world, 1);
            CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
            hashes[f] = tp_world_hash(made.world);
        }
        for (uint32_t back = 5; back < FRAMES; back += test_is_long() ? 5u : 10u) {
            CHECK(tp_cache_rewind(cache, &source, back, false, NULL) == TP_OK);
            CHECK_EQ(tp_world_hash(made.world), hashes[back]);
            for (uint32_t f = back + 1u; f <= FRAMES; f++) {
                test_world_frames(made.world, 1);
                test_note("%s, cell_max %u, from frame %u, frame %u", scene->name,
                          made.world->def.pair.cell_max, back, f);
                if (!CHECK_EQ(tp_world_hash(made.world), hashes[f])) break;
            }
        }
        free(block);
        test_world_free(&made);
    }
}

/* ---- other conditions for keeping lists and forces ---- */

/* Hash after a step of two particles that approach across the boundary of the widest box, where
   their distance is rounded to 1/16 m: first beyond cutoff and skin as seen from both sides, then
   within the cutoff. */
static uint64_t wide_hash(float skin)
{
    tp_world_def def = pair_def(2, 2, 0.01);
    pair_box(&def, 1e6);
    def.pair.cutoff = 2.505f;
    def.pair.skin = skin;
    test_world made = test_world_make(&def);
    CHECK(tp_particle_add(made.world, (tp_vector){999998.75f, 1, 0}, (tp_vector){12.5f, 0, 0}, 0,
                          NULL) == TP_OK);
    CHECK(tp_particle_add(made.world, (tp_vector){1.53175f, 1, 0}, (tp_vector){-14.98f, 0, 0}, 0,
                          NULL) == TP_OK);
    test_world_frames(made.world, 2);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void lists_miss_no_pair_across_the_side_of_a_wide_box(void)
{
    CHECK_EQ(wide_hash(0.3f), wide_hash(0.0f));
}

/* A particle 1e-31 m away from 0 is moved to 0 when the step is complete (subnormals are flushed),
   possibly into another cell. */
static void a_place_that_is_flushed_has_its_forces_computed_anew(void)
{
    uint64_t hashes[2];
    for (uint32_t run = 0; run < 2; run++) {
        tp_world_def def = pair_def(2, 5, 0.01);
        def.pair.cell_max = 4;
        test_world made = test_world_make(&def);
        for (uint32_t i = 0; i < 5; i++)
            CHECK(tp_particle_add(made.world, (tp_vector){0, 0.2f + 0.5f * (float)i, 0},
                                  (tp_vector){i ? 0 : -1e-29f, 0, 0}, 0, NULL) == TP_OK);
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < 5; i++)
            CHECK(view.x[i] == 0 && (view.vx[i] < 0) == (view.id[i] == 0));
        if (run) (void)pair_measure(made.world);
        test_world_frames(made.world, 1);
        hashes[run] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hashes[1], hashes[0]);
}

/* For pairs and for hard spheres: particles are placed outside the box, or at values so small that
   they are flushed. */
static void measuring_what_was_just_put_there_changes_no_bit(void)
{
    for (uint32_t run = 0; run < 4; run++) {
        tp_world_def def = pair_def(2, 30, 0.01);
        if (run & 1u) def.pair.potential = HARD;
        pair_box(&def, 7.3);
        test_world made = test_world_make(&def), other = test_world_make(&def);
        for (uint32_t i = 0; i < 30; i++) {
            tp_vector at = {2.1f * (float)(i % 6u) - 3.7f, 1.9f * (float)(i / 6u) + 29, 0},
                      v = {1, -3e-35f, 0};
            if (i == 0) at = (tp_vector){-1e-35f, 1e-33f, 0};
            CHECK(tp_particle_add(made.world, run & 2u ? (tp_vector){0, 0, 0} : at, v, 0, NULL) ==
                  TP_OK);
            if (run & 2u) CHECK(tp_particle_set(made.world, i, at, v) == TP_OK);
        }
        CHECK_EQ(made.bytes, other.bytes);
        memcpy(other.world, made.world, made.bytes);
        (void)pair_measure(other.world);
        test_note("run %u", run);
        CHECK_EQ(tp_world_hash(other.world), tp_world_hash(made.world));
        test_world_frames(made.world, 3);
        test_world_frames(other.world, 3);
        CHECK_EQ(tp_world_hash(other.world), tp_world_hash(made.world));
        test_world_free(&made);
        test_world_free(&other);
    }
}

static const test_case cases[] = {TEST_CASE(nobody_is_left_out_while_a_list_is_kept),
                                  TEST_CASE(a_measured_copy_goes_on_to_the_same_bits),
                                  TEST_CASE(a_rewound_crowd_goes_on_to_the_same_bits),
                                  TEST_CASE(lists_miss_no_pair_across_the_side_of_a_wide_box),
                                  TEST_CASE(a_place_that_is_flushed_has_its_forces_computed_anew),
                                  TEST_CASE(measuring_what_was_just_put_there_changes_no_bit)};
TEST_SUITE(crowd, cases);
