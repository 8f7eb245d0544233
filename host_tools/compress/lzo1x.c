/* SPDX-License-Identifier: MIT
   host_tools/compress/lzo1x.c - decodes raw LZO1X streams.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost  O(bytes)
   after   the public description of the stream in the Linux kernel's documentation
           (staging/lzo.rst), version 0. An instruction is a match, followed by 0 to 3 literals; its
           first byte has its kind:
             00..0f  after 0 literals: a run of 4 or more literals; after 1 to 3 literals: a match
           of 2 bytes, distance
                     up to 1 KiB; after a run: a match of 3 bytes, distance 2 to 3 KiB
             10..1f  any length, distance 16 to 48 KiB; 11 00 00, which would be exactly 16 KiB, is
           the end mark
             20..3f  any length, distance up to 16 KiB
             40..ff  3 to 8 bytes, distance up to 2 KiB */
#include "lzo1x.h"
#include "copy.h"
#include "gain.h"

#define NEAR_MAX   2048u  /* distances of the two-byte instructions */
#define MIDDLE_MAX 16384u /* distances of instructions 20..3f */
#define END_BYTES  3u
#define RUN_STATE  4u /* value of `literals`: a run of 4 or more */
#define WIDE       16u
#define GAIN_MAX   255u /* decoded bytes per byte of a length */

uint64_t lzo1x_decoded_max(size_t size) { return compress_most(size, GAIN_MAX); }

/* ---- decoder */

typedef struct source {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_start, *out_end;
    const char *why;
} source;

static inline size_t input_left(const source *s) { return (size_t)(s->in_end - s->in); }
static inline size_t output_left(const source *s) { return (size_t)(s->out_end - s->out); }

static inline bool refuse(source *s, const uint8_t *at, const char *why)
{
    s->in = at;
    s->why = why;
    return false;
}

/* Reads a length whose bits in the instruction are 0: each zero byte adds 255, the first non-zero
   byte ends it. */
static inline bool take_length(source *s, uint32_t base, uint64_t *length)
{
    const uint8_t *start = s->in;
    while (s->in < s->in_end && *s->in == 0) s->in++;
    if (s->in == s->in_end) return refuse(s, s->in_end, "the stream ends inside of a length");
    *length = base + 255u * (uint64_t)(s->in - start) + *s->in;
    s->in++;
    return true;
}

/* May write up to WIDE - 1 bytes more if the output has space; later output overwrites them. */
static inline bool copy_literals(source *s, uint64_t count, const uint8_t *instruction)
{
    if (count > input_left(s)) return refuse(s, s->in_end, "the stream ends inside of literals");
    if (count > output_left(s))
        return refuse(s, instruction, "literals exceed the decoded size of the stream");
    if (count <= WIDE && input_left(s) >= WIDE && output_left(s) >= WIDE)
        memcpy(s->out, s->in, WIDE);
    else
        memcpy(s->out, s->in, (size_t)count);
    s->in += count;
    s->out += count;
    return true;
}

static inline bool copy_match(source *s, uint32_t distance, uint64_t length,
                              const uint8_t *instruction)
{
    if (distance > (size_t)(s->out - s->out_start))
        return refuse(s, instruction, "a distance leads to before the first byte");
    if (length > output_left(s))
        return refuse(s, instruction, "a copy exceeds the decoded size of the stream");
    copy_back(s->out, distance, (size_t)length, output_left(s));
    s->out += length;
    return true;
}

/* Decodes the match of an instruction; *literals becomes the number of literals that follow. */
static inline bool take_copy(source *s, uint32_t *literals, bool *ended)
{
    const uint8_t *at = s->in;
    uint32_t first = at[0], second = at[1], distance;
    uint64_t length;
    s->in += 2;
    if (first >= 64) {
        distance = (first >> 2 & 7u) + (second << 3) + 1;
        length = (first >> 5) + 1;
        *literals = first & 3u;
        return copy_match(s, distance, length, at);
    }
    if (first < 16) {
        distance = (first >> 2) + (second << 2) + 1;
        distance += *literals == RUN_STATE ? NEAR_MAX : 0;
        length = *literals == RUN_STATE ? 3 : 2;
        *literals = first & 3u;
        return copy_match(s, distance, length, at);
    }
    uint32_t mask = first >= 32 ? 31u : 7u;
    length = first & mask;
    s->in--;
    if (length == 0 && !take_length(s, mask, &length)) return false;
    if (input_left(s) < 2) return refuse(s, s->in_end, "the stream ends inside of a distance");
    uint32_t low = s->in[0] | (uint32_t)s->in[1] << 8;
    s->in += 2;
    distance = (low >> 2) + (first >= 32 ? 1u : MIDDLE_MAX + ((first & 8u) << 11));
    *literals = low & 3u;
    *ended = distance == MIDDLE_MAX && first < 32;
    if (*ended)
        return first == 17 && low == 0 ? true : refuse(s, at, "the end mark is not 11 00 00");
    return copy_match(s, distance, length + 2, at);
}

static inline bool take_run(source *s)
{
    const uint8_t *at = s->in++;
    uint64_t length = *at;
    if (length == 0 && !take_length(s, 15, &length)) return false;
    return copy_literals(s, length + 3, at);
}

/* Only the first byte of a stream may be a literal count: 1 to 3 as after an instruction, or a run
   of 4 or more. */
static inline bool take_first(source *s, uint32_t *literals)
{
    const uint8_t *at = s->in;
    if (input_left(s) == 0 || *at <= 17) return true;
    *literals = *at - 17u < RUN_STATE ? *at - 17u : RUN_STATE;
    s->in++;
    return copy_literals(s, *at - 17u, at);
}

static inline bool take_all(source *s)
{
    uint32_t literals = 0;
    bool ended = false;
    if (!take_first(s, &literals)) return false;
    while (true) {
        const uint8_t *at = s->in;
        if (input_left(s) < END_BYTES)
            return refuse(s, s->in_end, "the stream ends without the end mark");
        if (*at < 16 && literals == 0) {
            if (!take_run(s)) return false;
            literals = RUN_STATE;
            continue;
        }
        if (!take_copy(s, &literals, &ended)) return false;
        if (ended) break;
        if (input_left(s) >= 4 && output_left(s) >= 4) {
            memcpy(s->out, s->in, 4); /* 0 to 3 of them count */
            s->in += literals;
            s->out += literals;
        } else if (literals > 0 && !copy_literals(s, literals, at))
            return false;
    }
    if (s->out < s->out_end)
        return refuse(s, s->in - END_BYTES, "the stream holds fewer bytes than it should");
    if (s->in < s->in_end) return refuse(s, s->in, "bytes follow the end mark");
    return true;
}

bool lzo1x_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size,
                  compress_fault *fault)
{
    if (out_size > lzo1x_decoded_max(size)) {
        *fault =
            (compress_fault){size, "a stream of this size cannot hold as many bytes as it should"};
        return false;
    }
    source s = {bytes, bytes + size, out, out, out + out_size, NULL};
    bool good = take_all(&s);
    *fault = (compress_fault){good ? 0 : (size_t)(s.in - bytes), s.why};
    return good;
}
