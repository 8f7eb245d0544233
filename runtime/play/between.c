/* SPDX-License-Identifier: MIT
   runtime/play/between.c - values between two frames that are kept: curves, straight lines, arcs.
   reads   kept words      writes  the caller's arrays
   memory  none      cost  O(1) a point and component
   after   PHYSICS F.3: cubic Hermite with rates; slerp on the shorter arc (Shoemake 1985), its angle by Abramowitz & Stegun
           4.4.46 (2e-8 rad) */
#include "play.h"

/* Shares are those of the way from the first frame to the second. */
typedef struct between_time {
    float share, seconds;
} between_time;

float tpi_play_share(uint64_t part, uint64_t whole)
{
    while (whole >> 24) { /* both are exact as float below 2^24 */
        whole >>= 1;
        part >>= 1;
    }
    return (float)(uint32_t)part / (float)(uint32_t)whole;
}

static float between_angle(float cosine)
{
    static const float terms[] = {-0.0012624911f, 0.0066700901f, -0.0170881256f, 0.0308918810f,
                                  -0.0501743046f, 0.0889789874f, -0.2145988016f, 1.5707963050f};
    float sum = terms[0];
    for (uint32_t i = 1; i < sizeof terms / sizeof terms[0]; i++) sum = sum * cosine + terms[i];
    return tpi_sqrt(tpi_max(1.0f - cosine, 0.0f)) * sum;
}

void tpi_play_slerp(const float a[4], const float b[4], float share, float to[4])
{
    float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    float sign = cosine < 0.0f ? -1.0f : 1.0f, of_a = 1.0f - share, of_b = share, square = 0.0f;
    cosine = tpi_min(cosine * sign, 1.0f);
    if (cosine < 0.9999995f) { /* below 1e-3 rad the chord is the arc */
        float angle = between_angle(cosine), scale = 1.0f / tpi_sin(angle);
        of_a = tpi_sin((1.0f - share) * angle) * scale;
        of_b = tpi_sin(share * angle) * scale;
    }
    for (uint32_t c = 0; c < 4; c++) {
        to[c] = a[c] * sign * of_a + b[c] * of_b;
        square += to[c] * to[c];
    }
    if (!(square > 1e-20f) || !tpi_is_finite(square)) return;
    float scale = 1.0f / tpi_sqrt(square);
    for (uint32_t c = 0; c < 4; c++) to[c] *= scale;
}

/* ---- one point of one component: values and rates on both sides ---- */

static float between_curve(const float x[2], const float v[2], const between_time *time)
{
    float u = time->share, w = 1.0f - u, rise = u * u * (3.0f - 2.0f * u);
    return x[0] + (x[1] - x[0]) * rise + (v[0] * (u * w * w) - v[1] * (u * u * w)) * time->seconds;
}

static float between_rate(const float x[2], const float v[2], const between_time *time)
{
    float u = time->share, w = 1.0f - u, mean = (x[1] - x[0]) / time->seconds;
    return mean * (6.0f * u * w) + v[0] * (w * (1.0f - 3.0f * u)) + v[1] * (u * (3.0f * u - 2.0f));
}

/* A point that only one frame has goes on, or comes from before, along its rate. */
static float between_alone(float x, float v, uint32_t side, const between_time *time)
{
    return x + v * (side ? (time->share - 1.0f) * time->seconds : time->share * time->seconds);
}

typedef struct between_planes {
    const uint32_t *own[2], *partner[2]; /* of both frames; partner null: none */
} between_planes;

static void between_load(const uint32_t *const planes[2], const tpi_play_pairs *pairs, uint32_t i,
                         float values[2])
{
    for (uint32_t s = 0; s < 2; s++)
        values[s] = pairs->sides[i] >> s & 1u ? tpi_from_bits(planes[s][pairs->slot[s][i]]) : 0.0f;
}

static float between_value(const between_planes *planes, tp_interpolation how, const tpi_play_pairs *pairs,
                           uint32_t i, const between_time *time)
{
    float own[2], other[2] = {0, 0};
    uint32_t sides = pairs->sides[i], side = sides & 1u ? 0u : 1u;
    between_load(planes->own, pairs, i, own);
    if (planes->partner[0]) between_load(planes->partner, pairs, i, other);
    bool has_seconds = time->seconds > 0.0f;
    if (sides != 3u)
        return how == TP_INTERPOLATE_HERMITE ? between_alone(own[side], other[side], side, time) : own[side];
    if (how == TP_INTERPOLATE_HERMITE && has_seconds) return between_curve(own, other, time);
    if (how == TP_INTERPOLATE_RATE && has_seconds) return between_rate(other, own, time);
    return own[0] + (own[1] - own[0]) * time->share;
}

static void between_component(const between_planes *planes, const tp_stream *stream,
                              const tpi_play_pairs *pairs, uint32_t count, const between_time *time,
                              uint32_t *to)
{
    bool is_held = stream->type != TP_STREAM_F32 || stream->interpolation == TP_INTERPOLATE_HOLD;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = pairs->sides[i] & 1u ? 0u : 1u;
        to[i] = is_held ? planes->own[side][pairs->slot[side][i]]
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
                ends[s][c] =
                    tpi_from_bits(tpi_play_words(player, sides[s].entry, word + c)[pairs->slot[s][i]]);
        if (pairs->sides[i] == 3u) tpi_play_slerp(ends[0], ends[1], share, result);
        const float *from = pairs->sides[i] == 3u ? result : pairs->sides[i] == 1u ? ends[0] : ends[1];
        for (uint32_t c = 0; c < 4; c++) to[c * stride + i] = tpi_bits(tpi_flush(from[c]));
    }
}

void tpi_between_write(const tp_player *player, uint32_t stream, const tpi_play_pairs *pairs, uint32_t count,
                       uint32_t *to, uint32_t stride)
{
    const tpi_play_show *show = &player->show;
    const tp_stream *description = &player->def.streams[stream];
    int32_t first = tpi_play_frame_of(&player->roster[show->side[0].roster], show->side[0].index);
    int32_t second = tpi_play_frame_of(&player->roster[show->side[1].roster], show->side[1].index);
    uint64_t frames = (uint64_t)((int64_t)second - first);
    uint64_t part = (uint64_t)(show->time - (int64_t)first * (int64_t)TP_TICKS_PER_FRAME);
    between_time time = {.share = tpi_play_share(part, TP_TIME(frames))};
    time.seconds = tpi_play_share(frames, 1) * player->clip.schema.seconds_a_frame;
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
            if (has_partner) planes.partner[s] = tpi_play_words(player, show->side[s].entry, partner);
        }
        between_component(&planes, description, pairs, count, &time, to + c * stride);
    }
}
