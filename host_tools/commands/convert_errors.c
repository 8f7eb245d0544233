/* SPDX-License-Identifier: MIT
   host_tools/commands/convert_errors.c - options of clips; error bounds of streams from their
           ranges.
   reads   options, frames                 writes  bounds
   memory  the caller's                    cost    O(points) per frame
   after   own design */
#include "convert_errors.h"
#include "output.h"
#include "../formats/tpc.h"
#include <math.h>
#include <string.h>

/* A power of two within the limits of the clip format. */
static bool read_block_bytes(convert_errors *errors, const char *text)
{
    uint32_t bytes;
    if (!host_parse_u32(text, &bytes) || bytes < 1u << TPI_CLIP_BLOCK_LOWEST ||
        bytes > 1u << TPI_CLIP_BLOCK_HIGHEST || (bytes & (bytes - 1u)))
        return false;
    errors->block_bytes = bytes;
    return true;
}

/* "0.01": in scene units. "1e-3r": relative to the largest side of the box. */
int convert_errors_read(convert_errors *errors, const char *command,
                        const convert_error_options *options, const host_format *to)
{
    char number[40];
    const char *text = options->error, *keys = options->key_interval,
               *blocks = options->block_bytes;
    if ((text || keys || blocks || options->is_packed) && !to->takes_errors)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "--%s has no meaning here: %s keeps every bit of each "
                          "frame; leave it out, or write .tpc",
                          text     ? "error"
                          : keys   ? "key-interval"
                          : blocks ? "block-bytes"
                                   : "packed",
                          to->name);
    if (keys && (!host_parse_u32(keys, &errors->key_interval) || !errors->key_interval ||
                 errors->key_interval > 255))
        return output_bad_option(command, "key-interval", keys,
                                 "a whole number of frames from 1 to 255");
    if (blocks && !read_block_bytes(errors, blocks))
        return output_bad_option(command, "block-bytes", blocks,
                                 "512, 1024, 2048, 4096, 8192, 16384 or 32768");
    errors->is_packed = options->is_packed;
    if (options->is_packed && !keys) errors->key_interval = 255; /* frames are not sought in it */
    if (!text) return HOST_DONE;
    if (options->is_exact)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "--error and --exact exclude each other; leave one out");
    size_t length = strlen(text);
    errors->is_relative = length && text[length - 1] == 'r';
    snprintf(number, sizeof number, "%.*s", (int)(length - errors->is_relative), text);
    bool good = length < sizeof number && host_parse_f64(number, &errors->error) &&
                errors->error > 0 && (float)errors->error > 0;
    if (good && isfinite((float)errors->error) && (!errors->is_relative || errors->error <= 1))
        return HOST_DONE;
    return output_bad_option(
        command, "error", text,
        "a number above 0, or a part up to 1 and the letter r, for example 0.001 or 1e-3r");
}

static void widen(convert_range *range, const host_frame *frame, uint32_t stream)
{
    const float *values = frame->data[stream];
    uint32_t floats = point_streams[stream].floats;
    if (!range->any)
        for (uint32_t k = 0; k < 4; k++) range->low[k] = INFINITY, range->high[k] = -INFINITY;
    for (uint32_t c = 0; values && c < floats; c++) {
        float low = range->low[c], high = range->high[c];
        for (size_t i = c; i < (size_t)frame->count * floats; i += floats) {
            if (!isfinite(values[i])) continue;
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
        range->low[c] = low, range->high[c] = high;
        range->any |= low <= high;
    }
}

void convert_errors_widen(convert_errors *errors, const host_frame *frame)
{
    for (uint32_t s = POINT_LOCATION; s <= POINT_ANGULAR; s++) widen(&errors->ranges[s], frame, s);
}

static double largest_side(const convert_range *range)
{
    double side = 0;
    for (uint32_t c = 0; range->any && c < 3; c++)
        if (range->high[c] >= range->low[c])
            side = fmax(side, (double)range->high[c] - (double)range->low[c]);
    return side;
}

/* If all points are at one position the box has no side, and all streams are exact. */
void convert_errors_plan(const convert_errors *errors, uint32_t type, double *bounds)
{
    double side = largest_side(&errors->ranges[POINT_LOCATION]);
    if (!(errors->error > 0) || !(side > 0)) return;
    double part = errors->is_relative ? errors->error : errors->error / side;
    /* the stream holds pinned positions, not angular velocities */
    bool is_place = type == POINT_CLOTH;
    bounds[POINT_LOCATION] = part * side;
    bounds[POINT_VELOCITY] = part * largest_side(&errors->ranges[POINT_VELOCITY]);
    bounds[POINT_ROTATION] = TPC_ROTATION;
    bounds[POINT_ANGULAR] =
        is_place ? part * side : part * largest_side(&errors->ranges[POINT_ANGULAR]);
}
