/* SPDX-License-Identifier: MIT
   tests/harness/event_help.h - shared by the tests of events: lists, and a tank in which every kind
           of event happens.
   reads   worlds      writes  lists
   memory  malloc      cost    that of the runtime's calls
   after   own design */
#ifndef TIDEPOOL_EVENT_HELP_H
#define TIDEPOOL_EVENT_HELP_H
#include "world_help.h"
#include "world/event.h"

#define EVENT_LIST_MOST 20000u

typedef struct event_list {
    tp_event *events;
    uint32_t count;
    tp_event_cursor cursor;
} event_list;

#define EVENT_CONTACTS (TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN) | TP_EVENT_BIT(TP_EVENT_CONTACT_ENDED))
#define EVENT_DEATHS   TP_EVENT_BIT(TP_EVENT_DEATH)

/* An empty list; the caller frees its events. */
event_list event_list_make(void);
/* Reads what is new. */
void event_list_read(event_list *list, const tp_world *world);
uint32_t event_list_count(const event_list *list, tp_event_kind kind);
/* The n-th event of a kind; null if there are fewer. */
const tp_event *event_list_find(const event_list *list, tp_event_kind kind, uint32_t n);
/* Simulates and reads after each frame. */
void event_list_frames(event_list *list, tp_world *world, uint32_t frames);
uint64_t event_list_hash(const event_list *list);
/* A world of four steps per frame. */
tp_world_def event_def(uint32_t dimensions, uint32_t particles, uint32_t events_max,
                       uint32_t kinds);
void event_particle(tp_world *world, float x, float y, float vx, float vy);

/* A tank with everything: births, deaths of all kinds, contacts, springs, links. Kinds: no solver,
   four fluids with links, a fluid with links and springs, hard spheres, Lennard-Jones with
   links. */
#define EVENT_TANKS 8u
tp_world_def event_tank_def(uint32_t kind, uint32_t dimensions, uint32_t events_max);
test_world event_tank_make(const tp_world_def *def);
/* Simulates frames while a ball moves; reads after each if `list` is not null. */
void event_tank_run(event_list *list, tp_world *world, uint32_t frames, const tp_budget *budget);

#endif
