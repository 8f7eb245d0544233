/* SPDX-License-Identifier: MIT
   host_tools/common/packing.h - files that are packed as a whole: gzip and Zstandard.
   reads   names, first bytes of a file    writes  packed files
   memory  that of gzip.h and zst.h        cost    O(bytes)
   after   own design; the ending of a name decides what is written */
#ifndef TIDEPOOL_PACKING_H
#define TIDEPOOL_PACKING_H
#include "gzip.h"
#include "zst.h"

/* Length of the ending .gz or .zst of a name; 0: it has neither. */
static inline size_t packing_tail(const char *path)
{
    return gzip_is_name(path) ? 3 : zst_is_name(path) ? 4 : 0;
}

/* True for the first bytes of a packed file. */
static inline bool packing_recognises(const uint8_t *start, size_t size)
{
    return gzip_recognises(start, size) || zst_recognises(start, size);
}

/* HOST_DONE if this program can pack a file of that name. */
static inline int packing_check(const char *path)
{
    return gzip_is_name(path) ? gzip_check(path) : HOST_DONE;
}

/* gzip_pack or zst_pack. */
static inline int packing_pack(FILE *from, FILE *to, const char *path)
{
    return gzip_is_name(path) ? gzip_pack(from, to, path) : zst_pack(from, to, path);
}

#endif
