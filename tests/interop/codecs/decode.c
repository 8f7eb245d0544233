/* SPDX-License-Identifier: MIT
   tests/interop/codecs/decode.c - time of playing a clip from its first frame to its last.
   reads   FILE, a clip      writes  nanoseconds per point and frame, the best of ROUNDS
   memory  the clip and a player's block      cost    ROUNDS times that of decoding
   after   own design: decode FILE ROUNDS [whole]. By default frame after frame, as a game plays;
           with `whole` all frames of a tile together. Uses nothing but tidepool.h, so that it can
           be built with the header of another version: see decode.py */
#define _POSIX_C_SOURCE 200809L
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "decode: %s\n", what);
    return 1;
}

static bool read_file(const char *path, tp_clip_storage *storage)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return false;
    long size = ftell(file);
    void *bytes = malloc((size_t)size + 1u);
    rewind(file);
    *storage = (tp_clip_storage){.bytes = bytes, .size = (uint64_t)size};
    bool is_read = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    return is_read;
}

static tp_player *make_player(const tp_clip_info *info, bool whole)
{
    tp_player_def def = tp_player_default(info);
    tp_player *player = NULL;
    size_t bytes = 0;
    if (whole) def.frames_kept = info->key_interval + 1u, def.frames_ahead = info->key_interval;
    if (tp_player_memory(&def, &bytes) != TP_OK) return NULL;
    void *block = aligned_alloc(64, (bytes + 63u) / 64u * 64u);
    if (!block || tp_player_create(&def, block, bytes, &player) != TP_OK) return NULL;
    return player;
}

/* Nanoseconds per point and frame; 0: an error. */
static double play(tp_player *player, const tp_clip_storage *storage, const tp_clip_info *info,
                   tp_frame_view *view)
{
    uint64_t points = 0;
    if (tp_player_reopen(player, 0) != TP_OK) return 0;
    double start = seconds();
    for (int64_t frame = info->first_frame; frame <= info->last_frame; frame++) {
        if (tp_player_request(player, storage, TP_TIME(frame), NULL, view) != TP_OK) return 0;
        points += view->count;
    }
    return 1e9 * (seconds() - start) / (double)points;
}

int main(int count, char **words)
{
    static unsigned char scratch[65536];
    tp_clip_storage storage;
    tp_clip_info info;
    if (count < 3 || !read_file(words[1], &storage)) return fail("expected a clip and rounds");
    if (tp_clip_look(&storage, scratch, sizeof scratch, &info) != TP_OK) return fail("no clip");
    tp_player *player = make_player(&info, count > 3);
    tp_frame_view view = {.capacity = info.points_max};
    view.values[0] = malloc(4u * (size_t)info.points_max);
    view.values[1] = malloc(12u * (size_t)info.points_max);
    if (!player || !view.values[0] || !view.values[1]) return fail("no player");
    double best = 0;
    for (int round = atoi(words[2]); round > 0; round--) {
        double one = play(player, &storage, &info, &view);
        if (one <= 0) return fail("a frame is damaged");
        if (best <= 0 || one < best) best = one;
    }
    printf("%.3f\n", best);
    return 0;
}
