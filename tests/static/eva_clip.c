/* SPDX-License-Identifier: MIT
   tests/static/eva_clip.c - Eva driver: headers, blocks, tails and directories of clips, for any
           storage.
   reads   unknown blocks, whole, cut short or late      writes  nothing: Eva must report no alarm
   memory  two blocks of the size under analysis      cost    minutes
   after   own design; blocks end where their arrays end, so that reading one byte further is an
           alarm. Checksums may always match: no proof here relies on them */
#include "eva.h"
#include "../../runtime/codec/clip.c"

/* The specification that eva_checksum.c proves for every block size. */
/*@ requires block: \valid_read(block + (0 .. block_bytes - 1)) && 512 <= block_bytes <= 32768;
    assigns \result \from block_bytes; */
uint32_t tpi_clip_block_crc(const uint8_t *block, uint32_t block_bytes);

#include "../../runtime/codec/clip_read.c"
#include "../../runtime/codec/clip_whole.c"

#define BLOCK_MAX (1u << TPI_CLIP_BLOCK_HIGHEST)
static uint8_t rooms[2][BLOCK_MAX];
static tpi_clip clip;

/* Blocks are loaded, and read again later. A checked block's payload length still holds then, but
   Eva does not keep such relations between bytes. Therefore each payload length is analysed
   separately; OVER stands for all lengths. */
#define OVER UINT32_MAX
static uint32_t payload_now = OVER;

static void any_block(uint8_t *bytes, uint32_t size)
{
    eva_fill(bytes, size);
    if (size < TPI_CLIP_HEAD_BYTES || payload_now == OVER) return;
    bytes[20] = (uint8_t)payload_now, bytes[21] = (uint8_t)(payload_now >> 8);
}

/* Reads all of it, a part, or nothing yet. Bytes that were not read keep their values. */
static uint32_t read_anything(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    (void)context, (void)offset;
    //@ assert may_be_written: \valid((uint8_t *)bytes + (0 .. size - 1));
    if (eva_bool()) return TPI_CLIP_NOT_YET;
    if (eva_bool()) return eva_u32(0, size - 1u);
    any_block(bytes, size);
    return size;
}

static tpi_clip_storage storage_of(uint32_t block_bits)
{
    uint32_t size = 1u << block_bits;
    tpi_clip_storage storage = {NULL, read_anything, NULL, {NULL, NULL}, size};
    eva_fill(rooms, sizeof rooms);
    for (uint32_t b = 0; b < 2u; b++) {
        storage.block[b] = rooms[b] + (BLOCK_MAX - size);
        any_block(storage.block[b], size);
    }
    return storage;
}

/* Reads one header with blocks of one size, where the caller's buffers fit blocks of another;
   nothing is known of the clip. */
static void header_of(uint32_t block_bits, uint32_t bits)
{
    tpi_clip_storage storage = storage_of(block_bits);
    memset(&clip, 0, sizeof clip);
    if (take_header(&clip, &storage, bits, eva_u32(0, 1))) return;
    //@ assert blocks_have_room: clip.schema.block_bits == bits && bits <= block_bits;
    //@ assert streams: 1 <= clip.schema.stream_count <= 20;
    //@ assert log: clip.log_begin >= 2;
}

/* One stream description of any bytes. */
static void stream_word(void)
{
    uint8_t bytes[TPI_CLIP_STREAM_BYTES];
    tpi_clip_stream stream;
    eva_fill(bytes, sizeof bytes);
    if (read_stream_word(&stream, bytes)) return;
    //@ assert type: stream.type <= 2;
    //@ assert components: stream.components <= 4;
}

/* Both headers, for any block size. */
static void open_with_room_for(uint32_t block_bits)
{
    tpi_clip_storage storage = storage_of(block_bits);
    (void)tpi_clip_open_headers(&clip, &storage);
}

/* What header_of and stream_word prove of every opened clip, and no more. */
static void any_clip(uint32_t block_bits)
{
    eva_fill(&clip.schema, sizeof clip.schema);
    clip.schema.block_bits = block_bits;
    clip.schema.stream_count = (uint8_t)eva_u32(1, TPI_CLIP_STREAMS);
    //@ loop unroll 20;
    for (uint32_t s = 0; s < TPI_CLIP_STREAMS; s++) {
        clip.schema.stream[s].type = (uint8_t)eva_u32(0, TPI_CLIP_BYTES);
        clip.schema.stream[s].components = (uint8_t)eva_u32(0, TPI_TILE_COMPONENTS);
        clip.schema.stream[s].is_once = eva_bool();
    }
    clip.epoch = eva_u32(0, UINT32_MAX), clip.opening = (uint16_t)eva_u32(0, UINT16_MAX);
    clip.log_begin = eva_u32(TPI_CLIP_FIRST_BLOCK, UINT32_MAX);
    clip.end = eva_u32(0, UINT32_MAX), clip.is_closed = eva_bool();
    clip.loaded[0] = eva_u32(0, UINT32_MAX), clip.loaded[1] = eva_u32(0, UINT32_MAX);
    clip.piece_at = 0, clip.fault = 0, clip.expected = "";
}

/* A group with any numbers: calls on it are safe even if the numbers contradict each other. */
static tpi_clip_group any_group(void)
{
    tpi_clip_group group;
    eva_fill(&group, sizeof group);
    return group;
}

static void search_log(uint32_t block_bits)
{
    tpi_clip_storage storage = storage_of(block_bits);
    tpi_clip_search search = {eva_u32(TPI_CLIP_FIRST_BLOCK, 0xf0000000u), 0,
                              eva_u32(0, UINT32_MAX)};
    int32_t frame = (int32_t)eva_u32(0, UINT32_MAX);
    search.high = eva_u32(TPI_CLIP_FIRST_BLOCK, UINT32_MAX);
    any_clip(block_bits);
    (void)tpi_clip_seek_end(&clip, &storage, &search);
    any_clip(block_bits);
    (void)tpi_clip_seek(&clip, &storage, frame, &search);
}

/* The tail of a group, in a block with this payload length, loaded now or before. */
static void tail_behind(uint32_t block_bits, uint32_t payload)
{
    payload_now = payload;
    tpi_clip_storage storage = storage_of(block_bits);
    tpi_clip_group group = any_group();
    any_clip(block_bits);
    if (tpi_clip_group_before(&clip, &storage, eva_u32(0, UINT32_MAX), &group)) return;
    //@ assert frames: 1 <= group.frames <= 255;
    //@ assert kind: group.kind <= 1;
    //@ assert step: group.step >= 1;
}

/* Every payload length that a block can have; for larger blocks the least and the most. */
static void tails(uint32_t block_bits)
{
    uint32_t payload_max = (1u << block_bits) - TPI_CLIP_HEAD_BYTES;
    //@ loop unroll 485;
    for (uint32_t payload = 0; payload <= payload_max; payload++) {
        if (block_bits > TPI_CLIP_BLOCK_LOWEST && payload == 30u) payload = payload_max - 2u;
        tail_behind(block_bits, payload);
    }
    payload_now = OVER;
}

/* Parts of any group that begin at byte `at` of a block's payload: short ones, and ones that fill
   the block. */
static void copy_at(const tpi_clip_storage *storage, uint32_t offset, uint32_t size)
{
    static uint8_t room[2048];
    tpi_clip_group group = any_group();
    (void)tpi_clip_part(&clip, storage, &group, offset, size, 1u, room + (sizeof room - size),
                        NULL);
}

static void find_at(const tpi_clip_storage *storage, uint32_t offset, uint32_t size)
{
    static uint8_t ends[2];
    const uint8_t *found;
    tpi_clip_group group = any_group();
    if (tpi_clip_part(&clip, storage, &group, offset, size, 0u, NULL, &found)) return;
    ends[0] = found[0], ends[1] = found[size - 1u];
}

static void part_at(const tpi_clip_storage *storage, uint32_t at)
{
    uint32_t payload = tpi_clip_payload(&clip), whole = eva_u32(0, UINT32_MAX / payload - 1u);
    copy_at(storage, whole * payload + at, 4u);
    copy_at(storage, whole * payload + at, 8u);
    /* a part over several blocks */
    if (at < 2u || at == payload - 1u) copy_at(storage, whole * payload + at, 1100u);
    find_at(storage, whole * payload + at, payload - at);
}

/* Every offset in a block's payload; for larger blocks the offsets around its ends. */
static void parts(uint32_t block_bits)
{
    tpi_clip_storage storage = storage_of(block_bits);
    uint32_t payload = (1u << block_bits) - TPI_CLIP_HEAD_BYTES;
    any_clip(block_bits);
    //@ loop unroll 485;
    for (uint32_t at = 0; at < payload; at++) {
        if (block_bits > TPI_CLIP_BLOCK_LOWEST && at > 8u && at < payload - 8u) at = payload - 8u;
        part_at(&storage, at);
    }
}

int main(void)
{
    stream_word();
    for (uint32_t b = TPI_CLIP_BLOCK_LOWEST; b <= TPI_CLIP_BLOCK_HIGHEST; b++) {
        for (uint32_t bits = TPI_CLIP_BLOCK_LOWEST; bits <= TPI_CLIP_BLOCK_HIGHEST; bits++)
            header_of(b, bits);
        open_with_room_for(b);
    }
    for (uint32_t b = TPI_CLIP_BLOCK_LOWEST; b <= TPI_CLIP_BLOCK_HIGHEST; b++) search_log(b);
    tails(TPI_CLIP_BLOCK_LOWEST);
    tails(TPI_CLIP_BLOCK_HIGHEST);
    parts(TPI_CLIP_BLOCK_LOWEST);
    parts(TPI_CLIP_BLOCK_HIGHEST);
    return 0;
}
