/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc.h - clips: all frames in one file, compressed in groups, within an error
           bound.
   reads   .tpc                            writes  the same
   memory  one decoded group: frames times points times 4 bytes per component, at most 512 MiB
   cost    decodes a group to load a frame    after   runtime/codec/clip.h;
           host_tools/clip/FORMAT.md */
#ifndef TIDEPOOL_TPC_H
#define TIDEPOOL_TPC_H
#include "../../runtime/codec/clip.h"
#include "formats.h"

#define TPC_COLUMNS     16u
#define TPC_GROUP_BYTES (512u << 20) /* limit on a decoded group: a larger one is split */
#define TPC_ROTATION    1e-4         /* bound of a quaternion's component, if others have one */
#define TPC_KEY_USUAL   64u          /* default number of frames in a group */

/* ---- streams of points as columns, the streams of a clip (tpc_columns.c) */
typedef struct tpc_column {
    const char *name, *cloth_name;
    uint8_t stream;     /* POINT_LOCATION, ... */
    uint8_t word;       /* index of the column's first word in an element of the stream */
    uint8_t components; /* number of words */
    bool is_float;
} tpc_column;
extern const tpc_column tpc_columns[TPC_COLUMNS];
/* The first column of a point stream. */
uint32_t tpc_column_of(uint32_t stream);
/* Names of the streams of extra data; NULL: none for this type. */
extern const char *const tpc_extra_names[EXTRA_TYPES];
#define TPC_TIMES "life" /* stored once per clip: f32 birth, death, lifetime of all points */
const char *tpc_column_name(const tpc_column *column, uint32_t type);
/* Loads word `c` of a column from the element at `from`, and stores it. Of a word of two 16-bit
   numbers the first is the lower half. */
uint32_t tpc_load_word(const tpc_column *column, uint32_t c, const uint8_t *from);
void tpc_store_word(const tpc_column *column, uint32_t c, uint8_t *to, uint32_t word);

/* ---- a group in memory (tpc_group.c) */
typedef struct tpc_bytes {
    uint8_t *bytes; /* NULL: none */
    uint32_t size;
} tpc_bytes;
typedef struct tpc_group {
    uint32_t frames, frames_max, step, slots, tiles, tile_capacity;
    int32_t first;               /* number of the first frame; the others follow every `step` */
    uint32_t columns;            /* mask */
    uint8_t variant;             /* TPC_DEPTH, TPC_INDEX */
    uint32_t words[TPC_COLUMNS]; /* index of a column's first word in a tile */
    uint32_t tile_words;
    uint32_t **tile;      /* words of each tile: [column][frame][component][TPI_TILE_POINTS] */
    uint32_t *ids;        /* identity of the point in a slot */
    uint8_t *born, *gone; /* per slot: first frame in the group, and the frame after the last */
    uint32_t *order;      /* slots sorted by identity; see tpc_group_sort and tpc_group_add */
    tpc_bytes extra[TPI_TILE_FRAMES_MAX][EXTRA_TYPES];
} tpc_group;
#define TPC_DEPTH 1u
#define TPC_INDEX 2u /* the frames store indices */
/* Sets up an empty group for at most frames_max frames. */
void tpc_group_start(tpc_group *group, uint32_t frames_max, uint32_t columns);
void tpc_group_free(tpc_group *group);
/* Grows the group to this number of slots. False when memory is short. */
bool tpc_group_grow(tpc_group *group, uint32_t slots);
/* The words of one component of a tile's points in a frame. */
static inline uint32_t *tpc_group_row(const tpc_group *group, uint32_t tile, uint32_t column,
                                      uint32_t frame, uint32_t c)
{
    uint32_t components = tpc_columns[column].components;
    return group->tile[tile] + group->words[column] +
           (size_t)(frame * components + c) * TPI_TILE_POINTS;
}
/* Fills `order`: the slots sorted by identity. False when memory is short. */
bool tpc_group_sort(tpc_group *group);
/* Copies the points of one frame to `to`. HOST_DONE; HOST_OUT_OF_MEMORY with the error printed;
   HOST_DIFFERENT, without a message, when a point occurs twice. */
int tpc_group_frame(const tpc_group *group, uint32_t frame, host_frame *to);
/* Appends a frame. False when memory is short. */
bool tpc_group_add(tpc_group *group, const host_frame *frame);

/* ---- reading a clip (tpc.c) */
typedef struct tpc_clip {
    FILE *stream;
    uint64_t size;
    uint64_t packed_size; /* of the file, if it is packed; 0: it is not */
    tpi_clip clip;
    tpi_clip_storage storage;
    int8_t column[TPI_CLIP_STREAMS]; /* row of tpc_columns; -1: none */
    int8_t extra[TPI_CLIP_STREAMS];  /* type of extra data; 0: none */
    int8_t times;                    /* stream TPC_TIMES; 0: none */
    tpi_clip_group *groups;          /* groups of frames, ascending */
    size_t group_count;
    tpi_clip_group about; /* the group with data of all points; no frames: none */
    size_t *group_of;     /* group of each frame of the sequence */
    uint8_t *buffer;      /* for a piece */
    uint32_t buffer_bytes;
    bool is_short;   /* the file is shorter than its header says */
    bool has_damage; /* damaged groups were skipped */
    bool has_loaded;
    size_t loaded; /* index of the group in memory */
    tpc_group group;
} tpc_clip;
/* If the file is a packed clip (host_tools/clip/pack.h): unpacks it into a file without a name,
   which becomes state->stream. HOST_DONE, or an error printed. O(bytes of the clip) */
int tpc_open_packed(const host_sequence *sequence, tpc_clip *state);
/* More points are not given the birth and death of the last one: in a damaged clip their number may
   be any. */
#define TPC_SAME_LIVES_MAX (1u << 24)
/* The number of points whose birth and death have to be stored: those of all later ones are as the
   last one's. The frames have `points` points. */
uint32_t tpc_count_times(const host_sink_options *options, uint32_t points);
/* Arranges the times of points as tiles of three components: birth, death, lifetime. To be freed;
   null: not enough memory. */
uint32_t *tpc_arrange_times(const host_sink_options *options, uint32_t count);
/* Writes the clip in `plain` to `to`, packed; with a note plain, if it cannot be packed. With
   `is_compact`, unpacking gives it in compact form, if it has one. HOST_DONE, or an error
   printed. */
int tpc_write_packed(FILE *plain, bool is_compact, FILE *to, const char *name);
/* Writes the clip in `plain` to `to`, compact if it can be (host_tools/clip/compact.h). HOST_DONE,
   or an error printed. */
int tpc_write_compact(FILE *plain, FILE *to, const char *name);
/* Packs or unpacks the clip `from` into the file `to`; neither changes a frame. HOST_DONE, or an
   error printed. */
int tpc_repack(const char *from, const char *to, bool packs);
/* Prints the error that a call of runtime/codec/clip.h returned, with its byte offset. */
int tpc_clip_error(const host_sequence *sequence, const tpc_clip *state, tpi_clip_result result);
/* Reads a piece (a tile, or a frame's extra data); valid until the next call. */
int tpc_piece(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
              uint32_t stream, uint32_t piece, const uint8_t **bytes, uint32_t *size);
/* True when loading the group's frames, or the data of all points, decodes this stream. */
bool tpc_reads(const tpc_clip *state, const tpi_clip_group *group, uint32_t stream);
/* tpc_piece for a stream that loading does not decode: also decodes a tile and checks it to the
   last bit. If its group is in memory, the points must be present in the same frames. */
int tpc_check_piece(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                    uint32_t stream, uint32_t piece, const uint8_t **bytes, uint32_t *size);
/* Checks all pieces of a stream, and its lattice. HOST_DONE, or the first error printed. */
int tpc_check_stream(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                     uint32_t stream);
/* Decodes a group into state->group; HOST_DONE, or an error printed. */
int tpc_load_group(const host_sequence *sequence, tpc_clip *state, size_t number);

/* ---- the format's functions for the table in formats.c (the other tpc_*.c) */
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
