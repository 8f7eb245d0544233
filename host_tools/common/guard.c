/* SPDX-License-Identifier: MIT
   host_tools/common/guard.c - an interrupted program still removes its partial files.
   reads   SIGINT, SIGTERM, SIGHUP      writes  -
   memory  the previous signal handlers      cost    one check per piece of work
   after   own design; POSIX. A handler may not walk folders, so it only sets a flag. Writers check
           the flag between two pieces of work, fail as on a full disk, and clean up; then the
           signal is delivered */
#include "host.h"
#include <signal.h>
#include <string.h>

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[SIGNALS];
static volatile sig_atomic_t received; /* number of the signal; 0: none */
static unsigned depth;                 /* number of open guards */

static void take_note(int number) { received = number; }

/* Ignored signals, as under nohup, stay ignored. A second signal of the same kind ends the program
   immediately. */
void host_guard_begin(void)
{
    if (depth++) return;
    received = 0;
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = take_note;
        action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
    }
}

void host_guard_end(void)
{
    if (--depth) return;
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
    if (received) raise(received);
}

int host_guard_check(const char *file)
{
    if (!depth || !received) return HOST_DONE;
    return host_error(HOST_IO, file, HOST_NO_OFFSET, "interrupted; no partial file remains");
}
