/* SPDX-License-Identifier: MIT
   tests/unit/test_render.c - pictures: written files decode to the same pixels, and nothing is
           drawn outside.
   reads   host_tools/render      writes  short-lived files in build/
   memory  a few MB of malloc     cost    below a second
   after   own decoders for zlib, PNG and GIF, written independently of the encoders */
#include "../../host_tools/render/deflate.h"
#include "../../host_tools/render/render.h"
#include "../harness/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH    "build/test_render.scratch"
#define GIF_FRAMES 5

static uint32_t random_state;

static uint32_t next_random(void) /* xorshift32, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static float random_between(float low, float high)
{
    return low + (high - low) * (float)(next_random() >> 8) / 16777216.0f;
}

/* ---- an inflater that reads bit by bit */

typedef struct bit_reader {
    const uint8_t *bytes;
    size_t size, at; /* at: in bits */
    bool bad;
    uint8_t *out; /* output of the inflater so far */
    size_t out_size, out_max;
} bit_reader;

static uint32_t read_bits(bit_reader *reader, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, reader->at++) {
        if (reader->at / 8 >= reader->size) {
            reader->bad = true;
            return 0;
        }
        value |= (uint32_t)(reader->bytes[reader->at / 8] >> (reader->at % 8) & 1) << i;
    }
    return value;
}

/* Decodes by walking the canonical Huffman code length by length. */
static uint32_t read_symbol(bit_reader *reader, const uint8_t *lengths, uint32_t count)
{
    int64_t code = 0, first = 0;
    for (uint32_t length = 1; length <= 15; length++) {
        code = code << 1 | read_bits(reader, 1);
        int64_t here = 0;
        for (uint32_t symbol = 0; symbol < count; symbol++) {
            if (lengths[symbol] != length) continue;
            if (first + here == code) return symbol;
            here++;
        }
        first = (first + here) << 1;
    }
    reader->bad = true;
    return 0;
}

static void append(bit_reader *reader, uint32_t byte)
{
    if (reader->out_size < reader->out_max)
        reader->out[reader->out_size++] = (uint8_t)byte;
    else
        reader->bad = true;
}

static void inflate_stored(bit_reader *reader)
{
    reader->at = (reader->at + 7) / 8 * 8;
    uint32_t size = read_bits(reader, 16);
    if (read_bits(reader, 16) != (~size & 0xffffu)) reader->bad = true;
    for (uint32_t i = 0; i < size && !reader->bad; i++) append(reader, read_bits(reader, 8));
}

static uint32_t read_lengths(bit_reader *reader, uint8_t lengths[320], uint32_t *distance_count)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint32_t literals = read_bits(reader, 5) + 257, sent;
    uint8_t run_lengths[19] = {0};
    *distance_count = read_bits(reader, 5) + 1;
    sent = read_bits(reader, 4) + 4;
    for (uint32_t i = 0; i < sent; i++) run_lengths[order[i]] = (uint8_t)read_bits(reader, 3);
    for (uint32_t i = 0; i < literals + *distance_count && !reader->bad;) {
        uint32_t symbol = read_symbol(reader, run_lengths, 19), times = 1, value = symbol;
        if (symbol == 16) times = 3 + read_bits(reader, 2), value = i ? lengths[i - 1] : 0;
        if (symbol == 17) times = 3 + read_bits(reader, 3), value = 0;
        if (symbol == 18) times = 11 + read_bits(reader, 7), value = 0;
        if (i + times > literals + *distance_count) reader->bad = true;
        while (times-- && !reader->bad) lengths[i++] = (uint8_t)value;
    }
    return literals;
}

static void inflate_coded(bit_reader *reader, bool dynamic)
{
    uint8_t lengths[320] = {0};
    uint32_t literals = 288, distances = 30;
    if (dynamic) literals = read_lengths(reader, lengths, &distances);
    for (uint32_t i = 0; i < 318 && !dynamic; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : i < 288 ? 8 : 5;
    while (!reader->bad) {
        uint32_t symbol = read_symbol(reader, lengths, literals);
        if (symbol == 256) return;
        if (symbol < 256) append(reader, symbol);
        if (symbol < 256) continue;
        uint32_t length = symbol - 254, extra = 0; /* 3..10 without extra bits */
        if (symbol >= 265 && symbol < 285) {
            extra = (symbol - 261) / 4;
            length = 3 + ((4 + (symbol - 265) % 4) << extra) + read_bits(reader, extra);
        } else if (symbol == 285) {
            length = 258;
        }
        uint32_t kind = read_symbol(reader, lengths + literals, distances), distance = kind + 1;
        if (kind >= 4) {
            extra = kind / 2 - 1;
            distance = 1 + ((2 + kind % 2) << extra) + read_bits(reader, extra);
        }
        if (distance > reader->out_size) reader->bad = true;
        for (uint32_t i = 0; i < length && !reader->bad; i++)
            append(reader, reader->out[reader->out_size - distance]);
    }
}

static uint32_t slow_adler(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) b = (b + (a = (a + bytes[i]) % 65521)) % 65521;
    return b << 16 | a;
}

/* Decodes a zlib stream to exactly `size` bytes; checks its header, its end and its Adler-32. */
static bool unpack(const uint8_t *packed, size_t packed_size, uint8_t *bytes, size_t size)
{
    bit_reader reader = {packed, packed_size, 16, packed_size < 6, bytes, 0, size};
    if (reader.bad || (packed[0] * 256 + packed[1]) % 31 != 0 || (packed[0] & 15) != 8)
        return false;
    for (bool last = false; !last && !reader.bad;) {
        last = read_bits(&reader, 1) != 0;
        uint32_t kind = read_bits(&reader, 2);
        if (kind == 0) inflate_stored(&reader);
        if (kind == 1 || kind == 2) inflate_coded(&reader, kind == 2);
        if (kind == 3) reader.bad = true;
    }
    reader.at = (reader.at + 7) / 8 * 8;
    uint32_t check = 0;
    for (int i = 0; i < 4; i++) check = check << 8 | read_bits(&reader, 8);
    return !reader.bad && reader.at == packed_size * 8 && reader.out_size == size &&
           check == slow_adler(bytes, size);
}

static void check_deflate(const uint8_t *bytes, size_t size, size_t packed_most)
{
    uint8_t *packed = NULL, *back = malloc(size + 1);
    size_t packed_size = 0;
    CHECK_EQ(deflate_zlib(bytes, size, &packed, &packed_size), HOST_DONE);
    CHECK(packed && back && unpack(packed, packed_size, back, size) &&
          memcmp(back, bytes, size) == 0);
    CHECK(packed_size <= packed_most);
    free(packed);
    free(back);
}

static void deflate_stream_inflates_to_the_same_bytes(void)
{
    static const size_t sizes[] = {0,   1,     2,     3,     4,     257,   258,   259,
                                   260, 32767, 32768, 32769, 65535, 65536, 100003};
    static uint8_t bytes[100003];
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t size = sizes[s];
        random_state = 77 + (uint32_t)s;
        test_note("size %zu, seed %u", size, (unsigned)random_state);
        memset(bytes, 0, sizeof bytes);
        check_deflate(bytes, size, 60 + size / 100);
        for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next_random();
        check_deflate(bytes, size, size + 60); /* noise is stored, not expanded */
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(next_random() % 3 + (i / 1000) % 2 * 40);
        check_deflate(bytes, size, 80 + size / 3);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(i % 251 * (i / 40000 + 1)); /* long matches at large distances */
        check_deflate(bytes, size, 340 + size / 8);
    }
}

static void huffman_code_is_full_and_within_its_limit(void)
{
    uint32_t counts[HUFFMAN_SYMBOLS];
    uint8_t lengths[HUFFMAN_SYMBOLS];
    for (uint32_t limit = 9; limit <= 15; limit++) {
        for (uint32_t kind = 0; kind < 3; kind++) {
            uint32_t a = 1, b = 1, kraft = 0;
            for (uint32_t i = 0; i < HUFFMAN_SYMBOLS; i++) {
                counts[i] = kind == 0 ? 1 + i : kind == 1 ? a : i * i % 7;
                a += b; /* Fibonacci counts give the deepest Huffman tree */
                b = a - b;
                if (a > 1000000) a = b = 1;
            }
            huffman_lengths(counts, HUFFMAN_SYMBOLS, limit, lengths);
            for (uint32_t i = 0; i < HUFFMAN_SYMBOLS; i++) {
                CHECK((lengths[i] == 0) == (counts[i] == 0) && lengths[i] <= limit);
                if (lengths[i]) kraft += 1u << (15 - lengths[i]);
            }
            test_note("limit %u, counts %u", (unsigned)limit, (unsigned)kind);
            CHECK_EQ(kraft, 1u << 15);
        }
    }
}

static void paint(canvas *picture, int kind)
{
    uint8_t *pixel = picture->pixels;
    for (int32_t y = 0; y < picture->height; y++) {
        for (int32_t x = 0; x < picture->width; x++, pixel += 4) {
            uint32_t noise = next_random();
            uint8_t level = (uint8_t)(kind == 0   ? 90u
                                      : kind == 1 ? (uint32_t)(x * 3 + y)
                                                  : noise >> 8);
            pixel[0] = level;
            pixel[1] = (uint8_t)(kind < 2 ? level / 2u : noise >> 16);
            pixel[2] = (uint8_t)(kind < 2 ? 255u - level : noise >> 24);
            pixel[3] = (uint8_t)(kind == 3 ? noise : 255);
        }
    }
}

static uint32_t be32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t slow_crc(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

/* Reads the file just written, with a zero byte after it, and removes the file. */
static uint8_t *read_scratch(size_t *size)
{
    uint8_t *bytes = NULL;
    *size = 0;
    if (host_read_file(SCRATCH, &bytes, size) != HOST_DONE) return NULL;
    remove(SCRATCH);
    uint8_t *ended = realloc(bytes, *size + 1);
    if (ended) ended[*size] = 0;
    return ended;
}

static int32_t paeth_guess(int32_t a, int32_t b, int32_t c)
{
    int32_t p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Undoes the filters in place; rows keep their filter byte at the front. */
static void unfilter(uint8_t *rows, size_t height, size_t row_size, size_t step)
{
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = rows + y * (row_size + 1) + 1, *above = y ? row - row_size - 1 : NULL;
        for (size_t i = 0; i < row_size; i++) {
            int32_t a = i >= step ? row[i - step] : 0, b = above ? above[i] : 0,
                    c = above && i >= step ? above[i - step] : 0;
            int32_t guesses[5] = {0, a, b, (a + b) / 2, paeth_guess(a, b, c)};
            row[i] = (uint8_t)(row[i] + guesses[row[-1] < 5 ? row[-1] : 0]);
        }
    }
}

static bool same_pixels(const canvas *picture, uint8_t *rows, size_t step)
{
    size_t width = (size_t)picture->width, height = (size_t)picture->height;
    unfilter(rows, height, width * step, step);
    for (size_t i = 0; i < width * height; i++) {
        const uint8_t *pixel = rows + i / width * (width * step + 1) + 1 + i % width * step;
        if (memcmp(pixel, picture->pixels + i * 4, step) != 0) return false;
        if (step == 3 && picture->pixels[i * 4 + 3] != 255) return false;
    }
    return true;
}

/* Walks the chunks, checks every CRC and compares the pixels. */
static bool png_matches(const uint8_t *file, size_t size, const canvas *picture)
{
    if (size < 57 || memcmp(file, "\x89PNG\r\n\x1a\n", 8) != 0) return false;
    size_t step = 0, raw = 0;
    bool same = false;
    for (size_t at = 8; at + 12 <= size;) {
        size_t length = be32(file + at);
        const uint8_t *data = file + at + 8;
        if (length > size - at - 12 || slow_crc(file + at + 4, length + 4) != be32(data + length))
            return false;
        if (memcmp(file + at + 4, "IHDR", 4) == 0) {
            if (be32(data) != (uint32_t)picture->width ||
                be32(data + 4) != (uint32_t)picture->height || data[8] != 8)
                return false;
            step = data[9] == 6 ? 4 : 3;
            raw = ((size_t)picture->width * step + 1) * (size_t)picture->height;
        }
        if (memcmp(file + at + 4, "IDAT", 4) == 0 && raw) {
            uint8_t *rows = malloc(raw);
            same = rows && unpack(data, length, rows, raw) && same_pixels(picture, rows, step);
            free(rows);
        }
        at += length + 12;
        if (memcmp(data - 4, "IEND", 4) == 0) return same && at == size;
    }
    return false;
}

static void png_decodes_to_the_same_pixels(void)
{
    static const int32_t sizes[][2] = {{1, 1},   {1, 7},    {3, 2},    {17, 31},
                                       {64, 64}, {255, 33}, {301, 200}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int kind = 0; kind < 4; kind++) { /* flat, gradient, noise, noise with alpha */
            random_state = 1000 + (uint32_t)s * 10 + (uint32_t)kind;
            test_note("%d x %d, kind %d", (int)sizes[s][0], (int)sizes[s][1], kind);
            canvas *picture = canvas_create(sizes[s][0], sizes[s][1]);
            if (!CHECK(picture != NULL)) return;
            paint(picture, kind);
            CHECK_EQ(png_write(SCRATCH, picture), HOST_DONE);
            size_t size = 0;
            uint8_t *file = read_scratch(&size);
            CHECK(file && png_matches(file, size, picture));
            if (kind == 0) CHECK(size < 700);
            free(file);
            canvas_free(picture);
        }
    }
}

/* ---- a GIF player */

typedef struct gif_player {
    const uint8_t *file;
    size_t size, at;
    uint32_t width, height, table_size;
    const uint8_t *table;
    uint8_t *screen; /* 3 bytes per pixel */
    uint32_t transparent, delay_sum;
    bool bad;
} gif_player;

static uint32_t take(gif_player *player)
{
    if (player->at < player->size) return player->file[player->at++];
    player->bad = true;
    return 0;
}

static uint32_t take16(gif_player *player)
{
    uint32_t low = take(player);
    return low + take(player) * 256;
}

/* Joins the following sub-blocks into one buffer. */
static uint8_t *take_blocks(gif_player *player, size_t *size)
{
    uint8_t *joined = malloc(player->size);
    *size = 0;
    for (uint32_t length = take(player); joined && length && !player->bad; length = take(player))
        for (uint32_t i = 0; i < length; i++) joined[(*size)++] = (uint8_t)take(player);
    return joined;
}

/* Decodes LZW codes into indices: each table entry is an earlier entry and one more index. */
static size_t unpack_lzw(const uint8_t *codes, size_t size, uint32_t depth, uint8_t *indices,
                         size_t count)
{
    static uint16_t parent[4096], length[4096];
    static uint8_t final[4096];
    uint32_t clear = 1u << depth, next = clear + 2, width = depth + 1, last = UINT32_MAX;
    size_t made = 0;
    bit_reader reader = {.bytes = codes, .size = size};
    for (uint32_t i = 0; i < clear; i++) final[i] = (uint8_t)i, length[i] = 1;
    while (!reader.bad) {
        uint32_t code = read_bits(&reader, width);
        if (code == clear + 1) break;
        if (code == clear) {
            next = clear + 2, width = depth + 1, last = UINT32_MAX;
            continue;
        }
        if (code > next || (code == next && last == UINT32_MAX) || code >= 4096) return SIZE_MAX;
        if (last != UINT32_MAX && next < 4096) {
            uint32_t head = code == next ? last : code;
            while (length[head] > 1) head = parent[head];
            parent[next] = (uint16_t)last;
            final[next] = final[head];
            length[next] = (uint16_t)(length[last] + 1);
            next++;
            if (next == 1u << width && width < 12) width++;
        }
        size_t end = made + length[code];
        if (end > count) return SIZE_MAX;
        uint32_t walk = code;
        for (size_t i = end; i-- > made;) {
            indices[i] = final[walk];
            walk = length[walk] > 1 ? parent[walk] : walk;
        }
        made = end, last = code;
    }
    return reader.bad ? SIZE_MAX : made;
}

static void play_image(gif_player *player)
{
    uint32_t left = take16(player), top = take16(player), width = take16(player),
             height = take16(player);
    size_t count = (size_t)width * height, packed_size;
    if (take(player) != 0 || left + width > player->width || top + height > player->height)
        player->bad = true;
    uint32_t depth = take(player);
    uint8_t *packed = take_blocks(player, &packed_size), *indices = malloc(count + 1);
    if (player->bad || !packed || !indices ||
        unpack_lzw(packed, packed_size, depth, indices, count) != count)
        player->bad = true;
    for (size_t i = 0; i < count && !player->bad; i++) {
        if (indices[i] == player->transparent) continue;
        if (indices[i] >= player->table_size) player->bad = true;
        size_t place = (top + i / width) * player->width + left + i % width;
        if (!player->bad) memcpy(player->screen + place * 3, player->table + indices[i] * 3u, 3);
    }
    free(packed);
    free(indices);
}

static void play_header(gif_player *player)
{
    player->bad = player->size < 13 || memcmp(player->file, "GIF89a", 6) != 0;
    player->at = 6;
    player->width = take16(player);
    player->height = take16(player);
    player->table_size = 2u << (take(player) & 7);
    player->table = player->file + 13;
    player->at = 13 + (size_t)player->table_size * 3;
    player->screen = calloc((size_t)player->width * player->height + 1, 3);
}

/* Plays to the end of the next image; false at the end of the file. */
static bool play_frame(gif_player *player)
{
    for (uint32_t mark = take(player); !player->bad && mark != 0x3b; mark = take(player)) {
        if (mark == 0x2c) {
            play_image(player);
            return !player->bad;
        }
        size_t size = 0;
        bool control = take(player) == 0xf9;
        uint8_t *block = take_blocks(player, &size);
        if (mark != 0x21 || !block || (control && size != 4)) player->bad = true;
        if (!player->bad && control) player->delay_sum += block[1] + block[2] * 256u;
        if (!player->bad && control) player->transparent = block[3];
        free(block);
    }
    return false;
}

/* The picture as its palette shows it. */
static void quantised(gif_writer *writer, const canvas *picture, uint8_t *rgb)
{
    uint32_t count;
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    const uint8_t *entries = gif_palette(writer, &count);
    for (size_t i = 0; i < pixels; i++)
        memcpy(rgb + i * 3, entries + gif_index_of(writer, picture->pixels + i * 4) * 3u, 3);
}

static void check_gif(int32_t width, int32_t height, int kind)
{
    size_t size = (size_t)width * (size_t)height * 3, file_size = 0;
    uint8_t *expected = calloc(size, GIF_FRAMES);
    canvas *picture = canvas_create(width, height);
    gif_writer *writer = NULL;
    gif_options options = {.width = width, .height = height, .frames_per_second = 30};
    CHECK_EQ(gif_open(&writer, SCRATCH, &options), HOST_DONE);
    if (!expected || !picture || !writer) return;
    for (int frame = 0; frame < GIF_FRAMES; frame++) {
        if (frame != 2) paint(picture, kind); /* frame 2 repeats frame 1 */
        if (frame > 2)
            canvas_disc(picture, (float)width / 2, (float)height / 2, (float)height / 3,
                        0x804020ff);
        CHECK_EQ(gif_add(writer, picture), HOST_DONE);
        quantised(writer, picture, expected + (size_t)frame * size);
    }
    CHECK_EQ(gif_close(writer, true), HOST_DONE);
    uint8_t *file = read_scratch(&file_size);
    gif_player player = {.file = file, .size = file_size, .bad = file == NULL};
    if (file) play_header(&player);
    for (size_t frame = 0; frame < GIF_FRAMES && !player.bad; frame++)
        CHECK(play_frame(&player) && memcmp(player.screen, expected + frame * size, size) == 0);
    CHECK(!player.bad && !play_frame(&player) && player.at == file_size);
    CHECK_EQ(player.delay_sum, 17); /* 3 + 4 + 3 + 3 + 4 hundredths: 5 / 30 s */
    free(player.screen);
    free(file);
    free(expected);
    canvas_free(picture);
}

static void gif_decodes_to_the_quantised_pixels(void)
{
    random_state = 49; /* lengths at which the code size grows just before the end */
    for (int32_t width = 240; width < 270; width++) check_gif(width, 1, 2);
    static const int32_t sizes[][2] = {{1, 1}, {1, 9}, {7, 3}, {40, 40}, {211, 133}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int kind = 0; kind < 3; kind++) {
            random_state = 50 + (uint32_t)s * 10 + (uint32_t)kind;
            test_note("%d x %d, kind %d", (int)sizes[s][0], (int)sizes[s][1], kind);
            check_gif(sizes[s][0], sizes[s][1], kind);
        }
    }
}

static void gif_keeps_up_to_255_colours_exactly(void)
{
    canvas *picture = canvas_create(15, 17);
    gif_writer *writer = NULL;
    gif_options options = {.width = 15, .height = 17, .frames_per_second = 25};
    if (!CHECK(picture && gif_open(&writer, SCRATCH, &options) == HOST_DONE)) return;
    /* at least 4 levels apart: no two colours share a histogram bin */
    for (uint32_t i = 0; i < 255; i++) {
        uint32_t colour[3] = {i % 16 * 16 + 5, i / 16 * 16 + 9, i % 7 * 30};
        for (uint32_t channel = 0; channel < 3; channel++)
            picture->pixels[i * 4 + channel] = (uint8_t)colour[channel];
    }
    CHECK_EQ(gif_add(writer, picture), HOST_DONE);
    uint8_t shown[255 * 3];
    quantised(writer, picture, shown);
    for (size_t i = 0; i < 255; i++)
        if (!CHECK(memcmp(shown + i * 3, picture->pixels + i * 4, 3) == 0)) break;
    CHECK_EQ(gif_close(writer, false), HOST_DONE);
    CHECK(remove(SCRATCH) != 0); /* closed without keeping: there is no file */
    canvas_free(picture);
}

/* Number of white pixels on a black picture; the picture is cleared afterwards. */
static double painted_area(canvas *picture)
{
    double sum = 0;
    size_t count = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < count; i++) sum += picture->pixels[i * 4];
    canvas_fill(picture, 0x000000ff);
    return sum / 255;
}

static void shapes_cover_their_area(void)
{
    canvas *picture = canvas_create(120, 120);
    random_state = 9;
    if (!CHECK(picture != NULL)) return;
    for (int i = 0; i < 60; i++) {
        float radius = random_between(0.2f, 50), x = random_between(55, 65),
              y = random_between(55, 65);
        float width = random_between(1, 12), angle = random_between(0, 6.28f),
              length = random_between(0, 40);
        double round = 3.14159265 * (double)radius * (double)radius,
               ends = 3.14159265 / 4 * (double)(width * width);
        test_note("at %g, %g: radius %g, width %g, length %g", (double)x, (double)y, (double)radius,
                  (double)width, (double)length);
        canvas_disc(picture, x, y, radius, 0xffffffff);
        CHECK_NEAR(painted_area(picture), round, 0.6 + 0.03 * (double)radius);
        canvas_point from = {x, y}, to = {x + length * cosf(angle), y + length * sinf(angle)};
        canvas_line(picture, from, to, width, 0xffffffff);
        CHECK_NEAR(painted_area(picture), ends + (double)(length * width),
                   0.7 + 0.04 * (double)(length + width));
        canvas_rectangle(picture, (canvas_box){x, y, x + length, y + radius}, 0xffffffff);
        CHECK_NEAR(painted_area(picture), (double)(length * radius), 0.5);
    }
    canvas_free(picture);
}

static float wild_number(void)
{
    static const float wild[] = {NAN,   INFINITY, -INFINITY, 3e38f,         -3e38f,        1e9f,
                                 -1e9f, 0,        -0.0f,     2147483648.0f, -2147483904.0f};
    uint32_t pick = next_random() % 24;
    return pick < sizeof wild / sizeof wild[0] ? wild[pick] : random_between(-40, 70);
}

static void draw_wildly(canvas *target)
{
    static uint8_t source[13 * 9 * 4];
    float x = wild_number(), y = wild_number(), r = wild_number(), w = wild_number();
    render_colour colour = next_random();
    canvas_point a = {x, y}, b = {r, w}, corners[5] = {a, b, {w, x}, {y, r}, {r, x}};
    switch (next_random() % 9) {
    case 0: canvas_disc(target, x, y, r, colour); break;
    case 1: canvas_bead(target, x, y, r, colour); break;
    case 2: canvas_glow(target, x, y, r, colour); break;
    case 3: canvas_rectangle(target, (canvas_box){x, y, r, w}, colour); break;
    case 4: canvas_line(target, a, b, wild_number(), colour); break;
    case 5: canvas_ring(target, a, r, w, colour); break;
    case 6: canvas_convex(target, corners, 3 + next_random() % 3, colour); break;
    case 7:
        canvas_text(target, a, (int32_t)(next_random() % 6), colour, "Wave {|}~ 0.25 \x80\xff");
        break;
    default:
        canvas_copy(target, (int32_t)(next_random() % 90) - 45, (int32_t)(next_random() % 64) - 32,
                    &(canvas){13, 9, source});
        break;
    }
}

static void nothing_is_drawn_outside_the_canvas(void)
{
    enum { WIDTH = 31, HEIGHT = 23, GUARD = 4096, SIZE = WIDTH * HEIGHT * 4 };
    static uint8_t memory[GUARD + SIZE + GUARD];
    canvas target = {WIDTH, HEIGHT, memory + GUARD};
    memset(memory, 0xa5, sizeof memory);
    random_state = 4;
    for (int i = 0; i < 20000; i++) draw_wildly(&target);
    uint32_t changed = 0;
    for (size_t i = 0; i < GUARD; i++)
        changed += memory[i] != 0xa5 || memory[GUARD + SIZE + i] != 0xa5;
    CHECK_EQ(changed, 0);
}

static void every_character_has_its_own_picture(void)
{
    static uint8_t pictures[95][6 * 10 * 4];
    for (int scale = 1; scale <= 2; scale++) {
        for (int code = 32; code < 127; code++) {
            char text[2] = {(char)code, 0};
            canvas *cell = canvas_create(6 * scale, 10 * scale);
            if (!CHECK(cell != NULL)) return;
            canvas_text(cell, (canvas_point){0, 0}, scale, 0xffffffff, text);
            test_note("character %d, scale %d", code, scale);
            if (scale == 1) memcpy(pictures[code - 32], cell->pixels, sizeof pictures[0]);
            CHECK((painted_area(cell) > 0.5) == (code != 32));
            for (int other = 32; other < code && scale == 1; other++)
                CHECK(memcmp(pictures[other - 32], pictures[code - 32], sizeof pictures[0]) != 0);
            canvas_free(cell);
        }
    }
}

static void camera_text_is_read_whole_or_not_at_all(void)
{
    static const char *const wrong[] = {"",      "fi",   "1,2",     "1,2,3,4", "1,2,3x",
                                        "a,b,c", "1,,3", "nan,1,1", "1,2,-3",  "1 2 3"};
    render_camera camera = {1, 2, 3};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        test_note("camera '%s'", wrong[i]);
        CHECK(!render_camera_parse(wrong[i], &camera) && camera.yaw == 1 && camera.distance == 3);
    }
    CHECK(render_camera_parse("-30,15.5,4", &camera) && camera.yaw == -30 &&
          camera.pitch == 15.5f && camera.distance == 4);
    CHECK(render_camera_parse("fit", &camera) && camera.distance == 0);
}

static bool mostly(const canvas *picture, float x, float y, int channel)
{
    size_t row = (size_t)(y * (float)picture->height), column = (size_t)(x * (float)picture->width);
    const uint8_t *pixel = picture->pixels + (row * (size_t)picture->width + column) * 4;
    return pixel[channel] > 120 && pixel[channel] > pixel[(channel + 1) % 3] + 40 &&
           pixel[channel] > pixel[(channel + 2) % 3] + 40;
}

static void particles_appear_where_they_are(void)
{
    static const float positions[] = {0.25f, 0.75f, 0.5f, 0.75f,    0.25f, 0.5f,
                                      NAN,   0.5f,  0.5f, INFINITY, 0.1f,  0.1f};
    static const uint8_t species[4] = {0, 1, 2, 3};
    const render_shape ball = {.kind = RENDER_SPHERE, .a = {0.5f, 0.5f, 0.5f}, .radius = 0.05f};
    canvas *picture = canvas_create(200, 200);
    render_scene scene = render_default_scene();
    if (!CHECK(picture != NULL)) return;
    scene.positions = positions;
    scene.species = species;
    scene.particle_count = 4;
    scene.radius = 0.1f;
    scene.shapes = &ball;
    scene.shape_count = 1;
    scene.species_colours[0] = 0xe01010ff;
    scene.species_colours[1] = 0x10e010ff;
    CHECK_EQ(render_draw(&scene, picture), HOST_DONE);
    CHECK(mostly(picture, 0.25f, 0.25f, 0) && mostly(picture, 0.75f, 0.75f, 1)); /* y points up */
    scene.dimensions = 3;
    scene.camera = (render_camera){0, 0, 4};
    CHECK_EQ(render_draw(&scene, picture), HOST_DONE);
    /* 0.25 / (2 x 4 x 0.3) from the middle */
    CHECK(mostly(picture, 0.4f, 0.4f, 0) && mostly(picture, 0.6f, 0.6f, 1));
    scene.camera = (render_camera){180, 0, 4}; /* from behind: left and right are exchanged */
    CHECK_EQ(render_draw(&scene, picture), HOST_DONE);
    CHECK(mostly(picture, 0.6f, 0.4f, 0) && mostly(picture, 0.4f, 0.6f, 1));
    canvas_free(picture);
}

static void empty_and_degenerate_scenes_draw(void)
{
    static const float same[6] = {1, 1, 1, 1, 1, 1};
    canvas *picture = canvas_create(33, 9);
    if (!CHECK(picture != NULL)) return;
    for (int kind = 0; kind < 8; kind++) {
        render_scene scene = render_default_scene();
        scene.dimensions = kind & 1 ? 3 : 2;
        scene.up_axis = kind & 4 ? 2 : 1;
        scene.title = "a title that is much longer than the picture is wide";
        scene.label = scene.species_names[1] = scene.title;
        if (kind & 2) memset(scene.bounds_max, 0, sizeof scene.bounds_max);
        scene.positions = scene.velocities = same;
        scene.particle_count = kind & 2 ? 2 : 0;
        scene.colour_by = kind & 4 ? RENDER_BY_SPEED : RENDER_BY_SPECIES_AND_SPEED;
        CHECK_EQ(render_draw(&scene, picture), HOST_DONE);
    }
    canvas_free(picture);
}

static void y4m_frames_have_their_exact_size(void)
{
    for (int subsampled = 0; subsampled < 2; subsampled++) {
        y4m_writer writer;
        y4m_options options = {7, 5, 30, 1, subsampled != 0};
        canvas *picture = canvas_create(7, 5);
        if (!CHECK(picture && y4m_open(&writer, SCRATCH, &options) == HOST_DONE)) return;
        CHECK_EQ(y4m_add(&writer, picture), HOST_DONE);
        canvas_fill(picture, 0xffffffff);
        CHECK_EQ(y4m_add(&writer, picture), HOST_DONE);
        CHECK_EQ(y4m_close(&writer, true), HOST_DONE);
        size_t size = 0, planes = subsampled ? 35 + 2 * 4 * 3 : 35 * 3;
        uint8_t *file = read_scratch(&size), *line = file ? memchr(file, '\n', size) : NULL;
        if (CHECK(line != NULL)) {
            CHECK_EQ(size, (size_t)(line - file) + 1 + 2 * (6 + planes));
            CHECK(memcmp(file, "YUV4MPEG2 W7 H5 F30:1 Ip A1:1 C4", 32) == 0);
            CHECK(line[7] == 16 && line[7 + 35] == 128 && file[size - planes] == 235 &&
                  file[size - 1] == 128);
        }
        free(file);
        canvas_free(picture);
    }
}

static const test_case cases[] = {
    TEST_CASE(deflate_stream_inflates_to_the_same_bytes),
    TEST_CASE(huffman_code_is_full_and_within_its_limit),
    TEST_CASE(png_decodes_to_the_same_pixels),
    TEST_CASE(gif_decodes_to_the_quantised_pixels),
    TEST_CASE(gif_keeps_up_to_255_colours_exactly),
    TEST_CASE(shapes_cover_their_area),
    TEST_CASE(nothing_is_drawn_outside_the_canvas),
    TEST_CASE(every_character_has_its_own_picture),
    TEST_CASE(camera_text_is_read_whole_or_not_at_all),
    TEST_CASE(particles_appear_where_they_are),
    TEST_CASE(empty_and_degenerate_scenes_draw),
    TEST_CASE(y4m_frames_have_their_exact_size),
};
TEST_SUITE(render, cases);
