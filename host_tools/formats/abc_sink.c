/* SPDX-License-Identifier: MIT
   host_tools/formats/abc_sink.c - writes Alembic archives: samples frame by frame, then the groups
           that list them, and the header.
   reads   host_frame                      writes  one file, when it is complete
   memory  8 bytes per frame and array, 8 per frame; one array    cost    O(points) per frame
   after   see abc.h; one object of points, or one mesh, below a transform that changes nothing */
#include "abc.h"
#include "bytes.h"
#include "faces.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The library whose files these are like: 1.8.0. */
enum { LIBRARY_VERSION = 10800, HEADER_MAX = 1024 };

/* Metadata that properties and objects share; each is known by its place, from 1 on. */
enum {
    META_NONE,
    META_BOX,
    META_POINT,
    META_VARYING,
    META_VECTOR,
    META_GEOM,
    META_POINTS,
    META_XFORM,
    META_XFORM_OBJECT,
    META_FLOAT,
    META_QUATERNION,
    META_ATTRIBUTE_VECTOR,
    META_MESH_FIRST,
    META_MESH_GEOM = META_MESH_FIRST,
    META_MESH,
    METAS
};
#define ATTRIBUTE(interpretation, extent)                                             \
    "arrayExtent=1;geoScope=var;" interpretation "isGeomParam=true;podExtent=" extent \
    ";podName=float32_t"
static const char *const metas[METAS] = {
    [META_BOX] = "interpretation=box",
    [META_POINT] = "geoScope=var;interpretation=point",
    [META_VARYING] = "geoScope=var",
    [META_VECTOR] = "interpretation=vector",
    [META_GEOM] = "schema=AbcGeom_Points_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    [META_POINTS] = "schema=AbcGeom_Points_v1;schemaBaseType=AbcGeom_GeomBase_v1;"
                    "schemaObjTitle=AbcGeom_Points_v1:.geom",
    [META_XFORM] = "schema=AbcGeom_Xform_v3",
    [META_XFORM_OBJECT] = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
    [META_FLOAT] = ATTRIBUTE("", "1"),
    [META_QUATERNION] = ATTRIBUTE("interpretation=quat;", "4"),
    [META_ATTRIBUTE_VECTOR] = ATTRIBUTE("interpretation=vector;", "3"),
    [META_MESH_GEOM] = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    [META_MESH] = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;"
                  "schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
};

/* What is written of each frame. */
enum {
    BOX,
    POSITION,
    IDS,
    VELOCITY,
    WIDTH,
    CORNERS,
    COUNTS,
    ROTATION,
    AVELOCITY,
    BIRTH,
    DIE,
    LIFE,
    SERIES
};
static const struct row {
    const char *name;
    uint32_t stream, type, extent, meta, first; /* of the floats in an element of the stream */
} rows[SERIES] = {
    [BOX] = {".selfBnds", POINT_LOCATION, ABC_F64, 6, META_BOX, 0},
    [POSITION] = {"P", POINT_LOCATION, ABC_F32, 3, META_POINT, 0},
    [IDS] = {".pointIds", POINT_INDEX, ABC_U64, 1, META_VARYING, 0},
    [VELOCITY] = {".velocities", POINT_VELOCITY, ABC_F32, 3, META_VECTOR, 0},
    [WIDTH] = {".widths", POINT_SIZE, ABC_F32, 1, META_FLOAT, 0},
    [CORNERS] = {".faceIndices", POINT_INDEX, ABC_I32, 1, META_NONE, 0},
    [COUNTS] = {".faceCounts", POINT_INDEX, ABC_I32, 1, META_NONE, 0},
    [ROTATION] = {"rotation", POINT_ROTATION, ABC_F32, 4, META_QUATERNION, 0},
    [AVELOCITY] = {"avelocity", POINT_ANGULAR, ABC_F32, 3, META_ATTRIBUTE_VECTOR, 0},
    [BIRTH] = {"birth", POINT_TIMES, ABC_F32, 1, META_FLOAT, 0},
    [DIE] = {"die", POINT_TIMES, ABC_F32, 1, META_FLOAT, 1},
    [LIFE] = {"life", POINT_TIMES, ABC_F32, 1, META_FLOAT, 2},
};

typedef struct series {
    uint64_t *entries; /* of the stored samples */
    size_t count, room;
    uint32_t first, last; /* the first sample that differs from sample 0, and the last change */
    uint64_t last_size, items;
    bool is_uneven, is_not_one;
    uint8_t key[ABC_KEY_BYTES], sum[ABC_KEY_BYTES]; /* of the last sample, of all */
} series;

typedef struct abc_sink {
    host_output file;
    series all[SERIES];
    bytes_out out; /* of the file */
    uint32_t frames;
    double *numbers; /* of the frames */
    size_t room;
    uint8_t *bytes; /* of one array */
    size_t byte_room;
} abc_sink;

static bool is_written(const host_sink *sink, uint32_t s)
{
    bool is_mesh = sink->options.faces != NULL;
    if (s == CORNERS || s == COUNTS) return is_mesh;
    if (s <= IDS || s == WIDTH) /* vertices have neither numbers nor widths */
        return s <= POSITION ||
               (!is_mesh && (s == IDS || sink->options.streams >> POINT_SIZE & 1u));
    return sink->options.streams >> rows[s].stream & 1u;
}

/* Appends data, and returns the entry that a group has of them. */
static uint64_t put_data(abc_sink *state, const void *bytes, size_t size)
{
    const uint64_t at = state->out.at;
    if (!size) return ABC_IS_DATA;
    bytes_put_u64(&state->out, size);
    bytes_put(&state->out, bytes, size);
    return at | ABC_IS_DATA;
}

static uint64_t put_group(abc_sink *state, const uint64_t *entries, size_t count)
{
    const uint64_t at = state->out.at;
    bytes_put_u64(&state->out, count);
    for (size_t i = 0; i < count; i++) bytes_put_u64(&state->out, entries[i]);
    return at;
}

/* ---- samples */

static int add_entry(series *to, uint64_t entry)
{
    uint64_t *entries = host_lengthen(to->entries, to->count, &to->room, sizeof *entries);
    if (!entries) return host_out_of_memory("the list of samples");
    to->entries = entries;
    entries[to->count++] = entry;
    return HOST_DONE;
}

/* Adds the numbers in state->bytes as the next sample, unless they are those of the last one. What
   stays as in sample 0, or as after the last change, needs no entries. */
static int put_sample(abc_sink *state, uint32_t s, uint64_t items, size_t size)
{
    series *to = &state->all[s];
    uint8_t sums[2 * ABC_KEY_BYTES + 8];
    int code = HOST_DONE;
    memcpy(sums, to->sum, ABC_KEY_BYTES);
    abc_key(state->bytes, size, sums + ABC_KEY_BYTES);
    bytes_store(sums + 2 * ABC_KEY_BYTES, 8, false, items);
    abc_key(sums, sizeof sums, to->sum);
    to->is_not_one = to->is_not_one || items != 1;
    to->is_uneven = to->is_uneven || (state->frames && items != to->items);
    to->items = items;
    if (state->frames && size == to->last_size &&
        memcmp(sums + ABC_KEY_BYTES, to->key, ABC_KEY_BYTES) == 0)
        return HOST_DONE;
    for (uint32_t i = to->last + 1; to->first && i < state->frames && !code; i++)
        code = add_entry(to, to->entries[to->count - 1]);
    memcpy(to->key, sums + ABC_KEY_BYTES, ABC_KEY_BYTES);
    to->last_size = size;
    if (!to->first) to->first = state->frames;
    to->last = state->frames;
    if (!code) code = add_entry(to, size ? state->out.at | ABC_IS_DATA : ABC_IS_DATA);
    if (code || !size) return code;
    bytes_put_u64(&state->out, ABC_KEY_BYTES + size);
    bytes_put(&state->out, to->key, ABC_KEY_BYTES);
    bytes_put(&state->out, state->bytes, size);
    return ferror(state->file.stream) ? host_not_written(state->file.name) : HOST_DONE;
}

static int take_room(abc_sink *state, size_t count, size_t item)
{
    if (count * item <= state->byte_room) return HOST_DONE;
    free(state->bytes);
    state->bytes = host_allocate(count, item);
    state->byte_room = state->bytes ? count * item : 0;
    return state->bytes ? HOST_DONE : host_out_of_memory("a frame");
}

/* The least box around the points; without points its least is above its most. */
static int put_box(abc_sink *state, const host_frame *frame)
{
    double box[6] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    const float *location = frame->data[POINT_LOCATION];
    for (size_t i = 0; i < (size_t)frame->count * 3; i++) {
        const double at = (double)location[i];
        if (at < box[i % 3]) box[i % 3] = at;
        if (at > box[3 + i % 3]) box[3 + i % 3] = at;
    }
    int code = take_room(state, 6, 8);
    for (uint32_t k = 0; k < 6 && !code; k++) {
        uint64_t word;
        memcpy(&word, &box[k], sizeof word);
        bytes_store(state->bytes + (size_t)8 * k, 8, false, word);
    }
    return code ? code : put_sample(state, BOX, 1, 48);
}

/* A width is twice the size of a point. */
static int put_widths(abc_sink *state, const host_frame *frame)
{
    const float *sizes = frame->data[POINT_SIZE];
    int code = take_room(state, frame->count, 4);
    for (size_t i = 0; i < frame->count && !code; i++) {
        float width = 2 * sizes[i];
        bytes_store_f32(state->bytes + 4 * i, false, width);
        if (isinf(width) && isfinite(sizes[i]))
            code = host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                              "a point of frame %.10g has the size %.9g, but .abc holds widths up "
                              "to 3.4e38; lower --scale",
                              frame->number, (double)sizes[i]);
    }
    return code ? code : put_sample(state, WIDTH, frame->count, (size_t)frame->count * 4);
}

static int put_ids(abc_sink *state, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    int code = take_room(state, frame->count, 8);
    for (size_t i = 0; i < frame->count && !code; i++)
        bytes_store(state->bytes + 8 * i, 8, false, indices[i]);
    return code ? code : put_sample(state, IDS, frame->count, (size_t)frame->count * 8);
}

static int put_floats(abc_sink *state, const host_frame *frame, uint32_t s)
{
    const struct row *row = &rows[s];
    const float *from = frame->data[row->stream];
    const uint32_t stride = point_streams[row->stream].floats;
    int code = take_room(state, frame->count, (size_t)row->extent * 4);
    for (size_t i = 0; i < frame->count && !code; i++)
        for (uint32_t k = 0; k < row->extent; k++)
            bytes_store_f32(state->bytes + 4 * (i * row->extent + k), false,
                            from[i * stride + row->first + k]);
    return code ? code : put_sample(state, s, frame->count, (size_t)frame->count * row->extent * 4);
}

/* The same in each frame. Faces are clockwise here. */
static int put_faces(abc_sink *state, const host_faces *faces, uint32_t s)
{
    const uint32_t items = s == COUNTS ? faces->face_count : faces->corner_count;
    int code = take_room(state, items, 4);
    uint8_t *to = state->bytes;
    if (code) return code;
    for (uint32_t f = 0, first = 0; f < faces->face_count; first += faces->counts[f++]) {
        if (s == COUNTS) bytes_store(to + (size_t)4 * f, 4, false, faces->counts[f]);
        for (uint32_t k = 0; s == CORNERS && k < faces->counts[f]; k++)
            bytes_store(to + (size_t)4 * (first + k), 4, false,
                        faces->corners[first + faces->counts[f] - 1 - k]);
    }
    return put_sample(state, s, items, (size_t)items * 4);
}

/* A frame that lacks a stream has an empty array, as in the library. */
static int put_series(const host_sink *sink, const host_frame *frame, uint32_t s)
{
    abc_sink *state = sink->state;
    if (s == CORNERS || s == COUNTS) return put_faces(state, sink->options.faces, s);
    if (!frame->data[rows[s].stream]) return put_sample(state, s, 0, 0);
    if (s == BOX) return put_box(state, frame);
    if (s == IDS) return put_ids(state, frame);
    return s == WIDTH ? put_widths(state, frame) : put_floats(state, frame, s);
}

/* ---- the calls */

static void free_state(host_sink *sink)
{
    abc_sink *state = sink->state;
    for (uint32_t s = 0; s < SERIES; s++) free(state->all[s].entries);
    free(state->numbers);
    free(state->bytes);
    free(state);
    sink->state = NULL;
}

int abc_create(host_sink *sink, const char *path)
{
    static const uint8_t head[ABC_HEAD_BYTES];
    abc_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a file of frames");
    sink->state = state;
    int code = host_output_open(&state->file, path);
    state->out.stream = state->file.stream;
    if (!code && (code = host_output_goes_back(&state->file)) != HOST_DONE)
        host_output_close(&state->file, false);
    if (!code)
        bytes_put(&state->out, head, sizeof head);
    else
        free_state(sink);
    return code;
}

int abc_write(host_sink *sink, const host_frame *frame)
{
    abc_sink *state = sink->state;
    int code = host_guard_check(state->file.name);
    if (!code && sink->options.faces) code = host_faces_check(sink, frame);
    if (code) return code;
    double *numbers = host_lengthen(state->numbers, state->frames, &state->room, sizeof *numbers);
    if (!numbers) return host_out_of_memory("the list of frames");
    state->numbers = numbers;
    numbers[state->frames] = frame->number;
    code = take_room(state, 1, 1); /* a place for arrays without numbers */
    for (uint32_t s = 0; s < SERIES && !code; s++)
        if (is_written(sink, s)) code = put_series(sink, frame, s);
    state->frames += !code;
    return code;
}

void abc_abandon(host_sink *sink)
{
    abc_sink *state = sink->state;
    host_output_close(&state->file, false);
    free_state(sink);
}

/* ---- the end of the file: headers */

typedef struct text {
    uint8_t bytes[HEADER_MAX];
    size_t size;
} text;

static void add_number(text *to, uint32_t bytes, uint64_t value)
{
    bytes_store(to->bytes + to->size, bytes, false, value);
    to->size += bytes;
}

static void add_words(text *to, const char *words)
{
    memcpy(to->bytes + to->size, words, strlen(words));
    to->size += strlen(words);
}

static void add_compound(text *to, const char *name, uint32_t meta)
{
    add_number(to, 4, meta << ABC_META_SHIFT);
    add_number(to, 1, strlen(name));
    add_words(to, name);
}

/* The header of an array, or of the box. */
static void add_series(const abc_sink *state, text *to, uint32_t s)
{
    const series *from = &state->all[s];
    const struct row *row = &rows[s];
    const uint32_t size = state->frames > 65535 ? 2
                          : state->frames > 255 ? 1
                                                : 0,
                   bytes = 1u << size;
    bool is_constant = from->last == 0,
         has_changes = !is_constant && (from->first != 1 || from->last != state->frames - 1);
    uint32_t kind = s == BOX ? ABC_SCALAR : from->is_not_one ? ABC_ARRAY : ABC_ARRAY_OF_ONES;
    add_number(to, 4,
               kind | size << ABC_SIZE_SHIFT | row->type << ABC_TYPE_SHIFT | ABC_HAS_SAMPLING |
                   (has_changes ? ABC_HAS_CHANGES : 0u) | (from->is_uneven ? 0u : ABC_IS_EVEN) |
                   (is_constant ? ABC_IS_CONSTANT : 0u) | row->extent << ABC_EXTENT_SHIFT |
                   row->meta << ABC_META_SHIFT);
    add_number(to, bytes, state->frames);
    if (has_changes) {
        add_number(to, bytes, from->first);
        add_number(to, bytes, from->last);
    }
    add_number(to, bytes, 1); /* the second of the time samplings */
    add_number(to, bytes, strlen(row->name));
    add_words(to, row->name);
}

/* The header of a child, then the hashes of the object's properties and of its children. */
static void add_object(text *to, const char *name, uint32_t meta, const uint8_t *own,
                       const uint8_t *children)
{
    static const uint8_t none[ABC_KEY_BYTES];
    if (name) {
        add_number(to, 4, strlen(name));
        add_words(to, name);
        add_number(to, 1, meta);
    }
    memcpy(to->bytes + to->size, own ? own : none, ABC_KEY_BYTES);
    memcpy(to->bytes + to->size + ABC_KEY_BYTES, children ? children : none, ABC_KEY_BYTES);
    to->size += ABC_HASHES_BYTES;
}

static void add_float64(text *to, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    add_number(to, 8, word);
}

/* ---- the end of the file: groups */

static uint64_t put_text(abc_sink *state, const text *from)
{
    return put_data(state, from->bytes, from->size);
}

/* A group of at most two entries, and the headers as its last one. */
static uint64_t put_headed(abc_sink *state, const text *headers, uint64_t first, uint64_t second,
                           size_t count)
{
    uint64_t entries[3] = {first, second};
    entries[count] = put_text(state, headers);
    return put_group(state, entries, count + 1);
}

/* Of an array each sample has a second entry, its shape: empty for a list. */
static uint64_t put_samples(abc_sink *state, uint32_t s)
{
    const uint64_t at = state->out.at;
    const series *from = &state->all[s];
    bytes_put_u64(&state->out, from->count * (s == BOX ? 1 : 2));
    for (size_t i = 0; i < from->count; i++) {
        bytes_put_u64(&state->out, from->entries[i]);
        if (s != BOX) bytes_put_u64(&state->out, ABC_IS_DATA);
    }
    return at;
}

/* A compound of the series from `first` to `end`; `more` is a last child named `name`, 0 for
   none. */
static uint64_t put_compound(const host_sink *sink, uint32_t first, uint32_t end, const char *name,
                             uint64_t more)
{
    abc_sink *state = sink->state;
    uint64_t entries[SERIES + 2];
    size_t count = 0;
    text headers = {.size = 0};
    for (uint32_t s = first; s < end; s++) {
        if (!is_written(sink, s)) continue;
        entries[count++] = put_samples(state, s);
        add_series(state, &headers, s);
    }
    if (more) {
        entries[count++] = more;
        add_compound(&headers, name, META_NONE);
    }
    if (!count) return 0;
    entries[count++] = put_text(state, &headers);
    return put_group(state, entries, count);
}

/* The compound of an object's properties, which has one child. */
static uint64_t put_properties(abc_sink *state, const char *name, uint32_t meta, uint64_t child)
{
    text headers = {.size = 0};
    add_compound(&headers, name, meta);
    return put_headed(state, &headers, child, 0, 1);
}

/* The points and the transform above them; the group of the whole is returned. */
static uint64_t put_objects(const host_sink *sink)
{
    abc_sink *state = sink->state;
    const bool is_mesh = sink->options.faces != NULL;
    uint8_t sums[SERIES * ABC_KEY_BYTES], own[ABC_KEY_BYTES], above[ABC_KEY_BYTES];
    text points = {.size = 0}, xform = {.size = 0}, top = {.size = 0};
    size_t used = 0;
    for (uint32_t s = 0; s < SERIES; s++) {
        if ((s == CORNERS || s == COUNTS) && !is_mesh) continue;
        memcpy(sums + used, state->all[s].sum, ABC_KEY_BYTES);
        used += ABC_KEY_BYTES;
    }
    abc_key(sums, used, own);
    abc_key(own, sizeof own, above);
    const uint64_t attributes = put_compound(sink, ROTATION, SERIES, NULL, 0),
                   geom = put_compound(sink, BOX, ROTATION, ".arbGeomParams", attributes);
    const uint64_t own_at =
        put_properties(state, ".geom", is_mesh ? META_MESH_GEOM : META_GEOM, geom);
    add_object(&points, NULL, 0, own, NULL);
    const uint64_t shape_at = put_headed(state, &points, own_at, 0, 1);
    add_object(&xform, is_mesh ? "meshShape" : "pointsShape", is_mesh ? META_MESH : META_POINTS,
               NULL, above);
    const uint64_t moved_at = put_properties(state, ".xform", META_XFORM, 0),
                   placed_at = put_headed(state, &xform, moved_at, shape_at, 2);
    abc_key(above, sizeof above, above);
    add_object(&top, is_mesh ? "mesh" : "points", META_XFORM_OBJECT, NULL, above);
    return put_headed(state, &top, 0, placed_at, 2);
}

static bool is_spaced(const abc_sink *state)
{
    for (uint32_t i = 2; i < state->frames; i++)
        if (state->numbers[i] - state->numbers[i - 1] != state->numbers[1] - state->numbers[0])
            return false;
    return true;
}

/* The sampling of files without times, then that of the frames: frame F lies at F / fps seconds. */
static uint64_t put_times(abc_sink *state, double fps)
{
    text times = {.size = 0};
    const bool is_even = is_spaced(state);
    const double step = state->frames > 1 ? state->numbers[1] - state->numbers[0] : 1;
    const uint32_t count = is_even ? 1 : state->frames;
    const uint64_t at = state->out.at;
    add_number(&times, 4, 0);
    add_float64(&times, 1);
    add_number(&times, 4, 1);
    add_float64(&times, 0);
    add_number(&times, 4, state->frames);
    add_float64(&times, is_even ? step / fps : ABC_ACYCLIC);
    add_number(&times, 4, count);
    bytes_put_u64(&state->out, times.size + (uint64_t)count * 8);
    bytes_put(&state->out, times.bytes, times.size);
    for (uint32_t i = 0; i < count; i++) {
        times.size = 0;
        add_float64(&times, state->numbers[i] / fps);
        bytes_put(&state->out, times.bytes, times.size);
    }
    return at | ABC_IS_DATA;
}

static uint64_t put_metas(abc_sink *state, bool is_mesh)
{
    text all = {.size = 0};
    for (uint32_t i = 1; i < (is_mesh ? METAS : META_MESH_FIRST); i++) {
        add_number(&all, 1, strlen(metas[i]));
        add_words(&all, metas[i]);
    }
    return put_text(state, &all);
}

static int put_end(host_sink *sink)
{
    abc_sink *state = sink->state;
    uint8_t number[4], head[ABC_HEAD_BYTES] = "Ogawa\xff";
    char about[64];
    const double fps = sink->options.fps > 0 ? sink->options.fps : ABC_FPS;
    uint64_t entries[ABC_ROOT_ENTRIES];
    entries[ABC_ROOT_TOP] = put_objects(sink);
    bytes_store(number, 4, false, 0);
    entries[ABC_ROOT_VERSION] = put_data(state, number, 4);
    bytes_store(number, 4, false, LIBRARY_VERSION);
    entries[ABC_ROOT_LIBRARY] = put_data(state, number, 4);
    snprintf(about, sizeof about, "_ai_Application=Tidepool;_ai_DCC_FPS=%.15g", fps);
    entries[ABC_ROOT_METADATA] = put_data(state, about, strlen(about));
    entries[ABC_ROOT_TIMES] = put_times(state, fps);
    entries[ABC_ROOT_INDEXED] = put_metas(state, sink->options.faces != NULL);
    const uint64_t root = put_group(state, entries, ABC_ROOT_ENTRIES);
    bytes_store(head + ABC_AT_VERSION, 2, true, 1);
    bytes_store(head + ABC_AT_ROOT, 8, false, root);
    if (fseeko(state->file.stream, 0, SEEK_SET) != 0) return host_not_written(state->file.name);
    fwrite(head, 1, sizeof head, state->file.stream);
    return ferror(state->file.stream) ? host_not_written(state->file.name) : HOST_DONE;
}

int abc_finish(host_sink *sink)
{
    abc_sink *state = sink->state;
    int code = host_sink_check_frames(state->file.name, state->frames);
    if (!code) code = put_end(sink);
    int closed = host_output_close(&state->file, !code);
    free_state(sink);
    return code ? code : closed;
}
