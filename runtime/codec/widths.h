/* SPDX-License-Identifier: MIT
   runtime/codec/widths.h - all that has vectors, as one text: the stages of a step, and the decoder
           of clips.
   reads   TPI_PASS      writes  nothing: other files
   memory  none      cost    none
   after   own design: with TPI_PASS the text is compiled once more, for wider vectors, see
           base/pass.h. Files that have no vectors are not in it, and are compiled once */
#include "../base/pass.h"
#include "../step/widths.h"
#include "frame.c"
#include "../base/pass_end.h"
