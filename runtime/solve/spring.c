/* SPDX-License-Identifier: MIT
   runtime/solve/spring.c - the integer forces of links, and the particle indices of their ends.
   reads   links, ids, positions and velocities of either set
   writes  link forces, the indices of link ends
   memory  words of the block; in fluids, the rates of ends in the memory of next velocities
   cost    2 units per link and pass; finding ends: 1 to 8 passes over the particles
   after   damped springs, kicked by velocity Verlet. Damping is exact for a single link and split
           as in Strang 1968: half a step with the velocities at the start of the step, half with
           those at its end. The indices of ends are updated from set to set; after an edit, a radix
           sort by id (Knuth 1973, 5.2.5) and binary search find them. In fluids symplectic Euler:
           one kick, stable by a bound of the eigenvalues (Anderson and Morley 1985) */
#include "link.h"
#include "solve.h"
#include "pair/pair_lanes.h"
#include "../world/box.h"
#include "../world/event.h"

#define SPRING_NOWHERE 0xffffffffu
#define SPRING_SHORT   1e-6f /* m: a shorter link has no direction */
#define SPRING_UNITS   2u    /* per link and pass */

/* The inputs and outputs of a pass over the links. */
typedef struct spring_pass {
    const float *x[3], *v[3];
    int64_t *sums[3];
    float scale; /* counts per newton */
    /* fluids: of each particle the sum over its links of stiffness, and of damping, divided by its
       mass; null: the solver has kicks */
    float *stiff, *damp;
    float strain_most; /* asks for as many steps as a frame may have */
    bool is_once;      /* a fluid */
    bool has_springs, has_damping;
    bool is_first;   /* first pass of the step: links may break */
    bool is_counted; /* clamped forces and links without direction are counted: once per step */
} spring_pass;

static bool spring_has_rates(const spring_pass *pass) { return TPI_HAS_SPH && pass->stiff; }

static uint32_t spring_species(const tp_world *world, uint32_t index)
{
    if (world->step.closes_links)
        return TPI_ORDER_SPECIES(tpi_words(world, world->arrays.order)[index]);
    return TP_META_SPECIES(tpi_words(world, world->arrays.meta)[index]);
}

/* ---- one link ---- */

/* N s/m: that of a pin is critical. */
static float spring_drag(const tp_world *world, const tpi_link_item *link, uint32_t index)
{
    if (!tpi_link_is_pin(link)) return link->damping;
    float mass = world->def.species[spring_species(world, index)].mass;
    return 2.0f * tpi_sqrt(link->stiffness * mass);
}

/* The sum of the rates of both ends; the place of a pin has none. */
static float spring_rates(const tpi_link_item *link, const float *rates, const uint32_t index[2])
{
    return tpi_link_is_pin(link) ? rates[index[0]] : rates[index[0]] + rates[index[1]];
}

/* (1 - exp -x) / x, within 1e-6 */
static float spring_decay(float x)
{
    if (x < 0.1f) return 1.0f - x * (0.5f - x * ((1.0f / 6.0f) - x * (1.0f / 24.0f)));
    return (1.0f - tpi_exp(-x)) / x;
}

/* The damping force, per unit of relative speed, that held constant for half a step has the effect
   of exact exponential damping. In a fluid it is held for the whole step, at the rate of all links
   of both ends together, which then do not reverse a motion. */
static float spring_damping(const tp_world *world, const spring_pass *pass,
                            const tpi_link_item *link, const uint32_t index[2])
{
    const float damping = spring_drag(world, link, index[0]);
    if (spring_has_rates(pass))
        return damping * spring_decay(world->step.timestep * spring_rates(link, pass->damp, index));
    float rate = 1.0f / world->def.species[spring_species(world, index[0])].mass;
    if (!tpi_link_is_pin(link))
        rate = rate + 1.0f / world->def.species[spring_species(world, index[1])].mass;
    return damping * spring_decay(0.5f * world->step.timestep * (damping * rate));
}

/* The largest eigenvalue w^2 of a net of springs is at most the largest sum of the rates of both
   ends of a link, so the strain of the step is w dt <= dt sqrt(rates). The scheme is stable for
   (w dt)^2 + 2 c dt < 4, and damping has c dt <= 1. The remaining 1 is for the pressure of the
   fluid. A link that needs more steps than a frame may have is softened. */
static float spring_stiffness(tp_world *world, const spring_pass *pass, const tpi_link_item *link,
                              const uint32_t index[2])
{
    tpi_step *step = &world->step;
    if (!spring_has_rates(pass)) return link->stiffness;
    float strain = step->timestep * tpi_sqrt(spring_rates(link, pass->stiff, index));
    step->strain_bits =
        tpi_max_u32(step->strain_bits, tpi_bits(tpi_min(strain, pass->strain_most)));
    if (strain <= TPI_STRAIN_MAX) return link->stiffness;
    step->softens_links = true;
    return link->stiffness * (TPI_STRAIN_MAX / strain) * (TPI_STRAIN_MAX / strain);
}

static float spring_offset(const tp_world *world, const tpi_link_item *link,
                           const float *const x[3], const uint32_t index[2], float r[3])
{
    const tp_vector at = tpi_link_place(link);
    const float place[3] = {at.x, at.y, at.z};
    const bool is_pin = tpi_link_is_pin(link);
    float square = 0.0f;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float d = x[axis][index[0]] - (is_pin ? place[axis] : x[axis][index[1]]);
        r[axis] = tpi_box_image(&world->constants.box, axis, d);
        square = square + r[axis] * r[axis];
    }
    return tpi_sqrt(square);
}

/* Rounds to the nearest integer, halves away from zero: opposite forces stay opposite. */
static int64_t spring_round(float term) { return (int64_t)(term + (term < 0.0f ? -0.5f : 0.5f)); }

static float spring_tension(tp_world *world, const spring_pass *pass, const tpi_link_item *link,
                            const uint32_t index[2], const float r[3], float length)
{
    float tension = 0.0f;
    if (pass->has_springs)
        tension = spring_stiffness(world, pass, link, index) * (length - tpi_link_rest(link));
    if (pass->has_damping && (tpi_link_is_pin(link) || link->damping > 0.0f)) {
        float speed = 0.0f;
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            speed = speed + (pass->v[axis][index[0]] -
                             (tpi_link_is_pin(link) ? 0.0f : pass->v[axis][index[1]])) *
                                (r[axis] / length);
        tension = tension + spring_damping(world, pass, link, index) * speed;
    }
    float most = world->def.pair.link_force_max;
    if (tpi_is_within(tension, -most, most)) return tension;
    world->step.link_forces_clamped++;
    return tpi_clamp(tension, -most, most); /* NaN becomes -most */
}

/* A link that breaks is an event: index[0] is the particle, index[1] its partner. */
static TPI_APART void spring_note_broken(tp_world *world, const tpi_link_item *link,
                                         const uint32_t index[2], const float r[3], float length)
{
    const uint32_t slot = (uint32_t)(link - tpi_link_at(world, 0));
    const bool is_3d = tpi_dimensions(world) == 3;
    tp_event event = tpi_event_front(world, TP_EVENT_LINK_BROKEN, index[0]),
             other = tpi_event_front(world, TP_EVENT_LINK_BROKEN, index[1]);
    tp_vector offset = {r[0], r[1], is_3d ? r[2] : 0.0f};
    event.partner = link->second;
    event.handle = tpi_pool_handle(tpi_words(world, world->links.slots), slot);
    event.normal = tpi_scale(offset, 1.0f / length);
    event.point = tpi_add_scaled(event.point, offset, -0.5f);
    event.speed = tpi_dot(tpi_sub(event.velocity, other.velocity), event.normal);
    event.point = tpi_box_wrap_vector(&world->constants.box, event.point);
    (void)tpi_event_add(world, &event);
}

static bool spring_breaks(tp_world *world, tpi_link_item *link, const uint32_t index[2],
                          const float r[3], float length)
{
    if (tpi_link_is_pin(link)) return false;
    if (!(link->break_length > 0.0f && length > link->break_length)) return false;
    link->dropped = tpi_link_mark(world);
    world->step.links_broken++;
    if (tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_LINK_BROKEN)))
        spring_note_broken(world, link, index, r, length);
    return true;
}

static void spring_meet(tp_world *world, const spring_pass *pass, tpi_link_item *link,
                        const uint32_t index[2])
{
    float r[3], length = spring_offset(world, link, pass->x, index, r);
    if (pass->is_first && spring_breaks(world, link, index, r, length)) return;
    if (!(length >= SPRING_SHORT)) {
        if (pass->is_counted && !tpi_link_is_pin(link)) world->step.links_guarded++;
        return;
    }
    float scale = spring_tension(world, pass, link, index, r, length) / length * pass->scale;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        int64_t term = spring_round(r[axis] * scale);
        pass->sums[axis][index[0]] -= term;
        if (!tpi_link_is_pin(link)) pass->sums[axis][index[1]] += term;
    }
}

/* ---- radix sort of particle indices by id, 8 bits per pass from the lowest; the buffers are back
   positions, which the step has not written yet ---- */

static uint32_t *spring_buffer(const tp_world *world, uint32_t order)
{
    return tpi_words(world, world->arrays.x[world->front ^ 1u][order - 1u]);
}

/* The k-th index in the order of the passes done so far. */
static uint32_t spring_ordered(const tp_world *world, uint32_t k)
{
    uint32_t order = world->step.link_order;
    return order ? spring_buffer(world, order)[k] : k;
}

static uint32_t spring_digit(const tp_world *world, uint32_t index, uint32_t shift)
{
    return tpi_words(world, world->arrays.id)[index] >> shift & 255u;
}

static uint32_t spring_count(tp_world *world, uint32_t shift, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *histogram = tpi_link_histogram(world);
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.front_count - begin);
    if (begin == 0) tpi_memset(histogram, 0, 256 * sizeof histogram[0]);
    for (uint32_t k = begin; k < end; k++) histogram[spring_digit(world, k, shift)]++;
    cursor->i = end;
    *done = end == world->step.front_count;
    return end - begin;
}

static uint32_t spring_scatter(tp_world *world, uint32_t shift, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t *histogram = tpi_link_histogram(world), sum = 0;
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units, step->front_count - begin);
    uint32_t to = step->link_order == 1u ? 2u : 1u, *buffer = spring_buffer(world, to);
    for (uint32_t digit = 0; begin == 0 && digit < 256u; digit++) {
        uint32_t count = histogram[digit];
        histogram[digit] = sum;
        sum += count;
    }
    for (uint32_t k = begin; k < end; k++) {
        uint32_t index = spring_ordered(world, k);
        buffer[histogram[spring_digit(world, index, shift)]++] = index;
    }
    step->cursor.i = end;
    *done = end == step->front_count;
    if (*done) step->link_order = to;
    return end - begin;
}

/* True if all ids have the same digit: then the pass is skipped. */
static bool spring_is_alike(const tp_world *world, uint32_t shift)
{
    uint32_t count = world->step.front_count;
    return count == 0 || tpi_link_histogram(world)[spring_digit(world, 0, shift)] == count;
}

static uint32_t spring_find(const tp_world *world, uint32_t id)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint32_t low = 0, high = world->step.front_count;
    while (low < high) { /* 24 times at most */
        uint32_t middle = low + (high - low) / 2u;
        if (ids[spring_ordered(world, middle)] < id)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low == world->step.front_count) return SPRING_NOWHERE;
    uint32_t index = spring_ordered(world, low);
    return ids[index] == id ? index : SPRING_NOWHERE;
}

/* ---- shared by both halves of a step ---- */

/* True for fluids: links act once, where the step begins. */
static bool spring_is_once(const tp_world *world)
{
    return TPI_HAS_SPH && !tpi_def_has(&world->def, TPI_SOLVER_KICKS);
}

static uint32_t spring_clear(tp_world *world, const spring_pass *pass, uint32_t particles,
                             uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t count = tpi_min_u32(units * 4u, particles - cursor->i);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memset(pass->sums[axis] + cursor->i, 0, (size_t)count * 8u);
    if (spring_has_rates(pass)) {
        tpi_memset(pass->stiff + cursor->i, 0, (size_t)count * 4u);
        tpi_memset(pass->damp + cursor->i, 0, (size_t)count * 4u);
    }
    cursor->i += count;
    *done = cursor->i == particles;
    return (count + 3u) / 4u;
}

/* One pass over the slots; calls `meet` for live links. */
static uint32_t spring_sweep(tp_world *world, const spring_pass *pass, uint32_t each,
                             uint32_t units,
                             void (*meet)(tp_world *, const spring_pass *, uint32_t), bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0;
    for (; cursor->i < tpi_links_end(world) && (used == 0 || used + each <= units);
         cursor->i++, used += each) {
        const uint32_t units_before = tpi_events_units(world);
        if (tpi_pool_is_alive(tpi_words(world, world->links.slots), cursor->i))
            meet(world, pass, cursor->i);
        used += tpi_events_units(world) - units_before;
    }
    *done = cursor->i >= tpi_links_end(world);
    return used;
}

static spring_pass spring_pass_of(const tp_world *world, bool is_back)
{
    spring_pass pass = {.scale = tpi_link_scale(&world->def), .is_once = spring_is_once(world)};
    if (!is_back && pass.is_once) {
        pass.stiff = tpi_back_v(world, 0);
        pass.damp = tpi_back_v(world, 1);
    }
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        pass.x[axis] = is_back ? tpi_back_x(world, axis) : tpi_front_x(world, axis);
        pass.v[axis] = tpi_front_v(world, axis);
        pass.sums[axis] = tpi_link_sums(world, axis);
    }
    return pass;
}

/* ---- the first half: forces of the front set ---- */

static bool spring_is_there(const tp_world *world, const tpi_link_item *link)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id), *index = link->index[world->front];
    uint32_t count = world->step.front_count;
    return index[0] < count && ids[index[0]] == link->first &&
           (tpi_link_is_pin(link) || (index[1] < count && ids[index[1]] == link->second));
}

/* Adds the rates of a link to those of its ends, if it does not break. */
static void spring_weigh(tp_world *world, const spring_pass *pass, tpi_link_item *link,
                         const uint32_t index[2])
{
    float r[3], length = spring_offset(world, link, pass->x, index, r);
    if (spring_breaks(world, link, index, r, length)) return;
    const float damping = spring_drag(world, link, index[0]);
    for (uint32_t end = 0; end < (tpi_link_is_pin(link) ? 1u : 2u); end++) {
        float inverse = 1.0f / world->def.species[spring_species(world, index[end])].mass;
        pass->stiff[index[end]] += link->stiffness * inverse;
        pass->damp[index[end]] += damping * inverse;
    }
}

static void spring_open(tp_world *world, const spring_pass *pass, uint32_t slot)
{
    tpi_link_item *link = tpi_link_at(world, slot);
    uint32_t *index = link->index[world->front];
    if (tpi_link_is_gone(world, link)) {
        tpi_memset(link, 0, sizeof *link);
        tpi_pool_free(&world->links, tpi_words(world, world->links.slots), slot);
        return;
    }
    if (!world->links_placed) {
        index[0] = spring_find(world, link->first);
        index[1] = tpi_link_is_pin(link) ? index[0] : spring_find(world, link->second);
    }
    if (world->step.is_priming) return;
    link->dropped = 0;
    if (!spring_is_there(world, link)) {
        link->dropped = tpi_link_mark(world);
        world->step.links_dropped++;
        return;
    }
    if (tpi_link_is_pin(link) || link->damping > 0.0f) world->step.has_damping = true;
    if (spring_has_rates(pass))
        spring_weigh(world, pass, link, index);
    else
        spring_meet(world, pass, link, index);
}

/* Fluids: the forces, after all rates are known. */
static void spring_push(tp_world *world, const spring_pass *pass, uint32_t slot)
{
    tpi_link_item *link = tpi_link_at(world, slot);
    if (!link->dropped) spring_meet(world, pass, link, link->index[world->front]);
}

/* Phases of the first half: 0 clears, 1 to 8 sort, then the ends are found, and the forces computed
   or, in fluids, the rates; there the forces follow. */
#define SPRING_MEET 9u
#define SPRING_PUSH 10u

static uint32_t spring_open_phase(tp_world *world, uint32_t units, bool *done)
{
    uint32_t phase = world->step.cursor.phase;
    spring_pass pass = spring_pass_of(world, false);
    if (phase == 0) return spring_clear(world, &pass, world->step.front_count, units, done);
    if (phase < SPRING_MEET) {
        uint32_t shift = (phase - 1u) / 2u * 8u;
        return phase % 2u ? spring_count(world, shift, units, done)
                          : spring_scatter(world, shift, units, done);
    }
    pass.has_springs = pass.has_damping = true;
    pass.is_first = phase == SPRING_MEET;
    pass.is_counted = phase == SPRING_PUSH;
    if (TPI_HAS_SPH && phase == SPRING_PUSH) {
        float frame = (float)TP_TICKS_PER_FRAME * world->constants.seconds_per_tick;
        uint32_t count_max = tpi_substep_rule_of(&world->def).count_max;
        pass.strain_most = world->step.timestep / frame * (float)count_max;
        return spring_sweep(world, &pass, SPRING_UNITS, units, spring_push, done);
    }
    return spring_sweep(world, &pass, world->links_placed ? SPRING_UNITS : 8u, units, spring_open,
                        done);
}

static uint32_t spring_open_all(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t phase = cursor->phase, next = phase + 1u;
    bool phase_done = false;
    uint32_t used = spring_open_phase(world, units, &phase_done);
    *done = phase_done && phase == (spring_is_once(world) ? SPRING_PUSH : SPRING_MEET);
    if (!phase_done) return used;
    if (phase == 0 && world->links_placed) next = SPRING_MEET;
    if (phase < SPRING_MEET && phase % 2u && spring_is_alike(world, (phase - 1u) / 2u * 8u)) next++;
    if (phase == SPRING_MEET) world->links_placed = true;
    *cursor = (tpi_cursor){.phase = next};
    return used;
}

/* ---- the second half: forces of the back set ---- */

uint32_t tpi_back_indices_find(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *order = tpi_words(world, world->arrays.order);
    uint32_t *back = tpi_back_indices(world);
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units * 4u, world->step.count - begin);
    for (uint32_t index = begin; index < end; index++) back[TPI_ORDER_INDEX(order[index])] = index;
    cursor->i = end;
    *done = end == world->step.count;
    return (end - begin + 3u) / 4u;
}

/* The back index of a particle, or SPRING_NOWHERE if it died. While a list is kept, particles keep
   their indices. */
static uint32_t spring_back_index(const tp_world *world, uint32_t index)
{
    if (index >= world->step.front_count) return SPRING_NOWHERE;
    if (world->constants.keeps_lists && !world->step.list_built) return index;
    uint32_t back = tpi_back_indices(world)[index];
    if (back >= world->step.count) return SPRING_NOWHERE;
    return TPI_ORDER_INDEX(tpi_words(world, world->arrays.order)[back]) == index ? back
                                                                                 : SPRING_NOWHERE;
}

static bool spring_acts(const tp_world *world, const spring_pass *pass, const tpi_link_item *link)
{
    const uint32_t *index = link->index[world->front ^ 1u];
    return !pass->is_once && !world->step.is_priming && !link->dropped &&
           index[0] != SPRING_NOWHERE && index[1] != SPRING_NOWHERE;
}

static void spring_close(tp_world *world, const spring_pass *pass, uint32_t slot)
{
    tpi_link_item *link = tpi_link_at(world, slot);
    uint32_t *index = link->index[world->front ^ 1u];
    for (uint32_t end = 0; end < 2; end++)
        index[end] = spring_back_index(world, link->index[world->front][end]);
    if (spring_acts(world, pass, link)) spring_meet(world, pass, link, index);
}

/* z of these velocities. */
static float *spring_kicked_z(const tp_world *world)
{
    return (float *)(void *)tpi_neighbour_counts(world);
}

/* Computes the velocities at the end of the step without damping. They are stored in the arrays of
   neighbour limits and counts, which are not used any more. */
static uint32_t spring_kick(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *order = tpi_words(world, world->arrays.order);
    bool is_3d = tpi_dimensions(world) == 3;
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.count - begin);
    for (uint32_t index = begin; index < end; index++) {
        tp_vector v = tpi_vector(tpi_back_v(world, 0)[index], tpi_back_v(world, 1)[index],
                                 is_3d ? tpi_back_v(world, 2)[index] : 0.0f);
        v = tpi_pair_kick(world, index, v, TPI_ORDER_SPECIES(order[index]));
        tpi_floats(world, world->arrays.limit_distance)[index] = v.x;
        tpi_floats(world, world->arrays.limit_id)[index] = v.y;
        spring_kicked_z(world)[index] = v.z;
    }
    cursor->i = end;
    *done = end == world->step.count;
    return end - begin;
}

static void spring_damp(tp_world *world, const spring_pass *pass, uint32_t slot)
{
    tpi_link_item *link = tpi_link_at(world, slot);
    bool is_damped = tpi_link_is_pin(link) || link->damping > 0.0f;
    if (is_damped && spring_acts(world, pass, link))
        spring_meet(world, pass, link, link->index[world->front ^ 1u]);
}

static uint32_t spring_close_phase(tp_world *world, uint32_t units, bool *done)
{
    spring_pass pass = spring_pass_of(world, true);
    switch (world->step.cursor.phase) {
    case 0: return tpi_back_indices_find(world, units, done);
    case 1: return spring_clear(world, &pass, world->step.count, units, done);
    case 2:
        pass.has_springs = pass.is_counted = true;
        return spring_sweep(world, &pass, SPRING_UNITS, units, spring_close, done);
    case 3: return spring_kick(world, units, done);
    default:
        pass.has_damping = true;
        pass.v[0] = tpi_floats(world, world->arrays.limit_distance);
        pass.v[1] = tpi_floats(world, world->arrays.limit_id);
        pass.v[2] = spring_kicked_z(world);
        return spring_sweep(world, &pass, SPRING_UNITS, units, spring_damp, done);
    }
}

static uint32_t spring_close_all(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const bool is_once = spring_is_once(world);
    uint32_t phase = cursor->phase, last = world->step.has_damping && !is_once ? 4u : 2u;
    bool phase_done = false;
    uint32_t used = spring_close_phase(world, units, &phase_done);
    *done = phase_done && phase == last;
    if (phase_done) *cursor = (tpi_cursor){.phase = phase + (phase == 0 && is_once ? 2u : 1u)};
    return used;
}

TPI_APART uint32_t tpi_links(tp_world *world, uint32_t units, bool *done)
{
    return world->step.closes_links ? spring_close_all(world, units, done)
                                    : spring_open_all(world, units, done);
}

bool tpi_link_measure(const tp_world *world, uint32_t slot, float *length)
{
    const tpi_link_item *link = tpi_link_at(world, slot);
    const uint32_t *index = link->index[world->front ^ 1u], ends[2] = {link->first, link->second};
    const uint32_t *order = tpi_words(world, world->arrays.order),
                   *ids = tpi_words(world, world->arrays.id);
    const float *x[3] = {tpi_back_x(world, 0), tpi_back_x(world, 1), tpi_back_x(world, 1)};
    float r[3];
    if (!tpi_pool_is_alive(tpi_words(world, world->links.slots), slot) ||
        tpi_link_is_gone(world, link))
        return false;
    for (uint32_t end = 0; end < (tpi_link_is_pin(link) ? 1u : 2u); end++)
        if (index[end] >= world->step.count || ids[TPI_ORDER_INDEX(order[index[end]])] != ends[end])
            return false;
    if (tpi_dimensions(world) == 3) x[2] = tpi_back_x(world, 2);
    *length = spring_offset(world, link, x, index, r);
    return true;
}

#undef SPRING_NOWHERE
#undef SPRING_SHORT
#undef SPRING_UNITS
#undef SPRING_MEET
#undef SPRING_PUSH
