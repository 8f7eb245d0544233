/* SPDX-License-Identifier: MIT
   ports/worst/calls.c - makes every public call with all capacities at 16, 64 and 256 ("rooms"),
           counted by ports/count/slices.c.
   reads   nothing      writes  one line per room: done, or the call that failed
   memory  three static blocks, 2.5 MB      cost  some hundred million instructions
   after   own design; freestanding: a port supplies only port_puts */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include "../golden/print.h"
#include "calls.h"
#include "calls_world.h"
#include "calls_query.h"
#include "calls_light.h"
#include "calls_change.h"
#include "calls_cache.h"
#include "calls_clip.h"

static void calls_of_all(calls_room *room)
{
    static const tp_solver solvers[3] = {TP_SOLVER_NONE, TP_SOLVER_SPH, TP_SOLVER_PAIR};
    for (uint32_t i = 0; i < 6u && !room->line; i++) {
        room->solver = solvers[i % 3u];
        room->dimensions = 2u + i / 3u;
        calls_of_a_world(room);
    }
    if (!room->line) calls_of_a_warm_fluid(room);
    if (!room->line) calls_of_vortices(room);
    if (!room->line) calls_of_cloth(room);
    if (!room->line) calls_of_caches(room);
    if (!room->line) calls_of_worlds(room);
    if (!room->line) calls_of_clips(room);
}

int port_main(void)
{
    static const uint32_t sizes[3] = {16, 64, CALLS_MOST};
    uint32_t failed = 0;
    for (uint32_t i = 0; i < 3; i++) {
        calls_room room = {.n = sizes[i]};
        calls_of_all(&room);
        worst_tell(WORST_SCENE, i);
        port_put_number("room of ", sizes[i]);
        port_puts(room.line ? ": " : ": done");
        if (room.line) {
            port_puts(room.text);
            port_put_number("; line ", room.line);
            failed = 1;
        }
        port_puts("\n");
    }
    return (int)failed;
}
