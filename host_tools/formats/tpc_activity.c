/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_activity.c - clips: bits stored per frame, and keys of points.
   reads   .tpc                            writes  counts
   memory  a group, and a byte per point and frame of it      cost    every tile is decoded twice
   after   own design: predicted motion costs almost no bits, so that keys show where something
           happens; codec.h defines a key, for players too */
#include "activity.h"
#include "tpc.h"
#include <stdlib.h>
#include <string.h>

/* Marks of a point in a frame. */
/* First or second frame of the point in its tile: its position or velocity is stored, not
   predicted. */
#define KEY_ANEW  1u
#define KEY_THERE 2u /* the frame stores a key of the point */

/* State of counting the keys of a group. */
typedef struct key_count {
    host_sequence *sequence;
    tpc_clip *state;
    const tpi_clip_group *group;
    activity *result;
    size_t first;   /* position of the group's first frame in the sequence */
    uint8_t *marks; /* [frame][slot] */
} key_count;

/* Bits that reading a frame consumed: bytes of the entropy coder, plain bits, and raw values. */
static uint64_t bits_since(const tpi_tile_reader *reader, uint32_t at, uint32_t bit)
{
    return 8u * (uint64_t)(reader->at - at) + (reader->bit - bit) +
           32u * (uint64_t)reader->header.raw_components * reader->header.points;
}

/* True unless all components are constant. */
static bool has_motion(const tpi_tile_reader *reader)
{
    for (uint32_t c = 0; c < reader->header.components; c++)
        if (reader->header.component[c].mode != TPI_TILE_CONSTANT) return true;
    return false;
}

/* Sets the marks of a tile's points in the frame that was just read. */
static void mark_frame(key_count *count, const tpi_tile_reader *reader, const uint8_t *keys,
                       uint32_t tile)
{
    uint8_t *marks = count->marks + (size_t)(reader->frame - 1u) * count->group->slots;
    bool is_anew = has_motion(reader);
    for (uint32_t p = 0; p < reader->header.points; p++) {
        uint32_t slot = tile * TPI_TILE_POINTS + p;
        if (keys[p]) marks[slot] |= KEY_THERE;
        if (is_anew && tpi_tile_lives(reader, p) && reader->frame - reader->first[p] <= 2u)
            marks[slot] |= KEY_ANEW;
    }
}

/* Counts bits and keys of all frames of a tile, which must be complete. */
static void count_tile(key_count *count, uint32_t stream, const uint8_t *bytes, uint32_t size,
                       uint32_t tile)
{
    tpi_tile_reader reader;
    uint8_t keys[TPI_TILE_POINTS];
    bool is_bounded = tpi_clip_has_lattice(&count->state->clip.schema.stream[stream]);
    if (!tpi_tile_open(&reader, bytes, size)) return;
    uint32_t at = reader.at, bit = reader.bit;
    for (uint32_t f = 0; tpi_tile_read_keys(&reader, bytes, keys); f++) {
        count->result->frames[count->first + f].bits += bits_since(&reader, at, bit);
        if (is_bounded) mark_frame(count, &reader, keys, tile);
        at = reader.at;
        bit = reader.bit;
    }
}

/* Counts a stream of the group in memory. Streams that loading decodes were checked by that. */
static int count_stream(key_count *count, uint32_t stream)
{
    const tpi_clip_stream *of = &count->state->clip.schema.stream[stream];
    bool is_good = tpc_reads(count->state, count->group, stream);
    if (of->is_once && of->type != TPI_CLIP_BYTES) return HOST_DONE; /* belongs to no frame */
    for (uint32_t p = 0; p < tpi_clip_pieces(&count->state->clip, count->group, stream); p++) {
        const uint8_t *bytes;
        uint32_t size;
        int code = (is_good ? tpc_piece : tpc_check_piece)(count->sequence, count->state,
                                                           count->group, stream, p, &bytes, &size);
        if (code) return code;
        if (of->type == TPI_CLIP_BYTES)
            count->result->frames[count->first + (of->is_once ? 0 : p)].bits += 8u * (uint64_t)size;
        else if (size)
            count_tile(count, stream, bytes, size, p);
    }
    return HOST_DONE;
}

/* Adds a key to the region of space that contains the point. Painted surfaces have no locations. */
static void add_to_region(const key_count *count, uint32_t f, uint32_t slot)
{
    const tpc_group *group = &count->state->group;
    activity_regions *regions = &count->result->regions;
    float x[3];
    if (!(group->columns & 1u)) return;
    for (uint32_t c = 0; c < 3; c++)
        memcpy(&x[c],
               tpc_group_row(group, slot / TPI_TILE_POINTS, 0, f, c) + slot % TPI_TILE_POINTS,
               sizeof x[c]);
    double *region = activity_region_at(regions, regions->keys, count->first + f, x);
    if (region) *region += 1;
}

/* Clips may store points before their births and after their deaths. */
static bool is_alive(const key_count *count, uint32_t f, uint32_t slot)
{
    const host_sequence *sequence = count->sequence;
    const tpc_group *group = &count->state->group;
    uint32_t id = group->ids[slot], column = tpc_column_of(POINT_TIMES);
    int32_t number = sequence->numbers[count->first + f];
    float times[2];
    if (sequence->type != POINT_PARTICLES) return true;
    if (group->columns >> column & 1u)
        for (uint32_t c = 0; c < 2u; c++)
            memcpy(&times[c],
                   tpc_group_row(group, slot / TPI_TILE_POINTS, column, f, c) +
                       slot % TPI_TILE_POINTS,
                   sizeof times[c]);
    else if (sequence->times && id < sequence->point_count)
        memcpy(times, sequence->times + 3u * (size_t)id, sizeof times);
    else
        return true;
    return (double)times[0] <= number && number < (double)times[1];
}

static void take_keys(const key_count *count)
{
    uint32_t slots = count->group->slots;
    for (uint32_t f = 0; f < count->group->frames; f++)
        for (uint32_t slot = 0; slot < slots; slot++) {
            uint8_t marks = count->marks[(size_t)f * slots + slot];
            if (marks && !is_alive(count, f, slot)) continue;
            count->result->frames[count->first + f].anew += (marks & KEY_ANEW) != 0;
            if (!(marks & KEY_THERE)) continue;
            count->result->frames[count->first + f].keys++;
            add_to_region(count, f, slot);
        }
}

static int count_group(key_count *count, size_t number)
{
    const tpc_clip *state = count->state;
    const tpi_clip_group *group = count->group = &state->groups[number];
    count->result->groups[number] = (activity_group){
        group->first_frame, group->frames, group->slots,
        (uint64_t)(group->last_block - group->first_block + 1u) << state->clip.schema.block_bits};
    count->marks = host_allocate((size_t)group->frames * group->slots, sizeof *count->marks);
    int code = count->marks ? tpc_load_group(count->sequence, count->state, number)
                            : host_out_of_memory("a group's keys");
    for (uint32_t s = 0; !code && s < state->clip.schema.stream_count; s++)
        if (group->streams >> s & 1u) code = count_stream(count, s);
    if (!code) take_keys(count);
    free(count->marks);
    count->first += group->frames;
    return code;
}

int tpc_count_keys(host_sequence *sequence, activity *result)
{
    tpc_clip *state = sequence->state;
    key_count count = {.sequence = sequence, .state = state, .result = result};
    int code = HOST_DONE;
    result->groups = host_allocate(state->group_count, sizeof *result->groups);
    if (!result->groups) return host_out_of_memory("the groups of a clip");
    result->group_count = state->group_count;
    result->has_bytes = true;
    for (uint32_t s = 0; s < state->clip.schema.stream_count; s++)
        result->has_keys |= tpi_clip_has_lattice(&state->clip.schema.stream[s]);
    for (size_t g = 0; !code && g < state->group_count; g++) code = count_group(&count, g);
    return code;
}
