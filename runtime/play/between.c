/* SPDX-License-Identifier: MIT
   runtime/play/between.c - interpolates between two kept frames: Hermite curves, lines, rotations.
   reads   kept words      writes  the caller's arrays
   memory  none      cost  O(1) per point and component
   after   cubic Hermite interpolation (base/curve.c); rotations: spherical linear interpolation */
#include "play.h"

/* share, 0..1: interpolation parameter; seconds: from the first frame to the second. */
typedef struct between_time {
    float share, seconds;
} between_time;

/* ---- one point of one component: values and rates on both sides ---- */

/* A point that is in only one of the frames: linear extrapolation by its rate. */
static float between_alone(float x, float v, uint32_t side, const between_time *time)
{
    return x + v * (side ? (time->share - 1.0f) * time->seconds : time->share * time->seconds);
}

typedef struct between_planes {
    const uint32_t *own[2], *partner[2]; /* in both frames; null if there is no partner stream */
} between_planes;

static void between_load(const uint32_t *const planes[2], const tpi_play_pairs *pairs, uint32_t i,
                         float values[2])
{
    for (uint32_t s = 0; s < 2; s++)
        values[s] = pairs->sides[i] >> s & 1u ? tpi_from_bits(planes[s][pairs->slot[s][i]]) : 0.0f;
}

static float between_value(const between_planes *planes, tp_interpolation how,
                           const tpi_play_pairs *pairs, uint32_t i, const between_time *time)
{
    float own[2], other[2] = {0, 0};
    uint32_t sides = pairs->sides[i], side = sides & 1u ? 0u : 1u;
    between_load(planes->own, pairs, i, own);
    if (planes->partner[0]) between_load(planes->partner, pairs, i, other);
    bool has_seconds = time->seconds > 0.0f;
    if (sides != 3u)
        return how == TP_INTERPOLATE_HERMITE ? between_alone(own[side], other[side], side, time)
                                             : own[side];
    if (how == TP_INTERPOLATE_HERMITE && has_seconds)
        return tpi_curve(own[0], own[1], other[0], other[1], time->share, time->seconds);
    if (how == TP_INTERPOLATE_RATE && has_seconds)
        return tpi_curve_rate(other[0], other[1], own[0], own[1], time->share, time->seconds);
    return own[0] + (own[1] - own[0]) * time->share;
}

/* Linear interpolation of a run: consecutive slots in both frames. A function of its own, so that
   compilers vectorise it. */
static void between_line(const uint32_t *restrict first, const uint32_t *restrict second,
                         uint32_t count, float share, uint32_t *restrict to)
{
    for (uint32_t i = 0; i < count; i++) {
        float a = tpi_from_bits(first[i]), b = tpi_from_bits(second[i]);
        to[i] = tpi_bits(tpi_flush(a + (b - a) * share));
    }
}

static void between_component(const between_planes *planes, const tp_stream *stream,
                              const tpi_play_pairs *pairs, uint32_t count, const between_time *time,
                              uint32_t *to)
{
    bool is_held = stream->type != TP_STREAM_F32 || stream->interpolation == TP_INTERPOLATE_HOLD;
    bool is_line = !is_held && !planes->partner[0];
    if (is_line && pairs->is_run && count) {
        between_line(planes->own[0] + pairs->slot[0][0], planes->own[1] + pairs->slot[1][0], count,
                     time->share, to);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = pairs->sides[i] & 1u ? 0u : 1u;
        to[i] =
            is_held
                ? planes->own[side][pairs->slot[side][i]]
                : tpi_bits(tpi_flush(between_value(planes, stream->interpolation, pairs, i, time)));
    }
}

static void between_rotations(const tp_player *player, uint32_t word, const tpi_play_pairs *pairs,
                              uint32_t count, float share, uint32_t *to, uint32_t stride)
{
    const tpi_play_side *sides = player->show.side;
    for (uint32_t i = 0; i < count; i++) {
        float ends[2][4], result[4] = {0};
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t c = 0; c < 4 && (pairs->sides[i] >> s & 1u); c++)
                ends[s][c] = tpi_from_bits(
                    tpi_play_words(player, sides[s].entry, word + c)[pairs->slot[s][i]]);
        if (pairs->sides[i] == 3u) tpi_slerp(ends[0], ends[1], share, result);
        const float *from = pairs->sides[i] == 3u   ? result
                            : pairs->sides[i] == 1u ? ends[0]
                                                    : ends[1];
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a pair has one side or both */
        for (uint32_t c = 0; c < 4; c++) to[c * stride + i] = tpi_bits(tpi_flush(from[c]));
    }
}

void tpi_between_write(const tp_player *player, uint32_t stream, const tpi_play_pairs *pairs,
                       uint32_t count, uint32_t *to, uint32_t stride)
{
    const tpi_play_show *show = &player->show;
    const tp_stream *description = &player->def.streams[stream];
    int32_t first = tpi_play_frame_of(&player->roster[show->side[0].roster], show->side[0].index);
    int32_t second = tpi_play_frame_of(&player->roster[show->side[1].roster], show->side[1].index);
    uint64_t frames = (uint64_t)((int64_t)second - first);
    uint64_t part = (uint64_t)(show->time - (int64_t)first * (int64_t)TP_TICKS_PER_FRAME);
    between_time time = {.share = tpi_share_of(part, TP_TIME(frames))};
    time.seconds = tpi_share_of(frames, 1) * player->clip.schema.seconds_per_frame;
    uint32_t word = player->shape.first_word[stream];
    if (description->interpolation == TP_INTERPOLATE_SLERP) {
        between_rotations(player, word, pairs, count, time.share, to, stride);
        return;
    }
    bool has_partner = description->interpolation == TP_INTERPOLATE_HERMITE ||
                       description->interpolation == TP_INTERPOLATE_RATE;
    for (uint32_t c = 0; c < description->components; c++) {
        between_planes planes = {{NULL, NULL}, {NULL, NULL}};
        for (uint32_t s = 0; s < 2; s++) {
            uint32_t partner = has_partner ? player->shape.first_word[description->partner] + c : 0;
            planes.own[s] = tpi_play_words(player, show->side[s].entry, word + c);
            if (has_partner)
                planes.partner[s] = tpi_play_words(player, show->side[s].entry, partner);
        }
        between_component(&planes, description, pairs, count, &time, to + c * stride);
    }
}
