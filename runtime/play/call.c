/* SPDX-License-Identifier: MIT
   runtime/play/call.c - one call of a player: its budget, reads from storage, faults.
   reads   tp_budget, the clock, storage      writes  the call, the player's counters
   memory  none                  cost    O(1); reads the clock once per slice
   after   own design, as cache/meter.c: units are checked before every work item, the clock between
           slices */
#include "play.h"

#define CALL_START_BYTES (TPI_CLIP_HEAD_BYTES + 4u) /* start of a header, with the block size */
#define CALL_HEADERS     (TPI_PLAY_ANSWERS - 1u)    /* offsets at which a header may begin */

static uint64_t call_now(const tpi_play_call *call)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only a budget has a clock */
    return call->has_clock ? call->budget->clock_us(call->budget->clock_context) : 0;
}

uint32_t tpi_play_copy(const tp_clip_storage *from, uint64_t offset, void *bytes, uint32_t size)
{
    if (offset >= from->size) return 0;
    uint32_t got = from->size - offset < size ? (uint32_t)(from->size - offset) : size;
    tpi_memcpy(bytes, (const uint8_t *)from->bytes + offset, got);
    return got;
}

static uint32_t call_ask(tpi_play_call *call, uint64_t offset, void *bytes, uint32_t size)
{
    tp_player_counters *counters = &call->player->counters;
    uint32_t got = call->from->read(call->from->context, offset, bytes, size);
    if (got == TP_CLIP_NOT_YET) {
        counters->stalls++;
        return TPI_CLIP_NOT_YET;
    }
    got = tpi_min_u32(got, size);
    call->reads++;
    counters->reads++;
    counters->read_bytes += got;
    return got;
}

/* Reads of headers start over after every stall. Their answers are kept until the clip is open: the
   starts of headers in the decoder's memory, the first block in the buffer of pieces. reads_max
   does not apply to them. */
static uint32_t call_ask_header(tpi_play_call *call, uint64_t offset, void *bytes, uint32_t size)
{
    tp_player *player = call->player;
    uint32_t slot = 0;
    while (slot < CALL_HEADERS && offset >> TPI_CLIP_BLOCK_LOWEST >> slot) slot++;
    bool is_start = size <= CALL_START_BYTES;
    if (slot == CALL_HEADERS || (slot && !is_start)) return call_ask(call, offset, bytes, size);
    uint8_t *kept = is_start ? tpi_play_at(player, player->offsets.reader) + slot * CALL_START_BYTES
                             : tpi_play_at(player, player->offsets.buffer);
    uint32_t *answer = &player->header_answers[is_start ? slot : CALL_HEADERS];
    if (!*answer) {
        uint32_t got = call_ask(call, offset, kept, size);
        if (got == TPI_CLIP_NOT_YET) return got;
        *answer = got + 1u;
    }
    tpi_memcpy(bytes, kept, *answer - 1u);
    return *answer - 1u;
}

static uint32_t call_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    tpi_play_call *call = (tpi_play_call *)context;
    uint32_t got, most = call->player->def.reads_max;
    if (call->from->bytes)
        got = tpi_play_copy(call->from, offset, bytes, size);
    else if (call->player->opened == TPI_OPENED_NOT)
        got = call_ask_header(call, offset, bytes, size);
    else if (most && call->reads >= most)
        return TPI_CLIP_NOT_YET;
    else
        got = call_ask(call, offset, bytes, size);
    if (got != TPI_CLIP_NOT_YET) tpi_play_spend(call, got / 16u);
    return got;
}

void tpi_play_call_begin(tpi_play_call *call, tp_player *player, const tp_clip_storage *from,
                         const tp_budget *budget)
{
    uint32_t *worst = &player->counters.slice_microseconds_longest;
    tpi_memset(call, 0, sizeof *call);
    call->player = player;
    call->from = from;
    call->budget = budget;
    call->storage.context = call;
    call->storage.read = call_read;
    call->storage.block[0] = tpi_play_at(player, player->offsets.block);
    call->storage.block[1] = tpi_play_at(player, player->offsets.buffer);
    call->storage.block_max = player->def.block_max;
    *worst -= (*worst + 31u) / 32u;
    call->has_clock = budget && budget->microseconds && budget->clock_us;
    call->started = call->slice_started = call_now(call);
}

/* Ends the slice. False: the time left is shorter than the longest slice seen. The first slice of
   a call is always allowed. */
static bool call_close_slice(tpi_play_call *call)
{
    uint32_t *worst = &call->player->counters.slice_microseconds_longest;
    call->slice = 0;
    if (!call->has_clock) return true;
    uint64_t now = call_now(call), length = now - call->slice_started;
    if (length > *worst) *worst = length > 0xffffffffu ? 0xffffffffu : (uint32_t)length;
    call->slice_started = now;
    return now - call->started + *worst <= call->budget->microseconds;
}

bool tpi_play_may(tpi_play_call *call)
{
    const tp_budget *budget = call->budget;
    if (budget) {
        uint32_t share = budget->stage_units[TP_STAGE_CACHE_READ];
        if ((budget->units && call->units >= budget->units) || (share && call->units >= share))
            return false;
    }
    uint32_t step = tpi_play_step_units(&call->player->def);
    if (!call->slice || call->slice + step <= call->player->def.slice_units) return true;
    return call_close_slice(call);
}

void tpi_play_spend(tpi_play_call *call, uint32_t units)
{
    uint32_t *longest = &call->player->counters.slice_units_longest;
    call->units += units;
    call->slice += units;
    *longest = tpi_max_u32(*longest, call->slice);
}

void tpi_play_call_end(tpi_play_call *call)
{
    tp_player_counters *counters = &call->player->counters;
    if (call->slice) (void)call_close_slice(call);
    counters->units = call->units > 0xffffffffu ? 0xffffffffu : (uint32_t)call->units;
    counters->reads_last = call->reads;
    call->player->clip.expected = NULL; /* a block must hold no pointers between calls */
}

void tpi_play_note(tp_clip_fault *fault, uint64_t offset, const char *expected)
{
    uint32_t i = 0;
    fault->offset = offset;
    for (; expected && expected[i] && i + 1u < sizeof fault->expected; i++)
        fault->expected[i] = expected[i];
    tpi_memset(fault->expected + i, 0, sizeof fault->expected - i);
}

tp_result tpi_play_fault(tp_player *player, tp_result result, uint64_t offset, const char *expected)
{
    tpi_play_note(&player->counters.fault, offset, expected);
    return result;
}

tp_result tpi_play_result(tp_player *player, tpi_clip_result result)
{
    if (result == TPI_CLIP_OK) return TP_OK;
    if (result == TPI_CLIP_LATER) return TP_MORE;
    if (result == TPI_CLIP_NONE) return TP_ERROR_FRAME;
    const char *expected = player->clip.expected;
    if (!expected || !*expected) expected = "a clip";
    return tpi_play_fault(player,
                          result == TPI_CLIP_TOO_LARGE ? TP_ERROR_CLIP_LIMIT : TP_ERROR_CLIP,
                          player->clip.fault, expected);
}
