/* SPDX-License-Identifier: MIT
   tests/unit/test_zstd.c - Zstandard frames of the reference encoder, hostile ones, our own; the
           filter.
   reads   tests/fixtures/zstd, samples of point caches      writes  nothing
   memory  malloc      cost    some seconds
   after   own design; RFC 8878 */
#include "../../host_tools/common/host.h"
#include "../../host_tools/compress/transpose.h"
#include "../../host_tools/compress/zstd_private.h"
#include "../harness/test.h"
#include "../harness/files_help.h"
#include "../harness/zstd_help.h"
#include <stdlib.h>
#include <string.h>

/* Buffers have a guard of this many bytes on both sides. */
#define GUARD 64u

typedef struct guarded {
    uint8_t *memory, *bytes;
    size_t size;
} guarded;

static guarded guarded_make(size_t size)
{
    guarded made = {malloc(size + 2 * GUARD), NULL, size};
    if (!made.memory) abort();
    memset(made.memory, 0xa5, size + 2 * GUARD);
    made.bytes = made.memory + GUARD;
    return made;
}

/* True if the guards are unchanged; frees the buffer. */
static bool guarded_free(guarded *made)
{
    bool is_clean = true;
    for (size_t k = 0; k < GUARD; k++)
        is_clean = is_clean && made->memory[k] == 0xa5 && made->bytes[made->size + k] == 0xa5;
    free(made->memory);
    return is_clean;
}

static void *make_decoder(void)
{
    void *memory = malloc(zstd_decoder_bytes());
    if (!memory) abort();
    memset(memory, 0xa5, zstd_decoder_bytes()); /* the previous contents must not matter */
    return memory;
}

/* The frame decodes to exactly the expected bytes, and both calls return their size. */
static bool holds(const uint8_t *bytes, size_t size, const uint8_t *expected, size_t expected_size)
{
    compress_fault fault = {0, "none"};
    uint64_t most = 0;
    size_t written = 0;
    guarded out = guarded_make(expected_size);
    void *decoder = make_decoder();
    bool is_good =
        CHECK(zstd_measure(bytes, size, &most, &fault)) && CHECK(most >= expected_size) &&
        CHECK(zstd_decode_some(bytes, size, out.bytes, expected_size, &written, decoder, &fault)) &&
        CHECK_EQ(written, expected_size) && CHECK(memcmp(out.bytes, expected, written) == 0);
    if (!is_good) test_note("byte %zu: %s", fault.at, fault.why);
    free(decoder);
    return CHECK(guarded_free(&out)) && is_good;
}

static bool is_refused(const uint8_t *bytes, size_t size, size_t room, size_t offset,
                       const char *text)
{
    compress_fault fault = {0, "none"};
    size_t written = 0;
    guarded out = guarded_make(room);
    void *decoder = make_decoder();
    bool is_good =
        CHECK(!zstd_decode_some(bytes, size, out.bytes, room, &written, decoder, &fault));
    is_good = CHECK(strcmp(fault.why, text) == 0) && CHECK_EQ(fault.at, offset) && is_good;
    test_note("byte %zu: %s", fault.at, fault.why);
    free(decoder);
    return CHECK(guarded_free(&out)) && is_good;
}

/* ---- frames of other encoders */

static const struct {
    const char *name;
    int kind;
    size_t size;
} fixtures[] = {
    {"text_1", CONTENT_TEXT, 12000},
    {"text_3", CONTENT_TEXT, 12000},
    {"text_19", CONTENT_TEXT, 12000},
    {"text_22", CONTENT_TEXT, 12000},
    {"text_checked", CONTENT_TEXT, 12000},
    {"text_stream", CONTENT_TEXT, 12000},
    {"text_small_window", CONTENT_TEXT, 12000},
    {"text_fast", CONTENT_TEXT, 12000},
    {"text_blocks", CONTENT_TEXT, 140000},
    {"few_1", CONTENT_FEW, 20000},
    {"few_19", CONTENT_FEW, 20000},
    {"few_blocks", CONTENT_FEW, 9000},
    {"few_100", CONTENT_FEW, 100},
    {"floats_3", CONTENT_FLOATS, 6000},
    {"floats_19", CONTENT_FLOATS, 6000},
    {"floats_small_window", CONTENT_FLOATS, 9000},
    {"floats_96", CONTENT_FLOATS, 96},
    {"repeats_3", CONTENT_REPEATS, 1000000},
    {"repeats_19", CONTENT_REPEATS, 1000000},
    {"zeros_16m", CONTENT_ZEROS, 16777216},
    {"zeros_7", CONTENT_ZEROS, 7},
    {"noise_1000", CONTENT_NOISE, 1000},
    {"rising_5000", CONTENT_RISING, 5000},
    {"text_200", CONTENT_TEXT, 200},
    {"text_of_0", CONTENT_TEXT, 0},
    {"text_of_1", CONTENT_TEXT, 1},
    {"text_of_2", CONTENT_TEXT, 2},
    {"text_of_9", CONTENT_TEXT, 9},
    {"text_of_40", CONTENT_TEXT, 40},
};
#define FIXTURES (sizeof fixtures / sizeof fixtures[0])

static bool read_fixture(size_t which, uint8_t **bytes, size_t *size, uint8_t **content)
{
    *content = malloc(fixtures[which].size + 1);
    test_note("tests/fixtures/zstd/%s.zst", fixtures[which].name);
    int code =
        host_read_file(test_text("tests/fixtures/zstd/%s.zst", fixtures[which].name), bytes, size);
    if (!*content || !CHECK_EQ(code, HOST_DONE)) return false;
    test_content(fixtures[which].kind, *content, fixtures[which].size);
    return true;
}

static void frames_of_the_reference_decode_to_their_content(void)
{
    for (size_t which = 0; which < FIXTURES; which++) {
        uint8_t *bytes, *content;
        size_t size;
        if (!read_fixture(which, &bytes, &size, &content)) return;
        holds(bytes, size, content, fixtures[which].size);
        free(bytes);
        free(content);
    }
}

/* Appends some bytes to a frame. */
static size_t append(uint8_t *to, size_t at, const void *bytes, size_t size)
{
    memcpy(to + at, bytes, size);
    return at + size;
}

static void frames_in_a_row_and_frames_to_skip_decode_as_one(void)
{
    static const uint8_t skipped[] = {0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3};
    uint8_t *first, *second, *content, *more, *expected = malloc(13000), *all = malloc(20000);
    size_t first_size, second_size, at = 0;
    if (!read_fixture(5, &first, &first_size, &content) ||
        !read_fixture(23, &second, &second_size, &more))
        return;
    at = append(all, at, skipped, sizeof skipped);
    at = append(all, at, second, second_size);
    at = append(all, at, first, first_size);
    at = append(all, at, skipped, sizeof skipped);
    at = append(all, at, second, second_size);
    append(expected, append(expected, append(expected, 0, more, 200), content, 12000), more, 200);
    holds(all, at, expected, 12400);
    all[at++] = 0;
    is_refused(all, at, 12400, at - 1, "the file ends within a frame's magic number");
    free(first);
    free(second);
    free(content);
    free(more);
    free(expected);
    free(all);
}

/* The dumps of softbody and particle files in the description of the format. */
static void worked_examples_of_caches_decode(void)
{
    static const uint8_t location[] = {
        0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x30, 0x05, 0x01, 0x00, 0xb0, 0x00, 0x00, 0x80, 0x80,
        0x80, 0x00, 0x3f, 0xc1, 0x3f, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00,
        0x3f, 0x00, 0x00, 0x00, 0x03, 0x00, 0x32, 0x37, 0x01, 0x85, 0x67, 0x00, 0x0b};
    static const uint8_t velocity[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x30, 0x85, 0x00, 0x00,
                                       0x50, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0xbf, 0x00,
                                       0x00, 0x00, 0x01, 0x00, 0x1f, 0x80, 0x05};
    static const uint8_t empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00};
    static const uint8_t body[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x10, 0x5d, 0x00, 0x00, 0x28,
                                   0x00, 0x00, 0x80, 0x3f, 0x00, 0x01, 0x00, 0x06, 0xd0, 0x02};
    static const float points[12] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    static const float speeds[12] = {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1},
                       turn[4] = {1, 0, 0, 0};
    uint8_t filtered[48];
    transpose_split((const uint8_t *)points, 4, 12, filtered);
    holds(location, sizeof location, filtered, 48);
    transpose_split((const uint8_t *)speeds, 4, 12, filtered);
    holds(velocity, sizeof velocity, filtered, 48);
    holds(empty, sizeof empty, filtered, 0);
    holds(body, sizeof body, (const uint8_t *)turn, 16);
}

/* Decodes every frame in the file's blocks: code 3, u32 size, payload. */
static void sample_caches_decode(void)
{
    static const char *const names[] = {"C_softbody_zstd", "G_empty_zstd"};
    static const uint32_t sizes[2][3] = {{48, 48, 0}, {0, 0, 0}}, counts[2] = {2, 3};
    static const float points[12] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    for (size_t which = 0; which < 2; which++) {
        uint8_t *bytes, out[48], joined[48];
        size_t size, at = 20, written;
        compress_fault fault;
        void *decoder = make_decoder();
        const char *path = test_text("tests/fixtures/blender/samples/%s.bphys", names[which]);
        if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return;
        for (uint32_t k = 0; k < counts[which]; k++, at += 5u + bytes[at + 1]) {
            CHECK_EQ(bytes[at], 3);
            CHECK(zstd_decode_some(bytes + at + 5, bytes[at + 1], out, 48, &written, decoder,
                                   &fault));
            CHECK_EQ(written, sizes[which][k]);
            transpose_join(out, 4, 12, joined);
            if (which == 0 && k == 0) CHECK(memcmp(joined, points, 48) == 0);
        }
        CHECK_EQ(at, size);
        free(bytes);
        free(decoder);
    }
}

static void predefined_states_are_those_of_their_counts(void)
{
    for (uint32_t which = 0; which < ZSTD_KINDS; which++) {
        const zstd_kind *kind = &zstd_kinds[which];
        zstd_cell cells[64];
        if (!CHECK(kind->predefined_log <= 6)) return;
        zstd_make_cells(cells, kind->predefined, kind->predefined_count, kind->predefined_log,
                        kind->codes);
        CHECK(memcmp(cells, kind->predefined_cells, sizeof cells[0] << kind->predefined_log) == 0);
    }
}

static void checksum_is_that_of_the_reference(void)
{
    uint8_t bytes[101];
    uint32_t generator = 2654435761u; /* the pattern of the reference's own self test */
    for (size_t k = 0; k < sizeof bytes; k++, generator *= generator)
        bytes[k] = (uint8_t)(generator >> 24);
    CHECK_EQ(zstd_checksum(bytes, 0, 0), 0xef46db3751d8e999u);
    CHECK_EQ(zstd_checksum(bytes, 1, 0), 0x4fce394cc88952d8u);
    CHECK_EQ(zstd_checksum(bytes, 14, 0), 0xcffa8db881bc3a3du);
    CHECK_EQ(zstd_checksum(bytes, 101, 0), 0x0eab543384f878adu);
    CHECK_EQ(zstd_checksum(bytes, 0, 2654435761u), 0xac75fda2929b17efu);
    CHECK_EQ(zstd_checksum(bytes, 101, 2654435761u), 0xcaa65939306f1e21u);
}

/* ---- hostile frames */

static void faults_say_which_byte_and_why(void)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfe, 0x20};
    static const uint8_t reserved[] = {0x28, 0xb5, 0x2f, 0xfd, 0x28, 0x00, 0x01, 0x00, 0x00};
    static const uint8_t dictionary[] = {0x28, 0xb5, 0x2f, 0xfd, 0x21,
                                         0x07, 0x00, 0x01, 0x00, 0x00};
    static const uint8_t kind[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x07, 0x00, 0x00};
    static const uint8_t less[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x09, 0x00, 0x00, 0x61};
    static const uint8_t more[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x01,
                                   0x11, 0x00, 0x00, 0x61, 0x61};
    static const uint8_t repeat[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x09, 0x25,
                                     0x00, 0x00, 0x08, 0x61, 0x01, 0xfc};
    static const uint8_t treeless[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x09, 0x25,
                                       0x00, 0x00, 0x13, 0x40, 0x00, 0x80};
    is_refused(magic, sizeof magic, 0, 0, "no Zstandard frame begins here");
    is_refused(magic, 0, 0, 0, "the file ends within a frame's magic number");
    is_refused(reserved, sizeof reserved, 0, 0, "a reserved bit of the frame's head is set");
    is_refused(dictionary, sizeof dictionary, 9, 0,
               "the frame needs a dictionary, which is not supported");
    is_refused(kind, sizeof kind, 0, 6, "a block of the reserved kind");
    is_refused(less, sizeof less, 2, 10, "the frame holds less than it claims");
    is_refused(less, sizeof less, 1, 0, "the frame decodes to more bytes than expected");
    is_refused(more, sizeof more, 9, 6, "a block is longer than its frame allows");
    is_refused(repeat, sizeof repeat, 9, 13, "no table of sequences to repeat");
    is_refused(treeless, sizeof treeless, 9, 9, "no table of literals to repeat");
}

static void a_wrong_checksum_is_a_fault(void)
{
    uint8_t *bytes, *content;
    size_t size;
    if (!read_fixture(4, &bytes, &size, &content)) return;
    bytes[size - 2] ^= 1;
    is_refused(bytes, size, 12000, size - 4, "the checksum does not match");
    free(bytes);
    free(content);
}

/* Memory is allocated after zstd_measure, so that must not trust the size in a header. */
static void a_tiny_frame_that_claims_gigabytes_is_refused_by_the_measure(void)
{
    static const uint8_t claims[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0,    0,    0,   0,
                                     4,    0,    0,    0,    0x03, 0x00, 0x10, 0x00};
    static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0x03, 0x00, 0x10, 0x61};
    compress_fault fault = {9, ""};
    uint64_t content = 0;
    CHECK(!zstd_measure(claims, sizeof claims, &content, &fault));
    CHECK(strcmp(fault.why, "the frame's blocks cannot hold the size it claims") == 0);
    CHECK_EQ(fault.at, 0);
    is_refused(claims, sizeof claims, 1000, 0, "the frame decodes to more bytes than expected");
    /* a large window needs no memory */
    CHECK(zstd_measure(window, sizeof window, &content, &fault));
    CHECK_EQ(content, 131072);
}

/* Decodes or fails cleanly: no byte outside the buffer is written, and the fault lies within the
   input. */
static bool survives(void *decoder, const uint8_t *bytes, size_t size, guarded *out)
{
    compress_fault fault = {0, NULL};
    size_t written = 0;
    bool is_good = zstd_decode_some(bytes, size, out->bytes, out->size, &written, decoder, &fault);
    return written <= out->size && (is_good || (fault.why && fault.at <= size));
}

static void every_truncation_and_every_changed_byte_is_survived(void)
{
    static const size_t small[] = {12, 16, 23, 26, 28};
    void *decoder = make_decoder();
    for (size_t k = 0; k < sizeof small / sizeof small[0]; k++) {
        uint8_t *bytes, *content;
        size_t size, refused = 0;
        if (!read_fixture(small[k], &bytes, &size, &content)) return;
        guarded out = guarded_make(fixtures[small[k]].size);
        for (size_t length = 0; length < size; length++) {
            compress_fault fault;
            size_t written;
            refused +=
                !zstd_decode_some(bytes, length, out.bytes, out.size, &written, decoder, &fault);
        }
        CHECK_EQ(refused, size);
        for (size_t at = 0; at < size; at++)
            for (uint32_t change = 1; change < 256; change++) {
                bytes[at] ^= (uint8_t)change;
                if (!survives(decoder, bytes, size, &out)) CHECK_EQ(at, SIZE_MAX);
                bytes[at] ^= (uint8_t)change;
            }
        CHECK(guarded_free(&out));
        free(bytes);
        free(content);
    }
    free(decoder);
}

static void room_short_of_one_byte_is_a_fault(void)
{
    void *decoder = make_decoder();
    for (size_t which = 0; which < FIXTURES; which++) {
        uint8_t *bytes, *content;
        size_t size, written;
        compress_fault fault;
        if (!read_fixture(which, &bytes, &size, &content)) return;
        if (fixtures[which].size > 0) {
            guarded out = guarded_make(fixtures[which].size - 1);
            CHECK(!zstd_decode_some(bytes, size, out.bytes, out.size, &written, decoder, &fault));
            CHECK(written <= out.size);
            CHECK(guarded_free(&out));
        }
        free(bytes);
        free(content);
    }
    free(decoder);
}

/* ---- our own frames */

static void *make_encoder(void)
{
    void *memory = malloc(zstd_encoder_bytes(0));
    if (!memory) abort();
    memset(memory, 0xa5, zstd_encoder_bytes(0)); /* the previous contents must not matter */
    return memory;
}

/* Encodes within the bound, and decodes to the same bytes; returns the size of the frame. */
static size_t round_trip(void *encoder, const uint8_t *bytes, size_t size, bool has_checksum)
{
    guarded out = guarded_make(zstd_bound(size));
    size_t packed = zstd_encode(bytes, size, out.bytes, zstd_bound(size), has_checksum, encoder);
    uint64_t most = 0;
    compress_fault fault;
    CHECK(packed <= out.size);
    CHECK(holds(out.bytes, packed, bytes, size));
    /* the header states the size */
    CHECK(zstd_measure(out.bytes, packed, &most, &fault) && most == size);
    CHECK(guarded_free(&out));
    return packed;
}

static void short_contents_of_every_kind_come_back(void)
{
    void *encoder = make_encoder();
    uint8_t content[301];
    for (int kind = 0; kind < CONTENT_KINDS; kind++)
        for (size_t size = 0; size <= 300; size++) {
            test_note("kind %d, %zu bytes", kind, size);
            test_content(kind, content, size);
            size_t packed = round_trip(encoder, content, size, size % 3 == 0);
            CHECK(packed <= size + 17); /* stored blocks are the worst case */
        }
    free(encoder);
}

static void sizes_around_the_limits_of_blocks_and_heads_come_back(void)
{
    static const size_t sizes[] = {255,    256,    257,     1023,    1024,   16383,
                                   16384,  16385,  65791,   65792,   131071, 131072,
                                   131073, 262144, 2097152, 2097153, 2500000};
    void *encoder = make_encoder();
    uint8_t *content = malloc(2500000);
    for (int kind = 0; kind < CONTENT_KINDS; kind++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            test_note("kind %d, %zu bytes", kind, sizes[k]);
            test_content(kind, content, sizes[k]);
            round_trip(encoder, content, sizes[k], false);
        }
    free(content);
    free(encoder);
}

/* Contents of different kinds follow each other: entropy tables are made, repeated and dropped, and
   some blocks are raw. */
static void a_mixture_of_16_mib_comes_back(void)
{
    size_t size = 16777216, at = 0, part = 1000;
    void *encoder = make_encoder();
    uint8_t *content = malloc(size);
    for (int kind = 0; at < size; kind++) {
        size_t here = part < size - at ? part : size - at;
        test_content(kind % CONTENT_KINDS, content + at, here);
        at += here;
        part = part * 5 / 3 % 1000003;
    }
    size_t packed = round_trip(encoder, content, size, true);
    CHECK(packed < size / 2);
    free(content);
    free(encoder);
}

/* At most a tenth larger than the reference's frames at level 3. */
static void frames_are_as_short_as_those_of_the_reference(void)
{
    static const size_t level_3[] = {1, 13, 17, 19, 27, 28};
    void *encoder = make_encoder();
    for (size_t k = 0; k < sizeof level_3 / sizeof level_3[0]; k++) {
        uint8_t *bytes, *content;
        size_t size, which = level_3[k];
        if (!read_fixture(which, &bytes, &size, &content)) return;
        size_t packed = round_trip(encoder, content, fixtures[which].size, false);
        test_note("%s: %zu bytes, the reference has %zu", fixtures[which].name, packed, size);
        CHECK(packed * 10 <= size * 11 + 20);
        free(bytes);
        free(content);
    }
    free(encoder);
}

static void the_same_bytes_make_the_same_frame(void)
{
    void *encoder = make_encoder();
    uint8_t *content = malloc(300000), *first = malloc(zstd_bound(300000)),
            *second = malloc(zstd_bound(300000));
    test_content(CONTENT_FLOATS, content, 300000);
    size_t size = zstd_encode(content, 300000, first, zstd_bound(300000), false, encoder);
    test_content(CONTENT_TEXT, content, 300000);
    zstd_encode(content, 300000, second, zstd_bound(300000), false, encoder);
    test_content(CONTENT_FLOATS, content, 300000);
    CHECK_EQ(zstd_encode(content, 300000, second, zstd_bound(300000), false, encoder), size);
    CHECK(memcmp(first, second, size) == 0);
    CHECK_EQ(zstd_checksum(first, size, 0), 0x6464da34f6cca344u); /* the same on every machine */
    free(content);
    free(first);
    free(second);
    free(encoder);
}

/* ---- the filter */

static void the_filter_matches_its_published_vector(void)
{
    static const uint8_t in[15] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 5, 4, 3};
    static const uint8_t expected[15] = {0, 2, 6, 26, 227, 1, 2, 10, 42, 205, 1, 4, 16, 68, 170};
    uint8_t out[15];
    transpose_split(in, 5, 3, out);
    CHECK(memcmp(out, expected, 15) == 0);
}

static void the_filter_is_the_formula_and_has_an_inverse(void)
{
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 511, 512, 513, 1500};
    static uint8_t in[1500 * 21];
    test_content(CONTENT_NOISE, in, sizeof in);
    for (size_t size = 1; size <= 21; size++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            size_t count = counts[c], wrong = 0;
            guarded split = guarded_make(count * size), joined = guarded_make(count * size);
            transpose_split(in, count, size, split.bytes);
            for (size_t i = 0; i < count; i++)
                for (size_t b = 0; b < size; b++) {
                    uint8_t before = i ? in[(i - 1) * size + b] : 0;
                    wrong += split.bytes[b * count + i] != (uint8_t)(in[i * size + b] - before);
                }
            CHECK_EQ(wrong, 0);
            transpose_join(split.bytes, count, size, joined.bytes);
            CHECK(memcmp(joined.bytes, in, count * size) == 0);
            CHECK(guarded_free(&split) && guarded_free(&joined));
        }
}

static const test_case cases[] = {
    TEST_CASE(frames_of_the_reference_decode_to_their_content),
    TEST_CASE(frames_in_a_row_and_frames_to_skip_decode_as_one),
    TEST_CASE(worked_examples_of_caches_decode),
    TEST_CASE(sample_caches_decode),
    TEST_CASE(predefined_states_are_those_of_their_counts),
    TEST_CASE(checksum_is_that_of_the_reference),
    TEST_CASE(faults_say_which_byte_and_why),
    TEST_CASE(a_wrong_checksum_is_a_fault),
    TEST_CASE(a_tiny_frame_that_claims_gigabytes_is_refused_by_the_measure),
    TEST_CASE(every_truncation_and_every_changed_byte_is_survived),
    TEST_CASE(room_short_of_one_byte_is_a_fault),
    TEST_CASE(short_contents_of_every_kind_come_back),
    TEST_CASE(sizes_around_the_limits_of_blocks_and_heads_come_back),
    TEST_CASE(a_mixture_of_16_mib_comes_back),
    TEST_CASE(frames_are_as_short_as_those_of_the_reference),
    TEST_CASE(the_same_bytes_make_the_same_frame),
    TEST_CASE(the_filter_matches_its_published_vector),
    TEST_CASE(the_filter_is_the_formula_and_has_an_inverse),
};
TEST_SUITE(zstd, cases);
