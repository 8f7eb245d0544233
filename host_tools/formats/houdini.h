/* SPDX-License-Identifier: MIT
   host_tools/formats/houdini.h - Houdini's classic geometry, version 5: points with attributes, in bytes or in text.
   reads   .bgeo, .geo                     writes  the same
   memory  one frame                       cost    O(bytes)
   after   SideFX's GPD.txt, the description of version 5; by custom y up, velocities in units a second. What comes with
           Houdini 12 and later under these endings is another format, JSON; Houdini itself writes .bhclassic and .hclassic */
#ifndef TIDEPOOL_HOUDINI_H
#define TIDEPOOL_HOUDINI_H
#include "numbered.h"

/* Types of attributes, by their numbers in a .bgeo. */
enum {
    HOUDINI_FLOAT,
    HOUDINI_INT,
    HOUDINI_STRING,
    HOUDINI_MIXED,
    HOUDINI_INDEX,
    HOUDINI_VECTOR,
    HOUDINI_TYPES
};
extern const char *const houdini_type_names[HOUDINI_TYPES];

/* Attributes that are streams. A quaternion has its real part last there, and first in a frame. */
typedef struct houdini_meaning {
    const char *name;
    uint32_t stream, size, type;
    uint8_t order[4]; /* component of the frame for each of the attribute */
} houdini_meaning;
enum { HOUDINI_MEANINGS = 6 };
extern const houdini_meaning houdini_meanings[HOUDINI_MEANINGS];

typedef struct houdini_attribute {
    const houdini_meaning *meaning; /* NULL: not known, left out */
    uint32_t type, size;
} houdini_attribute;

enum { HOUDINI_ATTRIBUTES_MAX = 256, HOUDINI_SIZE_MAX = 4096 };
typedef struct houdini_point {
    houdini_attribute attributes[HOUDINI_ATTRIBUTES_MAX];
    uint32_t count;
    uint32_t values;  /* of a point, without its position of 4 */
    uint32_t streams; /* POINT_BIT mask */
} houdini_point;

/* Counts of the header, in its order. */
enum {
    COUNT_POINTS,
    COUNT_PRIMS,
    COUNT_POINT_GROUPS,
    COUNT_PRIM_GROUPS,
    COUNT_POINT_ATTRIBUTES,
    COUNT_VERTEX_ATTRIBUTES,
    COUNT_PRIM_ATTRIBUTES,
    COUNT_ATTRIBUTES,
    HOUDINI_COUNTS
};
/* Checks the counts; NULL or what is wrong. */
const char *houdini_check_counts(const int64_t counts[HOUDINI_COUNTS]);
/* Adds an attribute and notes it when it is not known; NULL or what is wrong. */
const char *houdini_add(houdini_point *point, const host_piece *piece, const char *name, size_t length,
                        int64_t size, uint32_t type);
/* Stores value k of an attribute of a point, whole for types without a fraction; false when a frame cannot hold it. */
bool houdini_store(host_frame *frame, uint32_t i, const houdini_attribute *attribute, uint32_t k,
                   double value);
/* There are primitives, groups or attributes of other things behind the points. */
bool houdini_has_more(const int64_t counts[HOUDINI_COUNTS]);
/* Says once what of a file is no point. `end` is behind the mark that ends the file; 0: there is none. */
void houdini_note_rest(const host_piece *piece, const int64_t counts[HOUDINI_COUNTS], size_t end);
/* True when the attribute is written for this frame. */
bool houdini_writes(const houdini_meaning *meaning, const host_frame *frame);
/* HOST_DONE, or the error printed, for a frame whose indices are no int of Houdini. */
int houdini_check_frame(const host_frame *frame, const char *path);

/* ---- the rows of the registry's table (bgeo.c, geo.c) */
bool bgeo_recognises(const uint8_t *start, size_t size);
int bgeo_read(host_piece *piece, host_frame *frame);
int bgeo_write(FILE *stream, const host_sink *sink, const host_frame *frame);
bool geo_recognises(const uint8_t *start, size_t size);
int geo_read(host_piece *piece, host_frame *frame);
int geo_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
