/* SPDX-License-Identifier: MIT
   runtime/play/tile.c - decodes tiles forward: restores the decoder's state, decodes, saves it.
   reads   pieces      writes  saved decoder states, kept frames
   memory  9 bytes per component and point, 224 per tile and stream
   cost    1 unit per point to restore, 1 per point and frame to decode
   after   own design: positions are saved in 32 bits, velocities and accelerations in 16 bits, or
           19 and 13 of ballistic predictors: enough for real motion; a tile that exceeds these is
           decoded from its group's begin */
#include "play.h"

_Static_assert(TPI_CODEC_STATES <= 256u, "the index of a state is stored in a byte");

bool tpi_play_fits(const tpi_tile_reader *reader, const tpi_clip_stream *stream, uint32_t points,
                   uint32_t frames)
{
    const tpi_tile_header *header = &reader->header;
    return header->points == points && header->frames == (stream->is_once ? 1u : frames) &&
           header->components == stream->components;
}

uint32_t tpi_play_tile_points(const tpi_play_roster *roster, uint32_t tile)
{
    return tpi_min_u32(roster->slots - tile * TPI_TILE_POINTS, TPI_TILE_POINTS);
}

void tpi_play_convert(const tpi_tile_component *component, const tpi_lattice *lattice,
                      bool is_float, const int32_t *coordinates, uint32_t count, uint32_t *words)
{
    if (component->mode == TPI_TILE_RAW || (component->is_exact && !is_float)) {
        for (uint32_t p = 0; p < count; p++) words[p] = (uint32_t)coordinates[p];
    } else if (component->is_exact) {
        for (uint32_t p = 0; p < count; p++) words[p] = (uint32_t)tpi_ordered_bits(coordinates[p]);
    } else {
        float step = tpi_lattice_step(lattice, component->fineness);
        for (uint32_t p = 0; p < count; p++)
            words[p] = tpi_bits(lattice->origin + step * (float)coordinates[p]);
    }
}

/* ---- the state of one tile ---- */

/* The current tile. */
typedef struct tile_visit {
    tp_player *player;
    const tpi_play_roster *roster;
    tpi_play_tile *tile;
    uint32_t roster_number, track, number, stream; /* of the definition */
    uint32_t first, points;                        /* slots */
} tile_visit;

static tile_visit tile_of(tp_player *player, uint32_t next)
{
    tile_visit visit = {.player = player, .roster_number = player->current};
    visit.roster = &player->roster[player->current];
    visit.track = next / visit.roster->tiles;
    visit.number = next % visit.roster->tiles;
    visit.stream = player->shape.stream[visit.track];
    visit.tile = tpi_play_tile_of(player, visit.track, visit.number);
    visit.first = visit.number * TPI_TILE_POINTS;
    visit.points = tpi_play_tile_points(visit.roster, visit.number);
    return visit;
}

/* Index of the tile's first value of a component in the arrays of saved states. */
static size_t tile_values(const tile_visit *visit, uint32_t c)
{
    uint32_t word = visit->player->shape.first_word[visit->stream] + c;
    return (size_t)word * visit->player->def.points_max + visit->first;
}

/* ---- motion and context states of points; in separate loops, so that compilers vectorise them
   ---- */

/* Narrows to 16 bits. Returns non-zero if a value does not fit. */
static uint32_t tile_narrow(int16_t *restrict to, const int32_t *restrict from, uint32_t count)
{
    uint32_t wide = 0;
    for (uint32_t p = 0; p < count; p++) {
        wide |= ((uint32_t)from[p] + 32768u) >> 16;
        to[p] = (int16_t)(uint16_t)(uint32_t)from[p];
    }
    return wide;
}

static void tile_widen(int32_t *restrict to, const int16_t *restrict from, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) to[p] = from[p];
}

/* The motion of ballistic predictors: the lowest bits are TPI_BALLISTIC_BITS of tpi_track. Returns
   non-zero if a velocity does not fit. */
static uint32_t tile_narrow_ballistic(int16_t *restrict high, int16_t *restrict low,
                                      const int32_t *restrict velocity,
                                      const int32_t *restrict rest, uint32_t count)
{
    const uint32_t most = 1u << (31u - TPI_BALLISTIC_BITS);
    uint32_t wide = 0;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t word = (uint32_t)velocity[p] << TPI_BALLISTIC_BITS | (uint32_t)rest[p];
        wide |= ((uint32_t)velocity[p] + most) >> (32u - TPI_BALLISTIC_BITS);
        high[p] = (int16_t)(uint16_t)(word >> 16), low[p] = (int16_t)(uint16_t)word;
    }
    return wide;
}

static void tile_widen_ballistic(int32_t *restrict velocity, int32_t *restrict rest,
                                 const int16_t *restrict high, const int16_t *restrict low,
                                 uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        uint32_t word = (uint32_t)(uint16_t)high[p] << 16 | (uint16_t)low[p];
        velocity[p] = tpi_shift_down((int32_t)word, TPI_BALLISTIC_BITS);
        rest[p] = (int32_t)(word & ((1u << TPI_BALLISTIC_BITS) - 1u));
    }
}

/* Converts offsets of rows to state numbers: a multiplication replaces the division by
   TPI_CODEC_ROW. */
#define TILE_ROW_SHARE (65536u / TPI_CODEC_ROW + 1u)
_Static_assert(TPI_CODEC_STATES *(TILE_ROW_SHARE *TPI_CODEC_ROW - 65536u) <= 65536u,
               "no number is rounded up");
static void tile_number(uint8_t *restrict to, const uint16_t *restrict from, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        uint16_t row = (uint16_t)TPI_STATE_ROW(from[p]);
        to[p] = (uint8_t)((uint32_t)row * TILE_ROW_SHARE >> 16);
    }
}

/* Converts state numbers back to states, eight at a time. */
static void tile_look_up(uint16_t *restrict to, const uint8_t *restrict from, uint32_t count)
{
    uint32_t p = 0;
    for (; p + 8u <= count; p += 8u)
        for (uint32_t k = 0; k < 8u; k++) to[p + k] = tpi_codec_states[from[p + k]];
    for (; p < count; p++) to[p] = tpi_codec_states[from[p]];
}

/* Saves a component. Sets is_wide if a velocity or acceleration exceeds 16 bits. */
static void tile_put_component(const tile_visit *visit, uint32_t c)
{
    const tp_player *player = visit->player;
    const tpi_tile_reader *reader = tpi_play_reader(player);
    size_t at = tile_values(visit, c);
    int16_t *velocity = (int16_t *)((uintptr_t)player + player->offsets.velocity) + at;
    int16_t *acceleration = (int16_t *)((uintptr_t)player + player->offsets.acceleration) + at;
    tpi_memcpy((int32_t *)((uintptr_t)player + player->offsets.position) + at, reader->position[c],
               visit->points * 4u);
    uint32_t wide;
    if (tpi_is_ballistic(&reader->header.component[c])) {
        wide = tile_narrow_ballistic(velocity, acceleration, reader->velocity[c],
                                     reader->acceleration[c], visit->points);
    } else {
        wide = tile_narrow(velocity, reader->velocity[c], visit->points);
        wide |= tile_narrow(acceleration, reader->acceleration[c], visit->points);
    }
    tile_number(tpi_play_at(player, player->offsets.state) + at, reader->state[c], visit->points);
    if (wide) visit->tile->is_wide = true;
}

static void tile_take_component(const tile_visit *visit, uint32_t c)
{
    const tp_player *player = visit->player;
    tpi_tile_reader *reader = tpi_play_reader(player);
    size_t at = tile_values(visit, c);
    const int16_t *velocity = (int16_t *)((uintptr_t)player + player->offsets.velocity) + at;
    const int16_t *acceleration =
        (int16_t *)((uintptr_t)player + player->offsets.acceleration) + at;
    tpi_memcpy(reader->position[c], (int32_t *)((uintptr_t)player + player->offsets.position) + at,
               visit->points * 4u);
    if (tpi_is_ballistic(&reader->header.component[c])) {
        tile_widen_ballistic(reader->velocity[c], reader->acceleration[c], velocity, acceleration,
                             visit->points);
    } else {
        tile_widen(reader->velocity[c], velocity, visit->points);
        tile_widen(reader->acceleration[c], acceleration, visit->points);
    }
    tile_look_up(reader->state[c], tpi_play_at(player, player->offsets.state) + at, visit->points);
}

static void tile_put(const tile_visit *visit)
{
    const tp_player *player = visit->player;
    const tpi_tile_reader *reader = tpi_play_reader(player);
    tpi_memcpy(tpi_play_head_of(player, visit->track, visit->number), reader, TPI_PLAY_HEAD_BYTES);
    visit->tile->is_wide = false;
    for (uint32_t c = 0; c < reader->header.components; c++) tile_put_component(visit, c);
    visit->tile->decoded = (uint16_t)reader->frame;
}

static tp_result tile_fault(const tile_visit *visit, const char *expected)
{
    return tpi_play_fault(visit->player, TP_ERROR_CLIP, visit->player->piece.offset, expected);
}

/* Copies the lifetimes of the first track; true if the other tracks have the same lifetimes. */
static bool tile_same_lives(const tile_visit *visit)
{
    const tp_player *player = visit->player;
    const tpi_tile_reader *reader = tpi_play_reader(player);
    uint8_t *first =
        tpi_play_at(player, player->offsets.first[visit->roster_number]) + visit->first;
    uint8_t *end = tpi_play_at(player, player->offsets.end[visit->roster_number]) + visit->first;
    uint32_t different = 0;
    for (uint32_t p = 0; p < visit->points; p++) {
        if (!visit->track) first[p] = reader->first[p], end[p] = reader->end[p];
        different |= (uint32_t)(first[p] ^ reader->first[p]) | (uint32_t)(end[p] ^ reader->end[p]);
    }
    return !different;
}

static tp_result tile_open(const tile_visit *visit, const uint8_t *bytes)
{
    tp_player *player = visit->player;
    tpi_tile_reader *reader = tpi_play_reader(player);
    const tpi_clip_stream *stream = &player->clip.schema.stream[player->source[visit->stream]];
    player->counters.tile_restarts++;
    if (visit->tile->is_wide) player->counters.tile_wide++;
    if (!tpi_tile_open(reader, bytes, player->piece.size))
        return tile_fault(visit, "a tile with a valid header");
    if (!tpi_play_fits(reader, stream, visit->points, visit->roster->group.frames))
        return tile_fault(visit, "a tile with the points, frames and components of its group");
    return tile_same_lives(visit)
               ? TP_OK
               : tile_fault(visit, "lifetimes of points equal to those of the previous stream");
}

static tp_result tile_take(const tile_visit *visit, const uint8_t *bytes)
{
    const tp_player *player = visit->player;
    tpi_tile_reader *reader = tpi_play_reader(player);
    if (!visit->tile->decoded || visit->tile->is_wide) return tile_open(visit, bytes);
    tpi_memcpy(reader, tpi_play_head_of(player, visit->track, visit->number), TPI_PLAY_HEAD_BYTES);
    tpi_memcpy(reader->first,
               tpi_play_at(player, player->offsets.first[visit->roster_number]) + visit->first,
               visit->points);
    tpi_memcpy(reader->end,
               tpi_play_at(player, player->offsets.end[visit->roster_number]) + visit->first,
               visit->points);
    for (uint32_t c = 0; c < reader->header.components; c++) tile_take_component(visit, c);
    return TP_OK;
}

/* ---- a visit of a tile: fetch, restore, decode, save ---- */

static void tile_keep(const tile_visit *visit, uint32_t entry)
{
    const tp_player *player = visit->player;
    const tpi_tile_reader *reader = tpi_play_reader(player);
    uint32_t word = player->shape.first_word[visit->stream];
    if (entry == TPI_PLAY_NONE) return;
    for (uint32_t c = 0; c < reader->header.components; c++)
        tpi_tile_words(reader, c, &player->lattice[visit->track][c],
                       player->def.streams[visit->stream].type == TP_STREAM_F32,
                       tpi_play_words(player, entry, word + c) + visit->first);
}

/* Decodes the next frame, and stores it if it is to be kept. If activity is counted, also stores
   its keys, if the frame is kept or is the requested one. */
static bool tile_read(const tile_visit *visit, const uint8_t *bytes)
{
    tp_player *player = visit->player;
    tpi_tile_reader *reader = tpi_play_reader(player);
    uint32_t entry = tpi_keep_filling(player, reader->frame), keys_entry = entry;
    uint8_t *keys = NULL;
    if (!tpi_has_activity(&player->def.activity))
        keys_entry = TPI_PLAY_NONE;
    else if (!player->def.frames_kept && reader->frame == player->job.target)
        keys_entry = 0;
    if (keys_entry != TPI_PLAY_NONE) keys = tpi_activity_keys(player, visit->stream);
    if (!tpi_tile_read_keys(reader, bytes, keys)) return false;
    if (keys_entry != TPI_PLAY_NONE)
        tpi_activity_put(player, keys_entry, visit->track, visit->number, keys);
    tile_keep(visit, entry);
    return true;
}

static tp_result tile_decode(tpi_play_call *call, const tile_visit *visit)
{
    tp_player *player = visit->player;
    tpi_tile_reader *reader = tpi_play_reader(player);
    const uint8_t *bytes = tpi_piece_bytes(call);
    if (!bytes) {
        player->job.phase = TPI_TILE_FIND; /* no longer mapped: repeat from the saved state */
        return TP_OK;
    }
    while (reader->frame <= player->job.target) {
        if (!tpi_play_may(call)) return TP_MORE;
        if (!tile_read(visit, bytes)) return tile_fault(visit, "a whole tile");
        tpi_play_spend(call, visit->points);
        player->counters.tile_frames++;
    }
    if (reader->frame == reader->header.frames && !tpi_tile_is_whole(reader))
        return tile_fault(visit, "a tile that ends at its last byte");
    tile_put(visit);
    player->job.phase = TPI_TILE_FIND;
    player->job.next++;
    return TP_OK;
}

static tp_result tile_step(tpi_play_call *call)
{
    tp_player *player = call->player;
    tpi_play_job *job = &player->job;
    tile_visit visit = tile_of(player, job->next);
    tp_result result = TP_OK;
    if (job->phase == TPI_TILE_DECODE) return tile_decode(call, &visit);
    if (job->phase == TPI_TILE_FIND) {
        tpi_play_spend(call, 1);
        if (visit.tile->decoded == job->target + 1u) {
            job->next++;
            return TP_OK;
        }
        result = tpi_piece_begin(player, &visit.roster->group, visit.tile->begin, visit.tile->end);
        if (result == TP_OK) job->phase = TPI_TILE_FETCH;
        return result;
    }
    result = tpi_piece_fetch(call, &visit.roster->group, visit.track);
    const uint8_t *bytes = result == TP_OK ? tpi_piece_bytes(call) : NULL;
    if (result == TP_OK && !bytes) job->phase = TPI_TILE_FIND;
    if (!bytes) return result;
    tpi_play_spend(call, visit.points);
    job->phase = TPI_TILE_DECODE;
    return tile_take(&visit, bytes);
}

/* ---- all tiles ---- */

/* Begins to decode forward from the tiles' current frames; if a tile is already past the frame, all
   tiles restart from the group's begin. */
static void tile_begin_job(tp_player *player, uint32_t index, const int32_t *needed,
                           uint32_t needed_count)
{
    tpi_play_job *job = &player->job;
    const tpi_play_roster *roster = &player->roster[player->current];
    bool keeps = player->def.frames_kept != 0;
    bool restarts = job->decoded_most > index + (keeps ? 0u : 1u);
    if (job->active) tpi_keep_end(player, false);
    if (restarts) {
        for (uint32_t t = 0; t < player->shape.tracks; t++)
            for (uint32_t k = 0; k < roster->tiles; k++)
                tpi_play_tile_of(player, t, k)->decoded = 0;
        job->decoded_most = 0;
    }
    job->target = index;
    if (keeps && !restarts)
        job->target = tpi_min_u32(index + player->def.frames_ahead - 1u, roster->group.frames - 1u);
    if (keeps) tpi_keep_begin(player, job->decoded_most, job->target, needed, needed_count);
    job->active = true;
    job->decoded_all = TPI_PLAY_NONE;
    job->decoded_most = tpi_max_u32(job->decoded_most, job->target + 1u);
    job->next = 0;
    job->phase = TPI_TILE_FIND;
    player->show.active = false;
}

tp_result tpi_play_reach(tpi_play_call *call, uint32_t index, const int32_t *needed,
                         uint32_t needed_count)
{
    tp_player *player = call->player;
    tpi_play_job *job = &player->job;
    uint32_t tiles = player->roster[player->current].tiles * player->shape.tracks;
    bool keeps = player->def.frames_kept != 0;
    if (!keeps && !job->active && job->decoded_all == index + 1u) return TP_OK;
    bool goes_on = job->active && (keeps ? tpi_keep_filling(player, index) != TPI_PLAY_NONE
                                         : job->target == index);
    if (!goes_on) tile_begin_job(player, index, needed, needed_count);
    while (job->next < tiles) {
        if (!tpi_play_may(call)) return TP_MORE;
        tp_result result = tile_step(call);
        if (result == TP_MORE) return result;
        if (result != TP_OK) {
            tpi_play_forget_group(player);
            return result;
        }
    }
    tpi_keep_end(player, true);
    job->active = false;
    job->decoded_all = job->decoded_most = job->target + 1u;
    return TP_OK;
}
