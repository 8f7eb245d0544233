/* SPDX-License-Identifier: MIT
   host_tools/common/scene_cloth.c - sheets of a scene: cloth, ropes, meshes of cloth, blocks, their
           pins.
   reads   a scene      writes  nodes, constraints and pins in the world
   memory  the pins of a sheet, by realloc      cost    O(nodes + triangles); per frame O(pins that
           move)
   after   own design */
#include "scene_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t scene_nodes_of(const scene_sheet *sheet)
{
    const tp_cloth_def *def = &sheet->def;
    return sheet->vertices ? def->vertex_count : (uint64_t)def->columns * def->rows * def->layers;
}

static bool is_block(const scene_sheet *sheet) { return !sheet->vertices && sheet->def.layers > 1; }

/* Of the world: a block has none. */
static uint64_t sheet_triangles(const scene_sheet *sheet)
{
    const tp_cloth_def *def = &sheet->def;
    if (sheet->vertices) return def->triangle_count;
    return is_block(sheet) ? 0 : 2 * (uint64_t)(def->columns - 1) * (def->rows - 1);
}

/* ---- reading: 'row 0', 'column 3', 'vertex 17' */

const char *scene_read_pin(scene_reader *reader, void *item, const char *text)
{
    static const char *const words[] = {"vertex ", "row ", "column "};
    scene_sheet *sheet = item;
    scene_pin pin = {SCENE_PIN_VERTEX, 0};
    for (uint32_t k = 0; k < 3; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(text, words[k], length) != 0 || !host_parse_u32(text + length, &pin.number))
            continue;
        pin.kind = (scene_pin_kind)k;
        scene_pin *pins = realloc(sheet->pins, (sheet->pin_count + 1) * sizeof *pins);
        if (!pins) return "not enough memory";
        sheet->pins = pins;
        pins[sheet->pin_count++] = pin;
        return NULL;
    }
    snprintf(reader->problem, sizeof reader->problem,
             "'%s' names no nodes; allowed: row, column or vertex, and a number from 0", text);
    return reader->problem;
}

/* ---- resolving */

static int check_pins(const scene *source, const scene_sheet *sheet)
{
    for (size_t k = 0; k < sheet->pin_count; k++) {
        const scene_pin *pin = &sheet->pins[k];
        bool is_grid = !sheet->vertices;
        uint32_t limit = pin->kind == SCENE_PIN_VERTEX ? (uint32_t)scene_nodes_of(sheet)
                         : !is_grid                    ? 0
                         : pin->kind == SCENE_PIN_ROW  ? sheet->def.rows
                                                       : sheet->def.columns;
        uint32_t line = scene_line_of(&sheet->mark, SCENE_SHEET, "pin");
        if (limit == 0)
            return scene_problem(source, line, "pin", "a mesh has vertices, no rows or columns");
        if (pin->number >= limit)
            return scene_problem(source, line, "pin", "%u is too large; allowed: 0 to %u",
                                 pin->number, limit - 1);
    }
    return HOST_DONE;
}

static int find_leader(const scene *source, scene_sheet *sheet)
{
    uint32_t line = scene_line_of(&sheet->mark, SCENE_SHEET, "moves_with");
    if (!sheet->leader) return HOST_DONE;
    for (size_t i = 0; i < source->collider_count; i++) {
        if (strcmp(source->colliders[i].mark.name, sheet->leader) != 0) continue;
        sheet->collider = i;
        if (source->colliders[i].body_def.mass <= 0) return HOST_DONE;
        return scene_problem(source, line, "moves_with",
                             "'%s' floats; allowed: a collider without a mass", sheet->leader);
    }
    return scene_problem(source, line, "moves_with", "no collider is named '%s'", sheet->leader);
}

/* Of a mesh with z up: as Blender turns one that is exported with y up. */
static void turn_mesh(scene_sheet *sheet)
{
    for (uint32_t k = 0; sheet->vertices && sheet->up && k < sheet->def.vertex_count; k++) {
        tp_vector at = sheet->vertices[k];
        sheet->vertices[k] = (tp_vector){at.x, at.z, -at.y};
    }
}

/* If only sheets have tear or yield, the world takes them from one, and the other sheets have
   none. */
static void share_wear(scene *target)
{
    tp_cloth *cloth = &target->world.cloth;
    const tp_cloth_def *worn = NULL;
    for (size_t i = 0; i < target->sheet_count && cloth->tear <= 0 && cloth->yield <= 0; i++) {
        const tp_cloth_def *def = &target->sheets[i].def;
        if (def->tear > 0 || def->yield > 0) worn = def;
    }
    if (!worn) return;
    cloth->tear = worn->tear > 0 ? worn->tear : 0;
    cloth->yield = worn->yield > 0 ? worn->yield : 0;
    for (size_t i = 0; i < target->sheet_count; i++) {
        tp_cloth_def *def = &target->sheets[i].def;
        if (def->tear < 0) def->tear = 0;
        if (def->yield < 0) def->yield = 0;
    }
}

/* Folds instead of bends. Returns the most that the sheet may have. */
static uint64_t take_folds(scene_sheet *sheet)
{
    if (sheet->fold <= 0) return 0;
    sheet->def.fold = sheet->fold;
    sheet->def.kinds = TP_CLOTH_STRETCH | TP_CLOTH_SHEAR | TP_CLOTH_FOLD;
    if (sheet->vertices) return 3u * (uint64_t)sheet->def.triangle_count / 2u;
    return is_block(sheet) ? 0u : 3u * scene_nodes_of(sheet);
}

/* Six constraints per node of a grid or block, three per triangle of a mesh. */
int scene_resolve_sheets(scene *target)
{
    uint64_t nodes = 0, constraints = 0, triangles = 0, cells = 0, folds = 0;
    tp_cloth *cloth = &target->world.cloth;
    share_wear(target);
    bool has_triangles = cloth->air > 0 || cloth->edge_max > 0 ||
                         (target->world.dimensions == 3 && (cloth->tear > 0 || cloth->yield > 0));
    for (size_t i = 0; i < target->sheet_count; i++) {
        scene_sheet *sheet = &target->sheets[i];
        turn_mesh(sheet);
        sheet->def.vertices = sheet->vertices;
        sheet->def.indices = sheet->indices;
        sheet->first = (uint32_t)nodes;
        nodes += scene_nodes_of(sheet);
        constraints +=
            sheet->vertices ? 3u * (uint64_t)sheet->def.triangle_count : 6u * scene_nodes_of(sheet);
        triangles += sheet_triangles(sheet);
        folds += take_folds(sheet);
        if (sheet->vertices && sheet->def.layers > 1)
            return scene_problem(target, scene_line_of(&sheet->mark, SCENE_SHEET, "layers"),
                                 "layers", "a mesh has one layer");
        if (is_block(sheet) && (sheet->def.columns < 2 || sheet->def.rows < 2))
            return scene_problem(target, scene_line_of(&sheet->mark, SCENE_SHEET, "layers"),
                                 "layers", "a block needs 2 columns and 2 rows at least");
        if (nodes > target->world.particles_max)
            return scene_problem(target, sheet->mark.line, NULL,
                                 "the sheets up to here have %llu nodes, but the world has %u "
                                 "particles: raise 'particles'",
                                 (unsigned long long)nodes, target->world.particles_max);
        if (is_block(sheet))
            cells += (uint64_t)(sheet->def.columns - 1) * (sheet->def.rows - 1) *
                     (sheet->def.layers - 1);
        int code = check_pins(target, sheet);
        if (!code) code = find_leader(target, sheet);
        if (code) return code;
    }
    if (target->sheet_count == 0) return HOST_DONE;
    if (nodes + cloth->splits_max > target->world.particles_max)
        return scene_problem(target, target->sheets[0].mark.line, NULL,
                             "the sheets and 'splits' have %llu nodes, but the world has %u "
                             "particles: raise 'particles'",
                             (unsigned long long)nodes + cloth->splits_max,
                             target->world.particles_max);
    cloth->sheets_max = (uint32_t)target->sheet_count;
    cloth->constraints_max = (uint32_t)constraints + 2u * cloth->splits_max;
    cloth->triangles_max = has_triangles ? (uint32_t)triangles : 0;
    cloth->tetrahedra_max = (uint32_t)(5 * cells);
    cloth->folds_max = (uint32_t)folds;
    return scene_resolve_ties(target);
}

/* ---- the world */

static bool is_pinned_by(const scene_sheet *sheet, const scene_pin *pin, uint32_t node)
{
    if (pin->kind == SCENE_PIN_ROW)
        return node / sheet->def.columns % sheet->def.rows == pin->number;
    if (pin->kind == SCENE_PIN_COLUMN) return node % sheet->def.columns == pin->number;
    return node == pin->number;
}

static bool is_pinned(const scene_sheet *sheet, uint32_t node)
{
    bool result = false;
    for (size_t k = 0; k < sheet->pin_count && !result; k++)
        result = is_pinned_by(sheet, &sheet->pins[k], node);
    return result;
}

int scene_add_sheets(const scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        uint32_t id = 0;
        const char *sentence = tp_cloth_check(world, &sheet->def);
        if (sentence) return scene_refused(source, SCENE_SHEET, &sheet->mark, sentence);
        tp_result result = sheet->vertices   ? tp_cloth_mesh(world, &sheet->def, &id)
                           : is_block(sheet) ? tp_cloth_block(world, &sheet->def, &id)
                                             : tp_cloth_grid(world, &sheet->def, &id);
        for (uint32_t node = 0; node < scene_nodes_of(sheet) && result >= TP_OK; node++)
            if (is_pinned(sheet, node)) result = tp_cloth_pin(world, id + node, true);
        if (result < TP_OK)
            return scene_problem(source, sheet->mark.line, NULL, "%s", tp_result_text(result));
    }
    return HOST_DONE;
}

tp_vector scene_node_place(const scene_sheet *sheet, uint32_t node)
{
    const tp_cloth_def *def = &sheet->def;
    const uint32_t width = def->columns ? def->columns : 1, height = def->rows ? def->rows : 1;
    float column = (float)(node % width), row = (float)(node / width % height),
          layer = (float)(node / width / height);
    tp_vector at = def->origin;
    if (sheet->vertices)
        return (tp_vector){at.x + def->vertices[node].x, at.y + def->vertices[node].y,
                           at.z + def->vertices[node].z};
    return (tp_vector){at.x + column * def->along.x + row * def->across.x + layer * def->deep.x,
                       at.y + column * def->along.y + row * def->across.y + layer * def->deep.y,
                       at.z + column * def->along.z + row * def->across.z + layer * def->deep.z};
}

/* How far down a node can hang from the pinned nodes of its sheet. */
static float lowest_place(const tp_vector *pins, size_t count, tp_vector at)
{
    float lowest = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        float x = at.x - pins[k].x, y = at.y - pins[k].y, z = at.z - pins[k].z;
        lowest = fmaxf(lowest, pins[k].y - sqrtf(x * x + y * y + z * z));
    }
    return count ? lowest : at.y;
}

/* Places of pinned nodes, evenly spaced among them. */
enum { HOLDS_MAX = 32 };

static size_t holds_of(const scene_sheet *sheet, tp_vector holds[HOLDS_MAX])
{
    uint32_t nodes = (uint32_t)scene_nodes_of(sheet), pinned = 0, count = 0;
    for (uint32_t node = 0; node < nodes; node++) pinned += is_pinned(sheet, node);
    const uint32_t step = (pinned + HOLDS_MAX - 1) / HOLDS_MAX;
    for (uint32_t node = 0, k = 0; node < nodes; node++)
        if (is_pinned(sheet, node) && k++ % step == 0)
            holds[count++] = scene_node_place(sheet, node);
    return count;
}

void scene_sheet_bounds(const scene *source, float low[3], float high[3])
{
    tp_vector holds[HOLDS_MAX];
    for (size_t i = 0; i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        size_t count = holds_of(sheet, holds);
        for (uint32_t node = 0; node < scene_nodes_of(sheet); node++) {
            const tp_vector at = scene_node_place(sheet, node);
            const float place[3] = {at.x, at.y, at.z};
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = fminf(low[axis], place[axis]);
                high[axis] = fmaxf(high[axis], place[axis]);
            }
            low[1] = fminf(low[1], lowest_place(holds, count, at));
        }
    }
}

/* Gives a node the velocity that takes it along with the collider until the end of the frame. */
static void move_pin(const scene *source, const scene_sheet *sheet, tp_world *world, uint32_t node,
                     double seconds)
{
    tp_pose start = scene_collider_pose(source, sheet->collider, 0),
            end = scene_collider_pose(source, sheet->collider, seconds);
    tp_vector to = scene_carry(start, end, scene_node_place(sheet, node));
    tp_view view = tp_world_view(world);
    uint32_t i = sheet->first + node;
    float rate = (float)(1 / scene_frame_seconds(source));
    tp_vector now = {view.x[i], view.y[i], view.z ? view.z[i] : 0};
    tp_vector velocity = {rate * (to.x - now.x), rate * (to.y - now.y), rate * (to.z - now.z)};
    tp_result result = tp_particle_set(world, i, now, velocity);
    (void)result; /* a node that has died does not move */
}

void scene_move_sheets(const scene *source, tp_world *world, double seconds)
{
    for (size_t i = 0; i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        if (!sheet->leader) continue;
        for (uint32_t node = 0; node < scene_nodes_of(sheet); node++)
            if (is_pinned(sheet, node)) move_pin(source, sheet, world, node, seconds);
    }
}

uint32_t scene_sheet_nodes(const scene *source)
{
    uint64_t nodes = 0; /* the world has a capacity for all */
    for (size_t i = 0; i < source->sheet_count; i++) nodes += scene_nodes_of(&source->sheets[i]);
    return (uint32_t)nodes;
}

bool scene_sheet_range(const scene *source, const char *name, uint32_t *first, uint32_t *end)
{
    *first = 0;
    *end = scene_sheet_nodes(source);
    for (size_t i = 0; name && i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        if (strcmp(sheet->mark.name, name) != 0) continue;
        *first = sheet->first;
        *end = sheet->first + (uint32_t)scene_nodes_of(sheet);
        return true;
    }
    return !name;
}

bool scene_is_cloth(const scene *source)
{
    bool kills = false;
    for (size_t i = 0; i < source->collider_count; i++) kills |= source->colliders[i].def.kills;
    return source->sheet_count && !source->emitter_count && !source->body_count &&
           !source->sink_count && !kills && source->world.cloth.splits_max == 0;
}

void scene_sheet_targets(const scene *source, uint32_t first, uint32_t count,
                         const float *positions, float *targets)
{
    const scene_sheet *sheet = source->sheets;
    for (uint32_t k = 0; k < count; k++, positions += 3, targets += 3) {
        const uint32_t id = first + k;
        while (id >= sheet->first + scene_nodes_of(sheet)) sheet++;
        const tp_vector rest = scene_node_place(sheet, id - sheet->first);
        const float values[3] = {rest.x, rest.y, rest.z};
        memcpy(targets, is_pinned(sheet, id - sheet->first) ? positions : values, sizeof values);
    }
}

void scene_start_pins(scene *target)
{
    const scene_start *start = &target->start;
    size_t s = 0;
    for (uint32_t k = 0; k < start->count && s < target->sheet_count; k++) {
        const uint32_t id = start->ids[k];
        while (s < target->sheet_count &&
               id >= target->sheets[s].first + scene_nodes_of(&target->sheets[s]))
            s++;
        const scene_sheet *sheet = s < target->sheet_count ? &target->sheets[s] : NULL;
        if (!sheet || sheet->leader || !is_pinned(sheet, id - sheet->first)) continue;
        start->velocities[k] = sheet->def.velocity;
        if (target->world.dimensions == 2) start->velocities[k].z = 0;
    }
}

/* ---- surfaces */

/* Triangles that are counted, and written unless `to` is null. */
typedef struct sheet_surface {
    uint32_t *to;
    size_t count;
} sheet_surface;

static void put_triangle(sheet_surface *surface, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = surface->to ? surface->to + 3 * surface->count : NULL;
    surface->count++;
    if (!to) return;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* Of nodes first + column * along + row * across. */
static void put_grid(sheet_surface *surface, uint32_t first, const uint32_t sizes[2],
                     uint32_t along, uint32_t across)
{
    for (uint32_t row = 0; row + 1 < sizes[1]; row++)
        for (uint32_t column = 0; column + 1 < sizes[0]; column++) {
            uint32_t a = first + column * along + row * across, b = a + across;
            put_triangle(surface, a, a + along, b);
            put_triangle(surface, a + along, b + along, b);
        }
}

/* The six sides of a block. */
static void put_block(sheet_surface *surface, const scene_sheet *sheet)
{
    const uint32_t sizes[3] = {sheet->def.columns, sheet->def.rows, sheet->def.layers},
                   steps[3] = {1, sizes[0], sizes[0] * sizes[1]};
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
        const uint32_t side[2] = {sizes[u], sizes[v]};
        put_grid(surface, sheet->first, side, steps[u], steps[v]);
        put_grid(surface, sheet->first + (sizes[axis] - 1) * steps[axis], side, steps[u], steps[v]);
    }
}

size_t scene_sheet_triangles(const scene *source, uint32_t *triangles)
{
    sheet_surface surface = {triangles, 0};
    for (size_t i = 0; i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        const uint32_t first = sheet->first, sizes[2] = {sheet->def.columns, sheet->def.rows};
        for (uint32_t t = 0; sheet->vertices && t < sheet->def.triangle_count; t++) {
            const uint32_t *corner = sheet->indices + 3 * (size_t)t;
            put_triangle(&surface, first + corner[0], first + corner[1], first + corner[2]);
        }
        if (sheet->vertices) continue;
        if (is_block(sheet))
            put_block(&surface, sheet);
        else
            put_grid(&surface, first, sizes, 1, sizes[0]);
    }
    return surface.count;
}

void scene_free_sheets(scene *target)
{
    for (size_t i = 0; i < target->sheet_count; i++) {
        scene_sheet *sheet = &target->sheets[i];
        free(sheet->mark.name);
        free(sheet->species);
        free(sheet->leader);
        free(sheet->pins);
        scene_free_ties(sheet);
        free(sheet->vertices);
        free(sheet->indices);
    }
    free(target->sheets);
}
