/* SPDX-License-Identifier: MIT
   runtime/cache/order.c - radix sort of a source's particles by identity, in bounded work items.
   reads   the identity stream      writes  keys, two permutations, histograms
   memory  12 bytes per particle, 4 KiB; 2 KiB up to 65535 particles
   cost    1 unit per particle to read the keys; per pass 1 unit per particle and 64
   after   LSD radix sort with counting sort of each byte (Knuth, TAOCP 3, 5.2.5); stable. Skips a
           pass if all keys have the same byte, and all passes if the keys are already sorted */
#include "cache.h"

enum { TPI_SORT_READ, TPI_SORT_SUM, TPI_SORT_SCATTER };

/* A histogram per byte of the keys. Entries are at most the number of particles. */
static uint32_t order_entry(const tp_cache *cache, uint32_t pass, uint32_t digit)
{
    const uint32_t *wide = tpi_cache_words(cache, cache->offsets.histogram);
    uint32_t at = pass * 256u + digit;
    return tpi_cache_counts_narrow(&cache->def) ? ((const uint16_t *)wide)[at] : wide[at];
}

static void order_entry_set(tp_cache *cache, uint32_t pass, uint32_t digit, uint32_t value)
{
    uint32_t *wide = tpi_cache_words(cache, cache->offsets.histogram), at = pass * 256u + digit;
    if (tpi_cache_counts_narrow(&cache->def))
        ((uint16_t *)wide)[at] = (uint16_t)value;
    else
        wide[at] = value;
}

/* Returns the entry, and counts it up. */
static uint32_t order_entry_count(tp_cache *cache, uint32_t pass, uint32_t digit)
{
    uint32_t entry = order_entry(cache, pass, digit);
    order_entry_set(cache, pass, digit, entry + 1u);
    return entry;
}

/* Indices of `count` <= TP_TILE particles, beginning with number `first` in the order of identity.
   Without identities the list is built in the staging buffer, which is free at this time. */
static const uint32_t *order_indices(const tp_cache *cache, uint32_t first, uint32_t count)
{
    uint32_t *indices = tpi_cache_words(cache, cache->offsets.staging);
    if (cache->shape.identity != TP_STREAM_NONE)
        return tpi_cache_words(cache, cache->offsets.order[cache->sort.from]) + first;
    for (uint32_t i = 0; i < count; i++) indices[i] = first + i;
    return indices;
}

void tpi_order_begin(tp_cache *cache, uint32_t count)
{
    uint64_t serial = cache->sort.serial + 1u;
    cache->sort = (tpi_cache_order){.count = count, .is_sorted = true, .serial = serial};
    cache->sort.active = cache->shape.identity != TP_STREAM_NONE && count > 0;
    if (cache->sort.active)
        tpi_memset(tpi_cache_words(cache, cache->offsets.histogram), 0,
                   TPI_SORT_ENTRIES * (tpi_cache_counts_narrow(&cache->def) ? 2u : 4u));
}

static void order_next_pass(tp_cache *cache, uint32_t pass)
{
    tpi_cache_order *sort = &cache->sort;
    uint32_t shift, byte = tpi_cache_words(cache, cache->offsets.keys)[0];
    for (; pass < 4; pass++) {
        shift = 8u * pass;
        if (order_entry(cache, pass, (byte >> shift) & 255u) != sort->count) break;
    }
    sort->pass = pass;
    sort->phase = TPI_SORT_SUM;
    sort->cursor = 0;
    sort->active = pass < 4;
}

static uint32_t order_read(tp_cache *cache, const tp_source *source)
{
    tpi_cache_order *sort = &cache->sort;
    uint32_t *key = tpi_cache_words(cache, cache->offsets.keys),
             *order = tpi_cache_words(cache, cache->offsets.order[0]);
    uint32_t first = sort->cursor, count = tpi_min_u32(TP_TILE, sort->count - first);
    for (uint32_t i = 0; i < count; i++) order[first + i] = first + i;
    source->read(source->context, cache->shape.identity, order + first, count, key + first);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = key[first + i];
        if (first + i > 0 && value < sort->last_key) sort->is_sorted = false;
        sort->last_key = value;
        for (uint32_t pass = 0; pass < 4; pass++)
            (void)order_entry_count(cache, pass, (value >> (8u * pass)) & 255u);
    }
    sort->cursor += count;
    if (sort->cursor < sort->count) return count;
    if (sort->is_sorted)
        sort->active = false;
    else
        order_next_pass(cache, 0);
    return count;
}

/* Exclusive prefix sum: counts become the index of each digit's first key. */
static uint32_t order_sum(tp_cache *cache)
{
    uint32_t pass = cache->sort.pass, sum = 0;
    for (uint32_t digit = 0; digit < 256u; digit++) {
        uint32_t count = order_entry(cache, pass, digit);
        order_entry_set(cache, pass, digit, sum);
        sum += count;
    }
    cache->sort.phase = TPI_SORT_SCATTER;
    return 64;
}

static uint32_t order_scatter(tp_cache *cache)
{
    tpi_cache_order *sort = &cache->sort;
    const uint32_t *key = tpi_cache_words(cache, cache->offsets.keys),
                   *from = tpi_cache_words(cache, cache->offsets.order[sort->from]);
    uint32_t *to = tpi_cache_words(cache, cache->offsets.order[sort->from ^ 1u]);
    uint32_t shift = 8u * sort->pass, count = tpi_min_u32(TP_TILE, sort->count - sort->cursor);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t particle = from[sort->cursor + i];
        to[order_entry_count(cache, sort->pass, (key[particle] >> shift) & 255u)] = particle;
    }
    sort->cursor += count;
    if (sort->cursor < sort->count) return count;
    sort->from ^= 1u;
    order_next_pass(cache, sort->pass + 1u);
    return count;
}

uint32_t tpi_order_step(tp_cache *cache, const tp_source *source)
{
    if (cache->sort.phase == TPI_SORT_READ) return order_read(cache, source);
    return cache->sort.phase == TPI_SORT_SUM ? order_sum(cache) : order_scatter(cache);
}

void tpi_order_load(const tp_cache *cache, const tp_source *source, uint32_t first, uint32_t count,
                    uint32_t streams, uint32_t *tile)
{
    const uint32_t *indices = order_indices(cache, first, count);
    for (uint32_t stream = 0; stream < cache->def.schema.stream_count; stream++)
        if (streams >> stream & 1u)
            source->read(source->context, stream, indices, count,
                         tile + cache->shape.first_word[stream] * TP_TILE);
}
