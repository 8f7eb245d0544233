/* SPDX-License-Identifier: MIT
   tests/calls/shares.c - sets of large worlds that share the budget of tp_frame_worlds, in frame
           after frame.
   reads   a seed      writes  a hash of all states and reports at every return
   memory  2 to 4 worlds, below 4 MB each      cost  the budgets, some 5 ms a set
   after   own design: budgets end inside steps, where the work done depends on the vector width.
           Charged units and the shares of the worlds must not depend on it */
#include "calls.h"

enum { SHARES_MAX = 4, SHARES_CALLS = 20 };

/* Half of the worlds are fluids. The others have pairs, some of them hard spheres or species of
   several sizes. */
static tp_world_def world_of(calls_sequence *s, bool is_fluid, bool has_jobs)
{
    static const tp_potential potentials[] = {
        TP_POTENTIAL_LENNARD_JONES, TP_POTENTIAL_LJ_FORCE_SHIFT, TP_POTENTIAL_HARD_SPHERE};
    tp_world_def def = tp_world_default(2u + calls_below(s, 2));
    def.solver = is_fluid ? TP_SOLVER_SPH : TP_SOLVER_PAIR;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.integrator = is_fluid ? TP_INTEGRATOR_EULER : TP_INTEGRATOR_KDK;
    def.particles_max = has_jobs ? 1000u + calls_below(s, 4000) : 300u + calls_below(s, 1700);
    def.overload = (tp_overload)calls_below(s, 3);
    def.slice_units = 64u + calls_below(s, calls_one_in(s, 2) ? 300u : 5000u);
    def.lag_frames_max = 1u + calls_below(s, 4);
    def.substeps.count = 1u + calls_below(s, 3);
    def.sph.stores_neighbours = calls_one_in(s, 2);
    if (calls_one_in(s, 3)) def.sph.neighbours_max = 8u + calls_below(s, 24);
    def.speed_max = 10.0f;
    if (is_fluid) return def;
    def.pair.potential = potentials[calls_below(s, 3)];
    def.pair.stores_neighbours = !calls_one_in(s, 4);
    if (calls_one_in(s, 3)) def.pair.neighbours_max = 8u + calls_below(s, 24);
    if (calls_one_in(s, 3)) def.pair.skin = 0.0f;
    def.species_count = 1u + calls_below(s, 2);
    def.species[0].sigma = 0.15f, def.species[1].sigma = 0.3f;
    def.species[0].epsilon = def.species[1].epsilon = 0.1f;
    return def;
}

/* A hollow box full of particles, at about the rest density or up to some times that. */
static void fill(calls_sequence *s, tp_world *world, const tp_world_def *def)
{
    float room = (def->dimensions == 2 ? 0.01f : 0.002f) * (float)def->particles_max, side = 0.1f;
    float density = 1.0f + (float)calls_below(s, 4), volume = side;
    while (volume * density < room) {
        side += 0.01f;
        volume = def->dimensions == 2 ? side * side : side * side * side;
    }
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_field field;
    tp_collider collider;
    box.is_hollow = true;
    box.half = (tp_vector){side, side, side};
    (void)calls_note(s, "field_add", tp_field_add(world, &gravity, &field));
    (void)calls_note(s, "collider_add", tp_collider_add(world, &box, &collider));
    uint32_t count = def->particles_max - calls_below(s, def->particles_max / 4u);
    for (uint32_t k = 0; k < count; k++) {
        tp_vector position = calls_vector(s, 0.5f * side, 0), velocity = calls_vector(s, 1.0f, 0);
        tp_result result =
            tp_particle_add(world, position, velocity, calls_below(s, def->species_count), NULL);
        calls_promise(s, result == TP_OK, "a particle is added where there is capacity");
    }
}

static tp_world *make(calls_sequence *s, bool is_fluid, bool has_jobs)
{
    tp_world_def def = world_of(s, is_fluid, has_jobs);
    tp_world *world = NULL;
    size_t bytes = 0;
    const char *problem = tp_world_check(&def);
    calls_promise(s, problem == NULL, problem);
    calls_promise(s, tp_world_memory(&def, &bytes) == TP_OK, "a good definition has a size");
    void *block = aligned_alloc(64, (bytes + 63u) / 64u * 64u);
    if (!block) exit(2);
    calls_promise(s, tp_world_create(&def, block, bytes, &world) == TP_OK && (void *)world == block,
                  "a world lies at the start of its block");
    fill(s, world, &def);
    return world;
}

/* Most budgets end inside a step. With jobs some are long enough for pairs to be handed to threads.
   None has a clock: builds with vectors end large slices elsewhere, and read it there. */
static tp_budget budget_of(calls_sequence *s, tp_jobs *jobs, uint32_t count)
{
    static const uint32_t units[] = {300, 3000, 20000, 60000, 400000};
    tp_budget budget = calls_budget(s, NULL);
    budget.microseconds = 0;
    budget.clock_us = NULL;
    budget.units = 64u * count + calls_below(s, units[calls_below(s, 5)]);
    if (calls_one_in(s, 5)) budget.stage_units[TP_STAGE_PAIRS] = 64u + calls_below(s, 3000);
    if (calls_one_in(s, 10)) budget.stage_units[TP_STAGE_FORCE] = 64u + calls_below(s, 3000);
    if (!jobs) return budget;
    if (calls_one_in(s, 3)) budget.units += 300000u;
    if (calls_one_in(s, 5)) return budget;
    jobs->workers = calls_below(s, 20);
    budget.jobs = jobs;
    return budget;
}

static void share(calls_sequence *s, tp_share *shares, uint32_t count, tp_jobs *jobs)
{
    tp_budget budget = budget_of(s, jobs, count);
    uint64_t charged = 0;
    for (uint32_t k = 0; k < count; k++) {
        shares[k].priority = calls_below(s, 3);
        shares[k].guaranteed_units =
            calls_one_in(s, 2) ? calls_below(s, (budget.units - 64u * count) / count + 2u) : 0;
    }
    tp_result result = tp_frame_worlds(shares, count, &budget);
    calls_promise(s, result >= TP_OK, "a good budget is accepted");
    for (uint32_t k = 0; k < count; k++) {
        const tp_report *report = &shares[k].report;
        calls_fold_report(s, report);
        calls_fold_word(s, tp_world_hash(shares[k].world));
        charged += report->units;
        if (s->is_verbose)
            printf("    world %u: %llu units, longest slice %u, %llu steps\n", k,
                   (unsigned long long)report->units, report->slice_units_longest,
                   (unsigned long long)report->steps);
    }
    if (!budget.is_same_frame)
        calls_promise(s, charged < (uint64_t)budget.units + 64u,
                      "worlds exceed one budget by less than the least slice");
    (void)calls_note(s, "frame_worlds", result);
}

/* What a game does between frames; a step under way starts again. */
static void edit(calls_sequence *s, tp_world *world)
{
    uint32_t count = tp_world_view(world).count;
    tp_vector position = calls_vector(s, 0.3f, 0), velocity = calls_vector(s, 1.0f, 0);
    if (!count) return;
    (void)calls_note(s, "particle_set",
                     tp_particle_set(world, calls_below(s, count), position, velocity));
}

void calls_on_shares(calls_sequence *s, bool has_jobs)
{
    static tp_share shares[SHARES_MAX];
    static uint32_t made; /* the last set may have ended early */
    tp_jobs jobs = {calls_run_parts, s, 0};
    uint32_t count = 2u + calls_below(s, SHARES_MAX - 1u), fluids = calls_below(s, 2);
    for (; made > 0; made--) free(shares[made - 1u].world);
    memset(shares, 0, sizeof shares);
    for (; made < count; made++) shares[made].world = make(s, (made + fluids) % 2u == 0, has_jobs);
    for (s->step = 0; s->step < SHARES_CALLS; s->step++) {
        share(s, shares, count, has_jobs ? &jobs : NULL);
        if (calls_one_in(s, 8)) edit(s, shares[calls_below(s, count)].world);
    }
}
