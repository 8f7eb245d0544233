/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_verify.c - clips: what is wrong with one, and where its bytes are.
   reads   .tpc                            writes  faults to a report; text
   memory  that of reading                 cost    O(bytes); to verify, every tile is decoded
   after   own design */
#include "tpc.h"
#include "verify.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- faults */

static void check_header(host_report *report, const host_sequence *sequence, tpc_clip *state, uint32_t number)
{
    tpi_clip_head head;
    uint32_t size = tpi_clip_block_bytes(&state->clip);
    uint64_t at = (uint64_t)number * size;
    state->clip.loaded[0] = UINT32_MAX;
    uint8_t *block = state->storage.block[0];
    bool good = state->storage.read(state->storage.context, at, block, size) == size &&
                tpi_clip_unseal(block, size, &head) && head.kind == TPI_CLIP_KIND_HEADER &&
                head.number == number && head.epoch == state->clip.epoch;
    if (good && state->clip.generation - head.group <= 1u) return;
    host_fault(report, sequence->path, at, "the other header is used",
               good ? "header %u is of another time than the other one" : "header %u is damaged", number);
}

static void check_counts(host_report *report, const host_sequence *sequence, const tpc_clip *state)
{
    const tpi_clip *clip = &state->clip;
    uint64_t end = (uint64_t)clip->end << clip->schema.block_bits;
    if (state->is_short) return; /* told when it was opened */
    if (!clip->is_closed) {
        host_fault(report, sequence->path, end, "frames behind the last whole group are not there",
                   "the clip was not closed, and ends here");
        return;
    }
    if (state->size > end)
        host_fault(report, sequence->path, end, "they are left out", "%llu bytes follow the end of the clip",
                   (unsigned long long)(state->size - end));
    uint32_t slots = 0;
    for (size_t g = 0; g < state->group_count; g++)
        if (state->groups[g].slots > slots) slots = state->groups[g].slots;
    bool any = sequence->frame_count != 0;
    bool same = clip->groups == state->group_count && clip->frames == sequence->frame_count &&
                clip->slots_max >= slots &&
                (!any || (clip->first_frame == sequence->numbers[0] &&
                          clip->last_frame == sequence->numbers[sequence->frame_count - 1]));
    if (same) return;
    host_fault(report, sequence->path, TPI_CLIP_HEAD_BYTES + 20u, "the header's word is not taken for it",
               "the header tells of %u frames in %u groups, but there are %zu in %zu", clip->frames,
               clip->groups, sequence->frame_count, state->group_count);
}

/* True when all blocks of a group are good. */
static bool check_blocks(host_report *report, const host_sequence *sequence, tpc_clip *state,
                         const tpi_clip_group *group)
{
    bool good = true;
    for (uint32_t block = group->first_block; block <= group->last_block; block++) {
        tpi_clip_result result = tpi_clip_load(&state->clip, &state->storage, block, 0);
        if (!result) continue;
        good = false;
        host_fault(report, sequence->path, state->clip.fault, "convert refuses the frames of the group",
                   "block %u of the group of frame %d is damaged: expected %s", block,
                   (int)group->first_frame, state->clip.expected);
    }
    return good;
}

static void check_frames(host_report *report, host_sequence *sequence, size_t number)
{
    tpc_clip *state = sequence->state;
    for (size_t f = 0; f < sequence->frame_count; f++) {
        host_frame frame;
        host_fault_listener listener;
        if (state->group_of[f] != number) continue;
        host_faults_begin(&listener, report, "convert refuses it");
        int code = host_sequence_load(sequence, f, &frame);
        host_listen_end();
        if (code == HOST_NO_ROOM) report->code = code;
        if (code) return;
        const uint32_t *indices = frame.data[POINT_INDEX];
        if (frame.count && indices[frame.count - 1] >= sequence->point_count)
            host_fault(report, sequence->path, TPI_CLIP_HEAD_BYTES + 56u, "the point is read all the same",
                       "frame %.9g has a point %u, but the header tells of %u points", frame.number,
                       indices[frame.count - 1], sequence->point_count);
        report->frames++;
        report->points += frame.count;
        host_verify_values(report, sequence->path, &frame, NULL, false);
        host_frame_free(&frame);
    }
}

/* Pieces of streams that we do not know are found all the same. */
static void check_pieces(host_report *report, const host_sequence *sequence, tpc_clip *state,
                         const tpi_clip_group *group)
{
    host_fault_listener listener;
    int code = HOST_DONE;
    host_faults_begin(&listener, report, "convert refuses it");
    for (uint32_t s = 0; !code && s < state->clip.schema.stream_count; s++)
        for (uint32_t p = 0; !code && p < tpi_clip_pieces(&state->clip, group, s); p++) {
            const uint8_t *bytes;
            uint32_t size;
            code = tpc_piece(sequence, state, group, s, p, &bytes, &size);
        }
    host_listen_end();
}

int tpc_verify(host_report *report, const char *path)
{
    host_sequence sequence;
    host_fault_listener listener;
    report->sequences++;
    report->files++;
    host_faults_begin(&listener, report, "convert refuses it");
    int code = host_sequence_open_sound(&sequence, path, host_format_named("tpc"));
    host_listen_end();
    if (code == HOST_IO || code == HOST_NO_ROOM) report->code = code;
    if (code) return HOST_DONE;
    tpc_clip *state = sequence.state;
    for (uint32_t number = 0; number < TPI_CLIP_FIRST_BLOCK; number++)
        check_header(report, &sequence, state, number);
    check_counts(report, &sequence, state);
    for (size_t g = 0; g < state->group_count; g++) {
        if (!check_blocks(report, &sequence, state, &state->groups[g])) continue;
        check_pieces(report, &sequence, state, &state->groups[g]);
        check_frames(report, &sequence, g);
    }
    if (state->about.frames && check_blocks(report, &sequence, state, &state->about))
        check_pieces(report, &sequence, state, &state->about);
    host_sequence_close(&sequence);
    return HOST_DONE;
}

/* ---- where the bytes are */

typedef struct stream_sum {
    uint64_t bytes, tiles, samples;
    uint64_t modes[TPI_TILE_RAW + 2u]; /* components of tiles by mode; the last: coded with every bit */
} stream_sum;

static void sum_tile(stream_sum *sum, const tpi_tile_reader *reader)
{
    for (uint32_t c = 0; c < reader->header.components; c++) {
        const tpi_tile_component *component = &reader->header.component[c];
        bool is_exact = component->mode == TPI_TILE_CODED && component->is_exact;
        sum->modes[is_exact ? TPI_TILE_RAW + 1u : component->mode]++;
    }
    for (uint32_t p = 0; p < reader->header.points; p++)
        sum->samples += (uint64_t)(reader->end[p] - reader->first[p]);
}

static int sum_group(host_sequence *sequence, tpc_clip *state, const tpi_clip_group *group, stream_sum *sums)
{
    tpi_tile_reader reader;
    for (uint32_t s = 0; s < state->clip.schema.stream_count; s++) {
        bool is_tiles = state->clip.schema.stream[s].type != TPI_CLIP_BYTES;
        for (uint32_t p = 0; p < tpi_clip_pieces(&state->clip, group, s); p++) {
            const uint8_t *bytes;
            uint32_t size;
            int code = tpc_piece(sequence, state, group, s, p, &bytes, &size);
            if (code) return code;
            sums[s].bytes += size;
            sums[s].tiles++;
            if (is_tiles && tpi_tile_open(&reader, bytes, size)) sum_tile(&sums[s], &reader);
        }
    }
    return HOST_DONE;
}

/* Frames with extra data. */
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

static void print_stream(const tpi_clip_stream *stream, const stream_sum *sum, bool is_first, char **text,
                         char **json)
{
    char name[TPI_CLIP_NAME_BYTES + 1] = "", error[32] = "exact";
    memcpy(name, stream->name, TPI_CLIP_NAME_BYTES);
    for (char *letter = name; *letter; letter++) /* foreign bytes */
        if (*letter < ' ' || *letter > '~' || *letter == '"' || *letter == '\\') *letter = '?';
    if (stream->error > 0.0f) snprintf(error, sizeof error, "error %.4g", (double)stream->error);
    *text = added(*text, "\n               %-11s %llu bytes", name, (unsigned long long)sum->bytes);
    if (sum->samples)
        *text = added(*text, ", %.3f a point and %s", (double)sum->bytes / (double)sum->samples,
                      stream->is_once ? "group" : "frame");
    *text = added(*text, ", %s", error);
    if (sum->samples)
        *text = added(
            *text, "; tiles' components: %llu still, %llu coded, %llu coded exactly, %llu raw",
            (unsigned long long)sum->modes[TPI_TILE_CONSTANT], (unsigned long long)sum->modes[TPI_TILE_CODED],
            (unsigned long long)sum->modes[TPI_TILE_RAW + 1u], (unsigned long long)sum->modes[TPI_TILE_RAW]);
    *json = added(
        *json,
        "%s{\"name\": \"%s\", \"bytes\": %llu, \"error\": %.9g, \"pieces\": %llu, \"samples\": %llu, "
        "\"still\": %llu, \"coded\": %llu, \"exact\": %llu, \"raw\": %llu}",
        is_first ? "" : ", ", name, (unsigned long long)sum->bytes, (double)stream->error,
        (unsigned long long)sum->tiles, (unsigned long long)sum->samples,
        (unsigned long long)sum->modes[TPI_TILE_CONSTANT], (unsigned long long)sum->modes[TPI_TILE_CODED],
        (unsigned long long)sum->modes[TPI_TILE_RAW + 1u], (unsigned long long)sum->modes[TPI_TILE_RAW]);
}

int tpc_describe(host_sequence *sequence)
{
    tpc_clip *state = sequence->state;
    const tpi_clip *clip = &state->clip;
    stream_sum sums[TPI_CLIP_STREAMS];
    double error = 0;
    memset(sums, 0, sizeof sums);
    for (size_t g = 0; g < state->group_count; g++) {
        int code = sum_group(sequence, state, &state->groups[g], sums);
        if (!code) code = count_extra(sequence, state, &state->groups[g]);
        if (code) return code;
    }
    int about = state->about.frames ? sum_group(sequence, state, &state->about, sums) : HOST_DONE;
    if (about) return about;
    for (uint32_t s = 0; s < clip->schema.stream_count; s++)
        if (state->column[s] == 0) error = (double)clip->schema.stream[s].error;
    char *text = host_text("%zu group%s of at most %u frames in %u blocks of %u bytes, %s",
                           state->group_count, state->group_count == 1 ? "" : "s", clip->schema.key_interval,
                           clip->end, tpi_clip_block_bytes(clip), clip->is_closed ? "closed" : "not closed");
    char *json = host_text(
        ", \"error\": %.9g, \"key_interval\": %u, \"groups\": %zu, \"blocks\": %u, \"block_bytes\": %u, "
        "\"closed\": %s, \"fps\": %.9g, \"stream_bytes\": [",
        error, clip->schema.key_interval, state->group_count, clip->end, tpi_clip_block_bytes(clip),
        clip->is_closed ? "true" : "false", (double)clip->schema.fps);
    for (uint32_t s = 0; s < clip->schema.stream_count; s++)
        if (s == 0 || sums[s].bytes) print_stream(&clip->schema.stream[s], &sums[s], s == 0, &text, &json);
    sequence->detail = text;
    sequence->json = added(json, "]");
    return text && sequence->json ? HOST_DONE : host_no_room("a description");
}
