/* SPDX-License-Identifier: MIT
   host_tools/commands/commands.h - the commands of the program, one row each.
   reads   -      writes  -
   memory  constant tables      cost    -
   after   own design */
#ifndef TIDEPOOL_COMMANDS_H
#define TIDEPOOL_COMMANDS_H

/* Every command: its name and its line in the overview. command_NAME gets its own name as argv[0] and returns an exit
   code of host.h; help_NAME is its usage, with an example. */
#define COMMAND_LIST(ITEM)                                                                   \
    ITEM(run, "simulate a scene in a frame loop under a budget; record, export and draw it") \
    ITEM(bake, "simulate a scene straight into a clip or another format, without a budget")  \
    ITEM(info, "what a file, a sequence or a folder of frames holds")                        \
    ITEM(convert, "convert between any two formats")                                         \
    ITEM(verify, "check every rule, say what is wrong and at which byte")                    \
    ITEM(diff, "compare two caches point by point")                                          \
    ITEM(sample, "the points at any, also fractional, frame")                                \
    ITEM(activity, "how much happens in each frame and region, as numbers or a chart")       \
    ITEM(render, "pictures and animations of recorded frames")                               \
    ITEM(size, "bytes of memory that a scene takes, by pool and stage")                      \
    ITEM(hash, "state hash of a scene after a number of frames")                             \
    ITEM(bench, "benchmarks beside published figures")                                       \
    ITEM(help, "this overview, or the usage of one command")

#define COMMAND_MAX 16

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    const char *usage;
} command;

/* Ends with a row whose name is NULL. */
extern const command commands[];

#define COMMAND_DECLARE(name, summary)         \
    int command_##name(int argc, char **argv); \
    extern const char help_##name[];
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* What `tidepool` alone says. */
extern const char help_program[];
int command_version(void);

#endif
