/* SPDX-License-Identifier: MIT
   host_tools/formats/usdc_sink.c - writes .usdc files: one prim of points with time samples.
   reads   host_frame                      writes  one file, when it is complete
   memory  8 bytes per frame and attribute; one array    cost    O(bytes)
   after   see usdc.h; version 0.8 of the format, arrays without compression */
#include "../compress/lz4.h"
#include "bytes.h"
#include "faces.h"
#include "usdc.h"
#include <math.h>
#include <stdlib.h>

#define DEFAULT_FPS 25.0

/* The last ones are of a mesh, and have no samples. */
enum { EXTENT = USDA_ATTRIBUTES, ROWS, COUNTS = ROWS, CORNERS, SUBDIVISION, ALL_ROWS };

/* Words of the file: these, then those of its attributes and their types. The first one is not
   used, because the word of an attribute's path has a minus sign. */
enum {
    WORD_NONE,
    WORD_DEFAULT_PRIM,
    WORD_START,
    WORD_END,
    WORD_FPS,
    WORD_CODES,
    WORD_METERS,
    WORD_UP,
    WORD_CHILDREN,
    WORD_SPECIFIER,
    WORD_TYPE,
    WORD_PROPERTIES,
    WORD_SAMPLES,
    WORD_INTERPOLATION,
    WORD_VERTEX,
    WORD_PRIM,
    WORD_POINTS,
    WORD_AXIS,
    WORD_ATTRIBUTES
};
static const char *const words[WORD_ATTRIBUTES] = {
    ";-)",           "defaultPrim",     "startTimeCode",
    "endTimeCode",   "framesPerSecond", "timeCodesPerSecond",
    "metersPerUnit", "upAxis",          "primChildren",
    "specifier",     "typeName",        "properties",
    "timeSamples",   "interpolation",   "vertex",
    "points",        "Points",          NULL};

/* At most: seven of the layer, three of the prim, three of each attribute; as many ends. */
enum {
    FIELDS_MAX = 10 + 3 * ALL_ROWS,
    SPECS_MAX = 2 + ALL_ROWS,
    WORDS_MAX = WORD_ATTRIBUTES + 2 * ALL_ROWS + 2
};

/* The tables, as they are collected at the end. */
typedef struct usdc_tables {
    const char *words[WORDS_MAX];
    uint32_t field_words[FIELDS_MAX], sets[FIELDS_MAX + SPECS_MAX], spec_sets[SPECS_MAX];
    uint64_t reps[FIELDS_MAX];
    uint32_t word_count, field_count, set_count, spec_count;
} usdc_tables;

typedef struct usdc_sink {
    host_output file;
    bytes_out out; /* of the file */
    double *times;
    uint64_t *reps[ROWS]; /* of each frame */
    size_t frames, times_room, reps_room[ROWS];
    uint8_t *bytes; /* of an array */
    size_t room;
    usdc_tables tables;
} usdc_sink;

static void free_state(host_sink *sink)
{
    usdc_sink *state = sink->state;
    for (uint32_t i = 0; i < ROWS; i++) free(state->reps[i]);
    free(state->times);
    free(state->bytes);
    free(state);
    sink->state = NULL;
}

/* ---- bytes */

static void put_f64(usdc_sink *state, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    bytes_put_u64(&state->out, word);
}

/* Values begin at multiples of 8, so that programs may use them in place. */
static uint64_t value_begin(usdc_sink *state)
{
    static const uint8_t zeros[8] = {0};
    bytes_put(&state->out, zeros, (size_t)((0 - state->out.at) & 7u));
    return state->out.at;
}

/* Grows the memory of an array. */
static bool has_room(usdc_sink *state, size_t size)
{
    if (size <= state->room) return true;
    uint8_t *bytes = realloc(state->bytes, size);
    if (bytes) state->bytes = bytes, state->room = size;
    return bytes != NULL;
}

int usdc_create(host_sink *sink, const char *path)
{
    usdc_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a file of frames");
    sink->state = state;
    int code = host_output_open(&state->file, path);
    state->out.stream = state->file.stream;
    if (!code && (code = host_output_goes_back(&state->file)) != HOST_DONE)
        host_output_close(&state->file, false);
    if (code) {
        free_state(sink);
        return code;
    }
    static const uint8_t head[USDC_HEAD_BYTES] = {0};
    bytes_put(&state->out, head, sizeof head);
    return HOST_DONE;
}

/* ---- arrays */

/* A width is twice the size of a point. */
static int check_width(const host_sink *sink, const host_frame *frame, float size)
{
    if (!isinf(2 * size) || isinf(size)) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                      "a point of frame %.10g has the size %.9g, but .usdc holds widths up to "
                      "3.4e38; lower --scale",
                      frame->number, (double)size);
}

static void store_item(uint8_t *to, const float *item, uint32_t components)
{
    for (uint32_t k = 0; k < components; k++) /* of a rotation the real part is the last one */
        bytes_store_f32(to + 4 * k, false, item[components == 4 ? (k + 1) & 3u : k]);
}

static uint32_t type_of(uint32_t row)
{
    uint32_t components = row == EXTENT ? 3 : usda_attributes[row].components;
    return row == USDA_IDS   ? USDC_INT64
           : components == 1 ? USDC_FLOAT
           : components == 3 ? USDC_VEC3F
                             : USDC_QUATF;
}

/* Writes an array of `count` items, which are in state->bytes; returns its word. */
static uint64_t put_array(usdc_sink *state, uint32_t row, uint32_t count, size_t bytes)
{
    uint64_t rep = USDC_IS_ARRAY | (uint64_t)type_of(row) << USDC_TYPE_AT;
    if (!count) return rep;
    uint64_t at = value_begin(state);
    bytes_put_u64(&state->out, count);
    bytes_put(&state->out, state->bytes, bytes);
    return rep | at;
}

/* A frame that lacks a stream has an empty array. */
static int put_attribute(const host_sink *sink, const host_frame *frame, uint32_t row,
                         uint64_t *rep)
{
    usdc_sink *state = sink->state;
    const usda_attribute *of = &usda_attributes[row];
    const float *values = frame->data[of->stream];
    const uint32_t *indices = frame->data[POINT_INDEX], stride = point_streams[of->stream].floats;
    const size_t size = row == USDA_IDS ? 8 : 4 * of->components;
    const uint32_t count = values ? frame->count : 0;
    if (!has_room(state, count * size)) return host_out_of_memory("a frame");
    for (size_t i = 0; i < count; i++) {
        uint8_t *to = state->bytes + i * size;
        const float *item = values + i * stride + of->first;
        if (row == USDA_IDS) {
            bytes_store(to, 8, false, indices[i]);
        } else if (row == USDA_WIDTHS) {
            int code = check_width(sink, frame, *item);
            if (code) return code;
            bytes_store_f32(to, false, 2 * *item);
        } else {
            store_item(to, item, of->components);
        }
    }
    *rep = put_array(state, row, count, count * size);
    return HOST_DONE;
}

/* The box around the points; of a frame without points it is a place at the origin. */
static int put_extent(usdc_sink *state, const host_frame *frame, uint64_t *rep)
{
    float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    const float *location = frame->data[POINT_LOCATION];
    for (size_t i = 0; i < (size_t)frame->count * 3; i++) {
        if (location[i] < box[i % 3]) box[i % 3] = location[i];
        if (location[i] > box[3 + i % 3]) box[3 + i % 3] = location[i];
    }
    if (!(box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5])) memset(box, 0, sizeof box);
    if (!has_room(state, sizeof box)) return host_out_of_memory("a frame");
    for (uint32_t i = 0; i < 6; i++) bytes_store_f32(state->bytes + 4 * i, false, box[i]);
    *rep = put_array(state, EXTENT, 2, sizeof box);
    return HOST_DONE;
}

int usdc_write(host_sink *sink, const host_frame *frame)
{
    usdc_sink *state = sink->state;
    int code = host_guard_check(state->file.name);
    if (!code && sink->options.faces) code = host_faces_check(sink, frame);
    double *times = host_lengthen(state->times, state->frames, &state->times_room, sizeof *times);
    if (!code && !times) code = host_out_of_memory("the times of frames");
    if (times) state->times = times, times[state->frames] = frame->number;
    for (uint32_t row = 0; row < ROWS && !code; row++) {
        if (!usda_writes(sink, row)) continue;
        uint64_t *reps =
            host_lengthen(state->reps[row], state->frames, &state->reps_room[row], sizeof *reps);
        if (!reps) return host_out_of_memory("the samples of frames");
        state->reps[row] = reps;
        code = row == EXTENT ? put_extent(state, frame, &reps[state->frames])
                             : put_attribute(sink, frame, row, &reps[state->frames]);
    }
    state->frames++;
    return code || !ferror(state->file.stream) ? code : host_not_written(sink->path);
}

/* ---- values of fields */

static uint64_t word_rep(uint32_t word)
{
    return USDC_IS_INLINE | (uint64_t)USDC_TOKEN << USDC_TYPE_AT | word;
}

static uint64_t put_double(usdc_sink *state, double value)
{
    uint64_t at = value_begin(state);
    put_f64(state, value);
    return (uint64_t)USDC_DOUBLE << USDC_TYPE_AT | at;
}

static uint64_t put_words(usdc_sink *state, const uint32_t *list, uint32_t count)
{
    uint64_t at = value_begin(state);
    bytes_put_u64(&state->out, count);
    bytes_write_words(state->file.stream, false, list, count);
    state->out.at += 4 * count;
    return (uint64_t)USDC_TOKENS << USDC_TYPE_AT | at;
}

/* Writes the times once, for all attributes. */
static uint64_t put_times(usdc_sink *state)
{
    uint64_t at = value_begin(state);
    bytes_put_u64(&state->out, state->frames);
    for (size_t i = 0; i < state->frames; i++) put_f64(state, state->times[i]);
    return (uint64_t)USDC_DOUBLES << USDC_TYPE_AT | at;
}

/* Each of the two parts begins with the distance to its end, as if values could lie between. */
static uint64_t put_samples(usdc_sink *state, uint32_t row, uint64_t times)
{
    uint64_t at = value_begin(state);
    bytes_put_u64(&state->out, 8);
    bytes_put_u64(&state->out, times);
    bytes_put_u64(&state->out, 8);
    bytes_put_u64(&state->out, state->frames);
    for (size_t i = 0; i < state->frames; i++) bytes_put_u64(&state->out, state->reps[row][i]);
    return (uint64_t)USDC_SAMPLES << USDC_TYPE_AT | at;
}

/* ---- tables */

static uint32_t add_word(usdc_tables *tables, const char *word)
{
    for (uint32_t i = 0; i < tables->word_count; i++)
        if (strcmp(tables->words[i], word) == 0) return i;
    tables->words[tables->word_count] = word;
    return tables->word_count++;
}

static void add_field(usdc_tables *tables, uint32_t word, uint64_t rep)
{
    tables->field_words[tables->field_count] = word;
    tables->reps[tables->field_count] = rep;
    tables->sets[tables->set_count++] = tables->field_count++;
}

static void begin_spec(usdc_tables *tables)
{
    tables->spec_sets[tables->spec_count++] = tables->set_count;
}

static void end_spec(usdc_tables *tables) { tables->sets[tables->set_count++] = UINT32_MAX; }

static void add_layer(const host_sink *sink)
{
    usdc_sink *state = sink->state;
    usdc_tables *tables = &state->tables;
    const uint32_t child = WORD_PRIM;
    const double fps = sink->options.fps > 0 ? sink->options.fps : DEFAULT_FPS;
    begin_spec(tables);
    add_field(tables, WORD_DEFAULT_PRIM, word_rep(WORD_PRIM));
    add_field(tables, WORD_START, put_double(state, state->times[0]));
    add_field(tables, WORD_END, put_double(state, state->times[state->frames - 1]));
    add_field(tables, WORD_FPS, put_double(state, fps));
    add_field(tables, WORD_CODES, put_double(state, fps));
    add_field(tables, WORD_METERS, put_double(state, 1));
    add_field(tables, WORD_UP, word_rep(WORD_AXIS));
    add_field(tables, WORD_CHILDREN, put_words(state, &child, 1));
    end_spec(tables);
}

static const char *name_of(uint32_t row)
{
    static const char *const names[ALL_ROWS - EXTENT] = {"extent", "faceVertexCounts",
                                                         "faceVertexIndices", "subdivisionScheme"};
    return row < EXTENT ? usda_attributes[row].name : names[row - EXTENT];
}

static bool has_row(const host_sink *sink, uint32_t row)
{
    return row < ROWS ? usda_writes(sink, row) : sink->options.faces != NULL;
}

static void add_prim(const host_sink *sink, uint32_t *names, uint32_t *name_count)
{
    usdc_sink *state = sink->state;
    usdc_tables *tables = &state->tables;
    *name_count = 0;
    for (uint32_t row = 0; row < ALL_ROWS; row++)
        if (has_row(sink, row)) names[(*name_count)++] = add_word(tables, name_of(row));
    begin_spec(tables);
    add_field(tables, WORD_SPECIFIER,
              USDC_IS_INLINE | (uint64_t)USDC_SPECIFIER << USDC_TYPE_AT); /* def */
    add_field(tables, WORD_TYPE, word_rep(WORD_POINTS));
    add_field(tables, WORD_PROPERTIES, put_words(state, names, *name_count));
    end_spec(tables);
}

static void add_attribute(usdc_sink *state, uint32_t row, uint64_t times)
{
    usdc_tables *tables = &state->tables;
    const char *type = row == EXTENT ? "float3[]" : usda_attributes[row].type;
    begin_spec(tables);
    add_field(tables, WORD_TYPE, word_rep(add_word(tables, type)));
    if (row >= USDA_WIDTHS && row != EXTENT)
        add_field(tables, WORD_INTERPOLATION, word_rep(WORD_VERTEX));
    add_field(tables, WORD_SAMPLES, put_samples(state, row, times));
    end_spec(tables);
}

/* An array of ints in full. */
static uint64_t put_faces(usdc_sink *state, const uint32_t *values, uint32_t count)
{
    uint64_t at = value_begin(state);
    bytes_put_u64(&state->out, count);
    bytes_write_words(state->file.stream, false, values, count);
    state->out.at += (uint64_t)4 * count;
    return USDC_IS_ARRAY | (uint64_t)USDC_INT << USDC_TYPE_AT | at;
}

/* Those of the mesh have defaults. Without subdivision, which is the default of a mesh. */
static void add_mesh(usdc_sink *state, const host_faces *faces)
{
    usdc_tables *tables = &state->tables;
    for (uint32_t row = COUNTS; row < ALL_ROWS; row++) {
        bool is_word = row == SUBDIVISION;
        uint64_t rep = row == COUNTS    ? put_faces(state, faces->counts, faces->face_count)
                       : row == CORNERS ? put_faces(state, faces->corners, faces->corner_count)
                                        : word_rep(add_word(tables, "none"));
        begin_spec(tables);
        add_field(tables, WORD_TYPE, word_rep(add_word(tables, is_word ? "token" : "int[]")));
        add_field(tables, add_word(tables, "default"), rep);
        end_spec(tables);
    }
}

/* ---- tables as bytes */

/* Compressed bytes: no chunks, and a block of literals alone. */
static int put_packed(usdc_sink *state, const uint8_t *bytes, size_t size)
{
    uint8_t *packed = host_allocate(1 + lz4_bound(size), 1);
    if (!packed) return host_out_of_memory("the tables of a file");
    size_t packed_size = 1 + lz4_store(bytes, size, packed + 1);
    bytes_put_u64(&state->out, packed_size);
    bytes_put(&state->out, packed, packed_size);
    free(packed);
    return HOST_DONE;
}

/* Integers as differences, all of them in full: two bits each, then four bytes each. */
static int put_ints(usdc_sink *state, const uint32_t *ints, uint32_t count)
{
    uint8_t coded[4 + (FIELDS_MAX + SPECS_MAX) * 5] = {0};
    uint32_t at = 4 + (count + 3) / 4, before = 0;
    memset(coded + 4, 255, at - 4);
    for (uint32_t i = 0; i < count; i++, at += 4) {
        bytes_store(coded + at, 4, false, ints[i] - before);
        before = ints[i];
    }
    return put_packed(state, coded, at);
}

static int put_word_table(usdc_sink *state)
{
    const usdc_tables *tables = &state->tables;
    char text[1024];
    size_t size = 0;
    for (uint32_t i = 0; i < tables->word_count; i++) {
        size_t length = strlen(tables->words[i]) + 1; /* all together about 500 */
        memcpy(text + size, tables->words[i], length);
        size += length;
    }
    bytes_put_u64(&state->out, tables->word_count);
    bytes_put_u64(&state->out, size);
    return put_packed(state, (const uint8_t *)text, size);
}

static int put_field_table(usdc_sink *state)
{
    const usdc_tables *tables = &state->tables;
    uint8_t reps[8 * FIELDS_MAX];
    for (uint32_t i = 0; i < tables->field_count; i++)
        bytes_store(reps + 8 * i, 8, false, tables->reps[i]);
    bytes_put_u64(&state->out, tables->field_count);
    int code = put_ints(state, tables->field_words, tables->field_count);
    return code ? code : put_packed(state, reps, 8 * (size_t)tables->field_count);
}

/* The layer, its prim, and the attributes of that, the last of which has no sibling. */
static int put_path_table(usdc_sink *state, const uint32_t *names, uint32_t name_count)
{
    uint32_t paths[SPECS_MAX], path_words[SPECS_MAX] = {WORD_NONE, WORD_PRIM},
                               jumps[SPECS_MAX] = {UINT32_MAX, UINT32_MAX},
                               count = 2 + name_count; /* -1 */
    for (uint32_t i = 0; i < count; i++) paths[i] = i;
    for (uint32_t i = 0; i < name_count; i++) path_words[2 + i] = 0u - names[i], jumps[2 + i] = 0;
    jumps[count - 1] = 0u - 2u;
    bytes_put_u64(&state->out, count);
    bytes_put_u64(&state->out, count);
    int code = put_ints(state, paths, count);
    if (!code) code = put_ints(state, path_words, count);
    return code ? code : put_ints(state, jumps, count);
}

static int put_spec_table(usdc_sink *state)
{
    const usdc_tables *tables = &state->tables;
    uint32_t paths[SPECS_MAX], kinds[SPECS_MAX] = {USDC_LAYER, USDC_PRIM};
    for (uint32_t i = 0; i < tables->spec_count; i++) {
        paths[i] = i;
        if (i > 1) kinds[i] = USDC_ATTRIBUTE;
    }
    bytes_put_u64(&state->out, tables->spec_count);
    int code = put_ints(state, paths, tables->spec_count);
    if (!code) code = put_ints(state, tables->spec_sets, tables->spec_count);
    return code ? code : put_ints(state, kinds, tables->spec_count);
}

static int put_set_table(usdc_sink *state)
{
    bytes_put_u64(&state->out, state->tables.set_count);
    return put_ints(state, state->tables.sets, state->tables.set_count);
}

/* ---- the file */

static int put_tables(usdc_sink *state, const uint32_t *names, uint32_t name_count)
{
    static const char table_names[6][16] = {"TOKENS",    "STRINGS", "FIELDS",
                                            "FIELDSETS", "PATHS",   "SPECS"};
    uint64_t begin[7];
    int code = HOST_DONE;
    for (uint32_t t = 0; t < 6 && !code; t++) {
        begin[t] = t ? state->out.at : value_begin(state);
        if (t == 0) code = put_word_table(state);
        if (t == 1) bytes_put_u64(&state->out, 0);
        if (t == 2) code = put_field_table(state);
        if (t == 3) code = put_set_table(state);
        if (t == 4) code = put_path_table(state, names, name_count);
        if (t == 5) code = put_spec_table(state);
    }
    begin[6] = state->out.at;
    bytes_put_u64(&state->out, 6);
    for (uint32_t t = 0; t < 6; t++) {
        bytes_put(&state->out, table_names[t], 16);
        bytes_put_u64(&state->out, begin[t]);
        bytes_put_u64(&state->out, begin[t + 1] - begin[t]);
    }
    if (fseeko(state->file.stream, 0, SEEK_SET) != 0) return HOST_IO;
    static const uint8_t version[8] = {0, 8, 0};
    bytes_put(&state->out, USDC_MAGIC, 8);
    bytes_put(&state->out, version, sizeof version);
    bytes_put_u64(&state->out, begin[6]);
    return code;
}

static int put_end(const host_sink *sink)
{
    usdc_sink *state = sink->state;
    uint32_t names[ALL_ROWS], name_count;
    memcpy(state->tables.words, words, sizeof words);
    if (sink->options.faces) {
        state->tables.words[WORD_PRIM] = "mesh";
        state->tables.words[WORD_POINTS] = "Mesh";
    }
    state->tables.words[WORD_AXIS] = sink->options.is_y_up ? "Y" : "Z";
    state->tables.word_count = WORD_ATTRIBUTES;
    add_layer(sink);
    add_prim(sink, names, &name_count);
    uint64_t times = put_times(state);
    for (uint32_t row = 0; row < ROWS; row++)
        if (usda_writes(sink, row)) add_attribute(state, row, times);
    if (sink->options.faces) add_mesh(state, sink->options.faces);
    int code = put_tables(state, names, name_count);
    return code == HOST_IO || ferror(state->file.stream) ? host_not_written(sink->path) : code;
}

int usdc_finish(host_sink *sink)
{
    usdc_sink *state = sink->state;
    int code = host_sink_check_frames(sink->path, state->frames);
    if (!code) code = put_end(sink);
    int closed = host_output_close(&state->file, !code);
    free_state(sink);
    return code ? code : closed;
}

void usdc_abandon(host_sink *sink)
{
    usdc_sink *state = sink->state;
    host_output_close(&state->file, false);
    free_state(sink);
}
