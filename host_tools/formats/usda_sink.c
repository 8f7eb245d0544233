/* SPDX-License-Identifier: MIT
   host_tools/formats/usda_sink.c - writes .usda files: one prim of points with time samples.
   reads   host_frame                      writes  one file, when it is complete
   memory  64 KiB per attribute            cost    O(bytes), twice: the samples of each attribute
           lie beside OUT until the end
   after   see usda.h; laid out as usdcat prints */
#include "usda.h"
#include "../common/text.h"
#include "faces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FPS 25.0

enum { EXTENT = USDA_ATTRIBUTES, SPOOLS };

typedef struct usda_sink {
    host_output file;
    FILE *spools[SPOOLS]; /* files without a name: the samples of each attribute */
    double first, last;
    uint64_t frames;
} usda_sink;

bool usda_writes(const host_sink *sink, uint32_t attribute)
{
    if (sink->options.faces && (attribute == USDA_IDS || attribute == USDA_WIDTHS)) return false;
    return attribute == USDA_POINTS || attribute == USDA_IDS || attribute == EXTENT ||
           (sink->options.streams >> usda_attributes[attribute].stream & 1u);
}

static void free_state(host_sink *sink)
{
    usda_sink *state = sink->state;
    for (uint32_t i = 0; i < SPOOLS; i++)
        if (state->spools[i]) fclose(state->spools[i]);
    free(state);
    sink->state = NULL;
}

int usda_create(host_sink *sink, const char *path)
{
    usda_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a file of frames");
    sink->state = state;
    int code = host_output_open(&state->file, path);
    if (code) {
        free_state(sink);
        return code;
    }
    for (uint32_t i = 0; i < SPOOLS && !code; i++)
        if (usda_writes(sink, i) && !(state->spools[i] = host_contents(path)))
            code = host_not_written(sink->path);
    if (code) {
        host_output_close(&state->file, false);
        free_state(sink);
    }
    return code;
}

/* ---- samples */

/* Numbers that are not finite have names of their own, without a sign for nan. */
static void put_f32(FILE *stream, float value)
{
    char text[TEXT_F32_MAX + 1];
    if (isnan(value)) {
        fputs("nan", stream);
        return;
    }
    fwrite(text, 1, text_put_f32(text, value), stream);
}

static void put_item(FILE *stream, const float *values, uint32_t count)
{
    if (count > 1) fputc('(', stream);
    for (uint32_t k = 0; k < count; k++) {
        if (k) fputs(", ", stream);
        put_f32(stream, values[k]);
    }
    if (count > 1) fputc(')', stream);
}

/* A width is twice the size of a point. */
static int put_width(const host_sink *sink, const host_frame *frame, FILE *stream, float size)
{
    const float width = 2 * size;
    put_f32(stream, width);
    if (!isinf(width) || isinf(size)) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                      "a point of frame %.10g has the size %.9g, but .usda holds widths up to "
                      "3.4e38; lower --scale",
                      frame->number, (double)size);
}

/* A frame that lacks a stream has an empty array. */
static int put_attribute(const host_sink *sink, const host_frame *frame, uint32_t attribute)
{
    const usda_sink *state = sink->state;
    const usda_attribute *row = &usda_attributes[attribute];
    FILE *stream = state->spools[attribute];
    const float *values = frame->data[row->stream];
    const uint32_t *indices = frame->data[POINT_INDEX], stride = point_streams[row->stream].floats;
    int code = HOST_DONE;
    fprintf(stream, "        %.10g: [", frame->number);
    for (size_t i = 0; values && i < frame->count && !code; i++) {
        if (i) fputs(", ", stream);
        if (attribute == USDA_IDS)
            fprintf(stream, "%u", indices[i]);
        else if (attribute == USDA_WIDTHS)
            code = put_width(sink, frame, stream, values[i]);
        else
            put_item(stream, values + i * stride + row->first, row->components);
    }
    fputs("],\n", stream);
    return code ? code : ferror(stream) ? host_not_written(sink->path) : HOST_DONE;
}

/* The box around the points; of a frame without points it is a place at the origin. */
static void put_extent(const usda_sink *state, const host_frame *frame)
{
    float box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const float *location = frame->data[POINT_LOCATION];
    for (size_t i = 0; i < (size_t)frame->count * 3; i++) {
        if (location[i] < box[0][i % 3]) box[0][i % 3] = location[i];
        if (location[i] > box[1][i % 3]) box[1][i % 3] = location[i];
    }
    if (!(box[0][0] <= box[1][0] && box[0][1] <= box[1][1] && box[0][2] <= box[1][2]))
        memset(box, 0, sizeof box);
    FILE *stream = state->spools[EXTENT];
    fprintf(stream, "        %.10g: [", frame->number);
    put_item(stream, box[0], 3);
    fputs(", ", stream);
    put_item(stream, box[1], 3);
    fputs("],\n", stream);
}

int usda_write(host_sink *sink, const host_frame *frame)
{
    usda_sink *state = sink->state;
    int code = host_guard_check(state->file.name);
    if (!code && sink->options.faces) code = host_faces_check(sink, frame);
    for (uint32_t a = 0; a < USDA_ATTRIBUTES && !code; a++)
        if (usda_writes(sink, a)) code = put_attribute(sink, frame, a);
    if (code) return code;
    put_extent(state, frame);
    if (!state->frames++) state->first = frame->number;
    state->last = frame->number;
    return ferror(state->spools[EXTENT]) ? host_not_written(sink->path) : HOST_DONE;
}

/* ---- the file */

static void put_head(const host_sink *sink)
{
    const usda_sink *state = sink->state;
    const double fps = sink->options.fps > 0 ? sink->options.fps : DEFAULT_FPS;
    const char *type = sink->options.faces ? "Mesh" : "Points",
               *name = sink->options.faces ? "mesh" : "points";
    fprintf(state->file.stream,
            "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    startTimeCode = %.10g\n"
            "    endTimeCode = %.10g\n    framesPerSecond = %.15g\n    timeCodesPerSecond = %.15g\n"
            "    metersPerUnit = 1\n    upAxis = \"%s\"\n)\n\ndef %s \"%s\"\n{\n",
            name, state->first, state->last, fps, fps, sink->options.is_y_up ? "Y" : "Z", type,
            name);
}

static void put_ints(FILE *stream, const char *name, const uint32_t *values, uint32_t count)
{
    fprintf(stream, "    int[] %s = [", name);
    for (uint32_t i = 0; i < count; i++) fprintf(stream, "%s%u", i ? ", " : "", values[i]);
    fputs("]\n", stream);
}

/* Without subdivision, which is the default of a mesh. */
static void put_faces(FILE *stream, const host_faces *faces)
{
    put_ints(stream, "faceVertexCounts", faces->counts, faces->face_count);
    put_ints(stream, "faceVertexIndices", faces->corners, faces->corner_count);
    fputs("    uniform token subdivisionScheme = \"none\"\n", stream);
}

static int copy_spool(const host_sink *sink, FILE *from)
{
    char block[4096];
    const usda_sink *state = sink->state;
    if (fseeko(from, 0, SEEK_SET) != 0) return host_not_written(sink->path);
    for (size_t got; (got = fread(block, 1, sizeof block, from)) > 0;) {
        int code = host_guard_check(state->file.name);
        if (code) return code;
        fwrite(block, 1, got, state->file.stream);
    }
    return ferror(from) || ferror(state->file.stream) ? host_not_written(sink->path) : HOST_DONE;
}

static int put_spool(const host_sink *sink, uint32_t spool)
{
    const usda_sink *state = sink->state;
    const char *type = spool == EXTENT ? "float3[]" : usda_attributes[spool].type,
               *name = spool == EXTENT ? "extent" : usda_attributes[spool].name;
    FILE *to = state->file.stream;
    if (spool >= USDA_WIDTHS && spool != EXTENT)
        fprintf(to, "    %s %s (\n        interpolation = \"vertex\"\n    )\n", type, name);
    fprintf(to, "    %s %s.timeSamples = {\n", type, name);
    int code = copy_spool(sink, state->spools[spool]);
    fputs("    }\n", to);
    return code;
}

int usda_finish(host_sink *sink)
{
    usda_sink *state = sink->state;
    int code = host_sink_check_frames(sink->path, state->frames);
    if (!code) put_head(sink);
    if (!code && sink->options.faces) put_faces(state->file.stream, sink->options.faces);
    for (uint32_t i = 0; i < SPOOLS && !code; i++)
        if (usda_writes(sink, i)) code = put_spool(sink, i);
    if (!code) {
        fputs("}\n", state->file.stream);
        if (ferror(state->file.stream)) code = host_not_written(sink->path);
    }
    int closed = host_output_close(&state->file, !code);
    free_state(sink);
    return code ? code : closed;
}

void usda_abandon(host_sink *sink)
{
    usda_sink *state = sink->state;
    host_output_close(&state->file, false);
    free_state(sink);
}
