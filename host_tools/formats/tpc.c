/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc.c - reads clips: opening lists all groups; one group at a time is decoded.
   reads   .tpc                            writes  host_frame
   memory  see tpc.h                       cost    a block per group to open; decodes a group to
           load a frame
   after   runtime/codec; nothing in a file is trusted */
#include "tpc.h"
#include "../clip/compact.h"
#include "../clip/pack.h"
#include "../clip/tile.h"
#include <stdlib.h>
#include <string.h>

#define BLOCK_MAX (1u << TPI_CLIP_BLOCK_HIGHEST)

bool tpc_recognises(const uint8_t *start, size_t size)
{
    return (size >= 4 && memcmp(start, "TPCH", 4) == 0) || host_compact_recognises(start, size) ||
           host_pack_recognises(start, size);
}

int tpc_clip_error(const host_sequence *sequence, const tpc_clip *state, tpi_clip_result result)
{
    int code = result == TPI_CLIP_STORAGE ? HOST_IO : HOST_BAD_INPUT;
    return host_error(code, sequence->path, state->clip.fault, "%s: expected %s",
                      tpi_clip_text(result), state->clip.expected);
}

/* ---- the file */

static uint32_t read_file(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    FILE *stream = context;
    if (fseeko(stream, (off_t)offset, SEEK_SET) != 0) return 0;
    return (uint32_t)fread(bytes, 1, size, stream);
}

static int open_file(host_sequence *sequence, const char *path, tpc_clip *state)
{
    int code = host_sequence_open_file(sequence, path, &state->stream);
    state->size = sequence->byte_count;
    if (!code) code = tpc_open_packed(sequence, state);
    state->storage = (tpi_clip_storage){state->stream, read_file, NULL, {NULL, NULL}, BLOCK_MAX};
    for (int k = 0; !code && k < 2; k++)
        if (!(state->storage.block[k] = host_allocate(BLOCK_MAX, 1)))
            code = host_out_of_memory("a clip");
    return code;
}

/* ---- streams */

static bool is_column(const tpi_clip_stream *stream, const tpc_column *column, uint32_t type)
{
    tpi_clip_type word = column->is_float ? TPI_CLIP_F32 : TPI_CLIP_U32;
    return strncmp(stream->name, tpc_column_name(column, type), TPI_CLIP_NAME_BYTES) == 0 &&
           stream->type == word && stream->components == column->components && !stream->is_once;
}

static bool is_extra(const tpi_clip_stream *stream, uint32_t type)
{
    return tpc_extra_names[type] &&
           strncmp(stream->name, tpc_extra_names[type], TPI_CLIP_NAME_BYTES) == 0 &&
           stream->type == TPI_CLIP_BYTES && !stream->is_once;
}

static bool is_times(const tpi_clip_stream *stream)
{
    return strncmp(stream->name, TPC_TIMES, TPI_CLIP_NAME_BYTES) == 0 &&
           stream->type == TPI_CLIP_F32 && stream->components == 3u && stream->is_once &&
           stream->error == 0.0f;
}

/* Maps a clip stream to a column, extra data or the times. False: unknown, or the second one of its
   name. */
static bool name_stream(const host_sequence *sequence, tpc_clip *state, uint32_t s)
{
    const tpi_clip_stream *stream = &state->clip.schema.stream[s];
    int8_t column = -1, extra = 0;
    for (uint32_t k = 0; k < TPC_COLUMNS; k++)
        if (is_column(stream, &tpc_columns[k], sequence->type)) column = (int8_t)k;
    for (uint32_t t = 1; t < EXTRA_TYPES; t++)
        if (is_extra(stream, t)) extra = (int8_t)t;
    for (uint32_t before = 1; before < s; before++) {
        if (column >= 0 && state->column[before] == column) return false;
        if (extra && state->extra[before] == extra) return false;
    }
    state->column[s] = column;
    state->extra[s] = extra;
    if (column >= 0 || extra) return true;
    if (!is_times(stream) || state->times) return false;
    state->times = (int8_t)s;
    return true;
}

/* Maps all clip streams. Of several with one name the first is used, as players do; the others are
   skipped.
   */
static void name_streams(const host_sequence *sequence, tpc_clip *state)
{
    for (uint32_t s = 1; s < state->clip.schema.stream_count; s++) {
        state->column[s] = -1;
        if (!name_stream(sequence, state, s))
            host_note(sequence->path, HOST_NO_OFFSET, "stream \"%.*s\" is unknown and ignored",
                      (int)TPI_CLIP_NAME_BYTES, state->clip.schema.stream[s].name);
    }
}

static int check_type(host_sequence *sequence, const tpc_clip *state)
{
    sequence->type = state->clip.schema.simulation;
    if (sequence->type < POINT_TYPES && sequence->type != POINT_SMOKE &&
        sequence->type != POINT_SMOKE_HIGHRES)
        return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sequence->path, TPI_CLIP_HEAD_BYTES + 54u,
                      "expected a simulation type with points, found type %u", sequence->type);
}

/* ---- groups */

/* Mask of the columns in a group. */
static uint32_t columns_of(const tpc_clip *state, const tpi_clip_group *group)
{
    uint32_t columns = 0;
    for (uint32_t s = 1; s < state->clip.schema.stream_count; s++)
        if (group->streams >> s & 1u && state->column[s] >= 0) columns |= 1u << state->column[s];
    return columns;
}

/* Skips damage before block `end`, searching backwards. Returns the block at which the search for
   groups continues: the end of the next intact last block of a group, or the first block of the
   damaged group when any of its other blocks can be read. */
static uint32_t skip_damage(tpc_clip *state, uint32_t end)
{
    tpi_clip_head head;
    for (end--; end > TPI_CLIP_FIRST_BLOCK; end--) {
        if (tpi_clip_load(&state->clip, &state->storage, end - 1u, 1u) != TPI_CLIP_OK) continue;
        tpi_clip_head_of(&state->clip, state->storage.block[1], end - 1u, &head);
        return head.kind == TPI_CLIP_KIND_END ? end : head.group;
    }
    return TPI_CLIP_FIRST_BLOCK;
}

static int add_group(tpc_clip *state, const tpi_clip_group *group, size_t *capacity)
{
    tpi_clip_group *groups =
        host_lengthen(state->groups, state->group_count, capacity, sizeof *groups);
    if (!groups) return host_out_of_memory("the groups of a clip");
    state->groups = groups;
    state->groups[state->group_count++] = *group;
    return HOST_DONE;
}

static int check_order(const host_sequence *sequence, const tpc_clip *state,
                       const tpi_clip_group *group)
{
    if (!state->group_count || group->kind != TPI_CLIP_FRAMES) return HOST_DONE;
    const tpi_clip_group *later = &state->groups[state->group_count - 1u];
    int64_t last = group->first_frame + (int64_t)group->step * (group->frames - 1u);
    if (last < later->first_frame) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sequence->path,
                      tpi_clip_block_at(&state->clip, group->last_block),
                      "expected ascending frames, found frame %lld before frame %d",
                      (long long)last, (int)later->first_frame);
}

/* The number of the block after the last whole one in the file. */
static uint32_t end_in_file(const tpc_clip *state)
{
    uint32_t number = TPI_CLIP_FIRST_BLOCK;
    if (!state->clip.compact) return (uint32_t)(state->size >> state->clip.schema.block_bits);
    while (number < state->clip.end && tpi_clip_block_end(&state->clip, number) <= state->size)
        number++;
    return number < state->clip.about ? TPI_CLIP_FIRST_BLOCK : state->clip.about;
}

/* Compares the file's size with the header. A truncated clip has lost its last groups: `end`
   becomes the last block in the file. */
static int check_size(const host_sequence *sequence, tpc_clip *state)
{
    uint32_t bits = state->clip.schema.block_bits;
    uint64_t end = tpi_clip_block_end(&state->clip, state->clip.end - 1u);
    if (end < state->size && state->clip.is_closed)
        host_doubt(sequence->path, end, "%llu bytes after the end of the clip are ignored",
                   (unsigned long long)(state->size - end));
    if (end <= state->size) return HOST_DONE;
    int code =
        host_error(HOST_BAD_INPUT, sequence->path, state->size,
                   "expected %u blocks of %u bytes as the header says, but the file ends here",
                   state->clip.end, 1u << bits);
    state->is_short = true;
    state->clip.end = end_in_file(state);
    return sequence->leaves_out ? HOST_DONE : code;
}

/* Lists the groups from the last to the first, then reverses the list. With `leaves_out` damaged
   groups are skipped. */
static int list_groups(host_sequence *sequence, tpc_clip *state)
{
    size_t capacity = 0;
    tpi_clip_group group;
    for (uint32_t end = state->clip.end; end > TPI_CLIP_FIRST_BLOCK;) {
        tpi_clip_result result = tpi_clip_group_before(&state->clip, &state->storage, end, &group);
        /* check_size has reported it */
        bool is_cut = result && state->is_short && end == state->clip.end;
        int code = is_cut   ? HOST_BAD_INPUT
                   : result ? tpc_clip_error(sequence, state, result)
                            : check_order(sequence, state, &group);
        if (code && !sequence->leaves_out) return code;
        if (code) {
            state->has_damage = true;
            end = result ? skip_damage(state, end) : group.first_block;
            continue;
        }
        end = group.first_block;
        if (group.kind == TPI_CLIP_ABOUT && !state->about.frames) state->about = group;
        if (group.kind != TPI_CLIP_FRAMES) continue;
        code = add_group(state, &group, &capacity);
        if (code) return code;
    }
    for (size_t i = 0; i < state->group_count / 2u; i++) {
        tpi_clip_group *other = &state->groups[state->group_count - 1u - i];
        group = state->groups[i], state->groups[i] = *other, *other = group;
    }
    return HOST_DONE;
}

static int list_frames(host_sequence *sequence, tpc_clip *state)
{
    size_t count = 0;
    for (size_t g = 0; g < state->group_count; g++) count += state->groups[g].frames;
    sequence->numbers = host_allocate(count, sizeof *sequence->numbers);
    state->group_of = host_allocate(count, sizeof *state->group_of);
    if (!sequence->numbers || !state->group_of) return host_out_of_memory("the list of frames");
    for (size_t g = 0; g < state->group_count; g++) {
        const tpi_clip_group *group = &state->groups[g];
        uint32_t columns = columns_of(state, group);
        for (uint32_t f = 0; f < group->frames; f++) {
            state->group_of[sequence->frame_count] = g;
            sequence->numbers[sequence->frame_count++] =
                (int32_t)(group->first_frame + (int64_t)group->step * f);
        }
        if (group->variant & TPC_INDEX) sequence->streams |= POINT_BIT(POINT_INDEX);
        for (uint32_t k = 0; k < TPC_COLUMNS; k++)
            if (columns >> k & 1u) sequence->streams |= POINT_BIT(tpc_columns[k].stream);
    }
    return HOST_DONE;
}

/* ---- pieces */

int tpc_piece(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
              uint32_t stream, uint32_t piece, const uint8_t **bytes, uint32_t *size)
{
    /* at most the file's size: a group's tail was checked */
    if (group->piece_max > state->buffer_bytes) {
        free(state->buffer);
        state->buffer_bytes = 0;
        state->buffer = host_allocate(group->piece_max, 1);
        if (!state->buffer) return host_out_of_memory("a tile");
        state->buffer_bytes = group->piece_max;
    }
    tpi_clip_result result = tpi_clip_piece(&state->clip, &state->storage, group, stream, piece,
                                            state->buffer, state->buffer_bytes, bytes, size);
    return result ? tpc_clip_error(sequence, state, result) : HOST_DONE;
}

static int tile_error(const host_sequence *sequence, const tpc_clip *state,
                      const tpi_clip_group *group, uint32_t stream, uint32_t tile, const char *what)
{
    return host_error(HOST_BAD_INPUT, sequence->path, state->clip.piece_at,
                      "frames from %d, %.*s of points %u to %u: %s", (int)group->first_frame,
                      (int)TPI_CLIP_NAME_BYTES, state->clip.schema.stream[stream].name,
                      tile * TPI_TILE_POINTS, tile * TPI_TILE_POINTS + TPI_TILE_POINTS - 1u, what);
}

static uint32_t points_of(const tpi_clip_group *group, uint32_t tile)
{
    uint32_t left = group->slots - tile * TPI_TILE_POINTS;
    return left < TPI_TILE_POINTS ? left : TPI_TILE_POINTS;
}

/* True when a tile has the numbers of points, frames and components of its group. */
static bool tile_fits(const tpc_clip *state, const tpi_clip_group *group, uint32_t stream,
                      uint32_t tile, const tpi_tile_header *header)
{
    const tpi_clip_stream *of = &state->clip.schema.stream[stream];
    return header->points == points_of(group, tile) &&
           header->frames == (of->is_once ? 1u : group->frames) &&
           header->components == of->components;
}

static int open_tile(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                     uint32_t stream, uint32_t tile, tpi_tile_reader *reader, const uint8_t **bytes)
{
    uint32_t size;
    int code = tpc_piece(sequence, state, group, stream, tile, bytes, &size);
    if (code) return code;
    if (!tpi_tile_open(reader, *bytes, size))
        return tile_error(sequence, state, group, stream, tile, "no tile begins here");
    if (tile_fits(state, group, stream, tile, &reader->header)) return HOST_DONE;
    return tile_error(sequence, state, group, stream, tile,
                      "expected a tile with the points, frames and components of its group");
}

static int load_ids(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                    uint32_t tile, uint32_t *ids)
{
    tpi_tile_reader reader;
    const uint8_t *bytes;
    uint32_t size, words[TPI_TILE_POINTS];
    const tpi_lattice none = {0, 0};
    int code = tpc_piece(sequence, state, group, 0, tile, &bytes, &size);
    for (uint32_t p = 0; p < points_of(group, tile); p++) ids[p] = tile * TPI_TILE_POINTS + p;
    if (code || !size) return code;
    code = open_tile(sequence, state, group, 0, tile, &reader, &bytes);
    if (code) return code;
    if (!tpi_tile_read(&reader, bytes) || !tpi_tile_is_whole(&reader) || reader.header.has_lives)
        return tile_error(sequence, state, group, 0, tile, "the tile is damaged");
    tpi_tile_words(&reader, 0, &none, false, words);
    memcpy(ids, words, points_of(group, tile) * sizeof *ids);
    return HOST_DONE;
}

/* ---- a group */

static bool has_lives_of(const tpc_group *group, uint32_t tile, const tpi_tile_reader *reader)
{
    uint32_t at = tile * TPI_TILE_POINTS, points = reader->header.points;
    return memcmp(group->born + at, reader->first, points) == 0 &&
           memcmp(group->gone + at, reader->end, points) == 0;
}

/* The points of all columns must be present in the same frames; the first column sets them. */
static bool same_lives(tpc_group *group, uint32_t tile, const tpi_tile_reader *reader,
                       bool is_first)
{
    uint32_t at = tile * TPI_TILE_POINTS, points = reader->header.points;
    if (!is_first) return has_lives_of(group, tile, reader);
    memcpy(group->born + at, reader->first, points);
    memcpy(group->gone + at, reader->end, points);
    return true;
}

static int load_tile(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *from,
                     uint32_t stream, uint32_t tile, const tpi_lattice *lattice, bool is_first)
{
    tpi_tile_reader reader;
    const uint8_t *bytes;
    tpc_group *group = &state->group;
    uint32_t k = (uint32_t)state->column[stream];
    int code = open_tile(sequence, state, from, stream, tile, &reader, &bytes);
    if (code) return code;
    if (!same_lives(group, tile, &reader, is_first))
        return tile_error(sequence, state, from, stream, tile,
                          "expected points in the same frames as in the group's first stream");
    for (uint32_t f = 0; f < from->frames; f++) {
        if (!tpi_tile_read(&reader, bytes))
            return tile_error(sequence, state, from, stream, tile, "the tile is damaged");
        for (uint32_t c = 0; c < reader.header.components; c++)
            tpi_tile_words(&reader, c, &lattice[c], tpc_columns[k].is_float,
                           tpc_group_row(group, tile, k, f, c));
    }
    return tpi_tile_is_whole(&reader) ? HOST_DONE
                                      : tile_error(sequence, state, from, stream, tile,
                                                   "the tile does not end where it should");
}

static int load_column(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *from,
                       uint32_t stream, bool is_first)
{
    tpi_lattice lattice[TPI_TILE_COMPONENTS] = {{0, 0}};
    if (tpi_clip_has_lattice(&state->clip.schema.stream[stream])) {
        tpi_clip_result result =
            tpi_clip_lattice(&state->clip, &state->storage, from, stream, lattice);
        if (result) return tpc_clip_error(sequence, state, result);
    }
    for (uint32_t t = 0; t < state->group.tiles; t++) {
        int code = load_tile(sequence, state, from, stream, t, lattice, is_first);
        if (code) return code;
    }
    return HOST_DONE;
}

static int load_extra(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *from,
                      uint32_t stream, uint32_t f, tpc_bytes *to)
{
    const uint8_t *bytes;
    uint32_t size, each = extra_bytes[state->extra[stream]];
    int code = tpc_piece(sequence, state, from, stream, f, &bytes, &size);
    if (code || !size) return code;
    if (size < 4u || (size - 4u) % each || (size - 4u) / each != tpi_load_u32(bytes))
        return host_error(
            HOST_BAD_INPUT, sequence->path, state->clip.piece_at,
            "frame %lld: %u bytes of %s, expected a count and as many elements of %u bytes",
            (long long)from->first_frame + (long long)from->step * f, size,
            tpc_extra_names[state->extra[stream]], each);
    to->bytes = host_allocate(size, 1);
    if (!to->bytes) return host_out_of_memory("a frame");
    memcpy(to->bytes, bytes, size);
    to->size = size;
    return HOST_DONE;
}

static int load_streams(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *from)
{
    tpc_group *group = &state->group;
    bool is_first = true;
    int code = HOST_DONE;
    for (uint32_t t = 0; !code && t < group->tiles; t++)
        code = load_ids(sequence, state, from, t, group->ids + t * TPI_TILE_POINTS);
    for (uint32_t s = 1; !code && s < state->clip.schema.stream_count; s++) {
        if (!(from->streams >> s & 1u)) continue;
        if (state->column[s] >= 0) {
            code = load_column(sequence, state, from, s, is_first);
            is_first = false;
        }
        for (uint32_t f = 0; !code && state->extra[s] && f < from->frames; f++)
            code = load_extra(sequence, state, from, s, f, &group->extra[f][state->extra[s]]);
    }
    if (!code && is_first && group->slots)
        code = host_error(
            HOST_BAD_INPUT, sequence->path,
            (uint64_t)from->last_block << state->clip.schema.block_bits,
            "frames from %d: points, but no stream that stores in which frames they are present",
            (int)from->first_frame);
    return code;
}

int tpc_load_group(const host_sequence *sequence, tpc_clip *state, size_t number)
{
    const tpi_clip_group *from = &state->groups[number];
    if (state->has_loaded && state->loaded == number) return HOST_DONE;
    state->has_loaded = false;
    tpc_group_free(&state->group);
    tpc_group_start(&state->group, from->frames, columns_of(state, from));
    state->group.frames = from->frames;
    state->group.first = from->first_frame;
    state->group.step = from->step;
    state->group.variant = from->variant;
    int code = tpc_group_grow(&state->group, from->slots) ? HOST_DONE
                                                          : host_out_of_memory("a group of frames");
    if (!code) code = load_streams(sequence, state, from);
    if (!code && !tpc_group_sort(&state->group)) code = host_out_of_memory("a group of frames");
    if (code) return code;
    state->has_loaded = true;
    state->loaded = number;
    return HOST_DONE;
}

/* ---- streams that loading does not decode */

bool tpc_reads(const tpc_clip *state, const tpi_clip_group *group, uint32_t stream)
{
    bool is_one = group->frames == 1u; /* extra data is read from the first frame only */
    if (group->kind == TPI_CLIP_ABOUT)
        return stream && (stream == (uint32_t)state->times || (state->extra[stream] && is_one));
    return !stream || state->column[stream] >= 0 || state->extra[stream];
}

/* True when a tile can be decoded to its last bit and its points live as in the group in memory. */
static bool is_whole(const tpc_clip *state, const tpi_clip_group *group, uint32_t stream,
                     uint32_t tile, const uint8_t *bytes, uint32_t size)
{
    tpi_tile_reader reader;
    bool is_loaded = state->has_loaded && group == &state->groups[state->loaded];
    bool has_lives = is_loaded && !state->clip.schema.stream[stream].is_once;
    bool good = tpi_tile_open(&reader, bytes, size) &&
                tile_fits(state, group, stream, tile, &reader.header);
    if (good && has_lives) good = has_lives_of(&state->group, tile, &reader);
    while (good && reader.frame < reader.header.frames) good = tpi_tile_read(&reader, bytes);
    return good && tpi_tile_is_whole(&reader);
}

int tpc_check_piece(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                    uint32_t stream, uint32_t piece, const uint8_t **bytes, uint32_t *size)
{
    int code = tpc_piece(sequence, state, group, stream, piece, bytes, size);
    bool has_tiles = state->clip.schema.stream[stream].type != TPI_CLIP_BYTES;
    /* no bytes: identities equal slot numbers */
    if (code || !has_tiles || (!stream && !*size)) return code;
    if (is_whole(state, group, stream, piece, *bytes, *size)) return HOST_DONE;
    return tile_error(sequence, state, group, stream, piece, "the tile is damaged");
}

int tpc_check_stream(const host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                     uint32_t stream)
{
    tpi_lattice lattice[TPI_TILE_COMPONENTS];
    tpi_clip_result result = TPI_CLIP_OK;
    if ((group->streams >> stream & 1u) && tpi_clip_has_lattice(&state->clip.schema.stream[stream]))
        result = tpi_clip_lattice(&state->clip, &state->storage, group, stream, lattice);
    int code = result ? tpc_clip_error(sequence, state, result) : HOST_DONE;
    for (uint32_t p = 0; !code && p < tpi_clip_pieces(&state->clip, group, stream); p++) {
        const uint8_t *bytes;
        uint32_t size;
        code = tpc_check_piece(sequence, state, group, stream, p, &bytes, &size);
    }
    return code;
}

/* ---- frames */

int tpc_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    tpc_clip *state = sequence->state;
    size_t number = state->group_of[position];
    const tpi_clip_group *group = &state->groups[number];
    int code = tpc_load_group(sequence, state, number);
    if (code) return code;
    int64_t f = ((int64_t)sequence->numbers[position] - group->first_frame) / group->step;
    code = tpc_group_frame(&state->group, (uint32_t)f, frame);
    if (code != HOST_DIFFERENT) return code;
    return host_error(HOST_BAD_INPUT, sequence->path,
                      (uint64_t)group->first_block << state->clip.schema.block_bits,
                      "frame %d has a point twice", (int)sequence->numbers[position]);
}

/* ---- data of all points */

static int load_times(host_sequence *sequence, tpc_clip *state, const tpi_clip_group *about)
{
    uint32_t tiles = tpi_clip_tiles(about), stream = (uint32_t)state->times;
    const tpi_lattice none = {0, 0};
    uint32_t points = about->slots, all = state->clip.schema.point_count;
    bool are_same = points && state->clip.schema.required & TPI_CLIP_SAME_LIVES;
    if (are_same && all > points && all <= TPC_SAME_LIVES_MAX) points = all;
    sequence->times = host_allocate(points, 3 * sizeof *sequence->times);
    if (!sequence->times) return host_out_of_memory("birth and death");
    for (uint32_t t = 0; t < tiles; t++) {
        tpi_tile_reader reader;
        const uint8_t *bytes;
        int code = open_tile(sequence, state, about, stream, t, &reader, &bytes);
        if (code) return code;
        if (!tpi_tile_read(&reader, bytes) || !tpi_tile_is_whole(&reader))
            return tile_error(sequence, state, about, stream, t, "the tile is damaged");
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t words[TPI_TILE_POINTS];
            tpi_tile_words(&reader, c, &none, true, words);
            for (uint32_t p = 0; p < reader.header.points; p++)
                memcpy(sequence->times + (size_t)(t * TPI_TILE_POINTS + p) * 3 + c, &words[p],
                       sizeof *words);
        }
    }
    for (uint32_t i = about->slots; i < points; i++) /* as the last point that has them */
        memcpy(sequence->times + 3u * (size_t)i, sequence->times + 3u * (size_t)(i - 1u),
               3u * sizeof *sequence->times);
    sequence->point_count = points;
    return HOST_DONE;
}

static int load_info_extra(host_sequence *sequence, tpc_clip *state, const tpi_clip_group *about,
                           uint32_t stream)
{
    tpc_bytes extra = {NULL, 0};
    host_extra *to = &sequence->info_extra[state->extra[stream]];
    int code = load_extra(sequence, state, about, stream, 0, &extra);
    if (code || !extra.bytes) return code;
    to->count = tpi_load_u32(extra.bytes);
    memmove(extra.bytes, extra.bytes + 4, extra.size - 4u);
    for (uint32_t at = 0; at + 4u < extra.size; at += 4) {
        uint32_t word = tpi_load_u32(extra.bytes + at);
        memcpy(extra.bytes + at, &word, sizeof word);
    }
    to->bytes = extra.bytes;
    return HOST_DONE;
}

/* Loads the data of all points. With `leaves_out` damaged data is skipped. */
static int load_about(host_sequence *sequence, tpc_clip *state, tpi_clip_group *about)
{
    int code = HOST_DONE;
    if (!about->frames) return HOST_DONE;
    if (state->times && about->streams >> state->times & 1u)
        code = load_times(sequence, state, about);
    for (uint32_t s = 1; !code && s < state->clip.schema.stream_count; s++)
        if (state->extra[s] && about->streams >> s & 1u)
            code = load_info_extra(sequence, state, about, s);
    if (code != HOST_BAD_INPUT || !sequence->leaves_out) return code;
    about->frames = 0;
    free(sequence->times);
    sequence->times = NULL;
    return HOST_DONE;
}

/* Sets point_count from the header, else from the highest identity. Damage that is skipped here is
   reported with the frames. */
static int count_points(host_sequence *sequence, tpc_clip *state)
{
    sequence->point_count = state->clip.schema.point_count;
    if (sequence->point_count) return HOST_DONE;
    for (size_t g = 0; g < state->group_count; g++)
        for (uint32_t t = 0; t < tpi_clip_tiles(&state->groups[g]); t++) {
            uint32_t ids[TPI_TILE_POINTS];
            host_listener deaf;
            if (sequence->leaves_out) host_listen_to_nothing(&deaf);
            int code = load_ids(sequence, state, &state->groups[g], t, ids);
            if (sequence->leaves_out) host_listen_end();
            if (code && (code != HOST_BAD_INPUT || !sequence->leaves_out)) return code;
            for (uint32_t p = 0; !code && p < points_of(&state->groups[g], t); p++)
                if (ids[p] >= sequence->point_count) sequence->point_count = host_index_end(ids[p]);
        }
    return HOST_DONE;
}

int tpc_open(host_sequence *sequence, const char *path)
{
    tpc_clip *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a clip");
    sequence->state = state;
    int code = open_file(sequence, path, state);
    if (code) return code;
    tpi_clip_result result = tpi_clip_open(&state->clip, &state->storage);
    if (result) return tpc_clip_error(sequence, state, result);
    code = check_type(sequence, state);
    if (code) return code;
    name_streams(sequence, state);
    sequence->compression = "exact";
    sequence->fps = (double)state->clip.schema.fps;
    for (uint32_t s = 0; s < state->clip.schema.stream_count; s++) {
        double error = (double)state->clip.schema.stream[s].error;
        if (!(error > 0)) continue;
        sequence->compression = "bounded";
        if (state->column[s] >= 0) sequence->errors[tpc_columns[state->column[s]].stream] = error;
    }
    if (!state->clip.is_closed)
        host_doubt(path, tpi_clip_block_at(&state->clip, state->clip.end),
                   "the clip was not closed; data after its last complete group is ignored");
    code = check_size(sequence, state);
    if (!code) code = list_groups(sequence, state);
    if (!code) code = list_frames(sequence, state);
    if (!code) code = count_points(sequence, state);
    if (!code) code = load_about(sequence, state, &state->about);
    return code;
}

void tpc_close(host_sequence *sequence)
{
    tpc_clip *state = sequence->state;
    if (!state) return;
    if (state->stream) fclose(state->stream);
    tpc_group_free(&state->group);
    free(state->storage.block[0]);
    free(state->storage.block[1]);
    free(state->groups);
    free(state->group_of);
    free(state->buffer);
    free(state);
    sequence->state = NULL;
}
