/* SPDX-License-Identifier: MIT
   host_tools/compress/transpose.h - filter before compression: byte transposition (shuffle) with
           delta coding.
   reads   items of some bytes      writes  the same number of bytes
   memory  2 KiB of stack   cost    O(bytes)
   after   the point caches of Blender 5: plane b holds byte b of each item minus that of the
           previous item, modulo 256 */
#ifndef TIDEPOOL_TRANSPOSE_H
#define TIDEPOOL_TRANSPOSE_H
#include <stddef.h>
#include <stdint.h>

/* Writes count * size bytes to `out`, which must not overlap: out[b * count + i] = bytes[i * size +
   b] - bytes[(i - 1) * size + b]. */
void transpose_split(const uint8_t *bytes, size_t count, size_t size, uint8_t *out);
/* The inverse of transpose_split. */
void transpose_join(const uint8_t *bytes, size_t count, size_t size, uint8_t *out);

#endif
