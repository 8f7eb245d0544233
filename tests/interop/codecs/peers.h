/* SPDX-License-Identifier: MIT
   tests/interop/codecs/peers.h - the reference libraries and our codecs behind the same function
           pointers.
   reads   bytes      writes  memory of the caller
   memory  what the libraries use      cost  that of the libraries
   after   own design */
#ifndef TIDEPOOL_CODECS_PEERS_H
#define TIDEPOOL_CODECS_PEERS_H
#include "compress/codec.h"

typedef struct peer {
    const codec *ours;
    const char *library;
    double size_ratio_max; /* limit of our size / library's size on caches, at setting 0 */
    bool is_filtered;      /* Blender filters the data before this compression */
    int setting_count;     /* setting 0 is Blender's */
    /* Returns the size of the stream; 0 on failure. */
    size_t (*encode)(int setting, const uint8_t *bytes, size_t size, uint8_t *out, size_t room);
    /* The properties of that setting that our decoder needs. */
    void (*properties)(int setting, uint8_t properties[CODEC_PROPERTIES_MAX]);
    /* Decodes streams of setting 0, ours or the library's. */
    bool (*decode)(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size);
} peer;

enum { PEERS = 3 };
extern const peer peers[PEERS];
/* False if a library fails to initialise. */
bool peers_start(void);
/* Capacity that is enough for any stream of `size` bytes, ours or the library's. */
size_t peers_bound(const peer *p, size_t size);

#endif
