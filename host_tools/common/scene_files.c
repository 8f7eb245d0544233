/* SPDX-License-Identifier: MIT
   host_tools/common/scene_files.c - loads scenes and meshes: from files, standard input, or the
           scenes inside the program.
   reads   .scene, .obj and .ply files, build/scenes.inc      writes  a scene
   memory  malloc, freed by scene_free      cost    O(bytes)
   after   own design; Wavefront .obj: lines v and f, faces become triangle fans */
#include "../formats/ply.h"
#include "scene_private.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest scene and mesh in bytes, because devices such as /dev/zero never end: as text more than
   five million heights, and three million vertices with their triangles. */
#define SCENE_MAX (1u << 26)
#define MESH_MAX  (1u << 28)

/* The shipped scenes as text, so that they run from any folder. Made by host_tools/scenes/embed. */
#include "scenes.inc"

const char *scene_shipped_name(size_t index)
{
    return index < sizeof scenes_shipped / sizeof scenes_shipped[0] ? scenes_shipped[index].name
                                                                    : NULL;
}

char *scene_shipped_text(const char *name)
{
    size_t index = 0, length = 0, used = 0;
    while (scene_shipped_name(index) && strcmp(scene_shipped_name(index), name) != 0) index++;
    if (!scene_shipped_name(index)) return NULL;
    const char *const *lines = scenes_shipped[index].lines;
    for (size_t i = 0; lines[i]; i++) length += strlen(lines[i]);
    char *text = malloc(length + 1);
    for (size_t i = 0; text && lines[i]; i++) {
        memcpy(text + used, lines[i], strlen(lines[i]));
        used += strlen(lines[i]);
    }
    if (text) text[length] = 0;
    return text;
}

static int no_such_scene(const char *path)
{
    const char *names[64];
    char list[400] = "";
    size_t count = 0;
    for (; count < 64 && scene_shipped_name(count); count++) {
        names[count] = scene_shipped_name(count);
        if (count) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, names[count], sizeof list - strlen(list) - 1);
    }
    const char *nearest = words_nearest(path, names, count);
    if (nearest)
        return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                          "no such scene or file; did you mean '%s'?", nearest);
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "no such scene or file; shipped scenes: %s", list);
}

/* "scenes" for "scenes/a.scene", "." for "a.scene". */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return host_text(".");
    return slash == path ? host_text("/") : host_text("%.*s", (int)(slash - path), path);
}

static int load_shipped(scene *target, const char *name)
{
    char *text = scene_shipped_text(name);
    if (!text) return host_out_of_memory("a scene");
    int code = scene_parse(target, name, ".", text);
    free(text);
    return code;
}

static bool is_shipped(const char *name)
{
    for (size_t i = 0; scene_shipped_name(i); i++)
        if (strcmp(scene_shipped_name(i), name) == 0) return true;
    return false;
}

int scene_run_first(const char *path)
{
    size_t length = strlen(path);
    bool is_scene = length > 6 && strcmp(path + length - 6, ".scene") == 0;
    if (!is_scene && !is_shipped(path)) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "expected frames, found a scene: run it first, as in tidepool run %s --out "
                      "out, then name its output",
                      path);
}

int scene_load(scene *target, const char *path)
{
    uint8_t *bytes;
    size_t size;
    memset(target, 0, sizeof *target);
    if (is_shipped(path)) return load_shipped(target, path);
    if (strcmp(path, "-") != 0 && access(path, F_OK) != 0) return no_such_scene(path);
    int code = host_read_limited(path, "a scene", SCENE_MAX, &bytes, &size);
    if (code) return code;
    char *folder = folder_of(path);
    const uint8_t *zero = memchr(bytes, 0, size);
    if (!folder)
        code = host_out_of_memory("a scene");
    else if (zero)
        code = host_error(HOST_BAD_INPUT, path, (uint64_t)(zero - bytes),
                          "is not text: it holds a zero byte");
    else
        code = scene_parse(target, path, folder, (const char *)bytes);
    free(folder);
    free(bytes);
    if (!code) scene_warn(target);
    return code;
}

/* ---- .obj */

typedef struct mesh {
    tp_vector *vertices;
    uint32_t *indices;
    size_t vertex_count, triangle_count, vertex_capacity, triangle_capacity;
} mesh;

static bool add_vertex(mesh *target, const double values[3])
{
    if (target->vertex_count == target->vertex_capacity) {
        size_t room = target->vertex_capacity ? target->vertex_capacity * 2 : 256;
        tp_vector *larger = realloc(target->vertices, room * sizeof *larger);
        if (!larger) return false;
        target->vertices = larger;
        target->vertex_capacity = room;
    }
    target->vertices[target->vertex_count++] =
        (tp_vector){(float)values[0], (float)values[1], (float)values[2]};
    return true;
}

static bool add_triangle(mesh *target, uint32_t a, uint32_t b, uint32_t c)
{
    if (target->triangle_count == target->triangle_capacity) {
        size_t room = target->triangle_capacity ? target->triangle_capacity * 2 : 256;
        uint32_t *larger = realloc(target->indices, room * 3 * sizeof *larger);
        if (!larger) return false;
        target->indices = larger;
        target->triangle_capacity = room;
    }
    uint32_t *corner = target->indices + 3 * target->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return true;
}

/* One corner of a face: "7", "7/1/3", or "-1" (counted from the end). */
static bool read_corner(const mesh *source, const char **text, uint32_t *corner)
{
    char *end;
    long value = strtol(*text, &end, 10);
    if (end == *text) return false;
    while (*end && *end != ' ' && *end != '\t' && *end != '\r') end++;
    *text = end;
    long place = value < 0 ? (long)source->vertex_count + value : value - 1;
    if (place < 0 || (size_t)place >= source->vertex_count) return false;
    *corner = (uint32_t)place;
    return true;
}

static const char *read_face(mesh *target, const char *text)
{
    uint32_t first = 0, previous = 0, corner = 0, count = 0;
    for (;; count++) {
        while (*text == ' ' || *text == '\t' || *text == '\r') text++;
        if (!*text) break;
        if (!read_corner(target, &text, &corner))
            return "has a face with a corner that is no vertex";
        if (count == 0) first = corner;
        if (count >= 2 && !add_triangle(target, first, previous, corner))
            return "does not fit into memory";
        previous = corner;
    }
    return count < 3 ? "has a face with fewer than three corners" : NULL;
}

static const char *read_vertex(mesh *target, const char *text)
{
    double values[3];
    for (int axis = 0; axis < 3; axis++) {
        while (*text == ' ' || *text == '\t') text++;
        size_t length = text_take_f64(text, &values[axis]);
        if (!length || !isfinite(values[axis])) return "has a vertex without three numbers";
        text += length;
    }
    return add_vertex(target, values) ? NULL : "does not fit into memory";
}

static const char *read_lines(mesh *target, char *text)
{
    const char *wrong = NULL;
    for (char *line = text, *next; line && !wrong; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (strncmp(line, "v ", 2) == 0)
            wrong = read_vertex(target, line + 2);
        else if (strncmp(line, "f ", 2) == 0)
            wrong = read_face(target, line + 2);
    }
    if (!wrong && target->triangle_count == 0) wrong = "holds no triangle";
    return wrong;
}

const char *scene_read_obj(const char *path, tp_vector **vertices, uint32_t *vertex_count,
                           uint32_t **indices, uint32_t *triangle_count)
{
    mesh read = {0};
    uint8_t *bytes;
    size_t size;
    if (access(path, R_OK) != 0)
        return "cannot be read; allowed: the path of an .obj file, relative to the scene";
    if (host_read_limited(path, "an .obj file", MESH_MAX, &bytes, &size)) return "cannot be read";
    const char *wrong = memchr(bytes, 0, size) ? "is not text: it holds a zero byte" : NULL;
    if (!wrong) wrong = read_lines(&read, (char *)bytes);
    free(bytes);
    if (wrong) {
        free(read.vertices);
        free(read.indices);
        return wrong;
    }
    *vertices = read.vertices;
    *indices = read.indices;
    *vertex_count = (uint32_t)read.vertex_count;
    *triangle_count = (uint32_t)read.triangle_count;
    return NULL;
}

/* ---- .ply */

static const char *take_vertices(const host_frame *frame, tp_vector **vertices)
{
    const float *x = frame->data[POINT_LOCATION];
    *vertices = host_allocate(frame->count, sizeof **vertices);
    if (!*vertices) return "does not fit into memory";
    for (size_t i = 0; i < frame->count; i++, x += 3) {
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return "has a vertex that is not finite";
        (*vertices)[i] = (tp_vector){x[0], x[1], x[2]};
    }
    return NULL;
}

const char *scene_read_ply(const char *path, tp_vector **vertices, uint32_t *vertex_count,
                           uint32_t **indices, uint32_t *triangle_count)
{
    uint8_t *bytes;
    size_t size;
    host_frame frame;
    ply_faces faces;
    tp_vector *found = NULL;
    if (access(path, R_OK) != 0)
        return "cannot be read; allowed: the path of a .ply file, relative to the scene";
    if (host_read_limited(path, "a .ply file", MESH_MAX, &bytes, &size)) return "cannot be read";
    host_piece piece = {.path = path, .bytes = bytes, .size = size};
    int code = ply_read_mesh(&piece, &frame, &faces);
    free(bytes);
    if (code) return "is no mesh of triangles; the error before this one says where";
    const char *wrong = take_vertices(&frame, &found);
    *vertex_count = frame.count;
    host_frame_free(&frame);
    if (wrong) {
        free(found);
        free(faces.corners);
        return wrong;
    }
    *vertices = found;
    *indices = faces.corners;
    *triangle_count = (uint32_t)faces.count;
    return NULL;
}
