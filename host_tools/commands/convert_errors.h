/* SPDX-License-Identifier: MIT
   host_tools/commands/convert_errors.h - options of clips; error bounds of streams from their
           ranges.
   reads   options, frames                 writes  bounds
   memory  the caller's                    cost    O(points) per frame
   after   own design */
#ifndef HOST_CONVERT_ERRORS_H
#define HOST_CONVERT_ERRORS_H
#include "../formats/formats.h"

/* Range of the finite values of each component of a stream. */
typedef struct convert_range {
    bool any;
    float low[4], high[4];
} convert_range;

typedef struct convert_errors {
    double error;          /* 0: exact */
    bool is_relative;      /* error is relative to the largest side of the box */
    uint32_t key_interval; /* 0: default */
    uint32_t block_bytes;  /* 0: default */
    bool is_packed;
    convert_range ranges[POINT_STREAMS];
} convert_errors;

/* Values of options, NULL when not given. */
typedef struct convert_error_options {
    const char *error, *key_interval, *block_bytes;
    bool is_exact, is_packed;
} convert_error_options;

/* Reads the options for the output format `to`. HOST_DONE, or HOST_USAGE and an error was
   printed. */
int convert_errors_read(convert_errors *errors, const char *command,
                        const convert_error_options *options, const host_format *to);
/* Widens the ranges by the values of a frame that will be written. */
void convert_errors_widen(convert_errors *errors, const host_frame *frame);
/* Sets bounds[POINT_STREAMS] for a simulation of this type; 0: exact. */
void convert_errors_plan(const convert_errors *errors, uint32_t type, double *bounds);

#endif
