/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_article.c - the yardstick: a plain 2D fluid, structured as a published
           program.
   reads   -      writes  a result
   memory  580 bytes per particle, most of it a list of 64 neighbours      cost    that of the steps
   after   double-density relaxation (Clavet, Beaudoin and Poulin 2005) with the structure of a
           published 2D program: array of structs, linked-cell grid, up to 64 neighbours, each pair
           visited from both sides, one square root per neighbour in each of two passes, one-sided
           forces, the grid built twice per step. Written from these facts to compare in one run, on
           one machine, with one set of flags; neither tuned nor slowed */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEIGHBOURS_MAX 64
#define NO_PARTICLE    (-1)

typedef struct drop {
    float x, y, u, v; /* position and velocity */
    float old_x, old_y;
    float mass, pressure, near_pressure, density, near_density;
    int next; /* next particle in the same cell, or NO_PARTICLE */
    int cell_x, cell_y;
} drop;

typedef struct drop_neighbours {
    int count;
    int index[NEIGHBOURS_MAX];
    float distance[NEIGHBOURS_MAX];
} drop_neighbours;

typedef struct tank {
    drop *drops;
    drop_neighbours *near;
    float *new_x, *new_y;
    int *cells;
    int count, columns, rows;
    float width, height, radius, rest_density, norm, near_norm, timestep;
} tank;

#define STIFFNESS       0.08f
#define NEAR_STIFFNESS  0.1f
#define SURFACE_TENSION 0.0004f
#define LINEAR          0.5f
#define QUADRATIC       1.0f
#define WALL            0.05f

static void build_grid(tank *t)
{
    for (int i = 0; i < t->columns * t->rows; i++) t->cells[i] = NO_PARTICLE;
    for (int i = 0; i < t->count; i++) {
        drop *d = &t->drops[i];
        int x = (int)(d->x / t->radius), y = (int)(d->y / t->radius);
        d->cell_x = x < 1 ? 1 : x > t->columns - 2 ? t->columns - 2 : x;
        d->cell_y = y < 1 ? 1 : y > t->rows - 2 ? t->rows - 2 : y;
        int *cell = &t->cells[d->cell_y * t->columns + d->cell_x];
        d->next = *cell;
        *cell = i;
    }
}

/* First pass: finds neighbours, sums densities. */
static void measure_density(tank *t, int i)
{
    drop *d = &t->drops[i];
    drop_neighbours *near = &t->near[i];
    near->count = 0;
    d->density = d->near_density = 0;
    for (int y = d->cell_y - 1; y <= d->cell_y + 1; y++) {
        for (int x = d->cell_x - 1; x <= d->cell_x + 1; x++) {
            for (int j = t->cells[y * t->columns + x]; j != NO_PARTICLE; j = t->drops[j].next) {
                const drop *other = &t->drops[j];
                float dx = other->x - d->x, dy = other->y - d->y, squared = dx * dx + dy * dy;
                if (j == i || squared < 1e-14f || squared > t->radius * t->radius) continue;
                float distance = sqrtf(squared), a = 1 - distance / t->radius;
                d->density += other->mass * a * a * a * t->norm;
                d->near_density += other->mass * a * a * a * a * t->near_norm;
                if (near->count == NEIGHBOURS_MAX) continue;
                near->index[near->count] = j;
                near->distance[near->count++] = distance;
            }
        }
    }
    d->pressure = STIFFNESS * (d->density - d->mass * t->rest_density);
    d->near_pressure = NEAR_STIFFNESS * d->near_density;
}

/* Second pass: displacements, computed for this particle alone (one-sided). */
static void relax(tank *t, int i)
{
    const drop *d = &t->drops[i];
    const drop_neighbours *near = &t->near[i];
    float x = d->x, y = d->y, dt = t->timestep;
    for (int n = 0; n < near->count; n++) {
        const drop *other = &t->drops[near->index[n]];
        float dx = other->x - d->x, dy = other->y - d->y, distance = sqrtf(dx * dx + dy * dy),
              a = 1 - distance / t->radius;
        float push = dt * dt *
                     ((d->near_pressure + other->near_pressure) * a * a * a * t->near_norm +
                      (d->pressure + other->pressure) * a * a * t->norm) /
                     2;
        x -= push * dx / (distance * d->mass);
        y -= push * dy / (distance * d->mass);
        if (other->mass >= d->mass && other->mass <= d->mass) {
            x += SURFACE_TENSION / d->mass * other->mass * a * a * t->norm * dx;
            y += SURFACE_TENSION / d->mass * other->mass * a * a * t->norm * dy;
        }
        float closing = (d->u - other->u) * dx + (d->v - other->v) * dy;
        if (closing <= 0) continue;
        closing /= distance;
        float impulse = 0.5f * dt * a * (LINEAR * closing + QUADRATIC * closing * closing);
        x -= impulse * dx * dt;
        y -= impulse * dy * dt;
    }
    t->new_x[i] = x;
    t->new_y[i] = y;
}

static void push_from_wall(const tank *t, float distance, float *speed, float towards)
{
    if (distance < WALL) *speed += towards * (WALL - (distance > 0 ? distance : 0)) / t->timestep;
}

static void step_tank(tank *t)
{
    float dt = t->timestep;
    for (int i = 0; i < t->count; i++) {
        drop *d = &t->drops[i];
        d->v -= 9.8f * dt;
        d->old_x = d->x, d->old_y = d->y;
        d->x += d->u * dt, d->y += d->v * dt;
    }
    build_grid(t);
    for (int i = 0; i < t->count; i++) measure_density(t, i);
    for (int i = 0; i < t->count; i++) relax(t, i);
    for (int i = 0; i < t->count; i++) {
        drop *d = &t->drops[i];
        d->x = t->new_x[i], d->y = t->new_y[i];
        d->u = (d->x - d->old_x) / dt, d->v = (d->y - d->old_y) / dt;
        push_from_wall(t, d->x, &d->u, 1);
        push_from_wall(t, t->width - d->x, &d->u, -1);
        push_from_wall(t, d->y, &d->v, 1);
        push_from_wall(t, t->height - d->y, &d->v, -1);
    }
    build_grid(t);
}

static bool open_tank(tank *t, const bench_plan *plan)
{
    const float pi = 3.14159265f;
    float spacing;
    uint32_t columns = bench_columns(2, plan->particles);
    bench_lengths(plan, &spacing, &t->radius);
    t->count = (int)plan->particles;
    t->width = (float)columns * spacing + 0.05f;
    t->height = (float)(columns + 20) * spacing;
    t->columns = (int)(t->width / t->radius) + 3;
    t->rows = (int)(t->height / t->radius) + 3;
    t->norm = 10 / (pi * t->radius * t->radius);
    t->near_norm = 15 / (pi * t->radius * t->radius);
    t->timestep = 1.0f / 140;
    t->rest_density = bench_rest_density(plan);
    t->drops = host_allocate(plan->particles, sizeof *t->drops);
    t->near = host_allocate(plan->particles, sizeof *t->near);
    t->new_x = host_allocate(plan->particles, sizeof *t->new_x);
    t->new_y = host_allocate(plan->particles, sizeof *t->new_y);
    t->cells = host_allocate((size_t)t->columns * (size_t)t->rows, sizeof *t->cells);
    if (!t->drops || !t->near || !t->new_x || !t->new_y || !t->cells) return false;
    for (size_t i = 0; i < plan->particles; i++) {
        const float *from = plan->state + 4 * i;
        t->drops[i] = (drop){.x = from[0], .y = from[1], .u = from[2], .v = from[3], .mass = 1};
    }
    return true;
}

static void close_tank(tank *t)
{
    free(t->drops);
    free(t->near);
    free(t->new_x);
    free(t->new_y);
    free(t->cells);
}

int bench_article(const bench_plan *plan, bench_result *result)
{
    tank t = {0};
    memset(result, 0, sizeof *result);
    double *step_ns = host_allocate(plan->steps, sizeof *step_ns);
    if (!step_ns || !open_tank(&t, plan)) {
        close_tank(&t);
        free(step_ns);
        return host_out_of_memory("a benchmark");
    }
    for (uint32_t i = 0; i < plan->steps; i++) {
        double started = host_thread_seconds();
        step_tank(&t);
        step_ns[i] = (host_thread_seconds() - started) * 1e9;
    }
    for (int i = 0; i < t.count; i++) result->neighbours += (double)t.near[i].count / t.count;
    result->particles = plan->particles;
    result->steps = plan->steps;
    result->memory_bytes =
        plan->particles * (sizeof(drop) + sizeof(drop_neighbours) + 2 * sizeof(float));
    bench_finish(result, step_ns, NULL, plan->steps);
    close_tank(&t);
    free(step_ns);
    return HOST_DONE;
}
