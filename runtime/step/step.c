/* SPDX-License-Identifier: MIT
   runtime/step/step.c - the step of one world: a resumable state machine over its stages.
   reads   the front set      writes  the back set, then exchanges them
   memory  the step's record in the block      cost  one slice per call, see TP_STAGE_LIST for units
   after   own design: nothing that a reader or a restarted step reads changes before
           step_exchange */
#include "step.h"
#include "stages_lanes.h"
#include "../world/solver.h"
#include "../world/load.h"
#include "../world/event.h"
#include "../emit/emit.h"
#include "../solve/solve.h"
#include "../move/collide.h"
#include "../move/body.h"

/* ---- the end of a step ---- */

static void step_count_dropped(tp_world *world)
{
    tp_report *report = &world->report;
    const tpi_step *step = &world->step;
    if (!step->neighbours_dropped) return;
    report->neighbours_dropped += step->neighbours_dropped;
    report->neighbours_dropped_frame = world->clock.frame;
    report->neighbours_dropped_share = (float)step->neighbours_dropped / (float)step->ends_found;
}

/* Adds the counters of pairs and lists to the report: of a step, or of priming before it. */
static void step_count_pairs(tp_world *world)
{
    tp_report *report = &world->report;
    tp_pool_report *pool = &world->pairs_pool;
    const tpi_step *step = &world->step;
    report->pairs = step->pairs_found;
    report->neighbours_largest = step->neighbours_largest;
    step_count_dropped(world);
    report->particles_skipped += step->particles_skipped;
    report->killed_particles += step->killed;
    pool->used = step->pair_count;
    pool->peak = tpi_max_u32(pool->peak, step->pair_count);
    pool->refused += step->neighbours_dropped;
}

static void step_count_compression(tp_world *world)
{
    tp_report *report = &world->report;
    const tpi_step *step = &world->step;
    report->compression =
        (float)step->compression / (TPI_COMPRESSION_SCALE * (float)tpi_max_u32(step->count, 1u));
    report->compression_max = (float)step->compression_max * (1.0f / TPI_COMPRESSION_SCALE);
}

static void step_count_forces(tp_world *world)
{
    tp_report *report = &world->report;
    const tpi_step *step = &world->step;
    report->overlaps_guarded += step->overlaps_guarded;
    report->collisions += step->collisions;
    report->overlaps_unresolved += step->overlaps_unresolved;
    world->impulse_sum += step->impulse_sum;
    world->impulse_ticks += step->ticks;
    report->links_dropped += step->links_dropped;
    report->links_guarded += step->links_guarded;
    report->link_forces_clamped += step->link_forces_clamped;
}

static void step_count_vortices(tp_world *world)
{
    tp_report *report = &world->report;
    const tpi_step *step = &world->step;
    report->strengths_limited += step->strengths_limited;
    report->vortons_merged += step->vortons_merged;
    report->vortons_split += step->vortons_split;
    report->vortices_fast += step->vortices_fast;
}

static void step_count_up(tp_world *world)
{
    tp_report *report = &world->report;
    const tpi_step *step = &world->step;
    report->steps++;
    report->steps_in_frame++;
    report->step_ticks = step->ticks;
    report->timestep = step->timestep;
    report->courant = tpi_from_bits(step->courant_bits);
    report->strain = tpi_from_bits(step->strain_bits);
    if (TPI_HAS_DFSPH) step_count_compression(world);
    report->born += step->birth_count;
    report->died += step->died;
    report->recycled += step->recycled;
    step_count_pairs(world);
    report->displacements_clamped += step->displacements_clamped;
    report->steps_shortened += step->restarts;
    report->steps_strained += tpi_substep_is_strained(world);
    report->speeds_clamped += step->speeds_clamped;
    report->contacts = step->contacts;
    report->contacts_limited += step->contacts_limited;
    report->pushed_out += step->pushed_out;
    if (TPI_HAS_ROOMS) {
        report->room_hops += step->room_hops;
        report->rooms_limited += step->rooms_limited;
        report->rooms_missed += step->rooms_missed;
        report->rooms_exceeded += step->rooms_exceeded;
    }
    report->walls_limited += step->walls_limited;
    report->links_broken += step->links_broken;
    if (TPI_HAS_PAIR) step_count_forces(world);
    if (TPI_HAS_VORTEX) step_count_vortices(world);
    if (TPI_HAS_SPRINGS) {
        report->springs_removed += step->springs_removed;
        report->springs_dropped += step->springs_dropped;
        report->springs = step->springs;
    }
    world->births_refused += step->births_refused;
    report->feeds_dropped += step->feeds_found - step->feeds_kept;
    report->births_limited += step->feed_births_limited;
}

/* Exchanges front and back: the only moment at which the world changes for its readers.
   O(emitters) */
static void step_exchange(tp_world *world)
{
    tpi_step *step = &world->step;
    tpi_arrays_exchange(&world->arrays, world->def.keeps_births);
    world->front ^= 1u;
    world->changes++;
    world->count = step->cursor.j;
    world->count_peak = tpi_max_u32(world->count_peak, world->count);
    bool is_whole = world->count == step->survivor_count && step->count == step->survivor_count;
    world->forces_fresh = world->list_valid = false;
    tpi_solver_exchange(world, is_whole);
    if (step->list_built && !step->is_priming) world->report.lists_built++;
    world->links_placed = world->links_placed && step->has_links && step->count == world->count;
    tpi_events_end(world);
}

static TPI_APART void step_end(tp_world *world)
{
    tpi_step *step = &world->step;
    step_exchange(world);
    world->step_units_last = world->step_units;
    step_count_up(world);
    tpi_emit_end(world);
    world->clock.next_id += step->birth_count;
    tpi_substep_end(world, tpi_from_bits(step->courant_bits));
    if (tpi_bodies_used(world)) tpi_bodies_commit(world);
    tpi_loads_end(world);
    if (!world->clock.frame_begun) tpi_changes_apply(world);
    step->active = false;
}

/* ---- the state machine ---- */

/* Ends priming: the forces of the front set are known. Then the step itself begins, and its units
   continue from those of priming. */
static void step_end_priming(tp_world *world)
{
    uint64_t units = world->step_units;
    step_exchange(world);
    step_count_pairs(world);
    if (!world->step.ticks) {
        world->step.active = false;
        return;
    }
    tpi_step_begin(world, world->step.ticks);
    world->step_units = units;
}

static void step_clear(tp_world *world, uint32_t ticks)
{
    tpi_step *step = &world->step;
    tpi_memset(step, 0, sizeof *step);
    step->active = true;
    if (TPI_LANES > 1) step->by_vectors = true;
    step->ticks = ticks;
    tpi_memcpy(step->radius_squared, world->constants.levels.list_squared,
               sizeof step->radius_squared);
    step->front_count = world->count;
    step->stage = TP_STAGE_MOVE;
    step->has_links = tpi_links_used(world) > 0;
    world->step_units = 0;
}

/* Makes a step compute only the forces of the front set. Link forces are never kept; the solver
   only needs the indices of link ends. */
static void step_prime(tp_world *world)
{
    world->step.is_priming = true;
    if (world->step.has_links && !world->links_placed) world->step.stage = TP_STAGE_LINKS;
}

void tpi_step_begin_priming(tp_world *world)
{
    tpi_step_cancel(world);
    step_clear(world, 0);
    step_prime(world);
}

/* Copies (latches) all poses at the start of a frame, so that a game that moves things between two
   calls moves all of them in the same frame. Returns units: 2 per collider and 1 per 4 emitters;
   the following slices pay them. */
static uint32_t step_begin_frame(tp_world *world)
{
    if (world->clock.frame_begun) return 0;
    tpi_emitters_begin_frame(world);
    tpi_colliders_begin_frame(world);
    world->clock.frame_begun = true;
    return 2u * tpi_colliders_end(world) + tpi_emitters_end(world) / 4u + tpi_changes_units(world);
}

void tpi_step_begin(tp_world *world, uint32_t ticks)
{
    tpi_step *step = &world->step;
    uint32_t begun = step_begin_frame(world) + tpi_loads_begin(world);
    step_clear(world, ticks);
    step->half_units_ahead = 2u * (begun + tpi_emitters_end(world) / 4u);
    tpi_fields_begin_step(world);
    if (tpi_solver_must_prime(world)) {
        step_prime(world);
        return;
    }
    if (step->has_links) step->stage = TP_STAGE_LINKS;
    tpi_emit_begin(world);
    step->timestep = tpi_substep_seconds(world, ticks, world->clock.stable_fraction);
    if (world->def.pool_policy != TP_POOL_RECYCLE) return;
    uint64_t wanted =
        (uint64_t)world->count + tpi_min_u32(tpi_emit_plan(world), tpi_ids_left(world));
    if (wanted <= world->def.particles_max || world->count == 0) return;
    step->recycles = true;
    step->recycle_count =
        (uint32_t)tpi_min_u32((uint32_t)(wanted - world->def.particles_max), world->count);
    if (!step->has_links) step->stage = TP_STAGE_RECYCLE;
}

static tp_stage step_next(tp_world *world)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_RECYCLE: return TP_STAGE_MOVE;
    case TP_STAGE_COLLIDE: return TP_STAGE_EMIT;
    case TP_STAGE_EMIT: return TP_STAGE_COMMIT;
    default: break;
    }
    tp_stage next = tpi_solver_next(world);
    if (next != TP_STAGE_COLLIDE || !world->step.is_priming) return next;
    world->step.survivor_count = world->step.count;
    return TP_STAGE_COMMIT;
}

bool tpi_step_is_shared(const tp_world *world, const tp_jobs *jobs)
{
    const tpi_step *step = &world->step;
    bool is_early = step->stage == TP_STAGE_MOVE || step->stage == TP_STAGE_GRID;
    /* cells of one size only: see runtime/grid/pairs.c */
    bool is_nearest = step->stage == TP_STAGE_NEAREST && world->constants.levels.count == 1u;
    bool is_long =
        step->active && (is_early || step->stage == TP_STAGE_PAIRS || is_nearest ||
                         step->stage == TP_STAGE_PRESSURE || step->stage == TP_STAGE_FORCE ||
                         step->stage == TP_STAGE_COLLIDE || step->stage == TP_STAGE_COMMIT);
    return is_long && tpi_solver_is_shared(world) &&
           tpi_team_is_worth(jobs, is_early ? step->front_count : step->count);
}

bool tpi_step_has_team(const tp_world *world, const tp_jobs *jobs)
{
    const tpi_step *step = &world->step;
    bool is_early = step->stage == TP_STAGE_MOVE || step->stage == TP_STAGE_GRID;
    bool has_ranges = is_early || step->stage == TP_STAGE_PRESSURE ||
                      step->stage == TP_STAGE_COLLIDE || step->stage == TP_STAGE_COMMIT;
    return tpi_step_is_shared(world, jobs) ||
           (has_ranges && tpi_team_is_worth(jobs, is_early ? step->front_count : step->count));
}

/* ---- vector width ---- */

uint32_t tp_lanes(void)
{
#if TIDEPOOL_DISPATCH && TPI_LANES < 16
    /* what the wider passes are compiled for: base/pass.h */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return TPI_LANES;
#if TP_LANES_MAX >= 16
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        !tpi_stage_contracts_16())
        return 16;
#endif
    if (TPI_LANES < 8 && TP_LANES_MAX >= 8) return 8;
#endif
    return TPI_LANES;
}

/* Numbers in the vectors of a stage: at most lanes_max, but at least those of the build's flags. */
static uint32_t step_lanes(uint32_t lanes_max)
{
    uint32_t lanes = tp_lanes();
    if (!lanes_max || lanes <= lanes_max) return lanes;
    return TPI_LANES < 8 && lanes_max >= 8 ? 8 : TPI_LANES; /* lanes is 16 */
}

/* Asks for the width again for each slice: a block may have moved to another machine since the last
   one. */
static uint32_t step_run(tp_world *world, const tp_budget *budget, uint32_t units, bool *done)
{
    const tp_jobs *jobs = budget ? budget->jobs : NULL;
    if (TIDEPOOL_JOBS && jobs) world->step.is_divided = true;
    uint32_t lanes = step_lanes(budget ? budget->lanes_max : 0);
    world->report.lanes = lanes;
#if TIDEPOOL_DISPATCH
#if TP_LANES_MAX >= 16
    if (TPI_LANES < 16 && lanes == 16) return tpi_stage_run_16(world, jobs, units, done);
#endif
#if TPI_LANES < 8
    if (lanes == 8) return tpi_stage_run_8(world, jobs, units, done);
#endif
#endif
    return tpi_stage_run(world, jobs, units, done);
}

/* Runs a slice that first pays the overrun of earlier slices, then works in the stage with the
   remaining units. If the last item exceeds them, the overrun is charged to the following slices.
   So no slice is charged more than its units, and the cost of a step does not depend on how it is
   sliced. */
static uint32_t step_run_paid(tp_world *world, const tp_budget *budget, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t used = tpi_min_u32(step->half_units_ahead / 2u, units);
    step->half_units_ahead -= 2u * used;
    if (used < units && !step->is_paying)
        used += step_run(world, budget, units - used, &step->is_paying);
    if (used > units) {
        step->half_units_ahead += 2u * (used - units);
        used = units;
    }
    *done = step->is_paying && step->half_units_ahead < 2u;
    if (*done) step->is_paying = false;
    return used;
}

/* Begins the step again with fewer ticks if its strain is too large; false if it may go on. Its
   units continue from those of the longer step. */
static TPI_APART bool step_shorten(tp_world *world)
{
    tpi_substep_restart restart = tpi_substep_shorter(world);
    uint64_t units = world->step_units;
    uint32_t restarts = world->step.restarts;
    if (!restart.ticks) return false;
    tpi_step_begin(world, restart.ticks);
    world->step.timestep = restart.timestep;
    world->step.restarts = restarts + 1u;
    world->step_units = units;
    return true;
}

/* The smallest cost of a step: a step without particles passes through all stages too, and a frame
   may owe thousands of steps. The choice of the next time step ignores it. */
#define TPI_STEP_LEAST 4u

bool tpi_step_advance(tp_world *world, const tp_budget *budget, uint32_t units, uint32_t *used,
                      tp_stage *stage)
{
    tpi_step *step = &world->step;
    bool done = false;
    *stage = (tp_stage)step->stage;
    *used = step_run_paid(world, budget, units, &done);
    world->step_units += *used;
    if (!done) return false;
    if (step->stage == TP_STAGE_COMMIT && !step->is_priming) {
        if (world->step_units < TPI_STEP_LEAST)
            *used += TPI_STEP_LEAST - (uint32_t)world->step_units;
        step_end(world);
        return true;
    }
    if (step->stage == TP_STAGE_COMMIT) {
        step_end_priming(world);
        return false;
    }
    if (step->stage == TP_STAGE_PRESSURE && step_shorten(world)) return false;
    step->stage = step_next(world);
    step->cursor = (tpi_cursor){0};
    return false;
}

#undef TPI_STEP_LEAST
