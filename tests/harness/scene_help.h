/* SPDX-License-Identifier: MIT
   tests/harness/scene_help.h - scenes from texts, for tests: accepted without a message, or refused
           with one.
   reads   texts      writes  a scene and its world
   memory  malloc: the scene, the block of its world      cost    that of creating the world
   after   own design */
#ifndef TIDEPOOL_SCENE_HELP_H
#define TIDEPOOL_SCENE_HELP_H
#include "common/scene.h"
#include "test.h"

typedef struct scene_attempt {
    const char *text, *folder; /* paths in the text are relative to the folder */
    scene result;
    tp_world *world;
    void *memory; /* of the world */
    int code;
} scene_attempt;

/* Parses the text as test.scene, and creates the world, because the runtime finds some of the
   mistakes. `attempt` is a scene_attempt; for test_errors_of. */
void scene_try(void *attempt);
/* Frees what an attempt holds that succeeded. */
void scene_drop(scene_attempt *attempt);
/* The text must be accepted without a message; then scene_drop frees it. */
bool scene_takes(scene_attempt *attempt, const char *text, const char *folder);
/* The text must be refused with exit code 3 and one line, which contains `wanted` and no name of
   the runtime. */
void scene_refuses(const char *text, const char *wanted);
size_t test_count_lines(const char *text);

#endif
