/* SPDX-License-Identifier: MIT
   tests/harness/formats_help.h - shared by the tests of file formats: small files, random frames,
           cuts.
   reads   files of one format             writes  a temporary folder
   memory  malloc                          cost    that of the format
   after   own design */
#ifndef TIDEPOOL_FORMATS_HELP_H
#define TIDEPOOL_FORMATS_HELP_H
#include "../../host_tools/formats/formats.h"
#include "files_help.h"

/* Writes a file of that name with these bytes in a new folder, and loads its frame `position`;
   false after a failed check. */
bool test_format_load(const char *name, const void *bytes, size_t size, size_t position,
                      host_frame *frame);
/* Checks that the file is refused with `message`, and that a conversion of it leaves no output
   file. */
void test_format_refused(const char *name, const void *bytes, size_t size, const char *message);
/* Writes four random frames with these streams to `name`; reading must give the same bits, frame
   numbers and indices. `changes`: each frame has other points. */
void test_format_round_trip(const char *name, host_encoding encoding, uint32_t streams,
                            bool changes);
/* Every truncation of the file is refused with a message, or has fewer frames or streams than the
   whole file. Truncations shorter than `needed` bytes are refused. */
void test_format_cuts(const char *name, const void *bytes, size_t size, size_t needed);
/* Writes three frames, the second one without velocities; reading must give the same. */
void test_format_lacks(const char *name);
/* With five other values of each byte in turn, the file is read or refused; a message names no byte
   beyond its end. */
void test_format_changes(const char *name, const void *bytes, size_t size);
/* Checks that writing one frame gives exactly the `expected` bytes. */
void test_format_written(const char *name, host_encoding encoding, const host_frame *frame,
                         const void *expected, size_t size);
/* Two points, indices 0 and 3, at (1, -2, 0.5) and (0.1, 1e-40, 3e38), velocities (0, -0, 1) and
   (4, 5, 6), frame 7. */
void test_format_points(host_frame *frame);
/* Checks that a file of that name with these bytes gives the points of test_format_points. */
void test_format_has_points(const char *name, const void *bytes, size_t size);
/* Writes a table with every stream that text can hold: four frames from 8 on, `count` points each,
   with gaps in their indices. `value` gives every number. */
void test_format_table(const char *path, uint32_t count, float (*value)(uint32_t word));

#endif
