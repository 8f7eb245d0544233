/* SPDX-License-Identifier: MIT
   tests/static/eva_tile.c - Eva driver: a tile's header, its raw words and its last bytes, with any
           contents.
   reads   unknown tiles of every length up to a maximum      writes  nothing: Eva must report no
           alarm
   memory  a reader and a tile of 1 KiB      cost    a minute
   after   own design; tiles end where the array ends, so that reading one byte further is an
           alarm */
#include "eva.h"
#include "../../runtime/codec/tables.c"
#include "../../runtime/codec/read.c"
#include "../../runtime/codec/frame.c"

#define TILE 1024u
static uint8_t room[TILE];
static tpi_tile_reader reader;

/* A tile of `size` unknown bytes. */
static const uint8_t *any_tile(uint32_t size)
{
    eva_fill(room, sizeof room);
    return room + (TILE - size);
}

/* A header of any bytes. */
static void header_of(uint32_t size)
{
    tpi_tile_header header;
    eva_fill(&header, sizeof header);
    (void)read_header(&header, any_tile(size), size);
}

static void component_of(uint32_t size)
{
    tpi_tile_component component;
    uint32_t at = eva_u32(0, size);
    eva_fill(&component, sizeof component);
    if (!read_component(any_tile(size), size, &at, &component)) return;
    //@ assert at: at <= size;
    //@ assert mode: component.mode <= 2;
    //@ assert predictor: component.predictor <= 9;
    //@ assert drag: component.drag <= 4095;
    //@ assert fineness: component.fineness <= 3;
    //@ assert along: component.along <= 3;
    //@ assert follows: component.follows <= 127;
    //@ assert starts: component.start[0] <= 91 && component.start[1] <= 91 && component.start[2] <= 91;
}

/* Lives and coders, if the header's size leaves bytes for them. */
static void lives_of(uint32_t points)
{
    reader.header.points = points, reader.header.frames = eva_u32(1, TPI_TILE_FRAMES_MAX);
    reader.header.has_lives = true,
    reader.header.lives_at = eva_u32(TPI_TILE_HEADER_BYTES, TILE - 2u * points);
    (void)read_lives(&reader, any_tile(TILE));
    reader.header.has_lives = false, reader.header.lives_at = eva_u32(TPI_TILE_HEADER_BYTES, TILE);
    (void)read_lives(&reader, any_tile(TILE));
}

static void coders_of(uint32_t coders)
{
    uint32_t bits_at = eva_u32(TPI_TILE_HEADER_BYTES + 2u * coders, TILE);
    reader.header.coders = coders;
    (void)read_coders(&reader, any_tile(TILE) + bits_at - 2u * coders);
}

/* Raw frames up to the last byte of a tile that contains nothing else. */
static void raw_of(uint32_t points, uint32_t components)
{
    uint32_t frames = (TILE - TPI_TILE_HEADER_BYTES) / (4u * points * components);
    reader.header.points = points, reader.header.raw_components = components;
    if (!frames) return;
    reader.header.raw_at = TILE - 4u * points * components * frames;
    for (uint32_t raw = 0; raw < components; raw++) {
        reader.frame = eva_u32(0, frames - 1u);
        frame_of_raw(&reader, any_tile(TILE), raw, raw);
    }
}

/* The coders' stream, with any possible number of bytes left. */
static void streams(void)
{
    tile_flow flow;
    //@ loop unroll 1025;
    for (uint32_t at = 0; at <= TILE; at++) {
        reader.size = TILE, reader.at = at;
        flow.stream = flow.begin = any_tile(TILE) + at, flow.end = any_tile(TILE) + TILE;
        flow_reserve(&reader, any_tile(TILE), &flow, TPI_TILE_POINTS);
        const uint8_t *stream = flow.stream;
        //@ assert all_may_be_read: \valid_read(stream + (0 .. 127));
    }
}

int main(void)
{
    for (uint32_t size = 0; size < 12u; size++) component_of(size);
    for (uint32_t size = 0; size < 50u; size += 7u) header_of(size);
    header_of(TILE);
    for (uint32_t points = 4; points <= TPI_TILE_POINTS; points += 31u) {
        lives_of(points);
        for (uint32_t components = 1; components <= TPI_TILE_COMPONENTS; components++)
            raw_of(points, components);
    }
    for (uint32_t coders = 0; coders <= TPI_CODERS; coders++) coders_of(coders);
    streams();
    return 0;
}
