/* SPDX-License-Identifier: MIT
   host_tools/commands/light.c - `tidepool light MESH`: the links through which its patches light
           one another.
   reads   an .obj file and its materials      writes  a .tpl file
   memory  the patches and the file            cost    see light/patches.h
   after   own design */
#include "commands.h"
#include "../common/host.h"
#include "../light/patches.h"
#include <stdlib.h>

const char help_light[] =
    "usage: tidepool light MESH.obj --out FILE.tpl [--size S] [--theta T] [--links N]\n"
    "                      [--probes D] [--closed] [--json] [--quiet]\n"
    "\n"
    "Divides a mesh into patches and finds what light each gets from the others. The runtime "
    "reads\n"
    "the file with tp_patches_open and computes the light of each frame: moving lights, and other\n"
    "colors, need no new file. Faces are lit on the side from which they are counter-clockwise.\n"
    "Materials: Kd is the albedo, Ke the emission in W/m^2; faces without have an albedo of 0.5.\n"
    "\n"
    "  --size S    Longest side of a patch, in units of the mesh (default: each face is one).\n"
    "  --theta T   Patches farther than their common radius over T may count as one\n"
    "              (default 0.4; 0: each counts alone).\n"
    "  --links N   At most N links for a patch, 16 to 1024 (default 256); beyond them T grows.\n"
    "  --probes D  A grid of probes with this distance: light for moving objects and particles.\n"
    "  --closed    The mesh has no opening: scale the light of each patch so that none is lost.\n"
    "  --json      Print one JSON object: patches, clusters, probes, links, bytes, vectors.\n"
    "  --quiet     Print only errors.\n"
    "\n"
    "example: tidepool light room.obj --size 0.25 --probes 0.5 --out room.tpl\n";

enum {
    OPTION_OUT,
    OPTION_SIZE,
    OPTION_THETA,
    OPTION_LINKS,
    OPTION_PROBES,
    OPTION_CLOSED,
    OPTION_JSON,
    OPTION_QUIET,
    OPTIONS
};

static int read_number(const host_option *option, double least, double most, double *value)
{
    if (!option->value) return HOST_DONE;
    if (host_parse_f64(option->value, value) && *value >= least && *value <= most) return HOST_DONE;
    return host_error(HOST_USAGE, "light", HOST_NO_OFFSET, "--%s %s: allowed: %g to %g",
                      option->name, option->value, least, most);
}

static int read_options(const host_option *options, light_options *plan, double *size)
{
    double links = plan->links_max;
    int code = read_number(&options[OPTION_SIZE], 1e-6, 1e9, size);
    if (!code) code = read_number(&options[OPTION_THETA], 0, 1, &plan->theta);
    if (!code) code = read_number(&options[OPTION_LINKS], 16, TP_PATCH_LINKS_MAX, &links);
    if (!code) code = read_number(&options[OPTION_PROBES], 1e-4, 1e6, &plan->probes);
    plan->links_max = (uint32_t)links;
    plan->is_closed = options[OPTION_CLOSED].value != NULL;
    plan->is_quiet = options[OPTION_QUIET].value != NULL;
    return code;
}

/* What was written, as the runtime reads it. */
static int report(const uint8_t *bytes, size_t size, bool is_json)
{
    tp_patches patches;
    tp_result result = tp_patches_open(&patches, bytes, (uint32_t)size, NULL, 0);
    if (result != TP_ERROR_FULL)
        return host_error(HOST_BAD_INPUT, "light", HOST_NO_OFFSET,
                          "positions or areas are beyond what a file holds: %s",
                          tp_patches_check(bytes, (uint32_t)size, NULL));
    printf(is_json ? "{\"patches\": %u, \"clusters\": %u, \"probes\": %u, \"links\": %u, "
                     "\"bytes\": %zu, \"vectors\": %u}\n"
                   : "%u patches, %u clusters, %u probes, %u links; %zu bytes, memory for %u "
                     "vectors\n",
           patches.count, patches.node_count - patches.count, patches.probe_count,
           patches.link_count, size, patches.vectors);
    return HOST_DONE;
}

static int make_file(const char *path, const char *out, const light_options *plan, double size,
                     const host_option *options)
{
    light_patch *patches = NULL;
    uint8_t *bytes = NULL;
    uint32_t count;
    size_t length = 0;
    int code = light_read_mesh(path, size, TP_PATCHES_MAX, &patches, &count);
    if (!code) code = light_build(patches, count, plan, &bytes, &length);
    if (!code && (!plan->is_quiet || options[OPTION_JSON].value))
        code = report(bytes, length, options[OPTION_JSON].value != NULL);
    if (!code) code = host_write_file(out, bytes, length);
    free(patches);
    free(bytes);
    return code;
}

int command_light(int argc, char **argv)
{
    host_option options[OPTIONS] = {
        [OPTION_OUT] = {"out", false, NULL},       [OPTION_SIZE] = {"size", false, NULL},
        [OPTION_THETA] = {"theta", false, NULL},   [OPTION_LINKS] = {"links", false, NULL},
        [OPTION_PROBES] = {"probes", false, NULL}, [OPTION_CLOSED] = {"closed", true, NULL},
        [OPTION_JSON] = {"json", true, NULL},      [OPTION_QUIET] = {"quiet", true, NULL},
    };
    light_options plan = light_default_options();
    const char *path = NULL;
    size_t count;
    double size = 0;
    if (host_help(argc, argv, help_light)) return HOST_DONE;
    int code = host_parse("light", argc, argv, options, OPTIONS, &path, 1, &count);
    if (!code && !path)
        code = host_error(HOST_USAGE, "light", HOST_NO_OFFSET,
                          "needs a mesh; see tidepool light --help");
    if (!code && !options[OPTION_OUT].value)
        code = host_error(HOST_USAGE, "light", HOST_NO_OFFSET, "needs --out FILE.tpl");
    if (!code) code = read_options(options, &plan, &size);
    host_quiet(plan.is_quiet);
    return code ? code : make_file(path, options[OPTION_OUT].value, &plan, size, options);
}
