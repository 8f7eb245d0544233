/* SPDX-License-Identifier: MIT
   tests/instructions/scenes.c - settled scenes, to count the instructions of their steps.
   reads   `settle NAME FILE`: nothing; `run FILE LANES FRAMES`: the block in FILE
   writes  FILE; or `PARTICLES NEIGHBOURS`, then the number of steps of each frame
   memory  one world      cost  some seconds to settle
   after   own design: a profiler counts from one `mark` to the next, which is one frame */
#include "tidepool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTLING   400
#define FRAMES_MAX 64

typedef enum scene_kind { TANK, MELT, SEARCH, SHEET, LOOSE } scene_kind;

typedef struct scene {
    const char *name;
    scene_kind kind;
    uint32_t dimensions, fluids, particles, frames_per_second;
    /* of a tank: m, m, rest density; a density of 0: incompressible */
    float spacing, radius, density;
} scene;

static const scene scenes[] = {
    {"2D, few neighbours", TANK, 2, 1, 4900, 140, 0.11f, 0.22f, 40.0f},
    {"2D", TANK, 2, 1, 4900, 140, 0.11f, 0.3f, 95.0f},
    {"2D, two fluids, adaptive steps", TANK, 2, 2, 4900, 140, 0.11f, 0.3f, 95.0f},
    {"3D", TANK, 3, 1, 4900, 180, 0.1f, 0.215f, 370.0f},
    {"2D, incompressible", TANK, 2, 1, 4900, 180, 0.1f, 0.25f, 0},
    {"3D, incompressible", TANK, 3, 1, 4900, 180, 0.1f, 0.2f, 0},
    {"3D, Lennard-Jones melt", MELT, 3, 1, 4000, 200, 0, 0, 0},
    {"3D, lists of random points", SEARCH, 3, 1, 20000, 200, 0, 0, 0},
    {"3D, sheet that swings", SHEET, 3, 1, 4900, 600, 0, 0, 0},
    {"3D, particles without a solver that bounce", LOOSE, 3, 1, 4900, 60, 0.1f, 0, 0},
};

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "scenes: %s\n", what);
    exit(1);
}

static tp_world_def fluid_def(const scene *s)
{
    tp_world_def def = tp_world_default(s->dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.species[0].radius = 0.05f;
    def.species[0].rest_density = s->density;
    def.sph.smoothing_radius = s->radius;
    if (s->dimensions == 3) {
        def.sph.stiffness = 0.0006f;
        def.sph.near_stiffness = 0.00075f;
        def.sph.surface_tension = 0.00002f;
    }
    if (s->density == 0) tp_sph_incompressible(&def, s->spacing);
    if (s->fluids == 2) {
        def.species_count = 2;
        def.species[1] = def.species[0];
        def.species[1].mass *= 0.5f;
        def.species[1].rest_density *= 0.5f;
        def.substeps.is_adaptive = true;
    }
    return def;
}

static uint32_t melt_cells(const scene *s) { return (uint32_t)lround(cbrt(s->particles / 4.0)); }

static tp_world_def melt_def(const scene *s)
{
    tp_world_def def = tp_world_default(3);
    float side = (float)melt_cells(s) * cbrtf(4.0f / 0.8442f);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.species[0].radius = 0;
    def.pair.timestep_max = 0.005f;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z;
    def.box_size = (tp_vector){side, side, side};
    return def;
}

/* New lists at every step, of points that do not move. */
static tp_world_def search_def(const scene *s)
{
    (void)s;
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.species[0].radius = 0;
    def.species[0].epsilon = 1e-6f;
    def.pair.cutoff = 1.0f;
    def.pair.skin = 0;
    def.pair.neighbours_max = 64;
    return def;
}

static tp_world_def sheet_def(const scene *s)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.species[0].mass = 0.2f / (float)s->particles;
    def.cloth.constraints_max = 6u * s->particles;
    return def;
}

/* The default: with births, and room for sinks. */
static tp_world_def loose_def(const scene *s) { return tp_world_default(s->dimensions); }

static tp_world_def scene_def(const scene *s)
{
    static tp_world_def (*const make[])(const scene *) = {[TANK] = fluid_def,
                                                          [MELT] = melt_def,
                                                          [SEARCH] = search_def,
                                                          [SHEET] = sheet_def,
                                                          [LOOSE] = loose_def};
    const bool has_walls = s->kind == TANK || s->kind == LOOSE;
    tp_world_def def = make[s->kind](s);
    def.particles_max = s->particles;
    def.fields_max = has_walls || s->kind == SHEET ? 1 : 0;
    def.colliders_max = has_walls ? 2u * s->dimensions : 0;
    def.frames_per_second_numerator = s->frames_per_second;
    if (s->kind == LOOSE) return def;
    def.emitters_max = def.sinks_max = 0;
    def.keeps_births = false;
    return def;
}

static float random_share(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216.0f;
}

/* Planes around a box: each turns its normal, which is y, inwards. */
static void add_tank(tp_world *world, uint32_t dimensions, const float size[3], float restitution)
{
    const float half = sqrtf(0.5f);
    const tp_quaternion turns[3][2] = {{{half, 0, 0, -half}, {half, 0, 0, half}},
                                       {{1, 0, 0, 0}, {0, 0, 0, 1}},
                                       {{half, half, 0, 0}, {half, -half, 0, 0}}};
    for (uint32_t wall = 0; wall < 2u * dimensions; wall++) {
        tp_collider collider;
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        float at[3] = {0, 0, 0};
        at[wall / 2u] = wall % 2u ? size[wall / 2u] : 0;
        plane.pose.position = (tp_vector){at[0], at[1], at[2]};
        plane.pose.rotation = turns[wall / 2u][wall % 2u];
        plane.restitution = restitution;
        need(tp_collider_add(world, &plane, &collider) >= TP_OK, "a wall was refused");
    }
}

static void add_gravity(tp_world *world)
{
    tp_field field;
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    gravity.vector = (tp_vector){0, -9.8f, 0};
    need(tp_field_add(world, &gravity, &field) >= TP_OK, "gravity was refused");
}

static void fill_tank(tp_world *world, const scene *s)
{
    double wide = s->dimensions == 2 ? sqrt(2.0 * s->particles) : cbrt(2.0 * s->particles);
    uint32_t columns = (uint32_t)lround(wide), layers = s->dimensions == 3 ? columns : 1u;
    float size[3] = {(float)columns * s->spacing + 0.05f, (float)(columns + 20u) * s->spacing,
                     (float)layers * s->spacing + 0.05f};
    add_gravity(world);
    add_tank(world, s->dimensions, size, 0);
    for (uint32_t i = 0; i < s->particles; i++) {
        float off = 0.05f + random_share() * 0.01f * s->spacing;
        tp_vector at = {off + (float)(i % columns) * s->spacing,
                        off + (float)(i / columns / layers) * s->spacing,
                        s->dimensions == 3 ? off + (float)(i / columns % layers) * s->spacing : 0};
        need(tp_particle_add(world, at, (tp_vector){0, 0, 0}, i % s->fluids, NULL) == TP_OK,
             "a particle was refused");
    }
}

static void fill_melt(tp_world *world, const scene *s)
{
    static const float corners[4][3] = {
        {0, 0, 0}, {0.5f, 0.5f, 0}, {0.5f, 0, 0.5f}, {0, 0.5f, 0.5f}};
    uint32_t cells = melt_cells(s);
    float side = cbrtf(4.0f / 0.8442f);
    for (uint32_t i = 0; i < s->particles; i++) {
        const float *corner = corners[i % 4u];
        uint32_t cell = i / 4u;
        float speed[3], at[3] = {(float)(cell % cells), (float)(cell / cells % cells),
                                 (float)(cell / cells / cells)};
        for (uint32_t axis = 0; axis < 3; axis++) {
            at[axis] = (at[axis] + corner[axis] + 0.1f) * side;
            speed[axis] = (random_share() + random_share() + random_share() - 1.5f) * 2.4f;
        }
        need(tp_particle_add(world, (tp_vector){at[0], at[1], at[2]},
                             (tp_vector){speed[0], speed[1], speed[2]}, 0, NULL) == TP_OK,
             "an atom was refused");
    }
}

/* Points have 30 neighbours within a distance of 1, far from the sides. */
static void fill_points(tp_world *world, const scene *s)
{
    double side = cbrt(s->particles * 4.18879020478639 / 30);
    for (uint32_t i = 0; i < s->particles; i++) {
        float at[3];
        for (uint32_t axis = 0; axis < 3; axis++) at[axis] = random_share() * (float)side;
        need(tp_particle_add(world, (tp_vector){at[0], at[1], at[2]}, (tp_vector){0, 0, 0}, 0,
                             NULL) == TP_OK,
             "a point was refused");
    }
}

/* Level at first, pinned at its first row. */
static void fill_sheet(tp_world *world, const scene *s)
{
    tp_cloth_def sheet = tp_cloth_default();
    uint32_t side = (uint32_t)lround(sqrt(s->particles)), id = 0;
    sheet.columns = sheet.rows = side;
    sheet.along = (tp_vector){1 / (float)(side - 1), 0, 0};
    sheet.across = (tp_vector){0, 0, sheet.along.x};
    sheet.bend = 0.01f;
    add_gravity(world);
    need(tp_cloth_grid(world, &sheet, &id) >= TP_OK, "the sheet was refused");
    for (uint32_t k = 0; k < side; k++)
        need(tp_cloth_pin(world, id + k, true) >= TP_OK, "a pin was refused");
}

/* In a tank whose walls give back all speed, with random speeds of some meters per second. */
static void fill_loose(tp_world *world, const scene *s)
{
    const float size[3] = {3, 3, 3};
    add_gravity(world);
    add_tank(world, s->dimensions, size, 1);
    for (uint32_t i = 0; i < s->particles; i++) {
        float at[3], speed[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            at[axis] = 0.2f + 2.6f * random_share();
            speed[axis] = 6 * random_share() - 3;
        }
        need(tp_particle_add(world, (tp_vector){at[0], at[1], at[2]},
                             (tp_vector){speed[0], speed[1], speed[2]}, 0, NULL) == TP_OK,
             "a particle was refused");
    }
}

static void settle(const char *name, const char *path)
{
    const scene *s = scenes, *end = scenes + sizeof scenes / sizeof scenes[0];
    while (s < end && strcmp(s->name, name) != 0) s++;
    need(s < end, "there is no scene of that name");
    static void (*const fill[])(tp_world *, const scene *) = {[TANK] = fill_tank,
                                                              [MELT] = fill_melt,
                                                              [SEARCH] = fill_points,
                                                              [SHEET] = fill_sheet,
                                                              [LOOSE] = fill_loose};
    tp_world_def def = scene_def(s);
    size_t bytes = 0;
    tp_world *world = NULL;
    need(tp_world_memory(&def, &bytes) >= TP_OK, "the definition was refused");
    void *block = calloc(1, bytes);
    need(block && tp_world_create(&def, block, bytes, &world) >= TP_OK, "no world");
    fill[s->kind](world, s);
    for (uint32_t frame = 0; frame < SETTLING; frame++)
        need(tp_frame(world, NULL, NULL) == TP_OK, "a frame was not simulated");
    FILE *file = fopen(path, "wb");
    need(file && fwrite(block, 1, bytes, file) == bytes && fclose(file) == 0, path);
    free(block);
}

/* Called before each frame. A symbol of its own, where a profiler cuts its counts. */
__attribute__((noinline)) void mark(uint32_t frame);
__attribute__((noinline)) void mark(uint32_t frame)
{
    __asm__ volatile("" ::"r"(frame) : "memory");
}

static void *load_block(const char *path)
{
    FILE *file = fopen(path, "rb");
    need(file && fseek(file, 0, SEEK_END) == 0, path);
    long bytes = ftell(file);
    need(bytes > 0 && fseek(file, 0, SEEK_SET) == 0, path);
    void *block = malloc((size_t)bytes);
    need(block && fread(block, 1, (size_t)bytes, file) == (size_t)bytes, path);
    fclose(file);
    return block;
}

static void run(const char *path, uint32_t lanes, uint32_t frames)
{
    static uint32_t steps[FRAMES_MAX];
    tp_world *world = (tp_world *)load_block(path);
    tp_budget budget = {.lanes_max = (uint8_t)lanes};
    tp_report report = tp_world_report(world);
    uint64_t pairs = 0;
    need(frames > 0 && frames <= FRAMES_MAX, "FRAMES is out of range");
    for (uint32_t frame = 0; frame < frames; frame++) {
        uint64_t before = report.steps;
        mark(frame);
        need(tp_frame(world, &budget, &report) == TP_OK, "a frame was not simulated");
        steps[frame] = (uint32_t)(report.steps - before);
        pairs += report.pairs;
    }
    mark(frames);
    printf("%u %.1f\n", (unsigned)report.particles,
           2.0 * (double)pairs / frames / report.particles);
    for (uint32_t frame = 0; frame < frames; frame++) printf("%u\n", (unsigned)steps[frame]);
    free(world);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "settle") == 0) {
        settle(argv[2], argv[3]);
    } else if (argc == 5 && strcmp(argv[1], "run") == 0) {
        run(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    } else if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) puts(scenes[s].name);
    } else {
        fputs("usage: scenes list | settle NAME FILE | run FILE LANES FRAMES\n", stderr);
        return 2;
    }
    return 0;
}
