/* SPDX-License-Identifier: MIT
   host_tools/commands/output.h - what the path and the options of a command say of the file that it writes.
   reads   options                         writes  -
   memory  none                            cost    O(formats)
   after   own design */
#ifndef TIDEPOOL_OUTPUT_H
#define TIDEPOOL_OUTPUT_H
#include "../formats/formats.h"

/* The format that --to names, else the path's ending; without one .bphys, and .csv for standard output. HOST_DONE, or
   HOST_USAGE printed. */
int output_format(const char *command, const char *path, const char *to, const host_format **format);
/* What --compression says, NULL: not given, for that format. HOST_DONE, or HOST_USAGE printed. */
int output_compression(const char *command, const char *text, const host_format *format,
                       host_compression *compression);
/* A usage error of an option of a command. */
int output_bad_option(const char *command, const char *name, const char *value, const char *expected);
/* --jobs: threads; NULL: 1. HOST_DONE, or HOST_USAGE printed. */
int output_jobs(const char *command, const char *text, uint32_t *jobs);

#endif
