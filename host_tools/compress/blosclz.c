/* SPDX-License-Identifier: MIT
   host_tools/compress/blosclz.c - decodes and encodes streams of BloscLZ.
   reads   bytes      writes  memory that the caller gives
   memory  the encoder's table of positions      cost  O(bytes)
   after   see blosclz.h; the encoder is greedy, with one position per hash of four bytes */
#include "blosclz.h"
#include <string.h>

enum {
    NEAR = 8191,         /* distances from here on are coded in two more bytes, less this */
    FAR = NEAR + 65535,  /* largest distance, less 1 */
    LONG = 7,            /* a length of three bits that more bytes follow */
    LITERALS = 32,       /* longest run of literals */
    LEAST_MATCH = 3,     /* a length of 1 */
    LEAST_FAR_MATCH = 7, /* the shortest match that saves something with its four bytes */
    LAST_LITERALS = 12,  /* decoders need literals at the end */
    MARK = 1 << 5,       /* in the first byte, as the level of FastLZ */
    HASH_LOG = 14
};

/* ---- decoding */

typedef struct lz_input {
    const uint8_t *bytes;
    size_t at, size;
} lz_input;

/* -1 at the end. */
static int next_byte(lz_input *input)
{
    return input->at < input->size ? input->bytes[input->at++] : -1;
}

/* Reads the rest of a match, whose first byte is `control`. False: the stream ends inside it. */
static bool read_match(lz_input *input, uint32_t control, uint64_t *length, size_t *distance)
{
    int byte = 255;
    *length = (control >> 5) + LEAST_MATCH - 1;
    for (bool is_long = control >> 5 == LONG; is_long && byte == 255;) {
        byte = next_byte(input);
        if (byte < 0) return false;
        *length += (uint32_t)byte;
    }
    byte = next_byte(input);
    if (byte < 0) return false;
    *distance = ((control & 31u) << 8) + (uint32_t)byte;
    if (*distance == NEAR) {
        int high = next_byte(input), low = next_byte(input);
        if (high < 0 || low < 0) return false;
        *distance += ((uint32_t)high << 8) + (uint32_t)low;
    }
    ++*distance;
    return true;
}

static const char *decode_match(lz_input *input, uint32_t control, uint8_t *out, size_t *written,
                                size_t out_size)
{
    uint64_t length;
    size_t distance;
    if (!read_match(input, control, &length, &distance)) return "the stream ends inside a match";
    if (distance > *written) return "a match begins before the output";
    if (length > out_size - *written) return "a match extends beyond the output";
    for (uint64_t i = 0; i < length; i++, ++*written) out[*written] = out[*written - distance];
    return NULL;
}

static const char *decode_literals(lz_input *input, size_t count, uint8_t *out, size_t *written,
                                   size_t out_size)
{
    if (count > input->size - input->at || count > out_size - *written)
        return "literals extend beyond the stream or the output";
    memcpy(out + *written, input->bytes + input->at, count);
    input->at += count;
    *written += count;
    return NULL;
}

bool blosclz_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                    compress_fault *fault)
{
    lz_input input = {bytes, 0, size};
    size_t written = 0, start = 0;
    const char *why = NULL;
    while (!why && input.at < size) {
        start = input.at;
        uint32_t control = bytes[input.at++];
        if (start == 0) control &= 31u; /* the first byte is a run; its upper bits tell nothing */
        why = control < LITERALS ? decode_literals(&input, control + 1, out, &written, out_size)
                                 : decode_match(&input, control, out, &written, out_size);
    }
    if (!why && written < out_size) {
        why = "the stream holds fewer bytes than it should";
        start = size;
    }
    *fault = (compress_fault){start, why};
    return !why;
}

/* ---- encoding */

typedef struct lz_output {
    uint8_t *bytes;
    size_t at, capacity;
    size_t run;      /* where the open run of literals begins */
    uint32_t length; /* of it; 0: none is open */
} lz_output;

static bool put_literal(lz_output *output, uint8_t byte)
{
    if (output->capacity - output->at < 2) return false;
    if (!output->length) output->run = output->at++;
    output->bytes[output->at++] = byte;
    output->bytes[output->run] = (uint8_t)output->length++;
    if (output->length == LITERALS) output->length = 0;
    return true;
}

/* `length` is that of the match less 2; `distance` less 1. */
static bool put_match(lz_output *output, size_t length, size_t distance)
{
    size_t near = distance < NEAR ? distance : NEAR;
    if (output->capacity - output->at < 5 + length / 255) return false;
    output->length = 0;
    output->bytes[output->at++] = (uint8_t)((length < LONG ? length : LONG) << 5 | near >> 8);
    if (length >= LONG) {
        for (length -= LONG; length >= 255; length -= 255) output->bytes[output->at++] = 255;
        output->bytes[output->at++] = (uint8_t)length;
    }
    output->bytes[output->at++] = (uint8_t)near;
    if (near < NEAR) return true;
    output->bytes[output->at++] = (uint8_t)((distance - NEAR) >> 8);
    output->bytes[output->at++] = (uint8_t)(distance - NEAR);
    return true;
}

static uint32_t hash_of(const uint8_t *at)
{
    uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return word * 2654435761u >> (32 - HASH_LOG);
}

/* Length of the match of the bytes at `at` with those at `earlier`; 0: none that saves bytes. */
static size_t match_length(const uint8_t *bytes, size_t size, size_t at, size_t earlier)
{
    size_t length = 0, distance = at - earlier - 1;
    if (earlier >= at || distance > FAR) return 0;
    while (at + length < size - LAST_LITERALS && bytes[at + length] == bytes[earlier + length])
        length++;
    return length >= (distance < NEAR ? LEAST_MATCH + 1 : LEAST_FAR_MATCH) ? length : 0;
}

size_t blosclz_encoder_bytes(void) { return sizeof(uint32_t) << HASH_LOG; }

size_t blosclz_encode(const uint8_t *bytes, size_t size, uint8_t *out, void *work)
{
    uint32_t *places = work;
    lz_output output = {.bytes = out, .capacity = size};
    size_t at = 0;
    if (size < 2 * LAST_LITERALS) return 0;
    memset(places, 0, blosclz_encoder_bytes());
    while (at < size) {
        size_t length = 0, earlier = 0;
        if (at && at < size - LAST_LITERALS) {
            uint32_t hash = hash_of(bytes + at);
            earlier = places[hash];
            places[hash] = (uint32_t)at;
            length = match_length(bytes, size, at, earlier);
        }
        bool good = length ? put_match(&output, length - LEAST_MATCH + 1, at - earlier - 1)
                           : put_literal(&output, bytes[at]);
        if (!good) return 0;
        at += length ? length : 1;
    }
    out[0] |= MARK;
    return output.at < size ? output.at : 0;
}
