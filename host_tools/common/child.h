/* SPDX-License-Identifier: MIT
   host_tools/common/child.h - runs another program with a time limit, and reads what it prints.
   reads   the program's standard output      writes  the program's standard input
   memory  malloc: the output      cost    that of the program
   after   own design */
#ifndef TIDEPOOL_CHILD_H
#define TIDEPOOL_CHILD_H

/* Most bytes that a program may print. */
#define CHILD_OUTPUT_MAX (16u << 20)

/* Runs the program arguments[0] with these arguments, the last of which is followed by NULL. No
   shell is involved. A name without / is searched for in PATH. The program reads `input` as its
   standard input; its standard error is ours. *output: what it printed, in malloc memory.
   HOST_DONE: it ended with exit code 0. Else an error was printed, and *output is NULL:
   - HOST_IO: it cannot be started, runs for longer than `seconds`, or this program is interrupted;
   - HOST_BAD_INPUT: it ended with another exit code, was ended by a signal, or prints more than
     CHILD_OUTPUT_MAX. The message has its last line.
   A program that is stopped takes the programs that it started with it, except on Windows. */
int child_run(const char *const *arguments, const char *input, double seconds, char **output);

#endif
