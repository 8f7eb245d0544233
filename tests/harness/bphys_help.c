/* SPDX-License-Identifier: MIT
   tests/harness/bphys_help.c - builds point-cache files word by word; reads them from a copy of
           exact size.
   reads   -                      writes  memory of the caller
   memory  64 KiB per file        cost    O(bytes)
   after   own design */
#include "bphys_help.h"
#include <stdlib.h>
#include <string.h>

void file_add(file_bytes *file, const void *bytes, size_t size)
{
    if (file->size + size > FILE_MAX) exit(2);
    if (size) memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void add_word(file_bytes *file, uint32_t value, int count)
{
    uint8_t bytes[4];
    for (int i = 0; i < count; i++)
        bytes[file->big_endian ? count - 1 - i : i] = (uint8_t)(value >> 8 * i);
    file_add(file, bytes, (size_t)count);
}

void file_add_u16(file_bytes *file, uint16_t value) { add_word(file, value, 2); }
void file_add_u32(file_bytes *file, uint32_t value) { add_word(file, value, 4); }

void file_add_f32(file_bytes *file, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    file_add_u32(file, word);
}

file_bytes file_header(uint32_t type, uint32_t count, uint32_t streams, bool big_endian)
{
    file_bytes file = {"BPHYSICS", 8, big_endian};
    file_add_u32(&file, type);
    file_add_u32(&file, count);
    file_add_u32(&file, streams);
    return file;
}

void file_read(void *context)
{
    read_job *job = context;
    uint8_t *copy = malloc(job->size ? job->size : 1);
    if (!copy) exit(2);
    memcpy(copy, job->bytes, job->size);
    job->code = bphys_read("FILE", copy, job->size, &job->frame, NULL);
    free(copy);
}

void file_refused(const char *what, const uint8_t *bytes, size_t size, const char *message)
{
    read_job job = {.bytes = bytes, .size = size};
    char *errors = test_errors_of(file_read, &job);
    test_note("%s: %s", what, errors);
    CHECK_EQ(job.code, HOST_BAD_INPUT);
    CHECK(strstr(errors, message) != NULL);
    CHECK(job.frame.data[POINT_INDEX] == NULL);
    free(errors);
}

host_frame file_good(const file_bytes *file)
{
    read_job job = {.bytes = file->bytes, .size = file->size};
    file_read(&job);
    CHECK_EQ(job.code, HOST_DONE);
    return job.frame;
}
