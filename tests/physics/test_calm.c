/* SPDX-License-Identifier: MIT
   tests/physics/test_calm.c - the fluid's default time step limit: pools and shipped scenes come to
           rest.
   reads   runtime/solve/sph, the scenes in the program      writes  nothing
   memory  worlds of up to 20000 particles
   cost    four seconds; TIDEPOOL_LONG=1: a minute of each pool and scene, 15 minutes
   after   own design; the scheme is that of Clavet et al. 2005, stable for w dt < sqrt(4/3), w the
           largest frequency */
#include "test.h"
#include "world_help.h"
#include "covered.h"
#include "common/loop.h"
#include "../../ports/small/dam_world.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALM_FPS    60u
#define CALM_RADIUS 0.0501f /* no particle begins inside a wall */
/* m: height of a ceiling that no particle touches; a lower one would damp an explosion */
#define CALM_OPEN 1e4f
#define CALM_REST 1e-5 /* J per particle: at rest */

/* A block of fluid on the floor, and a drop above it. At rest the double density has a spacing of
   0.1 m. */
typedef struct calm_pool {
    const char *name;
    uint32_t dimensions;
    tp_vector tank;    /* m */
    float spacing;     /* m */
    uint32_t block[3]; /* particles along x, y, z */
    uint32_t drop;     /* particles along each side of the drop, 0: none */
    /* J per particle: largest mean kinetic energy in the tenth second, and in the last second of a
       minute */
    double early, late;
    double still, rest; /* of the default fluid, in the twentieth second and in the last one */
} calm_pool;

static const calm_pool pools[] = {
    {"2D column, 2000", 2, {4, CALM_OPEN, 0}, 0.1f, {40, 50, 1}, 0, 0.4, 0.02, 2e-4, CALM_REST},
    {"2D column, 8 m deep", 2, {2.5f, CALM_OPEN, 0}, 0.1f, {25, 80, 1}, 0, 1.2, 0.15, 1e-2, 5e-4},
    /* it still sloshes after 10 s: 3 J of the 32 J it fell with */
    {"2D dam break", 2, {10, CALM_OPEN, 0}, 0.1f, {30, 66, 1}, 0, 4.0, 0.02, 1.5, 1e-2},
    {"2D drop on a pool", 2, {6, CALM_OPEN, 0}, 0.1f, {60, 20, 1}, 10, 0.1, 0.01, 2e-5, 1e-6},
    {"2D full tank", 2, {4, 4, 0}, 0.1f, {40, 40, 1}, 0, 0.2, 0.01, 1e-4, 1e-4},
    {"2D small dam", 2, {2, CALM_OPEN, 0}, 0.1f, {10, 20, 1}, 0, 4.0, 0.02, CALM_REST, CALM_REST},
    {"2D thin film", 2, {10, CALM_OPEN, 0}, 0.1f, {100, 2, 1}, 0, 0.1, 0.05, CALM_REST, CALM_REST},
    {"3D block, 2925",
     3,
     {1.5f, CALM_OPEN, 1.5f},
     0.1f,
     {15, 13, 15},
     0,
     0.1,
     0.01,
     CALM_REST,
     CALM_REST},
    {"3D block, 3024",
     3,
     {1.2f, CALM_OPEN, 1.2f},
     0.1f,
     {12, 21, 12},
     0,
     0.1,
     0.01,
     CALM_REST,
     CALM_REST},
    {"3D block, compressed",
     3,
     {1.2f, CALM_OPEN, 1.2f},
     0.08f,
     {15, 13, 15},
     0,
     0.1,
     0.01,
     CALM_REST,
     CALM_REST},
    {"3D column, 5 m deep",
     3,
     {1, CALM_OPEN, 1},
     0.1f,
     {10, 50, 10},
     0,
     0.5,
     0.02,
     2e-4,
     CALM_REST},
    {"3D dam break", 3, {4, CALM_OPEN, 1}, 0.1f, {15, 20, 10}, 0, 0.5, 0.02, 1e-3, 1e-4},
    {"3D drop on a pool",
     3,
     {2, CALM_OPEN, 2},
     0.1f,
     {20, 6, 20},
     5,
     0.1,
     0.01,
     CALM_REST,
     CALM_REST},
    {"3D full tank", 3, {1.5f, 1.5f, 1.5f}, 0.1f, {15, 15, 15}, 0, 0.1, 0.01, CALM_REST, CALM_REST},
    {"3D small dam", 3, {1, CALM_OPEN, 0.5f}, 0.1f, {5, 10, 5}, 0, 0.5, 0.02, CALM_REST, CALM_REST},
    {"3D thin film", 3, {3, CALM_OPEN, 3}, 0.1f, {30, 2, 30}, 0, 0.1, 0.02, CALM_REST, CALM_REST},
};

/* ---- worlds ---- */

static uint32_t calm_count(const calm_pool *pool)
{
    uint32_t block = pool->block[0] * pool->block[1] * pool->block[2];
    uint32_t drop = pool->drop * pool->drop * (pool->dimensions == 3 ? pool->drop : 1u);
    return block + drop;
}

static float calm_inside(float x, float size)
{
    return fminf(fmaxf(x, CALM_RADIUS), size - CALM_RADIUS);
}

/* Adds a particle at a lattice point, displaced at random by up to 5 mm. */
static void calm_add(tp_world *world, const calm_pool *pool, tp_vector at, uint32_t *state)
{
    float jitter = 0.1f * pool->spacing;
    at.x = calm_inside(at.x + jitter * (test_random(state) - 0.5f), pool->tank.x);
    at.y = calm_inside(at.y + jitter * (test_random(state) - 0.5f), pool->tank.y);
    if (pool->dimensions == 3)
        at.z = calm_inside(at.z + jitter * (test_random(state) - 0.5f), pool->tank.z);
    CHECK(tp_particle_add(world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
}

static void calm_lattice(tp_world *world, const calm_pool *pool, tp_vector corner,
                         const uint32_t size[3], uint32_t *state)
{
    for (uint32_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        uint32_t column = i % size[0], layer = i / size[0] % size[2], row = i / (size[0] * size[2]);
        tp_vector at = {corner.x + pool->spacing * (float)column,
                        corner.y + pool->spacing * (float)row,
                        corner.z + pool->spacing * (float)layer};
        if (pool->dimensions == 2) at.z = 0;
        calm_add(world, pool, at, state);
    }
}

static test_world calm_make(const calm_pool *pool, bool is_soft, uint32_t steps, uint32_t seed)
{
    tp_world_def def = tp_world_default(pool->dimensions);
    const tp_vector corner = {0.5f * pool->spacing, 0.5f * pool->spacing, 0.5f * pool->spacing};
    const uint32_t drop[3] = {pool->drop, pool->drop, pool->dimensions == 3 ? pool->drop : 1u};
    float side = pool->spacing * (float)pool->drop;
    tp_vector above = {0.5f * (pool->tank.x - side), 2, 0.5f * (pool->tank.z - side)};
    uint32_t state = seed;
    def.solver = TP_SOLVER_SPH;
    if (is_soft) def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = calm_count(pool);
    def.slice_units = 65536;
    def.substeps.count = steps;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, pool->tank);
    calm_lattice(made.world, pool, corner, pool->block, &state);
    if (pool->drop) calm_lattice(made.world, pool, above, drop, &state);
    return made;
}

/* ---- kinetic energy ---- */

/* Mean kinetic energy per particle, J. */
static double calm_energy(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double energy = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double mass =
            (double)tp_world_definition(world)->species[TP_META_SPECIES(view.meta[i])].mass;
        double vx = (double)view.vx[i], vy = (double)view.vy[i],
               vz = view.vz ? (double)view.vz[i] : 0;
        energy += 0.5 * mass * (vx * vx + vy * vy + vz * vz);
    }
    return view.count ? energy / view.count : 0;
}

/* Mean of it over the second that ends at `end`. */
static double calm_second(tp_world *world, uint32_t end)
{
    uint64_t now = tp_world_report(world).frames;
    double sum = 0;
    test_world_frames(world, (end - 1u) * CALM_FPS - (uint32_t)now);
    for (uint32_t frame = 0; frame < CALM_FPS; frame++) {
        test_world_frames(world, 1);
        sum += calm_energy(world) / CALM_FPS;
    }
    return sum;
}

static void calm_run(const calm_pool *pool, uint32_t steps, uint32_t seed)
{
    test_world made = calm_make(pool, true, steps, seed);
    double early = calm_second(made.world, 10);
    test_note("%s, count %u, seed %u: KE/N %.4f J after 10 s", pool->name, steps, seed, early);
    CHECK(early < pool->early);
    if (test_is_long()) {
        double late = calm_second(made.world, 60);
        test_note("and %.4f J after 60 s", late);
        CHECK(late < pool->late);
    }
    test_world_free(&made);
}

/* The same pool of the default fluid, which keeps its volume: in 2D its spacing at rest is 1.2
   times as large. Deep columns and wide tanks swing for longer than 20 s. In a full tank the rows
   of the lattice slip now and then. Bounds are about twice what was measured. */
static void calm_default(const calm_pool *row, uint32_t steps, uint32_t seed, uint32_t seconds)
{
    calm_pool pool = *row;
    const float scale = row->dimensions == 2 ? 1.2f : 1.0f;
    pool.spacing *= scale;
    pool.tank = (tp_vector){scale * pool.tank.x, scale * pool.tank.y, scale * pool.tank.z};
    test_world made = calm_make(&pool, false, steps, seed);
    double early = calm_second(made.world, seconds < 20 ? seconds : 20);
    test_note("default, %s, count %u, seed %u: KE/N %.1e J", pool.name, steps, seed, early);
    CHECK(early < (seconds < 20 ? 1e-3 : row->still));
    if (seconds > 20) {
        double late = calm_second(made.world, seconds);
        test_note("and %.1e J after %u s", late, seconds);
        CHECK(late < row->rest);
    }
    CHECK_EQ(tp_world_view(made.world).count, calm_count(&pool));
    test_world_free(&made);
}

static const calm_pool *calm_pool_of(const char *name)
{
    for (size_t s = 0; s < sizeof pools / sizeof pools[0]; s++)
        if (!strcmp(pools[s].name, name)) return &pools[s];
    CHECK(false);
    return pools;
}

/* ---- cases ---- */

static void a_column_of_double_density_comes_to_rest_in_2d(void)
{
    calm_run(calm_pool_of("2D column, 2000"), 2, 1);
}

static void a_block_of_double_density_comes_to_rest_in_3d(void)
{
    calm_run(calm_pool_of("3D block, 2925"), 2, 1);
}

/* For any requested number of steps and any initial positions. */
static void pools_of_double_density_are_calm_for_a_minute(void)
{
    for (size_t s = 0; s < sizeof pools / sizeof pools[0]; s++)
        for (uint32_t seed = 1; seed <= 3; seed++) calm_run(&pools[s], 1u << (seed - 1), seed);
}

static void a_dam_of_the_default_fluid_comes_to_rest(void)
{
    calm_default(calm_pool_of("2D small dam"), 1, 1, 12);
    calm_default(calm_pool_of("3D small dam"), 1, 1, 6);
}

static void default_pools_are_at_rest_for_a_minute(void)
{
    for (size_t s = 0; s < sizeof pools / sizeof pools[0]; s++)
        calm_default(&pools[s], 1u << s % 3, 1 + (uint32_t)s % 3, 60);
}

/* The first example of README.md: 399 particles fall apart in a tank 4 m wide. */
static void the_fluid_of_the_readme_comes_to_rest(void)
{
    tp_world_def def = tp_world_default(2);
    tp_collider_def walls = tp_collider_default(TP_COLLIDER_BOX);
    tp_emitter_def burst = tp_emitter_default();
    tp_collider tank;
    tp_emitter dam;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 400;
    walls.is_hollow = true;
    walls.half = (tp_vector){2, 2, 2};
    burst.shape = TP_EMITTER_BOX;
    burst.size = (tp_vector){1.2f, 1.2f, 0};
    burst.lattice_spacing = 0.12f;
    burst.burst_count = 399;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    CHECK(tp_collider_add(made.world, &walls, &tank) == TP_OK);
    CHECK(tp_emitter_add(made.world, &burst, &dam) == TP_OK);
    double first = 0;
    for (uint32_t end = 20; end <= (test_is_long() ? 60u : 20u); end += 20) {
        double energy = calm_second(made.world, end), volume = covered_volume(made.world, 0.12);
        if (end == 20) first = volume;
        test_note("KE/N %.1e J after %u s, volume %+.2f %%", energy, end,
                  100 * (volume / first - 1));
        CHECK(energy < CALM_REST && fabs(volume / first - 1) < 0.01);
    }
    CHECK_EQ(tp_world_view(made.world).count, 399);
    test_world_free(&made);
}

static void check_default_steps(uint32_t dimensions, uint32_t rate, double limit)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 16;
    def.frames_per_second_numerator = rate;
    test_world made = test_world_make(&def);
    test_world_frames(made.world, 1);
    uint32_t steps = tp_world_report(made.world).steps_in_frame;
    test_note("%uD, %u frames per second: %u sub-steps", dimensions, rate, steps);
    CHECK((double)steps * rate * limit > 0.999);
    CHECK(steps == 1 || (steps - 1.0) * rate * limit < 1.001);
    test_world_free(&made);
}

/* Time steps of equal length within the limit, at common frame rates. */
static void default_steps_stay_below_the_stability_limit(void)
{
    static const uint32_t rates[] = {12, 15, 20, 24,  25,  30,  48, 50,
                                     60, 72, 90, 120, 140, 144, 240};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        check_default_steps(2, rates[r], 0.0056);
        check_default_steps(3, rates[r], 0.0042);
    }
}

/* count_max limits adaptive sub-steps only. */
static void only_adaptive_sub_steps_must_cover_a_frame_within_count_max(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.frames_per_second_numerator = 20; /* 9 sub-steps; count_max is 8 */
    CHECK(tp_world_check(&def) == NULL);
    def.substeps.is_adaptive = true;
    CHECK(tp_world_check(&def) != NULL);
    def.substeps.count_max = 9;
    CHECK(tp_world_check(&def) == NULL);
    def.substeps.is_adaptive = false;
    def.sph.timestep_max = 0.0004f; /* 125 sub-steps are needed; the most allowed is 101 */
    CHECK(tp_world_check(&def) != NULL);
}

/* ---- the shipped scenes ---- */

#define REST_SECONDS 60u

/* Lengths in m, energies in J per particle. */
typedef struct rest_scene {
    const char *name;
    const char *restless; /* why it never comes to rest; NULL: it does */
    uint32_t still;       /* s: nothing is born or driven from then on */
    tp_vector low, high;  /* no particle is ever outside */
    double late;          /* largest mean kinetic energy in the last five seconds */
    /* Percent, in any frame. 0: a formulation that is compressed by its weight. */
    double particle;
    /* Percent: largest change of the covered volume, from 20 s after `still` to the last second. */
    double drift;
    /* of a program in ports, from dam_world_def; NULL: a shipped scene */
    void (*change)(tp_world_def *definition);
    uint32_t first; /* frame from which compressions count */
} rest_scene;

/* Twice what was measured. A wide tank sloshes for as long as waves of its width last. */
static const rest_scene rest_scenes[] = {
    {"article", NULL, 18, {0, 0, 0}, {10, 7.5f, 0}, 3.2e-4, 0, 1, NULL, 1},
    {"boat", NULL, 0, {0, 0, 0}, {4, 4, 0}, 1e-5, 20, 1, NULL, 1},
    {"cup", NULL, 10, {0, 0, 0}, {6, 10, 0}, 1.7e-4, 0, 1, NULL, 1},
    {"dam_break", NULL, 0, {0, 0, 0}, {10, 7.5f, 0}, 1.2e-3, 20, 1, NULL, 1},
    {"dam_break_3d", NULL, 0, {0, 0, 0}, {6, 20, 2.5f}, 1e-5, 20, 1, NULL, 1},
    {"drop", NULL, 0, {-1, -1, 0}, {1, 1, 0}, 1e-5, 20, 1, NULL, 1},
    {"honey", "creeps over open ground", 3, {-6, 0, 0}, {6, 2, 0}, 2.4e-4, 20, 1, NULL, 1},
    {"jelly_pool", "elastic bodies simmer", 0, {0, 0, 0}, {3.2f, 4, 0}, 3e-5, 20, 1, NULL, 1},
    {"kettle", "boils", 0, {0, 0, 0}, {3, 6, 0}, 0.3, 20, 1, NULL, 1},
    /* the last drops leave the upper basin then */
    {"level", NULL, 25, {0.5f, 0.5f, 0}, {11.5f, 7.5f, 0}, 1e-6, 20, 1, NULL, 1},
    {"putty", NULL, 0, {0, 0, 0}, {10, 6, 0}, 1.2e-5, 0, 1, NULL, 1},
    {"rewind", NULL, 0, {0, 0, 0}, {10, 7.5f, 0}, 5.4e-4, 0, 1, NULL, 1},
    {"splash", NULL, 0, {0, 0, 0}, {10, 8, 0}, 1e-5, 20, 1, NULL, 1},
    {"stir", "is stirred", 0, {0, 0, 0}, {8, 20, 0}, 2.4, 0, 3, NULL, 1},
    {"tube_and_bowl", NULL, 0, {0, 0, 0}, {6, 9, 0}, 5e-6, 0, 1, NULL, 1},
    /* nodes of the sheet begin 0.7 spacings apart */
    {"water_sheet", "rests soon", 0, {-1, 0, -1}, {1, 4, 1}, 1e-9, 20, 1, NULL, 2},
    {"ports/basin", NULL, 0, {0, 0, 0}, {DAM_WIDTH, DAM_HEIGHT, 0}, 1e-5, 20, 1, dam_stiffen, 1},
    {"ports/small", NULL, 0, {0, 0, 0}, {DAM_WIDTH, DAM_HEIGHT, 0}, 2e-4, 0, 1, dam_soften, 1},
};

/* What a scene did. Compressions in percent. */
typedef struct rest_run {
    double energy[REST_SECONDS]; /* means of each second */
    double mean, worst_frame, worst_particle;
    double volumes[2];              /* covered in the second that `calm` is, and in the last one */
    uint32_t frames, seconds, calm; /* compressions summed; length; second of the first volume */
    uint32_t most;                  /* particles ever */
    double spacing;                 /* m: of particles at rest */
} rest_run;

static bool rest_is_inside(const rest_scene *row, tp_vector at)
{
    return at.x >= row->low.x && at.x <= row->high.x && at.y >= row->low.y && at.y <= row->high.y &&
           at.z >= row->low.z && at.z <= row->high.z;
}

static void rest_contained(const tp_world *world, const rest_scene *row)
{
    tp_view view = tp_world_view(world);
    uint32_t outside = 0;
    for (uint32_t i = 0; i < view.count; i++)
        outside += !rest_is_inside(row, (tp_vector){view.x[i], view.y[i], view.z ? view.z[i] : 0});
    CHECK_EQ(outside, 0);
}

static void rest_compressed(const tp_report *report, rest_run *run)
{
    run->frames++;
    run->mean += 100 * (double)report->compression;
    run->worst_frame = fmax(run->worst_frame, 100 * (double)report->compression);
    run->worst_particle = fmax(run->worst_particle, 100 * (double)report->compression_max);
}

#define REST_SAMPLES 5u /* of the volume in a second */

static void rest_measure(const tp_world *world, const rest_scene *row, uint32_t frame,
                         rest_run *run)
{
    const uint32_t fps = tp_world_definition(world)->frames_per_second_numerator;
    tp_report report = tp_world_report(world);
    uint32_t second = (frame - 1) / fps;
    run->energy[second] += calm_energy(world) / fps;
    rest_contained(world, row);
    CHECK(tp_world_view(world).count >= run->most);
    run->most = tp_world_view(world).count;
    if (frame >= row->first) rest_compressed(&report, run);
    if ((second == run->calm || second + 1 == run->seconds) && frame % (fps / REST_SAMPLES) == 0)
        run->volumes[second + 1 == run->seconds] +=
            covered_volume(world, run->spacing) / REST_SAMPLES;
}

/* A scene, or a world of a program in ports. */
typedef struct rest_stage {
    stage opened;
    test_world made;
    tp_world *world;
} rest_stage;

static bool rest_open(const rest_scene *row, rest_stage *at)
{
    memset(at, 0, sizeof *at);
    if (row->change) {
        tp_world_def def = dam_world_def();
        row->change(&def);
        at->made = test_world_make(&def);
        at->world = at->made.world;
        return CHECK(dam_fill(at->world) == TP_OK);
    }
    if (!CHECK(scene_load(&at->opened.scene, row->name) == HOST_DONE &&
               stage_open(&at->opened, 0) == HOST_DONE))
        return false;
    at->world = at->opened.world;
    return true;
}

static void rest_close(const rest_scene *row, rest_stage *at)
{
    if (row->change)
        test_world_free(&at->made);
    else
        stage_close(&at->opened);
}

/* `calm`: the second of the first volume. */
static rest_run rest_make(const rest_scene *row, uint32_t calm, uint32_t seconds)
{
    rest_run run;
    rest_stage at;
    memset(&run, 0, sizeof run);
    run.calm = calm;
    run.seconds = seconds;
    if (!rest_open(row, &at)) return run;
    const tp_world_def *def = tp_world_definition(at.world);
    run.spacing = (double)def->sph.smoothing_radius / (def->dimensions == 2 ? 2.5 : 2);
    for (uint32_t frame = 1; frame <= seconds * def->frames_per_second_numerator; frame++) {
        if (!row->change) scene_move(&at.opened.scene, at.world, frame);
        test_world_frames(at.world, 1);
        rest_measure(at.world, row, frame, &run);
    }
    if (run.frames) run.mean /= run.frames;
    test_note("%s: compression mean %.3f %%, frame %.2f %%, particle %.1f %%", row->name, run.mean,
              run.worst_frame, run.worst_particle);
    if (row->particle > 0)
        CHECK(run.mean < 0.25 && run.worst_frame < 2 && run.worst_particle < row->particle);
    rest_close(row, &at);
    return run;
}

/* Mean over the seconds from `begin` to `end`. */
static double rest_mean(const double *seconds, uint32_t begin, uint32_t end)
{
    double sum = 0;
    for (uint32_t second = begin; second < end; second++) sum += seconds[second];
    return sum / (end - begin);
}

/* Percent by which the covered volume grew. */
static double rest_drift(const rest_run *run)
{
    return 100 * (run->volumes[1] / run->volumes[0] - 1);
}

/* From 20 s after the last inflow on, each ten seconds have less energy than those before, the last
   five less than a tenth of that at first; the volume stays within 1 %. */
static void rest_check(const rest_scene *row)
{
    uint32_t calm = row->still + 20;
    rest_run run = rest_make(row, calm - 1, REST_SECONDS);
    double early = rest_mean(run.energy, calm - 5, calm),
           late = rest_mean(run.energy, REST_SECONDS - 5, REST_SECONDS);
    test_note("%s: KE/N %.0e, %.0e, %.0e J after 20, 40, 60 s; compression %.1f %%, particle %.0f "
              "%%; volume %.4f, %+.2f %%",
              row->name, rest_mean(run.energy, 15, 20), rest_mean(run.energy, 35, 40), late,
              run.worst_frame, run.worst_particle, run.volumes[0], rest_drift(&run));
    CHECK(late < row->late);
    CHECK(fabs(rest_drift(&run)) < row->drift);
    if (row->restless) return;
    CHECK(late < 0.1 * early);
    for (uint32_t s = calm + 10; s + 10 <= REST_SECONDS; s += 10)
        CHECK(rest_mean(run.energy, s, s + 10) < rest_mean(run.energy, s - 10, s));
}

static void shipped_fluids_come_to_rest_in_a_minute(void)
{
    uint32_t fluids = 0;
    for (size_t s = 0; scene_shipped_name(s); s++) {
        scene probe;
        if (!CHECK(scene_load(&probe, scene_shipped_name(s)) == HOST_DONE)) return;
        fluids += probe.world.solver == TP_SOLVER_SPH;
        scene_free(&probe);
    }
    for (size_t s = 0; s < sizeof rest_scenes / sizeof rest_scenes[0]; s++) {
        rest_check(&rest_scenes[s]);
        if (!rest_scenes[s].change) fluids--;
    }
    CHECK_EQ(fluids, 0);
}

/* Lattices whose particles are displaced at random by up to a tenth of a spacing: rough sides cover
   some percent more. One squeezed by a percent covers a percent less. */
static void a_percent_of_volume_is_seen(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        const uint32_t count = dimensions == 2 ? 1600 : 2744, side = dimensions == 2 ? 40 : 14;
        double volumes[2];
        for (uint32_t squeezed = 0; squeezed < 2; squeezed++) {
            tp_world_def def = tp_world_default(dimensions);
            def.particles_max = count;
            test_world made = test_world_make(&def);
            uint32_t state = 3;
            for (uint32_t i = 0; i < count; i++) {
                tp_vector at = test_random_position(&state, 0.01f);
                at.x = (at.x + 0.1f * (float)(i % side)) * (squeezed ? 0.99f : 1);
                at.y += 0.1f * (float)(i / side % side);
                at.z = dimensions == 2 ? 0 : at.z + 0.1f * (float)(i / side / side);
                CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
            }
            volumes[squeezed] = covered_volume(made.world, 0.1) / count / pow(0.1, dimensions);
            test_world_free(&made);
        }
        test_note("%uD: volume %.4f of the particles', squeezed %.4f", dimensions, volumes[0],
                  volumes[1]);
        CHECK_NEAR(volumes[0], 1, 0.08);
        CHECK_NEAR(volumes[1] / volumes[0], 0.99, 0.002);
    }
}

/* A sample of the case above. */
static void the_shipped_drop_comes_to_rest(void)
{
    for (size_t s = 0; s < sizeof rest_scenes / sizeof rest_scenes[0]; s++) {
        if (strcmp(rest_scenes[s].name, "drop")) continue;
        rest_run run = rest_make(&rest_scenes[s], 4, 10);
        test_note("KE/N %.1e J in the first second, %.1e J in the tenth; volume %+.2f %%",
                  run.energy[0], run.energy[9], rest_drift(&run));
        CHECK(run.energy[9] < 0.03 * run.energy[0]);
        CHECK(fabs(rest_drift(&run)) < 1);
    }
}

/* Another sample: bodies are born above the water, and a spring is no denser than the fluid. */
static void no_particle_of_the_boat_and_the_level_is_pressed(void)
{
    for (size_t s = 0; s < sizeof rest_scenes / sizeof rest_scenes[0]; s++) {
        if (!strcmp(rest_scenes[s].name, "boat")) rest_make(&rest_scenes[s], 0, 1);
        if (!strcmp(rest_scenes[s].name, "level")) rest_make(&rest_scenes[s], 0, 3);
    }
}

/* ---- what is left of a dam break ---- */

#define WAVE_DAM "dam_break"
/* J per particle: all kinetic energy, and that of the longest wave of the tank. */
typedef struct wave_energy {
    double all, longest;
} wave_energy;

/* The first wave of a tank `width` wide in linear theory, k = pi / width: the potential flow
   (sin kx cosh ky, -cos kx sinh ky), fitted to the momenta of particles (Lamb 1932, 228). */
static wave_energy wave_of(const tp_world *world, double width)
{
    const double k = 3.14159265358979 / width;
    const tp_view view = tp_world_view(world);
    double along = 0, square = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double mass =
                   (double)tp_world_definition(world)->species[TP_META_SPECIES(view.meta[i])].mass,
               x = k * (double)view.x[i], y = k * (double)view.y[i], u = sin(x) * cosh(y),
               v = -cos(x) * sinh(y);
        along += mass * (u * (double)view.vx[i] + v * (double)view.vy[i]);
        square += mass * (u * u + v * v);
    }
    return (wave_energy){calm_energy(world), 0.5 * along * along / square / view.count};
}

/* The shipped dam break in a tank `scale` times as large. Times are sqrt(scale) as long. */
static bool wave_open(stage *opened, double scale)
{
    const float size = (float)scale;
    memset(opened, 0, sizeof *opened);
    if (!CHECK(scene_load(&opened->scene, WAVE_DAM) == HOST_DONE)) return false;
    scene *s = &opened->scene;
    s->world.sph.smoothing_radius *= size;
    s->world.sph.timestep_max *= sqrtf(size);
    s->world.substeps.count = (uint32_t)((float)s->world.substeps.count / sqrtf(size));
    s->world.substeps.count_max = (uint32_t)((float)s->world.substeps.count_max / sqrtf(size));
    for (uint32_t k = 0; k < s->world.species_count; k++) s->world.species[k].radius *= size;
    for (size_t k = 0; k < s->emitter_count; k++) {
        tp_emitter_def *def = &s->emitters[k].def;
        def->pose.position = tpi_scale(def->pose.position, size);
        def->size = tpi_scale(def->size, size);
        def->lattice_spacing *= size;
    }
    for (size_t k = 0; k < s->collider_count; k++) {
        tp_collider_def *def = &s->colliders[k].def;
        def->pose.position = tpi_scale(def->pose.position, size);
    }
    return CHECK(stage_open(opened, 0) == HOST_DONE);
}

/* Mean over the five seconds that end then. */
static wave_energy wave_seconds(stage *opened, uint32_t end, double width)
{
    const uint32_t frames = 5 * CALM_FPS;
    wave_energy mean = {0, 0};
    test_world_frames(opened->world,
                      end * CALM_FPS - frames - (uint32_t)tp_world_report(opened->world).frames);
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(opened->world, 1);
        wave_energy now = wave_of(opened->world, width);
        mean.all += now.all / frames;
        mean.longest += now.longest / frames;
    }
    return mean;
}

/* What goes on in a tank 10 m wide is its longest wave: water would have it for hours. In a tank of
   1 m, where the last splash is after 4 s, the same dam is at rest 20 s later. */
static void the_dam_break_goes_over_into_the_longest_wave(void)
{
    stage opened;
    if (wave_open(&opened, 1)) {
        wave_energy wide = wave_seconds(&opened, 40, 10);
        test_note("10 m, 40 s: KE/N %.1e J, %.1e J in the longest wave", wide.all, wide.longest);
        CHECK(wide.longest > 0.8 * wide.all);
        stage_close(&opened);
    }
    if (wave_open(&opened, 0.1)) {
        wave_energy early = wave_seconds(&opened, 15, 1), late = wave_seconds(&opened, 29, 1);
        test_note(
            "1 m: KE/N %.1e J after 15 s, %.1e J of it in the longest wave; %.1e J after 29 s",
            early.all, early.longest, late.all);
        CHECK(early.longest > 0.8 * early.all && late.all < CALM_REST);
        stage_close(&opened);
    }
}

static const test_case cases[] = {
    TEST_CASE(default_steps_stay_below_the_stability_limit),
    TEST_CASE(only_adaptive_sub_steps_must_cover_a_frame_within_count_max),
    TEST_CASE(a_column_of_double_density_comes_to_rest_in_2d),
    TEST_CASE(a_block_of_double_density_comes_to_rest_in_3d),
    TEST_CASE(a_dam_of_the_default_fluid_comes_to_rest),
    TEST_CASE(the_fluid_of_the_readme_comes_to_rest),
    TEST_LONG(default_pools_are_at_rest_for_a_minute),
    TEST_LONG(pools_of_double_density_are_calm_for_a_minute),
    TEST_CASE(a_percent_of_volume_is_seen),
    TEST_CASE(the_shipped_drop_comes_to_rest),
    TEST_CASE(no_particle_of_the_boat_and_the_level_is_pressed),
    TEST_LONG(shipped_fluids_come_to_rest_in_a_minute),
    TEST_LONG(the_dam_break_goes_over_into_the_longest_wave)};
TEST_SUITE(calm, cases);
