/* SPDX-License-Identifier: MIT
   tests/fuzz/zstd.c - fuzz target for Zstandard frames: decoded within the buffer, or refused with
           an offset.
   reads   any bytes      writes  nothing that stays
   memory  malloc, of exactly the bytes that a call may touch, so that a sanitizer reports an access
           beyond them
   cost    O(bytes in + bytes out), the latter at most FUZZ_CONTENT_MAX
   after   own design */
#include "fuzz.h"
#include "compress/zstd.h"
#include <stdlib.h>
#include <string.h>

#define FUZZ_CONTENT_MAX 1048576u

static void *exact(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) abort();
    return memory;
}

static void *decoder_once(void)
{
    static void *decoder;
    if (!decoder) decoder = exact(zstd_decoder_bytes());
    return decoder;
}

/* True if the bytes decode; *content then holds the decoded bytes. */
static bool decodes(const uint8_t *bytes, size_t size, size_t room, uint8_t **content,
                    size_t *written)
{
    compress_fault fault = {SIZE_MAX, NULL};
    *content = exact(room);
    bool is_good = zstd_decode_some(bytes, size, *content, room, written, decoder_once(), &fault);
    if (*written > room) abort();
    /* offset outside the input, or no reason */
    if (!is_good && (fault.at > size || !fault.why)) abort();
    return is_good;
}

/* Uses the bytes as content: the frame that we encode must decode to them. */
static void run_content(const uint8_t *bytes, size_t size)
{
    static void *encoder;
    size_t written;
    uint8_t *frame = exact(zstd_bound(size)), *content;
    if (!encoder) encoder = exact(zstd_encoder_bytes(0));
    size_t packed = zstd_encode(bytes, size, frame, zstd_bound(size), size % 2, encoder);
    if (packed > zstd_bound(size)) abort();
    if (!decodes(frame, packed, size, &content, &written) || written != size) abort();
    if (size > 0 && memcmp(content, bytes, size) != 0) abort();
    free(content);
    free(frame);
}

static void run_copy(const uint8_t *bytes, size_t size)
{
    compress_fault fault = {SIZE_MAX, NULL};
    uint64_t most = 0;
    size_t written, short_written;
    uint8_t *content, *short_content;
    if (!zstd_measure(bytes, size, &most, &fault)) {
        if (fault.at > size || !fault.why) abort();
        most = 1000; /* the frame could not be measured: the decoder must refuse it too */
    }
    if (most > FUZZ_CONTENT_MAX) most = FUZZ_CONTENT_MAX;
    bool is_good = decodes(bytes, size, (size_t)most, &content, &written);
    if (is_good && fault.why) abort(); /* the two calls disagree */
    if (is_good) run_content(content, written);
    if (is_good && written > 0) {
        if (decodes(bytes, size, written - 1, &short_content, &short_written)) abort();
        free(short_content);
    }
    free(content);
}

void fuzz_zstd(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = exact(size);
    if (size > 0) memcpy(copy, bytes, size);
    run_copy(copy, size);
    run_content(copy, size);
    free(copy);
}

void fuzz_zstd_changes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = exact(size);
    if (size > 0) memcpy(copy, bytes, size);
    for (size_t length = 0; length < size; length++) fuzz_zstd(copy, length);
    for (size_t at = 0; at < size; at++)
        for (uint32_t change = fuzz_change_first(at); change < 256; change += fuzz_change_step()) {
            copy[at] ^= (uint8_t)change;
            run_copy(copy, size);
            copy[at] ^= (uint8_t)change;
        }
    free(copy);
}
