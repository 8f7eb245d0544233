/* SPDX-License-Identifier: MIT
   host_tools/common/scene.c - parses the text of a scene: headings, fields, and error messages.
   reads   text      writes  a scene
   memory  malloc, freed by scene_free      cost    one pass over the text
   after   own design, table-driven: scene_table.c lists all sections and fields; this file knows no
           field by name */
#include "scene_private.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int scene_problem(const scene *source, uint32_t line, const char *key, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint64_t place = line ? line : HOST_NO_OFFSET;
    if (!key) return host_error(HOST_BAD_INPUT, source->path, place, "%s", text);
    return host_error(HOST_BAD_INPUT, source->path, place, "field '%s': %s", key, text);
}

/* ---- lines */

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r') text++;
    size_t length = strlen(text);
    while (length &&
           (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
        length--;
    text[length] = 0;
    return text;
}

/* '#' begins a comment if it is at the start of a line or between two blanks. So colours such as
   #ff8800 are kept. */
static void cut_comment(char *line)
{
    for (char *at = line; *at; at++) {
        bool starts = at == line || at[-1] == ' ' || at[-1] == '\t';
        bool goes_on = at[1] == ' ' || at[1] == '\t' || at[1] == '#' || at[1] == 0 || at == line;
        if (*at == '#' && starts && goes_on) {
            *at = 0;
            return;
        }
    }
}

/* ---- headings */

static size_t find_section(const char *word)
{
    size_t s = 0;
    for (; s < SCENE_SECTIONS; s++) {
        const char *alias = scene_sections[s].alias;
        if (strcmp(word, scene_sections[s].name) == 0 || (alias && strcmp(word, alias) == 0)) break;
    }
    return s;
}

static int unknown_section(const scene_reader *reader, const char *word)
{
    const char *names[SCENE_SECTIONS];
    for (size_t s = 0; s < SCENE_SECTIONS; s++) names[s] = scene_sections[s].name;
    const char *nearest = words_nearest(word, names, SCENE_SECTIONS);
    if (nearest)
        return scene_problem(reader->target, reader->line, NULL,
                             "unknown section '%s'; did you mean '%s'?", word, nearest);
    char list[256];
    size_t used = 0;
    for (size_t s = 0; s < SCENE_SECTIONS && used < sizeof list; s++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", names[s]);
    return scene_problem(reader->target, reader->line, NULL,
                         "unknown section '%s'; allowed: %sand lines 'field = value' in them", word,
                         list);
}

/* Appends a zeroed item to an array of `count` items; `array` is the address of the array pointer
   (of any type). NULL: not enough memory. */
static void *add_item(void *array, size_t *count, size_t size)
{
    char *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (*count + 1) * size);
    if (!items) return NULL;
    memcpy(array, &items, sizeof items);
    return memset(items + size * (*count)++, 0, size);
}

static scene_species *add_species(scene *target)
{
    if (target->species_count == TP_SPECIES_MAX) return NULL;
    scene_species *species = &target->species[target->species_count++];
    species->def = tp_world_default(2).species[0];
    return species;
}

/* Each appends one item, with its defaults. NULL: not enough memory. */
static scene_emitter *add_emitter(scene *target)
{
    scene_emitter *added = add_item(&target->emitters, &target->emitter_count, sizeof *added);
    if (added) added->def = tp_emitter_default();
    return added;
}

static scene_body *add_body(scene *target)
{
    scene_body *added = add_item(&target->bodies, &target->body_count, sizeof *added);
    if (added) added->reach = target->world.dimensions == 3 ? 1.8 : 1.5; /* includes diagonals */
    return added;
}

static scene_sheet *add_sheet(scene *target)
{
    scene_sheet *added = add_item(&target->sheets, &target->sheet_count, sizeof *added);
    if (added) added->def = tp_cloth_default();
    return added;
}

static scene_ring *add_ring(scene *target)
{
    scene_ring *added = add_item(&target->rings, &target->ring_count, sizeof *added);
    if (!added) return NULL;
    added->normal.y = 1;
    added->radius = added->circulation = 1;
    added->tube = 0.2;
    added->waves = 6;
    added->vortons = 64;
    return added;
}

static scene_sink *add_sink(scene *target)
{
    scene_sink *added = add_item(&target->sinks, &target->sink_count, sizeof *added);
    if (added) added->def = tp_sink_default();
    return added;
}

static scene_field *add_field(scene *target)
{
    scene_field *added = add_item(&target->fields, &target->field_count, sizeof *added);
    if (added) added->def = tp_field_default(TP_FIELD_GRAVITY); /* until `kind` is read */
    return added;
}

static scene_collider *add_collider(scene *target)
{
    scene_collider *added = add_item(&target->colliders, &target->collider_count, sizeof *added);
    if (!added) return NULL;
    added->def = tp_collider_default(TP_COLLIDER_PLANE); /* until `shape` is read */
    added->body_def.rolling = tp_body_default().rolling;
    added->tile_size = added->units_per_metre = 1;
    added->tolerance = 1e-3;
    return added;
}

static scene_motion *add_motion(scene *target)
{
    scene_motion *added = add_item(&target->motions, &target->motion_count, sizeof *added);
    bool is_solid = target->world.dimensions == 3;
    if (!added) return NULL;
    added->period = 1;
    added->plane = is_solid ? SCENE_PLANE_XZ : SCENE_PLANE_XY;
    added->axis[is_solid ? 1 : 2] = 1;
    return added;
}

/* Appends an item for a named section; its scene_mark is its first member. NULL: not enough
   memory. */
static void *add_named(scene *target, scene_section_kind kind)
{
    switch (kind) {
    case SCENE_SPECIES: return add_species(target);
    case SCENE_EMITTER: return add_emitter(target);
    case SCENE_BODY: return add_body(target);
    case SCENE_SHEET: return add_sheet(target);
    case SCENE_RING: return add_ring(target);
    case SCENE_SINK: return add_sink(target);
    case SCENE_FIELD: return add_field(target);
    case SCENE_COLLIDER: return add_collider(target);
    default: return add_motion(target);
    }
}

/* All items of a kind of named section; the scene_mark of each is its first member. */
static const void *named_items(const scene *source, scene_section_kind kind, size_t *count,
                               size_t *size)
{
    switch (kind) {
    case SCENE_SPECIES:
        *count = source->species_count, *size = sizeof *source->species;
        return source->species;
    case SCENE_EMITTER:
        *count = source->emitter_count, *size = sizeof *source->emitters;
        return source->emitters;
    case SCENE_BODY:
        *count = source->body_count, *size = sizeof *source->bodies;
        return source->bodies;
    case SCENE_SHEET:
        *count = source->sheet_count, *size = sizeof *source->sheets;
        return source->sheets;
    case SCENE_RING:
        *count = source->ring_count, *size = sizeof *source->rings;
        return source->rings;
    case SCENE_SINK:
        *count = source->sink_count, *size = sizeof *source->sinks;
        return source->sinks;
    case SCENE_FIELD:
        *count = source->field_count, *size = sizeof *source->fields;
        return source->fields;
    case SCENE_COLLIDER:
        *count = source->collider_count, *size = sizeof *source->colliders;
        return source->colliders;
    default: *count = source->motion_count, *size = sizeof *source->motions; return source->motions;
    }
}

/* The section of this kind and name; NULL: none. */
static const scene_mark *find_named(const scene *source, scene_section_kind kind, const char *name)
{
    size_t count, size;
    const char *items = named_items(source, kind, &count, &size);
    for (size_t i = 0; i < count; i++) {
        const scene_mark *mark = (const void *)(items + i * size);
        if (strcmp(mark->name, name) == 0) return mark;
    }
    return NULL;
}

/* The scene_mark of a section that may appear only once. */
static scene_mark *single_mark(scene *target, scene_section_kind kind)
{
    switch (kind) {
    case SCENE_WORLD: return &target->world_mark;
    case SCENE_SPH: return &target->sph_mark;
    case SCENE_HEAT: return &target->heat_mark;
    case SCENE_PAIR: return &target->pair_mark;
    case SCENE_CLOTH: return &target->cloth_mark;
    case SCENE_VORTEX: return &target->vortex_mark;
    case SCENE_SUBSTEPS: return &target->substeps_mark;
    case SCENE_CACHE: return &target->cache_mark;
    case SCENE_CAMERA: return &target->camera_mark;
    case SCENE_START: return &target->start_mark;
    default: return &target->run_mark;
    }
}

static int open_named(scene_reader *reader, const scene_section *section, const char *name)
{
    scene *target = reader->target;
    if (!*name)
        return scene_problem(target, reader->line, NULL,
                             "section '%s' needs a name after it, as in '%s water'", section->name,
                             section->name);
    const scene_mark *first = find_named(target, reader->kind, name);
    if (first)
        return scene_problem(target, reader->line, NULL,
                             "section '%s %s' appears twice; the first is at line %u",
                             section->name, name, first->line);
    void *item = add_named(target, reader->kind);
    if (!item && reader->kind == SCENE_SPECIES)
        return scene_problem(target, reader->line, NULL,
                             "one species too many; at most %u are allowed", TP_SPECIES_MAX);
    if (!item) return host_out_of_memory("a scene");
    reader->item = item;
    reader->mark = item;
    reader->mark->line = reader->line;
    reader->mark->name = host_text("%s", name);
    return reader->mark->name ? HOST_DONE : host_out_of_memory("a scene");
}

static int open_single(scene_reader *reader, const scene_section *section, const char *name)
{
    scene *target = reader->target;
    if (*name)
        return scene_problem(target, reader->line, NULL,
                             "section '%s' takes no name, but '%s' follows it", section->name,
                             name);
    reader->mark = single_mark(target, reader->kind);
    if (reader->mark->line)
        return scene_problem(target, reader->line, NULL,
                             "section '%s' appears twice; the first is at line %u", section->name,
                             reader->mark->line);
    reader->item = target;
    reader->mark->line = reader->line;
    return HOST_DONE;
}

/* At the end of section world: sets what other sections depend on, the numbers of dimensions and of
   neighbours. */
static int close_world(scene_reader *reader)
{
    const scene_section *section = &scene_sections[SCENE_WORLD];
    scene *target = reader->target;
    if (reader->kind != SCENE_WORLD) return HOST_DONE;
    if (!target->world_mark.lines[scene_find_key(section, "dimensions", 10)])
        return scene_problem(target, target->world_mark.line, "dimensions",
                             "is missing; allowed: 2 or 3");
    target->world.sph.neighbours_max =
        tp_world_default(target->world.dimensions).sph.neighbours_max;
    target->world.pair.neighbours_max =
        tp_world_default(target->world.dimensions).pair.neighbours_max;
    return HOST_DONE;
}

static int read_heading(scene_reader *reader, char *line)
{
    char *name = line + strcspn(line, " \t");
    if (*name) *name++ = 0;
    name = trim(name);
    size_t kind = find_section(line);
    if (kind == SCENE_SECTIONS) return unknown_section(reader, line);
    int code = close_world(reader);
    if (code) return code;
    if (reader->kind == SCENE_SECTIONS && kind != SCENE_WORLD)
        return scene_problem(reader->target, reader->line, NULL,
                             "section '%s' comes before 'world'; 'world' must be the first", line);
    reader->kind = (scene_section_kind)kind;
    const scene_section *section = &scene_sections[kind];
    return section->is_named ? open_named(reader, section, name)
                             : open_single(reader, section, name);
}

/* ---- fields */

static int wrong_range(const scene_reader *reader, const scene_key *key, const char *text)
{
    const char *units = words_units(key->unit);
    return scene_problem(reader->target, reader->line, key->name,
                         "'%s' is out of range; allowed: %.10g to %.10g%s%s", text, key->low,
                         key->high, *units ? ", in " : "", units);
}

static int wrong_number(const scene_reader *reader, const scene_key *key, const char *text,
                        const char *wanted)
{
    const char *units = words_units(key->unit);
    return scene_problem(reader->target, reader->line, key->name,
                         "'%s' is not %s; allowed: numbers%s%s%s", text, wanted,
                         *units ? " with or without a unit (" : "", units, *units ? ")" : "");
}

static bool in_range(const scene_key *key, double value)
{
    return !(key->low < key->high) || (value >= key->low && value <= key->high);
}

static int read_number(const scene_reader *reader, const scene_key *key, const char *text,
                       void *place)
{
    double value;
    if (words_numbers(text, key->unit, &value, 1) != 1)
        return wrong_number(reader, key, text, "one number");
    if (!in_range(key, value)) return wrong_range(reader, key, text);
    if (key->value == SCENE_COUNT) {
        uint32_t count = (uint32_t)value;
        if (value != floor(value))
            return scene_problem(reader->target, reader->line, key->name,
                                 "'%s' is not a whole number; allowed: %.10g to %.10g", text,
                                 key->low, key->high);
        memcpy(place, &count, sizeof count);
    } else if (key->value == SCENE_NUMBER) {
        float number = (float)value;
        memcpy(place, &number, sizeof number);
    } else {
        memcpy(place, &value, sizeof value);
    }
    return HOST_DONE;
}

static int read_vector(const scene_reader *reader, const scene_key *key, const char *text,
                       void *place)
{
    double values[3] = {0, 0, 0};
    size_t count = words_numbers(text, key->unit, values, 3),
           wanted = reader->target->world.dimensions;
    if (count != wanted)
        return wrong_number(reader, key, text, wanted == 2 ? "two numbers" : "three numbers");
    if (key->value == SCENE_REALS) {
        memcpy(place, values, sizeof values);
    } else {
        tp_vector vector = {(float)values[0], (float)values[1], (float)values[2]};
        memcpy(place, &vector, sizeof vector);
    }
    return HOST_DONE;
}

static int read_choice(const scene_reader *reader, const scene_key *key, const char *text,
                       void *place)
{
    char list[200] = "";
    uint32_t count = 0, chosen;
    for (; key->choices[count]; count++) {
        if (count) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, key->choices[count], sizeof list - strlen(list) - 1);
    }
    for (chosen = 0; chosen < count && strcmp(key->choices[chosen], text) != 0; chosen++) {}
    if (chosen < count) {
        memcpy(place, &chosen, sizeof chosen);
        return HOST_DONE;
    }
    const char *nearest = words_nearest(text, key->choices, count);
    return scene_problem(
        reader->target, reader->line, key->name, "'%s' is not an allowed word; allowed: %s%s%s%s",
        text, list, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int read_yes(const scene_reader *reader, const scene_key *key, const char *text, bool *place)
{
    bool yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0)
        return scene_problem(reader->target, reader->line, key->name,
                             "'%s' is not an allowed word; allowed: yes or no", text);
    *place = yes;
    return HOST_DONE;
}

static int read_text(const char *text, void *place)
{
    char *copy = host_text("%s", text), *old;
    if (!copy) return host_out_of_memory("a scene");
    memcpy(&old, place, sizeof old);
    free(old);
    memcpy(place, &copy, sizeof copy);
    return HOST_DONE;
}

/* `kind` of a field and `shape` of a collider set the defaults of the other fields, so they must
   come first. */
static int check_first(scene_reader *reader, const scene_key *key)
{
    bool is_field = reader->kind == SCENE_FIELD, is_collider = reader->kind == SCENE_COLLIDER;
    const char *first = is_field ? "kind" : "shape";
    if (!is_field && !is_collider) return HOST_DONE;
    if (strcmp(key->name, first) == 0) return HOST_DONE;
    if (reader->mark->lines[scene_find_key(&scene_sections[reader->kind], first, strlen(first))])
        return HOST_DONE;
    return scene_problem(reader->target, reader->line, key->name,
                         "comes before '%s'; '%s' must be the first of its section", first, first);
}

static void apply_first(scene_reader *reader, const scene_key *key)
{
    if (reader->kind == SCENE_FIELD && strcmp(key->name, "kind") == 0) {
        scene_field *field = reader->item;
        field->def = tp_field_default(field->def.kind);
    } else if (reader->kind == SCENE_COLLIDER && strcmp(key->name, "shape") == 0) {
        scene_collider *collider = reader->item;
        collider->def = tp_collider_default(collider->def.shape);
    }
}

static int read_value(scene_reader *reader, const scene_key *key, const char *text)
{
    void *place = (char *)reader->item + key->offset;
    int code = HOST_DONE;
    switch (key->value) {
    case SCENE_NUMBER:
    case SCENE_REAL:
    case SCENE_COUNT: code = read_number(reader, key, text, place); break;
    case SCENE_VECTOR:
    case SCENE_REALS: code = read_vector(reader, key, text, place); break;
    case SCENE_YES: code = read_yes(reader, key, text, place); break;
    case SCENE_CHOICE: code = read_choice(reader, key, text, place); break;
    case SCENE_TEXT: code = read_text(text, place); break;
    case SCENE_OWN: {
        const char *problem = key->own(reader, reader->item, text);
        if (problem) code = scene_problem(reader->target, reader->line, key->name, "%s", problem);
        break;
    }
    }
    if (!code) apply_first(reader, key);
    return code;
}

static int unknown_key(const scene_reader *reader, const scene_section *section, const char *word)
{
    const char *names[SCENE_KEYS_MAX];
    char list[400] = "";
    for (size_t k = 0; k < section->key_count; k++) {
        names[k] = section->keys[k].name;
        if (k) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, names[k], sizeof list - strlen(list) - 1);
    }
    const char *nearest = words_nearest(word, names, section->key_count);
    if (nearest)
        return scene_problem(reader->target, reader->line, word,
                             "'%s' has no such field; did you mean '%s'?", section->name, nearest);
    return scene_problem(reader->target, reader->line, word, "'%s' has no such field; allowed: %s",
                         section->name, list);
}

static int read_field(scene_reader *reader, char *line, char *equals)
{
    *equals = 0;
    char *word = trim(line), *text = trim(equals + 1);
    if (reader->kind == SCENE_SECTIONS)
        return scene_problem(reader->target, reader->line, word,
                             "stands before any section; begin with a line 'world'");
    const scene_section *section = &scene_sections[reader->kind];
    size_t k = scene_find_key(section, word, strlen(word));
    if (k == section->key_count) return unknown_key(reader, section, word);
    const scene_key *key = &section->keys[k];
    if (!*text)
        return scene_problem(reader->target, reader->line, word, "has no value; write '%s = VALUE'",
                             key->name);
    if (reader->mark->lines[k] && !key->repeats)
        return scene_problem(reader->target, reader->line, word,
                             "is given twice; the first is at line %u", reader->mark->lines[k]);
    int code = check_first(reader, key);
    if (!code) code = read_value(reader, key, text);
    if (!code && !reader->mark->lines[k]) reader->mark->lines[k] = reader->line;
    return code;
}

/* ---- the whole text */

static void set_defaults(scene *target)
{
    target->world = tp_world_default(2);
    target->world.species_count = 0;
    target->cache_step = target->cache_group = 1;
    target->width = 800;
    target->height = 600;
    target->frames = 240;
    target->pictures = 12;
}

static int read_lines(scene_reader *reader, char *text)
{
    int code = HOST_DONE;
    for (char *line = text, *next; line && !code; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        reader->line++;
        if (!next && *line) /* a truncated `frames = 300` could read as `frames = 30` */
            return scene_problem(
                reader->target, reader->line, NULL,
                "the file ends within this line; is it complete? End the last line with a "
                "new line");
        cut_comment(line);
        line = trim(line);
        char *equals = strchr(line, '=');
        if (equals)
            code = read_field(reader, line, equals);
        else if (*line)
            code = read_heading(reader, line);
    }
    if (!code && reader->kind == SCENE_SECTIONS)
        code = scene_problem(reader->target, 0, NULL,
                             "has no section; a scene begins with a line 'world'");
    return code ? code : close_world(reader);
}

/* "dam_break" for "scenes/dam_break.scene". */
static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *start = slash ? slash + 1 : path;
    size_t length = strlen(start);
    if (strcmp(path, "-") == 0) return host_text("scene");
    if (length > 6 && strcmp(start + length - 6, ".scene") == 0) length -= 6;
    return host_text("%.*s", (int)length, start);
}

int scene_parse(scene *target, const char *path, const char *folder, const char *text)
{
    memset(target, 0, sizeof *target);
    set_defaults(target);
    target->path = host_text("%s", strcmp(path, "-") == 0 ? "standard input" : path);
    target->name = base_name(path);
    target->folder = host_text("%s", folder);
    char *copy = host_text("%s", text);
    int code = HOST_DONE;
    if (!target->path || !target->name || !target->folder || !copy) {
        code = host_out_of_memory("a scene");
    } else {
        scene_reader reader = {.target = target, .kind = SCENE_SECTIONS};
        code = read_lines(&reader, copy);
        if (!code) code = scene_resolve(target);
    }
    free(copy);
    if (code) scene_free(target);
    return code;
}

static void free_colliders(scene *target)
{
    for (size_t i = 0; i < target->collider_count; i++) {
        scene_collider *collider = &target->colliders[i];
        free(collider->mark.name);
        free(collider->species);
        free(collider->event_species);
        free(collider->samples);
        free(collider->distances);
        level_free(&collider->edges);
        free(collider->rows);
        free(collider->tiles);
        free(collider->drawing);
        free(collider->vertices);
        free(collider->indices);
        free(collider->rooms);
    }
    free(target->colliders);
    free(target->float_poses);
}

void scene_free(scene *target)
{
    for (size_t i = 0; i < target->species_count; i++) free(target->species[i].mark.name);
    for (uint32_t k = 0; k < target->world.sph.mix_count; k++) {
        free(target->mixes[k].first);
        free(target->mixes[k].second);
    }
    for (size_t i = 0; i < target->emitter_count; i++) {
        free(target->emitters[i].mark.name);
        free(target->emitters[i].species);
        free(target->emitters[i].feed_species);
        free(target->emitters[i].vertices);
        free(target->emitters[i].indices);
    }
    for (size_t i = 0; i < target->body_count; i++) {
        free(target->bodies[i].mark.name);
        free(target->bodies[i].species);
    }
    free(target->bodies);
    for (size_t i = 0; i < target->ring_count; i++) {
        free(target->rings[i].mark.name);
        free(target->rings[i].species);
        free(target->rings[i].smoke);
    }
    free(target->rings);
    scene_free_sheets(target);
    for (size_t i = 0; i < target->sink_count; i++) {
        free(target->sinks[i].mark.name);
        free(target->sinks[i].species);
    }
    for (size_t i = 0; i < target->field_count; i++) {
        free(target->fields[i].mark.name);
        free(target->fields[i].species);
    }
    for (size_t i = 0; i < target->motion_count; i++) {
        free(target->motions[i].mark.name);
        free(target->motions[i].poses);
    }
    free_colliders(target);
    scene_free_start(target);
    free(target->emitters);
    free(target->sinks);
    free(target->fields);
    free(target->motions);
    free(target->path);
    free(target->name);
    free(target->folder);
    free(target->title);
    free(target->lift_species);
    free(target->fuel_species);
    free(target->vorton_species);
    free(target->view);
    memset(target, 0, sizeof *target);
}
