/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd.h - Zstandard frames, used by point caches of Blender 5.
   reads   bytes      writes  memory that the caller gives
   memory  none of its own      cost    O(bytes in + bytes out), see each call
   after   RFC 8878; without dictionaries */
#ifndef TIDEPOOL_ZSTD_H
#define TIDEPOOL_ZSTD_H
#include "fault.h"

/* Upper bound of the decoded size of a stream of `size` bytes: check it before allocating a size
   that a file claims. O(1). */
uint64_t zstd_decoded_max(size_t size);

/* Upper bound of the decoded size of all frames, from frame and block headers only. It is exact if
   every frame has its content size, and never above zstd_decoded_max(size). A content size that the
   blocks cannot have is a fault. O(blocks). RFC 8878, 3.1. */
bool zstd_measure(const uint8_t *bytes, size_t size, uint64_t *content, compress_fault *fault);

/* Work memory for the decoder, about 170 KiB. O(1). */
size_t zstd_decoder_bytes(void);

/* Decodes all frames of the input, which must decode to exactly out_size bytes; `out` must not
   overlap it. `work` has zstd_decoder_bytes(), is aligned as by malloc and need not be initialised.
   On failure returns false, `fault` has offset and reason, and the contents of `out` are undefined.
   Never accesses a byte outside of the ranges. O(size + out_size). RFC 8878, 3-4. */
bool zstd_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size, void *work,
                 compress_fault *fault);
/* The same for frames that decode to at most `capacity` bytes: *written is the number of decoded
   bytes, also on a fault. */
bool zstd_decode_some(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                      size_t *written, void *work, compress_fault *fault);

#define ZSTD_ENCODE_MAX 0x7fffffffu /* largest input of the encoder: positions have 32 bits */

/* Capacity that is always enough to encode `size` bytes. O(1). */
size_t zstd_bound(size_t size);
/* Work memory to encode `size` bytes, about 1.5 MiB; 0 if `size` exceeds ZSTD_ENCODE_MAX. O(1). */
size_t zstd_encoder_bytes(size_t size);

/* Encodes one frame, with its content size, and returns its size, or 0 if `capacity` is below
   zstd_bound(size). `work` is aligned as by malloc and need not be initialised. The same bytes
   always give the same frame. O(size). RFC 8878, 3-4. */
size_t zstd_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                   bool has_checksum, void *work);

/* ---- a frame in pieces, for files of any size */

#define ZSTD_PIECE_MAX \
    (1u << 22) /* bytes of a piece; matches do not reach back into the last one */
#define ZSTD_HEAD_BYTES 14u
/* Writes the header of a frame of `size` bytes with a checksum, and returns its size. `work` holds
   zstd_encoder_bytes(0) between the calls. O(1). */
size_t zstd_begin_frame(uint64_t size, uint8_t *out, void *work);
/* Encodes the next piece, of at most ZSTD_PIECE_MAX bytes, into zstd_bound(size) bytes and returns
   its size. After the last one the checksum follows, the lower half of zstd_sum_end, in 4 bytes.
   O(size). */
size_t zstd_encode_piece(const uint8_t *bytes, size_t size, bool is_last, uint8_t *out, void *work);

/* XXH64 with seed 0 of bytes that come in parts. */
typedef struct zstd_sum {
    uint64_t lanes[4], size;
    uint8_t rest[32];
} zstd_sum;
void zstd_sum_start(zstd_sum *sum);
void zstd_sum_add(zstd_sum *sum, const uint8_t *bytes, size_t size);
uint64_t zstd_sum_end(const zstd_sum *sum);

#define ZSTD_WINDOW_MAX (1u << 27) /* largest window of a stream, as of the program zstd */
#define ZSTD_UNIT_MAX   131091u    /* bytes that a step may need: of a block, or of a header */
typedef enum zstd_step_result {
    ZSTD_MORE,  /* more input is needed to go on */
    ZSTD_SPACE, /* stream->space must have stream->wanted bytes */
    ZSTD_OUT,   /* *out has *out_size new bytes, perhaps none */
    ZSTD_FAULT
} zstd_step_result;
/* Decodes frames step by step. {0} begins; `work` has zstd_decoder_bytes(). */
typedef struct zstd_stream {
    void *work;
    uint8_t *space; /* of the caller: the last bytes of the frame */
    size_t space_bytes, wanted, filled;
    uint64_t content, written; /* bytes of the frame: as stated, so far */
    uint32_t skip;             /* bytes to skip of a frame that holds none */
    bool is_inside, has_content, has_checksum, is_last;
    zstd_sum sum;
} zstd_stream;
/* One step: a header, a block or a checksum at the beginning of `in`. *used: bytes of it that were
   read. With `is_end` no more input comes. On ZSTD_FAULT `fault` has the offset in `in` and the
   reason. O(bytes of the block). */
zstd_step_result zstd_stream_step(zstd_stream *stream, const uint8_t *in, size_t in_size,
                                  bool is_end, size_t *used, const uint8_t **out, size_t *out_size,
                                  compress_fault *fault);

/* XXH64 of the bytes; a frame's checksum is its lower half with seed 0. O(size). */
uint64_t zstd_checksum(const uint8_t *bytes, size_t size, uint64_t seed);

#endif
