/* SPDX-License-Identifier: MIT
   host_tools/commands/help.c - `tidepool help [COMMAND]`.
   reads   the table of commands      writes  standard output
   memory  none      cost    constant
   after   own design */
#include "commands.h"
#include "../common/host.h"
#include "../common/scene.h"
#include "../common/words.h"
#include <string.h>

const char help_program[] = "usage: tidepool COMMAND [ARGUMENTS]; see tidepool help\n";

const char help_help[] = "usage: tidepool help [COMMAND]\n"
                         "\n"
                         "Prints all commands, or the usage of one command.\n"
                         "\n"
                         "example: tidepool help run\n";

/* This file declares the usage texts of all commands, and each command's file defines its own. So
   the table of their addresses is here. */
const command commands[] = {
#define COMMAND_ROW(name, summary) {#name, summary, command_##name, help_##name},
    COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
        {NULL, NULL, NULL, NULL}};

int command_version(void)
{
    printf("tidepool %d.%d.%d\nvectors of %u numbers on this machine\n", TP_VERSION / 10000,
           TP_VERSION / 100 % 100, TP_VERSION % 100, tp_lanes());
    return HOST_DONE;
}

static void print_overview(void)
{
    puts("tidepool - particle physics in fixed memory and fixed time\n\nusage: tidepool COMMAND "
         "[ARGUMENTS]\n");
    for (size_t i = 0; commands[i].name; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\nshipped scenes:", stdout);
    for (size_t i = 0; scene_shipped_name(i); i++) printf(" %s", scene_shipped_name(i));
    puts("\n\nexit codes: 0 done, 1 different or faulty, 2 wrong usage, 3 bad input,\n"
         "            4 reading or writing failed, 5 not enough memory\n"
         "\nexample: tidepool run dam_break --out out\n"
         "For details: tidepool help COMMAND");
}

int command_help(int argc, char **argv)
{
    const char *word = NULL, *names[COMMAND_MAX];
    size_t count = 0, words = 0;
    if (host_help(argc, argv, help_help)) return HOST_DONE;
    int code = host_parse("help", argc, argv, NULL, 0, &word, 1, &words);
    if (code) return code;
    if (!words) {
        print_overview();
        return HOST_DONE;
    }
    for (; commands[count].name; count++) {
        names[count] = commands[count].name;
        if (strcmp(word, names[count]) != 0) continue;
        fputs(commands[count].usage, stdout);
        return HOST_DONE;
    }
    const char *nearest = words_nearest(word, names, count);
    return host_error(HOST_USAGE, NULL, HOST_NO_OFFSET, "unknown command '%s'%s%s%s", word,
                      nearest ? "; did you mean 'tidepool help " : "; see tidepool help",
                      nearest ? nearest : "", nearest ? "'?" : "");
}
