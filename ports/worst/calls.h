/* SPDX-License-Identifier: MIT
   ports/worst/calls.h - helpers to make every public call at its highest cost for given capacities
           (a "room").
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; calls_*.h make the calls, calls.c runs them for each room */
#ifndef TIDEPOOL_WORST_CALLS_H
#define TIDEPOOL_WORST_CALLS_H
#include "place.h"

#define CALLS_MOST        256u     /* capacities of the largest room */
#define CALLS_WORLD_BYTES 0xc0000u /* the largest world takes some 500 KB of it */
#define CALLS_CACHE_BYTES 0x180000u
#define CALLS_SPARE_BYTES 0x40000u

/* A room: one set of capacities, with the world under test. */
typedef struct calls_room {
    uint32_t n; /* every capacity that may be this large, and the number of items in it */
    uint32_t dimensions;
    tp_solver solver;
    tp_world *world;
    const char *text; /* the first unexpected answer */
    uint32_t line;    /* its source line; 0: none */
} calls_room;

static _Alignas(16) unsigned char calls_world_block[CALLS_WORLD_BYTES];
static _Alignas(16) unsigned char calls_cache_block[CALLS_CACHE_BYTES];
static _Alignas(16) unsigned char calls_spare[CALLS_SPARE_BYTES];

static void calls_note(calls_room *room, bool is_good, const char *text, uint32_t line)
{
    if (is_good || room->line) return;
    room->text = text;
    room->line = line;
}

/* Notes a failed expectation with its line; the first one makes the room fail. */
#define CALLS_EXPECT(room, is_good, result) \
    calls_note((room), (is_good), tp_result_text(result), __LINE__)

/* Counts the instructions of a call, which must return `expected`. */
#define CALLS_END(room, name, expected, ...)                                      \
    do {                                                                          \
        tp_result calls_result;                                                   \
        WORST_MEASURE(name, WORST_SLICE_LEAST, calls_result = name(__VA_ARGS__)); \
        CALLS_EXPECT(room, calls_result == (expected), calls_result);             \
    } while (0)

/* Counts a call, which must return TP_OK. */
#define CALLS_MAKE(room, name, ...) CALLS_END(room, name, TP_OK, __VA_ARGS__)

/* Counts a call that returns no tp_result; the condition `is_good` on its `answer` must hold. */
#define CALLS_ASK(room, name, type, is_good, ...)                           \
    do {                                                                    \
        type answer;                                                        \
        WORST_MEASURE(name, WORST_SLICE_LEAST, answer = name(__VA_ARGS__)); \
        calls_note((room), (is_good), #name, __LINE__);                     \
    } while (0)

/* Counts a check of a definition, which must be good. */
#define CALLS_CHECK(room, name, ...)                                        \
    do {                                                                    \
        const char *answer;                                                 \
        WORST_MEASURE(name, WORST_SLICE_LEAST, answer = name(__VA_ARGS__)); \
        calls_note((room), !answer, answer, __LINE__);                      \
    } while (0)

/* Repeats a call until it no longer returns TP_MORE; counts instructions per unit of budget and
   slice. */
#define CALLS_CONTINUE(room, name, limit, slice, ...)                                   \
    do {                                                                                \
        tp_result calls_result = TP_MORE;                                               \
        for (uint32_t calls_times = 0; calls_result == TP_MORE && calls_times < 20000u; \
             calls_times++)                                                             \
            WORST_MEASURE(name, (limit) + (slice), calls_result = name(__VA_ARGS__));   \
        CALLS_EXPECT(room, calls_result == TP_OK, calls_result);                        \
    } while (0)

/* Creates a world, cache or player from a good definition: memory size, creation in an array, and
   look-up in that array. */
#define CALLS_CREATE(room, noun, def, block, item)                                            \
    do {                                                                                      \
        size_t calls_bytes = 0;                                                               \
        uint32_t calls_parts = 0;                                                             \
        CALLS_MAKE(room, tp_##noun##_memory, def, &calls_bytes);                              \
        CALLS_MAKE(room, tp_##noun##_memory_parts, def, calls_items.parts, &calls_parts);     \
        CALLS_MAKE(room, tp_##noun##_create, def, block, sizeof(block), &(item));             \
        CALLS_ASK(room, tp_##noun##_at, tp_##noun *, answer == (item), block, sizeof(block)); \
        CALLS_ASK(room, tp_##noun##_definition, const tp_##noun##_def *, answer, item);       \
    } while (0)

/* Adds items during steps until their pool is full, and one more, which must fail; `define(room,
   i)` returns the definition of item i. */
#define CALLS_FILL(room, noun, number, define, items)                                            \
    do {                                                                                         \
        tp_##noun calls_none;                                                                    \
        tp_##noun##_def calls_def;                                                               \
        for (uint32_t calls_i = 0; calls_i < (number); calls_i++) {                              \
            calls_def = define(room, calls_i);                                                   \
            CALLS_CHECK(room, tp_##noun##_check, (room)->world, &calls_def);                     \
            calls_part_of_a_frame(room);                                                         \
            CALLS_MAKE(room, tp_##noun##_add, (room)->world, &calls_def, &(items)[calls_i]);     \
        }                                                                                        \
        CALLS_END(room, tp_##noun##_add, TP_ERROR_FULL, (room)->world, &calls_def, &calls_none); \
    } while (0)

/* Removes and adds the last item of a full pool: its slot is the last one that a search finds. */
#define CALLS_RENEW(room, noun, define, items)                                              \
    do {                                                                                    \
        uint32_t calls_last = (room)->n - 1u;                                               \
        tp_##noun##_def calls_def = define(room, calls_last);                               \
        CALLS_MAKE(room, tp_##noun##_remove, (room)->world, (items)[calls_last]);           \
        CALLS_MAKE(room, tp_##noun##_add, (room)->world, &calls_def, &(items)[calls_last]); \
    } while (0)

static float calls_wave(uint32_t i, uint32_t period)
{
    return (float)(i * 7919u % period) / (float)period - 0.5f;
}

#endif
