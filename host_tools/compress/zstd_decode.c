/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_decode.c - decodes Zstandard frames and blocks, and measures their
           decoded size.
   reads   consecutive frames, including skippable ones      writes  their concatenated content
   memory  the decoder      cost    O(bytes in + bytes out)
   after   RFC 8878, 3.1.1 and 3.1.2 */
#include "zstd_private.h"
#include "gain.h"

#define GAIN_MAX (ZSTD_BLOCK_MAX / 4u) /* decoded bytes per stream byte */

typedef struct frame_head {
    size_t bytes; /* size of the header with magic; of the whole frame if is_skipped */
    uint64_t window, content;
    bool is_skipped, has_content, has_checksum;
} frame_head;

typedef struct block_head {
    bool is_last;
    uint32_t kind; /* 0 raw, 1 one byte repeated, 2 compressed */
    uint32_t size;
} block_head;

static uint64_t load(const uint8_t *bytes, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t k = 0; k < count; k++) value |= (uint64_t)bytes[k] << 8 * k;
    return value;
}

static const char *parse_skipped(const uint8_t *bytes, size_t left, frame_head *head)
{
    if (left < 8) return "the file ends within a frame's head";
    head->is_skipped = true;
    uint32_t size = zstd_load32(bytes + 4);
    if (size > left - 8) return "the file ends within a frame to skip";
    head->bytes = 8 + (size_t)size;
    return NULL;
}

/* Window size: a power of two from 1 KiB on, plus eighths of it; RFC 8878, 3.1.1.1.2. */
static uint64_t window_of(uint8_t byte)
{
    uint64_t base = (uint64_t)1 << (10 + (byte >> 3));
    return base + base / 8 * (byte & 7u);
}

/* Parses a frame header; returns the reason of a fault, or NULL. */
static const char *parse_frame(const uint8_t *bytes, size_t left, frame_head *head)
{
    static const uint8_t id_bytes[4] = {0, 1, 2, 4}, content_bytes[4] = {0, 2, 4, 8};
    *head = (frame_head){0};
    if (left < 4) return "the file ends within a frame's magic number";
    if ((zstd_load32(bytes) & 0xfffffff0u) == ZSTD_SKIP_MAGIC)
        return parse_skipped(bytes, left, head);
    if (zstd_load32(bytes) != ZSTD_MAGIC) return "no Zstandard frame begins here";
    if (left < 5) return "the file ends within a frame's head";
    uint8_t form = bytes[4];
    bool is_single = form >> 5 & 1u;
    uint32_t id = id_bytes[form & 3u], content = content_bytes[form >> 6];
    if (content == 0 && is_single) content = 1;
    head->bytes = 5u + !is_single + id + content;
    if (head->bytes > left) return "the file ends within a frame's head";
    if (form & 8u) return "a reserved bit of the frame's head is set";
    if (load(bytes + 5 + !is_single, id) != 0)
        return "the frame needs a dictionary, which is not supported";
    head->has_checksum = form >> 2 & 1u;
    head->has_content = content > 0;
    head->content = load(bytes + head->bytes - content, content) + (content == 2 ? 256u : 0u);
    head->window = is_single ? head->content : window_of(bytes[5]);
    return NULL;
}

static const char *parse_block(const uint8_t *bytes, size_t left, uint32_t block_max,
                               block_head *head)
{
    if (left < 3) return "the file ends within a block's head";
    uint32_t value = (uint32_t)load(bytes, 3);
    *head = (block_head){.is_last = value & 1u, .kind = value >> 1 & 3u, .size = value >> 3};
    if (head->kind == 3) return "a block of the reserved kind";
    if (head->size > (head->kind == 2 ? ZSTD_BLOCK_MAX : block_max))
        return "a block is longer than its frame allows";
    if (head->kind == 2 && head->size < 2) return "a compressed block is too short";
    if ((head->kind == 1 ? 1 : head->size) > left - 3) return "the file ends within a block";
    return NULL;
}

static uint32_t block_max_of(uint64_t window)
{
    return window < ZSTD_BLOCK_MAX ? (uint32_t)window : ZSTD_BLOCK_MAX;
}

/* ---- decoded size */

typedef struct extent {
    uint64_t least, most; /* bounds of the decoded size */
    size_t at;            /* offset in the input */
} extent;

/* Adds the bounds of all blocks of a frame to *reach, and moves reach->at past them. */
static const char *measure_blocks(const uint8_t *bytes, size_t size, uint32_t block_max,
                                  extent *reach)
{
    block_head block = {0};
    while (!block.is_last) {
        const char *text = parse_block(bytes + reach->at, size - reach->at, block_max, &block);
        if (text) return text;
        reach->least += block.kind == 2 ? 0 : block.size;
        reach->most += block.kind == 2 ? block_max : block.size;
        reach->at += 3u + (block.kind == 1 ? 1u : block.size);
    }
    return NULL;
}

static bool note_fault(compress_fault *fault, size_t at, const char *why)
{
    *fault = (compress_fault){at, why};
    return false;
}

/* The largest gain: an RLE block, of four bytes. */
uint64_t zstd_decoded_max(size_t size) { return compress_most(size, GAIN_MAX); }

bool zstd_measure(const uint8_t *bytes, size_t size, uint64_t *content, compress_fault *fault)
{
    extent reach = {0};
    *fault = (compress_fault){0, NULL};
    *content = 0;
    do {
        frame_head frame;
        size_t start = reach.at;
        const char *text = parse_frame(bytes + start, size - start, &frame);
        if (text) return note_fault(fault, start, text);
        reach = (extent){.at = start + frame.bytes};
        if (frame.is_skipped) continue;
        text = measure_blocks(bytes, size, block_max_of(frame.window), &reach);
        if (text) return note_fault(fault, reach.at, text);
        if (frame.has_content && (frame.content < reach.least || frame.content > reach.most))
            return note_fault(fault, start, "the frame's blocks cannot hold the size it claims");
        *content += frame.has_content ? frame.content : reach.most;
        if (frame.has_checksum && size - reach.at < 4)
            return note_fault(fault, reach.at, "the file ends within a checksum");
        reach.at += frame.has_checksum ? 4 : 0;
    } while (reach.at < size);
    return true;
}

/* ---- decoding */

bool zstd_fail(zstd_decoder *decoder, const uint8_t *at, const char *text)
{
    return note_fault(decoder->fault, (size_t)(at - decoder->bytes), text);
}

size_t zstd_decoder_bytes(void) { return sizeof(zstd_decoder); }

/* Decodes a block whose content begins at `at`. `out_limit`: the end of the whole output. */
static bool read_block(zstd_decoder *decoder, const uint8_t *at, const block_head *block,
                       uint8_t *out_limit, const uint8_t *input_end)
{
    size_t capacity = (size_t)(out_limit - decoder->out);
    if (block->kind != 2) {
        if (block->size > capacity)
            return zstd_fail(decoder, at, "the frame decodes to more bytes than expected");
        if (block->kind == 0)
            memcpy(decoder->out, at, block->size);
        else
            memset(decoder->out, *at, block->size);
        decoder->out += block->size;
        return true;
    }
    size_t used = 0;
    decoder->out_end =
        decoder->block_max < capacity ? decoder->out + decoder->block_max : out_limit;
    return zstd_read_literals(decoder, at, block->size, input_end, &used) &&
           zstd_read_sequences(decoder, at + used, block->size - used);
}

static void start_frame(zstd_decoder *decoder, const frame_head *frame)
{
    memset(decoder->tables, 0, sizeof decoder->tables);
    decoder->has_huffman = false;
    decoder->repeats[0] = 1;
    decoder->repeats[1] = 4;
    decoder->repeats[2] = 8;
    decoder->frame_start = decoder->out;
    decoder->window = frame->window;
    decoder->block_max = block_max_of(frame->window);
}

/* Decodes the frame at *at and moves *at past it. */
static bool read_frame(zstd_decoder *decoder, const uint8_t **at, const uint8_t *end,
                       uint8_t *out_limit)
{
    const uint8_t *start = *at;
    frame_head frame;
    block_head block = {0};
    const char *text = parse_frame(start, (size_t)(end - start), &frame);
    if (text) return zstd_fail(decoder, start, text);
    *at += frame.bytes;
    if (frame.is_skipped) return true;
    if (frame.has_content && frame.content > (size_t)(out_limit - decoder->out))
        return zstd_fail(decoder, start, "the frame decodes to more bytes than expected");
    if (frame.has_content) out_limit = decoder->out + frame.content;
    start_frame(decoder, &frame);
    while (!block.is_last) {
        text = parse_block(*at, (size_t)(end - *at), decoder->block_max, &block);
        if (text) return zstd_fail(decoder, *at, text);
        if (!read_block(decoder, *at + 3, &block, out_limit, end)) return false;
        *at += 3u + (block.kind == 1 ? 1u : block.size);
    }
    size_t written = (size_t)(decoder->out - decoder->frame_start);
    if (frame.has_content && written != frame.content)
        return zstd_fail(decoder, *at, "the frame holds less than it claims");
    if (!frame.has_checksum) return true;
    if (end - *at < 4) return zstd_fail(decoder, *at, "the file ends within a checksum");
    if (zstd_load32(*at) != (uint32_t)zstd_checksum(decoder->frame_start, written, 0))
        return zstd_fail(decoder, *at, "the checksum does not match");
    *at += 4;
    return true;
}

bool zstd_decode_some(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                      size_t *written, void *work, compress_fault *fault)
{
    zstd_decoder *decoder = work;
    const uint8_t *at = bytes, *end = bytes + size;
    bool is_good = true;
    *fault = (compress_fault){0, NULL};
    if (capacity == 0) out = decoder->buffer; /* so that no pointer is NULL */
    decoder->bytes = bytes;
    decoder->fault = fault;
    decoder->out = out;
    do is_good = read_frame(decoder, &at, end, out + capacity);
    while (is_good && at < end);
    *written = (size_t)(decoder->out - out);
    return is_good;
}

bool zstd_decode(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size, void *work,
                 compress_fault *fault)
{
    size_t written = 0;
    if (!zstd_decode_some(bytes, size, out, out_size, &written, work, fault)) return false;
    return written == out_size ||
           note_fault(fault, size, "the stream holds fewer bytes than it should");
}

/* ---- step by step */

enum { HEAD_MAX = 18, AHEAD = 1 << 22 };

static zstd_step_result stop(compress_fault *fault, size_t at, const char *text)
{
    note_fault(fault, at, text);
    return ZSTD_FAULT;
}

static zstd_step_result step_head(zstd_stream *stream, const uint8_t *in, size_t in_size,
                                  bool is_end, size_t *used, compress_fault *fault)
{
    frame_head frame;
    if (in_size < HEAD_MAX && !is_end) return ZSTD_MORE;
    if (in_size >= 8 && (zstd_load32(in) & 0xfffffff0u) == ZSTD_SKIP_MAGIC) {
        stream->skip = zstd_load32(in + 4);
        *used = 8;
        return ZSTD_OUT;
    }
    const char *text = parse_frame(in, in_size, &frame);
    if (text) return stop(fault, 0, text);
    if (frame.window > ZSTD_WINDOW_MAX)
        return stop(fault, 0, "the frame needs a window above 128 MiB");
    size_t window = (size_t)frame.window;
    stream->wanted = window + (window < AHEAD ? window : AHEAD) + ZSTD_BLOCK_MAX + ZSTD_SLACK;
    if (stream->space_bytes < stream->wanted) return ZSTD_SPACE;
    zstd_decoder *decoder = stream->work;
    decoder->out = stream->space;
    start_frame(decoder, &frame);
    stream->filled = 0;
    stream->written = 0;
    stream->content = frame.content;
    stream->has_content = frame.has_content;
    stream->has_checksum = frame.has_checksum;
    stream->is_inside = true;
    stream->is_last = false;
    zstd_sum_start(&stream->sum);
    *used = frame.bytes;
    return ZSTD_OUT;
}

/* Moves the last bytes of the frame to the front when a block might not fit behind them. */
static void make_way(zstd_stream *stream)
{
    const zstd_decoder *decoder = stream->work;
    size_t window = (size_t)decoder->window;
    if (stream->filled + ZSTD_BLOCK_MAX <= stream->space_bytes) return;
    memmove(stream->space, stream->space + stream->filled - window, window);
    stream->filled = window;
}

static zstd_step_result step_block(zstd_stream *stream, const uint8_t *in, size_t in_size,
                                   bool is_end, size_t *used, const uint8_t **out, size_t *out_size,
                                   compress_fault *fault)
{
    zstd_decoder *decoder = stream->work;
    block_head block;
    if (in_size < ZSTD_UNIT_MAX && !is_end) return ZSTD_MORE;
    const char *text = parse_block(in, in_size, decoder->block_max, &block);
    if (text) return stop(fault, 0, text);
    make_way(stream);
    decoder->frame_start = stream->space;
    decoder->out = stream->space + stream->filled;
    if (!read_block(decoder, in + 3, &block, stream->space + stream->space_bytes, in + in_size))
        return ZSTD_FAULT;
    *out = stream->space + stream->filled;
    *out_size = (size_t)(decoder->out - *out);
    stream->filled += *out_size;
    stream->written += *out_size;
    stream->is_last = block.is_last;
    zstd_sum_add(&stream->sum, *out, *out_size);
    *used = 3u + (block.kind == 1 ? 1u : block.size);
    if (stream->has_content &&
        (stream->written > stream->content || (block.is_last && stream->written < stream->content)))
        return stop(fault, 0, "the frame holds more or less than it claims");
    stream->is_inside = !block.is_last || stream->has_checksum;
    return ZSTD_OUT;
}

static zstd_step_result step_sum(zstd_stream *stream, const uint8_t *in, size_t in_size,
                                 bool is_end, size_t *used, compress_fault *fault)
{
    if (in_size < 4)
        return is_end ? stop(fault, in_size, "the file ends within a checksum") : ZSTD_MORE;
    if (zstd_load32(in) != (uint32_t)zstd_sum_end(&stream->sum))
        return stop(fault, 0, "the checksum does not match");
    stream->is_inside = false;
    *used = 4;
    return ZSTD_OUT;
}

zstd_step_result zstd_stream_step(zstd_stream *stream, const uint8_t *in, size_t in_size,
                                  bool is_end, size_t *used, const uint8_t **out, size_t *out_size,
                                  compress_fault *fault)
{
    zstd_decoder *decoder = stream->work;
    *fault = (compress_fault){0, NULL};
    *used = *out_size = 0;
    *out = stream->space;
    decoder->bytes = in;
    decoder->fault = fault;
    if (stream->skip) {
        if (!in_size && is_end) return stop(fault, 0, "the file ends within a frame to skip");
        if (!in_size) return ZSTD_MORE;
        *used = stream->skip < in_size ? stream->skip : in_size;
        stream->skip -= (uint32_t)*used;
        return ZSTD_OUT;
    }
    if (!stream->is_inside) return step_head(stream, in, in_size, is_end, used, fault);
    if (stream->is_last) return step_sum(stream, in, in_size, is_end, used, fault);
    return step_block(stream, in, in_size, is_end, used, out, out_size, fault);
}
