/* SPDX-License-Identifier: MIT
   runtime/codec/clip.h - a clip: groups of frames in a log of fixed-size blocks that a power cut cannot spoil.
   reads   storage, through the caller's call      writes  the same
   memory  a record of 0.5 KiB and two block buffers, the caller's      cost    stated at each call, in blocks
   after   own design: log-structured storage; every block tells what it is, and nothing needs an index. Byte by byte in
           host_tools/clip/FORMAT.md

   Blocks 0 and 1 hold headers, written one after the other, the newer with a generation one above the other's. From block 2 on follow
   groups: each is one stream of bytes (its pieces, its directory, its tail), cut into the payloads of its blocks, of which
   only the last is marked as the end. A group whose end is missing was being written when the power went: it is not
   there, and what is written next takes its place. */
#ifndef TPI_CLIP_H
#define TPI_CLIP_H
#include "codec.h"

#define TPI_CLIP_VERSION       2u
#define TPI_CLIP_FEATURES      0u  /* required ones that this reader knows */
#define TPI_CLIP_BLOCK_LOWEST  9u  /* 512 bytes */
#define TPI_CLIP_BLOCK_USUAL   12u /* 4 KiB */
#define TPI_CLIP_BLOCK_HIGHEST 15u /* 32 KiB */
#define TPI_CLIP_HEAD_BYTES    28u
#define TPI_CLIP_HEADER_BYTES  64u /* of a header's payload, ahead of the streams */
#define TPI_CLIP_STREAM_BYTES  20u
#define TPI_CLIP_TAIL_BYTES    28u
#define TPI_CLIP_STREAMS       20u
#define TPI_CLIP_NAME_BYTES    12u
#define TPI_CLIP_FIRST_BLOCK   2u

typedef enum tpi_clip_result {
    TPI_CLIP_OK,
    TPI_CLIP_NONE,    /* no such group or frame */
    TPI_CLIP_FOREIGN, /* not a clip */
    TPI_CLIP_NEWER,   /* a version or a required feature that this reader does not know */
    TPI_CLIP_DAMAGED,
    TPI_CLIP_STORAGE, /* the storage did not read or write */
    TPI_CLIP_NO_ROOM, /* blocks, or a piece, are larger than the caller's memory */
    TPI_CLIP_LATER    /* the storage answered TPI_CLIP_NOT_YET: nothing has changed, call again */
} tpi_clip_result;

typedef enum tpi_clip_type { TPI_CLIP_U32, TPI_CLIP_F32, TPI_CLIP_BYTES } tpi_clip_type;

/* What a clip holds of each point, or, as bytes, of each frame. */
typedef struct tpi_clip_stream {
    char name[TPI_CLIP_NAME_BYTES]; /* zeros behind it */
    uint8_t type;                   /* tpi_clip_type */
    uint8_t components;             /* words, 1 to 4; of bytes 0 */
    bool is_once;                   /* one value a group, not one a frame */
    float error;                    /* bound of each component; 0: every bit is kept */
} tpi_clip_stream;

/* What a header says. Stream 0 is the identity of the point in a slot: u32, 1 component, once a
   group. */
typedef struct tpi_clip_schema {
    uint32_t block_bits;   /* a block has 2 to that many bytes */
    uint32_t features;     /* that a reader need not know: TPI_CLIP_Z_UP */
    uint32_t point_count;  /* identities are below it; 0: not known */
    float fps;             /* 0: not known */
    float seconds_a_frame; /* in the time of velocities: one times this is the way of a frame */
    uint8_t simulation;    /* the caller's word for what was simulated */
    uint8_t key_interval;  /* frames of a group, at most */
    uint8_t stream_count;
    tpi_clip_stream stream[TPI_CLIP_STREAMS];
} tpi_clip_schema;
#define TPI_CLIP_Z_UP 1u

#define TPI_CLIP_NOT_YET UINT32_MAX

/* Where a clip is kept. Blocks are read and written whole. */
typedef struct tpi_clip_storage {
    void *context;
    /* Bytes read, fewer only at the end of the storage or on an error; or TPI_CLIP_NOT_YET, and
       nothing is written. */
    uint32_t (*read)(void *context, uint64_t offset, void *bytes, uint32_t size);
    /* null: only read */
    bool (*write)(void *context, uint64_t offset, const void *bytes, uint32_t size);
    uint8_t *block[2]; /* each of block_max bytes: for data, and for directories */
    uint32_t block_max;
} tpi_clip_storage;

/* A clip in memory, for `context` of tpi_clip_memory_read and _write. */
typedef struct tpi_clip_memory {
    uint8_t *bytes;
    uint64_t size, size_max; /* written so far, and room */
} tpi_clip_memory;
TPI_TOOL uint32_t tpi_clip_memory_read(void *context, uint64_t offset, void *bytes, uint32_t size);
TPI_TOOL bool tpi_clip_memory_write(void *context, uint64_t offset, const void *bytes,
                                    uint32_t size);

/* An open clip; holds no pointer. */
typedef struct tpi_clip {
    tpi_clip_schema schema;
    uint32_t epoch;      /* of this clip, in every block */
    uint32_t generation; /* of the header in force */
    uint16_t opening;    /* how often writing began, from 1 */
    /* blocks from here on belong to this opening; older ones there are left from before */
    uint32_t log_begin;
    uint32_t end; /* the first block behind the last whole group */
    bool is_closed;
    int32_t first_frame, last_frame; /* of a closed clip; first > last: none */
    uint32_t frames, groups;         /* of a closed clip */
    uint32_t slots_max, piece_max;   /* of any group, while a clip is closed */
    uint32_t loaded[2];              /* numbers of the blocks in the buffers; UINT32_MAX: none */
    uint64_t piece_at;               /* byte at which the piece found last begins */
    /* byte at which the last call that failed found what it names */
    uint64_t fault;
    const char *expected; /* of it, in words */
} tpi_clip;

/* A whole group. */
typedef struct tpi_clip_group {
    uint32_t first_block, last_block;
    uint32_t directory;      /* offset in the group's stream */
    uint32_t slots, streams; /* mask of those it has */
    uint32_t step, frames, pieces, piece_max;
    int32_t first_frame;
    uint8_t kind;    /* TPI_CLIP_FRAMES, TPI_CLIP_ABOUT */
    uint8_t variant; /* the caller's */
} tpi_clip_group;
#define TPI_CLIP_FRAMES 0u
/* no frames, but what is known of all points: one frame whose number says nothing */
#define TPI_CLIP_ABOUT 1u

/* CRC-32C of `size` bytes, going on from `crc` (0 at first). Cost O(size). */
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
/* Pieces of a stream in a group: one a tile, or of bytes one a frame. */
TPI_FUNC uint32_t tpi_clip_pieces(const tpi_clip *clip, const tpi_clip_group *group,
                                  uint32_t stream);
/* Whether a group's directory has lattices for a stream. */
TPI_INLINE bool tpi_clip_has_lattice(const tpi_clip_stream *stream)
{
    return stream->type == TPI_CLIP_F32 && stream->error > 0.0f;
}
/* One sentence; never null. */
TPI_TOOL const char *tpi_clip_text(tpi_clip_result result);

/* ---- a block's head, and a header block as a whole */

#define TPI_CLIP_KIND_HEADER 0x48u /* 'H' */
#define TPI_CLIP_KIND_DATA   0x44u /* 'D' */
#define TPI_CLIP_KIND_END    0x45u /* 'E': the last block of a group */

typedef struct tpi_clip_head {
    uint8_t kind;
    uint32_t epoch, number;
    uint32_t group; /* its first block; of headers the generation */
    int32_t first_frame;
    uint16_t payload, opening;
} tpi_clip_head;

#define TPI_CLIP_HEAD_CRC (TPI_CLIP_HEAD_BYTES - 4u) /* where its checksum lies */
/* Of all of a block but the checksum itself. Cost O(block_bytes). */
TPI_FUNC uint32_t tpi_clip_block_crc(const uint8_t *block, uint32_t block_bytes);
/* Puts a head, with the checksum of the whole block, ahead of the payload. Cost O(block_bytes). */
TPI_TOOL void tpi_clip_seal(uint8_t *block, uint32_t block_bytes, const tpi_clip_head *head);
/* False: this is no block, or it is damaged. Cost O(block_bytes). */
TPI_FUNC bool tpi_clip_unseal(const uint8_t *block, uint32_t block_bytes, tpi_clip_head *head);
/* A block's head as it is, unchecked. */
TPI_FUNC void tpi_clip_read_head(const uint8_t *block, tpi_clip_head *head);

/* ---- reading */

/* Reads the headers and finds the end of the log. Cost: 9 blocks, of a clip that was not closed
   2 log2 of its blocks more. */
TPI_TOOL tpi_clip_result tpi_clip_open(tpi_clip *clip, const tpi_clip_storage *storage);

/* The same in steps of a block each, for storage that may answer later; what it takes a call
   more is then asked again from the block before. The headers alone, 9 blocks at most; of a clip
   that was not closed the end is still to be found: */
TPI_FUNC tpi_clip_result tpi_clip_open_headers(tpi_clip *clip, const tpi_clip_storage *storage);

/* A search among blocks: those below `low` are on this side, those from `high` on are not. While
   `reach` is not 0, the next look is so far ahead, and twice as far each time. */
typedef struct tpi_clip_search {
    uint32_t low, high, reach;
} tpi_clip_search;
TPI_INLINE tpi_clip_search tpi_clip_search_end(void)
{
    return (tpi_clip_search){TPI_CLIP_FIRST_BLOCK, 0xf0000000u, 1u};
}
TPI_INLINE uint32_t tpi_clip_search_at(const tpi_clip_search *search)
{
    uint32_t left = search->high - search->low;
    return search->low + (search->reach && search->reach <= left ? search->reach - 1u : left / 2u);
}
TPI_INLINE void tpi_clip_search_go(tpi_clip_search *search, uint32_t number, bool is_below)
{
    if (is_below) search->low = number + 1u;
    if (!is_below) search->high = number;
    search->reach =
        is_below && search->reach && search->reach < 0x08000000u ? 2u * search->reach : 0;
}
/* One look for the end of the log, by tpi_clip_search_end at first. TPI_CLIP_NONE: look again;
   OK: clip->end is it. */
TPI_FUNC tpi_clip_result tpi_clip_seek_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                           tpi_clip_search *search);
/* One look for the block behind the groups that begin at `frame` or before, among {first, end}.
   TPI_CLIP_NONE: look again; OK: it is search->low, where tpi_clip_group_before tells the group. */
TPI_FUNC tpi_clip_result tpi_clip_seek(tpi_clip *clip, const tpi_clip_storage *storage,
                                       int32_t frame, tpi_clip_search *search);

/* The group that ends before block `end`: clip->end for the last, group->first_block for the one
   before. TPI_CLIP_NONE: there is none. Cost: a block. */
TPI_FUNC tpi_clip_result tpi_clip_group_before(tpi_clip *clip, const tpi_clip_storage *storage,
                                               uint32_t end, tpi_clip_group *group);

/* The group that holds `frame`, or the last one before it. Cost: log2 of the clip's blocks, and
   2. */
TPI_TOOL tpi_clip_result tpi_clip_find(tpi_clip *clip, const tpi_clip_storage *storage,
                                       int32_t frame, tpi_clip_group *group);

/* Lattices of a stream that has them, one a component; a quarter of 0: every bit was kept. Cost:
   2 blocks. */
TPI_FUNC tpi_clip_result tpi_clip_lattice(tpi_clip *clip, const tpi_clip_storage *storage,
                                          const tpi_clip_group *group, uint32_t stream,
                                          tpi_lattice *lattice);

/* Where a piece begins and ends in its group's stream. Cost: 2 blocks. */
TPI_FUNC tpi_clip_result tpi_clip_piece_begin(tpi_clip *clip, const tpi_clip_storage *storage,
                                              const tpi_clip_group *group, uint32_t stream,
                                              uint32_t piece, uint32_t *begin);
TPI_FUNC tpi_clip_result tpi_clip_piece_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                            const tpi_clip_group *group, uint32_t stream,
                                            uint32_t piece, uint32_t *end);

/* Copies part of a group's stream through block buffer `buffer`, or finds it there, when `to` is
   null and it lies in one block. Cost: its blocks. */
TPI_FUNC tpi_clip_result tpi_clip_part(tpi_clip *clip, const tpi_clip_storage *storage,
                                       const tpi_clip_group *group, uint32_t offset, uint32_t size,
                                       uint32_t buffer, uint8_t *to, const uint8_t **found);

/* A piece: where it lies in a block's buffer, or, when it goes on in the next block, put
   together in `room`. Valid until the next call. group->piece_max is enough room. Cost: 2 blocks
   of the directory, and those of the piece. */
TPI_TOOL tpi_clip_result tpi_clip_piece(tpi_clip *clip, const tpi_clip_storage *storage,
                                        const tpi_clip_group *group, uint32_t stream,
                                        uint32_t piece, uint8_t *room, uint32_t room_bytes,
                                        const uint8_t **bytes, uint32_t *size);

/* Whether a block in memory is number `number` of this clip's log, and whole. Cost O(block). */
TPI_FUNC tpi_clip_result tpi_clip_check_block(tpi_clip *clip, const uint8_t *block,
                                              uint32_t number);

/* Loads block `number` of the log into a buffer and checks it. Cost: a block. */
TPI_FUNC tpi_clip_result tpi_clip_load(tpi_clip *clip, const tpi_clip_storage *storage,
                                       uint32_t number, uint32_t buffer);

/* ---- writing: a group's pieces in order, stream after stream */

typedef struct tpi_clip_writer {
    tpi_clip clip;
    tpi_clip_group group; /* under way */
    uint32_t block;       /* being filled, in the first buffer */
    uint32_t used;        /* of its payload */
    uint32_t at;          /* of the group's stream */
    uint32_t piece;       /* next */
    int32_t first_frame, last_frame;
    uint32_t frames, groups, slots_max, piece_max;
    bool has_about;  /* nothing follows it */
    bool is_damaged; /* a call failed: the group is not finished */
} tpi_clip_writer;

/* Begins a clip with this schema in empty storage. `epoch`: another number for every clip. Cost:
   2 blocks. */
TPI_TOOL tpi_clip_result tpi_clip_create(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                         const tpi_clip_schema *schema, uint32_t epoch);

/* Goes on behind the last whole group that begins before `frame`; INT32_MAX: the last. What is
   known of all points must be written again. Cost: see tpi_clip_open, and a block a group that
   is left out or counted. */
TPI_TOOL tpi_clip_result tpi_clip_append(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                         int32_t frame);

/* Begins a group of writer->group's kind, variant, first_frame, step, frames, slots and streams,
   above all written before. Cost O(1). */
TPI_TOOL tpi_clip_result tpi_clip_group_begin(tpi_clip_writer *writer);

/* The next piece; `ends` of writer->group.pieces numbers are the caller's until the group ends.
   Cost: its blocks. */
TPI_TOOL tpi_clip_result tpi_clip_put(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                      uint32_t *ends, const uint8_t *bytes, uint32_t size);

/* After the last piece. `lattices`: of each stream of the clip TPI_TILE_COMPONENTS, or null when
   none has an error. From here on the group is there. Cost: the directory's blocks. */
TPI_TOOL tpi_clip_result tpi_clip_group_end(tpi_clip_writer *writer,
                                            const tpi_clip_storage *storage, const uint32_t *ends,
                                            const tpi_lattice *lattices);

/* Writes the header of a clip that is complete. Cost: a block. */
TPI_TOOL tpi_clip_result tpi_clip_close(tpi_clip_writer *writer, const tpi_clip_storage *storage);

#endif
