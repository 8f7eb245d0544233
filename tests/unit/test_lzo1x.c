/* SPDX-License-Identifier: MIT
   tests/unit/test_lzo1x.c - LZO1X: round trips, each instruction written by hand, refused streams.
   reads   tests/fixtures/blender          writes  -
   memory  malloc                          cost    two seconds
   after   the description of the stream in the Linux kernel's documentation (staging/lzo.rst) */
#include "../../host_tools/compress/lzo1x.h"
#include "../harness/payload_help.h"
#include <stdlib.h>
#include <string.h>

static uint16_t dictionary[LZO1X_DICTIONARY];

static bool round_trip(const uint8_t *bytes, size_t size)
{
    size_t room = lzo1x_bound(size), stream_size;
    uint8_t *stream = malloc(room);
    if (!CHECK(stream)) return false;
    stream_size = lzo1x_encode(bytes, size, stream, room, dictionary);
    bool good = CHECK(stream_size >= 3) && CHECK(size <= lzo1x_decoded_max(stream_size)) &&
                payload_expect(lzo1x_decode, stream, stream_size, bytes, size);
    free(stream);
    return good;
}

static void streams_of_all_small_sizes_come_back(void) { payload_come_back_small(round_trip); }

static void repeats_of_all_small_periods_come_back(void) { payload_come_back_repeats(round_trip); }

static void mebibytes_come_back(void)
{
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++)
        payload_come_back(round_trip, kind, test_is_long() ? 16u << 20 : 2u << 20);
}

/* ---- streams written by hand: each decodes to the bytes that the description gives */

/* 32 literals 00 01 02 .. 1f, then the instructions in `rest`; the output must be these literals
   and `tail`. */
static void expect_after_run(const char *rest, size_t rest_size, const char *tail, size_t tail_size)
{
    uint8_t stream[128] = {17 + 32}, bytes[128];
    for (uint8_t i = 0; i < 32; i++) stream[1 + i] = bytes[i] = i;
    memcpy(stream + 33, rest, rest_size);
    memcpy(bytes + 32, tail, tail_size);
    payload_expect(lzo1x_decode, stream, 33 + rest_size, bytes, 32 + tail_size);
}
#define EXPECT_AFTER_RUN(rest, tail) \
    expect_after_run(rest, sizeof(rest) - 1, tail, sizeof(tail) - 1)

/* Produces enough zeros for a far distance by a run and copies; then `rest` must give `tail` at the
   end. */
static void expect_far(size_t behind, const char *rest, size_t rest_size, const char *tail,
                       size_t tail_size)
{
    static uint8_t stream[1024], bytes[65536];
    static const uint8_t head[] = {17 + 4, 'a', 'b',
                                   /* then a match of several bytes at distance 1 */
                                   'c', 'd', 0x20};
    size_t length = behind - 4 - 33, size = sizeof head;
    memcpy(stream, head, sizeof head);
    for (; length > 255; length -= 255) stream[size++] = 0;
    stream[size++] = (uint8_t)length;
    stream[size++] = 0;
    stream[size++] = 0;
    memcpy(stream + size, rest, rest_size);
    memcpy(bytes, "abcd", 4);
    memset(bytes + 4, 'd', behind - 4);
    memcpy(bytes + behind, tail, tail_size);
    payload_expect(lzo1x_decode, stream, size + rest_size, bytes, behind + tail_size);
}
#define EXPECT_FAR(behind, rest, tail) \
    expect_far(behind, rest, sizeof(rest) - 1, tail, sizeof(tail) - 1)

#define END "\x11\x00\x00"

static void every_kind_of_instruction_decodes_as_described(void)
{
    EXPECT_AFTER_RUN(END, "");
    EXPECT_AFTER_RUN("\x5c\x00" END, "\x18\x19\x1a");                     /* 40: 3 bytes, 8 back */
    EXPECT_AFTER_RUN("\x60\x03" END, "\x07\x08\x09\x0a");                 /* 60: 4 bytes, 25 back */
    EXPECT_AFTER_RUN("\x80\x00" END, "\x1f\x1f\x1f\x1f\x1f");             /* 80: 5 bytes, 1 back */
    EXPECT_AFTER_RUN("\xe4\x00" END, "\x1e\x1f\x1e\x1f\x1e\x1f\x1e\x1f"); /* e0: 8 bytes, 2 back */
    EXPECT_AFTER_RUN("\x22\x7c\x00" END, "\x00\x01\x02\x03");             /* 20: 4 bytes, 32 back */
    EXPECT_AFTER_RUN("\x41\x00x"
                     "\x21\x02\x00yz" END,
                     "\x1f\x1f\x1fxx"
                     "xxyz"); /* literals after both */
    EXPECT_AFTER_RUN("\x41\x00x"
                     "\x04\x00" END,
                     "\x1f\x1f\x1fx\x1fx"); /* 00 after 1 literal: 2 bytes, 2 back */
    EXPECT_AFTER_RUN("\x43\x00xyz"
                     "\x02\x01uv" END,
                     "\x1f\x1f\x1fxyz\x1f\x1fuv"); /* 5 back, 2 literals */
    EXPECT_AFTER_RUN("\x40\x00"
                     "\x01"
                     "1234" END,
                     "\x1f\x1f\x1f"
                     "1234"); /* 00 after none: a run */
    EXPECT_AFTER_RUN("\x40\x00"
                     "\x00\x01"
                     "1234567890123456789" END,
                     "\x1f\x1f\x1f"
                     "1234567890123456789");
}

static void every_kind_of_far_instruction_decodes_as_described(void)
{
    /* 16388 back: 10 with a distance of 4 */
    EXPECT_FAR(16388, "\x12\x10\x00" END, "abcd");
    EXPECT_FAR(16384, "\x22\xfc\xff" END, "abcd"); /* 20 at its largest distance */
    /* 18 at its largest distance, and a literal */
    EXPECT_FAR(49151, "\x1a\xfd\xff!" END, "abcd!");
    /* 10 with an extra length byte: 2 + 7 + 1 */
    EXPECT_FAR(16385, "\x10\x01\x04\x00" END, "abcddddddd");
    EXPECT_FAR(2100,
               "\x01"
               "1234\x03\x0c"
               "xyz" END,
               "1234dddxyz");                     /* 00 after a run: 3 bytes, 2097 back */
    EXPECT_FAR(2048, "\xfc\xff" END, "abcddddd"); /* e0 at its largest distance */
}

static void the_first_byte_may_count_literals(void)
{
    payload_expect(lzo1x_decode, (const uint8_t *)"\x12x" END, 5, (const uint8_t *)"x", 1);
    payload_expect(lzo1x_decode, (const uint8_t *)"\x14xyz\x08\x00" END, 9,
                   (const uint8_t *)"xyzxy", 5);
    payload_expect(lzo1x_decode, (const uint8_t *)"\x15wxyz" END, 8, (const uint8_t *)"wxyz", 4);
    payload_expect(lzo1x_decode, (const uint8_t *)"\x01wxyz" END, 8, (const uint8_t *)"wxyz", 4);
    payload_expect(lzo1x_decode, (const uint8_t *)END, 3, (const uint8_t *)"", 0);
}

/* ---- streams of other encoders */

static const uint8_t cloth_stream[62] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0xb0, 0x00, 0x02, 0x40, 0x00, 0x00, 0x80, 0x3f, 0xaa, 0x01,
    0x00, 0x40, 0xbc, 0x00, 0x9c, 0x01, 0xdc, 0x02, 0xec, 0x01, 0x84, 0x03, 0x7c, 0x03, 0xdc, 0x02,
    0x8c, 0x05, 0x7c, 0x01, 0x00, 0x03, 0x00, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00, 0x00, 0x40, 0x00,
    0x00, 0x80, 0x3f, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00, 0x00, 0x40, 0x11, 0x00, 0x00};

/* Numbers of a file are little-endian on every machine. */
static void put_float(uint8_t *to, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    for (uint32_t k = 0; k < 4; k++) to[k] = (uint8_t)(word >> 8 * k);
}

static void a_cloth_of_eight_points_decodes(void)
{
    uint8_t bytes[96];
    for (uint32_t i = 0; i < 8; i++) {
        put_float(bytes + 12 * i, (float)(i % 2));
        put_float(bytes + 12 * i + 4, (float)(i / 2));
        put_float(bytes + 12 * i + 8, 2.0f);
    }
    payload_expect(lzo1x_decode, cloth_stream, sizeof cloth_stream, bytes, sizeof bytes);
}

static void blocks_that_blender_wrote_decode(void)
{
    payload_expect_blocks(lzo1x_decode, 1, "rotation", "light", "456D6974746572", 6);
    payload_expect_blocks(lzo1x_decode, 1, "softbody", "light", "4A656C6C79", 1);
}

/* ---- refused streams */

static void expect_fault(const char *stream, size_t size, size_t out_size, size_t at,
                         const char *why)
{
    payload_expect_fault(lzo1x_decode, (const uint8_t *)stream, size, out_size, at, why);
}
#define EXPECT_FAULT(stream, out_size, at, why) \
    expect_fault(stream, sizeof(stream) - 1, out_size, at, why)

static void a_fault_names_the_byte_and_the_reason(void)
{
    EXPECT_FAULT("", 0, 0, "the stream ends without the end mark");
    EXPECT_FAULT("\x12x", 1, 2, "the stream ends without the end mark");
    EXPECT_FAULT("\x15wx", 4, 3, "the stream ends inside of literals");
    EXPECT_FAULT("\x01wx", 4, 3, "the stream ends inside of literals");
    EXPECT_FAULT(END "x", 0, 3, "bytes follow the end mark");
    EXPECT_FAULT("\x12x" END, 2, 2, "the stream holds fewer bytes than it should");
    EXPECT_FAULT("\x12x\x12\x00\x00", 1, 2, "the end mark is not 11 00 00");
    EXPECT_FAULT("\x12x\x11\x01\x00", 1, 2, "the end mark is not 11 00 00");
    EXPECT_FAULT("\x12x\x44\x00" END, 4, 2, "a distance leads to before the first byte");
    EXPECT_FAULT("\x10\x00\x00\x00", 4, 4, "the stream ends inside of a length");
    EXPECT_FAULT("\x00\x00\x00", 4, 3, "the stream ends inside of a length");
    EXPECT_FAULT("\x12x\x20\x00\x01", 99, 5, "the stream ends inside of a distance");
    EXPECT_FAULT("\x12x\x40\x00" END, 3, 2, "a copy exceeds the decoded size of the stream");
    EXPECT_FAULT("\x15wxyz" END, 3, 0, "literals exceed the decoded size of the stream");
    EXPECT_FAULT("\x12x\x43\x00"
                 "abc" END,
                 6, 2, "literals exceed the decoded size of the stream");
    EXPECT_FAULT(END, 766, 3, "a stream of this size cannot hold as many bytes as it should");
}

static void a_claim_of_gigabytes_is_refused_before_memory_is_touched(void)
{
    compress_fault fault;
    CHECK_EQ(lzo1x_decoded_max(sizeof cloth_stream), 255 * sizeof cloth_stream);
    CHECK(lzo1x_decoded_max(SIZE_MAX) >= SIZE_MAX);
    CHECK(!lzo1x_decode(cloth_stream, sizeof cloth_stream, NULL, (size_t)3 << 30, &fault));
    CHECK_EQ(fault.at, sizeof cloth_stream);
}

static void every_change_of_a_stream_decodes_or_is_refused(void)
{
    uint8_t bytes[120], stream[256];
    payload_expect_survival(lzo1x_decode, cloth_stream, sizeof cloth_stream, 96);
    payload_fill(PAYLOAD_MIXED, bytes, sizeof bytes);
    size_t size = lzo1x_encode(bytes, sizeof bytes, stream, sizeof stream, dictionary);
    payload_expect_survival(lzo1x_decode, stream, size, sizeof bytes);
}

static void the_encoder_keeps_to_its_room(void)
{
    uint8_t bytes[400], stream[600];
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++) {
        payload_fill(kind, bytes, sizeof bytes);
        size_t needed =
            lzo1x_encode(bytes, sizeof bytes, stream, lzo1x_bound(sizeof bytes), dictionary);
        for (size_t room = 0; room <= needed; room++) {
            memset(stream, 0xa5, sizeof stream);
            test_note("%s, %zu of %zu bytes of room", payload_names[kind], room, needed);
            CHECK_EQ(lzo1x_encode(bytes, sizeof bytes, stream, room, dictionary),
                     room == needed ? needed : 0);
            for (size_t i = room; i < sizeof stream; i++) CHECK_EQ(stream[i], 0xa5);
        }
    }
}

static void the_content_of_the_work_memory_does_not_matter(void)
{
    uint8_t bytes[3000], first[4000], second[4000];
    payload_fill(PAYLOAD_MIXED, bytes, sizeof bytes);
    memset(dictionary, 0, sizeof dictionary);
    size_t size = lzo1x_encode(bytes, sizeof bytes, first, sizeof first, dictionary);
    memset(dictionary, 0xff, sizeof dictionary);
    CHECK_EQ(lzo1x_encode(bytes, sizeof bytes, second, sizeof second, dictionary), size);
    CHECK(memcmp(first, second, size) == 0);
}

/* One byte per 255 zeros is the best that the format allows. */
static void zeros_and_points_become_small(void)
{
    static uint8_t bytes[65536], stream[80000];
    payload_fill(PAYLOAD_ZEROS, bytes, sizeof bytes);
    CHECK(lzo1x_encode(bytes, sizeof bytes, stream, sizeof stream, dictionary) < 280);
    payload_fill(PAYLOAD_TEXT, bytes, sizeof bytes);
    CHECK(lzo1x_encode(bytes, sizeof bytes, stream, sizeof stream, dictionary) < sizeof bytes / 2);
    payload_fill(PAYLOAD_RANDOM, bytes, sizeof bytes);
    CHECK(lzo1x_encode(bytes, sizeof bytes, stream, sizeof stream, dictionary) <
          sizeof bytes + 300);
}

static const test_case cases[] = {
    TEST_CASE(streams_of_all_small_sizes_come_back),
    TEST_CASE(repeats_of_all_small_periods_come_back),
    TEST_CASE(mebibytes_come_back),
    TEST_CASE(every_kind_of_instruction_decodes_as_described),
    TEST_CASE(every_kind_of_far_instruction_decodes_as_described),
    TEST_CASE(the_first_byte_may_count_literals),
    TEST_CASE(a_cloth_of_eight_points_decodes),
    TEST_CASE(blocks_that_blender_wrote_decode),
    TEST_CASE(a_fault_names_the_byte_and_the_reason),
    TEST_CASE(a_claim_of_gigabytes_is_refused_before_memory_is_touched),
    TEST_CASE(every_change_of_a_stream_decodes_or_is_refused),
    TEST_CASE(the_encoder_keeps_to_its_room),
    TEST_CASE(the_content_of_the_work_memory_does_not_matter),
    TEST_CASE(zeros_and_points_become_small),
};
TEST_SUITE(lzo1x, cases);
