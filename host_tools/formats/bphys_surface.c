/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_surface.c - dynamic paint: values of a painted surface, one block per
           file.
   reads   bytes of a file                 writes  host_frame; bytes of a file
   memory  the frame and one block         cost    O(bytes)
   after   the custom stream of Blender's dynamic paint, version 1.01; the header's data_types is
           ignored */
#include "bphys_private.h"
#include <stdlib.h>
#include <string.h>

enum {
    KINDS = 4,
    VERSION_BYTES = 4,
    HEAD_BYTES = 4,
    WAVE_KIND = 3,
    EARLY_WAVE_BYTES = 12,
    WET_BYTES = 24
};
static const char version[] = "1.01";

/* Indexed by the kind number of the file. An element of the file is the elements of these streams,
   one after the other. */
static const uint32_t kind_streams[KINDS] = {POINT_BIT(POINT_WET) | POINT_BIT(POINT_PAINT),
                                             POINT_BIT(POINT_DISPLACE), POINT_BIT(POINT_WEIGHT),
                                             POINT_BIT(POINT_WAVE)};

uint32_t bphys_surface_streams(const uint8_t *bytes, size_t size, bool big_endian)
{
    if (size < BPHYS_HEADER_BYTES + VERSION_BYTES + HEAD_BYTES) return 0;
    uint16_t kind = bphys_load_u16(bytes + BPHYS_HEADER_BYTES + VERSION_BYTES, big_endian);
    return kind < KINDS ? kind_streams[kind] : 0;
}

/* ---- reading */

/* Decodes the block, into malloc memory. */
static int take_content(bphys_reader *r, uint32_t element_bytes, uint8_t **content)
{
    bphys_block block;
    *content = NULL;
    int code = bphys_take_block(r, "the surface", r->header.count, element_bytes, &block);
    if (!code) code = bphys_check_claim(r, 12, "points", r->header.count);
    if (code) return code;
    *content = host_allocate(r->header.count, element_bytes);
    code = *content ? bphys_unpack(r, &block, *content) : bphys_out_of_memory(r);
    if (!code) return HOST_DONE;
    free(*content);
    *content = NULL;
    return code;
}

/* Early versions of Blender's waves stored no brush value: height, velocity and state only. Returns
   true when the block has that size and not the present one. */
static bool take_early_wave(bphys_reader *r, uint8_t **content)
{
    uint8_t *early;
    bphys_reader quiet = *r;
    quiet.file = NULL;
    quiet.work = quiet.planes = NULL;
    quiet.work_capacity = quiet.planes_capacity = 0;
    bphys_reader full = quiet;
    bool good = take_content(&full, point_streams[POINT_WAVE].bytes, content) != HOST_DONE &&
                take_content(&quiet, EARLY_WAVE_BYTES, &early) == HOST_DONE;
    free(*content);
    *content = good ? host_allocate(r->header.count, point_streams[POINT_WAVE].bytes) : NULL;
    for (size_t i = 0; *content && i < r->header.count; i++) {
        memcpy(*content + i * 16, early + i * EARLY_WAVE_BYTES, 8);
        memcpy(*content + i * 16 + 12, early + i * EARLY_WAVE_BYTES + 8, 4);
    }
    if (good) free(early);
    if (good) r->at = quiet.at;
    bphys_reader_end(&quiet);
    bphys_reader_end(&full);
    return *content != NULL;
}

static int load_surface(bphys_reader *r, uint16_t kind, host_frame *frame)
{
    uint32_t streams = kind_streams[kind], element_bytes = bphys_record_bytes(streams);
    uint8_t *content;
    bool is_early = kind == WAVE_KIND && take_early_wave(r, &content);
    int code = is_early ? HOST_DONE : take_content(r, element_bytes, &content);
    if (code) return code;
    if (!host_frame_allocate(frame, r->header.count, streams)) {
        free(content);
        return bphys_out_of_memory(r);
    }
    const uint8_t *from = content;
    for (uint32_t s = BPHYS_STREAMS; s < POINT_STREAMS; s++) {
        if (!(streams & POINT_BIT(s))) continue;
        bphys_load_elements(frame->data[s], point_streams[s].bytes, from, element_bytes,
                            frame->count, s, r->header.big_endian);
        from += point_streams[s].bytes;
    }
    free(content);
    return HOST_DONE;
}

int bphys_read_surface(bphys_reader *r, host_frame *frame)
{
    if (r->size - r->at < VERSION_BYTES || memcmp(r->bytes + r->at, version, VERSION_BYTES) != 0)
        return bphys_refuse(
            r, r->at, "version of the surface is not 1.01; the file is damaged or incomplete");
    r->at += VERSION_BYTES;
    if (r->at == r->size) /* an image sequence has no values */
        return host_frame_allocate(frame, 0, 0) ? HOST_DONE : bphys_out_of_memory(r);
    if (r->size - r->at < HEAD_BYTES)
        return bphys_refuse(r, r->size,
                            "the file ends inside the type of the surface; it is incomplete");
    uint16_t kind = bphys_load_u16(r->bytes + r->at, r->header.big_endian);
    uint16_t depth = bphys_load_u16(r->bytes + r->at + 2, r->header.big_endian);
    if (kind >= KINDS)
        return bphys_refuse(
            r, r->at,
            "type of the surface is %u, expected 0 (paint), 1 (displace), 2 (weight) or "
            "3 (wave); the file is damaged",
            kind);
    r->at += HEAD_BYTES;
    int code = load_surface(r, kind, frame);
    if (code) return code;
    uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; i < frame->count; i++) indices[i] = i;
    frame->depth = depth;
    return HOST_DONE;
}

/* ---- writing */

static uint32_t find_kind(uint32_t streams)
{
    for (uint32_t kind = 0; kind < KINDS; kind++)
        if ((streams & POINT_SURFACES) == kind_streams[kind]) return kind;
    return KINDS;
}

static uint8_t *make_content(const host_frame *frame, uint32_t streams)
{
    uint32_t element_bytes = bphys_record_bytes(streams);
    uint8_t *content = host_allocate(frame->count, element_bytes), *to = content;
    for (uint32_t s = BPHYS_STREAMS; content && s < POINT_STREAMS; s++) {
        if (!(streams & POINT_BIT(s))) continue;
        bphys_store_elements(to, element_bytes, frame->data[s], point_streams[s].bytes,
                             frame->count, s);
        to += point_streams[s].bytes;
    }
    return content;
}

uint8_t *bphys_encode_surface(const host_frame *frame, host_compression compression, size_t *size)
{
    bphys_packer packer = {.compression = compression};
    uint32_t kind = find_kind(frame->streams), streams = kind < KINDS ? kind_streams[kind] : 0;
    uint64_t bound =
        bphys_block_bound(compression, (uint64_t)frame->count * bphys_record_bytes(streams));
    if (bound > SIZE_MAX / 64) return NULL;
    uint8_t *content = make_content(frame, streams);
    uint8_t *bytes = malloc(BPHYS_HEADER_BYTES + VERSION_BYTES + HEAD_BYTES + (size_t)bound),
            *to = bytes;
    size_t packed = 0;
    if (bytes && content) {
        bphys_store_header(to, POINT_DYNAMIC_PAINT, frame->count,
                           /* Blender always writes 3 here; it has no meaning. */
                           3);
        memcpy(to + BPHYS_HEADER_BYTES, version, VERSION_BYTES);
        to += BPHYS_HEADER_BYTES + VERSION_BYTES;
    }
    if (bytes && content && streams) {
        bphys_store_u16(to, (uint16_t)kind);
        bphys_store_u16(to + 2, frame->depth);
        to += HEAD_BYTES;
        packed = bphys_pack(&packer, content, frame->count, bphys_record_bytes(streams), to);
    }
    bphys_packer_end(&packer);
    free(content);
    if (bytes && (packed || !streams)) {
        *size = (size_t)(to - bytes) + packed;
        return bytes;
    }
    free(bytes);
    return NULL;
}
