/* SPDX-License-Identifier: MIT
   host_tools/compress/fault.h - what a decoder says of a stream that it refuses.
   reads   -      writes  -
   memory  none   cost    none
   after   own design; the caller knows the file and adds the stream's place in it */
#ifndef TIDEPOOL_COMPRESS_FAULT_H
#define TIDEPOOL_COMPRESS_FAULT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct compress_fault {
    size_t at;       /* offset of the byte that cannot be; the size of the stream when it ends too early */
    const char *why; /* what is wrong there, a text that lives for ever; NULL when nothing is */
} compress_fault;

#endif
