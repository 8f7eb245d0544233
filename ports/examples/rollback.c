/* SPDX-License-Identifier: MIT
   ports/examples/rollback.c - rollback netcode: a remote player's inputs arrive late, so up to
           eight frames are resimulated.
   reads   the platform's clock      writes  standard output
   memory  a world and ROLLBACK_FRAMES copies of it, static      cost  per rollback a memcpy and up
           to eight frames
   after   own design, as in fighting games; linked with tidepool.c and a platform */
#include "platform.h"
#include "tank.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROLLBACK_FRAMES 8u  /* largest delay of an input: 133 ms at 60 Hz */
#define FRAME_LATE      60u /* before this frame arrive the inputs ... */
#define FRAME_FIRST     52u /* ... of this frame ... */
#define FRAME_SECOND    55u /* ... and of this one */

static _Alignas(16) unsigned char block[TANK_BYTES];
/* saved[f % ROLLBACK_FRAMES]: state before frame f */
static unsigned char saved[ROLLBACK_FRAMES][TANK_BYTES];
/* input of each frame, known or predicted */
static int sticks[TANK_FRAMES];
static tp_field gravity;

static bool begin(void)
{
    tp_world_def def = tank_definition();
    tp_world *world;
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = tank_fill(world, &gravity);
    for (uint32_t frame = 0; frame < TANK_FRAMES; frame++) sticks[frame] = tank_stick(frame);
    return result == TP_OK;
}

/* Simulates frames first .. end - 1 completely, without a budget: an input is applied in the same
   state on every machine. */
static bool play(uint32_t first, uint32_t end, uint64_t *units)
{
    tp_world *world = tp_world_at(block, sizeof block);
    tp_report report;
    for (uint32_t frame = first; frame < end; frame++) {
        memcpy(saved[frame % ROLLBACK_FRAMES], block, sizeof block);
        if (tank_tilt(world, gravity, sticks[frame]) != TP_OK) return false;
        if (tp_frame(world, NULL, &report) != TP_OK) return false;
        *units += report.units;
    }
    return true;
}

static uint64_t hash(void) { return tp_world_hash(tp_world_at(block, sizeof block)); }

static void inputs_arrive(void)
{
    sticks[FRAME_FIRST] = 100;
    sticks[FRAME_SECOND] = -100;
}

int main(void)
{
    uint64_t units = 0, again = 0;
    if (!begin()) return 1;
    inputs_arrive();
    if (!play(0, FRAME_LATE, &units)) return 1;
    printf("inputs in time:  frame %u hash %016" PRIx64, FRAME_LATE, hash());
    if (!play(FRAME_LATE, TANK_FRAMES, &units)) return 1;
    printf(", frame %u hash %016" PRIx64 "\n", TANK_FRAMES, hash());

    if (!begin() || !play(0, FRAME_LATE, &units)) return 1;
    printf("guessed so far:  frame %u hash %016" PRIx64 "\n", FRAME_LATE, hash());

    inputs_arrive(); /* the prediction was wrong since FRAME_FIRST */
    uint64_t before = platform_clock_us(NULL);
    memcpy(block, saved[FRAME_FIRST % ROLLBACK_FRAMES], sizeof block);
    uint64_t back = platform_clock_us(NULL);
    if (!play(FRAME_FIRST, FRAME_LATE, &again)) return 1;
    uint64_t after = platform_clock_us(NULL);
    printf("rolled back:     frame %u hash %016" PRIx64, FRAME_LATE, hash());
    if (!play(FRAME_LATE, TANK_FRAMES, &units)) return 1;
    printf(", frame %u hash %016" PRIx64 "\n", TANK_FRAMES, hash());
    printf("a rollback of %u frames: %" PRIu64 " units\n", FRAME_LATE - FRAME_FIRST, again);
    printf("  copying %u bytes back %" PRIu64 " us, simulating and saving again %" PRIu64 " us\n",
           TANK_BYTES, back - before, after - back);
    return 0;
}
