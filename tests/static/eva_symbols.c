/* SPDX-License-Identifier: MIT
   tests/static/eva_symbols.c - Eva driver: a tile's symbols and plain bits, for any points and
           bytes.
   reads   unknown coders, states and bytes      writes  nothing: Eva must report no alarm
   memory  a frame of a tile      cost    minutes
   after   own design; each function by itself, with all inputs that its specification in eva_tile.h
           allows */
#include "eva_tile.h"

#define TILE 2048u
static uint8_t stream[TPI_TILE_POINTS], few[TPI_CODEC_ESCAPES + 1u], room[TILE];
static uint16_t state[TPI_TILE_POINTS];
static uint32_t steps[TPI_TILE_POINTS];
static int32_t units[TPI_TILE_POINTS];
static tpi_tile_reader reader;

/* Coders with any 16 bits, at a stream with as many bytes as the function may read. */
static tile_flow any_flow(uint8_t *bytes, uint32_t size, uint32_t last)
{
    tile_flow flow;
    eva_fill(&flow, sizeof flow);
    eva_fill(bytes, size);
    flow.stream = flow.begin = bytes, flow.end = bytes + size, flow.last = last;
    return flow;
}

/* Every word of the table leads to a valid state. */
static void steps_lead_to_states(void)
{
    //@ loop unroll 1656;
    for (uint32_t k = 0; k < TPI_CODEC_STATES * TPI_CODEC_ROW; k++) {
        bool leads = is_state(TPI_STEP_STATE(tpi_codec_steps[k]));
        //@ assert leads_to_a_state: leads == 1;
    }
}

static void all_lead_to_states(uint32_t points)
{
    for (uint32_t p = 0; p < points; p++) {
        bool leads = is_state(TPI_STEP_STATE(steps[p]));
        //@ assert goes_on_in_a_state: leads == 1;
    }
}

/* The first symbol of each of `points` points. */
static void first_symbols(uint32_t points, uint32_t halvings)
{
    static uint8_t escaped[TPI_TILE_POINTS];
    tile_flow flow = any_flow(stream, sizeof stream, (TPI_CODERS >> halvings) - 1u);
    for (uint32_t p = 0; p < points; p++) state[p] = any_state();
    uint32_t some = step_of_each(&flow, state, 0, points, steps, units, 0, escaped);
    //@ assert points_are_listed: some <= points;
    all_lead_to_states(points);
}

/* Any points that continue after any step of the table. */
static void further_symbols(void)
{
    static uint8_t escaped[TPI_TILE_POINTS];
    tile_flow flow =
        any_flow(stream, sizeof stream, (TPI_CODERS >> eva_u32(0, TPI_CODERS_HALVED)) - 1u);
    for (uint32_t p = 0; p < TPI_TILE_POINTS; p++) {
        steps[p] = tpi_codec_steps[eva_u32(0, TPI_CODEC_STATES * TPI_CODEC_ROW - 1u)];
        escaped[p] = (uint8_t)eva_u32(0, TPI_TILE_POINTS - 1u);
    }
    (void)step_of_escaped(&flow, escaped, eva_u32(0, TPI_TILE_POINTS), steps, units);
    all_lead_to_states(TPI_TILE_POINTS);
}

/* A tile of `size` unknown bytes; plain bits begin anywhere in it, or after it. */
static const uint8_t *any_tile(uint32_t size)
{
    eva_fill(room, sizeof room);
    reader.size = size, reader.bit = eva_u32(0, UINT32_MAX),
    reader.header.stream_at = eva_u32(0, size);
    return room + (TILE - size);
}

static void residual(uint32_t size)
{
    uint16_t now = any_state();
    tile_flow flow = any_flow(few, sizeof few, (TPI_CODERS >> eva_u32(0, TPI_CODERS_HALVED)) - 1u);
    (void)one_residual(&reader, any_tile(size), &flow, eva_u32(0, TPI_TILE_POINTS - 1u), &now);
    bool still = is_state(now);
    //@ assert goes_on_in_a_state: still == 1;
}

/* Plain bits of `count` points with any step sizes. The result depends only on the bytes from the
   current bit to the tile's end, so a few sizes stand for all. */
static void bits(uint32_t size, uint32_t count)
{
    tile_point which[TPI_TILE_POINTS];
    eva_fill(steps, sizeof steps), eva_fill(units, sizeof units);
    for (uint32_t k = 0; k < TPI_TILE_POINTS; k++)
        which[k] = (tile_point)eva_u32(0, TPI_TILE_POINTS - 1u);
    add_bits(&reader, any_tile(size), steps, units, which, count);
}

int main(void)
{
    steps_lead_to_states();
    //@ loop unroll 4;
    for (uint32_t halvings = 0; halvings <= TPI_CODERS_HALVED; halvings++)
        for (uint32_t points = 1; points <= TPI_TILE_POINTS; points++)
            first_symbols(points, halvings);
    further_symbols();
    for (uint32_t size = 0; size < 24u; size++) residual(size);
    residual(TILE);
    for (uint32_t count = 0; count <= TPI_TILE_POINTS; count++) {
        bits(600, count);
        if (count < 3u || count == TPI_TILE_POINTS)
            bits(0, count), bits(24, count), bits(TILE, count);
    }
    return 0;
}
