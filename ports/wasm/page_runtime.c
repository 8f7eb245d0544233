/* SPDX-License-Identifier: MIT
   ports/wasm/page_runtime.c - the runtime, of which the page links what it calls.
   reads   -      writes  -
   memory  none   cost    -
   after   own design; apart from page.c, so that a change of the page compiles in a moment */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
