/* SPDX-License-Identifier: MIT
   runtime/step.c - one world's step: a resumable machine over the stages, in the order of the data.
   reads   the front set      writes  the back set, then exchanges them
   memory  the step's record in the block      cost  one slice a call, see TP_STAGE_LIST for units
   after   own design: nothing that a reader or a restart could see changes before step_exchange */
#include "step.h"
#include "emit/emit.h"
#include "grid/grid.h"
#include "world/team.h"
#include "solve/solve.h"
#include "solve/pair/pair.h"
#include "solve/sph/sph.h"
#include "move/integrate.h"
#include "move/collide.h"
#include "move/clear.h"

/* ---- recycle: which ids die to make room ---- */

/* Finds the id below which `recycle_count` ids lie, eight bits at a time from the top (radix select): phase p looks
   at bits 31-8p .. 24-8p of those ids that agree with the threshold so far. */
static TPI_APART uint32_t step_recycle(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    tpi_cursor *cursor = &step->cursor;
    const uint32_t *id = tpi_words(world, world->arrays.id);
    uint32_t *histogram = tpi_words(world, world->recycle_histogram);
    uint32_t shift = 24u - 8u * cursor->phase, used = 0;
    uint32_t prefix_mask = cursor->phase ? ~((1u << (shift + 8u)) - 1u) : 0u;
    if (cursor->i == 0 && cursor->j == 0) memset(histogram, 0, 256 * sizeof histogram[0]);
    for (; cursor->i < step->front_count && used < units; cursor->i++, used++)
        if ((id[cursor->i] & prefix_mask) == (step->recycle_threshold & prefix_mask))
            histogram[(id[cursor->i] >> shift) & 255u]++;
    *done = false;
    if (cursor->i < step->front_count) return used;
    uint32_t digit = 0;
    while (digit < 255u && histogram[digit] < step->recycle_count) step->recycle_count -= histogram[digit++];
    step->recycle_threshold |= digit << shift;
    *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    *done = cursor->phase == 4u;
    return used;
}

/* ---- move: fields, sinks, and positions where no pair forces follow ---- */

static tp_vector step_read(const tp_world *world, float *const arrays[3], uint32_t i)
{
    return tpi_vector(arrays[0][i], arrays[1][i], world->def.dimensions == 3 ? arrays[2][i] : 0.0f);
}

static void step_write(const tp_world *world, float *const arrays[3], uint32_t i, tp_vector value)
{
    arrays[0][i] = value.x;
    arrays[1][i] = value.y;
    if (world->def.dimensions == 3) arrays[2][i] = value.z;
}

typedef struct step_arrays {
    float *x[3], *v[3], *next_x[3], *next_v[3], *kicked[3];
} step_arrays;

static step_arrays step_arrays_of(const tp_world *world)
{
    step_arrays arrays;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t from = axis < world->def.dimensions ? axis : 0;
        arrays.x[axis] = tpi_front_x(world, from);
        arrays.v[axis] = tpi_front_v(world, from);
        arrays.next_x[axis] = tpi_back_x(world, from);
        arrays.next_v[axis] = tpi_back_v(world, from);
        arrays.kicked[axis] = tpi_floats(world, world->arrays.force[from]);
    }
    return arrays;
}

/* Not finite, or so far out that its neighbours could not be told apart. */
static bool step_is_lost(tp_vector position, tp_vector velocity)
{
    return !(tpi_abs(position.x) <= TPI_POSITION_MAX && tpi_abs(position.y) <= TPI_POSITION_MAX &&
             tpi_abs(position.z) <= TPI_POSITION_MAX && tpi_is_finite_vector(velocity));
}

/* True when the particle is to die before it moves; counts why. */
static bool step_dies(const tp_world *world, uint32_t i, tp_vector position, tp_vector velocity,
                      tpi_tally *tally)
{
    uint32_t id = tpi_words(world, world->arrays.id)[i];
    const tpi_step *step = &world->step;
    if (step_is_lost(position, velocity)) {
        tally->killed++;
        return true;
    }
    if (step->is_priming) return false;
    if (step->recycles && id <= step->recycle_threshold) {
        tally->recycled++;
        return true;
    }
    uint32_t birth = world->def.keeps_births ? tpi_words(world, world->arrays.birth)[i] : 0;
    if (!tpi_sinks_take(world, position, tpi_words(world, world->arrays.meta)[i], birth, id)) return false;
    tally->died++;
    return true;
}

static void step_count_deaths(tpi_step *step, const tpi_tally *tally)
{
    step->killed += tally->killed;
    step->died += tally->died;
    step->recycled += tally->recycled;
}

/* A fluid's: kicked velocities, and the key that says who is dead. */
static void step_kick_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                            tpi_tally *tally)
{
    const tpi_field_plan *plan = (const tpi_field_plan *)context;
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t *key = tpi_words(world, world->arrays.density);
    step_arrays arrays = step_arrays_of(world);
    for (uint32_t i = begin; i < end; i++) {
        tp_vector x = step_read(world, arrays.x, i), v = step_read(world, arrays.v, i);
        bool dies = step_dies(world, i, x, v, tally);
        key[i] = dies ? TPI_KEY_DEAD : 0;
        if (dies) continue;
        v = tpi_field_kick(world, plan, x, v, TP_META_SPECIES(meta[i]), world->step.timestep);
        step_write(world, arrays.kicked, i, v);
    }
}

static uint32_t step_kick(tp_world *world, const tp_jobs *jobs, const tpi_field_plan *plan, uint32_t each,
                          uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t count = tpi_min_u32(tpi_max_u32(units / each, 1u), world->step.front_count - cursor->i);
    tpi_tally tally = tpi_team_run(jobs, world, step_kick_range, plan, cursor->i, cursor->i + count);
    step_count_deaths(&world->step, &tally);
    cursor->i += count;
    return count * each;
}

static tp_vector step_lane(const tp_world *world, const tpi_lanes lanes[3], uint32_t k)
{
    (void)k; /* of one lane only */
    float z = world->def.dimensions == 3 ? TPI_LANE(lanes[2], k) : 0.0f;
    return tpi_vector(TPI_LANE(lanes[0], k), TPI_LANE(lanes[1], k), z);
}

/* Which of the particles i .. i + count - 1 are lost: bits. Numbers of ordinary size are seen at once not to be. */
static uint32_t step_lost_lanes(const tp_world *world, uint32_t count, const tpi_lanes x[3],
                                const tpi_lanes v[3])
{
    tpi_lanes far = tpi_lanes_of(TPI_POSITION_MAX), fast = tpi_lanes_of(FLT_MAX);
    tpi_lane_mask is_fine = tpi_lanes_first(count);
    uint32_t lost = 0;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        tpi_lane_mask is_here = tpi_lanes_and(tpi_lanes_less(x[axis], far), tpi_lanes_less(-far, x[axis]));
        tpi_lane_mask is_slow = tpi_lanes_and(tpi_lanes_less(v[axis], fast), tpi_lanes_less(-fast, v[axis]));
        is_fine = tpi_lanes_and(is_fine, tpi_lanes_and(is_here, is_slow));
    }
    for (uint32_t k = 0, fine = tpi_lanes_bits(is_fine); k < count; k++)
        if (!(fine >> k & 1u) && step_is_lost(step_lane(world, x, k), step_lane(world, v, k)))
            lost |= 1u << k;
    return lost;
}

/* Which of them die before they move. */
static uint32_t step_dying_lanes(const tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                                 const tpi_lanes v[3], tpi_tally *tally)
{
    uint32_t dying = step_lost_lanes(world, count, x, v);
    if (TPI_LIKELY(!dying && !world->step.recycles && world->sinks.used == 0)) return 0;
    dying = 0;
    for (uint32_t k = 0; k < count; k++)
        if (step_dies(world, i + k, step_lane(world, x, k), step_lane(world, v, k), tally)) dying |= 1u << k;
    return dying;
}

/* The first half of a step with pair forces, of particles i .. i + count - 1. */
static void step_open_pairs(tp_world *world, const tpi_field_plan *plan, const step_arrays *arrays,
                            uint32_t i, uint32_t count, tpi_tally *tally)
{
    uint32_t *key = tpi_words(world, world->arrays.density), all = (uint32_t)((1ull << count) - 1u);
    tpi_lanes x[3], v[3], to[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        x[axis] = tpi_lanes_load(arrays->x[axis] + i);
        v[axis] = tpi_lanes_load(arrays->v[axis] + i);
    }
    uint32_t dead = step_dying_lanes(world, i, count, x, v, tally);
    tpi_pair_open(world, plan, i, all & ~dead, x, v);
    for (uint32_t axis = 0; axis < 3; axis++) to[axis] = x[axis] + v[axis] * world->step.timestep;
    uint32_t lost = step_lost_lanes(world, count, to, v) & ~dead;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        tpi_lanes_store_first(arrays->kicked[axis] + i, v[axis], count);
    for (uint32_t k = 0; k < count; k++) {
        tally->killed += lost >> k & 1u;
        key[i + k] = (dead | lost) >> k & 1u ? TPI_KEY_DEAD : 0;
    }
    if (dead | lost)
        world->step.list_broken = true;
    else if (world->list_valid)
        tpi_pair_place(world, i, count, x, v);
}

static uint32_t step_move_pairs(tp_world *world, const tpi_field_plan *plan, uint32_t each, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    step_arrays arrays = step_arrays_of(world);
    uint32_t end =
        cursor->i + tpi_min_u32(tpi_max_u32(units / each, 1u), world->step.front_count - cursor->i);
    uint32_t used = (end - cursor->i) * each;
    tpi_tally tally = {0};
    while (cursor->i < end) {
        uint32_t count = tpi_min_u32(end - cursor->i, TPI_LANES);
        step_open_pairs(world, plan, &arrays, cursor->i, count, &tally);
        cursor->i += count;
    }
    step_count_deaths(&world->step, &tally);
    return used;
}

/* Without pairs: the back set itself, survivors only. */
static uint32_t step_move_free(tp_world *world, const tpi_field_plan *plan, uint32_t each, uint32_t units)
{
    tpi_step *step = &world->step;
    step_arrays arrays = step_arrays_of(world);
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t *order = tpi_words(world, world->arrays.order), used = 0;
    tpi_tally tally = {0};
    for (; step->cursor.i < step->front_count && (used == 0 || used + each <= units);
         step->cursor.i++, used += each) {
        uint32_t i = step->cursor.i, species = TP_META_SPECIES(meta[i]);
        tp_vector x = step_read(world, arrays.x, i), v = step_read(world, arrays.v, i);
        if (step_dies(world, i, x, v, &tally)) continue;
        uint32_t place = step->count++;
        tpi_integrate(world, plan, &x, &v, species, step->timestep);
        order[place] = i | species << 24;
        step_write(world, arrays.next_x, place, x);
        step_write(world, arrays.next_v, place, v);
    }
    step_count_deaths(step, &tally);
    return used;
}

static TPI_APART uint32_t step_move(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_field_plan plan = tpi_field_prepare(world);
    const tpi_step *step = &world->step;
    uint32_t each = 1u + plan.units + tpi_sinks_units(world), used = 0;
    if (step->cursor.i < step->front_count) {
        if (!tpi_has_pairs(world))
            used = step_move_free(world, &plan, each, units);
        else if (tpi_is_pair(world))
            used = step_move_pairs(world, &plan, each, units);
        else
            used = step_kick(world, jobs, &plan, each, units);
    }
    *done = step->cursor.i == step->front_count;
    return used;
}

/* ---- collide: the swept path from the front position to the new one ---- */

static float step_speed_max(const tp_world *world)
{
    float limit = world->def.speed_max > 0.0f ? world->def.speed_max : FLT_MAX;
    if (tpi_has_pairs(world))
        limit = tpi_min(limit, world->constants.smoothing_radius / world->step.timestep);
    return limit;
}

/* Slows what moves farther in a step than its neighbourhood reaches: takes energy out, never in; counted. */
static void step_limit(tp_world *world, tp_vector from, tp_vector *to, tp_vector *velocity, float speed_max)
{
    float speed_squared = tpi_dot(*velocity, *velocity);
    if (TPI_LIKELY(speed_squared <= speed_max * speed_max)) return;
    world->step.speeds_clamped++;
    float scale = speed_max / tpi_sqrt(speed_squared);
    if (!tpi_is_finite(speed_squared)) scale = 0.0f;
    *velocity = tpi_is_finite_vector(*velocity) ? tpi_scale(*velocity, scale) : tpi_vector(0.0f, 0.0f, 0.0f);
    *to = tpi_add_scaled(from, *velocity, world->step.timestep);
}

static void step_path_begin(tp_world *world, tp_vector from, tp_vector to, tp_vector velocity,
                            uint32_t species, float fraction)
{
    tpi_step *step = &world->step;
    tpi_path *path = &step->path;
    float ticks = (float)TP_TICKS_PER_FRAME, begin = (float)world->clock.tick / ticks;
    path->step_end = (float)(world->clock.tick + step->ticks) / ticks;
    path->step_begin = begin + (path->step_end - begin) * fraction;
    path->timestep = step->timestep * (1.0f - fraction);
    tpi_path_begin(world, path, from, to, velocity, world->def.species[species].radius, species);
    step->path_begun = true;
}

/* What the steps of the particles from a place on come to before colliders have their say, one a lane. */
typedef struct step_motions {
    tpi_segments segments;
    tpi_lanes velocity[3];
    uint32_t count;
    uint32_t settled; /* bit k: lane k ends where it is, slower than the limit, and meets no collider */
} step_motions;

static void step_read_radii(const tp_world *world, uint32_t place, uint32_t count, tpi_lanes *radii)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    *radii = tpi_lanes_of(world->def.species[TPI_ORDER_SPECIES(order[place])].radius);
    if (world->def.species_count == 1) return;
    for (uint32_t k = 1; k < count; k++)
        TPI_LANE(*radii, k) = world->def.species[TPI_ORDER_SPECIES(order[place + k])].radius;
}

static void step_read_motions(const tp_world *world, const tpi_field_plan *plan, const step_arrays *arrays,
                              uint32_t place, step_motions *m)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_lane_mask is_real = tpi_lanes_first(m->count);
    tpi_lane_ints front = tpi_lane_ints_load(order + place);
    front = tpi_lane_ints_select(is_real, front, tpi_lane_ints_of((int32_t)order[place])) & 0xffffff;
    tpi_lanes moved[3], per_second = tpi_lanes_of(1.0f / world->step.timestep);
    bool has_displacements = world->def.solver == TP_SOLVER_SPH;
    if (has_displacements) tpi_sph_displacements(world, place, moved);
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        m->segments.from[axis] = tpi_lanes_gather(arrays->x[axis], front);
        m->segments.to[axis] = tpi_lanes_load(arrays->next_x[axis] + place);
        m->velocity[axis] = tpi_lanes_load(arrays->next_v[axis] + place);
        if (!has_displacements) continue;
        m->segments.to[axis] = m->segments.to[axis] + moved[axis];
        m->velocity[axis] = m->velocity[axis] + moved[axis] * per_second;
    }
    if (tpi_is_pair(world))
        tpi_pair_close(world, plan, place, m->count, m->segments.from, m->segments.to, m->velocity);
}

/* Reads up to a lane's width of particles and looks which of them are done. */
static step_motions step_motions_of(const tp_world *world, const tpi_field_plan *plan,
                                    const step_arrays *arrays, uint32_t place, float speed_max)
{
    step_motions m = {0};
    m.count = tpi_min_u32(world->step.count - place, TPI_LANES);
    step_read_motions(world, plan, arrays, place, &m);
    step_read_radii(world, place, m.count, &m.segments.radius);
    tpi_lanes speed_squared = m.velocity[0] * m.velocity[0] + m.velocity[1] * m.velocity[1];
    if (world->def.dimensions == 3) speed_squared = speed_squared + m.velocity[2] * m.velocity[2];
    tpi_lane_mask is_slow = tpi_lanes_not(tpi_lanes_less(tpi_lanes_of(speed_max * speed_max), speed_squared));
    is_slow = tpi_lanes_and(is_slow, tpi_lanes_less(speed_squared, tpi_lanes_of(FLT_MAX)));
    m.settled = tpi_lanes_bits(tpi_lanes_and(is_slow, tpi_segments_clear(world, &m.segments)));
    return m;
}

static void step_settle(tp_world *world, const step_arrays *arrays, uint32_t place, tp_vector to,
                        tp_vector velocity)
{
    tp_vector drifted = step_read(world, arrays->next_x, place);
    if (tpi_is_pair(world)) to = tpi_box_wrap_vector(&world->constants.box, to);
    if (to.x != drifted.x || to.y != drifted.y || to.z != drifted.z) world->step.forces_stale = true;
    step_write(world, arrays->next_x, place, to);
    step_write(world, arrays->next_v, place, velocity);
    if (TPI_LIKELY(!step_is_lost(to, velocity))) return;
    tpi_words(world, world->arrays.order)[place] |= TPI_ORDER_DEAD;
    world->step.killed++;
}

static void step_collide_end(tp_world *world, const step_arrays *arrays, uint32_t place)
{
    const tpi_path *path = &world->step.path;
    uint32_t *order = tpi_words(world, world->arrays.order);
    world->step.path_begun = false;
    if (path->touched) order[place] |= TPI_ORDER_CONTACT;
    if (path->killed) {
        order[place] |= TPI_ORDER_DEAD;
        world->step.died++;
        return;
    }
    step_settle(world, arrays, place, path->to, path->velocity);
}

/* A path may cost one unit more than it is given: it gets one less, unless nothing else ran in this slice. */
static uint32_t step_path_advance(tp_world *world, uint32_t units, uint32_t used, bool *done)
{
    *done = world->colliders.used == 0;
    if (*done || (used > 0 && used + 2u > units)) return 0;
    return tpi_path_advance(world, &world->step.path, tpi_max_u32(units - used, 2u) - 1u, done);
}

/* Writes the lanes that are done, and only those: others may not have had their turn. */
static void step_settle_lanes(const tp_world *world, const step_arrays *arrays, uint32_t place,
                              const step_motions *m, uint32_t bits)
{
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        float *x = arrays->next_x[axis] + place, *v = arrays->next_v[axis] + place;
        if (TPI_LIKELY(bits == (1u << TPI_LANES) - 1u)) {
            tpi_lanes_store(x, m->segments.to[axis]);
            tpi_lanes_store(v, m->velocity[axis]);
            continue;
        }
        for (uint32_t k = 0; k < m->count; k++) {
            if (!(bits >> k & 1u)) continue;
            x[k] = TPI_LANE(m->segments.to[axis], k);
            v[k] = TPI_LANE(m->velocity[axis], k);
        }
    }
}

static void step_collide_begin(tp_world *world, const step_motions *m, uint32_t k, float speed_max)
{
    tp_vector from = step_lane(world, m->segments.from, k), to = step_lane(world, m->segments.to, k);
    tp_vector velocity = step_lane(world, m->velocity, k);
    uint32_t word = tpi_words(world, world->arrays.order)[world->step.cursor.i];
    step_limit(world, from, &to, &velocity, speed_max);
    step_path_begin(world, from, to, velocity, TPI_ORDER_SPECIES(word), 0.0f);
}

/* Takes the particle at the cursor, whose path is begun, on its way. False when the slice ends before. */
static bool step_collide_path(tp_world *world, const step_arrays *arrays, uint32_t units, uint32_t *used)
{
    bool path_done = true;
    *used += step_path_advance(world, units, *used, &path_done);
    if (path_done) step_collide_end(world, arrays, world->step.cursor.i++);
    return path_done;
}

/* Most particles are nowhere near a collider and settle at once; the others get a path. Units: one a particle, and
   one a collider looked at; they do not depend on the number of lanes. */
static uint32_t step_collide(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    step_arrays arrays = step_arrays_of(world);
    float speed_max = step_speed_max(world);
    tpi_field_plan plan = tpi_field_prepare(world);
    uint32_t used = 0, each = 1u + world->colliders.end;
    bool path_done = !step->path_begun || step_collide_path(world, &arrays, units, &used);
    while (path_done && step->cursor.i < step->count && used < units) {
        uint32_t place = step->cursor.i, settled = 0;
        step_motions m = step_motions_of(world, &plan, &arrays, place, speed_max);
        for (uint32_t k = 0; k < m.count && used < units && path_done; k++) {
            if ((m.settled >> k & 1u) && used + each <= units) {
                settled |= 1u << k;
                used += each;
                step->cursor.i++;
            } else {
                used++;
                step_collide_begin(world, &m, k, speed_max);
                path_done = step_collide_path(world, &arrays, units, &used);
            }
        }
        step_settle_lanes(world, &arrays, place, &m, settled);
    }
    *done = step->cursor.i == step->count;
    return used;
}

/* ---- emit: births behind the survivors ---- */

/* Where a birth at `fraction` of the step has got to by its end. */
static void step_birth_begin(tp_world *world, const tpi_birth *birth)
{
    tpi_field_plan plan = tpi_field_prepare(world);
    tp_vector position = birth->position, velocity = birth->velocity;
    float rest = world->step.timestep * (1.0f - birth->fraction);
    if (rest > 0.0f) tpi_integrate(world, &plan, &position, &velocity, birth->species, rest);
    step_path_begin(world, birth->position, position, velocity, birth->species, birth->fraction);
}

static void step_birth_end(tp_world *world, const step_arrays *arrays)
{
    tpi_step *step = &world->step;
    const tpi_path *path = &step->path;
    step->path_begun = false;
    if (path->killed || step_is_lost(path->to, path->velocity)) {
        step->died++;
        step->birth_count++;
        return;
    }
    uint32_t place = step->count++;
    step_write(world, arrays->next_x, place, tpi_box_wrap_vector(&world->constants.box, path->to));
    step_write(world, arrays->next_v, place, path->velocity);
    tpi_words(world, world->arrays.order)[place] = world->clock.next_id + step->birth_count++;
    tpi_words(world, world->arrays.density)[place] = step->birth_meta;
    if (world->def.keeps_births) tpi_words(world, world->arrays.near_density)[place] = step->birth_ticks;
}

/* The next birth that finds room, its path begun. False when there is none, or when `units` are used up by births
   that found none: then *done tells the two apart. */
static bool step_birth_next(tp_world *world, uint32_t units, uint32_t *used, bool *done)
{
    tpi_step *step = &world->step;
    tpi_birth birth;
    while (*used < units) {
        if (!tpi_emit_next(world, &birth)) {
            *done = true;
            return false;
        }
        ++*used;
        if (step->count < world->def.particles_max) {
            float ticks = (float)step->ticks * birth.fraction;
            step->birth_meta = birth.species | (birth.emitter_slot + 1u) << 8;
            step->birth_ticks = (uint32_t)tpi_now(world) + (uint32_t)ticks;
            step_birth_begin(world, &birth);
            return true;
        }
        tpi_emit_refused(world, birth.emitter_slot);
        step->births_refused++;
    }
    return false;
}

static TPI_APART uint32_t step_emit(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    step_arrays arrays = step_arrays_of(world);
    uint32_t used = 0;
    if (step->cursor.phase == 0) {
        step->survivor_count = step->count;
        step->cursor.phase = 1;
    }
    while (used < units) {
        bool path_done = true;
        if (!step->path_begun && !step_birth_next(world, units, &used, done)) break;
        used += step_path_advance(world, units, used, &path_done);
        if (!path_done) break;
        step_birth_end(world, &arrays);
    }
    return used;
}

/* ---- commit ---- */

static void step_commit_one(tp_world *world, const step_arrays *arrays, uint32_t from, uint32_t to)
{
    uint32_t *order = tpi_words(world, world->arrays.order);
    uint32_t *next_meta = tpi_words(world, world->arrays.density), word = order[from];
    uint32_t *next_birth = world->def.keeps_births ? tpi_words(world, world->arrays.near_density) : NULL;
    if (from < world->step.survivor_count) {
        uint32_t place = TPI_ORDER_PLACE(word);
        uint32_t meta = tpi_words(world, world->arrays.meta)[place];
        if (!world->step.is_priming) meta &= ~TP_META_CONTACT; /* else the last step's are told still */
        next_meta[to] = meta | (word & TPI_ORDER_CONTACT ? TP_META_CONTACT : 0u);
        if (next_birth) next_birth[to] = tpi_words(world, world->arrays.birth)[place];
        order[to] = tpi_words(world, world->arrays.id)[place];
    } else {
        next_meta[to] = next_meta[from];
        if (next_birth) next_birth[to] = next_birth[from];
        order[to] = word;
    }
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        arrays->next_x[axis][to] = tpi_flush(arrays->next_x[axis][from]);
        arrays->next_v[axis][to] = tpi_flush(arrays->next_v[axis][from]);
    }
}

/* The survivors of this step close up: cursor.j of the cursor.i looked at live. */
static TPI_APART uint32_t step_commit(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    tpi_cursor *cursor = &step->cursor;
    step_arrays arrays = step_arrays_of(world);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    uint32_t end = cursor->i + tpi_min_u32(units, step->count - cursor->i), used = end - cursor->i;
    for (; cursor->i < end; cursor->i++) {
        if (cursor->i < step->survivor_count && (order[cursor->i] & TPI_ORDER_DEAD)) continue;
        step_commit_one(world, &arrays, cursor->i, cursor->j++);
    }
    *done = cursor->i == step->count;
    return used;
}

static void step_exchange_words(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
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
    report->born += step->birth_count;
    report->died += step->died;
    report->recycled += step->recycled;
    report->killed_particles += step->killed;
    report->pairs = step->pairs_found;
    report->neighbours_largest = step->neighbours_largest;
    world->pairs_pool.used = step->pair_count;
    world->pairs_pool.peak = tpi_max_u32(world->pairs_pool.peak, step->pair_count);
    world->pairs_pool.refused += step->neighbours_dropped;
    report->neighbours_dropped += step->neighbours_dropped;
    report->cells_crowded += step->cells_crowded;
    report->displacements_clamped += step->displacements_clamped;
    report->speeds_clamped += step->speeds_clamped;
    report->contacts = step->contacts;
    report->contacts_capped += step->contacts_capped;
    report->pushed_out += step->pushed_out;
    report->overlaps_guarded += step->overlaps_guarded;
    report->collisions += step->collisions;
    report->overlaps_left += step->overlaps_left;
    world->impulse_sum += step->impulse_sum;
    world->impulse_ticks += step->ticks;
    report->links_dropped += step->links_dropped;
    report->links_broken += step->links_broken;
    report->links_guarded += step->links_guarded;
    report->links_cut += step->links_cut;
    world->births_refused += step->births_refused;
}

/* The only moment at which the world changes for its readers. O(emitters) */
static void step_exchange(tp_world *world)
{
    tpi_step *step = &world->step;
    tpi_arrays *a = &world->arrays;
    step_exchange_words(&a->id, &a->order);
    step_exchange_words(&a->meta, &a->density);
    if (world->def.keeps_births) step_exchange_words(&a->birth, &a->near_density);
    world->front ^= 1u;
    world->count = step->cursor.j;
    world->count_peak = tpi_max_u32(world->count_peak, world->count);
    bool is_whole = world->count == step->survivor_count && step->count == step->survivor_count;
    world->forces_fresh =
        tpi_is_pair(world) && is_whole && (!step->forces_stale || world->constants.pair.is_off);
    world->list_valid =
        tpi_def_keeps_lists(&world->def) && is_whole && !step->capped && !step->list_overflowed;
    if (step->list_built && !step->is_priming) world->report.lists_built++;
    world->links_placed = world->links_placed && step->has_links && step->count == world->count;
}

static void step_end(tp_world *world)
{
    tpi_step *step = &world->step;
    step_exchange(world);
    world->step_units_last = world->step_units;
    step_count_up(world);
    tpi_emit_end(world);
    world->clock.next_id += step->birth_count;
    tpi_substep_end(world, tpi_from_bits(step->courant_bits));
    step->active = false;
}

/* ---- the machine ---- */

/* The forces of the front set are known now; the step itself begins. Its units go on. */
static void step_end_priming(tp_world *world)
{
    uint64_t units = world->step_units;
    step_exchange(world);
    world->report.killed_particles += world->step.killed;
    world->report.pairs = world->step.pairs_found;
    world->report.neighbours_largest = world->step.neighbours_largest;
    world->pairs_pool.used = world->step.pair_count;
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
    memset(step, 0, sizeof *step);
    step->active = true;
    step->ticks = ticks;
    step->radius_squared = world->constants.radius_squared;
    step->front_count = world->count;
    step->stage = TP_STAGE_MOVE;
    step->has_links = world->links.used > 0;
    world->step_units = 0;
}

/* Only the forces of the front set are to be computed, not those of links, which are never kept: these need their places. */
static void step_prime(tp_world *world)
{
    world->step.is_priming = true;
    if (world->step.has_links && !world->links_placed) world->step.stage = TP_STAGE_LINKS;
}

void tpi_step_begin(tp_world *world, uint32_t ticks)
{
    tpi_step *step = &world->step;
    if (!world->clock.frame_begun) {
        tpi_emitters_begin_frame(world);
        tpi_colliders_begin_frame(world);
        world->clock.frame_begun = true;
    }
    step_clear(world, ticks);
    tpi_fields_begin_step(world);
    if (tpi_is_pair(world) && !tpi_is_hard(world) && !world->forces_fresh) {
        step_prime(world);
        return;
    }
    if (step->has_links) step->stage = TP_STAGE_LINKS;
    tpi_emit_begin(world);
    step->timestep = (float)ticks * world->constants.seconds_per_tick;
    if (world->def.pool_policy != TP_POOL_RECYCLE) return;
    uint64_t wanted = (uint64_t)world->count + tpi_emit_plan(world);
    if (wanted <= world->def.particles_max || world->count == 0) return;
    step->recycles = true;
    step->recycle_count = (uint32_t)tpi_min_u32((uint32_t)(wanted - world->def.particles_max), world->count);
    if (!step->has_links) step->stage = TP_STAGE_RECYCLE;
}

/* Pair forces: the list of the step before may still do. */
static tp_stage step_after_move(tp_world *world)
{
    tpi_step *step = &world->step;
    if (!tpi_has_pairs(world)) return TP_STAGE_COLLIDE;
    world->list_valid = world->list_valid && !step->list_broken;
    if (!world->list_valid) return TP_STAGE_GRID;
    step->count = step->front_count;
    step->pairs_found = world->report.pairs;
    step->pair_count = world->pairs_pool.used;
    step->neighbours_largest = world->report.neighbours_largest;
    return TP_STAGE_FORCE;
}

/* Pair forces: lists reach farther than the cutoff, the cap does not. */
static tp_stage step_after_list(tp_world *world)
{
    tpi_step *step = &world->step;
    step->pairs_found = step->pairs;
    step->cells_crowded = step->crowded;
    step->radius_squared = world->constants.pair.reach_squared;
    if (step->neighbours_largest <= world->constants.neighbours_max) return TP_STAGE_FORCE;
    step->capped = true;
    return TP_STAGE_NEAREST;
}

/* The pair pass is over: was anybody above the cap? Then it runs once more with the nearest only. */
static tp_stage step_after_pairs(tp_world *world)
{
    tpi_step *step = &world->step;
    if (step->capped) {
        step->neighbours_dropped = 2u * (step->pairs_found - step->pairs);
        step->pairs_found = step->pairs;
        return TP_STAGE_PRESSURE;
    }
    step->pairs_found = step->pairs;
    step->cells_crowded = step->crowded;
    return step->neighbours_largest > world->constants.neighbours_max ? TP_STAGE_NEAREST : TP_STAGE_PRESSURE;
}

static tp_stage step_after_force(tp_world *world)
{
    tpi_step *step = &world->step;
    if (tpi_is_pair(world)) step->neighbours_dropped = step->ends_cut;
    if (step->has_links && !step->closes_links) {
        step->closes_links = true;
        return TP_STAGE_LINKS;
    }
    if (!step->is_priming) return TP_STAGE_COLLIDE;
    step->survivor_count = step->count;
    return TP_STAGE_COMMIT;
}

static tp_stage step_after_links(tp_world *world)
{
    if (world->step.closes_links) return step_after_force(world);
    return world->step.recycles ? TP_STAGE_RECYCLE : TP_STAGE_MOVE;
}

/* Pair forces that are all off: the list of nobody is as good as any. */
static tp_stage step_after_grid(tp_world *world)
{
    if (!tpi_is_pair(world) || !world->constants.pair.is_off) return TP_STAGE_PAIRS;
    world->step.list_built = true;
    return TP_STAGE_FORCE;
}

static tp_stage step_next(tp_world *world)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_RECYCLE: return TP_STAGE_MOVE;
    case TP_STAGE_MOVE: return step_after_move(world);
    case TP_STAGE_LINKS: return step_after_links(world);
    case TP_STAGE_GRID: return step_after_grid(world);
    case TP_STAGE_PAIRS: return tpi_is_pair(world) ? step_after_list(world) : step_after_pairs(world);
    case TP_STAGE_NEAREST:
        world->step.capped = true;
        return tpi_is_pair(world) ? TP_STAGE_FORCE : TP_STAGE_PAIRS;
    case TP_STAGE_PRESSURE: return TP_STAGE_FORCE;
    case TP_STAGE_FORCE: return step_after_force(world);
    case TP_STAGE_COLLIDE: return TP_STAGE_EMIT;
    default: return TP_STAGE_COMMIT;
    }
}

static uint32_t step_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_RECYCLE: return step_recycle(world, units, done);
    case TP_STAGE_LINKS: return tpi_links(world, units, done);
    case TP_STAGE_MOVE: return step_move(world, jobs, units, done);
    case TP_STAGE_GRID: return tpi_grid_build(world, jobs, units, done);
    case TP_STAGE_PAIRS:
        return tpi_is_pair(world) ? tpi_pair_list(world, jobs, units, done)
                                  : tpi_sph_density(world, jobs, units, done);
    case TP_STAGE_NEAREST: return tpi_grid_nearest(world, units, done);
    case TP_STAGE_PRESSURE: return tpi_sph_pressure(world, jobs, units, done);
    case TP_STAGE_FORCE:
        if (tpi_is_hard(world)) return tpi_hard_collide(world, jobs, units, done);
        return tpi_is_pair(world) ? tpi_pair_force(world, jobs, units, done)
                                  : tpi_sph_force(world, jobs, units, done);
    case TP_STAGE_COLLIDE: return step_collide(world, units, done);
    case TP_STAGE_EMIT: return step_emit(world, units, done);
    default: return step_commit(world, units, done);
    }
}

bool tpi_step_advance(tp_world *world, const tp_jobs *jobs, uint32_t units, uint32_t *used, tp_stage *stage)
{
    tpi_step *step = &world->step;
    bool done = false;
    *stage = (tp_stage)step->stage;
    *used = step_run(world, jobs, units, &done);
    world->step_units += *used;
    if (!done) return false;
    if (step->stage == TP_STAGE_COMMIT && !step->is_priming) {
        step_end(world);
        return true;
    }
    if (step->stage == TP_STAGE_COMMIT) {
        step_end_priming(world);
        return false;
    }
    step->stage = step_next(world);
    step->cursor = (tpi_cursor){0};
    return false;
}

/* A step that only primes, looked at when the forces are known and the back set still has its table. */
tp_result tp_pair_measure(tp_world *world, tp_pair_report *report)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!report) return TP_ERROR_NULL;
    memset(report, 0, sizeof *report);
    if (!tpi_is_pair(world)) return TP_ERROR_DEFINITION;
    uint32_t used;
    tp_stage stage;
    tpi_step_cancel(world);
    step_clear(world, 0);
    step_prime(world);
    while (world->step.stage != TP_STAGE_COMMIT) (void)tpi_step_advance(world, NULL, 65536u, &used, &stage);
    tpi_pair_measure_back(world, report);
    world->impulse_sum = world->impulse_ticks = 0;
    while (world->step.active) (void)tpi_step_advance(world, NULL, 65536u, &used, &stage);
    return TP_OK;
}
