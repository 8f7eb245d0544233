/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_private.h - between the parts that read and write the bytes of one .bphys file.
   reads   -                               writes  -
   memory  work memory of the codecs, made when first needed    cost    see the parts
   after   the layout that Blender's point caches have on disk */
#ifndef TIDEPOOL_BPHYS_PRIVATE_H
#define TIDEPOOL_BPHYS_PRIVATE_H
#include "bphys.h"
#include "../compress/codec.h"

/* ---- byte order (bphys_elements.c): the only place of the host tools that knows it. The first byte lies first. */

uint16_t bphys_load_u16(const uint8_t *at, bool big_endian);
void bphys_store_u16(uint8_t *at, uint16_t value);
void bphys_store_u32(uint8_t *at, uint32_t value);
/* `count` elements of a stream, `from_stride` and `to_stride` bytes from one to the next; between the file's order and
   the machine's. The ranges may be the same one. O(count) */
void bphys_load_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                         uint32_t count, uint32_t stream, bool big_endian);
void bphys_store_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                          uint32_t count, uint32_t stream);
/* At least `size` bytes at *place, whose content does not matter; false when memory is short. */
bool bphys_make_room(void **place, size_t *room, size_t size);
/* True when the elements of a file in that order are the machine's own bytes. */
bool bphys_is_native(bool big_endian);
/* Bytes of one record: the sum over the streams of a mask. */
uint32_t bphys_record_bytes(uint32_t streams);

/* ---- reading */

/* What of a file is being taken: what a Blender does with damage depends on where it is. */
typedef enum bphys_part {
    BPHYS_IN_RECORDS,
    BPHYS_IN_BLOCK,
    BPHYS_BEFORE_EXTRA,
    BPHYS_IN_EXTRA,
    BPHYS_IN_EXTRA_TYPE,
    BPHYS_PARTS
} bphys_part;

/* A cursor over a file, and what its blocks need to be decoded; bphys_reader_end frees that. */
typedef struct bphys_reader {
    const char *file; /* for messages; NULL: none is printed */
    const uint8_t *bytes;
    size_t size, at;
    bphys_header header;
    bphys_part part;
    uint32_t packings; /* 1 << code of every block so far, sound or not */
    void *work;        /* of the decoder */
    size_t work_room;
    void *planes; /* of filtered blocks, before they are joined */
    size_t planes_room;
} bphys_reader;
void bphys_reader_end(bphys_reader *r);
/* HOST_BAD_INPUT with the error printed; HOST_NO_ROOM likewise. */
int bphys_refuse(const bphys_reader *r, size_t at, const char *format, ...);
int bphys_no_room(const bphys_reader *r);

/* BPHYS_... codes in front of each block. */
enum {
    BPHYS_STORED = 0,
    BPHYS_LZO = 1,
    BPHYS_LZMA = 2,
    BPHYS_ZSTD_PLANES = 3,
    BPHYS_ZSTD_FAST = 4,
    BPHYS_ZSTD_SLOW = 8
};
/* "stored", "light", "heavy", "zstd"; NULL for a code that no Blender writes. */
const char *bphys_code_name(uint8_t code);

/* The codec of any other code than stored. */
const codec *bphys_codec(uint8_t code);
#define BPHYS_SETTINGS_BYTES 5u /* of LZMA */

typedef struct bphys_block {
    const char *what; /* for messages */
    uint8_t code;
    size_t at, bytes;   /* of the payload in the file */
    size_t properties;  /* offset of LZMA's settings */
    uint32_t items;     /* that it must hold, */
    uint32_t item_size; /* of so many bytes each */
} bphys_block;

/* Checks the frame of the block at r->at and whether it can hold `items` of `item_size` bytes, and leaves the reader
   behind it; nothing is allocated. HOST_DONE, or HOST_BAD_INPUT with the error printed. O(1), of zstd O(its blocks). */
int bphys_take_block(bphys_reader *r, const char *what, uint32_t items, uint32_t item_size,
                     bphys_block *block);

/* Where everything of a file of points lies behind its header. */
typedef struct bphys_body {
    bphys_block
        blocks[BPHYS_STREAMS]; /* of the header's streams; of records only `at`, that of the first element */
    uint32_t stride;           /* from one record to the next; 0: blocks */
    bphys_block extra[EXTRA_TYPES]; /* the last record of each type that has elements; others have no items */
    /* Places of what means nothing to Blender, the first of each kind; 0: none. */
    size_t untyped_at, empty_at, repeated_at;
} bphys_body;
/* Leaves the reader, which stands behind the header, behind the last byte used. Nothing is allocated. HOST_DONE, or
   HOST_BAD_INPUT with the error printed. */
int bphys_take_body(bphys_reader *r, bphys_body *body);
/* Its points and extra data, as they are: the frame to be freed also on an error. HOST_DONE, HOST_BAD_INPUT or HOST_NO_ROOM
   with the error printed. O(bytes) */
int bphys_load_body(bphys_reader *r, const bphys_body *body, host_frame *frame);
/* bphys_take_block for one whose content has no known size, which is an error only when it is stored: then
   HOST_DIFFERENT, nothing printed, and the reader stays. */
int bphys_pass_block(bphys_reader *r, const char *what);
/* The content of a block, items * item_size bytes in the file's order. HOST_DONE, HOST_BAD_INPUT with the error printed,
   or HOST_NO_ROOM. O(bytes) */
int bphys_unpack(bphys_reader *r, const bphys_block *block, uint8_t *out);

/* The bodies of other types, from behind the header. */
int bphys_read_surface(bphys_reader *r, host_frame *frame);
typedef struct bphys_smoke {
    bool has_version;       /* from Blender 2.65 on */
    bool has_fine;          /* grids of a higher resolution */
    uint32_t resolution[3]; /* where has_version */
    uint32_t cells;         /* of a grid that is not fine */
    uint32_t fields;        /* 1 heat, 2 fire, 4 colors */
    uint32_t grids;
    uint32_t factor; /* of the fine grids' resolution, where one of them is stored; else 0 */
} bphys_smoke;
int bphys_read_smoke(bphys_reader *r, bphys_smoke *smoke);

/* ---- writing */

/* Most bytes of a block of `bytes` bytes. */
uint64_t bphys_block_bound(host_compression compression, uint64_t bytes);
/* One block in the framing of that compression (none: stored) at `to`, which has the room of the bound; the content is
   in the file's order. Returns its bytes, or 0 when memory is short. O(bytes) */
typedef struct bphys_packer {
    host_compression compression;
    void *work; /* of the encoder */
    size_t work_room;
    void *planes;
    size_t planes_room;
} bphys_packer;
size_t bphys_pack(bphys_packer *packer, const uint8_t *content, uint32_t items, uint32_t item_size,
                  uint8_t *to);
void bphys_packer_end(bphys_packer *packer);
/* A surface's file, as bphys_encode. */
uint8_t *bphys_encode_surface(const host_frame *frame, host_compression compression, size_t *size);
void bphys_store_header(uint8_t to[BPHYS_HEADER_BYTES], uint32_t typeflag, uint32_t count, uint32_t streams);

#endif
