/* SPDX-License-Identifier: MIT
   tests/unit/test_grid.c - the pair sweep and its units, compared with brute force.
   reads   runtime/grid      writes  nothing
   memory  worlds of up to 4096 particles        cost    about a second
   after   brute force over all pairs */
#include "test.h"
#include "world_help.h"
#include "grid_worlds.h"
#include "grid/patch.h"
#include "step/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs ---- */

/* Flags for two indices i < j: whether they are a pair, and whether a sweep must examine them as
   candidates. */
#define IS_PAIR      1u
#define IS_CANDIDATE 2u

static bool is_next_to(const tp_world *world, tpi_cell a, tpi_cell b)
{
    const uint32_t *cells = world->constants.levels.cells[a.level];
    bool is_next = true;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t apart =
            a.at[axis] > b.at[axis] ? a.at[axis] - b.at[axis] : b.at[axis] - a.at[axis];
        is_next = is_next && (apart <= 1u || apart + 1u == cells[axis]);
    }
    return is_next;
}

/* Number of cells of a coarser level along an axis that contain a finest-level cell within the
   distance `apart` of the finer cell. Adds 1 << 16 if `wanted` is one of them. */
static uint32_t reach_along(const tp_world *world, tpi_cell fine, uint32_t level, uint32_t axis,
                            uint32_t wanted)
{
    const tpi_levels *levels = &world->constants.levels;
    int32_t apart = (int32_t)levels->apart[fine.level][level],
            cells = (int32_t)levels->cells[0][axis];
    const int32_t width = (int32_t)levels->width[fine.level][axis];
    const int32_t from = ((int32_t)fine.at[axis] - 65536) * width;
    int32_t to = from + width - 1;
    uint32_t first = 0, last = 0, sum = 0;
    if (cells && fine.at[axis] == 65535u + levels->cells[fine.level][axis]) to = cells - 1;
    /* at most once around the periodic box */
    if (cells) to = to < from + cells - 1 - 2 * apart ? to : from + cells - 1 - 2 * apart;
    for (int32_t at = from - apart; at <= to + apart; at++) {
        int32_t wrapped = cells ? ((at % cells) + cells) % cells : at;
        if (wrapped < -65536 || wrapped > 65535) continue;
        uint32_t coarse = tpi_level_coordinate(levels, level, axis, (uint32_t)(wrapped + 65536));
        if (coarse == last || coarse == first) continue;
        sum += coarse == wanted ? 65537u : 1u;
        last = coarse;
        if (!first) first = coarse;
    }
    return sum;
}

/* Whether the coarser cell contains a finest-level cell within that distance of the finer cell. */
static bool is_in_reach(const tp_world *world, tpi_cell fine, tpi_cell coarse)
{
    bool is_near = true;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        is_near = is_near && reach_along(world, fine, coarse.level, axis, coarse.at[axis]) > 65535u;
    return is_near;
}

/* Units for the rows of cells that a particle of the cell looks up; 2 more per layer of rows at a
   coarser level. */
static uint32_t rows_of(const tp_world *world, tpi_cell cell)
{
    uint32_t sum = world->def.dimensions == 3 ? 6u : 3u;
    for (uint32_t level = cell.level + 1u; level < world->constants.levels.count; level++)
        sum += (2u + reach_along(world, cell, level, 1, 0)) *
               (world->def.dimensions == 3 ? reach_along(world, cell, level, 2, 0) : 1u);
    return sum;
}

/* Returns the units of a sweep through the grid: one per particle, per row of cells and per
   candidate. Rows are looked up once per cell, or once per particle if there are coarser levels. */
static uint64_t brute_force(const tp_world *world, unsigned char *expected)
{
    uint32_t count = world->step.count;
    tpi_points points = tpi_points_of(world);
    tpi_cell *cells = malloc((count + 1u) * sizeof *cells);
    uint64_t units = count;
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = tpi_grid_cell_of(world, i);
        bool is_first = i == 0 || tpi_cell_pack(cells[i]) != tpi_cell_pack(cells[i - 1u]);
        if (is_first || cells[i].level + 1u < world->constants.levels.count)
            units += rows_of(world, cells[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            float square = tpi_distance_squared(points, i, j, world->def.dimensions);
            uint32_t a = cells[i].level, b = cells[j].level;
            bool is_candidate = a == b  ? is_next_to(world, cells[i], cells[j])
                                : a < b ? is_in_reach(world, cells[i], cells[j])
                                        : is_in_reach(world, cells[j], cells[i]);
            units += is_candidate;
            expected[(size_t)i * count + j] =
                (unsigned char)((square < world->step.radius_squared[a][b] ? IS_PAIR : 0u) |
                                (is_candidate ? IS_CANDIDATE : 0u));
        }
    free(cells);
    return units;
}

/* Each pair is found once, in either order; no other two particles are found unless they are
   candidates. */
static void compare_with_brute_force(uint32_t count, const unsigned char *expected,
                                     const unsigned char *found)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            uint32_t times = found[(size_t)i * count + j], have = expected[(size_t)i * count + j];
            wrong += times != (have & IS_PAIR) || have == IS_PAIR;
        }
    CHECK_EQ(wrong, 0);
}

/* Counts visits of each pair: 1 for a visit from the lower index, 16 for one from the higher
   index. */
typedef struct meetings {
    unsigned char *found; /* one row per lower index */
    uint32_t count;
    bool by_lists; /* a sweep over patches along the lists, which hold no distances */
} meetings;

TPI_INLINE void meet(const meetings *m, uint32_t i, uint32_t j)
{
    unsigned char *met = &m->found[i < j ? (size_t)i * m->count + j : (size_t)j * m->count + i];
    *met = (unsigned char)(*met + (i < j ? 1u : 16u));
}

TPI_INLINE void meet_partners(const tp_world *world, const void *context, uint32_t i,
                              const uint32_t *partners, const float *squares, uint32_t count,
                              tpi_tally *tally)
{
    (void)world;
    (void)squares;
    (void)tally;
    for (uint32_t k = 0; k < count; k++) meet((const meetings *)context, i, partners[k]);
}

TPI_SWEEP_GRID(sweep_2d, meet_partners, .dimensions = 2, .is_periodic = true)
TPI_SWEEP_GRID(sweep_3d, meet_partners, .dimensions = 3, .is_periodic = true)

TPI_INLINE void meet_listed(const tp_world *world, const void *context, uint32_t i,
                            const uint32_t *partners, const float *squares, uint32_t count,
                            tpi_tally *tally)
{
    (void)squares;
    (void)tally;
    for (uint32_t k = 0; k < count; k++)
        meet((const meetings *)context, i, partners[k] >> world->constants.list_shift);
}
TPI_SWEEP_LISTS(sweep_list, meet_listed)

/* Sweeps over patches, through the grid and along the lists. */
#if TPI_LANES > 1
static void meet_patch(const tp_world *world, const void *context, const tpi_patch *patch,
                       tpi_tally *tally)
{
    const meetings *m = (const meetings *)context;
    uint32_t k = 0, wrong = 0;
    (void)tally;
    CHECK(patch->pair_count > 0 && patch->pair_count <= TPI_PATCH_PAIRS);
    for (uint32_t r = 0; r < patch->row_count; r++)
        for (; k < patch->rows[r].end; k++) {
            uint32_t i = tpi_patch_particle(patch, patch->i[k] / 2u),
                     j = tpi_patch_particle(patch, patch->j[k] / 2u);
            CHECK_EQ(patch->i[k], patch->rows[r].slot);
            meet(m, i, j);
            float square = tpi_distance_squared(tpi_points_of(world), i, j, tpi_dimensions(world));
            wrong += !m->by_lists && patch->square[k] != square;
        }
    CHECK_EQ(k, patch->pair_count);
    CHECK_EQ(wrong, 0);
}

static uint32_t sweep_patches(tp_world *world, const tp_jobs *jobs, bool by_lists, uint32_t units,
                              const meetings *m, bool *done)
{
    const tpi_sweep_kind kind = {.dimensions = world->def.dimensions, .by_lists = by_lists};
    const meetings here = {m->found, m->count, by_lists};
    if (!by_lists) world->step.by_parts = jobs != NULL;
    return tpi_patch_slice(world, jobs, units, &here, kind, meet_patch, done);
}

/* Whether the lists hold places of patches. */
static bool has_patches(const tp_world *world) { return world->def.solver == TP_SOLVER_SPH; }
#else
#define sweep_patches(world, jobs, by_lists, units, m, done) ((void)(jobs), 0u)
#define has_patches(world)                                   false
#endif

/* Runs the parts from last to first: an order that no sweep uses. */
static void run_backwards(void *context, void (*work)(void *argument, uint32_t index),
                          void *argument, uint32_t count)
{
    (void)context;
    for (uint32_t index = count; index-- > 0;) work(argument, index);
}

typedef enum sweep_way { BY_PAIRS, BY_PATCHES, BY_PATCH_JOBS, BY_LIST, SWEEP_WAYS } sweep_way;
static const char *const sweep_names[] = {"pairs", "patches", "patches with jobs", "list"};

static uint32_t sweep_once(tp_world *world, sweep_way way, const meetings *m, uint32_t units,
                           bool *done)
{
    static const tp_jobs backwards = {run_backwards, NULL, 3};
    bool is_2d = world->def.dimensions == 2;
    if (way == BY_PAIRS) return (is_2d ? sweep_2d : sweep_3d)(world, NULL, units, m, done);
    if (way == BY_PATCHES || way == BY_PATCH_JOBS)
        return sweep_patches(world, way == BY_PATCH_JOBS ? &backwards : NULL, false, units, m,
                             done);
    if (has_patches(world)) return sweep_patches(world, NULL, true, units, m, done);
    return sweep_list(world, NULL, units, m, done);
}

/* Sweeps a world after its pair pass and returns the units. `found` becomes 1 for each pair that is
   visited once. */
static uint64_t sweep_all(tp_world *world, sweep_way way, const meetings *m, uint32_t slice)
{
    bool done = false;
    tp_world before = *world;
    uint64_t units = 0;
    memset(m->found, 0, (size_t)m->count * m->count);
    world->step.cursor = (tpi_cursor){0};
    while (!done) {
        uint32_t used = sweep_once(world, way, m, slice, &done);
        CHECK(used <= slice && (done || used > 0));
        units += used;
    }
    *world = before;
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t j = i + 1; j < m->count; j++) {
            unsigned char *met = &m->found[(size_t)i * m->count + j];
            if (*met) *met = *met == 1 || *met == 16 ? 1 : 255;
        }
    return units;
}

/* Checks a world after its pair pass, and frees it. */
static void check_pairs(test_world made, const char *name, uint32_t slice)
{
    const tp_world *world = made.world;
    uint32_t count = world->step.count, rows = world->def.dimensions == 2 ? 5 : 14;
    unsigned char *expected = calloc((size_t)count * count + 1u, 1);
    meetings m = {calloc((size_t)count * count + 1u, 1), count, false};
    CHECK_EQ(count, world->count);
    CHECK(world->step.particles_skipped == 0 && !world->step.capped &&
          !world->step.list_overflowed);
    uint64_t units = brute_force(world, expected);
    bool has_levels = world->constants.levels.count > 1u;
    if (!has_levels) CHECK(units <= (uint64_t)count * (2u + rows * world->constants.cell_max));
    for (int way = 0; way < SWEEP_WAYS; way++) {
        if (has_levels && way != BY_PAIRS && way != BY_LIST) continue;
        if (way == BY_LIST && !world->constants.list_capacity) continue;
        /* no patches without vectors, and none in a periodic box */
        bool is_patched = way == BY_PATCHES || way == BY_PATCH_JOBS;
        if (is_patched && (TPI_LANES == 1 || world->constants.box.is_periodic)) continue;
        test_note("%s, %u dimensions, %u particles, slices of %u, by %s", name,
                  world->def.dimensions, count, slice, sweep_names[way]);
        uint64_t used = sweep_all(made.world, (sweep_way)way, &m, slice);
        compare_with_brute_force(count, expected, m.found);
        if (way == BY_LIST) units = count + world->step.pairs_found;
        CHECK_EQ(used, units); /* a unit is the same work for every sweep and vector width */
    }
    free(expected);
    free(m.found);
    test_world_free(&made);
}

static const uint32_t pair_counts[] = {0, 1, 2, 3, 27, 60, 255, 500, 4096};
#define PAIR_COUNTS (sizeof pair_counts / sizeof pair_counts[0])

/* Whether some cell would exceed cell_max, which other tests cover. Sets that are longer than the
   box are wrapped many times. */
static bool is_crowded(point_set set, box_kind box, uint32_t count)
{
    bool is_spread = set == UNIFORM || set == NEGATIVE || set == FAR || set == OUTLIER;
    if (box == OPEN) is_spread = set != ONE_CELL && set != BEYOND_THE_RIM;
    if (set == (box == OPEN ? FULL_CELLS : ONE_CELL)) return count > (box == OPEN ? 500u : 255u);
    return count > (is_spread ? box == TUBE ? 500u : 4096u : 60u);
}

static void r_16_pairs_equal_brute_force(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (int set = 0; set < POINT_SETS; set++)
            for (size_t n = 0; n < PAIR_COUNTS - !test_runs((uint32_t)set, 2); n++) {
                uint32_t slice = n % 2 ? 64 : 65536, count = pair_counts[n];
                if (is_crowded((point_set)set, OPEN, count)) continue;
                test_world made = grid_world(dimensions, count, (point_set)set, true, 255);
                CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, slice));
                check_pairs(made, set_names[set], slice);
            }
}

/* 45 particles in each of 27 cells: a cell has 630 candidates, more than a patch has slots. */
static void r_15_pairs_of_full_cells_equal_brute_force(void)
{
    for (uint32_t slice = 64; slice <= 65536; slice *= 1024) {
        test_world made = grid_world(3, 1215, POINT_SETS, true, 255);
        float cell = sqrtf(made.world->constants.radius_squared) * 1.0078125f, *x[3];
        uint32_t state = 3;
        for (uint32_t axis = 0; axis < 3; axis++) x[axis] = tpi_front_x(made.world, axis);
        for (uint32_t i = 0; i < 1215; i++)
            for (uint32_t axis = 0, n = i; axis < 3; axis++, n /= 3u)
                x[axis][i] = ((float)(n % 3u) + 0.05f + 0.9f * test_random(&state)) * cell;
        CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, slice));
        CHECK(made.world->step.neighbours_largest > 100);
        check_pairs(made, "full cells in 3D", slice);
    }
}

/* The same stencil, whatever was asked before: slices and threads begin anywhere. */
static void a_stencil_does_not_depend_on_the_last_one(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (int set = 0; set < POINT_SETS; set++) {
            test_world made = grid_world(dimensions, 800, (point_set)set, true, 255);
            tpi_stencil last = {.is_known = false};
            uint32_t wrong = 0;
            CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 65536));
            test_note("set '%s', %u dimensions", set_names[set], dimensions);
            for (uint32_t i = 0; i < made.world->step.count; i += 1u + i % 3u) {
                tpi_stencil fresh = {.is_known = false};
                tpi_stencil_half(made.world, i, &fresh);
                tpi_stencil_half(made.world, i, &last);
                wrong += fresh.run_count != last.run_count || fresh.own_begin != last.own_begin ||
                         fresh.own_end != last.own_end || fresh.cell_end != last.cell_end ||
                         memcmp(fresh.runs, last.runs, fresh.run_count * sizeof(tpi_run)) != 0;
            }
            CHECK_EQ(wrong, 0);
            test_world_free(&made);
        }
}

/* Candidate number n of a particle's half stencil. */
static uint32_t candidate_of(const tpi_stencil *stencil, uint32_t n)
{
    uint32_t r = 0;
    for (; n >= stencil->runs[r].end - stencil->runs[r].begin; r++)
        n -= stencil->runs[r].end - stencil->runs[r].begin;
    return stencil->runs[r].begin + n;
}

/* The particle of a slot of a group. */
static uint32_t slot_of(const tpi_group *group, uint32_t slot)
{
    uint32_t r = 0;
    for (; r < group->run_count && slot >= group->runs[r].end - group->runs[r].begin; r++)
        slot -= group->runs[r].end - group->runs[r].begin;
    return r < group->run_count ? group->runs[r].begin + slot : UINT32_MAX;
}

/* Candidates of a cell of a group that are not those of its stencil, in the same order. */
static uint32_t wrong_candidates(const tp_world *world, const tpi_group *group, uint32_t k)
{
    const tpi_group_cell *cell = &group->cells[k];
    tpi_stencil stencil = {.is_known = false};
    uint32_t wrong = 0, n = 0, own = cell->own.begin - group->cells[0].own.begin;
    tpi_stencil_half(world, cell->own.begin, &stencil);
    uint32_t half = tpi_stencil_candidates(&stencil);
    stencil.is_known = false;
    tpi_stencil_columns(world, cell->own.begin, &stencil);
    wrong += stencil.own_begin != cell->own.begin || stencil.cell_end != cell->own.end;
    if (tpi_stencil_candidates(&stencil) != half ||
        half != cell->beside + cell->across.end - cell->across.begin)
        return wrong + 1u;
    for (uint32_t slot = own; slot < own + cell->beside; slot++)
        wrong += candidate_of(&stencil, n++) != slot_of(group, slot);
    for (uint32_t slot = cell->across.begin; slot < cell->across.end; slot++)
        wrong += candidate_of(&stencil, n++) != slot_of(group, slot);
    return wrong;
}

/* Faults of a group. */
static uint32_t wrong_group(const tp_world *world, tpi_group_limits limits, const tpi_group *group)
{
    uint32_t filled = 0, particles = 0, slots = 0, wrong = 0, runs = limits.cells > 4 ? 5 : 26;
    for (uint32_t k = 0; k < group->count; k++) {
        const tpi_group_cell *cell = &group->cells[k];
        filled += cell->own.begin < cell->own.end;
        particles += cell->own.end - cell->own.begin;
        if (cell->own.begin < cell->own.end) wrong += wrong_candidates(world, group, k);
    }
    for (uint32_t r = 0; r < group->run_count; r++)
        slots += group->runs[r].end - group->runs[r].begin;
    wrong += filled != group->filled || particles != group->particles || slots != group->slots;
    wrong += group->count > limits.cells || particles > limits.particles || slots > limits.slots ||
             group->candidates > limits.candidates || group->run_count > runs;
    return wrong;
}

static void a_group_has_the_candidates_of_its_cells(void)
{
    for (uint32_t kind = 0, groups = 0; kind < 2u * POINT_SETS; kind++) {
        uint32_t dimensions = 2u + kind % 2u, wrong = 0;
        const tpi_group_limits limits = {kind % 2u ? TPI_GROUP_CELLS_3D : 8u, 24, 1000, 120};
        test_world made = grid_world(dimensions, 800, (point_set)(kind / 2u), true, 255);
        tpi_stencil stencil = {.is_known = false};
        tpi_group group = {.rows.entry = TPI_ENTRY_NONE};
        CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 65536));
        test_note("%uD, set '%s'", dimensions, set_names[kind / 2u]);
        for (uint32_t i = 0; i < made.world->step.count; i++) {
            tpi_stencil_group(made.world, i, limits, &stencil, &group);
            groups += group.count > 1;
            if (group.count) wrong += wrong_group(made.world, limits, &group);
        }
        CHECK_EQ(wrong, 0);
        test_world_free(&made);
        if (kind + 1u == 2u * POINT_SETS) CHECK(groups > 200);
    }
}

static void r_17_pairs_in_boxes_equal_brute_force(void)
{
    for (uint32_t kind = 0; kind < 2u * BOX_KINDS * POINT_SETS; kind++)
        for (size_t n = 0; n < PAIR_COUNTS; n++) {
            uint32_t dimensions = 2u + kind % 2u, slice = n % 2 ? 64 : 65536;
            box_kind box = (box_kind)(kind / 2u % BOX_KINDS);
            point_set set = (point_set)(kind / 2u / BOX_KINDS);
            if (is_crowded(set, box, pair_counts[n])) continue;
            if (pair_counts[n] > 500 && (box != TUBE || (set != UNIFORM && set != FAR)) &&
                !test_is_long())
                continue;
            test_note("%s, %s, %u particles", box_names[box], set_names[set], pair_counts[n]);
            test_world made = box_world(dimensions, pair_counts[n], set, box);
            CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, slice));
            check_pairs(made, box_names[box], slice);
        }
}

/* ---- grid levels: cells of several sizes ---- */

typedef struct size_set {
    const char *name;
    uint32_t species, levels;
    float sigmas[4];
    uint32_t shares[4]; /* per hundred particles */
} size_set;
static const size_set size_sets[] = {
    {"1:8, few large", 2, 2, {1, 8}, {96, 4}},
    {"1:8, large alone", 2, 2, {1, 8}, {0, 100}},
    {"8:1, few small", 2, 2, {8, 1}, {90, 10}},
    {"1:2:5:20", 4, 4, {1, 2, 5, 20}, {70, 20, 7, 3}},
    {"1:2:3:6", 4, 3, {1, 2, 3, 6}, {40, 30, 20, 10}},
    {"1:1.9", 2, 1, {1, 1.9f}, {50, 50}},
    {"1:1000", 2, 2, {0.01f, 10}, {90, 10}},
};
#define SIZE_SETS (sizeof size_sets / sizeof size_sets[0])

static uint32_t species_of(const size_set *sizes, uint32_t i)
{
    uint32_t of_hundred = i * 37u % 100u, species = 0;
    while (species + 1u < sizes->species && of_hundred >= sizes->shares[species])
        of_hundred -= sizes->shares[species++];
    return species;
}

/* At most as many particles as the neighbour limit, so that it is never exceeded; `spread` is the
   side of the filled region. */
static test_world sized_world(uint32_t dimensions, const size_set *sizes, box_kind box,
                              float spread, uint32_t count, bool stores)
{
    tp_world_def def = tp_world_default(dimensions);
    const float widest = 2.6f * 20.0f, side = box == WIDE   ? 300.0f
                                              : box == SNUG ? 110.0f
                                                            : 2.1f * widest;
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = 300;
    def.frames_per_second_numerator = 1000;
    def.species_count = sizes->species;
    for (uint32_t s = 0; s < sizes->species; s++) def.species[s].sigma = sizes->sigmas[s];
    def.pair.neighbours_max = 255;
    def.pair.skin = 0.0f;
    def.pair.stores_neighbours = stores;
    if (box != OPEN) def.periodic_axes = box == SLAB ? TP_AXIS_X : dimensions == 2 ? 3 : 7;
    def.box_size = (tp_vector){side, side * 1.01f, side * 0.99f};
    test_world made = test_world_make(&def);
    uint32_t state = 5u + count;
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = test_random_position(&state, spread);
        CHECK(tp_particle_add(made.world, at, test_random_position(&state, 2), species_of(sizes, i),
                              NULL) == TP_OK);
    }
    CHECK_EQ(made.world->constants.levels.count, sizes->levels);
    return made;
}

static void pairs_of_all_sizes_equal_brute_force(void)
{
    static const struct {
        float spread;
        uint32_t count;
    } fills[] = {{0.5f, 60}, {15, 250}, {60, 250}, {300, 250}, {1e6f, 250}, {4e7f, 100}};
    for (uint32_t kind = 0; kind < 2u * BOX_KINDS * SIZE_SETS; kind++)
        for (size_t n = 0; n < sizeof fills / sizeof fills[0]; n++) {
            uint32_t dimensions = 2u + kind % 2u, slice = n % 2 ? 64 : 65536;
            box_kind box = (box_kind)(kind / 2u % BOX_KINDS);
            const size_set *sizes = &size_sets[kind / 2u / BOX_KINDS];
            if (n >= 4u && box != OPEN) continue;
            test_note("%s, %s, %u particles, spread %g", sizes->name, box_names[box],
                      fills[n].count, (double)fills[n].spread);
            test_world made =
                sized_world(dimensions, sizes, box, fills[n].spread, fills[n].count, n != 1);
            CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, slice));
            if (made.world->step.particles_skipped)
                test_world_free(&made);
            else
                check_pairs(made, sizes->name, slice);
        }
}

/* More candidates around a cell than fit one batch: a lattice of each size. */
static void pairs_of_crowds_equal_brute_force(void)
{
    static const uint32_t rows[3] = {7, 12, 12};
    static const float spacings[3] = {0.6f, 1.5f, 2.6f};
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = 4000;
    def.species_count = 3;
    def.species[1].sigma = 2.2f;
    def.species[2].sigma = 5.0f;
    def.pair.skin = 0.0f;
    test_world made = test_world_make(&def);
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t i = 0; i < rows[s] * rows[s] * rows[s]; i++) {
            tp_vector at = {(float)(i % rows[s]), (float)(i / rows[s] % rows[s]),
                            (float)(i / rows[s] / rows[s])};
            float half = 0.5f * (float)rows[s], spacing = spacings[s];
            at = (tp_vector){(at.x - half) * spacing, (at.y - half) * spacing,
                             (at.z - half) * spacing};
            CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, s, NULL) == TP_OK);
        }
    tp_world *world = made.world;
    CHECK(test_world_run_to(world, TP_STAGE_NEAREST, 65536));
    CHECK(world->step.particles_skipped == 0 && world->constants.levels.count == 3u);
    world->step.capped = false; /* pairs without the neighbour limit */
    uint32_t count = world->step.count, most = 0;
    unsigned char *expected = calloc((size_t)count * count, 1);
    meetings m = {calloc((size_t)count * count, 1), count, false};
    uint64_t units = brute_force(world, expected);
    for (uint32_t slice = 64; slice <= 65536; slice *= 1024) {
        CHECK_EQ(sweep_all(world, BY_PAIRS, &m, slice), units);
        compare_with_brute_force(count, expected, m.found);
    }
    tpi_stencil stencil = {.is_known = false};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = 0;
        tpi_stencil_half(world, i, &stencil);
        do
            for (uint32_t r = 0; r < stencil.run_count; r++)
                size += stencil.runs[r].end - stencil.runs[r].begin;
        while (tpi_stencil_part(world, i, stencil.part + 1u, &stencil));
        most = size > most ? size : most;
    }
    test_note("%u candidates at most", most);
    CHECK(most > 27u * 64u);
    free(expected);
    free(m.found);
    test_world_free(&made);
}

/* The neighbours do not depend on the storage (compact or with lists) or on the table size. */
static void density_does_not_depend_on_the_arrangement(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (int set = 0; set < POINT_SETS; set++) {
            test_world stored = grid_world(dimensions, 800, (point_set)set, true, 40);
            test_world compact = grid_world(dimensions, 800, (point_set)set, false, 40);
            test_note("set '%s', %u dimensions", set_names[set], dimensions);
            test_world_frames(stored.world, 3);
            test_world_frames(compact.world, 3);
            CHECK_EQ(tp_world_hash(compact.world), tp_world_hash(stored.world));
            test_world_free(&stored);
            test_world_free(&compact);
        }
}

/* Squared distance of two particles if it is within the cutoff of their levels. */
static float square_within(const tp_world *world, uint32_t i, uint32_t j)
{
    float square = tpi_distance_squared(tpi_points_of(world), i, j, world->def.dimensions);
    uint32_t a = tpi_grid_level_of(world, i), b = tpi_grid_level_of(world, j);
    return i != j && square < world->step.radius_squared[a][b] ? square : FLT_MAX;
}

/* The neighbour limit: never exceeded, the nearest are kept, and a pair is kept or dropped at both
   particles. Checks a world of 300 after its pair pass, and frees it. */
static void check_cap(test_world made, sweep_way way)
{
    tp_world *world = made.world;
    static unsigned char kept[300][300];
    static float squares[300][300];
    meetings m = {kept[0], 300, false};
    uint32_t dropped = 0, cap = world->constants.neighbours_max;
    CHECK(world->step.capped && world->step.count == 300 && world->step.particles_skipped == 0);
    (void)sweep_all(world, way, &m, 100);
    for (uint32_t i = 0; i < 300; i++)
        for (uint32_t j = 0; j < i; j++)
            kept[i][j] = kept[j][i] = (unsigned char)(kept[i][j] + kept[j][i]);
    for (uint32_t n = 0; n < 300 * 300; n++)
        squares[n / 300][n % 300] = square_within(world, n / 300, n % 300);
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t ends = 0;
        for (uint32_t j = 0; j < 300; j++) {
            ends += kept[i][j];
            uint32_t nearer_i = 0, nearer_j = 0;
            float square = squares[i][j];
            for (uint32_t k = 0; k < 300 && square < FLT_MAX; k++) {
                nearer_i += squares[i][k] < square;
                nearer_j += squares[j][k] < square;
            }
            bool expected = square < FLT_MAX && nearer_i < cap && nearer_j < cap;
            if ((kept[i][j] != 0) != expected)
                CHECK_NEVER("a pair that both ends count among their nearest is not kept");
            dropped += square < FLT_MAX && !expected;
        }
        CHECK(ends <= cap);
    }
    CHECK(dropped > 0);
    test_world_free(&made);
}

static void neighbour_cap_keeps_the_mutually_nearest(void)
{
    test_world made = grid_world(2, 300, UNIFORM, true, 6);
    if (!CHECK(test_world_run_to(made.world, TP_STAGE_NEAREST, 100))) return;
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 100));
    CHECK(made.world->step.neighbours_dropped > 0);
    check_cap(made, BY_LIST);
}

static void neighbour_cap_looks_at_all_sizes(void)
{
    for (uint32_t kind = 0; kind < 2u * BOX_KINDS * SIZE_SETS; kind++) {
        uint32_t dimensions = 2u + kind % 2u, slice = kind % 3u ? 64 : 65536;
        box_kind box = (box_kind)(kind / 2u % BOX_KINDS);
        const size_set *sizes = &size_sets[kind / 2u / BOX_KINDS];
        float spread = dimensions == 2 ? 52.0f : 22.0f;
        if (sizes->sigmas[0] < 0.1f || sizes->levels == 1u) spread = 12.0f;
        test_world made = sized_world(dimensions, sizes, box, spread, 300, kind % 2u != 0);
        made.world->constants.neighbours_max = 6;
        CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, slice));
        check_cap(made, BY_PAIRS);
    }
}

static void crowded_cell_takes_the_lowest_ids_and_counts_the_rest(void)
{
    test_world made = grid_world(2, 500, ONE_CELL, true, 255);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 64));
    CHECK_EQ(made.world->step.particles_skipped, 500 - 64);
    CHECK_EQ(made.world->step.pairs_found, 64 * 63 / 2);
    const uint32_t *neighbours = tpi_words(made.world, made.world->arrays.neighbours),
                   *order = tpi_words(made.world, made.world->arrays.order);
    for (uint32_t s = 0; s < 500; s++)
        CHECK((neighbours[s] > 0) == (TPI_ORDER_INDEX(order[s]) < 64));
    test_world_free(&made);
}

/* Some frames of a dense cluster that flies across the sides of a box; returns the units of its
   pairs. */
static uint64_t box_run(uint32_t dimensions, uint32_t capacity, uint32_t slice, uint64_t *hash,
                        bool *is_dense)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = capacity;
    def.frames_per_second_numerator = 250;
    def.periodic_axes = dimensions == 2 ? 3 : 7;
    def.box_size = dimensions == 2 ? (tp_vector){100, 120, 1} : (tp_vector){40, 30, 35};
    test_world made = test_world_make(&def);
    uint64_t units = 0;
    tp_stage stage;
    for (uint32_t i = 0, state = 9; i < 216; i++) {
        tp_vector at = {1.2f * (float)(i % 6) - 3, 1.2f * (float)(i / 6 % 6) - 3,
                        1.2f * (float)(i / 36) - 3};
        if (dimensions == 2) at.y = 1.2f * (float)(i / 6) - 3;
        CHECK(tp_particle_add(made.world, at, test_random_position(&state, 40), 0, NULL) == TP_OK);
    }
    for (uint32_t s = 0, used; s < 40; s++) {
        tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
        for (bool done = false; !done; units += stage == TP_STAGE_PAIRS ? used : 0)
            done = tpi_step_advance(made.world, NULL, slice, &used, &stage);
    }
    CHECK(made.world->report.lists_built > 2);
    *hash = tp_world_hash(made.world);
    *is_dense = made.world->grid.bucket_count == 1u;
    test_world_free(&made);
    return units;
}

static void a_dense_table_gives_the_bits_and_units_of_the_hashed_one(void)
{
    for (uint32_t run = 0; run < 6; run++) {
        uint64_t hash, dense_hash;
        bool is_dense;
        uint32_t dimensions = 2 + run % 2, slice = run < 2 ? 65536 : run < 4 ? 64 : 333;
        test_note("%u dimensions, slices of %u", dimensions, slice);
        uint64_t units = box_run(dimensions, 216, slice, &hash, &is_dense);
        CHECK(!is_dense);
        CHECK_EQ(box_run(dimensions, 4000, slice, &dense_hash, &is_dense), units);
        CHECK(is_dense);
        CHECK_EQ(dense_hash, hash);
    }
}

/* Number of bytes in both tables that differ from `set`; sets them again. */
static uint32_t touched_bytes(const tp_world *world, int set)
{
    const uint32_t offsets[2] = {world->arrays.start, world->arrays.owner};
    const uint32_t sizes[2] = {(world->grid.entry_count + 1u) * 4u, world->grid.bucket_count * 8u};
    uint32_t touched = 0;
    for (uint32_t t = 0; t < 2; t++) {
        unsigned char *bytes = (unsigned char *)tpi_at(world, offsets[t]);
        for (uint32_t b = 0; b < sizes[t]; b++) touched += bytes[b] != (unsigned char)set;
        memset(bytes, set, sizes[t]);
    }
    return touched;
}

/* A unit clears 32 bytes of either table; the last bytes of a table are charged, too. */
static void the_tables_are_cleared_slice_by_slice(void)
{
    test_world made = grid_world(2, 4096, UNIFORM, true, 40);
    tp_world *world = made.world;
    CHECK(test_world_run_to(world, TP_STAGE_GRID, 65536));
    (void)touched_bytes(world, 0xcd);
    uint32_t expected = (world->grid.entry_count + 1u) * 4u + world->grid.bucket_count * 8u,
             cleared = 0;
    while (cleared < expected) {
        uint32_t used;
        tp_stage stage;
        CHECK(!tpi_step_advance(world, NULL, 64, &used, &stage));
        uint32_t touched = touched_bytes(world, 0xcd);
        test_note("%u of %u bytes cleared, then %u for %u units", cleared, expected, touched, used);
        if (!CHECK(stage == TP_STAGE_GRID && touched > 0 && touched <= 32u * used)) break;
        cleared += touched;
    }
    CHECK_EQ(cleared, expected);
    test_world_free(&made);
}

static void grid_order_does_not_depend_on_history(void)
{
    test_world a = grid_world(2, 700, UNIFORM, true, 40);
    test_world b = grid_world(2, 700, UNIFORM, true, 40);
    tp_view view = tp_world_view(b.world);
    uint32_t *ids = tpi_words(b.world, b.world->arrays.id);
    for (uint32_t i = 0; i < 350; i++) { /* the same particles in another storage order */
        uint32_t j = 699 - i, id = ids[i];
        float x = view.x[i], y = view.y[i];
        CHECK(tp_particle_set(b.world, i, (tp_vector){view.x[j], view.y[j], 0},
                              (tp_vector){0, 0, 0}) == TP_OK);
        CHECK(tp_particle_set(b.world, j, (tp_vector){x, y, 0}, (tp_vector){0, 0, 0}) == TP_OK);
        ids[i] = ids[j];
        ids[j] = id;
    }
    CHECK_EQ(tp_world_hash(a.world), tp_world_hash(b.world));
    for (uint32_t frame = 0; frame < 5; frame++) {
        test_world_frames(a.world, 1);
        test_world_frames(b.world, 1);
        CHECK_EQ(tp_world_hash(a.world), tp_world_hash(b.world));
        CHECK(memcmp(tp_world_view(a.world).id, tp_world_view(b.world).id,
                     700 * sizeof(uint32_t)) == 0);
    }
    test_world_free(&a);
    test_world_free(&b);
}

static const test_case cases[] = {
    TEST_CASE(r_16_pairs_equal_brute_force),
    TEST_CASE(r_15_pairs_of_full_cells_equal_brute_force),
    TEST_CASE(a_stencil_does_not_depend_on_the_last_one),
    TEST_CASE(a_group_has_the_candidates_of_its_cells),
    TEST_CASE(r_17_pairs_in_boxes_equal_brute_force),
    TEST_CASE(pairs_of_all_sizes_equal_brute_force),
    TEST_CASE(pairs_of_crowds_equal_brute_force),
    TEST_CASE(neighbour_cap_looks_at_all_sizes),
    TEST_CASE(density_does_not_depend_on_the_arrangement),
    TEST_CASE(neighbour_cap_keeps_the_mutually_nearest),
    TEST_CASE(crowded_cell_takes_the_lowest_ids_and_counts_the_rest),
    TEST_CASE(a_dense_table_gives_the_bits_and_units_of_the_hashed_one),
    TEST_CASE(the_tables_are_cleared_slice_by_slice),
    TEST_CASE(grid_order_does_not_depend_on_history)};
TEST_SUITE(grid, cases);
