/* SPDX-License-Identifier: MIT
   tests/unit/test_lzma1.c - LZMA: round trips, each symbol written by hand, and streams that must
           be refused.
   reads   tests/fixtures/blender          writes  -
   memory  malloc, 140 MiB                 cost    some seconds
   after   Igor Pavlov's LZMA specification (2015) */
#include "../../host_tools/compress/lzma1_model.h"
#include "../harness/payload_help.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decoder with the signature that the helpers need; its settings are here. */
static lzma1_settings current = {3, 0, 2, 1u << 24, false};

static bool decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                   compress_fault *fault)
{
    void *work = malloc(lzma1_decoder_bytes(&current));
    if (!CHECK(work)) return false;
    bool good = lzma1_decode(&current, bytes, size, out, out_size, work, fault);
    free(work);
    return good;
}

static size_t encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    void *work = malloc(lzma1_encoder_bytes(&current, size));
    if (!CHECK(work)) return 0;
    size_t stream_size = lzma1_encode(&current, bytes, size, out, room, work);
    free(work);
    return stream_size;
}

static bool round_trip(const uint8_t *bytes, size_t size)
{
    size_t room = size + size / 16 + 67, stream_size;
    uint8_t *stream = malloc(room);
    if (!CHECK(stream)) return false;
    stream_size = encode(bytes, size, stream, room);
    bool good = CHECK(stream_size >= 5) && CHECK(size <= lzma1_decoded_max(stream_size)) &&
                payload_expect(decode, stream, stream_size, bytes, size);
    free(stream);
    return good;
}

static void streams_of_all_small_sizes_come_back(void) { payload_come_back_small(round_trip); }

static void repeats_of_all_small_periods_come_back(void) { payload_come_back_repeats(round_trip); }

static void large_streams_come_back(void)
{
    static const size_t sizes[PAYLOAD_KINDS] = {16u << 20, 1u << 18, 1u << 18, 1u << 18, 16u << 20};
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++)
        payload_come_back(round_trip, kind, sizes[kind] / (test_is_long() ? 1u : 8u));
}

static void all_settings_come_back_with_and_without_a_marker(void)
{
    uint8_t bytes[700], properties[LZMA1_PROPERTY_BYTES];
    lzma1_settings loaded;
    compress_fault fault;
    payload_fill(PAYLOAD_MIXED, bytes, 350);
    payload_fill(PAYLOAD_POINTS, bytes + 350, 350);
    for (uint32_t first = 0; first < 225; first++) {
        current = (lzma1_settings){first % 9, first / 9 % 5, first / 45,
                                   first % 3 ? 1u << 24 : 100u, first % 2 == 0};
        test_note("lc %u lp %u pb %u", current.lc, current.lp, current.pb);
        lzma1_store_settings(&current, properties);
        CHECK_EQ(properties[0], first);
        CHECK(lzma1_load_settings(properties, &loaded, &fault));
        CHECK(loaded.lc == current.lc && loaded.lp == current.lp && loaded.pb == current.pb);
        CHECK_EQ(loaded.dictionary, current.dictionary);
        if (!round_trip(bytes, sizeof bytes)) break;
    }
    current = lzma1_blender();
    properties[0] = 225;
    CHECK(!lzma1_load_settings(properties, &loaded, &fault));
    CHECK_EQ(fault.at, 0);
}

static void a_small_dictionary_is_kept_to(void)
{
    static uint8_t bytes[20000], stream[30000];
    compress_fault fault;
    payload_repeat(bytes, sizeof bytes, 5000);
    current.dictionary = 4096;
    size_t size = encode(bytes, sizeof bytes, stream, sizeof stream);
    CHECK(size > 19000);
    CHECK(payload_decode(decode, stream, size, NULL, sizeof bytes, &fault));
    current.dictionary = 1u << 16;
    size = encode(bytes, sizeof bytes, stream, sizeof stream);
    CHECK(size < 5300);
    current.dictionary = 4096;
    CHECK(!payload_decode(decode, stream, size, NULL, sizeof bytes, &fault));
    CHECK(fault.why && strcmp(fault.why, "a distance is longer than the dictionary") == 0);
    current = lzma1_blender();
}

/* ---- streams written by hand: an assembler of symbols with a range coder */

typedef struct assembly {
    uint8_t stream[4096];
    size_t size;
    uint32_t low, range, state, distance;
    uint8_t bytes[70000]; /* the decoded bytes */
    size_t at;
    lzma1_model *model;
} assembly;

static void add(assembly *a, uint32_t amount)
{
    uint32_t before = a->low;
    a->low += amount;
    if (a->low < before)
        for (size_t i = a->size; i-- > 0 && ++a->stream[i] == 0;) continue;
}

static void grow(assembly *a)
{
    for (; a->range < 1u << 24; a->range <<= 8) {
        a->stream[a->size++] = (uint8_t)(a->low >> 24);
        a->low <<= 8;
    }
}

static void bit(assembly *a, uint16_t *p, uint32_t value)
{
    uint32_t bound = (a->range >> 11) * *p;
    if (value) add(a, bound);
    a->range = value ? a->range - bound : bound;
    *p = (uint16_t)(value ? *p - (*p >> 5) : *p + ((2048 - *p) >> 5));
    grow(a);
}

static void bits(assembly *a, uint16_t *models, uint32_t value, uint32_t count, bool lowest_first)
{
    uint32_t node = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = value >> (lowest_first ? i : count - 1 - i) & 1u;
        bit(a, models + node, next);
        node = node * 2 + next;
    }
}

static assembly *assemble(void)
{
    assembly *a = calloc(1, sizeof *a);
    void *model = calloc(1, lzma1_model_bytes(&current));
    if (!a || !model) exit(2);
    a->model = model;
    a->size = 1; /* the first byte is 0 */
    a->range = 0xffffffffu;
    lzma1_model_reset(a->model, &current);
    return a;
}

static void literal(assembly *a, uint8_t byte)
{
    uint32_t node = 1, before = a->at ? a->bytes[a->at - 1] : 0u;
    bool agrees = a->state >= 7;
    uint8_t guess = agrees ? a->bytes[a->at - a->distance - 1] : 0;
    uint16_t *models = a->model->literal + (size_t)768 * (before >> 5);
    bit(a, &a->model->is_copy[a->state][a->at & 3], 0);
    for (uint32_t i = 8; i-- > 0;) {
        uint32_t next = byte >> i & 1u, guessed = guess >> i & 1u;
        bit(a, models + node + (agrees ? 256 + 256 * guessed : 0), next);
        agrees = agrees && next == guessed;
        node = node * 2 + next;
    }
    a->bytes[a->at++] = byte;
    a->state = a->state < 4 ? 0 : a->state < 10 ? a->state - 3 : a->state - 6;
}

static void length_of(assembly *a, length_model *model, uint32_t length)
{
    uint32_t place = a->at & 3;
    bit(a, &model->is_middle, length >= 10);
    if (length < 10) {
        bits(a, model->low[place], length - 2, 3, false);
        return;
    }
    bit(a, &model->is_high, length >= 18);
    if (length < 18)
        bits(a, model->middle[place], length - 10, 3, false);
    else
        bits(a, model->high, length - 18, 8, false);
}

static void repeated(assembly *a, uint32_t distance, uint32_t length)
{
    a->distance = distance;
    for (uint32_t i = 0; i < length && distance < a->at; i++, a->at++)
        a->bytes[a->at] = a->bytes[a->at - distance - 1];
}

/* A match with a new distance; LZMA distances count from 0. */
static void copy(assembly *a, uint32_t distance, uint32_t length)
{
    lzma1_model *m = a->model;
    uint32_t slot = distance, count = 0;
    bit(a, &m->is_copy[a->state][a->at & 3], 1);
    bit(a, &m->is_repeat[a->state], 0);
    length_of(a, &m->copy_length, length);
    if (distance >= 4) {
        while ((uint64_t)distance >> (count + 2)) count++; /* bits below the two highest */
        slot = 2 * (count + 1) + (distance >> count & 1u);
    }
    bits(a, m->slot[length < 6 ? length - 2 : 3], slot, 6, false);
    uint32_t rest = distance & ((1u << count) - 1u);
    if (slot >= 4 && slot < 14) bits(a, m->special + distance - rest - slot, rest, count, true);
    for (uint32_t i = count; slot >= 14 && i-- > 4;) {
        a->range >>= 1;
        if (rest >> i & 1u) add(a, a->range);
        grow(a);
    }
    if (slot >= 14) bits(a, m->align, rest & 15u, 4, true);
    repeated(a, distance, length);
    a->state = a->state < 7 ? 7 : 10;
}

/* A match with one of the four last distances, which must be `distance`; length 1 is the short form
   of the last one. */
static void repeat(assembly *a, uint32_t which, uint32_t distance, uint32_t length)
{
    lzma1_model *m = a->model;
    bit(a, &m->is_copy[a->state][a->at & 3], 1);
    bit(a, &m->is_repeat[a->state], 1);
    bit(a, &m->is_older[a->state], which > 0);
    if (which == 0) bit(a, &m->is_long[a->state][a->at & 3], length > 1);
    if (which > 0) bit(a, &m->is_third[a->state], which > 1);
    if (which > 1) bit(a, &m->is_fourth[a->state], which > 2);
    if (length > 1) length_of(a, &m->repeat_length, length);
    repeated(a, distance, length);
    a->state = length > 1 ? (a->state < 7 ? 8 : 11) : a->state < 7 ? 9 : 11;
}

/* Appends the four bytes that the decoder has read ahead at the end. */
static void close_stream(assembly *a)
{
    for (uint32_t i = 0; i < 4; i++, a->low <<= 8) a->stream[a->size++] = (uint8_t)(a->low >> 24);
}

static void expect_assembled(assembly *a)
{
    close_stream(a);
    payload_expect(decode, a->stream, a->size, a->bytes, a->at);
    free(a->model);
    free(a);
}

static void expect_assembled_fault(assembly *a, size_t out_size, const char *why)
{
    compress_fault fault;
    close_stream(a);
    CHECK(!payload_decode(decode, a->stream, a->size, NULL, out_size, &fault));
    test_note("%s, expected %s", fault.why, why);
    CHECK(fault.why && strcmp(fault.why, why) == 0);
    free(a->model);
    free(a);
}

static assembly *assemble_letters(uint32_t count)
{
    assembly *a = assemble();
    for (uint32_t i = 0; i < count; i++) literal(a, (uint8_t)('a' + i * i % 23));
    return a;
}

static void every_kind_of_symbol_decodes_as_specified(void)
{
    expect_assembled(assemble());
    expect_assembled(assemble_letters(1));
    assembly *a = assemble_letters(40);
    for (uint32_t distance = 0; distance < 40; distance++) copy(a, distance, 2 + distance % 16);
    expect_assembled(a);
    a = assemble_letters(20);
    copy(a, 3, 5);
    copy(a, 7, 4);
    copy(a, 11, 3);
    copy(a, 15, 2); /* last distances, newest first: 15 11 7 3 */
    repeat(a, 3, 3, 2);
    repeat(a, 3, 7, 6);   /* now 7 3 15 11 */
    repeat(a, 2, 15, 17); /* now 15 7 3 11 */
    repeat(a, 1, 7, 10);  /* now 7 15 3 11 */
    repeat(a, 0, 7, 18);
    repeat(a, 0, 7, 1);
    literal(a, 'x'); /* the match byte differs from the literal */
    literal(a, 'y');
    repeat(a, 0, 7, 1);
    literal(a, a->bytes[a->at - 8]); /* the match byte equals the literal */
    repeat(a, 3, 11, 273);
    expect_assembled(a);
}

static void every_slot_of_distances_decodes_as_specified(void)
{
    for (uint32_t distance = 1; distance < 65000; distance = distance * 3 / 2 + 1) {
        assembly *a = assemble_letters(4);
        copy(a, 3, 2);
        while (a->at <= distance) copy(a, 3, 273);
        literal(a, '!');
        copy(a, distance, 19);
        expect_assembled(a);
    }
}

static void an_end_marker_is_taken(void)
{
    assembly *a = assemble_letters(9);
    copy(a, NO_DISTANCE, 2);
    expect_assembled(a);
    a = assemble();
    copy(a, NO_DISTANCE, 2);
    expect_assembled(a);
}

/* ---- streams of other encoders */

static const uint8_t body_stream[27] = {0x00, 0x00, 0x6c, 0x06, 0x5f, 0xe4, 0x44, 0x0c, 0xbf,
                                        0xc3, 0x53, 0x70, 0xef, 0xb9, 0xa5, 0xff, 0x67, 0xf8,
                                        0x3c, 0xdc, 0x99, 0x35, 0x87, 0x85, 0x9d, 0x11, 0x00};
static const uint8_t velocity_stream[11] = {0x00, 0x00, 0x6b, 0x9e, 0x69, 0x56,
                                            0x24, 0xdb, 0xef, 0x28, 0x00};

/* Numbers of a file are little-endian on every machine. */
static void put_float(uint8_t *to, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    for (uint32_t k = 0; k < 4; k++) to[k] = (uint8_t)(word >> 8 * k);
}

static void a_body_of_eight_points_decodes(void)
{
    uint8_t bytes[96], velocities[96] = {0};
    for (uint32_t i = 0; i < 8; i++) {
        put_float(bytes + 12 * i, (float)(i % 2));
        put_float(bytes + 12 * i + 4, (float)(i / 2));
        put_float(bytes + 12 * i + 8, 2.0f);
        put_float(velocities + 12 * i + 8, -0.25f);
    }
    payload_expect(decode, body_stream, sizeof body_stream, bytes, sizeof bytes);
    payload_expect(decode, velocity_stream, sizeof velocity_stream, velocities, sizeof velocities);
}

static void blocks_that_blender_wrote_decode(void)
{
    payload_expect_blocks(decode, 2, "cloth_pinned", "heavy", "5368656574", 5);
    payload_expect_blocks(decode, 2, "newton_s1", "heavy", "456D6974746572", 6);
}

/* ---- refused streams */

static void a_fault_names_the_byte_and_the_reason(void)
{
    uint8_t stream[64] = {0};
    payload_expect_fault(decode, stream, 4, 0, 4, "the stream ends too early");
    stream[0] = 1;
    payload_expect_fault(decode, stream, 5, 0, 0, "the first byte is not 0");
    memset(stream, 0xff, sizeof stream);
    stream[0] = 0;
    payload_expect_fault(decode, stream, 5, 0, 1, "the four bytes after the first are all ff");
    memcpy(stream, velocity_stream, sizeof velocity_stream);
    payload_expect_fault(decode, stream, 11, 11 * 7100 + 1, 11,
                         "a stream of this size cannot hold as many bytes as it should");
    payload_expect_fault(decode, stream, 12, 96, 11, "bytes follow the end of the stream");
    payload_expect_fault(decode, stream, 60, 96, 11, "bytes follow the end of the stream");
    payload_expect_fault(decode, stream, 10, 96, 10, "the stream ends too early");
    payload_expect_fault(decode, stream, 11, 95, 9,
                         "a copy exceeds the decoded size of the stream");
    payload_expect_fault(decode, stream, 11, 97, 11, "the stream ends too early");
}

static void copies_that_cannot_be_are_refused(void)
{
    assembly *a = assemble();
    repeat(a, 0, 0, 1);
    expect_assembled_fault(a, 1, "a distance leads to before the first byte");
    a = assemble_letters(3);
    copy(a, 3, 2);
    expect_assembled_fault(a, 5, "a distance leads to before the first byte");
    a = assemble_letters(3);
    copy(a, 2, 4);
    expect_assembled_fault(a, 6, "a copy exceeds the decoded size of the stream");
    a = assemble_letters(3);
    copy(a, NO_DISTANCE, 2);
    expect_assembled_fault(a, 4, "the end marker comes before the last byte");
    a = assemble_letters(3);
    expect_assembled_fault(a, 2, "the stream exceeds its decoded size");
    a = assemble_letters(5);
    while (a->at <= 5000) copy(a, 4, 273);
    copy(a, 4096, 2);
    current.dictionary = 4096;
    expect_assembled_fault(a, a->at, "a distance is longer than the dictionary");
    current = lzma1_blender();
}

static void a_claim_of_gigabytes_is_refused_before_memory_is_touched(void)
{
    compress_fault fault;
    lzma1_settings settings = lzma1_blender();
    CHECK_EQ(lzma1_decoded_max(27), 27 * 7100);
    CHECK(lzma1_decoded_max(SIZE_MAX) >= SIZE_MAX);
    CHECK(!lzma1_decode(&settings, body_stream, sizeof body_stream, NULL, (size_t)3 << 30, NULL,
                        &fault));
    CHECK_EQ(fault.at, sizeof body_stream);
    CHECK_EQ(lzma1_encoder_bytes(&settings, (size_t)LZMA1_ENCODE_MAX + 1), 0);
    CHECK_EQ(lzma1_encode(&settings, body_stream, (size_t)LZMA1_ENCODE_MAX + 1, NULL, 0, NULL), 0);
}

static void every_change_of_a_stream_decodes_or_is_refused(void)
{
    uint8_t bytes[200], stream[300];
    payload_expect_survival(decode, body_stream, sizeof body_stream, 96);
    payload_expect_survival(decode, velocity_stream, sizeof velocity_stream, 96);
    payload_fill(PAYLOAD_TEXT, bytes, sizeof bytes);
    current.end_marker = true;
    size_t size = encode(bytes, sizeof bytes, stream, sizeof stream);
    payload_expect_survival(decode, stream, size, sizeof bytes);
    current = lzma1_blender();
}

static void the_encoder_keeps_to_its_room_and_its_bytes(void)
{
    uint8_t bytes[400], stream[600], first[600];
    for (payload_kind kind = 0; kind < PAYLOAD_KINDS; kind++) {
        payload_fill(kind, bytes, sizeof bytes);
        size_t needed = encode(bytes, sizeof bytes, first, sizeof first);
        for (size_t room = 0; room <= needed; room += room + 20 < needed ? 17 : 1) {
            memset(stream, 0xa5, sizeof stream);
            test_note("%s, %zu of %zu bytes of room", payload_names[kind], room, needed);
            CHECK_EQ(encode(bytes, sizeof bytes, stream, room), room == needed ? needed : 0);
            for (size_t i = room; i < sizeof stream; i++) CHECK_EQ(stream[i], 0xa5);
        }
        CHECK(memcmp(first, stream, needed) == 0);
    }
}

static const test_case cases[] = {
    TEST_CASE(streams_of_all_small_sizes_come_back),
    TEST_CASE(repeats_of_all_small_periods_come_back),
    TEST_CASE(large_streams_come_back),
    TEST_CASE(all_settings_come_back_with_and_without_a_marker),
    TEST_CASE(a_small_dictionary_is_kept_to),
    TEST_CASE(every_kind_of_symbol_decodes_as_specified),
    TEST_CASE(every_slot_of_distances_decodes_as_specified),
    TEST_CASE(an_end_marker_is_taken),
    TEST_CASE(a_body_of_eight_points_decodes),
    TEST_CASE(blocks_that_blender_wrote_decode),
    TEST_CASE(a_fault_names_the_byte_and_the_reason),
    TEST_CASE(copies_that_cannot_be_are_refused),
    TEST_CASE(a_claim_of_gigabytes_is_refused_before_memory_is_touched),
    TEST_CASE(every_change_of_a_stream_decodes_or_is_refused),
    TEST_CASE(the_encoder_keeps_to_its_room_and_its_bytes),
};
TEST_SUITE(lzma1, cases);
