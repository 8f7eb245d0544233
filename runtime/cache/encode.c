/* SPDX-License-Identifier: MIT
   runtime/cache/encode.c - raw encoding of tiles, frame headers, and checksums of records.
   reads   tiles of words      writes  little-endian bytes
   memory  none                cost    O(words): a copy, and a checksum that mixes 8 bytes at a time
   after   own design: lossless; stream by stream, component by component, 4 bytes per value */
#include "cache.h"

uint32_t tpi_tile_bytes_max(const tpi_cache_shape *shape, uint32_t count)
{
    return count * shape->words * 4u;
}

uint32_t tpi_tile_bytes_min(const tpi_cache_shape *shape, uint32_t count)
{
    return count * shape->words * 4u;
}

uint32_t tpi_tile_encode(const tpi_cache_shape *shape, const uint32_t *tile, uint32_t count,
                         uint8_t *bytes)
{
    uint8_t *to = bytes;
    for (uint32_t word = 0; word < shape->words; word++) {
        const uint32_t *plane = tile + word * TP_TILE;
        for (uint32_t i = 0; i < count; i++, to += 4) tpi_store_u32(to, plane[i]);
    }
    return (uint32_t)(to - bytes);
}

bool tpi_tile_decode(const tpi_cache_shape *shape, const uint8_t *bytes, uint32_t size,
                     uint32_t count, uint32_t *tile)
{
    if (count > TP_TILE || size != count * shape->words * 4u) return false;
    for (uint32_t word = 0; word < shape->words; word++) {
        uint32_t *plane = tile + word * TP_TILE;
        for (uint32_t i = 0; i < count; i++, bytes += 4) plane[i] = tpi_load_u32(bytes);
    }
    return true;
}

/* 64-bit checksum. Each mix is a bijection of the lane's state, so that any change within one
   8-byte word changes the result. Four independent lanes hide the latency of a mix. */
uint64_t tpi_record_check(uint64_t frame, uint32_t record, const uint8_t *bytes, uint32_t size)
{
    uint64_t lane[4] = {frame, record, size, 0};
    uint32_t at = 0;
    for (; at + 32u <= size; at += 32u)
        for (uint32_t k = 0; k < 4; k++)
            lane[k] = tpi_mix(lane[k] ^ tpi_load_u64(bytes + at + 8u * k));
    for (; at < size; at++) lane[at & 3u] = tpi_mix(lane[at & 3u] ^ bytes[at]);
    uint64_t check = 0x74696465706f6f6cu; /* "tidepool" */
    for (uint32_t k = 0; k < 4; k++) check = tpi_mix(check ^ lane[k]);
    return check;
}

void tpi_frame_header(const tp_cache *cache, const tpi_cache_entry *entry, uint32_t records,
                      uint8_t *header)
{
    tpi_store_u32(header, 0x31465054u); /* "TPF1" */
    tpi_store_u32(header + 4,
                  tpi_cache_is_grouped(cache) ? TPI_CACHE_ENCODING_GROUP : TPI_CACHE_ENCODING_RAW);
    tpi_store_u64(header + 8, entry->frame);
    tpi_store_u32(header + 16, entry->count);
    tpi_store_u32(header + 20, records);
    tpi_store_u32(header + 24, entry->bytes);
    tpi_store_u32(header + 28, cache->shape.words);
    tpi_store_u64(header + 32, cache->shape.schema_check);
    tpi_store_u64(header + 40, tpi_record_check(entry->frame, 0xffffffffu, header, 40));
}
