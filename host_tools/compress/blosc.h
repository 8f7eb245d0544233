/* SPDX-License-Identifier: MIT
   host_tools/compress/blosc.h - chunks of Blosc, version 1: blocks whose bytes are transposed, then
           compressed.
   reads   bytes      writes  memory that the caller gives
   memory  a block and the decoder's      cost  O(bytes)
   after   README_CHUNK_FORMAT.rst of c-blosc; compressors BloscLZ, LZ4, zlib and Zstandard */
#ifndef TIDEPOOL_BLOSC_H
#define TIDEPOOL_BLOSC_H
#include "fault.h"

#define BLOSC_HEAD_BYTES 16u

typedef struct blosc_head {
    uint32_t flags, type_bytes;
    uint32_t size, block, packed; /* bytes: of the contents, of a block, of the chunk */
} blosc_head;

/* Reads and checks the header of a chunk at the beginning of `size` bytes, among them that the
   contents are not larger than the chunk allows. On failure returns false, and `fault` has offset
   and reason. O(1). */
bool blosc_read_head(const uint8_t *bytes, size_t size, blosc_head *head, compress_fault *fault);

/* Work memory to decode a chunk, aligned as by malloc. O(1). */
size_t blosc_decoder_bytes(const blosc_head *head);
/* Decodes a chunk of head->packed bytes to head->size bytes; `out` must not overlap it. On failure
   returns false, and `fault` has offset and reason. Never accesses a byte outside of the ranges.
   O(size + packed). */
bool blosc_decode(const uint8_t *bytes, const blosc_head *head, uint8_t *out, void *work,
                  compress_fault *fault);

/* Bytes of work memory to encode, and capacity that is always enough. O(1). */
size_t blosc_encoder_bytes(void);
size_t blosc_bound(size_t size);
/* Encodes below 2^31 bytes of 32-bit values with BloscLZ, and returns the size of the chunk. The
   same bytes always give the same chunk. O(size). */
size_t blosc_encode(const uint8_t *bytes, size_t size, uint8_t *out, void *work);

#endif
