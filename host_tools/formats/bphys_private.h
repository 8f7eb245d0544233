/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_private.h - shared by the files that read and write the bytes of one
           .bphys file.
   reads   -                               writes  -
   memory  work memory of the codecs, allocated on first use    cost    see bphys_*.c
   after   the layout of Blender's point caches on disk */
#ifndef TIDEPOOL_BPHYS_PRIVATE_H
#define TIDEPOOL_BPHYS_PRIVATE_H
#include "bphys.h"
#include "../compress/codec.h"

/* ---- byte order (bphys_elements.c): conversion between a file and the machine. Stores are
   little-endian. */

uint16_t bphys_load_u16(const uint8_t *at, bool big_endian);
void bphys_store_u16(uint8_t *at, uint16_t value);
void bphys_store_u32(uint8_t *at, uint32_t value);
/* Convert `count` elements of a stream between the file's byte order and the machine's; the strides
   are the bytes from one element to the next. The ranges may be identical. O(count) */
void bphys_load_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                         uint32_t count, uint32_t stream, bool big_endian);
void bphys_store_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                          uint32_t count, uint32_t stream);
/* Makes *buffer hold at least `size` bytes, with any content; false when memory is short. */
bool bphys_reserve(void **buffer, size_t *capacity, size_t size);
/* True when this byte order is the machine's own. */
bool bphys_is_native(bool big_endian);
/* Bytes of one record: the sum over the streams in the mask. */
uint32_t bphys_record_bytes(uint32_t streams);

/* ---- reading */

/* The part of a file that is being read: Blender's reaction to damage depends on it. */
typedef enum bphys_part {
    BPHYS_IN_RECORDS,
    BPHYS_IN_BLOCK,
    BPHYS_BEFORE_EXTRA,
    BPHYS_IN_EXTRA,
    BPHYS_IN_EXTRA_TYPE,
    BPHYS_IN_CLAIM, /* not damaged, but refused by bphys_check_claim */
    BPHYS_PARTS
} bphys_part;

/* A cursor over a file, and the memory needed to decode its blocks, which bphys_reader_end
   frees. */
typedef struct bphys_reader {
    const char *file; /* for messages; NULL: print none */
    const uint8_t *bytes;
    size_t size, at;
    uint64_t backing; /* bytes that bphys_check_claim compares with; 0: size */
    bphys_header header;
    bphys_part part;
    uint32_t packings; /* bit mask of the codes of all blocks so far, damaged ones included */
    void *work;        /* work memory of the decoder */
    size_t work_capacity;
    void *planes; /* bytes of a block that was split into byte planes, before they are joined */
    size_t planes_capacity;
} bphys_reader;
void bphys_reader_end(bphys_reader *r);
/* Print the error and return HOST_BAD_INPUT or HOST_OUT_OF_MEMORY. */
int bphys_refuse(const bphys_reader *r, size_t at, const char *format, ...);
int bphys_out_of_memory(const bphys_reader *r);

/* Compressed files may claim this many points, or elements of extra data; larger ones at most that
   many per byte. Otherwise a zstd file of 7 KB claims ten million points, and its conversion takes
   seconds. Sound files stay below both limits:
   - A moving point has three floats that differ from those of other points: a byte at least, with
   any codec.
   - LZO stores at most 255 bytes per byte, which is 64 points of one word.
   - A sheet of 2049 x 2049 vertices at rest, 554 points per byte with zstd, is below the first
   limit.
   - Birth, death and lifetime of an info file may be equal for all points. Its points are in the
   frames, so
     the bytes of the whole sequence count. */
#define BPHYS_CLAIM_ALWAYS   4500000u
#define BPHYS_CLAIM_PER_BYTE 64u
/* Most points that compressed files with this many bytes may claim. */
uint64_t bphys_claim_max(uint64_t bytes);
/* HOST_DONE, or HOST_BAD_INPUT with the error printed if `count` exceeds that limit. `what`:
   points, ...; `at` is the offset of the count in the file. Call it before memory for the items is
   allocated. */
int bphys_check_claim(bphys_reader *r, size_t at, const char *what, uint32_t count);

/* The code byte at the start of each block. */
enum {
    BPHYS_STORED = 0,
    BPHYS_LZO = 1,
    BPHYS_LZMA = 2,
    BPHYS_ZSTD_PLANES = 3,
    BPHYS_ZSTD_FAST = 4,
    BPHYS_ZSTD_SLOW = 8
};
/* "stored", "light", "heavy", "zstd"; NULL for a code that no Blender version writes. */
const char *bphys_code_name(uint8_t code);

/* True when the LZMA properties, preceded by their size, follow a payload of this size. Blender
   expects none
   after an empty payload. */
bool bphys_has_settings(uint8_t code, uint64_t payload);

/* The codec of a block code other than BPHYS_STORED. */
const codec *bphys_codec(uint8_t code);
#define BPHYS_SETTINGS_BYTES 5u /* size of the LZMA properties */

typedef struct bphys_block {
    const char *what; /* for messages */
    uint8_t code;
    size_t at, bytes;   /* offset and size of the payload in the file */
    size_t properties;  /* file offset of the LZMA properties */
    uint32_t items;     /* number of items that it must hold, */
    uint32_t item_size; /* and the bytes of each */
} bphys_block;

/* Checks the block at r->at: that its framing is sound and that it can hold `items` of `item_size`
   bytes. Leaves the reader after the block. Allocates nothing. HOST_DONE, or HOST_BAD_INPUT with
   the error printed. O(1), for zstd O(its blocks). */
int bphys_take_block(bphys_reader *r, const char *what, uint32_t items, uint32_t item_size,
                     bphys_block *block);

/* File offsets of everything after the header of a file of points. */
typedef struct bphys_body {
    /* One per stream of the header. For records only `at` is set: the offset of the first
       element. */
    bphys_block blocks[BPHYS_STREAMS];
    uint32_t stride; /* bytes from one record to the next; 0: the file has blocks */
    /* The last non-empty record of each type; other types have 0 items. */
    bphys_block extra[EXTRA_TYPES];
    /* File offsets of records that Blender ignores (type 0, no elements, repeated type), the first
       of each kind; 0: none. */
    size_t untyped_at, empty_at, repeated_at;
} bphys_body;
/* Call it with the reader after the header; leaves it after the last byte used. Allocates nothing.
   HOST_DONE, or HOST_BAD_INPUT with the error printed. */
int bphys_take_body(bphys_reader *r, bphys_body *body);
/* Loads the points, unsorted, and the extra data. Free the frame also after an error. HOST_DONE, or
   HOST_BAD_INPUT or HOST_OUT_OF_MEMORY with the error printed. O(bytes) */
int bphys_load_body(bphys_reader *r, const bphys_body *body, host_frame *frame);
/* bphys_take_block for a block whose decoded size is not known. Such a block cannot be skipped if
   it is stored: returns HOST_DIFFERENT, prints nothing, and the reader stays. */
int bphys_pass_block(bphys_reader *r, const char *what);
/* Decodes a block: items * item_size bytes in the file's byte order. HOST_DONE, HOST_BAD_INPUT with
   the error printed, or HOST_OUT_OF_MEMORY. O(bytes) */
int bphys_unpack(bphys_reader *r, const bphys_block *block, uint8_t *out);

/* Read the bodies of the other types; call them with the reader after the header. */
int bphys_read_surface(bphys_reader *r, host_frame *frame);
typedef struct bphys_smoke {
    bool has_version;       /* written by Blender 2.65 and later */
    bool has_fine;          /* has grids of a higher resolution */
    uint32_t resolution[3]; /* set only if has_version */
    uint32_t cells;         /* cells of a low-resolution grid */
    uint32_t fields;        /* bit mask: 1 heat, 2 fire, 4 colors */
    uint32_t grids;
    /* Resolution of the fine grids relative to the low one, if one of them is stored uncompressed;
       else 0. */
    uint32_t factor;
} bphys_smoke;
int bphys_read_smoke(bphys_reader *r, bphys_smoke *smoke);

/* ---- births and deaths */

#define BPHYS_STEP_MAX 20 /* the largest cache step of Blender */
bool bphys_is_moving(const float velocity[3]);
/* Duration in frames of a motion with constant acceleration between two records that are `frames`
   apart; -1 when the motion does not fit. */
float bphys_motion_span(const float from[3], const float from_velocity[3], const float to[3],
                        const float to_velocity[3], double frames);
static inline bool bphys_is_whole(double span, double frames) { return span >= 0.99 * frames; }
/* Looks at the first two and the last two files only. Sets *lasts, and the times of the sequence,
   if all points are in all files and the search over all files would find none that is born after
   the first file or dies. HOST_DONE, or an error printed. O(bytes of four files) */
int bphys_find_lasting(host_sequence *sequence, int32_t step, bool *lasts);

/* ---- writing */

/* Upper bound of the size of a block with `bytes` bytes of content. */
uint64_t bphys_block_bound(host_compression compression, uint64_t bytes);
/* Writes one block with that compression (none: stored) to `to`, which must hold bphys_block_bound
   bytes. The content is in the file's byte order. Returns the size, or 0 when memory is short.
   O(bytes) */
typedef struct bphys_packer {
    host_compression compression;
    void *work; /* work memory of the encoder */
    size_t work_capacity;
    void *planes;
    size_t planes_capacity;
} bphys_packer;
size_t bphys_pack(bphys_packer *packer, const uint8_t *content, uint32_t items, uint32_t item_size,
                  uint8_t *to);
void bphys_packer_end(bphys_packer *packer);
/* bphys_encode for a painted surface. */
uint8_t *bphys_encode_surface(const host_frame *frame, host_compression compression, size_t *size);
void bphys_store_header(uint8_t to[BPHYS_HEADER_BYTES], uint32_t typeflag, uint32_t count,
                        uint32_t streams);

#endif
