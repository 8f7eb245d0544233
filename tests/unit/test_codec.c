/* SPDX-License-Identifier: MIT
   tests/unit/test_codec.c - the three compression codecs through their table: each keeps the same
           contract.
   reads   -      writes  memory
   memory  malloc, some MiB      cost    a second
   after   own design */
#include "../../host_tools/compress/codec.h"
#include "payload_help.h"
#include "test.h"
#include <stdlib.h>
#include <string.h>

static const codec *const codecs[] = {&codec_lzo1x, &codec_lzma1, &codec_zstd};
#define CODECS (sizeof codecs / sizeof codecs[0])

static void *filled(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) abort();
    memset(memory, 0xa5, size); /* the previous contents must not matter */
    return memory;
}

static const codec *under_test;

static bool decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                   compress_fault *fault)
{
    void *work = filled(under_test->decoder_bytes(under_test->properties));
    bool good = under_test->decode(under_test->properties, bytes, size, out, out_size, work, fault);
    free(work);
    return good;
}

/* Encodes into a buffer of exactly the bound; the caller frees it. */
static uint8_t *encoded(const codec *c, const uint8_t *bytes, size_t size, size_t *stream_size)
{
    size_t room = c->bound(size);
    uint8_t *stream = filled(room);
    void *work = filled(c->encoder_bytes(size));
    *stream_size = c->encode(bytes, size, stream, room, work);
    CHECK(*stream_size > 0 && *stream_size <= room);
    free(work);
    return stream;
}

static void every_kind_of_bytes_comes_back_through_the_table(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 20, 333, 4096, 70000, 300000};
    uint8_t *bytes = filled(300000);
    for (size_t i = 0; i < CODECS; i++)
        for (int kind = 0; kind < PAYLOAD_KINDS; kind++)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                size_t stream_size;
                under_test = codecs[i];
                test_note("%s, %s, %zu bytes", codecs[i]->name, payload_names[kind], sizes[k]);
                payload_fill((payload_kind)kind, bytes, sizes[k]);
                uint8_t *stream = encoded(codecs[i], bytes, sizes[k], &stream_size);
                payload_expect(decode, stream, stream_size, bytes, sizes[k]);
                CHECK(codecs[i]->decoded_max(stream_size) >= sizes[k]);
                free(stream);
            }
    free(bytes);
}

/* A stream of n bytes must not decode to n + 1 or n - 1 bytes. */
static void a_stream_of_another_size_is_refused(void)
{
    uint8_t bytes[5000];
    compress_fault fault;
    payload_fill(PAYLOAD_TEXT, bytes, sizeof bytes);
    for (size_t i = 0; i < CODECS; i++) {
        size_t stream_size;
        under_test = codecs[i];
        test_note("%s", codecs[i]->name);
        uint8_t *stream = encoded(codecs[i], bytes, sizeof bytes, &stream_size);
        CHECK(!payload_decode(decode, stream, stream_size, NULL, sizeof bytes - 1, &fault));
        CHECK(!payload_decode(decode, stream, stream_size, NULL, sizeof bytes + 1, &fault));
        CHECK(!payload_decode(decode, stream, stream_size - 1, NULL, sizeof bytes, &fault));
        CHECK(!payload_decode(decode, stream, 0, NULL, 1, &fault));
        CHECK(!payload_decode(decode, stream, 0, NULL, 0, &fault));
        free(stream);
    }
}

static void a_room_that_is_too_small_gives_nothing(void)
{
    uint8_t bytes[3000];
    payload_fill(PAYLOAD_RANDOM, bytes, sizeof bytes);
    for (size_t i = 0; i < CODECS; i++) {
        void *work = filled(codecs[i]->encoder_bytes(sizeof bytes));
        uint8_t *stream = filled(sizeof bytes);
        test_note("%s", codecs[i]->name);
        CHECK_EQ(codecs[i]->encode(bytes, sizeof bytes, stream, sizeof bytes, work), 0);
        free(stream);
        free(work);
    }
}

static void wrong_properties_are_refused_behind_the_stream(void)
{
    const uint8_t wrong[CODEC_PROPERTIES_MAX] = {225, 0, 0, 0, 1}, bytes[20] = {0};
    uint8_t out[20];
    compress_fault fault;
    CHECK_EQ(codec_lzma1.property_bytes, CODEC_PROPERTIES_MAX);
    CHECK_EQ(codec_lzma1.decoder_bytes(wrong), 0);
    CHECK(!codec_lzma1.decode(wrong, bytes, sizeof bytes, out, sizeof out, NULL, &fault));
    CHECK_EQ(fault.at, sizeof bytes);
    CHECK(strcmp(fault.why, "the LZMA property byte is above 224") == 0);
}

static const test_case cases[] = {
    TEST_CASE(every_kind_of_bytes_comes_back_through_the_table),
    TEST_CASE(a_stream_of_another_size_is_refused),
    TEST_CASE(a_room_that_is_too_small_gives_nothing),
    TEST_CASE(wrong_properties_are_refused_behind_the_stream),
};
TEST_SUITE(codec, cases);
