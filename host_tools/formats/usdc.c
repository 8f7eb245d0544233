/* SPDX-License-Identifier: MIT
   host_tools/formats/usdc.c - finds the prims of points or meshes in a .usdc file, and their
           samples.
   reads   .usdc                           writes  usda_scan
   memory  the tables of the file          cost    O(tables)
   after   see usdc.h. The arrays themselves are read by usda.c, frame by frame */
#include "../compress/lz4.h"
#include "bytes.h"
#include "usdc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = 6, TABLE_ENTRY = 32, TABLES_MAX = 64, DEPTH_MAX = 128, NONE = -1 };
enum { TOKENS, STRINGS, FIELDS, FIELDSETS, PATHS, SPECS };
#define ENDS UINT32_MAX /* of a set of fields */

/* A path: its last word, and the path that it is below. */
typedef struct crate_path {
    uint32_t parent, word;
    bool is_known, is_property;
    size_t prim; /* in the scan; 0: none */
} crate_path;

typedef struct crate {
    host_source *source;
    usda_scan *scan;
    uint32_t version;
    uint64_t begin[TABLES], size[TABLES];
    char *text;         /* of the words, each with a zero byte */
    const char **words; /* places in it */
    uint64_t *reps;     /* values of the fields */
    uint32_t *field_words, *sets;
    crate_path *paths;
    uint32_t *spec_paths, *spec_sets, *spec_kinds;
    size_t word_count, field_count, set_count, path_count, spec_count;
} crate;

bool usdc_recognises(const uint8_t *start, size_t size)
{
    return size >= 8 && memcmp(start, USDC_MAGIC, 8) == 0;
}

int usdc_open(host_sequence *sequence, const char *path) { return usda_open(sequence, path); }
int usdc_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    return usda_load(sequence, position, frame);
}
void usdc_close(host_sequence *sequence) { usda_close(sequence); }

static int crate_error(const crate *of, uint64_t at, const char *wanted)
{
    return host_error(HOST_BAD_INPUT, of->source->path, at, "expected %s", wanted);
}

/* ---- the tables */

/* The entry of a table of contents: its name, begin and size. */
static int take_entry(crate *of, const uint8_t *entry, uint64_t at)
{
    static const char *const names[TABLES] = {"TOKENS",    "STRINGS", "FIELDS",
                                              "FIELDSETS", "PATHS",   "SPECS"};
    for (uint32_t t = 0; t < TABLES; t++) {
        if (strncmp((const char *)entry, names[t], 16) != 0) continue;
        of->begin[t] = bytes_load(entry + 16, 8, false);
        of->size[t] = bytes_load(entry + 24, 8, false);
        if (of->begin[t] > of->source->file_bytes ||
            of->size[t] > of->source->file_bytes - of->begin[t])
            return crate_error(of, at + 16, "a table within the file");
    }
    return HOST_DONE;
}

static int take_contents(crate *of)
{
    uint8_t head[USDC_HEAD_BYTES], entry[TABLE_ENTRY];
    int code = host_source_read_all(of->source, 0, head, sizeof head, "the head");
    if (code) return code;
    of->version = 256u * head[8] + head[9];
    if (of->version < 4 || head[8])
        return host_error(HOST_BAD_INPUT, of->source->path, 8,
                          "has version %u.%u of the format, expected 0.4 or a later 0.x; usdcat IN "
                          "-o OUT.usda converts it",
                          head[8], head[9]);
    uint64_t at = bytes_load(head + 16, 8, false);
    if (at > of->source->file_bytes)
        return crate_error(of, 16, "the offset of the list of tables, within the file");
    code = host_source_read_all(of->source, at, head, 8, "the list of tables");
    uint64_t count = bytes_load(head, 8, false);
    if (!code && count > TABLES_MAX) return crate_error(of, at, "at most 64 tables");
    for (uint64_t i = 0; i < count && !code; i++) {
        uint64_t place = at + 8 + i * TABLE_ENTRY;
        code = host_source_read_all(of->source, place, entry, sizeof entry, "the list of tables");
        if (!code) code = take_entry(of, entry, place);
    }
    return code;
}

/* Loads a table; the caller frees *memory. */
static int load_table(const crate *of, uint32_t table, usdc_bytes *bytes, uint8_t **memory)
{
    size_t size = (size_t)of->size[table];
    *memory = host_allocate(size, 1);
    if (!*memory) return host_out_of_memory("the tables of a file");
    *bytes = (usdc_bytes){of->source, of->begin[table], *memory, size, 0};
    return host_source_read_all(of->source, of->begin[table], *memory, size, "a table");
}

/* Takes the number of entries of a table, each of which takes at least a 1020th of a byte. */
static int take_count(usdc_bytes *from, size_t *count)
{
    uint64_t number = 0;
    int code = usdc_take_u64(from, &number);
    if (!code && number / 1024 > from->size) code = usdc_expected(from, "fewer entries");
    *count = (size_t)number;
    return code;
}

static int take_tokens(crate *of)
{
    usdc_bytes from;
    uint8_t *memory = NULL;
    uint64_t size = 0, packed = 0;
    size_t got = 0, at = 0;
    int code = load_table(of, TOKENS, &from, &memory);
    if (!code) code = take_count(&from, &of->word_count);
    if (!code) code = usdc_take_u64(&from, &size);
    if (!code) code = usdc_take_u64(&from, &packed);
    if (!code && (size > lz4_decoded_max(from.size) || size < of->word_count))
        code = usdc_expected(&from, "words of a possible size");
    if (!code) {
        of->text = host_allocate((size_t)size + 1, 1);
        of->words = host_allocate(of->word_count, sizeof *of->words);
        if (!of->text || !of->words) code = host_out_of_memory("the words of a file");
    }
    if (!code) code = usdc_unpack(&from, packed, (uint8_t *)of->text, (size_t)size, &got);
    for (size_t i = 0; i < of->word_count && !code; i++) {
        if (at >= got) {
            code = usdc_expected(&from, "as many words as the table has entries");
            break;
        }
        of->words[i] = of->text + at;
        at += strlen(of->text + at) + 1;
    }
    free(memory);
    return code;
}

static int take_fields(crate *of)
{
    usdc_bytes from;
    uint8_t *memory = NULL, *packed = NULL;
    uint64_t size = 0;
    size_t got = 0;
    int code = load_table(of, FIELDS, &from, &memory);
    if (!code) code = take_count(&from, &of->field_count);
    if (!code) {
        of->field_words = host_allocate(of->field_count, sizeof *of->field_words);
        of->reps = host_allocate(of->field_count, sizeof *of->reps);
        packed = host_allocate(of->field_count, 8);
        if (!of->field_words || !of->reps || !packed) code = host_out_of_memory("the fields");
    }
    if (!code) code = usdc_take_ints(&from, of->field_count, 4, of->field_words);
    if (!code) code = usdc_take_u64(&from, &size);
    if (!code) code = usdc_unpack(&from, size, packed, 8 * of->field_count, &got);
    if (!code && got != 8 * of->field_count) code = usdc_expected(&from, "a value for each field");
    for (size_t i = 0; i < of->field_count && !code; i++) {
        of->reps[i] = bytes_load(packed + 8 * i, 8, false);
        if (of->field_words[i] >= of->word_count)
            code = usdc_expected(&from, "fields whose words exist");
    }
    free(packed);
    free(memory);
    return code;
}

static int take_sets(crate *of)
{
    usdc_bytes from;
    uint8_t *memory = NULL;
    int code = load_table(of, FIELDSETS, &from, &memory);
    if (!code) code = take_count(&from, &of->set_count);
    if (!code && !(of->sets = host_allocate(of->set_count, sizeof *of->sets)))
        code = host_out_of_memory("the sets of fields");
    if (!code) code = usdc_take_ints(&from, of->set_count, 4, of->sets);
    for (size_t i = 0; i < of->set_count && !code; i++)
        if (of->sets[i] != ENDS && of->sets[i] >= of->field_count)
            code = usdc_expected(&from, "sets of fields that exist");
    free(memory);
    return code;
}

/* ---- paths: a tree, in the order of its prims. The jump of an entry tells what follows it: -2:
   neither a child nor a sibling, -1: a child alone, 0: a sibling alone, otherwise a child, and a
   sibling at that distance */

typedef struct path_tree {
    uint32_t *paths;
    int32_t *words, *jumps;
    size_t count;
} path_tree;

static int take_tree(const crate *of, usdc_bytes *from, path_tree *tree)
{
    int code = take_count(from, &tree->count);
    if (code) return code;
    tree->paths = host_allocate(tree->count, sizeof *tree->paths);
    tree->words = host_allocate(tree->count, sizeof *tree->words);
    tree->jumps = host_allocate(tree->count, sizeof *tree->jumps);
    if (!tree->paths || !tree->words || !tree->jumps) return host_out_of_memory("the paths");
    code = usdc_take_ints(from, tree->count, 4, tree->paths);
    if (!code) code = usdc_take_ints(from, tree->count, 4, tree->words);
    if (!code) code = usdc_take_ints(from, tree->count, 4, tree->jumps);
    for (size_t i = 0; i < tree->count && !code; i++) {
        int64_t word = tree->words[i] < 0 ? -(int64_t)tree->words[i] : tree->words[i];
        if (tree->paths[i] >= of->path_count || (i && word >= (int64_t)of->word_count))
            code = usdc_expected(from, "paths with words that exist");
        else if (tree->jumps[i] < -2 || tree->jumps[i] >= (int64_t)(tree->count - i))
            code = usdc_expected(from, "paths whose siblings exist");
    }
    return code;
}

/* Siblings that are still to be followed. */
typedef struct path_stack {
    size_t entry[DEPTH_MAX];
    uint32_t parent[DEPTH_MAX], count;
} path_stack;

/* Follows an entry; sets the next one and its parent. False: none is left, or the tree is damaged.
 */
static bool follow_entry(crate *of, const path_tree *tree, path_stack *stack, size_t *entry,
                         uint32_t *parent, bool *is_good)
{
    size_t i = *entry;
    int32_t jump = tree->jumps[i], word = tree->words[i];
    crate_path *path = &of->paths[tree->paths[i]];
    *is_good = !path->is_known && (jump < 1 || stack->count < DEPTH_MAX);
    if (!*is_good) return false;
    *path = (crate_path){*parent,
                         (uint32_t)(i == 0     ? 0
                                    : word < 0 ? -word
                                               : word),
                         true, i && word < 0, 0};
    if (jump > 0) {
        stack->entry[stack->count] = i + (size_t)jump;
        stack->parent[stack->count++] = *parent;
    }
    if (jump > 0 || jump == -1) *parent = tree->paths[i];
    *entry = i + 1;
    if (jump == -2 && stack->count) {
        *entry = stack->entry[--stack->count];
        *parent = stack->parent[stack->count];
        return true;
    }
    *is_good = jump == -2 || *entry < tree->count;
    return jump != -2 && *is_good;
}

static int take_paths(crate *of)
{
    usdc_bytes from;
    uint8_t *memory = NULL;
    path_tree tree = {NULL, NULL, NULL, 0};
    path_stack stack = {.count = 0};
    int code = load_table(of, PATHS, &from, &memory);
    if (!code) code = take_count(&from, &of->path_count);
    if (!code && !(of->paths = host_allocate(of->path_count, sizeof *of->paths)))
        code = host_out_of_memory("the paths");
    if (!code) code = take_tree(of, &from, &tree);
    if (!code && tree.count) {
        size_t entry = 0;
        uint32_t parent = tree.paths[0];
        bool is_good = true;
        while (follow_entry(of, &tree, &stack, &entry, &parent, &is_good)) continue;
        if (!is_good) code = usdc_expected(&from, "a tree of paths");
    }
    free(tree.paths);
    free(tree.words);
    free(tree.jumps);
    free(memory);
    return code;
}

static int take_specs(crate *of)
{
    usdc_bytes from;
    uint8_t *memory = NULL;
    int code = load_table(of, SPECS, &from, &memory);
    if (!code) code = take_count(&from, &of->spec_count);
    if (!code) {
        of->spec_paths = host_allocate(of->spec_count, sizeof *of->spec_paths);
        of->spec_sets = host_allocate(of->spec_count, sizeof *of->spec_sets);
        of->spec_kinds = host_allocate(of->spec_count, sizeof *of->spec_kinds);
        if (!of->spec_paths || !of->spec_sets || !of->spec_kinds)
            code = host_out_of_memory("the specs");
    }
    if (!code) code = usdc_take_ints(&from, of->spec_count, 4, of->spec_paths);
    if (!code) code = usdc_take_ints(&from, of->spec_count, 4, of->spec_sets);
    if (!code) code = usdc_take_ints(&from, of->spec_count, 4, of->spec_kinds);
    for (size_t i = 0; i < of->spec_count && !code; i++)
        if (of->spec_paths[i] >= of->path_count || !of->paths[of->spec_paths[i]].is_known ||
            of->spec_sets[i] >= of->set_count)
            code = usdc_expected(&from, "specs whose paths and fields exist");
    free(memory);
    return code;
}

/* ---- values */

/* The value of a field of a spec; 0: the spec has none. */
static uint64_t field_of(const crate *of, size_t spec, const char *name)
{
    for (size_t i = of->spec_sets[spec]; i < of->set_count && of->sets[i] != ENDS; i++)
        if (strcmp(of->words[of->field_words[of->sets[i]]], name) == 0)
            return of->reps[of->sets[i]];
    return 0;
}

static const char *word_of(const crate *of, uint64_t rep)
{
    bool is_word = USDC_TYPE(rep) == USDC_TOKEN && rep & USDC_IS_INLINE && !(rep & USDC_IS_ARRAY) &&
                   USDC_VALUE(rep) < of->word_count;
    return is_word ? of->words[USDC_VALUE(rep)] : "";
}

/* Numbers of a component of `bytes` bytes at an offset. */
static int load_numbers(const crate *of, uint64_t at, uint32_t bytes, uint32_t count,
                        double *numbers)
{
    uint8_t raw[16 * 8];
    int code = host_source_read_all(of->source, at, raw, bytes * count, "a value");
    for (uint32_t i = 0; i < count && !code; i++)
        numbers[i] = bytes == 2   ? bytes_load_half(raw + 2 * i)
                     : bytes == 4 ? (double)bytes_load_f32(raw + 4 * i, false)
                                  : bytes_load_f64(raw + 8 * i, false);
    return code;
}

static float bits_to_f32(uint64_t rep)
{
    uint8_t bytes[4];
    bytes_store(bytes, 4, false, rep);
    return bytes_load_f32(bytes, false);
}

/* The numbers of a value that is no array, at most 16; *count is 0 for other types. In a word the
   components of a vector, and the diagonal of a matrix, are bytes with a sign. */
static int take_numbers(const crate *of, uint64_t rep, double *numbers, uint32_t *count)
{
    static const struct {
        uint8_t type, bytes, count;
    } types[] = {{USDC_HALF, 2, 1},  {USDC_FLOAT, 4, 1},    {USDC_DOUBLE, 8, 1}, {USDC_VEC3H, 2, 3},
                 {USDC_VEC3F, 4, 3}, {USDC_VEC3D, 8, 3},    {USDC_QUATH, 2, 4},  {USDC_QUATF, 4, 4},
                 {USDC_QUATD, 8, 4}, {USDC_MATRIX4D, 8, 16}};
    uint32_t row = 0, rows = sizeof types / sizeof types[0];
    while (row < rows && types[row].type != USDC_TYPE(rep)) row++;
    *count = row < rows && !(rep & USDC_IS_ARRAY) ? types[row].count : 0;
    if (!*count) return HOST_DONE;
    if (!(rep & USDC_IS_INLINE)) {
        int code = load_numbers(of, USDC_VALUE(rep), types[row].bytes, *count, numbers);
        if (!code && *count == 4) { /* the real part is the last one */
            double real = numbers[3];
            numbers[3] = numbers[2], numbers[2] = numbers[1], numbers[1] = numbers[0];
            numbers[0] = real;
        }
        return code;
    }
    uint8_t half[2] = {(uint8_t)rep, (uint8_t)(rep >> 8)};
    for (uint32_t i = 0; i < *count; i++) numbers[i] = (int8_t)(rep >> 8 * (i & 3u));
    for (uint32_t i = 0; *count == 16 && i < 16; i++)
        numbers[i] = i % 5 ? 0 : (int8_t)(rep >> 8 * (i / 5));
    if (*count == 1)
        numbers[0] = types[row].bytes == 2 ? bytes_load_half(half) : (double)bits_to_f32(rep);
    return HOST_DONE;
}

/* ---- samples */

/* True for an array that the attribute may hold. */
static bool is_of_attribute(const usda_attribute *row, uint64_t rep)
{
    uint32_t type = USDC_TYPE(rep);
    if (!(rep & USDC_IS_ARRAY)) return false;
    if (row->stream == POINT_INDEX) return type >= USDC_INT && type <= USDC_UINT64;
    return row->components == 1   ? type >= USDC_HALF && type <= USDC_DOUBLE
           : row->components == 3 ? type >= USDC_VEC3D && type <= USDC_VEC3H
                                  : type >= USDC_QUATD && type <= USDC_QUATH;
}

/* Makes a sample of a value. `at`: offset of the value's word, for messages. */
static int take_array(const crate *of, const char *name, uint64_t rep, uint64_t at,
                      usda_value *value)
{
    value->at = value->count = 0;
    if (!rep || USDC_TYPE(rep) == USDC_BLOCK) return HOST_DONE;
    const usda_attribute *row = usda_attributes;
    while (strcmp(row->name, name) != 0) row++; /* it has a series */
    if (!is_of_attribute(row, rep))
        return host_error(HOST_BAD_INPUT, of->source->path, at,
                          "%s has a value of the type number %u, which it cannot have", name,
                          USDC_TYPE(rep));
    int code = usdc_array_begin(of->source, of->version, rep, &value->count, &value->at);
    value->end = rep;
    if (!value->at) value->at = at; /* of an empty array */
    return code;
}

/* Each of the two parts of the samples begins with the distance to its end. */
static int take_distance(const crate *of, uint64_t *at)
{
    uint8_t raw[8];
    int code = host_source_read_all(of->source, *at, raw, 8, "time samples");
    uint64_t distance = bytes_load(raw, 8, false);
    if (!code && (distance < 8 || distance > of->source->file_bytes))
        return crate_error(of, *at, "a distance within the file");
    *at += distance;
    return code;
}

/* The times, from their word, which lies at *at: their number, and the offset of the first one. */
static int take_times(const crate *of, uint64_t rep, uint64_t *count, uint64_t *at)
{
    uint8_t raw[8];
    if (rep & USDC_IS_ARRAY && USDC_TYPE(rep) == USDC_DOUBLE)
        return usdc_array_begin(of->source, of->version, rep & ~USDC_IS_CODED, count, at);
    if (USDC_TYPE(rep) != USDC_DOUBLES) return crate_error(of, *at, "times of samples as doubles");
    *at = USDC_VALUE(rep) + 8;
    int code = host_source_read_all(of->source, *at - 8, raw, 8, "the times of samples");
    *count = bytes_load(raw, 8, false);
    return code;
}

/* The samples of an attribute, at the offset in its word. */
static int take_samples(const crate *of, const char *name, uint64_t rep, usda_series *series)
{
    uint8_t raw[8];
    uint64_t at = USDC_VALUE(rep), count = 0;
    int code = take_distance(of, &at);
    if (!code) code = host_source_read_all(of->source, at, raw, 8, "the times of samples");
    uint64_t times = at;
    if (!code) code = take_times(of, bytes_load(raw, 8, false), &count, &times);
    at += 8;
    if (!code) code = take_distance(of, &at);
    if (!code) code = host_source_read_all(of->source, at, raw, 8, "the number of samples");
    if (!code && bytes_load(raw, 8, false) != count)
        code = crate_error(of, at, "a value for each time");
    at += 8;
    series->has_times = true;
    for (uint64_t i = 0; i < count && !code; i++, at += 8) {
        usda_value value = {.count = 0};
        code = host_source_read_all(of->source, times + 8 * i, raw, 8, "the times of samples");
        value.time = bytes_load_f64(raw, false);
        if (!code && !(fabs(value.time) <= 1e15))
            code = crate_error(of, times + 8 * i, "the time of a sample, at most 1e15");
        if (!code) code = host_source_read_all(of->source, at, raw, 8, "time samples");
        if (!code) code = take_array(of, name, bytes_load(raw, 8, false), at, &value);
        if (!code) code = usda_add_value(series, value);
    }
    return code;
}

/* ---- prims and attributes */

/* True if the spec and all above it are defined, so no class, override or variant. */
static bool is_defined(const crate *of, uint32_t path)
{
    for (uint32_t depth = 0; of->paths[path].parent != path; path = of->paths[path].parent)
        if (!of->paths[path].prim || ++depth > DEPTH_MAX) return false;
    return true;
}

static int add_prims(crate *of)
{
    int code = usda_add_prim(of->scan, "", 0);
    for (size_t s = 0; s < of->spec_count && !code; s++) {
        crate_path *path = &of->paths[of->spec_paths[s]];
        uint64_t specifier = field_of(of, s, "specifier");
        if (of->spec_kinds[s] != USDC_PRIM || USDC_TYPE(specifier) != USDC_SPECIFIER ||
            USDC_VALUE(specifier) || path->prim || path->parent == of->spec_paths[s])
            continue; /* no definition, a second one, or the layer itself */
        code = usda_add_prim(of->scan, of->words[path->word], 0);
        path->prim = of->scan->prim_count - 1;
    }
    for (size_t s = 0; s < of->spec_count && !code; s++) {
        const crate_path *path = &of->paths[of->spec_paths[s]];
        if (of->spec_kinds[s] != USDC_PRIM || !path->prim) continue;
        of->scan->prims[path->prim].parent = of->paths[path->parent].prim;
        if (is_defined(of, of->spec_paths[s]))
            usda_define(of->scan, path->prim, word_of(of, field_of(of, s, "typeName")));
    }
    return code;
}

/* Where a message finds a value: at its bytes, if their place is one of the file. */
static uint64_t place_of(const crate *of, uint64_t rep)
{
    uint64_t at = USDC_VALUE(rep);
    return at && at < of->source->file_bytes ? at : of->begin[SPECS];
}

static int add_attribute(crate *of, size_t spec)
{
    const crate_path *path = &of->paths[of->spec_paths[spec]];
    const size_t prim = of->paths[path->parent].prim;
    const char *name = of->words[path->word];
    uint64_t samples = field_of(of, spec, "timeSamples"), value = field_of(of, spec, "default");
    double numbers[16];
    uint32_t count = 0;
    int code = HOST_DONE;
    if (!prim || !path->is_property) return HOST_DONE;
    if (strncmp(name, "xformOp:", 8) == 0) {
        code = take_numbers(of, value, numbers, &count);
        if (samples || (value && !count) || !usda_is_still(name, numbers, count))
            of->scan->prims[prim].moved = place_of(of, samples);
    }
    usda_series *series = usda_series_of(of->scan, prim, name, strlen(name));
    if (!series || code) return code;
    if (USDC_TYPE(samples) == USDC_SAMPLES) code = take_samples(of, name, samples, series);
    if (!code && value) code = take_array(of, name, value, of->begin[FIELDS], &series->fallback);
    return code;
}

static int take_layer(crate *of, size_t spec)
{
    static const char *const names[] = {"timeCodesPerSecond", "metersPerUnit", "upAxis"};
    for (uint32_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        uint64_t rep = field_of(of, spec, names[k]);
        double numbers[16] = {0};
        uint32_t count = 0;
        int code = rep ? take_numbers(of, rep, numbers, &count) : HOST_DONE;
        if (code) return code;
        if (rep)
            usda_take_setting(of->scan, names[k], count == 1 ? numbers[0] : 0, word_of(of, rep));
    }
    return HOST_DONE;
}

static void free_crate(crate *of)
{
    void *const memory[] = {of->text,        of->words,      of->reps,
                            of->field_words, of->sets,       of->spec_paths,
                            of->spec_sets,   of->spec_kinds, of->paths};
    for (uint32_t i = 0; i < sizeof memory / sizeof memory[0]; i++) free(memory[i]);
}

int usdc_scan_file(host_source *source, usda_scan *scan, uint32_t *version)
{
    crate of = {.source = source, .scan = scan};
    int code = take_contents(&of);
    if (!code) code = take_tokens(&of);
    if (!code) code = take_fields(&of);
    if (!code) code = take_sets(&of);
    if (!code) code = take_paths(&of);
    if (!code) code = take_specs(&of);
    if (!code) code = add_prims(&of);
    for (size_t s = 0; s < of.spec_count && !code; s++) {
        if (of.spec_kinds[s] == USDC_LAYER) code = take_layer(&of, s);
        if (of.spec_kinds[s] == USDC_ATTRIBUTE) code = add_attribute(&of, s);
    }
    *version = of.version;
    free_crate(&of);
    return code ? code : usda_scan_order(source, scan);
}
