/* SPDX-License-Identifier: MIT
   host_tools/formats/usda.c - reads the points of a .usda file: of one prim Points, or the vertices
           of one Mesh.
   reads   .usda                           writes  host_frame
   memory  32 bytes per sample; the text of one array    cost    O(bytes)
   after   see usda.h */
#include "usdc.h"
#include "../common/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the magnitude of a frame number; the rate of files that state none. */
#define FRAME_MAX   1e9
#define DEFAULT_FPS 24.0

typedef struct usda_file {
    host_source source;
    bool is_binary;
    uint32_t version; /* of a binary file */
    usda_scan scan;
    const usda_series *series; /* of the prim that is read: USDA_ATTRIBUTES */
} usda_file;

bool usda_recognises(const uint8_t *start, size_t size)
{
    return size >= 5 && memcmp(start, "#usda", 5) == 0;
}

static int check_head(usda_file *file)
{
    uint8_t start[8];
    size_t size;
    const char *path = file->source.path;
    int code = host_source_read(&file->source, 0, start, sizeof start, &size);
    if (code) return code;
    file->is_binary = usdc_recognises(start, size);
    if (file->is_binary && file->source.packing)
        return host_error(HOST_BAD_INPUT, path, 0, "binary files of USD are not packed; unpack it");
    if (file->is_binary) return HOST_DONE;
    if (usda_recognises(start, size)) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, 0,
                      "expected #usda or " USDC_MAGIC ", with which a file of USD begins");
}

/* ---- the prim */

static int describe_several(const usda_file *file, uint32_t kind)
{
    return host_error(
        HOST_BAD_INPUT, file->source.path, HOST_NO_OFFSET,
        "holds %u prims of type %s, the first one \"%s\", expected one; export each to "
        "a file of its own",
        file->scan.counts[kind], kind == USDA_OF_MESH ? "Mesh" : "Points",
        file->scan.prims[file->scan.found[kind]].name);
}

/* The only prim of points, or else the only mesh; no prim above it may move it. */
static int choose_prim(host_sequence *sequence)
{
    usda_file *file = sequence->state;
    const usda_scan *scan = &file->scan;
    const uint32_t kind = scan->counts[USDA_OF_POINTS] ? USDA_OF_POINTS : USDA_OF_MESH;
    if (!scan->counts[kind])
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "holds no prim of type Points and no Mesh");
    if (scan->counts[kind] > 1) return describe_several(file, kind);
    for (size_t i = scan->found[kind]; i; i = scan->prims[i].parent)
        if (scan->prims[i].moved)
            return host_error(HOST_BAD_INPUT, sequence->path, scan->prims[i].moved,
                              "the prim \"%s\" has a transform, which is not read; apply the "
                              "transforms to the points before the export",
                              scan->prims[i].name);
    if (kind == USDA_OF_POINTS && scan->counts[USDA_OF_MESH])
        host_note(sequence->path, HOST_NO_OFFSET, "%u mesh%s beside the points skipped",
                  scan->counts[USDA_OF_MESH], scan->counts[USDA_OF_MESH] > 1 ? "es" : "");
    file->series = scan->series[kind];
    sequence->has_faces = kind == USDA_OF_MESH;
    sequence->type = sequence->has_faces ? POINT_CLOTH : POINT_PARTICLES;
    if (file->series[USDA_POINTS].count) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                      "the prim \"%s\" has no attribute \"points\"",
                      scan->prims[scan->found[kind]].name);
}

/* ---- frames: the time codes of the points */

static int list_frames(host_sequence *sequence)
{
    const usda_file *file = sequence->state;
    const usda_series *points = &file->series[USDA_POINTS];
    size_t count = 0;
    sequence->numbers = host_allocate(points->count, sizeof *sequence->numbers);
    if (!sequence->numbers) return host_out_of_memory("the list of frames");
    for (size_t i = 0; i < points->count; i++) {
        const double at = points->has_times ? points->values[i].time : 1;
        if (fabs(at) > FRAME_MAX)
            return host_error(HOST_BAD_INPUT, sequence->path, points->values[i].at,
                              "a sample lies at frame %g, expected -1e9 to 1e9", at);
        if (at == floor(at)) sequence->numbers[count++] = (int32_t)at;
    }
    sequence->frame_count = count;
    if (!count)
        return host_error(HOST_BAD_INPUT, sequence->path, points->values[0].at,
                          "no sample lies at a whole time code");
    if (count < points->count)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "%zu of %zu samples lie between whole time codes and are skipped",
                  points->count - count, points->count);
    return HOST_DONE;
}

/* The latest sample at or before a time, or the first one. NULL: no sample. O(log samples) */
static const usda_value *value_at(const usda_series *series, double time)
{
    size_t low = 0, high = series->count;
    if (!high) return NULL;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (series->values[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return &series->values[low];
}

/* ---- arrays of a frame */

typedef struct frame_parts {
    uint32_t count, streams;
    const usda_value *values[USDA_ATTRIBUTES]; /* NULL: none */
} frame_parts;

/* An array has an item per point, one for all points, or none. */
static int find_parts(const usda_file *file, double time, frame_parts *parts)
{
    *parts = (frame_parts){.streams = 0};
    parts->values[USDA_POINTS] = value_at(&file->series[USDA_POINTS], time);
    if (parts->values[USDA_POINTS]->count > INT32_MAX)
        return host_error(HOST_BAD_INPUT, file->source.path, parts->values[USDA_POINTS]->at,
                          "there are more than 2147483647 points");
    parts->count = (uint32_t)parts->values[USDA_POINTS]->count;
    for (uint32_t a = 0; a < USDA_ATTRIBUTES; a++) {
        const usda_value *value = value_at(&file->series[a], time);
        if (!value || (!value->count && parts->count)) continue;
        parts->values[a] = value;
        parts->streams |= POINT_BIT(usda_attributes[a].stream);
        bool fits = value->count == parts->count || (value->count == 1 && a != USDA_IDS);
        if (parts->count && !fits)
            return host_error(HOST_BAD_INPUT, file->source.path, value->at,
                              "%s at %.10g has %llu items, which do not fit %u points",
                              usda_attributes[a].name, time, (unsigned long long)value->count,
                              parts->count);
    }
    for (uint32_t a = USDA_BIRTH; a < USDA_ATTRIBUTES; a++) /* all three, or none */
        if (!parts->values[a]) parts->streams &= ~POINT_BIT(POINT_TIMES);
    return HOST_DONE;
}

/* ---- the text of an array */

typedef struct array_text {
    const usda_file *file;
    char *bytes;
    uint64_t at, size, file_at;
} array_text;

static int faulty(const array_text *from, const char *wanted)
{
    char found[2] = {from->at < from->size ? from->bytes[from->at] : ' ', 0};
    return host_error(HOST_BAD_INPUT, from->file->source.path, from->file_at + from->at,
                      "expected %s, found \"%s\"", wanted, found);
}

/* Passes blanks, comments, and one mark; 0: none. */
static int pass(array_text *from, char mark)
{
    const char *bytes = from->bytes;
    for (;;) {
        const char letter = bytes[from->at];
        if (letter == '#')
            while (bytes[from->at] && bytes[from->at] != '\n') from->at++;
        else if (letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r')
            from->at++;
        else
            break;
    }
    if (!mark) return HOST_DONE;
    const char wanted[] = {mark, 0};
    if (bytes[from->at] != mark) return faulty(from, wanted);
    from->at++;
    return HOST_DONE;
}

static bool is_of_number(char letter)
{
    return host_is_digit(letter) || letter == '.' || letter == '-' || letter == '+' ||
           (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/* The number at the cursor as a word of its own, which ends in a zero byte. */
static int pass_number(array_text *from, char word[64])
{
    size_t length = 0;
    int code = pass(from, 0);
    while (length < 63 && is_of_number(from->bytes[from->at + length])) length++;
    memcpy(word, from->bytes + from->at, length);
    word[length] = 0;
    return code || length ? code : faulty(from, "a number");
}

static int take_f32(array_text *from, float *value)
{
    char word[64];
    int code = pass_number(from, word);
    if (code) return code;
    const char *wanted = text_read_f32((text_word){word, strlen(word)}, value);
    if (wanted)
        return host_error(HOST_BAD_INPUT, from->file->source.path, from->file_at + from->at,
                          "\"%s\" is not %s", word, wanted);
    from->at += strlen(word);
    return HOST_DONE;
}

static int take_id(array_text *from, uint32_t *value)
{
    char word[64];
    int code = pass_number(from, word);
    if (code) return code;
    if (!text_parse_u32((text_word){word, strlen(word)}, value))
        return host_error(HOST_BAD_INPUT, from->file->source.path, from->file_at + from->at,
                          "the number of a point is \"%s\", expected 0 to 4294967295", word);
    from->at += strlen(word);
    return HOST_DONE;
}

/* The floats of one item: a number, or (a, b, c). */
static int take_item(array_text *from, uint32_t components, float *to)
{
    int code = components > 1 ? pass(from, '(') : HOST_DONE;
    for (uint32_t k = 0; k < components && !code; k++) {
        if (k) code = pass(from, ',');
        if (!code) code = take_f32(from, &to[k]);
    }
    if (!code) code = pass(from, 0);
    return code || components == 1 ? code : pass(from, ')');
}

static int open_text(usda_file *file, const usda_value *value, array_text *to)
{
    *to = (array_text){file, NULL, 0, value->end - value->at, value->at};
    to->bytes = host_allocate((size_t)to->size + 1, 1);
    if (!to->bytes) return host_out_of_memory("a frame");
    return host_source_read_all(&file->source, value->at, to->bytes, (size_t)to->size, "an array");
}

/* load_items of a binary file. */
static int load_binary_items(usda_file *file, const usda_value *value, uint32_t attribute,
                             host_frame *frame)
{
    const usda_attribute *row = &usda_attributes[attribute];
    if (attribute == USDA_IDS)
        return usdc_array_ids(&file->source, file->version, value, frame->data[POINT_INDEX]);
    const uint32_t stride = point_streams[row->stream].floats, components = row->components;
    float *items = host_allocate((size_t)value->count, components * sizeof *items),
          *to = (float *)frame->data[row->stream] + row->first;
    if (!items) return host_out_of_memory("a frame");
    int code = usdc_array_floats(&file->source, file->version, value, components, items);
    for (size_t i = 0; i < frame->count && !code; i++) {
        const float *item = items + (value->count == 1 ? 0 : i * components);
        for (uint32_t k = 0; k < components; k++)
            to[i * stride + k] = attribute == USDA_WIDTHS ? item[k] / 2 : item[k];
    }
    free(items);
    return code;
}

/* Reads the items of an array into a stream; one item is for all points. */
static int load_items(usda_file *file, const usda_value *value, uint32_t attribute,
                      host_frame *frame)
{
    array_text from;
    const usda_attribute *row = &usda_attributes[attribute];
    const uint32_t stride = row->stream == POINT_INDEX ? 1 : point_streams[row->stream].floats;
    if (file->is_binary) return load_binary_items(file, value, attribute, frame);
    int code = open_text(file, value, &from);
    if (!code) code = pass(&from, '[');
    for (uint32_t i = 0; i < frame->count && !code; i++) {
        float *to = (float *)frame->data[row->stream] + (size_t)i * stride + row->first;
        if (i && value->count == 1) {
            memcpy(to, to - stride, row->components * sizeof *to);
            continue;
        }
        if (i) code = pass(&from, ',');
        if (!code && attribute == USDA_IDS)
            code = take_id(&from, (uint32_t *)frame->data[POINT_INDEX] + i);
        else if (!code)
            code = take_item(&from, row->components, to);
        if (!code && attribute == USDA_WIDTHS) *to /= 2;
    }
    free(from.bytes);
    return code;
}

static int order_points(const usda_file *file, const usda_value *ids, host_frame *frame)
{
    const uint32_t count = frame->count;
    if (!host_frame_order(frame)) return host_out_of_memory("a frame");
    if (frame->count == count) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, file->source.path, ids->at,
                      "%u of %u points repeat the number of another point", count - frame->count,
                      count);
}

int usda_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    usda_file *file = sequence->state;
    frame_parts parts;
    const double time = file->series[USDA_POINTS].has_times ? sequence->numbers[position] : 0;
    int code = find_parts(file, time, &parts);
    if (code) return code;
    if (!host_frame_allocate(frame, parts.count, parts.streams))
        return host_out_of_memory("a frame");
    frame->number = sequence->numbers[position];
    for (uint32_t i = 0; i < frame->count; i++) ((uint32_t *)frame->data[POINT_INDEX])[i] = i;
    for (uint32_t a = 0; a < USDA_ATTRIBUTES && !code; a++)
        if (parts.values[a] && frame->count &&
            (parts.streams & POINT_BIT(usda_attributes[a].stream)))
            code = load_items(file, parts.values[a], a, frame);
    if (!code && parts.values[USDA_IDS]) code = order_points(file, parts.values[USDA_IDS], frame);
    if (code) host_frame_free(frame);
    return code;
}

/* ---- opening */

/* Every number is read once, so that convert knows of a fault before it writes. */
static int learn_frames(host_sequence *sequence)
{
    int code = HOST_DONE;
    uint32_t first = 0;
    for (size_t i = 0; i < sequence->frame_count && !code; i++) {
        host_frame frame = {0};
        code = usda_load(sequence, i, &frame);
        if (code) break;
        sequence->streams |= frame.streams;
        sequence->record_count += frame.count;
        if (!i) first = frame.count;
        if (frame.count != first) sequence->type = POINT_PARTICLES; /* no cloth */
        if (frame.count) host_sequence_note_points(sequence, &frame);
        host_frame_free(&frame);
    }
    return code;
}

int usda_open(host_sequence *sequence, const char *path)
{
    usda_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory("a file of frames");
    sequence->state = file;
    int code = host_source_open(&file->source, path);
    if (!code) code = host_sequence_take_names(sequence, path);
    if (!code) code = check_head(file);
    if (!code && file->source.packing) {
        sequence->compression = file->source.packing;
        code = host_source_size(&file->source, UINT64_MAX, &sequence->text_bytes);
    }
    if (!code)
        code = file->is_binary ? usdc_scan_file(&file->source, &file->scan, &file->version)
                               : usda_scan_file(&file->source, &file->scan);
    if (!code) code = choose_prim(sequence);
    if (!code) code = list_frames(sequence);
    sequence->byte_count = file->source.file_bytes;
    sequence->fps = file->scan.per_second > 0 ? file->scan.per_second : DEFAULT_FPS;
    sequence->up_axis = file->scan.is_z_up ? 'z' : 'y';
    if (!code && file->scan.meters > 0 && file->scan.meters != 1)
        host_note(path, HOST_NO_OFFSET, "metersPerUnit is %.9g: --scale %.9g makes lengths metres",
                  file->scan.meters, file->scan.meters);
    return code ? code : learn_frames(sequence);
}

void usda_close(host_sequence *sequence)
{
    usda_file *file = sequence->state;
    if (!file) return;
    usda_scan_free(&file->scan);
    host_source_close(&file->source);
    free(file);
    sequence->state = NULL;
}
