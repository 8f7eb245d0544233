/* SPDX-License-Identifier: MIT
   host_tools/compress/blosc.c - decodes and encodes chunks of Blosc.
   reads   bytes      writes  memory that the caller gives
   memory  a block      cost  O(bytes)
   after   see blosc.h; a block is one stream, or with short types one for each byte of the type */
#include "blosc.h"
#include "blosclz.h"
#include "gain.h"
#include "inflate.h"
#include "lz4.h"
#include "zstd.h"
#include <string.h>

enum { VERSION = 2, VERSION_BLOSCLZ = 1 };
enum { SHUFFLED = 0x01, STORED = 0x02, BITS_SHUFFLED = 0x04, NOT_SPLIT = 0x10, CODEC_SHIFT = 5 };
enum { CODEC_BLOSCLZ, CODEC_LZ4, CODEC_SNAPPY, CODEC_ZLIB, CODEC_ZSTD };
enum { SPLITS_MAX = 16, SPLIT_LEAST = 128, LENGTH_BYTES = 4, ENTRY_BYTES = 4 };
/* What the encoder makes. */
enum { TYPE_BYTES = 4, BLOCK_BYTES = 1 << 17 };

static uint32_t load32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store32(uint8_t *at, size_t value)
{
    for (uint32_t k = 0; k < 4; k++) at[k] = (uint8_t)(value >> 8 * k);
}

static bool fail(compress_fault *fault, size_t at, const char *why)
{
    *fault = (compress_fault){at, why};
    return false;
}

static uint32_t block_count(const blosc_head *head)
{
    return head->size / head->block + (head->size % head->block != 0);
}

/* ---- decoding */

/* Largest decoded size of a stream of these bytes. */
static uint64_t most_of(const blosc_head *head, size_t size)
{
    switch (head->flags >> CODEC_SHIFT) {
    case CODEC_BLOSCLZ: return compress_most(size, BLOSCLZ_GAIN);
    case CODEC_LZ4: return lz4_decoded_max(size);
    case CODEC_ZLIB: return inflate_decoded_max(size);
    default: return zstd_decoded_max(size);
    }
}

static const char *check_kind(const blosc_head *head)
{
    uint32_t codec = head->flags >> CODEC_SHIFT;
    if (head->flags & STORED) return NULL;
    if (codec == CODEC_SNAPPY) return "the chunk is packed with Snappy, which is not supported";
    if (codec > CODEC_ZSTD) return "the chunk is packed with an unknown compressor";
    if (head->flags & BITS_SHUFFLED)
        return "the chunk's bits are transposed, which is not supported";
    return NULL;
}

bool blosc_read_head(const uint8_t *bytes, size_t size, blosc_head *head, compress_fault *fault)
{
    *fault = (compress_fault){0, NULL};
    if (size < BLOSC_HEAD_BYTES) return fail(fault, size, "the file ends inside a chunk's header");
    if (bytes[0] < 1 || bytes[0] > VERSION)
        return fail(fault, 0, "no chunk of Blosc, version 1, begins here");
    *head = (blosc_head){.flags = bytes[2],
                         .type_bytes = bytes[3],
                         .size = load32(bytes + 4),
                         .block = load32(bytes + 8),
                         .packed = load32(bytes + 12)};
    const char *why = check_kind(head);
    if (why) return fail(fault, 2, why);
    if (!head->type_bytes) return fail(fault, 3, "a value of the chunk has 0 bytes");
    if (head->size > INT32_MAX) return fail(fault, 4, "the chunk has 2^31 bytes or more");
    if (head->size && (!head->block || head->block > head->size))
        return fail(fault, 8, "the chunk's blocks do not divide it");
    if (head->packed < BLOSC_HEAD_BYTES || head->packed > size)
        return fail(fault, 12, "the chunk is longer than the file, or shorter than its header");
    uint64_t inside = head->packed - BLOSC_HEAD_BYTES;
    if (head->flags & STORED)
        return inside == head->size || fail(fault, 12, "a stored chunk has another size");
    if (head->size && inside < (uint64_t)block_count(head) * (ENTRY_BYTES + LENGTH_BYTES))
        return fail(fault, 8, "the chunk has no room for its blocks");
    return head->size <= most_of(head, (size_t)inside) ||
           fail(fault, 4, "the chunk cannot hold the size that it claims");
}

size_t blosc_decoder_bytes(const blosc_head *head) { return zstd_decoder_bytes() + head->block; }

static bool decode_zlib(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                        compress_fault *fault)
{
    size_t used;
    return inflate_zlib(bytes, size, out, out_size, &used, fault);
}

static bool decode_lz4(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                       compress_fault *fault)
{
    size_t written = lz4_decode(bytes, size, out, out_size, fault);
    if (written == SIZE_MAX || written == out_size) return written == out_size;
    return fail(fault, size, "the stream holds fewer bytes than it should");
}

typedef struct chunk {
    const uint8_t *bytes;
    const blosc_head *head;
    void *work;       /* of the decoder of Zstandard */
    uint8_t *shuffle; /* a block whose bytes are transposed */
    compress_fault *fault;
} chunk;

static bool decode_stream(const chunk *from, size_t at, size_t size, uint8_t *out, size_t out_size)
{
    const uint8_t *bytes = from->bytes + at;
    bool good;
    if (size == out_size) { /* it did not shrink */
        memcpy(out, bytes, size);
        return true;
    }
    switch (from->head->flags >> CODEC_SHIFT) {
    case CODEC_BLOSCLZ: good = blosclz_decode(bytes, size, out, out_size, from->fault); break;
    case CODEC_LZ4: good = decode_lz4(bytes, size, out, out_size, from->fault); break;
    case CODEC_ZLIB: good = decode_zlib(bytes, size, out, out_size, from->fault); break;
    default: good = zstd_decode(bytes, size, out, out_size, from->work, from->fault); break;
    }
    if (!good) from->fault->at += at;
    return good;
}

/* Puts byte k of all values after byte k - 1 of all, or back; a rest is copied. */
static void transpose(const uint8_t *from, uint8_t *to, size_t size, uint32_t type, bool back)
{
    size_t values = size / type, whole = values * type;
    for (uint32_t k = 0; k < type; k++)
        for (size_t i = 0; i < values; i++) {
            size_t plain = i * type + k, apart = k * values + i;
            to[back ? plain : apart] = from[back ? apart : plain];
        }
    memcpy(to + whole, from + whole, size - whole);
}

static uint32_t split_count(const blosc_head *head, size_t size)
{
    bool splits = !(head->flags & NOT_SPLIT) && head->type_bytes <= SPLITS_MAX &&
                  head->block / head->type_bytes >= SPLIT_LEAST && size == head->block;
    return splits ? head->type_bytes : 1;
}

static bool decode_block(const chunk *from, size_t at, uint8_t *out, size_t size)
{
    const blosc_head *head = from->head;
    bool is_shuffled = (head->flags & SHUFFLED) && head->type_bytes > 1;
    uint32_t splits = split_count(head, size);
    uint8_t *to = is_shuffled ? from->shuffle : out;
    size_t part = size / splits;
    if (part * splits != size)
        return fail(from->fault, 8, "the chunk's blocks hold no whole values");
    for (uint32_t s = 0; s < splits; s++, to += part) {
        if (at > head->packed - LENGTH_BYTES)
            return fail(from->fault, at < head->packed ? at : head->packed,
                        "a stream lies outside of the chunk");
        size_t length = load32(from->bytes + at);
        if (length > head->packed - LENGTH_BYTES - at)
            return fail(from->fault, at, "a stream extends beyond the chunk");
        if (!decode_stream(from, at + LENGTH_BYTES, length, to, part)) return false;
        at += LENGTH_BYTES + length;
    }
    if (is_shuffled) transpose(from->shuffle, out, size, head->type_bytes, true);
    return true;
}

bool blosc_decode(const uint8_t *bytes, const blosc_head *head, uint8_t *out, void *work,
                  compress_fault *fault)
{
    chunk from = {bytes, head, work, (uint8_t *)work + zstd_decoder_bytes(), fault};
    *fault = (compress_fault){0, NULL};
    if (!head->size) return true;
    if (head->flags & STORED) {
        memcpy(out, bytes + BLOSC_HEAD_BYTES, head->size);
        return true;
    }
    uint32_t blocks = block_count(head), least = BLOSC_HEAD_BYTES + blocks * ENTRY_BYTES;
    for (uint32_t b = 0; b < blocks; b++) {
        size_t entry = BLOSC_HEAD_BYTES + (size_t)b * ENTRY_BYTES, at = load32(bytes + entry);
        size_t left = head->size - (size_t)b * head->block;
        if (at < least) return fail(fault, entry, "a block begins inside the list of blocks");
        if (!decode_block(&from, at, out + (size_t)b * head->block,
                          left < head->block ? left : head->block))
            return false;
    }
    return true;
}

/* ---- encoding */

size_t blosc_encoder_bytes(void) { return blosclz_encoder_bytes() + BLOCK_BYTES; }
size_t blosc_bound(size_t size) { return size + BLOSC_HEAD_BYTES; }

/* Encodes a block behind `at`; 0: the chunk would not be shorter than its contents. */
static size_t encode_block(const uint8_t *bytes, size_t size, const blosc_head *head, uint8_t *out,
                           size_t at, void *work)
{
    uint8_t *shuffle = (uint8_t *)work + blosclz_encoder_bytes();
    uint32_t splits = split_count(head, size);
    size_t part = size / splits, limit = BLOSC_HEAD_BYTES + (size_t)head->size;
    transpose(bytes, shuffle, size, TYPE_BYTES, false);
    for (uint32_t s = 0; s < splits; s++) {
        if (limit - at < LENGTH_BYTES + part) return 0;
        const uint8_t *from = shuffle + s * part;
        size_t length = blosclz_encode(from, part, out + at + LENGTH_BYTES, work);
        if (!length) memcpy(out + at + LENGTH_BYTES, from, part);
        if (!length) length = part;
        store32(out + at, length);
        at += LENGTH_BYTES + length;
    }
    return at;
}

size_t blosc_encode(const uint8_t *bytes, size_t size, uint8_t *out, void *work)
{
    blosc_head head = {.flags = SHUFFLED, .type_bytes = TYPE_BYTES, .size = (uint32_t)size};
    head.block = size < BLOCK_BYTES ? head.size : (uint32_t)BLOCK_BYTES;
    if (head.block > TYPE_BYTES) head.block -= head.block % TYPE_BYTES; /* whole values */
    uint32_t blocks = size ? block_count(&head) : 0;
    size_t at = BLOSC_HEAD_BYTES + (size_t)blocks * ENTRY_BYTES;
    if (at > BLOSC_HEAD_BYTES + size) at = 0;
    for (uint32_t b = 0; b < blocks && at; b++) {
        size_t first = (size_t)b * head.block, left = size - first;
        store32(out + BLOSC_HEAD_BYTES + b * ENTRY_BYTES, at);
        at = encode_block(bytes + first, left < head.block ? left : head.block, &head, out, at,
                          work);
    }
    if (!at) { /* stored */
        head.flags = SHUFFLED | STORED;
        memcpy(out + BLOSC_HEAD_BYTES, bytes, size);
        at = BLOSC_HEAD_BYTES + size;
    }
    out[0] = VERSION;
    out[1] = VERSION_BLOSCLZ;
    out[2] = (uint8_t)head.flags;
    out[3] = TYPE_BYTES;
    store32(out + 4, size);
    store32(out + 8, head.block);
    store32(out + 12, at);
    return at;
}
