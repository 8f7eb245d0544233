/* SPDX-License-Identifier: MIT
   host_tools/common/gzip.h - packs files with gzip, and unpacks deflated bytes at any offset.
   reads   gzip and raw deflate streams    writes  gzip streams
   memory  at most 4 MiB a reader, whatever the size of the stream
   cost    O(bytes) in order; going back costs at most 1/32 of the stream
   after   RFC 1951 and 1952, through zlib; access points as in Adler's zran.c. Without zlib each
           call refuses */
#ifndef TIDEPOOL_GZIP_H
#define TIDEPOOL_GZIP_H
#include "host.h"

/* True for a name that ends in .gz. */
bool gzip_is_name(const char *path);
/* True for the first two bytes of a gzip stream. */
bool gzip_recognises(const uint8_t *start, size_t size);
/* HOST_DONE if this program has zlib. HOST_USAGE with the error printed: it cannot write `path`. */
int gzip_check(const char *path);

/* Packs all bytes of `from`, from its beginning, behind those of `to`. Messages show `path`. The
   same bytes always give the same stream. HOST_DONE, or the error printed. */
int gzip_pack(FILE *from, FILE *to, const char *path);

/* The same without the header and the sum of gzip, as in .zip. */
int gzip_deflate(FILE *from, FILE *to, const char *path);
/* False: this program has no zlib, and the calls refuse. */
bool gzip_is_built(void);

typedef struct gzip_reader gzip_reader;
/* Where a stream lies in its file. */
typedef struct gzip_range {
    uint64_t start, end; /* bytes of the file */
    bool is_raw;         /* deflate without the header and the sum of gzip, as in .zip */
} gzip_range;
/* Begins to read; `file` stays open and is closed by the caller. HOST_DONE, or the error
   printed. */
int gzip_open(gzip_reader **reader, int file, const char *path, const gzip_range *range);
/* Unpacks the bytes from `offset` on; *got below `size`: the stream ends there. Several threads
   may call it at a time. HOST_DONE, or an error printed with the byte of the file at which the
   stream is cut off or damaged. */
int gzip_read(gzip_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got);
void gzip_close(gzip_reader *reader); /* NULL: nothing */

#endif
