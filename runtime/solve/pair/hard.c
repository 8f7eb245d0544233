/* SPDX-License-Identifier: MIT
   runtime/solve/pair/hard.c - hard spheres: rounds of collisions, each a matching of particles.
   reads   back positions and velocities, species, lists or table
   writes  force (impulses), pushed, partners and urgencies
   memory  words of the block
   cost    per round: one visit per listed pair or candidate of the grid, and one per particle
   after   time-stepped (not event-driven) hard spheres. Deviation: in a round a particle collides
           with at most one partner. A pair collides if each is the other's most urgent collision.
           So collisions conserve energy also among many particles in contact, and results do not
           depend on the order of pairs */
#include "pair_lanes.h"

#define HARD_NONE 0xffffffffu
/* Shares of sigma squared. Pairs that do not approach are separated if closer than the first, to
   slightly more than contact, so that rounding does not make them touch again. */
#define HARD_TOUCHING 0.99993896f /* 1 - 2^-14 */
#define HARD_PARTED   1.0000019f  /* 1 + 2^-19, times sigma (not squared) */
/* 2^29 counts: the largest impulse of one collision; derive_impulses relies on it */
#define HARD_IMPULSE 536870912.0f
/* 2^30 counts: limit of a particle's summed impulse in a step */
#define HARD_SUM 1073741824

typedef struct hard_context {
    const float *x[3], *v[3];
    float *pushed[3];
    int32_t *impulse[3];
    const uint32_t *order, *id;
    uint32_t *partner; /* index of the partner that each particle chose */
    float *urgency;    /* of that collision; the smallest value is the most urgent */
    const tpi_box *box;
    const tp_species *species;
    const tpi_pair_constants *pair;
    float restitution;
    bool is_uniform; /* one species */
    uint32_t dimensions;
    tpi_step *step;
} hard_context;

static hard_context hard_context_of(tp_world *world)
{
    hard_context c = {.order = tpi_words(world, world->arrays.order),
                      .id = tpi_words(world, world->arrays.id),
                      .partner = tpi_hard_partners(world),
                      .urgency = tpi_hard_urgencies(world),
                      .box = &world->constants.box,
                      .species = world->def.species,
                      .pair = tpi_pair_of(world),
                      .restitution = world->def.pair.restitution,
                      .is_uniform = world->def.species_count == 1,
                      .dimensions = tpi_dimensions(world),
                      .step = &world->step};
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t from = axis < c.dimensions ? axis : 0;
        c.x[axis] = tpi_back_x(world, from);
        c.v[axis] = tpi_back_v(world, from);
        c.pushed[axis] = tpi_floats(world, world->arrays.own[TPI_PAIR_PUSHED + from]);
        c.impulse[axis] = tpi_integers(world, world->arrays.force[from]);
    }
    return c;
}

/* ---- the current state of a pair ---- */

/* Relative quantities, from the first particle to the second. Vectors change sign exactly if the
   two are exchanged. */
typedef struct hard_pair {
    float d[3], speed[3]; /* m, m/s */
    float square;         /* m^2 */
    float share;          /* of sigma squared */
    float approach;       /* m^2/s: dot product of d and speed, negative if they approach */
} hard_pair;

static uint32_t hard_species(const hard_context *c, uint32_t i)
{
    return TPI_ORDER_SPECIES(c->order[i]);
}

static uint32_t hard_id(const hard_context *c, uint32_t i)
{
    return c->id[TPI_ORDER_INDEX(c->order[i])];
}

static hard_pair hard_pair_of(const hard_context *c, uint32_t i, uint32_t j)
{
    hard_pair p = {.square = 0.0f};
    uint32_t s = hard_species(c, i), t = hard_species(c, j);
    for (uint32_t axis = 0; axis < c->dimensions; axis++) {
        float own = c->v[axis][i] + (float)c->impulse[axis][i] * c->pair->half_kick[s];
        float other = c->v[axis][j] + (float)c->impulse[axis][j] * c->pair->half_kick[t];
        p.d[axis] = tpi_box_image(c->box, axis, c->x[axis][j] - c->x[axis][i]) +
                    (c->pushed[axis][j] - c->pushed[axis][i]);
        p.speed[axis] = other - own;
        p.square = p.square + p.d[axis] * p.d[axis];
        p.approach = p.approach + p.d[axis] * p.speed[axis];
    }
    p.share = p.square * c->pair->inverse_sigma_squared[s * TP_SPECIES_MAX + t];
    return p;
}

/* ---- choice: each particle's most urgent collision ---- */

static void hard_offer(const hard_context *c, uint32_t i, uint32_t j, float urgency)
{
    uint32_t held = c->partner[i];
    if (held != HARD_NONE) {
        if (urgency > c->urgency[i]) return;
        if (urgency == c->urgency[i] && hard_id(c, held) < hard_id(c, j)) return;
    }
    c->partner[i] = j;
    c->urgency[i] = urgency;
}

/* Offers a pair as a collision. Approaching pairs are more urgent than pairs that only overlap;
   deeper pairs are more urgent. */
static void hard_meet(const hard_context *c, uint32_t i, uint32_t j, tpi_tally *tally)
{
    hard_pair p = hard_pair_of(c, i, j);
    bool is_approaching = p.approach < 0.0f;
    if (!is_approaching && !(p.share < HARD_TOUCHING)) return;
    float urgency = is_approaching ? p.share : 1.0f + p.share;
    hard_offer(c, i, j, urgency);
    hard_offer(c, j, i, urgency);
    tally->overlaps++;
}

/* Bits of up to TPI_LANES partners that overlap. Only partners that drifted within the cutoff
   count, so that the result does not depend on what else a list contains. */
TPI_INLINE uint32_t hard_find(const hard_context *c, uint32_t i, const uint32_t *partners,
                              uint32_t count, tpi_sweep_kind kind)
{
    tpi_lane_mask is_real = tpi_lanes_first(count);
    tpi_lane_ints partner =
        tpi_lane_ints_select(is_real, tpi_lane_ints_load(partners), tpi_lane_ints_of((int32_t)i));
    tpi_lanes inverse = tpi_lanes_of(c->pair->inverse_sigma_squared[0]);
    tpi_lanes drifted = tpi_lanes_of(0.0f), now = drifted;
    if (!c->is_uniform)
        inverse =
            tpi_lanes_gather(c->pair->inverse_sigma_squared + hard_species(c, i) * TP_SPECIES_MAX,
                             tpi_lane_ints_gather(c->order, partner) >> 24 & 7);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) {
        tpi_lanes d = tpi_lanes_gather(c->x[axis], partner) - tpi_lanes_of(c->x[axis][i]);
        if (kind.is_periodic) d = tpi_box_image_lanes(c->box, axis, d);
        drifted = drifted + d * d;
        d = d + (tpi_lanes_gather(c->pushed[axis], partner) - tpi_lanes_of(c->pushed[axis][i]));
        now = now + d * d;
    }
    is_real = tpi_lanes_and(
        is_real, tpi_lanes_less(drifted * inverse, tpi_lanes_of(c->pair->cutoff_squared)));
    return tpi_lanes_bits(
        tpi_lanes_and(is_real, tpi_lanes_less(now * inverse, tpi_lanes_of(1.0f))));
}

TPI_INLINE void hard_meet_partners(const hard_context *c, uint32_t i, const uint32_t *partners,
                                   uint32_t count, tpi_sweep_kind kind, tpi_tally *tally)
{
    for (uint32_t first = 0; first < count; first += TPI_LANES) {
        uint32_t each = tpi_min_u32(count - first, TPI_LANES);
        uint32_t bits = hard_find(c, i, partners + first, each, kind);
        for (uint32_t k = 0; bits; k++, bits >>= 1)
            if (bits & 1u) hard_meet(c, i, partners[first + k], tally);
    }
}

/* The visitor of a kind, and its sweep. */
#define HARD_MEET(meet, ...)                                                             \
    TPI_INLINE void meet(const tp_world *world, const void *context, uint32_t i,         \
                         const uint32_t *partners, const float *squares, uint32_t count, \
                         tpi_tally *tally)                                               \
    {                                                                                    \
        (void)world;                                                                     \
        (void)squares;                                                                   \
        hard_meet_partners((const hard_context *)context, i, partners, count,            \
                           (tpi_sweep_kind){__VA_ARGS__}, tally);                        \
    }
#define HARD_GRID(name, ...)            \
    HARD_MEET(name##_meet, __VA_ARGS__) \
    TPI_SWEEP_GRID(name, name##_meet, __VA_ARGS__)
#define HARD_LISTS(name, ...)           \
    HARD_MEET(name##_meet, __VA_ARGS__) \
    TPI_SWEEP_LISTS(name, name##_meet)
TPI_PAIR_KINDS(HARD_GRID, hard)
TPI_PAIR_KINDS(HARD_LISTS, hard_listed)
#undef HARD_MEET
#undef HARD_GRID
#undef HARD_LISTS

static uint32_t hard_choose(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    hard_context c = hard_context_of(world);
    return TPI_PAIR_SWEEP(hard, world, (world, jobs, units, &c, done));
}

/* ---- collision: pairs that chose each other ---- */

/* The direction from i to j; returns the distance. Coincident particles get a direction along an
   axis, from the lower id to the higher. */
static float hard_normal(const hard_context *c, const hard_pair *p, uint32_t i, uint32_t j,
                         float normal[3])
{
    float distance = tpi_sqrt(p->square);
    bool is_apart = p->share > 1e-12f;
    uint32_t low = tpi_min_u32(hard_id(c, i), hard_id(c, j)) % c->dimensions;
    for (uint32_t axis = 0; axis < c->dimensions; axis++)
        normal[axis] = is_apart ? p->d[axis] / distance : 0.0f;
    if (!is_apart) normal[low] = hard_id(c, i) < hard_id(c, j) ? 1.0f : -1.0f;
    return distance;
}

/* Rounds halves to even, so that opposite impulses stay opposite and rounding does not add energy
   on average: rounding halves away from zero would heat a gas by 4e-8 per collision. Floats from
   2^23 on have no halves. */
static int32_t hard_round(float term)
{
    float size = tpi_abs(term);
    if (size < 8388608.0f) size = (size + 8388608.0f) - 8388608.0f;
    return term < 0.0f ? -(int32_t)size : (int32_t)size;
}

static bool hard_fits(int32_t sum, int32_t term)
{
    return sum + term <= HARD_SUM && sum + term >= -HARD_SUM;
}

/* Applies the impulse along the normal. False if a sum of impulses reaches its limit; the pair is
   then separated in a later step. */
static bool hard_exchange(const hard_context *c, uint32_t i, uint32_t j, const hard_pair *p,
                          const float normal[3], float distance)
{
    float m = c->species[hard_species(c, i)].mass, n = c->species[hard_species(c, j)].mass,
          speed = 0.0f;
    int32_t term[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < c->dimensions; axis++)
        speed = speed - normal[axis] * p->speed[axis];
    float impulse = (1.0f + c->restitution) * (m * n / (m + n)) * speed / c->pair->impulse_unit;
    if (!(p->approach < 0.0f && impulse > 0.0f)) return true;
    impulse = tpi_min(impulse, HARD_IMPULSE);
    for (uint32_t axis = 0; axis < c->dimensions; axis++) {
        term[axis] = hard_round(impulse * normal[axis]);
        if (!hard_fits(c->impulse[axis][i], -term[axis]) ||
            !hard_fits(c->impulse[axis][j], term[axis]))
            return false;
    }
    for (uint32_t axis = 0; axis < c->dimensions; axis++) {
        c->impulse[axis][i] -= term[axis];
        c->impulse[axis][j] += term[axis];
    }
    c->step->impulse_sum +=
        (uint64_t)(impulse * (distance * (c->pair->impulse_unit / c->pair->virial_unit)));
    c->step->collisions++;
    return true;
}

static void hard_part(const hard_context *c, uint32_t i, uint32_t j, const float normal[3],
                      float depth)
{
    float m = c->species[hard_species(c, i)].mass, n = c->species[hard_species(c, j)].mass;
    for (uint32_t axis = 0; axis < c->dimensions; axis++) {
        c->pushed[axis][i] = c->pushed[axis][i] - normal[axis] * (depth * (n / (m + n)));
        c->pushed[axis][j] = c->pushed[axis][j] + normal[axis] * (depth * (m / (m + n)));
    }
}

static void hard_collide_pair(const hard_context *c, uint32_t i, uint32_t j)
{
    hard_pair p = hard_pair_of(c, i, j);
    uint32_t kind = hard_species(c, i) * TP_SPECIES_MAX + hard_species(c, j);
    float normal[3] = {0.0f, 0.0f, 0.0f}, distance = hard_normal(c, &p, i, j, normal);
    float sigma = 1.0f / tpi_sqrt(c->pair->inverse_sigma_squared[kind]);
    if (!hard_exchange(c, i, j, &p, normal, distance)) return;
    hard_part(c, i, j, normal, tpi_max(sigma * HARD_PARTED - distance, 0.0f));
}

/* Collides each pair at its lower index and resets the choices. A third particle that chose one of
   them was not chosen by it, so it does not collide. */
static uint32_t hard_act(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    hard_context c = hard_context_of(world);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units, step->count - begin);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t j = c.partner[i];
        c.partner[i] = HARD_NONE;
        if (j == HARD_NONE || j < i || c.partner[j] != i) continue;
        c.partner[j] = HARD_NONE;
        hard_collide_pair(&c, i, j);
    }
    step->cursor.i = end;
    *done = end == step->count;
    return end - begin;
}

/* Clears choices, impulses and displacements. 8 particles cost less than one pair. */
static uint32_t hard_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t begin = step->cursor.i, count = tpi_min_u32(units * 8u, step->count - begin);
    size_t bytes = (size_t)count * 4u;
    tpi_memset(tpi_hard_partners(world) + begin, 0xff, bytes);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_memset(tpi_integers(world, world->arrays.force[axis]) + begin, 0, bytes);
        tpi_memset(tpi_floats(world, world->arrays.own[TPI_PAIR_PUSHED + axis]) + begin, 0, bytes);
    }
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

/* Phases: 0 clear; 1, 3, 5, ... choose; 2, 4, ... collide. The last choice only counts the
   remaining overlaps. */
TPI_APART uint32_t tpi_hard_collide(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    bool *done)
{
    tpi_step *step = &world->step;
    uint32_t phase = step->cursor.phase, used;
    bool phase_done = false;
    *done = step->is_priming;
    if (*done) return 0;
    if (phase == 0)
        used = hard_clear(world, units, &phase_done);
    else if (phase & 1u)
        used = hard_choose(world, jobs, units, &phase_done);
    else
        used = hard_act(world, units, &phase_done);
    if (!phase_done) return used;
    if (phase & 1u) {
        step->overlaps_unresolved = step->overlaps;
        *done = step->overlaps == 0 || phase / 2u == world->def.pair.contact_iterations;
    } else {
        step->overlaps = step->ends_dropped = 0; /* counters of the next round */
    }
    step->cursor = (tpi_cursor){.phase = phase + 1u};
    return used;
}

#undef HARD_NONE
#undef HARD_TOUCHING
#undef HARD_PARTED
#undef HARD_IMPULSE
#undef HARD_SUM
