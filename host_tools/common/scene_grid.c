/* SPDX-License-Identifier: MIT
   host_tools/common/scene_grid.c - signed distance grids of a scene: samples from combined solids,
           or from given numbers.
   reads   the fields of a collider      writes  its samples and their counts
   memory  malloc for the samples, freed by scene_free      cost    O(samples * solids)
   after   signed distances of solids; union and difference by min and max (Hart 1996): never larger
           than the true distance, as sphere tracing needs. Only + - * / and sqrt, so that a scene
           has the same bits everywhere */
#include "scene_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 16777216.0 /* limit of the runtime */
#define MARGIN      2 /* samples around the solids, so that the surface has samples on both sides */

/* ---- one line */

static const struct {
    const char *name;
    size_t sizes; /* number of sizes; 0: one per dimension */
} solids[SCENE_SOLIDS] = {
    [SCENE_SPHERE] = {"sphere", 1}, [SCENE_BOX] = {"box", 0}, [SCENE_TORUS] = {"torus", 2}};

static const char *no_distance(scene_reader *reader, const char *text)
{
    bool is_flat = reader->target->world.dimensions == 2;
    snprintf(reader->problem, sizeof reader->problem,
             is_flat ? "'%.40s' is no distance; allowed: numbers, or [without] sphere RADIUS [X "
                       "Y], box HALF_X "
                       "HALF_Y [X Y], torus RING TUBE [X Y]"
                     : "'%.40s' is no distance; allowed: numbers, or [without] sphere RADIUS [X Y "
                       "Z], box HALF_X "
                       "HALF_Y HALF_Z [X Y Z], torus RING TUBE [X Y Z]",
             text);
    return reader->problem;
}

/* The text after the word and its blanks; NULL: the text does not begin with the word. */
static const char *behind_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] != ' ' && text[length] != '\t'))
        return NULL;
    return text + length + strspn(text + length, " \t");
}

static bool read_solid(const char *text, size_t dimensions, scene_distance *solid)
{
    double values[6];
    const char *cut = behind_word(text, "without"), *numbers = NULL;
    size_t kind = 0;
    for (; kind < SCENE_SOLIDS && !numbers; kind++)
        numbers = behind_word(cut ? cut : text, solids[kind].name);
    if (!numbers) return false;
    memset(solid, 0, sizeof *solid);
    solid->solid = (scene_solid)(kind - 1);
    solid->is_cut = cut != NULL;
    size_t sizes = solids[solid->solid].sizes ? solids[solid->solid].sizes : dimensions;
    size_t count = words_numbers(numbers, WORDS_LENGTH, values, sizes + dimensions);
    if (count != sizes && count != sizes + dimensions) return false;
    for (size_t i = 0; i < sizes; i++)
        if (!(values[i] > 0)) return false;
    memcpy(solid->size, values, sizes * sizeof *values);
    if (count > sizes) memcpy(solid->center, values + sizes, dimensions * sizeof *values);
    return true;
}

/* Each line adds or subtracts a solid; several lines of numbers are appended. */
const char *scene_read_distance(scene_reader *reader, void *item, const char *text)
{
    scene_collider *collider = item;
    scene_distance solid;
    if (collider->def.shape != TP_COLLIDER_GRID) return "is for 'shape = grid'";
    if (strchr("+-.0123456789", *text)) {
        if (collider->distance_count) return "has numbers after solids; allowed: either";
        const char *wrong = scene_read_samples(reader, collider, text, "%s");
        return wrong ? no_distance(reader, text) : NULL;
    }
    if (!read_solid(text, reader->target->world.dimensions, &solid))
        return no_distance(reader, text);
    if (collider->sample_count) return "has solids after numbers; allowed: either";
    if (solid.is_cut && !collider->distance_count) return "has nothing before it to cut from";
    scene_distance *larger =
        realloc(collider->distances, (collider->distance_count + 1) * sizeof *larger);
    if (!larger) return "not enough memory";
    collider->distances = larger;
    larger[collider->distance_count++] = solid;
    return NULL;
}

/* ---- distances */

static double length_of(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

static double box_distance(const scene_distance *solid, const double at[3], size_t dimensions)
{
    double beyond[3] = {0, 0, 0}, nearest = -1e30;
    for (size_t axis = 0; axis < dimensions; axis++) {
        double side = fabs(at[axis]) - solid->size[axis];
        beyond[axis] = side > 0 ? side : 0;
        nearest = side > nearest ? side : nearest;
    }
    return nearest < 0 ? nearest : length_of(beyond[0], beyond[1], beyond[2]);
}

/* The ring of a torus is in the local xz plane; in 2D the torus is a ring in the xy plane. */
static double solid_distance(const scene_distance *solid, const double place[3], size_t dimensions)
{
    const double at[3] = {place[0] - solid->center[0], place[1] - solid->center[1],
                          place[2] - solid->center[2]};
    if (solid->solid == SCENE_SPHERE) return length_of(at[0], at[1], at[2]) - solid->size[0];
    if (solid->solid == SCENE_BOX) return box_distance(solid, at, dimensions);
    double from_ring = length_of(at[0], dimensions == 2 ? at[1] : at[2], 0) - solid->size[0];
    return length_of(from_ring, dimensions == 2 ? 0 : at[1], 0) - solid->size[1];
}

static double distance_at(const scene_collider *collider, const double place[3], size_t dimensions)
{
    double sum = 1e5;
    for (size_t i = 0; i < collider->distance_count; i++) {
        const scene_distance *solid = &collider->distances[i];
        double distance = solid_distance(solid, place, dimensions);
        if (solid->is_cut)
            sum = sum > -distance ? sum : -distance;
        else
            sum = sum < distance ? sum : distance;
    }
    return sum;
}

/* ---- samples */

/* Largest distance of a solid from the centre along an axis. */
static double reach_of(const scene_distance *solid, int axis, bool is_flat)
{
    double size = solid->size[0];
    if (solid->solid == SCENE_BOX) size = solid->size[axis];
    if (solid->solid == SCENE_TORUS) size = solid->size[1] + (is_flat || axis != 1 ? size : 0);
    return fabs(solid->center[axis]) + size;
}

/* Default counts: on each side of the centre as many samples as the solids need. */
static void find_counts(const scene *source, scene_collider *collider, double counts[3])
{
    static const char *const names[3] = {"columns", "rows", "layers"};
    const uint32_t given[3] = {collider->def.columns, collider->def.rows, collider->def.layers};
    for (int axis = 0; axis < 3; axis++) {
        size_t k =
            scene_find_key(&scene_sections[SCENE_COLLIDER], names[axis], strlen(names[axis]));
        double reach = 0;
        counts[axis] = given[axis];
        if (collider->mark.lines[k] || !collider->distance_count) continue;
        if (axis == 2 && source->world.dimensions == 2) continue;
        for (size_t i = 0; i < collider->distance_count; i++)
            if (!collider->distances[i].is_cut)
                reach = fmax(
                    reach, reach_of(&collider->distances[i], axis, source->world.dimensions == 2));
        counts[axis] = 2 * (ceil(reach / (double)collider->def.spacing) + MARGIN) + 1;
    }
}

static int make_samples(scene *target, scene_collider *collider)
{
    const tp_collider_def *def = &collider->def;
    const uint32_t counts[3] = {def->columns, def->rows, def->layers};
    size_t count = (size_t)counts[0] * counts[1] * counts[2], at = 0;
    bool is_empty = true;
    collider->samples = host_allocate(count, sizeof *collider->samples);
    if (!collider->samples) return host_out_of_memory("a distance grid");
    collider->sample_count = count;
    for (uint32_t k = 0; k < counts[2]; k++) {
        for (uint32_t j = 0; j < counts[1]; j++) {
            for (uint32_t i = 0; i < counts[0]; i++) {
                const uint32_t index[3] = {i, j, k};
                double place[3];
                for (int axis = 0; axis < 3; axis++)
                    place[axis] = (index[axis] - (counts[axis] - 1) / 2.0) * (double)def->spacing;
                double distance = distance_at(collider, place, target->world.dimensions);
                collider->samples[at++] = (float)distance;
                is_empty = is_empty && distance > 0;
            }
        }
    }
    if (!is_empty) return HOST_DONE;
    return scene_problem(
        target, scene_line_of(&collider->mark, SCENE_COLLIDER, "distance"), "distance",
        "leaves nothing solid at any sample; take a smaller spacing or larger solids");
}

static int wrong_number(const scene *source, const scene_collider *collider, const char *key,
                        const char *text)
{
    return scene_problem(source, scene_line_of(&collider->mark, SCENE_COLLIDER, key), key, "%s",
                         text);
}

int scene_resolve_grid(scene *target, scene_collider *collider)
{
    double counts[3];
    tp_collider_def *def = &collider->def;
    size_t spacing = scene_find_key(&scene_sections[SCENE_COLLIDER], "spacing", 7);
    if (!collider->distance_count && !collider->sample_count)
        return wrong_number(
            target, collider, "distance",
            "is missing; allowed: numbers, or sphere, box and torus with their sizes");
    if (!collider->mark.lines[spacing])
        return wrong_number(target, collider, "spacing", "is missing; allowed: a length");
    find_counts(target, collider, counts);
    if (target->world.dimensions == 2 && counts[2] != 1)
        return wrong_number(target, collider, "layers", "must be 1 in two dimensions");
    if (counts[0] * counts[1] * counts[2] > SAMPLES_MAX)
        return scene_problem(target, collider->mark.lines[spacing], "spacing",
                             "needs %.0f samples, at most %.0f; take a larger one",
                             counts[0] * counts[1] * counts[2], SAMPLES_MAX);
    def->columns = (uint32_t)counts[0], def->rows = (uint32_t)counts[1],
    def->layers = (uint32_t)counts[2];
    size_t needed = (size_t)def->columns * def->rows * def->layers;
    int code = collider->distance_count ? make_samples(target, collider) : HOST_DONE;
    if (!code && collider->sample_count != needed)
        code = scene_problem(target, scene_line_of(&collider->mark, SCENE_COLLIDER, "distance"),
                             "distance",
                             "has %zu numbers; columns %u times rows %u times layers %u need %zu",
                             collider->sample_count, def->columns, def->rows, def->layers, needed);
    def->samples = collider->samples;
    return code;
}
