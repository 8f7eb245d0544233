/* SPDX-License-Identifier: MIT
   host_tools/formats/hgeo_write.c - writes points as geometry of Houdini 12 and later, as text or
           as binary JSON.
   reads   host_frame                      writes  bytes of one file
   memory  none                            cost    O(bytes)
   after   see hgeo.h; values in pages of 1024 points, as Houdini writes them; binary files are
           little-endian and have no shared strings */
#include "../common/text.h"
#include "bytes.h"
#include "hgeo.h"
#include <string.h>

enum { PAGE_POINTS = 1024 };

typedef struct hgeo_out {
    FILE *stream;
    bool is_text;
    bool has_value; /* the open list has one: a comma is next */
} hgeo_out;

/* ---- tokens */

static void comma(hgeo_out *out)
{
    if (out->is_text && out->has_value) fputc(',', out->stream);
    out->has_value = true;
}

static void put_bracket(hgeo_out *out, char bracket)
{
    bool opens = bracket == '[' || bracket == '{';
    if (opens) comma(out);
    fputc(bracket, out->stream);
    out->has_value = !opens;
}

static void put_number(hgeo_out *out, uint64_t value, uint32_t bytes)
{
    uint8_t at[8];
    bytes_store(at, bytes, false, value);
    fwrite(at, 1, bytes, out->stream);
}

static void put_count(hgeo_out *out, uint64_t count)
{
    uint32_t bytes = count < 0xf1 ? 0 : count < 65536 ? 2 : 4;
    fputc(bytes ? (int)(0xf0 + bytes) : (int)count, out->stream);
    put_number(out, count, bytes);
}

static void put_name(hgeo_out *out, const char *text)
{
    comma(out);
    if (out->is_text) {
        fprintf(out->stream, "\"%s\"", text);
        return;
    }
    fputc(HJSON_TEXT_TYPE, out->stream);
    put_count(out, strlen(text));
    fputs(text, out->stream);
}

/* In a map of a text, a colon follows the name of a member. */
static void put_member(hgeo_out *out, const char *name)
{
    put_name(out, name);
    if (out->is_text) fputc(':', out->stream);
    out->has_value = false;
}

static void put_whole(hgeo_out *out, int64_t value)
{
    comma(out);
    if (out->is_text) {
        fprintf(out->stream, "%lld", (long long)value);
        return;
    }
    fputc(HJSON_INT32, out->stream);
    put_number(out, (uint64_t)value, 4);
}

static void put_false(hgeo_out *out)
{
    comma(out);
    fputs(out->is_text ? "false" : "0", out->stream); /* 0x30 is false */
}

/* The items of a uniform list follow: of a text with put_item before each, then close_uniform. */
static void open_uniform(hgeo_out *out, uint32_t type, uint64_t count)
{
    if (out->is_text) {
        put_bracket(out, '[');
        return;
    }
    fputc('@', out->stream);
    fputc((int)type, out->stream);
    put_count(out, count);
}

static void close_uniform(hgeo_out *out)
{
    if (out->is_text) put_bracket(out, ']');
}

static void put_item(hgeo_out *out, const uint8_t *from, bool is_int)
{
    uint32_t word;
    float value;
    memcpy(&word, from, sizeof word);
    memcpy(&value, from, sizeof value);
    if (!out->is_text) {
        put_number(out, word, 4);
        return;
    }
    comma(out);
    if (is_int)
        fprintf(out->stream, "%u", word);
    else
        text_print_f32(out->stream, 0, value);
}

static void put_pair(hgeo_out *out, const char *name, const char *text)
{
    put_name(out, name);
    put_name(out, text);
}

/* ---- attributes */

typedef struct hgeo_column {
    const char *name;
    const char *kind; /* how Houdini transforms it; NULL: not at all */
    uint32_t stream, size;
    uint8_t order[4];
    bool is_int;
} hgeo_column;

static hgeo_column column_of(uint32_t which)
{
    static const char *const kinds[HOUDINI_MEANINGS] = {NULL,     "vector", "quaternion",
                                                        "vector", NULL,     NULL};
    if (which == HGEO_LOCATION)
        return (hgeo_column){"P", "point", POINT_LOCATION, 3, {0, 1, 2}, false};
    const houdini_meaning *from = &houdini_meanings[which];
    hgeo_column made = {from->name, kinds[which], from->stream, from->size, {0}, false};
    memcpy(made.order, from->order, sizeof made.order);
    made.is_int = from->type == HOUDINI_INT;
    return made;
}

static void write_definition(hgeo_out *out, const hgeo_column *column)
{
    put_bracket(out, '[');
    put_pair(out, "scope", "public");
    put_pair(out, "type", "numeric");
    put_pair(out, "name", column->name);
    put_name(out, "options");
    put_bracket(out, '{');
    if (column->kind) {
        put_member(out, "type");
        put_bracket(out, '{');
        put_member(out, "type");
        put_name(out, "string");
        put_member(out, "value");
        put_name(out, column->kind);
        put_bracket(out, '}');
    }
    put_bracket(out, '}');
    put_bracket(out, ']');
}

static void write_flags(hgeo_out *out, uint32_t pages)
{
    put_name(out, "constantpageflags");
    put_bracket(out, '[');
    open_uniform(out, HJSON_BOOL_TYPE, pages);
    for (uint32_t p = 0; p < pages && out->is_text; p++) put_false(out);
    for (uint32_t p = 0; p < pages && !out->is_text; p += 32) put_number(out, 0, 4);
    close_uniform(out);
    put_bracket(out, ']');
}

static void write_size(hgeo_out *out, const char *storage, uint32_t size)
{
    put_name(out, "size");
    put_whole(out, size);
    put_pair(out, "storage", storage);
}

static void write_values(hgeo_out *out, const hgeo_column *column, const host_frame *frame)
{
    const uint8_t *from = frame->data[column->stream];
    uint32_t count = frame->count;
    put_name(out, "values");
    put_bracket(out, '[');
    write_size(out, column->is_int ? "int32" : "fpreal32", column->size);
    if (column->size > 1) {
        put_name(out, "packing");
        put_bracket(out, '[');
        put_whole(out, column->size);
        put_bracket(out, ']');
    }
    put_name(out, "pagesize");
    put_whole(out, PAGE_POINTS);
    write_flags(out, count / PAGE_POINTS + (count % PAGE_POINTS != 0));
    put_name(out, "rawpagedata");
    open_uniform(out, column->is_int ? HJSON_INT32 : HJSON_REAL32, (uint64_t)count * column->size);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < column->size; k++)
            put_item(out, from + ((size_t)i * column->size + column->order[k]) * 4, column->is_int);
    close_uniform(out);
    put_bracket(out, ']');
}

static void write_attribute(hgeo_out *out, const hgeo_column *column, const host_frame *frame)
{
    put_bracket(out, '[');
    write_definition(out, column);
    put_bracket(out, '[');
    write_size(out, column->is_int ? "int32" : "fpreal32", column->size);
    put_name(out, "defaults");
    put_bracket(out, '[');
    write_size(out, column->is_int ? "int64" : "fpreal64", 1);
    put_name(out, "values");
    put_bracket(out, '[');
    put_whole(out, 0);
    put_bracket(out, ']');
    put_bracket(out, ']');
    write_values(out, column, frame);
    put_bracket(out, ']');
    put_bracket(out, ']');
}

static void write_attributes(hgeo_out *out, const host_frame *frame)
{
    put_name(out, "attributes");
    put_bracket(out, '[');
    put_name(out, "pointattributes");
    put_bracket(out, '[');
    for (uint32_t a = 0; a < HGEO_ATTRIBUTES; a++) {
        uint32_t which = a ? a - 1 : HGEO_LOCATION; /* the location first */
        hgeo_column column = column_of(which);
        if (which == HGEO_LOCATION || houdini_writes(&houdini_meanings[which], frame))
            write_attribute(out, &column, frame);
    }
    put_bracket(out, ']');
    put_bracket(out, ']');
}

int hgeo_write(FILE *stream, const host_frame *frame, bool is_text)
{
    hgeo_out out = {.stream = stream, .is_text = is_text};
    if (!is_text) fputs("\x7fNSJb", stream);
    put_bracket(&out, '[');
    put_pair(&out, "fileversion", "18.0.0");
    put_name(&out, "hasindex");
    put_false(&out);
    put_name(&out, "pointcount");
    put_whole(&out, frame->count);
    put_name(&out, "vertexcount");
    put_whole(&out, 0);
    put_name(&out, "primitivecount");
    put_whole(&out, 0);
    put_name(&out, "topology");
    put_bracket(&out, '[');
    put_name(&out, "pointref");
    put_bracket(&out, '[');
    put_name(&out, "indices");
    put_bracket(&out, '[');
    put_bracket(&out, ']');
    put_bracket(&out, ']');
    put_bracket(&out, ']');
    write_attributes(&out, frame);
    put_bracket(&out, ']');
    if (is_text) fputc('\n', stream);
    return HOST_DONE;
}
