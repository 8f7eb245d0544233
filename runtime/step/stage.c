/* SPDX-License-Identifier: MIT
   runtime/step/stage.c - one slice of the current stage of a step, and the stage COMMIT.
   reads   the front set, the step's record      writes  the back set
   memory  the step's record in the block        cost    one slice, see TP_STAGE_LIST for units
   after   own design: all stages of all solvers are called from here, so that a build may have
           them once for each vector width */
#include "stages_lanes.h"
#include "../world/event.h"
#include "../world/team.h"

/* ---- commit ---- */

/* Where the numbers come from that particles carry: at the first step of a frame the last positions
   are those of the front set. */
static const uint32_t *stage_carried(const tp_world *world, uint32_t number)
{
    const uint32_t words = tpi_def_keeps_words(&world->def) ? 1u : 0u;
    bool is_first = world->clock.tick == 0 && !world->step.is_priming;
    if (number >= words && is_first)
        return (const uint32_t *)(const void *)tpi_front_x(world, number - words);
    return tpi_carried(world, world->front, number);
}

/* The number of those that are carried as they are: all but contacts. */
static uint32_t stage_carried_count(const tp_world *world)
{
    return tpi_def_carried(&world->def) - (tpi_def_keeps_contacts(&world->def) ? 1u : 0u);
}

static void stage_carry(const tp_world *world, uint32_t index, uint32_t to)
{
    for (uint32_t k = 0; k < stage_carried_count(world); k++)
        tpi_carried(world, world->front ^ 1u, k)[to] = stage_carried(world, k)[index];
}

/* The contacts of a survivor that last or begin, in a world that keeps them. Priming takes no time:
   all stay. */
static uint32_t stage_contacts(const tp_world *world, uint32_t from)
{
    uint32_t word = tpi_words(world, world->arrays.order)[from];
    if (world->step.is_priming) return tpi_contacts(world, world->front)[TPI_ORDER_INDEX(word)];
    if (!tpi_has_contact_events(world) || !(word & TPI_ORDER_BEGUN)) return 0;
    return tpi_contacts(world, world->front ^ 1u)[from];
}

/* The flags of contacts after the step; writes its contacts. */
static uint32_t stage_contact_flags(const tp_world *world, uint32_t word, uint32_t from,
                                    uint32_t to)
{
    uint32_t touched = word & TPI_ORDER_CONTACT ? TP_META_CONTACT : 0u;
    if (!tpi_def_keeps_contacts(&world->def)) return touched;
    const uint32_t contacts = stage_contacts(world, from);
    tpi_contacts(world, world->front ^ 1u)[to] = contacts;
    return touched | (contacts ? TPI_META_BEGUN : 0u);
}

/* The ends of contacts: one for each collider, and one for those that were removed. Returns the
   units. */
static uint32_t stage_note_ends(tp_world *world, uint32_t before, uint32_t now, uint32_t meta,
                                tp_event *event)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    uint32_t used = 0;
    for (uint32_t k = 0; k < tpi_contacts_count(before); k++) {
        const uint32_t slot = tpi_contacts_slot(before, k);
        if (tpi_contacts_have(now, slot)) continue;
        const bool is_there = slot < tpi_colliders_end(world) && tpi_pool_is_alive(slots, slot);
        event->handle = is_there ? tpi_pool_handle(slots, slot) : 0u;
        used += tpi_event_add(world, event);
    }
    event->handle = 0;
    return meta & TPI_META_GONE ? used + tpi_event_add(world, event) : used;
}

/* The end of a contact is an event, and so is the death of a particle that was lost in COLLIDE.
   Returns the units. */
static TPI_APART uint32_t stage_note(tp_world *world, const tpi_step_arrays *arrays, uint32_t from)
{
    uint32_t word = tpi_words(world, world->arrays.order)[from], index = TPI_ORDER_INDEX(word);
    uint32_t meta = tpi_words(world, world->arrays.meta)[index];
    if (word & TPI_ORDER_DEAD) {
        tp_event event = tpi_event_front(world, TP_EVENT_DEATH, index);
        return word & TPI_ORDER_KILLED ? 0u : tpi_event_death(world, &event, TP_DEATH_LOST, 0);
    }
    if (world->step.is_priming || !(meta & TPI_META_BEGUN)) return 0;
    const uint32_t before = tpi_contacts(world, world->front)[index],
                   now = stage_contacts(world, from);
    if (before == now && !(meta & TPI_META_GONE)) return 0;
    tp_event event = tpi_event_front(world, TP_EVENT_CONTACT_ENDED, index);
    event.point = tpi_step_read(world, arrays->next_x, from);
    event.velocity = tpi_step_read(world, arrays->next_v, from);
    return stage_note_ends(world, before, now, meta, &event);
}

static void stage_commit_one(tp_world *world, const tpi_step_arrays *arrays, uint32_t from,
                             uint32_t to)
{
    uint32_t *order = tpi_words(world, world->arrays.order);
    uint32_t *next_meta = tpi_words(world, world->arrays.next_meta), word = order[from];
    uint32_t *next_birth =
        world->def.keeps_births ? tpi_words(world, world->arrays.next_birth) : NULL;
    if (from < world->step.survivor_count) {
        uint32_t index = TPI_ORDER_INDEX(word);
        uint32_t meta = tpi_words(world, world->arrays.meta)[index];
        /* priming takes no time: contacts of the last step stay */
        uint32_t kept = world->step.is_priming ? meta : meta & ~TPI_META_CONTACTS;
        next_meta[to] = kept | stage_contact_flags(world, word, from, to);
        if (next_birth) next_birth[to] = tpi_words(world, world->arrays.birth)[index];
        order[to] = tpi_words(world, world->arrays.id)[index];
        stage_carry(world, index, to);
    } else {
        next_meta[to] = next_meta[from];
        if (next_birth) next_birth[to] = next_birth[from];
        for (uint32_t k = 0; k < tpi_def_carried(&world->def); k++)
            tpi_carried(world, world->front ^ 1u, k)[to] =
                tpi_carried(world, world->front ^ 1u, k)[from];
        order[to] = word;
    }
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        arrays->next_x[axis][to] = tpi_flush(arrays->next_x[axis][from]);
        arrays->next_v[axis][to] = tpi_flush(arrays->next_v[axis][from]);
    }
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++) {
        float *kept = tpi_back_kept(world, k);
        if (kept) kept[to] = tpi_flush(kept[from]);
    }
    if (tpi_has_springs(world)) tpi_springs_move(world, from, to, 1);
}

TPI_INLINE void stage_flush_lanes(float *numbers, uint32_t from, uint32_t to)
{
    tpi_lanes_store(numbers + to, tpi_lanes_flush(tpi_lanes_load(numbers + from)));
}

/* What the commit of a vector needs besides positions and velocities. */
typedef struct stage_commit_arrays {
    const uint32_t *meta, *id, *birth;
    uint32_t *order, *next_meta, *next_birth; /* births may be null */
    int32_t kept_flags;
    uint32_t carried_count;
    const uint32_t *carried[TPI_CARRIED_MAX];
    uint32_t *next_carried[TPI_CARRIED_MAX];
    const uint32_t *contacts; /* null: the world keeps none */
    uint32_t *next_contacts;
    bool has_contacts; /* contacts may be events in this step */
    bool is_priming;
} stage_commit_arrays;

static stage_commit_arrays stage_commit_arrays_of(const tp_world *world)
{
    const bool has_births = world->def.keeps_births;
    stage_commit_arrays arrays = {
        .meta = tpi_words(world, world->arrays.meta),
        .id = tpi_words(world, world->arrays.id),
        .birth = has_births ? tpi_words(world, world->arrays.birth) : NULL,
        .order = tpi_words(world, world->arrays.order),
        .next_meta = tpi_words(world, world->arrays.next_meta),
        .next_birth = has_births ? tpi_words(world, world->arrays.next_birth) : NULL,
        .kept_flags = world->step.is_priming ? -1 : ~(int32_t)TPI_META_CONTACTS,
        .carried_count = stage_carried_count(world),
        .contacts = tpi_contacts(world, world->front),
        .next_contacts = tpi_contacts(world, world->front ^ 1u),
        .has_contacts = tpi_has_contact_events(world),
        .is_priming = world->step.is_priming};
    for (uint32_t k = 0; k < arrays.carried_count; k++) {
        arrays.carried[k] = stage_carried(world, k);
        arrays.next_carried[k] = tpi_carried(world, world->front ^ 1u, k);
    }
    return arrays;
}

/* Commits the contacts of a vector and adds their flags. False, and nothing is done, if a particle
   may have lost one: it had some, and has others. */
TPI_INLINE bool stage_commit_contacts(const stage_commit_arrays *a, uint32_t from, uint32_t to,
                                      tpi_lane_words meta, tpi_lane_words word,
                                      tpi_lane_words *touched)
{
    const tpi_lane_ints none = tpi_lane_ints_of(0);
    tpi_lane_ints before = tpi_lane_ints_gather(a->contacts, (tpi_lane_ints)word & 0xffffff),
                  now = none;
    if (a->is_priming) {
        now = before;
    } else if (a->has_contacts) {
        tpi_lane_words gone = meta & TPI_META_GONE, begun = word & TPI_ORDER_BEGUN;
        now = tpi_lane_ints_select(tpi_lane_ints_equal((tpi_lane_ints)begun, none), none,
                                   tpi_lane_ints_load(a->next_contacts + from));
        tpi_lane_mask is_same = tpi_lanes_and(
            tpi_lanes_or(tpi_lane_ints_equal(before, none), tpi_lane_ints_equal(before, now)),
            tpi_lane_ints_equal((tpi_lane_ints)gone, none));
        if (tpi_lanes_any(tpi_lanes_not(is_same))) return false;
    }
    tpi_lane_ints_store(a->next_contacts + to, now);
    tpi_lane_ints flags = tpi_lane_ints_select(tpi_lane_ints_equal(now, none), none,
                                               tpi_lane_ints_of((int32_t)TPI_META_BEGUN));
    *touched = *touched | (tpi_lane_words)flags;
    return true;
}

/* Commits flags, births and ids of a vector. False, and nothing is done, if one of it died, or its
   contact ended. */
TPI_INLINE bool stage_commit_words(const stage_commit_arrays *a, uint32_t from, uint32_t to)
{
    tpi_lane_ints word = tpi_lane_ints_load(a->order + from), index = word & 0xffffff;
    tpi_lane_words touched = (tpi_lane_words)word >> 7 & TP_META_CONTACT; /* TPI_ORDER_CONTACT */
    if (TPI_UNLIKELY(tpi_lanes_any(tpi_lane_ints_less((tpi_lane_ints)((tpi_lane_words)word << 1),
                                                      tpi_lane_ints_of(0))))) /* TPI_ORDER_DEAD */
        return false;
    tpi_lane_ints meta = tpi_lane_ints_gather(a->meta, index);
    if (TPI_UNLIKELY(a->contacts) &&
        !stage_commit_contacts(a, from, to, (tpi_lane_words)meta, (tpi_lane_words)word, &touched))
        return false;
    tpi_lane_ints_store(a->next_meta + to, (meta & a->kept_flags) | (tpi_lane_ints)touched);
    if (a->next_birth)
        tpi_lane_ints_store(a->next_birth + to, tpi_lane_ints_gather(a->birth, index));
    for (uint32_t k = 0; k < a->carried_count; k++)
        tpi_lane_ints_store(a->next_carried[k] + to, tpi_lane_ints_gather(a->carried[k], index));
    tpi_lane_ints_store(a->order + to, tpi_lane_ints_gather(a->id, index));
    return true;
}

TPI_INLINE uint32_t stage_commit_along(tp_world *world, const tpi_step_arrays *arrays,
                                       uint32_t dimensions, uint32_t from, uint32_t to,
                                       uint32_t end)
{
    const uint32_t begin = from;
    const bool has_springs = tpi_has_springs(world), keeps = tpi_back_kept(world, 0) ||
                                                             tpi_back_kept(world, 1) ||
                                                             tpi_back_kept(world, 2);
    const stage_commit_arrays words = stage_commit_arrays_of(world);
    for (; end - from >= TPI_LANES && stage_commit_words(&words, from, to);
         from += TPI_LANES, to += TPI_LANES) {
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            stage_flush_lanes(arrays->next_x[axis], from, to);
            stage_flush_lanes(arrays->next_v[axis], from, to);
        }
        for (uint32_t k = 0; keeps && k < TPI_KEPT_USED; k++)
            if (tpi_back_kept(world, k)) stage_flush_lanes(tpi_back_kept(world, k), from, to);
        if (has_springs) tpi_springs_move(world, from, to, TPI_LANES);
    }
    return from - begin;
}

/* Commits whole vectors of survivors from `from` to `to` on, up to `end`, as long as none of a
   vector has died. Returns the number of particles. Reads whole vectors before it writes: `to` is
   not greater than `from`. */
static uint32_t stage_commit_lanes(tp_world *world, const tpi_step_arrays *arrays, uint32_t from,
                                   uint32_t to, uint32_t end)
{
    return tpi_dimensions(world) == 2 ? stage_commit_along(world, arrays, 2, from, to, end)
                                      : stage_commit_along(world, arrays, 3, from, to, end);
}

/* True if flushing subnormals moves the particle, possibly into another cell. */
static TPI_APART bool stage_is_flushed(const tp_world *world, const tpi_step_arrays *arrays,
                                       uint32_t index)
{
    bool is_flushed = false;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float x = arrays->next_x[axis][index];
        is_flushed = is_flushed || tpi_flush(x) != x;
    }
    return is_flushed;
}

/* ---- commit by several threads ---- */

static void stage_find_dead(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                            tpi_tally *tally)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t any = 0;
    (void)context;
    for (uint32_t i = begin; i < end; i++) any |= order[i];
    if (any & TPI_ORDER_DEAD) tally->died = 1;
    if (!tpi_has_contact_events(world) || world->step.is_priming) return;
    const uint32_t *contacts = tpi_contacts(world, world->front);
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t before = contacts[TPI_ORDER_INDEX(order[i])];
        if ((before && before != stage_contacts(world, i)) ||
            (meta[TPI_ORDER_INDEX(order[i])] & TPI_META_GONE))
            tally->died = 1;
    }
}

static void stage_commit_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                               tpi_tally *tally)
{
    (void)tally;
    (void)stage_commit_lanes(world, (const tpi_step_arrays *)context, begin, begin, end);
}

/* Threads share whole vectors of survivors, as long as none has died: no particle moves to another
   index; and no contact has ended that is an event. */
static void stage_commit_shared(tp_world *world, const tp_jobs *jobs, const tpi_step_arrays *arrays,
                                uint32_t full_end)
{
    tpi_cursor *cursor = &world->step.cursor;
    if (cursor->i != cursor->j || full_end <= cursor->i) return;
    uint32_t count = (full_end - cursor->i) & ~(TPI_LANES - 1u), end = cursor->i + count;
    if (!tpi_team_is_worth(jobs, count) ||
        tpi_team_run(jobs, world, stage_find_dead, NULL, cursor->i, end).died)
        return;
    (void)tpi_team_run(jobs, world, stage_commit_range, arrays, cursor->i, end);
    cursor->i = cursor->j = end;
}

/* Compacts the back set: cursor.i is the next particle to read, cursor.j the number of survivors
   written. */
static uint32_t stage_compact(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    tpi_cursor *cursor = &step->cursor;
    tpi_step_arrays arrays = tpi_step_arrays_of(world);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    const bool has_events =
        tpi_has_contact_events(world) || tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_DEATH));
    const uint32_t ends = tpi_has_contact_events(world) ? TPI_CONTACTS_MAX + 1u : 1u;
    uint32_t most = has_events ? tpi_max_u32(units / (1u + ends * TPI_EVENT_UNITS), 1u) : units;
    uint32_t end = cursor->i + tpi_min_u32(most, step->count - cursor->i), used = end - cursor->i;
    const bool may_crowd = step->may_crowd;
    const bool by_lanes = TPI_HAS_SHORTCUTS && !may_crowd;
    const uint32_t full_end = by_lanes ? tpi_min_u32(end, step->survivor_count) : 0;
    if (TPI_LANES > 1) stage_commit_shared(world, jobs, &arrays, full_end);
    while (cursor->i < end) {
        uint32_t committed = 0;
        if (cursor->i < full_end)
            committed = stage_commit_lanes(world, &arrays, cursor->i, cursor->j, full_end);
        cursor->i += committed;
        cursor->j += committed;
        if (cursor->i == end) break;
        uint32_t from = cursor->i;
        cursor->i++;
        if (has_events && from < step->survivor_count) used += stage_note(world, &arrays, from);
        if (from < step->survivor_count && (order[from] & TPI_ORDER_DEAD)) {
            if (tpi_has_springs(world)) tpi_springs_lose(world, from);
            continue;
        }
        if (TPI_UNLIKELY(may_crowd) && stage_is_flushed(world, &arrays, from))
            step->forces_stale = true;
        stage_commit_one(world, &arrays, from, cursor->j++);
    }
    *done = cursor->i == step->count;
    return used;
}

/* If a particle died, springs are settled in a second pass; in the last one events are sorted. */
static TPI_APART uint32_t stage_commit(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                       bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    if (TPI_HAS_EVENTS && cursor->phase == 2u) return tpi_events_sort(world, units, done);
    uint32_t used = TPI_HAS_SPRINGS && cursor->phase ? tpi_springs_settle(world, units, done)
                                                     : stage_compact(world, jobs, units, done);
    if (!*done) return used;
    bool has_lost = cursor->phase == 0 && cursor->i != cursor->j && tpi_has_springs(world);
    if (has_lost || (TPI_HAS_EVENTS && world->step.events_kept > 0)) {
        cursor->phase = has_lost ? 1u : 2u;
        *done = false;
    }
    return used;
}

/* ---- all stages ---- */

bool tpi_stage_contracts(void) { return tpi_has_contraction(); }

uint32_t tpi_stage_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_RECYCLE: return tpi_step_recycle(world, units, done);
    case TP_STAGE_MOVE: return tpi_step_move(world, jobs, units, done);
    case TP_STAGE_COLLIDE: return tpi_step_collide(world, jobs, units, done);
    case TP_STAGE_EMIT: return tpi_step_emit(world, units, done);
    case TP_STAGE_COMMIT: return stage_commit(world, jobs, units, done);
    default: return tpi_solver_run(world, jobs, units, done);
    }
}
