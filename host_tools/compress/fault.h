/* SPDX-License-Identifier: MIT
   host_tools/compress/fault.h - error report of a decoder.
   reads   -      writes  -
   memory  none   cost    none
   after   own design; the caller knows the file and adds the stream's offset in it */
#ifndef TIDEPOOL_COMPRESS_FAULT_H
#define TIDEPOOL_COMPRESS_FAULT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct compress_fault {
    size_t at;       /* offset of the invalid byte; the size of the stream if it is truncated */
    const char *why; /* reason, a static string; NULL: no error */
} compress_fault;

#endif
