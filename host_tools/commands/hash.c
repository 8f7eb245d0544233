/* SPDX-License-Identifier: MIT
   host_tools/commands/hash.c - `tidepool hash SCENE`: prints the state hash after a number of
           frames, 16 hexadecimal digits.
   reads   a scene      writes  standard output
   memory  one block for the world      cost    the frames simulated
   after   own design */
#include "commands.h"
#include "../common/loop.h"
#include <inttypes.h>

const char help_hash[] =
    "usage: tidepool hash SCENE --frames N [--seed N] [--work UNITS] [--slice UNITS] [--quiet]\n"
    "\n"
    "Simulates N frames and prints the hash of the final state: 16 hexadecimal digits. The hash is "
    "the\n"
    "same on every machine, for every budget and for every slice.\n"
    "SCENE is a scene file, the name of a shipped scene (see tidepool help), or - for standard "
    "input.\n"
    "\n"
    "  --frames N      Simulate N frames (default: as in the scene).\n"
    "  --seed N        Seed of all random numbers (default: as in the scene).\n"
    "  --work UNITS    Limit the work of each game frame (default 0: no limit).\n"
    "  --slice UNITS   Work between two checks of the budget, 64 to 65536 (default: as in the "
    "scene).\n"
    "  --quiet         Show no progress bar.\n"
    "\n"
    "example: tidepool hash dam_break --frames 60\n";

int command_hash(int argc, char **argv)
{
    host_option options[] = {{"frames", false, NULL},
                             {"seed", false, NULL},
                             {"work", false, NULL},
                             {"slice", false, NULL},
                             {"quiet", true, NULL}};
    const char *path = NULL;
    size_t count;
    stage staged;
    if (host_help(argc, argv, help_hash)) return HOST_DONE;
    int code = host_parse("hash", argc, argv, options, 5, &path, 1, &count);
    if (!code) code = stage_load(&staged, "hash", path, options[1].value, options[3].value);
    if (code) return code;
    loop_settings settings = {
        .frames = staged.scene.frames, .work = 0, .quiet = options[4].value != NULL};
    const char *frames = options[0].value, *work = options[2].value;
    if (frames && (!host_parse_u32(frames, &settings.frames) || settings.frames > 1048576))
        code = host_error(HOST_USAGE, "hash", HOST_NO_OFFSET, "--frames %s: allowed: 0 to 1048576",
                          frames);
    else if (work && !host_parse_u32(work, &settings.work))
        code = host_error(HOST_USAGE, "hash", HOST_NO_OFFSET,
                          "--work %s: allowed: 0 to 4294967295 units", work);
    if (!code) code = stage_open(&staged, 0);
    loop frames_loop = {0};
    if (!code) code = loop_open(&frames_loop, &staged.scene, &settings, staged.world, NULL);
    if (!code) code = loop_run(&frames_loop);
    if (!code) printf("%016" PRIx64 "\n", frames_loop.report.state_hash);
    loop_close(&frames_loop);
    stage_close(&staged);
    return code;
}
