/* SPDX-License-Identifier: MIT
   runtime/base/random.c - counter-based random numbers: a function of their key, without state.
   reads   (seed, world, particle, channel, event)      writes  nothing
   memory  none                                         cost    O(1): two 64-bit mixes per number
   after   counter-based generation (Salmon et al. 2011); the mixer is SplitMix64's (Steele et al.
           2014) */
#include "base.h"

uint32_t tpi_random_bits(tpi_random_key key, uint32_t event)
{
    uint64_t stream = ((uint64_t)key.world_id << 32) | key.particle;
    uint64_t what = ((uint64_t)key.channel << 32) | event;
    uint64_t bits = tpi_mix(stream + 0x9e3779b97f4a7c15u * ((uint64_t)key.seed + 1u));
    return (uint32_t)(tpi_mix(bits ^ (what * 0xd1b54a32d192ed03u)) >> 32);
}

float tpi_random_unit(tpi_random_key key, uint32_t event)
{
    return (float)(tpi_random_bits(key, event) >> 8) * (1.0f / 16777216.0f);
}

tp_vector tpi_random_direction(tpi_random_key key, uint32_t event, uint32_t dimensions)
{
    float angle = 6.2831853f * tpi_random_unit(key, event);
    if (dimensions == 2) return tpi_vector(tpi_cos(angle), tpi_sin(angle), 0.0f);
    /* Archimedes: height is uniform on a sphere */
    float height = 2.0f * tpi_random_unit(key, event + 1) - 1.0f;
    float around = tpi_sqrt(tpi_max(1.0f - height * height, 0.0f));
    return tpi_vector(around * tpi_cos(angle), around * tpi_sin(angle), height);
}

/* The radius must be uniform by volume. The largest of three (in 2D two) uniform numbers has the
   same distribution as the cube root (square root) of one, and needs no root. */
tp_vector tpi_random_ball(tpi_random_key key, uint32_t event, uint32_t dimensions)
{
    float a = tpi_random_unit(key, event + 2), b = tpi_random_unit(key, event + 0x10000u);
    float radius = tpi_max(a, b);
    if (dimensions == 3) radius = tpi_max(radius, tpi_random_unit(key, event + 0x20000u));
    return tpi_scale(tpi_random_direction(key, event, dimensions), radius);
}
