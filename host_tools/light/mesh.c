/* SPDX-License-Identifier: MIT
   host_tools/light/mesh.c - patches of a Wavefront mesh: faces in pieces of limited size.
   reads   an .obj file and its .mtl files      writes  patches
   memory  both files, vertices, patches        cost    O(bytes + patches)
   after   own design; lines v, f, usemtl and mtllib; Kd is the albedo, Ke the emission */
#include "patches.h"
#include "../common/host.h"
#include "../common/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX      (1u << 26)
#define MATERIAL_NAME 64u
#define FACE_MAX      64u
#define PIECES_MAX    4096.0 /* along a side */

typedef struct mesh_material {
    char name[MATERIAL_NAME];
    float albedo[3], emission[3];
} mesh_material;

typedef struct mesh_reader {
    const char *path;
    double size;
    uint32_t most; /* patches */
    text_reader text;
    light_point *vertices;
    size_t vertex_count, vertex_room;
    mesh_material *materials; /* the first one is that of faces without */
    size_t material_count, material_room;
    size_t material;
    light_patch *patches;
    size_t patch_count, patch_room;
} mesh_reader;

static int wrong_line(const mesh_reader *mesh, const char *path, const char *what)
{
    return host_error(HOST_BAD_INPUT, path, mesh->text.line, "%s", what);
}

/* ---- materials */

static int add_material(mesh_reader *mesh, text_word name)
{
    mesh_material *larger =
        host_lengthen(mesh->materials, mesh->material_count, &mesh->material_room, sizeof *larger);
    if (!larger) return host_out_of_memory("the materials");
    mesh->materials = larger;
    mesh_material *material = &larger[mesh->material_count++];
    *material = (mesh_material){.albedo = {.5f, .5f, .5f}};
    if (name.length >= MATERIAL_NAME) name.length = MATERIAL_NAME - 1;
    memcpy(material->name, name.text, name.length);
    return HOST_DONE;
}

static bool read_color(text_word line, float most, float color[3])
{
    text_word word;
    for (uint32_t k = 0; k < 3; k++) {
        if (!text_take_word(&line, &word) || !text_parse_f32(word, &color[k])) return false;
        if (!(color[k] >= 0 && color[k] <= most)) return false;
    }
    return true;
}

static int read_material_line(mesh_reader *mesh, const char *path, text_word line)
{
    text_word word;
    if (!text_take_word(&line, &word)) return HOST_DONE;
    if (text_is(word, "newmtl")) {
        text_word name = {"", 0};
        (void)text_take_word(&line, &name);
        return add_material(mesh, name);
    }
    mesh_material *material = &mesh->materials[mesh->material_count - 1];
    if (text_is(word, "Kd") && !read_color(line, 1, material->albedo))
        return wrong_line(mesh, path, "Kd needs three numbers of 0 to 1");
    if (text_is(word, "Ke") && !read_color(line, 1e9f, material->emission))
        return wrong_line(mesh, path, "Ke needs three numbers of 0 to 1e9");
    return HOST_DONE;
}

static int read_materials(mesh_reader *mesh, text_word name)
{
    const char *slash = strrchr(mesh->path, '/');
    int folder = slash ? (int)(slash - mesh->path + 1) : 0;
    char *path = host_text("%.*s%.*s", folder, mesh->path, (int)name.length, name.text);
    uint8_t *bytes = NULL;
    size_t size;
    if (!path) return host_out_of_memory("a path");
    int code = host_read_limited(path, "a .mtl file", FILE_MAX, &bytes, &size);
    if (!code) {
        text_reader outer = mesh->text;
        text_word line;
        mesh->text = (text_reader){(const char *)bytes, (const char *)bytes + size, 0};
        while (!code && text_take_line(&mesh->text, &line))
            code = read_material_line(mesh, path, line);
        mesh->text = outer;
        free(bytes);
    }
    free(path);
    return code;
}

static int use_material(mesh_reader *mesh, text_word name)
{
    char text[MATERIAL_NAME] = "";
    memcpy(text, name.text, name.length < MATERIAL_NAME ? name.length : MATERIAL_NAME - 1);
    for (mesh->material = mesh->material_count; mesh->material-- > 0;)
        if (strcmp(mesh->materials[mesh->material].name, text) == 0) return HOST_DONE;
    mesh->material = 0;
    return wrong_line(mesh, mesh->path, "usemtl names a material that no mtllib has");
}

/* ---- faces */

static light_point between(const light_point *a, const light_point *b, double share)
{
    light_point point;
    for (uint32_t k = 0; k < 3; k++) point.of[k] = a->of[k] + (b->of[k] - a->of[k]) * share;
    return point;
}

static double side_length(const light_point *a, const light_point *b)
{
    light_point way = light_minus(a, b);
    return sqrt(light_dot(&way, &way));
}

static uint32_t pieces_of(const mesh_reader *mesh, double side)
{
    double pieces = mesh->size > 0 ? ceil(side / mesh->size - 1e-6) : 1;
    return (uint32_t)fmin(fmax(pieces, 1), PIECES_MAX);
}

/* Pieces without an area are left out. */
static int add_patch(mesh_reader *mesh, light_patch *patch)
{
    const mesh_material *material = &mesh->materials[mesh->material];
    if (!light_patch_measure(patch)) return HOST_DONE;
    if (mesh->patch_count == mesh->most)
        return host_error(HOST_BAD_INPUT, mesh->path, mesh->text.line,
                          "more than %u patches: use a larger size, or fewer faces", mesh->most);
    memcpy(patch->albedo, material->albedo, sizeof patch->albedo);
    memcpy(patch->emission, material->emission, sizeof patch->emission);
    light_patch *larger =
        host_lengthen(mesh->patches, mesh->patch_count, &mesh->patch_room, sizeof *larger);
    if (!larger) return host_out_of_memory("the patches");
    mesh->patches = larger;
    larger[mesh->patch_count++] = *patch;
    return HOST_DONE;
}

/* Rows of pieces, between the side from 0 to 1 and that from 3 to 2. */
static int add_quad(mesh_reader *mesh, const light_point *c)
{
    uint32_t along = pieces_of(mesh, fmax(side_length(&c[0], &c[1]), side_length(&c[3], &c[2])));
    uint32_t across = pieces_of(mesh, fmax(side_length(&c[0], &c[3]), side_length(&c[1], &c[2])));
    int code = HOST_DONE;
    for (uint32_t i = 0; i < along * across && !code; i++) {
        light_patch patch = {.corners = 4};
        for (uint32_t k = 0; k < 4; k++) {
            double u = (double)(i % along + (k == 1 || k == 2)) / along;
            double v = (double)(i / along + (k >= 2)) / across;
            light_point low = between(&c[0], &c[1], u), high = between(&c[3], &c[2], u);
            patch.corner[k] = between(&low, &high, v);
        }
        code = add_patch(mesh, &patch);
    }
    return code;
}

static light_point in_triangle(const light_point *c, uint32_t u, uint32_t v, uint32_t pieces)
{
    light_point point;
    for (uint32_t k = 0; k < 3; k++)
        point.of[k] = c[0].of[k] + (c[1].of[k] - c[0].of[k]) * u / pieces +
                      (c[2].of[k] - c[0].of[k]) * v / pieces;
    return point;
}

/* n^2 triangles: upright ones, and those between them. */
static int add_triangle(mesh_reader *mesh, const light_point *c)
{
    double longest =
        fmax(side_length(&c[0], &c[1]), fmax(side_length(&c[1], &c[2]), side_length(&c[2], &c[0])));
    uint32_t n = pieces_of(mesh, longest);
    int code = HOST_DONE;
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t u = 0; u + v < n && !code; u++) {
            light_patch patch = {.corners = 3};
            patch.corner[0] = in_triangle(c, u, v, n);
            patch.corner[1] = in_triangle(c, u + 1, v, n);
            patch.corner[2] = in_triangle(c, u, v + 1, n);
            code = add_patch(mesh, &patch);
            if (code || u + v + 1 >= n) continue;
            patch.corner[0] = in_triangle(c, u + 1, v + 1, n);
            patch.corner[1] = in_triangle(c, u, v + 1, n);
            patch.corner[2] = in_triangle(c, u + 1, v, n);
            code = add_patch(mesh, &patch);
        }
    return code;
}

/* "7", "7/1/3", or "-1", counted from the end. */
static bool read_corner(const mesh_reader *mesh, text_word word, light_point *corner)
{
    const char *slash = memchr(word.text, '/', word.length);
    char digits[24] = "";
    int64_t place;
    size_t length = slash ? (size_t)(slash - word.text) : word.length;
    if (length >= sizeof digits) return false;
    memcpy(digits, word.text, length);
    if (!text_parse_i64((text_word){digits, length}, &place)) return false;
    int64_t count = (int64_t)mesh->vertex_count;
    if (place < -count || place > count || place == 0) return false;
    *corner = mesh->vertices[place < 0 ? count + place : place - 1];
    return true;
}

static int read_face(mesh_reader *mesh, text_word line)
{
    light_point corners[FACE_MAX];
    uint32_t count = 0;
    text_word word;
    int code = HOST_DONE;
    while (text_take_word(&line, &word)) {
        if (count == FACE_MAX) return wrong_line(mesh, mesh->path, "a face has over 64 corners");
        if (!read_corner(mesh, word, &corners[count++]))
            return wrong_line(mesh, mesh->path, "a face has a corner that is no vertex");
    }
    if (count < 3) return wrong_line(mesh, mesh->path, "a face has fewer than three corners");
    if (count == 4) return add_quad(mesh, corners);
    for (uint32_t k = 2; k < count && !code; k++) {
        light_point triangle[3] = {corners[0], corners[k - 1], corners[k]};
        code = add_triangle(mesh, triangle);
    }
    return code;
}

static int read_vertex(mesh_reader *mesh, text_word line)
{
    light_point *larger =
        host_lengthen(mesh->vertices, mesh->vertex_count, &mesh->vertex_room, sizeof *larger);
    text_word word;
    if (!larger) return host_out_of_memory("the vertices");
    mesh->vertices = larger;
    for (uint32_t k = 0; k < 3; k++) {
        double *to = &larger[mesh->vertex_count].of[k];
        if (!text_take_word(&line, &word) || !text_parse_f64(word, to) || !(fabs(*to) <= 1e9))
            return wrong_line(mesh, mesh->path, "a vertex needs three numbers within 1e9");
    }
    mesh->vertex_count++;
    return HOST_DONE;
}

static int read_line(mesh_reader *mesh, text_word line)
{
    text_word word, name = {"", 0};
    if (!text_take_word(&line, &word)) return HOST_DONE;
    if (text_is(word, "v")) return read_vertex(mesh, line);
    if (text_is(word, "f")) return read_face(mesh, line);
    if (!text_is(word, "mtllib") && !text_is(word, "usemtl")) return HOST_DONE;
    (void)text_take_word(&line, &name);
    return text_is(word, "usemtl") ? use_material(mesh, name) : read_materials(mesh, name);
}

int light_read_mesh(const char *path, double size, uint32_t most, light_patch **patches,
                    uint32_t *count)
{
    mesh_reader mesh = {.path = path, .size = size, .most = most};
    uint8_t *bytes = NULL;
    size_t length;
    text_word line;
    int code = host_read_limited(path, "an .obj file", FILE_MAX, &bytes, &length);
    if (code) return code;
    mesh.text = (text_reader){(const char *)bytes, (const char *)bytes + length, 0};
    code = add_material(&mesh, (text_word){"", 0});
    while (!code && text_take_line(&mesh.text, &line)) code = read_line(&mesh, line);
    if (!code && !mesh.patch_count)
        code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "holds no face with an area");
    free(bytes);
    free(mesh.vertices);
    free(mesh.materials);
    if (code) free(mesh.patches);
    *patches = code ? NULL : mesh.patches;
    *count = (uint32_t)mesh.patch_count;
    return code;
}
