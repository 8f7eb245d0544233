/* SPDX-License-Identifier: MIT
   host_tools/compress/deflate_codes.h - base values and extra bits of deflate's length and distance
           codes.
   reads   -      writes  -
   memory  178 bytes      cost  -
   after   RFC 1951, 3.2.5 */
#ifndef TIDEPOOL_DEFLATE_CODES_H
#define TIDEPOOL_DEFLATE_CODES_H
#include <stdint.h>

enum { DEFLATE_LENGTHS = 29, DEFLATE_DISTANCES = 30 };

/* The base value of a code, and the number of extra bits, which are added to it. */
extern const uint16_t deflate_length_base[DEFLATE_LENGTHS],
    deflate_distance_base[DEFLATE_DISTANCES];
extern const uint8_t deflate_length_extra[DEFLATE_LENGTHS],
    deflate_distance_extra[DEFLATE_DISTANCES];

#endif
