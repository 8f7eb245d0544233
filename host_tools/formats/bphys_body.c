/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_body.c - locates everything after the header of a file of points.
   reads   bytes of a file                 writes  bphys_body
   memory  none                            cost    O(streams + records of extra data), for zstd
           O(its blocks)
   after   the layout of Blender's point caches on disk, shared by reader and verify */
#include "bphys_private.h"
#include <string.h>

/* ---- points */

/* Compressed form: one block per stream. All blocks are checked before the first one is decoded. */
static int take_blocks(bphys_reader *r, bphys_body *body)
{
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        if (!(r->header.streams & POINT_BIT(s))) continue;
        int code = bphys_take_block(r, point_streams[s].name, r->header.count,
                                    point_streams[s].bytes, &body->blocks[s]);
        if (code) return code;
    }
    return bphys_check_claim(r, 12, "points", r->header.count);
}

/* Uncompressed form: one record per point. `at` of a stream is the offset of its first element. */
static int take_records(bphys_reader *r, bphys_body *body)
{
    size_t at = r->at;
    body->stride = bphys_record_bytes(r->header.streams);
    /* below 2^39 */
    uint64_t need = (uint64_t)r->header.count * body->stride, have = r->size - r->at;
    r->part = BPHYS_IN_RECORDS;
    if (need > have)
        return bphys_refuse(r, r->size,
                            "totpoint promises %u records of %u bytes, which is %llu bytes, but "
                            "%llu follow the header; "
                            "the file is incomplete or its header damaged",
                            r->header.count, body->stride, (unsigned long long)need,
                            (unsigned long long)have);
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        if (!(r->header.streams & POINT_BIT(s))) continue;
        body->blocks[s] = (bphys_block){.what = point_streams[s].name, .at = at};
        at += point_streams[s].bytes;
    }
    r->at += (size_t)need;
    return HOST_DONE;
}

/* ---- extra data */

/* Locates the elements of one record of extra data: plain, or in a block. */
static int take_elements(bphys_reader *r, size_t start, uint32_t type, uint32_t count,
                         bphys_block *block)
{
    uint64_t bytes = (uint64_t)count * extra_bytes[type];
    if (r->header.flags & BPHYS_FLAG_COMPRESS) {
        int code = bphys_take_block(r, "extra data", count, extra_bytes[type], block);
        return code ? code : bphys_check_claim(r, start + 4, "elements of extra data", count);
    }
    if (bytes > r->size - r->at)
        return bphys_refuse(r, start + 4,
                            "extra data of type %u promises %u elements, which is %llu bytes, but "
                            "%llu are left; the "
                            "file is incomplete",
                            type, count, (unsigned long long)bytes,
                            (unsigned long long)(r->size - r->at));
    *block = (bphys_block){"extra data", BPHYS_STORED,     r->at, (size_t)bytes, 0,
                           count,        extra_bytes[type]};
    r->at += (size_t)bytes;
    return HOST_DONE;
}

static void note_first(size_t *first, size_t at)
{
    if (!*first) *first = at;
}

static int take_extra(bphys_reader *r, bphys_body *body, uint32_t *seen)
{
    bphys_block block;
    size_t start = r->at;
    uint32_t type = bphys_load_u32(r->bytes + start, r->header.big_endian);
    r->part = BPHYS_IN_EXTRA_TYPE;
    if (type >= EXTRA_TYPES)
        return bphys_refuse(
            r, start,
            "extra data has type %u, expected 1 (springs) or 2 (cloth acceleration); its "
            "size is unknown",
            type);
    r->part = BPHYS_IN_EXTRA;
    if (r->size - start < 8)
        return bphys_refuse(
            r, r->size, "the file ends before the count of extra data of type %u; it is incomplete",
            type);
    uint32_t count = bphys_load_u32(r->bytes + start + 4, r->header.big_endian);
    r->at += 8;
    int code = take_elements(r, start, type, count, &block);
    if (code) return code;
    if (type == 0) note_first(&body->untyped_at, start);
    if (type != 0 && !count) note_first(&body->empty_at, start + 4);
    if (*seen & type) note_first(&body->repeated_at, start);
    *seen |= type;                        /* 1 and 2 are both types and bits */
    if (count) body->extra[type] = block; /* of several records of one type the last is used */
    return HOST_DONE;
}

static int take_all_extra(bphys_reader *r, bphys_body *body)
{
    uint32_t seen = 0;
    r->part = BPHYS_BEFORE_EXTRA;
    if (r->size - r->at < 4)
        return bphys_refuse(
            r, r->at, "the flags promise extra data, but none follows; the file is incomplete");
    while (r->size - r->at >= 4) { /* Blender ignores one to three bytes at the end */
        int code = take_extra(r, body, &seen);
        if (code) return code;
    }
    return HOST_DONE;
}

int bphys_take_body(bphys_reader *r, bphys_body *body)
{
    memset(body, 0, sizeof *body);
    if (!r->header.streams) r->header.count = 0; /* records of 0 bytes: their count means nothing */
    int code = r->header.flags & BPHYS_FLAG_COMPRESS ? take_blocks(r, body) : take_records(r, body);
    if (!code && r->header.flags & BPHYS_FLAG_EXTRA) code = take_all_extra(r, body);
    return code;
}
