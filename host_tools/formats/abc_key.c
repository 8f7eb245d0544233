/* SPDX-License-Identifier: MIT
   host_tools/formats/abc_key.c - the hash that stands before each sample of an Alembic archive.
   reads   bytes                           writes  16 bytes
   memory  -                               cost    O(bytes)
   after   MurmurHash3, x64, 128 bits, seed 0 (Austin Appleby) */
#include "abc.h"
#include "bytes.h"

static const uint64_t FIRST = 0x87c37b91114253d5u, SECOND = 0x4cf5ad432745937fu;

static uint64_t turn(uint64_t value, uint32_t bits) { return value << bits | value >> (64 - bits); }

static uint64_t mix_first(uint64_t word) { return turn(word * FIRST, 31) * SECOND; }
static uint64_t mix_second(uint64_t word) { return turn(word * SECOND, 33) * FIRST; }

static uint64_t finish(uint64_t value)
{
    value = (value ^ value >> 33) * 0xff51afd7ed558ccdu;
    value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

void abc_key(const uint8_t *bytes, size_t size, uint8_t key[ABC_KEY_BYTES])
{
    uint64_t a = 0, b = 0;
    size_t at = 0;
    for (; size - at >= 16; at += 16) {
        a = (turn(a ^ mix_first(bytes_load(bytes + at, 8, false)), 27) + b) * 5 + 0x52dce729u;
        b = (turn(b ^ mix_second(bytes_load(bytes + at + 8, 8, false)), 31) + a) * 5 + 0x38495ab5u;
    }
    uint32_t rest = (uint32_t)(size - at), low = rest < 8 ? rest : 8;
    b ^= mix_second(bytes_load(bytes + at + low, rest - low, false));
    a ^= mix_first(bytes_load(bytes + at, low, false));
    a ^= size;
    b ^= size;
    a += b;
    b += a;
    a = finish(a);
    b = finish(b);
    a += b;
    b += a;
    bytes_store(key, 8, false, a);
    bytes_store(key + 8, 8, false, b);
}
