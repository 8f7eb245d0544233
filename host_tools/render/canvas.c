/* SPDX-License-Identifier: MIT
   host_tools/render/canvas.c - software rasteriser: the canvas and its antialiased shapes.
   reads   coordinates in pixels      writes  the canvas, clipped
   memory  4 bytes per pixel          cost    the pixels covered
   after   own design: coverage is a linear ramp of the distance to the outline, one pixel wide
           (discs gain pi/12 pixel) */
#include "render_private.h"
#include <stdlib.h>
#include <string.h>

canvas *canvas_create(int32_t width, int32_t height)
{
    if (width < 1 || height < 1 || width > CANVAS_SIDE_MAX || height > CANVAS_SIDE_MAX) return NULL;
    canvas *made = malloc(sizeof *made);
    if (!made) return NULL;
    made->width = width;
    made->height = height;
    made->pixels = malloc((size_t)width * (size_t)height * 4);
    if (!made->pixels) {
        free(made);
        return NULL;
    }
    canvas_fill(made, render_rgb(0, 0, 0));
    return made;
}

void canvas_free(canvas *target)
{
    if (!target) return;
    free(target->pixels);
    free(target);
}

static void store(uint8_t *pixel, render_colour colour)
{
    pixel[0] = (uint8_t)(colour >> 24);
    pixel[1] = (uint8_t)(colour >> 16);
    pixel[2] = (uint8_t)(colour >> 8);
    pixel[3] = (uint8_t)colour;
}

static void fill_row(canvas *target, int32_t y, render_colour colour)
{
    uint8_t *pixel = canvas_at(target, 0, y);
    for (int32_t x = 0; x < target->width; x++, pixel += 4) store(pixel, colour);
}

void canvas_fill(canvas *target, render_colour colour)
{
    for (int32_t y = 0; y < target->height; y++) fill_row(target, y, colour);
}

void canvas_gradient(canvas *target, render_colour top, render_colour bottom)
{
    float last = target->height > 1 ? (float)(target->height - 1) : 1.0f;
    for (int32_t y = 0; y < target->height; y++)
        fill_row(target, y, render_mix(top, bottom, (float)y / last));
}

void canvas_copy(canvas *target, int32_t x, int32_t y, const canvas *source)
{
    int64_t left = x < 0 ? -(int64_t)x : 0; /* first visible column of the source */
    int64_t right = source->width;
    if ((int64_t)x + right > target->width) right = (int64_t)target->width - x;
    if (left >= right) return;
    for (int32_t row = 0; row < source->height; row++) {
        int64_t to = (int64_t)y + row;
        if (to < 0 || to >= target->height) continue;
        memcpy(canvas_at(target, (int32_t)(x + left), (int32_t)to),
               canvas_at(source, (int32_t)left, row), (size_t)(right - left) * 4);
    }
}

/* Source over destination, both with straight alpha (Porter and Duff 1984). */
static void blend_translucent(uint8_t *pixel, render_colour colour, uint32_t alpha)
{
    uint32_t below = (uint32_t)pixel[3] * (255u - alpha); /* 255 * the weight of the destination */
    uint32_t total = alpha * 255u + below;
    if (total == 0) return;
    for (uint32_t channel = 0; channel < 3; channel++) {
        uint32_t source = colour >> (24u - 8u * channel) & 255u;
        pixel[channel] =
            (uint8_t)((source * alpha * 255u + pixel[channel] * below + total / 2) / total);
    }
    pixel[3] = (uint8_t)((total + 127u) / 255u);
}

static uint8_t over(uint32_t source, uint32_t below, uint32_t alpha)
{
    uint32_t sum = source * alpha + below * (255u - alpha) + 128u;
    return (uint8_t)((sum + (sum >> 8)) >> 8); /* / 255, rounded, exact for sums below 65536 */
}

static void blend_alpha(uint8_t *pixel, render_colour colour, uint32_t alpha)
{
    if (pixel[3] != 255) {
        blend_translucent(pixel, colour, alpha);
        return;
    }
    pixel[0] = over(colour_red(colour), pixel[0], alpha);
    pixel[1] = over(colour_green(colour), pixel[1], alpha);
    pixel[2] = over(colour_blue(colour), pixel[2], alpha);
}

void canvas_blend(uint8_t *pixel, render_colour colour, float coverage)
{
    uint32_t alpha = (uint32_t)(clamp01(coverage) * (float)colour_alpha(colour) + 0.5f);
    if (alpha == 255)
        store(pixel, colour);
    else if (alpha != 0)
        blend_alpha(pixel, colour, alpha);
}

/* The pixels low..high - 1 that the interval from..to may touch. */
typedef struct span {
    int32_t low, high;
} span;

static span span_of(float from, float to, int32_t limit)
{
    span touched = {pixel_floor(from, 0, limit), pixel_floor(to, -1, limit - 1) + 1};
    if (!(to >= from)) touched.high = touched.low; /* NaN */
    return touched;
}

static float overlap(float from, float to, int32_t pixel)
{
    float low = from > (float)pixel ? from : (float)pixel;
    float high = to < (float)(pixel + 1) ? to : (float)(pixel + 1);
    return high > low ? high - low : 0;
}

void canvas_rectangle(canvas *target, canvas_box box, render_colour colour)
{
    span rows = span_of(box.top, box.bottom, target->height),
         columns = span_of(box.left, box.right, target->width);
    for (int32_t y = rows.low; y < rows.high; y++) {
        float tall = overlap(box.top, box.bottom, y);
        uint8_t *pixel = canvas_at(target, columns.low, y);
        for (int32_t x = columns.low; x < columns.high; x++, pixel += 4)
            canvas_blend(pixel, colour, tall * overlap(box.left, box.right, x));
    }
}

/* The share of a pixel that a disc covers, from the squared distance of their centres. */
static float disc_coverage(float squared, float radius)
{
    float inner = radius - 0.5f, outer = radius + 0.5f;
    if (squared >= outer * outer) return 0;
    if (inner > 0 && squared <= inner * inner) return 1;
    return outer - sqrtf(squared);
}

/* Colour of a ball at (u, v), in radii from its centre: darker at the rim, with a highlight at the
   upper left. */
static render_colour bead_shade(render_colour colour, float u, float v, float gloss)
{
    float rim = u * u + v * v;
    if (rim > 1) rim = 1;
    float shine_u = u + 0.32f, shine_v = v + 0.38f;
    float shine = clamp01(1 - 3.2f * (shine_u * shine_u + shine_v * shine_v));
    float dim = 1 - 0.38f * rim * rim, white = gloss * shine * shine;
    float red = (float)colour_red(colour) * dim + white,
          green = (float)colour_green(colour) * dim + white,
          blue = (float)colour_blue(colour) * dim + white;
    return render_fade(render_rgb(red < 255 ? (uint32_t)red : 255u,
                                  green < 255 ? (uint32_t)green : 255u,
                                  blue < 255 ? (uint32_t)blue : 255u),
                       colour_alpha(colour));
}

/* Draws a disc; `gloss` 0: flat, else shaded as a ball. */
static void paint_round(canvas *target, float x, float y, float radius, render_colour colour,
                        float gloss)
{
    float extent = radius + 0.5f, scale = 1 / radius;
    span rows = span_of(y - extent, y + extent, target->height),
         columns = span_of(x - extent, x + extent, target->width);
    for (int32_t row = rows.low; row < rows.high; row++) {
        float away_y = (float)row + 0.5f - y;
        uint8_t *pixel = canvas_at(target, columns.low, row);
        for (int32_t column = columns.low; column < columns.high; column++, pixel += 4) {
            float away_x = (float)column + 0.5f - x;
            float coverage = disc_coverage(away_x * away_x + away_y * away_y, radius);
            if (!(coverage > 0)) continue;
            canvas_blend(pixel,
                         gloss > 0 ? bead_shade(colour, away_x * scale, away_y * scale, gloss)
                                   : colour,
                         coverage);
        }
    }
}

void canvas_disc(canvas *target, float x, float y, float radius, render_colour colour)
{
    if (!(radius > 0)) return;
    if (radius < 0.5f) { /* smaller than a pixel: draw a disc of one pixel with less opacity */
        float fainter = 4 * radius * radius;
        colour = render_fade(colour, (uint32_t)(fainter * (float)colour_alpha(colour) + 0.5f));
        radius = 0.5f;
    }
    paint_round(target, x, y, radius, colour, 0);
}

void canvas_bead(canvas *target, float x, float y, float radius, render_colour colour)
{
    /* in levels; lower for small beads, where highlights look like noise */
    float gloss = 125 * clamp01(radius / 3.5f);
    if (radius >= 1)
        paint_round(target, x, y, radius, colour, gloss);
    else /* too small for visible shading */
        canvas_disc(target, x, y, radius, colour);
}

void canvas_glow(canvas *target, float x, float y, float radius, render_colour colour)
{
    if (!(radius > 0)) return;
    span rows = span_of(y - radius, y + radius, target->height),
         columns = span_of(x - radius, x + radius, target->width);
    float scale = 1 / (radius * radius);
    for (int32_t row = rows.low; row < rows.high; row++) {
        float away_y = (float)row + 0.5f - y;
        uint8_t *pixel = canvas_at(target, columns.low, row);
        for (int32_t column = columns.low; column < columns.high; column++, pixel += 4) {
            float away_x = (float)column + 0.5f - x;
            float inside = 1 - (away_x * away_x + away_y * away_y) * scale;
            if (inside > 0) canvas_blend(pixel, colour, inside * inside);
        }
    }
}

/* Signed distance of a point to the line through a and b, positive to the left of a -> b. */
static float edge_distance(canvas_point a, canvas_point b, canvas_point point)
{
    float along_x = b.x - a.x, along_y = b.y - a.y,
          length = sqrtf(along_x * along_x + along_y * along_y);
    return length > 0 ? (along_x * (point.y - a.y) - along_y * (point.x - a.x)) / length : 1e9f;
}

static float convex_coverage(const canvas_point *corners, size_t count, float turn,
                             canvas_point point)
{
    float inside = 1;
    for (size_t i = 0; i < count && inside > 0; i++) {
        float distance = turn * edge_distance(corners[i], corners[(i + 1) % count], point) + 0.5f;
        if (distance < inside) inside = distance;
    }
    return inside;
}

void canvas_convex(canvas *target, const canvas_point *corners, size_t count, render_colour colour)
{
    if (count < 3 || count > 16) return;
    canvas_box box = {corners[0].x, corners[0].y, corners[0].x, corners[0].y};
    float area = 0; /* twice the signed area: its sign is the winding */
    for (size_t i = 0; i < count; i++) {
        canvas_point a = corners[i], b = corners[(i + 1) % count];
        area += a.x * b.y - b.x * a.y;
        box.left = fminf(box.left, a.x);
        box.right = fmaxf(box.right, a.x);
        box.top = fminf(box.top, a.y);
        box.bottom = fmaxf(box.bottom, a.y);
    }
    if (!isfinite(area)) return;
    span rows = span_of(box.top - 1, box.bottom + 1, target->height),
         columns = span_of(box.left - 1, box.right + 1, target->width);
    for (int32_t y = rows.low; y < rows.high; y++) {
        for (int32_t x = columns.low; x < columns.high; x++) {
            canvas_point centre = {(float)x + 0.5f, (float)y + 0.5f};
            canvas_blend(canvas_at(target, x, y), colour,
                         convex_coverage(corners, count, area < 0 ? -1.0f : 1.0f, centre));
        }
    }
}

/* The part of a segment, as 0..1 along it, within distance `extent` of a row; false if there is
   none. */
static bool segment_at_row(canvas_point from, canvas_point along, float row, float extent,
                           float part[2])
{
    part[0] = 0;
    part[1] = 1;
    if (fabsf(along.y) < 1e-3f) return fabsf(row - from.y) <= extent + 1e-3f;
    float a = (row - extent - from.y) / along.y, b = (row + extent - from.y) / along.y;
    part[0] = fmaxf(0, fminf(a, b));
    part[1] = fminf(1, fmaxf(a, b));
    return part[0] <= part[1];
}

void canvas_line(canvas *target, canvas_point from, canvas_point to, float width,
                 render_colour colour)
{
    canvas_point along = {to.x - from.x, to.y - from.y};
    float squared = along.x * along.x + along.y * along.y, half = width * 0.5f,
          extent = half + 0.5f;
    if (!isfinite(squared) || !(width > 0)) return;
    if (half < 0.5f) { /* thinner than a pixel: draw one pixel wide with less opacity */
        colour = render_fade(colour, (uint32_t)(width * (float)colour_alpha(colour) + 0.5f));
        half = 0.5f;
        extent = 1;
    }
    span rows = span_of(fminf(from.y, to.y) - extent, fmaxf(from.y, to.y) + extent, target->height);
    for (int32_t row = rows.low; row < rows.high; row++) {
        float y = (float)row + 0.5f, part[2];
        if (!segment_at_row(from, along, y, extent, part)) continue;
        float a = from.x + along.x * part[0], b = from.x + along.x * part[1];
        span columns = span_of(fminf(a, b) - extent, fmaxf(a, b) + extent, target->width);
        for (int32_t column = columns.low; column < columns.high; column++) {
            float x = (float)column + 0.5f - from.x, down = y - from.y;
            float t = squared > 0 ? clamp01((x * along.x + down * along.y) / squared) : 0;
            float away_x = x - t * along.x, away_y = down - t * along.y;
            canvas_blend(canvas_at(target, column, row), colour,
                         disc_coverage(away_x * away_x + away_y * away_y, half));
        }
    }
}

void canvas_ring(canvas *target, canvas_point centre, float radius, float width,
                 render_colour colour)
{
    if (!(radius > 0) || !(width > 0)) return;
    float extent = radius + width * 0.5f + 0.5f;
    span rows = span_of(centre.y - extent, centre.y + extent, target->height);
    for (int32_t row = rows.low; row < rows.high; row++) {
        float away_y = (float)row + 0.5f - centre.y, wide = extent * extent - away_y * away_y;
        if (!(wide > 0)) continue;
        wide = sqrtf(wide);
        span columns = span_of(centre.x - wide, centre.x + wide, target->width);
        for (int32_t column = columns.low; column < columns.high; column++) {
            float away_x = (float)column + 0.5f - centre.x;
            float away = fabsf(sqrtf(away_x * away_x + away_y * away_y) - radius);
            canvas_blend(canvas_at(target, column, row), colour, width * 0.5f + 0.5f - away);
        }
    }
}
