/* SPDX-License-Identifier: MIT
   tests/unit/test_blosc.c - chunks of Blosc and streams of BloscLZ: round trips, chunks of c-blosc,
           refused chunks.
   reads   -                              writes  -
   memory  malloc                         cost    a second
   after   README_CHUNK_FORMAT.rst of c-blosc; the foreign chunks are of c-blosc 1.21 */
#include "../../host_tools/compress/blosc.h"
#include "../../host_tools/compress/blosclz.h"
#include "../harness/payload_help.h"
#include <stdlib.h>
#include <string.h>

/* ---- streams of BloscLZ */

static bool lz_round_trip(const uint8_t *bytes, size_t size)
{
    uint8_t *stream = malloc(size ? size : 1), *work = malloc(blosclz_encoder_bytes());
    size_t used = stream && work ? blosclz_encode(bytes, size, stream, work) : 0;
    bool good = CHECK(used < size || !used);
    if (used)
        good = CHECK(size <= (uint64_t)used * BLOSCLZ_GAIN) &&
               payload_expect(blosclz_decode, stream, used, bytes, size);
    free(stream);
    free(work);
    return good;
}

static void streams_come_back(void)
{
    payload_come_back_small(lz_round_trip);
    payload_come_back_repeats(lz_round_trip);
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++)
        payload_come_back(lz_round_trip, kind, 300000);
}

#define STREAM(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

static void every_kind_of_match_decodes_as_described(void)
{
    static uint8_t far[70000];
    static const uint8_t head[] = {0x21, 'a', 'b', 0xe0};
    uint8_t stream[400];
    size_t size = sizeof head, length = sizeof far - 6 - 9;
    payload_expect(blosclz_decode,
                   STREAM("\x22"
                          "abc\x20\x02"),
                   (const uint8_t *)"abcabc", 6);
    payload_expect(blosclz_decode,
                   STREAM("\x20"
                          "a\xe0\x01\x00"),
                   (const uint8_t *)"aaaaaaaaaaa", 11);
    /* "ab", then b until a match 69 990 bytes back: 0x1fff + 0xf167 + 1 */
    memcpy(stream, head, sizeof head);
    memset(far, 'b', sizeof far);
    far[0] = far[sizeof far - 4] = 'a';
    for (length -= 0; length >= 255; length -= 255) stream[size++] = 255;
    stream[size++] = (uint8_t)length;
    stream[size++] = 0;
    memcpy(stream + size, "\x3f\xff\xf1\x6c", 4);
    payload_expect(blosclz_decode, stream, size + 4, far, sizeof far - 1);
}

static void streams_are_refused_with_the_reason(void)
{
    payload_expect_fault(blosclz_decode,
                         STREAM("\x22"
                                "abc\x20\x03"),
                         6, 4, "a match begins before the output");
    payload_expect_fault(blosclz_decode,
                         STREAM("\x22"
                                "abc\x20\x02"),
                         5, 4, "a match extends beyond the output");
    payload_expect_fault(blosclz_decode,
                         STREAM("\x22"
                                "abc\x20\x02"),
                         7, 6, "the stream holds fewer bytes than it should");
    payload_expect_fault(blosclz_decode,
                         STREAM("\x22"
                                "abc\xe0\xff"),
                         700, 4, "the stream ends inside a match");
    payload_expect_fault(blosclz_decode,
                         STREAM("\x22"
                                "ab"),
                         6, 0, "literals extend beyond the stream or the output");
}

/* ---- chunks */

static bool decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                   compress_fault *fault)
{
    blosc_head head;
    if (!blosc_read_head(bytes, size, &head, fault)) return false;
    if (head.size != out_size || head.packed != size) {
        *fault = (compress_fault){size, "another size"};
        return false;
    }
    void *work = malloc(blosc_decoder_bytes(&head));
    bool good = work && blosc_decode(bytes, &head, out, work, fault);
    free(work);
    return good;
}

static bool round_trip(const uint8_t *bytes, size_t size)
{
    uint8_t *chunk = malloc(blosc_bound(size)), *work = malloc(blosc_encoder_bytes());
    size_t used = chunk && work ? blosc_encode(bytes, size, chunk, work) : 0;
    bool good = CHECK(used >= BLOSC_HEAD_BYTES && used <= blosc_bound(size)) &&
                payload_expect(decode, chunk, used, bytes, size);
    free(chunk);
    free(work);
    return good;
}

static void chunks_come_back(void)
{
    payload_come_back_small(round_trip);
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++) {
        for (size_t size = 511; size < 520; size++) payload_come_back(round_trip, kind, size);
        payload_come_back(round_trip, kind, 300001);
    }
}

/* 150 words i * i % 7, as c-blosc packs them with each compressor. */
static const uint8_t blosclz[] = {
    0x02, 0x01, 0x01, 0x04, 0x58, 0x02, 0x00, 0x00, 0x58, 0x02, 0x00, 0x00, 0x53, 0x00,
    0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00, 0x26, 0x00, 0x01, 0x04,
    0x02, 0x02, 0x04, 0x01, 0xe0, 0x84, 0x06, 0x01, 0x01, 0x04, 0x0b, 0x00, 0x00, 0x00,
    0x23, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x87, 0x03, 0x01, 0x00, 0x00, 0x0b, 0x00, 0x00,
    0x00, 0x23, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x87, 0x03, 0x01, 0x00, 0x00, 0x0b, 0x00,
    0x00, 0x00, 0x23, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x87, 0x03, 0x01, 0x00, 0x00};
static const uint8_t lz4[] = {
    0x02, 0x01, 0x21, 0x04, 0x58, 0x02, 0x00, 0x00, 0x58, 0x02, 0x00, 0x00, 0x56, 0x00, 0x00,
    0x00, 0x14, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x7f, 0x00, 0x01, 0x04, 0x02, 0x02,
    0x04, 0x01, 0x07, 0x00, 0x77, 0x50, 0x04, 0x01, 0x00, 0x01, 0x04, 0x0b, 0x00, 0x00, 0x00,
    0x1f, 0x00, 0x01, 0x00, 0x7d, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00,
    0x1f, 0x00, 0x01, 0x00, 0x7d, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00,
    0x1f, 0x00, 0x01, 0x00, 0x7d, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00};
static const uint8_t zlib[] = {
    0x02, 0x01, 0x61, 0x04, 0x58, 0x02, 0x00, 0x00, 0x58, 0x02, 0x00, 0x00, 0x5a, 0x00, 0x00,
    0x00, 0x14, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x78, 0xda, 0x63, 0x60, 0x64, 0x61,
    0x62, 0x62, 0x61, 0x64, 0x18, 0x5c, 0x14, 0x00, 0x58, 0x77, 0x01, 0x2c, 0x0c, 0x00, 0x00,
    0x00, 0x78, 0xda, 0x63, 0x60, 0x18, 0x8c, 0x00, 0x00, 0x00, 0x96, 0x00, 0x01, 0x0c, 0x00,
    0x00, 0x00, 0x78, 0xda, 0x63, 0x60, 0x18, 0x8c, 0x00, 0x00, 0x00, 0x96, 0x00, 0x01, 0x0c,
    0x00, 0x00, 0x00, 0x78, 0xda, 0x63, 0x60, 0x18, 0x8c, 0x00, 0x00, 0x00, 0x96, 0x00, 0x01};
static const uint8_t zstd[] = {0x02, 0x01, 0x91, 0x04, 0x58, 0x02, 0x00, 0x00, 0x58, 0x02, 0x00,
                               0x00, 0x34, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x1c, 0x00,
                               0x00, 0x00, 0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x58, 0x01, 0x95, 0x00,
                               0x00, 0x40, 0x00, 0x01, 0x04, 0x02, 0x02, 0x04, 0x01, 0x00, 0x02,
                               0x00, 0xbe, 0xae, 0x2a, 0x18, 0xa2, 0x8a, 0x11};

static const struct {
    const uint8_t *bytes;
    size_t size;
} chunks[] = {
    {blosclz, sizeof blosclz}, {lz4, sizeof lz4}, {zlib, sizeof zlib}, {zstd, sizeof zstd}};
enum { CHUNKS = sizeof chunks / sizeof chunks[0], WORDS = 150 };

static void chunks_of_c_blosc_decode(void)
{
    uint8_t words[WORDS * 4] = {0};
    for (uint32_t i = 0; i < WORDS; i++) words[i * 4] = (uint8_t)(i * i % 7);
    for (size_t c = 0; c < CHUNKS; c++)
        payload_expect(decode, chunks[c].bytes, chunks[c].size, words, sizeof words);
}

static void damaged_chunks_are_refused_or_decode(void)
{
    for (size_t c = 0; c < CHUNKS; c++)
        payload_expect_survival(decode, chunks[c].bytes, chunks[c].size, WORDS * 4);
}

static void a_size_that_cannot_be_is_refused(void)
{
    uint8_t changed[sizeof blosclz];
    memcpy(changed, blosclz, sizeof blosclz);
    changed[6] = changed[10] = 1; /* one block of 66 136 bytes */
    payload_expect_fault(decode, changed, sizeof changed, 66136, 4,
                         "the chunk cannot hold the size that it claims");
}

static void expect_change(size_t at, uint8_t byte, size_t where, const char *why)
{
    uint8_t changed[sizeof blosclz];
    memcpy(changed, blosclz, sizeof blosclz);
    changed[at] = byte;
    payload_expect_fault(decode, changed, sizeof changed, WORDS * 4, where, why);
}

static void faults_of_chunks_are_named_by_their_byte(void)
{
    expect_change(0, 3, 0, "no chunk of Blosc, version 1, begins here");
    expect_change(2, 0x41, 2, "the chunk is packed with Snappy, which is not supported");
    expect_change(2, 0xc1, 2, "the chunk is packed with an unknown compressor");
    expect_change(2, 0x04, 2, "the chunk's bits are transposed, which is not supported");
    expect_change(3, 0, 3, "a value of the chunk has 0 bytes");
    expect_change(6, 255, 8, "the chunk has no room for its blocks");
    expect_change(7, 255, 4, "the chunk has 2^31 bytes or more");
    expect_change(9, 9, 8, "the chunk's blocks do not divide it");
    expect_change(8, 1, 16, "a block begins inside the list of blocks");
    expect_change(12, 255, 12, "the chunk is longer than the file, or shorter than its header");
    expect_change(16, 3, 16, "a block begins inside the list of blocks");
    expect_change(16, 82, 82, "a stream lies outside of the chunk");
    expect_change(20, 255, 20, "a stream extends beyond the chunk");
    expect_change(34, 255, 32, "a match begins before the output");
}

static const test_case cases[] = {
    TEST_CASE(streams_come_back),
    TEST_CASE(every_kind_of_match_decodes_as_described),
    TEST_CASE(streams_are_refused_with_the_reason),
    TEST_CASE(chunks_come_back),
    TEST_CASE(chunks_of_c_blosc_decode),
    TEST_CASE(damaged_chunks_are_refused_or_decode),
    TEST_CASE(a_size_that_cannot_be_is_refused),
    TEST_CASE(faults_of_chunks_are_named_by_their_byte),
};
TEST_SUITE(blosc, cases);
