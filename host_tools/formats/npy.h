/* SPDX-License-Identifier: MIT
   host_tools/formats/npy.h - NumPy arrays, one per stream: NAME_location.npy, NAME_velocity.npy and
           so on.
   reads   arrays of (points, 3) or (frames, points, 3)    writes  the same, all files or none
   memory  one frame; 8 bytes per file      cost    O(bytes of a frame) to load
   after   NumPy's description of the .npy format, versions 1 to 3 */
#ifndef TIDEPOOL_NPY_H
#define TIDEPOOL_NPY_H
#include "formats.h"
#include "zip.h"

bool npy_recognises(const uint8_t *start, size_t size);
/* An existing NAME.npy holds locations. Otherwise NAME.npy stands for NAME_location.npy with the
   arrays of the other streams, or for the numbered ones NAME_location.0001.npy, ... */
int npy_open(host_sequence *sequence, const char *path);
/* The naming rule of arrays; `ending` is ".npy". */
bool npy_rule(const char *file_name, const void *ending, names_parts *parts);
int npy_load(host_sequence *sequence, size_t position, host_frame *frame);
void npy_close(host_sequence *sequence);
/* Path NAME.npy: one array per stream for all frames, which must have the same number of points.
   Path NAME.*.npy: one array per stream and frame. */
int npy_create(host_sink *sink, const char *path);
int npy_write(host_sink *sink, const host_frame *frame);
int npy_finish(host_sink *sink);
void npy_abandon(host_sink *sink);

/* ---- one array (npy_array.c) */
typedef struct npy_array {
    uint64_t data;    /* offset of the first element */
    uint64_t surplus; /* bytes after the last element */
    char kind;        /* f, i or u */
    uint32_t bytes;
    bool big_endian, fortran;
    uint32_t dimensions; /* 0 to 3 */
    uint64_t shape[3];
} npy_array;
/* An array that is read: a file, or a member of an .npz archive. */
typedef struct npy_input {
    host_source file;           /* of a file: the file */
    const zip_archive *archive; /* NULL: a file */
    const zip_member *member;
    gzip_reader *reader; /* of a deflated member; the archive's */
    char *path;          /* for messages */
    uint64_t size;       /* bytes of the header and the array */
    npy_array array;
} npy_input;
/* Opens a file and reads its header. HOST_DONE, or the error printed and nothing to close. */
int npy_input_open(npy_input *input, const char *path);
/* Reads the header at the beginning of an input, whose shape must fit its size. HOST_DONE, or the
   error printed. */
int npy_input_begin(npy_input *input);
void npy_input_close(npy_input *input);
/* Reads row `row` of an array with the shape (rows, points, columns). `numbers` gets points *
   columns numbers in C order, point by point: f32, u32 for NPY_INDICES, i32 for NPY_FRAMES. */
typedef struct npy_view {
    uint64_t rows, points, columns;
} npy_view;
typedef enum npy_numbers { NPY_FLOATS, NPY_INDICES, NPY_FRAMES } npy_numbers;
int npy_read_row(npy_input *input, const npy_view *view, uint64_t row, npy_numbers kind,
                 void *numbers);
/* Makes the header, 128 bytes before the data. `type` is "f4", "u4" or "i4". */
enum { NPY_HEAD_BYTES = 128 };
void npy_make_head(char head[NPY_HEAD_BYTES], const char *type, bool big_endian,
                   const uint64_t *shape, uint32_t dimensions);

#endif
