/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys.c - the bytes of one Blender point-cache file.
   reads   bytes of a file                 writes  host_frame; bytes of a file
   memory  malloc, never more than a few times the file's size    cost    O(bytes), sorting only files out of order
   after   the layout that Blender's point caches have on disk; nothing in a file is trusted */
#include "bphys.h"
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'B', 'P', 'H', 'Y', 'S', 'I', 'C', 'S'};

/* ---- byte order: the only place of the host tools that knows it */

uint32_t bphys_load_u32(const uint8_t *at, bool big_endian)
{
    if (big_endian) return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

/* The last 4 bytes of a boid are two 16-bit numbers: swaps the halves of a word read whole in the other order. */
static uint32_t load_halves(const uint8_t *at, bool big_endian)
{
    uint16_t halves[2];
    uint32_t word;
    for (int i = 0; i < 2; i++)
        halves[i] = (uint16_t)(big_endian ? at[2 * i] << 8 | at[2 * i + 1] : at[2 * i + 1] << 8 | at[2 * i]);
    memcpy(&word, halves, sizeof word);
    return word;
}

static void store_halves(uint8_t *at, uint32_t word)
{
    uint16_t halves[2];
    memcpy(halves, &word, sizeof halves);
    for (int i = 0; i < 2; i++) {
        at[2 * i] = (uint8_t)halves[i];
        at[2 * i + 1] = (uint8_t)(halves[i] >> 8);
    }
}

/* One element, from file bytes to the machine's order. */
static void load_element(uint8_t *to, const uint8_t *from, uint32_t stream, bool big_endian)
{
    for (uint32_t at = 0; at < point_streams[stream].bytes; at += 4) {
        bool halves = stream == POINT_BOIDS && at == 16;
        uint32_t word = halves ? load_halves(from + at, big_endian) : bphys_load_u32(from + at, big_endian);
        memcpy(to + at, &word, sizeof word);
    }
}

static void store_element(uint8_t *to, const uint8_t *from, uint32_t stream)
{
    for (uint32_t at = 0; at < point_streams[stream].bytes; at += 4) {
        uint32_t word;
        memcpy(&word, from + at, sizeof word);
        if (stream == POINT_BOIDS && at == 16)
            store_halves(to + at, word);
        else
            store_u32(to + at, word);
    }
}

/* Bytes of one record: the sum over the streams of a mask, 0 to 92. */
static uint32_t record_bytes(uint32_t streams)
{
    uint32_t sum = 0;
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (streams & POINT_BIT(s)) sum += point_streams[s].bytes;
    return sum;
}

/* ---- header */

static bool plausible_type(uint32_t word)
{
    uint32_t known = BPHYS_FLAG_COMPRESS | BPHYS_FLAG_EXTRA | 0xffffu;
    return !(word & ~known) && (word & 0xffffu) < POINT_TYPES;
}

/* Files hold the writer's native order and nothing that tells it: the type word is plausible in one order only,
   but for soft body (0), where the streams decide. */
static int find_byte_order(const char *file, const uint8_t *bytes, bool *big_endian)
{
    uint32_t little = bphys_load_u32(bytes + 8, false), big = bphys_load_u32(bytes + 8, true);
    bool little_fits = plausible_type(little), big_fits = plausible_type(big);
    *big_endian = !little_fits;
    if (little_fits && big_fits)
        *big_endian =
            bphys_load_u32(bytes + 16, false) > POINT_ALL && bphys_load_u32(bytes + 16, true) <= POINT_ALL;
    if (little_fits || big_fits) return HOST_DONE;
    if ((little & 0xffffu) >= POINT_TYPES)
        return host_error(HOST_BAD_INPUT, file, 8,
                          "simulation type is %u, expected 0 to 6; the file is damaged", little & 0xffffu);
    return host_error(HOST_BAD_INPUT, file, 8,
                      "flags are 0x%08x, expected none but 0x00010000 and 0x00020000; the file is damaged",
                      little & 0xffff0000u);
}

int bphys_read_header(const char *file, const uint8_t *bytes, size_t size, bphys_header *header)
{
    memset(header, 0, sizeof *header);
    size_t compared = size < sizeof magic ? size : sizeof magic;
    if (size == 0)
        return host_error(HOST_BAD_INPUT, file, 0, "the file is empty, expected a header of 20 bytes");
    if (memcmp(bytes, magic, compared) != 0)
        return host_error(
            HOST_BAD_INPUT, file, 0,
            "magic is not BPHYSICS: no point cache, or one of Blender 2.49 or older, which has no header "
            "(bake it again with a newer Blender)");
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
            "data_types is 0x%08x, expected bits 0 to 7 only; the size of other streams is not known",
            header->streams);
    return HOST_DONE;
}

/* ---- body */

typedef struct reader {
    const char *file;
    const uint8_t *bytes;
    size_t size, at;
    bphys_header header;
} reader;

static const char *packing_name(uint8_t code)
{
    static const char *const names[] = {"stored", "light", "heavy", "zstd", "zstd"};
    return code < 5 ? names[code] : code == 8 ? "zstd" : NULL;
}

static int refuse_packing(const reader *r, const char *what, uint8_t code)
{
    static const char *const methods[] = {"", "LZO (\"light\")", "LZMA (\"heavy\")"};
    if (!packing_name(code))
        return host_error(HOST_BAD_INPUT, r->file, r->at,
                          "compression code of %s is %u, expected 0, 1, 2, 3, 4 or 8; the file is damaged",
                          what, code);
    if (code >= 3)
        return host_error(
            HOST_BAD_INPUT, r->file, r->at,
            "%s is compressed with zstd, which this build does not read; bake again with Blender 4.5 or "
            "older, with the cache's compression set to \"No\"",
            what);
    return host_error(HOST_BAD_INPUT, r->file, r->at,
                      "%s is compressed with %s, which this build does not read; in Blender set the cache's "
                      "compression to \"No\" and bake again",
                      what, methods[code]);
}

/* One block of a compressed file: leaves `raw` on its bytes and the reader behind them. */
static int take_block(reader *r, const char *what, uint64_t bytes, const uint8_t **raw)
{
    if (r->at >= r->size)
        return host_error(HOST_BAD_INPUT, r->file, r->at,
                          "the file ends before the block of %s; it is incomplete", what);
    uint8_t code = r->bytes[r->at];
    if (code != 0) return refuse_packing(r, what, code);
    if (bytes > r->size - r->at - 1)
        return host_error(HOST_BAD_INPUT, r->file, r->at + 1,
                          "%s needs %llu bytes, the file has %llu left; it is incomplete", what,
                          (unsigned long long)bytes, (unsigned long long)(r->size - r->at - 1));
    *raw = r->bytes + r->at + 1;
    r->at += 1 + (size_t)bytes;
    return HOST_DONE;
}

/* Where each stream's first element lies; elements are `stride` bytes apart. */
typedef struct body_plan {
    const uint8_t *first[POINT_STREAMS];
    uint32_t stride[POINT_STREAMS];
} body_plan;

static int plan_blocks(reader *r, body_plan *plan)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!(r->header.streams & POINT_BIT(s))) continue;
        uint64_t bytes = (uint64_t)r->header.count * point_streams[s].bytes;
        int code = take_block(r, point_streams[s].name, bytes, &plan->first[s]);
        if (code) return code;
        plan->stride[s] = point_streams[s].bytes;
    }
    return HOST_DONE;
}

static int plan_records(reader *r, body_plan *plan)
{
    uint32_t stride = record_bytes(r->header.streams), offset = 0;
    uint64_t need = (uint64_t)r->header.count * stride; /* below 2^39 */
    if (need > r->size - r->at)
        return host_error(
            HOST_BAD_INPUT, r->file, r->size,
            "totpoint promises %u records of %u bytes, which is %llu bytes, but %llu follow the header; "
            "the file is incomplete or its header damaged",
            r->header.count, stride, (unsigned long long)need, (unsigned long long)(r->size - r->at));
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!(r->header.streams & POINT_BIT(s))) continue;
        plan->first[s] = r->bytes + r->at + offset;
        plan->stride[s] = stride;
        offset += point_streams[s].bytes;
    }
    r->at += (size_t)need;
    return HOST_DONE;
}

static void load_streams(const body_plan *plan, bool big_endian, host_frame *frame)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!plan->first[s]) continue;
        uint8_t *to = frame->data[s];
        const uint8_t *from = plan->first[s];
        for (uint32_t i = 0; i < frame->count; i++, to += point_streams[s].bytes, from += plan->stride[s])
            load_element(to, from, s, big_endian);
    }
    uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; i < frame->count && !plan->first[POINT_INDEX]; i++) indices[i] = i;
}

/* ---- extra data */

static int load_extra(reader *r, host_frame *frame, uint32_t type, uint32_t count)
{
    const uint8_t *raw;
    uint64_t bytes = (uint64_t)count * extra_bytes[type];
    if (r->header.flags & BPHYS_FLAG_COMPRESS) {
        int code = take_block(r, "extra data", bytes, &raw);
        if (code) return code;
    } else {
        if (bytes > r->size - r->at)
            return host_error(
                HOST_BAD_INPUT, r->file, r->at,
                "extra data of type %u promises %u elements, which is %llu bytes, but %llu are left; the "
                "file is incomplete",
                type, count, (unsigned long long)bytes, (unsigned long long)(r->size - r->at));
        raw = r->bytes + r->at;
        r->at += (size_t)bytes;
    }
    if (!bytes) return HOST_DONE;
    uint8_t *words = host_allocate((size_t)bytes, 1);
    if (!words) return host_no_room(r->file);
    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t word = bphys_load_u32(raw + at, r->header.big_endian);
        memcpy(words + at, &word, sizeof word);
    }
    free(frame->extra[type].bytes); /* of several records of a type the last one counts */
    frame->extra[type].bytes = words;
    frame->extra[type].count = count;
    return HOST_DONE;
}

static int load_all_extra(reader *r, host_frame *frame)
{
    if (r->size - r->at < 8)
        return host_error(HOST_BAD_INPUT, r->file, r->at,
                          "the flags promise extra data, but none follows; the file is incomplete");
    while (r->size - r->at >= 4) { /* Blender ignores one to three bytes at the end */
        uint32_t type = bphys_load_u32(r->bytes + r->at, r->header.big_endian);
        if (type >= EXTRA_TYPES)
            return host_error(HOST_BAD_INPUT, r->file, r->at,
                              "extra data has type %u, expected 1 (springs) or 2 (cloth acceleration); its "
                              "size is not known",
                              type);
        if (r->size - r->at < 8)
            return host_error(HOST_BAD_INPUT, r->file, r->at,
                              "the file ends before the count of extra data of type %u", type);
        uint32_t count = bphys_load_u32(r->bytes + r->at + 4, r->header.big_endian);
        r->at += 8;
        int code = load_extra(r, frame, type, count);
        if (code) return code;
    }
    return HOST_DONE;
}

/* ---- whole files */

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

/* They would move point 0 to the origin. */
uint32_t bphys_padding(const host_frame *frame)
{
    uint32_t found = 0;
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (; found + 1 < frame->count && indices[frame->count - 1 - found] == 0; found++) {
        size_t last = frame->count - 1 - found;
        for (uint32_t s = 0; s < POINT_STREAMS; s++) {
            size_t bytes = point_streams[s].bytes;
            if (frame->data[s] && !all_zero((uint8_t *)frame->data[s] + last * bytes, bytes)) return found;
        }
    }
    return found;
}

int bphys_refuse_type(const char *file, uint32_t type)
{
    if (type == POINT_SMOKE || type == POINT_SMOKE_HIGHRES)
        return host_error(HOST_BAD_INPUT, file, 8,
                          "type %u is a smoke cache, which holds grids and no points: not supported", type);
    if (type == POINT_DYNAMIC_PAINT)
        return host_error(
            HOST_BAD_INPUT, file, 8,
            "type 5 is a dynamic paint cache, which holds surface values and no points: not supported");
    return HOST_DONE;
}

static int load_body(reader *r, host_frame *frame)
{
    body_plan plan = {{NULL}, {0}};
    if (!r->header.streams) r->header.count = 0; /* records of no bytes say nothing */
    bool packed = r->header.flags & BPHYS_FLAG_COMPRESS;
    int code = packed ? plan_blocks(r, &plan) : plan_records(r, &plan);
    if (code) return code;
    if (!host_frame_allocate(frame, r->header.count, r->header.streams)) return host_no_room(r->file);
    load_streams(&plan, r->header.big_endian, frame);
    if (r->header.flags & BPHYS_FLAG_EXTRA) code = load_all_extra(r, frame);
    return code;
}

int bphys_read_records(const char *file, const uint8_t *bytes, size_t size, host_frame *frame, size_t *end)
{
    reader r = {file, bytes, size, BPHYS_HEADER_BYTES, {0, 0, 0, 0, false}};
    memset(frame, 0, sizeof *frame);
    int code = bphys_read_header(file, bytes, size, &r.header);
    if (!code) code = bphys_refuse_type(file, r.header.type);
    if (!code) code = load_body(&r, frame);
    if (code) host_frame_free(frame);
    if (end) *end = r.at;
    return code;
}

int bphys_read(const char *file, const uint8_t *bytes, size_t size, host_frame *frame, size_t *end)
{
    int code = bphys_read_records(file, bytes, size, frame, end);
    if (code || !(frame->streams & POINT_BIT(POINT_INDEX))) return code;
    frame->count -= bphys_padding(frame);
    if (host_frame_order(frame)) return HOST_DONE;
    host_frame_free(frame);
    return host_no_room(file);
}

const char *bphys_compression(const uint8_t *bytes, size_t size, const bphys_header *header)
{
    const char *found = NULL;
    uint64_t at = BPHYS_HEADER_BYTES;
    if (!(header->flags & BPHYS_FLAG_COMPRESS)) return "none";
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!(header->streams & POINT_BIT(s)) || at >= size) continue;
        uint8_t code = bytes[at];
        const char *name = packing_name(code) ? packing_name(code) : "mixed";
        /* A block that does not shrink is stored in any setting, so it does not count next to a packed one. */
        if (!found || strcmp(found, "stored") == 0)
            found = name;
        else if (code != 0 && strcmp(found, name) != 0)
            found = "mixed";
        at += 1;
        if (code == 0)
            at += (uint64_t)header->count * point_streams[s].bytes;
        else
            at = at + 4 <= size ? at + 4 + bphys_load_u32(bytes + at, header->big_endian) : size;
        if (code == 2) at = at + 4 <= size ? at + 4 + bphys_load_u32(bytes + at, header->big_endian) : size;
    }
    return found ? found : "stored";
}

/* ---- writing */

static uint64_t extra_size(const host_frame *frame)
{
    uint64_t sum = 0;
    for (uint32_t t = 1; t < EXTRA_TYPES; t++)
        if (frame->extra[t].count) sum += 8 + (uint64_t)frame->extra[t].count * extra_bytes[t];
    return sum;
}

static uint8_t *store_extra(uint8_t *to, const host_frame *frame)
{
    for (uint32_t t = 1; t < EXTRA_TYPES; t++) {
        uint32_t count = frame->extra[t].count;
        if (!count) continue;
        store_u32(to, t);
        store_u32(to + 4, count);
        to += 8;
        for (size_t at = 0; at < (size_t)count * extra_bytes[t]; at += 4, to += 4) {
            uint32_t word;
            memcpy(&word, frame->extra[t].bytes + at, sizeof word);
            store_u32(to, word);
        }
    }
    return to;
}

uint8_t *bphys_encode(const host_frame *frame, uint32_t type, size_t *size)
{
    uint64_t extra = extra_size(frame);
    uint64_t total = BPHYS_HEADER_BYTES + (uint64_t)frame->count * record_bytes(frame->streams) + extra;
    uint8_t *bytes = total > SIZE_MAX ? NULL : malloc((size_t)total);
    if (!bytes) return NULL;
    memcpy(bytes, magic, sizeof magic);
    store_u32(bytes + 8, type | (extra ? BPHYS_FLAG_EXTRA : 0));
    store_u32(bytes + 12, frame->count);
    store_u32(bytes + 16, frame->streams);
    uint8_t *to = bytes + BPHYS_HEADER_BYTES;
    for (uint32_t i = 0; i < frame->count; i++) {
        for (uint32_t s = 0; s < POINT_STREAMS; s++) {
            size_t element = point_streams[s].bytes;
            if (!(frame->streams & POINT_BIT(s))) continue;
            store_element(to, (const uint8_t *)frame->data[s] + i * element, s);
            to += element;
        }
    }
    store_extra(to, frame);
    *size = (size_t)total;
    return bytes;
}
