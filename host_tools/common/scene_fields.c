/* SPDX-License-Identifier: MIT
   host_tools/common/scene_fields.c - readers of fields that need more than one number or word.
   reads   text of one field      writes  the item of its section
   memory  malloc, freed by scene_free      cost    O(text); a mesh O(file)
   after   own design: every function returns NULL, or an error text with the allowed values */
#include "scene_private.h"
#include "../render/render.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *problem(scene_reader *reader, const char *format, const char *text)
{
    snprintf(reader->problem, sizeof reader->problem, format, text);
    return reader->problem;
}

/* ---- world, solver, species */

const char *scene_read_fps(scene_reader *reader, void *item, const char *text)
{
    scene *target = item;
    uint32_t numerator, denominator;
    if (!words_fraction(text, &numerator, &denominator) || numerator == 0 || numerator > 65535)
        return problem(reader,
                       "'%s' is not a frame rate; allowed: 0.1 to 1000, as 60, 37.5 or 30000/1001",
                       text);
    target->world.frames_per_second_numerator = numerator;
    target->world.frames_per_second_denominator = denominator;
    return NULL;
}

const char *scene_read_arrangement(scene_reader *reader, void *item, const char *text)
{
    scene *target = item;
    bool is_stored = strcmp(text, "stored") == 0;
    if (!is_stored && strcmp(text, "compact") != 0)
        return problem(reader, "'%s' is not an allowed word; allowed: stored, compact", text);
    target->world.sph.stores_neighbours = is_stored;
    return NULL;
}

const char *scene_read_pair_arrangement(scene_reader *reader, void *item, const char *text)
{
    scene *target = item;
    bool is_stored = strcmp(text, "stored") == 0;
    if (!is_stored && strcmp(text, "compact") != 0)
        return problem(reader, "'%s' is not an allowed word; allowed: stored, compact", text);
    target->world.pair.stores_neighbours = is_stored;
    return NULL;
}

static const char *read_axes(scene_reader *reader, const char *text, uint32_t *axes)
{
    *axes = 0;
    for (const char *at = text; *at; at++) {
        if (*at == ' ' || *at == '\t') continue;
        if (*at < 'x' || *at > 'z')
            return problem(reader, "'%s' names no axes; allowed: some of x y z", text);
        *axes |= 1u << (*at - 'x');
    }
    return NULL;
}

const char *scene_read_periodic(scene_reader *reader, void *item, const char *text)
{
    return read_axes(reader, text, &((scene *)item)->world.periodic_axes);
}

const char *scene_read_follow(scene_reader *reader, void *item, const char *text)
{
    return read_axes(reader, text, &((scene *)item)->world.vortex.grid_follows);
}

const char *scene_read_rest_density(scene_reader *reader, void *item, const char *text)
{
    scene_species *species = item;
    double value;
    bool is_lattice = strncmp(text, "lattice", 7) == 0 && (text[7] == ' ' || text[7] == '\t');
    size_t count = words_numbers(is_lattice ? text + 7 : text,
                                 is_lattice ? WORDS_LENGTH : WORDS_PLAIN, &value, 1);
    if (count != 1 || value < 0 || value > 1e12 || (is_lattice && value <= 0))
        return problem(reader, "'%s' is not a density; allowed: 0 to 1e12, or 'lattice SPACING'",
                       text);
    if (is_lattice)
        species->lattice = value;
    else
        species->def.rest_density = (float)value;
    return NULL;
}

static const char *read_colour(scene_reader *reader, const char *text, uint32_t *colour)
{
    char *end = NULL;
    unsigned long value =
        strlen(text) == 7 && text[0] == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6
            ? strtoul(text + 1, &end, 16)
            : 0;
    if (!end) return problem(reader, "'%s' is not a colour; allowed: #rrggbb", text);
    *colour = ((uint32_t)value << 8) | 0xffu;
    return NULL;
}
const char *scene_read_colour(scene_reader *reader, void *item, const char *text)
{
    return read_colour(reader, text, &((scene_species *)item)->colour);
}
const char *scene_read_background(scene_reader *reader, void *item, const char *text)
{
    return read_colour(reader, text, &((scene *)item)->background);
}

/* ---- poses */

/* 2D: one angle about z. 3D: three angles, about x, then y, then z. */
static const char *read_turn(scene_reader *reader, const char *text, tp_quaternion *rotation)
{
    double values[3] = {0, 0, 0};
    size_t count = words_numbers(text, WORDS_ANGLE, values, 3);
    bool is_flat = reader->target->world.dimensions == 2;
    if (count != (is_flat ? 1u : 3u))
        return problem(reader,
                       is_flat
                           ? "'%s' is not an angle; allowed: one number in deg"
                           : "'%s' is not a turn; allowed: three numbers in deg, about x, y and z",
                       text);
    double degrees[3] = {is_flat ? 0 : values[0], is_flat ? 0 : values[1],
                         is_flat ? values[0] : values[2]};
    *rotation = scene_turn(degrees);
    return NULL;
}

/* Reads a direction of any length except zero, and normalises it. */
static const char *read_direction(scene_reader *reader, const char *text, double direction[3])
{
    size_t wanted = reader->target->world.dimensions;
    direction[2] = 0;
    size_t count = words_numbers(text, WORDS_PLAIN, direction, 3);
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                         direction[2] * direction[2]);
    if (count != wanted || !(length > 1e-9))
        return problem(reader,
                       wanted == 2 ? "'%s' is not a direction; allowed: two numbers, not both 0"
                                   : "'%s' is not a direction; allowed: three numbers, not all 0",
                       text);
    for (int axis = 0; axis < 3; axis++) direction[axis] /= length;
    return NULL;
}

static tp_vector to_vector(const double values[3])
{
    return (tp_vector){(float)values[0], (float)values[1], (float)values[2]};
}

/* One number for all sides, or one per dimension. */
static const char *read_sides(scene_reader *reader, const char *text, tp_vector *sides)
{
    double values[3] = {0, 0, 0};
    size_t wanted = reader->target->world.dimensions,
           count = words_numbers(text, WORDS_LENGTH, values, 3);
    if (count != 1 && count != wanted)
        return problem(reader,
                       wanted == 2
                           ? "'%s' is not a size; allowed: one number or two, in m, cm, mm"
                           : "'%s' is not a size; allowed: one number or three, in m, cm, mm",
                       text);
    if (count == 1) values[1] = values[2] = values[0];
    *sides = to_vector(values);
    return NULL;
}

/* ---- emitters */

const char *scene_read_rate(scene_reader *reader, void *item, const char *text)
{
    scene_emitter *emitter = item;
    if (!words_fraction(text, &emitter->def.rate_numerator, &emitter->def.rate_denominator))
        return problem(reader,
                       "'%s' is not a rate; allowed: 0 or more per second, as 37.5 or 75/2, with a "
                       "denominator up to 65535",
                       text);
    return NULL;
}

/* "deaths, trails" as a mask of kinds of events. */
const char *scene_read_feed(scene_reader *reader, void *item, const char *text)
{
    static const struct {
        const char *name;
        tp_event_kind kind;
    } words[] = {{"deaths", TP_EVENT_DEATH},
                 {"contacts", TP_EVENT_CONTACT_BEGUN},
                 {"trails", TP_EVENT_TRAIL},
                 {"links", TP_EVENT_LINK_BROKEN},
                 {"springs", TP_EVENT_SPRING_BROKEN}};
    uint32_t *kinds = &((scene_emitter *)item)->def.feed_kinds;
    *kinds = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ", \t"), w = 0;
        while (w < 5 && (strlen(words[w].name) != length || strncmp(words[w].name, at, length)))
            w++;
        if (length && w == 5) break;
        if (length) *kinds |= TP_EVENT_BIT(words[w].kind);
        at += length;
        if (!*at) return NULL;
        at++;
    }
    return problem(
        reader, "'%s' names no events; allowed: some of deaths, contacts, trails, links, springs",
        text);
}

const char *scene_read_burst(scene_reader *reader, void *item, const char *text)
{
    scene_emitter *emitter = item;
    bool fills = strcmp(text, "fill") == 0;
    emitter->def.burst_count = UINT32_MAX; /* placeholder: set when the lattice is known */
    if (!fills && !host_parse_u32(text, &emitter->def.burst_count))
        return problem(
            reader,
            "'%s' is not a number of particles; allowed: a whole number, or 'fill' with a lattice",
            text);
    return NULL;
}

const char *scene_read_emitter_turn(scene_reader *reader, void *item, const char *text)
{
    return read_turn(reader, text, &((scene_emitter *)item)->def.pose.rotation);
}

const char *scene_read_emitter_size(scene_reader *reader, void *item, const char *text)
{
    return read_sides(reader, text, &((scene_emitter *)item)->def.size);
}

const char *scene_read_body_size(scene_reader *reader, void *item, const char *text)
{
    return read_sides(reader, text, &((scene_body *)item)->size);
}

static bool is_ply(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".ply") == 0;
}

/* The path is absolute, or relative to the folder of the scene. */
static const char *read_mesh(scene_reader *reader, const char *text, tp_vector **vertices,
                             uint32_t *vertex_count, uint32_t **indices, uint32_t *triangle_count)
{
    char *path =
        text[0] == '/' ? host_text("%s", text) : host_text("%s/%s", reader->target->folder, text);
    if (!path) return "not enough memory";
    const char *wrong = (is_ply(path) ? scene_read_ply : scene_read_obj)(
        path, vertices, vertex_count, indices, triangle_count);
    free(path);
    if (!wrong) return NULL;
    snprintf(reader->problem, sizeof reader->problem, "'%s' %s", text, wrong);
    return reader->problem;
}

const char *scene_read_emitter_mesh(scene_reader *reader, void *item, const char *text)
{
    scene_emitter *emitter = item;
    return read_mesh(reader, text, &emitter->vertices, &emitter->def.vertex_count,
                     &emitter->indices, &emitter->def.triangle_count);
}

const char *scene_read_sheet_mesh(scene_reader *reader, void *item, const char *text)
{
    scene_sheet *sheet = item;
    return read_mesh(reader, text, &sheet->vertices, &sheet->def.vertex_count, &sheet->indices,
                     &sheet->def.triangle_count);
}

/* ---- sinks, fields */

const char *scene_read_sink_normal(scene_reader *reader, void *item, const char *text)
{
    double direction[3];
    const char *wrong = read_direction(reader, text, direction);
    if (!wrong) ((scene_sink *)item)->def.normal = to_vector(direction);
    return wrong;
}

/* "SPECIES SPECIES VISCOSITY COHESION": shares of two species of a fluid. */
const char *scene_read_mix(scene_reader *reader, void *item, const char *text)
{
    scene *target = item;
    tp_sph *sph = &target->world.sph;
    double shares[2];
    size_t first = strcspn(text, ", \t"), gap = strspn(text + first, ", \t");
    const char *other = text + first + gap;
    size_t second = strcspn(other, ", \t");
    if (!gap || words_numbers(other + second, WORDS_PLAIN, shares, 2) != 2 || shares[0] < 0 ||
        shares[0] > 1 || shares[1] < 0 || shares[1] > 1)
        return problem(reader,
                       "'%s' is no mix; allowed: two species and their shares of viscosity and "
                       "cohesion, each 0 to 1, as oil water 0.5 0.2",
                       text);
    if (sph->mix_count == TP_SPH_MIX_MAX) return "has more than 8 pairs of species";
    scene_mix *mix = &target->mixes[sph->mix_count];
    *mix = (scene_mix){host_text("%.*s", (int)first, text), host_text("%.*s", (int)second, other),
                       reader->line};
    sph->mix[sph->mix_count].viscosity = (float)shares[0];
    sph->mix[sph->mix_count++].cohesion = (float)shares[1];
    return mix->first && mix->second ? NULL : "does not fit into memory";
}

/* Points of a curve: "AGE VALUE AGE VALUE ...". */
const char *scene_read_over_age(scene_reader *reader, void *item, const char *text)
{
    tp_curve *curve = &((scene_field *)item)->def.over_age;
    double values[2 * TP_CURVE_MAX + 1];
    size_t count = words_numbers(text, WORDS_PLAIN, values, 2 * TP_CURVE_MAX);
    if (count == 0 || count % 2 != 0)
        return problem(reader,
                       "'%s' is not a curve; allowed: up to 8 points, each its age of 0 to 1 and "
                       "its value, as 0 1, 1 0.2",
                       text);
    curve->count = (uint32_t)(count / 2);
    for (size_t k = 0; k < count; k += 2) {
        curve->age[k / 2] = (float)values[k];
        curve->value[k / 2] = (float)values[k + 1];
    }
    return NULL;
}

const char *scene_read_field_axis(scene_reader *reader, void *item, const char *text)
{
    double direction[3];
    if (reader->target->world.dimensions == 2)
        return "is not needed in two dimensions; a vortex turns about z";
    const char *wrong = read_direction(reader, text, direction);
    if (!wrong) ((scene_field *)item)->def.vector = to_vector(direction);
    return wrong;
}

/* ---- colliders */

const char *scene_read_collider_turn(scene_reader *reader, void *item, const char *text)
{
    return read_turn(reader, text, &((scene_collider *)item)->def.pose.rotation);
}

const char *scene_read_collider_normal(scene_reader *reader, void *item, const char *text)
{
    double direction[3];
    const char *wrong = read_direction(reader, text, direction);
    if (!wrong) ((scene_collider *)item)->def.pose.rotation = scene_turn_to(direction);
    return wrong;
}

const char *scene_read_collider_half(scene_reader *reader, void *item, const char *text)
{
    return read_sides(reader, text, &((scene_collider *)item)->def.half);
}

const char *scene_read_collider_mesh(scene_reader *reader, void *item, const char *text)
{
    scene_collider *collider = item;
    if (reader->target->world.dimensions == 2)
        return "is for three dimensions; in two a mesh has chain, polygon, row, tiles or svg";
    return read_mesh(reader, text, &collider->vertices, &collider->def.vertex_count,
                     &collider->indices, &collider->def.triangle_count);
}

static const char *read_waves(scene_reader *reader, scene_collider *collider, const char *text)
{
    double values[3] = {0, 1, 0};
    size_t count = words_numbers(text + 5, WORDS_LENGTH, values, 3);
    if (count < 2 || values[1] <= 0)
        return problem(
            reader,
            "'%s' is not a ground; allowed: waves HEIGHT LENGTH [SLOPE], with a length above 0",
            text);
    collider->has_waves = true;
    collider->wave_height = values[0];
    collider->wave_length = values[1];
    collider->slope = values[2];
    return NULL;
}

const char *scene_read_samples(scene_reader *reader, scene_collider *collider, const char *text,
                               const char *wrong)
{
    for (const char *at = text; *at;) {
        double value;
        while (*at == ' ' || *at == '\t' || *at == ',') at++;
        if (!*at) break;
        if (!words_number(&at, WORDS_LENGTH, &value)) return problem(reader, wrong, text);
        float *larger = realloc(collider->samples, (collider->sample_count + 1) * sizeof *larger);
        if (!larger) return "not enough memory";
        collider->samples = larger;
        larger[collider->sample_count++] = (float)value;
    }
    return NULL;
}

/* `waves HEIGHT LENGTH [SLOPE]`, or numbers; several lines of numbers are appended. */
const char *scene_read_heights(scene_reader *reader, void *item, const char *text)
{
    scene_collider *collider = item;
    if (collider->def.shape != TP_COLLIDER_HEIGHTFIELD) return "is for 'shape = heightfield'";
    if (strncmp(text, "waves", 5) == 0) return read_waves(reader, collider, text);
    return scene_read_samples(
        reader, collider, text,
        "'%s' is not a row of heights; allowed: numbers, or waves HEIGHT LENGTH [SLOPE]");
}

/* ---- motions */

const char *scene_read_axis(scene_reader *reader, void *item, const char *text)
{
    if (reader->target->world.dimensions == 2)
        return "is not needed in two dimensions; all turns are about z";
    return read_direction(reader, text, ((scene_motion *)item)->axis);
}

/* `FRAME X Y [DEG]` in 2D, `FRAME X Y Z [RX RY RZ]` in 3D. */
const char *scene_read_pose(scene_reader *reader, void *item, const char *text)
{
    scene_motion *motion = item;
    double values[7] = {0, 0, 0, 0, 0, 0, 0};
    size_t count = words_numbers(text, WORDS_PLAIN, values, 7);
    bool is_flat = reader->target->world.dimensions == 2;
    bool is_good = is_flat ? count == 3 || count == 4 : count == 4 || count == 7;
    if (!is_good || values[0] < 0 || values[0] > 1e9 || values[0] != floor(values[0]))
        return problem(reader,
                       is_flat ? "'%s' is not a key pose; allowed: FRAME X Y [DEG]"
                               : "'%s' is not a key pose; allowed: FRAME X Y Z [RX RY RZ]",
                       text);
    if (motion->pose_count && motion->poses[motion->pose_count - 1].frame >= (uint32_t)values[0])
        return problem(
            reader, "'%s' does not come later than the pose before it; frames must ascend", text);
    scene_pose *larger = realloc(motion->poses, (motion->pose_count + 1) * sizeof *larger);
    if (!larger) return "not enough memory";
    motion->poses = larger;
    scene_pose *pose = &larger[motion->pose_count++];
    *pose = (scene_pose){.frame = (uint32_t)values[0],
                         .position = {values[1], values[2], is_flat ? 0 : values[3]}};
    if (is_flat)
        pose->turn[2] = values[3];
    else
        memcpy(pose->turn, values + 4, sizeof pose->turn);
    return NULL;
}

/* ---- camera */

const char *scene_read_picture_size(scene_reader *reader, void *item, const char *text)
{
    scene *target = item;
    if (!words_size(text, &target->width, &target->height))
        return problem(reader,
                       "'%s' is not the size of a picture; allowed: WIDTHxHEIGHT, each 1 to 16384",
                       text);
    return NULL;
}

const char *scene_read_view(scene_reader *reader, void *item, const char *text)
{
    scene *target = item;
    render_camera camera;
    if (!render_camera_parse(text, &camera))
        return problem(
            reader, "'%s' is no view; allowed: fit, or YAW,PITCH,DISTANCE in degrees and m", text);
    free(target->view);
    target->view = host_text("%s", text);
    return target->view ? NULL : "not enough memory";
}
