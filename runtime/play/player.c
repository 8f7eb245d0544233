/* SPDX-License-Identifier: MIT
   runtime/play/player.c - a player's block: checks of the definition, layout, creation, report.
   reads   tp_player_def      writes  the block
   memory  a storage block, a piece, a reader; 10 + 9 * words bytes per point, 272 per tile and
           stream; with kept frames 10 + 4 * words * frames_kept more per point
   cost    O(streams) to check, O(block) to create
   after   own design: one function counts the bytes and lays the block out */
#include "play.h"

tp_player_def tp_player_default(const tp_clip_info *info)
{
    tp_player_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_PLAYER;
    def.frames_kept = 2;
    def.frames_ahead = 1;
    def.tile_stride = 1;
    def.slice_units = 16384;
    if (!info) return def;
    def.points_max = tpi_max_u32(info->points_max, 1u);
    def.piece_max = tpi_max_u32(info->piece_max, 1u);
    def.block_max = info->block_bytes;
    if (tp_player_want(&def, info, info->streams[0].name) != TP_OK) return def;
    if (tp_player_want(&def, info, "location") != TP_OK) def.stream_count = 1;
    def.activity.axis[1] = def.activity.stream = 1;
    return def;
}

/* ---- checks ---- */

static bool player_pairs(const tp_player_def *def, uint32_t index)
{
    const tp_stream *stream = &def->streams[index];
    bool is_cubic = stream->interpolation == TP_INTERPOLATE_HERMITE;
    if (!is_cubic && stream->interpolation != TP_INTERPOLATE_RATE) return true;
    if (stream->partner >= def->stream_count || stream->partner == index) return false;
    const tp_stream *partner = &def->streams[stream->partner];
    tp_interpolation wanted = is_cubic ? TP_INTERPOLATE_RATE : TP_INTERPOLATE_HERMITE;
    return partner->interpolation == wanted && partner->partner == index &&
           partner->components == stream->components;
}

static const char *player_check_stream(const tp_player_def *def, uint32_t index)
{
    const tp_stream *stream = &def->streams[index];
    bool is_word = stream->interpolation == TP_INTERPOLATE_HOLD,
         is_identity = stream->interpolation == TP_INTERPOLATE_IDENTITY;
    if (stream->type != TP_STREAM_F32 && stream->type != TP_STREAM_U32)
        return TPI_TEXT("streams[].type: TP_STREAM_F32 or TP_STREAM_U32");
    if (stream->components < 1 || stream->components > 4)
        return TPI_TEXT("streams[].components: 1..4");
    if ((unsigned)stream->interpolation > TP_INTERPOLATE_IDENTITY)
        return TPI_TEXT("streams[].interpolation: a value of tp_interpolation");
    if (is_identity && (stream->type != TP_STREAM_U32 || stream->components != 1))
        return TPI_TEXT("streams[].interpolation: IDENTITY needs TP_STREAM_U32 and 1 component");
    if (stream->type != TP_STREAM_F32 && !is_word && !is_identity)
        return TPI_TEXT("streams[].interpolation: this one needs TP_STREAM_F32");
    if (stream->interpolation == TP_INTERPOLATE_SLERP && stream->components != 4)
        return TPI_TEXT("streams[].interpolation: SLERP needs 4 components");
    if (!player_pairs(def, index))
        return TPI_TEXT("streams[].partner: a HERMITE and a RATE stream of equal components need "
                        "each other as partner");
    return NULL;
}

static const char *player_check_streams(const tp_player_def *def)
{
    uint32_t identities = 0;
    if (def->stream_count < 1 || def->stream_count > TP_STREAMS_MAX)
        return TPI_TEXT("stream_count: 1..12");
    for (uint32_t s = 0; s < def->stream_count; s++) {
        const char *wrong = player_check_stream(def, s);
        if (wrong) return wrong;
        identities += def->streams[s].interpolation == TP_INTERPOLATE_IDENTITY;
    }
    if (identities > 1) return TPI_TEXT("streams[].interpolation: at most one IDENTITY");
    return identities < def->stream_count ? NULL
                                          : TPI_TEXT("streams: at least one besides the identity");
}

const char *tp_player_check(const tp_player_def *definition)
{
    const tp_player_def *def = definition;
    if (!def) return TPI_TEXT("definition: pass one, made by tp_player_default");
    if (def->stamp != TPI_STAMP_PLAYER)
        return TPI_TEXT("stamp: make the definition with tp_player_default first");
    if (def->points_max < 1 || def->points_max > 16777215u)
        return TPI_TEXT("points_max: 1..16777215");
    if (def->piece_max < 1 || def->piece_max > 1u << 28) return TPI_TEXT("piece_max: 1..2^28");
    if (def->block_max < 512 || def->block_max > 32768) return TPI_TEXT("block_max: 512..32768");
    if (def->frames_kept == 1 || def->frames_kept > 1024)
        return TPI_TEXT("frames_kept: 0, or 2..1024");
    if (def->frames_ahead < 1 || (def->frames_ahead > 1 && def->frames_ahead >= def->frames_kept))
        return TPI_TEXT("frames_ahead: 1..frames_kept - 1");
    if (def->tile_stride < 1 || def->tile_stride > 65535) return TPI_TEXT("tile_stride: 1..65535");
    const char *wrong = player_check_streams(def);
    if (!wrong) wrong = tpi_activity_check(&def->activity, def->streams, def->stream_count);
    if (!wrong && tpi_has_activity(&def->activity) && def->stream_count == TP_STREAMS_MAX)
        return TPI_TEXT("stream_count: 1..11 with activity");
    if (!wrong && (def->slice_units < tpi_play_step_units(def) || def->slice_units > 65536))
        return TPI_TEXT("slice_units: at least 128 * (1 + stream_count) + block_max / 4, 128 more "
                        "with activity; at most 65536");
    return wrong;
}

/* ---- layout ---- */

static tpi_play_shape player_shape_of(const tp_player_def *def)
{
    tpi_play_shape shape = {.identity = TPI_PLAY_NONE};
    for (uint32_t s = 0; s < def->stream_count; s++) {
        shape.first_word[s] = (uint8_t)shape.words;
        if (def->streams[s].interpolation == TP_INTERPOLATE_IDENTITY) {
            shape.identity = s;
            continue;
        }
        shape.stream[shape.tracks++] = (uint8_t)s;
        shape.words += def->streams[s].components;
    }
    shape.tiles_max = def->points_max / TPI_TILE_POINTS + (def->points_max % TPI_TILE_POINTS != 0);
    shape.has_short_order = def->points_max <= 65536u;
    return shape;
}

typedef struct player_plan {
    tpi_play_shape shape;
    tpi_play_offsets offsets;
} player_plan;

static void player_layout_roster(player_plan *plan, tpi_layout *layout, const tp_player_def *def,
                                 uint32_t r)
{
    plan->offsets.ids[r] = tpi_layout_take(layout, "identities", def->points_max, 4);
    plan->offsets.order[r] =
        tpi_layout_take(layout, "order", def->points_max, plan->shape.has_short_order ? 2 : 4);
    plan->offsets.first[r] = tpi_layout_take(layout, "births", def->points_max, 1);
    plan->offsets.end[r] = tpi_layout_take(layout, "deaths", def->points_max, 1);
}

static void player_layout_activity(player_plan *plan, tpi_layout *layout, const tp_player_def *def)
{
    uint32_t frames = tpi_max_u32(def->frames_kept, 1u);
    if (!tpi_has_activity(&def->activity)) return;
    plan->offsets.activity =
        tpi_layout_take(layout, "activity", 1, tpi_activity_bytes(&def->activity));
    plan->offsets.counting =
        tpi_layout_take(layout, "keys of a tile", 1, sizeof(tpi_play_activity_buffers));
    plan->offsets.keys = tpi_layout_take(layout, "keys", (uint64_t)frames * plan->shape.tiles_max,
                                         TPI_TILE_POINTS / 8u);
}

/* Lays out the block, or counts its bytes; `plan` receives the offsets. */
static void player_layout(player_plan *plan, tpi_layout *layout, const tp_player_def *def)
{
    tpi_play_offsets *offsets = &plan->offsets;
    uint64_t tiles = (uint64_t)plan->shape.tracks * plan->shape.tiles_max;
    uint64_t values = (uint64_t)plan->shape.words * def->points_max;
    (void)tpi_layout_take(layout, "player", 1, sizeof(tp_player));
    offsets->block = tpi_layout_take(layout, "block", 1, def->block_max);
    offsets->buffer =
        tpi_layout_take(layout, "tile", 1, tpi_max_u32(def->piece_max, def->block_max));
    offsets->reader = tpi_layout_take(layout, "reader", 1, sizeof(tpi_tile_reader));
    offsets->tiles = tpi_layout_take(layout, "tiles", tiles, sizeof(tpi_play_tile));
    offsets->heads = tpi_layout_take(layout, "tile heads", tiles, TPI_PLAY_HEAD_STEP);
    offsets->position = tpi_layout_take(layout, "positions", values, 4);
    offsets->velocity = tpi_layout_take(layout, "velocities", values, 2);
    offsets->acceleration = tpi_layout_take(layout, "accelerations", values, 2);
    offsets->state = tpi_layout_take(layout, "states", values, 1);
    player_layout_roster(plan, layout, def, 0);
    player_layout_activity(plan, layout, def);
    if (!def->frames_kept) return;
    player_layout_roster(plan, layout, def, 1);
    offsets->kept = tpi_layout_take(layout, "kept frames", def->frames_kept, sizeof(tpi_play_kept));
    offsets->frames = tpi_layout_take(layout, "kept words", def->frames_kept * values, 4);
}

static tp_result player_measure(const tp_player_def *def, player_plan *plan, tpi_layout *layout)
{
    if (!def) return TP_ERROR_NULL;
    if (def->stamp != TPI_STAMP_PLAYER) return TP_ERROR_STAMP;
    if (tp_player_check(def)) return TP_ERROR_DEFINITION;
    tpi_memset(plan, 0, sizeof *plan);
    plan->shape = player_shape_of(def);
    player_layout(plan, layout, def);
    return layout->bytes > TPI_LAYOUT_MAX ? TP_ERROR_DEFINITION : TP_OK;
}

tp_result tp_player_memory(const tp_player_def *definition, size_t *bytes)
{
    player_plan plan;
    tpi_layout layout = {0};
    if (!bytes) return TP_ERROR_NULL;
    *bytes = 0;
    tp_result result = player_measure(definition, &plan, &layout);
    if (result == TP_OK) *bytes = (size_t)layout.bytes;
    return result;
}

tp_result tp_player_memory_parts(const tp_player_def *definition, tp_memory_part *parts,
                                 uint32_t *count)
{
    player_plan plan;
    tpi_layout layout = {.parts = parts};
    if (!parts || !count) return TP_ERROR_NULL;
    tp_result result = player_measure(definition, &plan, &layout);
    *count = result == TP_OK ? layout.part_count : 0;
    return result;
}

tp_result tp_player_create(const tp_player_def *definition, void *block, size_t bytes,
                           tp_player **player)
{
    player_plan plan;
    tpi_layout layout = {0};
    if (!block || !player) return TP_ERROR_NULL;
    *player = NULL;
    tp_result result = player_measure(definition, &plan, &layout);
    if (result == TP_OK) result = tpi_layout_clear(&layout, block, bytes);
    if (result != TP_OK) return result;
    tp_player *made = (tp_player *)block;
    made->cookie = TPI_COOKIE_PLAYER;
    made->layout_stamp = (uint32_t)sizeof *made;
    made->bytes = layout.bytes;
    made->def = *definition;
    made->shape = plan.shape;
    made->offsets = plan.offsets;
    made->tile_stride = definition->tile_stride;
    made->current = TPI_PLAY_NONE;
    *player = made;
    return TP_OK;
}

tp_player *tp_player_at(void *block, size_t bytes)
{
    tp_player *player = (tp_player *)block;
    if (!block || ((uintptr_t)block & 15u) || bytes < sizeof *player) return NULL;
    return tpi_player_check_block(player) == TP_OK && player->bytes <= bytes ? player : NULL;
}

const tp_player_def *tp_player_definition(const tp_player *player)
{
    return tpi_player_check_block(player) == TP_OK ? &player->def : NULL;
}

tp_result tpi_player_check_block(const tp_player *player)
{
    if (!player) return TP_ERROR_NULL;
    bool is_one = player->cookie == TPI_COOKIE_PLAYER && player->layout_stamp == sizeof *player;
    return is_one ? TP_OK : TP_ERROR_BLOCK;
}

tp_result tp_player_reopen(tp_player *player, uint32_t tile_stride)
{
    tp_result result = tpi_player_check_block(player);
    if (result != TP_OK) return result;
    if (tile_stride > 65535u) return TP_ERROR_DEFINITION;
    if (tile_stride) player->tile_stride = tile_stride;
    player->opened = TPI_OPENED_NOT;
    tpi_memset(player->header_answers, 0, sizeof player->header_answers);
    player->show.active = false;
    if (tpi_has_activity(&player->def.activity))
        tpi_play_activity_of(player)->state = TPI_ACTIVITY_NONE;
    player->loading.phase = 0;
    tpi_play_forget_group(player);
    for (uint32_t r = 0; r < 2; r++) {
        player->roster[r].is_known = false;
        tpi_keep_drop(player, r);
    }
    return TP_OK;
}

tp_player_counters tp_player_report(const tp_player *player)
{
    tp_player_counters counters = {0};
    return tpi_player_check_block(player) == TP_OK ? player->counters : counters;
}
