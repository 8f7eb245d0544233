/* SPDX-License-Identifier: MIT
   tests/interop/zstd/compare.c - our Zstandard beside the reference library: the same bytes both ways, sizes, speeds.
   reads   files of any content; a name that ends in .multi holds buffers, each after its u32 size
   writes  a table, then `N passed, M failed`
   memory  some copies of the largest file      cost  about a second a file
   after   own design; speeds are medians of the ratios of neighbouring runs */
#include "common/host.h"
#include "compress/zstd.h"
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define ROUNDS      9
#define ROUND_BYTES 16000000u /* decoded in one round, so that short files are timed over many calls */

typedef struct batch {
    uint8_t *bytes;
    size_t *starts, *sizes, count, total;
} batch;

typedef struct packed {
    uint8_t *bytes;
    size_t *starts, *sizes, total;
} packed;

typedef struct codec {
    zstd_decoder *decoder;
    zstd_encoder *encoder;
    ZSTD_CCtx *reference_encoder;
    ZSTD_DCtx *reference_decoder;
    int level;
} codecs;

typedef size_t coder(codecs *codec, const uint8_t *bytes, size_t size, uint8_t *out, size_t room);

static size_t our_encode(codecs *codec, const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    return zstd_bound(size) <= room ? zstd_encode(codec->encoder, bytes, size, false, out) : 0;
}

static size_t our_decode(codecs *codec, const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    zstd_fault fault;
    size_t written;
    if (zstd_decode(codec->decoder, bytes, size, out, room, &written, &fault)) return written;
    fprintf(stderr, "byte %zu: %s\n", fault.offset, fault.text);
    return SIZE_MAX;
}

static size_t their_encode(codecs *codec, const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    return ZSTD_compressCCtx(codec->reference_encoder, out, room, bytes, size, codec->level);
}

static size_t their_decode(codecs *codec, const uint8_t *bytes, size_t size, uint8_t *out, size_t room)
{
    return ZSTD_decompressDCtx(codec->reference_decoder, out, room, bytes, size);
}

static void *needed(size_t size)
{
    void *memory = calloc(size ? size : 1, 1);
    if (!memory) exit(HOST_NO_ROOM);
    return memory;
}

static batch read_batch(const char *path)
{
    batch all = {0};
    size_t size, length = strlen(path);
    if (host_read_file(path, &all.bytes, &size) != HOST_DONE) exit(HOST_IO);
    bool is_multi = length > 6 && strcmp(path + length - 6, ".multi") == 0;
    all.starts = needed((size / 4 + 1) * sizeof *all.starts);
    all.sizes = needed((size / 4 + 1) * sizeof *all.sizes);
    if (!is_multi) {
        all.sizes[all.count++] = all.total = size;
        return all;
    }
    for (size_t at = 0; at + 4 <= size; at += all.sizes[all.count++]) {
        uint32_t here = 0;
        for (uint32_t k = 0; k < 4; k++) here |= (uint32_t)all.bytes[at + k] << 8 * k;
        at += 4;
        if (here > size - at) exit(HOST_BAD_INPUT);
        all.starts[all.count] = at;
        all.sizes[all.count] = here;
        all.total += here;
    }
    return all;
}

static packed encode_all(codecs *codec, coder *encode, const batch *all)
{
    packed result = {0};
    size_t room = 0;
    for (size_t k = 0; k < all->count; k++) {
        size_t ours = zstd_bound(all->sizes[k]), theirs = ZSTD_compressBound(all->sizes[k]);
        room += ours > theirs ? ours : theirs;
    }
    result.bytes = needed(room);
    result.starts = needed(all->count * sizeof *result.starts);
    result.sizes = needed(all->count * sizeof *result.sizes);
    for (size_t k = 0; k < all->count; k++) {
        result.starts[k] = result.total;
        result.sizes[k] = encode(codec, all->bytes + all->starts[k], all->sizes[k],
                                 result.bytes + result.total, room - result.total);
        result.total += result.sizes[k];
    }
    return result;
}

static void packed_free(packed *result)
{
    free(result->bytes);
    free(result->starts);
    free(result->sizes);
}

static bool decodes(codecs *codec, coder *decode, const batch *all, const packed *frames)
{
    bool is_good = true;
    for (size_t k = 0; k < all->count; k++) {
        uint8_t *out = needed(all->sizes[k]); /* exactly so much room */
        size_t size = decode(codec, frames->bytes + frames->starts[k], frames->sizes[k], out, all->sizes[k]);
        is_good = is_good && size == all->sizes[k] && memcmp(out, all->bytes + all->starts[k], size) == 0;
        free(out);
    }
    return is_good;
}

/* Seconds of one round over all buffers, each `repeats` times. */
static double round_seconds(codecs *codec, coder *work, const uint8_t *bytes, const size_t *starts,
                            const size_t *sizes, size_t count, uint8_t *out, size_t room, uint32_t repeats)
{
    double start = host_thread_seconds();
    for (uint32_t i = 0; i < repeats; i++)
        for (size_t k = 0; k < count; k++)
            if (work(codec, bytes + starts[k], sizes[k], out, room) == SIZE_MAX) exit(HOST_DIFFERENT);
    return host_thread_seconds() - start;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

typedef struct speeds {
    double ours, ratio; /* bytes of content a second; to the reference's */
} speeds;

static speeds measure(codecs *codec, coder *ours, coder *theirs, const uint8_t *bytes, const size_t *starts,
                      const size_t *sizes, const batch *all)
{
    double rates[ROUNDS], ratios[ROUNDS];
    size_t room = 0;
    uint32_t repeats = ROUND_BYTES / (uint32_t)(all->total ? all->total : 1) + 1;
    if (repeats > 1000) repeats = 1000;
    for (size_t k = 0; k < all->count; k++)
        if (zstd_bound(all->sizes[k]) > room) room = zstd_bound(all->sizes[k]);
    uint8_t *out = needed(room);
    for (int i = 0; i < ROUNDS; i++) {
        double a = round_seconds(codec, ours, bytes, starts, sizes, all->count, out, room, repeats);
        double b = round_seconds(codec, theirs, bytes, starts, sizes, all->count, out, room, repeats);
        rates[i] = (double)all->total * repeats / a;
        ratios[i] = b / a;
    }
    qsort(rates, ROUNDS, sizeof rates[0], ascending);
    qsort(ratios, ROUNDS, sizeof ratios[0], ascending);
    free(out);
    return (speeds){rates[ROUNDS / 2], ratios[ROUNDS / 2]};
}

/* True when both understand each other at every level. */
static bool compare(codecs *codec, const char *path)
{
    static const int levels[] = {-5, 1, 3, 9, 19};
    batch all = read_batch(path);
    packed ours = encode_all(codec, our_encode, &all);
    bool is_good = decodes(codec, their_decode, &all, &ours) && decodes(codec, our_decode, &all, &ours);
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++) {
        codec->level = levels[k];
        packed other = encode_all(codec, their_encode, &all);
        is_good = decodes(codec, our_decode, &all, &other) && is_good;
        packed_free(&other);
    }
    codec->level = 3;
    packed theirs = encode_all(codec, their_encode, &all);
    speeds decoding =
        measure(codec, our_decode, their_decode, theirs.bytes, theirs.starts, theirs.sizes, &all);
    speeds encoding = measure(codec, our_encode, their_encode, all.bytes, all.starts, all.sizes, &all);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("%-24s %9zu %9zu %9zu %7.3f %8.0f %6.2f %8.0f %6.2f  %s\n", name, all.total, ours.total,
           theirs.total, theirs.total ? (double)ours.total / (double)theirs.total : 0.0, decoding.ours / 1e6,
           decoding.ratio, encoding.ours / 1e6, encoding.ratio, is_good ? "ok" : "FAILED");
    packed_free(&ours);
    packed_free(&theirs);
    free(all.bytes);
    free(all.starts);
    free(all.sizes);
    return is_good;
}

int main(int argc, char **argv)
{
    codecs codec = {.decoder = zstd_decoder_start(needed(zstd_decoder_bytes())),
                    .encoder = zstd_encoder_start(needed(zstd_encoder_bytes())),
                    .reference_encoder = ZSTD_createCCtx(),
                    .reference_decoder = ZSTD_createDCtx()};
    int passed = 0;
    printf("libzstd %s; sizes at its level 3, speeds in MB/s of content, ratios ours to theirs\n",
           ZSTD_versionString());
    printf("%-24s %9s %9s %9s %7s %8s %6s %8s %6s\n", "file", "bytes", "ours", "theirs", "size", "decode",
           "ratio", "encode", "ratio");
    for (int i = 1; i < argc; i++) passed += compare(&codec, argv[i]);
    ZSTD_freeCCtx(codec.reference_encoder);
    ZSTD_freeDCtx(codec.reference_decoder);
    free(codec.decoder);
    free(codec.encoder);
    printf("%d passed, %d failed\n", passed, argc - 1 - passed);
    return passed == argc - 1 ? HOST_DONE : HOST_DIFFERENT;
}
