/* SPDX-License-Identifier: MIT
   tests/static/eva_tile.h - the tile decoder with specifications of its inner functions, for the
           Eva drivers.
   reads   nothing      writes  nothing
   memory  none         cost    none
   after   own design. eva_symbols.c proves each specification from the function's body;
           eva_frames.c relies on the specifications only. ACSL cannot express that the first `some`
           entries of a list are set: each list is written as list[some] = point, some += whether it
           counts, with points below the number of points of the tile */
#ifndef EVA_TILE_H
#define EVA_TILE_H
#include "eva.h"
#include "../../runtime/codec/tables.c"
#include "../../runtime/codec/read.c"
#include "../../runtime/codec/frame.c"

/*@ requires points: 1 <= points <= 128 && begin == 0 && some == 0;
    assigns flow->stream \from flow->stream, state[0 .. 127];
    assigns flow->coder[0 .. 31], steps[0 .. 127], units[0 .. 127], escaped[0 .. 127], \result \from
    state[0 .. 127]; ensures listed: \result <= 128;
    ensures taken: \subset(flow->stream, \old(flow->stream) + (0 .. 128)); */
static inline uint32_t step_of_each(tile_flow *flow, const uint16_t *restrict state, uint32_t begin,
                                    uint32_t points, uint32_t *restrict steps,
                                    int32_t *restrict units, uint32_t some, uint8_t *escaped);

/*@ requires points: count <= 128;
    assigns flow->stream \from flow->stream, steps[0 .. 127];
    assigns flow->coder[0 .. 31], steps[0 .. 127], units[0 .. 127], escaped[0 .. 127], \result \from
    steps[0 .. 127]; ensures listed: \result <= 128;
    ensures taken: \subset(flow->stream, \old(flow->stream) + (0 .. 128)); */
static uint32_t step_of_escaped(tile_flow *flow, uint8_t *escaped, uint32_t count, uint32_t *steps,
                                int32_t *units);

/*@ requires points: count <= 128;
    assigns reader->bit, reader->is_damaged, units[0 .. 127] \from steps[0 .. 127];
    ensures flag: reader->is_damaged == 0 || reader->is_damaged == 1; */
static void add_bits(tpi_tile_reader *reader, const uint8_t *tile, const uint32_t *steps,
                     int32_t *units, const uint8_t *which, uint32_t count);

/*@ requires point: p < 128;
    assigns flow->stream \from flow->stream, *state;
    assigns reader->bit, reader->is_damaged, flow->coder[0 .. 31], *state, \result \from *state;
    ensures flag: reader->is_damaged == 0 || reader->is_damaged == 1;
    ensures taken: \subset(flow->stream, \old(flow->stream) + (0 .. 6)); */
static inline int32_t one_residual(tpi_tile_reader *reader, const uint8_t *tile, tile_flow *flow,
                                   uint32_t p, uint16_t *state);

/* Before a frame, an undamaged tile has been read at most to its end. */
/*@ requires component: c < 4;
    assigns reader->at, reader->bit, reader->is_damaged, reader->chain[0 .. 3], reader->coder[0 ..
    31] \from tile[0]; assigns reader->state[c][0 .. 127], reader->position[c][0 .. 127],
    reader->velocity[c][0 .. 127] \from tile[0]; assigns reader->acceleration[c][0 .. 127],
    reader->step[0 .. 127], reader->residual[0 .. 127] \from tile[0]; assigns keys[0 .. 127] \from
    tile[0]; ensures flag: reader->is_damaged == 0 || reader->is_damaged == 1;
    ensures within: reader->at <= reader->size || reader->is_damaged; */
static void frame_of_component(tpi_tile_reader *reader, const uint8_t *tile, uint32_t c,
                               uint8_t *keys);

/*@ requires row: raw < reader->header.raw_components && reader->frame < reader->header.frames && c
   < 4;
    assigns reader->position[c][0 .. 127] \from tile[0]; */
static void frame_of_raw(tpi_tile_reader *reader, const uint8_t *tile, uint32_t c, uint32_t raw);

/* Tables are indexed by states: no function may produce a state that is not in the list. */
static bool is_state(uint32_t value)
{
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
        if (tpi_codec_states[s] == value) return true;
    return false;
}
static uint16_t any_state(void) { return tpi_codec_states[eva_u32(0, TPI_CODEC_STATES - 1u)]; }

#endif
