/* SPDX-License-Identifier: MIT
   host_tools/clip/compact.h - compact clips: short clips without headers of blocks and unused
           bytes; players read them.
   reads   a closed clip with one group of frames, or a compact one      writes  the other
   memory  twice the clip      cost    O(bytes)
   after   own design; format: host_tools/clip/FORMAT.md */
#ifndef HOST_CLIP_COMPACT_H
#define HOST_CLIP_COMPACT_H
#include "../../runtime/codec/clip.h"

/* Larger clips stay as they are: their container is a small part of them. */
#define HOST_COMPACT_MAX (1u << 20)

bool host_compact_recognises(const uint8_t *start, size_t size);

/* Makes a clip compact. 0: done, *to is in malloc memory; 1: it has several groups of frames, was
   appended to or not closed, or is too large; 2: memory is short. Streams at the end of the list
   that no group has are left out. */
int host_compact(const uint8_t *clip, size_t size, uint8_t **to, size_t *to_size);

/* The clip with headers and blocks of equal size. 0: done, *to is in malloc memory; 1: damaged, *at
   is about the byte; 2: memory is short. */
int host_compact_undo(const uint8_t *compact, size_t size, uint8_t **to, size_t *to_size,
                      size_t *at);

#endif
