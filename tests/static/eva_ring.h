/* SPDX-License-Identifier: MIT
   tests/static/eva_ring.h - a cache of three frames in its block, for the Eva drivers of the ring.
   reads   nothing      writes  memory
   memory  a ring of 16 bytes and an index of 3 frames      cost    none
   after   own design; the stub for forgetting a group does nothing */
#ifndef EVA_RING_H
#define EVA_RING_H
#include "eva.h"
#include "../../runtime/cache/ring.c"

#define RING   16u
#define FRAMES 3u

typedef struct block {
    tp_cache cache;
    tpi_cache_entry entries[FRAMES];
    uint8_t ring[RING];
} block;
static block memory;

void tpi_group_forget(tp_cache *cache, const tpi_cache_entry *entry) { (void)cache, (void)entry; }

/* A cache without frames; the next one gets index `first`. */
static tp_cache *empty_cache(uint32_t first)
{
    tp_cache *cache = &memory.cache;
    memset(&memory, 0, sizeof memory);
    cache->def.ring_bytes = RING, cache->def.frames_max = FRAMES;
    cache->offsets.entries = offsetof(block, entries), cache->offsets.ring = offsetof(block, ring);
    cache->entry_first = first;
    return cache;
}

#endif
