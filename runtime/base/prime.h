/* SPDX-License-Identifier: MIT
   runtime/base/prime.h - the spatial hash: three prime multipliers, a prime number of buckets, no
           division.
   reads   integer coordinates      writes  nothing
   memory  none                     cost    4 multiplications per hash
   after   Teschner et al. 2003, evaluated in uint32: the published int32 form overflows, which C
           leaves undefined */
#ifndef TPI_PRIME_H
#define TPI_PRIME_H
#include "base.h"

#define TPI_PRIME_X 0x8da6b343u
#define TPI_PRIME_Y 0xd8163841u
#define TPI_PRIME_Z 0xcb1ab31fu

TPI_INLINE uint32_t tpi_prime_hash(int32_t x, int32_t y, int32_t z)
{
    return TPI_PRIME_X * (uint32_t)x + TPI_PRIME_Y * (uint32_t)y + TPI_PRIME_Z * (uint32_t)z;
}

/* value mod prime by a multiplication with magic = floor(2^32 / prime). value * magic / 2^32 is the
   quotient or one less, because magic > 2^32 / prime - 1 and value < 2^32; one conditional
   subtraction corrects it. 1 < prime < 2^31. */
TPI_INLINE uint32_t tpi_prime_reduce(uint32_t value, uint32_t prime, uint32_t magic)
{
    uint32_t quotient = (uint32_t)(((uint64_t)value * magic) >> 32);
    uint32_t rest = value - quotient * prime;
    return rest >= prime ? rest - prime : rest;
}

/* Smallest prime of the table that is at least `count`; the largest one if `count` is beyond the
   table. */
TPI_FUNC uint32_t tpi_prime_at_least(uint32_t count);
TPI_FUNC uint32_t tpi_prime_magic(uint32_t prime);

#endif
