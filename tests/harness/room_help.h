/* SPDX-License-Identifier: MIT
   tests/harness/room_help.h - level files for tests: two rooms, and a large random level.
   reads   -      writes  the bytes of a level file
   memory  malloc, freed by the caller      cost    O(bytes)
   after   host_tools/rooms/FORMAT.md; no level of a game */
#ifndef ROOM_HELP_H
#define ROOM_HELP_H
#include "common/host.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two rooms with a block, a slant and a portal between them: 75 816 bytes with the checksum
   0x90c8fe2f (CRC-32). The second is 4 clicks lower. */
uint8_t *room_fixture(size_t *size);
#define ROOM_FIXTURE_SIZE 75816u
#define ROOM_FIXTURE_CRC  0x90c8fe2fu

/* side x side x layers rooms with blocks, pillars, slants of floors and ceilings, portals, columns
   that are open to the room above, water, and alternates of some rooms. */
uint8_t *room_random(uint32_t seed, uint32_t side, uint32_t layers, size_t *size);

/* A hall over a row of pools of 2 x 3 sectors with water, a sector of rock between two of them;
   with `has_cellars` that rock has a dry room. Rooms: the hall, the pools, the cellars. */
uint8_t *room_pools(uint32_t pools, bool has_cellars, size_t *size);

/* Counts the errors that the host tells, and keeps the byte of the last one. */
typedef struct room_errors {
    host_listener listener;
    uint64_t byte;
    uint32_t errors;
} room_errors;
room_errors room_errors_none(void);

#endif
