/* SPDX-License-Identifier: MIT
   host_tools/commands/convert_finite.h - values of a frame that are not finite: NaN and infinity.
   reads   host_frame                      writes  errors and notes
   memory  the first value found           cost    O(values of a frame)
   after   own design */
#ifndef HOST_CONVERT_FINITE_H
#define HOST_CONVERT_FINITE_H
#include "../formats/formats.h"

/* What was found in all frames so far. */
typedef struct convert_finite {
    uint64_t count; /* values that are not finite */
    double frame;   /* of the first such value */
    uint32_t index, stream;
    float value;
} convert_finite;
/* Adds the values of a frame. */
void convert_finite_add(convert_finite *found, const host_frame *frame);
/* Refuses a frame with such a value: HOST_BAD_INPUT with the error printed. `to`: the format of the
   output. */
int convert_finite_check(const host_frame *frame, const char *path, const host_format *to);
/* Prints one note when values were found. */
void convert_finite_note(const convert_finite *found, const char *path);

#endif
