/* SPDX-License-Identifier: MIT
   host_tools/formats/xtc.c - reads XTC trajectories: finds the frames, loads each on demand.
   reads   .xtc                            writes  host_frame
   memory  12 bytes per frame; one frame   cost    a read per frame to open
   after   see xtc.h */
#include "xtc.h"
#include "../common/source.h"
#include "bytes.h"
#include <stdlib.h>

enum {
    MAGIC = 1995,
    MAGIC_LARGE = 2023, /* the size of the packed bytes has 64 bits */
    PLAIN_MAX = 9,      /* points that are not packed */
    HEAD_BYTES = 56,    /* magic, points, step, time, box, points */
    PACKING_BYTES = 36, /* precision, least, most, small, size */
    TOTAL_MAX = INT32_MAX
};

typedef struct xtc_file {
    host_source source;
    uint64_t *offsets;
    int64_t *steps;
    size_t room, step_room;
} xtc_file;

bool xtc_recognises(const uint8_t *start, size_t size)
{
    if (size < HEAD_BYTES) return false;
    uint64_t magic = bytes_load(start, 4, true);
    return (magic == MAGIC || magic == MAGIC_LARGE) &&
           bytes_load(start + 4, 4, true) == bytes_load(start + 52, 4, true);
}

static int read_exactly(xtc_file *file, uint64_t at, void *bytes, size_t size)
{
    return host_source_read_all(&file->source, at, bytes, size, "a frame");
}

/* A frame: its points, and where their bytes are. */
typedef struct xtc_frame {
    uint32_t count;
    int64_t step;
    xtc_packing packing; /* of more than PLAIN_MAX points */
    uint64_t data, size, next;
} xtc_frame;

static int read_packing(xtc_file *file, uint64_t at, bool is_large, xtc_frame *frame)
{
    uint8_t bytes[PACKING_BYTES + 4];
    uint32_t size_bytes = is_large ? 8 : 4, total = PACKING_BYTES - 4 + size_bytes;
    int code = read_exactly(file, at, bytes, total);
    if (code) return code;
    frame->packing.precision = bytes_load_f32(bytes, true);
    for (uint32_t k = 0; k < 3; k++) {
        frame->packing.least[k] = (int32_t)(uint32_t)bytes_load(bytes + 4 + 4 * k, 4, true);
        frame->packing.most[k] = (int32_t)(uint32_t)bytes_load(bytes + 16 + 4 * k, 4, true);
    }
    frame->packing.small = (uint32_t)bytes_load(bytes + 28, 4, true);
    frame->size = bytes_load(bytes + 32, size_bytes, true);
    frame->data = at + total;
    uint64_t left = file->source.file_bytes - frame->data;
    if (!(frame->packing.precision > 0))
        return host_error(HOST_BAD_INPUT, file->source.path, at,
                          "the precision of a frame is %g, expected more than 0",
                          (double)frame->packing.precision);
    if (frame->size > left || (4 - frame->size % 4) % 4 > left - frame->size)
        return host_error(HOST_BAD_INPUT, file->source.path, file->source.file_bytes,
                          "the file ends inside a frame of %llu packed bytes; it is incomplete",
                          (unsigned long long)frame->size);
    frame->next = frame->data + frame->size + (4 - frame->size % 4) % 4;
    return HOST_DONE;
}

/* Reads what stands before the points of a frame. */
static int read_frame_head(xtc_file *file, uint64_t at, xtc_frame *frame)
{
    uint8_t head[HEAD_BYTES];
    int code = read_exactly(file, at, head, sizeof head);
    if (code) return code;
    if (!xtc_recognises(head, sizeof head))
        return host_error(HOST_BAD_INPUT, file->source.path, at,
                          "expected the number %d or %d and the number of points, twice the same",
                          MAGIC, MAGIC_LARGE);
    frame->count = (uint32_t)bytes_load(head + 4, 4, true);
    frame->step = (int32_t)(uint32_t)bytes_load(head + 8, 4, true);
    if (frame->count > TOTAL_MAX)
        return host_error(HOST_BAD_INPUT, file->source.path, at + 4,
                          "the number of points is %u, at most %d", frame->count, TOTAL_MAX);
    at += HEAD_BYTES;
    if (frame->count > PLAIN_MAX)
        return read_packing(file, at, bytes_load(head, 4, true) == MAGIC_LARGE, frame);
    frame->data = at;
    frame->size = (uint64_t)frame->count * 12;
    frame->next = at + frame->size;
    if (frame->next <= file->source.file_bytes) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, file->source.path, file->source.file_bytes,
                      "the file ends inside a frame; it is incomplete");
}

/* A point takes at least a bit: more points than that are damage. */
static int check_count(const xtc_file *file, uint64_t at, const xtc_frame *frame)
{
    if (frame->count <= PLAIN_MAX || frame->count / 8 <= frame->size) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, file->source.path, at + 4,
                      "a frame has %u points in %llu packed bytes", frame->count,
                      (unsigned long long)frame->size);
}

static int add_frame(host_sequence *sequence, uint64_t at, const xtc_frame *frame)
{
    xtc_file *file = sequence->state;
    uint64_t *offsets =
        host_lengthen(file->offsets, sequence->frame_count, &file->room, sizeof *offsets);
    if (offsets) file->offsets = offsets;
    int64_t *steps =
        offsets ? host_lengthen(file->steps, sequence->frame_count, &file->step_room, sizeof *steps)
                : NULL;
    if (!steps) return host_out_of_memory("the list of frames");
    file->steps = steps;
    file->offsets[sequence->frame_count] = at;
    file->steps[sequence->frame_count++] = frame->step;
    if (frame->count > sequence->point_count) sequence->point_count = frame->count;
    sequence->record_count += frame->count;
    return HOST_DONE;
}

static int find_frames(host_sequence *sequence)
{
    xtc_file *file = sequence->state;
    int code = HOST_DONE;
    xtc_frame frame = {0};
    for (uint64_t at = 0; at < file->source.file_bytes && !code; at = frame.next) {
        code = read_frame_head(file, at, &frame);
        if (!code) code = check_count(file, at, &frame);
        if (!code) code = add_frame(sequence, at, &frame);
    }
    if (!code && !sequence->frame_count)
        code = host_error(HOST_BAD_INPUT, sequence->path, 0, "the file has no frame");
    return code;
}

int xtc_open(host_sequence *sequence, const char *path)
{
    xtc_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory("a trajectory");
    sequence->state = file;
    sequence->type = POINT_PARTICLES;
    int code = host_source_open_plain(&file->source, path);
    if (!code) code = host_sequence_take_names(sequence, path);
    if (!code) code = find_frames(sequence);
    if (code) return code;
    sequence->byte_count = file->source.file_bytes;
    sequence->streams = POINT_BIT(POINT_LOCATION);
    return host_sequence_number_steps(sequence, file->steps, 0);
}

static int load_points(xtc_file *file, const xtc_frame *head, host_frame *frame)
{
    float *location = frame->data[POINT_LOCATION];
    uint8_t *bytes = malloc(head->size ? (size_t)head->size : 1);
    if (!bytes) return host_out_of_memory("a frame");
    int code = read_exactly(file, head->data, bytes, (size_t)head->size);
    bool is_plain = head->count <= PLAIN_MAX;
    for (uint32_t i = 0; !code && is_plain && i < head->count * 3; i++)
        location[i] = bytes_load_f32(bytes + (size_t)4 * i, true);
    if (!code && !is_plain &&
        !xtc_unpack(&head->packing, bytes, (size_t)head->size, head->count, location))
        code = host_error(HOST_BAD_INPUT, file->source.path, head->data,
                          "%llu packed bytes do not unpack to %u points; they are damaged",
                          (unsigned long long)head->size, head->count);
    free(bytes);
    return code;
}

int xtc_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    xtc_file *file = sequence->state;
    xtc_frame head = {0};
    int code = read_frame_head(file, file->offsets[position], &head);
    if (!code && !host_frame_allocate(frame, head.count, POINT_BIT(POINT_LOCATION)))
        code = host_out_of_memory("a frame");
    if (code) return code;
    for (uint32_t i = 0; i < head.count; i++) ((uint32_t *)frame->data[POINT_INDEX])[i] = i;
    code = load_points(file, &head, frame);
    if (code) host_frame_free(frame);
    frame->number = sequence->numbers[position];
    return code;
}

void xtc_close(host_sequence *sequence)
{
    xtc_file *file = sequence->state;
    if (!file) return;
    host_source_close(&file->source);
    free(file->offsets);
    free(file->steps);
    free(file);
    sequence->state = NULL;
}
