/* SPDX-License-Identifier: MIT
   host_tools/formats/abc.c - reads the points of an Alembic archive: of one object of points, or
           the vertices of one mesh.
   reads   .abc                            writes  host_frame
   memory  8 bytes per frame; one frame    cost    O(frames) to open, O(points) per frame
   after   see abc.h */
#include "abc.h"
#include "bytes.h"
#include "vertex_cache.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Limits on the number of frames and on the magnitude of their numbers. */
enum { FRAMES_MAX = 1 << 22 };
#define FRAME_MAX 1e9

/* Arrays besides positions and numbers of points. */
enum { VELOCITY, WIDTH, ROTATION, AVELOCITY, BIRTH, DIE, LIFE, ARRAYS };
static const struct array {
    const char *name;
    uint32_t stream, components, first, stride; /* of the floats in an element of the stream */
} arrays[ARRAYS] = {
    [VELOCITY] = {".velocities", POINT_VELOCITY, 3, 0, 3},
    [WIDTH] = {".widths", POINT_SIZE, 1, 0, 1},
    [ROTATION] = {"rotation", POINT_ROTATION, 4, 0, 4},
    [AVELOCITY] = {"avelocity", POINT_ANGULAR, 3, 0, 3},
    [BIRTH] = {"birth", POINT_TIMES, 1, 0, 3},
    [DIE] = {"die", POINT_TIMES, 1, 1, 3},
    [LIFE] = {"life", POINT_TIMES, 1, 2, 3},
};

/* An array, or values and an index of one of them per point. */
typedef struct param {
    const abc_property *values, *indices; /* NULL: none */
    abc_properties inner;                 /* that hold both */
} param;

typedef struct abc_file {
    abc_archive archive;
    abc_properties geometry, attributes;
    abc_xforms xforms;
    const abc_property *positions, *ids; /* ids NULL: none */
    const abc_property *lead;            /* the property whose samples are the frames */
    param params[ARRAYS];
    uint32_t *samples; /* of each frame */
    double guess;      /* frame rate; 0: the file or --fps states it */
    uint32_t between;  /* samples between whole frames */
    bool is_counted;   /* frames are counted from 1 */
    _Atomic bool noted_times;
} abc_file;

/* ---- the object */

static int describe_several(const abc_file *file, size_t first, size_t second, uint32_t count)
{
    const abc_archive *archive = &file->archive;
    char *one = abc_object_path(archive, first), *other = abc_object_path(archive, second);
    int code = host_error(HOST_BAD_INPUT, archive->source.path, HOST_NO_OFFSET,
                          "holds %u objects with points, such as %s and %s, expected one; name "
                          "it with --object",
                          count, one ? one : "", other ? other : "");
    free(one);
    free(other);
    return code;
}

/* Finds the object that sequence->object names. */
static int find_object(host_sequence *sequence, size_t *chosen)
{
    const abc_file *file = sequence->state;
    const abc_archive *archive = &file->archive;
    size_t found[2] = {0, 0};
    uint32_t count = 0;
    for (size_t i = 0; i < archive->object_count; i++) {
        abc_schema schema = archive->objects[i].schema;
        if (schema != ABC_POINTS && schema != ABC_MESH) continue;
        char *path = abc_object_path(archive, i);
        if (!path) return host_out_of_memory("the path of an object");
        bool is_it = strcmp(path, sequence->object) == 0,
             is_named = strcmp(archive->objects[i].name, sequence->object) == 0;
        free(path);
        if (is_it) count = 0;
        if (is_it || is_named) found[count++ > 0] = i;
        if (is_it) break;
    }
    if (count > 1) return describe_several(file, found[0], found[1], count);
    if (!count)
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "expected an object of points or a mesh \"%s\", found none of that path "
                          "or name",
                          sequence->object);
    *chosen = found[0];
    sequence->has_faces = archive->objects[found[0]].schema == ABC_MESH;
    sequence->type = sequence->has_faces ? POINT_CLOTH : POINT_PARTICLES;
    return HOST_DONE;
}

/* The only object of points, or else the only mesh. */
static int choose_object(host_sequence *sequence, size_t *chosen)
{
    const abc_file *file = sequence->state;
    const abc_archive *archive = &file->archive;
    uint32_t counts[ABC_MESH + 1] = {0};
    size_t found[ABC_MESH + 1][2] = {{0}};
    if (sequence->object) return find_object(sequence, chosen);
    for (size_t i = 0; i < archive->object_count; i++) {
        abc_schema schema = archive->objects[i].schema;
        if (counts[schema] < 2) found[schema][counts[schema]] = i;
        counts[schema]++;
    }
    abc_schema schema = counts[ABC_POINTS] ? ABC_POINTS : ABC_MESH;
    *chosen = found[schema][0];
    if (!counts[schema])
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "holds no points and no mesh in %zu objects",
                          archive->object_count ? archive->object_count - 1 : 0);
    if (counts[schema] > 1)
        return describe_several(file, found[schema][0], found[schema][1], counts[schema]);
    if (schema == ABC_POINTS && counts[ABC_MESH])
        host_note(sequence->path, HOST_NO_OFFSET, "%u mesh%s beside the points skipped",
                  counts[ABC_MESH], counts[ABC_MESH] > 1 ? "es" : "");
    sequence->has_faces = schema == ABC_MESH;
    sequence->type = sequence->has_faces ? POINT_CLOTH : POINT_PARTICLES;
    return HOST_DONE;
}

/* ---- properties of the object */

static bool is_float(const abc_property *property)
{
    return property->type == ABC_F32 || property->type == ABC_F64;
}

static bool is_whole(const abc_property *property)
{
    return property->type == ABC_U64 || property->type == ABC_I64 || property->type == ABC_U32 ||
           property->type == ABC_I32;
}

static int unlike(const abc_file *file, const abc_property *property, const char *what)
{
    return host_error(HOST_BAD_INPUT, file->archive.source.path, property->header_at,
                      "\"%.*s\" is no array of %s",
                      (int)(property->name_length < 64 ? property->name_length : 64),
                      property->name, what);
}

/* Finds an array, or the compound of its values and indices. */
static int find_param(abc_file *file, const abc_properties *among, uint32_t array)
{
    param *to = &file->params[array];
    const abc_property *found = abc_property_named(among, arrays[array].name);
    to->values = found;
    if (found && found->kind == ABC_COMPOUND) {
        int code = abc_properties_read(&file->archive, found->group.at, &to->inner);
        if (code) return code;
        to->values = abc_property_named(&to->inner, ".vals");
        to->indices = abc_property_named(&to->inner, ".indices");
        if (to->indices && (to->indices->kind != ABC_ARRAY || to->indices->type != ABC_U32 ||
                            to->indices->extent != 1))
            return unlike(file, to->indices, "numbers of 32 bits");
    }
    if (!to->values) return HOST_DONE;
    const uint32_t components = arrays[array].components, extent = to->values->extent;
    bool is_good = to->values->kind == ABC_ARRAY && is_float(to->values) &&
                   (extent == components || extent == 1);
    if (is_good || (array > WIDTH && !to->indices)) {
        if (!is_good) to->values = NULL; /* an attribute of another meaning */
        return HOST_DONE;
    }
    return unlike(file, to->values, components == 3 ? "3 floats per point" : "a float per point");
}

static void note_attributes(host_sequence *sequence)
{
    const abc_file *file = sequence->state;
    enum { NAMED_MAX = 8 };
    size_t unread = 0;
    for (size_t i = 0; i < file->attributes.count; i++) {
        const abc_property *property = &file->attributes.items[i];
        bool is_read = false;
        for (uint32_t a = 0; a < ARRAYS; a++)
            is_read =
                is_read || (file->params[a].values &&
                            abc_property_named(&file->attributes, arrays[a].name) == property);
        if (!is_read && ++unread <= NAMED_MAX)
            host_note(sequence->path, HOST_NO_OFFSET, "attribute \"%.*s\" is unknown and ignored",
                      (int)(property->name_length < 64 ? property->name_length : 64),
                      property->name);
    }
    if (unread > NAMED_MAX)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "unknown and ignored attributes besides these: %zu", unread - NAMED_MAX);
}

static int read_attributes(host_sequence *sequence)
{
    abc_file *file = sequence->state;
    const abc_property *all = abc_property_named(&file->geometry, ".arbGeomParams");
    int code = HOST_DONE;
    if (all && all->kind == ABC_COMPOUND)
        code = abc_properties_read(&file->archive, all->group.at, &file->attributes);
    for (uint32_t a = ROTATION; a < ARRAYS && !code; a++)
        code = find_param(file, &file->attributes, a);
    if (!code) note_attributes(sequence);
    return code;
}

static int read_geometry(host_sequence *sequence, size_t object)
{
    abc_file *file = sequence->state;
    int code = abc_properties_of(&file->archive, object, ".geom", &file->geometry);
    if (code) return code;
    const abc_property *positions = abc_property_named(&file->geometry, "P");
    if (!positions || !positions->samples)
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "the object \"%s\" has no positions \"P\"",
                          file->archive.objects[object].name);
    if (positions->kind != ABC_ARRAY || !is_float(positions) || positions->extent != 3)
        return unlike(file, positions, "3 floats per point");
    file->positions = file->lead = positions;
    for (uint32_t a = VELOCITY; a <= WIDTH && !code; a++)
        code = find_param(file, &file->geometry, a);
    if (code || sequence->type != POINT_PARTICLES) return code;
    const abc_property *ids = abc_property_named(&file->geometry, ".pointIds");
    if (ids && (ids->kind != ABC_ARRAY || !is_whole(ids) || ids->extent != 1))
        return unlike(file, ids, "whole numbers of 32 or 64 bits");
    file->ids = ids;
    return read_attributes(sequence);
}

/* Still points are moved by the first transform above them that changes. */
static int read_xforms(host_sequence *sequence, size_t object)
{
    abc_file *file = sequence->state;
    int code = abc_xforms_open(&file->archive, object, &file->xforms);
    for (size_t i = 0; i < file->xforms.count && file->lead->samples < 2; i++) {
        const abc_property *values = file->xforms.items[i].values;
        if (values && values->samples > 1) file->lead = values;
    }
    if (!code && file->xforms.count &&
        (file->params[ROTATION].values || file->params[AVELOCITY].values))
        host_note(sequence->path, HOST_NO_OFFSET,
                  "rotation and avelocity are not turned by the transforms above the points");
    return code;
}

/* ---- frames */

static double at_frame(const abc_file *file, double fps, uint32_t sample)
{
    double at = abc_time(&file->archive.samplings[file->lead->sampling], sample) * fps,
           whole = floor(at + 0.5);
    return fabs(at - whole) <= 1e-3 + fabs(at) * 2e-7 ? whole : at;
}

/* The rate of films, if all samples lie on whole frames of it; otherwise the closest two samples
   are one frame apart. */
static double guess_fps(const abc_file *file)
{
    const abc_sampling *sampling = &file->archive.samplings[file->lead->sampling];
    double closest = 0;
    bool all_whole = true;
    for (uint32_t i = 0; i < file->lead->samples; i++) {
        double at = at_frame(file, VERTEX_CACHE_FPS, i),
               gap = i ? abc_time(sampling, i) - abc_time(sampling, i - 1) : 0;
        all_whole = all_whole && at == floor(at);
        if (gap > 0 && (closest == 0 || gap < closest)) closest = gap;
    }
    return all_whole || !(closest > 1e-6) ? VERTEX_CACHE_FPS : 1 / closest;
}

/* Lists the samples that lie on whole frames. */
static int list_frames(host_sequence *sequence, double fps)
{
    abc_file *file = sequence->state;
    size_t count = 0;
    file->between = 0;
    for (uint32_t i = 0; i < file->lead->samples; i++) {
        double at = file->is_counted ? i + 1.0 : at_frame(file, fps, i);
        if (!(fabs(at) <= FRAME_MAX))
            return host_error(HOST_BAD_INPUT, sequence->path, file->lead->header_at,
                              "sample %u lies at frame %g, expected -1e9 to 1e9", i, at);
        if (count && !(at > (double)sequence->numbers[count - 1]))
            return host_error(HOST_BAD_INPUT, sequence->path, file->lead->header_at,
                              "the time of sample %u is not after that of the sample before it", i);
        if (at != floor(at)) {
            file->between++;
            continue;
        }
        file->samples[count] = i;
        sequence->numbers[count++] = (int32_t)at;
    }
    sequence->frame_count = count;
    sequence->fps = file->is_counted ? 0 : fps;
    return HOST_DONE;
}

/* Without a sample on a whole frame the frames are counted. */
static int place_frames(host_sequence *sequence, double fps)
{
    abc_file *file = sequence->state;
    int code = list_frames(sequence, fps);
    if (code || sequence->frame_count) return code;
    file->is_counted = true;
    return list_frames(sequence, fps);
}

static int number_frames(host_sequence *sequence)
{
    abc_file *file = sequence->state;
    const uint32_t samples = file->lead->samples;
    if (samples > FRAMES_MAX)
        return host_error(HOST_BAD_INPUT, sequence->path, file->lead->header_at,
                          "the file has %u samples, expected at most %d", samples, FRAMES_MAX);
    sequence->numbers = host_allocate(samples, sizeof *sequence->numbers);
    file->samples = host_allocate(samples, sizeof *file->samples);
    if (!sequence->numbers || !file->samples) return host_out_of_memory("the list of frames");
    file->is_counted = file->lead->sampling == 0; /* the sampling of writers that set no times */
    double fps = abc_archive_fps(&file->archive);
    if (!(fps > 0)) fps = file->guess = guess_fps(file);
    return place_frames(sequence, fps);
}

int abc_retime(host_sequence *sequence, double fps)
{
    abc_file *file = sequence->state;
    file->guess = 0;
    file->is_counted = file->lead->sampling == 0;
    return place_frames(sequence, fps);
}

static void note_times(const host_sequence *sequence, abc_file *file)
{
    if (atomic_exchange(&file->noted_times, true)) return;
    if (file->is_counted && file->lead->samples > 1)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "the times of the samples are not those of whole frames: frames count from 1");
    else if (file->guess > 0 && file->lead->samples > 1)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "times are read at %.6g frames per second; --fps N sets another rate",
                  file->guess);
    if (file->between && !file->is_counted)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "%u of %u samples lie between whole frames and are skipped", file->between,
                  file->lead->samples);
}

/* ---- the parts of a frame */

typedef struct part {
    uint64_t at, size; /* in the file; numbers */
} part;
typedef struct frame_parts {
    uint32_t count, streams;
    part positions, ids, values[ARRAYS], indices[ARRAYS];
} frame_parts;

static int find_part(abc_file *file, const abc_property *property, uint32_t sample, part *found)
{
    *found = (part){0};
    if (!property) return HOST_DONE;
    sample = abc_sample_at(&file->archive, property, file->lead, sample);
    int code = abc_sample_find(&file->archive, property, sample, &found->at, &found->size);
    found->size /= abc_type_bytes[property->type];
    return code;
}

static int wrong_count(const abc_file *file, const abc_property *property, const part *found,
                       uint32_t sample, uint32_t count)
{
    return host_error(HOST_BAD_INPUT, file->archive.source.path, found->at,
                      "\"%.*s\" of sample %u has %llu numbers, which do not fit %u points",
                      (int)(property->name_length < 64 ? property->name_length : 64),
                      property->name, sample, (unsigned long long)found->size, count);
}

/* An array has its numbers for each point, for all points at once, or none. */
static int find_values(abc_file *file, uint32_t array, uint32_t sample, frame_parts *parts)
{
    const param *from = &file->params[array];
    const uint32_t components = arrays[array].components;
    part *values = &parts->values[array], *indices = &parts->indices[array];
    int code = find_part(file, from->values, sample, values);
    if (!code) code = find_part(file, from->indices, sample, indices);
    if (code || !from->values || !values->size || !parts->count) return code;
    if (from->indices && indices->size) {
        if (indices->size != parts->count || values->size % components)
            return wrong_count(file, from->indices, indices, sample, parts->count);
        return HOST_DONE;
    }
    if (values->size == (uint64_t)parts->count * components || values->size == components)
        return HOST_DONE;
    return wrong_count(file, from->values, values, sample, parts->count);
}

static bool has_values(const abc_file *file, const frame_parts *parts, uint32_t array)
{
    return file->params[array].values && (parts->values[array].size || !parts->count);
}

static int find_parts(abc_file *file, uint32_t sample, frame_parts *parts)
{
    *parts = (frame_parts){.streams = POINT_BIT(POINT_LOCATION)};
    int code = find_part(file, file->positions, sample, &parts->positions);
    if (!code && parts->positions.size / 3 > INT32_MAX)
        code = wrong_count(file, file->positions, &parts->positions, sample, INT32_MAX);
    parts->count = (uint32_t)(parts->positions.size / 3);
    if (!code) code = find_part(file, file->ids, sample, &parts->ids);
    if (!code && parts->ids.size && parts->ids.size != parts->count)
        code = wrong_count(file, file->ids, &parts->ids, sample, parts->count);
    if (file->ids && (parts->ids.size || !parts->count)) parts->streams |= POINT_BIT(POINT_INDEX);
    for (uint32_t a = 0; a < ARRAYS && !code; a++) {
        code = find_values(file, a, sample, parts);
        if (has_values(file, parts, a)) parts->streams |= POINT_BIT(arrays[a].stream);
    }
    for (uint32_t a = BIRTH; a < ARRAYS; a++) /* all three, or none */
        if (!has_values(file, parts, a)) parts->streams &= ~POINT_BIT(POINT_TIMES);
    return code;
}

/* ---- loading */

static int load_positions(abc_file *file, const part *found, float *to)
{
    int code = HOST_DONE;
    const uint32_t size = abc_type_bytes[file->positions->type];
    uint8_t *bytes =
        abc_sample_read(&file->archive, file->positions, found->at, found->size * size, &code);
    for (uint64_t i = 0; i < found->size && !code; i++)
        to[i] = size == 8 ? (float)bytes_load_f64(bytes + 8 * i, false)
                          : bytes_load_f32(bytes + 4 * i, false);
    free(bytes);
    return code;
}

static int load_ids(abc_file *file, const part *found, uint32_t *to)
{
    int code = HOST_DONE;
    const uint32_t size = abc_type_bytes[file->ids->type];
    uint8_t *bytes =
        abc_sample_read(&file->archive, file->ids, found->at, found->size * size, &code);
    for (uint64_t i = 0; i < found->size && !code; i++) {
        uint64_t id = bytes_load(bytes + size * i, size, false);
        if (id > UINT32_MAX || (size == 4 && file->ids->type == ABC_I32 && id > INT32_MAX))
            code = host_error(HOST_BAD_INPUT, file->archive.source.path, found->at + size * i,
                              "the number of a point is %lld, expected 0 to 4294967295",
                              size == 8 ? (long long)id : (long long)(int32_t)(uint32_t)id);
        to[i] = (uint32_t)id;
    }
    free(bytes);
    return code;
}

/* The value of a point stands at the index of the point, if there are indices. */
static int load_values(abc_file *file, const frame_parts *parts, uint32_t array, host_frame *frame)
{
    const param *from = &file->params[array];
    const part *values = &parts->values[array], *indices = &parts->indices[array];
    const uint32_t size = abc_type_bytes[from->values->type], components = arrays[array].components;
    float *to = (float *)frame->data[arrays[array].stream] + arrays[array].first;
    int code = HOST_DONE;
    uint8_t *bytes = abc_sample_read(&file->archive, from->values, values->at, values->size * size,
                                     &code),
            *places = NULL;
    if (!code && from->indices && indices->size)
        places =
            abc_sample_read(&file->archive, from->indices, indices->at, indices->size * 4, &code);
    const uint64_t count = values->size / components;
    for (uint64_t i = 0; i < frame->count && !code; i++, to += arrays[array].stride) {
        uint64_t place = places ? bytes_load(places + 4 * i, 4, false) : count == 1 ? 0 : i;
        if (place >= count) {
            code = host_error(HOST_BAD_INPUT, file->archive.source.path, indices->at + 4 * i,
                              "the index of a value is %llu, expected less than %llu",
                              (unsigned long long)place, (unsigned long long)count);
            break;
        }
        const uint8_t *at = bytes + place * components * size;
        for (uint32_t k = 0; k < components; k++)
            to[k] = size == 8 ? (float)bytes_load_f64(at + 8 * k, false)
                              : bytes_load_f32(at + 4 * k, false);
        if (array == WIDTH) to[0] /= 2;
    }
    free(places);
    free(bytes);
    return code;
}

static int load_arrays(abc_file *file, const frame_parts *parts, host_frame *frame)
{
    int code = load_positions(file, &parts->positions, frame->data[POINT_LOCATION]);
    if (!code && parts->ids.size) code = load_ids(file, &parts->ids, frame->data[POINT_INDEX]);
    for (uint32_t a = 0; a < ARRAYS && !code; a++)
        if (parts->streams & POINT_BIT(arrays[a].stream)) code = load_values(file, parts, a, frame);
    return code;
}

static int order_points(const abc_file *file, const frame_parts *parts, host_frame *frame)
{
    const uint32_t count = frame->count;
    if (!host_frame_order(frame)) return host_out_of_memory("a frame");
    if (frame->count == count) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, file->archive.source.path, parts->ids.at,
                      "%u of %u points repeat the number of another point", count - frame->count,
                      count);
}

static void count_rows(host_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) ((uint32_t *)frame->data[POINT_INDEX])[i] = i;
}

int abc_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    abc_file *file = sequence->state;
    frame_parts parts;
    abc_matrix matrix;
    const uint32_t sample = file->samples[position];
    note_times(sequence, file);
    int code = find_parts(file, sample, &parts);
    if (code) return code;
    if (!host_frame_allocate(frame, parts.count, parts.streams))
        return host_out_of_memory("a frame");
    frame->number = sequence->numbers[position];
    count_rows(frame);
    if (frame->count) code = load_arrays(file, &parts, frame);
    if (!code) code = abc_xforms_at(&file->archive, &file->xforms, file->lead, sample, &matrix);
    if (!code && file->xforms.count) abc_matrix_apply(&matrix, frame);
    if (!code && parts.ids.size) code = order_points(file, &parts, frame);
    if (code) host_frame_free(frame);
    return code;
}

/* ---- opening */

static bool is_kept(const abc_file *file, const abc_property *property, uint32_t sample)
{
    if (!property) return true;
    uint32_t now = abc_sample_at(&file->archive, property, file->lead, sample),
             before = abc_sample_at(&file->archive, property, file->lead, sample - 1);
    return abc_slot(property, now) == abc_slot(property, before);
}

/* True when all parts of a sample are stored as those of the sample before it. */
static bool is_repeat(const abc_file *file, uint32_t sample)
{
    bool kept =
        sample && is_kept(file, file->positions, sample) && is_kept(file, file->ids, sample);
    for (uint32_t a = 0; a < ARRAYS && kept; a++)
        kept = is_kept(file, file->params[a].values, sample) &&
               is_kept(file, file->params[a].indices, sample);
    return kept;
}

/* Points of a sample; of the numbers of points the highest one. `parts` is that of the sample
   before it. A mesh of other vertices is no cloth. */
static int learn_frame(host_sequence *sequence, uint32_t sample, frame_parts *parts)
{
    abc_file *file = sequence->state;
    host_frame frame = {0};
    const part last_ids = parts->ids;
    const uint32_t last_count = parts->count;
    int code = is_repeat(file, sample) ? HOST_DONE : find_parts(file, sample, parts);
    if (code) return code;
    sequence->streams |= parts->streams;
    sequence->record_count += parts->count;
    if (sample && parts->count != last_count) sequence->type = POINT_PARTICLES;
    if (parts->count > sequence->point_count && !parts->ids.size)
        sequence->point_count = parts->count;
    if (!parts->ids.size || last_ids.at == parts->ids.at) return HOST_DONE;
    if (!host_frame_allocate(&frame, parts->count, 0)) return host_out_of_memory("a frame");
    code = load_ids(file, &parts->ids, frame.data[POINT_INDEX]);
    if (!code) code = order_points(file, parts, &frame);
    if (!code) host_sequence_note_points(sequence, &frame);
    host_frame_free(&frame);
    return code;
}

int abc_open(host_sequence *sequence, const char *path)
{
    size_t object = 0;
    frame_parts parts = {0};
    abc_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory("a file of frames");
    sequence->state = file;
    int code = abc_archive_open(&file->archive, sequence, path);
    if (!code) code = host_sequence_take_names(sequence, path);
    sequence->byte_count = file->archive.source.file_bytes;
    if (!code) code = choose_object(sequence, &object);
    if (!code) code = read_geometry(sequence, object);
    if (!code) code = read_xforms(sequence, object);
    if (!code) code = number_frames(sequence);
    for (uint32_t i = 0; !code && i < file->lead->samples; i++)
        code = learn_frame(sequence, i, &parts);
    return code;
}

void abc_close(host_sequence *sequence)
{
    abc_file *file = sequence->state;
    if (!file) return;
    for (uint32_t a = 0; a < ARRAYS; a++) abc_properties_free(&file->params[a].inner);
    abc_properties_free(&file->geometry);
    abc_properties_free(&file->attributes);
    abc_xforms_close(&file->xforms);
    abc_archive_close(&file->archive);
    free(file->samples);
    free(file);
    sequence->state = NULL;
}
