/* SPDX-License-Identifier: MIT
   runtime/base/rows.h - rows of two or four numbers in memory, and vectors with one row per lane.
   reads   rows, by number or in order     writes  vectors; rows
   memory  registers                       cost    about one instruction per two numbers
   after   own design: whole rows are loaded and transposed inside registers, which costs half of
           gathering single numbers. The numbers of rows may be doubled, so that a processor
           addresses rows of 16 bytes without a shift */
#ifndef TPI_ROWS_H
#define TPI_ROWS_H
#include "lanes.h"

#if defined(TPI_PASS) /* the text is compiled once more: see base/pass.h */
#undef TPI_PARTS
#undef TPI_PARTS_OF
#undef TPI_PICKS
#endif

#if TPI_LANES > 1
/* A row of four integers. Sums may wrap. */
typedef uint32_t tpi_quad __attribute__((vector_size(16)));
#endif

/* Four operations of the machine inside each part of four lanes: a0 b0 a1 b1; a2 b2 a3 b3; a0 a1
   b0 b1; a2 a3 b2 b3; and a0 a2 b0 b2; a1 a3 b1 b3. */
#if defined(TPI_LANES_AVX512) || defined(TPI_LANES_AVX2) || defined(TPI_LANES_SSE2)
#if defined(TPI_LANES_AVX512)
typedef __m512 tpi_parts;
#define TPI_PARTS(name) _mm512_##name
#elif defined(TPI_LANES_AVX2)
typedef __m256 tpi_parts;
#define TPI_PARTS(name) _mm256_##name
#else
typedef __m128 tpi_parts;
#define TPI_PARTS(name) _mm_##name
#endif
#define TPI_ROWS
#define TPI_ZIP_LOW(a, b)   TPI_PARTS(unpacklo_ps)(a, b)
#define TPI_ZIP_HIGH(a, b)  TPI_PARTS(unpackhi_ps)(a, b)
#define TPI_PAIR_LOW(a, b)  TPI_PARTS(shuffle_ps)(a, b, 0x44)
#define TPI_PAIR_HIGH(a, b) TPI_PARTS(shuffle_ps)(a, b, 0xee)
#define TPI_EVEN(a, b)      TPI_PARTS(shuffle_ps)(a, b, 0x88)
#define TPI_ODD(a, b)       TPI_PARTS(shuffle_ps)(a, b, 0xdd)
typedef __m128 tpi_four;
TPI_INLINE tpi_four tpi_four_load(const void *from) { return _mm_loadu_ps((const float *)from); }
/* At a multiple of 16 bytes: without AVX the next operation then reads memory itself. */
TPI_INLINE tpi_four tpi_four_at(const void *from) { return _mm_load_ps((const float *)from); }
TPI_INLINE void tpi_four_store(void *to, tpi_four a) { _mm_storeu_ps((float *)to, a); }
/* Two rows of two numbers. */
TPI_INLINE tpi_four tpi_four_of_two(const void *low, const void *high)
{
    __m128 two = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)low));
    return _mm_loadh_pi(two, (const __m64 *)high);
}
#elif defined(TPI_LANES_NEON)
typedef float32x4_t tpi_parts;
#define TPI_ROWS
#define TPI_ZIP_LOW(a, b)   vzip1q_f32(a, b)
#define TPI_ZIP_HIGH(a, b)  vzip2q_f32(a, b)
#define TPI_PAIR_LOW(a, b)  vcombine_f32(vget_low_f32(a), vget_low_f32(b))
#define TPI_PAIR_HIGH(a, b) vcombine_f32(vget_high_f32(a), vget_high_f32(b))
#define TPI_EVEN(a, b)      vuzp1q_f32(a, b)
#define TPI_ODD(a, b)       vuzp2q_f32(a, b)
typedef float32x4_t tpi_four;
TPI_INLINE tpi_four tpi_four_load(const void *from) { return vld1q_f32((const float *)from); }
TPI_INLINE tpi_four tpi_four_at(const void *from) { return vld1q_f32((const float *)from); }
TPI_INLINE void tpi_four_store(void *to, tpi_four a) { vst1q_f32((float *)to, a); }
TPI_INLINE tpi_four tpi_four_of_two(const void *low, const void *high)
{
    return vcombine_f32(vld1_f32((const float *)low), vld1_f32((const float *)high));
}
#elif defined(TPI_LANES_WASM)
typedef v128_t tpi_parts;
#define TPI_ROWS
#define TPI_ZIP_LOW(a, b)   wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define TPI_ZIP_HIGH(a, b)  wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define TPI_PAIR_LOW(a, b)  wasm_i32x4_shuffle(a, b, 0, 1, 4, 5)
#define TPI_PAIR_HIGH(a, b) wasm_i32x4_shuffle(a, b, 2, 3, 6, 7)
#define TPI_EVEN(a, b)      wasm_i32x4_shuffle(a, b, 0, 2, 4, 6)
#define TPI_ODD(a, b)       wasm_i32x4_shuffle(a, b, 1, 3, 5, 7)
typedef v128_t tpi_four;
TPI_INLINE tpi_four tpi_four_load(const void *from) { return wasm_v128_load(from); }
TPI_INLINE tpi_four tpi_four_at(const void *from) { return wasm_v128_load(from); }
TPI_INLINE void tpi_four_store(void *to, tpi_four a) { wasm_v128_store(to, a); }
TPI_INLINE tpi_four tpi_four_of_two(const void *low, const void *high)
{
    return wasm_v128_load64_lane(high, wasm_v128_load64_zero(low), 1);
}
#endif

#if defined(TPI_ROWS)
/* Part p of the vector is row(k + 4 p), a macro that loads four numbers. */
#if defined(TPI_LANES_AVX512)
#define TPI_PARTS_OF(row, k)                                                                    \
    _mm512_insertf32x4(                                                                         \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(row(k)), row((k) + 4), 1), \
                           row((k) + 8), 2),                                                    \
        row((k) + 12), 3)
TPI_INLINE void tpi_parts_store(char *to, size_t apart, tpi_parts a)
{
    _mm_storeu_ps((float *)(void *)to, _mm512_castps512_ps128(a));
    _mm_storeu_ps((float *)(void *)(to + apart), _mm512_extractf32x4_ps(a, 1));
    _mm_storeu_ps((float *)(void *)(to + 2u * apart), _mm512_extractf32x4_ps(a, 2));
    _mm_storeu_ps((float *)(void *)(to + 3u * apart), _mm512_extractf32x4_ps(a, 3));
}
#elif defined(TPI_LANES_AVX2)
#define TPI_PARTS_OF(row, k) _mm256_insertf128_ps(_mm256_castps128_ps256(row(k)), row((k) + 4), 1)
TPI_INLINE void tpi_parts_store(char *to, size_t apart, tpi_parts a)
{
    _mm_storeu_ps((float *)(void *)to, _mm256_castps256_ps128(a));
    _mm_storeu_ps((float *)(void *)(to + apart), _mm256_extractf128_ps(a, 1));
}
#else
#define TPI_PARTS_OF(row, k) row(k)
TPI_INLINE void tpi_parts_store(char *to, size_t apart, tpi_parts a)
{
    (void)apart;
    tpi_four_store(to, a);
}
#endif

TPI_INLINE void tpi_parts_turn(tpi_parts a, tpi_parts b, tpi_parts c, tpi_parts d, tpi_lanes of[4])
{
    tpi_parts ab01 = TPI_ZIP_LOW(a, b), ab23 = TPI_ZIP_HIGH(a, b);
    tpi_parts cd01 = TPI_ZIP_LOW(c, d), cd23 = TPI_ZIP_HIGH(c, d);
    of[0] = (tpi_lanes)TPI_PAIR_LOW(ab01, cd01);
    of[1] = (tpi_lanes)TPI_PAIR_HIGH(ab01, cd01);
    of[2] = (tpi_lanes)TPI_PAIR_LOW(ab23, cd23);
    of[3] = (tpi_lanes)TPI_PAIR_HIGH(ab23, cd23);
}
/* Columns of the rows of four numbers row(0), row(1), ...: one row per lane. */
#define TPI_ROWS_TURN(row, of)                                                       \
    tpi_parts_turn(TPI_PARTS_OF(row, 0), TPI_PARTS_OF(row, 1), TPI_PARTS_OF(row, 2), \
                   TPI_PARTS_OF(row, 3), of)
#endif

/* Lane k of of[c] is number c of the row that begins at number offsets[k]; rows of four numbers. */
TPI_INLINE void tpi_rows_gather(const float *rows, const uint32_t *offsets, tpi_lanes of[4])
{
#if defined(TPI_ROWS)
#define TPI_ROWS_AT(lane) tpi_four_load(rows + offsets[lane])
    TPI_ROWS_TURN(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 4; c++) TPI_LANE(of[c], lane) = rows[offsets[lane] + c];
#endif
}

/* ---- rows of four integers: sums that may wrap ---- */

#if defined(TPI_ROWS)
/* Adds part p of the vector to the row at offsets[4 p]. */
TPI_INLINE void tpi_parts_add(uint32_t *rows, const uint32_t *offsets, tpi_parts a)
{
#if defined(TPI_LANES_AVX512)
    *(tpi_quad *)(void *)(rows + offsets[0]) += (tpi_quad)_mm512_castps512_ps128(a);
    *(tpi_quad *)(void *)(rows + offsets[4]) += (tpi_quad)_mm512_extractf32x4_ps(a, 1);
    *(tpi_quad *)(void *)(rows + offsets[8]) += (tpi_quad)_mm512_extractf32x4_ps(a, 2);
    *(tpi_quad *)(void *)(rows + offsets[12]) += (tpi_quad)_mm512_extractf32x4_ps(a, 3);
#elif defined(TPI_LANES_AVX2)
    *(tpi_quad *)(void *)(rows + offsets[0]) += (tpi_quad)_mm256_castps256_ps128(a);
    *(tpi_quad *)(void *)(rows + offsets[4]) += (tpi_quad)_mm256_extractf128_ps(a, 1);
#else
    *(tpi_quad *)(void *)(rows + offsets[0]) += (tpi_quad)a;
#endif
}
#endif

/* Adds three numbers of each lane k to the row that begins at offsets[k], lane by lane. */
TPI_INLINE void tpi_rows_add(uint32_t *rows, const uint32_t *offsets, const tpi_lane_ints terms[3])
{
#if defined(TPI_ROWS)
    tpi_lanes of[4];
    tpi_parts_turn((tpi_parts)terms[0], (tpi_parts)terms[1], (tpi_parts)terms[2],
                   (tpi_parts)tpi_lane_ints_of(0), of);
    for (uint32_t k = 0; k < 4; k++) tpi_parts_add(rows, offsets + k, (tpi_parts)of[k]);
#else
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++)
        for (uint32_t c = 0; c < 3; c++) rows[offsets[k] + c] += (uint32_t)TPI_LANE(terms[c], k);
#endif
}

#if TPI_LANES > 1
/* Columns of the rows of two numbers at row(0), row(1), ...: one row per lane. */
#if defined(TPI_ROWS)
TPI_INLINE void tpi_parts_turn_two(tpi_parts low, tpi_parts high, tpi_lanes of[2])
{
    of[0] = (tpi_lanes)TPI_EVEN(low, high);
    of[1] = (tpi_lanes)TPI_ODD(low, high);
}
#define TPI_ROWS_TURN_TWO(two, of) \
    tpi_parts_turn_two(TPI_PARTS_OF(two, 0), TPI_PARTS_OF(two, 2), of)
#endif

/* Lane k of of[c] is number c of row doubled[k] / 2; rows of two numbers. */
TPI_INLINE void tpi_rows_gather_two(const float *rows, const uint16_t *doubled, tpi_lanes of[2])
{
#if defined(TPI_ROWS)
    const char *at = (const char *)rows;
#define TPI_ROWS_AT(lane) \
    tpi_four_of_two(at + (size_t)doubled[lane] * 4u, at + (size_t)doubled[(lane) + 1] * 4u)
    TPI_ROWS_TURN_TWO(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 2; c++) of[c][lane] = rows[doubled[lane] + c];
#endif
}

/* The same for rows of four numbers, at a multiple of 16 bytes. */
TPI_INLINE void tpi_rows_gather_four(const float *rows, const uint16_t *doubled, tpi_lanes of[4])
{
#if defined(TPI_ROWS)
    const char *at = (const char *)rows;
#define TPI_ROWS_AT(lane) tpi_four_at(at + (size_t)doubled[lane] * 8u)
    TPI_ROWS_TURN(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 4; c++) of[c][lane] = rows[2u * doubled[lane] + c];
#endif
}

#if TPI_LANES == 4 && defined(TPI_ROWS)
TPI_INLINE tpi_four tpi_four_sum(tpi_four a, tpi_four b)
{
    return (tpi_four)((tpi_lanes)a + (tpi_lanes)b);
}
TPI_INLINE tpi_four tpi_four_difference(tpi_four a, tpi_four b)
{
    return (tpi_four)((tpi_lanes)a - (tpi_lanes)b);
}
#endif

/* Doubled numbers of rows, one per lane, that several arrays are read by. */
typedef struct tpi_numbers {
    size_t of[TPI_LANES];
} tpi_numbers;

TPI_INLINE void tpi_numbers_load(const uint16_t *doubled, tpi_numbers *numbers)
{
#if TPI_LANES == 4
    numbers->of[0] = doubled[0], numbers->of[1] = doubled[1];
    numbers->of[2] = doubled[2], numbers->of[3] = doubled[3];
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) numbers->of[lane] = doubled[lane];
#endif
}

/* Before the next array is read: the compiler must not keep the numbers times their factor, as
   addresses include it at no cost. */
#if defined(__GNUC__)
#define TPI_NUMBER_RENEW(number) __asm__("" : "+r"(number))
#else
#define TPI_NUMBER_RENEW(number) ((void)0)
#endif
TPI_INLINE void tpi_numbers_renew(tpi_numbers *numbers)
{
    TPI_LANE_LOOP
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) TPI_NUMBER_RENEW(numbers->of[lane]);
}

/* Lane k of of[c] is number c of the row of two numbers that is offsets_i[i[k] / 2] +
   offsets_j[j[k] / 2] bytes from `rows` on. */
TPI_INLINE void tpi_rows_gather_table(const float *rows, const uint32_t *offsets_i,
                                      const tpi_numbers *i, const uint32_t *offsets_j,
                                      const tpi_numbers *j, tpi_lanes of[2])
{
    const char *at = (const char *)rows;
#define TPI_ROWS_OFFSET(offsets, s) \
    *(const uint32_t *)(const void *)((const char *)(offsets) + 2u * (s))
#define TPI_ROWS_ROW(lane) \
    (at + (TPI_ROWS_OFFSET(offsets_i, i->of[lane]) + TPI_ROWS_OFFSET(offsets_j, j->of[lane])))
#if defined(TPI_ROWS)
#define TPI_ROWS_AT(lane) tpi_four_of_two(TPI_ROWS_ROW(lane), TPI_ROWS_ROW((lane) + 1))
    TPI_ROWS_TURN_TWO(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 2; c++)
            of[c][lane] = ((const float *)(const void *)TPI_ROWS_ROW(lane))[c];
#endif
#undef TPI_ROWS_ROW
#undef TPI_ROWS_OFFSET
}

/* Lane k of of[c] is number c of row a[k] / 2 minus that of row b[k] / 2 of other rows: half of the
   rows need not be transposed. Rows of four numbers. */
TPI_INLINE void tpi_rows_gather_difference(const float *rows_a, const tpi_numbers *a,
                                           const float *rows_b, const tpi_numbers *b,
                                           tpi_lanes of[4])
{
#if TPI_LANES == 4 && defined(TPI_ROWS)
    const char *at_a = (const char *)rows_a, *at_b = (const char *)rows_b;
#define TPI_ROWS_AT(lane) \
    tpi_four_difference(tpi_four_at(at_a + a->of[lane] * 8u), tpi_four_at(at_b + b->of[lane] * 8u))
    TPI_ROWS_TURN(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 4; c++)
            of[c][lane] = rows_a[2u * a->of[lane] + c] - rows_b[2u * b->of[lane] + c];
#endif
}

/* The same for sums of rows of two numbers. */
TPI_INLINE void tpi_rows_gather_sum(const float *rows, const tpi_numbers *a, const tpi_numbers *b,
                                    tpi_lanes of[2])
{
#if TPI_LANES == 4 && defined(TPI_ROWS)
    const char *at = (const char *)rows;
#define TPI_ROWS_AT(lane)                                                             \
    tpi_four_sum(tpi_four_of_two(at + a->of[lane] * 4u, at + a->of[(lane) + 1] * 4u), \
                 tpi_four_of_two(at + b->of[lane] * 4u, at + b->of[(lane) + 1] * 4u))
    TPI_ROWS_TURN_TWO(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 2; c++)
            of[c][lane] = rows[a->of[lane] + c] + rows[b->of[lane] + c];
#endif
}

/* Lane k is number doubled[k] / 2. */
TPI_INLINE tpi_lanes tpi_rows_gather_one(const float *numbers, const uint16_t *doubled)
{
#if defined(TPI_LANES_AVX2)
    __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)doubled);
    return (tpi_lanes)_mm256_i32gather_ps(numbers, _mm256_cvtepu16_epi32(eight), 2);
#else
    tpi_lanes lanes = tpi_lanes_of(0.0f);
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++)
        lanes[k] = *(const float *)(const void *)((const char *)numbers + 2u * (size_t)doubled[k]);
    return lanes;
#endif
}

/* Defined if the machine permutes a vector by another one. Lane k of tpi_picks_of(values, picks) is
   values[n], n = doubled[k] / 2 modulo TPI_LANES. */
#if defined(TPI_LANES_AVX2) || defined(TPI_LANES_AVX512)
#define TPI_PICKS
TPI_INLINE tpi_lane_ints tpi_picks(const uint16_t *doubled)
{
#if defined(TPI_LANES_AVX2)
    __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)doubled);
    return (tpi_lane_ints)_mm256_srli_epi32(_mm256_cvtepu16_epi32(eight), 1);
#else
    __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)doubled);
    return (tpi_lane_ints)_mm512_srli_epi32(_mm512_cvtepu16_epi32(all), 1);
#endif
}
TPI_INLINE tpi_lanes tpi_picks_of(const float *values, tpi_lane_ints picks)
{
#if defined(TPI_LANES_AVX2)
    return (tpi_lanes)_mm256_permutevar8x32_ps(_mm256_loadu_ps(values), (__m256i)picks);
#else
    return (tpi_lanes)_mm512_permutexvar_ps((__m512i)picks, _mm512_loadu_ps(values));
#endif
}
#endif

/* Loads TPI_LANES rows of two numbers in order, one per lane. */
TPI_INLINE void tpi_rows_load_two(const void *rows, tpi_lanes of[2])
{
#if defined(TPI_ROWS)
    const char *at = (const char *)rows;
#define TPI_ROWS_AT(lane) tpi_four_load(at + 8 * (lane))
    TPI_ROWS_TURN_TWO(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 2; c++) of[c][lane] = ((const float *)rows)[2u * lane + c];
#endif
}

/* Loads TPI_LANES rows of four numbers in order, one per lane. */
TPI_INLINE void tpi_rows_load_four(const void *rows, tpi_lanes of[4])
{
#if defined(TPI_ROWS)
    const char *at = (const char *)rows;
#define TPI_ROWS_AT(lane) tpi_four_load(at + 16 * (lane))
    TPI_ROWS_TURN(TPI_ROWS_AT, of);
#undef TPI_ROWS_AT
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++)
        for (uint32_t c = 0; c < 4; c++) of[c][lane] = ((const float *)rows)[4u * lane + c];
#endif
}

/* Stores a row of two numbers per lane, in order. */
TPI_INLINE void tpi_rows_store_two(float *rows, tpi_lanes a, tpi_lanes b)
{
#if defined(TPI_ROWS)
    tpi_parts_store((char *)rows, 32, TPI_ZIP_LOW((tpi_parts)a, (tpi_parts)b));
    tpi_parts_store((char *)rows + 16, 32, TPI_ZIP_HIGH((tpi_parts)a, (tpi_parts)b));
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) {
        rows[2u * lane] = a[lane];
        rows[2u * lane + 1u] = b[lane];
    }
#endif
}

/* The rows of four columns, one per lane. */
TPI_INLINE void tpi_rows_of(tpi_lanes a, tpi_lanes b, tpi_lanes c, tpi_lanes d,
                            tpi_quad rows[TPI_LANES])
{
#if defined(TPI_ROWS)
    tpi_lanes of[4];
    tpi_parts_turn((tpi_parts)a, (tpi_parts)b, (tpi_parts)c, (tpi_parts)d, of);
    for (uint32_t k = 0; k < 4; k++) {
#if defined(TPI_LANES_AVX512)
        rows[k] = (tpi_quad)_mm512_castps512_ps128((tpi_parts)of[k]);
        rows[k + 4u] = (tpi_quad)_mm512_extractf32x4_ps((tpi_parts)of[k], 1);
        rows[k + 8u] = (tpi_quad)_mm512_extractf32x4_ps((tpi_parts)of[k], 2);
        rows[k + 12u] = (tpi_quad)_mm512_extractf32x4_ps((tpi_parts)of[k], 3);
#elif defined(TPI_LANES_AVX2)
        rows[k] = (tpi_quad)_mm256_castps256_ps128((tpi_parts)of[k]);
        rows[k + 4u] = (tpi_quad)_mm256_extractf128_ps((tpi_parts)of[k], 1);
#else
        rows[k] = (tpi_quad)of[k];
#endif
    }
#else
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) {
        const tpi_lanes columns[4] = {a, b, c, d};
        for (uint32_t n = 0; n < 4; n++) rows[lane][n] = tpi_bits(columns[n][lane]);
    }
#endif
}

/* The same for rows of four numbers. */
TPI_INLINE void tpi_rows_store_four(void *rows, tpi_lanes a, tpi_lanes b, tpi_lanes c, tpi_lanes d)
{
#if defined(TPI_ROWS)
    char *to = (char *)rows;
    tpi_lanes of[4];
    tpi_parts_turn((tpi_parts)a, (tpi_parts)b, (tpi_parts)c, (tpi_parts)d, of);
    for (uint32_t k = 0; k < 4; k++) tpi_parts_store(to + 16u * k, 64, (tpi_parts)of[k]);
#else
    float *to = (float *)rows;
    for (uint32_t lane = 0; lane < TPI_LANES; lane++) {
        to[4u * lane] = a[lane];
        to[4u * lane + 1u] = b[lane];
        to[4u * lane + 2u] = c[lane];
        to[4u * lane + 3u] = d[lane];
    }
#endif
}

#endif
#endif
