/* SPDX-License-Identifier: MIT
   tests/unit/test_faults.c - the reader of .bphys files and `verify` report the same fault at the
           same byte.
   reads   -                               writes  a temporary folder
   memory  malloc                          cost    a second
   after   own design: files in every compression, with one fault each, cut at every length, changed
           in every byte */
#include "../../host_tools/formats/verify.h"
#include "../harness/bphys_help.h"
#include <stdlib.h>
#include <string.h>

#define NAME "x_000001_00.bphys"

/* ---- messages of both */

typedef struct fault_ear {
    host_listener listener; /* messages of the reader */
    host_report report;     /* messages of verify */
    uint64_t offset;        /* offset of the reader's error */
    char text[512];
    bool refused, told_alike;
} fault_ear;

static void take_refusal(host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                         const char *text)
{
    fault_ear *ear = (fault_ear *)listener;
    if (kind != HOST_KIND_ERROR || !file) return;
    ear->refused = true;
    ear->offset = offset;
    snprintf(ear->text, sizeof ear->text, "%s", text);
}

static void take_fault(host_report *report, const char *file, uint64_t offset, const char *text,
                       const char *effect)
{
    fault_ear *ear = (fault_ear *)((char *)report - offsetof(fault_ear, report));
    ear->told_alike |= ear->refused && offset == ear->offset && strcmp(text, ear->text) == 0;
    if (!*file || !*effect) ear->told_alike = false;
}

static FILE *file_on_disk;
static const char *path;

/* Writes thousands of files to a stream that stays open, to avoid waiting for the disk. */
static void leave(const uint8_t *bytes, size_t size)
{
    file_on_disk = freopen(path, "wb", file_on_disk);
    if (!CHECK(file_on_disk)) exit(2);
    CHECK(fwrite(bytes, 1, size, file_on_disk) == size && fflush(file_on_disk) == 0);
}

/* True if the reader refuses the bytes; then verify must report the same. */
static bool refused_alike(const uint8_t *bytes, size_t size, uint64_t *offset)
{
    read_job job = {.bytes = bytes, .size = size};
    fault_ear ear = {.listener = {.take = take_refusal}, .report = {.take = take_fault}};
    host_listen_begin(&ear.listener);
    file_read(&job);
    host_listen_end();
    host_frame_free(&job.frame);
    CHECK(ear.refused == (job.code != HOST_DONE));
    leave(bytes, size);
    CHECK_EQ(host_verify(&ear.report, path, NULL), HOST_DONE);
    test_note("%llu: %s", (unsigned long long)ear.offset, ear.text);
    CHECK(ear.told_alike == ear.refused);
    *offset = ear.offset;
    return ear.refused;
}

static char *begin(void)
{
    char *folder = test_folder_make();
    static char text[512];
    snprintf(text, sizeof text, "%s/" NAME, folder);
    path = text;
    file_on_disk = fopen(path, "wb");
    return folder;
}

static void end(char *folder)
{
    if (file_on_disk) fclose(file_on_disk);
    test_folder_remove(folder);
}

/* ---- small files */

enum { COUNT = 3, EXTRA = 20 + COUNT * 28 };

/* Three points with index, location and velocity, and two springs, in any compression. */
static file_bytes points(host_compression compression)
{
    host_frame frame;
    size_t size = 0;
    file_bytes file = {.size = 0};
    if (!CHECK(host_frame_allocate(&frame, COUNT, 0x07))) exit(2);
    for (uint32_t i = 0; i < COUNT; i++) ((uint32_t *)frame.data[POINT_INDEX])[i] = 2 * i;
    for (uint32_t i = 0; i < 3 * COUNT; i++) ((float *)frame.data[POINT_LOCATION])[i] = (float)i;
    frame.extra[EXTRA_SPRINGS].count = 2;
    frame.extra[EXTRA_SPRINGS].bytes = host_allocate(2, 16);
    uint8_t *bytes = bphys_encode(&frame, POINT_PARTICLES, compression, &size);
    if (CHECK(bytes && frame.extra[EXTRA_SPRINGS].bytes)) file_add(&file, bytes, size);
    free(bytes);
    host_frame_free(&frame);
    return file;
}

/* The same in blocks that are stored without compression. */
static file_bytes blocks(uint32_t code)
{
    static const uint32_t sizes[3] = {4, 12, 12};
    file_bytes file = file_header(POINT_PARTICLES | BPHYS_FLAG_COMPRESS, COUNT, 0x07, false);
    for (int s = 0; s < 3; s++) {
        file.bytes[file.size++] = s ? 0 : (uint8_t)code;
        for (uint32_t i = 0; i < COUNT * sizes[s] / 4; i++) file_add_u32(&file, i);
    }
    return file;
}

static file_bytes changed(file_bytes file, size_t at, uint32_t word)
{
    for (size_t i = 0; i < 4; i++) file.bytes[at + i] = (uint8_t)(word >> 8 * i);
    return file;
}

static file_bytes cut(file_bytes file, size_t size)
{
    file.size = size;
    return file;
}

/* ---- sizes in headers */

static void expect_byte(const char *what, file_bytes file, uint64_t byte)
{
    uint64_t offset;
    bool refused = refused_alike(file.bytes, file.size, &offset);
    test_note("%s: byte %llu", what, (unsigned long long)offset);
    CHECK(refused);
    CHECK_EQ(offset, byte);
}

static void damage_is_told_and_refused_at_the_same_byte(void)
{
    char *folder = begin();
    file_bytes flat = points(HOST_COMPRESSION_NONE), stored = blocks(0);
    expect_byte("nothing", cut(flat, 0), 0);
    expect_byte("magic", changed(flat, 4, 0), 0);
    expect_byte("half a header", cut(flat, 19), 19);
    expect_byte("type", changed(flat, 8, 9), 8);
    expect_byte("streams", changed(flat, 16, 0x100), 16);
    expect_byte("half a record", cut(flat, EXTRA - 1), EXTRA - 1);
    expect_byte("too many records", changed(flat, 12, 1000), flat.size);
    expect_byte("no extra data", cut(flat, EXTRA), EXTRA);
    expect_byte("three bytes of extra data", cut(flat, EXTRA + 3), EXTRA);
    expect_byte("extra data without a count", cut(flat, EXTRA + 7), EXTRA + 7);
    expect_byte("type of extra data", changed(flat, EXTRA, 3), EXTRA);
    expect_byte("too many springs", changed(flat, EXTRA + 4, 3), EXTRA + 4);
    expect_byte("billions of springs", changed(flat, EXTRA + 4, 0xffffffff), EXTRA + 4);
    expect_byte("no block", cut(stored, 20), 20);
    expect_byte("half a block", cut(stored, 30), 21);
    expect_byte("unknown code", blocks(5), 20);
    expect_byte("half a head", cut(blocks(1), 24), 24);
    expect_byte("a block beyond the end", changed(blocks(1), 21, 1000), 21);
    expect_byte("a block of no bytes", changed(blocks(1), 21, 0), 25);
    file_bytes packed = points(HOST_COMPRESSION_ZSTD);
    /* All blocks are too small for so many points; the first one is reported. */
    expect_byte("a gigabyte in an index of some bytes", changed(packed, 12, 1u << 28), 25);
    packed = points(HOST_COMPRESSION_HEAVY);
    uint32_t code = packed.bytes[20], size = bphys_load_u32(packed.bytes + 21, false);
    if (code == 2) expect_byte("LZMA without settings", changed(packed, 25 + size, 4), 25 + size);
    end(folder);
}

static void every_cut_and_every_change_is_told_where_it_is_refused(void)
{
    char *folder = begin();
    uint64_t refusals = 0, tries = 0, offset;
    for (int form = 0; form <= HOST_COMPRESSIONS; form++) {
        file_bytes file = form < HOST_COMPRESSIONS ? points((host_compression)form) : blocks(0);
        CHECK(!refused_alike(file.bytes, file.size, &offset));
        for (size_t size = 0; size < file.size; size++, tries++)
            refusals += refused_alike(file.bytes, size, &offset);
        for (size_t at = 0; at < file.size; at++) {
            uint8_t sound = file.bytes[at];
            for (uint32_t bit = 0; bit < 9; bit++, tries++) {
                file.bytes[at] = bit < 8 ? (uint8_t)(sound ^ 1u << bit) : (uint8_t)~sound;
                refusals += refused_alike(file.bytes, file.size, &offset);
            }
            file.bytes[at] = sound;
        }
    }
    test_note("%llu of %llu refused", (unsigned long long)refusals, (unsigned long long)tries);
    CHECK(refusals > tries / 8);
    end(folder);
}

static const test_case cases[] = {
    TEST_CASE(damage_is_told_and_refused_at_the_same_byte),
    TEST_CASE(every_cut_and_every_change_is_told_where_it_is_refused),
};
TEST_SUITE(faults, cases);
