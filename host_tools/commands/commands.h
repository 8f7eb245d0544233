/* SPDX-License-Identifier: MIT
   host_tools/commands/commands.h - the commands of the program, one row each.
   reads   -      writes  -
   memory  constant tables      cost    -
   after   own design */
#ifndef TIDEPOOL_COMMANDS_H
#define TIDEPOOL_COMMANDS_H

/* Every command: its name, and its line in `tidepool help`. command_NAME gets its own name as
   argv[0] and returns an exit code of host.h. help_NAME is its usage text, with an example. */
#define COMMAND_LIST(ITEM)                                                                   \
    ITEM(run, "simulate a scene in a frame loop under a budget; record, export and draw it") \
    ITEM(bake, "simulate a scene straight into a clip or another format, without a budget")  \
    ITEM(info, "show what a file, a sequence or a folder of frames holds")                   \
    ITEM(convert, "convert a sequence between any two formats")                              \
    ITEM(formats, "list the file formats, and what each can hold")                           \
    ITEM(verify, "check every rule of a format; report each fault with its byte")            \
    ITEM(diff, "compare two sequences point by point")                                       \
    ITEM(sample, "print the points at any frame, also between two frames")                   \
    ITEM(activity, "show how much happens in each frame and region, as numbers or a chart")  \
    ITEM(light, "find how the patches of a mesh light one another, for the runtime")         \
    ITEM(level, "read a level of rooms as a scene, with its surface and a picture")          \
    ITEM(render, "draw pictures and animations of recorded frames")                          \
    ITEM(watch, "follow a sequence while a farm writes it, until all frames are there")      \
    ITEM(view, "write one HTML page that plays a sequence in a browser")                     \
    ITEM(size, "print the memory that a scene needs, part by part")                          \
    ITEM(hash, "simulate a scene and print its state hash")                                  \
    ITEM(bench, "run benchmarks and compare with published figures")                         \
    ITEM(help, "print this overview, or the usage of one command")

#define COMMAND_MAX 19

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    const char *usage;
} command;

/* The last row has the name NULL. */
extern const command commands[];

#define COMMAND_DECLARE(name, summary)         \
    int command_##name(int argc, char **argv); \
    extern const char help_##name[];
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* Printed by `tidepool` without arguments. */
extern const char help_program[];
int command_version(void);

#endif
