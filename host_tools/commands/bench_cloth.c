/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_cloth.c - times a square sheet that swings from a side, or lies on a
           floor in folds; and the former in plain scalar C.
   reads   -      writes  a result
   memory  the world's block; 44 bytes per node and 16 per constraint for the plain program
   cost    settling + steps
   after   XPBD with one pass over the constraints per step (Macklin et al. 2019): the plain program
           projects positions one constraint after another, in the order of the grid */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOTH_RATE    600 /* steps per second: ten per frame at 60 Hz */
#define CLOTH_GRAVITY 9.81f
#define CLOTH_BEND    0.01f
#define CLOTH_SOFT    1.0f  /* m/N: bend of a sheet that folds */
#define CLOTH_MASS    0.2f  /* kg: of the sheet */
#define CLOTH_SPRING  1e-3f /* m/N: stretch of implicit springs */
#define CLOTH_APART   0.8f  /* thickness, in spacings */
#define CLOTH_SETTLES 3000  /* steps until a sheet in folds is at rest: 5 s */

static uint32_t cloth_side(const bench_plan *plan)
{
    uint32_t side = (uint32_t)(sqrt((double)plan->particles) + 0.5);
    return side < 4 ? 4 : side;
}

/* kg: of a node; at least the least mass of a species */
static float cloth_mass(uint32_t side)
{
    float mass = CLOTH_MASS / (float)(side * side);
    return mass > 1e-6f ? mass : 1e-6f;
}

static tp_world_def cloth_def(const bench_plan *plan)
{
    tp_world_def def = tp_world_default(3);
    uint32_t side = cloth_side(plan);
    def.particles_max = side * side;
    def.emitters_max = def.sinks_max = def.colliders_max = 0;
    def.fields_max = 1;
    def.frames_per_second_numerator = CLOTH_RATE;
    def.seed = plan->seed;
    if (plan->slice) def.slice_units = plan->slice;
    def.solver = TP_SOLVER_CLOTH;
    def.keeps_births = false;
    def.species[0].mass = cloth_mass(side);
    def.cloth.constraints_max = 6 * side * side;
    if (plan->is_thick) def.cloth.thickness = CLOTH_APART / (float)(side - 1);
    if (plan->is_folded) def.colliders_max = 1, def.fields_max = 2;
    if (!plan->is_implicit) return def;
    def.frames_per_second_numerator = 60;
    def.cloth.timestep_max = 0.017f; /* one step per frame */
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    return def;
}

static tp_cloth_def cloth_sheet(uint32_t side)
{
    tp_cloth_def sheet = tp_cloth_default();
    float spacing = 1 / (float)(side - 1);
    sheet.columns = sheet.rows = side;
    sheet.along = (tp_vector){spacing, 0, 0};
    sheet.across = (tp_vector){0, 0, spacing};
    sheet.bend = CLOTH_BEND;
    return sheet;
}

/* Level at first, so that it swings. */
static tp_result hang(tp_world *world, const bench_plan *plan)
{
    uint32_t side = cloth_side(plan), id = 0;
    tp_cloth_def sheet = cloth_sheet(side);
    if (plan->is_implicit) {
        sheet.stretch = sheet.shear = CLOTH_SPRING;
        sheet.tether = 0;
    }
    tp_result result = tp_cloth_grid(world, &sheet, &id);
    for (uint32_t k = 0; k < side && result >= TP_OK; k++)
        result = tp_cloth_pin(world, id + k, true);
    return result;
}

/* Stands a little aslant above a floor, so that it falls and folds; air of 1/s slows it. */
static tp_result fold(tp_world *world, const bench_plan *plan)
{
    tp_cloth_def sheet = cloth_sheet(cloth_side(plan));
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_collider collider;
    tp_field field;
    floor.friction = 0.5f;
    drag.linear = cloth_def(plan).species[0].mass;
    sheet.bend = CLOTH_SOFT;
    sheet.origin = (tp_vector){0, 0.1f, 0};
    sheet.across = (tp_vector){0, sheet.across.z, 0.05f * sheet.across.z};
    tp_result result = tp_collider_add(world, &floor, &collider);
    if (result >= TP_OK) result = tp_field_add(world, &drag, &field);
    return result >= TP_OK ? tp_cloth_grid(world, &sheet, NULL) : result;
}

static tp_result fill_cloth(tp_world *world, const bench_plan *plan)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    gravity.vector = (tp_vector){0, -CLOTH_GRAVITY, 0};
    tp_result result = tp_field_add(world, &gravity, &field);
    if (result < TP_OK) return result;
    return plan->is_folded ? fold(world, plan) : hang(world, plan);
}

/* Of edges between neighbours in rows and columns; coordinates of nodes are `stride` apart. */
static void strains_of(const float *const x[3], size_t stride, uint32_t side, bench_result *result)
{
    result->strain = result->strain_largest = 0;
    for (uint32_t i = 0; i < 2 * side * side; i++) {
        uint32_t node = i / 2, next = i % 2 ? side : 1;
        if ((i % 2 ? node / side : node % side) + 1 == side) continue;
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            double apart = (double)x[axis][(node + next) * stride] - (double)x[axis][node * stride];
            square += apart * apart;
        }
        double strain = fabs(sqrt(square) * (side - 1) - 1);
        result->strain += strain / (2.0 * side * (side - 1));
        if (strain > result->strain_largest) result->strain_largest = strain;
    }
}

void bench_strains(const tp_world *world, bench_result *result)
{
    tp_view view = tp_world_view(world);
    const float *const x[3] = {view.x, view.y, view.z};
    uint32_t side = (uint32_t)(sqrt((double)view.count) + 0.5);
    if (side > 1 && side * side == view.count) strains_of(x, 1, side, result);
}

int bench_cloth(const bench_plan *plan, bench_result *result)
{
    bench_plan own = *plan;
    if (own.is_folded && own.settling < CLOTH_SETTLES) own.settling = CLOTH_SETTLES;
    tp_world_def def = cloth_def(&own);
    return bench_filled(&def, &own, fill_cloth, result);
}

/* ---- the plain program */

typedef struct plain_rule {
    uint32_t a, b;
    float length, compliance;
} plain_rule;

typedef struct plain_node {
    float x[3], before[3], v[3], weight;
} plain_node;

typedef struct plain_sheet {
    plain_node *nodes;
    plain_rule *rules;
    uint32_t side, count;
} plain_sheet;

static float plain_offset(const plain_sheet *sheet, const plain_rule *rule, float offset[3])
{
    const float *a = sheet->nodes[rule->a].x, *b = sheet->nodes[rule->b].x;
    float square = 0;
    for (int axis = 0; axis < 3; axis++) {
        offset[axis] = a[axis] - b[axis];
        square += offset[axis] * offset[axis];
    }
    return sqrtf(square);
}

/* Rules from node (column, row) to (column + right, row + down), where both exist. */
static void plain_add(plain_sheet *sheet, int right, int down, float compliance)
{
    int side = (int)sheet->side;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            float offset[3];
            if (column + right < 0 || column + right >= side || row + down >= side) continue;
            plain_rule *rule = &sheet->rules[sheet->count++];
            rule->a = (uint32_t)(row * side + column);
            rule->b = (uint32_t)((row + down) * side + column + right);
            rule->length = plain_offset(sheet, rule, offset);
            rule->compliance = compliance;
        }
}

static bool plain_open(plain_sheet *sheet, uint32_t side)
{
    *sheet = (plain_sheet){.side = side};
    sheet->nodes = host_allocate((size_t)side * side, sizeof *sheet->nodes);
    sheet->rules = host_allocate((size_t)side * side * 6, sizeof *sheet->rules);
    if (!sheet->nodes || !sheet->rules) return false;
    for (uint32_t i = 0; i < side * side; i++) {
        plain_node *node = &sheet->nodes[i];
        memset(node, 0, sizeof *node);
        node->x[0] = (float)(i % side) / (float)(side - 1);
        node->x[2] = (float)(i / side) / (float)(side - 1);
        node->weight = i < side ? 0 : 1 / cloth_mass(side);
    }
    plain_add(sheet, 2, 0, CLOTH_BEND);
    plain_add(sheet, 0, 2, CLOTH_BEND);
    plain_add(sheet, 1, 1, 0);
    plain_add(sheet, -1, 1, 0);
    plain_add(sheet, 1, 0, 0);
    plain_add(sheet, 0, 1, 0);
    return true;
}

static void plain_close(plain_sheet *sheet)
{
    free(sheet->nodes);
    free(sheet->rules);
}

static void plain_project(plain_sheet *sheet, const plain_rule *rule, float timestep)
{
    plain_node *a = &sheet->nodes[rule->a], *b = &sheet->nodes[rule->b];
    float offset[3], length = plain_offset(sheet, rule, offset),
                     stiff = a->weight + b->weight + rule->compliance / (timestep * timestep);
    if (!(length > 0) || !(stiff > 0)) return;
    float share = (rule->length - length) / (stiff * length);
    for (int axis = 0; axis < 3; axis++) {
        a->x[axis] += a->weight * share * offset[axis];
        b->x[axis] -= b->weight * share * offset[axis];
    }
}

static void plain_step(plain_sheet *sheet, float timestep)
{
    uint32_t nodes = sheet->side * sheet->side;
    for (uint32_t i = 0; i < nodes; i++) {
        plain_node *node = &sheet->nodes[i];
        if (node->weight > 0) node->v[1] -= CLOTH_GRAVITY * timestep;
        for (int axis = 0; axis < 3; axis++) {
            node->before[axis] = node->x[axis];
            node->x[axis] += node->v[axis] * timestep;
        }
    }
    for (uint32_t k = 0; k < sheet->count; k++) plain_project(sheet, &sheet->rules[k], timestep);
    for (uint32_t i = 0; i < nodes; i++)
        for (int axis = 0; axis < 3; axis++) {
            plain_node *node = &sheet->nodes[i];
            node->v[axis] = (node->x[axis] - node->before[axis]) / timestep;
        }
}

int bench_plain_cloth(const bench_plan *plan, bench_result *result)
{
    plain_sheet sheet;
    uint32_t side = cloth_side(plan);
    double *frame_ns = host_allocate(plan->steps, sizeof *frame_ns);
    bool is_ready = plain_open(&sheet, side) && frame_ns;
    memset(result, 0, sizeof *result);
    for (uint32_t step = 0; step < plan->settling && is_ready; step++)
        plain_step(&sheet, 1.0f / CLOTH_RATE);
    for (uint32_t step = 0; step < plan->steps && is_ready; step++) {
        double started = bench_seconds(NULL);
        plain_step(&sheet, 1.0f / CLOTH_RATE);
        frame_ns[step] = (bench_seconds(NULL) - started) * 1e9;
    }
    result->particles = side * side;
    result->steps = plan->steps;
    result->memory_bytes = sizeof(plain_node) * side * side + sizeof(plain_rule) * sheet.count;
    if (is_ready) {
        const float *const x[3] = {sheet.nodes->x, sheet.nodes->x + 1, sheet.nodes->x + 2};
        bench_finish(result, frame_ns, NULL, plan->steps);
        strains_of(x, sizeof *sheet.nodes / sizeof *sheet.nodes->x, side, result);
    }
    plain_close(&sheet);
    free(frame_ns);
    return is_ready ? HOST_DONE : host_out_of_memory("a benchmark");
}
