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

/* Keeps the cheapest ways, cheapest first, each place and motion once; returns how many there are now. */
static uint32_t keep_beam(host_beam *beams, uint32_t count, uint32_t most, const host_beam *beam)
{
    uint32_t at = count;
    for (uint32_t k = 0; k < count; k++) {
        if (beams[k].track.place == beam->track.place && beams[k].track.velocity == beam->track.velocity &&
            beams[k].track.acceleration == beam->track.acceleration && beams[k].state == beam->state) {
            if (beams[k].cost <= beam->cost) return count;
            at = k, count--;
            break;
        }
    }
    if (at == count && count == most) at--, count--;
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

static host_beam beam_after(const host_beam *beam, const tpi_predictor *predictor, uint32_t frame,
                            int32_t residual)
{
    host_beam next = *beam;
    next.residual = residual;
    if (frame == 1) {
        next.track.place += residual;
        next.track.velocity = predictor->is_moving ? 16 * residual : 0;
        next.cost += velocity_cost(residual);
    } else {
        tpi_track_move(&next.track, predictor, residual);
        next.cost += tpi_residual_cost(&next.state, residual);
    }
    return next;
}

static uint32_t first_beams(host_search *search, uint32_t start)
{
    uint32_t count = 0;
    for (int32_t place = search->low[0]; place <= search->high[0] && count < search->beams; place++)
        search->beam[0][count++] = (host_beam){{place, 0, 0}, place, 0, tpi_codec_states[start], 0};
    return count;
}

uint32_t host_search_track(host_search *search, uint32_t frames, uint32_t predictor, uint32_t start,
                           int32_t *residuals, uint32_t stride)
{
    const tpi_predictor *how = &tpi_predictors[predictor];
    uint32_t count = first_beams(search, start);
    for (uint32_t f = 1; f < frames; f++) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; k++) {
            host_beam *beam = &search->beam[f - 1][k];
            int32_t from = f == 1 ? beam->track.place : tpi_track_predict(&beam->track);
            int32_t near = from < search->low[f]    ? search->low[f]
                           : from > search->high[f] ? search->high[f]
                                                    : from;
            int32_t first = near - 1 < search->low[f] ? near : near - 1,
                    last = near + 1 > search->high[f] ? near : near + 1;
            if (f == 1) first = search->low[f], last = search->high[f];
            for (int32_t place = first; place <= last; place++) {
                host_beam next = beam_after(beam, how, f, place - from);
                if (kept == search->beams && next.cost >= search->beam[f][kept - 1].cost) continue;
                next.from = (uint8_t)k;
                kept = keep_beam(search->beam[f], kept, search->beams, &next);
            }
        }
        count = kept;
    }
    uint32_t best = 0;
    uint32_t cost = search->beam[frames - 1][best].cost;
    for (uint32_t f = frames; f-- > 0; best = search->beam[f][best].from)
        residuals[f * stride] = search->beam[f][best].residual;
    return cost;
}
