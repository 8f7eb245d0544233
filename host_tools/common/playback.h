/* SPDX-License-Identifier: MIT
   host_tools/common/playback.h - reads frames of a cache into arrays for exports and pictures.
   reads   a cache      writes  arrays
   memory  32 bytes per particle, allocated once      cost    O(particles) per frame
   after   own design */
#ifndef TIDEPOOL_PLAYBACK_H
#define TIDEPOOL_PLAYBACK_H
#include "host.h"
#include "tidepool.h"

typedef struct playback {
    tp_cache *cache;
    tp_cache
        *spring_cache; /* of the same frames with every bit; `cache` unless set after opening */
    uint32_t count;    /* particles of the loaded frame */
    uint32_t *ids;
    float *positions; /* [count][3] */
    float *velocities;
    uint8_t *species;
    float *temperatures; /* K; NULL: the cache has none */
    uint32_t capacity, dimensions;
    uint32_t id_stream, position_stream, velocity_stream, meta_stream, temperature_stream;
    tp_frame_view view;
    tp_spring *springs; /* of a viscoelastic fluid, after playback_load_springs; NULL: none */
    uint32_t spring_count, spring_extra;
    uint32_t *torn; /* of cloth that wears, with the springs: a bit per triangle; NULL: none */
    uint32_t torn_count, torn_extra;
    /* of cloth whose nodes split, likewise: per split the new node, its parent, constraints and
       triangles of the parent that went to it, as bits; NULL: none */
    uint32_t *splits;
    uint32_t split_count, split_extra;
    uint64_t spring_frame;
    void *memory;
} playback;

/* HOST_DONE, or an error was printed. */
int playback_open(playback *target, tp_cache *cache);
void playback_close(playback *target);
/* Loads a frame. False: not in the cache. */
bool playback_load(playback *target, uint64_t frame);
/* Loads the springs of a frame, and which triangles of cloth are torn. False: spring_cache keeps it
   within an error, without what no stream has, or not at all. */
bool playback_load_springs(playback *target, uint64_t frame);

#endif
