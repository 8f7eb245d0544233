/* SPDX-License-Identifier: MIT
   runtime/solve/sph/spring.c - springs of a viscoelastic fluid: plastic flow, forces, births.
   reads   back positions, the front set's rows of springs
   writes  the back set's rows, force
   memory  words of the block by role; the indices of the back set in the memory of pressures
   cost    one unit per particle and spring, and one sweep through the grid for births; an offer to
           a full row costs a unit more per 4 of its springs
   after   Clavet, Beaudoin and Poulin 2005, algorithms 3 and 4. Deviations: all springs act on the
           same positions; their impulses are integers that are added to both particles, so that
           momentum is exact; a spring may be born with the distance of its pair */
#include "sph_lanes.h"
#include "../link.h"
#include "terms.h"
#include "../../grid/sweep.h"
#include "../../world/box.h"
#include "../../world/event.h"

/* An impulse is clamped to this share of the support radius times the heaviest mass: sums have room
   for 2048 of them. */
#define TPI_SPRING_MOST 0.0625f
/* Springs of a row that a unit compares with an offered one, and those that it passes or moves. */
#define TPI_SPRING_COMPARED 4u
#define TPI_SPRING_PASSED   16u
/* Units of a sweep for births in a slice, at least: fewer would mostly find the cells again. With
   the costliest offers a slice overruns by less than TP_UNITS_OVERRUN. */
#define TPI_SPRING_LEAST 8u

typedef struct sph_spring_context {
    sph_context sph;
    uint32_t capacity;
    const uint32_t *ids;
    const uint32_t *back; /* the back index of each front index, if it is alive */
    float radius;
    float stiffness; /* times dt^2 / (2 radius) */
    float flow; /* share of the stretch beyond the yield that becomes rest length in the step */
    float yield;
    tpi_step *step;  /* its counters */
    uint32_t *extra; /* units of offers, besides those of the sweep */
} sph_spring_context;

static void sph_spring_context_set(tp_world *world, sph_spring_context *to)
{
    const tp_sph *sph = &world->def.sph;
    float timestep = world->step.timestep;
    sph_context_set(world, &to->sph);
    to->capacity = sph->springs_max;
    to->ids = tpi_words(world, world->arrays.id);
    to->back = tpi_back_indices(world);
    to->radius = world->constants.smoothing_radius;
    to->stiffness = 0.5f * sph->spring_stiffness * (timestep * timestep) * to->sph.inverse_radius;
    to->flow = tpi_min(sph->spring_plasticity * timestep, 1.0f);
    to->yield = sph->spring_yield;
    to->step = &world->step;
}

static uint32_t sph_spring_id(const sph_spring_context *c, uint32_t index)
{
    return c->ids[TPI_ORDER_INDEX(c->sph.order[index])];
}

static uint32_t sph_spring_partner(const tp_world *world, const sph_spring_context *c,
                                   uint32_t index)
{
    if (index >= world->step.front_count) return TPI_SPRING_NONE;
    uint32_t back = c->back[index];
    if (back >= world->step.count || TPI_ORDER_INDEX(c->sph.order[back]) != index)
        return TPI_SPRING_NONE;
    return back;
}

/* ---- flow and forces ---- */

/* The rest length after the plastic flow of a step, in which the length is r. */
static float sph_spring_flow(const sph_spring_context *c, float rest, float r)
{
    float least = rest - c->yield * rest, most = rest + c->yield * rest;
    if (r > most) rest = rest + c->flow * (r - most);
    if (r < least) rest = rest - c->flow * (least - r);
    return tpi_flush(tpi_max(rest, 0.0f));
}

/* The impulses of a spring on its particles, of length r = |d|; d from i to j. Coincident particles
   have no direction: pressure parts them. */
static void sph_spring_push(const tp_world *world, const sph_spring_context *c, uint32_t i,
                            uint32_t j, const float d[3], float r, float rest)
{
    const uint32_t *order = c->sph.order;
    float mass = c->sph.pair_mass[TPI_ORDER_SPECIES(order[i])][TPI_ORDER_SPECIES(order[j])];
    float impulse = c->stiffness * (1.0f - rest * c->sph.inverse_radius) * (rest - r) * mass;
    float kept = tpi_clamp(impulse, -TPI_SPRING_MOST, TPI_SPRING_MOST);
    if (!(r * r > c->sph.coincident_squared)) return;
    if (kept != impulse) ++*c->sph.clamped;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        uint32_t term = (uint32_t)tpi_fixed(d[axis] / r * kept);
        ((uint32_t *)c->sph.flow[axis])[i] -= term;
        ((uint32_t *)c->sph.flow[axis])[j] += term;
    }
}

static float sph_spring_length(const tp_world *world, uint32_t i, uint32_t j, float d[3])
{
    float square = 0.0f;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        const float *x = tpi_back_x(world, axis);
        d[axis] = x[j] - x[i];
        if (TPI_UNLIKELY(world->constants.box.is_periodic))
            d[axis] = tpi_box_image(&world->constants.box, axis, d[axis]);
        square = square + d[axis] * d[axis];
    }
    return tpi_sqrt(square);
}

/* A spring that ends is an event; d and r as in sph_spring_push. Velocities are those before the
   step. Returns its units. */
static TPI_APART uint32_t sph_spring_note(tp_world *world, const sph_spring_context *c, uint32_t i,
                                          uint32_t j, const float d[3], float r)
{
    const uint32_t *order = c->sph.order;
    const bool is_3d = tpi_dimensions(world) == 3;
    tp_event event = tpi_event_front(world, TP_EVENT_SPRING_BROKEN, TPI_ORDER_INDEX(order[i])),
             other = tpi_event_front(world, TP_EVENT_SPRING_BROKEN, TPI_ORDER_INDEX(order[j]));
    tp_vector offset = {d[0], d[1], is_3d ? d[2] : 0.0f};
    tp_vector at = {tpi_back_x(world, 0)[i], tpi_back_x(world, 1)[i],
                    is_3d ? tpi_back_x(world, 2)[i] : 0.0f};
    event.partner = other.id;
    event.point = tpi_box_wrap_vector(&world->constants.box, tpi_add_scaled(at, offset, 0.5f));
    event.normal = tpi_scale(offset, r > 0.0f ? -1.0f / r : 0.0f);
    event.speed = tpi_dot(tpi_sub(event.velocity, other.velocity), event.normal);
    return tpi_event_add(world, &event);
}

/* Copies the springs of a particle to its row in the back set, and lets them act. Springs of a dead
   particle, and those longer at rest than the support radius, end. Returns its units: their number,
   and those of events. */
static uint32_t sph_spring_act(tp_world *world, const sph_spring_context *c, uint32_t i)
{
    const tpi_spring *from = tpi_spring_row(world, world->front, TPI_ORDER_INDEX(c->sph.order[i]));
    tpi_spring *to = tpi_spring_row(world, world->front ^ 1u, i);
    const bool has_events = tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_SPRING_BROKEN));
    uint32_t count = tpi_springs_in(from, c->capacity), kept = 0, used = count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = sph_spring_partner(world, c, from[k].partner);
        float d[3];
        if (j == TPI_SPRING_NONE) continue;
        float r = sph_spring_length(world, i, j, d),
              rest = sph_spring_flow(c, from[k].rest_length, r);
        if (rest > c->radius) {
            world->step.springs_removed++;
            if (has_events) used += sph_spring_note(world, c, i, j, d, r);
            continue;
        }
        sph_spring_push(world, c, i, j, d, r, rest);
        to[kept++] = (tpi_spring){j, rest};
    }
    tpi_springs_end(to, kept, c->capacity);
    world->step.springs += kept;
    return used;
}

static uint32_t sph_spring_act_all(tp_world *world, const sph_spring_context *c, uint32_t units,
                                   bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0, most = 1u + c->capacity;
    most += tpi_event_units(world, TP_EVENT_SPRING_BROKEN) * c->capacity;
    for (; cursor->i < world->step.count && (used == 0 || used + most <= units); cursor->i++)
        used += 1u + sph_spring_act(world, c, cursor->i);
    *done = cursor->i == world->step.count;
    return used;
}

/* ---- births ---- */

typedef struct sph_spring_rank {
    float r;
    uint32_t id;
} sph_spring_rank;

static bool sph_spring_is_farther(sph_spring_rank a, sph_spring_rank b)
{
    return a.r > b.r || (a.r == b.r && a.id > b.id);
}

/* The index in a full row of the spring whose partner is the farthest, ties by id; `capacity` if
   none is farther than a new partner of this rank. */
static uint32_t sph_spring_farthest(const tp_world *world, const sph_spring_context *c,
                                    uint32_t own, const tpi_spring *row, sph_spring_rank rank)
{
    uint32_t farthest = c->capacity;
    float d[3];
    for (uint32_t k = 0; k < c->capacity; k++) {
        sph_spring_rank other = {sph_spring_length(world, own, row[k].partner, d),
                                 sph_spring_id(c, row[k].partner)};
        if (!sph_spring_is_farther(other, rank)) continue;
        rank = other;
        farthest = k;
    }
    return farthest;
}

/* Puts a spring into a row, in the order of the partners' ids. The result does not depend on the
   order of births: of all that are offered the nearest are kept. */
static TPI_APART void sph_spring_bear(const tp_world *world, const sph_spring_context *c,
                                      uint32_t own, uint32_t partner, uint32_t count)
{
    tpi_spring *row = tpi_spring_row(world, world->front ^ 1u, own);
    tpi_step *step = c->step;
    float d[3], r = sph_spring_length(world, own, partner, d);
    sph_spring_rank rank = {r, sph_spring_id(c, partner)};
    if (count == c->capacity) {
        uint32_t last = sph_spring_farthest(world, c, own, row, rank);
        *c->extra += (c->capacity + TPI_SPRING_COMPARED - 1u) / TPI_SPRING_COMPARED;
        step->springs_dropped++;
        if (last == c->capacity) return;
        for (count--; last < count; last++) row[last] = row[last + 1u];
        step->springs--;
    }
    uint32_t k = count;
    for (; k > 0 && sph_spring_id(c, row[k - 1u].partner) > rank.id; k--) row[k] = row[k - 1u];
    row[k] = (tpi_spring){partner, world->def.sph.springs_at_rest ? tpi_flush(r) : c->radius};
    tpi_springs_end(row, count + 1u, c->capacity);
    step->springs++;
    *c->extra += count / TPI_SPRING_PASSED;
}

TPI_INLINE void sph_spring_offer(const tp_world *world, const void *context, uint32_t i,
                                 const uint32_t *partners, const float *squares, uint32_t count,
                                 tpi_tally *tally)
{
    const sph_spring_context *c = (const sph_spring_context *)context;
    const uint32_t id = sph_spring_id(c, i), back = world->front ^ 1u;
    (void)squares, (void)tally;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t j = partners[n];
        bool is_mine = tpi_spring_is_mine(id, sph_spring_id(c, j));
        uint32_t own = is_mine ? i : j, partner = is_mine ? j : i, k = 0;
        const tpi_spring *row = tpi_spring_row(world, back, own);
        while (k < c->capacity && row[k].partner != TPI_SPRING_NONE && row[k].partner != partner)
            k++;
        *c->extra += k / TPI_SPRING_PASSED;
        if (k == c->capacity || row[k].partner == TPI_SPRING_NONE)
            sph_spring_bear(world, c, own, partner, k);
    }
}
TPI_SWEEP_GRID(sph_spring_offer_2d, sph_spring_offer, .dimensions = 2,
               .is_periodic = world->constants.box.is_periodic)
#if TPI_HAS_3D
TPI_SWEEP_GRID(sph_spring_offer_3d, sph_spring_offer, .dimensions = 3,
               .is_periodic = world->constants.box.is_periodic)
#endif

/* ---- the stage ---- */

static bool sph_spring_has_births(const tp_world *world)
{
    const tp_sph *sph = &world->def.sph;
    return sph->spring_frames == 0 || world->clock.frame < sph->spring_frames;
}

static uint32_t sph_spring_sweep(tp_world *world, const sph_spring_context *c, uint32_t units,
                                 bool *done)
{
#if TPI_HAS_3D
    if (tpi_dimensions(world) == 3) return sph_spring_offer_3d(world, NULL, units, c, done);
#endif
    return sph_spring_offer_2d(world, NULL, units, c, done);
}

/* Units of the costliest offer. */
static uint32_t sph_spring_offer_most(uint32_t capacity)
{
    return 1u + 2u * (capacity / TPI_SPRING_PASSED) +
           (capacity + TPI_SPRING_COMPARED - 1u) / TPI_SPRING_COMPARED;
}

/* Sweeps with so few units that the slice has enough for costly offers. */
static uint32_t sph_spring_bear_all(tp_world *world, sph_spring_context *c, uint32_t units,
                                    bool *done)
{
    uint32_t extra = 0, share = tpi_max_u32(units / sph_spring_offer_most(c->capacity),
                                            tpi_min_u32(units, TPI_SPRING_LEAST));
    c->extra = &extra;
    uint32_t used = sph_spring_sweep(world, c, share, done);
    return used + extra;
}

TPI_APART uint32_t tpi_sph_springs(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    sph_spring_context c;
    bool phase_done = false;
    uint32_t used, phase = cursor->phase;
    sph_spring_context_set(world, &c);
    switch (phase) {
    case 0: used = tpi_back_indices_find(world, units, &phase_done); break;
    case 1: used = sph_spring_act_all(world, &c, units, &phase_done); break;
    default: used = sph_spring_bear_all(world, &c, units, &phase_done); break;
    }
    *done = phase_done && (phase == 2u || (phase == 1u && !sph_spring_has_births(world)));
    if (phase_done) *cursor = (tpi_cursor){.phase = phase + 1u};
    return used;
}

#undef TPI_SPRING_MOST
#undef TPI_SPRING_COMPARED
#undef TPI_SPRING_PASSED
#undef TPI_SPRING_LEAST
