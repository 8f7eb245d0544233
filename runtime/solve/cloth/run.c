/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/run.c - the stage FORCE of cloth: air, constraints colour by colour, tethers,
           ties, contacts, and the back set.
   reads   front positions, kicked velocities      writes  kicked velocities, the back set
   memory  weights in the memory of next births
   cost    units: 2 per particle, 1 per constraint (2 with wear), 1 per node if nodes are pinned, 8
           per tie, 3 per fold; in air, 2 per triangle and 1 per field, 4 with noise; with a
           thickness, see touch.h; implicit springs per iteration 1 per constraint and 5 per node
   after   own design: an integrator is a function of a vector of constraints, see xpbd_lanes.h,
           explicit_lanes.h and implicit_lanes.h. The constraints of a colour share no nodes: any
           number of them may be computed at once, with the same bits */
#include "cloth_lanes.h"
#include "xpbd_lanes.h"
#include "explicit_lanes.h"
#include "implicit_lanes.h"
#include "graze.h"
#include "../../grid/grid_lanes.h"
#include "../../world/event.h"
#include "../../world/team.h"

static void cloth_prepare(const tp_world *world, cloth_slice *slice)
{
    const uint32_t *own = world->arrays.own;
    const float dt = world->step.timestep;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        slice->x[axis] = tpi_front_x(world, axis);
        slice->v[axis] = tpi_kicked(world, axis);
    }
    slice->weights = tpi_floats(world, world->arrays.next_birth);
    slice->first = tpi_words(world, own[TPI_CLOTH_FIRST]);
    slice->second = tpi_words(world, own[TPI_CLOTH_SECOND]);
    slice->lengths = tpi_cloth_lengths(world, world->front ^ 1u);
    slice->compliances = tpi_floats(world, own[TPI_CLOTH_COMPLIANCE]);
    slice->anchors = tpi_words(world, own[TPI_CLOTH_ANCHOR]);
    slice->reaches = tpi_floats(world, own[TPI_CLOTH_REACH]);
    slice->timestep = dt;
    slice->damping = world->def.cloth.damping;
    slice->limit = 1.0f + world->def.cloth.limit;
    slice->damped = 1.0f + slice->damping / dt;
    slice->per_square = 1.0f / (dt * dt);
    slice->nodes = tpi_cloth_nodes(world);
    slice->is_split = tpi_cloth_can_split(&world->def) && tpi_cloth_tears_of(world)->used > 0;
    if (!tpi_cloth_has_springs(&world->def)) return;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        slice->before[axis] = tpi_front_v(world, axis);
    slice->rates = tpi_cloth_rates(world);
    slice->ends = tpi_cloth_ends(world);
    if (!tpi_cloth_is_implicit(&world->def)) return;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        slice->gradient[axis] = tpi_cloth_vectors(world, 0, axis);
        slice->direction[axis] = tpi_cloth_vectors(world, 1, axis);
        slice->product[axis] = tpi_cloth_vectors(world, 2, axis);
    }
    slice->firm = tpi_cloth_firm(world);
}

/* ---- weights ---- */

/* Clears the vectors of conjugate gradients. */
static void cloth_clear(const tp_world *world, const cloth_slice *slice, uint32_t begin,
                        uint32_t end)
{
    const uint32_t bytes = (end - begin) * 4u;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_memset(slice->gradient[axis] + begin, 0, bytes);
        tpi_memset(slice->direction[axis] + begin, 0, bytes);
        tpi_memset(slice->product[axis] + begin, 0, bytes);
    }
}

/* Pinned nodes have no weight, and keep their velocities. */
static void cloth_weigh(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                        tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    const float *inverse = tpi_cloth_of(world)->inverse_mass;
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    (void)tally;
    if (tpi_cloth_is_implicit(&world->def)) cloth_clear(world, slice, begin, end);
    for (uint32_t i = begin; i < end; i++) {
        bool is_pinned = i < slice->nodes && slice->reaches[i] == 0.0f;
        slice->weights[i] = is_pinned ? 0.0f : inverse[meta[i] & 7u];
        for (uint32_t axis = 0; is_pinned && axis < tpi_dimensions(world); axis++)
            slice->v[axis][i] = tpi_front_v(world, axis)[i];
    }
}

/* ---- constraints ---- */

TPI_INLINE void cloth_solve_all(const cloth_slice *slice, uint32_t dimensions, uint32_t begin,
                                uint32_t end)
{
    cloth_slice copy; /* which no store into arrays can change; without vectors, stack counts */
    uint32_t k = begin;
    if (TPI_LANES > 1) {
        copy = *slice;
        slice = &copy;
    }
    for (; end - k >= TPI_LANES; k += TPI_LANES) cloth_solve(slice, dimensions, k, TPI_LANES);
    if (k < end) cloth_solve(slice, dimensions, k, end - k);
}

static void cloth_solve_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    (void)tally;
    if (tpi_dimensions(world) == 2)
        cloth_solve_all(slice, 2, begin, end);
    else
        cloth_solve_all(slice, 3, begin, end);
}

static void cloth_spring_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                               tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    const float rate = tpi_cloth_rate_borne(world);
    for (uint32_t k = begin; k < end; k += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - k, TPI_LANES);
        uint32_t fast = tpi_dimensions(world) == 2 ? cloth_spring(slice, 2, k, count, rate)
                                                   : cloth_spring(slice, 3, k, count, rate);
        for (; fast; fast &= fast - 1u) tally->clamped++;
    }
}

static void cloth_load_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                             tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    const float rate = tpi_cloth_rate_borne(world);
    (void)tally;
    for (uint32_t k = begin; k < end; k += TPI_LANES)
        cloth_load_linear(slice, tpi_dimensions(world), k, tpi_min_u32(end - k, TPI_LANES), rate);
}

static void cloth_apply_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    (void)tally;
    for (uint32_t k = begin; k < end; k += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - k, TPI_LANES);
        if (tpi_dimensions(world) == 2)
            cloth_apply_linear(slice, 2, k, count);
        else
            cloth_apply_linear(slice, 3, k, count);
    }
}

/* ---- limit of stretch ---- */

/* A vector of `count` constraints from k on: those that would be longer than the limit become as
   long as it. */
TPI_INLINE void cloth_limit(const cloth_slice *s, uint32_t dimensions, uint32_t k, uint32_t count)
{
    const uint32_t lie = cloth_lie_of(s, k, count);
    cloth_ends a = cloth_ends_of(s->first + k, count, lie),
               b = cloth_ends_of(s->second + k, count, lie);
    tpi_lanes va[3], vb[3], e[3], zero = tpi_lanes_of(0.0f), square = zero;
    tpi_lanes wa, wb, xa, xb, most = tpi_lanes_load(s->lengths + k) * s->limit;
    cloth_read_both(s->weights, &a, &b, &wa, &wb);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        cloth_read_both(s->v[axis], &a, &b, &va[axis], &vb[axis]);
        cloth_read_both(s->x[axis], &a, &b, &xa, &xb);
        e[axis] = (xa - xb) + (va[axis] - vb[axis]) * s->timestep;
        square = square + e[axis] * e[axis];
    }
    tpi_lane_mask acts = tpi_lanes_and(cloth_is_good(square), tpi_lanes_less(zero, wa + wb));
    acts = tpi_lanes_and(acts, tpi_lanes_less(most * most, square));
    acts = tpi_lanes_and(acts, tpi_lanes_less(zero, most)); /* broken: below 0 */
    if (!tpi_lanes_any(acts)) return;
    tpi_lanes length = tpi_lanes_sqrt(square),
              share = tpi_lanes_select(acts, (most - length) / ((wa + wb) * (length * s->timestep)),
                                       zero);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes push = tpi_lanes_select(acts, e[axis], zero) * share;
        cloth_write_both(s->v[axis], &a, &b, va[axis] + push * wa, vb[axis] - push * wb);
    }
}

static void cloth_limit_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    (void)tally;
    for (uint32_t k = begin; k < end; k += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - k, TPI_LANES);
        if (tpi_dimensions(world) == 2)
            cloth_limit(slice, 2, k, count);
        else
            cloth_limit(slice, 3, k, count);
    }
}

/* ---- tethers ---- */

/* A vector of `count` nodes from i on. A pinned node, and one without a tether, is its own anchor,
   at distance 0. */
TPI_INLINE void cloth_pull(const cloth_slice *s, uint32_t dimensions, uint32_t i, uint32_t count)
{
    cloth_ends anchor = cloth_ends_alone(s->anchors + i, count);
    tpi_lanes v[3], e[3], zero = tpi_lanes_of(0.0f), square = zero;
    tpi_lanes reach = tpi_lanes_load(s->reaches + i);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        v[axis] = tpi_lanes_load(s->v[axis] + i);
        tpi_lanes apart = v[axis] - cloth_read(s->v[axis], &anchor);
        e[axis] = (tpi_lanes_load(s->x[axis] + i) - cloth_read(s->x[axis], &anchor)) +
                  apart * s->timestep;
        square = square + e[axis] * e[axis];
    }
    tpi_lane_mask acts =
        tpi_lanes_and(cloth_is_good(square), tpi_lanes_less(reach * reach, square));
    if (!tpi_lanes_any(acts)) return;
    tpi_lanes length = tpi_lanes_sqrt(square);
    tpi_lanes share = tpi_lanes_select(acts, (reach - length) / (length * s->timestep), zero);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes push = tpi_lanes_select(acts, e[axis], zero) * share;
        tpi_lanes_store_first(s->v[axis] + i, v[axis] + push, count);
    }
}

static void cloth_pull_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                             tpi_tally *tally)
{
    const cloth_slice *slice = (const cloth_slice *)context;
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        if (tpi_dimensions(world) == 2)
            cloth_pull(slice, 2, i, count);
        else
            cloth_pull(slice, 3, i, count);
    }
}

/* ---- the back set ---- */

TPI_INLINE void cloth_place_lanes(const tp_world *world, const cloth_slice *slice, uint32_t i,
                                  uint32_t count)
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes v = tpi_lanes_load(slice->v[axis] + i);
        tpi_lanes_store_first(tpi_back_x(world, axis) + i,
                              tpi_lanes_load(slice->x[axis] + i) + v * slice->timestep, count);
        tpi_lanes_store_first(tpi_back_v(world, axis) + i, v, count);
    }
}

/* Particles of which none has died. */
static void cloth_place_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t *order = tpi_words(world, world->arrays.order);
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        cloth_place_lanes(world, (const cloth_slice *)context, i, tpi_min_u32(end - i, TPI_LANES));
    for (uint32_t i = begin; i < end; i++) order[i] = i | (meta[i] & 7u) << 24;
}

/* Leaves out those that have died. */
static void cloth_place_living(tp_world *world, const cloth_slice *slice, uint32_t begin,
                               uint32_t end)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta), *key = tpi_keys(world);
    uint32_t *order = tpi_words(world, world->arrays.order);
    for (uint32_t i = begin; i < end; i++) {
        if (key[i] == TPI_KEY_DEAD) continue;
        uint32_t index = world->step.count++;
        order[index] = i | (meta[i] & 7u) << 24;
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            float v = slice->v[axis][i];
            tpi_back_x(world, axis)[index] = slice->x[axis][i] + v * slice->timestep;
            tpi_back_v(world, axis)[index] = v;
        }
    }
}

static void cloth_place(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                        uint32_t begin, uint32_t end)
{
    tpi_step *step = &world->step;
    if (step->killed + step->died > 0) {
        cloth_place_living(world, slice, begin, end);
        return;
    }
    (void)tpi_team_run(jobs, world, cloth_place_range, slice, begin, end);
    step->count = end;
}

/* ---- the stage ---- */

/* Phases: weights, wear, air, folds, the colours, implicit springs' iterations, the colours of
   stretch in each pass of the limit, volumes, ties, tethers, crossings, contacts, the back set. An
   iteration is three passes over nodes, the colours, and two passes. */
#define CLOTH_WEAR     1u
#define CLOTH_AIR      2u
#define CLOTH_FOLDS    3u
#define CLOTH_COLOUR   4u
#define CLOTH_ITERATE  (CLOTH_COLOUR + TPI_CLOTH_COLOURS)
#define CLOTH_MULTIPLY (CLOTH_ITERATE + TPI_CLOTH_PEAK)
#define CLOTH_PEAK     (CLOTH_MULTIPLY + TPI_CLOTH_COLOURS)
#define CLOTH_LIMIT    (CLOTH_PEAK + 2u)
#define CLOTH_VOLUMES  (CLOTH_LIMIT + TPI_CLOTH_PASSES * (TPI_CLOTH_COLOURS - TPI_CLOTH_STRETCHES))
#define CLOTH_TIES     (CLOTH_VOLUMES + 1u)
#define CLOTH_TETHERS  (CLOTH_VOLUMES + 2u)
#define CLOTH_SUM      (CLOTH_TETHERS + 1u)
#define CLOTH_CLAMP    (CLOTH_TETHERS + 2u)
#define CLOTH_UNTANGLE (CLOTH_TETHERS + 3u)
#define CLOTH_PART     (CLOTH_TETHERS + 4u)
#define CLOTH_PLACE    (CLOTH_TETHERS + 5u)

TPI_INLINE bool cloth_is_multiply(uint32_t phase)
{
    return phase >= CLOTH_MULTIPLY && phase < CLOTH_PEAK;
}
/* True of passes over nodes of an iteration. */
TPI_INLINE bool cloth_is_iterate(uint32_t phase)
{
    return phase >= CLOTH_ITERATE && phase < CLOTH_LIMIT && !cloth_is_multiply(phase);
}
TPI_INLINE uint32_t cloth_phase_part(uint32_t phase)
{
    return phase < CLOTH_MULTIPLY ? phase - CLOTH_ITERATE : phase - CLOTH_PEAK + TPI_CLOTH_PEAK;
}
TPI_INLINE bool cloth_is_colour(uint32_t phase)
{
    return phase >= CLOTH_COLOUR && phase < CLOTH_VOLUMES && !cloth_is_iterate(phase);
}
TPI_INLINE bool cloth_is_limit(uint32_t phase)
{
    return phase >= CLOTH_LIMIT && phase < CLOTH_VOLUMES;
}
/* The colour of a phase that has one. */
TPI_INLINE uint32_t cloth_phase_colour(uint32_t phase)
{
    if (phase < CLOTH_ITERATE) return phase - CLOTH_COLOUR;
    if (phase < CLOTH_PEAK) return phase - CLOTH_MULTIPLY;
    return TPI_CLOTH_STRETCHES + (phase - CLOTH_LIMIT) % (TPI_CLOTH_COLOURS - TPI_CLOTH_STRETCHES);
}
/* True if a phase of the limit is one of the passes. */
TPI_INLINE bool cloth_is_pass(const tp_world *world, uint32_t phase)
{
    const tp_cloth *cloth = &world->def.cloth;
    return cloth->limit > 0.0f &&
           phase < CLOTH_LIMIT + cloth->limit_passes * (TPI_CLOTH_COLOURS - TPI_CLOTH_STRETCHES);
}

/* Range of the items of a phase. */
static uint32_t cloth_phase_begin(const tp_world *world, uint32_t phase)
{
    return cloth_is_colour(phase) ? tpi_cloth_head_of(world)->begin[cloth_phase_colour(phase)] : 0u;
}
static uint32_t cloth_phase_end(const tp_world *world, uint32_t phase, uint32_t nodes)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    if (phase == 0 || phase == CLOTH_PLACE) return world->step.front_count;
    if (phase == CLOTH_WEAR)
        return tpi_cloth_wears(&world->def) ? head->begin[TPI_CLOTH_COLOURS] : 0u;
    if (phase == CLOTH_AIR) return nodes && world->def.cloth.air > 0.0f ? head->triangles : 0u;
    if (phase == CLOTH_FOLDS) return nodes ? tpi_cloth_folds_end(world) : 0u;
    if (phase == CLOTH_VOLUMES) return nodes ? head->cells : 0u;
    if (cloth_is_iterate(phase)) return nodes;
    if (phase == CLOTH_TIES) return tpi_cloth_ties_end(world);
    if (phase == CLOTH_TETHERS) return head->pinned ? nodes : 0u;
    if (phase == CLOTH_UNTANGLE && !tpi_def_grazes(&world->def)) return 0;
    if (phase > CLOTH_TETHERS) return tpi_cloth_is_touched(world) ? nodes : 0u;
    return head->begin[cloth_phase_colour(phase) + (nodes ? 1u : 0u)];
}

/* The phase after one of implicit springs. */
static uint32_t cloth_iterate_next(tp_world *world, uint32_t phase)
{
    if (cloth_is_multiply(phase)) return phase + 1u;
    if (!tpi_cloth_go_on(world, cloth_phase_part(phase))) return CLOTH_LIMIT;
    return cloth_phase_part(phase) == TPI_CLOTH_DOT ? CLOTH_ITERATE : phase + 1u;
}

/* The next phase; passes of the limit that are not made are skipped at once. */
static uint32_t cloth_phase_next(tp_world *world, uint32_t phase)
{
    const bool is_implicit = tpi_cloth_is_implicit(&world->def);
    uint32_t next = phase + 1u;
    if (phase == 0 && is_implicit) tpi_cloth_begin_cg(world);
    if (phase >= CLOTH_ITERATE && phase < CLOTH_LIMIT) next = cloth_iterate_next(world, phase);
    if (next == CLOTH_ITERATE && !is_implicit) next = CLOTH_LIMIT;
    return cloth_is_limit(next) && !cloth_is_pass(world, next) ? CLOTH_VOLUMES : next;
}

/* What is done with the constraints or nodes of a phase that threads may share. */
static tpi_team_work cloth_range_of(const tp_world *world, uint32_t phase)
{
    if (phase == 0) return cloth_weigh;
    if (phase == CLOTH_TETHERS) return cloth_pull_range;
    if (cloth_is_limit(phase)) return cloth_limit_range;
    if (cloth_is_multiply(phase)) return cloth_apply_range;
    if (tpi_cloth_is_implicit(&world->def)) return cloth_load_range;
    return tpi_cloth_is_explicit(&world->def) ? cloth_spring_range : cloth_solve_range;
}

/* Constraints that may share nodes, one by one; the others in vectors, which threads may share. */
static tpi_tally cloth_run_range(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                                 uint32_t begin, uint32_t end)
{
    const uint32_t phase = world->step.cursor.phase;
    const tpi_team_work range = cloth_range_of(world, phase);
    tpi_tally tally = {0};
    if (!cloth_is_colour(phase) || !tpi_cloth_is_uncoloured(cloth_phase_colour(phase)))
        return tpi_team_run(jobs, world, range, slice, begin, end);
    for (uint32_t k = begin; k < end; k++)
        if (slice->lengths[k] >= 0.0f) range(world, slice, k, k + 1u, &tally); /* else: broken */
    return tally;
}

static void cloth_slow(tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_cloth_clamp(world, begin, end);
    if (tpi_def_grazes(&world->def)) tpi_graze_unknot(world, begin, end);
}

static void cloth_work(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                       uint32_t begin, uint32_t end)
{
    const uint32_t phase = world->step.cursor.phase;
    if (phase == CLOTH_PLACE)
        cloth_place(world, jobs, slice, begin, end);
    else if (phase == CLOTH_AIR)
        tpi_cloth_blow(world, begin, end);
    else if (phase == CLOTH_SUM)
        tpi_cloth_sum(world, begin, end);
    else if (phase == CLOTH_CLAMP)
        cloth_slow(world, begin, end);
    else if (phase == CLOTH_VOLUMES)
        tpi_cloth_swell(world, jobs, slice, begin, end);
    else if (phase == CLOTH_FOLDS)
        tpi_cloth_bend(world, jobs, slice, begin, end);
    else if (cloth_is_iterate(phase))
        tpi_cloth_iterate(world, jobs, slice, cloth_phase_part(phase), begin, end);
    else
        world->step.speeds_clamped += cloth_run_range(world, jobs, slice, begin, end).clamped;
}

/* The most that an item of a phase takes. */
static uint32_t cloth_phase_units(const tp_world *world, uint32_t phase)
{
    if (phase == CLOTH_WEAR)
        return 1u + tpi_event_units(world, TP_EVENT_LINK_BROKEN) +
               (tpi_cloth_can_split(&world->def)
                    ? TPI_CLOTH_EDGE_UNITS + TPI_CLOTH_LOOK_UNITS + TPI_CLOTH_SPLIT_UNITS
                    : 0u);
    if (phase == CLOTH_TIES)
        return TPI_CLOTH_TIE_UNITS + tpi_event_units(world, TP_EVENT_LINK_BROKEN);
    if (phase == CLOTH_VOLUMES) return 4u * TPI_CLOTH_TETRAS;
    if (phase == CLOTH_FOLDS) return 3u;
    return phase == CLOTH_AIR ? tpi_cloth_air_units(world) : 1u;
}

/* Does `count` items of the phase. Returns the units. */
static uint32_t cloth_do(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                         uint32_t count, uint32_t each)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t begin = cursor->i;
    cursor->i += count;
    if (cursor->phase == CLOTH_WEAR) return count + tpi_cloth_wear(world, begin, begin + count);
    if (cursor->phase == CLOTH_TIES)
        return count * TPI_CLOTH_TIE_UNITS + tpi_cloth_hold(world, begin, begin + count);
    cloth_work(world, jobs, slice, begin, begin + count);
    return count * each;
}

/* Phases whose items mostly take less than the most: what they leave is for others. */
static bool cloth_may_go_on(uint32_t phase) { return phase == CLOTH_WEAR || phase == CLOTH_TIES; }

static uint32_t cloth_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    cloth_slice slice;
    uint32_t used = 0;
    cloth_prepare(world, &slice);
    while (cursor->phase <= CLOTH_PLACE) {
        uint32_t end = cloth_phase_end(world, cursor->phase, slice.nodes),
                 each = end ? cloth_phase_units(world, cursor->phase) : 1u,
                 left = units > used ? units - used : 0u, /* one item may exceed a slice */
            most = tpi_max_u32(left / each, used == 0), count = tpi_min_u32(most, end - cursor->i);
        if (cursor->phase == CLOTH_PART && end)
            used += tpi_cloth_part(world, &cursor->i, end, left, used == 0);
        else if (cursor->phase == CLOTH_UNTANGLE && end)
            used += tpi_cloth_untangle(world, &cursor->i, end, left, used == 0);
        else if (count)
            used += cloth_do(world, jobs, &slice, count, each);
        if (cursor->i < end && cloth_may_go_on(cursor->phase) && used + each <= units) continue;
        if (cursor->i < end) break;
        cursor->phase = cloth_phase_next(world, cursor->phase);
        cursor->i = cloth_phase_begin(world, cursor->phase);
    }
    *done = cursor->phase > CLOTH_PLACE;
    return used;
}

uint32_t tpi_cloth_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_GRID: return tpi_grid_build(world, jobs, units, done);
    case TP_STAGE_PAIRS: return tpi_cloth_near(world, units, done);
    case TP_STAGE_PRESSURE: return tpi_cloth_bear(world, units, done);
    case TP_STAGE_FORCE: return cloth_force(world, jobs, units, done);
    default: return tpi_solver_wrong_stage(done);
    }
}

#undef CLOTH_WEAR
#undef CLOTH_AIR
#undef CLOTH_FOLDS
#undef CLOTH_COLOUR
#undef CLOTH_ITERATE
#undef CLOTH_MULTIPLY
#undef CLOTH_PEAK
#undef CLOTH_LIMIT
#undef CLOTH_VOLUMES
#undef CLOTH_TIES
#undef CLOTH_TETHERS
#undef CLOTH_SUM
#undef CLOTH_CLAMP
#undef CLOTH_UNTANGLE
#undef CLOTH_PART
#undef CLOTH_PLACE
#undef CLOTH_SCATTERED
#undef CLOTH_RUN
#undef CLOTH_NEXT
#undef CLOTH_TWOS
#undef CLOTH_SHUFFLES
#undef CLOTH_MIX
#undef CLOTH_EVENS
#undef CLOTH_ODDS
#undef CLOTH_LOW
#undef CLOTH_HIGH
#undef CLOTH_FIRSTS
#undef CLOTH_SECONDS
#undef CLOTH_LOWS
#undef CLOTH_HIGHS

/* ---- particles ---- */

void tpi_cloth_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                    const tpi_lanes x[3], tpi_lanes velocity[3])
{
    tpi_field_kick_lanes(world, plan, i, bits, x, velocity);
}

/* The constraints write the back set. True if nodes are so near to where they were listed that the
   lists hold. */
bool tpi_cloth_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                     const tpi_lanes velocity[3])
{
    const uint32_t end = tpi_min_u32(i + count, tpi_cloth_head_of(world)->nodes);
    const tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    const uint32_t dimensions = tpi_dimensions(world);
    tpi_lanes square = tpi_lanes_of(0.0f), at[3] = {square, square, square};
    (void)velocity;
    if (i >= end) return true;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        at[axis] = tpi_lanes_load(tpi_cloth_listed(world, axis) + i);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        const uint32_t next = axis == 2u ? 0u : axis + 1u, last = axis == 0u ? 2u : axis - 1u;
        tpi_lanes d = x[axis] - at[axis] - touch->drift[axis];
        d = d - (at[last] - touch->centre[last]) * touch->turn[next];
        d = d + (at[next] - touch->centre[next]) * touch->turn[last];
        square = square + d * d;
    }
    tpi_lane_mask is_near = tpi_lanes_less(square, tpi_lanes_of(touch->skin * touch->skin));
    return !tpi_lanes_any(tpi_lanes_and(tpi_lanes_not(is_near), tpi_lanes_first(end - i)));
}

/* The back set is as the constraints left it. */
void tpi_cloth_close(const tp_world *world, const tpi_field_plan *plan, uint32_t first,
                     uint32_t count, tpi_lanes from[3], tpi_lanes to[3], tpi_lanes velocity[3])
{
    (void)world, (void)plan, (void)first, (void)count, (void)from, (void)to, (void)velocity;
}

/* Pinned nodes; their weights are still there. */
uint32_t tpi_cloth_holds(const tp_world *world, uint32_t first, uint32_t count)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    const float *weights = tpi_floats(world, world->arrays.next_birth);
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count; k++)
        bits |= (weights[TPI_ORDER_INDEX(order[first + k])] == 0.0f ? 1u : 0u) << k;
    return bits;
}
