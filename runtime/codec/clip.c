/* SPDX-License-Identifier: MIT
   runtime/codec/clip.c - what reading and writing a clip share: checksums, the counting of pieces, clips in memory.
   reads   its arguments      writes  its results
   memory  a table of 64 bytes      cost    O(bytes)
   after   CRC-32C: the reflected polynomial 0x82f63b78 (Castagnoli, Braeuer, Herrmann 1993; RFC 3720) */
#include "clip.h"

/* The remainders of all 4-bit words: two look-ups a byte, and a 16th of the usual table. */
static const uint32_t clip_crc_words[16] = {
    0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u, 0x417b1dbcu, 0x5125dad3u, 0x61c69362u, 0x7198540du,
    0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u, 0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u};

uint32_t tpi_crc32c(uint32_t crc, const uint8_t *bytes, uint32_t size)
{
    crc = ~crc;
    for (uint32_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ clip_crc_words[crc & 15u];
        crc = crc >> 4 ^ clip_crc_words[crc & 15u];
    }
    return ~crc;
}

/* ---- heads of blocks: magic 3, kind 1, epoch 4, number 4, group 4, first frame 4, payload 2, opening 2, checksum 4 */

uint32_t tpi_clip_block_crc(const uint8_t *block, uint32_t block_bytes)
{
    return tpi_crc32c(tpi_crc32c(0, block, TPI_CLIP_HEAD_CRC), block + TPI_CLIP_HEAD_BYTES,
                      block_bytes - TPI_CLIP_HEAD_BYTES);
}

void tpi_clip_read_head(const uint8_t *block, tpi_clip_head *head)
{
    uint32_t last = tpi_load_u32(block + 20);
    head->kind = block[3];
    head->epoch = tpi_load_u32(block + 4);
    head->number = tpi_load_u32(block + 8);
    head->group = tpi_load_u32(block + 12);
    head->first_frame = (int32_t)tpi_load_u32(block + 16);
    head->payload = (uint16_t)last;
    head->opening = (uint16_t)(last >> 16);
}

bool tpi_clip_unseal(const uint8_t *block, uint32_t block_bytes, tpi_clip_head *head)
{
    tpi_clip_read_head(block, head);
    bool is_block =
        (tpi_load_u32(block) & 0xffffffu) == 0x435054u && head->payload <= block_bytes - TPI_CLIP_HEAD_BYTES;
    return is_block && tpi_load_u32(block + TPI_CLIP_HEAD_CRC) == tpi_clip_block_crc(block, block_bytes);
}

/* ---- groups */

uint32_t tpi_clip_pieces(const tpi_clip *clip, const tpi_clip_group *group, uint32_t stream)
{
    const tpi_clip_stream *of = &clip->schema.stream[stream];
    if (!(group->streams >> stream & 1u)) return 0;
    if (of->type != TPI_CLIP_BYTES) return tpi_clip_tiles(group);
    return of->is_once ? 1u : group->frames;
}
