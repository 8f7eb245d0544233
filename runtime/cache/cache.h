/* SPDX-License-Identifier: MIT
   runtime/cache/cache.h - what lies in a cache's block: a ring of recorded frames, and the jobs under way.
   reads   nothing      writes  nothing: declarations
   memory  ring_bytes + 40 bytes a frame + 12 a particle + 4 tiles, and what groups are staged in; see cache_layout in cache.c
   cost    none
   after   a log in a ring: frames lie behind one another, the newest is appended, the oldest is dropped

   The ring, and one frame in it (all numbers little-endian; a frame may run over the end of the ring):

       ring    ...| oldest |  frame  |  frame  | newest | being written |......
                  ^ start                               ^ start + used  ^ + writer.bytes
       frame   header 48 | tile | tile | ... | extra block | ...
       header  magic 4, encoding 4, frame 8, particles 4, records 4, bytes 4, words a particle 4, schema 8, check 8
       tile    length 4, check 8, and `length` bytes: up to 64 particles, all streams (encode.c)
       extra   length 4, check 8, and `length` bytes

   Where frames are grouped (group.c, pack.c), up to group_frames of them lie in one: its frame is the first of them, its
   particles are slots, and a tile has the same slots over all its frames:

       tile    for each recorded stream, identities first: bytes 4, a quarter of the lattice's bound 4, and a tile of the codec
       extra   where every bit is kept, of each block frame by frame (extra.c)

   A check is a 64-bit sum of the bytes, the frame number and the record's place; every single change of one byte
   changes it. The header is written last: a frame without it does not exist. */
#ifndef TPI_CACHE_H
#define TPI_CACHE_H
#include "../base/bytes.h"
#include "../codec/codec.h"
#include "../memory/memory.h"

#define TPI_COOKIE_CACHE       0x54504332u /* "TPC2" */
#define TPI_STAMP_CACHE        (0x54550000u + (uint32_t)sizeof(tp_cache_def))
#define TPI_CACHE_HEADER_BYTES 48u
#define TPI_CACHE_RECORD_BYTES 12u
#define TPI_CACHE_NO_FRAME     0xffffffffffffffffu
#define TPI_GROUP_STREAM_BYTES 8u /* of a record, ahead of a stream's tile */

/* One recorded frame; entries are a ring of their own, in order of time. */
typedef struct tpi_cache_entry {
    uint64_t frame;
    /* of this recording, for ever: tells a frame from a later one in its place */
    uint64_t serial;
    /* serial of the first frame in its group: its own, where frames stand alone */
    uint64_t group;
    uint32_t offset;   /* in the ring, of the group */
    uint32_t bytes;    /* of the group; 0: it is staged, and not in the ring yet */
    uint32_t count;    /* particles */
    uint16_t index;    /* in the group */
    uint16_t is_valid; /* 0: found damaged */
} tpi_cache_entry;

/* What the schema says about one particle. */
typedef struct tpi_cache_shape {
    uint32_t words;                      /* of all streams */
    uint32_t first_word[TP_STREAMS_MAX]; /* of a stream in a tile, in planes of TP_TILE words */
    uint32_t identity;                   /* stream, or TP_STREAM_NONE */
    uint32_t extra_bytes_max;            /* the largest */
    /* of the largest indivisible piece: a tile, or an extra block */
    uint32_t step_units_max;
    uint64_t schema_check;
    uint32_t recorded;                  /* streams, bit by bit */
    uint32_t narrow, wide;              /* words a point that groups stage in 2 bytes and in 4 */
    uint32_t staged_bytes;              /* of a staged tile, without its frames */
    uint32_t staged_rows;               /* frames that can be staged */
    uint32_t record_bytes_max;          /* of a tile's record */
    uint32_t values_max, scratch_words; /* of a tile's residuals, and for the codec's writer */
    /* the schema's, TP_STREAM_NONE where they are not recorded */
    uint32_t birth, linear;
    /* groups keep every bit: the source can be put back into their frames */
    bool is_exact;
    uint32_t staged_extra_bytes; /* of a frame's extra blocks */
} tpi_cache_shape;

/* The order of identity of the source's particles: a radix sort of 4 passes, each only where it
   is needed. */
typedef struct tpi_cache_order {
    bool active;
    uint32_t phase;
    uint32_t count;
    uint32_t cursor;
    uint32_t pass;
    uint32_t from; /* which of the two arrays holds the order */
    uint32_t last_key;
    bool is_sorted;
    uint64_t serial; /* of this sort */
} tpi_cache_order;

/* What the game did, in order of time: of each frame 8, bytes 4, 1 in 4 where the frame was
   recorded with it, and the bytes, up to a multiple of 8. */
typedef struct tpi_cache_inputs {
    uint32_t used, done; /* bytes; done: those that the source's state has in it */
    bool has_lost;       /* some made room: a restart cannot do them again */
    bool is_past_gap;    /* the source's state has the refused ones in it */
    uint64_t gap,
        /* the first frame with an input that was refused, and the one after the last; 0: there
           is none */
        gap_end;
    /* frame + 1 in which the cache has done inputs, and that it has not simulated yet; 0: none */
    uint64_t begun;
} tpi_cache_inputs;
#define TPI_INPUT_BYTES 16u

/* What is written behind the ring's used bytes and does not show yet. */
typedef struct tpi_cache_log {
    uint64_t frame;
    uint32_t bytes, records;
} tpi_cache_log;

typedef struct tpi_cache_writer {
    bool active;
    uint32_t phase;
    uint64_t frame;
    uint32_t count;
    uint32_t place; /* next particle */
    uint32_t extra; /* next extra block */
    uint32_t slot;  /* of its group, next */
    bool waits;     /* for a group to be packed */
    tpi_cache_log log;
} tpi_cache_writer;

/* Up to group_frames frames before they are packed: every tile of slots has its identities,
   lives and lattice places, in 2 bytes the way from frame to frame (group.c). */
typedef struct tpi_cache_group {
    uint64_t serial; /* of its first frame; 0: free */
    uint64_t first_frame;
    uint32_t frames; /* whole ones */
    uint32_t slots;
    uint32_t kept;  /* frames that the index still has */
    uint32_t row;   /* of its first frame */
    bool is_closed; /* takes no more */
    float quarter[TP_STREAMS_MAX],
        limit[TP_STREAMS_MAX]; /* of a stream's lattice, and what all its values are below */
} tpi_cache_group;

/* A group on its way into the ring. */
typedef struct tpi_cache_packer {
    bool active, has_failed; /* there was no room, until frames are dropped */
    uint32_t side, tile, stream;
    uint32_t extra; /* next record of extra blocks */
    uint32_t size;  /* of the tile's record so far */
    uint32_t units; /* of the last piece */
    tpi_cache_log log;
} tpi_cache_packer;

/* One frame being taken apart: recorded, or the source's own state. */
typedef struct tpi_cache_side {
    bool is_live;
    uint64_t frame, serial, group;
    uint64_t first_frame;                 /* of the group */
    uint32_t offset, bytes, count, index; /* as the entry */
    uint32_t slots;                       /* of a group */
    /* its records are tiles, then each extra block in so many frames */
    uint32_t tiles, frames;
    uint32_t cursor; /* next byte of the frame */
    uint32_t record; /* next record */
    uint32_t taken;  /* particles loaded so far */
    /* of the tile in the buffer: particles, and the next one */
    uint32_t loaded, at;
} tpi_cache_side;

typedef struct tpi_cache_reader {
    bool active;
    uint32_t job;
    uint32_t phase;
    uint64_t time;
    uint64_t order_serial;
    tp_cache_status status;
    uint32_t side_count;
    tpi_cache_side sides[2];
} tpi_cache_reader;

typedef struct tpi_cache_restorer {
    bool active;
    uint32_t phase;
    uint32_t extra, extra_size;
    tpi_cache_side side;
    bool doubted; /* as the cache's, before it began */
    uint64_t trusted;
} tpi_cache_restorer;

/* Byte offsets into the block. */
typedef struct tpi_cache_places {
    uint32_t entries, ring;
    uint32_t tiles[3];                  /* two for a reader, one for a writer or restorer */
    uint32_t staging;                   /* one encoded tile */
    uint32_t extra;                     /* one extra block */
    uint32_t keys, order[2], histogram; /* only with an identity stream */
    uint32_t inputs;
    uint32_t groups[2], rows, extras, record, residuals, scratch,
        /* only with groups; a tile is packed or read within one piece, so that both share their
           room */
        tile_reader;
} tpi_cache_places;

struct tp_cache {
    uint32_t cookie;
    uint32_t layout_stamp;
    uint64_t bytes;
    tp_cache_def def;
    tpi_cache_shape shape;
    tpi_cache_places places;
    uint32_t entry_first, entry_count; /* in the ring of entries */
    uint32_t start, used;              /* of the ring, bytes */
    uint32_t flags;
    uint64_t serial_next;
    uint32_t job_next;
    bool doubts;           /* states of the source after `trusted` are not this cache's */
    uint64_t trusted;      /* TPI_CACHE_NO_FRAME: none is */
    uint64_t chain;        /* the source may go on from here: no frame before it would be missed */
    uint64_t request_time; /* of the request under way */
    bool request_restarted, request_simulated;
    /* frames that the source goes on by until it is whole again, above 1 in a jump; 0: it is */
    uint32_t stride;
    uint64_t bake_frame; /* the source's, by the bake */
    tpi_cache_order sort;
    tpi_cache_writer writer;
    tpi_cache_group groups[2];
    uint32_t side;                 /* of the group that frames are staged in */
    uint8_t reach[TP_STREAMS_MAX]; /* of the streams' lattices */
    tpi_cache_packer packer;
    tpi_cache_inputs inputs;
    tpi_cache_reader reader;
    tpi_cache_restorer restorer;
    tp_cache_counters counters;
};

/* ---- access ---- */
TPI_INLINE uint8_t *tpi_cache_bytes(const tp_cache *cache, uint32_t offset)
{
    return (uint8_t *)(uintptr_t)cache + offset;
}
TPI_INLINE uint32_t *tpi_cache_words(const tp_cache *cache, uint32_t offset)
{
    return (uint32_t *)((uintptr_t)cache + offset);
}

/* ---- budget of one call (meter.c) ---- */
typedef struct tpi_cache_meter {
    tp_cache *cache;
    const tp_budget *budget;          /* null: no limit */
    uint64_t units;                   /* of this call, the source's included */
    uint64_t write_units, read_units; /* without the source's */
    uint32_t slice;                   /* of the running slice */
    uint64_t started, slice_started;  /* us */
    bool has_clock;
} tpi_cache_meter;

TPI_FUNC tpi_cache_meter tpi_cache_meter_start(tp_cache *cache, const tp_budget *budget);
/* True while the stage may work on; closes a slice that has reached its bound. */
TPI_FUNC bool tpi_cache_meter_may(tpi_cache_meter *meter, tp_stage stage);
TPI_FUNC void tpi_cache_meter_spend(tpi_cache_meter *meter, tp_stage stage, uint64_t units);
/* What is left for the source; false when nothing is. */
TPI_FUNC bool tpi_cache_meter_rest(const tpi_cache_meter *meter, tp_budget *rest);
/* The source has worked. */
TPI_FUNC void tpi_cache_meter_source(tpi_cache_meter *meter, uint64_t units);
TPI_FUNC void tpi_cache_meter_end(tpi_cache_meter *meter);

/* ---- ring (ring.c) ---- */
TPI_FUNC void tpi_ring_read(const tp_cache *cache, uint32_t offset, uint8_t *bytes, uint32_t size);
TPI_FUNC void tpi_ring_write(tp_cache *cache, uint32_t offset, const uint8_t *bytes, uint32_t size);
/* The place that lies `distance` bytes behind `offset`. */
TPI_FUNC uint32_t tpi_ring_after(const tp_cache *cache, uint32_t offset, uint64_t distance);
TPI_FUNC tpi_cache_entry *tpi_ring_entry(const tp_cache *cache, uint32_t index);
/* Index of the last frame at or before `frame`, entry_count where there is none. Damaged ones
   count. O(log frames) */
TPI_FUNC uint32_t tpi_ring_last_at(const tp_cache *cache, uint64_t frame);
/* The valid frame `frame`; the last valid one at or before; the first valid one at or after:
   null where there is none. */
TPI_FUNC tpi_cache_entry *tpi_ring_exact(const tp_cache *cache, uint64_t frame);
TPI_FUNC tpi_cache_entry *tpi_ring_before(const tp_cache *cache, uint64_t frame);
TPI_FUNC tpi_cache_entry *tpi_ring_behind(const tp_cache *cache, uint64_t frame);
/* Returns the bytes that are free now. */
TPI_FUNC uint32_t tpi_ring_drop_oldest(tp_cache *cache);
/* The same, counted. */
TPI_FUNC void tpi_ring_evict(tp_cache *cache);
/* By its policy, or because it is protected: nothing may be evicted. */
TPI_FUNC bool tpi_ring_keeps_all(const tp_cache *cache);
/* Drops `frame` and all later ones. */
TPI_FUNC void tpi_ring_drop_from(tp_cache *cache, uint64_t frame);
/* Room for so many bytes behind what is written, at the price of the oldest frames; false: there
   is none to be had. */
TPI_FUNC bool tpi_ring_make_room(tp_cache *cache, const tpi_cache_log *log, uint64_t bytes);
TPI_FUNC void tpi_ring_append(tp_cache *cache, tpi_cache_log *log, const uint8_t *bytes,
                              uint32_t size);
/* A record with its length and check; false: there is no room. */
TPI_FUNC bool tpi_ring_add_record(tp_cache *cache, tpi_cache_log *log, const uint8_t *bytes,
                                  uint32_t size);
/* Marks the recording with this serial as damaged, and all frames of its group. */
TPI_FUNC void tpi_ring_invalidate(tp_cache *cache, uint64_t serial);

/* ---- encoding (encode.c): the only place that knows how a tile becomes bytes ---- */
#define TPI_CACHE_ENCODING_RAW   0u
#define TPI_CACHE_ENCODING_GROUP 1u
/* Bytes that an encoded tile of `count` particles takes at most, and at least. */
TPI_FUNC uint32_t tpi_tile_bytes_max(const tpi_cache_shape *shape, uint32_t count);
TPI_FUNC uint32_t tpi_tile_bytes_min(const tpi_cache_shape *shape, uint32_t count);
TPI_FUNC uint32_t tpi_tile_encode(const tpi_cache_shape *shape, const uint32_t *tile,
                                  uint32_t count, uint8_t *bytes);
/* False when the bytes are no tile of so many particles; never reads or writes beyond either. */
TPI_FUNC bool tpi_tile_decode(const tpi_cache_shape *shape, const uint8_t *bytes, uint32_t size,
                              uint32_t count, uint32_t *tile);
TPI_FUNC uint64_t tpi_record_check(uint64_t frame, uint32_t record, const uint8_t *bytes,
                                   uint32_t size);
TPI_FUNC void tpi_frame_header(const tp_cache *cache, const tpi_cache_entry *entry,
                               uint32_t records, uint8_t *header);

/* ---- groups: what is staged (group.c) ---- */
TPI_INLINE bool tpi_cache_is_grouped(const tp_cache *cache) { return cache->def.group_frames > 1u; }
/* No tile of the codec that is worth its while is longer: then it is kept raw. */
TPI_INLINE uint32_t tpi_group_tile_bytes_max(uint32_t slots, uint32_t frames, uint32_t components)
{
    return TPI_TILE_HEADER_BYTES + 9u * components + 2u * slots + 4u * slots * frames * components +
           2u * TPI_CODERS;
}
TPI_INLINE uint32_t tpi_group_tiles(uint32_t slots) { return (slots + TP_TILE - 1u) / TP_TILE; }
/* Which of the two it is that is staged under this serial. */
TPI_INLINE uint32_t tpi_group_side(const tp_cache *cache, uint64_t serial)
{
    return cache->groups[0].serial == serial ? 0 : 1u;
}
/* Extra blocks that are recorded with every frame. */
TPI_INLINE uint32_t tpi_cache_extras(const tp_cache *cache)
{
    return tpi_cache_is_grouped(cache) && !cache->shape.is_exact ? 0
                                                                 : cache->def.schema.extra_count;
}
TPI_INLINE bool tpi_is_recorded(const tp_cache *cache, uint32_t stream)
{
    return (cache->shape.recorded >> stream & 1u) != 0;
}
/* Whether groups keep a stream to within its bound, or in every bit. */
TPI_INLINE bool tpi_is_bounded(const tp_stream *stream)
{
    return stream->type == TP_STREAM_F32 && stream->error_bound > 0.0f;
}
/* What groups know of the schema: words, bytes, the streams kept. Cost O(streams) */
TPI_FUNC void tpi_group_shape(tpi_cache_shape *shape, const tp_cache_def *def);
/* The writer's frame finds the group that it goes to. MORE: it has, or must wait until one is
   packed. */
TPI_FUNC tp_result tpi_group_begin(tp_cache *cache);
/* One piece of the writer's frame. OK: all of it is staged. FRAME: it does not fit the group,
   but may fit a new one. FULL: none. */
TPI_FUNC tp_result tpi_group_stage(tp_cache *cache, const tp_source *source, uint32_t *units);
/* Takes no more frames. */
TPI_FUNC void tpi_group_close(tp_cache *cache);
/* An entry of it is gone. */
TPI_FUNC void tpi_group_forget(tp_cache *cache, const tpi_cache_entry *entry);
/* Frames in which the slots of a staged tile live: from first to end - 1, the same where one was
   never seen. False: all slots in all frames. */
TPI_FUNC bool tpi_group_lives(const tp_cache *cache, uint32_t side, uint32_t tile, uint32_t slots,
                              uint8_t *first, uint8_t *end);
typedef struct tpi_group_plane { /* a component of a staged tile */
    uint32_t side, tile, stream, component;
} tpi_group_plane;
/* Its frames, of all TP_TILE slots: places on the lattice, else bits in order, or integers. Only
   what lies within a slot's life means something. */
TPI_FUNC void tpi_group_take(const tp_cache *cache, const tpi_group_plane *from, uint32_t frames,
                             int32_t *to, uint32_t stride);
/* A tile of a staged group, at a frame of it, into the planes of a tile; returns its particles. */
TPI_FUNC uint32_t tpi_group_show(const tp_cache *cache, uint32_t side, uint32_t tile,
                                 uint32_t index, uint32_t *planes);

/* ---- groups: into the ring and out of it (pack.c) ---- */
/* A group waits, or is on its way. */
TPI_FUNC bool tpi_packer_is_due(const tp_cache *cache);
/* There is no room for the group that waits, and none may be made. */
TPI_FUNC bool tpi_packer_is_stuck(const tp_cache *cache);
/* Packs all that is staged: MORE, or FULL where it is stuck. */
TPI_FUNC tp_result tpi_packer_finish(tp_cache *cache, tpi_cache_meter *meter);
/* One piece; returns its units. */
TPI_FUNC uint32_t tpi_packer_step(tp_cache *cache);
/* The next tile of a frame in a group; false when damaged. */
TPI_FUNC bool tpi_group_load(tp_cache *cache, tpi_cache_side *side, uint32_t *planes);

/* ---- extra blocks of groups (extra.c) ---- */
TPI_FUNC void tpi_extra_shape(tpi_cache_shape *shape, const tp_schema *schema);
/* A block of the writer's frame. False: the source has more than it said. */
TPI_FUNC bool tpi_extra_stage(tp_cache *cache, const tp_source *source, uint32_t extra,
                              uint32_t *units);
/* The place-th record of the packer's group, each block in all frames before the next one;
   returns its bytes. */
TPI_FUNC uint32_t tpi_extra_pack(const tp_cache *cache, uint32_t place, uint8_t *to,
                                 uint32_t *units);
/* The side's next extra block. OK: it lies in the cache's extra block. MORE: call again with the
   same *size. FRAME: damaged. */
TPI_FUNC tp_result tpi_extra_load(const tp_cache *cache, tpi_cache_side *side, uint32_t *size,
                                  uint32_t *units);

/* ---- order (order.c) ---- */
TPI_FUNC void tpi_order_begin(tp_cache *cache, uint32_t count);
/* One bounded piece; returns its units. The sort is over when sort.active is false. */
TPI_FUNC uint32_t tpi_order_step(tp_cache *cache, const tp_source *source);
/* Reads `count` particles from `first` on, in order, into a tile: those streams of theirs whose
   bits are set. */
TPI_FUNC void tpi_order_load(const tp_cache *cache, const tp_source *source, uint32_t first,
                             uint32_t count, uint32_t streams, uint32_t *tile);

/* ---- recording (record.c) ---- */
TPI_FUNC bool tpi_writer_is_due(const tp_cache *cache, uint64_t frame);
TPI_FUNC void tpi_writer_begin(tp_cache *cache, uint64_t frame);
/* Gives up what is being written; counted. */
TPI_FUNC void tpi_writer_abandon(tp_cache *cache);
/* OK: complete and visible. MORE. FULL: refused and counted. */
TPI_FUNC tp_result tpi_writer_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter);

/* ---- interpolation (interpolate.c) ---- */
typedef struct tpi_between {
    float share;    /* 0..1, of the way from the first frame to the second */
    float seconds;  /* from the first frame to the second */
    uint32_t ticks; /* the time asked for, modulo 2^32 */
    bool is_late;   /* share >= 1/2 */
} tpi_between;
/* Pairs of the matching: places in the two tiles, and which of them there are. */
#define TPI_PAIR_FIRST    1u
#define TPI_PAIR_SECOND   2u
#define TPI_PAIR_BOTH     3u
#define TPI_PAIR_STRAIGHT 4u /* on a straight line; without a second key: at rest */
typedef struct tpi_pairs {
    uint32_t count;
    uint8_t first[TP_TILE], second[TP_TILE], kind[TP_TILE];
} tpi_pairs;
/* Writes stream `stream` of the pairs to `to`, whose components lie `stride` words apart. */
TPI_FUNC void tpi_interpolate(const tp_cache *cache, uint32_t stream, const tpi_between *between,
                              const tpi_pairs *pairs, uint32_t *to, uint32_t stride);

/* ---- reading (read.c) ---- */
TPI_FUNC void tpi_side_open(tpi_cache_side *side, const tpi_cache_entry *entry);
/* False when the header of the recorded frame does not hold. Its records are known then. */
TPI_FUNC bool tpi_side_check(const tp_cache *cache, tpi_cache_side *side);
/* The next record as it is: its bytes in `to` (room for `room`) and their number; false when
   damaged. */
TPI_FUNC bool tpi_side_take(const tp_cache *cache, tpi_cache_side *side, uint8_t *to, uint32_t room,
                            uint32_t *size);
/* The next tile of a side into a buffer; false when damaged. */
TPI_FUNC bool tpi_side_load(tp_cache *cache, const tp_source *source, tpi_cache_side *side,
                            uint32_t *tile);
/* Units of the tile loaded last: of a group, from its first frame on. */
TPI_FUNC uint32_t tpi_side_units(const tp_cache *cache, const tpi_cache_side *side);
/* The frame that a side was opened on is still there. */
TPI_FUNC bool tpi_side_holds(const tp_cache *cache, const tpi_cache_side *side);
TPI_FUNC void tpi_reader_begin(tp_cache *cache, uint64_t time, tp_frame_view *view);
/* OK: the view is complete. MORE. FRAME: a recorded frame was damaged, and is now dropped. */
TPI_FUNC tp_result tpi_reader_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter,
                                  tp_frame_view *view);

/* ---- restoring (restore.c) ---- */
/* Unless it is on its way into that frame already. */
TPI_FUNC void tpi_restorer_begin(tp_cache *cache, const tpi_cache_entry *entry);
/* OK: the source is in that frame. MORE. FRAME: it was damaged, and is now dropped. Else the
   source's own. */
TPI_FUNC tp_result tpi_restorer_run(tp_cache *cache, const tp_source *source,
                                    tpi_cache_meter *meter);

/* ---- inputs (input.c) ---- */
/* The source is in this frame as it was recorded: what was done in it comes next. */
TPI_FUNC void tpi_inputs_rewind(tp_cache *cache, uint64_t frame);
/* The source is in this frame, or inside the next one, if that is begun. Where the game has gone
   on by itself from the frame seen last, inputs that it has left out are of another story, and
   are forgotten. */
TPI_FUNC void tpi_inputs_leave(tp_cache *cache, uint64_t frame);
/* Whether simulating from one frame to another comes to the states that the game saw: no input
   on the way was refused. */
TPI_FUNC bool tpi_inputs_are_known(const tp_cache *cache, uint64_t from, uint64_t to);
/* The same from where the source is. */
TPI_FUNC bool tpi_inputs_are_known_ahead(const tp_cache *cache, uint64_t from, uint64_t to);
/* The game has brought the source to this frame. If that was from the frame seen last, inputs
   that were not done on the way belong to another story; else it was put there, and those behind
   its recorded state come next. */
TPI_FUNC void tpi_inputs_follow(tp_cache *cache, uint64_t frame);
/* The frame was recorded: what has been done in it is in the recorded state, and is done again
   only where that is lost. */
TPI_FUNC void tpi_inputs_recorded(tp_cache *cache, uint64_t frame);
/* What was done in this frame and is not in the source yet. OK, MORE, SOURCE, or the source's
   own. */
TPI_FUNC tp_result tpi_inputs_redo(tp_cache *cache, const tp_source *source, uint64_t frame,
                                   tpi_cache_meter *meter);
/* Whether the source has in it what was done in this frame, and its recorded state has not. */
TPI_FUNC bool tpi_inputs_are_done(const tp_cache *cache, uint64_t frame);
/* The next frame behind this one with an input that is not done yet; TPI_CACHE_NO_FRAME where
   there is none. */
TPI_FUNC uint64_t tpi_inputs_behind(const tp_cache *cache, uint64_t frame);
TPI_FUNC uint32_t tpi_inputs_count(const tp_cache *cache);
/* Forgets what was done in this frame, but what its recorded state has in it, and behind it. */
TPI_FUNC void tpi_inputs_drop_from(tp_cache *cache, uint64_t frame);
/* The source is at the start, before any of them. */
TPI_FUNC void tpi_inputs_restart(tp_cache *cache);

/* ---- the cache's own services (cache.c, source.c) ---- */
/* NULL, BLOCK or OK. */
TPI_FUNC tp_result tpi_cache_check_block(const tp_cache *cache);
/* OK, or SOURCE when its schema is not the cache's. */
TPI_FUNC tp_result tpi_cache_check_source(const tp_cache *cache, const tp_source *source);
/* Both, and a source there must be. */
TPI_FUNC tp_result tpi_cache_check_call(const tp_cache *cache, const tp_source *source);
/* The same, and the budget's own. */
TPI_FUNC tp_result tpi_cache_check_work(const tp_cache *cache, const tp_source *source,
                                        const tp_budget *budget);
TPI_FUNC bool tpi_cache_can_restore(const tp_cache *cache, const tp_source *source);
/* One frame, or a jump of `stride` frames; a source inside either finishes that. OK, MORE,
   SOURCE, or the source's own. */
TPI_FUNC tp_result tpi_source_advance(tp_cache *cache, const tp_source *source, uint32_t stride,
                                      tpi_cache_meter *meter);
/* Back to the start: every frame recorded is dropped. OK, MORE, SOURCE, or the source's own. */
TPI_FUNC tp_result tpi_source_restart(tp_cache *cache, const tp_source *source);
TPI_FUNC uint64_t tpi_schema_check(const tp_schema *schema);
/* The source's last complete frame; *is_whole: and nothing beyond; *is_trusted: and it is this
   cache's. */
typedef struct tpi_cache_live {
    uint64_t frame;
    bool is_whole, is_trusted;
} tpi_cache_live;
TPI_FUNC tpi_cache_live tpi_cache_live_of(const tp_cache *cache, const tp_source *source);
/* The source is in this frame, and every frame of this cache before it has been recorded or
   refused. */
TPI_FUNC void tpi_cache_trust(tp_cache *cache, uint64_t frame);
TPI_FUNC void tpi_cache_distrust(tp_cache *cache);
TPI_FUNC void tpi_cache_clear_frames(tp_cache *cache);
/* The source goes on from `frame` another way: frames behind it, and what was done in it and
   behind, are forgotten. */
TPI_FUNC void tpi_cache_drop_later(tp_cache *cache, uint64_t frame);

#endif
