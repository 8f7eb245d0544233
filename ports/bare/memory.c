/* SPDX-License-Identifier: MIT
   ports/bare/memory.c - memcpy, memmove and memset, which compilers call, for machines without a C
           library.
   reads   its arguments      writes  the memory named
   memory  none               cost    one byte at a time, words if both pointers are aligned
   after   ISO C; compiled with -fno-tree-loop-distribute-patterns: otherwise gcc turns the loops
           into calls of themselves */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

typedef uint32_t __attribute__((may_alias)) memory_word;

static int memory_is_aligned(uintptr_t address) { return (address & 3u) == 0; }

static void memory_up(unsigned char *to, const unsigned char *from, size_t size)
{
    if (memory_is_aligned((uintptr_t)to | (uintptr_t)from))
        for (; size >= 4; size -= 4, to += 4, from += 4)
            *(memory_word *)(void *)to = *(const memory_word *)(const void *)from;
    while (size--) *to++ = *from++;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    memory_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *end = to;
    const unsigned char *source = from;
    if ((uintptr_t)to - (uintptr_t)from >= size)
        memory_up(end, source, size);
    else
        while (size--) end[size] = source[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *at = to;
    uint32_t word = (unsigned char)value * 0x01010101u;
    if (memory_is_aligned((uintptr_t)at))
        for (; size >= 4; size -= 4, at += 4) *(memory_word *)(void *)at = word;
    while (size--) *at++ = (unsigned char)value;
    return to;
}
