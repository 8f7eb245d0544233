/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_world.c - times the SPH fluid of the runtime in a tank, in total and
           per stage.
   reads   -      writes  a result
   memory  the world's block      cost    settling + steps
   after   own design: whole steps are timed first; then more steps are timed slice by slice for the
           stages */
#include "bench.h"
#include "../common/loop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STAGE_STEPS_LEAST 8u /* steps of the second pass */
#define STAGE_STEPS_MOST  32u

void bench_lengths(const bench_plan *plan, float *spacing, float *smoothing_radius)
{
    *spacing = 0.11f; /* published constants: settles to about 26 neighbours */
    *smoothing_radius = 0.3f;
    if (plan->dimensions == 3 || plan->is_incompressible) {
        *spacing = plan->frame_steps ? 0.05f : 0.1f;
        *smoothing_radius = 2 * *spacing;
    } else if (plan->neighbours < 20) {
        *smoothing_radius = 0.22f; /* deep fluid is denser: 20 000 particles have 18.6 */
    }
}

uint32_t bench_columns(uint32_t dimensions, uint32_t particles)
{
    double side = dimensions == 2 ? sqrt(2.0 * particles) : cbrt(2.0 * particles);
    uint32_t columns = (uint32_t)(side + 0.5);
    return columns ? columns : 1;
}

/* 2D: the published constants; 3D: a fluid of the same spacing; or the incompressible fluid of that
   spacing. The frame is not longer than sph.timestep_max: one step per frame. */
static void set_fluid(const bench_plan *plan, tp_world_def *def)
{
    def->frames_per_second_numerator = 280;
    if (plan->is_incompressible) {
        tp_sph_incompressible(def, plan->frame_steps ? 0.05f : 0.1f);
        def->frames_per_second_numerator = plan->frame_steps ? 60 : 240;
        if (!plan->frame_steps) return;
        def->substeps.count = plan->frame_steps;
        def->substeps.count_max = plan->frame_steps_most;
        return;
    }
    if (plan->dimensions == 2) return;
    def->sph.stiffness = 0.0006f;
    def->sph.near_stiffness = 0.00075f;
    def->sph.surface_tension = 0.00002f;
    def->frames_per_second_numerator = 360;
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

tp_budget bench_budget(const bench_plan *plan)
{
    return (tp_budget){.lanes_max = (uint8_t)plan->lanes, .jobs = plan->jobs};
}

double bench_seconds(const tp_jobs *jobs) { return jobs ? host_seconds() : host_thread_seconds(); }

double bench_median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

void bench_finish(bench_result *result, double *frame_ns, const uint32_t *frame_steps,
                  uint32_t frames)
{
    double sum = 0;
    for (uint32_t i = 0; i < frames; i++) {
        sum += frame_ns[i];
        if (frame_steps && frame_steps[i]) frame_ns[i] /= frame_steps[i];
    }
    result->seconds = sum * 1e-9;
    result->ns_per_particle_step = sum / result->steps / result->particles;
    result->median_ns = bench_median(frame_ns, frames) / result->particles;
    result->worst_ns = frame_ns[frames - 1] / result->particles;
}

float bench_rest_density(const bench_plan *plan)
{
    float spacing;
    /* 82: as published */
    if (plan->dimensions == 2) return plan->neighbours > 20 ? 82.0f : 40.0f;
    tp_world_def def = tp_world_default(plan->dimensions);
    set_fluid(plan, &def);
    bench_lengths(plan, &spacing, &def.sph.smoothing_radius);
    return (float)scene_balanced_density(&def, (double)spacing);
}

/* ---- the tank */

static tp_world_def tank_def(const bench_plan *plan)
{
    float spacing;
    tp_world_def def = tp_world_default(plan->dimensions);
    def.particles_max = plan->particles;
    def.emitters_max = def.sinks_max = 0;
    def.fields_max = 1;
    def.colliders_max = 2 * plan->dimensions;
    def.seed = plan->seed;
    if (plan->slice) def.slice_units = plan->slice;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.keeps_births = false;
    bench_lengths(plan, &spacing, &def.sph.smoothing_radius);
    def.species[0].radius = 0.05f;
    def.sph.stores_neighbours = !plan->is_compact;
    set_fluid(plan, &def);
    if (!plan->is_incompressible) def.species[0].rest_density = bench_rest_density(plan);
    return def;
}

static tp_result add_walls(tp_world *world, uint32_t dimensions, const float size[3])
{
    tp_field field;
    tp_collider collider;
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    gravity.vector = (tp_vector){0, -9.8f, 0};
    tp_result result = tp_field_add(world, &gravity, &field);
    for (uint32_t wall = 0; wall < 2 * dimensions && result >= TP_OK; wall++) {
        uint32_t axis = wall / 2;
        double normal[3] = {0, 0, 0};
        float at[3] = {0, 0, 0};
        normal[axis] = wall % 2 ? -1 : 1;
        at[axis] = wall % 2 ? size[axis] : 0;
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        plane.pose.position = (tp_vector){at[0], at[1], at[2]};
        plane.pose.rotation = scene_turn_to(normal);
        result = tp_collider_add(world, &plane, &collider);
    }
    return result;
}

/* A lattice with a tiny repeatable jitter, so that columns do not stay in balance. */
static tp_result fill_tank(tp_world *world, const bench_plan *plan)
{
    float spacing, radius, size[3];
    uint32_t columns = bench_columns(plan->dimensions, plan->particles),
             layers = plan->dimensions == 3 ? columns : 1;
    bench_lengths(plan, &spacing, &radius);
    /* half a spacing; tanks without frame_steps have a gap of 0.05 m, as in earlier figures */
    const float edge = plan->frame_steps ? 0.5f * spacing : 0.05f,
                gap = plan->frame_steps ? 0 : 0.05f;
    size[0] = (plan->is_dam ? 1.5f : 1.0f) * (float)columns * spacing + gap;
    size[1] = (float)(columns + 20) * spacing;
    size[2] = (float)layers * spacing + gap;
    tp_result result = add_walls(world, plan->dimensions, size);
    uint32_t random = plan->seed * 2654435761u + 12345u;
    for (uint32_t i = 0; i < plan->particles && result >= TP_OK; i++) {
        uint32_t column = i % columns, layer = i / columns % layers, row = i / columns / layers;
        random = random * 1664525u + 1013904223u;
        float jitter = (float)(random >> 8) * (0.01f / 16777216.0f) * spacing;
        tp_vector at = {edge + (float)column * spacing + jitter,
                        edge + (float)row * spacing + jitter,
                        plan->dimensions == 3 ? edge + (float)layer * spacing + jitter : 0};
        result = tp_particle_add(world, at, (tp_vector){0, 0, 0}, 0, NULL);
    }
    return result;
}

/* ---- the clock */

static void time_stages(tp_world *world, const bench_plan *plan, bench_result *result)
{
    uint32_t steps = plan->steps / 4;
    tp_report report = tp_world_report(world);
    uint64_t lists = report.lists_built, begun = report.steps;
    if (steps < STAGE_STEPS_LEAST) steps = STAGE_STEPS_LEAST;
    if (steps > STAGE_STEPS_MOST) steps = STAGE_STEPS_MOST;
    for (uint32_t step = 0; step < steps; step++) {
        bench_watch watch;
        if (bench_watch_frame(&watch, world, plan, &report) < TP_OK) return;
        for (int s = 0; s < TP_WORLD_STAGES; s++)
            result->stage_ns[s] += (watch.seconds[0][s] + watch.seconds[1][s]) * 1e9;
    }
    double done = (double)(report.steps - begun);
    for (int s = 0; s < TP_WORLD_STAGES; s++) result->stage_ns[s] /= done * result->particles;
    const tp_world_def *def = tp_world_definition(world);
    double built = def->solver == TP_SOLVER_PAIR ? (double)(report.lists_built - lists) / done : 1;
    /* an incompressible fluid passes over its lists several times, which the model does not have */
    if (!plan->is_incompressible)
        bench_touched(def, result->neighbours, built, result->stage_bytes);
}

static void keep_state(const tp_world *world, float *state)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; state && i < view.count; i++) {
        state[4 * (size_t)i] = view.x[i];
        state[4 * (size_t)i + 1] = view.y[i];
        state[4 * (size_t)i + 2] = view.vx[i];
        state[4 * (size_t)i + 3] = view.vy[i];
    }
}

/* Measured frames, and a copy of the state before them if they are repeated. */
typedef struct bench_frames {
    double *ns, pairs;
    uint32_t *steps;
    void *start;
} bench_frames;

static void frames_close(bench_frames *frames)
{
    free(frames->ns);
    free(frames->steps);
    free(frames->start);
}

static bool frames_open(bench_frames *frames, const bench_plan *plan, size_t bytes)
{
    *frames = (bench_frames){.ns = host_allocate(plan->steps, sizeof *frames->ns),
                             .steps = host_allocate(plan->steps, sizeof *frames->steps),
                             .start = plan->repeats > 1 ? host_allocate(bytes, 1) : NULL};
    if (frames->ns && frames->steps && (frames->start || plan->repeats < 2)) return true;
    frames_close(frames);
    return false;
}

/* Runs the frames once. Every repeat has the same steps, so the least time of a frame counts. */
static tp_result time_frames(tp_world *world, const bench_plan *plan, uint32_t repeat,
                             bench_frames *frames, tp_report *report)
{
    tp_budget budget = bench_budget(plan);
    tp_result code = TP_OK;
    frames->pairs = 0;
    for (uint32_t i = 0; i < plan->steps && code >= TP_OK; i++) {
        uint64_t begun = report->steps;
        double started = bench_seconds(plan->jobs);
        code = tp_frame(world, &budget, report);
        double ns = (bench_seconds(plan->jobs) - started) * 1e9;
        if (!repeat || ns < frames->ns[i]) frames->ns[i] = ns;
        frames->steps[i] = (uint32_t)(report->steps - begun);
        frames->pairs += (double)report->pairs;
    }
    return code;
}

static void fill_result(const tp_world *world, const bench_plan *plan, const tp_report *report,
                        bench_frames *frames, bench_result *result)
{
    result->particles = report->particles;
    for (uint32_t i = 0; i < plan->steps; i++) {
        result->steps += frames->steps[i];
        result->frame_ms += frames->ns[i] * 1e-6 / plan->steps;
        result->worst_frame_ms = fmax(result->worst_frame_ms, frames->ns[i] * 1e-6);
    }
    result->lanes = stage_lanes(plan->lanes);
    result->neighbours =
        2 * frames->pairs / plan->steps / (report->particles ? report->particles : 1);
    result->state_hash = tp_world_hash(world);
    result->has_hash = true;
    bench_finish(result, frames->ns, frames->steps, plan->steps);
}

static double height_of(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double height = 0;
    for (uint32_t i = 0; i < view.count; i++) height += (double)view.y[i] / view.count;
    return height;
}

static int time_steps(tp_world *world, const bench_plan *plan, bench_result *result)
{
    tp_report report = tp_world_report(world);
    tp_budget budget = bench_budget(plan);
    bench_frames frames;
    size_t bytes = result->memory_bytes;
    tp_result code = TP_OK;
    if (!frames_open(&frames, plan, bytes)) return host_out_of_memory("a benchmark");
    for (uint32_t i = 0; i < plan->settling && code >= TP_OK; i++)
        code = tp_frame(world, &budget, &report);
    keep_state(world, plan->state);
    if (frames.start) memcpy(frames.start, world, bytes);
    for (uint32_t repeat = 0; (!repeat || repeat < plan->repeats) && code >= TP_OK; repeat++) {
        if (repeat) memcpy(world, frames.start, bytes);
        report = tp_world_report(world);
        code = time_frames(world, plan, repeat, &frames, &report);
    }
    if (code >= TP_OK) {
        fill_result(world, plan, &report, &frames, result);
        result->height = height_of(world);
        if (strcmp(plan->name, "cloth") == 0) bench_strains(world, result);
        time_stages(world, plan, result);
    }
    frames_close(&frames);
    return code >= TP_OK
               ? HOST_DONE
               : host_error(HOST_BAD_INPUT, plan->name, HOST_NO_OFFSET, "%s", tp_result_text(code));
}

int bench_world(const bench_plan *plan, bench_result *result)
{
    tp_world_def def = tank_def(plan);
    return bench_filled(&def, plan, fill_tank, result);
}

int bench_create(const tp_world_def *def, const bench_plan *plan, void **memory, tp_world **world)
{
    size_t bytes = 0;
    const char *sentence = tp_world_check(def);
    *memory = NULL;
    if (sentence) return host_error(HOST_BAD_INPUT, plan->name, HOST_NO_OFFSET, "%s", sentence);
    tp_result code = tp_world_memory(def, &bytes);
    void *block = code >= TP_OK ? stage_block(bytes, memory) : NULL;
    if (code >= TP_OK && !block) return host_out_of_memory("a benchmark");
    if (code >= TP_OK) code = tp_world_create(def, block, bytes, world);
    if (code >= TP_OK) return HOST_DONE;
    free(*memory);
    return host_error(HOST_BAD_INPUT, plan->name, HOST_NO_OFFSET, "%s", tp_result_text(code));
}

int bench_filled(const tp_world_def *def, const bench_plan *plan,
                 tp_result (*fill)(tp_world *world, const bench_plan *plan), bench_result *result)
{
    tp_world *world = NULL;
    void *memory = NULL;
    memset(result, 0, sizeof *result);
    int done = bench_create(def, plan, &memory, &world);
    if (done) return done;
    tp_result code = tp_world_memory(def, &result->memory_bytes);
    if (code >= TP_OK) code = fill(world, plan);
    done = code < TP_OK
               ? host_error(HOST_BAD_INPUT, plan->name, HOST_NO_OFFSET, "%s", tp_result_text(code))
               : time_steps(world, plan, result);
    free(memory);
    return done;
}
