/* SPDX-License-Identifier: MIT
   host_tools/render/y4m.c - writes frames as YUV4MPEG2, uncompressed video that any encoder reads.
   reads   canvases      writes  one file or standard output
   memory  3 bytes per pixel      cost    about 10 ns per pixel
   after   the YUV4MPEG2 manual page of mjpegtools; BT.601 limited range in 16.16 fixed point */
#include "render_private.h"
#include <stdlib.h>
#include <string.h>

static size_t chroma_width(const y4m_options *options)
{
    return options->subsampled ? ((size_t)options->width + 1) / 2 : (size_t)options->width;
}

static size_t chroma_height(const y4m_options *options)
{
    return options->subsampled ? ((size_t)options->height + 1) / 2 : (size_t)options->height;
}

int y4m_open(y4m_writer *writer, const char *path, const y4m_options *options)
{
    memset(writer, 0, sizeof *writer);
    writer->options = *options;
    if (options->width < 1 || options->height < 1 || options->width > CANVAS_SIDE_MAX ||
        options->height > CANVAS_SIDE_MAX || !options->rate_numerator || !options->rate_denominator)
        return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "a video needs sides of 1..%d pixels and a frame rate", CANVAS_SIDE_MAX);
    writer->planes = malloc((size_t)options->width * (size_t)options->height * 3);
    if (!writer->planes)
        return host_error(HOST_OUT_OF_MEMORY, path, HOST_NO_OFFSET,
                          "not enough memory for a frame");
    int result = host_output_open(&writer->output, path);
    if (result != HOST_DONE) {
        free(writer->planes);
        writer->planes = NULL;
        return result;
    }
    writer->failed =
        fprintf(writer->output.stream, "YUV4MPEG2 W%d H%d F%u:%u Ip A1:1 %s\n", (int)options->width,
                (int)options->height, (unsigned)options->rate_numerator,
                (unsigned)options->rate_denominator, options->subsampled ? "C420jpeg" : "C444") < 0;
    return HOST_DONE;
}

/* Weights of red, green and blue in 1/65536, from 0.299, 0.587, 0.114 scaled to 219 or 224 levels
   of 255. */
static uint8_t luma(int32_t red, int32_t green, int32_t blue)
{
    return (uint8_t)((16829 * red + 33039 * green + 6416 * blue + 32768) / 65536 + 16);
}

static uint8_t chroma(const int32_t weights[3], const int32_t rgb[3])
{
    int32_t sum = weights[0] * rgb[0] + weights[1] * rgb[1] + weights[2] * rgb[2];
    return (uint8_t)((sum + 128 * 65536 + 32768) / 65536);
}

/* Mean of the pixels under one chroma sample; at an odd border only the existing pixels count. */
static void mean_colour(const canvas *picture, size_t x, size_t y, size_t side, int32_t rgb[3])
{
    int32_t count = 0;
    rgb[0] = rgb[1] = rgb[2] = 0;
    for (size_t row = y * side; row < (y + 1) * side && row < (size_t)picture->height; row++) {
        for (size_t column = x * side; column < (x + 1) * side && column < (size_t)picture->width;
             column++) {
            const uint8_t *pixel = canvas_at(picture, (int32_t)column, (int32_t)row);
            for (int channel = 0; channel < 3; channel++) rgb[channel] += pixel[channel];
            count++;
        }
    }
    for (int channel = 0; channel < 3 && count > 0; channel++) rgb[channel] /= count;
}

static size_t convert(const y4m_options *options, const canvas *picture, uint8_t *planes)
{
    static const int32_t to_blue[3] = {-9714, -19070, 28784}, to_red[3] = {28784, -24103, -4681};
    size_t width = chroma_width(options), height = chroma_height(options),
           side = options->subsampled ? 2 : 1;
    size_t pixel_count = (size_t)options->width * (size_t)options->height;
    const uint8_t *pixel = picture->pixels;
    for (size_t i = 0; i < pixel_count; i++, pixel += 4)
        planes[i] = luma(pixel[0], pixel[1], pixel[2]);
    uint8_t *blue = planes + pixel_count, *red = blue + width * height;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            int32_t rgb[3];
            mean_colour(picture, x, y, side, rgb);
            *blue++ = chroma(to_blue, rgb);
            *red++ = chroma(to_red, rgb);
        }
    }
    return pixel_count + 2 * width * height;
}

int y4m_add(y4m_writer *writer, const canvas *picture)
{
    if (!writer->planes || picture->width != writer->options.width ||
        picture->height != writer->options.height)
        return HOST_USAGE;
    size_t size = convert(&writer->options, picture, writer->planes);
    FILE *stream = writer->output.stream;
    if (fputs("FRAME\n", stream) < 0 || fwrite(writer->planes, 1, size, stream) != size)
        writer->failed = true;
    return writer->failed ? HOST_IO : HOST_DONE;
}

int y4m_close(y4m_writer *writer, bool keep)
{
    if (!writer->planes) return HOST_USAGE;
    free(writer->planes);
    writer->planes = NULL;
    const char *path = writer->output.path ? writer->output.path : "-";
    if (writer->failed) host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot write the video");
    int result = host_output_close(&writer->output, keep && !writer->failed);
    return writer->failed ? HOST_IO : result;
}
