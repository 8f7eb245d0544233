/* SPDX-License-Identifier: MIT
   host_tools/commands/convert_finite.c - values of a frame that are not finite: NaN and infinity.
   reads   host_frame                      writes  errors and notes
   memory  the first value found           cost    O(values of a frame)
   after   own design */
#include "convert_finite.h"
#include <math.h>
#include <string.h>

static void add_value(convert_finite *found, const host_frame *frame, uint32_t stream, size_t point,
                      float value)
{
    if (found->count++) return;
    found->frame = frame->number;
    found->index = ((const uint32_t *)frame->data[POINT_INDEX])[point];
    found->stream = stream;
    found->value = value;
}

static void find_values(convert_finite *found, const host_frame *frame, uint32_t stream)
{
    const uint8_t *values = frame->data[stream];
    for (size_t point = 0; point < frame->count; point++)
        for (size_t k = 0; k < point_streams[stream].floats; k++) {
            float value;
            memcpy(&value, values + point * point_streams[stream].bytes + k * sizeof value,
                   sizeof value);
            if (!isfinite(value)) add_value(found, frame, stream, point, value);
        }
}

void convert_finite_add(convert_finite *found, const host_frame *frame)
{
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        size_t bytes = (size_t)frame->count * point_streams[s].bytes;
        if (frame->data[s] && point_may_be_infinite(frame->data[s], bytes))
            find_values(found, frame, s);
    }
}

static const char *name_of(float value)
{
    return isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

int convert_finite_check(const host_frame *frame, const char *path, const host_format *to)
{
    convert_finite found = {0};
    convert_finite_add(&found, frame);
    if (!found.count) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "frame %.10g index %u: %s is %s; .%s files hold finite numbers only",
                      found.frame, found.index, point_streams[found.stream].name,
                      name_of(found.value), to->name);
}

void convert_finite_note(const convert_finite *found, const char *path)
{
    if (found->count)
        host_note(path, HOST_NO_OFFSET,
                  "%llu value%s not finite and kept as %s; the first: frame %.10g index %u: %s is "
                  "%s",
                  (unsigned long long)found->count, found->count == 1 ? " is" : "s are",
                  found->count == 1 ? "it is" : "they are", found->frame, found->index,
                  point_streams[found->stream].name, name_of(found->value));
}
