/* SPDX-License-Identifier: MIT
   tests/unit/test_limits.c - what the header says at the limits: pools, ids, z in two dimensions, values that are refused.
   reads   runtime      writes  blocks of its own, counters through the private header
   memory  malloc       cost    milliseconds
   after   own design; each case is a sentence of the header */
#include "../harness/pair_help.h"
#include "../harness/test.h"
#include <math.h>
#include <string.h>

/* ---- pools ---- */

/* Pairs are counted by a measurement, too: it builds the list before any step does. */
static void no_pool_uses_more_than_its_peak(void)
{
    tp_world_def def = pair_def(2, 64, 0.004);
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 64; i++) pair_add(made.world, i % 8u, i / 8u, 0.0);
    (void)pair_measure(made.world);
    tp_pool_report pairs = tp_world_report(made.world).pools[TP_POOL_PAIRS];
    test_note("used %u, peak %u", pairs.used, pairs.peak);
    CHECK(pairs.used > 100 && pairs.peak == pairs.used);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(no_pool_uses_more_than_its_peak),
};
TEST_SUITE(limits, cases);
