/* SPDX-License-Identifier: MIT
   tests/interop/codecs/contents.h - what codecs are compared on: the streams of caches, plain and filtered, and made bytes.
   reads   uncompressed .bphys files      writes  -
   memory  malloc, freed by contents_free      cost  O(bytes)
   after   own design */
#ifndef TIDEPOOL_CODECS_CONTENTS_H
#define TIDEPOOL_CODECS_CONTENTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each part is compressed by itself, as a cache compresses each stream of each frame. */
typedef struct contents {
    const char *name;
    bool is_cache; /* sizes must keep to the gates */
    uint8_t *bytes;
    size_t *starts, *sizes, count, total;
} contents;

/* Every stream of every file that holds points; filtered: as Blender 5 does before it compresses. Other files are passed
   over. */
contents contents_of_caches(const char *name, char **paths, int path_count, bool is_filtered);
/* Short streams have little to say of speed: all parts as one. */
contents contents_joined(const char *name, const contents *parts);

enum { CONTENTS_MADE = 11 };
/* The kinds of the harness at `size` bytes, then short ones: which is 0 .. CONTENTS_MADE - 1. */
contents contents_made(int which, size_t size);
void contents_free(contents *made);

void *contents_memory(size_t size);

#endif
