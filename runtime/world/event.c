/* SPDX-License-Identifier: MIT
   runtime/world/event.c - the ring of events: a heap of those of a step, heapsort, readers.
   reads   events of single particles      writes  the ring, the counts of events
   memory  none of its own                 cost    see event.h
   after   see event.h */
#include "event.h"

/* Slot of the k-th event of the step in progress. */
static tp_event *event_at(const tp_world *world, uint32_t k)
{
    uint32_t slots = 2u * world->def.events_max, slot = world->events_head + k;
    if (slot >= slots) slot -= slots;
    return (tp_event *)tpi_at(world, world->events) + slot;
}

/* ---- order ---- */

/* True if a comes before b in their step. */
static bool event_is_before(const tp_event *a, const tp_event *b)
{
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->id != b->id) return a->id < b->id;
    if (a->partner != b->partner) return a->partner < b->partner;
    return a->handle < b->handle;
}

/* Writes an event into the heap of `count` events whose root may be overwritten: later ones
   rise. */
static void event_sink(const tp_world *world, const tp_event *event, uint32_t count)
{
    uint32_t root = 0;
    for (uint32_t child; (child = 2u * root + 1u) < count; root = child) {
        if (child + 1u < count &&
            event_is_before(event_at(world, child), event_at(world, child + 1u)))
            child++;
        if (!event_is_before(event, event_at(world, child))) break;
        *event_at(world, root) = *event_at(world, child);
    }
    *event_at(world, root) = *event;
}

/* Adds an event to the heap of `count` events. */
static void event_rise(const tp_world *world, const tp_event *event, uint32_t count)
{
    uint32_t leaf = count;
    while (leaf > 0) {
        uint32_t parent = (leaf - 1u) / 2u;
        if (!event_is_before(event_at(world, parent), event)) break;
        *event_at(world, leaf) = *event_at(world, parent);
        leaf = parent;
    }
    *event_at(world, leaf) = *event;
}

/* ---- the hash ---- */

static uint64_t event_hash(const tp_event *event)
{
    const float numbers[10] = {
        event->point.x,  event->point.y,    event->point.z,    event->normal.x,   event->normal.y,
        event->normal.z, event->velocity.x, event->velocity.y, event->velocity.z, event->speed};
    uint64_t hash = tpi_mix_word(event->number, event->frame);
    hash = tpi_mix_word(hash, (uint64_t)event->tick << 32 | (uint32_t)event->kind << 8 |
                                  (uint32_t)event->cause);
    hash = tpi_mix_word(hash, (uint64_t)event->id << 32 | event->meta);
    hash = tpi_mix_word(hash, (uint64_t)event->partner << 32 | event->handle);
    for (uint32_t k = 0; k < 10u; k += 2u)
        hash = tpi_mix_word(hash, (uint64_t)tpi_bits(numbers[k]) << 32 | tpi_bits(numbers[k + 1u]));
    return hash;
}

/* ---- the step ---- */

static tp_vector event_flush(const tp_world *world, tp_vector a)
{
    if (!tpi_is_finite_vector(a)) return tpi_vector(0.0f, 0.0f, 0.0f);
    return tpi_flat(world, tpi_vector(tpi_flush(a.x), tpi_flush(a.y), tpi_flush(a.z)));
}

/* No event has numbers that are not finite, or subnormal. */
static void event_settle(const tp_world *world, tp_event *event)
{
    event->frame = world->clock.frame;
    event->point = event_flush(world, event->point);
    event->normal = event_flush(world, event->normal);
    event->velocity = event_flush(world, event->velocity);
    event->speed = tpi_is_finite(event->speed) ? tpi_flush(event->speed) : 0.0f;
}

uint32_t tpi_event_add(tp_world *world, tp_event *event)
{
    tpi_step *step = &world->step;
    if (!tpi_events_want(world, (tp_event_kind)event->kind, TP_META_SPECIES(event->meta) & 31u))
        return 0;
    event_settle(world, event);
    event->tick = world->clock.tick + step->ticks;
    step->events_found++;
    if (step->events_kept < world->def.events_max)
        event_rise(world, event, step->events_kept++);
    else if (event_is_before(event, event_at(world, 0)))
        event_sink(world, event, step->events_kept);
    return TPI_EVENT_UNITS;
}

uint32_t tpi_event_death(tp_world *world, tp_event *event, tp_death cause, uint32_t handle)
{
    event->cause = (uint16_t)cause;
    event->handle = handle;
    return tpi_event_add(world, event);
}

uint32_t tpi_events_sort(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t used = 0;
    while (step->events_sorted < step->events_kept &&
           (used == 0 || used + TPI_EVENT_SORT_UNITS <= units)) {
        uint32_t last = step->events_kept - ++step->events_sorted;
        tp_event moved = *event_at(world, last), *sorted = event_at(world, last);
        *sorted = *event_at(world, 0);
        if (last > 0) event_sink(world, &moved, last);
        sorted->number = world->report.events + last;
        step->events_hash += event_hash(sorted);
        used += TPI_EVENT_SORT_UNITS;
    }
    *done = step->events_sorted == step->events_kept;
    return used;
}

static void event_show(tp_world *world, uint32_t found, uint32_t kept, uint64_t hash)
{
    uint32_t most = world->def.events_max;
    world->events_head = (world->events_head + kept) % (2u * most);
    world->events_count = tpi_min_u32(world->events_count + kept, most);
    world->report.events += found;
    world->report.events_dropped += found - kept;
    world->events_hash += hash;
}

void tpi_events_end(tp_world *world)
{
    const tpi_step *step = &world->step;
    if (TPI_HAS_EVENTS && step->events_found)
        event_show(world, step->events_found, step->events_kept, step->events_hash);
}

void tpi_events_clear(tp_world *world) { world->events_count = 0; }

/* An event between two steps. */
static void event_now(tp_world *world, tp_event *event)
{
    event->tick = world->clock.tick;
    event->number = world->report.events;
    event_settle(world, event);
    *event_at(world, 0) = *event;
    event_show(world, 1, 1, event_hash(event));
}

tp_event tpi_event_front(const tp_world *world, tp_event_kind kind, uint32_t index)
{
    const bool is_3d = tpi_dimensions(world) == 3;
    tp_event event = tpi_event_of(kind, tpi_words(world, world->arrays.id)[index],
                                  tpi_words(world, world->arrays.meta)[index]);
    event.point = tpi_vector(tpi_front_x(world, 0)[index], tpi_front_x(world, 1)[index],
                             is_3d ? tpi_front_x(world, 2)[index] : 0.0f);
    event.velocity = tpi_vector(tpi_front_v(world, 0)[index], tpi_front_v(world, 1)[index],
                                is_3d ? tpi_front_v(world, 2)[index] : 0.0f);
    return event;
}

void tpi_event_add_particle(tp_world *world, uint32_t index)
{
    uint32_t species = TP_META_SPECIES(tpi_words(world, world->arrays.meta)[index]);
    if (!tpi_events_want(world, TP_EVENT_BIRTH, species)) return;
    tp_event event = tpi_event_front(world, TP_EVENT_BIRTH, index);
    event_now(world, &event);
}

void tpi_event_clear_particles(tp_world *world)
{
    if (!tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_DEATH)) || world->count == 0) return;
    tp_event event = tpi_event_of(TP_EVENT_DEATH, TP_ID_NONE, 0);
    event.cause = TP_DEATH_CLEARED;
    event_now(world, &event);
}

/* ---- readers ---- */

tp_result tp_world_events(const tp_world *world, tp_event_cursor *cursor, tp_event *events,
                          uint32_t capacity, uint32_t *count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!cursor || !count || (!events && capacity > 0)) return TP_ERROR_NULL;
    if (!world->events) return TP_ERROR_DEFINITION;
    const uint32_t slots = 2u * world->def.events_max;
    uint64_t end = world->report.events;
    *count = 0;
    if (cursor->next > end) cursor->next = end;
    for (uint32_t k = world->events_count; k > 0; k--) {
        const tp_event *event = event_at(world, slots - k);
        if (event->number < cursor->next) continue;
        if (*count == capacity) return TP_MORE;
        cursor->missed += event->number - cursor->next;
        cursor->next = event->number + 1u;
        events[(*count)++] = *event;
    }
    cursor->missed += end - cursor->next;
    cursor->next = end;
    return TP_OK;
}
