/* SPDX-License-Identifier: MIT
   host_tools/formats/hgeo_values.c - the values of a point attribute: tuples, arrays, pages.
   reads   tokens of hjson.h               writes  host_frame
   memory  none                            cost    O(bytes + points)
   after   see hgeo.h; pages hold their packs one after the other, a pack either for each point of
           the page or once for all */
#include "hgeo.h"
#include <math.h>
#include <string.h>

/* Where values go. */
typedef struct target {
    const hjson_reader *reader;
    const houdini_meaning *meaning; /* NULL: the location */
    host_frame *frame;
} target;

static int store_index(const target *to, int64_t point, const hjson_token *item)
{
    double value;
    bool good = item->kind == HJSON_NUMBER && hjson_number(to->reader, item, &value) &&
                value >= 0 && value <= INT32_MAX && value == floor(value);
    if (!good)
        return hjson_error(to->reader, item->at,
                           "id of point %lld (from 0) is no whole number from 0 to 2147483647",
                           (long long)point);
    ((uint32_t *)to->frame->data[POINT_INDEX])[point] = (uint32_t)value;
    return HOST_DONE;
}

static int store(const target *to, int64_t point, uint32_t component, const hjson_token *item)
{
    const houdini_meaning *meaning = to->meaning;
    uint32_t stream = meaning ? meaning->stream : POINT_LOCATION,
             size = meaning ? meaning->size : 3;
    uint32_t bits;
    if (component >= size) return HOST_DONE; /* the weight of a location */
    if (stream == POINT_INDEX) return store_index(to, point, item);
    const char *expected = hjson_f32(to->reader, item, &bits);
    if (expected) return hjson_unexpected(to->reader, item, expected);
    size_t at = (size_t)point * size + (meaning ? meaning->order[component] : component);
    memcpy((uint8_t *)to->frame->data[stream] + at * 4, &bits, sizeof bits);
    return HOST_DONE;
}

/* The next value of a list that must have one. */
static int need_item(hjson_reader *reader, hjson_items *items, hjson_token *item)
{
    bool is_open;
    int code = hjson_items_next(reader, items, item, &is_open);
    if (code || is_open) return code;
    const uint8_t *at = items->list.kind == HJSON_LIST ? item->at : items->list.at;
    return hjson_error(reader, at, "an attribute has fewer values than points");
}

static int need_end(hjson_reader *reader, hjson_items *items)
{
    hjson_token item;
    bool is_open;
    int code = hjson_items_next(reader, items, &item, &is_open);
    if (code || !is_open) return code;
    return hjson_error(reader, item.at, "an attribute has more values than points");
}

/* Tuples of one component may be plain numbers. */
static int read_tuple(hjson_reader *reader, hjson_items *tuples, const target *to, int64_t point,
                      uint32_t size)
{
    hjson_token item;
    int code = need_item(reader, tuples, &item);
    if (code) return code;
    if (item.kind == HJSON_NUMBER && size == 1) return store(to, point, 0, &item);
    if (item.kind != HJSON_LIST && item.kind != HJSON_UNIFORM)
        return hjson_unexpected(reader, &item, "a tuple");
    hjson_items values = {.list = item};
    for (uint32_t k = 0; k < size && !code; k++) {
        code = need_item(reader, &values, &item);
        if (!code) code = store(to, point, k, &item);
    }
    return code ? code : need_end(reader, &values);
}

static int read_tuples(hjson_reader *reader, const hgeo_attribute *values, const target *to,
                       int64_t count)
{
    hjson_items tuples;
    int code = hjson_items_open(reader, &tuples, "a list of tuples");
    for (int64_t i = 0; i < count && !code; i++)
        code = read_tuple(reader, &tuples, to, i, values->size);
    return code ? code : need_end(reader, &tuples);
}

/* One list for each component. */
static int read_arrays(hjson_reader *reader, const hgeo_attribute *values, const target *to,
                       int64_t count)
{
    hjson_items arrays, array;
    hjson_token item;
    int code = hjson_items_open(reader, &arrays, "a list of arrays");
    if (!code && arrays.list.kind != HJSON_LIST)
        return hjson_unexpected(reader, &arrays.list, "a list of arrays");
    for (uint32_t k = 0; k < values->size && !code; k++) {
        code = hjson_items_open(reader, &array, "an array");
        for (int64_t i = 0; i < count && !code; i++) {
            code = need_item(reader, &array, &item);
            if (!code) code = store(to, i, k, &item);
        }
        if (!code) code = need_end(reader, &array);
    }
    return code ? code : need_end(reader, &arrays);
}

/* ---- pages */

/* The flags of one pack: true where a page stores one value. */
typedef struct pack_flags {
    hjson_reader reader;
    hjson_items items;
    bool is_used;
} pack_flags;

/* Each pack has a list of flags, or an empty one. */
static int open_flags(const hjson_reader *reader, const hgeo_attribute *values,
                      pack_flags flags[HGEO_TUPLE_MAX])
{
    hjson_reader at = *reader;
    hjson_items lists;
    if (!values->flags) return HOST_DONE;
    at.at = values->flags;
    int code = hjson_items_open(&at, &lists, "a list of page flags for each pack");
    for (uint32_t p = 0; p < values->pack_count && !code; p++) {
        hjson_token token;
        hjson_reader before = at;
        bool is_open;
        if (lists.list.kind != HJSON_LIST) break; /* one that is empty */
        code = hjson_need(&at, &token);
        if (code || token.kind == HJSON_LIST_END) break;
        at = flags[p].reader = before;
        code = hjson_items_open(&flags[p].reader, &flags[p].items, "the page flags of a pack");
        if (!code) code = hjson_skip(&at);
        if (code) break;
        pack_flags first = flags[p];
        code = hjson_items_next(&first.reader, &first.items, &token, &is_open);
        flags[p].is_used = is_open;
    }
    return code;
}

static int take_flag(pack_flags *flags, bool *is_constant)
{
    hjson_token item;
    double value = 0;
    *is_constant = false;
    if (!flags->is_used) return HOST_DONE;
    int code = need_item(&flags->reader, &flags->items, &item);
    if (code) return code;
    bool good = item.kind == HJSON_BOOL ||
                (item.kind == HJSON_NUMBER && hjson_number(&flags->reader, &item, &value));
    *is_constant = item.kind == HJSON_BOOL ? item.is_true : value != 0;
    return good ? HOST_DONE : hjson_unexpected(&flags->reader, &item, "true or false");
}

typedef struct page {
    int64_t first, points;
    uint32_t component, size; /* of the pack */
    bool is_constant;
} page;

static int read_pack(hjson_reader *reader, hjson_items *items, const target *to, const page *at)
{
    hjson_token item;
    int code = HOST_DONE;
    for (int64_t i = 0; i < (at->is_constant ? 1 : at->points) && !code; i++)
        for (uint32_t k = 0; k < at->size && !code; k++) {
            code = need_item(reader, items, &item);
            int64_t last = at->is_constant ? at->points : i + 1;
            for (int64_t p = i; p < last && !code; p++)
                code = store(to, at->first + p, at->component + k, &item);
        }
    return code;
}

static int read_pages(hjson_reader *reader, const hgeo_attribute *values, const target *to,
                      int64_t count)
{
    pack_flags flags[HGEO_TUPLE_MAX] = {{.is_used = false}};
    hjson_items items;
    int code = open_flags(reader, values, flags);
    if (!code) code = hjson_items_open(reader, &items, "a list of values");
    for (int64_t first = 0; first < count && !code; first += values->page_points) {
        int64_t left = count - first;
        page at = {.first = first,
                   .points = left < values->page_points ? left : values->page_points};
        for (uint32_t p = 0; p < values->pack_count && !code; p++) {
            at.size = values->packs[p];
            code = take_flag(&flags[p], &at.is_constant);
            if (!code) code = read_pack(reader, &items, to, &at);
            at.component += at.size;
        }
    }
    return code ? code : need_end(reader, &items);
}

int hgeo_read_values(const hgeo_file *file, uint32_t which, host_frame *frame)
{
    const hgeo_attribute *values = &file->attributes[which];
    hjson_reader reader = file->reader; /* a copy: its place is that of the values */
    target to = {&reader, which < HOUDINI_MEANINGS ? &houdini_meanings[which] : NULL, frame};
    reader.at = values->at;
    if (values->form == HGEO_TUPLES) return read_tuples(&reader, values, &to, file->point_count);
    if (values->form == HGEO_ARRAYS) return read_arrays(&reader, values, &to, file->point_count);
    return read_pages(&reader, values, &to, file->point_count);
}
