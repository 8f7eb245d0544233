/* SPDX-License-Identifier: MIT
   host_tools/common/threads.h - the option --threads: a pool of the platform's threads, lent to the runtime.
   reads   the option's text      writes  -
   memory  the caller's record; the threads' stacks      cost    starting and ending them
   after   own design: results do not depend on it, see tp_jobs */
#ifndef TIDEPOOL_THREADS_H
#define TIDEPOOL_THREADS_H
#include "host.h"
#include "jobs_posix/jobs.h"

typedef struct threads {
    platform_jobs pool;
    uint32_t count; /* 1: the caller's alone, and no pool */
} threads;

/* `text`: what stands behind --threads, NULL for one thread. HOST_DONE, or an error already printed. */
int threads_open(threads *target, const char *command, const char *text);
void threads_close(threads *target);
/* For tp_budget.jobs; NULL for one thread. Valid while the record stays where it is. */
const tp_jobs *threads_jobs(const threads *target);

#endif
