/* SPDX-License-Identifier: MIT
   host_tools/commands/tracks.h - positions of points over frames: data sets for codec benchmarks.
   reads   scenes, sequences of any format      writes  -
   memory  malloc: 12 bytes per point and frame; twice that while a set is made      cost    the
           simulation, or the bytes read
   after   own design: only points that are present in all frames, so that every codec stores the
           same values */
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

/* The following calls make a set. They return HOST_DONE, or an error was printed and nothing must
   be freed.
   - points: those that are present in all frames; if these are few, in all frames of the second
   half; at most `points`
     (0: no limit)
   - frames: all frames of the scene or sequence, at most TRACKS_FRAMES_MAX
   A scene whose particles live shorter makes a set of 0 points; such a sequence is an error. */
int host_tracks_of_scene(host_tracks *tracks, const char *scene, uint32_t points);
int host_tracks_of_path(host_tracks *tracks, const char *path, uint32_t points);
/* A shipped scene with swinging gravity, so that its fluid sloshes. */
int host_tracks_of_sloshing(host_tracks *tracks, const char *scene, uint32_t points);
/* Points that fall, bounce, roll and come to rest on a floor between four walls. */
int host_tracks_of_bouncing(host_tracks *tracks, uint32_t points, uint32_t seed);
void host_tracks_free(host_tracks *tracks);

/* The largest side of the box. */
double host_tracks_side(const host_tracks *tracks);
/* The samples of one tile: up to TPI_TILE_POINTS points from `point` on, over frames from `frame`
   on. `words` has frames * 3 * TPI_TILE_POINTS elements. */
host_tile_samples host_tracks_tile(const host_tracks *tracks, uint32_t point, uint32_t frame,
                                   uint32_t frames_max, uint32_t *words);
/* The kind of a stream with this error bound. False: the error is below the resolution of the
   floats. */
bool host_tracks_kind(const host_tracks *tracks, double error, host_tile_kind *kind);

#endif
