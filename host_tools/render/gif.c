/* SPDX-License-Identifier: MIT
   host_tools/render/gif.c - writes a looping animated GIF frame by frame; each frame contains only
           the changed rectangle.
   reads   canvases      writes  one file
   memory  2 bytes per pixel, the palette, 100 KiB of LZW code table      cost    about 10 ns per
           pixel and frame
   after   GIF89a (CompuServe 1990); LZW of Welch 1984; one transparent index for unchanged
           pixels */
#include "palette.h"
#include "render_private.h"
#include <stdlib.h>
#include <string.h>

#define LZW_CODES   4096u
#define LZW_SLOTS   16384u /* hash table, at most a quarter full */
#define SUB_BLOCK   255u
#define DELAY_LEAST 2u /* 1/100 s; browsers show shorter delays as 10 */

struct gif_writer {
    host_output output;
    gif_options options;
    palette *colours;
    uint8_t *shown; /* palette index of every pixel that a viewer shows now */
    uint8_t *next;  /* the same for the frame being added */
    uint64_t frame_count;
    uint32_t learnt;
    bool failed;
    uint32_t key_of[LZW_SLOTS]; /* (prefix << 8 | pixel) + 1; 0: free */
    uint16_t code_of[LZW_SLOTS];
    uint8_t block[SUB_BLOCK + 1]; /* length byte, then codes */
    uint32_t block_size;
    uint32_t bits, bit_count;
};

static void put(gif_writer *writer, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, writer->output.stream) != size) writer->failed = true;
}

static void put_byte(gif_writer *writer, uint32_t value)
{
    uint8_t byte = (uint8_t)value;
    put(writer, &byte, 1);
}

static void put_le16(gif_writer *writer, uint32_t value)
{
    put_byte(writer, value & 255u);
    put_byte(writer, value >> 8 & 255u);
}

/* ---- LZW */

static void flush_block(gif_writer *writer)
{
    if (writer->block_size == 0) return;
    writer->block[0] = (uint8_t)writer->block_size;
    put(writer, writer->block, writer->block_size + 1);
    writer->block_size = 0;
}

static void put_code(gif_writer *writer, uint32_t code, uint32_t width)
{
    writer->bits |= code << writer->bit_count; /* at most 7 + 12 bits */
    writer->bit_count += width;
    while (writer->bit_count >= 8) {
        writer->block[++writer->block_size] = (uint8_t)writer->bits;
        writer->bits >>= 8;
        writer->bit_count -= 8;
        if (writer->block_size == SUB_BLOCK) flush_block(writer);
    }
}

/* The slot of a key, or the free slot in which to insert it (linear probing). */
static uint32_t find_slot(const gif_writer *writer, uint32_t key)
{
    uint32_t slot = key * 2654435761u >> 18; /* upper 14 bits of Knuth's multiplicative hash */
    while (writer->key_of[slot] != 0 && writer->key_of[slot] != key) slot = (slot + 1) % LZW_SLOTS;
    return slot;
}

typedef struct gif_area {
    int32_t left, top, width, height;
} gif_area;

/* LZW-codes the pixels of `next` in the area; `depth` is the number of bits of a palette index, at
   least 2. */
static void put_pixels(gif_writer *writer, gif_area area, uint32_t depth)
{
    uint32_t clear = 1u << depth, width = depth + 1, free_code = clear + 2, prefix = UINT32_MAX;
    put_byte(writer, depth);
    memset(writer->key_of, 0, sizeof writer->key_of);
    put_code(writer, clear, width);
    for (int32_t y = area.top; y < area.top + area.height; y++) {
        const uint8_t *row =
            writer->next + (size_t)y * (size_t)writer->options.width + (size_t)area.left;
        for (int32_t x = 0; x < area.width; x++) {
            uint32_t key = (prefix << 8 | row[x]) + 1;
            if (prefix == UINT32_MAX) { /* first pixel */
                prefix = row[x];
                continue;
            }
            uint32_t slot = find_slot(writer, key);
            if (writer->key_of[slot]) {
                prefix = writer->code_of[slot];
                continue;
            }
            put_code(writer, prefix, width);
            prefix = row[x];
            if (free_code < LZW_CODES) {
                writer->key_of[slot] = key;
                writer->code_of[slot] = (uint16_t)free_code;
                /* the decoder's table is one code behind */
                if (free_code++ == 1u << width) width++;
            } else {
                put_code(writer, clear, width);
                memset(writer->key_of, 0, sizeof writer->key_of);
                width = depth + 1;
                free_code = clear + 2;
            }
        }
    }
    put_code(writer, prefix, width);
    if (free_code == 1u << width && width < 12) width++; /* the decoder adds a code here too */
    put_code(writer, clear + 1, width);
    if (writer->bit_count) put_code(writer, 0, 8 - writer->bit_count);
    flush_block(writer);
    put_byte(writer, 0);
}

/* ---- file */

static uint32_t palette_depth(const gif_writer *writer)
{
    uint32_t depth = 2;
    /* one more index, for transparent pixels */
    while (1u << depth < writer->colours->count + 1) depth++;
    return depth;
}

static void put_header(gif_writer *writer)
{
    uint32_t depth = palette_depth(writer);
    uint8_t table[PALETTE_MAX * 3] = {0};
    memcpy(table, writer->colours->entries, (size_t)writer->colours->count * 3);
    put(writer, "GIF89a", 6);
    put_le16(writer, (uint32_t)writer->options.width);
    put_le16(writer, (uint32_t)writer->options.height);
    put_byte(writer, 0xf0u | (depth - 1)); /* palette follows, 8 bits per channel */
    put_le16(writer, 0);                   /* background index, square pixels */
    put(writer, table, (size_t)3 << depth);
    put(writer, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19); /* repeat forever */
}

static void put_frame(gif_writer *writer, gif_area area, uint32_t delay)
{
    put(writer, "\x21\xf9\x04\x05", 4); /* disposal: keep; has a transparent index */
    put_le16(writer, delay < 65535 ? delay : 65535);
    put_byte(writer, writer->colours->count);
    put_byte(writer, 0);
    put_byte(writer, 0x2c);
    put_le16(writer, (uint32_t)area.left);
    put_le16(writer, (uint32_t)area.top);
    put_le16(writer, (uint32_t)area.width);
    put_le16(writer, (uint32_t)area.height);
    put_byte(writer, 0); /* global palette, not interlaced */
    put_pixels(writer, area, palette_depth(writer));
}

int gif_open(gif_writer **writer, const char *path, const gif_options *options)
{
    *writer = NULL;
    if (options->width < 1 || options->height < 1 || options->width > CANVAS_SIDE_MAX ||
        options->height > CANVAS_SIDE_MAX || !(options->frames_per_second > 0) ||
        options->colours > 255)
        return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "a GIF needs sides of 1..%d pixels, a frame rate and at most 255 colours",
                          CANVAS_SIDE_MAX);
    gif_writer *made = calloc(1, sizeof *made);
    size_t size = (size_t)options->width * (size_t)options->height;
    if (made) {
        made->options = *options;
        made->colours = palette_create();
        made->shown = malloc(size);
        made->next = malloc(size);
    }
    int result = HOST_OUT_OF_MEMORY;
    if (made && made->colours && made->shown && made->next)
        result = host_output_open(&made->output, path);
    else
        host_error(HOST_OUT_OF_MEMORY, path, HOST_NO_OFFSET, "not enough memory for the animation");
    if (result == HOST_DONE) {
        *writer = made;
        return HOST_DONE;
    }
    if (made) {
        free(made->colours);
        free(made->shown);
        free(made->next);
    }
    free(made);
    return result;
}

static bool fits(const gif_writer *writer, const canvas *picture)
{
    return picture->width == writer->options.width && picture->height == writer->options.height;
}

int gif_learn(gif_writer *writer, const canvas *picture)
{
    if (!fits(writer, picture) || writer->colours->count) return HOST_USAGE;
    palette_learn(writer->colours, picture);
    writer->learnt++;
    return HOST_DONE;
}

static uint32_t dithered(uint32_t level, int32_t offset)
{
    int32_t value = (int32_t)level + offset;
    return value < 0 ? 0u : value > 255 ? 255u : (uint32_t)value;
}

/* Fills `next` with the palette indices of the picture. */
static void index_picture(gif_writer *writer, const canvas *picture)
{
    static const int8_t bayer[16] = {-8, 0, -6, 2, 4, -4, 6, -2,
                                     -5, 3, -7, 1, 7, -1, 5, -3}; /* Bayer 1973, minus 8 */
    uint8_t *index = writer->next;
    for (int32_t y = 0; y < picture->height; y++) {
        const uint8_t *pixel = canvas_at(picture, 0, y);
        for (int32_t x = 0; x < picture->width; x++, pixel += 4) {
            int32_t offset = writer->options.dither ? bayer[(y & 3) * 4 + (x & 3)] : 0;
            *index++ =
                (uint8_t)palette_index(writer->colours, dithered(pixel[0], offset),
                                       dithered(pixel[1], offset), dithered(pixel[2], offset));
        }
    }
}

/* Bounding rectangle of the pixels that differ from those shown; one pixel if none differs. */
static gif_area changed_area(const gif_writer *writer)
{
    int32_t width = writer->options.width, height = writer->options.height;
    int32_t left = width, right = -1, top = height, bottom = -1;
    for (int32_t y = 0; y < height; y++) {
        const uint8_t *shown = writer->shown + (size_t)y * (size_t)width,
                      *next = writer->next + (shown - writer->shown);
        if (memcmp(shown, next, (size_t)width) == 0) continue;
        if (top == height) top = y;
        bottom = y;
        int32_t first = 0, last = width - 1;
        while (shown[first] == next[first]) first++;
        while (shown[last] == next[last]) last--;
        if (first < left) left = first;
        if (last > right) right = last;
    }
    if (bottom < 0) return (gif_area){0, 0, 1, 1};
    return (gif_area){left, top, right - left + 1, bottom - top + 1};
}

/* Makes unchanged pixels transparent in `next`, and copies changed ones to `shown`. */
static void mark_unchanged(gif_writer *writer, gif_area area)
{
    uint8_t transparent = (uint8_t)writer->colours->count;
    for (int32_t y = area.top; y < area.top + area.height; y++) {
        size_t row = (size_t)y * (size_t)writer->options.width;
        for (size_t i = row + (size_t)area.left; i < row + (size_t)(area.left + area.width); i++) {
            if (writer->next[i] == writer->shown[i])
                writer->next[i] = transparent;
            else
                writer->shown[i] = writer->next[i];
        }
    }
}

static uint32_t frame_delay(const gif_writer *writer)
{
    double step = 100.0 / writer->options.frames_per_second,
           start = (double)writer->frame_count * step;
    double delay = floor(start + step + 0.5) - floor(start + 0.5);
    return delay < DELAY_LEAST ? DELAY_LEAST : delay > 65535 ? 65535u : (uint32_t)delay;
}

/* Builds the palette and writes the header before the first frame. */
static int prepare(gif_writer *writer, const canvas *picture)
{
    if (writer->colours->count) return HOST_DONE;
    if (writer->learnt == 0) gif_learn(writer, picture);
    uint32_t most = writer->options.colours ? writer->options.colours : 255;
    if (!palette_build(writer->colours, most)) return HOST_OUT_OF_MEMORY;
    put_header(writer);
    return HOST_DONE;
}

int gif_add(gif_writer *writer, const canvas *picture)
{
    if (!fits(writer, picture)) return HOST_USAGE;
    if (prepare(writer, picture) != HOST_DONE) {
        writer->failed = true;
        return HOST_OUT_OF_MEMORY;
    }
    index_picture(writer, picture);
    gif_area area = {0, 0, writer->options.width, writer->options.height};
    if (writer->frame_count == 0) {
        memcpy(writer->shown, writer->next, (size_t)area.width * (size_t)area.height);
    } else {
        area = changed_area(writer);
        mark_unchanged(writer, area);
    }
    put_frame(writer, area, frame_delay(writer));
    writer->frame_count++;
    return writer->failed ? HOST_IO : HOST_DONE;
}

uint32_t gif_index_of(gif_writer *writer, const uint8_t *rgb)
{
    return palette_index(writer->colours, rgb[0], rgb[1], rgb[2]);
}

const uint8_t *gif_palette(const gif_writer *writer, uint32_t *count)
{
    *count = writer->colours->count;
    return writer->colours->entries;
}

int gif_close(gif_writer *writer, bool keep)
{
    if (!writer) return HOST_USAGE;
    if (writer->frame_count == 0) keep = false;
    if (keep && writer->options.hold > 0) { /* one more frame of one transparent pixel */
        writer->next[0] = (uint8_t)writer->colours->count;
        put_frame(writer, (gif_area){0, 0, 1, 1}, writer->options.hold);
    }
    if (keep) put_byte(writer, 0x3b);
    const char *path = writer->output.path ? writer->output.path : "-";
    bool failed = writer->failed;
    if (failed) host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot write the animation");
    int result = host_output_close(&writer->output, keep && !failed);
    free(writer->colours);
    free(writer->shown);
    free(writer->next);
    free(writer);
    return failed ? HOST_IO : result;
}
