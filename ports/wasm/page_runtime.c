/* SPDX-License-Identifier: MIT
   ports/wasm/page_runtime.c - the implementation of the runtime for the page; unused functions are
           dropped by the linker.
   reads   -      writes  -
   memory  none   cost    -
   after   own design; separate from page.c, so that a change of the page compiles quickly */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
