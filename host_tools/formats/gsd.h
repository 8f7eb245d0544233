/* SPDX-License-Identifier: MIT
   host_tools/formats/gsd.h - GSD files of HOOMD-blue: named arrays per frame, in one file.
   reads   .gsd of versions 1 and 2        writes  version 2
   memory  32 bytes per array; one frame   cost    O(points) per frame
   after   the GSD file layer and the schema "hoomd" 1.4, as their documentation describes them */
#ifndef TIDEPOOL_GSD_H
#define TIDEPOOL_GSD_H
#include "formats.h"

/* ---- functions of the format's row in formats.c */
bool gsd_recognises(const uint8_t *start, size_t size);
int gsd_open(host_sequence *sequence, const char *path);
int gsd_load(host_sequence *sequence, size_t position, host_frame *frame);
void gsd_close(host_sequence *sequence);
int gsd_create(host_sink *sink, const char *path);
int gsd_write(host_sink *sink, const host_frame *frame);
int gsd_finish(host_sink *sink);
void gsd_abandon(host_sink *sink);

/* ---- arrays of a frame, shared by reader and writer */
/* Types of the numbers in an array, as the file has them. */
enum { GSD_U32 = 3, GSD_U64 = 4, GSD_F32 = 9, GSD_F64 = 10, GSD_TYPES = 11 };
/* In the order in which they are written. */
enum {
    GSD_STEP,
    GSD_BOX,
    GSD_COUNT,
    GSD_POSITION,
    GSD_VELOCITY,
    GSD_ORIENTATION,
    GSD_DIAMETER,
    GSD_INDEX,
    GSD_AVELOCITY,
    GSD_TIMES,
    GSD_ARRAYS
};
typedef struct gsd_array {
    const char *name;
    uint32_t stream; /* POINT_STREAMS: of the frame, not of its points */
    uint8_t type;    /* that is written */
    uint32_t columns;
} gsd_array;
/* The schema has no place for the last three: they are quantities that were logged. */
extern const gsd_array gsd_arrays[GSD_ARRAYS];

/* Offsets in the header, which the file begins with. */
enum {
    GSD_AT_INDEX = 8,
    GSD_AT_INDEX_ROOM = 16,
    GSD_AT_NAMES = 24,
    GSD_AT_NAMES_ROOM = 32,
    GSD_AT_SCHEMA_VERSION = 40,
    GSD_AT_VERSION = 44,
    GSD_AT_APPLICATION = 48,
    GSD_AT_SCHEMA = 112,
    GSD_HEAD_BYTES = 256,
    GSD_NAME_BYTES = 64
};
#define GSD_MAGIC 0x65df65df65df65dfu

/* An entry of the index: an array of one frame. */
enum { GSD_ENTRY_BYTES = 32 };
typedef struct gsd_entry {
    uint64_t frame, rows, location; /* location 0: unused */
    uint32_t columns;
    uint16_t id; /* of the name */
    uint8_t type;
} gsd_entry;

#endif
