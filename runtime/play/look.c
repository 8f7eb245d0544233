/* SPDX-License-Identifier: MIT
   runtime/play/look.c - tp_clip_look: reads a clip's properties, from which a player is defined.
   reads   storage      writes  tp_clip_info
   memory  two blocks, given by the caller
   cost    10 blocks; if the clip was not closed, also the last block of each group
   after   own design */
#include "play.h"

bool tpi_play_is_name(const char *name, const char *expected)
{
    for (uint32_t i = 0; i < TP_NAME_BYTES; i++) {
        if (name[i] != expected[i]) return false;
        if (!name[i]) return true;
    }
    return true;
}

bool tpi_play_stream_of(const tpi_clip_stream *from, uint32_t index, tp_stream *stream)
{
    tpi_memset(stream, 0, sizeof *stream);
    tpi_memcpy(stream->name, from->name, TPI_CLIP_NAME_BYTES);
    stream->type = from->type == TPI_CLIP_F32 ? TP_STREAM_F32 : TP_STREAM_U32;
    stream->components = from->components;
    stream->error_bound = from->error;
    bool is_rotation = from->type == TPI_CLIP_F32 && from->components == 4 &&
                       tpi_play_is_name(stream->name, "rotation");
    stream->interpolation = index == 0                   ? TP_INTERPOLATE_IDENTITY
                            : from->type != TPI_CLIP_F32 ? TP_INTERPOLATE_HOLD
                            : is_rotation                ? TP_INTERPOLATE_SLERP
                                                         : TP_INTERPOLATE_LINEAR;
    return index == 0 || (from->type != TPI_CLIP_BYTES && !from->is_once);
}

/* The first stream of that name: the identity, if another stream of the clip has its name. */
static uint32_t look_for(const tp_stream *streams, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tpi_play_is_name(streams[i].name, name)) return i;
    return TP_STREAM_NONE;
}

/* Pairs location and velocity for cubic Hermite interpolation. */
static void look_pair(tp_stream *streams, uint32_t count)
{
    uint32_t location = look_for(streams, count, "location"),
             rate = look_for(streams, count, "velocity");
    if (location == TP_STREAM_NONE || rate == TP_STREAM_NONE) return;
    if (streams[location].interpolation == TP_INTERPOLATE_IDENTITY ||
        streams[rate].interpolation == TP_INTERPOLATE_IDENTITY)
        return;
    if (streams[location].type != TP_STREAM_F32 || streams[rate].type != TP_STREAM_F32 ||
        streams[location].components != streams[rate].components)
        return;
    streams[location].interpolation = TP_INTERPOLATE_HERMITE;
    streams[rate].interpolation = TP_INTERPOLATE_RATE;
    streams[location].partner = rate;
    streams[rate].partner = location;
}

static void look_schema(const tpi_clip *clip, tp_clip_info *info)
{
    info->key_interval = clip->schema.key_interval;
    info->block_bytes = tpi_clip_block_bytes(clip);
    info->frames_per_second = clip->schema.fps;
    info->seconds_per_frame = clip->schema.seconds_per_frame;
    info->is_closed = clip->is_closed;
    for (uint32_t s = 0; s < clip->schema.stream_count; s++) {
        tp_stream *stream = &info->streams[info->stream_count];
        if (tpi_play_stream_of(&clip->schema.stream[s], s, stream)) info->stream_count++;
    }
    look_pair(info->streams, info->stream_count);
}

/* The header of a closed clip has the totals of all groups. */
static void look_closed(const tpi_clip *clip, tp_clip_info *info)
{
    info->frames = clip->frames;
    info->groups = clip->groups;
    info->first_frame = clip->first_frame;
    info->last_frame = clip->last_frame;
    info->points_max = clip->slots_max;
    info->piece_max = clip->piece_max;
}

static tpi_clip_result look_groups(tpi_clip *clip, const tpi_clip_storage *storage,
                                   tp_clip_info *info)
{
    tpi_clip_search search = tpi_clip_search_end();
    tpi_clip_group group;
    tpi_clip_result result;
    do result = tpi_clip_seek_end(clip, storage, &search);
    while (result == TPI_CLIP_NONE);
    for (uint32_t end = clip->end; !result; end = group.first_block) {
        result = tpi_clip_group_before(clip, storage, end, &group);
        if (result || group.kind != TPI_CLIP_FRAMES) continue;
        int64_t last = group.first_frame + (int64_t)group.step * (group.frames - 1u);
        if (!info->groups) info->last_frame = last;
        info->first_frame = group.first_frame;
        info->groups++;
        info->frames += group.frames;
        info->points_max = tpi_max_u32(info->points_max, group.slots);
        info->piece_max = tpi_max_u32(info->piece_max, group.piece_max);
    }
    return result == TPI_CLIP_NONE ? TPI_CLIP_OK : result;
}

static uint32_t look_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    const tp_clip_storage *from = (const tp_clip_storage *)context;
    if (from->bytes) return tpi_play_copy(from, offset, bytes, size);
    uint32_t got = from->read(from->context, offset, bytes, size);
    return got == TP_CLIP_NOT_YET ? TPI_CLIP_NOT_YET : tpi_min_u32(got, size);
}

tp_result tp_clip_look(const tp_clip_storage *storage, void *scratch, uint32_t bytes,
                       tp_clip_info *info)
{
    tpi_clip clip;
    tp_clip_storage from;
    if (!storage || !scratch || !info || (!storage->bytes && !storage->read)) return TP_ERROR_NULL;
    tpi_memset(info, 0, sizeof *info);
    info->first_frame = 1;
    from = *storage;
    uint8_t *second = (uint8_t *)scratch + bytes / 2u;
    tpi_clip_storage read = {&from, look_read, NULL, {(uint8_t *)scratch, second}, bytes / 2u};
    tpi_clip_result result = tpi_clip_open_headers(&clip, &read);
    if (!result) look_schema(&clip, info);
    if (!result && clip.is_closed) look_closed(&clip, info);
    if (!result && !clip.is_closed) result = look_groups(&clip, &read, info);
    if (result == TPI_CLIP_OK) return TP_OK;
    if (result == TPI_CLIP_LATER) return TP_MORE;
    bool is_told = clip.expected && *clip.expected;
    tpi_play_note(&info->fault, clip.fault, is_told ? clip.expected : "a clip");
    return result == TPI_CLIP_TOO_LARGE ? TP_ERROR_CLIP_LIMIT : TP_ERROR_CLIP;
}

tp_result tp_player_want(tp_player_def *definition, const tp_clip_info *info, const char *name)
{
    if (!definition || !info || !name) return TP_ERROR_NULL;
    uint32_t found = look_for(info->streams, info->stream_count, name);
    if (found == TP_STREAM_NONE) return TP_ERROR_SOURCE;
    if (look_for(definition->streams, definition->stream_count, name) != TP_STREAM_NONE)
        return TP_OK;
    if (definition->stream_count >= TP_STREAMS_MAX) return TP_ERROR_FULL;
    tp_stream *stream = &definition->streams[definition->stream_count++];
    *stream = info->streams[found];
    stream->partner = 0;
    /* until its partner is added */
    if (stream->interpolation == TP_INTERPOLATE_HERMITE ||
        stream->interpolation == TP_INTERPOLATE_RATE)
        stream->interpolation = TP_INTERPOLATE_LINEAR;
    look_pair(definition->streams, definition->stream_count);
    return TP_OK;
}
