/* SPDX-License-Identifier: MIT
   host_tools/formats/npy_array.c - one NumPy array: its header, and rows of numbers in C or Fortran
           order.
   reads   bytes of a file                 writes  numbers; a header
   memory  64 KiB, and the header          cost    O(bytes of a row), in Fortran order up to `rows`
           times
   after   NumPy's description of the .npy format, versions 1 to 3 */
#include "bytes.h"
#include "npy.h"
#include "../common/text.h"
#include <math.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 65536, HEAD_MAX = 65536 };
static const char magic[] = "\x93NUMPY";

bool npy_recognises(const uint8_t *start, size_t size)
{
    return size >= 6 && memcmp(start, magic, 6) == 0;
}

/* ---- the header: a Python dictionary with three keys */

typedef struct head_reader {
    const char *path;
    const char *start, *at, *end;
    uint64_t offset; /* of the dictionary in the file */
} head_reader;

static int bad_head(const head_reader *reader, const char *what)
{
    return host_error(HOST_BAD_INPUT, reader->path,
                      reader->offset + (uint64_t)(reader->at - reader->start), "%s", what);
}

static void skip_blanks(head_reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n')) reader->at++;
}

static bool take_sign(head_reader *reader, char sign)
{
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != sign) return false;
    reader->at++;
    return true;
}

static bool take_text(head_reader *reader, text_word *text)
{
    skip_blanks(reader);
    if (reader->at == reader->end || (*reader->at != '\'' && *reader->at != '"')) return false;
    const char quote = *reader->at++;
    text->text = reader->at;
    while (reader->at < reader->end && *reader->at != quote) reader->at++;
    text->length = (size_t)(reader->at - text->text);
    return reader->at < reader->end && *reader->at++ == quote;
}

static bool take_word(head_reader *reader, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(reader);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static int take_type(head_reader *reader, npy_array *array)
{
    text_word text;
    const char *start = reader->at;
    if (take_text(reader, &text) && text.length == 3) {
        array->kind = text.text[1];
        array->bytes = (uint32_t)(text.text[2] - '0');
        array->big_endian = text.text[0] == '>';
        bool is_size =
            array->bytes == 1 || array->bytes == 2 || array->bytes == 4 || array->bytes == 8;
        bool is_float = array->kind == 'f' && (array->bytes == 4 || array->bytes == 8);
        bool is_whole = (array->kind == 'i' || array->kind == 'u') && is_size;
        if (strchr("<>|", text.text[0]) && text.text[0] && (is_float || is_whole)) return HOST_DONE;
    }
    reader->at = start;
    return bad_head(reader,
                    "the type of the array is none of <f4, <f8, >f4, >f8 and whole numbers");
}

static int take_shape(head_reader *reader, npy_array *array)
{
    if (!take_sign(reader, '('))
        return bad_head(reader, "expected the shape of the array in brackets");
    while (!take_sign(reader, ')')) {
        uint64_t sum = 0;
        const char *first = reader->at;
        if (array->dimensions == 3) return bad_head(reader, "more than 3 dimensions");
        for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++)
            if (sum < UINT64_C(1) << 40) sum = sum * 10 + (uint64_t)(*reader->at - '0');
        if (reader->at == first || sum > UINT32_MAX)
            return bad_head(reader, "a dimension is not a whole number from 0 to 4294967295");
        array->shape[array->dimensions++] = sum;
        if (!take_sign(reader, ',') && (reader->at == reader->end || *reader->at != ')'))
            return bad_head(reader, "expected a comma or a bracket in the shape");
    }
    return HOST_DONE;
}

static int parse_head(head_reader *reader, npy_array *array)
{
    text_word key;
    uint32_t seen = 0;
    if (!take_sign(reader, '{')) return bad_head(reader, "expected a dictionary");
    while (!take_sign(reader, '}')) {
        int code = HOST_DONE;
        uint32_t bit = 0;
        if (!take_text(reader, &key) || !take_sign(reader, ':'))
            return bad_head(reader, "expected a key");
        if (text_is(key, "descr")) {
            bit = 1;
            code = take_type(reader, array);
        } else if (text_is(key, "fortran_order")) {
            bit = 2;
            array->fortran = take_word(reader, "True");
            if (!array->fortran && !take_word(reader, "False"))
                code = bad_head(reader, "fortran_order is neither True nor False");
        } else if (text_is(key, "shape")) {
            bit = 4;
            code = take_shape(reader, array);
        }
        if (code) return code;
        if (!bit || seen & bit)
            return bad_head(reader, "expected the keys descr, fortran_order and shape, once each");
        seen |= bit;
        if (!take_sign(reader, ',') && (reader->at == reader->end || *reader->at != '}'))
            return bad_head(reader, "expected a comma or the end of the dictionary");
    }
    return seen == 7 ? HOST_DONE
                     : bad_head(reader, "one of descr, fortran_order and shape is missing");
}

static int check_size(npy_input *input)
{
    npy_array *array = &input->array;
    uint64_t need = array->bytes;
    uint64_t left = input->size > array->data ? input->size - array->data : 0;
    bool fits = true;
    /* once `need` is 0, any factor fits */
    for (uint32_t d = 0; d < array->dimensions && fits; d++) {
        fits = array->shape[d] == 0 || need <= UINT64_MAX / array->shape[d];
        need = fits ? need * array->shape[d] : need;
    }
    array->surplus = left - need;
    if (fits && need <= left) return HOST_DONE;
    return host_error(
        HOST_BAD_INPUT, input->path, input->size,
        "the shape promises more bytes than the %llu after the header; the file is incomplete",
        (unsigned long long)left);
}

static int read_input(npy_input *input, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    if (input->archive)
        return zip_read(input->archive, input->member, input->reader, offset, bytes, size, got);
    return host_source_read(&input->file, offset, bytes, size, got);
}

int npy_input_begin(npy_input *input)
{
    uint8_t start[12] = {0};
    size_t got, whole = 0;
    npy_array *array = &input->array;
    memset(array, 0, sizeof *array);
    int code = read_input(input, 0, start, sizeof start, &got);
    if (code) return code;
    if (got < 10 || memcmp(start, magic, 6) != 0)
        return host_error(HOST_BAD_INPUT, input->path, got < 6 ? got : 0,
                          got < 10 ? "the file ends inside its head; it is incomplete"
                                   : "the magic is not that of a NumPy array");
    if (start[6] < 1 || start[6] > 3)
        return host_error(HOST_BAD_INPUT, input->path, 6, "version %u, expected 1 to 3", start[6]);
    uint32_t before = start[6] == 1 ? 10 : 12;
    uint64_t length = bytes_load(start + 8, before - 8, false);
    if (got < before || length > HEAD_MAX)
        return host_error(HOST_BAD_INPUT, input->path, 8, "a head of %llu bytes, at most %d",
                          (unsigned long long)length, HEAD_MAX);
    char *head = malloc((size_t)length + 1);
    if (!head) return host_out_of_memory(input->path);
    code = read_input(input, before, head, (size_t)length, &whole);
    head_reader reader = {input->path, head, head, head + length, before};
    array->data = before + length;
    if (!code)
        code = whole == length ? parse_head(&reader, array)
                               : host_error(HOST_BAD_INPUT, input->path, before,
                                            "the file ends inside its head; it is incomplete");
    free(head);
    return code ? code : check_size(input);
}

int npy_input_open(npy_input *input, const char *path)
{
    memset(input, 0, sizeof *input);
    int code = host_source_open_plain(&input->file, path);
    if (code) return code;
    input->path = host_text("%s", path);
    input->size = input->file.file_bytes;
    code = input->path ? npy_input_begin(input) : host_out_of_memory("a path");
    if (code) npy_input_close(input);
    return code;
}

void npy_input_close(npy_input *input)
{
    host_source_close(&input->file);
    free(input->path);
    memset(input, 0, sizeof *input);
}

/* ---- numbers */

static double load_number(const npy_array *array, const uint8_t *at)
{
    if (array->kind == 'f')
        return array->bytes == 4 ? (double)bytes_load_f32(at, array->big_endian)
                                 : bytes_load_f64(at, array->big_endian);
    uint64_t word = bytes_load(at, array->bytes, array->big_endian);
    if (array->kind == 'u' || !(word >> (array->bytes * 8 - 1))) return (double)word;
    return -(double)((UINT64_MAX >> (64 - array->bytes * 8)) - word) - 1;
}

static int store_whole(const char *path, uint64_t offset, npy_numbers kind, double value,
                       uint32_t *number)
{
    double low = kind == NPY_FRAMES ? INT32_MIN : 0,
           high = kind == NPY_FRAMES ? INT32_MAX : UINT32_MAX;
    if (!(value >= low && value <= high) || value != floor(value))
        return host_error(HOST_BAD_INPUT, path, offset,
                          "%.10g is not a whole number from %.0f to %.0f", value, low, high);
    *number = (uint32_t)(int64_t)value;
    return HOST_DONE;
}

static int store_number(const char *path, uint64_t offset, npy_numbers kind, double value,
                        void *numbers, uint64_t at)
{
    if (kind != NPY_FLOATS) return store_whole(path, offset, kind, value, (uint32_t *)numbers + at);
    if (isfinite(value) && fabs(value) > 3.4028235677973366e38)
        return host_error(HOST_BAD_INPUT, path, offset,
                          "%.9g does not fit in 32 bits (at most 3.4e38)", value);
    ((float *)numbers)[at] = (float)value;
    return HOST_DONE;
}

/* The usual case: floats of 32 bits, one after the other. */
static void store_floats(const npy_array *array, const uint8_t *from, uint64_t count, float *to)
{
    for (uint64_t i = 0; i < count && array->big_endian; i++)
        to[i] = bytes_load_f32(from + 4 * i, true);
    for (uint64_t i = 0; i < count && !array->big_endian; i++)
        to[i] = bytes_load_f32(from + 4 * i, false);
}

/* Elements of a row are `stride` elements apart: in Fortran order the frame is the fastest axis,
   then the point. Reads blocks of 64 KiB. */
int npy_read_row(npy_input *input, const npy_view *view, uint64_t row, npy_numbers kind,
                 void *numbers)
{
    const npy_array *array = &input->array;
    uint64_t count = view->points * view->columns, stride = array->fortran ? view->rows : 1;
    uint64_t first = array->fortran ? row : row * count, bytes = array->bytes;
    uint64_t at_once = (BLOCK_BYTES / bytes - 1) / stride + 1;
    bool is_plain =
        kind == NPY_FLOATS && array->kind == 'f' && array->bytes == 4 && !array->fortran;
    uint8_t *block = malloc(BLOCK_BYTES);
    int code = block ? HOST_DONE : host_out_of_memory(input->path);
    for (uint64_t done = 0; done < count && !code; done += at_once) {
        uint64_t some = count - done < at_once ? count - done : at_once;
        uint64_t offset = array->data + (first + done * stride) * bytes;
        size_t size = (size_t)(((some - 1) * stride + 1) * bytes), got;
        code = read_input(input, offset, block, size, &got);
        if (!code && got != size)
            code = host_error(HOST_IO, input->path, offset,
                              "the file became shorter while it was read");
        if (is_plain && !code) store_floats(array, block, some, (float *)numbers + done);
        for (uint64_t i = 0; i < some && !code && !is_plain; i++) {
            uint64_t e = done + i;
            if (array->fortran) e = e % view->points * view->columns + e / view->points;
            code = store_number(input->path, offset + i * stride * bytes, kind,
                                load_number(array, block + i * stride * bytes), numbers, e);
        }
    }
    free(block);
    return code;
}

void npy_make_head(char head[NPY_HEAD_BYTES], const char *type, bool big_endian,
                   const uint64_t *shape, uint32_t dimensions)
{
    char text[NPY_HEAD_BYTES], sizes[72] = "";
    size_t used = 0;
    for (uint32_t d = 0; d < dimensions; d++) /* less than 24 characters each */
        used +=
            (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%llu%s", d ? " " : "",
                             (unsigned long long)shape[d], d + 1 < dimensions || d == 0 ? "," : "");
    snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
             big_endian ? '>' : '<', type, sizes);
    memset(head, ' ', NPY_HEAD_BYTES);
    memcpy(head, magic, 6);
    head[6] = 1;
    head[7] = 0;
    head[8] = NPY_HEAD_BYTES - 10;
    head[9] = 0;
    memcpy(head + 10, text, strlen(text));
    head[NPY_HEAD_BYTES - 1] = '\n';
}
