/* SPDX-License-Identifier: MIT
   host_tools/compress/match.h - length of an LZ77 match.
   reads   bytes      writes  -
   memory  none     cost  O(match length)
   after   own design */
#ifndef TIDEPOOL_COMPRESS_MATCH_H
#define TIDEPOOL_COMPRESS_MATCH_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Number of equal bytes at `at` and `earlier`, at most up to `end`. Compares words of 8 bytes; on
   little-endian machines the first different byte is the lowest non-zero byte of the XOR. */
static inline size_t match_length(const uint8_t *at, const uint8_t *earlier, const uint8_t *end)
{
    const uint8_t *start = at;
    for (; end - at >= 8; at += 8, earlier += 8) {
        uint64_t here, there;
        memcpy(&here, at, sizeof here);
        memcpy(&there, earlier, sizeof there);
        if (here == there) continue;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return (size_t)(at - start) + ((size_t)__builtin_ctzll(here ^ there) >> 3);
#else
        break;
#endif
    }
    while (at < end && *at == *earlier) {
        at++;
        earlier++;
    }
    return (size_t)(at - start);
}

#endif
