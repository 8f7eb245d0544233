/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_verify.c - verifies clips.
   reads   .tpc                            writes  faults to a report
   memory  that of reading                 cost    O(bytes): every tile is decoded
   after   own design */
#include "tpc.h"
#include "verify.h"
#include <stdlib.h>
#include <string.h>

/* ---- faults */

static void check_header(host_report *report, const host_sequence *sequence, tpc_clip *state,
                         uint32_t number)
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
               good ? "header %u is more than one write older than the other one"
                    : "header %u is damaged",
               number);
}

static void check_counts(host_report *report, const host_sequence *sequence, const tpc_clip *state)
{
    const tpi_clip *clip = &state->clip;
    if (state->is_short || state->has_damage || !clip->is_closed) return; /* reported by opening */
    uint32_t slots = 0;
    for (size_t g = 0; g < state->group_count; g++)
        if (state->groups[g].slots > slots) slots = state->groups[g].slots;
    bool any = sequence->frame_count != 0;
    bool same = clip->groups == state->group_count && clip->frames == sequence->frame_count &&
                clip->slots_max >= slots &&
                (!any || (clip->first_frame == sequence->numbers[0] &&
                          clip->last_frame == sequence->numbers[sequence->frame_count - 1]));
    if (same) return;
    host_fault(report, sequence->path, TPI_CLIP_HEAD_BYTES + 20u, "the header's counts are ignored",
               "expected %u frames in %u groups as the header says, found %zu in %zu", clip->frames,
               clip->groups, sequence->frame_count, state->group_count);
}

/* Checks all blocks of a group; true when they are good. `is_read`: the group could be loaded, so
   the damage is in data that loading does not read. */
static bool check_blocks(host_report *report, const host_sequence *sequence, tpc_clip *state,
                         const tpi_clip_group *group, bool is_read)
{
    char whose[40] = "the data of all points";
    bool good = true;
    if (group->kind == TPI_CLIP_FRAMES)
        snprintf(whose, sizeof whose, "the group of frame %d", (int)group->first_frame);
    for (uint32_t block = group->first_block; block <= group->last_block; block++) {
        tpi_clip_result result = tpi_clip_load(&state->clip, &state->storage, block, 0);
        if (!result) continue;
        good = false;
        host_fault(report, sequence->path, state->clip.fault,
                   is_read ? "convert skips the data in it"
                           : "convert refuses the frames of the group",
                   "block %u of %s is damaged: expected %s", block, whose, state->clip.expected);
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
        if (code == HOST_OUT_OF_MEMORY) report->code = code;
        if (code) return;
        const uint32_t *indices = frame.data[POINT_INDEX];
        if (frame.count && indices[frame.count - 1] >= sequence->point_count)
            host_fault(report, sequence->path, TPI_CLIP_HEAD_BYTES + 56u,
                       "the point is read nevertheless",
                       "frame %.10g has a point %u, but the header says %u points", frame.number,
                       indices[frame.count - 1], sequence->point_count);
        report->frames++;
        report->points += frame.count;
        host_verify_values(report, sequence->path, &frame, NULL, false);
        host_frame_free(&frame);
    }
}

/* Reports the first damage of each stream that loading does not decode. Players decode those with
   values per frame. */
static void check_left_out(host_report *report, const host_sequence *sequence, tpc_clip *state,
                           const tpi_clip_group *group)
{
    int code = HOST_DONE;
    for (uint32_t s = 0; !code && s < state->clip.schema.stream_count; s++) {
        const tpi_clip_stream *stream = &state->clip.schema.stream[s];
        bool is_played =
            group->kind == TPI_CLIP_FRAMES && !stream->is_once && stream->type != TPI_CLIP_BYTES;
        host_fault_listener listener;
        if (tpc_reads(state, group, s)) continue;
        host_faults_begin(&listener, report,
                          is_played ? "a player refuses it, convert skips it" : "convert skips it");
        code = tpc_check_stream(sequence, state, group, s);
        host_listen_end();
    }
    if (code == HOST_OUT_OF_MEMORY) report->code = code;
}

static void check_group(host_report *report, host_sequence *sequence, size_t number)
{
    tpc_clip *state = sequence->state;
    const tpi_clip_group *group = &state->groups[number];
    host_listener deaf; /* check_blocks and check_frames report the errors */
    host_listen_to_nothing(&deaf);
    int code = tpc_load_group(sequence, state, number);
    host_listen_end();
    bool is_read = code == HOST_DONE, good = check_blocks(report, sequence, state, group, is_read);
    if (good || is_read) check_frames(report, sequence, number);
    if (good && is_read) check_left_out(report, sequence, state, group);
}

int tpc_verify(host_report *report, const char *path)
{
    host_sequence sequence;
    host_fault_listener listener;
    host_faults_begin(&listener, report, "convert refuses it");
    int code = host_sequence_open_sound(&sequence, path, host_format_named("tpc"));
    host_listen_end();
    if (code && listener.missed) return HOST_DONE; /* nothing was checked; report->code is set */
    report->sequences++;
    report->files++;
    if (code == HOST_IO || code == HOST_OUT_OF_MEMORY) report->code = code;
    if (code) return HOST_DONE;
    tpc_clip *state = sequence.state;
    for (uint32_t number = 0; number < TPI_CLIP_FIRST_BLOCK && !state->clip.compact; number++)
        check_header(report, &sequence, state, number);
    check_counts(report, &sequence, state);
    for (size_t g = 0; g < state->group_count; g++) check_group(report, &sequence, g);
    if (state->about.frames && check_blocks(report, &sequence, state, &state->about, true))
        check_left_out(report, &sequence, state, &state->about);
    host_sequence_close(&sequence);
    return HOST_DONE;
}
