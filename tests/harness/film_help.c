/* SPDX-License-Identifier: MIT
   tests/harness/film_help.c - clips made for tests, their frames as the host reads them, and
           players of them.
   reads   nothing                         writes  a temporary folder, removed when the clip is made
   memory  malloc                          cost    that of encoding
   after   own design: points that fly, bounce, spin, appear and vanish */
#include "film_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- films */

static bool is_there(const film_options *options, uint32_t point, uint32_t frame)
{
    if (options->leave) return frame < options->leave || point % 5u < 3u;
    if (!options->has_lives) return true;
    uint32_t age = (frame + 7u * point) % (50u + point % 11u);
    /* some points vanish for single frames */
    return age < 40u && !(point % 31u == 17u && frame % 3u == 1u);
}

static void put_point(const film_options *options, uint32_t point, double t, host_frame *frame,
                      uint32_t at)
{
    double angle = 2.4 * point + options->phase, speed = 1 + point % 7u, period = 0.2 * speed;
    double in = fmod(t + 0.01 * point, period),
           height = speed * in - 0.5 * (2 * speed / period) * in * in;
    float place[3] = {(float)(cos(angle) * (0.01 * point + 0.3 * sin(t + point))),
                      (float)(sin(angle) * t), (float)height};
    float rate[3] = {(float)cos(angle), (float)sin(angle),
                     (float)(speed - 2 * speed / period * in)};
    float turn[4] = {(float)cos(t * speed), (float)sin(t * speed), 0, 0};
    if (options->is_wild && point % 5u == 3u)
        for (uint32_t c = 0; c < 3; c++)
            place[c] *= point % 2u ? 3000.0f : (float)(500.0 * fmod(7.31 * point * t, 9.0));
    memcpy((float *)frame->data[POINT_LOCATION] + 3u * at, place, sizeof place);
    if (options->has_velocity)
        memcpy((float *)frame->data[POINT_VELOCITY] + 3u * at, rate, sizeof rate);
    if (options->has_rotation)
        memcpy((float *)frame->data[POINT_ROTATION] + 4u * at, turn, sizeof turn);
}

static uint32_t film_streams(const film_options *options)
{
    return POINT_BIT(POINT_LOCATION) | (options->has_velocity ? POINT_BIT(POINT_VELOCITY) : 0) |
           (options->has_rotation ? POINT_BIT(POINT_ROTATION) : 0) |
           (options->has_lives ? POINT_BIT(POINT_INDEX) : 0);
}

static bool write_frame(const film_options *options, host_sink *sink, uint32_t f)
{
    host_frame frame;
    uint32_t count = 0;
    for (uint32_t p = 0; p < options->points; p++) count += is_there(options, p, f);
    if (!host_frame_allocate(&frame, count, film_streams(options))) return false;
    frame.number = options->first + (double)f * (options->step ? options->step : 1);
    count = 0;
    for (uint32_t p = 0; p < options->points; p++) {
        if (!is_there(options, p, f)) continue;
        ((uint32_t *)frame.data[POINT_INDEX])[count] = options->has_lives ? 2u * p + 5u : p;
        put_point(options, p, f * 0.04, &frame, count++);
    }
    bool good = host_sink_write(sink, &frame) == HOST_DONE;
    host_frame_free(&frame);
    return good;
}

static bool write_film(const film_options *options, const char *path)
{
    host_sink sink;
    host_sink_options how = {.type = POINT_PARTICLES, .streams = film_streams(options)};
    how.key_interval = options->key_interval;
    how.block_bytes = options->small_blocks ? 512 : 0;
    how.write_count = options->is_compact ? options->frames : 0;
    how.errors[POINT_LOCATION] = options->error;
    how.errors[POINT_VELOCITY] = options->error * 5;
    how.errors[POINT_ROTATION] = options->error > 0 ? 1e-4 : 0;
    if (!CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &how), HOST_DONE))
        return false;
    for (uint32_t f = 0; f < options->frames; f++)
        if (!CHECK(write_frame(options, &sink, f))) return false;
    return CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
}

static void read_film(film *made, const char *path)
{
    host_sequence sequence;
    if (!CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) return;
    made->frames = calloc(sequence.frame_count, sizeof *made->frames);
    made->frame_count = (uint32_t)sequence.frame_count;
    for (size_t f = 0; f < sequence.frame_count; f++)
        CHECK_EQ(host_sequence_load(&sequence, f, &made->frames[f]), HOST_DONE);
    host_sequence_close(&sequence);
}

film film_make(const film_options *options)
{
    film made = {0};
    static uint8_t scratch[65536];
    char *folder = test_folder_make(), *path = NULL;
    path = malloc(strlen(folder) + 16);
    strcpy(path, folder);
    strcat(path, "/film.tpc");
    if (write_film(options, path)) {
        CHECK_EQ(host_read_file(path, &made.bytes, &made.size), HOST_DONE);
        read_film(&made, path);
        tp_clip_storage storage = film_mapped(&made);
        CHECK_EQ(tp_clip_look(&storage, scratch, sizeof scratch, &made.info), TP_OK);
    }
    test_folder_remove(folder);
    free(path);
    return made;
}

void film_free(film *made)
{
    for (uint32_t f = 0; f < made->frame_count; f++) host_frame_free(&made->frames[f]);
    free(made->frames);
    free(made->bytes);
    memset(made, 0, sizeof *made);
}

/* ---- storage */

tp_clip_storage film_mapped(const film *from)
{
    return (tp_clip_storage){from->bytes, from->size, NULL, NULL};
}

static uint32_t reel_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    film_reel *reel = context;
    if (reel->asked != offset) reel->asked = offset, reel->stalled = 0;
    if (reel->stalled++ < reel->stalls_each) return TP_CLIP_NOT_YET;
    reel->reads++;
    if (offset >= reel->from->size) return 0;
    uint32_t got = reel->from->size - offset < size ? (uint32_t)(reel->from->size - offset) : size;
    memcpy(bytes, reel->from->bytes + offset, got);
    return got;
}

tp_clip_storage film_read(film_reel *reel, const film *from, uint32_t stalls_each)
{
    *reel = (film_reel){from, stalls_each, 0, UINT64_MAX, 0};
    return (tp_clip_storage){NULL, 0, reel_read, reel};
}

/* ---- players */

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

void film_player_open(film_player *made, const film *from, uint32_t frames_kept)
{
    static const char *const names[] = {"velocity", "rotation"};
    memset(made, 0, sizeof *made);
    made->def = tp_player_default(&from->info);
    made->def.frames_kept = frames_kept;
    for (uint32_t n = 0; n < 2; n++) {
        tp_result result = tp_player_want(&made->def, &from->info, names[n]);
        CHECK(result == TP_OK || result == TP_ERROR_SOURCE);
    }
}

void film_player_create(film_player *made)
{
    if (!CHECK_EQ(tp_player_memory(&made->def, &made->bytes), TP_OK))
        test_note("%s", tp_player_check(&made->def));
    size_t whole = (made->bytes + GUARD + 15u) / 16u * 16u;
    made->block = aligned_alloc(16, whole);
    memset(made->block, GUARD_BYTE, whole);
    CHECK_EQ(tp_player_create(&made->def, made->block, made->bytes, &made->player), TP_OK);
    made->view.capacity = made->def.points_max;
    for (uint32_t s = 0; s < made->def.stream_count; s++)
        made->view.values[s] =
            calloc((size_t)made->def.points_max * made->def.streams[s].components, 4);
    if (made->def.activity.side[0])
        made->view.values[made->def.stream_count] = calloc(made->def.points_max, 4);
}

void film_player_close(film_player *made)
{
    for (size_t i = 0; made->block && i < GUARD; i++)
        CHECK(((const uint8_t *)made->block)[made->bytes + i] == GUARD_BYTE);
    for (uint32_t s = 0; s < TP_STREAMS_MAX; s++) free(made->view.values[s]);
    free(made->block);
    memset(made, 0, sizeof *made);
}

void film_stage_open(film_stage *stage, const film_options *a, const film_options *b)
{
    memset(stage, 0, sizeof *stage);
    for (uint32_t i = 0; i < FILM_STAGE_PLAYERS; i++) {
        stage->films[i] = film_make(i ? b : a);
        film_player_open(&stage->own[i], &stage->films[i], 2);
    }
}

void film_stage_create(film_stage *stage, bool has_weights)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < FILM_STAGE_PLAYERS; i++) {
        film_player_create(&stage->own[i]);
        stage->players[i] = stage->own[i].player;
        stage->storages[i] = film_mapped(&stage->films[i]);
    }
    stage->def = tp_timeline_default(&stage->own[0].def, &stage->films[0].info);
    stage->def.has_weights = has_weights;
    stage->def.points_max = stage->films[0].info.points_max + stage->films[1].info.points_max;
    CHECK_EQ(tp_timeline_memory(&stage->def, &bytes), TP_OK);
    stage->block = aligned_alloc(16, (bytes + 15u) / 16u * 16u);
    CHECK_EQ(tp_timeline_create(&stage->def, stage->block, bytes, &stage->timeline), TP_OK);
    stage->view.capacity = stage->def.points_max;
    uint32_t planes =
        stage->def.stream_count + (has_weights ? 1u : 0u) + (stage->def.activity.side[0] ? 1u : 0u);
    for (uint32_t k = 0; k < planes; k++)
        stage->view.values[k] = calloc((size_t)stage->view.capacity * 4u, 4);
}

void film_stage_close(film_stage *stage)
{
    for (uint32_t i = 0; i < FILM_STAGE_PLAYERS; i++) {
        film_player_close(&stage->own[i]);
        film_free(&stage->films[i]);
    }
    for (uint32_t k = 0; k < TP_STREAMS_MAX; k++) free(stage->view.values[k]);
    free(stage->block);
}

tp_result film_request(film_player *made, const tp_clip_storage *storage, int64_t time,
                       const tp_budget *budget, uint32_t *calls)
{
    tp_result result = TP_MORE;
    uint32_t most = 1000000;
    for (; most && result == TP_MORE; most--) {
        result = tp_player_request(made->player, storage, time, budget, &made->view);
        if (calls) ++*calls;
        if (result == TP_MORE) CHECK_EQ(made->view.status, TP_CACHE_PARTIAL);
    }
    return result;
}

uint32_t film_stream(const tp_player_def *def, const char *name)
{
    uint32_t s = 0;
    while (s < def->stream_count && strcmp(def->streams[s].name, name) != 0) s++;
    return s < def->stream_count ? s : TP_STREAMS_MAX;
}

static bool is_column(const film_player *made, const host_frame *frame, uint32_t stream,
                      uint32_t kind, uint32_t words)
{
    const uint32_t *from = frame->data[kind];
    const uint32_t *to = stream < TP_STREAMS_MAX ? made->view.values[stream] : NULL;
    if (!to || !from) return true;
    for (uint32_t i = 0; i < frame->count; i++)
        for (uint32_t c = 0; c < words; c++)
            if (to[c * made->view.capacity + i] != from[words * i + c]) return false;
    return true;
}

bool film_shows(const film_player *made, const film *from, uint32_t position)
{
    const host_frame *frame = &from->frames[position];
    return made->view.count == frame->count && !made->view.dropped &&
           (int64_t)made->view.frame == (int64_t)frame->number &&
           is_column(made, frame, 0, POINT_INDEX, 1) &&
           is_column(made, frame, film_stream(&made->def, "location"), POINT_LOCATION, 3) &&
           is_column(made, frame, film_stream(&made->def, "velocity"), POINT_VELOCITY, 3) &&
           is_column(made, frame, film_stream(&made->def, "rotation"), POINT_ROTATION, 4);
}
