/* SPDX-License-Identifier: MIT
   tests/solver/toy.c - a solver on one page: particles closer than a radius repel each other, in
           2D.
   reads   back positions
   writes  force (integer impulses), and a count of contacts per particle, an array of its own
   memory  4 bytes per particle, 4 for constants      cost  one visit per pair
   after   own design: a linear repulsion, a (1 - r / h) along the line of centres; symplectic
           Euler */
#include "toy.h"
#include "grid/grid.h"
#include "grid/sweep.h"

typedef struct toy_constants {
    float radius; /* m: sph.smoothing_radius of the definition */
} toy_constants;
static toy_constants *toy_of(const tp_world *world)
{
    return (toy_constants *)tpi_at(world, world->arrays.solver);
}

/* ---- definition ---- */

void tpi_toy_default(tp_world_def *def) { (void)def; }

uint32_t tpi_toy_traits(const tp_world_def *def)
{
    (void)def;
    return TPI_SOLVER_NEIGHBOURS;
}

const char *tpi_toy_check_ranges(const tp_world_def *def)
{
    (void)def;
    return NULL;
}

const char *tpi_toy_check(const tp_world_def *def)
{
    return def->dimensions == 2 ? NULL : "dimensions must be 2 with the toy";
}

const char *tpi_toy_oversize(const tp_world_def *def)
{
    (void)def;
    return "particles_max asks for a block of more than 4 GiB";
}

float tpi_toy_timestep_max(const tp_world_def *def)
{
    (void)def;
    return 0.01f;
}

tpi_neighbour_needs tpi_toy_needs(const tp_world_def *def)
{
    return (tpi_neighbour_needs){.neighbours_max = def->sph.neighbours_max,
                                 .cell_max = def->sph.cell_max};
}

bool tpi_toy_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box)
{
    (void)def, (void)levels, (void)box;
    return false;
}

/* ---- block ---- */

uint32_t tpi_toy_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    arrays->own[TOY_MET] = tpi_layout_take(layout, "toy meetings", def->particles_max, 4);
    return (uint32_t)sizeof(toy_constants);
}

void tpi_toy_prepare(tp_world *world, const tp_world_def *def) { (void)world, (void)def; }

void tpi_toy_derive(tp_world *world)
{
    tpi_constants *constants = &world->constants;
    float radius = world->def.sph.smoothing_radius;
    toy_of(world)->radius = radius;
    constants->smoothing_radius = radius;
    constants->radius_squared = radius * radius;
    constants->cell_inverse = 1.0f / (radius * TPI_CELL_MARGIN);
    constants->levels.count = 1;
    constants->levels.list_squared[0][0] = radius * radius;
}

const char *tpi_toy_audit(const tp_world *world, uint64_t *offset)
{
    *offset = world->arrays.solver;
    return toy_of(world)->radius > 0.0f ? NULL : "a radius above 0";
}

/* ---- step ---- */

bool tpi_toy_must_prime(const tp_world *world)
{
    (void)world;
    return false;
}

static void toy_meet(const tp_world *world, const void *context, uint32_t i,
                     const uint32_t *partners, const float *squares, uint32_t count,
                     tpi_tally *tally)
{
    const toy_constants *toy = (const toy_constants *)context;
    const float *x = tpi_back_x(world, 0), *y = tpi_back_x(world, 1);
    int32_t *to_x = tpi_integers(world, world->arrays.force[0]),
            *to_y = tpi_integers(world, world->arrays.force[1]);
    uint32_t *met = tpi_words(world, world->arrays.own[TOY_MET]);
    float scale = TOY_SPEED * world->step.timestep * TOY_COUNTS_PER_IMPULSE;
    (void)tally;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = partners[k];
        float distance = tpi_sqrt(squares[k]), share = 1.0f - distance / toy->radius;
        if (!(distance > 0.0f && share > 0.0f)) continue;
        int32_t push_x = (int32_t)((x[j] - x[i]) / distance * share * scale);
        int32_t push_y = (int32_t)((y[j] - y[i]) / distance * share * scale);
        to_x[i] -= push_x, to_x[j] += push_x;
        to_y[i] -= push_y, to_y[j] += push_y;
        met[i]++, met[j]++;
    }
}
TPI_SWEEP_GRID(toy_sweep, toy_meet, .dimensions = 2)

static uint32_t toy_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t begin = step->cursor.i, count = tpi_min_u32(units, step->count - begin);
    const uint32_t arrays[3] = {world->arrays.force[0], world->arrays.force[1],
                                world->arrays.own[TOY_MET]};
    for (uint32_t k = 0; k < 3; k++)
        tpi_memset(tpi_words(world, arrays[k]) + begin, 0, (size_t)count * 4u);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return count;
}

static uint32_t toy_push(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    bool is_clear = false;
    if (world->step.cursor.phase == 1u) return toy_sweep(world, jobs, units, toy_of(world), done);
    uint32_t used = toy_clear(world, units, &is_clear);
    if (is_clear) world->step.cursor = (tpi_cursor){.phase = 1u};
    return used;
}

uint32_t tpi_toy_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    return world->step.stage == TP_STAGE_GRID ? tpi_grid_build(world, jobs, units, done)
                                              : toy_push(world, jobs, units, done);
}

tp_stage tpi_toy_next(tp_world *world)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_MOVE: return TP_STAGE_GRID;
    case TP_STAGE_GRID: return TP_STAGE_FORCE;
    default: return TP_STAGE_COLLIDE;
    }
}

bool tpi_toy_is_shared(const tp_world *world)
{
    (void)world;
    return false;
}

void tpi_toy_exchange(tp_world *world, bool is_whole) { (void)world, (void)is_whole; }

/* ---- particles ---- */

uint32_t tpi_toy_kick_units(const tp_world *world)
{
    (void)world;
    return 0;
}

bool tpi_toy_splits(tp_world *world, uint32_t index, tp_vector x, tp_vector *aside)
{
    (void)world, (void)index, (void)x, (void)aside;
    return false;
}

void tpi_toy_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                  const tpi_lanes x[3], tpi_lanes velocity[3])
{
    (void)world, (void)plan, (void)i, (void)bits, (void)x, (void)velocity;
}

bool tpi_toy_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                   const tpi_lanes velocity[3])
{
    (void)world, (void)i, (void)count, (void)x, (void)velocity;
    return true;
}

void tpi_toy_close(const tp_world *world, const tpi_field_plan *plan, uint32_t first,
                   uint32_t count, tpi_lanes from[3], tpi_lanes to[3], tpi_lanes velocity[3])
{
    (void)plan, (void)count, (void)from;
    for (uint32_t axis = 0; axis < 2; axis++) {
        const int32_t *impulse = tpi_integers(world, world->arrays.force[axis]) + first;
        tpi_lanes gained =
            tpi_lanes_from_ints(tpi_lane_ints_load(impulse)) * (1.0f / TOY_COUNTS_PER_IMPULSE);
        to[axis] = to[axis] + gained * world->step.timestep;
        velocity[axis] = velocity[axis] + gained;
    }
}

uint32_t tpi_toy_holds(const tp_world *world, uint32_t first, uint32_t count)
{
    (void)world, (void)first, (void)count;
    return 0;
}
