/* SPDX-License-Identifier: MIT
   host_tools/formats/bgeo.c - binary points of Houdini. The classic geometry: header, dictionary of
           attributes, points.
   reads   bytes of one file               writes  bytes of one file
   memory  one frame                       cost    O(bytes)
   after   see houdini.h; big-endian; what follows the points (primitives, groups) is not read. Of
           Houdini 12 and later: hgeo.h */
#include "hgeo.h"
#include "bytes.h"
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 41, POSITION_VALUES = 4 };

typedef struct bgeo_file {
    const host_piece *piece;
    size_t at;
    int64_t counts[HOUDINI_COUNTS];
    houdini_point point;
} bgeo_file;

bool bgeo_recognises(const uint8_t *start, size_t size)
{
    return (size >= 5 && memcmp(start, "BgeoV", 5) == 0) || hjson_recognises(start, size);
}

/* False with the error printed when fewer than `size` bytes are left. */
static bool has_bytes(const bgeo_file *file, uint64_t size, const char *what)
{
    if (size <= file->piece->size - file->at) return true;
    piece_error(file->piece, file->piece->size, "the file ends inside %s; it is incomplete", what);
    return false;
}

static uint32_t take(bgeo_file *file, uint32_t bytes)
{
    uint32_t value = (uint32_t)bytes_load(file->piece->bytes + file->at, bytes, true);
    file->at += bytes;
    return value;
}

static int read_head(bgeo_file *file)
{
    const host_piece *piece = file->piece;
    size_t compared = piece->size < 5 ? piece->size : 5;
    if (memcmp(piece->bytes, "BgeoV", compared) != 0)
        return piece_error(piece, 0,
                           "magic is neither BgeoV nor 7f NSJb, those of geometry of Houdini");
    if (!has_bytes(file, HEAD_BYTES, "its header of 41 bytes")) return HOST_BAD_INPUT;
    file->at = 5;
    uint32_t version = take(file, 4);
    if (version != 5) return piece_error(piece, 5, "version is %u, expected 5", version);
    for (int c = 0; c < HOUDINI_COUNTS; c++) file->counts[c] = (int32_t)take(file, 4);
    const char *why = houdini_check_counts(file->counts);
    return why ? piece_error(piece, 9, "%s", why) : HOST_DONE;
}

/* Skips the string table of an index attribute; only its end matters here. */
static bool skip_strings(bgeo_file *file)
{
    if (!has_bytes(file, 4, "its attributes")) return false;
    uint32_t count = take(file, 4);
    for (uint32_t i = 0; i < count; i++) {
        if (!has_bytes(file, 2, "its attributes")) return false;
        uint32_t length = take(file, 2);
        if (!has_bytes(file, length, "its attributes")) return false;
        file->at += length;
    }
    return true;
}

static int read_attribute(bgeo_file *file)
{
    size_t start = file->at;
    if (!has_bytes(file, 2, "its attributes")) return HOST_BAD_INPUT;
    uint32_t length = take(file, 2);
    if (!has_bytes(file, length + 6u, "its attributes")) return HOST_BAD_INPUT;
    const char *name = (const char *)file->piece->bytes + file->at;
    file->at += length;
    uint32_t size = take(file, 2), type = take(file, 4);
    const char *why = houdini_add(&file->point, file->piece, name, length, size, type);
    if (why) return piece_error(file->piece, start, "%s", why);
    if (type == HOUDINI_INDEX) return skip_strings(file) ? HOST_DONE : HOST_BAD_INPUT;
    if (!has_bytes(file, size * 4u, "its attributes")) return HOST_BAD_INPUT;
    file->at += size * 4u; /* the attribute's default values */
    return HOST_DONE;
}

static int store_point(const bgeo_file *file, host_frame *frame, uint32_t i, const uint8_t *at)
{
    float *location = (float *)frame->data[POINT_LOCATION] + (size_t)i * 3;
    for (int k = 0; k < 3; k++) location[k] = bytes_load_f32(at + 4 * k, true);
    at += POSITION_VALUES * 4;
    for (uint32_t a = 0; a < file->point.count; a++) {
        const houdini_attribute *attribute = &file->point.attributes[a];
        bool is_int = attribute->type == HOUDINI_INT;
        for (uint32_t k = 0; k < attribute->size && attribute->meaning; k++) {
            const houdini_meaning *meaning = attribute->meaning;
            if (!is_int && meaning->stream != POINT_INDEX) { /* copy the bits unchanged */
                uint32_t word = (uint32_t)bytes_load(at + 4 * k, 4, true);
                size_t index = (size_t)i * meaning->size + meaning->order[k];
                memcpy((uint8_t *)frame->data[meaning->stream] + index * 4, &word, sizeof word);
                continue;
            }
            double value = is_int ? (double)(int32_t)bytes_load(at + 4 * k, 4, true)
                                  : (double)bytes_load_f32(at + 4 * k, true);
            if (!houdini_store(frame, i, attribute, k, value))
                return piece_error(
                    file->piece, (uint64_t)(at + 4 * k - file->piece->bytes),
                    "id of point %u (from 0) is %.9g, expected a whole number from 0", i, value);
        }
        at += attribute->size * 4;
    }
    return HOST_DONE;
}

static int read_points(bgeo_file *file, host_frame *frame)
{
    const host_piece *piece = file->piece;
    uint64_t count = (uint64_t)file->counts[COUNT_POINTS], left = piece->size - file->at;
    uint32_t stride = (POSITION_VALUES + file->point.values) * 4;
    if (count > left / stride)
        return piece_error(
            piece, piece->size,
            "the header promises %llu points of %u bytes, but %llu bytes are left; the file is "
            "incomplete or its header damaged",
            (unsigned long long)count, stride, (unsigned long long)left);
    int code = piece_frame(piece, frame, count, file->point.streams | POINT_BIT(POINT_LOCATION));
    for (uint32_t i = 0; i < count && !code; i++, file->at += stride)
        code = store_point(file, frame, i, piece->bytes + file->at);
    return code;
}

int bgeo_read(host_piece *piece, host_frame *frame)
{
    const size_t start = piece->size < RECOGNISED_MAX ? piece->size : RECOGNISED_MAX;
    if (hjson_recognises(piece->bytes, start) || hjson_recognises_text(piece->bytes, start))
        return hgeo_read(piece, frame);
    bgeo_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory(piece->path);
    file->piece = piece;
    int code = read_head(file);
    for (int64_t a = 0; !code && a < file->counts[COUNT_POINT_ATTRIBUTES]; a++)
        code = read_attribute(file);
    if (!code) code = read_points(file, frame);
    /* Primitives are not parsed; if there are any, the end mark is expected in the last two bytes
       of the file. */
    size_t mark = houdini_has_more(file->counts) && piece->size >= 2 ? piece->size - 2 : file->at;
    bool is_closed =
        piece->size - mark >= 2 && piece->bytes[mark] == 0 && piece->bytes[mark + 1] == 255;
    if (!code) houdini_note_rest(piece, file->counts, is_closed ? mark + 2 : 0);
    free(file);
    return code;
}

/* ---- writing */

static void put(FILE *stream, uint32_t value, uint32_t bytes)
{
    uint8_t at[4];
    bytes_store(at, bytes, true, value);
    fwrite(at, 1, bytes, stream);
}

static void write_head(FILE *stream, const host_frame *frame)
{
    uint32_t counts[HOUDINI_COUNTS] = {[COUNT_POINTS] = frame->count};
    for (size_t m = 0; m < HOUDINI_MEANINGS; m++)
        counts[COUNT_POINT_ATTRIBUTES] += houdini_writes(&houdini_meanings[m], frame);
    fwrite("BgeoV", 1, 5, stream);
    put(stream, 5, 4);
    for (int c = 0; c < HOUDINI_COUNTS; c++) put(stream, counts[c], 4);
    for (size_t m = 0; m < HOUDINI_MEANINGS; m++) {
        const houdini_meaning *meaning = &houdini_meanings[m];
        if (!houdini_writes(meaning, frame)) continue;
        put(stream, (uint32_t)strlen(meaning->name), 2);
        fwrite(meaning->name, 1, strlen(meaning->name), stream);
        put(stream, meaning->size, 2);
        put(stream, meaning->type, 4);
        for (uint32_t k = 0; k < meaning->size; k++) put(stream, 0, 4);
    }
}

static size_t fill_point(const host_frame *frame, uint32_t i, uint8_t *to)
{
    size_t used = 0;
    const float *location = (const float *)frame->data[POINT_LOCATION] + (size_t)i * 3;
    for (int k = 0; k < 3; k++, used += 4) bytes_store_f32(to + used, true, location[k]);
    bytes_store_f32(to + used, true, 1.0f);
    used += 4;
    for (size_t m = 0; m < HOUDINI_MEANINGS; m++) {
        const houdini_meaning *meaning = &houdini_meanings[m];
        if (!houdini_writes(meaning, frame)) continue;
        const uint8_t *from =
            (const uint8_t *)frame->data[meaning->stream] + (size_t)i * meaning->size * 4;
        for (uint32_t k = 0; k < meaning->size; k++, used += 4) {
            uint32_t word;
            memcpy(&word, from + meaning->order[k] * 4, sizeof word);
            bytes_store(to + used, 4, true, word);
        }
    }
    return used;
}

int bgeo_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    uint8_t point[(POSITION_VALUES + HOUDINI_MEANINGS * 4) * 4];
    int code = houdini_check_frame(frame, sink->path);
    if (code) return code;
    if (sink->options.encoding == ENCODING_JSON) return hgeo_write(stream, frame, false);
    write_head(stream, frame);
    for (uint32_t i = 0; i < frame->count; i++)
        fwrite(point, 1, fill_point(frame, i, point), stream);
    fwrite("\0\xff", 1, 2, stream); /* no extra section */
    return HOST_DONE;
}
