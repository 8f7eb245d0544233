/* SPDX-License-Identifier: MIT
   host_tools/formats/usdc_array.c - numbers of .usdc files: compressed integers, arrays.
   reads   .usdc                           writes  memory of the caller
   memory  those of one array, twice       cost    O(bytes)
   after   see usdc.h. Integers are coded as differences: the most frequent one, then two bits for
           each integer, then the others in the fewest bytes; all of it as LZ4 */
#include "../compress/lz4.h"
#include "bytes.h"
#include "usdc.h"
#include <stdlib.h>

int usdc_expected(const usdc_bytes *from, const char *what)
{
    return host_error(HOST_BAD_INPUT, from->source->path, from->file_at + from->at, "expected %s",
                      what);
}

int usdc_take_u64(usdc_bytes *from, uint64_t *value)
{
    if (from->size - from->at < 8) return usdc_expected(from, "a number of 8 bytes");
    *value = bytes_load(from->bytes + from->at, 8, false);
    from->at += 8;
    return HOST_DONE;
}

/* ---- compressed bytes: the number of chunks; without chunks a block of LZ4, otherwise for each
   its size and a block */

static int unpack_block(usdc_bytes *from, size_t size, uint8_t *to, size_t capacity, size_t *got)
{
    compress_fault fault;
    size_t some = lz4_decode(from->bytes + from->at, size, to, capacity, &fault);
    if (some == SIZE_MAX)
        return host_error(HOST_BAD_INPUT, from->source->path, from->file_at + from->at + fault.at,
                          "LZ4: %s", fault.why);
    from->at += size;
    *got += some;
    return HOST_DONE;
}

int usdc_unpack(usdc_bytes *from, uint64_t size, uint8_t *to, size_t capacity, size_t *got)
{
    *got = 0;
    if (!size || size > from->size - from->at)
        return usdc_expected(from, "compressed bytes within their table");
    size_t end = from->at + (size_t)size;
    uint32_t chunks = from->bytes[from->at++];
    if (!chunks) return unpack_block(from, end - from->at, to, capacity, got);
    for (; chunks; chunks--) {
        if (end - from->at < 4) return usdc_expected(from, "the size of a chunk");
        uint64_t some = bytes_load(from->bytes + from->at, 4, false);
        from->at += 4;
        if (some > end - from->at) return usdc_expected(from, "a chunk within its bytes");
        int code = unpack_block(from, (size_t)some, to + *got, capacity - *got, got);
        if (code) return code;
    }
    return from->at == end ? HOST_DONE : usdc_expected(from, "no bytes after the last chunk");
}

/* ---- compressed integers */

static int64_t load_signed(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = bytes_load(at, bytes, false), sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* Bytes of a difference by its two bits: of integers of 4 and of 8 bytes. */
static const uint8_t difference_bytes[2][4] = {{0, 1, 2, 4}, {0, 2, 4, 8}};

/* False: the coded bytes do not hold as many integers. */
static bool decode_ints(const uint8_t *coded, size_t size, size_t count, uint32_t bytes, void *to)
{
    size_t flags = bytes, at = bytes + (count + 3) / 4;
    const uint8_t *sizes = difference_bytes[bytes == 8];
    uint64_t value = 0;
    if (size < at) return false;
    uint64_t usual = (uint64_t)load_signed(coded, bytes);
    for (size_t i = 0; i < count; i++) {
        uint32_t some = sizes[coded[flags + i / 4] >> 2 * (i % 4) & 3u];
        if (size - at < some) return false;
        value += some ? (uint64_t)load_signed(coded + at, some) : usual;
        at += some;
        if (bytes == 8)
            ((uint64_t *)to)[i] = value;
        else
            ((uint32_t *)to)[i] = (uint32_t)value;
    }
    return true;
}

int usdc_take_ints(usdc_bytes *from, size_t count, uint32_t bytes, void *to)
{
    uint64_t size;
    size_t got, most = bytes + (count + 3) / 4 + count * bytes;
    int code = usdc_take_u64(from, &size);
    if (code) return code;
    if (size > from->size - from->at || (count + 3) / 4 > lz4_decoded_max((size_t)size))
        return usdc_expected(from, "compressed integers within their table");
    usdc_bytes start = *from;
    uint8_t *coded = host_allocate(most, 1);
    if (!coded) return host_out_of_memory("the integers of a file");
    code = usdc_unpack(from, size, coded, most, &got);
    if (!code && !decode_ints(coded, got, count, bytes, to))
        code = usdc_expected(&start, "more compressed integers");
    free(coded);
    return code;
}

/* ---- arrays */

int usdc_array_begin(host_source *source, uint32_t version, uint64_t rep, uint64_t *count,
                     uint64_t *at)
{
    uint8_t head[8];
    uint32_t rank = version < 5 ? 4 : 0, bytes = version < 7 ? 4 : 8;
    *at = USDC_VALUE(rep), *count = 0;
    if (!*at) return HOST_DONE;
    int code = host_source_read_all(source, *at + rank, head, bytes, "an array");
    if (code) return code;
    *count = bytes_load(head, bytes, false);
    *at += rank + bytes;
    /* compressed items take at least a 1020th of a byte */
    if (*count / (rep & USDC_IS_CODED ? 1024 : 1) <= source->file_bytes) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, source->path, *at - bytes,
                      "an array has %llu items, more than the file can hold",
                      (unsigned long long)*count);
}

/* Bytes of a component; 0: no numbers. */
static uint32_t type_bytes(uint32_t type)
{
    switch (type) {
    case USDC_HALF:
    case USDC_VEC3H:
    case USDC_QUATH: return 2;
    case USDC_INT:
    case USDC_UINT:
    case USDC_FLOAT:
    case USDC_VEC3F:
    case USDC_QUATF: return 4;
    case USDC_INT64:
    case USDC_UINT64:
    case USDC_DOUBLE:
    case USDC_VEC3D:
    case USDC_QUATD: return 8;
    default: return 0;
    }
}

/* The compressed part of an array, up to the end of the file: its size is at its begin. */
static int load_coded(host_source *source, uint64_t at, usdc_bytes *bytes, uint8_t **memory)
{
    uint8_t head[8];
    int code = host_source_read_all(source, at, head, 8, "a compressed array");
    if (code) return code;
    uint64_t size = bytes_load(head, 8, false) + 8;
    if (size < 8 || size > source->file_bytes)
        return host_error(HOST_BAD_INPUT, source->path, at,
                          "expected the size of a compressed array, within the file");
    *memory = host_allocate((size_t)size, 1);
    if (!*memory) return host_out_of_memory("an array");
    *bytes = (usdc_bytes){source, at, *memory, (size_t)size, 0};
    return host_source_read_all(source, at, *memory, (size_t)size, "a compressed array");
}

static int take_coded_ints(host_source *source, uint64_t at, size_t count, uint32_t bytes, void *to,
                           uint64_t *end)
{
    usdc_bytes from;
    uint8_t *memory = NULL;
    int code = load_coded(source, at, &from, &memory);
    if (!code) code = usdc_take_ints(&from, count, bytes, to);
    if (!code && end) *end = at + from.at;
    free(memory);
    return code;
}

enum { USDC_CODED_LEAST = 16 }; /* shorter arrays are never compressed */

static float load_number(const uint8_t *at, uint32_t bytes)
{
    return bytes == 2   ? (float)bytes_load_half(at)
           : bytes == 4 ? bytes_load_f32(at, false)
                        : (float)bytes_load_f64(at, false);
}

/* Compressed floats: as integers, or as indices in a table of values. */
static int take_coded_floats(host_source *source, const usda_value *value, uint32_t bytes,
                             float *to)
{
    uint8_t how[5];
    const size_t count = (size_t)value->count;
    uint64_t at = value->at;
    uint32_t *ints = host_allocate(count, sizeof *ints);
    uint8_t *table = NULL;
    int code = ints ? host_source_read_all(source, at, how, 1, "a compressed array")
                    : host_out_of_memory("an array");
    uint32_t entries = 0;
    if (!code && how[0] == 't') {
        code = host_source_read_all(source, at, how, 5, "a compressed array");
        entries = code ? 0 : (uint32_t)bytes_load(how + 1, 4, false);
        if (!code && entries > source->file_bytes / bytes)
            code = host_error(HOST_BAD_INPUT, source->path, at + 1,
                              "a table of values is larger than the file");
        if (!code && !(table = host_allocate((size_t)entries, bytes)))
            code = host_out_of_memory("an array");
        if (!code)
            code = host_source_read_all(source, at + 5, table, (size_t)entries * bytes,
                                        "a table of values");
        at += 4 + (uint64_t)entries * bytes;
    } else if (!code && how[0] != 'i') {
        code = host_error(HOST_BAD_INPUT, source->path, at,
                          "expected an array compressed as integers or with a table");
    }
    if (!code) code = take_coded_ints(source, at + 1, count, 4, ints, NULL);
    for (size_t i = 0; i < count && !code; i++) {
        if (table && ints[i] >= entries)
            code = host_error(HOST_BAD_INPUT, source->path, value->at,
                              "an index of a compressed array is outside of its table");
        else
            to[i] = table ? load_number(table + (size_t)ints[i] * bytes, bytes)
                          : (float)(int32_t)ints[i];
    }
    free(table);
    free(ints);
    return code;
}

int usdc_array_floats(host_source *source, uint32_t version, const usda_value *value,
                      uint32_t components, float *to)
{
    const uint32_t bytes = type_bytes(USDC_TYPE(value->end));
    const size_t count = (size_t)value->count * components;
    if (!count) return HOST_DONE;
    if (value->end & USDC_IS_CODED && version >= 6 && components == 1 && count >= USDC_CODED_LEAST)
        return take_coded_floats(source, value, bytes, to);
    uint8_t *items = host_allocate(count, bytes);
    if (!items) return host_out_of_memory("an array");
    int code = host_source_read_all(source, value->at, items, count * bytes, "an array");
    for (size_t i = 0; i < count && !code; i++) to[i] = load_number(items + i * bytes, bytes);
    free(items);
    if (components != 4) return code;
    for (float *of = to; of < to + count && !code; of += 4) { /* the real part is the last one */
        float real = of[3];
        of[3] = of[2], of[2] = of[1], of[1] = of[0], of[0] = real;
    }
    return code;
}

int usdc_array_ids(host_source *source, uint32_t version, const usda_value *value, uint32_t *to)
{
    const uint32_t bytes = type_bytes(USDC_TYPE(value->end));
    const size_t count = (size_t)value->count;
    if (!count) return HOST_DONE;
    bool is_coded = value->end & USDC_IS_CODED && version >= 5 && count >= USDC_CODED_LEAST;
    uint8_t *items = host_allocate(count, 8);
    if (!items) return host_out_of_memory("an array");
    int code = is_coded ? take_coded_ints(source, value->at, count, bytes, items, NULL)
                        : host_source_read_all(source, value->at, items, count * bytes, "an array");
    for (size_t i = 0; i < count && !code; i++) {
        int64_t id;
        if (is_coded && bytes == 8)
            id = (int64_t)((const uint64_t *)(const void *)items)[i];
        else if (is_coded)
            id = ((const int32_t *)(const void *)items)[i];
        else
            id = load_signed(items + i * bytes, bytes);
        if (USDC_TYPE(value->end) == USDC_UINT) id = (uint32_t)id;
        if (id < 0 || id > UINT32_MAX)
            code = host_error(HOST_BAD_INPUT, source->path, value->at,
                              "the number of a point is %lld, expected 0 to 4294967295",
                              (long long)id);
        else
            to[i] = (uint32_t)id;
    }
    free(items);
    return code;
}
