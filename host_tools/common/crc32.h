/* SPDX-License-Identifier: MIT
   host_tools/common/crc32.h - the cyclic redundancy check of ZIP, gzip and PNG.
   reads   bytes      writes  -
   memory  none   cost    2 ns per byte, and a table of 256 entries per call
   after   ISO 3309, polynomial 0xedb88320 */
#ifndef TIDEPOOL_CRC32_H
#define TIDEPOOL_CRC32_H
#include <stddef.h>
#include <stdint.h>

/* The sum of bytes whose beginning has the sum `sum`; 0: of nothing. */
static inline uint32_t crc32_add(uint32_t sum, const uint8_t *bytes, size_t size)
{
    uint32_t table[256];
    for (uint32_t byte = 0; byte < 256; byte++) {
        table[byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            table[byte] = (table[byte] & 1u ? 0xedb88320u : 0) ^ table[byte] >> 1;
    }
    sum = ~sum;
    for (size_t i = 0; i < size; i++) sum = table[(sum ^ bytes[i]) & 255u] ^ sum >> 8;
    return ~sum;
}

#endif
