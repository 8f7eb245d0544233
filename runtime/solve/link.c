/* SPDX-License-Identifier: MIT
   runtime/solve/link.c - the public calls of links: add, set, get, remove.
   reads   definitions, handles      writes  the pool of links
   memory  44 bytes per link         cost    O(1), except when a pool searches for a free slot
   after   own design: a link stores the ids of its ends, and the step finds their indices */
#include "link.h"

tp_link_def tp_link_default(void)
{
    tp_link_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_LINK;
    return def;
}

const char *tp_link_check(const tp_world *world, const tp_link_def *definition)
{
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_link_default");
    if (definition->stamp != TPI_STAMP_LINK) return tp_result_text(TP_ERROR_STAMP);
    if (definition->first >= world->clock.next_id)
        return TPI_TEXT("first must be the id of a particle");
    if (definition->second >= world->clock.next_id)
        return TPI_TEXT("second must be the id of a particle");
    if (definition->second == definition->first)
        return TPI_TEXT("second must not be the same particle as first");
    if (!tpi_is_within(definition->rest_length, 0.0f, 1e6f))
        return TPI_TEXT("rest_length must be 0 to 1e6");
    if (!tpi_is_within(definition->stiffness, 0.0f, 1e12f))
        return TPI_TEXT("stiffness must be 0 to 1e12");
    if (!tpi_is_within(definition->damping, 0.0f, 1e12f))
        return TPI_TEXT("damping must be 0 to 1e12");
    if (definition->break_length != 0.0f &&
        !tpi_is_within(definition->break_length, definition->rest_length, 1e6f))
        return TPI_TEXT("break_length must be 0, or rest_length to 1e6");
    return NULL;
}

static void link_write(tpi_link_item *link, const tp_link_def *def)
{
    link->rest_length = def->rest_length;
    link->stiffness = def->stiffness;
    link->damping = def->damping;
    link->break_length = def->break_length;
}

tp_result tp_link_add(tp_world *world, const tp_link_def *definition, tp_link *link)
{
    tp_result result = tpi_item_check(world, definition, TPI_STAMP_LINK, link ? &link->id : NULL);
    if (result != TP_OK) return result;
    if (tp_link_check(world, definition)) return TP_ERROR_DEFINITION;
    uint32_t slot = tpi_pool_take(&world->links, tpi_words(world, world->links.slots), &link->id);
    if (slot == TPI_NO_SLOT) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    tpi_link_item *item = tpi_link_at(world, slot);
    tpi_memset(item, 0, sizeof *item);
    item->first = definition->first;
    item->second = definition->second;
    link_write(item, definition);
    world->links_placed = false;
    return TP_OK;
}

/* A link that a complete step has dropped has no handle any more, although the next step frees its
   slot. */
static tp_result link_find(const tp_world *world, tp_link link, uint32_t *slot)
{
    tp_result result = tpi_item_find(world, TP_POOL_LINKS, link.id, slot);
    if (result != TP_OK) return result;
    return tpi_link_is_gone(world, tpi_link_at(world, *slot)) ? TP_ERROR_HANDLE : TP_OK;
}

tp_result tp_link_set(tp_world *world, tp_link link, const tp_link_def *definition)
{
    uint32_t slot;
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!definition) return TP_ERROR_NULL;
    if (definition->stamp != TPI_STAMP_LINK) return TP_ERROR_STAMP;
    result = link_find(world, link, &slot);
    if (result != TP_OK) return result;
    tpi_link_item *item = tpi_link_at(world, slot);
    if (tp_link_check(world, definition) || definition->first != item->first ||
        definition->second != item->second)
        return TP_ERROR_DEFINITION;
    tpi_step_cancel(world);
    link_write(item, definition);
    return TP_OK;
}

static tp_link_def link_def_of(const tpi_link_item *item)
{
    tp_link_def def = tp_link_default();
    def.first = item->first;
    def.second = item->second;
    def.rest_length = item->rest_length;
    def.stiffness = item->stiffness;
    def.damping = item->damping;
    def.break_length = item->break_length;
    return def;
}

const char *tpi_link_audit(const tp_world *world, uint32_t slot)
{
    tp_link_def def = link_def_of(tpi_link_at(world, slot));
    return tp_link_check(world, &def);
}

tp_result tp_link_get(const tp_world *world, tp_link link, tp_link_def *definition)
{
    uint32_t slot;
    tp_result result = link_find(world, link, &slot);
    if (result != TP_OK) return result;
    if (!definition) return TP_ERROR_NULL;
    *definition = link_def_of(tpi_link_at(world, slot));
    return TP_OK;
}

tp_result tp_link_remove(tp_world *world, tp_link link)
{
    uint32_t slot;
    tp_result result = link_find(world, link, &slot);
    if (result != TP_OK) return result;
    tpi_item_remove(world, TP_POOL_LINKS, slot);
    return TP_OK;
}
