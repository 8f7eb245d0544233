/* SPDX-License-Identifier: MIT
   ports/screen/picture.c - checks the picture of a screen, and writes it as PNG.
   reads   picture WIDTH HEIGHT SCREEN.ppm SCREEN.png [NATIVE.ppm TOLERANCE [PERCENT]]
   writes  the PNG, and a line that describes the picture; exit code 1 if it does not show the fluid
           at rest in a tank
   memory  both pictures      cost    none
   after   PNG with stored blocks (RFC 1950, 1951); own design */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct picture {
    uint32_t width, height;
    uint8_t *rgb;
} picture;

static int picture_read(picture *to, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P6 %u %u 255", &to->width, &to->height) != 2 || fgetc(file) == EOF)
        return 1;
    if (to->width > 4096 || to->height > 4096) return 1;
    size_t bytes = (size_t)to->width * to->height * 3;
    to->rgb = malloc(bytes);
    if (!to->rgb || fread(to->rgb, 1, bytes, file) != bytes) return 1;
    return fclose(file) != 0;
}

/* ---- PNG ---- */

typedef struct png_file {
    FILE *file;
    uint32_t check;     /* CRC-32 of the chunk */
    uint32_t low, high; /* Adler-32 of the rows */
} png_file;

static void png_byte(png_file *png, uint32_t byte)
{
    fputc((int)(byte & 255u), png->file);
    png->check ^= byte & 255u;
    for (uint32_t i = 0; i < 8; i++)
        png->check = png->check >> 1 ^ (png->check & 1u ? 0xedb88320u : 0);
}

static void png_word(png_file *png, uint32_t word)
{
    for (uint32_t shift = 32; shift > 0; shift -= 8) png_byte(png, word >> (shift - 8));
}

static void png_begin(png_file *png, uint32_t bytes, const char *name)
{
    png_word(png, bytes);
    png->check = 0xffffffffu;
    for (uint32_t i = 0; i < 4; i++) png_byte(png, (uint8_t)name[i]);
}

static void png_end(png_file *png) { png_word(png, ~png->check); }

static void png_row_byte(png_file *png, uint32_t byte)
{
    png_byte(png, byte);
    png->low = (png->low + byte) % 65521u;
    png->high = (png->high + png->low) % 65521u;
}

/* Each row is one stored block. */
static void png_rows(png_file *png, const picture *from)
{
    uint32_t bytes = from->width * 3 + 1;
    png_begin(png, 2 + from->height * (bytes + 5) + 4, "IDAT");
    png_byte(png, 0x78), png_byte(png, 0x01);
    png->low = 1, png->high = 0;
    for (uint32_t row = 0; row < from->height; row++) {
        png_byte(png, row + 1 == from->height);
        png_byte(png, bytes), png_byte(png, bytes >> 8), png_byte(png, ~bytes),
            png_byte(png, ~bytes >> 8);
        png_row_byte(png, 0); /* no filter */
        for (uint32_t i = 0; i < bytes - 1; i++)
            png_row_byte(png, from->rgb[row * (bytes - 1) + i]);
    }
    png_word(png, png->high << 16 | png->low);
    png_end(png);
}

static int png_write(const picture *from, const char *path)
{
    png_file png = {.file = fopen(path, "wb")};
    if (!png.file) return 1;
    png_word(&png, 0x89504e47u), png_word(&png, 0x0d0a1a0au);
    png_begin(&png, 13, "IHDR");
    png_word(&png, from->width), png_word(&png, from->height);
    png_byte(&png, 8), png_byte(&png, 2); /* bits, red green blue */
    png_byte(&png, 0), png_byte(&png, 0), png_byte(&png, 0);
    png_end(&png);
    png_rows(&png, from);
    png_begin(&png, 0, "IEND");
    png_end(&png);
    return fclose(png.file) != 0;
}

/* ---- checks of the picture ---- */

/* The fluid's colours have much more blue than red, and are lighter than the tank. */
static int is_water(const uint8_t *rgb) { return rgb[2] > 90 && rgb[2] > rgb[0] + 40; }

static uint32_t count_water(const picture *seen, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t i = from * seen->width; i < to * seen->width; i++)
        count += (uint32_t)is_water(seen->rgb + 3 * i);
    return count;
}

static int is_fluid_in_tank(const picture *seen)
{
    uint32_t above = count_water(seen, 0, seen->height / 2);
    uint32_t below = count_water(seen, seen->height / 2, seen->height);
    printf("picture %u x %u: %u pixels of fluid in the upper half, %u in the lower\n", seen->width,
           seen->height, above, below);
    return below > seen->width * seen->height / 8 && below > 3 * above;
}

static int is_like_native(const picture *seen, const picture *native, uint32_t tolerance,
                          uint32_t percent)
{
    uint32_t different = 0, bytes = seen->width * seen->height * 3;
    if (seen->width != native->width || seen->height != native->height) return 0;
    for (uint32_t i = 0; i < bytes; i++)
        different += (uint32_t)abs((int)seen->rgb[i] - (int)native->rgb[i]) > tolerance;
    printf("of %u samples %u are further than %u from those drawn here\n", bytes, different,
           tolerance);
    return different <= bytes / 100 * percent;
}

int main(int count, char **words)
{
    picture seen = {0}, native = {0};
    if (count < 5 || picture_read(&seen, words[3]) || png_write(&seen, words[4])) return 1;
    int good = seen.width == (uint32_t)atoi(words[1]) && seen.height == (uint32_t)atoi(words[2]);
    good = is_fluid_in_tank(&seen) && good;
    if (count >= 7) {
        if (picture_read(&native, words[5])) return 1;
        good = is_like_native(&seen, &native, (uint32_t)atoi(words[6]),
                              count > 7 ? (uint32_t)atoi(words[7]) : 0) &&
               good;
    }
    free(seen.rgb);
    free(native.rgb);
    return !good;
}
