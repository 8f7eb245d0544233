/* SPDX-License-Identifier: MIT
   tests/interop/codecs/peers.h - the reference libraries, each beside our codec, behind the same calls.
   reads   bytes      writes  memory of the caller
   memory  what the libraries take      cost  theirs
   after   own design */
#ifndef TIDEPOOL_CODECS_PEERS_H
#define TIDEPOOL_CODECS_PEERS_H
#include "compress/codec.h"

typedef struct peer {
    const codec *ours;
    const char *library;
    double size_ratio_max; /* ours / theirs on caches, at setting 0 */
    bool is_filtered;      /* Blender filters what it compresses so */
    int setting_count;     /* 0 is Blender's */
    /* 0 when it fails. */
    size_t (*encode)(int setting, const uint8_t *bytes, size_t size, uint8_t *out, size_t room);
    /* What our decoder needs to know of that setting. */
    void (*properties)(int setting, uint8_t properties[CODEC_PROPERTIES_MAX]);
    /* Streams of setting 0, ours or theirs. */
    bool (*decode)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size);
} peer;

enum { PEERS = 3 };
extern const peer peers[PEERS];
/* False when a library does not start. */
bool peers_start(void);
/* Room for any stream of `size` bytes of ours and theirs. */
size_t peers_bound(const peer *p, size_t size);

#endif
