/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_sink.c - writes clips: groups of frames, tiles encoded on several threads.
   reads   host_frame                      writes  one file, when it is complete
   memory  a group (see tpc.h), 10 MB per thread    cost    see tpc_tiles.c
   after   runtime/codec, host_tools/clip; the bytes are the same for any number of threads */
#include "tpc.h"
#include "../clip/compact.h"
#include "tpc_tiles.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BITS_MAX     TPI_CLIP_BLOCK_USUAL
#define COMPACT_BLOCK_BITS 11u /* a checksum for 2048 bytes is 0.2 % of them */

typedef struct clip_sink {
    host_output file;
    FILE *
        stream; /* of the clip: that of the file, or one without a name that is packed at the end */
    uint64_t at; /* position of the stream */
    tpi_clip_schema schema;
    tpi_clip_storage storage;
    tpi_clip_writer writer;
    bool is_apart, is_compact; /* the stream has no name: its clip is packed or made compact */
    bool has_begun;
    bool is_skipping;     /* appending: all frames so far are in the file already */
    int32_t last_in_file; /* last frame in the file; -1: none */
    int8_t column[TPI_CLIP_STREAMS], extra[TPI_CLIP_STREAMS]; /* as in tpc_clip */
    uint8_t times;                                            /* stream TPC_TIMES */
    tpc_group group;
    uint32_t *ends;
    tpi_lattice lattices[TPI_CLIP_STREAMS * TPI_TILE_COMPONENTS];
    /* the range of values of each lattice */
    double low[TPI_CLIP_STREAMS * TPI_TILE_COMPONENTS],
        high[TPI_CLIP_STREAMS * TPI_TILE_COMPONENTS];
    uint32_t point_count;
} clip_sink;

static bool write_file(void *context, uint64_t offset, const void *bytes, uint32_t size)
{
    clip_sink *state = context;
    if (state->at != offset && fseeko(state->stream, (off_t)offset, SEEK_SET) != 0) return false;
    state->at = offset + size;
    return fwrite(bytes, 1, size, state->stream) == size;
}

/* Needed to append to an existing clip. */
static uint32_t read_file(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    clip_sink *state = context;
    state->at = UINT64_MAX; /* makes the next write seek */
    if (fseeko(state->stream, (off_t)offset, SEEK_SET) != 0) return 0;
    return (uint32_t)fread(bytes, 1, size, state->stream);
}

static int clip_error(const clip_sink *state, tpi_clip_result result)
{
    if (result == TPI_CLIP_STORAGE)
        return host_error(HOST_IO, state->file.name, state->writer.clip.fault, "cannot write: %s",
                          strerror(errno));
    return host_error(HOST_BAD_INPUT, state->file.name, state->writer.clip.fault, "%s: expected %s",
                      tpi_clip_text(result), state->writer.clip.expected);
}

static void free_sink(host_sink *sink)
{
    clip_sink *state = sink->state;
    if (state->is_apart && state->stream) fclose(state->stream);
    tpc_group_free(&state->group);
    free(state->storage.block[0]);
    free(state->storage.block[1]);
    free(state->ends);
    free(state);
    sink->state = NULL;
}

/* ---- streams */

static void add_stream(clip_sink *state, const char *name, tpi_clip_type type, uint32_t components,
                       bool is_once, double error)
{
    tpi_clip_stream *stream = &state->schema.stream[state->schema.stream_count++];
    stream->type = (uint8_t)type;
    stream->components = (uint8_t)components;
    stream->is_once = is_once;
    stream->error = (float)error;
    if ((double)stream->error > error)
        stream->error = nextafterf(stream->error, 0.0f); /* never above the requested bound */
    for (uint32_t i = 0; i < TPI_CLIP_NAME_BYTES && name[i]; i++) stream->name[i] = name[i];
}

static void plan_streams(const host_sink_options *options, clip_sink *state)
{
    add_stream(state, "id", TPI_CLIP_U32, 1, true, 0);
    for (uint32_t k = 0; k < TPC_COLUMNS; k++) {
        const tpc_column *column = &tpc_columns[k];
        state->column[state->schema.stream_count] = -1;
        if (!(options->streams & POINT_BIT(column->stream))) continue;
        state->column[state->schema.stream_count] = (int8_t)k;
        add_stream(state, tpc_column_name(column, options->type),
                   column->is_float ? TPI_CLIP_F32 : TPI_CLIP_U32, column->components, false,
                   column->is_float ? options->errors[column->stream] : 0);
    }
    for (uint32_t t = 1; t < EXTRA_TYPES; t++) {
        state->column[state->schema.stream_count] = -1;
        state->extra[state->schema.stream_count] = (int8_t)t;
        add_stream(state, tpc_extra_names[t], TPI_CLIP_BYTES, 0, false, 0);
    }
    state->column[state->schema.stream_count] = -1;
    state->times = state->schema.stream_count;
    add_stream(state, TPC_TIMES, TPI_CLIP_F32, 3, true, 0);
}

/* To append, the clip is also read, and its blocks may be larger. */
static int open_file(const host_sink *sink, const char *path)
{
    clip_sink *state = sink->state;
    bool goes_on = sink->options.goes_on;
    uint32_t size =
        1u << (goes_on || sink->options.block_bytes ? TPI_CLIP_BLOCK_HIGHEST : BLOCK_BITS_MAX);
    state->storage = (tpi_clip_storage){state, read_file, write_file, {NULL, NULL}, size};
    state->storage.block[0] = host_allocate(size, 1);
    if (goes_on) state->storage.block[1] = host_allocate(size, 1);
    if (!state->storage.block[0] || (goes_on && !state->storage.block[1]))
        return host_out_of_memory("a clip");
    int code =
        goes_on ? host_output_open_log(&state->file, path) : host_output_open(&state->file, path);
    if (code) return code;
    state->stream = state->file.stream;
    return HOST_DONE;
}

int tpc_create(host_sink *sink, const char *path)
{
    const host_sink_options *options = &sink->options;
    clip_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a clip");
    sink->state = state;
    state->schema.features = TPI_CLIP_Z_UP;
    state->schema.fps = options->fps > 0 && options->fps < 1e6 ? (float)options->fps : 0.0f;
    state->schema.seconds_per_frame = options->type == POINT_PARTICLES ? 0.04f : 1.0f;
    state->schema.simulation = (uint8_t)options->type;
    state->schema.key_interval =
        (uint8_t)(options->key_interval ? options->key_interval : TPC_KEY_USUAL);
    plan_streams(options, state);
    int code = open_file(sink, path);
    if (!code && (code = host_output_goes_back(&state->file)) != HOST_DONE)
        host_output_close(&state->file, false);
    if (code) free_sink(sink);
    return code;
}

/* Identifies the input: CRC-32C of the stream names and the locations of the first 4096 points.
   Independent of the byte order of the machine. */
static uint32_t epoch_of(const clip_sink *state, const host_frame *frame)
{
    const float *locations = frame ? frame->data[POINT_LOCATION] : NULL;
    uint32_t crc = 0, count = !locations ? 0 : frame->count < 4096u ? 3u * frame->count : 12288u;
    for (uint32_t s = 0; s < state->schema.stream_count; s++)
        crc = tpi_crc32c(crc, (const uint8_t *)state->schema.stream[s].name, TPI_CLIP_NAME_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[4];
        tpi_store_u32(bytes, tpi_bits(locations[i]));
        crc = tpi_crc32c(crc, bytes, sizeof bytes);
    }
    return crc;
}

/* Bytes of all values, if all frames have as many points as the first one. */
static uint64_t raw_bytes(const host_sink *sink, const host_frame *frame)
{
    const clip_sink *state = sink->state;
    uint64_t words = 0;
    for (uint32_t s = 1; s < state->times; s++) words += state->schema.stream[s].components;
    return 4u * words * (frame ? frame->count : 0u) * sink->options.write_count;
}

/* A clip of one group that has few bytes, even if nothing is gained by encoding. */
static bool may_be_compact(const host_sink *sink, const host_frame *frame)
{
    const clip_sink *state = sink->state;
    const host_sink_options *options = &sink->options;
    return !options->goes_on && !options->block_bytes && options->write_count &&
           options->write_count <= state->schema.key_interval &&
           raw_bytes(sink, frame) <= 16u * HOST_COMPACT_MAX;
}

/* Doubles the block size while that makes the container smaller: both headers take a block each,
   and a group leaves half a block unused; smaller blocks have more heads. The sum is least at the
   root of about 11 times the clip's bytes. Encoding divides those of all values by 20 within an
   error bound, and by 2 without. */
static uint32_t choose_block_bits(const host_sink *sink, const host_frame *frame)
{
    const clip_sink *state = sink->state;
    uint32_t bits = TPI_CLIP_BLOCK_LOWEST;
    if (sink->options.block_bytes) {
        while (1u << bits < sink->options.block_bytes) bits++;
        return bits;
    }
    if (may_be_compact(sink, frame)) return COMPACT_BLOCK_BITS;
    uint64_t bytes = raw_bytes(sink, frame);
    uint64_t root = state->schema.stream[1].error > 0 ? bytes / 2u : 8u * bytes;
    while (bits < BLOCK_BITS_MAX && root >> 2u * bits) bits++;
    return sink->options.write_count ? bits : BLOCK_BITS_MAX;
}

/* A clip that is packed or made compact at the end is written to a file without a name first. */
static int choose_stream(const host_sink *sink, const host_frame *frame)
{
    clip_sink *state = sink->state;
    state->is_compact = may_be_compact(sink, frame);
    if (!sink->options.is_packed && !state->is_compact) return HOST_DONE;
    FILE *apart = tmpfile();
    if (!apart)
        return host_error(HOST_IO, state->file.name, HOST_NO_OFFSET,
                          "cannot make a temporary file: %s", strerror(errno));
    state->stream = apart;
    state->is_apart = true;
    return HOST_DONE;
}

static bool same_stream(const tpi_clip_stream *a, const tpi_clip_stream *b)
{
    return memcmp(a->name, b->name, TPI_CLIP_NAME_BYTES) == 0 && a->type == b->type &&
           a->components == b->components && a->is_once == b->is_once && a->error == b->error;
}

static bool same_schema(const tpi_clip_schema *a, const tpi_clip_schema *b)
{
    bool same = a->features == b->features && a->fps == b->fps && a->simulation == b->simulation &&
                a->key_interval == b->key_interval && a->stream_count == b->stream_count;
    for (uint32_t s = 0; same && s < a->stream_count; s++)
        same = same_stream(&a->stream[s], &b->stream[s]);
    return same;
}

/* Sets last_in_file to the last frame in the file. */
static tpi_clip_result find_last(clip_sink *state)
{
    tpi_clip *clip = &state->writer.clip;
    tpi_clip_group group;
    tpi_clip_result result = TPI_CLIP_OK;
    for (uint32_t end = clip->end; !result && end > TPI_CLIP_FIRST_BLOCK; end = group.first_block) {
        result = tpi_clip_group_before(clip, &state->storage, end, &group);
        int32_t last = group.first_frame + (int32_t)(group.step * (group.frames - 1u));
        if (!result && group.kind == TPI_CLIP_FRAMES && last > state->last_in_file)
            state->last_in_file = last;
    }
    return result;
}

/* Prepares to append after the last complete group of the clip in the file. The clip must have the
   same settings and the same first frame. */
static int begin_behind(const host_sink *sink, const host_frame *frame)
{
    clip_sink *state = sink->state;
    tpi_clip *clip = &state->writer.clip;
    tpi_clip_result result = tpi_clip_open(clip, &state->storage);
    if (result) return clip_error(state, result);
    if (clip->compact)
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "the clip is compact, because it was begun without --resume: nothing can "
                          "be appended; give another name");
    if (!same_schema(&clip->schema, &state->schema))
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "the clip has other settings (streams, errors, frames of a group or "
                          "frames per second): "
                          "give those that it was begun with, or another name");
    if (frame && clip->epoch != epoch_of(state, frame))
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "the clip begins with other points, so that nothing can be appended; "
                          "give another name");
    state->point_count = clip->schema.point_count;
    state->is_skipping = true;
    result = find_last(state);
    return result ? clip_error(state, result) : HOST_DONE;
}

/* Begins to append, at the first frame that the file does not have. */
static int go_on(clip_sink *state)
{
    if (!state->is_skipping) return HOST_DONE;
    state->is_skipping = false;
    tpi_clip_result result = tpi_clip_append(&state->writer, &state->storage, INT32_MAX);
    return result ? clip_error(state, result) : HOST_DONE;
}

/* True when the file already has the frame. */
static bool has_frame(const host_sink *sink, const host_frame *frame)
{
    const clip_sink *state = sink->state;
    return state->is_skipping && frame->number <= state->last_in_file;
}

static bool is_within(uint32_t a, uint32_t b, double error)
{
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return a == b || (error > 0 && fabs((double)x - (double)y) <= error);
}

/* True when a column is equal within its bound in two frames of the same points. */
static bool same_column(const host_frame *a, const host_frame *b, const tpc_column *column,
                        double error)
{
    const uint8_t *of_a = a->data[column->stream], *of_b = b->data[column->stream];
    if (!of_a || !of_b) return !of_a == !of_b;
    size_t bytes = point_streams[column->stream].bytes;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t c = 0; c < column->components; c++)
            if (!is_within(tpc_load_word(column, c, of_a + i * bytes),
                           tpc_load_word(column, c, of_b + i * bytes), error))
                return false;
    return true;
}

static bool same_frame(const clip_sink *state, const host_frame *a, const host_frame *b)
{
    bool same = a->count == b->count;
    if (same && a->count && a->data[POINT_INDEX] && b->data[POINT_INDEX])
        same = memcmp(a->data[POINT_INDEX], b->data[POINT_INDEX], 4u * (size_t)a->count) == 0;
    for (uint32_t s = 1; same && s < state->schema.stream_count; s++)
        if (state->column[s] >= 0)
            same = same_column(a, b, &tpc_columns[state->column[s]],
                               (double)state->schema.stream[s].error);
    return same;
}

/* Compares the last frame in the file with the frame of that number now. A difference means that
   the clip is of another simulation. */
static int check_last(const host_sink *sink, const host_frame *frame)
{
    const clip_sink *state = sink->state;
    host_sequence file;
    host_frame kept;
    size_t position;
    int code = host_sequence_open(&file, state->file.path, sink->format);
    if (code) return code;
    bool is_there = host_sequence_find(&file, (int32_t)frame->number, &position);
    if (is_there) code = host_sequence_load(&file, position, &kept);
    if (is_there && !code) {
        is_there = same_frame(state, frame, &kept);
        host_frame_free(&kept);
    }
    host_sequence_close(&file);
    if (code || is_there) return code;
    return host_error(
        HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
        "frame %d, the clip's last, has other points than now: the clip is of another simulation; "
        "give the input that it was begun with, or another name",
        (int)frame->number);
}

static int begin(const host_sink *sink, const host_frame *frame)
{
    clip_sink *state = sink->state;
    if (state->has_begun) return HOST_DONE;
    state->has_begun = true;
    state->last_in_file = -1;
    bool is_there = sink->options.goes_on && fseeko(state->stream, 0, SEEK_END) == 0 &&
                    ftello(state->stream) > 0;
    if (is_there) return begin_behind(sink, frame);
    int code = choose_stream(sink, frame);
    if (code) return code;
    state->schema.block_bits = choose_block_bits(sink, frame);
    tpi_clip_result result =
        tpi_clip_create(&state->writer, &state->storage, &state->schema, epoch_of(state, frame));
    return result ? clip_error(state, result) : HOST_DONE;
}

/* ---- lattices */

/* Range of the finite values of a component over all points of the group. False: no value is
   finite. */
static bool find_range(const tpc_group *group, uint32_t k, uint32_t c, double *low, double *high)
{
    float least = INFINITY, most = -INFINITY;
    for (uint32_t t = 0; t < group->tiles; t++)
        for (uint32_t f = 0; f < group->frames; f++) {
            const uint32_t *row = tpc_group_row(group, t, k, f, c);
            uint32_t begin = t * TPI_TILE_POINTS,
                     points = tpi_min_u32(group->slots - begin, TPI_TILE_POINTS);
            for (uint32_t p = 0; p < points; p++) {
                float value = tpi_from_bits(row[p]);
                if (f < group->born[begin + p] || f >= group->gone[begin + p]) continue;
                if (!isfinite(value)) continue;
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
        }
    *low = (double)least, *high = (double)most;
    return least <= most;
}

/* Chooses the lattice of a component. The previous group's lattice is kept while it covers the
   values, so that a point at rest keeps its quantised position. A new lattice has a margin of half
   the range on each side, or none when floats are too coarse for that. False: floats are too coarse
   for the error bound. */
static bool choose_lattice(clip_sink *state, uint32_t s, uint32_t c)
{
    uint32_t at = s * TPI_TILE_COMPONENTS + c;
    double low, high, error = (double)state->schema.stream[s].error;
    if (!find_range(&state->group, (uint32_t)state->column[s], c, &low, &high)) low = high = 0;
    if (state->lattices[at].quarter > 0.0f && low >= state->low[at] && high <= state->high[at])
        return true;
    double around = 0.5 * (high - low);
    state->low[at] = low - around, state->high[at] = high + around;
    if (host_lattice(state->low[at], state->high[at], error, &state->lattices[at])) return true;
    state->low[at] = low, state->high[at] = high;
    return host_lattice(low, high, error, &state->lattices[at]);
}

/* How to encode a stream: with lattices, or exactly when floats are too coarse for its bound. */
static host_tile_kind kind_of(clip_sink *state, uint32_t s)
{
    const tpi_clip_stream *stream = &state->schema.stream[s];
    host_tile_kind kind = {.is_float = stream->type == TPI_CLIP_F32,
                           .error = (double)stream->error};
    bool fits = true;
    if (!tpi_clip_has_lattice(stream)) return kind;
    for (uint32_t c = 0; c < stream->components; c++) fits = choose_lattice(state, s, c) && fits;
    for (uint32_t c = 0; c < stream->components; c++) {
        tpi_lattice *lattice = &state->lattices[s * TPI_TILE_COMPONENTS + c];
        if (!fits) *lattice = (tpi_lattice){0, 0};
        kind.lattice[c] = *lattice;
    }
    if (!fits) kind.error = 0;
    return kind;
}

/* ---- tiles */

static int put_tile(void *context, const uint8_t *bytes, uint32_t size)
{
    clip_sink *state = context;
    tpi_clip_result result =
        tpi_clip_put(&state->writer, &state->storage, state->ends, bytes, size);
    return result ? clip_error(state, result) : host_guard_check(state->file.name);
}

static int put_tiles(clip_sink *state, const tpc_tiles *tiles)
{
    return tpc_encode_tiles(tiles, &state->writer.clip.schema.required);
}

/* Tiles of a stream that is stored once. */
static tpc_tiles tiles_once(const host_sink *sink, const uint32_t *words, uint32_t components,
                            bool is_float)
{
    clip_sink *state = sink->state;
    return (tpc_tiles){.group = &state->group,
                       .kind = {.is_float = is_float},
                       .count = tpi_clip_tiles(&state->writer.group),
                       .components = components,
                       .frames = 1,
                       .words = words,
                       .slots = state->writer.group.slots,
                       .jobs = tpi_max_u32(sink->options.jobs, 1),
                       .context = state,
                       .put = put_tile};
}

/* ---- groups */

/* Writes the identities. A tile whose identities equal its slot numbers has no bytes. */
static int put_ids(const host_sink *sink)
{
    clip_sink *state = sink->state;
    const tpc_group *group = &state->group;
    tpc_tiles tiles = tiles_once(sink, group->ids, 1, false);
    tiles.count = 1;
    for (uint32_t t = 0; t < group->tiles; t++) {
        bool is_plain = true;
        uint32_t begin = t * TPI_TILE_POINTS, end = begin + TPI_TILE_POINTS;
        for (uint32_t slot = begin; slot < end && slot < group->slots; slot++)
            is_plain = is_plain && group->ids[slot] == slot;
        tiles.first = t;
        int code = is_plain ? put_tile(state, NULL, 0) : put_tiles(state, &tiles);
        if (code) return code;
    }
    return HOST_DONE;
}

static int put_extra(clip_sink *state, uint32_t type)
{
    tpi_clip_result result = TPI_CLIP_OK;
    for (uint32_t f = 0; !result && f < state->group.frames; f++) {
        const tpc_bytes *extra = &state->group.extra[f][type];
        result =
            tpi_clip_put(&state->writer, &state->storage, state->ends, extra->bytes, extra->size);
    }
    return result ? clip_error(state, result) : HOST_DONE;
}

static uint32_t streams_of(const clip_sink *state)
{
    uint32_t streams = 1u;
    for (uint32_t s = 1; s < state->schema.stream_count; s++) {
        if (state->column[s] >= 0 && state->group.columns >> state->column[s] & 1u)
            streams |= 1u << s;
        for (uint32_t f = 0; state->extra[s] && f < state->group.frames; f++)
            if (state->group.extra[f][state->extra[s]].bytes) streams |= 1u << s;
    }
    return streams;
}

static int begin_group(clip_sink *state)
{
    tpi_clip_result result = tpi_clip_group_begin(&state->writer);
    if (result) return clip_error(state, result);
    free(state->ends);
    state->ends = host_allocate(state->writer.group.pieces, sizeof *state->ends);
    return state->ends ? HOST_DONE : host_out_of_memory("a directory");
}

static int end_group(clip_sink *state)
{
    tpi_clip_result result =
        tpi_clip_group_end(&state->writer, &state->storage, state->ends, state->lattices);
    if (!result && fflush(state->stream) != 0) result = TPI_CLIP_STORAGE;
    return result ? clip_error(state, result) : HOST_DONE;
}

/* Skips a group that the file already has. Only chooses its lattices, which the next group may
   keep. */
static int pass_group(clip_sink *state)
{
    uint32_t streams = streams_of(state);
    for (uint32_t s = 1; s < state->schema.stream_count; s++)
        if (streams >> s & 1u && !state->extra[s]) kind_of(state, s);
    tpc_group_free(&state->group);
    return HOST_DONE;
}

static int flush_group(host_sink *sink)
{
    clip_sink *state = sink->state;
    tpc_group *group = &state->group;
    if (!group->frames) return HOST_DONE;
    if (state->is_skipping) return pass_group(state);
    state->writer.group = (tpi_clip_group){.kind = TPI_CLIP_FRAMES,
                                           .variant = group->variant,
                                           .first_frame = group->first,
                                           .step = group->step,
                                           .frames = group->frames,
                                           .slots = group->slots};
    state->writer.group.streams = streams_of(state);
    int code = begin_group(state);
    if (!code) code = put_ids(sink);
    for (uint32_t s = 1; !code && s < state->schema.stream_count; s++) {
        if (!(state->writer.group.streams >> s & 1u)) continue;
        if (state->extra[s]) {
            code = put_extra(state, (uint32_t)state->extra[s]);
            continue;
        }
        tpc_tiles tiles = tiles_once(sink, NULL, state->schema.stream[s].components, false);
        tiles.kind = kind_of(state, s);
        tiles.column = (uint32_t)state->column[s];
        tiles.frames = group->frames;
        code = put_tiles(state, &tiles);
    }
    if (!code) code = end_group(state);
    tpc_group_free(group);
    return code;
}

/* ---- frames */

static uint32_t columns_of(const clip_sink *state, const host_frame *frame)
{
    uint32_t columns = 0;
    for (uint32_t s = 1; s < state->schema.stream_count; s++) {
        bool has = state->column[s] >= 0 &&
                   (frame->streams & POINT_BIT(tpc_columns[state->column[s]].stream));
        if (has) columns |= 1u << state->column[s];
    }
    return columns;
}

/* True when a frame can be appended to the group: same columns and variant, the same interval. */
static bool belongs(const tpc_group *group, const host_frame *frame, uint32_t columns,
                    uint8_t variant)
{
    int64_t step =
        (int64_t)frame->number - group->first - (int64_t)group->step * (group->frames - 1u);
    if (group->frames == group->frames_max || group->columns != columns ||
        group->variant != variant)
        return false;
    return group->frames == 1u ? step > 0 && step <= INT32_MAX : step == group->step;
}

/* A sequence shorter than a group gets memory for its frames only. */
static int start_group(const host_sink *sink, const host_frame *frame, uint32_t columns,
                       uint8_t variant)
{
    clip_sink *state = sink->state;
    uint64_t words = 1, frames = state->schema.key_interval;
    if (sink->options.write_count && sink->options.write_count < frames)
        frames = sink->options.write_count;
    for (uint32_t k = 0; k < TPC_COLUMNS; k++)
        words += columns >> k & 1u ? tpc_columns[k].components : 0;
    uint64_t each = 4u * words * (frame->count + 1ull);
    if (frames > TPC_GROUP_BYTES / each) frames = TPC_GROUP_BYTES / each;
    tpc_group_start(&state->group, frames ? (uint32_t)frames : 1u, columns);
    state->group.first = (int32_t)frame->number;
    state->group.variant = variant;
    return HOST_DONE;
}

int tpc_write(host_sink *sink, const host_frame *frame)
{
    clip_sink *state = sink->state;
    tpc_group *group = &state->group;
    uint32_t columns = columns_of(state, frame);
    uint8_t variant = (uint8_t)((frame->depth ? TPC_DEPTH : 0u) |
                                (frame->streams & POINT_BIT(POINT_INDEX) ? TPC_INDEX : 0u));
    int code = host_guard_check(state->file.name);
    if (!code) code = begin(sink, frame);
    if (code) return code;
    bool is_there = has_frame(sink, frame), is_first_new = state->is_skipping && !is_there;
    if (is_there && frame->number == state->last_in_file) code = check_last(sink, frame);
    if (!code && group->frames && (is_first_new || !belongs(group, frame, columns, variant)))
        code = flush_group(sink);
    if (!code && is_first_new) code = go_on(state);
    if (!code && !group->frames) code = start_group(sink, frame, columns, variant);
    if (code) return code;
    if (group->frames == 1u) group->step = (uint32_t)((int64_t)frame->number - group->first);
    const uint32_t *indices = frame->data[POINT_INDEX];
    uint32_t highest = frame->count ? indices[frame->count - 1u] : 0;
    if (frame->count && highest >= state->point_count) state->point_count = host_index_end(highest);
    return tpc_group_add(group, frame) ? HOST_DONE : host_out_of_memory("a group of frames");
}

/* ---- data of all points */

static bool has_info_extra(const host_sink_options *options, uint32_t type)
{
    return options->info_extra && options->info_extra[type].bytes;
}

static int put_times(host_sink *sink)
{
    clip_sink *state = sink->state;
    uint32_t *words = tpc_arrange_times(&sink->options, state->writer.group.slots);
    if (!words) return host_out_of_memory("birth and death");
    tpc_tiles tiles = tiles_once(sink, words, 3, true);
    int code = put_tiles(state, &tiles);
    free(words);
    return code;
}

static int put_about(host_sink *sink)
{
    clip_sink *state = sink->state;
    const host_sink_options *options = &sink->options;
    bool has_times = options->times && options->point_count;
    uint32_t streams = 1u | (has_times ? 1u << state->times : 0u);
    host_frame about = {.count = 0};
    for (uint32_t s = 1; s < state->schema.stream_count; s++)
        if (state->extra[s] && has_info_extra(options, (uint32_t)state->extra[s]))
            streams |= 1u << s;
    if (streams == 1u) return HOST_DONE;
    for (uint32_t t = 0; options->info_extra && t < EXTRA_TYPES; t++)
        about.extra[t] = options->info_extra[t];
    tpc_group_start(&state->group, 1, 0);
    if (!tpc_group_add(&state->group, &about)) return host_out_of_memory("a clip");
    uint32_t slots = has_times ? tpc_count_times(options, state->point_count) : 0;
    if (has_times && slots < options->point_count)
        state->writer.clip.schema.required |= TPI_CLIP_SAME_LIVES;
    state->writer.group = (tpi_clip_group){
        .kind = TPI_CLIP_ABOUT, .step = 1, .frames = 1, .slots = slots, .streams = streams};
    int code = begin_group(state);
    for (uint32_t t = 0; !code && t < tpi_clip_tiles(&state->writer.group); t++) {
        tpi_clip_result result =
            tpi_clip_put(&state->writer, &state->storage, state->ends, NULL, 0);
        if (result) code = clip_error(state, result);
    }
    for (uint32_t s = 1; !code && s < state->schema.stream_count; s++) {
        if (!(streams >> s & 1u)) continue;
        code = s == state->times ? put_times(sink) : put_extra(state, (uint32_t)state->extra[s]);
    }
    return code ? code : end_group(state);
}

int tpc_finish(host_sink *sink)
{
    clip_sink *state = sink->state;
    int code = begin(sink, NULL);
    if (!code && state->is_skipping) code = flush_group(sink);
    if (!code) code = go_on(state);
    if (!code) code = flush_group(sink);
    if (!code) code = put_about(sink);
    if (!code) {
        bool knows = sink->options.point_count > state->point_count;
        state->writer.clip.schema.point_count =
            knows ? sink->options.point_count : state->point_count;
        tpi_clip_result result = tpi_clip_close(&state->writer, &state->storage);
        if (result) code = clip_error(state, result);
    }
    if (!code && sink->options.is_packed)
        code = tpc_write_packed(state->stream, state->is_compact, state->file.stream,
                                state->file.name);
    else if (!code && state->is_compact)
        code = tpc_write_compact(state->stream, state->file.stream, state->file.name);
    int closed = host_output_close(&state->file, !code);
    free_sink(sink);
    return code ? code : closed;
}

void tpc_abandon(host_sink *sink)
{
    clip_sink *state = sink->state;
    host_output_close(&state->file, false);
    free_sink(sink);
}
