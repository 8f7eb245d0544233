/* SPDX-License-Identifier: MIT
   tests/static/eva_frames.c - Eva driver: a tile's frames one after the other, for any header and
           any bytes.
   reads   an unknown reader      writes  nothing: Eva must report no alarm
   memory  a reader and a tile      cost    a minute
   after   own design; components are replaced by the specification that eva_components.c proves,
           raw rows by that of eva_tile.c. By induction: a reader may have any state in which no
           byte beyond the tile's end was read, and each component keeps that */
#include "eva_reader.h"

/* What eva_tile.c proves of every accepted header. The function itself checks that there are 1 to 4
   components and that the sum of their sizes lies within the tile. Later reads stay within that
   sum. */
/*@ assigns *header, \result \from tile[0 .. 5], size;
    ensures flag: \result == 0 || \result == 1;
    ensures taken: \result == 0 || (1 <= header->components <= 4 && header->stream_at <= size);
    ensures starts: \result == 0 || (
        header->component[0].start[0] < 92 && header->component[0].start[1] < 92 &&
        header->component[1].start[0] < 92 && header->component[1].start[1] < 92 &&
        header->component[2].start[0] < 92 && header->component[2].start[1] < 92 &&
        header->component[3].start[0] < 92 && header->component[3].start[1] < 92); */
static bool read_header(tpi_tile_header *header, const uint8_t *tile, uint32_t size);
/*@ assigns reader->first[0 .. 127], reader->end[0 .. 127], \result \from tile[0];
    ensures flag: \result == 0 || \result == 1; */
static bool read_lives(tpi_tile_reader *reader, const uint8_t *tile);
/*@ assigns reader->coder[0 .. 31], \result \from bytes[0];
    ensures flag: \result == 0 || \result == 1; */
static bool read_coders(tpi_tile_reader *reader, const uint8_t *bytes);

/* A whole frame of a tile with some raw components, and the calls that report on it afterwards. */
static void frame_of(uint32_t frames, uint32_t components, uint32_t raw)
{
    static const tpi_lattice lattice = {0.0f, 1.0f};
    uint32_t words[TPI_TILE_POINTS];
    any_reader(frames, TPI_TILE_CODED);
    reader.header.components = components, reader.header.raw_components = 0;
    for (uint32_t c = 0; c < components; c++)
        if (raw >> c & 1u)
            reader.header.component[c].mode = TPI_TILE_RAW, reader.header.raw_components++;
    (void)tpi_tile_read_keys(&reader, room, keys);
    (void)tpi_tile_is_whole(&reader);
    tpi_tile_words(&reader, components - 1u, &lattice, eva_bool(), words);
}

/* A tile of any bytes. */
static void open_of(uint32_t size)
{
    eva_fill(room, sizeof room);
    if (!tpi_tile_open(&reader, room + (TILE - size), size)) return;
    //@ assert is_within_the_tile: reader.at <= size && reader.frame == 0 && !reader.is_damaged;
}

int main(void)
{
    open_of(TPI_TILE_HEADER_BYTES), open_of(TILE);
    for (uint32_t components = 1; components <= TPI_TILE_COMPONENTS; components++)
        for (uint32_t raw = 0; raw < 1u << components; raw++)
            frame_of(1, components, raw), frame_of(TPI_TILE_FRAMES_MAX, components, raw);
    return 0;
}
