/* SPDX-License-Identifier: MIT
   runtime/solve/pair/solver.c - the solver of pair forces: its definition, arrays, and order of
           stages.
   reads   tp_world_def, the step's record      writes  constants, the next stage
   memory  see tpi_pair_layout                  cost    O(species^2) to create, O(1) per stage
   after   velocity Verlet (Swope et al. 1982); neighbour lists with a skin (Verlet 1967) */
#include "pair.h"
#include "../../world/check.h"
#include "../../grid/grid.h"

/* ---- definition ---- */

void tpi_pair_default(tp_world_def *def)
{
    def->pair = (tp_pair){.cutoff = 2.5f,
                          .overlap = 0.7f,
                          .skin = 0.3f,
                          .timestep_max = 0.01f,
                          .restitution = 1.0f,
                          .contact_iterations = 4,
                          .link_force_max = 1e6f,
                          .neighbours_max = def->dimensions == 3 ? 128 : 40,
                          .cell_max = 255,
                          .stores_neighbours = true};
}

uint32_t tpi_pair_traits(const tp_world_def *def)
{
    (void)def;
    return TPI_SOLVER_NEIGHBOURS | TPI_SOLVER_KICKS | TPI_SOLVER_LINKS | TPI_SOLVER_BOX;
}

const char *tpi_pair_check_ranges(const tp_world_def *def)
{
    static const tpi_integer_row integers[] = {
        TPI_ROW(pair.contact_iterations, 1, 64), TPI_ROW(pair.neighbours_max, 4, 255),
        TPI_ROW(pair.cell_max, 4, 255),          TPI_ROW(pair.mix_count, 0, 28),
        TPI_ROW(pair.table_max, 0, 4097),
    };
    static const tpi_number_row numbers[] = {
        TPI_NUMBER_ROW(pair.cutoff, 1, 8),        TPI_NUMBER_ROW(pair.overlap, 0.0625, 1),
        TPI_NUMBER_ROW(pair.skin, 0, 2),          TPI_NUMBER_ROW(pair.timestep_max, 1e-6, 1),
        TPI_NUMBER_ROW(pair.temperature, 0, 1e6), TPI_NUMBER_ROW(pair.friction, 0, 1e4),
        TPI_NUMBER_ROW(pair.restitution, 0, 1),   TPI_NUMBER_ROW(pair.link_force_max, 1e-6, 1e12),
    };
    return TPI_CHECK_ROWS(def, integers, numbers);
}

static const char *pair_check_mix(const tp_world_def *def)
{
    for (uint32_t k = 0; k < def->pair.mix_count; k++) {
        const tp_pair_mix *mix = &def->pair.mix[k];
        if (mix->first >= def->species_count || mix->second >= def->species_count)
            return TPI_TEXT("pair.mix.first and second must be below species_count");
        if (mix->epsilon != 0.0f && !tpi_is_within(mix->epsilon, 1e-6f, 1e6f))
            return TPI_TEXT("pair.mix.epsilon must be 0, or 1e-6 to 1e6");
        if (!tpi_is_within(mix->sigma, 1e-4f, 1e4f))
            return TPI_TEXT("pair.mix.sigma must be 1e-4 to 1e4");
    }
    return NULL;
}

/* The Lennard-Jones force overflows much below half a sigma. */
static const char *pair_check_potential(const tp_pair *pair)
{
    if ((uint32_t)pair->potential > TP_POTENTIAL_LJ_FORCE_SHIFT)
        return TPI_TEXT("pair.potential must be a TP_POTENTIAL_ value");
    if (pair->cutoff - pair->overlap < 0.05f)
        return TPI_TEXT("pair.cutoff must be 0.05 or more above pair.overlap");
    if (pair->potential == TP_POTENTIAL_TABLE)
        return pair->table_max < 5u
                   ? TPI_TEXT("pair.table_max must be 5 to 4097 with TP_POTENTIAL_TABLE")
                   : NULL;
    if (pair->table_max) return TPI_TEXT("pair.table_max must be 0 without TP_POTENTIAL_TABLE");
    if (pair->overlap < 0.5f)
        return TPI_TEXT("pair.overlap must be 0.5 to 1 without TP_POTENTIAL_TABLE");
    return NULL;
}

const char *tpi_pair_check(const tp_world_def *def)
{
    if (def->integrator != TP_INTEGRATOR_KDK)
        return TPI_TEXT(
            "integrator must be TP_INTEGRATOR_KDK with TP_SOLVER_PAIR: its energy is to be kept");
    for (uint32_t s = 0; s < def->species_count; s++)
        if (def->species[s].is_tracer)
            return TPI_TEXT("species.is_tracer needs TP_SOLVER_NONE: a tracer feels no force");
    const char *text = pair_check_potential(&def->pair);
    if (!text) text = pair_check_mix(def);
    if (!text)
        text = tpi_box_check(def, 2.0f * tpi_pair_cutoff(def),
                             TPI_TEXT("box_size must be at least twice the longest cutoff, and at "
                                      "most 1e6"));
    if (text || tpi_frame_seconds(def) <= 101.0f * def->pair.timestep_max) return text;
    return TPI_TEXT("frames_per_second must be high enough for 101 sub-steps of pair.timestep_max "
                    "to cover a frame");
}

const char *tpi_pair_oversize(const tp_world_def *def)
{
    (void)def;
    return TPI_TEXT("particles_max times pair.neighbours_max asks for a block of more than 4 GiB: "
                    "lower one of them, or "
                    "store no neighbours");
}

float tpi_pair_timestep_max(const tp_world_def *def) { return def->pair.timestep_max; }

/* True if threads may share the pairs: along lists, where each thread has sums of its own. */
static bool pair_may_share(const tp_world_def *def)
{
    return def->pair.stores_neighbours && !tpi_def_is_hard(def);
}

/* Lists are half lists, which hold each pair at one of its particles. Measured with 4, 8 and 16
   lanes, full lists take 2.2, 1.3 and 1.0 times the instructions, and twice the memory. */
tpi_neighbour_needs tpi_pair_needs(const tp_world_def *def)
{
    bool stores = def->pair.stores_neighbours;
    return (tpi_neighbour_needs){.neighbours_max = def->pair.neighbours_max,
                                 .cell_max = def->pair.cell_max,
                                 .list_capacity = stores ? def->pair.neighbours_max / 2u : 0u,
                                 .list_shift = tpi_def_is_hard(def) ? 0u : 2u,
                                 .saves_memory = true,
                                 .keeps_lists = stores && def->pair.skin > 0.0f};
}

/* ---- block ---- */

uint32_t tpi_pair_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char names[3][12] = {"pushed x", "pushed y", "pushed z"};
    bool is_hard = tpi_def_is_hard(def);
    for (uint32_t axis = 0; axis < tpi_def_dimensions(def) && is_hard; axis++)
        arrays->own[TPI_PAIR_PUSHED + axis] =
            tpi_layout_take(layout, names[axis], def->particles_max, 4);
    if (def->pair.potential == TP_POTENTIAL_TABLE)
        arrays->own[TPI_PAIR_TABLE] =
            tpi_layout_take(layout, "pair table", def->pair.table_max, sizeof(tpi_table_row));
    if (!is_hard && def->pair.stores_neighbours) {
        arrays->own[TPI_PAIR_PACKED] = tpi_layout_take(layout, "packed", def->particles_max, 16);
        arrays->own[TPI_PAIR_SUMS] = tpi_layout_take(layout, "force sums", def->particles_max, 16);
    }
    return (uint32_t)sizeof(tpi_pair_constants);
}

const char *tpi_pair_audit(const tp_world *world, uint64_t *offset)
{
    return world->arrays.own[TPI_PAIR_TABLE] ? tpi_pair_table_audit(world, offset) : NULL;
}

/* ---- step ---- */

bool tpi_pair_must_prime(const tp_world *world)
{
    return !tpi_is_hard(world) && !world->forces_fresh;
}

/* Pair forces: skips the grid if the list of the last step is still valid. */
static tp_stage pair_after_move(tp_world *world)
{
    tpi_step *step = &world->step;
    world->list_valid = world->list_valid && !step->list_broken;
    if (!world->list_valid) return TP_STAGE_GRID;
    step->count = step->front_count;
    step->pairs_found = world->report.pairs;
    step->pair_count = world->pairs_pool.used;
    step->neighbours_largest = world->report.neighbours_largest;
    return TP_STAGE_FORCE;
}

/* If all forces are off, lists are not read: none is built. */
static tp_stage pair_after_grid(tp_world *world)
{
    if (!tpi_pair_of(world)->is_off) return TP_STAGE_PAIRS;
    world->step.list_built = true;
    return TP_STAGE_FORCE;
}

/* Pair forces: the neighbour limit uses the cutoff without the skin. */
static tp_stage pair_after_list(tp_world *world)
{
    tpi_step *step = &world->step;
    step->pairs_found = step->pairs;
    step->particles_skipped = step->crowded;
    tpi_memcpy(step->radius_squared, world->constants.levels.cutoff_squared,
               sizeof step->radius_squared);
    if (step->neighbours_largest <= world->constants.neighbours_max) return TP_STAGE_FORCE;
    step->capped = true;
    step->ends_found = 2u * step->pairs_found;
    return TP_STAGE_NEAREST;
}

static tp_stage pair_after_force(tp_world *world)
{
    tpi_step *step = &world->step;
    step->neighbours_dropped = step->ends_dropped;
    if (!tpi_has_links(world) || step->closes_links) return TP_STAGE_COLLIDE;
    step->closes_links = true;
    return TP_STAGE_LINKS;
}

static tp_stage pair_after_links(tp_world *world)
{
    if (world->step.closes_links) return pair_after_force(world);
    return world->step.recycles ? TP_STAGE_RECYCLE : TP_STAGE_MOVE;
}

tp_stage tpi_pair_next(tp_world *world)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_LINKS: return pair_after_links(world);
    case TP_STAGE_MOVE: return pair_after_move(world);
    case TP_STAGE_GRID: return pair_after_grid(world);
    case TP_STAGE_PAIRS: return pair_after_list(world);
    case TP_STAGE_NEAREST: world->step.capped = true; return TP_STAGE_FORCE;
    case TP_STAGE_FORCE: return pair_after_force(world);
    default: TP_ASSERT(false); return TP_STAGE_COLLIDE;
    }
}

#define PAIR_NOISE_UNITS 2u /* cost of an exponential, a root and 4 or 6 random numbers */
uint32_t tpi_pair_kick_units(const tp_world *world)
{
    return (world->def.pair.friction > 0.0f ? PAIR_NOISE_UNITS : 0u) +
           (world->step.has_links ? 1u : 0u);
}

#undef PAIR_NOISE_UNITS

bool tpi_pair_is_shared(const tp_world *world) { return pair_may_share(&world->def); }

void tpi_pair_exchange(tp_world *world, bool is_whole)
{
    const tpi_step *step = &world->step;
    bool is_off = tpi_pair_of(world)->is_off;
    world->forces_fresh = is_whole && (!step->forces_stale || is_off);
    /* the particles that cell_max excludes must not depend on when a list was built */
    world->list_valid = world->constants.keeps_lists && is_whole && !step->capped &&
                        !step->list_overflowed && (is_off || !step->may_crowd);
}

bool tpi_pair_splits(tp_world *world, uint32_t index, tp_vector x, tp_vector *aside)
{
    (void)world, (void)index, (void)x, (void)aside;
    return false;
}
