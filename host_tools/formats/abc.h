/* SPDX-License-Identifier: MIT
   host_tools/formats/abc.h - Alembic archives in the Ogawa container: points of one object.
   reads   .abc                            writes  .abc
   memory  8 bytes per frame and array; one frame    cost    O(points) per frame
   after   the Ogawa container and the AbcGeom schemas, as files of Alembic 1.8 have them */
#ifndef TIDEPOOL_ABC_H
#define TIDEPOOL_ABC_H
#include "../common/source.h"
#include "formats.h"

/* ---- functions of the format's row in formats.c */
bool abc_recognises(const uint8_t *start, size_t size);
int abc_open(host_sequence *sequence, const char *path);
int abc_load(host_sequence *sequence, size_t position, host_frame *frame);
int abc_retime(host_sequence *sequence, double fps);
void abc_close(host_sequence *sequence);
int abc_create(host_sink *sink, const char *path);
int abc_write(host_sink *sink, const host_frame *frame);
int abc_finish(host_sink *sink);
void abc_abandon(host_sink *sink);

/* ---- the container: groups of 64-bit entries, and data, at any offset */
enum {
    ABC_HEAD_BYTES = 16, /* "Ogawa", 0xff when complete, version 0 1, offset of the root group */
    ABC_AT_COMPLETE = 5,
    ABC_AT_VERSION = 6,
    ABC_AT_ROOT = 8,
    ABC_KEY_BYTES = 16,   /* the hash before the numbers of a sample */
    ABC_HASHES_BYTES = 32 /* after the headers of the children of an object */
};
#define ABC_IS_DATA ((uint64_t)1 << 63) /* in an entry; alone: empty data. 0: an empty group */

/* Entries of the root group. */
enum {
    ABC_ROOT_VERSION,
    ABC_ROOT_LIBRARY,
    ABC_ROOT_TOP,
    ABC_ROOT_METADATA,
    ABC_ROOT_TIMES,
    ABC_ROOT_INDEXED,
    ABC_ROOT_ENTRIES
};

/* Types of numbers, as the header of a property has them. */
enum {
    ABC_BOOL,
    ABC_U8,
    ABC_I8,
    ABC_U16,
    ABC_I16,
    ABC_U32,
    ABC_I32,
    ABC_U64,
    ABC_I64,
    ABC_F16,
    ABC_F32,
    ABC_F64,
    ABC_STRING,
    ABC_WSTRING,
    ABC_TYPES
};
extern const uint32_t abc_type_bytes[ABC_TYPES]; /* of texts: 1, their least size */

/* The word that the header of a property begins with. */
enum {
    ABC_COMPOUND = 0, /* bits 0 and 1 */
    ABC_SCALAR = 1,
    ABC_ARRAY = 2,
    ABC_ARRAY_OF_ONES = 3, /* an array whose samples have one item each */
    ABC_SIZE_SHIFT = 2,    /* 2 bits: the numbers that follow have 1, 2 or 4 bytes */
    ABC_TYPE_SHIFT = 4,    /* 4 bits */
    ABC_HAS_SAMPLING = 1 << 8,
    ABC_HAS_CHANGES = 1 << 9, /* the numbers of the first and the last change follow */
    ABC_IS_EVEN = 1 << 10,    /* all samples have the same number of items */
    ABC_IS_CONSTANT = 1 << 11,
    ABC_EXTENT_SHIFT = 12, /* 8 bits: numbers per item */
    ABC_META_SHIFT = 20,   /* 8 bits: number of a text in the table of the archive */
    ABC_META_FOLLOWS = 255
};

/* MurmurHash3 of 128 bits (Appleby), the key of a sample. */
void abc_key(const uint8_t *bytes, size_t size, uint8_t key[ABC_KEY_BYTES]);

/* ---- reading */
typedef struct abc_group {
    uint64_t at, count; /* offset of its number of entries, 0: empty; that number */
} abc_group;

typedef struct abc_property {
    const char *name; /* in the block of its abc_properties */
    uint32_t name_length;
    uint64_t header_at; /* offset in the file */
    abc_group group;
    uint32_t kind, type, extent, samples, first, last, sampling;
} abc_property;
/* The children of a compound. {0}: none */
typedef struct abc_properties {
    abc_property *items;
    size_t count;
    uint8_t *block;
} abc_properties;

typedef enum abc_schema { ABC_OTHER, ABC_XFORM, ABC_POINTS, ABC_MESH } abc_schema;
typedef struct abc_object {
    char *name;
    size_t parent;
    uint64_t at; /* offset of its group, 0: empty */
    abc_schema schema;
} abc_object;

/* Uniform: one time. Cyclic: several per cycle. Acyclic: `cycle` is ABC_ACYCLIC. */
typedef struct abc_sampling {
    double cycle;
    uint32_t count;
    const uint8_t *times; /* in abc_archive.times */
} abc_sampling;
#define ABC_ACYCLIC (1.7976931348623157e308 / 32)

typedef struct abc_archive {
    host_source source;
    host_sequence *sequence; /* whose doubts are told */
    uint8_t *times, *indexed, *metadata;
    uint64_t indexed_bytes;
    abc_sampling *samplings;
    size_t sampling_count;
    abc_object *objects; /* the first one is the root; parents before children */
    size_t object_count, object_room;
    uint64_t header_bytes; /* of all objects: more than the file has means a loop */
} abc_archive;

/* HOST_DONE, or the error printed; abc_archive_close frees in both cases. */
int abc_archive_open(abc_archive *archive, host_sequence *sequence, const char *path);
void abc_archive_close(abc_archive *archive);
/* "/a/b" in malloc memory, or NULL. */
char *abc_object_path(const abc_archive *archive, size_t object);
/* The properties of the compound whose group is at this offset. Free with abc_properties_free. */
int abc_properties_read(abc_archive *archive, uint64_t at, abc_properties *properties);
/* Those of the compound `name` of an object; none when the object lacks it. */
int abc_properties_of(abc_archive *archive, size_t object, const char *name,
                      abc_properties *properties);
void abc_properties_free(abc_properties *properties);
/* NULL: no property has this name. */
const abc_property *abc_property_named(const abc_properties *properties, const char *name);
/* Which of the stored samples a sample is. */
uint64_t abc_slot(const abc_property *property, uint32_t sample);
/* Offset and size of a sample's numbers, after its key. `sample` counts as the writer did. */
int abc_sample_find(abc_archive *archive, const abc_property *property, uint32_t sample,
                    uint64_t *at, uint64_t *size);
/* Reads these bytes, in malloc memory. A doubt is reported when they do not have their key. NULL
   with the error in *code. */
uint8_t *abc_sample_read(abc_archive *archive, const abc_property *property, uint64_t at,
                         uint64_t size, int *code);
/* The time of a sample in seconds. */
double abc_time(const abc_sampling *sampling, uint32_t sample);
/* The sample of a property that holds at the time of sample `sample` of another one. */
uint32_t abc_sample_at(const abc_archive *archive, const abc_property *property,
                       const abc_property *other, uint32_t sample);
/* Frames per second by default: with these, particles of .bphys files keep their velocities. */
#define ABC_FPS 25.0
/* The frame rate that the metadata state; 0: none. */
double abc_archive_fps(const abc_archive *archive);

/* ---- transforms of the objects above */
typedef struct abc_xform {
    uint8_t *ops;
    size_t op_count;
    abc_properties properties;
    const abc_property *values, *inherits; /* NULL: none */
} abc_xform;
typedef struct abc_xforms {
    abc_xform *items; /* from the nearest to the root, without those that change nothing */
    size_t count;
} abc_xforms;
/* x' = x * m[0][0] + y * m[1][0] + z * m[2][0] + m[3][0], and so on. */
typedef struct abc_matrix {
    double m[4][3];
} abc_matrix;
int abc_xforms_open(abc_archive *archive, size_t object, abc_xforms *xforms);
void abc_xforms_close(abc_xforms *xforms);
/* The transform at the time of a sample of `positions`. */
int abc_xforms_at(abc_archive *archive, const abc_xforms *xforms, const abc_property *positions,
                  uint32_t sample, abc_matrix *matrix);
/* Transforms locations and velocities; sizes grow with the cube root of the volume. */
void abc_matrix_apply(const abc_matrix *matrix, host_frame *frame);

#endif
