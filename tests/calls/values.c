/* SPDX-License-Identifier: MIT
   tests/calls/values.c - random and hostile numbers.
   reads   the sequence's random state      writes  it
   memory  none      cost    nanoseconds
   after   splitmix64 (Steele, Lea and Flood 2014) */
#include "calls.h"

static uint64_t next(calls_sequence *sequence)
{
    uint64_t z = sequence->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t calls_below(calls_sequence *sequence, uint32_t limit)
{
    return limit ? (uint32_t)((next(sequence) >> 32) * limit >> 32) : 0;
}

bool calls_one_in(calls_sequence *sequence, uint32_t n) { return calls_below(sequence, n) == 0; }

uint32_t calls_hostile_word(calls_sequence *sequence)
{
    static const uint32_t words[] = {
        0,          1,          2,          3,          4,          7,
        8,          16,         63,         64,         65,         255,
        256,        1023,       1024,       4097,       65535,      65536,
        0xffffff,   0x1000000,  0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
        0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001,
        0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x4e6e6b28, 0x501502f9};
    if (calls_one_in(sequence, 6)) return (uint32_t)next(sequence);
    return words[calls_below(sequence, sizeof words / sizeof words[0])];
}

float calls_hostile_float(calls_sequence *sequence)
{
    uint32_t word = calls_hostile_word(sequence);
    float value;
    if (calls_one_in(sequence, 3))
        return (calls_one_in(sequence, 2) ? -1.0f : 1.0f) * (float)(word >> 4);
    memcpy(&value, &word, sizeof value);
    return value;
}

float calls_float(calls_sequence *sequence, uint32_t rarity)
{
    if (rarity && calls_one_in(sequence, rarity)) return calls_hostile_float(sequence);
    return (float)(int32_t)(uint32_t)(next(sequence) >> 32) * (1.0f / 2147483648.0f);
}

tp_vector calls_vector(calls_sequence *sequence, float size, uint32_t rarity)
{
    float x = calls_float(sequence, rarity), y = calls_float(sequence, rarity);
    return (tp_vector){x * size, y * size, calls_float(sequence, rarity) * size};
}

tp_pose calls_pose(calls_sequence *sequence, uint32_t rarity)
{
    static const tp_quaternion turns[] = {
        {1, 0, 0, 0}, {0.8f, 0, 0, 0.6f}, {0, 1, 0, 0}, {0.6f, 0.8f, 0, 0}};
    tp_pose pose = {calls_vector(sequence, 2.0f, rarity), turns[calls_below(sequence, 4)]};
    if (rarity && calls_one_in(sequence, rarity)) pose.rotation.w = calls_hostile_float(sequence);
    return pose;
}

void calls_change(calls_sequence *sequence, void *definition, size_t size, uint32_t rarity)
{
    if (!calls_one_in(sequence, rarity)) return;
    for (uint32_t k = calls_below(sequence, 2) + 1u; k > 0; k--) {
        uint32_t word = calls_hostile_word(sequence),
                 at = calls_below(sequence, (uint32_t)(size / 4u)) * 4u;
        memcpy((unsigned char *)definition + at, &word, 4);
    }
}

void calls_tame(bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    byte &= 1u;
    memcpy(value, &byte, 1);
}
