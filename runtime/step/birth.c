/* SPDX-License-Identifier: MIT
   runtime/step/birth.c - births: traces each path from the moment of birth to the end of the step.
   reads   emitters, fields, colliders      writes  the back set after the survivors
   memory  a path in the block
   cost    units per birth: 6, those of its fields, 1 per collider tested; see emit/feed.c
   after   own design */
#include "stages.h"
#include "../world/box.h"
#include "../world/heat.h"
#include "../world/solver.h"
#include "../world/event.h"
#include "../emit/emit.h"
#include "../solve/solve.h"
#include "../move/integrate.h"
#include "../move/collide.h"

/* cost of interpolating poses, up to 13 random numbers and three rotations */
#define STEP_BIRTH_UNITS 6u

/* Phases of the stage. Three are for emitters that events feed; the last one is for particles that
   become two. */
enum { STEP_BEGIN, STEP_BIRTHS, STEP_TRAILS, STEP_SORT, STEP_FED, STEP_SPLITS };

/* Integrates a birth from `fraction` of the step to its end, and begins its path. */
static void step_birth_begin(tp_world *world, const tpi_field_plan *plan, const tpi_birth *birth)
{
    tp_vector position = birth->position, velocity = birth->velocity;
    float rest = world->step.timestep * (1.0f - birth->fraction);
    tpi_field_sums sums = tpi_field_sums_of(world, plan, birth->species, TPI_NO_SLOT);
    uint32_t *contacts = tpi_contacts(world, world->front ^ 1u);
    if (contacts) contacts[world->step.count] = 0;
    if (rest > 0.0f) tpi_integrate(world, plan, &sums, &position, &velocity, birth->species, rest);
    tpi_step_path_begin(world, birth->position, position, velocity, birth->species,
                        birth->fraction);
}

/* K: of the birth in progress. */
static float step_birth_temperature(const tp_world *world)
{
    uint32_t slot = TP_META_EMITTER(world->step.birth_meta) - 1u;
    return tpi_heat_round(&world->def, tpi_emitter_at(world, slot)->def.temperature);
}

/* m^3/s: of the birth, of the largest one at most; counted. */
static tp_vector step_birth_strength(tp_world *world, const tpi_birth *birth)
{
    const float most = world->def.vortex.strength_max, length = tpi_length(birth->strength);
    if (length <= most) return birth->strength;
    world->step.strengths_limited++;
    return tpi_is_finite(length) ? tpi_scale(birth->strength, most / length)
                                 : tpi_vector(0.0f, 0.0f, 0.0f);
}

/* The numbers that a birth carries: the word of its emitter, and it began where it is. Its contacts
   are written. */
static void step_birth_carry(const tp_world *world, const tpi_step_arrays *arrays, uint32_t index)
{
    const uint32_t words = tpi_def_keeps_words(&world->def) ? 1u : 0u,
                   slot = TP_META_EMITTER(world->step.birth_meta) - 1u;
    const uint32_t count =
        tpi_def_carried(&world->def) - (tpi_def_keeps_contacts(&world->def) ? 1u : 0u);
    for (uint32_t k = 0; k < count; k++)
        tpi_carried(world, world->front ^ 1u, k)[index] =
            k < words ? tpi_emitter_at(world, slot)->def.word
                      : tpi_bits(tpi_flush(arrays->next_x[k - words][index]));
}

/* Number `k` of those that its solver keeps. */
static float step_birth_kept(const tp_world *world, uint32_t k)
{
    if (tpi_has_strengths(world) && k < TPI_KEPT_WARMTH)
        return tpi_flush(tpi_component(world->step.birth_strength, k));
    if (k == TPI_KEPT_FUEL)
        return tpi_fuel_of(&world->def, TP_META_SPECIES(world->step.birth_meta));
    return k == tpi_kept_temperature(&world->def) && tpi_has_heat(&world->def)
               ? step_birth_temperature(world)
               : 0.0f;
}

/* A birth is an event, and so is its death if it does not live until the end of the step. Returns
   their units. */
static TPI_APART uint32_t step_note_birth(tp_world *world, tp_death death)
{
    const tpi_path *path = &world->step.path;
    const uint32_t meta = world->step.birth_meta;
    uint32_t slot = TP_META_EMITTER(meta) - 1u, collider = 0, used;
    tp_event event =
        tpi_event_of(TP_EVENT_BIRTH, world->clock.next_id + world->step.birth_count, meta);
    event.point = tpi_box_wrap_vector(&world->constants.box, path->to);
    event.velocity = path->velocity;
    event.handle = tpi_emitter_at(world, slot)->handle;
    used = tpi_event_add(world, &event);
    if (death == TP_DEATH_NONE) return used;
    if (death == TP_DEATH_COLLIDER)
        collider =
            tpi_pool_handle(tpi_words(world, world->colliders.slots), path->cast.hit_collider);
    event.kind = TP_EVENT_DEATH;
    return used + tpi_event_death(world, &event, death, collider);
}

/* Returns the units of its events. */
static uint32_t step_birth_end(tp_world *world, const tpi_step_arrays *arrays)
{
    tpi_step *step = &world->step;
    const tpi_path *path = &step->path;
    uint32_t used = 0;
    step->path_begun = false;
    bool is_lost = !path->killed && tpi_step_is_lost(path->to, path->velocity);
    if (tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_BIRTH) | TP_EVENT_BIT(TP_EVENT_DEATH)))
        used = step_note_birth(world, path->killed ? TP_DEATH_COLLIDER
                                      : is_lost    ? TP_DEATH_LOST
                                                   : TP_DEATH_NONE);
    if (path->killed || is_lost) {
        step->died += path->killed;
        step->killed += is_lost;
        step->birth_count++;
        return used;
    }
    const uint32_t index = step->count++, *contacts = tpi_contacts(world, world->front ^ 1u);
    if (contacts && contacts[index]) step->birth_meta |= TPI_META_BEGUN;
    tpi_step_write(world, arrays->next_x, index,
                   tpi_box_wrap_vector(&world->constants.box, path->to));
    tpi_step_write(world, arrays->next_v, index, path->velocity);
    tpi_words(world, world->arrays.order)[index] = world->clock.next_id + step->birth_count++;
    tpi_words(world, world->arrays.next_meta)[index] = step->birth_meta;
    if (world->def.keeps_births)
        tpi_words(world, world->arrays.next_birth)[index] = step->birth_ticks;
    step_birth_carry(world, arrays, index);
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++) {
        float *kept = tpi_back_kept(world, k);
        if (kept) kept[index] = step_birth_kept(world, k);
    }
    return used;
}

/* The next birth. False if none is left (*done is true) or `units` are used up. */
static bool step_birth_find(tp_world *world, uint32_t units, uint32_t *used, tpi_birth *birth,
                            bool *done)
{
    if (TPI_HAS_FEEDS && world->step.cursor.phase == STEP_FED)
        return tpi_feed_next(world, units, used, birth, done);
    bool is_found = tpi_emit_next(world, birth);
    *done = !is_found;
    return is_found;
}

/* Begins the path of the next birth that fits the particle pool; births that do not fit are
   counted as refused. False if no birth is left (*done is true) or `units` are used up by
   refused births. */
static bool step_birth_next(tp_world *world, const tpi_field_plan *plan, uint32_t units,
                            uint32_t *used, bool *done)
{
    tpi_step *step = &world->step;
    tpi_birth birth;
    while (*used < units) {
        if (!step_birth_find(world, units, used, &birth, done)) return false;
        *used += STEP_BIRTH_UNITS;
        if (step->count < world->def.particles_max && step->birth_count < tpi_ids_left(world)) {
            *used += plan->birth_units;
            float ticks = (float)step->ticks * birth.fraction;
            step->birth_meta = birth.species | (birth.emitter_slot + 1u) << 8;
            step->birth_ticks = (uint32_t)tpi_now(world) + (uint32_t)ticks;
            if (tpi_has_strengths(world)) step->birth_strength = step_birth_strength(world, &birth);
            step_birth_begin(world, plan, &birth);
            return true;
        }
        step->births_refused += step->cursor.phase == STEP_FED
                                    ? tpi_feed_refused(world)
                                    : tpi_emit_refused(world, birth.emitter_slot);
    }
    return false;
}

static uint32_t step_births(tp_world *world, uint32_t units, uint32_t used, bool *done)
{
    const tpi_step *step = &world->step;
    tpi_step_arrays arrays = tpi_step_arrays_of(world);
    tpi_field_plan plan = tpi_field_prepare(world);
    while (used < units) {
        bool path_done = true;
        if (!step->path_begun && !step_birth_next(world, &plan, units, &used, done)) break;
        used += tpi_step_path_advance(world, units, used, &path_done);
        if (!path_done) break;
        used += step_birth_end(world, &arrays);
    }
    return used;
}

/* ---- emitters that events feed ---- */

/* Survivors whose trails feed emitters: cursor.i is the next one. */
static uint32_t step_trails(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const tpi_step_arrays arrays = tpi_step_arrays_of(world);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    const uint32_t each = 1u + tpi_emitters_end(world) / 4u + TPI_EVENT_UNITS;
    const bool has_trails = (step->feed_kinds & TP_EVENT_BIT(TP_EVENT_TRAIL)) != 0;
    uint32_t *i = &step->cursor.i, used = 0;
    for (; has_trails && *i < step->survivor_count && (used == 0 || used + each <= units); ++*i) {
        const uint32_t word = order[*i], species = TPI_ORDER_SPECIES(word);
        used++;
        if ((word & TPI_ORDER_DEAD) || !(step->feed_species[TP_EVENT_TRAIL] >> species & 1u))
            continue;
        used +=
            tpi_emitters_end(world) / 4u + tpi_feed_trail(world, TPI_ORDER_INDEX(word),
                                                          tpi_step_read(world, arrays.next_x, *i),
                                                          tpi_step_read(world, arrays.next_v, *i));
    }
    *done = !has_trails || *i == step->survivor_count;
    return used;
}

static uint32_t step_emit_births(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t used = 0;
    if (step->cursor.phase == STEP_BEGIN) {
        step->survivor_count = step->count;
        step->cursor.phase = STEP_BIRTHS;
        used = tpi_emitters_end(world) / 4u;
    }
    if (!TPI_HAS_EMITTERS) {
        *done = true;
        return used;
    }
    if (TPI_HAS_FEEDS && step->cursor.phase == STEP_TRAILS)
        used = step_trails(world, units, done);
    else if (TPI_HAS_FEEDS && step->cursor.phase == STEP_SORT)
        used = tpi_feeds_sort(world, units, done);
    else
        used = step_births(world, units, used, done);
    if (!*done || !TPI_HAS_FEEDS || !step->feed_kinds || step->cursor.phase == STEP_FED)
        return used;
    step->cursor = (tpi_cursor){.phase = step->cursor.phase + 1u};
    step->emitter = 0;
    *done = false;
    return used;
}

/* ---- particles that become two ---- */

/* The second one: what the survivor at `from` carries, and of what it keeps its vector, at x. */
static void step_split_write(tp_world *world, const tpi_step_arrays *arrays, uint32_t from,
                             tp_vector x)
{
    tpi_step *step = &world->step;
    const uint32_t index = step->count++, set = world->front ^ 1u;
    uint32_t *order = tpi_words(world, world->arrays.order), *contacts = tpi_contacts(world, set);
    const uint32_t old = TPI_ORDER_INDEX(order[from]);
    tpi_step_write(world, arrays->next_x, index, x);
    tpi_step_write(world, arrays->next_v, index, tpi_step_read(world, arrays->next_v, from));
    order[index] = world->clock.next_id + step->birth_count++;
    tpi_words(world, world->arrays.next_meta)[index] =
        tpi_words(world, world->arrays.meta)[old] & ~TPI_META_CONTACTS;
    if (world->def.keeps_births)
        tpi_words(world, world->arrays.next_birth)[index] =
            tpi_words(world, world->arrays.birth)[old];
    const uint32_t words = tpi_def_keeps_words(&world->def) ? 1u : 0u;
    if (words) tpi_carried(world, set, 0)[index] = tpi_carried(world, world->front, 0)[old];
    for (uint32_t axis = 0; tpi_def_keeps_last(&world->def) && axis < 3; axis++)
        tpi_carried(world, set, words + axis)[index] = tpi_bits(tpi_flush(tpi_component(x, axis)));
    if (contacts) contacts[index] = 0;
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++)
        if (tpi_back_kept(world, k))
            tpi_back_kept(world, k)[index] = k < 3u ? tpi_back_kept(world, k)[from] : 0.0f;
}

/* False: it stays one. */
static bool step_split_one(tp_world *world, const tpi_step_arrays *arrays, uint32_t from)
{
    const tpi_step *step = &world->step;
    tp_vector x = tpi_step_read(world, arrays->next_x, from), aside;
    if (step->count >= world->def.particles_max || step->birth_count >= tpi_ids_left(world) ||
        !tpi_solver_splits(world, from, x, &aside))
        return false;
    step_split_write(world, arrays, from, tpi_sub(x, aside));
    tpi_step_write(world, arrays->next_x, from, tpi_add(x, aside));
    return true;
}

/* Survivors from cursor.i on. */
static uint32_t step_splits(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const tpi_step_arrays arrays = tpi_step_arrays_of(world);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    uint32_t used = 0;
    for (; step->cursor.i < step->survivor_count && used < units; step->cursor.i++) {
        used++;
        if (order[step->cursor.i] & TPI_ORDER_DEAD) continue;
        if (step_split_one(world, &arrays, step->cursor.i)) used += STEP_BIRTH_UNITS;
    }
    *done = step->cursor.i == step->survivor_count;
    return used;
}

/* After all births. */
static bool step_must_split(const tp_world *world)
{
    return tpi_has_splits(world) && world->step.cursor.phase != STEP_SPLITS;
}

TPI_APART uint32_t tpi_step_emit(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t used = 0;
    if (tpi_has_splits(world) && step->cursor.phase == STEP_SPLITS)
        return step_splits(world, units, done);
    used = step_emit_births(world, units, done);
    if (!*done || !step_must_split(world)) return used;
    step->cursor = (tpi_cursor){.phase = STEP_SPLITS};
    *done = false;
    return used;
}

#undef STEP_BIRTH_UNITS
