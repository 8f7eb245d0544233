/* SPDX-License-Identifier: MIT
   host_tools/commands/output.h - reads the path and the options that describe the output of a
           command.
   reads   options                         writes  -
   memory  none                            cost    O(formats)
   after   own design */
#ifndef TIDEPOOL_OUTPUT_H
#define TIDEPOOL_OUTPUT_H
#include "../formats/formats.h"

/* The output format: --to; otherwise by the file ending; otherwise .csv for standard output;
   otherwise .bphys. HOST_DONE, or HOST_USAGE and an error was printed. */
int output_format(const char *command, const char *path, const char *to,
                  const host_format **format);
/* Reads --compression for this format; text NULL: not given. HOST_DONE, or HOST_USAGE and an error
   was printed. */
int output_compression(const char *command, const char *text, const host_format *format,
                       host_compression *compression);
/* Prints "--NAME is VALUE, expected ..."; returns HOST_USAGE. */
int output_bad_option(const char *command, const char *name, const char *value,
                      const char *expected);
/* True if a file's name is longer than the ending and ends with it. */
bool output_has_ending(const char *path, const char *ending);
/* Reads --jobs, a number of threads; NULL: 1. HOST_DONE, or HOST_USAGE and an error was printed. */
int output_jobs(const char *command, const char *text, uint32_t *jobs);

#endif
