/* SPDX-License-Identifier: MIT
   host_tools/common/scene_level.c - levels of a scene in 2D: chains, polygons, rows of tiles, SVG
           drawings.
   reads   the fields of a collider, .svg and tile files      writes  its vertices and indices
   memory  malloc, freed by scene_free      cost    O(text)
   after   own design; see level.h */
#include "scene_private.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest drawing and tile file in bytes. */
#define LEVEL_BYTES_MAX (1u << 26)

static const char *problem(scene_reader *reader, const char *format, const char *text)
{
    snprintf(reader->problem, sizeof reader->problem, format, text);
    return reader->problem;
}

static const char *misplaced(const scene_reader *reader, const scene_collider *collider)
{
    if (collider->def.shape != TP_COLLIDER_MESH) return "is for 'shape = mesh'";
    return reader->target->world.dimensions == 2 ? NULL
                                                 : "is for two dimensions; in three a mesh has "
                                                   "'mesh = FILE.obj'";
}

/* Adds the points of a line to the path of the collider. */
static const char *read_points(scene_reader *reader, scene_collider *collider, const char *text)
{
    for (const char *at = text; *at;) {
        double pair[2];
        for (size_t k = 0; k < 2; k++) {
            while (*at == ' ' || *at == '\t' || *at == ',') at++;
            if (!words_number(&at, WORDS_LENGTH, &pair[k]) || !(pair[k] <= 1e6 && pair[k] >= -1e6))
                return problem(reader,
                               "'%.80s' is not a list of points; allowed: X Y X Y ..., each up to "
                               "1e6 m",
                               text);
        }
        if (!level_point(&collider->edges, pair[0], pair[1])) return "does not fit into memory";
        while (*at == ' ' || *at == '\t' || *at == ',') at++;
    }
    return NULL;
}

/* Ends the path that is open, and begins another. */
static const char *begin_path(scene_reader *reader, void *item, const char *text, bool is_loop)
{
    scene_collider *collider = item;
    const char *wrong = misplaced(reader, collider);
    if (wrong) return wrong;
    if (!level_join(&collider->edges, collider->edges.is_loop)) return "does not fit into memory";
    collider->edges.is_loop = is_loop;
    return read_points(reader, collider, text);
}

const char *scene_read_chain(scene_reader *reader, void *item, const char *text)
{
    return begin_path(reader, item, text, false);
}

const char *scene_read_polygon(scene_reader *reader, void *item, const char *text)
{
    return begin_path(reader, item, text, true);
}

/* More points of the chain or polygon before. */
const char *scene_read_points(scene_reader *reader, void *item, const char *text)
{
    scene_collider *collider = item;
    const char *wrong = misplaced(reader, collider);
    if (wrong) return wrong;
    if (collider->edges.point_count == collider->edges.first)
        return "has no chain or polygon before it";
    return read_points(reader, collider, text);
}

/* Appends a row of tiles, the highest first. */
const char *scene_read_row(scene_reader *reader, void *item, const char *text)
{
    scene_collider *collider = item;
    const char *wrong = misplaced(reader, collider);
    if (wrong) return wrong;
    size_t used = collider->rows ? strlen(collider->rows) : 0, length = strlen(text);
    char *larger = realloc(collider->rows, used + length + 2);
    if (!larger) return "not enough memory";
    collider->rows = larger;
    memcpy(larger + used, text, length);
    memcpy(larger + used + length, "\n", 2);
    return NULL;
}

/* ---- after parsing */

static int refused(const scene *target, const scene_collider *collider, const char *key,
                   const char *file, const char *unit, const level_fault *fault)
{
    uint32_t line = scene_line_of(&collider->mark, SCENE_COLLIDER, key);
    if (!file)
        return scene_problem(target, line, key, "%s %zu: %s", unit, fault->place, fault->text);
    return scene_problem(target, line, key, "'%s', %s %zu: %s", file, unit, fault->place,
                         fault->text);
}

/* Reads a file of the scene; zero bytes end it. */
static int read_file(const scene *target, const scene_collider *collider, const char *key,
                     const char *name, uint8_t **bytes, size_t *size)
{
    char *path = name[0] == '/' ? host_text("%s", name) : host_text("%s/%s", target->folder, name);
    if (!path) return host_out_of_memory("a scene");
    int code = HOST_DONE;
    if (access(path, R_OK) != 0)
        code = scene_problem(target, scene_line_of(&collider->mark, SCENE_COLLIDER, key), key,
                             "'%s' cannot be read; allowed: a path relative to the scene", name);
    if (!code) code = host_read_limited(path, "a level", LEVEL_BYTES_MAX, bytes, size);
    free(path);
    return code;
}

static int add_tiles(const scene *target, scene_collider *collider)
{
    level_fault fault = {0};
    uint8_t *bytes = NULL;
    size_t size;
    if (collider->rows &&
        !level_read_tiles(&collider->edges, collider->rows, collider->tile_size, &fault))
        return refused(target, collider, "row", NULL, "row", &fault);
    if (!collider->tiles) return HOST_DONE;
    int code = read_file(target, collider, "tiles", collider->tiles, &bytes, &size);
    if (code) return code;
    if (!level_read_tiles(&collider->edges, (const char *)bytes, collider->tile_size, &fault))
        code = refused(target, collider, "tiles", collider->tiles, "line", &fault);
    free(bytes);
    return code;
}

static int add_drawing(const scene *target, scene_collider *collider)
{
    const level_drawing drawing = {collider->units_per_metre, collider->tolerance};
    level_fault fault = {0};
    uint8_t *bytes = NULL;
    size_t size;
    if (!collider->drawing) return HOST_DONE;
    int code = read_file(target, collider, "svg", collider->drawing, &bytes, &size);
    if (code) return code;
    if (!level_read_svg(&collider->edges, (const char *)bytes, size, &drawing, &fault))
        code = refused(target, collider, "svg", collider->drawing, "byte", &fault);
    free(bytes);
    return code;
}

int scene_resolve_level(scene *target, scene_collider *collider)
{
    level *edges = &collider->edges;
    if (!level_join(edges, edges->is_loop)) return host_out_of_memory("a scene");
    int code = add_tiles(target, collider);
    if (!code) code = add_drawing(target, collider);
    if (code) return code;
    if (edges->edge_count == 0)
        return scene_problem(target, collider->mark.line, "chain",
                             "is missing, or has too few points; allowed: a chain of two, a "
                             "polygon of three, row, tiles or svg");
    if (collider->flips) level_flip(edges);
    collider->vertices = edges->points;
    collider->indices = edges->ends;
    collider->def.vertex_count = (uint32_t)edges->point_count;
    collider->def.triangle_count = (uint32_t)edges->edge_count;
    memset(edges, 0, sizeof *edges);
    return HOST_DONE;
}
