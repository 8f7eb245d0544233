/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead_8.c - the beam search once more, for vectors of 8 numbers (AVX2).
   reads   nothing      writes  nothing: another file
   memory  none      cost    none
   after   own design; see runtime/base/pass.h */
#include "../../runtime/base/base.h"
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
#define TPI_PASS 8
#include "../../runtime/base/pass.h"
/* its own names beside those of the other widths */
#define host_search_lanes      host_search_lanes_8
#define host_coordinates_lanes host_coordinates_lanes_8
#include "lookahead_lanes.c"
#include "../../runtime/base/pass_end.h"
#else
typedef int no_pass;
#endif
