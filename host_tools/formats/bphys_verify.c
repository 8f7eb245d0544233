/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_verify.c - every rule of Blender's point caches, checked file by file and across a sequence.
   reads   .bphys files, names of a folder    writes  faults to a report
   memory  one file and its points, the indices of the one before, 24 bytes a file    cost    O(bytes)
   after   the layout of the files and what Blender does with those that break it: mostly nothing that it would say */
#include "bphys.h"
#include "verify.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What Blender does. */
static const char repeats[] = "Blender shows the frame before again",
                  no_grids[] = "what Blender shows then is not known",
                  zeros[] =
                      "Blender up to 4.5 shows the points at the origin or anywhere, later ones show the "
                      "frame before again",
                  no_type[] = "Blender refuses the file", extra_lost[] = "Blender leaves the extra data out",
                  never_found[] = "Blender does not find it", ignores[] = "Blender does not look at it";

/* What is known of a sequence while its files are checked one after another. */
typedef struct sequence_check {
    host_report *report;
    bool is_named; /* its files have frame numbers in their names */
    bool has_first;
    bphys_header first; /* of the first sound frame, with which the others must agree */
    int32_t first_number;
    uint32_t packings; /* bits of the compression codes of all files */
    bool has_info;
    uint32_t info_count;
    float *times;       /* of the info file */
    uint32_t index_end; /* highest index + 1 */
    uint32_t *indices;  /* of the frame before */
    uint32_t index_count;
    bool has_previous;
    int32_t step;
    int32_t ahead; /* the step that Blender looked ahead */
} sequence_check;

/* The farthest end of a spring in a file; told once the number of points is known. */
typedef struct spring_end {
    uint32_t point, spring;
    uint64_t offset;
    bool is_there;
} spring_end;

typedef struct file_check {
    sequence_check *sequence;
    const char *path;
    const uint8_t *bytes;
    size_t size, at;
    int32_t number;
    bphys_header header;
    host_layout layout;
    uint64_t springs; /* offset of the springs; 0: none, or packed */
    bool is_sound;    /* its body can be read */
} file_check;

static uint32_t word_at(const file_check *file, size_t at)
{
    return bphys_load_u32(file->bytes + at, file->header.big_endian);
}

/* ---- header */

static bool is_info_file(const file_check *file)
{
    if (file->header.type != POINT_PARTICLES || file->header.streams & POINT_BIT(POINT_LOCATION))
        return false;
    return file->sequence->is_named ? file->number == 0 : file->header.streams == POINT_BIT(POINT_TIMES);
}

static void check_type(file_check *file)
{
    sequence_check *sequence = file->sequence;
    if (!sequence->has_first || file->header.type == sequence->first.type) return;
    host_fault(sequence->report, file->path, 8, no_type, "type is %s, that of frame %d is %s",
               point_type_name(file->header.type), (int)sequence->first_number,
               point_type_name(sequence->first.type));
}

static void check_streams(file_check *file)
{
    sequence_check *sequence = file->sequence;
    const bphys_header *header = &file->header, *first = &sequence->first;
    if (!(header->streams & POINT_BIT(POINT_LOCATION)))
        host_fault(sequence->report, file->path, 16,
                   file->number == 0 ? ignores : "Blender leaves the points where they are",
                   "data_types is 0x%02x, which has no locations", header->streams);
    if (!sequence->has_first || header->type != first->type) return;
    if (header->streams != first->streams)
        host_fault(sequence->report, file->path, 16, "Blender keeps the old values of what is missing",
                   "data_types is 0x%02x, that of frame %d is 0x%02x", header->streams,
                   (int)sequence->first_number, first->streams);
    if (header->type != POINT_PARTICLES && header->count != first->count)
        host_fault(sequence->report, file->path, 12, "Blender moves only as many points as both have",
                   "totpoint is %u, that of frame %d is %u; a %s has the same points in each frame",
                   header->count, (int)sequence->first_number, first->count, point_type_name(header->type));
}

static void check_number(file_check *file)
{
    sequence_check *sequence = file->sequence;
    if (!sequence->is_named) return;
    if (file->number == 0 && file->header.type != POINT_PARTICLES)
        host_fault(sequence->report, file->path, HOST_NO_OFFSET, ignores,
                   "frame 0 of a %s; only particles have one, with birth and death",
                   point_type_name(file->header.type));
    else if (file->number == 0 && !is_info_file(file))
        host_fault(sequence->report, file->path, 16, "Blender takes birth and death from it and no frame",
                   "frame 0 is the info file, which has times alone, but data_types is 0x%02x",
                   file->header.streams);
    if (file->number < 0 || file->number > BPHYS_FRAME_MAX)
        host_fault(sequence->report, file->path, HOST_NO_OFFSET,
                   file->number == -1 ? never_found : "Blender takes it for another frame",
                   "frame %d; frames are numbered from 1 to %d", (int)file->number, BPHYS_FRAME_MAX);
}

static bool check_header(file_check *file)
{
    host_fault_listener listener;
    host_report *report = file->sequence->report;
    host_faults_begin(&listener, report, repeats);
    int code = bphys_read_header(file->path, file->bytes, file->size, &file->header);
    host_listen_end();
    if (code) return false;
    if (file->header.big_endian)
        host_fault(report, file->path, 8, no_type,
                   "the file is big-endian, as from a PowerPC machine; convert writes it anew");
    check_type(file);
    check_number(file);
    if (is_info_file(file) && file->size > BPHYS_HEADER_BYTES &&
        !(file->header.streams & POINT_BIT(POINT_TIMES)))
        host_fault(report, file->path, 16, "Blender learns nothing of birth and death from it",
                   "data_types of the info file is 0x%02x, which has no times", file->header.streams);
    if (!is_info_file(file) &&
        !(file->header.type >= POINT_SMOKE && file->header.type <= POINT_DYNAMIC_PAINT))
        check_streams(file);
    return true;
}

/* ---- body */

static uint32_t record_size(uint32_t streams)
{
    uint32_t sum = 0;
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (streams & POINT_BIT(s)) sum += point_streams[s].bytes;
    return sum;
}

static bool check_records(file_check *file)
{
    uint32_t stride = record_size(file->header.streams), offset = 0;
    uint64_t need = (uint64_t)file->header.count * stride, have = file->size - file->at;
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!(file->header.streams & POINT_BIT(s))) continue;
        file->layout.first[s] = file->at + offset;
        file->layout.stride[s] = stride;
        offset += point_streams[s].bytes;
    }
    if (need > have) {
        host_fault(file->sequence->report, file->path, file->size, repeats,
                   "totpoint is %u, which takes %llu bytes, but %llu follow the header: the file is "
                   "incomplete or its header damaged",
                   file->header.count, (unsigned long long)need, (unsigned long long)have);
        return false;
    }
    file->at += (size_t)need;
    return true;
}

static bool block_fault(const file_check *file, size_t at, const char *what, const char *fault)
{
    host_fault(file->sequence->report, file->path, at, zeros, "the block of %s %s", what, fault);
    return false;
}

/* One block of a compressed file: code, size, bytes and, for LZMA, its properties. */
static bool check_block(file_check *file, const char *what, uint64_t bytes)
{
    char text[96];
    if (file->at >= file->size)
        return block_fault(file, file->size, what, "is missing: the file is incomplete");
    size_t start = file->at, left = file->size - start - 1;
    uint8_t code = file->bytes[start];
    if (code > 4 && code != 8) {
        snprintf(text, sizeof text, "has compression code %u, expected 0, 1, 2, 3, 4 or 8", code);
        return block_fault(file, start, what, text);
    }
    file->sequence->packings |= 1u << code;
    if (code == 0) {
        if (bytes > left) return block_fault(file, file->size, what, "is cut short: the file is incomplete");
        file->at += 1 + (size_t)bytes;
        return true;
    }
    if (left < 4) return block_fault(file, file->size, what, "is cut short: the file is incomplete");
    uint32_t packed = word_at(file, start + 1);
    if (packed == 0) return block_fault(file, start + 1, what, "is packed into 0 bytes");
    if (packed > left - 4) {
        snprintf(text, sizeof text, "promises %u bytes, the file has %zu left: it is incomplete", packed,
                 left - 4);
        return block_fault(file, start + 1, what, text);
    }
    file->at = start + 5 + packed;
    if (code != 2) return true;
    left = file->size - file->at;
    if (left < 4 || word_at(file, file->at) != 5 || left < 9)
        return block_fault(file, file->at, what, "lacks the 5 bytes of LZMA properties behind it");
    file->at += 9;
    return true;
}

static bool check_blocks(file_check *file)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!(file->header.streams & POINT_BIT(s))) continue;
        file->layout.first[s] = file->at;
        if (!check_block(file, point_streams[s].name, (uint64_t)file->header.count * point_streams[s].bytes))
            return false;
    }
    return true;
}

static bool check_extra_record(file_check *file, uint32_t *seen)
{
    host_report *report = file->sequence->report;
    size_t start = file->at;
    uint32_t type = word_at(file, start), count = file->size - start >= 8 ? word_at(file, start + 4) : 0;
    if (type == 0 || type >= EXTRA_TYPES) {
        host_fault(report, file->path, start, "Blender reads outside of its tables and may crash",
                   "extra data has type %u, expected 1 (springs) or 2 (cloth acceleration)", type);
        return false;
    }
    if (file->size - start < 8) {
        host_fault(report, file->path, file->size, extra_lost, "the file ends inside of extra data");
        return false;
    }
    if (count == 0) host_fault(report, file->path, start + 4, ignores, "extra data of no elements");
    if (*seen & 1u << type)
        host_fault(report, file->path, start, "the last of them counts",
                   "extra data of type %u a second time", type);
    *seen |= 1u << type;
    file->at += 8;
    uint64_t bytes = (uint64_t)count * extra_bytes[type];
    if (file->header.flags & BPHYS_FLAG_COMPRESS) return check_block(file, "extra data", bytes);
    if (bytes > file->size - file->at) {
        host_fault(report, file->path, start + 4, extra_lost,
                   "extra data promises %u elements, which is %llu bytes, but %zu are left", count,
                   (unsigned long long)bytes, file->size - file->at);
        return false;
    }
    if (type == EXTRA_SPRINGS) file->springs = file->at;
    file->at += (size_t)bytes;
    return true;
}

static bool check_extra(file_check *file)
{
    uint32_t seen = 0;
    if (file->size - file->at < 4) {
        host_fault(file->sequence->report, file->path, 8, "Blender finds none and goes on",
                   "the flags promise extra data, but none follows");
        return false;
    }
    while (file->size - file->at >= 4)
        if (!check_extra_record(file, &seen)) return false;
    return true;
}

static void check_leftover(const file_check *file)
{
    if (file->at < file->size)
        host_fault(file->sequence->report, file->path, file->at, ignores, "%zu byte%s left over at the end",
                   file->size - file->at, file->size - file->at == 1 ? "" : "s");
}

static bool check_body(file_check *file)
{
    bool good = file->header.flags & BPHYS_FLAG_COMPRESS ? check_blocks(file) : check_records(file);
    if (good && file->header.flags & BPHYS_FLAG_EXTRA) good = check_extra(file);
    if (good) check_leftover(file);
    return good;
}

/* ---- points */

static uint64_t index_place(const file_check *file, uint32_t i)
{
    return file->layout.first[POINT_INDEX] + (uint64_t)i * file->layout.stride[POINT_INDEX];
}

static void check_padding(file_check *file, host_frame *frame)
{
    uint32_t padding = bphys_padding(frame);
    if (!padding) return;
    frame->count -= padding;
    host_fault(file->sequence->report, file->path, index_place(file, frame->count),
               "Blender moves point 0 to the origin", "the last %u record%s all zero", padding,
               padding == 1 ? " is" : "s are");
}

/* One line for each kind of fault; the indices themselves stay as they are. */
static void check_indices(file_check *file, const host_frame *frame)
{
    host_report *report = file->sequence->report;
    const uint32_t *indices = frame->data[POINT_INDEX];
    uint32_t unordered = 0, repeated = 0, negative = 0, surplus = 0;
    for (uint32_t i = frame->count; i-- > 0;) { /* backwards, so that the first of each kind stays */
        if (i && indices[i] < indices[i - 1]) unordered = i;
        if (i && indices[i] == indices[i - 1]) repeated = i;
        if (indices[i] > INT32_MAX) negative = i + 1;
        if (file->sequence->has_info && indices[i] >= file->sequence->info_count && indices[i] <= INT32_MAX)
            surplus = i + 1;
    }
    if (unordered)
        host_fault(report, file->path, index_place(file, unordered),
                   "Blender does not find some of the points",
                   "index %u comes after %u, expected ascending indices", indices[unordered],
                   indices[unordered - 1]);
    if (repeated)
        host_fault(report, file->path, index_place(file, repeated), "one of both records is lost",
                   "index %u is there twice", indices[repeated]);
    if (negative)
        host_fault(report, file->path, index_place(file, negative - 1),
                   "Blender writes outside of its memory and may crash", "index %u is too high",
                   indices[negative - 1]);
    if (surplus)
        host_fault(report, file->path, index_place(file, surplus - 1), "Blender leaves the point out",
                   "index %u, but the info file has %u points", indices[surplus - 1],
                   file->sequence->info_count);
}

/* Files hold points up to a step before their birth. */
static void check_births(file_check *file, const host_frame *frame)
{
    const sequence_check *sequence = file->sequence;
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; sequence->times && i < frame->count; i++) {
        if (indices[i] >= sequence->info_count) continue;
        double birth = (double)sequence->times[(size_t)indices[i] * 3];
        if (birth < (double)file->number + sequence->ahead + 1) continue;
        host_fault(sequence->report, file->path, index_place(file, i), "Blender does not show the point here",
                   "point %u is in frame %d, but the info file has its birth at %.9g", indices[i],
                   (int)file->number, birth);
        return;
    }
}

static bool share_a_point(const sequence_check *sequence, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    uint32_t i = 0, j = 0;
    while (i < sequence->index_count && j < frame->count) {
        if (sequence->indices[i] == indices[j]) return true;
        if (sequence->indices[i] < indices[j])
            i++;
        else
            j++;
    }
    return false;
}

/* Frames without any point have no file; but a point that is before and after a hole was in it, too. */
static void check_hole(file_check *file, const host_frame *frame, const int32_t *numbers, size_t at)
{
    const sequence_check *sequence = file->sequence;
    if (!sequence->has_previous || !host_is_hole(numbers, at, sequence->step)) return;
    if (file->header.type == POINT_PARTICLES && !share_a_point(sequence, frame)) return;
    host_fault(sequence->report, file->path, HOST_NO_OFFSET, "Blender interpolates the frames between",
               "frame %d follows frame %d, and the usual step is %d: files are missing", (int)numbers[at],
               (int)numbers[at - 1], (int)sequence->step);
}

static void keep_indices(sequence_check *sequence, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    free(sequence->indices);
    sequence->indices = host_allocate(frame->count, sizeof *indices);
    sequence->index_count = sequence->indices ? frame->count : 0;
    sequence->has_previous = sequence->indices != NULL;
    for (uint32_t i = 0; i < sequence->index_count; i++) {
        sequence->indices[i] = indices[i];
        if (indices[i] <= INT32_MAX && indices[i] >= sequence->index_end)
            sequence->index_end = indices[i] + 1;
    }
}

/* ---- extra data */

static void check_springs(file_check *file, const host_frame *frame, spring_end *far)
{
    const host_extra *springs = &frame->extra[EXTRA_SPRINGS];
    host_report *report = file->sequence->report;
    bool told_length = false, told_flag = false;
    for (uint32_t i = 0; i < springs->count; i++) {
        float length;
        uint32_t words[4];
        uint64_t offset = file->springs ? file->springs + (uint64_t)i * 16 : HOST_NO_OFFSET;
        memcpy(words, springs->bytes + (size_t)i * 16, sizeof words);
        memcpy(&length, words, sizeof length);
        if (!told_length && !(length >= 0 && length <= 3.4e38f)) {
            host_fault(report, file->path, offset, "Blender tears the fluid apart",
                       "spring %u has rest length %g", i, (double)length);
            told_length = true;
        }
        if (!told_flag && words[3] > 1) {
            host_fault(report, file->path, file->springs ? offset + 12 : offset, "Blender deletes the spring",
                       "spring %u has the mark %u for deletion, expected 0 or 1", i, words[3]);
            told_flag = true;
        }
        for (uint32_t end = 1; end <= 2; end++) {
            if (far->is_there && words[end] <= far->point) continue;
            *far = (spring_end){words[end], i, file->springs ? offset + 4 * end : HOST_NO_OFFSET, true};
        }
    }
}

static void check_extra_values(file_check *file, const host_frame *frame, spring_end *far)
{
    host_report *report = file->sequence->report;
    const host_extra *pull = &frame->extra[EXTRA_ACCELERATION];
    check_springs(file, frame, far);
    if (frame->extra[EXTRA_SPRINGS].count && file->header.type != POINT_PARTICLES)
        host_fault(report, file->path, HOST_NO_OFFSET, ignores, "a %s has springs, which only particles have",
                   point_type_name(file->header.type));
    if (pull->count && file->header.type != POINT_CLOTH)
        host_fault(report, file->path, HOST_NO_OFFSET, ignores,
                   "%s have an average acceleration, which only cloth has",
                   point_type_name(file->header.type));
    else if (pull->count > 1)
        host_fault(report, file->path, HOST_NO_OFFSET, "Blender takes the first",
                   "%u average accelerations, expected one", pull->count);
}

/* ---- one file */

static void take_info(file_check *file, const host_frame *frame)
{
    sequence_check *sequence = file->sequence;
    sequence->has_info = true;
    sequence->info_count = file->header.count;
    if (!frame || !frame->data[POINT_TIMES]) return;
    sequence->times = host_allocate(sequence->info_count, 3 * sizeof *sequence->times);
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; sequence->times && i < frame->count; i++)
        if (indices[i] < sequence->info_count)
            memcpy(sequence->times + (size_t)indices[i] * 3,
                   (float *)frame->data[POINT_TIMES] + (size_t)i * 3, 12);
}

static void check_points(file_check *file, host_frame *frame, const int32_t *numbers, size_t at,
                         spring_end *far)
{
    sequence_check *sequence = file->sequence;
    bool has_index = file->header.streams & POINT_BIT(POINT_INDEX);
    if (has_index) {
        check_padding(file, frame);
        check_indices(file, frame);
    }
    host_verify_values(sequence->report, file->path, frame, &file->layout, true);
    check_extra_values(file, frame, far);
    if (has_index && !host_frame_order(frame)) return;
    if (is_info_file(file)) {
        take_info(file, frame);
        return;
    }
    sequence->report->frames++;
    sequence->report->points += frame->count;
    check_births(file, frame);
    check_hole(file, frame, numbers, at);
    keep_indices(sequence, frame);
    if (!sequence->has_first) {
        sequence->has_first = true;
        sequence->first = file->header;
        sequence->first_number = file->number;
    }
}

static bool is_smoke(const file_check *file)
{
    return file->header.type == POINT_SMOKE || file->header.type == POINT_SMOKE_HIGHRES;
}

/* Surfaces and smoke have a form of their own each: their reader says what is wrong. */
static void check_by_reading(file_check *file, const char *effect)
{
    host_frame frame;
    host_fault_listener listener;
    host_report *report = file->sequence->report;
    report->frames++;
    if (file->header.type == POINT_DYNAMIC_PAINT) report->points += file->header.count;
    host_faults_begin(&listener, report, effect);
    int code = bphys_read_records(file->path, file->bytes, file->size, &frame, &file->at);
    host_listen_end();
    if (code) return;
    host_frame_free(&frame);
    check_leftover(file);
}

static void check_bytes(file_check *file, const int32_t *numbers, size_t at, spring_end *far)
{
    host_frame frame;
    host_fault_listener listener;
    sequence_check *sequence = file->sequence;
    if (!check_header(file)) return;
    file->at = BPHYS_HEADER_BYTES;
    if (file->header.type == POINT_DYNAMIC_PAINT) {
        bool has_version = file->size >= 24 && memcmp(file->bytes + 20, "1.01", 4) == 0;
        check_by_reading(file, has_version ? zeros : no_type);
    }
    if (is_smoke(file)) check_by_reading(file, no_grids);
    if (is_smoke(file) || file->header.type == POINT_DYNAMIC_PAINT) return;
    if (is_info_file(file) && file->size == BPHYS_HEADER_BYTES) { /* says only how many points there are */
        take_info(file, NULL);
        return;
    }
    if (!check_body(file)) return;
    host_faults_begin(&listener, sequence->report, zeros);
    int code = bphys_read_records(file->path, file->bytes, file->size, &frame, NULL);
    host_listen_end();
    if (code) return;
    frame.number = file->number;
    check_points(file, &frame, numbers, at, far);
    host_frame_free(&frame);
}

static void check_file(sequence_check *sequence, const char *path, const int32_t *numbers, size_t at,
                       spring_end *far)
{
    uint8_t *bytes;
    host_fault_listener listener;
    file_check file = {.sequence = sequence, .path = path, .number = numbers[at]};
    sequence->report->files++;
    host_faults_begin(&listener, sequence->report, never_found);
    int code = host_read_file(path, &bytes, &file.size);
    host_listen_end();
    file.bytes = bytes;
    if (code)
        sequence->report->code = code;
    else
        check_bytes(&file, numbers, at, far);
    free(bytes);
}

/* ---- a sequence */

static void check_spring_ends(const sequence_check *sequence, char *const *paths, const spring_end *ends,
                              size_t count)
{
    uint32_t points = sequence->has_info ? sequence->info_count : sequence->index_end;
    if (!sequence->has_info && count < 2) return; /* one frame does not tell how many points there are */
    for (size_t i = 0; i < count; i++)
        if (ends[i].is_there && ends[i].point >= points)
            host_fault(sequence->report, paths[i], ends[i].offset,
                       "Blender reads outside of its memory and may crash",
                       "spring %u ends at point %u, but there are points 0 to %u only", ends[i].spring,
                       ends[i].point, points ? points - 1 : 0);
}

static void check_packings(const sequence_check *sequence, const char *path)
{
    bool old = sequence->packings & (1u << 1 | 1u << 2),
         late = sequence->packings & (1u << 3 | 1u << 4 | 1u << 8);
    if (old && late)
        host_fault(sequence->report, path, HOST_NO_OFFSET, "no Blender reads all of them",
                   "blocks of LZO or LZMA (Blender up to 4.5) and of zstd (from 5.0 on) in one sequence");
}

static int check_sequence(host_report *report, char *const *paths, const int32_t *numbers, size_t count,
                          bool is_named)
{
    sequence_check sequence = {.report = report, .is_named = is_named};
    spring_end *ends = host_allocate(count, sizeof *ends);
    if (!ends) return host_no_room("a sequence");
    size_t first = count && is_named && numbers[0] == 0; /* the info file is no frame */
    sequence.step = host_common_step(numbers + first, count - first);
    sequence.ahead = bphys_presence_step(numbers + first, count - first);
    report->sequences++;
    for (size_t i = 0; i < count; i++) {
        bool in_frames = i >= first;
        check_file(&sequence, paths[i], in_frames ? numbers + first : numbers, in_frames ? i - first : i,
                   &ends[i]);
    }
    check_spring_ends(&sequence, paths, ends, count);
    if (count) check_packings(&sequence, paths[0]);
    free(ends);
    free(sequence.times);
    free(sequence.indices);
    return HOST_DONE;
}

static int check_entries(host_report *report, const char *folder, const bphys_entry *entries, size_t count)
{
    char **paths = host_allocate(count, sizeof *paths);
    int32_t *numbers = host_allocate(count, sizeof *numbers);
    int code = paths && numbers ? HOST_DONE : host_no_room("a sequence");
    for (size_t i = 0; !code && i < count; i++) {
        numbers[i] = entries[i].frame;
        paths[i] = bphys_path(folder, entries[i].name, entries[i].frame, entries[i].suffix);
        if (!paths[i]) code = host_no_room("a path");
    }
    if (!code) code = check_sequence(report, paths, numbers, count, true);
    for (size_t i = 0; paths && i < count; i++) free(paths[i]);
    free(paths);
    free(numbers);
    return code;
}

/* ---- a folder */

/* Where the name of a file stops being right. */
static void check_name(host_report *report, const char *folder, const char *name, const char *wanted)
{
    bphys_name parsed;
    const char *ending = strstr(name, ".bphys"), *partial = strstr(name, ".partial");
    if (name[0] == '.' && partial && !partial[8])
        host_note(folder, HOST_NO_OFFSET,
                  "%s is of a conversion that is at work or was killed; then remove it", name);
    size_t length = wanted ? strlen(wanted) : 0;
    bool is_ours = !wanted || (strncmp(name, wanted, length) == 0 && name[length] == '_');
    if (!ending || !is_ours || name[0] == '.' || bphys_parse_name(name, &parsed)) return;
    char *path = host_text("%s/%s", folder, name),
         *head = host_text("%.*s.bphys", (int)(ending - name), name);
    bool looks_right = ending[6] && head && bphys_parse_name(head, &parsed);
    if (path && looks_right)
        host_fault(report, path, HOST_NO_OFFSET, "Blender counts it as a frame that is not there",
                   "the name goes on behind .bphys, and Blender looks only for what is before");
    else if (path)
        host_fault(report, path, HOST_NO_OFFSET, never_found,
                   "the name is not NAME_FFFFFF_II.bphys with six digits of frame and two of cache index");
    free(path);
    free(head);
}

static int check_names(host_report *report, const char *folder, const char *wanted)
{
    struct dirent *item;
    DIR *directory = opendir(folder);
    if (!directory)
        return host_error(HOST_IO, folder, HOST_NO_OFFSET, "cannot open the folder: %s", strerror(errno));
    while ((item = readdir(directory)) != NULL) check_name(report, folder, item->d_name, wanted);
    closedir(directory);
    return HOST_DONE;
}

static bool fits(const bphys_entry *entry, const bphys_place *place)
{
    return (!place->name || strcmp(entry->name, place->name) == 0) &&
           (!place->suffix || strcmp(entry->suffix, place->suffix) == 0);
}

static int check_place(host_report *report, const char *path, const bphys_place *place)
{
    bphys_entry *entries;
    size_t count, found = 0;
    int code = check_names(report, place->folder, place->name);
    if (!code) code = bphys_scan(place->folder, &entries, &count);
    if (code) return code;
    for (size_t i = 0, end; !code && i < count; i = end) {
        for (end = i + 1; end < count && strcmp(entries[i].name, entries[end].name) == 0 &&
                          strcmp(entries[i].suffix, entries[end].suffix) == 0;)
            end++;
        if (!fits(&entries[i], place)) continue;
        found++;
        code = check_entries(report, place->folder, entries + i, end - i);
    }
    bphys_scan_free(entries, count);
    if (!code && !found)
        code = host_error(HOST_IO, path, HOST_NO_OFFSET,
                          "no such file or sequence; the folder has no .bphys file of that name");
    return code;
}

int bphys_verify(host_report *report, const char *path)
{
    struct stat status;
    bphys_place place;
    bphys_name parsed;
    const char *slash = strrchr(path, '/');
    bool exists = stat(path, &status) == 0, is_folder = exists && S_ISDIR(status.st_mode);
    if (exists && !is_folder && !bphys_parse_name(slash ? slash + 1 : path, &parsed)) {
        char *copy = host_text("%s", path);
        int32_t number = 1;
        int code = copy ? check_sequence(report, &copy, &number, 1, false) : host_no_room("a path");
        free(copy);
        return code;
    }
    if (!bphys_place_parse(path, &place)) return host_no_room("a path");
    if (is_folder) {
        bphys_place_free(&place);
        place.folder = host_text("%s", path);
    }
    int code = place.folder ? check_place(report, path, &place) : host_no_room("a path");
    bphys_place_free(&place);
    return code;
}
