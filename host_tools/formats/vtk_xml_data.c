/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk_xml_data.c - the numbers of an array of a VTK XML file.
   reads   text, base64 or raw bytes, compressed or not    writes  numbers
   memory  the unpacked array              cost    O(bytes)
   after   the VTK file formats document: a length before the bytes; before compressed bytes the
           number of blocks, their size, the size of the last one, and the packed sizes */
#include "../compress/inflate.h"
#include "bytes.h"
#include "vtk_xml.h"
#include <stdlib.h>
#include <string.h>

static const xml_type types[] = {
    {"Float32", 4, XML_FLOAT},   {"Float64", 8, XML_FLOAT},   {"Int8", 1, XML_SIGNED},
    {"UInt8", 1, XML_UNSIGNED},  {"Int16", 2, XML_SIGNED},    {"UInt16", 2, XML_UNSIGNED},
    {"Int32", 4, XML_SIGNED},    {"UInt32", 4, XML_UNSIGNED}, {"Int64", 8, XML_SIGNED},
    {"UInt64", 8, XML_UNSIGNED},
};

const xml_type *xml_type_named(text_word name)
{
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (text_is(name, types[t].name)) return &types[t];
    return NULL;
}

/* ---- bytes */

/* The bytes of an array in the file. */
typedef struct xml_bytes {
    const uint8_t *at, *end;
    bool is_base64;
} xml_bytes;

static uint64_t offset_of(const xml_file *file, const uint8_t *at)
{
    return (uint64_t)(at - file->piece->bytes);
}

static int cut_off(const xml_file *file, const xml_array *array)
{
    return piece_error(file->piece, file->piece->size,
                       "the file ends inside the array \"%.*s\"; it is incomplete",
                       (int)(array->name.length < 40 ? array->name.length : 40),
                       array->name.length ? array->name.text : "");
}

static int digit_of(uint8_t letter)
{
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* The first `size` bytes, and moves behind the run of letters that holds just them. False: the
   input ends before, or is no base64. */
static bool take_base64(xml_bytes *from, uint8_t *to, size_t size)
{
    size_t letters = (size + 2) / 3 * 4, done = 0;
    if (letters > (size_t)(from->end - from->at)) return false;
    for (size_t i = 0; done < size; i += 4) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4; k++) {
            int digit = digit_of(from->at[i + k]);
            if (digit < 0 && k * 6 < (size - done) * 8) return false;
            word = word << 6 | (uint32_t)(digit < 0 ? 0 : digit);
        }
        for (int shift = 16; shift >= 0 && done < size; shift -= 8)
            to[done++] = (uint8_t)(word >> shift);
    }
    from->at += letters;
    return true;
}

static bool take_bytes(xml_bytes *from, uint8_t *to, size_t size)
{
    if (from->is_base64) return take_base64(from, to, size);
    if (size > (size_t)(from->end - from->at)) return false;
    memcpy(to, from->at, size);
    from->at += size;
    return true;
}

static int find_bytes(const xml_file *file, const xml_array *array, xml_bytes *bytes)
{
    const uint8_t *end = file->piece->bytes + file->piece->size;
    if (array->place == XML_INLINE) {
        bytes->at = (const uint8_t *)array->content.text;
        bytes->end = bytes->at + array->content.length;
        while (bytes->at < bytes->end && *bytes->at <= ' ') bytes->at++;
        bytes->is_base64 = true;
        return HOST_DONE;
    }
    if (!file->appended || array->offset > (uint64_t)(end - file->appended))
        return cut_off(file, array);
    *bytes = (xml_bytes){file->appended + array->offset, end, !file->appended_is_raw};
    return HOST_DONE;
}

static uint64_t number_at(const xml_file *file, const uint8_t *bytes, size_t i)
{
    return bytes_load(bytes + i * file->header_bytes, file->header_bytes, file->big_endian);
}

int xml_check_rows(const xml_file *file, const xml_array *array, uint64_t rows)
{
    xml_bytes bytes = {NULL, NULL, false};
    uint64_t row = array->columns * (array->place == XML_TEXT ? 2 : array->type->bytes), left;
    if (array->place == XML_TEXT) {
        left = array->content.length + 1;
    } else {
        int code = find_bytes(file, array, &bytes);
        if (code) return code;
        left = (uint64_t)(bytes.end - bytes.at);
        if (file->is_packed) left = inflate_decoded_max((size_t)left);
    }
    if (!row || rows <= left / row) return HOST_DONE;
    if (array->place != XML_TEXT) return cut_off(file, array);
    return piece_error_at(file->piece, array->content.text + array->content.length,
                          "the array has fewer than %llu numbers",
                          (unsigned long long)(rows * array->columns));
}

/* ---- compressed blocks */

typedef struct xml_blocks {
    uint8_t *head; /* three numbers, and the packed size of each block */
    uint64_t count, packed;
} xml_blocks;

static int bad_blocks(const xml_file *file, const xml_bytes *bytes)
{
    return piece_error(file->piece, offset_of(file, bytes->at),
                       "the sizes of the blocks do not add up to that of the array");
}

/* Reads the sizes; their sums must be `size` bytes, and lie in the file. */
static int read_head(const xml_file *file, const xml_array *array, xml_bytes *bytes, uint64_t size,
                     xml_blocks *blocks)
{
    uint8_t first[8];
    xml_bytes ahead = *bytes;
    if (!take_bytes(&ahead, first, file->header_bytes)) return cut_off(file, array);
    blocks->count = number_at(file, first, 0);
    if (blocks->count > (uint64_t)(bytes->end - bytes->at) / file->header_bytes)
        return cut_off(file, array);
    size_t head = ((size_t)blocks->count + 3) * file->header_bytes;
    blocks->head = malloc(head);
    if (!blocks->head) return host_out_of_memory("an array");
    ahead = *bytes;
    if (!take_bytes(bytes, blocks->head, head)) return cut_off(file, array);
    uint64_t each = number_at(file, blocks->head, 1), last = number_at(file, blocks->head, 2);
    uint64_t whole = blocks->count - (last != 0), left = (uint64_t)(bytes->end - bytes->at);
    bool adds_up = blocks->count && each && last <= each && whole <= size / each &&
                   whole * each + last == size;
    for (uint64_t b = 0; b < blocks->count && adds_up; b++) {
        uint64_t packed = number_at(file, blocks->head, 3 + (size_t)b);
        if (packed > left - blocks->packed) return cut_off(file, array);
        blocks->packed += packed;
    }
    return adds_up ? HOST_DONE : bad_blocks(file, &ahead);
}

static int unpack_blocks(const xml_file *file, const xml_blocks *blocks, const uint8_t *packed,
                         uint64_t place, uint8_t *to, uint64_t size)
{
    uint64_t each = number_at(file, blocks->head, 1), done = 0, at = 0;
    for (uint64_t b = 0; b < blocks->count; b++) {
        size_t used, part = (size_t)(size - done < each ? size - done : each),
                     stream = (size_t)number_at(file, blocks->head, 3 + (size_t)b);
        compress_fault fault;
        if (!inflate_zlib(packed + at, stream, to + done, part, &used, &fault))
            return piece_error(file->piece, place + at + fault.at, "the zlib stream: %s",
                               fault.why);
        done += part;
        at += stream;
    }
    return HOST_DONE;
}

static int read_packed(const xml_file *file, const xml_array *array, xml_bytes *bytes, uint8_t *to,
                       uint64_t size)
{
    xml_blocks blocks = {NULL, 0, 0};
    int code = read_head(file, array, bytes, size, &blocks);
    uint8_t *copy = NULL;
    const uint8_t *packed = bytes->at;
    uint64_t place = offset_of(file, bytes->at);
    if (!code && bytes->is_base64) {
        packed = copy = malloc((size_t)blocks.packed + 1);
        if (!copy) code = host_out_of_memory("an array");
        if (copy && !take_bytes(bytes, copy, (size_t)blocks.packed)) code = cut_off(file, array);
    }
    if (!code) code = unpack_blocks(file, &blocks, packed, place, to, size);
    free(blocks.head);
    free(copy);
    return code;
}

/* `to` has a place for the length before the bytes. */
static int read_plain(const xml_file *file, const xml_array *array, xml_bytes *bytes, uint8_t *to,
                      uint64_t size)
{
    uint64_t place = offset_of(file, bytes->at);
    if (!take_bytes(bytes, to, (size_t)size + file->header_bytes)) return cut_off(file, array);
    uint64_t found = number_at(file, to, 0);
    memmove(to, to + file->header_bytes, (size_t)size);
    if (found == size) return HOST_DONE;
    return piece_error(file->piece, place, "the array has %llu bytes, expected %llu",
                       (unsigned long long)found, (unsigned long long)size);
}

/* ---- numbers */

static double load_number(const xml_file *file, const xml_type *type, const uint8_t *at)
{
    if (type->kind == XML_FLOAT)
        return type->bytes == 4 ? (double)bytes_load_f32(at, file->big_endian)
                                : bytes_load_f64(at, file->big_endian);
    uint64_t word = bytes_load(at, type->bytes, file->big_endian);
    if (type->kind == XML_UNSIGNED || !(word >> (type->bytes * 8 - 1))) return (double)word;
    return -(double)((UINT64_MAX >> (64 - type->bytes * 8)) - word) - 1;
}

static int bad_number(const xml_file *file, const xml_array *array, uint64_t i,
                      const xml_store *store)
{
    return piece_error(file->piece, HOST_NO_OFFSET, "number %llu of the array \"%.*s\" is not %s",
                       (unsigned long long)i + 1,
                       (int)(array->name.length < 40 ? array->name.length : 40),
                       array->name.length ? array->name.text : "", store->expected);
}

static int read_text(const xml_file *file, const xml_array *array, uint64_t count,
                     const xml_store *store)
{
    text_reader text = {array->content.text, array->content.text + array->content.length, 0};
    text_word word;
    double value;
    bool is_f32 = array->type->kind == XML_FLOAT && array->type->bytes == 4;
    for (uint64_t i = 0; i < count; i++) {
        if (!text_take_any(&text, &word))
            return piece_error_at(file->piece, text.end,
                                  "the array has %llu numbers, expected %llu",
                                  (unsigned long long)i, (unsigned long long)count);
        if (!text_parse_float(word, is_f32, &value))
            return piece_error_at(file->piece, word.text, "\"%.*s\" is not a number",
                                  (int)(word.length < 40 ? word.length : 40), word.text);
        if (!store->store(store, i, value)) return bad_number(file, array, i, store);
    }
    if (!text_take_any(&text, &word)) return HOST_DONE;
    return piece_error_at(file->piece, word.text, "the array has more than %llu numbers",
                          (unsigned long long)count);
}

int xml_read_array(const xml_file *file, const xml_array *array, uint64_t rows,
                   const xml_store *store)
{
    xml_bytes bytes;
    uint64_t count = rows * array->columns, size = count * array->type->bytes;
    int code = xml_check_rows(file, array, rows);
    if (code) return code;
    if (array->place == XML_TEXT) return read_text(file, array, count, store);
    if (!size) return HOST_DONE;
    uint8_t *to = size < SIZE_MAX - 8 ? malloc((size_t)size + 8) : NULL;
    code = to ? find_bytes(file, array, &bytes) : host_out_of_memory("an array");
    if (!code)
        code = file->is_packed ? read_packed(file, array, &bytes, to, size)
                               : read_plain(file, array, &bytes, to, size);
    for (uint64_t i = 0; i < count && !code; i++)
        if (!store->store(store, i, load_number(file, array->type, to + i * array->type->bytes)))
            code = bad_number(file, array, i, store);
    free(to);
    return code;
}
