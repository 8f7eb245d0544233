/* SPDX-License-Identifier: MIT
   host_tools/render/deflate.h - includes of the deflate compressor.
   reads   -      writes  -
   memory  none   cost    see huffman.c and deflate.c
   after   RFC 1951 */
#ifndef TIDEPOOL_DEFLATE_H
#define TIDEPOOL_DEFLATE_H
#include "compress/deflate_codes.h"
#include "compress/huffman.h"
#include "render.h"

#endif
