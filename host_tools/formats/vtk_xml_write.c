/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk_xml_write.c - writes points as VTK's XML files: a vertex per point, so
           that ParaView shows them.
   reads   host_frame                      writes  bytes of one file
   memory  deflated: one frame             cost    O(bytes)
   after   the VTK file formats document, XML format 1.0: raw appended arrays, or text */
#include "../render/render.h"
#include "bytes.h"
#include "vtk_xml.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 15, ARRAYS_MAX = POINT_BOIDS + 3 };

/* What an array holds: a stream, or the cells. */
typedef enum put_kind { PUT_STREAM, PUT_COUNT, PUT_COUNT_FROM_1, PUT_TYPES } put_kind;

typedef struct put_array {
    put_kind kind;
    uint32_t stream;
    uint64_t offset, size; /* of appended data; the size without the numbers before it */
    uint8_t *packed;       /* deflated: with those; NULL: as it is */
} put_array;

typedef struct vtk_writer {
    FILE *stream;
    const host_sink *sink;
    const host_frame *frame;
    bool is_text, big, deflates;
    put_array arrays[ARRAYS_MAX];
    size_t count;
    uint64_t end; /* of the appended data so far */
} vtk_writer;

static uint32_t width_of(const put_array *array)
{
    return array->kind == PUT_STREAM ? point_streams[array->stream].bytes / 4 : 1;
}

/* The word `i` of an array of words. */
static uint32_t word_at(const vtk_writer *writer, const put_array *array, uint64_t i)
{
    uint32_t word;
    if (array->kind != PUT_STREAM) return (uint32_t)i + (array->kind == PUT_COUNT_FROM_1);
    memcpy(&word, (const uint8_t *)writer->frame->data[array->stream] + i * 4, sizeof word);
    return word;
}

/* ---- appended data */

/* The bytes of an array in the byte order of the file, in malloc memory. */
static uint8_t *bytes_of(const vtk_writer *writer, const put_array *array)
{
    uint8_t *bytes = malloc((size_t)array->size + 1);
    if (bytes && array->kind == PUT_TYPES) memset(bytes, 1, (size_t)array->size); /* VTK_VERTEX */
    for (uint64_t i = 0; bytes && array->kind != PUT_TYPES && i < array->size / 4; i++)
        bytes_store(bytes + i * 4, 4, writer->big, word_at(writer, array, i));
    return bytes;
}

/* Blocks of 32 KiB, each a zlib stream of its own. */
static int deflate_blocks(const vtk_writer *writer, const uint8_t *bytes, put_array *array)
{
    uint64_t blocks = (array->size + BLOCK_BYTES - 1) / BLOCK_BYTES,
             last = array->size % BLOCK_BYTES;
    size_t used = (size_t)(3 + blocks) * 8, room = used;
    array->packed = malloc(room);
    for (uint64_t b = 0; b < blocks && array->packed; b++) {
        uint8_t *stream;
        size_t size, part = (size_t)(b + 1 < blocks || !last ? BLOCK_BYTES : last);
        if (deflate_zlib(bytes + b * BLOCK_BYTES, part, &stream, &size) != HOST_DONE)
            return host_out_of_memory("an array");
        room = used + size;
        uint8_t *longer = realloc(array->packed, room);
        if (longer) memcpy(longer + used, stream, size);
        free(stream);
        if (!longer) return host_out_of_memory("an array");
        array->packed = longer;
        bytes_store(longer + (3 + b) * 8, 8, writer->big, size);
        used = room;
    }
    if (!array->packed) return host_out_of_memory("an array");
    bytes_store(array->packed, 8, writer->big, blocks);
    bytes_store(array->packed + 8, 8, writer->big, BLOCK_BYTES);
    bytes_store(array->packed + 16, 8, writer->big, last);
    array->size = used;
    return HOST_DONE;
}

static int plan_array(vtk_writer *writer, put_kind kind, uint32_t stream)
{
    put_array *array = &writer->arrays[writer->count++];
    *array = (put_array){.kind = kind, .stream = stream, .offset = writer->end};
    array->size = (uint64_t)writer->frame->count * (kind == PUT_TYPES ? 1 : width_of(array) * 4);
    int code = HOST_DONE;
    if (writer->deflates) {
        uint8_t *bytes = bytes_of(writer, array);
        code = bytes ? deflate_blocks(writer, bytes, array) : host_out_of_memory("an array");
        free(bytes);
    }
    writer->end += array->size + (writer->deflates ? 0 : 8);
    return code;
}

static void put_bytes(const vtk_writer *writer, const put_array *array)
{
    uint8_t head[8];
    if (array->packed) {
        fwrite(array->packed, 1, (size_t)array->size, writer->stream);
        return;
    }
    bytes_store(head, 8, writer->big, array->size);
    fwrite(head, 1, sizeof head, writer->stream);
    if (array->kind == PUT_STREAM) {
        bytes_write_words(writer->stream, writer->big, writer->frame->data[array->stream],
                          (size_t)array->size / 4);
        return;
    }
    for (uint64_t i = 0; i < writer->frame->count; i++) {
        uint32_t word = word_at(writer, array, i);
        if (array->kind == PUT_TYPES)
            fputc(1, writer->stream);
        else
            bytes_write_words(writer->stream, writer->big, &word, 1);
    }
}

/* ---- tags */

static void put_text(const vtk_writer *writer, const put_array *array)
{
    uint32_t width = width_of(array);
    bool is_float = array->kind == PUT_STREAM && array->stream != POINT_INDEX;
    for (uint64_t i = 0; i < (uint64_t)writer->frame->count * width; i++) {
        uint32_t word = array->kind == PUT_TYPES ? 1 : word_at(writer, array, i);
        float value;
        memcpy(&value, &word, sizeof value);
        if (is_float)
            text_print_f32(writer->stream, i % width ? ' ' : 0, value);
        else
            fprintf(writer->stream, "%u", word);
        if (i % width == width - 1) fputc('\n', writer->stream);
    }
}

/* Opens a tag around arrays. */
static void put_tag(const vtk_writer *writer, const char *tag)
{
    fprintf(writer->stream, "      <%s>\n", tag);
}

static const char *name_of(const put_array *array)
{
    static const char *const cells[] = {"", "connectivity", "offsets", "types"};
    if (array->kind != PUT_STREAM) return cells[array->kind];
    return array->stream == POINT_LOCATION ? "Points" : point_streams[array->stream].name;
}

static void put_tag_of(const vtk_writer *writer, const put_array *array)
{
    bool is_stream = array->kind == PUT_STREAM;
    const char *type = array->kind == PUT_TYPES       ? "UInt8"
                       : !is_stream                   ? "Int32"
                       : array->stream == POINT_INDEX ? "UInt32"
                                                      : "Float32";
    fprintf(writer->stream, "        <DataArray type=\"%s\" Name=\"%s\"", type, name_of(array));
    if (is_stream) fprintf(writer->stream, " NumberOfComponents=\"%u\"", width_of(array));
    if (!writer->is_text) {
        fprintf(writer->stream, " format=\"appended\" offset=\"%llu\"/>\n",
                (unsigned long long)array->offset);
        return;
    }
    fputs(" format=\"ascii\">\n", writer->stream);
    put_text(writer, array);
    fputs("        </DataArray>\n", writer->stream);
}

static void put_head(const vtk_writer *writer, bool is_poly)
{
    const char *type = is_poly ? "PolyData" : "UnstructuredGrid";
    fprintf(writer->stream,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\"%s>\n  <%s>\n    <Piece NumberOfPoints=\"%u\" ",
            type, writer->big ? "BigEndian" : "LittleEndian",
            writer->deflates ? " compressor=\"vtkZLibDataCompressor\"" : "", type,
            writer->frame->count);
    fprintf(writer->stream,
            is_poly ? "NumberOfVerts=\"%u\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                      "NumberOfPolys=\"0\">\n"
                    : "NumberOfCells=\"%u\">\n",
            writer->frame->count);
}

/* Arrays are planned in the order of the tags: data, points, cells. */
static void put_tags(const vtk_writer *writer, bool is_poly)
{
    size_t next = 0;
    put_head(writer, is_poly);
    put_tag(writer, "PointData");
    while (writer->arrays[next].stream != POINT_LOCATION)
        put_tag_of(writer, &writer->arrays[next++]);
    put_tag(writer, "/PointData");
    put_tag(writer, "Points");
    put_tag_of(writer, &writer->arrays[next++]);
    put_tag(writer, "/Points");
    put_tag(writer, is_poly ? "Verts" : "Cells");
    while (next < writer->count) put_tag_of(writer, &writer->arrays[next++]);
    put_tag(writer, is_poly ? "/Verts" : "/Cells");
    fprintf(writer->stream, "    </Piece>\n  </%s>\n", is_poly ? "PolyData" : "UnstructuredGrid");
    if (!writer->is_text) {
        fputs("  <AppendedData encoding=\"raw\">\n_", writer->stream);
        for (size_t a = 0; a < writer->count; a++) put_bytes(writer, &writer->arrays[a]);
        fputs("\n  </AppendedData>\n", writer->stream);
    }
    fputs("</VTKFile>\n", writer->stream);
}

static int plan_arrays(vtk_writer *writer, bool is_poly)
{
    int code = HOST_DONE;
    for (uint32_t s = 0; s < POINT_BOIDS && !code; s++)
        if (s != POINT_LOCATION && writer->frame->data[s]) code = plan_array(writer, PUT_STREAM, s);
    if (!code) code = plan_array(writer, PUT_STREAM, POINT_LOCATION);
    if (!code) code = plan_array(writer, PUT_COUNT, POINT_STREAMS);
    if (!code) code = plan_array(writer, PUT_COUNT_FROM_1, POINT_STREAMS);
    if (!code && !is_poly) code = plan_array(writer, PUT_TYPES, POINT_STREAMS);
    return code;
}

static int write_file(FILE *stream, const host_sink *sink, const host_frame *frame, bool is_poly)
{
    vtk_writer writer = {.stream = stream, .sink = sink, .frame = frame};
    writer.is_text = sink->options.encoding == ENCODING_ASCII;
    writer.big = sink->options.encoding == ENCODING_BIG;
    writer.deflates = sink->options.compression == HOST_COMPRESSION_DEFLATE;
    if (writer.deflates && writer.is_text)
        return host_error(HOST_USAGE, sink->path, HOST_NO_OFFSET,
                          "--compression deflate is for bytes, not for --encoding ascii");
    if (frame->count > INT32_MAX)
        return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                          "frame %.10g has %u points, at most 2147483647", frame->number,
                          frame->count);
    int code = plan_arrays(&writer, is_poly);
    if (!code) put_tags(&writer, is_poly);
    for (size_t a = 0; a < writer.count; a++) free(writer.arrays[a].packed);
    return code;
}

int vtu_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    return write_file(stream, sink, frame, false);
}

int vtp_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    return write_file(stream, sink, frame, true);
}
