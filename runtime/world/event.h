/* SPDX-License-Identifier: MIT
   runtime/world/event.h - events: what happened in a step, in an order that depends on the state
           alone.
   reads   what stages find      writes  the ring of events, the feed of emitters
   memory  2 * events_max + feeds_max events     cost    see TPI_EVENT_UNITS
   after   bounded binary heap (Williams 1964) and heapsort

   The ring has twice as many slots as it shows. The shown events end at events_head; those of the
   step in progress begin there, so that a step is committed by moving the head, and a cancelled one
   leaves nothing.

       | free | shown: events_count | heap, then sorted: step.events_kept | free |
                                    ^ events_head

   Stages find events in the order of storage and slices. They go into a heap whose root is the last
   one of the order; if events_max of them are kept, another one replaces the root or is dropped.
   So the first events_max of the step are kept, whatever the order in which they came. When all
   are found, the heap is sorted in place. No two events of a step have the same rank.

   A particle carries the contacts that have begun and not ended, as slots of colliders. COLLIDE
   writes those that a step goes on with or begins into the back set, and sets TPI_ORDER_BEGUN; if
   that is not set there are none. COMMIT compares them with those of the front set: what is missing
   has ended.

   Events that feed emitters (emit/feed.c) go into a second heap, the feed: of feeds_max events of
   the step alone, so that nothing of it is left between steps, and births add no events to what
   they are read from. It holds what was found before EMIT, and is sorted there. */
#ifndef TPI_EVENT_H
#define TPI_EVENT_H
#include "block.h"

#define TPI_EVENT_UNITS      2u /* of an event that is found */
#define TPI_EVENT_SORT_UNITS 4u /* of one that is sorted */

/* True if the ring keeps events of one of these kinds. */
TPI_INLINE bool tpi_keeps_events(const tp_world *world, uint32_t kinds)
{
    return TPI_HAS_EVENTS && (world->def.event_kinds & kinds) != 0;
}
/* The same, or in this step they feed an emitter. */
TPI_INLINE bool tpi_has_events(const tp_world *world, uint32_t kinds)
{
    return TPI_HAS_EVENTS && ((world->def.event_kinds | world->step.feed_kinds) & kinds) != 0;
}
/* True if contacts are followed: which of them begin and end. Without colliders there are none, and
   no array for them. */
TPI_INLINE bool tpi_has_contact_events(const tp_world *world)
{
    const uint32_t kinds =
        TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN) | TP_EVENT_BIT(TP_EVENT_CONTACT_ENDED);
    return TPI_HAS_COLLIDERS && tpi_has_events(world, kinds) && world->def.colliders_max > 0;
}
/* True if the events of a kind and species are kept in the ring. */
TPI_INLINE bool tpi_events_keep(const tp_world *world, tp_event_kind kind, uint32_t species)
{
    return tpi_keeps_events(world, TP_EVENT_BIT(kind)) &&
           (world->def.event_species >> species & 1u);
}
/* Units of one event. */
TPI_INLINE uint32_t tpi_event_units(const tp_world *world, tp_event_kind kind)
{
    return TPI_EVENT_UNITS * ((tpi_keeps_events(world, TP_EVENT_BIT(kind)) ? 1u : 0u) +
                              (TPI_HAS_FEEDS ? world->step.feed_kinds >> kind & 1u : 0u));
}
/* Units of the events of this step, so far. */
TPI_INLINE uint32_t tpi_events_units(const tp_world *world)
{
    return TPI_EVENT_UNITS * (world->step.events_found + world->step.feeds_found);
}

/* ---- contacts of one particle, a word: their number in bits 30 and 31, slots of 10 bits ---- */
#define TPI_CONTACTS_MAX 3u
TPI_INLINE uint32_t tpi_contacts_count(uint32_t contacts) { return contacts >> 30; }
TPI_INLINE uint32_t tpi_contacts_slot(uint32_t contacts, uint32_t k)
{
    return contacts >> (10u * k) & 1023u;
}
TPI_INLINE bool tpi_contacts_have(uint32_t contacts, uint32_t slot)
{
    for (uint32_t k = 0; k < tpi_contacts_count(contacts); k++)
        if (tpi_contacts_slot(contacts, k) == slot) return true;
    return false;
}
/* The contacts and one more; the same if they are TPI_CONTACTS_MAX. */
TPI_INLINE uint32_t tpi_contacts_with(uint32_t contacts, uint32_t slot)
{
    const uint32_t count = tpi_contacts_count(contacts);
    if (count == TPI_CONTACTS_MAX) return contacts;
    return (contacts | slot << (10u * count)) + 0x40000000u;
}
/* Ends the contacts of all particles with a collider that is removed between two steps: the next
   step tells it. O(particles) */
TPI_FUNC void tpi_contacts_forget(const tp_world *world, uint32_t slot);

/* An event without place and speed. */
TPI_INLINE tp_event tpi_event_of(tp_event_kind kind, uint32_t id, uint32_t meta)
{
    tp_event event;
    tpi_memset(&event, 0, sizeof event);
    event.kind = (uint16_t)kind;
    event.id = id;
    event.meta = meta & 0x00ffffffu;
    event.partner = TP_ID_NONE;
    return event;
}
/* Adds an event to the step in progress, if its kind and species are wanted. Returns its units.
   O(log events_max + log feeds_max) */
TPI_FUNC uint32_t tpi_event_add(tp_world *world, tp_event *event);
/* Adds one to the feed alone. Returns its units. O(log feeds_max) */
TPI_FUNC uint32_t tpi_event_feed(tp_world *world, tp_event *event);
/* Adds one of a kind that the ring keeps and that feeds none, whatever the species. Returns its
   units. O(log events_max) */
TPI_FUNC uint32_t tpi_event_add_kept(tp_world *world, tp_event *event);
/* tpi_event_add for a death. */
TPI_FUNC uint32_t tpi_event_death(tp_world *world, tp_event *event, tp_death cause,
                                  uint32_t handle);
/* An event of the particle at an index of the front set: with its position and velocity there. */
TPI_FUNC tp_event tpi_event_front(const tp_world *world, tp_event_kind kind, uint32_t index);
/* Calls of the game between two steps: the birth of the particle at an index of the front set; the
   death of all particles, which still are there. O(1) */
TPI_FUNC void tpi_event_add_particle(tp_world *world, uint32_t index);
TPI_FUNC void tpi_event_clear_particles(tp_world *world);
/* Sorts the events of the step in progress and numbers them. */
TPI_FUNC uint32_t tpi_events_sort(tp_world *world, uint32_t units, bool *done);
/* Sorts the feed. */
TPI_FUNC uint32_t tpi_feeds_sort(tp_world *world, uint32_t units, bool *done);
TPI_INLINE const tp_event *tpi_feed_at(const tp_world *world, uint32_t k)
{
    return (const tp_event *)tpi_at(world, world->feeds) + k;
}
/* Shows the sorted events of a step, which is complete. O(1) */
TPI_FUNC void tpi_events_end(tp_world *world);
/* Shows none, after the counts of a cached frame were restored. O(1) */
TPI_FUNC void tpi_events_clear(tp_world *world);

#endif
