/* SPDX-License-Identifier: MIT
   tests/harness/bphys_help.h - builds point-cache files word by word; reads them from a copy of
           exact size.
   reads   -                      writes  memory of the caller
   memory  64 KiB per file        cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_BPHYS_HELP_H
#define TIDEPOOL_BPHYS_HELP_H
#include "../../host_tools/formats/bphys.h"
#include "files_help.h"

enum { FILE_MAX = 65536 };

typedef struct file_bytes {
    uint8_t bytes[FILE_MAX];
    size_t size;
    bool big_endian;
} file_bytes;

void file_add(file_bytes *file, const void *bytes, size_t size);
void file_add_u16(file_bytes *file, uint16_t value);
void file_add_u32(file_bytes *file, uint32_t value);
void file_add_f32(file_bytes *file, float value);
/* The 20 bytes at the start of every file, followed by zeros. */
file_bytes file_header(uint32_t type, uint32_t count, uint32_t streams, bool big_endian);

/* A context for test_errors_of: reads from a copy of exactly that size, so that a sanitizer reports
   reads beyond the end. */
typedef struct read_job {
    const uint8_t *bytes;
    size_t size;
    host_frame frame;
    int code;
} read_job;
void file_read(void *job);
/* Checks that the bytes, read as file "FILE", are refused with `message` and leave no frame. */
void file_refused(const char *what, const uint8_t *bytes, size_t size, const char *message);
/* Checks that the file is read without errors, and returns its frame. */
host_frame file_good(const file_bytes *file);

#endif
