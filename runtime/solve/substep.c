/* SPDX-License-Identifier: MIT
   runtime/solve/substep.c - divides a frame into time steps: equal ones, or adaptive ones by
           Courant number; both within the longest stable step of the last state.
   reads   the definition, the clock      writes  the clock, when a step is complete
   memory  none of its own
   cost    O(1) per step; O(count_max) to find the stable number of steps
   after   Blender's adaptive sub-frames: shrink at once, grow by a tenth of the difference. Two
           corrections unless `compat`: the next step is scaled from the step taken, not from the
           stored fraction, and the first step of a frame may also be its last */
#include "solve.h"
#include "../world/solver.h"

#define TPI_SUBSTEP_LIMIT 101u /* sub-steps of a frame at most, adaptive or not */
#define TPI_SUBSTEP_GROW  0.1f /* of the difference to the wanted fraction, after each step */
/* Tolerance: rounding the lengths of frame and limit to floats must not add a step. */
#define TPI_SUBSTEP_SLACK 1.000001f

/* Without solvers the number of steps does not follow the state. */
#define TPI_SUBSTEP_CHANGES (TPI_HAS_SPH || TPI_HAS_PAIR || TPI_HAS_CLOTH)

static uint32_t substep_ceil_divide(uint32_t a, uint32_t b) { return (a + b - 1u) / b; }

/* Smallest number of equal steps within the solver's stability limit. */
static uint32_t substep_stable_count(const tp_world_def *def, float frame)
{
    uint32_t count = 1;
    float limit = tpi_solver_timestep_max(def);
    if (limit == 0.0f) return count;
    while (count < TPI_SUBSTEP_LIMIT && (float)count * limit * TPI_SUBSTEP_SLACK < frame) count++;
    return count;
}

static uint32_t substep_limit_ticks(const tp_world_def *def, float frame, uint32_t stable_count)
{
    float limit = tpi_solver_timestep_max(def);
    if (limit == 0.0f) return TP_TICKS_PER_FRAME;
    float ticks = limit / frame * (float)TP_TICKS_PER_FRAME;
    if (!(ticks < (float)TP_TICKS_PER_FRAME)) return TP_TICKS_PER_FRAME;
    return tpi_max_u32((uint32_t)ticks, substep_ceil_divide(TP_TICKS_PER_FRAME, stable_count));
}

tpi_substep_rule tpi_substep_rule_of(const tp_world_def *def)
{
    tpi_substep_rule rule;
    float frame =
        (float)def->frames_per_second_denominator / (float)def->frames_per_second_numerator;
    uint32_t stable_count = substep_stable_count(def, frame);
    rule.count = tpi_max_u32(def->substeps.count, stable_count);
    rule.count_max = tpi_max_u32(def->substeps.count_max, rule.count);
    rule.limit_ticks = substep_limit_ticks(def, frame, stable_count);
    rule.courant = def->substeps.courant;
    rule.is_adaptive = def->substeps.is_adaptive;
    rule.compat = def->substeps.compat;
    return rule;
}

tpi_substep_rule tpi_substep_rule_within(const tp_world_def *def, float stable)
{
    tpi_substep_rule rule = tpi_substep_rule_of(def);
    uint32_t ticks = (uint32_t)(stable * (float)TP_TICKS_PER_FRAME);
    while (rule.count < rule.count_max && (float)rule.count * stable * TPI_SUBSTEP_SLACK < 1.0f)
        rule.count++;
    ticks = tpi_max_u32(ticks, substep_ceil_divide(TP_TICKS_PER_FRAME, rule.count));
    rule.limit_ticks = tpi_min_u32(rule.limit_ticks, ticks);
    return rule;
}

/* Ticks from `tick` to the next boundary of the equal steps, so that an occasional coarser step
   does not shift the boundaries. If their number changes with the state, the step to the boundary
   is short; where the steps that are left would then be too few, the rest is divided anew. So a
   frame never has more than most = 2 * count_max: before each step rest <= left * frame / most + 1,
   and rest / n with n <= left keeps that. The products are below 2^28. */
static uint32_t substep_fixed(const tpi_substep_rule *rule, uint32_t tick, uint32_t taken)
{
    uint32_t rest = TP_TICKS_PER_FRAME - tick, most = 2u * rule->count_max;
    uint32_t left = most > taken ? most - taken : 1u;
    /* the next boundary is number k, at k * frame / count, so that a remainder is spread evenly */
    uint32_t k = substep_ceil_divide((tick + 1u) * rule->count, TP_TICKS_PER_FRAME);
    uint32_t ticks = k * TP_TICKS_PER_FRAME / rule->count - tick, after = rest - ticks;
    if (!after || !TPI_SUBSTEP_CHANGES) return ticks;
    if (left > 1u && (after - 1u) * most <= (left - 1u) * TP_TICKS_PER_FRAME) return ticks;
    uint32_t wanted = substep_ceil_divide(rest * rule->count, TP_TICKS_PER_FRAME);
    return substep_ceil_divide(rest, tpi_min_u32(wanted, left));
}

/* The stored fraction in ticks: at least 1/M of the frame, rounded up so that M steps always
   suffice, and within the stability limit. */
static uint32_t substep_stored_ticks(const tpi_substep_rule *rule, float stored)
{
    uint32_t low = substep_ceil_divide(TP_TICKS_PER_FRAME, rule->count_max);
    uint32_t high = substep_ceil_divide(TP_TICKS_PER_FRAME, rule->count);
    float ticks = tpi_clamp(stored, 0.0f, 1.0f) * (float)TP_TICKS_PER_FRAME + 0.5f;
    uint32_t wanted = tpi_max_u32(tpi_min_u32((uint32_t)ticks, high), low);
    return tpi_min_u32(wanted, rule->limit_ticks);
}

/* If at most one and a half steps are left of the frame, they are taken as one step, or as two
   halves if one would be unstable. */
static uint32_t substep_adaptive(const tpi_substep_rule *rule, uint32_t tick, float stored)
{
    uint32_t rest = TP_TICKS_PER_FRAME - tick, ticks = substep_stored_ticks(rule, stored);
    bool may_trim = tick > 0 || !rule->compat;
    if (may_trim ? 2u * rest <= 3u * ticks : rest <= ticks) ticks = rest;
    if (ticks > rule->limit_ticks) ticks = substep_ceil_divide(rest, 2u);
    return ticks;
}

uint32_t tpi_substep_next(const tpi_substep_rule *rule, const tpi_clock *clock)
{
    return rule->is_adaptive ? substep_adaptive(rule, clock->tick, clock->step_fraction)
                             : substep_fixed(rule, clock->tick, clock->step_of_frame);
}

float tpi_substep_adapt(const tpi_substep_rule *rule, float stored, float taken, float courant,
                        bool *capped)
{
    float low = 1.0f / (float)rule->count_max, high = 1.0f / (float)rule->count;
    float now = tpi_clamp(stored, low, high), want = high;
    if (courant > 0.0f) want = (rule->compat ? now : taken) * rule->courant / courant;
    if (want < low && now <= low) *capped = true;
    want = tpi_clamp(want, low, high);
    return want > now ? now + TPI_SUBSTEP_GROW * (want - now) : want;
}

static tpi_substep_rule substep_rule_now(const tp_world *world)
{
    return tpi_substep_rule_within(&world->def, world->clock.stable_fraction);
}

TPI_APART uint32_t tpi_substep_ticks(const tp_world *world)
{
    tpi_substep_rule rule = substep_rule_now(world);
    return tpi_substep_next(&rule, &world->clock);
}

TPI_APART uint32_t tpi_substep_ticks_coarse(const tp_world *world, uint32_t steps_affordable)
{
    tpi_substep_rule rule = substep_rule_now(world);
    uint32_t rest = TP_TICKS_PER_FRAME - world->clock.tick;
    uint32_t ticks = tpi_substep_next(&rule, &world->clock);
    uint32_t steps = tpi_max_u32(steps_affordable, substep_ceil_divide(rest, rule.limit_ticks));
    return tpi_max_u32(ticks, substep_ceil_divide(rest, tpi_max_u32(steps, 1u)));
}

/* s per frame. */
static float substep_frame(const tp_world *world)
{
    return (float)TP_TICKS_PER_FRAME * world->constants.seconds_per_tick;
}

float tpi_substep_seconds(const tp_world *world, uint32_t ticks, float stable)
{
    float whole = (float)ticks * world->constants.seconds_per_tick;
    float longest = stable * substep_frame(world);
    return whole > longest * TPI_SUBSTEP_SLACK ? longest : whole;
}

/* The published program has no step limit. */
static float substep_strain(const tp_world *world)
{
    return world->def.sph.compat ? 0.0f : tpi_from_bits(world->step.strain_bits);
}

/* The longest stable step of the state that the step in progress met, as a fraction of a frame. */
static float substep_stable(const tp_world *world)
{
    float taken = world->step.timestep / substep_frame(world), strain = substep_strain(world);
    return strain > taken ? taken / strain : 1.0f;
}

tpi_substep_restart tpi_substep_shorter(const tp_world *world)
{
    const tpi_step *step = &world->step;
    if (!(substep_strain(world) > TPI_STRAIN_MAX) || step->restarts >= TPI_STRAIN_RESTARTS)
        return (tpi_substep_restart){0};
    float stable = substep_stable(world);
    tpi_substep_rule rule = tpi_substep_rule_within(&world->def, stable);
    uint32_t ticks = tpi_substep_next(&rule, &world->clock);
    tpi_substep_restart restart = {.ticks = tpi_min_u32(ticks, step->ticks)};
    restart.timestep = tpi_substep_seconds(world, restart.ticks, stable);
    return restart;
}

bool tpi_substep_is_strained(const tp_world *world)
{
    float whole = (float)world->step.ticks * world->constants.seconds_per_tick;
    return world->step.timestep < whole ||
           ((TPI_HAS_LINKS || TPI_HAS_CLOTH) && world->step.softens_links) ||
           tpi_from_bits(world->step.strain_bits) > TPI_STRAIN_MAX;
}

/* Shrinks at once, and grows by a tenth of the difference. */
static float substep_adapt_stable(float stored, float want)
{
    return want > stored ? tpi_min(stored + TPI_SUBSTEP_GROW * (want - stored), 1.0f) : want;
}

TPI_APART void tpi_substep_end(tp_world *world, float courant)
{
    tpi_clock *clock = &world->clock;
    float taken = world->step.timestep / substep_frame(world);
    clock->stable_fraction = substep_adapt_stable(clock->stable_fraction, substep_stable(world));
    tpi_substep_rule rule = substep_rule_now(world);
    if (rule.is_adaptive)
        clock->step_fraction =
            tpi_substep_adapt(&rule, clock->step_fraction, taken, courant, &clock->was_capped);
    clock->tick += world->step.ticks;
    clock->step_of_frame++;
    if (clock->tick < TP_TICKS_PER_FRAME) return;
    clock->tick = 0;
    clock->step_of_frame = 0;
    clock->frame++;
    clock->frame_begun = false;
    if (clock->was_capped) world->report.courant_exceeded++;
    clock->was_capped = false;
}

#undef TPI_SUBSTEP_LIMIT
#undef TPI_SUBSTEP_GROW
#undef TPI_SUBSTEP_SLACK
#undef TPI_SUBSTEP_CHANGES
