/* SPDX-License-Identifier: MIT
   tests/interop/codecs/contents.h - data for comparing codecs: streams of caches, and generated
           bytes.
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
    bool is_cache; /* compressed sizes must stay within the limits */
    uint8_t *bytes;
    size_t *starts, *sizes, count, total;
} contents;

/* Every stream of every file that holds points; filtered: transposed as Blender 5 does before it
   compresses. Other files are ignored. */
contents contents_of_caches(const char *name, char **paths, int path_count, bool is_filtered);
/* All parts joined into one: short streams are too short to measure speed. */
contents contents_joined(const char *name, const contents *parts);

enum { CONTENTS_MADE = 11 };
/* The kinds of the harness at `size` bytes, then short ones; `which` is 0 .. CONTENTS_MADE - 1. */
contents contents_made(int which, size_t size);
void contents_free(contents *made);

void *contents_memory(size_t size);

#endif
