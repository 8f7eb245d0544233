/* SPDX-License-Identifier: MIT
   host_tools/render/colour.c - colours: interpolation, palette of species, colour map for
           magnitudes.
   reads   -      writes  -
   memory  constant tables only      cost    a few operations per call
   after   the colour map is an own curve in OKLab (Ottosson 2020) with linear lightness */
#include "render_private.h"

#define HEAT_STEPS 16

/* OKLab lightness from 0.42 to 0.95, hue from blue through teal to yellow, chroma at most 0.18 and
   inside sRGB. */
static const render_colour heat_points[HEAT_STEPS + 1] = {
    0x3d36abff, 0x244ab8ff, 0x035fb1ff, 0x026fa8ff, 0x027da6ff, 0x0b8aa6ff,
    0x0297a7ff, 0x08a4a7ff, 0x02b1a5ff, 0x0cbf9fff, 0x0fcd93ff, 0x3dd980ff,
    0x76e070ff, 0xa1e65fff, 0xc7ea50ff, 0xeaee45ff, 0xfaf0b7ff};

/* Blue and amber first: they differ in hue and lightness for every kind of colour vision. */
static const render_colour species_points[RENDER_SPECIES] = {
    0x2f86f0ff, 0xffb03aff, 0x2bc4a4ff, 0xf0577bff, 0xa98bf5ff, 0xd8e05aff, 0x6fd3f7ff, 0xe08a5aff};

render_colour render_rgb(uint32_t red, uint32_t green, uint32_t blue)
{
    return (red & 255u) << 24 | (green & 255u) << 16 | (blue & 255u) << 8 | 255u;
}

render_colour render_fade(render_colour colour, uint32_t alpha)
{
    return (colour & ~255u) | (alpha & 255u);
}

static uint32_t mix_channel(uint32_t from, uint32_t to, uint32_t amount) /* amount 0..256 */
{
    return (from * (256u - amount) + to * amount + 128u) >> 8;
}

render_colour render_mix(render_colour from, render_colour to, float amount)
{
    uint32_t weight = (uint32_t)(clamp01(amount) * 256.0f + 0.5f);
    uint32_t red = mix_channel(colour_red(from), colour_red(to), weight);
    uint32_t green = mix_channel(colour_green(from), colour_green(to), weight);
    uint32_t blue = mix_channel(colour_blue(from), colour_blue(to), weight);
    return red << 24 | green << 16 | blue << 8 |
           mix_channel(colour_alpha(from), colour_alpha(to), weight);
}

render_colour render_heat(float amount)
{
    float position = clamp01(amount) * HEAT_STEPS;
    int32_t step = pixel_floor(position, 0, HEAT_STEPS - 1);
    return render_mix(heat_points[step], heat_points[step + 1], position - (float)step);
}

render_colour render_species_colour(uint32_t species)
{
    return species_points[species % RENDER_SPECIES];
}
