/* SPDX-License-Identifier: MIT
   runtime/play/roster.c - sorts the points of a group by identity.
   reads   identities      writes  the order of slots
   memory  2 or 4 bytes per slot
   cost    1 unit per slot if they are sorted; else 4 log2(slots) more per slot
   after   heapsort (Williams 1964): in place, bounded, and interruptible after every step */
#include "play.h"

static uint32_t roster_get(const tp_player *player, uint32_t roster, uint32_t index)
{
    uintptr_t order = (uintptr_t)player + player->offsets.order[roster];
    return player->shape.has_short_order ? ((const uint16_t *)order)[index]
                                         : ((const uint32_t *)order)[index];
}

static void roster_put(tp_player *player, uint32_t roster, uint32_t index, uint32_t slot)
{
    uintptr_t order = (uintptr_t)player + player->offsets.order[roster];
    if (player->shape.has_short_order)
        ((uint16_t *)order)[index] = (uint16_t)slot;
    else
        ((uint32_t *)order)[index] = slot;
}

uint32_t tpi_play_slot(const tp_player *player, uint32_t roster, uint32_t index)
{
    return player->roster[roster].is_sorted ? index : roster_get(player, roster, index);
}

/* Order by identity; of equal identities the lower slot is first. */
static bool roster_is_before(const uint32_t *ids, uint32_t slot, uint32_t other)
{
    return ids[slot] != ids[other] ? ids[slot] < ids[other] : slot < other;
}

/* Sift-down: moves the slot at `index` down in the heap of the first `count` slots. Returns
   the units. */
static uint32_t roster_sink(tp_player *player, uint32_t roster, uint32_t index, uint32_t count)
{
    const uint32_t *ids = tpi_play_ids(player, roster);
    uint32_t slot = roster_get(player, roster, index), units = 1;
    for (uint32_t child = 2u * index + 1u; child < count; child = 2u * index + 1u, units += 2u) {
        if (child + 1u < count && roster_is_before(ids, roster_get(player, roster, child),
                                                   roster_get(player, roster, child + 1u)))
            child++;
        if (!roster_is_before(ids, slot, roster_get(player, roster, child))) break;
        roster_put(player, roster, index, roster_get(player, roster, child));
        index = child;
    }
    roster_put(player, roster, index, slot);
    return units;
}

/* Checks whether the identities of the next slots ascend, and fills the heap's array. */
static uint32_t roster_look(tp_player *player)
{
    tpi_play_loading *loading = &player->loading;
    tpi_play_roster *roster = &player->roster[loading->roster];
    const uint32_t *ids = tpi_play_ids(player, loading->roster);
    uint32_t count = tpi_min_u32(roster->slots - loading->item, TPI_TILE_POINTS);
    if (!loading->item) roster->is_sorted = true;
    for (uint32_t i = loading->item; i < loading->item + count; i++) {
        if (i && ids[i] <= ids[i - 1u]) roster->is_sorted = false;
        roster_put(player, loading->roster, i, i);
    }
    loading->item += count;
    if (loading->item < roster->slots) return count;
    loading->phase = roster->is_sorted ? TPI_SORT_DONE : TPI_SORT_BUILD;
    loading->item = roster->slots / 2u;
    return count + 1u;
}

static uint32_t roster_build(tp_player *player)
{
    tpi_play_loading *loading = &player->loading;
    uint32_t slots = player->roster[loading->roster].slots;
    if (loading->item) return roster_sink(player, loading->roster, --loading->item, slots);
    loading->phase = TPI_SORT_TAKE;
    loading->item = slots;
    return 1;
}

/* Moves the heap's maximum behind the heap, which shrinks by one. */
static uint32_t roster_take(tp_player *player)
{
    tpi_play_loading *loading = &player->loading;
    if (loading->item < 2u) {
        loading->phase = TPI_SORT_DONE;
        return 1;
    }
    uint32_t last = --loading->item, slot = roster_get(player, loading->roster, 0);
    roster_put(player, loading->roster, 0, roster_get(player, loading->roster, last));
    roster_put(player, loading->roster, last, slot);
    return roster_sink(player, loading->roster, 0, last);
}

tp_result tpi_play_sort(tpi_play_call *call)
{
    tp_player *player = call->player;
    uint32_t phase = player->loading.phase;
    tpi_play_spend(call, phase == TPI_SORT_LOOK    ? roster_look(player)
                         : phase == TPI_SORT_BUILD ? roster_build(player)
                                                   : roster_take(player));
    return TP_OK;
}
