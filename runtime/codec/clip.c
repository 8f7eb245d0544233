/* SPDX-License-Identifier: MIT
   runtime/codec/clip.c - shared by reading and writing clips: CRC-32C, block heads, piece counts.
   reads   its arguments      writes  its results
   memory  a table: 8 KiB with vectors, else 512 bytes; none with a CRC instruction
   cost    O(bytes)
   after   CRC-32C, reflected polynomial 0x82f63b78 (Castagnoli, Braeuer, Herrmann 1993;
           RFC 3720); tables: slicing-by-8 */
#include "clip.h"

/* ---- CRC-32C: by an instruction, or by slicing-by-8 with tables. A digit has 8 bits (with
   vectors) or 4 bits. Row r holds the remainders of digits that are followed by r digits. A digit's
   remainder is the exclusive or of its bits' remainders; CRC_ROW lists these from the highest bit
   on. The eight look-ups of a word are independent of each other. */
#if defined(__GNUC__) && defined(__SSE4_2__) && defined(__x86_64__)
#define CRC_EIGHT(crc, word) ((uint32_t)__builtin_ia32_crc32di((crc), (word)))
#define CRC_ONE(crc, byte)   __builtin_ia32_crc32qi((crc), (byte))
#else
#define CRC_2(x, b, a) (x), (x) ^ (a), (x) ^ (b), (x) ^ (b) ^ (a)
#define CRC_4(x, d, c, b, a) \
    CRC_2(x, b, a), CRC_2((x) ^ (c), b, a), CRC_2((x) ^ (d), b, a), CRC_2((x) ^ (d) ^ (c), b, a)
#define CRC_6(x, f, e, d, c, b, a)                                                    \
    CRC_4(x, d, c, b, a), CRC_4((x) ^ (e), d, c, b, a), CRC_4((x) ^ (f), d, c, b, a), \
        CRC_4((x) ^ (f) ^ (e), d, c, b, a)
#define CRC_8(x, h, g, f, e, d, c, b, a)                            \
    CRC_6(x, f, e, d, c, b, a), CRC_6((x) ^ (g), f, e, d, c, b, a), \
        CRC_6((x) ^ (h), f, e, d, c, b, a), CRC_6((x) ^ (h) ^ (g), f, e, d, c, b, a)
#if TPI_LANES > 1
#define CRC_DIGIT 8u /* bits */
#define CRC_ROW(h, g, f, e, d, c, b, a)   \
    {                                     \
        CRC_8(0u, h, g, f, e, d, c, b, a) \
    }
static const uint32_t clip_crc_digits[8][256] = {
    CRC_ROW(0x82f63b78u, 0x417b1dbcu, 0x20bd8edeu, 0x105ec76fu, 0x8ad958cfu, 0xc79a971fu,
            0xe13b70f7u, 0xf26b8303u),
    CRC_ROW(0xfbc3faf9u, 0xff17c604u, 0x7f8be302u, 0x3fc5f181u, 0x9d14c3b8u, 0x4e8a61dcu,
            0x274530eeu, 0x13a29877u),
    CRC_ROW(0x8b277743u, 0xc76580d9u, 0xe144fb14u, 0x70a27d8au, 0x38513ec5u, 0x9edea41au,
            0x4f6f520du, 0xa541927eu),
    CRC_ROW(0x52a0c93fu, 0xaba65fe7u, 0xd725148bu, 0xe964b13du, 0xf64463e6u, 0x7b2231f3u,
            0xbf672381u, 0xdd45aab8u),
    CRC_ROW(0x6ea2d55cu, 0x37516aaeu, 0x1ba8b557u, 0x8f2261d3u, 0xc5670b91u, 0xe045beb0u,
            0x7022df58u, 0x38116facu),
    CRC_ROW(0x1c08b7d6u, 0x0e045bebu, 0x85f4168du, 0xc00c303eu, 0x6006181fu, 0xb2f53777u,
            0xdb8ca0c3u, 0xef306b19u),
    CRC_ROW(0xf56e0ef4u, 0x7ab7077au, 0x3d5b83bdu, 0x9c5bfaa6u, 0x4e2dfd53u, 0xa5e0c5d1u,
            0xd0065990u, 0x68032cc8u),
    CRC_ROW(0x34019664u, 0x1a00cb32u, 0x0d006599u, 0x847609b4u, 0x423b04dau, 0x211d826du,
            0x9278fa4eu, 0x493c7d27u),
};
#define CRC_LOAD(bytes) tpi_load_u64(bytes)
typedef uint64_t crc_word;
#else /* small machines: 512 bytes */
#define CRC_DIGIT 4u
#define CRC_ROW(d, c, b, a)   \
    {                         \
        CRC_4(0u, d, c, b, a) \
    }
static const uint32_t clip_crc_digits[8][16] = {
    CRC_ROW(0x82f63b78u, 0x417b1dbcu, 0x20bd8edeu, 0x105ec76fu),
    CRC_ROW(0x8ad958cfu, 0xc79a971fu, 0xe13b70f7u, 0xf26b8303u),
    CRC_ROW(0xfbc3faf9u, 0xff17c604u, 0x7f8be302u, 0x3fc5f181u),
    CRC_ROW(0x9d14c3b8u, 0x4e8a61dcu, 0x274530eeu, 0x13a29877u),
    CRC_ROW(0x8b277743u, 0xc76580d9u, 0xe144fb14u, 0x70a27d8au),
    CRC_ROW(0x38513ec5u, 0x9edea41au, 0x4f6f520du, 0xa541927eu),
    CRC_ROW(0x52a0c93fu, 0xaba65fe7u, 0xd725148bu, 0xe964b13du),
    CRC_ROW(0xf64463e6u, 0x7b2231f3u, 0xbf672381u, 0xdd45aab8u),
};
#define CRC_LOAD(bytes) tpi_load_u32(bytes)
typedef uint32_t crc_word;
#endif
#endif

#if defined(CRC_EIGHT)
uint32_t tpi_crc32c(uint32_t crc, const uint8_t *bytes, uint32_t size)
{
    crc = ~crc;
    for (; size >= 8u; size -= 8u, bytes += 8) crc = CRC_EIGHT(crc, tpi_load_u64(bytes));
    for (; size; size--) crc = CRC_ONE(crc, *bytes++);
    return ~crc;
}
#else
#define CRC_AT(row, word) \
    clip_crc_digits[row][(word) >> (CRC_DIGIT * (7u - (row))) & ((1u << CRC_DIGIT) - 1u)]
uint32_t tpi_crc32c(uint32_t crc, const uint8_t *bytes, uint32_t size)
{
    crc = ~crc;
    for (; size >= CRC_DIGIT; size -= CRC_DIGIT, bytes += CRC_DIGIT) {
        crc_word word = CRC_LOAD(bytes) ^ crc;
        crc = CRC_AT(7, word) ^ CRC_AT(6, word) ^ CRC_AT(5, word) ^ CRC_AT(4, word) ^
              CRC_AT(3, word) ^ CRC_AT(2, word) ^ CRC_AT(1, word) ^ CRC_AT(0, word);
    }
    for (; size; size--) {
        crc ^= *bytes++;
        for (uint32_t bits = 0; bits < 8u; bits += CRC_DIGIT)
            crc = crc >> CRC_DIGIT ^ clip_crc_digits[0][crc & ((1u << CRC_DIGIT) - 1u)];
    }
    return ~crc;
}
#endif

/* ---- heads of blocks: magic 3, kind 1, epoch 4, number 4, group 4, first frame 4, payload 2,
   opening 2, checksum 4 */

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

void tpi_clip_put_head(uint8_t *block, const tpi_clip_head *head)
{
    tpi_store_u32(block, 0x435054u | (uint32_t)head->kind << 24); /* 'T' 'P' 'C' */
    tpi_store_u32(block + 4, head->epoch);
    tpi_store_u32(block + 8, head->number);
    tpi_store_u32(block + 12, head->group);
    tpi_store_u32(block + 16, (uint32_t)head->first_frame);
    tpi_store_u32(block + 20, head->payload | (uint32_t)head->opening << 16);
}

bool tpi_clip_unseal(const uint8_t *block, uint32_t block_bytes, tpi_clip_head *head)
{
    tpi_clip_read_head(block, head);
    bool is_block = (tpi_load_u32(block) & 0xffffffu) == 0x435054u &&
                    head->payload <= block_bytes - TPI_CLIP_HEAD_BYTES;
    return is_block &&
           tpi_load_u32(block + TPI_CLIP_HEAD_CRC) == tpi_clip_block_crc(block, block_bytes);
}

/* ---- blocks of a compact clip: a checksum, and the used bytes */

/* Bytes of a compact clip's payload in a block that is in the clip. */
static uint32_t compact_used(const tpi_clip *clip, uint32_t number)
{
    uint32_t is_about = number >= clip->about;
    bool is_last = number + 1u == (is_about ? clip->end : clip->about);
    return is_last ? clip->last_used[is_about] : tpi_clip_payload(clip);
}

void tpi_clip_head_of(const tpi_clip *clip, const uint8_t *block, uint32_t number,
                      tpi_clip_head *head)
{
    if (!clip->compact) {
        tpi_clip_read_head(block, head);
        return;
    }
    bool is_about = number >= clip->about;
    head->kind = number + 1u == clip->about || number + 1u == clip->end ? TPI_CLIP_KIND_END
                                                                        : TPI_CLIP_KIND_DATA;
    head->epoch = clip->epoch;
    head->number = number;
    head->group = is_about ? clip->about : TPI_CLIP_FIRST_BLOCK;
    head->first_frame = is_about ? clip->last_frame : clip->first_frame;
    head->payload = (uint16_t)compact_used(clip, number);
    head->opening = clip->opening;
}

uint64_t tpi_clip_block_at(const tpi_clip *clip, uint32_t number)
{
    if (!clip->compact) return (uint64_t)number << clip->schema.block_bits;
    uint32_t payload = tpi_clip_payload(clip),
             unused = number >= clip->about ? payload - clip->last_used[0] : 0u;
    return (uint64_t)(number - TPI_CLIP_FIRST_BLOCK) * (TPI_CLIP_CRC_BYTES + payload) +
           clip->compact - TPI_CLIP_HEAD_CRC - unused;
}

uint64_t tpi_clip_block_end(const tpi_clip *clip, uint32_t number)
{
    if (!clip->compact) return (number + 1ull) << clip->schema.block_bits;
    return tpi_clip_block_at(clip, number) + TPI_CLIP_HEAD_BYTES + compact_used(clip, number);
}

/* ---- groups */

uint32_t tpi_clip_pieces(const tpi_clip *clip, const tpi_clip_group *group, uint32_t stream)
{
    const tpi_clip_stream *of = &clip->schema.stream[stream];
    if (!(group->streams >> stream & 1u)) return 0;
    if (of->type != TPI_CLIP_BYTES) return tpi_clip_tiles(group);
    return of->is_once ? 1u : group->frames;
}
