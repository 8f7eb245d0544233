/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk_xml.h - points of VTK's XML files, .vtu and .vtp, and lists of them, .pvd.
   reads   bytes of one file               writes  bytes of one file; a list of files
   memory  one frame, and its unpacked arrays    cost    O(bytes)
   after   the VTK file formats document, XML formats 0.1 and 1.0; arrays as text, base64 or raw,
           compressed with zlib or not */
#ifndef TIDEPOOL_VTK_XML_H
#define TIDEPOOL_VTK_XML_H
#include "../common/text.h"
#include "numbered.h"

/* ---- functions of the format's rows in formats.c */
bool vtu_recognises(const uint8_t *start, size_t size);
bool vtp_recognises(const uint8_t *start, size_t size);
bool pvd_recognises(const uint8_t *start, size_t size);
/* Points of a PolyData or an UnstructuredGrid, and the arrays of PointData with the name of a
   stream. */
#define vtu_read vtk_xml_read
#define vtp_read vtk_xml_read
int vtk_xml_read(host_piece *piece, host_frame *frame);
int vtu_write(FILE *stream, const host_sink *sink, const host_frame *frame);
int vtp_write(FILE *stream, const host_sink *sink, const host_frame *frame);

/* ---- lists (pvd.c) */
/* Finds the files that a list names, each with its time as its number; without whole times they are
   counted from 1, with a note. HOST_DONE, or the error printed. */
int pvd_find(numbered_files *found, const char *path);
/* Writes the list of these files. HOST_DONE, or the error printed. */
int pvd_write(const char *path, const names_list *files);

/* ---- tags (vtk_xml_tags.c) */
typedef struct xml_tag {
    text_word name;       /* without its slash */
    text_word attributes; /* the text after the name */
    const char *after;    /* the first byte after the tag */
    bool closes, is_empty;
} xml_tag;
/* Finds the next tag, skipping text, comments and declarations. False: no more. *at moves behind
   it. */
bool xml_take_tag(const char **at, const char *end, xml_tag *tag);
/* False: the tag has no such attribute. */
bool xml_attribute(const xml_tag *tag, const char *name, text_word *value);
/* Replaces the entities of a value, &amp; &lt; &gt; &quot; and &apos;, by their characters. */
void xml_decode(char *value);

/* ---- arrays (vtk_xml_data.c) */
typedef enum xml_kind { XML_SIGNED, XML_UNSIGNED, XML_FLOAT } xml_kind;
typedef struct xml_type {
    const char *name;
    uint32_t bytes;
    xml_kind kind;
} xml_type;
typedef enum xml_place { XML_TEXT, XML_INLINE, XML_APPENDED } xml_place;
typedef struct xml_array {
    text_word name;
    const xml_type *type; /* NULL: no numbers */
    uint64_t columns;
    xml_place place;
    uint64_t offset;   /* of an appended array */
    text_word content; /* of another one */
} xml_array;
typedef struct xml_file {
    host_piece *piece;
    bool big_endian, is_packed, appended_is_raw;
    uint32_t header_bytes;   /* of a number before the bytes of an array: 4 or 8 */
    const uint8_t *appended; /* the first byte after the underscore; NULL: there are none */
    uint64_t points;
} xml_file;
const xml_type *xml_type_named(text_word name);
/* Reads an array of `rows` rows into doubles, which `store` gets one by one; it returns false for a
   number that does not fit. HOST_DONE, or the error printed. */
typedef struct xml_store {
    bool (*store)(const struct xml_store *store, uint64_t at, double value);
    const char *expected; /* "a whole number from 0 to 4294967295" */
    void *values;
} xml_store;
/* Checks that the file is long enough for the rows, before memory is reserved for them. */
int xml_check_rows(const xml_file *file, const xml_array *array, uint64_t rows);
int xml_read_array(const xml_file *file, const xml_array *array, uint64_t rows,
                   const xml_store *store);

#endif
