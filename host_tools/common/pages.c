/* SPDX-License-Identifier: MIT
   host_tools/common/pages.c - huge pages for memory that is read at random.
   reads   -      writes  -
   memory  none      cost    a system call
   after   own design; madvise of Linux, which POSIX does not have */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#endif
#include "pages.h"
#include <stdint.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((uintptr_t)2 << 20)

void host_use_huge_pages(void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE - 1u) & ~(HUGE_PAGE - 1u),
              end = ((uintptr_t)memory + bytes) & ~(HUGE_PAGE - 1u);
    if (begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}
