/* SPDX-License-Identifier: MIT
   runtime/base/base.h - definitions without state: linkage, float checks, vectors, math, random,
           hash.
   reads   its arguments      writes  its results
   memory  none               cost    O(1) each
   after   IEEE 754 single precision with + - * / sqrt only; all other functions are computed from
           these */
#ifndef TPI_BASE_H
#define TPI_BASE_H
#include "../tidepool.h"
#include "pass.h"
#include "features.h"
#include <float.h>

/* The stages are compiled for wider vectors too, and the machine decides at run time which are
   called: for AVX2, and for AVX-512 if TP_LANES_MAX is 16. That takes 0.94 to 1.06 of the time of
   a step, and 0.29 of the time to compile: 8 is the default. With 4 there is SSE2 alone. The one
   header reads itself again for each: TIDEPOOL_FILE is its name. Elsewhere TIDEPOOL_DISPATCH must
   be defined, and codec/widths.h compiled with TPI_PASS. Not with gcc for Windows, which does not
   align AVX vectors on its stack (gcc bug 54412), nor with Microsoft's libraries, which do not say
   what the machine has. */
#if !defined(TP_LANES_MAX)
#if defined(TP_PRESET_FLUID_2D) || defined(TP_PRESET_FLUID_3D) || defined(TP_PRESET_PAIRS) || \
    defined(TP_PRESET_PARTICLES) || defined(TP_WITHOUT_TEXTS) /* builds that are to be small */
#define TP_LANES_MAX 4
#else
#define TP_LANES_MAX 8
#endif
#endif
#if !defined(TIDEPOOL_DISPATCH)
#if defined(TIDEPOOL_IMPLEMENTATION) && defined(__x86_64__) && __STDC_HOSTED__ &&        \
    TP_LANES_MAX > 4 && !defined(TIDEPOOL_LANES) && !defined(TIDEPOOL_SOLVERS) &&        \
    !(defined(__AVX512F__) && defined(__AVX512BW__)) &&                                  \
    !(defined(__AVX2__) && TP_LANES_MAX < 16) &&                                         \
    ((defined(__GNUC__) && __GNUC__ >= 8 && !defined(_WIN32) && !defined(__CYGWIN__)) || \
     (defined(__clang__) && !defined(_MSC_VER)))
#define TIDEPOOL_DISPATCH 1
#else
#define TIDEPOOL_DISPATCH 0
#endif
#endif
#if !defined(TIDEPOOL_FILE)
#define TIDEPOOL_FILE "tidepool.h" /* if the header is not found here, define its name */
#endif

#if defined(__FAST_MATH__)
#error \
    "Tidepool: compiled with fast-math, which changes results: remove -ffast-math (-Ofast) for this file"
#endif
#if defined(__ASSOCIATIVE_MATH__)
#error \
    "Tidepool: compiled to reorder float sums, which changes results: remove -fassociative-math (-funsafe-math-optimizations) for this file"
#endif
#if defined(__RECIPROCAL_MATH__)
#error \
    "Tidepool: compiled to divide by multiplying, which changes results: remove -freciprocal-math (-funsafe-math-optimizations) for this file"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#error \
    "Tidepool: compiled as if no number were infinite or NaN, so that none would be found and killed: remove -ffinite-math-only for this file"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error \
    "Tidepool: float expressions are kept wider than float: use SSE (-msse2 -mfpmath=sse) or -fexcess-precision=fast"
#endif
#if defined(__cplusplus)
#error \
    "Tidepool: define TIDEPOOL_IMPLEMENTATION in a C11 file; the header alone may be included from C++"
#endif

/* Linkage of private functions shared by files: static in the one-header build, hidden otherwise.
   Definitions carry no macro: in C a function inherits `static` from its declaration. Objects do
   not, so definitions of tables carry TPI_DATA. TPI_TOOL: for modules of the host tools, which the
   one header does not contain. Windows hides all that is not exported. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TPI_TOOL extern __attribute__((visibility("hidden")))
#else
#define TPI_TOOL extern
#endif
#if defined(TIDEPOOL_IMPLEMENTATION)
#define TPI_DATA static
#if defined(__GNUC__)
#define TPI_FUNC static __attribute__((unused)) /* some are used by host tools and tests only */
#else
#define TPI_FUNC static
#endif
#else
#define TPI_DATA
#define TPI_FUNC TPI_TOOL
#endif
#if defined(__GNUC__)
#define TPI_INLINE static inline __attribute__((always_inline, unused))
/* not inlined, so that its locals do not add to the stack frames of other stages; those of headers
   may be unused */
#define TPI_APART __attribute__((noinline, unused))
/* the same, and rarely called: the caller keeps its registers for the other cases */
#define TPI_RARE                __attribute__((noinline, cold))
#define TPI_PREFETCH(address)   __builtin_prefetch(address)
#define TPI_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define TPI_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define TPI_INLINE static inline
#define TPI_APART
#define TPI_RARE
#define TPI_PREFETCH(address)   ((void)(address))
#define TPI_LIKELY(condition)   (condition)
#define TPI_UNLIKELY(condition) (condition)
#endif

/* May be defined by the user to catch states that are impossible unless the block was
   overwritten. */
#ifndef TP_ASSERT
#define TP_ASSERT(condition) ((void)(condition))
#endif

/* The only external functions; every freestanding compiler requires them anyway. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
/* With these names the compiler knows the functions in freestanding builds too. There the plain
   names are calls even for one word: on a Cortex-M4 these were a third of all instructions. */
#if defined(__GNUC__)
#define tpi_memcpy  __builtin_memcpy
#define tpi_memmove __builtin_memmove
#define tpi_memset  __builtin_memset
#else
#define tpi_memcpy  memcpy
#define tpi_memmove memmove
#define tpi_memset  memset
#endif

/* Run-time probes of the including file's compiler flags, for settings that no macro shows. Their
   inputs are volatile, so that the compiler cannot fold them; the expressions are not, so that they
   are compiled like all others. */

/* Detects fused multiply-add: (1 + 2^-12)^2 - (1 + 2^-11) is 0 with two roundings and 2^-24 with
   one. */
TPI_INLINE bool tpi_has_contraction(void)
{
    volatile float input = 1.000244140625f, less = -1.00048828125f;
    float a = input, b = less;
    return a * a + b != 0.0f;
}

/* Detects reordered sums: 2^24 + 1 rounds to 2^24, so (2^24 + 1) - 2^24 is 0; reordered it is 1.
   Detects division by multiplying: 7 times the rounded 1/3 differs from 7 / 3 in one bit. */
TPI_INLINE bool tpi_has_fast_math(void)
{
    volatile float input = 16777216.0f, one = 1.0f, seven = 7.0f;
    float a = input, b = one, c = seven;
    return (a + b) - a != 0.0f || c / 3.0f != 2.33333325f;
}

/* Checks that the including file is compiled so that results are the same on every machine. */
TPI_INLINE tp_result tpi_check_floats(void)
{
    if (tpi_has_contraction()) return TP_ERROR_CONTRACTION;
    return tpi_has_fast_math() ? TP_ERROR_FAST_MATH : TP_OK;
}

/* Checks a budget; null is none. Time needs a clock, and threads need a function that runs them.
   Returns TP_ERROR_NULL or TP_OK. */
TPI_INLINE tp_result tpi_check_budget(const tp_budget *budget)
{
    if (!budget) return TP_OK;
    if (budget->microseconds && !budget->clock_us) return TP_ERROR_NULL;
    return budget->jobs && !budget->jobs->run ? TP_ERROR_NULL : TP_OK;
}

/* ---- square root: correctly rounded by IEEE 754, one instruction if the machine has one ---- */
#if defined(__NO_MATH_ERRNO__) || defined(__wasm__)
TPI_INLINE float tpi_sqrt(float value) { return __builtin_sqrtf(value); }
#elif defined(__AVX__)
TPI_INLINE float tpi_sqrt(float value)
{
    float root;
    __asm__("vsqrtss %1, %1, %0" : "=x"(root) : "x"(value));
    return root;
}
#elif defined(__SSE__)
TPI_INLINE float tpi_sqrt(float value)
{
    float root;
    __asm__("sqrtss %1, %0" : "=x"(root) : "x"(value));
    return root;
}
#elif defined(__aarch64__)
TPI_INLINE float tpi_sqrt(float value)
{
    float root;
    __asm__("fsqrt %s0, %s1" : "=w"(root) : "w"(value));
    return root;
}
#elif defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 4)
TPI_INLINE float tpi_sqrt(float value)
{
    float root;
    __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(value));
    return root;
}
#else
float sqrtf(float value);
TPI_INLINE float tpi_sqrt(float value) { return sqrtf(value); }
#endif

/* Attributes of the functions in which a small machine spends most of its time: the loops over
   pairs in two dimensions. A build may define it, for example to place them in fast memory. */
#if !defined(TIDEPOOL_HOT)
#define TIDEPOOL_HOT
#endif

/* ---- small scalars ---- */
/* 1 if the compiler calls a routine for each float operation. */
#if defined(TPI_SOFT_FLOATS) /* a test's flag */
#elif defined(__SOFTFP__) || defined(__mips_soft_float) || \
    (defined(__riscv) && !defined(__riscv_flen)) || defined(_SOFT_FLOAT)
#define TPI_SOFT_FLOATS 1
#else
#define TPI_SOFT_FLOATS 0
#endif
TPI_INLINE float tpi_min(float a, float b) { return a < b ? a : b; }
TPI_INLINE float tpi_max(float a, float b) { return a > b ? a : b; }
TPI_INLINE float tpi_clamp(float value, float low, float high)
{
    return tpi_min(tpi_max(value, low), high);
}
TPI_INLINE float tpi_abs(float value) { return value < 0.0f ? -value : value; }
TPI_INLINE uint32_t tpi_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
TPI_INLINE uint32_t tpi_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
TPI_INLINE uint32_t tpi_bits(float value)
{
    uint32_t bits;
    tpi_memcpy(&bits, &value, sizeof bits);
    return bits;
}
TPI_INLINE float tpi_from_bits(uint32_t bits)
{
    float value;
    tpi_memcpy(&value, &bits, sizeof value);
    return value;
}
/* False for NaN and infinities. */
TPI_INLINE bool tpi_is_finite(float value)
{
    return (tpi_bits(value) & 0x7f800000u) != 0x7f800000u;
}
/* False for NaN too. */
TPI_INLINE bool tpi_is_within(float value, float low, float high)
{
    return value >= low && value <= high;
}
/* Magnitudes compare as these integers do; that of a NaN is the largest. Quicker than comparisons
   of floats where each is a call or moves flags between units. */
TPI_INLINE uint32_t tpi_magnitude(float value) { return tpi_bits(value) << 1; }
/* Flushes small numbers to 0, because some float units flush subnormals: so none enters the state.
   Numbers of at least 1e-30 are unchanged. */
#define TPI_FLUSH_BELOW 1e-30f
TPI_INLINE float tpi_flush(float value)
{
    return tpi_magnitude(value) < tpi_magnitude(TPI_FLUSH_BELOW) ? 0.0f : value;
}
/* True if a bool from outside holds 0 or 1. Read as a byte, because reading any other value as a
   bool is undefined. */
TPI_INLINE bool tpi_is_good_bool(const bool *value)
{
    unsigned char byte;
    tpi_memcpy(&byte, value, 1);
    return byte <= 1;
}
/* Clears the padding after a member of a structure, up to the next member or the end. A copy need
   not keep padding, and equal blocks must be equal byte for byte. */
#define TPI_CLEAR_GAP(item, type, member, next)                                     \
    tpi_memset((char *)(item) + offsetof(type, member) + sizeof((item)->member), 0, \
               offsetof(type, next) - offsetof(type, member) - sizeof((item)->member))
#define TPI_CLEAR_TAIL(item, type, member)                                          \
    tpi_memset((char *)(item) + offsetof(type, member) + sizeof((item)->member), 0, \
               sizeof(type) - offsetof(type, member) - sizeof((item)->member))
TPI_INLINE bool tpi_is_same(const void *a, const void *b, size_t bytes)
{
    const unsigned char *first = (const unsigned char *)a, *second = (const unsigned char *)b;
    size_t at = 0;
    while (at < bytes && first[at] == second[at]) at++;
    return at == bytes;
}
/* True for positive numbers; false for NaN. */
TPI_INLINE bool tpi_is_positive(float value)
{
    return TPI_SOFT_FLOATS ? tpi_bits(value) - 1u < 0x7f800000u : value > 0.0f;
}
/* Numbers compare as these integers do; that of a NaN is above or below all of them. */
TPI_INLINE int32_t tpi_rank(float value)
{
    int32_t bits = (int32_t)tpi_bits(value);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}
/* True if low < value < high; false for NaN. Without a float unit -0 is below 0. */
TPI_INLINE bool tpi_is_between(float value, float low, float high)
{
    if (!TPI_SOFT_FLOATS) return low < value && value < high;
    return tpi_rank(low) < tpi_rank(value) && tpi_rank(value) < tpi_rank(high);
}
/* True for -1..1; false for NaN. */
TPI_INLINE bool tpi_is_fraction(float value) { return tpi_magnitude(value) <= 0x7f000000u; }
/* Without a float unit shifts are quicker than conversions, and give the same numbers. */
TPI_INLINE int32_t tpi_fixed_by_bits(float value)
{
    uint32_t bits = tpi_bits(value), exponent = bits >> 23 & 255u;
    if (TPI_UNLIKELY(exponent > 127u)) return (int32_t)(value * 8388608.0f);
    uint32_t digits = ((bits & 0x7fffffu) | 0x800000u) >> tpi_min_u32(127u - exponent, 31u);
    return bits >> 31 ? -(int32_t)digits : (int32_t)digits;
}
TPI_INLINE int32_t tpi_floor_by_bits(float value)
{
    uint32_t bits = tpi_bits(value), exponent = bits >> 23 & 255u;
    uint32_t digits = (bits & 0x7fffffu) | 0x800000u;
    if (TPI_UNLIKELY(exponent >= 150u)) return (int32_t)value; /* it has no fraction */
    if (bits << 1 == 0) return 0;
    uint32_t shift = tpi_min_u32(150u - exponent, 31u);
    if (bits >> 31) return -(int32_t)((digits + (1u << shift) - 1u) >> shift);
    return (int32_t)(digits >> shift);
}
/* value * 2^23 towards zero; |value| < 256. */
#if defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 4) && __ARM_ARCH >= 7
TPI_INLINE int32_t tpi_fixed(float value)
{
    int32_t digits;
    __asm__("vcvt.s32.f32 %0, %0, #23" : "+t"(value));
    tpi_memcpy(&digits, &value, sizeof digits);
    return digits;
}
#else
TPI_INLINE int32_t tpi_fixed(float value)
{
    return TPI_SOFT_FLOATS ? tpi_fixed_by_bits(value) : (int32_t)(value * 8388608.0f);
}
#endif
/* Largest integer not above value; |value| < 2^31. */
TPI_INLINE int32_t tpi_floor(float value)
{
    if (TPI_SOFT_FLOATS) return tpi_floor_by_bits(value);
    int32_t whole = (int32_t)value;
    return whole - (value < (float)whole ? 1 : 0);
}

/* ---- own transcendental functions (math.c): at most 4 ulp from the correctly rounded result in
   the stated range ---- */
TPI_FUNC float tpi_sin(float angle); /* |angle| <= 8192 */
TPI_FUNC float tpi_cos(float angle); /* |angle| <= 8192 */
TPI_FUNC float tpi_exp(float value); /* clamped to [-87, 88] */

/* ---- interpolation (curve.c) ---- */
/* part / whole, for integers of any size; part <= whole. */
TPI_FUNC float tpi_share_of(uint64_t part, uint64_t whole);
/* Cubic Hermite interpolation from x0 to x1 with rates v0 and v1 per second, at `share` 0..1 of an
   interval of `seconds`; and its rate. */
TPI_FUNC float tpi_curve(float x0, float x1, float v0, float v1, float share, float seconds);
TPI_FUNC float tpi_curve_rate(float x0, float x1, float v0, float v1, float share, float seconds);
/* Spherical linear interpolation of unit quaternions a and b along the shorter arc. */
TPI_FUNC void tpi_slerp(const float a[4], const float b[4], float share, float to[4]);

/* ---- vectors ---- */
TPI_INLINE tp_vector tpi_vector(float x, float y, float z) { return (tp_vector){x, y, z}; }
TPI_INLINE float tpi_component(tp_vector a, uint32_t axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
TPI_INLINE tp_vector tpi_add(tp_vector a, tp_vector b)
{
    return tpi_vector(a.x + b.x, a.y + b.y, a.z + b.z);
}
TPI_INLINE tp_vector tpi_sub(tp_vector a, tp_vector b)
{
    return tpi_vector(a.x - b.x, a.y - b.y, a.z - b.z);
}
TPI_INLINE tp_vector tpi_scale(tp_vector a, float s)
{
    return tpi_vector(a.x * s, a.y * s, a.z * s);
}
/* a + s b */
TPI_INLINE tp_vector tpi_add_scaled(tp_vector a, tp_vector b, float s)
{
    return tpi_vector(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
TPI_INLINE float tpi_dot(tp_vector a, tp_vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TPI_INLINE tp_vector tpi_cross(tp_vector a, tp_vector b)
{
    return tpi_vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/* The largest magnitude of a component. */
TPI_INLINE float tpi_largest(tp_vector a)
{
    return tpi_max(tpi_abs(a.x), tpi_max(tpi_abs(a.y), tpi_abs(a.z)));
}
TPI_INLINE float tpi_length(tp_vector a) { return tpi_sqrt(tpi_dot(a, a)); }
TPI_INLINE tp_vector tpi_lerp(tp_vector a, tp_vector b, float t)
{
    return tpi_add_scaled(a, tpi_sub(b, a), t);
}
TPI_INLINE bool tpi_is_finite_vector(tp_vector a)
{
    return tpi_is_finite(a.x) && tpi_is_finite(a.y) && tpi_is_finite(a.z);
}
TPI_INLINE bool tpi_is_vector_within(tp_vector a, float limit)
{
    uint32_t most = tpi_magnitude(limit);
    return tpi_magnitude(a.x) <= most && tpi_magnitude(a.y) <= most && tpi_magnitude(a.z) <= most;
}
/* a / |a|, or `otherwise` where |a| is below 1e-20. */
TPI_FUNC tp_vector tpi_normalise(tp_vector a, tp_vector otherwise);
/* Rotates by a unit quaternion, and back. */
TPI_FUNC tp_vector tpi_rotate(tp_quaternion q, tp_vector a);
TPI_FUNC tp_vector tpi_rotate_back(tp_quaternion q, tp_vector a);
/* Normalised linear interpolation along the shorter arc. */
TPI_FUNC tp_quaternion tpi_quaternion_lerp(tp_quaternion a, tp_quaternion b, float t);
TPI_FUNC tp_pose tpi_pose_lerp(tp_pose a, tp_pose b, float t);
TPI_INLINE tp_vector tpi_to_local(tp_pose pose, tp_vector a)
{
    return tpi_rotate_back(pose.rotation, tpi_sub(a, pose.position));
}
TPI_INLINE tp_vector tpi_to_world(tp_pose pose, tp_vector a)
{
    return tpi_add(tpi_rotate(pose.rotation, a), pose.position);
}

/* ---- hash and random (random.c) ---- */
/* Mixes 64 bits so that each input bit flips half of the output bits on average (the finaliser of
   SplitMix64, Steele 2014). */
TPI_INLINE uint64_t tpi_mix(uint64_t bits)
{
    bits ^= bits >> 30;
    bits *= 0xbf58476d1ce4e5b9u;
    bits ^= bits >> 27;
    bits *= 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}
/* The hash of a sequence of words goes on with another one. */
TPI_INLINE uint64_t tpi_mix_word(uint64_t hash, uint64_t word)
{
    return tpi_mix(hash ^ (word + 0x9e3779b97f4a7c15u));
}
/* The key of a random number, which depends only on (seed, world, particle, channel, event), never
   on earlier numbers. */
typedef struct tpi_random_key {
    uint32_t seed, world_id, particle, channel;
} tpi_random_key;
TPI_FUNC uint32_t tpi_random_bits(tpi_random_key key, uint32_t event);
/* Uniform in [0, 1), 24 bits. */
TPI_FUNC float tpi_random_unit(tpi_random_key key, uint32_t event);
/* Uniform in the ball (3) or disc (2) of radius 1; uses events event .. event + 2. */
TPI_FUNC tp_vector tpi_random_ball(tpi_random_key key, uint32_t event, uint32_t dimensions);
/* Uniform direction; uses events event .. event + 1. */
TPI_FUNC tp_vector tpi_random_direction(tpi_random_key key, uint32_t event, uint32_t dimensions);

#endif
