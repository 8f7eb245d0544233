/* SPDX-License-Identifier: MIT
   tests/harness/payload_help.h - bytes to compress, and what every decoder must survive.
   reads   tests/fixtures/blender      writes  memory of the caller
   memory  malloc         cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_PAYLOAD_HELP_H
#define TIDEPOOL_PAYLOAD_HELP_H
#include "../../host_tools/compress/fault.h"
#include "test.h"

typedef enum payload_kind {
    PAYLOAD_ZEROS,
    PAYLOAD_RANDOM,
    PAYLOAD_TEXT,
    PAYLOAD_POINTS, /* x, y, z floats on a slope, as caches hold them */
    PAYLOAD_MIXED,  /* pieces of the others and of itself, from near and far */
    PAYLOAD_KINDS
} payload_kind;

extern const char *const payload_names[PAYLOAD_KINDS];

/* The same bytes for the same arguments. */
void payload_fill(payload_kind kind, uint8_t *to, size_t size);
/* Random bytes that repeat after `period` of them. */
void payload_repeat(uint8_t *to, size_t size, size_t period);

typedef bool (*payload_decoder)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                                compress_fault *fault);

/* Decodes a copy of `stream` that has its exact size, into a range with guards around it, and checks both. The bytes go
   to `out` when it is not NULL. Returns what the decoder returned. */
bool payload_decode(payload_decoder decode, const uint8_t *stream, size_t size, uint8_t *out, size_t out_size,
                    compress_fault *fault);
/* Checks that the stream decodes to these bytes. */
bool payload_expect(payload_decoder decode, const uint8_t *stream, size_t size, const uint8_t *bytes,
                    size_t byte_count);
/* Packs and unpacks bytes, and checks that they are the same; false when they are not. */
typedef bool (*payload_round_trip)(const uint8_t *bytes, size_t size);
/* All sizes up to 300 bytes of every kind; 5 000 bytes of every period up to 300; `size` bytes of a kind. */
void payload_come_back_small(payload_round_trip round_trip);
void payload_come_back_repeats(payload_round_trip round_trip);
void payload_come_back(payload_round_trip round_trip, payload_kind kind, size_t size);
/* Checks that the stream is refused at that byte with that text. */
void payload_expect_fault(payload_decoder decode, const uint8_t *stream, size_t size, size_t out_size,
                          size_t at, const char *why);
/* Every truncation fails; every change of a byte fails with a byte and a text, or decodes. */
void payload_expect_survival(payload_decoder decode, const uint8_t *stream, size_t size, size_t out_size);

/* Checks the blocks of compression `code` in a frame that Blender wrote against the same frame as it wrote it without
   compression; both lie in tests/fixtures/blender, for example ("rotation", "light", "456D6974746572", 6). */
void payload_expect_blocks(payload_decoder decode, uint8_t code, const char *simulation, const char *folder,
                           const char *name, int frame);

#endif
