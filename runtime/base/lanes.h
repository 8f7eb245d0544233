/* SPDX-License-Identifier: MIT
   runtime/base/lanes.h - SIMD vectors of TPI_LANES numbers: the same source for every width, with
           equal bits.
   reads   its arguments      writes  its results
   memory  registers          cost    one instruction each if the machine has one
   after   own design: the compiler's vector types provide + - * /; this file adds the operations
           that they lack. The width is chosen at compile time: 16 (AVX-512), 8 (AVX2), 4 (SSE2,
           AArch64, WebAssembly SIMD), else 1, where a lane is a plain float. ARMv7's vectors flush
           subnormals and have no division: there the width is 1 */
#ifndef TPI_LANES_H
#define TPI_LANES_H
#include "base.h"

/* A definition of TIDEPOOL_LANES (1, 4, 8 or 16) overrides the choice; the compiler then emulates
   widths that the machine lacks. TPI_PASS: the text is compiled once more, for wider vectors than
   the compiler's flags promise: see base/pass.h. The x86 intrinsics header needs a hosted
   compiler. */
#if defined(TPI_PASS)
#undef TPI_LANES
#undef TPI_LANES_SSE2
#undef TPI_LANES_AVX2
#undef TPI_LANES_AVX512
#undef TPI_LANES_BITS
#undef TPI_LANES_EACH
#undef TPI_LANES_AT
#undef TPI_LANES_COUNTED
#define TPI_LANES TPI_PASS
#elif defined(TIDEPOOL_LANES)
#define TPI_LANES TIDEPOOL_LANES
#elif defined(__GNUC__) && defined(__AVX512F__) && defined(__AVX512BW__) && __STDC_HOSTED__
#define TPI_LANES 16
#elif defined(__GNUC__) && defined(__AVX2__) && __STDC_HOSTED__
#define TPI_LANES 8
#elif defined(__GNUC__) && \
    ((defined(__SSE2__) && __STDC_HOSTED__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define TPI_LANES 4
#else
#define TPI_LANES 1
#endif
#if TPI_LANES != 1 && TPI_LANES != 4 && TPI_LANES != 8 && TPI_LANES != 16
#error "Tidepool: TIDEPOOL_LANES must be 1, 4, 8 or 16"
#endif

/* Defined if the machine's instructions of that width may be used directly. TPI_LANES_BITS: and
   those that deposit and extract bits (BMI2). */
#if TPI_LANES == 16 && \
    (defined(TPI_PASS) || (defined(__AVX512F__) && defined(__AVX512BW__) && __STDC_HOSTED__))
#define TPI_LANES_AVX512
#elif TPI_LANES == 8 && (defined(TPI_PASS) || (defined(__AVX2__) && __STDC_HOSTED__))
#define TPI_LANES_AVX2
#elif TPI_LANES == 4 && defined(__SSE2__) && __STDC_HOSTED__
#define TPI_LANES_SSE2
#elif TPI_LANES == 4 && defined(__aarch64__)
#define TPI_LANES_NEON
#elif TPI_LANES == 4 && defined(__wasm_simd128__)
#define TPI_LANES_WASM
#endif
#if (defined(TPI_LANES_AVX512) || defined(TPI_LANES_AVX2)) && \
    (defined(TPI_PASS) || defined(__BMI2__))
#define TPI_LANES_BITS
#endif
/* The SSE2 header compiles in .02 s, the header of all x86 vectors in .6 s. */
#if defined(TPI_LANES_AVX512) || defined(TPI_LANES_AVX2)
#include <immintrin.h>
#elif defined(TPI_LANES_SSE2)
#include <emmintrin.h>
#elif defined(TPI_LANES_NEON)
#include <arm_neon.h>
#elif defined(TPI_LANES_WASM)
#include <wasm_simd128.h>
#endif

/* Precedes a loop over all lanes. By default clang does not unroll it for WebAssembly. A lane with
   a variable index is then written to memory and read back with the other three: the pair loops
   took twice the time. */
#if defined(TPI_LANES_WASM)
#define TPI_LANE_LOOP _Pragma("clang loop unroll(full)")
#else
#define TPI_LANE_LOOP
#endif

/* The bits of a whole vector, see tpi_lanes_bits. */
#define TPI_LANES_ALL ((uint32_t)(((uint64_t)1 << TPI_LANES) - 1u))
/* Loops for particles that need no look at anything else take code: the smallest builds, without
   vectors and colliders, have the general loops alone. */
#define TPI_HAS_SHORTCUTS (TPI_LANES > 1 || TPI_HAS_COLLIDERS)

/* Types wider than the machine's vectors have no standard calling convention between compilers; all
   code here is compiled together. */
#if TPI_LANES > 4 && defined(__GNUC__) && !defined(TPI_LANES_AVX512) && !defined(TPI_LANES_AVX2)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if TPI_LANES == 1
typedef float tpi_lanes;
typedef int32_t tpi_lane_ints;
typedef uint32_t tpi_lane_words;
#define TPI_LANES_EACH(value) (value)
#define TPI_LANE(lanes, k)    (*((void)(k), &(lanes)))
#else
typedef float tpi_lanes __attribute__((vector_size(4 * TPI_LANES), aligned(4 * TPI_LANES)));
typedef int32_t tpi_lane_ints __attribute__((vector_size(4 * TPI_LANES), aligned(4 * TPI_LANES)));
typedef uint32_t tpi_lane_words __attribute__((vector_size(4 * TPI_LANES), aligned(4 * TPI_LANES)));
#define TPI_LANE(lanes, k) ((lanes)[k])
#if TPI_LANES == 4
#define TPI_LANES_EACH(value)              \
    {                                      \
        (value), (value), (value), (value) \
    }
#define TPI_LANES_COUNTED \
    {                     \
        0, 1, 2, 3        \
    }
#elif TPI_LANES == 8
#define TPI_LANES_EACH(value)                                                  \
    {                                                                          \
        (value), (value), (value), (value), (value), (value), (value), (value) \
    }
#define TPI_LANES_COUNTED      \
    {                          \
        0, 1, 2, 3, 4, 5, 6, 7 \
    }
#else
#define TPI_LANES_EACH(value)                                                                     \
    {                                                                                             \
        (value), (value), (value), (value), (value), (value), (value), (value), (value), (value), \
            (value), (value), (value), (value), (value), (value)                                  \
    }
#define TPI_LANES_COUNTED                                    \
    {                                                        \
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 \
    }
#endif
#endif

/* A boolean per lane. */
#if defined(TPI_LANES_AVX512)
typedef __mmask16 tpi_lane_mask;
#else
typedef tpi_lane_ints tpi_lane_mask; /* -1 and 0 */
#endif

/* ---- load and store; any alignment ---- */
TPI_INLINE tpi_lanes tpi_lanes_of(float value)
{
    tpi_lanes lanes = TPI_LANES_EACH(value);
    return lanes;
}
TPI_INLINE tpi_lane_ints tpi_lane_ints_of(int32_t value)
{
    tpi_lane_ints lanes = TPI_LANES_EACH(value);
    return lanes;
}
/* One lane lies at a word: without this promise processors that load only aligned words would call
   memcpy. More lanes lie anywhere. */
#if TPI_LANES == 1 && defined(__GNUC__)
#define TPI_LANES_AT(pointer) __builtin_assume_aligned(pointer, 4)
#else
#define TPI_LANES_AT(pointer) (pointer)
#endif
TPI_INLINE tpi_lanes tpi_lanes_load(const float *from)
{
    tpi_lanes lanes;
    tpi_memcpy(&lanes, TPI_LANES_AT(from), sizeof lanes);
    return lanes;
}
TPI_INLINE tpi_lane_ints tpi_lane_ints_load(const void *from)
{
    tpi_lane_ints lanes;
    tpi_memcpy(&lanes, TPI_LANES_AT(from), sizeof lanes);
    return lanes;
}
TPI_INLINE void tpi_lanes_store(float *to, tpi_lanes lanes)
{
    tpi_memcpy(TPI_LANES_AT(to), &lanes, sizeof lanes);
}
/* Stores the first `count` lanes only, 1..TPI_LANES. */
TPI_INLINE void tpi_lanes_store_first(float *to, tpi_lanes lanes, uint32_t count)
{
    if (TPI_LIKELY(count == TPI_LANES))
        tpi_memcpy(TPI_LANES_AT(to), &lanes, sizeof lanes);
    else
        for (uint32_t k = 0; k < count; k++) to[k] = TPI_LANE(lanes, k);
}
TPI_INLINE void tpi_lane_ints_store(void *to, tpi_lane_ints lanes)
{
    tpi_memcpy(TPI_LANES_AT(to), &lanes, sizeof lanes);
}

/* first, first + 1, ... */
TPI_INLINE tpi_lane_ints tpi_lane_ints_counted(int32_t first)
{
#if TPI_LANES == 1
    return first;
#else
    const tpi_lane_ints counted = TPI_LANES_COUNTED;
    return counted + tpi_lane_ints_of(first);
#endif
}

/* ---- float <-> integer; towards zero; |value| < 2^31 ---- */
#if TPI_LANES == 1
TPI_INLINE tpi_lane_ints tpi_lanes_truncate(tpi_lanes value) { return (int32_t)value; }
TPI_INLINE tpi_lanes tpi_lanes_from_ints(tpi_lane_ints value) { return (float)value; }
#else
TPI_INLINE tpi_lane_ints tpi_lanes_truncate(tpi_lanes value)
{
    return __builtin_convertvector(value, tpi_lane_ints);
}
TPI_INLINE tpi_lanes tpi_lanes_from_ints(tpi_lane_ints value)
{
    return __builtin_convertvector(value, tpi_lanes);
}
#endif

/* ---- masks ---- */
#if defined(TPI_LANES_AVX512)
TPI_INLINE tpi_lane_mask tpi_lanes_less(tpi_lanes a, tpi_lanes b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
TPI_INLINE tpi_lane_mask tpi_lane_ints_equal(tpi_lane_ints a, tpi_lane_ints b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}
TPI_INLINE tpi_lane_mask tpi_lanes_first(uint32_t count)
{
    return (tpi_lane_mask)((1u << count) - 1u);
}
TPI_INLINE tpi_lane_mask tpi_lanes_and(tpi_lane_mask a, tpi_lane_mask b) { return a & b; }
TPI_INLINE tpi_lane_mask tpi_lanes_or(tpi_lane_mask a, tpi_lane_mask b) { return a | b; }
TPI_INLINE tpi_lane_mask tpi_lanes_not(tpi_lane_mask a) { return (tpi_lane_mask)~a; }
TPI_INLINE bool tpi_lanes_any(tpi_lane_mask mask) { return mask != 0; }
TPI_INLINE uint32_t tpi_lanes_count(tpi_lane_mask mask)
{
    return (uint32_t)__builtin_popcount(mask);
}
TPI_INLINE uint32_t tpi_lanes_bits(tpi_lane_mask mask) { return mask; }
TPI_INLINE tpi_lanes tpi_lanes_select(tpi_lane_mask mask, tpi_lanes yes, tpi_lanes no)
{
    return (tpi_lanes)_mm512_mask_blend_ps(mask, (__m512)no, (__m512)yes);
}
TPI_INLINE tpi_lane_ints tpi_lane_ints_select(tpi_lane_mask mask, tpi_lane_ints yes,
                                              tpi_lane_ints no)
{
    return (tpi_lane_ints)_mm512_mask_blend_epi32(mask, (__m512i)no, (__m512i)yes);
}
#else
TPI_INLINE tpi_lane_mask tpi_lanes_and(tpi_lane_mask a, tpi_lane_mask b) { return a & b; }
TPI_INLINE tpi_lane_mask tpi_lanes_or(tpi_lane_mask a, tpi_lane_mask b) { return a | b; }
TPI_INLINE tpi_lane_mask tpi_lanes_not(tpi_lane_mask a) { return ~a; }
#if TPI_LANES == 1
TPI_INLINE tpi_lane_mask tpi_lanes_less(tpi_lanes a, tpi_lanes b) { return a < b ? -1 : 0; }
TPI_INLINE tpi_lane_mask tpi_lane_ints_equal(tpi_lane_ints a, tpi_lane_ints b)
{
    return a == b ? -1 : 0;
}
TPI_INLINE tpi_lane_mask tpi_lanes_first(uint32_t count) { return count ? -1 : 0; }
TPI_INLINE uint32_t tpi_lanes_bits(tpi_lane_mask mask) { return (uint32_t)mask & 1u; }
TPI_INLINE tpi_lanes tpi_lanes_select(tpi_lane_mask mask, tpi_lanes yes, tpi_lanes no)
{
    return mask ? yes : no;
}
#else
TPI_INLINE tpi_lane_mask tpi_lanes_less(tpi_lanes a, tpi_lanes b) { return a < b; }
TPI_INLINE tpi_lane_mask tpi_lane_ints_equal(tpi_lane_ints a, tpi_lane_ints b) { return a == b; }
TPI_INLINE tpi_lane_mask tpi_lanes_first(uint32_t count)
{
    return tpi_lane_ints_counted(0) < tpi_lane_ints_of((int32_t)count);
}
TPI_INLINE uint32_t tpi_lanes_bits(tpi_lane_mask mask)
{
#if defined(TPI_LANES_AVX2)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(TPI_LANES_SSE2)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(TPI_LANES_WASM)
    return wasm_i32x4_bitmask((v128_t)mask);
#else
    uint32_t bits = 0;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) bits |= ((uint32_t)mask[k] & 1u) << k;
    return bits;
#endif
}
TPI_INLINE tpi_lanes tpi_lanes_select(tpi_lane_mask mask, tpi_lanes yes, tpi_lanes no)
{
    return (tpi_lanes)(((tpi_lane_ints)yes & mask) | ((tpi_lane_ints)no & ~mask));
}
#endif
TPI_INLINE tpi_lane_ints tpi_lane_ints_select(tpi_lane_mask mask, tpi_lane_ints yes,
                                              tpi_lane_ints no)
{
    return (yes & mask) | (no & ~mask);
}
TPI_INLINE bool tpi_lanes_any(tpi_lane_mask mask) { return tpi_lanes_bits(mask) != 0; }
TPI_INLINE uint32_t tpi_lanes_count(tpi_lane_mask mask)
{
    uint32_t bits = tpi_lanes_bits(mask), count = 0;
#if defined(TPI_PASS) || defined(__POPCNT__) || defined(__aarch64__) || \
    defined(__wasm__) /* other machines would call a library function */
    count = (uint32_t)__builtin_popcount(bits);
#else
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) count += bits >> k & 1u;
#endif
    return count;
}
#endif

TPI_INLINE tpi_lane_mask tpi_lanes_at_most(tpi_lanes a, tpi_lanes b)
{
#if defined(TPI_LANES_AVX512)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
#elif TPI_LANES == 1
    return a <= b ? -1 : 0;
#else
    return a <= b;
#endif
}

TPI_INLINE tpi_lane_mask tpi_lane_ints_less(tpi_lane_ints a, tpi_lane_ints b)
{
#if defined(TPI_LANES_AVX512)
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
#elif TPI_LANES == 1
    return a < b ? -1 : 0;
#else
    return a < b;
#endif
}

/* 0 in the lanes of the mask, else the number. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_unless(tpi_lane_mask mask, tpi_lane_ints a)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_maskz_mov_epi32((__mmask16)~mask, (__m512i)a);
#else
    return a & ~mask;
#endif
}

/* Addition that may wrap. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_add(tpi_lane_ints a, tpi_lane_ints b)
{
    return (tpi_lane_ints)((tpi_lane_words)a + (tpi_lane_words)b);
}

/* Product of a number from 0 to 32767 and one of 16 bits with a sign: faster than that of words.
   Other numbers give any product. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_times_short(tpi_lane_ints a, tpi_lane_ints b)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(TPI_LANES_AVX2)
    return (tpi_lane_ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(TPI_LANES_SSE2)
    return (tpi_lane_ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return (tpi_lane_ints)((tpi_lane_words)a * (tpi_lane_words)b);
#endif
}

/* Product that may wrap of any number and one from 0 to 65535, which is the same in all lanes. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_times_same(tpi_lane_ints a, uint32_t b)
{
#if defined(TPI_LANES_SSE2) /* of halves: SSE2 has no product of words */
    const __m128i each = _mm_set1_epi16((int16_t)(uint16_t)b),
                  low = _mm_mullo_epi16((__m128i)a, each), high = _mm_mulhi_epu16((__m128i)a, each);
    return (tpi_lane_ints)_mm_add_epi32(low, _mm_slli_epi32(high, 16));
#else
    return (tpi_lane_ints)((tpi_lane_words)a * (tpi_lane_words)tpi_lane_ints_of((int32_t)b));
#endif
}

/* Adds 1 in the lanes of the mask. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_count(tpi_lane_ints counts, tpi_lane_mask mask)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_mask_add_epi32((__m512i)counts, mask, (__m512i)counts,
                                                _mm512_set1_epi32(1));
#else
    return counts - mask;
#endif
}

/* -1 where the number is negative, else 0. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_signs(tpi_lane_ints a) { return a >> 31; }

/* True where the numbers differ, or one is not a number. */
TPI_INLINE tpi_lane_mask tpi_lanes_differ(tpi_lanes a, tpi_lanes b)
{
#if defined(TPI_LANES_AVX512)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_NEQ_UQ);
#elif TPI_LANES == 1
    return a != b ? -1 : 0;
#else
    return a != b;
#endif
}

/* ---- arithmetic; like tpi_sqrt, tpi_max and tpi_min in every lane ---- */
#if defined(TPI_LANES_AVX512)
typedef __m512 tpi_x86;
#define TPI_X86(name) _mm512_##name##_ps
#elif defined(TPI_LANES_AVX2)
typedef __m256 tpi_x86;
#define TPI_X86(name) _mm256_##name##_ps
#elif defined(TPI_LANES_SSE2)
typedef __m128 tpi_x86;
#define TPI_X86(name) _mm_##name##_ps
#endif
#if defined(TPI_X86)
TPI_INLINE tpi_lanes tpi_lanes_sqrt(tpi_lanes a) { return (tpi_lanes)TPI_X86(sqrt)((tpi_x86)a); }
TPI_INLINE tpi_lanes tpi_lanes_max(tpi_lanes a, tpi_lanes b)
{
    return (tpi_lanes)TPI_X86(max)((tpi_x86)a, (tpi_x86)b);
}
TPI_INLINE tpi_lanes tpi_lanes_min(tpi_lanes a, tpi_lanes b)
{
    return (tpi_lanes)TPI_X86(min)((tpi_x86)a, (tpi_x86)b);
}
#undef TPI_X86
#elif defined(TPI_LANES_WASM)
/* The machine's pmax is "a < b ? b : a", and its pmin "b < a ? b : a". */
TPI_INLINE tpi_lanes tpi_lanes_sqrt(tpi_lanes a) { return (tpi_lanes)wasm_f32x4_sqrt((v128_t)a); }
TPI_INLINE tpi_lanes tpi_lanes_max(tpi_lanes a, tpi_lanes b)
{
    return (tpi_lanes)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}
TPI_INLINE tpi_lanes tpi_lanes_min(tpi_lanes a, tpi_lanes b)
{
    return (tpi_lanes)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}
#else
TPI_INLINE tpi_lanes tpi_lanes_max(tpi_lanes a, tpi_lanes b)
{
    return tpi_lanes_select(tpi_lanes_less(b, a), a, b);
}
TPI_INLINE tpi_lanes tpi_lanes_min(tpi_lanes a, tpi_lanes b)
{
    return tpi_lanes_select(tpi_lanes_less(a, b), a, b);
}
TPI_INLINE tpi_lanes tpi_lanes_sqrt(tpi_lanes a)
{
#if defined(TPI_LANES_NEON)
    return (tpi_lanes)vsqrtq_f32((float32x4_t)a);
#elif TPI_LANES == 1
    return tpi_sqrt(a);
#else
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) a[k] = tpi_sqrt(a[k]);
    return a;
#endif
}
#endif
TPI_INLINE tpi_lanes tpi_lanes_clamp(tpi_lanes a, float low, float high)
{
    return tpi_lanes_min(tpi_lanes_max(a, tpi_lanes_of(low)), tpi_lanes_of(high));
}

/* The number without its sign. */
TPI_INLINE tpi_lanes tpi_lanes_magnitude(tpi_lanes a)
{
#if TPI_LANES == 1 && defined(__GNUC__)
    return __builtin_fabsf(a); /* always code, never a call */
#elif TPI_LANES == 1
    return tpi_from_bits(tpi_magnitude(a) >> 1);
#else
    const tpi_lane_words rest = TPI_LANES_EACH(0x7fffffffu);
    return (tpi_lanes)((tpi_lane_words)a & rest);
#endif
}

TPI_INLINE tpi_lanes tpi_lanes_flush(tpi_lanes a)
{
#if TPI_LANES == 1
    return tpi_flush(a);
#else
    tpi_lane_mask is_small = tpi_lanes_less(tpi_lanes_magnitude(a), tpi_lanes_of(TPI_FLUSH_BELOW));
    return tpi_lanes_select(is_small, tpi_lanes_of(0.0f), a);
#endif
}

/* Rounds to the nearest integer, halves away from zero: opposite values stay opposite. */
TPI_INLINE tpi_lane_ints tpi_lanes_round(tpi_lanes a)
{
#if TPI_LANES == 1
    return (int32_t)(a + (a < 0.0f ? -0.5f : 0.5f));
#else
    const tpi_lane_words sign = TPI_LANES_EACH(0x80000000u), half = TPI_LANES_EACH(0x3f000000u);
    return tpi_lanes_truncate(a + (tpi_lanes)(((tpi_lane_words)a & sign) | half));
#endif
}

/* ---- across lanes ---- */

/* The least lane; none is NaN. */
TPI_INLINE float tpi_lanes_least(tpi_lanes a)
{
#if defined(TPI_LANES_AVX512)
    return _mm512_reduce_min_ps((__m512)a);
#elif defined(TPI_LANES_AVX2) || defined(TPI_LANES_SSE2)
#if defined(TPI_LANES_AVX2)
    __m128 four =
        _mm_min_ps(_mm256_castps256_ps128((__m256)a), _mm256_extractf128_ps((__m256)a, 1));
#else
    __m128 four = (__m128)a;
#endif
    four = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(four, _mm_shuffle_ps(four, four, 1)));
#elif TPI_LANES == 1
    return a;
#else
    float least = a[0];
    for (uint32_t k = 1; k < TPI_LANES; k++) least = tpi_min(least, a[k]);
    return least;
#endif
}

/* Sum of all lanes; must not overflow. */
TPI_INLINE int32_t tpi_lane_ints_sum(tpi_lane_ints a)
{
#if defined(TPI_LANES_AVX512)
    return _mm512_reduce_add_epi32((__m512i)a);
#elif defined(TPI_LANES_AVX2) || defined(TPI_LANES_SSE2)
#if defined(TPI_LANES_AVX2)
    __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128((__m256i)a), _mm256_extracti128_si256((__m256i)a, 1));
#else
    __m128i four = (__m128i)a;
#endif
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
#elif TPI_LANES == 1
    return a;
#else
    int32_t sum = 0;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) sum += a[k];
    return sum;
#endif
}

#if defined(TPI_LANES_AVX512)
/* A full mask that the compiler does not recognise. A gather without a mask depends on the old
   content of its target register and waits for it; a masked gather starts from the given zeros. */
TPI_INLINE __mmask16 tpi_lanes_all(void)
{
    return _mm512_cmpeq_epi32_mask(_mm512_setzero_si512(), _mm512_setzero_si512());
}
#endif

/* from[index] in every lane. Without optimisation gcc's gathers are macros with a conversion. */
#if defined(TPI_LANES_AVX512) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
TPI_INLINE tpi_lanes tpi_lanes_gather(const float *from, tpi_lane_ints index)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lanes)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), tpi_lanes_all(), (__m512i)index,
                                               from, 4);
#elif defined(TPI_LANES_AVX2)
    return (tpi_lanes)_mm256_i32gather_ps(from, (__m256i)index, 4);
#elif TPI_LANES == 1
    return from[index];
#elif TPI_LANES == 4
    const tpi_lanes lanes = {from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
    return lanes;
#else
    tpi_lanes lanes;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) lanes[k] = from[index[k]];
    return lanes;
#endif
}
TPI_INLINE tpi_lane_ints tpi_lane_ints_gather(const void *from, tpi_lane_ints index)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), tpi_lanes_all(),
                                                      (__m512i)index, from, 4);
#elif defined(TPI_LANES_AVX2)
    return (tpi_lane_ints)_mm256_i32gather_epi32((const int *)from, (__m256i)index, 4);
#elif TPI_LANES == 1
    return ((const int32_t *)from)[index];
#elif TPI_LANES == 4
    const int32_t *at = (const int32_t *)from;
    const tpi_lane_ints lanes = {at[index[0]], at[index[1]], at[index[2]], at[index[3]]};
    return lanes;
#else
    tpi_lane_ints lanes;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) lanes[k] = ((const int32_t *)from)[index[k]];
    return lanes;
#endif
}
/* Gathers 16-bit little-endian numbers; reads one pair beyond the last. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_gather_pairs(const uint8_t *from, tpi_lane_ints index)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), tpi_lanes_all(),
                                                      (__m512i)index, from, 2) &
           tpi_lane_ints_of(0xffff);
#elif defined(TPI_LANES_AVX2)
    return (tpi_lane_ints)_mm256_i32gather_epi32((const int *)(const void *)from, (__m256i)index,
                                                 2) &
           tpi_lane_ints_of(0xffff);
#else
    tpi_lane_ints lanes = tpi_lane_ints_of(0);
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        const uint8_t *pair = from + 2 * TPI_LANE(index, k);
        TPI_LANE(lanes, k) = pair[0] | pair[1] << 8;
    }
    return lanes;
#endif
}
#if defined(TPI_LANES_AVX512) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif

#if defined(TPI_LANES_AVX512) || defined(TPI_LANES_AVX2)
#define TPI_LANES_SHUFFLE
/* table[index] in every lane, of 16 bytes (byte shuffle). */
TPI_INLINE tpi_lane_ints tpi_lane_ints_look_up(const uint8_t *table, tpi_lane_ints index)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)table);
    const tpi_lane_ints low = tpi_lane_ints_of(255); /* other bytes look up table[0] */
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), (__m512i)index) & low;
#else
    return (tpi_lane_ints)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), (__m256i)index) &
           low;
#endif
}
#endif

/* Numbers of 16 bits without a sign. */
TPI_INLINE tpi_lane_ints tpi_lane_ints_load_pairs(const uint16_t *from)
{
    tpi_lane_ints lanes = tpi_lane_ints_of(0);
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) TPI_LANE(lanes, k) = from[k];
    return lanes;
}

/* The next byte for each lane of the mask, in lane order, and 0 in the others; reads TPI_LANES
   bytes. */
TPI_INLINE tpi_lane_ints tpi_lanes_expand_bytes(const uint8_t *from, tpi_lane_mask mask)
{
#if defined(TPI_LANES_AVX512)
    __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
    return (tpi_lane_ints)_mm512_maskz_expand_epi32(mask, bytes);
#elif defined(TPI_LANES_AVX2) && defined(TPI_LANES_BITS)
    uint64_t bytes, each = _pdep_u64(tpi_lanes_bits(mask), 0x0101010101010101u) * 255u;
    tpi_memcpy(&bytes, from, sizeof bytes);
    return (tpi_lane_ints)_mm256_cvtepu8_epi32(
        _mm_cvtsi64_si128((long long)_pdep_u64(bytes, each)));
#else
    tpi_lane_ints lanes = tpi_lane_ints_of(0);
    uint32_t bits = tpi_lanes_bits(mask);
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++)
        if (bits >> k & 1u) TPI_LANE(lanes, k) = *from++;
    return lanes;
#endif
}

#if defined(TPI_LANES_BITS)
#define TPI_LANES_DEAL
/* Deposits the next bits to the positions of the ones of the mask, in order (pdep). */
TPI_INLINE uint64_t tpi_deal_eight(const uint8_t *from, uint32_t *bit, uint64_t mask)
{
    uint64_t word;
    tpi_memcpy(&word, from + (*bit >> 3), sizeof word);
    word >>= *bit & 7u;
    *bit += (uint32_t)__builtin_popcountll(mask);
    return _pdep_u64(word, mask);
}

/* Bit unpacking: gives each lane as many of the next bits as its width says, from bit `*bit` on,
   and advances `*bit`. False, and `*bit` unchanged: a lane wants more than 8 bits, or eight lanes
   together more than 56. Reads 16 bytes from that bit on. */
TPI_INLINE bool tpi_lanes_deal(const uint8_t *from, uint32_t *bit, tpi_lane_ints widths,
                               tpi_lane_ints *to)
{
    const tpi_lane_words one = TPI_LANES_EACH(1u), masks = (one << (tpi_lane_words)widths) - one;
    if (tpi_lanes_any(tpi_lane_ints_less(tpi_lane_ints_of(8), widths))) return false;
#if defined(TPI_LANES_AVX512)
    __m128i bytes = _mm512_cvtepi32_epi8((__m512i)masks);
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(bytes), high = (uint64_t)_mm_extract_epi64(bytes, 1);
    if (__builtin_popcountll(low) > 56 || __builtin_popcountll(high) > 56) return false;
    uint64_t first = tpi_deal_eight(from, bit, low), second = tpi_deal_eight(from, bit, high);
    *to = (tpi_lane_ints)_mm512_cvtepu8_epi32(_mm_set_epi64x((long long)second, (long long)first));
#else
    __m128i pairs = _mm_packus_epi32(_mm256_castsi256_si128((__m256i)masks),
                                     _mm256_extracti128_si256((__m256i)masks, 1));
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(pairs, pairs));
    if (__builtin_popcountll(low) > 56) return false;
    *to = (tpi_lane_ints)_mm256_cvtepu8_epi32(
        _mm_cvtsi64_si128((long long)tpi_deal_eight(from, bit, low)));
#endif
    return true;
}
#endif

/* Appends the indices and, unless null, the values of the lanes in the mask (compress store); may
   write all TPI_LANES of each. Returns the number appended. */
TPI_INLINE uint32_t tpi_lanes_append(uint32_t *indices, float *values, tpi_lane_ints index,
                                     tpi_lanes value, tpi_lane_mask mask)
{
#if defined(TPI_LANES_AVX512)
    _mm512_storeu_si512(indices, _mm512_maskz_compress_epi32(mask, (__m512i)index));
    if (values) _mm512_storeu_ps(values, _mm512_maskz_compress_ps(mask, (__m512)value));
    return tpi_lanes_count(mask);
#elif defined(TPI_LANES_AVX2) && defined(TPI_LANES_BITS)
    uint32_t bits = tpi_lanes_bits(mask);
    /* all ones in the byte of each lane of the mask */
    uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 255u;
    uint64_t order = _pext_u64(0x0706050403020100u, bytes);
    __m256i lane = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));
    _mm256_storeu_si256((__m256i *)(void *)indices,
                        _mm256_permutevar8x32_epi32((__m256i)index, lane));
    if (values) _mm256_storeu_ps(values, _mm256_permutevar8x32_ps((__m256)value, lane));
    return (uint32_t)__builtin_popcount(bits);
#else
    float each[TPI_LANES];
    uint32_t bits = tpi_lanes_bits(mask), count = 0;
    tpi_lanes_store(each, value);
    TPI_LANE_LOOP
    /* no branch, because half of the candidates are rejected */
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        indices[count] = (uint32_t)TPI_LANE(index, k);
        if (values) values[count] = each[k];
        count += bits >> k & 1u;
    }
    return count;
#endif
}

#if TPI_LANES > 1 && !defined(TPI_LANES_BITS)
/* For four bits: the numbers of the bits that are set, in order; and how many. */
static const uint16_t tpi_slots_of_bits[16][4] = {
    {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
    {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3},
};
static const uint8_t tpi_slots_counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
#endif

/* Appends first + k for each bit k that is set, in order; may write TPI_LANES numbers. Returns how
   many were appended. No branch, because most candidates are rejected at random. */
TPI_INLINE size_t tpi_slots_append(uint16_t *slots, uint32_t first, uint32_t bits)
{
#if defined(TPI_LANES_AVX512)
    __m512i lanes = (__m512i)tpi_lane_ints_counted((int32_t)first);
    __m512i set = _mm512_maskz_compress_epi32((__mmask16)bits, lanes);
    _mm256_storeu_si256((__m256i *)(void *)slots, _mm512_cvtepi32_epi16(set));
    return (size_t)__builtin_popcount(bits);
#elif defined(TPI_LANES_BITS)
    uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 255u;
    uint64_t order = _pext_u64(0x0706050403020100u, bytes);
    __m128i each = _mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)order));
    _mm_storeu_si128((__m128i *)(void *)slots, _mm_add_epi16(each, _mm_set1_epi16((short)first)));
    return (size_t)__builtin_popcount(bits);
#elif TPI_LANES == 1
    *slots = (uint16_t)first;
    return bits;
#else
    size_t count = 0;
    for (uint32_t part = 0; part < TPI_LANES / 4u; part++) {
        uint64_t four, at = (uint64_t)(first + 4u * part) * 0x0001000100010001u;
        tpi_memcpy(&four, tpi_slots_of_bits[bits >> 4u * part & 15u], sizeof four);
        four += at;
        tpi_memcpy(slots + count, &four, sizeof four);
        count += tpi_slots_counts[bits >> 4u * part & 15u];
    }
    return count;
#endif
}

/* The vector in lane k of three coordinates. */
TPI_INLINE tp_vector tpi_lane_vector(uint32_t dimensions, const tpi_lanes lanes[3], uint32_t k)
{
    (void)k; /* unused with one lane */
    float z = dimensions == 3 ? TPI_LANE(lanes[2], k) : 0.0f;
    return tpi_vector(TPI_LANE(lanes[0], k), TPI_LANE(lanes[1], k), z);
}

#endif
