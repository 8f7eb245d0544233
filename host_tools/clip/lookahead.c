/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead.c - the beam search of a track.
   reads   the places within the bound      writes  residuals
   memory  of the caller                    cost    see lookahead.h
   after   own design; places are tried with the decoder's own arithmetic, so that the bound holds for what is read */
#include "lookahead.h"
#include <math.h>

static double place_value(const tpi_lattice *lattice, float step, int32_t place)
{
    return (double)(lattice->origin + step * (float)place);
}

bool host_search_places(host_search *search, const float *values, uint32_t frames, const tpi_lattice *lattice,
                        uint32_t fineness, double bound)
{
    float step = tpi_lattice_step(lattice, fineness);
    for (uint32_t f = 0; f < frames; f++) {
        double value = (double)values[f];
        double low = ceil((value - bound - (double)lattice->origin) / (double)step),
               high = floor((value + bound - (double)lattice->origin) / (double)step);
        if (!(low > -1e9 && high < 1e9)) return false;
        int32_t first = (int32_t)low - 1, last = (int32_t)high + 1;
        while (first <= last && fabs(place_value(lattice, step, first) - value) > bound) first++;
        while (first <= last && fabs(place_value(lattice, step, last) - value) > bound) last--;
        if (first > last) return false;
        search->low[f] = first, search->high[f] = last;
    }
    return true;
}

/* ---- what residuals cost ---- */

#define NEAR_RESIDUALS 8

void host_search_begin(host_search *search)
{
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
        for (int32_t residual = -NEAR_RESIDUALS; residual <= NEAR_RESIDUALS; residual++) {
            uint16_t state = tpi_codec_states[s];
            uint32_t cost = tpi_residual_cost(&state, residual),
                     at = s * TPI_CODEC_ROW + (uint32_t)(residual + NEAR_RESIDUALS);
            search->costs[at] = cost | (uint32_t)state << 16;
        }
}

/* As tpi_residual_cost. */
TPI_INLINE uint32_t search_cost(const host_search *search, uint16_t *state, int32_t residual)
{
    uint32_t near = (uint32_t)residual + NEAR_RESIDUALS;
    if (near > 2u * NEAR_RESIDUALS) return tpi_residual_cost(state, residual);
    uint32_t word = search->costs[TPI_STATE_ROW(*state) + near];
    *state = (uint16_t)(word >> 16);
    return word & 0xffffu;
}

/* ---- the cheapest ways ---- */

#define RESTING_STATES 17u /* the first ones: nothing but zeros so far, and how many */

/* States after zeros alone are alike. */
static uint32_t alike_state(uint32_t state)
{
    return TPI_STATE_ROW(state) < RESTING_STATES * TPI_CODEC_ROW ? 0 : state;
}

/* Whether both go on alike, or nearly so: one of them is enough. */
static bool is_same_way(const host_beam *a, const host_beam *b)
{
    int32_t apart = (a->track.velocity ^ b->track.velocity) | (a->track.place ^ b->track.place) |
                    (a->track.acceleration ^ b->track.acceleration);
    return ((uint32_t)apart | (alike_state(a->state) ^ alike_state(b->state))) == 0;
}

/* Keeps the cheapest ways, cheapest first, each place and motion once; returns how many there are now. */
static uint32_t keep_beam(host_beam *beams, uint32_t count, uint32_t most, const host_beam *beam)
{
    uint32_t at = 0;
    while (at < count && !is_same_way(&beams[at], beam)) at++;
    if (at < count && beams[at].cost <= beam->cost) return count;
    if (at < count)
        count--;
    else if (count == most)
        at--, count--;
    for (; at > 0 && beams[at - 1].cost > beam->cost; at--) beams[at] = beams[at - 1];
    beams[at] = *beam;
    return count + 1u;
}

/* What a first velocity costs, about: half of its bits are those that its neighbours have too. */
static uint32_t velocity_cost(int32_t velocity)
{
    uint32_t cost = 0;
    for (uint32_t size = (uint32_t)(velocity < 0 ? -velocity : velocity); size; size >>= 1) cost += 8u;
    return cost;
}

/* Moves a way on by its residual. */
static void beam_after(host_beam *next, const tpi_predictor *predictor, uint32_t frame)
{
    if (frame > 1u) {
        tpi_track_move(&next->track, predictor, next->residual);
        return;
    }
    next->track.place += next->residual;
    next->track.velocity = predictor->is_moving ? 16 * next->residual : 0;
}

static uint32_t first_beams(host_search *search, uint32_t start)
{
    uint32_t count = 0;
    for (int32_t place = search->low[0]; place <= search->high[0] && count < search->beams; place++)
        search->beam[0][count++] = (host_beam){{place, 0, 0}, place, 0, tpi_codec_states[start], 0};
    return count;
}

/* One way on from beam k of the frame before, to `place`; returns how many are kept now. */
TPI_INLINE uint32_t search_place(host_search *search, const tpi_predictor *how, uint32_t f, uint32_t k,
                                 int32_t from, int32_t place, uint32_t kept)
{
    const host_beam *beam = &search->beam[f - 1u][k];
    uint16_t state = beam->state;
    int32_t residual = place - from;
    uint32_t cost = beam->cost + (f == 1u ? velocity_cost(residual) : search_cost(search, &state, residual));
    if (kept == search->beams && cost >= search->beam[f][kept - 1u].cost) return kept;
    if (f > 1u) residual = (int32_t)((uint32_t)residual + (uint32_t)search->led[f]);
    host_beam next = {beam->track, residual, cost, state, (uint8_t)k};
    beam_after(&next, how, f);
    return keep_beam(search->beam[f], kept, search->beams, &next);
}

/* All ways on from one beam: to the place predicted, or the nearest within the bound, and to its neighbours; in frame 1 to
   all places. */
static uint32_t search_beam(host_search *search, const tpi_predictor *how, uint32_t f, uint32_t k,
                            uint32_t kept)
{
    const host_beam *beam = &search->beam[f - 1u][k];
    int32_t low = search->low[f], high = search->high[f],
            from = f == 1u ? beam->track.place
                           : (int32_t)((uint32_t)tpi_track_predict(&beam->track) + (uint32_t)search->led[f]);
    if (f == 1u) {
        for (int32_t place = low; place <= high; place++)
            kept = search_place(search, how, f, k, from, place, kept);
        return kept;
    }
    int32_t near = from < low ? low : from > high ? high : from;
    kept = search_place(search, how, f, k, from, near, kept);
    if (near > low) kept = search_place(search, how, f, k, from, near - 1, kept);
    if (near < high) kept = search_place(search, how, f, k, from, near + 1, kept);
    return kept;
}

uint32_t host_search_track(host_search *search, uint32_t frames, uint32_t predictor, uint32_t start,
                           int32_t *residuals, uint32_t stride)
{
    const tpi_predictor *how = &tpi_predictors[predictor];
    uint32_t count = first_beams(search, start);
    for (uint32_t f = 1; f < frames; f++) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; k++) { /* the cheapest first: those behind cost no less */
            bool is_full = kept == search->beams;
            if (is_full && search->beam[f - 1u][k].cost >= search->beam[f][kept - 1u].cost) break;
            kept = search_beam(search, how, f, k, kept);
        }
        count = kept;
    }
    uint32_t best = 0;
    uint32_t cost = search->beam[frames - 1][best].cost;
    for (uint32_t f = frames; f-- > 0; best = search->beam[f][best].from)
        residuals[f * stride] = search->beam[f][best].residual;
    return cost;
}
