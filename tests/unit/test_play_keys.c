/* SPDX-License-Identifier: MIT
   tests/unit/test_play_keys.c - activity of players and timelines, compared with keys counted tile
           by tile.
   reads   runtime/play                    writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   own design; the reference decodes each tile from its beginning, predicts, and compares
           with the decoded positions */
#include "../../runtime/codec/clip.h"
#include "film_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME = TP_TICKS_PER_FRAME,
    IDS = 1024,
    SIDE = 4,
    REGIONS = SIDE * SIDE,
    PLAYERS = FILM_STAGE_PLAYERS
};

/* ---- the reference count */

typedef struct beside {
    uint8_t *keys, *could; /* [frame][identity] */
    uint32_t frames;
} beside;

static uint32_t beside_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    const film *from = context;
    if (offset >= from->size) return 0;
    uint32_t got = from->size - offset < size ? (uint32_t)(from->size - offset) : size;
    memcpy(bytes, from->bytes + offset, got);
    return got;
}

static bool beside_has_key(const tpi_tile_reader *reader, int32_t predicted[][TPI_TILE_POINTS],
                           uint32_t p)
{
    for (uint32_t c = 0; c < reader->header.components; c++) {
        const tpi_tile_component *component = &reader->header.component[c];
        if (component->mode == TPI_TILE_CONSTANT) continue;
        if (component->mode == TPI_TILE_RAW || component->is_exact) return true;
        int64_t off = (int64_t)reader->position[c][p] - predicted[c][p];
        if ((off < 0 ? -off : off) * (8 - 2 * component->fineness) > (component->follows ? 24 : 8))
            return true;
    }
    return false;
}

static void beside_tile(beside *to, uint32_t frame, tpi_tile_reader *reader, const uint8_t *bytes,
                        const uint32_t *ids)
{
    int32_t predicted[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    for (uint32_t f = 0; f < reader->header.frames; f++) {
        for (uint32_t c = 0; c < reader->header.components; c++)
            for (uint32_t p = 0; p < reader->header.points; p++)
                predicted[c][p] = tpi_predictor_predict(&reader->header.component[c], reader->frame,
                                                        &(tpi_track){reader->position[c][p],
                                                                     reader->velocity[c][p],
                                                                     reader->acceleration[c][p]});
        if (!CHECK(tpi_tile_read(reader, bytes))) return;
        for (uint32_t p = 0; p < reader->header.points; p++) {
            size_t at = (size_t)(frame + f) * IDS + ids[p];
            if (!tpi_tile_lives(reader, p) || reader->frame - reader->first[p] <= 2u) continue;
            to->could[at] = 1;
            to->keys[at] |= beside_has_key(reader, predicted, p);
        }
    }
}

typedef struct beside_clip {
    tpi_clip clip;
    tpi_clip_storage storage;
    uint8_t blocks[2][32768], room[1 << 18];
    tpi_tile_reader reader;
} beside_clip;

static bool beside_piece(beside_clip *own, const tpi_clip_group *group, uint32_t stream,
                         uint32_t piece, const uint8_t **bytes)
{
    uint32_t size = 0;
    bool good = tpi_clip_piece(&own->clip, &own->storage, group, stream, piece, own->room,
                               sizeof own->room, bytes, &size) == TPI_CLIP_OK;
    return CHECK(good) && size && CHECK(tpi_tile_open(&own->reader, *bytes, size));
}

static void beside_group(beside *to, beside_clip *own, const tpi_clip_group *group, uint32_t frame)
{
    static const tpi_lattice none = {0, 0};
    for (uint32_t tile = 0; tile < tpi_clip_tiles(group); tile++) {
        uint32_t ids[TPI_TILE_POINTS];
        const uint8_t *bytes;
        for (uint32_t p = 0; p < TPI_TILE_POINTS; p++) ids[p] = tile * TPI_TILE_POINTS + p;
        if (beside_piece(own, group, 0, tile, &bytes)) {
            CHECK(tpi_tile_read(&own->reader, bytes));
            tpi_tile_words(&own->reader, 0, &none, false, ids);
        }
        for (uint32_t s = 1; s < own->clip.schema.stream_count; s++)
            if ((group->streams >> s & 1u) && tpi_clip_has_lattice(&own->clip.schema.stream[s]) &&
                beside_piece(own, group, s, tile, &bytes))
                beside_tile(to, frame, &own->reader, bytes, ids);
    }
}

/* Counts the keys of all streams with an error bound. */
static beside beside_count(const film *from)
{
    beside made = {calloc((size_t)from->frame_count * IDS, 1),
                   calloc((size_t)from->frame_count * IDS, 1), from->frame_count};
    beside_clip *own = calloc(1, sizeof *own);
    tpi_clip_group group;
    own->storage = (tpi_clip_storage){
        (void *)(uintptr_t)from, beside_read, NULL, {own->blocks[0], own->blocks[1]}, 32768};
    CHECK_EQ(tpi_clip_open(&own->clip, &own->storage), TPI_CLIP_OK);
    for (uint32_t end = own->clip.end;
         tpi_clip_group_before(&own->clip, &own->storage, end, &group) == TPI_CLIP_OK;
         end = group.first_block)
        for (uint32_t f = 0; group.kind == TPI_CLIP_FRAMES && f < from->frame_count; f++)
            if (from->frames[f].number == (double)group.first_frame)
                beside_group(&made, own, &group, f);
    free(own);
    return made;
}

static void beside_free(beside *made)
{
    free(made->keys);
    free(made->could);
}

/* ---- players */

static void activity_on(tp_activity_def *def, uint32_t stream)
{
    *def = (tp_activity_def){
        .side = {SIDE, SIDE}, .axis = {0, 2}, .stream = stream, .low = {-2, 0}, .high = {2, 3}};
}

static void player_open(film_player *made, const film *from, uint32_t kept, uint32_t ahead)
{
    film_player_open(made, from, kept);
    made->def.frames_ahead = ahead;
    activity_on(&made->def.activity, film_stream(&made->def, "location"));
    film_player_create(made);
}

/* The region of a point of the view, by the definition. */
static uint32_t region_of(const tp_frame_view *view, const tp_activity_def *def, uint32_t p)
{
    uint32_t cell[2];
    for (uint32_t k = 0; k < 2; k++) {
        float x = ((const float *)view->values[def->stream])[def->axis[k] * view->capacity + p];
        float part = (x - def->low[k]) / (def->high[k] - def->low[k]) * SIDE;
        cell[k] = part > 0 ? part < SIDE ? (uint32_t)part : SIDE - 1u : 0u;
    }
    return cell[1] * SIDE + cell[0];
}

/* The counts equal the sums of the view's key plane, per region of the points' positions; each
   value is rounded to 1/65536. */
static void check_counts(const tp_frame_view *view, const tp_activity_def *def, uint32_t plane,
                         const tp_activity *told, const float *regions)
{
    const float *keys = view->values[plane];
    double sums[REGIONS] = {0}, sum = 0, all = 0, off = 1e-5;
    for (uint32_t p = 0; p < view->count; p++) {
        sums[region_of(view, def, p)] += (double)keys[p];
        sum += (double)keys[p];
        off += keys[p] > 0 ? 1e-5 : 0;
    }
    for (uint32_t r = 0; r < REGIONS; r++) {
        CHECK_NEAR(regions[r], sums[r], off);
        all += (double)regions[r];
    }
    CHECK_NEAR(told->keys, sum, off);
    CHECK_NEAR(all, (double)told->keys, off);
    CHECK_EQ(told->points, view->count);
}

/* A frame's keys, point by point, and their sums, which are whole numbers. Returns the number of
   keys. */
static uint32_t check_frame(film_player *made, const film *from, const beside *other,
                            const tp_clip_storage *storage, uint32_t f, const tp_budget *budget)
{
    tp_activity told;
    float regions[REGIONS], all = 0;
    uint32_t keys = 0, could = 0;
    CHECK_EQ(film_request(made, storage, (int64_t)from->frames[f].number * FRAME, budget, NULL),
             TP_OK);
    CHECK(film_shows(made, from, f));
    CHECK_EQ(tp_player_activity(made->player, &told, regions), TP_OK);
    const uint32_t *ids = made->view.values[0];
    const float *plane = made->view.values[made->def.stream_count];
    for (uint32_t p = 0; p < made->view.count; p++) {
        test_note("frame %u of %u, point %u, %u kept", f, from->frame_count, ids[p],
                  made->def.frames_kept);
        CHECK(plane[p] == (float)other->keys[(size_t)f * IDS + ids[p]]);
        keys += other->keys[(size_t)f * IDS + ids[p]];
        could += other->could[(size_t)f * IDS + ids[p]];
    }
    CHECK(told.keys == (float)keys && told.is_known == (could > 0));
    for (uint32_t r = 0; r < REGIONS; r++) all += regions[r];
    CHECK(all == told.keys);
    check_counts(&made->view, &made->def.activity, made->def.stream_count, &told, regions);
    return keys;
}

static const film_options kinds[] = {
    {.points = 300, .frames = 50, .key_interval = 16, .error = 0.01},
    {.points = 300,
     .frames = 60,
     .key_interval = 32,
     .error = 0.01,
     .has_lives = true,
     .has_velocity = true},
    {.points = 130,
     .frames = 40,
     .key_interval = 13,
     .error = 1e-3,
     .has_lives = true,
     .has_rotation = true,
     .first = -7,
     .step = 3,
     .small_blocks = 1},
    {.points = 200,
     .frames = 40,
     .key_interval = 20,
     .error = 1e-4,
     .is_wild = true,
     .small_blocks = 1},
    {.points = 40, .frames = 20, .key_interval = 8, .has_velocity = true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void keys_are_those_counted_beside_in_any_order(void)
{
    for (uint32_t k = 0; k < KINDS; k++) {
        const uint32_t kept[4] = {0, 2, kinds[k].key_interval + 1u, 9};
        film made = film_make(&kinds[k]);
        film_reel reel;
        beside other = beside_count(&made);
        tp_clip_storage mapped = film_mapped(&made), read = film_read(&reel, &made, 1);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < 4; i++) {
            film_player player;
            uint32_t seed = 5, count = made.frame_count;
            player_open(&player, &made, kept[i], i == 3 ? 4 : 1);
            const tp_clip_storage *storage = i & 1u ? &read : &mapped;
            for (uint32_t f = 0; f < count; f++)
                sum += check_frame(&player, &made, &other, storage, f, NULL);
            for (uint32_t f = count; f-- > 0;)
                check_frame(&player, &made, &other, storage, f, NULL);
            for (uint32_t r = 0; r < 30; r++) {
                seed = seed * 1664525u + 1013904223u;
                check_frame(&player, &made, &other, storage, (seed >> 8) % count, NULL);
            }
            film_player_close(&player);
        }
        test_note("film %u: %u keys", k, (unsigned)sum);
        CHECK((sum > 100) == (kinds[k].error > 0));
        beside_free(&other);
        film_free(&made);
    }
}

/* Other requests that stay unfinished, and slices, do not change the counts. */
static void slices_and_other_requests_between_change_no_count(void)
{
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t kept = 0; kept < 3; kept += 2) {
            film made = film_make(&kinds[k]);
            film_player player;
            beside other = beside_count(&made);
            tp_clip_storage mapped = film_mapped(&made);
            tp_budget small = {.units = 1};
            tp_activity told;
            uint32_t seed = 3, more = 0;
            player_open(&player, &made, kept, 1);
            CHECK_EQ(tp_player_activity(player.player, &told, NULL), TP_ERROR_FRAME);
            for (uint32_t i = 0; i < 60; i++) {
                seed = seed * 1664525u + 1013904223u;
                int64_t time = (int64_t)made.frames[(seed >> 8) % made.frame_count].number * FRAME +
                               (int64_t)(i % 3u);
                for (uint32_t calls = seed >> 8 & 63u; calls; calls--)
                    if (tp_player_request(player.player, &mapped, time, &small, &player.view) ==
                        TP_MORE) {
                        CHECK_EQ(tp_player_activity(player.player, &told, NULL), TP_MORE);
                        more++;
                    }
                check_frame(&player, &made, &other, &mapped, (seed >> 4) % made.frame_count,
                            i & 1u ? &small : NULL);
            }
            CHECK(more > 60);
            CHECK_EQ(tp_player_reopen(player.player, 0), TP_OK);
            CHECK_EQ(tp_player_activity(player.player, &told, NULL), TP_ERROR_FRAME);
            film_player_close(&player);
            beside_free(&other);
            film_free(&made);
        }
}

static void between_frames_both_count_in_the_shares_of_the_time(void)
{
    film made = film_make(&kinds[0]);
    film_player player;
    beside other = beside_count(&made);
    tp_clip_storage mapped = film_mapped(&made);
    tp_activity told;
    float regions[REGIONS];
    player_open(&player, &made, 2, 1);
    for (uint32_t f = 0; f + 1u < made.frame_count; f++)
        for (uint32_t q = 1; q < 4; q++) {
            int64_t time = (int64_t)made.frames[f].number * FRAME + (int64_t)(q * FRAME / 4);
            CHECK_EQ(film_request(&player, &mapped, time, NULL, NULL), TP_OK);
            CHECK_EQ(tp_player_activity(player.player, &told, regions), TP_OK);
            const float *plane = player.view.values[player.def.stream_count];
            for (uint32_t p = 0; p < player.view.count; p++)
                CHECK(plane[p] == (float)((4u - q) * other.keys[f * IDS + p] +
                                          q * other.keys[(f + 1u) * IDS + p]) /
                                      4.0f);
            check_counts(&player.view, &player.def.activity, player.def.stream_count, &told,
                         regions);
        }
    CHECK_EQ(film_request(&player, &mapped, (int64_t)made.info.last_frame * FRAME + 1, NULL, NULL),
             TP_OK);
    CHECK_EQ(player.view.status, TP_CACHE_OUTSIDE);
    CHECK_EQ(tp_player_activity(player.player, &told, regions), TP_OK);
    CHECK(told.keys == 0 && regions[0] == 0 && told.points == player.view.count);
    film_player_close(&player);
    beside_free(&other);
    film_free(&made);
}

/* A view that is too small, or without arrays for positions or for keys: all points are counted. */
static void points_count_whether_or_not_they_are_written(void)
{
    film made = film_make(&kinds[0]);
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    for (uint32_t kept = 0; kept < 3; kept += 2) {
        tp_activity whole, less;
        float regions[2][REGIONS];
        int64_t time = 9 * FRAME + (int64_t)kept * FRAME / 6;
        player_open(&player, &made, kept, 1);
        CHECK_EQ(film_request(&player, &mapped, time, NULL, NULL), TP_OK);
        CHECK_EQ(tp_player_activity(player.player, &whole, regions[0]), TP_OK);
        tp_frame_view small = {.capacity = 70};
        small.values[0] = player.view.values[0];
        tp_result result = tp_player_request(player.player, &mapped, time, NULL, &small);
        CHECK_EQ(result, TP_OK);
        CHECK_EQ(small.count, 70);
        CHECK_EQ(tp_player_activity(player.player, &less, regions[1]), TP_OK);
        CHECK(less.keys == whole.keys && less.points == 300 && whole.keys > 0);
        CHECK(memcmp(regions[0], regions[1], sizeof regions[0]) == 0);
        film_player_close(&player);
    }
    film_free(&made);
}

static void off_takes_no_bytes_and_no_units(void)
{
    film made = film_make(&kinds[0]);
    film_player player;
    tp_clip_storage mapped = film_mapped(&made);
    for (uint32_t kept = 0; kept < 18; kept += 17) {
        tp_activity told;
        uint32_t units[2], parts[2];
        size_t bytes[2];
        for (uint32_t on = 0; on < 2; on++) {
            tp_memory_part list[TP_MEMORY_PARTS_MAX];
            film_player_open(&player, &made, kept);
            if (on) activity_on(&player.def.activity, 1);
            film_player_create(&player);
            float untouched = 0.25f;
            if (!on) player.view.values[player.def.stream_count] = &untouched;
            CHECK_EQ(film_request(&player, &mapped, 3 * FRAME, NULL, NULL), TP_OK);
            CHECK_EQ(film_request(&player, &mapped, 4 * FRAME, NULL, NULL), TP_OK);
            if (!on) player.view.values[player.def.stream_count] = NULL;
            CHECK(untouched == 0.25f);
            units[on] = tp_player_report(player.player).units;
            bytes[on] = player.bytes;
            CHECK_EQ(tp_player_memory_parts(&player.def, list, &parts[on]), TP_OK);
            if (!on) CHECK_EQ(tp_player_activity(player.player, &told, NULL), TP_ERROR_DEFINITION);
            film_player_close(&player);
        }
        test_note("%u kept: %zu and %zu bytes, %u and %u units", kept, bytes[0], bytes[1], units[0],
                  units[1]);
        CHECK_EQ(parts[1], parts[0] + 3u);
        CHECK(bytes[1] - bytes[0] <= TP_PLAYER_ACTIVITY_BYTES(300, kept, REGIONS));
        CHECK_EQ(units[1] - units[0], 300);
    }
    film_free(&made);
}

static void definitions_name_what_is_wrong(void)
{
    film made = film_make(&kinds[4]);
    tp_player_def good = tp_player_default(&made.info), def = good;
    activity_on(&good.activity, 1);
    CHECK(!tp_player_check(&def) && !tp_player_check(&good));
    def = good, def.activity.side[0] = 0;
    CHECK(strstr(tp_player_check(&def), "activity.side"));
    def = good, def.activity.side[1] = TP_REGIONS_MAX + 1u;
    CHECK(strstr(tp_player_check(&def), "activity.side"));
    def = good, def.activity.axis[0] = 2;
    CHECK(strstr(tp_player_check(&def), "activity.axis"));
    def = good, def.activity.axis[1] = 3;
    CHECK(strstr(tp_player_check(&def), "activity.axis"));
    def = good, def.activity.stream = 0;
    CHECK(strstr(tp_player_check(&def), "activity.stream"));
    def = good, def.activity.stream = 2;
    CHECK(strstr(tp_player_check(&def), "activity.stream"));
    def = good, def.activity.high[1] = def.activity.low[1];
    CHECK(strstr(tp_player_check(&def), "activity.low"));
    def = good, def.activity.low[0] = -3e38f, def.activity.high[0] = 3e38f;
    CHECK(strstr(tp_player_check(&def), "activity.low"));
    def = good, def.slice_units = 128u * 3u + def.block_max / 4u;
    CHECK(strstr(tp_player_check(&def), "slice_units"));
    def.slice_units += 128u;
    CHECK(!tp_player_check(&def));
    tp_timeline_def strips = tp_timeline_default(&good, &made.info);
    CHECK(!tp_timeline_check(&strips));
    strips.activity.side[0] = 17;
    CHECK(strstr(tp_timeline_check(&strips), "activity.side"));
    CHECK_EQ(tp_player_activity(NULL, NULL, NULL), TP_ERROR_NULL);
    CHECK_EQ(tp_timeline_activity(NULL, NULL, NULL), TP_ERROR_NULL);
    film_free(&made);
}

/* ---- timelines */

typedef film_stage stage;

static void stage_open(stage *s, const film_options *a, const film_options *b, bool has_weights)
{
    film_stage_open(s, a, b);
    for (uint32_t i = 0; i < PLAYERS; i++)
        activity_on(&s->own[i].def.activity, film_stream(&s->own[i].def, "location"));
    film_stage_create(s, has_weights);
}

/* Index of the array of keys in the view. */
static uint32_t stage_plane(const stage *s) { return s->def.stream_count + s->def.has_weights; }

static void stage_show(stage *s, int64_t time, const tp_budget *budget, tp_activity *told,
                       float *regions)
{
    tp_result result = TP_MORE;
    for (uint32_t calls = 0; calls < 100000 && result == TP_MORE; calls++) {
        result = tp_timeline_request(s->timeline, s->players, s->storages, PLAYERS, time, budget,
                                     &s->view);
        CHECK_EQ(tp_timeline_activity(s->timeline, told, regions), result);
    }
    CHECK_EQ(result, TP_OK);
}

static const film_options one = {.points = 200,
                                 .frames = 30,
                                 .key_interval = 12,
                                 .error = 1e-3,
                                 .has_velocity = true,
                                 .first = 1};
static const film_options other_one = {.points = 230,
                                       .frames = 30,
                                       .key_interval = 30,
                                       .error = 2e-3,
                                       .has_velocity = true,
                                       .first = 1,
                                       .phase = 0.5};

static tp_strip strip_of(uint32_t player, int64_t start, int64_t frames, int32_t numerator,
                         uint32_t denominator)
{
    return (tp_strip){.player = player,
                      .start = start * FRAME,
                      .end = (start + frames) * FRAME,
                      .clip_start = 1 * FRAME,
                      .clip_end = 30 * FRAME,
                      .speed_numerator = numerator,
                      .speed_denominator = denominator};
}

/* Played forwards, backwards, slower and faster, the keys of all frames of a strip have the same
   sum. */
static void a_strip_has_its_clips_keys_at_any_speed(void)
{
    static const int32_t speeds[][2] = {{1, 1}, {-1, 1}, {1, 4}, {-1, 2}, {2, 1}};
    stage s;
    tp_activity told, plain;
    float regions[REGIONS], plain_regions[REGIONS];
    stage_open(&s, &one, &other_one, false);
    for (uint32_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        float speed = fabsf((float)speeds[i][0] / (float)speeds[i][1]);
        int64_t frames =
            29 * (int64_t)speeds[i][1] / (speeds[i][0] < 0 ? -speeds[i][0] : speeds[i][0]);
        tp_strip strip = strip_of(0, 10, frames + 1, speeds[i][0], (uint32_t)speeds[i][1]);
        CHECK_EQ(tp_timeline_clear(s.timeline), TP_OK);
        CHECK_EQ(tp_timeline_activity(s.timeline, &told, NULL), TP_ERROR_FRAME);
        CHECK_EQ(tp_timeline_add(s.timeline, &strip), TP_OK);
        for (int64_t f = 0; f <= frames; f++) {
            tp_timeline_moment moment;
            stage_show(&s, (10 + f) * FRAME, NULL, &told, regions);
            CHECK_EQ(tp_timeline_look(s.timeline, (10 + f) * FRAME, &moment), TP_OK);
            CHECK_EQ(film_request(&s.own[0], &s.storages[0], moment.clip_time[0], NULL, NULL),
                     TP_OK);
            CHECK_EQ(tp_player_activity(s.players[0], &plain, plain_regions), TP_OK);
            test_note("speed %g, frame %d: %g keys", (double)speed, (int)f, (double)told.keys);
            CHECK(told.keys == plain.keys * speed && told.is_known == plain.is_known);
            for (uint32_t r = 0; r < REGIONS; r++) CHECK(regions[r] == plain_regions[r] * speed);
            check_counts(&s.view, &s.def.activity, stage_plane(&s), &told, regions);
        }
        /* before the strip: its first frame is held */
        stage_show(&s, 5 * FRAME, NULL, &told, regions);
        CHECK(told.keys == 0 && s.view.status == TP_CACHE_OUTSIDE);
        CHECK(((const float *)s.view.values[stage_plane(&s)])[0] == 0);
    }
    film_stage_close(&s);
}

/* The key that a player shows for a point at a time of its clip; -1 if the point is not shown. */
static float key_of_player(const film_player *from, uint32_t id)
{
    const uint32_t *ids = from->view.values[0];
    for (uint32_t p = 0; p < from->view.count; p++)
        if (ids[p] == id) return ((const float *)from->view.values[from->def.stream_count])[p];
    return -1;
}

static void check_blend(stage *s, const tp_timeline_moment *moment, const tp_activity *told,
                        const float *regions, bool has_weights)
{
    const uint32_t *ids = s->view.values[0];
    float *plane = s->view.values[stage_plane(s)];
    const float *weights = has_weights ? s->view.values[stage_plane(s) - 1u] : NULL;
    for (uint32_t i = 0; i < 2; i++)
        CHECK_EQ(film_request(&s->own[i], &s->storages[i], moment->clip_time[i], NULL, NULL),
                 TP_OK);
    for (uint32_t p = 0; p < s->view.count; p++) {
        float a = key_of_player(&s->own[0], ids[p]), b = key_of_player(&s->own[1], ids[p]);
        float first = a * fabsf(moment->speed[0]), second = b * fabsf(moment->speed[1]);
        float expected = a < 0 ? second : b < 0 ? first : first + (second - first) * moment->weight;
        CHECK_NEAR(plane[p], expected, 1e-6);
        if (weights) plane[p] *= weights[p]; /* the weighted key is counted */
    }
    check_counts(&s->view, &s->def.activity, stage_plane(s), told, regions);
}

static void blends_count_where_their_points_are_shown(void)
{
    for (uint32_t has_weights = 0; has_weights < 2; has_weights++) {
        stage s;
        tp_strip below = strip_of(0, 0, 29, 1, 1), above = strip_of(1, 6, 20, -3, 2);
        tp_budget small = {.units = 700};
        float most = 0;
        stage_open(&s, &one, &other_one, has_weights);
        above.fade = 15 * FRAME;
        CHECK_EQ(tp_timeline_add(s.timeline, &below), TP_OK);
        CHECK_EQ(tp_timeline_add(s.timeline, &above), TP_OK);
        for (int64_t t = 7 * FRAME; t < 21 * FRAME; t += 2 * FRAME / 3) {
            tp_timeline_moment moment;
            tp_activity told, again;
            float regions[REGIONS], same[REGIONS];
            CHECK_EQ(tp_timeline_look(s.timeline, t, &moment), TP_OK);
            CHECK_EQ(moment.count, 2);
            stage_show(&s, t, NULL, &told, regions);
            stage_show(&s, t, &small, &again, same);
            CHECK(told.keys == again.keys && memcmp(regions, same, sizeof same) == 0);
            check_blend(&s, &moment, &told, regions, has_weights);
            most = fmaxf(most, told.keys);
        }
        CHECK(most > 10);
        s.own[1].def.activity.high[0] += 1; /* the player's regions must be those of the timeline */
        film_player_create(&s.own[1]);
        s.players[1] = s.own[1].player;
        tp_result result = tp_timeline_request(s.timeline, s.players, s.storages, PLAYERS,
                                               8 * FRAME, NULL, &s.view);
        CHECK_EQ(result, TP_ERROR_SOURCE);
        film_stage_close(&s);
    }
}

static const test_case play_keys_cases[] = {
    TEST_CASE(keys_are_those_counted_beside_in_any_order),
    TEST_CASE(slices_and_other_requests_between_change_no_count),
    TEST_CASE(between_frames_both_count_in_the_shares_of_the_time),
    TEST_CASE(points_count_whether_or_not_they_are_written),
    TEST_CASE(off_takes_no_bytes_and_no_units),
    TEST_CASE(definitions_name_what_is_wrong),
    TEST_CASE(a_strip_has_its_clips_keys_at_any_speed),
    TEST_CASE(blends_count_where_their_points_are_shown),
};
TEST_SUITE(play_keys, play_keys_cases);
