/* SPDX-License-Identifier: MIT
   host_tools/formats/dcd.c - reads DCD trajectories: frames are read from the file on demand.
   reads   .dcd                            writes  host_frame
   memory  one frame                       cost    O(points) per frame
   after   see dcd.h; every length before and after a record is checked */
#include "dcd.h"
#include "../common/source.h"
#include "bytes.h"
#include <stdlib.h>

enum { HEAD_BYTES = 84, RECORD_MARKS = 8, CELL_BYTES = 48, TITLES_MAX = 1 << 20 };
/* numbers of the header, after the four letters */
enum {
    NUMBER_STEP = 1,
    NUMBER_EVERY = 2,
    NUMBER_FIXED = 8,
    NUMBER_CELL = 10,
    NUMBER_FOURTH = 11,
    NUMBER_VERSION = 19
};

typedef struct dcd_file {
    host_source source;
    bool big_endian, has_cell, has_fourth;
    uint32_t points;
    uint64_t head, frame_bytes; /* offset of the first frame; size of each */
} dcd_file;

bool dcd_recognises(const uint8_t *start, size_t size)
{
    return size >= 8 && memcmp(start + 4, "CORD", 4) == 0 &&
           (bytes_load(start, 4, false) == HEAD_BYTES || bytes_load(start, 4, true) == HEAD_BYTES);
}

static int read_exactly(dcd_file *file, uint64_t at, void *bytes, size_t size)
{
    return host_source_read_all(&file->source, at, bytes, size, "its header or a frame");
}

/* Checks a length before or after a record. */
static int check_mark(const dcd_file *file, uint64_t at, const uint8_t *bytes, uint64_t expected)
{
    uint64_t found = bytes_load(bytes, 4, file->big_endian);
    if (found == expected) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, file->source.path, at,
                      "the length of a record is %llu, expected %llu", (unsigned long long)found,
                      (unsigned long long)expected);
}

static int64_t number_at(const dcd_file *file, const uint8_t *head, int number)
{
    return (int32_t)(uint32_t)bytes_load(head + 8 + 4 * number, 4, file->big_endian);
}

/* The titles and the number of atoms follow the numbers. */
static int read_counts(dcd_file *file)
{
    uint8_t bytes[12];
    uint64_t at = HEAD_BYTES + RECORD_MARKS;
    int code = read_exactly(file, at, bytes, 4);
    uint64_t titles = bytes_load(bytes, 4, file->big_endian);
    if (!code && titles > TITLES_MAX)
        return host_error(HOST_BAD_INPUT, file->source.path, at,
                          "the titles have %llu bytes, at most %d", (unsigned long long)titles,
                          TITLES_MAX);
    at += 4 + titles;
    if (!code) code = read_exactly(file, at, bytes, 4);
    if (!code) code = check_mark(file, at, bytes, titles);
    at += 4;
    if (!code) code = read_exactly(file, at, bytes, sizeof bytes);
    if (!code) code = check_mark(file, at, bytes, 4);
    if (!code) code = check_mark(file, at + 8, bytes + 8, 4);
    if (code) return code;
    file->points = (uint32_t)bytes_load(bytes + 4, 4, file->big_endian);
    if (!file->points || file->points > INT32_MAX)
        return host_error(HOST_BAD_INPUT, file->source.path, at + 4,
                          "the number of atoms is %d, expected at least 1", (int)file->points);
    file->head = at + sizeof bytes;
    return HOST_DONE;
}

static int read_head(dcd_file *file, uint8_t head[HEAD_BYTES + RECORD_MARKS])
{
    int code = read_exactly(file, 0, head, HEAD_BYTES + RECORD_MARKS);
    if (code) return code;
    if (!dcd_recognises(head, HEAD_BYTES))
        return host_error(HOST_BAD_INPUT, file->source.path, 0,
                          "expected a record of 84 bytes that begins with CORD");
    file->big_endian = bytes_load(head, 4, true) == HEAD_BYTES;
    code = check_mark(file, HEAD_BYTES + 4, head + HEAD_BYTES + 4, HEAD_BYTES);
    if (!code && number_at(file, head, NUMBER_FIXED) != 0)
        return host_error(HOST_BAD_INPUT, file->source.path, 8 + 4 * NUMBER_FIXED,
                          "the file has fixed atoms, which is not supported");
    bool is_charmm = number_at(file, head, NUMBER_VERSION) != 0;
    file->has_cell = is_charmm && number_at(file, head, NUMBER_CELL) != 0;
    file->has_fourth = is_charmm && number_at(file, head, NUMBER_FOURTH) != 0;
    return code ? code : read_counts(file);
}

/* Counts the frames by the size of the file: programs that were stopped leave the number of the
   header behind. */
static int count_frames(host_sequence *sequence, dcd_file *file, const uint8_t *head)
{
    uint64_t record = (uint64_t)file->points * 4 + RECORD_MARKS, size = file->source.file_bytes;
    file->frame_bytes = (3u + file->has_fourth) * record +
                        (file->has_cell ? (uint64_t)CELL_BYTES + RECORD_MARKS : 0);
    uint64_t left = size - file->head, frames = left / file->frame_bytes;
    if (left % file->frame_bytes)
        return host_error(HOST_BAD_INPUT, sequence->path, size,
                          "the file ends inside frame %llu; it is incomplete",
                          (unsigned long long)frames + 1);
    if (frames > INT32_MAX)
        return host_error(HOST_BAD_INPUT, sequence->path, size, "%llu frames, at most %d",
                          (unsigned long long)frames, INT32_MAX);
    int64_t told = number_at(file, head, 0);
    if ((uint64_t)told != frames)
        host_doubt(
            sequence->path, 8,
            "the number of frames in the header is %lld, expected %llu by the size of the file",
            (long long)told, (unsigned long long)frames);
    sequence->frame_count = (size_t)frames;
    return HOST_DONE;
}

/* The first step is below 0 in files of long runs, whose steps exceed 32 bits. */
static int number_frames(host_sequence *sequence, const dcd_file *file, const uint8_t *head)
{
    int64_t first = number_at(file, head, NUMBER_STEP), every = number_at(file, head, NUMBER_EVERY);
    int64_t *steps = host_allocate(sequence->frame_count, sizeof *steps);
    if (!steps) return host_out_of_memory("the list of frames");
    if (every < 1) first = 0, every = 1;
    for (size_t i = 0; i < sequence->frame_count; i++) steps[i] = first + (int64_t)i * every;
    int code = host_sequence_number_steps(sequence, steps, every);
    free(steps);
    return code;
}

int dcd_open(host_sequence *sequence, const char *path)
{
    uint8_t head[HEAD_BYTES + RECORD_MARKS];
    dcd_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory("a trajectory");
    sequence->state = file;
    sequence->type = POINT_PARTICLES;
    int code = host_source_open_plain(&file->source, path);
    if (!code) code = host_sequence_take_names(sequence, path);
    if (!code) code = read_head(file, head);
    if (!code) code = count_frames(sequence, file, head);
    if (code) return code;
    sequence->byte_count = file->source.file_bytes;
    sequence->streams = POINT_BIT(POINT_LOCATION);
    sequence->point_count = file->points;
    return number_frames(sequence, file, head);
}

/* One record: a coordinate of all points. */
static int read_axis(dcd_file *file, uint64_t at, uint8_t *bytes, float *location, uint32_t axis)
{
    uint64_t size = (uint64_t)file->points * 4;
    int code = read_exactly(file, at, bytes, (size_t)size + RECORD_MARKS);
    if (!code) code = check_mark(file, at, bytes, size);
    if (!code) code = check_mark(file, at + 4 + size, bytes + 4 + size, size);
    for (uint32_t i = 0; !code && i < file->points; i++)
        location[(size_t)i * 3 + axis] =
            bytes_load_f32(bytes + 4 + (size_t)i * 4, file->big_endian);
    return code;
}

/* A record whose content is not used. */
static int skip_record(dcd_file *file, uint64_t at, uint64_t size)
{
    uint8_t mark[4];
    int code = read_exactly(file, at, mark, sizeof mark);
    if (!code) code = check_mark(file, at, mark, size);
    if (!code) code = read_exactly(file, at + 4 + size, mark, sizeof mark);
    return code ? code : check_mark(file, at + 4 + size, mark, size);
}

int dcd_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    dcd_file *file = sequence->state;
    uint64_t record = (uint64_t)file->points * 4 + RECORD_MARKS,
             at = file->head + position * file->frame_bytes;
    uint8_t *bytes = malloc((size_t)record);
    int code = bytes && host_frame_allocate(frame, file->points, POINT_BIT(POINT_LOCATION))
                   ? HOST_DONE
                   : host_out_of_memory("a frame");
    if (!code && file->has_cell) {
        code = skip_record(file, at, CELL_BYTES);
        at += CELL_BYTES + RECORD_MARKS;
    }
    for (uint32_t i = 0; !code && i < file->points; i++)
        ((uint32_t *)frame->data[POINT_INDEX])[i] = i;
    for (uint32_t axis = 0; axis < 3 && !code; axis++)
        code = read_axis(file, at + axis * record, bytes, frame->data[POINT_LOCATION], axis);
    if (!code && file->has_fourth) code = skip_record(file, at + 3 * record, record - RECORD_MARKS);
    free(bytes);
    if (code) host_frame_free(frame);
    frame->number = sequence->numbers[position];
    return code;
}

void dcd_close(host_sequence *sequence)
{
    dcd_file *file = sequence->state;
    if (!file) return;
    host_source_close(&file->source);
    free(file);
    sequence->state = NULL;
}
