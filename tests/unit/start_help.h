/* SPDX-License-Identifier: MIT
   tests/unit/start_help.h - scenes that start from a cache, for tests.
   reads   scenes      writes  caches
   memory  that of the commands      cost    that of the runs
   after   own design */
#ifndef TIDEPOOL_TESTS_START_HELP_H
#define TIDEPOOL_TESTS_START_HELP_H
#include "../../host_tools/common/host.h"
#include "../harness/files_help.h"
#include <string.h>

int command_bake(int argc, char **argv);
int command_hash(int argc, char **argv);

/* The hashes of two scenes of a folder. */
static inline void start_hashes(const char *folder, const char *a, const char *b, bool are_equal)
{
    test_output one = test_command(command_hash, test_text("hash %s/%s.scene", folder, a)),
                two = test_command(command_hash, test_text("hash %s/%s.scene", folder, b));
    CHECK(one.code == HOST_DONE && two.code == HOST_DONE && strlen(one.standard) == 17);
    CHECK((strcmp(one.standard, two.standard) == 0) == are_equal);
    test_output_free(&one);
    test_output_free(&two);
}

static inline void start_bakes(const char *folder, const char *name, const char *out)
{
    test_expect(command_bake,
                test_text("bake %s/%s.scene %s/%s --quiet", folder, name, folder, out), HOST_DONE,
                NULL);
}

#endif
