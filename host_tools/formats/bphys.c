/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys.c - reads the bytes of one Blender point-cache file.
   reads   bytes of a file                 writes  host_frame
   memory  the frame, allocated only when the file can hold it; the decoders' own
   cost    O(bytes), plus O(points log points) when the points are not sorted
   after   the layout of Blender's point caches on disk; nothing in a file is trusted */
#include "bphys_private.h"
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'B', 'P', 'H', 'Y', 'S', 'I', 'C', 'S'};

/* ---- header */

static bool plausible_type(uint32_t word)
{
    uint32_t known = BPHYS_FLAG_COMPRESS | BPHYS_FLAG_EXTRA | 0xffffu;
    return !(word & ~known) && (word & 0xffffu) < POINT_TYPES;
}

/* Files are in the writer's native byte order, without a mark. The type word is plausible in one
   order only, except for soft body (type 0), where the streams word decides. */
static int find_byte_order(const char *file, const uint8_t *bytes, bool *big_endian)
{
    uint32_t little = bphys_load_u32(bytes + 8, false), big = bphys_load_u32(bytes + 8, true);
    bool little_fits = plausible_type(little), big_fits = plausible_type(big);
    *big_endian = !little_fits;
    if (little_fits && big_fits)
        *big_endian = bphys_load_u32(bytes + 16, false) > POINT_ALL &&
                      bphys_load_u32(bytes + 16, true) <= POINT_ALL;
    if (little_fits || big_fits) return HOST_DONE;
    if ((little & 0xffffu) >= POINT_TYPES)
        return host_error(HOST_BAD_INPUT, file, 8,
                          "simulation type is %u, expected 0 to 6; the file is damaged",
                          little & 0xffffu);
    return host_error(
        HOST_BAD_INPUT, file, 8,
        "flags are 0x%08x, expected none but 0x00010000 and 0x00020000; the file is damaged",
        little & 0xffff0000u);
}

int bphys_read_header(const char *file, const uint8_t *bytes, size_t size, bphys_header *header)
{
    memset(header, 0, sizeof *header);
    size_t compared = size < sizeof magic ? size : sizeof magic;
    if (size == 0)
        return host_error(HOST_BAD_INPUT, file, 0,
                          "the file is empty, expected a header of 20 bytes");
    if (memcmp(bytes, magic, compared) != 0)
        return host_error(HOST_BAD_INPUT, file, 0,
                          "magic is not BPHYSICS: no point cache, or one of Blender 2.49 or older, "
                          "which has no header "
                          "(name its type: --from headerless-particles, -softbody or -cloth)");
    if (size < BPHYS_HEADER_BYTES)
        return host_error(HOST_BAD_INPUT, file, size,
                          "the file ends inside its header of 20 bytes; it is incomplete");
    int code = find_byte_order(file, bytes, &header->big_endian);
    if (code) return code;
    uint32_t word = bphys_load_u32(bytes + 8, header->big_endian);
    header->type = word & 0xffffu;
    header->flags = word & 0xffff0000u;
    header->count = bphys_load_u32(bytes + 12, header->big_endian);
    header->streams = bphys_load_u32(bytes + 16, header->big_endian);
    if (header->streams > POINT_ALL)
        return host_error(
            HOST_BAD_INPUT, file, 16,
            "data_types is 0x%08x, expected bits 0 to 7 only; the size of other streams is unknown",
            header->streams);
    return HOST_DONE;
}

/* ---- body */

static int load_points(bphys_reader *r, const bphys_body *body, host_frame *frame)
{
    if (!host_frame_allocate(frame, r->header.count, r->header.streams))
        return bphys_out_of_memory(r);
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        size_t bytes = point_streams[s].bytes, stride = body->stride ? body->stride : bytes;
        const uint8_t *from = body->stride ? r->bytes + body->blocks[s].at : frame->data[s];
        if (!(r->header.streams & POINT_BIT(s))) continue;
        int code = body->stride ? HOST_DONE : bphys_unpack(r, &body->blocks[s], frame->data[s]);
        if (code) return code;
        bphys_load_elements(frame->data[s], bytes, from, stride, frame->count, s,
                            r->header.big_endian);
    }
    uint32_t *indices = frame->data[POINT_INDEX];
    bool has_index = r->header.streams & POINT_BIT(POINT_INDEX);
    for (uint32_t i = 0; i < frame->count && !has_index; i++) indices[i] = i;
    return HOST_DONE;
}

static int load_extra(bphys_reader *r, const bphys_block *block, host_extra *extra)
{
    size_t bytes = (size_t)block->items * block->item_size;
    if (!block->items) return HOST_DONE;
    extra->bytes = host_allocate(bytes, 1);
    if (!extra->bytes) return bphys_out_of_memory(r);
    extra->count = block->items;
    int code = bphys_unpack(r, block, extra->bytes);
    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t word = bphys_load_u32(extra->bytes + at, r->header.big_endian);
        memcpy(extra->bytes + at, &word, sizeof word);
    }
    return code;
}

int bphys_load_body(bphys_reader *r, const bphys_body *body, host_frame *frame)
{
    int code = load_points(r, body, frame);
    for (uint32_t type = 1; !code && type < EXTRA_TYPES; type++)
        code = load_extra(r, &body->extra[type], &frame->extra[type]);
    return code;
}

/* ---- whole files */

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

/* Padding records have index 0 and would move point 0 to the origin. */
uint32_t bphys_padding(const host_frame *frame)
{
    uint32_t found = 0;
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (; found + 1 < frame->count && indices[frame->count - 1 - found] == 0; found++) {
        size_t last = frame->count - 1 - found;
        for (uint32_t s = 0; s < POINT_STREAMS; s++) {
            size_t bytes = point_streams[s].bytes;
            if (frame->data[s] && !all_zero((uint8_t *)frame->data[s] + last * bytes, bytes))
                return found;
        }
    }
    return found;
}

/* Checks the grids; their values are not kept. */
static int measure_smoke(bphys_reader *r, host_frame *frame)
{
    bphys_smoke smoke;
    int code = bphys_read_smoke(r, &smoke);
    if (code) return code;
    return host_frame_allocate(frame, 0, 0) ? HOST_DONE : bphys_out_of_memory(r);
}

static int read_body(bphys_reader *r, host_frame *frame)
{
    bphys_body body;
    if (r->header.type == POINT_DYNAMIC_PAINT) return bphys_read_surface(r, frame);
    if (r->header.type == POINT_SMOKE || r->header.type == POINT_SMOKE_HIGHRES)
        return measure_smoke(r, frame);
    int code = bphys_take_body(r, &body);
    return code ? code : bphys_load_body(r, &body, frame);
}

static int read_records(const char *file, const uint8_t *bytes, size_t size, uint64_t backing,
                        host_frame *frame, size_t *end)
{
    bphys_reader r = {
        .file = file, .bytes = bytes, .size = size, .at = BPHYS_HEADER_BYTES, .backing = backing};
    memset(frame, 0, sizeof *frame);
    int code = bphys_read_header(file, bytes, size, &r.header);
    if (!code) code = read_body(&r, frame);
    if (code) host_frame_free(frame);
    if (end) *end = r.at;
    bphys_reader_end(&r);
    return code;
}

int bphys_read_records(const char *file, const uint8_t *bytes, size_t size, host_frame *frame,
                       size_t *end)
{
    return read_records(file, bytes, size, 0, frame, end);
}

int bphys_read(const char *file, const uint8_t *bytes, size_t size, host_frame *frame, size_t *end)
{
    return bphys_read_backed(file, bytes, size, 0, frame, end);
}

int bphys_read_backed(const char *file, const uint8_t *bytes, size_t size, uint64_t backing,
                      host_frame *frame, size_t *end)
{
    int code = read_records(file, bytes, size, backing, frame, end);
    if (code || !(frame->streams & POINT_BIT(POINT_INDEX))) return code;
    frame->count -= bphys_padding(frame);
    if (host_frame_order(frame)) return HOST_DONE;
    host_frame_free(frame);
    return host_out_of_memory(file);
}

void bphys_peek_index_end(const uint8_t *bytes, size_t size, const bphys_header *header,
                          uint32_t *index_end)
{
    bphys_block block;
    bphys_reader r = {.bytes = bytes, .size = size, .at = BPHYS_HEADER_BYTES, .header = *header};
    if (bphys_take_block(&r, point_streams[POINT_INDEX].name, header->count, 4, &block) !=
        HOST_DONE)
        return;
    uint8_t *indices = host_allocate(header->count, 4);
    bool good = indices && bphys_unpack(&r, &block, indices) == HOST_DONE;
    for (uint32_t i = 0; good && i < header->count; i++) {
        uint32_t index = bphys_load_u32(indices + (size_t)i * 4, header->big_endian);
        if (index >= *index_end) *index_end = host_index_end(index);
    }
    free(indices);
    bphys_reader_end(&r);
}
