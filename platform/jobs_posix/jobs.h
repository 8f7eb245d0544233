/* SPDX-License-Identifier: MIT
   platform/jobs_posix/jobs.h - thread pool for tp_budget.jobs on a POSIX host.
   reads   nothing      writes  nothing
   memory  the caller's record; the threads' stacks      cost    about 2 us per dispatch
   after   own design; a console or an engine provides its own threads through the same tp_jobs */
#ifndef TIDEPOOL_JOBS_POSIX_H
#define TIDEPOOL_JOBS_POSIX_H
#include "tidepool.h"
#include <pthread.h>
#include <stdatomic.h>

#define PLATFORM_WORKERS_MAX 16u

typedef struct platform_jobs {
    tp_jobs jobs; /* for tp_budget.jobs; valid until the record is moved or stopped */
    pthread_t threads[PLATFORM_WORKERS_MAX];
    uint32_t started; /* threads in addition to the caller's */
    pthread_mutex_t lock;
    pthread_cond_t has_work, is_done;
    atomic_uint turn;       /* number of the dispatch, grows by 1 each time */
    atomic_uint rest;       /* job indices that no thread has taken yet */
    atomic_uint unfinished; /* jobs that have not returned yet */
    atomic_bool ends;
    void (*work)(void *argument, uint32_t index);
    void *argument;
    uint32_t count;
} platform_jobs;

/* Starts workers - 1 threads; the calling thread is the remaining worker. 1 <= workers <=
   PLATFORM_WORKERS_MAX. False if workers is out of range or a thread cannot be created; the threads
   created so far are then stopped. */
bool platform_jobs_start(platform_jobs *pool, uint32_t workers);
/* Ends the threads and waits for them. */
void platform_jobs_stop(platform_jobs *pool);

#endif
