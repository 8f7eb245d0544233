/* SPDX-License-Identifier: MIT
   host_tools/common/source.h - a regular file that is read at any offset; a file packed with gzip
           or Zstandard reads as the bytes that it unpacks to.
   reads   files                           writes  -
   memory  none; of a packed file that of gzip.h or zst.h    cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_SOURCE_H
#define TIDEPOOL_SOURCE_H
#include "packing.h"

/* {0}: not open. */
typedef struct host_source {
    FILE *file;
    char *path;          /* for messages */
    gzip_reader *gzip;   /* of a file packed with gzip; NULL: none */
    zst_reader *zst;     /* the same with Zstandard */
    const char *packing; /* "gzip" or "zstd"; NULL: the file is not packed */
    uint64_t file_bytes; /* size of the file */
} host_source;

/* Opens a file by its path. It is packed if it begins like a packed stream; a name that ends in .gz
   or .zst must. HOST_DONE, or the error printed and nothing to close. */
int host_source_open(host_source *source, const char *path);
/* The same for a format whose files are not packed: refuses a packed one. */
int host_source_open_plain(host_source *source, const char *path);
/* As host_source_open for an open file, which the source closes, also on an error. */
int host_source_take(host_source *source, FILE *file, const char *path);
void host_source_close(host_source *source);
/* Reads up to `size` bytes at an offset, which counts unpacked bytes; *got below `size`: the end.
   Several threads may call it at a time. HOST_DONE, or the error printed. */
int host_source_read(host_source *source, uint64_t offset, void *bytes, size_t size, size_t *got);
/* The same for bytes that must all be there: an error says that the file ends inside `what`, or
   before it. */
int host_source_read_all(host_source *source, uint64_t offset, void *bytes, size_t size,
                         const char *what);
/* The number of bytes that can be read. A packed file is unpacked once for it, which finds every
   damage, but no further than where *size exceeds `most`. HOST_DONE, or the error printed. */
int host_source_size(host_source *source, uint64_t most, uint64_t *size);

#endif
