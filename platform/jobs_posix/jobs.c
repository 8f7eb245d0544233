/* SPDX-License-Identifier: MIT
   platform/jobs_posix/jobs.c - thread pool: threads take job indices from an atomic counter until
           none is left.
   reads   the caller's record      writes  the caller's record
   memory  none of its own      cost    one wake-up of each thread per dispatch, unless the thread
           is still spinning
   after   own design: a thread spins for a while before it sleeps, because stages follow each other
           closely. A dispatch waits for its jobs, not for threads: one that the system does not run
           delays nothing */
#include "jobs.h"
#include <sched.h>
#include <string.h>

/* Spins before a thread sleeps: about a millisecond. Waking a thread takes longer than most waits
   for the slowest part of a dispatch, above all on virtual machines. */
#define JOBS_LOOKS 100000u

/* Takes job indices until none is left. An index that was taken keeps its dispatch from ending, so
   a thread reads the dispatch only then; one that comes late takes from the next dispatch. */
static void jobs_take(platform_jobs *pool)
{
    uint32_t rest = atomic_load(&pool->rest);
    while (rest > 0) {
        if (!atomic_compare_exchange_weak(&pool->rest, &rest, rest - 1u)) continue;
        pool->work(pool->argument, pool->count - rest);
        if (atomic_fetch_sub(&pool->unfinished, 1u) == 1u) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->is_done);
            pthread_mutex_unlock(&pool->lock);
        }
        rest = atomic_load(&pool->rest);
    }
}

/* Returns when a dispatch later than `turn` has started, or the pool ends. */
static uint32_t jobs_wait(platform_jobs *pool, uint32_t turn)
{
    for (uint32_t look = 0; look < JOBS_LOOKS; look++) {
        uint32_t now = atomic_load(&pool->turn);
        if (now != turn) return now;
        if (look % 64u == 63u) sched_yield();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->turn) == turn) pthread_cond_wait(&pool->has_work, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return atomic_load(&pool->turn);
}

static void *jobs_thread(void *argument)
{
    platform_jobs *pool = (platform_jobs *)argument;
    uint32_t turn = 0;
    for (;;) {
        turn = jobs_wait(pool, turn);
        if (atomic_load(&pool->ends)) return NULL;
        jobs_take(pool);
    }
}

static void jobs_turn(platform_jobs *pool)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->turn, 1u);
    pthread_cond_broadcast(&pool->has_work);
    pthread_mutex_unlock(&pool->lock);
}

static void jobs_run(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                     uint32_t count)
{
    platform_jobs *pool = (platform_jobs *)context;
    pool->work = work;
    pool->argument = argument;
    pool->count = count;
    atomic_store(&pool->unfinished, count);
    atomic_store(&pool->rest, count);
    jobs_turn(pool);
    jobs_take(pool);
    for (uint32_t look = 0; look < JOBS_LOOKS && atomic_load(&pool->unfinished); look++)
        if (look % 64u == 63u) sched_yield();
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->unfinished)) pthread_cond_wait(&pool->is_done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

bool platform_jobs_start(platform_jobs *pool, uint32_t workers)
{
    memset(pool, 0, sizeof *pool);
    if (workers < 1u || workers > PLATFORM_WORKERS_MAX) return false;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->has_work, NULL);
    pthread_cond_init(&pool->is_done, NULL);
    pool->jobs = (tp_jobs){jobs_run, pool, workers};
    for (; pool->started + 1u < workers; pool->started++) {
        if (pthread_create(&pool->threads[pool->started], NULL, jobs_thread, pool) == 0) continue;
        platform_jobs_stop(pool);
        return false;
    }
    return true;
}

void platform_jobs_stop(platform_jobs *pool)
{
    atomic_store(&pool->ends, true);
    jobs_turn(pool);
    for (uint32_t t = 0; t < pool->started; t++) pthread_join(pool->threads[t], NULL);
    pool->started = 0;
    pthread_cond_destroy(&pool->has_work);
    pthread_cond_destroy(&pool->is_done);
    pthread_mutex_destroy(&pool->lock);
}
