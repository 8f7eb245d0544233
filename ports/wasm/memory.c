/* SPDX-License-Identifier: MIT
   ports/wasm/memory.c - memcpy, memmove and memset, which compilers call.
   reads   its arguments      writes  its results
   memory  none               cost    O(size), 8 bytes at a time
   after   own design */
#include <stddef.h>
#include <stdint.h>

#define MEMORY_OWN(name) __attribute__((no_builtin(name)))
#define MEMORY_WORD      sizeof(uint64_t)

/* Eight bytes at any address: WebAssembly allows unaligned accesses. */
typedef uint64_t memory_word __attribute__((aligned(1), may_alias));

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

MEMORY_OWN("memcpy") void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *at = to;
    const unsigned char *source = from;
    for (; size >= MEMORY_WORD; size -= MEMORY_WORD, at += MEMORY_WORD, source += MEMORY_WORD)
        *(memory_word *)at = *(const memory_word *)source;
    while (size--) *at++ = *source++;
    return to;
}

MEMORY_OWN("memmove") void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *at = to;
    const unsigned char *source = from;
    if (at < source)
        for (size_t i = 0; i < size; i++) at[i] = source[i];
    else
        while (size--) at[size] = source[size];
    return to;
}

MEMORY_OWN("memset") void *memset(void *to, int value, size_t size)
{
    unsigned char *at = to;
    uint64_t word = (unsigned char)value * 0x0101010101010101u;
    for (; size >= MEMORY_WORD; size -= MEMORY_WORD, at += MEMORY_WORD) *(memory_word *)at = word;
    while (size--) *at++ = (unsigned char)value;
    return to;
}
