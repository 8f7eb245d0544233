/* SPDX-License-Identifier: MIT
   tests/static/eva_reader.h - a tile reader before its first frame, for the Eva drivers.
   reads   nothing      writes  its reader
   memory  a reader and a tile      cost    none
   after   own design; it has only the properties that eva_tile.c proves of every opened tile */
#ifndef EVA_READER_H
#define EVA_READER_H
#include "eva_tile.h"

#define TILE 1536u
static uint8_t room[TILE], keys[TPI_TILE_POINTS];
static tpi_tile_reader reader;

static void any_component(tpi_tile_component *component, uint32_t mode)
{
    eva_fill(component, sizeof *component);
    component->mode = (uint8_t)mode;
    component->predictor = (uint8_t)eva_u32(0, TPI_PREDICTORS_ALL - 1u);
    component->fineness = (uint8_t)eva_u32(0, 3), component->along = (uint8_t)eva_u32(0, 3);
    component->follows = (uint8_t)eva_u32(0, TPI_TILE_POINTS - 1u);
    component->is_exact = eva_bool();
    for (uint32_t k = 0; k < 3u; k++)
        component->start[k] = (uint8_t)eva_u32(0, TPI_CODEC_STATES - 1u);
}

/* A reader of a tile with `frames` frames, before one of them. Its values may be anything; those of
   the header are in their valid ranges. */
static void any_reader(uint32_t frames, uint32_t mode)
{
    tpi_tile_header *header = &reader.header;
    eva_fill(&reader, sizeof reader);
    eva_fill(room, sizeof room);
    header->points = eva_u32(1, TPI_TILE_POINTS), header->frames = frames;
    header->components = eva_u32(1, TPI_TILE_COMPONENTS),
    header->halvings = eva_u32(0, TPI_CODERS_HALVED);
    header->has_lives = eva_bool(), reader.is_damaged = false;
    reader.frame = eva_u32(0, UINT32_MAX);
    for (uint32_t c = 0; c < TPI_TILE_COMPONENTS; c++) any_component(&header->component[c], mode);
}

#endif
