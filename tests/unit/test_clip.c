/* SPDX-License-Identifier: MIT
   tests/unit/test_clip.c - the clip container: its bytes, power cuts at every byte, damage, hostile
           clips.
   reads   -      writes  memory
   memory  100 KiB      cost    two seconds
   after   own design; CRC-32C values of RFC 3720, appendix B.4 */
#include "../../runtime/codec/clip.h"
#include "test.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 32768, STORE_MAX = 1 << 17, PIECE_MAX = 4000, BITS = 9, GROUPS = 5 };

/* ---- a storage with power cuts */

typedef struct store {
    uint8_t bytes[STORE_MAX];
    uint64_t size;    /* end of the last byte ever written */
    uint64_t left;    /* number of bytes until the power cut */
    uint64_t written; /* number of bytes written so far */
} store;

static store disk;
static uint8_t buffers[2][BLOCK_MAX];

static uint32_t store_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    const store *from = context;
    if (offset >= from->size) return 0;
    uint32_t got = from->size - offset < size ? (uint32_t)(from->size - offset) : size;
    memcpy(bytes, from->bytes + offset, got);
    return got;
}

/* A write that is interrupted by the power cut stores its first bytes. */
static bool store_write(void *context, uint64_t offset, const void *bytes, uint32_t size)
{
    store *to = context;
    uint32_t part = to->left < size ? (uint32_t)to->left : size;
    if (offset + size > STORE_MAX) return false;
    memcpy(to->bytes + offset, bytes, part);
    if (part && offset + part > to->size) to->size = offset + part;
    to->left -= part;
    to->written += part;
    return part == size;
}

static const tpi_clip_storage storage = {
    &disk, store_read, store_write, {buffers[0], buffers[1]}, BLOCK_MAX};

static void wipe(uint8_t value, uint64_t size)
{
    memset(disk.bytes, value, sizeof disk.bytes);
    disk.size = size;
    disk.left = UINT64_MAX;
    disk.written = 0;
}

/* ---- a clip whose bytes are computed from their positions */

static tpi_clip_schema schema_of(uint32_t bits)
{
    tpi_clip_schema schema = {.block_bits = bits,
                              .features = TPI_CLIP_Z_UP,
                              .point_count = 200,
                              .fps = 24.0f,
                              .seconds_per_frame = 0.04f,
                              .simulation = 1,
                              .key_interval = 8,
                              .stream_count = 4};
    schema.stream[0] = (tpi_clip_stream){"id", TPI_CLIP_U32, 1, true, 0.0f};
    schema.stream[1] = (tpi_clip_stream){"location", TPI_CLIP_F32, 3, false, 0.125f};
    schema.stream[2] = (tpi_clip_stream){"note", TPI_CLIP_BYTES, 0, false, 0.0f};
    schema.stream[3] = (tpi_clip_stream){"about", TPI_CLIP_BYTES, 0, true, 0.0f};
    return schema;
}

/* Groups of 3 frames in steps of 2: 10 to 14, 16 to 20 ... */
static int32_t first_of(uint32_t group) { return (int32_t)(10u + 6u * group); }

static uint32_t piece_bytes(uint32_t group, uint32_t stream, uint32_t piece, uint8_t *bytes)
{
    uint32_t state = 1u + group * 977u + stream * 131u + piece * 31u;
    uint32_t size = stream == 0   ? 0
                    : stream == 1 ? 40u + (group * 53u + piece * 29u) % 300u
                                  : (piece * 17u + group) % 60u;
    if (group == 3 && stream == 1 && piece == 1) size = 1500u; /* longer than a block */
    for (uint32_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 24);
    }
    return size;
}

static const tpi_lattice lattices[4 * TPI_TILE_COMPONENTS] = {
    [4] = {1.5f, 0.03125f}, [5] = {-2.0f, 0.03125f}, [6] = {0, 0.0625f}};

static tpi_clip_result write_group(tpi_clip_writer *writer, uint32_t group)
{
    static uint8_t bytes[PIECE_MAX];
    uint32_t ends[64];
    bool is_about = group == UINT32_MAX;
    writer->group = (tpi_clip_group){.kind = is_about ? TPI_CLIP_ABOUT : TPI_CLIP_FRAMES,
                                     .step = 2,
                                     .frames = is_about ? 1 : 3,
                                     .slots = is_about ? 0 : TPI_TILE_POINTS + group,
                                     .streams = is_about ? 9u : 7u,
                                     .first_frame = is_about ? 0 : first_of(group)};
    tpi_clip_result result = tpi_clip_group_begin(writer);
    for (uint32_t s = 0; !result && s < 4; s++)
        for (uint32_t p = 0; !result && p < tpi_clip_pieces(&writer->clip, &writer->group, s); p++)
            result = tpi_clip_put(writer, &storage, ends, bytes,
                                  piece_bytes(is_about ? 99u : group, s, p, bytes));
    return result ? result : tpi_clip_group_end(writer, &storage, ends, lattices);
}

/* Returns the number of groups that were written completely before the storage failed. */
static uint32_t write_clip(uint32_t bits, uint32_t groups, bool closes)
{
    tpi_clip_writer writer;
    tpi_clip_schema schema = schema_of(bits);
    if (tpi_clip_create(&writer, &storage, &schema, 0x1234u + groups)) return 0;
    for (uint32_t g = 0; g < groups; g++)
        if (write_group(&writer, g)) return g;
    if (closes && (write_group(&writer, UINT32_MAX) || tpi_clip_close(&writer, &storage)))
        return groups;
    return groups;
}

/* Compares a group with its expected contents; false, with the reader's result in *result, if they
   differ. */
static bool is_group(tpi_clip *clip, const tpi_clip_group *group, uint32_t number,
                     tpi_clip_result *result)
{
    static uint8_t expected[PIECE_MAX], room[PIECE_MAX];
    tpi_lattice found[TPI_TILE_COMPONENTS];
    bool good = group->first_frame == first_of(number) && group->frames == 3 && group->step == 2 &&
                group->slots == TPI_TILE_POINTS + number && group->streams == 7u;
    *result = tpi_clip_lattice(clip, &storage, group, 1, found);
    if (*result || memcmp(found, lattices + 4, 3 * sizeof *found) != 0) return false;
    for (uint32_t s = 0; good && s < 3; s++)
        for (uint32_t p = 0; good && p < tpi_clip_pieces(clip, group, s); p++) {
            const uint8_t *bytes;
            uint32_t size, length = piece_bytes(number, s, p, expected);
            *result = tpi_clip_piece(clip, &storage, group, s, p, room, sizeof room, &bytes, &size);
            good = !*result && size == length && memcmp(bytes, expected, size) == 0;
        }
    return good;
}

/* Reads from the end to the beginning. Returns the number of valid groups, or UINT32_MAX with the
   fault in
   *result. */
static uint32_t read_clip(tpi_clip *clip, tpi_clip_result *result)
{
    tpi_clip_group group;
    uint32_t count = 0, number = UINT32_MAX;
    *result = tpi_clip_open(clip, &storage);
    if (*result) return UINT32_MAX;
    for (uint32_t end = clip->end;; end = group.first_block) {
        *result = tpi_clip_group_before(clip, &storage, end, &group);
        if (*result == TPI_CLIP_NONE) return count == 0 || number == 0 ? count : UINT32_MAX;
        if (*result) return UINT32_MAX;
        if (group.kind == TPI_CLIP_ABOUT) continue;
        number = count++ ? number - 1u : (uint32_t)(group.first_frame - 10) / 6u;
        if (!is_group(clip, &group, number, result)) return UINT32_MAX;
    }
}

/* ---- bytes */

static void checksums_are_the_published_ones(void)
{
    uint8_t bytes[32];
    CHECK_EQ(tpi_crc32c(0, (const uint8_t *)"123456789", 9), 0xe3069283u);
    memset(bytes, 0, sizeof bytes);
    CHECK_EQ(tpi_crc32c(0, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, sizeof bytes);
    CHECK_EQ(tpi_crc32c(0, bytes, 32), 0x62a8ab43u);
    for (uint8_t i = 0; i < 32; i++) bytes[i] = i;
    CHECK_EQ(tpi_crc32c(0, bytes, 32), 0x46dd794eu);
    CHECK_EQ(tpi_crc32c(tpi_crc32c(0, bytes, 11), bytes + 11, 21), 0x46dd794eu);
}

/* Polynomial division bit by bit. */
static uint32_t plain_checksum(const uint8_t *bytes, uint32_t size)
{
    uint32_t crc = 0xffffffffu;
    for (uint32_t bit = 0; bit < 8u * size; bit++) {
        bool is_odd = (crc ^ (uint32_t)bytes[bit / 8u] >> bit % 8u) & 1u;
        crc = crc >> 1 ^ (is_odd ? 0x82f63b78u : 0u);
    }
    return ~crc;
}

static void checksums_are_those_of_plain_division(void)
{
    uint8_t bytes[320];
    for (uint32_t i = 0; i < 320u; i++) bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    for (uint32_t from = 0; from < 9u; from++)
        for (uint32_t size = 0; size <= 300u; size += size < 40u ? 1u : 13u)
            CHECK_EQ(tpi_crc32c(0, bytes + from, size), plain_checksum(bytes + from, size));
}

static void pieces_come_back_at_every_block_size(void)
{
    tpi_clip clip;
    tpi_clip_result result;
    for (uint32_t bits = TPI_CLIP_BLOCK_LOWEST; bits <= 12u; bits++)
        for (uint32_t closes = 0; closes < 2; closes++) {
            wipe(0, 0);
            CHECK_EQ(write_clip(bits, GROUPS, closes), GROUPS);
            CHECK_EQ(disk.size & ((1u << bits) - 1u), 0);
            CHECK_EQ(read_clip(&clip, &result), GROUPS);
            CHECK_EQ(result, TPI_CLIP_NONE);
            CHECK_EQ(clip.is_closed, closes);
            CHECK(memcmp(&clip.schema, &(tpi_clip_schema[1]){schema_of(bits)},
                         offsetof(tpi_clip_schema, stream)) == 0);
            if (closes)
                CHECK(clip.frames == 15 && clip.first_frame == 10 && clip.last_frame == 38 &&
                      clip.slots_max == TPI_TILE_POINTS + 4u);
        }
}

static void every_frame_is_found_in_its_group(void)
{
    tpi_clip clip;
    tpi_clip_group group;
    for (uint32_t closes = 0; closes < 2; closes++) {
        wipe(0, 0);
        write_clip(BITS, GROUPS, closes);
        CHECK_EQ(tpi_clip_open(&clip, &storage), TPI_CLIP_OK);
        CHECK_EQ(tpi_clip_find(&clip, &storage, 9, &group), TPI_CLIP_NONE);
        for (int32_t frame = 10; frame < 50; frame++) {
            uint32_t number =
                (uint32_t)(frame - 10) / 6u < GROUPS ? (uint32_t)(frame - 10) / 6u : GROUPS - 1u;
            CHECK_EQ(tpi_clip_find(&clip, &storage, frame, &group), TPI_CLIP_OK);
            CHECK_EQ(group.first_frame, first_of(number));
            CHECK_EQ(group.kind, TPI_CLIP_FRAMES);
        }
    }
}

/* The example of host_tools/clip/FORMAT.md: two frames without points, with a note each. */
static void the_bytes_of_the_format_are_these(void)
{
    static const uint8_t header[] =
        "TPCH\x44\x33\x22\x11\0\0\0\0\3\0\0\0\0\0\0\0\x68\0\1\0\xb8\x1f\x12\x45"
        "\2\0\x09\0\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\1\0\0\0\7\0\0\0\x08\0\0\0\2\0\0\0\0\0\0\0\3\0\0"
        "\0"
        "\0\0\xc0\x41\x0a\xd7\x23\x3d\x80\x08\1\2\0\0\0\0\0\0\0\0"
        "id\0\0\0\0\0\0\0\0\0\0\0\1\1\0\0\0\0\0"
        "note\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0";
    static const uint8_t group[] =
        "TPCE\x44\x33\x22\x11\2\0\0\0\2\0\0\0\7\0\0\0\x29\0\1\0\x7d\x85\x1f\x36"
        "onetw"
        "\3\0\0\0\5\0\0\0"
        "\5\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\2\0\0\0";
    tpi_clip_writer writer;
    uint32_t ends[2];
    tpi_clip_schema schema = schema_of(BITS);
    schema.stream[1] = schema.stream[2];
    schema.stream_count = 2;
    schema.point_count = 0;
    wipe(0, 0);
    CHECK_EQ(tpi_clip_create(&writer, &storage, &schema, 0x11223344u), TPI_CLIP_OK);
    writer.group = (tpi_clip_group){.step = 1, .frames = 2, .streams = 3, .first_frame = 7};
    CHECK_EQ(tpi_clip_group_begin(&writer), TPI_CLIP_OK);
    CHECK_EQ(tpi_clip_put(&writer, &storage, ends, (const uint8_t *)"one", 3), TPI_CLIP_OK);
    CHECK_EQ(tpi_clip_put(&writer, &storage, ends, (const uint8_t *)"tw", 2), TPI_CLIP_OK);
    CHECK_EQ(tpi_clip_group_end(&writer, &storage, ends, NULL), TPI_CLIP_OK);
    CHECK_EQ(tpi_clip_close(&writer, &storage), TPI_CLIP_OK);
    CHECK_EQ(disk.size, 3u * 512u);
    for (uint32_t i = 0; i < 512u; i++) {
        uint8_t a = i < sizeof header - 1u ? header[i] : 0,
                b = i < sizeof group - 1u ? group[i] : 0;
        if (disk.bytes[i] != a) test_note("header at %u: %02x, expected %02x", i, disk.bytes[i], a);
        if (disk.bytes[1024u + i] != b)
            test_note("group at %u: %02x, expected %02x", i, disk.bytes[1024u + i], b);
        CHECK_EQ(disk.bytes[i], a);
        CHECK_EQ(disk.bytes[1024u + i], b);
    }
    CHECK_EQ(disk.bytes[512 + 8], 1);  /* the other header is block 1 ... */
    CHECK_EQ(disk.bytes[512 + 12], 4); /* ... and its generation is newer */
}

/* ---- power cuts */

/* Every complete group is still there, and writing can continue after it. At least `at_least` and
   at most `at_most` groups were completed. */
static void check_after_cut(uint32_t at_least, uint32_t at_most)
{
    tpi_clip clip;
    tpi_clip_result result;
    tpi_clip_writer writer;
    uint32_t found = read_clip(&clip, &result);
    if (found == UINT32_MAX) {
        CHECK(result == TPI_CLIP_FOREIGN || result == TPI_CLIP_DAMAGED);
        CHECK(disk.written < 1024u && at_least == 0);
        return;
    }
    CHECK(found >= at_least && found <= at_most);
    disk.left = UINT64_MAX;
    CHECK_EQ(tpi_clip_append(&writer, &storage, INT32_MAX), TPI_CLIP_OK);
    for (uint32_t g = found; g < GROUPS; g++) CHECK_EQ(write_group(&writer, g), TPI_CLIP_OK);
    CHECK_EQ(write_group(&writer, UINT32_MAX), TPI_CLIP_OK);
    CHECK_EQ(tpi_clip_close(&writer, &storage), TPI_CLIP_OK);
    CHECK_EQ(read_clip(&clip, &result), GROUPS);
    CHECK(clip.is_closed && clip.frames == 3u * GROUPS && clip.groups == GROUPS);
}

/* On an empty disk, on one filled with 0xff, and over a longer old clip. */
static void a_power_cut_at_every_byte_leaves_every_whole_group(void)
{
    for (uint32_t before = 0; before < 3; before++) {
        wipe(before == 1 ? 0xff : 0, before == 1 ? STORE_MAX : 0);
        uint64_t total = 0;
        if (write_clip(BITS, GROUPS - 1u, true) == GROUPS - 1u) total = disk.written;
        for (uint64_t cut = 0; cut <= total; cut += before ? 7u : 1u) {
            wipe(before == 1 ? 0xff : 0, before == 1 ? STORE_MAX : 0);
            if (before == 2) write_clip(BITS, GROUPS, true);
            disk.left = cut;
            disk.written = 0;
            uint32_t whole = write_clip(BITS, GROUPS - 1u, true);
            test_note("cut at %llu, %u", (unsigned long long)cut, before);
            if (before == 2 && cut < 1024u && !whole) whole = 0;
            check_after_cut(whole, before == 2 && cut < 1024u ? GROUPS : GROUPS - 1u);
        }
    }
}

/* Blocks of interrupted groups, and of groups that were dropped, are still on the disk when writing
   starts again. */
static void a_power_cut_while_appending_leaves_no_older_block_among_newer(void)
{
    tpi_clip_writer writer;
    uint64_t total = 0;
    for (uint64_t cut = 0; cut <= total + 1u; cut++) {
        wipe(0, 0);
        write_clip(BITS, GROUPS, true);
        disk.left = cut ? cut - 1u : UINT64_MAX;
        disk.written = 0;
        uint32_t whole = 2;
        tpi_clip_result result = tpi_clip_append(&writer, &storage, first_of(2));
        while (!result && whole < GROUPS) {
            result = write_group(&writer, whole);
            whole += !result;
        }
        if (!cut) total = disk.written;
        test_note("cut at %llu", (unsigned long long)cut);
        check_after_cut(2, disk.written < 512u
                               ? GROUPS
                               /* zeros that were already there may complete a block */
                               : whole + 1u);
    }
}

static void writing_goes_on_from_any_frame(void)
{
    tpi_clip clip;
    tpi_clip_result result;
    tpi_clip_writer writer;
    for (int32_t frame = 5; frame < 45; frame++) {
        wipe(0, 0);
        write_clip(BITS, GROUPS, frame % 2);
        CHECK_EQ(tpi_clip_append(&writer, &storage, frame), TPI_CLIP_OK);
        uint32_t kept = frame <= 10 ? 0 : (uint32_t)(frame - 11) / 6u + 1u;
        if (kept > GROUPS) kept = GROUPS;
        CHECK_EQ(writer.groups, kept);
        CHECK_EQ(read_clip(&clip, &result), kept);
    }
}

/* ---- damage */

static void every_truncation_is_told_or_does_no_harm(void)
{
    tpi_clip clip;
    tpi_clip_result result;
    for (uint32_t closes = 0; closes < 2; closes++) {
        wipe(0, 0);
        write_clip(BITS, GROUPS, closes);
        uint64_t size = disk.size;
        for (uint64_t cut = 0; cut < size; cut++) {
            disk.size = cut;
            uint32_t found = read_clip(&clip, &result);
            test_note("%llu bytes", (unsigned long long)cut);
            if (closes) CHECK_EQ(found, UINT32_MAX);
            if (found == UINT32_MAX)
                CHECK(result != TPI_CLIP_OK && clip.fault <= size && clip.expected);
            if (found != UINT32_MAX) CHECK(found <= cut / 512u);
        }
        disk.size = size;
    }
}

static void every_change_of_a_byte_is_told_or_does_no_harm(void)
{
    tpi_clip clip;
    tpi_clip_result result;
    wipe(0, 0);
    write_clip(BITS, GROUPS, true);
    uint32_t told = 0, harmless = 0;
    for (uint64_t at = 0; at < disk.size; at++) {
        static const uint8_t changes[] = {1, 0x80, 0xff};
        for (uint32_t k = 0; k < sizeof changes; k++) {
            disk.bytes[at] ^= changes[k];
            uint32_t found = read_clip(&clip, &result);
            test_note("byte %llu changed by %u", (unsigned long long)at, changes[k]);
            CHECK(found == UINT32_MAX ? result != TPI_CLIP_OK : found == GROUPS);
            if (found == UINT32_MAX)
                CHECK(clip.fault <= at && at < clip.fault + 512u && *clip.expected);
            found == UINT32_MAX ? told++ : harmless++;
            disk.bytes[at] ^= changes[k];
        }
    }
    CHECK_EQ(harmless, 3u * 1024u); /* one of the two headers is enough */
    CHECK(told > 3u * 2000u);
}

/* ---- hostile clips with valid checksums */

static void seal_again(uint32_t block)
{
    tpi_clip_head head;
    uint8_t *bytes = disk.bytes + 512u * block;
    tpi_clip_read_head(bytes, &head);
    tpi_clip_seal(bytes, 512u, &head);
}

typedef struct lie {
    uint32_t at; /* offset in the payload of both headers, or from the end of a tail */
    uint8_t value;
    tpi_clip_result result;
} lie;

static void headers_that_lie_are_refused(void)
{
    static const lie lies[] = {
        {0, 3, TPI_CLIP_NEWER},          {1, 1, TPI_CLIP_NEWER},
        {4, 8, TPI_CLIP_NEWER},          {7, 128, TPI_CLIP_NEWER},
        {2, 10, TPI_CLIP_FOREIGN},       {2, 16, TPI_CLIP_FOREIGN},
        {12, 1, TPI_CLIP_DAMAGED},       {16, 1, TPI_CLIP_DAMAGED},
        {47, 0x7f, TPI_CLIP_DAMAGED},    {52, 32, TPI_CLIP_NEWER},
        {53, 0, TPI_CLIP_DAMAGED},       {55, 0, TPI_CLIP_DAMAGED},
        {55, 21, TPI_CLIP_DAMAGED},      {55, 5, TPI_CLIP_DAMAGED},
        {64 + 12, 1, TPI_CLIP_DAMAGED},  {64 + 13, 2, TPI_CLIP_DAMAGED},
        {64 + 14, 0, TPI_CLIP_DAMAGED},  {84 + 12, 3, TPI_CLIP_NEWER},
        {84 + 13, 5, TPI_CLIP_DAMAGED},  {84 + 13, 0, TPI_CLIP_DAMAGED},
        {84 + 15, 1, TPI_CLIP_NEWER},    {84 + 19, 0xbe, TPI_CLIP_DAMAGED},
        {104 + 13, 1, TPI_CLIP_DAMAGED},
    };
    tpi_clip clip;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        wipe(0, 0);
        write_clip(BITS, GROUPS, true);
        for (uint32_t block = 0; block < 2; block++) {
            disk.bytes[512u * block + TPI_CLIP_HEAD_BYTES + lies[i].at] = lies[i].value;
            /* infinite */
            if (lies[i].at == 47) disk.bytes[512u * block + TPI_CLIP_HEAD_BYTES + 46u] = 0x80;
            seal_again(block);
        }
        test_note("byte %u of the headers is %u", lies[i].at, lies[i].value);
        tpi_clip_result result = tpi_clip_open(&clip, &storage);
        CHECK(result == lies[i].result ||
              (lies[i].result == TPI_CLIP_FOREIGN && result != TPI_CLIP_OK));
    }
    wipe(0, 0);
    write_clip(12, 1, true);
    tpi_clip_storage small = storage;
    small.block_max = 2048;
    CHECK_EQ(tpi_clip_open(&clip, &small), TPI_CLIP_TOO_LARGE);
}

/* Any number in a tail or directory: no access leaves the buffers, and no two pieces overlap. */
static void tails_and_directories_that_lie_are_refused_or_consistent(void)
{
    static const uint8_t values[] = {0, 1, 2, 4, 0x7f, 0x80, 0xff};
    tpi_clip clip;
    tpi_clip_result result;
    wipe(0, 0);
    write_clip(BITS, 1, true);
    tpi_clip_group group;
    CHECK_EQ(tpi_clip_open(&clip, &storage), TPI_CLIP_OK);
    CHECK_EQ(tpi_clip_find(&clip, &storage, 10, &group), TPI_CLIP_OK);
    uint32_t told = 0, tries = 0;
    for (uint32_t block = group.first_block; block <= group.last_block; block++)
        for (uint32_t i = 3; i < 512u; i++)
            for (uint32_t k = 0; k < sizeof values; k++) {
                uint8_t *at = disk.bytes + 512u * block + i, old = *at;
                if (i >= 24 && i < 28) continue;
                *at = values[k];
                seal_again(block);
                uint32_t found = read_clip(&clip, &result);
                CHECK(found == UINT32_MAX || found <= 1u);
                if (found == UINT32_MAX) CHECK(clip.fault <= disk.size);
                told += found == UINT32_MAX;
                tries++;
                *at = old;
                seal_again(block);
            }
    CHECK(told > tries / 4u);
}

static void writers_refuse_what_no_reader_would_take(void)
{
    tpi_clip_writer writer;
    tpi_clip_schema schema = schema_of(BITS);
    wipe(0, 0);
    schema.stream_count = 0;
    CHECK_EQ(tpi_clip_create(&writer, &storage, &schema, 1), TPI_CLIP_TOO_LARGE);
    schema = schema_of(16);
    CHECK_EQ(tpi_clip_create(&writer, &storage, &schema, 1), TPI_CLIP_TOO_LARGE);
    schema = schema_of(BITS);
    CHECK_EQ(tpi_clip_create(&writer, &storage, &schema, 1), TPI_CLIP_OK);
    CHECK_EQ(write_group(&writer, 1), TPI_CLIP_OK);
    /* the frame is earlier than the last one */
    CHECK_EQ(write_group(&writer, 0), TPI_CLIP_DAMAGED);
    /* after an error no further group is accepted */
    CHECK_EQ(write_group(&writer, 2), TPI_CLIP_DAMAGED);
    CHECK_EQ(tpi_clip_close(&writer, &storage), TPI_CLIP_STORAGE);
}

static const test_case cases[] = {
    TEST_CASE(checksums_are_the_published_ones),
    TEST_CASE(checksums_are_those_of_plain_division),
    TEST_CASE(pieces_come_back_at_every_block_size),
    TEST_CASE(every_frame_is_found_in_its_group),
    TEST_CASE(the_bytes_of_the_format_are_these),
    TEST_CASE(a_power_cut_at_every_byte_leaves_every_whole_group),
    TEST_CASE(a_power_cut_while_appending_leaves_no_older_block_among_newer),
    TEST_CASE(writing_goes_on_from_any_frame),
    TEST_CASE(every_truncation_is_told_or_does_no_harm),
    TEST_CASE(every_change_of_a_byte_is_told_or_does_no_harm),
    TEST_CASE(headers_that_lie_are_refused),
    TEST_CASE(tails_and_directories_that_lie_are_refused_or_consistent),
    TEST_CASE(writers_refuse_what_no_reader_would_take),
};
TEST_SUITE(clip, cases);
