/* SPDX-License-Identifier: MIT
   host_tools/clip/pack_near.c - the nearest points of a tile, as contexts of residuals.
   reads   residuals that are coded already      writes  the positions of the points
   memory  of the caller                         cost    O(points) per point and frame
   after   own design: points that are close are accelerated alike. Integers only, so that every
           machine decodes the same */
#include "pack.h"

#define NEAR_SIDE (1 << 20) /* larger distances along an axis count as this */

static int64_t clipped(int64_t value, int64_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

/* Square of the distance in the frame before, in eighths of the coarsest spacing. */
static uint64_t distance(const host_tile_near *near, const tpi_tile_plan *plan, uint32_t p,
                         uint32_t q)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < plan->components; c++) {
        const tpi_tile_component *component = &plan->component[c];
        if (component->is_exact) continue;
        int64_t apart = (int64_t)near->track[c][p].position - near->track[c][q].position;
        apart = clipped(apart * (8 - 2 * component->fineness), NEAR_SIDE);
        sum += (uint64_t)(apart * apart);
    }
    return sum;
}

static bool has_residual(const tpi_tile_plan *plan, uint32_t f, uint32_t p)
{
    return f >= plan->first[p] + 2u && f < plan->end[p];
}

void host_near_find(host_tile_near *near, const tpi_tile_plan *plan, uint32_t f)
{
    for (uint32_t p = 0; p < plan->points; p++) {
        uint64_t least[HOST_NEAREST];
        uint32_t count = 0;
        for (uint32_t q = 0; q < p && has_residual(plan, f, p); q++) {
            if (!has_residual(plan, f, q)) continue;
            uint64_t of = distance(near, plan, p, q);
            if (count == HOST_NEAREST && of >= least[count - 1u]) continue;
            uint32_t at = count < HOST_NEAREST ? count++ : count - 1u;
            for (; at && least[at - 1u] > of; at--)
                least[at] = least[at - 1u], near->nearest[p][at] = near->nearest[p][at - 1u];
            least[at] = of, near->nearest[p][at] = (uint8_t)q;
        }
        near->count[p] = (uint8_t)count;
    }
}

host_near_values host_near_of(const host_tile_near *near, const tpi_tile_plan *plan, uint32_t f,
                              uint32_t c, uint32_t p)
{
    const tpi_tile_component *component = &plan->component[c];
    const int32_t *now = near->residual[f & 1u][c], *before = near->residual[~f & 1u][c];
    int64_t sum = 0, sum_before = 0, size = 0, count = near->count[p],
            led = tpi_led_residual(now, p, component->follows, component->second);
    if (!count) return (host_near_values){0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        int64_t one = clipped(now[near->nearest[p][k]], NEAR_SIDE);
        sum += one, size += one < 0 ? -one : one;
        sum_before += clipped(before[near->nearest[p][k]], NEAR_SIDE);
    }
    return (host_near_values){
        (int32_t)clipped(2 * (sum - led * count) / count, NEAR_SIDE),
        (int32_t)clipped(2 * (sum_before - before[p] * count) / count, NEAR_SIDE),
        (uint32_t)(16 * size / count)};
}

void host_near_move(host_tile_near *near, const tpi_tile_plan *plan, uint32_t f, uint32_t c,
                    uint32_t p)
{
    const tpi_tile_component *component = &plan->component[c];
    tpi_track *track = &near->track[c][p];
    int32_t *residual = near->residual[f & 1u][c], value = tpi_plan_row(plan, f, c)[p];
    uint32_t age = f - plan->first[p];
    residual[p] = 0;
    if (!age) {
        *track = (tpi_track){value, 0, 0};
    } else if (age == 1u) {
        uint32_t position = (uint32_t)track->position + (uint32_t)value;
        *track = tpi_predictor_begin(component, (int32_t)position, value);
    } else {
        uint32_t led =
            (uint32_t)tpi_led_residual(residual, p, component->follows, component->second);
        residual[p] = (int32_t)((uint32_t)value + led);
        tpi_predictor_move(component, f, track, residual[p]);
    }
}
