/* SPDX-License-Identifier: MIT
   tests/calls/cache.c - calls on a cache whose source is the first world of the sequence.
   reads   the sequence      writes  its cache and the source
   memory  a packet         cost    the budgets
   after   own design */
#include "calls.h"

/* An input of the game: it adds particles to the source. */
static tp_result input(void *context, const void *data, uint32_t bytes)
{
    float at = 0.0f;
    if (bytes < sizeof at) return TP_OK;
    memcpy(&at, data, sizeof at);
    tp_result result =
        tp_particle_add(context, (tp_vector){at, 0, 0}, (tp_vector){0, 1, 0}, 0, NULL);
    return result == TP_ERROR_FULL ? TP_OK : result;
}

static tp_source source_of(calls_sequence *s)
{
    tp_source source = tp_world_source(s->worlds[0].world);
    if (!calls_one_in(s, 20)) source.input = input;
    if (calls_one_in(s, 30)) source.advance = NULL;
    return source;
}

static void define(calls_sequence *s, tp_cache_def *def, const tp_source *source)
{
    *def = tp_cache_default(source);
    def->ring_bytes = calls_one_in(s, 2) ? 200000u : 20000u;
    def->frames_max = 1u + calls_below(s, 40);
    def->step = 1u + calls_below(s, 3);
    def->policy = (tp_cache_policy)calls_below(s, 2);
    def->input_bytes = calls_one_in(s, 2) ? 512u : 0;
    if (calls_one_in(s, 2)) def->end_frame = 20;
    if (calls_one_in(s, 3)) {
        def->group_frames = 2u + calls_below(s, 6);
        def->frames_max = 40;
        for (uint32_t k = 0; k < def->schema.stream_count; k++)
            if (def->schema.streams[k].type == TP_STREAM_F32 && calls_one_in(s, 2))
                def->schema.streams[k].error_bound = 1e-3f;
    }
    calls_change(s, def, sizeof *def, 5);
}

static void make(calls_sequence *s)
{
    calls_cache *c = &s->cache;
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    size_t bytes = 0, sum = 0;
    uint32_t count = 0;
    if (!s->worlds[0].world) return;
    tp_cache_def def;
    c->source = source_of(s);
    define(s, &def, &c->source);
    const char *problem = tp_cache_check(&def);
    tp_result result = calls_note(s, "cache_memory", tp_cache_memory(&def, &bytes));
    calls_promise(s, (problem == NULL) == (result == TP_OK),
                  "tp_cache_check and tp_cache_memory agree");
    if (result != TP_OK || bytes > CALLS_BLOCK_BYTES) return;
    if (tp_cache_memory_parts(&def, parts, &count) == TP_OK)
        for (uint32_t k = 0; k < count; k++) sum += parts[k].bytes;
    calls_promise(s, sum == bytes, "the parts of a cache add up to its bytes");
    c->def = def;
    c->in_use = 0;
    unsigned char *block = calls_take(&c->room[0], bytes);
    result = calls_note(s, "cache_create", tp_cache_create(&c->def, block, bytes, &c->cache));
    calls_promise(s, result == TP_OK, "the bytes of the size query are enough");
}

/* Continues in a copy of the block. Blocks that hold no cache must be refused. */
static void move_block(calls_sequence *s)
{
    calls_cache *c = &s->cache;
    for (uint32_t k = 0; k < 3; k++) {
        calls_bad_block bad = calls_bad(s, &c->room[c->in_use]);
        calls_promise(s, tp_cache_at(bad.block, bad.bytes) == NULL,
                      "a block without a cache is refused");
    }
    unsigned char *copy = calls_move(c->room, &c->in_use);
    c->cache = tp_cache_at(copy, c->room[c->in_use].bytes);
    calls_promise(s, c->cache != NULL, "a copy of a block is a cache");
    (void)calls_note(s, "moved cache", TP_OK);
}

/* A cache can be made again from its definition. */
static void define_again(calls_sequence *s)
{
    const calls_cache *c = &s->cache;
    const tp_cache_def *def = tp_cache_definition(c->cache);
    size_t bytes = 0;
    calls_promise(s, tp_cache_definition(NULL) == NULL, "no cache has no definition");
    calls_promise(s, def && tp_cache_check(def) == NULL, "the definition of a cache is good");
    tp_result result = calls_note(s, "cache_definition", tp_cache_memory(def, &bytes));
    calls_promise(s, result == TP_OK && bytes == c->room[c->in_use].bytes,
                  "the definition of a cache gives the bytes of its block");
    calls_fold_word(s, def->frames_max + ((uint64_t)def->ring_bytes << 32));
}

static uint64_t any_frame(calls_sequence *s)
{
    if (calls_one_in(s, 20)) return calls_hostile_word(s);
    if (calls_one_in(s, 40)) return ~(uint64_t)0 - calls_below(s, 3);
    return calls_below(s, 24);
}

static void fold_view(calls_sequence *s, const tp_frame_view *view)
{
    calls_promise(s, view->count <= view->capacity, "a view is filled as far as it goes");
    calls_fold_word(s, view->count + ((uint64_t)view->status << 32));
    calls_fold_word(s, view->frame + (view->frame_next << 20) + view->dropped);
}

static void request(calls_sequence *s)
{
    calls_cache *c = &s->cache;
    tp_frame_view view;
    memset(&view, 0, sizeof view);
    view.capacity = calls_one_in(s, 5) ? calls_below(s, 64) : CALLS_PARTICLES;
    for (uint32_t k = 0; k < c->def.schema.stream_count; k++)
        view.values[k] = calls_one_in(s, 8) ? NULL : s->values + k * CALLS_PARTICLES * 4u;
    uint64_t time = any_frame(s) * TP_TICKS_PER_FRAME +
                    (calls_one_in(s, 3) ? calls_below(s, TP_TICKS_PER_FRAME) : 0);
    uint32_t repeats = 1u + calls_below(s, 8);
    for (uint32_t k = 0; k < repeats; k++) {
        tp_budget budget = calls_budget(s, NULL);
        tp_result result = calls_note(s, "cache_request",
                                      tp_cache_request(c->cache, &c->source, time, &budget, &view));
        fold_view(s, &view);
        if (result != TP_MORE) break;
    }
}

static void packets(calls_sequence *s)
{
    static unsigned char packet[1u << 18];
    calls_cache *c = &s->cache;
    uint32_t bytes = 0, frames = 0, index = calls_below(s, 12);
    tp_result result =
        calls_note(s, "cache_packet", tp_cache_packet(c->cache, index, NULL, 0, &bytes, &frames));
    if (result != TP_OK || bytes > sizeof packet) return;
    result = calls_note(s, "cache_packet",
                        tp_cache_packet(c->cache, index, packet, bytes, &bytes, &frames));
    if (result != TP_OK) return;
    calls_fold(s, packet, bytes);
    if (calls_one_in(s, 3) && bytes)
        packet[calls_below(s, bytes)] ^= (unsigned char)(1u << calls_below(s, 8));
    if (calls_one_in(s, 4)) bytes = calls_below(s, bytes + 1u);
    if (calls_one_in(s, 2))
        (void)calls_note(s, "clear_after", tp_cache_clear_after(c->cache, any_frame(s)));
    (void)calls_note(s, "take_packet", tp_cache_take_packet(c->cache, packet, bytes));
}

static void edit(calls_sequence *s)
{
    tp_cache_edit edit = {
        any_frame(s), calls_below(s, 20), calls_below(s, 6), {0}, calls_one_in(s, 2)};
    for (uint32_t k = 0; k < 4; k++) {
        float value = calls_float(s, 10);
        memcpy(&edit.values[k], &value, 4);
    }
    (void)calls_note(s, "cache_edit", tp_cache_edit_particle(s->cache.cache, &edit));
}

static void clear(calls_sequence *s)
{
    tp_cache *cache = s->cache.cache;
    switch (calls_below(s, 9)) {
    case 0: (void)calls_note(s, "clear", tp_cache_clear(cache)); break;
    case 1: (void)calls_note(s, "clear_after", tp_cache_clear_after(cache, any_frame(s))); break;
    case 2: (void)calls_note(s, "clear_before", tp_cache_clear_before(cache, any_frame(s))); break;
    case 3: (void)calls_note(s, "clear_frame", tp_cache_clear_frame(cache, any_frame(s))); break;
    case 4: (void)calls_note(s, "protect", tp_cache_protect(cache, calls_one_in(s, 2))); break;
    case 5: (void)calls_note(s, "unprotect", tp_cache_unprotect(cache)); break;
    case 6: (void)calls_note(s, "changed", tp_cache_changed(cache, any_frame(s))); break;
    case 7: (void)calls_note(s, "detach", tp_cache_detach(cache)); break;
    default: (void)calls_note(s, "unprotect", tp_cache_unprotect(cache)); break;
    }
}

static void count(calls_sequence *s)
{
    const tp_cache *cache = s->cache.cache;
    tp_cache_counters c = tp_cache_report(cache);
    const uint64_t words[] = {
        c.flags,          c.frames,         c.frames_peak,      c.bytes,
        c.bytes_peak,     c.frame_first,    c.frame_last,       c.frames_written,
        c.bytes_written,  c.frames_evicted, c.frames_refused,   c.frames_abandoned,
        c.frames_corrupt, c.requests_exact, c.inputs_refused,   c.inputs_replayed,
        c.inputs,         c.input_bytes,    c.frames_simulated, c.restores};
    tp_cache_frame frame;
    calls_fold(s, words, sizeof words);
    for (uint32_t k = 0; k < 4; k++)
        if (calls_note(s, "frame_at", tp_cache_frame_at(cache, calls_below(s, 30), &frame)) ==
            TP_OK)
            calls_fold_word(s, frame.frame + frame.bytes + frame.particles + frame.is_valid);
    calls_fold_word(s, tp_cache_has(cache, any_frame(s)));
    calls_promise(s, c.frames <= c.frames_peak && c.bytes <= c.bytes_peak,
                  "a cache's use is at most its peak");
    calls_promise(s, c.bytes_peak <= s->cache.def.ring_bytes,
                  "a ring holds no more than its bytes");
}

static void simulate(calls_sequence *s)
{
    calls_cache *c = &s->cache;
    float data[4] = {calls_float(s, 20), 0.0f, 0.0f, 0.0f};
    tp_budget budget = calls_budget(s, NULL);
    uint64_t frame = any_frame(s);
    bool drops = calls_one_in(s, 2);
    switch (calls_below(s, 6)) {
    case 0:
        (void)calls_note(s, "rewind", tp_cache_rewind(c->cache, &c->source, frame, drops, &budget));
        break;
    case 1:
        (void)calls_note(s, "resume", tp_cache_resume(c->cache, &c->source, frame, drops, &budget));
        break;
    case 2:
        /* without a limit a bake runs to its end, which may be 2^64 frames away */
        if (c->def.end_frame > 1000u && !budget.units) budget.units = 100000u;
        (void)calls_note(s, "bake", tp_cache_bake(c->cache, &c->source, &budget));
        break;
    case 3: (void)calls_note(s, "flush", tp_cache_flush(c->cache, &budget)); break;
    case 4:
        if (calls_note(s, "input", tp_cache_input(c->cache, &c->source, data, sizeof data)) ==
            TP_OK)
            calls_fold_word(s, (uint64_t)input(s->worlds[0].world, data, sizeof data));
        break;
    default: (void)calls_note(s, "record", tp_cache_record(c->cache, &c->source, &budget));
    }
    if (s->worlds[0].world) calls_fold_word(s, tp_world_hash(s->worlds[0].world));
}

/* Advances and records frame after frame, as a game does. */
static void play(calls_sequence *s)
{
    calls_cache *c = &s->cache;
    tp_budget all = {.frames_max = 1};
    uint32_t frames = 1u + calls_below(s, 6);
    for (uint32_t k = 0; k < frames && s->worlds[0].world; k++) {
        (void)calls_note(s, "recorded frame", tp_frame(s->worlds[0].world, &all, NULL));
        (void)calls_note(s, "record", tp_cache_record(c->cache, &c->source, NULL));
    }
}

void calls_on_cache(calls_sequence *s)
{
    if (!s->cache.cache || calls_one_in(s, 40)) {
        make(s);
        return;
    }
    s->cache.source = source_of(s);
    switch (calls_below(s, 10)) {
    case 0:
    case 1: play(s); break;
    case 2:
    case 3: request(s); break;
    case 4: packets(s); break;
    case 5: calls_one_in(s, 3) ? edit(s) : clear(s); break;
    case 6:
        if (calls_one_in(s, 3))
            move_block(s);
        else if (calls_one_in(s, 3))
            define_again(s);
        else
            count(s);
        break;
    default: simulate(s);
    }
}
