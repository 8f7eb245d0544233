/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_headerless.c - caches of Blender 2.49 and older: bare floats of a given
           type.
   reads   folders, files                  writes  host_sequence, host_frame
   memory  one file                        cost    O(bytes)
   after   the arrays of those versions: 24 bytes per point of a soft body, 36 of a cloth, 56 of a
           particle */
#include "bphys_private.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The streams of a record in file order; the bytes after them are ignored. */
typedef struct layout {
    uint32_t type, bytes;
    uint32_t streams[4], stream_count;
} layout;
static const layout softbody = {POINT_SOFTBODY, 24, {POINT_LOCATION, POINT_VELOCITY}, 2};
static const layout cloth = {POINT_CLOTH, 36, {POINT_LOCATION, POINT_ANGULAR, POINT_VELOCITY}, 3};
static const layout particles = {
    /* The last 4 bytes are a time. */
    POINT_PARTICLES,
    56,
    {POINT_LOCATION, POINT_VELOCITY, POINT_ROTATION, POINT_ANGULAR},
    4};

static uint32_t stream_mask(const layout *form)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < form->stream_count; k++) mask |= POINT_BIT(form->streams[k]);
    return mask;
}

/* Floats of a simulation are zero or of common magnitude; in the wrong byte order hardly any
   are. */
static bool is_common(uint32_t word)
{
    uint32_t exponent = word >> 23 & 0xffu;
    return !(word << 1) || (exponent > 127 - 40 && exponent < 127 + 40);
}

static bool find_byte_order(const uint8_t *bytes, size_t size)
{
    size_t little = 0, big = 0;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        little += is_common(bphys_load_u32(bytes + at, false));
        big += is_common(bphys_load_u32(bytes + at, true));
    }
    return big > little;
}

static int check_file(const char *path, const layout *form, const uint8_t *bytes, size_t size)
{
    if (size >= 8 && bphys_recognises(bytes, size))
        return host_error(HOST_BAD_INPUT, path, 0,
                          "expected a file without a header, found one with a header; omit --from");
    if (size % form->bytes == 0 && size / form->bytes <= UINT32_MAX) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, size - size % form->bytes,
                      "the size of the file is %zu bytes, expected a multiple of %u, the size of a "
                      "point of type %s; the "
                      "file is of another type or incomplete",
                      size, form->bytes, point_type_name(form->type));
}

static int read_file(const char *path, const layout *form, host_frame *frame)
{
    uint8_t *bytes;
    size_t size;
    int code = host_read_file(path, &bytes, &size);
    if (code) return code;
    code = check_file(path, form, bytes, size);
    uint32_t count = code ? 0 : (uint32_t)(size / form->bytes);
    if (!code && !host_frame_allocate(frame, count, stream_mask(form)))
        code = host_out_of_memory(path);
    const uint8_t *from = bytes;
    bool big_endian = !code && find_byte_order(bytes, size);
    for (uint32_t k = 0; !code && k < form->stream_count; k++) {
        uint32_t s = form->streams[k];
        bphys_load_elements(frame->data[s], point_streams[s].bytes, from, form->bytes, count, s,
                            big_endian);
        from += point_streams[s].bytes;
    }
    for (uint32_t i = 0; !code && i < count; i++) ((uint32_t *)frame->data[POINT_INDEX])[i] = i;
    free(bytes);
    return code;
}

static const layout *layout_of(const host_sequence *sequence)
{
    if (sequence->type == POINT_SOFTBODY) return &softbody;
    return sequence->type == POINT_CLOTH ? &cloth : &particles;
}

/* Looks at file sizes only; contents are read when a frame is loaded. */
static int open_as(host_sequence *sequence, const char *path, const layout *form)
{
    int code = bphys_find_sequence(sequence, path);
    sequence->type = form->type;
    sequence->streams = stream_mask(form);
    for (size_t i = 0; !code && i < sequence->frame_count; i++) {
        struct stat status;
        char *file = bphys_frame_path(sequence, sequence->numbers[i]);
        if (file && stat(file, &status) == 0) {
            uint64_t count = (uint64_t)status.st_size / form->bytes;
            sequence->byte_count += (uint64_t)status.st_size;
            if (count > sequence->point_count && count <= UINT32_MAX)
                sequence->point_count = (uint32_t)count;
        }
        if (!file) code = host_out_of_memory("a path");
        free(file);
    }
    return code;
}

static int open_softbody(host_sequence *sequence, const char *path)
{
    return open_as(sequence, path, &softbody);
}
static int open_cloth(host_sequence *sequence, const char *path)
{
    return open_as(sequence, path, &cloth);
}
static int open_particles(host_sequence *sequence, const char *path)
{
    return open_as(sequence, path, &particles);
}

static int load(host_sequence *sequence, size_t position, host_frame *frame)
{
    char *path = bphys_frame_path(sequence, sequence->numbers[position]);
    int code = path ? read_file(path, layout_of(sequence), frame) : host_out_of_memory("a path");
    free(path);
    frame->number = sequence->numbers[position];
    return code;
}

/* Never found by content: any bytes could be such a file. */
static bool recognises(const uint8_t *start, size_t size)
{
    (void)start;
    (void)size;
    return false;
}

#define HEADERLESS(word, held)                                                                   \
    {                                                                                            \
        .name = "headerless-" #word, .ending = ".bphys", .speaks_bphys_units = true,             \
        .has_files = true, .summary = "Blender 2.49 or older, " #word, .recognises = recognises, \
        .open = open_##word, .load = load, .close = bphys_close,                                 \
        .streams = POINT_BIT(POINT_INDEX) | (held)                                               \
    }
const host_format bphys_headerless_rows[BPHYS_HEADERLESS_ROWS] = {
    HEADERLESS(particles, POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY) |
                              POINT_BIT(POINT_ROTATION) | POINT_BIT(POINT_ANGULAR)),
    HEADERLESS(softbody, POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY)),
    HEADERLESS(cloth,
               POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY) | POINT_BIT(POINT_ANGULAR))};
