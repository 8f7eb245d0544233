/* SPDX-License-Identifier: MIT
   host_tools/formats/npz.h - archives of NumPy arrays, as numpy.savez writes them: one per
           sequence, or one per frame.
   reads   .npz files                      writes  the same
   memory  the directory of an archive     cost    O(bytes)
   after   NumPy's description of the .npz format: a ZIP archive of .npy files */
#ifndef TIDEPOOL_NPZ_H
#define TIDEPOOL_NPZ_H
#include "npy.h"

/* Arrays of an archive: one per stream, and the numbers of the frames. */
enum { NPY_FRAME_NUMBERS = POINT_BOIDS, NPY_ARRAYS };
/* location, velocity, ..., frame */
const char *npy_array_name(uint32_t array);

typedef struct npz_file {
    host_source source;
    zip_archive archive;
    const zip_member *members[NPY_ARRAYS]; /* NULL: the archive has no such array */
    gzip_reader *readers[NPY_ARRAYS];
    bool is_open, is_deflated;
} npz_file;
/* Opens an archive and finds its arrays by name. `teller` not NULL: also checks the sums of those,
   and notes arrays that no stream has. HOST_DONE, or the error printed and nothing to close. */
int npz_file_open(npz_file *file, const char *path, host_sequence *teller);
void npz_file_close(npz_file *file);
/* Begins an array that the archive has. As npy_input_open. */
int npz_file_input(npz_file *file, uint32_t array, npy_input *input);

/* ---- functions for the table in formats.c; reading is that of npy.h */
bool npz_recognises(const uint8_t *start, size_t size);
int npz_create(host_sink *sink, const char *path);
int npz_write(host_sink *sink, const host_frame *frame);
int npz_finish(host_sink *sink);
void npz_abandon(host_sink *sink);

#endif
