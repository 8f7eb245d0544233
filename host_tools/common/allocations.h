/* SPDX-License-Identifier: MIT
   host_tools/common/allocations.h - counts what the program takes from the heap, to prove that a frame loop takes nothing.
   reads   -      writes  counters
   memory  two words      cost    one addition an allocation
   after   the linker's --wrap: calls of malloc and its kin in our own files go through a counter */
#ifndef TIDEPOOL_ALLOCATIONS_H
#define TIDEPOOL_ALLOCATIONS_H
#include <stdbool.h>
#include <stdint.h>

/* The program must be linked with
       -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=aligned_alloc,--wrap=posix_memalign
   (GNU ld, gold, lld; glibc and musl). Without it nothing is counted, and allocations_counted says so. */

/* True when counting works here: makes one allocation and looks whether it was seen. */
bool allocations_counted(void);
/* Allocations and releases since the program began. */
uint64_t allocations_total(void);

#endif
