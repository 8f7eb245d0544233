/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_verify.c - checks every rule of Blender's point caches, in files and
           sequences.
   reads   .bphys files, names of a folder    writes  faults to a report
   memory  one file and its points, the indices of the frame before, 24 bytes per file
   cost    O(bytes)
   after   the layout of the files, and Blender's reaction to files that break it, which is mostly
           silent */
#include "bphys_private.h"
#include "verify.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Effects: what Blender does with a fault. */
static const char
    repeats[] = "Blender shows the frame before again",
    no_grids[] = "what Blender shows then is unknown",
    zeros[] = "Blender up to 4.5 shows the points at the origin or anywhere, later ones show the "
              "frame before again",
    no_type[] = "Blender refuses the file", never_found[] = "Blender does not find it",
    ignores[] = "Blender ignores it";

/* State while the files of a sequence are checked one after another. */
typedef struct sequence_check {
    host_report *report;
    uint64_t bytes; /* of all files */
    bool is_named;  /* the file names contain frame numbers */
    bool has_first;
    /* of the first valid header, which may be that of an info file, smoke or a surface */
    bool has_type;
    uint32_t type;
    int32_t type_number;
    bphys_header first; /* header of the first sound frame; the other frames must agree with it */
    int32_t first_number;
    uint32_t packings; /* bit mask of the compression codes of all files */
    bool has_info;
    uint32_t info_count;
    float *times;       /* from the info file */
    uint32_t index_end; /* highest index + 1 */
    uint32_t *indices;  /* indices of the frame before */
    uint32_t index_count;
    bool has_previous;
    int32_t step;
    int32_t ahead; /* cache step by which Blender wrote points ahead of their birth */
} sequence_check;

/* The highest point index that a spring of the file refers to; checked when the number of points is
   known. */
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
    uint64_t springs; /* file offset of the springs; 0: none, or compressed */
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
    return file->sequence->is_named ? file->number == 0
                                    : file->header.streams == POINT_BIT(POINT_TIMES);
}

static void check_type(file_check *file)
{
    sequence_check *sequence = file->sequence;
    if (!sequence->has_type) {
        sequence->has_type = true;
        sequence->type = file->header.type;
        sequence->type_number = file->number;
    }
    if (file->header.type == sequence->type) return;
    host_fault(sequence->report, file->path, 8, no_type, "type is %s, that of frame %d is %s",
               point_type_name(file->header.type), (int)sequence->type_number,
               point_type_name(sequence->type));
}

static void check_streams(file_check *file)
{
    sequence_check *sequence = file->sequence;
    const bphys_header *header = &file->header, *first = &sequence->first;
    if (!(header->streams & POINT_BIT(POINT_LOCATION)))
        host_fault(sequence->report, file->path, 16,
                   file->number == 0 ? ignores : "Blender does not move the points",
                   "data_types is 0x%02x, which has no locations", header->streams);
    if (!sequence->has_first || header->type != first->type) return;
    if (header->streams != first->streams)
        host_fault(sequence->report, file->path, 16,
                   "Blender keeps the old values of the missing streams",
                   "data_types is 0x%02x, that of frame %d is 0x%02x", header->streams,
                   (int)sequence->first_number, first->streams);
    if (header->type != POINT_PARTICLES && header->count != first->count)
        host_fault(sequence->report, file->path, 12,
                   "Blender moves only as many points as both have",
                   "totpoint is %u, that of frame %d is %u; a %s has the same points in each frame",
                   header->count, (int)sequence->first_number, first->count,
                   point_type_name(header->type));
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
        host_fault(sequence->report, file->path, 16,
                   "Blender reads it as the info file, not as a frame",
                   "frame 0 is the info file, which has times alone, but data_types is 0x%02x",
                   file->header.streams);
    if (file->number < 0 || file->number > BPHYS_FRAME_MAX)
        host_fault(sequence->report, file->path, HOST_NO_OFFSET,
                   file->number == -1 ? never_found : "Blender takes it for another frame",
                   "frame %d; frames are numbered from 1 to %d", (int)file->number,
                   BPHYS_FRAME_MAX);
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
        host_fault(
            report, file->path, 8, no_type,
            "the file is big-endian, as from a PowerPC machine; convert makes a little-endian one");
    check_type(file);
    check_number(file);
    if (is_info_file(file) && file->size > BPHYS_HEADER_BYTES &&
        !(file->header.streams & POINT_BIT(POINT_TIMES)))
        host_fault(report, file->path, 16, "Blender gets no births and deaths from it",
                   "data_types of the info file is 0x%02x, which has no times",
                   file->header.streams);
    if (!is_info_file(file) &&
        !(file->header.type >= POINT_SMOKE && file->header.type <= POINT_DYNAMIC_PAINT))
        check_streams(file);
    return true;
}

/* ---- body */

/* Turns the errors of the body's reader into faults. */
typedef struct body_listener {
    host_listener listener;
    const file_check *file;
    const bphys_reader *reader;
} body_listener;

static void take_body_fault(host_listener *listener, host_kind kind, const char *path,
                            uint64_t offset, const char *text)
{
    static const char *const effects[BPHYS_PARTS] = {
        [BPHYS_IN_RECORDS] = repeats,
        [BPHYS_IN_BLOCK] = zeros,
        [BPHYS_BEFORE_EXTRA] = "Blender reads no extra data",
        [BPHYS_IN_EXTRA] = "Blender ignores the extra data",
        [BPHYS_IN_EXTRA_TYPE] = "Blender reads outside of its tables and may crash",
        [BPHYS_IN_CLAIM] = "convert refuses it"};
    const body_listener *body = (const body_listener *)listener;
    host_report *report = body->file->sequence->report;
    if (kind == HOST_KIND_ERROR)
        host_fault(report, path, offset, effects[body->reader->part], "%s", text);
    else if (kind == HOST_KIND_OUT_OF_MEMORY)
        host_report_out_of_memory(report, path, offset, text);
}

static void check_leftover(const file_check *file)
{
    if (file->at < file->size)
        host_fault(file->sequence->report, file->path, file->at, ignores,
                   "%zu byte%s left over at the end", file->size - file->at,
                   file->size - file->at == 1 ? "" : "s");
}

/* Sets the file offsets of the elements. In compressed blocks they are not known. */
static void take_layout(file_check *file, const bphys_reader *r, const bphys_body *body)
{
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        const bphys_block *block = &body->blocks[s];
        bool is_stored = block->code == BPHYS_STORED;
        if (!(r->header.streams & POINT_BIT(s))) continue;
        file->layout.first[s] = block->at;
        file->layout.stride[s] = body->stride ? body->stride : is_stored ? block->item_size : 0;
    }
    const bphys_block *springs = &body->extra[EXTRA_SPRINGS];
    file->springs = springs->items && springs->code == BPHYS_STORED ? springs->at : 0;
    file->at = r->at;
}

static void check_extra_records(const file_check *file, const bphys_body *body)
{
    host_report *report = file->sequence->report;
    if (body->untyped_at)
        host_fault(report, file->path, body->untyped_at, ignores,
                   "extra data has type 0, expected 1 (springs) or 2 (cloth acceleration)");
    if (body->empty_at)
        host_fault(report, file->path, body->empty_at, ignores, "extra data with 0 elements");
    if (body->repeated_at)
        host_fault(report, file->path, body->repeated_at, "Blender uses the last one",
                   "extra data of type %u occurs a second time", word_at(file, body->repeated_at));
}

/* Checks the body and loads its points, to be freed by the caller. False when the body is
   damaged. */
static bool check_body(file_check *file, host_frame *frame)
{
    bphys_body body;
    host_fault_listener of_blocks;
    bphys_reader r = {.file = file->path,
                      .bytes = file->bytes,
                      .size = file->size,
                      .at = BPHYS_HEADER_BYTES,
                      .backing = is_info_file(file) ? file->sequence->bytes : 0,
                      .header = file->header};
    body_listener of_body = {{.take = take_body_fault}, file, &r};
    host_listen_begin(&of_body.listener);
    int code = bphys_take_body(&r, &body);
    host_listen_end();
    file->sequence->packings |= r.packings;
    check_extra_records(file, &body);
    if (code) return false;
    take_layout(file, &r, &body);
    check_leftover(file);
    host_faults_begin(&of_blocks, file->sequence->report, zeros);
    code = bphys_load_body(&r, &body, frame);
    host_listen_end();
    bphys_reader_end(&r);
    if (code) host_frame_free(frame);
    return !code;
}

/* ---- points */

static uint64_t index_offset(const file_check *file, uint32_t i)
{
    return file->layout.first[POINT_INDEX] + (uint64_t)i * file->layout.stride[POINT_INDEX];
}

static void check_padding(file_check *file, host_frame *frame)
{
    uint32_t padding = bphys_padding(frame);
    if (!padding) return;
    frame->count -= padding;
    host_fault(file->sequence->report, file->path, index_offset(file, frame->count),
               "Blender moves point 0 to the origin", "the last %u record%s all zero", padding,
               padding == 1 ? " is" : "s are");
}

/* Reports one fault per kind, with the first place it occurs. Does not change the indices. */
static void check_indices(file_check *file, const host_frame *frame)
{
    host_report *report = file->sequence->report;
    const uint32_t *indices = frame->data[POINT_INDEX];
    uint32_t unordered = 0, repeated = 0, negative = 0, surplus = 0;
    /* backwards, so that the first of each kind remains */
    for (uint32_t i = frame->count; i-- > 0;) {
        if (i && indices[i] < indices[i - 1]) unordered = i;
        if (i && indices[i] == indices[i - 1]) repeated = i;
        if (indices[i] > INT32_MAX) negative = i + 1;
        if (file->sequence->has_info && indices[i] >= file->sequence->info_count &&
            indices[i] <= INT32_MAX)
            surplus = i + 1;
    }
    if (unordered)
        host_fault(report, file->path, index_offset(file, unordered),
                   "Blender does not find some of the points",
                   "index %u comes after %u, expected ascending indices", indices[unordered],
                   indices[unordered - 1]);
    if (repeated)
        host_fault(report, file->path, index_offset(file, repeated),
                   "one of the two records is lost", "index %u appears twice", indices[repeated]);
    if (negative)
        host_fault(report, file->path, index_offset(file, negative - 1),
                   "Blender writes outside of its memory and may crash", "index %u is too high",
                   indices[negative - 1]);
    if (surplus)
        host_fault(report, file->path, index_offset(file, surplus - 1), "Blender ignores the point",
                   "index %u, but the info file has %u points", indices[surplus - 1],
                   file->sequence->info_count);
}

/* Files contain points up to one step before their birth. The birth is that of the info file,
   unless the frame has TIMES. */
static void check_births(file_check *file, const host_frame *frame)
{
    const sequence_check *sequence = file->sequence;
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (frame->data[POINT_TIMES]) return; /* Blender uses these when it loads the frame */
    for (uint32_t i = 0; sequence->times && i < frame->count; i++) {
        if (indices[i] >= sequence->info_count) continue;
        double birth = (double)sequence->times[(size_t)indices[i] * 3];
        if (birth < (double)file->number + sequence->ahead + 1) continue;
        host_fault(sequence->report, file->path, index_offset(file, i),
                   "Blender does not show the point here",
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

/* A frame without points has no file. So a hole is a fault only if some point is present before and
   after it. */
static void check_hole(file_check *file, const host_frame *frame, const int32_t *numbers, size_t at)
{
    const sequence_check *sequence = file->sequence;
    if (!sequence->has_previous || !host_is_hole(numbers, at, sequence->step)) return;
    if (file->header.type == POINT_PARTICLES && !share_a_point(sequence, frame)) return;
    host_fault(sequence->report, file->path, HOST_NO_OFFSET,
               "Blender interpolates the frames between",
               "frame %d follows frame %d, and the usual step is %d: files are missing",
               (int)numbers[at], (int)numbers[at - 1], (int)sequence->step);
}

static void keep_indices(sequence_check *sequence, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    free(sequence->indices);
    sequence->indices = host_allocate(frame->count, sizeof *indices);
    if (!sequence->indices) sequence->report->code = host_out_of_memory("the points of a frame");
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
    bool reported_length = false, reported_flag = false;
    for (uint32_t i = 0; i < springs->count; i++) {
        float length;
        uint32_t words[4];
        uint64_t offset = file->springs ? file->springs + (uint64_t)i * 16 : HOST_NO_OFFSET;
        memcpy(words, springs->bytes + (size_t)i * 16, sizeof words);
        memcpy(&length, words, sizeof length);
        if (!reported_length && !(length >= 0 && length <= 3.4e38f)) {
            host_fault(report, file->path, offset, "Blender tears the fluid apart",
                       "spring %u has rest length %g", i, (double)length);
            reported_length = true;
        }
        if (!reported_flag && words[3] > 1) {
            host_fault(report, file->path, file->springs ? offset + 12 : offset,
                       "Blender deletes the spring",
                       "spring %u has the deletion flag %u, expected 0 or 1", i, words[3]);
            reported_flag = true;
        }
        for (uint32_t end = 1; end <= 2; end++) {
            if (far->is_there && words[end] <= far->point) continue;
            *far = (spring_end){words[end], i, file->springs ? offset + 4 * end : HOST_NO_OFFSET,
                                true};
        }
    }
}

static void check_extra_values(file_check *file, const host_frame *frame, spring_end *far)
{
    host_report *report = file->sequence->report;
    const host_extra *accelerations = &frame->extra[EXTRA_ACCELERATION];
    check_springs(file, frame, far);
    if (frame->extra[EXTRA_SPRINGS].count && file->header.type != POINT_PARTICLES)
        host_fault(report, file->path, HOST_NO_OFFSET, ignores,
                   "a %s has springs, which only particles have",
                   point_type_name(file->header.type));
    if (accelerations->count && file->header.type != POINT_CLOTH)
        host_fault(report, file->path, HOST_NO_OFFSET, ignores,
                   "%s have an average acceleration, which only cloth has",
                   point_type_name(file->header.type));
    else if (accelerations->count > 1)
        host_fault(report, file->path, HOST_NO_OFFSET, "Blender takes the first",
                   "%u average accelerations, expected one", accelerations->count);
}

/* ---- one file */

static void take_info(file_check *file, const host_frame *frame)
{
    sequence_check *sequence = file->sequence;
    sequence->has_info = true;
    sequence->info_count = file->header.count;
    if (!frame || !frame->data[POINT_TIMES]) return;
    sequence->times = host_allocate(sequence->info_count, 3 * sizeof *sequence->times);
    if (!sequence->times)
        sequence->report->code = host_out_of_memory("birth and death of the points");
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

/* Painted surfaces and smoke: reports the errors of their readers. */
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
    if (!check_header(file)) return;
    if (file->header.type == POINT_DYNAMIC_PAINT) {
        bool has_version = file->size >= 24 && memcmp(file->bytes + 20, "1.01", 4) == 0;
        bool is_refused = file->header.count > bphys_claim_max(file->size);
        check_by_reading(file, !has_version ? no_type : is_refused ? "convert refuses it" : zeros);
    }
    if (is_smoke(file)) check_by_reading(file, no_grids);
    if (is_smoke(file) || file->header.type == POINT_DYNAMIC_PAINT) return;
    /* it gives the number of points only */
    if (is_info_file(file) && file->size == BPHYS_HEADER_BYTES) {
        take_info(file, NULL);
        return;
    }
    if (!check_body(file, &frame)) return;
    frame.number = file->number;
    check_points(file, &frame, numbers, at, far);
    host_frame_free(&frame);
}

static void check_file(sequence_check *sequence, const char *path, const int32_t *numbers,
                       size_t at, spring_end *far)
{
    uint8_t *bytes;
    host_fault_listener listener;
    file_check file = {.sequence = sequence, .path = path, .number = numbers[at]};
    sequence->report->files++;
    host_faults_begin(&listener, sequence->report, never_found);
    int code = host_read_file(path, &bytes, &file.size);
    host_listen_end();
    file.bytes = bytes;
    if (code) /* memory shortage outranks other errors */
        sequence->report->code = code > sequence->report->code ? code : sequence->report->code;
    else
        check_bytes(&file, numbers, at, far);
    free(bytes);
}

/* ---- a sequence */

static void check_spring_ends(const sequence_check *sequence, char *const *paths,
                              const spring_end *ends, size_t count)
{
    uint32_t points = sequence->has_info ? sequence->info_count : sequence->index_end;
    /* One frame alone does not tell how many points there are */
    if (!sequence->has_info && count < 2) return;
    for (size_t i = 0; i < count; i++)
        if (ends[i].is_there && ends[i].point >= points)
            host_fault(sequence->report, paths[i], ends[i].offset,
                       "Blender reads outside of its memory and may crash",
                       "spring %u ends at point %u, but there are points 0 to %u only",
                       ends[i].spring, ends[i].point, points ? points - 1 : 0);
}

static void check_packings(const sequence_check *sequence, const char *path)
{
    bool old = sequence->packings & (1u << 1 | 1u << 2),
         late = sequence->packings & (1u << 3 | 1u << 4 | 1u << 8);
    if (old && late)
        host_fault(
            sequence->report, path, HOST_NO_OFFSET, "no Blender version reads all of them",
            "blocks of LZO or LZMA (Blender up to 4.5) and of zstd (from 5.0 on) in one sequence");
}

/* Blender keeps a bake in a folder blendcache_FILE beside its file, and knows its emitter. */
static bool is_own_bake(const char *path)
{
    const char *file = strrchr(path, '/'), *folder = file;
    while (folder && folder > path && folder[-1] != '/') folder--;
    return file && strncmp(folder, "blendcache_", 11) == 0;
}

static void note_no_info(const sequence_check *sequence, const char *path)
{
    bool is_particles = sequence->has_first && sequence->first.type == POINT_PARTICLES;
    if (!sequence->report->notes_info || sequence->has_info || !sequence->is_named ||
        !is_particles || is_own_bake(path))
        return;
    host_note(path, HOST_NO_OFFSET,
              "no info file (frame 0): as an external cache, Blender takes births and deaths from "
              "its emitter; convert writes one");
}

static int check_sequence(host_report *report, char *const *paths, const int32_t *numbers,
                          size_t count, bool is_named)
{
    sequence_check sequence = {.report = report, .is_named = is_named};
    spring_end *ends = host_allocate(count, sizeof *ends);
    if (!ends) return host_out_of_memory("a sequence");
    size_t first = count && is_named && numbers[0] == 0; /* the info file is not a frame */
    sequence.step = host_common_step(numbers + first, count - first);
    sequence.ahead = bphys_presence_step(numbers + first, count - first);
    if (!sequence.step || !sequence.ahead) {
        free(ends);
        return HOST_OUT_OF_MEMORY;
    }
    report->sequences++;
    for (size_t i = 0; i < count; i++) sequence.bytes += bphys_path_bytes(paths[i]);
    for (size_t i = 0; i < count; i++) {
        bool in_frames = i >= first;
        check_file(&sequence, paths[i], in_frames ? numbers + first : numbers,
                   in_frames ? i - first : i, &ends[i]);
    }
    check_spring_ends(&sequence, paths, ends, count);
    if (count) check_packings(&sequence, paths[0]);
    if (count && !first) note_no_info(&sequence, paths[0]);
    free(ends);
    free(sequence.times);
    free(sequence.indices);
    return HOST_DONE;
}

static int check_entries(host_report *report, const char *folder, const names_entry *entries,
                         size_t count)
{
    char **paths = host_allocate(count, sizeof *paths);
    int32_t *numbers = host_allocate(count, sizeof *numbers);
    int code = paths && numbers ? HOST_DONE : host_out_of_memory("a sequence");
    for (size_t i = 0; !code && i < count; i++) {
        numbers[i] = (int32_t)entries[i].number;
        paths[i] = host_text("%s/%s", folder, entries[i].file);
        if (!paths[i]) code = host_out_of_memory("a path");
    }
    if (!code) code = check_sequence(report, paths, numbers, count, true);
    for (size_t i = 0; paths && i < count; i++) free(paths[i]);
    free(paths);
    free(numbers);
    return code;
}

/* ---- a folder */

typedef struct names_check {
    host_report *report;
    const char *folder, *wanted; /* base name; NULL: any */
} names_check;

/* Reports files whose name is almost that of a frame, and notes unfinished conversions. */
static int check_name(void *context, const char *name)
{
    bphys_name parsed;
    const names_check *check = context;
    const char *folder = check->folder, *wanted = check->wanted;
    const char *ending = strstr(name, ".bphys"), *partial = strstr(name, ".partial");
    if (name[0] == '.' && partial && !partial[8])
        host_note(folder, HOST_NO_OFFSET,
                  "%s belongs to a conversion that is running or was killed; if killed, remove it",
                  name);
    size_t length = wanted ? strlen(wanted) : 0;
    bool is_ours = !wanted || (strncmp(name, wanted, length) == 0 && name[length] == '_');
    if (!ending || !is_ours || name[0] == '.' || bphys_parse_name(name, &parsed)) return HOST_DONE;
    char *path = host_text("%s/%s", folder, name),
         *head = host_text("%.*s.bphys", (int)(ending - name), name);
    bool looks_right = ending[6] && head && bphys_parse_name(head, &parsed);
    if (path && looks_right)
        host_fault(check->report, path, HOST_NO_OFFSET,
                   "Blender counts it as a frame that does not exist",
                   "the name continues after .bphys, where Blender does not look");
    else if (path)
        host_fault(
            check->report, path, HOST_NO_OFFSET, never_found,
            "the name is not NAME_FFFFFF_II.bphys with six digits of frame and two of cache index");
    free(path);
    free(head);
    return HOST_DONE;
}

/* Checks every sequence that matches the pattern; *found counts them. */
static int check_fitting(host_report *report, const bphys_pattern *pattern, const names_list *list,
                         bool by_object, size_t *found)
{
    int code = HOST_DONE;
    for (size_t i = 0, end; !code && i < list->count; i = end) {
        end = names_end(list, i);
        if (!bphys_fits(&list->entries[i], pattern, by_object)) continue;
        ++*found;
        code = check_entries(report, pattern->folder, list->entries + i, end - i);
    }
    return code;
}

static int check_place(host_report *report, const char *path, const bphys_pattern *pattern)
{
    names_list list;
    size_t found = 0;
    names_check names = {report, pattern->folder, pattern->name};
    int code = names_each(pattern->folder, pattern->folder, check_name, &names);
    if (!code) code = names_scan(&list, pattern->folder, pattern->folder, bphys_rule, NULL);
    if (code) return code;
    code = check_fitting(report, pattern, &list, false, &found);
    if (!code && !found) code = check_fitting(report, pattern, &list, true, &found);
    if (!code && !found) code = bphys_not_found(path, &list);
    names_free(&list);
    return code;
}

int bphys_verify(host_report *report, const char *path)
{
    struct stat status;
    bphys_pattern pattern;
    bphys_name parsed;
    const char *slash = strrchr(path, '/');
    bool exists = stat(path, &status) == 0, is_folder = exists && S_ISDIR(status.st_mode);
    if (exists && !is_folder && !bphys_parse_name(slash ? slash + 1 : path, &parsed)) {
        char *copy = host_text("%s", path);
        int32_t number = 1;
        int code =
            copy ? check_sequence(report, &copy, &number, 1, false) : host_out_of_memory("a path");
        free(copy);
        return code;
    }
    if (!bphys_pattern_parse(path, &pattern)) return host_out_of_memory("a path");
    if (is_folder) {
        bphys_pattern_free(&pattern);
        pattern.folder = host_text("%s", path);
    }
    int code = pattern.folder ? check_place(report, path, &pattern) : host_out_of_memory("a path");
    bphys_pattern_free(&pattern);
    return code;
}
