/* SPDX-License-Identifier: MIT
   host_tools/light/setup.c - reads .light files: sections and fields, then the files they name.
   reads   text, .obj and .tpl files      writes  a light_setup
   memory  the files, freed by light_setup_free      cost    one pass over the text
   after   own design, table-driven; SETUP.md describes the format */
#include "setup.h"
#include "../common/host.h"
#include "../common/text.h"
#include "../common/words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETUP_MAX   (1u << 20)
#define PATCHES_MAX (1u << 29) /* bytes of a .tpl file */
#define SETUP_NAME  256u
#define FACES_MAX   (1u << 22) /* of a surface without patches */
#define THRESHOLD   0.005

/* ---- fields */

typedef enum setup_section {
    SETUP_NONE,
    SETUP_LAMP,
    SETUP_SKY,
    SETUP_SURFACE,
    SETUP_PARTICLES,
    SETUP_PICTURE
} setup_section;
static const char *const section_names[] = {"lamp", "sky", "surface", "particles", "picture"};
#define SECTIONS (sizeof section_names / sizeof section_names[0])

typedef enum setup_slot {
    SLOT_POSITION,
    SLOT_RADIUS,
    SLOT_RADIANCE,
    SLOT_THRESHOLD,
    SLOT_WINDOW,
    SLOT_ABOVE,
    SLOT_BELOW,
    SLOT_MESH,
    SLOT_SIZE,
    SLOT_PATCHES,
    SLOT_BOUNCES,
    SLOT_HIDES,
    SLOT_ALBEDO,
    SLOT_OPACITY,
    SLOT_EXPOSURE,
    SLOTS
} setup_slot;

/* Numbers of one kind within limits; count 0: text. */
typedef struct setup_field {
    const char *name;
    setup_section section;
    words_kind kind;
    size_t count;
    double least, most;
} setup_field;
static const setup_field fields[SLOTS] = {
    [SLOT_POSITION] = {"position", SETUP_LAMP, WORDS_LENGTH, 3, -1e9, 1e9},
    [SLOT_RADIUS] = {"radius", SETUP_LAMP, WORDS_LENGTH, 1, 1e-4, 1e6},
    [SLOT_RADIANCE] = {"radiance", SETUP_LAMP, WORDS_PLAIN, 3, 0, 1e9},
    [SLOT_THRESHOLD] = {"threshold", SETUP_LAMP, WORDS_PLAIN, 1, 1e-6, 1e9},
    [SLOT_WINDOW] = {"window", SETUP_LAMP, WORDS_PLAIN, 0, 0, 0},
    [SLOT_ABOVE] = {"above", SETUP_SKY, WORDS_PLAIN, 3, 0, 1e9},
    [SLOT_BELOW] = {"below", SETUP_SKY, WORDS_PLAIN, 3, 0, 1e9},
    [SLOT_MESH] = {"mesh", SETUP_SURFACE, WORDS_PLAIN, 0, 0, 0},
    [SLOT_SIZE] = {"size", SETUP_SURFACE, WORDS_LENGTH, 1, 1e-6, 1e9},
    [SLOT_PATCHES] = {"patches", SETUP_SURFACE, WORDS_PLAIN, 0, 0, 0},
    [SLOT_BOUNCES] = {"bounces", SETUP_SURFACE, WORDS_PLAIN, 1, 1, 64},
    [SLOT_HIDES] = {"hides", SETUP_SURFACE, WORDS_PLAIN, 0, 0, 0},
    [SLOT_ALBEDO] = {"albedo", SETUP_PARTICLES, WORDS_PLAIN, 3, 0, 1},
    [SLOT_OPACITY] = {"opacity", SETUP_PARTICLES, WORDS_PLAIN, 1, .001, 1},
    [SLOT_EXPOSURE] = {"exposure", SETUP_PICTURE, WORDS_PLAIN, 1, 1e-9, 1e9},
};

/* The fields of a section; 0 where none is given. */
typedef struct setup_reader {
    light_setup *setup;
    const char *path;
    text_reader text;
    setup_section section;
    uint64_t heading; /* its line */
    bool is_given[SLOTS], had[SECTIONS + 1];
    double number[SLOTS][3];
    char word[SLOTS][SETUP_NAME];
} setup_reader;

static int wrong(const setup_reader *reader, uint64_t line, const char *text)
{
    return host_error(HOST_BAD_INPUT, reader->path, line, "%s", text);
}

static int wrong_field(const setup_reader *reader, const setup_field *field)
{
    if (!field->count)
        return host_error(HOST_BAD_INPUT, reader->path, reader->text.line,
                          "field '%s': allowed: a text of up to %u letters", field->name,
                          SETUP_NAME - 1);
    return host_error(HOST_BAD_INPUT, reader->path, reader->text.line,
                      "field '%s': allowed: %zu number%s of %g to %g", field->name, field->count,
                      field->count > 1 ? "s" : "", field->least, field->most);
}

static int read_value(setup_reader *reader, setup_slot slot, const char *value)
{
    const setup_field *field = &fields[slot];
    if (reader->is_given[slot]) return wrong(reader, reader->text.line, "the field is given twice");
    reader->is_given[slot] = true;
    if (!field->count) {
        size_t length = strlen(value);
        if (!length || length >= SETUP_NAME) return wrong_field(reader, field);
        memcpy(reader->word[slot], value, length + 1);
        return HOST_DONE;
    }
    double *numbers = reader->number[slot];
    if (words_numbers(value, field->kind, numbers, 3) != field->count)
        return wrong_field(reader, field);
    for (size_t k = 0; k < field->count; k++)
        if (!(numbers[k] >= field->least && numbers[k] <= field->most))
            return wrong_field(reader, field);
    return HOST_DONE;
}

static int read_field(setup_reader *reader, const char *name, const char *value)
{
    const char *names[SLOTS];
    size_t count = 0;
    for (size_t k = 0; k < SLOTS; k++) {
        if (fields[k].section != reader->section) continue;
        if (strcmp(fields[k].name, name) == 0) return read_value(reader, (setup_slot)k, value);
        names[count++] = fields[k].name;
    }
    if (reader->section == SETUP_NONE)
        return wrong(reader, reader->text.line, "expected a section before the first field");
    const char *nearest = words_nearest(name, names, count);
    return host_error(HOST_BAD_INPUT, reader->path, reader->text.line,
                      "unknown field '%s' of section '%s'; see '%s'", text_shown(name),
                      section_names[reader->section - 1], nearest ? nearest : names[0]);
}

/* ---- ends of sections */

static tp_vector color_of(const setup_reader *reader, setup_slot slot)
{
    const double *of = reader->number[slot];
    return (tp_vector){(float)of[0], (float)of[1], (float)of[2]};
}

static bool read_window(const char *word, tp_light_window *window)
{
    static const char *const names[] = {"rational", "tangent", "biased", "endless"};
    static const tp_light_window windows[] = {TP_LIGHT_RATIONAL, TP_LIGHT_TANGENT, TP_LIGHT_BIASED,
                                              TP_LIGHT_ENDLESS};
    for (size_t k = 0; k < 4; k++) {
        if (strcmp(word, names[k]) != 0) continue;
        *window = windows[k];
        return true;
    }
    return false;
}

static int end_lamp(setup_reader *reader)
{
    light_setup *setup = reader->setup;
    if (!reader->is_given[SLOT_POSITION] || !reader->is_given[SLOT_RADIUS] ||
        !reader->is_given[SLOT_RADIANCE])
        return wrong(reader, reader->heading, "a lamp needs position, radius and radiance");
    if (setup->lamp_count == TP_LIGHTS_MAX)
        return wrong(reader, reader->heading, "more than 64 lamps");
    tp_light *lamp = &setup->lamps[setup->lamp_count];
    *lamp = (tp_light){.position = color_of(reader, SLOT_POSITION),
                       .radius = (float)reader->number[SLOT_RADIUS][0],
                       .radiance = color_of(reader, SLOT_RADIANCE)};
    const double threshold =
        reader->is_given[SLOT_THRESHOLD] ? reader->number[SLOT_THRESHOLD][0] : THRESHOLD;
    float brightest = fmaxf(lamp->radiance.x, fmaxf(lamp->radiance.y, lamp->radiance.z));
    lamp->reach = tp_light_reach(lamp->radius, brightest, (float)threshold);
    if (reader->is_given[SLOT_WINDOW] && !read_window(reader->word[SLOT_WINDOW], &lamp->window))
        return wrong(reader, reader->heading,
                     "window: allowed: rational, tangent, biased, endless");
    if (!(brightest > 0) || !(lamp->reach > 0))
        return wrong(reader, reader->heading, "the radiance of a lamp must exceed its threshold");
    const char *fault = tp_light_check(lamp);
    if (fault) return wrong(reader, reader->heading, fault);
    setup->lamp_count++;
    return HOST_DONE;
}

static int end_sky(setup_reader *reader)
{
    const tp_vector up = {0, 1, 0};
    tp_sh_add_sky(&reader->setup->sky, up, color_of(reader, SLOT_ABOVE),
                  color_of(reader, SLOT_BELOW));
    reader->setup->has_sky = true;
    return HOST_DONE;
}

static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (*name == '/' || !slash) return host_text("%s", name);
    return host_text("%.*s%s", (int)(slash - path + 1), path, name);
}

/* The centers of the patches must be those of the file, which are f32. */
static bool are_the_same(const light_setup *setup)
{
    if (setup->patches.count != setup->surface_count) return false;
    for (uint32_t i = 0; i < setup->surface_count; i++) {
        const uint8_t *at = setup->file + 64 + (size_t)16 * i;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t bits = (uint32_t)at[4 * k] | (uint32_t)at[4 * k + 1] << 8 |
                            (uint32_t)at[4 * k + 2] << 16 | (uint32_t)at[4 * k + 3] << 24;
            float own = (float)setup->surface[i].position.of[k], other;
            memcpy(&other, &bits, sizeof other);
            if (own != other) return false;
        }
    }
    return true;
}

/* `side`: of the patches, m; 0: each face is one. */
static int missing(const char *path, const char *mesh, double side)
{
    if (side <= 0)
        return host_error(HOST_IO, path, HOST_NO_OFFSET,
                          "does not exist yet: make it by tidepool light %s --out %s", mesh, path);
    return host_error(HOST_IO, path, HOST_NO_OFFSET,
                      "does not exist yet: make it by tidepool light %s --size %g --probes %g "
                      "--out %s",
                      mesh, side, 2 * side, path);
}

static int open_patches(light_setup *setup, const char *path, const char *mesh, double side)
{
    size_t size;
    uint32_t byte = 0;
    if (access(path, F_OK) != 0) return missing(path, mesh, side);
    int code = host_read_limited(path, "a .tpl file", PATCHES_MAX, &setup->file, &size);
    if (code) return code;
    const char *fault = tp_patches_check(setup->file, (uint32_t)size, &byte);
    if (fault) return host_error(HOST_BAD_INPUT, path, byte, "%s", fault);
    tp_result result = tp_patches_open(&setup->patches, setup->file, (uint32_t)size, NULL, 0);
    setup->memory = host_allocate(setup->patches.vectors, sizeof *setup->memory);
    if (!setup->memory) return host_out_of_memory("the patches");
    result = tp_patches_open(&setup->patches, setup->file, (uint32_t)size, setup->memory,
                             setup->patches.vectors);
    if (result != TP_OK || !are_the_same(setup))
        return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                          "expected the patches of the mesh; make them with tidepool light, and "
                          "the same size");
    return HOST_DONE;
}

static int end_surface(setup_reader *reader)
{
    light_setup *setup = reader->setup;
    if (!reader->is_given[SLOT_MESH])
        return wrong(reader, reader->heading, "a surface needs a mesh");
    const char *hides = reader->is_given[SLOT_HIDES] ? reader->word[SLOT_HIDES] : "both";
    setup->passes_backs = strcmp(hides, "front") == 0;
    if (!setup->passes_backs && strcmp(hides, "both") != 0)
        return wrong(reader, reader->heading, "hides: allowed: both, front");
    char *mesh = beside(reader->path, reader->word[SLOT_MESH]);
    char *patches = beside(reader->path, reader->word[SLOT_PATCHES]);
    int code = mesh && patches ? HOST_DONE : host_out_of_memory("a path");
    if (!code)
        code = light_read_mesh(mesh, reader->number[SLOT_SIZE][0],
                               reader->is_given[SLOT_PATCHES] ? TP_PATCHES_MAX : FACES_MAX,
                               &setup->surface, &setup->surface_count);
    if (!code && reader->is_given[SLOT_PATCHES])
        code = open_patches(setup, patches, mesh, reader->number[SLOT_SIZE][0]);
    setup->bounces =
        reader->is_given[SLOT_BOUNCES] ? (uint32_t)reader->number[SLOT_BOUNCES][0] : 1u;
    free(mesh);
    free(patches);
    return code;
}

static int end_section(setup_reader *reader)
{
    light_setup *setup = reader->setup;
    int code = HOST_DONE;
    if (reader->section == SETUP_LAMP) code = end_lamp(reader);
    if (reader->section == SETUP_SKY) code = end_sky(reader);
    if (reader->section == SETUP_SURFACE) code = end_surface(reader);
    if (reader->is_given[SLOT_ALBEDO]) {
        setup->albedo = color_of(reader, SLOT_ALBEDO);
        setup->has_albedo = true;
    }
    if (reader->is_given[SLOT_OPACITY]) setup->opacity = (float)reader->number[SLOT_OPACITY][0];
    if (reader->is_given[SLOT_EXPOSURE]) setup->exposure = (float)reader->number[SLOT_EXPOSURE][0];
    memset(reader->is_given, 0, sizeof reader->is_given);
    memset(reader->number, 0, sizeof reader->number);
    return code;
}

/* ---- lines */

static int begin_section(setup_reader *reader, const char *name)
{
    int code = end_section(reader);
    if (code) return code;
    for (size_t k = 0; k < SECTIONS; k++) {
        if (strcmp(section_names[k], name) != 0) continue;
        reader->section = (setup_section)(k + 1);
        reader->heading = reader->text.line;
        if (reader->had[k + 1] && reader->section != SETUP_LAMP)
            return wrong(reader, reader->heading, "the section is given twice");
        reader->had[k + 1] = true;
        return HOST_DONE;
    }
    return host_error(HOST_BAD_INPUT, reader->path, reader->text.line,
                      "unknown section '%s'; allowed: lamp, sky, surface, particles, picture",
                      text_shown(name));
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    text[length] = 0;
    return text;
}

static int read_line(setup_reader *reader, text_word line)
{
    char text[512];
    if (line.length >= sizeof text)
        return wrong(reader, reader->text.line, "a line has at most 511 bytes");
    memcpy(text, line.text, line.length);
    text[line.length] = 0;
    char *comment = strchr(text, '#'), *equals;
    if (comment) *comment = 0;
    char *begin = trim(text);
    if (!*begin) return HOST_DONE;
    equals = strchr(begin, '=');
    if (!equals) return begin_section(reader, begin);
    *equals = 0;
    return read_field(reader, trim(begin), trim(equals + 1));
}

int light_setup_load(light_setup *setup, const char *path)
{
    setup_reader reader = {.setup = setup, .path = path};
    uint8_t *bytes = NULL;
    size_t size;
    text_word line;
    *setup = (light_setup){.opacity = 1, .exposure = 1};
    int code = host_read_limited(path, "lights", SETUP_MAX, &bytes, &size);
    if (code) return code;
    const uint8_t *zero = memchr(bytes, 0, size);
    if (zero)
        code = host_error(HOST_BAD_INPUT, path, (uint64_t)(zero - bytes),
                          "is not text: it holds a zero byte");
    reader.text = (text_reader){(const char *)bytes, (const char *)bytes + size, 0};
    while (!code && text_take_line(&reader.text, &line)) code = read_line(&reader, line);
    if (!code) code = end_section(&reader);
    if (!code && !setup->lamp_count && !setup->has_sky)
        code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "holds neither a lamp nor a sky");
    free(bytes);
    if (code) light_setup_free(setup);
    return code;
}

void light_setup_free(light_setup *setup)
{
    free(setup->surface);
    free(setup->file);
    free(setup->memory);
    *setup = (light_setup){0};
}
