/* SPDX-License-Identifier: MIT
   host_tools/formats/hgeo.h - geometry of Houdini 12 and later: points in lists of names and
           values, as JSON.
   reads   .bgeo (binary JSON), .geo (text), .bgeo.sc (packed with Blosc)    writes  the same
   memory  one frame                       cost    O(bytes)
   after   SideFX's description of the geometry format of its development kit (HDK, "GA file
           format"); y up and velocities per second, as in houdini.h */
#ifndef TIDEPOOL_HGEO_H
#define TIDEPOOL_HGEO_H
#include "hjson.h"
#include "houdini.h"

enum { HGEO_LOCATION = HOUDINI_MEANINGS, HGEO_ATTRIBUTES, HGEO_TUPLE_MAX = 4 };

typedef enum hgeo_form {
    HGEO_TUPLES = 1, /* a list per point */
    HGEO_ARRAYS,     /* a list per component */
    HGEO_PAGES       /* pages of points; a page may store one value for all of its points */
} hgeo_form;

/* An attribute whose values are read when all are known. */
typedef struct hgeo_attribute {
    hgeo_form form;      /* 0: the file does not have it */
    uint32_t size;       /* components per point */
    const uint8_t *at;   /* its values */
    const uint8_t *name; /* for messages */
    int64_t page_points;
    const uint8_t *flags;           /* of the pages; NULL: none stores one value */
    uint32_t packs[HGEO_TUPLE_MAX]; /* components that lie together in a page */
    uint32_t pack_count;
} hgeo_attribute;

typedef struct hgeo_file {
    hjson_reader reader;
    int64_t point_count; /* -1: not known yet */
    bool has_more;       /* primitives, groups, attributes of anything but points */
    /* by their meaning; the last is the location */
    hgeo_attribute attributes[HGEO_ATTRIBUTES];
} hgeo_file;

/* Reads the values of an attribute into the frame. `which` indexes file->attributes. HOST_DONE, or
   the error printed. */
int hgeo_read_values(const hgeo_file *file, uint32_t which, host_frame *frame);

/* For geometry that begins as hjson_recognises or hjson_recognises_text says. */
int hgeo_read(host_piece *piece, host_frame *frame);
int hgeo_write(FILE *stream, const host_frame *frame, bool is_text);

/* ---- functions of the row of .bgeo.sc in formats.c (bgeo_sc.c) */
bool bgeo_sc_recognises(const uint8_t *start, size_t size);
/* Unpacks the container, then reads whatever lies in it. */
int bgeo_sc_read(host_piece *piece, host_frame *frame);
int bgeo_sc_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
