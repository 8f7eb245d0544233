/* SPDX-License-Identifier: MIT
   ports/examples/look.c - a game looks at the water: what is near a point, how deep and how fast it
           is there, what a ray meets, and where its surface is.
   reads   nothing      writes  standard output
   memory  two static blocks      cost  2000 units per frame for the index, the questions' units
   after   own design; linked with tidepool.c and a platform */
#include "tank.h"
#include <stdio.h>

#define COLUMNS 33u
#define ROWS    25u

static _Alignas(16) unsigned char block[TANK_BYTES];
static _Alignas(16) unsigned char index_block[2u * TP_QUERY_BYTES(2, TANK_DROPS)];

/* Simulates a frame and goes on with the index. A double query answers about the step before
   until the next one is complete. */
static tp_result play(tp_world *world, tp_query *query)
{
    tp_result result = tp_frame(world, NULL, NULL);
    if (result == TP_OK) result = tp_query_update(query, world, 2000);
    return result;
}

/* The three drops that are nearest to a point. */
static tp_result near_a_point(const tp_query *query)
{
    tp_region region = {TP_REGION_SPHERE, ~0u, {0.5f, -1.3f, 0}, {0, 0, 0}, 1.0f};
    tp_found found[3];
    uint32_t count = 0;
    tp_result result = tp_query_nearest(query, &region, 0, NULL, found, 3, &count);
    for (uint32_t k = 0; k < count; k++)
        printf("drop %3u is %.3f m away\n", (unsigned)found[k].id, (double)found[k].distance);
    return result;
}

/* A buoy: what carries it, and what moves it. */
static tp_result at_a_point(const tp_query *query)
{
    tp_vector point = {0.5f, -1.3f, 0};
    tp_sample sample = {0};
    tp_result result = tp_query_sample(query, &point, 1, ~0u, 0, NULL, &sample);
    printf("there %u drops count, density %.1f kg/m^2, velocity %.2f %.2f m/s\n",
           (unsigned)sample.particles, (double)sample.density, (double)sample.velocity.x,
           (double)sample.velocity.y);
    return result;
}

/* A ray down from above: water and wall, in slices of 64 units. The nearer one counts. */
static tp_result ahead_of_a_ray(const tp_query *query, const tp_world *world)
{
    tp_ray ray = {{0.5f, 1.4f, 0}, {0, -3.0f, 0}, 0.0f, ~0u};
    tp_query_cursor cursor = {0};
    tp_ray_hit water = {0}, wall = {0};
    tp_result result;
    do result = tp_query_ray(query, &ray, 64, &cursor, &water);
    while (result == TP_MORE); /* a game would go on in its next frame */
    if (result == TP_OK) result = tp_world_ray(world, &ray, 0, NULL, &wall);
    if (result != TP_OK) return result;
    printf("a ray meets drop %u at y %.3f, and the wall at y %.3f\n", (unsigned)water.particle,
           (double)water.point.y, (double)wall.point.y);
    return TP_OK;
}

/* Marching squares would draw lines between the nodes above and below half of the density at
   rest. Here the nodes are counted. */
static tp_result on_a_grid(const tp_query *query)
{
    static float values[COLUMNS * ROWS];
    tp_sample_grid grid = {TP_GRID_DENSITY, ~0u, {-2.0f, -1.5f, 0}, 0.125f, COLUMNS, ROWS, 1};
    uint32_t wet = 0;
    tp_result result = tp_query_grid(query, &grid, 0, NULL, values, COLUMNS * ROWS);
    for (uint32_t node = 0; node < COLUMNS * ROWS; node++) wet += values[node] > 50.0f;
    printf("%u of %u nodes are wet\n", (unsigned)wet, COLUMNS * ROWS);
    return result;
}

int main(void)
{
    tp_world_def def = tank_definition();
    tp_query_def query_def = tp_query_default(&def);
    tp_world *world;
    tp_query *query;
    tp_field gravity;
    query_def.is_double = true;
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = tank_fill(world, &gravity);
    if (result == TP_OK)
        result = tp_query_create(&query_def, index_block, sizeof index_block, &query);
    for (uint32_t frame = 0; frame < 60 && result >= TP_OK; frame++) result = play(world, query);
    if (result >= TP_OK) result = near_a_point(query);
    if (result >= TP_OK) result = at_a_point(query);
    if (result >= TP_OK) result = ahead_of_a_ray(query, world);
    if (result >= TP_OK) result = on_a_grid(query);
    if (result < TP_OK) puts(tp_result_text(result));
    return result < TP_OK;
}
