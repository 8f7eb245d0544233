/* SPDX-License-Identifier: MIT
   host_tools/common/child.c - runs another program with a time limit, and reads what it prints.
   reads   the program's standard output      writes  the program's standard input
   memory  malloc: the output      cost    that of the program, and a look every 5 ms
   after   own design; POSIX. Input and output are files without a name, not pipes: neither program
           waits for the other, and a grandchild that stays behind holds nothing up */
#include "child.h"
#include "host.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if !defined(_WIN32) /* there platform/windows has these functions */
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
#endif

#define LOOK_NS 5000000 /* between two looks whether the program has ended */

typedef struct child {
    const char *name;
    FILE *input, *output;
    pid_t process;
    int status;
} child;

static int child_failed(const child *started, const char *what, int error)
{
    return host_error(HOST_IO, started->name, HOST_NO_OFFSET, "%s: %s", what, strerror(error));
}

static int child_open(child *started, const char *name, const char *input)
{
    memset(started, 0, sizeof *started);
    started->name = name;
    started->input = tmpfile();
    started->output = tmpfile();
    size_t size = strlen(input);
    if (!started->input || !started->output)
        return child_failed(started, "cannot create a temporary file", errno);
    if (fwrite(input, 1, size, started->input) != size || fflush(started->input) != 0 ||
        fseek(started->input, 0, SEEK_SET) != 0)
        return child_failed(started, "cannot write its input", errno);
    return HOST_DONE;
}

static void child_close(child *started)
{
    if (started->input) fclose(started->input);
    if (started->output) fclose(started->output);
}

/* In a group of its own, so that the programs that it starts can be stopped with it. */
static int child_start(child *started, const char *const *arguments)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t group;
    union {
        const char *const *given;
        char *const *wanted; /* posix_spawnp changes no argument */
    } words = {arguments};
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&group);
    posix_spawn_file_actions_adddup2(&files, fileno(started->input), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(started->output), STDOUT_FILENO);
    posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&group, 0);
    fflush(NULL);
    int error =
        posix_spawnp(&started->process, arguments[0], &files, &group, words.wanted, environ);
    posix_spawnattr_destroy(&group);
    posix_spawn_file_actions_destroy(&files);
    if (!error) return HOST_DONE;
    return host_error(
        HOST_IO, started->name, HOST_NO_OFFSET, "cannot start it: %s%s", strerror(error),
        strchr(arguments[0], '/') ? "" : "; a name without / is searched for in PATH");
}

static void child_stop(child *started)
{
    kill(-started->process, SIGKILL);
    waitpid(started->process, &started->status, 0);
}

static int child_talks(const child *started)
{
    return host_error(HOST_BAD_INPUT, started->name, HOST_NO_OFFSET, "prints more than %u bytes",
                      CHILD_OUTPUT_MAX);
}

/* Why the program must not go on; HOST_DONE: it may. */
static int child_check(const child *started, double begun, double seconds)
{
    struct stat status;
    if (fstat(fileno(started->output), &status) == 0 && (uint64_t)status.st_size > CHILD_OUTPUT_MAX)
        return child_talks(started);
    if (host_seconds() - begun > seconds)
        return host_error(HOST_IO, started->name, HOST_NO_OFFSET,
                          "has not ended after %g s, and was stopped", seconds);
    return host_guard_check(started->name);
}

static int child_wait(child *started, double seconds)
{
    double begun = host_seconds();
    for (;;) {
        pid_t ended = waitpid(started->process, &started->status, WNOHANG);
        if (ended == started->process) return HOST_DONE;
        if (ended < 0 && errno != EINTR) return child_failed(started, "cannot wait for it", errno);
        int code = child_check(started, begun, seconds);
        if (code) {
            child_stop(started);
            return code;
        }
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
}

static int child_read(const child *started, char **output)
{
    struct stat status;
    if (fstat(fileno(started->output), &status) != 0)
        return child_failed(started, "cannot read its output", errno);
    if ((uint64_t)status.st_size > CHILD_OUTPUT_MAX) return child_talks(started);
    size_t size = (size_t)status.st_size;
    *output = host_allocate(size + 1, 1);
    if (!*output) return host_out_of_memory("the output of another program");
    rewind(started->output);
    if (fread(*output, 1, size, started->output) == size) return HOST_DONE;
    return child_failed(started, "cannot read its output", errno);
}

/* The last line that is not empty; ends the text after it. */
static const char *last_line(char *output)
{
    size_t end = strlen(output);
    while (end && (output[end - 1] == '\n' || output[end - 1] == '\r')) end--;
    output[end] = 0;
    const char *before = strrchr(output, '\n');
    return before ? before + 1 : output;
}

static int child_judge(const child *started, char *output)
{
    int status = started->status;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return HOST_DONE;
    const char *line = last_line(output), *how = "ended with exit code";
    if (!WIFEXITED(status)) how = "was ended by signal";
    return host_error(HOST_BAD_INPUT, started->name, HOST_NO_OFFSET,
                      "%s %d; its last line is '%.200s'", how,
                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), line);
}

int child_run(const char *const *arguments, const char *input, double seconds, char **output)
{
    child started;
    *output = NULL;
    int code = child_open(&started, arguments[0], input);
    host_guard_begin();
    if (!code) code = child_start(&started, arguments);
    if (!code) code = child_wait(&started, seconds);
    if (!code) code = child_read(&started, output);
    if (!code) code = child_judge(&started, *output);
    child_close(&started);
    host_guard_end();
    if (!code) return HOST_DONE;
    free(*output);
    *output = NULL;
    return code;
}
