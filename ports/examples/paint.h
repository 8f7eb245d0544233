/* SPDX-License-Identifier: MIT
   ports/examples/paint.h - pictures by the processor: thick lines with smooth edges, and water.
   reads   worlds, poses      writes  pixels of the caller; with PAINT_FILES a file
   memory  a query and a grid of the water      cost  O(pixels)
   after   own design; water is a metaball surface: tp_query_grid, cut at half a particle */
#ifndef TIDEPOOL_PAINT_H
#define TIDEPOOL_PAINT_H
#include "tidepool.h"

#define PAINT_PARTICLES 4096u /* most particles of a world whose water is drawn */

/* Colours are 0xAARRGGBB. The lower left corner is the origin of the world. */
typedef struct paint {
    uint32_t *pixels;
    int width, height;
    float scale; /* pixels per m */
} paint;

static inline float paint_bound(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static inline float paint_root(float value) { return __builtin_sqrtf(value); }

/* From colour a to b by a share 0..1. */
static inline uint32_t paint_mix(uint32_t a, uint32_t b, float share)
{
    uint32_t to = (uint32_t)(256 * share), from = 256 - to;
    uint32_t odd = (a >> 8 & 0xff00ffu) * from + (b >> 8 & 0xff00ffu) * to;
    uint32_t even = (a & 0xff00ffu) * from + (b & 0xff00ffu) * to;
    return 0xff000000u | (odd & 0xff00ff00u) | (even >> 8 & 0xff00ffu);
}

/* A line from a to b, as wide as its radius at a and the one at b say; a disc if a is b. */
static inline void paint_line(const paint *to, tp_vector a, tp_vector b, float radius_a,
                              float radius_b, uint32_t colour)
{
    const float scale = to->scale, dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const float wide = (radius_a > radius_b ? radius_a : radius_b) * scale + 1;
    const float high = (float)to->height, opacity = (float)(colour >> 24) / 255;
    int left = (int)paint_bound((dx < 0 ? b.x : a.x) * scale - wide, 0, (float)to->width);
    int right = (int)paint_bound((dx < 0 ? a.x : b.x) * scale + wide + 1, 0, (float)to->width);
    int top = (int)paint_bound(high - (dy < 0 ? a.y : b.y) * scale - wide, 0, high);
    int bottom = (int)paint_bound(high - (dy < 0 ? b.y : a.y) * scale + wide + 1, 0, high);
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            float x = ((float)column + 0.5f) / scale - a.x;
            float y = (high - (float)row - 0.5f) / scale - a.y;
            float along = square > 0 ? paint_bound((x * dx + y * dy) / square, 0, 1) : 0;
            x -= along * dx, y -= along * dy;
            float depth = radius_a + along * (radius_b - radius_a) - paint_root(x * x + y * y);
            float share = paint_bound(depth * scale + 0.5f, 0, 1) * opacity;
            uint32_t *pixel = &to->pixels[row * to->width + column];
            *pixel = paint_mix(*pixel, colour, share);
        }
}

static inline void paint_disc(const paint *to, float x, float y, float radius, uint32_t colour)
{
    tp_vector middle = {x, y, 0};
    paint_line(to, middle, middle, radius, radius, colour);
}

/* A line of a figure, in the frame of a pose and in units of a scale; below 0 the figure is turned
   by half a turn. A colour of 0 is that of the figure. */
typedef struct paint_part {
    float ax, ay, bx, by, radius_a, radius_b;
    uint32_t colour;
} paint_part;

static inline void paint_parts(const paint *to, tp_pose pose, float scale, uint32_t colour,
                               const paint_part *parts, int count)
{
    const float size = scale < 0 ? -scale : scale;
    for (const paint_part *part = parts; part < parts + count; part++) {
        tp_vector a = tp_pose_point(pose, (tp_vector){scale * part->ax, scale * part->ay, 0});
        tp_vector b = tp_pose_point(pose, (tp_vector){scale * part->bx, scale * part->by, 0});
        paint_line(to, a, b, size * part->radius_a, size * part->radius_b,
                   part->colour ? part->colour : colour);
    }
}

static inline void paint_sky(const paint *to, uint32_t top, uint32_t bottom)
{
    for (int k = 0; k < to->width * to->height; k++)
        to->pixels[k] = paint_mix(top, bottom, (float)(k / to->width) / (float)to->height);
}

/* A disc for each particle of a species that is at least this fast. */
static inline void paint_particles(const paint *to, const tp_view *view, uint32_t species,
                                   float speed, float radius, uint32_t colour)
{
    for (uint32_t k = 0; k < view->count; k++) {
        float square = view->vx[k] * view->vx[k] + view->vy[k] * view->vy[k];
        if (TP_META_SPECIES(view->meta[k]) == species && square >= speed * speed)
            paint_disc(to, view->x[k], view->y[k], radius, colour);
    }
}

/* The water of a world: species 0, its particles `spacing` apart. No particles are behind
   the edges of the picture, which are walls: samples stay two of the 8192 nodes away from them. */
static inline tp_result paint_water(const paint *to, const tp_world *world, float spacing,
                                    uint32_t shallow, uint32_t deep)
{
    static _Alignas(16) unsigned char block[TP_QUERY_BYTES(2, PAINT_PARTICLES)];
    static float weights[8192];
    const float step = 1 / (to->scale * spacing), edge = 0.55f, height = (float)to->height * step;
    uint32_t columns = (uint32_t)((float)to->width * step) + 1, rows = (uint32_t)height + 2;
    tp_sample_grid grid = {TP_GRID_WEIGHT, 1, {0, 0, 0}, spacing, columns, rows, 1};
    tp_query_def def = tp_query_default(tp_world_definition(world));
    tp_query *query;
    tp_result result = tp_query_create(&def, block, sizeof block, &query);
    if (result == TP_OK) result = tp_query_update(query, world, 0);
    if (result == TP_OK) result = tp_query_grid(query, &grid, 0, NULL, weights, 8192);
    for (int k = 0; k < to->width * to->height && result == TP_OK; k++) {
        float y = height - ((float)(k / to->width) + 0.5f) * step;
        uint32_t colour = paint_mix(deep, shallow, paint_bound(y / height * 2, 0, 1));
        float x = paint_bound(((float)(k % to->width) + 0.5f) * step, 2, (float)columns - 3);
        y = paint_bound(y, 2, (float)rows - 3);
        const float *node = &weights[(uint32_t)y * columns + (uint32_t)x], *above = node + columns;
        x -= (float)(uint32_t)x, y -= (float)(uint32_t)y;
        float low = node[0] + x * (node[1] - node[0]), high = above[0] + x * (above[1] - above[0]);
        float excess = low + y * (high - low) - edge, rim = paint_bound(1 - excess / 2, 0, 1);
        if (excess <= 0) continue;
        colour = paint_mix(colour, 0xffbfe8f2u, rim * rim * 0.6f);
        to->pixels[k] = paint_mix(to->pixels[k], colour, paint_bound(excess * 4, 0, 0.86f));
    }
    return result;
}

#ifdef PAINT_FILES
#include <stdio.h>

/* Writes the picture as a PPM file. */
static inline bool paint_save(const paint *from, const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    fprintf(file, "P6 %d %d 255\n", from->width, from->height);
    for (int k = 0; k < from->width * from->height; k++)
        for (int shift = 16; shift >= 0; shift -= 8)
            putc((int)(from->pixels[k] >> shift & 255), file);
    return fclose(file) == 0;
}
#endif

#endif
