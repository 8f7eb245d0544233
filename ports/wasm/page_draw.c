/* SPDX-License-Identifier: MIT
   ports/wasm/page_draw.c - draws the fluid as 2D metaballs: dye by species, brighter where fast,
           lit from above.
   reads   the world's view      writes  a picture, and three kernel sums at half its resolution
   memory  static: 4 bytes per pixel, 3 floats per cell of 2 x 2 pixels
   cost    O(pixels + particles * cells of a kernel): 2 to 4 ms at 400 000 pixels
   after   own design; metaballs with kernel (1 - r^2/R^2)^2 */
#include "page.h"

#define DRAW_SIDE_MAX 4096u
#define DRAW_CELLS    (PAGE_PIXELS_MAX / 4u + 2u * DRAW_SIDE_MAX)
#define DRAW_SUPPORT  0.2f  /* m: R of the kernel; a single drop has about half that radius */
#define DRAW_EDGE     0.56f /* kernel sum at which the fluid becomes visible ... */
#define DRAW_BODY     0.78f /* ... and at which it is opaque */
#define DRAW_FAST     5.0f  /* m/s: brightest */
#define DRAW_SHADES   64u

typedef struct draw_sums {
    float *body, *dye, *heat;
} draw_sums;

/* Kernel sums interpolated between two rows of cells, and the vertical slope of the body. */
typedef struct draw_row {
    float body[DRAW_SIDE_MAX / 2u + 2u], dye[DRAW_SIDE_MAX / 2u + 2u],
        heat[DRAW_SIDE_MAX / 2u + 2u];
    float slope[DRAW_SIDE_MAX / 2u + 2u];
} draw_row;

static uint32_t draw_pixels[PAGE_PIXELS_MAX];
static float draw_body[DRAW_CELLS], draw_dye[DRAW_CELLS], draw_heat[DRAW_CELLS];
static uint32_t draw_colours[DRAW_SHADES * DRAW_SHADES];
static draw_row draw_line;
static uint32_t draw_scheme; /* 1 + the scheme of draw_colours; 0: none */

/* ---- colours ---- */

typedef struct draw_colour {
    float red, green, blue;
} draw_colour;

/* [light or dark page][light or heavy fluid][at rest, moving, fast] */
static const draw_colour draw_ramps[2][2][3] = {
    {{{22, 88, 196}, {40, 150, 232}, {150, 226, 250}},
     {{206, 40, 104}, {240, 92, 132}, {255, 196, 190}}},
    {{{20, 84, 210}, {44, 164, 250}, {206, 246, 255}},
     {{204, 34, 108}, {250, 92, 130}, {255, 222, 210}}},
};

static float draw_mix(float from, float to, float share) { return from + (to - from) * share; }

static draw_colour draw_between(draw_colour from, draw_colour to, float share)
{
    return (draw_colour){draw_mix(from.red, to.red, share), draw_mix(from.green, to.green, share),
                         draw_mix(from.blue, to.blue, share)};
}

static draw_colour draw_ramp(const draw_colour *ramp, float share)
{
    if (share < 0.5f) return draw_between(ramp[0], ramp[1], share * 2.0f);
    return draw_between(ramp[1], ramp[2], share * 2.0f - 1.0f);
}

/* draw_colours[heat * DRAW_SHADES + dye], in the byte order of a little-endian picture. */
static void draw_make_colours(uint32_t is_dark)
{
    const draw_colour(*ramps)[3] = draw_ramps[is_dark != 0];
    if (draw_scheme == 1u + (is_dark != 0)) return;
    draw_scheme = 1u + (is_dark != 0);
    for (uint32_t i = 0; i < DRAW_SHADES * DRAW_SHADES; i++) {
        float heat = (float)(i / DRAW_SHADES) / (float)(DRAW_SHADES - 1u);
        float dye = (float)(i % DRAW_SHADES) / (float)(DRAW_SHADES - 1u);
        draw_colour colour =
            draw_between(draw_ramp(ramps[0], heat), draw_ramp(ramps[1], heat), dye);
        draw_colours[i] =
            (uint32_t)colour.red | (uint32_t)colour.green << 8 | (uint32_t)colour.blue << 16;
    }
}

/* ---- kernel sums ---- */

/* Adds one particle's kernel to a row of cells; `rest` is 1 - r^2/R^2 directly above or below the
   particle. */
static void draw_add_row(draw_sums at, uint32_t count, float offset, float rest, float scale,
                         float dye, float heat)
{
    for (uint32_t i = 0; i < count; i++) {
        float x = offset + (float)i;
        float share = rest - x * x * scale;
        share = share > 0.0f ? share * share : 0.0f;
        at.body[i] += share;
        at.dye[i] += share * dye;
        at.heat[i] += share * heat;
    }
}

/* Adds one particle's kernel; x, y and `radius` are in cells. */
static void draw_add(uint32_t columns, uint32_t rows, float x, float y, float radius, float dye,
                     float heat)
{
    float left = x - radius, right = x + radius, top = y - radius, bottom = y + radius;
    if (!(right > 0.0f && left < (float)columns && bottom > 0.0f && top < (float)rows)) return;
    uint32_t from = left > 0.0f ? (uint32_t)left : 0,
             to = right < (float)columns ? (uint32_t)right + 1u : columns;
    uint32_t row = top > 0.0f ? (uint32_t)top : 0,
             end = bottom < (float)rows ? (uint32_t)bottom + 1u : rows;
    float scale = 1.0f / (radius * radius);
    for (; row < end; row++) {
        float below = (float)row + 0.5f - y;
        uint32_t cell = row * columns + from;
        draw_sums at = {draw_body + cell, draw_dye + cell, draw_heat + cell};
        draw_add_row(at, to - from, (float)from + 0.5f - x, 1.0f - below * below * scale, scale,
                     dye, heat);
    }
}

static void draw_sum(uint32_t columns, uint32_t rows, float scale)
{
    tp_view view = tp_world_view(page_world());
    for (uint32_t i = 0; i < columns * rows; i++) draw_body[i] = draw_dye[i] = draw_heat[i] = 0.0f;
    for (uint32_t i = 0; i < view.count; i++) {
        float speed =
            __builtin_sqrtf(view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i]) / DRAW_FAST;
        float dye = TP_META_SPECIES(view.meta[i]) ? 1.0f : 0.0f;
        draw_add(columns, rows, view.x[i] * scale, (float)rows - view.y[i] * scale,
                 DRAW_SUPPORT * scale, dye, speed < 1.0f ? speed : 1.0f);
    }
}

/* ---- pixels ---- */

/* Interpolates the two rows of cells around pixel row `y`. Returns false if nothing is visible in
   it. */
static bool draw_make_line(uint32_t y, uint32_t columns, uint32_t rows)
{
    uint32_t upper = y > 0 ? (y - 1u) / 2u : 0, lower = upper + 1u < rows ? upper + 1u : upper;
    float share = y % 2u ? 0.25f : 0.75f, most = 0.0f;
    const float *body = draw_body + upper * columns, *body_below = draw_body + lower * columns;
    const float *dye = draw_dye + upper * columns, *dye_below = draw_dye + lower * columns;
    const float *heat = draw_heat + upper * columns, *heat_below = draw_heat + lower * columns;
    for (uint32_t i = 0; i < columns; i++) {
        draw_line.body[i + 1u] = draw_mix(body[i], body_below[i], share);
        draw_line.dye[i + 1u] = draw_mix(dye[i], dye_below[i], share);
        draw_line.heat[i + 1u] = draw_mix(heat[i], heat_below[i], share);
        draw_line.slope[i + 1u] = body_below[i] - body[i];
        most = draw_line.body[i + 1u] > most ? draw_line.body[i + 1u] : most;
    }
    draw_line.body[0] = draw_line.body[1], draw_line.body[columns + 1u] = draw_line.body[columns];
    draw_line.dye[0] = draw_line.dye[1], draw_line.dye[columns + 1u] = draw_line.dye[columns];
    draw_line.heat[0] = draw_line.heat[1], draw_line.heat[columns + 1u] = draw_line.heat[columns];
    draw_line.slope[0] = draw_line.slope[1],
    draw_line.slope[columns + 1u] = draw_line.slope[columns];
    return most > DRAW_EDGE;
}

static int32_t draw_byte(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

/* Makes a colour lighter or darker and sets its opacity to `alpha`, 0..1. */
static uint32_t draw_light(uint32_t colour, int32_t light, float alpha)
{
    int32_t red = draw_byte((int32_t)(colour & 255u) + light);
    int32_t green = draw_byte((int32_t)(colour >> 8 & 255u) + light);
    int32_t blue = draw_byte((int32_t)(colour >> 16 & 255u) + light);
    return (uint32_t)red | (uint32_t)green << 8 | (uint32_t)blue << 16 |
           (uint32_t)(alpha * 255.0f) << 24;
}

/* The pixel between cells i and i + 1 of the line. */
static uint32_t draw_pixel(uint32_t i, float share)
{
    float body = draw_mix(draw_line.body[i], draw_line.body[i + 1u], share);
    if (body <= DRAW_EDGE) return 0;
    float alpha = (body - DRAW_EDGE) / (DRAW_BODY - DRAW_EDGE);
    float dye = draw_mix(draw_line.dye[i], draw_line.dye[i + 1u], share) / body;
    float heat = draw_mix(draw_line.heat[i], draw_line.heat[i + 1u], share) / body;
    float slope = draw_mix(draw_line.slope[i], draw_line.slope[i + 1u], share);
    float across = draw_line.body[i + 1u] - draw_line.body[i];
    /* The edge of the body is lit from above and a little from the left; the effect fades towards
       the inside. */
    float light = (slope * 0.9f + across * 0.4f) / (0.35f + body * body * 0.22f);
    uint32_t shade = (uint32_t)(heat * (float)(DRAW_SHADES - 1u) + 0.5f) * DRAW_SHADES +
                     (uint32_t)(dye * (float)(DRAW_SHADES - 1u) + 0.5f);
    return draw_light(draw_colours[shade & (DRAW_SHADES * DRAW_SHADES - 1u)],
                      (int32_t)(light * 46.0f), alpha < 1.0f ? alpha : 1.0f);
}

const uint32_t *page_draw(uint32_t width, uint32_t height, uint32_t is_dark)
{
    if (width < 2u || height < 2u || width > DRAW_SIDE_MAX || height > DRAW_SIDE_MAX) return NULL;
    if (width * height > PAGE_PIXELS_MAX) return NULL;
    uint32_t columns = (width + 1u) / 2u, rows = (height + 1u) / 2u;
    float scale = (float)columns / (float)page_numbers()[PAGE_WIDTH];
    draw_make_colours(is_dark);
    draw_sum(columns, rows, scale);
    for (uint32_t y = 0; y < height; y++) {
        uint32_t *row = draw_pixels + y * width;
        bool is_seen = draw_make_line(y, columns, rows);
        for (uint32_t x = 0; x < width; x++)
            row[x] = is_seen ? draw_pixel((x + 1u) / 2u, x % 2u ? 0.25f : 0.75f) : 0;
    }
    return draw_pixels;
}
