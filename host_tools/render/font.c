/* SPDX-License-Identifier: MIT
   host_tools/render/font.c - draws text in a small built-in bitmap font.
   reads   ASCII text      writes  the canvas, clipped
   memory  855 bytes of constants      cost    about 100 pixels per character at scale 1
   after   own glyphs, 5 x 7 dots and two rows below the baseline; from scale 2 on, round strokes
           connect the dots */
#include "glyphs.h"
#include "render_private.h"
#include <string.h>

static const uint8_t unknown_glyph[GLYPH_HEIGHT] = {0x1f, 0x11, 0x11, 0x11, 0x11,
                                                    0x11, 0x1f, 0x00, 0x00};

static const uint8_t *glyph_of(char character)
{
    uint32_t code = (uint32_t)(unsigned char)character;
    return code >= 32 && code <= 126 ? glyphs[code - 32] : unknown_glyph;
}

static bool dot(const uint8_t *glyph, int32_t x, int32_t y)
{
    if (x < 0 || x >= GLYPH_WIDTH || y < 0 || y >= GLYPH_HEIGHT) return false;
    return (glyph[y] >> (GLYPH_WIDTH - 1 - x) & 1) != 0;
}

/* The strokes that start at dot (x, y): right, down, and diagonal if no straight strokes lead
   there. */
static size_t strokes_from(const uint8_t *glyph, int32_t x, int32_t y, canvas_point ends[4])
{
    bool right = dot(glyph, x + 1, y), below = dot(glyph, x, y + 1), left = dot(glyph, x - 1, y);
    size_t count = 0;
    if (right) ends[count++] = (canvas_point){1, 0};
    if (below) ends[count++] = (canvas_point){0, 1};
    if (!right && !below && dot(glyph, x + 1, y + 1)) ends[count++] = (canvas_point){1, 1};
    if (!left && !below && dot(glyph, x - 1, y + 1)) ends[count++] = (canvas_point){-1, 1};
    return count;
}

typedef struct stroke {
    canvas_point from, along;
} stroke;

/* Collects the strokes of a glyph: at most 4 per dot; an isolated dot is a stroke of length 0. */
static size_t glyph_strokes(const uint8_t *glyph, stroke *strokes)
{
    size_t count = 0;
    for (int32_t y = 0; y < GLYPH_HEIGHT; y++) {
        for (int32_t x = 0; x < GLYPH_WIDTH; x++) {
            if (!dot(glyph, x, y)) continue;
            canvas_point ends[4], here = {(float)x + 0.5f, (float)y + 0.5f};
            size_t made = strokes_from(glyph, x, y, ends);
            if (made == 0) ends[made++] = (canvas_point){0, 0};
            for (size_t i = 0; i < made; i++) strokes[count++] = (stroke){here, ends[i]};
        }
    }
    return count;
}

static float stroke_distance_squared(const stroke *line, float x, float y)
{
    float right = x - line->from.x, down = y - line->from.y;
    float squared = line->along.x * line->along.x + line->along.y * line->along.y;
    float t = squared > 0 ? clamp01((right * line->along.x + down * line->along.y) / squared) : 0;
    right -= t * line->along.x;
    down -= t * line->along.y;
    return right * right + down * down;
}

static void draw_smooth(canvas *target, canvas_point at, int32_t scale, render_colour colour,
                        const uint8_t *glyph)
{
    stroke strokes[GLYPH_WIDTH * GLYPH_HEIGHT * 4];
    size_t count = glyph_strokes(glyph, strokes);
    float unit = (float)scale, half = 0.54f; /* half the stroke width, in dots */
    int32_t left = pixel_floor(at.x, -CANVAS_SIDE_MAX, CANVAS_SIDE_MAX),
            top = pixel_floor(at.y, -CANVAS_SIDE_MAX, CANVAS_SIDE_MAX);
    for (int32_t row = 0; row < GLYPH_HEIGHT * scale; row++) {
        for (int32_t column = 0; column < GLYPH_WIDTH * scale; column++) {
            int32_t x = left + column, y = top + row;
            if (x < 0 || y < 0 || x >= target->width || y >= target->height) continue;
            float nearest = 1e9f;
            for (size_t i = 0; i < count; i++) {
                float away = stroke_distance_squared(&strokes[i], ((float)column + 0.5f) / unit,
                                                     ((float)row + 0.5f) / unit);
                if (away < nearest) nearest = away;
            }
            canvas_blend(canvas_at(target, x, y), colour, (half - sqrtf(nearest)) * unit + 0.5f);
        }
    }
}

static void draw_dots(canvas *target, canvas_point at, render_colour colour, const uint8_t *glyph)
{
    int32_t left = pixel_floor(at.x, -CANVAS_SIDE_MAX, CANVAS_SIDE_MAX),
            top = pixel_floor(at.y, -CANVAS_SIDE_MAX, CANVAS_SIDE_MAX);
    for (int32_t row = 0; row < GLYPH_HEIGHT; row++) {
        for (int32_t column = 0; column < GLYPH_WIDTH; column++) {
            int32_t x = left + column, y = top + row;
            if (!dot(glyph, column, row) || x < 0 || y < 0 || x >= target->width ||
                y >= target->height)
                continue;
            canvas_blend(canvas_at(target, x, y), colour, 1);
        }
    }
}

void canvas_text(canvas *target, canvas_point at, int32_t scale, render_colour colour,
                 const char *text)
{
    if (!isfinite(at.x) || !isfinite(at.y) || scale < 1 || scale > 64) return;
    for (; *text && at.x < (float)target->width; text++) {
        if (*text != ' ' && scale == 1) draw_dots(target, at, colour, glyph_of(*text));
        if (*text != ' ' && scale > 1) draw_smooth(target, at, scale, colour, glyph_of(*text));
        at.x += (float)(CANVAS_CELL_WIDTH * scale);
    }
}

int32_t canvas_text_width(const char *text, int32_t scale)
{
    size_t length = strlen(text);
    if (length > 10000) length = 10000;
    return (int32_t)length * CANVAS_CELL_WIDTH * scale;
}
