/* SPDX-License-Identifier: MIT
   runtime/cache/cache.h - a cache's block: a ring buffer of recorded frames, and unfinished jobs.
   reads   nothing      writes  nothing: declarations
   memory  ring_bytes + 40 bytes per frame + 12 per particle + 4 tiles + groups (cache_layout)
   cost    none
   after   a log in a ring buffer: frames are appended at the newest end and dropped at the oldest

   The ring and one frame in it. All numbers are little-endian. A frame may wrap around the end of
   the ring.

       ring    ...| oldest |  frame  |  frame  | newest | being written |......
                  ^ start                               ^ start + used  ^ + writer.bytes
       frame   header 48 | tile | tile | ... | extra block | ...
       header  magic 4, encoding 4, frame 8, particles 4, records 4, bytes 4, words per particle 4,
               schema 8, checksum 8
       tile    length 4, checksum 8, `length` bytes: up to 64 particles, all streams (encode.c)
       extra   length 4, checksum 8, `length` bytes

   Tiles and extra blocks are records. A checksum is a 64-bit hash of the bytes, the frame number
   and the record's index. Any change of a single byte changes it. The header is written last: a
   frame without its header does not exist.

   Groups of frames (group.c, pack.c). With group_frames > 1, up to group_frames frames are stored
   in one ring frame. Its frame number is that of the group's first frame. Its particle count is
   the number of slots. A tile holds the same slots in all frames of the group:

       tile    for each recorded stream, identities first:
               bytes 4, quarter of the lattice's error bound 4 (a float), a tile of the codec
       extra   only if every bit is kept: for each block, one record per frame (extra.c)

   Words of this folder:

       stage   hold the frames of a group in the block, readable, until the group is packed
       pack    encode a staged group and append it to the ring
       slot    the index of a particle in its group, the same in all frames of the group
       side    a frame that is being decoded: a recorded one, or the source's live state.
               Interpolation has two sides
       item    the smallest amount of work between two checks of the budget: one tile or block */
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
#define TPI_GROUP_STREAM_BYTES 8u /* in front of each stream's tile in a group's record */

/* One recorded frame. The entries form a ring buffer of their own, sorted by frame number. */
typedef struct tpi_cache_entry {
    uint64_t frame;
    /* unique for each recording: distinguishes a frame from a later recording of the same frame */
    uint64_t serial;
    /* serial of the group's first frame; without groups equal to `serial` */
    uint64_t group;
    uint32_t offset;   /* of the group in the ring */
    uint32_t bytes;    /* of the group in the ring; 0: staged, not in the ring yet */
    uint32_t count;    /* particles */
    uint16_t index;    /* of the frame in its group */
    uint16_t is_valid; /* 0: damaged or cleared */
} tpi_cache_entry;

/* Sizes and stream numbers that follow from the definition and its schema. */
typedef struct tpi_cache_shape {
    uint32_t words;                      /* per particle: components of all streams */
    uint32_t first_word[TP_STREAMS_MAX]; /* first plane of a stream in a tile; TP_TILE words each */
    uint32_t identity;                   /* identity stream, or TP_STREAM_NONE */
    uint32_t extra_bytes_max;            /* of the largest extra block */
    uint32_t step_units_max;             /* units of the largest work item: a tile or extra block */
    uint64_t schema_check;               /* hash of the schema */
    uint32_t recorded;                   /* mask of the recorded streams */
    uint32_t narrow, wide; /* components per particle staged as 2-byte deltas, as 4-byte words */
    uint32_t staged_bytes; /* of a staged tile without its rows */
    uint32_t staged_rows;  /* frames that can be staged */
    uint32_t record_bytes_max; /* of the largest encoded record */
    /* residuals of one stream in a tile; words of tpi_tile_write's scratch */
    uint32_t values_max, scratch_words;
    /* as in the schema; TP_STREAM_NONE if not recorded */
    uint32_t birth, linear;
    bool is_exact;               /* groups keep every bit, so that the source can be restored */
    uint32_t staged_extra_bytes; /* of all extra blocks of one frame */
} tpi_cache_shape;

/* Radix sort of the source's particles by identity: at most 4 passes of one byte; a pass whose
   bytes are all equal is skipped. */
typedef struct tpi_cache_order {
    bool active;
    uint32_t phase;
    uint32_t count;
    uint32_t cursor;
    uint32_t pass;
    uint32_t from; /* index of the array that holds the current order: 0 or 1 */
    uint32_t last_key;
    bool is_sorted;
    uint64_t serial; /* number of this sort */
} tpi_cache_order;

/* Log of the game's inputs in order of time. Each input is: frame 8, bytes 4, 4 bytes that are 1
   if the frame's recorded state includes the input, the data, padding to a multiple of 8. */
typedef struct tpi_cache_inputs {
    /* bytes of the log, and of the inputs in it that the source's current state includes */
    uint32_t used, done;
    bool has_lost;    /* old inputs were dropped: they cannot be replayed after a restart */
    bool is_past_gap; /* the source's current state includes the refused inputs */
    /* frames with refused inputs lie in [gap, gap_end); both are 0 if there are none */
    uint64_t gap, gap_end;
    /* frame + 1 if inputs of that frame were replayed and it is not simulated yet; else 0 */
    uint64_t begun;
} tpi_cache_inputs;
#define TPI_INPUT_BYTES 16u

/* Bytes written after the used part of the ring; not visible until published. */
typedef struct tpi_cache_log {
    uint64_t frame;
    uint32_t bytes, records;
} tpi_cache_log;

typedef struct tpi_cache_writer {
    bool active;
    uint32_t phase;
    uint64_t frame;
    uint32_t count;
    uint32_t next;  /* index of the next particle in the order of identity */
    uint32_t extra; /* next extra block */
    uint32_t slot;  /* next slot of the group */
    bool waits;     /* until a group is packed */
    tpi_cache_log log;
} tpi_cache_writer;

/* A staged group: up to group_frames frames. Every tile of slots holds identities, frames of
   birth and death, and quantised positions as 2-byte deltas from frame to frame (group.c). */
typedef struct tpi_cache_group {
    uint64_t serial; /* of the group's first frame; 0: free */
    uint64_t first_frame;
    uint32_t frames; /* complete frames */
    uint32_t slots;
    uint32_t kept;  /* frames that are still in the index */
    uint32_t row;   /* of the first frame */
    bool is_closed; /* accepts no more frames */
    /* of each stream: an eighth of the lattice spacing; a bound of all absolute values */
    float quarter[TP_STREAMS_MAX], limit[TP_STREAMS_MAX];
} tpi_cache_group;

/* Job: packs one group into the ring. */
typedef struct tpi_cache_packer {
    /* has_failed: the ring was full; reset when a frame is dropped */
    bool active, has_failed;
    /* side: index of the group that is packed */
    uint32_t side, tile, stream;
    uint32_t extra; /* next record of extra blocks */
    uint32_t size;  /* bytes of the tile's record so far */
    uint32_t units; /* of the last work item */
    tpi_cache_log log;
} tpi_cache_packer;

/* One frame that is being decoded: a recorded frame, or the source's live state. */
typedef struct tpi_cache_side {
    bool is_live;
    uint64_t frame, serial, group;
    uint64_t first_frame;                 /* of the group */
    uint32_t offset, bytes, count, index; /* as in the entry */
    uint32_t slots;                       /* of a group */
    /* the records are `tiles` tiles, then `frames` records of each extra block */
    uint32_t tiles, frames;
    uint32_t cursor; /* offset of the next byte in the frame */
    uint32_t record; /* index of the next record */
    uint32_t taken;  /* particles loaded so far */
    /* particles in the tile buffer, and the index of the next one */
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
    /* the cache's `doubts` and `trusted` before the restore began */
    bool doubted;
    uint64_t trusted;
} tpi_cache_restorer;

/* Byte offsets into the block. */
typedef struct tpi_cache_offsets {
    uint32_t entries, ring;
    uint32_t tiles[3];                  /* two for the reader, one for the writer or restorer */
    uint32_t staging;                   /* one encoded tile */
    uint32_t extra;                     /* one extra block */
    uint32_t keys, order[2], histogram; /* only with an identity stream */
    uint32_t inputs;
    /* Only with groups. tile_reader shares its memory with residuals and scratch: a tile is
       packed or read within one work item. */
    uint32_t groups[2], rows, extras, record, residuals, scratch, tile_reader;
} tpi_cache_offsets;

struct tp_cache {
    uint32_t cookie;
    uint32_t layout_stamp;
    uint64_t bytes;
    tp_cache_def def;
    tpi_cache_shape shape;
    tpi_cache_offsets offsets;
    uint32_t entry_first, entry_count; /* of the ring of entries */
    uint32_t start, used;              /* of the ring, bytes */
    uint32_t flags;
    uint64_t serial_next; /* the serial given last */
    uint32_t job_next;    /* the job number given last */
    /* true: states of the source after frame `trusted` may not belong to this recording */
    bool doubts;
    uint64_t trusted; /* TPI_CACHE_NO_FRAME: no state is trusted */
    /* the frame in which the cache last saw the source: every due frame up to it was recorded or
       refused, so that simulating on from it leaves no frame out */
    uint64_t chain;
    uint64_t request_time; /* of the unfinished request, + 1; 0: none */
    bool request_restarted, request_simulated;
    /* frames of the source's unfinished advance, above 1 for a jump; 0: the source is between
       frames */
    uint32_t stride;
    uint64_t bake_frame; /* the frame to which the bake has brought the source */
    tpi_cache_order sort;
    tpi_cache_writer writer;
    tpi_cache_group groups[2];
    uint32_t side; /* index of the group in which frames are staged */
    /* level of each stream's value range (group_set_lattice) */
    uint8_t range_level[TP_STREAMS_MAX];
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
/* True while the budget allows one more work item of the stage. Closes a slice at its bound. */
TPI_FUNC bool tpi_cache_meter_may(tpi_cache_meter *meter, tp_stage stage);
TPI_FUNC void tpi_cache_meter_spend(tpi_cache_meter *meter, tp_stage stage, uint64_t units);
/* Sets *rest to the unused budget, for the source. False: the budget is used up. */
TPI_FUNC bool tpi_cache_meter_rest(const tpi_cache_meter *meter, tp_budget *rest);
/* Adds the units that the source used. */
TPI_FUNC void tpi_cache_meter_source(tpi_cache_meter *meter, uint64_t units);
TPI_FUNC void tpi_cache_meter_end(tpi_cache_meter *meter);

/* ---- ring (ring.c) ---- */
TPI_FUNC void tpi_ring_read(const tp_cache *cache, uint32_t offset, uint8_t *bytes, uint32_t size);
TPI_FUNC void tpi_ring_write(tp_cache *cache, uint32_t offset, const uint8_t *bytes, uint32_t size);
/* The ring offset `distance` bytes after `offset`; wraps around. */
TPI_FUNC uint32_t tpi_ring_after(const tp_cache *cache, uint32_t offset, uint64_t distance);
TPI_FUNC tpi_cache_entry *tpi_ring_entry(const tp_cache *cache, uint32_t index);
/* Index of the last entry at or before `frame`; entry_count if there is none. Invalid entries
   are included. Cost O(log frames) */
TPI_FUNC uint32_t tpi_ring_last_at(const tp_cache *cache, uint64_t frame);
/* The valid entry of `frame`; the last valid entry at or before it; the first valid entry at or
   after it. Null if there is none. */
TPI_FUNC tpi_cache_entry *tpi_ring_exact(const tp_cache *cache, uint64_t frame);
TPI_FUNC tpi_cache_entry *tpi_ring_before(const tp_cache *cache, uint64_t frame);
TPI_FUNC tpi_cache_entry *tpi_ring_behind(const tp_cache *cache, uint64_t frame);
/* Returns the bytes that became free. */
TPI_FUNC uint32_t tpi_ring_drop_oldest(tp_cache *cache);
/* tpi_ring_drop_oldest, counted as an eviction. */
TPI_FUNC void tpi_ring_evict(tp_cache *cache);
/* True if no frame may be evicted: by the policy, or because the cache is protected. */
TPI_FUNC bool tpi_ring_keeps_all(const tp_cache *cache);
/* Drops `frame` and all later ones. */
TPI_FUNC void tpi_ring_drop_from(tp_cache *cache, uint64_t frame);
/* Evicts the oldest frames until `bytes` more bytes fit after the log. False: they do not fit,
   and no frame may be evicted. */
TPI_FUNC bool tpi_ring_reserve(tp_cache *cache, const tpi_cache_log *log, uint64_t bytes);
TPI_FUNC void tpi_ring_append(tp_cache *cache, tpi_cache_log *log, const uint8_t *bytes,
                              uint32_t size);
/* Appends a record with its length and checksum. False: the ring is full. */
TPI_FUNC bool tpi_ring_add_record(tp_cache *cache, tpi_cache_log *log, const uint8_t *bytes,
                                  uint32_t size);
/* Marks the frame with this serial and all frames of its group as damaged. */
TPI_FUNC void tpi_ring_invalidate(tp_cache *cache, uint64_t serial);

/* ---- encoding of tiles without groups (encode.c) ---- */
#define TPI_CACHE_ENCODING_RAW   0u
#define TPI_CACHE_ENCODING_GROUP 1u
/* Largest and smallest size of an encoded tile of `count` particles. */
TPI_FUNC uint32_t tpi_tile_bytes_max(const tpi_cache_shape *shape, uint32_t count);
TPI_FUNC uint32_t tpi_tile_bytes_min(const tpi_cache_shape *shape, uint32_t count);
TPI_FUNC uint32_t tpi_tile_encode(const tpi_cache_shape *shape, const uint32_t *tile,
                                  uint32_t count, uint8_t *bytes);
/* False if the bytes are not a tile of `count` particles. Never accesses memory out of bounds. */
TPI_FUNC bool tpi_tile_decode(const tpi_cache_shape *shape, const uint8_t *bytes, uint32_t size,
                              uint32_t count, uint32_t *tile);
TPI_FUNC uint64_t tpi_record_check(uint64_t frame, uint32_t record, const uint8_t *bytes,
                                   uint32_t size);
TPI_FUNC void tpi_frame_header(const tp_cache *cache, const tpi_cache_entry *entry,
                               uint32_t records, uint8_t *header);

/* ---- groups: staging (group.c) ---- */
enum { TPI_SORT_ENTRIES = 4 * 256 }; /* of the histograms of four bytes */
/* The histograms count up to particles_max: in 16 bits, if that fits. O(1) */
TPI_INLINE bool tpi_cache_counts_narrow(const tp_cache_def *def)
{
    return def->particles_max <= 0xffffu;
}

TPI_INLINE bool tpi_cache_is_grouped(const tp_cache *cache) { return cache->def.group_frames > 1u; }
/* Limit of an encoded stream; if the coder exceeds it, the stream is stored raw. */
TPI_INLINE uint32_t tpi_group_tile_bytes_max(uint32_t slots, uint32_t frames, uint32_t components)
{
    return TPI_TILE_HEADER_BYTES + 9u * components + 2u * slots + 4u * slots * frames * components +
           2u * TPI_CODERS;
}
TPI_INLINE uint32_t tpi_group_tiles(uint32_t slots) { return (slots + TP_TILE - 1u) / TP_TILE; }
/* Index of the staged group with this serial: 0 or 1. */
TPI_INLINE uint32_t tpi_group_side(const tp_cache *cache, uint64_t serial)
{
    return cache->groups[0].serial == serial ? 0 : 1u;
}
/* Number of extra blocks that are recorded with every frame. */
TPI_INLINE uint32_t tpi_cache_extras(const tp_cache *cache)
{
    return tpi_cache_is_grouped(cache) && !cache->shape.is_exact ? 0
                                                                 : cache->def.schema.extra_count;
}
TPI_INLINE bool tpi_is_recorded(const tp_cache *cache, uint32_t stream)
{
    return (cache->shape.recorded >> stream & 1u) != 0;
}
/* True if groups keep the stream to within its error bound, false if they keep every bit. */
TPI_INLINE bool tpi_is_bounded(const tp_stream *stream)
{
    return stream->type == TP_STREAM_F32 && stream->error_bound > 0.0f;
}
/* Sets the sizes that groups need: words, bytes, recorded streams. Cost O(streams) */
TPI_FUNC void tpi_group_shape(tpi_cache_shape *shape, const tp_cache_def *def);
/* Selects or begins the group of the writer's frame. OK: frames can be staged. MORE: a group
   must be packed first. FULL: it cannot be packed. */
TPI_FUNC tp_result tpi_group_begin(tp_cache *cache);
/* Stages one work item of the writer's frame. OK: the frame is complete. MORE: items are left.
   FRAME: the frame does not fit this group but may fit a new one. FULL: it fits no group. */
TPI_FUNC tp_result tpi_group_stage(tp_cache *cache, const tp_source *source, uint32_t *units);
/* The current group accepts no more frames. */
TPI_FUNC void tpi_group_close(tp_cache *cache);
/* Called when the index has dropped a staged entry. */
TPI_FUNC void tpi_group_forget(tp_cache *cache, const tpi_cache_entry *entry);
/* Lifetimes of the slots of a staged tile: frames first to end - 1; first == end: the slot lives
   in no complete frame. False: all slots live in all frames. */
TPI_FUNC bool tpi_group_lives(const tp_cache *cache, uint32_t side, uint32_t tile, uint32_t slots,
                              uint8_t *first, uint8_t *end);
typedef struct tpi_group_plane { /* a component of a staged tile */
    uint32_t side, tile, stream, component;
} tpi_group_plane;
/* Writes the frames of a plane, TP_TILE values each: lattice coordinates, ordered float bits
   (tpi_ordered_bits), or integers. Values outside a slot's lifetime are undefined. */
TPI_FUNC void tpi_group_take(const tp_cache *cache, const tpi_group_plane *from, uint32_t frames,
                             int32_t *to, uint32_t stride);
/* Writes one frame of a staged tile to `planes`; returns its number of particles. */
TPI_FUNC uint32_t tpi_group_show(const tp_cache *cache, uint32_t side, uint32_t tile,
                                 uint32_t index, uint32_t *planes);

/* ---- groups: packing and unpacking (pack.c) ---- */
/* True if a group waits to be packed or is being packed. */
TPI_FUNC bool tpi_packer_is_due(const tp_cache *cache);
/* True if the waiting group does not fit the ring and no frame may be evicted. */
TPI_FUNC bool tpi_packer_is_stuck(const tp_cache *cache);
/* Packs all staged groups. MORE: the budget ended. FULL: the packer is stuck. */
TPI_FUNC tp_result tpi_packer_finish(tp_cache *cache, tpi_cache_meter *meter);
/* One work item; returns its units. */
TPI_FUNC uint32_t tpi_packer_step(tp_cache *cache);
/* Decodes the next tile of a frame in a group. False: damaged. */
TPI_FUNC bool tpi_group_load(tp_cache *cache, tpi_cache_side *side, uint32_t *planes);

/* ---- extra blocks of groups (extra.c) ---- */
TPI_FUNC void tpi_extra_shape(tpi_cache_shape *shape, const tp_schema *schema);
/* Stages one block of the writer's frame. False: it is larger than the schema's bytes_max. */
TPI_FUNC bool tpi_extra_stage(tp_cache *cache, const tp_source *source, uint32_t extra,
                              uint32_t *units);
/* Encodes record `record` of the packer's group; returns its bytes. Records are ordered by block,
   then by frame. */
TPI_FUNC uint32_t tpi_extra_pack(const tp_cache *cache, uint32_t record, uint8_t *to,
                                 uint32_t *units);
/* Decodes the side's next extra block. OK: it is in the cache's extra-block buffer. MORE: call
   again with the same *size. FRAME: damaged. */
TPI_FUNC tp_result tpi_extra_load(const tp_cache *cache, tpi_cache_side *side, uint32_t *size,
                                  uint32_t *units);

/* ---- order (order.c) ---- */
TPI_FUNC void tpi_order_begin(tp_cache *cache, uint32_t count);
/* One work item; returns its units. The sort is complete when sort.active is false. */
TPI_FUNC uint32_t tpi_order_step(tp_cache *cache, const tp_source *source);
/* Reads `count` particles, beginning with number `first` in the order of identity, into a tile.
   `streams` is a mask. */
TPI_FUNC void tpi_order_load(const tp_cache *cache, const tp_source *source, uint32_t first,
                             uint32_t count, uint32_t streams, uint32_t *tile);

/* ---- recording (record.c) ---- */
TPI_FUNC bool tpi_writer_is_due(const tp_cache *cache, uint64_t frame);
TPI_FUNC void tpi_writer_begin(tp_cache *cache, uint64_t frame);
/* Abandons the frame being written; counted. */
TPI_FUNC void tpi_writer_abandon(tp_cache *cache);
/* OK: complete and visible. MORE: call again. FULL: refused and counted. */
TPI_FUNC tp_result tpi_writer_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter);

/* ---- interpolation (interpolate.c) ---- */
typedef struct tpi_between {
    float share;    /* 0..1: interpolation parameter from the first frame to the second */
    float seconds;  /* from the first frame to the second */
    uint32_t ticks; /* the requested time, modulo 2^32 */
    bool is_late;   /* share >= 1/2 */
} tpi_between;
/* Particles matched by the merge: indices in the two tiles, and which of the two exist. */
#define TPI_PAIR_FIRST    1u
#define TPI_PAIR_SECOND   2u
#define TPI_PAIR_BOTH     3u
#define TPI_PAIR_STRAIGHT 4u /* linear interpolation; with only one key: constant */
typedef struct tpi_pairs {
    uint32_t count;
    uint8_t first[TP_TILE], second[TP_TILE], kind[TP_TILE];
} tpi_pairs;
/* Writes the pairs' interpolated values of one stream to `to`; its components are `stride` words
   apart. */
TPI_FUNC void tpi_interpolate(const tp_cache *cache, uint32_t stream, const tpi_between *between,
                              const tpi_pairs *pairs, uint32_t *to, uint32_t stride);

/* ---- reading (read.c) ---- */
TPI_FUNC void tpi_side_open(tpi_cache_side *side, const tpi_cache_entry *entry);
/* Checks the header of the recorded frame and sets the numbers of its records. False: damaged. */
TPI_FUNC bool tpi_side_check(const tp_cache *cache, tpi_cache_side *side);
/* Copies the next record to `to`, at most `capacity` bytes, and sets *size. False: damaged. */
TPI_FUNC bool tpi_side_take(const tp_cache *cache, tpi_cache_side *side, uint8_t *to,
                            uint32_t capacity, uint32_t *size);
/* Decodes the side's next tile into a buffer. False: damaged. */
TPI_FUNC bool tpi_side_load(tp_cache *cache, const tp_source *source, tpi_cache_side *side,
                            uint32_t *tile);
/* Units of the tile loaded last. In a group they include all frames from the first one on. */
TPI_FUNC uint32_t tpi_side_units(const tp_cache *cache, const tpi_cache_side *side);
/* True if the side's frame is still recorded and was not packed since the side was opened. */
TPI_FUNC bool tpi_side_holds(const tp_cache *cache, const tpi_cache_side *side);
TPI_FUNC void tpi_reader_begin(tp_cache *cache, uint64_t time, tp_frame_view *view);
/* OK: the view is complete. MORE: call again. FRAME: a recorded frame was damaged and is now
   invalid. */
TPI_FUNC tp_result tpi_reader_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter,
                                  tp_frame_view *view);

/* ---- restoring (restore.c) ---- */
/* Begins to restore the source to `entry`, unless that restore is already in progress. */
TPI_FUNC void tpi_restorer_begin(tp_cache *cache, const tpi_cache_entry *entry);
/* OK: the source is restored. MORE: call again. FRAME: the recorded frame was damaged and is now
   invalid. Else the source's own error. */
TPI_FUNC tp_result tpi_restorer_run(tp_cache *cache, const tp_source *source,
                                    tpi_cache_meter *meter);

/* ---- inputs (input.c) ---- */
/* The source was restored to this recorded frame: the inputs after its recorded state are next to
   be replayed. */
TPI_FUNC void tpi_inputs_rewind(tp_cache *cache, uint64_t frame);
/* Called with the source's last complete frame; it may already be inside the next one. If the game
   itself has simulated on from the frame seen last, inputs that it did not apply on the way belong
   to another history: they are dropped. */
TPI_FUNC void tpi_inputs_leave(tp_cache *cache, uint64_t frame);
/* True if simulating `from` .. `to` gives the states that the game saw: no input in these frames
   was refused. */
TPI_FUNC bool tpi_inputs_are_known(const tp_cache *cache, uint64_t from, uint64_t to);
/* The same from the source's current state, which may already include the refused inputs. */
TPI_FUNC bool tpi_inputs_are_known_ahead(const tp_cache *cache, uint64_t from, uint64_t to);
/* Called when the game has brought the source to this frame. If it was simulated from the frame
   seen last: as tpi_inputs_leave. Else it was set to this frame: as tpi_inputs_rewind. */
TPI_FUNC void tpi_inputs_follow(tp_cache *cache, uint64_t frame);
/* Called when the frame was recorded: marks the inputs that its recorded state includes. They are
   replayed only if the recorded state is lost. */
TPI_FUNC void tpi_inputs_recorded(tp_cache *cache, uint64_t frame);
/* Replays the inputs of this frame that the source's state does not include yet. OK, MORE,
   SOURCE, or the source's own error. */
TPI_FUNC tp_result tpi_inputs_redo(tp_cache *cache, const tp_source *source, uint64_t frame,
                                   tpi_cache_meter *meter);
/* True if the source's state includes inputs of this frame that its recorded state does not. */
TPI_FUNC bool tpi_inputs_are_done(const tp_cache *cache, uint64_t frame);
/* The next frame after this one with an input to replay; TPI_CACHE_NO_FRAME if there is none. */
TPI_FUNC uint64_t tpi_inputs_behind(const tp_cache *cache, uint64_t frame);
TPI_FUNC uint32_t tpi_inputs_count(const tp_cache *cache);
/* Drops the inputs of this frame that its recorded state does not include, and all later ones. */
TPI_FUNC void tpi_inputs_drop_from(tp_cache *cache, uint64_t frame);
/* Called after a restart of the source: no input has been replayed. */
TPI_FUNC void tpi_inputs_restart(tp_cache *cache);

/* ---- the cache's own services (cache.c, source.c) ---- */
/* NULL, BLOCK or OK. */
TPI_FUNC tp_result tpi_cache_check_block(const tp_cache *cache);
/* OK, or SOURCE when its schema is not the cache's. */
TPI_FUNC tp_result tpi_cache_check_source(const tp_cache *cache, const tp_source *source);
/* Both checks; NULL without a source. */
TPI_FUNC tp_result tpi_cache_check_call(const tp_cache *cache, const tp_source *source);
/* The same, and the check of the budget. */
TPI_FUNC tp_result tpi_cache_check_work(const tp_cache *cache, const tp_source *source,
                                        const tp_budget *budget);
TPI_FUNC bool tpi_cache_can_restore(const tp_cache *cache, const tp_source *source);
/* Simulates one frame, or a jump of `stride` frames; an unfinished advance is finished first. OK,
   MORE, SOURCE, or the source's own error. */
TPI_FUNC tp_result tpi_source_advance(tp_cache *cache, const tp_source *source, uint32_t stride,
                                      tpi_cache_meter *meter);
/* Restarts the source and drops every recorded frame. OK, MORE, SOURCE, or the source's own
   error. */
TPI_FUNC tp_result tpi_source_restart(tp_cache *cache, const tp_source *source);
TPI_FUNC uint64_t tpi_schema_check(const tp_schema *schema);
/* State of the source. */
typedef struct tpi_cache_live {
    uint64_t frame; /* last complete frame */
    /* is_whole: not inside the next frame; is_trusted: the state belongs to this recording */
    bool is_whole, is_trusted;
} tpi_cache_live;
TPI_FUNC tpi_cache_live tpi_cache_live_of(const tp_cache *cache, const tp_source *source);
/* Called when the source is in this frame and every due frame before it was recorded or refused:
   trusts its state. */
TPI_FUNC void tpi_cache_trust(tp_cache *cache, uint64_t frame);
TPI_FUNC void tpi_cache_distrust(tp_cache *cache);
TPI_FUNC void tpi_cache_clear_frames(tp_cache *cache);
/* The source will continue from `frame` on another path: drops later frames, and the inputs in and
   after `frame`. */
TPI_FUNC void tpi_cache_drop_later(tp_cache *cache, uint64_t frame);

#endif
