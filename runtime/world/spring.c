/* SPDX-License-Identifier: MIT
   runtime/world/spring.c - the rows of springs between fluid particles: their order, partners
           and the calls of the game.
   reads   ids, rows      writes  rows
   memory  16 * springs_max bytes per particle: two sets of rows of 8 bytes per spring
   cost    see the functions
   after   own design: a spring is in the row of one of its particles, so that dropping it drops it
           for both. Partners are indices; rows are in the order of the partners' ids, so that their
           contents do not depend on the order in which pairs are visited */
#include "block.h"

void tpi_springs_clear(const tp_world *world, uint32_t set, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        tpi_springs_end(tpi_spring_row(world, set, i), 0, world->def.sph.springs_max);
}

/* ---- the end of a step: indices of the back set become those of the compacted set ---- */

/* For each particle of the back set its index in the compacted one; the force arrays hold nothing
   while a step commits. */
static uint32_t *spring_moves(const tp_world *world)
{
    return tpi_words(world, world->arrays.force[0]);
}

void tpi_springs_move(const tp_world *world, uint32_t from, uint32_t to, uint32_t count)
{
    const uint32_t capacity = world->def.sph.springs_max, set = world->front ^ 1u;
    for (uint32_t k = 0; k < count; k++) {
        tpi_spring *row = tpi_spring_row(world, set, to + k);
        spring_moves(world)[from + k] = to + k;
        if (from + k >= world->step.survivor_count)
            tpi_springs_end(row, 0, capacity);
        else if (from != to)
            tpi_memcpy(row, tpi_spring_row(world, set, from + k), capacity * sizeof *row);
    }
}

void tpi_springs_lose(const tp_world *world, uint32_t from)
{
    spring_moves(world)[from] = TPI_SPRING_NONE;
}

static uint32_t spring_settle_row(const tp_world *world, tpi_spring *row)
{
    const uint32_t capacity = world->def.sph.springs_max, *moves = spring_moves(world);
    uint32_t count = tpi_springs_in(row, capacity), kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        tpi_spring spring = {moves[row[k].partner], row[k].rest_length};
        if (spring.partner != TPI_SPRING_NONE) row[kept++] = spring;
    }
    tpi_springs_end(row, kept, capacity);
    return kept;
}

uint32_t tpi_springs_settle(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor; /* i, j: see stage_commit */
    uint32_t end = cursor->k + tpi_min_u32(units, cursor->j - cursor->k), used = end - cursor->k;
    if (cursor->k == 0) world->step.springs = 0;
    for (; cursor->k < end; cursor->k++)
        world->step.springs +=
            spring_settle_row(world, tpi_spring_row(world, world->front ^ 1u, cursor->k));
    *done = end == cursor->j;
    return used;
}

void tpi_springs_remove(tp_world *world, const uint32_t *moves, uint32_t count)
{
    const uint32_t capacity = world->def.sph.springs_max;
    for (uint32_t i = 0; i < count; i++) {
        tpi_spring *row = tpi_spring_row(world, world->front, i);
        spring_moves(world)[i] = moves[i];
        if (moves[i] != TPI_SPRING_NONE && moves[i] != i)
            tpi_memcpy(tpi_spring_row(world, world->front, moves[i]), row, capacity * sizeof *row);
    }
    world->report.springs = 0;
    for (uint32_t i = 0; i < world->count; i++)
        world->report.springs += spring_settle_row(world, tpi_spring_row(world, world->front, i));
}

/* ---- checks ---- */

bool tpi_springs_audit(const tp_world *world, uint32_t index)
{
    const tpi_spring *row = tpi_spring_row(world, world->front, index);
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint32_t count = tpi_springs_in(row, world->def.sph.springs_max);
    for (uint32_t k = 0; k < count; k++) {
        float length = row[k].rest_length;
        uint32_t partner = row[k].partner;
        if (partner >= world->count || !tpi_spring_is_mine(ids[index], ids[partner])) return false;
        if (k > 0 && ids[row[k - 1u].partner] >= ids[partner]) return false;
        if (!tpi_is_within(length, 0.0f, world->def.sph.smoothing_radius) ||
            tpi_flush(length) != length)
            return false;
    }
    return true;
}

/* ---- springs from outside ---- */

const uint32_t *tpi_springs_sort(const tp_world *world, const uint32_t *ids, uint32_t particles)
{
    uint32_t *sorted = spring_moves(world);
    for (uint32_t i = 0; i < particles; i++) sorted[i] = i;
    tpi_id_sort(sorted, ids, particles);
    return sorted;
}

void tpi_springs_begin(const tp_world *world, uint32_t set, const uint32_t *ids, uint32_t particles)
{
    tpi_springs_clear(world, set, 0, particles);
    (void)tpi_springs_sort(world, ids, particles);
}

static uint32_t spring_index(const tp_world *world, const uint32_t *ids, uint32_t particles,
                             uint32_t id)
{
    const uint32_t *sorted = spring_moves(world);
    uint32_t low = 0, high = particles;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2u;
        if (ids[sorted[middle]] < id)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < particles && ids[sorted[low]] == id ? sorted[low] : TPI_SPRING_NONE;
}

bool tpi_spring_add(const tp_world *world, uint32_t set, const uint32_t *ids, uint32_t particles,
                    const tp_spring *spring)
{
    const uint32_t capacity = world->def.sph.springs_max;
    bool is_first = tpi_spring_is_mine(spring->first, spring->second);
    uint32_t own = spring_index(world, ids, particles, is_first ? spring->first : spring->second),
             partner =
                 spring_index(world, ids, particles, is_first ? spring->second : spring->first);
    if (own == TPI_SPRING_NONE || partner == TPI_SPRING_NONE || own == partner) return false;
    if (!tpi_is_within(spring->rest_length, 0.0f, world->def.sph.smoothing_radius)) return false;
    tpi_spring *row = tpi_spring_row(world, set, own);
    uint32_t count = tpi_springs_in(row, capacity), k = 0;
    const tpi_spring added = {partner, tpi_flush(spring->rest_length)};
    while (k < count && ids[row[k].partner] < ids[partner]) k++;
    if (k < count && row[k].partner == partner) {
        row[k] = added;
        return true;
    }
    if (count == capacity) return false;
    for (uint32_t n = count; n > k; n--) row[n] = row[n - 1u];
    row[k] = added;
    tpi_springs_end(row, count + 1u, capacity);
    return true;
}

uint32_t tpi_springs_copy(const tp_world *world, tp_spring *springs, uint32_t capacity)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id), most = world->def.sph.springs_max;
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->count && tpi_has_springs(world); i++) {
        const tpi_spring *row = tpi_spring_row(world, world->front, i);
        for (uint32_t k = 0; k < most && row[k].partner != TPI_SPRING_NONE; k++, count++)
            if (count < capacity)
                springs[count] = (tp_spring){row[k].rest_length, ids[i], ids[row[k].partner], 0};
    }
    return count;
}

tp_result tp_springs_get(const tp_world *world, tp_spring *springs, uint32_t *count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!count || (!springs && *count > 0)) return TP_ERROR_NULL;
    *count = tpi_springs_copy(world, springs, *count);
    return TP_OK;
}

tp_result tp_springs_set(tp_world *world, const tp_spring *springs, uint32_t count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!springs && count > 0) return TP_ERROR_NULL;
    if (!tpi_has_springs(world)) return count > 0 ? TP_ERROR_DEFINITION : TP_OK;
    const uint32_t *ids = tpi_words(world, world->arrays.id), back = world->front ^ 1u;
    tpi_step_cancel(world);
    tpi_springs_begin(world, back, ids, world->count);
    for (uint32_t k = 0; k < count; k++)
        if (!springs[k].is_deleted && !tpi_spring_add(world, back, ids, world->count, springs + k))
            return TP_ERROR_DEFINITION;
    tpi_memcpy(tpi_spring_row(world, world->front, 0), tpi_spring_row(world, back, 0),
               (size_t)world->count * world->def.sph.springs_max * sizeof(tpi_spring));
    return TP_OK;
}
