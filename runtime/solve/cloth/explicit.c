/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/explicit.c - springs: the longest step that a net of springs bears.
   reads   constraints, pins, masses      writes  row sums, the strain of the step
   memory  8 bytes per node, 8 bytes
   cost    units of PRESSURE: none; after a change of sheets or pins 1 per node and constraint
   after   Gershgorin 1931: an eigenvalue of the stiffness by mass is at most the largest row sum,
           here 2 k / m per spring of a node, k / m if its partner is pinned. Symplectic Euler with
           damping of the front velocities is stable for w^2 (dt^2 + 2 damping dt) < 4. Conjugate
           gradients need about w sqrt(dt^2 + damping dt) iterations */
#include "cloth.h"

/* Of the limit: the rest is for what else acts in a step. */
#define EXPLICIT_SHARE 0.8f
/* Of the square of the iterations. */
#define IMPLICIT_SHARE 2.0f

void tpi_cloth_forget_bound(const tp_world *world)
{
    if (!tpi_cloth_has_springs(&world->def)) return;
    *tpi_cloth_bound_of(world) = (tpi_cloth_bound){0};
}

/* ---- row sums ---- */

/* 1/kg; pinned: 0 */
static float explicit_weight(const tp_world *world, uint32_t i)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    if (tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH])[i] == 0.0f) return 0.0f;
    return tpi_cloth_of(world)->inverse_mass[TP_META_SPECIES(meta[i])];
}

static float explicit_stiffness(const tp_world *world, uint32_t k)
{
    const float *compliances = tpi_floats(world, world->arrays.own[TPI_CLOTH_COMPLIANCE]);
    return 1.0f / tpi_max(compliances[k], TPI_CLOTH_STIFFEST);
}

/* Adds spring k to the row of node i, which has a partner. Broken ones count, too. */
static void explicit_add(const tp_world *world, uint32_t k, uint32_t i, uint32_t partner)
{
    const float ends = explicit_weight(world, partner) > 0.0f ? 2.0f : 1.0f;
    float *rates = tpi_cloth_rates(world);
    rates[i] = tpi_min(rates[i] + ends * explicit_stiffness(world, k) * explicit_weight(world, i),
                       FLT_MAX);
    tpi_cloth_ends(world)[i] += ends;
    tpi_cloth_bound_of(world)->rate = tpi_max(tpi_cloth_bound_of(world)->rate, rates[i]);
}

/* Items: nodes, which are cleared, then constraints. */
static uint32_t explicit_sum(tp_world *world, uint32_t units)
{
    const uint32_t *firsts = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]),
                   *seconds = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND]);
    const uint32_t nodes = tpi_cloth_nodes(world),
                   count = tpi_cloth_head_of(world)->begin[TPI_CLOTH_COLOURS];
    const uint32_t begin = world->step.cursor.i,
                   end = begin + tpi_min_u32(units, nodes + count - begin);
    if (begin == 0) tpi_cloth_bound_of(world)->rate = 0.0f;
    for (uint32_t item = begin; item < end; item++) {
        if (item < nodes) {
            tpi_cloth_rates(world)[item] = tpi_cloth_ends(world)[item] = 0.0f;
            continue;
        }
        const uint32_t k = item - nodes;
        if (tpi_cloth_made(world)[k] < 0.0f) continue; /* a spare one */
        explicit_add(world, k, firsts[k], seconds[k]);
        explicit_add(world, k, seconds[k], firsts[k]);
    }
    world->step.cursor.i = end;
    if (end == nodes + count) tpi_cloth_bound_of(world)->is_known = 1;
    return end - begin;
}

/* ---- the step ---- */

/* What rate (dt^2 + 2 damping dt) may be; implicit: rate (dt^2 + damping dt). */
static float explicit_most(const tp_world *world)
{
    const float iterations = (float)world->def.cloth.iterations;
    if (tpi_cloth_is_implicit(&world->def)) return IMPLICIT_SHARE * iterations * iterations;
    return 4.0f * EXPLICIT_SHARE;
}

/* s: half the damping of implicit springs. */
static float explicit_damping(const tp_world *world)
{
    return world->def.cloth.damping * (tpi_cloth_is_implicit(&world->def) ? 0.5f : 1.0f);
}

/* s: a step for which the rate is the largest. */
float tpi_cloth_stable(const tp_world *world)
{
    const float rate = tpi_cloth_bound_of(world)->rate, damping = explicit_damping(world);
    if (!(rate > 0.0f)) return 0.0f;
    const float square = explicit_most(world) / rate;
    return square / (damping + tpi_sqrt(damping * damping + square));
}

/* 1/s^2: the largest row sum that a step bears. */
static float explicit_rate(const tp_world *world, float timestep)
{
    return explicit_most(world) / (timestep * (timestep + 2.0f * explicit_damping(world)));
}

float tpi_cloth_rate_borne(const tp_world *world)
{
    const float stable = tpi_cloth_stable(world), timestep = world->step.timestep;
    if (stable == 0.0f || timestep <= TPI_STRAIN_MAX * stable) return 0.0f;
    return explicit_rate(world, timestep);
}

/* Springs that need more steps than a frame may have are reduced, so they ask for no more. Implicit
   ones ask for none. */
static void explicit_strain(tp_world *world)
{
    tpi_step *step = &world->step;
    const float stable = tpi_cloth_stable(world),
                frame = (float)TP_TICKS_PER_FRAME * world->constants.seconds_per_tick;
    const float most = step->timestep / frame * (float)tpi_substep_rule_of(&world->def).count_max;
    if (stable == 0.0f) return;
    if (tpi_cloth_is_explicit(&world->def))
        step->strain_bits = tpi_bits(tpi_min(step->timestep / stable, most));
    step->softens_links = tpi_cloth_rate_borne(world) > 0.0f;
}

uint32_t tpi_cloth_bear(tp_world *world, uint32_t units, bool *done)
{
    const bool is_idle = tpi_cloth_nodes(world) == 0;
    uint32_t used = 0;
    if (!is_idle && !tpi_cloth_bound_of(world)->is_known) used = explicit_sum(world, units);
    *done = is_idle || tpi_cloth_bound_of(world)->is_known;
    if (*done && !is_idle) explicit_strain(world);
    return used;
}

/* ---- measuring ---- */

/* True if the step reduces a spring because of its end i. */
static bool explicit_is_over(const tp_world *world, uint32_t k, uint32_t i, float rate)
{
    return tpi_cloth_rates(world)[i] > rate &&
           explicit_stiffness(world, k) >
               rate / (tpi_cloth_ends(world)[i] * explicit_weight(world, i));
}

uint32_t tpi_cloth_softened(const tp_world *world, float timestep)
{
    const uint32_t *firsts = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]),
                   *seconds = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND]);
    const float rate = explicit_rate(world, timestep);
    uint32_t count = 0;
    if (timestep <= TPI_STRAIN_MAX * tpi_cloth_stable(world)) return 0;
    for (uint32_t k = 0; k < tpi_cloth_head_of(world)->begin[TPI_CLOTH_COLOURS]; k++)
        count += tpi_cloth_made(world)[k] >= 0.0f && /* no spare one */
                 (explicit_is_over(world, k, firsts[k], rate) ||
                  explicit_is_over(world, k, seconds[k], rate));
    return count;
}

#undef EXPLICIT_SHARE
#undef IMPLICIT_SHARE
