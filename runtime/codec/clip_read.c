/* SPDX-License-Identifier: MIT
   runtime/codec/clip_read.c - reads clips: headers, end of the log, seek to a group, directory.
   reads   storage, a block at a time      writes  the caller's record and block buffers
   memory  see clip.h      cost    stated at each call, in blocks
   after   own design; a block is used only if its checksum is right, and its numbers are still
           range-checked */
#include "clip.h"

static tpi_clip_result clip_fault(tpi_clip *clip, tpi_clip_result result, uint64_t at,
                                  const char *expected)
{
    clip->fault = at;
    clip->expected = expected;
    return result;
}

/* ---- headers */

static tpi_clip_result read_stream_word(tpi_clip_stream *stream, const uint8_t *from)
{
    uint32_t error = tpi_load_u32(from + 16);
    tpi_memcpy(stream->name, from, TPI_CLIP_NAME_BYTES);
    stream->type = from[12];
    stream->components = from[13];
    stream->is_once = from[14] != 0;
    stream->error = tpi_from_bits(error);
    bool is_bytes = stream->type == TPI_CLIP_BYTES;
    if (stream->type > TPI_CLIP_BYTES || from[14] > 1u || from[15]) return TPI_CLIP_NEWER;
    if (is_bytes ? stream->components != 0
                 : stream->components < 1u || stream->components > TPI_TILE_COMPONENTS)
        return TPI_CLIP_DAMAGED;
    return tpi_is_finite(stream->error) && stream->error >= 0.0f ? TPI_CLIP_OK : TPI_CLIP_DAMAGED;
}

static tpi_clip_result read_schema(tpi_clip *clip, const uint8_t *payload, uint32_t size)
{
    tpi_clip_schema *schema = &clip->schema;
    schema->required = payload[4];
    schema->features = tpi_load_u32(payload + 8);
    schema->fps = tpi_from_bits(tpi_load_u32(payload + 44));
    schema->seconds_per_frame = tpi_from_bits(tpi_load_u32(payload + 48));
    if (payload[52] != TPI_TILE_POINTS) return TPI_CLIP_NEWER;
    schema->key_interval = payload[53];
    schema->simulation = payload[54];
    schema->stream_count = payload[55];
    schema->point_count = tpi_load_u32(payload + 56);
    bool fits = schema->stream_count >= 1u && schema->stream_count <= TPI_CLIP_STREAMS &&
                TPI_CLIP_HEADER_BYTES + schema->stream_count * TPI_CLIP_STREAM_BYTES <= size;
    if (!fits || !schema->key_interval) return TPI_CLIP_DAMAGED;
    if (!tpi_is_finite(schema->fps) || !tpi_is_finite(schema->seconds_per_frame))
        return TPI_CLIP_DAMAGED;
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        const uint8_t *from = payload + TPI_CLIP_HEADER_BYTES + s * TPI_CLIP_STREAM_BYTES;
        tpi_clip_result result = read_stream_word(&schema->stream[s], from);
        if (result) return result;
    }
    const tpi_clip_stream *identity = &schema->stream[0];
    bool is_identity =
        identity->type == TPI_CLIP_U32 && identity->components == 1u && identity->is_once;
    return is_identity ? TPI_CLIP_OK : TPI_CLIP_DAMAGED;
}

/* Decodes a header block whose checksum is right. */
static tpi_clip_result read_clip_header(tpi_clip *clip, const uint8_t *block,
                                        const tpi_clip_head *head)
{
    const uint8_t *payload = block + TPI_CLIP_HEAD_BYTES;
    if (head->payload < TPI_CLIP_HEADER_BYTES) return TPI_CLIP_DAMAGED;
    if ((tpi_load_u32(payload) & 0xffffu) != TPI_CLIP_VERSION) return TPI_CLIP_NEWER;
    if (tpi_load_u32(payload + 4) & ~TPI_CLIP_FEATURES) return TPI_CLIP_NEWER;
    clip->epoch = head->epoch;
    clip->generation = head->group;
    clip->opening = head->opening;
    clip->schema.block_bits = tpi_load_u32(payload) >> 16;
    clip->log_begin = tpi_load_u32(payload + 12);
    clip->end = tpi_load_u32(payload + 16);
    clip->groups = tpi_load_u32(payload + 20);
    clip->first_frame = (int32_t)tpi_load_u32(payload + 24);
    clip->last_frame = (int32_t)tpi_load_u32(payload + 28);
    clip->frames = tpi_load_u32(payload + 32);
    clip->slots_max = tpi_load_u32(payload + 36);
    clip->piece_max = tpi_load_u32(payload + 40);
    clip->is_closed = clip->end != 0;
    clip->about = clip->end;
    if (clip->log_begin < TPI_CLIP_FIRST_BLOCK || clip->end == 1u) return TPI_CLIP_DAMAGED;
    return read_schema(clip, payload, head->payload);
}

/* The block size (log2) stated by the header at `offset`; 0: no header. TPI_CLIP_NOT_YET: the
   storage has not read it yet. At the start of a compact clip: COMPACT_FOUND + bytes of its
   header. */
#define COMPACT_FOUND 0x10000u
static uint32_t header_bits(const tpi_clip_storage *storage, uint64_t offset)
{
    uint8_t start[TPI_CLIP_HEAD_BYTES + 4u];
    uint32_t got = storage->read(storage->context, offset, start, sizeof start);
    if (got != sizeof start) return got == TPI_CLIP_NOT_YET ? got : 0;
    uint32_t bits = tpi_load_u32(start + TPI_CLIP_HEAD_BYTES) >> 16;
    bool is_clip = (tpi_load_u32(start) & 0xffffffu) == 0x435054u,
         is_header = is_clip && start[3] == TPI_CLIP_KIND_HEADER;
    if (is_clip && start[3] == TPI_CLIP_KIND_COMPACT && !offset)
        return COMPACT_FOUND + (tpi_load_u32(start + 8) & 0xffffu);
    return is_header && bits >= TPI_CLIP_BLOCK_LOWEST && bits <= TPI_CLIP_BLOCK_HIGHEST ? bits : 0;
}

/* Copies the header in block `number` to *clip if it is newer. `bits`: log2 of the block size. */
static tpi_clip_result take_header(tpi_clip *clip, const tpi_clip_storage *storage, uint32_t bits,
                                   uint32_t number)
{
    tpi_clip_head head;
    uint32_t size = 1u << bits;
    uint64_t at = (uint64_t)number << bits;
    if (size > storage->block_max)
        return clip_fault(clip, TPI_CLIP_TOO_LARGE, at + TPI_CLIP_HEAD_BYTES + 2u,
                          "blocks no larger than the caller's buffers");
    uint32_t got = storage->read(storage->context, at, storage->block[0], size);
    if (got == TPI_CLIP_NOT_YET) return TPI_CLIP_LATER;
    bool is_whole = got == size && tpi_clip_unseal(storage->block[0], size, &head) &&
                    head.kind == TPI_CLIP_KIND_HEADER && head.number == number;
    if (!is_whole)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at, "a header with a correct checksum");
    if (clip->generation && (int32_t)(head.group - clip->generation) <= 0) return TPI_CLIP_OK;
    tpi_clip found;
    tpi_memset(&found, 0, sizeof found);
    tpi_clip_result result = read_clip_header(&found, storage->block[0], &head);
    if (!result && found.schema.block_bits != bits) result = TPI_CLIP_DAMAGED;
    if (!result) *clip = found;
    return result ? clip_fault(clip, result, at + TPI_CLIP_HEAD_BYTES,
                               "a header of version 2 with known streams")
                  : result;
}

/* Restores bytes of which those that are 0 were elided: a mask of those that are not, lowest bit
   first, goes before each eight. Returns their number; 0: more than `most`. */
static uint32_t restore_zeros(const uint8_t *from, uint32_t size, uint8_t *to, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < size;) {
        uint32_t mask = from[at++];
        if (most - count < 8u) return 0;
        for (uint32_t k = 0; k < 8u; k++, mask >>= 1)
            to[count++] = mask & 1u && at < size ? from[at++] : 0;
    }
    return count;
}

/* Reads the numbers in front of a compact clip's schema. False: they contradict it. */
static bool read_compact(tpi_clip *clip, const uint8_t *numbers, uint32_t block_max)
{
    uint32_t used = tpi_load_u32(numbers + 4), bits = clip->schema.block_bits;
    bool is_there = bits >= TPI_CLIP_BLOCK_LOWEST && bits <= TPI_CLIP_BLOCK_HIGHEST &&
                    1u << bits <= block_max && clip->log_begin == TPI_CLIP_FIRST_BLOCK;
    if (tpi_load_u32(numbers)) clip->about = tpi_load_u32(numbers);
    clip->last_used[0] = (uint16_t)used, clip->last_used[1] = (uint16_t)(used >> 16);
    if (clip->about == clip->end) clip->last_used[1] = clip->last_used[0];
    /* the first block after both groups has a number below that of the last possible one */
    return is_there && clip->about > TPI_CLIP_FIRST_BLOCK && clip->about <= clip->end &&
           clip->end < 0xf0000000u && clip->last_used[0] <= tpi_clip_payload(clip) &&
           clip->last_used[1] <= tpi_clip_payload(clip);
}

/* Reads the header of a compact clip, `size` bytes. */
static tpi_clip_result take_compact(tpi_clip *clip, const tpi_clip_storage *storage, uint32_t size)
{
    uint8_t *from = storage->block[0], *to = storage->block[1] + TPI_CLIP_HEAD_BYTES;
    if (size <= TPI_CLIP_HEAD_BYTES + 4u || size > TPI_CLIP_COMPACT_MAX ||
        storage->block_max < TPI_CLIP_COMPACT_MAX)
        return clip_fault(clip, TPI_CLIP_DAMAGED, 8, "a header of at most 512 bytes");
    uint32_t got = storage->read(storage->context, 0, from, size);
    if (got == TPI_CLIP_NOT_YET) return TPI_CLIP_LATER;
    uint32_t crc = tpi_crc32c(tpi_crc32c(0, from, 12u), from + TPI_CLIP_COMPACT_BYTES,
                              size - TPI_CLIP_COMPACT_BYTES);
    if (got != size || crc != tpi_load_u32(from + 12))
        return clip_fault(clip, TPI_CLIP_DAMAGED, 0, "a header with a correct checksum");
    uint32_t count = restore_zeros(from + TPI_CLIP_COMPACT_BYTES, size - TPI_CLIP_COMPACT_BYTES, to,
                                   TPI_CLIP_COMPACT_MAX - TPI_CLIP_HEAD_BYTES);
    tpi_clip_head head = {.epoch = tpi_load_u32(from + 4), .group = 1, .opening = 1};
    if (count > TPI_CLIP_COMPACT_NUMBERS)
        head.payload = (uint16_t)(count - TPI_CLIP_COMPACT_NUMBERS);
    tpi_clip_result result =
        read_clip_header(clip, storage->block[1] + TPI_CLIP_COMPACT_NUMBERS, &head);
    if (!result && !read_compact(clip, to, storage->block_max)) result = TPI_CLIP_DAMAGED;
    if (result)
        return clip_fault(clip, result, TPI_CLIP_COMPACT_BYTES,
                          "a header of version 2 with known streams and blocks that fit buffers");
    clip->compact = size;
    return TPI_CLIP_OK;
}

/* Reads both headers; the newer one counts. If the first is damaged, the second is searched at
   every block size. */
static tpi_clip_result take_headers(tpi_clip *clip, const tpi_clip_storage *storage)
{
    uint32_t bits = header_bits(storage, 0), low = bits ? bits : TPI_CLIP_BLOCK_LOWEST;
    uint32_t high = bits ? bits : TPI_CLIP_BLOCK_HIGHEST;
    if (bits == TPI_CLIP_NOT_YET) return TPI_CLIP_LATER;
    if (bits > TPI_CLIP_BLOCK_HIGHEST) return take_compact(clip, storage, bits - COMPACT_FOUND);
    tpi_clip_result worst = bits ? take_header(clip, storage, bits, 0) : TPI_CLIP_FOREIGN;
    if (worst == TPI_CLIP_NEWER || worst == TPI_CLIP_TOO_LARGE || worst == TPI_CLIP_LATER)
        return worst;
    /* the damaged header's block size may be wrong, too */
    if (worst == TPI_CLIP_DAMAGED) low = TPI_CLIP_BLOCK_LOWEST, high = TPI_CLIP_BLOCK_HIGHEST;
    for (uint32_t b = low; b <= high; b++) {
        uint64_t at = (uint64_t)1u << b;
        uint32_t found = header_bits(storage, at);
        if (found == TPI_CLIP_NOT_YET) return TPI_CLIP_LATER;
        if (found != b) continue;
        tpi_clip_result result = take_header(clip, storage, b, 1u);
        if (result && result != TPI_CLIP_DAMAGED) return result;
        if (result && !worst) continue; /* the first header is intact */
        worst = result;
    }
    if (!clip->generation && worst == TPI_CLIP_FOREIGN)
        return clip_fault(clip, worst, 0, "a clip's header");
    return clip->generation ? TPI_CLIP_OK : TPI_CLIP_DAMAGED;
}

/* ---- blocks */

static tpi_clip_result check_head(tpi_clip *clip, const tpi_clip_head *head, uint32_t number)
{
    uint64_t at = tpi_clip_block_at(clip, number);
    bool is_log = head->kind == TPI_CLIP_KIND_DATA || head->kind == TPI_CLIP_KIND_END;
    if (!is_log) return clip_fault(clip, TPI_CLIP_DAMAGED, at + 3u, "a block of a group");
    if (head->epoch != clip->epoch)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at + 4u, "a block of this clip");
    if (head->number != number)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at + 8u, "a block with its own number");
    if (head->group < TPI_CLIP_FIRST_BLOCK || head->group > number)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at + 12u,
                          "a group that begins before this block");
    if (number >= clip->log_begin && head->opening != clip->opening)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at + 22u,
                          "a block written after the last opening");
    return TPI_CLIP_OK;
}

/* True if the checksum in front of a compact clip's payload is right: that of the derived head and
   the used bytes. */
static bool unseal_compact(const tpi_clip *clip, const uint8_t *block, uint32_t number,
                           tpi_clip_head *head)
{
    uint8_t bytes[TPI_CLIP_HEAD_CRC];
    tpi_clip_head_of(clip, block, number, head);
    tpi_clip_put_head(bytes, head);
    return tpi_load_u32(block + TPI_CLIP_HEAD_CRC) == tpi_crc32c(tpi_crc32c(0, bytes, sizeof bytes),
                                                                 block + TPI_CLIP_HEAD_BYTES,
                                                                 head->payload);
}

tpi_clip_result tpi_clip_check_block(tpi_clip *clip, const uint8_t *block, uint32_t number)
{
    tpi_clip_head head;
    bool is_good = clip->compact ? unseal_compact(clip, block, number, &head)
                                 : tpi_clip_unseal(block, tpi_clip_block_bytes(clip), &head);
    if (is_good) return check_head(clip, &head, number);
    return clip_fault(clip, TPI_CLIP_DAMAGED, tpi_clip_block_at(clip, number),
                      "a block with a correct checksum");
}

tpi_clip_result tpi_clip_load(tpi_clip *clip, const tpi_clip_storage *storage, uint32_t number,
                              uint32_t buffer)
{
    uint32_t before = clip->compact ? TPI_CLIP_HEAD_CRC : 0u;
    if (clip->loaded[buffer] == number) return TPI_CLIP_OK;
    if (clip->compact && (number < TPI_CLIP_FIRST_BLOCK || number >= clip->end))
        return clip_fault(clip, TPI_CLIP_DAMAGED, tpi_clip_block_end(clip, clip->end - 1u),
                          "a block before the end of the clip");
    uint64_t at = tpi_clip_block_at(clip, number) + before;
    uint32_t size = (uint32_t)(tpi_clip_block_end(clip, number) - at),
             got = storage->read(storage->context, at, storage->block[buffer] + before, size);
    if (got == TPI_CLIP_NOT_YET) return TPI_CLIP_LATER;
    clip->loaded[buffer] = UINT32_MAX;
    if (got != size) return clip_fault(clip, TPI_CLIP_DAMAGED, at + got, "a whole block");
    tpi_clip_result result = tpi_clip_check_block(clip, storage->block[buffer], number);
    if (!result) clip->loaded[buffer] = number;
    return result;
}

tpi_clip_result tpi_clip_part(tpi_clip *clip, const tpi_clip_storage *storage,
                              const tpi_clip_group *group, uint32_t offset, uint32_t size,
                              uint32_t buffer, uint8_t *to, const uint8_t **found)
{
    uint32_t payload = tpi_clip_payload(clip), number = group->first_block + offset / payload,
             at = offset % payload;
    do {
        tpi_clip_head head;
        tpi_clip_result result = tpi_clip_load(clip, storage, number, buffer);
        if (result) return result;
        tpi_clip_head_of(clip, storage->block[buffer], number, &head);
        uint32_t part = tpi_min_u32(size, payload - at);
        if (head.group != group->first_block || at + part > head.payload)
            return clip_fault(clip, TPI_CLIP_DAMAGED, tpi_clip_block_at(clip, number) + 12u,
                              "a block of the same group");
        const uint8_t *bytes = storage->block[buffer] + TPI_CLIP_HEAD_BYTES + at;
        if (found) *found = bytes;
        if (to) tpi_memcpy(to, bytes, part), to += part;
        size -= part;
        at = 0;
        number++;
    } while (size);
    return TPI_CLIP_OK;
}

/* ---- the end of the log */

/* Exponential search, then binary search: blocks are written in order, so that all blocks before
   the end are valid and no later one is. */
tpi_clip_result tpi_clip_seek_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                  tpi_clip_search *search)
{
    bool is_known = search->low >= search->high && !search->distance;
    uint32_t number = is_known ? search->low - 1u : tpi_clip_search_at(search);
    bool is_empty = is_known && search->low == TPI_CLIP_FIRST_BLOCK;
    tpi_clip_result result = is_empty ? TPI_CLIP_DAMAGED : tpi_clip_load(clip, storage, number, 1u);
    if (result == TPI_CLIP_LATER) return result;
    if (!is_known) {
        tpi_clip_search_go(search, number, result == TPI_CLIP_OK);
        return TPI_CLIP_NONE;
    }
    clip->end = search->low;
    if (result) return TPI_CLIP_OK;
    tpi_clip_head head;
    tpi_clip_read_head(storage->block[1], &head);
    if (head.kind != TPI_CLIP_KIND_END) clip->end = head.group;
    return TPI_CLIP_OK;
}

tpi_clip_result tpi_clip_open_headers(tpi_clip *clip, const tpi_clip_storage *storage)
{
    tpi_memset(clip, 0, sizeof *clip);
    clip->expected = "";
    tpi_clip_result result = take_headers(clip, storage);
    if (result) return result;
    clip->loaded[0] = clip->loaded[1] = UINT32_MAX;
    clip->fault = 0;
    clip->expected = "";
    return TPI_CLIP_OK;
}

/* ---- groups */

/* Bytes of the directory before the entries of `stream`; *pieces: of the streams before it. */
static uint64_t directory_ahead(const tpi_clip *clip, const tpi_clip_group *group, uint32_t stream,
                                uint64_t *pieces)
{
    uint64_t bytes = 0;
    *pieces = 0;
    for (uint32_t s = 0; s < stream; s++) {
        if (!(group->streams >> s & 1u)) continue;
        const tpi_clip_stream *of = &clip->schema.stream[s];
        if (tpi_clip_has_lattice(of)) bytes += 8u * of->components;
        bytes += 4u * (uint64_t)tpi_clip_pieces(clip, group, s);
        *pieces += tpi_clip_pieces(clip, group, s);
    }
    return bytes;
}

static void read_tail(tpi_clip_group *group, const uint8_t *tail)
{
    group->directory = tpi_load_u32(tail);
    group->slots = tpi_load_u32(tail + 4);
    group->streams = tpi_load_u32(tail + 8);
    group->step = tpi_load_u32(tail + 12);
    group->frames = tail[16] | (uint32_t)tail[17] << 8;
    group->kind = tail[18];
    group->variant = tail[19];
    group->piece_max = tpi_load_u32(tail + 20);
    group->pieces = tpi_load_u32(tail + 24);
}

/* True if the numbers of a tail are consistent with each other and with the group's blocks. */
static bool is_possible(const tpi_clip *clip, const tpi_clip_group *group, uint32_t payload_of_last)
{
    uint64_t pieces, bytes = directory_ahead(clip, group, clip->schema.stream_count, &pieces);
    uint64_t whole = (uint64_t)(group->last_block - group->first_block) * tpi_clip_payload(clip);
    uint64_t end = (uint64_t)group->directory + bytes;
    bool fits = end == whole + payload_of_last - TPI_CLIP_TAIL_BYTES ||
                (payload_of_last == TPI_CLIP_TAIL_BYTES && end <= whole &&
                 whole - end < tpi_clip_payload(clip));
    if (!fits || end > UINT32_MAX || pieces != group->pieces || group->piece_max > group->directory)
        return false;
    if (group->frames < 1u || group->frames > TPI_TILE_FRAMES_MAX || group->kind > TPI_CLIP_ABOUT)
        return false;
    if (group->streams >> clip->schema.stream_count || !(group->streams & 1u) || !group->step)
        return false;
    int64_t last = group->first_frame + (int64_t)group->step * (group->frames - 1u);
    return last <= INT32_MAX;
}

tpi_clip_result tpi_clip_group_before(tpi_clip *clip, const tpi_clip_storage *storage, uint32_t end,
                                      tpi_clip_group *group)
{
    tpi_clip_head head;
    if (end <= TPI_CLIP_FIRST_BLOCK) return TPI_CLIP_NONE;
    tpi_clip_result result = tpi_clip_load(clip, storage, end - 1u, 1u);
    if (result) return result;
    tpi_clip_head_of(clip, storage->block[1], end - 1u, &head);
    uint64_t at = tpi_clip_block_at(clip, end - 1u);
    if (head.kind != TPI_CLIP_KIND_END)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at + 3u, "the last block of a group");
    group->first_block = head.group;
    group->last_block = end - 1u;
    group->first_frame = head.first_frame;
    if (head.payload < TPI_CLIP_TAIL_BYTES)
        return clip_fault(clip, TPI_CLIP_DAMAGED, at + 20u, "a group's tail");
    read_tail(group, storage->block[1] + TPI_CLIP_HEAD_BYTES + head.payload - TPI_CLIP_TAIL_BYTES);
    if (is_possible(clip, group, head.payload)) return TPI_CLIP_OK;
    return clip_fault(clip, TPI_CLIP_DAMAGED,
                      at + TPI_CLIP_HEAD_BYTES + head.payload - TPI_CLIP_TAIL_BYTES,
                      "a group's tail that agrees with its blocks");
}

tpi_clip_result tpi_clip_seek(tpi_clip *clip, const tpi_clip_storage *storage, int32_t frame,
                              tpi_clip_search *search)
{
    tpi_clip_head head;
    if (search->low >= search->high) return TPI_CLIP_OK;
    uint32_t number = tpi_clip_search_at(search);
    tpi_clip_result result = tpi_clip_load(clip, storage, number, 1u);
    if (result) return result;
    tpi_clip_head_of(clip, storage->block[1], number, &head);
    tpi_clip_search_go(search, number, head.first_frame <= frame);
    return search->low < search->high ? TPI_CLIP_NONE : TPI_CLIP_OK;
}

/* ---- pieces */

tpi_clip_result tpi_clip_lattice(tpi_clip *clip, const tpi_clip_storage *storage,
                                 const tpi_clip_group *group, uint32_t stream, tpi_lattice *lattice)
{
    uint64_t pieces, ahead = directory_ahead(clip, group, stream, &pieces);
    for (uint32_t c = 0; c < clip->schema.stream[stream].components; c++) {
        uint8_t bytes[8];
        uint32_t at = group->directory + (uint32_t)ahead + 8u * c;
        tpi_clip_result result =
            tpi_clip_part(clip, storage, group, at, sizeof bytes, 1u, bytes, NULL);
        if (result) return result;
        lattice[c].origin = tpi_from_bits(tpi_load_u32(bytes));
        lattice[c].quarter = tpi_from_bits(tpi_load_u32(bytes + 4));
        if (!tpi_is_finite(lattice[c].origin) || !tpi_is_finite(lattice[c].quarter) ||
            lattice[c].quarter < 0.0f)
            return clip_fault(
                clip, TPI_CLIP_DAMAGED,
                tpi_clip_block_at(clip, group->first_block + at / tpi_clip_payload(clip)),
                "a lattice of finite numbers");
    }
    return TPI_CLIP_OK;
}

tpi_clip_result tpi_clip_piece_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                   const tpi_clip_group *group, uint32_t stream, uint32_t piece,
                                   uint32_t *end)
{
    uint8_t bytes[4];
    uint64_t pieces, ahead = directory_ahead(clip, group, stream, &pieces);
    const tpi_clip_stream *of = &clip->schema.stream[stream];
    if (tpi_clip_has_lattice(of)) ahead += 8u * of->components;
    uint32_t at = group->directory + (uint32_t)ahead + 4u * piece;
    tpi_clip_result result = tpi_clip_part(clip, storage, group, at, sizeof bytes, 1u, bytes, NULL);
    if (result) return result;
    *end = tpi_load_u32(bytes);
    if (*end <= group->directory) return TPI_CLIP_OK;
    return clip_fault(clip, TPI_CLIP_DAMAGED,
                      tpi_clip_block_at(clip, group->first_block + at / tpi_clip_payload(clip)),
                      "a directory with all pieces before it");
}

tpi_clip_result tpi_clip_piece_begin(tpi_clip *clip, const tpi_clip_storage *storage,
                                     const tpi_clip_group *group, uint32_t stream, uint32_t piece,
                                     uint32_t *begin)
{
    *begin = 0;
    if (piece) return tpi_clip_piece_end(clip, storage, group, stream, piece - 1u, begin);
    while (stream > 0) {
        uint32_t pieces = tpi_clip_pieces(clip, group, --stream);
        if (pieces) return tpi_clip_piece_end(clip, storage, group, stream, pieces - 1u, begin);
    }
    return TPI_CLIP_OK;
}
