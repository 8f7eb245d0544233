/* SPDX-License-Identifier: MIT
   platform/platform.h - interface to the machine for programs around the runtime: clock, storage,
           log, fatal.
   reads   the machine      writes  the machine
   memory  a few words of the caller's, no heap      cost    stated at each call
   after   own design: the runtime itself needs none of this, because the caller passes its memory
           and its clock

   A port is one folder beside this file with one C file that defines every function below.
   `template/` is a skeleton that compiles; each comment in it says what to implement. No function
   is called from an interrupt or needs threads. */
#ifndef TIDEPOOL_PLATFORM_H
#define TIDEPOOL_PLATFORM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- clock */

/* Microseconds since any fixed moment. Never goes backwards, never wraps (64 bits), has a
   resolution of 10 us or better, and keeps counting while the program waits. Has the signature of
   tp_budget.clock_us; `context` is unused. Cost: must be well below a microsecond, because it is
   read after every slice. */
uint64_t platform_clock_us(void *context);

/* ---- storage: one region of bytes that survives a power cut, for recorded clips */

typedef enum platform_result {
    PLATFORM_OK = 0,
    PLATFORM_MISSING = 1, /* nothing is stored under that name */
    PLATFORM_RANGE = 2,   /* offset and size exceed the region */
    PLATFORM_FAILED = 3   /* the machine reported an error */
} platform_result;

/* `unit`: number of bytes that are written completely or not at all if the power fails (a flash
   page, a disk sector); 1: no such guarantee. `handle` is for the port's own use. */
typedef struct platform_storage {
    uint64_t bytes; /* current size of the region */
    uint32_t unit;
    intptr_t handle;
    bool writes;
} platform_storage;

/* Opens the region `name`. With `writes` it is created if missing, and may grow; otherwise it must
   exist. */
platform_result platform_storage_open(platform_storage *storage, const char *name, bool writes);
/* Reads all `size` bytes or returns an error. Cost O(size). */
platform_result platform_storage_read(platform_storage *storage, uint64_t offset, void *bytes,
                                      uint32_t size);
/* Writes all `size` bytes or returns an error. The bytes survive a power cut only after the next
   sync. Writing at the end extends the region; an offset beyond the end is PLATFORM_RANGE. Cost
   O(size). */
platform_result platform_storage_write(platform_storage *storage, uint64_t offset,
                                       const void *bytes, uint32_t size);
/* When it returns, all bytes written so far survive a power cut. Cost: the machine's; never called
   inside a frame. */
platform_result platform_storage_sync(platform_storage *storage);
/* Closes the region without a sync. */
void platform_storage_close(platform_storage *storage);

/* ---- messages */

/* Writes one line, passed without its newline, to a console or a log file. Must not allocate or
   block. */
void platform_log(const char *line);

/* Shows the last message of a program that cannot continue. Never returns. */
_Noreturn void platform_fatal(const char *line);

#endif
