/* SPDX-License-Identifier: MIT
   host_tools/commands/bake_level.c - `tidepool bake SCENE OUT.h`: the meshes of a scene as arrays
           of C, for the colliders of a game.
   reads   a scene      writes  a header, whole or not at all
   memory  none of its own      cost    O(vertices)
   after   own design: 9 significant digits read back to the same bits */
#include "bake_level.h"
#include "../common/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_NAME_MAX 40u

/* A level that is written. */
typedef struct level_file {
    FILE *stream;
    char name[LEVEL_NAME_MAX + 1u]; /* of the arrays: the name of the file */
} level_file;

bool bake_is_level(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".h") == 0;
}

/* A name of C: other characters become underscores. */
static void name_arrays(level_file *file, const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t length = strlen(base) - 2u, to = 0;
    if (isdigit((unsigned char)base[0])) file->name[to++] = '_';
    for (size_t k = 0; k < length && to < LEVEL_NAME_MAX; k++)
        file->name[to++] = (char)(isalnum((unsigned char)base[k]) ? base[k] : '_');
    file->name[to] = 0;
}

/* An underscore and the name of a collider; with its number, if that makes it unique. */
static void name_collider(char suffix[2u * LEVEL_NAME_MAX], const char *name, size_t number)
{
    bool is_whole = name[0] && strlen(name) <= LEVEL_NAME_MAX;
    snprintf(suffix, LEVEL_NAME_MAX + 2u, "_%s", name);
    for (char *at = suffix + 1; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') *at = '_', is_whole = false;
    if (is_whole) return;
    size_t length = strlen(suffix);
    snprintf(suffix + length, 2u * LEVEL_NAME_MAX - length, "_%zu", number);
}

/* A float of C, which has a point or an exponent. */
static void write_float(FILE *stream, float value)
{
    char text[TEXT_F32_MAX];
    size_t length = text_put_f32(text, value);
    bool is_whole = !memchr(text, '.', length) && !memchr(text, 'e', length);
    fprintf(stream, "%.*s%s", (int)length, text, is_whole ? ".0f" : "f");
}

static void write_vector(FILE *stream, tp_vector a)
{
    fputs("{", stream);
    write_float(stream, a.x);
    fputs(", ", stream);
    write_float(stream, a.y);
    fputs(", ", stream);
    write_float(stream, a.z);
    fputs("}", stream);
}

static void write_arrays(const level_file *file, const char *suffix, const scene_collider *collider,
                         uint32_t corners)
{
    const uint32_t vertices = collider->def.vertex_count, parts = collider->def.triangle_count;
    FILE *to = file->stream;
    fprintf(to, "static const tp_vector %s%s_vertices[%u] = {\n", file->name, suffix, vertices);
    for (uint32_t k = 0; k < vertices; k++) {
        fputs("    ", to);
        write_vector(to, collider->vertices[k]);
        fputs(k + 1u < vertices ? ",\n" : "};\n", to);
    }
    fprintf(to, "static const uint32_t %s%s_%s[%u] = {\n", file->name, suffix,
            corners == 2u ? "edges" : "triangles", corners * parts);
    for (uint32_t k = 0; k < parts; k++) {
        fputs("    ", to);
        for (uint32_t c = 0; c < corners; c++)
            fprintf(to, "%u%s", collider->indices[k * corners + c], c + 1u < corners ? ", " : "");
        fputs(k + 1u < parts ? ",\n" : "};\n", to);
    }
}

/* A line per ten words. */
static void write_rooms(const level_file *file, const char *suffix, const tp_collider_def *def)
{
    FILE *to = file->stream;
    if (!def->room_words) return;
    fprintf(to, "static const int16_t %s%s_rooms[%u] = {", file->name, suffix, def->room_words);
    for (uint32_t k = 0; k < def->room_words; k++)
        fprintf(to, "%s%d%s", k % 10u ? " " : "\n    ", def->rooms[k],
                k + 1u < def->room_words ? "," : "};\n");
}

static void write_number(FILE *to, const char *field, float value)
{
    fprintf(to, "    def.%s = ", field);
    write_float(to, value);
    fputs(";\n", to);
}

/* The definition, with the settings of the scene. */
static void write_definition(const level_file *file, const char *suffix,
                             const scene_collider *collider, uint32_t corners)
{
    const tp_collider_def *def = &collider->def;
    const tp_quaternion q = def->pose.rotation;
    const float turn[4] = {q.w, q.x, q.y, q.z};
    FILE *to = file->stream;
    fprintf(to, "static inline tp_collider_def %s%s_collider(void)\n{\n", file->name, suffix);
    fputs("    tp_collider_def def = tp_collider_default(TP_COLLIDER_MESH);\n"
          "    const tp_vector position = ",
          to);
    write_vector(to, def->pose.position);
    fputs(";\n    const tp_quaternion rotation = {", to);
    for (uint32_t k = 0; k < 4; k++) {
        write_float(to, turn[k]);
        fputs(k < 3u ? ", " : "};\n", to);
    }
    fputs("    def.pose.position = position;\n    def.pose.rotation = rotation;\n", to);
    write_number(to, "restitution", def->restitution);
    write_number(to, "friction", def->friction);
    write_number(to, "rest_speed", def->rest_speed);
    write_number(to, "thickness", def->thickness);
    fprintf(to,
            "    def.is_two_sided = %s;\n    def.kills = %s;\n"
            "    def.species_mask = %uu;\n    def.event_species = %uu;\n"
            "    def.vertices = %s%s_vertices;\n    def.vertex_count = %u;\n"
            "    def.indices = %s%s_%s;\n    def.triangle_count = %u;\n",
            def->is_two_sided ? "true" : "false", def->kills ? "true" : "false", def->species_mask,
            def->event_species, file->name, suffix, def->vertex_count, file->name, suffix,
            corners == 2u ? "edges" : "triangles", def->triangle_count);
    if (def->room_words) {
        write_number(to, "spacing", def->spacing);
        fprintf(to, "    def.rooms = %s%s_rooms;\n    def.room_words = %u;\n", file->name, suffix,
                def->room_words);
    }
    fputs("    return def;\n}\n", to);
}

static void write_all(const level_file *file, const scene *source)
{
    const uint32_t corners = source->world.dimensions == 2 ? 2u : 3u;
    fprintf(file->stream,
            "/* The meshes of the scene %s, by tidepool bake.\n"
            "   The world needs geometry_bytes_max of 12 bytes per vertex and %u per %s; of rooms\n"
            "   tp_collider_bytes tells. */\n"
            "#ifndef TIDEPOOL_LEVEL_%s\n#define TIDEPOOL_LEVEL_%s\n#include \"tidepool.h\"\n",
            text_shown(source->name), corners == 2u ? 44u : 40u,
            corners == 2u ? "edge" : "triangle", file->name, file->name);
    for (size_t k = 0; k < source->collider_count; k++) {
        const scene_collider *collider = &source->colliders[k];
        char suffix[2u * LEVEL_NAME_MAX];
        if (collider->def.shape != TP_COLLIDER_MESH || !collider->vertices) continue;
        name_collider(suffix, collider->mark.name, k);
        fputs("\n", file->stream);
        write_arrays(file, suffix, collider, corners);
        write_rooms(file, suffix, &collider->def);
        write_definition(file, suffix, collider, corners);
    }
    fputs("\n#endif\n", file->stream);
}

int bake_level(const scene *source, const char *path)
{
    level_file file = {0};
    host_output output;
    size_t meshes = 0;
    for (size_t k = 0; k < source->collider_count; k++)
        meshes += source->colliders[k].def.shape == TP_COLLIDER_MESH;
    if (meshes == 0)
        return host_error(HOST_USAGE, "bake", HOST_NO_OFFSET,
                          "a header as OUT expects a scene with colliders of shape = mesh, found "
                          "none");
    int code = host_output_open(&output, path);
    if (code) return code;
    file.stream = output.stream;
    name_arrays(&file, path);
    write_all(&file, source);
    return host_output_close(&output, true);
}
