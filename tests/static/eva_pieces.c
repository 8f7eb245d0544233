/* SPDX-License-Identifier: MIT
   tests/static/eva_pieces.c - Eva driver: positions of a clip's pieces; clips whose storage answers
           at once.
   reads   unknown groups and parts of them      writes  nothing: Eva must report no alarm
   memory  a buffer for pieces      cost    seconds
   after   own design; the specifications of the single steps are here, and eva_clip.c finds no
           alarm in the steps */
#include "eva.h"
#include "../../runtime/codec/clip.c"
#include "../../runtime/codec/clip_read.c"
#include "../../runtime/codec/clip_whole.c"

/*@ requires has_room: to == \null || \valid(to + (0 .. size - 1));
    requires buffer: buffer <= 1;
    assigns to[0 .. size - 1], *found, clip->fault, clip->loaded[0 .. 1], \result \from offset,
    size; ensures copied: \result != 0 || to == \null || \initialized(to + (0 .. size - 1)); */
tpi_clip_result tpi_clip_part(tpi_clip *clip, const tpi_clip_storage *storage,
                              const tpi_clip_group *group, uint32_t offset, uint32_t size,
                              uint32_t buffer, uint8_t *to, const uint8_t **found);
/*@ assigns *group, clip->fault, clip->loaded[0 .. 1], \result \from end; */
tpi_clip_result tpi_clip_group_before(tpi_clip *clip, const tpi_clip_storage *storage, uint32_t end,
                                      tpi_clip_group *group);
/*@ assigns *search, clip->fault, clip->loaded[0 .. 1], \result \from frame; */
tpi_clip_result tpi_clip_seek(tpi_clip *clip, const tpi_clip_storage *storage, int32_t frame,
                              tpi_clip_search *search);
/*@ assigns *search, clip->end, clip->fault, clip->loaded[0 .. 1], \result \from
   storage->block_max; */
tpi_clip_result tpi_clip_seek_end(tpi_clip *clip, const tpi_clip_storage *storage,
                                  tpi_clip_search *search);
/*@ assigns *clip, \result \from storage->block_max;
    ensures flag: clip->is_closed == 0 || clip->is_closed == 1; */
tpi_clip_result tpi_clip_open_headers(tpi_clip *clip, const tpi_clip_storage *storage);

#define ROOM 4096u
static uint8_t room[ROOM];
static tpi_clip clip;
static tpi_clip_storage storage;

/* What eva_clip.c proves of every opened clip, and no more. */
static void any_clip(void)
{
    eva_fill(&clip, sizeof clip);
    clip.schema.block_bits = eva_u32(TPI_CLIP_BLOCK_LOWEST, TPI_CLIP_BLOCK_HIGHEST);
    clip.schema.stream_count = (uint8_t)eva_u32(1, TPI_CLIP_STREAMS);
    clip.is_closed = eva_bool();
    for (uint32_t s = 0; s < TPI_CLIP_STREAMS; s++) {
        clip.schema.stream[s].type = (uint8_t)eva_u32(0, TPI_CLIP_BYTES);
        clip.schema.stream[s].components = (uint8_t)eva_u32(0, TPI_TILE_COMPONENTS);
        clip.schema.stream[s].is_once = eva_bool();
    }
}

static void directory_of(uint32_t stream)
{
    tpi_lattice lattice[TPI_TILE_COMPONENTS];
    tpi_clip_group group;
    uint32_t at;
    eva_fill(&group, sizeof group);
    (void)tpi_clip_lattice(&clip, &storage, &group, stream, lattice);
    (void)tpi_clip_piece_begin(&clip, &storage, &group, stream, eva_u32(0, UINT32_MAX), &at);
    (void)tpi_clip_piece_end(&clip, &storage, &group, stream, eva_u32(0, UINT32_MAX), &at);
}

/* Any piece of any stream, whether or not it exists. */
static void piece(uint32_t room_bytes)
{
    tpi_clip_group group;
    const uint8_t *bytes;
    uint32_t size;
    eva_fill(&group, sizeof group);
    tpi_clip_result result =
        tpi_clip_piece(&clip, &storage, &group, eva_u32(0, UINT32_MAX), eva_u32(0, UINT32_MAX),
                       room + (ROOM - room_bytes), room_bytes, &bytes, &size);
    (void)tpi_clip_text(result);
}

int main(void)
{
    tpi_clip_group group;
    any_clip();
    for (uint32_t stream = 0; stream < TPI_CLIP_STREAMS; stream++) directory_of(stream);
    piece(ROOM), piece(1), piece(0);
    eva_fill(&group, sizeof group);
    (void)tpi_clip_find(&clip, &storage, (int32_t)eva_u32(0, UINT32_MAX), &group);
    (void)tpi_clip_open(&clip, &storage);
    return 0;
}
