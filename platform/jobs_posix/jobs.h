/* SPDX-License-Identifier: MIT
   platform/jobs_posix/jobs.h - a few threads that wait for work, for tp_budget.jobs on a host.
   reads   nothing      writes  nothing
   memory  the caller's record; the threads' stacks      cost    about 5 us a hand-over
   after   own design; a console or an engine lends its own threads through the same tp_jobs */
#ifndef TIDEPOOL_JOBS_POSIX_H
#define TIDEPOOL_JOBS_POSIX_H
#include "tidepool.h"
#include <pthread.h>
#include <stdatomic.h>

#define PLATFORM_WORKERS_MAX 16u

typedef struct platform_jobs {
    tp_jobs jobs; /* for tp_budget.jobs; valid while the record stays where it is */
    pthread_t threads[PLATFORM_WORKERS_MAX];
    uint32_t started; /* threads beside the caller's */
    pthread_mutex_t lock;
    pthread_cond_t has_work, is_done;
    atomic_uint turn;    /* grows with each hand-over */
    atomic_uint next;    /* first index that was not taken */
    atomic_uint working; /* threads that have not finished this turn */
    bool ends;
    void (*work)(void *argument, uint32_t index);
    void *argument;
    uint32_t count;
} platform_jobs;

/* Starts workers - 1 threads (the caller's is the other one); 1 <= workers <= PLATFORM_WORKERS_MAX. False when the machine
   gives no thread; then nothing is left behind. */
bool platform_jobs_start(platform_jobs *pool, uint32_t workers);
/* Waits for the threads to end. */
void platform_jobs_stop(platform_jobs *pool);

#endif
