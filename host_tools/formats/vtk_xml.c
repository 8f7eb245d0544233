/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk_xml.c - reads points of VTK's XML files: finds the arrays, then those of
           streams.
   reads   bytes of one file               writes  host_frame
   memory  one frame, and one unpacked array    cost    O(bytes)
   after   the VTK file formats document, XML formats 0.1 and 1.0 */
#include "vtk_xml.h"
#include "columns.h"
#include <math.h>
#include <string.h>

enum { ARRAYS_MAX = 256 };

typedef struct vtk_xml {
    xml_file file;
    xml_array points, arrays[ARRAYS_MAX]; /* of Points, and of PointData */
    size_t array_count;
    uint64_t cells; /* that are more than a point each */
    bool has_points, has_piece, is_poly;
    text_word section; /* the last tag that was opened around arrays */
} vtk_xml;

static bool begins(const uint8_t *start, size_t size, const char *type)
{
    text_word found;
    xml_tag tag;
    const char *at = (const char *)start, *end = at + size;
    if (!xml_take_tag(&at, end, &tag) || !text_is(tag.name, "VTKFile")) return false;
    return xml_attribute(&tag, "type", &found) && text_is(found, type);
}

bool vtu_recognises(const uint8_t *start, size_t size)
{
    return begins(start, size, "UnstructuredGrid");
}

bool vtp_recognises(const uint8_t *start, size_t size) { return begins(start, size, "PolyData"); }

static int fail_at(const vtk_xml *xml, const void *at, const char *what)
{
    return piece_error(xml->file.piece, (uint64_t)((const uint8_t *)at - xml->file.piece->bytes),
                       "%s", what);
}

/* ---- tags */

static int read_root(vtk_xml *xml, const xml_tag *tag)
{
    text_word value;
    xml_file *file = &xml->file;
    file->header_bytes = 4;
    bool has_type = xml_attribute(tag, "type", &value);
    xml->is_poly = has_type && text_is(value, "PolyData");
    if (!xml->is_poly && !(has_type && text_is(value, "UnstructuredGrid")))
        return fail_at(xml, tag->name.text,
                       "expected the type UnstructuredGrid or PolyData, found another one");
    if (xml_attribute(tag, "byte_order", &value)) file->big_endian = text_is(value, "BigEndian");
    if (xml_attribute(tag, "header_type", &value) && text_is(value, "UInt64"))
        file->header_bytes = 8;
    if (xml_attribute(tag, "compressor", &value) && value.length) {
        file->is_packed = true;
        if (!text_is(value, "vtkZLibDataCompressor"))
            return fail_at(xml, value.text,
                           "expected the compressor vtkZLibDataCompressor or none, found another "
                           "one; write the file with one of those");
    }
    return HOST_DONE;
}

/* A whole number from 0 on; 0 without the attribute. */
static bool count_of(const xml_tag *tag, const char *name, uint64_t *count)
{
    int64_t value;
    text_word word;
    *count = 0;
    if (!xml_attribute(tag, name, &word)) return true;
    if (!text_parse_i64(word, &value) || value < 0) return false;
    *count = (uint64_t)value;
    return true;
}

static int read_piece_tag(vtk_xml *xml, const xml_tag *tag)
{
    static const char *const cells[] = {"NumberOfLines", "NumberOfStrips", "NumberOfPolys"};
    uint64_t count, all = 0;
    if (xml->has_piece)
        return fail_at(xml, tag->name.text, "expected one Piece, found a second one");
    xml->has_piece = true;
    if (!count_of(tag, "NumberOfPoints", &xml->file.points) || xml->file.points > UINT32_MAX)
        return fail_at(xml, tag->name.text,
                       "NumberOfPoints is not a whole number from 0 to 4294967295");
    for (int c = 0; c < 3; c++)
        if (count_of(tag, cells[c], &count)) all |= count;
    if (count_of(tag, "NumberOfCells", &count) && count != xml->file.points) all |= count;
    xml->cells = all;
    return HOST_DONE;
}

static int read_array_tag(vtk_xml *xml, const xml_tag *tag, const char *end)
{
    text_word value;
    xml_array array = {.columns = 1};
    xml_attribute(tag, "Name", &array.name);
    if (xml_attribute(tag, "type", &value)) array.type = xml_type_named(value);
    bool good = true;
    if (xml_attribute(tag, "NumberOfComponents", &value))
        good = count_of(tag, "NumberOfComponents", &array.columns) && array.columns <= 1024;
    good = good && count_of(tag, "offset", &array.offset);
    bool has_format = xml_attribute(tag, "format", &value);
    array.place = has_format && text_is(value, "appended") ? XML_APPENDED
                  : has_format && text_is(value, "binary") ? XML_INLINE
                                                           : XML_TEXT;
    const char *stop = tag->is_empty || tag->after >= end
                           ? tag->after
                           : memchr(tag->after, '<', (size_t)(end - tag->after));
    array.content = (text_word){tag->after, (size_t)((stop ? stop : end) - tag->after)};
    if (!good || (!stop && array.place != XML_APPENDED))
        return fail_at(xml, tag->name.text,
                       stop ? "the numbers of a DataArray are not whole"
                            : "a DataArray has no end; the file is "
                              "incomplete");
    if (text_is(xml->section, "Points")) {
        if (xml->has_points)
            return fail_at(xml, tag->name.text, "expected one array in Points, found a second one");
        xml->has_points = true;
        xml->points = array;
    } else if (text_is(xml->section, "PointData")) {
        if (xml->array_count == ARRAYS_MAX)
            return fail_at(xml, tag->name.text, "PointData has more than 256 arrays");
        xml->arrays[xml->array_count++] = array;
    }
    return HOST_DONE;
}

static int read_appended_tag(vtk_xml *xml, const xml_tag *tag, const char *end)
{
    text_word value;
    xml->file.appended_is_raw = xml_attribute(tag, "encoding", &value) && text_is(value, "raw");
    const char *mark =
        tag->after < end ? memchr(tag->after, '_', (size_t)(end - tag->after)) : NULL;
    if (!mark)
        return piece_error(xml->file.piece, xml->file.piece->size,
                           "the file ends before its appended data; it is incomplete");
    xml->file.appended = (const uint8_t *)mark + 1;
    return HOST_DONE;
}

/* Tags around arrays. An array may have others inside, such as InformationKey. */
static bool is_section(text_word name)
{
    static const char *const names[] = {"Points", "PointData", "CellData", "FieldData", "Cells",
                                        "Verts",  "Lines",     "Strips",   "Polys"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (text_is(name, names[n])) return true;
    return false;
}

/* Behind appended data the file must end as it began: a cut there would not be seen otherwise. */
static bool ends_closed(const host_piece *piece)
{
    static const char tag[] = "</VTKFile>";
    size_t size = piece->size, length = sizeof tag - 1;
    while (size && piece->bytes[size - 1] <= ' ') size--;
    return size >= length && memcmp(piece->bytes + size - length, tag, length) == 0;
}

static int read_tags(vtk_xml *xml)
{
    xml_tag tag;
    int code = HOST_DONE;
    bool has_root = false, has_end = false;
    const host_piece *piece = xml->file.piece;
    const char *at = (const char *)piece->bytes, *end = at + piece->size;
    while (!code && !xml->file.appended && xml_take_tag(&at, end, &tag)) {
        if (!has_root && !text_is(tag.name, "VTKFile")) break;
        bool opens = !tag.closes;
        if (opens && !has_root) code = read_root(xml, &tag);
        has_root = true;
        has_end |= tag.closes && text_is(tag.name, "VTKFile");
        if (opens && text_is(tag.name, "Piece")) code = read_piece_tag(xml, &tag);
        if (opens && text_is(tag.name, "AppendedData")) code = read_appended_tag(xml, &tag, end);
        if (opens && text_is(tag.name, "DataArray")) code = read_array_tag(xml, &tag, end);
        if (is_section(tag.name))
            xml->section = opens && !tag.is_empty ? tag.name : (text_word){"", 0};
    }
    if (code) return code;
    if (!has_root) return piece_error(piece, 0, "expected a tag VTKFile");
    if (xml->file.appended) has_end = ends_closed(piece);
    if (has_end) return HOST_DONE;
    return piece_error(piece, piece->size, "the file ends inside its tags; it is incomplete");
}

/* ---- arrays to streams */

static bool store_float(const xml_store *store, uint64_t at, double value)
{
    /* would round to infinity */
    if (isfinite(value) && fabs(value) > 3.4028235677973366e38) return false;
    ((float *)store->values)[at] = (float)value;
    return true;
}

static bool store_index(const xml_store *store, uint64_t at, double value)
{
    if (!(value >= 0 && value <= UINT32_MAX) || value != floor(value)) return false;
    ((uint32_t *)store->values)[at] = (uint32_t)value;
    return true;
}

static int read_stream(const vtk_xml *xml, const xml_array *array, uint32_t stream,
                       host_frame *frame)
{
    xml_store store = {store_float, "a number that fits in 32 bits (at most 3.4e38)", NULL};
    int code = xml_check_rows(&xml->file, array, frame->count);
    if (code) return code;
    if (!frame->data[stream])
        frame->data[stream] = host_allocate(frame->count, point_streams[stream].bytes);
    if (!frame->data[stream]) return host_out_of_memory(xml->file.piece->path);
    frame->streams |= POINT_BIT(stream);
    if (stream == POINT_INDEX)
        store = (xml_store){store_index, "a whole number from 0 to 4294967295", NULL};
    store.values = frame->data[stream];
    return xml_read_array(&xml->file, array, frame->count, &store);
}

/* The stream of an array by its name and width; POINT_STREAMS with a note: none. */
static uint32_t stream_of(const vtk_xml *xml, const xml_array *array, const host_frame *frame)
{
    uint32_t stream = POINT_STREAMS;
    bool is_known = array->type && array->name.length &&
                    point_stream_named(array->name.text, array->name.length, &stream) &&
                    stream != POINT_LOCATION && stream < POINT_BOIDS;
    uint64_t width = !is_known ? 0 : stream == POINT_INDEX ? 1 : point_streams[stream].floats;
    if (is_known && array->columns == width && !(frame->streams & POINT_BIT(stream))) return stream;
    piece_note(xml->file.piece, HOST_NO_OFFSET, "array \"%.*s\" is unknown and ignored",
               (int)(array->name.length < 40 ? array->name.length : 40),
               array->name.length ? array->name.text : "");
    return POINT_STREAMS;
}

static int read_arrays(const vtk_xml *xml, host_frame *frame)
{
    const host_piece *piece = xml->file.piece;
    bool is_sound = xml->has_points && xml->points.type && xml->points.columns == 3;
    if (!xml->has_piece || (!is_sound && xml->file.points))
        return piece_error(piece, HOST_NO_OFFSET,
                           "expected a Piece with an array of three coordinates in Points");
    int code = is_sound ? xml_check_rows(&xml->file, &xml->points, xml->file.points) : HOST_DONE;
    if (!code) code = piece_frame(piece, frame, xml->file.points, POINT_BIT(POINT_LOCATION));
    if (!code && is_sound) code = read_stream(xml, &xml->points, POINT_LOCATION, frame);
    for (size_t a = 0; a < xml->array_count && !code; a++) {
        uint32_t stream = stream_of(xml, &xml->arrays[a], frame);
        if (stream < POINT_STREAMS) code = read_stream(xml, &xml->arrays[a], stream, frame);
    }
    if (!code && xml->cells) piece_note(piece, HOST_NO_OFFSET, "cells and their data are skipped");
    return code;
}

int vtk_xml_read(host_piece *piece, host_frame *frame)
{
    vtk_xml xml;
    memset(&xml, 0, sizeof xml);
    memset(frame, 0, sizeof *frame);
    xml.file.piece = piece;
    xml.section = (text_word){"", 0};
    int code = read_tags(&xml);
    if (xml.file.is_packed && piece->teller && !piece->teller->compression)
        piece->teller->compression = "zlib";
    return code ? code : read_arrays(&xml, frame);
}
