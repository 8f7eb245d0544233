/* SPDX-License-Identifier: MIT
   host_tools/formats/formats.c - the table of file formats. A new format is a row here and a file
           beside.
   reads   paths, first bytes of a file    writes  -
   memory  -                               cost    O(formats)
   after   own design */
#include "../common/scene.h"
#include "../common/source.h"
#include "abc.h"
#include "bphys.h"
#include "csv.h"
#include "dcd.h"
#include "gsd.h"
#include "hgeo.h"
#include "lammps.h"
#include "npz.h"
#include "numbered.h"
#include "ply.h"
#include "prt.h"
#include "tpc.h"
#include "usdc.h"
#include "vertex_cache.h"
#include "vtk.h"
#include "vtk_xml.h"
#include "xtc.h"
#include "xyz.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The functions of a format are named after it; the name is the file ending too. */
#define FORMAT_CALLS(word) FORMAT_CALLS_BUT_WRITE(word), .write = word##_write
/* For formats that implement `encode` and `put` instead of `write`. */
#define FORMAT_CALLS_BUT_WRITE(word)                                                              \
    .name = #word, .ending = "." #word, .recognises = word##_recognises, .open = word##_open,     \
    .load = word##_load, .close = word##_close, .create = word##_create, .finish = word##_finish, \
    .abandon = word##_abandon

/* Formats based on numbered.h implement three functions themselves: recognises, read and write. */
#define NUMBERED_CALLS(word) .name = #word, .takes_gzip = true, NUMBERED_CALLS_BUT_NAME(word)
#define NUMBERED_CALLS_BUT_NAME(word)                                                  \
    .recognises = word##_recognises, .rule = numbered_rule, .read_piece = word##_read, \
    .write_piece = word##_write, .open = numbered_open, .load = numbered_load,         \
    .close = numbered_close, .create = numbered_create, .write = numbered_write,       \
    .finish = numbered_finish, .abandon = numbered_abandon

/* Values of .needs: in most formats a point without a location cannot be stored. */
#define NEEDS_POINTS                     \
    {                                    \
        POINT_BIT(POINT_LOCATION), false \
    }
#define NEEDS_POINTS_OR_SURFACE         \
    {                                   \
        POINT_BIT(POINT_LOCATION), true \
    }

static const host_format bphys_row = {
    FORMAT_CALLS_BUT_WRITE(bphys),
    .needs = NEEDS_POINTS_OR_SURFACE,
    .summary = "Blender point cache, one file per frame",
    .takes_blocks = true,
    .speaks_bphys_units = true,
    .has_files = true,
    .loads_in_parallel = true,
    .find_times = bphys_find_times,
    .encode = bphys_encode_frame,
    .put = bphys_put,
    .pass = bphys_pass,
    .verify = bphys_verify,
    .check_sizes = bphys_check_sizes,
    .rule = bphys_rule,
};

static const host_format csv_row = {
    FORMAT_CALLS_BUT_WRITE(csv),
    .needs = NEEDS_POINTS_OR_SURFACE,
    .summary = "table, one row per point and frame",
    .has_files_by_star = true,
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .takes_stream = true,
    .takes_gzip = true,
    .loads_in_parallel = true,
    .encode = csv_encode,
    .put = csv_put,
};

static const host_format ply_row = {
    NUMBERED_CALLS(ply),
    .needs = NEEDS_POINTS,
    .ending = ".ply",
    .has_files = true,
    .summary = "points of a polygon file, one file per frame",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .encodings =
        ENCODING_BIT(ENCODING_ASCII) | ENCODING_BIT(ENCODING_LITTLE) | ENCODING_BIT(ENCODING_BIG),
};

static const host_format lammps_row = {
    NUMBERED_CALLS(lammps),
    .needs = NEEDS_POINTS,
    .ending = ".lammpstrj",
    .summary = "LAMMPS text dump of atoms",
    .streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY) |
               POINT_BIT(POINT_ANGULAR) | POINT_BIT(POINT_SIZE),
    .starts_piece = lammps_starts,
    .has_files_by_star = true,
    .counts_steps = true,
};

static const host_format xyz_row = {
    NUMBERED_CALLS(xyz),
    .needs = NEEDS_POINTS,
    .ending = ".xyz",
    .summary = "extended XYZ table of atoms",
    .streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY) |
               POINT_BIT(POINT_ANGULAR) | POINT_BIT(POINT_SIZE),
    .starts_piece = xyz_starts,
    .has_files_by_star = true,
};

static const host_format vtk_row = {
    NUMBERED_CALLS(vtk),
    .needs = NEEDS_POINTS,
    .ending = ".vtk",
    .has_files = true,
    .summary = "points of a legacy VTK file, one file per frame",
    .list_ending = ".vtk.series",
    .write_list = series_write,
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .encodings = ENCODING_BIT(ENCODING_ASCII) | ENCODING_BIT(ENCODING_BIG),
};

#define VTK_XML_CALLS(word)                                                                      \
    NUMBERED_CALLS(word), .ending = "." #word, .needs = NEEDS_POINTS, .has_files = true,         \
                          .list_ending = ".pvd", .write_list = pvd_write, .takes_deflate = true, \
                          .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),                        \
                          .encodings = ENCODING_BIT(ENCODING_ASCII) |                            \
                                       ENCODING_BIT(ENCODING_LITTLE) | ENCODING_BIT(ENCODING_BIG)

static const host_format vtu_row = {
    VTK_XML_CALLS(vtu),
    .summary = "VTK's XML file of an unstructured grid, points only",
};

static const host_format vtp_row = {
    VTK_XML_CALLS(vtp),
    .summary = "the same of polygons, points only",
};

/* Lists are written beside the files that they list. */
static const host_format pvd_row = {
    .name = "pvd",
    .ending = ".pvd",
    .summary = "ParaView's list of .vtu and .vtp files",
    .recognises = pvd_recognises,
    .find = pvd_find,
    .read_piece = vtk_xml_read,
    .open = numbered_open,
    .load = numbered_load,
    .close = numbered_close,
    .has_files = true,
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

static const host_format npy_row = {
    FORMAT_CALLS(npy),
    .needs = NEEDS_POINTS,
    .rule = npy_rule,
    .has_files_by_star = true,
    .has_file_per_stream = true,
    .summary = "NumPy arrays, one per stream",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .encodings = ENCODING_BIT(ENCODING_LITTLE) | ENCODING_BIT(ENCODING_BIG),
};

/* Archives are read as the arrays beside each other are. */
static const host_format npz_row = {
    .name = "npz",
    .ending = ".npz",
    .recognises = npz_recognises,
    .open = npy_open,
    .load = npy_load,
    .close = npy_close,
    .create = npz_create,
    .write = npz_write,
    .finish = npz_finish,
    .abandon = npz_abandon,
    .needs = NEEDS_POINTS,
    .rule = numbered_rule,
    .has_files_by_star = true,
    .takes_deflate = true,
    .summary = "archive of NumPy arrays, stored or deflated",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .encodings = ENCODING_BIT(ENCODING_LITTLE) | ENCODING_BIT(ENCODING_BIG),
};

static const host_format prt_row = {
    NUMBERED_CALLS(prt),
    .needs = NEEDS_POINTS,
    .ending = ".prt",
    .has_files = true,
    .summary = "Thinkbox particles, packed, one file per frame",
    .packing = "zlib",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

#define HOUDINI_ENCODINGS ENCODING_BIT(ENCODING_CLASSIC) | ENCODING_BIT(ENCODING_JSON)

static const host_format bgeo_row = {
    NUMBERED_CALLS(bgeo),
    .needs = NEEDS_POINTS,
    .reads_too = hjson_recognises_text,
    .ending = ".bgeo",
    .has_files = true,
    .summary = "points of Houdini, binary, one file per frame",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .encodings = HOUDINI_ENCODINGS,
};

static const host_format bgeo_sc_row = {
    NUMBERED_CALLS_BUT_NAME(bgeo_sc),
    .name = "bgeo.sc",
    .needs = NEEDS_POINTS,
    .ending = ".bgeo.sc",
    .has_files = true,
    .summary = "points of Houdini, packed with Blosc, one file per frame",
    .packing = "blosc",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

static const host_format geo_row = {
    NUMBERED_CALLS(geo),
    .needs = NEEDS_POINTS,
    .reads_too = bgeo_recognises,
    .ending = ".geo",
    .has_files = true,
    .summary = "points of Houdini, text, one file per frame",
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
    .encodings = HOUDINI_ENCODINGS,
};

static const host_format tpc_row = {
    FORMAT_CALLS(tpc),
    .needs = NEEDS_POINTS_OR_SURFACE,
    .summary = "clip: all frames in one file, exact or within an error bound",
    .speaks_bphys_units = true,
    .takes_errors = true,
    .verify = tpc_verify,
    .describe = tpc_describe,
    .count_keys = tpc_count_keys,
    .is_log = true,
};

#define VERTEX_CACHE_CALLS(word)                                                       \
    .name = #word, .ending = "." #word,                                                \
    .streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION),                     \
    .recognises = word##_recognises, .open = word##_open, .load = vertex_cache_load,   \
    .close = vertex_cache_close, .create = word##_create, .write = vertex_cache_write, \
    .finish = vertex_cache_finish, .abandon = vertex_cache_abandon

static const host_format pc2_row = {
    VERTEX_CACHE_CALLS(pc2),
    .needs = NEEDS_POINTS,
    .summary = "vertices of one mesh, evenly sampled, one file",
};

static const host_format mdd_row = {
    VERTEX_CACHE_CALLS(mdd),
    .needs = NEEDS_POINTS,
    .summary = "vertices of one mesh with times in seconds, one file",
    .retime = mdd_retime,
};

static const host_format dcd_row = {
    FORMAT_CALLS(dcd),
    .needs = NEEDS_POINTS,
    .summary = "trajectory of CHARMM, NAMD and OpenMM, positions only",
    .counts_steps = true,
    .streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION),
};

static const host_format xtc_row = {
    .name = "xtc",
    .ending = ".xtc",
    .recognises = xtc_recognises,
    .open = xtc_open,
    .load = xtc_load,
    .close = xtc_close,
    .summary = "trajectory of GROMACS, positions only",
    .counts_steps = true,
    .loads_in_parallel = true,
    .streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION),
};

static const host_format gsd_row = {
    FORMAT_CALLS(gsd),    .needs = NEEDS_POINTS,     .summary = "frames of HOOMD-blue, one file",
    .counts_steps = true, .loads_in_parallel = true, .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

static const host_format abc_row = {
    FORMAT_CALLS(abc),
    .needs = NEEDS_POINTS,
    .summary = "points of an Alembic archive (Ogawa), all frames in one file",
    .retime = abc_retime,
    .fps = ABC_FPS,
    .takes_faces = true,
    .loads_in_parallel = true,
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

static const host_format usda_row = {
    FORMAT_CALLS(usda),
    .needs = NEEDS_POINTS,
    .summary = "points of a text file of Universal Scene Description, all frames in one file",
    .fps = ABC_FPS,
    .takes_gzip = true,
    .takes_faces = true,
    .loads_in_parallel = true,
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

static const host_format usdc_row = {
    FORMAT_CALLS(usdc),
    .needs = NEEDS_POINTS,
    .summary = "points of a binary file of Universal Scene Description, all frames in one file",
    .fps = ABC_FPS,
    .takes_faces = true,
    .loads_in_parallel = true,
    .streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS),
};

const host_format *const host_formats[] = {&bphys_row,
                                           &csv_row,
                                           &ply_row,
                                           &vtk_row,
                                           &vtu_row,
                                           &vtp_row,
                                           &pvd_row,
                                           &npy_row,
                                           &npz_row,
                                           &lammps_row,
                                           &xyz_row,
                                           &prt_row,
                                           &bgeo_row,
                                           &bgeo_sc_row,
                                           &geo_row,
                                           &pc2_row,
                                           &mdd_row,
                                           &dcd_row,
                                           &xtc_row,
                                           &gsd_row,
                                           &abc_row,
                                           &usda_row,
                                           &usdc_row,
                                           &tpc_row,
                                           &bphys_headerless_rows[0],
                                           &bphys_headerless_rows[1],
                                           &bphys_headerless_rows[2]};
const size_t host_format_count = sizeof host_formats / sizeof host_formats[0];

const char *const host_encoding_names[ENCODING_COUNT] = {"default", "ascii",   "little",
                                                         "big",     "classic", "json"};

const host_format *host_format_named(const char *name)
{
    for (size_t i = 0; i < host_format_count; i++)
        if (strcmp(host_formats[i]->name, name) == 0) return host_formats[i];
    return NULL;
}

const host_format *host_format_by_ending(const char *path)
{
    for (size_t i = 0; i < host_format_count; i++) {
        size_t stem = host_format_stem(path, host_formats[i]->ending);
        if (stem && stem != SIZE_MAX) return host_formats[i];
    }
    return NULL;
}

size_t host_format_stem(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    if (names_end_in(path, ending)) return length - tail;
    size_t packed = packing_tail(path);
    for (size_t i = 0; packed && i < host_format_count; i++)
        if (host_formats[i]->takes_gzip && strcmp(host_formats[i]->ending, ending) == 0 &&
            length >= tail + packed && memcmp(path + length - packed - tail, ending, tail) == 0)
            return length - packed - tail;
    return SIZE_MAX;
}

uint32_t host_format_holds(const host_format *format)
{
    uint32_t streams = format->streams ? format->streams : POINT_ALL;
    if (format->needs.takes_surfaces) streams |= POINT_SURFACES;
    if (format->speaks_bphys_units && format->create) streams |= POINT_EXTRA;
    return streams;
}

/* Every call writes the same bytes. */
const char *host_format_list(bool to_write)
{
    static char list[512];
    size_t used = 0;
    for (size_t i = 0; i < host_format_count && used < sizeof list; i++)
        if (host_formats[i]->create || !to_write)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     host_formats[i]->name);
    return list;
}

int host_format_option(const char *command, const char *option, const char *name,
                       const host_format **format)
{
    *format = name ? host_format_named(name) : NULL;
    if (!name || *format) return HOST_DONE;
    return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--%s is \"%s\", expected %s", option,
                      name, host_format_list(strcmp(option, "to") == 0));
}

/* A .blend file holds no cache; a bake lies in a folder beside it. */
static int explain_blend(const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char *folder = host_text("%.*sblendcache_%.*s", (int)(file - path), path,
                             (int)(strlen(file) - strlen(".blend")), file);
    if (!folder) return host_out_of_memory("a path");
    bool exists = stat(folder, &status) == 0;
    int code = host_error(
        HOST_BAD_INPUT, path, HOST_NO_OFFSET, "Blender keeps its caches in the folder %s%s", folder,
        exists ? "; name that folder" : ", which does not exist; bake with \"Disk Cache\" on");
    free(folder);
    return code;
}

static const host_format *format_by_content(const char *path, int *code)
{
    uint8_t start[256];
    size_t size;
    host_source source;
    *code = host_source_open(&source, path);
    if (*code) return NULL;
    bool is_packed = source.packing != NULL;
    *code = host_source_read(&source, 0, start, sizeof start, &size);
    host_source_close(&source);
    if (*code) return NULL;
    for (size_t i = 0; i < host_format_count; i++)
        if ((!is_packed || host_formats[i]->takes_gzip) && host_formats[i]->recognises(start, size))
            return host_formats[i];
    *code = names_end_in(path, ".blend") ? explain_blend(path) : scene_run_first(path);
    if (*code) return NULL;
    *code = host_error(HOST_BAD_INPUT, path, 0,
                       "neither ending nor content is that of a known format (%s)",
                       host_format_list(false));
    return NULL;
}

const host_format *host_format_of(const char *path, int *code)
{
    struct stat status;
    *code = HOST_DONE;
    for (size_t i = 0; i < host_format_count; i++)
        if (strcmp(path, "-") == 0 && host_formats[i]->takes_stream) return host_formats[i];
    const host_format *format = host_format_by_ending(path);
    bool is_file = stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
    if (!format && is_file) return format_by_content(path, code);
    return format ? format : &bphys_row;
}
