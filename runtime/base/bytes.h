/* SPDX-License-Identifier: MIT
   runtime/base/bytes.h - integers in storage: little-endian, at any alignment.
   reads   bytes      writes  bytes
   memory  none       cost    O(1): compilers make one load or store of it if the machine allows it
   after   own design; the only file that depends on byte order */
#ifndef TPI_BYTES_H
#define TPI_BYTES_H
#include "base.h"

TPI_INLINE void tpi_store_u32(uint8_t *bytes, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (8u * i));
}
TPI_INLINE uint32_t tpi_load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}
TPI_INLINE void tpi_store_u64(uint8_t *bytes, uint64_t value)
{
    tpi_store_u32(bytes, (uint32_t)value);
    tpi_store_u32(bytes + 4, (uint32_t)(value >> 32));
}
TPI_INLINE uint64_t tpi_load_u64(const uint8_t *bytes)
{
    return (uint64_t)tpi_load_u32(bytes) | (uint64_t)tpi_load_u32(bytes + 4) << 32;
}

#endif
