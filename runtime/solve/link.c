/* SPDX-License-Identifier: MIT
   runtime/solve/link.c - the public calls of links: add one or many, set, get, remove.
   reads   definitions, handles      writes  the pool of links
   memory  44 bytes per link         cost    O(1), except when a pool searches for a free slot, and
           for many O(particles) for each particle that is linked
   after   own design: a link stores the ids of its ends, and the step finds their indices. Heapsort
           of the particles that are linked, so that the order of the links does not depend on that
           of the storage */
#include "link.h"
#include "../world/box.h"

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
    const bool is_pin = definition->second == TP_ID_NONE;
    if (!is_pin && definition->second >= world->clock.next_id)
        return TPI_TEXT("second must be the id of a particle, or TP_ID_NONE for a pin");
    if (is_pin && (definition->rest_length != 0.0f || definition->damping != 0.0f ||
                   definition->break_length != 0.0f))
        return TPI_TEXT("rest_length, damping and break_length must be 0 in a pin");
    if (is_pin && !tpi_is_vector_within(tpi_flat(world, definition->point), 1e6f))
        return TPI_TEXT("point must be within 1e6");
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

static void link_write(const tp_world *world, tpi_link_item *link, const tp_link_def *def)
{
    const tp_vector place = tpi_flat(world, def->point);
    link->rest_length = def->rest_length;
    link->stiffness = def->stiffness;
    link->damping = def->damping;
    link->break_length = def->break_length;
    if (!tpi_link_is_pin(link)) return;
    link->rest_length = place.x;
    link->damping = place.y;
    link->break_length = place.z;
}

/* Adds a link whose definition is good, and restarts the step. False: there is no free slot. */
static bool link_put(tp_world *world, const tp_link_def *def, uint32_t *handle)
{
    uint32_t slot = tpi_pool_take(&world->links, tpi_words(world, world->links.slots), handle);
    if (slot == TPI_NO_SLOT) return false;
    tpi_step_cancel(world);
    tpi_link_item *item = tpi_link_at(world, slot);
    tpi_memset(item, 0, sizeof *item);
    item->first = def->first;
    item->second = def->second;
    link_write(world, item, def);
    world->links_placed = false;
    return true;
}

tp_result tp_link_add(tp_world *world, const tp_link_def *definition, tp_link *link)
{
    tp_result result = tpi_item_check(world, definition, TPI_STAMP_LINK, link ? &link->id : NULL);
    if (result != TP_OK) return result;
    if (tp_link_check(world, definition)) return TP_ERROR_DEFINITION;
    return link_put(world, definition, &link->id) ? TP_OK : TP_ERROR_FULL;
}

/* ---- many links ---- */

/* True if two particles are no farther apart than `most`; sets their distance, m. The first one has
   the lower id, so that the distance does not depend on the order of the storage. */
static bool link_is_near(const tp_world *world, uint32_t i, uint32_t j, float most, float *length)
{
    const tpi_box *box = &world->constants.box;
    float square = 0.0f;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float d = tpi_front_x(world, axis)[j] - tpi_front_x(world, axis)[i];
        if (box->is_periodic && box->cells[axis]) d = tpi_box_image(box, axis, d);
        square = square + d * d;
    }
    *length = tpi_sqrt(square);
    return *length <= most;
}

static bool link_is_in_range(const tp_link_def *def, uint32_t id)
{
    return id >= def->first && id <= def->second;
}

/* The number of links that a definition asks for. The storage has any order here: nothing may be
   sorted while a step is in progress. */
static uint32_t link_count_near(const tp_world *world, const tp_link_def *def)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint32_t found = 0;
    float length;
    for (uint32_t i = 0; i < world->count; i++) {
        if (!link_is_in_range(def, ids[i])) continue;
        for (uint32_t j = i + 1u; j < world->count; j++) {
            if (!link_is_in_range(def, ids[j])) continue;
            uint32_t first = ids[i] < ids[j] ? i : j;
            found += link_is_near(world, first, i + j - first, def->rest_length, &length);
        }
    }
    return found;
}

/* The particles of a range in the order of their ids, in the array `order`, which is free between
   steps. Returns their number. */
static uint32_t link_sort(const tp_world *world, const tp_link_def *def)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint32_t *sorted = tpi_words(world, world->arrays.order), count = 0;
    for (uint32_t i = 0; i < world->count; i++)
        if (link_is_in_range(def, ids[i])) sorted[count++] = i;
    tpi_id_sort(sorted, ids, count);
    return count;
}

static void link_put_near(tp_world *world, const tp_link_def *def, tp_link *links)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id),
                   *sorted = tpi_words(world, world->arrays.order), count = link_sort(world, def);
    const float stretch = def->break_length / def->rest_length;
    tp_link_def one = *def;
    tp_link link = {0};
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1u; b < count; b++) {
            if (!link_is_near(world, sorted[a], sorted[b], def->rest_length, &one.rest_length))
                continue;
            one.first = ids[sorted[a]];
            one.second = ids[sorted[b]];
            if (stretch > 0.0f)
                one.break_length = tpi_max(one.rest_length * stretch, one.rest_length);
            (void)link_put(world, &one, &link.id); /* there is a free slot for each */
            if (links) *links++ = link;
        }
}

tp_result tp_links_add(tp_world *world, const tp_link_def *definition, tp_link *links,
                       uint32_t capacity, uint32_t *count)
{
    uint32_t handle;
    tp_result result = tpi_item_check(world, definition, TPI_STAMP_LINK, &handle);
    if (result != TP_OK) return result;
    if (tp_link_check(world, definition) || definition->second < definition->first ||
        !(definition->rest_length > 0.0f))
        return TP_ERROR_DEFINITION;
    uint32_t found = link_count_near(world, definition);
    const tpi_pool *pool = &world->links;
    if (count) *count = found;
    if (links && found > capacity) return TP_ERROR_FULL;
    if (found > pool->capacity - pool->used - pool->retired) {
        world->links.refused += found;
        return TP_ERROR_FULL;
    }
    if (found == 0) return TP_OK;
    tpi_step_cancel(world);
    link_put_near(world, definition, links);
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
    link_write(world, item, definition);
    return TP_OK;
}

static tp_link_def link_def_of(const tpi_link_item *item)
{
    tp_link_def def = tp_link_default();
    def.first = item->first;
    def.second = item->second;
    def.stiffness = item->stiffness;
    if (tpi_link_is_pin(item)) {
        def.point = tpi_link_place(item);
        return def;
    }
    def.rest_length = item->rest_length;
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
