/* SPDX-License-Identifier: MIT
   runtime/step/move.c - the first stages of a step: selects particles to recycle, and kicks all
           others.
   reads   the front set, fields, sinks
   writes  kicked velocities and keys; without pairs the back set
   memory  none
   cost    units per particle: 1, 1 per field and sink, 2 or 3 per noise field
   after   own design; radix select of the ids to recycle */
#include "stages_lanes.h"
#include "../emit/emit.h"
#include "../grid/grid.h"
#include "../world/event.h"
#include "../world/team.h"
#include "../solve/solve_lanes.h"
#include "../move/integrate.h"
#include "../move/body.h"

/* ---- recycle: selects the ids that die to free space for births ---- */

/* Radix select: finds the id of rank `recycle_count` from the smallest, eight bits at a time
   from the top. Phase p counts bits 31-8p .. 24-8p of the ids whose higher bits equal the
   threshold's. */
TPI_APART uint32_t tpi_step_recycle(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    tpi_cursor *cursor = &step->cursor;
    const uint32_t *id = tpi_words(world, world->arrays.id);
    uint32_t *histogram = tpi_words(world, world->recycle_histogram);
    uint32_t shift = 24u - 8u * cursor->phase, used = 0;
    uint32_t prefix_mask = cursor->phase ? ~((1u << (shift + 8u)) - 1u) : 0u;
    if (cursor->i == 0 && cursor->j == 0) tpi_memset(histogram, 0, 256 * sizeof histogram[0]);
    for (; cursor->i < step->front_count && used < units; cursor->i++, used++)
        if ((id[cursor->i] & prefix_mask) == (step->recycle_threshold & prefix_mask))
            histogram[(id[cursor->i] >> shift) & 255u]++;
    *done = false;
    if (cursor->i < step->front_count) return used;
    uint32_t digit = 0;
    while (digit < 255u && histogram[digit] < step->recycle_count)
        step->recycle_count -= histogram[digit++];
    step->recycle_threshold |= digit << shift;
    *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    *done = cursor->phase == 4u;
    return used;
}

/* ---- move: fields, sinks, and positions if no pair forces follow ---- */

/* Why the particle dies before it moves, and what kills it; TP_DEATH_NONE if it lives on. */
static tp_death step_death_of(const tp_world *world, uint32_t i, tp_vector position,
                              tp_vector velocity, uint32_t *handle)
{
    uint32_t id = tpi_words(world, world->arrays.id)[i];
    const tpi_step *step = &world->step;
    *handle = 0;
    if (tpi_step_is_lost(position, velocity)) return TP_DEATH_LOST;
    if (step->is_priming) return TP_DEATH_NONE;
    if (step->recycles && id <= step->recycle_threshold) return TP_DEATH_RECYCLED;
    uint32_t birth = world->def.keeps_births ? tpi_words(world, world->arrays.birth)[i] : 0;
    return tpi_sinks_take(world, position, tpi_words(world, world->arrays.meta)[i], birth, id,
                          handle);
}

/* What a slice prepares once. */
typedef struct step_opening {
    const tpi_field_plan *plan;
    bool has_sinks;    /* sinks take particles, or lifetimes end */
    uint32_t youngest; /* ticks: no younger particle dies by its age; TP_TICKS_NONE: none does */
} step_opening;

/* True if the particle dies before it moves; counts the reason. */
static bool step_dies(const tp_world *world, const step_opening *slice, uint32_t i,
                      tp_vector position, tp_vector velocity, tpi_tally *tally)
{
    uint32_t handle;
    if (TPI_LIKELY(!slice->has_sinks && !world->step.recycles) &&
        TPI_LIKELY(!tpi_step_is_lost(position, velocity)))
        return false;
    tp_death death = step_death_of(world, i, position, velocity, &handle);
    if (TPI_LIKELY(death == TP_DEATH_NONE)) return false;
    if (death == TP_DEATH_LOST)
        tally->killed++;
    else if (death == TP_DEATH_RECYCLED)
        tally->recycled++;
    else
        tally->died++;
    return true;
}

/* Units that the death of a particle takes at most, as an event. */
static uint32_t step_death_units(const tp_world *world)
{
    const uint32_t units = tpi_event_units(world, TP_EVENT_DEATH);
    return units ? units + tpi_sinks_units(world) : 0u;
}

/* The death of a particle of the front set is an event; a particle that step_death_of lets live was
   lost by its kick. Returns its units. */
static TPI_APART uint32_t step_note_death(tp_world *world, uint32_t i)
{
    uint32_t handle;
    tp_event event = tpi_event_front(world, TP_EVENT_DEATH, i);
    tp_death death = step_death_of(world, i, event.point, event.velocity, &handle);
    if (death == TP_DEATH_NONE) death = TP_DEATH_LOST;
    return tpi_event_death(world, &event, death, handle) ? step_death_units(world) : 0u;
}

/* Events of the particles begin .. end - 1 that have died: after threads have kicked them. Returns
   the units. */
static uint32_t step_note_deaths(tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t *key = tpi_keys(world);
    uint32_t used = 0;
    for (uint32_t i = begin; i < end; i++)
        if (key[i] == TPI_KEY_DEAD) used += step_note_death(world, i);
    return used;
}

static void step_count_deaths(tpi_step *step, const tpi_tally *tally)
{
    step->killed += tally->killed;
    step->died += tally->died;
    step->recycled += tally->recycled;
}

/* The least age at which an emitter's lifetime or a sink by age kills. */
static uint32_t step_youngest(const tp_world *world)
{
    uint32_t youngest = TP_TICKS_NONE;
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++)
        youngest = tpi_min_u32(youngest, tpi_emitter_shortest(world, slot));
    for (uint32_t slot = 0; slot < tpi_sinks_end(world); slot++) {
        const tp_sink_def *def = &tpi_sink_at(world, slot)->def;
        bool is_alive = tpi_pool_is_alive(tpi_words(world, world->sinks.slots), slot);
        if (is_alive && def->shape == TP_SINK_AGE)
            youngest = tpi_min_u32(youngest, def->age_ticks + 1u);
    }
    return youngest;
}

/* Bits of the particles i .. i + count - 1 that exceed the limits. */
#if TPI_LANES == 1
static uint32_t step_lost_lanes(const tp_world *world, uint32_t count, const tpi_lanes x[3],
                                const tpi_lanes v[3])
{
    const uint32_t far = tpi_magnitude(TPI_POSITION_MAX), fast = tpi_magnitude(TPI_SPEED_MAX);
    (void)count;
    return tpi_magnitude(x[0]) > far || tpi_magnitude(v[0]) > fast || tpi_magnitude(x[1]) > far ||
           tpi_magnitude(v[1]) > fast ||
           (tpi_dimensions(world) == 3 &&
            (tpi_magnitude(x[2]) > far || tpi_magnitude(v[2]) > fast));
}
#else
/* A vector comparison accepts ordinary values at once. */
static uint32_t step_lost_lanes(const tp_world *world, uint32_t count, const tpi_lanes x[3],
                                const tpi_lanes v[3])
{
    tpi_lanes far = tpi_lanes_of(TPI_POSITION_MAX), fast = tpi_lanes_of(TPI_SPEED_MAX);
    tpi_lane_mask is_fine = tpi_lanes_first(TPI_LANES);
    uint32_t lost = 0;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        /* NOLINTBEGIN(clang-analyzer-core.CallAndMessage): there are 2 or 3 dimensions */
        tpi_lane_mask is_here =
            tpi_lanes_and(tpi_lanes_less(x[axis], far), tpi_lanes_less(-far, x[axis]));
        /* NOLINTEND(clang-analyzer-core.CallAndMessage) */
        tpi_lane_mask is_slow =
            tpi_lanes_and(tpi_lanes_less(v[axis], fast), tpi_lanes_less(-fast, v[axis]));
        is_fine = tpi_lanes_and(is_fine, tpi_lanes_and(is_here, is_slow));
    }
    uint32_t odd = tpi_lanes_bits(tpi_lanes_first(count)) & ~tpi_lanes_bits(is_fine);
    for (uint32_t k = 0; TPI_UNLIKELY(odd >> k) && k < count; k++)
        if ((odd >> k & 1u) && tpi_step_is_lost(tpi_lane_vector(tpi_dimensions(world), x, k),
                                                tpi_lane_vector(tpi_dimensions(world), v, k)))
            lost |= 1u << k;
    return lost;
}
#endif

/* The particles in the space of a sink by position: sink_takes for a vector. */
TPI_INLINE tpi_lane_mask step_sink_lanes(const tp_sink_def *def, const tpi_lanes x[3])
{
    tpi_lane_mask is_inside;
    if (def->shape == TP_SINK_PLANE) {
        tpi_lanes height = x[0] * def->normal.x + x[1] * def->normal.y + x[2] * def->normal.z;
        return tpi_lanes_less(height, tpi_lanes_of(def->offset));
    }
    tpi_lanes d[3] = {x[0] - def->center.x, x[1] - def->center.y, x[2] - def->center.z};
    if (def->shape == TP_SINK_BOX)
        is_inside = tpi_lanes_and(
            tpi_lanes_at_most(tpi_lanes_magnitude(d[0]), tpi_lanes_of(def->half.x)),
            tpi_lanes_and(tpi_lanes_at_most(tpi_lanes_magnitude(d[1]), tpi_lanes_of(def->half.y)),
                          tpi_lanes_at_most(tpi_lanes_magnitude(d[2]), tpi_lanes_of(def->half.z))));
    else
        is_inside = tpi_lanes_at_most(d[0] * d[0] + d[1] * d[1] + d[2] * d[2],
                                      tpi_lanes_of(def->radius * def->radius));
    return def->is_inverted ? tpi_lanes_not(is_inside) : is_inside;
}

/* True if one of these particles may be old enough to die. Ages are compared without sign. */
TPI_INLINE bool step_may_age(const tp_world *world, uint32_t youngest, uint32_t i)
{
    if (youngest == TP_TICKS_NONE) return false;
    const uint32_t now = (uint32_t)tpi_now(world) + world->step.ticks;
    const tpi_lane_ints birth = tpi_lane_ints_load(tpi_words(world, world->arrays.birth) + i);
    const tpi_lane_ints age = tpi_lane_ints_add(tpi_lane_ints_of((int32_t)(now + 1u)), ~birth);
    const tpi_lane_mask is_young =
        tpi_lane_ints_less(age ^ INT32_MIN, tpi_lane_ints_of((int32_t)(youngest ^ 0x80000000u)));
    return tpi_lanes_any(tpi_lanes_not(is_young));
}

/* True if a sink may take one of a vector of particles, or a lifetime may end: their own tests
   decide. */
TPI_INLINE bool step_may_sink(const tp_world *world, const step_opening *slice, uint32_t i,
                              const tpi_lanes x[3])
{
    if (step_may_age(world, slice->youngest, i)) return true;
    tpi_lane_mask is_taken = tpi_lanes_first(0);
    for (uint32_t slot = 0; slot < tpi_sinks_end(world); slot++) {
        const tp_sink_def *def = &tpi_sink_at(world, slot)->def;
        if (tpi_pool_is_alive(tpi_words(world, world->sinks.slots), slot) &&
            def->shape != TP_SINK_AGE)
            is_taken = tpi_lanes_or(is_taken, step_sink_lanes(def, x));
    }
    return tpi_lanes_any(is_taken);
}

/* Bits of the particles that die before they move. */
static uint32_t step_dying_lanes(const tp_world *world, const step_opening *slice, uint32_t i,
                                 uint32_t count, const tpi_lanes x[3], const tpi_lanes v[3],
                                 tpi_tally *tally)
{
    uint32_t dying = step_lost_lanes(world, count, x, v);
    if (TPI_LIKELY(!dying && !world->step.recycles && !slice->has_sinks)) return 0;
    dying = 0;
    for (uint32_t k = 0; k < count; k++)
        if (step_dies(world, slice, i + k, tpi_lane_vector(tpi_dimensions(world), x, k),
                      tpi_lane_vector(tpi_dimensions(world), v, k), tally))
            dying |= 1u << k;
    return dying;
}

TPI_INLINE void step_open_axis(const tpi_step_arrays *arrays, uint32_t axis, uint32_t i,
                               tpi_lanes x[3], tpi_lanes v[3])
{
    x[axis] = tpi_lanes_load(arrays->x[axis] + i);
    v[axis] = tpi_lanes_load(arrays->v[axis] + i);
}

/* The kick of particles i .. i + count - 1, by the solver, and their keys. A key marks particles
   that die: before the move, or because the kick makes them exceed the limits. */
static void step_open(tp_world *world, const step_opening *slice, const tpi_step_arrays *arrays,
                      uint32_t i, uint32_t count, tpi_tally *tally)
{
    uint32_t *key = tpi_keys(world), all = (uint32_t)(((uint64_t)1 << count) - 1u);
    tpi_lanes x[3], v[3], to[3];
    x[2] = v[2] = to[2] = tpi_lanes_of(0.0f);
    step_open_axis(arrays, 0, i, x, v);
    step_open_axis(arrays, 1, i, x, v);
    if (tpi_dimensions(world) == 3) step_open_axis(arrays, 2, i, x, v);
    uint32_t dead = step_dying_lanes(world, slice, i, count, x, v, tally);
    tpi_solver_open(world, slice->plan, i, all & ~dead, x, v);
    to[0] = x[0] + v[0] * world->step.timestep;
    to[1] = x[1] + v[1] * world->step.timestep;
    if (tpi_dimensions(world) == 3) to[2] = x[2] + v[2] * world->step.timestep;
    uint32_t lost = step_lost_lanes(world, count, to, v) & ~dead;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_lanes_store_first(arrays->kicked[axis] + i, v[axis], count);
    for (uint32_t k = 0; k < count; k++) key[i + k] = 0;
    for (uint32_t k = 0; TPI_UNLIKELY((dead | lost) >> k) && k < count; k++) {
        tally->killed += lost >> k & 1u;
        if ((dead | lost) >> k & 1u) key[i + k] = TPI_KEY_DEAD;
    }
    if (!(dead | lost) && world->list_valid && !tpi_solver_place(world, i, count, x, v))
        tally->is_stale = true;
}

/* Below this sum of coordinates and speeds (m, m/s) no particle is lost, and none was before its
   move: a step is at most 10 s long. One lane compares each of them with its share of the sum. */
#define STEP_NEAR       9e7f
#define STEP_NEAR_SHARE 1e7f

#if TPI_LANES == 1
/* Magnitudes: the largest one. */
typedef uint32_t step_extent;
TPI_INLINE step_extent step_extent_of(tpi_lanes value) { return tpi_magnitude(value); }
TPI_INLINE step_extent step_extend(step_extent extent, tpi_lanes value)
{
    return tpi_max_u32(extent, tpi_magnitude(value));
}
TPI_INLINE bool step_extent_is_near(step_extent extent)
{
    return extent < tpi_magnitude(STEP_NEAR_SHARE);
}
#else
/* Their sum. One that is not finite is not below the limit. */
typedef tpi_lanes step_extent;
TPI_INLINE step_extent step_extent_of(tpi_lanes value) { return tpi_lanes_magnitude(value); }
TPI_INLINE step_extent step_extend(step_extent extent, tpi_lanes value)
{
    return extent + tpi_lanes_magnitude(value);
}
TPI_INLINE bool step_extent_is_near(step_extent extent)
{
    return !tpi_lanes_any(tpi_lanes_not(tpi_lanes_less(extent, tpi_lanes_of(STEP_NEAR))));
}
#endif

/* step_open for a whole vector, of which no particle dies. False, and nothing is written, if one
   may be lost or may be a sink's. */
TPI_INLINE bool step_open_near(tp_world *world, const step_opening *slice,
                               const tpi_step_arrays *arrays, uint32_t dimensions, uint32_t i,
                               tpi_tally *tally)
{
    tpi_lanes x[3], v[3];
    x[2] = v[2] = tpi_lanes_of(0.0f);
    step_extent extent = step_extent_of(v[2]);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        step_open_axis(arrays, axis, i, x, v);
        extent = step_extend(extent, v[axis]);
    }
    if (TPI_UNLIKELY(slice->has_sinks) && step_may_sink(world, slice, i, x)) return false;
    tpi_solver_open(world, slice->plan, i, TPI_LANES_ALL, x, v);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        extent = step_extend(extent, v[axis]);
        extent = step_extend(extent, x[axis] + v[axis] * world->step.timestep);
    }
    if (TPI_UNLIKELY(!step_extent_is_near(extent))) return false;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        tpi_lanes_store(arrays->kicked[axis] + i, v[axis]);
    tpi_lane_ints_store(tpi_keys(world) + i, tpi_lane_ints_of(0));
    if (world->list_valid && !tpi_solver_place(world, i, TPI_LANES, x, v)) tally->is_stale = true;
    return true;
}

/* Vectors of which no particle dies; returns the first particle that is not kicked. */
TPI_INLINE uint32_t step_open_all(tp_world *world, const step_opening *slice,
                                  const tpi_step_arrays *arrays, uint32_t i, uint32_t end,
                                  tpi_tally *tally)
{
    if (world->step.recycles) return i;
    const bool is_flat = tpi_dimensions(world) == 2;
    while (end - i >= TPI_LANES && (is_flat ? step_open_near(world, slice, arrays, 2, i, tally)
                                            : step_open_near(world, slice, arrays, 3, i, tally)))
        i += TPI_LANES;
    return i;
}

static void step_open_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                            tpi_tally *tally)
{
    const step_opening *slice = (const step_opening *)context;
    tpi_step_arrays arrays = tpi_step_arrays_of(world);
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        i = step_open_all(world, slice, &arrays, i, end, tally);
        if (i == end) break;
        step_open(world, slice, &arrays, i, tpi_min_u32(end - i, TPI_LANES), tally);
    }
}

/* Solvers with pairs. Threads share the particles. */
static uint32_t step_move_pairs(tp_world *world, const tp_jobs *jobs, const step_opening *slice,
                                uint32_t each, uint32_t units)
{
    tpi_step *step = &world->step;
    uint32_t begin = step->cursor.i, most = each + step_death_units(world),
             count = tpi_min_u32(tpi_max_u32(units / most, 1u), step->front_count - begin),
             used = count * each;
    tpi_tally tally = tpi_team_run(jobs, world, step_open_range, slice, begin, begin + count);
    bool has_died = tally.killed || tally.died || tally.recycled;
    if (has_died || tally.is_stale) step->list_broken = true;
    if (has_died && most > each) used += step_note_deaths(world, begin, begin + count);
    step_count_deaths(step, &tally);
    step->cursor.i += count;
    return used;
}

/* ---- particles without pairs ---- */

/* True if whole vectors may be integrated: gravity alone acts on them. */
static bool step_is_plain(const tp_world *world, const step_opening *slice)
{
    const tpi_field_plan *plan = slice->plan;
    for (uint32_t species = 0; species < world->def.species_count; species++)
        if (world->def.species[species].is_tracer) return false;
    return !world->step.recycles && !plan->has_drag && !plan->has_attractor && !plan->has_ages;
}

/* Integrates a whole vector, of which no particle dies, as tpi_integrate does. False, and nothing
   is written, if one may be lost or may be a sink's. */
TPI_INLINE bool step_drift_near(tp_world *world, const step_opening *slice,
                                const tpi_step_arrays *arrays, uint32_t dimensions)
{
    tpi_step *step = &world->step;
    const uint32_t i = step->cursor.i, index = step->count;
    tpi_lanes x[3], v[3];
    x[2] = v[2] = tpi_lanes_of(0.0f);
    step_extent extent = step_extent_of(v[2]);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        step_open_axis(arrays, axis, i, x, v);
        extent = step_extend(step_extend(extent, x[axis]), v[axis]);
    }
    if (TPI_UNLIKELY(!step_extent_is_near(extent))) return false;
    if (TPI_UNLIKELY(slice->has_sinks) && step_may_sink(world, slice, i, x)) return false;
    const tpi_lane_ints meta = tpi_lane_ints_load(tpi_words(world, world->arrays.meta) + i);
    const tpi_lane_ints species = meta & 7, own = tpi_lane_ints_counted((int32_t)i);
    const bool is_kdk = world->def.integrator == TP_INTEGRATOR_KDK;
    const float kick = is_kdk ? 0.5f * step->timestep : step->timestep;
    tpi_field_kick_species(world, slice->plan, &species, &own, TPI_LANES_ALL, kick, x, v);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        tpi_lanes_store(arrays->next_x[axis] + index, x[axis] + v[axis] * step->timestep);
    if (is_kdk)
        tpi_field_kick_species(world, slice->plan, &species, &own, TPI_LANES_ALL, kick, x, v);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        tpi_lanes_store(arrays->next_v[axis] + index, v[axis]);
    tpi_lane_ints_store(tpi_words(world, world->arrays.order) + index, own | species << 24);
    step->cursor.i += TPI_LANES;
    step->count += TPI_LANES;
    return true;
}
#undef STEP_NEAR
#undef STEP_NEAR_SHARE

/* Vectors for which `units` suffice, up to one that needs a look at each particle. Returns the
   units. */
static uint32_t step_drift(tp_world *world, const step_opening *slice,
                           const tpi_step_arrays *arrays, uint32_t each, uint32_t units)
{
    const tpi_step *step = &world->step;
    const bool is_flat = tpi_dimensions(world) == 2;
    const uint64_t vector = (uint64_t)each * TPI_LANES;
    uint64_t used = 0;
    while (step->front_count - step->cursor.i >= TPI_LANES && used + vector <= units &&
           (is_flat ? step_drift_near(world, slice, arrays, 2)
                    : step_drift_near(world, slice, arrays, 3)))
        used += vector;
    return (uint32_t)used;
}

/* One particle: it dies, or is integrated and written to the back set. Returns the units of an
   event. */
static uint32_t step_drift_one(tp_world *world, const step_opening *slice,
                               const tpi_step_arrays *arrays, tpi_tally *tally)
{
    tpi_step *step = &world->step;
    const uint32_t i = step->cursor.i++;
    const uint32_t species = TP_META_SPECIES(tpi_words(world, world->arrays.meta)[i]);
    tp_vector x = tpi_step_read(world, arrays->x, i), v = tpi_step_read(world, arrays->v, i);
    if (step_dies(world, slice, i, x, v, tally))
        return tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_DEATH)) ? step_note_death(world, i) : 0;
    uint32_t index = step->count++;
    tpi_field_sums sums = tpi_field_sums_of(world, slice->plan, species, i);
    tpi_integrate(world, slice->plan, &sums, &x, &v, species, step->timestep);
    tpi_words(world, world->arrays.order)[index] = i | species << 24;
    tpi_step_write(world, arrays->next_x, index, x);
    tpi_step_write(world, arrays->next_v, index, v);
    return 0;
}

/* Integrates and writes the back set itself, survivors only. */
static TPI_APART uint32_t step_move_free(tp_world *world, const step_opening *slice, uint32_t each,
                                         uint32_t units)
{
    tpi_step *step = &world->step;
    const tpi_step_arrays arrays = tpi_step_arrays_of(world);
    const bool is_plain = TPI_LANES > 1 && step_is_plain(world, slice); /* one lane gains nothing */
    uint32_t used = 0;
    tpi_tally tally = {0};
    while (step->cursor.i < step->front_count && (used == 0 || used + each <= units)) {
        const uint32_t drifted =
            is_plain && used < units ? step_drift(world, slice, &arrays, each, units - used) : 0u;
        used += drifted ? drifted : each + step_drift_one(world, slice, &arrays, &tally);
    }
    step_count_deaths(step, &tally);
    return used;
}

static TPI_APART uint32_t step_move_particles(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                              bool *done)
{
    tpi_field_plan plan = tpi_field_prepare(world);
    const tpi_step *step = &world->step;
    uint32_t each = 1u + plan.units + tpi_sinks_units(world), used = 0;
    each += tpi_solver_kick_units(world);
    if (step->cursor.i < step->front_count) {
        const uint32_t youngest = step_youngest(world);
        const bool has_sinks = youngest != TP_TICKS_NONE || tpi_sinks_used(world) > 0;
        const step_opening slice = {&plan, has_sinks, youngest};
        used = tpi_def_has_stages(&world->def) ? step_move_pairs(world, jobs, &slice, each, units)
                                               : step_move_free(world, &slice, each, units);
    }
    *done = step->cursor.i == step->front_count;
    return used;
}

TPI_APART uint32_t tpi_step_move(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    if (tpi_bodies_used(world) && tpi_bodies_wait(world))
        return tpi_bodies_place(world, units, done);
    return step_move_particles(world, jobs, units, done);
}
