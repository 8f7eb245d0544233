/* SPDX-License-Identifier: MIT
   tests/harness/cache_help.c - the swarm, a source for tests of caches, and a cache with a view for
           it.
   reads   nothing      writes  what is passed in
   memory  malloc       cost    O(particles) per frame
   after   own design */
#include "cache_help.h"
#include "world_help.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a source: particles in free flight that are born, die, and change their index in every frame
   ---- */

static uint32_t swarm_random(swarm_state *state)
{
    state->random = state->random * 1664525u + 1013904223u;
    return state->random >> 8;
}

static void swarm_swap(swarm_state *state, uint32_t i, uint32_t j)
{
    swarm_state *s = state;
    uint32_t id = s->id[i], flags = s->flags[i];
    s->id[i] = s->id[j], s->flags[i] = s->flags[j];
    s->id[j] = id, s->flags[j] = flags;
    for (uint32_t c = 0; c < 4; c++) {
        float spin = s->spin[c][i];
        s->spin[c][i] = s->spin[c][j], s->spin[c][j] = spin;
        if (c == 3) break;
        float x = s->x[c][i], v = s->v[c][i];
        s->x[c][i] = s->x[c][j], s->v[c][i] = s->v[c][j];
        s->x[c][j] = x, s->v[c][j] = v;
    }
}

static void swarm_birth(swarm_state *state)
{
    uint32_t i = state->count++;
    state->id[i] = state->next_id++;
    state->flags[i] = (uint32_t)(state->frame * TP_TICKS_PER_FRAME);
    for (uint32_t c = 0; c < 3; c++) {
        state->x[c][i] = 0.0f;
        state->v[c][i] = (float)(swarm_random(state) & 1023u) / 256.0f;
    }
    for (uint32_t c = 0; c < 4; c++) state->spin[c][i] = c == 0 ? 1.0f : 0.0f;
}

static void swarm_kill_lowest(swarm_state *state)
{
    uint32_t lowest = 0;
    if (state->count == 0) return;
    for (uint32_t i = 1; i < state->count; i++)
        if (state->id[i] < state->id[lowest]) lowest = i;
    swarm_swap(state, lowest, state->count - 1u);
    state->count--;
}

void swarm_step(swarm *source)
{
    swarm_state *state = &source->now;
    const float dt = 1.0f / 25.0f, gravity = 9.81f + (float)state->settings;
    state->frame++;
    for (uint32_t i = 0; i < state->count; i++) {
        for (uint32_t c = 0; c < 3; c++) state->x[c][i] += state->v[c][i] * dt;
        state->x[1][i] -= 0.5f * gravity * dt * dt;
        state->v[1][i] -= gravity * dt;
    }
    for (uint32_t b = 0; b < source->births_each && state->count < source->count_max; b++)
        swarm_birth(state);
    if (state->frame % 3u == 0) swarm_kill_lowest(state);
    for (uint32_t i = 1; i < state->count; i++)
        swarm_swap(state, i, swarm_random(state) % (i + 1u));
    if (source->log_count < SWARM_LOG) source->log[source->log_count++] = state->frame;
    source->advances++;
}

static uint64_t mix(uint64_t value)
{
    value ^= value >> 31;
    value *= 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* Covers all state that later frames depend on, independent of the order of storage. The shuffle
   depends on the order only through the count. */
uint64_t swarm_hash(const swarm_state *state)
{
    uint64_t sum = mix(state->frame) + mix(state->random) + state->next_id + mix(state->count);
    for (uint32_t i = 0; i < state->count; i++) {
        uint64_t hash = mix(state->id[i] ^ (uint64_t)state->flags[i] << 32);
        for (uint32_t c = 0; c < 3; c++)
            hash = mix(hash ^ ((uint64_t)bits_of(state->x[c][i]) << 32 | bits_of(state->v[c][i])));
        sum += hash;
    }
    return sum;
}

static bool swarm_frame(void *context, uint64_t *frame)
{
    *frame = ((swarm *)context)->now.frame;
    return ((swarm *)context)->progress == 0;
}
static uint32_t swarm_count(void *context) { return ((swarm *)context)->now.count; }

static void *swarm_plane(swarm_state *state, uint32_t stream, uint32_t c)
{
    switch (stream) {
    case SWARM_ID: return state->id;
    case SWARM_FLAGS: return state->flags;
    case SWARM_POSITION: return state->x[c];
    case SWARM_VELOCITY: return state->v[c];
    default: return state->spin[c];
    }
}

uint32_t swarm_components(uint32_t stream)
{
    return stream == SWARM_SPIN                                   ? 4u
           : stream == SWARM_POSITION || stream == SWARM_VELOCITY ? 3u
                                                                  : 1u;
}

static void swarm_read(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                       void *values)
{
    swarm_state *state = &((swarm *)context)->now;
    for (uint32_t c = 0; c < swarm_components(stream); c++) {
        const uint32_t *from = swarm_plane(state, stream, c);
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)values)[c * TP_TILE + i] = from[places[i]];
    }
}

static uint32_t swarm_extra_read(void *context, uint32_t extra, void *data)
{
    const swarm_state *state = &((swarm *)context)->now;
    const uint32_t words[4] = {(uint32_t)state->frame, state->next_id, state->random,
                               state->settings};
    if (extra == 1) return 0;
    if (data) memcpy(data, words, sizeof words);
    return sizeof words;
}

static tp_result swarm_restore_begin(void *context, uint64_t frame, uint32_t count)
{
    swarm *source = (swarm *)context;
    (void)frame;
    source->begins++;
    if (source->fails == 1) return TP_ERROR_HANDLE;
    if (source->is_fragile) source->now.random ^= 1u, source->now.next_id += 7u;
    source->next.count = count;
    return TP_OK;
}

static void swarm_write(void *context, uint32_t stream, uint32_t first, uint32_t count,
                        const void *values)
{
    for (uint32_t c = 0; c < swarm_components(stream); c++)
        memcpy((uint32_t *)swarm_plane(&((swarm *)context)->next, stream, c) + first,
               (const uint32_t *)values + c * TP_TILE, count * 4u);
}

static tp_result swarm_extra_write(void *context, uint32_t extra, const void *data, uint32_t bytes)
{
    swarm_state *state = &((swarm *)context)->next;
    uint32_t words[4];
    if (((swarm *)context)->fails == 2) return TP_ERROR_HANDLE;
    if (extra == 1) return bytes == 0 ? TP_OK : TP_ERROR_SOURCE;
    if (bytes != sizeof words) return TP_ERROR_SOURCE;
    memcpy(words, data, sizeof words);
    state->frame = words[0], state->next_id = words[1], state->random = words[2],
    state->settings = words[3];
    return TP_OK;
}

static tp_result swarm_restore_end(void *context)
{
    swarm *source = (swarm *)context;
    source->now = source->next;
    source->progress = 0;
    source->restores++;
    return TP_OK;
}

/* A step costs one unit per particle and one more. */
tp_result swarm_jump(void *context, uint32_t frames, const tp_budget *budget, uint64_t *units)
{
    swarm *source = (swarm *)context;
    uint32_t all = source->now.count + 1u,
             may = budget && budget->units ? budget->units : 0xffffffffu;
    uint32_t left = all - source->progress, used = left < may ? left : may;
    source->progress += used;
    *units += used;
    source->units_spent += used;
    if (source->progress < all) return TP_MORE;
    source->progress = 0;
    source->now.frame += frames - 1u;
    swarm_step(source);
    return TP_OK;
}

tp_result swarm_advance(void *context, const tp_budget *budget, uint64_t *units)
{
    return swarm_jump(context, 1, budget, units);
}

tp_result swarm_input(void *context, const void *data, uint32_t bytes)
{
    swarm *source = (swarm *)context;
    swarm_state *state = &source->now;
    source->inputs++;
    for (uint32_t b = 0; b < bytes; b++)
        for (uint32_t i = 0; i < state->count; i++)
            state->v[b % 3u][i] += (float)((const uint8_t *)data)[b] / 64.0f;
    return TP_OK;
}

static tp_result swarm_restart(void *context)
{
    swarm *source = (swarm *)context;
    uint32_t settings = source->now.settings;
    source->now = source->start;
    source->now.settings = settings;
    source->progress = 0;
    source->restarts++;
    return TP_OK;
}

swarm *swarm_make(uint32_t count, uint32_t births_each)
{
    swarm *source = calloc(1, sizeof *source);
    source->now.random = 12345;
    source->births_each = births_each;
    source->count_max = SWARM_MAX;
    for (uint32_t i = 0; i < count; i++) swarm_birth(&source->now);
    source->start = source->now;
    return source;
}

tp_stream stream_of(const char *name, tp_stream_type type, uint32_t components,
                    tp_interpolation interpolation, uint32_t partner)
{
    tp_stream stream = {
        .type = type, .components = components, .interpolation = interpolation, .partner = partner};
    snprintf(stream.name, sizeof stream.name, "%s", name);
    return stream;
}

tp_source swarm_source(swarm *context)
{
    tp_source source = {0};
    tp_schema *schema = &source.schema;
    schema->streams[SWARM_VELOCITY] =
        stream_of("velocity", TP_STREAM_F32, 3, TP_INTERPOLATE_RATE, SWARM_POSITION);
    schema->streams[SWARM_ID] = stream_of("id", TP_STREAM_U32, 1, TP_INTERPOLATE_IDENTITY, 0);
    schema->streams[SWARM_FLAGS] = stream_of("birth", TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    schema->streams[SWARM_POSITION] =
        stream_of("position", TP_STREAM_F32, 3, TP_INTERPOLATE_HERMITE, SWARM_VELOCITY);
    schema->streams[SWARM_SPIN] = stream_of("spin", TP_STREAM_F32, 4, TP_INTERPOLATE_SLERP, 0);
    schema->stream_count = 5;
    schema->extras[0] = (tp_extra){"clock", 16};
    schema->extras[1] = (tp_extra){"nothing", 0};
    schema->extra_count = 2;
    schema->linear_stream = TP_STREAM_NONE;
    schema->birth_stream = SWARM_FLAGS;
    schema->frames_per_second_numerator = 25;
    schema->frames_per_second_denominator = 1;
    source.particles_max = SWARM_MAX;
    source.context = context;
    source.frame = swarm_frame, source.count = swarm_count, source.read = swarm_read;
    source.extra_read = swarm_extra_read, source.restore_begin = swarm_restore_begin,
    source.write = swarm_write;
    source.extra_write = swarm_extra_write, source.restore_end = swarm_restore_end;
    source.advance = swarm_advance, source.restart = swarm_restart, source.input = swarm_input;
    return source;
}

uint64_t swarm_frame_bytes(uint32_t count)
{
    return TP_CACHE_FRAME_BYTES(count, SWARM_WORDS, 2u, 16u);
}

/* Accepts any result. */
void let(tp_result result) { (void)result; }

/* ---- a cache and a view ---- */

void view_make(tp_frame_view *view, uint32_t capacity)
{
    memset(view, 0, sizeof *view);
    view->capacity = capacity;
    for (uint32_t s = 0; s < 5; s++)
        view->values[s] = calloc(capacity ? capacity : 1u, 4u * swarm_components(s));
}

void view_free(tp_frame_view *view)
{
    for (uint32_t s = 0; s < 5; s++) free(view->values[s]);
}

tp_cache *cache_make(const tp_cache_def *def, size_t *bytes)
{
    tp_cache *cache = NULL;
    CHECK_EQ(tp_cache_memory(def, bytes), TP_OK);
    void *block = aligned_alloc(16, (*bytes + 15u) & ~(size_t)15u);
    CHECK_EQ(tp_cache_create(def, block, *bytes, &cache), TP_OK);
    return cache;
}

void cache_check_resumes(tp_world *world, uint32_t frames)
{
    tp_source source = tp_world_source(world);
    tp_cache_def def = tp_cache_default(&source);
    size_t bytes;
    def.particles_max = tp_world_definition(world)->particles_max;
    def.frames_max = 8;
    tp_cache *cache = cache_make(&def, &bytes);
    test_world_frames(world, frames);
    CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
    uint64_t hash = tp_world_hash(world);
    test_world_frames(world, frames);
    uint64_t later = tp_world_hash(world);
    CHECK(later != hash);
    CHECK(tp_cache_rewind(cache, &source, frames, true, NULL) == TP_OK);
    CHECK_EQ(tp_world_hash(world), hash);
    test_world_frames(world, frames);
    CHECK_EQ(tp_world_hash(world), later);
    free(cache);
}

void cache_play(tp_world *world, uint32_t frames, bool rewinds, uint32_t back, uint32_t end)
{
    tp_source source = tp_world_source(world);
    tp_cache_def def = tp_cache_default(&source);
    size_t bytes;
    def.ring_bytes = 1u << 24;
    tp_cache *cache = cache_make(&def, &bytes);
    for (uint32_t frame = 0; frame < frames; frame++) {
        CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
        test_world_frames(world, 1);
    }
    if (rewinds) CHECK(tp_cache_rewind(cache, &source, back, true, NULL) == TP_OK);
    for (uint32_t guard = 0; world->clock.frame < end && guard < 2 * end; guard++)
        test_world_frames(world, 1);
    free(cache);
}

void fixture_create(cache_fixture *f) { f->cache = cache_make(&f->def, &f->bytes); }

void fixture_open(cache_fixture *f, uint32_t count, uint32_t births_each)
{
    memset(f, 0, sizeof *f);
    f->swarm = swarm_make(count, births_each);
    f->source = swarm_source(f->swarm);
    f->def = tp_cache_default(&f->source);
    view_make(&f->view, SWARM_MAX);
}

void fixture_close(cache_fixture *f)
{
    view_free(&f->view);
    free(f->cache);
    free(f->swarm);
}

tp_result request_all(cache_fixture *f, uint64_t time)
{
    tp_result result = TP_MORE;
    for (int turn = 0; turn < 100000 && result == TP_MORE; turn++)
        result = tp_cache_request(f->cache, &f->source, time, NULL, &f->view);
    return result;
}

/* True if the view holds the particles of the swarm in the order of ids. */
bool view_is(const tp_frame_view *view, const swarm_state *state)
{
    const uint32_t *id = view->values[SWARM_ID];
    if (view->count != state->count) return false;
    for (uint32_t k = 0; k < view->count; k++) {
        uint32_t i = 0;
        if (k > 0 && id[k] <= id[k - 1u]) return false;
        while (i < state->count && state->id[i] != id[k]) i++;
        if (i == state->count) return false;
        for (uint32_t c = 0; c < 3; c++) {
            if (((float *)view->values[SWARM_POSITION])[c * view->capacity + k] != state->x[c][i])
                return false;
            if (((float *)view->values[SWARM_VELOCITY])[c * view->capacity + k] != state->v[c][i])
                return false;
        }
        if (((uint32_t *)view->values[SWARM_FLAGS])[k] != state->flags[i]) return false;
    }
    return true;
}

/* True if a particle's components in the view equal those of the state within a bound. */
static bool view_is_near(const tp_frame_view *view, uint32_t k, swarm_state *state, uint32_t i,
                         uint32_t stream, float bound)
{
    for (uint32_t c = 0; c < swarm_components(stream) && view->values[stream]; c++) {
        float shown = ((const float *)view->values[stream])[c * view->capacity + k];
        float expected = ((const float *)swarm_plane(state, stream, c))[i];
        if (!(fabs((double)shown - (double)expected) <= (double)bound)) return false;
    }
    return true;
}

bool view_is_within(const tp_frame_view *view, const swarm_state *expected, float place,
                    float velocity)
{
    const uint32_t *id = view->values[SWARM_ID], *flags = view->values[SWARM_FLAGS];
    swarm_state *state = (swarm_state *)(uintptr_t)expected;
    if (view->count != state->count) return false;
    for (uint32_t k = 0; k < view->count; k++) {
        uint32_t i = 0;
        if (k > 0 && id[k] <= id[k - 1u]) return false;
        while (i < state->count && state->id[i] != id[k]) i++;
        if (i == state->count || (flags && flags[k] != state->flags[i])) return false;
        if (!view_is_near(view, k, state, i, SWARM_POSITION, place)) return false;
        if (!view_is_near(view, k, state, i, SWARM_VELOCITY, velocity)) return false;
        if (!view_is_near(view, k, state, i, SWARM_SPIN, 0.0f)) return false;
    }
    return true;
}

/* The state of the swarm at a frame, simulated from the start. */
swarm_state *swarm_at(uint32_t count, uint32_t births_each, uint64_t frame)
{
    swarm *fresh = swarm_make(count, births_each);
    while (fresh->now.frame < frame) swarm_step(fresh);
    swarm_state *state = malloc(sizeof *state);
    *state = fresh->now;
    free(fresh);
    return state;
}

/* Offset of the ring: the data before it includes clock readings and other data about slices. */
size_t ring_offset(const tp_cache_def *def)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    uint32_t count = 0;
    size_t offset = 0;
    CHECK_EQ(tp_cache_memory_parts(def, parts, &count), TP_OK);
    for (uint32_t p = 0; p < count; p++) {
        if (strcmp(parts[p].name, "frames") == 0) return offset;
        offset += parts[p].bytes;
    }
    return offset;
}
