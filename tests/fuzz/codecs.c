/* SPDX-License-Identifier: MIT
   tests/fuzz/codecs.c - fuzz targets for compressed streams: they decode or are refused; ours
           decode.
   reads   any bytes      writes  nothing
   memory  malloc, a few times the input and some MiB
   cost    O(bytes); for all single-byte changes: O(256 * bytes) decodes
   after   own design */
#include "fuzz.h"
#include "compress/inflate.h"
#include "compress/lzma1.h"
#include "compress/lzo1x.h"
#include "render/render.h"
#include <stdlib.h>
#include <string.h>

typedef bool (*decoder)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                        compress_fault *fault);

/* The first two bytes of an input give the decoded size of the rest. */
#define HEAD_BYTES 2u
#define ENCODE_MAX 4096u /* at most so many bytes of an input are encoded */

static size_t claimed(const uint8_t *bytes) { return bytes[0] | (size_t)bytes[1] << 8; }

/* Decodes from a copy of exact size, so that a sanitizer reports a read beyond the end. */
static void decode_exactly(decoder decode, const uint8_t *stream, size_t size, size_t out_size)
{
    uint8_t *copy = malloc(size ? size : 1), *out = malloc(out_size ? out_size : 1);
    compress_fault fault = {0, NULL};
    if (!copy || !out) abort();
    memcpy(copy, stream, size);
    bool good = decode(copy, size, out, out_size, &fault);
    if (good != !fault.why || fault.at > size) abort();
    free(copy);
    free(out);
}

static void decode_claim(decoder decode, const uint8_t *bytes, size_t size)
{
    if (size >= HEAD_BYTES)
        decode_exactly(decode, bytes + HEAD_BYTES, size - HEAD_BYTES, claimed(bytes));
}

/* Every truncation, and every value of every byte. */
static void decode_changes(decoder decode, const uint8_t *bytes, size_t size)
{
    if (size < HEAD_BYTES) return;
    const uint8_t *stream = bytes + HEAD_BYTES;
    size_t stream_size = size - HEAD_BYTES;
    uint8_t *changed = malloc(stream_size ? stream_size : 1);
    if (!changed) abort();
    for (size_t cut = 0; cut <= stream_size; cut++)
        decode_exactly(decode, stream, cut, claimed(bytes));
    for (size_t at = 0; at < stream_size; at++)
        for (uint32_t value = fuzz_change_first(at); value < 256; value += fuzz_change_step()) {
            memcpy(changed, stream, stream_size);
            changed[at] = (uint8_t)value;
            decode_exactly(decode, changed, stream_size, claimed(bytes));
        }
    free(changed);
}

/* Returns the encoded stream of the bytes, in malloc memory. */
typedef uint8_t *(*encoder)(const uint8_t *bytes, size_t size, size_t *stream_size);

/* What we encode decodes to the same bytes. */
static void come_back(encoder encode, decoder decode, const uint8_t *bytes, size_t size)
{
    size_t stream_size = 0;
    uint8_t *stream = encode(bytes, size, &stream_size), *out = malloc(size ? size : 1);
    compress_fault fault;
    if (!stream || !out || !stream_size || !decode(stream, stream_size, out, size, &fault)) abort();
    if (memcmp(out, bytes, size) != 0) abort();
    free(stream);
    free(out);
}

/* ---- LZO1X */

static uint8_t *encode_lzo1x(const uint8_t *bytes, size_t size, size_t *stream_size)
{
    static uint16_t dictionary[LZO1X_DICTIONARY];
    size_t room = lzo1x_bound(size);
    uint8_t *stream = malloc(room);
    if (stream) *stream_size = lzo1x_encode(bytes, size, stream, room, dictionary);
    return stream;
}

void fuzz_lzo1x(const uint8_t *bytes, size_t size)
{
    decode_claim(lzo1x_decode, bytes, size);
    come_back(encode_lzo1x, lzo1x_decode, bytes, size);
}

void fuzz_lzo1x_changes(const uint8_t *bytes, size_t size)
{
    decode_changes(lzo1x_decode, bytes, size);
}

/* ---- zlib streams */

static bool decode_inflate(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                           compress_fault *fault)
{
    size_t used;
    if (out_size > inflate_decoded_max(size) &&
        inflate_zlib(bytes, size, out, out_size, &used, fault))
        abort();
    return inflate_zlib(bytes, size, out, out_size, &used, fault);
}

static uint8_t *encode_deflate(const uint8_t *bytes, size_t size, size_t *stream_size)
{
    uint8_t *stream;
    return deflate_zlib(bytes, size, &stream, stream_size) == 0 ? stream : NULL;
}

void fuzz_inflate(const uint8_t *bytes, size_t size)
{
    decode_claim(decode_inflate, bytes, size);
    come_back(encode_deflate, decode_inflate, bytes, size);
}

void fuzz_inflate_changes(const uint8_t *bytes, size_t size)
{
    decode_changes(decode_inflate, bytes, size);
}

/* ---- LZMA */

static lzma1_settings settings;

static bool decode_lzma1(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                         compress_fault *fault)
{
    void *work = malloc(lzma1_decoder_bytes(&settings));
    if (!work) abort();
    bool good = lzma1_decode(&settings, bytes, size, out, out_size, work, fault);
    free(work);
    return good;
}

/* Removes the LZMA property byte between the size and the stream; NULL if the input is too
   short. */
static uint8_t *take_settings(const uint8_t *bytes, size_t size)
{
    uint8_t properties[LZMA1_PROPERTY_BYTES] = {0, 0, 0, 1, 0};
    compress_fault fault;
    if (size <= HEAD_BYTES) return NULL;
    properties[0] = bytes[HEAD_BYTES];
    if (!lzma1_load_settings(properties, &settings, &fault)) return NULL;
    uint8_t *rest = malloc(size - 1);
    if (!rest) abort();
    memcpy(rest, bytes, HEAD_BYTES);
    memcpy(rest + HEAD_BYTES, bytes + HEAD_BYTES + 1, size - HEAD_BYTES - 1);
    return rest;
}

static uint8_t *encode_lzma1(const uint8_t *bytes, size_t size, size_t *stream_size)
{
    size_t room = size + size / 8 + 100;
    uint8_t *stream = malloc(room);
    void *work = malloc(lzma1_encoder_bytes(&settings, size));
    if (!work) abort();
    settings.end_marker = size % 2 == 1;
    if (stream) *stream_size = lzma1_encode(&settings, bytes, size, stream, room, work);
    free(work);
    return stream;
}

void fuzz_lzma1(const uint8_t *bytes, size_t size)
{
    uint8_t *rest = take_settings(bytes, size);
    if (!rest) return;
    decode_claim(decode_lzma1, rest, size - 1);
    come_back(encode_lzma1, decode_lzma1, rest, size - 1 < ENCODE_MAX ? size - 1 : ENCODE_MAX);
    free(rest);
}

void fuzz_lzma1_changes(const uint8_t *bytes, size_t size)
{
    uint8_t *rest = take_settings(bytes, size);
    if (rest) decode_changes(decode_lzma1, rest, size - 1);
    free(rest);
}
