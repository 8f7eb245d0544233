/* SPDX-License-Identifier: MIT
   host_tools/common/allocations.c - counts heap allocations, to prove that a frame loop makes none.
   reads   -      writes  counters
   memory  two words      cost    one addition per allocation
   after   linker option --wrap: calls of malloc and related functions in this tree go through a
           counter */
#include "allocations.h"
#include <stddef.h>
#include <stdlib.h>

static volatile uint64_t allocations;

/* Names defined by the linker. Weak, so that the program also links without --wrap; then the
   wrappers are not called. */
#if defined(__GNUC__) && !defined(__APPLE__)
#define WEAK __attribute__((weak))
extern void *__real_malloc(size_t size) WEAK;
extern void *__real_calloc(size_t count, size_t size) WEAK;
extern void *__real_realloc(void *block, size_t size) WEAK;
extern void __real_free(void *block) WEAK;
extern void *__real_aligned_alloc(size_t alignment, size_t size) WEAK;
extern int __real_posix_memalign(void **block, size_t alignment, size_t size) WEAK;
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    allocations++;
    return __real_realloc(block, size);
}

void __wrap_free(void *block)
{
    allocations++;
    __real_free(block);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    allocations++;
    return __real_posix_memalign(block, alignment, size);
}
#endif

bool allocations_counted(void)
{
    uint64_t before = allocations;
    /* volatile: a compiler may remove an unused malloc/free pair */
    void *volatile block = malloc(16);
    free(block);
    return allocations >= before + 2;
}

uint64_t allocations_total(void) { return allocations; }
