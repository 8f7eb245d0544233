/* SPDX-License-Identifier: MIT
   host_tools/common/ordered.h - items worked on by several threads at a time, and taken one after another in their order.
   reads   -                               writes  -
   memory  one item's state a thread       cost    that of the items
   after   own design */
#ifndef TIDEPOOL_ORDERED_H
#define TIDEPOOL_ORDERED_H
#include "host.h"

#define ORDERED_THREADS_MAX 256u

/* `state` is a thread's own memory of state_bytes, zeroed before each item. `work` makes an item, `take` uses it, `drop`
   frees what `work` made, also when that failed half way; each returns HOST_DONE or an error already printed. */
typedef struct ordered_job {
    void *context;
    size_t count, state_bytes;
    uint32_t threads; /* 1: nothing but the caller's, and no lock */
    int (*work)(void *context, size_t item, void *state);
    int (*take)(void *context, size_t item, void *state);
    void (*drop)(void *context, void *state);
} ordered_job;

/* Works on the items from 0 to count - 1, each thread on one at a time, which it keeps until all before it are taken: what
   is taken, printed and returned is the same for any number of threads. The first error ends it. */
int ordered_run(const ordered_job *job);

#endif
