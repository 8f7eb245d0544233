/* SPDX-License-Identifier: MIT
   host_tools/compress/transpose.h - the filter before compression: byte planes, each as differences.
   reads   items of some bytes      writes  as many bytes
   memory  none   cost    O(bytes)
   after   the point caches of Blender 5: plane b holds byte b of each item, less that of the item before, modulo 256 */
#ifndef TIDEPOOL_TRANSPOSE_H
#define TIDEPOOL_TRANSPOSE_H
#include <stddef.h>
#include <stdint.h>

/* out, which does not overlap bytes, gets count * size bytes: F[b * count + i] = S[i * size + b] - S[(i - 1) * size + b]. */
void transpose_split(const uint8_t *bytes, size_t count, size_t size, uint8_t *out);
/* The inverse of transpose_split. */
void transpose_join(const uint8_t *bytes, size_t count, size_t size, uint8_t *out);

#endif
