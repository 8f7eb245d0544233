/* SPDX-License-Identifier: MIT
   host_tools/clip/keys.c - where a tile's points did not go on as predicted, and the bits that each of its frames took.
   reads   a tile      writes  marks, counts
   memory  2 KiB of stack      cost    see keys.h
   after   own design */
#include "keys.h"
#include <string.h>

/* Where the points of all components would go without a residual. */
static void predict_all(const tpi_tile_reader *reader, int32_t predicted[][TPI_TILE_POINTS])
{
    for (uint32_t c = 0; c < reader->header.components; c++)
        for (uint32_t p = 0; p < reader->header.points; p++) {
            tpi_track track = {reader->place[c][p], reader->velocity[c][p], reader->acceleration[c][p]};
            predicted[c][p] = tpi_track_predict(&track);
        }
}

/* A point that is off the prediction by more than twice the bound was beyond the bound itself, since what is stored is
   within it; less may be no more than the choice of a cheaper place. A point that follows takes on the choices of its
   leaders: of it three times as much is asked. The bound is 4 quarters. */
static bool is_beyond(const tpi_tile_component *component, int32_t place, int32_t predicted)
{
    int64_t residual = (int64_t)place - predicted, quarters = 8 - 2 * (int64_t)component->fineness;
    return (residual < 0 ? -residual : residual) * quarters > (component->follows ? 24 : 8);
}

static void mark_component(const tpi_tile_reader *reader, uint32_t c, const int32_t *predicted,
                           host_tile_keys *keys)
{
    const tpi_tile_component *component = &reader->header.component[c];
    bool is_told = component->mode == TPI_TILE_RAW || component->is_exact;
    if (component->mode == TPI_TILE_CONSTANT) return;
    for (uint32_t p = 0; p < reader->header.points; p++) {
        if (!tpi_tile_lives(reader, p)) continue;
        if (reader->frame - reader->first[p] <= 2u)
            keys->marks[p] |= HOST_KEY_ANEW;
        else if (is_told || is_beyond(component, reader->place[c][p], predicted[p]))
            keys->marks[p] |= HOST_KEY_THERE;
    }
}

bool host_tile_read_keys(tpi_tile_reader *reader, const uint8_t *tile, host_tile_keys *keys)
{
    int32_t predicted[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    const tpi_tile_header *header = &reader->header;
    uint32_t at = reader->at, bit = reader->bit;
    predict_all(reader, predicted);
    memset(keys, 0, sizeof *keys);
    if (!tpi_tile_read(reader, tile)) return false;
    for (uint32_t c = 0; c < header->components; c++) mark_component(reader, c, predicted[c], keys);
    keys->bits = 8u * (uint64_t)(reader->at - at) + (reader->bit - bit) +
                 32u * (uint64_t)header->raw_components * header->points;
    return true;
}
