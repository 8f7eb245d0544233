/* SPDX-License-Identifier: MIT
   host_tools/common/zst.h - packs files as Zstandard frames, and unpacks them at any offset.
   reads   .zst streams                    writes  .zst streams
   memory  a window, at most 132 MiB, of files of the program zstd 2 to 8 MiB; the unpacked bytes
           lie in a temporary file
   cost    O(bytes)
   after   RFC 8878, through compress/zstd.h */
#ifndef TIDEPOOL_ZST_H
#define TIDEPOOL_ZST_H
#include "host.h"

/* True for a name that ends in .zst. */
bool zst_is_name(const char *path);
/* True for the first four bytes of a Zstandard frame. */
bool zst_recognises(const uint8_t *start, size_t size);

/* Packs all bytes of `from`, a regular file, from its beginning, behind those of `to`. Messages
   show `path`. The same bytes always give the same stream: one frame. HOST_DONE, or the error
   printed. */
int zst_pack(FILE *from, FILE *to, const char *path);

typedef struct zst_reader zst_reader;
/* As gzip_open, gzip_read and gzip_close for a whole file. */
int zst_open(zst_reader **reader, int file, const char *path);
int zst_read(zst_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got);
void zst_close(zst_reader *reader); /* NULL: nothing */

#endif
