/* SPDX-License-Identifier: MIT
   tests/unit/test_prt.c - reads and writes Thinkbox particles: bytes by hand, types, faults,
           truncations.
   reads   files written here             writes  a temporary folder
   memory  malloc                         cost    under a second
   after   the description of the format; the hand-made zlib streams are one stored block (RFC 1951,
           3.2.4) */
#include "../../host_tools/compress/inflate.h"
#include "../../host_tools/formats/bytes.h"
#include "../../host_tools/formats/formats.h"
#include "../harness/formats_help.h"
#include <stdlib.h>

int command_convert(int argc, char **argv);

enum { FILE_MAX = 4096, HEAD = 56, TABLE = 68 };

typedef struct channel {
    const char *name;
    uint32_t type, arity, offset;
} channel;

static size_t put_stored(uint8_t *at, const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    memcpy(at, "\x78\x01\x01", 3);
    bytes_store(at + 3, 2, false, size);
    bytes_store(at + 5, 2, false, ~size);
    memcpy(at + 7, bytes, size);
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    bytes_store(at + 7 + size, 4, true, b << 16 | a);
    return size + 11;
}

static size_t put_file(uint8_t *to, const channel *channels, uint32_t channel_count,
                       const void *records, uint32_t count, size_t record)
{
    memset(to, 0, FILE_MAX);
    memcpy(to, "\xc0PRT\r\n\x1a\n\x38\0\0\0Extensible Particle Format", 38);
    bytes_store(to + 44, 4, false, 1);
    bytes_store(to + 48, 8, false, count);
    bytes_store(to + 56, 4, false, 4);
    bytes_store(to + 60, 4, false, channel_count);
    bytes_store(to + 64, 4, false, 44);
    uint8_t *at = to + TABLE;
    for (uint32_t c = 0; c < channel_count; c++, at += 44) {
        memcpy(at, channels[c].name, strlen(channels[c].name));
        bytes_store(at + 32, 4, false, channels[c].type);
        bytes_store(at + 36, 4, false, channels[c].arity);
        bytes_store(at + 40, 4, false, channels[c].offset);
    }
    return (size_t)(at - to) + put_stored(at, records, count * record);
}

/* Particles 5 at (1, 2, -3) with velocity (0.5, 0, 100), and 7 at (1.5, 2, -3) with (-0, 1e-45,
   100). */
static const channel golden_channels[] = {
    {"ID", 1, 1, 0}, {"Position", 4, 3, 4}, {"Velocity", 4, 3, 16}};
static const char golden_records[] =
    "\5\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0\0\0\0\x3f\0\0\0\0\0\0\xc8\x42"
    "\7\0\0\0\0\0\xc0\x3f\0\0\0\x40\0\0\x40\xc0\0\0\0\x80\1\0\0\0\0\0\xc8\x42";
static const char golden_table[] = "frame,index,x,y,z,vx,vy,vz\n12,5,1,2,-3,0.5,0,100\n"
                                   "12,7,1.5,2,-3,-0,1.40129846e-45,100\n";

/* The same, as it is written: ID last. */
static const channel written_channels[] = {
    {"Position", 4, 3, 0}, {"Velocity", 4, 3, 12}, {"ID", 1, 1, 24}};
static const char written_records[] =
    "\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0\0\0\0\x3f\0\0\0\0\0\0\xc8\x42\5\0\0\0"
    "\0\0\xc0\x3f\0\0\0\x40\0\0\x40\xc0\0\0\0\x80\1\0\0\0\0\0\xc8\x42\7\0\0\0";

static size_t put_golden(uint8_t *bytes)
{
    return put_file(bytes, golden_channels, 3, golden_records, 2, 28);
}

static void expect_file(const char *path, const void *bytes, size_t size)
{
    uint8_t *found;
    size_t found_size;
    if (!CHECK_EQ(host_read_file(path, &found, &found_size), HOST_DONE)) return;
    CHECK(found_size >= size && memcmp(found, bytes, size) == 0);
    free(found);
}

/* The records may be compressed in any way. */
static void expect_records(const char *path, size_t at, const void *records, size_t size)
{
    uint8_t *found, *unpacked = malloc(size);
    size_t found_size, used = 0;
    compress_fault fault;
    if (!CHECK_EQ(host_read_file(path, &found, &found_size), HOST_DONE)) return;
    CHECK(found_size > at &&
          inflate_zlib(found + at, found_size - at, unpacked, size, &used, &fault) &&
          used == found_size - at && memcmp(unpacked, records, size) == 0);
    free(found);
    free(unpacked);
}

static void bytes_by_hand_become_points_and_points_those_bytes(void)
{
    uint8_t bytes[FILE_MAX];
    size_t size = put_golden(bytes);
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.0012.prt", folder), bytes, size);
    test_expect(command_convert,
                test_text("convert %s/a.0012.prt %s/a.csv --quiet", folder, folder), HOST_DONE,
                NULL);
    expect_file(test_text("%s/a.csv", folder), golden_table, sizeof golden_table - 1);
    test_expect(command_convert, test_text("convert %s/a.csv %s/b.prt --quiet", folder, folder),
                HOST_DONE, NULL);
    put_file(bytes, written_channels, 3, written_records, 2, 28);
    expect_file(test_text("%s/b.prt", folder), bytes, TABLE + 3 * 44);
    expect_records(test_text("%s/b.prt", folder), TABLE + 3 * 44, written_records,
                   sizeof written_records - 1);
    test_folder_remove(folder);
}

/* Checks x of the first point, as text in the table, after reading one particle whose Position has
   this type. */
static void expect_x(uint32_t type, const void *value, size_t bytes, const char *expected)
{
    uint8_t record[24] = {0}, file[FILE_MAX];
    channel position = {"Position", type, 3, 0};
    memcpy(record, value, bytes);
    size_t size = put_file(file, &position, 1, record, 1, 3 * bytes);
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a.prt", folder), file, size);
    test_expect(command_convert, test_text("convert %s/a.prt %s/a.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    const char *table = test_text("frame,index,x,y,z\n1,0,%s,0,0\n", expected);
    expect_file(test_text("%s/a.csv", folder), table, strlen(table));
    test_folder_remove(folder);
}

static void values_of_every_type_are_read(void)
{
    expect_x(0, "\xfe\xff", 2, "-2");
    expect_x(1, "\0\0\0\x80", 4, "-2.14748365e+09");
    expect_x(2, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "-1");
    expect_x(3, "\x01\xc0", 2, "-2.00195312");
    expect_x(3, "\x01\0", 2, "5.96046448e-08");
    expect_x(3, "\0\x7c", 2, "inf");
    expect_x(4, "\0\0\xc0\x3f", 4, "1.5");
    expect_x(5, "\0\0\0\0\0\0\xf8\x3f", 8, "1.5");
    expect_x(6, "\xfe\xff", 2, "65534");
    expect_x(7, "\0\0\0\x80", 4, "2.14748365e+09");
    expect_x(8, "\0\0\0\0\0\0\0\x80", 8, "9.22337204e+18");
    expect_x(9, "\xfe", 1, "-2");
    expect_x(10, "\xfe", 1, "254");
}

static float ordinary(uint32_t word) { return (float)((double)word / 3e9 - 0.5); }

/* Streams of every kind, two thousand points, indices with gaps; a number at the end of a name is
   the frame. */
static void frames_come_back_bit_for_bit(void)
{
    char *folder = test_folder_make();
    test_format_table(test_text("%s/a.csv", folder), 500, ordinary);
    test_expect(command_convert, test_text("convert %s/a.csv %s/b.prt --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_file_exists(test_text("%s/b.0008.prt", folder)));
    test_expect(command_convert, test_text("convert %s/b.prt %s/c.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/a.csv", folder), test_text("%s/c.csv", folder)));
    test_folder_remove(folder);
}

/* ---- faults */

static void every_truncation_is_an_error(void)
{
    uint8_t bytes[FILE_MAX];
    size_t size = put_golden(bytes);
    for (size_t cut = 0; cut < size; cut++) test_format_refused("a.prt", bytes, cut, "a.prt:");
}

static void expect_change(size_t at, uint32_t word, const char *message)
{
    uint8_t bytes[FILE_MAX];
    size_t size = put_golden(bytes);
    bytes_store(bytes + at, 4, false, word);
    test_format_refused("a.prt", bytes, size, message);
}

static void faults_are_named_by_their_byte(void)
{
    uint8_t bytes[FILE_MAX];
    const size_t data = TABLE + 3 * 44;
    expect_change(0, 0, "a.prt:0: magic is not that of a .prt file");
    expect_change(8, 55, "a.prt:8: the header has 55 bytes");
    expect_change(8, 0x7fffffff, "the file ends inside its header");
    expect_change(44, 7, "a.prt:44: version is 7");
    expect_change(48, 3, "the stream holds fewer bytes than expected");
    expect_change(48, 1, "the stream holds more bytes than expected");
    expect_change(48, 0x7fffffff, "the header promises 2147483647 particles of 28 bytes");
    expect_change(52, 1, "a.prt:48: 4294967298 particles, at most");
    expect_change(60, 0, "a.prt:60: 0 channels");
    expect_change(60, 257, "a.prt:60: 257 channels");
    expect_change(60, 200, "the file ends inside its table of channels");
    expect_change(64, 43, "a.prt:64: the definition of a channel has 43 bytes");
    expect_change(TABLE + 32, 11, "a.prt:100: type is 11, expected 0 to 10");
    expect_change(TABLE + 32, 4, "ID of particle 0 (from 0) is not a whole number");
    expect_change(TABLE + 36, 2, "a.prt:104: ID has 2 numbers, expected 1");
    expect_change(TABLE + 36, 0, "a.prt:104: arity is 0");
    expect_change(TABLE + 40, 65533, "a.prt:108: the channel ends beyond byte 65536");
    expect_change(TABLE + 44, 0x78787878, "there is no channel Position");
    expect_change(data + 7, 7, "the checksum is not that of the content");
    size_t size = put_golden(bytes);
    memset(bytes + 48, 255, 8);
    test_format_refused("a.prt", bytes, size, "a.prt:48: the number of particles is -1");
    size = put_golden(bytes);
    memset(bytes + TABLE, 'a', 32);
    test_format_refused("a.prt", bytes, size,
                        "a.prt:68: the name of a channel has no terminating zero byte");
    memset(bytes + TABLE, 0, 32);
    memcpy(bytes + TABLE, "Position", 8);
    bytes_store(bytes + TABLE + 36, 4, false, 3);
    test_format_refused("a.prt", bytes, size, "a.prt:112: channel Position occurs twice");
}

static void a_file_without_particles_is_a_frame_without_points(void)
{
    uint8_t bytes[FILE_MAX];
    host_sequence sequence;
    host_frame frame;
    size_t size = put_file(bytes, golden_channels, 3, "", 0, 28);
    char *folder = test_folder_make();
    for (int empty = 0; empty < 2; empty++) { /* with an empty zlib stream, and with none */
        test_file_write(test_text("%s/a.prt", folder), bytes, empty ? size - 11 : size);
        if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/a.prt", folder), NULL),
                      HOST_DONE))
            continue;
        CHECK(strcmp(sequence.compression, "zlib") == 0);
        if (CHECK_EQ(host_sequence_load(&sequence, 0, &frame), HOST_DONE)) {
            CHECK_EQ(frame.count, 0);
            host_frame_free(&frame);
        }
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(bytes_by_hand_become_points_and_points_those_bytes),
    TEST_CASE(values_of_every_type_are_read),
    TEST_CASE(frames_come_back_bit_for_bit),
    TEST_CASE(every_truncation_is_an_error),
    TEST_CASE(faults_are_named_by_their_byte),
    TEST_CASE(a_file_without_particles_is_a_frame_without_points),
};
TEST_SUITE(prt, cases);
