/* SPDX-License-Identifier: MIT
   host_tools/compress/deflate_codes.c - base values and extra bits of deflate's length and distance
           codes.
   reads   -      writes  -
   memory  178 bytes      cost  -
   after   RFC 1951, 3.2.5 */
#include "deflate_codes.h"

/* RFC 1951, 3.2.5: each base is the previous one plus 2^(its extra bits). */
const uint16_t deflate_length_base[DEFLATE_LENGTHS] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
const uint8_t deflate_length_extra[DEFLATE_LENGTHS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
const uint16_t deflate_distance_base[DEFLATE_DISTANCES] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
const uint8_t deflate_distance_extra[DEFLATE_DISTANCES] = {0, 0, 0,  0,  1,  1,  2,  2,  3,  3,
                                                           4, 4, 5,  5,  6,  6,  7,  7,  8,  8,
                                                           9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
