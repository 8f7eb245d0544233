/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc.h - clips: all frames in one file, in groups whose points are kept within an error bound.
   reads   .tpc                            writes  the same
   memory  a group of frames, decoded: its frames times points times 4 bytes a component, at most 512 MiB
   cost    a group's tiles when its first frame is asked for    after   runtime/codec/clip.h; host_tools/clip/FORMAT.md */
#ifndef TIDEPOOL_TPC_H
#define TIDEPOOL_TPC_H
#include "../../runtime/codec/clip.h"
#include "formats.h"

#define TPC_COLUMNS     16u
#define TPC_GROUP_BYTES (512u << 20) /* frames beyond that begin another group */
#define TPC_ROTATION    1e-4         /* bound of a quaternion's component, when other streams have one */
#define TPC_KEY_USUAL   64u

/* ---- how streams of points are streams of a clip (tpc_columns.c) */
typedef struct tpc_column {
    const char *name, *cloth_name;
    uint8_t stream;     /* POINT_LOCATION, ... */
    uint8_t word;       /* of its element, the first of the column */
    uint8_t components; /* words */
    bool is_float;
} tpc_column;
extern const tpc_column tpc_columns[TPC_COLUMNS];
extern const char *const tpc_extra_names[EXTRA_TYPES]; /* streams of bytes; NULL: there is none of the type */
#define TPC_TIMES "life" /* f32 x 3, once: birth, death and lifetime, of all points */
const char *tpc_column_name(const tpc_column *column, uint32_t type);
/* Word `c` of a column of the element at `from`, and back; two 16-bit numbers are a word, the first one the lower half. */
uint32_t tpc_load_word(const tpc_column *column, uint32_t c, const uint8_t *from);
void tpc_store_word(const tpc_column *column, uint32_t c, uint8_t *to, uint32_t word);

/* ---- a group in memory (tpc_group.c) */
typedef struct tpc_bytes {
    uint8_t *bytes; /* NULL: none */
    uint32_t size;
} tpc_bytes;
typedef struct tpc_group {
    uint32_t frames, frames_max, step, slots, tiles, tile_room;
    int32_t first;
    uint32_t columns;            /* mask */
    uint8_t variant;             /* TPC_DEPTH, TPC_INDEX */
    uint32_t words[TPC_COLUMNS]; /* where a column begins in a tile */
    uint32_t tile_words;
    uint32_t **tile;      /* of each tile [column][frame][component][TPI_TILE_POINTS] */
    uint32_t *ids;        /* of the point in a slot */
    uint8_t *born, *gone; /* frames of the group: where it appears, and behind its last */
    uint32_t *order;      /* slots by identity; of a group that is read */
    tpc_bytes extra[TPI_TILE_FRAMES_MAX][EXTRA_TYPES];
} tpc_group;
#define TPC_DEPTH 1u
#define TPC_INDEX 2u /* the frames tell indices */
/* An empty group for at most that many frames. */
void tpc_group_start(tpc_group *group, uint32_t frames_max, uint32_t columns);
void tpc_group_free(tpc_group *group);
/* Room for a slot more; false when memory is short. */
bool tpc_group_grow(tpc_group *group, uint32_t slots);
static inline uint32_t *tpc_group_row(const tpc_group *group, uint32_t tile, uint32_t column, uint32_t frame,
                                      uint32_t c)
{
    uint32_t components = tpc_columns[column].components;
    return group->tile[tile] + group->words[column] + (size_t)(frame * components + c) * TPI_TILE_POINTS;
}
/* Puts the slots in order of their identities. False when memory is short. */
bool tpc_group_sort(tpc_group *group);
/* The points of a frame of the group. HOST_DONE, or HOST_NO_ROOM printed; HOST_DIFFERENT, nothing printed: a point is there
   twice. */
int tpc_group_frame(const tpc_group *group, uint32_t frame, host_frame *to);
/* Puts a frame behind the others. False when memory is short. */
bool tpc_group_add(tpc_group *group, const host_frame *frame);

/* ---- a clip that is read (tpc.c) */
typedef struct tpc_clip {
    FILE *stream;
    uint64_t size;
    tpi_clip clip;
    tpi_clip_storage storage;
    int8_t column[TPI_CLIP_STREAMS]; /* row of tpc_columns; -1: none */
    int8_t extra[TPI_CLIP_STREAMS];  /* extra data of that type; 0: none */
    int8_t times;                    /* stream of all points' times; 0: none */
    tpi_clip_group *groups;          /* of frames, ascending */
    size_t group_count;
    tpi_clip_group about; /* of all points; no frames: there is none */
    size_t *group_of;     /* of each frame of the sequence */
    uint8_t *room;        /* for pieces */
    uint32_t room_bytes;
    bool is_short;   /* the file ends ahead of what its header tells */
    bool has_damage; /* groups were left out */
    bool has_loaded;
    size_t loaded; /* group in memory */
    tpc_group group;
} tpc_clip;
/* The error that a call of the clip returned, at the byte that it found; `what` is read. */
int tpc_clip_error(const host_sequence *sequence, const tpc_clip *state, tpi_clip_result result);
/* A piece, in memory until the next call. */
int tpc_piece(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group, uint32_t stream,
              uint32_t piece, const uint8_t **bytes, uint32_t *size);
/* Whether a stream of a group is read where its frames, or what is known of all points, are. */
bool tpc_reads(const tpc_clip *state, const tpi_clip_group *group, uint32_t stream);
/* tpc_piece of a stream that is not read so; a tile is good to its last bit and, where its group is the one in memory, of
   the same lives, or that is an error, too. Cost: the tile is decoded. */
int tpc_check_piece(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                    uint32_t stream, uint32_t piece, const uint8_t **bytes, uint32_t *size);
/* All of them, and the lattice; HOST_DONE, or the first error printed. */
int tpc_check_stream(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                     uint32_t stream);
/* Decodes a group into state->group; HOST_DONE, or an error printed. */
int tpc_load_group(const host_sequence *sequence, tpc_clip *state, size_t number);

/* ---- the row of the registry's table (tpc.c, tpc_sink.c, tpc_verify.c, tpc_describe.c, tpc_activity.c) */
bool tpc_recognises(const uint8_t *start, size_t size);
int tpc_open(host_sequence *sequence, const char *path);
int tpc_load(host_sequence *sequence, size_t position, host_frame *frame);
void tpc_close(host_sequence *sequence);
int tpc_create(host_sink *sink, const char *path);
int tpc_write(host_sink *sink, const host_frame *frame);
int tpc_finish(host_sink *sink);
void tpc_abandon(host_sink *sink);
int tpc_verify(host_report *report, const char *path);
int tpc_describe(host_sequence *sequence);
int tpc_count_keys(host_sequence *sequence, activity *result);

#endif
