/* SPDX-License-Identifier: MIT
   host_tools/common/allocations.h - counts heap allocations, to prove that a frame loop makes none.
   reads   -      writes  counters
   memory  two words      cost    one addition per allocation
   after   linker option --wrap: calls of malloc and related functions in this tree go through a
           counter */
#ifndef TIDEPOOL_ALLOCATIONS_H
#define TIDEPOOL_ALLOCATIONS_H
#include <stdbool.h>
#include <stdint.h>

/* The program must be linked with
       -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,
        --wrap=free,--wrap=aligned_alloc,--wrap=posix_memalign
   (GNU ld, gold, lld; glibc and musl). Otherwise nothing is counted, and allocations_counted
   returns false. */

/* True if counting works: makes one allocation and checks that it was counted. */
bool allocations_counted(void);
/* Allocations and releases since the program began. */
uint64_t allocations_total(void);

#endif
