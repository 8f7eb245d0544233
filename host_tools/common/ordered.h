/* SPDX-License-Identifier: MIT
   host_tools/common/ordered.h - an ordered parallel loop: threads make items in parallel, results
           are used in order.
   reads   -                               writes  -
   memory  the state of one item per thread      cost    that of the items
   after   own design */
#ifndef TIDEPOOL_ORDERED_H
#define TIDEPOOL_ORDERED_H
#include "host.h"

#define ORDERED_THREADS_MAX 256u

/* `state`: state_bytes of memory per thread, zeroed before each item. `work` makes an item, `take`
   uses it, `drop` frees it, also if `work` failed half way. `work` and `take` return HOST_DONE, or
   an error was printed. */
typedef struct ordered_job {
    void *context;
    size_t count, state_bytes;
    uint32_t threads; /* 1: only the calling thread, without locks */
    int (*work)(void *context, size_t item, void *state);
    int (*take)(void *context, size_t item, void *state);
    void (*drop)(void *context, void *state);
} ordered_job;

/* Handles the items 0 to count - 1. Each thread works on one item and keeps it until all earlier
   items are taken. So the taken items, the messages and the result are the same for any number of
   threads. The first error ends the loop. */
int ordered_run(const ordered_job *job);

#endif
