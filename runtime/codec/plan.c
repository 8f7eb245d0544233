/* SPDX-License-Identifier: MIT
   runtime/codec/plan.c - places become residuals.
   reads   a plan's rows      writes  the same
   memory  none               cost    O(frames) a point and component
   after   the reader's own steps (read.c), which it has to agree with */
#include "codec.h"

void tpi_plan_track(tpi_tile_plan *plan, uint32_t component, uint32_t point)
{
    const tpi_predictor *predictor = &tpi_predictors[plan->component[component].predictor];
    tpi_track track = {0, 0, 0};
    for (uint32_t f = plan->first[point], age = 0; f < plan->end[point]; f++, age++) {
        int32_t *row = tpi_plan_row(plan, f, component) + point;
        uint32_t place = (uint32_t)*row,
                 from = (uint32_t)(age < 2u ? track.place : tpi_track_predict(&track));
        if (age == 0) {
            track.place = (int32_t)place;
            continue;
        }
        *row = (int32_t)(place - from);
        if (age > 1u)
            tpi_track_move(&track, predictor, *row);
        else
            track =
                (tpi_track){(int32_t)place, predictor->is_moving ? (int32_t)(16u * (uint32_t)*row) : 0, 0};
    }
}

void tpi_plan_follow(tpi_tile_plan *plan, uint32_t component)
{
    uint32_t apart = plan->component[component].follows;
    for (uint32_t f = 2; f < plan->frames && apart; f++) {
        int32_t *row = tpi_plan_row(plan, f, component);
        for (uint32_t p = plan->points; p-- > apart;)
            row[p] = (int32_t)((uint32_t)row[p] - (uint32_t)row[p - apart]);
    }
}
