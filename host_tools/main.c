/* SPDX-License-Identifier: MIT
   host_tools/main.c - the program `tidepool`: finds the command and calls it with its arguments.
   reads   the command line      writes  what the command writes
   memory  that of the command   cost    that of the command
   after   own design: one row per command in commands/commands.h */
#include "commands/commands.h"
#include "common/host.h"
#include "common/words.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static int unknown_command(const char *word)
{
    const char *names[COMMAND_MAX];
    size_t count = 0;
    for (; commands[count].name; count++) names[count] = commands[count].name;
    const char *nearest = words_nearest(word, names, count);
    if (nearest)
        return host_error(HOST_USAGE, NULL, HOST_NO_OFFSET,
                          "unknown command '%s'; did you mean 'tidepool %s'?", word, nearest);
    return host_error(HOST_USAGE, NULL, HOST_NO_OFFSET, "unknown command '%s'; see tidepool help",
                      word);
}

/* Printing results can fail too: the disk may be full. */
static int end(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return code > HOST_DIFFERENT
               ? code
               : host_error(HOST_IO, "standard output", HOST_NO_OFFSET, "cannot write");
}

/* The memory of a frame is allocated and freed once per frame. malloc keeps it in between, so that
   the kernel need not map and clear its pages again. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

/* Opens /dev/null for each closed standard descriptor, in the mode in which it stays useless.
   Otherwise a file that is opened later would get its number, and with it the notes and reports
   that go there. */
static void hold_closed_descriptors(void)
{
    struct stat status;
    for (int number = 0; number < 3; number++)
        if (fstat(number, &status) != 0)
            if (open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) != number) return;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        fputs(help_program, stderr);
        return HOST_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return command_help(1, argv + 1);
    if (strcmp(word, "--version") == 0) return command_version();
    for (size_t i = 0; commands[i].name; i++)
        if (strcmp(commands[i].name, word) == 0) return commands[i].run(argc - 1, argv + 1);
    return unknown_command(word);
}

int main(int argc, char **argv)
{
    hold_closed_descriptors();
    keep_memory();
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* a file size limit becomes a write error, like a full disk */
#endif
    return end(run(argc, argv));
}
