/* SPDX-License-Identifier: MIT
   host_tools/formats/prt.c - Thinkbox particles: channels found by name, values of all types of the
           format.
   reads   bytes of one file               writes  bytes of one file
   memory  the unpacked records            cost    O(bytes)
   after   see prt.h; channel names of Krakatoa's manual; own names for streams that it does not
           list */
#include "prt.h"
#include "bytes.h"
#include "../compress/inflate.h"
#include "../render/render.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_BYTES = 56,
    TABLE_BYTES = 12,   /* reserved word, number of channels, size of a channel definition */
    CHANNEL_BYTES = 44, /* size of a channel definition */
    NAME_BYTES = 32,
    CHANNELS_MAX = 256,
    RECORD_MAX = 65536, /* limit on the bytes of a record */
    PARTS_MAX = 4
};

/* Value types, indexed by their numbers in the file. */
typedef enum scalar_kind { SCALAR_SIGNED, SCALAR_UNSIGNED, SCALAR_FLOAT } scalar_kind;
typedef struct prt_scalar {
    uint32_t bytes;
    scalar_kind kind;
} prt_scalar;
static const prt_scalar scalars[] = {
    {2, SCALAR_SIGNED},   {4, SCALAR_SIGNED}, {8, SCALAR_SIGNED},   {2, SCALAR_FLOAT},
    {4, SCALAR_FLOAT},    {8, SCALAR_FLOAT},  {2, SCALAR_UNSIGNED}, {4, SCALAR_UNSIGNED},
    {8, SCALAR_UNSIGNED}, {1, SCALAR_SIGNED}, {1, SCALAR_UNSIGNED},
};
enum {
    SCALARS = sizeof scalars / sizeof scalars[0],
    TYPE_INT32 = 1,
    TYPE_INT64 = 2,
    TYPE_FLOAT32 = 4
};

/* Channels that become streams, in the order in which they are written. A quaternion has its real
   part last in a channel, first in a frame. Partio takes the size of a record from the first number
   of its last channel: so a channel with one number, which every file has, is last. */
typedef struct prt_meaning {
    const char *name;
    uint32_t stream, arity;
    uint8_t order[PARTS_MAX]; /* frame component of each channel component */
} prt_meaning;
static const prt_meaning meanings[] = {
    {"Position", POINT_LOCATION, 3, {0, 1, 2}},
    {"Velocity", POINT_VELOCITY, 3, {0, 1, 2}},
    {"Orientation", POINT_ROTATION, 4, {1, 2, 3, 0}},
    {"AngularVelocity", POINT_ANGULAR, 3, {0, 1, 2}},
    {"Radius", POINT_SIZE, 1, {0}},
    {"Times", POINT_TIMES, 3, {0, 1, 2}},
    {"ID", POINT_INDEX, 1, {0}},
};
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

typedef struct prt_channel {
    const prt_scalar *type;
    const prt_meaning *meaning; /* NULL: unknown, skipped */
    uint32_t offset;            /* in a record */
} prt_channel;

typedef struct prt_file {
    const host_piece *piece;
    prt_channel channels[CHANNELS_MAX];
    uint32_t channel_count;
    uint64_t count;
    uint32_t record; /* bytes */
    size_t data;     /* offset of the zlib stream */
    uint32_t streams;
} prt_file;

static const uint8_t magic[8] = {192, 'P', 'R', 'T', '\r', '\n', 26, '\n'};

bool prt_recognises(const uint8_t *start, size_t size)
{
    return size >= sizeof magic && memcmp(start, magic, sizeof magic) == 0;
}

/* ---- header and channels */

static uint32_t word_at(const prt_file *file, size_t at)
{
    return (uint32_t)bytes_load(file->piece->bytes + at, 4, false);
}

static int cut_off(const host_piece *piece, const char *what)
{
    return piece_error(piece, piece->size, "the file ends inside %s; it is incomplete", what);
}

static int read_head(prt_file *file, size_t *table)
{
    const host_piece *piece = file->piece;
    size_t compared = piece->size < sizeof magic ? piece->size : sizeof magic;
    if (memcmp(piece->bytes, magic, compared) != 0)
        return piece_error(piece, 0, "magic is not that of a .prt file");
    if (piece->size < HEAD_BYTES) return cut_off(piece, "its header of 56 bytes");
    uint32_t head = word_at(file, 8), version = word_at(file, 44);
    if (head < HEAD_BYTES)
        return piece_error(piece, 8, "the header has %u bytes, expected at least 56", head);
    if (version < 1 || version > 2)
        return piece_error(piece, 44, "version is %u, expected 1; only PRT 1.x is read", version);
    file->count = bytes_load(piece->bytes + 48, 8, false);
    if (file->count == UINT64_MAX)
        return piece_error(piece, 48,
                           "the number of particles is -1: its program did not complete the file");
    if (file->count > UINT32_MAX)
        return piece_error(piece, 48, "%llu particles, at most 4294967295",
                           (unsigned long long)file->count);
    if (head > piece->size || piece->size - head < TABLE_BYTES) return cut_off(piece, "its header");
    *table = head;
    return HOST_DONE;
}

static const prt_meaning *find_meaning(const uint8_t *name)
{
    for (size_t m = 0; m < MEANINGS; m++)
        if (memcmp(meanings[m].name, name, strlen(meanings[m].name) + 1) == 0) return &meanings[m];
    return NULL;
}

static void note_unknown(const prt_file *file, const uint8_t *name, size_t at)
{
    piece_note(file->piece, at, "channel \"%s\" is unknown and ignored", (const char *)name);
}

static int read_channel(prt_file *file, size_t at)
{
    const host_piece *piece = file->piece;
    const uint8_t *name = piece->bytes + at;
    uint32_t type = word_at(file, at + 32), arity = word_at(file, at + 36),
             offset = word_at(file, at + 40);
    prt_channel *channel = &file->channels[file->channel_count++];
    if (!memchr(name, 0, NAME_BYTES))
        return piece_error(piece, at, "the name of a channel has no terminating zero byte");
    if (type >= SCALARS) return piece_error(piece, at + 32, "type is %u, expected 0 to 10", type);
    if (arity < 1 || arity > RECORD_MAX)
        return piece_error(piece, at + 36, "arity is %d, expected at least 1", (int)arity);
    if (offset > RECORD_MAX || offset + (uint64_t)arity * scalars[type].bytes > RECORD_MAX)
        return piece_error(piece, at + 40, "the channel ends beyond byte 65536 of a record");
    uint32_t end = offset + arity * scalars[type].bytes;
    if (end > file->record) file->record = end;
    *channel = (prt_channel){&scalars[type], find_meaning(name), offset};
    if (channel->meaning && channel->meaning->arity != arity)
        return piece_error(piece, at + 36, "%s has %u numbers, expected %u", channel->meaning->name,
                           arity, channel->meaning->arity);
    if (!channel->meaning) note_unknown(file, name, at);
    uint32_t bit = channel->meaning ? POINT_BIT(channel->meaning->stream) : 0;
    if (file->streams & bit)
        return piece_error(piece, at, "channel %s occurs twice", channel->meaning->name);
    file->streams |= bit;
    return HOST_DONE;
}

static int read_channels(prt_file *file, size_t table)
{
    const host_piece *piece = file->piece;
    uint32_t count = word_at(file, table + 4), bytes = word_at(file, table + 8);
    size_t at = table + TABLE_BYTES;
    int code = HOST_DONE;
    if (count < 1 || count > CHANNELS_MAX)
        return piece_error(piece, table + 4, "%d channels, expected 1 to 256", (int)count);
    if (bytes < CHANNEL_BYTES)
        return piece_error(piece, table + 8,
                           "the definition of a channel has %u bytes, expected at least 44", bytes);
    if (count > (piece->size - at) / bytes) return cut_off(piece, "its table of channels");
    for (uint32_t c = 0; c < count && !code; c++) code = read_channel(file, at + (size_t)c * bytes);
    file->data = at + (size_t)count * bytes;
    if (!code && !(file->streams & POINT_BIT(POINT_LOCATION)))
        code = piece_error(piece, table, "there is no channel Position");
    return code;
}

/* ---- records */

static double load_scalar(const prt_scalar *type, const uint8_t *at)
{
    if (type->kind == SCALAR_FLOAT)
        return type->bytes == 2   ? bytes_load_half(at)
               : type->bytes == 4 ? (double)bytes_load_f32(at, false)
                                  : bytes_load_f64(at, false);
    uint64_t word = bytes_load(at, type->bytes, false);
    bool negative = type->kind == SCALAR_SIGNED && word >> (type->bytes * 8 - 1);
    return negative ? -(double)((~word & UINT64_MAX >> (64 - type->bytes * 8)) + 1) : (double)word;
}

static int bad_value(const prt_file *file, const prt_channel *channel, uint32_t row)
{
    return piece_error(file->piece, file->data, "%s of particle %u (from 0) is not %s",
                       channel->meaning->name, row,
                       channel->meaning->stream == POINT_INDEX
                           ? "a whole number from 0 to 4294967295"
                           : "a number that fits in 32 bits");
}

/* Converts a value to the 32-bit word of a frame; 32-bit floats keep their bits. False when it does
   not fit. */
static bool convert_value(const prt_channel *channel, const uint8_t *at, uint32_t *word)
{
    bool is_index = channel->meaning->stream == POINT_INDEX;
    if (!is_index && channel->type == &scalars[TYPE_FLOAT32]) {
        *word = (uint32_t)bytes_load(at, 4, false);
        return true;
    }
    double value = load_scalar(channel->type, at);
    if (is_index && !(value >= 0 && value <= UINT32_MAX && value == floor(value))) return false;
    if (is_index) {
        *word = (uint32_t)value;
        return true;
    }
    /* would round to infinity */
    if (isfinite(value) && fabs(value) > 3.4028235677973366e38) return false;
    float narrow = (float)value;
    memcpy(word, &narrow, sizeof *word);
    return true;
}

static int store_channel(const prt_file *file, const prt_channel *channel, const uint8_t *records,
                         host_frame *frame)
{
    const prt_meaning *meaning = channel->meaning;
    uint8_t *to = frame->data[meaning->stream];
    for (uint32_t i = 0; i < frame->count; i++, to += meaning->arity * 4) {
        const uint8_t *at = records + (size_t)i * file->record + channel->offset;
        for (uint32_t k = 0; k < meaning->arity; k++, at += channel->type->bytes) {
            uint32_t word;
            if (!convert_value(channel, at, &word)) return bad_value(file, channel, i);
            memcpy(to + meaning->order[k] * 4, &word, sizeof word);
        }
    }
    return HOST_DONE;
}

/* Decompresses the records into malloc memory. First checks that a zlib stream of this size can
   hold as many. */
static int unpack(const prt_file *file, uint8_t **records)
{
    const host_piece *piece = file->piece;
    size_t left = piece->size - file->data, used = 0;
    uint64_t size = file->count * file->record; /* below 2^48 */
    compress_fault fault = {0, NULL};
    *records = NULL;
    if (!file->count && !left) return HOST_DONE;
    if (size > inflate_decoded_max(left))
        return piece_error(
            piece, piece->size,
            "the header promises %llu particles of %u bytes, which the %zu bytes that follow it "
            "cannot hold; the file is incomplete or its header damaged",
            (unsigned long long)file->count, file->record, left);
    *records = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    if (!*records) return host_out_of_memory(piece->path);
    if (!inflate_zlib(piece->bytes + file->data, left, *records, (size_t)size, &used, &fault))
        return piece_error(piece, file->data + fault.at, "cannot unpack the particles: %s",
                           fault.why);
    if (used < left && piece_doubts(piece))
        host_doubt(piece->path, file->data + used, "%zu bytes after the particles are ignored",
                   left - used);
    return HOST_DONE;
}

int prt_read(host_piece *piece, host_frame *frame)
{
    size_t table = 0;
    uint8_t *records = NULL;
    prt_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory(piece->path);
    file->piece = piece;
    int code = read_head(file, &table);
    if (!code) code = read_channels(file, table);
    if (!code) code = unpack(file, &records);
    if (!code) code = piece_frame(piece, frame, file->count, file->streams);
    for (uint32_t c = 0; c < file->channel_count && !code; c++)
        if (file->channels[c].meaning)
            code = store_channel(file, &file->channels[c], records, frame);
    free(records);
    free(file);
    return code;
}

/* ---- writing */

static bool writes(const prt_meaning *meaning, const host_frame *frame)
{
    return meaning->stream == POINT_INDEX || frame->data[meaning->stream];
}

/* The ID is a signed 32-bit integer, as other programs write it; 64 bits when an index needs
   them. */
static uint32_t type_of(const prt_meaning *meaning, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (meaning->stream != POINT_INDEX) return TYPE_FLOAT32;
    return frame->count && indices[frame->count - 1] > INT32_MAX ? TYPE_INT64 : TYPE_INT32;
}

static uint32_t write_head(FILE *stream, const host_frame *frame)
{
    uint8_t head[HEAD_BYTES + TABLE_BYTES + MEANINGS * CHANNEL_BYTES] = {0};
    uint32_t count = 0, record = 0;
    for (size_t m = 0; m < MEANINGS; m++) {
        if (!writes(&meanings[m], frame)) continue;
        uint8_t *at = head + HEAD_BYTES + TABLE_BYTES + count++ * CHANNEL_BYTES;
        uint32_t type = type_of(&meanings[m], frame);
        memcpy(at, meanings[m].name, strlen(meanings[m].name));
        bytes_store(at + 32, 4, false, type);
        bytes_store(at + 36, 4, false, meanings[m].arity);
        bytes_store(at + 40, 4, false, record);
        record += meanings[m].arity * scalars[type].bytes;
    }
    memcpy(head, magic, sizeof magic);
    bytes_store(head + 8, 4, false, HEAD_BYTES);
    memcpy(head + 12, "Extensible Particle Format", 26);
    bytes_store(head + 44, 4, false, 1);
    bytes_store(head + 48, 8, false, frame->count);
    bytes_store(head + 56, 4, false, 4);
    bytes_store(head + 60, 4, false, count);
    bytes_store(head + 64, 4, false, CHANNEL_BYTES);
    fwrite(head, 1, HEAD_BYTES + TABLE_BYTES + count * CHANNEL_BYTES, stream);
    return record;
}

static void fill_record(const host_frame *frame, uint32_t i, uint8_t *at)
{
    for (size_t m = 0; m < MEANINGS; m++) {
        const prt_meaning *meaning = &meanings[m];
        if (!writes(meaning, frame)) continue;
        uint32_t bytes = scalars[type_of(meaning, frame)].bytes;
        const uint8_t *from =
            (const uint8_t *)frame->data[meaning->stream] + (size_t)i * meaning->arity * 4;
        for (uint32_t k = 0; k < meaning->arity; k++, at += bytes) {
            uint32_t word;
            memcpy(&word, from + meaning->order[k] * 4, sizeof word);
            bytes_store(at, bytes, false, word);
        }
    }
}

int prt_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    (void)sink;
    size_t packed_size = 0;
    uint8_t *packed = NULL;
    uint32_t record = write_head(stream, frame);
    uint8_t *records = host_allocate(frame->count, record);
    if (!records) return host_out_of_memory("a frame");
    for (uint32_t i = 0; i < frame->count; i++) fill_record(frame, i, records + (size_t)i * record);
    int code = deflate_zlib(records, (size_t)frame->count * record, &packed, &packed_size);
    free(records);
    if (code) return host_out_of_memory("a frame");
    fwrite(packed, 1, packed_size, stream);
    free(packed);
    return HOST_DONE;
}
