/* SPDX-License-Identifier: MIT
   tests/harness/formats_help.h - what the tests of file formats share: small files, random frames, cuts.
   reads   files of one format             writes  a temporary folder
   memory  malloc                          cost    that of the format
   after   own design */
#ifndef TIDEPOOL_FORMATS_HELP_H
#define TIDEPOOL_FORMATS_HELP_H
#include "../../host_tools/formats/formats.h"
#include "files_help.h"

/* Loads frame `position` of a file of that name with these bytes, in a folder of its own; false after a failed check. */
bool test_format_load(const char *name, const void *bytes, size_t size, size_t position, host_frame *frame);
/* The file is refused with `message`, and a conversion of it leaves no file. */
void test_format_refused(const char *name, const void *bytes, size_t size, const char *message);
/* Four random frames with the streams go to `name` and come back with the same bits, numbers and indices; `changes`: each
   has other points. */
void test_format_round_trip(const char *name, host_encoding encoding, uint32_t streams, bool changes);
/* Every part from the start of the file is refused with a message, or has fewer frames or streams than the whole; a part
   of fewer than `needed` bytes is refused. */
void test_format_cuts(const char *name, const void *bytes, size_t size, size_t needed);
/* The bytes that one frame of the points below becomes: they are `expected`. */
void test_format_written(const char *name, host_encoding encoding, const host_frame *frame,
                         const void *expected, size_t size);
/* Two points, indices 0 and 3, at (1, -2, 0.5) and (0.1, 1e-40, 3e38), velocities (0, -0, 1) and (4, 5, 6), frame 7. */
void test_format_points(host_frame *frame);
/* Checks that a file of that name with these bytes holds them. */
void test_format_has_points(const char *name, const void *bytes, size_t size);
/* A table with every stream that text can hold: four frames from 8 on, `count` points each, gaps in their indices. `value`
   is asked for every number. */
void test_format_table(const char *path, uint32_t count, float (*value)(uint32_t word));

#endif
