/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_describe.c - clips: sizes by stream, by mode, by tile, and of the
           container.
   reads   .tpc                            writes  text and JSON
   memory  that of reading                 cost    O(bytes); tiles are opened, not decoded
   after   own design */
#include "../common/text.h"
#include "tpc.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Modes of a tile's components in the report. Coded components count as exact or coded (within a
   bound). */
enum { MODE_STILL, MODE_CODED, MODE_EXACT, MODE_RAW, MODES };
static const char *const mode_names[MODES] = {"still", "coded", "exact", "raw"};

typedef struct piece_size {
    uint32_t bytes, piece;
    int32_t frame; /* first frame of the group */
} piece_size;

typedef struct stream_sum {
    uint64_t bytes, pieces, samples;
    uint64_t components[MODES], mode_bytes[MODES];
    uint64_t filled;              /* pieces that are not empty */
    piece_size smallest, largest; /* among these */
} stream_sum;

typedef struct clip_sum {
    stream_sum stream[TPI_CLIP_STREAMS];
    uint64_t blocks, directories; /* blocks of groups; bytes of directories and tails */
} clip_sum;

static uint32_t mode_of(const tpi_tile_component *component)
{
    if (component->mode == TPI_TILE_RAW) return MODE_RAW;
    if (component->is_exact) return MODE_EXACT;
    return component->mode == TPI_TILE_CODED ? MODE_CODED : MODE_STILL;
}

/* Divides the bytes of a tile among the modes. Raw values have bytes of their own. All other
   components share one coded stream, whose bytes count for the most expensive mode among them:
   exact, else coded, else still. */
static void sum_tile(stream_sum *sum, const tpi_tile_reader *reader)
{
    const tpi_tile_header *header = &reader->header;
    uint64_t raw = 4u * (uint64_t)header->raw_components * header->points * header->frames;
    uint32_t rest = MODE_STILL;
    for (uint32_t c = 0; c < header->components; c++) {
        uint32_t mode = mode_of(&header->component[c]);
        sum->components[mode]++;
        if (mode != MODE_RAW && mode > rest) rest = mode;
    }
    if (header->raw_components == header->components) rest = MODE_RAW;
    sum->mode_bytes[MODE_RAW] += raw;
    sum->mode_bytes[rest] += reader->size - raw;
    for (uint32_t p = 0; p < header->points; p++)
        sum->samples += (uint64_t)(reader->end[p] - reader->first[p]);
}

static void sum_piece(stream_sum *sum, const piece_size *at)
{
    sum->bytes += at->bytes;
    sum->pieces++;
    if (!at->bytes) return;
    if (!sum->filled || at->bytes < sum->smallest.bytes) sum->smallest = *at;
    if (!sum->filled || at->bytes > sum->largest.bytes) sum->largest = *at;
    sum->filled++;
}

static int sum_group(host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group,
                     clip_sum *sums)
{
    tpi_tile_reader reader;
    uint64_t words = group->pieces;
    for (uint32_t s = 0; s < state->clip.schema.stream_count; s++) {
        const tpi_clip_stream *stream = &state->clip.schema.stream[s];
        if (tpi_clip_has_lattice(stream) && group->streams >> s & 1u)
            words += 2u * stream->components;
        for (uint32_t p = 0; p < tpi_clip_pieces(&state->clip, group, s); p++) {
            const uint8_t *bytes;
            piece_size at = {.piece = p, .frame = group->first_frame};
            int code = tpc_piece(sequence, state, group, s, p, &bytes, &at.bytes);
            if (code) return code;
            sum_piece(&sums->stream[s], &at);
            if (stream->type != TPI_CLIP_BYTES && tpi_tile_open(&reader, bytes, at.bytes))
                sum_tile(&sums->stream[s], &reader);
        }
    }
    sums->blocks += group->last_block - group->first_block + 1u;
    sums->directories += 4u * words + TPI_CLIP_TAIL_BYTES;
    return HOST_DONE;
}

/* Counts the frames with extra data. */
static int count_extra(host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group)
{
    for (uint32_t f = 0; f < group->frames; f++) {
        bool any = false;
        for (uint32_t s = 1; s < state->clip.schema.stream_count; s++) {
            const uint8_t *bytes;
            uint32_t size = 0;
            if (!state->extra[s] || !(group->streams >> s & 1u)) continue;
            int code = tpc_piece(sequence, state, group, s, f, &bytes, &size);
            if (code) return code;
            any = any || size;
        }
        sequence->extra_count += any;
    }
    return HOST_DONE;
}

/* ---- text and JSON */

typedef struct description {
    char *text, *json; /* NULL: memory was short */
} description;

static char *added(char *text, const char *format, ...)
{
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *longer = text ? host_text("%s%s", text, line) : NULL;
    free(text);
    return longer;
}

static unsigned long long number(uint64_t value) { return value; }

static void print_tiles(const tpi_clip_stream *stream, const stream_sum *sum, description *to)
{
    const piece_size *most = &sum->largest;
    double mean = sum->filled ? (double)sum->bytes / (double)sum->filled : 0;
    bool is_tile = stream->type != TPI_CLIP_BYTES;
    to->json =
        added(to->json,
              ", \"tiles\": {\"count\": %llu, \"mean\": %.6g, \"smallest\": %u, \"largest\": %u",
              number(sum->filled), mean, sum->filled ? sum->smallest.bytes : 0u,
              sum->filled ? most->bytes : 0u);
    if (sum->filled)
        to->json = added(to->json, ", \"largest_frame\": %d, \"largest_piece\": %u",
                         (int)most->frame, most->piece);
    to->json = added(to->json, "}");
    const char *noun = is_tile ? "tile" : "piece";
    if (sum->filled == 1) to->text = added(to->text, "\n                           1 %s", noun);
    if (sum->filled < 2) return;
    to->text = added(
        to->text,
        "\n                           %llu %ss of %u to %u bytes, %.0f on average; the largest",
        number(sum->filled), noun, sum->smallest.bytes, most->bytes, mean);
    if (is_tile)
        to->text = added(to->text, " from frame %d, slots %u on", (int)most->frame,
                         most->piece * TPI_TILE_POINTS);
    else
        to->text = added(to->text, " of the frames from %d", (int)most->frame);
}

static void print_modes(const stream_sum *sum, description *to)
{
    const char *before = "\n                           by mode ";
    for (uint32_t m = 0; m < MODES; m++)
        to->json = added(to->json, ", \"%s\": %llu", mode_names[m], number(sum->components[m]));
    to->json = added(to->json, ", \"mode_bytes\": {");
    for (uint32_t m = 0; m < MODES; m++) {
        to->json = added(to->json, "%s\"%s\": %llu", m ? ", " : "", mode_names[m],
                         number(sum->mode_bytes[m]));
        if (!sum->components[m]) continue;
        to->text = added(to->text, "%s%s: %llu component%s", before, mode_names[m],
                         number(sum->components[m]), sum->components[m] == 1 ? "" : "s");
        if (sum->mode_bytes[m])
            to->text = added(to->text, ", %llu bytes", number(sum->mode_bytes[m]));
        before = "; ";
    }
    to->json = added(to->json, "}");
}

static void print_stream(const tpi_clip_stream *stream, const stream_sum *sum, bool is_first,
                         description *to)
{
    char name[TPI_CLIP_NAME_BYTES + 1] = "", error[32] = "exact";
    memcpy(name, stream->name, TPI_CLIP_NAME_BYTES);
    for (char *letter = text_make_readable(name); *letter; letter++)
        if (*letter == '"' || *letter == '\\') *letter = '?';
    if (stream->error > 0.0f) snprintf(error, sizeof error, "error %.4g", (double)stream->error);
    to->text = added(to->text, "\n               %-11s %llu bytes", name, number(sum->bytes));
    if (sum->samples)
        to->text =
            added(to->text, ", %.3f per point and %s", (double)sum->bytes / (double)sum->samples,
                  stream->is_once ? "group" : "frame");
    to->text = added(to->text, ", %s", error);
    to->json = added(to->json,
                     "%s{\"name\": \"%s\", \"bytes\": %llu, \"error\": %.9g, \"pieces\": %llu, "
                     "\"samples\": %llu",
                     is_first ? "" : ", ", name, number(sum->bytes), (double)stream->error,
                     number(sum->pieces), number(sum->samples));
    print_modes(sum, to);
    print_tiles(stream, sum, to);
    to->json = added(to->json, "}");
}

/* The container, all bytes outside pieces: two headers, heads of blocks, directories with tails,
   and the unused ends of blocks. */
static void print_container(const tpc_clip *state, const clip_sum *sums, description *to)
{
    bool is_compact = state->clip.compact != 0;
    uint64_t size = state->size, pieces = 0,
             headers = is_compact ? state->clip.compact
                                  : 2u * (uint64_t)tpi_clip_block_bytes(&state->clip);
    for (uint32_t s = 0; s < state->clip.schema.stream_count; s++) pieces += sums->stream[s].bytes;
    uint64_t heads = sums->blocks * (is_compact ? TPI_CLIP_CRC_BYTES : TPI_CLIP_HEAD_BYTES),
             known = headers + heads + sums->directories + pieces;
    uint64_t unused = size > known ? size - known : 0,
             all = headers + heads + sums->directories + unused;
    double share = size ? (double)all / (double)size : 0;
    to->text = added(
        to->text,
        "\n               container   %llu bytes, %.1f %%: headers %llu, heads of blocks %llu, "
        "directories %llu, ends of blocks %llu",
        number(all), 100 * share, number(headers), number(heads), number(sums->directories),
        number(unused));
    to->json = added(
        to->json,
        ", \"container\": {\"bytes\": %llu, \"share\": %.6g, \"headers\": %llu, \"heads\": %llu, "
        "\"directories\": %llu, \"unused\": %llu}",
        number(all), share, number(headers), number(heads), number(sums->directories),
        number(unused));
}

/* A packed clip: its size on disk; all other figures are those of the clip in it. */
static void print_packed(const tpc_clip *state, description *to)
{
    if (!state->packed_size) return;
    double share = state->size ? (double)state->packed_size / (double)state->size : 0;
    to->text =
        added(to->text, "\n               packed      %llu bytes, %.1f %% of the clip's %llu",
              number(state->packed_size), 100 * share, number(state->size));
    to->json = added(to->json, ", \"packed\": {\"bytes\": %llu, \"clip_bytes\": %llu}",
                     number(state->packed_size), number(state->size));
}

static void describe(const tpc_clip *state, const clip_sum *sums, description *to)
{
    const tpi_clip *clip = &state->clip;
    double error = 0;
    for (uint32_t s = 0; s < clip->schema.stream_count; s++)
        if (state->column[s] == 0) error = (double)clip->schema.stream[s].error;
    to->text =
        host_text("%zu group%s of at most %u frames in %u blocks of %u bytes, %s",
                  state->group_count, state->group_count == 1 ? "" : "s", clip->schema.key_interval,
                  clip->end, tpi_clip_block_bytes(clip), clip->is_closed ? "closed" : "not closed");
    to->json = host_text(", \"error\": %.9g, \"key_interval\": %u, \"groups\": %zu, \"blocks\": "
                         "%u, \"block_bytes\": %u, "
                         "\"closed\": %s, \"fps\": %.9g, \"stream_bytes\": [",
                         error, clip->schema.key_interval, state->group_count, clip->end,
                         tpi_clip_block_bytes(clip), clip->is_closed ? "true" : "false",
                         (double)clip->schema.fps);
    for (uint32_t s = 0; s < clip->schema.stream_count; s++)
        if (s == 0 || sums->stream[s].bytes)
            print_stream(&clip->schema.stream[s], &sums->stream[s], s == 0, to);
    to->json = added(to->json, "]");
    print_container(state, sums, to);
    print_packed(state, to);
}

int tpc_describe(host_sequence *sequence)
{
    tpc_clip *state = sequence->state;
    clip_sum sums;
    int code = HOST_DONE;
    memset(&sums, 0, sizeof sums);
    for (size_t g = 0; !code && g < state->group_count; g++) {
        code = sum_group(sequence, state, &state->groups[g], &sums);
        if (!code) code = count_extra(sequence, state, &state->groups[g]);
    }
    if (!code && state->about.frames) code = sum_group(sequence, state, &state->about, &sums);
    if (code) return code;
    description words;
    describe(state, &sums, &words);
    sequence->detail = words.text;
    sequence->json = words.json;
    return words.text && words.json ? HOST_DONE : host_out_of_memory("a description");
}
