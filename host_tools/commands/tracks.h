/* SPDX-License-Identifier: MIT
   host_tools/commands/tracks.h - places of points over frames, to try codecs on.
   reads   scenes, sequences of any format      writes  -
   memory  malloc: 12 bytes per point and frame, while a set is made twice that      cost    the simulation, or the bytes read
   after   own design: only points that live through all frames, so that every codec is asked for the same values */
#ifndef TIDEPOOL_TRACKS_H
#define TIDEPOOL_TRACKS_H
#include "../clip/tile.h"
#include "../common/host.h"

#define TRACKS_FRAMES_MAX 250u

typedef struct host_tracks {
    char *name;
    uint32_t points, frames; /* at least 1 point and 3 frames */
    float *places;           /* [frame][point][3] */
    double low[3], high[3];
} host_tracks;

/* Each: HOST_DONE, or an error printed and nothing to be freed. Of points that come and go those are taken that are there
   in all frames; if they are few, in all of the later half; at most `points` of them, 0 for no limit. Frames are those of
   the scene or sequence, at most TRACKS_FRAMES_MAX. */
int host_tracks_of_scene(host_tracks *tracks, const char *scene, uint32_t points);
int host_tracks_of_path(host_tracks *tracks, const char *path, uint32_t points);
/* A shipped scene whose gravity swings to and fro, so that its fluid sloshes. */
int host_tracks_of_sloshing(host_tracks *tracks, const char *scene, uint32_t points);
/* Points that fall, bounce, roll and come to rest on a floor between four walls. */
int host_tracks_of_bouncing(host_tracks *tracks, uint32_t points, uint32_t seed);
void host_tracks_free(host_tracks *tracks);

/* The largest side of the box. */
double host_tracks_side(const host_tracks *tracks);
/* The words of up to TPI_TILE_POINTS points from `point` over frames from `frame`, as tiles take them: words has room for
   frames * 3 * TPI_TILE_POINTS. */
host_tile_samples host_tracks_tile(const host_tracks *tracks, uint32_t point, uint32_t frame,
                                   uint32_t frames_max, uint32_t *words);
/* The kind of a bounded stream of them. False: floats are too coarse for the error. */
bool host_tracks_kind(const host_tracks *tracks, double error, host_tile_kind *kind);

#endif
