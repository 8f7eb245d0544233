/* SPDX-License-Identifier: MIT
   platform/template/template.c - skeleton of a platform: copy this folder, then replace each body
           as its comment says.
   reads   nothing yet      writes  nothing yet
   memory  one counter      cost    constant
   after   own design; ../posix/posix.c is a complete platform

   Unchanged, it compiles and links on any machine: the clock counts its own calls, storage is never
   available, and log lines are discarded. The runtime works with it under budgets in units, not
   under budgets in microseconds. */
#include "platform/platform.h"

/* Read a hardware timer that counts microseconds, and extend it to 64 bits: keep the last value,
   and add 2^32 (or 2^16) when a new value is smaller. Read it at least once per wrap: every 71
   minutes for 32 bits, every 65 ms for 16. A cycle counter divided by the clock frequency in MHz
   also works if the frequency is constant. */
uint64_t platform_clock_us(void *context)
{
    static uint64_t calls;
    (void)context;
    return ++calls;
}

/* Find the region called `name`: a flash partition, a file on a card. Fill in its size, the number
   of bytes that the hardware writes atomically (`unit`: a flash page), and a handle of your own. */
platform_result platform_storage_open(platform_storage *storage, const char *name, bool writes)
{
    (void)name;
    *storage = (platform_storage){0, 1, 0, writes};
    return PLATFORM_MISSING;
}

/* Copy from flash, or read the card. Check the range first, as here. */
platform_result platform_storage_read(platform_storage *storage, uint64_t offset, void *bytes,
                                      uint32_t size)
{
    (void)bytes;
    return offset > storage->bytes || size > storage->bytes - offset ? PLATFORM_RANGE
                                                                     : PLATFORM_FAILED;
}

/* Flash: erase a sector when `offset` is its first byte, then program. Writes go upwards without
   gaps, except for one header at the start of the region. If that header has a sector of its own,
   no erase destroys bytes still needed. */
platform_result platform_storage_write(platform_storage *storage, uint64_t offset,
                                       const void *bytes, uint32_t size)
{
    (void)bytes;
    (void)size;
    return offset > storage->bytes ? PLATFORM_RANGE : PLATFORM_FAILED;
}

/* Wait until the hardware reports that the last write is complete. */
platform_result platform_storage_sync(platform_storage *storage)
{
    (void)storage;
    return PLATFORM_OK;
}

void platform_storage_close(platform_storage *storage) { *storage = (platform_storage){0}; }

/* Write to a serial port, a debugger's channel, or a ring buffer that a debugger reads. */
void platform_log(const char *line) { (void)line; }

/* Show the line, then stop: breakpoint, watchdog reset, or a blinking LED. */
_Noreturn void platform_fatal(const char *line)
{
    platform_log(line);
    for (;;) {}
}
