/* SPDX-License-Identifier: MIT
   tests/calls/frames.c - calls that simulate: budgets, shares, slices, snapshots.
   reads   the sequence      writes  its worlds
   memory  none             cost    the budgets
   after   own design; a frame in slices must have the hash of the frame without slices */
#include "calls.h"

static uint64_t tick(void *context)
{
    calls_sequence *sequence = context;
    return sequence->clock += 3;
}

void calls_run_parts(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                     uint32_t count)
{
    const calls_sequence *sequence = context;
    for (uint32_t k = 0; k < count; k++)
        work(argument, sequence->is_backwards ? count - 1u - k : k);
}

tp_budget calls_budget(calls_sequence *s, tp_jobs *jobs)
{
    static const uint32_t units[] = {0, 1, 63, 64, 65, 200, 1000, 1000, 5000, 20000, 100000};
    tp_budget budget = {.units = units[calls_below(s, sizeof units / sizeof units[0])]};
    budget.frames_max = budget.units ? calls_below(s, 3) : 1u;
    budget.is_same_frame = calls_one_in(s, 6);
    if (calls_one_in(s, 8))
        budget.stage_units[calls_below(s, TP_STAGE_COUNT)] = 1u + calls_below(s, 1000);
    if (jobs && calls_one_in(s, 8)) {
        *jobs = (tp_jobs){calls_run_parts, s, calls_below(s, 20)};
        budget.jobs = jobs;
    }
    budget.lanes_max = (uint8_t)(4u * calls_below(s, 5)); /* 12 is 8, and 0 is all */
    if (calls_one_in(s, 6)) {
        budget.clock_us = tick;
        budget.clock_context = s;
        budget.microseconds = calls_below(s, 60);
    }
    return budget;
}

static void fold_pools(calls_sequence *s, const tp_report *r)
{
    for (uint32_t p = 0; p < TP_POOL_COUNT; p++) {
        calls_fold_word(s, r->pools[p].used + ((uint64_t)r->pools[p].peak << 32));
        calls_fold_word(s, r->pools[p].refused + r->pools[p].retired);
        calls_promise(s, r->pools[p].used <= r->pools[p].peak, "a pool's use is at most its peak");
        calls_promise(s, r->pools[p].peak <= r->pools[p].capacity,
                      "a pool's peak is at most its capacity");
    }
}

void calls_fold_report(calls_sequence *s, const tp_report *r)
{
    const uint64_t words[] = {r->game_frames,
                              r->frames,
                              r->steps,
                              r->steps_in_frame,
                              r->frames_completed,
                              r->units,
                              r->lag_ticks,
                              r->lag_ticks_dropped,
                              r->lagged_frames,
                              r->step_ticks,
                              r->courant_exceeded,
                              r->coarsened_steps,
                              r->steps_shortened,
                              r->steps_strained,
                              r->steps_restarted,
                              r->particles,
                              r->born,
                              r->died,
                              r->recycled,
                              r->killed_particles,
                              r->pairs,
                              r->neighbours_largest,
                              r->neighbours_dropped,
                              r->neighbours_dropped_frame,
                              r->particles_skipped,
                              r->displacements_clamped,
                              r->speeds_clamped,
                              r->contacts,
                              r->contacts_limited,
                              r->pushed_out,
                              r->room_hops,
                              r->rooms_limited,
                              r->rooms_missed,
                              r->rooms_exceeded,
                              r->walls_limited,
                              r->overlaps_guarded,
                              r->lists_built,
                              r->collisions,
                              r->overlaps_unresolved,
                              r->links_dropped,
                              r->links_broken,
                              r->links_guarded,
                              r->link_forces_clamped,
                              r->events,
                              r->events_dropped,
                              r->feeds_dropped,
                              r->births_limited};
    calls_fold(s, words, sizeof words);
    calls_fold(s, r->stage_units, sizeof r->stage_units);
    calls_fold(s, &r->timestep, sizeof r->timestep);
    calls_fold(s, &r->courant, sizeof r->courant);
    calls_fold(s, &r->strain, sizeof r->strain);
    calls_fold(s, &r->compression, sizeof r->compression);
    calls_fold(s, &r->compression_max, sizeof r->compression_max);
    fold_pools(s, r);
    calls_promise(
        s, r->particles + r->died + r->killed_particles + r->recycled <= r->born + 0xffffffffu,
        "particles are born before they die");
}

/* The same in all builds only where worlds are small: builds with vectors end large slices where
   groups of cells end. */
static void fold_slices(calls_sequence *s, const tp_report *r)
{
    calls_fold_word(s, r->slice_units_longest + (r->slice_units_longest_ever << 32));
    calls_fold_word(s, r->microseconds + ((uint64_t)r->slice_microseconds_longest << 32));
}

static void check_budget(calls_sequence *s, const calls_world *w, const tp_budget *budget,
                         const tp_report *r)
{
    if (!budget->units || budget->is_same_frame) return;
    calls_promise(s, r->units < (uint64_t)budget->units + 64u,
                  "a call exceeds its budget by less than the least slice");
    if (!w->has_jobs)
        calls_promise(s, r->slice_units_longest <= w->def.slice_units,
                      "a slice is at most the definition's bound");
}

static void frame(calls_sequence *s, calls_world *w)
{
    tp_jobs jobs;
    tp_report report;
    tp_budget budget = calls_budget(s, &jobs);
    w->has_jobs = w->has_jobs || budget.jobs;
    tp_result result = calls_note(s, "frame", tp_frame(w->world, &budget, &report));
    if (result < TP_OK) return;
    calls_fold_report(s, &report);
    fold_slices(s, &report);
    check_budget(s, w, &budget, &report);
    calls_fold_word(s, tp_world_hash(w->world));
    calls_promise(s, tp_lanes() >= 1u && tp_lanes() <= 16u, "vectors have 1 to 16 numbers");
}

static void frames_of_all(calls_sequence *s)
{
    tp_share shares[CALLS_WORLDS + 1u];
    tp_jobs jobs;
    tp_budget budget = calls_budget(s, &jobs);
    uint32_t count = 0;
    uint64_t charged = 0;
    memset(shares, 0, sizeof shares);
    for (uint32_t k = 0; k < CALLS_WORLDS; k++) {
        if (!s->worlds[k].world) continue;
        s->worlds[k].has_jobs = s->worlds[k].has_jobs || budget.jobs;
        shares[count].world = s->worlds[k].world;
        shares[count].priority = calls_below(s, 3);
        shares[count++].guaranteed_units =
            calls_one_in(s, 2) ? calls_below(s, budget.units / 2u) : 0;
    }
    if (count && calls_one_in(s, 20)) shares[count] = shares[0], count++;
    tp_result result =
        calls_one_in(s, 3)
            ? calls_note(s, "frame_together", tp_frame_together(shares, count, &budget))
            : calls_note(s, "frame_worlds", tp_frame_worlds(shares, count, &budget));
    if (result < TP_OK) return;
    for (uint32_t k = 0; k < count; k++) {
        calls_fold_report(s, &shares[k].report);
        fold_slices(s, &shares[k].report);
        calls_fold_word(s, tp_world_hash(shares[k].world));
        charged += shares[k].report.units;
    }
    if (budget.units && !budget.is_same_frame)
        calls_promise(s, charged < (uint64_t)budget.units + 64u,
                      "worlds exceed one budget by less than the least slice");
}

/* Simulates to the end of the next frame in calls of `units`; false after more than `calls`
   calls. */
static bool run_frame(tp_world *world, uint32_t units, uint32_t calls)
{
    uint64_t frames = tp_world_report(world).frames;
    tp_budget budget = {.units = units, .frames_max = 1};
    for (uint32_t k = 0; k < calls && tp_world_report(world).frames == frames; k++)
        if (tp_frame(world, &budget, NULL) < TP_OK) return false;
    return tp_world_report(world).frames > frames;
}

static void slice(calls_sequence *s, calls_world *w)
{
    static const uint32_t units[] = {64, 100, 333, 1000, 7777};
    calls_room *room = &w->room[1u - w->in_use];
    if (w->def.overload == TP_OVERLOAD_COARSEN) return; /* its time steps depend on the budget */
    unsigned char *copy = calls_take(room, w->room[w->in_use].bytes);
    memcpy(copy, w->world, room->bytes);
    tp_world *other = tp_world_at(copy, room->bytes);
    calls_promise(s, other != NULL, "a copy of a block is a world");
    bool ends = run_frame(other, 0, 2);
    if (run_frame(w->world, units[calls_below(s, 5)], 2000) && ends)
        calls_promise(s, tp_world_hash(w->world) == tp_world_hash(other),
                      "slices change no bit of a frame");
    (void)calls_note(s, "sliced frame", ends ? TP_OK : TP_MORE);
    calls_fold_word(s, tp_world_hash(w->world));
}

/* Continues the simulation in a copy of the block. */
static void move_block(calls_sequence *s, calls_world *w)
{
    calls_bad_block bad = calls_bad(s, &w->room[w->in_use]);
    calls_promise(s, tp_world_at(bad.block, bad.bytes) == NULL,
                  "a block without a world is refused");
    unsigned char *copy = calls_move(w->room, &w->in_use);
    w->world = tp_world_at(copy, w->room[w->in_use].bytes);
    calls_promise(s, w->world != NULL, "a copy of a block is a world");
    (void)calls_note(s, "moved block", TP_OK);
}

/* A valid block passes verification, and the world continues with the same bits. */
static void verify(calls_sequence *s, calls_world *w)
{
    tp_block_fault fault;
    tp_world *found = NULL;
    uint64_t before = tp_world_hash(w->world);
    tp_result result = tp_world_verify(w->world, w->room[w->in_use].bytes, &fault, &found);
    (void)calls_note(s, "world_verify", result);
    if (result != TP_OK)
        printf("byte %llu: expected %s\n", (unsigned long long)fault.offset, fault.expected);
    calls_promise(s, result == TP_OK && found == w->world, "a good block passes tp_world_verify");
    calls_promise(s, tp_world_hash(w->world) == before,
                  "tp_world_verify changes no bit of the state");
}

/* The calls that a game may make on a world taken from a damaged block. */
static void use(calls_sequence *s, tp_world *world)
{
    tp_budget budget = {.units = 20000};
    tp_pair_report report;
    uint32_t id = 0;
    for (uint32_t k = 0; k < 3; k++) {
        tp_result result = tp_frame(world, &budget, NULL);
        calls_promise(s, result >= TP_OK, "a verified world takes frames");
        calls_fold_word(s, tp_world_hash(world));
    }
    calls_fold_word(s, (uint64_t)tp_pair_measure(world, &report));
    calls_fold_word(
        s, (uint64_t)tp_particle_add(world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, &id));
    for (uint32_t slot = 0; slot < 8; slot++) {
        tp_collider collider = {1u << 16 | slot};
        tp_emitter emitter = {1u << 16 | slot};
        calls_fold_word(s, (uint64_t)tp_collider_remove(world, collider));
        calls_fold_word(s, (uint64_t)tp_emitter_remove(world, emitter));
    }
    calls_fold_word(s, (uint64_t)tp_frame(world, &budget, NULL));
}

/* Changes some bytes of a copy of the block. Verification refuses it and leaves it unchanged, or it
   is safe to use. Results are not hashed: which value a byte belongs to depends on the vector
   width. */
static void damage(calls_sequence *s, calls_world *w)
{
    size_t bytes = w->room[w->in_use].bytes;
    unsigned char *copy = calls_take(&w->room[1u - w->in_use], bytes);
    tp_block_fault fault;
    tp_world *found = NULL;
    uint64_t fold = s->fold;
    memcpy(copy, w->world, bytes);
    for (uint32_t k = 1u + calls_below(s, 3); k > 0; k--) {
        uint32_t reach = calls_one_in(s, 2) ? (uint32_t)bytes : calls_one_in(s, 2) ? 8192u : 2048u;
        uint32_t at = calls_below(s, reach < bytes ? reach : (uint32_t)bytes);
        if (calls_one_in(s, 2))
            copy[at] ^= (unsigned char)(1u << calls_below(s, 8));
        else
            copy[at] = (unsigned char)calls_hostile_word(s);
    }
    calls_sequence sum = {0}, after = {0};
    calls_fold(&sum, copy, bytes);
    tp_result result =
        calls_note(s, "verify damaged", tp_world_verify(copy, bytes, &fault, &found));
    calls_fold(&after, copy, bytes);
    calls_promise(s, result == TP_OK || sum.fold == after.fold,
                  "a block that is refused stays as it was");
    calls_promise(s, (result == TP_ERROR_BLOCK) == (fault.expected != NULL),
                  "a fault says what was expected");
    if (result == TP_OK) use(s, found);
    s->fold = fold;
}

void calls_on_frames(calls_sequence *s)
{
    calls_world *w = &s->worlds[calls_below(s, CALLS_WORLDS)];
    if (!w->world) return;
    switch (calls_below(s, 14)) {
    case 0: slice(s, w); break;
    case 1: move_block(s, w); break;
    case 4: verify(s, w); break;
    case 5:
    case 6: damage(s, w); break;
    case 2:
    case 3: frames_of_all(s); break;
    default: frame(s, w);
    }
}
