/* SPDX-License-Identifier: MIT
   host_tools/render/palette.c - colour quantisation: a palette of up to 255 colours for an
           animation.
   reads   pixels of several frames      writes  the palette and its look-up table
   memory  5 MB, plus 20 bytes per occupied bin during the build      cost    O(c log c) for c
           occupied bins
   after   median cut (Heckbert 1982) with the minimum-variance cuts of Wu 1991, then two rounds of
           k-means */
#include "palette.h"
#include <math.h>
#include <stdlib.h>

#define LOW_BITS (8 - PALETTE_BITS)
#define ROUNDS   2

/* Perceptual weights of differences in red, green and blue. */
static const float channel_weights[3] = {0.75f, 1.0f, 0.6f};

typedef struct colour_point {
    float position[3]; /* scaled by channel_weights */
    float weight;
    uint32_t bin;
} colour_point;

typedef struct colour_cut {
    size_t start, count;
    double error; /* weighted sum of squared distances to the mean */
    int axis;     /* the axis with the largest error */
} colour_cut;

palette *palette_create(void) { return calloc(1, sizeof(palette)); }

static uint32_t bin_of(uint32_t red, uint32_t green, uint32_t blue)
{
    return (red >> LOW_BITS) << (2 * PALETTE_BITS) | (green >> LOW_BITS) << PALETTE_BITS |
           blue >> LOW_BITS;
}

void palette_learn(palette *colours, const canvas *picture)
{
    size_t count = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = picture->pixels + i * 4;
        palette_bin *bin = &colours->bins[bin_of(pixel[0], pixel[1], pixel[2])];
        if (bin->count >= UINT32_MAX / 4) continue; /* the sums would overflow */
        bin->count++;
        for (int channel = 0; channel < 3; channel++)
            bin->low_sums[channel] += pixel[channel] & ((1u << LOW_BITS) - 1u);
    }
}

/* Mean of the colours counted in a bin, or the bin's centre. */
static void bin_position(const palette *colours, uint32_t bin, float position[3])
{
    const palette_bin *met = &colours->bins[bin];
    for (int channel = 0; channel < 3; channel++) {
        uint32_t high = bin >> ((2 - channel) * PALETTE_BITS) & ((1u << PALETTE_BITS) - 1u);
        float low = met->count ? (float)met->low_sums[channel] / (float)met->count
                               : (float)((1 << LOW_BITS) - 1) / 2;
        position[channel] = ((float)(high << LOW_BITS) + low) * channel_weights[channel];
    }
}

static size_t collect(const palette *colours, colour_point *points)
{
    size_t count = 0;
    for (uint32_t bin = 0; bin < PALETTE_BINS; bin++) {
        if (!colours->bins[bin].count) continue;
        if (points) {
            bin_position(colours, bin, points[count].position);
            /* exponent below 1, so that a large plain background leaves entries to small bright
               details */
            points[count].weight = powf((float)colours->bins[bin].count, 0.7f);
            points[count].bin = bin;
        }
        count++;
    }
    return count;
}

/* Sums of w, w x, w x^2 for each channel; they give the error of a set. */
typedef struct colour_sums {
    double weight, linear[3], square[3];
} colour_sums;

static void sums_add(colour_sums *sums, const colour_point *point, double sign)
{
    sums->weight += sign * (double)point->weight;
    for (int channel = 0; channel < 3; channel++) {
        double value = (double)point->position[channel],
               part = sign * (double)point->weight * value;
        sums->linear[channel] += part;
        sums->square[channel] += part * value;
    }
}

static double axis_error(const colour_sums *sums, int channel)
{
    if (sums->weight <= 0) return 0;
    return sums->square[channel] - sums->linear[channel] * sums->linear[channel] / sums->weight;
}

static double sums_error(const colour_sums *sums)
{
    return axis_error(sums, 0) + axis_error(sums, 1) + axis_error(sums, 2);
}

static void measure(const colour_point *points, colour_cut *box)
{
    colour_sums sums = {0};
    for (size_t i = 0; i < box->count; i++) sums_add(&sums, &points[box->start + i], 1);
    box->error = box->count > 1 ? sums_error(&sums) : 0;
    box->axis = 0;
    for (int channel = 1; channel < 3; channel++)
        if (axis_error(&sums, channel) > axis_error(&sums, box->axis)) box->axis = channel;
}

static int compare_positions(const colour_point *left, const colour_point *right, int axis)
{
    if (left->position[axis] != right->position[axis])
        return left->position[axis] < right->position[axis] ? -1 : 1;
    return left->bin < right->bin ? -1 : left->bin > right->bin;
}
static int compare_red(const void *left, const void *right)
{
    return compare_positions(left, right, 0);
}
static int compare_green(const void *left, const void *right)
{
    return compare_positions(left, right, 1);
}
static int compare_blue(const void *left, const void *right)
{
    return compare_positions(left, right, 2);
}

/* Splits a box of at least two points where the total error of both parts is smallest; returns the
   second part. */
static colour_cut cut_box(colour_point *points, colour_cut *box)
{
    static int (*const compare[3])(const void *, const void *) = {compare_red, compare_green,
                                                                  compare_blue};
    colour_point *first = points + box->start;
    qsort(first, box->count, sizeof *first, compare[box->axis]);
    colour_sums low = {0}, high = {0};
    for (size_t i = 0; i < box->count; i++) sums_add(&high, &first[i], 1);
    double least = INFINITY;
    size_t cut = 1;
    for (size_t i = 0; i + 1 < box->count; i++) {
        sums_add(&low, &first[i], 1);
        sums_add(&high, &first[i], -1);
        double error = sums_error(&low) + sums_error(&high);
        if (error < least) {
            least = error;
            cut = i + 1;
        }
    }
    colour_cut second = {box->start + cut, box->count - cut, 0, 0};
    box->count = cut;
    measure(points, box);
    measure(points, &second);
    return second;
}

static uint32_t nearest_entry(const palette *colours, const float position[3])
{
    uint32_t best = 0;
    float least = INFINITY;
    for (uint32_t i = 0; i < colours->count; i++) {
        const float *entry = colours->scaled[i];
        float red = entry[0] - position[0], green = entry[1] - position[1],
              blue = entry[2] - position[2];
        float away = red * red + green * green + blue * blue;
        if (away < least) {
            least = away;
            best = i;
        }
    }
    return best;
}

static void set_entry(palette *colours, uint32_t entry, const colour_sums *sums)
{
    for (int channel = 0; channel < 3 && sums->weight > 0; channel++) {
        double value = sums->linear[channel] / sums->weight / (double)channel_weights[channel];
        double level = value < 0 ? 0 : value > 255 ? 255 : floor(value + 0.5);
        colours->entries[entry * 3 + (uint32_t)channel] = (uint8_t)level;
        colours->scaled[entry][channel] = (float)level * channel_weights[channel];
    }
}

/* One round of k-means: every entry moves to the mean of the colours nearest to it. */
static void improve(palette *colours, const colour_point *points, size_t count)
{
    colour_sums sums[PALETTE_MAX] = {{0}};
    for (size_t i = 0; i < count; i++)
        sums_add(&sums[nearest_entry(colours, points[i].position)], &points[i], 1);
    for (uint32_t entry = 0; entry < colours->count; entry++)
        set_entry(colours, entry, &sums[entry]);
}

static void cut_all(palette *colours, colour_point *points, size_t count, uint32_t entry_max)
{
    colour_cut boxes[PALETTE_MAX] = {{0, count, 0, 0}};
    uint32_t box_count = 1;
    measure(points, &boxes[0]);
    while (box_count < entry_max) {
        uint32_t worst = 0;
        for (uint32_t i = 1; i < box_count; i++)
            if (boxes[i].error > boxes[worst].error) worst = i;
        if (boxes[worst].count < 2) break;
        boxes[box_count] = cut_box(points, &boxes[worst]);
        box_count++;
    }
    colours->count = box_count;
    for (uint32_t box = 0; box < box_count; box++) {
        colour_sums sums = {0};
        for (size_t i = 0; i < boxes[box].count; i++)
            sums_add(&sums, &points[boxes[box].start + i], 1);
        set_entry(colours, box, &sums);
    }
}

bool palette_build(palette *colours, uint32_t entry_max)
{
    size_t count = collect(colours, NULL);
    colour_point *points = malloc((count + 1) * sizeof *points);
    if (!points) return false;
    collect(colours, points);
    if (count > 0) {
        cut_all(colours, points, count, entry_max);
        for (int round = 0; round < ROUNDS; round++) improve(colours, points, count);
    } else {
        colours->count = 1; /* no colours counted: black */
    }
    for (uint32_t bin = 0; bin < PALETTE_BINS; bin++) colours->nearest[bin] = -1;
    free(points);
    return true;
}

uint32_t palette_index(palette *colours, uint32_t red, uint32_t green, uint32_t blue)
{
    uint32_t bin = bin_of(red, green, blue);
    if (colours->nearest[bin] < 0) {
        float position[3];
        bin_position(colours, bin, position);
        colours->nearest[bin] = (int16_t)nearest_entry(colours, position);
    }
    return (uint32_t)colours->nearest[bin];
}
