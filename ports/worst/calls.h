/* SPDX-License-Identifier: MIT
   ports/worst/calls.h - one room after the other, in which every public call is made as dearly as its capacities allow.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; calls_*.h fill the rooms, calls.c runs them */
#ifndef TIDEPOOL_WORST_CALLS_H
#define TIDEPOOL_WORST_CALLS_H
#include "place.h"

#define CALLS_MOST        256u     /* the largest room */
#define CALLS_WORLD_BYTES 0xc0000u /* the largest takes some 500 KB of them */
#define CALLS_CACHE_BYTES 0x180000u
#define CALLS_SPARE_BYTES 0x40000u

/* What all calls of a room share. */
typedef struct calls_room {
    uint32_t n; /* every capacity that can be so large, and what fills it */
    uint32_t dimensions;
    tp_solver solver;
    tp_world *world;
    const char *text; /* of the first answer that was not expected */
    uint32_t line;    /* and where */
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

/* What must be so, else the room is given up at its end, with the line. */
#define CALLS_EXPECT(room, is_good, result) calls_note((room), (is_good), tp_result_text(result), __LINE__)

/* A call that ends as `expected`, in instructions. */
#define CALLS_END(room, name, expected, ...)                                      \
    do {                                                                          \
        tp_result calls_result;                                                   \
        WORST_MEASURE(name, WORST_SLICE_LEAST, calls_result = name(__VA_ARGS__)); \
        CALLS_EXPECT(room, calls_result == (expected), calls_result);             \
    } while (0)

/* A call that ends well. */
#define CALLS_MAKE(room, name, ...) CALLS_END(room, name, TP_OK, __VA_ARGS__)

/* A call without a result, whose answer must be `is_good`. */
#define CALLS_ASK(room, name, type, is_good, ...)                           \
    do {                                                                    \
        type answer;                                                        \
        WORST_MEASURE(name, WORST_SLICE_LEAST, answer = name(__VA_ARGS__)); \
        calls_note((room), (is_good), #name, __LINE__);                     \
    } while (0)

/* A definition that is good. */
#define CALLS_CHECK(room, name, ...)                                        \
    do {                                                                    \
        const char *answer;                                                 \
        WORST_MEASURE(name, WORST_SLICE_LEAST, answer = name(__VA_ARGS__)); \
        calls_note((room), !answer, answer, __LINE__);                      \
    } while (0)

/* One call after the other until there is no more to do; instructions a unit of budget and slice. */
#define CALLS_CONTINUE(room, name, limit, slice, ...)                                                  \
    do {                                                                                               \
        tp_result calls_result = TP_MORE;                                                              \
        for (uint32_t calls_times = 0; calls_result == TP_MORE && calls_times < 20000u; calls_times++) \
            WORST_MEASURE(name, (limit) + (slice), calls_result = name(__VA_ARGS__));                  \
        CALLS_EXPECT(room, calls_result == TP_OK, calls_result);                                       \
    } while (0)

/* A world, a cache or a player of a good definition: asked for its memory, laid out in an array, found there again. */
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

/* Items in the middle of steps until their pool is full, and one too many; `define(room, i)` tells what item i is. */
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

/* The last item of a full pool goes and comes again: its place is the last that is looked at. */
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
