/* SPDX-License-Identifier: MIT
   host_tools/commands/view/module.c - the player of the page of `tidepool view`, for WebAssembly.
   reads   a clip      writes  positions and steps of the points of a frame, in order of their ids
   memory  grows once, when the clip is opened      cost    two frames of the player for each shown
   after   own design; `build` beside it makes ../view_module.c of it */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include <stddef.h>
#include <stdint.h>

#define CALLED_BY_THE_PAGE(name) __attribute__((export_name(#name)))
#define PAGE_BYTES               65536u
#define ALIGNMENT                16u

extern uint8_t __heap_base; /* the linker's */

static struct {
    tp_clip_storage storage;
    tp_clip_info info;
    tp_player *player;
    uint8_t *end;    /* of the memory in use */
    uint32_t points; /* ids are below */
    uint32_t room;   /* points of a view */
    float *view, *positions, *steps;
    uint32_t *ids;
    uint8_t *lives;
} page;

/* NULL: the browser gives no more. */
static void *take(uint64_t bytes)
{
    uint8_t *start = page.end ? page.end : &__heap_base;
    uint64_t from = ((uint64_t)(uintptr_t)start + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE_BYTES, to = from + bytes;
    if (to > UINT32_MAX) return NULL;
    if (to > have && __builtin_wasm_memory_grow(
                         0, (uint32_t)((to - have + PAGE_BYTES - 1) / PAGE_BYTES)) == UINTPTR_MAX)
        return NULL;
    page.end = (uint8_t *)(uintptr_t)to;
    return (uint8_t *)(uintptr_t)from;
}

/* Memory for the clip. 0: there is not so much. */
CALLED_BY_THE_PAGE(room) uint8_t *room(uint32_t bytes)
{
    page = (__typeof__(page)){.storage = {.size = bytes}};
    return page.storage.bytes = take(bytes), (uint8_t *)(uintptr_t)page.storage.bytes;
}

static bool take_arrays(uint32_t points)
{
    page.points = points;
    page.view = take(12u * (uint64_t)page.room);
    page.ids = take(4u * (uint64_t)page.room);
    page.positions = take(12u * (uint64_t)points);
    page.steps = take(4u * (uint64_t)points);
    page.lives = take(points);
    return page.view && page.ids && page.positions && page.steps && page.lives;
}

/* Opens the clip in that memory; the ids of its points are below `points`. 0, or an error of
   tp_result. */
CALLED_BY_THE_PAGE(open) int32_t open(uint32_t points)
{
    size_t bytes;
    void *scratch = take(2u * 32768u);
    if (!scratch) return TP_ERROR_MEMORY;
    tp_result result = tp_clip_look(&page.storage, scratch, 2u * 32768u, &page.info);
    if (result) return result;
    tp_player_def def = tp_player_default(&page.info);
    page.room = def.points_max;
    result = tp_player_memory(&def, &bytes);
    if (result) return result;
    void *block = take(bytes);
    if (!block || !take_arrays(points)) return TP_ERROR_MEMORY;
    return tp_player_create(&def, block, bytes, &page.player);
}

/* Requests a frame; its points are in page.ids and page.view. */
static tp_result request(int32_t frame, uint32_t *count)
{
    tp_frame_view view = {.capacity = page.room};
    view.values[0] = page.ids;
    view.values[1] = page.view;
    int64_t time = (int64_t)TP_TIME(frame);
    tp_result result = tp_player_request(page.player, &page.storage, time, NULL, &view);
    *count = result ? 0 : view.count;
    return result;
}

static void keep_before(uint32_t count)
{
    for (uint32_t p = 0; p < page.points; p++) page.lives[p] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = page.ids[i];
        if (id >= page.points) continue;
        page.lives[id] = 2;
        for (uint32_t k = 0; k < 3; k++)
            page.positions[3 * (size_t)id + k] = page.view[k * (size_t)page.room + i];
    }
}

/* lives: 0 no, 1 yes; steps: sum of the distances along the axes since the frame before, 0 where
   the point was not alive. Returns the living points. */
static uint32_t keep(uint32_t count)
{
    uint32_t living = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = page.ids[i];
        if (id >= page.points) continue;
        float step = 0, *to = page.positions + 3 * (size_t)id;
        for (uint32_t k = 0; k < 3; k++) {
            float now = page.view[k * (size_t)page.room + i], by = now - to[k];
            step += by < 0 ? -by : by;
            to[k] = now;
        }
        page.steps[id] = page.lives[id] ? step : 0;
        page.lives[id] = 1;
        living++;
    }
    for (uint32_t p = 0; p < page.points; p++) page.lives[p] = page.lives[p] == 1;
    return living;
}

/* Shows a frame of the clip; `before` is the one before it, or the same for the first. Returns the
   number of living points, or an error of tp_result, which is negative. */
CALLED_BY_THE_PAGE(show) int32_t show(int32_t frame, int32_t before)
{
    uint32_t count = 0;
    tp_result result = before == frame ? TP_OK : request(before, &count);
    if (result) return (int32_t)result;
    keep_before(count);
    result = request(frame, &count);
    return result ? (int32_t)result : (int32_t)keep(count);
}

CALLED_BY_THE_PAGE(positions) const float *positions(void) { return page.positions; }
CALLED_BY_THE_PAGE(steps) const float *steps(void) { return page.steps; }
CALLED_BY_THE_PAGE(lives) const uint8_t *lives(void) { return page.lives; }
