/* SPDX-License-Identifier: MIT
   host_tools/formats/usda.h - text files of Universal Scene Description: one prim of points.
   reads   .usda                           writes  .usda
   memory  32 bytes per sample; one frame  cost    O(bytes)
   after   the text form of OpenUSD and its schema UsdGeomPoints, as their documentation describes
           them */
#ifndef TIDEPOOL_USDA_H
#define TIDEPOOL_USDA_H
#include "../common/source.h"
#include "formats.h"

/* ---- functions of the format's row in formats.c */
bool usda_recognises(const uint8_t *start, size_t size);
int usda_open(host_sequence *sequence, const char *path);
int usda_load(host_sequence *sequence, size_t position, host_frame *frame);
void usda_close(host_sequence *sequence);
int usda_create(host_sink *sink, const char *path);
int usda_write(host_sink *sink, const host_frame *frame);
int usda_finish(host_sink *sink);
void usda_abandon(host_sink *sink);

/* ---- attributes of a prim, shared by reader and writer; in the order in which they are written */
enum {
    USDA_POINTS,
    USDA_VELOCITIES,
    USDA_IDS,
    USDA_WIDTHS,
    USDA_ROTATION,
    USDA_AVELOCITY,
    USDA_BIRTH,
    USDA_DIE,
    USDA_LIFE,
    USDA_ATTRIBUTES
};
typedef struct usda_attribute {
    const char *type, *name;
    uint32_t stream, components, first; /* of the floats in an element of the stream */
} usda_attribute;
extern const usda_attribute usda_attributes[USDA_ATTRIBUTES];
/* True if a sink writes that attribute; USDA_ATTRIBUTES itself is the extent, which all write. */
bool usda_writes(const host_sink *sink, uint32_t attribute);

/* ---- what a scan of the text finds */
typedef struct usda_value {
    double time;
    uint64_t at, end; /* of the text of an array in the file; at 0: None, or nothing */
    uint64_t count;   /* items */
} usda_value;
typedef struct usda_series {
    usda_value *values; /* samples by time; without samples the default alone */
    size_t count, room;
    bool has_times;
    usda_value fallback; /* the default */
} usda_series;

/* Prims of points, or meshes. Of each kind the first one's attributes are kept. */
enum { USDA_OF_POINTS, USDA_OF_MESH, USDA_KINDS };
typedef struct usda_prim {
    char *name;
    size_t parent;  /* 0: the layer itself, which is the first prim */
    uint64_t moved; /* offset of a transform that changes something; 0: none */
} usda_prim;
typedef struct usda_scan {
    usda_series series[USDA_KINDS][USDA_ATTRIBUTES];
    size_t found[USDA_KINDS]; /* the first prim of each kind */
    uint32_t counts[USDA_KINDS];
    usda_prim *prims;
    size_t prim_count, prim_room;
    double per_second, meters; /* timeCodesPerSecond, metersPerUnit; 0: not stated */
    bool is_z_up;              /* upAxis is Z; USD's default is Y */
} usda_scan;
/* Scans the whole file. HOST_DONE, or the error printed; usda_scan_free frees in both cases. */
int usda_scan_file(host_source *source, usda_scan *scan);
void usda_scan_free(usda_scan *scan);

/* ---- what the scans of text and of binary files share; int: HOST_DONE, or the error printed */
int usda_add_prim(usda_scan *scan, const char *name, size_t parent);
/* Tells the type of a prim, after which its attributes are kept. */
void usda_define(usda_scan *scan, size_t prim, const char *type);
/* The series that an attribute of a prim is kept in, or NULL. */
usda_series *usda_series_of(usda_scan *scan, size_t prim, const char *name, size_t length);
int usda_add_value(usda_series *series, usda_value value);
/* True for an operation of a transform that moves nothing. */
bool usda_is_still(const char *name, const double *numbers, uint32_t count);
/* A setting of the layer: a number, or else a word. */
void usda_take_setting(usda_scan *scan, const char *name, double number, const char *word);
/* At the end: orders the samples by time. */
int usda_scan_order(const host_source *source, usda_scan *scan);

#endif
