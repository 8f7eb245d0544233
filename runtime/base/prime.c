/* SPDX-License-Identifier: MIT
   runtime/base/prime.c - prime sizes of hash tables, each about 2^(1/4) times the one before.
   reads   its arguments       writes  nothing
   memory  a constant table    cost    O(log of the size)
   after   Teschner et al. 2003 for the hash that uses them */
#include "prime.h"

/* With a prime number of buckets, block coordinates with common factors are spread evenly. The fine
   spacing keeps the table within 19 % of the wanted size. A test proves each entry prime. */
static const uint32_t prime_table[] = {
    7u,        11u,       13u,       17u,       19u,      23u,      29u,      31u,      37u,
    43u,       53u,       61u,       73u,       89u,      103u,     127u,     149u,     173u,
    211u,      251u,      293u,      347u,      409u,     487u,     577u,     691u,     821u,
    971u,      1153u,     1373u,     1637u,     1949u,    2309u,    2741u,    3259u,    3877u,
    4621u,     5483u,     6521u,     7753u,     9221u,    10973u,   13033u,   15511u,   18433u,
    21929u,    26083u,    31013u,    36871u,    43853u,   52147u,   62003u,   73751u,   87679u,
    104281u,   123997u,   147457u,   175361u,   208553u,  247991u,  294919u,  350711u,  417089u,
    495983u,   589829u,   701443u,   834137u,   991973u,  1179649u, 1402847u, 1668299u, 1983929u,
    2359303u,  2805703u,  3336563u,  3967871u,  4718617u, 5611391u, 6673097u, 7935701u, 9437189u,
    11222789u, 13346209u, 15871423u, 18874379u,
};
#define TPI_PRIME_COUNT (sizeof prime_table / sizeof prime_table[0])

uint32_t tpi_prime_at_least(uint32_t count)
{
    uint32_t index = 0;
    while (index + 1 < TPI_PRIME_COUNT && prime_table[index] < count) index++;
    return prime_table[index];
}

uint32_t tpi_prime_magic(uint32_t prime) { return (uint32_t)(0x100000000u / prime); }
#undef TPI_PRIME_COUNT
