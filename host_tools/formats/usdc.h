/* SPDX-License-Identifier: MIT
   host_tools/formats/usdc.h - binary files of Universal Scene Description (crates).
   reads   .usdc                           writes  .usdc
   memory  the tables of a file; one frame    cost    O(bytes)
   after   the source of OpenUSD, which is the description of the format: pxr/usd/usd/crateFile.cpp
           and integerCoding.cpp. A file has six tables: words (tokens), strings, fields (a word and
           a value each), sets of fields, paths, and specs (a path, a set of fields and a kind). A
           value is a word of 64 bits: its type, and the value itself or its offset in the file */
#ifndef TIDEPOOL_USDC_H
#define TIDEPOOL_USDC_H
#include "usda.h"

#define USDC_MAGIC      "PXR-USDC"
#define USDC_HEAD_BYTES 88u

/* ---- functions of the format's row in formats.c */
bool usdc_recognises(const uint8_t *start, size_t size);
int usdc_open(host_sequence *sequence, const char *path);
int usdc_load(host_sequence *sequence, size_t position, host_frame *frame);
void usdc_close(host_sequence *sequence);
int usdc_create(host_sink *sink, const char *path);
int usdc_write(host_sink *sink, const host_frame *frame);
int usdc_finish(host_sink *sink);
void usdc_abandon(host_sink *sink);

/* ---- values */

/* Types of values that are used here. */
enum {
    USDC_INT = 3,
    USDC_UINT,
    USDC_INT64,
    USDC_UINT64,
    USDC_HALF,
    USDC_FLOAT,
    USDC_DOUBLE,
    USDC_TOKEN = 11,
    USDC_MATRIX4D = 15,
    USDC_QUATD,
    USDC_QUATF,
    USDC_QUATH,
    USDC_VEC3D = 23,
    USDC_VEC3F,
    USDC_VEC3H,
    USDC_TOKENS = 41,
    USDC_SPECIFIER,
    USDC_SAMPLES = 46,
    USDC_DOUBLES = 48,
    USDC_BLOCK = 51
};
#define USDC_IS_ARRAY   (UINT64_C(1) << 63)
#define USDC_IS_INLINE  (UINT64_C(1) << 62)
#define USDC_IS_CODED   (UINT64_C(1) << 61)
#define USDC_TYPE_AT    48u
#define USDC_TYPE(rep)  ((uint32_t)((rep) >> USDC_TYPE_AT & 255u))
#define USDC_VALUE(rep) ((rep)&0xffffffffffffu)

/* Kinds of specs. */
enum { USDC_ATTRIBUTE = 1, USDC_PRIM = 6, USDC_LAYER = 7 };

/* ---- reading */

/* A part of the file in memory. */
typedef struct usdc_bytes {
    host_source *source; /* for messages */
    uint64_t file_at;    /* of the first byte */
    const uint8_t *bytes;
    size_t size, at;
} usdc_bytes;

/* Prints that something else was expected at the cursor; returns HOST_BAD_INPUT. */
int usdc_expected(const usdc_bytes *from, const char *what);
int usdc_take_u64(usdc_bytes *from, uint64_t *value);
/* Decompresses `size` bytes at the cursor to at most `capacity` bytes; *got: how many. */
int usdc_unpack(usdc_bytes *from, uint64_t size, uint8_t *to, size_t capacity, size_t *got);
/* Reads a number of bytes, then as many compressed ones: `count` integers of 4 or 8 bytes. */
int usdc_take_ints(usdc_bytes *from, size_t count, uint32_t bytes, void *to);

/* Finds the prims and their samples, as usda_scan_file; the `at` of a value is the offset of the
   array's size in the file, `end` its word of 64 bits. `version`: 256 * major + minor. */
int usdc_scan_file(host_source *source, usda_scan *scan, uint32_t *version);
/* The number of items of an array, and the offset of the items in the file. */
int usdc_array_begin(host_source *source, uint32_t version, uint64_t rep, uint64_t *count,
                     uint64_t *at);
/* Reads the items of an array of floats, `components` each, or of the numbers of points. */
int usdc_array_floats(host_source *source, uint32_t version, const usda_value *value,
                      uint32_t components, float *to);
int usdc_array_ids(host_source *source, uint32_t version, const usda_value *value, uint32_t *to);

#endif
