/* SPDX-License-Identifier: MIT
   host_tools/common/threads.c - the option --threads: a thread pool of the platform, lent to the
           runtime.
   reads   the option's text      writes  -
   memory  the caller's record; the threads' stacks      cost    starting and ending them
   after   own design */
#include "threads.h"

int threads_open(threads *target, const char *command, const char *text)
{
    target->count = 1;
    if (text && (!host_parse_u32(text, &target->count) || !target->count ||
                 target->count > PLATFORM_WORKERS_MAX))
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--threads %s: allowed: 1 to %u",
                          text, PLATFORM_WORKERS_MAX);
    if (target->count == 1 || platform_jobs_start(&target->pool, target->count)) return HOST_DONE;
    uint32_t wanted = target->count;
    target->count = 1;
    return host_error(HOST_OUT_OF_MEMORY, command, HOST_NO_OFFSET,
                      "--threads %u: the system cannot start so many threads", wanted);
}

void threads_close(threads *target)
{
    if (target->count > 1) platform_jobs_stop(&target->pool);
    target->count = 1;
}

const tp_jobs *threads_jobs(const threads *target)
{
    return target->count > 1 ? &target->pool.jobs : NULL;
}
