/* SPDX-License-Identifier: MIT
   host_tools/clip/leaders.c - which points may lead others in a tile.
   reads   second differences      writes  distances
   memory  none                    cost    see leaders.h
   after   own design; costs are estimated from the exponents of floats */
#include "leaders.h"
#include <math.h>
#include <string.h>

/* Number of bits of the integer part of a second difference, from the exponent of the float. */
static int32_t difference_bits(float difference)
{
    float size = fabsf(difference);
    int32_t word;
    memcpy(&word, &size, sizeof word);
    word = (word >> 23) - 126;
    return word > 0 ? word : 0;
}

/* The logarithm of 1 + the size of a second difference in 128ths of a bit, linear between powers of
   two: finer, as two leaders save fractions of a bit. */
static int32_t difference_cost(float difference)
{
    float size = 1.0f + fabsf(difference);
    int32_t word;
    memcpy(&word, &size, sizeof word);
    return (word >> 16) - (127 << 7);
}

/* Estimated bits of all points in a frame, each predicted from its leader. */
static int32_t frame_bits(const float *of, uint32_t points, uint32_t follows)
{
    int32_t bits = 0;
    uint32_t alone = follows ? follows : points;
    const float *led = of + alone;
    for (uint32_t p = 0; p < alone; p++) bits += difference_bits(of[p]);
    for (uint32_t p = 0; p < points - alone; p++) bits += difference_bits(led[p] - of[p]);
    return bits;
}

/* Of every `apart`th frame. */
static int32_t bits_with_leader(const host_differences *differences, uint32_t follows,
                                uint32_t apart)
{
    int32_t bits = 0;
    for (uint32_t f = 0; f < differences->frames; f += apart)
        bits += frame_bits(differences->of[f], differences->points, follows);
    return bits;
}

/* The same with up to two leaders, finer. */
static int32_t frame_cost(const float *of, uint32_t points, uint32_t follows, uint32_t second)
{
    int32_t cost = 0;
    uint32_t one = follows ? follows : points, two = second > one ? second : one;
    if (!second || two > points) two = points;
    for (uint32_t p = 0; p < one; p++) cost += difference_cost(of[p]);
    const float *led = of + one, *a = of + two - one, *b = of + two - second;
    for (uint32_t p = 0; p < two - one; p++) cost += difference_cost(led[p] - of[p]);
    led = of + two;
    for (uint32_t p = 0; p < points - two; p++)
        cost += difference_cost(led[p] - 0.5f * (a[p] + b[p]));
    return cost;
}

/* Of every `apart`th frame. */
static int32_t cost_with_leaders(const host_differences *differences, uint32_t follows,
                                 uint32_t second, uint32_t apart)
{
    int32_t cost = 0;
    for (uint32_t f = 0; f < differences->frames; f += apart)
        cost += frame_cost(differences->of[f], differences->points, follows, second);
    return cost;
}

#define ROUGH 3u /* frames apart, for a first look */

uint32_t host_leader_find(const host_differences *differences, bool *is_close)
{
    int32_t alone = bits_with_leader(differences, 0, 1),
            rough = bits_with_leader(differences, 0, ROUGH), least = INT32_MAX;
    uint32_t best = 0;
    for (uint32_t follows = 1; follows <= differences->points / 2u; follows++) {
        if (bits_with_leader(differences, follows, ROUGH) > rough + rough / 8) continue;
        int32_t bits = bits_with_leader(differences, follows, 1);
        if (bits < least) least = bits, best = follows;
    }
    *is_close = least < alone;
    return least < alone - alone / 16 ? best : 0;
}

/* The distance that saves the most beside `follows` (0: alone), if the cost is below *least, which
   becomes the cost; else 0. */
static uint32_t find_cheapest(const host_differences *differences, uint32_t follows, int32_t *least)
{
    uint32_t best = 0;
    int32_t rough = cost_with_leaders(differences, follows, 0, ROUGH);
    for (uint32_t apart = 1; apart <= differences->points / 2u; apart++) {
        uint32_t one = follows ? follows : apart, two = follows ? apart : 0;
        if (cost_with_leaders(differences, one, two, ROUGH) > rough + rough / 8) continue;
        int32_t cost = cost_with_leaders(differences, one, two, 1);
        if (cost < *least) *least = cost, best = apart;
    }
    return best;
}

bool host_leaders_find(const host_differences *differences, uint32_t *follows, uint32_t *second)
{
    int32_t alone = cost_with_leaders(differences, 0, 0, 1), least = alone;
    *second = 0;
    *follows = find_cheapest(differences, 0, &least);
    if (!*follows) return false;
    least -= least / 64;
    *second = find_cheapest(differences, *follows, &least);
    return least <= alone - alone / 16;
}
