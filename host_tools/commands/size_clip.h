/* SPDX-License-Identifier: MIT
   host_tools/commands/size_clip.h - `tidepool size` for clips.
   reads   a clip      writes  standard output
   memory  -      cost    O(groups)
   after   own design */
#ifndef HOST_SIZE_CLIP_H
#define HOST_SIZE_CLIP_H
#include <stdbool.h>

bool size_is_clip(const char *path);
/* Prints the memory of a player. Returns an exit code. */
int size_clip(const char *path, bool is_quiet);

#endif
