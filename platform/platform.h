/* SPDX-License-Identifier: MIT
   platform/platform.h - what a machine provides to a program around the runtime: clock, storage, log, fatal.
   reads   the machine      writes  the machine
   memory  a few words of the caller's, no heap      cost    stated at each call
   after   own design: the runtime itself needs none of this, because it is handed its memory and its clock

   A port is one folder beside this file with one C file that defines every function below; `template/` is a port that
   compiles and says at each place what belongs there. Nothing is called from an interrupt, and nothing needs threads. */
#ifndef TIDEPOOL_PLATFORM_H
#define TIDEPOOL_PLATFORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- clock */

/* Microseconds since any fixed moment. Never goes backwards, never wraps (64 bits), resolution of 10 us or better, and
   goes on while the program waits. Has the form of tp_budget.clock_us; `context` is unused.
   Cost: well below a microsecond, because it is read after every slice. */
uint64_t platform_clock_us(void *context);

/* ---- storage: one region of bytes that outlives a power cut, for recorded clips */

typedef enum platform_result {
    PLATFORM_OK = 0,
    PLATFORM_MISSING = 1, /* nothing is stored under that name */
    PLATFORM_RANGE = 2,   /* offset and size reach beyond the region */
    PLATFORM_FAILED = 3   /* the machine could not do it */
} platform_result;

/* `unit` bytes are written as a whole or not at all when the power fails (a flash page, a disk sector); 1: no such
   promise. `handle` belongs to the port. */
typedef struct platform_storage {
    uint64_t bytes; /* size of the region now */
    uint32_t unit;
    intptr_t handle;
    bool writes;
} platform_storage;

/* Opens the region `name`. With `writes` it is made when it is missing, and may grow; else it must exist. */
platform_result platform_storage_open(platform_storage *storage, const char *name, bool writes);
/* All `size` bytes or an error. Cost O(size). */
platform_result platform_storage_read(platform_storage *storage, uint64_t offset, void *bytes, uint32_t size);
/* All `size` bytes or an error, but not safe from a power cut before the next sync. Writing at the end makes the region
   grow; writing beyond it is PLATFORM_RANGE. Cost O(size). */
platform_result platform_storage_write(platform_storage *storage, uint64_t offset, const void *bytes,
                                       uint32_t size);
/* After this, everything written so far survives. Cost: that of the machine; never called inside a frame. */
platform_result platform_storage_sync(platform_storage *storage);
/* Does not sync. */
void platform_storage_close(platform_storage *storage);

/* ---- words */

/* One line, without its end, for a person or a log file. Must not allocate and must return soon. */
void platform_log(const char *line);

/* The last words of a program that cannot go on: shows the line and never returns. */
_Noreturn void platform_fatal(const char *line);

#endif
