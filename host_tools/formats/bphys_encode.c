/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_encode.c - encodes one .bphys file, for any Blender, for 5, or for 4.5
           and older.
   reads   host_frame                      writes  bytes of a file
   memory  the upper bound of the file, one block of byte planes, the encoders' own
   cost    O(bytes)
   after   the framing of Blender's caches: before 5 blocks that do not shrink are stored, in 5 none
           is */
#include "../common/pages.h"
#include "bphys_private.h"
#include "../compress/transpose.h"
#include <stdlib.h>
#include <string.h>

static const char *const compression_names[HOST_COMPRESSIONS] = {"none", "light", "heavy", "zstd"};

bool host_compression_parse(const char *text, host_compression *compression)
{
    for (uint32_t i = 0; i < HOST_COMPRESSIONS; i++) {
        if (strcmp(compression_names[i], text) != 0) continue;
        *compression = (host_compression)i;
        return true;
    }
    return false;
}

/* ---- blocks */

void bphys_packer_end(bphys_packer *packer)
{
    free(packer->work);
    free(packer->planes);
    packer->work = packer->planes = NULL;
    packer->work_capacity = packer->planes_capacity = 0;
}

uint64_t bphys_block_bound(host_compression compression, uint64_t bytes)
{
    const codec *method = bphys_codec((uint8_t)compression);
    uint64_t stored = 5 + bytes + 4 + BPHYS_SETTINGS_BYTES;
    if (compression != HOST_COMPRESSION_ZSTD) return stored;
    return bytes < UINT32_MAX ? 5 + (uint64_t)method->bound((size_t)bytes) : UINT64_MAX / 16;
}

/* The match finder of LZMA reads its tables at random: with pages of 4 KiB a fifth of its time. */
static bool reserve_work(bphys_packer *packer, size_t work)
{
    if (work <= packer->work_capacity) return true;
    if (!bphys_reserve(&packer->work, &packer->work_capacity, work)) return false;
    host_use_huge_pages(packer->work, packer->work_capacity);
    return true;
}

/* Compresses a block. Returns its size; 0 when it does not shrink, SIZE_MAX when memory is
   short. */
static size_t pack(bphys_packer *packer, const uint8_t *content, uint32_t items, uint32_t item_size,
                   uint8_t *to)
{
    const codec *method = bphys_codec((uint8_t)packer->compression);
    bool is_planes = packer->compression == HOST_COMPRESSION_ZSTD;
    size_t bytes = (size_t)items * item_size, work = method->encoder_bytes(bytes);
    if (!is_planes && !bytes) return 0;
    if (!work || !reserve_work(packer, work)) return SIZE_MAX;
    if (!is_planes) return method->encode(content, bytes, to, bytes - 1, packer->work);
    if (!bphys_reserve(&packer->planes, &packer->planes_capacity, bytes)) return SIZE_MAX;
    transpose_split(content, items, item_size, packer->planes);
    /* Zstd never returns 0 */
    return method->encode(packer->planes, bytes, to, method->bound(bytes), packer->work);
}

size_t bphys_pack(bphys_packer *packer, const uint8_t *content, uint32_t items, uint32_t item_size,
                  uint8_t *to)
{
    size_t bytes = (size_t)items * item_size, size = 0;
    if (packer->compression != HOST_COMPRESSION_NONE)
        size = pack(packer, content, items, item_size, to + 5);
    if (size == SIZE_MAX) return 0;
    if (!size) {
        to[0] = BPHYS_STORED;
        if (bytes) memcpy(to + 1, content, bytes);
        return 1 + bytes;
    }
    to[0] = (uint8_t)packer->compression; /* values of host_compression are the block codes */
    bphys_store_u32(to + 1, (uint32_t)size);
    to += 5 + size;
    if (packer->compression != HOST_COMPRESSION_HEAVY) return 5 + size;
    bphys_store_u32(to, BPHYS_SETTINGS_BYTES);
    memcpy(to + 4, codec_lzma1.properties, BPHYS_SETTINGS_BYTES);
    return 5 + size + 4 + BPHYS_SETTINGS_BYTES;
}

/* ---- files */

void bphys_store_header(uint8_t to[BPHYS_HEADER_BYTES], uint32_t typeflag, uint32_t count,
                        uint32_t streams)
{
    memcpy(to, "BPHYSICS", 8);
    bphys_store_u32(to + 8, typeflag);
    bphys_store_u32(to + 12, count);
    bphys_store_u32(to + 16, streams);
}

/* The file being written: `size` of `capacity` bytes are filled. */
typedef struct file_bytes {
    bphys_packer packer;
    uint8_t *bytes;
    size_t size, capacity;
    void *content; /* a stream in the file's byte order, where that is not the machine's */
    size_t content_capacity;
} file_bytes;

static uint64_t file_bound(const host_frame *frame, host_compression compression)
{
    bool packed = compression != HOST_COMPRESSION_NONE;
    uint64_t sum = BPHYS_HEADER_BYTES;
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        uint64_t bytes = (uint64_t)frame->count * point_streams[s].bytes;
        if (frame->streams & POINT_BIT(s))
            sum += packed ? bphys_block_bound(compression, bytes) : bytes;
    }
    for (uint32_t t = 1; t < EXTRA_TYPES; t++) {
        uint64_t bytes = (uint64_t)frame->extra[t].count * extra_bytes[t];
        if (bytes) sum += 8 + (packed ? bphys_block_bound(compression, bytes) : bytes);
    }
    return sum;
}

static bool add_block(file_bytes *file, const uint8_t *content, uint32_t items, uint32_t item_size)
{
    size_t size = bphys_pack(&file->packer, content, items, item_size, file->bytes + file->size);
    file->size += size;
    return size != 0;
}

/* Compressed form: stream by stream. */
static bool add_blocks(file_bytes *file, const host_frame *frame)
{
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        const uint8_t *content = frame->data[s];
        uint32_t bytes = point_streams[s].bytes;
        if (!(frame->streams & POINT_BIT(s))) continue;
        if (!bphys_is_native(false)) {
            if (!bphys_reserve(&file->content, &file->content_capacity,
                               (size_t)frame->count * bytes))
                return false;
            bphys_store_elements(file->content, bytes, content, bytes, frame->count, s);
            content = file->content;
        }
        if (!add_block(file, content, frame->count, bytes)) return false;
    }
    return true;
}

/* Uncompressed form: point by point. */
static void add_records(file_bytes *file, const host_frame *frame)
{
    uint32_t stride = bphys_record_bytes(frame->streams);
    uint8_t *to = file->bytes + file->size;
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        if (!(frame->streams & POINT_BIT(s))) continue;
        bphys_store_elements(to, stride, frame->data[s], point_streams[s].bytes, frame->count, s);
        to += point_streams[s].bytes;
    }
    file->size += (size_t)frame->count * stride;
}

/* Extra data consists of 32-bit words only. */
static bool add_extra(file_bytes *file, uint32_t type, const host_extra *extra)
{
    size_t bytes = (size_t)extra->count * extra_bytes[type];
    bphys_store_u32(file->bytes + file->size, type);
    bphys_store_u32(file->bytes + file->size + 4, extra->count);
    file->size += 8;
    if (!bphys_reserve(&file->content, &file->content_capacity, bytes)) return false;
    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t word;
        memcpy(&word, extra->bytes + at, sizeof word);
        bphys_store_u32((uint8_t *)file->content + at, word);
    }
    if (file->packer.compression != HOST_COMPRESSION_NONE)
        return add_block(file, file->content, extra->count, extra_bytes[type]);
    memcpy(file->bytes + file->size, file->content, bytes);
    file->size += bytes;
    return true;
}

static bool fill_file(file_bytes *file, const host_frame *frame, uint32_t type)
{
    uint32_t flags = file->packer.compression != HOST_COMPRESSION_NONE ? BPHYS_FLAG_COMPRESS : 0;
    bool good = true;
    for (uint32_t t = 1; t < EXTRA_TYPES; t++)
        if (frame->extra[t].count) flags |= BPHYS_FLAG_EXTRA;
    bphys_store_header(file->bytes, type | flags, frame->count, frame->streams);
    file->size = BPHYS_HEADER_BYTES;
    if (flags & BPHYS_FLAG_COMPRESS)
        good = add_blocks(file, frame);
    else
        add_records(file, frame);
    for (uint32_t t = 1; good && t < EXTRA_TYPES; t++)
        if (frame->extra[t].count) good = add_extra(file, t, &frame->extra[t]);
    return good;
}

uint8_t *bphys_encode(const host_frame *frame, uint32_t type, host_compression compression,
                      size_t *size)
{
    if (type == POINT_DYNAMIC_PAINT) return bphys_encode_surface(frame, compression, size);
    file_bytes file = {.packer = {.compression = compression}};
    host_frame points = *frame; /* shares the arrays */
    points.streams &= POINT_ALL;
    uint64_t bound = file_bound(&points, compression);
    if (bound > SIZE_MAX / 64) return NULL;
    file.bytes = malloc((size_t)bound);
    bool good = file.bytes && fill_file(&file, &points, type);
    bphys_packer_end(&file.packer);
    free(file.content);
    *size = file.size;
    if (good) return file.bytes;
    free(file.bytes);
    return NULL;
}
