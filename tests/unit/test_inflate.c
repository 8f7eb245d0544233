/* SPDX-License-Identifier: MIT
   tests/unit/test_inflate.c - zlib streams: round trips, hand-made blocks, faults, comparison with
           zlib.
   reads   -                               writes  -
   memory  malloc                          cost    two seconds
   after   RFC 1950 and 1951 */
#include "../../host_tools/compress/inflate.h"
#include "../../host_tools/render/render.h"
#include "../harness/payload_help.h"
#include <stdlib.h>
#include <string.h>

static bool decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                   compress_fault *fault)
{
    size_t used = 0;
    bool good = inflate_zlib(bytes, size, out, out_size, &used, fault);
    CHECK(used <= size);
    return good && CHECK_EQ(used, size);
}

static bool round_trip(const uint8_t *bytes, size_t size)
{
    uint8_t *stream = NULL;
    size_t stream_size = 0;
    if (!CHECK(deflate_zlib(bytes, size, &stream, &stream_size) == 0)) return false;
    bool good = CHECK(size <= inflate_decoded_max(stream_size)) &&
                payload_expect(decode, stream, stream_size, bytes, size);
    free(stream);
    return good;
}

static void streams_of_all_small_sizes_come_back(void) { payload_come_back_small(round_trip); }

static void repeats_of_all_small_periods_come_back(void) { payload_come_back_repeats(round_trip); }

static void mebibytes_come_back(void)
{
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++)
        payload_come_back(round_trip, kind, test_is_long() ? 4u << 20 : 1u << 20);
}

/* ---- streams written by hand */

#define STREAM(text) ((const uint8_t *)(text)), (sizeof(text) - 1)

/* A stored block with "ab"; an empty stored block; then fixed codes: "a", a match of length 3 at
   distance 1, the end. */
#define STORED "\x78\x01\x01\x02\x00\xfd\xff\x61\x62\x01\x26\x00\xc4"
#define FIXED  "\x78\x01\x4b\x04\x02\x00\x03\xce\x01\x85"

static void blocks_by_hand_decode(void)
{
    payload_expect(decode, STREAM(STORED), (const uint8_t *)"ab", 2);
    payload_expect(
        decode, STREAM("\x78\x01\x00\x00\x00\xff\xff\x01\x02\x00\xfd\xff\x61\x62\x01\x26\x00\xc4"),
        (const uint8_t *)"ab", 2);
    payload_expect(decode, STREAM(FIXED), (const uint8_t *)"aaaa", 4);
    payload_expect(decode, STREAM("\x78\x9c\x03\x00\x00\x00\x00\x01"), (const uint8_t *)"", 0);
}

static void bytes_behind_the_stream_are_not_used(void)
{
    uint8_t out[2];
    size_t used;
    compress_fault fault;
    CHECK(inflate_zlib(STREAM(STORED "behind"), out, 2, &used, &fault));
    CHECK_EQ(used, sizeof STORED - 1);
}

static void faults_are_named_by_their_byte(void)
{
    payload_expect_fault(decode, STREAM(""), 2, 0, "the stream ends too early");
    payload_expect_fault(decode, STREAM("\x79\x01"), 2, 0, "no zlib stream begins here");
    payload_expect_fault(decode, STREAM("\x88\x1c\x01"), 2, 0, "no zlib stream begins here");
    payload_expect_fault(decode, STREAM("\x78\x02\x01"), 2, 0, "no zlib stream begins here");
    payload_expect_fault(decode, STREAM("\x78\x20\x01"), 2, 0,
                         "the stream needs a dictionary, which is not supported");
    payload_expect_fault(decode, STREAM("\x78\x01\x07\0"), 2, 3, "a block of the reserved kind");
    payload_expect_fault(decode, STREAM("\x78\x01\x01\x02\x00\xfc\xff\x61\x62"), 2, 3,
                         "the two sizes of a stored block differ");
    payload_expect_fault(decode, STREAM(STORED), 1, 7, "the stream holds more bytes than expected");
    payload_expect_fault(decode, STREAM(STORED), 3, 9,
                         "the stream holds fewer bytes than expected");
    payload_expect_fault(decode, STREAM("\x78\x01\x01\x02\x00\xfd\xff\x61\x62\x01\x26\x00\xc5"), 2,
                         9, "the checksum is not that of the content");
    payload_expect_fault(decode, STREAM(FIXED), 3, 5, "the stream holds more bytes than expected");
    payload_expect_fault(decode, STREAM("\x78\x01\x03\x02\x00\0\0\0\0"), 9,
                         4, /* a match without earlier bytes */
                         "a distance leads before the beginning");
    payload_expect_fault(decode, STREAM("\x78\x01\xfd\xff\xff\xff\xff\xff"), 9, 5,
                         "a block has more codes than there are symbols");
    payload_expect_fault(decode, STREAM("\x78\x01\x05\x00\xff\xff\xff\xff\xff\xff"), 9, 9,
                         "the code of the lengths is unsound");
}

static void hostile_streams_are_survived(void)
{
    uint8_t bytes[600], *stream;
    size_t size;
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++) {
        test_note("%s", payload_names[kind]);
        payload_fill(kind, bytes, sizeof bytes);
        if (!CHECK(deflate_zlib(bytes, sizeof bytes, &stream, &size) == 0)) return;
        payload_expect_survival(decode, stream, size, sizeof bytes);
        free(stream);
    }
}

#ifdef TIDEPOOL_ZLIB
#include <zlib.h>

static size_t deflate_as(const uint8_t *bytes, size_t size, uint8_t *out, size_t room, int level,
                         int strategy)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy) != Z_OK) return 0;
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    int end = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return end == Z_STREAM_END ? written : 0;
}

static void streams_of_zlib_decode_at_every_level_and_strategy(void)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE,
                                     Z_FIXED};
    enum { SIZE = 100000, ROOM = 110000 };
    uint8_t *bytes = malloc(SIZE), *stream = malloc(ROOM);
    for (payload_kind kind = 0; CHECK(bytes && stream) && kind < PAYLOAD_KINDS; kind++) {
        payload_fill(kind, bytes, SIZE);
        for (int level = 0; level <= 9; level++)
            for (int s = 0; s < 5; s++) {
                if (!test_runs((uint32_t)kind + (uint32_t)(level + s), 3)) continue;
                size_t size = deflate_as(bytes, SIZE, stream, ROOM, level, strategies[s]);
                test_note("%s, level %d, strategy %d", payload_names[kind], level, strategies[s]);
                CHECK(size > 0);
                payload_expect(decode, stream, size, bytes, SIZE);
            }
    }
    free(bytes);
    free(stream);
}

/* True if zlib decodes the stream to exactly this many bytes and no input is left. */
static bool zlib_takes(const uint8_t *stream, size_t size, uint8_t *out, size_t out_size)
{
    uLongf produced = (uLongf)out_size;
    uLong used = (uLong)size;
    return uncompress2(out, &produced, stream, &used) == Z_OK && produced == out_size &&
           used == size;
}

/* Every value of every byte: zlib and our decoder accept and refuse the same streams. */
static void zlib_is_of_the_same_opinion_on_every_change(void)
{
    enum { SIZE = 120, ROOM = 1000 };
    uint8_t bytes[SIZE], stream[ROOM], ours[SIZE], theirs[SIZE];
    compress_fault fault;
    size_t used, differences = 0, accepted = 0;
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++)
        for (int strategy = Z_DEFAULT_STRATEGY; strategy <= Z_FIXED; strategy++) {
            payload_fill(kind, bytes, SIZE);
            size_t size = deflate_as(bytes, SIZE, stream, ROOM, 9, strategy);
            for (size_t at = 0; at + 4 < size; at++)
                for (uint32_t change = 1; change < 256; change += test_is_long() ? 1 : 3) {
                    stream[at] ^= (uint8_t)change;
                    bool takes = inflate_zlib(stream, size, ours, SIZE, &used, &fault);
                    bool is_checksum =
                        !takes && strcmp(fault.why, "the checksum is not that of the content") == 0;
                    bool other = zlib_takes(stream, size, theirs, SIZE);
                    accepted += takes;
                    differences += takes != other && !is_checksum;
                    differences += takes && other && memcmp(ours, theirs, SIZE) != 0;
                    stream[at] ^= (uint8_t)change;
                }
        }
    CHECK_EQ(differences, 0);
    /* some changes are harmless, such as the compression level in the header */
    CHECK(accepted > 0);
}
#endif

static const test_case cases[] = {
    TEST_CASE(streams_of_all_small_sizes_come_back),
    TEST_CASE(repeats_of_all_small_periods_come_back),
    TEST_CASE(mebibytes_come_back),
    TEST_CASE(blocks_by_hand_decode),
    TEST_CASE(bytes_behind_the_stream_are_not_used),
    TEST_CASE(faults_are_named_by_their_byte),
    TEST_CASE(hostile_streams_are_survived),
#ifdef TIDEPOOL_ZLIB
    TEST_CASE(streams_of_zlib_decode_at_every_level_and_strategy),
    TEST_CASE(zlib_is_of_the_same_opinion_on_every_change),
#endif
};
TEST_SUITE(inflate, cases);
