/* SPDX-License-Identifier: MIT
   host_tools/formats/points.c - one frame of points in memory: allocate, sort, find, filter,
           convert units.
   reads   host_frame                      writes  host_frame
   memory  malloc, freed by host_frame_free    cost    O(points) a call; sorting O(points log
           points)
   after   own design */
#include "bphys.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const point_stream point_streams[POINT_STREAMS] = {
    {"index", NULL, 4, 0},     {"location", NULL, 12, 3},      {"velocity", NULL, 12, 3},
    {"rotation", NULL, 16, 4}, {"avelocity", "xconst", 12, 3}, {"size", NULL, 4, 1},
    {"times", NULL, 12, 3},    {"boids", NULL, 20, 4},         {"wet", NULL, 24, 5},
    {"paint", NULL, 16, 4},    {"displace", NULL, 4, 1},       {"weight", NULL, 4, 1},
    {"wave", NULL, 16, 3},
};
const uint32_t extra_bytes[EXTRA_TYPES] = {0, 16, 12};

static const char *const type_names[POINT_TYPES] = {
    "softbody", "particles", "cloth", "smoke", "smoke-highres", "dynamicpaint", "rigidbody"};

const char *point_type_name(uint32_t type)
{
    return type < POINT_TYPES ? type_names[type] : "unknown";
}

bool point_type_parse(const char *text, uint32_t *type)
{
    for (uint32_t i = 0; i < POINT_TYPES; i++) {
        if (strcmp(type_names[i], text) != 0) continue;
        *type = i;
        return true;
    }
    return false;
}

/* The bit of the stream with this name of `length` letters; 0: no such stream. */
static uint32_t stream_bit(const char *name, size_t length)
{
    if (length == 5 && strncmp(name, "extra", length) == 0) return POINT_EXTRA;
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        const char *names[2] = {point_streams[s].name, point_streams[s].other_name};
        for (int n = 0; n < 2; n++)
            if (names[n] && strlen(names[n]) == length && strncmp(names[n], name, length) == 0)
                return POINT_BIT(s);
    }
    return 0;
}

bool point_streams_parse(const char *text, uint32_t *mask, char *unknown, size_t unknown_size)
{
    *mask = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        uint32_t bit = stream_bit(text, length);
        if (!bit) {
            snprintf(unknown, unknown_size, "%.*s", (int)(length < 64 ? length : 64), text);
            return false;
        }
        *mask |= bit;
        if (!text[length]) return true;
        text += length + 1;
    }
}

void point_streams_print(char *text, size_t size, uint32_t type, uint32_t streams)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t s = 0; s < POINT_STREAMS && used < size; s++) {
        if (!(streams & POINT_BIT(s))) continue;
        const char *other = type == POINT_CLOTH ? point_streams[s].other_name : NULL;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
                                 other ? other : point_streams[s].name);
    }
}

/* ---- allocating and freeing */

bool host_frame_allocate(host_frame *frame, uint32_t count, uint32_t streams)
{
    memset(frame, 0, sizeof *frame);
    frame->count = count;
    frame->streams = streams & POINT_EVERY;
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (s != POINT_INDEX && !(streams & POINT_BIT(s))) continue;
        frame->data[s] = host_allocate(count, point_streams[s].bytes);
        if (!frame->data[s]) {
            host_frame_free(frame);
            return false;
        }
    }
    return true;
}

void host_frame_free(host_frame *frame)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++) free(frame->data[s]);
    for (uint32_t t = 0; t < EXTRA_TYPES; t++) free(frame->extra[t].bytes);
    memset(frame, 0, sizeof *frame);
}

static bool copy_extra(host_frame *to, const host_frame *from)
{
    for (uint32_t t = 0; t < EXTRA_TYPES; t++) {
        size_t size = (size_t)from->extra[t].count * extra_bytes[t];
        if (!from->extra[t].bytes) continue;
        to->extra[t].bytes = host_allocate(size, 1);
        if (!to->extra[t].bytes) return false;
        to->extra[t].count = from->extra[t].count;
        memcpy(to->extra[t].bytes, from->extra[t].bytes, size);
    }
    return true;
}

bool host_frame_copy(host_frame *to, const host_frame *from)
{
    if (!host_frame_allocate(to, from->count, from->streams)) return false;
    to->number = from->number;
    to->depth = from->depth;
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (from->data[s] && from->count)
            memcpy(to->data[s], from->data[s], (size_t)from->count * point_streams[s].bytes);
    if (copy_extra(to, from)) return true;
    host_frame_free(to);
    return false;
}

/* ---- finding and sorting */

bool host_frame_find(const host_frame *frame, uint32_t index, uint32_t *position)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (!frame->count || index < indices[0]) return false;
    uint32_t low = 0, high = frame->count; /* the answer, if any, is in [low, high) */
    uint32_t guess = index - indices[0];   /* exact when the indices have no gaps */
    if (guess < high && indices[guess] == index) low = guess, high = guess + 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (indices[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    *position = low;
    return indices[low] == index;
}

static bool is_ascending(const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (indices[i] <= indices[i - 1]) return false;
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

/* Reorders all streams: element i comes from the old position in the low half of keys[i]. */
static bool gather(host_frame *frame, const uint64_t *keys, uint32_t count)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        size_t bytes = point_streams[s].bytes;
        if (!frame->data[s]) continue;
        uint8_t *sorted = host_allocate(count, bytes);
        if (!sorted) return false;
        for (uint32_t i = 0; i < count; i++)
            memcpy(sorted + i * bytes,
                   (const uint8_t *)frame->data[s] + (size_t)(uint32_t)keys[i] * bytes, bytes);
        free(frame->data[s]);
        frame->data[s] = sorted;
    }
    frame->count = count;
    return true;
}

bool host_frame_order(host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (is_ascending(indices, frame->count)) return true;
    uint64_t *keys = host_allocate(frame->count, sizeof *keys);
    if (!keys) return false;
    for (uint32_t i = 0; i < frame->count; i++)
        keys[i] = (uint64_t)indices[i] << 32 | i; /* the position makes the sort stable */
    qsort(keys, frame->count, sizeof *keys, compare_keys);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        if (kept && keys[kept - 1] >> 32 == keys[i] >> 32) kept--;
        keys[kept++] = keys[i];
    }
    bool good = gather(frame, keys, kept);
    free(keys);
    return good;
}

void host_frame_keep(host_frame *frame, const bool *keep)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        if (!keep[i]) continue;
        for (uint32_t s = 0; s < POINT_STREAMS; s++) {
            size_t bytes = point_streams[s].bytes;
            if (!frame->data[s] || kept == i) continue;
            memcpy((uint8_t *)frame->data[s] + kept * bytes, (uint8_t *)frame->data[s] + i * bytes,
                   bytes);
        }
        kept++;
    }
    frame->count = kept;
}

void host_frame_select(host_frame *frame, uint32_t mask)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (s == POINT_INDEX || mask & POINT_BIT(s)) continue;
        free(frame->data[s]);
        frame->data[s] = NULL;
    }
    frame->streams &= mask | POINT_BIT(POINT_INDEX);
    for (uint32_t t = 0; t < EXTRA_TYPES && !(mask & POINT_EXTRA); t++) {
        free(frame->extra[t].bytes);
        frame->extra[t].bytes = NULL;
        frame->extra[t].count = 0;
    }
}

/* ---- units */

/* Changes the axes. 0 - z instead of -z, so that 0 stays +0. */
static void turn(float *vector, point_axis axis)
{
    float y = vector[1], z = vector[2];
    if (axis == POINT_AXIS_Y_TO_Z_UP) vector[1] = 0.0f - z, vector[2] = y;
    if (axis == POINT_AXIS_Z_TO_Y_UP) vector[1] = z, vector[2] = 0.0f - y;
}

/* False: the value was finite and its product is not. */
static bool scale(float *value, float factor)
{
    bool was_finite = isfinite(*value);
    *value *= factor;
    return !was_finite || isfinite(*value);
}

/* `stride`: bytes from one vector to the next. Vectors may be unaligned. A factor of 1 keeps all
   bits. */
static bool convert_vectors(uint8_t *at, size_t count, size_t stride, float factor, point_axis axis)
{
    bool is_same = factor == 1.0f && axis == POINT_AXIS_SAME, fits = true;
    for (size_t i = 0; i < count && !is_same; i++, at += stride) {
        float vector[3];
        memcpy(vector, at, sizeof vector);
        turn(vector, axis);
        for (int k = 0; k < 3 && factor != 1.0f; k++) fits &= scale(&vector[k], factor);
        memcpy(at, vector, sizeof vector);
    }
    return fits;
}

static bool scale_floats(uint8_t *at, size_t count, size_t stride, float factor)
{
    bool fits = true;
    for (size_t i = 0; i < count && factor != 1.0f; i++, at += stride) {
        float value;
        memcpy(&value, at, sizeof value);
        fits &= scale(&value, factor);
        memcpy(at, &value, sizeof value);
    }
    return fits;
}

/* A death of BPHYS_NEVER does not move, so the lifetime up to it changes with the birth. */
void point_times_shift(float times[3], float shift)
{
    bool is_born = times[0] < BPHYS_NEVER, dies = times[1] < BPHYS_NEVER;
    if (shift == 0.0f) return;
    if (is_born) times[0] += shift;
    if (dies) times[1] += shift;
    if (is_born && times[1] == BPHYS_NEVER) times[2] = times[1] - times[0];
}

static void shift_times(host_frame *frame, float shift)
{
    float *times = frame->data[POINT_TIMES];
    for (uint32_t i = 0; times && i < frame->count; i++)
        point_times_shift(times + (size_t)i * 3, shift);
}

/* The average acceleration is a vector; a spring of 16 bytes begins with its rest length. */
static bool convert_extra(host_frame *frame, const point_units *units)
{
    const host_extra *springs = &frame->extra[EXTRA_SPRINGS],
                     *pull = &frame->extra[EXTRA_ACCELERATION];
    bool fits = true;
    if (springs->bytes) fits &= scale_floats(springs->bytes, springs->count, 16, units->scale);
    if (pull->bytes)
        fits &= convert_vectors(pull->bytes, pull->count, 12, units->scale, units->axis);
    return fits;
}

static bool convert_stream(host_frame *frame, uint32_t stream, const point_units *units,
                           uint32_t type)
{
    uint8_t *at = frame->data[stream];
    size_t count = frame->count;
    /* a target position is a length */
    float angular = type == POINT_CLOTH ? units->scale : units->velocity_factor;
    switch (stream) {
    case POINT_LOCATION: return convert_vectors(at, count, 12, units->scale, units->axis);
    case POINT_VELOCITY:
        return convert_vectors(at, count, 12, units->scale * units->velocity_factor, units->axis);
    case POINT_ROTATION: /* the vector part follows w and turns like any vector */
        return convert_vectors(at + 4, count, 16, 1.0f, units->axis);
    case POINT_ANGULAR: return convert_vectors(at, count, 12, angular, units->axis);
    case POINT_SIZE:
    case POINT_DISPLACE: return scale_floats(at, count, 4, units->scale);
    case POINT_WAVE: /* scales the first three of four words; they are no vector */
        return convert_vectors(at, count, 16, units->scale, POINT_AXIS_SAME);
    case POINT_BOIDS: /* acceleration follows the health */
        return convert_vectors(at + 4, count, 20, units->scale, units->axis);
    default: return true;
    }
}

uint32_t host_frame_convert(host_frame *frame, const point_units *units, uint32_t type)
{
    uint32_t left = 0;
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (frame->data[s] && !convert_stream(frame, s, units, type)) left |= POINT_BIT(s);
    shift_times(frame, units->time_shift);
    if (!convert_extra(frame, units)) left |= POINT_EXTRA;
    return left;
}

/* 1 added to such an exponent gives the sign. Two words at once, and no carry between them. */
bool point_may_be_infinite(const uint8_t *words, size_t bytes)
{
    const uint64_t exponents = UINT64_C(0x7f8000007f800000), ones = UINT64_C(0x0080000000800000);
    uint64_t found = 0, pair = 0;
    size_t at = 0;
    for (; at + sizeof pair <= bytes; at += sizeof pair) {
        memcpy(&pair, words + at, sizeof pair);
        found |= (pair & exponents) + ones;
    }
    pair = 0;
    memcpy(&pair, words + at, bytes - at);
    found |= (pair & exponents) + ones;
    return (found & UINT64_C(0x8000000080000000)) != 0;
}

int host_frame_in_range(const host_frame *frame, const char *path, uint32_t left,
                        const char *change)
{
    uint32_t s = 0;
    if (!left) return HOST_DONE;
    while (s < POINT_STREAMS && !(left & POINT_BIT(s))) s++;
    return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                      "frame %.10g: %s becomes more than a float holds, 3.4e38; %s", frame->number,
                      s < POINT_STREAMS ? point_streams[s].name : "extra data", change);
}
