/* SPDX-License-Identifier: MIT
   runtime/world/change.c - where the settings wait that a game changes inside of a frame.
   reads   definitions      writes  the block's part "changes"
   memory  see change.h     cost    O(1), to forget all O(items)
   after   own design: see change.h */
#include "change.h"

/* Bytes of a definition of this kind; 0: none can change. */
static uint32_t change_size(tp_pool kind)
{
    switch (kind) {
    case TPI_POOL_WORLD: return (uint32_t)sizeof(tp_world_def);
    case TP_POOL_EMITTERS: return (uint32_t)sizeof(tp_emitter_def);
    case TP_POOL_SINKS: return (uint32_t)sizeof(tp_sink_def);
    case TP_POOL_COLLIDERS: return (uint32_t)sizeof(tp_collider_def);
    default: return 0;
    }
}

/* Bytes of one change. */
static uint32_t change_bytes(tp_pool kind)
{
    uint32_t size = change_size(kind);
    return size ? (uint32_t)sizeof(tpi_change) + ((size + 7u) & ~7u) : 0u;
}

static uint32_t change_count(const tp_world_def *def, tp_pool kind)
{
    switch (kind) {
    case TPI_POOL_WORLD: return 1;
    case TP_POOL_EMITTERS: return def->emitters_max;
    case TP_POOL_SINKS: return def->sinks_max;
    case TP_POOL_COLLIDERS: return def->colliders_max;
    default: return 0;
    }
}

/* Bytes of all kinds before this one. */
static uint32_t change_offset(const tp_world_def *def, tp_pool kind)
{
    uint32_t offset = 0;
    for (tp_pool k = TPI_POOL_WORLD; k < kind; k++)
        offset += change_count(def, k) * change_bytes(k);
    return offset;
}

uint32_t tpi_changes_bytes(const tp_world_def *def) { return change_offset(def, TP_POOL_LINKS); }

tpi_change *tpi_change_at(const tp_world *world, tp_pool kind, uint32_t slot)
{
    uint32_t offset = change_offset(&world->def, kind) + slot * change_bytes(kind);
    return (tpi_change *)tpi_at(world, world->changed + offset);
}

void *tpi_change_of(const tp_world *world, tp_pool kind, uint32_t slot)
{
    if (!tpi_takes_changes(world) || change_bytes(kind) == 0) return NULL;
    tpi_change *change = tpi_change_at(world, kind, slot);
    return change->waits ? change + 1 : NULL;
}

void tpi_change_put(const tp_world *world, tp_pool kind, uint32_t slot, const void *definition)
{
    tpi_change *change = tpi_change_at(world, kind, slot);
    tpi_memcpy(change + 1, definition, change_size(kind));
    change->waits = 1;
}

void tpi_change_clear(const tp_world *world, tp_pool kind, uint32_t slot)
{
    if (tpi_takes_changes(world) && change_bytes(kind) > 0)
        tpi_memset(tpi_change_at(world, kind, slot), 0, change_bytes(kind));
}

void tpi_changes_clear(const tp_world *world)
{
    if (tpi_takes_changes(world))
        tpi_memset(tpi_at(world, world->changed), 0, tpi_changes_bytes(&world->def));
}

tp_result tpi_change_check(const tp_world *world, tp_pool kind, uint32_t handle,
                           const void *definition, uint32_t stamp, uint32_t *slot)
{
    uint32_t found;
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!definition) return TP_ERROR_NULL;
    tpi_memcpy(&found, definition, sizeof found);
    if (found != stamp) return TP_ERROR_STAMP;
    return tpi_item_find(world, kind, handle, slot);
}

const char *tpi_change_fault(const tp_world *world, tp_result result)
{
    if (result != TP_OK) return tp_result_text(result);
    if (!tpi_takes_changes(world))
        return TPI_TEXT("changes need a world with takes_changes: set it in its definition");
    return NULL;
}
