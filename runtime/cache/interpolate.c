/* SPDX-License-Identifier: MIT
   runtime/cache/interpolate.c - interpolates particles between two recorded frames.
   reads   pairs of particles of two tiles      writes  values for display, never a state
   memory  none      cost  O(1) per particle and component
   after   cubic Hermite interpolation (base/curve.c); rotations: spherical linear interpolation */
#include "cache.h"

/* ---- streams ---- */

/* Planes of one component in both tiles, and of the partner stream (null if there is none). */
typedef struct interpolate_planes {
    const uint32_t *x[2], *partner[2];
} interpolate_planes;

static float interpolate_float(const uint32_t *plane, uint32_t index)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a checked schema names each partner */
    return tpi_from_bits(plane[index]);
}

/* A particle that exists in only one of the frames: linear extrapolation by its own velocity. */
static float interpolate_alone(const interpolate_planes *planes, uint32_t side, uint32_t index,
                               const tpi_between *between)
{
    float seconds =
        side ? (between->share - 1.0f) * between->seconds : between->share * between->seconds;
    return interpolate_float(planes->x[side], index) +
           interpolate_float(planes->partner[side], index) * seconds;
}

static float interpolate_pair(const interpolate_planes *planes, const tp_stream *stream, uint32_t i,
                              uint32_t j, bool is_linear, const tpi_between *between)
{
    float x0 = interpolate_float(planes->x[0], i), x1 = interpolate_float(planes->x[1], j);
    bool is_rate = stream->interpolation == TP_INTERPOLATE_RATE;
    if (stream->interpolation == TP_INTERPOLATE_LINEAR || (is_linear && !is_rate))
        return x0 + (x1 - x0) * between->share;
    float p0 = interpolate_float(planes->partner[0], i),
          p1 = interpolate_float(planes->partner[1], j);
    if (is_linear) return (p1 - p0) / between->seconds;
    float share = between->share, seconds = between->seconds;
    return is_rate ? tpi_curve_rate(p0, p1, x0, x1, share, seconds)
                   : tpi_curve(x0, x1, p0, p1, share, seconds);
}

static void interpolate_component(const interpolate_planes *planes, const tp_stream *stream,
                                  const tpi_between *between, const tpi_pairs *pairs, uint32_t *to)
{
    bool is_held = stream->type != TP_STREAM_F32 || stream->interpolation == TP_INTERPOLATE_HOLD ||
                   stream->interpolation == TP_INTERPOLATE_IDENTITY;
    bool is_cubic = stream->interpolation == TP_INTERPOLATE_HERMITE;
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint32_t i = pairs->first[k], j = pairs->second[k], kind = pairs->kind[k];
        bool is_straight = (kind & TPI_PAIR_STRAIGHT) != 0,
             is_alone = (kind & TPI_PAIR_BOTH) != TPI_PAIR_BOTH;
        uint32_t side = kind & TPI_PAIR_FIRST ? 0u : 1u, index = side ? j : i;
        if (is_held || (is_alone && (!is_cubic || is_straight)))
            to[k] = planes->x[side][index];
        else if (is_alone)
            to[k] = tpi_bits(tpi_flush(interpolate_alone(planes, side, index, between)));
        else
            to[k] =
                tpi_bits(tpi_flush(interpolate_pair(planes, stream, i, j, is_straight, between)));
    }
}

static void interpolate_rotations(const uint32_t *const tiles[2], const tpi_between *between,
                                  const tpi_pairs *pairs, uint32_t *to, uint32_t stride)
{
    for (uint32_t k = 0; k < pairs->count; k++) {
        uint32_t kind = pairs->kind[k], side = kind & TPI_PAIR_FIRST ? 0u : 1u;
        uint32_t index = side ? pairs->second[k] : pairs->first[k];
        float a[4], b[4], result[4] = {0};
        if ((kind & TPI_PAIR_BOTH) != TPI_PAIR_BOTH) {
            for (uint32_t c = 0; c < 4; c++) to[c * stride + k] = tiles[side][c * TP_TILE + index];
            continue;
        }
        for (uint32_t c = 0; c < 4; c++) {
            a[c] = interpolate_float(tiles[0] + c * TP_TILE, index);
            b[c] = interpolate_float(tiles[1] + c * TP_TILE, pairs->second[k]);
        }
        tpi_slerp(a, b, between->share, result);
        for (uint32_t c = 0; c < 4; c++) to[c * stride + k] = tpi_bits(tpi_flush(result[c]));
    }
}

void tpi_interpolate(const tp_cache *cache, uint32_t stream, const tpi_between *between,
                     const tpi_pairs *pairs, uint32_t *to, uint32_t stride)
{
    const tp_stream *description = &cache->def.schema.streams[stream];
    const uint32_t *tiles[2];
    for (uint32_t side = 0; side < 2; side++)
        tiles[side] = tpi_cache_words(cache, cache->offsets.tiles[side]) +
                      cache->shape.first_word[stream] * TP_TILE;
    if (description->interpolation == TP_INTERPOLATE_SLERP) {
        interpolate_rotations(tiles, between, pairs, to, stride);
        return;
    }
    tp_stream own = *description;
    bool has_partner = description->interpolation == TP_INTERPOLATE_HERMITE ||
                       description->interpolation == TP_INTERPOLATE_RATE;
    if (has_partner && !tpi_is_recorded(cache, description->partner)) {
        own.interpolation = TP_INTERPOLATE_LINEAR;
        has_partner = false;
    }
    for (uint32_t c = 0; c < description->components; c++) {
        interpolate_planes planes = {{tiles[0] + c * TP_TILE, tiles[1] + c * TP_TILE},
                                     {NULL, NULL}};
        for (uint32_t side = 0; side < 2 && has_partner; side++)
            planes.partner[side] = tpi_cache_words(cache, cache->offsets.tiles[side]) +
                                   (cache->shape.first_word[description->partner] + c) * TP_TILE;
        interpolate_component(&planes, &own, between, pairs, to + c * stride);
    }
}
