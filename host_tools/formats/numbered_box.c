/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered_box.c - one box around the points of all frames of a sequence.
   reads   host_frame                      writes  three lines of fixed width in each frame
   memory  16 bytes per frame              cost    O(points), and a write per frame at the end
   after   own design */
#include "numbered.h"
#include <math.h>
#include <string.h>

static void set_empty(numbered_boxes *boxes)
{
    for (int k = 0; k < 3; k++) boxes->low[k] = INFINITY, boxes->high[k] = -INFINITY;
}

void numbered_boxes_start(numbered_boxes *boxes, bool has_one)
{
    memset(boxes, 0, sizeof *boxes);
    boxes->has_one = has_one;
    set_empty(boxes);
}

/* Positions that are not finite have no place in a box. */
static void widen(numbered_boxes *boxes, const host_frame *frame)
{
    const float *locations = frame->data[POINT_LOCATION];
    for (size_t i = 0; i < (size_t)frame->count * 3; i++) {
        if (!isfinite(locations[i])) continue;
        if (locations[i] < boxes->low[i % 3]) boxes->low[i % 3] = locations[i];
        if (locations[i] > boxes->high[i % 3]) boxes->high[i % 3] = locations[i];
    }
}

static void write_lines(const numbered_boxes *boxes, FILE *stream)
{
    for (int k = 0; k < 3; k++) {
        bool has_point = boxes->low[k] <= boxes->high[k];
        fprintf(stream, "%15.9g %15.9g\n", has_point ? (double)boxes->low[k] : 0.0,
                has_point ? (double)boxes->high[k] : 0.0);
    }
}

int numbered_boxes_add(numbered_boxes *boxes, FILE *stream, const host_frame *frame)
{
    numbered_box_place *places =
        host_lengthen(boxes->places, boxes->count, &boxes->capacity, sizeof *places);
    if (!places) return host_out_of_memory("the list of frames");
    boxes->places = places;
    places[boxes->count] = (numbered_box_place){(int64_t)frame->number, ftello(stream)};
    boxes->count += boxes->has_one;
    if (!boxes->has_one) set_empty(boxes);
    widen(boxes, frame);
    write_lines(boxes, stream);
    return HOST_DONE;
}

bool numbered_boxes_put(const numbered_boxes *boxes, FILE *stream, size_t i)
{
    int64_t offset = boxes->places[i].offset;
    if (offset < 0 || fseeko(stream, (off_t)offset, SEEK_SET) != 0) return false;
    write_lines(boxes, stream);
    return true;
}
