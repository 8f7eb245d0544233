/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_block.c - compressed blocks of a .bphys file: checked first, decoded
           later.
   reads   bytes of a file                 writes  bytes of streams
   memory  the decoders' own, and one block of byte planes    cost    O(bytes)
   after   the framing of Blender's point caches: code, size, payload; LZMA properties after the
           payload */
#include "bphys_private.h"
#include "../compress/transpose.h"
#include "../compress/zstd.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *bphys_code_name(uint8_t code)
{
    static const char *const names[] = {"stored", "light", "heavy", "zstd", "zstd"};
    return code < 5 ? names[code] : code == BPHYS_ZSTD_SLOW ? "zstd" : NULL;
}

bool bphys_has_settings(uint8_t code, uint64_t payload)
{
    return code == BPHYS_LZMA && payload > 0;
}

const codec *bphys_codec(uint8_t code)
{
    if (code == BPHYS_LZO) return &codec_lzo1x;
    return code == BPHYS_LZMA ? &codec_lzma1 : &codec_zstd;
}

void bphys_reader_end(bphys_reader *r)
{
    free(r->work);
    free(r->planes);
    r->work = r->planes = NULL;
    r->work_capacity = r->planes_capacity = 0;
}

/* ---- errors */

int bphys_refuse(const bphys_reader *r, size_t at, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (!r->file) return HOST_BAD_INPUT;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return host_error(HOST_BAD_INPUT, r->file, at, "%s", text);
}

int bphys_out_of_memory(const bphys_reader *r)
{
    return r->file ? host_out_of_memory(r->file) : HOST_OUT_OF_MEMORY;
}

/* ---- limit of the decoded size */

uint64_t bphys_claim_max(uint64_t bytes)
{
    if (bytes > UINT32_MAX / BPHYS_CLAIM_PER_BYTE) return UINT32_MAX; /* counts have 32 bits */
    uint64_t most = bytes * BPHYS_CLAIM_PER_BYTE;
    return most > BPHYS_CLAIM_ALWAYS ? most : BPHYS_CLAIM_ALWAYS;
}

int bphys_check_claim(bphys_reader *r, size_t at, const char *what, uint32_t count)
{
    uint64_t bytes = r->backing ? r->backing : r->size, most = bphys_claim_max(bytes);
    if (count <= most) return HOST_DONE;
    r->part = BPHYS_IN_CLAIM;
    return bphys_refuse(
        r, at,
        "expected at most %llu %s in %llu compressed bytes (%u, or %u per byte), found %u; the "
        "file is damaged or made to use up memory; if it is sound, save it with light or no "
        "compression",
        (unsigned long long)most, what, (unsigned long long)bytes, BPHYS_CLAIM_ALWAYS,
        BPHYS_CLAIM_PER_BYTE, count);
}

/* ---- framing of a block */

static uint64_t left(const bphys_reader *r, size_t at) { return r->size - at; }

static int take_stored(const bphys_reader *r, bphys_block *block)
{
    uint64_t bytes = (uint64_t)block->items * block->item_size;
    block->at = r->at + 1;
    if (bytes > left(r, block->at))
        return bphys_refuse(
            r, block->at, "%s needs %llu bytes, the file has %llu left; it is incomplete",
            block->what, (unsigned long long)bytes, (unsigned long long)left(r, block->at));
    block->bytes = (size_t)bytes;
    return HOST_DONE;
}

/* The LZMA properties: a size of 5, then 5 bytes. */
static int take_settings(const bphys_reader *r, bphys_block *block)
{
    size_t at = block->at + block->bytes;
    if (left(r, at) < 4 + BPHYS_SETTINGS_BYTES)
        return bphys_refuse(r, at, "the file ends before the LZMA settings of %s; it is incomplete",
                            block->what);
    uint32_t size = bphys_load_u32(r->bytes + at, r->header.big_endian);
    if (size != BPHYS_SETTINGS_BYTES)
        return bphys_refuse(
            r, at, "the LZMA settings of %s have %u bytes, expected 5; the file is damaged%s",
            block->what, size,
            size == 0 ? " or of a 64-bit big-endian Blender, which wrote 0 here" : "");
    block->properties = at + 4;
    return HOST_DONE;
}

/* Checks code, size, payload and properties, without a look at the content. */
static int take_frame(const bphys_reader *r, bphys_block *block)
{
    if (left(r, r->at) < 5)
        return bphys_refuse(r, r->size,
                            "the file ends inside the head of the block of %s; it is incomplete",
                            block->what);
    uint64_t bytes = bphys_load_u32(r->bytes + r->at + 1, r->header.big_endian);
    block->at = r->at + 5;
    if (bytes > left(r, block->at))
        return bphys_refuse(
            r, r->at + 1,
            "the block of %s promises %llu bytes, the file has %llu left; it is incomplete",
            block->what, (unsigned long long)bytes, (unsigned long long)left(r, block->at));
    block->bytes = (size_t)bytes;
    return bphys_has_settings(block->code, bytes) ? take_settings(r, block) : HOST_DONE;
}

static size_t block_end(const bphys_block *block)
{
    bool has_settings = bphys_has_settings(block->code, block->bytes);
    return has_settings ? block->properties + BPHYS_SETTINGS_BYTES : block->at + block->bytes;
}

/* Upper bound of the decoded size of the payload; false with the error printed when the payload is
   damaged. */
static bool decoded_max(const bphys_reader *r, const bphys_block *block, uint64_t *most)
{
    const codec *method = bphys_codec(block->code);
    compress_fault fault = {0, NULL};
    *most = method->decoded_max(block->bytes);
    if (method != &codec_zstd) return true;
    if (zstd_measure(r->bytes + block->at, block->bytes, most, &fault))
        return true; /* zstd frames store their size */
    bphys_refuse(r, block->at + fault.at,
                 "the zstd block of %s cannot be decoded: %s; the file is damaged", block->what,
                 fault.why);
    return false;
}

static int take_head(bphys_reader *r, bphys_block *block)
{
    r->part = BPHYS_IN_BLOCK;
    if (r->at >= r->size)
        return bphys_refuse(r, r->at, "the file ends before the block of %s; it is incomplete",
                            block->what);
    block->code = r->bytes[r->at];
    if (!bphys_code_name(block->code))
        return bphys_refuse(
            r, r->at,
            "compression code of %s is %u, expected 0, 1, 2, 3, 4 or 8; the file is damaged",
            block->what, block->code);
    r->packings |= 1u << block->code;
    return HOST_DONE;
}

int bphys_take_block(bphys_reader *r, const char *what, uint32_t items, uint32_t item_size,
                     bphys_block *block)
{
    uint64_t needed = (uint64_t)items * item_size, most = 0;
    *block = (bphys_block){.what = what, .items = items, .item_size = item_size};
    int code = take_head(r, block);
    if (!code) code = block->code == BPHYS_STORED ? take_stored(r, block) : take_frame(r, block);
    if (code) return code;
    if (block->code != BPHYS_STORED && block->bytes) {
        if (!decoded_max(r, block, &most)) return HOST_BAD_INPUT;
    }
    if (block->code != BPHYS_STORED && most < needed)
        return bphys_refuse(
            r, block->at,
            "%s needs %llu bytes, but its block of %zu bytes can hold %llu at most; the file is "
            "damaged, in totpoint or here",
            what, (unsigned long long)needed, block->bytes, (unsigned long long)most);
    r->at = block->code == BPHYS_STORED ? block->at + block->bytes : block_end(block);
    return HOST_DONE;
}

int bphys_pass_block(bphys_reader *r, const char *what)
{
    bphys_block block = {.what = what};
    int code = take_head(r, &block);
    if (code) return code;
    if (block.code == BPHYS_STORED) return HOST_DIFFERENT;
    code = take_frame(r, &block);
    if (!code) r->at = block_end(&block);
    return code;
}

/* ---- content of a block */

bool bphys_reserve(void **buffer, size_t *capacity, size_t size)
{
    if (*buffer && *capacity >= size) return true;
    free(*buffer);
    *buffer = malloc(size ? size : 1);
    *capacity = *buffer ? size : 0;
    return *buffer != NULL;
}

static int decode(bphys_reader *r, const bphys_block *block, uint8_t *out, size_t bytes)
{
    static const char *const names[] = {"", "LZO", "LZMA", "zstd"};
    uint8_t code = block->code;
    const codec *method = bphys_codec(code);
    const uint8_t *properties = r->bytes + block->properties;
    compress_fault fault = {0, NULL};
    size_t work = method->decoder_bytes(properties);
    if (method->property_bytes && !work)
        return bphys_refuse(r, block->properties,
                            "the first byte of the LZMA settings of %s is %u, expected 93; "
                            "the file is damaged",
                            block->what, properties[0]);
    if (!bphys_reserve(&r->work, &r->work_capacity, work)) return bphys_out_of_memory(r);
    if (method->decode(properties, r->bytes + block->at, block->bytes, out, bytes, r->work, &fault))
        return HOST_DONE;
    return bphys_refuse(
        r, block->at + fault.at, "the %s block of %s cannot be decoded: %s; the file is damaged",
        names[code < BPHYS_ZSTD_PLANES ? code : BPHYS_ZSTD_PLANES], block->what, fault.why);
}

int bphys_unpack(bphys_reader *r, const bphys_block *block, uint8_t *out)
{
    size_t bytes = (size_t)block->items * block->item_size;
    if (block->code == BPHYS_STORED) {
        if (bytes) memcpy(out, r->bytes + block->at, bytes);
        return HOST_DONE;
    }
    if (!block->bytes) return HOST_DONE; /* such a block was accepted only if no bytes are needed */
    if (block->code != BPHYS_ZSTD_PLANES) return decode(r, block, out, bytes);
    if (!bphys_reserve(&r->planes, &r->planes_capacity, bytes)) return bphys_out_of_memory(r);
    int code = decode(r, block, r->planes, bytes);
    if (!code) transpose_join(r->planes, block->items, block->item_size, out);
    return code;
}
