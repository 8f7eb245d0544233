/* SPDX-License-Identifier: MIT
   runtime/world/event.c - the ring of events and the feed of emitters: heaps of the events of
           a step, heapsort, readers.
   reads   events of single particles      writes  the ring, the feed, the counts of events
   memory  none of its own                 cost    see event.h
   after   see event.h */
#include "event.h"

/* Where the events of the step in progress are: in the ring from its head on, or in the feed. */
typedef struct event_heap {
    tp_event *events;
    uint32_t head, slots;
} event_heap;

static event_heap event_ring(const tp_world *world)
{
    return (event_heap){(tp_event *)tpi_at(world, world->events), world->events_head,
                        2u * world->def.events_max};
}

static event_heap event_feed(const tp_world *world)
{
    return (event_heap){(tp_event *)tpi_at(world, world->feeds), 0, world->def.feeds_max};
}

/* The k-th event of a heap. */
static tp_event *event_at(const event_heap *heap, uint32_t k)
{
    uint32_t slot = heap->head + k;
    return heap->events + (slot < heap->slots ? slot : slot - heap->slots);
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
static void event_sink(const event_heap *heap, const tp_event *event, uint32_t count)
{
    uint32_t root = 0;
    for (uint32_t child; (child = 2u * root + 1u) < count; root = child) {
        if (child + 1u < count &&
            event_is_before(event_at(heap, child), event_at(heap, child + 1u)))
            child++;
        if (!event_is_before(event, event_at(heap, child))) break;
        *event_at(heap, root) = *event_at(heap, child);
    }
    *event_at(heap, root) = *event;
}

/* Adds an event to the heap of `count` events. */
static void event_rise(const event_heap *heap, const tp_event *event, uint32_t count)
{
    uint32_t leaf = count;
    while (leaf > 0) {
        uint32_t parent = (leaf - 1u) / 2u;
        if (!event_is_before(event_at(heap, parent), event)) break;
        *event_at(heap, leaf) = *event_at(heap, parent);
        leaf = parent;
    }
    *event_at(heap, leaf) = *event;
}

/* Keeps an event if it is one of the first `most` in the order. *kept are kept so far. */
static void event_keep(const event_heap *heap, const tp_event *event, uint32_t most, uint32_t *kept)
{
    if (*kept < most)
        event_rise(heap, event, (*kept)++);
    else if (event_is_before(event, event_at(heap, 0)))
        event_sink(heap, event, *kept);
}

/* Moves the last one of the first `count` events behind them; they stay a heap. */
static tp_event *event_take(const event_heap *heap, uint32_t count)
{
    tp_event *sorted = event_at(heap, count - 1u), moved = *sorted;
    *sorted = *event_at(heap, 0);
    if (count > 1u) event_sink(heap, &moved, count - 1u);
    return sorted;
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

/* True if an event may feed an emitter: one that is found before EMIT. */
static bool event_feeds(const tp_world *world, const tp_event *event)
{
    const tpi_step *step = &world->step;
    const uint32_t species = TP_META_SPECIES(event->meta) & 31u;
    if (!TPI_HAS_FEEDS || !(step->feed_kinds >> event->kind & 1u) || step->stage >= TP_STAGE_EMIT ||
        !((step->feed_species[event->kind] & world->def.event_species) >> species & 1u))
        return false;
    if (event->kind == TP_EVENT_DEATH) return step->feed_deaths >> event->cause & 1u;
    return event->kind != TP_EVENT_CONTACT_BEGUN || event->speed >= step->feed_speed;
}

uint32_t tpi_event_feed(tp_world *world, tp_event *event)
{
    const event_heap feed = event_feed(world);
    event_settle(world, event);
    world->step.feeds_found++;
    event_keep(&feed, event, world->def.feeds_max, &world->step.feeds_kept);
    return TPI_EVENT_UNITS;
}

uint32_t tpi_event_add_kept(tp_world *world, tp_event *event)
{
    tpi_step *step = &world->step;
    const event_heap ring = event_ring(world);
    event_settle(world, event);
    event->tick = world->clock.tick + step->ticks;
    step->events_found++;
    event_keep(&ring, event, world->def.events_max, &step->events_kept);
    return TPI_EVENT_UNITS;
}

uint32_t tpi_event_add(tp_world *world, tp_event *event)
{
    const uint32_t species = TP_META_SPECIES(event->meta) & 31u,
                   used = event_feeds(world, event) ? tpi_event_feed(world, event) : 0u;
    if (!tpi_events_keep(world, (tp_event_kind)event->kind, species)) return used;
    return used + tpi_event_add_kept(world, event);
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
    const event_heap ring = event_ring(world);
    uint32_t used = 0;
    while (step->events_sorted < step->events_kept &&
           (used == 0 || used + TPI_EVENT_SORT_UNITS <= units)) {
        uint32_t count = step->events_kept - step->events_sorted++;
        tp_event *sorted = event_take(&ring, count);
        sorted->number = world->report.events + count - 1u;
        step->events_hash += event_hash(sorted);
        used += TPI_EVENT_SORT_UNITS;
    }
    *done = step->events_sorted == step->events_kept;
    return used;
}

uint32_t tpi_feeds_sort(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const event_heap feed = event_feed(world);
    uint32_t used = 0;
    for (; step->feeds_sorted < step->feeds_kept &&
           (used == 0 || used + TPI_EVENT_SORT_UNITS <= units);
         used += TPI_EVENT_SORT_UNITS)
        (void)event_take(&feed, step->feeds_kept - step->feeds_sorted++);
    *done = step->feeds_sorted == step->feeds_kept;
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
    const event_heap ring = event_ring(world);
    *event_at(&ring, 0) = *event;
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
    if (!tpi_events_keep(world, TP_EVENT_BIRTH, species)) return;
    tp_event event = tpi_event_front(world, TP_EVENT_BIRTH, index);
    event_now(world, &event);
}

void tpi_event_clear_particles(tp_world *world)
{
    if (!tpi_keeps_events(world, TP_EVENT_BIT(TP_EVENT_DEATH)) || world->count == 0) return;
    tp_event event = tpi_event_of(TP_EVENT_DEATH, TP_ID_NONE, 0);
    event.cause = TP_DEATH_CLEARED;
    event_now(world, &event);
}

/* ---- contacts ---- */

void tpi_contacts_forget(const tp_world *world, uint32_t slot)
{
    uint32_t *rows = tpi_contacts(world, world->front);
    for (uint32_t i = 0; rows && i < world->count; i++) {
        if (!tpi_contacts_have(rows[i], slot)) continue;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < tpi_contacts_count(rows[i]); k++)
            if (tpi_contacts_slot(rows[i], k) != slot)
                kept = tpi_contacts_with(kept, tpi_contacts_slot(rows[i], k));
        rows[i] = kept;
        tpi_words(world, world->arrays.meta)[i] |= TPI_META_GONE;
    }
}

/* ---- readers ---- */

tp_result tp_world_events(const tp_world *world, tp_event_cursor *cursor, tp_event *events,
                          uint32_t capacity, uint32_t *count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!cursor || !count || (!events && capacity > 0)) return TP_ERROR_NULL;
    if (!world->events) return TP_ERROR_DEFINITION;
    const event_heap ring = event_ring(world);
    uint64_t end = world->report.events;
    *count = 0;
    if (cursor->next > end) cursor->next = end;
    for (uint32_t k = world->events_count; k > 0; k--) {
        const tp_event *event = event_at(&ring, ring.slots - k);
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
