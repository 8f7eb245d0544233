/* SPDX-License-Identifier: MIT
   host_tools/common/pages.h - huge pages for memory that is read at random.
   reads   -      writes  -
   memory  none      cost    a system call
   after   own design */
#ifndef TIDEPOOL_HOST_PAGES_H
#define TIDEPOOL_HOST_PAGES_H
#include <stddef.h>

/* Asks the system to back the memory by huge pages, for large tables that are read at random: most
   of such reads wait for the page table otherwise. Only advice: Linux alone takes it. */
void host_use_huge_pages(void *memory, size_t bytes);

#endif
