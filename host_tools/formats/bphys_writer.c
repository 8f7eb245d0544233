/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_writer.c - writes a .bphys sequence frame by frame from a running
           simulation.
   reads   ids, positions, velocities      writes  a .bphys sequence, or nothing
   memory  28 bytes per particle of a frame, 8 of the system    cost    O(particles log particles)
           per frame
   after   own design */
#include "bphys.h"
#include <stdlib.h>
#include <string.h>

struct bphys_writer {
    host_sink sink;
    bphys_writer_options options; /* only fps and y_up are used after opening */
    char *name;                   /* for messages: FOLDER/NAME */
    uint32_t id_end;              /* highest id written + 1 */
};

static bphys_writer *allocate_writer(const bphys_writer_options *options)
{
    bphys_writer *writer = host_allocate(1, sizeof *writer);
    if (!writer) return NULL;
    writer->sink.format = host_format_named("bphys");
    writer->sink.options.type = options->is_mesh ? POINT_CLOTH : POINT_PARTICLES;
    writer->name = host_text("%s/%s", options->folder, options->name);
    writer->options =
        (bphys_writer_options){NULL, writer->name, options->fps, options->y_up, options->is_mesh};
    if (writer->name) return writer;
    free(writer);
    return NULL;
}

static void free_writer(bphys_writer *writer)
{
    free(writer->name);
    free(writer);
}

int bphys_writer_check(const bphys_writer_options *options)
{
    return bphys_check_targets(options->folder, options->name, "_00");
}

bphys_writer *bphys_writer_open(const bphys_writer_options *options, int *code)
{
    if (!(options->fps > 0)) {
        *code = host_error(HOST_USAGE, options->name, HOST_NO_OFFSET,
                           "fps is %g, expected more than 0", options->fps);
        return NULL;
    }
    bphys_writer *writer = allocate_writer(options);
    *code = writer ? bphys_create_at(&writer->sink, options->folder, options->name, "_00")
                   : host_out_of_memory("a sequence");
    if (*code == HOST_DONE) return writer;
    if (writer) free_writer(writer);
    return NULL;
}

static point_units units_of(const bphys_writer_options *options)
{
    const double frame = options->is_mesh ? 1 : BPHYS_SECONDS_A_FRAME;
    return (point_units){.scale = 1,
                         .velocity_factor = (float)(1 / (options->fps * frame)),
                         .axis = options->y_up ? POINT_AXIS_Y_TO_Z_UP : POINT_AXIS_SAME};
}

int bphys_points(host_frame *points, const bphys_writer_options *options, int32_t frame,
                 uint32_t count, const uint32_t *ids, const float *positions,
                 const float *velocities)
{
    uint32_t streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION);
    point_units units = units_of(options);
    if (velocities) streams |= POINT_BIT(POINT_VELOCITY);
    if (!host_frame_allocate(points, count, streams)) return host_out_of_memory("a frame");
    points->number = frame;
    if (count) {
        memcpy(points->data[POINT_INDEX], ids, (size_t)count * sizeof *ids);
        memcpy(points->data[POINT_LOCATION], positions, (size_t)count * 3 * sizeof *positions);
        if (velocities)
            memcpy(points->data[POINT_VELOCITY], velocities,
                   (size_t)count * 3 * sizeof *velocities);
    }
    uint32_t left = host_frame_convert(points, &units, POINT_PARTICLES);
    int code = host_frame_in_range(points, options->name, left, "give a larger fps");
    if (!code && !host_frame_order(points)) code = host_out_of_memory("a frame");
    if (!code && points->count != count)
        code = host_error(HOST_BAD_INPUT, options->name, HOST_NO_OFFSET,
                          "frame %d has two points with the same id", (int)frame);
    if (code) host_frame_free(points);
    return code;
}

int bphys_points_targets(host_frame *points, const bphys_writer_options *options,
                         const float *targets)
{
    const size_t bytes = (size_t)points->count * 3 * sizeof *targets;
    const point_units units = units_of(options);
    host_frame alone = {.number = points->number, .count = points->count};
    float *copy = host_allocate(points->count, 3 * sizeof *copy);
    if (!copy) {
        host_frame_free(points);
        return host_out_of_memory("the targets of a frame");
    }
    if (bytes) memcpy(copy, targets, bytes);
    alone.data[POINT_ANGULAR] = points->data[POINT_ANGULAR] = copy;
    points->streams |= POINT_BIT(POINT_ANGULAR);
    uint32_t left = host_frame_convert(&alone, &units, POINT_CLOTH);
    int code = host_frame_in_range(points, options->name, left, "lower the positions");
    if (code) host_frame_free(points);
    return code;
}

static int compare_springs(const void *a, const void *b)
{
    uint32_t first[4], second[4];
    memcpy(first, a, sizeof first);
    memcpy(second, b, sizeof second);
    uint64_t x = (uint64_t)first[1] << 32 | first[2], y = (uint64_t)second[1] << 32 | second[2];
    return x < y ? -1 : x > y;
}

int bphys_points_springs(host_frame *points, const void *springs, uint32_t count)
{
    host_extra *extra = &points->extra[EXTRA_SPRINGS];
    const size_t size = extra_bytes[EXTRA_SPRINGS];
    if (!count) return HOST_DONE;
    extra->bytes = host_allocate(count, size);
    if (!extra->bytes) {
        host_frame_free(points);
        return host_out_of_memory("the springs of a frame");
    }
    extra->count = count;
    memcpy(extra->bytes, springs, count * size);
    qsort(extra->bytes, count, size, compare_springs);
    return HOST_DONE;
}

int bphys_writer_points(bphys_writer *writer, const host_frame *points)
{
    int code = host_sink_write(&writer->sink, points);
    const uint32_t *indices = points->data[POINT_INDEX], count = points->count;
    if (!code && count && indices[count - 1] >= writer->id_end)
        writer->id_end = indices[count - 1] + 1;
    return code;
}

int bphys_writer_frame(bphys_writer *writer, int32_t frame, uint32_t count, const uint32_t *ids,
                       const float *positions, const float *velocities)
{
    host_frame points;
    int code = bphys_points(&points, &writer->options, frame, count, ids, positions, velocities);
    if (code) return code;
    code = bphys_writer_points(writer, &points);
    host_frame_free(&points);
    return code;
}

/* Adds the lifetime to each birth and death. */
static float *complete_times(const float *births_and_deaths, uint32_t count)
{
    float *times = host_allocate(count, 3 * sizeof *times);
    for (uint32_t i = 0; times && i < count; i++) {
        float birth = births_and_deaths[(size_t)i * 2],
              death = births_and_deaths[(size_t)i * 2 + 1];
        times[(size_t)i * 3] = birth;
        times[(size_t)i * 3 + 1] = death;
        times[(size_t)i * 3 + 2] = death - birth;
    }
    return times;
}

int bphys_writer_close(bphys_writer *writer, const float *births_and_deaths, uint32_t id_count)
{
    int code = HOST_DONE;
    float *times = NULL;
    if (births_and_deaths && id_count < writer->id_end)
        code = host_error(HOST_BAD_INPUT, writer->name, HOST_NO_OFFSET,
                          "birth and death are given for %u ids, but id %u was written", id_count,
                          writer->id_end - 1);
    else if (births_and_deaths && !(times = complete_times(births_and_deaths, id_count)))
        code = host_out_of_memory("the info file");
    if (code) {
        bphys_writer_abandon(writer);
        return code;
    }
    writer->sink.options.times = times;
    writer->sink.options.point_count = times ? id_count : 0;
    code = host_sink_finish(&writer->sink);
    free(times);
    free_writer(writer);
    return code;
}

void bphys_writer_abandon(bphys_writer *writer)
{
    host_sink_abandon(&writer->sink);
    free_writer(writer);
}
