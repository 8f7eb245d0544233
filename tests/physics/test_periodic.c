/* SPDX-License-Identifier: MIT
   tests/physics/test_periodic.c - fluids in periodic boxes: pairs across the sides, conservation,
           equal bits, channels, vortices.
   reads   runtime/solve/sph, runtime/grid/patch.c      writes  nothing
   memory  worlds of up to 1000 particles               cost    some seconds
   after   own design; start of Poiseuille flow: Morris, Fox and Zhu 1997; Taylor and Green 1937 */
#include "test.h"
#include "world_help.h"
#include "dfsph_worlds.h"
#include "jobs_posix/jobs.h"
#include <stdlib.h>
#include <string.h>

/* ---- worlds ---- */

static const tp_sph_formulation formulations[4] = {TP_SPH_INCOMPRESSIBLE, TP_SPH_DOUBLE_DENSITY,
                                                   TP_SPH_IDEAL_GAS, TP_SPH_WEAKLY_COMPRESSIBLE};

/* How many particles a box has along each axis. `least`: as few as may be, four support radii of
   each kernel. */
typedef struct periodic_size {
    uint32_t along[3];
} periodic_size;
static periodic_size size_of(uint32_t dimensions, bool least)
{
    if (dimensions == 2) return (periodic_size){{least ? 10 : 17, least ? 10 : 14, 1}};
    return (periodic_size){{8, least ? 8 : 9, 8}};
}

static tp_world_def periodic_def(uint32_t dimensions, tp_sph_formulation formulation,
                                 const uint32_t along[3])
{
    tp_world_def def = fluid_def(dimensions, along[0] * along[1] * along[2]);
    def.sph.formulation = formulation;
    if (formulation == TP_SPH_DOUBLE_DENSITY) {
        def.sph.stiffness *= 0.01f;
        def.sph.near_stiffness *= 0.01f;
    }
    if (formulation >= TP_SPH_IDEAL_GAS) {
        def.species[0].rest_density = powf(FLUID_SPACING, -(float)dimensions);
        def.sph.sound_speed = 5;
    }
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | (dimensions == 3 ? TP_AXIS_Z : 0u);
    def.box_low = (tp_vector){-0.2f, 0.3f, dimensions == 3 ? 0.1f : 0};
    def.box_size = (tp_vector){(float)along[0] * FLUID_SPACING, (float)along[1] * FLUID_SPACING,
                               dimensions == 3 ? (float)along[2] * FLUID_SPACING : 10};
    def.sph.timestep_max = fminf(tp_sph_timestep_limit(&def), 1.0f / 240);
    return def;
}

/* A full box, disordered and stirred. */
static test_world periodic_make(const tp_world_def *def, const uint32_t along[3])
{
    test_world made = test_world_make(def);
    if (made.world) fluid_block(made.world, along, def->box_low, 0.5f, 0.3f);
    return made;
}

/* ---- pairs ---- */

/* Sum of (1 - r / h)^3 over all other particles and all images. */
static double cubes_of(const tp_world *world, const float *const x[3], uint32_t count, uint32_t i)
{
    const tp_world_def *def = tp_world_definition(world);
    const float sizes[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    double sum = 0;
    for (uint32_t j = 0; j < count; j++) {
        double square = 0;
        if (j == i) continue;
        for (uint32_t c = 0; c < def->dimensions; c++) {
            double d = (double)x[c][j] - (double)x[c][i], size = (double)sizes[c];
            if (def->periodic_axes >> c & 1u) d -= size * round(d / size);
            square += d * d;
        }
        sum += pow(fmax(1 - sqrt(square) / (double)def->sph.smoothing_radius, 0), 3);
    }
    return sum;
}

/* Sums of densities after the pairs of a step, beside double precision. */
static void check_densities(tp_world_def def, const uint32_t along[3])
{
    test_world made = periodic_make(&def, along);
    if (!made.world) return;
    tp_world *world = made.world;
    double largest = 0;
    tpi_step_begin(world, tpi_substep_ticks(world));
    CHECK(test_world_run_to(world, TP_STAGE_PRESSURE, 1000));
    const float *const x[3] = {tpi_back_x(world, 0), tpi_back_x(world, 1),
                               tpi_back_x(world, def.dimensions == 3 ? 2 : 0)};
    for (uint32_t i = 0; i < world->step.count; i++) {
        double error =
            tpi_sph_density_of(world)[i] / 8388608.0 - cubes_of(world, x, world->step.count, i);
        largest = fmax(largest, fabs(error));
    }
    test_note("%uD, formulation %u, axes %u, %u along x: %.2g", def.dimensions, def.sph.formulation,
              def.periodic_axes, along[0], largest);
    CHECK(largest < 3e-5);
    test_world_free(&made);
}

static void densities_across_the_sides_are_those_of_all_images(void)
{
    for (uint32_t kind = 0; kind < 16; kind++) {
        const uint32_t dimensions = 2 + kind % 2;
        const periodic_size size = size_of(dimensions, kind / 2 % 2 > 0);
        tp_world_def def = periodic_def(dimensions, formulations[kind / 4], size.along);
        check_densities(def, size.along);
        def.periodic_axes = dimensions == 3 ? TP_AXIS_X | TP_AXIS_Z : TP_AXIS_Y;
        check_densities(def, size.along);
    }
}

/* ---- conservation ---- */

static tp_vector momentum_of(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum[3] = {0};
    for (uint32_t i = 0; i < view.count; i++) {
        sum[0] += (double)view.vx[i];
        sum[1] += (double)view.vy[i];
        if (view.vz) sum[2] += (double)view.vz[i];
    }
    return (tp_vector){(float)sum[0], (float)sum[1], (float)sum[2]};
}

/* Runs 60 frames. All particles are within the box after each. */
static void run_within(tp_world *world)
{
    const tp_world_def *def = tp_world_definition(world);
    const float lows[3] = {def->box_low.x, def->box_low.y, def->box_low.z},
                sizes[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    uint32_t outside = 0;
    for (uint32_t frame = 0; frame < 60; frame++) {
        test_world_frames(world, 1);
        tp_view view = tp_world_view(world);
        const float *const x[3] = {view.x, view.y, view.z};
        for (uint32_t i = 0; i < view.count * def->dimensions; i++) {
            const uint32_t axis = i % def->dimensions;
            const float at = x[axis][i / def->dimensions];
            outside += !(at >= lows[axis] && at < lows[axis] + sizes[axis]);
        }
    }
    CHECK_EQ(outside, 0);
}

/* Impulses are integers that are opposite at both ends; what is left is the rounding of
   velocities. */
static void check_momentum(tp_world_def def, const uint32_t along[3])
{
    test_world made = periodic_make(&def, along);
    if (!made.world) return;
    const tp_vector before = momentum_of(made.world);
    run_within(made.world);
    const tp_vector after = momentum_of(made.world);
    tp_view view = tp_world_view(made.world);
    test_note("%uD, formulation %u: %g %g %g", def.dimensions, def.sph.formulation,
              (double)(after.x - before.x), (double)(after.y - before.y),
              (double)(after.z - before.z));
    CHECK_EQ(view.count, along[0] * along[1] * along[2]);
    CHECK_NEAR(after.x, before.x, 2e-4);
    CHECK_NEAR(after.y, before.y, 2e-4);
    CHECK_NEAR(after.z, before.z, 2e-4);
    test_world_free(&made);
}

static void momentum_is_kept_in_a_box_without_sides(void)
{
    for (uint32_t kind = 0; kind < 8; kind++) {
        const periodic_size size = size_of(2 + kind % 2, false);
        tp_world_def def = periodic_def(2 + kind % 2, formulations[kind / 2], size.along);
        check_momentum(def, size.along);
    }
    const periodic_size size = size_of(2, false);
    tp_world_def def = periodic_def(2, TP_SPH_INCOMPRESSIBLE, size.along);
    def.sph.viscosity = 0.01f;
    def.sph.cohesion = 0.5f;
    check_momentum(def, size.along);
    def = periodic_def(2, TP_SPH_DOUBLE_DENSITY, size.along);
    def.sph.springs_max = 16;
    def.sph.spring_stiffness = 10;
    check_momentum(def, size.along);
}

/* ---- equal bits ---- */

static const uint32_t drift_sizes[2][3] = {{40, 31, 1}, {14, 11, 9}};

/* A full box with two species that drifts across its sides; the neighbour limit is hit. Kinds have
   other formulations, forces and axes. */
static tp_world_def drift_def(uint32_t kind, bool stores_neighbours)
{
    tp_world_def def =
        periodic_def(2 + kind % 2, formulations[kind / 2 % 4], drift_sizes[kind % 2]);
    def.sph.stores_neighbours = stores_neighbours;
    def.sph.neighbours_max = kind % 2 ? 34 : 22;
    def.species_count = 2;
    def.species[1] = def.species[0];
    def.lag_frames_max = 64;
    if (kind >= 8) def.periodic_axes = TP_AXIS_X;
    if (kind >= 8) def.sph.cohesion = 0.2f;
    if (kind >= 8) def.sph.viscosity = 0.02f;
    if (kind / 2 % 4 == 1 && kind >= 8) def.sph.springs_max = 12;
    def.sph.timestep_max = fminf(def.sph.timestep_max, tp_sph_timestep_limit(&def));
    return def;
}

static uint64_t drift_outcome(const tp_world_def *def, const uint32_t along[3],
                              const tp_budget *budget)
{
    test_world made = periodic_make(def, along);
    if (!made.world) return 0;
    for (uint32_t call = 0; made.world->clock.frame < 4 && call < 1000000u; call++)
        CHECK(tp_frame(made.world, budget, NULL) >= TP_OK);
    tp_report report = tp_world_report(made.world);
    CHECK(report.neighbours_dropped > 0 || report.killed_particles == 0);
    uint64_t hash = tp_world_hash(made.world) ^ report.neighbours_dropped << 32;
    test_world_free(&made);
    return hash;
}

static void slices_lists_widths_and_workers_change_no_bit(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    for (uint32_t kind = 0; kind < 16; kind++) {
        const uint32_t *along = drift_sizes[kind % 2];
        tp_world_def def = drift_def(kind, true), compact = drift_def(kind, false);
        if (!test_runs(kind, 5)) continue;
        const tp_budget narrow = {.units = 1000000000u, .lanes_max = 4};
        const tp_budget others[4] = {{.units = 1000000000u, .lanes_max = 8},
                                     {.units = 1000000000u, .lanes_max = 16},
                                     {.units = 1000000000u, .jobs = &pool.jobs},
                                     {.units = 777}};
        const uint64_t hash = drift_outcome(&def, along, &narrow);
        for (uint32_t b = 0; b < 4; b++) {
            test_note("kind %u, budget %u", kind, b);
            CHECK_EQ(drift_outcome(&def, along, &others[b]), hash);
        }
        test_note("kind %u, without lists", kind);
        CHECK_EQ(drift_outcome(&compact, along, &others[1]), hash);
    }
    platform_jobs_stop(&pool);
}

/* Positions are rounded in another way, so bits differ. */
static void a_shift_by_half_a_box_changes_no_density(void)
{
    for (uint32_t kind = 0; kind < 8; kind++) {
        const uint32_t dimensions = 2 + kind % 2;
        const periodic_size size = size_of(dimensions, false);
        tp_world_def def = periodic_def(dimensions, formulations[kind / 2], size.along);
        test_world made = periodic_make(&def, size.along), moved = test_world_make(&def);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            tp_vector x = {view.x[i] + 0.5f * def.box_size.x, view.y[i] + 0.5f * def.box_size.y,
                           view.z ? view.z[i] + 0.5f * def.box_size.z : 0};
            CHECK(tp_particle_add(moved.world, x, (tp_vector){0}, 0, NULL) == TP_OK);
        }
        int32_t *sums = (int32_t *)calloc(view.count, 4);
        int64_t largest = 0;
        for (uint32_t w = 0; sums && w < 2; w++) {
            tp_world *world = w ? moved.world : made.world;
            for (uint32_t axis = 0; axis < dimensions;
                 axis++) /* at rest: all are predicted there */
                memset(tpi_front_v(world, axis), 0, view.count * 4u);
            tpi_step_begin(world, tpi_substep_ticks(world));
            CHECK(test_world_run_to(world, TP_STAGE_PRESSURE, 1000));
            const uint32_t *order = tpi_words(world, world->arrays.order);
            for (uint32_t i = 0; i < world->step.count; i++) {
                int32_t *sum = &sums[TPI_ORDER_INDEX(order[i])];
                if (w && llabs((int64_t)tpi_sph_density_of(world)[i] - *sum) > largest)
                    largest = llabs((int64_t)tpi_sph_density_of(world)[i] - *sum);
                *sum = tpi_sph_density_of(world)[i];
            }
        }
        test_note("kind %u: %lld of 8388608", kind, (long long)largest);
        CHECK(largest < 200);
        free(sums);
        test_world_free(&made);
        test_world_free(&moved);
    }
}

/* ---- a channel ---- */

#define CHANNEL_ROWS 20u
#define CHANNEL_PUSH 1.0f /* m/s^2 */

/* Flow between planes at y = 0 and y = H, from rest under a constant acceleration. */
static double poiseuille(double nu, double y, double t)
{
    const double H = (double)(CHANNEL_ROWS * FLUID_SPACING), F = (double)CHANNEL_PUSH,
                 pi = 3.14159265358979;
    double u = F / (2 * nu) * y * (H - y);
    for (int n = 0; n < 30; n++) {
        double k = (2 * n + 1) * pi / H;
        u -= 4 * F * H * H / (nu * pow(pi * (2 * n + 1), 3)) * sin(k * y) * exp(-k * k * nu * t);
    }
    return u;
}

/* `displaced`: randomly, in spacings. */
static test_world channel_make(uint32_t dimensions, tp_sph_formulation formulation, float viscosity,
                               float displaced)
{
    const uint32_t along[3] = {12, CHANNEL_ROWS, dimensions == 3 ? 8 : 1};
    tp_world_def def = periodic_def(dimensions, formulation, along);
    def.periodic_axes = dimensions == 3 ? TP_AXIS_X | TP_AXIS_Z : TP_AXIS_X;
    def.box_low = (tp_vector){0, 0, 0};
    def.sph.viscosity = viscosity;
    test_world made = test_world_make(&def);
    if (!made.world) return made;
    tp_field_def push = tp_field_default(TP_FIELD_GRAVITY);
    push.vector = (tp_vector){CHANNEL_PUSH, 0, 0};
    tp_field field;
    CHECK(tp_field_add(made.world, &push, &field) == TP_OK);
    for (uint32_t side = 0; side < 2; side++) {
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider collider;
        plane.pose.position.y = side ? (float)CHANNEL_ROWS * FLUID_SPACING : 0;
        if (side) plane.pose.rotation = (tp_quaternion){0, 0, 0, 1}; /* down */
        CHECK(tp_collider_add(made.world, &plane, &collider) == TP_OK);
    }
    fluid_block(made.world, along, def.box_low, displaced, 0);
    return made;
}

/* The largest error of particles, over the speed in the middle; and the error of the mean speed,
   over it. */
static double channel_error(const tp_world *world, double t, double *mean)
{
    tp_view view = tp_world_view(world);
    double worst = 0, sum = 0, wanted = 0, nu = (double)tp_world_definition(world)->sph.viscosity;
    for (uint32_t i = 0; i < view.count; i++) {
        double u = poiseuille(nu, (double)view.y[i], t);
        worst = fmax(worst, fabs((double)view.vx[i] - u));
        sum += (double)view.vx[i];
        wanted += u;
    }
    *mean = sum / wanted - 1;
    return worst / poiseuille(nu, 0.5 * (double)(CHANNEL_ROWS * FLUID_SPACING), t);
}

/* Up to a steady flow, after H^2 / nu / 2, errors may be `start`, then `steady`. */
static void check_channel(uint32_t dimensions, tp_sph_formulation formulation, float viscosity,
                          uint32_t frames, double start, double steady)
{
    const double height = (double)(CHANNEL_ROWS * FLUID_SPACING);
    test_world made = channel_make(dimensions, formulation, viscosity, 0);
    if (!made.world) return;
    for (uint32_t frame = 30; frame <= frames; frame += 30) {
        test_world_frames(made.world, 30);
        double t = frame / 60.0, mean, worst = channel_error(made.world, t, &mean);
        double most = t * (double)viscosity < 0.5 * height * height ? start : steady;
        test_note("%uD, formulation %u, t = %.2f s: worst %.4f, mean %.4f", dimensions, formulation,
                  t, worst, mean);
        CHECK(worst < most);
        CHECK_NEAR(mean, 0, most);
    }
    test_world_free(&made);
}

/* From rest, with the iterations of the default; long: until the flow is steady. In 2D the first
   two rows of an incompressible fluid are 1.08 spacings apart, so it slips a little. */
static void a_channel_has_the_profile_of_poiseuille(void)
{
    const bool is_long = test_is_long();
    check_channel(2, TP_SPH_INCOMPRESSIBLE, 0.1f, is_long ? 480 : 60, 0.03, 0.02);
    check_channel(2, TP_SPH_INCOMPRESSIBLE, 0.5f, 60, 0.045, 0.045);
    check_channel(2, TP_SPH_IDEAL_GAS, 0.1f, is_long ? 480 : 60, 0.02, 0.02);
    check_channel(3, TP_SPH_INCOMPRESSIBLE, 0.1f, is_long ? 480 : 30, 0.02, 0.02);
}

/* 1 if all particles are in rows, near 0 if they are anywhere. */
static double channel_order(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sums[2] = {0};
    for (uint32_t i = 0; i < view.count; i++) {
        double phase = 2 * 3.14159265358979 * (double)view.y[i] / (double)FLUID_SPACING;
        sums[0] += cos(phase) / view.count;
        sums[1] += sin(phase) / view.count;
    }
    return hypot(sums[0], sums[1]);
}

/* A lattice that is displaced a little loses its rows by shear, and keeps the flow. */
static void a_channel_without_rows_has_the_speed_of_poiseuille(void)
{
    test_world made = channel_make(2, TP_SPH_INCOMPRESSIBLE, 0.1f, 0.1f);
    double mean, worst;
    if (!made.world) return;
    test_world_frames(made.world, test_is_long() ? 1200 : 360);
    worst = channel_error(made.world, test_is_long() ? 20 : 6, &mean);
    test_note("order %.2f, worst %.3f, mean %.3f", channel_order(made.world), worst, mean);
    CHECK(channel_order(made.world) < 0.8);
    CHECK(worst < 0.12);
    CHECK_NEAR(mean, 0, 0.04);
    test_world_free(&made);
}

/* ---- vortices ---- */

#define VORTEX_COUNT 32u                                   /* particles along a side */
#define VORTEX_SIDE  ((float)VORTEX_COUNT * FLUID_SPACING) /* m */

/* The vortices of Taylor and Green (1937) in a square: u = -cos kx sin ky, v = sin kx cos ky,
   k = 2 pi / side, at 1 m/s. They decay as exp(-2 nu k^2 t). */
static tp_vector vortex_at(float x, float y)
{
    const float k = 2 * 3.14159265f / VORTEX_SIDE;
    return (tp_vector){-cosf(k * x) * sinf(k * y), sinf(k * x) * cosf(k * y), 0};
}

/* The share of these vortices in the velocities. */
static double vortex_amplitude(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        tp_vector u = vortex_at(view.x[i], view.y[i]);
        sum += (double)(u.x * view.vx[i] + u.y * view.vy[i]);
    }
    return 2 * sum / view.count;
}

/* m^2/s: the viscosity at which they decay as they do in so many frames. They begin in a fluid that
   was displaced at random by up to `jitter` spacings, and had a second to settle. */
static double vortex_viscosity(tp_sph_formulation formulation, float viscosity, float jitter,
                               uint32_t frames)
{
    const uint32_t along[3] = {VORTEX_COUNT, VORTEX_COUNT, 1};
    tp_world_def def = periodic_def(2, formulation, along);
    def.box_low = (tp_vector){0, 0, 0};
    def.sph.viscosity = viscosity;
    test_world made = test_world_make(&def);
    if (!made.world) return 0;
    fluid_block(made.world, along, def.box_low, jitter, 0);
    if (jitter > 0) test_world_frames(made.world, 60);
    for (uint32_t i = 0; i < VORTEX_COUNT * VORTEX_COUNT; i++) {
        tp_view view = tp_world_view(made.world);
        tp_vector x = {view.x[i], view.y[i], 0};
        CHECK(tp_particle_set(made.world, i, x, vortex_at(x.x, x.y)) == TP_OK);
    }
    double begin = vortex_amplitude(made.world);
    CHECK_NEAR(begin, 1, jitter > 0 ? 0.01 : 1e-4);
    test_world_frames(made.world, frames);
    double k = 2 * 3.14159265 / (double)VORTEX_SIDE, end = vortex_amplitude(made.world) / begin,
           found = -log(end) / (frames / 60.0) / (2 * k * k);
    test_note("formulation %u, %.3f m^2/s, jitter %.1f: %.4f after %u frames: %.4f m^2/s",
              formulation, (double)viscosity, (double)jitter, end, frames, found);
    test_world_free(&made);
    return found;
}

/* At a Reynolds number of 10, within 10 % in a fluid without rows. A lattice along the axes resists
   these vortices more than other shears: there the incompressible one has 1.10. Long: what the
   method itself adds, at 1000: 0.3 times speed and spacing in a gas, 0.9 in an incompressible
   fluid, whose vortices lose their order. */
static void vortices_decay_at_the_rate_of_taylor_and_green(void)
{
    for (uint32_t f = 0; f < 4; f++) {
        if (formulations[f] == TP_SPH_DOUBLE_DENSITY) continue; /* has viscosities of its own */
        bool is_gas = formulations[f] != TP_SPH_INCOMPRESSIBLE;
        CHECK_NEAR(vortex_viscosity(formulations[f], 0.16f, 0.5f, 12), 0.16, 0.016);
        if (!test_is_long()) continue;
        CHECK_NEAR(vortex_viscosity(formulations[f], 0.16f, 0, 12), 0.16, is_gas ? 0.016 : 0.018);
        double added = vortex_viscosity(formulations[f], 0.0016f, 0, 96) - 0.0016;
        CHECK(added < (is_gas ? 0.3 : 1.0) * (double)FLUID_SPACING);
    }
}

/* ---- definitions ---- */

static void check_refused(const tp_world_def *def, const char *text)
{
    const char *found = tp_world_check(def);
    if (!CHECK(found && strstr(found, text))) test_note("%s", found ? found : "accepted");
}

static void definitions_are_refused_with_the_field(void)
{
    const periodic_size size = size_of(2, true);
    const tp_world_def good = periodic_def(2, TP_SPH_INCOMPRESSIBLE, size.along);
    tp_world_def def = good;
    CHECK(tp_world_check(&def) == NULL);
    def.box_size.x = 3.9f * def.sph.smoothing_radius;
    check_refused(&def, "box_size must be at least four times sph.smoothing_radius");
    def = good;
    def.periodic_axes = TP_AXIS_Z;
    check_refused(&def, "periodic_axes must not name z");
    def = good;
    def.box_low.y = 2e5f * def.sph.smoothing_radius;
    check_refused(&def, "box_low and box_low + box_size must be within 1e5");
    def = good;
    def.solver = TP_SOLVER_NONE;
    check_refused(&def, "periodic_axes needs TP_SOLVER_PAIR or TP_SOLVER_SPH");
}

static const test_case cases[] = {
    TEST_CASE(densities_across_the_sides_are_those_of_all_images),
    TEST_CASE(momentum_is_kept_in_a_box_without_sides),
    TEST_CASE(slices_lists_widths_and_workers_change_no_bit),
    TEST_CASE(a_shift_by_half_a_box_changes_no_density),
    TEST_CASE(vortices_decay_at_the_rate_of_taylor_and_green),
    TEST_CASE(a_channel_has_the_profile_of_poiseuille),
    TEST_CASE(a_channel_without_rows_has_the_speed_of_poiseuille),
    TEST_CASE(definitions_are_refused_with_the_field),
};
TEST_SUITE(periodic, cases);
