/* SPDX-License-Identifier: MIT
   runtime/world/item.c - finds and removes pool items by handle: emitters, sinks, fields,
           colliders, links, bodies.
   reads   handles, slot words      writes  the pools of items
   memory  that of the pools        cost    O(1) to find, O(capacity) to remove
   after   own design: all kinds share one check of handles and report the same errors */
#include "block.h"
#include "change.h"

tpi_pool *tpi_item_pool(const tp_world *world, tp_pool kind)
{
    static const uint16_t offsets[TPI_POOLS] = {
        offsetof(tp_world, emitters),  offsetof(tp_world, sinks), offsetof(tp_world, fields),
        offsetof(tp_world, colliders), offsetof(tp_world, links), offsetof(tp_world, bodies)};
    return (tpi_pool *)tpi_at(world, offsets[(uint32_t)kind - TP_POOL_EMITTERS]);
}

tp_result tpi_item_check(const tp_world *world, const void *definition, uint32_t stamp,
                         uint32_t *handle)
{
    uint32_t found;
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!definition || !handle) return TP_ERROR_NULL;
    *handle = 0;
    tpi_memcpy(&found, definition, sizeof found);
    return found == stamp ? TP_OK : TP_ERROR_STAMP;
}

tp_result tpi_item_find(const tp_world *world, tp_pool kind, uint32_t handle, uint32_t *slot)
{
    tp_result result = tpi_world_check_block(world);
    *slot = TPI_NO_SLOT;
    if (result != TP_OK) return result;
    const tpi_pool *pool = tpi_item_pool(world, kind);
    *slot = tpi_pool_find(pool, tpi_words(world, pool->slots), handle);
    return *slot == TPI_NO_SLOT ? TP_ERROR_HANDLE : TP_OK;
}

/* Clears the item's bytes too, so that a removed item has no geometry offset that could still be
   moved. */
void tpi_item_remove(tp_world *world, tp_pool kind, uint32_t slot)
{
    tpi_pool *pool = tpi_item_pool(world, kind);
    tpi_step_cancel(world);
    tpi_memset(tpi_item_at(world, pool, slot), 0, pool->item_bytes);
    tpi_change_clear(world, kind, slot);
    tpi_pool_free(pool, tpi_words(world, pool->slots), slot);
}

/* ---- poses ---- */

tp_pose tpi_collider_pose(const tpi_collider_item *item, float moment)
{
    if (!item->is_moving) return item->pose_to;
    if (TPI_HAS_BODIES && item->body) {
        if (moment >= item->span_end) return item->pose_to;
        moment = (moment - item->span_begin) / (item->span_end - item->span_begin);
    }
    if (moment >= 1.0f) return item->pose_to;
    if (moment <= 0.0f) return item->pose_from;
    if (item->is_turning) return tpi_pose_lerp(item->pose_from, item->pose_to, moment);
    return (tp_pose){tpi_lerp(item->pose_from.position, item->pose_to.position, moment),
                     item->pose_to.rotation};
}
