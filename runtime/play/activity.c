/* SPDX-License-Identifier: MIT
   runtime/play/activity.c - counts keys (points that missed their prediction) by region.
   reads   keys of tiles, pairs of slots      writes  bits of frames, counts of regions
   memory  16 bytes per tile and kept frame, 8 per region, 1.5 KiB
   cost    1 test per shown point; its position once more if it has a key
   after   own design: keys are stored as bits when tiles are decoded, and counted when their points
           are shown. Sums are integers: slices and the order of points do not change them */
#include "play.h"

/* ---- the definition ---- */

static const char *activity_check_box(const tp_activity_def *def)
{
    for (uint32_t k = 0; k < 2; k++)
        if (!tpi_is_finite(def->low[k]) || !tpi_is_finite(def->high[k] - def->low[k]) ||
            !(def->low[k] < def->high[k]))
            return TPI_TEXT("activity.low, high: finite, low below high on each axis");
    return NULL;
}

const char *tpi_activity_check(const tp_activity_def *def, const tp_stream *streams, uint32_t count)
{
    if (!def->side[0] && !def->side[1]) return NULL;
    for (uint32_t k = 0; k < 2; k++)
        if (def->side[k] < 1 || def->side[k] > TP_REGIONS_MAX)
            return TPI_TEXT("activity.side: 1..16, or both 0");
    if (def->stream >= count || streams[def->stream].type != TP_STREAM_F32 ||
        (streams[def->stream].interpolation != TP_INTERPOLATE_LINEAR &&
         streams[def->stream].interpolation != TP_INTERPOLATE_HERMITE))
        return TPI_TEXT("activity.stream: positions: TP_STREAM_F32 with LINEAR or HERMITE");
    uint32_t components = streams[def->stream].components;
    if (def->axis[0] >= components || def->axis[1] >= components || def->axis[0] == def->axis[1])
        return TPI_TEXT("activity.axis: two components of activity.stream");
    return activity_check_box(def);
}

bool tpi_activity_is_same(const tp_activity_def *a, const tp_activity_def *b)
{
    bool is_same = a->stream == b->stream;
    for (uint32_t k = 0; k < 2; k++)
        is_same = is_same && a->side[k] == b->side[k] && a->axis[k] == b->axis[k] &&
                  a->low[k] == b->low[k] && a->high[k] == b->high[k];
    return is_same;
}

uint32_t tpi_activity_regions(const tp_activity_def *def) { return def->side[0] * def->side[1]; }

uint32_t tpi_activity_bytes(const tp_activity_def *def)
{
    return (uint32_t)(sizeof(tpi_play_activity) + tpi_activity_regions(def) * sizeof(uint64_t));
}

static uint64_t *activity_sums(const tpi_play_activity *activity)
{
    return (uint64_t *)((uintptr_t)activity + sizeof *activity);
}

/* ---- while tiles are decoded ---- */

static bool activity_is_bounded(const tp_player *player, uint32_t stream)
{
    return tpi_clip_has_lattice(&player->clip.schema.stream[player->source[stream]]);
}

uint8_t *tpi_activity_keys(const tp_player *player, uint32_t stream)
{
    return activity_is_bounded(player, stream) ? tpi_play_activity_buffers_of(player)->keys : NULL;
}

static uint8_t *activity_bits(const tp_player *player, uint32_t entry)
{
    return tpi_play_at(player, player->offsets.keys) +
           (size_t)entry * player->shape.tiles_max * (TPI_TILE_POINTS / 8u);
}

/* Packs 8 bytes to 8 bits by a multiplication: the factor moves bit 0 of byte i to bit 56 + i, and
   the partial products do not overlap. */
void tpi_activity_put(tp_player *player, uint32_t entry, uint32_t track, uint32_t tile,
                      const uint8_t *keys)
{
    uint8_t *bits = activity_bits(player, entry) + (size_t)tile * (TPI_TILE_POINTS / 8u);
    if (!track) tpi_memset(bits, 0, TPI_TILE_POINTS / 8u);
    for (uint32_t k = 0; keys && k < TPI_TILE_POINTS / 8u; k++)
        bits[k] |= (uint8_t)(tpi_load_u64(keys + 8u * k) * 0x0102040810204080u >> 56);
}

/* ---- while points are shown ---- */

void tpi_activity_begin(const tp_activity_def *def, tpi_play_activity *activity)
{
    activity->total = 0;
    activity->points = 0;
    activity->is_known = false;
    activity->scale = 1.0f;
    activity->state = TPI_ACTIVITY_UNDER_WAY;
    tpi_memset(activity_sums(activity), 0, tpi_activity_regions(def) * sizeof(uint64_t));
}

/* Weights of a key, in 65536ths: `both` for points in both frames, `alone` for points in one; 0
   outside the clip. */
typedef struct activity_shares {
    const uint8_t *bits[2];
    uint32_t both[2], alone;
    bool has_bound;
} activity_shares;

static activity_shares activity_shares_of(const tp_player *player)
{
    const tpi_play_show *show = &player->show;
    activity_shares shares = {.alone = show->status == TP_CACHE_OUTSIDE ? 0u : TPI_ACTIVITY_ONE};
    int64_t frame[2] = {0, 0};
    for (uint32_t s = 0; s < show->side_count; s++) {
        const tpi_play_side *side = &show->side[s];
        shares.bits[s] = activity_bits(player, side->entry == TPI_PLAY_NONE ? 0u : side->entry);
        frame[s] = tpi_play_frame_of(&player->roster[side->roster], side->index);
    }
    if (show->side_count == 2u && shares.alone != 0) {
        uint64_t whole = TP_TIME((uint64_t)(frame[1] - frame[0])),
                 part = (uint64_t)(show->time - frame[0] * (int64_t)TP_TICKS_PER_FRAME);
        shares.both[1] = (uint32_t)(part * TPI_ACTIVITY_ONE / whole);
        shares.both[0] = TPI_ACTIVITY_ONE - shares.both[1];
    }
    for (uint32_t t = 0; t < player->shape.tracks; t++)
        shares.has_bound |= activity_is_bounded(player, player->shape.stream[t]);
    return shares;
}

/* True if the point can have a key in every shown frame that has it. A point can have keys from its
   third frame in a group on. */
static bool activity_knows(const tp_player *player, const tpi_play_pairs *pairs, uint32_t i)
{
    bool knows = true;
    for (uint32_t s = 0; s < 2; s++) {
        if (!(pairs->sides[i] >> s & 1u)) continue;
        const tpi_play_side *side = &player->show.side[s];
        const uint8_t *first = tpi_play_at(player, player->offsets.first[side->roster]);
        knows = knows && side->index >= first[pairs->slot[s][i]] + 2u;
    }
    return knows;
}

static uint32_t activity_bit(const uint8_t *bits, uint32_t slot)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a shown point is in a shown frame */
    return (uint32_t)bits[slot >> 3] >> (slot & 7u) & 1u;
}

/* Moves the points with a key to the front; returns their number. With one frame all amounts are
   equal. */
static uint32_t activity_of_one(const activity_shares *shares, tpi_play_pairs *pairs,
                                uint32_t *amounts, float *plane, uint32_t written)
{
    uint32_t some = 0, alone = shares->alone;
    float shown = (float)alone / (float)TPI_ACTIVITY_ONE;
    for (uint32_t i = 0; plane && i < written; i++)
        plane[i] = activity_bit(shares->bits[0], pairs->slot[0][i]) ? shown : 0.0f;
    for (uint32_t i = 0; alone && i < pairs->count; i++) {
        uint32_t slot = pairs->slot[0][i];
        pairs->slot[0][some] = slot;
        some += activity_bit(shares->bits[0], slot);
    }
    for (uint32_t i = 0; i < some; i++) amounts[i] = alone;
    return some;
}

static uint32_t activity_of_both(const activity_shares *shares, tpi_play_pairs *pairs,
                                 uint32_t *amounts, float *plane, uint32_t written)
{
    uint32_t some = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t sides = pairs->sides[i], amount = 0;
        for (uint32_t s = 0; s < 2; s++)
            if ((sides >> s & 1u) && activity_bit(shares->bits[s], pairs->slot[s][i]))
                amount += sides == 3u ? shares->both[s] : shares->alone;
        if (plane && i < written) plane[i] = (float)amount / (float)TPI_ACTIVITY_ONE;
        if (!amount) continue;
        for (uint32_t s = 0; s < 2; s++) pairs->slot[s][some] = pairs->slot[s][i];
        pairs->sides[some] = (uint8_t)sides;
        amounts[some++] = amount;
    }
    return some;
}

static uint32_t activity_cell(const tp_activity_def *def, uint32_t k, float x)
{
    float part = (x - def->low[k]) / (def->high[k] - def->low[k]) * (float)def->side[k];
    if (!(part > 0.0f)) return 0; /* also for NaN */
    return part >= (float)def->side[k] ? def->side[k] - 1u : (uint32_t)part;
}

void tpi_activity_add(const tp_activity_def *def, tpi_play_activity *activity, float x, float y,
                      uint64_t amount)
{
    uint32_t region = activity_cell(def, 1, y) * def->side[0] + activity_cell(def, 0, x);
    activity->total += amount;
    activity_sums(activity)[region] += amount;
}

/* Adds the amounts of the points in `pairs` to the regions of their shown positions. */
static void activity_add_points(tp_player *player, const tpi_play_pairs *pairs)
{
    const tp_activity_def *def = &player->def.activity;
    tpi_play_activity *activity = tpi_play_activity_of(player);
    const tpi_play_activity_buffers *work = tpi_play_activity_buffers_of(player);
    uint32_t *words = tpi_play_activity_buffers_of(player)->words, *axis[2];
    if (tpi_activity_regions(def) > 1u && player->show.side_count == 2u)
        tpi_between_write(player, def->stream, pairs, pairs->count, words, TPI_PLAY_CHUNK);
    for (uint32_t k = 0; k < 2; k++) {
        axis[k] = words + def->axis[k] * TPI_PLAY_CHUNK;
        if (tpi_activity_regions(def) > 1u && player->show.side_count == 1u)
            tpi_show_words(player, def->stream, def->axis[k], pairs, pairs->count, axis[k]);
    }
    for (uint32_t i = 0; i < pairs->count; i++)
        tpi_activity_add(def, activity, tpi_from_bits(axis[0][i]), tpi_from_bits(axis[1][i]),
                         work->amount[i]);
}

void tpi_activity_show(tp_player *player, tpi_play_pairs *pairs, float *plane, uint32_t written)
{
    tpi_play_activity *activity = tpi_play_activity_of(player);
    uint32_t *amounts = tpi_play_activity_buffers_of(player)->amount;
    activity_shares shares = activity_shares_of(player);
    activity->points += pairs->count;
    for (uint32_t i = 0; shares.has_bound && !activity->is_known && i < pairs->count; i++)
        activity->is_known = activity_knows(player, pairs, i);
    pairs->count = player->show.side_count == 2u
                       ? activity_of_both(&shares, pairs, amounts, plane, written)
                       : activity_of_one(&shares, pairs, amounts, plane, written);
    pairs->is_run = false; /* points without a key were removed */
    if (pairs->count) activity_add_points(player, pairs);
}

/* ---- report ---- */

tp_result tpi_activity_report(const tp_activity_def *def, const tpi_play_activity *from,
                              tp_activity *activity, float *regions)
{
    float one = from->scale / (float)TPI_ACTIVITY_ONE;
    if (from->state == TPI_ACTIVITY_NONE) return TP_ERROR_FRAME;
    if (from->state == TPI_ACTIVITY_UNDER_WAY) return TP_MORE;
    activity->keys = (float)from->total * one;
    activity->points = from->points;
    activity->is_known = from->is_known;
    for (uint32_t r = 0; regions && r < tpi_activity_regions(def); r++)
        regions[r] = (float)activity_sums(from)[r] * one;
    return TP_OK;
}

tp_result tp_player_activity(const tp_player *player, tp_activity *activity, float *regions)
{
    tp_result result = tpi_player_check_block(player);
    if (result != TP_OK) return result;
    if (!activity) return TP_ERROR_NULL;
    tpi_memset(activity, 0, sizeof *activity);
    if (!tpi_has_activity(&player->def.activity)) return TP_ERROR_DEFINITION;
    return tpi_activity_report(&player->def.activity, tpi_play_activity_of(player), activity,
                               regions);
}
