/* SPDX-License-Identifier: MIT
   host_tools/formats/hgeo.c - reads geometry of Houdini 12 and later: finds the attributes of the
           points, then reads their values.
   reads   tokens of hjson.h               writes  host_frame
   memory  one frame                       cost    O(bytes)
   after   see hgeo.h; primitives, groups and everything else are skipped */
#include "hgeo.h"
#include <string.h>

/* Points that a file may have beside one per byte: pages that store one value need none. */
enum { POINTS_FREE = 1 << 22 };

/* Skips data that are not of points; an empty list has none. */
static int skip_more(hgeo_file *file)
{
    hjson_token token, next;
    const uint8_t *start = file->reader.at;
    int code = hjson_need(&file->reader, &token);
    if (!code && token.kind == HJSON_LIST) code = hjson_need(&file->reader, &next);
    if (code || (token.kind == HJSON_LIST && next.kind == HJSON_LIST_END)) return code;
    file->has_more = true;
    file->reader.at = start;
    return hjson_skip(&file->reader);
}

/* What a list of the attribute's description says. */
typedef struct description {
    hjson_token name;
    bool is_numeric;
    hgeo_attribute values;
} description;

static int read_definition(hjson_reader *reader, description *found)
{
    hjson_pairs pairs;
    hjson_token name, value;
    bool is_open = true;
    int code = hjson_pairs_open(reader, &pairs, "the definition of an attribute");
    while (!code && is_open) {
        code = hjson_pairs_next(reader, &pairs, &name, &is_open);
        if (code || !is_open) break;
        if (!hjson_is(&name, "name") && !hjson_is(&name, "type")) {
            code = hjson_skip(reader);
            continue;
        }
        code = hjson_need(reader, &value);
        if (!code && value.kind != HJSON_TEXT) code = hjson_unexpected(reader, &value, "a text");
        if (!code && hjson_is(&name, "name")) found->name = value;
        if (!code && hjson_is(&name, "type")) found->is_numeric = hjson_is(&value, "numeric");
    }
    return code;
}

static int read_packs(hjson_reader *reader, hgeo_attribute *values)
{
    hjson_items items;
    hjson_token item;
    bool is_open = true;
    const uint8_t *start = reader->at;
    uint32_t sum = 0;
    double size;
    int code = hjson_items_open(reader, &items, "the list \"packing\"");
    values->pack_count = 0;
    while (!code && is_open) {
        code = hjson_items_next(reader, &items, &item, &is_open);
        if (code || !is_open) break;
        bool good = item.kind == HJSON_NUMBER && hjson_number(reader, &item, &size) && size >= 1 &&
                    size <= HOUDINI_SIZE_MAX;
        if (!good) return hjson_error(reader, item.at, "\"packing\" has no sizes from 1 to 4096");
        sum += (uint32_t)size;
        /* those of larger tuples are not read */
        if (values->pack_count < HGEO_TUPLE_MAX) values->packs[values->pack_count] = (uint32_t)size;
        values->pack_count++;
        if (sum > HOUDINI_SIZE_MAX) return hjson_error(reader, start, "\"packing\" is too long");
    }
    return code;
}

/* Keeps where a value begins, and skips it. */
static int keep_place(hjson_reader *reader, const uint8_t **place)
{
    *place = reader->at;
    return hjson_skip(reader);
}

static int read_payload(hjson_reader *reader, hgeo_attribute *values)
{
    static const char *const forms[] = {"tuples", "arrays", "rawpagedata"};
    hjson_pairs pairs;
    hjson_token name;
    bool is_open = true;
    int64_t size;
    int code = hjson_pairs_open(reader, &pairs, "the values of an attribute");
    while (!code && is_open) {
        uint32_t form = 0;
        code = hjson_pairs_next(reader, &pairs, &name, &is_open);
        if (code || !is_open) break;
        while (form < 3 && !hjson_is(&name, forms[form])) form++;
        if (form < 3) {
            values->form = (hgeo_form)(HGEO_TUPLES + form);
            code = keep_place(reader, &values->at);
        } else if (hjson_is(&name, "size")) {
            code = hjson_take_whole(reader, "the size of an attribute", 1, HOUDINI_SIZE_MAX, &size);
            if (!code) values->size = (uint32_t)size;
        } else if (hjson_is(&name, "pagesize")) {
            code =
                hjson_take_whole(reader, "the size of a page", 1, INT32_MAX, &values->page_points);
        } else if (hjson_is(&name, "packing")) {
            code = read_packs(reader, values);
        } else if (hjson_is(&name, "constantpageflags")) {
            code = keep_place(reader, &values->flags);
        } else {
            code = hjson_skip(reader);
        }
    }
    return code;
}

static int read_description(hjson_reader *reader, description *found)
{
    hjson_pairs pairs;
    hjson_token name;
    bool is_open = true;
    int code = hjson_pairs_open(reader, &pairs, "the data of an attribute");
    while (!code && is_open) {
        code = hjson_pairs_next(reader, &pairs, &name, &is_open);
        if (!code && is_open)
            code = hjson_is(&name, "values") && found->is_numeric
                       ? read_payload(reader, &found->values)
                       : hjson_skip(reader);
    }
    return code;
}

/* The index of an attribute that a stream holds; HGEO_ATTRIBUTES: none does. */
static uint32_t find_attribute(const description *found)
{
    uint32_t size = found->values.size;
    if (!found->is_numeric) return HGEO_ATTRIBUTES;
    if (hjson_is(&found->name, "P"))
        return size == 3 || size == 4 ? HGEO_LOCATION : HGEO_ATTRIBUTES;
    for (uint32_t m = 0; m < HOUDINI_MEANINGS; m++)
        if (hjson_is(&found->name, houdini_meanings[m].name) && houdini_meanings[m].size == size)
            return m;
    return HGEO_ATTRIBUTES;
}

/* Completes what the file leaves out, and checks that the parts agree. */
static int check_attribute(const hjson_reader *reader, hgeo_attribute *values)
{
    uint32_t sum = 0;
    if (!values->form)
        return hjson_error(reader, values->name,
                           "the attribute has no \"tuples\", \"arrays\" or \"rawpagedata\"");
    if (values->form != HGEO_PAGES) return HOST_DONE;
    if (!values->pack_count) values->packs[values->pack_count++] = values->size;
    for (uint32_t p = 0; p < values->pack_count && p < HGEO_TUPLE_MAX; p++) sum += values->packs[p];
    if (sum != values->size || values->pack_count > HGEO_TUPLE_MAX)
        return hjson_error(reader, values->name, "\"packing\" does not sum to the size %u",
                           values->size);
    if (values->page_points < 1)
        return hjson_error(reader, values->name, "the attribute has pages, but no \"pagesize\"");
    return HOST_DONE;
}

/* One attribute: a list of its definition and its data. */
static int read_attribute(hgeo_file *file)
{
    hjson_reader *reader = &file->reader;
    description found = {.values = {.size = 1}};
    hjson_token token;
    int code = read_definition(reader, &found);
    if (!code) code = read_description(reader, &found);
    if (!code) code = hjson_need(reader, &token);
    if (code) return code;
    if (token.kind != HJSON_LIST_END)
        return hjson_unexpected(reader, &token, "the end of an attribute");
    uint32_t which = find_attribute(&found);
    if (which == HGEO_ATTRIBUTES) {
        houdini_note_unknown(reader->piece, (const char *)found.name.bytes,
                             (size_t)found.name.count);
        return HOST_DONE;
    }
    if (file->attributes[which].form)
        return hjson_error(reader, found.name.at, "an attribute occurs twice");
    found.values.name = found.name.at;
    code = check_attribute(reader, &found.values);
    file->attributes[which] = found.values;
    return code;
}

static int read_point_attributes(hgeo_file *file)
{
    hjson_token token;
    int code = hjson_need(&file->reader, &token);
    if (!code && token.kind != HJSON_LIST)
        return hjson_unexpected(&file->reader, &token, "the list of point attributes");
    while (!code) {
        code = hjson_need(&file->reader, &token);
        if (code || token.kind == HJSON_LIST_END) break;
        code = token.kind == HJSON_LIST ? read_attribute(file)
                                        : hjson_unexpected(&file->reader, &token, "an attribute");
    }
    return code;
}

/* Reads a list of names and values, each by `member`. */
static int read_pairs(hgeo_file *file, const char *what,
                      int (*member)(hgeo_file *file, const hjson_token *name))
{
    hjson_pairs pairs;
    hjson_token name;
    bool is_open = true;
    int code = hjson_pairs_open(&file->reader, &pairs, what);
    while (!code && is_open) {
        code = hjson_pairs_next(&file->reader, &pairs, &name, &is_open);
        if (!code && is_open) code = member(file, &name);
    }
    return code;
}

static int read_attribute_list(hgeo_file *file, const hjson_token *name)
{
    return hjson_is(name, "pointattributes") ? read_point_attributes(file) : skip_more(file);
}

static bool is_other_data(const hjson_token *name)
{
    static const char *const names[] = {"pointgroups", "vertexgroups", "primitivegroups",
                                        "edgegroups"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (hjson_is(name, names[n])) return true;
    return false;
}

static int read_member(hgeo_file *file, const hjson_token *name)
{
    int64_t count;
    if (hjson_is(name, "pointcount"))
        return hjson_take_whole(&file->reader, "the number of points", 0, INT32_MAX,
                                &file->point_count);
    if (hjson_is(name, "attributes"))
        return read_pairs(file, "the attributes", read_attribute_list);
    if (hjson_is(name, "primitivecount")) {
        int code = hjson_take_whole(&file->reader, "the number of primitives", 0, INT64_C(1) << 48,
                                    &count);
        file->has_more |= count > 0;
        return code;
    }
    return is_other_data(name) ? skip_more(file) : hjson_skip(&file->reader);
}

static int check_members(const hgeo_file *file)
{
    const host_piece *piece = file->reader.piece;
    if (file->point_count < 0) return piece_error(piece, piece->size, "no \"pointcount\" is given");
    if (!file->attributes[HGEO_LOCATION].form && file->point_count)
        return piece_error(piece, piece->size, "no attribute P of 3 or 4 numbers is given");
    if ((uint64_t)file->point_count > POINTS_FREE + (uint64_t)piece->size)
        return piece_error(piece, HOST_NO_OFFSET, "%lld points in a file of %zu bytes",
                           (long long)file->point_count, piece->size);
    return HOST_DONE;
}

static int read_all_values(const hgeo_file *file, host_frame *frame)
{
    uint32_t streams = POINT_BIT(POINT_LOCATION);
    for (uint32_t m = 0; m < HOUDINI_MEANINGS; m++)
        if (file->attributes[m].form) streams |= POINT_BIT(houdini_meanings[m].stream);
    int code = piece_frame(file->reader.piece, frame, (uint64_t)file->point_count, streams);
    for (uint32_t a = 0; a < HGEO_ATTRIBUTES && !code; a++)
        if (file->attributes[a].form) code = hgeo_read_values(file, a, frame);
    return code;
}

static void note_rest(const hgeo_file *file, const uint8_t *end)
{
    const host_piece *piece = file->reader.piece;
    while (!file->reader.is_binary && end < file->reader.end && *end && strchr(" \t\r\n", *end))
        end++;
    if (file->has_more) houdini_note_more(piece);
    if (end < file->reader.end && piece_doubts(piece))
        host_doubt(piece->path, (uint64_t)(end - piece->bytes),
                   "%zu bytes after the end of the geometry are ignored",
                   (size_t)(file->reader.end - end));
}

int hgeo_read(host_piece *piece, host_frame *frame)
{
    hgeo_file file = {.point_count = -1};
    hjson_open(&file.reader, piece);
    int code = read_pairs(&file, "the list of a geometry", read_member);
    const uint8_t *end = file.reader.at;
    if (!code) code = check_members(&file);
    if (!code) code = read_all_values(&file, frame);
    if (!code) note_rest(&file, end);
    hjson_close(&file.reader);
    return code;
}
