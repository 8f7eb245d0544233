/* SPDX-License-Identifier: MIT
   tests/static/eva.h - unknown values, for the drivers that Eva analyses.
   reads   nothing      writes  its results
   memory  none         cost    none: these programs are analysed, never run
   after   Frama-C's __fc_builtin.h */
#ifndef EVA_H
#define EVA_H
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include "__fc_builtin.h"

/* Specifications of the memory functions that the runtime calls. For size 0 they require nothing:
   Frama-C's own specification forbids an address one past the last byte, which C allows. */
/*@ requires to: size == 0 || \valid((char *)to + (0 .. size - 1));
    requires from: size == 0 || \valid_read((char *)from + (0 .. size - 1));
    requires apart: size == 0 || \separated((char *)to + (0 .. size - 1), (char *)from + (0 .. size
    - 1)); assigns ((char *)to)[0 .. size - 1] \from ((char *)from)[0 .. size - 1];
    assigns \result \from to;
    ensures \result == to; */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
/*@ requires to: size == 0 || \valid((char *)to + (0 .. size - 1));
    assigns ((char *)to)[0 .. size - 1] \from value;
    assigns \result \from to;
    ensures \result == to; */
void *memset(void *to, int value, size_t size);

static inline uint32_t eva_u32(uint32_t low, uint32_t high)
{
    return Frama_C_unsigned_int_interval(low, high);
}
static inline uint64_t eva_u64_between(uint64_t low, uint64_t high)
{
    return Frama_C_unsigned_long_interval(low, high);
}
static inline uint64_t eva_u64(void) { return eva_u64_between(0, UINT64_MAX); }
static inline bool eva_bool(void) { return Frama_C_interval(0, 1) != 0; }
static inline void eva_fill(void *bytes, size_t size) { Frama_C_make_unknown((char *)bytes, size); }

#endif
