/* SPDX-License-Identifier: MIT
   platform/template/template.c - where a port begins: copy this folder, then replace each body as its comment says.
   reads   nothing yet      writes  nothing yet
   memory  one counter      cost    constant
   after   own design; ../posix/posix.c is a finished one

   As it stands it compiles and links on any machine: the clock counts its own calls, nothing can be stored, and words
   are swallowed. The runtime works with that, without a time limit but with every limit in units. */
#include "platform/platform.h"

/* A hardware timer that counts microseconds, widened to 64 bits: keep the last value read, and add 2^32 (or 2^16)
   whenever a new one is smaller. Read it at least once per wrap: 71 minutes for 32 bits, 65 ms for 16.
   A cycle counter divided by the clock in MHz will do where the clock does not change. */
uint64_t platform_clock_us(void *context)
{
    static uint64_t calls;
    (void)context;
    return ++calls;
}

/* Find the region called `name`: a flash partition, a file on a card. Fill in its size, the bytes that the hardware
   writes as one (`unit`: a flash page), and a handle of your own. */
platform_result platform_storage_open(platform_storage *storage, const char *name, bool writes)
{
    (void)name;
    *storage = (platform_storage){0, 1, 0, writes};
    return PLATFORM_MISSING;
}

/* Copy out of flash, or read the card. Check the range first, as here. */
platform_result platform_storage_read(platform_storage *storage, uint64_t offset, void *bytes, uint32_t size)
{
    (void)bytes;
    return offset > storage->bytes || size > storage->bytes - offset ? PLATFORM_RANGE : PLATFORM_FAILED;
}

/* Flash: erase a sector when `offset` is its first byte, then program. Writing goes upwards without gaps, except for
   one header at the start of the region, so a sector is never erased with wanted bytes in it as long as the header has
   one to itself. */
platform_result platform_storage_write(platform_storage *storage, uint64_t offset, const void *bytes,
                                       uint32_t size)
{
    (void)bytes;
    (void)size;
    return offset > storage->bytes ? PLATFORM_RANGE : PLATFORM_FAILED;
}

/* Wait until the hardware reports that the last write is in place. */
platform_result platform_storage_sync(platform_storage *storage)
{
    (void)storage;
    return PLATFORM_OK;
}

void platform_storage_close(platform_storage *storage) { *storage = (platform_storage){0}; }

/* A serial port, a debugger's channel, a ring in memory that a debugger reads. */
void platform_log(const char *line) { (void)line; }

/* Show the line, then stop: breakpoint, watchdog reset, or a blinking light. */
_Noreturn void platform_fatal(const char *line)
{
    platform_log(line);
    for (;;) {}
}
