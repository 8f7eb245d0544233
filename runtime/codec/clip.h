/* SPDX-License-Identifier: MIT
   runtime/codec/clip.h - container of clips (.tpc): a log of frame groups, safe against power cuts.
   reads   storage, through the caller's callback      writes  the same
   memory  a record of 0.5 KiB and two block buffers, given by the caller
   cost    stated at each call, in blocks
   after   own design: log-structured storage in fixed-size blocks. Blocks describe themselves, so
           that no index is needed. Format: host_tools/clip/FORMAT.md

   Blocks 0 and 1 hold the headers. They are written alternately; each has the generation number of
   the one before, plus one. The higher generation counts.

   Groups follow from block 2 on. A group is a stream of bytes: its pieces, its directory, its tail.
   The stream is split into the payloads of consecutive blocks. Only the last block is marked as the
   end. A group without its end was interrupted by a power cut: it is ignored, and the next group
   overwrites it.

   A piece is one encoded tile of a stream; in a stream of bytes it is the bytes of one frame, or of
   the group. The directory holds each stream's lattices and each piece's end, for random access.

   A short clip may be compact: one header, and of each block only its checksum and the used bytes
   of its payload. A reader derives the rest of a block's head. */
#ifndef TPI_CLIP_H
#define TPI_CLIP_H
#include "codec.h"

#define TPI_CLIP_VERSION       2u
#define TPI_CLIP_TWO_LEADERS   1u /* required feature: tiles with two leaders, see codec.h */
#define TPI_CLIP_SAME_LIVES    2u /* required feature: points after the last of `life` are like it */
#define TPI_CLIP_BALLISTIC     4u  /* required feature: ballistic predictors, see codec.h */
#define TPI_CLIP_FEATURES      7u  /* mask of required features that this reader supports */
#define TPI_CLIP_BLOCK_LOWEST  9u  /* 512 bytes */
#define TPI_CLIP_BLOCK_USUAL   12u /* 4 KiB */
#define TPI_CLIP_BLOCK_HIGHEST 15u /* 32 KiB */
#define TPI_CLIP_HEAD_BYTES    28u
#define TPI_CLIP_HEADER_BYTES  64u /* of a header's payload before its list of streams */
#define TPI_CLIP_STREAM_BYTES  20u
#define TPI_CLIP_TAIL_BYTES    28u
#define TPI_CLIP_STREAMS       20u
#define TPI_CLIP_NAME_BYTES    12u
#define TPI_CLIP_FIRST_BLOCK   2u
#define TPI_CLIP_CRC_BYTES     4u
/* of a compact clip: its header before the elided bytes, and at most with them; numbers in front of
   the schema */
#define TPI_CLIP_COMPACT_BYTES   16u
#define TPI_CLIP_COMPACT_MAX     512u
#define TPI_CLIP_COMPACT_NUMBERS 8u

typedef enum tpi_clip_result {
    TPI_CLIP_OK,
    TPI_CLIP_NONE,    /* no such group or frame */
    TPI_CLIP_FOREIGN, /* not a clip */
    TPI_CLIP_NEWER,   /* a version or a required feature that this reader does not support */
    TPI_CLIP_DAMAGED,
    TPI_CLIP_STORAGE,   /* the storage failed to read or write */
    TPI_CLIP_TOO_LARGE, /* a block or a piece exceeds the caller's buffer */
    TPI_CLIP_LATER      /* the storage returned TPI_CLIP_NOT_YET: nothing has changed, call again */
} tpi_clip_result;

typedef enum tpi_clip_type { TPI_CLIP_U32, TPI_CLIP_F32, TPI_CLIP_BYTES } tpi_clip_type;

/* A stream: values of each point, or bytes of each frame. */
typedef struct tpi_clip_stream {
    char name[TPI_CLIP_NAME_BYTES]; /* padded with zeros */
    uint8_t type;                   /* tpi_clip_type */
    uint8_t components;             /* words per point, 1 to 4; 0 for bytes */
    bool is_once;                   /* one value per group instead of one per frame */
    float error;                    /* error bound of each component; 0: lossless */
} tpi_clip_stream;

/* Contents of a header. Stream 0 is the identity of the point in each slot: u32, 1 component, once
   per group. */
typedef struct tpi_clip_schema {
    uint32_t block_bits;     /* a block has 2 to that many bytes */
    uint32_t features;       /* optional ones, which a reader may ignore: TPI_CLIP_Z_UP */
    uint32_t point_count;    /* all identities are below it; 0: not known */
    float fps;               /* 0: not known */
    float seconds_per_frame; /* velocity * seconds_per_frame is the displacement per frame */
    uint8_t simulation;      /* kind of simulation; defined by the caller */
    uint8_t key_interval;    /* most frames in a group */
    uint8_t stream_count;
    uint8_t required; /* features without which a reader must refuse the clip */
    tpi_clip_stream stream[TPI_CLIP_STREAMS];
} tpi_clip_schema;
#define TPI_CLIP_Z_UP 1u

#define TPI_CLIP_NOT_YET UINT32_MAX

/* Storage of a clip. Whole blocks are read and written. */
typedef struct tpi_clip_storage {
    void *context;
    /* Returns the bytes read, fewer than `size` only at the end of the storage or on an error; or
       TPI_CLIP_NOT_YET, and leaves `bytes` unchanged. */
    uint32_t (*read)(void *context, uint64_t offset, void *bytes, uint32_t size);
    /* null: read-only */
    bool (*write)(void *context, uint64_t offset, const void *bytes, uint32_t size);
    uint8_t *block[2]; /* each of block_max bytes: for data, and for directories */
    uint32_t block_max;
} tpi_clip_storage;

/* A clip in memory, for `context` of tpi_clip_memory_read and _write. */
typedef struct tpi_clip_memory {
    uint8_t *bytes;
    uint64_t size, size_max; /* bytes written so far, and capacity */
} tpi_clip_memory;
TPI_TOOL uint32_t tpi_clip_memory_read(void *context, uint64_t offset, void *bytes, uint32_t size);
TPI_TOOL bool tpi_clip_memory_write(void *context, uint64_t offset, const void *bytes,
                                    uint32_t size);

/* An open clip. Holds no pointer into the caller's memory. */
typedef struct tpi_clip {
    tpi_clip_schema schema;
    uint32_t epoch;      /* number of this clip, repeated in every block */
    uint32_t generation; /* of the current header */
    uint16_t opening;    /* number of times that the clip was opened for writing, from 1 */
    /* blocks from here on must belong to this opening; others are left over from before */
    uint32_t log_begin;
    uint32_t end; /* the block after the last complete group */
    bool is_closed;
    int32_t first_frame, last_frame; /* of a closed clip; first > last: no frames */
    uint32_t frames, groups;         /* of a closed clip */
    uint32_t slots_max, piece_max;   /* largest of all groups of a closed clip */
    uint32_t loaded[2];              /* numbers of the blocks in the buffers; UINT32_MAX: none */
    uint64_t piece_at;               /* offset in the storage of the last piece found */
    /* of a compact clip: bytes of its header, first block of its TPI_CLIP_ABOUT group (or `end`),
       used bytes of the last blocks of both groups; else 0 */
    uint32_t compact, about;
    uint16_t last_used[2];
    /* after an error: offset in the storage, and what was expected there */
    uint64_t fault;
    const char *expected;
} tpi_clip;

/* A complete group. */
typedef struct tpi_clip_group {
    uint32_t first_block, last_block;
    uint32_t directory;      /* offset in the group's stream */
    uint32_t slots, streams; /* streams: mask of the streams in the group */
    uint32_t step, frames, pieces, piece_max;
    int32_t first_frame;
    uint8_t kind;    /* TPI_CLIP_FRAMES, TPI_CLIP_ABOUT */
    uint8_t variant; /* defined by the caller */
} tpi_clip_group;
#define TPI_CLIP_FRAMES 0u
/* constant data of all points: one frame without a meaningful frame number */
#define TPI_CLIP_ABOUT 1u

/* CRC-32C of `size` bytes, continued from `crc` (0 for the first part). Cost O(size). */
TPI_FUNC uint32_t tpi_crc32c(uint32_t crc, const uint8_t *bytes, uint32_t size);

TPI_INLINE uint32_t tpi_clip_block_bytes(const tpi_clip *clip)
{
    return 1u << clip->schema.block_bits;
}
TPI_INLINE uint32_t tpi_clip_payload(const tpi_clip *clip)
{
    return tpi_clip_block_bytes(clip) - TPI_CLIP_HEAD_BYTES;
}
TPI_INLINE uint32_t tpi_clip_tiles(const tpi_clip_group *group)
{
    return group->slots / TPI_TILE_POINTS + (group->slots % TPI_TILE_POINTS != 0);
}
/* Number of pieces of a stream in a group: one per tile; for bytes one per frame, or only one. */
TPI_FUNC uint32_t tpi_clip_pieces(const tpi_clip *clip, const tpi_clip_group *group,
                                  uint32_t stream);
/* True if a group's directory holds lattices for the stream. */
TPI_INLINE bool tpi_clip_has_lattice(const tpi_clip_stream *stream)
{
    return stream->type == TPI_CLIP_F32 && stream->error > 0.0f;
}
/* A text for users; never null. */
TPI_TOOL const char *tpi_clip_text(tpi_clip_result result);

/* ---- heads and checksums of blocks */

#define TPI_CLIP_KIND_HEADER  0x48u /* 'H' */
#define TPI_CLIP_KIND_DATA    0x44u /* 'D' */
#define TPI_CLIP_KIND_END     0x45u /* 'E': the last block of a group */
#define TPI_CLIP_KIND_COMPACT 0x53u /* 'S': the header of a compact clip */

typedef struct tpi_clip_head {
    uint8_t kind;
    uint32_t epoch, number;
    uint32_t group; /* first block of the group; in header blocks the generation */
    int32_t first_frame;
    uint16_t payload, opening;
} tpi_clip_head;

#define TPI_CLIP_HEAD_CRC (TPI_CLIP_HEAD_BYTES - 4u) /* offset of the checksum */
/* CRC-32C of a block without the checksum itself. Cost O(block_bytes). */
TPI_FUNC uint32_t tpi_clip_block_crc(const uint8_t *block, uint32_t block_bytes);
/* Writes the head, with the block's checksum, in front of the payload. Cost O(block_bytes). */
TPI_TOOL void tpi_clip_seal(uint8_t *block, uint32_t block_bytes, const tpi_clip_head *head);
/* Decodes the head and checks the checksum. False: no block, or damaged. Cost O(block_bytes). */
TPI_FUNC bool tpi_clip_unseal(const uint8_t *block, uint32_t block_bytes, tpi_clip_head *head);
/* Decodes a block's head without any check. */
TPI_FUNC void tpi_clip_read_head(const uint8_t *block, tpi_clip_head *head);
/* Writes a head without its checksum: TPI_CLIP_HEAD_CRC bytes. */
TPI_FUNC void tpi_clip_put_head(uint8_t *block, const tpi_clip_head *head);
/* The head of block `number` of the clip, whose bytes are at `block`. Of a compact clip it is
   derived, and the bytes of a block before the checksum are undefined. */
TPI_FUNC void tpi_clip_head_of(const tpi_clip *clip, const uint8_t *block, uint32_t number,
                               tpi_clip_head *head);
/* Offset of a block in the storage; of a compact clip that at which its payload, minus the bytes of
   a head, is. And the offset of the first byte after the block. */
TPI_FUNC uint64_t tpi_clip_block_at(const tpi_clip *clip, uint32_t number);
TPI_FUNC uint64_t tpi_clip_block_end(const tpi_clip *clip, uint32_t number);

/* ---- reading */

/* Reads the headers and finds the end of the log. Cost: 9 blocks; if the clip was not closed,
   2 log2(blocks) more. */
TPI_TOOL tpi_clip_result tpi_clip_open(tpi_clip *clip, const tpi_clip_storage *storage);

/* Incremental version of tpi_clip_open, for storage that may return TPI_CLIP_NOT_YET: one block per
   call; a call that returns TPI_CLIP_LATER is repeated. This call reads the headers, at most 9
   blocks. If the clip was not closed, find the end with tpi_clip_seek_end. */
TPI_FUNC tpi_clip_result tpi_clip_open_headers(tpi_clip *clip, const tpi_clip_storage *storage);

/* Exponential and binary search among blocks: blocks below `low` are known to be on the lower side,
   blocks from `high` on are not. `distance` is that of the next probe from `low`, doubled each
   time; 0: binary search. */
typedef struct tpi_clip_search {
    uint32_t low, high, distance;
} tpi_clip_search;
TPI_INLINE tpi_clip_search tpi_clip_search_end(void)
{
    return (tpi_clip_search){TPI_CLIP_FIRST_BLOCK, 0xf0000000u, 1u};
}
TPI_INLINE uint32_t tpi_clip_search_at(const tpi_clip_search *search)
{
    uint32_t left = search->high - search->low;
    return search->low +
           (search->distance && search->distance <= left ? search->distance - 1u : left / 2u);
}
TPI_INLINE void tpi_clip_search_go(tpi_clip_search *search, uint32_t number, bool is_below)
{
    if (is_below) search->low = number + 1u;
    if (!is_below) search->high = number;
    search->distance =
        is_below && search->distance && search->distance < 0x08000000u ? 2u * search->distance : 0;
}
/* One probe for the end of the log; begin with tpi_clip_search_end(). TPI_CLIP_NONE: call again.
   OK: clip->end is set. */
TPI_FUNC tpi_clip_result tpi_clip_seek_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                           tpi_clip_search *search);
/* One probe for the first block after the groups that begin at or before `frame`; begin with the
   range {first block, end, 0}. TPI_CLIP_NONE: call again. OK: the block is search->low;
   tpi_clip_group_before gives the group before it. */
TPI_FUNC tpi_clip_result tpi_clip_seek(tpi_clip *clip, const tpi_clip_storage *storage,
                                       int32_t frame, tpi_clip_search *search);

/* The group that ends before block `end`. Pass clip->end for the last group, group->first_block for
   the group before `group`. TPI_CLIP_NONE: no group. Cost: 1 block. */
TPI_FUNC tpi_clip_result tpi_clip_group_before(tpi_clip *clip, const tpi_clip_storage *storage,
                                               uint32_t end, tpi_clip_group *group);

/* The group that holds `frame`, or the last group before it. Cost: log2(blocks) + 2 blocks. */
TPI_TOOL tpi_clip_result tpi_clip_find(tpi_clip *clip, const tpi_clip_storage *storage,
                                       int32_t frame, tpi_clip_group *group);

/* Lattices of a stream that has them, one per component; quarter == 0: lossless. Cost: 2 blocks. */
TPI_FUNC tpi_clip_result tpi_clip_lattice(tpi_clip *clip, const tpi_clip_storage *storage,
                                          const tpi_clip_group *group, uint32_t stream,
                                          tpi_lattice *lattice);

/* Begin and end of a piece, as offsets in its group's stream. Cost: 2 blocks. */
TPI_FUNC tpi_clip_result tpi_clip_piece_begin(tpi_clip *clip, const tpi_clip_storage *storage,
                                              const tpi_clip_group *group, uint32_t stream,
                                              uint32_t piece, uint32_t *begin);
TPI_FUNC tpi_clip_result tpi_clip_piece_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                            const tpi_clip_group *group, uint32_t stream,
                                            uint32_t piece, uint32_t *end);

/* Reads part of a group's stream through block buffer `buffer`. Copies it to `to`; if `to` is null,
   sets *found to its bytes in the buffer (the part must be in one block). Cost: its blocks. */
TPI_FUNC tpi_clip_result tpi_clip_part(tpi_clip *clip, const tpi_clip_storage *storage,
                                       const tpi_clip_group *group, uint32_t offset, uint32_t size,
                                       uint32_t buffer, uint8_t *to, const uint8_t **found);

/* Reads a piece. Sets *bytes to the piece in a block buffer or, if it spans several blocks, to a
   copy in `buffer` (group->piece_max bytes are enough). Valid until the next call. Cost: 2 blocks
   of the directory, and those of the piece. */
TPI_TOOL tpi_clip_result tpi_clip_piece(tpi_clip *clip, const tpi_clip_storage *storage,
                                        const tpi_clip_group *group, uint32_t stream,
                                        uint32_t piece, uint8_t *buffer, uint32_t buffer_bytes,
                                        const uint8_t **bytes, uint32_t *size);

/* Checks that a block in memory is intact and has number `number` in this log. Cost O(block). */
TPI_FUNC tpi_clip_result tpi_clip_check_block(tpi_clip *clip, const uint8_t *block,
                                              uint32_t number);

/* Loads block `number` of the log into a buffer and checks it. Cost: 1 block. */
TPI_FUNC tpi_clip_result tpi_clip_load(tpi_clip *clip, const tpi_clip_storage *storage,
                                       uint32_t number, uint32_t buffer);

/* ---- writing: a group's pieces in order, stream after stream */

typedef struct tpi_clip_writer {
    tpi_clip clip;
    tpi_clip_group group; /* being written */
    uint32_t block;       /* number of the block being filled, in the first buffer */
    uint32_t used;        /* bytes of its payload */
    uint32_t at;          /* bytes of the group's stream so far */
    uint32_t piece;       /* index of the next piece */
    int32_t first_frame, last_frame;
    uint32_t frames, groups, slots_max, piece_max;
    bool has_about;  /* a TPI_CLIP_ABOUT group was written; it must be the last */
    bool is_damaged; /* a call failed: the group cannot be finished */
} tpi_clip_writer;

/* Begins a clip with this schema in empty storage. `epoch`: a different number for every clip.
   Cost: 2 blocks. */
TPI_TOOL tpi_clip_result tpi_clip_create(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                         const tpi_clip_schema *schema, uint32_t epoch);

/* Continues a clip after the last complete group that begins before `frame`; INT32_MAX: after the
   last group. A TPI_CLIP_ABOUT group is dropped and must be written again. Cost: tpi_clip_open, and
   1 block per group. */
TPI_TOOL tpi_clip_result tpi_clip_append(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                         int32_t frame);

/* Begins a group with the kind, variant, first_frame, step, frames, slots and streams of
   writer->group. Its frames must be later than all frames written. Cost O(1). */
TPI_TOOL tpi_clip_result tpi_clip_group_begin(tpi_clip_writer *writer);

/* Writes the next piece. `ends`: array of writer->group.pieces numbers, kept by the caller until
   the group ends. Cost: its blocks. */
TPI_TOOL tpi_clip_result tpi_clip_put(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                      uint32_t *ends, const uint8_t *bytes, uint32_t size);

/* Ends a group after its last piece: writes the directory and the tail, which commits the group.
   `lattices`: TPI_TILE_COMPONENTS for each stream of the clip; null if no stream has an error
   bound. Cost: the directory's blocks. */
TPI_TOOL tpi_clip_result tpi_clip_group_end(tpi_clip_writer *writer,
                                            const tpi_clip_storage *storage, const uint32_t *ends,
                                            const tpi_lattice *lattices);

/* Writes the headers of a complete clip. Cost: 2 blocks. */
TPI_TOOL tpi_clip_result tpi_clip_close(tpi_clip_writer *writer, const tpi_clip_storage *storage);

#endif
