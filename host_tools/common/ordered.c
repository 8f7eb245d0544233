/* SPDX-License-Identifier: MIT
   host_tools/common/ordered.c - an ordered parallel loop: threads make items in parallel, results
           are used in order.
   reads   -                               writes  -
   memory  the state of one item per thread, and its messages       cost    that of the items
   after   own design; POSIX threads */
#include "ordered.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Messages of an item are also delayed until its turn. */
typedef struct waiting_line {
    struct waiting_line *next;
    host_kind kind;
    uint64_t offset;
    char *file, *text;
} waiting_line;

typedef struct waiting_lines {
    host_listener listener; /* first member: cast from the listener to its struct */
    waiting_line *first, **end;
} waiting_lines;

typedef struct ordered_run_state {
    const ordered_job *job;
    pthread_mutex_t lock;
    pthread_cond_t turn_moves;
    size_t next; /* first item that has not begun */
    size_t turn; /* item to be taken next */
    int code;    /* of the first item that failed */
} ordered_run_state;

static void keep_line(host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                      const char *text)
{
    waiting_lines *lines = (waiting_lines *)listener;
    waiting_line *line = host_allocate(1, sizeof *line);
    if (!line) return;
    line->kind = kind;
    line->offset = offset;
    line->file = file ? host_text("%s", file) : NULL;
    line->text = host_text("%s", text);
    *lines->end = line;
    lines->end = &line->next;
}

static void tell_line(const waiting_line *line)
{
    const char *text = line->text ? line->text : "";
    if (line->kind == HOST_KIND_ERROR) host_error(HOST_DONE, line->file, line->offset, "%s", text);
    if (line->kind == HOST_KIND_IO) host_error(HOST_IO, line->file, line->offset, "%s", text);
    if (line->kind == HOST_KIND_OUT_OF_MEMORY)
        host_error(HOST_OUT_OF_MEMORY, line->file, line->offset, "%s", text);
    if (line->kind == HOST_KIND_DOUBT) host_doubt(line->file, line->offset, "%s", text);
    if (line->kind == HOST_KIND_NOTE) host_note(line->file, line->offset, "%s", text);
}

static void end_lines(waiting_lines *lines, bool tells)
{
    while (lines->first) {
        waiting_line *line = lines->first;
        lines->first = line->next;
        if (tells) tell_line(line);
        free(line->file);
        free(line->text);
        free(line);
    }
    lines->end = &lines->first;
}

/* Gets the next item. False: none is left, or an item has failed. */
static bool begin_item(ordered_run_state *run, size_t *item)
{
    pthread_mutex_lock(&run->lock);
    bool goes_on = !run->code && run->next < run->job->count;
    if (goes_on) *item = run->next++;
    pthread_mutex_unlock(&run->lock);
    return goes_on;
}

static void wait_for_turn(ordered_run_state *run, size_t item)
{
    pthread_mutex_lock(&run->lock);
    while (run->turn != item) pthread_cond_wait(&run->turn_moves, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

static void end_turn(ordered_run_state *run, int code)
{
    pthread_mutex_lock(&run->lock);
    run->turn++;
    if (!run->code) run->code = code;
    pthread_cond_broadcast(&run->turn_moves);
    pthread_mutex_unlock(&run->lock);
}

/* Only one thread has its turn, so it may read run->code without a lock. */
static void do_item(ordered_run_state *run, size_t item, void *state)
{
    const ordered_job *job = run->job;
    waiting_lines lines = {{keep_line, NULL}, NULL, NULL};
    lines.end = &lines.first;
    memset(state, 0, job->state_bytes);
    host_listen_begin(&lines.listener);
    int code = job->work(job->context, item, state);
    host_listen_end();
    wait_for_turn(run, item);
    bool counts = !run->code;
    end_lines(&lines, counts);
    if (counts && !code) code = job->take(job->context, item, state);
    end_turn(run, code);
    job->drop(job->context, state);
}

static void *run_thread(void *argument)
{
    size_t item;
    ordered_run_state *run = argument;
    void *state = host_allocate(1, run->job->state_bytes);
    while (state && begin_item(run, &item)) do_item(run, item, state);
    free(state);
    return NULL;
}

static int run_alone(const ordered_job *job)
{
    int code = HOST_DONE;
    void *state = host_allocate(1, job->state_bytes);
    if (!state) return host_out_of_memory("an item");
    for (size_t item = 0; item < job->count && !code; item++) {
        memset(state, 0, job->state_bytes);
        code = job->work(job->context, item, state);
        if (!code) code = job->take(job->context, item, state);
        job->drop(job->context, state);
    }
    free(state);
    return code;
}

/* The calling thread works too. If the system starts fewer threads, the existing ones do more. */
int ordered_run(const ordered_job *job)
{
    pthread_t threads[ORDERED_THREADS_MAX];
    uint32_t started = 0;
    ordered_run_state run = {.job = job};
    if (job->threads <= 1 || job->count <= 1) return run_alone(job);
    if (pthread_mutex_init(&run.lock, NULL) != 0) return host_out_of_memory("threads");
    if (pthread_cond_init(&run.turn_moves, NULL) != 0) {
        pthread_mutex_destroy(&run.lock);
        return host_out_of_memory("threads");
    }
    while (started + 1 < job->threads && started + 1 < job->count &&
           started < ORDERED_THREADS_MAX &&
           pthread_create(&threads[started], NULL, run_thread, &run) == 0)
        started++;
    run_thread(&run);
    for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_cond_destroy(&run.turn_moves);
    pthread_mutex_destroy(&run.lock);
    if (!run.code && run.turn < job->count) return host_out_of_memory("an item");
    return run.code;
}
