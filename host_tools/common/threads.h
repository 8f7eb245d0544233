/* SPDX-License-Identifier: MIT
   host_tools/common/threads.h - the option --threads: a thread pool of the platform, lent to the
           runtime.
   reads   the option's text      writes  -
   memory  the caller's record; the threads' stacks      cost    starting and ending them
   after   own design: results do not depend on it, see tp_jobs */
#ifndef TIDEPOOL_THREADS_H
#define TIDEPOOL_THREADS_H
#include "host.h"
#include "jobs_posix/jobs.h"

typedef struct threads {
    platform_jobs pool;
    uint32_t count; /* 1: only the calling thread, no pool */
} threads;

/* `text`: value of --threads; NULL: one thread. HOST_DONE, or an error was printed. */
int threads_open(threads *target, const char *command, const char *text);
void threads_close(threads *target);
/* For tp_budget.jobs; NULL for one thread. Valid as long as `target` is not moved. */
const tp_jobs *threads_jobs(const threads *target);

#endif
