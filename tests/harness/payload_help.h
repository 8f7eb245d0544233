/* SPDX-License-Identifier: MIT
   tests/harness/payload_help.h - test data for compression, and checks that every decoder must
           pass.
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
    PAYLOAD_POINTS, /* x, y, z floats on a slope, like those in caches */
    /* pieces of the other kinds and of itself, copied from short and long distances */
    PAYLOAD_MIXED,
    PAYLOAD_KINDS
} payload_kind;

extern const char *const payload_names[PAYLOAD_KINDS];

/* The same bytes for the same arguments. */
void payload_fill(payload_kind kind, uint8_t *to, size_t size);
/* Random bytes with this period. */
void payload_repeat(uint8_t *to, size_t size, size_t period);

typedef bool (*payload_decoder)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                                compress_fault *fault);

/* Decodes a copy of `stream` of exact size into a buffer with guard bytes, so that overreads and
   overwrites are found. Copies the result to `out` unless that is NULL. Returns the decoder's
   result. */
bool payload_decode(payload_decoder decode, const uint8_t *stream, size_t size, uint8_t *out,
                    size_t out_size, compress_fault *fault);
/* Checks that the stream decodes to these bytes. */
bool payload_expect(payload_decoder decode, const uint8_t *stream, size_t size,
                    const uint8_t *bytes, size_t byte_count);
/* Compresses and decompresses the bytes; false if the result differs. */
typedef bool (*payload_round_trip)(const uint8_t *bytes, size_t size);
/* Round trips of all sizes up to 300 bytes of every kind; of 5 000 bytes of every period up to 300;
   of `size` bytes of a kind. */
void payload_come_back_small(payload_round_trip round_trip);
void payload_come_back_repeats(payload_round_trip round_trip);
void payload_come_back(payload_round_trip round_trip, payload_kind kind, size_t size);
/* Checks that the stream is refused at byte `at` with the text `why`. */
void payload_expect_fault(payload_decoder decode, const uint8_t *stream, size_t size,
                          size_t out_size, size_t at, const char *why);
/* Every truncation must fail. Every change of a byte must fail with an offset and a text, or
   decode. */
void payload_expect_survival(payload_decoder decode, const uint8_t *stream, size_t size,
                             size_t out_size);

/* Checks the blocks of compression `code` in a frame that Blender wrote against the uncompressed
   frame that Blender wrote. Both are in tests/fixtures/blender, for example ("rotation", "light",
   "456D6974746572", 6). */
void payload_expect_blocks(payload_decoder decode, uint8_t code, const char *simulation,
                           const char *folder, const char *name, int frame);

#endif
