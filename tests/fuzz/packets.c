/* SPDX-License-Identifier: MIT
   tests/fuzz/packets.c - fuzz target for cache packets: refused, or shown and restored within
           stated limits.
   reads   a byte: the kind of cache; then changes of a valid packet, four bytes each
   writes  memory
   memory  a block of exactly the size that the query returns, so that a sanitizer reports an
           overrun of one byte
   cost    a dozen requests and restores per frame of the packet
   after   own design: each packet unchanged, and with all checksums corrected, as an attacker would
           do */
#include "../../runtime/cache/cache.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

#define CLOUD_MOST   100u /* two tiles */
#define CLOUD_FRAMES 4u
#define PACKET_MOST  65536u
#define PACKET_HEAD  24u
#define PACKET_ITEM  16u
#define ASKED_MOST   20000u

enum { CLOUD_ID, CLOUD_POSITION, CLOUD_VELOCITY, CLOUD_FLAGS, CLOUD_SPIN, CLOUD_STREAMS };
enum { KIND_GROUPS = 1, KIND_BOUNDED = 2, KIND_PARTLY = 4, KIND_NARROW = 8, KINDS = 16 };

/* ---- a source that checks every call: its particles follow from the frame number ---- */

typedef struct cloud {
    uint64_t frame, begun_frame;
    uint32_t begun; /* particle count of the current restore */
} cloud;

static const uint32_t cloud_components[CLOUD_STREAMS] = {1, 3, 3, 1, 4};
static const uint32_t cloud_extras[2] = {16, 200};

static bool cloud_frame(void *context, uint64_t *frame)
{
    *frame = ((cloud *)context)->frame;
    return true;
}

/* In every frame particles are born and the first ones die. */
static uint32_t cloud_count(void *context)
{
    return 60u + (uint32_t)(((cloud *)context)->frame % 16u) * 2u;
}

static uint32_t cloud_word(const cloud *from, uint32_t stream, uint32_t place, uint32_t component)
{
    float time = (float)from->frame * 0.04f,
          speed = (float)((place * 37u + component * 11u) % 19u) - 9.0f;
    if (stream == CLOUD_ID) return place + (uint32_t)from->frame;
    if (stream == CLOUD_FLAGS) return place % 5u;
    if (stream == CLOUD_SPIN) return tpi_bits(component ? 0.0f : 1.0f);
    return tpi_bits(stream == CLOUD_VELOCITY ? speed - time : time * (speed - 0.5f * time));
}

static void cloud_read(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                       void *values)
{
    for (uint32_t c = 0; c < cloud_components[stream]; c++)
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)values)[c * TP_TILE + i] = cloud_word(context, stream, places[i], c);
}

static uint32_t cloud_extra_read(void *context, uint32_t extra, void *data)
{
    const cloud *from = context;
    uint32_t bytes = cloud_extras[extra] - (uint32_t)from->frame % 3u;
    if (!data) return bytes;
    memset(data, 7, bytes);
    ((uint8_t *)data)[from->frame % bytes] = (uint8_t)from->frame;
    return bytes;
}

static tp_result cloud_restore_begin(void *context, uint64_t frame, uint32_t count)
{
    cloud *to = context;
    if (count > CLOUD_MOST) abort();
    to->begun = count;
    to->begun_frame = frame;
    return TP_OK;
}

static void cloud_write(void *context, uint32_t stream, uint32_t first, uint32_t count,
                        const void *values)
{
    static uint32_t places[CLOUD_STREAMS][4][CLOUD_MOST];
    const cloud *to = context;
    if (stream >= CLOUD_STREAMS || first > to->begun || count > to->begun - first) abort();
    for (uint32_t c = 0; c < cloud_components[stream]; c++)
        memcpy(places[stream][c] + first, (const uint32_t *)values + c * TP_TILE, count * 4u);
}

static tp_result cloud_extra_write(void *context, uint32_t extra, const void *data, uint32_t bytes)
{
    uint8_t own[256];
    (void)context;
    if (extra >= 2 || bytes > cloud_extras[extra]) abort();
    memcpy(own, data, bytes);
    return own[0] == 250 ? TP_ERROR_HANDLE : TP_OK;
}

static tp_result cloud_restore_end(void *context)
{
    ((cloud *)context)->frame = ((cloud *)context)->begun_frame;
    return TP_OK;
}

static tp_result cloud_advance(void *context, const tp_budget *budget, uint64_t *units)
{
    (void)budget;
    ((cloud *)context)->frame++;
    (*units)++;
    return TP_OK;
}

static tp_stream cloud_stream(uint32_t stream, tp_stream_type type, tp_interpolation how,
                              uint32_t partner)
{
    tp_stream description = {
        .name = {(char)('a' + stream)}, .type = type, .interpolation = how, .partner = partner};
    description.components = cloud_components[stream];
    return description;
}

static tp_source cloud_source(cloud *context, uint32_t kind)
{
    tp_source source = {.particles_max = CLOUD_MOST, .context = context};
    tp_schema *schema = &source.schema;
    schema->streams[0] = cloud_stream(CLOUD_ID, TP_STREAM_U32, TP_INTERPOLATE_IDENTITY, 0);
    schema->streams[1] =
        cloud_stream(CLOUD_POSITION, TP_STREAM_F32, TP_INTERPOLATE_HERMITE, CLOUD_VELOCITY);
    schema->streams[2] =
        cloud_stream(CLOUD_VELOCITY, TP_STREAM_F32, TP_INTERPOLATE_RATE, CLOUD_POSITION);
    schema->streams[3] = cloud_stream(CLOUD_FLAGS, TP_STREAM_U32, TP_INTERPOLATE_HOLD, 0);
    schema->streams[4] = cloud_stream(CLOUD_SPIN, TP_STREAM_F32, TP_INTERPOLATE_SLERP, 0);
    if (kind & KIND_BOUNDED)
        schema->streams[1].error_bound = schema->streams[2].error_bound = 1e-2f;
    schema->stream_count = CLOUD_STREAMS;
    for (uint32_t e = 0; e < 2; e++)
        schema->extras[e] = (tp_extra){{(char)('e' + e)}, cloud_extras[e]};
    schema->extra_count = 2;
    schema->linear_stream = CLOUD_FLAGS;
    schema->linear_mask = 1;
    schema->birth_stream = TP_STREAM_NONE;
    schema->frames_per_second_numerator = 25;
    schema->frames_per_second_denominator = 1;
    source.frame = cloud_frame, source.count = cloud_count, source.read = cloud_read;
    source.extra_read = cloud_extra_read, source.restore_begin = cloud_restore_begin;
    source.write = cloud_write, source.extra_write = cloud_extra_write;
    source.restore_end = cloud_restore_end, source.advance = cloud_advance;
    return source;
}

/* ---- a cache of a kind, and a valid packet of it ---- */

static tp_cache *cache_of(const tp_source *source, uint32_t kind)
{
    tp_cache_def def = tp_cache_default(source);
    size_t bytes = 0;
    tp_cache *cache = NULL;
    def.group_frames = kind & KIND_GROUPS ? CLOUD_FRAMES : 1;
    def.frames_max = 3u * CLOUD_FRAMES;
    def.ring_bytes = PACKET_MOST;
    def.slice_units = 4096;
    if (kind & KIND_PARTLY)
        def.recorded_streams = kind & KIND_GROUPS ? 1u << CLOUD_ID | 1u << CLOUD_POSITION : 0;
    if (tp_cache_memory(&def, &bytes) != TP_OK) abort();
    void *block = aligned_alloc(16, (bytes + 15u) & ~(size_t)15u);
    if (!block || tp_cache_create(&def, block, bytes, &cache) != TP_OK) abort();
    return cache;
}

/* The packet that one cache of this kind makes for another; made once. */
static const uint8_t *true_packet(uint32_t kind, uint32_t *size)
{
    static uint8_t packets[KINDS][PACKET_MOST];
    static uint32_t sizes[KINDS];
    if (!sizes[kind]) {
        cloud context = {0};
        tp_source source = cloud_source(&context, kind);
        tp_cache *cache = cache_of(&source, kind);
        uint32_t frames;
        for (uint32_t i = 0; i < CLOUD_FRAMES; i++, context.frame++)
            if (tp_cache_record(cache, &source, NULL) != TP_OK) abort();
        if (tp_cache_flush(cache, NULL) != TP_OK) abort();
        if (tp_cache_packet(cache, 0, packets[kind], PACKET_MOST, &sizes[kind], &frames) != TP_OK)
            abort();
        free(cache);
    }
    *size = sizes[kind];
    return packets[kind];
}

/* ---- changes ---- */

/* One change: sets a byte, flips bits of a byte, moves the end, or copies some bytes over
   others. */
static void change(uint8_t *packet, uint32_t *size, const uint8_t *how)
{
    uint32_t place = (uint32_t)(how[0] | how[1] << 8), from = 16u * how[3] % *size;
    uint32_t at = place % *size, most = tpi_min_u32(*size - at, *size - from);
    switch (how[2] % 4u) {
    case 0: packet[at] = how[3]; break;
    case 1: packet[at] ^= how[3]; break;
    case 2: *size = 1u + place % (PACKET_MOST - 1u) % (*size + 64u); break;
    default: memmove(packet + at, packet + from, tpi_min_u32(most, 16)); break;
    }
}

/* Corrects the length and the checksum of every record; a record that is too long ends at the end
   of the packet. */
static void seal_records(uint64_t frame, uint8_t *content, uint32_t size)
{
    uint32_t at = TPI_CACHE_HEADER_BYTES;
    for (uint32_t record = 0; size - at >= TPI_CACHE_RECORD_BYTES; record++) {
        uint8_t *head = content + at;
        at += TPI_CACHE_RECORD_BYTES;
        uint32_t bytes = tpi_min_u32(tpi_load_u32(head), size - at);
        tpi_store_u32(head, bytes);
        tpi_store_u64(head + 4, tpi_record_check(frame, record, content + at, bytes));
        at += bytes;
    }
}

/* Corrects the checksums of a packet in the way that runtime/cache/packet.c makes them. */
static void seal(const tp_cache *cache, uint8_t *packet, uint32_t size)
{
    bool is_grouped = tpi_cache_is_grouped(cache);
    uint32_t frames = size < PACKET_HEAD ? 0 : tpi_load_u32(packet + 4),
             list = frames * PACKET_ITEM;
    if (frames < 1 || frames > CLOUD_FRAMES || size < PACKET_HEAD + list + TPI_CACHE_HEADER_BYTES)
        return;
    const uint8_t *item = packet + PACKET_HEAD;
    uint8_t *content = packet + PACKET_HEAD + list;
    tpi_cache_entry entry = {.bytes = size - PACKET_HEAD - list};
    entry.frame = tpi_load_u64(is_grouped ? content + 8 : item);
    entry.count = tpi_load_u32(is_grouped ? content + 16 : item + 8);
    tpi_frame_header(cache, &entry, tpi_load_u32(content + 20), content);
    seal_records(entry.frame, content, entry.bytes);
    tpi_store_u32(packet + 8, entry.bytes);
    uint64_t kind = (uint64_t)cache->shape.recorded << 32 | cache->def.group_frames;
    uint64_t check =
        tpi_record_check(cache->shape.schema_check, frames, item, list) ^ tpi_mix(kind);
    tpi_store_u64(packet + 16, tpi_record_check(check, frames, packet, 16));
}

/* ---- what a game does with a packet ---- */

static void show(tp_cache *cache, const tp_source *source, uint64_t time, tp_frame_view *view)
{
    tp_budget budget = {.units = 700};
    tp_result result = TP_MORE;
    for (uint32_t calls = 0; result == TP_MORE; calls++) {
        if (calls == ASKED_MOST) abort();
        result = tp_cache_request(cache, source, time, &budget, view);
    }
    if (view->count > view->capacity || (result != TP_OK && view->count)) abort();
}

static void restore(tp_cache *cache, const tp_source *source, uint64_t frame)
{
    tp_budget budget = {.units = 700};
    tp_result result = TP_MORE;
    for (uint32_t calls = 0; result == TP_MORE; calls++) {
        if (calls == ASKED_MOST) abort();
        result = tp_cache_rewind(cache, source, frame, false, &budget);
    }
}

/* An accepted packet is passed on unchanged and accepted again. */
static void give_on(tp_cache *cache, const tp_source *source, uint32_t kind)
{
    uint32_t bytes, frames;
    /* found damaged in the meantime */
    if (tp_cache_packet(cache, 0, NULL, 0, &bytes, &frames) != TP_OK) return;
    uint8_t *packet = malloc(bytes);
    tp_cache *next = cache_of(source, kind);
    if (!packet || tp_cache_packet(cache, 0, packet, bytes, &bytes, &frames) != TP_OK) abort();
    if (tp_cache_take_packet(next, packet, bytes) != TP_OK) abort();
    free(next);
    free(packet);
}

static void edit(tp_cache *cache, uint64_t frame)
{
    tp_cache_edit change_of = {
        .frame = frame, .identity = 20, .stream = CLOUD_POSITION, .fits_rates = true};
    if (tp_cache_protect(cache, false) != TP_OK) abort();
    if (tp_cache_edit_particle(cache, &change_of) > TP_OK) abort();
    if (tp_cache_unprotect(cache) != TP_OK) abort();
}

static void look_at_frames(tp_cache *cache, const tp_source *source, tp_frame_view *view)
{
    tp_cache_frame found;
    for (uint32_t index = 0; tp_cache_frame_at(cache, index, &found) == TP_OK; index++) {
        uint64_t time = TP_TIME(found.frame);
        show(cache, NULL, time, view);
        show(cache, NULL, time + TP_TICKS_PER_FRAME / 3u, view);
        restore(cache, source, found.frame);
        edit(cache, found.frame);
    }
    show(cache, source, TP_TIME(2), view);
}

static void take(const tp_source *source, uint32_t kind, const uint8_t *packet, uint32_t size)
{
    static uint32_t values[CLOUD_STREAMS][4u * CLOUD_MOST];
    tp_frame_view view = {.capacity = kind & KIND_NARROW ? 70 : CLOUD_MOST};
    tp_cache *cache = cache_of(source, kind);
    uint8_t *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, packet, size);
    for (uint32_t s = 0; s < CLOUD_STREAMS; s++) view.values[s] = values[s];
    tp_result result = tp_cache_take_packet(cache, copy, size);
    free(copy);
    if (result == TP_OK) {
        give_on(cache, source, kind);
        look_at_frames(cache, source, &view);
    } else if (result != TP_ERROR_FRAME && result != TP_ERROR_FULL) {
        abort();
    }
    free(cache);
}

void fuzz_packet(const uint8_t *bytes, size_t size)
{
    static uint8_t packet[PACKET_MOST];
    uint32_t kind = size ? bytes[0] % KINDS : 0, length;
    cloud context = {0};
    tp_source source = cloud_source(&context, kind);
    memcpy(packet, true_packet(kind, &length), PACKET_MOST);
    for (size_t at = 1; at + 4 <= size && at < 4000; at += 4) change(packet, &length, bytes + at);
    take(&source, kind, packet, length);
    tp_cache *sealing = cache_of(&source, kind);
    seal(sealing, packet, length);
    free(sealing);
    take(&source, kind, packet, length);
}
