/* SPDX-License-Identifier: MIT
   tests/interop/codecs/contents.c - data for comparing codecs: streams of caches, and generated
           bytes.
   reads   uncompressed .bphys files      writes  -
   memory  malloc, freed by contents_free      cost  O(bytes)
   after   own design */
#include "contents.h"
#include "common/host.h"
#include "compress/transpose.h"
#include "payload_help.h"
#include "zstd_help.h"
#include <stdlib.h>
#include <string.h>

#define STREAMS      8u
#define HEADER_BYTES 20u

void *contents_memory(size_t size)
{
    void *memory = calloc(size ? size : 1, 1);
    if (!memory) exit(HOST_OUT_OF_MEMORY);
    return memory;
}

static uint8_t *add_part(contents *all, size_t size)
{
    all->bytes = realloc(all->bytes, all->total + size + 1);
    all->starts = realloc(all->starts, (all->count + 1) * sizeof *all->starts);
    all->sizes = realloc(all->sizes, (all->count + 1) * sizeof *all->sizes);
    if (!all->bytes || !all->starts || !all->sizes) exit(HOST_OUT_OF_MEMORY);
    all->starts[all->count] = all->total;
    all->sizes[all->count++] = size;
    all->total += size;
    return all->bytes + all->total - size;
}

static uint32_t word_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Adds the streams of an uncompressed file, in which the records of points are interleaved. */
static void add_file(contents *all, const char *path, bool is_filtered)
{
    static const uint8_t widths[STREAMS] = {4, 12, 12, 16, 12, 4, 12, 20};
    uint8_t *bytes;
    size_t size, record = 0, at = HEADER_BYTES;
    if (host_read_file(path, &bytes, &size) != HOST_DONE) exit(HOST_IO);
    bool is_plain = size >= HEADER_BYTES && word_at(bytes + 8) < 3;
    size_t count = is_plain ? word_at(bytes + 12) : 0;
    for (uint32_t k = 0; k < STREAMS && is_plain; k++)
        record += bytes[16] >> k & 1u ? widths[k] : 0;
    is_plain = is_plain && record > 0 && count > 0 && count <= (size - HEADER_BYTES) / record;
    for (uint32_t k = 0; k < STREAMS && is_plain; k++) {
        size_t width = widths[k];
        if (!(bytes[16] >> k & 1u)) continue;
        uint8_t *stream = contents_memory(count * width), *part = add_part(all, count * width);
        for (size_t i = 0; i < count; i++)
            memcpy(stream + i * width, bytes + at + i * record, width);
        if (is_filtered)
            transpose_split(stream, count, width, part);
        else
            memcpy(part, stream, count * width);
        free(stream);
        at += width;
    }
    free(bytes);
}

contents contents_of_caches(const char *name, char **paths, int path_count, bool is_filtered)
{
    contents all = {.name = name, .is_cache = true};
    for (int i = 0; i < path_count; i++) add_file(&all, paths[i], is_filtered);
    return all;
}

contents contents_joined(const char *name, const contents *parts)
{
    contents all = {.name = name, .is_cache = parts->is_cache};
    memcpy(add_part(&all, parts->total), parts->bytes, parts->total);
    return all;
}

static void add_periods(contents *made)
{
    for (size_t period = 1; period <= 300; period++)
        payload_repeat(add_part(made, 5000), 5000, period);
}

static void add_short(contents *made)
{
    for (size_t length = 0; length <= 300; length++)
        test_content(CONTENT_TEXT, add_part(made, length), length);
}

contents contents_made(int which, size_t size)
{
    static const char *const names[CONTENTS_MADE] = {"zeros",   "noise",   "text",   "floats",
                                                     "repeats", "few",     "rising", "points",
                                                     "mixed",   "periods", "short"};
    contents made = {.name = names[which]};
    if (which < CONTENT_KINDS)
        test_content(which, add_part(&made, size), size);
    else if (which < CONTENT_KINDS + 2)
        payload_fill(which == CONTENT_KINDS ? PAYLOAD_POINTS : PAYLOAD_MIXED, add_part(&made, size),
                     size);
    else if (which == CONTENT_KINDS + 2)
        add_periods(&made);
    else
        add_short(&made);
    return made;
}

void contents_free(contents *made)
{
    free(made->bytes);
    free(made->starts);
    free(made->sizes);
}
