/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_copy.c - a file that conversion would not change: its bytes are the
           output.
   reads   one file                        writes  nothing
   memory  the bytes of the file, 4 per point      cost    O(bytes), one pass
   after   own design */
#include "bphys_private.h"
#include <stdlib.h>
#include <string.h>

/* A file while it is read. */
typedef struct copied_file {
    uint8_t *bytes;
    size_t size, stride; /* of the whole file by its header; of a record */
    uint32_t streams;
} copied_file;

/* True when the writer makes the same header: little-endian as the machine, no flags. */
static bool take_header(copied_file *file, const uint8_t *header, uint32_t type, uint32_t *count)
{
    uint32_t index = POINT_BIT(POINT_INDEX), times = POINT_BIT(POINT_TIMES);
    if (!bphys_is_native(false) || memcmp(header, "BPHYSICS", 8) != 0) return false;
    *count = bphys_load_u32(header + 12, false);
    file->streams = bphys_load_u32(header + 16, false);
    if (bphys_load_u32(header + 8, false) != type || file->streams > POINT_ALL) return false;
    if (file->streams & times || (type != POINT_PARTICLES && file->streams & index)) return false;
    file->stride = bphys_record_bytes(file->streams);
    uint64_t size = BPHYS_HEADER_BYTES + (uint64_t)*count * file->stride;
    file->size = (size_t)size;
    return *count != 0 && file->stride != 0 && size <= SIZE_MAX / 2u;
}

/* Fills the indices from `begin` on. False: they do not ascend, so that the points would be
   sorted. */
static bool take_indices(const uint8_t *record, size_t stride, uint32_t begin, uint32_t end,
                         uint32_t *indices)
{
    bool ascends = true;
    for (uint32_t i = begin; i < end; i++, record += stride)
        memcpy(indices + i, record, sizeof *indices);
    for (uint32_t i = begin ? begin : 1; i < end; i++) ascends &= indices[i] > indices[i - 1];
    return ascends;
}

/* Reads the records and looks at them, a part at a time, which is then still in the processor's
   cache. False: the file ends early, or its points would change. */
static bool take_records(copied_file *file, FILE *stream, uint32_t count, uint32_t *indices)
{
    enum { PART = 8192 };
    bool has_index = file->streams & POINT_BIT(POINT_INDEX), is_good = true;
    for (uint32_t i = 0; i < count && !has_index; i++) indices[i] = i;
    for (uint32_t begin = 0; begin < count && is_good; begin += PART) {
        uint8_t *records = file->bytes + BPHYS_HEADER_BYTES + begin * file->stride;
        uint32_t end = count - begin < PART ? count : begin + PART;
        size_t bytes = (end - begin) * file->stride;
        is_good =
            fread(records, 1, bytes, stream) == bytes && !point_may_be_infinite(records, bytes);
        if (has_index && is_good)
            is_good = take_indices(records, file->stride, begin, end, indices);
    }
    return is_good && getc(stream) == EOF;
}

/* HOST_DIFFERENT: this is not such a file. */
static int take_file(copied_file *file, const char *path, uint32_t type, host_frame *frame)
{
    uint8_t header[BPHYS_HEADER_BYTES];
    uint32_t count;
    FILE *stream = fopen(path, "rb");
    if (!stream) return HOST_DIFFERENT;     /* loading reports it */
    (void)setvbuf(stream, NULL, _IONBF, 0); /* parts are read to their place */
    int code = fread(header, 1, sizeof header, stream) == sizeof header &&
                       take_header(file, header, type, &count) &&
                       file->size == bphys_path_bytes(path)
                   ? HOST_DONE
                   : HOST_DIFFERENT;
    if (!code) {
        *frame = (host_frame){.count = count, .streams = file->streams};
        file->bytes = malloc(file->size);
        frame->data[POINT_INDEX] = malloc(count * sizeof(uint32_t)); /* all are set below */
        if (!file->bytes || !frame->data[POINT_INDEX]) code = host_out_of_memory(path);
    }
    if (!code) {
        memcpy(file->bytes, header, sizeof header);
        if (!take_records(file, stream, count, frame->data[POINT_INDEX])) code = HOST_DIFFERENT;
    }
    fclose(stream);
    return code;
}

int bphys_copy(const host_sequence *sequence, size_t position, host_frame *frame, uint8_t **bytes,
               size_t *size)
{
    copied_file file = {NULL, 0, 0, 0};
    char *path = bphys_frame_path(sequence, sequence->numbers[position]);
    int code = path ? take_file(&file, path, sequence->type, frame) : host_out_of_memory("a path");
    free(path);
    if (code) {
        free(file.bytes);
        host_frame_free(frame);
        return code;
    }
    frame->number = sequence->numbers[position];
    *bytes = file.bytes;
    *size = file.size;
    return HOST_DONE;
}
