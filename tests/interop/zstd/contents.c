/* SPDX-License-Identifier: MIT
   tests/interop/zstd/contents.c - what the comparison measures on: streams of caches, plain and filtered, and made contents.
   reads   uncompressed .bphys files: contents FOLDER FILE...
   writes  FOLDER/content_*; in .multi files each stream after its u32 size, as a cache file packs them one by one
   memory  some copies of one file      cost  O(bytes)
   after   own design */
#include "common/host.h"
#include "compress/transpose.h"
#include "zstd_help.h"
#include <stdlib.h>
#include <string.h>

typedef struct outputs {
    FILE *plain, *filtered, *plain_streams, *filtered_streams;
} outputs;

static FILE *opened(const char *folder, const char *name)
{
    char *path = host_text("%s/content_%s", folder, name);
    FILE *stream = path ? fopen(path, "wb") : NULL;
    free(path);
    if (!stream) exit(HOST_IO);
    return stream;
}

static void put(FILE *stream, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, stream) != size) exit(HOST_IO);
}

static void put_stream(FILE *all, FILE *streams, const uint8_t *bytes, size_t size)
{
    uint8_t head[4];
    for (uint32_t k = 0; k < 4; k++) head[k] = (uint8_t)(size >> 8 * k);
    put(streams, head, 4);
    put(streams, bytes, size);
    put(all, bytes, size);
}

static uint32_t word_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Streams of a file whose records stand point by point; other files are passed over. */
static void split_file(const char *path, const outputs *out)
{
    static const uint8_t widths[8] = {4, 12, 12, 16, 12, 4, 12, 20};
    uint8_t *bytes;
    size_t size, record = 0, at = 20;
    if (host_read_file(path, &bytes, &size) != HOST_DONE) exit(HOST_IO);
    uint32_t type = size < 20 ? 3 : word_at(bytes + 8), count = size < 20 ? 0 : word_at(bytes + 12);
    for (uint32_t k = 0; k < 8; k++) record += size >= 20 && bytes[16] >> k & 1u ? widths[k] : 0;
    bool is_plain = type < 3 && record > 0 && count <= (size - 20) / record;
    for (uint32_t k = 0; k < 8 && is_plain && count > 0; k++) {
        size_t width = widths[k];
        if (!(bytes[16] >> k & 1u)) continue;
        uint8_t *stream = host_allocate(2 * count, width);
        if (!stream) exit(HOST_NO_ROOM);
        for (size_t i = 0; i < count; i++) memcpy(stream + i * width, bytes + at + i * record, width);
        transpose_split(stream, count, width, stream + count * width);
        put_stream(out->plain, out->plain_streams, stream, count * width);
        put_stream(out->filtered, out->filtered_streams, stream + count * width, count * width);
        free(stream);
        at += width;
    }
    free(bytes);
}

static void make_contents(const char *folder)
{
    static const char *const names[CONTENT_KINDS] = {"zeros",   "noise", "text",  "floats",
                                                     "repeats", "few",   "rising"};
    const size_t size = 16777216, count = size / 16;
    uint8_t *bytes = host_allocate(2, size);
    if (!bytes) exit(HOST_NO_ROOM);
    for (int kind = 0; kind < CONTENT_KINDS; kind++) {
        FILE *stream = opened(folder, names[kind]);
        test_content(kind, bytes, size);
        put(stream, bytes, kind == CONTENT_ZEROS ? size : size / 4);
        fclose(stream);
    }
    test_content(CONTENT_FLOATS, bytes, count * 12);
    transpose_split(bytes, count, 12, bytes + size);
    FILE *stream = opened(folder, "floats_filtered");
    put(stream, bytes + size, count * 12);
    fclose(stream);
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2) return HOST_USAGE;
    outputs out = {opened(argv[1], "caches"), opened(argv[1], "caches_filtered"),
                   opened(argv[1], "streams.multi"), opened(argv[1], "streams_filtered.multi")};
    for (int i = 2; i < argc; i++) split_file(argv[i], &out);
    make_contents(argv[1]);
    fclose(out.plain);
    fclose(out.filtered);
    fclose(out.plain_streams);
    fclose(out.filtered_streams);
    return HOST_DONE;
}
