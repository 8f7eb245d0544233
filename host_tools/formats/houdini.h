/* SPDX-License-Identifier: MIT
   host_tools/formats/houdini.h - Houdini's classic geometry, version 5: points with attributes.
   reads   .bgeo (binary), .geo (text)     writes  the same
   memory  one frame                       cost    O(bytes)
   after   SideFX's GPD.txt, the description of version 5; by convention y up and velocities per
           second. Houdini 12 and later write JSON (hgeo.h) with these endings, and this format as
           .bhclassic and .hclassic; they read both */
#ifndef TIDEPOOL_HOUDINI_H
#define TIDEPOOL_HOUDINI_H
#include "numbered.h"

/* Attribute types, with their numbers in a .bgeo. */
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

/* Attributes that map to streams. A quaternion has its real part last in Houdini, first in a
   frame. */
typedef struct houdini_meaning {
    const char *name;
    uint32_t stream, size, type;
    uint8_t order[4]; /* for each component of the attribute, the component of the frame */
} houdini_meaning;
enum { HOUDINI_MEANINGS = 6 };
extern const houdini_meaning houdini_meanings[HOUDINI_MEANINGS];

typedef struct houdini_attribute {
    const houdini_meaning *meaning; /* NULL: unknown attribute, ignored */
    uint32_t type, size;
} houdini_attribute;

enum { HOUDINI_ATTRIBUTES_MAX = 256, HOUDINI_SIZE_MAX = 4096 };
typedef struct houdini_point {
    houdini_attribute attributes[HOUDINI_ATTRIBUTES_MAX];
    uint32_t count;
    uint32_t values;  /* values per point, without the 4 of the position */
    uint32_t streams; /* POINT_BIT mask */
} houdini_point;

/* Counts of the header, in file order. */
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
/* NULL, or text that says what is wrong. */
const char *houdini_check_counts(const int64_t counts[HOUDINI_COUNTS]);
/* Adds an attribute, with a note when it is unknown. NULL, or text that says what is wrong. */
const char *houdini_add(houdini_point *point, const host_piece *piece, const char *name,
                        size_t length, int64_t size, uint32_t type);
/* Stores component k of an attribute of point i. Integer attributes need a whole `value`. False
   when the frame cannot hold the value. */
bool houdini_store(host_frame *frame, uint32_t i, const houdini_attribute *attribute, uint32_t k,
                   double value);
/* True when the file holds primitives, groups, or attributes of anything but points. */
bool houdini_has_more(const int64_t counts[HOUDINI_COUNTS]);
/* Note an attribute that no stream holds, and data that are not of points. */
void houdini_note_unknown(const host_piece *piece, const char *name, size_t length);
void houdini_note_more(const host_piece *piece);
/* Notes the parts of the file that are ignored. `end` is the offset after the end mark of the file;
   0: it has none. */
void houdini_note_rest(const host_piece *piece, const int64_t counts[HOUDINI_COUNTS], size_t end);
/* True when the frame has the stream of this attribute. */
bool houdini_writes(const houdini_meaning *meaning, const host_frame *frame);
/* HOST_DONE, or the error printed when the count or an index of the frame exceeds Houdini's 32-bit
   int. */
int houdini_check_frame(const host_frame *frame, const char *path);

/* ---- functions of the formats' rows in formats.c (bgeo.c, geo.c) */
bool bgeo_recognises(const uint8_t *start, size_t size);
int bgeo_read(host_piece *piece, host_frame *frame);
int bgeo_write(FILE *stream, const host_sink *sink, const host_frame *frame);
bool geo_recognises(const uint8_t *start, size_t size);
int geo_read(host_piece *piece, host_frame *frame);
int geo_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
