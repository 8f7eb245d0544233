/* SPDX-License-Identifier: MIT
   runtime/play/play.h - a player's block: clip, current group, decoder states, decoded frames.
   reads   nothing      writes  nothing: declarations
   memory  see player_layout in player.c      cost  none
   after   own design: between frames a tile's decoder state is saved in 9 bytes per component and
           point: 32-bit position, 16-bit velocity and acceleration, 8-bit context state

   A request (request.c) works in these steps:

       group.c             finds and opens the group that holds the frame
       roster.c            sorts the points of the group by identity
       piece.c             fetches the bytes of each tile from storage
       tile.c              restores each tile's decoder, decodes to the frame, saves the decoder
       keep.c              caches decoded frames (only if frames_kept > 0)
       show.c, between.c   write one frame, or the interpolation of two, in the order of identity */
#ifndef TPI_PLAY_H
#define TPI_PLAY_H
#include "../codec/clip.h"
#include "../memory/memory.h"

#define TPI_COOKIE_PLAYER 0x54504c31u /* "TPL1" */
#define TPI_STAMP_PLAYER  (0x504c0000u + (uint32_t)sizeof(tp_player_def))
#define TPI_PLAY_NONE     0xffffffffu
#define TPI_PLAY_GROUPS   8u  /* most groups opened for one time; an intact clip needs two */
#define TPI_PLAY_ANSWERS  9u  /* starts of a header at 0 and at 7 block sizes; the first block */
#define TPI_PLAY_CHUNK    64u /* points shown per work item */
/* the part of a tpi_tile_reader without the arrays of its points */
#define TPI_PLAY_HEAD_BYTES offsetof(tpi_tile_reader, first)
#define TPI_PLAY_HEAD_STEP  ((TPI_PLAY_HEAD_BYTES + 15u) & ~(size_t)15u)

/* Byte offsets into the block. */
typedef struct tpi_play_offsets {
    uint32_t block, buffer;      /* a data block; a piece that spans blocks, or a directory block */
    uint32_t reader;             /* decoder of the current tile */
    uint32_t tiles, heads;       /* of each stream and tile: tpi_play_tile; saved decoder head */
    uint32_t position, velocity; /* saved decoder states, [word][slot]: i32, i16 */
    uint32_t acceleration, state; /* [word][slot]: i16, u8 */
    /* of each roster: identities u32; slots by identity u16, or u32 above 65536 points */
    uint32_t ids[2], order[2];
    uint32_t first[2], end[2];        /* of each roster: lifetimes, frames of the group, u8 */
    uint32_t kept, frames, words_max; /* entries; [entry][word][slot]; bytes of an entry */
    uint32_t activity, counting;      /* if counted: tpi_play_activity, tpi_play_activity_buffers */
    uint32_t keys;                    /* [entry][slot]: 1 bit each, 16 bytes per tile */
} tpi_play_offsets;

/* Layout of the requested streams, without the identity, in the definition's order. */
typedef struct tpi_play_shape {
    uint32_t tracks, words;
    uint32_t identity;                  /* stream of the definition, or TPI_PLAY_NONE */
    uint8_t stream[TP_STREAMS_MAX];     /* by track: stream of the definition */
    uint8_t first_word[TP_STREAMS_MAX]; /* by stream of the definition */
    uint32_t tiles_max;
    bool has_short_order;
} tpi_play_shape;

/* A tile of one stream in the current group. */
typedef struct tpi_play_tile {
    uint32_t begin, end; /* offsets in the group's stream */
    uint16_t decoded;    /* frames decoded so far */
    bool is_wide;        /* its motion exceeds 16 bits: the saved decoder state cannot be used */
} tpi_play_tile;

/* The points of a group. */
typedef struct tpi_play_roster {
    tpi_clip_group group;
    bool is_known;
    bool is_sorted; /* identities ascend from slot to slot */
    bool has_next;
    int32_t next_first; /* first frame of the next group */
    uint32_t slots, tiles;
} tpi_play_roster;

/* Job: finds and opens a group. */
typedef struct tpi_play_loading {
    uint8_t phase; /* 0: inactive */
    uint8_t roster;
    int32_t frame;
    tpi_clip_search search;
    tpi_clip_group group;
    uint32_t item, track; /* next tile or point, next track */
    uint32_t end, last_id;
} tpi_play_loading;

/* The piece that is being fetched. */
typedef struct tpi_play_piece {
    uint32_t begin, size, at; /* at: bytes fetched so far */
    uint64_t offset;          /* of its first byte in the clip */
    uint8_t where;            /* TPI_PIECE_... */
} tpi_play_piece;
enum { TPI_PIECE_COPY, TPI_PIECE_BLOCK, TPI_PIECE_MAPPED };

/* Entry of the cache of decoded frames. Its words are stored by slot, as in the group. */
typedef struct tpi_play_kept {
    int32_t frame;
    uint8_t roster, state; /* TPI_KEPT_... */
} tpi_play_kept;
enum { TPI_KEPT_NONE, TPI_KEPT_FILLING, TPI_KEPT_WHOLE };

/* Job: decodes all tiles of the current group up to a frame. */
typedef struct tpi_play_job {
    bool active;
    uint32_t target;       /* index of the frame in the group */
    uint32_t next;         /* next tile, counted over all tracks */
    uint8_t phase;         /* of that tile: TPI_TILE_... */
    uint32_t decoded_all;  /* frames that every tile has decoded; TPI_PLAY_NONE: they differ */
    uint32_t decoded_most; /* most frames that a tile has decoded */
} tpi_play_job;
enum { TPI_TILE_FIND, TPI_TILE_FETCH, TPI_TILE_DECODE };

/* Number of keys in the shown frame, in 65536ths of a key. Followed by a u64 per region. */
typedef struct tpi_play_activity {
    uint64_t total;
    uint32_t points;
    uint8_t state; /* TPI_ACTIVITY_... */
    bool is_known;
    float scale; /* factor of all counts: a timeline's speed */
} tpi_play_activity;
/* Working memory of the counting; in the block, because a device's stack is small. */
typedef struct tpi_play_activity_buffers {
    uint8_t keys[TPI_TILE_POINTS];                          /* of the last decoded tile */
    uint32_t amount[TPI_PLAY_CHUNK];                        /* of points with a key */
    uint32_t words[TPI_TILE_COMPONENTS * (TPI_PLAY_CHUNK)]; /* their shown positions */
} tpi_play_activity_buffers;
enum { TPI_ACTIVITY_NONE, TPI_ACTIVITY_UNDER_WAY, TPI_ACTIVITY_WHOLE };
#define TPI_ACTIVITY_ONE 65536u

/* One of the frames that are shown: a kept frame, or (entry TPI_PLAY_NONE) the decoder states. */
typedef struct tpi_play_side {
    uint32_t roster, index, entry;
    uint32_t at; /* index of the next point in the order of identity */
    uint32_t last_id;
    bool has_last;
} tpi_play_side;

typedef struct tpi_play_show {
    bool active;
    int64_t time;
    uint32_t job, job_next;
    uint32_t side_count;
    tp_cache_status status;
    tpi_play_side side[2];
} tpi_play_show;

struct tp_player {
    uint32_t cookie;
    uint32_t layout_stamp;
    uint64_t bytes;
    tp_player_def def;
    tpi_play_shape shape;
    tpi_play_offsets offsets;
    uint32_t header_answers[TPI_PLAY_ANSWERS]; /* while a clip is opened: bytes of each read + 1 */
    uint8_t opened;                            /* TPI_OPENED_... */
    uint8_t source[TP_STREAMS_MAX];            /* by stream of the definition: the clip's stream */
    uint32_t tile_stride;                      /* only every tile_stride-th tile is shown */
    tpi_clip clip;
    tpi_clip_search end_search;
    int32_t first_frame; /* of the first group */
    int64_t asked_time;
    /* groups opened for this time. A limit stops the search in a clip whose groups contradict each
       other */
    uint32_t asked_groups;
    tpi_play_loading loading;
    uint32_t current; /* the roster of the decoder states; TPI_PLAY_NONE: none */
    tpi_play_roster roster[2];
    tpi_lattice lattice[TP_STREAMS_MAX][TPI_TILE_COMPONENTS];
    /* mapped storage, by track: range of the group's blocks whose checksums were verified */
    uint32_t checked[TP_STREAMS_MAX][2];
    tpi_play_piece piece;
    tpi_play_job job;
    tpi_play_show show;
    tp_player_counters counters;
};
enum { TPI_OPENED_NOT, TPI_OPENED_HEADERS, TPI_OPENED_END, TPI_OPENED_WHOLE };

/* ---- access ---- */
TPI_INLINE uint8_t *tpi_play_at(const tp_player *player, uint32_t offset)
{
    return (uint8_t *)(uintptr_t)player + offset;
}
TPI_INLINE tpi_play_tile *tpi_play_tile_of(const tp_player *player, uint32_t track, uint32_t tile)
{
    return (tpi_play_tile *)((uintptr_t)player + player->offsets.tiles) +
           track * player->shape.tiles_max + tile;
}
TPI_INLINE uint8_t *tpi_play_head_of(const tp_player *player, uint32_t track, uint32_t tile)
{
    return tpi_play_at(player, player->offsets.heads) +
           (size_t)(track * player->shape.tiles_max + tile) * TPI_PLAY_HEAD_STEP;
}
TPI_INLINE tpi_tile_reader *tpi_play_reader(const tp_player *player)
{
    return (tpi_tile_reader *)((uintptr_t)player + player->offsets.reader);
}
TPI_INLINE uint32_t *tpi_play_ids(const tp_player *player, uint32_t roster)
{
    return (uint32_t *)((uintptr_t)player + player->offsets.ids[roster]);
}
TPI_INLINE tpi_play_kept *tpi_play_kept_of(const tp_player *player, uint32_t entry)
{
    return (tpi_play_kept *)((uintptr_t)player + player->offsets.kept) + entry;
}
/* Word `word` of a kept frame, slot by slot. */
TPI_INLINE uint32_t *tpi_play_words(const tp_player *player, uint32_t entry, uint32_t word)
{
    return (uint32_t *)((uintptr_t)player + player->offsets.frames) +
           ((size_t)entry * player->shape.words + word) * player->def.points_max;
}
TPI_INLINE int32_t *tpi_play_place(const tp_player *player, uint32_t word)
{
    return (int32_t *)((uintptr_t)player + player->offsets.position) +
           (size_t)word * player->def.points_max;
}
TPI_INLINE uint32_t tpi_play_frame_index(const tpi_play_roster *roster, int32_t frame)
{
    return (uint32_t)((int64_t)frame - roster->group.first_frame) / roster->group.step;
}
TPI_INLINE int32_t tpi_play_frame_of(const tpi_play_roster *roster, uint32_t index)
{
    return (int32_t)(roster->group.first_frame + (int64_t)index * roster->group.step);
}
TPI_INLINE int32_t tpi_play_last_frame(const tpi_play_roster *roster)
{
    return tpi_play_frame_of(roster, roster->group.frames - 1u);
}

/* Most units of a work item: one frame of a tile, two blocks checked and copied, or one chunk
   shown. */
TPI_INLINE uint32_t tpi_play_step_units(const tp_player_def *def)
{
    uint32_t streams = def->stream_count + (def->activity.side[0] != 0);
    return TPI_TILE_POINTS + def->block_max / 4u + 2u * TPI_PLAY_CHUNK * streams;
}

/* ---- one call: its budget, and asynchronous storage (call.c) ---- */
typedef struct tpi_play_call {
    tp_player *player;
    const tp_clip_storage *from;
    tpi_clip_storage storage;
    const tp_budget *budget; /* null: no limit */
    uint64_t units;
    uint32_t slice, reads;
    uint64_t started, slice_started; /* us */
    bool has_clock;
} tpi_play_call;
/* `call` must not be moved: its storage refers to it. */
TPI_FUNC void tpi_play_call_begin(tpi_play_call *call, tp_player *player,
                                  const tp_clip_storage *from, const tp_budget *budget);
/* True while the budget allows one more work item. Closes a slice at its bound. */
TPI_FUNC bool tpi_play_may(tpi_play_call *call);
TPI_FUNC void tpi_play_spend(tpi_play_call *call, uint32_t units);
TPI_FUNC void tpi_play_call_end(tpi_play_call *call);
/* Maps the result of a clip call; stores its fault. */
TPI_FUNC tp_result tpi_play_result(tp_player *player, tpi_clip_result result);
TPI_FUNC tp_result tpi_play_fault(tp_player *player, tp_result result, uint64_t offset,
                                  const char *expected);
/* Compares names of streams, up to a zero or TP_NAME_BYTES. */
TPI_FUNC bool tpi_play_is_name(const char *name, const char *expected);
TPI_FUNC void tpi_play_note(tp_clip_fault *fault, uint64_t offset, const char *expected);
/* Reads from a clip in memory, for tpi_clip_storage. */
TPI_FUNC uint32_t tpi_play_copy(const tp_clip_storage *from, uint64_t offset, void *bytes,
                                uint32_t size);

/* ---- the clip and its groups (look.c, group.c); TP_OK, TP_MORE or an error ---- */
/* Describes a clip's stream as tp_stream, without partner. False: it has no words per frame. */
TPI_FUNC bool tpi_play_stream_of(const tpi_clip_stream *from, uint32_t index, tp_stream *stream);
TPI_FUNC tp_result tpi_play_open(tpi_play_call *call);
/* The roster of the group that covers `frame`, from the group's first frame to the first frame of
   the next group. TPI_PLAY_NONE: not loaded. */
TPI_FUNC uint32_t tpi_play_roster_at(const tp_player *player, int32_t frame);
/* Opens the group that covers `frame` and makes it current. Does not overwrite the roster `pinned`.
   FRAME: no such group. */
TPI_FUNC tp_result tpi_play_load(tpi_play_call *call, int32_t frame, uint32_t pinned);
TPI_FUNC void tpi_play_forget_group(tp_player *player);

/* ---- identities (roster.c) ---- */
/* One work item of the sort by identity. Always TP_OK. */
TPI_FUNC tp_result tpi_play_sort(tpi_play_call *call);
/* The slot at `index` in the order of identity. */
TPI_FUNC uint32_t tpi_play_slot(const tp_player *player, uint32_t roster, uint32_t index);
TPI_INLINE bool tpi_play_lives(const tp_player *player, uint32_t roster, uint32_t slot,
                               uint32_t index)
{
    return index >= tpi_play_at(player, player->offsets.first[roster])[slot] &&
           index < tpi_play_at(player, player->offsets.end[roster])[slot];
}
enum { TPI_SORT_LOOK = 100, TPI_SORT_BUILD, TPI_SORT_TAKE, TPI_SORT_DONE }; /* phases of loading */

/* ---- pieces (piece.c) ---- */
TPI_FUNC tp_result tpi_piece_begin(tp_player *player, const tpi_clip_group *group, uint32_t begin,
                                   uint32_t end);
/* Fetches the blocks of the piece. `track`: whose verified blocks are recorded. */
TPI_FUNC tp_result tpi_piece_fetch(tpi_play_call *call, const tpi_clip_group *group,
                                   uint32_t track);
/* Null if the storage is no longer mapped. */
TPI_FUNC const uint8_t *tpi_piece_bytes(const tpi_play_call *call);

/* ---- tiles (tile.c) ---- */
/* True if an opened tile has the right numbers of points, frames and components. */
TPI_FUNC bool tpi_play_fits(const tpi_tile_reader *reader, const tpi_clip_stream *stream,
                            uint32_t points, uint32_t frames);
TPI_FUNC uint32_t tpi_play_tile_points(const tpi_play_roster *roster, uint32_t tile);
/* Decodes all tiles of the current group up to frame `index`. If frames are kept: until that frame
   is in the cache, without evicting the `needed` ones. */
TPI_FUNC tp_result tpi_play_reach(tpi_play_call *call, uint32_t index, const int32_t *needed,
                                  uint32_t needed_count);
/* Dequantises `count` lattice coordinates of one component of a tile. */
TPI_FUNC void tpi_play_convert(const tpi_tile_component *component, const tpi_lattice *lattice,
                               bool is_float, const int32_t *coordinates, uint32_t count,
                               uint32_t *words);

/* ---- cache of decoded frames (keep.c) ---- */
/* Entry of a complete frame, or TPI_PLAY_NONE. */
TPI_FUNC uint32_t tpi_keep_find(const tp_player *player, int32_t frame);
/* Allocates entries for frames `low` to `high` of the current group, the later ones first. Evicts
   frames, but not the `needed` ones. */
TPI_FUNC void tpi_keep_begin(tp_player *player, uint32_t low, uint32_t high, const int32_t *needed,
                             uint32_t needed_count);
/* Entry allocated for frame `index` of the current group, or TPI_PLAY_NONE. */
TPI_FUNC uint32_t tpi_keep_filling(const tp_player *player, uint32_t index);
/* Marks the allocated frames as complete, or frees them. */
TPI_FUNC void tpi_keep_end(tp_player *player, bool is_whole);
/* Drops the frames of a roster that will be overwritten by another group. */
TPI_FUNC void tpi_keep_drop(tp_player *player, uint32_t roster);

/* ---- showing (show.c, between.c) ---- */
TPI_FUNC void tpi_show_begin(tp_player *player, int64_t time, tp_frame_view *view);
/* Writes to the view. CLIP: a point occurs twice. */
TPI_FUNC tp_result tpi_show_run(tpi_play_call *call, tp_frame_view *view);
/* Points to be shown, with their slots in both frames. */
typedef struct tpi_play_pairs {
    uint32_t count;
    bool is_run; /* all points are in every shown frame, in consecutive slots */
    uint32_t slot[2][TPI_PLAY_CHUNK];
    uint8_t sides[TPI_PLAY_CHUNK]; /* bit 0: it is in the first frame; bit 1: in the second */
} tpi_play_pairs;
/* Writes one component without interpolation: one frame is shown. */
TPI_FUNC void tpi_show_words(const tp_player *player, uint32_t stream, uint32_t c,
                             const tpi_play_pairs *pairs, uint32_t count, uint32_t *to);
TPI_FUNC void tpi_between_write(const tp_player *player, uint32_t stream,
                                const tpi_play_pairs *pairs, uint32_t count, uint32_t *to,
                                uint32_t stride);

/* ---- activity (activity.c). If it is not counted, only tpi_has_activity and tpi_activity_check
   are called ---- */
TPI_INLINE bool tpi_has_activity(const tp_activity_def *def) { return def->side[0] != 0; }
TPI_INLINE tpi_play_activity *tpi_play_activity_of(const tp_player *player)
{
    return (tpi_play_activity *)((uintptr_t)player + player->offsets.activity);
}
TPI_INLINE tpi_play_activity_buffers *tpi_play_activity_buffers_of(const tp_player *player)
{
    return (tpi_play_activity_buffers *)((uintptr_t)player + player->offsets.counting);
}
/* Null if the definition is valid, else the error text. */
TPI_FUNC const char *tpi_activity_check(const tp_activity_def *def, const tp_stream *streams,
                                        uint32_t count);
TPI_FUNC bool tpi_activity_is_same(const tp_activity_def *a, const tp_activity_def *b);
TPI_FUNC uint32_t tpi_activity_regions(const tp_activity_def *def);
/* Bytes of the counts in a block. */
TPI_FUNC uint32_t tpi_activity_bytes(const tp_activity_def *def);
/* Buffer for the keys of a tile's next frame; null: its stream has no error bound. */
TPI_FUNC uint8_t *tpi_activity_keys(const tp_player *player, uint32_t stream);
/* Stores the keys of a frame of one track's tile (null: none): combines them with the keys of the
   tracks before it. */
TPI_FUNC void tpi_activity_put(tp_player *player, uint32_t entry, uint32_t track, uint32_t tile,
                               const uint8_t *keys);
/* Resets the counts. */
TPI_FUNC void tpi_activity_begin(const tp_activity_def *def, tpi_play_activity *activity);
/* Counts the keys of shown points; overwrites `pairs`. Writes the first `written` values to
   `plane`, if not null. */
TPI_FUNC void tpi_activity_show(tp_player *player, tpi_play_pairs *pairs, float *plane,
                                uint32_t written);
/* Adds an amount to the region of a point's position. */
TPI_FUNC void tpi_activity_add(const tp_activity_def *def, tpi_play_activity *activity, float x,
                               float y, uint64_t amount);
/* Writes the counts to the caller. */
TPI_FUNC tp_result tpi_activity_report(const tp_activity_def *def, const tpi_play_activity *from,
                                       tp_activity *activity, float *regions);

/* NULL, BLOCK or OK. */
TPI_FUNC tp_result tpi_player_check_block(const tp_player *player);

#endif
