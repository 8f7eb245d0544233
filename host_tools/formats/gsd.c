/* SPDX-License-Identifier: MIT
   host_tools/formats/gsd.c - reads GSD files: the index when it opens, arrays on demand.
   reads   .gsd                            writes  host_frame
   memory  32 bytes per array; one frame   cost    O(arrays) to open, O(points) per frame
   after   see gsd.h; an array that a frame lacks is that of the first frame, if both have the same
           number of points */
#include "gsd.h"
#include "../common/source.h"
#include "bytes.h"
#include <stdlib.h>

const gsd_array gsd_arrays[GSD_ARRAYS] = {
    [GSD_STEP] = {"configuration/step", POINT_STREAMS, GSD_U64, 1},
    [GSD_BOX] = {"configuration/box", POINT_STREAMS, GSD_F32, 1},
    [GSD_COUNT] = {"particles/N", POINT_STREAMS, GSD_U32, 1},
    [GSD_POSITION] = {"particles/position", POINT_LOCATION, GSD_F32, 3},
    [GSD_VELOCITY] = {"particles/velocity", POINT_VELOCITY, GSD_F32, 3},
    [GSD_ORIENTATION] = {"particles/orientation", POINT_ROTATION, GSD_F32, 4},
    [GSD_DIAMETER] = {"particles/diameter", POINT_SIZE, GSD_F32, 1},
    [GSD_INDEX] = {"log/particles/index", POINT_INDEX, GSD_U32, 1},
    [GSD_AVELOCITY] = {"log/particles/avelocity", POINT_ANGULAR, GSD_F32, 3},
    [GSD_TIMES] = {"log/particles/times", POINT_TIMES, GSD_F32, 3},
};

static const uint32_t type_bytes[GSD_TYPES] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

enum { NAMES_MAX = 65535, NAMED_MAX = 8 };

typedef struct gsd_file {
    host_source source;
    gsd_entry *entries; /* by frame */
    size_t entry_count;
    uint32_t ids[GSD_ARRAYS]; /* of the names; NAMES_MAX: the file has no such array */
    uint32_t name_count;
} gsd_file;

bool gsd_recognises(const uint8_t *start, size_t size)
{
    return size >= 8 && bytes_load(start, 8, false) == GSD_MAGIC;
}

static int read_exactly(gsd_file *file, uint64_t at, void *bytes, uint64_t size)
{
    return host_source_read_all(&file->source, at, bytes, (size_t)size,
                                "its header, its index or an array");
}

/* Reads a block of `count` items, whose bytes must lie in the file. NULL with an error printed. */
static uint8_t *read_block(gsd_file *file, uint64_t at, uint64_t count, uint32_t item_bytes,
                           int *code)
{
    uint64_t room = file->source.file_bytes > at ? file->source.file_bytes - at : 0;
    uint8_t *bytes = NULL;
    if (count > room / item_bytes)
        *code = host_error(HOST_BAD_INPUT, file->source.path, file->source.file_bytes,
                           "%llu items of %u bytes begin at byte %llu, but the file ends before",
                           (unsigned long long)count, item_bytes, (unsigned long long)at);
    else if (!(bytes = host_allocate((size_t)count + 1, item_bytes)))
        *code = host_out_of_memory("the index of a file");
    else
        *code = read_exactly(file, at, bytes, count * item_bytes);
    if (!*code) return bytes;
    free(bytes);
    return NULL;
}

/* ---- names */

/* True for arrays of the schema that describe something else than the points: nothing is lost
   without them. */
static bool is_setting(const char *name) { return strncmp(name, "configuration/", 14) == 0; }

static void note_unread(host_sequence *sequence, const char *name, uint32_t *unread)
{
    char text[GSD_NAME_BYTES + 40];
    for (uint32_t a = 0; a < GSD_ARRAYS; a++)
        if (strcmp(gsd_arrays[a].name, name) == 0) return;
    if (is_setting(name) || ++*unread > NAMED_MAX) return;
    snprintf(text, sizeof text, "array \"%.60s\" is unknown and ignored", name);
    if (host_sequence_notes(sequence, text)) host_note(sequence->path, HOST_NO_OFFSET, "%s", text);
}

/* Names end with a zero byte each; in version 1 each has 64 bytes. `bytes` end with zeros. */
static void find_names(host_sequence *sequence, const uint8_t *bytes, uint64_t size, bool packed)
{
    gsd_file *file = sequence->state;
    uint32_t id = 0, unread = 0;
    for (uint32_t a = 0; a < GSD_ARRAYS; a++) file->ids[a] = NAMES_MAX;
    for (uint64_t at = 0; at < size && bytes[at] && id < NAMES_MAX; id++) {
        const char *name = (const char *)bytes + at;
        for (uint32_t a = 0; a < GSD_ARRAYS; a++)
            if (strcmp(gsd_arrays[a].name, name) == 0 && file->ids[a] == NAMES_MAX)
                file->ids[a] = id;
        note_unread(sequence, name, &unread);
        at += packed ? strlen(name) + 1 : GSD_NAME_BYTES;
    }
    if (unread > NAMED_MAX)
        host_note(sequence->path, HOST_NO_OFFSET, "unknown and ignored arrays besides these: %u",
                  unread - NAMED_MAX);
    file->name_count = id;
}

/* ---- the index */

static int check_entry(const gsd_file *file, uint64_t at, const gsd_entry *entry,
                       const gsd_entry *before)
{
    const char *path = file->source.path;
    if (entry->id >= file->name_count)
        return host_error(HOST_BAD_INPUT, path, at + 28,
                          "an array has the name %u, but the file has %u names", entry->id,
                          file->name_count);
    if (!entry->type || entry->type >= GSD_TYPES)
        return host_error(HOST_BAD_INPUT, path, at + 30,
                          "the type of an array is %u, expected 1 to %d", entry->type,
                          GSD_TYPES - 1);
    uint64_t row = (uint64_t)entry->columns * type_bytes[entry->type],
             room = entry->location < file->source.file_bytes
                        ? file->source.file_bytes - entry->location
                        : 0;
    if (row && entry->rows > room / row)
        return host_error(
            HOST_BAD_INPUT, path, at + 8,
            "an array of %llu rows of %llu bytes at byte %llu does not lie in the file",
            (unsigned long long)entry->rows, (unsigned long long)row,
            (unsigned long long)entry->location);
    if (before && entry->frame < before->frame)
        return host_error(HOST_BAD_INPUT, path, at, "frame %llu follows frame %llu in the index",
                          (unsigned long long)entry->frame, (unsigned long long)before->frame);
    return HOST_DONE;
}

static int take_entries(gsd_file *file, const uint8_t *bytes, uint64_t room, uint64_t location)
{
    int code = HOST_DONE;
    file->entries = host_allocate((size_t)room, sizeof *file->entries);
    if (!file->entries) return host_out_of_memory("the index of a file");
    for (uint64_t i = 0; i < room && !code; i++) {
        const uint8_t *at = bytes + i * GSD_ENTRY_BYTES;
        gsd_entry *entry = &file->entries[i];
        *entry = (gsd_entry){.frame = bytes_load(at, 8, false),
                             .rows = bytes_load(at + 8, 8, false),
                             .location = bytes_load(at + 16, 8, false),
                             .columns = (uint32_t)bytes_load(at + 24, 4, false),
                             .id = (uint16_t)bytes_load(at + 28, 2, false),
                             .type = at[30]};
        if (!entry->location) break;
        code = check_entry(file, location + i * GSD_ENTRY_BYTES, entry, i ? entry - 1 : NULL);
        file->entry_count++;
    }
    return code;
}

static int read_tables(host_sequence *sequence, const uint8_t *head)
{
    gsd_file *file = sequence->state;
    uint64_t names_at = bytes_load(head + GSD_AT_NAMES, 8, false),
             names_room = bytes_load(head + GSD_AT_NAMES_ROOM, 8, false),
             index_at = bytes_load(head + GSD_AT_INDEX, 8, false),
             index_room = bytes_load(head + GSD_AT_INDEX_ROOM, 8, false);
    int code = HOST_DONE;
    uint8_t *names = read_block(file, names_at, names_room, GSD_NAME_BYTES, &code), *index = NULL;
    if (!code)
        find_names(sequence, names, names_room * GSD_NAME_BYTES,
                   bytes_load(head + GSD_AT_VERSION, 4, false) >= 0x20000u);
    if (!code) index = read_block(file, index_at, index_room, GSD_ENTRY_BYTES, &code);
    if (!code) code = take_entries(file, index, index_room, index_at);
    free(names);
    free(index);
    return code;
}

static int read_head(host_sequence *sequence)
{
    gsd_file *file = sequence->state;
    uint8_t head[GSD_HEAD_BYTES];
    int code = read_exactly(file, 0, head, sizeof head);
    if (code) return code;
    uint32_t version = (uint32_t)bytes_load(head + GSD_AT_VERSION, 4, false);
    if (!gsd_recognises(head, sizeof head))
        return host_error(HOST_BAD_INPUT, sequence->path, 0,
                          "expected the eight bytes df 65 with which a .gsd file begins");
    if (version < 0x10000u || version >= 0x30000u)
        return host_error(HOST_BAD_INPUT, sequence->path, GSD_AT_VERSION,
                          "the file has version %u.%u, expected 1 or 2", version >> 16,
                          version & 0xffffu);
    if (memcmp(head + GSD_AT_SCHEMA, "hoomd", 6) != 0)
        return host_error(HOST_BAD_INPUT, sequence->path, GSD_AT_SCHEMA,
                          "the schema of the file is \"%.60s\", expected \"hoomd\"",
                          (const char *)head + GSD_AT_SCHEMA);
    return read_tables(sequence, head);
}

/* ---- arrays of a frame */

/* Position of the first entry of a frame, or of a later one. O(log arrays) */
static size_t first_entry(const gsd_file *file, uint64_t frame)
{
    size_t low = 0, high = file->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->entries[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const gsd_entry *own_array(const gsd_file *file, uint64_t frame, uint32_t array)
{
    for (size_t i = first_entry(file, frame);
         i < file->entry_count && file->entries[i].frame == frame; i++)
        if (file->entries[i].id == file->ids[array]) return &file->entries[i];
    return NULL;
}

/* Reads one number that belongs to a frame, or that of the first frame. */
static int read_number(gsd_file *file, uint64_t frame, uint32_t array, uint64_t most,
                       uint64_t *value)
{
    uint8_t bytes[8];
    const gsd_entry *entry = own_array(file, frame, array);
    if (!entry) entry = own_array(file, 0, array);
    *value = 0;
    if (!entry) return HOST_DONE;
    uint32_t size = type_bytes[entry->type];
    if (entry->rows != 1 || entry->columns != 1 ||
        (entry->type != GSD_U32 && entry->type != GSD_U64))
        return host_error(HOST_BAD_INPUT, file->source.path, entry->location,
                          "%s of frame %llu is not one number of 32 or 64 bits",
                          gsd_arrays[array].name, (unsigned long long)frame);
    int code = read_exactly(file, entry->location, bytes, size);
    if (!code) *value = bytes_load(bytes, size, false);
    if (!code && *value > most)
        return host_error(HOST_BAD_INPUT, file->source.path, entry->location,
                          "%s of frame %llu is %llu, at most %llu", gsd_arrays[array].name,
                          (unsigned long long)frame, (unsigned long long)*value,
                          (unsigned long long)most);
    return code;
}

/* An array of a frame with `count` points, or that of the first frame; *found is NULL if neither
   has it. */
static int find_array(gsd_file *file, uint64_t frame, uint32_t array, uint64_t count,
                      const gsd_entry **found)
{
    const gsd_entry *entry = own_array(file, frame, array), *first = own_array(file, 0, array);
    *found = entry ? entry : first && first->rows == count ? first : NULL;
    if (!*found || !count) return HOST_DONE;
    bool is_index = gsd_arrays[array].stream == POINT_INDEX;
    bool fits = is_index ? (*found)->type == GSD_U32
                         : (*found)->type == GSD_F32 || (*found)->type == GSD_F64;
    if (!fits || (*found)->rows != count || (*found)->columns != gsd_arrays[array].columns)
        return host_error(HOST_BAD_INPUT, file->source.path, (*found)->location,
                          "%s of frame %llu is no array of %llu rows with %u %s",
                          gsd_arrays[array].name, (unsigned long long)frame,
                          (unsigned long long)count, gsd_arrays[array].columns,
                          is_index ? "numbers of 32 bits" : "floats");
    return HOST_DONE;
}

/* The size of a point is half its diameter. */
static void take_numbers(uint32_t array, const gsd_entry *entry, const uint8_t *bytes, void *to)
{
    float *floats = to;
    uint32_t *words = to, size = type_bytes[entry->type];
    uint64_t count = entry->rows * entry->columns;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = bytes + i * size;
        if (array == GSD_INDEX)
            words[i] = (uint32_t)bytes_load(at, 4, false);
        else
            floats[i] = size == 8 ? (float)bytes_load_f64(at, false) : bytes_load_f32(at, false);
        if (array == GSD_DIAMETER) floats[i] /= 2;
    }
}

static int load_array(gsd_file *file, const gsd_entry *entry, uint32_t array, host_frame *frame)
{
    uint32_t stream = gsd_arrays[array].stream;
    uint64_t size = entry->rows * entry->columns * type_bytes[entry->type];
    uint8_t *bytes = malloc(size ? (size_t)size : 1);
    if (!bytes) return host_out_of_memory("a frame");
    int code = read_exactly(file, entry->location, bytes, size);
    if (!code) take_numbers(array, entry, bytes, frame->data[stream]);
    free(bytes);
    return code;
}

/* Finds the arrays of a frame, and the streams that they are. */
static int find_arrays(gsd_file *file, uint64_t frame, uint64_t *count,
                       const gsd_entry *found[GSD_ARRAYS], uint32_t *streams)
{
    int code = read_number(file, frame, GSD_COUNT, INT32_MAX, count);
    *streams = 0;
    for (uint32_t a = GSD_POSITION; a < GSD_ARRAYS && !code; a++) {
        code = find_array(file, frame, a, *count, &found[a]);
        if (!code && found[a]) *streams |= POINT_BIT(gsd_arrays[a].stream);
    }
    if (!code && *count && !found[GSD_POSITION])
        return host_error(HOST_BAD_INPUT, file->source.path, HOST_NO_OFFSET,
                          "frame %llu has %llu points, but no particles/position",
                          (unsigned long long)frame, (unsigned long long)*count);
    return code;
}

static int load_frame(gsd_file *file, uint64_t number, host_frame *frame)
{
    const gsd_entry *found[GSD_ARRAYS] = {0};
    uint64_t count = 0;
    uint32_t streams = 0;
    int code = find_arrays(file, number, &count, found, &streams);
    if (code) return code;
    if (!count) streams |= POINT_BIT(POINT_LOCATION);
    if (!host_frame_allocate(frame, (uint32_t)count, streams)) return host_out_of_memory("a frame");
    for (uint32_t i = 0; i < frame->count; i++) ((uint32_t *)frame->data[POINT_INDEX])[i] = i;
    for (uint32_t a = GSD_POSITION; a < GSD_ARRAYS && !code && count; a++)
        if (found[a]) code = load_array(file, found[a], a, frame);
    if (!code && found[GSD_INDEX] && !host_frame_order(frame)) code = host_out_of_memory("a frame");
    if (code) host_frame_free(frame);
    return code;
}

/* ---- frames */

/* Streams and points of a frame; with an array of indices the highest of them. */
static int learn_frame(host_sequence *sequence, uint64_t number)
{
    gsd_file *file = sequence->state;
    const gsd_entry *found[GSD_ARRAYS] = {0};
    uint64_t count = 0;
    uint32_t streams = 0;
    int code = find_arrays(file, number, &count, found, &streams);
    if (code) return code;
    sequence->streams |= streams;
    sequence->record_count += count;
    if (!found[GSD_INDEX] || !count) {
        if (count > sequence->point_count) sequence->point_count = (uint32_t)count;
        return HOST_DONE;
    }
    host_frame frame = {0};
    if (!host_frame_allocate(&frame, (uint32_t)count, 0)) return host_out_of_memory("a frame");
    code = load_array(file, found[GSD_INDEX], GSD_INDEX, &frame);
    if (!code && !host_frame_order(&frame)) code = host_out_of_memory("a frame");
    if (!code) host_sequence_note_points(sequence, &frame);
    host_frame_free(&frame);
    return code;
}

/* Every frame has an array of its own in sound files: its step. */
static int count_frames(host_sequence *sequence)
{
    const gsd_file *file = sequence->state;
    uint64_t frames = file->entry_count ? file->entries[file->entry_count - 1].frame + 1 : 0;
    if (frames > file->entry_count || frames > INT32_MAX || !frames)
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "the index has %llu frames of %llu arrays, expected at least one of each "
                          "and at most %d frames",
                          (unsigned long long)frames, (unsigned long long)file->entry_count,
                          INT32_MAX);
    sequence->frame_count = (size_t)frames;
    return HOST_DONE;
}

static int learn_frames(host_sequence *sequence)
{
    int64_t *steps = host_allocate(sequence->frame_count, sizeof *steps);
    int code = steps ? HOST_DONE : host_out_of_memory("the list of frames");
    for (size_t i = 0; i < sequence->frame_count && !code; i++) {
        uint64_t step = 0;
        code = learn_frame(sequence, i);
        if (!code) code = read_number(sequence->state, i, GSD_STEP, INT64_MAX, &step);
        steps[i] = (int64_t)step;
    }
    if (!code) code = host_sequence_number_steps(sequence, steps, 0);
    free(steps);
    return code;
}

int gsd_open(host_sequence *sequence, const char *path)
{
    gsd_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory("a file of frames");
    sequence->state = file;
    sequence->type = POINT_PARTICLES;
    int code = host_source_open_plain(&file->source, path);
    if (!code) code = host_sequence_take_names(sequence, path);
    if (!code) code = read_head(sequence);
    if (!code) code = count_frames(sequence);
    if (code) return code;
    sequence->byte_count = file->source.file_bytes;
    return learn_frames(sequence);
}

int gsd_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    int code = load_frame(sequence->state, position, frame);
    frame->number = sequence->numbers[position];
    return code;
}

void gsd_close(host_sequence *sequence)
{
    gsd_file *file = sequence->state;
    if (!file) return;
    host_source_close(&file->source);
    free(file->entries);
    free(file);
    sequence->state = NULL;
}
