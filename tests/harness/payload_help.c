/* SPDX-License-Identifier: MIT
   tests/harness/payload_help.c - checks that every decoder must pass, and blocks that Blender
           compressed.
   reads   tests/fixtures/blender      writes  memory of the caller
   memory  malloc         cost    O(bytes); for all single-byte changes: O(256 * bytes) decodes
   after   own design */
#include "payload_help.h"
#include "../../host_tools/formats/bphys.h"
#include "files_help.h"
#include <stdlib.h>
#include <string.h>

#define GUARD 64u

static bool guards_stand(const uint8_t *block, size_t size)
{
    size_t touched = 0;
    for (size_t i = 0; i < GUARD; i++)
        touched += block[i] != 0xa5 || block[GUARD + size + i] != 0xa5;
    return CHECK_EQ(touched, 0);
}

bool payload_decode(payload_decoder decode, const uint8_t *stream, size_t size, uint8_t *out,
                    size_t out_size, compress_fault *fault)
{
    uint8_t *copy = malloc(size ? size : 1), *block = malloc(out_size + 2 * GUARD);
    bool good = false;
    if (CHECK(copy && block)) {
        memcpy(copy, stream, size);
        memset(block, 0xa5, out_size + 2 * GUARD);
        fault->at = size + 1;
        fault->why = "not set";
        good = decode(copy, size, block + GUARD, out_size, fault);
        guards_stand(block, out_size);
        CHECK(good == !fault->why);
        CHECK(fault->at <= size);
        if (out) memcpy(out, block + GUARD, out_size);
    }
    free(copy);
    free(block);
    return good;
}

bool payload_expect(payload_decoder decode, const uint8_t *stream, size_t size,
                    const uint8_t *bytes, size_t byte_count)
{
    uint8_t *out = malloc(byte_count + 1);
    compress_fault fault;
    bool same = CHECK(out) &&
                CHECK(payload_decode(decode, stream, size, out, byte_count, &fault)) &&
                CHECK(memcmp(out, bytes, byte_count) == 0);
    free(out);
    return same;
}

void payload_expect_fault(payload_decoder decode, const uint8_t *stream, size_t size,
                          size_t out_size, size_t at, const char *why)
{
    compress_fault fault;
    if (!CHECK(!payload_decode(decode, stream, size, NULL, out_size, &fault))) return;
    test_note("at %zu: %s; expected at %zu: %s", fault.at, fault.why, at, why);
    CHECK_EQ(fault.at, at);
    CHECK(strcmp(fault.why, why) == 0);
}

void payload_expect_survival(payload_decoder decode, const uint8_t *stream, size_t size,
                             size_t out_size)
{
    compress_fault fault;
    uint8_t *changed = malloc(size);
    if (!CHECK(changed)) return;
    for (size_t cut = 0; cut < size; cut++) {
        test_note("cut to %zu bytes", cut);
        CHECK(!payload_decode(decode, stream, cut, NULL, out_size, &fault));
    }
    for (size_t at = 0; at < size; at++)
        for (uint32_t value = 0; value < 256; value++) {
            if (!test_runs((uint32_t)at + value, 5)) continue;
            test_note("byte %zu is %u", at, value);
            memcpy(changed, stream, size);
            changed[at] = (uint8_t)value;
            payload_decode(decode, changed, size, NULL, out_size, &fault);
        }
    free(changed);
}

/* ---- blocks that Blender wrote */

#define HEADER_BYTES    20u
#define LZMA_PROPERTIES 9u /* after the stream: a count, then five bytes of properties */

static uint32_t load_u32(const uint8_t *at) { return bphys_load_u32(at, false); }

/* Stores numbers as little-endian bytes, as files hold them. */
static void store_numbers(uint8_t *to, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)from + at, sizeof word);
        for (uint32_t k = 0; k < 4; k++) to[at + k] = (uint8_t)(word >> 8 * k);
    }
}

static uint32_t compare_blocks(payload_decoder decode, uint8_t code, const uint8_t *packed,
                               size_t size, const host_frame *frame)
{
    uint32_t compared = 0;
    size_t at = HEADER_BYTES;
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        if (!(load_u32(packed + 16) & POINT_BIT(s))) continue;
        size_t bytes = (size_t)frame->count * point_streams[s].bytes;
        uint8_t found = packed[at];
        size_t stream_size = found ? load_u32(packed + at + 1) : bytes;
        uint8_t *expected = malloc(bytes);
        if (!CHECK(expected) || !CHECK(at + 5 <= size && stream_size <= size - at)) return 0;
        store_numbers(expected, frame->data[s], bytes);
        if (found == code) {
            compared++;
            payload_expect(decode, packed + at + 5, stream_size, expected, bytes);
        }
        free(expected);
        at += (found ? 5 : 1) + stream_size + (found == 2 ? LZMA_PROPERTIES : 0);
    }
    return compared;
}

void payload_expect_blocks(payload_decoder decode, uint8_t code, const char *simulation,
                           const char *folder, const char *name, int number)
{
    uint8_t *packed = NULL, *plain = NULL;
    size_t size = 0, plain_size = 0, end = 0;
    host_frame frame;
    const char *path = test_fixture(test_text("%s/%s", simulation, folder), name, number);
    const char *plain_path = test_fixture(test_text("%s/none", simulation), name, number);
    test_note("%s", path);
    memset(&frame, 0, sizeof frame);
    if (CHECK_EQ(host_read_file(path, &packed, &size), HOST_DONE) &&
        CHECK_EQ(host_read_file(plain_path, &plain, &plain_size), HOST_DONE) &&
        CHECK_EQ(bphys_read(plain_path, plain, plain_size, &frame, &end), HOST_DONE)) {
        CHECK_EQ(load_u32(packed + 12), frame.count);
        CHECK(compare_blocks(decode, code, packed, size, &frame) > 0);
        host_frame_free(&frame);
    }
    free(packed);
    free(plain);
}

/* ---- round trips */

void payload_come_back_small(payload_round_trip round_trip)
{
    uint8_t bytes[300];
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++)
        for (size_t size = 0; size <= sizeof bytes; size++) {
            test_note("%zu bytes of %s", size, payload_names[kind]);
            payload_fill(kind, bytes, size);
            if (!round_trip(bytes, size)) return;
        }
}

void payload_come_back_repeats(payload_round_trip round_trip)
{
    static uint8_t bytes[5000];
    for (size_t period = 1; period <= 300; period++) {
        test_note("period %zu", period);
        payload_repeat(bytes, sizeof bytes, period);
        if (!round_trip(bytes, sizeof bytes)) return;
    }
}

void payload_come_back(payload_round_trip round_trip, payload_kind kind, size_t size)
{
    uint8_t *bytes = malloc(size);
    test_note("%zu bytes of %s", size, payload_names[kind]);
    if (CHECK(bytes)) {
        payload_fill(kind, bytes, size);
        round_trip(bytes, size);
    }
    free(bytes);
}
