/* SPDX-License-Identifier: MIT
   host_tools/compress/lz4.c - decodes blocks of LZ4, and stores literals as one.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  O(bytes)
   after   see lz4.h */
#include "lz4.h"
#include <string.h>

enum { LEAST_MATCH = 4, LONG = 15 };

uint64_t lz4_decoded_max(size_t size) { return (uint64_t)size * 255u; }

typedef struct lz4_input {
    const uint8_t *bytes;
    size_t at, size;
    const char *why; /* NULL: no fault */
} lz4_input;

static size_t fail(lz4_input *input, const char *why)
{
    if (!input->why) input->why = why;
    return 0;
}

/* The rest of a length whose first four bits are all set. */
static size_t long_length(lz4_input *input, size_t length)
{
    uint8_t byte = 255;
    if (length < LONG) return length;
    while (byte == 255 && input->at < input->size) length += byte = input->bytes[input->at++];
    return byte == 255 ? fail(input, "the block ends inside a length") : length;
}

static size_t match_distance(lz4_input *input, size_t written)
{
    if (input->size - input->at < 2) return fail(input, "the block ends inside a match");
    const uint8_t *at = input->bytes + input->at;
    size_t distance = at[0] | (size_t)at[1] << 8;
    if (!distance || distance > written) return fail(input, "a match begins before the output");
    input->at += 2;
    return distance;
}

size_t lz4_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                  compress_fault *fault)
{
    lz4_input input = {bytes, 0, size, NULL};
    size_t written = 0;
    while (!input.why) {
        if (input.at == size) fail(&input, "the block ends before its last literals");
        if (input.why) break;
        uint8_t token = bytes[input.at++];
        size_t literals = long_length(&input, token >> 4);
        if (!input.why && (literals > size - input.at || literals > capacity - written))
            fail(&input, "literals extend beyond the block or the output");
        if (input.why) break;
        memcpy(out + written, bytes + input.at, literals);
        input.at += literals, written += literals;
        if (input.at == size) return written; /* the last sequence has no match */
        size_t distance = match_distance(&input, written);
        size_t length = input.why ? 0 : long_length(&input, token & 15u) + LEAST_MATCH;
        if (!input.why && length > capacity - written)
            fail(&input, "a match extends beyond the output");
        for (size_t i = 0; !input.why && i < length; i++, written++)
            out[written] = out[written - distance];
    }
    *fault = (compress_fault){input.at, input.why};
    return SIZE_MAX;
}

size_t lz4_bound(size_t size) { return size + size / 255 + 2; }

size_t lz4_store(const uint8_t *bytes, size_t size, uint8_t *out)
{
    size_t at = 0, left = size;
    out[at++] = (uint8_t)((size < LONG ? size : LONG) << 4);
    if (size >= LONG) {
        for (left = size - LONG; left >= 255; left -= 255) out[at++] = 255;
        out[at++] = (uint8_t)left;
    }
    memcpy(out + at, bytes, size);
    return at + size;
}
