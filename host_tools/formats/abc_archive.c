/* SPDX-License-Identifier: MIT
   host_tools/formats/abc_archive.c - reads the container of an Alembic archive: groups, objects,
           times.
   reads   .abc                            writes  abc_archive
   memory  the names of the objects, the times    cost    O(bytes of the headers)
   after   see abc.h; nothing in a file is trusted */
#include "abc.h"
#include "bytes.h"
#include <math.h>
#include <stdlib.h>

const uint32_t abc_type_bytes[ABC_TYPES] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1, 1};

static int read_exactly(abc_archive *archive, uint64_t at, void *bytes, uint64_t size)
{
    return host_source_read_all(&archive->source, at, bytes, (size_t)size,
                                "a group, a header or a sample");
}

static uint64_t room_after(const abc_archive *archive, uint64_t at)
{
    uint64_t size = archive->source.file_bytes;
    return at < size ? size - at : 0;
}

/* ---- groups and data */

static int begins_outside(const abc_archive *archive, const char *what, uint64_t at, uint64_t found)
{
    return host_error(HOST_BAD_INPUT, archive->source.path, found,
                      "%s begins at byte %llu, but the file has %llu bytes", what,
                      (unsigned long long)at, (unsigned long long)archive->source.file_bytes);
}

static int ends_outside(const abc_archive *archive, const char *what, uint64_t count, uint64_t at)
{
    return host_error(HOST_BAD_INPUT, archive->source.path, at,
                      "%llu %s do not fit the file of %llu bytes", (unsigned long long)count, what,
                      (unsigned long long)archive->source.file_bytes);
}

/* The group at an offset that was found at the offset `found`. */
static int find_group(abc_archive *archive, uint64_t at, uint64_t found, abc_group *group)
{
    uint8_t bytes[8];
    *group = (abc_group){at, 0};
    if (!at) return HOST_DONE;
    if (at & ABC_IS_DATA)
        return host_error(HOST_BAD_INPUT, archive->source.path, found,
                          "expected the offset of a group, found that of data");
    if (room_after(archive, at) < 8) return begins_outside(archive, "a group", at, found);
    int code = read_exactly(archive, at, bytes, sizeof bytes);
    group->count = bytes_load(bytes, 8, false);
    if (code || group->count <= (room_after(archive, at) - 8) / 8) return code;
    return ends_outside(archive, "entries of a group", group->count, at);
}

/* An entry, which the group must have. */
static int find_entry(abc_archive *archive, const abc_group *group, uint64_t index, uint64_t *entry,
                      uint64_t *entry_at)
{
    uint8_t bytes[8];
    *entry_at = group->at + 8 + 8 * index;
    if (index >= group->count)
        return host_error(HOST_BAD_INPUT, archive->source.path, group->at,
                          "a group has %llu entries, expected at least %llu",
                          (unsigned long long)group->count, (unsigned long long)index + 1);
    int code = read_exactly(archive, *entry_at, bytes, sizeof bytes);
    *entry = bytes_load(bytes, 8, false);
    return code;
}

/* Offset of the bytes of the data that an entry is, and their number. */
static int find_data(abc_archive *archive, const abc_group *group, uint64_t index, uint64_t *at,
                     uint64_t *size)
{
    uint8_t bytes[8];
    uint64_t entry = 0, found = 0;
    int code = find_entry(archive, group, index, &entry, &found);
    *size = 0;
    *at = entry & ~ABC_IS_DATA;
    if (!code && !(entry & ABC_IS_DATA))
        code = host_error(HOST_BAD_INPUT, archive->source.path, found,
                          "expected the offset of data, found that of a group");
    if (code || !*at) return code;
    if (room_after(archive, *at) < 8) return begins_outside(archive, "data", *at, found);
    code = read_exactly(archive, *at, bytes, sizeof bytes);
    *size = bytes_load(bytes, 8, false);
    *at += 8;
    if (!code && *size > room_after(archive, *at))
        return ends_outside(archive, "bytes of data", *size, *at - 8);
    return code || *size < SIZE_MAX / 2 ? code : host_out_of_memory("data of a file");
}

/* Reads data with a zero byte after their end. */
static int read_data(abc_archive *archive, const abc_group *group, uint64_t index, uint8_t **bytes,
                     uint64_t *at, uint64_t *size)
{
    int code = find_data(archive, group, index, at, size);
    *bytes = NULL;
    if (code) return code;
    *bytes = host_allocate((size_t)*size + 1, 1);
    return *bytes ? read_exactly(archive, *at, *bytes, *size)
                  : host_out_of_memory("the headers of a file");
}

static int find_child(abc_archive *archive, const abc_group *group, uint64_t index,
                      abc_group *child)
{
    uint64_t entry = 0, found = 0;
    int code = find_entry(archive, group, index, &entry, &found);
    return code ? code : find_group(archive, entry, found, child);
}

/* ---- headers: numbers and texts one after another */
typedef struct header {
    const uint8_t *bytes;
    uint64_t at, size, file_at; /* of the bytes in the file */
} header;

static bool take_number(header *from, uint32_t bytes, uint32_t *value)
{
    if (from->size - from->at < bytes) return false;
    *value = (uint32_t)bytes_load(from->bytes + from->at, bytes, false);
    from->at += bytes;
    return true;
}

static const char *take_text(header *from, uint32_t length)
{
    const uint64_t at = from->at;
    if (from->size - at < length) return NULL;
    from->at += length;
    return (const char *)from->bytes + at;
}

static int header_ends(const abc_archive *archive, const header *from, uint64_t at)
{
    return host_error(HOST_BAD_INPUT, archive->source.path, from->file_at + at,
                      "a header of %llu bytes ends inside its parts",
                      (unsigned long long)(from->size - at));
}

/* The text of this number in the archive's table. NULL: it has none. */
static const char *indexed_text(const abc_archive *archive, uint32_t number, uint32_t *length)
{
    uint64_t at = 0;
    *length = 0;
    if (!number) return "";
    for (uint32_t i = 1; at < archive->indexed_bytes; i++) {
        *length = archive->indexed[at++];
        if (*length > archive->indexed_bytes - at) return NULL;
        if (i == number) return (const char *)archive->indexed + at;
        at += *length;
    }
    return NULL;
}

/* Metadata are KEY=VALUE;KEY=VALUE. NULL: no such key. */
static const char *value_of(const char *text, uint32_t length, const char *key, uint32_t *found)
{
    const size_t key_length = strlen(key);
    for (uint32_t at = 0, end; at < length; at = end + 1) {
        for (end = at; end < length && text[end] != ';';) end++;
        if (end - at <= key_length || memcmp(text + at, key, key_length) != 0 ||
            text[at + key_length] != '=')
            continue;
        *found = end - at - (uint32_t)key_length - 1;
        return text + at + key_length + 1;
    }
    return NULL;
}

static bool is_text(const char *text, uint32_t length, const char *other)
{
    return length == strlen(other) && memcmp(text, other, length) == 0;
}

/* The version at the end of a schema does not count: each was compatible so far. */
static abc_schema schema_of(const char *text, uint32_t length)
{
    static const struct {
        const char *name;
        abc_schema schema;
    } schemas[] = {{"AbcGeom_Xform_v", ABC_XFORM},
                   {"AbcGeom_Points_v", ABC_POINTS},
                   {"AbcGeom_PolyMesh_v", ABC_MESH},
                   {"AbcGeom_SubD_v", ABC_MESH}};
    uint32_t found = 0;
    const char *value = value_of(text, length, "schema", &found);
    for (size_t i = 0; value && i < sizeof schemas / sizeof schemas[0]; i++) {
        size_t start = strlen(schemas[i].name);
        if (found > start && memcmp(value, schemas[i].name, start) == 0) return schemas[i].schema;
    }
    return ABC_OTHER;
}

/* ---- objects */

static int add_object(abc_archive *archive, const abc_object *object)
{
    abc_object *objects = host_lengthen(archive->objects, archive->object_count,
                                        &archive->object_room, sizeof *objects);
    if (!objects || !object->name) {
        free(object->name);
        archive->objects = objects ? objects : archive->objects;
        return host_out_of_memory("the objects of a file");
    }
    archive->objects = objects;
    objects[archive->object_count++] = *object;
    return HOST_DONE;
}

/* Reads the header of a child: its name, and its metadata by number or as a text. */
static int take_object(abc_archive *archive, header *from, size_t parent, uint64_t at)
{
    uint32_t length = 0, number = 0;
    const uint64_t start = from->at;
    const char *name = take_number(from, 4, &length) ? take_text(from, length) : NULL;
    if (!name || !length || !take_number(from, 1, &number))
        return header_ends(archive, from, start);
    abc_object object = {host_text("%.*s", (int)(length < 255 ? length : 255), name), parent, at,
                         ABC_OTHER};
    const char *text = NULL;
    if (number != ABC_META_FOLLOWS)
        text = indexed_text(archive, number, &length);
    else if (take_number(from, 4, &length))
        text = take_text(from, length);
    if (text) {
        object.schema = schema_of(text, length);
        return add_object(archive, &object);
    }
    free(object.name);
    return host_error(HOST_BAD_INPUT, archive->source.path, from->file_at + start,
                      "the metadata of an object lie outside of %s",
                      number == ABC_META_FOLLOWS ? "its header" : "the table of the file");
}

/* Adds the children of an object, whose headers are the last entry of its group. */
static int add_children(abc_archive *archive, size_t object)
{
    abc_group group, child;
    header from = {0};
    uint8_t *bytes = NULL;
    int code = find_group(archive, archive->objects[object].at, ABC_AT_ROOT, &group);
    if (code || !group.count) return code;
    code = read_data(archive, &group, group.count - 1, &bytes, &from.file_at, &from.size);
    from.bytes = bytes;
    archive->header_bytes += from.size + 8;
    if (!code && archive->header_bytes > archive->source.file_bytes)
        code = host_error(HOST_BAD_INPUT, archive->source.path, group.at,
                          "an object is among its own parts");
    if (!code && from.size < ABC_HASHES_BYTES) code = header_ends(archive, &from, 0);
    if (!code) from.size -= ABC_HASHES_BYTES;
    for (uint64_t i = 1; !code && from.at < from.size; i++) {
        code = find_child(archive, &group, i, &child);
        if (!code) code = take_object(archive, &from, object, child.at);
    }
    free(bytes);
    return code;
}

char *abc_object_path(const abc_archive *archive, size_t object)
{
    char *path = host_text("%s", "");
    for (size_t i = object; path && i; i = archive->objects[i].parent) {
        char *longer = host_text("/%s%s", archive->objects[i].name, path);
        free(path);
        path = longer;
    }
    return path;
}

/* ---- times */

static int take_samplings(abc_archive *archive, header *from)
{
    int code = HOST_DONE;
    size_t room = 0;
    while (!code && from->at < from->size) {
        const uint64_t start = from->at;
        abc_sampling sampling = {0};
        const uint8_t *cycle = from->bytes + from->at + 4;
        if (from->size - from->at < 16) return header_ends(archive, from, start);
        from->at += 12;
        sampling.cycle = bytes_load_f64(cycle, false);
        take_number(from, 4, &sampling.count);
        sampling.times = from->bytes + from->at;
        if (!sampling.count || (from->size - from->at) / 8 < sampling.count)
            return header_ends(archive, from, start);
        from->at += (uint64_t)sampling.count * 8;
        for (uint32_t i = 0; i < sampling.count && !code; i++)
            if (!(fabs(bytes_load_f64(sampling.times + 8 * (size_t)i, false)) < 1e30) ||
                !(sampling.cycle > 0))
                code = host_error(HOST_BAD_INPUT, archive->source.path, from->file_at + start,
                                  "a time or the time between two samples is no usable number");
        abc_sampling *longer = code ? NULL
                                    : host_lengthen(archive->samplings, archive->sampling_count,
                                                    &room, sizeof *longer);
        if (!code && !longer) code = host_out_of_memory("the times of a file");
        if (code) return code;
        archive->samplings = longer;
        longer[archive->sampling_count++] = sampling;
    }
    return code;
}

double abc_time(const abc_sampling *sampling, uint32_t sample)
{
    uint32_t in_cycle = sample % sampling->count, cycles = sample / sampling->count;
    bool is_acyclic = sampling->cycle >= ABC_ACYCLIC;
    if (is_acyclic && cycles) in_cycle = sampling->count - 1;
    double time = bytes_load_f64(sampling->times + 8 * (size_t)in_cycle, false);
    return is_acyclic ? time : time + sampling->cycle * cycles;
}

uint32_t abc_sample_at(const abc_archive *archive, const abc_property *property,
                       const abc_property *other, uint32_t sample)
{
    const abc_sampling *samplings = archive->samplings;
    uint32_t low = 0, high = property->samples;
    if (high < 2) return 0;
    if (property->sampling == other->sampling) return sample < high ? sample : high - 1;
    double time = abc_time(&samplings[other->sampling], sample);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (abc_time(&samplings[property->sampling], middle) <= time + 1e-5)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double abc_archive_fps(const abc_archive *archive)
{
    static const char *const keys[] = {"_ai_DCC_FPS", "FramesPerTimeUnit"};
    const char *text = (const char *)archive->metadata;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        uint32_t length = 0;
        double fps = 0;
        const char *value = value_of(text, (uint32_t)strlen(text), keys[i], &length);
        char *number = value ? host_text("%.*s", (int)length, value) : NULL;
        bool is_good = number && host_parse_f64(number, &fps) && fps >= 1e-3 && fps <= 1e6;
        free(number);
        if (is_good) return fps;
    }
    return 0;
}

/* ---- opening */

bool abc_recognises(const uint8_t *start, size_t size)
{
    return size >= ABC_HEAD_BYTES && memcmp(start, "Ogawa", 5) == 0;
}

static int check_head(const abc_archive *archive, const uint8_t *head, size_t size)
{
    const char *path = archive->source.path;
    if (size >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0)
        return host_error(HOST_BAD_INPUT, path, 0,
                          "is an Alembic archive in the old container HDF5, expected Ogawa; "
                          "abcconvert -toOgawa IN OUT converts it");
    if (size < ABC_HEAD_BYTES)
        return host_error(HOST_BAD_INPUT, path, size,
                          "the file ends inside its header of 16 bytes; it is incomplete");
    if (!abc_recognises(head, size))
        return host_error(HOST_BAD_INPUT, path, 0,
                          "expected the word Ogawa with which an .abc file begins");
    if (head[ABC_AT_COMPLETE] != 0xff)
        return host_error(HOST_BAD_INPUT, path, ABC_AT_COMPLETE,
                          "the program that wrote the file did not finish it");
    uint32_t version = (uint32_t)bytes_load(head + ABC_AT_VERSION, 2, true);
    if (version == 1) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, ABC_AT_VERSION,
                      "the container has version %u, expected 1", version);
}

/* The tables at the end of the root group. */
static int read_tables(abc_archive *archive, const abc_group *root)
{
    header times = {0};
    uint64_t at, size;
    int code = read_data(archive, root, ABC_ROOT_VERSION, &archive->metadata, &at, &size);
    if (!code && (size != 4 || bytes_load(archive->metadata, 4, false) != 0))
        code = host_error(HOST_BAD_INPUT, archive->source.path, at,
                          "the version of the archive is not 0, the only one that is known");
    free(archive->metadata);
    archive->metadata = NULL;
    if (!code) code = read_data(archive, root, ABC_ROOT_METADATA, &archive->metadata, &at, &size);
    if (!code)
        code =
            read_data(archive, root, ABC_ROOT_TIMES, &archive->times, &times.file_at, &times.size);
    times.bytes = archive->times;
    if (!code) code = take_samplings(archive, &times);
    if (!code)
        code = read_data(archive, root, ABC_ROOT_INDEXED, &archive->indexed, &at,
                         &archive->indexed_bytes);
    return code;
}

int abc_archive_open(abc_archive *archive, host_sequence *sequence, const char *path)
{
    uint8_t head[ABC_HEAD_BYTES];
    size_t size = 0;
    abc_group root = {0}, top = {0};
    archive->sequence = sequence;
    int code = host_source_open_plain(&archive->source, path);
    if (!code) code = host_source_read(&archive->source, 0, head, sizeof head, &size);
    if (!code) code = check_head(archive, head, size);
    if (!code)
        code = find_group(archive, bytes_load(head + ABC_AT_ROOT, 8, false), ABC_AT_ROOT, &root);
    if (!code) code = read_tables(archive, &root);
    if (!code) code = find_child(archive, &root, ABC_ROOT_TOP, &top);
    if (code) return code;
    abc_object first = {host_text("%s", ""), 0, top.at, ABC_OTHER};
    code = add_object(archive, &first);
    for (size_t i = 0; !code && i < archive->object_count; i++) code = add_children(archive, i);
    return code;
}

void abc_archive_close(abc_archive *archive)
{
    for (size_t i = 0; i < archive->object_count; i++) free(archive->objects[i].name);
    free(archive->objects);
    free(archive->samplings);
    free(archive->times);
    free(archive->indexed);
    free(archive->metadata);
    host_source_close(&archive->source);
}

/* ---- properties */

void abc_properties_free(abc_properties *properties)
{
    free(properties->items);
    free(properties->block);
    *properties = (abc_properties){0};
}

const abc_property *abc_property_named(const abc_properties *properties, const char *name)
{
    for (size_t i = 0; i < properties->count; i++)
        if (is_text(properties->items[i].name, properties->items[i].name_length, name))
            return &properties->items[i];
    return NULL;
}

/* Groups of arrays have two entries per stored sample: the numbers, and their shape. */
static uint64_t entries_per_sample(const abc_property *property)
{
    return property->kind == ABC_SCALAR ? 1 : 2;
}

/* Samples before the first change are as sample 0, samples after the last one as that. */
uint64_t abc_slot(const abc_property *property, uint32_t sample)
{
    if (sample < property->first || !property->first) return 0;
    uint32_t latest = sample < property->last ? sample : property->last;
    return (uint64_t)(latest - property->first) + 1;
}

/* The numbers after the first word of a header. False: it ends, or a size is unknown. */
static bool take_counts(header *from, uint32_t word, abc_property *property)
{
    const uint32_t size = word >> ABC_SIZE_SHIFT & 3u, bytes = 1u << size;
    if (size > 2) return false;
    bool good = true;
    if (property->kind != ABC_COMPOUND) {
        good = take_number(from, bytes, &property->samples);
        if (word & ABC_HAS_CHANGES) {
            good = good && take_number(from, bytes, &property->first);
            good = good && take_number(from, bytes, &property->last);
        } else if (!(word & ABC_IS_CONSTANT) && property->samples > 1) {
            property->first = 1;
            property->last = property->samples - 1;
        }
        if (word & ABC_HAS_SAMPLING) good = good && take_number(from, bytes, &property->sampling);
    }
    good = good && take_number(from, bytes, &property->name_length) && property->name_length;
    property->name = good ? take_text(from, property->name_length) : NULL;
    uint32_t length = 0;
    if ((word >> ABC_META_SHIFT & 255u) == ABC_META_FOLLOWS)
        good = good && take_number(from, bytes, &length) && take_text(from, length);
    return good && property->name;
}

static int check_property(abc_archive *archive, const abc_property *property)
{
    const char *path = archive->source.path;
    const int length = (int)(property->name_length < 64 ? property->name_length : 64);
    if (property->kind == ABC_COMPOUND) return HOST_DONE;
    if (property->type >= ABC_TYPES)
        return host_error(HOST_BAD_INPUT, path, property->header_at,
                          "the type of \"%.*s\" is %u, expected 0 to %d", length, property->name,
                          property->type, ABC_TYPES - 1);
    if (property->sampling >= archive->sampling_count)
        return host_error(HOST_BAD_INPUT, path, property->header_at,
                          "\"%.*s\" has the times %u, but the file has %zu", length, property->name,
                          property->sampling, archive->sampling_count);
    if (property->first > property->last ||
        (property->last && property->last >= property->samples) ||
        (property->last && !property->first))
        return host_error(HOST_BAD_INPUT, path, property->header_at,
                          "\"%.*s\" changes from sample %u to %u of %u", length, property->name,
                          property->first, property->last, property->samples);
    if (!property->samples) return HOST_DONE;
    uint64_t slots = abc_slot(property, property->samples - 1) + 1;
    if (property->group.count / entries_per_sample(property) >= slots) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, property->group.at,
                      "the group of \"%.*s\" has %llu entries, expected %llu", length,
                      property->name, (unsigned long long)property->group.count,
                      (unsigned long long)(slots * entries_per_sample(property)));
}

static int take_property(abc_archive *archive, header *from, const abc_group *group, uint64_t index,
                         abc_property *property)
{
    const uint64_t start = from->at;
    uint32_t word = 0;
    bool good = take_number(from, 4, &word);
    *property = (abc_property){.header_at = from->file_at + start,
                               .kind = word & 3u,
                               .type = word >> ABC_TYPE_SHIFT & 15u,
                               .extent = word >> ABC_EXTENT_SHIFT & 255u};
    if (property->kind == ABC_ARRAY_OF_ONES) property->kind = ABC_ARRAY;
    if (!good || !take_counts(from, word, property)) return header_ends(archive, from, start);
    int code = find_child(archive, group, index, &property->group);
    return code ? code : check_property(archive, property);
}

int abc_properties_read(abc_archive *archive, uint64_t at, abc_properties *properties)
{
    abc_group group;
    header from = {0};
    size_t room = 0;
    *properties = (abc_properties){0};
    int code = find_group(archive, at, at, &group);
    if (!code && group.count)
        code = read_data(archive, &group, group.count - 1, &properties->block, &from.file_at,
                         &from.size);
    from.bytes = properties->block;
    while (!code && from.at < from.size) {
        abc_property *longer =
            host_lengthen(properties->items, properties->count, &room, sizeof *longer);
        if (!longer) {
            code = host_out_of_memory("the properties of an object");
            break;
        }
        properties->items = longer;
        code = take_property(archive, &from, &group, properties->count, &longer[properties->count]);
        properties->count += !code;
    }
    if (code) abc_properties_free(properties);
    return code;
}

int abc_properties_of(abc_archive *archive, size_t object, const char *name,
                      abc_properties *properties)
{
    abc_group group, top = {0};
    abc_properties all = {0};
    *properties = (abc_properties){0};
    int code = find_group(archive, archive->objects[object].at, ABC_AT_ROOT, &group);
    if (!code && group.count > 1) code = find_child(archive, &group, 0, &top);
    if (!code) code = abc_properties_read(archive, top.at, &all);
    const abc_property *found = code ? NULL : abc_property_named(&all, name);
    if (found && found->kind == ABC_COMPOUND)
        code = abc_properties_read(archive, found->group.at, properties);
    abc_properties_free(&all);
    return code;
}

/* ---- samples */

int abc_sample_find(abc_archive *archive, const abc_property *property, uint32_t sample,
                    uint64_t *at, uint64_t *size)
{
    *at = *size = 0;
    if (!property->samples) return HOST_DONE;
    const uint64_t index = abc_slot(property, sample) * entries_per_sample(property);
    int code = find_data(archive, &property->group, index, at, size);
    if (code || !*size) return code;
    const uint64_t item = (uint64_t)abc_type_bytes[property->type] * property->extent;
    if (*size < ABC_KEY_BYTES || !item || (*size - ABC_KEY_BYTES) % item)
        return host_error(HOST_BAD_INPUT, archive->source.path, *at - 8,
                          "a sample of \"%.*s\" has %llu bytes, expected 16 and items of %llu",
                          (int)(property->name_length < 64 ? property->name_length : 64),
                          property->name, (unsigned long long)*size, (unsigned long long)item);
    *at += ABC_KEY_BYTES;
    *size -= ABC_KEY_BYTES;
    return HOST_DONE;
}

uint8_t *abc_sample_read(abc_archive *archive, const abc_property *property, uint64_t at,
                         uint64_t size, int *code)
{
    uint8_t key[ABC_KEY_BYTES], *bytes = host_allocate((size_t)size + ABC_KEY_BYTES, 1);
    if (!bytes) *code = host_out_of_memory("a frame");
    if (bytes && size)
        *code = read_exactly(archive, at - ABC_KEY_BYTES, bytes, size + ABC_KEY_BYTES);
    if (*code || !size) return bytes;
    abc_key(bytes + ABC_KEY_BYTES, (size_t)size, key);
    if (memcmp(key, bytes, sizeof key) != 0 && host_sequence_doubts(archive->sequence))
        host_doubt(
            archive->source.path, at,
            "the %llu bytes of a sample of \"%.*s\" do not have the sum that the file states",
            (unsigned long long)size,
            (int)(property->name_length < 64 ? property->name_length : 64), property->name);
    memmove(bytes, bytes + ABC_KEY_BYTES, (size_t)size);
    return bytes;
}
