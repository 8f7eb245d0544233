/* SPDX-License-Identifier: MIT
   host_tools/common/scene_tie.c - ties of a scene: nodes of sheets to other nodes and to colliders.
   reads   a scene      writes  ties in the world
   memory  the ties of a sheet, by realloc      cost    O(ties)
   after   own design: a tie keeps what it finds at the start, so a file gives no points */
#include "scene_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading: 'vertex 3 to plank', 'vertex 3 to rope vertex 5' */

/* A number at the end of `text`, after the last `word`; cuts both off. */
static bool take_number(char *text, const char *word, uint32_t *number)
{
    char *at = strstr(text, word);
    if (!at || !host_parse_u32(at + strlen(word), number)) return false;
    *at = '\0';
    return true;
}

static const char *add_tie(scene_sheet *sheet, scene_tie tie)
{
    scene_tie *ties = realloc(sheet->ties, (sheet->tie_count + 1) * sizeof *ties);
    if (!ties || !tie.name) {
        free(tie.name);
        if (ties) sheet->ties = ties;
        return "not enough memory";
    }
    sheet->ties = ties;
    ties[sheet->tie_count++] = tie;
    return NULL;
}

const char *scene_read_tie(scene_reader *reader, void *item, const char *text)
{
    char copy[160];
    scene_tie tie = {.line = reader->line};
    const char *sentence = "needs 'vertex N to COLLIDER' or 'vertex N to SHEET vertex M'";
    if (strlen(text) >= sizeof copy) return sentence;
    strcpy(copy, text);
    char *to = strstr(copy, " to ");
    if (!to) return sentence;
    *to = '\0';
    to += 4;
    tie.has_other = take_number(to, " vertex ", &tie.other);
    if (!take_number(copy, "vertex ", &tie.node) || !*to || strchr(to, ' ')) return sentence;
    tie.name = malloc(strlen(to) + 1);
    if (tie.name) strcpy(tie.name, to);
    return add_tie(item, tie);
}

/* ---- resolving */

static int find_target(const scene *source, scene_tie *tie)
{
    size_t count = tie->has_other ? source->sheet_count : source->collider_count;
    for (size_t i = 0; i < count; i++) {
        const char *name =
            tie->has_other ? source->sheets[i].mark.name : source->colliders[i].mark.name;
        if (strcmp(name, tie->name) != 0) continue;
        tie->target = i;
        return HOST_DONE;
    }
    return scene_problem(source, tie->line, "tie", "no %s is named '%s'",
                         tie->has_other ? "sheet" : "collider", tie->name);
}

static int check_node(const scene *source, const scene_sheet *sheet, uint32_t line, uint32_t node)
{
    uint64_t nodes = scene_nodes_of(sheet);
    if (node < nodes) return HOST_DONE;
    return scene_problem(source, line, "tie", "%u is too large; allowed: 0 to %llu", node,
                         (unsigned long long)nodes - 1);
}

int scene_resolve_ties(scene *target)
{
    uint64_t count = 0;
    for (size_t i = 0; i < target->sheet_count; i++) {
        scene_sheet *sheet = &target->sheets[i];
        for (size_t k = 0; k < sheet->tie_count; k++, count++) {
            scene_tie *tie = &sheet->ties[k];
            int code = find_target(target, tie);
            if (!code) code = check_node(target, sheet, tie->line, tie->node);
            if (!code && tie->has_other)
                code = check_node(target, &target->sheets[tie->target], tie->line, tie->other);
            if (code) return code;
        }
    }
    if (count > 65536)
        return scene_problem(target, 0, "tie", "there are %llu ties; allowed: 65536 at most",
                             (unsigned long long)count);
    target->world.cloth.ties_max = (uint32_t)count;
    return HOST_DONE;
}

/* ---- the world */

static float apart(tp_vector a, tp_vector b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrtf(x * x + y * y + z * z);
}

static tp_cloth_tie_def tie_def(const scene *source, const scene_sheet *sheet, const scene_tie *tie)
{
    tp_cloth_tie_def def = tp_cloth_tie_default();
    const tp_vector at = scene_node_place(sheet, tie->node);
    def.node = sheet->first + tie->node;
    def.compliance = sheet->tie_compliance;
    def.strength = sheet->tie_strength;
    if (tie->has_other) {
        const scene_sheet *other = &source->sheets[tie->target];
        def.other = other->first + tie->other;
        def.length = apart(at, scene_node_place(other, tie->other));
        return def;
    }
    const tp_pose none = {{0, 0, 0}, {1, 0, 0, 0}};
    def.collider = source->colliders[tie->target].handle;
    def.point = scene_carry(scene_collider_pose(source, tie->target, 0), none, at);
    return def;
}

int scene_add_ties(const scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->sheet_count; i++) {
        const scene_sheet *sheet = &source->sheets[i];
        for (size_t k = 0; k < sheet->tie_count; k++) {
            uint32_t number = 0;
            const tp_cloth_tie_def def = tie_def(source, sheet, &sheet->ties[k]);
            const char *sentence = tp_cloth_tie_check(world, &def);
            if (sentence) return scene_problem(source, sheet->ties[k].line, "tie", "%s", sentence);
            tp_result result = tp_cloth_tie(world, &def, &number);
            if (result < TP_OK)
                return scene_problem(source, sheet->ties[k].line, "tie", "%s",
                                     tp_result_text(result));
        }
    }
    return HOST_DONE;
}

void scene_free_ties(scene_sheet *sheet)
{
    for (size_t k = 0; k < sheet->tie_count; k++) free(sheet->ties[k].name);
    free(sheet->ties);
}
