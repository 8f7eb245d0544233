/* SPDX-License-Identifier: MIT
   host_tools/main.c - the program `tidepool`: finds the command and hands it its arguments.
   reads   the command line      writes  what the command writes
   memory  that of the command   cost    that of the command
   after   own design: one row a command in commands/commands.h */
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
    return host_error(HOST_USAGE, NULL, HOST_NO_OFFSET, "unknown command '%s'; see tidepool help", word);
}

/* A disk may fill up while results are printed, too. */
static int end(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return code > HOST_DIFFERENT ? code
                                 : host_error(HOST_IO, "standard output", HOST_NO_OFFSET, "cannot write");
}

/* A frame's memory is asked for and given back frame by frame: between them it is kept, so that the kernel need not map and
   clear its pages anew. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

/* A closed standard descriptor stays useless, but its number is used up: a file that is opened
   later would get the number, and the notes and reports that go there. */
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
    signal(SIGXFSZ, SIG_IGN); /* a file that must not grow further is an error of writing like a full disk */
#endif
    return end(run(argc, argv));
}
