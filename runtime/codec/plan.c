/* SPDX-License-Identifier: MIT
   runtime/codec/plan.c - prediction in the encoder: coordinates to residuals, cost of a predictor.
   reads   a plan's rows      writes  the same
   memory  192 bytes of stack
   cost    O(frames) per point and component; vectorised if no lifetimes are stored
   after   own design; must match the decoder (read.c) */
#include "codec.h"

static void plan_track(tpi_tile_plan *plan, uint32_t component, uint32_t point)
{
    const tpi_tile_component *how = &plan->component[component];
    tpi_track track = {0, 0, 0};
    for (uint32_t f = plan->first[point], age = 0; f < plan->end[point]; f++, age++) {
        int32_t *row = tpi_plan_row(plan, f, component) + point;
        uint32_t position = (uint32_t)*row,
                 from =
                     (uint32_t)(age < 2u ? track.position : tpi_predictor_predict(how, f, &track));
        if (age == 0) {
            track.position = (int32_t)position;
            continue;
        }
        *row = (int32_t)(position - from);
        if (age > 1u)
            tpi_predictor_move(how, f, &track, *row);
        else
            track = tpi_predictor_begin(how, (int32_t)position, *row);
    }
}

/* ---- TPI_PLAN_TOGETHER points at once ---- */

typedef struct plan_tracks {
    int32_t position[TPI_PLAN_TOGETHER], velocity[TPI_PLAN_TOGETHER],
        acceleration[TPI_PLAN_TOGETHER];
} plan_tracks;

/* Predictor states after the first two positions. */
static void tracks_begin(plan_tracks *tracks, const tpi_predictor *how, const int32_t *first,
                         const int32_t *next)
{
    for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++) {
        uint32_t velocity = (uint32_t)next[k] - (uint32_t)first[k];
        tracks->position[k] = next[k];
        tracks->velocity[k] = how->is_moving ? (int32_t)(16u * velocity) : 0;
        tracks->acceleration[k] = 0;
    }
}

/* Advances to the next positions; writes the residuals. */
static void tracks_move(plan_tracks *restrict tracks, const tpi_predictor *how,
                        const int32_t *coordinates, int32_t *restrict residuals)
{
    const tpi_predictor by = *how;
    for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++) {
        tpi_track track = {tracks->position[k], tracks->velocity[k], tracks->acceleration[k]};
        int32_t residual =
            (int32_t)((uint32_t)coordinates[k] - (uint32_t)tpi_track_predict(&track));
        tpi_track_move(&track, &by, residual);
        tracks->position[k] = track.position, tracks->velocity[k] = track.velocity,
        tracks->acceleration[k] = track.acceleration;
        residuals[k] = residual;
    }
}

uint32_t tpi_plan_try(const int32_t *coordinates, const uint32_t *lives, uint32_t frames,
                      uint32_t predictor)
{
    const tpi_predictor *how = &tpi_predictors[predictor];
    plan_tracks tracks;
    int32_t residuals[TPI_PLAN_TOGETHER];
    uint32_t bits[TPI_PLAN_TOGETHER] = {0}, all = 0;
    if (frames < 2u) return 0;
    tracks_begin(&tracks, how, coordinates, coordinates + TPI_PLAN_TOGETHER);
    for (uint32_t f = 2; f < frames; f++) {
        tracks_move(&tracks, how, coordinates + f * TPI_PLAN_TOGETHER, residuals);
        for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++) {
            int32_t size = (int32_t)(tpi_bits((float)residuals[k]) >> 23 & 255u) - 126;
            bits[k] += f < lives[k] && size > 0 ? (uint32_t)size : 0u;
        }
    }
    for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++) all += bits[k];
    return all;
}

/* Converts TPI_PLAN_TOGETHER points without lifetimes, from `point` on. True: a residual or
   velocity is not 0. */
static bool plan_tracks_from(tpi_tile_plan *plan, uint32_t component, uint32_t point)
{
    const tpi_predictor *how = &tpi_predictors[plan->component[component].predictor];
    uint32_t count = tpi_min_u32(plan->points - point, TPI_PLAN_TOGETHER), moved[TPI_PLAN_TOGETHER],
             any = 0;
    int32_t *row = tpi_plan_row(plan, 0, component) + point, residuals[TPI_PLAN_TOGETHER];
    uint32_t stride = plan->components * TPI_TILE_POINTS;
    plan_tracks tracks;
    if (plan->frames < 2u) return false;
    tracks_begin(&tracks, how, row, row + stride);
    for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++)
        row[stride + k] = (int32_t)(moved[k] = (uint32_t)row[stride + k] - (uint32_t)row[k]);
    for (uint32_t f = 2; f < plan->frames; f++) {
        tracks_move(&tracks, how, row + f * stride, residuals);
        tpi_memcpy(row + f * stride, residuals, sizeof residuals);
        for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++) moved[k] |= (uint32_t)residuals[k];
    }
    for (uint32_t k = 0; k < count; k++) any |= moved[k];
    return any != 0;
}

/* True if a point has a residual or velocity that is not 0. */
static bool plan_has_moved(const tpi_tile_plan *plan, uint32_t component, uint32_t point)
{
    for (uint32_t f = plan->first[point] + 1u; f < plan->end[point]; f++)
        if (tpi_plan_row(plan, f, component)[point]) return true;
    return false;
}

bool tpi_plan_tracks(tpi_tile_plan *plan, uint32_t component)
{
    bool moves = false;
    if (!plan->has_lives && !tpi_is_ballistic(&plan->component[component])) {
        for (uint32_t p = 0; p < plan->points; p += TPI_PLAN_TOGETHER)
            moves |= plan_tracks_from(plan, component, p);
        return moves;
    }
    for (uint32_t p = 0; p < plan->points; p++) {
        plan_track(plan, component, p);
        moves = moves || plan_has_moved(plan, component, p);
    }
    return moves;
}

void tpi_plan_follow(tpi_tile_plan *plan, uint32_t component)
{
    uint32_t apart = plan->component[component].follows, second = plan->component[component].second;
    for (uint32_t f = 2; f < plan->frames && apart; f++) {
        int32_t *row = tpi_plan_row(plan, f, component);
        for (uint32_t p = plan->points; p-- > apart;)
            row[p] =
                (int32_t)((uint32_t)row[p] - (uint32_t)tpi_led_residual(row, p, apart, second));
    }
}
