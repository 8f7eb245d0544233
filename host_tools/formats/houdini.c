/* SPDX-License-Identifier: MIT
   host_tools/formats/houdini.c - Houdini's classic geometry: the attributes, shared by both forms.
   reads   -                               writes  host_frame
   memory  none                            cost    O(1) per value
   after   see houdini.h; attributes by the names that Houdini's own nodes use */
#include "houdini.h"
#include <math.h>
#include <string.h>

const char *const houdini_type_names[HOUDINI_TYPES] = {"float", "int",   "string",
                                                       "mixed", "index", "vector"};

const houdini_meaning houdini_meanings[HOUDINI_MEANINGS] = {
    {"id", POINT_INDEX, 1, HOUDINI_INT, {0}},
    {"v", POINT_VELOCITY, 3, HOUDINI_VECTOR, {0, 1, 2}},
    {"orient", POINT_ROTATION, 4, HOUDINI_FLOAT, {1, 2, 3, 0}},
    {"w", POINT_ANGULAR, 3, HOUDINI_VECTOR, {0, 1, 2}},
    {"pscale", POINT_SIZE, 1, HOUDINI_FLOAT, {0}},
    /* Not a name of Houdini: birth, death, lifetime in frames. */
    {"times", POINT_TIMES, 3, HOUDINI_FLOAT, {0, 1, 2}},
};

const char *houdini_check_counts(const int64_t counts[HOUDINI_COUNTS])
{
    for (int c = 0; c < HOUDINI_COUNTS; c++)
        if (counts[c] < 0 || counts[c] > INT32_MAX)
            return "a count of the header is negative or too large";
    if (counts[COUNT_POINT_ATTRIBUTES] > HOUDINI_ATTRIBUTES_MAX)
        return "more than 256 point attributes";
    return NULL;
}

static const houdini_meaning *find_meaning(const char *name, size_t length)
{
    for (size_t m = 0; m < HOUDINI_MEANINGS; m++)
        if (strlen(houdini_meanings[m].name) == length &&
            memcmp(houdini_meanings[m].name, name, length) == 0)
            return &houdini_meanings[m];
    return NULL;
}

void houdini_note_unknown(const host_piece *piece, const char *name, size_t length)
{
    piece_note(piece, HOST_NO_OFFSET, "attribute \"%.*s\" is unknown and ignored",
               (int)(length < 40 ? length : 40), name);
}

const char *houdini_add(houdini_point *point, const host_piece *piece, const char *name,
                        size_t length, int64_t size, uint32_t type)
{
    const houdini_meaning *meaning = find_meaning(name, length);
    if (type >= HOUDINI_TYPES || type == HOUDINI_STRING || type == HOUDINI_MIXED)
        return "the type of an attribute is neither float, int, vector nor index";
    if (size < 1 || size > HOUDINI_SIZE_MAX) return "an attribute does not have 1 to 4096 values";
    if (meaning && (type == HOUDINI_INDEX || meaning->size != size))
        meaning = NULL; /* same name, but another attribute */
    if (!meaning) houdini_note_unknown(piece, name, length);
    if (meaning && point->streams & POINT_BIT(meaning->stream)) return "an attribute occurs twice";
    if (meaning) point->streams |= POINT_BIT(meaning->stream);
    point->attributes[point->count++] = (houdini_attribute){meaning, type, (uint32_t)size};
    point->values += (uint32_t)size;
    return NULL;
}

bool houdini_store(host_frame *frame, uint32_t i, const houdini_attribute *attribute, uint32_t k,
                   double value)
{
    const houdini_meaning *meaning = attribute->meaning;
    size_t at = (size_t)i * meaning->size + meaning->order[k];
    if (meaning->stream == POINT_INDEX) {
        if (!(value >= 0 && value <= INT32_MAX) || value != floor(value)) return false;
        ((uint32_t *)frame->data[POINT_INDEX])[at] = (uint32_t)value;
        return true;
    }
    ((float *)frame->data[meaning->stream])[at] = (float)value;
    return true;
}

bool houdini_has_more(const int64_t counts[HOUDINI_COUNTS])
{
    bool has_more = false;
    for (int c = COUNT_PRIMS; c < HOUDINI_COUNTS; c++)
        has_more |= c != COUNT_POINT_ATTRIBUTES && counts[c];
    return has_more;
}

void houdini_note_more(const host_piece *piece)
{
    piece_note(piece, HOST_NO_OFFSET,
               "primitives, groups, and attributes of anything but points are ignored");
}

void houdini_note_rest(const host_piece *piece, const int64_t counts[HOUDINI_COUNTS], size_t end)
{
    if (houdini_has_more(counts)) houdini_note_more(piece);
    if (end == piece->size || !piece_doubts(piece)) return;
    if (!end)
        host_doubt(piece->path, piece->size,
                   "the end mark of the file is missing; its points are complete");
    else
        host_doubt(piece->path, end, "%zu bytes after the end mark of the file are ignored",
                   piece->size - end);
}

bool houdini_writes(const houdini_meaning *meaning, const host_frame *frame)
{
    return meaning->stream == POINT_INDEX || frame->data[meaning->stream];
}

int houdini_check_frame(const host_frame *frame, const char *path)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (frame->count > INT32_MAX)
        return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                          "frame %.10g has more than 2147483647 points", frame->number);
    if (!frame->count || indices[frame->count - 1] <= INT32_MAX) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "frame %.10g has index %u, but an id of Houdini is at most 2147483647",
                      frame->number, indices[frame->count - 1]);
}
